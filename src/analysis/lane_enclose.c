// Guards on a part of a step in lanes, to the bit as solver/stretch.c and program/enclose.c enclose
// them: where the search of a step is cut depends on these numbers, and so do the iterates that
// locate a crossing. Operations of which nothing is not finite; where something is, `probe` tells,
// and the lane is left to its simulation.
#include <float.h>

#include "analysis/lane_source.h"
#include "program/interval.h"
#include "program/source.h"

static const struct {
    foi_op op;
    const char *name;
    int arguments;
} operations[] = {
    {FOI_G_NEGATE, "e_negate", 1},     {FOI_G_ADD, "e_add", 2}, {FOI_G_SUBTRACT, "e_subtract", 2},
    {FOI_G_MULTIPLY, "e_multiply", 2}, {FOI_G_COUNT, "", 0}, // all others
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] - 1 };

static int operation_of(const foi_instruction *x)
{
    int i = 0;
    while (i < OPERATIONS && x->op != (uint16_t)operations[i].op) i++;
    return i;
}

bool foi_lane_encloses(const foi_program *g)
{
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    for (uint32_t i = 0; i < code->count; i++)
        if (operation_of(&code->list[i]) == OPERATIONS) return false;
    return !code->wide;
}

// Ends of intervals and what is done to them: program/interval.h.
static const char bounds[] =
    "struct enclosed { V lo, hi, slo, shi, mlo, mhi, error; };\n"
    "INLINED V e_least(V a, V b) { return choose(b < a, b, a); }\n"
    "INLINED V e_most(V a, V b) { return choose(b > a, b, a); }\n"
    "INLINED V e_down(V x) { return x - (UNIT * v_fabs(x) + TINY); }\n"
    "INLINED V e_up(V x) { return x + (UNIT * v_fabs(x) + TINY); }\n"
    "INLINED V e_down_sum(V x) { return choose(x == 0.0, (V){0}, e_down(x)); }\n"
    "INLINED V e_up_sum(V x) { return choose(x == 0.0, (V){0}, e_up(x)); }\n"
    "INLINED V e_up_size(V x) { return x * (1.0 + 0x1p-48) + 8.0 * TINY; }\n"
    "INLINED V e_size(V lo, V hi) { return e_most(-lo, hi); }\n"
    "INLINED V e_at_most(V partial, V error)\n"
    "{ return choose((error == 0.0) | (partial == 0.0), (V){0}, partial * error); }\n"
    "struct ends { V lo, hi; };\n"
    "INLINED struct ends e_choose(M m, struct ends a, struct ends b)\n"
    "{ return (struct ends){choose(m, a.lo, b.lo), choose(m, a.hi, b.hi)}; }\n"
    "INLINED struct ends e_sum(struct ends a, struct ends b)\n"
    "{\n"
    "    M a0 = (a.lo == 0.0) & (a.hi == 0.0), b0 = (b.lo == 0.0) & (b.hi == 0.0);\n"
    "    struct ends y = {e_down_sum(a.lo + b.lo), e_up_sum(a.hi + b.hi)};\n"
    "    return e_choose(b0, a, e_choose(a0, b, y));\n"
    "}\n"
    "INLINED struct ends e_ends(V lo, V hi, M nonnegative, M nonpositive)\n"
    "{\n"
    "    V a = e_down(lo), b = e_up(hi);\n"
    "    a = choose(nonnegative & ~(a > 0.0), (V){0}, a);\n"
    "    return (struct ends){a, choose(nonpositive & ~(b < 0.0), (V){0}, b)};\n"
    "}\n"
    "INLINED struct ends e_scale(struct ends a, V k)\n"
    "{\n"
    "    struct ends turned = {-a.hi, -a.lo};\n"
    "    a = e_choose(k < 0.0, turned, a), k = v_fabs(k);\n"
    "    struct ends y = e_ends(a.lo * k, a.hi * k, a.lo >= 0.0, a.hi <= 0.0), none = {{0}, {0}};\n"
    "    return e_choose(k == 1.0, a, e_choose(k == 0.0, none, y));\n"
    "}\n"
    "INLINED struct ends e_product(struct ends a, struct ends b)\n"
    "{\n"
    "    V p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;\n"
    "    V lo = e_least(e_least(p, q), e_least(r, s)), hi = e_most(e_most(p, q), e_most(r, s));\n"
    "    M a0 = (a.lo == 0.0) & (a.hi == 0.0), b0 = (b.lo == 0.0) & (b.hi == 0.0);\n"
    "    struct ends plain = {e_down(lo), e_up(hi)}, none = {{0}, {0}};\n"
    "    struct ends slow = e_ends(lo, hi, ((a.lo >= 0.0) & (b.lo >= 0.0)) | ((a.hi <= 0.0) & "
    "(b.hi <= 0.0)),\n"
    "                              ((a.lo >= 0.0) & (b.hi <= 0.0)) | ((a.hi <= 0.0) & (b.lo >= "
    "0.0)));\n"
    "    struct ends y = e_choose((lo == 0.0) | (hi == 0.0), slow, plain);\n"
    "    y = e_choose(b.lo == b.hi, e_scale(a, b.lo), y);\n"
    "    y = e_choose(a.lo == a.hi, e_scale(b, a.lo), y);\n"
    "    return e_choose(a0 | b0, none, y);\n"
    "}\n"
    "INLINED struct ends e_squared(struct ends a)\n"
    "{\n"
    "    V p = v_fabs(a.lo), q = v_fabs(a.hi), most = e_most(p, q);\n"
    "    V least = choose((a.lo <= 0.0) & (a.hi >= 0.0), (V){0}, e_least(p, q));\n"
    "    return e_ends(least * least, most * most, (M)(V){0} == (M)(V){0}, most == 0.0);\n"
    "}\n";

// Registers: program/enclose.c. Where there is no middle, nothing is tightened.
static const char arithmetic[] =
    "#define RANGE(a) ((struct ends){(a).lo, (a).hi})\n"
    "#define SLOPE(a) ((struct ends){(a).slo, (a).shi})\n"
    "#define MIDDLE(a) ((struct ends){(a).mlo, (a).mhi})\n"
    "INLINED struct enclosed e_of(struct ends range, struct ends slope, struct ends mid, V error)\n"
    "{ return (struct enclosed){range.lo, range.hi, slope.lo, slope.hi, mid.lo, mid.hi, error}; }\n"
    "INLINED struct enclosed e_which(M m, struct enclosed a, struct enclosed b)\n"
    "{\n"
    "    return e_of(e_choose(m, RANGE(a), RANGE(b)), e_choose(m, SLOPE(a), SLOPE(b)),\n"
    "                e_choose(m, MIDDLE(a), MIDDLE(b)), choose(m, a.error, b.error));\n"
    "}\n"
    "INLINED struct enclosed e_point(V a)\n"
    "{ return (struct enclosed){a, a, {0}, {0}, a, a, {0}}; }\n"
    "INLINED M e_is(struct enclosed a, double value) { return (a.lo == value) & (a.hi == value); "
    "}\n"
    "INLINED struct enclosed e_tighten(struct enclosed y, V radius, int middle, V *probe)\n"
    "{\n"
    "    *probe += (y.lo - y.lo) + (y.hi - y.hi) + (y.slo - y.slo) + (y.shi - y.shi);\n"
    "    if (!middle) return y;\n"
    "    *probe += (y.mlo - y.mlo) + (y.mhi - y.mhi) + (y.error - y.error);\n"
    "    V reach = e_up_size(e_size(y.slo, y.shi) * radius + y.error);\n"
    "    V lo = e_down(y.mlo - reach), hi = e_up(y.mhi + reach);\n"
    "    y.lo = choose(lo > y.lo, lo, y.lo), y.hi = choose(hi < y.hi, hi, y.hi);\n"
    "    y.mlo = choose(y.mlo < y.lo, y.lo, y.mlo), y.mhi = choose(y.mhi > y.hi, y.hi, y.mhi);\n"
    "    return y;\n"
    "}\n"
    "INLINED struct enclosed e_negate(struct enclosed a)\n"
    "{ return (struct enclosed){-a.hi, -a.lo, -a.shi, -a.slo, -a.mhi, -a.mlo, a.error}; }\n"
    "INLINED struct enclosed e_add(struct enclosed a, struct enclosed b)\n"
    "{\n"
    "    struct enclosed y = e_of(e_sum(RANGE(a), RANGE(b)), e_sum(SLOPE(a), SLOPE(b)),\n"
    "                             e_sum(MIDDLE(a), MIDDLE(b)), (V){0});\n"
    "    y.error = e_up_size(a.error + b.error + UNIT * e_size(y.lo, y.hi));\n"
    "    return e_which(e_is(a, 0.0), b, e_which(e_is(b, 0.0), a, y));\n"
    "}\n"
    "INLINED struct enclosed e_subtract(struct enclosed a, struct enclosed b)\n"
    "{ return e_add(a, e_negate(b)); }\n"
    "INLINED struct enclosed e_square(struct enclosed a)\n"
    "{\n"
    "    struct enclosed y = e_of(e_squared(RANGE(a)), e_scale(e_product(RANGE(a), SLOPE(a)), "
    "(V){0} + 2.0),\n"
    "                             e_squared(MIDDLE(a)), (V){0});\n"
    "    y.error = e_up_size(2.0 * e_at_most(e_size(a.lo, a.hi), a.error) + UNIT * e_size(y.lo, "
    "y.hi));\n"
    "    return y;\n"
    "}\n"
    "INLINED struct enclosed e_multiply(struct enclosed a, struct enclosed b)\n"
    "{\n"
    "    struct ends slope = e_sum(e_product(RANGE(a), SLOPE(b)), e_product(RANGE(b), SLOPE(a)));\n"
    "    struct enclosed y = e_of(e_product(RANGE(a), RANGE(b)), slope,\n"
    "                             e_product(MIDDLE(a), MIDDLE(b)), (V){0});\n"
    "    y.error = e_up_size(e_at_most(e_size(a.lo, a.hi), b.error) +\n"
    "                        e_at_most(e_size(b.lo, b.hi), a.error) + UNIT * e_size(y.lo, y.hi));\n"
    "    y = e_which(e_is(a, 1.0), b, e_which(e_is(b, 1.0), a, y));\n"
    "    return e_which(e_is(a, 0.0) | e_is(b, 0.0), e_point((V){0}), y);\n"
    "}\n";

// Of a polynomial of degree 4: solver/stretch.c, foi_enclosed_state and foi_enclosed_time.
static const char stretch[] =
    "struct path { V c[5][N], x0[N], x1[N], t0, t1, h; };\n"
    "struct part { V a, b, m, r, y, t_lo, t_hi, t_mid, t_slack; };\n"
    "INLINED V p_larger(V a, V b) { return choose(a > b, a, b); }\n"
    "INLINED struct part part_of(const struct path *p, V a, V b)\n"
    "{\n"
    "    struct part w = {.a = a, .b = b, .m = 0.5 * (a + b)};\n"
    "    w.r = p_larger(b - w.m, w.m - a) * (1.0 + 2.0 * EPS);\n"
    "    w.y = (v_fabs(w.m) + w.r) * (1.0 + 2.0 * EPS);\n"
    "    V lo = p->t0 + a * p->h, hi = p->t0 + b * p->h;\n"
    "    w.t_slack = EPS * (2.0 * b * v_fabs(p->h) + p_larger(v_fabs(lo), v_fabs(hi)));\n"
    "    w.t_mid = p->t0 + w.m * p->h;\n"
    "    w.t_lo = choose(a == 0.0, p->t0, lo - w.t_slack);\n"
    "    w.t_hi = choose(b == 1.0, p_larger(p->t1, hi), hi + w.t_slack);\n"
    "    return w;\n"
    "}\n"
    "INLINED V p_rounding(V size, V first, V others)\n"
    "{\n"
    "    V all = 24.0 * EPS * size + 2.5 * EPS * v_fabs(first) + 100.0 * TINY;\n"
    "    return choose(others == 0.0, (V){0}, all);\n"
    "}\n"
    "INLINED V p_gap(V polynomial, V value, V slack)\n"
    "{ return v_fabs(value - polynomial) * (1.0 + EPS) + slack; }\n"
    "INLINED V p_second(V end, V h, double way)\n"
    "{\n"
    "    V v = end / h;\n"
    "    return choose(end != 0.0, v + way * (2.0 * EPS * v_fabs(v) + TINY), end);\n"
    "}\n"
    "INLINED struct enclosed state_on(const struct path *p, const struct part *w, int i, int "
    "middle, V *probe)\n"
    "{\n"
    "    V q[5], size = {0}, steep = {0}, moves = {0}, bends = {0}, sum = {0};\n"
    "    for (int j = 0; j < 5; j++) q[j] = p->c[j][i];\n"
    "    const V c0 = q[0], c1 = q[1];\n"
    "    for (int j = 4; j >= 1; j--) {\n"
    "        V one = v_fabs(q[j]);\n"
    "        sum += q[j];\n"
    "        size = (size + one) * w->y;\n"
    "        if (j >= 2) steep = (steep + (double)j * one) * w->y, bends += one;\n"
    "        moves += one;\n"
    "    }\n"
    "    sum = sum + c0;\n"
    "    V slack = p_rounding(size, c0, moves), slack_dx = p_rounding(steep, c1, bends);\n"
    "    for (int j = 0; j < 4; j++)\n"
    "        for (int k = 3; k >= j; k--) q[k] += w->m * q[k + 1];\n"
    "    V spread = {0}, spread_dx = {0};\n"
    "    for (int j = 4; j >= 1; j--) {\n"
    "        V one = v_fabs(q[j]);\n"
    "        spread = (spread + one) * w->r;\n"
    "        if (j >= 2) spread_dx = (spread_dx + (double)j * one) * w->r;\n"
    "    }\n"
    "    struct enclosed y;\n"
    "    V off = slack, x0 = p->x0[i], x1 = p->x1[i];\n"
    "    M first = w->a == 0.0, last = w->b == 1.0;\n"
    "    y.lo = q[0] - spread - slack, y.hi = q[0] + spread + slack;\n"
    "    y.lo = choose(first & (x0 < y.lo), x0, y.lo), y.hi = choose(first & (x0 > y.hi), x0, "
    "y.hi);\n"
    "    y.lo = choose(last & (x1 < y.lo), x1, y.lo), y.hi = choose(last & (x1 > y.hi), x1, "
    "y.hi);\n"
    "    off = choose(first, p_larger(off, p_gap(c0, x0, (V){0})), off);\n"
    "    off = choose(last, p_larger(off, p_gap(sum, x1, slack)), off);\n"
    "    y.slo = p_second(q[1] - spread_dx - slack_dx, p->h, -1.0);\n"
    "    y.shi = p_second(q[1] + spread_dx + slack_dx, p->h, 1.0);\n"
    "    *probe += (y.lo - y.lo) + (y.hi - y.hi) + (y.slo - y.slo) + (y.shi - y.shi);\n"
    "    y.mlo = y.lo, y.mhi = y.hi, y.error = (V){0};\n"
    "    if (!middle) return y;\n"
    "    V lo = q[0] - 0.0 - off, hi = q[0] + 0.0 + off;\n"
    "    y.mlo = e_most(y.lo, lo), y.mhi = e_least(y.hi, hi), y.error = hi - lo;\n"
    "    return y;\n"
    "}\n"
    "INLINED struct enclosed time_on(const struct part *w, int middle)\n"
    "{\n"
    "    struct enclosed y = {w->t_lo, w->t_hi, (V){0} + 1.0, (V){0} + 1.0, w->t_lo, w->t_hi, "
    "w->t_slack};\n"
    "    if (!middle) return y;\n"
    "    y.mlo = e_most(y.lo, e_down_sum(w->t_mid - w->t_slack));\n"
    "    y.mhi = e_least(y.hi, e_up_sum(w->t_mid + w->t_slack));\n"
    "    return y;\n"
    "}\n"
    "INLINED V radius_of(const struct part *w)\n"
    "{ return e_up_size(e_most(w->t_hi - w->t_mid, w->t_mid - w->t_lo) + w->t_slack); }\n";

static void put_operand(const foi_program *g, foi_flat_writer *out, uint32_t r)
{
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    const foi_layout *l = &g->layout;
    if (r - code->constant_at < code->constant_count) {
        foi_flat_write(out, "e_point((V){0} + ");
        foi_source_number(out, code->constants[r - code->constant_at]);
        foi_flat_write(out, ")");
    } else if (r >= l->total) {
        foi_flat_write(out, "e%u", r);
    } else if (r == l->at[FOI_LEAF_TIME]) {
        foi_flat_write(out, "t");
    } else if (r - l->at[FOI_LEAF_STATE] < l->count[FOI_LEAF_STATE]) {
        foi_flat_write(out, "s[%u]", r - l->at[FOI_LEAF_STATE]);
    } else {
        foi_flat_write(out, "e_point(r[%u])", r);
    }
}

static void put_instruction(const foi_program *g, foi_flat_writer *out, const foi_instruction *x)
{
    int which = operation_of(x), count = operations[which].arguments;
    bool square = x->op == FOI_G_MULTIPLY && x->a == x->b;
    foi_flat_write(out, "    e%u = %s%s(", x->to, count > 1 ? "e_tighten(" : "",
                   square ? "e_square" : operations[which].name);
    for (int k = 0; k < (square ? 1 : count); k++) {
        foi_flat_write(out, k ? ", " : "");
        put_operand(g, out, foi_operand_of(x, (uint32_t)k));
    }
    foi_flat_write(out, count > 1 ? "), radius, middle, probe);\n" : ");\n");
}

void foi_lane_enclose(const foi_program *g, foi_flat_writer *out)
{
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    foi_flat_write(out, "#define UNIT ");
    foi_source_number(out, FOI_UNIT);
    foi_flat_write(out, "\n#define TINY ");
    foi_source_number(out, FOI_LEAST);
    foi_flat_write(out, "\n#define EPS ");
    foi_source_number(out, DBL_EPSILON);
    foi_flat_write(out,
                   "\n#define REFINES %d\n%s%s%s"
                   "INLINED void enclose_over(const V *restrict r, const struct enclosed *s, "
                   "struct enclosed t, V radius, int middle, struct enclosed *y, V *probe)\n{\n",
                   code->count > 0, bounds, arithmetic, stretch);
    for (uint32_t i = g->layout.total; i < code->registers; i++)
        foi_flat_write(out, "    struct enclosed e%u;\n", i);
    for (uint32_t i = 0; i < code->count; i++) put_instruction(g, out, &code->list[i]);
    for (uint32_t i = 0; i < g->guards; i++) {
        foi_flat_write(out, "    y[%u] = ", i);
        put_operand(g, out, code->results[i]);
        foi_flat_write(out, ";\n");
    }
    foi_flat_write(out,
                   "    (void)r, (void)s, (void)t, (void)radius, (void)middle, (void)probe;\n}\n"
                   "__attribute__((noinline)) static void enclose(const V *restrict r, const "
                   "struct path *p, const struct "
                   "part *w, int middle, struct enclosed *y, V *probe)\n{\n"
                   "    struct enclosed s[N];\n"
                   "    for (int i = 0; i < N; i++) s[i] = state_on(p, w, i, middle, probe);\n"
                   "    enclose_over(r, s, time_on(w, middle), radius_of(w), middle, y, probe);\n"
                   "}\n");
}
