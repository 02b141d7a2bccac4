// Eight slots for four computers, and computing that overlaps them (tables 4-1, 5-1 and 5-2).
#include "game.h"

// Table 4-1: 8 slots of 0.5 ms are 4 ms of communication in a period of 4.2 ms, which is all there
// is for computing: only where both happen at once.
TEST(eight_slots_fit_into_the_documents_period)
{
    static const struct {
        double period, slot, communication;
    } tables[] = {{0.0042, 0.0005, 0.004}, {0.0068, 0.0008, 0.0064}, {0.0049, 0.0006, 0.0048}};
    fo_field *f = game_field(FO_FIELD_LEAPFROG, 24);
    REQUIRE(f);
    fo_message why = {0};
    fo_tdma_plan plan;
    for (int i = 0; i < 3; i++) {
        fo_tdma_def def = {.period = tables[i].period, .slot = tables[i].slot, .slots = 8};
        CHECK(fo_tdma_plan_make(f, &def, 4, 0.001, &plan, &why) == FO_ERROR_ARGUMENT);
        CHECK_CONTAINS(why.text, "do not fit");
        def.overlap = true;
        CHECK_STATUS(fo_tdma_plan_make(f, &def, 4, 0.001, &plan, &why), FO_OK, &why);
        CHECK_INT(plan.slots, 8);
        CHECK_INT(plan.computing, llround(1e9 * tables[i].period));
        int64_t first = fo_tdma_slot_start(&plan, 1), end = fo_tdma_slot_start(&plan, 9);
        CHECK_INT(end - first, llround(1e9 * tables[i].communication));
        CHECK(first >= 100000 && end <= plan.period);
    }
    fo_tdma_def odd = {.period = 0.01, .slot = 0.0005, .slots = 6, .overlap = true};
    CHECK(fo_tdma_plan_make(f, &odd, 4, 0.001, &plan, &why) == FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "6 slots cannot be shared by 4 nodes");
    odd = (fo_tdma_def){.period = 0.004, .slot = 0.0005, .slots = 8, .overlap = true};
    CHECK(fo_tdma_plan_make(f, &odd, 4, 0.001, &plan, &why) == FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "for the master");
    fo_field_destroy(f);
}

enum { CYCLES = 40, STEPS = 3 };

/// The same by itself, without a network: every part sees its neighbours as they were a cycle ago.
static double emulated(const fo_field *f, uint32_t nodes, uint32_t probe)
{
    enum { MOST = 256 };
    foi_tdma_share list[GAME_NODES];
    foi_tdma_part *parts[GAME_NODES];
    static double now[GAME_NODES][6][MOST], before[GAME_NODES][6][MOST];
    uint32_t cut[3] = {0, 0, 0};
    fo_message why = {0};
    double value = NAN;
    CHECK_STATUS(foi_tdma_partition(f, nodes, cut, list, &why), FO_OK, &why);
    for (uint32_t i = 0; i < nodes; i++)
        parts[i] = foi_tdma_part_create(f, &list[i], 0.008 / STEPS, NULL, &why);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        memcpy(before, now, sizeof before);
        for (uint32_t i = 0; i < nodes; i++)
            for (int side = 0; side < 6; side++)
                if (list[i].box.sides[side]) foi_tdma_face_get(parts[i], side, now[i][side]);
        for (uint32_t i = 0; i < nodes; i++)
            for (int step = 0; step < STEPS; step++) {
                for (int side = 0; side < 6 && cycle > 0; side++)
                    if (list[i].box.sides[side])
                        foi_tdma_halo_put(parts[i], side, before[list[i].near[side]][side ^ 1]);
                CHECK_STATUS(foi_tdma_part_advance(parts[i], &why), FO_OK, &why);
            }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        foi_tdma_part_probe(parts[i], probe, &value);
        foi_tdma_part_destroy(parts[i]);
    }
    return value;
}

// Four nodes with two slots each: the last values have the bits of the emulation, which is some way
// off the field on one machine: the delay of a cycle.
TEST(boundaries_are_those_of_the_cycle_before)
{
    static const fo_field_method methods[] = {FO_FIELD_LEAPFROG, FO_FIELD_RK4};
    for (int k = 0; k < 2; k++) {
        game g = game_make(game_field(methods[k], 24), 4, CYCLES);
        g.cluster.slots = 8, g.cluster.overlap = true, g.cluster.steps = STEPS;
        g.cluster.period = 0.026, g.cluster.slot = 0.003;
        g.step = 0.008 / STEPS;
        bool judged = game_play_clean(&g, 0);
        const double *last = fo_tdma_master_row(g.master, fo_tdma_master_cycles(g.master));
        for (uint32_t i = 0; i < fo_tdma_master_probes(g.master) && judged; i++) {
            double right = emulated(g.field, 4, i);
            if (!(last[i] == right))
                test_fail(__FILE__, __LINE__, "method %d, probe %u: %.17g, expected %.17g", k, i,
                          last[i], right);
        }
        if (judged) CHECK(game_error(&g) > 1e-9 && game_error(&g) < 0.2);
        game_close(&g);
    }
}

TEST_MAIN(TEST_ENTRY(eight_slots_fit_into_the_documents_period),
          TEST_ENTRY(boundaries_are_those_of_the_cycle_before))
