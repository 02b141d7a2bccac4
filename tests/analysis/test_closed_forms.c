// Ten derivatives through events that are known in closed form (computed with 39 digits): the
// times of bounces and their limit, states after impacts, switches at times and states that move,
// jumps that depend on when they happen, sliding, and rest.
#include <foliot/analysis.h>
#include <math.h>

#include "test.h"

static const char ball[] =
    "model Ball parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = 0, fixed "
    "= true);\n"
    "equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end when; end "
    "Ball;";
static const char timed[] = "model T parameter Real a = 0.7; Real x(start = 1, fixed = true);\n"
                            "equation der(x) = if time < a then -x else -3*x; end T;";
static const char switched[] =
    "model S parameter Real p = 0.5; Real x(start = 0, fixed = true); discrete Boolean on(start = "
    "false, fixed = true);\n"
    "equation der(x) = if on then -2*x else 1; when x >= p then on = true; end when; end S;";
static const char reset[] =
    "model R parameter Real p = 0.3; Real x(start = 1, fixed = true); discrete Real k(start = 0, "
    "fixed = true);\n"
    "equation der(x) = -x; when x <= 0.5 and pre(k) < 0.5 then reinit(x, p + time); k = 1; end "
    "when; end R;";
static const char impact[] =
    "model I parameter Real w = 3; Real x(start = 1, fixed = true); Real v(start = 0, fixed = "
    "true);\n"
    "equation der(x) = v; der(v) = -w^2*x; when x <= 0 then reinit(v, -0.6*pre(v)); end when; end "
    "I;";
static const char slides[] = "model L parameter Real q = 0.6; Real x(start = 0, fixed = true);\n"
                             "equation der(x) = 1 - 2*(if x > q then 1 else -1); end L;";
static const char block[] =
    "model B parameter Real mu = 0.3; Real x(start = 0, fixed = true); Real v(start = 2, fixed = "
    "true);\n"
    "equation der(x) = v; der(v) = -mu*9.81*(if v > 0 then 1 else -1); end B;";

typedef struct known {
    const char *text, *to, *measure;
    double stop, value, within; ///< by its size, or of zero by 1
    bool exact;                 ///< from the equations alone
} known;

static const known forms[] = {
    {ball, "e", "last(h <= 0)", 1.8, 1.10600252721866, 1e-10, true},
    {ball, "e", "last(h <= 0)", 2.4, 2.87560657076852, 1e-10, true},
    {ball, "e", "last(h <= 0)", 3.3, 7.26422459877217, 1e-10, true},
    {ball, "e", "final(h)", 2, 7.13958525125427, 1e-10, true},
    {ball, "e", "final(v)", 2, 19.5297926256271, 1e-10, true},
    {ball, "h", "final(h)", 2, 1.62987557538, 1e-10, true},
    {ball, "e", "last(h <= 0)", 12, 27.6500631804666, 1e-7, false},
    {timed, "a", "final(x)", 2, 0.0201036714892672, 1e-8, true},
    {switched, "p", "final(x)", 2, 0.0995741367357279, 1e-8, true},
    {reset, "p", "final(x)", 2, 0.270670566473225, 1e-8, true},
    {reset, "x", "final(x)", 2, 0.539486276426672, 1e-8, true},
    {impact, "w", "final(x)", 0.9, 0.230785135326268, 1e-8, true},
    {slides, "q", "final(x)", 2, 1, 1e-8, false},
    {slides, "x", "final(x)", 2, 0, 1e-8, false},
    {block, "mu", "final(x)", 2, -2.26526220410012, 1e-8, false},
    {block, "mu", "final(v)", 2, 0, 1e-8, false},
};

TEST(ten_closed_forms)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const known *k = &forms[i];
        fo_message why = {0};
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
        def.experiment.model.text = k->text, def.experiment.stop = k->stop;
        def.to = &k->to, def.to_count = 1, def.measures = &k->measure, def.measure_count = 1;
        fo_sensitivity *s = fo_sensitivity_create(&def, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        double size = k->value != 0 ? fabs(k->value) : 1;
        CHECK(s->exact[0] == k->exact);
        CHECK_INT((long long)s->unsettled, 0);
        CHECK_NEAR(s->derivatives[0], k->value, k->within * size);
        CHECK(fabs(s->derivatives[0] - k->value) <= 10 * s->errors[0] + 1e-9 * size);
        fo_sensitivity_destroy(s);
    }
}

TEST_MAIN(TEST_ENTRY(ten_closed_forms))
