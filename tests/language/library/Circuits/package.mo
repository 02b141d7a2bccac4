package Circuits "a library in a folder"
  constant Real volts = 12;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
end Circuits;
