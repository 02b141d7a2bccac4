// M/M/1: one arrival process, one server, and a store of the customers who wait.
#include "worlds/worlds.h"

typedef struct counter {
    double arrival_rate, service_rate;
    double customers; ///< how many; 0: as long as the run is
    double waiting;
    fo_random arrivals, services;
    fo_store *line; ///< of times of arrival
    fo_tally time;  ///< in the system
    fo_continuous look;
} counter;

static uint64_t how_many(const counter *c)
{
    return c->customers > 0 ? (uint64_t)c->customers : UINT64_MAX;
}

static void arrive(fo_world *w, void *self)
{
    counter *c = self;
    for (uint64_t i = 0, n = how_many(c); i < n; i++) {
        fo_hold(w, fo_random_negexp(&c->arrivals, c->arrival_rate));
        double now = fo_time(w);
        fo_store_put(w, c->line, &now);
    }
}

// Only when someone looks.
static void look(fo_world *w, void *self)
{
    (void)w;
    counter *c = self;
    c->waiting = (double)fo_store_count(c->line);
}

static void serve(fo_world *w, void *self)
{
    counter *c = self;
    c->arrivals = fo_world_stream(w, 0);
    c->services = fo_world_stream(w, 1);
    c->line = fo_store_create(w, "line", sizeof(double), 0);
    if (!c->line) return;
    fo_continuous_start(w, &c->look, look, c);
    fo_spawn(w, "arrivals", arrive, c);
    for (uint64_t i = 0, n = how_many(c); i < n; i++) {
        double arrived;
        fo_store_get(w, c->line, &arrived);
        fo_hold(w, fo_random_negexp(&c->services, c->service_rate));
        fo_tally_add(&c->time, fo_time(w) - arrived);
    }
}

fo_status mm1(const fo_world_def *def, double arrival_rate, double service_rate, uint64_t customers,
              fo_tally *time_in_system, fo_message *why)
{
    fo_world *w = fo_world_create(def ? def : &(fo_world_def){.name = "mm1", .seed = 1}, why);
    if (!w) return FO_ERROR_MEMORY;
    counter c = {arrival_rate, service_rate, (double)customers, .time = *time_in_system};
    fo_status status = fo_world_simulate(w, serve, &c);
    *time_in_system = c.time;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_TUNABLE(counter, arrival_rate, "arrivals", "1/s", 0.9,
                     "customers that come in a second", 1e-9, 1e9),
    FO_WORLD_TUNABLE(counter, service_rate, "services", "1/s", 1,
                     "that the server can do in a second", 1e-9, 1e9),
    FO_WORLD_NUMBER(counter, customers, "customers", NULL, 0,
                    "until the run ends; 0: until it stops", 0, 1e12, .type = FO_INTEGER)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(counter, waiting, "waiting"),
    FO_WORLD_NUMBER(counter, time.mean, "time-in-system", "s"),
    FO_WORLD_NUMBER(counter, time.max, "longest", "s")};
static const char *const plot[] = {"waiting", NULL};
static const char *const results[] = {"time-in-system", "longest", NULL};

static void report(const void *record, double now, FILE *out)
{
    const counter *c = record;
    fo_tally time = c->time;
    time.title = "in system";
    fo_report_heading(out);
    fo_tally_report(out, &time);
    fprintf(out, "\n  customers in the system, in the mean: %.6g\n",
            time.mean * (double)time.count / now);
    if (c->arrival_rate < c->service_rate)
        fprintf(out, "  for ever: %.6g s in the system, %.6g customers\n",
                1 / (c->service_rate - c->arrival_rate),
                c->arrival_rate / (c->service_rate - c->arrival_rate));
}

extern const fo_world_model world_mm1;
const fo_world_model world_mm1 = {.name = "mm1",
                                  .about = "a queue: customers come at random, one server",
                                  .stop = 10000,
                                  .interval = 10,
                                  .size = sizeof(counter),
                                  .parameters = parameters,
                                  .parameter_count = FO_COUNT(parameters),
                                  .outputs = outputs,
                                  .output_count = FO_COUNT(outputs),
                                  .plot = plot,
                                  .results = results,
                                  .random = true,
                                  .actions = serve,
                                  .ends = true,
                                  .report = report};
