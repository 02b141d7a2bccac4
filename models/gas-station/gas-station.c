// A gas station: cars fill up from one tank, and a tanker is called when little is left; seconds.
#include <math.h>

#include "worlds/worlds.h"

static const double tank_size = 2000, call_below = 0.25, car_size = 50, pump_speed = 2;

typedef struct station {
    fo_resource *pumps;
    fo_container *tank;
    fo_random cars;
    double duration;
    bool called;
    gas_station_result *result;
} station;

static void tanker(fo_world *w, void *self)
{
    station *s = self;
    fo_hold(w, 600);
    double amount = tank_size - fo_container_amount(s->tank);
    fo_container_put(w, s->tank, amount);
    s->result->delivered += amount;
    s->result->deliveries++;
    s->called = false;
}

static void car(fo_world *w, void *self)
{
    station *s = self;
    double arrived = fo_time(w), wanted = car_size - fo_random_uniform(&s->cars, 5, 25);
    fo_seize(w, s->pumps);
    fo_container_get(w, s->tank, wanted);
    fo_hold(w, wanted / pump_speed);
    fo_release(w, s->pumps);
    s->result->sold += wanted;
    s->result->cars++;
    fo_tally_add(&s->result->wait, fo_time(w) - arrived);
}

static bool is_low(fo_world *w, void *self)
{
    (void)w;
    const station *s = self;
    return !s->called && fo_container_amount(s->tank) < call_below * tank_size;
}

static void control(fo_world *w, void *self)
{
    station *s = self;
    for (;;) {
        fo_wait_until(w, is_low, s);
        s->called = true;
        fo_spawn(w, "tanker", tanker, s);
    }
}

static void traffic(fo_world *w, void *self)
{
    station *s = self;
    while (fo_time(w) < s->duration) {
        fo_hold(w, fo_random_uniform(&s->cars, 10, 40));
        fo_spawn(w, "car", car, s);
    }
}

static void day(fo_world *w, void *self)
{
    station *s = self;
    fo_spawn(w, "control", control, s);
    fo_spawn(w, "traffic", traffic, s);
    fo_hold(w, s->duration + 3600); // until the last car is gone
    s->result->left = fo_container_amount(s->tank);
}

fo_status gas_station(const fo_world_def *def, double duration, gas_station_result *result,
                      fo_message *why)
{
    const fo_world_def usual = {.name = "gas-station", .seed = 1};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    *result = (gas_station_result){.wait = fo_tally_start("wait", 0)};
    station s = {fo_resource_create(w, "pumps", 2),
                 fo_container_create(w, "tank", tank_size, tank_size),
                 fo_random_stream(fo_world_seed(w), 0),
                 duration,
                 false,
                 result};
    fo_status status = s.pumps && s.tank ? fo_world_simulate(w, day, &s) : FO_ERROR_MEMORY;
    return world_end(w, status, why);
}
