// A machine shop: machines break and are repaired by a man who is called away from other jobs.
#include <math.h>

#include "worlds/worlds.h"

typedef struct shop {
    fo_resource *repairman;
    fo_random breaks, repairs;
    double break_rate, repair_rate, duration;
    int machines, running;
    fo_accumulate load;
    machine_shop_result *result;
} shop;

static void set_running(fo_world *w, shop *s, int change)
{
    s->running += change;
    fo_accumulate_update(&s->load, fo_time(w), s->running);
}

static void machine(fo_world *w, void *self)
{
    shop *s = self;
    for (;;) {
        fo_hold(w, fo_random_negexp(&s->breaks, s->break_rate));
        set_running(w, s, -1);
        fo_seize_with(w, s->repairman, &(fo_request){.priority = 1, .preempt = true});
        fo_hold(w, fo_random_negexp(&s->repairs, s->repair_rate));
        fo_release(w, s->repairman);
        s->result->repairs++;
        set_running(w, s, 1);
    }
}

// Jobs of 30 minutes each, one after the other, in the time that the machines leave.
static void other_jobs(fo_world *w, void *self)
{
    shop *s = self;
    for (;;) {
        double left = 30;
        while (left > 0) {
            fo_seize(w, s->repairman);
            bool done = fo_hold(w, left) == FO_WOKEN;
            left = done ? 0 : fo_remaining(w);
            if (done) fo_release(w, s->repairman);
        }
        s->result->other_jobs++;
    }
}

static void open_shop(fo_world *w, void *self)
{
    shop *s = self;
    for (int i = 0; i < s->machines; i++) fo_spawn(w, "machine", machine, s);
    fo_spawn(w, "other jobs", other_jobs, s);
    fo_hold(w, s->duration);
    s->result->running = fo_accumulate_mean(&s->load, fo_time(w));
}

fo_status machine_shop(const fo_world_def *def, int machines, double break_rate, double repair_rate,
                       double duration, machine_shop_result *result, fo_message *why)
{
    const fo_world_def usual = {.name = "machine-shop", .seed = 1};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    *result = (machine_shop_result){0};
    shop s = {.repairman = fo_resource_create(w, "repairman", 1),
              .breaks = fo_random_stream(fo_world_seed(w), 0),
              .repairs = fo_random_stream(fo_world_seed(w), 1),
              .break_rate = break_rate,
              .repair_rate = repair_rate,
              .duration = duration,
              .machines = machines,
              .running = machines,
              .load = fo_accumulate_start("running", 0, machines),
              .result = result};
    fo_status status = s.repairman ? fo_world_simulate(w, open_shop, &s) : FO_ERROR_MEMORY;
    return world_end(w, status, why);
}
