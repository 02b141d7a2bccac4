// Replications: the same bits on any number of threads, merged in order; failures, stops, memory.
#include <foliot/ensemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

// An M/M/1 queue by Lindley's recursion: w <- max(0, w + service - interval), 2000 customers after
// 1000 of warm-up. Arrivals from stream 0, services from stream 1.
typedef struct queue {
    double arrival, service; ///< rates
    uint64_t fail_from;      ///< replications from this number on fail, when it is not 0
    fo_tally means;
    uint64_t merged;  ///< so far
    uint64_t stop_at; ///< merge has enough then, when it is not 0
    uint64_t refuse_at;
    uint64_t progress, cancel_at;
    long discarded;
    bool in_order;
} queue;

static double mean_wait(const queue *q, const fo_replication *replication)
{
    enum { WARM_UP = 1000, CUSTOMERS = 2000 };
    fo_random arrivals = fo_replication_stream(replication, 0);
    fo_random services = fo_replication_stream(replication, 1);
    double w = 0;
    fo_tally waits = {0};
    for (int i = 0; i < WARM_UP + CUSTOMERS; i++) {
        if (i >= WARM_UP) fo_tally_add(&waits, w);
        w += fo_random_negexp(&services, q->service) - fo_random_negexp(&arrivals, q->arrival);
        if (w < 0) w = 0;
    }
    return waits.mean;
}

static fo_status run(void *context, const fo_replication *replication, void *result,
                     fo_message *why)
{
    const queue *q = context;
    if (q->fail_from && replication->number >= q->fail_from)
        return fo_fail(why, FO_ERROR_MODEL, "no queue for %d", (int)replication->number);
    CHECK(*(double *)result == 0);
    *(double *)result = mean_wait(q, replication);
    return FO_OK;
}

static fo_status merge(void *context, const fo_replication *replication, void *result,
                       fo_message *why)
{
    queue *q = context;
    if (q->merged == 0) q->in_order = true;
    if (replication->number != q->merged) q->in_order = false;
    q->merged++;
    if (q->refuse_at && q->merged == q->refuse_at)
        return fo_fail(why, FO_ERROR_NUMBER, "not this one");
    fo_tally_add(&q->means, *(double *)result);
    return q->stop_at && q->merged == q->stop_at ? FO_STOPPED : FO_OK;
}

static void discard(void *context, void *result)
{
    (void)result;
    ((queue *)context)->discarded++;
}

static bool progress(void *context, uint64_t done, uint64_t count)
{
    queue *q = context;
    CHECK(done == q->progress + 1 && done <= count);
    q->progress = done;
    return q->progress != q->cancel_at;
}

static fo_replicate_def definition(queue *q, uint64_t count, unsigned threads)
{
    fo_replicate_def def = fo_default_replicate_def();
    def.count = count;
    def.threads = threads;
    def.run = run;
    def.merge = merge;
    def.discard = discard;
    def.progress = progress;
    def.result_size = sizeof(double);
    def.context = q;
    return def;
}

static const queue one_queue = {.arrival = 0.5, .service = 1};

TEST(any_number_of_threads_gives_the_same_bits)
{
    enum { COUNT = 100 };
    fo_tally alone = {0};
    const int threads[] = {1, 2, 3, 7, 0};
    for (int k = 0; k < 5; k++) {
        queue q = one_queue;
        fo_message why;
        fo_replicate_def def = definition(&q, COUNT, threads[k]);
        CHECK_STATUS(fo_replicate(&def, &why), FO_OK, &why);
        CHECK_INT(q.means.count, COUNT);
        CHECK_INT(q.progress, COUNT);
        CHECK(q.in_order && q.discarded == 0);
        if (k == 0) alone = q.means;
        CHECK(memcmp(&alone, &q.means, sizeof alone) == 0);
    }
    // rho/(mu - lambda) = 1
    CHECK_NEAR(alone.mean, 1, 1.5 * fo_tally_half_width(&alone, 0.99));
    CHECK(fo_tally_half_width(&alone, 0.99) < 0.1);
}

TEST(a_later_call_goes_on)
{
    queue whole = one_queue, parts = one_queue;
    fo_message why;
    fo_replicate_def def = definition(&whole, 30, 2);
    CHECK_STATUS(fo_replicate(&def, &why), FO_OK, &why);
    def = definition(&parts, 10, 2);
    CHECK_STATUS(fo_replicate(&def, &why), FO_OK, &why);
    def.first = 10, def.count = 20;
    parts.progress = 0;
    CHECK_STATUS(fo_replicate(&def, &why), FO_OK, &why);
    CHECK(memcmp(&whole.means, &parts.means, sizeof whole.means) == 0);
    CHECK(parts.in_order);
}

TEST(the_first_failure_is_reported)
{
    for (int threads = 1; threads <= 4; threads++) {
        queue q = one_queue;
        q.fail_from = 13;
        fo_message why;
        fo_replicate_def def = definition(&q, 1000, threads);
        CHECK_INT(fo_replicate(&def, &why), FO_ERROR_MODEL);
        CHECK_TEXT(why.text, "replication 13: no queue for 13");
        CHECK_INT(why.status, FO_ERROR_MODEL);
        CHECK_INT(q.merged, 13);
        CHECK(q.discarded >= 1 && q.in_order);
    }
}

TEST(merging_may_have_enough_or_refuse)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        fo_message why;
        queue q = one_queue;
        q.stop_at = 21;
        fo_replicate_def def = definition(&q, 1000, threads);
        CHECK_STATUS(fo_replicate(&def, &why), FO_STOPPED, &why);
        CHECK_INT(q.merged, 21);
        CHECK(threads == 1 || q.discarded <= 4 * 8);

        q = one_queue;
        q.refuse_at = 5;
        CHECK_INT(fo_replicate(&def, &why), FO_ERROR_NUMBER);
        CHECK_TEXT(why.text, "replication 4: not this one");

        q = one_queue;
        q.cancel_at = 7;
        CHECK_INT(fo_replicate(&def, &why), FO_ERROR_CANCELLED);
        CHECK_TEXT(why.text, "cancelled after 7 of 1000 replications");
        CHECK_INT(q.merged, 7);
    }
}

typedef struct shop {
    queue slow, fast;
    bool common;
} shop;

static fo_status compare(void *context, const fo_replication *replication, void *result,
                         fo_message *why)
{
    (void)why;
    const shop *s = context;
    fo_replication other = *replication;
    if (!s->common) other.seed += 1000;
    double *numbers = result;
    numbers[0] = mean_wait(&s->slow, replication);
    numbers[1] = numbers[0] - mean_wait(&s->fast, &other);
    return FO_OK;
}

// The gain of a service that is a tenth faster: with common random numbers it is seen far sharper.
TEST(common_random_numbers_sharpen_a_comparison)
{
    double half_width[2], mean[2];
    for (int common = 0; common < 2; common++) {
        shop s = {{.arrival = 0.5, .service = 1}, {.arrival = 0.5, .service = 1.1}, common};
        fo_tally tallies[2] = {{0}};
        fo_replicate_def def = fo_default_replicate_def();
        def.count = 60;
        def.run = compare;
        def.context = &s;
        fo_message why;
        CHECK_STATUS(fo_replicate_tally(&def, tallies, 2, &why), FO_OK, &why);
        CHECK_INT(tallies[1].count, 60);
        half_width[common] = fo_tally_half_width(&tallies[1], 0.99);
        mean[common] = tallies[1].mean;
        // 1 - (0.5/1.1)/(1.1 - 0.5)
        CHECK_NEAR(mean[common], 1 - 0.5 / 1.1 / 0.6, 1.5 * half_width[common]);
    }
    CHECK(half_width[1] < half_width[0] / 2.5);
}

typedef struct precise {
    fo_tally wait;
    double wanted;
} precise;

static fo_status run_precise(void *context, const fo_replication *replication, void *result,
                             fo_message *why)
{
    (void)context, (void)why;
    *(double *)result = mean_wait(&one_queue, replication);
    return FO_OK;
}

static fo_status narrow_enough(void *context, const fo_replication *replication, void *result,
                               fo_message *why)
{
    (void)replication, (void)result, (void)why;
    const precise *p = context;
    return p->wait.count >= 10 && fo_tally_half_width(&p->wait, 0.95) < p->wanted ? FO_STOPPED
                                                                                  : FO_OK;
}

TEST(replications_go_on_until_the_interval_is_narrow)
{
    uint64_t needed[3];
    for (int k = 0; k < 3; k++) {
        precise p = {.wanted = k == 2 ? 0.03 : 0.06};
        fo_replicate_def def = fo_default_replicate_def();
        def.count = 10000;
        def.threads = k + 1;
        def.run = run_precise;
        def.merge = narrow_enough;
        def.context = &p;
        fo_message why;
        CHECK_STATUS(fo_replicate_tally(&def, &p.wait, 1, &why), FO_STOPPED, &why);
        CHECK(fo_tally_half_width(&p.wait, 0.95) < p.wanted);
        needed[k] = p.wait.count;
    }
    CHECK(needed[0] == needed[1]); // and not what the threads had ready
    CHECK(needed[2] > 2 * needed[0] && needed[2] < 1000);
}

TEST(streams_of_replications_differ)
{
    fo_replication a = {.number = 3, .seed = 1}, b = {.number = 4, .seed = 1};
    fo_random r[] = {fo_replication_stream(&a, 0), fo_replication_stream(&a, 1),
                     fo_replication_stream(&b, 0),
                     fo_replication_stream(&a, FO_REPLICATION_STREAMS - 1)};
    uint64_t first[4];
    for (int i = 0; i < 4; i++) {
        first[i] = fo_random_bits(&r[i]);
        for (int k = 0; k < i; k++) CHECK(first[i] != first[k]);
    }
}

TEST(every_allocation_may_fail)
{
    for (long at = 1; at <= 3; at++) {
        test_memory memory;
        test_memory_init(&memory, at);
        queue q = one_queue;
        fo_message why;
        fo_replicate_def def = definition(&q, 10, 2);
        def.allocator = &memory.allocator;
        CHECK_INT(fo_replicate(&def, &why), FO_ERROR_MEMORY);
        CHECK_INT(memory.live, 0);
        CHECK_INT(q.merged, 0);
    }
}

TEST(nothing_is_quickly_done)
{
    fo_message why;
    queue q = one_queue;
    fo_replicate_def def = definition(&q, 0, 0);
    CHECK_STATUS(fo_replicate(&def, &why), FO_OK, &why);
    CHECK_INT(q.merged, 0);
    def.run = NULL;
    CHECK_INT(fo_replicate(&def, &why), FO_ERROR_ARGUMENT);
    def = definition(&q, 2, 2);
    def.result_size = SIZE_MAX;
    CHECK_INT(fo_replicate(&def, &why), FO_ERROR_MEMORY);
}

TEST_MAIN(TEST_ENTRY(any_number_of_threads_gives_the_same_bits), TEST_ENTRY(a_later_call_goes_on),
          TEST_ENTRY(the_first_failure_is_reported), TEST_ENTRY(merging_may_have_enough_or_refuse),
          TEST_ENTRY(common_random_numbers_sharpen_a_comparison),
          TEST_ENTRY(replications_go_on_until_the_interval_is_narrow),
          TEST_ENTRY(streams_of_replications_differ), TEST_ENTRY(every_allocation_may_fail),
          TEST_ENTRY(nothing_is_quickly_done))
