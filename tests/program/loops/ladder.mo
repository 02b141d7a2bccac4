model Lin "linear loops of a ladder"
  constant Integer N = 8;
  Real q[N](each start=0, each fixed=true), i[N], v[N+1];
equation
  v[1] = sin(time);
  for k in 1:N loop
    v[k] - v[k+1] = (1 + k/10)*i[k] + 0.1*(if k < N then i[min(k+1,N)] else 0);
    der(q[k]) = i[k] - q[k];
  end for;
  v[N+1] = 0.5*i[N];
  for k in 1:N-1 loop i[k] = i[k+1] + 0.3*v[k+1]; end for;
end Lin;
