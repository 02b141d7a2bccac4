/// Steps of solvers in the C source, with the rates inlined. The arithmetic is that of
/// solver/erk.h, operation by operation and from the same tableaux, so that a run has the same bits
/// with it as without.
///
/// What is written for each state stands in the templates below with # for the state's index; it is
/// written out for few states, which are in local variables, and a loop for many, which stay where
/// the solver has them.
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "program/source.h"
#include "solver/control.h"
#include "solver/erk_tableaux.h"

typedef struct steps {
    const foi_tableau *T;
    foi_flat_writer *out;
    uint32_t n;
    bool small; ///< written out
    const char *name;
} steps;

bool foi_source_has_steps(const foi_program *g)
{
    // what a delay gives changes within a step, and is looked up in its history
    return g->about.states.count && !g->codes[FOI_TASK_RATES].loop_count && !g->delays;
}

// --------------------------------------------------------------------------------------- templates

// Text with $ for a number.
static void put_with(steps *s, const char *text, double number)
{
    for (; *text; text++)
        if (*text == '$')
            foi_source_number(s->out, number);
        else
            foi_flat_write(s->out, "%c", *text);
}

static void put_indexed(steps *s, const char *text, const char *index)
{
    for (; *text; text++)
        if (*text == '#')
            foi_flat_write(s->out, "[%s]", index);
        else
            foi_flat_write(s->out, "%c", *text);
}

// The statement for each state. Loops go over an even number of them, so that compilers make
// vectors of two.
static void put_each(steps *s, const char *statement)
{
    char index[16];
    uint32_t looped = s->small ? 0 : s->n & ~1u;
    if (looped) {
        foi_flat_write(s->out, "#pragma GCC unroll 4\n        for (int i = 0; i < %u; i++) { ",
                       looped);
        put_indexed(s, statement, "i");
        foi_flat_write(s->out, " }\n");
    }
    for (uint32_t i = looped; i < s->n; i++) {
        snprintf(index, sizeof index, "%u", i);
        foi_flat_write(s->out, "        ");
        put_indexed(s, statement, index);
        foi_flat_write(s->out, "\n");
    }
}

// ------------------------------------------------------------------------------------------ stages

// The vector of stage j.
static const char *row(const steps *s, int j)
{
    static const char *const names[FOI_STAGES_MAX] = {"f",  "k1", "k2", "k3", "k4",  "k5",
                                                      "k6", "k7", "k8", "k9", "k10", "k11"};
    return s->T->fsal && j == s->T->stages - 1 ? "f1" : names[j];
}

// sum over j < count of a_j k_j, without those of weight zero.
static void write_sum(const steps *s, const double *a, int count, foi_flat_writer *text)
{
    bool any = false;
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        foi_flat_write(text, any ? " + " : "");
        foi_source_number(text, a[j]);
        foi_flat_write(text, " * %s#", row(s, j));
        any = true;
    }
}

// to = x + h sum of a_j k_j, the newest stage last and alone.
static void put_combination(steps *s, const double *a, int count, const char *to)
{
    foi_flat_writer text = {.allocator = s->out->allocator};
    bool older = false, newest = a[count - 1] != 0;
    for (int j = 0; j < count - 1; j++) older = older || a[j] != 0;
    foi_flat_write(&text, "%s# = x#", to);
    if (older) {
        foi_flat_write(&text, " + h * (");
        write_sum(s, a, count - 1, &text);
        foi_flat_write(&text, ")");
    }
    if (newest) {
        put_with(s, "        last = h * $;\n", a[count - 1]);
        foi_flat_write(&text, " + last * %s#", row(s, count - 1));
    }
    foi_flat_write(&text, ";");
    if (text.failed)
        s->out->failed = true;
    else
        put_each(s, text.text);
    foi_free(text.allocator, text.text);
}

// The sum over j of b_j k_j term by term, as soon as each is known: fewer vectors are needed later
// on. `any`: there is one already.
static bool put_term(steps *s, int j, bool any)
{
    char text[96], weight[40];
    if (!s->small || s->T->fsal || s->T->b[j] == 0) return any;
    foi_number_text(s->T->b[j], weight);
    if (any)
        snprintf(text, sizeof text, "sum# = sum# + (%s) * %s#;", weight, row(s, j));
    else
        snprintf(text, sizeof text, "sum# = (%s) * %s#;", weight, row(s, j));
    put_each(s, text);
    return true;
}

// x1 = x + h sum of b_j k_j, the last one alone.
static void put_arrival(steps *s, bool any)
{
    int last = s->T->stages - 1;
    char text[96];
    if (!s->small) {
        put_combination(s, s->T->b, last + 1, "x1");
        return;
    }
    put_with(s, "        last = h * $;\n", s->T->b[last]);
    snprintf(text, sizeof text, "x1# = x#%s + last * %s#;", any ? " + h * sum#" : "", row(s, last));
    put_each(s, text);
}

// For many states and fixed steps the place of the next step's second stage, w = x1 + h a f1, is
// made at the end of a step: it is finite where x1 and f1 are.
static bool goes_ahead(const steps *s)
{
    return !s->small && !s->T->embedded && s->T->stages > 1;
}

// How many stages have a vector of their own, with the first.
static int own_rows(const steps *s)
{
    return s->T->stages - (s->T->fsal ? 1 : 0);
}

// Where the vectors cannot overlap compilers make vectors of two states; restrict says it of a
// function's parameters only.
static void put_stages(steps *s)
{
    const foi_tableau *T = s->T;
    foi_flat_write(s->out,
                   "\n%s void stages_%s(double *restrict r, double t, double next, double h, const "
                   "double *restrict x, const double *restrict f, double *restrict x1, double "
                   "*restrict f1, double *restrict w",
                   s->small ? "INLINED" : "static", s->name);
    for (int j = 1; j < own_rows(s); j++) foi_flat_write(s->out, ", double *restrict k%d", j);
    foi_flat_write(s->out, ")\n{\n        double last, sum[%u];\n", s->small ? s->n : 1);
    bool any = T->stages > 1 && put_term(s, 0, false);
    for (int j = 1; j < T->stages; j++) {
        const char *at = T->fsal && j == T->stages - 1 ? "x1" : "w";
        if (j > 1 || !goes_ahead(s)) put_combination(s, T->a[j], j, at);
        foi_flat_write(s->out, "        rates_at(r, ");
        if (T->c[j] == 1)
            foi_flat_write(s->out, "next");
        else
            put_with(s, "t + $ * h", T->c[j]);
        foi_flat_write(s->out, ", %s, %s);\n", at, row(s, j));
        if (j < T->stages - 1) any = put_term(s, j, any);
    }
    if (!T->fsal) {
        put_arrival(s, any);
        foi_flat_write(s->out, "        rates_at(r, next, x1, f1);\n");
    }
    foi_flat_write(s->out, "}\n");
}

static void call_stages(steps *s)
{
    foi_flat_write(s->out, "        stages_%s(r, t, next, h, x, f, x1, f1, w", s->name);
    for (int j = 1; j < own_rows(s); j++) foi_flat_write(s->out, ", k%d", j);
    foi_flat_write(s->out, ");\n");
}

// probe = 0 where x1 is finite, and for fixed steps f1. Where it is not, though a sum of large
// numbers may be the reason, the solver looks for itself; so they may be added in any order.
static void put_probe(steps *s)
{
    foi_flat_write(s->out, "        probe = 0;\n");
    uint32_t looped = s->small ? 0 : s->n & ~7u;
    if (looped) {
        foi_flat_write(s->out,
                       "        two p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};\n"
                       "        for (int i = 0; i < %u; i += 8)\n"
                       "            p0 += *(two *)(x1 + i), p1 += *(two *)(x1 + i + 2),\n"
                       "            p2 += *(two *)(x1 + i + 4), p3 += *(two *)(x1 + i + 6);\n"
                       "        p0 = (p0 + p1) + (p2 + p3);\n        probe = p0[0] + p0[1];\n",
                       looped);
    }
    for (uint32_t i = looped; i < s->n; i++)
        foi_flat_write(s->out,
                       s->T->embedded ? "        probe += x1[%u];\n"
                                      : "        probe += x1[%u] + f1[%u];\n",
                       i, i);
    foi_flat_write(s->out, "        probe = probe - probe;\n");
}

static void put_ahead(steps *s)
{
    uint32_t looped = s->n & ~7u;
    foi_flat_write(s->out, "        probe = 0;\n");
    if (looped) {
        foi_flat_write(s->out,
                       "        two p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};\n"
                       "        for (int i = 0; i < %u; i += 8) {\n",
                       looped);
        for (int i = 0; i < 4; i++)
            foi_flat_write(
                s->out,
                "            two v%d = *(two *)(x1 + i + %d) + ahead * *(two *)(f1 + i + "
                "%d);\n            p%d += *(two *)(w + i + %d) = v%d;\n",
                i, 2 * i, 2 * i, i, 2 * i, i);
        foi_flat_write(s->out, "        }\n        p0 = (p0 + p1) + (p2 + p3);\n"
                               "        probe = p0[0] + p0[1];\n");
    }
    for (uint32_t i = looped; i < s->n; i++)
        foi_flat_write(s->out, "        probe += w[%u] = x1[%u] + ahead * f1[%u];\n", i, i, i);
    foi_flat_write(s->out, "        probe = probe - probe;\n");
}

// ----------------------------------------------------------------------------------- begin and end

static void put_begin(steps *s)
{
    int own = own_rows(s);
    put_stages(s);
    foi_flat_write(s->out, "\nstatic void march_%s(double *restrict r, struct march *m)\n{\n",
                   s->name);
    if (s->small) {
        foi_flat_write(s->out, "    double x[%u], f[%u], x1[%u], f1[%u], w[%u]", s->n, s->n, s->n,
                       s->n, s->n);
        for (int j = 1; j < own; j++) foi_flat_write(s->out, ", k%d[%u]", j, s->n);
    } else {
        foi_flat_write(s->out, "    double *x = m->x0, *f = m->f0, *x1 = m->x1, *f1 = m->f1, "
                               "*w = m->w, *swap");
        for (int j = 1; j < own; j++)
            foi_flat_write(s->out, ", *k%d = m->k + %zu", j, (size_t)(j - 1) * s->n);
    }
    foi_flat_write(s->out, ";\n    double t, next, probe, t0 = m->t0, t1 = m->t1;\n"
                           "    const double stop = m->stop, goal = m->goal;\n"
                           "    const unsigned long long budget = m->budget;\n"
                           "    unsigned long long steps = 0;\n");
    if (!s->small) return;
    foi_flat_write(s->out, "    double *restrict x0 = m->x0, *restrict f0 = m->f0;\n");
    put_each(s, "x1# = m->x1#, f1# = m->f1#;");
}

// The end of a step becomes the start of the next; or back, where a step is given up. The start is
// put where it belongs at once: held in registers to the end of the step it would push out others.
static void put_turn(steps *s, bool back)
{
    if (!s->small)
        foi_flat_write(s->out, "        swap = x, x = x1, x1 = swap;\n"
                               "        swap = f, f = f1, f1 = swap;\n");
    else
        put_each(s, back ? "x1# = x0#, f1# = f0#;" : "x# = x0# = x1#, f# = f0# = f1#;");
}

// The stages of a fixed step are not asked for.
static void put_end(steps *s)
{
    foi_flat_write(s->out, "    m->t0 = t0, m->t1 = t1, m->steps = steps;\n");
    if (!s->small) {
        foi_flat_write(s->out, "    m->x0 = x, m->f0 = f, m->x1 = x1, m->f1 = f1;\n}\n");
        return;
    }
    foi_flat_write(s->out, "    if (!steps) return;\n");
    put_each(s, "m->x1# = x1#, m->f1# = f1#;");
    if (s->T->embedded) put_each(s, "m->w# = w#;");
    for (int j = 1; j < own_rows(s) && s->T->embedded; j++) {
        char text[64];
        snprintf(text, sizeof text, "(m->k + %zu)# = k%d#;", (size_t)(j - 1) * s->n, j);
        put_each(s, text);
    }
    foi_flat_write(s->out, "}\n");
}

// ------------------------------------------------------------------------------------- fixed steps

// As foi_erk_fixed_loop; the step that lands is left to the solver, and one that fails too.
static void put_fixed(steps *s)
{
    put_begin(s);
    foi_flat_write(s->out, "    const double h = m->step, base = m->base;\n"
                           "    const double near = goal - 1e-9 * h;\n"
                           "    double count = m->count;\n");
    if (goes_ahead(s)) {
        put_with(s, "    const double ahead = h * $;\n    {\n", s->T->a[1][0]);
        put_ahead(s);
        foi_flat_write(s->out, "    }\n");
    }
    foi_flat_write(s->out, "    do {\n"
                           "        next = base + (count + 1) * h;\n"
                           "        if (next > near) break;\n"
                           "        t = t1;\n");
    put_turn(s, false);
    call_stages(s);
    if (goes_ahead(s))
        put_ahead(s);
    else
        put_probe(s);
    foi_flat_write(s->out, "        if (!(probe == 0)) {\n");
    put_turn(s, true);
    foi_flat_write(s->out, "            break;\n        }\n"
                           "        t0 = t, t1 = next, count += 1, steps++;\n"
                           "    } while (t1 < stop && steps < budget);\n"
                           "    m->taken = h, m->tries = steps, m->count = count;\n");
    put_end(s);
}

// ---------------------------------------------------------------------------------- adaptive steps

static void put_error(steps *s)
{
    const foi_tableau *T = s->T;
    int last = T->stages - 1;
    foi_flat_writer text = {.allocator = s->out->allocator};
    foi_flat_write(&text, "{ double a = fabs(x#), b = fabs(x1#);"
                          " double q = h / (atol + rtol * (a > b ? a : b));"
                          " double e = q * (");
    write_sum(s, T->e, last, &text);
    foi_flat_write(&text, ") + (q * ");
    foi_source_number(&text, T->e[last]);
    foi_flat_write(&text, ") * %s#; error2 += e * e; }", row(s, last));
    foi_flat_write(s->out, "        error2 = 0;\n");
    if (text.failed)
        s->out->failed = true;
    else
        put_each(s, text.text);
    foi_free(text.allocator, text.text);
    put_probe(s);
    put_with(s, "        error2 = error2 * $;\n", 1.0 / (double)s->n);
}

// foi_log_roughly and foi_exp_roughly.
static void put_powers(steps *s)
{
    put_with(s,
             "\nstatic inline double log_roughly(double v)\n{\n"
             "    union { double v; long long bits; } u;\n    u.v = v;\n"
             "    return (double)u.bits - $;\n}\n"
             "\nstatic inline double exp_roughly(double log)\n{\n"
             "    union { double v; long long bits; } u;\n"
             "    u.bits = (long long)(log + $);\n    return u.v;\n}\n",
             1023 * FOI_LOG_UNIT);
}

// As foi_erk_step, foi_erk_startle and foi_erk_shorten, for tries whose error is a number.
static void put_control(steps *s)
{
    const foi_tableau *T = s->T;
    put_with(s, "        tried++;\n        if (t < wary && h > $ * fabs(t)) ",
             FOI_ERK_LEAST_STRICT);
    put_with(s, "error2 = error2 * $;\n", FOI_ERK_STRICT);
    put_with(s,
             "        if (error2 <= 1 && probe == 0) break;\n"
             "        if (probe != 0 || !(error2 > 1 && error2 <= $)) goto left;\n",
             DBL_MAX);
    put_with(s, "        if (error2 > $ && next > wary) wary = next;\n", FOI_ERK_STARTLED);
    put_with(s, "        log = $", T->safety * FOI_LOG_UNIT);
    put_with(s, " - $ * log_roughly(error2);\n", 0.5 / T->q);
    put_with(s, "        factor = exp_roughly(log > $ ? log : $);\n", -2 * FOI_LOG_UNIT);
    foi_flat_write(s->out, "        if (factor > 0.95) factor = 0.95;\n"
                           "        h = h * factor;\n");
    put_with(s, "        floor_h = $ * fabs(t);\n", FOI_LEAST_STEP * DBL_EPSILON);
    put_with(s, "        if (floor_h < $) floor_h = $;\n", DBL_MIN);
    foi_flat_write(s->out, "        if (floor_h < shortest) floor_h = shortest;\n"
                           "        if (!(h >= floor_h)) goto left;\n"
                           "        refused = 1;\n        }\n"
                           "        error = log_roughly(error2);\n");
    put_with(s, "        log = ($", T->safety * FOI_LOG_UNIT);
    put_with(s, " + $ * before)", 0.5 * T->beta);
    put_with(s, " - $ * error;\n", 0.5 * (1 / T->q - 0.75 * T->beta));
    put_with(s, "        factor = refused ? 0 : $;\n", T->growth * FOI_LOG_UNIT);
    foi_flat_write(s->out, "        taken = h, used = error2;\n"
                           "        h = h * exp_roughly(log < factor ? log : factor);\n"
                           "        if (h < shortest) h = shortest;\n");
    put_with(s, "        before = error < $ ? $ : error;\n", FOI_ERK_LOG_LEAST);
}

// As foi_erk_beyond: the last step that the march takes.
static void put_stability(steps *s)
{
    char text[160];
    const char *k = row(s, s->T->stages - (s->T->fsal ? 2 : 1));
    foi_flat_write(s->out, "        if (stability > 0) {\n"
                           "        double rates2 = 0, way2 = 0;\n");
    snprintf(text, sizeof text,
             "{ double a = f1# - %s#, b = x1# - w#; rates2 += a * a, way2 += b * b; }", k);
    put_each(s, text);
    foi_flat_write(s->out, "        if (way2 > 0 && taken * taken * rates2 > stability * stability "
                           "* way2) break;\n        }\n");
}

// A step that is not as usual is left to the solver, from its beginning.
static void put_adaptive(steps *s)
{
    put_begin(s);
    foi_flat_write(s->out,
                   "    const double rtol = m->rtol, atol = m->atol, longest = m->longest;\n"
                   "    const double shortest = m->shortest, stability = m->stability;\n"
                   "    double h = m->h, planned, before = m->before, error2, error, log, factor;\n"
                   "    double taken = 0, used = 0, floor_h, wary = m->wary, unwary;\n"
                   "    unsigned long long tries = 0, tried;\n"
                   "    int refused;\n"
                   "    do {\n"
                   "        t = t1, planned = h, unwary = wary, tried = 0, refused = 0;\n");
    put_turn(s, false);
    foi_flat_write(s->out, "        for (;;) {\n"
                           "        next = t + h;\n"
                           "        if (h > longest || t + h * 1.0000001 >= goal || !(next > t))"
                           " goto left;\n");
    call_stages(s);
    put_error(s);
    put_control(s);
    foi_flat_write(s->out, "        t0 = t, t1 = next, tries += tried, steps++;\n");
    put_stability(s);
    foi_flat_write(s->out, "    } while (t1 < stop && steps < budget);\n"
                           "    goto done;\nleft:\n    h = planned, wary = unwary;\n");
    put_turn(s, true);
    foi_flat_write(s->out, "done:\n    m->h = h, m->taken = taken, m->error2 = used;\n"
                           "    m->before = before, m->tries = tries;\n"
                           "    m->wary = wary, m->heeds = 1;\n");
    put_end(s);
}

// fo_march
static const char march_struct[] = "\ntypedef double two "
                                   "__attribute__((vector_size(16), aligned(8), may_alias));\n"
                                   "struct march {\n"
                                   "    const char *method;\n"
                                   "    double *x0, *f0, *x1, *f1, *k, *w;\n"
                                   "    double t0, t1, stop, goal;\n"
                                   "    unsigned long long budget, steps, tries;\n"
                                   "    double step, base, count;\n"
                                   "    double h, taken, error2, before, rtol, atol;\n"
                                   "    double longest, shortest, stability, wary;\n"
                                   "    _Bool heeds;\n"
                                   "};\n";

void foi_source_steps(const foi_program *g, foi_flat_writer *out)
{
    steps s = {.out = out, .n = (uint32_t)g->about.states.count};
    s.small = s.n <= FOI_MARCH_UNROLLED && g->codes[FOI_TASK_RATES].count <= FOI_SOURCE_INLINED;
    foi_flat_write(out, "%s", march_struct);
    put_powers(&s);
    s.T = &foi_tableau_rk4, s.name = "rk4";
    put_fixed(&s);
    s.T = &foi_tableau_dp45, s.name = "dp45";
    put_adaptive(&s);
}
