#include "cluster/slots/overlap.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

static void compute(foi_tdma_overlap *o)
{
    int64_t begun = foi_clock_now();
    o->status = FO_OK;
    for (uint32_t i = 0; i < o->steps && !o->status; i++) {
        for (int side = 0; side < 6; side++) {
            size_t size = foi_tdma_face_size(o->part, side);
            if (o->known[side]) foi_tdma_halo_put(o->part, side, o->ahead[side] + i * size);
        }
        o->status = foi_tdma_part_advance(o->part, &o->why);
    }
    o->finished = foi_clock_now();
    o->computing = o->finished - begun;
}

static void *work(void *self)
{
    foi_tdma_overlap *o = self;
    pthread_mutex_lock(&o->lock);
    while (o->phase != FOI_OVERLAP_QUITS) {
        if (o->phase == FOI_OVERLAP_IDLE) {
            pthread_cond_wait(&o->changed, &o->lock);
            continue;
        }
        pthread_mutex_unlock(&o->lock);
        compute(o);
        pthread_mutex_lock(&o->lock);
        if (o->phase == FOI_OVERLAP_WORKS) o->phase = FOI_OVERLAP_IDLE;
        pthread_cond_signal(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

// Who sends has to be able to wake while this one computes, also on a machine of one core.
static void lower(pthread_t thread)
{
    struct sched_param p;
    int policy;
    if (pthread_getschedparam(pthread_self(), &policy, &p) != 0 || policy != SCHED_FIFO) return;
    if (p.sched_priority > sched_get_priority_min(SCHED_FIFO)) p.sched_priority--;
    pthread_setschedparam(thread, policy, &p);
}

fo_status foi_tdma_overlap_open(foi_tdma_overlap *o, foi_tdma_part *part, uint32_t steps,
                                uint32_t probes, const fo_allocator *allocator, fo_message *why)
{
    *o = (foi_tdma_overlap){.part = part, .steps = steps, .allocator = allocator};
    bool good = (o->probes = foi_new(allocator, probes, sizeof *o->probes));
    for (int side = 0; side < 6; side++) {
        size_t size = foi_tdma_face_size(part, side);
        o->faces[side] = foi_new(allocator, size, sizeof(double));
        o->ahead[side] = foi_new(allocator, steps * size, sizeof(double));
        good = good && o->faces[side] && o->ahead[side];
    }
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    if (good) good = o->begun = pthread_create(&o->thread, NULL, work, o) == 0;
    if (!good) return fo_fail(why, FO_ERROR_MEMORY, "no memory for computing beside the slots");
    lower(o->thread);
    return FO_OK;
}

void foi_tdma_overlap_keep(foi_tdma_overlap *o, uint32_t probes)
{
    for (int side = 0; side < 6; side++)
        if (foi_tdma_face_size(o->part, side)) foi_tdma_face_get(o->part, side, o->faces[side]);
    for (uint32_t i = 0; i < probes; i++)
        if (!foi_tdma_part_probe(o->part, i, &o->probes[i])) o->probes[i] = NAN;
}

void foi_tdma_overlap_begin(foi_tdma_overlap *o)
{
    pthread_mutex_lock(&o->lock);
    o->phase = FOI_OVERLAP_WORKS;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

fo_status foi_tdma_overlap_wait(foi_tdma_overlap *o)
{
    pthread_mutex_lock(&o->lock);
    while (o->phase == FOI_OVERLAP_WORKS) pthread_cond_wait(&o->changed, &o->lock);
    pthread_mutex_unlock(&o->lock);
    return o->status;
}

void foi_tdma_overlap_close(foi_tdma_overlap *o)
{
    if (!o->part) return;
    if (o->begun) {
        pthread_mutex_lock(&o->lock);
        o->phase = FOI_OVERLAP_QUITS;
        pthread_cond_signal(&o->changed);
        pthread_mutex_unlock(&o->lock);
        pthread_join(o->thread, NULL);
    }
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    foi_free(o->allocator, o->probes);
    for (int side = 0; side < 6; side++) {
        foi_free(o->allocator, o->faces[side]);
        foi_free(o->allocator, o->ahead[side]);
    }
    o->part = NULL;
}
