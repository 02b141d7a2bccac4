// 5:13: error: '==' of Reals that vary all the time depends on rounding: write a relation that stays true, as 'time >= 1', or 'abs(a - b) < eps'
model M
  discrete Real d(start = 0, fixed = true);
equation
  when time == 1 then
    d = 1;
  end when;
end M;
