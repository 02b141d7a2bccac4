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
        CHECK_NEAR(s->derivatives[0], list[i].value, 1e-5 * list[i].value);
        CHECK(fabs(s->derivatives[0] - list[i].value) < 10 * s->errors[0] + 1e-9);
        fo_sensitivity_destroy(s);
    }
}

// How often it bounces jumps with e: there is no derivative, and none is given.
TEST(what_has_no_derivative)
{
    fo_message why = {0};
    double last = sqrt(3 / 9.81) * (1 + 2 * 0.8); // the second bounce is just at the stop
    CHECK(!compute(ball, "e", "count(h <= 0)", last, 0, 1, &why));
    CHECK_INT(why.status, FO_ERROR_CONVERGE);
    CHECK_CONTAINS(why.text, "does not settle");
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

TEST_MAIN(TEST_ENTRY(through_events), TEST_ENTRY(what_has_no_derivative), TEST_ENTRY(ishigami))
