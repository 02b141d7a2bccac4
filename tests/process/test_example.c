// The program in the head of process.h, letter by letter: it compiles, and finds the period.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static double found;
static void print(const char *format, double value)
{
    CHECK_TEXT(format, "period = %g\n");
    found = value;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define main   example
#define printf print
static int main(void); // NOLINT
// clang-format off
/* begin */
typedef struct pond {
    fo_level predator, prey;
    fo_continuous dynamics;
} pond;

static void dynamics(fo_world *w, void *self)
{
    pond *p = self;
    p->predator.rate = (-0.3 + 3.0e-7 * p->prey.state) * p->predator.state;
    p->prey.rate = (0.3 - 3.0e-4 * p->predator.state) * p->prey.state;
}

static double growth(fo_world *w, void *self)
{
    return ((pond *)self)->prey.rate;
}

static void predator_prey(fo_world *w, void *self)
{
    pond *p = self;
    fo_level_start_at(w, &p->predator, 1000);
    fo_level_start_at(w, &p->prey, 100000);
    fo_continuous_start(w, &p->dynamics, dynamics, p);
    fo_wait_zero(w, growth, p, FO_FALLING);
    double first = fo_time(w);
    fo_wait_zero(w, growth, p, FO_FALLING);
    printf("period = %g\n", fo_time(w) - first);
}

int main(void)
{
    pond p = {0};
    fo_world_def def = {.max_rel_error = 1e-5, .dt_max = 1};
    fo_world *w = fo_world_create(&def, NULL);
    fo_status status = fo_world_simulate(w, predator_prey, &p);
    fo_world_destroy(w);
    return fo_failed(status);
}
/* end */
// clang-format on
#undef main
#undef printf

TEST(example_finds_the_period)
{
    CHECK_INT(example(), 0);
    CHECK_NEAR(found, 26.07836693516793, 2e-3);
}

static char *text_of(const char *path)
{
    enum { MOST = 1 << 16 };
    char *text = calloc(MOST, 1);
    FILE *in = fopen(path, "r");
    if (in && text && fread(text, 1, MOST - 1, in) == 0) text[0] = 0;
    if (in) fclose(in);
    return text;
}

// Line by line, each after "///     " there.
TEST(example_is_that_of_the_header)
{
    char *header = text_of(FOLIOT_SOURCE_DIR "/include/foliot/process.h");
    char *here = text_of(FOLIOT_SOURCE_DIR "/tests/process/test_example.c");
    char *rest = NULL, *at = strstr(here, "/* begin */\n"), *end = strstr(here, "/* end */");
    REQUIRE(header && at && end);
    *end = 0;
    const char *place = header;
    int lines = 0;
    for (char *line = strtok_r(at + strlen("/* begin */\n"), "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest), lines++) {
        char there[128];
        snprintf(there, sizeof there, "///     %s\n", line);
        place = strstr(place, there);
        if (!place) test_fail(__FILE__, __LINE__, "the header has no line '%s'", line);
        if (!place) break;
        place += strlen(there);
    }
    CHECK(lines > 30);
    free(header);
    free(here);
}

TEST_MAIN(TEST_ENTRY(example_finds_the_period), TEST_ENTRY(example_is_that_of_the_header))
