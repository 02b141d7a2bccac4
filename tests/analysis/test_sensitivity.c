// Sensitivities through events against closed forms; Sobol indices of the Ishigami function.
#include <foliot/analysis.h>
#include <math.h>

#include "test.h"

static fo_sensitivity *compute(const char *text, const char *to, const char *measure, double stop,
                               uint64_t samples, unsigned threads, fo_message *why)
{
    const char *list[] = {to}, *measures[] = {measure};
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text";
    def.experiment.stop = stop;
    def.to = list, def.to_count = 1, def.measures = measures, def.measure_count = 1;
    def.samples = samples, def.threads = threads;
    return fo_sensitivity_create(&def, why);
}

static const char ball[] = "model Ball parameter Real e = 0.8; Real h(start = 1.5, fixed = true); "
                           "Real v(start = 0, fixed = true);\n"
                           "equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, "
                           "-e*pre(v)); end when; end Ball;";

// The last two: after the jump at t* = log(2 x0) it is (p + t*) exp(t* - t).
TEST(through_events)
{
    static const struct {
        const char *text, *to, *measure;
        double stop, value;
    } list[] = {
        {ball, "e", "last(h <= 0)", 1.8, 1.10600252721866},
        {ball, "e", "last(h <= 0)", 2.4, 2.87560657076852},
        {ball, "e", "final(h)", 2, 7.13958525125427},
        {ball, "e", "final(v)", 2, 19.5297926256271},
        {ball, "h", "final(h)", 2, 1.62987557538},
        {"model S parameter Real a = 0.7; Real x(start = 1, fixed = true);\n"
         "equation der(x) = if time < a then -x else -3*x; end S;",
         "a", "final(x)", 2, 0.0201036714892672},
        {"model R parameter Real p = 0.3; Real x(start = 1, fixed = true);\n"
         "equation der(x) = -x; when x <= 0.5 then reinit(x, p + time); end when; end R;",
         "p", "final(x)", 1.2, 0.6023884238244043},
        {"model R parameter Real p = 0.3; Real x(start = 1, fixed = true);\n"
         "equation der(x) = -x; when x <= 0.5 then reinit(x, p + time); end when; end R;",
         "x", "final(x)", 1.2, 1.2006487885475607},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        fo_sensitivity *s =
            compute(list[i].text, list[i].to, list[i].measure, list[i].stop, 0, 1, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        CHECK(s->exact[0] && !s->reason);
        CHECK_NEAR(s->derivatives[0], list[i].value, 1e-9 * fabs(list[i].value));
        CHECK(fabs(s->derivatives[0] - list[i].value) < 10 * s->errors[0] + 1e-9);
        fo_sensitivity_destroy(s);
    }
}

// The same as differences of runs.
TEST(by_differences)
{
    const char *to[] = {"e"}, *measures[] = {"final(h)"};
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
    def.experiment.model.text = ball, def.experiment.stop = 2, def.differences = true;
    def.to = to, def.to_count = 1, def.measures = measures, def.measure_count = 1;
    fo_sensitivity *s = fo_sensitivity_create(&def, NULL);
    REQUIRE(s != NULL);
    CHECK(!s->exact[0] && s->reason);
    CHECK_INT((long long)s->runs, 11);
    CHECK_NEAR(s->derivatives[0], 7.13958525125427, 1e-6);
    fo_sensitivity_destroy(s);
}

// What the equations do not give is left to differences, with a reason, or is not known.
TEST(not_from_equations)
{
    static const struct {
        const char *text, *to, *measure, *reason;
        double stop, value; ///< NaN: there is none
    } list[] = {
        {"model G parameter Real p = 0; Real x(start = 0.5, fixed = true); Real v(start = -1, "
         "fixed = true);\n"
         "equation der(x) = v; der(v) = 1; when x <= p then reinit(v, -0.5*v); end when; end G;",
         "p", "final(x)", "only touched", 2, NAN},
        {"model T parameter Real p = 1; Real x(start = 0, fixed = true); Real y(start = 0, fixed = "
         "true); Real z(start = 1, fixed = true);\n"
         "equation der(x) = 1; der(y) = p; der(z) = 0; when x > 1 then reinit(z, 2*z); end when; "
         "when y > 1 then reinit(z, z + 1); end when; end T;",
         "p", "final(z)", "meet at t = 1", 2, NAN},
        {"model A parameter Real p = 1; Real x(start = 0, fixed = true); Real y(start = 1, fixed = "
         "true);\n"
         "equation der(x) = p; der(y) = if x > 0 then -1 else 1; end A;",
         "x", "final(y)", "is zero after the start", 2, NAN},
        {"model S parameter Real q = 0.6; Real x(start = 0, fixed = true);\n"
         "equation der(x) = if x > q then -1 else 3; end S;",
         "q", "integral(x)", "held at zero", 2, 1.8},
        {"model B parameter Real mu = 0.3; Real x(start = 0, fixed = true); Real v(start = 2, "
         "fixed = true);\n"
         "equation der(x) = v; der(v) = -mu*9.81*(if v > 0 then 1 else -1); end B;",
         "mu", "final(x)", "held at zero", 2, -2.26526220410012},
        {"model N parameter Real p = 1; Real x(start = 0, fixed = true); Real y(start = 0, fixed = "
         "true);\n"
         "equation der(x) = 1; der(y) = noEvent(if x > p then 1 else 0); end N;",
         "p", "final(y)", "without an event", 2, -1},
        {"model D parameter Real a = 1; Real x(start = 1, fixed = true);\n"
         "equation der(x) = -a*delay(x, 2); end D;",
         "a", "final(x)", "delays", 1, -1},
        {"model K parameter Real p = 0; Real x(start = 1, fixed = true);\n"
         "equation der(x) = abs(p); end K;",
         "p", "final(x)", "kink", 1, NAN},
        {"model K parameter Real p = 2; Real x(start = 1, fixed = true);\n"
         "equation der(x) = 0; when time > 0.5 then reinit(x, min(p, 2)); end when; end K;",
         "p", "final(x)", "has no derivative", 1, NAN},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        fo_sensitivity *s =
            compute(list[i].text, list[i].to, list[i].measure, list[i].stop, 0, 1, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        CHECK(!s->exact[0]);
        CHECK_CONTAINS(s->reason, list[i].reason);
        CHECK_INT((long long)s->unsettled, isnan(list[i].value));
        if (!isnan(list[i].value))
            CHECK_NEAR(s->derivatives[0], list[i].value, 1e-6 * fabs(list[i].value));
        fo_sensitivity_destroy(s);
    }
}

// x' = -a x(t), y = a x^2; loops, discretes that carry derivatives, samples whose times move, ends
// that move: all against closed forms.
TEST(from_equations)
{
    static const struct {
        const char *text, *to, *measure;
        double stop, value;
    } list[] = {
        {"model M parameter Real a = 2; parameter Real b = a*a; Real x(start = b, fixed = true);\n"
         "equation der(x) = -a*x; end M;",
         "a", "final(x)", 1, 0},
        {"model M parameter Real a = 2; Real x(start = 1, fixed = true); Real y; Real z;\n"
         "equation der(x) = -y; y + 2*z = x; a*y - z = 0; end M;", // y = x / (1 + 2 a)
         "a", "final(x)", 2, 0.16 * 0.67032004603563930},
        {"model M parameter Real a = 2; Real x(start = 1, fixed = true); discrete Real k(start = "
         "1, "
         "fixed = true);\n"
         "equation der(x) = k; when x > a then k = pre(k)*x*x*time - a; end when; end M;",
         "a", "final(x)", 3, 13}, // a + (a^2 (a - 1) - a) (3 - (a - 1))
        {"model M parameter Real T = 0.3; Real x(start = 0, fixed = true); discrete Real u(start = "
         "0, fixed = true);\n"
         "equation der(x) = u; when sample(0.1, T) then u = pre(u) + 1; end when; end M;",
         "T", "final(x)", 2, -21}, // -(1 + 2 + ... + 6)
        {"model M parameter Real a = 0.7; Real x(start = 0, fixed = true); Real y(start = 1, fixed "
         "= true);\n"
         "equation der(x) = y; der(y) = -a*y; when x > 0.5 then terminate(\"there\"); end when; "
         "end M;",
         "a", "final(y)", 5, -0.5}, // y = 1 - a x
        {"model M parameter Real p = 2; Real x(start = 0, fixed = true); Real y(start = 0, fixed = "
         "true);\n"
         "equation der(x) = p; der(y) = abs(x); end M;", // at its kink at the start alone
         "p", "final(y)", 1, 0.5},
        {"model M parameter Real p = 0.6; Real x(start = 0.1, fixed = true); Real y(start = 0, "
         "fixed = true);\n"
         "equation der(x) = p; der(y) = mod(x, 0.5); end M;",
         "p", "final(y)", 2, 0.19444444444444444},
        {"model M parameter Real e = 0.5; Real x(start = 0, fixed = true); Real v(start = 1, fixed "
         "= true);\n"
         "equation der(x) = v; der(v) = 0; when x > 1 then reinit(v, -e*v); end when; end M;",
         "e", "integral(x)", 2, -0.5}, // 1/2 + 1 - e/2
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        fo_sensitivity *s =
            compute(list[i].text, list[i].to, list[i].measure, list[i].stop, 0, 1, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        CHECK(s->exact[0]);
        CHECK_NEAR(s->derivatives[0], list[i].value, 1e-8);
        fo_sensitivity_destroy(s);
    }
}

// Robertson's reaction at t = 40, stiff, and Lorenz at t = 2: what CVODES 6.4.1 gives by forward
// sensitivities with exact right-hand sides (CV_STAGGERED1, rtol 1e-13 for states, 1e-12 for
// sensitivities).
TEST(as_cvodes)
{
    static const struct {
        const char *text, *to[3], *measures[3];
        double stop, values[3][3]; ///< by number, then state
    } list[] = {
        {"model R parameter Real p1 = 0.04; parameter Real p2 = 1e4; parameter Real p3 = 3e7;\n"
         "Real a(start = 1, fixed = true); Real b(start = 0, fixed = true); Real c(start = 0, "
         "fixed "
         "= true);\n"
         "equation der(a) = -p1*a + p2*b*c; der(b) = p1*a - p2*b*c - p3*b*b; der(c) = p3*b*b; end "
         "R;",
         {"p1", "p2", "p3"},
         {"final(a)", "final(b)", "final(c)"},
         40,
         {{-4.24755877168, 4.59119624934e-05, 4.24751285972},
          {1.37308079734e-05, -2.35719211388e-10, -1.37305722541e-05},
          {-2.2883550889e-09, -1.13805950936e-13, 2.28846889485e-09}}},
        {"model L parameter Real s = 10; parameter Real r = 28; parameter Real b = 8/3;\n"
         "Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real z(start = 1, "
         "fixed "
         "= true);\n"
         "equation der(x) = s*(y - x); der(y) = x*(r - z) - y; der(z) = x*y - b*z; end L;",
         {"s", "r", "b"},
         {"final(x)", "final(y)", "final(z)"},
         2,
         {{0.0545402025352, 0.310395767373, 0.16047709615},
          {-0.895125686825, -0.822574381739, 2.14591878556},
          {-5.02177200324, -9.75737230374, -2.20095508749}}},
    };
    for (size_t k = 0; k < 2; k++) {
        fo_message why = {0};
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
        def.experiment.model.text = list[k].text, def.experiment.stop = list[k].stop;
        def.to = list[k].to, def.to_count = 3;
        def.measures = list[k].measures, def.measure_count = 3;
        fo_sensitivity *s = fo_sensitivity_create(&def, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        CHECK(!s->reason);
        CHECK_INT((long long)s->runs, 3);
        for (int i = 0; i < 9; i++) {
            double truth = list[k].values[i % 3][i / 3];
            CHECK_NEAR(s->derivatives[i], truth, 1e-8 * fabs(truth));
        }
        fo_sensitivity_destroy(s);
    }
}

// Every allocation fails once: an error, or the same derivative.
TEST(without_memory)
{
    const char *to[] = {"e"}, *measures[] = {"final(h)"};
    for (long fail = 1, over = 0; !over; fail += 1 + fail / 16) {
        test_memory memory;
        test_memory_init(&memory, fail);
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
        def.experiment.model.text = ball, def.experiment.stop = 1, def.threads = 1;
        def.experiment.model.allocator = &memory.allocator;
        def.to = to, def.to_count = 1, def.measures = measures, def.measure_count = 1;
        fo_message why = {0};
        fo_sensitivity *s = fo_sensitivity_create(&def, &why);
        if (!s) CHECK_INT(why.status, FO_ERROR_MEMORY);
        if (s) CHECK_NEAR(s->derivatives[0], 2.4249424, 1e-6);
        over = s != NULL;
        fo_sensitivity_destroy(s);
        CHECK_INT(memory.live, 0);
    }
}

// How often it bounces jumps with e: there is no derivative, and none is given.
TEST(what_has_no_derivative)
{
    fo_message why = {0};
    double last = sqrt(3 / 9.81) * (1 + 2 * 0.8); // the second bounce is just at the stop
    fo_sensitivity *s = compute(ball, "e", "count(h <= 0)", last, 0, 1, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)s->unsettled, 1);
    CHECK(isnan(s->derivatives[0]));
    CHECK_CONTAINS(why.text, "does not converge");
    fo_sensitivity_destroy(s);
}

// |p| at 0 has slopes -1 and 1: their mean is no derivative. p^2, cos p and p^3 have one.
TEST(kinks)
{
    static const char text[] = "model K parameter Real p = 0; Real x(start = 0, fixed = true);\n"
                               "equation der(x) = 0; end K;";
    static const struct {
        const char *measure;
        double slope; ///< NaN: there is none
    } list[] = {{"final(abs(p))", NAN}, {"final(max(p, 3*p))", NAN},  {"final(p^2)", 0},
                {"final(cos(p))", 0},   {"final(p^3 + 2*p)", 2},      {"final(x + 5)", 0},
                {"final(exp(7*p))", 7}, {"final(min(0, p)) + 1", NAN}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        fo_sensitivity *s = compute(text, "p", list[i].measure, 1, 0, 1, &why);
        REQUIRE(s != NULL);
        CHECK_INT((long long)s->unsettled, isnan(list[i].slope));
        if (!isnan(list[i].slope)) CHECK_NEAR(s->derivatives[0], list[i].slope, 1e-8);
        if (isnan(list[i].slope)) CHECK_CONTAINS(why.text, "kink");
        fo_sensitivity_destroy(s);
    }
}

// A start that was set is the one around which is differentiated: d(x0^2 exp(-2))/dx0 at 5.
TEST(a_start_that_was_set)
{
    const char *to[] = {"x"}, *measures[] = {"final(x)^2"};
    const fo_setting start = {"x", 5, false};
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
    def.experiment.model.text = "model D Real x(start = 2, fixed = true); equation der(x) = -x; "
                                "end D;";
    def.experiment.start = &start, def.experiment.start_count = 1, def.experiment.stop = 1;
    def.to = to, def.to_count = 1, def.measures = measures, def.measure_count = 1;
    fo_sensitivity *s = fo_sensitivity_create(&def, NULL);
    REQUIRE(s != NULL);
    CHECK_NEAR(s->derivatives[0], 10 * exp(-2), 1e-8);
    fo_sensitivity_destroy(s);
}

// Effects of a linear measure are its coefficients by the ranges, without a deviation; sin^2 over
// two periods has an effect; the same bits on any number of threads.
TEST(morris)
{
    static const char text[] =
        "model M parameter Real a = 0; parameter Real b = 0; parameter Real c = 0;\n"
        "Real x(start = 0, fixed = true); equation der(x) = 0; end M;";
    const char *to[] = {"a=0..2", "b=-3.141592653589793..3.141592653589793", "c=-1..1"};
    const char *measures[] = {"final(3*a - 5*c)", "final(7*sin(b)^2)", "final(a*c)"};
    double bits[9];
    for (unsigned threads = 1; threads < 4; threads++) {
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.text = text;
        def.experiment.model.kind = "text";
        def.to = to, def.to_count = 3, def.measures = measures, def.measure_count = 3;
        def.trajectories = 200, def.threads = threads;
        fo_sensitivity *s = fo_sensitivity_create(&def, NULL);
        REQUIRE(s != NULL);
        CHECK_INT((long long)s->runs, 800);
        CHECK_NEAR(s->effects[0], 6, 1e-12);
        CHECK_NEAR(s->mean_effects[2], -10, 1e-12);
        CHECK_NEAR(s->effect_deviations[0], 0, 1e-12);
        CHECK_NEAR(s->effects[1], 0, 1e-12);
        CHECK(s->effects[4] > 3);
        CHECK(s->effects[3] == 0 && s->effects[5] == 0);
        CHECK(s->effect_deviations[6] > 0.5);   // a acts by what c is:
        CHECK_NEAR(s->effects[6], 1, 0.2);      // the mean of |2 c|
        CHECK_NEAR(s->mean_effects[8], 2, 0.3); // and the mean of 2 a
        for (int i = 0; i < 9 && threads == 1; i++) bits[i] = s->effects[i];
        for (int i = 0; i < 9; i++) CHECK(bits[i] == s->effects[i]);
        fo_sensitivity_destroy(s);
    }
}

// y = sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on [-pi, pi]^3; the same bits on any number of threads.
TEST(ishigami)
{
    static const char text[] =
        "model I parameter Real a = 0; parameter Real b = 0; parameter Real c = 0; output Real y;\n"
        "Real x(start = 0, fixed = true);\n"
        "equation der(x) = 0; y = sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a); end I;";
    const char *to[] = {"a=-3.141592653589793..3.141592653589793",
                        "b=-3.141592653589793..3.141592653589793",
                        "c=-3.141592653589793..3.141592653589793"};
    const char *measures[] = {"final(y)"};
    static const double first[] = {0.31391, 0.44241, 0}, total[] = {0.55759, 0.44241, 0.24368};
    double bits[6] = {0};
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        fo_message why = {0};
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.text = text;
        def.experiment.model.kind = "text";
        def.to = to, def.to_count = 3, def.measures = measures, def.measure_count = 1;
        def.samples = 4096, def.threads = threads;
        fo_sensitivity *s = fo_sensitivity_create(&def, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        REQUIRE(s != NULL);
        CHECK_NEAR(s->values[0], 3.5, 0.02);
        CHECK_NEAR(s->variances[0], 13.844587940719254, 0.2);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(s->first[i], first[i], 0.02);
            CHECK_NEAR(s->total[i], total[i], 0.02);
            if (threads == 1) bits[i] = s->first[i], bits[3 + i] = s->total[i];
            CHECK(bits[i] == s->first[i] && bits[3 + i] == s->total[i]);
        }
        fo_sensitivity_destroy(s);
    }
}

static bool until(void *self, uint64_t done, uint64_t count)
{
    (void)count;
    return done < *(uint64_t *)self;
}

// Interrupted after 512 samples: the indices are those of 512, to the bit.
TEST(interrupted_indices)
{
    static const char text[] =
        "model I parameter Real a = 0; parameter Real b = 0; Real x(start = 0, fixed = true);\n"
        "equation der(x) = 0; end I;";
    const char *to[] = {"a=0..1", "b=0..3"}, *measures[] = {"final(a + a*b)"};
    uint64_t end = 512;
    for (int morris = 0; morris < 2; morris++) {
        fo_sensitivity *s[2];
        for (int k = 0; k < 2; k++) {
            fo_sensitivity_def def = fo_default_sensitivity_def();
            def.experiment.model.name = "model.mo", def.experiment.model.text = text;
            def.experiment.model.kind = "text";
            def.to = to, def.to_count = 2, def.measures = measures, def.measure_count = 1;
            uint64_t count = k ? 512 : 100000;
            def.samples = morris ? 0 : count, def.trajectories = morris ? count : 0;
            if (!k) def.progress = until, def.self = &end;
            s[k] = fo_sensitivity_create(&def, NULL);
            REQUIRE(s[k] != NULL);
            CHECK(s[k]->interrupted == !k);
            CHECK_INT((long long)s[k]->runs, 512 * (morris ? 3 : 4));
        }
        for (int i = 0; i < 2; i++)
            CHECK(morris ? s[0]->effects[i] == s[1]->effects[i]
                         : s[0]->first[i] == s[1]->first[i] && s[0]->total[i] == s[1]->total[i]);
        fo_sensitivity_destroy(s[0]);
        fo_sensitivity_destroy(s[1]);
    }
}

TEST_MAIN(TEST_ENTRY(interrupted_indices), TEST_ENTRY(as_cvodes), TEST_ENTRY(through_events),
          TEST_ENTRY(by_differences), TEST_ENTRY(not_from_equations), TEST_ENTRY(from_equations),
          TEST_ENTRY(without_memory), TEST_ENTRY(what_has_no_derivative), TEST_ENTRY(kinks),
          TEST_ENTRY(a_start_that_was_set), TEST_ENTRY(morris), TEST_ENTRY(ishigami))
