// Measures of expressions with poles at generated places: where one is passed there is no largest
// or least value, and no number is given, however weak the pole is; peaks that only come near are
// found to all digits, and so are values beside which the bounds are infinite, as of sin(z) / z.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { MOST = 16, LONG = 200 };
static const double END = 3;

typedef struct question {
    char measure[LONG];
    bool known;
    double value, within; ///< of the value
} question;

typedef struct exam {
    question list[MOST];
    const char *measures[MOST];
    size_t count;
    fo_random r;
    char z[80];       ///< an expression that is zero within the run, once
    double low, high; ///< of it
} exam;

static double pick(exam *e, double from, double to)
{
    return from + (to - from) * (double)fo_random_below(&e->r, 1000001) / 1000000;
}

// s = t, x = cos t, y = x + 2 s: each is monotonic within the run.
static void choose(exam *e)
{
    double c = pick(e, 0.3, 2.7);
    double signals[] = {c, cos(c), cos(c) + 2 * c, c * c};
    double ends[][2] = {{0, END}, {1, cos(END)}, {1, cos(END) + 2 * END}, {0, END * END}};
    static const char *const names[] = {"s", "x", "y", "time^2"};
    size_t which = fo_random_below(&e->r, 4);
    double at = signals[which];
    snprintf(e->z, sizeof e->z, "(%s - (%.17g))", names[which], at);
    e->low = fmin(ends[which][0], ends[which][1]) - at;
    e->high = fmax(ends[which][0], ends[which][1]) - at;
}

__attribute__((format(printf, 4, 5))) static void ask(exam *e, bool known, double value,
                                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    question *q = &e->list[e->count];
    vsnprintf(q->measure, sizeof q->measure, format, list);
    va_end(list);
    q->known = known, q->value = value, q->within = 1e-6;
    e->measures[e->count++] = q->measure;
}

static void fill(exam *e)
{
    const char *z = e->z;
    double a = pick(e, 0.5, 3), order = pick(e, 0.05, 4), gap = pow(10, pick(e, -12, -1));
    choose(e);
    ask(e, false, 0, "max(%.6f/%s)", a, z);
    ask(e, false, 0, "min(%.6f/%s)", a, z);
    ask(e, false, 0, "max(%.6f/%s^2)", a, z);
    ask(e, false, 0, "min(%.6f/%s^3)", -a, z);
    ask(e, false, 0, "max(abs(%s)^(-%.6f))", z, order);
    ask(e, false, 0, "min(s - %.6f/abs(sin(%s)))", a, z);
    ask(e, false, 0, "max(1/tanh(%s))", z);
    ask(e, false, 0, "min(%.6f + log(abs(%s)))", 9 * a, z);
    ask(e, false, 0, "max(-log(abs(%s)*%.6f))", z, a);
    ask(e, false, 0, "integral(%.6f/%s)", a, z);
    ask(e, false, 0, "mean(1/%s^2)", z);
    ask(e, true, a / gap, "max(%.17g/(%s^2 + %.17g))", a, z, gap);
    ask(e, true, -a / gap, "min(%.17g/(abs(%s) + %.17g))", -a, z, gap);
    e->list[e->count - 1].within += 2e-14 / gap; // what z is known to
    ask(e, true, 1, "max(sin(%s)/%s)", z, z);
    double far = fmax(-e->low, e->high);
    ask(e, true, log(far), "max(log(abs(%s)))", z);
    ask(e, true,
        fmin(e->low * exp(-1) < 0 && e->high > exp(-1) ? -exp(-1) : e->high * log(e->high),
             -e->low > 1 ? e->low * log(-e->low) : 0),
        "min(%s*log(abs(%s)))", z, z);
}

static fo_status check(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    const exam *e = self;
    (void)why;
    CHECK_INT(row->status, FO_OK);
    for (size_t i = 0; i < e->count && row->status == FO_OK; i++) {
        const question *q = &e->list[i];
        double got = row->measures[i];
        bool right = q->known ? fabs(got - q->value) <= q->within * fabs(q->value) : isnan(got);
        // an expression that is infinite at a double that the run meets has no value either
        if (!right && !(q->known && isnan(got) && strstr(q->measure, "log")))
            test_fail(__FILE__, __LINE__, "%s is %.17g, expected %.17g: %s", q->measure, got,
                      q->known ? q->value : NAN, row->reason);
    }
    return FO_OK;
}

TEST(generated_poles)
{
    static const char text[] =
        "model P parameter Real k = 1; Real s(start = 0, fixed = true), x(start = 1, fixed = true),"
        " v(start = 0, fixed = true); output Real y;\n"
        "equation der(s) = 1; der(x) = v; der(v) = -x; y = x + 2*s; end P;";
    static const char *const vary[] = {"k=1"};
    for (uint64_t seed = 0; seed < (uint64_t)test_count(6, 25); seed++) {
        static exam e;
        e = (exam){.r = fo_random_stream(81, seed)};
        fill(&e);
        fo_message why = {0};
        fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
        def.experiment.model.name = "model.mo", def.experiment.model.text = text;
        def.experiment.model.kind = "text", def.experiment.stop = END;
        def.experiment.rtol = 1e-11, def.experiment.atol = 1e-13;
        def.vary = vary, def.vary_count = 1, def.measures = e.measures, def.measure_count = e.count;
        def.threads = 1, def.row = check, def.self = &e;
        fo_parameter_sweep *s = fo_parameter_sweep_create(&def, &why);
        CHECK_STATUS(s ? fo_parameter_sweep_run(s, 0, &why) : why.status, FO_OK, &why);
        fo_parameter_sweep_destroy(s);
    }
}

TEST_MAIN(TEST_ENTRY(generated_poles))
