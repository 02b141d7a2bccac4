// Crossings of what an algebraic loop gives: y + c g(y) = x(t) with g that rises is above a where x
// is above a + c g(a). Each is one moment: that the loop is solved a unit in the last place off,
// when it begins elsewhere, makes no second one of it.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>

#include "test.h"

typedef struct wave {
    double c, a, size, w;
    int kind;
} wave;

static uint64_t seed_of;

// With few digits, so that the text has the same number.
static double between(double lo, double hi)
{
    seed_of = seed_of * 6364136223846793005u + 1442695040888963407u;
    double u = (double)(seed_of >> 11) * 0x1p-53;
    return round((lo + u * (hi - lo)) * 1e4) / 1e4;
}

static double left_side(const wave *m, double y)
{
    switch (m->kind) {
    case 0: return y - m->c * exp(-y);
    case 1: return y + m->c * atan(y);
    case 2: return y + m->c * tanh(2 * y);
    default: return y + m->c * y * y * y;
    }
}

static int truth_of(const wave *m, double stop)
{
    enum { LOOKS = 40000 };
    double level = left_side(m, m->a);
    int count = 0;
    bool was = 0 > level;
    for (int i = 1; i <= LOOKS; i++) {
        double t = stop * i / LOOKS;
        bool is = m->size * sin(m->w * t) + 0.3 * t > level;
        count += is != was, was = is;
    }
    return count;
}

typedef struct heard {
    int guards;
} heard;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    (void)why;
    ((heard *)self)->guards += m->kind == FO_GUARD;
    return FO_OK;
}

static double number_of(fo_simulation *sim, const char *name)
{
    fo_reference which;
    if (fo_system_find(fo_simulation_system(sim), name, &which, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, which);
}

static int try_wave(const wave *m, uint64_t seed)
{
    static const char *const sums[] = {"y - c*exp(-y)", "y + c*atan(y)", "y + c*tanh(2*y)",
                                       "y + c*y^3"};
    static const char *const solvers[] = {NULL, "dp45", "radau5", "bs23", "dop853", "rodas4"};
    const double stop = 4;
    char text[600];
    snprintf(text, sizeof text,
             "model M\n  constant Real c = %.4f;\n  Real y(start = 0.5), x(start = 0, fixed = "
             "true);\n  Integer n(start = 0, fixed = true);\n  Boolean b;\nequation\n  %s = x;\n"
             "  der(x) = %.17g*cos(%.4f*time) + 0.3;\n  b = y > %.4f;\n  when change(b) then\n"
             "    n = pre(n) + 1;\n  end when;\nend M;\n",
             m->c, sums[m->kind], m->size * m->w, m->w, m->a);
    fo_message why = {0};
    fo_text_model_def of = {.path = "wave.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&of, &why);
    heard h = {0};
    fo_observer observer = {.self = &h, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solvers[seed % 6];
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    int truth = truth_of(m, stop), twice = 0;
    if (!sim || fo_simulation_advance(sim, stop) != FO_REACHED) {
        test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed,
                  sim ? fo_simulation_message(sim)->text : why.text);
    } else {
        CHECK_INT((int)number_of(sim, "n"), truth);
        twice = h.guards - truth;
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return twice;
}

// Where a state that moves fast is near zero as well, rounding errors of its instant are larger
// than its own, and one in some thousand crossings is told of twice: the second time nothing
// happens.
TEST(a_crossing_behind_a_loop_is_one_moment)
{
    int count = test_inputs(300, 20000), twice = 0;
    for (int i = 0; i < count; i++) {
        seed_of = (uint64_t)i * 0x9e3779b97f4a7c15u + 1;
        wave m = {.kind = i % 4};
        m.c = between(0.3, 3), m.a = between(-0.5, 1.5);
        m.size = between(0.5, 2), m.w = between(2, 9);
        twice += try_wave(&m, (uint64_t)i) != 0;
    }
    if (twice * 200 > count) test_fail(__FILE__, __LINE__, "%d of %d", twice, count);
}

TEST_MAIN(TEST_ENTRY(a_crossing_behind_a_loop_is_one_moment))
