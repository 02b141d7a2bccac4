/// Random piecewise linear functions of time whose breakpoints coincide, with their exact truth.
///
/// Expressions of floor, ceil, mod, rem, div, sign, abs, min, max, if, and, or, xor and not over
/// one or two states that flow with constant rates. Periods and phases are multiples of each other,
/// so that many breakpoints lie at one instant: exactly, or but for rounding errors (0.1 and 0.3).
/// The truth is a piecewise linear function in rational numbers, with a value of its own at each
/// breakpoint. Each expression is written twice, as a text and as nodes of a diagram.
///
/// What no computation in doubles can decide is not handed out: a relation of rounded numbers that
/// is zero for a while, or touches zero, and a number that does not fit into 31 bits.
#ifndef TRUST_PIECEWISE_H
#define TRUST_PIECEWISE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 400, MOST_PARTS = 4096, TEXT_SIZE = 1 << 16 };

/// A rational number, the denominator positive, without common factors.
typedef struct ratio {
    int64_t n, d;
} ratio;

typedef struct pieces {
    int count;                            ///< of pieces
    ratio at[MOST_PIECES + 1];            ///< where they begin, and where the last one ends
    ratio a[MOST_PIECES], b[MOST_PIECES]; ///< a + b t inside each
    ratio point[MOST_PIECES + 1];         ///< the value where they begin and end
    bool exact;                           ///< computed without rounding errors
} pieces;

/// An expression in all its writings. The text is owned by the model.
typedef struct part {
    char *text;
    int node; ///< of the diagram
    pieces *p;
} part;

enum { STATES = 2, COUNTERS = 2 };

typedef struct piecewise {
    uint64_t chance;
    bool rejected; ///< something cannot be decided, or does not fit
    bool dirty;    ///< periods or starts are rounded
    ratio stop, periods[4];
    part variables[STATES + 1];
    int variable_count;
    ratio x0[STATES], v[STATES];
    int state_count;
    int nodes;
    char *diagram_nodes, *diagram_lines; ///< of expressions, TEXT_SIZE each
    void *owned[MOST_PARTS];
    int owned_count;
    part when[COUNTERS], sum[COUNTERS], rate;
    bool named[COUNTERS]; ///< the condition is a variable of its own
    int least[COUNTERS], most[COUNTERS], first[COUNTERS]; ///< truth: rises, and one at the start
    bool open[COUNTERS];                  ///< the sum depends on the value at an instant
    double low[COUNTERS], high[COUNTERS]; ///< truth: sums of y at the rises
    double z;                             ///< truth: the integral of rate
} piecewise;

// ------------------------------------------------------------------------------------ rational

static ratio q_make(piecewise *m, int64_t n, int64_t d)
{
    int64_t a = n < 0 ? -n : n, b = d < 0 ? -d : d;
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    if (!a) a = 1;
    n /= a, d /= a;
    if (d < 0) n = -n, d = -d;
    // so small that sums of two products of two fit
    if (n > INT64_C(1) << 30 || -n > INT64_C(1) << 30 || d > INT64_C(1) << 30) {
        m->rejected = true;
        return (ratio){0, 1};
    }
    return (ratio){(int64_t)n, (int64_t)d};
}

static ratio q(int64_t n, int64_t d)
{
    return (ratio){n, d};
}
static ratio q_add(piecewise *m, ratio x, ratio y)
{
    return q_make(m, (int64_t)x.n * y.d + (int64_t)y.n * x.d, (int64_t)x.d * y.d);
}
static ratio q_sub(piecewise *m, ratio x, ratio y)
{
    return q_add(m, x, q(-y.n, y.d));
}
static ratio q_mul(piecewise *m, ratio x, ratio y)
{
    return q_make(m, (int64_t)x.n * y.n, (int64_t)x.d * y.d);
}
static ratio q_div(piecewise *m, ratio x, ratio y)
{
    return q_make(m, (int64_t)x.n * y.d, (int64_t)x.d * y.n);
}
static int q_cmp(ratio x, ratio y)
{
    int64_t l = (int64_t)x.n * y.d, r = (int64_t)y.n * x.d;
    return (l > r) - (l < r);
}
static bool q_same(ratio x, ratio y)
{
    return x.n == y.n && x.d == y.d;
}
static int q_sign(ratio x)
{
    return (x.n > 0) - (x.n < 0);
}
static double q_number(ratio x)
{
    return (double)x.n / (double)x.d;
}
static int64_t q_floor(ratio x)
{
    int64_t k = x.n / x.d;
    return k - (x.n % x.d < 0);
}
static bool q_dyadic(ratio x)
{
    return (x.d & (x.d - 1)) == 0;
}

// -------------------------------------------------------------------------------------- memory

static void *own(piecewise *m, void *what)
{
    if (!what || m->owned_count == MOST_PARTS) {
        fprintf(stderr, "no memory for a piecewise model\n");
        exit(1);
    }
    return m->owned[m->owned_count++] = what;
}

__attribute__((format(printf, 2, 3))) static char *words(piecewise *m, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = own(m, malloc((size_t)length + 1));
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(list);
    va_end(again);
    return text;
}

__attribute__((format(printf, 3, 4))) static void append(piecewise *m, char *to, const char *format,
                                                         ...)
{
    va_list list;
    size_t length = strlen(to);
    va_start(list, format);
    int more = vsnprintf(to + length, TEXT_SIZE - length, format, list);
    va_end(list);
    if (more < 0 || (size_t)more >= TEXT_SIZE - length) m->rejected = true;
}

static pieces *p_new(piecewise *m)
{
    pieces *p = own(m, malloc(sizeof *p));
    p->count = 0, p->exact = false;
    return p;
}

// ------------------------------------------------------------------------------------ functions

// a + b t from 0 to the stop.
static pieces *p_line(piecewise *m, ratio a, ratio b, bool exact)
{
    pieces *p = p_new(m);
    p->count = 1, p->exact = exact;
    p->at[0] = q(0, 1), p->at[1] = m->stop;
    p->a[0] = a, p->b[0] = b;
    p->point[0] = a, p->point[1] = q_add(m, a, q_mul(m, b, m->stop));
    return p;
}

static ratio p_inside(piecewise *m, const pieces *p, int i, ratio t)
{
    return q_add(m, p->a[i], q_mul(m, p->b[i], t));
}

static ratio p_middle(piecewise *m, const pieces *p, int i)
{
    ratio t = q_mul(m, q_add(m, p->at[i], p->at[i + 1]), q(1, 2));
    return p_inside(m, p, i, t);
}

// A breakpoint at the end, with a value; the piece after it is still to be given.
static void p_break(piecewise *m, pieces *p, ratio t, ratio value)
{
    if (p->count == MOST_PIECES) {
        m->rejected = true;
        p->count = 1;
    }
    p->at[p->count] = t, p->point[p->count] = value;
}

// The same function with a breakpoint wherever it comes to a whole multiple of 1/`levels`; 0: to
// zero only.
static pieces *p_cut(piecewise *m, const pieces *p, bool whole)
{
    pieces *r = p_new(m);
    r->exact = p->exact;
    for (int i = 0; i < p->count && !m->rejected; i++) {
        ratio from = p_inside(m, p, i, p->at[i]), to = p_inside(m, p, i, p->at[i + 1]);
        bool up = q_cmp(from, to) < 0;
        int64_t lo = whole ? q_floor(up ? from : to) : 0, hi = whole ? q_floor(up ? to : from) : 0;
        p_break(m, r, p->at[i], p->point[i]);
        r->a[r->count] = p->a[i], r->b[r->count] = p->b[i], r->count++;
        if (hi - lo > MOST_PIECES) m->rejected = true;
        for (int64_t k = 0; k <= hi - lo && p->b[i].n && !m->rejected; k++) {
            ratio level = q(up ? lo + k : hi - k, 1);
            ratio t = q_div(m, q_sub(m, level, p->a[i]), p->b[i]);
            if (q_cmp(t, p->at[i]) <= 0 || q_cmp(t, p->at[i + 1]) >= 0) continue;
            p_break(m, r, t, level);
            r->a[r->count] = p->a[i], r->b[r->count] = p->b[i], r->count++;
        }
    }
    p_break(m, r, p->at[p->count], p->point[p->count]);
    return r;
}

// Both functions with the breakpoints of both.
static void p_match(piecewise *m, const pieces *p, const pieces *o, pieces *p2, pieces *o2)
{
    int i = 0, k = 0;
    p2->count = o2->count = 0;
    while (i < p->count && k < o->count && !m->rejected) {
        ratio t = q_cmp(p->at[i], o->at[k]) > 0 ? p->at[i] : o->at[k];
        p_break(m, p2, t, q_same(p->at[i], t) ? p->point[i] : p_inside(m, p, i, t));
        p_break(m, o2, t, q_same(o->at[k], t) ? o->point[k] : p_inside(m, o, k, t));
        p2->a[p2->count] = p->a[i], p2->b[p2->count] = p->b[i], p2->count++;
        o2->a[o2->count] = o->a[k], o2->b[o2->count] = o->b[k], o2->count++;
        int next = q_cmp(p->at[i + 1], o->at[k + 1]);
        if (next <= 0) i++;
        if (next >= 0) k++;
    }
    p_break(m, p2, m->stop, p->point[p->count]);
    p_break(m, o2, m->stop, o->point[o->count]);
}

// Without breakpoints at which nothing breaks.
static pieces *p_simple(piecewise *m, pieces *p)
{
    int n = 0;
    for (int i = 0; i < p->count; i++) {
        bool same = n && q_same(p->a[i], p->a[n - 1]) && q_same(p->b[i], p->b[n - 1]) &&
                    q_same(p->point[i], p_inside(m, p, i, p->at[i]));
        if (same) continue;
        p->at[n] = p->at[i], p->point[n] = p->point[i], p->a[n] = p->a[i], p->b[n] = p->b[i], n++;
    }
    p->at[n] = p->at[p->count], p->point[n] = p->point[p->count], p->count = n;
    return p;
}

// x p + y o.
static pieces *p_sum(piecewise *m, const pieces *p, ratio x, const pieces *o, ratio y)
{
    pieces *l = p_new(m), *r = p_new(m);
    p_match(m, p, o, l, r);
    for (int i = 0; i <= l->count; i++) {
        l->point[i] = q_add(m, q_mul(m, x, l->point[i]), q_mul(m, y, r->point[i]));
        if (i == l->count) break;
        l->a[i] = q_add(m, q_mul(m, x, l->a[i]), q_mul(m, y, r->a[i]));
        l->b[i] = q_add(m, q_mul(m, x, l->b[i]), q_mul(m, y, r->b[i]));
    }
    l->exact = p->exact && o->exact && q_dyadic(x) && q_dyadic(y);
    return p_simple(m, l);
}

static pieces *p_times(piecewise *m, const pieces *p, ratio x)
{
    return p_sum(m, p, x, p, q(0, 1));
}

/// What a value becomes, by the value alone: constant between breakpoints.
typedef ratio p_law(piecewise *m, ratio v);

static ratio law_floor(piecewise *m, ratio v)
{
    (void)m;
    return q(q_floor(v), 1);
}
static ratio law_ceil(piecewise *m, ratio v)
{
    (void)m;
    return q(-q_floor(q(-v.n, v.d)), 1);
}
static ratio law_fix(piecewise *m, ratio v)
{
    return v.n < 0 ? law_ceil(m, v) : law_floor(m, v);
}
static ratio law_sign(piecewise *m, ratio v)
{
    (void)m;
    return q(q_sign(v), 1);
}
static ratio law_less(piecewise *m, ratio v)
{
    (void)m;
    return q(v.n < 0, 1);
}
static ratio law_less_equal(piecewise *m, ratio v)
{
    (void)m;
    return q(v.n <= 0, 1);
}
static ratio law_greater(piecewise *m, ratio v)
{
    (void)m;
    return q(v.n > 0, 1);
}
static ratio law_greater_equal(piecewise *m, ratio v)
{
    (void)m;
    return q(v.n >= 0, 1);
}

static pieces *p_by(piecewise *m, const pieces *p, bool whole, p_law *law)
{
    pieces *r = p_cut(m, p, whole);
    for (int i = 0; i <= r->count && !m->rejected; i++) {
        r->point[i] = law(m, r->point[i]);
        if (i == r->count) break;
        r->a[i] = law(m, p_middle(m, r, i)), r->b[i] = q(0, 1);
    }
    r->exact = true;
    return p_simple(m, r);
}

static pieces *p_whole(piecewise *m, const pieces *p, p_law *law)
{
    for (int i = 0; i < p->count && !p->exact; i++)
        if (p->b[i].n == 0 && p->a[i].d == 1) m->rejected = true;
    if (!p->exact && m->dirty && p->point[0].d == 1 && p->b[0].n) m->rejected = true;
    return p_by(m, p, true, law);
}

// Zero for a while, touched, or zero at the start: rounding errors would decide.
static bool p_is_doubtful(piecewise *m, const pieces *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->a[i].n == 0 && p->b[i].n == 0) return true;
    if (p->point[0].n == 0 && m->dirty) return true;
    for (int i = 1; i < p->count; i++) {
        ratio l = p_inside(m, p, i - 1, p->at[i]), r = p_inside(m, p, i, p->at[i]);
        if (!l.n && !r.n && !p->point[i].n && q_sign(p->b[i - 1]) != q_sign(p->b[i])) return true;
    }
    return false;
}

static pieces *p_relation(piecewise *m, const pieces *p, const pieces *o, p_law *law)
{
    pieces *d = p_sum(m, p, q(1, 1), o, q(-1, 1));
    if (!(p->exact && o->exact) && p_is_doubtful(m, d)) m->rejected = true;
    return p_by(m, d, false, law);
}

// p where the condition is true, o elsewhere.
static pieces *p_if(piecewise *m, const pieces *c, const pieces *p, const pieces *o)
{
    pieces *c1 = p_new(m), *p1 = p_new(m), *c2 = p_new(m), *o2 = p_new(m), *p3 = p_new(m);
    pieces *both = p_new(m);
    p_match(m, p, o, p1, both); // p with the breakpoints of o
    p_match(m, c, p1, c1, p3);  // and of c
    p_match(m, c1, o, c2, o2);
    for (int i = 0; i <= c2->count && !m->rejected; i++) {
        if (!c2->point[i].n) p3->point[i] = o2->point[i];
        if (i < c2->count && !c2->a[i].n) p3->a[i] = o2->a[i], p3->b[i] = o2->b[i];
    }
    p3->exact = p->exact && o->exact;
    return p_simple(m, p3);
}

// -------------------------------------------------------------------------------------- writing

static uint64_t chance_of(piecewise *m) // splitmix64
{
    uint64_t z = (m->chance += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int roll_of(piecewise *m, int count)
{
    return (int)(chance_of(m) % (uint64_t)count);
}

static char *number_text(piecewise *m, ratio x)
{
    if (x.d == 1) return words(m, x.n < 0 ? "(%lld)" : "%lld", (long long)x.n);
    if (q_dyadic(x) || 1000000 % x.d == 0)
        return words(m, x.n < 0 ? "(%.15g)" : "%.15g", q_number(x));
    return words(m, "(%lld/%lld)", (long long)x.n, (long long)x.d);
}

// A node with up to three inputs; parameters in JSON with ' for ".
static int node_of(piecewise *m, const char *type, const char *parameters, int a, int b, int c)
{
    int n = m->nodes++, inputs[] = {a, b, c};
    append(m, m->diagram_nodes, ", {'name': 'n%d', 'type': '%s', 'parameters': {%s}}", n, type,
           parameters);
    for (int i = 0; i < 3; i++)
        if (inputs[i] >= 0)
            append(m, m->diagram_lines, ", {'from': 'n%d', 'to': 'n%d:%d'}", inputs[i], n, i + 1);
    return n;
}

static part number_part(piecewise *m, ratio x)
{
    char value[64];
    snprintf(value, sizeof value, "'Constant Value': %.17g", q_number(x));
    return (part){number_text(m, x), node_of(m, "Constant", value, -1, -1, -1),
                  p_line(m, x, q(0, 1), true)};
}

static part sum_part(piecewise *m, part x, part y, bool minus)
{
    int node = node_of(m, "Sum", minus ? "'Signs': '+-'" : "'Signs': '++'", x.node, y.node, -1);
    return (part){words(m, "(%s %c (%s))", x.text, minus ? '-' : '+', y.text), node,
                  p_sum(m, x.p, q(1, 1), y.p, q(minus ? -1 : 1, 1))};
}

static int product_node(piecewise *m, int a, int b, bool divided)
{
    return node_of(m, "Product", divided ? "'Signs': '*/'" : "'Signs': '**'", a, b, -1);
}

static int rounding_node(piecewise *m, const char *function, int a)
{
    char words_of[64];
    snprintf(words_of, sizeof words_of, "'Function': '%s'", function);
    return node_of(m, "Rounding Function", words_of, a, -1, -1);
}

static part floor_part(piecewise *m, part x)
{
    return (part){words(m, "floor(%s)", x.text), rounding_node(m, "floor", x.node),
                  p_whole(m, x.p, law_floor)};
}

static part abs_part(piecewise *m, part x)
{
    pieces *c = p_by(m, x.p, false, law_greater_equal);
    pieces *p = p_if(m, c, x.p, p_times(m, x.p, q(-1, 1)));
    p->exact = x.p->exact;
    return (part){words(m, "abs(%s)", x.text), node_of(m, "Absolute", "", x.node, -1, -1), p};
}

// ---------------------------------------------------------------------------------------- grammar

static ratio period_of(piecewise *m)
{
    return m->periods[roll_of(m, 4)];
}

// A state or time, moved by a phase.
static part argument(piecewise *m)
{
    part x = m->variables[roll_of(m, m->variable_count)];
    ratio by = q(0, 1);
    int kind = roll_of(m, 4);
    if (kind == 2) by = q_mul(m, period_of(m), q(roll_of(m, 7) - 3, 1));
    if (kind == 3) by = q_mul(m, period_of(m), q(1, 2));
    return by.n ? sum_part(m, x, number_part(m, by), false) : x;
}

static part saw(piecewise *m)
{
    enum { MOD, MOD_TOO, FLOOR, CEIL, REM, INTEGER, SIGN, DIV, ABS, STAIRS, KINDS };
    part x = argument(m);
    ratio k = period_of(m);
    part size = number_part(m, k);
    int kind = roll_of(m, KINDS);
    if (kind == SIGN || kind == ABS) {
        part level = number_part(m, q_mul(m, k, q(1 + roll_of(m, 4), 1)));
        part d = sum_part(m, x, level, true);
        if (kind == ABS) return abs_part(m, d);
        return (part){words(m, "sign(%s)", d.text), node_of(m, "Sign", "", d.node, -1, -1),
                      p_by(m, d.p, false, law_sign)};
    }
    pieces *over = p_times(m, x.p, q_div(m, q(1, 1), k));
    over->exact = x.p->exact && q_dyadic(q_div(m, q(1, 1), k));
    int quotient = product_node(m, x.node, size.node, true);
    bool fix = kind == REM || kind == DIV, up = kind == CEIL;
    pieces *whole = p_whole(m, over, fix ? law_fix : up ? law_ceil : law_floor);
    int node = rounding_node(m, fix ? "fix" : up ? "ceil" : "floor", quotient);
    if (kind == DIV) return (part){words(m, "div(%s, %s)", x.text, size.text), node, whole};
    if (kind == CEIL) return (part){words(m, "ceil(%s/%s)", x.text, size.text), node, whole};
    if (kind == FLOOR || kind == INTEGER)
        return (part){
            words(m, kind == FLOOR ? "floor(%s/%s)" : "integer(%s/%s)", x.text, size.text), node,
            whole};
    node = product_node(m, node, size.node, false);
    pieces *stairs = p_times(m, whole, k);
    if (kind == STAIRS)
        return (part){words(m, "%s*floor(%s/%s)", size.text, x.text, size.text), node, stairs};
    node = node_of(m, "Sum", "'Signs': '+-'", x.node, node, -1);
    return (part){words(m, kind == REM ? "rem(%s, %s)" : "mod(%s, %s)", x.text, size.text), node,
                  p_sum(m, x.p, q(1, 1), stairs, q(-1, 1))};
}

static part condition(piecewise *m, int depth);

static part expression(piecewise *m, int depth)
{
    enum { IF, IF_TOO, PLUS, MINUS, TIMES, SAW, MIN, MAX, ABS, FLOOR, KINDS };
    if (depth == 0) return roll_of(m, 5) ? saw(m) : argument(m);
    int kind = roll_of(m, KINDS);
    if (kind == SAW) return saw(m);
    part x = expression(m, depth - 1);
    if (kind == ABS) return abs_part(m, x);
    if (kind == FLOOR) return floor_part(m, x);
    if (kind == TIMES) {
        static const ratio factors[] = {{2, 1}, {1, 2}, {-1, 1}, {3, 1}};
        ratio by = factors[roll_of(m, 4)];
        part f = number_part(m, by);
        return (part){words(m, "%s*(%s)", f.text, x.text), product_node(m, f.node, x.node, false),
                      p_times(m, x.p, by)};
    }
    part y = expression(m, depth - 1);
    if (kind == PLUS || kind == MINUS) return sum_part(m, x, y, kind == MINUS);
    if (kind == MIN || kind == MAX) {
        pieces *c = p_relation(m, x.p, y.p, kind == MIN ? law_less : law_greater);
        const char *name = kind == MIN ? "min" : "max";
        int node =
            node_of(m, "Min Max", kind == MIN ? "'Function': 'minimum'" : "'Function': 'maximum'",
                    x.node, y.node, -1);
        return (part){words(m, "%s(%s, %s)", name, x.text, y.text), node, p_if(m, c, x.p, y.p)};
    }
    part c = condition(m, depth - 1);
    return (part){words(m, "(if %s then %s else %s)", c.text, x.text, y.text),
                  node_of(m, "Switch", "'Threshold': 0.5", x.node, y.node, c.node),
                  p_if(m, c.p, x.p, y.p)};
}

static part relation(piecewise *m, int depth)
{
    static const char *const names[] = {"<", "<=", ">", ">="};
    static p_law *const laws[] = {law_less, law_less_equal, law_greater, law_greater_equal};
    static const ratio parts[] = {{1, 2}, {1, 1}, {9, 10}, {3, 2}, {1, 100}, {999, 1000}};
    int op = roll_of(m, 4);
    part x = expression(m, depth);
    part y = roll_of(m, 2) ? expression(m, depth)
                           : number_part(m, q_mul(m, period_of(m), parts[roll_of(m, 6)]));
    char parameters[64];
    snprintf(parameters, sizeof parameters, "'Relational Operator': '%s'", names[op]);
    return (part){words(m, "%s %s %s", x.text, names[op], y.text),
                  node_of(m, "Relational Operator", parameters, x.node, y.node, -1),
                  p_relation(m, x.p, y.p, laws[op])};
}

static part condition(piecewise *m, int depth)
{
    enum { AND, AND_TOO, OR, OR_TOO, XOR, NOT, KINDS };
    if (depth == 0 || roll_of(m, 5) > 1) return relation(m, depth > 0 ? depth - 1 : 0);
    int kind = roll_of(m, KINDS);
    part x = condition(m, depth - 1);
    pieces *no = p_line(m, q(0, 1), q(0, 1), true), *yes = p_line(m, q(1, 1), q(0, 1), true);
    pieces *not_x = p_sum(m, yes, q(1, 1), x.p, q(-1, 1));
    if (kind == NOT)
        return (part){words(m, "(not (%s))", x.text),
                      node_of(m, "Logical Operator", "'Logical Operator': 'NOT'", x.node, -1, -1),
                      not_x};
    part y = condition(m, depth - 1);
    if (kind == XOR) {
        pieces *not_y = p_sum(m, yes, q(1, 1), y.p, q(-1, 1));
        return (part){
            words(m, "((%s) <> (%s))", x.text, y.text),
            node_of(m, "Logical Operator", "'Logical Operator': 'XOR'", x.node, y.node, -1),
            p_if(m, x.p, not_y, y.p)};
    }
    bool and = kind <= AND_TOO;
    return (part){words(m, and? "(%s and %s)" : "(%s or %s)", x.text, y.text),
                  node_of(m, "Logical Operator",
                          and? "'Logical Operator': 'AND'" : "'Logical Operator': 'OR'", x.node,
                          y.node, -1),
                  and? p_if(m, x.p, y.p, no) : p_if(m, x.p, yes, y.p)};
}

// ------------------------------------------------------------------------------------------ truth

// How often a condition rises after the start: without the values at instants, and with them.
static void count_rises(piecewise *m, int i)
{
    const pieces *c = m->when[i].p;
    int64_t inside = c->a[0].n, last = c->point[0].n;
    m->least[i] = m->most[i] = 0;
    m->first[i] = c->a[0].n && !c->point[0].n;
    for (int k = 0; k < c->count; k++) {
        if (k) m->most[i] += c->point[k].n && !last, last = c->point[k].n;
        m->most[i] += c->a[k].n && !last, last = c->a[k].n;
        m->least[i] += c->a[k].n && !inside, inside = c->a[k].n;
    }
}

// What y adds up to at the rises: between its values at the instant and right after it.
static void add_up(piecewise *m, int i)
{
    pieces *c = p_new(m), *y = p_new(m);
    p_match(m, m->when[i].p, m->sum[i].p, c, y);
    m->low[i] = m->high[i] = 0, m->open[i] = false;
    for (int k = 0; k < c->count; k++) {
        int64_t before = k ? c->a[k - 1].n : c->point[0].n, at = c->point[k].n, after = c->a[k].n;
        if (k && at != before && at != after) m->open[i] = true;
        if (!after || before) continue;
        ratio right = p_inside(m, y, k, y->at[k]);
        m->low[i] += fmin(q_number(y->point[k]), q_number(right));
        m->high[i] += fmax(q_number(y->point[k]), q_number(right));
    }
}

static double integral_of(const pieces *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++) {
        double s = q_number(p->at[i]), t = q_number(p->at[i + 1]);
        sum += (t - s) * (q_number(p->a[i]) + q_number(p->b[i]) * (s + t) / 2);
    }
    return sum;
}

// ------------------------------------------------------------------------------------- the model

static void piecewise_end(piecewise *m)
{
    for (int i = 0; i < m->owned_count; i++) free(m->owned[i]);
    m->owned_count = 0;
}

static void choose_variables(piecewise *m)
{
    static const ratio starts[] = {{0, 1}, {0, 1}, {-1, 1}, {1, 2}, {-3, 10}, {1, 3}};
    static const ratio speeds[] = {{1, 1}, {1, 1}, {2, 1}, {1, 2}, {-1, 1}, {3, 10}};
    static const ratio sets[][4] = {{{1, 1}, {2, 1}, {1, 2}, {4, 1}},
                                    {{1, 10}, {3, 10}, {1, 5}, {3, 5}},
                                    {{1, 1}, {1, 3}, {2, 3}, {2, 1}},
                                    {{3, 10}, {9, 10}, {6, 5}, {1, 5}},
                                    {{7, 10}, {7, 5}, {7, 20}, {7, 10}}};
    memcpy(m->periods, sets[roll_of(m, 5)], sizeof m->periods);
    m->stop = q_add(m, q(3 + 2 * roll_of(m, 3), 1), q(1, 7));
    m->state_count = roll_of(m, 3) ? 1 : 2;
    for (int i = 0; i < 4; i++) m->dirty |= !q_dyadic(m->periods[i]);
    for (int i = 0; i < m->state_count; i++) {
        char parameters[64];
        m->x0[i] = starts[roll_of(m, 6)], m->v[i] = speeds[roll_of(m, 6)];
        m->dirty |= !q_dyadic(m->x0[i]);
        part v = number_part(m, m->v[i]);
        snprintf(parameters, sizeof parameters, "'Initial Condition': %.17g", q_number(m->x0[i]));
        m->variables[i] =
            (part){words(m, "x%d", i), node_of(m, "Integrator", parameters, v.node, -1, -1),
                   p_line(m, m->x0[i], m->v[i], false)};
    }
    m->variable_count = m->state_count;
    if (roll_of(m, 10) < 3)
        m->variables[m->variable_count++] =
            (part){words(m, "time"), node_of(m, "Clock", "", -1, -1, -1),
                   p_line(m, q(0, 1), q(1, 1), false)};
}

static void draw_once(piecewise *m, uint64_t seed)
{
    *m = (piecewise){.chance = seed};
    m->diagram_nodes = own(m, calloc(1, TEXT_SIZE));
    m->diagram_lines = own(m, calloc(1, TEXT_SIZE));
    choose_variables(m);
    for (int i = 0; i < COUNTERS && !m->rejected; i++) {
        m->when[i] = condition(m, 2);
        m->named[i] = roll_of(m, 2);
        m->sum[i] = floor_part(m, expression(m, 1));
    }
    if (!m->rejected) m->rate = expression(m, 2);
    if (m->rejected) return;
    for (int i = 0; i < COUNTERS; i++) count_rises(m, i), add_up(m, i);
    m->z = integral_of(m->rate.p);
}

/// The model of a seed, with its truth. To be ended with piecewise_end.
static void piecewise_draw(piecewise *m, uint64_t seed)
{
    for (uint64_t k = 0;; k++) {
        draw_once(m, seed * UINT64_C(0x100000001b3) + k * UINT64_C(0x2545f4914f6cdd1d));
        if (!m->rejected) return;
        piecewise_end(m);
    }
}

/// As a text, into TEXT_SIZE characters.
static void piecewise_text(piecewise *m, char *text)
{
    text[0] = 0;
    append(m, text, "model A\nReal z(start = 0, fixed = true);\n");
    for (int i = 0; i < m->state_count; i++)
        append(m, text, "Real x%d(start = %s, fixed = true);\n", i, number_text(m, m->x0[i]));
    for (int i = 0; i < COUNTERS; i++)
        append(m, text,
               "discrete Integer n%d(start = 0, fixed = true); Boolean b%d; Real y%d;\n"
               "discrete Real s%d(start = 0, fixed = true);\n",
               i, i, i, i);
    append(m, text, "equation\nder(z) = %s;\n", m->rate.text);
    for (int i = 0; i < m->state_count; i++)
        append(m, text, "der(x%d) = %s;\n", i, number_text(m, m->v[i]));
    for (int i = 0; i < COUNTERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "edge(b%d)", i);
        append(m, text, "y%d = %s;\nb%d = %s;\n", i, m->sum[i].text, i, m->when[i].text);
        append(m, text, "when %s then n%d = pre(n%d) + 1; s%d = pre(s%d) + y%d; end when;\n",
               m->named[i] ? name : m->when[i].text, i, i, i, i, i);
    }
    append(m, text, "end A;\n");
}

// An integrator of nothing that is set to itself and one more where the condition rises. Right at
// the start it is 0: what it is set to would be part of its own start.
static void count_in_diagram(piecewise *m, char *nodes, char *lines, int i)
{
    append(m, nodes,
           ", {'name': 'half%d', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, {'name': 'n_%d', "
           "'type': 'Integrator', 'parameters': {'External Reset': 'rising', 'Initial Condition "
           "Source': 'external'}}, {'name': 'more%d', 'type': 'Sum'}, {'name': 'to%d', 'type': "
           "'Product'}, {'name': 'end%d', 'type': 'Terminator'}, {'name': 'y%d', 'type': "
           "'Terminator'}",
           i, i, i, i, i, i);
    append(m, lines,
           ", {'from': 'n%d', 'to': 'half%d:1'}, {'from': 'c05', 'to': 'half%d:2'}, {'from': 'c0', "
           "'to': 'n_%d:1'}, {'from': 'half%d', 'to': 'n_%d:2'}, {'from': 'to%d', 'to': 'n_%d:3'}",
           m->when[i].node, i, i, i, i, i, i, i);
    append(m, lines,
           ", {'from': 'n_%d', 'to': 'more%d:1'}, {'from': 'c1', 'to': 'more%d:2'}, {'from': "
           "'more%d', 'to': 'to%d:1'}, {'from': 'once', 'to': 'to%d:2'}, {'from': 'n_%d', 'to': "
           "'end%d'}, {'from': 'n%d', 'to': 'y%d'}",
           i, i, i, i, i, i, i, i, m->sum[i].node, i);
}

/// As the members of a diagram, into 3 TEXT_SIZE characters, in JSON with ' for ". Counters are the
/// states of n_0 and n_1.
static void piecewise_diagram(piecewise *m, char *text)
{
    char *nodes = own(m, calloc(1, TEXT_SIZE)), *lines = own(m, calloc(1, TEXT_SIZE));
    append(m, nodes,
           "{'name': 'c0', 'type': 'Constant', 'parameters': {'Constant Value': 0}}, {'name': "
           "'c05', 'type': 'Constant', 'parameters': {'Constant Value': 0.5}}, {'name': 'c1', "
           "'type': 'Constant', 'parameters': {'Constant Value': 1}}, {'name': 'once', 'type': "
           "'Step', 'parameters': {'Step Time': 1e-9}}, {'name': 'z', 'type': 'Integrator'}, "
           "{'name': 'end', 'type': 'Terminator'}");
    append(m, lines, "{'from': 'n%d', 'to': 'z'}, {'from': 'z', 'to': 'end'}", m->rate.node);
    for (int i = 0; i < COUNTERS; i++) count_in_diagram(m, nodes, lines, i);
    for (int i = 0; i < m->nodes; i++) { // every output has a sink
        append(m, nodes, ", {'name': 't%d', 'type': 'Terminator'}", i);
        append(m, lines, ", {'from': 'n%d', 'to': 't%d'}", i, i);
    }
    snprintf(text, 3 * TEXT_SIZE,
             "'simulation': {'stop': %.17g, 'step': 0.05, 'integrator': 'dp45', 'rtol': 1e-9, "
             "'atol': 1e-12}, 'nodes': [%s%s], 'lines': [%s%s]",
             q_number(m->stop), nodes, m->diagram_nodes, lines, m->diagram_lines);
}

#endif
