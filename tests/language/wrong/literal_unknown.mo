// 4:21: error: enumeration 'Colour' has no literal 'blue'
type Colour = enumeration(red, green);
model M
  Colour c = Colour.blue;
end M;
