// A chain of dominoes: every stone that falls pushes the next; the number of equations varies.
#include <math.h>

#include "worlds/worlds.h"

static const double g = 9.81, m = 0.01, thickness = 0.008, z = 0.046;

typedef struct chain {
    int limit, pushed, falling;
    double ko, km, kr, phi_push, theta; ///< as in the source
    double velocity, distance;
} chain;

/// A stone lives on the stack of its process.
typedef struct stone {
    fo_level phi, omega;
    fo_continuous fall;
    chain *game;
} stone;

static void fall(fo_world *w, void *self)
{
    (void)w;
    stone *s = self;
    s->omega.rate = s->game->km * sin(s->phi.state) / s->game->theta;
    s->phi.rate = s->omega.state;
}

static void stone_life(fo_world *w, void *self);

// The push comes with the stone: it is the first thing that the new process reads.
typedef struct push {
    chain *game;
    double omega;
} push;

static void push_stone(fo_world *w, chain *game, double omega)
{
    push p = {game, omega};
    fo_process_def def = {"stone", stone_life, &p, .stack = 8 << 10, .forget = true};
    fo_activate(fo_process_make(w, &def)); // runs at once, while p is there
}

static void stone_life(fo_world *w, void *self)
{
    const push *p = self;
    stone s = {.game = p->game};
    chain *game = p->game;
    game->falling++;
    game->pushed++;
    fo_level_start_at(w, &s.phi, 0);
    fo_level_start_at(w, &s.omega, p->omega);
    fo_continuous_start(w, &s.fall, fall, &s);
    if (game->pushed < game->limit) {
        fo_wait_level(w, &s.phi, game->phi_push, FO_RISING);
        push_stone(w, game, game->ko * s.omega.state);
        s.omega.state *= game->kr;
    }
    fo_wait_level(w, &s.phi, acos(-1) / 2, FO_RISING);
    if (--game->falling == 0) fo_activate(fo_main(w));
}

static void play(fo_world *w, void *self)
{
    chain *s = self;
    double gap = s->distance - thickness;
    s->ko = 1 - gap * gap / (z * z);
    s->km = m * g * 0.5 * sqrt(thickness * thickness + z * z);
    s->kr = 1 - sqrt(s->ko);
    s->phi_push = asin(gap / z);
    s->theta = m * (thickness * thickness + z * z) / 3;
    push_stone(w, s, z / 2 * 1.0e-5 / s->theta);
    fo_passivate(w); // until the last stone lies
    s->velocity = s->distance * (s->pushed - 1) / fo_time(w);
}

fo_status dominoes(const fo_world_def *def, int stones, double distance, double *velocity,
                   fo_message *why)
{
    const fo_world_def usual = {
        .name = "dominoes", .dt_max = 0.2, .max_abs_error = 1e-4, .max_rel_error = 1e-4};
    if (!(distance > thickness && distance < thickness + z) || stones < 2)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "at least 2 stones stand at a distance between %g and %g m, not %d at %g",
                       thickness, thickness + z, stones, distance);
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    chain s = {.limit = stones, .distance = distance};
    fo_status status = fo_world_simulate(w, play, &s);
    *velocity = s.velocity;
    return world_end(w, status, why);
}

// Golden section: of the four points a < x1 < x2 < b one is given up in each turn.
fo_status dominoes_fastest(const fo_world_def *def, double tolerance, double *distance,
                           double *velocity, fo_message *why)
{
    const double f = (sqrt(5) - 1) / 2;
    double a = thickness, b = thickness + z;
    double x1 = b - f * (b - a), x2 = a + f * (b - a), y1, y2;
    fo_status status = dominoes(def, 55, x1, &y1, why);
    if (status == FO_OK) status = dominoes(def, 55, x2, &y2, why);
    while (status == FO_OK && b - x1 > tolerance) {
        if (y1 >= y2) {
            b = x2, x2 = x1, y2 = y1;
            x1 = b - f * (b - a);
            status = dominoes(def, 55, x1, &y1, why);
        } else {
            a = x1, x1 = x2, y1 = y2;
            x2 = a + f * (b - a);
            status = dominoes(def, 55, x2, &y2, why);
        }
    }
    if (status != FO_OK) return status;
    *distance = y1 >= y2 ? x1 : x2;
    *velocity = y1 >= y2 ? y1 : y2;
    return FO_OK;
}
