model Redecl
  replaceable model Law = Linear;
  partial model Base Real x; Real y; end Base;
  model Linear extends Base; equation y = -x; end Linear;
  model Cubic extends Base; equation y = -x^3; end Cubic;
  Law law; 
equation
  der(law.x) = law.y;
end Redecl;
model R2
  Redecl r(redeclare model Law = Redecl.Cubic, law(x(start=1,fixed=true)));
end R2;
