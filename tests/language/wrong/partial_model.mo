// 2:15: error: model 'M' is partial: it cannot be run
partial model M
  Real x;
end M;
