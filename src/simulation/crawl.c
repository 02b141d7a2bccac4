/// Steps that crawl.
///
/// Where a model refuses what lies ahead (the solution of a loop ends there, in a fold) steps
/// become shorter and shorter until rounding errors stop that: the state moves by less than its
/// last bit, and the run would go on so for ever. A thousand steps in a row, so short that a
/// million of them would not end the run, with a refusal at some of their lengths ahead whenever
/// that is tried, end it with a message.
///
/// The steps of an explicit method may be short for its stability. Those of a stiff one are as long
/// as its error allows; on a straight line they are as long as they like. Where it takes a thousand
/// of them along one, they are short for another reason: its iteration converges with short ones
/// only, because rates bend sharply somewhere (loops through diodes) or are not smooth. It may go
/// on like that for ever, and with every step accepted.
///
/// So of a thousand such short steps in a row states are remembered: near the beginning and in the
/// middle. If they were there where the line from the beginning to the end is, but for some
/// tolerances, the run ends with a message. (A method that was chosen here gives way before:
/// stiffness.c.) What swings comes back to where it was, so the numbers of steps between them have
/// no divisor in common: else a method that takes 50 steps a period would be found on a line.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { POINTS = FOI_CRAWL_POINTS, MOST = 1000, TOLERANCES = 4, MOST_FLIPS = 10000 };
static const uint64_t places[POINTS] = {200, 337, 549, 788}; // steps after which states are kept

static bool is_watched(const foi_solver *o)
{
    return o->n && (o->method->info.traits & FO_ADAPTIVE);
}

// Methods of Rosenbrock solve linear systems only.
static bool iterates(const foi_solver *o)
{
    return strcmp(o->method->info.name, "rodas4") != 0;
}

// To the next place and no farther.
uint64_t foi_crawl_budget(const fo_simulation *sim, uint64_t budget)
{
    const foi_solver *o = &sim->solver;
    uint64_t steps = foi_is_stiff(o) ? sim->crawl.steps : 0, far = MOST - steps % MOST;
    if (!is_watched(o)) return budget;
    for (int k = POINTS - 1; k >= 0; k--)
        if (places[k] > steps) far = places[k] - steps;
    return budget > far ? far : budget;
}

static bool is_brief(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    double step = o->t1 - o->t0;
    if (!foi_crawl_brief(sim)) return false;
    bool asked = o->max_step > 0 && step >= o->max_step / 2;
    return !asked && o->t1 < sim->def.stop;
}

// Whether the model refuses what lies some steps ahead.
static bool is_refused(fo_simulation *sim)
{
    enum { AHEAD = 64 };
    foi_solver *o = &sim->solver;
    double h = AHEAD * (o->t1 - o->t0);
    if (!sim->system.type->rates || foi_solver_f1(o) != FO_OK) return false;
    double *x = foi_new(sim->allocator, 2 * (size_t)o->n, sizeof *x);
    if (!x) return false; // then nothing is watched
    for (uint32_t i = 0; i < o->n; i++) x[i] = o->x1[i] + h * o->f1[i];
    bool refused = foi_rates(o, o->t1 + h, x, x + o->n) == FO_RETRY;
    foi_free(sim->allocator, x);
    return refused;
}

// Remembers where it is now. Without memory nothing is watched.
static void note(fo_simulation *sim, int which)
{
    foi_crawl *c = &sim->crawl;
    const foi_solver *o = &sim->solver;
    if (c->n != o->n) {
        foi_crawl_forget(sim);
        c->x = foi_new(sim->allocator, POINTS * (size_t)o->n, sizeof *c->x);
        if (!c->x) return;
        c->n = o->n;
    }
    c->t[which] = o->t1;
    memcpy(c->x + (size_t)which * c->n, o->x1, c->n * sizeof *c->x);
}

// How far the states were at two of the places, in tolerances, from the parabola through the first,
// the last and the present.
static double bend(const fo_simulation *sim)
{
    enum { LAST = POINTS - 1 };
    const foi_crawl *c = &sim->crawl;
    const foi_solver *o = &sim->solver;
    double far = o->t1 - c->t[0], b = (c->t[LAST] - c->t[0]) / far, most = 0;
    for (int k = 1; k < LAST; k++) {
        // Lagrange's form at a, with time counted from the first place in parts of what is left
        double a = (c->t[k] - c->t[0]) / far, of_0 = (a - b) * (a - 1) / b;
        double of_b = a * (a - 1) / (b * (b - 1)), of_1 = a * (a - b) / (1 - b);
        for (uint32_t i = 0; i < c->n; i++) {
            const double *x = c->x + i, *then = x + (size_t)k * c->n, *last = x + LAST * c->n;
            double off = fabs(of_0 * *x + of_b * *last + of_1 * o->x1[i] - *then);
            double tolerance = o->atol + o->rtol * foi_fmax(fabs(*x), fabs(o->x1[i]));
            if (off > 0) most = foi_fmax(most, off / tolerance);
        }
    }
    return most;
}

static bool has_come(const foi_crawl *c, uint64_t before, uint64_t place)
{
    return before < place && c->steps >= place;
}

static fo_status comes_to_refusal(fo_simulation *sim, double apart)
{
    foi_solver *o = &sim->solver;
    return foi_fail_because(o, FO_ERROR_STEP,
                            "%s crawls at t = %.15g: the last %d steps, about %.2g s each, came to "
                            "where the model refuses longer ones",
                            o->method->info.name, o->t1, MOST, apart);
}

static fo_status goes_back_and_forth(fo_simulation *sim, int steps, uint32_t which)
{
    const foi_solver *o = &sim->solver;
    return fo_fail(&sim->message, FO_ERROR_STEP,
                   "%s crawls at t = %.15g: the last %d steps, the last %.2g s long, went back and "
                   "forth across a jump of the rate of '%s' that no moment tells of: a relation in "
                   "noEvent or in a function, or a guard that is not there. With one the solution "
                   "slides along it",
                   o->method->info.name, o->t1, steps, o->t1 - o->t0,
                   fo_system_variable(sim->system, (fo_reference){FO_STATE, which})->name);
}

// Every so many of them.
static fo_status look_at_flips(fo_simulation *sim)
{
    foi_crawl *c = &sim->crawl;
    uint32_t which;
    c->flips = foi_rates_flip(sim, &which) ? c->flips + places[0] : 0;
    return c->flips < MOST_FLIPS ? FO_OK : goes_back_and_forth(sim, MOST_FLIPS, which);
}

static fo_status look_at_refusals(fo_simulation *sim, uint64_t steps)
{
    foi_crawl *c = &sim->crawl;
    foi_solver *o = &sim->solver;
    uint64_t before = c->steps;
    c->steps = is_brief(sim) && is_watched(o) ? before + steps : 0;
    if (!c->steps) c->flips = 0;
    if (!c->steps && !before) return FO_OK; // as nearly always
    if (c->steps / places[0] == before / places[0]) return FO_OK;
    if (foi_rate_escapes(sim)) return FO_ERROR_STEP;
    if (!is_refused(sim)) {
        c->steps = 0;
        return look_at_flips(sim);
    }
    if (c->steps < MOST) return FO_OK;
    return comes_to_refusal(sim, o->t1 - o->t0);
}

fo_status foi_crawl_count(fo_simulation *sim, uint64_t steps)
{
    foi_crawl *c = &sim->crawl;
    const foi_solver *o = &sim->solver;
    uint64_t before = c->steps;
    if (!foi_is_stiff(o)) return look_at_refusals(sim, steps);
    bool counts = is_watched(o) && is_brief(sim) && (before < places[0] || c->n == o->n);
    c->steps = counts ? before + steps : 0;
    for (int k = 0; k < POINTS; k++)
        if (has_come(c, before, places[k]) && (k == 0 || c->n == o->n)) note(sim, k);
    if (c->steps < MOST || c->n != o->n) return FO_OK;
    double off = bend(sim), apart = (o->t1 - c->t[0]) / (double)(MOST - places[0]);
    c->steps = 0;
    if (!(off <= TOLERANCES)) return FO_OK;
    if (is_refused(sim)) return comes_to_refusal(sim, apart);
    uint32_t which;
    if (foi_rates_flip(sim, &which)) return goes_back_and_forth(sim, MOST, which);
    const char *why = iterates(o)
                          ? "its iteration, not its error, keeps them short; choose rodas4, which "
                            "does not iterate, or no solver"
                          : "rates that are not smooth, or known to a few digits only, keep them "
                            "short; choose a larger tolerance, or no solver";
    return fo_fail(&sim->message, FO_ERROR_STEP,
                   "%s crawls at t = %.15g: the last %d steps, about %.2g s each, were along a "
                   "parabola, so that %s",
                   o->method->info.name, o->t1, MOST, apart, why);
}

void foi_crawl_forget(fo_simulation *sim)
{
    foi_free(sim->allocator, sim->crawl.x);
    sim->crawl = (foi_crawl){0};
}
