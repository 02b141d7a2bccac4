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

// Any world, made from its description; a result is the sum of what it gives.
static fo_status replicate_world(void *context, const fo_replication *replication, void *result,
                                 fo_message *why)
{
    const fo_world_model *model = context;
    void *record = NULL;
    double *sum = result;
    fo_world_start start = {.seed = replication->seed, .replication = replication->number};
    fo_world *w = fo_world_make(model, &start, &record, why);
    if (!w) return why->status;
    fo_run_def def = fo_default_run_def();
    def.stop = model->stop / 10, def.solver = "rkf45", def.seed = replication->seed;
    fo_simulation *sim = fo_simulation_create(fo_world_system(w), &def, why);
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : why->status;
    for (uint32_t i = 0; i < model->output_count && !fo_failed(status); i++)
        *sum += fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
    if (sim && fo_failed(status)) *why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    fo_world_destroy(w);
    fo_world_record_free(model, record, NULL);
    return fo_failed(status) ? status : FO_OK;
}

TEST(every_world_is_replicated)
{
    for (size_t i = 0; i < world_count(); i++) {
        const fo_world_model *model = world_get(i);
        fo_tally one = {0}, many = {0};
        fo_message why = {0};
        fo_replicate_def def = fo_default_replicate_def();
        def.count = 8;
        def.run = replicate_world;
        def.context = (void *)model;
        def.threads = 1;
        CHECK_STATUS(fo_replicate_tally(&def, &one, 1, &why), FO_OK, &why);
        def.threads = 4;
        CHECK_STATUS(fo_replicate_tally(&def, &many, 1, &why), FO_OK, &why);
        CHECK(one.mean == many.mean && one.squares == many.squares);
        CHECK((one.min < one.max) == model->random);
    }
}

TEST_MAIN(TEST_ENTRY(every_world_is_replicated), TEST_ENTRY(replications_have_the_same_bits))
