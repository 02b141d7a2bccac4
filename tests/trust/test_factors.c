// Guards whose scale jumps: x = A sin(k w + phi) + b, where A and b change by powers of ten, up to
// 1e300 and down to 1e-300, at crossings of x itself, at samples and by numbers that are set from
// outside. What counts as zero after such a jump has the scale of the guard then. The truth is the
// closed form, in long doubles.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "test.h"

enum { MODES = 4, STOP = 6 };
static const long double pi = 3.14159265358979323846264338327950288L;
static const char *const solvers[] = {NULL, "dop853", "radau5", "rk4", "rodas4", "adams"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/// One random guard.
typedef struct factors {
    double a[MODES], b[MODES], k, phi, period;
    int every;   ///< how many crossings or ticks a mode lasts
    bool ticks;  ///< modes change at ticks, not where x falls
    bool counts; ///< x that is put to zero by a change of mode, and goes up from there, rises
} factors;

/// What is counted.
typedef struct counts {
    int rises, falls, mode;
    long double near; ///< how near something came to being undecidable
} counts;

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double factor(uint64_t *s)
{
    double kind = chance(s), reach = kind < 0.3 ? 3 : kind < 0.7 ? 20 : 300;
    double size = pow(10, reach * (2 * chance(s) - 1));
    return chance(s) < 0.7 ? size : -size;
}

static factors draw(uint64_t seed, bool offsets)
{
    uint64_t s = seed * 7919 + 17;
    factors f = {.k = 2 + 30 * chance(&s), .phi = 0.1 + 3 * chance(&s)};
    bool any = offsets && chance(&s) < 0.6;
    for (int i = 0; i < MODES; i++) {
        f.a[i] = factor(&s);
        f.b[i] = any && chance(&s) < 0.7 ? fabs(f.a[i]) * (1.8 * chance(&s) - 0.9) : 0;
    }
    f.period = 0.3 + 1.7 * chance(&s), f.every = 1 + (int)(3 * chance(&s));
    f.ticks = chance(&s) < 0.3, f.counts = true;
    return f;
}

// ---------------------------------------------------------------------------------------- truth

static long double value_at(const factors *f, int mode, long double t)
{
    return sinl(f->k * t + f->phi) + (long double)f->b[mode] / f->a[mode];
}

static bool is_clear(const factors *f, int mode, long double t)
{
    return fabsl(value_at(f, mode, t)) > 1e-15L;
}

// The sign of x, right after t.
static int sign_after(const factors *f, int mode, long double t)
{
    long double v = value_at(f, mode, t);
    if (!is_clear(f, mode, t)) v = cosl(f->k * t + f->phi);
    return (v > 0) == (f->a[mode] > 0) ? 1 : -1;
}

static long double next_crossing(const factors *f, int mode, long double t)
{
    long double u = asinl(-(long double)f->b[mode] / f->a[mode]), at = f->k * t + f->phi;
    long double first = INFINITY, bases[] = {u, pi - u};
    for (int i = 0; i < 2; i++) {
        long double j = ceill((at + 1e-12L - bases[i]) / (2 * pi));
        first = fminl(first, bases[i] + 2 * pi * j);
    }
    return (first - f->phi) / f->k;
}

static void step(const factors *f, int *count, int *mode)
{
    if (++*count % f->every == 0 && *mode + 1 < MODES) ++*mode;
}

static counts truth_of(const factors *f)
{
    counts c = {.near = 1};
    long double t = 0;
    int sign = sign_after(f, 0, 0), steps = 0, ticks = 1;
    c.near = fabsl(value_at(f, 0, 0));
    for (;;) {
        long double cross = next_crossing(f, c.mode, t), tick = f->ticks ? ticks * f->period : 1e9L;
        long double at = fminl(cross, tick);
        c.near = fminl(c.near, fminl(fabsl(cross - tick), fabsl(STOP - at)));
        if (at > STOP) return c;
        t = at;
        if (tick < cross) ticks++, step(f, &steps, &c.mode);
        int new = sign_after(f, c.mode, t);
        if (tick < cross) c.near = fminl(c.near, fabsl(value_at(f, c.mode, t)));
        c.rises += new > sign, c.falls += new < sign;
        bool falls = new < sign;
        sign = new;
        if (f->ticks || !falls) continue;
        step(f, &steps, &c.mode);
        sign = sign_after(f, c.mode, t);
        if (is_clear(f, c.mode, t)) c.near = fminl(c.near, fabsl(value_at(f, c.mode, t)));
        if (f->counts && sign > 0 && !is_clear(f, c.mode, t)) c.rises++;
    }
}

// ---------------------------------------------------------------------------------------- judging

static double value_of(fo_simulation *sim, const char *name)
{
    fo_reference at;
    if (fo_system_find(fo_simulation_system(sim), name, &at, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, at);
}

static void judge(uint64_t seed, const char *how, const char *solver, const counts *want,
                  double rises, double falls, const char *text)
{
    if (rises == want->rises && falls == want->falls) return;
    test_fail(__FILE__, __LINE__, "seed %llu, %s, %s: %g rises and %g falls, not %d and %d\n%s",
              (unsigned long long)seed, how, solver ? solver : "chosen", rises, falls, want->rises,
              want->falls, text);
}

static bool go(fo_simulation *sim, uint64_t seed, const char *how, const fo_message *why)
{
    if (sim && fo_simulation_advance(sim, STOP) == FO_REACHED) return true;
    test_fail(__FILE__, __LINE__, "seed %llu, %s: %s", (unsigned long long)seed, how,
              sim ? fo_simulation_message(sim)->text : why->text);
    return false;
}

static fo_run_def run_with(const char *solver)
{
    fo_run_def def = fo_default_run_def();
    def.stop = STOP, def.solver = solver;
    return def;
}

// ------------------------------------------------------------------------------------------ texts

static void write_choice(const double *list, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < MODES - 1; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "if m == %d then %.17g else ", i, list[i]);
    snprintf(text + used, size - used, "%.17g", list[MODES - 1]);
}

static void write_text(const factors *f, char *text, size_t size)
{
    char a[300], b[300], when[100] = "x < 0";
    write_choice(f->a, a, sizeof a);
    write_choice(f->b, b, sizeof b);
    if (f->ticks) snprintf(when, sizeof when, "sample(%.17g, %.17g)", f->period, f->period);
    snprintf(text, size,
             "model F\n"
             "  Integer m(start = 0, fixed = true), c(start = 0, fixed = true);\n"
             "  Integer n(start = 0, fixed = true), q(start = 0, fixed = true);\n"
             "  discrete Real A(start = %.17g, fixed = true), b(start = %.17g, fixed = true);\n"
             "  Real w(start = 0, fixed = true), x;\n"
             "equation\n"
             "  der(w) = 1;\n"
             "  x = A*sin(%.17g*w + %.17g) + b;\n"
             "  when %s then\n"
             "    c = pre(c) + 1;\n"
             "    m = if mod(c, %d) == 0 then min(pre(m) + 1, %d) else pre(m);\n"
             "    A = %s;\n"
             "    b = %s;\n"
             "  end when;\n"
             "  when x > 0 then n = pre(n) + 1; end when;\n"
             "  when x < 0 then q = pre(q) + 1; end when;\n"
             "end F;\n",
             f->a[0], f->b[0], f->k, f->phi, when, f->every, MODES - 1, a, b);
}

static void try_text(uint64_t seed)
{
    factors f = draw(seed, true);
    counts want = truth_of(&f);
    const char *solver = solvers[seed % SOLVERS];
    char text[2000];
    if (want.near < 1e-6L) return;
    write_text(&f, text, sizeof text);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "f.mo", .text = text}, &why);
    fo_run_def def = run_with(solver);
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    if (go(sim, seed, "text", &why))
        judge(seed, "text", solver, &want, value_of(sim, "n"), value_of(sim, "q"), text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(texts_lose_no_crossing)
{
    for (int i = 0; i < test_count(10, 200); i++) try_text((uint64_t)i);
}

// A parameter that is set from outside.
static void try_set(uint64_t seed)
{
    factors f = draw(seed, false);
    f.ticks = true;
    counts want = truth_of(&f);
    const char *solver = solvers[seed % SOLVERS];
    char text[600];
    if (want.near < 1e-6L) return;
    snprintf(text, sizeof text,
             "model F parameter Real A = %.17g; Real w(start = 0, fixed = true), x;\n"
             "Integer n(start = 0, fixed = true), q(start = 0, fixed = true); equation\n"
             "der(w) = 1; x = A*sin(%.17g*w + %.17g);\n"
             "when x > 0 then n = pre(n) + 1; end when;\n"
             "when x < 0 then q = pre(q) + 1; end when; end F;",
             f.a[0], f.k, f.phi);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "f.mo", .text = text}, &why);
    fo_run_def def = run_with(solver);
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    for (int k = 1, mode = 0, steps = 0; sim && k * f.period < STOP; k++) {
        step(&f, &steps, &mode);
        CHECK(fo_simulation_send_set(sim, k * f.period, "A", f.a[mode]) == FO_OK);
    }
    if (go(sim, seed, "set", &why))
        judge(seed, "set", solver, &want, value_of(sim, "n"), value_of(sim, "q"), text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(nor_do_those_whose_parameters_are_set)
{
    for (int i = 0; i < test_count(5, 100); i++) try_set((uint64_t)i);
}

// ---------------------------------------------------------------------------------------------- C

enum { MODE, STEPS, RISES, FALLS }; // discretes

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t, (void)x;
    dx[0] = 1;
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    const factors *f = model;
    (void)t;
    int m = (int)s->d[MODE];
    g[0] = f->a[m] * sin(f->k * x[0] + f->phi) + f->b[m];
    return FO_OK;
}

// sin from lo to hi.
static void sine(double lo, double hi, double *least, double *most)
{
    double a = sin(lo), b = sin(hi), tau = 2 * M_PI;
    *least = fmin(a, b) - 4e-16, *most = fmax(a, b) + 4e-16;
    if (floor((hi - M_PI / 2) / tau + 1e-9) > floor((lo - M_PI / 2) / tau - 1e-9)) *most = 1;
    if (floor((hi + M_PI / 2) / tau + 1e-9) > floor((lo + M_PI / 2) / tau - 1e-9)) *least = -1;
}

static void scaled(double a, double b, double lo, double hi, double *to_lo, double *to_hi)
{
    double u = a * lo + b, v = a * hi + b, slack = 4e-16 * (fabs(a) + fabs(b));
    *to_lo = fmin(u, v) - (lo == hi ? 0 : slack), *to_hi = fmax(u, v) + (lo == hi ? 0 : slack);
}

static fo_status bounds(const void *model, const fo_state *s, const fo_stretch *on, fo_enclosure *e)
{
    const factors *f = model;
    int m = (int)s->d[MODE];
    double from = f->k * on->x.lo[0] + f->phi, to = f->k * on->x.hi[0] + f->phi, lo, hi;
    from -= 4e-16 * fabs(from), to += 4e-16 * fabs(to);
    sine(from, to, &lo, &hi);
    scaled(f->a[m], f->b[m], lo, hi, &e->g.lo[0], &e->g.hi[0]);
    if (!e->dg.lo) return FO_OK;
    sine(from + M_PI / 2, to + M_PI / 2, &lo, &hi);
    scaled(f->a[m] * f->k, 0, lo, hi, &e->dg.lo[0], &e->dg.hi[0]);
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *why, fo_effect *e)
{
    int mode = (int)s->d[MODE], steps = (int)s->d[STEPS];
    (void)e;
    s->d[why->direction == FO_RISING ? RISES : FALLS]++;
    if (why->direction == FO_FALLING) step(model, &steps, &mode);
    s->d[MODE] = mode, s->d[STEPS] = steps;
    return FO_OK;
}

static void try_c(uint64_t seed, bool bounded)
{
    factors f = draw(seed, true);
    f.ticks = f.counts = false;
    counts want = truth_of(&f);
    const char *solver = solvers[seed % SOLVERS];
    if (want.near < 1e-6L) return;
    fo_system_type type = {.rates = rates, .guards = guards, .jump = jump};
    if (bounded) type.guard_bounds = bounds;
    const fo_description about = {.name = "factors",
                                  .states = FO_VARIABLES({"w"}),
                                  .discretes = FO_VARIABLES({"m"}, {"c"}, {"n"}, {"q"}),
                                  .guards = FO_GUARDS({"x", FO_EITHER, .bounded = bounded})};
    fo_message why = {0};
    fo_run_def def = run_with(solver);
    def.max_step = bounded ? 0 : 0.1;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, &f}, &def, &why);
    if (go(sim, seed, bounded ? "C with bounds" : "C", &why))
        judge(seed, bounded ? "C with bounds" : "C", solver, &want, value_of(sim, "n"),
              value_of(sim, "q"), "");
    fo_simulation_destroy(sim);
}

TEST(guards_in_c_lose_none)
{
    for (int i = 0; i < test_count(10, 200); i++) {
        try_c((uint64_t)i, true);
        try_c((uint64_t)i, false);
    }
}

// ------------------------------------------------------------------------- C with many states

enum { MOST_STATES = 60 };

/// The phase is a sum of products of states: of two of them that nearly cancel, or of all.
typedef struct crowd {
    factors f; ///< first: `jump` sees only this
    uint32_t n;
    double part[MOST_STATES], speed[MOST_STATES], start[MOST_STATES];
} crowd;

static fo_status crowd_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    const crowd *c = model;
    (void)s, (void)t, (void)x;
    for (uint32_t i = 0; i < c->n; i++) dx[i] = c->speed[i];
    return FO_OK;
}

static fo_status crowd_guards(const void *model, const fo_state *s, double t, const double *x,
                              double *g)
{
    const crowd *c = model;
    double w = 0;
    for (uint32_t i = 0; i < c->n; i++) w += c->part[i] * x[i];
    return guards(&c->f, s, t, &w, g);
}

// All parts, speeds and starts are sums of few powers of two, so that the phase is t but for the
// rounding errors of states.
static void draw_crowd(crowd *c, uint64_t seed, fo_variable *states)
{
    static char names[MOST_STATES][8];
    uint64_t s = seed * 31337 + 5;
    bool two = chance(&s) < 0.5;
    c->n = 17 + (uint32_t)(43 * chance(&s));
    uint32_t i = (uint32_t)(c->n * chance(&s)), j = (i + 1 + (uint32_t)(9 * chance(&s))) % c->n;
    double sum = 0, at = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        c->part[k] = two ? (k == i) - (k == j) : 1 + floor(8 * chance(&s)) / 8;
        if (!two && chance(&s) < 0.5) c->part[k] = -c->part[k];
        c->speed[k] = floor(16 * chance(&s)) / 8, c->start[k] = floor(64 * chance(&s)) / 8;
        if (k == i) continue;
        sum += c->part[k] * c->speed[k], at += c->part[k] * c->start[k];
    }
    c->part[i] = 1, c->speed[i] = 1 - sum, c->start[i] = -at;
    for (uint32_t k = 0; k < c->n; k++) {
        snprintf(names[k], sizeof names[k], "x%u", k);
        states[k] = (fo_variable){names[k], NULL, c->start[k]};
    }
}

static void try_crowd(uint64_t seed)
{
    crowd c = {.f = draw(seed, true)};
    fo_variable states[MOST_STATES];
    c.f.ticks = c.f.counts = false;
    counts want = truth_of(&c.f);
    if (want.near < 1e-6L) return;
    draw_crowd(&c, seed, states);
    const char *solver = solvers[seed % SOLVERS];
    const fo_system_type type = {.rates = crowd_rates, .guards = crowd_guards, .jump = jump};
    const fo_description about = {.name = "crowd",
                                  .states = {states, c.n},
                                  .discretes = FO_VARIABLES({"m"}, {"c"}, {"n"}, {"q"}),
                                  .guards = FO_GUARDS({"x", FO_EITHER})};
    fo_message why = {0};
    fo_run_def def = run_with(solver);
    def.max_step = 0.1;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, &c}, &def, &why);
    if (go(sim, seed, "C with many states", &why))
        judge(seed, "C with many states", solver, &want, value_of(sim, "n"), value_of(sim, "q"),
              "");
    fo_simulation_destroy(sim);
}

TEST(nor_do_those_of_many_states)
{
    for (int i = 0; i < test_inputs(400, 10000); i++) try_crowd((uint64_t)i);
}

// -------------------------------------------------------------------------------------- a contact

// Height of a ball from h, and when it has come to rest.
static double height(double h, double e, double t, double *rest)
{
    double g = 9.81, at = sqrt(2 * h / g), v = g * at;
    *rest = at * (1 + 2 * e / (1 - e));
    if (t < at) return h - g * t * t / 2;
    for (int k = 0; k < 400; k++) {
        v *= e;
        if (t < at + 2 * v / g) return v * (t - at) - g * (t - at) * (t - at) / 2;
        at += 2 * v / g;
    }
    return 0;
}

// A ball whose contact is A h <= 0, with another A after each bounce: it bounces and rests as ever.
static void try_ball(uint64_t seed)
{
    uint64_t s = seed * 104729 + 3;
    double a[3], e = 0.3 + 0.55 * chance(&s), h = 0.5 + chance(&s), rest;
    for (int i = 0; i < 3; i++) a[i] = pow(10, (seed % 2 ? 20 : 3) * (2 * chance(&s) - 1));
    height(h, e, 0, &rest);
    char text[700];
    snprintf(text, sizeof text,
             "model B Real h(start = %.17g, fixed = true), v(start = 0, fixed = true), A;\n"
             "Integer k(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81;\n"
             "A = if mod(k, 3) == 0 then %.17g elseif mod(k, 3) == 1 then %.17g else %.17g;\n"
             "when A*h <= 0 then reinit(v, -%.17g*pre(v)); k = pre(k) + 1; end when; end B;",
             h, a[0], a[1], a[2], e);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "b.mo", .text = text}, &why);
    fo_run_def def = fo_default_run_def();
    def.stop = 1.5 * rest, def.rtol = 1e-9, def.atol = 1e-12;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    for (int i = 1; i <= 30; i++) {
        double t = i == 30 ? def.stop : i * def.stop / 30, limit;
        fo_status status = sim ? fo_simulation_advance(sim, t) : why.status;
        double is = sim ? value_of(sim, "h") : NAN, want = height(h, e, t, &limit);
        if (status == FO_REACHED && fabs(is - want) <= 1e-6) continue;
        test_fail(__FILE__, __LINE__, "seed %llu: h is %g, not %g, at %g (%s)\n%s",
                  (unsigned long long)seed, is, want, t,
                  sim ? fo_simulation_message(sim)->text : why.text, text);
        break;
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(balls_bounce_whatever_the_scale_of_their_contact)
{
    for (int i = 0; i < test_count(4, 40); i++) try_ball((uint64_t)i);
}

// --------------------------------------------------------------------------------------- diagrams

static void write_diagram(const factors *f, bool step, double at, char *text, size_t size)
{
    char control[200] = "{'from': 'u', 'to': 'A:3'}", source[200] = "";
    if (step) {
        snprintf(source, sizeof source,
                 ", {'name': 's', 'type': 'Step', 'parameters': {'Step Time': %.17g, 'Initial "
                 "Value': 1, 'Final Value': -1}}",
                 at);
        snprintf(control, sizeof control, "{'from': 's', 'to': 'A:3'}");
    }
    snprintf(
        text, size,
        "{'format': 'foliot diagram', 'version': 1, 'simulation': {'stop': %d, 'step': 0.05, "
        "'integrator': 'dp45', 'rtol': 1e-9, 'atol': 1e-12}, 'nodes': ["
        "{'name': 'one', 'type': 'Constant', 'parameters': {'Constant Value': 1}}, "
        "{'name': 'none', 'type': 'Constant', 'parameters': {'Constant Value': 0}}, "
        "{'name': 'half', 'type': 'Constant', 'parameters': {'Constant Value': 0.5}}, "
        "{'name': 'phi', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
        "{'name': 'a1', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
        "{'name': 'a2', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
        "{'name': 'w', 'type': 'Integrator'}, "
        "{'name': 'k', 'type': 'Gain', 'parameters': {'Gain': %.17g}}, "
        "{'name': 'angle', 'type': 'Sum'}, "
        "{'name': 'u', 'type': 'Trigonometric Function', 'parameters': {'Function': 'sin'}}, "
        "{'name': 'A', 'type': 'Switch', 'parameters': {'Threshold': 0}}, "
        "{'name': 'x', 'type': 'Product'}, "
        "{'name': 'up', 'type': 'Relational Operator', 'parameters': {'Relational Operator': "
        "'>'}}, "
        "{'name': 'edge', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, "
        "{'name': 'n', 'type': 'Integrator', 'parameters': {'External Reset': 'rising', 'Initial "
        "Condition Source': 'external'}}, {'name': 'more', 'type': 'Sum'}, "
        "{'name': 'once', 'type': 'Step', 'parameters': {'Step Time': 1e-9}}, "
        "{'name': 'to', 'type': 'Product'}, {'name': 'end', 'type': 'Terminator'}%s], 'lines': ["
        "{'from': 'one', 'to': 'w'}, {'from': 'w', 'to': 'k'}, {'from': 'k', 'to': 'angle:1'}, "
        "{'from': 'phi', 'to': 'angle:2'}, {'from': 'angle', 'to': 'u'}, "
        "{'from': 'a1', 'to': 'A:1'}, {'from': 'a2', 'to': 'A:2'}, %s, "
        "{'from': 'u', 'to': 'x:1'}, {'from': 'A', 'to': 'x:2'}, {'from': 'x', 'to': 'up:1'}, "
        "{'from': 'none', 'to': 'up:2'}, {'from': 'up', 'to': 'edge:1'}, "
        "{'from': 'half', 'to': 'edge:2'}, {'from': 'none', 'to': 'n:1'}, "
        "{'from': 'edge', 'to': 'n:2'}, {'from': 'to', 'to': 'n:3'}, {'from': 'n', 'to': "
        "'more:1'}, "
        "{'from': 'one', 'to': 'more:2'}, {'from': 'more', 'to': 'to:1'}, "
        "{'from': 'once', 'to': 'to:2'}, {'from': 'n', 'to': 'end'}]}",
        STOP, f->phi, f->a[0], f->a[1], f->k, source, control);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
}

// A changes where u = sin passes zero, and x with it, or at an instant.
static void try_diagram(uint64_t seed)
{
    factors f = draw(seed, false);
    bool at_time = seed % 2 == 1;
    if (!at_time) f.a[1] = copysign(f.a[1], f.a[0]);
    for (int i = 2; i < MODES; i++) f.a[i] = f.a[1];
    f.ticks = at_time, f.every = 1, f.period = 1 + f.period;
    counts want = truth_of(&f);
    // x rises where u does, whatever the size of A, if its sign stays
    if (!at_time) {
        factors plain = f;
        for (int i = 0; i < MODES; i++) plain.a[i] = f.a[0];
        want = truth_of(&plain);
    }
    if (want.near < 1e-6L) return;
    char text[6000];
    write_diagram(&f, at_time, f.period, text, sizeof text);
    fo_message why = {0};
    fo_diagram_def given = {"f.json", text, strlen(text), NULL};
    fo_diagram *d = fo_diagram_read(&given, &why);
    if (!d) test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed, why.text);
    for (int way = 0; way < 2 && d; way++) {
        const char *how = way ? "node by node" : "diagram";
        fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(d), NULL);
        CHECK(fo_diagram_run_as(d, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, &why) == FO_OK);
        fo_simulation *sim = fo_simulation_create(fo_diagram_system(d), &def, &why);
        if (go(sim, seed, how, &why))
            judge(seed, how, NULL, &want, value_of(sim, "n"), want.falls, text);
        fo_simulation_destroy(sim);
    }
    fo_diagram_destroy(d);
}

TEST(diagrams_lose_none)
{
    for (int i = 0; i < test_count(6, 80); i++) try_diagram((uint64_t)i);
}

TEST_MAIN(TEST_ENTRY(texts_lose_no_crossing), TEST_ENTRY(nor_do_those_whose_parameters_are_set),
          TEST_ENTRY(guards_in_c_lose_none), TEST_ENTRY(nor_do_those_of_many_states),
          TEST_ENTRY(balls_bounce_whatever_the_scale_of_their_contact),
          TEST_ENTRY(diagrams_lose_none))
