model M Integer k(start = 0); Real x = sample(time, subSample(Clock(1, 10), 2)); Real h;
equation when shiftSample(superSample(Clock(1, 10), 2), 1) then k = previous(k) + 1; end when;
  h = hold(backSample(shiftSample(x, 2), 1)); end M;
