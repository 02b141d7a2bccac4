model Decided "branches that structural parameters decide; literals by import"
  encapsulated type Kind = enumeration(plain, fancy);
  parameter Integer n = 3;
  parameter Boolean warm = true;
  parameter Kind kind = fancy;
  import Decided.Kind.fancy;
  Real T[n], Q[n] = {if i == n then 0 else T[i] - T[i + 1] for i in 1:n};
  Real far = if warm then T[1] else T[2];
equation
  for i in 1:n loop
    if i < n then
      der(T[i]) = -Q[i];
    else
      T[i] = 300;
    end if;
  end for;
  assert(kind == Kind.fancy or kind == fancy, "kind");
end Decided;
