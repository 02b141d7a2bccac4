// 2:1: error: expandable connectors are not supported
expandable connector C
end C;
model M
end M;
