/// What is held, from when to when: looked at after the jumps of every instant.
#include "simulation/hold.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

// ------------------------------------------------------------------------- making and unmaking

// What steps itself has no rates that could be integrated with pushes in them.
bool foi_hold_possible(const fo_simulation *sim)
{
    if (sim->def.no_rest || !foi_hold_fits(sim) || (sim->hold && sim->hold->constrained))
        return false;
    return strcmp(sim->solver.method->info.name, "own") != 0;
}

bool foi_hold_fits(const fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    // modes are tried on copies of the state, which worlds of processes do not have
    uint32_t n = sim->state.s.shape.states;
    return !type->lockstep && !type->no_snapshot && type->guards && sim->state.s.shape.guards &&
           n && (n <= FOI_MOST_IMPLIED || !foi_implied_is(sim));
}

static fo_status refuse_resize(fo_host *host, fo_state *s, const fo_shape *shape)
{
    (void)host, (void)s, (void)shape;
    return FO_ERROR_UNFIT; // what is only tried may not change the size
}

// One block: doubles, then the flags of the guards.
static bool allot(foi_hold *h, const fo_allocator *a)
{
    const fo_shape *shape = &h->sim->state.s.shape;
    size_t n = h->n = shape->states, g = h->guards = shape->guards, y = shape->outputs;
    // a guard is one surface at most
    size_t most = g < FOI_MOST_HELD ? g : FOI_MOST_HELD;
    size_t rests = g < FOI_MOST_RESTS ? g : FOI_MOST_RESTS;
    size_t modes = (size_t)1 << (g < FOI_MOST_SLIDES ? g : FOI_MOST_SLIDES);
    size_t width = g + FOI_MOST_HELD;
    size_t sizes[] = {most * n,
                      most * n,
                      most * n,
                      most * n,
                      2 * rests * rests,
                      2 * most * most,
                      n,
                      modes * n,
                      modes * FOI_MOST_SLIDES,
                      n,
                      FOI_LEVELS * 2 * (n + width),
                      width,
                      4 * width,
                      2 * n,
                      2 * y,
                      (4 * g + 7) / 8 + 1};
    double **places[] = {&h->gradient, &h->normal, &h->push,  &h->old_push, &h->coupling, &h->seat,
                         &h->way,      &h->rate,   &h->slope, &h->size,     &h->work,     &h->g,
                         &h->bound,    &h->box,    &h->y,     &h->flags};
    h->block_size = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) h->block_size += sizes[i];
    h->block = foi_new(a, h->block_size, sizeof *h->block);
    if (!h->block) return false;
    double *at = h->block;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *places[i] = at, at += sizes[i];
    h->owner = (uint8_t *)h->flags, h->turn = (int8_t *)(h->owner + g);
    h->sides = h->turn + g, h->nature = (uint8_t *)(h->sides + g);
    return true;
}

static void wrap(foi_hold *h)
{
    const fo_system *system = &h->sim->system;
    h->type = (fo_system_type){
        .kind = system->type->kind, .rates = foi_hold_flow_rates, .guards = foi_hold_flow_guards};
    h->type.jacobian = foi_hold_flow_jacobian;
    if (system->type->held) h->type.held = foi_hold_flow_held;
    if (system->type->conditions) h->type.conditions = foi_hold_flow_conditions;
    if (system->type->guard_bounds) h->type.guard_bounds = foi_hold_flow_bounds;
    h->flow = (fo_system){&h->type, system->about, h};
}

static void destroy(foi_hold *h, const fo_allocator *a)
{
    if (!h) return;
    for (uint32_t m = 0; m < FOI_MOST_MODES; m++) foi_state_destroy(&h->mode[m]);
    foi_state_destroy(&h->probe);
    foi_implied_destroy(h->implied);
    foi_free(a, h->block);
    foi_free(a, h);
}

void foi_hold_destroy(fo_simulation *sim)
{
    destroy(sim->hold, sim->allocator);
    sim->hold = NULL;
}

static foi_hold *create(fo_simulation *sim)
{
    foi_hold *h = foi_new(sim->allocator, 1, sizeof *h);
    if (!h) return NULL;
    h->sim = sim, h->host.resize = refuse_resize;
    wrap(h);
    bool made = allot(h, sim->allocator) &&
                foi_state_create(&h->probe, &sim->state.s.shape, sim->allocator, NULL) == FO_OK;
    if (made && foi_implied_is(sim)) made = (h->implied = foi_implied_make(sim)) != NULL;
    if (made) return h;
    destroy(h, sim->allocator);
    return NULL;
}

fo_status foi_hold_ensure(fo_simulation *sim)
{
    if (sim->hold) return FO_OK;
    sim->hold = create(sim);
    if (sim->hold) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory to hold a guard at zero");
}

static fo_status ensure_modes(foi_hold *h, uint32_t count)
{
    for (uint32_t m = 0; m < count; m++) {
        if (h->mode[m].block) continue;
        fo_status status = foi_state_create(&h->mode[m], &h->sim->state.s.shape, h->sim->allocator,
                                            &h->sim->message);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

// --------------------------------------------------------------------------------------- modes

const fo_guard *foi_hold_about(const foi_hold *h, uint32_t guard)
{
    return h->sim->watch.about[guard];
}

static bool names(fo_direction direction, int way)
{
    return direction == FO_EITHER || (int)direction == way;
}

// The jumps of a surface's guards as if it were crossed, on one state. x may not change.
fo_status foi_hold_cross(foi_hold *h, fo_state *s, uint32_t k, int way, bool *fine)
{
    const fo_system *system = &h->sim->system;
    const double *x = h->sim->state.s.x;
    for (uint32_t i = 0; i < h->guards && system->type->jump; i++) {
        int its = way * h->turn[i];
        if (h->owner[i] != k + 1 || !names(foi_hold_about(h, i)->direction, its)) continue;
        fo_moment m = {.kind = FO_GUARD, .index = i, .t = s->t, .k = s->k + 1};
        m.direction = (fo_direction)its, m.name = foi_hold_about(h, i)->name;
        fo_effect e = {0};
        fo_status status = system->type->jump(system->model, s, &m, &e);
        if (status != FO_OK) return status;
    }
    *fine &= !memcmp(s->x, x, h->n * sizeof *x);
    return FO_OK;
}

static void ask_sides(foi_hold *h, uint32_t m)
{
    for (uint32_t i = 0; i < h->guards; i++) {
        uint32_t k = h->owner[i];
        h->sides[i] = 0;
        if (k > h->slides) h->sides[i] = FO_STAND_KEPT;
        if (k > 0 && k <= h->slides)
            h->sides[i] = (int8_t)((m >> (k - 1) & 1 ? 2 : -2) * h->turn[i]);
    }
}

static void ask_kept(foi_hold *h)
{
    for (uint32_t i = 0; i < h->guards; i++)
        h->sides[i] = h->owner[i] ? FO_STAND_KEPT : FO_STAND_AS_IS;
}

static fo_status stand_on(foi_hold *h, fo_state *s, uint32_t k, int side)
{
    const fo_system *system = &h->sim->system;
    ask_kept(h);
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i] == k + 1) h->sides[i] = (int8_t)(side * h->turn[i]);
    return system->type->side(system->model, s, h->sides);
}

fo_status foi_hold_leave(foi_hold *h, fo_state *s, uint32_t k, int way)
{
    fo_status status = stand_on(h, s, k, -way * FO_STAND_SEEN_ABOVE);
    return status == FO_OK ? stand_on(h, s, k, way) : status;
}

static fo_status make_mode(foi_hold *h, uint32_t m, bool *fine)
{
    const fo_system *system = &h->sim->system;
    fo_state *s = &h->mode[m].s;
    foi_state_copy(&h->mode[m], &h->sim->state);
    s->message = &h->sim->message, s->host = &h->host;
    fo_status status = FO_OK;
    if (h->how == FOI_BY_FUNCTION) {
        ask_sides(h, m);
        return system->type->side(system->model, s, h->sides);
    }
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        int way = m >> k & 1 ? 1 : -1;
        if (h->how == FOI_BY_LEAVING)
            status = foi_hold_leave(h, s, k, way);
        else if (h->how == FOI_BY_JUMP && way != h->surface[k].side)
            status = foi_hold_cross(h, s, k, way, fine);
    }
    if (h->how != FOI_BY_LEAVING || status != FO_OK) return status;
    ask_kept(h);
    *fine &= !memcmp(s->x, h->sim->state.s.x, h->n * sizeof *s->x);
    return system->type->side(system->model, s, h->sides);
}

// The mode that a crossing sets must be that of the side, wherever the solution was before: a
// switch that stays where it was put (two tanks, one filled at a time) has no mode of its own on
// the other side.
static fo_status forgets(foi_hold *h, bool *does)
{
    const fo_state *s = &h->sim->state.s;
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides; k++)
        for (int way = -1; way <= 1 && *does && status == FO_OK; way += 2) {
            for (uint32_t m = 0; m < 2 && status == FO_OK; m++) {
                fo_state *p = &h->mode[m].s;
                foi_state_copy(&h->mode[m], &h->sim->state);
                p->message = &h->sim->message, p->host = &h->host;
                if (m) status = foi_hold_leave(h, p, k, -way);
                if (status == FO_OK) status = foi_hold_leave(h, p, k, way);
                if (status == FO_OK)
                    status = foi_hold_model_rates(h, p, s->t, s->x, h->rate + (size_t)m * h->n);
            }
            *does &= !memcmp(h->rate, h->rate + h->n, h->n * sizeof *h->rate);
        }
    return status;
}

static fo_status leave_all(foi_hold *h, fo_state *s, uint32_t mode)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++)
        status = foi_hold_leave(h, s, k, mode >> k & 1 ? 1 : -1);
    return status;
}

// Nor may it matter, of several surfaces, from which of the modes beside it one has been come to: a
// switch that looks at another guard when its own has crossed has no mode of its own there, either.
static fo_status forgets_others(foi_hold *h, bool *does)
{
    const fo_state *s = &h->sim->state.s;
    uint32_t ways = h->slides > 1 ? h->slides << h->slides : 0;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < ways && *does && status == FO_OK; i++) {
        uint32_t mode = i / h->slides, k = i % h->slides;
        for (uint32_t m = 0; m < 2 && status == FO_OK; m++) {
            fo_state *p = &h->mode[m].s;
            foi_state_copy(&h->mode[m], &h->sim->state);
            p->message = &h->sim->message, p->host = &h->host;
            status = leave_all(h, p, m ? mode ^ 1u << k : mode);
            if (status == FO_OK && m) status = foi_hold_leave(h, p, k, mode >> k & 1 ? 1 : -1);
            if (status == FO_OK)
                status = foi_hold_model_rates(h, p, s->t, s->x, h->rate + (size_t)m * h->n);
        }
        *does &= !memcmp(h->rate, h->rate + h->n, h->n * sizeof *h->rate);
    }
    return status;
}

// And the surface must be the same, seen from either side: the guard of a floor is another function
// beyond its zero.
static fo_status stays_the_same(foi_hold *h, bool *does)
{
    const fo_state *s = &h->sim->state.s;
    double slope[2][FOI_MOST_HELD], *f = h->rate;
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        for (uint32_t m = 0; m < 2 && status == FO_OK; m++) {
            fo_state *p = &h->mode[m].s;
            foi_state_copy(&h->mode[m], &h->sim->state);
            p->message = &h->sim->message, p->host = &h->host;
            status = foi_hold_leave(h, p, k, m ? 1 : -1);
            if (status == FO_OK)
                status = foi_hold_slopes(h, p, s->t, s->x, f, FOI_LEVELS - 1, slope[m]);
        }
        double most = foi_fmax(fabs(slope[0][k]), fabs(slope[1][k]));
        *does &= status == FO_OK && fabs(slope[0][k] - slope[1][k]) <= 0x1p-20 * most;
    }
    return status;
}

bool foi_hold_in_cell(foi_hold *h, const fo_state *s, uint32_t guard)
{
    const fo_system *system = &h->sim->system;
    h->nature[guard] = 0;
    if (system->type->held) system->type->held(system->model, s, h->nature);
    if (!h->nature[guard]) return foi_hold_about(h, guard)->direction == FO_FALLING;
    return (h->nature[guard] & 15) == (FO_ABOVE | FO_AT_ZERO);
}

// How the guard of surface k changes along its normal in the mode of s, at its zero: a method of
// low order may have put it some way off.
static fo_status across(foi_hold *h, const fo_state *s, uint32_t k, double *change)
{
    const fo_system *system = &h->sim->system;
    const foi_surface *on = &h->surface[k];
    const double *normal = h->normal + (size_t)k * h->n;
    double *x = h->work;
    const fo_state *now = &h->sim->state.s;
    fo_status status = system->type->guards(system->model, now, now->t, now->x, h->g);
    double off = h->g[on->guard];
    *change = 0;
    for (int way = -1; way <= 1 && status == FO_OK; way += 2) {
        for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + (way * on->delta - off) * normal[i];
        status = system->type->guards(system->model, s, s->t, x, h->g);
        *change += way * h->g[on->guard];
    }
    return status;
}

// From the next cell (below) to that of the state: how their guards change. Cells may have other
// widths by a factor of two (that of 0, where whole parts are cut towards it); of others it is not
// known how their slopes compare.
static fo_status face(foi_surface *on, const double change[2])
{
    int power;
    double part = frexp(fabs(change[0] / change[1]) * 1.5, &power) / 0.75;
    if (!(fabs(part - 1) <= 0x1p-20) || power > 2 || power < 0) return FO_RETRY;
    on->side = 1, on->steeper = (int8_t)(power - 1);
    return FO_OK;
}

// Where modes are found by jumps no other guard follows: whether some other one would have to.
static fo_status carries_others(foi_hold *h, const fo_state *below, const fo_state *above,
                                bool *does)
{
    const fo_system *system = &h->sim->system;
    double *g = h->bound;
    fo_status status = system->type->guards(system->model, below, below->t, below->x, g);
    if (status == FO_OK)
        status = system->type->guards(system->model, above, above->t, above->x, h->g);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++)
        *does |= !h->owner[i] && foi_sign_of(g[i]) != foi_sign_of(h->g[i]);
    return status;
}

// Which surfaces are ends of cells: from one side to the other their guard turns round.
static fo_status find_cells(foi_hold *h)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        foi_surface *on = &h->surface[k];
        const fo_state *below = &h->mode[0].s, *above = &h->mode[1u << k].s;
        double change[2] = {0};
        on->cell = false, on->steeper = 0;
        if (h->how == FOI_BY_PLACE || !foi_hold_in_cell(h, below, on->guard) ||
            !foi_hold_in_cell(h, above, on->guard))
            continue;
        status = across(h, below, k, &change[0]);
        if (status == FO_OK) status = across(h, above, k, &change[1]);
        if (status == FO_OK && change[0] * change[1] < 0) {
            on->cell = true;
            status = face(on, change);
        }
        bool carries = false;
        if (status == FO_OK && on->cell && h->how == FOI_BY_JUMP)
            status = carries_others(h, below, above, &carries);
        if (carries) status = FO_RETRY;
    }
    return status;
}

fo_status foi_hold_modes(foi_hold *h, bool *differ)
{
    const fo_state *s = &h->sim->state.s;
    bool fine = true;
    *differ = false;
    if (!h->slides) return FO_OK;
    if (h->how <= FOI_BY_LEAVING && !h->sim->system.type->side) return FO_OK;
    fo_status status = ensure_modes(h, 1u << h->slides);
    if (status == FO_OK && h->how == FOI_BY_LEAVING && !h->on) status = forgets(h, &fine);
    if (status == FO_OK && h->how == FOI_BY_LEAVING && !h->on) status = forgets_others(h, &fine);
    if (status == FO_OK && h->how == FOI_BY_LEAVING && !h->on) status = stays_the_same(h, &fine);
    for (uint32_t m = 0; m < 1u << h->slides && status == FO_OK; m++)
        status = make_mode(h, m, &fine);
    if (status != FO_OK || !fine) return status;
    if (!h->on) status = find_cells(h);
    if (status == FO_OK) status = foi_hold_rates(h, s->t, s->x);
    for (uint32_t m = 1; m < 1u << h->slides && status == FO_OK; m++)
        *differ |= memcmp(h->rate, h->rate + (size_t)m * h->n, h->n * sizeof *h->rate) != 0;
    return status;
}

// ------------------------------------------------------------------------- beginning and ending

static fo_status report(fo_simulation *sim, uint32_t guard)
{
    foi_pulse *p = &sim->pulses[guard];
    fo_moment m = {.kind = p->note, .index = guard, .t = p->note_t, .k = sim->state.s.k};
    m.limit = p->note_t, m.name = sim->watch.about[guard]->name;
    m.direction = (fo_direction)p->note_way, m.why = p->note_why;
    p->noted = false;
    return foi_rows_moment(sim, &m);
}

fo_status foi_hold_report(fo_simulation *sim)
{
    fo_status status = FO_OK;
    for (int begins = 0; begins < 2; begins++)
        for (uint32_t i = 0; i < sim->pulse_count && status == FO_OK; i++) {
            const foi_pulse *p = &sim->pulses[i];
            bool its = p->note == FO_REST || p->note == FO_SLIDE;
            if (p->noted && its == begins) status = report(sim, i);
        }
    return status;
}

fo_status foi_hold_tell(foi_hold *h, fo_moment_kind kind, const foi_surface *on, int way,
                        const char *why)
{
    fo_simulation *sim = h->sim;
    foi_pulse *p = &sim->pulses[on->guard];
    bool begins = kind == FO_REST || kind == FO_SLIDE;
    if (p->noted && (int)p->note == (int)kind + (begins ? 1 : -1)) {
        p->noted = false;
        return FO_OK;
    }
    fo_status status = p->noted ? report(sim, on->guard) : FO_OK;
    p->noted = true, p->note = kind, p->note_way = (int8_t)way, p->note_why = why;
    p->note_t = sim->state.s.t;
    return status;
}

// What the guards of a surface are for the model's own state from now on.
fo_status foi_hold_put(foi_hold *h, uint32_t k, int8_t side)
{
    const fo_system *system = &h->sim->system;
    if (!system->type->side) return FO_OK;
    for (uint32_t i = 0; i < h->guards; i++) {
        bool its = h->owner[i] == k + 1;
        h->sides[i] = (int8_t)(!its ? 0 : side == FO_STAND_KEPT ? side : side * h->turn[i]);
    }
    return system->type->side(system->model, &h->sim->state.s, h->sides);
}

double foi_hold_grain(const fo_simulation *sim)
{
    double span = foi_run_scale(&sim->def);
    return DBL_EPSILON * foi_fmax(fabs(sim->state.s.t), 0x1p-20 * span);
}

// That of the solver does not hide states that are small; that of fixed steps, which do not look at
// it, may.
static double absolute(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    double size = foi_fmax(o->size, sim->hold ? sim->hold->scale : 0), of_size = o->rtol * size;
    bool hides = size > 0 && of_size < 0.1 * o->atol && of_size > DBL_MIN / DBL_EPSILON;
    return hides ? of_size : o->atol;
}

// Before the first step nothing is known of small states but themselves and their rates.
fo_status foi_hold_foresee(fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    const foi_solver *o = &sim->solver;
    double most = 0, span = foi_run_scale(&sim->def);
    for (uint32_t i = 0; i < s->shape.states; i++) most = foi_fmax(most, fabs(s->x[i]));
    if (!(o->rtol * most < 0.1 * o->atol)) return FO_OK;
    fo_status status = foi_hold_ensure(sim);
    if (status != FO_OK) return status;
    foi_hold *h = sim->hold;
    if (foi_hold_model_rates(h, s, s->t, s->x, h->rate) == FO_OK)
        for (uint32_t i = 0; i < h->n; i++) most = foi_fmax(most, span * fabs(h->rate[i]));
    sim->message.status = FO_OK, sim->message.text[0] = 0; // what fails there fails when it starts
    h->scale = isfinite(most) ? most : 0;
    // a checkpoint knows of it by the solver, which does not measure it with fixed steps
    if (!(o->method->info.traits & FO_ADAPTIVE)) sim->solver.size = h->scale;
    return FO_OK;
}

double foi_hold_tolerance(const fo_simulation *sim, double x)
{
    return absolute(sim) + sim->solver.rtol * fabs(x);
}

double foi_hold_least(const fo_simulation *sim)
{
    double rtol = sim->solver.rtol, least = rtol > 0 ? absolute(sim) / rtol : absolute(sim);
    return least > 0 && least < INFINITY ? least : 0x1p-40;
}

// The terms that add up to a guard.
static double terms_of(const foi_hold *h, uint32_t k)
{
    const fo_state *s = &h->sim->state.s;
    double sum = 0;
    for (uint32_t i = 0; i < h->n; i++) sum += fabs(h->gradient[(size_t)k * h->n + i] * s->x[i]);
    return sum;
}

double foi_hold_slope_blur(const foi_hold *h, uint32_t k)
{
    return h->exact ? 0 : 4 * DBL_EPSILON * terms_of(h, k) / h->tau;
}

double foi_hold_blur(const foi_hold *h, uint32_t k)
{
    double sum = terms_of(h, k);
    return 64 * (DBL_EPSILON * sum + foi_hold_grain(h->sim) * h->surface[k].pace);
}

double foi_hold_reach(const foi_hold *h, uint32_t k)
{
    const fo_state *s = &h->sim->state.s;
    double near = 0;
    for (uint32_t i = 0; i < h->n; i++)
        near += fabs(h->gradient[(size_t)k * h->n + i]) * foi_hold_tolerance(h->sim, s->x[i]);
    return foi_hold_blur(h, k) + FOI_HELD_PART * near;
}

static void use_flow(fo_simulation *sim, fo_system flow)
{
    sim->flow = sim->solver.system = flow;
    sim->watch.slope_valid = false;
    sim->refit = sim->restart = true;
}

// In a run that begins at rest the states are zero, but for rounding errors, and stay so. How large
// they are for the solver's tolerance is what those that pushes move would be without them.
static void measure_scale(foi_hold *h)
{
    fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    double span = foi_run_scale(&sim->def), most = 0, *f = h->rate;
    if (!h->rests || foi_hold_model_rates(h, s, s->t, s->x, f) != FO_OK) return;
    for (uint32_t k = h->slides; k < h->slides + h->rests; k++)
        for (uint32_t i = 0; i < h->n; i++)
            if (h->push[(size_t)k * h->n + i] != 0) most = foi_fmax(most, span * fabs(f[i]));
    if (isfinite(most)) sim->solver.size = foi_fmax(sim->solver.size, most);
}

double foi_hold_scale(const foi_hold *h, uint32_t k)
{
    double most = 0;
    if (k >= h->slides) return INFINITY;
    for (uint32_t m = 0; m < 1u << h->slides; m++)
        most = foi_fmax(most, fabs(h->slope[(size_t)m * FOI_MOST_SLIDES + k]));
    return most > 0 ? h->sim->solver.rtol * foi_run_scale(&h->sim->def) * most : INFINITY;
}

// The wrapping system becomes the solver's, and what is held is off zero for the watch.
void foi_hold_enter(foi_hold *h)
{
    measure_scale(h);
    use_flow(h->sim, h->flow);
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i]) h->sim->watch.guard[i] = (foi_guard_side){.g = 1, .side = 1, .told = 1};
    h->on = true;
    h->until = INFINITY, h->truth = 0;
    memset(h->turns, 0, sizeof h->turns);
}

// A guard that was held stands at zero but for rounding errors, and leaving it is no moment. A
// contact leaves with all derivatives zero but one that only begins to grow: as long as it is no
// higher than a hop that cannot be seen, the step's polynomial may lie on either side of zero. So
// may that of what has slid, which leaves with a slope of zero, and goes back by less than the
// tolerance. So may the first steps of a method that begins with order 1, by some tolerances: an
// impact there would take the little speed that it has, again and again, and a relay would switch
// to and fro.
void foi_hold_stand(foi_hold *h, uint32_t guard)
{
    h->sim->watch.guard[guard] = (foi_guard_side){0};
    foi_hold_let_go(h, h->owner[guard] - 1u, guard);
}

void foi_hold_let_go(foi_hold *h, uint32_t k, uint32_t guard)
{
    foi_guard_side *is = &h->sim->watch.guard[guard];
    double part = foi_rest_begins_low(h->sim) ? 16 : k < h->slides ? 1 : 0x1p-20;
    is->side = is->told = 0, is->rests = is->left = true, is->slack = foi_hold_blur(h, k);
    is->slack += part * foi_fmin(foi_rest_tolerance(h, k), foi_hold_scale(h, k));
    // a model that holds no truth of its guards would not hear of it if it came to the other side
    int side = h->surface[k].side;
    bool hears =
        (k >= h->slides || h->surface[k].cell) && names(foi_hold_about(h, guard)->direction, -side);
    if (hears && !h->sim->system.type->held)
        is->held = (uint8_t)(FO_AT_ZERO | (side > 0 ? FO_ABOVE : FO_BELOW));
    h->sim->watch.since[guard] = h->sim->state.s.t;
}

// Back to the model's own system.
void foi_hold_release(foi_hold *h)
{
    if (!h->on) return;
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i]) foi_hold_stand(h, i);
    h->on = false;
    use_flow(h->sim, h->sim->system);
}

void foi_hold_abandon(fo_simulation *sim)
{
    if (!sim->hold) return;
    foi_hold_release(sim->hold);
    foi_hold_destroy(sim);
}

// --------------------------------------------------------------------------------- while it holds

// Whether a push has turned.
static bool differ(const foi_hold *h, const double *push, const double *old)
{
    double most = 0;
    for (uint32_t i = 0; i < h->n; i++) most = foi_fmax(most, fabs(push[i]) / h->size[i]);
    for (uint32_t i = 0; i < h->n; i++)
        if (fabs(push[i] - old[i]) > 0x1p-30 * most * h->size[i]) return true;
    return false;
}

// The push of contact k at the present state; whether it has turned since the last one.
static fo_status turn_push(foi_hold *h, uint32_t k)
{
    const fo_state *s = &h->sim->state.s;
    double *push = h->push + (size_t)k * h->n, *old = h->old_push + (size_t)k * h->n;
    memcpy(old, push, h->n * sizeof *push);
    fo_status status = foi_contact_turn(h, k, s->t, s->x, old, push);
    h->turns[k] |= differ(h, push, old);
    memcpy(old, push, h->n * sizeof *push);
    return status;
}

// Two short steps along the flow, so that it is seen of one that only begins to move, too; whether
// pushes are others there. x has room for four vectors.
static fo_status look_ahead(foi_hold *h, double by, double *x)
{
    const fo_state *s = &h->sim->state.s;
    double *f = x + h->n, *push = f + h->n, *old = push + h->n;
    fo_status status = FO_OK;
    memcpy(x, s->x, h->n * sizeof *x);
    for (int k = 0; k < 2 && status == FO_OK; k++) {
        status = foi_hold_flow_rates(h, s, s->t + k * by, x, f);
        for (uint32_t i = 0; i < h->n && status == FO_OK; i++) x[i] += by * f[i];
    }
    for (uint32_t k = h->slides; k < h->slides + h->rests && status == FO_OK; k++) {
        memcpy(old, h->push + (size_t)k * h->n, h->n * sizeof *old);
        status = foi_contact_turn(h, k, s->t + 2 * by, x, old, push);
        if (status == FO_OK && differ(h, push, old)) h->turns[k] = true;
    }
    return status;
}

fo_status foi_hold_look_ahead(foi_hold *h)
{
    fo_simulation *sim = h->sim;
    double left = sim->def.stop - sim->state.s.t;
    double by = 0.25 * foi_fmin(foi_held_step(sim), left);
    if (!h->rests || !(by > 0)) return FO_OK;
    double *x = foi_new(sim->allocator, 4 * (size_t)h->n, sizeof *x);
    if (!x) return FO_ERROR_MEMORY;
    fo_status status = look_ahead(h, by, x);
    foi_free(sim->allocator, x);
    return status == FO_ERROR_MEMORY ? status : FO_OK; // only tried
}

// A contact that was pressed is left when nothing presses it; one that never was, because nothing
// does, when something pulls at it.
static fo_status note_pressed(foi_hold *h)
{
    const fo_state *s = &h->sim->state.s;
    double alpha[FOI_MOST_SLIDES], lambda[FOI_MOST_RESTS], slack = foi_contact_slack(h);
    fo_status status = foi_hold_combine(h, s->t, s->x, h->sim->sample, alpha);
    if (status == FO_OK) status = foi_hold_pushes(h, s->t, s->x, h->sim->sample, lambda);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++)
        h->surface[h->slides + j].pressed |= lambda[j] > 2 * slack;
    return status;
}

// What is nested in what is slid upon (z = if x > 0 then 1 else 0, and z + time > 1.5) has a value
// in each mode, and may turn in one of them: there is no moment for that. In the mode of the
// simulation's state there is, and what is slid upon is looked at anew.
static fo_status note_truth(foi_hold *h)
{
    const fo_system *system = &h->sim->system;
    uint64_t truth = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);
    bool alone = true;
    for (uint32_t i = 0; i < h->guards && alone; i++) alone = h->owner[i] != 0;
    if (!h->slides || alone || h->how == FOI_BY_PLACE || !system->type->held) return FO_OK;
    for (uint32_t m = 0; m < 1u << h->slides; m++) {
        system->type->held(system->model, &h->mode[m].s, h->nature);
        for (uint32_t i = 0; i < h->guards; i++)
            if (!h->owner[i]) truth = (truth ^ h->nature[i]) * prime;
    }
    if (!truth) truth = 1;
    uint64_t before = h->truth;
    h->truth = truth;
    if (!before || before == truth) return FO_OK;
    return fo_fail(&h->sim->message, FO_ERROR_MODEL,
                   "before t = %.15g a relation has turned in one of the modes between which the "
                   "solution slides along '%s', and not in the other: when that was is not known",
                   h->sim->state.s.t, foi_hold_about(h, h->surface[0].guard)->name);
}

fo_status foi_hold_settle(fo_simulation *sim)
{
    foi_hold *h = sim->hold;
    fo_state *s = &sim->state.s;
    bool differ;
    if (!h || !h->on) return FO_OK;
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_hold_modes(h, &differ);
    if (status == FO_OK) status = note_truth(h);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++) status = turn_push(h, h->slides + j);
    if (status == FO_OK) status = foi_hold_couple(h, 0);
    if (status == FO_OK && h->rests) status = note_pressed(h);
    double alpha[FOI_MOST_SLIDES];
    if (status == FO_OK && h->slides > 1)
        status = foi_hold_combine(h, s->t, s->x, sim->sample, alpha);
    if (status == FO_OK && h->slides > 1) memcpy(h->alpha, alpha, h->slides * sizeof *alpha);
    return status == FO_OK ? foi_hold_creeps(h) : status;
}

static fo_status translate_push(foi_hold *h, uint32_t k)
{
    const fo_state *s = &h->sim->state.s;
    double *push = h->push + (size_t)k * h->n;
    bool is;
    fo_status status = foi_hold_weigh(h, k);
    if (status == FO_OK) status = foi_contact_push(h, k, s->t, s->x, push, &is);
    if (status != FO_OK || is) return status;
    return fo_fail(&h->sim->message, FO_ERROR_MODEL,
                   "at t = %.15g other variables become the states, and with them '%s' cannot be "
                   "held at zero: its jump does not turn it round",
                   s->t, foi_hold_about(h, h->surface[k].guard)->name);
}

fo_status foi_hold_translate(foi_hold *h)
{
    bool differ;
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_hold_modes(h, &differ);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++)
        status = translate_push(h, h->slides + j);
    memcpy(h->old_push, h->push, ((size_t)h->slides + h->rests) * h->n * sizeof *h->push);
    return status == FO_OK ? foi_hold_couple(h, 0) : status;
}

// ------------------------------------------------------------------------------------ going back

// All that changes; both are made for the same shape, so that their blocks are laid out alike.
static fo_status copy(foi_hold *to, const foi_hold *from)
{
    uint32_t modes = from->slides ? 1u << from->slides : 0;
    fo_status status = ensure_modes(to, modes);
    if (status != FO_OK) return status;
    for (uint32_t m = 0; m < modes; m++) {
        foi_state_copy(&to->mode[m], &from->mode[m]);
        to->mode[m].s.message = &to->sim->message, to->mode[m].s.host = &to->host;
    }
    memcpy(to->block, from->block, to->block_size * sizeof *to->block);
    memcpy(to->surface, from->surface, sizeof to->surface);
    memcpy(to->alpha, from->alpha, sizeof to->alpha);
    memcpy(to->exits, from->exits, sizeof to->exits);
    memcpy(to->turns, from->turns, sizeof to->turns);
    to->slides = from->slides, to->rests = from->rests, to->how = from->how;
    to->truth = from->truth;
    to->exact = from->exact, to->tau = from->tau, to->until = from->until, to->on = from->on;
    return FO_OK;
}

foi_hold *foi_hold_save(const fo_simulation *sim, bool *none)
{
    *none = !sim->hold || !sim->hold->on;
    if (*none) return NULL;
    foi_hold *saved = create((fo_simulation *)sim);
    if (!saved || copy(saved, sim->hold) == FO_OK) return saved;
    destroy(saved, sim->allocator);
    return NULL;
}

void foi_hold_forget(foi_hold *saved, const fo_allocator *allocator)
{
    destroy(saved, allocator);
}

// As it was made: nothing that was ever held is known any more.
static void clear(foi_hold *h)
{
    memset(h->block, 0, h->block_size * sizeof *h->block);
    memset(h->surface, 0, sizeof h->surface);
    memset(h->alpha, 0, sizeof h->alpha);
    memset(h->turns, 0, sizeof h->turns);
    memset(h->exits, 0, sizeof h->exits);
    h->slides = h->rests = 0, h->how = FOI_BY_FUNCTION, h->several = h->exact = false;
    h->tau = h->until = 0, h->truth = 0;
}

fo_status foi_hold_restore(fo_simulation *sim, const foi_hold *saved, bool *other)
{
    bool was = foi_is_held(sim);
    fo_status status = FO_OK;
    if (sim->hold && (sim->hold->n != sim->state.s.shape.states ||
                      sim->hold->guards != sim->state.s.shape.guards))
        foi_hold_destroy(sim);
    if (saved) status = foi_hold_ensure(sim);
    if (status == FO_OK && saved) status = copy(sim->hold, saved);
    if (status != FO_OK) return status;
    if (sim->hold && !saved) clear(sim->hold);
    if (sim->hold) sim->hold->on = saved != NULL;
    sim->flow = sim->solver.system = saved ? sim->hold->flow : sim->system;
    *other = was != (saved != NULL);
    return FO_OK;
}
