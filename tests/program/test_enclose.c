// Enclosures of guards: random codes over random stretches, against values and slopes that are
// taken densely, and against what is known of single operations.
#include <stdlib.h>

#include "bounds_watch.h"
#include "program/enclose_rig.h"
#include "program/simple.h"

#ifdef ENCLOSE_SOAK
enum { CASES = 2000000 };
#else
#define CASES test_inputs(60000, 600000)
#endif

static const bool has_wide = LDBL_MANT_DIG > DBL_MANT_DIG;

static int complaints;

static bool complain(const char *what, const sample *s, const curve *c, double theta,
                     const foi_enclosed *y, wide found)
{
    if (complaints++ < 3) {
        printf("%s at theta %a: found %.21Lg (%La)\n"
               "  range [%a, %a] mid [%a, %a] slope [%.17g, %.17g] error %g nature %u\n",
               what, theta, found, found, y->range.lo, y->range.hi, y->mid.lo, y->mid.hi,
               y->slope.lo, y->slope.hi, y->error, y->nature);
        show_sample(s, c);
    }
    return false;
}

// The computed value lies in the range, and is a number where nothing else was said.
static bool computed_holds(const sample *s, const curve *c, double theta, const foi_enclosed *y)
{
    double v = computed_at(s, c, theta);
    if (isnan(v))
        return y->nature & FO_MAY_BE_UNDEFINED || complain("not a number", s, c, theta, y, v);
    return (v >= y->range.lo && v <= y->range.hi) || complain("computed", s, c, theta, y, v);
}

// So does the exact one. The truth itself has the rounding error of long double, which is below a
// hundredth of `error`, and below a hundredth of an ulp of the range.
static bool exact_holds(const sample *s, const curve *c, double theta, const foi_enclosed *y,
                        dual e)
{
    if (!has_wide || isnan(e.v) || isinf(e.v) || y->nature) return true;
    wide slack = 0.01L * y->error;
    if (!(e.v >= y->range.lo - slack && e.v <= y->range.hi + slack))
        return complain("exact", s, c, theta, y, e.v);
    wide off = fabsl(e.v - computed_at(s, c, theta));
    if (!(off <= y->error + slack)) return complain("error", s, c, theta, y, off);
    return true;
}

static bool slope_holds(const sample *s, const curve *c, double theta, const foi_enclosed *y,
                        dual e)
{
    if (!has_wide || isnan(e.v) || isnan(e.d) || isinf(e.d)) return true;
    if (!isfinite(e.size)) return true; // how far the truth itself is off is not known
    if (y->nature & ~(unsigned)FO_MAY_JUMP) return true;
    wide slack = 1e-11L * e.size + 1e-100L; // tanh is -1 in long double from -23 on
    if (y->nature & FO_MAY_JUMP) slack = 1e-6L * e.size;
    return (e.d >= y->slope.lo - slack && e.d <= y->slope.hi + slack) ||
           complain("slope", s, c, theta, y, e.d);
}

// What is continuous moves no faster than its slope.
static bool moves_continuously(const sample *s, const curve *c, const foi_enclosed *y,
                               const double theta[2], const dual e[2])
{
    if (!has_wide || y->nature || isnan(e[0].v) || isnan(e[1].v)) return true;
    wide h = (wide)c->o.t1 - c->o.t0, far = foi_i_size(y->slope) * fabsl(theta[1] - theta[0]) * h;
    wide slack = 0.02L * y->error + 1e-15L * far;
    return !(fabsl(e[1].v - e[0].v) > far + slack) ||
           complain("jump", s, c, theta[1], y, e[1].v - e[0].v);
}

static bool enclosure_holds(dice *d, const sample *s, const curve *c, const foi_enclosed *y,
                            int points)
{
    dual e[2] = {{0}};
    double theta[2] = {0};
    if (!(y->range.lo <= y->range.hi)) return complain("empty", s, c, 0, y, 0);
    if (!(y->slope.lo <= y->slope.hi)) return complain("no slope", s, c, 0, y, 0);
    for (int k = 0; k < points; k++) {
        double at = k == 0 ? c->a : k == 1 ? c->b : between(d, c->a, c->b);
        if (!computed_holds(s, c, at, y)) return false;
        theta[1] = at, e[1] = exact_at(s, c, at);
        if (!exact_holds(s, c, at, y, e[1]) || !slope_holds(s, c, at, y, e[1])) return false;
        if (k > 0 && !moves_continuously(s, c, y, theta, e)) return false;
        theta[0] = at, e[0] = e[1];
    }
    return true;
}

static void try_many(uint64_t seed, long count, bool wild)
{
    dice d = {seed};
    sample s;
    curve c;
    long good = 0, smooth = 0;
    for (long i = 0; i < count; i++) {
        make_curve(&d, &c, wild);
        make_sample(&d, &s, 1 + one_of(&d, 12));
        foi_enclosed y = enclosed_on(&s, &c);
        good += enclosure_holds(&d, &s, &c, &y, 12);
        smooth += y.nature == 0 && foi_i_is_finite(y.range);
    }
    CHECK_INT(good, count);
    CHECK(smooth > count / 4); // otherwise little was tried
}

TEST(random_codes_are_enclosed)
{
    const char *more = getenv("FOLIOT_ENCLOSE_CASES");
    long count = more ? atol(more) : CASES;
    try_many(more ? (uint64_t)count : 1, count, false);
}

TEST(wild_codes_are_enclosed)
{
    const char *more = getenv("FOLIOT_ENCLOSE_CASES");
    long count = more ? atol(more) : CASES;
    try_many(more ? (uint64_t)count + 7 : 2, count, true);
}

// Whatever the undecided comparisons are at an instant, what is computed there is in the hull of
// all outcomes, and is a number; numbers that stay are folded as they are computed. Bounds that
// take in no more than those without outcomes are no news: some are narrower.
TEST(loops_are_enclosed_for_each_outcome)
{
    dice d = {3};
    sample s;
    curve c;
    long good = 0, count = CASES, bounded = 0, narrower = 0;
    for (long i = 0; i < count; i++) {
        make_curve(&d, &c, i % 2 == 0);
        make_sample(&d, &s, 1 + one_of(&d, 12));
        foi_enclosed y, plain = enclosed_on(&s, &c);
        bool holds = true, some = enclosed_by_outcomes(&s, &c, &y);
        for (int k = 0; k < 12 && some && holds; k++)
            holds = computed_holds(&s, &c, k == 0 ? c.a : k == 1 ? c.b : between(&d, c.a, c.b), &y);
        good += holds, bounded += some;
        narrower += some && (plain.range.lo < y.range.lo || plain.range.hi > y.range.hi);
    }
    CHECK_INT(good, count);
    CHECK(bounded > count / 4);
    CHECK(narrower > count / 100);
}

// ------------------------------------------------------------------------------ single operations

static foi_enclosed box(double lo, double hi)
{
    return (foi_enclosed){.range = {lo, hi}, .mid = {lo, hi}, .slope = {-1, 1}};
}

static void random_box(dice *d, double *lo, double *hi)
{
    double a = number(d), b = a;
    switch (one_of(d, 5)) {
    case 0: break;
    case 1: b = nextafter(a, INFINITY); break;
    case 2: b = a + fabs(a) * between(d, 0, 1e-3); break;
    default: b = number(d); break;
    }
    if (isinf(b)) b = DBL_MAX;
    if (one_of(d, 12) == 0) a = -INFINITY;
    if (one_of(d, 12) == 0) b = INFINITY;
    *lo = fmin(a, b), *hi = fmax(a, b);
}

static double inside(dice *d, double lo, double hi)
{
    switch (one_of(d, 5)) {
    case 0: return lo;
    case 1: return hi;
    case 2: return fmin(hi, nextafter(lo, INFINITY));
    case 3: {
        double v = number(d);
        return v < lo ? lo : v > hi ? hi : v;
    }
    default: {
        double a = fmax(lo, -1e30), b = fmin(hi, 1e30);
        return a < b ? fmin(fmax(between(d, a, b), lo), hi) : lo;
    }
    }
}

static foi_enclosed apply_boxes(foi_op op, const double lo[3], const double hi[3])
{
    sample s;
    foi_enclosed r[REGISTERS];
    begin_sample(&s);
    for (uint32_t i = 0; i < 3; i++) r[i] = box(lo[i], hi[i]);
    add_operation(&s, op, 0, 1, 2);
    foi_code_enclose(&s.code, r, INFINITY, NULL);
    return r[s.result];
}

// Every operation over boxes of all sizes: what is computed, and what is exact, to the last bit.
TEST(operations_hold_over_boxes)
{
    dice d = {3};
    long bad = 0, unannounced = 0;
    for (long i = 0; i < 300000; i++) {
        foi_op op = (foi_op)(FOI_G_NEGATE + one_of(&d, FOI_G_OUTSIDE - FOI_G_NEGATE));
        double lo[3], hi[3], v[3];
        for (int k = 0; k < 3; k++) random_box(&d, &lo[k], &hi[k]);
        foi_enclosed y = apply_boxes(op, lo, hi);
        for (int p = 0; p < 4; p++) {
            for (int k = 0; k < 3; k++) v[k] = inside(&d, lo[k], hi[k]);
            double found = foi_op_apply(op, v[0], v[1], v[2]);
            wide exact = wide_value(op, v[0], v[1], v[2]);
            bool loose = y.nature & FO_MAY_BE_UNDEFINED;
            unannounced += isnan(found) && !loose;
            bool wrong = !isnan(found) && !(found >= y.range.lo && found <= y.range.hi);
            bool known = has_wide && op != FOI_G_MOD && op != FOI_G_REM && op != FOI_G_QUOTIENT;
            if (known && !isnan(exact)) wrong |= !(exact >= y.range.lo && exact <= y.range.hi);
            if ((wrong || (isnan(found) && !loose)) && bad + unannounced < 5)
                printf("op %d of %a %a %a: %a (%La) not in [%a, %a] nature %u\n", (int)op, v[0],
                       v[1], v[2], found, exact, y.range.lo, y.range.hi, y.nature);
            bad += wrong;
        }
    }
    CHECK_INT(bad, 0);
    CHECK_INT(unannounced, 0);
}

static foi_enclosed of_one(foi_op op, double lo, double hi)
{
    double a[3] = {lo, 0, 0}, b[3] = {hi, 0, 0};
    return apply_boxes(op, a, b);
}

static foi_enclosed of_two(foi_op op, double alo, double ahi, double blo, double bhi)
{
    double a[3] = {alo, blo, 0}, b[3] = {ahi, bhi, 0};
    return apply_boxes(op, a, b);
}

#define CHECK_RANGE(y, least, most) CHECK((y).range.lo == (least) && (y).range.hi == (most))

TEST(pieces_are_exact)
{
    foi_enclosed y = of_one(FOI_G_FLOOR, 0.2, 0.9);
    CHECK_RANGE(y, 0, 0);
    CHECK(y.slope.lo == 0 && y.slope.hi == 0 && y.nature == 0);
    y = of_one(FOI_G_FLOOR, 0.2, 1);
    CHECK_RANGE(y, 0, 1);
    CHECK_INT(y.nature, FO_MAY_JUMP);
    y = of_one(FOI_G_CEIL, 0.2, 0.9);
    CHECK_RANGE(y, 1, 1);
    y = of_two(FOI_G_MOD, 7.25, 7.5, 2, 2);
    CHECK_INT(y.nature, 0);
    CHECK(y.range.lo <= 1.25 && y.range.lo > 1.2499999 && y.range.hi >= 1.5 && y.range.hi < 1.51);
    y = of_two(FOI_G_MOD, 7.25, 8.5, 2, 2);
    CHECK_INT(y.nature, FO_MAY_JUMP);
    CHECK(y.range.lo > -1e-13 && y.range.hi < 2 + 1e-13);
    y = of_two(FOI_G_REM, -0.5, 0.5, 2, 2);
    CHECK_RANGE(y, -0.5, 0.5);
    CHECK_INT(y.nature, 0);
    y = of_two(FOI_G_QUOTIENT, -1.9, 1.9, 2, 2);
    CHECK_RANGE(y, 0, 0);
    CHECK_INT(y.nature, 0);
    y = of_one(FOI_G_SIGN, 1e-300, 2);
    CHECK_RANGE(y, 1, 1);
    CHECK_INT(y.nature, 0);
    CHECK_INT(of_one(FOI_G_SIGN, 0, 2).nature, FO_MAY_JUMP);
    y = of_two(FOI_G_MAX, 0, 0, -3, -1);
    CHECK_RANGE(y, 0, 0);
    CHECK(y.slope.lo == 0 || y.slope.lo == -1);
    y = of_one(FOI_G_ABS, -2, 1);
    CHECK_RANGE(y, 0, 2);
    CHECK_INT(y.nature, 0);
    y = of_two(FOI_G_MULTIPLY, 0, 0, -3, -1);
    CHECK_RANGE(y, 0, 0);
}

// Random curves over random boxes: every value is in the range, and no more is said of one piece
// than of its polynomial.
TEST(curves_in_pieces_are_enclosed)
{
    enum { MOST = 30 };
    double ends[MOST];
    foi_cubic list[MOST + 1];
    dice d = {7};
    for (int n = 0; n < 3000; n++) {
        uint32_t count = 1 + one_of(&d, MOST - 1);
        for (uint32_t i = 0; i <= count; i++) {
            list[i] = (foi_cubic){.x = (double)one_of(&d, 9) - 4};
            for (int k = 0; k < 4; k++)
                list[i].a[k] = one_of(&d, 3) ? ((double)one_of(&d, 2001) - 1000) / 256 : 0;
            if (i < count) ends[i] = (i ? ends[i - 1] : -4) + 0.125 * one_of(&d, 4);
        }
        foi_pieces curves[2] = {{ends, list, 0, count / 2, 3}, {ends, list, count / 2, count, 3}};
        foi_choices all = {ends, curves, 1, 3};
        double lo = (double)one_of(&d, 1000) / 64 - 8, width = (double)one_of(&d, 1000) / 250;
        if (one_of(&d, 3) == 0) width *= 0x1p-20;
        double hi = lo + width;
        uint32_t order = one_of(&d, 5);
        double from = foi_pieces_number(&curves[0]) + order;
        double to = one_of(&d, 2) ? from : foi_pieces_number(&curves[1]) + order;
        foi_enclosed y = of_two(FOI_G_ALONG, lo, hi, from, to);
        uint32_t first = foi_pieces_find(ends, count / 2, lo);
        if (to == from && first == foi_pieces_find(ends, count / 2, hi)) CHECK_INT(y.nature, 0);
        for (int k = 0; k <= 20; k++) {
            double u = fmin(hi, lo + (hi - lo) * k / 20);
            double a = foi_along(u, from), b = foi_along(u, to);
            CHECK(a >= y.range.lo && a <= y.range.hi && b >= y.range.lo && b <= y.range.hi);
        }
        double number = foi_pieces_number(&all) + order;
        y = of_two(FOI_G_AMONG, lo, hi, number, number);
        CHECK_RANGE(y, foi_among(lo, number), foi_among(hi, number));
        CHECK_INT(y.nature, y.range.lo < y.range.hi ? FO_MAY_JUMP : 0);
    }
}

TEST(poles_and_edges_are_announced)
{
    foi_enclosed y = of_one(FOI_G_TAN, 1.5, 1.6);
    CHECK(y.nature & FO_MAY_JUMP && y.range.lo == -INFINITY && y.range.hi == INFINITY);
    CHECK_INT(of_one(FOI_G_TAN, 1.6, 4.7).nature, 0);
    y = of_two(FOI_G_DIVIDE, 1, 1, 0, 4); // 1 / -0 is -INFINITY
    CHECK(y.nature & FO_MAY_JUMP && y.range.lo == -INFINITY && y.range.hi == INFINITY);
    y = of_two(FOI_G_POWER, -1, 2, -2, -2);
    CHECK(y.nature & FO_MAY_JUMP && y.range.lo > 0.2499 && y.range.hi == INFINITY);
    y = of_two(FOI_G_DIVIDE, 1, 1, -4, 4);
    CHECK(y.nature & FO_MAY_JUMP && y.range.lo == -INFINITY && y.range.hi == INFINITY);
    y = of_one(FOI_G_SQRT, -1, 4);
    CHECK(y.nature == FO_MAY_BE_UNDEFINED && y.range.lo == 0 && y.range.hi < 2.0000001);
    y = of_one(FOI_G_LOG, -1, 1);
    CHECK(y.nature == FO_MAY_BE_UNDEFINED && y.range.lo == -INFINITY && y.range.hi == 0);
    y = of_one(FOI_G_ASIN, -2, 0);
    CHECK(y.nature == FO_MAY_BE_UNDEFINED && y.range.lo < -1.57 && y.range.hi == 0);
    y = of_two(FOI_G_ATAN2, -1, 1, -2, -1);
    CHECK(y.nature == FO_MAY_JUMP && y.range.lo < -3.14 && y.range.hi > 3.14);
    CHECK_INT(of_two(FOI_G_ATAN2, -1, 1, 1, 2).nature, 0);
    CHECK_INT(of_two(FOI_G_ATAN2, 1, 2, -1, 1).nature, 0);
    y = of_two(FOI_G_POWER, -2, 3, 2, 2);
    CHECK(y.range.lo == 0 && y.range.hi < 9.000001 && y.nature == 0);
    CHECK(of_two(FOI_G_POWER, -2, 3, 0.5, 0.5).nature == FO_MAY_BE_UNDEFINED);
}

// sin and cos over every kind of quarter, near their turns and far out.
TEST(waves_turn_where_they_do)
{
    foi_enclosed y = of_one(FOI_G_SIN, 1.5707963267948966, 1.5707963267948966);
    CHECK(y.range.hi == 1 && y.range.lo > 1 - 2e-15);
    y = of_one(FOI_G_SIN, 1, 2);
    CHECK(y.range.hi == 1 && y.range.lo > 0.8414);
    y = of_one(FOI_G_COS, 3, 3.3);
    CHECK(y.range.lo == -1 && y.range.hi < -0.98);
    y = of_one(FOI_G_SIN, 1e9, 1e9 + 0.001);
    CHECK(y.range.hi - y.range.lo < 0.0011);
    y = of_one(FOI_G_SIN, 1e300, 1e300);
    CHECK(y.range.lo >= -1 && y.range.hi <= 1);
}

// --------------------------------------------------------------------------------------- tightness

// g(w) = 1 / (1 - 2 w + w^2 + 1e-10) - 1e5 on w in [0, 2], w = t: without the mean-value form this
// needs millions of segments.
static long segments(const sample *s, curve *c, double a, double b, int depth)
{
    make_stretch(c, a, b);
    foi_enclosed y = enclosed_on(s, c);
    bool known =
        y.range.lo > 0 || y.range.hi < 0 || (y.nature == 0 && (y.slope.lo > 0 || y.slope.hi < 0));
    if (known || depth == 0) return 1;
    double m = 0.5 * (a + b);
    return segments(s, c, a, m, depth - 1) + segments(s, c, m, b, depth - 1);
}

static void straight_time(curve *c, double from, double to)
{
    memset(c, 0, sizeof *c);
    c->o.n = STATES, c->o.degree = 1;
    c->o.coefficients = c->coefficients, c->o.x0 = c->x0, c->o.x1 = c->x1;
    c->o.t0 = from, c->o.t1 = to;
    c->x0[0] = c->coefficients[0] = from, c->coefficients[STATES] = to - from, c->x1[0] = to;
}

TEST(a_spike_needs_few_segments)
{
    sample s;
    curve c;
    begin_sample(&s);
    uint32_t one = add_constant(&s, 1), two = add_constant(&s, 2), tiny = add_constant(&s, 1e-10),
             level = add_constant(&s, 1e5);
    uint32_t twice = add_operation(&s, FOI_G_MULTIPLY, two, 1, 0);
    uint32_t rest = add_operation(&s, FOI_G_SUBTRACT, one, twice, 0);
    uint32_t square = add_operation(&s, FOI_G_MULTIPLY, 1, 1, 0);
    rest = add_operation(&s, FOI_G_ADD, rest, square, 0);
    rest = add_operation(&s, FOI_G_ADD, rest, tiny, 0);
    uint32_t peak = add_operation(&s, FOI_G_DIVIDE, one, rest, 0);
    add_operation(&s, FOI_G_SUBTRACT, peak, level, 0);
    straight_time(&c, 0, 2.1);
    long count = segments(&s, &c, 0, 1, 50);
    printf("%ld segments\n", count);
    CHECK(count < 400);
}

// x - sin(x) cos(x) + x^3 / (1 + x^2): the excess over the true width falls with the square.
TEST(excess_is_of_second_order)
{
    sample s;
    curve c;
    begin_sample(&s);
    uint32_t one = add_constant(&s, 1);
    uint32_t p = add_operation(&s, FOI_G_MULTIPLY, add_operation(&s, FOI_G_SIN, 1, 0, 0),
                               add_operation(&s, FOI_G_COS, 1, 0, 0), 0);
    uint32_t q = add_operation(&s, FOI_G_MULTIPLY, 1, 1, 0);
    uint32_t r = add_operation(&s, FOI_G_MULTIPLY, q, 1, 0);
    r = add_operation(&s, FOI_G_DIVIDE, r, add_operation(&s, FOI_G_ADD, one, q, 0), 0);
    p = add_operation(&s, FOI_G_SUBTRACT, 1, p, 0);
    add_operation(&s, FOI_G_ADD, p, r, 0);
    double excess[3];
    straight_time(&c, 0, 1);
    for (int k = 0; k < 3; k++) {
        double width = ldexp(0.1, -4 * k);
        make_stretch(&c, 0.6 - width, 0.6 + width);
        foi_enclosed y = enclosed_on(&s, &c);
        double real = computed_at(&s, &c, 0.6 + width) - computed_at(&s, &c, 0.6 - width);
        excess[k] = y.range.hi - y.range.lo - real;
        CHECK(excess[k] > 0);
    }
    CHECK(excess[1] < excess[0] / 100 && excess[2] < excess[1] / 100);
}

// A table of three numbers as diagrams make it: base, width and rise are chosen, then combined.
// Around its corner at 1, where its value is 2, it is as narrow as the stretch.
TEST(a_table_is_narrow_at_its_corners)
{
    sample s;
    curve c;
    begin_sample(&s);
    uint32_t n[4];
    for (int i = 0; i < 4; i++) n[i] = add_constant(&s, i); // 0 1 2 3
    uint32_t right = add_operation(&s, FOI_G_GREATER_EQUAL, 1, n[1], 0);
    uint32_t base = add_operation(&s, FOI_G_IF, right, n[1], n[0]);
    uint32_t from = add_operation(&s, FOI_G_IF, right, n[2], n[0]);
    uint32_t rise = add_operation(&s, FOI_G_IF, right, n[3], n[2]);
    uint32_t more = add_operation(&s, FOI_G_SUBTRACT, 1, base, 0);
    more = add_operation(&s, FOI_G_MULTIPLY, more, rise, 0);
    more = add_operation(&s, FOI_G_ADD, more, from, 0);
    add_operation(&s, FOI_G_SUBTRACT, more, n[2], 0);
    straight_time(&c, 0, 2);
    make_stretch(&c, 0.499, 0.501);
    foi_enclosed y = enclosed_on(&s, &c);
    CHECK(y.range.lo < -0.0039 && y.range.lo > -0.0061 && y.range.hi > 0.0059 &&
          y.range.hi < 0.0061);
    CHECK(y.slope.lo > 1.99 && y.slope.hi < 3.01 && y.nature == FO_MAY_JUMP);
}

TEST(what_rests_is_exact)
{
    sample s;
    curve c;
    begin_sample(&s);
    uint32_t zero = add_constant(&s, 0), one = add_constant(&s, 1);
    uint32_t above = add_operation(&s, FOI_G_SUBTRACT, 1, one, 0);
    add_operation(&s, FOI_G_MAX, zero, above, 0);
    straight_time(&c, 0, 2);
    make_stretch(&c, 0, 0.49);
    foi_enclosed y = enclosed_on(&s, &c);
    CHECK_RANGE(y, 0, 0);
    CHECK(y.slope.lo == 0 && y.slope.hi == 0 && y.nature == 0);
    make_stretch(&c, 0.4, 0.6);
    y = enclosed_on(&s, &c);
    CHECK(y.range.lo == 0 && y.slope.lo == 0 && y.slope.hi > 0.99 && y.nature == 0);
}

// -------------------------------------------------------------------------------- whole programs

// Guards of a program while it runs: parameters, discretes, held relations and time in them.
TEST(guards_of_programs_are_enclosed)
{
    simple r;
    fo_run_def def = simple_def(9);
    fo_system_type type;
    if (simple_begin(&r,
                     "param k 0.3\n"
                     "real x 0 fixed\n"
                     "real v 1 fixed\n"
                     "real y\n"
                     "disc n 0\n"
                     "disc m 0\n"
                     "disc q 0\n"
                     "eq der(x) = v\n"
                     "eq der(v) = -x\n"
                     "eq y = if x > k then x*x else k*x\n"
                     "when (v - k/2)*(v + k/2)/(2 + x) < 0.01*n\n"
                     "set n = pre(n) + 1\n"
                     "end\n"
                     "when sin(3*x + time) + y > 0.2\n"
                     "set m = pre(m) + 1\n"
                     "end\n"
                     "when x^3 - sqrt(x + 1.5)*exp(-time) < 0\n"
                     "set q = pre(q) + 1\n"
                     "end\n",
                     &def)) {
        fo_system system = watch_system(foi_program_system(r.program), "program", &type);
        fo_simulation *sim = fo_simulation_create(system, &def, &r.why);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, 9), FO_REACHED, fo_simulation_message(sim));
        fo_simulation_destroy(sim);
        CHECK(bounds_watch.tried > 200 && bounds_watch.smooth > 200);
        CHECK_INT(bounds_watch.bad, 0);
    }
    simple_end(&r);
}

TEST_MAIN(TEST_ENTRY(random_codes_are_enclosed), TEST_ENTRY(wild_codes_are_enclosed),
          TEST_ENTRY(loops_are_enclosed_for_each_outcome), TEST_ENTRY(operations_hold_over_boxes),
          TEST_ENTRY(pieces_are_exact), TEST_ENTRY(curves_in_pieces_are_enclosed),
          TEST_ENTRY(poles_and_edges_are_announced), TEST_ENTRY(waves_turn_where_they_do),
          TEST_ENTRY(a_spike_needs_few_segments), TEST_ENTRY(excess_is_of_second_order),
          TEST_ENTRY(guards_of_programs_are_enclosed), TEST_ENTRY(a_table_is_narrow_at_its_corners),
          TEST_ENTRY(what_rests_is_exact))
