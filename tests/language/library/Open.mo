within ;
model Open
  Real x = 1 annotation(Icon(text = "without an end);
end Open;
