#include <assert.h>
#include <foliot/ensemble.h>
#include <foliot/threads.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "ensemble/ranks.h"

// A ring of slots, one per replication under way. Workers take numbers in rising order; the caller
// merges in the same order and so makes room in the ring:
//
//     merged .......... next .......... merged + window
//     done or running   free            not before the oldest is merged
//
// The first failure ends the range: all before it are already taken, and are merged or fail too, so
// that which failure is reported does not depend on who was faster.

enum { SLOTS_PER_WORKER = 8, MOST_THREADS = 1024 };

typedef struct slot {
    fo_status status;
    bool done;
    fo_message why;
} slot;

typedef struct crew {
    const fo_replicate_def *def;
    pthread_mutex_t lock;
    pthread_cond_t room, ready; // for the workers; for the caller
    uint64_t next, merged, end; // counted from 0
    uint64_t window;
    slot *slots;
    char *results;
    size_t stride; // bytes from one result to the next
} crew;

fo_random fo_replication_stream(const fo_replication *replication, uint32_t k)
{
    assert(k < FO_REPLICATION_STREAMS);
    return fo_random_stream(replication->seed, replication->number * FO_REPLICATION_STREAMS + k);
}

fo_replicate_def fo_default_replicate_def(void)
{
    return (fo_replicate_def){.count = 1, .seed = 1, .threads = fo_cores()};
}

static fo_replication replication_of(const crew *c, uint64_t i)
{
    return (fo_replication){.number = c->def->first + i, .seed = c->def->seed};
}

static void *result_of(const crew *c, uint64_t i)
{
    return c->results + i % c->window * c->stride;
}

// A run may be left and gone on with where WebAssembly has no threads: tools/wasm has the name.
__attribute__((noinline)) static void replicate_one(const crew *c, uint64_t i)
{
    slot *s = &c->slots[i % c->window];
    fo_replication replication = replication_of(c, i);
    void *result = result_of(c, i);
    memset(result, 0, c->stride);
    s->why.text[0] = 0;
    s->status = c->def->run(c->def->context, &replication, result, &s->why);
}

static void *work(void *argument)
{
    crew *c = argument;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->next < c->end && c->next >= c->merged + c->window)
            pthread_cond_wait(&c->room, &c->lock);
        if (c->next >= c->end) break;
        uint64_t i = c->next++;
        pthread_mutex_unlock(&c->lock);
        replicate_one(c, i);
        pthread_mutex_lock(&c->lock);
        slot *s = &c->slots[i % c->window];
        s->done = true;
        if (fo_failed(s->status) && i + 1 < c->end) c->end = i + 1;
        pthread_cond_signal(&c->ready);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/// Takes the result of replication i; FO_OK when there is more to do.
static fo_status merge_one(const crew *c, uint64_t i, fo_message *why)
{
    const fo_replicate_def *def = c->def;
    slot *s = &c->slots[i % c->window];
    fo_replication replication = replication_of(c, i);
    fo_status status = s->status;
    if (fo_failed(status)) {
        if (def->discard) def->discard(def->context, result_of(c, i));
        if (why) *why = s->why;
        if (why && !why->text[0]) fo_fail(why, status, "%s", fo_status_text(status));
    } else {
        status = FO_OK;
        if (def->merge) status = def->merge(def->context, &replication, result_of(c, i), why);
    }
    if (fo_failed(status)) {
        if (why) why->status = status;
        fo_message_prefix(why, "replication %llu: ", (unsigned long long)replication.number);
        return status;
    }
    if (def->progress && !def->progress(def->context, i + 1, def->count))
        return fo_fail(why, FO_ERROR_CANCELLED, "cancelled after %llu of %llu replications",
                       (unsigned long long)(i + 1), (unsigned long long)def->count);
    return status == FO_STOPPED ? FO_STOPPED : FO_OK;
}

static fo_status run_alone(crew *c, fo_message *why)
{
    fo_status status = FO_OK;
    for (uint64_t i = 0; i < c->end && !status; i++) {
        replicate_one(c, i);
        status = merge_one(c, i, why);
    }
    return status;
}

/// The caller's part while others work.
static fo_status merge_all(crew *c, fo_message *why)
{
    fo_status status = FO_OK;
    pthread_mutex_lock(&c->lock);
    while (c->merged < c->end && !status) {
        slot *s = &c->slots[c->merged % c->window];
        while (!s->done) pthread_cond_wait(&c->ready, &c->lock);
        pthread_mutex_unlock(&c->lock);
        status = merge_one(c, c->merged, why);
        pthread_mutex_lock(&c->lock);
        s->done = false;
        c->merged++;
        if (status) c->end = c->merged; // no one takes another
        pthread_cond_broadcast(&c->room);
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}

static fo_status run_together(crew *c, pthread_t *workers, unsigned wanted, fo_message *why)
{
    unsigned started = 0;
    while (started < wanted && pthread_create(&workers[started], NULL, work, c) == 0) started++;
    if (started == 0) return run_alone(c, why);
    fo_status status = merge_all(c, why);
    for (unsigned k = 0; k < started; k++) pthread_join(workers[k], NULL);
    for (uint64_t i = c->merged; i < c->next && c->def->discard; i++)
        c->def->discard(c->def->context, result_of(c, i));
    return status;
}

static unsigned threads_of(const fo_replicate_def *def)
{
    unsigned threads = def->threads ? def->threads : 1;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    return threads < def->count ? threads : (unsigned)def->count;
}

fo_status fo_replicate(const fo_replicate_def *def, fo_message *why)
{
    if (!def->run) return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to replicate");
    if (def->count == 0) return FO_OK;
    if (def->ranks && def->ranks->count > 1) return foi_replicate_on_ranks(def, why);
    unsigned threads = threads_of(def);
    crew c = {.def = def, .end = def->count, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_cond_init(&c.room, NULL);
    pthread_cond_init(&c.ready, NULL);
    c.window = threads > 1 ? (uint64_t)threads * SLOTS_PER_WORKER : 1;
    // results begin where anything may begin, and on cache lines of their own
    bool fits = def->result_size < SIZE_MAX - 63;
    c.stride = fits ? (def->result_size + 63) / 64 * 64 : 0;
    c.slots = foi_new(def->allocator, c.window, sizeof *c.slots);
    c.results = fits ? foi_new(def->allocator, c.window, c.stride) : NULL;
    pthread_t *workers = foi_new(def->allocator, threads, sizeof *workers);
    fo_status status;
    if (!c.slots || !c.results || !workers)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the results of %llu replications",
                         (unsigned long long)c.window);
    else
        status = threads > 1 ? run_together(&c, workers, threads, why) : run_alone(&c, why);
    foi_free(def->allocator, workers);
    foi_free(def->allocator, c.results);
    foi_free(def->allocator, c.slots);
    pthread_cond_destroy(&c.room);
    pthread_cond_destroy(&c.ready);
    return status;
}
