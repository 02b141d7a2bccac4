// A chain of dominoes: every stone that falls pushes the next; the number of equations varies.
#include <math.h>

#include "math/math.h"
#include "worlds/worlds.h"

static const double g = 9.81, m = 0.01, thickness = 0.008, z = 0.046;

enum { TRIES = 64 };

typedef struct chain {
    double stones, distance, tolerance; ///< parameters
    double falling, velocity, best;     ///< stones; of the chain, and where it is largest
    int limit, pushed;
    double ko, km, kr, phi_push, theta; ///< as in the source
    fo_process *player;
    double tried[TRIES], found[TRIES]; ///< distances and velocities
    size_t tries;
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
    s->omega.rate = s->game->km * foi_sin(s->phi.state) / s->game->theta;
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
    fo_wait_level(w, &s.phi, foi_acos(-1) / 2, FO_RISING);
    if (--game->falling == 0) fo_activate(game->player);
}

// One game with the stones at this distance; returns the velocity of the chain.
static double play(fo_world *w, chain *s, double distance)
{
    double gap = distance - thickness, begun = fo_time(w);
    s->ko = 1 - gap * gap / (z * z);
    s->km = m * g * 0.5 * sqrt(thickness * thickness + z * z);
    s->kr = 1 - sqrt(s->ko);
    s->phi_push = foi_asin(gap / z);
    s->theta = m * (thickness * thickness + z * z) / 3;
    s->player = fo_current(w);
    s->pushed = 0;
    push_stone(w, s, z / 2 * 1.0e-5 / s->theta);
    fo_passivate(w); // until the last stone lies
    double velocity = distance * (s->pushed - 1) / (fo_time(w) - begun);
    if (s->tries < TRIES) s->tried[s->tries] = distance, s->found[s->tries++] = velocity;
    return velocity;
}

// Golden section: of the four points a < x1 < x2 < b one is given up in each turn.
static void search(fo_world *w, chain *s)
{
    const double f = (sqrt(5) - 1) / 2;
    double a = thickness, b = thickness + z;
    double x1 = b - f * (b - a), x2 = a + f * (b - a);
    double y1 = play(w, s, x1), y2 = play(w, s, x2);
    while (b - x1 > s->tolerance) {
        if (y1 >= y2) {
            b = x2, x2 = x1, y2 = y1;
            x1 = b - f * (b - a);
            y1 = play(w, s, x1);
        } else {
            a = x1, x1 = x2, y1 = y2;
            x2 = a + f * (b - a);
            y2 = play(w, s, x2);
        }
    }
    s->best = y1 >= y2 ? x1 : x2;
    s->velocity = foi_fmax(y1, y2);
}

static void game(fo_world *w, void *self)
{
    chain *s = self;
    s->limit = fo_world_whole(w, "stones", s->stones);
    if (s->distance == 0) {
        search(w, s);
        return;
    }
    if (!(s->distance > thickness && s->distance < thickness + z) || s->limit < 2) {
        fo_world_fail(w, FO_ERROR_ARGUMENT,
                      "at least 2 stones stand at a distance between %g and %g m, not %d at %g",
                      thickness, thickness + z, s->limit, s->distance);
        return;
    }
    s->best = s->distance;
    s->velocity = play(w, s, s->distance);
}

static fo_status play_alone(const fo_world_def *def, chain *s, fo_message *why)
{
    const fo_world_def usual = {
        .name = "dominoes", .dt_max = 0.2, .max_abs_error = 1e-4, .max_rel_error = 1e-4};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    return world_end(w, fo_world_simulate(w, game, s), why);
}

fo_status dominoes(const fo_world_def *def, int stones, double distance, double *velocity,
                   fo_message *why)
{
    chain s = {.stones = stones, .distance = distance};
    fo_status status = play_alone(def, &s, why);
    *velocity = s.velocity;
    return status;
}

fo_status dominoes_fastest(const fo_world_def *def, double tolerance, double *distance,
                           double *velocity, fo_message *why)
{
    chain s = {.stones = 55, .tolerance = tolerance};
    fo_status status = play_alone(def, &s, why);
    *distance = s.best, *velocity = s.velocity;
    return status;
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(chain, stones, "stones", NULL, 55, "in a row", 2, 1e6, .type = FO_INTEGER),
    FO_WORLD_NUMBER(chain, distance, "distance", "m", 0,
                    "from stone to stone; 0: the one at which the chain is fastest is searched", 0,
                    1),
    FO_WORLD_TUNABLE(chain, tolerance, "tolerance", "m", 0.001, "of the search", 1e-12, 1)};
static const fo_world_number outputs[] = {FO_WORLD_NUMBER(chain, falling, "falling"),
                                          FO_WORLD_NUMBER(chain, best, "best-distance", "m"),
                                          FO_WORLD_NUMBER(chain, velocity, "velocity", "m/s")};
static const char *const plot[] = {"falling", NULL};
static const char *const results[] = {"best-distance", "velocity", NULL};

static void report(const void *record, double now, FILE *out)
{
    const chain *s = record;
    (void)now;
    fprintf(out, "  distance [m]  velocity [m/s]\n");
    for (size_t i = 0; i < s->tries; i++)
        fprintf(out, "  %12.7f  %14.7f\n", s->tried[i], s->found[i]);
}

static bool graph(const void *record, fo_world_graph *picture)
{
    const chain *s = record;
    *picture = (fo_world_graph){.title = "the velocity of the chain against the distance",
                                .x_label = "distance [m]",
                                .y_label = "velocity [m/s]",
                                .x = s->tried,
                                .y = s->found,
                                .count = s->tries,
                                .style = FO_CURVE_POINTS};
    return s->tries > 1;
}

extern const fo_world_model world_dominoes;
const fo_world_model world_dominoes = {
    .name = "dominoes",
    .about = "stones in a row, each pushes the next: at which distance is the chain fastest?",
    .equations = "theta phi'' = m g r sin(phi), of each stone that falls",
    .stop = 100,
    .interval = 0.05,
    .dt_max = 0.2,
    .max_rel_error = 1e-8,
    .max_abs_error = 1e-8,
    .size = sizeof(chain),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .actions = game,
    .ends = true,
    .report = report,
    .graph = graph};
