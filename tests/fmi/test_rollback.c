/// Exported units in Co-Simulation: states that are kept and gone back to give equal bits, and a
/// unit that went back and forth ends where the direct run ends.
#include <foliot/foliot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmu.h"
#include "test.h"

#ifdef FOLIOT_CLI // otherwise this build exports nothing

static char folder[200];

static fo_fmu *export(const char *model, int version)
{
    char command[1000], path[300];
    fo_message why = {0};
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_CO_SIMULATION;
    snprintf(path, sizeof path, "%s/unit.fmu", folder);
    snprintf(command, sizeof command, "'%s' export '%s/models/%s' --fmu '%s' --fmi %d", FOLIOT_CLI,
             FOLIOT_SOURCE_DIR, model, path, version);
    if (system(command) != 0) return NULL;
    return fo_fmu_open(path, &def, &why);
}

static bool ask(fo_fmu *f, foi_unit_request what, double t, double h)
{
    fo_message why = {0};
    f->unit.block->t = t, f->unit.block->h = h;
    if (foi_unit_ask(&f->unit, what, &why) == FO_OK) return true;
    printf("  %s\n", why.text);
    return false;
}

enum { STEPS = 40, MOST = 64 };

// Every step is taken twice, with a longer one in between that is forgotten.
static void go_to_and_fro(fo_fmu *f, double h, double rows[STEPS][MOST])
{
    foi_unit *u = &f->unit;
    uint32_t n = u->y.values;
    REQUIRE(n <= MOST);
    memcpy(u->tu, u->known_u, u->u.values * sizeof(double));
    memcpy(u->tp, u->known_p, u->p.values * sizeof(double));
    u->block->stop_defined = false;
    REQUIRE(ask(f, FOI_UNIT_START, 0, 0));
    for (int k = 0; k < STEPS; k++) {
        double first[MOST];
        REQUIRE(ask(f, FOI_UNIT_KEEP, k * h, 0));
        REQUIRE(ask(f, FOI_UNIT_STEP, k * h, h));
        memcpy(first, u->ty, n * sizeof(double));
        REQUIRE(ask(f, FOI_UNIT_BACK, k * h, 0));
        REQUIRE(ask(f, FOI_UNIT_STEP, k * h, 3 * h));
        REQUIRE(ask(f, FOI_UNIT_BACK, k * h, 0));
        REQUIRE(ask(f, FOI_UNIT_STEP, k * h, h));
        CHECK(memcmp(first, u->ty, n * sizeof(double)) == 0);
        memcpy(rows[k], u->ty, n * sizeof(double));
    }
}

static void straight_on(fo_fmu *f, double h, double rows[STEPS][MOST])
{
    foi_unit *u = &f->unit;
    memcpy(u->tu, u->known_u, u->u.values * sizeof(double));
    memcpy(u->tp, u->known_p, u->p.values * sizeof(double));
    u->block->stop_defined = false;
    REQUIRE(ask(f, FOI_UNIT_START, 0, 0));
    for (int k = 0; k < STEPS; k++) {
        REQUIRE(ask(f, FOI_UNIT_STEP, k * h, h));
        CHECK(memcmp(rows[k], u->ty, u->y.values * sizeof(double)) == 0);
    }
}

TEST(going_back_gives_equal_bits)
{
    static const char *const models[] = {"ball/ball.mo", "sampled-control/sampled-control.mo",
                                         "delay-oscillator/delay-oscillator.mo",
                                         "diagrams/bouncing-ball.json",
                                         "mass-on-a-chain/mass-on-a-chain.structure.json"};
    static double rows[STEPS][MOST];
    snprintf(folder, sizeof folder, "/tmp/foliot-test-rollback-XXXXXX");
    REQUIRE(mkdtemp(folder));
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        fo_fmu *f = export(models[i], i % 2 ? 2 : 3);
        REQUIRE(f);
        double h = (f->experiment.stop - f->experiment.start) / (2 * STEPS);
        foi_unit_forget(&f->unit);
        go_to_and_fro(f, h, rows);
        foi_unit_forget(&f->unit);
        straight_on(f, h, rows);
        fo_fmu_close(f);
    }
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

#else

TEST(going_back_gives_equal_bits)
{
    printf("  no units are exported in this build\n");
}

#endif

TEST_MAIN(TEST_ENTRY(going_back_gives_equal_bits))
