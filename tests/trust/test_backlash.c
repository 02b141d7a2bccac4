// Play between gears against brute force: what drives it may turn round, meet a side just where a
// step ends, or jump because another node switches.
#include "../diagram/run.h"

typedef struct waves {
    double a[2], w[2], p[2]; ///< a sin(w t + p), summed
    double width;
    double on, off; ///< of a relay between them that gives 1.5 or -0.5; NAN: there is none
} waves;

static bool open_waves(diagram_run *r, const waves *c)
{
    char text[2000];
    bool relay = !isnan(c->on);
    snprintf(
        text, sizeof text,
        "'simulation': {'integrator': 'dp45', 'rtol': 1e-8, 'atol': 1e-9}, 'nodes': ["
        "{'name': 'a', 'type': 'Sine Wave', 'parameters': {'Amplitude': %g, 'Frequency': %g, "
        "'Phase': %g}}, {'name': 'b', 'type': 'Sine Wave', 'parameters': {'Amplitude': %g, "
        "'Frequency': %g, 'Phase': %g}}, {'name': 's', 'type': 'Sum'}, {'name': 'r', 'type': "
        "'Relay', 'parameters': {'Switch on Point': %g, 'Switch off Point': %g, 'Output when on': "
        "1.5, 'Output when off': -0.5}}, {'name': 'g', 'type': 'Backlash', 'parameters': "
        "{'Dead-Band Width': %g}}, {'name': 'i', 'type': 'Integrator'}, {'name': 'e', 'type': "
        "'Display'}, {'name': 'z', 'type': 'Terminator'}], 'lines': [{'from': 'a', 'to': 's:1'}, "
        "{'from': 'b', 'to': 's:2'}, {'from': 's', 'to': ['r'%s]}, {'from': 'r', 'to': ['%s']}, "
        "{'from': 'g', 'to': 'i'}, {'from': 'i', 'to': 'e'}]",
        c->a[0], c->w[0], c->p[0], c->a[1], c->w[1], c->p[1], relay ? c->on : 1,
        relay ? c->off : -1, c->width, relay ? ", 'z'" : ", 'g'", relay ? "g" : "z");
    return open_run(r, text);
}

static double brute_force(const waves *c, double stop)
{
    enum { PARTS = 200000 };
    double sum = 0, y = 0, half = c->width / 2;
    bool on = false;
    for (int k = 0; k < PARTS; k++) {
        double t = (k + 0.5) * stop / PARTS, u = 0;
        for (int j = 0; j < 2; j++) u += c->a[j] * sin(c->w[j] * t + c->p[j]);
        on = u >= c->on || (on && u > c->off);
        if (!isnan(c->on)) u = on ? 1.5 : -0.5;
        y = fmin(fmax(y, u - half), u + half);
        sum += y;
    }
    return sum * stop / PARTS;
}

TEST(what_drives_it_is_followed)
{
    static const waves all[] = {{{1.45, 0.9}, {4.33, 4.51}, {-2.87, -2.64}, 0.63, NAN, NAN},
                                {{2, 0}, {1, 1}, {0, 0}, 1, NAN, NAN},
                                {{1.2, 0.7}, {0.9, 3.1}, {0.4, 2}, 0.2, NAN, NAN},
                                {{0.61, 0.43}, {5.99, 3.98}, {-0.28, 1.2}, 0.44, -0.11, -0.65},
                                {{1.54, 1.28}, {5.8, 1.06}, {-0.81, -2.78}, 0.31, 0.45, -0.57}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        diagram_run r;
        REQUIRE(open_waves(&r, &all[k]));
        for (double t = 2; t <= 10; t += 4)
            CHECK_NEAR(value_at(&r, t, "e"), brute_force(&all[k], t), 2e-3);
        close_run(&r);
    }
}

// ------------------------------------------------------------------------------- behind what jumps

typedef enum source { SIGN, SWITCH, QUANTIZER, RELAY, FLOOR, PULSE, SOURCES } source;

/// gain * what jumps(sin(w t)) + a sin(v t), and the play.
typedef struct pushed {
    source source;
    double gain, w, a, v, width, step;
    const char *solver;
} pushed;

static double chance(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static pushed draw(uint64_t seed)
{
    static const char *const solvers[] = {"dp45", "dop853", "rodas4", "radau5", "dp45"};
    static const double steps[] = {0.5, 0.1, 0.25};
    uint64_t s = seed << 20;
    pushed p = {.source = (source)(chance(&s) * SOURCES)};
    p.gain = 0.4 + 1.7 * chance(&s), p.w = 0.7 + 2.5 * chance(&s), p.a = 0.3 + 1.2 * chance(&s);
    p.v = 0.6 + 1.6 * chance(&s), p.width = 0.2 + chance(&s);
    p.step = steps[(int)(3 * chance(&s))], p.solver = solvers[(int)(5 * chance(&s))];
    return p;
}

static bool open_pushed(diagram_run *r, const pushed *p)
{
    static const char *const jumps[] = {
        "'Sign'",
        "'Switch', 'parameters': {'Threshold': 0.2}",
        "'Quantizer', 'parameters': {'Quantization Interval': 0.61}",
        "'Relay', 'parameters': {'Switch on Point': 0.5, 'Switch off Point': -0.3}",
        "'Rounding Function', 'parameters': {'Function': 'floor'}",
        "'Pulse Generator', 'parameters': {'Period': 1, 'Duty Cycle': 50}",
    };
    const char *lines = "{'from': 's', 'to': 'j'}, ";
    if (p->source == SWITCH)
        lines = "{'from': 's', 'to': 'j:3'}, {'from': 'c', 'to': ['j:1', 'n']}, "
                "{'from': 'n', 'to': 'j:2'}, ";
    if (p->source == PULSE) lines = "{'from': 's', 'to': 't'}, ";
    char text[2000];
    snprintf(
        text, sizeof text,
        "'simulation': {'integrator': '%s', 'step': %g, 'rtol': 1e-8, 'atol': 1e-9}, 'nodes': ["
        "{'name': 's', 'type': 'Sine Wave', 'parameters': {'Amplitude': 1, 'Frequency': %.17g}}, "
        "{'name': 'q', 'type': 'Sine Wave', 'parameters': {'Amplitude': %.17g, 'Frequency': "
        "%.17g}}, {'name': 'j', 'type': %s}, %s {'name': 'k', 'type': 'Gain', "
        "'parameters': {'Gain': %.17g}}, {'name': 'u', 'type': 'Sum'}, {'name': 'g', 'type': "
        "'Backlash', 'parameters': {'Dead-Band Width': %.17g}}, {'name': 'i', 'type': "
        "'Integrator'}, {'name': 'e', 'type': 'Display'}], 'lines': [%s{'from': 'j', 'to': 'k'}, "
        "{'from': 'k', 'to': 'u:1'}, {'from': 'q', 'to': 'u:2'}, {'from': 'u', 'to': 'g'}, "
        "{'from': 'g', 'to': 'i'}, {'from': 'i', 'to': 'e'}]",
        p->solver, p->step, p->w, p->a, p->v, jumps[p->source],
        p->source == SWITCH
            ? "{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': 0.3}}, {'name': "
              "'n', 'type': 'Gain', 'parameters': {'Gain': -3}},"
        : p->source == PULSE ? "{'name': 't', 'type': 'Terminator'},"
                             : "",
        p->gain, p->width, lines);
    return open_run(r, text);
}

static double jumping(const pushed *p, double t, bool *on)
{
    double s = sin(p->w * t);
    switch (p->source) {
    case SIGN: return s > 0 ? 1 : -1;
    case SWITCH: return s >= 0.2 ? 0.3 : -0.9;
    case QUANTIZER: return 0.61 * floor(s / 0.61 + 0.5);
    case FLOOR: return floor(s);
    case PULSE: return fmod(t, 1) < 0.5 ? 1 : 0;
    default: *on = s >= 0.5 || (*on && s > -0.3); return *on;
    }
}

static void try_pushed(uint64_t seed)
{
    enum { PARTS = 60000, LOOKS = 3 };
    const double stop = 6;
    pushed p = draw(seed);
    diagram_run r;
    if (!open_pushed(&r, &p)) return;
    double sum = 0, y = 0, half = p.width / 2;
    bool on = false;
    for (int k = 0, look = 1; k < PARTS; k++) {
        double t = (k + 0.5) * stop / PARTS;
        double u = p.gain * jumping(&p, t, &on) + p.a * sin(p.v * t);
        y = fmin(fmax(y, u - half), u + half);
        sum += y;
        if (k + 1 < look * (PARTS / LOOKS)) continue;
        double is = value_at(&r, look++ * stop / LOOKS, "e"), truth = sum * stop / PARTS;
        if (fabs(is - truth) < 3e-3) continue;
        test_fail(__FILE__, __LINE__, "seed %llu: behind %d with %s it is %g, not %g",
                  (unsigned long long)seed, (int)p.source, p.solver, is, truth);
        break;
    }
    close_run(&r);
}

TEST(what_jumps_pushes_it)
{
    int count = test_inputs(60, 20000);
    for (int seed = 1; seed <= count; seed++) try_pushed((uint64_t)seed);
}

// ---------------------------------------------------------------------------- behind what flows

/// x' = a sin(w (t - start)) + c x + k y, y behind the play of x, in some unit of time.
typedef struct flow {
    double a, w, c, k, width, unit, start;
    const char *solver;
} flow;

static double flow_rate(const flow *f, double t, double x, double y)
{
    double half = f->width / 2;
    return f->a * sin(f->w * t) + f->c * x + f->k * fmin(fmax(y, x - half), x + half);
}

static double flow_truth(const flow *f, double stop)
{
    enum { PARTS = 60000 };
    double x = 0, y = 0, h = stop / PARTS, half = f->width / 2;
    for (int i = 0; i < PARTS; i++) {
        y = fmin(fmax(y, x - half), x + half);
        double middle = x + h / 2 * flow_rate(f, i * h, x, y);
        x += h * flow_rate(f, (i + 0.5) * h, middle, y);
    }
    return x;
}

static bool open_flow(diagram_run *r, const flow *f, double stop)
{
    char text[1600];
    double rate = 1 / f->unit;
    snprintf(text, sizeof text,
             "'simulation': {'integrator': '%s', 'start': %.17g, 'stop': %.17g, 'step': %.17g}, "
             "'nodes': [{'name': 's', 'type': 'Sine Wave', 'parameters': {'Amplitude': %.17g, "
             "'Frequency': %.17g, 'Phase': %.17g}}, {'name': 'x', 'type': 'Integrator'}, {'name': "
             "'g', 'type': 'Backlash', 'parameters': {'Dead-Band Width': %.17g}}, {'name': 'c', "
             "'type': 'Gain', 'parameters': {'Gain': %.17g}}, {'name': 'k', 'type': 'Gain', "
             "'parameters': {'Gain': %.17g}}, {'name': 'u', 'type': 'Sum', 'parameters': "
             "{'Signs': '+++'}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 's', 'to': "
             "'u:1'}, {'from': 'x', 'to': ['c', 'g', 'e']}, {'from': 'g', 'to': 'k'}, {'from': "
             "'c', 'to': 'u:2'}, {'from': 'k', 'to': 'u:3'}, {'from': 'u', 'to': 'x'}]",
             f->solver, f->start, f->start + stop * f->unit, 0.01 * f->unit, f->a * rate,
             f->w * rate, -f->w * rate * f->start, f->width, f->c * rate, f->k * rate);
    return open_run(r, text);
}

static void try_flow(uint64_t seed)
{
    static const char *const solvers[] = {"rodas4", "radau5", "dp45", "bs23", "adams", "dop853"};
    static const double units[] = {1, 1e-9, 1e9, 1};
    const double stop = 6;
    uint64_t s = seed << 20;
    flow f = {.solver = solvers[seed % 6], .unit = units[seed / 6 % 4]};
    f.start = seed / 6 % 4 == 3 ? 1e6 : 0;
    f.a = 0.5 + 1.5 * chance(&s), f.w = 0.5 + 4.5 * chance(&s), f.c = 1.5 * chance(&s) - 1;
    f.k = 2 * chance(&s) - 1, f.width = 0.05 + 0.7 * chance(&s);
    diagram_run r;
    if (!open_flow(&r, &f, stop)) return;
    double is = value_at(&r, f.start + stop * f.unit, "e"), truth = flow_truth(&f, stop);
    if (!(fabs(is - truth) < 1e-3 * (1 + fabs(truth))))
        test_fail(__FILE__, __LINE__, "seed %llu, %s, in units of %g s from %g s: %g, not %g",
                  (unsigned long long)seed, f.solver, f.unit, f.start, is, truth);
    close_run(&r);
}

// The slopes are those of the rates, and the input goes along the dense output.
TEST(what_flows_drives_it_with_every_method)
{
    int count = test_inputs(96, 5000);
    for (int seed = 0; seed < count; seed++) try_flow((uint64_t)seed);
}

TEST_MAIN(TEST_ENTRY(what_drives_it_is_followed), TEST_ENTRY(what_jumps_pushes_it),
          TEST_ENTRY(what_flows_drives_it_with_every_method))
