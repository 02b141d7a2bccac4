/// Which variables are one clocked partition, and what says how its clock ticks.
#include <float.h>
#include <math.h>

#include "language/clock.h"

uint32_t foi_clock_top(foi_clocks *k, uint32_t i)
{
    while (k->parts[i].parent != i) i = k->parts[i].parent = k->parts[k->parts[i].parent].parent;
    return i;
}

foi_clock_part *foi_clock_part_of(foi_clocks *k, uint32_t first)
{
    foi_clock_part *p = first == FOI_NO_CLOCK ? NULL : &k->parts[foi_clock_top(k, first)];
    return p && p->clocked ? p : NULL;
}

static bool is_unknown(const foi_clocks *k, const foi_flat_variable *v)
{
    return !v->local && v->variability > FOI_PARAMETER && v->index < k->count &&
           k->s->variables[v->index] == v;
}

static void unite(foi_clocks *k, uint32_t *first, uint32_t i)
{
    i = foi_clock_top(k, i);
    if (*first == FOI_NO_CLOCK) {
        *first = i;
        return;
    }
    uint32_t a = foi_clock_top(k, *first);
    if (a != i) k->parts[a > i ? a : i].parent = a > i ? i : a;
    *first = foi_clock_top(k, a);
}

// The argument of these is of the partition in which they stand.
static bool is_same_clock(const foi_flat_expr *e)
{
    int operation = (int)e->builtin;
    return operation == CLOCK_PREVIOUS || operation == CLOCK_INTERVAL || operation == CLOCK_FIRST;
}

void foi_clock_unite(foi_clocks *k, const foi_flat_expr *e, uint32_t *first)
{
    if (e->op == FOI_OP_VARIABLE) {
        if (is_unknown(k, e->variable)) unite(k, first, e->variable->index);
        return;
    }
    if (e->op == FOI_OP_ELEMENT)
        for (uint32_t i = 0; i < e->array->count; i++)
            if (is_unknown(k, e->array->elements[i])) unite(k, first, e->array->elements[i]->index);
    if (foi_is_clock_call(e)) {
        int operation = (int)e->builtin;
        if (e->count > 1 && (operation == CLOCK_SAMPLE || operation == CLOCK_PERIOD))
            foi_clock_unite(k, e->arguments[1], first); // its clock, or the counter of its interval
        if (operation == CLOCK_PERIOD && e->count == 1) foi_clock_unite(k, e->arguments[0], first);
        if (!is_same_clock(e)) return;
    }
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        foi_clock_unite(k, foi_clock_argument(e, i), first);
}

// Marks what the operators say: who is clocked, and how clocks depend on each other.
bool foi_clock_mark(foi_clocks *k, const foi_flat_expr *e, uint32_t here)
{
    uint32_t inside = here;
    if (foi_is_clock_call(e)) {
        int operation = (int)e->builtin;
        if (operation == CLOCK_PERIOD || operation == CLOCK_EVENT) return true; // taken before
        uint32_t of = FOI_NO_CLOCK;
        if (e->count && !is_same_clock(e)) foi_clock_unite(k, e->arguments[0], &of);
        if (operation == CLOCK_HOLD && of == FOI_NO_CLOCK)
            return foi_error(k->s, k->place, "'hold' needs a clocked variable");
        if (operation != CLOCK_HOLD && here != FOI_NO_CLOCK)
            k->parts[foi_clock_top(k, here)].clocked = true;
        bool converts = operation >= CLOCK_SUB && operation <= CLOCK_BACK;
        bool same = operation == CLOCK_SOLVER && of != FOI_NO_CLOCK; // ticks as its clock does
        converts |= same;
        if ((operation == CLOCK_HOLD || converts) && of != FOI_NO_CLOCK)
            k->parts[foi_clock_top(k, of)].clocked = true;
        if (converts && of != FOI_NO_CLOCK && here != FOI_NO_CLOCK) {
            foi_clock_relation *r =
                foi_arena_add(&k->s->arena, &k->relations, &k->relation_count, sizeof *r);
            if (!r) return false;
            *r = (foi_clock_relation){here,
                                      of,
                                      same ? CLOCK_SUB : operation,
                                      same ? 1 : e->arguments[1]->number,
                                      e->count > 2 ? e->arguments[2]->number : 1,
                                      k->place};
        }
        if (!is_same_clock(e)) inside = of;
    }
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (!foi_clock_mark(k, foi_clock_argument(e, i), inside)) return false;
    return true;
}

// Times that come from rational numbers, up to their rounding.
static bool is_about_same(double a, double b, double scale)
{
    return fabs(a - b) <= 64 * DBL_EPSILON * scale;
}

static bool two_clocks(foi_clocks *k)
{
    return foi_error(k->s, k->place,
                     "two clocks meet here: a variable of another clock must be converted, by "
                     "'subSample', 'superSample', 'shiftSample', 'backSample' or 'noClock'");
}

// Clock(seconds), Clock(counter, resolution): with an interval that is known, or one that changes.
static bool define_period(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p)
{
    double period;
    if (foi_variability_of(e->arguments[0]) > FOI_PARAMETER) {
        if (p->known && p->varying != e) return two_clocks(k);
        p->known = p->clocked = true, p->varying = e;
        return true;
    }
    bool known = foi_known(k->s, e->arguments[0], true, &period);
    if (known && period == 0 && e->count > 1) return p->clocked = true; // inferred
    if (!known || !(period > 0))
        return foi_error(k->s, k->place,
                         "the period of a clock must be a number > 0 that is known before the run, "
                         "or a clocked variable");
    if (p->known && (p->event || p->varying || !is_about_same(p->period, period, period)))
        return two_clocks(k);
    p->known = p->clocked = true, p->start = 0, p->period = period;
    return true;
}

// Clock(...) on one side of an equation, or as the second argument of sample.
bool foi_clock_define(foi_clocks *k, const foi_flat_expr *e, uint32_t here)
{
    if (foi_is_clock_call(e) && here != FOI_NO_CLOCK) {
        foi_clock_part *p = &k->parts[foi_clock_top(k, here)];
        if ((int)e->builtin == CLOCK_PERIOD) return define_period(k, e, p);
        if ((int)e->builtin == CLOCK_SOLVER) p->method = 1 + (uint32_t)e->arguments[1]->number;
        if ((int)e->builtin == CLOCK_EVENT) {
            if (p->known && (!p->event || p->varying)) return two_clocks(k);
            p->known = p->clocked = true, p->event = e->arguments[0];
            if (e->count > 1) p->first_interval = e->arguments[1];
            return true;
        }
    }
    for (uint32_t i = 0; i < e->count; i++)
        if (!foi_clock_define(k, e->arguments[i], here)) return false;
    return true;
}

// Ticks of p for one of q; 0: to be inferred.
double foi_clock_ratio(const foi_clock_relation *r)
{
    if (r->operation == CLOCK_SUPER) return r->a == 0 ? 0 : 1 / r->a;
    return r->operation == CLOCK_SUB ? r->a : 1;
}

// How much later q begins, in periods of p.
double foi_clock_shift(const foi_clock_relation *r)
{
    if (r->operation == CLOCK_SHIFT) return r->a / r->b;
    return r->operation == CLOCK_BACK ? -r->a / r->b : 0;
}

// Two clocks that are both given, and a conversion between them.
bool foi_clock_fits(foi_clocks *k, const foi_clock_relation *r)
{
    const foi_clock_part *q = &k->parts[foi_clock_top(k, r->q)],
                         *p = &k->parts[foi_clock_top(k, r->p)];
    double ratio = foi_clock_ratio(r), start = p->start + foi_clock_shift(r) * p->period;
    k->place = r->place;
    if (q->known && !q->event && q->start < -64 * DBL_EPSILON * q->period)
        return foi_error(k->s, k->place,
                         "'backSample' asks for ticks before the first one of the clock, %g s "
                         "before the start",
                         -q->start);
    if (p->event && !q->known && ratio != 0)
        return foi_error(k->s, k->place,
                         "a clock of a condition, or of an interval that changes, has no ticks "
                         "between its own: this asks for some, or for ticks before its first");
    if (!p->known || !q->known || p->event || q->event || ratio == 0) return true;
    if (is_about_same(q->period, p->period * ratio, q->period) &&
        is_about_same(q->start, start, fabs(start) + q->period))
        return true;
    return two_clocks(k);
}
