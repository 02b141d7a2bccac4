#include "analysis/waypoints.h"

#include <string.h>

enum {
    FEW = 16,              ///< waypoints that are always kept
    FIRST_STRETCH = 4096,  ///< entries: shorter runs are kept whole
    ENTRIES_PER_POINT = 64 ///< a waypoint takes the memory of about so many entries
};

static void forget(foi_waypoint *p, const fo_allocator *a)
{
    foi_free(a, p->before);
    fo_snapshot_destroy(p->sim);
    foi_variation_mark_destroy(p->variation);
    foi_tape_mark_destroy(p->tape);
    *p = (foi_waypoint){0};
}

// Where the run stands; the tape is cut there.
static bool mark(foi_slopes_state *q)
{
    foi_waypoints *w = q->waypoints;
    if (w->count == w->room) {
        size_t room = 2 * w->room + 16;
        foi_waypoint *list = foi_grow(q->allocator, w->list, w->room, room, sizeof *list);
        if (!list) return false;
        w->list = list, w->room = room;
    }
    foi_waypoint p = {.way = q->way};
    size_t entries = foi_tape_entries(q->tape), reducers = q->m->reducer_count;
    p.sim = fo_simulation_snapshot(q->sim);
    p.variation = foi_variation_save(q->v, q->allocator);
    p.before = foi_new(q->allocator, reducers + 1, sizeof *p.before);
    if (p.sim && p.variation && p.before) p.tape = foi_tape_cut(q->tape, q->allocator);
    if (!p.tape) {
        forget(&p, q->allocator);
        return false;
    }
    memcpy(p.before, q->before, reducers * sizeof *p.before);
    if (w->count) w->list[w->count - 1].entries = entries - foi_tape_entries(q->tape);
    w->list[w->count++] = p;
    foi_adjoint_forget(q);
    return true;
}

// Every second one, but for the last, whose stretch lies on the tape.
static void thin_out(foi_waypoints *w, const fo_allocator *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (i % 2 == 0 || i + 1 == w->count) {
            w->list[kept++] = w->list[i];
        } else {
            w->list[kept - 1].entries += w->list[i].entries;
            forget(&w->list[i], a);
        }
    }
    w->count = kept, w->stretch *= 2;
}

bool foi_waypoints_begin(foi_slopes_state *q)
{
    if (fo_simulation_solver(q->sim)->traits & FO_SUNDIALS) return true;
    q->waypoints = foi_new(q->allocator, 1, sizeof *q->waypoints);
    if (!q->waypoints) return false;
    q->waypoints->stretch = q->stretch ? q->stretch : FIRST_STRETCH;
    return mark(q);
}

void foi_waypoints_end(foi_slopes_state *q)
{
    foi_waypoints *w = q->waypoints;
    if (!w) return;
    for (size_t i = 0; i < w->count; i++) forget(&w->list[i], q->allocator);
    foi_free(q->allocator, w->list);
    foi_free(q->allocator, w);
    q->waypoints = NULL;
}

void foi_waypoints_pass(foi_slopes_state *q)
{
    foi_waypoints *w = q->waypoints;
    // a solver that was changed for one of SUNDIALS' cannot be copied from there on
    bool foreign = fo_simulation_solver(q->sim)->traits & FO_SUNDIALS;
    if (!w || foreign || q->again || foi_tape_entries(q->tape) < w->stretch) return;
    if (foi_variation_lost(q->v) || !foi_tape_can_be_cut(q->tape)) return;
    if (!mark(q)) foi_tape_lack(q->tape);
    bool many = w->count > FEW && w->count > w->stretch / ENTRIES_PER_POINT;
    if (many) thin_out(w, q->allocator);
}

size_t foi_waypoints_count(const foi_slopes_state *q)
{
    return q->waypoints ? q->waypoints->count : 1;
}

fo_status foi_waypoints_replay(foi_slopes_state *q, size_t stretch, size_t *entries)
{
    const foi_waypoint *p = &q->waypoints->list[stretch];
    fo_status status = fo_simulation_restore(q->sim, p->sim);
    if (status != FO_OK) return status == FO_ERROR_MEMORY ? status : FO_ERROR_CONVERGE;
    foi_variation_restore(q->v, p->variation);
    foi_tape_begin_at(q->tape, p->tape);
    memcpy(q->before, p->before, q->m->reducer_count * sizeof *q->before);
    foi_adjoint_forget(q);
    q->way = p->way, q->again = true, q->enough = p->entries;
    status = foi_slopes_travel(q);
    q->again = false, *entries = p->entries;
    if (status == FO_ERROR_MEMORY || foi_tape_lacks(q->tape)) return FO_ERROR_MEMORY;
    bool same = !fo_failed(status) && foi_tape_entries(q->tape) >= p->entries &&
                foi_tape_leads_to(q->tape, p->entries, p[1].tape);
    return same ? FO_OK : FO_ERROR_CONVERGE;
}
