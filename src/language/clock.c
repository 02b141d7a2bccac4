/// Clocked partitions (Modelica 3.6, chapter 16), made ordinary after flattening.
///
/// Variables that share equations are one partition; `sample`, `hold` and the conversions of clocks
/// cut. Between ticks nothing in a clocked partition changes, so its equations may stay as they
/// are, for all times, when what comes into them from outside is kept in discrete variables that
/// are assigned at the ticks only:
///
///     sample(u)      s,  when tick then s = u
///     previous(x)    p,  when tick then p = if first then x.start else pre(m); m = x
///     subSample(u)   q,  when tick then q = u, and so for the other conversions
///     time           t,  when tick then t = time
///
/// A counter n says which tick it is: hold(u) is x.start before the first. A tick is sample(start,
/// period); conversions change the two by rational numbers, and ticks that are meant to be one
/// instant are one. A clock of a condition ticks when it becomes true; what is converted from it
/// ticks when a Boolean turns, which some of its ticks do.
///
/// Where the clock has a solver method, der(x) is a variable d beside an equation of the method,
///
///     x = if first then x.start else previous(x) + h*d          ImplicitEuler, and so for others
#include <math.h>
#include <string.h>

#include "language/clock.h"

/// A time that never comes.
static const double NEVER = 1e60;

// ------------------------------------------------------------------------------------ rewriting

static foi_flat_variable *new_variable(foi_clocks *k, const char *what, foi_flat_type type,
                                       const foi_flat_expr *start)
{
    foi_session *s = k->s;
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    if (!v || !slot) return NULL;
    v->name = foi_arena_print(&s->flat->arena, "(%s %u)", what, ++k->made);
    v->type = type, v->variability = FOI_DISCRETE, v->index = s->variable_count - 1;
    v->is_protected = true, v->place = k->place, v->start = start, v->fixed = start != NULL;
    *slot = v;
    return v->name ? v : NULL;
}

static bool at_tick(foi_clocks *k, foi_clock_part *p, foi_flat_variable *v,
                    const foi_flat_expr *value)
{
    foi_session *s = k->s;
    const foi_flat_expr **t = foi_arena_add(&s->arena, &p->targets, &p->target_count, sizeof *t);
    const foi_flat_expr **x = foi_arena_add(&s->arena, &p->values, &p->value_count, sizeof *x);
    if (!t || !x || !v || !value) return false;
    *t = foi_flat_of(s->flat, v), *x = value;
    return *t;
}

static const foi_flat_expr *before(foi_clocks *k, foi_flat_variable *v)
{
    const foi_flat_expr *e = foi_flat_of(k->s->flat, v);
    return e ? foi_flat_call_builtin(k->s->flat, FOI_FN_PRE, 1, &e) : NULL;
}

// The counter of a partition's ticks.
static foi_flat_variable *counter(foi_clocks *k, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    if (p->count) return p->count;
    p->count = new_variable(k, "tick", FOI_INTEGER, foi_flat_integer(f, 0));
    if (!p->count) return NULL;
    const foi_flat_expr *next =
        foi_flat_binary(f, FOI_OP_ADD, before(k, p->count), foi_flat_integer(f, 1));
    return at_tick(k, p, p->count, next) ? p->count : NULL;
}

static const foi_flat_expr *zero_of(foi_clocks *k, foi_flat_type type)
{
    foi_flat_expr *e = foi_flat_real(k->s->flat, 0);
    if (e) e->type = type;
    return e;
}

static const foi_flat_expr *start_of(foi_clocks *k, const foi_flat_expr *e)
{
    if (e->op == FOI_OP_VARIABLE && e->variable->start) return e->variable->start;
    return zero_of(k, e->type);
}

// Every ratio-th tick of a clock of a condition, after the first `shift` of them.
static bool select_ticks(foi_clocks *k, foi_clock_part *q, foi_clock_part *p, double ratio,
                         double shift)
{
    foi_flat *f = k->s->flat;
    foi_flat_variable *count = counter(k, p);
    foi_flat_variable *turn = new_variable(k, "turn", FOI_BOOLEAN, zero_of(k, FOI_BOOLEAN));
    if (!count || !turn) return false;
    const foi_flat_expr *before_it = before(k, count), *first = foi_flat_integer(f, shift);
    const foi_flat_expr *rest[] = {foi_flat_binary(f, FOI_OP_SUBTRACT, before_it, first),
                                   foi_flat_integer(f, ratio)};
    if (!rest[0] || !rest[1]) return false;
    const foi_flat_expr *is = foi_flat_binary(
        f, FOI_OP_AND, foi_flat_binary(f, FOI_OP_GREATER_EQUAL, before_it, first),
        foi_flat_binary(f, FOI_OP_EQUAL, foi_flat_call_builtin(f, FOI_FN_MOD, 2, rest),
                        foi_flat_integer(f, 0)));
    const foi_flat_expr *was = before(k, turn);
    if (!is || !was ||
        !at_tick(k, p, turn, foi_flat_if(f, is, foi_flat_unary(f, FOI_OP_NOT, was), was)))
        return false;
    q->known = q->turns = true, q->event = foi_flat_of(f, turn);
    q->base = p, q->ratio = ratio, q->shift = shift, q->first_interval = p->first_interval;
    return q->event;
}

// Are the two whole numbers that ticks can be counted by?
static bool can_select(double ratio, double shift)
{
    return ratio >= 1 && ratio <= INT32_MAX && shift >= 0 && shift <= INT32_MAX &&
           floor(ratio) == ratio && floor(shift) == shift;
}

// Q has one tick for ratio of those of P, after the first `shift`: both are counted in ticks of one
// clock of a condition.
static bool carry_event(foi_clocks *k, foi_clock_part *q, foi_clock_part *p, double ratio,
                        double shift)
{
    double steps = p->base ? p->ratio : 1;
    shift = (p->base ? p->shift : 0) + shift * steps, ratio *= steps;
    if (!can_select(ratio, shift)) return false;
    if (p->base) p = p->base;
    if (ratio != 1 || shift != 0) return select_ticks(k, q, p, ratio, shift);
    q->known = true, q->event = p->event, q->turns = p->turns;
    q->varying = p->varying, q->first_interval = p->first_interval;
    return true;
}

// What one side of a conversion says about the other; true: something is new.
static bool carry(foi_clocks *k, const foi_clock_relation *r)
{
    foi_clock_part *q = &k->parts[foi_clock_top(k, r->q)], *p = &k->parts[foi_clock_top(k, r->p)];
    if (q == p || (p->known == q->known)) return false;
    double ratio = foi_clock_ratio(r), shift = foi_clock_shift(r);
    if (ratio == 0) return false; // inferred: each has its own
    k->place = r->place;
    if (p->known && p->event) return carry_event(k, q, p, ratio, shift);
    if (q->known && q->event) return carry_event(k, p, q, 1 / ratio, -shift / ratio);
    if (p->known) {
        q->known = true, q->assumed = p->assumed;
        q->period = p->period * ratio, q->start = p->start + shift * p->period;
    } else {
        p->known = true, p->assumed = q->assumed;
        p->period = q->period / ratio, p->start = q->start - shift * p->period;
    }
    return true;
}

static void carry_all(foi_clocks *k)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < k->relation_count; i++) more |= carry(k, &k->relations[i]);
    }
}

static const foi_flat_expr *rewrite(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p);

// previous(x): what x was at the tick before.
const foi_flat_expr *foi_clock_previous(foi_clocks *k, const foi_flat_expr *x, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    if (foi_variability_of(x) <= FOI_PARAMETER) return x;
    if (x->op != FOI_OP_VARIABLE || !p) {
        foi_error(k->s, k->place, "'previous' needs a clocked variable");
        return NULL;
    }
    for (uint32_t i = 0; i < k->memory_count; i++)
        if (k->memories[i].of == x->variable) return k->memories[i].is;
    const foi_flat_expr *start = start_of(k, x);
    foi_flat_variable *last = new_variable(k, "kept", x->type, start);
    foi_flat_variable *was = new_variable(k, "previous", x->type, start);
    foi_flat_variable *count = counter(k, p);
    if (!last || !was || !count || !start) return NULL;
    const foi_flat_expr *first =
        foi_flat_binary(f, FOI_OP_EQUAL, before(k, count), foi_flat_integer(f, 0));
    foi_clock_memory *m = foi_arena_add(&k->s->arena, &k->memories, &k->memory_count, sizeof *m);
    if (!m || !at_tick(k, p, was, foi_flat_if(f, first, start, before(k, last))) ||
        !at_tick(k, p, last, x))
        return NULL;
    *m = (foi_clock_memory){x->variable, foi_flat_of(f, was)};
    return m->is;
}

// Something from outside, kept at the ticks.
static const foi_flat_expr *kept(foi_clocks *k, const char *what, const foi_flat_expr *u,
                                 foi_clock_part *p)
{
    foi_flat_variable *v = u ? new_variable(k, what, u->type, start_of(k, u)) : NULL;
    return v && at_tick(k, p, v, u) ? foi_flat_of(k->s->flat, v) : NULL;
}

static foi_clock_part *part_of(foi_clocks *k, const foi_flat_expr *e)
{
    uint32_t first = FOI_NO_CLOCK;
    foi_clock_unite(k, e, &first);
    return first == FOI_NO_CLOCK ? NULL : &k->parts[foi_clock_top(k, first)];
}

// A value, or what is there when its clock has not ticked yet.
static const foi_flat_expr *since_first(foi_clocks *k, foi_clock_part *of,
                                        const foi_flat_expr *value, const foi_flat_expr *start)
{
    foi_flat *f = k->s->flat;
    foi_flat_variable *count = counter(k, of);
    if (!count || !value) return NULL;
    const foi_flat_expr *ticked =
        foi_flat_binary(f, FOI_OP_GREATER, foi_flat_of(f, count), foi_flat_integer(f, 0));
    return foi_flat_if(f, ticked, value, start);
}

// u, or what it starts with.
static const foi_flat_expr *held(foi_clocks *k, const foi_flat_expr *u, foi_clock_part *of)
{
    const foi_flat_expr *value = rewrite(k, u, of);
    return of ? since_first(k, of, value, start_of(k, u)) : value;
}

// The latest value of another clock.
static const foi_flat_expr *converted(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p)
{
    return kept(k, "converted", held(k, e->arguments[0], part_of(k, e->arguments[0])), p);
}

static bool add_equation(foi_clocks *k, const foi_flat_expr *left, const foi_flat_expr *right)
{
    foi_flat_equation *e =
        left && right ? foi_arena_add(&k->s->arena, &k->added, &k->added_count, sizeof *e) : NULL;
    if (e) *e = (foi_flat_equation){left, right, k->place};
    return e;
}

// What u is just before the tick: sampling takes the limit from the left. An expression becomes a
// variable for that.
static const foi_flat_expr *left_limit(foi_clocks *k, const foi_flat_expr *u)
{
    foi_session *s = k->s;
    u = rewrite(k, u, NULL);
    if (!u || u->op == FOI_OP_LITERAL || u->op == FOI_OP_TIME) return u;
    if (u->op == FOI_OP_VARIABLE && u->variable->variability <= FOI_PARAMETER) return u;
    if (u->op != FOI_OP_VARIABLE) {
        foi_flat_variable *v = new_variable(k, "sampled", u->type, NULL);
        const foi_flat_expr *left = v ? foi_flat_of(s->flat, v) : NULL;
        if (!left || !add_equation(k, left, u)) return NULL;
        if (v->type == FOI_REAL) v->variability = FOI_CONTINUOUS;
        u = left;
    }
    return u ? foi_flat_call_builtin(s->flat, FOI_FN_PRE, 1, &u) : NULL;
}

static const foi_flat_expr *first_tick_before(foi_clocks *k, foi_clock_part *p)
{
    foi_flat_variable *count = counter(k, p);
    return count ? foi_flat_binary(k->s->flat, FOI_OP_EQUAL, before(k, count),
                                   foi_flat_integer(k->s->flat, 0))
                 : NULL;
}

static const foi_flat_expr *interval_of(foi_clocks *k, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    if (p->interval) return p->interval;
    if (!p->event) return p->interval = foi_flat_real(f, p->period);
    if (p->varying && p->varying->count > 1) // of a counter
        return p->interval = foi_flat_binary(f, FOI_OP_DIVIDE,
                                             foi_clock_previous(k, p->varying->arguments[1], p),
                                             p->varying->arguments[2]);
    const foi_flat_expr *zero = foi_flat_real(f, 0);
    foi_flat_variable *last = new_variable(k, "kept", FOI_REAL, zero);
    foi_flat_variable *v = new_variable(k, "interval", FOI_REAL, zero);
    if (!last || !v || !at_tick(k, p, last, foi_flat_time(f))) return NULL;
    const foi_flat_expr *passed =
        foi_flat_binary(f, FOI_OP_SUBTRACT, foi_flat_time(f), before(k, last));
    const foi_flat_expr *begins = p->varying          ? start_of(k, p->varying->arguments[0])
                                  : p->first_interval ? p->first_interval
                                                      : zero;
    if (!at_tick(k, p, v, foi_flat_if(f, first_tick_before(k, p), begins, passed))) return NULL;
    return p->interval = foi_flat_of(f, v);
}

// A clock whose interval changes is one of the condition that the time has come; each tick says
// when that is: after so many intervals of a counter, or after previous(interval).
static bool schedule(foi_clocks *k, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    const foi_flat_expr *interval = p->varying->arguments[0], *zero = foi_flat_real(f, 0);
    foi_flat_variable *next = new_variable(k, "next", FOI_REAL, foi_flat_real(f, NEVER));
    const foi_flat_expr *when;
    if (!next || !counter(k, p)) return false;
    if (p->varying->count > 1) {
        foi_flat_variable *sum = new_variable(k, "sum", FOI_INTEGER, foi_flat_integer(f, 0));
        foi_flat_variable *begun = new_variable(k, "begin", FOI_REAL, zero);
        if (!sum || !begun) return false;
        const foi_flat_expr *all =
            foi_flat_binary(f, FOI_OP_ADD, before(k, sum), p->varying->arguments[1]);
        const foi_flat_expr *first =
            foi_flat_if(f, first_tick_before(k, p), foi_flat_time(f), before(k, begun));
        if (!at_tick(k, p, sum, all) || !at_tick(k, p, begun, first)) return false;
        when = foi_flat_binary(
            f, FOI_OP_ADD, foi_flat_of(f, begun),
            foi_flat_binary(f, FOI_OP_DIVIDE, foi_flat_of(f, sum), p->varying->arguments[2]));
    } else {
        interval = foi_clock_previous(k, interval, p);
        when = foi_flat_binary(f, FOI_OP_ADD, foi_flat_time(f), interval);
    }
    p->event = foi_flat_binary(f, FOI_OP_GREATER_EQUAL, foi_flat_time(f), before(k, next));
    foi_flat_assert a = {.place = k->place};
    a.message = foi_flat_text(f, "the interval of a clock must be greater than 0");
    a.condition = foi_flat_binary(
        f, FOI_OP_OR,
        foi_flat_binary(f, FOI_OP_EQUAL, foi_flat_of(f, p->count), foi_flat_integer(f, 0)),
        foi_flat_binary(f, FOI_OP_GREATER, interval, zero));
    return p->event && a.message && a.condition && foi_add_assert(k->s, &a) &&
           at_tick(k, p, next, when);
}

// previous(x) + h ((1 - theta) previous(d) + theta d)
static const foi_flat_expr *step_of(foi_clocks *k, const foi_flat_expr *x, const foi_flat_expr *d,
                                    foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    double theta = foi_clock_methods[p->method - 1].theta;
    const foi_flat_expr *was = theta < 1 ? foi_clock_previous(k, d, p) : foi_flat_real(f, 0);
    const foi_flat_expr *last = foi_clock_previous(k, x, p), *h = interval_of(k, p);
    if (!was || !last || !h) return NULL;
    const foi_flat_expr *slope = foi_flat_binary(
        f, FOI_OP_ADD, foi_flat_binary(f, FOI_OP_MULTIPLY, foi_flat_real(f, 1 - theta), was),
        foi_flat_binary(f, FOI_OP_MULTIPLY, foi_flat_real(f, theta), d));
    if (theta == 0) slope = was;
    if (theta == 1) slope = d;
    return foi_flat_binary(f, FOI_OP_ADD, last, foi_flat_binary(f, FOI_OP_MULTIPLY, h, slope));
}

// der(x) in a clocked partition: a variable, and an equation of the solver method.
static const foi_flat_expr *clocked_rate(foi_clocks *k, const foi_flat_expr *x, foi_clock_part *p)
{
    if (x->op != FOI_OP_VARIABLE || !p->method || p->method > FOI_CLOCK_METHODS) {
        foi_error(k->s, k->place,
                  "'der' of a clocked variable needs a clock with one of the solver methods "
                  "\"ExplicitEuler\", \"ImplicitEuler\" and \"ImplicitTrapezoid\"%s",
                  p->method ? "; others are not supported" : "");
        return NULL;
    }
    for (uint32_t i = 0; i < k->rate_count; i++)
        if (k->rates[i].x->variable == x->variable) return k->rates[i].is;
    foi_clock_rate *r = foi_arena_add(&k->s->arena, &k->rates, &k->rate_count, sizeof *r);
    foi_flat_variable *v = new_variable(k, "der", FOI_REAL, NULL);
    const foi_flat_expr *d = v ? foi_flat_of(k->s->flat, v) : NULL;
    if (!r || !d) return NULL;
    v->variability = FOI_CONTINUOUS;
    x->variable->state = false;
    *r = (foi_clock_rate){x, d, step_of(k, x, d, p), p, false};
    return r->next ? d : NULL;
}

static const foi_flat_expr *replace(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    int operation = (int)e->builtin;
    if (operation == CLOCK_HOLD) return held(k, e->arguments[0], part_of(k, e->arguments[0]));
    if (!p) {
        foi_error(k->s, k->place,
                  "an operator of clocked variables is used outside of a clocked partition");
        return NULL;
    }
    switch (operation) {
    case CLOCK_SAMPLE:
    case CLOCK_FREE: {
        foi_clock_part *of = part_of(k, e->arguments[0]);
        bool other = of && of->clocked && of != p;
        return kept(k, "sample",
                    other ? held(k, e->arguments[0], of) : left_limit(k, e->arguments[0]), p);
    }
    case CLOCK_PREVIOUS: return foi_clock_previous(k, e->arguments[0], p);
    case CLOCK_SUB:
    case CLOCK_SUPER:
    case CLOCK_SHIFT:
    case CLOCK_BACK: return converted(k, e, p);
    case CLOCK_INTERVAL: return interval_of(k, p);
    case CLOCK_FIRST: {
        foi_flat_variable *n = counter(k, p);
        return n ? foi_flat_binary(f, FOI_OP_LESS_EQUAL, foi_flat_of(f, n), foi_flat_integer(f, 1))
                 : NULL; // before it, too
    }
    default: break;
    }
    foi_error(k->s, k->place, "a clock has no value here");
    return NULL;
}

static bool has_work(const foi_flat_expr *e, bool in_part)
{
    bool der = e->op == FOI_OP_CALL && e->builtin == FOI_FN_DER;
    if (foi_is_clock_call(e) || (in_part && (der || e->op == FOI_OP_TIME))) return true;
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (has_work(foi_clock_argument(e, i), in_part)) return true;
    return false;
}

/// Where an expression is rewritten.
typedef struct rewriting {
    foi_clocks *k;
    foi_clock_part *p;
} rewriting;

static const foi_flat_expr *rewrite_argument(void *data, const foi_flat_expr *e, uint32_t i)
{
    const rewriting *r = data;
    return rewrite(r->k, foi_clock_argument(e, i), r->p);
}

// The expression without operators of clocks, in partition p; NULL: in continuous time.
static const foi_flat_expr *rewrite(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p)
{
    if (!e || !has_work(e, p)) return e;
    if (p && e->op == FOI_OP_CALL && e->builtin == FOI_FN_DER)
        return clocked_rate(k, e->arguments[0], p);
    if (!foi_enter(k->s, k->place)) return NULL;
    const foi_flat_expr *out = NULL;
    if (foi_is_clock_call(e)) {
        out = replace(k, e, p);
    } else if (e->op == FOI_OP_TIME) {
        if (!p->time) p->time = kept(k, "time", e, p);
        out = p->time;
    } else {
        out = foi_clock_copy(k->s, e, rewrite_argument, &(rewriting){k, p});
    }
    k->s->depth--;
    return out;
}

// ------------------------------------------------------------------------------------- the whole

static bool is_clock(const foi_clocks *k, const foi_flat_expr *e)
{
    return e->op == FOI_OP_VARIABLE && e->variable->literals == k->s->clock->literal_names;
}

static bool survey_equations(foi_clocks *k)
{
    foi_session *s = k->s;
    for (uint32_t i = 0; i < s->main.count; i++) {
        uint32_t first = FOI_NO_CLOCK;
        foi_clock_unite(k, s->main.equations[i].left, &first);
        foi_clock_unite(k, s->main.equations[i].right, &first);
    }
    if (!foi_clock_unite_algorithms(k)) return false;
    for (uint32_t w = 0; w < s->clocked_count; w++) { // when clock then: one clock for all of them
        uint32_t first = FOI_NO_CLOCK;
        foi_clock_unite(k, s->clocked_whens[w].clock, &first);
        for (uint32_t i = s->clocked_whens[w].from; i < s->clocked_whens[w].to; i++)
            foi_clock_unite(k, s->main.equations[i].left, &first);
    }
    for (uint32_t i = 0; i < s->main.count; i++) {
        const foi_flat_equation *e = &s->main.equations[i];
        uint32_t first = FOI_NO_CLOCK;
        k->place = e->place;
        foi_clock_unite(k, e->left, &first);
        foi_clock_unite(k, e->right, &first);
        if (!foi_clock_define(k, e->left, first) || !foi_clock_define(k, e->right, first) ||
            !foi_clock_mark(k, e->left, first) || !foi_clock_mark(k, e->right, first))
            return false;
        if (first != FOI_NO_CLOCK && is_clock(k, e->left))
            k->parts[foi_clock_top(k, first)].clocked = true;
    }
    for (uint32_t w = 0; w < s->clocked_count; w++)
        for (uint32_t i = s->clocked_whens[w].from; i < s->clocked_whens[w].to; i++) {
            uint32_t first = FOI_NO_CLOCK;
            foi_clock_unite(k, s->main.equations[i].left, &first);
            if (first == FOI_NO_CLOCK) continue;
            k->place = s->main.equations[i].place;
            k->parts[foi_clock_top(k, first)].clocked = true;
            if (!foi_clock_define(k, s->clocked_whens[w].clock, first)) return false;
        }
    return true;
}

// A partition without a clock, and those that are converted from it, tick once in a second, the
// fastest of them.
static void assume(foi_clocks *k, foi_clock_part *p)
{
    double least = 1, first = 0;
    p->known = p->assumed = true, p->start = 0, p->period = 1;
    carry_all(k);
    for (uint32_t i = 0; i < k->count; i++) {
        const foi_clock_part *q = &k->parts[i];
        if (q->assumed && q->period < least) least = q->period;
        if (q->assumed && q->start < first) first = q->start;
    }
    for (uint32_t i = 0; i < k->count; i++) {
        foi_clock_part *q = &k->parts[i];
        if (!q->assumed) continue;
        q->start = (q->start - first) / least, q->period /= least;
        q->assumed = false;
    }
}

static bool check_known(foi_clocks *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->parts[i].parent == i && k->parts[i].varying && !schedule(k, &k->parts[i]))
            return false;
    carry_all(k);
    for (uint32_t i = 0; i < k->relation_count; i++)
        if (!foi_clock_fits(k, &k->relations[i])) return false;
    for (uint32_t i = 0; i < k->count; i++) {
        foi_clock_part *p = &k->parts[foi_clock_top(k, i)];
        const foi_flat_variable *v = k->s->variables[i];
        if (!p->clocked || p->known || v->literals == k->s->clock->literal_names) continue;
        if (foi_lacks_outside(k->s)) return false;
        if (strncmp(v->name, "(clocked ", 9) == 0) // an expression that has got a name
            return foi_error(k->s, v->place, "no clock is given for what is clocked here");
        bool part = k->s->review && k->s->reviewed && k->s->reviewed->kind == FOI_CLASS_BLOCK;
        if (!part) // a block that is looked at by itself may be a state
            foi_warning(
                k->s, v->place,
                "no clock is given for the clocked variable '%s': it ticks once in a second",
                v->name);
        assume(k, p);
    }
    for (uint32_t i = 0; i < k->relation_count; i++)
        if (!foi_clock_fits(k, &k->relations[i])) return false;
    return true;
}

// A clocked variable starts with its first tick; `fixed` says that its start value is meant.
static void let_start(foi_clocks *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->parts[foi_clock_top(k, i)].clocked) {
            k->s->variables[i]->fixed = false;
            k->s->variables[i]->fixed_given = false;
        }
}

const foi_flat_expr *foi_clock_rewrite(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p)
{
    e = rewrite(k, e, p);
    if (!e || !p || e->op == FOI_OP_VARIABLE || e->op == FOI_OP_ELEMENT ||
        e->op == FOI_OP_LITERAL || e->type == FOI_STRING)
        return e;
    return foi_flat_call_builtin(k->s->flat, FOI_FN_NO_EVENT, 1, &e);
}

// When the run is said to begin.
static double begins(const foi_session *s)
{
    return isnan(s->flat->experiment.start) ? 0 : s->flat->experiment.start;
}

// Before its first tick a clocked variable is what it starts with: its equation would say something
// about what has not been sampled yet. That where each equation of a partition is for the variable
// on its left side.
static bool is_explicit(const foi_clocks *k, const foi_flat_expr *left)
{
    return left->op == FOI_OP_VARIABLE && left->variable->variability > FOI_PARAMETER &&
           left->variable->index < k->count && left->variable->type != FOI_STRING;
}

static bool *find_implicit(foi_clocks *k)
{
    const foi_session *s = k->s;
    bool *implicit = foi_arena_new(&k->s->arena, k->count + 1u, sizeof *implicit);
    bool *seen = foi_arena_new(&k->s->arena, k->count + 1u, sizeof *seen);
    if (!implicit || !seen) return NULL;
    for (uint32_t i = 0; i < s->main.count; i++) {
        const foi_flat_equation *e = &s->main.equations[i];
        uint32_t first = FOI_NO_CLOCK;
        foi_clock_unite(k, e->left, &first);
        foi_clock_unite(k, e->right, &first);
        if (first == FOI_NO_CLOCK || is_clock(k, e->left)) continue;
        bool fits = is_explicit(k, e->left) && !seen[e->left->variable->index];
        if (fits) seen[e->left->variable->index] = true;
        if (!fits) implicit[foi_clock_top(k, first)] = true;
    }
    for (uint32_t i = 0; i < s->flat->algorithm_count; i++) {
        foi_flat_variable **list = NULL;
        uint32_t count = 0;
        if (!foi_clock_targets(k->s, &s->flat->algorithms[i].body, &list, &count)) return NULL;
        for (uint32_t j = 0; j < count; j++)
            if (list[j]->index < k->count) implicit[foi_clock_top(k, list[j]->index)] = true;
    }
    return implicit;
}

static bool starts_later(const foi_clocks *k, const foi_clock_part *p)
{
    return !p->method && !p->varying && (p->event || p->start > begins(k->s));
}

static bool rewrite_equations(foi_clocks *k)
{
    foi_session *s = k->s;
    uint32_t kept_count = 0;
    const bool *implicit = find_implicit(k);
    if (!implicit) return false;
    for (uint32_t i = 0; i < s->main.count; i++) {
        foi_flat_equation e = s->main.equations[i];
        k->place = e.place;
        if (is_clock(k, e.left) || is_clock(k, e.right)) continue;
        uint32_t first = FOI_NO_CLOCK;
        foi_clock_unite(k, e.left, &first);
        foi_clock_unite(k, e.right, &first);
        foi_clock_part *p = foi_clock_part_of(k, first);
        e.left = foi_clock_rewrite(k, e.left, p), e.right = foi_clock_rewrite(k, e.right, p);
        if (!e.left || !e.right) return false;
        if (p && starts_later(k, p) && !implicit[p - k->parts])
            e.right = since_first(k, p, e.right, start_of(k, e.left));
        if (!e.right) return false;
        s->main.equations[kept_count++] = e;
    }
    s->main.count = kept_count;
    return true;
}

// --------------------------------------------------------------------- the first tick of states

static bool is_about(const foi_flat_expr *e, const foi_flat_expr *x)
{
    if (e->op == FOI_OP_CALL && e->builtin == FOI_FN_DER) e = e->arguments[0];
    return e->op == FOI_OP_VARIABLE && e->variable == x->variable;
}

// The state that an initial equation of its partition gives a value: the one that it is about, or
// the only one that is left.
static foi_clock_rate *started_by(foi_clocks *k, const foi_flat_equation *e,
                                  const foi_clock_part *p)
{
    foi_clock_rate *open = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->rate_count; i++) {
        foi_clock_rate *r = &k->rates[i];
        if (r->p != p || r->started) continue;
        if (is_about(e->left, r->x) || is_about(e->right, r->x)) return r;
        open = r, count++;
    }
    return count == 1 ? open : NULL;
}

// Instead of x = start, an initial equation holds at the first tick.
static bool start_by(foi_clocks *k, foi_clock_rate *r, const foi_flat_expr *first,
                     const foi_flat_equation *e)
{
    foi_flat *f = k->s->flat;
    const foi_flat_expr *left = rewrite(k, e->left, r->p), *right = rewrite(k, e->right, r->p);
    r->started = true;
    if (!first || !left || !right) return false;
    return add_equation(k, foi_flat_real(f, 0),
                        foi_flat_if(f, first, foi_flat_binary(f, FOI_OP_SUBTRACT, left, right),
                                    foi_flat_binary(f, FOI_OP_SUBTRACT, r->x, r->next)));
}

static const foi_flat_expr *first_tick(foi_clocks *k, foi_clock_part *p)
{
    foi_flat *f = k->s->flat;
    foi_flat_variable *count = counter(k, p);
    return count ? foi_flat_binary(f, FOI_OP_LESS_EQUAL, foi_flat_of(f, count),
                                   foi_flat_integer(f, 1))
                 : NULL;
}

// Initial equations of partitions with states count at the first tick.
static bool start_states(foi_clocks *k)
{
    foi_sink *all = &k->s->initial;
    uint32_t left = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        foi_flat_equation e = all->equations[i];
        uint32_t first = FOI_NO_CLOCK;
        k->place = e.place;
        foi_clock_unite(k, e.left, &first);
        foi_clock_unite(k, e.right, &first);
        foi_clock_part *p = first == FOI_NO_CLOCK ? NULL : &k->parts[foi_clock_top(k, first)];
        foi_clock_rate *r = p && p->clocked ? started_by(k, &e, p) : NULL;
        if (!r)
            all->equations[left++] = e;
        else if (!start_by(k, r, first_tick(k, p), &e))
            return false;
    }
    all->count = left;
    for (uint32_t i = 0; i < k->rate_count; i++) {
        foi_clock_rate *r = &k->rates[i];
        const foi_flat_expr *first = r->started ? NULL : first_tick(k, r->p);
        k->place = r->x->variable->place;
        if (!r->started &&
            (!first ||
             !add_equation(k, r->x, foi_flat_if(k->s->flat, first, start_of(k, r->x), r->next))))
            return false;
    }
    return true;
}

static bool take_added(foi_clocks *k)
{
    foi_session *s = k->s;
    for (uint32_t i = 0; i < k->added_count; i++) {
        foi_flat_equation *e =
            foi_arena_add(&s->flat->arena, &s->main.equations, &s->main.count, sizeof *e);
        if (!e) return false;
        *e = k->added[i];
    }
    return true;
}

// when tick then all that is kept.
static bool add_when(foi_clocks *k, const foi_clock_part *p)
{
    foi_session *s = k->s;
    foi_flat *f = s->flat;
    const foi_flat_expr *tick[] = {foi_flat_real(f, p->start), foi_flat_real(f, p->period)};
    const foi_flat_expr **condition = foi_arena_new(&f->arena, 2, sizeof *condition);
    const foi_flat_expr **all = foi_arena_new(&f->arena, p->target_count * 2u, sizeof *all);
    foi_flat_statement *st = foi_arena_new(&f->arena, 1, sizeof *st);
    foi_flat_statement **list = foi_arena_new(&f->arena, 1, sizeof *list);
    foi_flat_branch *branch = foi_arena_new(&f->arena, 1, sizeof *branch);
    foi_flat_when *w = foi_arena_add(&f->arena, &f->whens, &f->when_count, sizeof *w);
    if (!condition || !all || !st || !list || !branch || !w) return false;
    k->place = p->targets[0]->variable->place;
    condition[0] =
        p->event ? rewrite(k, p->event, NULL) : foi_flat_call_builtin(f, FOI_FN_SAMPLE, 2, tick);
    bool two = p->turns || p->varying;
    if (p->turns) condition[1] = foi_flat_unary(f, FOI_OP_NOT, condition[0]);
    if (p->varying) { // at the start, too
        const foi_flat_expr *once[] = {foi_flat_real(f, begins(k->s)), foi_flat_real(f, NEVER)};
        condition[1] = foi_flat_call_builtin(f, FOI_FN_SAMPLE, 2, once);
    }
    for (uint32_t i = 0; i < p->target_count; i++)
        all[i] = p->targets[i], all[p->target_count + i] = p->values[i];
    *st =
        (foi_flat_statement){.action = FOI_DO_ASSIGN, .place = k->place, .count = p->target_count};
    st->targets = all, st->values = all + p->target_count;
    list[0] = st;
    *branch = (foi_flat_branch){.conditions = condition, .place = k->place};
    branch->condition_count = two ? 2 : 1;
    branch->body = (foi_flat_block){list, 1};
    *w = (foi_flat_when){branch, 1, k->place};
    return condition[0] && (!two || condition[1]);
}

bool foi_resolve_clocks(foi_session *s)
{
    if (!foi_name_clocks(s)) return false;
    foi_clocks k = {.s = s, .count = s->variable_count};
    k.parts = foi_arena_new(&s->arena, k.count, sizeof *k.parts);
    if (!k.parts) return false;
    for (uint32_t i = 0; i < k.count; i++) k.parts[i].parent = i;
    if (!survey_equations(&k) || !foi_clock_mark_statements(&k) || !check_known(&k)) return false;
    let_start(&k);
    if (!rewrite_equations(&k) || !foi_clock_rewrite_statements(&k) || !start_states(&k) ||
        !take_added(&k))
        return false;
    for (uint32_t i = 0; i < k.count; i++)
        if (k.parts[i].target_count && !add_when(&k, &k.parts[i])) return false;
    return true;
}
