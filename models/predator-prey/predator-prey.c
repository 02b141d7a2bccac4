// Predators and prey: the first program of its source, which finds the period of the system.
#include "worlds/worlds.h"

typedef struct pond {
    fo_level predator, prey;
    fo_continuous dynamics;
    double death, fed, birth, eaten, predators, preys; ///< parameters
    predator_prey_result result;
} pond;

static void dynamics(fo_world *w, void *self)
{
    (void)w;
    pond *p = self;
    p->predator.rate = (-p->death + p->fed * p->prey.state) * p->predator.state;
    p->prey.rate = (p->birth - p->eaten * p->predator.state) * p->prey.state;
}

static double growth(fo_world *w, void *self)
{
    (void)w;
    return ((pond *)self)->prey.rate;
}

static void live(fo_world *w, void *self)
{
    pond *p = self;
    fo_level_start_at(w, &p->predator, p->predators);
    fo_level_start_at(w, &p->prey, p->preys);
    fo_continuous_start(w, &p->dynamics, dynamics, p);
    fo_wait_zero(w, growth, p, FO_FALLING);
    p->result.first = fo_time(w);
    p->result.prey = p->prey.state;
    fo_wait_zero(w, growth, p, FO_FALLING);
    p->result.period = fo_time(w) - p->result.first;
}

fo_status predator_prey(const fo_world_def *def, predator_prey_result *result, fo_message *why)
{
    const fo_world_def usual = {.name = "predator-prey", .dt_max = 1, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    pond p = {.death = 0.3, .fed = 3.0e-7, .birth = 0.3, .eaten = 3.0e-4};
    p.predators = 1000, p.preys = 100000;
    fo_status status = fo_world_simulate(w, live, &p);
    *result = p.result;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_TUNABLE(pond, death, "death", NULL, 0.3, "of predators without prey", 0, 1e3),
    FO_WORLD_TUNABLE(pond, fed, "fed", NULL, 3.0e-7, "growth of predators, for each prey", 0, 1),
    FO_WORLD_TUNABLE(pond, birth, "birth", NULL, 0.3, "of prey without predators", 0, 1e3),
    FO_WORLD_TUNABLE(pond, eaten, "eaten", NULL, 3.0e-4, "part of the prey that a predator eats", 0,
                     1),
    FO_WORLD_NUMBER(pond, predators, "predators", NULL, 1000, "at the start", 0, 1e12),
    FO_WORLD_NUMBER(pond, preys, "preys", NULL, 100000, "at the start", 0, 1e12)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(pond, predator.state, "predator"), FO_WORLD_NUMBER(pond, prey.state, "prey"),
    FO_WORLD_NUMBER(pond, result.first, "first"), FO_WORLD_NUMBER(pond, result.period, "period"),
    FO_WORLD_NUMBER(pond, result.prey, "most")};
static const char *const plot[] = {"prey", NULL};
static const char *const results[] = {"first", "period", "most", NULL};

extern const fo_world_model world_predator_prey;
const fo_world_model world_predator_prey = {
    .name = "predator-prey",
    .about = "predators and prey: waves of the one after the other",
    .equations = "predator' = (-death + fed prey) predator\nprey' = (birth - eaten predator) prey",
    .stop = 100,
    .interval = 0.1,
    .dt_max = 1,
    .max_rel_error = 1e-8,
    .size = sizeof(pond),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .actions = live};
