// Logic, comparison, and the parts of complex numbers.
#include <stdlib.h>

#include "diagram/node.h"
#include "diagram/node_doc.h"

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

static bool combine(int which, bool p, bool q)
{
    switch (which) {
    case AND: return p && q;
    case OR: return p || q;
    case NOT: return !p;
    case XOR: return p != q;
    case NAND: return !(p && q);
    default: return !(p || q);
    }
}

static void output_logical(const foi_node *n, foi_run *r)
{
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, n->input_count - 1), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] = combine(foi_choice(n, 1), foi_real_at(&a, i) != 0, foi_real_at(&b, i) != 0);
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
    .output = output_logical,
};

// --------------------------------------------------------------------------- relational operator

enum { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

static fo_status type_relational(foi_build *b, foi_node *n)
{
    fo_status status = type_truth(b, n);
    // equality holds at instants only: there is nothing to be located
    if (foi_choice(n, 1) >= LESS)
        n->guard_count = foi_guards_wanted(b, n, foi_array_size(&n->outputs[0].shape));
    return status;
}

static bool compare(int which, int side)
{
    switch (which) {
    case EQUAL: return side == 0;
    case NOT_EQUAL: return side != 0;
    case LESS: return side < 0;
    case LESS_EQUAL: return side <= 0;
    case GREATER: return side > 0;
    default: return side >= 0;
    }
}

static void output_relational(const foi_node *n, foi_run *r)
{
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, 1), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] =
            compare(foi_choice(n, 1), foi_side(n, r, i, foi_real_at(&a, i) - foi_real_at(&b, i)));
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

static void output_bitwise(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const operand *o = n->extra;
    int width = 8 << foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] =
            narrow(operate(foi_choice(n, 2), bits_of(u.data[i]), (uint64_t)o->value, width), width);
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
    .output = output_bitwise,
};

// --------------------------------------------------------------------------- combinatorial logic

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

static void output_combinatorial(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const foi_array *table = foi_value(n, 0);
    uint32_t row = 0;
    for (uint32_t i = 0; i < foi_array_size(&u); i++) row = 2 * row + (u.data[i] != 0);
    for (uint32_t i = 0; i < table->cols; i++) y.data[i] = table->data[row * table->cols + i];
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
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, 1), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double m = foi_real_at(&a, i), angle = foi_real_at(&b, i);
        foi_complex_put(&y, i, foi_complex(m * cos(angle), m * sin(angle)));
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
    .output = output_polar,
};

static void output_cartesian(const foi_node *n, foi_run *r)
{
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, 1), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        foi_complex_put(&y, i, foi_complex(foi_real_at(&a, i), foi_real_at(&b, i)));
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
    .output = output_cartesian,
};

static void output_resolve(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double complex z = foi_complex_at(&u, i);
        int which = foi_choice(n, 0);
        y.data[i] = which == 0 ? cabs(z) : which == 1 ? carg(z) : which == 2 ? creal(z) : cimag(z);
    }
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
    .output = output_resolve,
};

const foi_node_type *const foi_nodes_logic[] = {
    &bitwise,   &combinatorial,       &logical_operator, &polar,
    &cartesian, &relational_operator, &resolve,          NULL};
