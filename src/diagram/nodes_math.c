// Mathematics, element by element.
#include <string.h>

#include "diagram/node.h"
#include "diagram/node_doc.h"

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
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        if (u.kind == FOI_SIGNAL_COMPLEX)
            y.data[i] = cabs(foi_complex_at(&u, i));
        else
            y.data[i] = foi_side(n, r, i, u.data[i]) * u.data[i];
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
    .output = output_absolute,
};

static void output_sign(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) y.data[i] = foi_side(n, r, i, u.data[i]);
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
    .output = output_sign,
};

// ----------------------------------------------------------------------------- gain, sum, product

static void output_gain(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const foi_array *gain = foi_value(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        if (y.kind == FOI_SIGNAL_REAL)
            y.data[i] = foi_real_at(gain, i) * foi_real_at(&u, i);
        else
            foi_complex_put(&y, i, foi_complex_at(gain, i) * foi_complex_at(&u, i));
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

bool foi_is_minus(const foi_node *n, uint32_t input)
{
    const char *signs = n->settings[SIGNS].text;
    return *signs ? signs[input] == '-' : foi_choice(n, input ? SIGN_2 : SIGN_1);
}

static void output_sum(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t k = 0; k < n->input_count; k++) {
        foi_array u = foi_in(n, r, k);
        double sign = foi_is_minus(n, k) ? -1 : 1;
        for (uint32_t i = 0; i < foi_array_size(&y); i++) {
            if (y.kind == FOI_SIGNAL_REAL)
                y.data[i] = k ? y.data[i] + sign * foi_real_at(&u, i) : sign * foi_real_at(&u, i);
            else
                foi_complex_put(&y, i,
                                k ? foi_complex_at(&y, i) + sign * foi_complex_at(&u, i)
                                  : sign * foi_complex_at(&u, i));
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
    .output = output_sum,
};

static fo_status prepare_product(foi_build *b, foi_node *n)
{
    return take_signs(b, n, 1, "*/");
}

bool foi_is_divided(const foi_node *n, uint32_t input)
{
    const char *signs = n->settings[1].text;
    return *signs ? signs[input] == '/' : input && foi_choice(n, 0);
}

static void output_product(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t k = 0; k < n->input_count; k++) {
        foi_array u = foi_in(n, r, k);
        bool divide = foi_is_divided(n, k);
        for (uint32_t i = 0; i < foi_array_size(&y); i++) {
            if (y.kind == FOI_SIGNAL_REAL) {
                double p = k ? y.data[i] : 1, q = foi_real_at(&u, i);
                y.data[i] = divide ? p / q : p * q;
            } else {
                double complex p = k ? foi_complex_at(&y, i) : 1, q = foi_complex_at(&u, i);
                foi_complex_put(&y, i, divide ? p / q : p * q);
            }
        }
    }
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        if (!isfinite(foi_real_at(&y, i))) foi_run_refuse(r, n, "element %u is not finite", i + 1);
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

static double real_function(int which, double u)
{
    switch (which) {
    case POWER10: return pow(10, u);
    case EXPONENTIAL: return exp(u);
    case LN: return log(u);
    case SQUARE:
    case MAGNITUDE2: return u * u;
    case ROOT: return sqrt(u);
    case CONJUGATE: return u;
    case LOG10: return log10(u);
    case LOG2: return log2(u);
    case RECIPROCAL: return 1 / u;
    default: return u < 0 || u != floor(u) ? NAN : round(tgamma(u + 1));
    }
}

static double complex complex_function(int which, double complex u)
{
    const double ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402;
    switch (which) {
    case POWER10: return cexp(u * ln10);
    case EXPONENTIAL: return cexp(u);
    case LN: return clog(u);
    case SQUARE: return u * u;
    case ROOT: return csqrt(u);
    case CONJUGATE: return conj(u);
    case LOG10: return clog(u) / ln10;
    case LOG2: return clog(u) / ln2;
    case RECIPROCAL: return 1 / u;
    case MAGNITUDE2: return creal(u) * creal(u) + cimag(u) * cimag(u);
    default: return foi_complex(NAN, NAN);
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
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        if (u.kind == FOI_SIGNAL_REAL)
            y.data[i] = real_function(which, u.data[i]);
        else
            foi_complex_put(&y, i, complex_function(which, foi_complex_at(&u, i)));
        if (!isfinite(foi_real_at(&y, i)))
            foi_run_refuse(r, n, "the function has no finite value at %g", foi_real_at(&u, i));
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

static double function_2(int which, double n, double r)
{
    switch (which) {
    case POWER: return pow(n, r);
    case HYPOTENUSE: return hypot(n, r);
    case MODULUS: return fmod(n, r);
    case ARC_TAN: return atan2(n, r);
    default: return choose(n, r, which == COMBINATION);
    }
}

static fo_status type_function_2(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    if (status == FO_OK && n->outputs[0].shape.kind == FOI_SIGNAL_COMPLEX &&
        foi_choice(n, 0) != POWER)
        return foi_node_refuse(b, n, "only Power takes complex inputs");
    return status;
}

static void output_function_2(const foi_node *n, foi_run *r)
{
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, 1), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        if (y.kind == FOI_SIGNAL_REAL)
            y.data[i] = function_2(foi_choice(n, 0), foi_real_at(&a, i), foi_real_at(&b, i));
        else
            foi_complex_put(&y, i, cpow(foi_complex_at(&a, i), foi_complex_at(&b, i)));
        if (!isfinite(foi_real_at(&y, i)))
            foi_run_refuse(r, n, "the function has no finite value at %g and %g",
                           foi_real_at(&a, i), foi_real_at(&b, i));
    }
}

static const foi_node_type math_function_2 = {
    .name = "Math Function 2",
    .set = SET,
    .about = "A function of two arguments n and r: n^r, sqrt(n^2 + r^2), the remainder of n/r, the "
             "numbers of combinations and of permutations of r out of n, the angle of n/r.",
    .inputs = "n|r",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "Power",
                                           "Power|Hypotenuse|Modulus|Combination|Permutation|Arc "
                                           "Tan",
                                           ""},
                                          {0}},
    ELEMENTWISE("real; Power also complex", SUPPORTED),
    .example = {"Function=Combination", "5 6|2", 0, 0, "10 15"},
    .accepts = FOI_NUMBERS,
    .type = type_function_2,
    .output = output_function_2,
};

// ------------------------------------------------------------------------------ trigonometry

typedef double real_map(double);
typedef double complex complex_map(double complex);

static void output_trigonometric(const foi_node *n, foi_run *r)
{
    static real_map *const reals[] = {sin, cos, tan, asin, acos, atan, sinh, cosh, tanh};
    static complex_map *const complexes[] = {csin,  ccos,  ctan,  casin, cacos,
                                             catan, csinh, ccosh, ctanh};
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        if (y.kind == FOI_SIGNAL_REAL)
            y.data[i] = reals[which](u.data[i]);
        else
            foi_complex_put(&y, i, complexes[which](foi_complex_at(&u, i)));
        if (!isfinite(foi_real_at(&y, i)))
            foi_run_refuse(r, n, "the function has no finite value at %g", foi_real_at(&u, i));
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
    .output = output_trigonometric,
};

// ------------------------------------------------------------------------------------- rounding

static double round_one(int which, double u)
{
    return which == 0 ? round(u) : which == 1 ? floor(u) : which == 2 ? ceil(u) : trunc(u);
}

static void output_rounding(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_width(&y); i++)
        y.data[i] = round_one(foi_choice(n, 0), u.data[i]);
}

static const foi_node_type rounding_function = {
    .name = "Rounding Function",
    .set = SET,
    .about = "Rounds to a whole number: the nearest, not greater, not smaller, or towards zero; of "
             "complex numbers both parts.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Function", FOI_PARAMETER_CHOICE, "round", "round|floor|ceil|fix", ""}, {0}},
    ELEMENTWISE(REAL_OR_COMPLEX, NOT_APPLICABLE),
    .example = {"Function=fix", "2.7 -2.7 1.5-0.5i", 0, 0, "2 -2 1"},
    .accepts = FOI_NUMBERS,
    .output = output_rounding,
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
    foi_array a = foi_in(n, r, 0), b = foi_in(n, r, 1), y = foi_out(n, r, 0);
    int wanted = foi_choice(n, 0) ? -1 : 1;
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double p = foi_real_at(&a, i), q = foi_real_at(&b, i);
        y.data[i] = foi_side(n, r, i, p - q) == wanted ? p : q;
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
    .output = output_min_max,
};

const foi_node_type *const foi_nodes_math[] = {&absolute,
                                               &gain_node,
                                               &math_function_1,
                                               &math_function_2,
                                               &min_max,
                                               &product,
                                               &rounding_function,
                                               &sign_node,
                                               &sum,
                                               &trigonometric_function,
                                               NULL};
