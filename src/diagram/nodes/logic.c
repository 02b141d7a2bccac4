// Logic, comparison, and the parts of complex numbers.
#include <stdlib.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/whole.h"

#define SET "Math and Logic"

#define OUTPUT_TYPE                                                       \
    {                                                                     \
        "Output Data Type", FOI_PARAMETER_CHOICE, "real", "real|boolean", \
            "1 and 0 as numbers, or true and false"                       \
    }

// ------------------------------------------------------------------------------ logical operator

enum { AND, OR, NOT, XOR, NAND, NOR };

static fo_status prepare_logical(foi_build *b, foi_node *n)
{
    (void)b;
    if (foi_choice(n, 1) == NOT) n->input_count = 1;
    return FO_OK;
}

static fo_status type_truth(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->outputs[0].shape.kind = foi_choice(n, 0) ? FOI_SIGNAL_BOOLEAN : FOI_SIGNAL_REAL;
    return status;
}

static foi_scalar combine(const foi_run *r, int which, foi_scalar p, foi_scalar q)
{
    switch (which) {
    case AND: return foi_do_2(r, FOI_G_AND, p, q);
    case OR: return foi_do_2(r, FOI_G_OR, p, q);
    case NOT: return foi_do_1(r, FOI_G_NOT, p);
    case XOR: return foi_do_2(r, FOI_G_NOT_EQUAL, p, q);
    case NAND: return foi_do_1(r, FOI_G_NOT, foi_do_2(r, FOI_G_AND, p, q));
    default: return foi_do_1(r, FOI_G_NOT, foi_do_2(r, FOI_G_OR, p, q));
    }
}

static void output_logical(const foi_node *n, foi_run *r)
{
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, n->input_count - 1);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar p = foi_by(r, FOI_G_NOT_EQUAL, foi_at(r, &a, i), 0);
        foi_scalar q = foi_by(r, FOI_G_NOT_EQUAL, foi_at(r, &b, i), 0);
        foi_put(n, r, i, combine(r, foi_choice(n, 1), p, q));
    }
}

static const foi_node_type logical_operator = {
    .name = "Logical Operator",
    .set = SET,
    .about = "Combines truth values; numbers other than 0 are true. NOT has one input.",
    .inputs = "first|second",
    .outputs = "value",
    .parameters = (const foi_parameter[]){OUTPUT_TYPE,
                                          {"Logical Operator", FOI_PARAMETER_CHOICE, "AND",
                                           "AND|OR|NOT|XOR|NAND|NOR", ""},
                                          {0}},
    PROPERTIES("real, boolean", "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Logical Operator=XOR", "1 0 -3|2", 0, 0, "0 1 0"},
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .prepare = prepare_logical,
    .type = type_truth,
    .expressed = true,
    .output = output_logical,
};

// --------------------------------------------------------------------------- relational operator

enum { LESS = 2 }; ///< the first choice that is not about equality

static fo_status type_relational(foi_build *b, foi_node *n)
{
    fo_status status = type_truth(b, n);
    // equality holds at instants only: there is nothing to be located
    if (foi_choice(n, 1) >= LESS)
        n->guard_count = foi_guards_wanted(b, n, foi_array_size(&n->outputs[0].shape));
    return status;
}

static void output_relational(const foi_node *n, foi_run *r)
{
    static const foi_op ops[] = {FOI_G_EQUAL,      FOI_G_NOT_EQUAL, FOI_G_LESS,
                                 FOI_G_LESS_EQUAL, FOI_G_GREATER,   FOI_G_GREATER_EQUAL};
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, 1);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar over = foi_minus(r, foi_at(r, &a, i), foi_at(r, &b, i));
        foi_scalar side = foi_side_of(n, r, i, over);
        foi_put(n, r, i, foi_scalar_any(r, ops[foi_choice(n, 1)], side, foi_const(r, 0)));
    }
}

static const foi_node_type relational_operator = {
    .name = "Relational Operator",
    .set = SET,
    .about = "Compares its inputs, element by element.",
    .inputs = "first|second",
    .outputs = "truth",
    .parameters = (const foi_parameter[]){OUTPUT_TYPE,
                                          {"Relational Operator", FOI_PARAMETER_CHOICE,
                                           "==", "==|!=|<|<=|>|>=", ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Relational Operator=<=", "1 2 3|2", 0, 0, "1 1 0"},
    .type = type_relational,
    .expressed = true,
    .output = output_relational,
};

// ----------------------------------------------------------------------------- bitwise operator

enum { BIT_AND, BIT_OR, BIT_XOR, BIT_NOT, SHIFT_RIGHT, SHIFT_LEFT };

typedef struct operand {
    int64_t value;
} operand;

static fo_status prepare_bitwise(foi_build *b, foi_node *n)
{
    operand *o = foi_arena_new(b->arena, 1, sizeof *o);
    if (!o) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    const char *text = n->settings[1].text;
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    o->value = hex ? (int64_t)strtoull(text, &end, 16) : (int64_t)strtoll(text, &end, 10);
    if (end == text || *end)
        return foi_node_refuse(b, n,
                               "the second operand is a decimal whole number or one with 0x, "
                               "not '%.20s'",
                               text);
    n->extra = o;
    return FO_OK;
}

// The lowest bits as a number with a sign.
static double narrow(uint64_t bits, int width)
{
    if (width == 64) return (double)(int64_t)bits;
    uint64_t mask = (UINT64_C(1) << width) - 1, sign = UINT64_C(1) << (width - 1);
    bits &= mask;
    return bits & sign ? -(double)(mask - bits + 1) : (double)bits;
}

static uint64_t bits_of(double u)
{
    if (!(fabs(u) < 9.2233720368547758e18)) return u > 0 ? (uint64_t)INT64_MAX : UINT64_C(1) << 63;
    return (uint64_t)(int64_t)u;
}

static uint64_t operate(int which, uint64_t u, uint64_t v, int width)
{
    uint64_t mask = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    switch (which) {
    case BIT_AND: return u & v;
    case BIT_OR: return u | v;
    case BIT_XOR: return u ^ v;
    case BIT_NOT: return ~u;
    case SHIFT_RIGHT: return v >= (uint64_t)width ? 0 : (u & mask) >> v;
    default: return v >= (uint64_t)width ? 0 : u << v;
    }
}

static fo_status type_bitwise(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    if (!n->inputs[0]->fixed) foi_wholes_wanted(b, n, foi_array_size(&n->outputs[0].shape));
    return status;
}

static bool fire_bitwise(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    foi_array u = foi_in(n, r, 0);
    return foi_whole_fires(n, r, index, direction, FOI_FIX, foi_real_at(&u, index));
}

static void beyond_bitwise(const foi_node *n, foi_run *r, uint32_t index)
{
    foi_array u = foi_in(n, r, 0);
    foi_whole_beyond(n, r, index, FOI_FIX, foi_real_at(&u, index));
}

static void output_bitwise(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const operand *o = n->extra;
    int width = 8 << foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double whole = foi_whole_of(n, r, i, FOI_FIX, foi_const(r, foi_real_at(&u, i))).number;
        y.data[i] =
            narrow(operate(foi_choice(n, 2), bits_of(whole), (uint64_t)o->value, width), width);
    }
}

static const foi_node_type bitwise = {
    .name = "Bitwise Logical Operator",
    .set = SET,
    .about = "Combines the bits of its input, taken as a whole number, with those of an operand. "
             "NOT has no second operand; a shift to the right brings in zeros.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Input Data Type", FOI_PARAMETER_CHOICE, "64-bit", "8-bit|16-bit|32-bit|64-bit",
             "how many bits a number has"},
            {"Second Operand", FOI_PARAMETER_TEXT, "10", NULL, "decimal, or hexadecimal with 0x"},
            {"Operator", FOI_PARAMETER_CHOICE, "AND", "AND|OR|XOR|NOT|SHIFT RIGHT|SHIFT LEFT", ""},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Second Operand=0x0F;Operator=XOR;Input Data Type=8-bit", "5 255", 0, 0, "10 -16"},
    .prepare = prepare_bitwise,
    .type = type_bitwise,
    .output = output_bitwise,
    .fire = fire_bitwise,
    .turns = true,
    .signs = foi_whole_signs,
    .beyond = beyond_bitwise,
};

// --------------------------------------------------------------------------- combinatorial logic

enum { MAX_ROWS = 256 }; ///< of a table that is an expression

// The inputs are the digits of the row's number, the first one the highest.
static fo_status type_combinatorial(foi_build *b, foi_node *n)
{
    const foi_array *table = foi_value(n, 0), *u = foi_input_type(n, 0);
    uint32_t digits = foi_array_size(u);
    if (digits > 20 || table->rows != 1u << digits)
        return foi_node_refuse(b, n,
                               "the truth table has %u rows; an input of %u elements needs 2^%u",
                               table->rows, digits, digits);
    if (table->cols == 1)
        foi_output_type(n, 0, 1, 1, FOI_SIGNAL_REAL);
    else
        foi_output_type(n, 0, 1, table->cols, FOI_SIGNAL_REAL);
    return FO_OK;
}

// Column `column` of the rows from `first` on whose number begins with the digits before `digit`.
static foi_scalar choose_row(const foi_node *n, const foi_run *r, const foi_view *u, uint32_t digit,
                             uint32_t first, uint32_t column)
{
    const foi_array *table = foi_value(n, 0);
    if (digit == u->size) return foi_const(r, table->data[(size_t)first * table->cols + column]);
    uint32_t half = 1u << (u->size - digit - 1);
    foi_scalar zero = choose_row(n, r, u, digit + 1, first, column);
    foi_scalar one = choose_row(n, r, u, digit + 1, first + half, column);
    return foi_if(r, foi_at(r, u, digit), one, zero);
}

static void output_combinatorial(const foi_node *n, foi_run *r)
{
    const foi_array *table = foi_value(n, 0);
    foi_view u = foi_view_in(n, r, 0);
    uint32_t row = 0;
    if (table->rows > MAX_ROWS && foi_no_terms(r)) return;
    for (uint32_t i = 0; i < u.size && !r->lower; i++)
        row = 2 * row + (foi_at(r, &u, i).number != 0);
    for (uint32_t i = 0; i < table->cols; i++)
        foi_put(n, r, i,
                r->lower ? choose_row(n, r, &u, 0, 0, i)
                         : foi_const(r, table->data[(size_t)row * table->cols + i]));
}

static const foi_node_type combinatorial = {
    .name = "Combinatorial Logic",
    .set = SET,
    .about = "A truth table: the elements of the input, as binary digits with the highest first, "
             "choose the row that is the output.",
    .inputs = "u",
    .outputs = "row",
    .parameters =
        (const foi_parameter[]){
            {"Truth Table", FOI_PARAMETER_REAL, "0,0,0,1", NULL, "2^n rows for n inputs"}, {0}},
    PROPERTIES("real, boolean", "yes", INHERITED, NOT_SUPPORTED,
               "input: single number, vector; table: matrix"),
    .example = {"Truth Table=0 0,1 0,1 0,0 1", "1 1", 0, 0, "0 1"},
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .type = type_combinatorial,
    .expressed = true,
    .output = output_combinatorial,
};

// ----------------------------------------------------------------------------- complex numbers

static fo_status type_complex(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->outputs[0].shape.kind = FOI_SIGNAL_COMPLEX;
    return status;
}

static void output_polar(const foi_node *n, foi_run *r)
{
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, 1);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar m = foi_at(r, &a, i), angle = foi_at(r, &b, i);
        foi_put_at(n, r, 0, i, foi_times(r, m, foi_do_1(r, FOI_G_COS, angle)),
                   foi_times(r, m, foi_do_1(r, FOI_G_SIN, angle)));
    }
}

static const foi_node_type polar = {
    .name = "Magnitude-Angle to Complex",
    .set = SET,
    .about = "The complex number with this magnitude and this angle [rad].",
    .inputs = "magnitude|angle",
    .outputs = "number",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "2|0.5235987755982988", 0, 0, "1.7320508075688774+1i"},
    .type = type_complex,
    .expressed = true,
    .output = output_polar,
};

static void output_cartesian(const foi_node *n, foi_run *r)
{
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, 1);
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put_at(n, r, 0, i, foi_at(r, &a, i), foi_at(r, &b, i));
}

static const foi_node_type cartesian = {
    .name = "Real-Imaginary to Complex",
    .set = SET,
    .about = "The complex number with these parts.",
    .inputs = "real|imaginary",
    .outputs = "number",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "2 3|-1", 0, 0, "2-1i 3-1i"},
    .type = type_complex,
    .expressed = true,
    .output = output_cartesian,
};

enum { MAGNITUDE, ANGLE, REAL_PART };

static foi_scalar resolved(const foi_run *r, int which, foi_pair z)
{
    switch (which) {
    case MAGNITUDE: return foi_magnitude(r, z);
    case ANGLE: return foi_do_2(r, FOI_G_ATAN2, z.im, z.re);
    case REAL_PART: return z.re;
    default: return z.im; // IMAGINARY_PART
    }
}

static void output_resolve(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put(n, r, i, resolved(r, foi_choice(n, 0), foi_pair_at(r, &u, i)));
}

static const foi_node_type resolve = {
    .name = "Resolve Complex",
    .set = SET,
    .about = "The magnitude, the angle [rad], the real or the imaginary part of its input.",
    .inputs = "u",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "magnitude",
                                           "magnitude|angle|real|imaginary", ""},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Function=imaginary", "2-4i 6", 0, 0, "-4 0"},
    .accepts = FOI_NUMBERS,
    .type = foi_type_real,
    .expressed = true,
    .output = output_resolve,
};

const foi_node_type *const foi_nodes_logic[] = {
    &bitwise,   &combinatorial,       &logical_operator, &polar,
    &cartesian, &relational_operator, &resolve,          NULL};
