// Logic, comparison, and the parts of complex numbers, as expressions: see nodes_logic.c.
#include "diagram/lower.h"

enum { MAX_ROWS = 256 }; ///< of a truth table

static foi_term truth_in(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i)
{
    return foi_lower_by(l, FOI_G_NOT_EQUAL, foi_lower_in(l, n, port, i), 0);
}

enum { AND, OR, NOT, XOR, NAND, NOR };

static foi_term combine(foi_lower *l, int which, foi_term p, foi_term q)
{
    switch (which) {
    case AND: return foi_lower_2(l, FOI_G_AND, p, q);
    case OR: return foi_lower_2(l, FOI_G_OR, p, q);
    case NOT: return foi_lower_1(l, FOI_G_NOT, p);
    case XOR: return foi_lower_2(l, FOI_G_NOT_EQUAL, p, q);
    case NAND: return foi_lower_1(l, FOI_G_NOT, foi_lower_2(l, FOI_G_AND, p, q));
    default: return foi_lower_1(l, FOI_G_NOT, foi_lower_2(l, FOI_G_OR, p, q));
    }
}

static void logical(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Logical Operator");
    if (!foi_lower_expect(l, n, which == NOT ? 1 : 2)) return;
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(
            l, n, i,
            combine(l, which, truth_in(l, n, 0, i), truth_in(l, n, n->input_count - 1, i)));
}

static void relational(foi_lower *l, const foi_node *n)
{
    static const foi_op ops[] = {FOI_G_EQUAL,      FOI_G_NOT_EQUAL, FOI_G_LESS,
                                 FOI_G_LESS_EQUAL, FOI_G_GREATER,   FOI_G_GREATER_EQUAL};
    int which = foi_lower_choice(l, n, "Relational Operator");
    if (which >= (int)(sizeof ops / sizeof *ops)) l->unfit = true;
    for (uint32_t i = 0; i < foi_lower_size(n) && !l->unfit; i++) {
        foi_term over =
            foi_lower_2(l, FOI_G_SUBTRACT, foi_lower_in(l, n, 0, i), foi_lower_in(l, n, 1, i));
        foi_lower_put(l, n, i, foi_lower_by(l, ops[which], foi_lower_side(l, n, i, over), 0));
    }
}

// The rows from `first` on whose number begins with the digits before `digit`.
static foi_term choose_row(foi_lower *l, const foi_node *n, const foi_array *table, uint32_t column,
                           uint32_t digit, uint32_t first)
{
    uint32_t digits = foi_array_size(&n->inputs[0]->shape);
    if (digit == digits) return foi_lower_number(l, table->data[first * table->cols + column]);
    uint32_t half = 1u << (digits - digit - 1);
    foi_term zero = choose_row(l, n, table, column, digit + 1, first);
    foi_term one = choose_row(l, n, table, column, digit + 1, first + half);
    return foi_lower_if(l, foi_lower_in(l, n, 0, digit), one, zero);
}

static void combinatorial(foi_lower *l, const foi_node *n)
{
    const foi_array *table = foi_lower_array(l, n, "Truth Table");
    if (table->rows > MAX_ROWS) l->unfit = true;
    for (uint32_t i = 0; i < table->cols && !l->unfit; i++)
        foi_lower_put(l, n, i, choose_row(l, n, table, i, 0, 0));
}

static void polar(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term m = foi_lower_in(l, n, 0, i), angle = foi_lower_in(l, n, 1, i);
        foi_lower_put_complex(l, n, i,
                              foi_lower_2(l, FOI_G_MULTIPLY, m, foi_lower_1(l, FOI_G_COS, angle)),
                              foi_lower_2(l, FOI_G_MULTIPLY, m, foi_lower_1(l, FOI_G_SIN, angle)));
    }
}

static void cartesian(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put_complex(l, n, i, foi_lower_in(l, n, 0, i), foi_lower_in(l, n, 1, i));
}

enum { MAGNITUDE, ANGLE, REAL_PART, IMAGINARY_PART };

static void resolve(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Function");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term re = foi_lower_in(l, n, 0, i), im = foi_lower_imaginary(l, n, 0, i), y;
        foi_term square = foi_lower_2(l, FOI_G_ADD, foi_lower_2(l, FOI_G_MULTIPLY, re, re),
                                      foi_lower_2(l, FOI_G_MULTIPLY, im, im));
        switch (which) {
        case MAGNITUDE: y = foi_lower_1(l, FOI_G_SQRT, square); break;
        case ANGLE: y = foi_lower_2(l, FOI_G_ATAN2, im, re); break;
        case REAL_PART: y = re; break;
        default: y = im; break;
        }
        foi_lower_put(l, n, i, y);
    }
}

const foi_lowering foi_lower_logic[] = {
    {.type = "Logical Operator", .output = logical},
    {.type = "Relational Operator", .output = relational},
    {.type = "Combinatorial Logic", .output = combinatorial},
    {.type = "Magnitude-Angle to Complex", .output = polar},
    {.type = "Real-Imaginary to Complex", .output = cartesian},
    {.type = "Resolve Complex", .output = resolve},
    {0},
};
