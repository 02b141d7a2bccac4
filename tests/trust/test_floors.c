// Balls with restitution, from 0 on, on floors that are pushed about: random, at scales of time
// from 1e-9 to 1e9 and of length from 1e-12 to 1e12, also late in time, in several pieces. Gravity
// and the floor's acceleration are constant by pieces, so that every impact, the limit of each
// series of impacts, and the instant at which a floor falls away from a ball at rest have closed
// forms.
#include <foliot/language.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#ifndef SYSTEMS
#define SYSTEMS 320
#endif

enum { MOST_BALLS = 3, MOST_PIECES = 5, MOST_HOLDS = 32 };

static const char *const solvers[] = {"dp45", "dop853", "radau5", "rodas4"};

typedef struct ball {
    double h, v, e; ///< over the floor, to which v is relative
} ball;

typedef struct scene {
    double gravity, stop, drift; ///< the floor's speed at the start
    double at[MOST_PIECES + 1];  ///< when a piece begins
    double push[MOST_PIECES];    ///< the floor's acceleration in it
    uint32_t pieces, balls;
    ball ball[MOST_BALLS];
    double time, space, start; ///< scales, and when it begins
    int form;                  ///< of the floor: 0 lies still, 1 two states, 2 a formula
    const char *solver;
} scene;

typedef struct holds {
    uint32_t count;
    double t[MOST_HOLDS]; ///< a rest begins, ends, begins ...
    double high;          ///< over the floor at the end
    double risk;          ///< how near it was to another story [s]
} holds;

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

// ------------------------------------------------------------------------------------------ truth

/// The first zero of r + w t + a t^2 / 2 after 0 at which it falls; INFINITY: none.
static double next_impact(double r, double w, double a)
{
    if (r == 0) {
        if (a < 0 && w > 0) return -2 * w / a;
        return INFINITY;
    }
    double root = w * w - 2 * a * r;
    if (a == 0) return w < 0 ? -r / w : INFINITY;
    if (root < 0) return INFINITY;
    double s = -(w + copysign(sqrt(root), w)), one = 2 * r / s, two = s / a;
    double first = fmin(one, two), last = fmax(one, two);
    return first > 0 ? first : last > 0 ? last : INFINITY;
}

static void hold(holds *all, double t)
{
    if (all->count < MOST_HOLDS) all->t[all->count++] = t;
}

/// One ball on one piece, from `t` to `end`.
static void go(const ball *b, double a, double t, double end, double *r, double *w, bool *rests,
               holds *all)
{
    for (int n = 0; t < end; n++) {
        double dt = next_impact(*r, *w, a);
        if (n > 20000) all->risk = 0; // a restitution of nearly 1, for long
        if (t + dt < INFINITY) all->risk = fmin(all->risk, fabs(t + dt - end));
        if (!(t + dt < end) || n > 20000) {
            *r = fmax(0, *r + *w * (end - t) + a * (end - t) * (end - t) / 2), *w += a * (end - t);
            return;
        }
        t += dt, *w = -b->e * (*w + a * dt), *r = 0;
        if (a > 0) all->risk = fmin(all->risk, *w);
        if (!(a < 0)) continue;
        double limit = t + 2 * *w / -a / (1 - b->e);
        all->risk = fmin(all->risk, fabs(limit - end));
        if (limit < end && (b->e < 0.98 || limit == t)) {
            hold(all, limit);
            *w = 0, *rests = true;
            return;
        }
    }
}

static holds truth(const scene *s, const ball *b)
{
    holds all = {.risk = INFINITY};
    double r = b->h, w = b->v;
    bool rests = false;
    for (uint32_t i = 0; i < s->pieces; i++) {
        double a = -s->gravity - s->push[i];
        if (rests && a > 0) rests = false, hold(&all, s->at[i]);
        if (!i && r == 0 && w == 0 && a < 0) rests = true, hold(&all, 0);
        if (!rests) go(b, a, s->at[i], s->at[i + 1], &r, &w, &rests, &all);
    }
    all.high = r;
    return all;
}

// ------------------------------------------------------------------------------------------ scenes

static double any_push(uint64_t *seed, double g)
{
    double which = chance(seed);
    if (which < 0.3) return 0;
    return g * (which < 0.7 ? between(seed, -0.9, 1.5) : between(seed, -3, -1.05));
}

static scene make(uint64_t *seed)
{
    static const double special[] = {0, 1e-6, 1e-3, 0.999};
    scene s = {.time = 1, .space = 1};
    s.gravity = between(seed, 0.5, 20), s.stop = 5 * (1 + (int)(3 * chance(seed)));
    s.form = (int)(3 * chance(seed)), s.pieces = s.form ? 1 + (uint32_t)(4 * chance(seed)) : 1;
    s.drift = s.form ? between(seed, -1, 1) : 0;
    s.at[s.pieces] = s.stop;
    for (uint32_t i = 1; i < s.pieces; i++)
        s.at[i] = s.stop * (i + between(seed, -0.4, 0.4)) / s.pieces;
    for (uint32_t i = 0; i < s.pieces; i++) s.push[i] = s.form ? any_push(seed, s.gravity) : 0;
    if (s.push[0] < -0.9 * s.gravity) s.push[0] = 0; // nothing leaves at the start
    s.balls = 1 + (uint32_t)(MOST_BALLS * chance(seed));
    for (uint32_t k = 0; k < s.balls; k++) {
        double which = chance(seed);
        ball *b = &s.ball[k];
        b->e = which < 0.3 ? special[(int)(which / 0.3 * 4)] : between(seed, 0.05, 0.95);
        b->h = chance(seed) < 0.3 ? 0 : between(seed, 0.1, 3);
        b->v = chance(seed) < 0.5 ? 0 : between(seed, 0.5, 3);
    }
    double scaled = chance(seed);
    if (scaled < 0.3) s.time = pow(10, between(seed, -9, 9));
    if (scaled > 0.2 && scaled < 0.5) s.space = pow(10, between(seed, -12, 12));
    if (scaled > 0.8) s.start = 1e6;
    s.solver = solvers[(int)(4 * chance(seed))];
    return s;
}

typedef struct writer {
    char *text;
    size_t used, size;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *to, const char *format, ...)
{
    va_list all;
    va_start(all, format);
    to->used += (size_t)vsnprintf(to->text + to->used, to->size - to->used, format, all);
    va_end(all);
}

/// The floor's motion as a sum of what each piece changes, of degree `power` in time.
static void put_formula(writer *to, const scene *s, int power)
{
    double v = s->space / s->time, last = 0;
    if (power == 2)
        put(to, "(%.17g)*(time - %.17g)", s->drift * v, s->start);
    else
        put(to, "(%.17g)", s->drift * v);
    for (uint32_t i = 0; i < s->pieces; i++) {
        double by = (s->push[i] - last) * v / s->time / power, at = s->at[i] * s->time + s->start;
        const char *square = power == 2 ? "^2" : "";
        last = s->push[i];
        if (i == 0)
            put(to, " + (%.17g)*(time - %.17g)%s", by, at, square);
        else
            put(to, " + (if time > %.17g then (%.17g)*(time - %.17g)%s else 0)", at, by, at,
                square);
    }
}

static void put_push(writer *to, const scene *s)
{
    double a = s->space / s->time / s->time;
    for (uint32_t i = 1; i < s->pieces; i++)
        put(to, "if time < %.17g then %.17g else ", s->at[i] * s->time + s->start,
            s->push[i - 1] * a);
    put(to, "%.17g", s->push[s->pieces - 1] * a);
}

static void put_floor(writer *to, const scene *s)
{
    if (s->form == 1) {
        put(to, "der(z) = w; der(w) = ");
        put_push(to, s);
    } else {
        put(to, "z = ");
        put_formula(to, s, 2);
        put(to, "; w = ");
        put_formula(to, s, 1);
    }
    put(to, ";\n");
}

static void write_scene(const scene *s, char *text, size_t size)
{
    writer to = {.text = text, .size = size};
    double v = s->space / s->time;
    put(&to, "model Floors\n");
    for (uint32_t k = 0; k < s->balls; k++)
        put(&to, "Real h%u(start = %.17g, fixed = true), v%u(start = %.17g, fixed = true);\n", k,
            s->ball[k].h * s->space, k, (s->ball[k].v + s->drift) * v);
    if (s->form == 1)
        put(&to, "Real z(start = 0, fixed = true), w(start = %.17g, fixed = true);\n",
            s->drift * v);
    else
        put(&to, "Real z, w;\n");
    put(&to, "equation\n");
    put_floor(&to, s);
    for (uint32_t k = 0; k < s->balls; k++)
        put(&to,
            "der(h%u) = v%u; der(v%u) = -%.17g;\n"
            "when h%u <= z then reinit(v%u, w - %.17g*(pre(v%u) - w)); end when;\n",
            k, k, k, s->gravity * v / s->time, k, k, s->ball[k].e, k);
    put(&to, "end Floors;\n");
}

// ------------------------------------------------------------------------------------------- runs

typedef struct seen {
    const scene *scene;
    uint32_t count[MOST_BALLS];
    double t[MOST_BALLS][MOST_HOLDS];
} seen;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    seen *all = self;
    unsigned k;
    (void)why;
    if (m->kind != FO_REST && m->kind != FO_REST_END) return FO_OK;
    if (sscanf(m->name, "h%u", &k) != 1 || k >= all->scene->balls) return FO_OK;
    if (all->count[k] < MOST_HOLDS)
        all->t[k][all->count[k]++] = (m->t - all->scene->start) / all->scene->time;
    return FO_OK;
}

static double value_of(fo_simulation *sim, const char *name)
{
    fo_reference which;
    fo_message why;
    fo_status status = fo_system_find(fo_simulation_system(sim), name, &which, &why);
    CHECK_STATUS(status, FO_OK, &why);
    return status == FO_OK ? fo_simulation_value(sim, which) : NAN;
}

static void compare(const scene *s, const seen *all, fo_simulation *sim, uint64_t seed)
{
    // late hops are lower than the tolerance of heights, and of the time in which the floor moves
    double near = (s->start > 0 ? 1e-3 : 4e-6) * s->stop;
    for (uint32_t k = 0; k < s->balls; k++) {
        holds right = truth(s, &s->ball[k]);
        if (right.risk < 1e-4) continue;
        char name[8];
        snprintf(name, sizeof name, "h%u", k);
        double high = (value_of(sim, name) - value_of(sim, "z")) / s->space;
        bool same = right.count == all->count[k];
        for (uint32_t i = 0; i < right.count && same; i++)
            same = fabs(right.t[i] - all->t[k][i]) <= near;
        // what flies at the end left an instant that is known so well
        same &= fabs(high - right.high) <= 100 * near * (1 + right.high);
        if (!same)
            test_fail(__FILE__, __LINE__,
                      "seed %llu, %s: ball %u has %u holds, first %.9g, second %.9g, and ends %.9g "
                      "over the floor; it should have %u, %.9g and %.9g, and %.9g",
                      (unsigned long long)seed, s->solver, k, all->count[k], all->t[k][0],
                      all->t[k][1], high, right.count, right.t[0], right.t[1], right.high);
    }
}

/// False where the run ends with a message instead.
static bool try_scene(uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    scene s = make(&random);
    seen all = {.scene = &s};
    char text[8192];
    fo_message why = {0};
    write_scene(&s, text, sizeof text);
    fo_text_model_def model_def = {.path = "floors.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_observer who = {.self = &all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.start = s.start, def.stop = s.start + s.stop * s.time, def.solver = s.solver;
    def.observers = &who, def.observer_count = 1;
    def.rtol = s.start > 0 ? 1e-7 : 1e-9;
    def.atol = def.rtol * 1e-2 * s.space * fmin(1, 1 / s.time);
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_status status = sim ? FO_REACHED : FO_ERROR_INPUT;
    for (int i = 1; i <= 3 && status == FO_REACHED; i++)
        status =
            fo_simulation_advance(sim, i == 3 ? def.stop : s.start + s.time * s.stop * 0.37 * i);
    if (sim) why = *fo_simulation_message(sim);
    if (status == FO_REACHED) compare(&s, &all, sim, seed);
    if (status == FO_ERROR_INPUT) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (status != FO_REACHED) printf("seed %llu: %s\n", (unsigned long long)seed, why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return status == FO_REACHED;
}

TEST(balls_rest_on_floors_and_leave_them)
{
    uint64_t count = (uint64_t)test_count(SYSTEMS / 4, SYSTEMS), refused = 0;
    for (uint64_t seed = 1; seed <= count; seed++) refused += !try_scene(seed);
    CHECK(1000 * refused <= count);
}

// ------------------------------------------------------------------- the same in other words

/// When the first ball begins to rest, and where it is at the end; NAN: it does not.
static double rest_of(const char *text, double start, double stop, const char *solver, double *end)
{
    scene s = {.time = 1, .start = start, .balls = 1};
    seen all = {.scene = &s, .t = {{NAN}}};
    fo_message why = {0};
    fo_text_model_def model_def = {.path = "floors.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_observer who = {.self = &all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.start = start, def.stop = stop, def.solver = solver, def.rtol = def.atol = 1e-9;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_status status = sim ? fo_simulation_advance(sim, stop) : FO_ERROR_INPUT;
    if (sim) why = *fo_simulation_message(sim);
    CHECK_STATUS(status, FO_REACHED, &why);
    *end = sim ? value_of(sim, "h0") : NAN;
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return all.t[0][0];
}

// Both the height and the speed come to zero again and again, and one limit is found first.
TEST(a_ball_that_knows_whether_it_flies_rests)
{
    uint64_t seed = 7;
    for (int k = 0; k < test_count(8, 40); k++) {
        double e = between(&seed, 0.2, 0.9), h = between(&seed, 0.2, 3), end;
        double g = between(&seed, 0.5, 20), limit = sqrt(2 * h / g) * (1 + e) / (1 - e);
        char text[1024];
        snprintf(text, sizeof text,
                 "model Flying Real h0(start = %.17g, fixed = true), v(start = 0, fixed = true);\n"
                 "Boolean flying(start = true, fixed = true), impact;\n"
                 "Real v_new(start = 0, fixed = true);\nequation\n"
                 "impact = h0 <= 0; der(v) = if flying then -%.17g else 0; der(h0) = v;\n"
                 "when {h0 <= 0 and v <= 0, impact} then\n"
                 "v_new = if edge(impact) then -%.17g*pre(v) else 0; flying = v_new > 0;\n"
                 "reinit(v, v_new); end when; end Flying;\n",
                 h, g, e);
        CHECK_NEAR(rest_of(text, 0, 2 * limit, solvers[k % 4], &end), limit, 1e-7 * limit);
        CHECK_NEAR(end, 0, 1e-9);
    }
}

// Where a term of the guard is exactly zero it moves all the same.
TEST(a_contact_at_the_start_has_the_slope_of_all_its_terms)
{
    double end;
    const char *text =
        "model Sinks Real h0(start = 0, fixed = true), v(start = -0.0625, fixed = true);\n"
        "equation der(h0) = v; der(v) = -9.81;\n"
        "when 2*(h0 + 0.0625*(time - 1000)) <= 0 then\n"
        "reinit(v, -0.0625 - 0.8*(pre(v) + 0.0625)); end when; end Sinks;";
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        // the name of its guard does not begin with that of a ball
        rest_of(text, 1000, 1004, solvers[k], &end);
        CHECK_NEAR(end, -0.25, 1e-9);
    }
}

// ------------------------------------------------------------------------ what leaves, and hops

/// What is heard of a run of a text, and the end of it.
typedef struct story {
    double value, end; ///< of `name` at the stop; when the first rest ended
    int begins, ends;  ///< rests of what the name says
    int after;         ///< its impacts after the first rest
    uint64_t moments;
    const char *name;
    fo_status status;
    fo_message why;
} story;

static fo_status listen(void *self, const fo_moment *m, fo_message *why)
{
    story *all = self;
    (void)why;
    all->moments++;
    if (strncmp(m->name, all->name, strlen(all->name))) return FO_OK;
    if (m->kind == FO_REST_END && !all->ends++) all->end = m->t;
    all->begins += m->kind == FO_REST;
    all->after += m->kind == FO_GUARD && all->ends;
    return FO_OK;
}

static story tell(const char *text, const char *name, const char *solver, double rtol, double stop)
{
    story all = {.name = name, .value = NAN, .end = NAN};
    fo_text_model_def model_def = {.path = "floors.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &all.why);
    fo_observer who = {.self = &all, .moment = listen, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.rtol = rtol, def.atol = rtol / 100;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &all.why) : NULL;
    all.status = sim ? fo_simulation_advance(sim, stop) : FO_ERROR_INPUT;
    if (sim) all.why = *fo_simulation_message(sim), all.value = value_of(sim, name);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return all;
}

static const char *const careful[] = {"rodas4", "radau5", "dp45"};
enum { CAREFUL = sizeof careful / sizeof careful[0] };

/// A ball that lies on x = 0 until a sin(w t), switched on at `on`, lifts it against g and a drag
/// c.
typedef struct lift {
    double a, w, c, on, from;
} lift;

static double lifted_speed(const lift *l, double t)
{
    double p = l->a / (l->c * l->c + l->w * l->w);
    return p * (l->c * sin(l->w * t) - l->w * cos(l->w * t)) - 9.81 / l->c;
}

// x = integral of v, v(from) = 0
static double lifted_to(const lift *l, double t)
{
    double p = l->a / (l->c * l->c + l->w * l->w), u = t - l->from, w = l->w;
    double x = p * (-l->c / w * (cos(w * t) - cos(w * l->from)) - sin(w * t) + sin(w * l->from));
    return x - 9.81 / l->c * u + lifted_speed(l, l->from) * expm1(-l->c * u) / l->c;
}

// The first instant at which the force is not less than the weight, by brute force and halves.
static bool lifts(lift *l)
{
    double step = 1e-4, t = l->on;
    while (t < 5 && l->a * sin(l->w * t) < 9.81) t += step;
    double lo = t - step, hi = t;
    for (int i = 0; i < 60 && t > l->on; i++) {
        double m = lo + (hi - lo) / 2;
        *(l->a * sin(l->w * m) < 9.81 ? &lo : &hi) = m;
    }
    l->from = hi;
    return t < 5;
}

// What has left its rest is not at rest again: neither at once, by an error of the step that
// leaves, nor for a part of the run.
TEST(a_ball_that_is_lifted_does_not_rest_again)
{
    uint64_t seed = 11;
    int count = test_count(12, 200), tried = 0;
    for (int k = 0; k < 4 * count && tried < count; k++) {
        lift l = {.a = between(&seed, 12, 30), .w = between(&seed, 1, 5)};
        l.c = between(&seed, 0.05, 0.5), l.on = between(&seed, 1.8, 2.8);
        if (!lifts(&l)) continue;
        double stop = l.from + 0.4;
        bool above = true;
        for (int i = 1; i <= 100; i++) above &= lifted_to(&l, l.from + 0.004 * i) > 0;
        if (!above) continue;
        // something else may rest on
        const char *beside = "Real y(start = 0.2, fixed = true), w(start = 0, fixed = true);\n"
                             "equation der(y) = w; der(w) = -9.81;\n"
                             "when y < 0 then reinit(w, -0.3*pre(w)); end when;\n";
        char text[800];
        snprintf(text, sizeof text,
                 "model Lift Real h0(start = 0.3, fixed = true), v(start = 0, fixed = true);\n"
                 "%s der(h0) = v; der(v) = -9.81 - %.17g*v + (if time > %.17g then\n"
                 "%.17g*sin(%.17g*time) else 0); when h0 < 0 then reinit(v, -%.17g*pre(v));\n"
                 "end when; end Lift;\n",
                 tried % 2 ? beside : "equation", l.c, l.on, l.a, l.w, between(&seed, 0, 0.6));
        tried++;
        for (int i = 0; i < CAREFUL; i++) {
            story s = tell(text, "h0", careful[i], 1e-8, stop);
            CHECK_STATUS(s.status, FO_REACHED, &s.why);
            if (s.begins != 1 || s.ends != 1 || s.after)
                test_fail(__FILE__, __LINE__, "%s: %d rests, %d ends, %d impacts after:\n%s",
                          careful[i], s.begins, s.ends, s.after, text);
            CHECK_NEAR(s.end, l.from, 1e-8);
            CHECK_NEAR(s.value, lifted_to(&l, stop), 2e-7);
        }
    }
    CHECK(tried == count);
}

/// Two balls over each other, 0.1 high; the upper one hands its speed on, the lower one keeps the
/// part e of its own at the floor.
typedef struct pile {
    double a, va, b, vb;
} pile;

static double falls_to_zero(double h, double v, double g)
{
    return h <= 0 && v <= 0 ? 0 : (v + sqrt(v * v + 2 * g * fmax(h, 0))) / g;
}

// Impact by impact; a hop slower than 1e-9 is none. Where the upper one is at `stop`.
static double upper_at(pile p, double e, double stop)
{
    const double g = 9.81, slow = 1e-9;
    bool lies = false;
    for (double t = 0; t < stop;) {
        double floor_in = lies ? INFINITY : falls_to_zero(p.a, p.va, g), gap = p.b - p.a - 0.1;
        double closing = p.va - p.vb, meet = closing > 0 ? fmax(gap, 0) / closing : INFINITY;
        if (lies) meet = falls_to_zero(gap, p.vb, g);
        double by = fmin(fmin(floor_in, meet), stop - t), down = lies ? 0 : g;
        p.a += by * (p.va - by * down / 2), p.va -= by * down;
        p.b += by * (p.vb - by * g / 2), p.vb -= by * g, t += by;
        if (t >= stop) break;
        if (meet <= floor_in) {
            double swap = p.va;
            p.va = p.vb, p.vb = swap, lies = false, p.b = p.a + 0.1;
            if (fabs(p.va) < slow && fabs(p.vb) < slow) break;
            if (p.a == 0 && fabs(p.va) < slow) lies = true, p.va = 0;
        } else {
            p.a = 0, p.va = -e * p.va;
            if (fabs(p.va) < slow) lies = true, p.va = 0;
        }
    }
    return p.b;
}

// The lower one lies still when the upper one falls on it, and something else slides: the solver's
// steps stray off what is held by less than its tolerance, and the impact happens all the same.
TEST(a_ball_falls_on_one_that_rests_beside_a_slide)
{
    uint64_t seed = 5;
    for (int k = 0; k < test_count(3, 60); k++) {
        pile p = {.a = 0.5, .b = 0.8};
        double e = 0.5, stop = 1.1, third = k % 3, rtol = pow(10, -5 - third);
        if (k >= 3) p.a = between(&seed, 0.3, 0.6), p.b = p.a + between(&seed, 0.15, 0.5);
        if (k >= 3) e = between(&seed, 0.1, 0.5), stop = between(&seed, 0.9, 1.2);
        char text[1024];
        snprintf(text, sizeof text,
                 "model Pile Real b(start = %.17g, fixed = true), va(start = 0, fixed = true);\n"
                 "Real y(start = 0.4, fixed = true), vb(start = 0, fixed = true);\n"
                 "Real x(start = 1, fixed = true), a(start = %.17g, fixed = true);\nequation\n"
                 "der(x) = -sign(x) + 0.3*sign(y); der(y) = -2*sign(y) + 0.5*sin(time);\n"
                 "der(vb) = -9.81; when b - a < 0.1 then\n"
                 "reinit(vb, pre(va)); reinit(va, pre(vb)); end when;\n"
                 "der(va) = -9.81; when a < 0 then reinit(va, -%.17g*pre(va)); end when;\n"
                 "der(b) = vb; der(a) = va; end Pile;\n",
                 p.b, p.a, e);
        double b = upper_at(p, e, stop);
        for (int i = 0; i < CAREFUL; i++) {
            story s = tell(text, "b", careful[i], rtol, stop);
            CHECK_STATUS(s.status, FO_REACHED, &s.why);
            CHECK_NEAR(s.value, b, 1e3 * rtol);
        }
    }
}

// One ball rests, and what is proved of it lets steps be long; another one beside it still hops on
// a floor with states of its own, and has to come to rest too. The floor's push stays below g.
TEST(a_ball_comes_to_rest_beside_one_that_rests)
{
    uint64_t seed = 3;
    for (int k = 0; k < test_count(3, 60); k++) {
        double high = 0.17, speed = 6, e = 0.46;
        if (k >= 3) speed = between(&seed, 3, 7), e = between(&seed, 0.1, 0.6);
        if (k >= 3) high = between(&seed, 0.05, 0.7) * 9.81 / (speed * speed);
        char text[1024];
        snprintf(text, sizeof text,
                 "model Two Real x(start = 0.24, fixed = true), v(start = 0, fixed = true);\n"
                 "Real h0(start = %.17g, fixed = true), w(start = 0, fixed = true);\n"
                 "Real f(start = %.17g, fixed = true), g(start = 0, fixed = true);\n"
                 "Real q(start = 0, fixed = true), r(start = 0.46, fixed = true);\nequation\n"
                 "der(q) = r; der(r) = -sign(r) - 1.41*q + 2.06*sin(4.31*time);\n"
                 "der(h0) = w; der(w) = -9.81; der(f) = g; der(g) = -%.17g*f;\n"
                 "when h0 < f then reinit(w, g - %.17g*(pre(w) - g)); end when;\n"
                 "der(x) = v; der(v) = -9.81; when x < 0.07*sin(7.05*time) then\n"
                 "reinit(v, 0.07*7.05*cos(7.05*time)\n"
                 "  - 0.29*(pre(v) - 0.07*7.05*cos(7.05*time))); end when; end Two;\n",
                 high + 0.2, high, speed * speed, e);
        double rtol = pow(10, -6 - k % 3);
        for (int i = 0; i < CAREFUL; i++) {
            story s = tell(text, "h0", careful[i], rtol, 4);
            CHECK_STATUS(s.status, FO_REACHED, &s.why);
            CHECK(s.begins == 1 && s.moments < 300);
            CHECK_NEAR(s.value, high * cos(4 * speed), 1e3 * rtol);
        }
    }
}

TEST_MAIN(TEST_ENTRY(balls_rest_on_floors_and_leave_them),
          TEST_ENTRY(a_ball_that_knows_whether_it_flies_rests),
          TEST_ENTRY(a_contact_at_the_start_has_the_slope_of_all_its_terms),
          TEST_ENTRY(a_ball_that_is_lifted_does_not_rest_again),
          TEST_ENTRY(a_ball_falls_on_one_that_rests_beside_a_slide),
          TEST_ENTRY(a_ball_comes_to_rest_beside_one_that_rests))
