/// Operators of clocks in statements: of algorithms, and of what happens when a condition becomes
/// true.
#include "language/clock.h"

static bool each_of(foi_session *s, const foi_flat_expr *const **list, uint32_t count,
                    foi_clock_each_fn *change, void *data)
{
    const foi_flat_expr **copy = foi_arena_new(&s->flat->arena, count, sizeof *copy);
    if (!copy) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!(copy[i] = change(data, (*list)[i]))) return false;
    *list = copy;
    return true;
}

static bool one(const foi_flat_expr **e, foi_clock_each_fn *change, void *data)
{
    return !*e || (*e = change(data, *e));
}

bool foi_clock_each_branch(foi_session *s, const foi_flat_branch **list, uint32_t count,
                           foi_clock_each_fn *change, void *data)
{
    foi_flat_branch *copy = foi_arena_new(&s->flat->arena, count, sizeof *copy);
    if (!copy) return false;
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (*list)[i];
        if (!each_of(s, &copy[i].conditions, copy[i].condition_count, change, data) ||
            !foi_clock_each(s, &copy[i].body, change, data))
            return false;
    }
    *list = copy;
    return true;
}

bool foi_clock_each(foi_session *s, foi_flat_block *block, foi_clock_each_fn *change, void *data)
{
    for (uint32_t i = 0; i < block->count; i++) {
        foi_flat_statement *st = block->statements[i];
        if (!foi_enter(s, st->place)) return false;
        bool right = each_of(s, &st->targets, st->count, change, data) &&
                     each_of(s, &st->values, st->count, change, data) &&
                     foi_clock_each_branch(s, &st->branches, st->branch_count, change, data) &&
                     one(&st->first, change, data) && one(&st->step, change, data) &&
                     one(&st->last, change, data) && one(&st->condition, change, data) &&
                     one(&st->message, change, data) && foi_clock_each(s, &st->body, change, data);
        s->depth--;
        if (!right) return false;
    }
    return true;
}

static bool add_target(foi_session *s, foi_flat_variable *v, foi_flat_variable ***list,
                       uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i] == v) return true;
    foi_flat_variable **slot =
        v->local ? NULL : foi_arena_add(&s->arena, list, count, sizeof *slot);
    if (slot) *slot = v;
    return v->local || slot;
}

bool foi_clock_targets(foi_session *s, const foi_flat_block *block, foi_flat_variable ***list,
                       uint32_t *count)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const foi_flat_statement *st = block->statements[i];
        for (uint32_t k = 0; st->action == FOI_DO_ASSIGN && k < st->count; k++) {
            const foi_flat_expr *t = st->targets[k];
            if (t->op == FOI_OP_VARIABLE && !add_target(s, t->variable, list, count)) return false;
            for (uint32_t j = 0; t->op == FOI_OP_ELEMENT && j < t->array->count; j++)
                if (!add_target(s, t->array->elements[j], list, count)) return false;
        }
        for (uint32_t k = 0; k < st->branch_count; k++)
            if (!foi_clock_targets(s, &st->branches[k].body, list, count)) return false;
        if (!foi_clock_targets(s, &st->body, list, count)) return false;
    }
    return true;
}

bool foi_clock_prepend(foi_session *s, foi_flat_block *block, foi_place place, uint32_t count,
                       const foi_flat_expr *const *targets, const foi_flat_expr *const *values)
{
    foi_flat_statement *st = foi_arena_new(&s->flat->arena, 1, sizeof *st);
    foi_flat_statement **all = foi_arena_new(&s->flat->arena, block->count + 1u, sizeof *all);
    if (!st || !all) return false;
    *st = (foi_flat_statement){.action = FOI_DO_ASSIGN, .place = place, .count = count};
    st->targets = targets, st->values = values;
    all[0] = st;
    for (uint32_t i = 0; i < block->count; i++) all[i + 1] = block->statements[i];
    *block = (foi_flat_block){all, block->count + 1};
    return true;
}

// ------------------------------------------------------------------------------ their partitions

/// An algorithm or a when, while its partition is found.
typedef struct gathering {
    foi_clocks *k;
    uint32_t first; ///< its partition
    foi_clock_part *p;
} gathering;

static const foi_flat_expr *unite_each(void *data, const foi_flat_expr *e)
{
    gathering *g = data;
    foi_clock_unite(g->k, e, &g->first);
    return e;
}

static const foi_flat_expr *mark_each(void *data, const foi_flat_expr *e)
{
    gathering *g = data;
    bool right = foi_clock_define(g->k, e, g->first) && foi_clock_mark(g->k, e, g->first);
    return right ? e : NULL;
}

static const foi_flat_expr *rewrite_each(void *data, const foi_flat_expr *e)
{
    const gathering *g = data;
    return foi_clock_rewrite(g->k, e, g->p);
}

bool foi_clock_unite_algorithms(foi_clocks *k)
{
    foi_flat *f = k->s->flat;
    for (uint32_t i = 0; i < f->algorithm_count; i++)
        if (!f->algorithms[i].initial && !foi_clock_each(k->s, &f->algorithms[i].body, unite_each,
                                                         &(gathering){k, FOI_NO_CLOCK, NULL}))
            return false;
    return true;
}

// Before an algorithm of a clocked partition, what it assigns is what it was at the last tick.
static bool keep_targets(foi_clocks *k, foi_flat_algorithm *a, foi_clock_part *p)
{
    foi_session *s = k->s;
    foi_flat_variable **list = NULL;
    uint32_t count = 0;
    if (!foi_clock_targets(s, &a->body, &list, &count)) return false;
    const foi_flat_expr **both = foi_arena_new(&s->flat->arena, 2u * count + 1u, sizeof *both);
    if (!both) return false;
    for (uint32_t i = 0; i < count; i++) {
        both[i] = foi_flat_of(s->flat, list[i]);
        both[count + i] = both[i] ? foi_clock_previous(k, both[i], p) : NULL;
        if (!both[count + i]) return false;
    }
    return foi_clock_prepend(s, &a->body, a->place, count, both, both + count);
}

static bool in_algorithm(foi_clocks *k, foi_flat_algorithm *a, bool rewriting)
{
    foi_session *s = k->s;
    gathering g = {k, FOI_NO_CLOCK, NULL};
    k->place = a->place;
    if (a->initial) return true;
    if (!foi_clock_each(s, &a->body, unite_each, &g)) return false;
    if (!rewriting) return foi_clock_each(s, &a->body, mark_each, &g);
    g.p = foi_clock_part_of(k, g.first);
    return foi_clock_each(s, &a->body, rewrite_each, &g) && (!g.p || keep_targets(k, a, g.p));
}

static bool in_assert(foi_clocks *k, foi_flat_assert *a, bool rewriting)
{
    uint32_t first = FOI_NO_CLOCK;
    k->place = a->place;
    foi_clock_unite(k, a->condition, &first);
    if (!rewriting)
        return foi_clock_mark(k, a->condition, first) && foi_clock_mark(k, a->message, first);
    foi_clock_part *p = foi_clock_part_of(k, first);
    a->condition = foi_clock_rewrite(k, a->condition, p);
    a->message = foi_clock_rewrite(k, a->message, p);
    return a->condition && a->message;
}

// What is no equation: first all is marked, then rewritten.
static bool in_statements(foi_clocks *k, bool rewriting)
{
    foi_session *s = k->s;
    foi_flat *f = s->flat;
    for (uint32_t i = 0; i < f->algorithm_count; i++)
        if (!in_algorithm(k, &f->algorithms[i], rewriting)) return false;
    for (uint32_t i = 0; i < f->when_count; i++) {
        k->place = f->whens[i].place;
        if (!foi_clock_each_branch(s, &f->whens[i].branches, f->whens[i].branch_count,
                                   rewriting ? rewrite_each : mark_each,
                                   &(gathering){k, FOI_NO_CLOCK, NULL}))
            return false;
    }
    for (uint32_t i = 0; i < s->main.assert_count; i++)
        if (!in_assert(k, &s->main.asserts[i], rewriting)) return false;
    return true;
}

bool foi_clock_mark_statements(foi_clocks *k)
{
    return in_statements(k, false);
}

bool foi_clock_rewrite_statements(foi_clocks *k)
{
    return in_statements(k, true);
}
