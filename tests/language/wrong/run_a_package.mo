// 2:9: error: name the model to run, for example 'test.mo:P.A'
package P
  model A
    Real x = 1;
  end A;
end P;
