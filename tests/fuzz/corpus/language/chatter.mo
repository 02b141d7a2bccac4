model Chatter "event iteration that never ends"
  Boolean a(start = false), b(start=false);
equation
  a = time > 0.5 and not pre(b);
  b = pre(a);
end Chatter;
