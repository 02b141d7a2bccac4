#!/usr/bin/env python3
"""Computes models/<name>/reference.csv of the models that are made of processes, independently of
Foliot: closed forms where there are some, otherwise small programs in double precision.

    tools/reference_worlds.py             all of them
    tools/reference_worlds.py dominoes    only these

A column `time` begins a table over time. Otherwise each row is a run: columns that are parameters of
the model are set, the others are its results.
"""
import heapq
import math
import os
import random
import sys


def runge_kutta(f, x, t, goal, steps):
    """Classical, with Richardson's extrapolation of two step lengths."""
    def carry(n):
        y, h = list(x), (goal - t) / n
        for i in range(n):
            s = t + i * h
            a = f(s, y)
            b = f(s + h / 2, [u + h / 2 * v for u, v in zip(y, a)])
            c = f(s + h / 2, [u + h / 2 * v for u, v in zip(y, b)])
            d = f(s + h, [u + h * v for u, v in zip(y, c)])
            y = [u + h / 6 * (p + 2 * q + 2 * r + w) for u, p, q, r, w in zip(y, a, b, c, d)]
        return y
    rough, fine = carry(steps), carry(2 * steps)
    return [b + (b - a) / 15 for a, b in zip(rough, fine)]


def simpson(f, a, b, n=2000):
    h = (b - a) / n
    inner = sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n))
    return h / 3 * (f(a) + inner + f(b))


# ------------------------------------------------------------------------------------ over time

def predator_prey():
    def rates(_, x):
        return [(-0.3 + 3.0e-7 * x[1]) * x[0], (0.3 - 3.0e-4 * x[0]) * x[1]]
    x = [1000.0, 100000.0]
    rows = [[0.0] + x]
    for k in range(20):
        x = runge_kutta(rates, x, 5.0 * k, 5.0 * (k + 1), 2000)
        rows.append([5.0 * (k + 1)] + x)
    return "time,predator,prey", rows


def rocket():
    stages = [(189162, 930, 8060, 510, 150), (40342, 81.49, 13805, 460, 359),
              (8137, 14.75, 15250, 360, 479)]
    times = [10.0 + 50 * k for k in range(20)] + [988.0]
    x, t, rows, begun = [0.0, 0.0, 0.0], 0.0, [], 0.0
    for mass, flow, speed, area, duration in stages:
        def rates(_, y, flow=flow, speed=speed, area=area):
            m, v, h = y
            drag = area * 0.00119 * math.exp(-h / 24000) * v * v
            return [-flow, (flow * speed - drag) / m - 32.17 / (1 + h / 20908800) ** 2, v]
        x[0], begun, end = mass, t, t + duration
        for s in [s for s in times if t < s < end] + [end]:
            x, t = runge_kutta(rates, x, t, s, 2000), s
            x[0] = mass - flow * (t - begun)
            if s in times:
                rows.append([s] + x)
    return "time,mass,velocity,altitude", rows


def bouncing_balls():
    """From event to event, each at the time that its equation gives."""
    wide, high, radius = 250.0, 150.0, 20.0
    x = [[166.0, 130.0], [62.0, 130.0], [25.0, 110.0]]
    v = [[-2.0, -4.0], [2.0, 10.0], [-5.0, 3.0]]

    def wall(i, k):
        """Red starts at a wall that it is leaving the box through, so zero counts."""
        room = (wide, high)[k]
        if v[i][k] == 0:
            return math.inf
        return ((room - radius if v[i][k] > 0 else radius) - x[i][k]) / v[i][k]

    def meeting(i, j):
        d = [x[i][k] - x[j][k] for k in (0, 1)]
        w = [v[i][k] - v[j][k] for k in (0, 1)]
        a, b = w[0] ** 2 + w[1] ** 2, d[0] * w[0] + d[1] * w[1]
        c = d[0] ** 2 + d[1] ** 2 - 4 * radius ** 2
        if b >= 0 or b * b < a * c:
            return math.inf
        return (-b - math.sqrt(b * b - a * c)) / a

    t, rows, grid = 0.0, [], [2.5 + 5 * k for k in range(20)]
    while grid:
        events = [(wall(i, k), i, k) for i in range(3) for k in (0, 1)]
        events += [(meeting(i, j), i, 2 + j) for i in range(3) for j in range(i + 1, 3)]
        wait, i, k = min(events)
        while grid and grid[0] < t + wait:
            s = grid.pop(0)
            rows.append([s] + [x[b][n] + v[b][n] * (s - t) for b in range(3) for n in (0, 1)])
        for b in range(3):
            for n in (0, 1):
                x[b][n] += v[b][n] * wait
        t += wait
        if k < 2:
            v[i][k] = -v[i][k]
        else:
            v[i], v[k - 2] = v[k - 2], v[i]
    return "time,green.x,green.y,red.x,red.y,blue.x,blue.y", rows


def reactor():
    """Until the first interruption p is 100, so that everything is an exponential."""
    data = [(0.03466, 10, 0.1), (0.00866, 15, 0.4), (0.01155, 20, 0.2), (0.00770, 25, 0.5)]
    rows = []
    for n in range(1, 40):
        t, pressure, contents = 0.05 * n + 0.01, 500.0, []
        pressure += 107.03 * 4.3523 * t
        for i, (k, volume, start) in enumerate(data):
            on = max(0.0, t - 0.5 * i)
            c = max(start * math.exp(-k * 100 * on), 0.1 * start)
            pressure -= 107.03 * volume * (start - c)
            contents.append(c)
        done = contents[0] <= 0.1 * data[0][2]
        rows.append([t, pressure] + contents[1:] + [1.0 if done else 0.0])
    return "time,pressure,C2,C3,C4,batches", rows


# ----------------------------------------------------------------------------------- run by run

def dominoes():
    """Energy gives the angular velocity over the angle, and so the time as an integral."""
    m, g, thick, z, stones = 0.01, 9.81, 0.008, 0.046, 55
    theta = m * (thick ** 2 + z ** 2) / 3
    pull = 2 * m * g * 0.5 * math.sqrt(thick ** 2 + z ** 2) / theta
    rows = []
    for d in (0.009, 0.0125, 0.014, 0.0175, 0.019, 0.0204, 0.024, 0.029, 0.034, 0.039, 0.044, 0.049):
        gap = d - thick
        ko = 1 - gap * gap / (z * z)
        kr = 1 - math.sqrt(ko)
        push = math.asin(gap / z)

        def fall(w, a, b):
            # From rest the speed grows with the angle at a = 0 (s p), otherwise with its root; p or
            # its root is written as a hyperbolic sine, so that a small w does no harm.
            def speed(p):
                return math.sqrt(w * w + pull * (math.cos(a) - math.cos(p)))
            if a > 0:
                s = math.sqrt(pull * math.sin(a))
                top = math.asinh(math.sqrt(b - a) * s / w)

                def slow(q):
                    u = w / s * math.sinh(q)
                    return 2 * u * w / s * math.cosh(q) / speed(a + u * u)
                return simpson(slow, 0.0, top), speed(b)
            s = math.sqrt(pull / 2)
            top = math.asinh(b * s / w)
            return simpson(lambda q: w / s * math.cosh(q) / speed(w / s * math.sinh(q)), 0.0,
                           top), speed(b)
        t, w, last = 0.0, z / 2 * 1.0e-5 / theta, 0.0
        for i in range(stones):
            if i < stones - 1:
                time, v = fall(w, 0.0, push)
                rest, _ = fall(kr * v, push, math.pi / 2)
                last = max(last, t + time + rest)
                t, w = t + time, ko * v
            else:
                time, _ = fall(w, 0.0, math.pi / 2)
                last = max(last, t + time)
        rows.append([d, d * (stones - 1) / last])
    return "distance,velocity", rows


def pilot_ejection():
    table = [(0, 2377e-6), (1000, 2308e-6), (2000, 2241e-6), (4000, 2117e-6), (6000, 1987e-6),
             (10000, 1755e-6), (15000, 1497e-6), (20000, 1267e-6), (30000, 891e-6),
             (40000, 587e-6), (50000, 364e-6), (60000, 2238e-7)]

    def density(h):
        for (a, p), (b, q) in zip(table, table[1:]):
            if h <= b:
                return p + (h - a) / (b - a) * (q - p)
        return table[-1][1]

    def height_at_tail(speed, h):
        drag, angle = 10 * density(h), 15 / 57.3
        vx, vy = speed - 40 * math.sin(angle), 40 * math.cos(angle)
        v, theta = math.sqrt(vx * vx + vy * vy), math.atan(vy / vx)
        rails = 4 / (v * math.sin(theta))

        def rates(_, x):  # over the way back, since x falls all the time
            t, y, v, theta = x
            back = speed - v * math.cos(theta)
            return [1 / back, v * math.sin(theta) / back,
                    (-0.5 * drag * v * v / 7 - 32.2 * math.sin(theta)) / back,
                    -32.2 * math.cos(theta) / v / back]
        start = (speed - v * math.cos(theta)) * rails
        return runge_kutta(rates, [rails, 4.0, v, theta], start, 30.0, 400)[1]
    rows, h = [], 0
    for speed in range(100, 901, 50):
        while height_at_tail(speed, h) < 20:
            h += 500
        rows.append([float(speed), float(speed), float(h)])
    return "slowest,fastest,h", rows


def fire():
    """The printed run, with the generator of java.util.Random, fire by fire: no fire needs a second
    engine, and one of three is always free, so that fires do not meet."""
    state = (54521 ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def draw():
        nonlocal state
        bits = []
        for width in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits.append(state >> (48 - width))
        return ((bits[0] << 27) + bits[1]) / (1 << 53)

    def uniform(a, b):
        return a + (b - a) * draw()
    t, damages = 0.0, []
    while True:
        t += -math.log(draw()) * 360
        if t > 43200:
            break
        c, material, travel, size = uniform(0.01, 0.06), uniform(100, 600), uniform(5, 15), None
        size = uniform(0, 5)
        # size grows by exp(c t) until the engine comes, then (size - 10 / c) exp(c t) + 10 / c
        at_arrival = size * math.exp(c * travel)
        damage = size + (at_arrival - size) / c
        burning = math.log((10 / c) / (10 / c - at_arrival)) / c
        more = (at_arrival - 10 / c) * (math.exp(c * burning) - 1) / c + 10 / c * burning
        total = damage + more
        over = t + travel + burning
        if over > 43200:
            continue
        damages.append(100 * min(total, material) / material)
    n, mean = len(damages), sum(damages) / len(damages)
    return "engines,fires,mean-damage,most-damage", [[e, n, mean, max(damages)] for e in (3, 4, 5)]


# --------------------------------------------------------------------------------- means of many

def mm1():
    return "arrivals,services,time-in-system", [[a, 1.0, 1 / (1 - a)] for a in (0.3, 0.5, 0.7)]


def bank():
    rows = []
    for arrivals, impatience in ((1.2, 0.5), (0.8, 1.0), (3.0, 0.25)):
        p, total, line = 1.0, 1.0, 0.0
        for n in range(1, 400):
            p *= arrivals / (1 + (n - 1) * impatience)
            total, line = total + p, line + (n - 1) * p
        rows.append([arrivals, 1.0, impatience, impatience * line / total / arrivals])
    return "arrivals,services,impatience,reneging", rows


def machine_shop():
    rows = []
    for machines, lifetime, repair in ((5, 300.0, 60.0), (3, 100.0, 50.0), (8, 500.0, 20.0)):
        p, total, down = 1.0, 1.0, 0.0
        for k in range(1, machines + 1):
            p *= (machines - k + 1) * repair / lifetime
            total, down = total + p, down + k * p
        rows.append([machines, lifetime, repair, machines - down / total])
    return "machines,lifetime,repair-time,mean-running", rows


def gas_station():
    """A program of its own for the same station: pumps and tank serve in turn, so that a car's times
    follow from those of the cars before it. The first row needs none: nobody waits."""
    def run(draw, end):
        """Cars are served in the order of their arrival."""
        t, free, gone, times = 0.0, [0.0, 0.0], 0, 0.0
        fuel, fills, last_get = 2000.0, [], 0.0
        while True:
            t += draw.uniform(10, 40)
            if t > end:
                break
            wanted = 50 - draw.uniform(5, 25)
            get = max(t, heapq.heappop(free), last_get)
            if fills and fills[0] <= get:
                fills.pop()
                fuel = 2000.0
            if fuel < wanted:
                get = fills.pop()
                fuel = 2000.0
            fuel, last_get = fuel - wanted, get
            if fuel < 500 and not fills:
                fills.append(get + 600)
            done = get + wanted / 2
            heapq.heappush(free, done)
            if done <= end:
                gone, times = gone + 1, times + done - t
        return gone, times / gone
    draw = random.Random(1)
    many = [run(draw, 20000) for _ in range(6000)]
    mean = [sum(m[i] for m in many) / len(many) for i in (0, 1)]
    return "pumps,tank,call-below,until-gone", [[1000, 1e9, 0, 17.5], [2, 2000, 500, mean[1]]]


MODELS = {f.__name__.replace("_", "-"): f for f in (
    predator_prey, rocket, bouncing_balls, reactor, dominoes, pilot_ejection, fire, mm1, bank,
    machine_shop, gas_station)}


def main(names):
    models = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
    for name in names or MODELS:
        header, rows = MODELS[name]()
        with open(os.path.join(models, name, "reference.csv"), "w", encoding="ascii") as out:
            out.write(header + "\n")
            for row in rows:
                out.write(",".join(repr(x) for x in row) + "\n")
        print(name, len(rows), "rows")


if __name__ == "__main__":
    main(sys.argv[1:])
