// Measures of curves with closed forms: sums of waves, exponentials and peaks of any width, at any
// scale of time and size, with samples that change nothing; and fields that stay empty.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { MOST_MEASURES = 8 };

typedef struct seen {
    size_t count;
    double values[MOST_MEASURES];
    fo_status status;
    char reason[FO_MESSAGE_SIZE];
    bool sampled[MOST_MEASURES];
} seen;

static fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->status = row->status;
    memcpy(s->values, row->measures, s->count * sizeof *s->values);
    snprintf(s->reason, sizeof s->reason, "%s", row->reason);
    return FO_OK;
}

static fo_parameter_sweep_def define(const char *text, double stop)
{
    static const char *const vary[] = {"q=1"};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = stop;
    def.vary = vary, def.vary_count = 1, def.threads = 1, def.row = take;
    return def;
}

static seen run(fo_parameter_sweep_def *def, const char *const *measures, size_t count)
{
    seen got = {.count = count, .status = FO_ERROR_ARGUMENT};
    fo_message why = {0};
    def->measures = measures, def->measure_count = count, def->self = &got;
    fo_parameter_sweep *sweep = fo_parameter_sweep_create(def, &why);
    CHECK_STATUS(sweep ? fo_parameter_sweep_run(sweep, 0, &why) : why.status, FO_OK, &why);
    for (size_t i = 0; sweep && i < count; i++)
        got.sampled[i] = fo_parameter_sweep_is_sampled(sweep, i);
    fo_parameter_sweep_destroy(sweep);
    return got;
}

static seen measure(const char *text, double stop, const char *const *measures, size_t count)
{
    fo_parameter_sweep_def def = define(text, stop);
    return run(&def, measures, count);
}

static double pick(fo_random *r, double from, double to)
{
    return from + (to - from) * (double)fo_random_below(r, 1000001) / 1000000;
}

// a peak of height a and width w at c, of a time unit and a size of its own:
// integral a w sqrt(pi), that of its square a^2 w sqrt(pi/2)
TEST(peaks_are_found)
{
    static const char *const measures[] = {"max(y)", "integral(y)", "rms(y)", "min(-2*y)",
                                           "mean(y)"};
    static char text[1024];
    for (uint64_t seed = 0; seed < 60; seed++) {
        fo_random r = fo_random_stream(21, seed);
        double unit = pow(10, (double)fo_random_below(&r, 19) - 9);
        double size = pow(10, (double)fo_random_below(&r, 25) - 12),
               w = pow(10, pick(&r, -6, -1.2));
        double c = pick(&r, 0.4, 0.6), a = pick(&r, 0.5, 2) * size, root = sqrt(acos(-1.0));
        snprintf(text, sizeof text,
                 "model M parameter Real q = 0; Real x(start = 0, fixed = true); output Real y;\n"
                 "discrete Integer k(start = 0, fixed = true);\n"
                 "equation der(x) = %.17g; y = %.17g*exp(-((x - %.17g)/%.17g)^2);\n"
                 "when sample(%.17g, %.17g) then k = pre(k) + 1; end when; end M;",
                 1 / unit, a, c, w, 0.3 * unit, (seed % 2 ? 0.3 : 7) * unit);
        const double truth[] = {a, a * w * root * unit, a * sqrt(w * root / sqrt(2)), -2 * a,
                                a * w * root};
        const double scale[] = {a, a * unit, a, 2 * a, a};
        seen got = measure(text, unit, measures, 5);
        CHECK_INT(got.status, FO_OK);
        for (int i = 0; i < 5; i++)
            if (!(fabs(got.values[i] - truth[i]) <= 1e-9 * scale[i]) || got.sampled[i])
                test_fail(__FILE__, __LINE__, "%s is %.12g, not %.12g: %s", measures[i],
                          got.values[i], truth[i], text);
    }
}

// What samples do to the steps must not keep a smooth integral from being known.
TEST(integrals_between_samples)
{
    static const char *const measures[] = {"integral(x^2)", "mean(x)", "rms(x)", "max(x)"};
    static char text[512];
    double w = 3, T = 10, square = T / 2 - sin(2 * w * T) / (4 * w);
    for (int i = 0; i < 24; i++) {
        snprintf(text, sizeof text,
                 "model M parameter Real q = 0; Real x(start = 0, fixed = true); Boolean up;\n"
                 "discrete Integer k(start = 0, fixed = true); equation der(x) = 3*cos(3*time);\n"
                 "up = x > 0.5; when sample(%g, %g) then k = pre(k) + 1; end when; end M;",
                 0.05 * (i + 1), 0.05 * (i + 1));
        fo_parameter_sweep_def def = define(text, T);
        def.experiment.rtol = 1e-10, def.experiment.atol = 1e-12;
        seen got = run(&def, measures, 4);
        CHECK_INT(got.status, FO_OK);
        CHECK_TEXT(got.reason, "");
        CHECK_NEAR(got.values[0], square, 1e-7);
        CHECK_NEAR(got.values[1], (1 - cos(w * T)) / w / T, 1e-7);
        CHECK_NEAR(got.values[2], sqrt(square / T), 1e-7);
        CHECK_NEAR(got.values[3], 1, 1e-7);
    }
}

// A damped oscillation from 0 to 1: overshoot exp(-z pi / sqrt(1 - z^2)), and the last time outside
// of the band by its envelope's neighbour, found by bisection here.
static double response(double z, double t)
{
    double d = sqrt(1 - z * z);
    return 1 - exp(-z * t) * (cos(d * t) + z / d * sin(d * t));
}

TEST(steps_of_second_order)
{
    static const char *const measures[] = {"overshoot(y)", "settling(y, 0.05)", "max(abs(y - 1))"};
    static char text[512];
    for (int i = 1; i < 10; i++) {
        double z = 0.08 * i, stop = 60 / z, end = response(z, stop), a = 0, b = stop;
        snprintf(text, sizeof text,
                 "model M parameter Real q = 0; output Real y; equation\n"
                 "y = 1 - exp(-%.17g*time)*(cos(%.17g*time) + %.17g*sin(%.17g*time)); end M;",
                 z, sqrt(1 - z * z), z / sqrt(1 - z * z), sqrt(1 - z * z));
        for (double t = stop; t > 0; t -= 1e-3)
            if (fabs(response(z, t) - end) > 0.05 * end) {
                a = t, b = t + 1e-3;
                break;
            }
        for (int k = 0; k < 60; k++) {
            double m = 0.5 * (a + b);
            if (fabs(response(z, m) - end) > 0.05 * end)
                a = m;
            else
                b = m;
        }
        seen got = measure(text, stop, measures, 3);
        CHECK_INT(got.status, FO_OK);
        CHECK_NEAR(got.values[0], exp(-z * acos(-1.0) / sqrt(1 - z * z)), 1e-9);
        CHECK_NEAR(got.values[1], b, 1e-9 * stop);
        CHECK_NEAR(got.values[2], 1, 1e-12);
    }
}

// Jumps and kinks in the expression, and a tail that is smaller than any double with all digits.
TEST(what_is_not_smooth)
{
    static const char *const measures[] = {"mean(x > 0.3)", "integral(abs(x - 0.7))",
                                           "max(min(x, 0.25))", "integral(y)", "max(y)"};
    seen got = measure("model M parameter Real q = 0; Real x(start = 0, fixed = true);\n"
                       "output Real y; equation der(x) = 1; y = exp(-((x - 0.9)/0.01)^2); end M;",
                       1, measures, 5);
    CHECK_INT(got.status, FO_OK);
    CHECK_NEAR(got.values[0], 0.7, 1e-9);
    CHECK_NEAR(got.values[1], 0.29, 1e-9);
    CHECK_NEAR(got.values[2], 0.25, 0);
    CHECK_NEAR(got.values[3], 0.01 * sqrt(acos(-1.0)), 1e-11);
    CHECK_NEAR(got.values[4], 1, 1e-12);
}

TEST(empty_fields_have_reasons)
{
    static const char text[] =
        "model M parameter Real q = 0; Real x(start = -1, fixed = true); equation der(x) = 1;\n"
        "when x > 5 then terminate(\"over\"); end when; end M;";
    static const struct {
        const char *measure, *says;
        double stop;
    } list[] = {
        {"at(x, 2)", "at(x, 2): the run ends at t = 1, before t = 2", 1},
        {"at(x, 7)", "before t = 7", 9},
        {"at(x, -1)", "begins at t = 0", 1},
        {"first(\"x > 5\")", "'x > 5' has not happened", 1},
        {"overshoot(x - x)", "it ends where it began", 1},
        {"max(sqrt(x))", "is not a number at t = 0", 1},
        {"1/final(x - x)", "1/final(x - x): it is not a number", 1},
        {"max(1/(x + 0.5))", "has no bound near t = 0.5", 1},
        {"integral(1/(x + 0.5))", "has no bound near t = 0.5", 1},
        {"integral(1/(x + 0.5)^2)", "has no bound near t = 0.5", 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const char *measures[] = {"final(x)", list[i].measure};
        seen got = measure(text, list[i].stop, measures, 2);
        CHECK_INT(got.status, FO_OK);
        CHECK(isfinite(got.values[0]) && isnan(got.values[1]));
        CHECK_CONTAINS(got.reason, list[i].says);
    }
    // what is bounded all the same has a value
    const char *measures[] = {"max(sin(x + 0.5)/(x + 0.5))"};
    seen got = measure(text, 1, measures, 1);
    CHECK_TEXT(got.reason, "");
    CHECK_NEAR(got.values[0], 1, 1e-6);
}

// What diverges has no number; nor has a settling time that bounds leave open, here because the
// same is added and taken off: a peak at 0.8837 settles late.
TEST(what_is_not_known_is_not_said)
{
    static const char text[] = "model M parameter Real q = 0; Real x(start = 0, fixed = true); "
                               "equation der(x) = 1; end M;";
    static const char *const diverge[] = {
        "integral(1/(x - 0.1105))",
        "mean(1/abs(x - 0.1105))",
        "mean(tan(3*x))",
        "integral(1/(x - 0.5354))",
        "max(tan(3*x))",
        "settling(1e5*x - 1e5*x + min(1, 20*x) + exp(-(100*(x - 0.8837))^2))"};
    for (size_t i = 0; i < FO_COUNT(diverge); i++)
        CHECK(isnan(measure(text, 1, &diverge[i], 1).values[0]));
    const char *known[] = {"settling(min(1, 20*x) + exp(-(100*(x - 0.8837))^2))"};
    CHECK_NEAR(measure(text, 1, known, 1).values[0], 0.8837 + sqrt(log(50)) / 100, 1e-9);
}

// A size that is varied changes where variables are: they are found by their names.
TEST(variables_of_other_sizes)
{
    static const char text[] =
        "model M parameter Integer n = 2; Real z[n](each start = 1, each fixed = true);\n"
        "Real y(start = 5, fixed = true); equation for i in 1:n loop der(z[i]) = -i*z[i]; end "
        "for;\n"
        "der(y) = -y; end M;";
    const char *measures[] = {"final(y)", "final(z[1])"};
    static const char *const sizes[] = {"n=1", "n=2", "n=5"};
    for (size_t i = 0; i < FO_COUNT(sizes); i++) {
        fo_parameter_sweep_def def = define(text, 1);
        def.vary = &sizes[i];
        seen got = run(&def, measures, 2);
        CHECK_NEAR(got.values[0], 5 * exp(-1), 1e-5);
        CHECK_NEAR(got.values[1], exp(-1), 1e-5);
    }
}

// A world's outputs have no bounds: that is said. Its means are those of what stands between its
// moments: of all customers in a queue without arrivals, none.
TEST(without_bounds)
{
    const char *vary[] = {"arrivals=0.5"}, *measures[] = {"mean(waiting)", "max(waiting)"};
    fo_parameter_sweep_def def = define(NULL, 2000);
    def.experiment.model = fo_default_model_def();
    def.experiment.model.name = "mm1", def.vary = vary;
    seen got = run(&def, measures, 2);
    CHECK_INT(got.status, FO_OK);
    CHECK(got.sampled[0] && got.sampled[1]);
    CHECK(got.values[0] > 0.2 && got.values[0] < 1 && got.values[1] == floor(got.values[1]));
    static const char text[] =
        "model M parameter Real q = 0; Real x(start = 1, fixed = true); equation der(x) = -x; "
        "end M;";
    // states that are chosen on the way
    static const char pendulum[] =
        "model P parameter Real q = 0; Real x(start = 1, fixed = true); Real y(start = 0);\n"
        "Real vx; Real vy(start = 0, fixed = true); Real F; output Real energy; equation\n"
        "der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;\n"
        "energy = (vx^2 + vy^2)/2 + 9.81*y; end P;";
    const char *of_pendulum[] = {"max(energy)", "mean(energy)", "min(x)"};
    got = measure(pendulum, 3, of_pendulum, 3);
    CHECK_INT(got.status, FO_OK);
    CHECK_NEAR(got.values[0], 0, 1e-3);
    CHECK_NEAR(got.values[1], 0, 1e-3);
    CHECK_NEAR(got.values[2], -1, 1e-5);
    const char *known[] = {"mean(x)"};
    got = measure(text, 1, known, 1);
    CHECK(!got.sampled[0]);
}

TEST_MAIN(TEST_ENTRY(what_is_not_known_is_not_said), TEST_ENTRY(variables_of_other_sizes),
          TEST_ENTRY(peaks_are_found), TEST_ENTRY(integrals_between_samples),
          TEST_ENTRY(steps_of_second_order), TEST_ENTRY(what_is_not_smooth),
          TEST_ENTRY(empty_fields_have_reasons), TEST_ENTRY(without_bounds))
