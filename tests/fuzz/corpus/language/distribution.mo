model S1
  Real x(start=0,fixed=true), out0, out1, v=1+0.5*sin(time), ref, acc(start=0,fixed=true), err;
equation
  der(x)=v;
  (out0,out1)=spatialDistribution(sin(3*time), 7, x, v>=0, {0,0.5,0.5,1},{0,1,2,4});
  ref = out1;
  der(acc)=out1;
  err = 0;
  annotation(experiment(StopTime=10,Tolerance=1e-8));
end S1;
model S2
  Real x(start=0,fixed=true), out0, out1, v=cos(time), acc(start=0,fixed=true);
equation
  der(x)=v*0.8;
  (out0,out1)=spatialDistribution(in0=10+time, in1=20+time, x=x, positiveVelocity=v>=0);
  der(acc)=out1;
  annotation(experiment(StopTime=10,Tolerance=1e-8));
end S2;
