// Random numbers of a diagram: whose they are, and which seeds choose them.
#include "run.h"

#define NOISE(parameters)                                                                  \
    "{'format': 'foliot diagram', 'version': 1, 'simulation': {'stop': 10, 'step': 1}, "   \
    "'nodes': [{'name': 'rn', 'type': 'Uniform Random Number', 'parameters': {'Minimum': " \
    "0, 'Maximum': 1, " parameters "}}, {'name': 'end', 'type': 'Terminator'}], "          \
    "'lines': [{'from': 'rn', 'to': 'end'}]}"

// The signal at time t of a run with a seed, and a number of the diagram set before.
static double noise(const char *document, const char *set, double value, uint64_t seed, double t,
                    const char *signal)
{
    fo_message why = {0};
    fo_setting settings[] = {{.name = set, .value = value}};
    char *text = strdup(document);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    diagram_run r = {0};
    r.diagram = fo_diagram_read(&(fo_diagram_def){.text = text,
                                                  .length = strlen(text),
                                                  .settings = settings,
                                                  .setting_count = set != NULL},
                                &why);
    if (!r.diagram) test_fail(__FILE__, __LINE__, "%s", why.text);
    free(text);
    if (!r.diagram) return NAN;
    CHECK(!set || settings[0].taken);
    CHECK(fo_diagram_is_random(r.diagram));
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r.diagram), NULL);
    def.seed = seed;
    r.sim = fo_simulation_create(fo_diagram_system(r.diagram), &def, &why);
    double found = r.sim ? value_at(&r, t, signal) : NAN;
    close_run(&r);
    return found;
}

TEST(seeds_are_numbers_of_the_diagram)
{
    double third = noise(NOISE("'Initial Seed': 3"), NULL, 0, 0, 4, "rn");
    CHECK(third != noise(NOISE("'Initial Seed': 0"), NULL, 0, 0, 4, "rn"));
    CHECK(third == noise(NOISE("'Initial Seed': 0"), "rn.Seed", 3, 0, 4, "rn"));
    CHECK(third == noise(NOISE("'Initial Seed': 0"), "rn.Initial Seed", 3, 0, 4, "rn"));
    CHECK(third == noise(NOISE("'Initial Seed': '0 0 0'"), "rn.Seed[2]", 3, 0, 4, "rn[2]"));
}

// A run's seed chooses other numbers; none is the document's.
TEST(the_seed_of_a_run_counts)
{
    double none = noise(NOISE("'Initial Seed': 3"), NULL, 0, 0, 4, "rn");
    double some = noise(NOISE("'Initial Seed': 3"), NULL, 0, 77, 4, "rn");
    CHECK(none != some);
    CHECK(some == noise(NOISE("'Initial Seed': 3"), NULL, 0, 77, 4, "rn"));
    CHECK(some != noise(NOISE("'Initial Seed': 3"), NULL, 0, 78, 4, "rn"));
    CHECK(some == noise(NOISE("'Initial Seed': 80"), NULL, 0, 0, 4, "rn"));
    double edge = noise(NOISE("'Initial Seed': 3"), NULL, 0, UINT64_MAX, 4, "rn");
    CHECK(edge == noise(NOISE("'Initial Seed': 2"), NULL, 0, 0, 4, "rn"));
}

// Each element with a seed of its own sees what a node with that seed would.
TEST(elements_may_have_seeds_of_their_own)
{
    const char *several = NOISE("'Initial Seed': '3 5'");
    CHECK(noise(several, NULL, 0, 0, 4, "rn[1]") ==
          noise(NOISE("'Initial Seed': 3"), NULL, 0, 0, 4, "rn"));
    CHECK(noise(several, NULL, 0, 0, 4, "rn[2]") ==
          noise(NOISE("'Initial Seed': 5"), NULL, 0, 0, 4, "rn"));
}

TEST(seeds_are_whole_numbers)
{
    refused("'simulation': {'stop': 1, 'step': 1}, 'nodes': [{'name': 'rn', 'type': 'Random "
            "Number', 'parameters': {'Initial Seed': 0.5}}]",
            "node 'rn' (Random Number): expected a whole number as seed, found 0.5");
    refused("'simulation': {'stop': 1, 'step': 1}, 'nodes': [{'name': 'rn', 'type': 'Uniform "
            "Random Number', 'parameters': {'Initial Seed': 1e300}}]",
            "expected a whole number as seed, found 1e+300");
}

TEST(most_diagrams_are_not_random)
{
    diagram_run r;
    if (!open_run(&r, "'simulation': {'stop': 1, 'step': 1}, 'nodes': [{'name': 't', 'type': "
                      "'Clock'}, {'name': 'end', 'type': 'Terminator'}], 'lines': [{'from': 't', "
                      "'to': 'end'}]"))
        return;
    CHECK(!fo_diagram_is_random(r.diagram));
    close_run(&r);
}

TEST_MAIN(TEST_ENTRY(seeds_are_numbers_of_the_diagram), TEST_ENTRY(the_seed_of_a_run_counts),
          TEST_ENTRY(elements_may_have_seeds_of_their_own), TEST_ENTRY(seeds_are_whole_numbers),
          TEST_ENTRY(most_diagrams_are_not_random))
