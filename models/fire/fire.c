// A fire station: houses burn, engines come and put the fires out; minutes.
#include "worlds/worlds.h"

enum { ONE_HOUR = 60, ONE_MONTH = 30 * 24 * ONE_HOUR, CELLS = 20 };

typedef struct city {
    double engines, between, capacity; ///< parameters
    double burning, out;               ///< houses, engines
    double fires, mean, most;          ///< so far; damage
    fo_queue station;                  ///< of engines
    fo_queue alarms;
    fo_random *random, own_random;
    fo_histogram *damage;
    double x[CELLS], y[CELLS]; ///< the histogram as a picture
} city;

typedef struct house {
    fo_level size, damage;
    fo_continuous fire;
    double c, material, extinguish_rate, travel_time;
    fo_link alarm;
    int expected; ///< engines that know of it; the last one to leave frees it
    bool burnt;
} house;

static void burn(fo_world *w, void *self)
{
    (void)w;
    house *h = self;
    h->size.rate = h->c * h->size.state - h->extinguish_rate;
    h->damage.rate = h->size.state;
}

static bool is_over(fo_world *w, void *self)
{
    (void)w;
    const house *h = self;
    return h->size.state <= 0 || h->damage.state >= h->material;
}

static house *house_of(fo_link *alarm)
{
    return (house *)(void *)((char *)alarm - offsetof(house, alarm));
}

// The house is on the stack of its process, which waits until nobody needs it any more.
static bool is_left(fo_world *w, void *self)
{
    (void)w;
    return ((house *)self)->expected == 0;
}

static void count(city *c, double damage)
{
    fo_histogram_add(c->damage, damage);
    c->burning--;
    c->fires++;
    c->mean = fo_histogram_tally(c->damage)->mean;
    c->most = fo_histogram_tally(c->damage)->max;
}

static void house_on_fire(fo_world *w, void *self)
{
    city *c = self;
    house h = {.c = fo_random_uniform(c->random, 0.01, 0.06)};
    h.material = fo_random_uniform(c->random, 100, 600);
    h.travel_time = fo_random_uniform(c->random, 5, 15);
    fo_level_start_at(w, &h.size, fo_random_uniform(c->random, 0, 5));
    fo_level_start_at(w, &h.damage, h.size.state);
    fo_continuous_start(w, &h.fire, burn, &h);
    c->burning++;
    h.expected = 1;
    fo_link_into(&h.alarm, &c->alarms);
    fo_activate(fo_queue_first_process(&c->station));
    fo_wait_until(w, is_over, &h);
    fo_continuous_stop(w, &h.fire);
    fo_level_stop(w, &h.damage);
    fo_level_stop(w, &h.size);
    count(c, h.damage.state * 100 / h.material);
    fo_wait_until(w, is_left, &h);
}

static void fight(fo_world *w, city *c, house *h)
{
    fo_link *me = fo_process_link(fo_current(w));
    double travel_time = h->travel_time;
    fo_link_out(me);
    c->out++;
    fo_hold(w, travel_time);
    if (h->size.rate > c->capacity) {
        h->expected++;
        fo_link_into(&h->alarm, &c->alarms);
        fo_activate(fo_queue_first_process(&c->station));
    }
    h->extinguish_rate += c->capacity;
    while (fo_continuous_active(&h->fire)) fo_hold(w, 5);
    h->expected--;
    fo_hold(w, travel_time);
    c->out--;
    fo_link_into(me, &c->station);
}

static void engine(fo_world *w, void *self)
{
    city *c = self;
    for (;;) {
        fo_link *alarm = c->alarms.first;
        if (!alarm) {
            fo_passivate(w);
            continue;
        }
        house *h = house_of(alarm);
        fo_link_out(alarm);
        if (fo_continuous_active(&h->fire))
            fight(w, c, h);
        else
            h->expected--;
    }
}

static void incendiary(fo_world *w, void *self)
{
    city *c = self;
    for (;;) {
        fo_hold(w, fo_random_negexp(c->random, 1 / c->between));
        fo_activate(
            fo_process_make(w, &(fo_process_def){"house", house_on_fire, c, .forget = true}));
    }
}

static void begin(fo_world *w, void *self)
{
    city *c = self;
    for (int i = 0, n = fo_world_whole(w, "engines", c->engines); i < n; i++) {
        fo_process *p = fo_process_create(w, "engine", engine, c);
        if (!p) return;
        fo_link_into(fo_process_link(p), &c->station);
    }
    fo_activate(fo_process_create(w, "incendiary", incendiary, c));
}

static void month(fo_world *w, void *self)
{
    begin(w, self);
    fo_hold(w, ONE_MONTH);
}

fo_status fire(const fo_world_def *def, int engines, fo_random *random, fo_histogram *damage,
               fo_message *why)
{
    const fo_world_def usual = {
        .name = "fire", .dt_max = ONE_HOUR, .max_abs_error = 1e-4, .max_rel_error = 1e-4};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    city c = {engines, 6 * ONE_HOUR, 10, .random = random, .damage = damage};
    return world_end(w, fo_world_simulate(w, month, &c), why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static fo_status prepare(fo_world *w, void *record)
{
    city *c = record;
    fo_message why = {0};
    const fo_histogram_def def = {"Perc. damage", 0, 100, CELLS, .jdisco = true};
    c->damage = fo_histogram_create(&def, &why);
    return c->damage ? FO_OK : fo_world_fail(w, why.status, "%s", why.text);
}

static void close_city(void *record)
{
    fo_histogram_destroy(((city *)record)->damage);
}

// Seed 0 draws the numbers of the printed run.
static void play(fo_world *w, void *self)
{
    city *c = self;
    bool printed = fo_world_seed(w) == 0 && fo_world_replication(w) == 0;
    c->own_random = printed ? fo_random_java(54521) : fo_world_stream(w, 0);
    c->random = &c->own_random;
    begin(w, c);
}

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(city, engines, "engines", NULL, 4, "of the fire station", 0, 1e6,
                    .type = FO_INTEGER),
    FO_WORLD_TUNABLE(city, between, "between", "min", 360, "from fire to fire, mean", 1e-3, 1e9),
    FO_WORLD_TUNABLE(city, capacity, "capacity", "1/min", 10, "what an engine puts out", 0, 1e9)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(city, burning, "burning"), FO_WORLD_NUMBER(city, out, "engines-out"),
    FO_WORLD_NUMBER(city, fires, "fires"), FO_WORLD_NUMBER(city, mean, "mean-damage", "%"),
    FO_WORLD_NUMBER(city, most, "most-damage", "%")};
static const char *const plot[] = {"engines-out", NULL};
static const char *const results[] = {"fires", "mean-damage", "most-damage", NULL};

static void report(const void *record, double now, FILE *out)
{
    (void)now;
    fo_histogram_report(out, ((const city *)record)->damage);
}

static bool graph(const void *record, fo_world_graph *picture)
{
    city *c = (city *)record;
    for (size_t i = 0; i < CELLS; i++) {
        c->x[i] = fo_histogram_limit(c->damage, i + 1);
        c->y[i] = (double)fo_histogram_count(c->damage, i + 1);
    }
    *picture = (fo_world_graph){.title = "fires by the damage that they did",
                                .x_label = "damage [%]",
                                .y_label = "fires",
                                .x = c->x,
                                .y = c->y,
                                .count = CELLS,
                                .style = FO_CURVE_BOXES};
    return c->fires > 0;
}

extern const fo_world_model world_fire;
const fo_world_model world_fire = {
    .name = "fire",
    .about = "houses burn, and engines come and put the fires out (seed 0: the printed run)",
    .equations = "size' = c size - extinguishing rate\ndamage' = size",
    .time_unit = "min",
    .stop = ONE_MONTH,
    .interval = 10,
    .dt_max = ONE_HOUR,
    .max_rel_error = 1e-6,
    .max_abs_error = 1e-6,
    .size = sizeof(city),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .random = true,
    .actions = play,
    .prepare = prepare,
    .close = close_city,
    .report = report,
    .graph = graph};
