// 12:19: error: 'b' is not replaceable any more: it was redeclared without that (in 'e')
model M
  model A
    Real x = 1;
  end A;
  model D
    replaceable A b;
  end D;
  model E
    extends D(redeclare A b);
  end E;
  E e(redeclare A b);
end M;
