// 3:11: error: base class 'Base' was not found
model M
  extends Base;
end M;
