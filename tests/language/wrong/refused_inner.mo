// 3:9: error: 'inner' and 'outer' classes are not supported
model M
  inner model A
  end A;
end M;
