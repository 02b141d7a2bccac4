// A machine shop: machines break and are repaired by a man who is called away from other jobs.
#include <math.h>

#include "worlds/worlds.h"

typedef struct shop {
    double machines, lifetime, repair_time, job_time; ///< parameters
    double running, mean, repairs, jobs;              ///< machines, now and over time; done so far
    fo_resource *repairman;
    fo_random breaks, work;
    fo_accumulate load;
    fo_continuous mean_load;
    double duration; ///< of fo_world_simulate
} shop;

static void set_running(fo_world *w, shop *s, int change)
{
    s->running += change;
    fo_accumulate_update(&s->load, fo_time(w), s->running);
}

// Up to the time at which someone looks.
static void look(fo_world *w, void *self)
{
    shop *s = self;
    s->mean = fo_time(w) > 0 ? fo_accumulate_mean(&s->load, fo_time(w)) : s->running;
}

static void machine(fo_world *w, void *self)
{
    shop *s = self;
    for (;;) {
        fo_hold(w, fo_random_negexp(&s->breaks, 1 / s->lifetime));
        set_running(w, s, -1);
        fo_seize_with(w, s->repairman, &(fo_request){.priority = 1, .preempt = true});
        fo_hold(w, fo_random_negexp(&s->work, 1 / s->repair_time));
        fo_release(w, s->repairman);
        s->repairs++;
        set_running(w, s, 1);
    }
}

// One after the other, in the time that the machines leave.
static void other_jobs(fo_world *w, void *self)
{
    shop *s = self;
    for (;;) {
        double left = s->job_time;
        while (left > 0) {
            fo_seize(w, s->repairman);
            bool done = fo_hold(w, left) == FO_WOKEN;
            left = done ? 0 : fo_remaining(w);
            if (done) fo_release(w, s->repairman);
        }
        s->jobs++;
    }
}

static void open_shop(fo_world *w, void *self)
{
    shop *s = self;
    int machines = fo_world_whole(w, "machines", s->machines);
    s->repairman = fo_resource_create(w, "repairman", 1);
    s->breaks = fo_world_stream(w, 0);
    s->work = fo_world_stream(w, 1);
    s->load = fo_accumulate_start("running", 0, machines);
    s->running = machines;
    fo_continuous_start(w, &s->mean_load, look, s);
    for (int i = 0; i < machines; i++) fo_spawn(w, "machine", machine, s);
    fo_spawn(w, "other jobs", other_jobs, s);
}

static void some_time(fo_world *w, void *self)
{
    shop *s = self;
    open_shop(w, s);
    fo_hold(w, s->duration);
    s->mean = fo_accumulate_mean(&s->load, fo_time(w));
}

fo_status machine_shop(const fo_world_def *def, int machines, double break_rate, double repair_rate,
                       double duration, machine_shop_result *result, fo_message *why)
{
    const fo_world_def usual = {.name = "machine-shop", .seed = 1};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    shop s = {machines, 1 / break_rate, 1 / repair_rate, 30, .duration = duration};
    fo_status status = fo_world_simulate(w, some_time, &s);
    *result = (machine_shop_result){s.mean, (uint64_t)s.repairs, (uint64_t)s.jobs};
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(shop, machines, "machines", NULL, 5, "in the shop", 1, 1e6, .type = FO_INTEGER),
    FO_WORLD_TUNABLE(shop, lifetime, "lifetime", "min", 300, "of a machine until it breaks, mean",
                     1e-6, 1e9),
    FO_WORLD_TUNABLE(shop, repair_time, "repair-time", "min", 60, "mean", 1e-6, 1e9),
    FO_WORLD_TUNABLE(shop, job_time, "job-time", "min", 30, "of each other job", 1e-6, 1e9)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(shop, running, "running"), FO_WORLD_NUMBER(shop, mean, "mean-running"),
    FO_WORLD_NUMBER(shop, repairs, "repairs"), FO_WORLD_NUMBER(shop, jobs, "jobs")};
static const char *const plot[] = {"running", NULL};
static const char *const results[] = {"mean-running", "repairs", "jobs", NULL};

static void report(const void *record, double now, FILE *out)
{
    const shop *s = record;
    fo_report_heading(out);
    fo_accumulate_report(out, &s->load, now);
}

extern const fo_world_model world_machine_shop;
const fo_world_model world_machine_shop = {
    .name = "machine-shop",
    .about = "machines break, and the man who repairs them is called away from other jobs",
    .time_unit = "min",
    .stop = 20000,
    .interval = 10,
    .size = sizeof(shop),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .random = true,
    .actions = open_shop,
    .report = report};
