#include "analysis/tape.h"

#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/variation_inside.h"

typedef enum entry_kind { TAPE_START, TAPE_MOMENT, TAPE_STEP, TAPE_LOOK } entry_kind;

/// One thing that happened. Places are those in the pool of numbers.
typedef struct entry {
    entry_kind kind;
    fo_moment_kind cause;
    uint32_t index;     ///< of the cause
    double t0, t1;      ///< of a step or look: from, to
    size_t parts;       ///< 0: a look at a point
    size_t x0, x1;      ///< the points
    size_t given;       ///< what was given
    double slope, tick; ///< of a guard, along the run; of a sampler
    size_t turn, turns; ///< the first one in t->turns, and how many
    size_t jump;        ///< R_x f- + R_t - f+ of states and discretes
    size_t number;      ///< of looks, of instants
} entry;

struct foi_tape {
    foi_variation *v;
    entry *list;
    size_t count, room;
    double *pool;
    size_t used, pool_room;
    size_t *turns; ///< what they were given
    size_t turn_count, turn_room;
    size_t given;       ///< the last one; SIZE_MAX: none
    size_t here;        ///< the present point
    size_t first;       ///< what the start was given
    size_t start_turns; ///< turns before the present instant
    size_t looks, instants;
    size_t first_instant;      ///< that is not before the last cut
    double *scratch, *guesses; ///< registers and guesses
    bool lacking;              ///< memory
    const fo_allocator *allocator;

    /* the way back */
    foi_reverse q;
    double *lambda, *delta, *leaves; ///< of the costate at work
    double *node_bar;
    double *nodes;
    size_t nodes_room;
    bool *set;
};

static size_t block_of(const foi_tape *t)
{
    return (size_t)t->v->program.layout.total + t->v->program.guesses;
}

foi_tape *foi_tape_create(foi_variation *v, const fo_allocator *a)
{
    foi_tape *t = foi_new(a, 1, sizeof *t);
    if (!t) return NULL;
    size_t n = v->n;
    t->v = v, t->allocator = a, t->given = SIZE_MAX;
    t->looks = t->instants = SIZE_MAX;
    t->scratch = foi_new(a, block_of(t) + 1, sizeof *t->scratch);
    t->guesses = foi_new(a, (size_t)v->program.guesses + 1, sizeof *t->guesses);
    t->node_bar = foi_new(a, FOI_STAGES * n + 1, sizeof *t->node_bar);
    t->set = foi_new(a, n + 1, sizeof *t->set);
    bool good = t->scratch && t->guesses && t->node_bar && t->set &&
                foi_reverse_create(&t->q, &v->program, a) == FO_OK;
    v->tape = t;
    if (good) return t;
    foi_tape_destroy(t);
    return NULL;
}

void foi_tape_destroy(foi_tape *t)
{
    if (!t) return;
    const fo_allocator *a = t->allocator;
    t->v->tape = NULL;
    foi_free(a, t->list);
    foi_free(a, t->pool);
    foi_free(a, t->turns);
    foi_free(a, t->scratch);
    foi_free(a, t->guesses);
    foi_free(a, t->node_bar);
    foi_free(a, t->nodes);
    foi_free(a, t->set);
    if (t->q.g) foi_reverse_destroy(&t->q);
    foi_free(a, t);
}

// ----------------------------------------------------------------------------------------- keeping

static size_t push(foi_tape *t, const double *values, size_t count)
{
    if (t->used + count > t->pool_room) {
        size_t room = 2 * t->pool_room + count + 1024;
        double *pool = foi_grow(t->allocator, t->pool, t->pool_room, room, sizeof *pool);
        if (!pool) return t->lacking = true, 0;
        t->pool = pool, t->pool_room = room;
    }
    if (count) memcpy(t->pool + t->used, values, count * sizeof *values);
    t->used += count;
    return t->used - count;
}

static entry *add(foi_tape *t, entry_kind kind)
{
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        entry *list = foi_grow(t->allocator, t->list, t->room, room, sizeof *list);
        if (!list) return t->lacking = true, (entry *)NULL;
        t->list = list, t->room = room;
    }
    t->list[t->count] = (entry){.kind = kind};
    return &t->list[t->count++];
}

static size_t push_block(foi_tape *t, const double *registers, const double *guesses)
{
    size_t total = t->v->program.layout.total, count = t->v->program.guesses;
    memcpy(t->scratch, registers, total * sizeof *registers);
    if (count && guesses) memcpy(t->scratch + total, guesses, count * sizeof *guesses);
    return push(t, t->scratch, total + count);
}

// What the state gives; kept where something else than time and states has changed.
static size_t keep_given(foi_tape *t, const fo_state *s)
{
    const foi_program *g = &t->v->program;
    const foi_layout *l = &g->layout;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    size_t total = l->total;
    for (int kind = 0; kind < FOI_LEAF_KINDS; kind++)
        for (uint32_t i = 0; i < l->count[kind]; i++)
            t->scratch[l->at[kind] + i] = given.from[kind] ? given.from[kind][i] : 0;
    for (uint32_t i = 0; i < l->count[FOI_LEAF_STATE]; i++)
        t->scratch[l->at[FOI_LEAF_STATE] + i] = 0;
    t->scratch[l->at[FOI_LEAF_TIME]] = 0;
    if (g->guesses) memcpy(t->scratch + total, given.guesses, g->guesses * sizeof *given.guesses);
    size_t size = block_of(t) * sizeof(double);
    if (t->given == SIZE_MAX || memcmp(t->pool + t->given, t->scratch, size) != 0)
        t->given = push(t, t->scratch, block_of(t));
    return t->given;
}

void foi_tape_first(foi_tape *t, const double *registers, const double *guesses)
{
    t->first = push_block(t, registers, guesses);
    t->turn_count = 0, t->start_turns = 0;
    if (t->count == 0 && !add(t, TAPE_START)) return;
    t->list[0].given = t->first;
}

void foi_tape_guesses(foi_tape *t, const double *guesses)
{
    size_t count = t->v->program.guesses;
    if (count && guesses) memcpy(t->guesses, guesses, count * sizeof *guesses);
}

static bool make_room_for_turn(foi_tape *t)
{
    if (t->turn_count < t->turn_room) return true;
    size_t room = t->turn_room ? 2 * t->turn_room : 64;
    size_t *turns = foi_grow(t->allocator, t->turns, t->turn_room, room, sizeof *turns);
    if (!turns) return t->lacking = true, false;
    t->turns = turns, t->turn_room = room;
    return true;
}

void foi_tape_turn(foi_tape *t, const double *registers)
{
    if (!make_room_for_turn(t)) return;
    t->turns[t->turn_count++] = push_block(t, registers, t->guesses);
}

void foi_tape_moment(foi_tape *t, const fo_state *s, const fo_moment *m)
{
    const foi_variation *v = t->v;
    entry *e = add(t, TAPE_MOMENT);
    if (!e) return;
    e->cause = m->kind, e->index = m->index, e->t0 = e->t1 = v->t;
    e->given = keep_given(t, s);
    e->x0 = push(t, v->x, v->n);
    if (m->kind == FO_GUARD) e->slope = v->guard_slope[m->index];
    if (m->kind == FO_SCHEDULED && m->index < v->program.samplers)
        e->tick = foi_memory(s, v->program.ticks)[m->index];
    e->turn = t->turn_count;
    e->number = ++t->instants;
}

void foi_tape_land(foi_tape *t, const double *f)
{
    const foi_variation *v = t->v;
    size_t p = v->count, w = p + 1;
    if (t->lacking || !t->count) return;
    entry *e = &t->list[t->count - 1];
    if (e->kind != TAPE_START && e->kind != TAPE_MOMENT) return;
    e->turns = t->turn_count - e->turn;
    e->jump = t->used;
    for (size_t i = 0; i < v->n; i++) {
        double jump = v->X[i * w + p] - (f ? f[i] : 0);
        push(t, &jump, 1);
    }
    for (size_t i = 0; i < v->m; i++) push(t, &v->XD[i * w + p], 1);
    t->here = push(t, v->x, v->n);
}

void foi_tape_step(foi_tape *t, const fo_state *s, double time, const double *x, bool kept)
{
    entry *e = add(t, kept ? TAPE_STEP : TAPE_LOOK);
    if (!e) return;
    e->t0 = t->v->t, e->t1 = time, e->parts = t->v->parts;
    e->given = keep_given(t, s);
    e->x0 = t->here, e->x1 = push(t, x, t->v->n);
    if (kept) t->here = e->x1;
    if (!kept) e->number = ++t->looks;
}

void foi_tape_point(foi_tape *t, const fo_state *s)
{
    entry *e = add(t, TAPE_LOOK);
    if (!e) return;
    e->t0 = e->t1 = t->v->t;
    e->given = keep_given(t, s);
    e->x0 = e->x1 = t->here, e->number = ++t->looks;
}

size_t foi_tape_look(const foi_tape *t)
{
    return t->looks;
}

size_t foi_tape_instant(const foi_tape *t)
{
    size_t last = t->count;
    while (last > 0 && t->list[last - 1].kind == TAPE_LOOK) last--;
    return last && t->list[last - 1].kind == TAPE_MOMENT ? t->list[last - 1].number : SIZE_MAX;
}

void foi_tape_lack(foi_tape *t)
{
    t->lacking = true;
}

bool foi_tape_lacks(const foi_tape *t)
{
    return t->lacking;
}

// ----------------------------------------------------------------------------------------- cutting

struct foi_tape_mark {
    size_t looks, instants;
    bool at_work; ///< a moment is
    entry moment;
    double
        time; ///< of the point, which follows here; then what the moment was given, and its turns
    const fo_allocator *allocator;
    double numbers[];
};

static bool is_at_work(const foi_tape *t)
{
    return t->v->pending && t->count;
}

size_t foi_tape_entries(const foi_tape *t)
{
    return t->count;
}

bool foi_tape_can_be_cut(const foi_tape *t)
{
    return !t->lacking && !(is_at_work(t) && t->list[t->count - 1].kind != TAPE_MOMENT);
}

size_t foi_tape_first_instant(const foi_tape *t)
{
    return t->first_instant;
}

foi_tape_mark *foi_tape_cut(foi_tape *t, const fo_allocator *a)
{
    size_t n = t->v->n, block = block_of(t);
    bool at_work = is_at_work(t);
    const entry *e = at_work ? &t->list[t->count - 1] : NULL;
    size_t turns = e ? t->turn_count - e->turn : 0, size = n + (e ? block + turns * block : 0);
    foi_tape_mark *k = foi_new(a, 1, sizeof *k + size * sizeof *k->numbers);
    if (!k) return NULL;
    k->looks = t->looks, k->instants = t->instants, k->allocator = a;
    k->time = e ? e->t0 : t->v->t;
    memcpy(k->numbers, e ? t->pool + e->x0 : t->v->x, n * sizeof *k->numbers);
    if (e) {
        double *to = k->numbers + n;
        k->at_work = true, k->moment = *e, k->moment.turns = turns;
        memcpy(to, t->pool + e->given, block * sizeof *to);
        for (size_t i = 0; i < turns; i++)
            memcpy(to + (i + 1) * block, t->pool + t->turns[e->turn + i], block * sizeof *to);
    }
    foi_tape_begin_at(t, k);
    return k;
}

void foi_tape_begin_at(foi_tape *t, const foi_tape_mark *k)
{
    size_t n = t->v->n, block = block_of(t);
    t->count = t->used = t->turn_count = 0, t->given = SIZE_MAX;
    t->looks = k->looks, t->instants = k->instants;
    t->first_instant = k->at_work ? k->moment.number : k->instants + 1;
    t->here = push(t, k->numbers, n);
    if (!k->at_work) return;
    entry *e = add(t, TAPE_MOMENT);
    if (!e) return;
    *e = k->moment, e->turn = 0, e->x0 = t->here;
    e->given = t->given = push(t, k->numbers + n, block);
    for (size_t i = 0; i < k->moment.turns; i++)
        if (make_room_for_turn(t))
            t->turns[t->turn_count++] = push(t, k->numbers + n + (i + 1) * block, block);
}

bool foi_tape_leads_to(const foi_tape *t, size_t entries, const foi_tape_mark *k)
{
    while (entries > 0 && t->list[entries - 1].kind == TAPE_LOOK) entries--;
    if (!entries || t->list[entries - 1].kind != TAPE_STEP) return true;
    const entry *e = &t->list[entries - 1];
    return e->t1 == k->time &&
           memcmp(t->pool + e->x1, k->numbers, t->v->n * sizeof *k->numbers) == 0;
}

void foi_tape_mark_destroy(foi_tape_mark *k)
{
    if (k) foi_free(k->allocator, k);
}

// ---------------------------------------------------------------------------------------- going
// back

/// Puts what was given into the registers, at (time, x).
static void give(foi_tape *t, size_t block, double time, const double *x)
{
    const foi_layout *l = &t->v->program.layout;
    memcpy(t->q.r, t->pool + block, l->total * sizeof *t->pool);
    t->q.r[l->at[FOI_LEAF_TIME]] = time;
    memcpy(t->q.r + l->at[FOI_LEAF_STATE], x, t->v->n * sizeof *x);
}

static const double *guesses_at(const foi_tape *t, size_t block)
{
    return t->pool + block + t->v->program.layout.total;
}

/// Adds up the adjoints of a kind of leaves.
static void gather(const foi_tape *t, foi_leaf kind, double *to)
{
    const foi_layout *l = &t->v->program.layout;
    const double *bar = t->q.bar + l->at[kind];
    for (uint32_t i = 0; i < l->count[kind]; i++) to[i] += bar[i];
}

static void gather_numbers(const foi_tape *t)
{
    const foi_layout *l = &t->v->program.layout;
    static const foi_leaf kinds[] = {FOI_LEAF_PARAMETER, FOI_LEAF_INPUT, FOI_LEAF_START};
    for (int i = 0; i < 3; i++) gather(t, kinds[i], t->leaves + l->at[kinds[i]]);
}

// grad += B_j^T y at one node; what goes to states is in A already.
static bool pull_rates(foi_tape *t, const entry *e, double time, const double *x, const double *y)
{
    foi_reverse *q = &t->q;
    give(t, e->given, time, x);
    if (foi_reverse_run(q, FOI_TASK_RATES, guesses_at(t, e->given)) != FO_OK) return false;
    foi_reverse_clear(q, FOI_TASK_RATES);
    for (size_t i = 0; i < t->v->n; i++) foi_reverse_weigh(q, FOI_TASK_RATES, i, y[i]);
    if (foi_reverse_pull(q, FOI_TASK_RATES) != FO_OK) return false;
    gather_numbers(t);
    gather(t, FOI_LEAF_DISCRETE, t->delta);
    return true;
}

// M^T, from A at the nodes.
static bool factor(foi_variation *v, double h)
{
    size_t n = v->n, all = FOI_STAGES * n;
    for (size_t i = 0; i < FOI_STAGES; i++)
        for (size_t j = 0; j < FOI_STAGES; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    v->matrix[(j * n + l) * all + i * n + k] =
                        (double)(i == j && k == l) -
                        h * foi_radau_a[i][j] * v->A[(j * n + k) * n + l];
    return foi_lu_factor(all, v->matrix, v->pivot);
}

static foi_tape_place place_at(foi_tape *t, const entry *e, double time, const double *x,
                               double *states)
{
    give(t, e->given, time, x);
    return (foi_tape_place){time, x, &t->q, guesses_at(t, e->given), states, t->delta, t->leaves};
}

// One part of a step, whose nodes are given: from the adjoint at its end to that at its beginning.
static bool back_part(foi_tape *t, const entry *e, const foi_weights *w, double from, double h,
                      const double *nodes, double *lambda)
{
    foi_variation *v = t->v;
    size_t n = v->n;
    double *bar = t->node_bar;
    memset(bar, 0, FOI_STAGES * n * sizeof *bar);
    memcpy(bar + (FOI_STAGES - 1) * n, lambda, n * sizeof *bar);
    for (size_t i = 0; i < FOI_STAGES; i++) {
        double time = from + foi_radau_c[i] * h;
        if (!foi_variation_matrix(v, time, nodes + i * n, v->A + i * n * n)) return false;
        if (!w) continue;
        foi_tape_place p = place_at(t, e, time, nodes + i * n, bar + i * n);
        if (!w->node(w->self, &p, h * foi_radau_a[FOI_STAGES - 1][i])) return false;
    }
    if (!factor(v, h)) return false;
    foi_lu_solve(FOI_STAGES * n, v->matrix, v->pivot, bar);
    memset(lambda, 0, n * sizeof *lambda);
    for (size_t i = 0; i < FOI_STAGES; i++)
        for (size_t k = 0; k < n; k++) lambda[k] += bar[i * n + k];
    for (size_t j = 0; j < FOI_STAGES; j++) {
        for (size_t k = 0; k < n; k++) {
            v->column[k] = 0;
            for (size_t i = 0; i < FOI_STAGES; i++)
                v->column[k] += h * foi_radau_a[i][j] * bar[i * n + k];
        }
        if (!pull_rates(t, e, from + foi_radau_c[j] * h, nodes + j * n, v->column)) return false;
    }
    return true;
}

// A step or a look: lambda at its end becomes that at its beginning. `w`: nodes are weighed.
static bool back_step(foi_tape *t, const entry *e, const foi_weights *w, double *lambda)
{
    foi_variation *v = t->v;
    size_t n = v->n, size = e->parts * FOI_STAGES * n;
    if (size > t->nodes_room) {
        double *nodes = foi_grow(t->allocator, t->nodes, t->nodes_room, size, sizeof *nodes);
        if (!nodes) return t->lacking = true, false;
        t->nodes = nodes, t->nodes_room = size;
    }
    v->again = t->pool + e->given, v->again_guesses = guesses_at(t, e->given);
    v->t = e->t0;
    memcpy(v->x, t->pool + e->x0, n * sizeof *v->x);
    bool good = foi_variation_nodes(v, e->t1, t->pool + e->x1, e->parts, t->nodes);
    double h = (e->t1 - e->t0) / (double)e->parts;
    for (size_t k = e->parts; k-- > 0 && good;)
        good = back_part(t, e, w, e->t0 + (double)k * h, h, t->nodes + k * FOI_STAGES * n, lambda);
    v->again = NULL;
    return good;
}

// lambda gets what a look weighs.
static bool back_look(foi_tape *t, const entry *e, const foi_weights *w)
{
    size_t n = t->v->n;
    if (e->parts == 0) {
        foi_tape_place p = place_at(t, e, e->t1, t->pool + e->x1, t->lambda);
        return w->look(w->self, &p, e->number);
    }
    double *own = foi_new(t->allocator, n + 1, sizeof *own);
    if (!own) return t->lacking = true, false;
    foi_tape_place p = place_at(t, e, e->t1, t->pool + e->x1, own);
    bool good = w->look(w->self, &p, e->number) && back_step(t, e, NULL, own);
    for (size_t i = 0; i < n && good; i++) t->lambda[i] += own[i];
    foi_free(t->allocator, own);
    return good;
}

/// What the actions of a task set takes the weights of those states.
static void weigh_actions(foi_tape *t, foi_task task, size_t active, size_t value)
{
    const foi_program *g = &t->v->program;
    memset(t->set, 0, t->v->n * sizeof *t->set);
    for (uint32_t i = g->actions; i-- > 0;) { // of several that set one state the last counts
        if (g->action[i].action != FOI_DO_REINIT) continue;
        if (foi_reverse_value(&t->q, task, active + i) == 0) continue;
        uint32_t k = g->action_state[i];
        if (!t->set[k]) foi_reverse_weigh(&t->q, task, value + i, t->lambda[k]);
        t->set[k] = true;
    }
}

static bool back_turn(foi_tape *t, size_t block)
{
    const foi_program *g = &t->v->program;
    size_t m = t->v->m, active = m + g->conditions;
    foi_reverse *q = &t->q;
    memcpy(q->r, t->pool + block, g->layout.total * sizeof *q->r);
    if (foi_reverse_run(q, FOI_TASK_MOMENT, guesses_at(t, block)) != FO_OK) return false;
    foi_reverse_clear(q, FOI_TASK_MOMENT);
    for (size_t i = 0; i < m; i++) foi_reverse_weigh(q, FOI_TASK_MOMENT, i, t->delta[i]);
    weigh_actions(t, FOI_TASK_MOMENT, active, active + g->actions);
    if (foi_reverse_pull(q, FOI_TASK_MOMENT) != FO_OK) return false;
    for (size_t i = 0; i < t->v->n; i++)
        if (t->set[i]) t->lambda[i] = 0;
    memset(t->delta, 0, m * sizeof *t->delta);
    gather(t, FOI_LEAF_STATE, t->lambda);
    gather(t, FOI_LEAF_DISCRETE, t->delta);
    gather(t, FOI_LEAF_PRE, t->delta);
    gather_numbers(t);
    return true;
}

// The time of the instant, whose weight is `a`.
static bool back_time(foi_tape *t, const entry *e, double a)
{
    const foi_program *g = &t->v->program;
    foi_reverse *q = &t->q;
    foi_task task = e->cause == FO_GUARD ? FOI_TASK_GUARDS : FOI_TASK_INSTANTS;
    if (a == 0 || (e->cause != FO_GUARD && e->cause != FO_SCHEDULED)) return true;
    give(t, e->given, e->t0, t->pool + e->x0);
    if (foi_reverse_run(q, task, guesses_at(t, e->given)) != FO_OK) return false;
    foi_reverse_clear(q, task);
    if (e->cause == FO_GUARD) {
        foi_reverse_weigh(q, task, e->index, -a / e->slope);
    } else if (e->index >= g->samplers) {
        foi_reverse_weigh(q, task, e->index - g->samplers, a);
    } else {
        foi_reverse_weigh(q, task, g->instants + e->index, a);
        foi_reverse_weigh(q, task, g->instants + g->samplers + e->index, a * e->tick);
    }
    if (foi_reverse_pull(q, task) != FO_OK) return false;
    gather(t, FOI_LEAF_STATE, t->lambda);
    gather(t, FOI_LEAF_DISCRETE, t->delta);
    gather(t, FOI_LEAF_PRE, t->delta);
    gather_numbers(t);
    return true;
}

static bool back_moment(foi_tape *t, const entry *e, const foi_weights *w)
{
    size_t n = t->v->n, m = t->v->m;
    const double *jump = t->pool + e->jump;
    double a = w->instant(w->self, e->number);
    for (size_t i = 0; i < n; i++) a += t->lambda[i] * jump[i];
    for (size_t i = 0; i < m; i++) a += t->delta[i] * jump[n + i];
    for (size_t i = e->turns; i-- > 0;)
        if (!back_turn(t, t->turns[e->turn + i])) return false;
    return back_time(t, e, a);
}

static bool back_start(foi_tape *t, const entry *e)
{
    const foi_program *g = &t->v->program;
    size_t n = t->v->n, m = t->v->m, active = n + m;
    foi_reverse *q = &t->q;
    for (size_t i = e->turns; i-- > 0;)
        if (!back_turn(t, t->turns[e->turn + i])) return false;
    memcpy(q->r, t->pool + e->given, g->layout.total * sizeof *q->r);
    if (foi_reverse_run(q, FOI_TASK_START, guesses_at(t, e->given)) != FO_OK) return false;
    foi_reverse_clear(q, FOI_TASK_START);
    weigh_actions(t, FOI_TASK_START, active, active + g->actions);
    for (size_t i = 0; i < n; i++)
        if (!t->set[i]) foi_reverse_weigh(q, FOI_TASK_START, i, t->lambda[i]);
    for (size_t i = 0; i < m; i++) foi_reverse_weigh(q, FOI_TASK_START, n + i, t->delta[i]);
    if (foi_reverse_pull(q, FOI_TASK_START) != FO_OK) return false;
    gather_numbers(t);
    return true;
}

static bool back_entry(foi_tape *t, const entry *e, const foi_weights *w)
{
    switch (e->kind) {
    case TAPE_LOOK: return back_look(t, e, w);
    case TAPE_STEP: return back_step(t, e, w->integrals ? w : NULL, t->lambda);
    case TAPE_MOMENT: return back_moment(t, e, w);
    default: return back_start(t, e);
    }
}

bool foi_costate_create(foi_costate *c, const foi_tape *t)
{
    const foi_variation *v = t->v;
    const fo_allocator *a = c->allocator = t->allocator;
    c->lambda = foi_new(a, v->n + 1, sizeof *c->lambda);
    c->delta = foi_new(a, v->m + 1, sizeof *c->delta);
    c->leaves = foi_new(a, (size_t)v->program.layout.total + 1, sizeof *c->leaves);
    return c->lambda && c->delta && c->leaves;
}

void foi_costate_destroy(foi_costate *c)
{
    foi_free(c->allocator, c->lambda);
    foi_free(c->allocator, c->delta);
    foi_free(c->allocator, c->leaves);
    *c = (foi_costate){0};
}

fo_status foi_tape_back(foi_tape *t, size_t entries, const foi_weights *w, const foi_costate *c)
{
    enum { PIECE = 64 };
    foi_variation *v = t->v;
    t->lambda = c->lambda, t->delta = c->delta, t->leaves = c->leaves;
    v->lost = NULL;
    bool good = !t->lacking;
    for (size_t i = entries; i-- > 0 && good;) {
        good = back_entry(t, &t->list[i], w) && !v->lost;
        if (i % PIECE == 0 && w->trial) foi_trial_rest(w->trial);
    }
    if (t->lacking) return FO_ERROR_MEMORY;
    return good ? FO_OK : FO_ERROR_CONVERGE;
}

void foi_tape_gradient(const foi_tape *t, const foi_costate *c, double *gradient)
{
    const foi_variation *v = t->v;
    for (size_t j = 0; j < v->named; j++)
        gradient[j] = c->leaves[v->program.layout.at[foi_variation_leaf(v->directions[j])] +
                                v->directions[j].index];
}
