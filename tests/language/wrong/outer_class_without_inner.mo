// 4:20: error: there is no 'inner f' in the enclosing models
model M
  model A
    outer function f
      input Real x;
      output Real y;
    end f;
    Real y = f(time);
  end A;
  A a;
end M;
