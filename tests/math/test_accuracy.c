// The functions' errors against MPFR; many more points are under tests/soak.
#include "accuracy.h"

TEST(errors_are_as_promised)
{
    measuring m;
    measuring_open(&m);
    for (size_t i = 0; i < SUBJECTS; i++) measure_subject(&m, i, test_is_sanitized() ? 300 : 4000);
    measuring_close(&m);
}

TEST(lgamma_to_the_left_of_zero)
{
    measuring m;
    measuring_open(&m);
    measure_left_lgamma(&m, 4000);
    measuring_close(&m);
}

// Annex F: what is infinite, not a number or a zero, and of which sign, as MPFR has it; all else
// within the promise. Arguments are all that is special, both ways round, and every integer of
// lesser size, at which functions have poles, zeros and exact values.
static const double special[] = {
    0.0,       INFINITY, NAN,     0x1p-1074, 0x1.8p-1073, 0x1.fffffffffffffp-1023,
    0x1p-1022, 0x1p-600, 0x1p-60, 0x1p-28,   0x1p-27,     0x1.fffffffffffffp-2,
    0.5,       0x1.8p-1, 0x1p0,   0x1.8p0,   2.5,         0x1.fffffffffffffp-1,
    709.5,     709.9,    744.5,   745.5,     1023.5,      0x1.0000000000001p0,
    1e5,       2e5,      2.1e5,   0x1p31,    0x1p52,      0x1.fffffffffffffp52,
    0x1p53,    0x1p54,   0x1p63,  0x1p64,    0x1p600,     0x1.fffffffffffffp1023,
    170.5,     171.7,    184.5,   185.5,     1074,        1075,
};
enum { SPECIAL = sizeof special / sizeof special[0], WHOLE = 40, ARGUMENTS = SPECIAL + WHOLE };

static double argument(int i)
{
    double x = i / 2 < SPECIAL ? special[i / 2] : i / 2 - SPECIAL + 1;
    return i % 2 ? -x : x;
}

static void check_special(measuring *m, size_t which, double x, double y)
{
    const subject *s = &subjects[which];
    m->worst = 0;
    measure(m, which, x, y);
    double got = s->one ? s->one(x) : s->two(x, y), want = mpfr_get_d(m->exact, MPFR_RNDN);
    bool loose = strcmp(s->name, "lgamma") == 0 && x < 0 && isfinite(want); // bounded otherwise
    bool signs = got != 0 || want != 0 || signbit(got) == signbit(want);
    if (!(m->worst <= s->most || loose) || !signs)
        test_fail(__FILE__, __LINE__, "%s(%a, %a) is %a, not %a", s->name, x, y, got, want);
}

TEST(special_values)
{
    measuring m;
    measuring_open(&m);
    for (size_t k = 0; k < SUBJECTS; k++)
        for (int i = 0; i < 2 * ARGUMENTS; i++) {
            if (subjects[k].one) check_special(&m, k, argument(i), 0);
            for (int j = 0; subjects[k].two && j < 2 * ARGUMENTS; j++)
                check_special(&m, k, argument(i), argument(j));
        }
    measuring_close(&m);
}

// ------------------------------------------------------------------------------------- intervals

typedef foi_bounds over(double lo, double hi);

/// The exact range of a function over an interval: its ends' values, and 1 or -1 where an extremum
/// lies inside, of which MPFR decides with more bits than any double has.
typedef struct ranging {
    mpfr_t x, turn, low, high;
} ranging;

// Whether a multiple of the whole turn, `quarters` quarters later, lies in [lo, hi].
static bool passes(ranging *r, double lo, double hi, int quarters)
{
    mpfr_const_pi(r->turn, MPFR_RNDN);
    mpfr_mul_si(r->x, r->turn, quarters, MPFR_RNDN);
    mpfr_div_ui(r->x, r->x, 2, MPFR_RNDN);
    mpfr_mul_ui(r->turn, r->turn, 2, MPFR_RNDN);
    mpfr_d_sub(r->low, lo, r->x, MPFR_RNDN);
    mpfr_d_sub(r->high, hi, r->x, MPFR_RNDN);
    mpfr_div(r->low, r->low, r->turn, MPFR_RNDN);
    mpfr_div(r->high, r->high, r->turn, MPFR_RNDN);
    mpfr_ceil(r->low, r->low);
    mpfr_floor(r->high, r->high);
    return mpfr_cmp(r->low, r->high) <= 0;
}

static void exact_range(ranging *r, exact_of_one *f, double lo, double hi, int top)
{
    bool most = top >= 0 && passes(r, lo, hi, top), least = top >= 0 && passes(r, lo, hi, top + 2);
    mpfr_set_d(r->x, lo, MPFR_RNDN);
    f(r->low, r->x, MPFR_RNDN);
    mpfr_set_d(r->x, hi, MPFR_RNDN);
    f(r->high, r->x, MPFR_RNDN);
    if (mpfr_cmp(r->low, r->high) > 0) mpfr_swap(r->low, r->high);
    if (most) mpfr_set_ui(r->high, 1, MPFR_RNDN);
    if (least) mpfr_set_si(r->low, -1, MPFR_RNDN);
}

// It holds all of the range, and no end is more than three doubles beyond it.
static void check_range(ranging *r, const char *name, over *bounds, exact_of_one *f, double lo,
                        double hi, int top)
{
    foi_bounds b = bounds(lo, hi);
    exact_range(r, f, lo, hi, top);
    bool holds = mpfr_cmp_d(r->low, b.lo) >= 0 && mpfr_cmp_d(r->high, b.hi) <= 0;
    bool wide = top >= 0 && hi - lo > 6.28; // then all of it, without a look
    bool tight = wide || (mpfr_cmp_d(r->low, foi_above(b.lo, 3)) <= 0 &&
                          mpfr_cmp_d(r->high, foi_below(b.hi, 3)) >= 0);
    if (!holds || !tight)
        test_fail(__FILE__, __LINE__, "%s over [%a, %a] is [%a, %a]: %s", name, lo, hi, b.lo, b.hi,
                  holds ? "too wide" : "the exact range is not inside");
}

static void check_ranges(ranging *r, double lo, double hi)
{
    check_range(r, "sin", foi_sin_bounds, mpfr_sin, lo, hi, 1);
    check_range(r, "cos", foi_cos_bounds, mpfr_cos, lo, hi, 0);
    check_range(r, "exp", foi_exp_bounds, mpfr_exp, lo, hi, -1);
    if (lo > 0) check_range(r, "log", foi_log_bounds, mpfr_log, lo, hi, -1);
}

// Of all sizes and widths, also none; with ends beside extrema and zeros.
TEST(intervals_hold_the_exact_range)
{
    static const range ends[] = {{SIGNED, -20, 6},
                                 {SIGNED, -1074, 1023},
                                 {EVEN, -750, 750},
                                 {TURNS, 0, 50},
                                 {BESIDE, -54, 2}};
    uint64_t state = 17;
    ranging r;
    mpfr_set_emin(-1400);
    mpfr_inits2(1300, r.x, r.turn, r.low, r.high, (mpfr_ptr)0);
    for (int i = 0; i < (test_is_sanitized() ? 200 : 3000); i++) {
        double lo = draw(&state, ends[i % 5]), width = draw(&state, (range){OCTAVES, -60, 3});
        if (i % 3 == 0) width *= fabs(lo);
        double hi = i % 7 == 0 ? lo : i % 7 == 1 ? foi_above(lo, 1 + i % 4) : lo + width;
        if (i % 4 == 0) lo = foi_below(lo, 1), hi = foi_above(hi, i % 5);
        if (hi >= lo && isfinite(hi) && isfinite(lo)) check_ranges(&r, lo, hi);
    }
    mpfr_clears(r.x, r.turn, r.low, r.high, (mpfr_ptr)0);
    mpfr_free_cache();
}

TEST_MAIN(TEST_ENTRY(special_values), TEST_ENTRY(intervals_hold_the_exact_range),
          TEST_ENTRY(errors_are_as_promised), TEST_ENTRY(lgamma_to_the_left_of_zero))
