// 4:7: error: class 'A' is declared twice
model A
end A;
model A
end A;
