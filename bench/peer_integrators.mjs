// Integrators as one writes them by hand in JavaScript: loops over typed arrays, rates that write into
// an array. The classical Runge-Kutta method, and Dormand and Prince's pair with the usual control.

export const models = {
  pendulum: {
    start: [2.5, 0],
    rates(t, x, f) {
      f[0] = x[1];
      f[1] = -(9.8 / 0.5) * Math.sin(x[0]) - (0.1 / 0.4) * x[1];
    },
  },
  lorenz: {
    start: [1, 1, 1],
    rates(t, x, f) {
      f[0] = 10 * (x[1] - x[0]);
      f[1] = x[0] * (28 - x[2]) - x[1];
      f[2] = x[0] * x[1] - (8 / 3) * x[2];
    },
  },
  rod: {
    start: Array(100).fill(0),
    rates(t, x, f) {
      const n = x.length, k = 1000;
      f[0] = k * (1 - 2 * x[0] + x[1]);
      for (let i = 1; i < n - 1; i++) f[i] = k * (x[i - 1] - 2 * x[i] + x[i + 1]);
      f[n - 1] = k * (x[n - 2] - 2 * x[n - 1]);
    },
  },
};

/** Returns how many steps it took. */
export function rk4({ start, rates }, { step: h, stop }) {
  const n = start.length, x = Float64Array.from(start), w = new Float64Array(n);
  const [k1, k2, k3, k4] = Array.from({ length: 4 }, () => new Float64Array(n));
  const steps = Math.round(stop / h);
  for (let s = 0; s < steps; s++) {
    const t = s * h;
    rates(t, x, k1);
    for (let i = 0; i < n; i++) w[i] = x[i] + 0.5 * h * k1[i];
    rates(t + h / 2, w, k2);
    for (let i = 0; i < n; i++) w[i] = x[i] + 0.5 * h * k2[i];
    rates(t + h / 2, w, k3);
    for (let i = 0; i < n; i++) w[i] = x[i] + h * k3[i];
    rates(t + h, w, k4);
    for (let i = 0; i < n; i++) x[i] += (h / 6) * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  }
  return steps;
}

const C = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
const A = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

export function dp45({ start, rates }, { rtol, atol, stop }) {
  const n = start.length, w = new Float64Array(n), k = Array.from({ length: 7 }, () => new Float64Array(n));
  let x = Float64Array.from(start), t = 0, h = 1e-4, steps = 0;
  rates(t, x, k[0]);
  while (t < stop) {
    if (t + h > stop) h = stop - t;
    for (let j = 1; j < 7; j++) {
      const a = A[j];
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let l = 0; l < j; l++) sum += a[l] * k[l][i];
        w[i] = x[i] + h * sum;
      }
      rates(t + C[j] * h, w, k[j]);
    }
    let error = 0;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < 7; j++) sum += E[j] * k[j][i];
      const size = atol + rtol * Math.max(Math.abs(x[i]), Math.abs(w[i]));
      error += ((h * sum) / size) ** 2;
    }
    error = Math.sqrt(error / n);
    if (error <= 1) {
      t += h;
      x.set(w);
      k[0].set(k[6]);
    }
    steps++;
    h *= Math.min(5, Math.max(0.2, 0.9 * error ** -0.2));
  }
  return steps;
}
