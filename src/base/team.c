#include "base/team.h"

#include <foliot/threads.h>
#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

enum { TEAM = 64 };

unsigned fo_cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t set; // those that this process may use
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static uint32_t team(uint32_t threads, uint32_t rows)
{
    uint32_t most = rows < TEAM ? rows : TEAM;
    if (threads > most) threads = most;
    return threads ? threads : 1;
}

uint32_t foi_team_share(uint32_t threads, uint32_t rows, uint32_t i)
{
    return (uint32_t)((uint64_t)rows * i / team(threads, rows));
}

#ifdef __wasm__ // no threads

void foi_in_parallel(uint32_t threads, uint32_t rows, foi_rows_work work, void *self)
{
    uint32_t parts = team(threads, rows);
    for (uint32_t i = 0; i < parts; i++)
        work(self, foi_team_share(threads, rows, i), foi_team_share(threads, rows, i + 1));
}

#else

#include <pthread.h>

typedef struct share {
    foi_rows_work work;
    void *self;
    uint32_t from, to;
} share;

static void *run_share(void *self)
{
    const share *s = self;
    s->work(s->self, s->from, s->to);
    return NULL;
}

void foi_in_parallel(uint32_t threads, uint32_t rows, foi_rows_work work, void *self)
{
    share shares[TEAM];
    pthread_t members[TEAM];
    bool started[TEAM] = {false};
    threads = team(threads, rows);
    if (threads <= 1) {
        work(self, 0, rows);
        return;
    }
    for (uint32_t i = 0; i < threads; i++)
        shares[i] = (share){work, self, foi_team_share(threads, rows, i),
                            foi_team_share(threads, rows, i + 1)};
    for (uint32_t i = 1; i < threads; i++)
        started[i] = pthread_create(&members[i], NULL, run_share, &shares[i]) == 0;
    run_share(&shares[0]);
    // where no thread could be had, its rows are worked on here
    for (uint32_t i = 1; i < threads; i++) {
        if (started[i])
            pthread_join(members[i], NULL);
        else
            run_share(&shares[i]);
    }
}

#endif
