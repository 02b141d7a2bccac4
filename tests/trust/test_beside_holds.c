// What is beside something that rests or slides, and has nothing to do with it: its rows show the
// values of their instants, what is undefined for a while ends the run there, and what is defined
// everywhere does not.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

/// What is held from some instant on, before 0.4 s.
static const struct {
    const char *name, *declarations, *equations;
} holds[] = {
    {"a slide", "Real s(start = 0.3, fixed = true);", "der(s) = if s > 0 then -1 else 1;"},
    {"two slides", "Real s(start = 0.3, fixed = true), r(start = -0.1, fixed = true);",
     "der(s) = if s > 0 then -1 else 1; der(r) = 0.2 - (if r > 0 then 1 else -1);"},
    {"a block that sticks", "Real s(start = 0, fixed = true), w(start = 0.5, fixed = true);",
     "der(s) = w; der(w) = 0.2*sin(time) - (if w > 0 then 2 else -2);"},
    {"a rest", "Real s(start = 0.01, fixed = true), w(start = 0, fixed = true);",
     "der(s) = w; der(w) = -9.81; when s < 0 then reinit(w, -0.3*pre(w)); end when;"},
    {"nothing", "", ""},
};
static const char *const solvers[] = {"dp45", "dop853", "radau5", "rodas4", "cvode-bdf", "adams"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static fo_text_model *open_beside(size_t hold, const char *declarations, const char *equations)
{
    char text[1200];
    fo_message why = {0};
    snprintf(text, sizeof text, "model M\n  %s\n  %s\nequation\n  %s\n  %s\nend M;\n",
             holds[hold].declarations, declarations, holds[hold].equations, equations);
    fo_text_model_def def = {.path = "beside.mo", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    if (!m) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
    return m;
}

// -------------------------------------------------------------------------------------- rows

/// Counted rows, and wrong ones.
typedef struct witness {
    fo_reference signals[4]; ///< time, n, y, u
    long rows, wrong, after;
} witness;

static fo_status row(void *self, const fo_row *r, fo_message *why)
{
    witness *w = self;
    (void)why;
    double n = r->values[1];
    bool right = r->values[2] == n + 0.25 && r->values[3] == n * r->values[0];
    w->rows++, w->wrong += !right, w->after += r->kind == FO_ROW_AFTER;
    return FO_OK;
}

static void check_rows(size_t hold, const char *solver, uint64_t seed)
{
    char equations[400];
    uint64_t s = seed * 7919 + 5;
    double first = 0.05 + chance(&s), period = 0.1 + chance(&s), level = 0.2 + chance(&s);
    snprintf(equations, sizeof equations,
             "y = n + 0.25; u = n*time; der(z) = 1;\n"
             "  when {sample(%.17g, %.17g), z > %.17g} then n = pre(n) + 1; end when;",
             first, period, level);
    fo_text_model *m = open_beside(
        hold, "Real z(start = 0, fixed = true), y, u; Integer n(start = 0, fixed = true);",
        equations);
    if (!m) return;
    witness w = {.signals = {{FO_TIME, 0}}};
    fo_system system = fo_text_model_system(m);
    CHECK(fo_system_find(system, "n", &w.signals[1], NULL) == FO_OK);
    CHECK(fo_system_find(system, "y", &w.signals[2], NULL) == FO_OK);
    CHECK(fo_system_find(system, "u", &w.signals[3], NULL) == FO_OK);
    fo_observer who = {
        .self = &w, .row = row, .interval = 0.17, .signals = w.signals, .signal_count = 4};
    fo_run_def def = fo_default_run_def();
    def.stop = 2.5, def.solver = solver, def.observers = &who, def.observer_count = 1;
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    CHECK(sim && fo_simulation_advance(sim, 2.5) == FO_REACHED);
    long moments = 1 + (long)floor((2.5 - first) / period);
    if (w.wrong || w.after < moments)
        test_fail(__FILE__, __LINE__,
                  "beside %s, %s, seed %llu: %ld of %ld rows are wrong, %ld after",
                  holds[hold].name, solver, (unsigned long long)seed, w.wrong, w.rows, w.after);
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
}

TEST(rows_after_a_jump_show_what_it_has_made)
{
    for (int seed = 1; seed <= test_inputs(40, 400); seed++)
        for (size_t h = 0; h < COUNT(holds); h++)
            for (size_t k = 0; k < COUNT(solvers); k++) check_rows(h, solvers[k], (uint64_t)seed);
}

// --------------------------------------------------------------------------------- undefined

// Negative under the root from c to c + width; or nearly so.
static void check_window(size_t hold, const char *solver, uint64_t seed)
{
    static const char *const uses[] = {"der(y) = sqrt(%s);", "y = sqrt(%s);", "y = log(%s);"};
    char inside[200], equations[400] = "der(z) = 1; ", *at = equations + strlen(equations);
    uint64_t s = seed * 104729 + 11;
    double c = 0.45 + 1.5 * chance(&s), width = pow(10, -1 - 4 * chance(&s));
    bool bad = chance(&s) < 0.7;
    const char *use = uses[(int)(3 * chance(&s))];
    snprintf(inside, sizeof inside, "(z - %.17g)*(z - %.17g) %s %.17g", c, c + width,
             bad ? "-" : "+", bad ? 0 : 0.3 * width * width);
    snprintf(at, sizeof equations - 20, use, inside);
    bool state = !strncmp(use, "der", 3);
    fo_text_model *m =
        open_beside(hold,
                    state ? "Real z(start = 0, fixed = true), y(start = 0, fixed = true);"
                          : "Real z(start = 0, fixed = true), y;",
                    equations);
    if (!m) return;
    fo_run_def def = fo_default_run_def();
    def.stop = 2.5, def.solver = solver;
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(m), &def, &why);
    fo_status status = sim ? fo_simulation_advance(sim, 2.5) : why.status;
    const char *said = sim ? fo_simulation_message(sim)->text : why.text;
    double t = NAN;
    const char *place = strstr(said, "t = ");
    if (place) sscanf(place, "t = %lf", &t);
    bool right =
        bad ? fo_failed(status) && t >= c - 1e-6 && t <= c + width + 1e-6 : status == FO_REACHED;
    if (!right)
        test_fail(__FILE__, __LINE__, "beside %s, %s, seed %llu: %s, undefined %s %.9g, width %.3g",
                  holds[hold].name, solver, (unsigned long long)seed,
                  fo_failed(status) ? said : "reaches the end", bad ? "from" : "never, near", c,
                  width);
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
}

TEST(what_is_undefined_for_a_while_ends_the_run)
{
    for (int seed = 1; seed <= test_inputs(100, 2000); seed++)
        for (size_t h = 0; h < COUNT(holds); h++)
            check_window(h, solvers[(size_t)seed % COUNT(solvers)], (uint64_t)seed);
}

TEST_MAIN(TEST_ENTRY(rows_after_a_jump_show_what_it_has_made),
          TEST_ENTRY(what_is_undefined_for_a_while_ends_the_run))
