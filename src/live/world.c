// Many live objects on several threads. The objects do not touch each other, so that the bits do
// not depend on who advances which; the threads take the next one from a common counter, and all
// meet before and after.
#include <stdatomic.h>

#include "base/memory.h"
#include "base/threads.h"
#include "live/internal.h"

enum { MOST_THREADS = 256 };

struct fo_live_world {
    const fo_allocator *allocator;
    fo_clock clock;
    fo_live *const *objects;
    fo_status *status; ///< per object
    size_t count;
    unsigned threads; ///< with the caller's
    pthread_t *workers;
    unsigned started;

    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t round; ///< under the lock: which advance this is
    unsigned busy;  ///< under the lock: workers that have not ended it
    bool over;
    int64_t now;
    atomic_size_t next; ///< object that nobody has taken yet
};

static void advance_some(fo_live_world *w)
{
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->status[i] = fo_live_advance_at(w->objects[i], w->now);
}

static void *work(void *argument)
{
    fo_live_world *w = argument;
    uint64_t done = 0;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->over && w->round == done) pthread_cond_wait(&w->begin, &w->lock);
        if (w->over) break;
        done = w->round;
        pthread_mutex_unlock(&w->lock);
        advance_some(w);
        pthread_mutex_lock(&w->lock);
        if (--w->busy == 0) pthread_cond_signal(&w->end);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static unsigned thread_count(unsigned asked, size_t objects)
{
    unsigned count = asked ? asked : 1;
    if (count > MOST_THREADS) count = MOST_THREADS;
    if (count > objects) count = objects ? (unsigned)objects : 1;
    return count;
}

fo_live_world *fo_live_world_create(fo_live *const *objects, size_t count, unsigned threads,
                                    fo_clock clock, const fo_allocator *allocator, fo_message *why)
{
    fo_live_world *w = foi_new(allocator, 1, sizeof *w);
    if (w) {
        w->allocator = allocator;
        w->clock = clock.now ? clock : fo_machine_clock();
        w->objects = objects, w->count = count;
        w->threads = thread_count(threads, count);
        w->status = foi_new(allocator, count, sizeof *w->status);
        w->workers = foi_new(allocator, w->threads, sizeof *w->workers);
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->begin, NULL);
        pthread_cond_init(&w->end, NULL);
    }
    if (!w || !w->status || !w->workers) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a world of %zu objects", count);
        fo_live_world_destroy(w);
        return NULL;
    }
    while (w->started + 1 < w->threads &&
           pthread_create(&w->workers[w->started], NULL, work, w) == 0)
        w->started++;
    w->threads = w->started + 1; // fewer where the system gives no more
    return w;
}

// All objects are over: stopped; one that has failed goes first.
static fo_status verdict(const fo_live_world *w)
{
    fo_status result = FO_STOPPED;
    for (size_t i = 0; i < w->count; i++) {
        if (fo_failed(w->status[i])) return w->status[i];
        if (w->status[i] == FO_REACHED) result = FO_REACHED;
    }
    return result;
}

fo_status fo_live_world_advance(fo_live_world *w)
{
    w->now = w->clock.now(w->clock.self);
    atomic_store(&w->next, 0);
    if (w->started) {
        pthread_mutex_lock(&w->lock);
        w->busy = w->started;
        w->round++;
        pthread_cond_broadcast(&w->begin);
        pthread_mutex_unlock(&w->lock);
    }
    advance_some(w);
    if (w->started) {
        pthread_mutex_lock(&w->lock);
        while (w->busy) pthread_cond_wait(&w->end, &w->lock);
        pthread_mutex_unlock(&w->lock);
    }
    return verdict(w);
}

unsigned fo_live_world_threads(const fo_live_world *world)
{
    return world->threads;
}

void fo_live_world_destroy(fo_live_world *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_broadcast(&w->begin);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->started; i++) pthread_join(w->workers[i], NULL);
    pthread_cond_destroy(&w->begin);
    pthread_cond_destroy(&w->end);
    pthread_mutex_destroy(&w->lock);
    foi_free(w->allocator, w->workers);
    foi_free(w->allocator, w->status);
    foi_free(w->allocator, w);
}
