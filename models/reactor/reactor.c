// Four reactors that share a compressor and a surge tank; hours and psia.
#include <math.h>

#include "worlds/worlds.h"

static const double flow_from_compressor = 4.3523, factor = 107.03;
static const double nominal_pressure = 150, critical_pressure = 100;

typedef struct plant {
    fo_level pressure;
    fo_continuous reactions;
    fo_queue started;
    bool below, frozen, fixed; ///< below: the tank's pressure is below the critical one
    double frozen_pressure;
    fo_reporter watch;
    reactor_result *result;
} plant;

typedef struct vessel {
    plant *plant;
    int number;
    double reaction_constant, volume, initial;
    fo_level concentration;
    fo_random random;
} vessel;

static double effective_pressure(const plant *p)
{
    if (!p->below) return critical_pressure;
    return p->frozen ? p->frozen_pressure : p->pressure.state;
}

static void reactions(fo_world *w, void *self)
{
    (void)w;
    plant *p = self;
    double flow = 0, pressure = effective_pressure(p);
    for (fo_link *l = p->started.first; l; l = l->suc) {
        vessel *v = fo_process_self(fo_link_process(l));
        fo_level *c = &v->concentration;
        c->rate = -v->reaction_constant * c->state * pressure;
        flow -= c->rate * v->volume;
    }
    p->pressure.rate = factor * (flow_from_compressor - flow);
}

static bool pressure_is_nominal(fo_world *w, void *self)
{
    (void)w;
    return ((const plant *)self)->pressure.state >= nominal_pressure;
}

// Cleaning and charging. The two draws are made in this order, as in the source.
static void get_ready(fo_world *w, vessel *v)
{
    if (v->plant->fixed) {
        fo_hold(w, 2);
        return;
    }
    fo_hold(w, fo_random_negexp(&v->random, 1));
    fo_hold(w, fmax(0, fmin(fo_random_normal(&v->random, 1, 0.5), 2)));
}

// One batch, in as many parts as interruptions make of it.
static void react(fo_world *w, vessel *v)
{
    plant *p = v->plant;
    double processing_time = 0;
    while (v->concentration.state > 0.1 * v->initial) {
        fo_state_event by_time = {"the nominal pressure", .priority = processing_time};
        fo_wait_until_with(w, pressure_is_nominal, p, &by_time);
        fo_level_start(w, &v->concentration);
        fo_link_into(fo_process_link(fo_current(w)), &p->started);
        double started = fo_time(w);
        if (p->result->interrupts && !p->result->restarted) p->result->restarted = started;
        fo_wait_level(w, &v->concentration, 0.1 * v->initial, FO_FALLING);
        fo_level_stop(w, &v->concentration);
        fo_link_out(fo_process_link(fo_current(w)));
        processing_time += fo_time(w) - started;
    }
    p->result->batches[v->number]++;
}

static void vessel_life(fo_world *w, void *self)
{
    vessel *v = self;
    for (;;) {
        react(w, v);
        v->concentration.state = v->initial;
        get_ready(w, v);
    }
}

static void interrupter(fo_world *w, void *self)
{
    plant *p = self;
    for (;;) {
        p->below = false;
        fo_wait_level(w, &p->pressure, critical_pressure, FO_FALLING);
        if (!p->result->interrupts++) p->result->interrupted = fo_time(w);
        fo_activate(fo_link_process(p->started.last));
        p->below = true;
        p->frozen_pressure = p->pressure.state;
        fo_wait_level(w, &p->pressure, critical_pressure, FO_RISING);
    }
}

static void look(fo_world *w, void *self)
{
    (void)w;
    plant *p = self;
    p->result->least_pressure = fmin(p->result->least_pressure, p->pressure.state);
}

static void operate(fo_world *w, void *self)
{
    static const double data[4][3] = {
        {0.03466, 10, 0.1}, {0.00866, 15, 0.4}, {0.01155, 20, 0.2}, {0.00770, 25, 0.5}};
    plant *p = self;
    vessel vessels[4];
    fo_level_start_at(w, &p->pressure, 500);
    for (int i = 0; i < 4; i++) {
        const double *d = data[i];
        vessels[i] = (vessel){p, i, d[0], d[1], d[2], .random = fo_random_java(7913)};
        vessels[i].concentration.state = d[2];
        fo_activate_at(fo_process_create(w, "reactor", vessel_life, &vessels[i]), 0.5 * i, false);
    }
    fo_activate(fo_process_create(w, "interrupter", interrupter, p));
    fo_continuous_start(w, &p->reactions, reactions, p);
    fo_reporter_start(w, &p->watch, look, p, FO_EVERY_STEP);
    fo_hold(w, 150);
    p->result->pressure = p->pressure.state;
    fo_reporter_stop(w, &p->watch);
}

fo_status reactor(const fo_world_def *def, bool frozen, bool fixed, reactor_result *result,
                  fo_message *why)
{
    const fo_world_def usual = {
        .name = "reactor", .dt_max = 1, .max_abs_error = 1e-5, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    *result = (reactor_result){.least_pressure = INFINITY};
    plant p = {.frozen = frozen, .fixed = fixed, .result = result, .pressure.name = "pressure"};
    return world_end(w, fo_world_simulate(w, operate, &p), why);
}
