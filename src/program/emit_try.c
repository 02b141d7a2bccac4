/// One try of a step of rk4 or dp45 as a line, with the rates inlined in every stage: the place of
/// each stage, its rates, the end, and for dp45 the error. The arithmetic is that of solver/erk.h,
/// operation by operation and from the same tableaux. What decides over steps is in C, in
/// emit_march.c.
#include <stddef.h>

#include "program/emit.h"
#include "solver/erk_tableaux.h"

typedef struct trier {
    foi_reader r; ///< of the rates
    const foi_tableau *T;
    uint32_t n;
    uint32_t t, next, h;
    uint32_t probe; ///< a sum of all that must be finite
    uint32_t x[FOI_TRY_STATES], x1[FOI_TRY_STATES];
    uint32_t at[FOI_TRY_STATES];                ///< where a stage is taken
    uint32_t k[FOI_STAGES_MAX][FOI_TRY_STATES]; ///< the first is f; with fsal the last is f1
} trier;

bool foi_emit_has_try(const foi_program *g)
{
    const foi_code *rates = &g->codes[FOI_TASK_RATES];
    size_t n = g->about.states.count;
    if (!n || n > FOI_TRY_STATES || rates->loop_count || g->delays || rates->wide) return false;
    return (rates->count + 8 * n) * (size_t)foi_tableau_dp45.stages <= FOI_TRY_OPERATIONS;
}

static uint32_t own(trier *s, size_t offset)
{
    uint32_t at = (uint32_t)(offset / sizeof(double));
    return foi_line_load(&s->r.line, (foi_where){.base = FOI_AT_SELF, .offset = at});
}

static void keep(trier *s, uint32_t value, size_t offset, uint32_t i)
{
    uint32_t at = (uint32_t)(offset / sizeof(double)) + i;
    foi_line_store(&s->r.line, value, (foi_where){.base = FOI_AT_SELF, .offset = at});
}

static void arrive(trier *s, uint32_t value, uint32_t i)
{
    foi_line_store(&s->r.line, value, (foi_where){.base = FOI_AT_Y, .offset = i});
}

static uint32_t apply(trier *s, uint32_t op, uint32_t a, uint32_t b)
{
    return foi_line_put(&s->r.line, op, a, b);
}

static uint32_t times(trier *s, double weight, uint32_t a)
{
    return apply(s, FOI_G_MULTIPLY, foi_line_constant(&s->r.line, weight), a);
}

// sum over j < count of a_j k_j of state i, without those of weight zero; FOI_NEVER: all are.
static uint32_t sum(trier *s, const double *a, int count, uint32_t i)
{
    uint32_t all = FOI_NEVER;
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        uint32_t term = times(s, a[j], s->k[j][i]);
        all = all == FOI_NEVER ? term : apply(s, FOI_G_ADD, all, term);
    }
    return all;
}

// to = x + h sum of a_j k_j, the newest stage last and alone.
static void combine(trier *s, const double *a, int count, uint32_t *to)
{
    uint32_t last = a[count - 1] != 0 ? times(s, a[count - 1], s->h) : FOI_NEVER;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t older = sum(s, a, count - 1, i), value = s->x[i];
        if (older != FOI_NEVER)
            value = apply(s, FOI_G_ADD, value, apply(s, FOI_G_MULTIPLY, s->h, older));
        if (last != FOI_NEVER)
            value = apply(s, FOI_G_ADD, value, apply(s, FOI_G_MULTIPLY, last, s->k[count - 1][i]));
        to[i] = value;
    }
}

// dx = f(t, x), inlined.
static void rates(trier *s, uint32_t t, const uint32_t *x, uint32_t *dx)
{
    foi_reader *r = &s->r;
    const foi_layout *l = &r->g->layout;
    foi_reader_set(r, l->at[FOI_LEAF_TIME], t);
    for (uint32_t i = 0; i < s->n; i++) foi_reader_set(r, l->at[FOI_LEAF_STATE] + i, x[i]);
    for (uint32_t i = 0; i < r->code->count; i++) {
        const foi_instruction *o = &r->code->list[i];
        uint32_t arity = foi_instruction_arity(o->op), v[3] = {foi_reader_value(r, o->a)};
        if (arity > 1) v[1] = foi_reader_value(r, o->b);
        if (arity > 2) v[2] = foi_reader_value(r, o->c);
        foi_reader_set(r, o->to, foi_line_apply(&r->line, o->op, v[0], v[1], v[2]));
    }
    for (uint32_t i = 0; i < s->n; i++) dx[i] = foi_reader_value(r, r->code->results[i]);
}

static void stages(trier *s)
{
    const foi_tableau *T = s->T;
    int rows = T->stages - (T->fsal ? 1 : 0);
    for (int j = 1; j < T->stages; j++) {
        bool end = T->fsal && j == T->stages - 1;
        uint32_t *at = end ? s->x1 : s->at, t = s->next;
        combine(s, T->a[j], j, at);
        for (uint32_t i = 0; i < s->n && end; i++) arrive(s, at[i], i);
        for (uint32_t i = 0; i < s->n && T->embedded && j == rows - 1; i++)
            keep(s, at[i], offsetof(foi_try, w), i);
        if (T->c[j] != 1) t = apply(s, FOI_G_ADD, s->t, times(s, T->c[j], s->h));
        rates(s, t, at, s->k[j]);
        for (uint32_t i = 0; i < s->n && T->embedded && !end; i++)
            keep(s, s->k[j][i], offsetof(foi_try, k), (uint32_t)(j - 1) * s->n + i);
    }
}

// The end of a step that is no stage, and its rates.
static const uint32_t *arrival(trier *s, uint32_t *f1)
{
    const foi_tableau *T = s->T;
    if (!T->fsal) {
        combine(s, T->b, T->stages, s->x1);
        rates(s, s->next, s->x1, f1);
    }
    const uint32_t *f = T->fsal ? s->k[T->stages - 1] : f1;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t one = T->embedded ? s->x1[i] : apply(s, FOI_G_ADD, s->x1[i], f[i]);
        s->probe = s->probe == FOI_NEVER ? one : apply(s, FOI_G_ADD, s->probe, one);
    }
    return f;
}

// The probe is 0 where all are finite; where a sum of them is not, the solver looks for itself.
static void finish(trier *s, const uint32_t *f)
{
    for (uint32_t i = 0; i < s->n && !s->T->fsal; i++) arrive(s, s->x1[i], i);
    for (uint32_t i = 0; i < s->n; i++) arrive(s, f[i], s->n + i);
    keep(s, apply(s, FOI_G_SUBTRACT, s->probe, s->probe), offsetof(foi_try, probe), 0);
}

static uint32_t size_of(trier *s, uint32_t a)
{
    return apply(s, FOI_G_ABS, a, 0);
}

static void error(trier *s)
{
    const foi_tableau *T = s->T;
    int last = T->stages - 1;
    uint32_t rtol = own(s, offsetof(foi_try, rtol)), atol = own(s, offsetof(foi_try, atol));
    uint32_t all = FOI_NEVER;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t size = apply(s, FOI_L_LARGER, size_of(s, s->x[i]), size_of(s, s->x1[i]));
        uint32_t scale = apply(s, FOI_G_ADD, atol, apply(s, FOI_G_MULTIPLY, rtol, size));
        uint32_t q = apply(s, FOI_G_DIVIDE, s->h, scale);
        uint32_t older = apply(s, FOI_G_MULTIPLY, q, sum(s, T->e, last, i));
        uint32_t newest = apply(s, FOI_G_MULTIPLY, times(s, T->e[last], q), s->k[last][i]);
        uint32_t e = apply(s, FOI_G_ADD, older, newest), e2 = apply(s, FOI_G_MULTIPLY, e, e);
        all = all == FOI_NEVER ? e2 : apply(s, FOI_G_ADD, all, e2);
    }
    keep(s, times(s, 1.0 / (double)s->n, all), offsetof(foi_try, error2), 0);
}

static void begin(trier *s)
{
    foi_maker *m = s->r.m;
    const foi_code *code = s->r.code;
    m->wide = false;
    m->target->begin(m, FOI_CALL_TRY, foi_reader_calls(&s->r, code->list, code->count));
    for (uint32_t i = 0; i < s->n; i++) {
        s->x[i] = foi_line_load(&s->r.line, (foi_where){.base = FOI_AT_X, .offset = i});
        s->k[0][i] = foi_line_load(&s->r.line, (foi_where){.base = FOI_AT_X, .offset = s->n + i});
    }
    s->t = own(s, offsetof(foi_try, t)), s->h = own(s, offsetof(foi_try, h));
}

static void make_one(trier *s)
{
    uint32_t f1[FOI_TRY_STATES];
    s->next = own(s, offsetof(foi_try, next));
    stages(s);
    const uint32_t *f = arrival(s, f1);
    finish(s, f);
    if (s->T->embedded) error(s);
}

// The end of a step is the start of the next.
static void make_block(trier *s)
{
    uint32_t f1[FOI_TRY_STATES];
    for (uint32_t step = 0; step < FOI_TRY_BLOCK; step++) {
        s->next = own(s, offsetof(foi_try, nexts) + step * sizeof(double));
        stages(s);
        const uint32_t *f = arrival(s, f1);
        if (step == FOI_TRY_BLOCK - 1) {
            finish(s, f);
            break;
        }
        bool last = step == FOI_TRY_BLOCK - 2;
        s->t = s->next;
        for (uint32_t i = 0; i < s->n; i++) {
            s->x[i] = s->x1[i], s->k[0][i] = f[i];
            if (last) keep(s, s->x[i], offsetof(foi_try, k), i);
            if (last) keep(s, s->k[0][i], offsetof(foi_try, k), s->n + i);
        }
    }
}

static uint32_t make(foi_maker *m, const foi_program *g, foi_marching method, bool block)
{
    trier s = {.n = (uint32_t)g->about.states.count, .probe = FOI_NEVER};
    s.T = method == FOI_MARCH_RK4 ? &foi_tableau_rk4 : &foi_tableau_dp45;
    if (foi_reader_begin(&s.r, m, g, &g->codes[FOI_TASK_RATES])) {
        begin(&s);
        if (block)
            make_block(&s);
        else
            make_one(&s);
        foi_reader_flush(&s.r);
        m->target->end(m);
    }
    if (s.r.line.failed || m->pool.failed || m->code.failed) m->failed = true;
    foi_reader_end(&s.r);
    return m->functions - 1;
}

uint32_t foi_emit_try(foi_maker *m, const foi_program *g, foi_marching method)
{
    return make(m, g, method, false);
}

bool foi_emit_has_block(const foi_program *g)
{
    size_t operations = g->codes[FOI_TASK_RATES].count + 8 * g->about.states.count;
    return foi_emit_has_try(g) && operations * 4 * FOI_TRY_BLOCK <= FOI_TRY_OPERATIONS;
}

uint32_t foi_emit_block(foi_maker *m, const foi_program *g)
{
    return make(m, g, FOI_MARCH_RK4, true);
}
