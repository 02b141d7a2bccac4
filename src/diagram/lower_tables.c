// Tables as expressions: see nodes_tables.c. The interval is found by halves, as there, and chooses
// numbers: what follows is computed once, with these.
#include "diagram/lower.h"

enum {
    MAX_POINTS = 64,    ///< in a row
    MAX_ELEMENTS = 256, ///< of a table of two arguments
};

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

static bool small(foi_lower *l, const foi_node *n, const foi_array *t)
{
    if (foi_array_size(t) < 2 || foi_array_size(t) > MAX_POINTS) l->unfit = true;
    if (foi_lower_size(n) > FOI_MAX_TERMS / MAX_POINTS) l->unfit = true;
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
    if (!small(l, n, t)) return;
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
    if (!small(l, n, t)) return;
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

// Between the corners at the intervals of u and v: p of the way down, q to the right.
static foi_term bilinear(foi_lower *l, const foi_array *table, const foi_array *rows,
                         const foi_array *cols, const foi_term at[2], const foi_term part[2])
{
    foi_term c[4], one = foi_lower_number(l, 1), rest = minus(l, one, part[1]);
    for (uint32_t i = 0; i < 4; i++)
        c[i] = corner(l, table, rows, cols, at[0], at[1], i / 2, i % 2);
    foi_term upper = plus(l, times(l, rest, c[0]), times(l, part[1], c[1]));
    foi_term lower = plus(l, times(l, rest, c[2]), times(l, part[1], c[3]));
    return plus(l, times(l, minus(l, one, part[0]), upper), times(l, part[0], lower));
}

static void look_up_2d(foi_lower *l, const foi_node *n)
{
    const foi_array *rows = foi_lower_array(l, n, "Row Table");
    const foi_array *cols = foi_lower_array(l, n, "Column Table");
    const foi_array *table = foi_lower_array(l, n, "Table Data");
    if (!small(l, n, rows) || !small(l, n, cols) || foi_array_size(table) > MAX_ELEMENTS) {
        l->unfit = true;
        return;
    }
    for (uint32_t k = 0; k < foi_lower_size(n); k++) {
        foi_term at[2] = {foi_lower_in(l, n, 0, k), foi_lower_in(l, n, 1, k)};
        foi_term part[2] = {fraction(l, rows, at[0]), fraction(l, cols, at[1])};
        foi_lower_put(l, n, k, bilinear(l, table, rows, cols, at, part));
    }
}

// An index and its fraction: the interval, which is one of the table's, and the way in it.
static foi_term split(foi_lower *l, foi_term index, foi_term *part, uint32_t count)
{
    foi_term floored = foi_lower_1(l, FOI_G_FLOOR, index);
    foi_term low = foi_lower_by(l, FOI_G_MAX, floored, 0);
    foi_term k = foi_lower_by(l, FOI_G_MIN, low, count - 2.0);
    *part = plus(l, *part, minus(l, index, k));
    return k;
}

static void interpolation(foi_lower *l, const foi_node *n)
{
    const foi_array *table = foi_lower_array(l, n, "Table Data");
    double numbers[MAX_POINTS];
    foi_array rows = {1, table->rows, FOI_SIGNAL_REAL, numbers}, cols = rows;
    cols.cols = table->cols;
    uint32_t du = foi_array_size(&n->inputs[0]->shape) == 2 ? 0 : 2;
    uint32_t dv = foi_array_size(&n->inputs[1]->shape) == 2 ? 0 : 2;
    for (uint32_t i = 0; i < MAX_POINTS; i++) numbers[i] = i;
    if (foi_array_size(table) > MAX_ELEMENTS) l->unfit = true;
    if (!small(l, n, &rows) || !small(l, n, &cols)) return;
    for (uint32_t k = 0; k < foi_lower_size(n); k++) {
        foi_term part[2] = {foi_lower_in(l, n, 0, du * k + 1), foi_lower_in(l, n, 1, dv * k + 1)};
        foi_term at[2];
        at[0] = split(l, foi_lower_in(l, n, 0, du * k), &part[0], table->rows);
        at[1] = split(l, foi_lower_in(l, n, 1, dv * k), &part[1], table->cols);
        foi_lower_put(l, n, k, bilinear(l, table, &rows, &cols, at, part));
    }
}

// --------------------------------------------------------------------------------- direct look-up

// The element in this row and column, which count from 0; NaN where there is none. A row of -1:
// any.
static foi_term element(foi_lower *l, const foi_array *table, foi_term row, foi_term column,
                        double only, bool imaginary)
{
    foi_term y = foi_lower_nothing(l);
    for (uint32_t i = 0; i < foi_array_size(table); i++) {
        double r = i / table->cols, c = i % table->cols;
        double complex z = foi_complex_at(table, i);
        foi_term here = foi_lower_by(l, FOI_G_EQUAL, column, c);
        if (only >= 0 && only != r) continue;
        if (only < 0) here = foi_lower_2(l, FOI_G_AND, here, foi_lower_by(l, FOI_G_EQUAL, row, r));
        y = foi_lower_if(l, here, foi_lower_number(l, imaginary ? cimag(z) : creal(z)), y);
    }
    return y;
}

static void direct(foi_lower *l, const foi_node *n)
{
    const foi_array *table = foi_lower_array(l, n, "Table Data");
    bool whole_column = foi_lower_choice(l, n, "Action Type");
    if (foi_array_size(table) > MAX_POINTS) l->unfit = true;
    if (foi_lower_size(n) > FOI_MAX_TERMS / MAX_POINTS) l->unfit = true;
    for (uint32_t i = 0; i < foi_lower_size(n) && !l->unfit; i++) {
        foi_term first = foi_lower_in(l, n, 0, whole_column ? 0 : i);
        foi_term column = whole_column ? first : foi_lower_in(l, n, 1, i);
        double only = whole_column ? (double)i : -1;
        foi_lower_put_complex(l, n, i, element(l, table, first, column, only, false),
                              element(l, table, first, column, only, true));
    }
    foi_lower_check(l, n);
}

const foi_lowering foi_lower_tables[] = {
    {.type = "Direct Look-Up Table (2D)", .output = direct},
    {.type = "Interpolation (2D) Using Pre Look-Up", .output = interpolation},
    {.type = "Look-Up Table", .output = look_up},
    {.type = "Look-Up Table (2D)", .output = look_up_2d},
    {.type = "Polynomial", .output = polynomial},
    {.type = "Pre Look-Up Index Search", .output = search},
    {0},
};
