#!/usr/bin/env python3
"""Computes models/<wave model>/reference.csv, independently of Foliot: plain loops over the nodes,
the classical Runge-Kutta method with a short step.

    tests/field/reference.py [model ...]
"""
import math
import os
import sys

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models")


class Sheet:
    """theta'' = c^2 lap theta - b1 theta' + b2 lap theta', sides at rest, one node shaken."""

    def __init__(self, nx, ny, length, c, b1, b2, shaken=None, omega=0.0, wedge=None):
        self.nx, self.ny, self.c2, self.b1, self.b2 = nx, ny, c * c, b1, b2
        self.k = 1 / (length / (nx - 1)) ** 2
        self.shaken, self.omega, self.wedge = shaken, omega, wedge
        n = nx * ny
        inner = range(1, ny - 1) if ny > 1 else [0]
        self.free = [i + nx * j for j in inner for i in range(1, nx - 1) if i + nx * j != shaken]
        self.steps = [1, nx] if ny > 1 else [1]
        self.theta, self.w = [0.0] * n, [0.0] * n
        self.own = [0.0, 0.0] + [0.0] * (len(wedge["nodes"]) if wedge else 0)

    def rates(self, t, theta, w, own):
        if self.shaken is not None:
            theta[self.shaken] = math.sin(self.omega * t)
            w[self.shaken] = self.omega * math.cos(self.omega * t)
        dw, down = [0.0] * len(w), [0.0] * len(own)
        for p in self.free:
            a = b = 0.0
            for s in self.steps:
                a += theta[p - s] + theta[p + s] - 2 * theta[p]
                b += w[p - s] + w[p + s] - 2 * w[p]
            dw[p] = self.k * (self.c2 * a + self.b2 * b) - self.b1 * w[p]
        g = self.wedge
        if g:
            m, mu, eps, z = g["mass"], g["mu"], g["eps"], own[2:]
            acceleration = g["gravity"] + g["force"] * math.sin(g["omega"] * t) / m - sum(z) / m
            s = []
            for i, p in enumerate(g["nodes"]):
                dw[p] += z[i]
                s.append(mu * mu * (acceleration - dw[p]) + 2 * mu * (own[1] - w[p])
                         + own[0] - g["shape"][i] - theta[p])
            share = sum(s) / (m + len(s))
            down = [own[1], acceleration] + [(v - share) / (mu * mu * eps) for v in s]
        dtheta = [0.0] * len(w)
        for p in self.free:
            dtheta[p] = w[p]
        return dtheta, dw, down

    def step(self, t, h):
        x = (self.theta, self.w, self.own)
        total, k = [list(v) for v in x], None
        for ahead, weight in ((0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1, 1 / 6)):
            at = [list(v) for v in x]
            if k:
                for a, d in zip(at, k):
                    for i, slope in enumerate(d):
                        a[i] += ahead * h * slope
            k = self.rates(t + ahead * h, *at)
            for a, d in zip(total, k):
                for i, slope in enumerate(d):
                    a[i] += weight * h * slope
        self.theta, self.w, self.own = total
        if self.shaken is not None:
            self.theta[self.shaken] = math.sin(self.omega * (t + h))
            self.w[self.shaken] = self.omega * math.cos(self.omega * (t + h))


def wedge():
    nodes = [9 + i + 22 * (9 + j) for j in range(4) for i in range(4)]
    return dict(mass=0.003, gravity=9.8, force=0.02, omega=2.0, mu=0.2, eps=0.1, nodes=nodes,
                shape=[0.003, 0.001, 0.001, 0.003] * 4)


def run(name, sheet, probes, h, times):
    per = round(times[0] / h)
    with open(os.path.join(MODELS, name, "reference.csv"), "w") as out:
        out.write(",".join(["time"] + [p[0] for p in probes]) + "\n")
        for row, t in enumerate(times):
            for n in range(per):
                sheet.step((row * per + n) * h, h)
            out.write(",".join([repr(t)] + [repr(p[1](sheet)) for p in probes]) + "\n")


def at(i, j=None):
    name = "value(%d)" % i if j is None else "value(%d,%d)" % (i, j)
    return name, lambda s: s.theta[i + s.nx * (j or 0)]


def main():
    wanted = sys.argv[1:] or ["wave-1d", "wave-2d", "wave-2d-middle", "wedge-on-wave"]
    sheet_probes = [at(3, 2), at(3, 4), at(10, 10)]
    every_two = [2.0 * (i + 1) for i in range(10)]
    if "wave-1d" in wanted:
        string = Sheet(20, 1, 100.0, 15.0, 0.5, 0.2, shaken=0, omega=1.5)
        run("wave-1d", string, [at(1), at(5), at(10), at(15)], 0.002, [2 * t for t in every_two])
    for name, node in (("wave-2d", 22), ("wave-2d-middle", 11 + 22 * 11)):
        if name in wanted:
            sheet = Sheet(22, 22, 100.0, 10.0, 0.2, 0.2, shaken=node, omega=2.0)
            run(name, sheet, sheet_probes, 0.01, every_two)
    if "wedge-on-wave" in wanted:
        sheet = Sheet(22, 22, 100.0, 10.0, 0.2, 0.2, wedge=wedge())
        probes = [at(8, 6), at(9, 7), at(10, 10), ("object.y", lambda s: s.own[0]),
                  ("object.force", lambda s: sum(s.own[2:]))]
        run("wedge-on-wave", sheet, probes, 0.005, every_two)


main()
