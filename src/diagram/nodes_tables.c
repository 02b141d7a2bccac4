// Tables: direct and interpolated look-up, polynomials.
#include "diagram/node.h"
#include "diagram/node_doc.h"

#define SET "Tables"

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

// The interval for a value, the first and last one also beyond the table.
static uint32_t interval(const foi_array *t, double u)
{
    uint32_t low = 0, high = foi_array_size(t) - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (u >= t->data[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double fraction(const foi_array *t, uint32_t i, double u)
{
    return (u - t->data[i]) / (t->data[i + 1] - t->data[i]);
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

static uint32_t checked_index(const foi_node *n, foi_run *r, double u, uint32_t count)
{
    if (u >= 0 && u < count && u == floor(u)) return (uint32_t)u;
    foi_run_refuse(r, n, "the index %g is not one of 0 ... %u", u, count - 1);
    return 0;
}

static void output_direct(const foi_node *n, foi_run *r)
{
    const foi_array *table = foi_value(n, 1);
    foi_array first = foi_in(n, r, 0), y = foi_out(n, r, 0);
    if (foi_choice(n, 0) == 1) {
        uint32_t column = checked_index(n, r, first.data[0], table->cols);
        for (uint32_t i = 0; i < table->rows; i++)
            foi_complex_put(&y, i, foi_complex_at(table, i * table->cols + column));
        return;
    }
    foi_array second = foi_in(n, r, 1);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        uint32_t row = checked_index(n, r, foi_real_at(&first, i), table->rows);
        uint32_t column = checked_index(n, r, foi_real_at(&second, i), table->cols);
        foi_complex_put(&y, i, foi_complex_at(table, row * table->cols + column));
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
    return check_ascending(b, n, 0);
}

static void output_look_up(const foi_node *n, foi_run *r)
{
    const foi_array *t = foi_value(n, 0);
    const double *v = foi_value(n, 1)->data;
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        uint32_t k = interval(t, u.data[i]);
        y.data[i] = v[k] + fraction(t, k, u.data[i]) * (v[k + 1] - v[k]);
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
    return status;
}

static fo_status type_pair(foi_build *b, foi_node *n)
{
    foi_array shape;
    fo_status status = foi_common_shape(b, n, 2, NULL, 0, &shape);
    foi_output_type(n, 0, shape.rows, shape.cols, FOI_SIGNAL_REAL);
    return status;
}

static double bilinear(const foi_array *table, uint32_t i, uint32_t j, double p, double q)
{
    const double *a = table->data + (size_t)i * table->cols + j, *b = a + table->cols;
    return (1 - p) * ((1 - q) * a[0] + q * a[1]) + p * ((1 - q) * b[0] + q * b[1]);
}

static void output_look_up_2d(const foi_node *n, foi_run *r)
{
    const foi_array *rows = foi_value(n, 0), *cols = foi_value(n, 1);
    foi_array u = foi_in(n, r, 0), v = foi_in(n, r, 1), y = foi_out(n, r, 0);
    for (uint32_t k = 0; k < foi_array_size(&y); k++) {
        double p = foi_real_at(&u, k), q = foi_real_at(&v, k);
        uint32_t i = interval(rows, p), j = interval(cols, q);
        y.data[k] = bilinear(foi_value(n, 2), i, j, fraction(rows, i, p), fraction(cols, j, q));
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
    .output = output_look_up_2d,
};

// ------------------------------------------------------------------------------------ polynomial

static void output_polynomial(const foi_node *n, foi_run *r)
{
    const foi_array *c = foi_value(n, 0);
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double value = 0;
        for (uint32_t k = 0; k < foi_array_size(c); k++) value = value * u.data[i] + c->data[k];
        y.data[i] = value;
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
    .output = output_polynomial,
};

// --------------------------------------------------------------------------------- pre look-up

static fo_status prepare_search(foi_build *b, foi_node *n)
{
    return check_ascending(b, n, 0);
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
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&u); i++) {
        uint32_t k = interval(t, u.data[i]);
        y.data[2 * i] = k;
        y.data[2 * i + 1] = fraction(t, k, u.data[i]);
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

// An index at or beyond the last interval is taken in the last one.
static uint32_t split(double index, double *part, uint32_t count)
{
    double k = fmin(fmax(floor(index), 0), count - 2.0);
    *part += index - k;
    return (uint32_t)k;
}

static void output_interpolation(const foi_node *n, foi_run *r)
{
    const foi_array *table = foi_value(n, 0);
    foi_array u = foi_in(n, r, 0), v = foi_in(n, r, 1), y = foi_out(n, r, 0);
    uint32_t du = foi_array_size(&u) == 2 ? 0 : 2, dv = foi_array_size(&v) == 2 ? 0 : 2;
    for (uint32_t k = 0; k < foi_array_size(&y); k++) {
        double p = u.data[du * k + 1], q = v.data[dv * k + 1];
        uint32_t i = split(u.data[du * k], &p, table->rows);
        uint32_t j = split(v.data[dv * k], &q, table->cols);
        y.data[k] = bilinear(table, i, j, p, q);
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
    .type = type_interpolation,
    .output = output_interpolation,
};

const foi_node_type *const foi_nodes_tables[] = {&direct, &look_up,       &look_up_2d, &polynomial,
                                                 &search, &interpolation, NULL};
