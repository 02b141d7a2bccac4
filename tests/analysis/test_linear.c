// Linear systems against closed forms and published margins.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static fo_linear *linearise(const char *text, double at, bool steady, fo_message *why)
{
    fo_linear_def def = fo_default_linear_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text";
    def.experiment.stop = 10, def.experiment.rtol = 1e-10, def.experiment.atol = 1e-12;
    def.at = at, def.steady = steady;
    return fo_linear_create(&def, why);
}

// (s + 3) / ((s + 1)(s + 2)(s + 4)) from u to y, nonlinear around it.
TEST(poles_zeros_and_matrices)
{
    fo_message why = {0};
    fo_linear *s = linearise("model M input Real u; output Real y;\n"
                             "Real a(start = 0, fixed = true); Real b(start = 0, fixed = true);\n"
                             "Real c(start = 0, fixed = true);\n"
                             "equation der(a) = b; der(b) = c;\n"
                             "der(c) = -8*sin(a) - 14*b - 7*c + u*(1 + a^2);\n"
                             "y = 3*a + b; end M;",
                             NAN, false, &why);
    REQUIRE(s != NULL);
    static const double a[] = {0, 1, 0, 0, 0, 1, -8, -14, -7}, poles[] = {-1, -2, -4};
    CHECK(s->exact);
    for (int i = 0; i < 9; i++) CHECK_NEAR(s->a[i], a[i], 1e-14);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(s->b[i], i == 2, 1e-13);
        CHECK_NEAR(s->c[i], i == 0 ? 3 : i == 1, 1e-12);
        CHECK_NEAR(s->re[i], poles[i], 1e-12);
        CHECK_NEAR(s->im[i], 0, 1e-12);
    }
    CHECK_NEAR(s->d[0], 0, 1e-13);
    CHECK_INT((long long)s->zeros, 1);
    CHECK_NEAR(s->zero_re[0], -3, 1e-9);
    CHECK(s->controllable && s->observable);
    CHECK_TEXT(s->state_names[1], "b");
    CHECK_TEXT(s->input_names[0], "u");
    fo_linear_destroy(s);
}

// A pendulum at a time of its run: A = [0 1; -w^2 cos(phi) -d], whatever phi is there.
TEST(along_a_run)
{
    static const char text[] =
        "model P output Real y;\n"
        "Real phi(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
        "equation der(phi) = v; der(v) = -9*sin(phi) - 0.5*v;\n"
        "y = exp(phi)*v; end P;";
    for (double at = 0; at < 5; at += 1.25) {
        fo_message why = {0};
        fo_linear *s = linearise(text, at, false, &why);
        REQUIRE(s != NULL);
        CHECK_NEAR(s->a[2], -9 * cos(s->point[0]), 1e-13);
        CHECK_NEAR(s->a[3], -0.5, 1e-15);
        double y = exp(s->point[0]) * s->point[1];
        CHECK_NEAR(s->c[0], y, 1e-9 * (fabs(y) + 1));
        CHECK_NEAR(s->c[1], exp(s->point[0]), 1e-9);
        CHECK(s->exact && s->b_error == 0);
        fo_linear_destroy(s);
    }
    fo_message why = {0};
    fo_linear *s = linearise(text, NAN, true, &why);
    REQUIRE(s != NULL);
    double k = round(s->point[0] / acos(-1));
    CHECK_NEAR(s->point[0], k * acos(-1), 1e-9);
    CHECK_NEAR(s->point[1], 0, 1e-9);
    fo_linear_destroy(s);
    CHECK(linearise(text, 11, false, &why) == NULL);
    CHECK_CONTAINS(why.text, "must lie in the run");
}

static fo_linear *third_order(void)
{
    static const double a[] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, b[] = {0, 0, 1}, c[] = {1, 0, 0},
                        d = 0;
    return fo_linear_of(3, 1, 1, a, b, c, &d, NULL);
}

// 1 / (s (s + 1) (s + 2)): gain margin 6 at sqrt 2, phase margin 53.411 degrees at 0.44575.
TEST(margins)
{
    fo_linear *s = third_order();
    REQUIRE(s != NULL);
    fo_margins m = fo_linear_margins(s, 0, 0, 0, 0), other = fo_linear_margins(s, 0, 0, 0.013, 91);
    CHECK_NEAR(m.gain, 6, 1e-9);
    CHECK_NEAR(m.gain_omega, sqrt(2), 1e-9);
    CHECK_NEAR(m.phase, 53.411, 5e-4);
    CHECK_NEAR(m.phase_omega, 0.44575, 5e-6);
    CHECK_NEAR(other.gain, 6, 1e-9);
    CHECK_NEAR(other.phase, m.phase, 1e-9);
    CHECK_INT((long long)s->zeros, 0);
    fo_linear_destroy(s);
}

// Second order: G = 1 / (1 - w^2 + 2 i z w), and its step response.
TEST(second_order)
{
    for (double z = 0.1; z < 1; z += 0.2) {
        const double a[] = {0, 1, -1, -2 * z}, b[] = {0, 1}, c[] = {1, 0}, d = 0;
        fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, &d, NULL);
        REQUIRE(s != NULL);
        CHECK_NEAR(s->re[0], -z, 1e-14);
        CHECK_NEAR(s->im[0], sqrt(1 - z * z), 1e-14);
        for (double w = 0.1; w < 20; w *= 1.7) {
            double re, im, p = 1 - w * w, q = 2 * z * w, size = p * p + q * q;
            CHECK(fo_linear_response(s, 0, 0, w, &re, &im));
            CHECK_NEAR(re, p / size, 1e-13);
            CHECK_NEAR(im, -q / size, 1e-13);
        }
        double y[200], e = sqrt(1 - z * z);
        CHECK_INT(fo_linear_step(s, 0, 0, 0.1, 200, y), FO_OK);
        for (int i = 0; i < 200; i++) {
            double t = 0.1 * i;
            CHECK_NEAR(y[i], 1 - exp(-z * t) * (cos(e * t) + z / e * sin(e * t)), 1e-12);
        }
        fo_linear_destroy(s);
    }
}

// With D, two zeros of a notch at +- 2 i, and parts that no input reaches.
TEST(zeros_of_a_notch)
{
    const double a[] = {0, 1, -1, -2}, b[] = {0, 1}, c[] = {3, -2}, d = 1;
    fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, &d, NULL); // (s^2 + 4) / (s + 1)^2
    REQUIRE(s != NULL);
    CHECK_INT((long long)s->zeros, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(s->zero_re[i], 0, 1e-12);
        CHECK_NEAR(fabs(s->zero_im[i]), 2, 1e-12);
    }
    double re, im;
    CHECK(fo_linear_response(s, 0, 0, 2, &re, &im));
    CHECK_NEAR(hypot(re, im), 0, 1e-13);
    fo_linear_destroy(s);
    const double two[] = {-1, 0, 0, -2}, one[] = {1, 0}, zero = 0;
    s = fo_linear_of(2, 1, 1, two, one, one, &zero, NULL);
    REQUIRE(s != NULL);
    CHECK(!s->controllable && !s->observable);
    fo_linear_destroy(s);
}

// Zeros of chains with known polynomials, in units that differ by many powers of ten; with four and
// more zeros at infinity, which rounding must not bring back.
TEST(zeros_in_all_units)
{
    enum { N = 6 };
    // (s + 1) (s + 1000) / (s + 2)^6 as a chain: the polynomial 1000 + 1001 s + s^2
    static const double poles[] = {64, 192, 240, 160, 60, 12};
    for (int units = 0; units < 4; units++) {
        double a[N * N] = {0}, b[N] = {0}, c[N] = {1000, 1001, 1}, d = 0, scale[N];
        for (int i = 0; i < N; i++) scale[i] = pow(10, (i * 7 % 5 - 2) * 3 * units);
        for (int i = 0; i + 1 < N; i++) a[i * N + i + 1] = 1;
        for (int i = 0; i < N; i++) a[(N - 1) * N + i] = -poles[i];
        b[N - 1] = 1e-9;
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < N; k++) a[i * N + k] *= scale[i] / scale[k];
            b[i] *= scale[i], c[i] /= scale[i];
        }
        fo_linear *s = fo_linear_of(N, 1, 1, a, b, c, &d, NULL);
        REQUIRE(s != NULL);
        CHECK_INT((long long)s->zeros, 2);
        if (s->zeros == 2) {
            double low = fmax(s->zero_re[0], s->zero_re[1]),
                   high = fmin(s->zero_re[0], s->zero_re[1]);
            CHECK_NEAR(low, -1, 1e-8);
            CHECK_NEAR(high, -1000, 1e-6);
        }
        fo_linear_destroy(s);
    }
    // 1e-6 (1e9 + 1e-6 s) / ...: a zero at -1e15 beside poles at -1000
    const double a[] = {0, 1e9, -1e-3, -2e3}, b[] = {0, 1e-9}, c[] = {1e-6, 1e-12}, d = 0;
    fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, &d, NULL);
    REQUIRE(s != NULL);
    CHECK_INT((long long)s->zeros, 1);
    if (s->zeros == 1) CHECK_NEAR(s->zero_re[0], -1e15, 1e12);
    fo_linear_destroy(s);
}

static void check_same_response(const fo_linear *a, const fo_linear *b, double within)
{
    for (double w = 1e-3; w < 1e3; w *= 1.3) {
        double re, im, other_re, other_im;
        CHECK(fo_linear_response(a, 0, 0, w, &re, &im));
        CHECK(fo_linear_response(b, 0, 0, w, &other_re, &other_im));
        if (!(hypot(re - other_re, im - other_im) <= within)) CHECK_NEAR(w, NAN, 0);
    }
}

// Several ports: [1/(s+1) 2/(s+3); 1/(s+1) 1/(s+1)], whose determinant is (1 - s)/((s+1)^2 (s+3))
// (Skogestad and Postlethwaite, Multivariable Feedback Control).
TEST(transmission_zeros)
{
    static const double a[] = {-1, 0, 0, 0, -3, 0, 0, 0, -1}, b[] = {1, 0, 0, 1, 0, 1};
    static const double c[] = {1, 2, 0, 1, 0, 1}, d[4] = {0};
    fo_linear *s = fo_linear_of(3, 2, 2, a, b, c, d, NULL);
    REQUIRE(s != NULL);
    CHECK_INT((long long)s->zeros, 1);
    CHECK_NEAR(s->zero_re[0], 1, 1e-12);
    CHECK_NEAR(s->zero_im[0], 0, 1e-12);
    fo_linear_destroy(s);
}

// A zero z that was put there: (A - z) x + B u = 0, C x + D u = 0. With more outputs than inputs it
// is the only one; the transposed system has the same; units change nothing.
TEST(zeros_that_were_planted)
{
    enum { N = 5, M = 2, P = 3 };
    for (uint64_t seed = 0; seed < 300; seed++) {
        fo_random r = fo_random_stream(31, seed);
        double a[N * N], b[N * M], c[P * N], d[P * M], x[N], u[M], z = fo_random_normal(&r, 0, 1);
        double at[N * N], bt[N * P], ct[M * N], dt[M * P], xx = 0, uu = 0;
        for (int i = 0; i < N * N; i++) a[i] = fo_random_normal(&r, 0, 1);
        for (int i = 0; i < N * M; i++) b[i] = fo_random_normal(&r, 0, 1);
        for (int i = 0; i < P * N; i++) c[i] = fo_random_normal(&r, 0, 1);
        for (int i = 0; i < P * M; i++) d[i] = seed % 3 ? fo_random_normal(&r, 0, 1) : 0;
        for (int i = 0; i < N; i++) x[i] = fo_random_normal(&r, 0, 1), xx += x[i] * x[i];
        for (int i = 0; i < M; i++) u[i] = fo_random_normal(&r, 0, 1), uu += u[i] * u[i];
        for (int i = 0; i < N; i++) {
            double rest = -z * x[i];
            for (int k = 0; k < N; k++) rest += a[i * N + k] * x[k];
            for (int k = 0; k < M; k++) rest += b[i * M + k] * u[k];
            for (int k = 0; k < M; k++) b[i * M + k] -= rest * u[k] / uu;
        }
        for (int i = 0; i < P; i++) {
            double rest = 0;
            for (int k = 0; k < N; k++) rest += c[i * N + k] * x[k];
            for (int k = 0; k < M; k++) rest += d[i * M + k] * u[k];
            for (int k = 0; k < N; k++) c[i * N + k] -= rest * x[k] / xx;
        }
        for (int i = 0; i < N; i++) { // states in other units
            double unit = pow(10, fo_random_uniform(&r, -4, 4));
            for (int k = 0; k < N; k++) a[i * N + k] *= unit, a[k * N + i] /= unit;
            for (int k = 0; k < M; k++) b[i * M + k] *= unit;
            for (int k = 0; k < P; k++) c[k * N + i] /= unit;
        }
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) at[k * N + i] = a[i * N + k];
        for (int i = 0; i < N; i++)
            for (int k = 0; k < M; k++) ct[k * N + i] = b[i * M + k];
        for (int i = 0; i < P; i++)
            for (int k = 0; k < N; k++) bt[k * P + i] = c[i * N + k];
        for (int i = 0; i < P; i++)
            for (int k = 0; k < M; k++) dt[k * P + i] = d[i * M + k];
        fo_linear *both[] = {fo_linear_of(N, M, P, a, b, c, d, NULL),
                             fo_linear_of(N, P, M, at, bt, ct, dt, NULL)};
        for (int k = 0; k < 2; k++) {
            REQUIRE(both[k] != NULL);
            CHECK_INT((long long)both[k]->zeros, 1);
            if (both[k]->zeros) CHECK_NEAR(both[k]->zero_re[0], z, 1e-6 * (1 + fabs(z)));
            fo_linear_destroy(both[k]);
        }
    }
}

// A resonance k w^2 / (s^2 + 2 z w s + w^2) so sharp that its crossings of |G| = 1, at
// w^2 (1 - 2 z^2 +- sqrt(k^2 - 4 z^2 + 4 z^4)), lie within a millionth of w.
TEST(margins_at_a_resonance)
{
    for (int i = 0; i < 40; i++) {
        double w = 0.3 * pow(1.31, i), z = 1e-8 * pow(10, i % 4), k = 3 * z;
        const double a[] = {0, 1, -w * w, -2 * z * w}, b[] = {0, 1}, c[] = {k * w * w, 0},
                     d[] = {0};
        fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, d, NULL);
        REQUIRE(s != NULL);
        fo_margins m = fo_linear_margins(s, 0, 0, 0, 0);
        // w (1 + e): the phase of -G is that of 1 / (2 e - 2 z i)
        double e = 0.5 * (sqrt(k * k - 4 * z * z + 4 * z * z * z * z) - 2 * z * z);
        CHECK_NEAR(m.phase, atan2(2 * z, 2 * e) * 57.29577951308232, 1e-4 * 180);
        CHECK_NEAR(m.phase_omega, w * (1 + e), 1e-2 * e * w);
        fo_linear_destroy(s);
    }
}

// b c / (s + a) has the singular value |b c| / 2 a; a chain keeps its response in balanced form,
// and with less states changes it by at most twice the sum of those left out (Glover 1984).
TEST(balanced_forms)
{
    const double a1 = -4, b1 = 3, c1 = -2, d1 = 0.5;
    double one;
    fo_linear *s = fo_linear_of(1, 1, 1, &a1, &b1, &c1, &d1, NULL);
    fo_linear *r = fo_linear_balanced(s, 0, &one, NULL);
    REQUIRE(s && r);
    CHECK_NEAR(one, 0.75, 1e-14);
    check_same_response(s, r, 1e-13);
    fo_linear_destroy(s);
    fo_linear_destroy(r);

    enum { N = 12 };
    double a[N * N] = {0}, b[N] = {1}, c[N] = {0}, d = 0, hankel[N];
    c[N - 1] = 1;
    for (int i = 0; i < N; i++) { // a chain of lags, each leaning on both neighbours
        a[i * N + i] = -2 - 0.1 * i;
        if (i) a[i * N + i - 1] = 1, a[(i - 1) * N + i] = 0.7;
    }
    s = fo_linear_of(N, 1, 1, a, b, c, &d, NULL);
    REQUIRE(s != NULL);
    for (size_t k = 1; k <= N; k++) {
        fo_message why = {0};
        r = fo_linear_balanced(s, k, hankel, &why);
        CHECK_STATUS(r ? FO_OK : why.status, FO_OK, &why);
        REQUIRE(r != NULL);
        double left = 1e-12;
        for (size_t i = r->states; i < N; i++) left += 2 * hankel[i];
        for (size_t i = 1; i < N; i++) CHECK(hankel[i] <= hankel[i - 1]);
        for (size_t i = 0; i < r->states; i++) CHECK(r->re[i] < 0);
        check_same_response(s, r, left);
        fo_linear_destroy(r);
    }
    fo_linear_destroy(s);
    fo_message why = {0};
    const double unstable = 0.1;
    s = fo_linear_of(1, 1, 1, &unstable, &b1, &c1, &d1, NULL);
    CHECK(!fo_linear_balanced(s, 0, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    fo_linear_destroy(s);
}

// 1 / (s (s + 1) (s + 2)) with gain 6 stands on the axis at +- i sqrt(2), and at -3; 4 / (s + 2) +
// 1 with gain g has its pole at -2 - 4 g / (1 + g).
TEST(root_locus)
{
    const double a[] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, b[] = {0, 0, 1}, c[] = {1, 0, 0}, d = 0;
    double re[3], im[3];
    fo_linear *s = fo_linear_of(3, 1, 1, a, b, c, &d, NULL);
    REQUIRE(s != NULL);
    CHECK_INT(fo_linear_locus(s, 0, 0, 6, re, im), FO_OK);
    CHECK_NEAR(re[0], 0, 1e-13);
    CHECK_NEAR(im[0], sqrt(2), 1e-13);
    CHECK_NEAR(re[2], -3, 1e-13);
    fo_linear_destroy(s);
    const double a1 = -2, b1 = 4, c1 = 1, d1 = 1;
    s = fo_linear_of(1, 1, 1, &a1, &b1, &c1, &d1, NULL);
    REQUIRE(s != NULL);
    CHECK_INT(fo_linear_locus(s, 0, 0, 3, re, im), FO_OK);
    CHECK_NEAR(re[0], -5, 1e-14);
    CHECK_INT(fo_linear_locus(s, 0, 0, -1, re, im), FO_ERROR_NUMBER);
    fo_linear_destroy(s);
}

// B, C and D come from the equations, through an algebraic loop; the loop w + 0.1 w^3 = x + u gives
// w' = 1 / (1 + 0.3 w^2).
TEST(all_matrices_are_exact)
{
    static const char text[] =
        "model M input Real u; output Real y; Real x(start = 0.7, fixed = true); Real w(start = "
        "0.5);\n"
        "equation w + 0.1*w^3 = x + u; der(x) = -w*u - x^2; y = w*x + exp(u); end M;";
    fo_message why = {0};
    fo_linear *s = linearise(text, NAN, false, &why);
    CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(s != NULL);
    double x = 0.7, w = 0.7;
    for (int i = 0; i < 50; i++) w -= (w + 0.1 * w * w * w - x) / (1 + 0.3 * w * w);
    double by = 1 / (1 + 0.3 * w * w);
    CHECK(s->exact && s->a_error == 0 && s->b_error == 0);
    CHECK_NEAR(s->a[0], -2 * x, 1e-14);
    CHECK_NEAR(s->b[0], -w, 1e-14);
    CHECK_NEAR(s->c[0], by * x + w, 1e-14);
    CHECK_NEAR(s->d[0], by * x + 1, 1e-14);
    fo_linear_destroy(s);
}

// At a kink there is no linear system; beside it there is, and what is smooth but steep has one.
TEST(kinks)
{
    static const struct {
        const char *equations;
        const char *says; ///< NULL: there is a linear system
    } list[] = {
        {"der(x) = -abs(x) + u; y = x;", "the rate of 'x' has a kink at x = 0"},
        {"der(x) = -x + max(u, 2*u); y = x;", "has a kink at u = 0"},
        {"der(x) = -x + u; y = abs(x);", "'y' has a kink at x = 0"},
        {"der(x) = -abs(x - 1e-3) + u; y = x;", NULL},
        {"der(x) = -x*abs(x) + tanh(1000*u); y = x^2*1e6 + cos(100*u);", NULL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[400];
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "model K input Real u; output Real y; Real x(start = 0, fixed = true); equation "
                 "%s end K;",
                 list[i].equations);
        fo_linear *s = linearise(text, NAN, false, &why);
        CHECK((s == NULL) == (list[i].says != NULL));
        if (list[i].says) CHECK_INT(why.status, FO_ERROR_UNFIT);
        if (list[i].says) CHECK_CONTAINS(why.text, list[i].says);
        fo_linear_destroy(s);
    }
}

static bool at_once(void *self)
{
    (void)self;
    return true;
}

// der(a) = -0.5 a - 2 a(t - 2) grows; with what is delayed taken for a constant it would be stable.
TEST(delays_are_refused)
{
    fo_message why = {0};
    CHECK(!linearise("model D Real a(start = 0.01, fixed = true);\n"
                     "equation der(a) = -0.5*a - 2*delay(a, 2); end D;",
                     NAN, false, &why));
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "has delays");
}

// So are nodes of diagrams that depend on what was: a loop around an integrator through each of
// them.
TEST(nodes_that_recall)
{
    static const struct {
        const char *node;
        bool refused;
    } list[] = {{"\"Transport Delay\", \"parameters\": {\"Time Delay\": 0.4}", true},
                {"\"Memory\"", true},
                {"\"Derivative\"", true},
                {"\"Gain\"", false}};
    for (size_t k = 0; k < FO_COUNT(list); k++) {
        char text[800];
        fo_message why = {0};
        snprintf(
            text, sizeof text,
            "{\"format\": \"foliot diagram\", \"version\": 1, \"name\": \"d\",\n"
            "\"simulation\": {\"stop\": 3, \"step\": 0.1, "
            "\"integrator\": \"RK_DP\"}, \"nodes\": [{\"name\": \"x\", "
            "\"type\": \"Integrator\", \"parameters\": {\"Initial Condition\": 1}},\n"
            "{\"name\": \"node\", \"type\": %s}, {\"name\": \"minus\", \"type\": \"Gain\", "
            "\"parameters\": {\"Gain\": -1}}],\n\"lines\": [{\"from\": \"x\", \"to\": "
            "\"node\"}, {\"from\": \"node\", \"to\": \"minus\"}, {\"from\": \"minus\", \"to\": "
            "\"x\"}]}",
            list[k].node);
        fo_linear_def def = fo_default_linear_def();
        def.experiment.model.name = "d.json", def.experiment.model.text = text;
        def.experiment.model.kind = "diagram";
        fo_linear *l = fo_linear_create(&def, &why);
        CHECK_INT(l == NULL, list[k].refused);
        CHECK_CONTAINS(why.text, list[k].refused ? "depends on what was before" : "");
        if (l) CHECK_NEAR(l->a[0], -1, 0);
        fo_linear_destroy(l);
        fo_steady_def steady = fo_default_steady_def();
        steady.experiment = def.experiment;
        fo_steady *e = fo_steady_create(&steady, &why);
        CHECK_INT(e == NULL, list[k].refused);
        fo_steady_destroy(e);
    }
}

TEST(interrupted)
{
    fo_message why = {0};
    fo_linear_def def = fo_default_linear_def();
    def.experiment.model.name = "lorenz", def.experiment.stop = 1e6, def.at = 9e5;
    def.cancelled = at_once;
    CHECK(fo_linear_create(&def, &why) == NULL);
    CHECK_INT(why.status, FO_ERROR_CANCELLED);
}

TEST_MAIN(TEST_ENTRY(transmission_zeros), TEST_ENTRY(zeros_that_were_planted),
          TEST_ENTRY(margins_at_a_resonance), TEST_ENTRY(all_matrices_are_exact), TEST_ENTRY(kinks),
          TEST_ENTRY(delays_are_refused), TEST_ENTRY(nodes_that_recall), TEST_ENTRY(interrupted),
          TEST_ENTRY(balanced_forms), TEST_ENTRY(root_locus), TEST_ENTRY(zeros_in_all_units),
          TEST_ENTRY(poles_zeros_and_matrices), TEST_ENTRY(along_a_run), TEST_ENTRY(margins),
          TEST_ENTRY(second_order), TEST_ENTRY(zeros_of_a_notch))
