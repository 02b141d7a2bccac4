#!/usr/bin/env python3
"""Computes models/<name>/reference.csv of the models that are texts, independently of Foliot.

    tools/reference_texts.py                all of them
    tools/reference_texts.py rc-circuit     only these

Motion is carried by the extrapolated midpoint rule (Gragg, Bulirsch, Stoer; order 16) in 40-digit
decimals, to 1e-22 a step. Where the right-hand side has corners or a mode ends, a function of the
model changes sign there; the moment is bisected by carrying on from the point before. What has a
closed form is computed from it.
"""
import decimal
import os
import sys
from decimal import Decimal as D

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reference import PI, sine_cosine  # noqa: E402

decimal.getcontext().prec = 40
TOLERANCE = D(10) ** -22
COLUMNS = 8
ZERO = D(0)


def sin(x):
    return sine_cosine(x)[0]


def number(x):
    """A decimal that is the double of this number, as the models' numbers are."""
    return D(float(x))


# --------------------------------------------------------------------------------------- carrying

def midpoint(f, t, x, f0, H, n):
    h = H / n
    a, b = x, [xi + h * fi for xi, fi in zip(x, f0)]
    for k in range(1, n):
        fb = f(t + k * h, b)
        a, b = b, [ai + 2 * h * fi for ai, fi in zip(a, fb)]
    fb = f(t + H, b)
    return [(ai + bi + h * fi) / 2 for ai, bi, fi in zip(a, b, fb)]


def step(f, t, x, H):
    """x at t + H and an estimate of its error."""
    f0 = f(t, x)
    table, before = [], None
    for j in range(COLUMNS):
        row = [midpoint(f, t, x, f0, H, 2 * (j + 1))]
        for k in range(1, j + 1):
            q = D(j + 1) ** 2 / D(j - k + 1) ** 2 - 1
            row.append([a + (a - b) / q for a, b in zip(row[k - 1], table[k - 1])])
        before = table[-1] if table else None
        table = row
    error = max((abs(a - b) / (1 + abs(a)) for a, b in zip(table[-1], before)), default=ZERO)
    return table[-1], error


def smooth(f, t, x, end, H=None):
    """x at `end`, where f has no corners on the way."""
    H = H or (end - t) / 8
    while t < end:
        H = min(H, end - t)
        new, error = step(f, t, x, H)
        if error <= TOLERANCE:
            t, x = (end if H == end - t else t + H), new
        factor = D("0.9") * (TOLERANCE / max(error, TOLERANCE / 10 ** 6)) ** (D(1) / 15)
        H *= min(max(factor, D("0.2")), D(3))
    return x


class Piece:
    """One mode: its rates, and the functions whose sign changes end it."""

    def __init__(self, rates, ends=()):
        self.rates, self.ends = rates, ends


def until(piece, t, x, end, look):
    """Carries to `end` or to the first change of sign; returns t, x and which function it was."""
    signs = [g(t, x) > 0 for g in piece.ends]
    while t < end:
        to = min(t + look, end)
        new = smooth(piece.rates, t, x, to)
        changed = [k for k, g in enumerate(piece.ends) if (g(to, new) > 0) != signs[k]]
        if not changed:
            t, x = to, new
            continue
        best = None
        for k in changed:
            lo, hi, xl = t, to, x
            while hi - lo > D(10) ** -24 * (1 + abs(hi)):
                mid = (lo + hi) / 2
                xm = smooth(piece.rates, lo, xl, mid)
                if (piece.ends[k](mid, xm) > 0) != signs[k]:
                    hi = mid
                else:
                    lo, xl = mid, xm
            if best is None or hi < best[0]:
                best = (hi, smooth(piece.rates, t, x, hi), k)
        return best
    return t, x, None


# ---------------------------------------------------------------------------------------- models

class Model:
    """Rows at even times; `modes` gives the piece for the present mode, `happen` the next mode."""
    columns, stop, rows, look = (), D(1), 20, None
    start, mode = (), None

    def piece(self, mode):
        raise NotImplementedError

    def happen(self, mode, which, t, x):
        return mode, x

    def show(self, mode, t, x):
        return x

    def times(self, mode):
        """Instants known in advance: (time, which), ascending."""
        return ()

    def run(self):
        t, x, mode = ZERO, list(self.start), self.mode
        look = self.look or self.stop / self.rows / 4
        yield t, self.show(mode, t, x)
        known = list(self.times(mode))
        for k in range(1, self.rows + 1):
            goal = self.stop * k / self.rows
            while t < goal:
                end = min([goal] + [at for at, _ in known if at > t][:1])
                t, x, which = until(self.piece(mode), t, x, end, look)
                if which is not None:
                    mode, x = self.happen(mode, which, t, x)
                for at, name in known:
                    if at == t:
                        mode, x = self.happen(mode, name, t, x)
            yield t, self.show(mode, t, x)


class RcCircuit(Model):
    columns, stop = ("capacitor.v", "resistor.i"), number(0.005)

    def run(self):
        tau = number(1000) * number(1e-6)
        for k in range(self.rows + 1):
            t = self.stop * k / self.rows
            gone = (-t / tau).exp()
            yield t, (10 * (1 - gone), number(0.01) * gone if k else D(10) / 1000)


class RlcCircuit(Model):
    columns, stop, start, mode = ("u", "i"), number(0.001), (ZERO, ZERO), 0
    R, L, C = number(20), number(1e-3), number(1e-6)

    def times(self, mode):
        return ((number(1e-4), "on"),)

    def happen(self, mode, which, t, x):
        return 1, x

    def piece(self, mode):
        return Piece(lambda t, x: (x[1] / self.C, (mode - self.R * x[1] - x[0]) / self.L))


class Rectifier(Model):
    columns, stop, start, mode, look = ("u",), number(0.1), (ZERO,), True, D("0.0005")
    w = 2 * number(3.141592653589793) * 50

    def piece(self, mode):
        def rates(t, x):
            i = 10 * sin(self.w * t) - x[0] if mode else ZERO
            return ((i - x[0] / 100) / number(1e-3),)
        return Piece(rates, (lambda t, x: 10 * sin(self.w * t) - x[0] - (0 if t else -1),))

    def happen(self, mode, which, t, x):
        return not mode, x


class PendulumCartesian(Model):
    """By its angle from hanging down."""
    columns, stop, rows = ("x", "y", "F"), D(10), 20
    start = (PI / 2, ZERO)
    g = number(9.81)

    def piece(self, mode):
        return Piece(lambda t, x: (x[1], -self.g * sin(x[0])))

    def show(self, mode, t, x):
        s, c = sine_cosine(x[0])
        return s, -c, x[1] ** 2 + self.g * c


class Thermostat(Model):
    columns, stop, rows, start, mode = ("T", "switched"), D(14400), 24, (D(15),), (True, 0)
    loss, power = number(1e-4), number(3e-3)

    def piece(self, mode):
        on = mode[0]
        ends = (lambda t, x: x[0] - 21,) if on else (lambda t, x: 19 - x[0],)
        return Piece(lambda t, x: (-self.loss * (x[0] - 5) + (self.power if on else 0),), ends)

    def happen(self, mode, which, t, x):
        return (not mode[0], mode[1] + (not mode[0])), x

    def show(self, mode, t, x):
        return x[0], D(mode[1])


class CruiseControl(Model):
    columns, stop, rows, start, mode = ("v", "I", "s"), D(80), 20, (D(20), ZERO, ZERO), [0, 0]
    drag, g = number(0.4), number(9.81)

    def asked(self, x):
        return 800 * (25 - x[0]) + x[1]

    def piece(self, mode):
        slope = number(0.06) if mode[0] == 1 else ZERO

        def rates(t, x):
            asked = self.asked(x)
            force = (asked, ZERO, D(3000))[mode[1]]
            return ((force - self.drag * x[0] * abs(x[0]) - 1200 * self.g * slope) / 1200,
                    60 * (25 - x[0]) + (force - asked) / 2, x[0])
        return Piece(rates, (lambda t, x: x[2] - (500, 900, 10 ** 9)[mode[0]],
                             lambda t, x: self.asked(x) - 3000, lambda t, x: self.asked(x)))

    def happen(self, mode, which, t, x):
        if which == 0:
            return [mode[0] + 1, mode[1]], x
        if which == 1:
            return [mode[0], 0 if mode[1] == 2 else 2], x
        return [mode[0], 0 if mode[1] == 1 else 1], x

    def run(self):
        self.mode = [0, 2 if self.asked(self.start) > 3000 else 0]
        return Model.run(self)


class HeatRod(Model):
    columns, stop, rows, start = ("T[1]", "T[10]", "T[20]"), D(600), 20, (D(20),) * 20
    look = D(30)
    rate = number(1e-4) / (number(0.2) / 20) ** 2

    def piece(self, mode):
        def rates(t, x):
            inner = [x[i - 1] - 2 * x[i] + x[i + 1] for i in range(1, 19)]
            ends = 2 * (100 - x[0]) + x[1] - x[0], x[18] - x[19]
            return [self.rate * d for d in (ends[0], *inner, ends[1])]
        return Piece(rates)

    def show(self, mode, t, x):
        return x[0], x[9], x[19]


class DcMotor(Model):
    columns, stop, start, mode = ("motor.i", "rotor.w", "rotor.phi"), D(4), (ZERO,) * 3, 0

    def times(self, mode):
        return ((D(2), "on"),)

    def happen(self, mode, which, t, x):
        return 1, x

    def piece(self, mode):
        L, J = number(0.05), number(0.3)
        return Piece(lambda t, x: ((100 - number(0.5) * x[0] - x[1]) / L,
                                   (x[0] - 20 * mode) / J, x[1]))


class SirEpidemic(Model):
    columns, stop, rows, mode = ("S", "I"), D(160), 20, False
    start = (number(0.999), number(0.001))
    beta, gamma = number(0.4), number(0.1)

    def piece(self, mode):
        b = self.beta * (1 - number(0.6)) if mode else self.beta
        ends = (lambda t, x: number(0.05) - x[1],) if mode else (lambda t, x: x[1] - number(0.1),)
        return Piece(lambda t, x: (-b * x[0] * x[1], b * x[0] * x[1] - self.gamma * x[1]), ends)

    def happen(self, mode, which, t, x):
        return not mode, x


class SampledControl(Model):
    columns, stop = ("x", "u", "sum"), D(5)

    def run(self):
        dt, x, total = number(0.1), ZERO, ZERO
        decay = (-dt).exp()
        yield ZERO, (ZERO, D(3) + 2 * dt, dt)
        for k in range(50):
            total += dt * (1 - x)
            u = 3 * (1 - x) + 2 * total
            x = u + (x - u) * decay
            if (k + 1) % 10 == 0 and k < 49:
                t = D(k + 1) / 10
                after = total + dt * (1 - x)
                yield t, (x, 3 * (1 - x) + 2 * after, after)


class TrafficLight(Model):
    columns, stop, rows, mode = ("waiting", "light"), D(180), 18, 1
    start = (ZERO,)
    arriving, leaving = number(0.3), number(0.9)

    def times(self, mode):
        at, light, t = [], 1, ZERO
        while t < self.stop:
            t += {1: D(30), 3: D(20), 2: D(3)}[light]
            at.append((t, "next"))
            light = {1: 3, 3: 2, 2: 1}[light]
        return at

    def piece(self, mode):
        if mode == 3:
            return Piece(lambda t, x: (self.arriving - self.leaving,), (lambda t, x: x[0],))
        return Piece(lambda t, x: (ZERO if mode == 0 else self.arriving,))

    def happen(self, mode, which, t, x):
        if which == 0:
            return 0, [ZERO]
        return {1: 3, 3: 2, 0: 2, 2: 1}[mode], x

    def show(self, mode, t, x):
        return x[0], D(mode or 3)


class TwoTanks(Model):
    columns, stop, mode = ("h1", "h2"), D(150), False
    start = (D(2), D("0.5"))
    hole, g, edge = number(2e-3), number(9.81), number(1.2)

    def piece(self, mode):
        def rates(t, x):
            between = self.hole * (2 * self.g * x[0]).sqrt()
            out = self.hole / 4 * (2 * self.g * x[1]).sqrt()
            over = (x[1] - self.edge) / 2 if mode else ZERO
            return -2 * between, 2 * (between - out - over)
        return Piece(rates, (lambda t, x: x[1] - self.edge,))

    def happen(self, mode, which, t, x):
        return not mode, x


class Brusselator(Model):
    columns, stop, start = ("x", "y"), D(20), (number(1.2), number(3.1))

    def piece(self, mode):
        return Piece(lambda t, x: (1 + x[0] ** 2 * x[1] - 4 * x[0], 3 * x[0] - x[0] ** 2 * x[1]))


class ChuaCircuit(Model):
    columns, stop, rows, start, mode = ("x", "y", "z"), D(20), 20, (number(0.7), ZERO, ZERO), 0
    look = D("0.05")
    a, m0, m1 = number(15.6), number(-8 / 7), number(-5 / 7)

    def piece(self, mode):
        def rates(t, x):
            diode = self.m0 * x[0] if mode == 0 else self.m1 * x[0] + mode * (self.m0 - self.m1)
            return self.a * (x[1] - x[0] - diode), x[0] - x[1] + x[2], -28 * x[1]
        return Piece(rates, (lambda t, x: x[0] - 1, lambda t, x: x[0] + 1))

    def happen(self, mode, which, t, x):
        return (0 if mode else 1, 0 if mode else -1)[which], x


class QuarterCar(Model):
    columns, stop, start, mode = ("zc", "zw", "vc", "vw"), D(3), (ZERO,) * 4, 0

    def times(self, mode):
        return ((D("0.5"), "kerb"),)

    def happen(self, mode, which, t, x):
        return 1, x

    def piece(self, mode):
        road = number(0.05) * mode

        def rates(t, x):
            force = 20000 * (x[1] - x[0]) + 1500 * (x[3] - x[2])
            return x[2], x[3], force / 300, (200000 * (road - x[1]) - force) / 40
        return Piece(rates)


class GearTrain(Model):
    """The gear makes one wheel of two: J = 25 * 0.01 + 0.5 at a fifth of the fast angle."""
    columns, stop = ("fast.w", "wheel.w", "wheel.phi"), D(3)
    start = (ZERO, D(20), ZERO, ZERO)

    def piece(self, mode):
        J = 25 * number(0.01) + D("0.5")

        def rates(t, x):
            torque = 50 * (x[0] - x[2]) + x[1] - x[3]
            return x[1], -torque / J, x[3], torque / 2
        return Piece(rates)

    def show(self, mode, t, x):
        return 5 * x[1], x[3], x[2]


class DelayOscillator(Model):
    """By steps: x on [n, n + 1] is a polynomial, the integral of the one before."""
    columns, stop, rows = ("x",), D(6), 24

    def run(self):
        value, pieces, past = D(1), [], [D(1)]
        for n in range(6):
            p = [value] + [-c / (k + 1) for k, c in enumerate(past)]
            pieces.append(p)
            value, past = sum(p), p
        for k in range(self.rows + 1):
            n = min(k // 4, 5)
            u = D(k) / 4 - n
            yield D(k) / 4, (sum(c * (u ** j if j else 1) for j, c in enumerate(pieces[n])),)


class RelayOscillator(Model):
    columns, stop, start, mode = ("x", "y", "turns"), D(20), (ZERO, ZERO), (1, 0)

    def piece(self, mode):
        u, d = mode[0], number(0.2)
        return Piece(lambda t, x: (2 * (u - x[0]), x[0]), (lambda t, x: u * x[1] - d,))

    def happen(self, mode, which, t, x):
        return (-mode[0], mode[1] + 1), x

    def show(self, mode, t, x):
        return x[0], x[1], D(mode[1])


class BuckConverter(Model):
    columns, stop, rows, start, mode = ("i", "u"), number(0.01), 20, (ZERO, ZERO), 1
    look = number(1e-5)

    def times(self, mode):
        f = D(10 ** 4)
        at = []
        for k in range(100):
            at += [(k / f + number(0.5) / f, 0)] + ([((k + 1) / f, 1)] if k < 99 else [])
        return at

    def piece(self, mode):
        def rates(t, x):
            push = 24 - x[1] if mode == 1 else -x[1] if mode == 0 else ZERO
            return push / number(1e-3), (x[0] - x[1] / 10) / number(1e-4)
        return Piece(rates, (lambda t, x: x[0],) if mode == 0 else ())

    def happen(self, mode, which, t, x):
        if mode == 0 and which == 0 and t * 10 ** 4 % 1 != D("0.5"):
            return 2, [ZERO, x[1]]
        return which, x


class RocketStages(Model):
    columns, stop, rows = ("h", "v", "m"), D(300), 20

    def run(self):
        g, h, v, t0 = number(9.81), ZERO, ZERO, ZERO
        stages = ((D(17200), D(120), D(2600), D(100)), (D(3700), D(20), D(3200), D(150)),
                  (D(700), ZERO, ZERO, D(1000)))
        rows = [self.stop * k / self.rows for k in range(self.rows + 1)]
        for m, burn, exhaust, long in stages:
            def at(s, m=m, burn=burn, exhaust=exhaust, h=h, v=v):
                if not burn:
                    return h + v * s - g * s * s / 2, v - g * s, m
                left = 1 - burn * s / m
                log = left.ln()
                way = exhaust * m / burn * (left * log - left + 1)
                return h + v * s - g * s * s / 2 + way, v - g * s - exhaust * log, m - burn * s
            for t in rows:
                if t0 <= t < t0 + long:
                    yield t, at(t - t0)
            h, v, _ = at(long)
            t0 += long


class HodgkinHuxley(Model):
    columns, stop, rows, mode = ("V", "m", "h", "n"), D(60), 20, 0
    start = (D(-65), number(0.05293248525724958), number(0.5961207535084603),
             number(0.3176769140606974))

    def times(self, mode):
        return ((D(5), "on"),)

    def happen(self, mode, which, t, x):
        return 1, x

    def piece(self, mode):
        def ratio(u):
            return 1 - u / 2 + u * u / 12 if abs(u) < D("1e-4") else u / (u.exp() - 1)

        def rates(t, x):
            V, m, h, n = x
            gL, VL = number(0.3), number(54.4)
            return ((10 * mode - 120 * m ** 3 * h * (V - 50) - 36 * n ** 4 * (V + 77)
                     - gL * (V + VL)),
                    ratio(-(V + 40) / 10) * (1 - m) - 4 * (-(V + 65) / 18).exp() * m,
                    number(0.07) * (-(V + 65) / 20).exp() * (1 - h)
                    - h / (1 + (-(V + 35) / 10).exp()),
                    number(0.1) * ratio(-(V + 55) / 10) * (1 - n)
                    - number(0.125) * (-(V + 65) / 80).exp() * n)
        return Piece(rates)


class NewtonCooling(Model):
    columns, stop = ("T",), D(60)

    def run(self):
        for k in range(self.rows + 1):
            t = self.stop * k / self.rows
            yield t, (20 + 70 * (-number(0.1) * t).exp(),)


class BatchTank(Model):
    columns = ("V", "stirrer", "batches", "activeState(drain)")

    def run(self):
        volume, state, stay, way, turned, batches = number(0.512), "fill", 0, 0, 0, 0
        yield ZERO, (volume, ZERO, ZERO, ZERO)
        for tick in range(360):
            before, long = state, stay
            if tick > 0 and state == "fill" and volume >= 2:
                state = "stir"
            elif state == "stir" and stay >= 24:
                state = "drain"
            elif state == "drain" and volume <= number(0.2):
                state = "fill"
            stay = 1 if state != before else long + 1
            if state != "stir":
                way = 0
            elif stay == 1:
                way, turned = -1, 1
            elif turned >= (5 if way < 0 else 4): # three halves of a second are more than 1.4 s
                way, turned = -way, 1
            else:
                turned += 1
            batches += state == "drain" and stay == 1
            rate = {"fill": number(0.07), "stir": ZERO, "drain": -number(0.11)}[state]
            if tick % 10 == 3:
                yield (D(tick) / 2 + D("0.25"), (volume + rate / 4, D(way), D(batches),
                                                 D(state == "drain")))
            volume += rate / 2


MODELS = {"rc-circuit": RcCircuit, "rlc-circuit": RlcCircuit, "rectifier": Rectifier,
          "pendulum-cartesian": PendulumCartesian, "thermostat": Thermostat,
          "cruise-control": CruiseControl, "heat-rod": HeatRod, "dc-motor": DcMotor,
          "sir-epidemic": SirEpidemic, "sampled-control": SampledControl,
          "traffic-light": TrafficLight, "two-tanks": TwoTanks, "brusselator": Brusselator,
          "chua-circuit": ChuaCircuit, "quarter-car": QuarterCar, "gear-train": GearTrain,
          "delay-oscillator": DelayOscillator, "relay-oscillator": RelayOscillator,
          "buck-converter": BuckConverter, "rocket-stages": RocketStages,
          "hodgkin-huxley": HodgkinHuxley, "newton-cooling": NewtonCooling,
          "batch-tank": BatchTank}


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
    for name in sys.argv[1:] or MODELS:
        model = MODELS[name]()
        with open(os.path.join(root, name, "reference.csv"), "w") as out:
            out.write("time," + ",".join(model.columns) + "\n")
            for t, row in model.run():
                out.write(",".join(repr(float(v)) for v in (t, *row)) + "\n")
        print(name)


if __name__ == "__main__":
    main()
