#!/usr/bin/env python3
"""Computes models/<name>/reference.csv, independently of Foliot, in 50-digit decimals.

    tools/reference.py            all models
    tools/reference.py ball dip   only these

Smooth motion is carried by Taylor series of order 30 (each model gives the recurrence of its
coefficients), stiff motion by an L-stable Hermite-Obreshkov method of order 19 (the Padé
approximant 9/10 of the exponential, on the same series), events are bisected on the series.
What has a closed form is computed from it. Parameters are the doubles that the models use.
"""
import decimal
import math
import os
import sys
from decimal import Decimal as D

decimal.getcontext().prec = 50
ORDER = 30
SMALL = D(10) ** -32
PI = D("3.14159265358979323846264338327950288419716939937510582097494459")


# ------------------------------------------------------------------------------------- functions

def sine_cosine(x):
    """Both by their series; x is brought near zero first."""
    x -= (x / (2 * PI)).to_integral_value() * 2 * PI
    s, c, term, n = D(0), D(0), D(1), 0
    while abs(term) > D(10) ** -55:
        if n % 2 == 0:
            c += term if n % 4 == 0 else -term
        else:
            s += term if n % 4 == 1 else -term
        n += 1
        term = term * x / n
    return s, c


def product(a, b, k):
    """Coefficient k of a product of two series."""
    return sum((a[j] * b[k - j] for j in range(k + 1)), D(0))


def value(series, h):
    result = []
    for c in series:
        x = D(0)
        for a in reversed(c):
            x = x * h + a
        result.append(x)
    return result


def step_length(series):
    """So that the last two terms are below SMALL."""
    h = D(1)
    for k in (-1, -2):
        size = max(abs(c[k]) for c in series)
        if size > 0:
            n = len(series[0]) + k
            h = min(h, D(10) ** ((SMALL / size).log10() / n))
    return h


# ------------------------------------------------------------------------------------ integrators

def taylor(model, x, t, goal, watch=None):
    """From t to goal; yields (t, x, event). `watch(x)` gives guards; one that falls below zero ends
    the step there and is reported as its index, and the caller sends the state after the jump."""
    while t < goal:
        series = model(x, ORDER)
        h = min(step_length(series), goal - t)
        event = None
        if watch:
            for j in range(1, 9):
                guards = watch(value(series, h * j / 8))
                hits = [i for i, g in enumerate(guards) if g < 0]
                if hits:
                    lo, hi = h * (j - 1) / 8, h * j / 8
                    while hi - lo > D(10) ** -36:
                        middle = (lo + hi) / 2
                        below = [i for i, g in enumerate(watch(value(series, middle))) if g < 0]
                        if below:
                            hi, hits = middle, below
                        else:
                            lo = middle
                    h, event = hi, hits[0]
                    break
        t, x = t + h, value(series, h)
        if event is None and goal - t < D(10) ** -40:
            t = goal
        changed = yield t, x, event
        if changed is not None:
            x = changed


def solve(a, b):
    """Gaussian elimination with pivots."""
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n + 1):
                a[r][c] -= f * a[i][c]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum((a[i][c] * x[c] for c in range(i + 1, n)), D(0))) / a[i][i]
    return x


M, N = 9, 10
# Coefficients of the Padé approximant, times i! because the series holds x^(i) / i!
NUMERATOR = [D(math.factorial(M + N - i) * math.factorial(M))
             / (math.factorial(M + N) * math.factorial(M - i)) for i in range(M + 1)]
DENOMINATOR = [(-1) ** i * D(math.factorial(M + N - i) * math.factorial(N))
               / (math.factorial(M + N) * math.factorial(N - i)) for i in range(N + 1)]


def pade_step(model, x, h):
    """One step of the Hermite-Obreshkov method; None when Newton does not converge."""
    right = [value([[q * c[i] for i, q in enumerate(NUMERATOR)]], h)[0] for c in model(x, M)]

    def left(z):
        return [value([[q * c[i] for i, q in enumerate(DENOMINATOR)]], h)[0] for c in model(z, N)]

    z = x[:]
    for _ in range(15):
        f = left(z)
        columns = []
        for i in range(len(z)):
            shifted = z[:]
            shift = D(10) ** -22 * (1 + abs(z[i]))
            shifted[i] += shift
            g = left(shifted)
            columns.append([(g[j] - f[j]) / shift for j in range(len(z))])
        jacobian = [[columns[c][r] for c in range(len(z))] for r in range(len(z))]
        dz = solve(jacobian, [right[j] - f[j] for j in range(len(z))])
        z = [a + b for a, b in zip(z, dz)]
        if max(abs(b) for b in dz) < D(10) ** -30:
            return z
        if max(abs(b) for b in dz) > 100:
            return None
    return None


def stiff(model, x, times, tolerance=D(10) ** -20):
    """The states at the given times; each step is checked against two of half the length."""
    rows, t, h = [], D(0), D(10) ** -6
    for goal in times:
        while t < goal:
            step = min(h, goal - t)
            whole = pade_step(model, x, step)
            half = whole and pade_step(model, x, step / 2)
            twice = half and pade_step(model, half, step / 2)
            error = max(abs(a - b) for a, b in zip(whole, twice)) if twice else D(1)
            if error <= tolerance:
                t = goal if step == goal - t else t + step
                x = twice
            grow = D(2) if error == 0 else (tolerance / error) ** (D(1) / 20) * D("0.9")
            if error > tolerance or step == h:
                h = step * min(D(3), max(D("0.2"), grow))
        rows.append([goal] + x)
    return rows


# ---------------------------------------------------------------------------------------- series

def pendulum_series(y0, v0, drag, pull, n):
    """y'' = -drag y' - pull sin y."""
    y, v = [y0], [v0]
    s, c = ([f] for f in sine_cosine(y0))
    for k in range(n):
        if k:
            s.append(sum((j * y[j] * c[k - j] for j in range(1, k + 1)), D(0)) / k)
            c.append(-sum((j * y[j] * s[k - j] for j in range(1, k + 1)), D(0)) / k)
        y.append(v[k] / (k + 1))
        v.append((-drag * v[k] - pull * s[k]) / (k + 1))
    return y, v


def lorenz_series(x0, n):
    sigma, rho, beta = D(10), D(28), D(8.0 / 3)
    x, y, z = ([a] for a in x0)
    for k in range(n):
        xy, xz = product(x, y, k), product(x, z, k)
        x.append(sigma * (y[k] - x[k]) / (k + 1))
        y.append((rho * x[k] - xz - y[k]) / (k + 1))
        z.append((xy - beta * z[k]) / (k + 1))
    return x, y, z


def van_der_pol_series(mu):
    def series(x0, n):
        x, v, xx = [x0[0]], [x0[1]], []
        for k in range(n):
            xx.append(product(x, x, k))
            xxv = product(xx, v, k)
            x.append(v[k] / (k + 1))
            v.append((mu * (v[k] - xxv) - x[k]) / (k + 1))
        return x, v
    return series


def robertson_series(x0, n):
    k1, k2, k3 = D(0.04), D(3e7), D(1e4)
    a, b, c = ([y] for y in x0)
    for k in range(n):
        back, fast = k3 * product(b, c, k), k2 * product(b, b, k)
        slow = k1 * a[k]
        a.append((back - slow) / (k + 1))
        b.append((slow - back - fast) / (k + 1))
        c.append(fast / (k + 1))
    return a, b, c


def ball_series(w):
    g, drag = D(9.8), D(0.01) / D(0.1)

    def series(x0, n):
        y, v = [x0[0]], [x0[1]]
        for k in range(n):
            vv = product(v, v, k)
            y.append(v[k] / (k + 1))
            v.append(((-g if k == 0 else 0) - w * drag * vv) / (k + 1))
        return y, v
    return series


# ---------------------------------------------------------------------------------------- models

def flow(series, x, times):
    rows, t = [], D(0)
    for goal in times:
        for t, x, _ in taylor(series, x, t, goal):
            pass
        rows.append([goal] + x)
    return rows


def pendulum():
    def series(x, n):
        return pendulum_series(x[0], x[1], D(0.1) / D(0.4), D(9.8) / D(0.5), n)
    before = flow(series, [D(2.5), D(0)], [D(t) for t in (0, 1, 2, 5, 10, 15, 17, 18)])
    x = before.pop()[1:]
    x[1] += D(8.5)
    later = [D(t) - 18 for t in (18.5, 19, 19.5, 20, 21, 22, 25, 30, 35, 40)]
    return "y,v", before + [[r[0] + 18] + r[1:] for r in flow(series, x, later)]


def ball():
    times = [D(t) / 4 for t in range(0, 31)]
    x, t, w, e, rows = [D(1.5), D(0)], D(0), -1, D(0.1), [[D(0), D(1.5), D(0)]]
    for goal in times[1:]:
        while t < goal:
            watch = (lambda z: [z[0]]) if w < 0 else (lambda z: [z[1]])
            for t, x, event in taylor(ball_series(w), x, t, goal, watch):
                if event is None:
                    continue
                if w < 0:
                    if abs(x[1]) < D(0.1):
                        return "y,v", rows
                    x = [D(0), abs((1 - e) * x[1])]
                w = -w
                break
        rows.append([goal] + x)
    return "y,v", rows


def double_pendulum():
    m1, m2, drag = D(0.5), D(0.3), D(0.1)

    def series(x, n):
        y1, v1 = pendulum_series(x[0], x[2], drag / m1, D(9.8) / D(0.5), n)
        y2, v2 = pendulum_series(x[1], x[3], drag / m2, D(9.8) / D(0.5), n)
        return y1, y2, v1, v2

    # The angles are not wrapped here: two starts 4 rad ahead of one and stays ahead by 0 to 2 pi.
    def watch(x):
        ahead = x[1] - x[0]
        return [ahead, 2 * PI - ahead]

    def wrap(y):
        return y - (y / (2 * PI)).to_integral_value() * 2 * PI

    x, t, ratio = [D(-2), D(2), D(0), D(0)], D(0), m2 / m1
    rows, armed = [[t] + x], True
    for goal in [D(n) / 2 for n in range(1, 31)]:
        while t < goal:
            # After a collision the guard is some 1e-36 below zero: go on before watching again.
            until = goal if armed else min(goal, t + D("0.001"))
            for t, x, event in taylor(series, x, t, until, watch if armed else None):
                if event is not None:
                    v1, v2 = x[2], x[3]
                    x = x[:2] + [((1 - ratio) * v1 + 2 * ratio * v2) / (1 + ratio),
                                 (2 * v1 + (ratio - 1) * v2) / (1 + ratio)]
                    armed = False
                    break
            else:
                armed = True
        rows.append([goal, wrap(x[0]), wrap(x[1]), x[2], x[3]])
    return "y1,y2,v1,v2", rows


def lorenz():
    return "x,y,z", flow(lorenz_series, [D(1)] * 3, [D(t) / 2 for t in range(0, 31)])


def van_der_pol():
    return "x,v", flow(van_der_pol_series(D(1)), [D(2), D(0)], [D(t) for t in range(0, 21)])


def van_der_pol_stiff():
    times = [D(t) for t in (0, 1, 100, 400, 700, 800, 900, 1200, 1500, 1600, 1700, 2000)]
    return "x,v", stiff(van_der_pol_series(D(1000)), [D(2), D(0)], times)


def robertson():
    times = [D(t) for t in (0, 0.0001, 0.001, 0.01, 0.1, 0.4, 1, 2, 4, 10, 20, 30, 40)]
    return "y1,y2,y3", stiff(robertson_series, [D(1), D(0), D(0)], times, D(10) ** -24)


def kepler():
    """E - e sin E = t, x = cos E - e, y = sqrt(1 - e^2) sin E."""
    e, rows = D(0.6), []
    for n in range(21):
        t = D(3 * n)
        anomaly = t
        for _ in range(200):
            s, c = sine_cosine(anomaly)
            anomaly -= (anomaly - e * s - t) / (1 - e * c)
        s, c = sine_cosine(anomaly)
        b, rate = (1 - e * e).sqrt(), 1 / (1 - e * c)
        rows.append([t, c - e, b * s, -s * rate, b * c * rate])
    return "x,y,vx,vy", rows


def mass_spring_damper():
    """x = (s1 exp(s2 t) - s2 exp(s1 t)) / (s1 - s2) with the roots of m s^2 + b s + k = 0."""
    m, k, b = D(0.001), D(1), D(0.1)
    root = (b * b - 4 * m * k).sqrt()
    s1, s2, rows = (-b + root) / (2 * m), (-b - root) / (2 * m), []
    for n in range(21):
        t = D(n * 0.025)
        p, q = (s1 * t).exp(), (s2 * t).exp()
        rows.append([t, (s1 * q - s2 * p) / (s1 - s2), s1 * s2 * (q - p) / (s1 - s2)])
    return "x,v", rows


def dip():
    return "x,v", [[D(t), *sine_cosine(D(t))] for t in range(0, 21)]


MODELS = {
    "pendulum": pendulum, "ball": ball, "double-pendulum": double_pendulum, "lorenz": lorenz,
    "van-der-pol": van_der_pol, "van-der-pol-stiff": van_der_pol_stiff, "robertson": robertson,
    "roberts-dae": robertson, "kepler": kepler, "mass-spring-damper": mass_spring_damper,
    "dip": dip,
}


def main(names):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
    for name in names or MODELS:
        header, rows = MODELS[name]()
        with open(os.path.join(root, name, "reference.csv"), "w", encoding="ascii") as file:
            file.write(f"time,{header}\n")
            for row in rows:
                file.write(",".join(repr(float(x) + 0.0) for x in row) + "\n")
        print(f"{name}: {len(rows)} rows", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
