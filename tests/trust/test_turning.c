// C guards that cross at one instant, but for rounding errors, and jumps that carry some of them
// across or turn states round: every guard has as many moments as in exact numbers. States go at
// constant rates, so that in whole numbers the truth is a walk over sixths of a tick.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { STATES = 4, GUARDS = 7, TICKS = 60, PARTS = 6, SCALE = 3 };
static const char *const solvers[] = {NULL, "dp45", "radau5", "dop853"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef enum act { NOTHING, MOVE, TURN } act;

/// A state's unit is `unit`; a guard is the state `of` less `at`, and does something to `whom`.
typedef struct walk {
    int states, guards;
    struct {
        int slope, start;
        double unit;
    } state[STATES];
    struct {
        int of, at, direction, whom, by;
        act does;
    } guard[GUARDS];
    double tick;
} walk;

static uint64_t draws;

static int below(int n)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (int)((draws >> 33) % (unsigned)n);
}

static double chance(void)
{
    return below(1 << 20) * 0x1p-20;
}

// Slopes are even and starts and zeros odd, so that much happens at whole ticks.
static walk draw(uint64_t seed)
{
    walk w = {.states = 2};
    draws = seed * 7919 + 11;
    for (int i = 0; i < 8; i++) below(2);
    w.states += below(STATES - 1), w.guards = 3 + below(GUARDS - 2);
    w.tick = below(2) ? 0.1 : (1 + chance()) / 7;
    for (int i = 0; i < w.states; i++) {
        w.state[i].slope = 2 * (1 + below(3)) * (below(4) ? 1 : -1);
        w.state[i].start = 1 + 2 * below(3);
        w.state[i].unit = below(3) ? 0.1 * (1 + below(9)) : chance() + 0.1;
    }
    for (int k = 0; k < w.guards; k++) {
        int of = below(w.states);
        w.guard[k].of = of, w.guard[k].at = 2 * below(30) * (w.state[of].slope > 0 ? 1 : -1) + 1;
        w.guard[k].direction = below(3) - 1, w.guard[k].does = (act)below(3);
        w.guard[k].whom = below(w.states), w.guard[k].by = (4 * below(8) + 2) * (below(2) ? 1 : -1);
    }
    return w;
}

// ---------------------------------------------------------------------------------------- truth

/// Where the walk stands, in parts of units.
typedef struct place {
    int x[STATES], way[STATES], side[GUARDS], count[GUARDS];
    bool rests[GUARDS], fires[GUARDS];
} place;

static int sign_at(const walk *w, const place *p, int k)
{
    int g = p->x[w->guard[k].of] - SCALE * w->guard[k].at;
    return (g > 0) - (g < 0);
}

static bool names(const walk *w, int k, int way)
{
    return !w->guard[k].direction || w->guard[k].direction == way;
}

static void let_happen(const walk *w, place *p)
{
    for (int k = 0; k < w->guards; k++) {
        int whom = w->guard[k].whom;
        if (!p->fires[k]) continue;
        p->count[k]++;
        if (w->guard[k].does == MOVE) p->x[whom] += SCALE * w->guard[k].by;
        if (w->guard[k].does == TURN) p->way[whom] = -p->way[whom];
    }
}

// Which guards a jump, or a part of a tick, has brought to another sign. False: one stands at zero,
// or passes it between two parts; this test says nothing of those.
static bool look(const walk *w, place *p, bool jump, bool *any)
{
    *any = false;
    for (int k = 0; k < w->guards; k++) {
        int to = sign_at(w, p, k), from = p->side[k];
        p->fires[k] = false;
        if (to == from && (to || jump)) continue;
        bool skips = !jump && to && (from || !p->rests[k]);
        if (skips || (to == 0 && (jump || from == 0))) return false;
        p->fires[k] = !p->rests[k] && names(w, k, to > from ? 1 : -1);
        *any |= p->fires[k];
        p->side[k] = to, p->rests[k] = to == 0;
    }
    return true;
}

static bool truth_of(const walk *w, place *p)
{
    *p = (place){0};
    for (int i = 0; i < w->states; i++) p->x[i] = SCALE * w->state[i].start, p->way[i] = 1;
    for (int k = 0; k < w->guards; k++)
        if (!(p->side[k] = sign_at(w, p, k))) return false;
    for (int t = 0; t < TICKS * PARTS; t++) {
        bool any = false;
        for (int i = 0; i < w->states; i++)
            p->x[i] += p->way[i] * w->state[i].slope * SCALE / PARTS;
        if (!look(w, p, false, &any)) return false;
        for (int round = 0; any; round++) {
            if (round == 50) return false;
            let_happen(w, p);
            if (!look(w, p, true, &any)) return false;
        }
    }
    return true;
}

// --------------------------------------------------------------------------------------- in C

// Discretes: the way that each state goes, then the moments of each guard.
static double rate_of(const walk *w, const fo_state *s, int i)
{
    return s->d[i] * w->state[i].slope * w->state[i].unit / w->tick;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    const walk *w = model;
    (void)t, (void)x;
    for (int i = 0; i < w->states; i++) dx[i] = rate_of(w, s, i);
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    const walk *w = model;
    (void)s, (void)t;
    for (int k = 0; k < w->guards; k++)
        g[k] = x[w->guard[k].of] - w->guard[k].at * w->state[w->guard[k].of].unit;
    return FO_OK;
}

static fo_status bounds(const void *model, const fo_state *s, const fo_stretch *on, fo_enclosure *e)
{
    const walk *w = model;
    for (int k = 0; k < w->guards; k++) {
        int i = w->guard[k].of;
        double lo = on->x.lo[i], hi = on->x.hi[i], zero = w->guard[k].at * w->state[i].unit;
        e->g.lo[k] = lo == hi ? lo - zero : nextafter(lo - zero, -INFINITY);
        e->g.hi[k] = lo == hi ? lo - zero : nextafter(hi - zero, INFINITY);
        if (!e->dg.lo) continue;
        e->dg.lo[k] = nextafter(rate_of(w, s, i), -INFINITY);
        e->dg.hi[k] = nextafter(rate_of(w, s, i), INFINITY);
    }
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *why, fo_effect *e)
{
    const walk *w = model;
    uint32_t k = why->index;
    int whom = w->guard[k].whom;
    (void)e;
    s->d[w->states + (int)k]++;
    if (w->guard[k].does == MOVE) s->x[whom] += w->guard[k].by * w->state[whom].unit;
    if (w->guard[k].does == TURN) s->d[whom] = -s->d[whom];
    return FO_OK;
}

/// The description of a walk, and its names.
typedef struct about {
    fo_description all;
    fo_variable states[STATES], discretes[STATES + GUARDS];
    fo_guard guards[GUARDS];
} about;

static void describe(const walk *w, bool bounded, about *a)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    static const char *const of_states[] = {"p", "q", "r", "s"};
    for (int i = 0; i < w->states; i++)
        a->states[i] = (fo_variable){of_states[i], NULL, w->state[i].start * w->state[i].unit};
    for (int i = 0; i < w->states + w->guards; i++)
        a->discretes[i] = (fo_variable){names[i], "1", i < w->states};
    for (int k = 0; k < w->guards; k++)
        a->guards[k] = (fo_guard){
            .name = names[k], .direction = (fo_direction)w->guard[k].direction, .bounded = bounded};
    a->all = (fo_description){.name = "walk",
                              .states = {a->states, (uint32_t)w->states},
                              .discretes = {a->discretes, (uint32_t)(w->states + w->guards)},
                              .guards = {a->guards, (uint32_t)w->guards}};
}

static void try_one(uint64_t seed, const walk *w, const place *want, bool bounded)
{
    fo_system_type type = {.rates = rates, .guards = guards, .jump = jump};
    if (bounded) type.guard_bounds = bounds;
    about a;
    describe(w, bounded, &a);
    fo_run_def def = fo_default_run_def();
    def.stop = (TICKS + 1.0 / (2 * PARTS)) * w->tick;
    def.solver = solvers[seed % SOLVERS];
    def.no_rest = true; // states that are turned round by a guard and its opposite would slide
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &a.all, w}, &def, &why);
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR;
    CHECK(status == FO_REACHED);
    for (int k = 0; sim && k < w->guards; k++) {
        fo_reference count = {FO_DISCRETE, (uint32_t)(w->states + k)};
        double got = fo_simulation_value(sim, count);
        if (got != want->count[k])
            test_fail(__FILE__, __LINE__, "seed %d, guard %d%s: %g moments, not %d", (int)seed, k,
                      bounded ? " with bounds" : "", got, want->count[k]);
    }
    fo_simulation_destroy(sim);
}

static void try_seed(uint64_t seed)
{
    place want;
    walk w = draw(seed);
    if (!truth_of(&w, &want)) return;
    try_one(seed, &w, &want, false);
    try_one(seed, &w, &want, true);
}

TEST(what_turns_back_at_an_instant_is_counted_once)
{
    for (int i = 0; i < test_inputs(8000, 100000); i++) try_seed((uint64_t)i);
}

TEST_MAIN(TEST_ENTRY(what_turns_back_at_an_instant_is_counted_once))
