// Rises at instants at which much turns at once, against exact rational numbers: texts, and the
// same as diagrams, as a program and node by node.
#include "trust/piecewise.h"

#include <foliot/foliot.h>

#include "diagram/diagram.h"
#include "test.h"

#ifndef SYSTEMS
#define SYSTEMS 120
#endif

static double value_of(fo_simulation *sim, const char *name, int i)
{
    char text[32];
    fo_reference at;
    snprintf(text, sizeof text, name, i);
    if (fo_system_find(fo_simulation_system(sim), text, &at, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, at);
}

static void complain(uint64_t seed, const char *how, const char *what, int i, double is, double low,
                     double high, const char *text)
{
    if (is >= low && is <= high) return;
    test_fail(__FILE__, __LINE__, "seed %llu, %s: %s%d is %.15g, expected %.15g to %.15g",
              (unsigned long long)seed, how, what, i, is, low, high);
    if (getenv("SHOW")) fprintf(stderr, "%s\n", text);
}

// A condition that becomes true right after the start rises there in a text, and may in a diagram.
static void judge(const piecewise *m, fo_simulation *sim, uint64_t seed, const char *how,
                  const char *text, bool diagram)
{
    double slack = 1e-4 * fmax(1, fabs(m->z));
    complain(seed, how, "z", 0, value_of(sim, diagram ? "z" : "z", 0), m->z - slack, m->z + slack,
             text);
    for (int i = 0; i < COUNTERS; i++) {
        double least = m->least[i] + (diagram ? 0 : m->first[i]);
        double most = fmax(m->most[i], m->least[i]) + m->first[i];
        complain(seed, how, "n", i, value_of(sim, diagram ? "n_%d" : "n%d", i), least, most, text);
        if (!diagram && !m->open[i])
            complain(seed, how, "s", i, value_of(sim, "s%d", i), m->low[i] - 1e-9,
                     m->high[i] + 1e-9, text);
    }
}

static void run(const piecewise *m, fo_system system, const fo_run_def *def, uint64_t seed,
                const char *how, const char *text, bool diagram)
{
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(system, def, &why);
    fo_status status = sim ? fo_simulation_advance(sim, def->stop) : why.status;
    if (status == FO_REACHED)
        judge(m, sim, seed, how, text, diagram);
    else
        test_fail(__FILE__, __LINE__, "seed %llu, %s: %s", (unsigned long long)seed, how,
                  sim ? fo_simulation_message(sim)->text : why.text);
    fo_simulation_destroy(sim);
}

static void run_text(piecewise *m, uint64_t seed, const char *solver)
{
    static char text[TEXT_SIZE];
    fo_message why = {0};
    piecewise_text(m, text);
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "a.mo", .text = text}, &why);
    fo_run_def def = fo_default_run_def();
    def.stop = q_number(m->stop), def.solver = solver;
    if (model)
        run(m, fo_text_model_system(model), &def, seed, solver ? solver : "text", text, false);
    else
        test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed, why.text);
    fo_text_model_close(model);
}

static void run_diagram(piecewise *m, uint64_t seed)
{
    static char members[3 * TEXT_SIZE], text[3 * TEXT_SIZE + 64];
    fo_message why = {0};
    piecewise_diagram(m, members);
    snprintf(text, sizeof text, "{'format': 'foliot diagram', 'version': 1, %s}", members);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    fo_diagram_def given = {"a.json", text, strlen(text), NULL};
    fo_diagram *d = fo_diagram_read(&given, &why);
    CHECK(d);
    if (!d) test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed, why.text);
    for (int way = 0; way < 2 && d; way++) {
        fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(d), NULL);
        CHECK(fo_diagram_run_as(d, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, &why) == FO_OK);
        run(m, fo_diagram_system(d), &def, seed, way ? "node by node" : "diagram", text, true);
    }
    fo_diagram_destroy(d);
}

// SEED: where to begin, for a look at one of them.
TEST(rises_are_those_of_rational_numbers)
{
    static const char *const solvers[] = {NULL, "dop853", "radau5", "rodas4", "adams"};
    static piecewise m;
    uint64_t from = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 0;
    uint64_t count = test_is_slow() ? 4 : SYSTEMS;
    for (uint64_t seed = from; seed < from + count; seed++) {
        piecewise_draw(&m, seed);
        run_text(&m, seed, solvers[seed % 5]);
        run_diagram(&m, seed);
        piecewise_end(&m);
    }
}

TEST_MAIN(TEST_ENTRY(rises_are_those_of_rational_numbers))
