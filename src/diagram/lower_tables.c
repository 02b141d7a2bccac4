// Tables as expressions: see nodes_tables.c. The interval is found by halves, as there, and chooses
// numbers: what follows is computed once, with these.
#include "diagram/lower.h"

enum { MAX_POINTS = 64 };

static foi_term minus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_SUBTRACT, a, b);
}

static foi_term times(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_MULTIPLY, a, b);
}

static foi_term plus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_ADD, a, b);
}

static bool small(foi_lower *l, const foi_array *t)
{
    if (foi_array_size(t) < 2 || foi_array_size(t) > MAX_POINTS) l->unfit = true;
    return !l->unfit;
}

// One number for each interval of the table, chosen by u.
static foi_term by_interval(foi_lower *l, const foi_array *t, foi_term u, const double *values)
{
    return foi_lower_pick(l, u, t->data + 1, values, foi_array_size(t) - 1);
}

static foi_term fraction(foi_lower *l, const foi_array *t, foi_term u)
{
    double widths[MAX_POINTS];
    for (uint32_t i = 0; i + 1 < foi_array_size(t); i++) widths[i] = t->data[i + 1] - t->data[i];
    return foi_lower_2(l, FOI_G_DIVIDE, minus(l, u, by_interval(l, t, u, t->data)),
                       by_interval(l, t, u, widths));
}

static void look_up(foi_lower *l, const foi_node *n)
{
    const foi_array *t = foi_lower_array(l, n, "Input Values");
    const double *v = foi_lower_array(l, n, "Output Values")->data;
    double rises[MAX_POINTS];
    if (!small(l, t)) return;
    for (uint32_t i = 0; i + 1 < foi_array_size(t); i++) rises[i] = v[i + 1] - v[i];
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term u = foi_lower_in(l, n, 0, i);
        foi_term more = times(l, fraction(l, t, u), by_interval(l, t, u, rises));
        foi_lower_put(l, n, i, plus(l, by_interval(l, t, u, v), more));
    }
}

static void polynomial(foi_lower *l, const foi_node *n)
{
    const foi_array *c = foi_lower_array(l, n, "Coefficients");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term u = foi_lower_in(l, n, 0, i), value = foi_lower_number(l, 0);
        for (uint32_t k = 0; k < foi_array_size(c); k++)
            value = plus(l, times(l, value, u), foi_lower_number(l, c->data[k]));
        foi_lower_put(l, n, i, value);
    }
}

static void search(foi_lower *l, const foi_node *n)
{
    const foi_array *t = foi_lower_array(l, n, "Table Data");
    double numbers[MAX_POINTS];
    if (!small(l, t)) return;
    for (uint32_t i = 0; i < foi_array_size(t); i++) numbers[i] = i;
    for (uint32_t i = 0; i < foi_array_size(&n->inputs[0]->shape); i++) {
        foi_term u = foi_lower_in(l, n, 0, i);
        foi_lower_put(l, n, 2 * i, by_interval(l, t, u, numbers));
        foi_lower_put(l, n, 2 * i + 1, fraction(l, t, u));
    }
}

// ------------------------------------------------------------------------------------- 2D tables

// Element (i + down, j + right) of the table for the intervals i of u and j of v.
static foi_term corner(foi_lower *l, const foi_array *table, const foi_array *rows,
                       const foi_array *cols, foi_term u, foi_term v, uint32_t down, uint32_t right)
{
    foi_term chosen = FOI_NO_TERM;
    for (uint32_t i = 0; i + 1 < table->rows; i++) {
        const double *row = table->data + (size_t)(i + down) * table->cols + right;
        foi_term here = by_interval(l, cols, v, row);
        foi_term from = foi_lower_by(l, FOI_G_GREATER_EQUAL, u, rows->data[i]);
        chosen = i == 0 ? here : foi_lower_if(l, from, here, chosen);
    }
    return chosen;
}

static void look_up_2d(foi_lower *l, const foi_node *n)
{
    const foi_array *rows = foi_lower_array(l, n, "Row Table");
    const foi_array *cols = foi_lower_array(l, n, "Column Table");
    const foi_array *table = foi_lower_array(l, n, "Table Data");
    if (!small(l, rows) || !small(l, cols) || foi_array_size(table) > 4 * MAX_POINTS) {
        l->unfit = true;
        return;
    }
    for (uint32_t k = 0; k < foi_lower_size(n); k++) {
        foi_term u = foi_lower_in(l, n, 0, k), v = foi_lower_in(l, n, 1, k), c[4];
        foi_term p = fraction(l, rows, u), q = fraction(l, cols, v), one = foi_lower_number(l, 1);
        for (uint32_t i = 0; i < 4; i++) c[i] = corner(l, table, rows, cols, u, v, i / 2, i % 2);
        foi_term rest = minus(l, one, q);
        foi_term upper = plus(l, times(l, rest, c[0]), times(l, q, c[1]));
        foi_term lower = plus(l, times(l, rest, c[2]), times(l, q, c[3]));
        foi_lower_put(l, n, k, plus(l, times(l, minus(l, one, p), upper), times(l, p, lower)));
    }
}

const foi_lowering foi_lower_tables[] = {
    {.type = "Look-Up Table", .output = look_up},
    {.type = "Look-Up Table (2D)", .output = look_up_2d},
    {.type = "Polynomial", .output = polynomial},
    {.type = "Pre Look-Up Index Search", .output = search},
    {0},
};
