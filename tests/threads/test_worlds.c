// Worlds on several threads at once: replications have the same bits for any number of threads.
#include "test.h"
#include "worlds/worlds.h"

static fo_status replicate(void *context, const fo_replication *replication, void *result,
                           fo_message *why)
{
    (void)context;
    double *values = result;
    fo_tally tally = {0};
    predator_prey_result pond;
    const fo_world_def def = {.seed = replication->number + 1};
    fo_status status = mm1(&def, 0.8, 1, 2000, &tally, why);
    values[0] = tally.mean;
    if (status == FO_OK) status = predator_prey(NULL, &pond, why);
    values[1] = pond.period;
    return status;
}

TEST(replications_have_the_same_bits)
{
    fo_tally one[2] = {{0}}, many[2] = {{0}};
    fo_message why = {0};
    fo_replicate_def def = fo_default_replicate_def();
    def.count = 24;
    def.run = replicate;
    def.threads = 1;
    CHECK_STATUS(fo_replicate_tally(&def, one, 2, &why), FO_OK, &why);
    def.threads = 4;
    CHECK_STATUS(fo_replicate_tally(&def, many, 2, &why), FO_OK, &why);
    CHECK_INT(one[0].count, 24);
    CHECK(one[0].mean == many[0].mean && one[0].squares == many[0].squares);
    CHECK(one[0].min < one[0].max);  // the streams differ
    CHECK(one[1].min == one[1].max); // the pond has none
    CHECK(one[1].mean == many[1].mean);
}

TEST_MAIN(TEST_ENTRY(replications_have_the_same_bits))
