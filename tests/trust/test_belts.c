// A block on a spring lies on a belt that goes to and fro: it sticks to it and slips, again and
// again. All of it has closed forms. With every method: those of variable order begin with the
// lowest where the block begins to slip, with a speed that grows like a square.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { MOST_STAYS = 64, LOOKS = 20000 };

static const char *const solvers[] = {
    "dp45",        "radau5",    "adams",        "rodas4",       "rkv56",
#ifdef FOI_WITH_SUNDIALS
    "cvode-adams", "cvode-bdf", "ark-implicit", "ark-explicit", "ida",
#endif
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

/// x'' = -k x - F sign(x' - b(t)), with the belt's speed b = size sin(w t + p).
typedef struct scene {
    double k, F, size, w, p, x, v, stop;
} scene;

typedef struct stays {
    uint32_t count;
    double t[MOST_STAYS]; ///< it sticks, slips, sticks ...
    double x, v;          ///< at the end
    bool sure;            ///< nothing was near to another story
} stays;

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

static double belt(const scene *s, double t)
{
    return s->size * sin(s->w * t + s->p);
}

/// What holds it to the belt and is not used up: negative where it slips.
static double spare(const scene *s, double x, double t)
{
    return s->F - fabs(-s->k * x - s->size * s->w * cos(s->w * t + s->p));
}

/// A piece of the motion from t on: `way` is the sign of its speed on the belt, 0 while it sticks.
typedef struct piece {
    double t, x, v;
    int way;
} piece;

static void go(const scene *s, const piece *from, double t, double *x, double *v)
{
    double dt = t - from->t, w = sqrt(s->k), middle = -from->way * s->F / s->k, c = cos(w * dt),
           d = sin(w * dt);
    if (from->way) {
        *x = middle + (from->x - middle) * c + from->v / w * d;
        *v = from->v * c - (from->x - middle) * w * d;
    } else {
        double at = s->w * from->t + s->p;
        *x = from->x + s->size / s->w * (cos(at) - cos(s->w * t + s->p)), *v = belt(s, t);
    }
}

/// Positive as long as the piece lasts.
static double lasts(const scene *s, const piece *from, double t)
{
    double x, v;
    go(s, from, t, &x, &v);
    return from->way ? from->way * (v - belt(s, t)) : spare(s, x, t);
}

static stays truth(const scene *s, double off)
{
    stays all = {.sure = true};
    piece now = {.x = s->x + off, .v = s->v};
    now.way = now.v > belt(s, 0) ? 1 : -1;
    double step = s->stop / LOOKS, t = 0;
    for (int i = 1; t < s->stop; i++) {
        double next = fmin(t + step, s->stop);
        if (lasts(s, &now, next) > 0) {
            t = next;
            continue;
        }
        double lo = t, hi = next;
        for (int n = 0; n < 60; n++) {
            double m = lo + (hi - lo) / 2;
            *(lasts(s, &now, m) > 0 ? &lo : &hi) = m;
        }
        piece then = {.t = hi};
        go(s, &now, hi, &then.x, &then.v);
        double pull = -s->k * then.x - s->size * s->w * cos(s->w * hi + s->p);
        then.way = now.way;
        if (fabs(fabs(pull) - s->F) < 0.02 * s->F && now.way) all.sure = false;
        if (!now.way)
            then.way = pull > 0 ? 1 : -1;
        else
            then.way = fabs(pull) < s->F ? 0 : -now.way;
        if (hi > s->stop - 1e-3 || all.count + 1 >= MOST_STAYS) all.sure = false;
        if (!now.way != !then.way && all.count < MOST_STAYS) all.t[all.count++] = hi;
        now = then, t = fmin(hi + step / 8, s->stop); // it slips away like a square
    }
    go(s, &now, s->stop, &all.x, &all.v);
    return all;
}

static bool same(const stays *right, const stays *all, double near)
{
    bool is = right->count == all->count && fabs(right->x - all->x) <= near &&
              fabs(right->v - all->v) <= near;
    for (uint32_t i = 0; i < right->count && is; i++) is = fabs(right->t[i] - all->t[i]) <= near;
    return is;
}

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    stays *all = self;
    (void)why;
    if (m->kind != FO_SLIDE && m->kind != FO_SLIDE_END) return FO_OK;
    if (all->count < MOST_STAYS) all->t[all->count] = m->t;
    all->count++;
    return FO_OK;
}

static void try_with(const scene *s, const stays *right, const char *solver, double rtol,
                     uint64_t seed)
{
    static const char *const laws[] = {"sign(u)", "(if u > 0 then 1 else -1)",
                                       "(if u >= 0 then 1 else -1)"};
    char text[800];
    stays all = {0};
    fo_message why = {0};
    snprintf(text, sizeof text,
             "model Belt Real x(start = %.17g, fixed = true), v(start = %.17g, fixed = true), u;\n"
             "equation u = v - %.17g*sin(%.17g*time + (%.17g)); der(x) = v;\n"
             "der(v) = -%.17g*x - %.17g*%s; end Belt;\n",
             s->x, s->v, s->size, s->w, s->p, s->k, s->F, laws[seed % 3]);
    fo_text_model_def model_def = {.path = "belt.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_observer who = {.self = &all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = s->stop, def.solver = solver, def.rtol = rtol, def.atol = rtol / 100;
    def.observers = &who, def.observer_count = 1, def.max_steps = 20000;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR_INPUT;
    if (sim) why = *fo_simulation_message(sim);
    if (status == FO_REACHED)
        all.x = fo_simulation_state(sim)->x[0], all.v = fo_simulation_state(sim)->x[1];
    if (status != FO_REACHED || !same(right, &all, 5000 * rtol))
        test_fail(__FILE__, __LINE__,
                  "seed %llu, %s at %g: %u holds, %.9g, %.9g ..., ends at %.9g, %.9g; it should "
                  "have %u, %.9g, %.9g, and %.9g, %.9g: %s",
                  (unsigned long long)seed, solver, rtol, all.count, all.t[0], all.t[1], all.x,
                  all.v, right->count, right->t[0], right->t[1], right->x, right->v, why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(blocks_stick_to_belts_and_slip)
{
    int count = test_inputs(60, 2000), tried = 0, stuck = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
        uint64_t r = seed * 0x9e3779b97f4a7c15u + 1;
        scene s = {.k = between(&r, 1, 20),
                   .F = between(&r, 0.3, 6),
                   .size = between(&r, 0.2, 2),
                   .w = between(&r, 1, 6),
                   .p = between(&r, -1, 1),
                   .x = between(&r, -0.8, 0.8),
                   .v = between(&r, -2, 2),
                   .stop = between(&r, 1, 4)};
        stays right = truth(&s, 0), beside = truth(&s, 1e-6);
        if (!right.sure || !same(&right, &beside, 1e-5)) continue;
        tried++, stuck += right.count > 0;
        for (int k = 0; k < test_count(2, SOLVERS); k++)
            try_with(&s, &right, solvers[(seed + (uint64_t)k) % SOLVERS], k % 2 ? 1e-6 : 1e-8,
                     seed);
    }
    CHECK(2 * tried >= count);
    CHECK(3 * stuck >= tried);
}

TEST_MAIN(TEST_ENTRY(blocks_stick_to_belts_and_slip))
