model Wrong
  extends Circuits.Parts.Capacitor;
end Wrong;
