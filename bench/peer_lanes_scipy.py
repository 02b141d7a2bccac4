#!/usr/bin/env python3
"""SciPy's RK45 (Dormand and Prince) over many values of one parameter, in a pool of processes.

    peer_lanes_scipy.py lorenz|pendulum COUNT

Prints processor microseconds per run, those of all processes together. Says nothing, with status 1,
where SciPy is not here.
"""
import math
import multiprocessing
import sys
import time

try:
    from scipy.integrate import solve_ivp
except ImportError:
    sys.exit(1)


def lorenz(rho):
    return lambda t, x: [10 * (x[1] - x[0]), x[0] * (rho - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


def pendulum(c):
    return lambda t, x: [x[1], -9.81 * math.sin(x[0]) - c * x[1]]


def run(job):
    name, part = job
    begun = time.process_time()
    if name == "lorenz":
        solve_ivp(lorenz(20 + 180 * part), (0, 10), [1, 1, 1], rtol=1e-6, atol=1e-9)
    else:
        solve_ivp(pendulum(0.01 + 0.49 * part), (0, 10), [1, 0], rtol=1e-6, atol=1e-9)
    return time.process_time() - begun


if __name__ == "__main__":
    name, count = sys.argv[1], int(sys.argv[2])
    with multiprocessing.Pool() as pool:
        spent = pool.map(run, [(name, i / max(count - 1, 1)) for i in range(count)])
    print(sum(spent) / count * 1e6)
