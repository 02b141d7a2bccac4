#include <foliot/ensemble.h>

// Replications whose results are numbers to be tallied.

typedef struct numbers {
    const fo_replicate_def *def;
    fo_tally *tallies;
    size_t outputs;
} numbers;

static fo_status run_numbers(void *context, const fo_replication *replication, void *result,
                             fo_message *why)
{
    const numbers *n = context;
    return n->def->run(n->def->context, replication, result, why);
}

static fo_status tally_numbers(void *context, const fo_replication *replication, void *result,
                               fo_message *why)
{
    numbers *n = context;
    const double *x = result;
    for (size_t i = 0; i < n->outputs; i++) fo_tally_add(&n->tallies[i], x[i]);
    return n->def->merge ? n->def->merge(n->def->context, replication, result, why) : FO_OK;
}

static bool pass_progress(void *context, uint64_t done, uint64_t count)
{
    const numbers *n = context;
    return n->def->progress(n->def->context, done, count);
}

fo_status fo_replicate_tally(const fo_replicate_def *def, fo_tally *tallies, size_t outputs,
                             fo_message *why)
{
    if (!def->run || outputs > SIZE_MAX / sizeof(double))
        return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to replicate");
    numbers n = {def, tallies, outputs};
    fo_replicate_def inner = *def;
    inner.context = &n;
    inner.run = run_numbers;
    inner.result_size = outputs * sizeof(double);
    inner.merge = tally_numbers;
    inner.discard = NULL;
    inner.progress = def->progress ? pass_progress : NULL;
    return fo_replicate(&inner, why);
}
