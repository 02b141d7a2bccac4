// A bank with one clerk and customers who lose patience.
#include "worlds/worlds.h"

typedef struct hall {
    fo_resource *clerk;
    fo_random arrivals, services, patience;
    double arrival_rate, service_rate, patience_rate, hours;
    bank_result *result;
} hall;

static void customer(fo_world *w, void *self)
{
    hall *h = self;
    double arrived = fo_time(w);
    fo_request request = {.patience = fo_random_negexp(&h->patience, h->patience_rate)};
    h->result->customers++;
    if (fo_seize_with(w, h->clerk, &request) == FO_TIMED_OUT) {
        h->result->reneged++;
        return;
    }
    fo_tally_add(&h->result->wait, fo_time(w) - arrived);
    fo_hold(w, fo_random_negexp(&h->services, h->service_rate));
    fo_release(w, h->clerk);
}

static void door(fo_world *w, void *self)
{
    hall *h = self;
    while (fo_time(w) < h->hours) {
        fo_hold(w, fo_random_negexp(&h->arrivals, h->arrival_rate));
        fo_spawn(w, "customer", customer, h);
    }
}

fo_status bank(const fo_world_def *def, double arrival_rate, double service_rate,
               double patience_rate, double hours, bank_result *result, fo_message *why)
{
    fo_world *w = fo_world_create(def ? def : &(fo_world_def){.name = "bank", .seed = 1}, why);
    if (!w) return FO_ERROR_MEMORY;
    *result = (bank_result){.wait = fo_tally_start("wait", 0)};
    hall h = {fo_resource_create(w, "clerk", 1),
              fo_random_stream(fo_world_seed(w), 0),
              fo_random_stream(fo_world_seed(w), 1),
              fo_random_stream(fo_world_seed(w), 2),
              arrival_rate,
              service_rate,
              patience_rate,
              hours,
              result};
    fo_status status = h.clerk ? fo_world_simulate(w, door, &h) : FO_ERROR_MEMORY;
    return world_end(w, status, why);
}
