
model A
end A;
