// A bank with one clerk and customers who lose patience.
#include "worlds/worlds.h"

typedef struct hall {
    double arrival_rate, service_rate, patience_rate;
    double hours;          ///< that the bank is open; 0: for ever
    double line, reneging; ///< those who wait; part that gives up
    fo_resource *clerk;
    fo_random arrivals, services, patience;
    bank_result result;
} hall;

static void count_reneging(hall *h)
{
    h->reneging = (double)h->result.reneged / (double)h->result.customers;
}

static void customer(fo_world *w, void *self)
{
    hall *h = self;
    double arrived = fo_time(w);
    fo_request request = {.patience = fo_random_negexp(&h->patience, h->patience_rate)};
    h->result.customers++, h->line++;
    fo_wake wake = fo_seize_with(w, h->clerk, &request);
    h->line--, h->result.reneged += wake == FO_TIMED_OUT;
    count_reneging(h);
    if (wake == FO_TIMED_OUT) return;
    fo_tally_add(&h->result.wait, fo_time(w) - arrived);
    fo_hold(w, fo_random_negexp(&h->services, h->service_rate));
    fo_release(w, h->clerk);
}

static void door(fo_world *w, void *self)
{
    hall *h = self;
    h->clerk = fo_resource_create(w, "clerk", 1);
    if (!h->clerk) return;
    h->arrivals = fo_world_stream(w, 0);
    h->services = fo_world_stream(w, 1);
    h->patience = fo_world_stream(w, 2);
    h->result = (bank_result){.wait = fo_tally_start("wait", 0)};
    while (h->hours == 0 || fo_time(w) < h->hours) {
        fo_hold(w, fo_random_negexp(&h->arrivals, h->arrival_rate));
        fo_spawn(w, "customer", customer, h);
    }
}

fo_status bank(const fo_world_def *def, double arrival_rate, double service_rate,
               double patience_rate, double hours, bank_result *result, fo_message *why)
{
    fo_world *w = fo_world_create(def ? def : &(fo_world_def){.name = "bank", .seed = 1}, why);
    if (!w) return FO_ERROR_MEMORY;
    hall h = {arrival_rate, service_rate, patience_rate, hours};
    fo_status status = fo_world_simulate(w, door, &h);
    *result = h.result;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_TUNABLE(hall, arrival_rate, "arrivals", "1/h", 1.2, "customers that come in an hour",
                     1e-9, 1e9),
    FO_WORLD_TUNABLE(hall, service_rate, "services", "1/h", 1, "that the clerk can do in an hour",
                     1e-9, 1e9),
    FO_WORLD_TUNABLE(hall, patience_rate, "impatience", "1/h", 0.5, "1 / mean patience", 1e-9,
                     1e9)};
static const fo_world_number outputs[] = {FO_WORLD_NUMBER(hall, line, "line"),
                                          FO_WORLD_NUMBER(hall, reneging, "reneging"),
                                          FO_WORLD_NUMBER(hall, result.wait.mean, "wait", "h")};
static const char *const plot[] = {"line", NULL};
static const char *const results[] = {"reneging", "wait", NULL};

static void report(const void *record, double now, FILE *out)
{
    const hall *h = record;
    (void)now;
    fo_report_heading(out);
    fo_tally_report(out, &h->result.wait);
    fprintf(out, "\n  %llu customers, of whom %llu lost patience\n",
            (unsigned long long)h->result.customers, (unsigned long long)h->result.reneged);
}

extern const fo_world_model world_bank;
const fo_world_model world_bank = {.name = "bank",
                                   .about = "a bank: one clerk, and customers who lose patience",
                                   .time_unit = "h",
                                   .stop = 5000,
                                   .interval = 10,
                                   .size = sizeof(hall),
                                   .parameters = parameters,
                                   .parameter_count = FO_COUNT(parameters),
                                   .outputs = outputs,
                                   .output_count = FO_COUNT(outputs),
                                   .plot = plot,
                                   .results = results,
                                   .random = true,
                                   .actions = door,
                                   .report = report};
