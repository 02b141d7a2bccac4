/// Units of a group that have Model Exchange only: a simulation of ours carries them from one
/// communication point to the next, with the inputs held, so that to the master they are like the
/// others. Going back is a snapshot of that simulation; as bytes its state is the parts of a
/// checkpoint (simulation/checkpoint.h), of which one is the unit's own state:
///
///     "foliot-carried-1" | "span": start and stop of the simulation | the parts
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/group.h"
#include "simulation/checkpoint.h"

// How much more exactly than the master's tolerance the unit is solved: its error must not be seen
// by the control of steps.
static const double finer = 1e-3;

static fo_status set_changed(fo_fmu *f, fo_simulation *sim, fo_quantity quantity, uint32_t count,
                             const double *values)
{
    const fo_state *s = fo_simulation_state(sim);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < count && !fo_failed(status); i++) {
        char name[512];
        if ((quantity == FO_INPUT ? s->u[i] : s->p[i]) == values[i]) continue;
        fo_system_name(fo_fmu_system(f), (fo_reference){quantity, i}, name, sizeof name);
        status = fo_simulation_set(sim, name, values[i]);
    }
    return status;
}

// Inputs and parameters of the block; a copy, since the unit works in the same block.
static fo_status set_all(fo_fmu *f, fo_simulation *sim, const double *u, const double *p)
{
    fo_status status = set_changed(f, sim, FO_PARAMETER, f->unit.p.values, p);
    return fo_failed(status) ? status : set_changed(f, sim, FO_INPUT, f->unit.u.values, u);
}

static fo_status give_outputs(fo_fmu *f, fo_simulation *sim, fo_message *why)
{
    uint32_t n = f->unit.y.values;
    double *y = foi_new(f->allocator, n + 1, sizeof *y);
    if (!y) return fo_fail(why, FO_ERROR_MEMORY, "no memory for an FMU of a group");
    for (uint32_t i = 0; i < n; i++) y[i] = fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
    memcpy(f->unit.ty, y, n * sizeof *y);
    foi_free(f->allocator, y);
    return FO_OK;
}

static fo_status make(fo_fmu_group *g, uint32_t k, double start, double stop, fo_message *why)
{
    foi_group_carried *c = &g->carried[k];
    fo_fmu *f = g->units[k];
    fo_run_def run = fo_fmu_run_def(f);
    run.start = start, run.stop = stop;
    run.rtol = finer * fmin(g->rtol, 1e-3), run.atol = finer * run.rtol;
    fo_snapshot_destroy(c->kept);
    fo_simulation_destroy(c->sim);
    c->kept = NULL;
    c->start = start, c->stop = stop;
    c->sim = fo_simulation_create(fo_fmu_system(f), &run, why);
    return c->sim ? FO_OK : why->status;
}

static fo_status begin(fo_fmu_group *g, uint32_t k, const double *u, const double *p,
                       fo_message *why)
{
    foi_group_carried *c = &g->carried[k];
    fo_fmu *f = g->units[k];
    const foi_unit_block *b = f->unit.block;
    double span = f->experiment.stop > 0 ? f->experiment.stop : 1;
    fo_status status = make(g, k, b->t, b->stop_defined ? b->stop : b->t + 1e9 * span, why);
    if (status != FO_OK) return status;
    status = set_all(f, c->sim, u, p);
    return fo_failed(status) ? status : fo_simulation_start(c->sim);
}

static fo_status keep(foi_group_carried *c)
{
    fo_snapshot *fresh = fo_simulation_snapshot(c->sim);
    if (!fresh) return FO_ERROR_MEMORY;
    fo_snapshot_destroy(c->kept);
    c->kept = fresh;
    return FO_OK;
}

static fo_status serve(fo_fmu_group *g, uint32_t k, foi_unit_request what, const double *u,
                       const double *p, fo_message *why)
{
    foi_group_carried *c = &g->carried[k];
    foi_unit_block *b = g->units[k]->unit.block;
    double to = b->t + b->h, h = b->h;
    fo_status status = FO_OK;
    switch (what) {
    case FOI_UNIT_ENTER: return begin(g, k, u, p, why);
    case FOI_UNIT_KEEP: return keep(c);
    case FOI_UNIT_BACK:
        return c->kept ? fo_simulation_restore(c->sim, c->kept)
                       : fo_fail(why, FO_ERROR_MODEL, "no state of the FMU was saved");
    case FOI_UNIT_STEP:
        status = set_all(g->units[k], c->sim, u, p);
        if (!fo_failed(status) && h > 0) status = fo_simulation_advance(c->sim, to);
        b->terminate = status == FO_STOPPED, b->reached = fo_simulation_time(c->sim);
        return fo_failed(status) ? status : give_outputs(g->units[k], c->sim, why);
    default: return FO_OK;
    }
}

fo_status foi_group_carry(fo_fmu_group *g, uint32_t k, foi_unit_request what, fo_message *why)
{
    const foi_unit *unit = &g->units[k]->unit;
    uint32_t n = unit->u.values, m = unit->p.values;
    double *values = foi_new(g->allocator, (size_t)n + m + 1, sizeof *values);
    if (!values) return fo_fail(why, FO_ERROR_MEMORY, "no memory for an FMU of a group");
    if (n) memcpy(values, unit->tu, n * sizeof *values);
    if (m) memcpy(values + n, unit->tp, m * sizeof *values);
    fo_message own = {0};
    fo_status status = serve(g, k, what, values, values + n, &own);
    foi_free(g->allocator, values);
    if (!fo_failed(status)) return FO_OK;
    const fo_simulation *sim = g->carried[k].sim;
    if (!own.text[0] && sim) own = *fo_simulation_message(sim);
    return fo_fail(why, status, "the FMU %s: %.300s", g->plan.parts[k].name, own.text);
}

// --------------------------------------------------------------------------------------- as bytes

static const char name_of_bytes[] = "foliot-carried-1";

fo_status foi_group_write_carried(fo_fmu_group *g, uint32_t k, foi_bytes *to, fo_message *why)
{
    foi_group_carried *c = &g->carried[k];
    foi_mover out = {.out = to};
    foi_bytes_begin(to, name_of_bytes);
    foi_bytes_block(to, "span");
    foi_put_f64(to, c->start);
    foi_put_f64(to, c->stop);
    foi_bytes_block_end(to);
    for (const foi_part *p = foi_parts; p->tag; p++) {
        foi_bytes_block(to, p->tag);
        p->move(&out, c->sim);
        foi_bytes_block_end(to);
    }
    foi_bytes_end(to);
    return to->failed ? fo_fail(why, FO_ERROR_MEMORY, "no memory for the state of an FMU") : FO_OK;
}

static fo_status read_parts(fo_simulation *sim, const uint8_t *from, size_t size, fo_message *why)
{
    for (const foi_part *p = foi_parts; p->tag; p++) {
        foi_slice in = foi_blocks_find(from, size, p->tag);
        foi_mover m = {.in = &in};
        if (!in.failed) p->move(&m, sim);
        if (!in.failed && foi_slice_left(&in)) foi_slice_fail(&in, "it is too long");
        if (in.failed) return fo_fail(why, FO_ERROR_FORMAT, "block '%s': %s", p->tag, in.wrong);
    }
    return foi_parts_settle(sim, "bytes", why);
}

// A simulation has one span of time: a state of another one is that of another simulation.
fo_status foi_group_read_carried(fo_fmu_group *g, uint32_t k, const uint8_t *from, size_t size,
                                 fo_message *why)
{
    foi_group_carried *c = &g->carried[k];
    fo_status status = foi_blocks_check(from, size, name_of_bytes, g->plan.parts[k].name, why);
    if (status != FO_OK) return status;
    foi_slice in = foi_blocks_find(from, size, "span");
    double start = foi_take_finite(&in, "its start"), stop = foi_take_finite(&in, "its stop");
    if (in.failed || !(stop > start))
        return fo_fail(why, FO_ERROR_FORMAT, "what was saved of the FMU %s has no span of time",
                       g->plan.parts[k].name);
    if (!c->sim || c->start != start || c->stop != stop) status = make(g, k, start, stop, why);
    return status == FO_OK ? read_parts(c->sim, from, size, why) : status;
}

// That of a first start, twice, and what an implicit method keeps: it may be chosen in the run.
size_t foi_group_carried_room(fo_fmu_group *g, uint32_t k)
{
    enum { MOST = 1 << 24 };
    fo_fmu *f = g->units[k];
    foi_group_carried *c = &g->carried[k];
    foi_bytes b = {.allocator = g->allocator};
    fo_message why = {0};
    size_t n = f->unit.x.values, size = 0;
    if (!f->room) return 0;
    fo_status status = make(g, k, f->experiment.start, f->experiment.stop, &why);
    if (status == FO_OK) status = fo_simulation_start(c->sim);
    if (!fo_failed(status)) status = foi_group_write_carried(g, k, &b, &why);
    if (!fo_failed(status)) size = 2 * b.count + (4 * n * n + 64 * n) * sizeof(double) + 4096;
    foi_bytes_free(&b);
    return size <= MOST ? size : 0;
}

void foi_group_drop_carried(fo_fmu_group *g)
{
    for (uint32_t k = 0; g->carried && k < g->count; k++) {
        fo_snapshot_destroy(g->carried[k].kept);
        fo_simulation_destroy(g->carried[k].sim);
    }
}
