// A fire station: houses burn, engines come and put the fires out; minutes.
#include "worlds/worlds.h"

enum { ONE_HOUR = 60, ONE_MONTH = 30 * 24 * ONE_HOUR };

typedef struct city {
    fo_queue station; ///< of engines
    fo_queue alarms;
    fo_random *random;
    fo_histogram *damage;
    int engines;
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

static void house_on_fire(fo_world *w, void *self)
{
    city *c = self;
    house h = {.c = fo_random_uniform(c->random, 0.01, 0.06)};
    h.material = fo_random_uniform(c->random, 100, 600);
    h.travel_time = fo_random_uniform(c->random, 5, 15);
    fo_level_start_at(w, &h.size, fo_random_uniform(c->random, 0, 5));
    fo_level_start_at(w, &h.damage, h.size.state);
    fo_continuous_start(w, &h.fire, burn, &h);
    h.expected = 1;
    fo_link_into(&h.alarm, &c->alarms);
    fo_activate(fo_queue_first_process(&c->station));
    fo_wait_until(w, is_over, &h);
    fo_continuous_stop(w, &h.fire);
    fo_level_stop(w, &h.damage);
    fo_level_stop(w, &h.size);
    fo_histogram_add(c->damage, h.damage.state * 100 / h.material);
    fo_wait_until(w, is_left, &h);
}

static void fight(fo_world *w, city *c, house *h, double capacity)
{
    fo_link *me = fo_process_link(fo_current(w));
    double travel_time = h->travel_time;
    fo_link_out(me);
    fo_hold(w, travel_time);
    if (h->size.rate > capacity) {
        h->expected++;
        fo_link_into(&h->alarm, &c->alarms);
        fo_activate(fo_queue_first_process(&c->station));
    }
    h->extinguish_rate += capacity;
    while (fo_continuous_active(&h->fire)) fo_hold(w, 5);
    h->expected--;
    fo_hold(w, travel_time);
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
            fight(w, c, h, 10);
        else
            h->expected--;
    }
}

static void incendiary(fo_world *w, void *self)
{
    city *c = self;
    for (;;) {
        fo_hold(w, fo_random_negexp(c->random, 1 / (6.0 * ONE_HOUR)));
        fo_activate(
            fo_process_make(w, &(fo_process_def){"house", house_on_fire, c, .forget = true}));
    }
}

static void month(fo_world *w, void *self)
{
    city *c = self;
    for (int i = 0; i < c->engines; i++) {
        fo_process *p = fo_process_create(w, "engine", engine, c);
        if (!p) return;
        fo_link_into(fo_process_link(p), &c->station);
    }
    fo_activate(fo_process_create(w, "incendiary", incendiary, c));
    fo_hold(w, ONE_MONTH);
}

fo_status fire(const fo_world_def *def, int engines, fo_random *random, fo_histogram *damage,
               fo_message *why)
{
    const fo_world_def usual = {
        .name = "fire", .dt_max = ONE_HOUR, .max_abs_error = 1e-4, .max_rel_error = 1e-4};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    city c = {.random = random, .damage = damage, .engines = engines};
    return world_end(w, fo_world_simulate(w, month, &c), why);
}
