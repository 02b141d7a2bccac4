// Guards in lanes: a function that says on which lanes a step is quiet (solver/march.h).
//
// The step is the polynomial of dp45's dense output, with the coefficients that solver/erk.c gives
// it, and lies between the least and the largest of its Bernstein coefficients. From there interval
// arithmetic, each operation widened by more than it is rounded by: more than program/enclose.c
// widens it, so that where a guard has one sign here, no search would find a change of it.
#include <string.h>

#include "analysis/lane_source.h"
#include "program/source.h"
#include "solver/erk_tableaux.h"

static const struct {
    foi_op op;
    const char *name;
    int arguments;
} operations[] = {
    {FOI_G_NEGATE, "i_negate", 1}, {FOI_G_ADD, "i_add", 2},   {FOI_G_SUBTRACT, "i_subtract", 2},
    {FOI_G_DIVIDE, "i_over", 2},   {FOI_G_ABS, "i_abs", 1},   {FOI_G_MULTIPLY, "i_times", 2},
    {FOI_G_MIN, "i_min", 2},       {FOI_G_MAX, "i_max", 2},   {FOI_G_SQRT, "i_sqrt", 1},
    {FOI_G_SIN, "i_sin", 1},       {FOI_G_COS, "i_cos", 1},   {FOI_G_EXP, "i_exp", 1},
    {FOI_G_ATAN, "i_atan", 1},     {FOI_G_TANH, "i_tanh", 1}, {FOI_G_IF, "i_if", 3},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static int operation_of(const foi_instruction *x)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (x->op == (uint16_t)operations[i].op) return i;
    return -1;
}

bool foi_lane_has_guards(const foi_program *g)
{
    static const foi_leaf given[] = {FOI_LEAF_STATE, FOI_LEAF_DISCRETE, FOI_LEAF_INPUT,
                                     FOI_LEAF_PARAMETER, FOI_LEAF_HELD};
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    if (!g->guards || g->delays || code->loop_count || code->count > FOI_SOURCE_INLINED)
        return false;
    for (uint32_t i = 0; i < code->used_count; i++) {
        bool one = false;
        for (size_t k = 0; k < sizeof given / sizeof *given; k++) one |= code->used[i] == given[k];
        if (!one) return false;
    }
    for (uint32_t i = 0; i < code->count; i++)
        if (operation_of(&code->list[i]) < 0) return false;
    return code->result_count == g->guards;
}

static const char intervals[] =
    "struct interval { V lo, hi; };\n"
    "INLINED V smaller(V a, V b) { return choose(a < b, a, b); }\n"
    // what is not finite shows in the probe, from where it comes up
    "INLINED struct interval wide(V lo, V hi, V *probe)\n{\n"
    "    V by = (v_fabs(lo) + v_fabs(hi)) * 0x1p-50 + TINIEST;\n"
    "    *probe += (lo - lo) + (hi - hi);\n"
    "    return (struct interval){lo - by, hi + by};\n}\n"
    "INLINED struct interval hull(V a, V b, V c, V d, V *probe)\n{\n"
    "    *probe += (a - a) + (b - b) + (c - c) + (d - d);\n"
    "    return wide(smaller(smaller(a, b), smaller(c, d)), larger(larger(a, b), larger(c, d)), "
    "probe);\n}\n"
    "INLINED struct interval i_negate(struct interval a, V *probe)\n"
    "{ (void)probe; return (struct interval){-a.hi, -a.lo}; }\n"
    "INLINED struct interval i_add(struct interval a, struct interval b, V *probe)\n"
    "{ return wide(a.lo + b.lo, a.hi + b.hi, probe); }\n"
    "INLINED struct interval i_subtract(struct interval a, struct interval b, V *probe)\n"
    "{ return wide(a.lo - b.hi, a.hi - b.lo, probe); }\n"
    "INLINED struct interval i_times(struct interval a, struct interval b, V *probe)\n"
    "{ return hull(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi, probe); }\n"
    // a divisor with zero in it makes what is no number
    "INLINED struct interval i_over(struct interval a, struct interval b, V *probe)\n{\n"
    "    *probe += 0.0 / truth((b.lo > 0.0) | (b.hi < 0.0));\n"
    "    return hull(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi, probe);\n}\n"
    "INLINED struct interval i_abs(struct interval a, V *probe)\n{\n"
    "    V lo = v_fabs(a.lo), hi = v_fabs(a.hi);\n"
    "    V least = choose((a.lo <= 0.0) & (a.hi >= 0.0), (V){0}, smaller(lo, hi));\n"
    "    return wide(least, larger(lo, hi), probe);\n}\n"
    "INLINED struct interval i_min(struct interval a, struct interval b, V *probe)\n"
    "{ return wide(smaller(a.lo, b.lo), smaller(a.hi, b.hi), probe); }\n"
    "INLINED struct interval i_max(struct interval a, struct interval b, V *probe)\n"
    "{ return wide(larger(a.lo, b.lo), larger(a.hi, b.hi), probe); }\n"
    "INLINED struct interval i_square(struct interval a, V *probe)\n"
    "{ a = i_abs(a, probe); return wide(a.lo * a.lo, a.hi * a.hi, probe); }\n"
    "INLINED struct interval i_sqrt(struct interval a, V *probe)\n"
    "{ return wide(sqrt(a.lo), sqrt(a.hi), probe); }\n"
    "INLINED struct interval i_exp(struct interval a, V *probe)\n"
    "{ return wide(exp(a.lo), exp(a.hi), probe); }\n"
    "INLINED struct interval i_atan(struct interval a, V *probe)\n"
    "{ return wide(atan(a.lo), atan(a.hi), probe); }\n"
    "INLINED struct interval i_tanh(struct interval a, V *probe)\n"
    "{ return wide(tanh(a.lo), tanh(a.hi), probe); }\n"
    // nowhere steeper than one
    "INLINED struct interval i_wave(V middle, struct interval a, V *probe)\n{\n"
    "    V by = 0.5 * (a.hi - a.lo);\n"
    "    by = by + 0x1p-50 * (v_fabs(a.lo) + v_fabs(a.hi));\n"
    "    return wide(middle - by, middle + by, probe);\n}\n"
    "INLINED struct interval i_sin(struct interval a, V *probe)\n"
    "{ return i_wave(sin(0.5 * a.lo + 0.5 * a.hi), a, probe); }\n"
    "INLINED struct interval i_cos(struct interval a, V *probe)\n"
    "{ return i_wave(cos(0.5 * a.lo + 0.5 * a.hi), a, probe); }\n"
    // what is chosen by must be one number: a truth that is held, or a discrete
    "INLINED struct interval i_if(struct interval a, struct interval b, struct interval c, V "
    "*probe)"
    "\n{\n"
    "    M yes = a.lo != 0.0;\n"
    "    *probe += 0.0 / truth(a.lo == a.hi);\n"
    "    return (struct interval){choose(yes, b.lo, c.lo), choose(yes, b.hi, c.hi)};\n}\n"
    "INLINED struct interval point(V a) { return (struct interval){a, a}; }\n";

// dense_dp45 of solver/erk.c; what the Bernstein coefficients b are rounded by is far less than the
// slack.
static const char path[] =
    "INLINED struct interval path(V h, V x0, V x1, V f0, V f1, V k2, V k3, V k4, V k5, V *probe)\n"
    "{\n"
    "    V D = x1 - x0, p = h * f0 - D, q = D - h * f1 - p;\n"
    "    V r = h * (DENSE_0 * f0 + DENSE_6 * f1 + DENSE_2 * k2 + DENSE_3 * k3 + DENSE_4 * k4 +\n"
    "               DENSE_5 * k5);\n"
    "    V c1 = D + p, c2 = q + r - p, c3 = -q - 2.0 * r, c4 = r;\n"
    "    V b1 = x0 + 0.25 * c1, b2 = x0 + 0.5 * c1 + c2 * (1.0 / 6.0);\n"
    "    V b3 = x0 + 0.75 * c1 + 0.5 * c2 + 0.25 * c3, b4 = x0 + c1 + c2 + c3 + c4;\n"
    "    V size = v_fabs(p) + v_fabs(q) + v_fabs(r) + v_fabs(D) + v_fabs(h * f0) + v_fabs(h * "
    "f1);\n"
    "    V slack = 0x1p-44 * size + 0x1p-48 * v_fabs(x0);\n"
    "    V lo = smaller(smaller(smaller(x0, x1), smaller(b1, b2)), smaller(b3, b4));\n"
    "    V hi = larger(larger(larger(x0, x1), larger(b1, b2)), larger(b3, b4));\n"
    "    *probe += size - size;\n"
    "    return wide(lo - slack, hi + slack, probe);\n}\n";

static void put_operand(const foi_program *g, foi_flat_writer *out, uint32_t r)
{
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    const foi_layout *l = &g->layout;
    if (r - code->constant_at < code->constant_count) {
        foi_flat_write(out, "point((V){0} + ");
        foi_source_number(out, code->constants[r - code->constant_at]);
        foi_flat_write(out, ")");
    } else if (r >= l->total) {
        foi_flat_write(out, "i%u", r);
    } else if (r == l->at[FOI_LEAF_TIME]) {
        foi_flat_write(out, "(struct interval){t0, t1}");
    } else if (r - l->at[FOI_LEAF_STATE] < l->count[FOI_LEAF_STATE]) {
        foi_flat_write(out, "s[%u]", r - l->at[FOI_LEAF_STATE]);
    } else {
        foi_flat_write(out, "point(r[%u])", r);
    }
}

static void put_instruction(const foi_program *g, foi_flat_writer *out, const foi_instruction *x)
{
    int which = operation_of(x), count = operations[which].arguments;
    bool square = x->op == FOI_G_MULTIPLY && x->a == x->b;
    foi_flat_write(out, "    i%u = %s(", x->to, square ? "i_square" : operations[which].name);
    for (int k = 0; k < (square ? 1 : count); k++) {
        put_operand(g, out, foi_operand_of(x, (uint32_t)k));
        foi_flat_write(out, ", ");
    }
    foi_flat_write(out, "&probe);\n");
}

static void put_numbers(foi_flat_writer *out)
{
    for (int j = 0; j < 7; j++) {
        foi_flat_write(out, "#define DENSE_%d ", j);
        foi_source_number(out, foi_dense_dp45[j]);
        foi_flat_write(out, "\n");
    }
}

void foi_lane_guards(const foi_program *g, foi_flat_writer *out)
{
    const foi_code *code = &g->codes[FOI_TASK_GUARDS];
    put_numbers(out);
    foi_flat_write(
        out,
        "%s%s"
        "INLINED M quiet(const V *restrict r, const struct lanes *L, V t0, V t1, const V "
        "*x, const V *x1, const V *f,\n"
        "                const V *f1, const V *k2, const V *k3, const V *k4, const V "
        "*k5, M *calm)\n{\n"
        "    V probe = {0}, h = t1 - t0;\n    M on;\n    struct interval s[N];\n"
        "    for (int i = 0; i < N; i++)\n"
        "        s[i] = path(h, x[i], x1[i], f[i], f1[i], k2[i], k3[i], k4[i], k5[i], "
        "&probe);\n",
        intervals, path);
    for (uint32_t i = g->layout.total; i < code->registers; i++)
        foi_flat_write(out, "    struct interval i%u;\n", i);
    for (uint32_t i = 0; i < code->count; i++) put_instruction(g, out, &code->list[i]);
    for (uint32_t i = 0; i < g->guards; i++) {
        foi_flat_write(out, "    struct interval g%u = ", i);
        put_operand(g, out, code->results[i]);
        foi_flat_write(
            out,
            ";\n    calm[%u] = ((L->side[%u] > 0.0) & (g%u.lo > 0.0)) | ((L->side[%u] < 0.0) "
            "& (g%u.hi < 0.0));\n    on %s calm[%u];\n",
            i, i, i, i, i, i ? "&=" : "=", i);
    }
    foi_flat_write(
        out,
        "    (void)r, (void)s;\n    for (int i = 0; i < GUARDS; i++) calm[i] &= probe == 0.0;\n"
        "    return on & (probe == 0.0);\n}\n");
}
