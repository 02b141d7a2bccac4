// 6:3: error: 'A' is replaceable: it cannot be extended
model M
  replaceable model A
    Real x = 2;
  end A;
  extends A;
end M;
