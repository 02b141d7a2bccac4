// The program with documents of structures: results, energies in the summary, mistakes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

// Runs the program that was built beside the tests; what it says, and its exit status.
static int foliot_says(const char *arguments, char *text, size_t size)
{
    char own[512], line[2048];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    *text = 0;
    if (length <= 0) return -1;
    own[length] = 0;
    for (int i = 0; i < 2; i++) *strrchr(own, '/') = 0;
    snprintf(line, sizeof line, "cd '%s' && '%s/foliot' %s 2>&1", FOLIOT_SOURCE_DIR "/models", own,
             arguments);
    FILE *pipe = popen(line, "r");
    if (!pipe) return -1;
    size_t got = fread(text, 1, size - 1, pipe);
    text[got] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char text[65536];

TEST(a_document_is_run_and_its_energies_are_summed_up)
{
    CHECK_INT(foliot_says("run mass-on-a-chain/mass-on-a-chain.structure.json --stop 2 --no-plot",
                          text, sizeof text),
              0);
    CHECK_CONTAINS(text, "mass-on-a-chain, until 2 s");
    CHECK_CONTAINS(text, "2 signals, first 0.1, last 0.4");
    CHECK_CONTAINS(text, "energy_ports = 4275.4");
    CHECK_CONTAINS(text, "balance");
    CHECK_INT(foliot_says("run clamped-beam/clamped-beam.structure.json --set load=1 -q --output - "
                          "--signals beam.9.1.y --interval 60 --no-plot",
                          text, sizeof text),
              0);
    CHECK_CONTAINS(text, "time,beam.9.1.y");
    CHECK_CONTAINS(text, "60,-0.1074");
}

TEST(a_document_is_shown)
{
    CHECK_INT(foliot_says("show steel-beam/steel-beam.structure.json", text, sizeof text), 0);
    CHECK_CONTAINS(text, "beam.21.y");
    CHECK_CONTAINS(text, "load");
    CHECK_CONTAINS(text, "energy_friction");
    CHECK_INT(foliot_says("show quartic/quartic.structure.json", text, sizeof text), 0);
    CHECK_CONTAINS(text, "H = 0.5 * p^2 + 0.25 * q^4");
}

TEST(a_document_is_written_in_other_ways)
{
    CHECK_INT(foliot_says("export --hamiltonian mass-on-a-spring/mass-on-a-spring.structure.json",
                          text, sizeof text),
              0);
    CHECK_CONTAINS(text, "0.05 * mass.px^2 + 0.05 * mass.py^2 + 98.1");
    CHECK_CONTAINS(text, "50 * mass.x^4 + 100 * mass.x^2 * mass.y^2");
    CHECK_INT(foliot_says("export --matrix mass-on-a-spring/mass-on-a-spring.structure.json", text,
                          sizeof text),
              0);
    CHECK_TEXT(text, "1 1\n100 10\n");
    CHECK_INT(
        foliot_says("export --document steel-beam/steel-beam.structure.json", text, sizeof text),
        0);
    CHECK_CONTAINS(text, "\"bends\": [");
    CHECK_INT(
        foliot_says("export --matrix steel-beam/steel-beam.structure.json", text, sizeof text), 1);
    CHECK_CONTAINS(text, "cannot show bending");
    CHECK_INT(foliot_says("export steel-beam/steel-beam.structure.json", text, sizeof text), 2);
}

TEST(mistakes_are_told)
{
    CHECK_INT(foliot_says("run no-such.structure.json", text, sizeof text), 1);
    CHECK_CONTAINS(text, "cannot open no-such.structure.json");
    CHECK_INT(foliot_says("run mass-on-a-chain/mass-on-a-chain.structure.json --solver euler "
                          "--step 0.001 --no-plot",
                          text, sizeof text),
              1);
    CHECK_CONTAINS(text, "the step is too long for this structure");
    CHECK_CONTAINS(text, "leapfrog is stable below 0.0078");
    CHECK_INT(foliot_says("watch nobody-has-this-name", text, sizeof text), 1);
    CHECK_INT(foliot_says("export --plugin ball", text, sizeof text), 2);
}

TEST_MAIN(TEST_ENTRY(a_document_is_run_and_its_energies_are_summed_up),
          TEST_ENTRY(a_document_is_shown), TEST_ENTRY(a_document_is_written_in_other_ways),
          TEST_ENTRY(mistakes_are_told))
