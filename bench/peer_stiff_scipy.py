#!/usr/bin/env python3
"""SciPy on a stiff problem of ../tests/solver/stiff_problems.h.

    peer_stiff_scipy.py PROBLEM METHOD RTOL

Prints how often the rates were evaluated, also for Jacobians by differences, and the states at the
end. Says nothing, with status 1, where SciPy or the problem is not here.
"""
import sys


def hires(t, x):
    r = 280 * x[5] * x[7]
    d = 1.81 * x[6]
    return [-1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007,
            1.71 * x[0] - 8.75 * x[1],
            -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4],
            8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3],
            -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6],
            -r + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6],
            r - d, d - r]


def orego(t, x):
    return [77.27 * (x[1] + x[0] * (1 - 8.375e-6 * x[0] - x[1])),
            (x[2] - (1 + x[0]) * x[1]) / 77.27,
            0.161 * (x[0] - x[2])]


def vdpol(t, x):
    return [x[1], ((1 - x[0] * x[0]) * x[1] - x[0]) / 1e-6]


def rober(t, x):
    a = -0.04 * x[0] + 1e4 * x[1] * x[2]
    c = 3e7 * x[1] * x[1]
    return [a, -a - c, c]


def e5(t, x):
    a, b, c = 7.89e-10 * x[0], 1.1e7 * x[0] * x[2], 1.13e9 * x[1] * x[2]
    d1, d3 = a - c, b - 1.13e3 * x[3]
    return [-a - b, d1, d1 - d3, d3]


# rates, start, stop, atol in parts of rtol
PROBLEMS = {
    "HIRES": (hires, [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122, 1e-4),
    "OREGO": (orego, [1, 2, 3], 360, 1e-6),
    "VDPOL": (vdpol, [2, 0], 2, 1),
    "ROBER": (rober, [1, 0, 0], 1e11, 1e-6),
    "E5": (e5, [1.76e-3, 0, 0, 0], 1e13, 1e-18),
}


def main():
    name, method, rtol = sys.argv[1], sys.argv[2], float(sys.argv[3])
    if name not in PROBLEMS:
        return 1
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        return 1
    rates, start, stop, atol = PROBLEMS[name]
    count = 0

    def counted(t, x):
        nonlocal count
        count += 1
        return rates(t, x)

    solution = solve_ivp(counted, (0, stop), start, method=method, rtol=rtol, atol=rtol * atol)
    if not solution.success:
        return 1
    print(count, *("%.17g" % v for v in solution.y[:, -1]))
    return 0


sys.exit(main())
