/// Waiting for other ranks, never for ever.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/mpi/cluster.h"

enum { SPINS = 2000 }; ///< tests before the core is offered to others

static double patience(const fo_cluster *c)
{
    return c->def.patience > 0 ? c->def.patience : 60;
}

/// Tests until all are done or the time is over.
static bool done_within(MPI_Request *requests, int count, double seconds)
{
    int done = 0;
    int64_t begun = foi_clock_now();
    for (uint64_t spin = 0;; spin++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return true;
        if (spin < SPINS) continue;
        sched_yield();
        if (spin % 64 == 0 && foi_clock_seconds(begun, foi_clock_now()) > seconds) return false;
    }
}

fo_status foi_wait(fo_cluster *c, MPI_Request *requests, int count, const int *peers,
                   const char *what, fo_message *why)
{
    int64_t begun = foi_clock_now();
    bool done = done_within(requests, count, patience(c));
    c->cost.wait += foi_clock_seconds(begun, foi_clock_now());
    if (done) return FO_OK;
    c->broken = true;
    for (int i = 0; peers && i < count; i++) {
        int there = 1;
        MPI_Test(&requests[i], &there, MPI_STATUS_IGNORE);
        if (there) continue;
        return fo_fail(why, FO_ERROR_INPUT,
                       "rank %d has waited %g s for %s of rank %d, which does not answer", c->rank,
                       patience(c), what, peers[i]);
    }
    return fo_fail(why, FO_ERROR_INPUT,
                   "rank %d has waited %g s for %s of the other ranks; one does not answer",
                   c->rank, patience(c), what);
}

// ---------------------------------------------------------------------------------------- agreeing

/// Nobody else prints this, and nobody else will end.
static fo_status alone(fo_cluster *c, fo_status status, double seconds, fo_message *why)
{
    if (status && !c->broken) fo_message_prefix(why, "rank %d: ", c->rank);
    c->broken = true;
    if (!status)
        status = fo_fail(why, FO_ERROR_INPUT,
                         "rank %d has waited %g s for the answers of the other ranks; one does not "
                         "answer",
                         c->rank, seconds);
    if (c->rank > 0) fprintf(stderr, "foliot run: %s\n", why->text);
    return status;
}

fo_status foi_agree(fo_cluster *c, fo_status status, double seconds, fo_message *why)
{
    struct {
        int status, rank;
    } mine = {fo_failed(status) ? (int)status : 0, c->rank}, worst = mine;
    MPI_Request request;
    double limit = seconds > 0 ? seconds : patience(c);
    if (c->ranks == 1) return status;
    if (c->broken) return alone(c, status, limit, why);
    MPI_Iallreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, c->aside, &request);
    if (!done_within(&request, 1, limit)) return alone(c, (fo_status)mine.status, limit, why);
    if (!worst.status) return status;
    char text[FO_MESSAGE_SIZE] = "";
    if (c->rank == worst.rank) snprintf(text, sizeof text, "%s", why->text);
    MPI_Ibcast(text, sizeof text, MPI_CHAR, worst.rank, c->aside, &request);
    if (!done_within(&request, 1, limit)) return alone(c, (fo_status)worst.status, limit, why);
    return fo_fail(why, (fo_status)worst.status, "%s", text);
}

// ---------------------------------------------------------------------------------------- watchdog

struct foi_watchdog {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool ended;
    double seconds;
    int rank;
    const char *what;
};

// What a library waits for cannot be given up, so the program ends here, and mpirun ends the rest.
static void *watch(void *self)
{
    foi_watchdog *w = self;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)w->seconds;
    until.tv_nsec += (long)(1e9 * (w->seconds - (double)(time_t)w->seconds));
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_mutex_lock(&w->lock);
    int late = 0;
    while (!w->ended && !late) late = pthread_cond_timedwait(&w->over, &w->lock, &until);
    bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (ended) return NULL;
    fprintf(stderr,
            "foliot run: rank %d has waited %g s for %s of the other ranks; one does not answer\n",
            w->rank, w->seconds, w->what);
    _exit(EXIT_FAILURE);
}

foi_watchdog *foi_watchdog_begin(fo_cluster *c, const char *what)
{
    foi_watchdog *w = foi_new(c->allocator, 1, sizeof *w);
    if (!w) return NULL;
    w->seconds = patience(c), w->rank = c->rank, w->what = what;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t steady; // nobody sets this clock
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&w->over, &steady);
    pthread_condattr_destroy(&steady);
    if (pthread_create(&w->thread, NULL, watch, w) == 0) return w;
    foi_free(c->allocator, w);
    return NULL;
}

void foi_watchdog_end(fo_cluster *c, foi_watchdog *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_signal(&w->over);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->over);
    foi_free(c->allocator, w);
}
