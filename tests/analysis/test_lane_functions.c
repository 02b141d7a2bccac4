// The functions of lanes against those of a run alone, to the bit, at many generated numbers: the
// rates of a model are the functions, of a state that stands still at the number. Another one makes
// steps short, of which all but the first and the last are taken in lanes.
#include <foliot/analysis.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { FUNCTIONS = 6, MOST = 4000 };

typedef struct set {
    const char *functions[FUNCTIONS]; ///< of s and the parameter q
    const char *vary[2];
    unsigned width; ///< of the lanes
    uint64_t count; ///< of numbers; 0: all of a grid
} set;

#define NEAR "(0.04908738521234052*s + q)" // a multiple of pi/64, or nearly so

static const set sets[] = {
    {{"sin(s)", "cos(s)", "sin(2*s)", "exp(s)", "tanh(s)", "atan(s)"}, {"s=-30..30"}, 8, 4000},
    {{"sin(s)", "cos(s)", "cos(-s)", "sin(-s)", "tanh(s)", "atan(s)"},
     {"s=log(1e-120..1e20)"},
     4,
     3000},
    {{"sin(s)", "cos(-s)", "sinh(0.001*s)", "cosh(0.001*s)", "sqrt(s + 70000)", "log(s + 70000)"},
     {"s=-66000..66000"},
     2,
     3000},
    {{"sin" NEAR, "cos" NEAR, "sin(-" NEAR ")", "cos(-" NEAR ")", "exp(q)", "tanh(q)"},
     {"s=-1000:1000:251", "q=log(1e-25:1e-2:11)"},
     8,
     0},
    {{"(s + 3)^0.37", "noEvent(abs(s))^3", "(s + 3)^q", "atan2(s, q - 500)", "q^2*s^4",
      "noEvent(max(s, min(q, 0.5)))"},
     {"s=-3..3", "q=log(0.1..1000)"},
     4,
     1500},
    {{"noEvent(floor(s))", "noEvent(ceil(q*s))", "noEvent(mod(s, 0.7))", "noEvent(sign(s))*s",
      "asin(0.3*s)", "acos(0.3*s) + tan(s)"},
     {"s=-3..3", "q=-9..9"},
     8,
     500},
};

typedef struct table {
    double rows[MOST][FUNCTIONS];
    fo_status status[MOST];
    uint64_t count, failed;
    fo_message why;
} table;

static fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    table *t = self;
    (void)why;
    if (t->count >= MOST) return FO_ERROR_MEMORY;
    memcpy(t->rows[t->count], row->measures, sizeof t->rows[0]);
    t->failed += row->status != FO_OK;
    t->status[t->count++] = row->status;
    return FO_OK;
}

static void write(const set *s, char *text, size_t size)
{
    char *at = text, *end = text + size;
    at +=
        snprintf(at, (size_t)(end - at),
                 "model F parameter Real q = 1; Real s(start = 1, fixed = true);\n"
                 "Real x[%d](each start = 0, each fixed = true); Real c(start = 0, fixed = true);\n"
                 "equation der(s) = 0; der(c) = cos(40*time);\n",
                 FUNCTIONS);
    for (int i = 0; i < FUNCTIONS; i++)
        at += snprintf(at, (size_t)(end - at), "der(x[%d]) = %s;\n", i + 1, s->functions[i]);
    snprintf(at, (size_t)(end - at), "end F;");
}

static fo_status run(const set *s, const char *text, unsigned lanes, table *t)
{
    static const char *const measures[] = {"final(x[1])", "final(x[2])", "final(x[3])",
                                           "final(x[4])", "final(x[5])", "final(x[6])"};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = 0.5;
    def.experiment.solver = "dp45", def.experiment.max_steps = 2000;
    def.vary = s->vary, def.vary_count = s->vary[1] ? 2 : 1;
    def.measures = measures, def.measure_count = FUNCTIONS;
    def.design = s->count ? FO_DESIGN_RANDOM : FO_DESIGN_GRID;
    def.samples = (uint64_t)test_count(500, (int)s->count);
    def.threads = 1, def.row = take, def.self = t, def.lanes = lanes;
    fo_parameter_sweep *sweep = fo_parameter_sweep_create(&def, &t->why);
    fo_status status = sweep ? fo_parameter_sweep_run(sweep, 0, &t->why) : t->why.status;
    fo_parameter_sweep_destroy(sweep);
    return status;
}

TEST(bits_of_functions)
{
    static table alone, together;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const set *s = &sets[k];
        char text[2000];
        write(s, text, sizeof text);
        alone.count = alone.failed = together.count = together.failed = 0;
        CHECK_STATUS(run(s, text, 0, &alone), FO_OK, &alone.why);
        if (!alone.count || alone.failed > alone.count / 4)
            test_fail(__FILE__, __LINE__, "%d of set %d fail", (int)alone.failed, (int)k);
        fo_status status = run(s, text, s->width, &together);
        if (status == FO_ERROR_UNFIT && strstr(together.why.text, "no C compiler")) return;
        CHECK_STATUS(status, FO_OK, &together.why);
        CHECK_INT((long long)together.count, (long long)alone.count);
        long differ = 0;
        for (uint64_t i = 0; i < alone.count && i < together.count; i++)
            differ += together.status[i] != alone.status[i] ||
                      (alone.status[i] == FO_OK &&
                       memcmp(alone.rows[i], together.rows[i], sizeof alone.rows[i]) != 0);
        CHECK_INT(differ, 0);
    }
}

TEST_MAIN(TEST_ENTRY(bits_of_functions))
