// Mathematics, element by element.
#include <string.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/whole.h"
#include "math/complex.h"
#include "math/math.h"

#define SET "Math and Logic"
#define ELEMENTWISE(types_, expansion_) \
    PROPERTIES(types_, "yes", INHERITED, expansion_, ANY_DIMENSION)

// --------------------------------------------------------------------------- absolute and sign

static fo_status type_absolute(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0);
    n->guard_count = u->kind == FOI_SIGNAL_REAL ? foi_guards_wanted(b, n, foi_array_size(u)) : 0;
    return foi_type_real(b, n);
}

static void output_absolute(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair z = foi_pair_at(r, &u, i);
        foi_put(n, r, i,
                u.is_complex ? foi_magnitude(r, z)
                             : foi_times(r, foi_side_of(n, r, i, z.re), z.re));
    }
}

static const foi_node_type absolute = {
    .name = "Absolute",
    .set = SET,
    .about = "|u|; of a complex number sqrt(re^2 + im^2).",
    .inputs = "u",
    .outputs = "magnitude",
    .parameters = NO_PARAMETERS,
    ELEMENTWISE(REAL_OR_COMPLEX, NOT_APPLICABLE),
    .example = {NULL, "3+4i -2 0", 0, 0, "5 2 0"},
    .accepts = FOI_NUMBERS,
    .type = type_absolute,
    .expressed = true,
    .relative = true,
    .output = output_absolute,
};

static void output_sign(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put(n, r, i, foi_side_of(n, r, i, foi_at(r, &u, i)));
}

static const foi_node_type sign_node = {
    .name = "Sign",
    .set = SET,
    .about = "1 where the input is positive, -1 where it is negative, 0 where it is 0.",
    .inputs = "u",
    .outputs = "sign",
    .parameters = NO_PARAMETERS,
    ELEMENTWISE(REAL_ONLY, NOT_APPLICABLE),
    .example = {NULL, "3 -2 0", 0, 0, "1 -1 0"},
    .type = type_absolute,
    .expressed = true,
    .output = output_sign,
};

// ----------------------------------------------------------------------------- gain, sum, product

static void output_gain(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0), gain = foi_view_parameter(n, 0);
    bool is_complex = foi_gives_complex(n);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        if (!is_complex) {
            foi_put(n, r, i, foi_times(r, foi_at(r, &gain, i), foi_at(r, &u, i)));
            continue;
        }
        foi_pair y = foi_pair_times(r, foi_pair_at(r, &gain, i), foi_pair_at(r, &u, i));
        foi_put_at(n, r, 0, i, y.re, y.im);
    }
}

static const foi_node_type gain_node = {
    .name = "Gain",
    .set = SET,
    .about = "The input times the gain, element by element.",
    .inputs = "u",
    .outputs = "product",
    .parameters =
        (const foi_parameter[]){{"Gain", FOI_PARAMETER_COMPLEX, "1", NULL, "the factor"}, {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, SUPPORTED),
    .example = {"Gain=2+5i", "4-3i 7", 0, 0, "23+14i 14+35i"},
    .accepts = FOI_NUMBERS,
    .expressed = true,
    .relative = true,
    .output = output_gain,
};

// The signs of two inputs are parameters of their own; those of any number are one text.
enum { SIGN_1, SIGN_2, SIGNS };

static fo_status take_signs(foi_build *b, foi_node *n, uint32_t parameter, const char *letters)
{
    const char *signs = n->settings[parameter].text;
    size_t count = strlen(signs);
    if (!count) return FO_OK;
    if (strspn(signs, letters) != count)
        return foi_node_refuse(b, n, "parameter '%s' is made of %c and %c, found '%.40s'",
                               n->type->parameters[parameter].name, letters[0], letters[1], signs);
    return foi_node_inputs(b, n, (double)count);
}

static fo_status prepare_sum(foi_build *b, foi_node *n)
{
    return take_signs(b, n, SIGNS, "+-");
}

static bool is_minus(const foi_node *n, uint32_t input)
{
    const char *signs = n->settings[SIGNS].text;
    return *signs ? signs[input] == '-' : foi_choice(n, input ? SIGN_2 : SIGN_1);
}

// Input by input over the output, as long vectors want it.
static void output_sum(const foi_node *n, foi_run *r)
{
    foi_view y = foi_view_out(n, r, 0);
    for (uint32_t k = 0; k < n->input_count; k++) {
        foi_view u = foi_view_in(n, r, k);
        bool minus = is_minus(n, k);
        for (uint32_t i = 0; i < y.size; i++) {
            foi_scalar re = foi_at(r, &u, i);
            if (minus) re = foi_negated(r, re);
            if (k) re = foi_plus(r, foi_at(r, &y, i), re);
            if (!y.is_complex) {
                foi_put(n, r, i, re);
                continue;
            }
            foi_scalar im = foi_imaginary_at(r, &u, i);
            if (minus) im = foi_negated(r, im);
            if (k) im = foi_plus(r, foi_imaginary_at(r, &y, i), im);
            foi_put_at(n, r, 0, i, re, im);
        }
    }
}

static const foi_node_type sum = {
    .name = "Sum",
    .set = SET,
    .about = "The sum or difference of its inputs, element by element. Signs such as \"+-+\" give "
             "it as many inputs as there are signs.",
    .inputs = "first|second",
    .outputs = "sum",
    .ports = "as many inputs as Signs has",
    .parameters =
        (const foi_parameter[]){{"Sign of First Input", FOI_PARAMETER_CHOICE, "+", "+|-", ""},
                                {"Sign of Second Input", FOI_PARAMETER_CHOICE, "+", "+|-", ""},
                                {"Signs", FOI_PARAMETER_TEXT, "", NULL,
                                 "of any number of inputs: \"+-+\"; empty: two inputs "
                                 "with the signs above"},
                                {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, SUPPORTED),
    .example = {"Sign of Second Input=-", "5 6+1i|2", 0, 0, "3 4+1i"},
    .accepts = FOI_NUMBERS,
    .prepare = prepare_sum,
    .expressed = true,
    .output = output_sum,
};

static fo_status prepare_product(foi_build *b, foi_node *n)
{
    return take_signs(b, n, 1, "*/");
}

static bool is_divided(const foi_node *n, uint32_t input)
{
    const char *signs = n->settings[1].text;
    return *signs ? signs[input] == '/' : input && foi_choice(n, 0);
}

static void output_product(const foi_node *n, foi_run *r)
{
    foi_view y = foi_view_out(n, r, 0);
    for (uint32_t k = 0; k < n->input_count; k++) {
        foi_view u = foi_view_in(n, r, k);
        bool divide = is_divided(n, k), last = k + 1 == n->input_count;
        for (uint32_t i = 0; i < y.size; i++) {
            foi_pair p = k ? foi_pair_at(r, &y, i) : foi_pair_const(r, 1);
            foi_pair q = foi_pair_at(r, &u, i);
            if (y.is_complex)
                p = divide ? foi_pair_over(r, p, q) : foi_pair_times(r, p, q);
            else
                p.re = divide ? foi_over(r, p.re, q.re) : foi_times(r, p.re, q.re);
            if (!foi_put_finite(n, r, i, p.re, p.im) && last)
                foi_run_refuse(r, n, "element %u is not finite", i + 1);
        }
    }
}

static const foi_node_type product = {
    .name = "Product",
    .set = SET,
    .about =
        "The product or quotient of its inputs, element by element. Signs such as \"**/\" give "
        "it as many inputs as there are signs.",
    .inputs = "first|second",
    .outputs = "product",
    .ports = "as many inputs as Signs has",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "multiplication",
                                           "multiplication|division", ""},
                                          {"Signs", FOI_PARAMETER_TEXT, "", NULL,
                                           "of any number of inputs: \"**/\"; empty: two inputs "
                                           "with the function above"},
                                          {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, SUPPORTED),
    .example = {"Function=division", "6 8+4i|2", 0, 0, "3 4+2i"},
    .accepts = FOI_NUMBERS,
    .prepare = prepare_product,
    .expressed = true,
    .relative = true,
    .output = output_product,
};

// ------------------------------------------------------------------------------- math function 1

enum {
    POWER10,
    EXPONENTIAL,
    LN,
    SQUARE,
    ROOT,
    CONJUGATE,
    LOG10,
    LOG2,
    MAGNITUDE2,
    RECIPROCAL,
    FACTORIAL
};

static double factorial(double u)
{
    return u < 0 || u != floor(u) ? NAN : round(foi_tgamma(u + 1));
}

static foi_scalar real_function(const foi_run *r, int which, foi_scalar u)
{
    const double ln2 = 0.69314718055994530942;
    switch (which) {
    case POWER10: return foi_do_2(r, FOI_G_POWER, foi_const(r, 10), u);
    case EXPONENTIAL: return foi_do_1(r, FOI_G_EXP, u);
    case LN: return foi_do_1(r, FOI_G_LOG, u);
    case SQUARE:
    case MAGNITUDE2: return foi_times(r, u, u);
    case ROOT: return foi_do_1(r, FOI_G_SQRT, u);
    case CONJUGATE: return u;
    case LOG10: return foi_do_1(r, FOI_G_LOG10, u);
    case LOG2: return foi_by(r, FOI_G_DIVIDE, foi_do_1(r, FOI_G_LOG, u), ln2);
    case RECIPROCAL: return foi_over(r, foi_const(r, 1), u);
    default: return foi_no_terms(r) ? u : foi_const(r, factorial(u.number));
    }
}

// Those that are no expressions.
static double complex principal_value(int which, double complex u)
{
    const double ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402;
    switch (which) {
    case POWER10: return foi_cexp(u * ln10);
    case LN: return foi_clog(u);
    case ROOT: return foi_csqrt(u);
    case LOG10: return foi_clog(u) / ln10;
    case LOG2: return foi_clog(u) / ln2;
    default: return foi_complex(NAN, NAN);
    }
}

static foi_pair complex_function(const foi_run *r, int which, foi_pair u)
{
    switch (which) {
    case EXPONENTIAL: {
        foi_scalar size = foi_do_1(r, FOI_G_EXP, u.re);
        return (foi_pair){foi_times(r, size, foi_do_1(r, FOI_G_COS, u.im)),
                          foi_times(r, size, foi_do_1(r, FOI_G_SIN, u.im))};
    }
    case SQUARE: return foi_pair_times(r, u, u);
    case CONJUGATE: return (foi_pair){u.re, foi_negated(r, u.im)};
    case RECIPROCAL: return foi_pair_over(r, foi_pair_const(r, 1), u);
    case MAGNITUDE2:
        return (foi_pair){foi_plus(r, foi_times(r, u.re, u.re), foi_times(r, u.im, u.im)),
                          foi_const(r, 0)};
    default: return foi_no_terms(r) ? u : foi_pair_of(principal_value(which, foi_pair_number(u)));
    }
}

static fo_status type_function_1(foi_build *b, foi_node *n)
{
    if (foi_choice(n, 0) == FACTORIAL && foi_input_type(n, 0)->kind == FOI_SIGNAL_COMPLEX)
        return foi_node_refuse(b, n, "a factorial needs whole numbers, input 1 is complex");
    return foi_choice(n, 0) == MAGNITUDE2 ? foi_type_real(b, n) : foi_type_elementwise(b, n);
}

static void output_function_1(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair x = foi_pair_at(r, &u, i);
        foi_pair y = u.is_complex ? complex_function(r, which, x)
                                  : (foi_pair){real_function(r, which, x.re), x.im};
        if (!foi_put_finite(n, r, i, y.re, y.im))
            foi_run_refuse(r, n, "the function has no finite value at %g", x.re.number);
    }
}

static const foi_node_type math_function_1 = {
    .name = "Math Function 1",
    .set = SET,
    .about =
        "A function of one argument. Logarithms and roots of negative real numbers are errors; "
        "of complex numbers the principal value is taken.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Function", FOI_PARAMETER_CHOICE, "Power 10",
             "Power 10|Exponential|Natural Log|Square|Square Root|Conjugate|10 Base Log|2 Base "
             "Log|Magnitude Square|Reciprocal|Factorial",
             ""},
            {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, NOT_APPLICABLE),
    .example = {"Function=Factorial", "5 0", 0, 0, "120 1"},
    .accepts = FOI_NUMBERS,
    .type = type_function_1,
    .expressed = true,
    .relative = true,
    .output = output_function_1,
};

// ------------------------------------------------------------------------------- math function 2

enum { POWER, HYPOTENUSE, MODULUS, COMBINATION, PERMUTATION, ARC_TAN };

// n (n - 1) ... (n - r + 1), divided by r! for combinations.
static double choose(double n, double r, bool combination)
{
    double value = 1;
    if (n < 0 || r < 0 || r > n || n != floor(n) || r != floor(r) || r > 1e6) return NAN;
    for (double i = 0; i < r; i++)
        value = combination ? value * (n - i) / (i + 1) : value * (n - i);
    return round(value);
}

static foi_scalar function_2(const foi_run *r, int which, foi_scalar n, foi_scalar k)
{
    switch (which) {
    case POWER: return foi_do_2(r, FOI_G_POWER, n, k);
    case HYPOTENUSE: return foi_magnitude(r, (foi_pair){n, k});
    case ARC_TAN: return foi_do_2(r, FOI_G_ATAN2, n, k);
    default: break;
    }
    if (foi_no_terms(r)) return n;
    if (which == MODULUS) return foi_const(r, fmod(n.number, k.number));
    return foi_const(r, choose(n.number, k.number, which == COMBINATION));
}

/// What is left of n when r was taken off as often as it goes in, counted in whole numbers along
/// both axes, towards zero: fmod where there are no imaginary parts.
static double complex complex_modulus(double complex n, double complex k)
{
    double complex q = foi_cdivide(n, k);
    double complex whole = trunc(creal(q)) + trunc(cimag(q)) * I;
    return cimag(n) == 0 && cimag(k) == 0 ? fmod(creal(n), creal(k)) : n - k * whole;
}

/// n (n - 1) ... (n - r + 1), over r! for combinations, as `choose`; n may be any complex number, r
/// counts.
static double complex complex_choose(double complex n, double complex k, bool combination)
{
    double r = creal(k);
    if (cimag(n) == 0 && cimag(k) == 0) return choose(creal(n), r, combination);
    if (cimag(k) != 0 || r < 0 || r != floor(r) || r > 1e6) return NAN;
    double complex value = 1;
    for (double i = 0; i < r; i++) value = value * (n - i) / (combination ? i + 1 : 1);
    return value;
}

static double complex complex_function_2(int which, double complex n, double complex k)
{
    switch (which) {
    case POWER: return foi_cpow(n, k);
    case HYPOTENUSE: return foi_csqrt(n * n + k * k);
    case MODULUS: return complex_modulus(n, k);
    case COMBINATION:
    case PERMUTATION: return complex_choose(n, k, which == COMBINATION);
    default: return foi_catan(foi_cdivide(n, k));
    }
}

// The remainder of real numbers jumps where n/r is whole: how often r goes into n is kept.
static fo_status type_function_2(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    const foi_array *shape = &n->outputs[0].shape;
    bool moves = !n->inputs[0]->fixed || !n->inputs[1]->fixed;
    if (foi_choice(n, 0) == MODULUS && shape->kind == FOI_SIGNAL_REAL && moves)
        foi_wholes_wanted(b, n, foi_array_size(shape));
    return status;
}

static bool fire_function_2(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    foi_array p = foi_in(n, r, 0), q = foi_in(n, r, 1);
    return foi_remainder_fires(n, r, index, direction, foi_real_at(&p, index),
                               foi_real_at(&q, index));
}

static void beyond_function_2(const foi_node *n, foi_run *r, uint32_t index)
{
    foi_array p = foi_in(n, r, 0), q = foi_in(n, r, 1);
    foi_whole_beyond(n, r, index, FOI_FIX, foi_real_at(&p, index) / foi_real_at(&q, index));
}

static void output_function_2(const foi_node *n, foi_run *r)
{
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, 1);
    int which = foi_choice(n, 0);
    if (foi_gives_complex(n) && foi_no_terms(r)) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair p = foi_pair_at(r, &a, i), q = foi_pair_at(r, &b, i);
        foi_pair y =
            foi_gives_complex(n)
                ? foi_pair_of(complex_function_2(which, foi_pair_number(p), foi_pair_number(q)))
            : n->guard_count ? (foi_pair){foi_remainder_of(n, r, i, p.re, q.re), p.im}
                             : (foi_pair){function_2(r, which, p.re, q.re), p.im};
        if (!foi_put_finite(n, r, i, y.re, y.im))
            foi_run_refuse(r, n, "the function has no finite value at %g and %g", p.re.number,
                           q.re.number);
    }
}

static const foi_node_type math_function_2 = {
    .name = "Math Function 2",
    .set = SET,
    .about =
        "A function of two arguments n and r: n^r, sqrt(n^2 + r^2), the remainder of n/r, the "
        "numbers of combinations and of permutations of r out of n, the angle of n/r. Of complex "
        "numbers the remainder is n - r q, where q is n/r with both parts cut to whole numbers, "
        "and "
        "r of the combinations is whole.",
    .inputs = "n|r",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "Power",
                                           "Power|Hypotenuse|Modulus|Combination|Permutation|Arc "
                                           "Tan",
                                           ""},
                                          {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, SUPPORTED),
    .example = {"Function=Combination", "5 6|2", 0, 0, "10 15"},
    .accepts = FOI_NUMBERS,
    .type = type_function_2,
    .expressed = true,
    .output = output_function_2,
    .fire = fire_function_2,
    .turns = true,
    .signs = foi_whole_signs,
    .beyond = beyond_function_2,
};

// ------------------------------------------------------------------------------ trigonometry

typedef double complex complex_map(double complex);

static void output_trigonometric(const foi_node *n, foi_run *r)
{
    static const foi_op reals[] = {FOI_G_SIN,  FOI_G_COS,  FOI_G_TAN,  FOI_G_ASIN, FOI_G_ACOS,
                                   FOI_G_ATAN, FOI_G_SINH, FOI_G_COSH, FOI_G_TANH};
    static complex_map *const complexes[] = {foi_csin,  foi_ccos,  foi_ctan,  foi_casin, foi_cacos,
                                             foi_catan, foi_csinh, foi_ccosh, foi_ctanh};
    foi_view u = foi_view_in(n, r, 0);
    int which = foi_choice(n, 0);
    if (u.is_complex && foi_no_terms(r)) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair x = foi_pair_at(r, &u, i);
        foi_pair y = u.is_complex ? foi_pair_of(complexes[which](foi_pair_number(x)))
                                  : (foi_pair){foi_scalar_any(r, reals[which], x.re, x.re), x.im};
        if (!foi_put_finite(n, r, i, y.re, y.im))
            foi_run_refuse(r, n, "the function has no finite value at %g", x.re.number);
    }
}

static const foi_node_type trigonometric_function = {
    .name = "Trigonometric Function",
    .set = SET,
    .about = "A trigonometric or hyperbolic function of its input [rad].",
    .inputs = "u",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "sin",
                                           "sin|cos|tan|asin|acos|atan|sinh|cosh|tanh", ""},
                                          {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, NOT_APPLICABLE),
    .example = {"Function=cos", "0 1i", 0, 0, "1 1.5430806348152437"},
    .accepts = FOI_NUMBERS,
    .expressed = true,
    .relative = true,
    .output = output_trigonometric,
};

// --------------------------------------------------------------------------------- min and max

static fo_status type_min_max(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->guard_count = foi_guards_wanted(b, n, foi_array_size(&n->outputs[0].shape));
    return status;
}

static void output_min_max(const foi_node *n, foi_run *r)
{
    foi_view a = foi_view_in(n, r, 0), b = foi_view_in(n, r, 1);
    double wanted = foi_choice(n, 0) ? -1 : 1;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar p = foi_at(r, &a, i), q = foi_at(r, &b, i);
        foi_scalar side = foi_side_of(n, r, i, foi_minus(r, p, q));
        foi_put(n, r, i, foi_if(r, foi_by(r, FOI_G_EQUAL, side, wanted), p, q));
    }
}

static const foi_node_type min_max = {
    .name = "Min Max",
    .set = SET,
    .about = "The greater or the smaller of its inputs, element by element.",
    .inputs = "first|second",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Function", FOI_PARAMETER_CHOICE, "maximum", "maximum|minimum", ""}, {0}},
    ELEMENTWISE(REAL_ONLY, SUPPORTED),
    .example = {"Function=minimum", "5 2 3|3", 0, 0, "3 2 3"},
    .type = type_min_max,
    .expressed = true,
    .relative = true,
    .output = output_min_max,
};

const foi_node_type *const foi_nodes_math[] = {&absolute,
                                               &gain_node,
                                               &math_function_1,
                                               &math_function_2,
                                               &min_max,
                                               &product,
                                               &foi_rounding_function,
                                               &sign_node,
                                               &sum,
                                               &trigonometric_function,
                                               NULL};
