// 9:3: error: 'B' is inherited itself: what is extended cannot be
model M
  model A
    model B
      Real x = time;
    end B;
  end A;
  extends A;
  extends B;
end M;
