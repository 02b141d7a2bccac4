/// Why a loop has no solution, in words: how the sentence "the equations for `x` cannot be solved
/// at t = 0: ..." ends.
///
/// Of a singular Jacobian J the right null vector v, J v = 0, says which variables can move without
/// any equation noticing: in a circuit without a ground, the voltages of the island that floats.
/// The left one, u J = 0, says which equations are not independent of each other. Both are found by
/// inverse iteration with J scaled and moved away from zero a little,
///
///     v := (delta I - J)^-1 v / |...|
///
/// which enlarges what lies in the null space by 1 / delta and nothing else.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "program/newton.h"

enum { MOST_NAMES = 8 };

// -------------------------------------------------------------------------------------- vectors

/// The Jacobian by columns with its scaled entries; `turned`: transposed.
typedef struct matrix {
    uint32_t n;
    uint32_t *start, *row;
    double *entry;
} matrix;

static bool make_matrix(const foi_newton_state *w, bool turned, matrix *m)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count, entries = about->start[n];
    m->n = n;
    m->start = foi_new(NULL, (size_t)n + 2, sizeof *m->start);
    m->row = foi_new(NULL, entries, sizeof *m->row);
    m->entry = foi_new(NULL, entries, sizeof *m->entry);
    if (!m->start || !m->row || !m->entry) return false;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            m->start[(turned ? about->row[k] : j) + 2]++;
    for (uint32_t j = 0; j < n; j++) m->start[j + 2] += m->start[j + 1];
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            uint32_t at = m->start[(turned ? about->row[k] : j) + 1]++;
            m->row[at] = turned ? j : about->row[k];
            m->entry[at] = w->entries[k];
        }
    return true;
}

static void free_matrix(matrix *m)
{
    foi_free(NULL, m->start);
    foi_free(NULL, m->row);
    foi_free(NULL, m->entry);
}

static bool normalize(double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(v[i]) <= most)) most = fabs(v[i]);
    if (!(most > 0 && most < INFINITY)) return false;
    for (uint32_t i = 0; i < n; i++) v[i] /= most;
    return true;
}

static bool iterate(const matrix *m, double delta, double *v)
{
    fo_pattern pattern = {m->n, m->start, m->row};
    foi_linear_def def = {.n = m->n, .pattern = &pattern};
    foi_linear l = {0};
    bool good = foi_linear_prepare(&l, &def) == FO_OK &&
                foi_linear_factor(&l, (foi_complex){delta, 0}, m->entry, NULL, NULL) == FO_OK;
    for (uint32_t i = 0; i < m->n; i++) v[i] = 1 + 0.618 * (i % 7); // not orthogonal to anything
    for (int k = 0; good && k < 3; k++) {
        foi_linear_solve(&l, v);
        good = normalize(v, m->n);
    }
    foi_linear_destroy(&l);
    return good;
}

static bool null_vector(const foi_newton_state *w, bool left, double *v)
{
    matrix m = {0};
    // where zero is a multiple eigenvalue, delta to the power of its order must not vanish
    bool good = make_matrix(w, left, &m) &&
                (iterate(&m, 1e-7, v) || iterate(&m, 1e-5, v) || iterate(&m, 1e-4, v));
    free_matrix(&m);
    return good;
}

// Rows and columns by their largest entries; those that are zero stay so.
static bool scale(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) w->row_scale[i] = 0, w->column_scale[i] = 1;
    for (uint32_t k = 0; k < about->start[n]; k++) {
        w->entries[k] = w->r[w->loop->entry[k]];
        if (!isfinite(w->entries[k])) return false;
        double *most = &w->row_scale[about->row[k]];
        *most = foi_fmax(*most, fabs(w->entries[k]));
    }
    for (uint32_t j = 0; j < n; j++) {
        double most = 0;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            double row = w->row_scale[about->row[k]];
            if (row > 0) w->entries[k] /= row;
            most = foi_fmax(most, fabs(w->entries[k]));
        }
        for (uint32_t k = about->start[j]; k < about->start[j + 1] && most > 0; k++)
            w->entries[k] /= most;
        if (most > 0) w->column_scale[j] = 1 / most;
    }
    return true;
}

// ---------------------------------------------------------------------------------------- names

typedef struct name_list {
    char text[400];
    size_t length;
    uint32_t named, left;
    const char *last;
} name_list;

static void add_name(name_list *n, const char *name, const char *quote)
{
    if (n->last && strcmp(n->last, name) == 0) return;
    n->last = name;
    if (n->named >= MOST_NAMES || n->length + strlen(name) + 24 > sizeof n->text) {
        n->left++;
        return;
    }
    n->length += (size_t)snprintf(n->text + n->length, sizeof n->text - n->length, "%s%s%s%s",
                                  n->named ? ", " : "", quote, name, quote);
    n->named++;
}

static const char *end_names(name_list *n)
{
    if (n->left) snprintf(n->text + n->length, sizeof n->text - n->length, " and %u more", n->left);
    return n->text;
}

// Variables that follow by tearing move too: how, is seen by moving.
static void add_inner(foi_newton_state *w, const double *v, name_list *names)
{
    const foi_loop_code *l = w->loop;
    double most = 0;
    foi_newton_keep(w);
    w->evaluate(w->self, w->r);
    for (uint32_t i = 0; i < l->inner_count; i++)
        if (l->inner[i] != FOI_NOTHING) w->reach[l->inner[i]] = w->r[l->inner[i]];
    for (uint32_t j = 0; j < l->count; j++) {
        double by = v[j] * w->column_scale[j];
        w->r[l->unknown[j]] = w->y[j] + by;
        most = foi_fmax(most, fabs(by));
    }
    w->evaluate(w->self, w->r);
    for (uint32_t i = 0; i < l->inner_count; i++) {
        if (l->inner[i] == FOI_NOTHING) continue;
        double by = fabs(w->r[l->inner[i]] - w->reach[l->inner[i]]);
        if (by > 1e-6 * most) add_name(names, l->about->inner[i], "`");
    }
    for (uint32_t j = 0; j < l->count; j++) w->r[l->unknown[j]] = w->y[j];
}

static void say_singular(foi_newton_state *w, fo_message *message)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    name_list rows = {.named = 0}, columns = {.named = 0};
    bool left = null_vector(w, true, w->next);
    for (uint32_t i = 0; left && i < n; i++)
        if (fabs(w->next[i]) > 1e-3) add_name(&rows, about->equation[i], "");
    bool right = null_vector(w, false, w->next);
    for (uint32_t j = 0; right && j < n; j++)
        if (fabs(w->next[j]) > 1e-3) add_name(&columns, about->unknown[j], "`");
    if (right && w->loop->inner_count) add_inner(w, w->next, &columns);
    if (!left || !right) {
        fo_fail(message, FO_ERROR_CONVERGE, "they are singular");
        return;
    }
    uint32_t many = columns.named + columns.left;
    fo_fail(message, FO_ERROR_CONVERGE, "they are singular: %s %s not determine %s, %s",
            end_names(&rows), rows.named + rows.left > 1 ? "do" : "does", end_names(&columns),
            many > 1 ? "which can move together without any equation noticing"
                     : "whatever its value is; if other equations do, one is missing elsewhere "
                       "(in a circuit without ground: for the potentials)");
}

// ------------------------------------------------------------------------------------- messages

static void say_misfit(foi_newton_state *w, fo_message *message)
{
    uint32_t where;
    double misfit = foi_newton_misfit(w, &where);
    double F = w->r[w->loop->residual[where]];
    fo_fail(message, FO_ERROR_CONVERGE,
            "that of %s stays off by %.3g, where rounding explains %.3g",
            w->loop->about->equation[where], F, fabs(F) / misfit);
}

static void say_elsewhere(const foi_newton_state *w, fo_message *message)
{
    const char *name = w->loop->about->unknown[w->far];
    fo_fail(message, FO_ERROR_CONVERGE,
            "there is no solution near the last one, `%s` = %.6g; the next that was found is "
            "`%s` = %.6g, and the run does not jump there by itself",
            name, w->guess[w->far], name, w->r[w->loop->unknown[w->far]]);
}

static void say_undefined(const foi_newton_state *w, fo_message *message)
{
    const foi_loop_about *about = w->loop->about;
    for (uint32_t j = 0; j < w->loop->count; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            if (!isfinite(w->r[w->loop->entry[k]])) {
                fo_fail(message, FO_ERROR_CONVERGE,
                        "where they start, the derivative of %s by `%s` (%.6g there) is not a "
                        "number",
                        about->equation[about->row[k]], about->unknown[j],
                        w->r[w->loop->unknown[j]]);
                return;
            }
    fo_fail(message, FO_ERROR_CONVERGE, "a derivative is not a number");
}

uint32_t foi_loses_number(const foi_instruction *x, const double *r)
{
    if (!isnan(r[x->to])) return FOI_NOTHING;
    for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
        uint32_t from = foi_operand_of(x, k);
        bool taken = x->op != FOI_G_IF || k == 0 || (k == 1) == (r[x->a] != 0);
        if (taken && isnan(r[from]) && !(x->lanes & ((FOI_INSIDE_A | FOI_UNKNOWN_A) << k)))
            return from;
    }
    return FOI_NOTHING;
}

// A residual is not a number where the unknowns are numbers, and something that was there before.
static bool is_numberless(const foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    bool any = false, lost = false;
    for (uint32_t i = 0; i < l->count; i++) any |= isnan(w->r[l->residual[i]]);
    for (uint32_t i = l->begin; i < l->end && any && !lost; i++)
        lost = foi_loses_number(&w->code->list[i], w->r) != FOI_NOTHING;
    return lost;
}

void foi_newton_explain(foi_newton_state *w, fo_message *message)
{
    if (w->end == FOI_NEWTON_ELSEWHERE) {
        say_elsewhere(w, message);
        return;
    }
    // where the search began: other places were tried in vain
    foi_newton_place(w, 0);
    if (w->loop->about->linear || w->end == FOI_NEWTON_MISFIT) {
        foi_newton_end end = w->end;
        w->offset = NULL;
        if (foi_newton_iterate(w) == FO_OK) w->end = end;
    } else {
        w->evaluate(w->self, w->r);
    }
    if (is_numberless(w)) {
        w->end = FOI_NEWTON_NUMBERLESS;
        fo_fail(message, FO_ERROR_CONVERGE, "something in them is not a number");
    } else if (w->end == FOI_NEWTON_MISFIT) {
        say_misfit(w, message);
    } else if (!scale(w)) {
        say_undefined(w, message);
    } else if (w->end == FOI_NEWTON_SINGULAR) {
        say_singular(w, message);
    } else {
        fo_fail(message, FO_ERROR_CONVERGE, "Newton's method does not converge");
    }
}
