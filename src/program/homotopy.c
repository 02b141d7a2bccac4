/// The way to the start from simplified equations to the actual ones (equations/homotopy.c).
///
///     lambda = 0: the simplified initial system, from the start values
///     lambda > 0: from the solution before, in steps that are halved where there is none
///
/// Relations are, at each lambda, what the solution there makes them. So of several starts the one
/// is found that the simplified equations lead to: a trigger that is at its lower limit where they
/// put it, and not in the unstable middle. At the end the ordinary start begins where the way
/// ended.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program/moment.h"

enum { MOST_STEPS = 100 };
static const double shortest = 0x1p-12;

typedef struct way {
    foi_moment *m;
    double *starts; ///< states | discretes | lambda
    double *first;  ///< guesses | relations, before all
    double *last;   ///< the same of the last lambda with a solution
    double *found;  ///< guesses
    void *block;
} way;

static bool begin(way *w, foi_moment *m, double *starts)
{
    size_t n = m->g->guesses, all = n + m->g->relations;
    double *at = w->block = foi_new(NULL, n + 2 * all, sizeof *at);
    if (!at) return false;
    w->m = m, w->starts = starts;
    w->found = at, w->first = at + n, w->last = at + n + all;
    return true;
}

static void keep(const way *w, double *to)
{
    const foi_program *g = w->m->g;
    memcpy(to, foi_memory(w->m->s, g->guess), g->guesses * sizeof *to);
    memcpy(to + g->guesses, w->m->held, g->relations * sizeof *to);
}

static void go_back(const way *w, const double *to)
{
    const foi_program *g = w->m->g;
    memcpy(foi_memory(w->m->s, g->guess), to, g->guesses * sizeof *to);
    memcpy(w->m->held, to + g->guesses, g->relations * sizeof *to);
}

// The relations of the initial system that was just solved.
static bool look(way *w, const double *relations)
{
    foi_moment *m = w->m;
    bool changed = false;
    for (uint32_t r = 0; r < m->g->relations; r++) {
        if (m->g->relation_op[r] == FOI_G_FLOOR || !isfinite(relations[r])) continue;
        double now = foi_moment_truth_now(m, r, relations[r]);
        changed |= now != m->held[r];
        m->held[r] = now;
    }
    return changed;
}

// FO_OK, FO_ERROR_CONVERGE or FO_ERROR_MEMORY.
static fo_status solve_at(way *w, double lambda)
{
    foi_moment *m = w->m;
    const foi_program *g = m->g;
    const foi_code *code = &g->codes[FOI_TASK_START];
    double *results = m->results + g->codes[FOI_TASK_MOMENT].result_count;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    foi_solving solving = {.found = w->found};
    given.from[FOI_LEAF_START] = w->starts;
    w->starts[g->about.states.count + g->about.discretes.count] = lambda;
    for (int turns = 0; turns < FOI_MOST_TURNS; turns++) {
        memcpy(w->found, given.guesses, g->guesses * sizeof *w->found);
        fo_status status = foi_program_run_once(g, m->s, FOI_TASK_START, &given, &solving, results);
        if (status != FO_OK) return status;
        memcpy(foi_memory(m->s, g->guess), w->found, g->guesses * sizeof *w->found);
        if (!look(w, results + code->result_count - g->relations)) return FO_OK;
    }
    return FO_ERROR_CONVERGE;
}

static fo_status go(way *w, foi_way_gone *gone)
{
    double by = 0.25;
    keep(w, w->first);
    fo_status status = solve_at(w, 0);
    gone->steps = 1;
    if (status != FO_OK) return status;
    for (gone->lambda = 0; gone->lambda < 1 && by >= shortest; gone->steps++) {
        if (gone->steps == MOST_STEPS) return FO_ERROR_CONVERGE;
        double next = fmin(1, gone->lambda + by);
        keep(w, w->last);
        status = solve_at(w, next);
        if (status != FO_OK && status != FO_ERROR_CONVERGE) return status;
        if (status == FO_OK)
            gone->lambda = next, by *= 2;
        else
            go_back(w, w->last), by *= 0.25;
    }
    return gone->lambda == 1 ? FO_OK : FO_ERROR_CONVERGE;
}

fo_status foi_moment_homotopy(foi_moment *m, double *starts, foi_way_gone *gone)
{
    const foi_program *g = m->g;
    way w = {0};
    *gone = (foi_way_gone){.lambda = -1};
    double *lambda = starts + g->about.states.count + g->about.discretes.count;
    *lambda = 1;
    if (!g->homotopy || !g->codes[FOI_TASK_START].loop_count) return FO_OK;
    if (!begin(&w, m, starts))
        return fo_fail(m->s->message, FO_ERROR_MEMORY, "no memory for the start");
    fo_status status = go(&w, gone);
    gone->failed = status == FO_ERROR_CONVERGE;
    if (gone->failed) go_back(&w, w.first), status = FO_OK; // as if nothing had been tried
    *lambda = 1;
    foi_free(NULL, w.block);
    return status;
}

void foi_moment_say_way(const foi_moment *m, const foi_way_gone *gone)
{
    fo_message *message = m->s->message;
    if (gone->steps == 0 || !message) return;
    size_t length = strlen(message->text);
    char *end = message->text + length;
    size_t room = sizeof message->text - length;
    if (gone->failed && gone->lambda < 0)
        snprintf(end, room,
                 "; tried before: homotopy, whose simplified equations have no solution");
    else if (gone->failed)
        snprintf(end, room,
                 "; tried before: homotopy, %d steps from the simplified equations to "
                 "lambda = %.4g",
                 gone->steps, gone->lambda);
    else
        snprintf(end, room, "; it began where homotopy had led in %d steps", gone->steps);
}
