/// Which surfaces are slid upon from an instant on, among the guards that have crossed there, stand
/// there, or were slid upon before.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"
#include "simulation/look.h"

// ------------------------------------------------------------------------------------ candidates

bool foi_look_add_slide(foi_look *l, uint32_t guard, int side, bool was)
{
    for (uint32_t k = 0; k < l->slides; k++)
        if (l->slide[k].guard == guard) return true;
    if (l->slides == FOI_MOST_HELD) return false;
    l->was_slide[l->slides] = was;
    l->slide[l->slides++] = (foi_surface){.guard = guard, .side = (int8_t)side};
    return true;
}

/// A guard that has come to zero.
typedef struct comer {
    uint32_t guard;
    int way;
    bool held;  ///< until now something was: the state has been put back onto that
    bool fired; ///< the jumps of this instant have dealt with it
    bool on;    ///< it goes on: the new mode carries it
    bool far;   ///< it does not even stand at zero
    bool cell;  ///< it is now that of another cell
    double was; ///< what that of the old one is
} comer;

// Whether the jumps of this instant have put another cell (of a floor) in the place of that whose
// guard has fallen to zero: along the same way, over which it changes by `change`, the old one goes
// on to fall.
static fo_status is_of_next_cell(foi_hold *h, comer *c, double by, double change)
{
    const fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    const fo_system *system = &sim->system;
    c->cell = false;
    if (!c->fired || c->way > 0 || !foi_hold_in_cell(h, now, c->guard)) return FO_OK;
    if (!foi_shape_equal(&now->shape, &then->shape) || !foi_hold_in_cell(h, then, c->guard))
        return FO_OK;
    double *x = h->work; // as is_carried has left it
    fo_status status = system->type->guards(system->model, then, now->t + by, x, h->g);
    double there = h->g[c->guard];
    if (status == FO_OK) status = system->type->guards(system->model, then, now->t, now->x, h->g);
    c->was = h->g[c->guard];
    double old = there - c->was;
    c->cell = status == FO_OK && fabs(old + change) <= 0.5 * fabs(change - old);
    return status;
}

// A guard has crossed and nothing was put elsewhere: does the new mode carry it on? If not it may
// slide. By a difference along the rates; what rounding hides counts as not.
static fo_status is_carried(foi_hold *h, comer *c, double part)
{
    uint32_t guard = c->guard;
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double span = foi_run_scale(&sim->def), by = part * span, *x = h->work, *f = h->rate;
    if (s->t + by > sim->def.stop) by = 0x1p-40 * span;
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    if (status == FO_OK) status = system->type->guards(system->model, s, s->t, s->x, h->g);
    if (status != FO_OK) return status;
    double before = h->g[guard];
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    status = system->type->guards(system->model, s, s->t + by, x, h->g);
    double change = h->g[guard] - before;
    if (status == FO_OK) status = is_of_next_cell(h, c, by, change);
    if (!c->cell) change *= c->way;
    c->on = change > 64 * DBL_EPSILON * fabs(before) && change > 0;
    // one that has jumped across zero does not stand there; as far off as that of the next cell is
    // on the other side of it, the method has put it
    if (c->cell) before += c->was;
    double size, slack = 0;
    if (status == FO_OK) status = foi_rest_slack(h, guard, &slack);
    double reach = 0x1p10 * foi_hold_grain(sim) * fabs(change) / by + 4 * slack, moved = 0;
    if (status != FO_OK || fabs(before) <= reach) return status;
    if (c->held && (status = foi_rest_unsure(h, guard, &moved)) != FO_OK) return status;
    // but no farther than a small part of where it would be carried in the run
    if (change != 0) moved = foi_fmin(moved, sim->solver.rtol * span * fabs(change) / by);
    reach += 2 * moved;
    status = foi_rest_size(h, guard, &size);
    if (fabs(before) > reach + 64 * DBL_EPSILON * size) c->on = c->far = true;
    return status;
}

// Whether a guard that is carried on is so by a bend alone: it stands still at zero, and the
// straight line along the rates leaves a curved surface that it touches. A contact there has
// nothing to turn round yet; but it is one.
static fo_status is_bend(foi_hold *h, uint32_t guard, bool *is)
{
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double by = 0x1p-24 * foi_run_scale(&sim->def), *x = h->work, *f = h->rate, g[3];
    if (s->t + by > sim->def.stop) by = 0x1p-40 * foi_run_scale(&sim->def);
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    for (int k = 0; k < 3 && status == FO_OK; k++) {
        for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + k * (by / 2) * f[i];
        status = system->type->guards(system->model, s, s->t + k * (by / 2), x, h->g);
        g[k] = h->g[guard];
    }
    *is = status == FO_OK && fabs(g[1] - g[0]) < 0.375 * fabs(g[2] - g[0]);
    return status;
}

static fo_status is_carried_on(foi_hold *h, comer *c)
{
    c->far = false;
    fo_status status = is_carried(h, c, 0x1p-24);
    return status == FO_OK && !c->on ? is_carried(h, c, 0x1p-34) : status;
}

fo_status foi_look_gather_slides(foi_hold *h, foi_look *l, bool start)
{
    fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    bool still = start || (!l->fired && foi_look_unmoved(sim)), held = l->slides + l->rests > 0;
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        foi_pulse *p = &sim->pulses[i];
        comer c = {.guard = i, .way = 1};
        if (start &&
            sim->watch.guard[i].side == 0) { // one that leaves zero has a moment of its own
            status = is_carried_on(h, &c);
            c.way = -1;
            if (status == FO_OK && !c.on) status = is_carried_on(h, &c);
            if (status == FO_OK && !c.on) foi_look_add_slide(l, i, -1, false);
            p->passes = c.on;
        }
        if (p->stuck) l->stuck = true, foi_look_add_slide(l, i, p->way, false);
        bool zeno = l->zeno && (p->zeno || foi_look_companion(sim, i, l->limit));
        if (zeno && still) foi_look_add_slide(l, i, p->way, false);
        if (!p->fired || !still) continue;
        c.way = p->way, c.held = held, c.fired = true;
        if (status == FO_OK) status = is_carried_on(h, &c);
        // a model that holds no truth of its guards would not hear of it if it left the cell at
        // once
        if (c.cell && !sim->system.type->held) sim->watch.guard[i].held = FO_AT_ZERO | FO_ABOVE;
        bool bends = false;
        if (c.on && !c.far && status == FO_OK) status = is_bend(h, i, &bends);
        p->passes = c.on && !bends;
        // beside a slide it is carried by all modes together, not by the one that was asked
        bool beside = l->slides && !c.far;
        if (status != FO_OK || (c.on && !beside)) continue;
        uint32_t before = l->slides;
        foi_look_add_slide(l, i, c.cell ? 1 : p->way, false);
        if (l->slides > before) l->passes[before] = c.on;
    }
    return status;
}

// ---------------------------------------------------------------------------- one out of several

/// How exactly gradients are known, by differences: of each part, and beside all the others.
#define PART_KNOWN 0x1p-10
#define PART_SEEN  0x1p-28

// Whether two parts of gradients are the same, as well as they are known.
static bool alike(double one, double two)
{
    double most = foi_fmax(fabs(one), fabs(two));
    return fabs(one - two) <= PART_KNOWN * most + PART_SEEN;
}

static double length(const foi_hold *h, uint32_t a)
{
    double square = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        double part = h->gradient[(size_t)a * h->n + i] * h->size[i];
        square += part * part;
    }
    return sqrt(square);
}

// Guards whose zero is the same surface have gradients that are parallel, and both are at zero: 1
// or -1, whether they point the same way; 0 where they are not. Part by part: a state that hardly
// moves in the present mode may in the others, however small it is beside the rest. (The angle
// alone would take v - w and v for one surface where w is and stays 0.) And so does time, which
// moves each by `moves` in a second: x > 1 and x > time are the same at t = 1 only.
static int parallel(const foi_hold *h, const double *moves, uint32_t a, uint32_t b)
{
    double la = length(h, a), lb = length(h, b), along = 0;
    const double *p = h->gradient + (size_t)a * h->n, *q = h->gradient + (size_t)b * h->n;
    if (!(la > 0 && lb > 0)) return 0;
    for (uint32_t i = 0; i < h->n; i++) along += p[i] * h->size[i] / la * (q[i] * h->size[i] / lb);
    int way = along < 0 ? -1 : 1;
    for (uint32_t i = 0; i < h->n; i++) {
        double one = p[i] * h->size[i] / la, two = way * q[i] * h->size[i] / lb;
        if (!alike(one, two)) return 0;
    }
    double span = foi_run_scale(&h->sim->def);
    return alike(moves[a] * span / la, way * moves[b] * span / lb) ? way : 0;
}

// How fast the guards of all candidates change where nothing but time does.
static fo_status measure_moves(foi_hold *h, double *moves)
{
    const fo_state *s = &h->sim->state.s;
    double *still = h->way;
    for (uint32_t i = 0; i < h->n; i++) still[i] = 0;
    return foi_hold_slopes(h, s, s->t, s->x, still, FOI_LEVELS - 1, moves);
}

// All guards that stand at zero there become candidates too, then those of one surface are joined.
// The surfaces are left in h, [0, slides).
static fo_status join(foi_hold *h, foi_look *l)
{
    fo_simulation *sim = h->sim;
    memset(h->owner, 0, h->guards);
    h->slides = 0, h->rests = l->slides;
    memcpy(h->surface, l->slide, l->slides * sizeof *h->surface);
    double moves[FOI_MOST_HELD] = {0};
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK && l->slides > 1) status = measure_moves(h, moves);
    if (status != FO_OK) return status;
    uint32_t count = 0, from[FOI_MOST_HELD];
    for (uint32_t k = 0; k < l->slides; k++) {
        uint32_t same = 0;
        if (!(length(h, k) > 0)) continue; // of time alone: not a surface of states
        while (same < count && !parallel(h, moves, from[same], k)) same++;
        if (same == count && l->only_beside[k]) continue;
        if (same == FOI_MOST_SLIDES && l->passes[k]) continue;
        if (same == FOI_MOST_SLIDES)
            return fo_fail(&sim->message, FO_ERROR_MODEL,
                           "at t = %.15g the solution would slide along more than %d surfaces at "
                           "once, '%s' among them",
                           sim->state.s.t, FOI_MOST_SLIDES,
                           foi_hold_about(h, l->slide[k].guard)->name);
        if (same == count) from[count++] = k;
        uint32_t i = l->slide[k].guard;
        h->owner[i] = (uint8_t)(same + 1);
        h->turn[i] = parallel(h, moves, from[same], k) < 0 ? -1 : 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        l->slide[k] = l->slide[from[k]], l->was_slide[k] = l->was_slide[from[k]];
        l->ended[k] = l->ended[from[k]];
        h->surface[k] = l->slide[k];
    }
    h->slides = l->slides = count, h->rests = 0;
    return count ? foi_hold_measure(h) : FO_OK;
}

// Those that stand at zero but for rounding errors: of rem(x, 1) at x = 0 the whole parts of x and
// of -x turn, and x >= 0. Once something is held the moments of one instant come one by one, some
// units in the last place apart.
static fo_status add_near(foi_hold *h, foi_look *l, const double *g)
{
    enum { ULPS = 64 };
    fo_simulation *sim = h->sim;
    double *sigma = sim->watch.slope; // not valid at a jump
    if (h->guards <= l->slides || !sim->watch.bounded) return FO_OK;
    fo_status status = foi_watch_rounding(&sim->watch, &sim->solver, &sim->state.s, ULPS, sigma);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        uint32_t before = l->slides;
        if (!(sigma[i] > 0 && fabs(g[i]) <= sigma[i]) || sim->pulses[i].contact) continue;
        if (!foi_look_add_slide(l, i, 1, false)) return FO_OK;
        if (l->slides > before) l->only_beside[before] = true;
    }
    return status;
}

// Guards beside the candidates that stand at zero, too: the other half of a sign, say.
static fo_status add_others(foi_hold *h, foi_look *l)
{
    fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    double *g = h->bound + 3 * (size_t)h->guards, least = INFINITY;
    if (!l->slides) return FO_OK;
    fo_status status =
        system->type->guards(system->model, &sim->state.s, sim->state.s.t, sim->state.s.x, g);
    uint32_t count = l->slides;
    for (uint32_t k = 0; k < count; k++) least = foi_fmin(least, fabs(g[l->slide[k].guard]));
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++)
        for (uint32_t k = 0; k < count; k++) {
            double own = g[l->slide[k].guard];
            if (fabs(g[i]) != fabs(own)) continue;
            uint32_t before = l->slides;
            if (!foi_look_add_slide(l, i, g[i] == own ? l->slide[k].side : -l->slide[k].side,
                                    false))
                return FO_OK;
            if (l->slides > before) l->only_beside[before] = true;
        }
    return status == FO_OK ? add_near(h, l, g) : status;
}

// --------------------------------------------------------------------------------- where it goes

static bool has_cells(const foi_hold *h)
{
    for (uint32_t k = 0; k < h->slides; k++)
        if (h->surface[k].cell) return true;
    return false;
}

// Tries the ways to find modes until one slides; otherwise what the first one says holds. Where
// cells were found no other way has them.
static fo_status seek(foi_hold *h, uint32_t ended, int8_t *fate, bool *found)
{
    fo_simulation *sim = h->sim;
    fo_message before = sim->message;
    foi_sides first = FOI_BY_FUNCTION;
    *found = false;
    for (h->how = 0; h->how < FOI_SIDES; h->how++) {
        bool differ, slides = false;
        if (h->how && has_cells(h)) break;
        int8_t its[FOI_MOST_SLIDES];
        fo_status status = foi_hold_modes(h, &differ);
        if (status == FO_ERROR_MEMORY) return status;
        if (status != FO_OK) sim->message = before;
        if (status != FO_OK || !differ || !foi_slide_seek(h, ended, its)) continue;
        for (uint32_t k = 0; k < h->slides; k++) slides |= its[k] == 0;
        if (slides || !*found) memcpy(fate, its, h->slides), first = h->how;
        *found = true;
        if (slides || first == FOI_BY_FUNCTION) return FO_OK;
    }
    h->how = first;
    return FO_OK;
}

// A surface that is not slid upon (any more): the model's state goes to the side of its fate.
static fo_status let_go(foi_hold *h, uint32_t k, int8_t fate, bool was)
{
    fo_simulation *sim = h->sim;
    foi_surface *on = &h->surface[k];
    bool fine = true;
    fo_status status = FO_OK;
    if (h->how == FOI_BY_LEAVING && was && fate != on->side) {
        status = foi_hold_leave(h, &sim->state.s, k, fate);
    } else if (h->how <= FOI_BY_LEAVING && sim->system.type->side) {
        status = foi_hold_put(h, k, fate);
    } else {
        status = foi_hold_put(h, k, on->side);
        if (status == FO_OK && was && h->how == FOI_BY_JUMP && fate != on->side)
            status = foi_hold_cross(h, &sim->state.s, k, fate, &fine);
    }
    if (status != FO_OK || !was) return status;
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i] == k + 1) foi_hold_stand(h, i);
    const char *above =
        on->cell ? "the mode in which it came carries it away" : "the mode above carries it away";
    const char *below =
        on->cell ? "the mode beyond carries it away" : "the mode below carries it away";
    return foi_hold_tell(h, FO_SLIDE_END, on, fate, fate > 0 ? above : below);
}

// Surfaces with another fate leave; the others close up.
static fo_status sort_out(foi_hold *h, foi_look *l, const int8_t *fate)
{
    uint32_t count = 0, place[FOI_MOST_SLIDES];
    fo_status status = FO_OK;
    // cells stay what they are until it is their turn: what happens to one may move others
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++)
        if (h->surface[k].cell) status = foi_hold_put(h, k, FO_STAND_KEPT);
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        if (fate[k]) status = let_go(h, k, fate[k], l->was_slide[k]);
        place[k] = fate[k] ? 0 : ++count;
    }
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i]) h->owner[i] = (uint8_t)place[h->owner[i] - 1];
    for (uint32_t k = 0, at = 0; k < h->slides; k++) {
        if (fate[k]) continue;
        h->surface[at] = h->surface[k], l->was_slide[at] = l->was_slide[k];
        h->alpha[at] = h->alpha[k];
        at++;
    }
    h->slides = count;
    return status;
}

static fo_status no_way(foi_hold *h, const foi_look *l)
{
    fo_simulation *sim = h->sim;
    if (l->zeno) return foi_look_no_rest(h, l);
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "at t = %.15g the relation `%s` can neither stay true nor false, and no "
                   "combination of the two modes holds it at zero",
                   sim->state.s.t, foi_hold_about(h, l->slide[0].guard)->name);
}

// Whether no state has moved from `before` by more than it can until the limit, some tolerances
// apart. The guard of `floor(log(abs(tan(x))))` has intervals that shrink towards the pole, too,
// and a zero along its gradient somewhere beyond: nothing goes there.
static fo_status is_near(foi_hold *h, const double *before, double time, bool *near)
{
    fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    double *f = h->work;
    fo_status status = foi_hold_model_rates(h, s, s->t, before, f);
    for (uint32_t i = 0; i < h->n && status == FO_OK; i++) {
        double most = foi_hold_tolerance(sim, before[i]) + fabs(f[i]) * time;
        *near &= fabs(s->x[i] - before[i]) <= 8 * most;
    }
    return status;
}

// To the point where the crossings accumulate: onto all their surfaces. Where it stood stays in the
// probe, on which nothing is tried before it is known what slides.
static fo_status go_to_limit(foi_hold *h, foi_look *l, bool *there)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double far = 0;
    fo_status status = system->type->guards(system->model, s, s->t, s->x, h->g);
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        double pace = h->surface[k].pace * (l->limit - s->t) + foi_hold_reach(h, k);
        far = foi_fmax(far, fabs(h->g[h->surface[k].guard]) / (8 * pace));
    }
    *there = status == FO_OK && far <= 1;
    if (!*there) return status;
    double *before = h->probe.s.x;
    memcpy(before, s->x, h->n * sizeof *s->x);
    status = foi_hold_project(h, l->limit, s->x);
    if (status == FO_OK) status = is_near(h, before, l->limit - s->t, there);
    *there = *there && status == FO_OK;
    if (!*there) memcpy(s->x, before, h->n * sizeof *s->x);
    return status;
}

// Nothing slides there that has not before: it has not come to the limit yet.
static void come_back(const foi_hold *h)
{
    const fo_state *s = &h->sim->state.s;
    memcpy(s->x, h->probe.s.x, h->n * sizeof *s->x);
}

// Where more than one way to go on is possible, that is said; but not again at every moment of a
// slide that goes on as it did.
static void say_several(const foi_hold *h, const foi_look *l, const int8_t *fate)
{
    const fo_state *s = &h->sim->state.s;
    bool changes = false;
    for (uint32_t k = 0; k < h->slides; k++) changes |= l->was_slide[k] == (fate[k] != 0);
    if (!h->several || !changes) return;
    fo_note(
        s,
        "at t = %.15g the solution on '%s' and %u other surface%s is not unique: one of several "
        "ways to go on was taken",
        s->t, foi_hold_about(h, h->surface[0].guard)->name, h->slides - 1,
        h->slides > 2 ? "s" : "");
}

// A brake that is let go while it holds: its modes do not differ any more, and carry it away
// together. Only where that is the one slide there is.
static fo_status carried_alike(foi_hold *h, const foi_look *l, int8_t *fate, bool *found)
{
    const fo_state *s = &h->sim->state.s;
    double slope = 0;
    if (*found || h->slides != 1 || !l->was_slide[0]) return FO_OK;
    fo_status status = foi_contact_slope(h, 0, s, s->x, s->t, &slope);
    if (status != FO_OK || slope == 0) return status;
    int8_t side = h->surface[0].side;
    *fate = slope > 0 ? side : (int8_t)-side;
    *found = true;
    return FO_OK;
}

// At the limit of moments that accumulate, or where it stands. *begins: something new slides.
static fo_status try_slides(foi_hold *h, foi_look *l, bool at_limit, bool *begins)
{
    int8_t fate[FOI_MOST_SLIDES];
    bool found = false, there = true, was = false, new = false;
    uint32_t ended = 0;
    *begins = false;
    fo_status status = add_others(h, l);
    if (status == FO_OK) status = join(h, l);
    if (status != FO_OK || !h->slides) return status;
    if (at_limit) status = go_to_limit(h, l, &there);
    if (status == FO_OK && there && at_limit) status = foi_hold_measure(h);
    for (uint32_t k = 0; k < h->slides; k++) ended |= (uint32_t)l->ended[k] << k;
    if (status == FO_OK && there) status = seek(h, ended, fate, &found);
    if (status == FO_OK && there) status = carried_alike(h, l, fate, &found);
    for (uint32_t k = 0; k < h->slides; k++) {
        was |= l->was_slide[k], new |= found &&fate[k] == 0;
        *begins |= found && fate[k] == 0 && !l->was_slide[k];
    }
    if (at_limit && there && !*begins) come_back(h);
    if (status == FO_OK && !at_limit && !found && (l->stuck || was)) status = no_way(h, l);
    if (status == FO_OK && !at_limit && found && !new && l->stuck && !was) status = no_way(h, l);
    if (status == FO_OK && found && (at_limit ? *begins : was || new)) {
        say_several(h, l, fate);
        return sort_out(h, l, fate);
    }
    h->slides = 0;
    memset(h->owner, 0, h->guards);
    return status;
}

// Those that were slid upon, and what has crossed here.
static fo_status gather_here(foi_hold *h, foi_look *l)
{
    uint32_t all = l->slides;
    bool zeno = l->zeno;
    l->slides = 0, l->zeno = false;
    memset(l->only_beside, 0, sizeof l->only_beside);
    for (uint32_t k = 0; k < all; k++) {
        if (!l->was_slide[k]) continue;
        l->ended[l->slides] = l->ended[k];
        foi_look_add_slide(l, l->slide[k].guard, l->slide[k].side, true);
    }
    fo_status status = foi_look_gather_slides(h, l, false);
    l->zeno = zeno;
    return status;
}

fo_status foi_look_try_slides(foi_hold *h, foi_look *l)
{
    bool begins = false;
    if (!l->zeno) return try_slides(h, l, false, &begins);
    fo_status status = try_slides(h, l, true, &begins);
    if (begins || status == FO_ERROR_MEMORY) return status;
    status = gather_here(h, l);
    return status == FO_OK && l->slides ? try_slides(h, l, false, &begins) : status;
}
