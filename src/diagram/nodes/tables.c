// Tables: direct and interpolated look-up, polynomials.
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define SET "Tables"

enum {
    MAX_POINTS = 64,    ///< in a row of a table that is an expression
    MAX_ELEMENTS = 256, ///< of one with two arguments
};

static fo_status check_ascending(foi_build *b, const foi_node *n, uint32_t parameter)
{
    const foi_array *t = foi_value(n, parameter);
    const char *name = n->type->parameters[parameter].name;
    uint32_t count = foi_array_size(t);
    if (count < 2 || (t->rows != 1 && t->cols != 1))
        return foi_node_refuse(b, n, "'%s' must be a vector of at least two numbers", name);
    for (uint32_t i = 1; i < count; i++)
        if (!(t->data[i] > t->data[i - 1])) return foi_node_refuse(b, n, "'%s' must ascend", name);
    return FO_OK;
}

// The interval that u is in, the first and last one also beyond the table.
static foi_place place_in(const foi_run *r, const foi_array *t, foi_scalar u)
{
    return foi_place_of(r, u, t->data + 1, foi_array_size(t) - 1);
}

// A table is an expression while it is small.
static bool large(const foi_node *n, const foi_run *r, uint32_t points)
{
    return (points > MAX_POINTS || foi_size_of(n) > FOI_MAX_TERMS / MAX_POINTS) && foi_no_terms(r);
}

/// What is computed of the tables before a run, as the `extra` of a node. One number for each
/// interval chosen by a place stays in bounds where the difference of two would not.
typedef struct prepared {
    const double *widths[2]; ///< of the intervals, by table
    const double *rises;     ///< of the values over them
    const double *numbers;   ///< 0, 1, 2, ...
} prepared;

// v[i + 1] - v[i]; NULL without memory.
static const double *differences(foi_build *b, const foi_array *v)
{
    uint32_t count = foi_array_size(v) - 1;
    double *list = foi_arena_new(b->arena, (size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) list[i] = v->data[i + 1] - v->data[i];
    return list;
}

static const double *count_up(foi_build *b, uint32_t count)
{
    double *list = foi_arena_new(b->arena, count, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) list[i] = i;
    return list;
}

static fo_status keep(foi_build *b, foi_node *n, prepared given)
{
    prepared *p = foi_arena_new(b->arena, 1, sizeof *p);
    if (!p || b->arena->failed) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    *p = given;
    n->extra = p;
    return FO_OK;
}

// How much of the interval lies before u.
static foi_scalar fraction(const foi_run *r, const foi_array *t, const double *widths,
                           const foi_place *p)
{
    return foi_over(r, foi_minus(r, p->u, foi_pick(r, p, t->data)), foi_pick(r, p, widths));
}

// -------------------------------------------------------------------------------- direct look-up

static fo_status prepare_direct(foi_build *b, foi_node *n)
{
    (void)b;
    if (foi_choice(n, 0) == 1) n->input_count = 1;
    return FO_OK;
}

static fo_status type_direct(foi_build *b, foi_node *n)
{
    const foi_array *table = foi_value(n, 1);
    foi_array shape;
    fo_status status = foi_common_shape(b, n, n->input_count, NULL, 0, &shape);
    if (status != FO_OK) return status;
    if (foi_choice(n, 0) == 0)
        foi_output_type(n, 0, shape.rows, shape.cols, table->kind);
    else if (foi_array_size(&shape) == 1)
        foi_output_type(n, 0, table->rows, 1, table->kind);
    else
        return foi_node_refuse(b, n, "input 1 (column) must be a single number");
    return FO_OK;
}

static void output_direct(const foi_node *n, foi_run *r)
{
    const foi_array *table = foi_value(n, 1);
    foi_view data = foi_view_array(table), first = foi_view_in(n, r, 0);
    bool column = foi_choice(n, 0) == 1;
    foi_view second = column ? first : foi_view_in(n, r, 1);
    if (large(n, r, foi_array_size(table))) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar row = column ? foi_const(r, i)
                                : foi_checked_index(n, r, foi_at(r, &first, i), 0, table->rows);
        foi_scalar col =
            foi_checked_index(n, r, foi_at(r, &second, column ? 0 : i), 0, table->cols);
        foi_scalar at = foi_plus(r, foi_by(r, FOI_G_MULTIPLY, row, table->cols), col);
        foi_put_finite(n, r, i, foi_element_of(r, &data, false, at),
                       foi_element_of(r, &data, true, at));
    }
}

static const foi_node_type direct = {
    .name = "Direct Look-Up Table (2D)",
    .set = SET,
    .about = "An element of a table, by its row and column, or a column; both count from 0.",
    .inputs = "row|column",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Action Type", FOI_PARAMETER_CHOICE, "element",
                                           "element|column", "column: one input, the column"},
                                          {"Table Data", FOI_PARAMETER_COMPLEX,
                                           "2 3 4,56 7-2i 80,2 -5 90+5i", NULL, ""},
                                          {0}},
    PROPERTIES("input: real; table: real, complex", "yes", INHERITED, NOT_SUPPORTED, ANY_DIMENSION),
    .example = {"Table Data=2+3i 5.94 6.21 -7+2i,0 9.34 21 45.32,34.67 -56 5-9i 12.43", "2|2", 0, 0,
                "5-9i"},
    .prepare = prepare_direct,
    .type = type_direct,
    .expressed = true,
    .output = output_direct,
};

// --------------------------------------------------------------------------------------- look-up

static fo_status type_input(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0);
    (void)b;
    foi_output_type(n, 0, u->rows, u->cols, FOI_SIGNAL_REAL);
    return FO_OK;
}

static fo_status prepare_look_up(foi_build *b, foi_node *n)
{
    if (foi_array_size(foi_value(n, 0)) != foi_array_size(foi_value(n, 1)))
        return foi_node_refuse(b, n, "there are %u input values and %u output values",
                               foi_array_size(foi_value(n, 0)), foi_array_size(foi_value(n, 1)));
    fo_status status = check_ascending(b, n, 0);
    if (status != FO_OK) return status;
    return keep(b, n,
                (prepared){.widths = {differences(b, foi_value(n, 0))},
                           .rises = differences(b, foi_value(n, 1))});
}

static void output_look_up(const foi_node *n, foi_run *r)
{
    const foi_array *t = foi_value(n, 0);
    const double *v = foi_value(n, 1)->data;
    const prepared *known = n->extra;
    foi_view in = foi_view_in(n, r, 0);
    if (large(n, r, foi_array_size(t))) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_place p = place_in(r, t, foi_at(r, &in, i));
        foi_scalar part = fraction(r, t, known->widths[0], &p);
        foi_scalar more = foi_times(r, part, foi_pick(r, &p, known->rises));
        foi_put(n, r, i, foi_plus(r, foi_pick(r, &p, v), more));
    }
}

static const foi_node_type look_up = {
    .name = "Look-Up Table",
    .set = SET,
    .about = "A function given by points, linear between them and beyond them.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Input Values", FOI_PARAMETER_REAL, "3 5 6 10 12", NULL, "ascending"},
            {"Output Values", FOI_PARAMETER_REAL, "8 25 12 30 40", NULL, ""},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, NOT_SUPPORTED,
               "input: single number, vector, matrix; tables: vectors"),
    .example = {"Input Values=4.30 7.22 13.0 18.12;Output Values=5.66 3.20 9.31 -7.60",
                "7.22 3 19 5", 0, 0, "3.2 6.755205479452055 -10.506406249999996 5.07027397260274"},
    .prepare = prepare_look_up,
    .type = type_input,
    .expressed = true,
    .output = output_look_up,
};

// ---------------------------------------------------------------------------------- look-up (2D)

static fo_status prepare_look_up_2d(foi_build *b, foi_node *n)
{
    const foi_array *rows = foi_value(n, 0), *cols = foi_value(n, 1), *table = foi_value(n, 2);
    fo_status status = check_ascending(b, n, 0);
    if (status == FO_OK) status = check_ascending(b, n, 1);
    if (status == FO_OK &&
        (table->rows != foi_array_size(rows) || table->cols != foi_array_size(cols)))
        return foi_node_refuse(
            b, n, "the table is %u by %u, the row and column tables say %u by %u", table->rows,
            table->cols, foi_array_size(rows), foi_array_size(cols));
    if (status != FO_OK) return status;
    return keep(b, n, (prepared){.widths = {differences(b, rows), differences(b, cols)}});
}

static fo_status type_pair(foi_build *b, foi_node *n)
{
    foi_array shape;
    fo_status status = foi_common_shape(b, n, 2, NULL, 0, &shape);
    foi_output_type(n, 0, shape.rows, shape.cols, FOI_SIGNAL_REAL);
    return status;
}

// Between the corners of a place in the table: part[0] of the way down, part[1] to the right.
static foi_scalar bilinear(const foi_run *r, const foi_array *table, const foi_place at[2],
                           const foi_scalar part[2])
{
    uint32_t width = table->cols;
    foi_scalar c[4], one = foi_const(r, 1), rest = foi_minus(r, one, part[1]);
    for (uint32_t i = 0; i < 4; i++)
        c[i] = foi_pick_2d(r, &at[0], &at[1], table->data + (size_t)(i / 2) * width + i % 2, width);
    foi_scalar upper = foi_plus(r, foi_times(r, rest, c[0]), foi_times(r, part[1], c[1]));
    foi_scalar lower = foi_plus(r, foi_times(r, rest, c[2]), foi_times(r, part[1], c[3]));
    return foi_plus(r, foi_times(r, foi_minus(r, one, part[0]), upper),
                    foi_times(r, part[0], lower));
}

static bool large_grid(const foi_node *n, const foi_run *r, const foi_array *table)
{
    if (foi_array_size(table) > MAX_ELEMENTS) return foi_no_terms(r);
    return large(n, r, table->rows) || large(n, r, table->cols);
}

static void output_look_up_2d(const foi_node *n, foi_run *r)
{
    const foi_array *rows = foi_value(n, 0), *cols = foi_value(n, 1), *table = foi_value(n, 2);
    const prepared *known = n->extra;
    foi_view u = foi_view_in(n, r, 0), v = foi_view_in(n, r, 1);
    if (large_grid(n, r, table)) return;
    for (uint32_t k = 0; k < foi_size_of(n); k++) {
        foi_place at[2] = {place_in(r, rows, foi_at(r, &u, k)),
                           place_in(r, cols, foi_at(r, &v, k))};
        foi_scalar part[2] = {fraction(r, rows, known->widths[0], &at[0]),
                              fraction(r, cols, known->widths[1], &at[1])};
        foi_put(n, r, k, bilinear(r, table, at, part));
    }
}

static const foi_node_type look_up_2d = {
    .name = "Look-Up Table (2D)",
    .set = SET,
    .about = "A function of two arguments given by a table, linear in each between the points and "
             "beyond them.",
    .inputs = "row|column",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Row Table", FOI_PARAMETER_REAL, "4 10 17", NULL, "ascending"},
            {"Column Table", FOI_PARAMETER_REAL, "9 21 30", NULL, "ascending"},
            {"Table Data", FOI_PARAMETER_REAL, "35 15 34,22 40 53,12 27 76", NULL, ""},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, "inputs only", ANY_DIMENSION),
    .example =
        {"Row Table=4.32 10.29 17 19.11;Column Table=9 21.43 30.21 32.56;Table Data=35.14 "
         "15.52 34.22 23,22.31 4.05 53.96 21.53,12.22 27.06 76.13 33.25,17.32 -11.5 13 26.33",
         "1.5 -3.1|4.3 2.41", 0, 0, "48.861974 62.384233"},
    .prepare = prepare_look_up_2d,
    .type = type_pair,
    .expressed = true,
    .output = output_look_up_2d,
};

// ------------------------------------------------------------------------------------ polynomial

static void output_polynomial(const foi_node *n, foi_run *r)
{
    const foi_array *c = foi_value(n, 0);
    foi_view in = foi_view_in(n, r, 0);
    if (foi_too_many(r, (uint64_t)foi_array_size(c) * foi_size_of(n))) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar u = foi_at(r, &in, i), value = foi_const(r, 0);
        for (uint32_t k = 0; k < foi_array_size(c); k++)
            value = foi_plus(r, foi_times(r, value, u), foi_const(r, c->data[k]));
        foi_put(n, r, i, value);
    }
}

static const foi_node_type polynomial = {
    .name = "Polynomial",
    .set = SET,
    .about = "A polynomial of its input; coefficients with the highest power first.",
    .inputs = "u",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Coefficients", FOI_PARAMETER_REAL, "2 3 4 5", NULL,
                                           "from the highest power to the constant"},
                                          {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, NOT_SUPPORTED,
               "input: single number, vector, matrix; coefficients: vector"),
    .example = {NULL, "2 -1", 0, 0, "41 2"},
    .type = type_input,
    .expressed = true,
    .output = output_polynomial,
};

// --------------------------------------------------------------------------------- pre look-up

static fo_status prepare_search(foi_build *b, foi_node *n)
{
    fo_status status = check_ascending(b, n, 0);
    if (status != FO_OK) return status;
    return keep(b, n,
                (prepared){.widths = {differences(b, foi_value(n, 0))},
                           .numbers = count_up(b, foi_array_size(foi_value(n, 0)))});
}

// Pairs lie one after the other: index, fraction, index, fraction, ...
static fo_status type_search(foi_build *b, foi_node *n)
{
    (void)b;
    foi_output_type(n, 0, 1, 2 * foi_array_size(foi_input_type(n, 0)), FOI_SIGNAL_REAL);
    return FO_OK;
}

static void output_search(const foi_node *n, foi_run *r)
{
    const foi_array *t = foi_value(n, 0);
    const prepared *known = n->extra;
    foi_view in = foi_view_in(n, r, 0);
    if (large(n, r, foi_array_size(t))) return;
    for (uint32_t i = 0; i < in.size; i++) {
        foi_place p = place_in(r, t, foi_at(r, &in, i));
        foi_put(n, r, 2 * i, foi_pick(r, &p, known->numbers));
        foi_put(n, r, 2 * i + 1, fraction(r, t, known->widths[0], &p));
    }
}

static const foi_node_type search = {
    .name = "Pre Look-Up Index Search",
    .set = SET,
    .about = "Where its input lies in a table: the index, from 0, of the element that is not "
             "greater, and the fraction of the way to the next one.",
    .inputs = "u",
    .outputs = "index and fraction",
    .parameters =
        (const foi_parameter[]){
            {"Table Data", FOI_PARAMETER_REAL, "3 5 6 10 12", NULL, "ascending"}, {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, NOT_SUPPORTED,
               "input: single number, vector, matrix; table: vector"),
    .example = {NULL, "9.37", 0, 0, "2 0.8425"},
    .prepare = prepare_search,
    .type = type_search,
    .expressed = true,
    .output = output_search,
};

static fo_status type_interpolation(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *v = foi_input_type(n, 1);
    uint32_t p = foi_array_size(u), q = foi_array_size(v);
    if (p % 2 || q % 2 || (p != q && p != 2 && q != 2))
        return foi_node_refuse(
            b, n, "expected pairs of index and fraction, found %u and %u numbers", p, q);
    if (foi_value(n, 0)->rows < 2 || foi_value(n, 0)->cols < 2)
        return foi_node_refuse(b, n, "the table needs at least two rows and two columns");
    foi_output_type(n, 0, 1, (p > q ? p : q) / 2, FOI_SIGNAL_REAL);
    return FO_OK;
}

// An index and its fraction: the interval, which is one of the table's, and the way in it. An index
// at or beyond the last interval is taken in the last one.
static foi_place split(const foi_run *r, const double *numbers, foi_scalar index, foi_scalar *part,
                       uint32_t count)
{
    foi_scalar floored = foi_do_1(r, FOI_G_FLOOR, index);
    foi_scalar k = foi_by(r, FOI_G_MIN, foi_by(r, FOI_G_MAX, floored, 0), count - 2.0);
    *part = foi_plus(r, *part, foi_minus(r, index, k));
    return foi_place_of(r, k, numbers + 1, count - 1);
}

static fo_status prepare_interpolation(foi_build *b, foi_node *n)
{
    const foi_array *table = foi_value(n, 0);
    uint32_t longest = table->rows > table->cols ? table->rows : table->cols;
    return keep(b, n, (prepared){.numbers = count_up(b, longest)});
}

static void output_interpolation(const foi_node *n, foi_run *r)
{
    const foi_array *table = foi_value(n, 0);
    const double *numbers = ((const prepared *)n->extra)->numbers;
    foi_view u = foi_view_in(n, r, 0), v = foi_view_in(n, r, 1);
    uint32_t du = u.size == 2 ? 0 : 2, dv = v.size == 2 ? 0 : 2;
    if (large_grid(n, r, table)) return;
    for (uint32_t k = 0; k < foi_size_of(n); k++) {
        foi_scalar part[2] = {foi_at(r, &u, du * k + 1), foi_at(r, &v, dv * k + 1)};
        foi_place at[2];
        at[0] = split(r, numbers, foi_at(r, &u, du * k), &part[0], table->rows);
        at[1] = split(r, numbers, foi_at(r, &v, dv * k), &part[1], table->cols);
        foi_put(n, r, k, bilinear(r, table, at, part));
    }
}

static const foi_node_type interpolation = {
    .name = "Interpolation (2D) Using Pre Look-Up",
    .set = SET,
    .about = "A value of a table, at the rows and columns that two Pre Look-Up Index Search found; "
             "linear in each.",
    .inputs = "row|column",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Table Data", FOI_PARAMETER_REAL, "10 50 20,30 10 -50,13 21 90", NULL, ""}, {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, "inputs only", ANY_DIMENSION),
    .example = {NULL, "0 0.75|0 -0.45", 0, 0, "27.25"},
    .prepare = prepare_interpolation,
    .type = type_interpolation,
    .expressed = true,
    .output = output_interpolation,
};

const foi_node_type *const foi_nodes_tables[] = {&direct, &look_up,       &look_up_2d, &polynomial,
                                                 &search, &interpolation, NULL};
