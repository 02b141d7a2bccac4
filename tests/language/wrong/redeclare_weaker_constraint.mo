// 13:31: error: 'b' cannot be redeclared as 'A': it must have all of 'C', and there is no 'y' (in 'd')
model M
  model A
    Real x = 1;
  end A;
  model C
    Real x = 3;
    Real y = 5;
  end C;
  model D
    replaceable C b;
  end D;
  D d(redeclare replaceable C b constrainedby A);
end M;
