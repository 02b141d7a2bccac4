// 0:0: error: the file holds no model that can be run
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
