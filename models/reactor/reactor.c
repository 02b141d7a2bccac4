// Four reactors that share a compressor and a surge tank; hours and psia.
#include <math.h>

#include "math/math.h"
#include "worlds/worlds.h"

static const double factor = 107.03;

typedef struct plant plant;

typedef struct vessel {
    plant *plant;
    int number;
    double reaction_constant, volume, initial;
    fo_level concentration;
    fo_random random;
} vessel;

struct plant {
    double frozen, fixed, compressor, nominal, critical; ///< parameters
    double on, batches, interrupts, least;               ///< reactors; so far
    fo_level pressure;
    fo_continuous reactions;
    fo_queue started;
    bool below; ///< the tank's pressure is below the critical one
    double frozen_pressure;
    fo_reporter watch;
    vessel vessels[4];
    reactor_result result;
};

static double effective_pressure(const plant *p)
{
    if (!p->below) return p->critical;
    return p->frozen != 0 ? p->frozen_pressure : p->pressure.state;
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
    p->pressure.rate = factor * (p->compressor - flow);
}

static bool pressure_is_nominal(fo_world *w, void *self)
{
    (void)w;
    const plant *p = self;
    return p->pressure.state >= p->nominal;
}

// Cleaning and charging. The two draws are made in this order, as in the source.
static void get_ready(fo_world *w, vessel *v)
{
    if (v->plant->fixed != 0) {
        fo_hold(w, 2);
        return;
    }
    fo_hold(w, fo_random_negexp(&v->random, 1));
    fo_hold(w, foi_fmax(0, foi_fmin(fo_random_normal(&v->random, 1, 0.5), 2)));
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
        p->on++;
        double started = fo_time(w);
        if (p->interrupts > 0 && !p->result.restarted) p->result.restarted = started;
        fo_wait_level(w, &v->concentration, 0.1 * v->initial, FO_FALLING);
        fo_level_stop(w, &v->concentration);
        fo_link_out(fo_process_link(fo_current(w)));
        p->on--;
        processing_time += fo_time(w) - started;
    }
    p->result.batches[v->number]++;
    p->batches++;
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
        fo_wait_level(w, &p->pressure, p->critical, FO_FALLING);
        if (p->interrupts++ == 0) p->result.interrupted = fo_time(w);
        fo_activate(fo_link_process(p->started.last));
        p->below = true;
        p->frozen_pressure = p->pressure.state;
        fo_wait_level(w, &p->pressure, p->critical, FO_RISING);
    }
}

static void look(fo_world *w, void *self)
{
    (void)w;
    plant *p = self;
    p->least = foi_fmin(p->least, p->pressure.state);
}

// Seed 0 draws the numbers of the source's generator.
static fo_random draws(const fo_world *w, uint32_t i)
{
    bool as_source = fo_world_seed(w) == 0 && fo_world_replication(w) == 0;
    return as_source ? fo_random_java(7913) : fo_world_stream(w, i);
}

static void operate(fo_world *w, void *self)
{
    static const double data[4][3] = {
        {0.03466, 10, 0.1}, {0.00866, 15, 0.4}, {0.01155, 20, 0.2}, {0.00770, 25, 0.5}};
    plant *p = self;
    p->least = INFINITY;
    p->pressure.name = "the tank's pressure";
    fo_level_start_at(w, &p->pressure, 500);
    for (int i = 0; i < 4; i++) {
        const double *d = data[i];
        vessel *v = &p->vessels[i];
        *v = (vessel){p, i, d[0], d[1], d[2], .random = draws(w, (uint32_t)i)};
        v->concentration.state = d[2];
        fo_activate_at(fo_process_create(w, "reactor", vessel_life, v), 0.5 * i, false);
    }
    fo_activate(fo_process_create(w, "interrupter", interrupter, p));
    fo_continuous_start(w, &p->reactions, reactions, p);
    fo_reporter_start(w, &p->watch, look, p, FO_EVERY_STEP);
}

static void six_days(fo_world *w, void *self)
{
    operate(w, self);
    fo_hold(w, 150);
}

fo_status reactor(const fo_world_def *def, bool frozen, bool fixed, reactor_result *result,
                  fo_message *why)
{
    const fo_world_def usual = {
        .name = "reactor", .dt_max = 1, .max_abs_error = 1e-5, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    plant p = {frozen, fixed, 4.3523, 150, 100};
    fo_status status = fo_world_simulate(w, six_days, &p);
    *result = p.result;
    result->interrupts = (int)p.interrupts;
    result->pressure = p.pressure.state, result->least_pressure = p.least;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_TUNABLE(plant, frozen, "frozen", NULL, 0,
                     "1: the effective pressure stays as it was at the crossing, as it was printed",
                     0, 1),
    FO_WORLD_TUNABLE(plant, fixed, "fixed", NULL, 0, "1: two hours from batch to batch, not random",
                     0, 1),
    FO_WORLD_TUNABLE(plant, compressor, "compressor", NULL, 4.3523, "flow into the tank", 0, 1e3),
    FO_WORLD_TUNABLE(plant, nominal, "nominal", "psia", 150, "a reactor is started above", 0, 1e4),
    FO_WORLD_NUMBER(plant, critical, "critical", "psia", 100, "one is turned off below", 0, 1e4)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(plant, pressure.state, "pressure", "psia"),
    FO_WORLD_NUMBER(plant, on, "on"),
    FO_WORLD_NUMBER(plant, vessels[0].concentration.state, "C1"),
    FO_WORLD_NUMBER(plant, vessels[1].concentration.state, "C2"),
    FO_WORLD_NUMBER(plant, vessels[2].concentration.state, "C3"),
    FO_WORLD_NUMBER(plant, vessels[3].concentration.state, "C4"),
    FO_WORLD_NUMBER(plant, batches, "batches"),
    FO_WORLD_NUMBER(plant, interrupts, "interrupts"),
    FO_WORLD_NUMBER(plant, least, "least-pressure", "psia")};
static const char *const plot[] = {"pressure", NULL};
static const char *const results[] = {"batches", "interrupts", "pressure", "least-pressure", NULL};

static void report(const void *record, double now, FILE *out)
{
    const reactor_result *r = &((const plant *)record)->result;
    (void)now;
    fprintf(out, "  batches of the reactors: %d, %d, %d, %d\n", r->batches[0], r->batches[1],
            r->batches[2], r->batches[3]);
    if (r->interrupted > 0)
        fprintf(out, "  first interruption at %.6f h, started again at %.6f h\n", r->interrupted,
                r->restarted);
}

extern const fo_world_model world_reactor;
const fo_world_model world_reactor = {
    .name = "reactor",
    .about = "four reactors share a compressor and a tank (seed 0: the source's random numbers)",
    .equations = "C' = -k C p, of each reactor that is on\n"
                 "pressure' = 107.03 (compressor - sum of k C p V)\n"
                 "p = min(pressure, critical)",
    .time_unit = "h",
    .stop = 150,
    .interval = 0.1,
    .dt_max = 1,
    .max_rel_error = 1e-8,
    .max_abs_error = 1e-8,
    .size = sizeof(plant),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .random = true,
    .actions = operate,
    .report = report};
