// Optima with known answers: Rosenbrock, Hock and Schittkowski 71, least energy, dominoes; with
// every method; what has none.
#include <foliot/analysis.h>
#include <math.h>
#include <string.h>

#include "test.h"

static const char rosenbrock[] =
    "model R parameter Real a = -1.2; parameter Real b = 1; Real f(start = 0, fixed = true);\n"
    "equation der(f) = (1 - a)^2 + 100*(b - a^2)^2; end R;";
static const char numbers[] = "model N parameter Real a = 1; parameter Real b = 5; parameter Real "
                              "c = 5; parameter Real d = 1;\n"
                              "Real x(start = 0, fixed = true); equation der(x) = 0; end N;";

static fo_optimize_def define(const char *text, const char *const *adjust, size_t count,
                              const char *objective)
{
    fo_optimize_def def = fo_default_optimize_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = 1;
    def.adjust = adjust, def.adjust_count = count, def.objective = objective;
    def.threads = 1;
    return def;
}

static bool is_there(const char *method)
{
    return fo_nlopt_version() || !method || strcmp(method, "descent") == 0 ||
           strcmp(method, "line") == 0;
}

TEST(rosenbrock_by_all_methods)
{
    static const char *const methods[] = {NULL,     "slsqp",  "ccsaq", "descent",
                                          "cobyla", "bobyqa", "isres", "crs"};
    const char *adjust[] = {"a=-2..2", "b=-2..2"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        fo_message why = {0};
        fo_optimize_def def = define(rosenbrock, adjust, 2, "final(f)");
        def.method = methods[i];
        fo_optimum *f = fo_optimum_create(&def, &why);
        if (!is_there(methods[i])) {
            CHECK(!f);
            CHECK_INT(why.status, FO_ERROR_UNFIT);
            CHECK_CONTAINS(why.text, "NLopt");
            continue;
        }
        CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
        if (!f) continue;
        CHECK(f->reached);
        CHECK_NEAR(f->values[0], 1, 1e-5);
        CHECK_NEAR(f->values[1], 1, 2e-5);
        CHECK(!f->at_bound[0] && !f->at_bound[1]);
        fo_optimum_destroy(f);
    }
}

// min a d (a + b + c) + c, a b c d >= 25, a^2 + b^2 + c^2 + d^2 = 40: 17.0140173 at
// (1, 4.743, 3.8211, 1.3794).
TEST(hock_and_schittkowski_71)
{
    static const char *const methods[] = {NULL, "slsqp", "descent", "cobyla"};
    const char *adjust[] = {"a=1..5", "b=1..5", "c=1..5", "d=1..5"};
    const char *subject[] = {"a*b*c*d >= 25", "a^2 + b^2 + c^2 + d^2 = 40"};
    static const double answer[] = {1, 4.742999637, 3.821149979, 1.379408294};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        fo_message why = {0};
        fo_optimize_def def = define(numbers, adjust, 4, "a*d*(a + b + c) + c");
        def.subject = subject, def.subject_count = 2, def.method = methods[i];
        if (!is_there(methods[i])) continue;
        fo_optimum *f = fo_optimum_create(&def, &why);
        CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
        if (!f) continue;
        CHECK_NEAR(f->objective, 17.0140173, 1e-5);
        for (int k = 0; k < 4; k++) CHECK_NEAR(f->values[k], answer[k], 1e-3);
        CHECK(f->at_bound[0] && !f->at_bound[1]);
        CHECK_NEAR(f->left[0], 25, 1e-5);
        CHECK_NEAR(f->right[0], 25, 0);
        CHECK_NEAR(f->left[1], 40, 1e-5);
        CHECK(f->violation <= 1e-6);
        fo_optimum_destroy(f);
    }
}

// From 0 to 1 and at rest again in one second with least integral of u^2: u = 6 - 12 t, 12 of it.
TEST(least_energy)
{
    static const char text[] =
        "model S parameter Real p = 0; parameter Real q = 0; Real x(start = 0, fixed = true);\n"
        "Real v(start = 0, fixed = true); Real u; equation u = p + q*time; der(x) = v; der(v) = "
        "u;\n"
        "end S;";
    const char *adjust[] = {"p", "q"}, *subject[] = {"final(x) = 1", "final(v) = 0"};
    fo_message why = {0};
    fo_optimize_def def = define(text, adjust, 2, "integral(u^2)");
    def.subject = subject, def.subject_count = 2;
    fo_optimum *f = fo_optimum_create(&def, &why);
    CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(f != NULL);
    CHECK_NEAR(f->values[0], 6, 1e-5);
    CHECK_NEAR(f->values[1], -12, 1e-5);
    CHECK_NEAR(f->objective, 12, 1e-4);
    fo_optimum_destroy(f);
}

// Through events: how high a ball must be dropped so that it is highest at t = 1, after its bounce.
// h0 falls for t0 = sqrt(2 h0 / g), and with e = 0.8 is at 0.8 g t0 s - g s^2 / 2, s = 1 - t0:
// largest where 0.8 (1 - 2 t0) + (1 - t0) = 0, t0 = 1.8 / 2.6.
TEST(through_a_bounce)
{
    static const char text[] =
        "model B Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
        "equation der(h) = v; der(v) = -10; when h <= 0 then reinit(v, -0.8*pre(v)); end when; end "
        "B;";
    const char *adjust[] = {"h=0.5..4.5"};
    const double t0 = 1.8 / 2.6;
    for (int slopes = 0; slopes < 2; slopes++) {
        fo_message why = {0};
        fo_optimize_def def = define(text, adjust, 1, "final(h)");
        def.maximize = true, def.method = slopes ? "descent" : NULL;
        // from 4.5 m it has not bounced yet: what the line sees, and the slope does not
        fo_optimum *f = fo_optimum_create(&def, &why);
        CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
        if (!f) continue;
        CHECK_NEAR(f->values[0], 5 * t0 * t0, 1e-4);
        CHECK_NEAR(f->objective, 8 * t0 * (1 - t0) - 5 * (1 - t0) * (1 - t0), 1e-7);
        fo_optimum_destroy(f);
    }
}

// The slopes are the equations', through the bounce, or differences: which of them is said, and
// both lead to the same place. The thrower of y0 = 2, v = 10 who throws farthest does it at atan(v
// / sqrt(v^2 + 2 g y0)).
TEST(slopes_from_equations)
{
    static const char text[] =
        "model T parameter Real th = 0.5; parameter Real k = 0.3; Real x(start = 0, fixed = true); "
        "Real y(start = 2, fixed = true);\n"
        "Real vx(start = 10*cos(th), fixed = true); Real vy(start = 10*sin(th), fixed = true);\n"
        "equation der(x) = vx; der(y) = vy; der(vx) = 0; der(vy) = -9.81; when y <= 0 then "
        "terminate(\"ground\"); end when; end T;";
    const char *adjust[] = {"th=0.1..1.4", "k=log(0.1..10)"};
    const double best = atan(10 / sqrt(100 + 2 * 9.81 * 2));
    for (int differences = 0; differences < 2; differences++) {
        fo_message why = {0};
        fo_optimize_def def = define(text, adjust, 2, "-final(x) + (log(k) - 1)^2");
        def.experiment.stop = 10, def.method = "descent", def.differences = differences;
        fo_optimum *f = fo_optimum_create(&def, &why);
        CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
        if (!f) continue;
        CHECK(f->exact_slopes == !differences);
        CHECK_NEAR(f->values[0], best, 1e-5);
        CHECK_NEAR(f->values[1], exp(1), 1e-4);
        REQUIRE(f->slopes != NULL);
        CHECK_NEAR(f->slopes[0], 0, 1e-3);
        fo_optimum_destroy(f);
    }
}

// The golden section of the model itself finds 0.6285 m/s at 0.0204 m.
TEST(dominoes)
{
    const char *adjust[] = {"distance=0.005..0.04"};
    fo_message why = {0};
    fo_optimize_def def = define(NULL, adjust, 1, "final(velocity)");
    def.experiment.model.name = "dominoes", def.experiment.model.kind = NULL;
    def.experiment.stop = NAN, def.maximize = true;
    fo_optimum *f = fo_optimum_create(&def, &why);
    CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(f != NULL);
    CHECK_NEAR(f->objective, 0.6285, 5e-5);
    CHECK_NEAR(f->values[0], 0.0204, 5e-5);
    fo_optimum_destroy(f);
}

/// Counts what it hears, and ends the search after some.
typedef struct listener {
    uint64_t heard, end;
    double best;
    bool rising; ///< a best value that got worse
} listener;

static void hear(void *self, const fo_optimize_trial *t)
{
    listener *l = self;
    if (l->heard++ && t->best > l->best) l->rising = true;
    l->best = t->best;
}

static bool enough(void *self)
{
    const listener *l = self;
    return l->heard >= l->end;
}

TEST(history_and_interruption)
{
    const char *adjust[] = {"a=-2..2", "b=-2..2"};
    fo_optimize_def def = define(rosenbrock, adjust, 2, "final(f)");
    listener l = {.end = 1000000};
    def.method = "descent", def.trial = hear, def.cancelled = enough, def.self = &l;
    fo_optimum *f = fo_optimum_create(&def, NULL);
    REQUIRE(f != NULL);
    CHECK(f->reached && !l.rising);
    // the scales are found in a run of their own
    CHECK_INT((long long)l.heard, (long long)f->runs + 1);
    CHECK_NEAR(l.best, f->objective, 0);
    fo_optimum_destroy(f);
    fo_message why = {0};
    l = (listener){.end = 12};
    f = fo_optimum_create(&def, &why);
    REQUIRE(f != NULL);
    CHECK(!f->reached);
    CHECK_NEAR(f->objective, l.best, 0);
    fo_optimum_destroy(f);
}

/// One of Hock and Schittkowski's problems (Test Examples for Nonlinear Programming Codes, 1981),
/// or one like them. `best`: all values that an optimum may have here; NaN: none other, and for the
/// first one that there is no optimum.
typedef struct problem {
    const char *starts[4], *adjust[4], *objective, *subject[5];
    double best[2];
} problem;

static const problem problems[] = {
    {{"-2", "1"}, {"a", "b=1.5..1e9"}, "100*(b-a^2)^2+(1-a)^2", {0}, {0.0504261879, 4.9412293180}},
    {{"0", "0"},
     {"a=-1.5..4", "b=-3..3"},
     "sin(a+b)+(a-b)^2-1.5*a+2.5*b+1",
     {0},
     {-1.9132229550, NAN}},
    {{"2", "2"}, {"a", "b"}, "log(1+a^2)-b", {"(1+a^2)^2+b^2 = 4"}, {-1.7320508076, NAN}},
    {{"0", "0"}, {"a", "b"}, "0.5*a^2+b^2-a*b-7*a-7*b", {"25-4*a^2-b^2 >= 0"}, {-30, NAN}},
    {{"2", "2"},
     {"a", "b"},
     "(a-2)^2+(b-1)^2",
     {"-0.25*a^2-b^2+1 >= 0", "a-2*b+1 = 0"},
     {1.3934649807, NAN}},
    {{"-2", "1"},
     {"a=-1e9..0.5", "b"},
     "100*(b-a^2)^2+(1-a)^2",
     {"a*b >= 1", "a+b^2 >= 0"},
     {306.5, 360.3797672}},
    {{"20.1", "5.84"},
     {"a=13..100", "b=0..100"},
     "(a-10)^3+(b-20)^3",
     {"(a-5)^2+(b-5)^2 >= 100", "(b-5)^2+(a-6)^2 <= 82.81"},
     {-6961.8138756, NAN}},
    {{"3", "1"},
     {"a=-50..50", "b=-50..50"},
     "a^2+b^2",
     {"a+b >= 1", "a^2+b^2 >= 1", "9*a^2+b^2 >= 9", "a^2-b >= 0", "b^2-a >= 0"},
     {2, NAN}},
    // bounds that say nothing of sizes
    {{"1", "0.5"},
     {"a=0..1e9", "b=0..1e9"},
     "((a-3)^2-9)*b^3/46.76537180435969",
     {"a/1.7320508075688772-b >= 0", "a+1.7320508075688772*b >= 0",
      "6-a-1.7320508075688772*b >= 0"},
     {-1, NAN}},
    {{"0.5", "0.5", "0.5"},
     {"a=0..1e9", "b=0..1e9", "c=0..1e9"},
     "9-8*a-6*b-4*c+2*a^2+2*b^2+c^2+2*a*b+2*a*c",
     {"a+b+2*c <= 3"},
     {0.1111111111, NAN}},
    // where the start leads to, (0, 0, 2), all slopes are zero along the condition, which is curved
    {{"0", "0", "3"},
     {"a=0..1e3", "b=0..1e3", "c=0..5"},
     "(a-1)*(a-2)*(a-3)+c",
     {"c^2-b^2-a^2 >= 0", "a^2+b^2+c^2 >= 4"},
     {-4.5857864376, NAN}},
    {{"0", "0", "0", "0"},
     {"a", "b", "c", "d"},
     "a^2+b^2+2*c^2+d^2-5*a-5*b-21*c+7*d",
     {"8-a^2-b^2-c^2-d^2-a+b-c+d >= 0", "10-a^2-2*b^2-c^2-2*d^2+a+d >= 0",
      "5-2*a^2-b^2-c^2-2*a+b+d >= 0"},
     {-44, NAN}},
    // beginning at a saddle
    {{"-0.9679", "0.9471", "-0.9695", "0.9512"},
     {"a=-10..10", "b=-10..10", "c=-10..10", "d=-10..10"},
     "100*(b-a^2)^2+(1-a)^2+90*(d-c^2)^2+(1-c)^2+10.1*((b-1)^2+(d-1)^2)+19.8*(b-1)*(d-1)",
     {0},
     {0, NAN}},
    {{"0", "0"}, {"a=-2..2", "b=-2..2"}, "a^2-b^2+3*a*b", {0}, {-12, NAN}},
    // a valley with a kink along it
    {{"3", "2"}, {"a=-5..5", "b=-5..5"}, "abs(a-1)+2*abs(b+a)", {0}, {0, NAN}},
    {{"1", "1"}, {"a", "b"}, "a-b^2", {0}, {NAN, NAN}}, // falls for ever
    {{"1", "1"}, {"a=-5..5", "b=-5..5"}, "a^2+b^2", {"a+b >= 20"}, {NAN, NAN}},
};

// Whatever the method: an optimum, or an error.
TEST(known_optima)
{
    static const char *const methods[] = {NULL, "descent", "slsqp", "ccsaq"};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const problem *p = &problems[i];
            char text[512] = "model N", letter = 'a';
            size_t count = 0, subjects = 0;
            for (; count < 4 && p->starts[count]; count++)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         " parameter Real %c = %s;", letter++, p->starts[count]);
            strcat(text, " Real x(start = 0, fixed = true); equation der(x) = 0; end N;");
            while (subjects < 5 && p->subject[subjects]) subjects++;
            fo_message why = {0};
            fo_optimize_def def = define(text, p->adjust, count, p->objective);
            def.subject = p->subject, def.subject_count = subjects, def.method = methods[k];
            fo_optimum *f = is_there(methods[k]) ? fo_optimum_create(&def, &why) : NULL;
            if (!f && k == 0 && !isnan(p->best[0]) && fo_nlopt_version())
                test_fail(__FILE__, __LINE__, "%s: %s", p->objective, why.text);
            if (!f) continue;
            bool right = false;
            for (int q = 0; q < 2; q++)
                right |= fabs(f->objective - p->best[q]) <= 1e-4 * (1 + fabs(p->best[q]));
            if (!right)
                test_fail(__FILE__, __LINE__, "%s by %s: %.10g at (%g, %g)", p->objective,
                          f->method, f->objective, f->values[0], f->values[1]);
            fo_optimum_destroy(f);
        }
}

TEST(what_has_none)
{
    fo_message why = {0};
    const char *adjust[] = {"a=0..1", "b=0..1"}, *never[] = {"a + b >= 3"};
    fo_optimize_def def = define(numbers, adjust, 2, "a");
    def.subject = never, def.subject_count = 1, def.method = "descent";
    CHECK(!fo_optimum_create(&def, &why));
    CHECK_INT(why.status, FO_ERROR_CONVERGE);
    CHECK_CONTAINS(why.text, "meets the constraints");
    const char *open[] = {"a"};
    def = define(numbers, open, 1, "a"); // falls for ever
    def.method = "descent", def.max_runs = 500;
    CHECK(!fo_optimum_create(&def, &why));
    CHECK_INT(why.status, FO_ERROR_CONVERGE);
}

TEST(mistakes)
{
    static const struct {
        const char *adjust, *objective, *subject, *method, *says;
    } list[] = {
        {"a=0..1", "final(nothing)", NULL, NULL, "nothing"},
        {"nothing=0..1", "final(x)", NULL, NULL, "nothing"},
        {"a=0..1", "final(x)", "final(x)", NULL, "a constraint compares"},
        {"a=0,1", "final(x)", NULL, NULL, "bounds are written"},
        {"a=0..1", "final(x)", NULL, "magic", "there is no method"},
        {"a=0..1", "final(x)", "a <= 1", "bobyqa", "takes no constraints"},
        {"a", "final(x)", NULL, "line", "one parameter between bounds"},
        {"a", "final(x)", NULL, "isres", "needs bounds"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        const char *adjust[] = {list[i].adjust}, *subject[] = {list[i].subject};
        fo_optimize_def def = define(numbers, adjust, 1, list[i].objective);
        def.subject = subject, def.subject_count = list[i].subject != NULL;
        def.method = list[i].method;
        CHECK(!fo_optimum_create(&def, &why));
        CHECK_INT(why.status, FO_ERROR_ARGUMENT);
        CHECK_CONTAINS(why.text, list[i].says);
    }
}

TEST(memory_may_fail_anywhere)
{
    const char *adjust[] = {"v=0..10"}, *subject[] = {"final(y) <= 2"};
    bool done = false;
    for (long at = 1; at < 20000 && !done; at++) {
        test_memory memory;
        test_memory_init(&memory, at);
        fo_message why = {0};
        fo_optimize_def def = define(NULL, adjust, 1, "-final(y)");
        def.experiment.model.name = "ball", def.experiment.model.kind = NULL;
        def.experiment.model.allocator = &memory.allocator, def.experiment.stop = 0.1;
        def.subject = subject, def.subject_count = 1, def.method = "line", def.tolerance = 0.01;
        fo_optimum *f = fo_optimum_create(&def, &why);
        done = f != NULL;
        fo_optimum_destroy(f);
        CHECK_INT(memory.live, 0);
        CHECK_INT(done ? FO_ERROR_MEMORY : why.status, FO_ERROR_MEMORY);
    }
    CHECK(done);
}

TEST_MAIN(TEST_ENTRY(rosenbrock_by_all_methods), TEST_ENTRY(hock_and_schittkowski_71),
          TEST_ENTRY(known_optima), TEST_ENTRY(least_energy), TEST_ENTRY(through_a_bounce),
          TEST_ENTRY(slopes_from_equations), TEST_ENTRY(dominoes),
          TEST_ENTRY(history_and_interruption), TEST_ENTRY(what_has_none), TEST_ENTRY(mistakes),
          TEST_ENTRY(memory_may_fail_anywhere))
