// A gas station: cars fill up from one tank, and a tanker is called when little is left; seconds.
#include <math.h>

#include "worlds/worlds.h"

static const double car_size = 50, pump_speed = 2;

typedef struct station {
    double pumps, tank_size, call_below, tanker_time; ///< parameters
    double fuel, cars, deliveries;                    ///< in the tank; so far
    double waiting, busy;                             ///< cars in the line, pumps with a car
    fo_resource *pump;
    fo_container *tank;
    fo_random random;
    bool called;
    gas_station_result result;
    double duration; ///< of fo_world_simulate; 0: for ever
} station;

static void tanker(fo_world *w, void *self)
{
    station *s = self;
    fo_hold(w, s->tanker_time);
    double amount = s->tank_size - fo_container_amount(s->tank);
    fo_container_put(w, s->tank, amount);
    s->fuel = fo_container_amount(s->tank);
    s->result.delivered += amount;
    s->deliveries++;
    s->called = false;
}

static void car(fo_world *w, void *self)
{
    station *s = self;
    double arrived = fo_time(w), wanted = car_size - fo_random_uniform(&s->random, 5, 25);
    s->waiting++;
    fo_seize(w, s->pump);
    s->waiting--, s->busy++;
    fo_container_get(w, s->tank, wanted);
    s->fuel = fo_container_amount(s->tank);
    fo_hold(w, wanted / pump_speed);
    fo_release(w, s->pump);
    s->busy--;
    s->result.sold += wanted;
    s->cars++;
    fo_tally_add(&s->result.wait, fo_time(w) - arrived);
}

static bool is_low(fo_world *w, void *self)
{
    (void)w;
    const station *s = self;
    return !s->called && fo_container_amount(s->tank) < s->call_below;
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
    while (s->duration == 0 || fo_time(w) < s->duration) {
        fo_hold(w, fo_random_uniform(&s->random, 10, 40));
        fo_spawn(w, "car", car, s);
    }
}

static void open_station(fo_world *w, void *self)
{
    station *s = self;
    s->pump = fo_resource_create(w, "pumps", fo_world_whole(w, "pumps", s->pumps));
    s->tank = fo_container_create(w, "tank", s->tank_size, s->tank_size);
    s->fuel = s->tank_size;
    s->random = fo_world_stream(w, 0);
    s->result.wait = fo_tally_start("until gone", 0);
    fo_spawn(w, "control", control, s);
    fo_spawn(w, "traffic", traffic, s);
}

static void day(fo_world *w, void *self)
{
    station *s = self;
    open_station(w, s);
    fo_hold(w, s->duration + 3600); // until the last car is gone
    s->result.cars = (uint64_t)s->cars, s->result.deliveries = (uint64_t)s->deliveries;
    s->result.left = fo_container_amount(s->tank);
}

fo_status gas_station(const fo_world_def *def, double duration, gas_station_result *result,
                      fo_message *why)
{
    const fo_world_def usual = {.name = "gas-station", .seed = 1};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    station s = {2, 2000, 500, 600, .duration = duration};
    fo_status status = fo_world_simulate(w, day, &s);
    *result = s.result;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(station, pumps, "pumps", NULL, 2, "at which cars fill up", 1, 1e6,
                    .type = FO_INTEGER),
    FO_WORLD_NUMBER(station, tank_size, "tank", "l", 2000, "what it holds", 100, 1e9),
    FO_WORLD_TUNABLE(station, call_below, "call-below", "l", 500, "then the tanker is called", 0,
                     1e9),
    FO_WORLD_TUNABLE(station, tanker_time, "tanker-time", "s", 600, "until it is there", 0, 1e9)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(station, fuel, "fuel", "l"),
    FO_WORLD_NUMBER(station, waiting, "waiting", NULL, 0, "cars in the line"),
    FO_WORLD_NUMBER(station, busy, "busy", NULL, 0, "pumps with a car"),
    FO_WORLD_NUMBER(station, cars, "cars"),
    FO_WORLD_NUMBER(station, deliveries, "deliveries"),
    FO_WORLD_NUMBER(station, result.wait.mean, "until-gone", "s")};
static const char *const plot[] = {"fuel", NULL};
static const char *const results[] = {"cars", "deliveries", "until-gone", NULL};

static void report(const void *record, double now, FILE *out)
{
    const station *s = record;
    (void)now;
    fo_report_heading(out);
    fo_tally_report(out, &s->result.wait);
    fprintf(out, "\n  %.6g l sold, %.6g l delivered, %.6g l in the tank\n", s->result.sold,
            s->result.delivered, s->fuel);
}

extern const fo_world_model world_gas_station;
const fo_world_model world_gas_station = {
    .name = "gas-station",
    .about = "cars fill up from one tank, and a tanker comes when little is left",
    .stop = 20000,
    .interval = 10,
    .size = sizeof(station),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .random = true,
    .actions = open_station,
    .report = report};
