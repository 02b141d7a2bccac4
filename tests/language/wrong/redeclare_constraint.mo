// 16:19: error: 'b' cannot be redeclared as 'A': it must have all of 'C', and there is no 'y' (in 'e')
model M
  model A
    Real x = 1;
  end A;
  model C
    Real x = 3;
    Real y = 5;
  end C;
  model D
    replaceable C b constrainedby A;
  end D;
  model E
    extends D(replaceable C b constrainedby C);
  end E;
  E e(redeclare A b);
end M;
