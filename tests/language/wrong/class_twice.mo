// 4:7: error: class 'A' is there twice
model A
end A;
model A
end A;
