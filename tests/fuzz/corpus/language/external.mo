class T
  extends ExternalObject;
  function constructor
    input String tableName, fileName;
    input Real table[:, :];
    input Integer columns[:], smoothness, extrapolation;
    output T t;
    external "C" t = ModelicaStandardTables_CombiTable1D_init2(table);
  end constructor;
  function destructor
    input T t;
    external "C" nothing(t);
  end destructor;
end T;
function get
  input T t;
  input Integer icol;
  input Real u;
  output Real y;
  external "C" y = ModelicaStandardTables_CombiTable1D_getValue(t, icol, u);
end get;
function part
  input String s;
  input Integer a, b;
  output String t;
  external "C" t = ModelicaStrings_substring(s, a, b);
end part;
model M
  parameter T t = T("NoName", "NoName", [0, 1; 1, 3; 2, 2], {2}, 2, 3);
  parameter String s = part("abc", 1, 2) + getInstanceName();
  Real y = get(t, 1, time);
end M;
