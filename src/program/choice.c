/// The choice of states. After index reduction more variables have derivatives than can be chosen
/// freely: x, y, vx and vy of a pendulum in Cartesian coordinates, with x^2 + y^2 = l^2 and its
/// derivative between them. All of them are states of the program, which needs no choice: its
/// rates, the highest derivatives, follow from equations of their own, regular wherever the
/// constraints are. The system that the solver sees has only as many states as are free; the rest
/// is computed from them by the constraints, to rounding, at every point at which anything is
/// asked (constraints.c). Which ones are computed is a list of numbers in the state's memory, and
/// there is one program for all choices, however many constraints there are.
///
/// After every accepted step it is looked whether the constraints hold as exactly as rounding lets
/// them, and whether the choice is still a good one (pivots.c). If not, the next moment is due at
/// once, and its jump chooses anew: the point stays the same, other parts of it are the states.
/// Where Newton's method cannot be sure of its solution the step is refused. So a choice is never
/// kept beyond its time, and if there is none the run ends with a message.
///
/// Why not all of them as states of the system, projected onto the constraints after each step?
/// Then a solver must know of it (what was projected is not what it has computed: steps of several
/// values, dense output, error estimates), the rows between the steps would need it too, and an
/// error estimate would count directions in which there is no error. Here any solver does, and what
/// it controls is what is free.
///
///     memory:   due | t | z | dz/dt | computed, signs (foi_manifold) | the memory of the program
///     scratch:  z | dz/dt | z of a jump | up to six with bounds | x, dx/dt and the last z of a
///     path |
///               work (foi_manifold) | chosen before | set | the scratch of the program
///
/// t, z and dz/dt are those of the last step: where the solutions nearby begin.
#include <float.h>
#include <math.h>
#include <string.h>

#include "program/program.h"
#include "system/state.h"

enum {
    MOST_PARTS = 64, ///< of a way from one step to a point of the next
    BOUNDS = 6,      ///< rows of z that bounds take, from the first one on
};

struct foi_choice {
    fo_system_type type;
    fo_description about;
    foi_arena arena;
    const foi_program *program;
    uint32_t n;             ///< states of the program
    uint32_t *candidate_of; ///< per state of the program: the candidate that it is, or FOI_NOTHING
    size_t memory, scratch; ///< where those of the program begin [bytes]
};

/// One call: the state as the program sees it, and what lies in memory and scratch space.
typedef struct view {
    const foi_choice *c;
    const foi_program *g;
    fo_state v;
    double *due, *t, *base, *slopes; ///< memory
    double *z, *dz, *old;            ///< scratch
    double *x, *dx;                  ///< of a point on a path; who goes along it asks for bounds
    double *end;                     ///< z at the end of the path
    double *from, *proof;            ///< where a part begins; work space
    double *chosen;                  ///< what was computed before a jump
    bool *set;
    foi_manifold m;
} view;

// m.v points into the view: it must not be moved.
static void look(view *w, const foi_choice *c, const fo_state *s)
{
    const foi_program *g = c->program;
    double *memory = s->memory, *scratch = s->scratch;
    uint32_t n = c->n;
    *w = (view){.c = c, .g = g, .v = *s};
    w->due = memory, w->t = memory + 1, w->base = memory + 2, w->slopes = w->base + n;
    w->z = scratch, w->dz = w->z + n, w->old = w->dz + n;
    w->x = scratch + BOUNDS * n, w->dx = w->x + n, w->end = w->dx + n;
    double *work = w->end + n;
    w->from = work + foi_manifold_work(&g->constraints), w->proof = w->from + n;
    w->chosen = w->proof + foi_manifold_proof_work(g);
    w->set = (bool *)(w->chosen + g->constraints.candidates);
    w->v.memory = (char *)s->memory + c->memory;
    w->v.scratch = (char *)s->scratch + c->scratch;
    w->v.x = w->z;
    w->m = foi_manifold_of(g, &w->v, w->slopes + n, work);
}

static bool is_free(const view *w, uint32_t i)
{
    uint32_t k = w->c->candidate_of[i];
    return k == FOI_NOTHING || w->m.computed[k] == 0;
}

static void take_free(const view *w, const double *z, double *x)
{
    for (uint32_t i = 0, k = 0; i < w->c->n; i++)
        if (is_free(w, i)) x[k++] = z[i];
}

// ------------------------------------------------------------------------------ from x to all of z

// The free ones are x, the others begin on the tangent at the last step.
static bool begin_at(const view *w, double t, const double *x)
{
    bool same = t == *w->t;
    for (uint32_t i = 0, k = 0; i < w->c->n; i++) {
        if (is_free(w, i)) {
            same &= x[k] == w->base[i];
            w->z[i] = x[k++];
        } else {
            w->z[i] = w->base[i] + (t - *w->t) * w->slopes[i];
        }
    }
    return same;
}

// z at t follows from w->from at t0.
static bool follows(const view *w, double t0, double t)
{
    foi_way_between way = {t0, t, w->from, w->z};
    return foi_manifold_follows(&w->m, &way, w->proof);
}

// In so many parts from the last step to (t, x), each begins where the one before has ended.
static fo_status go_in_parts(view *w, double t, const double *x, int parts)
{
    fo_status status = FO_OK;
    double before = *w->t;
    memcpy(w->z, w->base, w->c->n * sizeof *w->z);
    // a parameter may have been set since: then it begins at another point
    status = foi_manifold_solve(&w->m, before, w->z, true);
    for (int part = 1; part <= parts && status == FO_OK; part++) {
        double theta = (double)part / parts;
        memcpy(w->from, w->z, w->c->n * sizeof *w->z);
        for (uint32_t i = 0, k = 0; i < w->c->n; i++) {
            if (!is_free(w, i)) continue;
            w->z[i] = part == parts ? x[k] : w->base[i] + theta * (x[k] - w->base[i]);
            k++;
        }
        double now = part == parts ? t : *w->t + theta * (t - *w->t);
        status = foi_manifold_solve(&w->m, now, w->z, false);
        if (status == FO_OK && !follows(w, before, now)) status = FO_RETRY;
        before = now;
    }
    return status;
}

// All states of the program at (t, x). Where it is the point of the last step itself, something
// else has changed (a parameter was set): any solution will do.
static fo_status expand(view *w, double t, const double *x)
{
    bool same = begin_at(w, t, x);
    fo_status status = foi_manifold_solve(&w->m, t, w->z, same);
    memcpy(w->from, w->base, w->c->n * sizeof *w->z);
    if (status == FO_OK && !same && !follows(w, *w->t, t)) status = FO_RETRY;
    for (int parts = 2; parts <= MOST_PARTS && status == FO_RETRY && !same; parts *= 2)
        status = go_in_parts(w, t, x, parts);
    return status;
}

static fo_status cannot(const view *w, double t)
{
    return fo_fail(w->v.message, FO_ERROR_CONVERGE,
                   "at t = %.15g %s cannot be solved for what follows from it", t,
                   w->g->constraints.text[w->m.failed]);
}

static fo_status see(view *w, const foi_choice *c, const fo_state *s, double t, const double *x)
{
    look(w, c, s);
    fo_status status = expand(w, t, x);
    return status == FO_RETRY ? cannot(w, t) : status;
}

// ------------------------------------------------------------------------------------------- flow

static fo_status choice_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    view w;
    look(&w, model, s);
    fo_status status = expand(&w, t, x);
    if (status == FO_ERROR_CONVERGE) status = FO_RETRY;
    if (status == FO_OK) status = foi_program_rates(w.g, &w.v, t, w.z, w.dz);
    if (status == FO_OK) take_free(&w, w.dz, dx);
    return status;
}

static fo_status choice_guards(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    view w;
    fo_status status = see(&w, model, s, t, x);
    return status == FO_OK ? foi_program_guards(w.g, &w.v, t, w.z, values) : status;
}

static fo_status choice_divisors(const void *model, const fo_state *s, double t, const double *x,
                                 double *values)
{
    view w;
    look(&w, model, s);
    fo_status status = expand(&w, t, x);
    return status == FO_OK ? foi_program_divisors(w.g, &w.v, t, w.z, values) : FO_RETRY;
}

static void choice_held(const void *model, const fo_state *s, uint8_t *signs)
{
    view w;
    look(&w, model, s);
    foi_program_held(w.g, &w.v, signs);
}

static fo_status choice_observe(const void *model, const fo_state *s, double t, const double *x,
                                double *y)
{
    view w;
    fo_status status = see(&w, model, s, t, x);
    return status == FO_OK ? foi_program_observe(w.g, &w.v, t, w.z, y) : status;
}

static fo_next choice_next(const void *model, const fo_state *s)
{
    const foi_choice *c = model;
    view w;
    look(&w, c, s);
    if (*w.due != 0) return (fo_next){s->t, (uint32_t)c->program->about.moments.count};
    if (!w.g->type.next) return (fo_next){INFINITY, 0};
    w.v.x = w.base; // what is known in advance does not depend on what flows
    return w.g->type.next(w.g, &w.v);
}

// ------------------------------------------------------------------------------------ after a step

// The point z is the last one from now on.
static fo_status keep(view *w, double t)
{
    bool bad;
    uint32_t n = w->c->n;
    fo_status status = foi_manifold_check(&w->m, t, w->z);
    if (status == FO_OK) status = foi_manifold_judge(&w->m, t, &bad);
    if (status == FO_OK) status = foi_program_rates(w->g, &w->v, t, w->z, w->dz);
    if (status == FO_RETRY) status = FO_ERROR_CONVERGE; // and the message is there
    if (status != FO_OK) return status;
    *w->due = bad, *w->t = t;
    memcpy(w->base, w->z, n * sizeof *w->z);
    memcpy(w->slopes, w->dz, n * sizeof *w->dz);
    return FO_OK;
}

static fo_status choice_settle(const void *model, fo_state *s, double t, const double *x)
{
    view w;
    fo_status status = see(&w, model, s, t, x);
    if (status == FO_OK && w.g->type.settle) status = w.g->type.settle(w.g, &w.v, t, w.z);
    return status == FO_OK ? keep(&w, t) : status;
}

typedef struct on_path {
    view *w;
    const fo_path *path;
} on_path;

static void all_at(void *self, double t, double *z, double *dz)
{
    view *w = ((on_path *)self)->w;
    const fo_path *path = ((on_path *)self)->path;
    path->at(path->self, t, w->x, w->dx);
    bool good = expand(w, t, w->x) == FO_OK;
    good = good && foi_program_rates(w->g, &w->v, t, w->z, w->dz) == FO_OK;
    memcpy(z, w->z, w->c->n * sizeof *z);
    for (uint32_t i = 0, k = 0; i < w->c->n; i++) {
        dz[i] = good ? w->dz[i] : w->slopes[i];
        if (is_free(w, i)) dz[i] = w->dx[k++]; // of a stiff one the rates are noise
    }
}

static fo_status choice_record(const void *model, fo_state *s, const fo_path *path)
{
    view w;
    fo_status status = see(&w, model, s, path->to, s->x);
    memcpy(w.end, w.z, w.c->n * sizeof *w.end); // points of the path are put where it is
    w.v.x = w.end;
    on_path self = {&w, path};
    fo_path all = *path;
    all.self = &self, all.at = all_at;
    return status == FO_OK ? w.g->type.record(w.g, &w.v, &all) : status;
}

// ---------------------------------------------------------------------------------------- changing

// What a reinit has set must come out of the constraints as it was set.
static fo_status contradicts(const view *w, double t, uint32_t i, double wanted)
{
    const foi_constraints *q = &w->g->constraints;
    uint32_t k = w->c->candidate_of[i], failed = 0;
    for (uint32_t m = 0; m < q->slopes; m++)
        if (q->column[m] == k) failed = q->row[m];
    return fo_refuse(&w->v, "at t = %.15g reinit(%s, %.9g) contradicts %s, which gives %.9g", t,
                     w->g->about.states.list[i].name, wanted, q->text[failed], w->z[i]);
}

// Brings z back onto the constraints. What was set is not computed, if that can be; if it is, it
// must be what it was set to.
static fo_status return_to(view *w, double t)
{
    const foi_constraints *q = &w->g->constraints;
    bool there; // the last bits of what is zero but for rounding contradict nothing
    memcpy(w->old, w->z, w->c->n * sizeof *w->z);
    fo_status status = foi_manifold_holds(&w->m, t, w->z, &there);
    if (status == FO_OK && there) return status;
    if (status == FO_OK) status = foi_manifold_solve(&w->m, t, w->z, true);
    if (status == FO_RETRY) return cannot(w, t);
    for (uint32_t k = 0; k < q->candidates && status == FO_OK; k++) {
        uint32_t i = q->state[k];
        double off = fabs(w->z[i] - w->old[i]);
        if (w->set[k] && off > 1e-6 * (fabs(w->old[i]) + fabs(w->base[i])))
            return contradicts(w, t, i, w->old[i]);
    }
    memcpy(w->old, w->z, w->c->n * sizeof *w->z);
    return status;
}

fo_status foi_choice_reinit(const foi_choice *c, fo_state *v)
{
    fo_state s = *v;
    view w;
    bool any = false;
    s.memory = (char *)v->memory - c->memory, s.scratch = (char *)v->scratch - c->scratch;
    look(&w, c, &s);
    const foi_constraints *q = &w.g->constraints;
    for (uint32_t k = 0; k < q->candidates; k++) {
        bool set = w.z[q->state[k]] != w.old[q->state[k]];
        w.set[k] |= set, any |= set;
    }
    if (!any) return FO_OK;
    foi_manifold_forget(&w.m);
    fo_status status = foi_manifold_choose(&w.m, v->t, w.z, w.set);
    return status == FO_OK ? return_to(&w, v->t) : status;
}

// Before a jump: all states, and none of them is set.
static fo_status depart(view *w, const foi_choice *c, const fo_state *s)
{
    fo_status status = see(w, c, s, s->t, s->x);
    memcpy(w->old, w->z, c->n * sizeof *w->z);
    for (uint32_t k = 0; k < w->g->constraints.candidates; k++)
        w->set[k] = false, w->chosen[k] = w->m.computed[k];
    return status;
}

// Where a constraint jumps, what has a derivative would jump with it, and which one would depend on
// the choice: there is no solution, unless a reinit says what happens. `old` is what was before.
static fo_status jumps(const view *w, double t, const double *old)
{
    const foi_constraints *q = &w->g->constraints;
    for (uint32_t k = 0; k < q->candidates; k++)
        if (w->set[k]) return FO_OK;
    for (uint32_t m = q->slopes; m-- > 0;) { // derivatives of constraints come before these
        uint32_t i = q->state[q->column[m]];
        if (w->m.computed[q->column[m]] == 0 ||
            !(fabs(w->z[i] - old[i]) > 1e-6 * (fabs(old[i]) + fabs(w->z[i]))))
            continue;
        return fo_refuse(
            &w->v,
            "at t = %.15g %s jumps, and would carry '%s' from %.9g to %.9g: what has a "
            "derivative jumps by reinit only",
            t, q->text[q->row[m]], w->g->about.states.list[i].name, old[i], w->z[i]);
    }
    return FO_OK;
}

// To set a state another choice may be needed than the one before. Once it is set that one will do
// again, if it is a good one still: who compares the states before and after a jump, one by one,
// compares the same.
static fo_status keep_choice(view *w, double t)
{
    uint32_t count = w->g->constraints.candidates;
    bool changed = false;
    for (uint32_t k = 0; k < count; k++) changed |= w->chosen[k] != w->m.computed[k];
    for (uint32_t k = 0; k < count && changed; k++) {
        double other = w->chosen[k];
        w->chosen[k] = w->m.computed[k], w->m.computed[k] = other;
    }
    fo_status status = keep(w, t);
    if (status != FO_OK || !changed || *w->due == 0) return status;
    memcpy(w->m.computed, w->chosen, count * sizeof *w->chosen);
    return keep(w, t);
}

// After it: what has changed may have changed the constraints, too; as it may where something is
// set from outside, but not where the model goes on by itself.
static fo_status arrive(view *w, fo_state *s, bool outside)
{
    bool moved = false;
    memcpy(w->dz, w->z, w->c->n * sizeof *w->z);
    fo_status status = return_to(w, s->t);
    if (status == FO_OK && !outside) status = jumps(w, s->t, w->dz);
    for (uint32_t i = 0; i < w->c->n; i++) moved |= w->dz[i] != w->z[i];
    if (status == FO_OK && moved && w->g->type.settle)
        status = w->g->type.settle(w->g, &w->v, s->t, w->z);
    if (status == FO_OK) status = keep_choice(w, s->t);
    take_free(w, w->z, s->x);
    return status;
}

// What a moment with index `moments.count` does: the point stays, and other states serve.
static fo_status choose(view *w, fo_state *s)
{
    fo_status status = foi_manifold_choose(&w->m, s->t, w->z, NULL);
    memcpy(w->chosen, w->m.computed, w->g->constraints.candidates * sizeof *w->chosen);
    return status == FO_OK ? arrive(w, s, false) : status;
}

static fo_status choice_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const foi_choice *c = model;
    view w;
    fo_status status = depart(&w, c, s);
    if (status != FO_OK) return status;
    if (m->kind == FO_SCHEDULED && m->index == c->program->about.moments.count)
        return choose(&w, s);
    if (w.g->type.jump) status = w.g->type.jump(w.g, &w.v, m, e);
    bool outside = m->kind == FO_SET;
    return status == FO_OK && !e->unchanged ? arrive(&w, s, outside) : status;
}

// What leaves a side may set states, as a jump may.
static fo_status choice_side(const void *model, fo_state *s, const int8_t *sides)
{
    view w;
    fo_status status = depart(&w, model, s);
    memcpy(w.from, w.z, w.c->n * sizeof *w.from);
    if (status == FO_OK) status = foi_program_side(w.g, &w.v, sides);
    bool moved = false;
    for (uint32_t i = 0; i < w.c->n; i++) moved |= w.z[i] != w.from[i];
    return status == FO_OK && moved ? arrive(&w, s, true) : status;
}

static fo_status choice_finish(const void *model, fo_state *s)
{
    view w;
    fo_status status = depart(&w, model, s);
    if (status == FO_OK) status = w.g->type.finish(w.g, &w.v);
    return status == FO_OK ? arrive(&w, s, true) : status;
}

// The first choice is the one that the initial system was made for.
static fo_status choice_start(const void *model, fo_state *s)
{
    const foi_choice *c = model;
    const foi_constraints *q = &c->program->constraints;
    view w;
    look(&w, c, s);
    for (uint32_t k = 0; k < q->candidates; k++) w.m.computed[k] = q->computed[k], w.set[k] = false;
    for (uint32_t i = 0, k = 0; i < c->n; i++)
        w.z[i] = is_free(&w, i) ? s->x[k++] : c->program->about.states.list[i].start;
    fo_status status = foi_program_start(c->program, &w.v);
    if (status != FO_OK) return status;
    memcpy(w.base, w.z, c->n * sizeof *w.z);
    foi_manifold_forget(&w.m);
    status = foi_manifold_choose(&w.m, s->t, w.z, NULL);
    memcpy(w.chosen, w.m.computed, q->candidates * sizeof *w.chosen);
    return status == FO_OK ? arrive(&w, s, true) : status;
}

static const char *choice_expression(const void *model, fo_reference which, char *text, size_t size)
{
    const foi_choice *c = model;
    if (which.quantity == FO_STATE) return NULL; // it is not known which of the program's it is
    return foi_program_expression(c->program, which, text, size);
}

// ----------------------------------------------------------------------------------------- bounds

// Bounds of all states: of those that are computed nothing is known. They lie in the scratch space
// from `at` on.
static fo_bounds widen(const view *w, const fo_bounds *x, double *at)
{
    fo_bounds z = {at, at + w->c->n};
    if (!x->lo) return *x;
    for (uint32_t i = 0, k = 0; i < w->c->n; i++) {
        bool known = is_free(w, i);
        z.lo[i] = known ? x->lo[k] : -INFINITY, z.hi[i] = known ? x->hi[k] : INFINITY;
        k += known;
    }
    return z;
}

static fo_stretch widen_all(const view *w, const fo_stretch *on)
{
    size_t n = w->c->n;
    fo_stretch all = *on;
    all.x = widen(w, &on->x, w->z);
    all.dx = widen(w, &on->dx, w->z + 2 * n);
    all.x_mid = widen(w, &on->x_mid, w->z + 4 * n);
    return all;
}

static fo_status choice_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e)
{
    view w;
    look(&w, model, s);
    fo_stretch all = widen_all(&w, on);
    return foi_program_guard_bounds(w.g, &w.v, &all, e);
}

static fo_status choice_output_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                      fo_enclosure *e)
{
    view w;
    look(&w, model, s);
    fo_stretch all = widen_all(&w, on);
    return foi_program_output_bounds(w.g, &w.v, &all, e);
}

// ----------------------------------------------------------------------------------------- making

static bool describe_states(foi_choice *c)
{
    const foi_program *g = c->program;
    const foi_constraints *q = &g->constraints;
    uint32_t count = c->n - q->count, k = 0;
    fo_variable *states = foi_arena_new(&c->arena, count, sizeof *states);
    for (uint32_t i = 0; states && i < c->n; i++) {
        const fo_variable *from = &g->about.states.list[i];
        uint32_t candidate = c->candidate_of[i];
        if (candidate != FOI_NOTHING && q->computed[candidate]) continue;
        states[k].start = from->start;
        states[k].name = foi_arena_print(&c->arena, "state[%u]", k + 1);
        states[k].about =
            foi_arena_print(&c->arena, "%s at the start; later another may serve", from->name);
        k++;
    }
    c->about.states = (fo_variables){states, count};
    c->about.pairs = 0; // another choice may have them in another order
    return !c->arena.failed;
}

static bool describe_moments(foi_choice *c)
{
    const fo_events *from = &c->program->about.moments;
    fo_event *list = foi_arena_new(&c->arena, from->count + 1, sizeof *list);
    if (!list) return false;
    if (from->count) memcpy(list, from->list, from->count * sizeof *list);
    list[from->count] = (fo_event){.name = "choice of states", .about = FOI_CHOICE_ABOUT};
    c->about.moments = (fo_events){list, from->count + 1};
    c->about.constrained = true;
    return true;
}

static bool describe(foi_choice *c)
{
    const foi_program *g = c->program;
    const foi_constraints *q = &g->constraints;
    c->n = (uint32_t)g->about.states.count;
    c->candidate_of = foi_arena_new(&c->arena, c->n, sizeof *c->candidate_of);
    if (!c->candidate_of) return false;
    memset(c->candidate_of, 0xFF, c->n * sizeof *c->candidate_of);
    for (uint32_t k = 0; k < q->candidates; k++) c->candidate_of[q->state[k]] = k;
    c->about = g->about;
    size_t memory = 2 + 2 * (size_t)c->n + foi_manifold_kept(q);
    size_t set = (q->candidates * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
    size_t scratch = (BOUNDS + 3) * (size_t)c->n + foi_manifold_work(q) + set;
    scratch += c->n + foi_manifold_proof_work(g) + q->candidates;
    c->memory = (memory + 1) / 2 * 16, c->scratch = (scratch + 1) / 2 * 16;
    c->about.memory += c->memory, c->about.scratch += c->scratch;
    return describe_states(c) && describe_moments(c);
}

foi_choice *foi_choice_create(const foi_program *program)
{
    const fo_allocator *allocator = program->arena.allocator;
    foi_choice *c = foi_new(allocator, 1, sizeof *c);
    if (!c) return NULL;
    foi_arena_begin(&c->arena, allocator, 0);
    c->program = program;
    if (!describe(c)) {
        foi_choice_destroy(c);
        return NULL;
    }
    c->type = (fo_system_type){.kind = "program",
                               .start = choice_start,
                               .rates = choice_rates,
                               .next = choice_next,
                               .jump = choice_jump,
                               .observe = choice_observe,
                               .settle = choice_settle};
    c->type.expression = choice_expression;
    c->type.hears_sets = program->type.hears_sets;
    if (program->guards) {
        c->type.guards = choice_guards, c->type.guard_bounds = choice_bounds;
        c->type.held = choice_held, c->type.side = choice_side;
    }
    if (program->type.output_bounds) c->type.output_bounds = choice_output_bounds;
    if (program->divisors) c->type.divisors = choice_divisors;
    c->type.divisor_count = program->divisors;
    if (program->type.finish) c->type.finish = choice_finish;
    if (program->type.record) c->type.record = choice_record;
    return c;
}

void foi_choice_destroy(foi_choice *c)
{
    if (!c) return;
    const fo_allocator *allocator = c->arena.allocator;
    foi_arena_end(&c->arena);
    foi_free(allocator, c);
}

fo_system foi_choice_system(const foi_choice *c)
{
    return (fo_system){&c->type, &c->about, c};
}

foi_program *foi_choice_owner(fo_system system)
{
    if (system.type->rates != choice_rates) return NULL;
    return (foi_program *)((const foi_choice *)system.model)->program;
}
