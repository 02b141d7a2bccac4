// Rates with kinks and jumps that are no events (abs, min, max, sqrt of a square, noEvent) against
// their closed forms, with every method that chooses its steps: estimates of the error are made for
// smooth rates and can be deceived.
#include <foliot/language.h>
#include <foliot/program.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#ifndef SYSTEMS
#define SYSTEMS (test_is_sanitized() ? 4 : 24)
#endif

static const double PI = 3.14159265358979323846;
enum { TERMS = 3, STOP = 20 };

static const char *const solvers[] = {"bs23",      "rkf45",       "rke",   "rkn34",  "dp45",
                                      "rkv56",     "dop853",      "adams", "radau5", "rodas4",
#ifdef FOI_WITH_SUNDIALS
                                      "cvode-bdf", "cvode-adams",
#endif
                                      NULL};

// ------------------------------------------------------------------------------- the generator

typedef enum form { ABS, ROOT, MAX, MIN, STEP, SWING, LOBES, CUBE_ROOT, FORMS } form;

typedef struct term {
    form form;
    double c, s, w; ///< factor, place of the kink or phase, frequency
} term;

static double uniform(uint64_t *seed, double lo, double hi)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * (double)(*seed >> 11) * 0x1p-53;
}

static term random_term(uint64_t *seed)
{
    return (term){.form = (form)uniform(seed, 0, FORMS),
                  .c = uniform(seed, -2, 2),
                  .s = uniform(seed, 1, STOP - 1),
                  .w = uniform(seed, 0.5, 3)};
}

// The rate as text, a function of `t`, which is the time or a state that grows as it.
static void write_term(const term *q, const char *t, char *to, size_t size)
{
    static const char *const texts[] = {
        [ABS] = "abs(%s - %.17g)",
        [ROOT] = "sqrt((%s - %.17g)^2)",
        [MAX] = "max(%s - %.17g, 0)",
        [MIN] = "noEvent(min(%s, %.17g))",
        [STEP] = "noEvent(if %s > %.17g then 1 else 0)",
        [SWING] = "abs(cos(%.17g * %s))",
        [LOBES] = "max(sin(%.17g * %s), 0)",
        [CUBE_ROOT] = "abs(%s - %.17g)^(1 / 3)",
    };
    if (q->form == SWING || q->form == LOBES)
        snprintf(to, size, texts[q->form], q->w, t);
    else
        snprintf(to, size, texts[q->form], t, q->s);
}

// Its integral from 0 to t.
static double integral(const term *q, double t)
{
    double s = q->s, after = fmax(t - s, 0), w = q->w, n;
    switch (q->form) {
    case ABS:
    case ROOT: return t < s ? s * t - t * t / 2 : (s * s + after * after) / 2;
    case MAX: return after * after / 2;
    case MIN: return t < s ? t * t / 2 : s * s / 2 + s * after;
    case STEP: return after;
    case SWING: n = floor(w * t / PI + 0.5); return (2 * n + sin(w * t - n * PI)) / w;
    case LOBES:
        n = floor(w * t / (2 * PI));
        return (2 * n + 1 - cos(fmin(w * t - 2 * PI * n, PI))) / w;
    case CUBE_ROOT:
        return 0.75 * (pow(s, 4.0 / 3) + (t < s ? -pow(s - t, 4.0 / 3) : pow(after, 4.0 / 3)));
    default: return NAN;
    }
}

typedef struct kinked {
    term terms[TERMS];
    bool state;  ///< of a state that grows as the time does
    double size; ///< what the solution moves by, all terms of one sign
    double truth;
    char text[1024];
} kinked;

static void make(kinked *k, uint64_t seed)
{
    char rate[768] = "0", one[128];
    k->state = uniform(&seed, 0, 1) < 0.5, k->size = k->truth = 0;
    for (int i = 0; i < TERMS; i++) {
        const term *q = &k->terms[i];
        k->terms[i] = random_term(&seed);
        write_term(q, k->state ? "x" : "time", one, sizeof one);
        size_t used = strlen(rate);
        snprintf(rate + used, sizeof rate - used, " + (%.17g) * %s", q->c, one);
        k->truth += q->c * integral(q, STOP);
        k->size += fabs(q->c) * integral(q, STOP);
    }
    snprintf(k->text, sizeof k->text,
             "model K\n  Real x(start = 0, fixed = true);\n  Real z(start = 0, fixed = true);\n"
             "equation\n  der(x) = 1;\n  der(z) = %s;\nend K;\n",
             rate);
}

// -------------------------------------------------------------------------------------- runs

/// z at the stop; *status says how the run ended.
static double end_of(const char *text, const char *solver, fo_way way, double rtol, double stop,
                     fo_status *status)
{
    fo_message why = {0};
    double z = NAN;
    fo_text_model_def model_def = {.path = "kinks.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_run_def def = fo_default_run_def();
    fo_program_def as = fo_default_program_def();
    as.way = way;
    def.stop = stop, def.solver = solver, def.rtol = rtol, def.atol = 1e-3 * rtol;
    *status = model ? fo_program_run_as(fo_text_model_system(model), &as, &why) : FO_ERROR_INPUT;
    fo_simulation *sim =
        *status == FO_OK ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_reference which;
    if (sim) *status = fo_simulation_advance(sim, stop);
    if (sim && fo_system_find(fo_simulation_system(sim), "z", &which, NULL) == FO_OK)
        z = fo_simulation_value(sim, which);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return z;
}

// Within fifty tolerances, or, with one run in two hundred, ten thousand: nobody can know how large
// the error of a step over a kink is that its estimate hardly sees.
TEST(kinked_rates_agree_with_closed_forms)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    long runs = 0, beyond = 0;
    for (int i = 0; i < SYSTEMS; i++) {
        kinked k;
        make(&k, (uint64_t)i + 1);
        for (int s = 0; solvers[s]; s++) {
            double rtol = tolerances[(i + s) % 3], allowed = 50 * rtol * (k.size + 1e-3);
            fo_status status;
            double z = end_of(k.text, solvers[s], FO_WAY_BYTECODE, rtol, STOP, &status);
            runs++, beyond += !(fabs(z - k.truth) <= allowed);
            if (status != FO_REACHED || !(fabs(z - k.truth) <= 200 * allowed))
                test_fail(__FILE__, __LINE__, "%s at %g: %.15g, not %.15g (%.3g tolerances)\n%s",
                          solvers[s], rtol, z, k.truth, fabs(z - k.truth) / allowed * 50, k.text);
        }
    }
    CHECK(beyond <= runs / 200);
}

// Nothing that is known of the model tells that this one has kinks: only estimates do.
TEST(a_root_of_a_square_deceives_nobody)
{
    static const char text[] = "model R\n  Real x(start = 0, fixed = true);\n"
                               "  Real z(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
                               "  der(z) = sqrt(1 - sin(x)^2);\nend R;\n";
    term swing = {.form = SWING, .w = 1};
    double truth = integral(&swing, 60);
    for (int s = 0; solvers[s]; s++) {
        fo_status status;
        double z = end_of(text, solvers[s], FO_WAY_BYTECODE, 1e-6, 60, &status);
        CHECK(status == FO_REACHED);
        CHECK_NEAR(z, truth, 100e-6 * truth);
    }
}

// Strict steps are those of the solver, whoever takes the others.
TEST(every_way_of_running_gives_the_same_bits)
{
    static const fo_way ways[] = {FO_WAY_MEMORY, FO_WAY_NATIVE};
    for (int i = 0; i < (test_is_sanitized() ? 1 : 4); i++) {
        kinked k;
        fo_status status;
        make(&k, (uint64_t)i + 100);
        double z = end_of(k.text, "dp45", FO_WAY_BYTECODE, 1e-6, STOP, &status);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            fo_status other;
            double same = end_of(k.text, "dp45", ways[w], 1e-6, STOP, &other);
            if (other == FO_REACHED) CHECK(memcmp(&same, &z, sizeof z) == 0);
        }
    }
}

// In C nobody says that rates have kinks.
static fo_status swing_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s, (void)x;
    dx[0] = fabs(cos(t));
    return FO_OK;
}

TEST(kinks_of_a_c_function_are_noticed)
{
    static const fo_system_type type = {.kind = "C", .rates = swing_rates};
    static const fo_variable z = {.name = "z"};
    static const fo_description about = {.name = "swing", .states = {&z, 1}};
    fo_system system = {&type, &about, NULL};
    term swing = {.form = SWING, .w = 1};
    for (int s = 0; solvers[s]; s++) {
        fo_run_def def = fo_default_run_def();
        fo_message why = {0};
        def.stop = 50, def.solver = solvers[s], def.rtol = 1e-7, def.atol = 1e-10;
        fo_simulation *sim = fo_simulation_create(system, &def, &why);
        CHECK(sim != NULL);
        if (!sim) continue;
        CHECK_STATUS(fo_simulation_advance(sim, 50), FO_REACHED, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_state(sim)->x[0], integral(&swing, 50), 200e-7 * 32);
        fo_simulation_destroy(sim);
    }
}

TEST_MAIN(TEST_ENTRY(kinked_rates_agree_with_closed_forms),
          TEST_ENTRY(a_root_of_a_square_deceives_nobody),
          TEST_ENTRY(every_way_of_running_gives_the_same_bits),
          TEST_ENTRY(kinks_of_a_c_function_are_noticed))
