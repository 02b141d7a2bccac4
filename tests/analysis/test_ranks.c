// Replications on several ranks, played by threads: merged in the same order with the same results,
// and the same failure is heard everywhere.
#include <foliot/ensemble.h>
#include <pthread.h>
#include <string.h>

#include "test.h"

enum { MOST_RANKS = 5, MOST_BYTES = 1 << 18 };

static pthread_barrier_t meeting;
static char board[MOST_RANKS * MOST_BYTES];
static _Thread_local uint32_t own_rank;
static uint32_t rank_count;

static fo_status exchange(const void *mine, void *all, size_t bytes, fo_message *why)
{
    (void)why;
    memcpy(board + own_rank * bytes, mine, bytes);
    pthread_barrier_wait(&meeting);
    memcpy(all, board, rank_count * bytes);
    pthread_barrier_wait(&meeting);
    return FO_OK;
}

typedef struct story {
    uint32_t rank;
    uint64_t count, fails, stops; ///< which number fails, after which it is enough
    unsigned threads;
    uint64_t merged, runs, sum;
    bool in_order;
    fo_status status;
    fo_message why;
} story;

static fo_status run(void *context, const fo_replication *r, void *result, fo_message *why)
{
    story *s = context;
    __atomic_fetch_add(&s->runs, 1, __ATOMIC_RELAXED);
    if (r->number == s->fails) return fo_fail(why, FO_ERROR_MODEL, "it is the one");
    *(uint64_t *)result = r->number * r->number;
    return FO_OK;
}

static fo_status merge(void *context, const fo_replication *r, void *result, fo_message *why)
{
    story *s = context;
    (void)why;
    s->in_order &= r->number == 7 + s->merged;
    s->sum += *(uint64_t *)result;
    return ++s->merged == s->stops ? FO_STOPPED : FO_OK;
}

static void *play(void *argument)
{
    story *s = argument;
    own_rank = s->rank;
    const fo_ranks ranks = {s->rank, rank_count, exchange};
    fo_replicate_def def = fo_default_replicate_def();
    def.count = s->count, def.first = 7, def.threads = s->threads;
    def.run = run, def.merge = merge, def.result_size = sizeof(uint64_t), def.context = s;
    def.ranks = &ranks;
    s->in_order = true;
    s->status = fo_replicate(&def, &s->why);
    return NULL;
}

static void play_all(story *all, uint32_t count, story what)
{
    pthread_t threads[MOST_RANKS];
    rank_count = count;
    pthread_barrier_init(&meeting, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = what, all[i].rank = i;
        pthread_create(&threads[i], NULL, play, &all[i]);
    }
    for (uint32_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&meeting);
}

TEST(all_merge_everything)
{
    static story all[MOST_RANKS];
    static const uint64_t counts[] = {1, 63, 64, 65, 300, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        uint64_t sum = 0;
        for (uint64_t i = 7; i < 7 + counts[k]; i++) sum += i * i;
        for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++) {
            play_all(all, ranks, (story){.count = counts[k], .threads = 1 + ranks % 3});
            uint64_t runs = 0;
            for (uint32_t i = 0; i < ranks; i++) {
                CHECK_INT(all[i].status, FO_OK);
                CHECK(all[i].in_order);
                CHECK_INT((long long)all[i].merged, (long long)counts[k]);
                CHECK_INT((long long)all[i].sum, (long long)sum);
                runs += all[i].runs;
            }
            CHECK_INT((long long)runs, (long long)counts[k]); // each is run once
        }
    }
}

TEST(one_failure_is_everyones)
{
    static story all[MOST_RANKS];
    for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks++) {
        play_all(all, ranks, (story){.count = 500, .fails = 150, .threads = 2});
        for (uint32_t i = 0; i < ranks; i++) {
            CHECK_INT(all[i].status, FO_ERROR_MODEL);
            CHECK_CONTAINS(all[i].why.text, "replication 150: it is the one");
            CHECK_INT((long long)all[i].merged, 143);
        }
    }
}

TEST(enough_is_enough)
{
    static story all[MOST_RANKS];
    play_all(all, 3, (story){.count = 500, .stops = 70, .threads = 1});
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(all[i].status, FO_STOPPED);
        CHECK_INT((long long)all[i].merged, 70);
    }
}

TEST_MAIN(TEST_ENTRY(all_merge_everything), TEST_ENTRY(one_failure_is_everyones),
          TEST_ENTRY(enough_is_enough))
