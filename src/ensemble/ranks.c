// Replications on several ranks, in rounds: every rank runs a block of numbers on its cores, then
// the results of all are exchanged, and all ranks merge them in the order of the numbers. So what
// is merged, and which failure is reported, does not depend on the number of ranks.
#include "ensemble/ranks.h"

#include <string.h>

#include "base/memory.h"

enum { BLOCK = 64 }; ///< numbers of a rank in a round: the same everywhere, whatever its cores are

/// What is exchanged of one replication; the result follows it.
typedef struct record {
    fo_status status;
    fo_message why;
} record;

typedef struct job {
    const fo_replicate_def *def;
    size_t stride;  ///< bytes from one record to the next
    uint64_t first; ///< of this rank in this round
    char *mine, *all;
} job;

static record *record_at(const job *j, char *list, uint64_t i)
{
    return (record *)(void *)(list + i * j->stride);
}

// A failure is a result, too: all ranks hear of it.
static fo_status run(void *context, const fo_replication *replication, void *result,
                     fo_message *why)
{
    const job *j = context;
    record *r = result;
    (void)why;
    r->status = j->def->run(j->def->context, replication, r + 1, &r->why);
    return FO_OK;
}

static fo_status keep(void *context, const fo_replication *replication, void *result,
                      fo_message *why)
{
    const job *j = context;
    (void)why;
    memcpy(record_at(j, j->mine, replication->number - j->first), result, j->stride);
    return FO_OK;
}

static fo_status run_block(job *j, uint64_t from, uint64_t count, fo_message *why)
{
    fo_replicate_def mine = *j->def;
    memset(j->mine, 0, BLOCK * j->stride);
    if (!count) return FO_OK;
    mine.first = j->first = j->def->first + from, mine.count = count, mine.ranks = NULL;
    mine.run = run, mine.merge = keep, mine.discard = NULL, mine.progress = NULL;
    mine.context = j, mine.result_size = j->stride;
    return fo_replicate(&mine, why);
}

static fo_status merge(const job *j, char *list, uint64_t number, uint64_t i, fo_message *why)
{
    const fo_replicate_def *def = j->def;
    record *r = record_at(j, list, i);
    const fo_replication replication = {.number = def->first + number, .seed = def->seed};
    fo_status status = fo_failed(r->status) ? r->status : FO_OK;
    if (status != FO_OK && why) *why = r->why;
    if (status != FO_OK && why && !why->text[0]) fo_fail(why, status, "%s", fo_status_text(status));
    if (status == FO_OK && def->merge) status = def->merge(def->context, &replication, r + 1, why);
    if (fo_failed(status)) {
        if (why) why->status = status;
        fo_message_prefix(why, "replication %llu: ", (unsigned long long)replication.number);
        return status;
    }
    if (status == FO_STOPPED) return FO_STOPPED;
    if (def->progress && !def->progress(def->context, number + 1, def->count))
        return fo_fail(why, FO_ERROR_CANCELLED, "cancelled after %llu of %llu replications",
                       (unsigned long long)(number + 1), (unsigned long long)def->count);
    return FO_OK;
}

// A rank that ends by itself would leave the others waiting: what it found is exchanged first.
static fo_status agree(const job *j, fo_status mine, fo_message *why)
{
    const fo_ranks *ranks = j->def->ranks;
    record *own = record_at(j, j->mine, 0);
    memset(own, 0, sizeof *own);
    own->status = mine;
    if (why && mine != FO_OK) own->why = *why;
    fo_status status = ranks->exchange(own, j->all, sizeof *own, why);
    for (uint32_t i = 0; i < ranks->count && status == FO_OK; i++) {
        const record *r = (const record *)(const void *)j->all + i;
        if (r->status == FO_OK) continue;
        if (why) *why = r->why;
        status = r->status;
    }
    return status;
}

static fo_status run_rounds(job *j, fo_message *why)
{
    const fo_replicate_def *def = j->def;
    uint64_t ranks = def->ranks->count;
    fo_status status = FO_OK;
    for (uint64_t base = 0; base < def->count && status == FO_OK; base += BLOCK * ranks) {
        uint64_t from = base + BLOCK * def->ranks->rank,
                 left = from < def->count ? def->count - from : 0;
        status = run_block(j, from, left < BLOCK ? left : BLOCK, why);
        if (status == FO_OK) status = def->ranks->exchange(j->mine, j->all, BLOCK * j->stride, why);
        for (uint64_t i = 0; i < BLOCK * ranks && base + i < def->count && status == FO_OK; i++)
            status = merge(j, j->all, base + i, i, why);
        // a merge that failed here only, as on a full disk
        fo_status agreed = agree(j, fo_failed(status) ? status : FO_OK, why);
        if (agreed != FO_OK) status = agreed;
    }
    return status;
}

fo_status foi_replicate_on_ranks(const fo_replicate_def *def, fo_message *why)
{
    fo_message local = {0};
    if (!why) why = &local;
    job j = {.def = def};
    if (def->result_size > SIZE_MAX / 2)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a result is too large");
    j.stride = (sizeof(record) + def->result_size + 63) / 64 * 64;
    j.mine = foi_new(def->allocator, BLOCK, j.stride);
    j.all = foi_new(def->allocator, BLOCK * (size_t)def->ranks->count, j.stride);
    fo_status status = FO_OK;
    if (!j.mine || !j.all) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the results");
    if (status == FO_OK) status = run_rounds(&j, why);
    foi_free(def->allocator, j.mine);
    foi_free(def->allocator, j.all);
    return status;
}
