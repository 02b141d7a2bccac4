// M/M/1: one arrival process, one server, and a store of the customers who wait.
#include "worlds/worlds.h"

typedef struct counter {
    double arrival_rate, service_rate;
    uint64_t customers;
    fo_random arrivals, services;
    fo_store *line; ///< of times of arrival
    fo_tally *tally;
} counter;

static void arrive(fo_world *w, void *self)
{
    counter *c = self;
    for (uint64_t i = 0; i < c->customers; i++) {
        fo_hold(w, fo_random_negexp(&c->arrivals, c->arrival_rate));
        double now = fo_time(w);
        fo_store_put(w, c->line, &now);
    }
}

static void serve(fo_world *w, void *self)
{
    counter *c = self;
    fo_spawn(w, "arrivals", arrive, c);
    for (uint64_t i = 0; i < c->customers; i++) {
        double arrived;
        fo_store_get(w, c->line, &arrived);
        fo_hold(w, fo_random_negexp(&c->services, c->service_rate));
        fo_tally_add(c->tally, fo_time(w) - arrived);
    }
}

fo_status mm1(const fo_world_def *def, double arrival_rate, double service_rate, uint64_t customers,
              fo_tally *time_in_system, fo_message *why)
{
    fo_world *w = fo_world_create(def ? def : &(fo_world_def){.name = "mm1", .seed = 1}, why);
    if (!w) return FO_ERROR_MEMORY;
    counter c = {arrival_rate, service_rate, customers, .tally = time_in_system};
    c.arrivals = fo_random_stream(fo_world_seed(w), 0);
    c.services = fo_random_stream(fo_world_seed(w), 1);
    c.line = fo_store_create(w, "line", sizeof(double), 0);
    fo_status status = c.line ? fo_world_simulate(w, serve, &c) : FO_ERROR_MEMORY;
    return world_end(w, status, why);
}
