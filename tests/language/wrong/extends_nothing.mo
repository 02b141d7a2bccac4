// 3:11: error: base class 'Base' is not there
model M
  extends Base;
end M;
