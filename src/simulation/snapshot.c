/// Snapshots: a copy of everything that the future depends on.
#include <math.h>
#include <string.h>

#include "simulation/internal.h"

/// How far an observer had been served.
typedef struct served {
    uint64_t next;
    double last_t;
    uint32_t last_k;
    bool any;
} served;

struct fo_snapshot {
    const fo_allocator *allocator;
    fo_system system;
    foi_state_store state;
    foi_solver solver;
    fo_accuracy accuracy;
    foi_watch watch;
    foi_phase phase;
    bool searched, automatic;
    double root, last_jump, over_from, over_to;
    char reason[160];
    foi_stiffness stiffness;
    foi_external *queue;
    size_t queued;
    uint64_t sent, moments;
    foi_pulse *pulses;
    uint32_t pulse_count;
    double crept_at;
    uint32_t creeps, faint;
    foi_chatter chatter;
    served *served;
    uint32_t served_count;
    foi_hold *hold; ///< NULL: nothing was held
};

static void *copy_of(const fo_allocator *a, const void *from, size_t count, size_t size)
{
    void *to = foi_new(a, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

static bool fill(fo_snapshot *snap, const fo_simulation *sim)
{
    const fo_allocator *a = snap->allocator;
    snap->system = sim->system;
    snap->phase = sim->phase, snap->searched = sim->searched, snap->automatic = sim->automatic;
    snap->root = sim->root, snap->last_jump = sim->last_jump, snap->sent = sim->sent,
    snap->moments = sim->moments;
    snap->over_from = sim->over_from, snap->over_to = sim->over_to;
    snap->crept_at = sim->crept_at, snap->creeps = sim->creeps, snap->faint = sim->faint;
    snap->chatter = sim->chatter;
    memcpy(snap->reason, sim->reason, sizeof snap->reason);
    snap->stiffness = sim->stiffness;
    if (foi_state_create(&snap->state, &sim->state.s.shape, a, NULL) != FO_OK) return false;
    foi_state_copy(&snap->state, &sim->state);
    snap->solver = sim->solver;
    snap->accuracy = fo_simulation_accuracy(sim);
    snap->solver.extern_data = NULL;
    snap->solver.block = foi_new(a, sim->solver.block_size, sizeof(double));
    if (!snap->solver.block) return false;
    foi_solver_copy(&snap->solver, &sim->solver);
    void *watched = copy_of(a, sim->watch.block, sim->watch.block_size, 1);
    snap->watch = sim->watch;
    snap->watch.block = watched;
    snap->queued = sim->queued, snap->pulse_count = sim->pulse_count;
    snap->queue = copy_of(a, sim->queue, sim->queued, sizeof *sim->queue);
    snap->pulses = copy_of(a, sim->pulses, sim->pulse_count, sizeof *sim->pulses);
    snap->served = foi_new(a, sim->seat_count, sizeof *snap->served);
    if (!snap->watch.block || !snap->queue || !snap->pulses || !snap->served) return false;
    bool none;
    snap->hold = foi_hold_save(sim, &none);
    if (!snap->hold && !none) return false;
    snap->served_count = sim->seat_count;
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        const foi_seat *seat = &sim->seats[i];
        snap->served[i] = (served){seat->next, seat->last_t, seat->last_k, seat->any};
    }
    return true;
}

fo_snapshot *fo_simulation_snapshot(fo_simulation *sim)
{
    if (sim->system.type->no_snapshot) {
        fo_fail(&sim->message, FO_ERROR_UNFIT, "'%s' cannot be copied: %s", sim->system.about->name,
                sim->system.type->no_snapshot);
        return NULL;
    }
    fo_snapshot *snap = foi_new(sim->allocator, 1, sizeof *snap);
    if (snap) {
        snap->allocator = sim->allocator;
        if (fill(snap, sim)) return snap;
        fo_snapshot_destroy(snap);
    }
    fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for a snapshot");
    return NULL;
}

void fo_snapshot_destroy(fo_snapshot *snap)
{
    if (!snap) return;
    const fo_allocator *a = snap->allocator;
    foi_state_destroy(&snap->state);
    foi_free(a, snap->solver.block);
    foi_free(a, snap->watch.block);
    foi_free(a, snap->queue);
    foi_free(a, snap->pulses);
    foi_free(a, snap->served);
    foi_hold_forget(snap->hold, a);
    foi_free(a, snap);
}

double fo_snapshot_time(const fo_snapshot *snap)
{
    return snap->state.s.t;
}

static bool same_accuracy(const fo_simulation *sim, const fo_accuracy *was)
{
    fo_accuracy now = fo_simulation_accuracy(sim);
    return now.rtol == was->rtol && now.atol == was->atol && now.min_step == was->min_step &&
           now.max_step == was->max_step;
}

// Another shape, method or accuracy than the simulation has now: its parts are made again first.
static fo_status make_fit(fo_simulation *sim, const fo_snapshot *snap)
{
    bool same_shape = foi_shape_equal(&sim->state.s.shape, &snap->state.s.shape);
    bool same_method = sim->solver.method == snap->solver.method;
    bool other_flow = false, other_accuracy = !same_accuracy(sim, &snap->accuracy);
    fo_status status = FO_OK;
    if (!same_shape) status = foi_state_reshape(&sim->state, &snap->state.s.shape, &sim->message);
    if (status == FO_OK) status = foi_hold_restore(sim, snap->hold, &other_flow);
    if (other_accuracy) foi_accuracy_take(sim, &snap->accuracy);
    if (status == FO_OK && (!same_shape || !same_method || other_flow || other_accuracy))
        status = foi_simulation_solver_make(sim, snap->solver.method);
    if (status == FO_OK && !same_shape) status = foi_simulation_fit(sim);
    if (status == FO_OK && sim->queue_room < snap->queued) {
        foi_external *grown =
            foi_grow(sim->allocator, sim->queue, sim->queue_room, snap->queued, sizeof *grown);
        if (!grown) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for events");
        sim->queue = grown, sim->queue_room = snap->queued;
    }
    return status;
}

// A method whose state lies elsewhere starts afresh from the present.
static fo_status restart(fo_simulation *sim)
{
    sim->searched = false;
    if (sim->phase != FOI_RUNNING) return FO_OK;
    const fo_state *s = &sim->state.s;
    fo_status status = foi_solver_begin(&sim->solver, s->t, s->x, FOI_JUMP);
    if (status == FO_OK && sim->watching) status = foi_watch_move(&sim->watch, &sim->solver, s);
    return status;
}

fo_status fo_simulation_restore(fo_simulation *sim, const fo_snapshot *snap)
{
    if (snap->system.type != sim->system.type || snap->system.model != sim->system.model ||
        snap->served_count != sim->seat_count)
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT,
                       "the snapshot is of another system or definition");
    fo_status status = make_fit(sim, snap);
    if (status != FO_OK) return status;
    foi_state_copy(&sim->state, &snap->state);
    foi_solver_copy(&sim->solver, &snap->solver);
    foi_watch_copy(&sim->watch, &snap->watch);
    sim->phase = snap->phase, sim->searched = snap->searched, sim->automatic = snap->automatic;
    sim->root = snap->root, sim->last_jump = snap->last_jump, sim->sent = snap->sent,
    sim->moments = snap->moments;
    sim->over_from = snap->over_from, sim->over_to = snap->over_to;
    sim->crept_at = snap->crept_at, sim->creeps = snap->creeps, sim->faint = snap->faint;
    sim->chatter = snap->chatter;
    memcpy(sim->reason, snap->reason, sizeof sim->reason);
    sim->stiffness = snap->stiffness;
    sim->queued = snap->queued;
    if (snap->queued) memcpy(sim->queue, snap->queue, snap->queued * sizeof *sim->queue);
    if (snap->pulse_count)
        memcpy(sim->pulses, snap->pulses, snap->pulse_count * sizeof *sim->pulses);
    sim->message = (fo_message){FO_OK, ""};
    sim->reshaped = sim->restart = sim->refit = sim->eventful = false;
    sim->hop = 0;
    sim->follow.upto = sim->state.s.t;
    sim->crawl.steps = 0;
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        foi_seat *seat = &sim->seats[i];
        const served *was = &snap->served[i];
        seat->next = was->next, seat->last_t = was->last_t;
        seat->last_k = was->last_k, seat->any = was->any;
    }
    return sim->solver.method->foreign ? restart(sim) : FO_OK;
}
