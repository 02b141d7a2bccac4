/// A ball on a floor, given in every form that a system may have: rates, a mass matrix (also one
/// with constraints), a residual, a stepper. Closed at the start it rests until what presses it
/// turns round, or the run ends with the name of its guard; it never falls through.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

/// The floor's normal force would be zero at t = turn: y'' = c (t - turn) while it flies, and it
/// moves at a constant speed u beside it.
typedef struct ball {
    double c, turn, e, y, v, unit; ///< unit: of length
    bool constrained, holds; ///< a third state w = 2 v, algebraic; a truth of the guard is held
} ball;

enum { Y, V, W, STATES };

static double force(const ball *b, double t)
{
    return b->unit * b->c * (t - b->turn);
}

static fo_status start(const void *model, fo_state *s)
{
    const ball *b = model;
    s->x[Y] = b->unit * b->y, s->x[V] = b->unit * b->v, s->x[W] = 2 * b->unit * b->v;
    s->d[0] = b->y > 0;
    return FO_OK;
}

static fo_status height(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)s, (void)t;
    g[0] = x[Y];
    return FO_OK;
}

static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    const ball *b = model;
    signs[0] = !b->holds ? 0 : s->d[0] > 0 ? FO_ABOVE : FO_BELOW | FO_AT_ZERO;
}

static fo_status bounce(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const ball *b = model;
    (void)e;
    if (m->kind != FO_GUARD) return FO_OK;
    if (b->holds) s->d[0] = m->direction > 0;
    if (m->direction > 0) return FO_OK;
    double by = -(1 + b->e) * s->x[V];
    s->x[V] += by, s->x[W] += 2 * by;
    return FO_OK;
}

// w follows v by itself, or is twice v.
static fo_status plain(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)s;
    dx[Y] = x[V], dx[V] = force(model, t), dx[W] = 2 * dx[V];
    return FO_OK;
}

static fo_status heavy(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    const ball *b = model;
    (void)s;
    double f = force(b, t);
    dx[Y] = 3 * x[V] + f, dx[V] = 2 * f, dx[W] = b->constrained ? x[W] - 2 * x[V] : 8 * f;
    return FO_OK;
}

// By columns: 3 y' + v' = 3 v + f, 2 v' = 2 f, 3 v' + 2.5 w' = 8 f or 0 = w - 2 v.
static fo_status mass(const void *model, const fo_state *s, double *m)
{
    const ball *b = model;
    (void)s;
    memset(m, 0, 9 * sizeof *m);
    m[0] = 3, m[3] = 1, m[4] = 2;
    if (!b->constrained) m[5] = 3, m[8] = 2.5;
    return FO_OK;
}

static fo_status residual(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r)
{
    const ball *b = model;
    (void)s;
    r[0] = 4 * (dx[Y] - x[V]) + dx[V] - force(b, t), r[1] = 0.5 * (dx[V] - force(b, t));
    r[2] = b->constrained ? x[W] - 2 * x[V] : dx[W] - 2 * dx[V];
    return FO_OK;
}

static fo_status step(const void *model, fo_state *s, double t, double h, const double *x,
                      double *to)
{
    (void)s;
    double half = x[V] + h / 2 * force(model, t);
    to[Y] = x[Y] + h * half, to[V] = half + h / 2 * force(model, t + h), to[W] = 2 * to[V];
    return FO_OK;
}
static const fo_stepper stepper = {.name = "kick, drift, kick", .order = 2, .step = step};

#define COMMON .kind = "C", .start = start, .guards = height, .jump = bounce, .held = held
static const fo_system_type by_rates = {COMMON, .rates = plain};
static const fo_system_type by_mass = {COMMON, .rates = heavy, .mass = mass};
static const fo_system_type by_residual = {COMMON, .residual = residual};
static const fo_system_type by_both = {COMMON, .rates = plain, .residual = residual};
static const fo_system_type by_steps = {COMMON, .stepper = &stepper};
static const fo_system_type by_steps_and_rates = {COMMON, .stepper = &stepper, .rates = plain};

/// A form, and the methods that take it.
typedef struct form {
    const fo_system_type *type;
    const char *name;
    bool constrained, refuses; ///< nothing may rest there
    const char *solvers[8];
} form;

#ifdef FOI_WITH_SUNDIALS
#define IDA "ida"
#else
#define IDA NULL
#endif

static const form forms[] = {
    {&by_rates, "rates", false, false, {"dp45", "radau5", "rodas4", "adams", IDA}},
    {&by_mass, "mass", false, false, {"radau5", "rodas4", IDA}},
    {&by_mass, "mass and constraint", true, true, {"radau5", "rodas4", IDA}},
    {&by_residual, "residual", false, false, {IDA}},
    {&by_both, "residual and rates", false, false, {IDA}},
    {&by_residual, "residual and constraint", true, true, {IDA}},
    {&by_steps, "stepper", false, true, {"own"}},
    {&by_steps_and_rates, "stepper and rates", false, true, {"own"}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const fo_variable states[] = {{"y"}, {"v"}, {"w"}};
static const fo_variable discretes[] = {{"above"}};

typedef struct seen {
    int rests, ends;
    double left;
} seen;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    seen *all = self;
    (void)why;
    all->rests += m->kind == FO_REST;
    if (m->kind == FO_REST_END) all->ends++, all->left = m->t;
    return FO_OK;
}

/// Returns the status; x is where it is at the end.
static fo_status run(const ball *b, const form *f, const char *solver, double stop,
                     const fo_allocator *allocator, double *x, seen *all, fo_message *why)
{
    const fo_guard guard = {.name = "lands", .direction = b->holds ? FO_EITHER : FO_FALLING};
    const fo_description about = {.name = "ball",
                                  .states = {states, STATES},
                                  .discretes = {discretes, 1},
                                  .guards = {&guard, 1}};
    fo_observer who = {.self = all, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    *all = (seen){0};
    def.stop = stop, def.solver = solver, def.rtol = 1e-8, def.atol = 1e-10 * b->unit;
    def.step = 1e-3, def.allocator = allocator;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create((fo_system){f->type, &about, b}, &def, why);
    if (!sim) return why->status;
    fo_status status = fo_simulation_advance(sim, stop);
    *why = *fo_simulation_message(sim);
    memcpy(x, fo_simulation_state(sim)->x, STATES * sizeof *x);
    fo_simulation_destroy(sim);
    return status;
}

static void fail(const ball *b, const form *f, const char *solver, const char *what, double value,
                 const char *why)
{
    test_fail(__FILE__, __LINE__, "%s by %s, y %g v %g e %g unit %g%s: %s %.10g %s", f->name,
              solver, b->y, b->v, b->e, b->unit, b->holds ? ", held" : "", what, value, why);
}

/// Lies until it is drawn up at `turn`, and flies then.
static void try_one(ball b, const form *f, const char *solver, double stop)
{
    double x[STATES], gone = fmax(0, stop - b.turn), most = 1e-4 * b.unit;
    seen all;
    fo_message why = {0};
    b.constrained = f->constrained;
    fo_status status = run(&b, f, solver, stop, NULL, x, &all, &why);
    if (f->refuses) {
        if (status != FO_ERROR_ZENO || !strstr(why.text, "lands"))
            fail(&b, f, solver, "ends with y = ", x[Y] / b.unit, why.text);
        return;
    }
    double y = b.unit * b.c * gone * gone * gone / 6, v = b.unit * b.c * gone * gone / 2;
    if (status != FO_REACHED)
        fail(&b, f, solver, "ends with ", status, why.text);
    else if (!(fabs(x[Y] - y) <= most) || !(fabs(x[V] - v) <= most) ||
             !(fabs(x[W] - 2 * v) <= 2 * most))
        fail(&b, f, solver, "y = ", x[Y] / b.unit, "");
    else if (!all.rests || all.ends != (stop > b.turn))
        fail(&b, f, solver, "rests", all.rests, "");
    else if (all.ends && !(fabs(all.left - b.turn) <= 1e-5))
        fail(&b, f, solver, "leaves at ", all.left, "");
}

static void try_all(ball b, double stop)
{
    for (int f = 0; f < FORMS; f++)
        for (int k = 0; k < 8; k++)
            if (forms[f].solvers[k]) try_one(b, &forms[f], forms[f].solvers[k], stop);
}

TEST(closed_at_the_start_it_rests_until_it_is_lifted)
{
    static const double heights[] = {0, -1e-18}, speeds[] = {0, -1, -1e-17},
                        units[] = {1, 1e-9, 1e6, 1e-170, 1e100}, parts[] = {0.5, 0};
    for (int y = 0, n = 0; y < 2; y++)
        for (int v = 0; v < 3; v++)
            for (int e = 0; e < 2; e++, n++)
                try_all((ball){.c = 10,
                               .turn = 1,
                               .e = parts[e],
                               .y = heights[y],
                               .v = speeds[v],
                               .unit = units[n % 5],
                               .holds = (y + v + e) % 2},
                        1.5);
}

TEST(dropped_it_comes_to_rest_until_it_is_lifted)
{
    static const double units[] = {1, 1e-9, 1e6}, parts[] = {0.5, 0, 0.25};
    for (int u = 0; u < 3; u++)
        for (int e = 0; e < 3; e++)
            try_all((ball){.c = 10,
                           .turn = 1,
                           .e = parts[e],
                           .y = 0.1,
                           .unit = units[u],
                           .holds = (u + e) % 2},
                    1.5);
}

TEST(every_allocation_may_fail_once)
{
    for (int f = 0; f < FORMS; f++) {
        ball b = {.c = 10, .turn = 1, .e = 0.5, .unit = 1, .constrained = forms[f].constrained};
        fo_status status = FO_ERROR_MEMORY;
        for (long fail_at = 1; status == FO_ERROR_MEMORY && forms[f].solvers[0]; fail_at++) {
            double x[STATES];
            seen all;
            fo_message why = {0};
            test_memory memory;
            test_memory_init(&memory, fail_at);
            status =
                run(&b, &forms[f], forms[f].solvers[0], 0.01, &memory.allocator, x, &all, &why);
            CHECK_INT(memory.live, 0);
            CHECK(fail_at < 400);
        }
        if (forms[f].solvers[0]) CHECK_INT(status, forms[f].refuses ? FO_ERROR_ZENO : FO_REACHED);
    }
}

TEST_MAIN(TEST_ENTRY(closed_at_the_start_it_rests_until_it_is_lifted),
          TEST_ENTRY(dropped_it_comes_to_rest_until_it_is_lifted),
          TEST_ENTRY(every_allocation_may_fail_once))
