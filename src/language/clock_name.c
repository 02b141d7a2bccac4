/// Clocks and clocked values inside of expressions get names before partitions are found:
///
///     when subSample(Clock(1, 10), 3) then          c1 = Clock(1, 10), c2 = subSample(c1, 3),
///                                                   when c2 then
///     hold(backSample(shiftSample(x, 2), 1))        y1 = shiftSample(x, 2), y2 = backSample(y1,
///     1),
///                                                   hold(y2)
///
/// so that each conversion stands between two variables, and none is overlooked.
#include "language/clock.h"

static bool converts(const foi_flat_expr *e)
{
    return foi_is_clock_call(e) && (int)e->builtin >= CLOCK_SUB && (int)e->builtin <= CLOCK_BACK;
}

// Clock(clock, solverMethod) of a clock that is made at this place is one; of others a conversion.
static bool makes_clock(const foi_flat_expr *e)
{
    if (!foi_is_clock_call(e)) return false;
    int operation = (int)e->builtin;
    if (operation == CLOCK_SOLVER) return makes_clock(e->arguments[0]);
    return operation >= CLOCK_INFERRED && operation <= CLOCK_EVENT;
}

static bool is_clock(const foi_session *s, const foi_flat_expr *e)
{
    if (e->op == FOI_OP_VARIABLE) return e->variable->literals == s->clock->literal_names;
    if (foi_is_clock_call(e) && (int)e->builtin == CLOCK_SOLVER) return true;
    return makes_clock(e) || (converts(e) && is_clock(s, e->arguments[0]));
}

// Does it take something from another partition?
static bool crosses(const foi_flat_expr *e)
{
    if (converts(e)) return true;
    int operation = foi_is_clock_call(e) ? (int)e->builtin : 0;
    if (operation == CLOCK_SAMPLE || operation == CLOCK_FREE) return true;
    for (uint32_t i = 0; operation != CLOCK_HOLD && i < foi_clock_arguments(e); i++)
        if (crosses(foi_clock_argument(e, i))) return true;
    return false;
}

// A variable that is equal to the expression.
static const foi_flat_expr *named(foi_session *s, foi_place place, const foi_flat_expr *e)
{
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    foi_flat_equation *q =
        foi_arena_add(&s->flat->arena, &s->main.equations, &s->main.count, sizeof *q);
    if (!v || !slot || !q) return NULL;
    v->name = foi_arena_print(&s->flat->arena, "(clocked %u)", s->variable_count);
    v->type = e->type, v->variability = e->type == FOI_REAL ? FOI_CONTINUOUS : FOI_DISCRETE;
    if (is_clock(s, e)) v->literals = s->clock->literal_names;
    v->index = s->variable_count - 1, v->is_protected = true, v->place = place;
    *slot = v;
    const foi_flat_expr *of = foi_flat_of(s->flat, v);
    *q = (foi_flat_equation){of, e, place};
    return v->name ? of : NULL;
}

static const foi_flat_expr *name_in(foi_session *s, foi_place place, const foi_flat_expr *e);

/// Where names are given.
typedef struct naming {
    foi_session *s;
    foi_place place;
} naming;

// An argument: where that must be a variable, it becomes one.
static const foi_flat_expr *name_argument(void *data, const foi_flat_expr *e, uint32_t i)
{
    foi_session *s = ((const naming *)data)->s;
    foi_place place = ((const naming *)data)->place;
    const foi_flat_expr *a = name_in(s, place, foi_clock_argument(e, i));
    if (!a || !foi_is_clock_call(e) || a->op == FOI_OP_VARIABLE) return a;
    int operation = (int)e->builtin;
    bool clock = i == 0 && (converts(e) || (operation == CLOCK_SOLVER && !makes_clock(a)));
    clock |= i == 1 && operation == CLOCK_SAMPLE && !makes_clock(a);
    if (clock && is_clock(s, a)) return named(s, place, a);
    bool value = i == 0 && (converts(e) || operation == CLOCK_HOLD) && !is_clock(s, a);
    return value && crosses(a) ? named(s, place, a) : a;
}

static bool has_clocks(const foi_flat_expr *e)
{
    if (foi_is_clock_call(e)) return true;
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (has_clocks(foi_clock_argument(e, i))) return true;
    return false;
}

static const foi_flat_expr *name_in(foi_session *s, foi_place place, const foi_flat_expr *e)
{
    if (!e || !has_clocks(e)) return e;
    if (!foi_enter(s, place)) return NULL;
    const foi_flat_expr *out = foi_clock_copy(s, e, name_argument, &(naming){s, place});
    s->depth--;
    return out;
}

// Which of the clocks of an if-expression is meant.
static bool choose_clock(foi_session *s, foi_place place, const foi_flat_expr **e)
{
    double known;
    while ((*e)->op == FOI_OP_IF) {
        if (!foi_known(s, (*e)->arguments[0], true, &known))
            return foi_error(s, place, "which clock is meant must be known before the run");
        *e = (*e)->arguments[known ? 1 : 2];
    }
    return true;
}

static const foi_flat_expr *name_each(void *data, const foi_flat_expr *e)
{
    const naming *n = data;
    return name_in(n->s, n->place, e);
}

// Algorithms, whens of conditions and assertions.
static bool name_statements(foi_session *s)
{
    foi_flat *f = s->flat;
    for (uint32_t i = 0; i < f->algorithm_count; i++)
        if (!foi_clock_each(s, &f->algorithms[i].body, name_each,
                            &(naming){s, f->algorithms[i].place}))
            return false;
    for (uint32_t i = 0; i < f->when_count; i++)
        if (!foi_clock_each_branch(s, &f->whens[i].branches, f->whens[i].branch_count, name_each,
                                   &(naming){s, f->whens[i].place}))
            return false;
    for (uint32_t i = 0; i < s->main.assert_count; i++) {
        foi_flat_assert *a = &s->main.asserts[i];
        a->condition = name_in(s, a->place, a->condition);
        a->message = name_in(s, a->place, a->message);
        if (!a->condition || !a->message) return false;
    }
    return true;
}

bool foi_name_clocks(foi_session *s)
{
    uint32_t count = s->main.count;
    for (uint32_t i = 0; i < count; i++) {
        foi_flat_equation e = s->main.equations[i];
        if (e.left->op == FOI_OP_VARIABLE && is_clock(s, e.left) &&
            !choose_clock(s, e.place, &e.right))
            return false;
        e.left = name_in(s, e.place, e.left), e.right = name_in(s, e.place, e.right);
        if (!e.left || !e.right) return false;
        s->main.equations[i] = e;
    }
    for (uint32_t w = 0; w < s->clocked_count; w++) {
        struct foi_clocked_when *when = &s->clocked_whens[w];
        if (when->from == when->to) continue;
        foi_place place = s->main.equations[when->from].place;
        when->clock = name_in(s, place, when->clock);
        if (when->clock && when->clock->op != FOI_OP_VARIABLE && !makes_clock(when->clock))
            when->clock = named(s, place, when->clock);
        if (!when->clock) return false;
    }
    return name_statements(s);
}
