// A pendulum in x and y, which changes its states in the run, beside what rests and slides: each
// part goes as it goes alone, in whatever order the equations stand, with rows and without, in
// pieces, from snapshots. The truth is computed here, in the pendulum's angle and in closed form.
#include <foliot/language.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const solvers[] = {"dp45", "radau5", "rodas4", "dop853", "bs23",
                                      "rk4",  "rkf45",  "adams",  "heun",   "trapezoid"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], MOST = 12, LINES = 40 };

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

// ------------------------------------------------------------------------------------------- truth

static const double G = 9.81;

typedef struct swing {
    double f, w; ///< from the lowest point; dfdt
} swing;

static swing swing_at(swing s, double t)
{
    enum { STEPS = 20000 };
    double h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double f1 = s.w, w1 = -G * sin(s.f);
        double f2 = s.w + h / 2 * w1, w2 = -G * sin(s.f + h / 2 * f1);
        double f3 = s.w + h / 2 * w2, w3 = -G * sin(s.f + h / 2 * f2);
        double f4 = s.w + h * w3, w4 = -G * sin(s.f + h * f3);
        s.f += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4), s.w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return s;
}

// q' = -q(t - lag), q = 1 before: by steps.
static double delayed(double t, double lag)
{
    double sum = 0, term = 1;
    for (int k = 0; t - (k - 1) * lag >= 0 || k == 0; k++) {
        term = 1;
        for (int i = 1; i <= k; i++) term *= -(t - (k - 1) * lag) / i;
        sum += term;
    }
    return sum;
}

// --------------------------------------------------------------------------------------------
// texts

typedef struct plan {
    char line[LINES][200], text[LINES * 200];
    int declared, lines;
    const char *name[MOST]; ///< what is known at the end
    double value[MOST];
    int known;
    const char *solver;
    double stop;
    uint64_t r;
} plan;

static __attribute__((format(printf, 2, 3))) void say(plan *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->line[p->lines++], sizeof p->line[0], format, list);
    va_end(list);
}

static void know(plan *p, const char *name, double value)
{
    p->name[p->known] = name, p->value[p->known++] = value;
}

/// Declarations first: `equations` says which are asked for.
static void pendulum(plan *p, bool equations, swing s)
{
    if (equations) {
        say(p, "x^2 + y^2 = 1;"), say(p, "der(x) = vx;"), say(p, "der(y) = vy;");
        say(p, "der(vx) = -T*x;"), say(p, "der(vy) = -T*y - 9.81;");
        return;
    }
    say(p, "Real x(start = %.17g, fixed = true);", sin(s.f));
    say(p, "Real y(start = %.17g);", -cos(s.f));
    say(p, "Real vx(start = %.17g, fixed = true);", cos(s.f) * s.w);
    say(p, "Real vy(start = %.17g);", sin(s.f) * s.w), say(p, "Real T;");
    swing at = swing_at(s, p->stop);
    know(p, "x", sin(at.f)), know(p, "y", -cos(at.f));
    know(p, "vx", cos(at.f) * at.w), know(p, "vy", sin(at.f) * at.w);
}

static void beside(plan *p, int kind, bool equations)
{
    double lag = 0.25;
    switch (kind) {
    case 0:
        if (equations) say(p, "der(s) = if s > 0 then -1 else 1;");
        if (!equations) say(p, "Real s(start = 0.1, fixed = true);"), know(p, "s", 0);
        break;
    case 1:
        if (equations) {
            say(p, "der(h) = v;"), say(p, "der(v) = -9.81;");
            say(p, "when h < 0 then reinit(v, -0.5*pre(v)); end when;");
        } else {
            say(p, "Real h(start = 0.3, fixed = true);"),
                say(p, "Real v(start = 0, fixed = true);");
            know(p, "h", 0), know(p, "v", 0);
        }
        break;
    case 2:
        if (equations) say(p, "der(q) = -delay(q, %.17g);", lag);
        if (!equations)
            say(p, "Real q(start = 1, fixed = true);"), know(p, "q", delayed(p->stop, lag));
        break;
    case 3: // its integral up to a multiple of 0.5
        if (equations) {
            say(p, "der(z) = mod(3*time, 1) + floor(2*time);");
            say(p, "when mod(z, 0.7) > 0.35 then k = pre(k) + 1; end when;");
        } else {
            say(p, "Real z(start = 0.1, fixed = true);"),
                say(p, "Integer k(start = 0, fixed = true);");
            double n = 2 * p->stop, m = floor(3 * p->stop), part = 3 * p->stop - m;
            know(p, "z", 0.1 + (m + part * part) / 6 + n * (n - 1) / 4);
        }
        break;
    case 4:
        if (equations) {
            say(p, "der(a) = -sign(a) + 0.3*sign(b);"),
                say(p, "der(b) = -2*sign(b) + 0.5*sin(time);");
        } else {
            say(p, "Real a(start = 0.3, fixed = true);"),
                say(p, "Real b(start = 0.2, fixed = true);");
            know(p, "a", 0), know(p, "b", 0);
        }
        break;
    default:
        if (equations) {
            say(p, "der(a1) = w1;"), say(p, "der(a2) = w2;"), say(p, "der(w1) = -9;"),
                say(p, "der(w2) = -9;");
            say(p, "when a1 <= 0 then reinit(w1, -0.3*pre(w1)); end when;");
            say(p, "when a2 <= a1 + 0.2 then reinit(w1, pre(w1) + 0.6*(pre(w2) - pre(w1))); "
                   "reinit(w2, pre(w2) - 0.6*(pre(w2) - pre(w1))); end when;");
        } else {
            say(p, "Real a1(start = 0.1, fixed = true);"),
                say(p, "Real w1(start = 0, fixed = true);");
            say(p, "Real a2(start = 0.4, fixed = true);"),
                say(p, "Real w2(start = 0, fixed = true);");
            know(p, "a1", 0), know(p, "a2", 0.2);
        }
    }
}
enum { KINDS = 6 };

// What the pendulum carries or draws: it ends where that is.
static void drawn(plan *p, int kind, bool equations, swing s)
{
    swing at = swing_at(s, p->stop);
    if (kind == 0 && equations) { // a ball on a platform
        say(p, "der(h) = v;"), say(p, "der(v) = -20;");
        say(p, "when h < 0.1*x then reinit(v, 0.1*vx - 0.4*(pre(v) - 0.1*vx)); end when;");
    } else if (kind == 0) {
        say(p, "Real h(start = 0.3, fixed = true);"), say(p, "Real v(start = 0, fixed = true);");
        know(p, "h", 0.1 * sin(at.f)), know(p, "v", 0.1 * cos(at.f) * at.w);
    } else if (kind == 1 && equations) { // what follows it
        say(p, "der(s) = if s > y then -9 else 9;");
    } else if (kind == 1) {
        say(p, "Real s(start = 0, fixed = true);"), know(p, "s", -cos(at.f));
    } else if (equations) { // what it draws along by friction
        say(p, "der(u) = -60*sign(u - vx);");
    } else {
        say(p, "Real u(start = 0, fixed = true);"), know(p, "u", cos(at.f) * at.w);
    }
}
enum { DRAWN = 3 };

static void shuffle(plan *p, int from, int to)
{
    for (int i = to - 1; i > from; i--) {
        int j = from + (int)((i - from + 1) * chance(&p->r));
        char other[sizeof p->line[0]];
        memcpy(other, p->line[i], sizeof other);
        memcpy(p->line[i], p->line[j], sizeof other), memcpy(p->line[j], other, sizeof other);
    }
}

static void write_down(plan *p)
{
    size_t at = 0;
    shuffle(p, 0, p->declared), shuffle(p, p->declared, p->lines);
    at += (size_t)snprintf(p->text, sizeof p->text, "model Choices\n");
    for (int i = 0; i < p->lines; i++)
        at += (size_t)snprintf(p->text + at, sizeof p->text - at, "%s%s\n",
                               i == p->declared ? "equation\n" : "", p->line[i]);
    snprintf(p->text + at, sizeof p->text - at, "end Choices;\n");
}

static plan make(uint64_t seed, bool draws)
{
    plan p = {.r = seed * 0x9e3779b97f4a7c15u + 1, .solver = solvers[seed % SOLVERS]};
    swing s = {between(&p.r, 1, 2.5), between(&p.r, -3, 3)};
    bool has[KINDS] = {false};
    int drawing = (int)(DRAWN * chance(&p.r));
    p.stop = draws ? 2 : 1.5 + 0.5 * (int)(3 * chance(&p.r));
    has[(int)(KINDS * chance(&p.r))] = true;
    has[(int)(KINDS * chance(&p.r))] = true;
    if (draws) p.solver = "dp45";
    for (int equations = 0; equations < 2; equations++) {
        pendulum(&p, equations, s);
        if (draws) drawn(&p, drawing, equations, s);
        for (int k = 0; k < KINDS && !draws; k++)
            if (has[k]) beside(&p, k, equations);
        if (!equations) p.declared = p.lines;
    }
    write_down(&p);
    return p;
}

// ---------------------------------------------------------------------------------------------
// runs

static fo_status row(void *self, const fo_row *r, fo_message *why)
{
    (void)self, (void)r, (void)why;
    return FO_OK;
}

static fo_simulation *start(const plan *p, const fo_text_model *model, fo_observer *who,
                            double rows)
{
    fo_run_def def = fo_default_run_def();
    fo_message why = {0};
    *who = (fo_observer){.row = row, .interval = rows};
    def.stop = p->stop, def.solver = p->solver, def.step = p->stop / 800;
    def.observers = who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static void compare(const plan *p, fo_simulation *sim, fo_system system, uint64_t seed)
{
    bool coarse = !strcmp(p->solver, "heun") || !strcmp(p->solver, "trapezoid");
    for (int k = 0; k < p->known; k++) {
        fo_reference which;
        if (fo_system_find(system, p->name[k], &which, NULL) != FO_OK) {
            test_fail(__FILE__, __LINE__, "no '%s'\n%s", p->name[k], p->text);
            continue;
        }
        double is = fo_simulation_value(sim, which), want = p->value[k];
        if (!(fabs(is - want) <= (coarse ? 2e-3 : 1e-4) * (1 + fabs(want))))
            test_fail(__FILE__, __LINE__, "seed %llu, %s: %s is %.9g, not %.9g\n%s",
                      (unsigned long long)seed, p->solver, p->name[k], is, want, p->text);
    }
}

static void same(const plan *p, uint64_t seed, const char *what, fo_simulation *sim,
                 fo_status status, uint64_t want)
{
    if (status == FO_REACHED && fo_simulation_hash(sim) == want) return;
    test_fail(__FILE__, __LINE__, "seed %llu, %s, %s: other bits (%s)\n%s",
              (unsigned long long)seed, p->solver, what, fo_simulation_message(sim)->text, p->text);
}

// With rows, in pieces, and from a snapshot in another simulation.
static void try_ways(plan *p, const fo_text_model *model, uint64_t seed, uint64_t want)
{
    enum { CUTS = 7 };
    fo_observer who, another;
    fo_simulation *sim = start(p, model, &who, p->stop / 37);
    fo_snapshot *back = NULL;
    fo_status status = FO_REACHED;
    if (!sim) return;
    for (int i = 0; i < CUTS && status == FO_REACHED; i++) {
        status = fo_simulation_advance(sim, p->stop * (i + chance(&p->r)) / CUTS);
        if (i == (int)(seed % CUTS)) back = fo_simulation_snapshot(sim);
    }
    if (status == FO_REACHED) status = fo_simulation_advance(sim, p->stop);
    same(p, seed, "in pieces, with rows", sim, status, want);
    fo_simulation *anew = back ? start(p, model, &another, p->stop / 11) : NULL;
    if (anew) {
        status = fo_simulation_restore(anew, back);
        if (status == FO_OK) status = fo_simulation_advance(anew, p->stop);
        same(p, seed, "from a snapshot", anew, status, want);
    }
    fo_simulation_destroy(anew);
    fo_snapshot_destroy(back);
    fo_simulation_destroy(sim);
}

static void try_one(uint64_t seed, bool draws)
{
    plan p = make(seed, draws);
    fo_message why = {0};
    fo_observer who;
    fo_text_model_def model_def = {.path = "choices.mo", .text = p.text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, p.text);
    fo_simulation *sim = model ? start(&p, model, &who, -1) : NULL;
    fo_status status = sim ? fo_simulation_advance(sim, p.stop) : FO_ERROR_INPUT;
    if (sim && status != FO_REACHED)
        test_fail(__FILE__, __LINE__, "seed %llu, %s: %s\n%s", (unsigned long long)seed, p.solver,
                  fo_simulation_message(sim)->text, p.text);
    if (status == FO_REACHED) {
        compare(&p, sim, fo_text_model_system(model), seed);
        try_ways(&p, model, seed, fo_simulation_hash(sim));
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(what_rests_beside_a_pendulum_goes_as_it_goes_alone)
{
    uint64_t count = (uint64_t)test_inputs(12, 3000);
    for (uint64_t seed = 1; seed <= count; seed++) try_one(seed, false);
}

TEST(what_a_pendulum_carries_follows_it)
{
    uint64_t count = (uint64_t)test_inputs(3, 1000);
    for (uint64_t seed = 1; seed <= count; seed++) try_one(seed, true);
}

TEST_MAIN(TEST_ENTRY(what_rests_beside_a_pendulum_goes_as_it_goes_alone),
          TEST_ENTRY(what_a_pendulum_carries_follows_it))
