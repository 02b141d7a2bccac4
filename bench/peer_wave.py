# The wave of bench_field in NumPy: leapfrog over whole arrays, with temporaries kept.
#
#     python3 peer_wave.py <nodes per side> <steps>      prints nanoseconds per node and step
import sys
import time

import numpy as np

side, steps = int(sys.argv[1]), int(sys.argv[2])
u, before = np.zeros((side, side)), np.zeros((side, side))
lap = np.empty((side - 2, side - 2))
u[side // 2, side // 2] = 1


def step(u, before):
    np.add(u[:-2, 1:-1], u[2:, 1:-1], out=lap)
    np.add(lap, u[1:-1, :-2], out=lap)
    np.add(lap, u[1:-1, 2:], out=lap)
    np.multiply(lap, 0.25, out=lap)
    np.subtract(lap, before[1:-1, 1:-1], out=lap)
    np.add(lap, u[1:-1, 1:-1], out=before[1:-1, 1:-1])  # 2 u - 4 u / 4 = u


step(u, before)
begun = time.perf_counter()
for _ in range(steps):
    step(before, u)
    u, before = before, u
print((time.perf_counter() - begun) * 1e9 / steps / side / side)
