// 3:11: error: base class 'Base' is not there; did you mean 'abs'?
model M
  extends Base;
end M;
