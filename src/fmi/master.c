/// The master: steps all units of a group from one communication point to the next.
///
/// Between two points a unit sees constant inputs u~. Which constants, that is the method. With y_k
/// the outputs at the begin of a step of length h, and the step before of length h':
///
///     held          u~ = y_k                                     order 1
///     sequential    u~ = y_k, or y_k+1 of units that have stepped already
///     extrapolated  u~ = y_k + (h/h') (y_k - y_k-1) / 2          order 2
///     iterated      u~ = (y_k + y_k+1(u~)) / 2, solved           order 2, needs units that go back
///
/// The third is the correction of Benedikt, Watzenig, Zehetner and Hofer (NEPCE, 2013) with the
/// trapezoidal rule: the mean over the step is right to second order, and so is the energy that
/// goes over. After the step inputs are set to what is connected to them and outputs are looked at
/// again: loops of direct feedthrough are solved at every point, by Broyden's method, which needs
/// no derivatives and solves a linear loop of n inputs in at most 2 n looks, whatever its gain.
///
/// Energy. At a power bond unit A gets the effort e~ where B has e, and B the flow f~ where A has
/// f. So A takes in the power e~ f, and B gives e f~: the difference is made by the master. Its
/// integral over a step, by the trapezoidal rule, is the residual
///
///     dE = h/2 (e~ f_0 - e_0 f~ + e~ f_1 - e_1 f~),
///
/// and the sum of dE is the energy that the coupling has put into the system: it is reported as a
/// state of its own, and with control "power" the step follows it (Sadjina, Kyllingstad, Skjong and
/// Pedersen: ECCO, 2017).
#include <math.h>
#include <string.h>

#include "fmi/group.h"
#include "math/math.h"

enum { MOST_LOOKS = 60 };

static void copy(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

static double link_value(const fo_fmu_group *g, const foi_group_link *l, const double *y)
{
    return l->factor * (l->from == UINT32_MAX ? g->outside[l->outside] : y[l->from]) + l->offset;
}

static void connect(const fo_fmu_group *g, const double *y, double *u)
{
    for (uint32_t i = 0; i < g->link_count; i++) u[i] = link_value(g, &g->links[i], y);
}

static bool is_real(const fo_fmu_group *g, const foi_group_link *l)
{
    return g->units[l->part]->about.inputs.list[l->to].type == FO_REAL &&
           g->units[l->part]->about.inputs.list[l->to].variability != FO_VARIABILITY_DISCRETE;
}

// ------------------------------------------------------------------------------------------- units

static fo_status ask(fo_fmu_group *g, fo_state *s, uint32_t k, foi_unit_request what)
{
    fo_status status = g->units[k]->unit.cosimulation
                           ? foi_unit_ask(&g->units[k]->unit, what, s->message)
                           : foi_group_carry(g, k, what, s->message);
    return status == FO_RETRY
               ? fo_refuse(s, "%s: the FMU %s discarded a call at t = %.17g (fmiDiscard)",
                           g->plan.file, g->plan.parts[k].name, g->t)
               : status;
}

static fo_status ask_all(fo_fmu_group *g, fo_state *s, foi_unit_request what)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) status = ask(g, s, k, what);
    return status;
}

// What unit k gets: what is connected, the rest from outside.
static void give(fo_fmu_group *g, const fo_state *s, uint32_t k, const double *u)
{
    foi_unit *unit = &g->units[k]->unit;
    for (uint32_t i = 0; i < g->free_count; i++) {
        uint32_t at = g->free_u[i];
        if (at >= g->first_u[k] && at < g->first_u[k] + unit->u.values)
            unit->tu[at - g->first_u[k]] = s->u[i];
    }
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].part == k) unit->tu[g->links[i].to] = u[i];
    copy(unit->tp, s->p + g->first_p[k], unit->p.values);
}

static fo_status step_unit(fo_fmu_group *g, fo_state *s, uint32_t k, double h, const double *u,
                           double *y)
{
    foi_unit *unit = &g->units[k]->unit;
    unit->block->t = g->t, unit->block->h = h;
    give(g, s, k, u);
    fo_status status = ask(g, s, k, FOI_UNIT_STEP);
    if (status != FO_OK) return status;
    if (h > 0 && unit->block->terminate)
        g->stopped = true, g->ended = fmin(g->ended, unit->block->reached);
    copy(y + g->first_y[k], unit->ty, unit->y.values);
    for (uint32_t i = 0; i < unit->y.values; i++)
        if (!isfinite(unit->ty[i]))
            return fo_refuse(s, "%s: output %u of the FMU %s is not finite at t = %.17g",
                             g->plan.file, i + 1, g->plan.parts[k].name, g->t + h);
    return FO_OK;
}

static fo_status step_all(fo_fmu_group *g, fo_state *s, double h, const double *u, double *y)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) status = step_unit(g, s, k, h, u, y);
    return status;
}

// ------------------------------------------------------------------------------------------- loops

/// U = F(U), where F looks at the units with the inputs U. h = 0: at a point, F = C(y(U)).
/// Otherwise over a step from what is kept, F = (C(y_k) + C(y_k+1(U))) / 2.
static fo_status look(fo_fmu_group *g, fo_state *s, double h, bool again)
{
    fo_status status = again && h > 0 ? ask_all(g, s, FOI_UNIT_BACK) : FO_OK;
    if (h > 0) g->stopped = false, g->ended = INFINITY;
    if (status == FO_OK) status = step_all(g, s, h, g->u, g->y);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const foi_group_link *l = &g->links[i];
        double target = link_value(g, l, g->y), begin = link_value(g, l, g->y_begin);
        if (h > 0) target = is_real(g, l) ? (begin + target) / 2 : begin;
        g->residual[i] = target - g->u[i];
    }
    return FO_OK;
}

static double worst(fo_fmu_group *g)
{
    double most = 0;
    for (uint32_t i = 0; i < g->link_count; i++) {
        g->scale_u[i] = fmax(g->scale_u[i], fabs(g->u[i]));
        double r = fabs(g->residual[i]);
        if (r > 0) most = fmax(most, r / fmax(g->scale_u[i], r));
    }
    return most;
}

// change = H residual, where H approximates the inverse of 1 - F'; H = 1 at first.
static void propose(fo_fmu_group *g)
{
    uint32_t n = g->link_count;
    for (uint32_t i = 0; i < n; i++) {
        double sum = g->matrix ? 0 : g->residual[i];
        for (uint32_t k = 0; g->matrix && k < n; k++) sum += g->matrix[i * n + k] * g->residual[k];
        g->change[i] = sum;
    }
}

// Broyden's "good" update by Sherman and Morrison's formula. With r the residual, J = dr/dU = -1/H:
//
//     H <- H - (dU + H dr) dU' H / (dU' H dr)
static void learn(fo_fmu_group *g, const double *before)
{
    uint32_t n = g->link_count;
    double *hdr = g->work, *duh = g->work + n, below = 0;
    if (!g->matrix) return;
    for (uint32_t i = 0; i < n; i++) {
        hdr[i] = 0, duh[i] = 0;
        for (uint32_t k = 0; k < n; k++) {
            hdr[i] += g->matrix[i * n + k] * (g->residual[k] - before[k]);
            duh[i] += g->change[k] * g->matrix[k * n + i];
        }
    }
    for (uint32_t i = 0; i < n; i++) below += g->change[i] * hdr[i];
    if (!(fabs(below) > 0)) return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            g->matrix[i * n + k] -= (g->change[i] + hdr[i]) * duh[k] / below;
}

static void begin_matrix(fo_fmu_group *g)
{
    uint32_t n = g->link_count;
    if (!g->matrix) return;
    memset(g->matrix, 0, (size_t)n * n * sizeof *g->matrix);
    for (uint32_t i = 0; i < n; i++) g->matrix[i * n + i] = 1;
}

// A loop whose gain is one up to rounding has no solution, but far away, where rounding is larger
// than the residual, it looks as if it had one. With A the inverse of 1 - F', the inputs went from
// U_0 by A r, and rounding in r, eps |U|, is eps |A| |U| in U: beyond this |A| digits are noise.
// Every input is compared with the largest residual of its own, so that units do not matter.
static bool ran_away(const fo_fmu_group *g)
{
    static const double most = 1e9;
    for (uint32_t i = 0; i < g->link_count; i++)
        if (fabs(g->u[i] - g->u_begin[i]) > most * g->most_residual[i] && g->most_residual[i] > 0)
            return true;
    return false;
}

static void note_residuals(fo_fmu_group *g)
{
    for (uint32_t i = 0; i < g->link_count; i++)
        g->most_residual[i] = fmax(g->most_residual[i], fabs(g->residual[i]));
}

// FO_RETRY: it does not converge. The first look leaves its outputs in y_first.
static fo_status solve(fo_fmu_group *g, fo_state *s, double h, double tolerance)
{
    uint32_t n = g->link_count, most = MOST_LOOKS + 2 * n;
    fo_status status = look(g, s, h, false);
    copy(g->y_first, g->y, g->y_count);
    begin_matrix(g);
    copy(g->u_begin, g->u, n);
    memset(g->most_residual, 0, n * sizeof *g->most_residual);
    note_residuals(g);
    for (uint32_t looks = 1; status == FO_OK && worst(g) > tolerance; looks++) {
        if (looks == most) return FO_RETRY;
        propose(g);
        copy(g->before, g->residual, n);
        for (uint32_t i = 0; i < n; i++) {
            g->u[i] += g->change[i];
            if (!isfinite(g->u[i])) return FO_RETRY;
        }
        status = look(g, s, h, true);
        if (status == FO_OK) learn(g, g->before), note_residuals(g);
    }
    return status == FO_OK && ran_away(g) ? FO_RETRY : status;
}

// Inputs are what is connected to them, up to rounding.
static fo_status settle(fo_fmu_group *g, fo_state *s)
{
    connect(g, g->y, g->u);
    fo_status status = solve(g, s, 0, 1e-13);
    if (status != FO_RETRY) return status;
    if (!ran_away(g) && worst(g) <= 1e-9) return FO_OK; // as far as the units' own rounding allows
    return fo_refuse(s, "%s: no solution was found for an algebraic loop between FMUs at t = %.17g",
                     g->plan.file, g->t);
}

// --------------------------------------------------------------------------------------- the start

// Real outputs begin where the state says; those of units in Model Exchange have no start here.
static fo_status take_starts(fo_fmu_group *g, const fo_state *s, uint32_t k)
{
    foi_unit *unit = &g->units[k]->unit;
    unit->block->starts = unit->cosimulation && unit->y.real_values > 0;
    for (uint32_t i = 0; i < unit->y.real_values; i++) {
        uint32_t at = g->state_of[g->first_y[k] + i];
        const fo_variable *v = &g->about.states.list[at];
        if (unit->cosimulation)
            unit->ty[i] = s->x[at];
        else if (s->x[at] != v->start)
            return fo_refuse(s, "%s: '%s' cannot be started at %g: its FMU runs in Model Exchange",
                             g->plan.file, v->name, s->x[at]);
    }
    return FO_OK;
}

static void prepare(fo_fmu_group *g, fo_state *s, uint32_t k)
{
    foi_unit *unit = &g->units[k]->unit;
    foi_unit_block *b = unit->block;
    foi_unit_forget(unit);
    b->t = s->t, b->stop = s->stop, b->stop_defined = s->stop > s->t && isfinite(s->stop);
    b->tolerance = g->rtol, b->tolerance_defined = g->rtol > 0;
    copy(unit->tu, unit->known_u, unit->u.values);
    for (uint32_t i = 0; i < g->free_count; i++) {
        uint32_t at = g->free_u[i];
        if (at >= g->first_u[k] && at < g->first_u[k] + unit->u.values)
            unit->tu[at - g->first_u[k]] = s->u[i];
    }
    copy(unit->tp, s->p + g->first_p[k], unit->p.values);
}

fo_status foi_group_start(fo_fmu_group *g, fo_state *s)
{
    g->t = s->t, g->first = true, g->stopped = false;
    g->h_before = 0, g->h_wish = 0, g->steps = g->rejected = 0;
    memset(g->scale, 0, g->y_count * sizeof *g->scale);
    memset(g->scale_u, 0, g->link_count * sizeof *g->scale_u);
    memset(g->bond_energy, 0, g->bond_count * sizeof *g->bond_energy);
    memset(g->bond_scale, 0, g->bond_count * sizeof *g->bond_scale);
    copy(g->outside, s->u + g->free_count, g->outside_count);
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) {
        prepare(g, s, k);
        status = take_starts(g, s, k);
    }
    if (status == FO_OK) status = ask_all(g, s, FOI_UNIT_ENTER);
    // a first look with what the descriptions say, then the loops in initialisation mode
    for (uint32_t i = 0; i < g->link_count; i++) {
        const foi_group_link *l = &g->links[i];
        g->u[i] = g->units[l->part]->unit.known_u[l->to];
    }
    if (status == FO_OK) status = step_all(g, s, 0, g->u, g->y);
    if (status == FO_OK) status = settle(g, s);
    if (status == FO_OK) status = ask_all(g, s, FOI_UNIT_EXIT);
    if (status == FO_OK) status = settle(g, s);
    return status;
}

// --------------------------------------------------------------------------------------- one step

static void extrapolate(fo_fmu_group *g, double h)
{
    double ratio = g->first ? 0 : h / g->h_before;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const foi_group_link *l = &g->links[i];
        double now = link_value(g, l, g->y_begin), then = link_value(g, l, g->y_before);
        bool real = is_real(g, l) && g->method >= FOI_GROUP_EXTRAPOLATED;
        g->u[i] = real ? now + ratio * (now - then) / 2 : now;
    }
}

static fo_status step_in_turn(fo_fmu_group *g, fo_state *s, double h)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) {
        for (uint32_t i = 0; i < g->link_count; i++)
            if (g->links[i].part == k) g->u[i] = link_value(g, &g->links[i], g->y);
        status = step_unit(g, s, k, h, g->u, g->y);
    }
    return status;
}

// Energy that the master puts into the bonds in this step, with the inputs u~ that were used; how
// large that is in units of the tolerance.
static double account(fo_fmu_group *g, double h, const double *used)
{
    double most = 0;
    for (uint32_t i = 0; i < g->bond_count; i++) {
        const foi_group_bond *b = &g->bonds[i];
        const foi_group_link *e = &g->links[b->effort], *f = &g->links[b->flow];
        double e0 = link_value(g, e, g->y_begin), e1 = link_value(g, e, g->y);
        double f0 = link_value(g, f, g->y_begin), f1 = link_value(g, f, g->y);
        double eu = used[b->effort], fu = used[b->flow];
        double made = h / 2 * (eu * f0 - e0 * fu + eu * f1 - e1 * fu);
        double moved = h / 2 * (fabs(e0 * f0) + fabs(e1 * f1));
        double scale = g->energy > 0 ? g->energy : g->bond_scale[i] + moved;
        g->bond_step[i] = made, g->bond_moved[i] = moved;
        if (scale > 0) most = fmax(most, fabs(made) / (g->rtol * scale));
    }
    return most;
}

// How far the outputs are from what was predicted, in units of the tolerance.
static double deviation(fo_fmu_group *g, double h)
{
    double most = 0, ratio = g->first ? 0 : h / g->h_before;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const foi_group_link *l = &g->links[i];
        if (l->from == UINT32_MAX || !is_real(g, l)) continue;
        uint32_t y = l->from;
        double predicted = g->method == FOI_GROUP_ITERATED
                               ? g->y_first[y]
                               : g->y_begin[y] + ratio * (g->y_begin[y] - g->y_before[y]);
        g->scale[y] = fmax(g->scale[y], fmax(fabs(g->y_begin[y]), fabs(g->y[y])));
        double e = fabs(g->y[y] - predicted);
        if (e > 0) most = fmax(most, e / (g->rtol * g->scale[y]));
    }
    return most;
}

// A unit has ended the run inside of a step of units that cannot go back: what others have reached
// is taken back along straight lines, on which rows lie, too; values that are not real stay as they
// were. Returns the length up to the end.
static double cut_short(fo_fmu_group *g, double h)
{
    double part = fmin(1, (g->ended - g->t) / h);
    for (uint32_t k = 0; k < g->count; k++) {
        const foi_unit *unit = &g->units[k]->unit;
        if (unit->block->terminate && unit->block->reached <= g->ended) continue;
        for (uint32_t i = 0; i < unit->y.values; i++) {
            double *y = &g->y[g->first_y[k] + i], begin = g->y_begin[g->first_y[k] + i];
            if (part < 1) *y = i < unit->y.real_values ? begin + part * (*y - begin) : begin;
        }
    }
    return part * h;
}

// One step of length h; *error in units of the tolerance.
static fo_status try_step(fo_fmu_group *g, fo_state *s, double h, double *error)
{
    fo_status status = FO_OK;
    copy(g->y_begin, g->y, g->y_count);
    g->ended = INFINITY;
    extrapolate(g, h);
    if (g->method == FOI_GROUP_ITERATED)
        status = solve(g, s, h, 1e-3 * fmin(g->rtol, 1e-3));
    else if (g->method == FOI_GROUP_SEQUENTIAL)
        status = step_in_turn(g, s, h);
    else
        status = step_all(g, s, h, g->u, g->y);
    if (status != FO_OK) return status;
    *error = g->control == FOI_GROUP_ERROR ? deviation(g, h) : 0;
    copy(g->used, g->u, g->link_count);
    if (g->stopped && !g->rolls) h = cut_short(g, h);
    g->t += h;
    if (!g->stopped) status = settle(g, s);
    double power = account(g, h, g->used);
    if (g->control == FOI_GROUP_POWER) *error = power;
    return status;
}

static void accept(fo_fmu_group *g, double h)
{
    copy(g->y_before, g->y_begin, g->y_count);
    for (uint32_t i = 0; i < g->bond_count; i++)
        g->bond_energy[i] += g->bond_step[i], g->bond_scale[i] += g->bond_moved[i];
    g->h_before = h, g->first = false, g->steps++;
}

static double next_length(const fo_fmu_group *g, double h, double error)
{
    bool second = g->method == FOI_GROUP_ITERATED ||
                  (g->method == FOI_GROUP_EXTRAPOLATED && g->control == FOI_GROUP_POWER);
    double factor = error > 0 ? 0.9 * foi_pow(error, second ? -1.0 / 3 : -1.0 / 2) : 2;
    return h * fmax(0.2, fmin(2, factor));
}

static fo_status go_back(fo_fmu_group *g, fo_state *s, double t)
{
    g->t = t, g->rejected++, g->stopped = false;
    copy(g->y, g->y_begin, g->y_count);
    return ask_all(g, s, FOI_UNIT_BACK);
}

// The steps up to `end` are of equal length, none longer than the wish.
static double choose_length(const fo_fmu_group *g, double rest, double whole)
{
    double wish = g->h_wish > 0 ? g->h_wish : g->control == FOI_GROUP_FIXED ? whole : 0.1 * whole;
    return g->control == FOI_GROUP_FIXED ? rest : rest / fmax(1, ceil(rest / wish - 1e-9));
}

fo_status foi_group_advance(fo_fmu_group *g, fo_state *s, double t, double h)
{
    double whole = t + h, end = whole, shortest = 1e-9 * h;
    bool keeps = g->rolls;
    copy(g->outside, s->u + g->free_count, g->outside_count);
    while (g->t < end && !g->stopped) {
        double begin = g->t, rest = end - begin, length = choose_length(g, rest, h), error = 0;
        bool last = length > rest * (1 - 1e-9);
        fo_status status = keeps ? ask_all(g, s, FOI_UNIT_KEEP) : FO_OK;
        if (status == FO_OK) status = try_step(g, s, length, &error);
        bool lost = status == FO_RETRY;
        if (lost && (!keeps || g->control == FOI_GROUP_FIXED || length < shortest))
            return fo_refuse(s,
                             "%s: the iteration for the inputs of the step from t = %.17g by %g "
                             "does not converge; try %s",
                             g->plan.file, begin, length, "a shorter step, or a step control");
        if (status != FO_OK && !lost) return status;
        // a unit has ended the run inside of the step: all go there
        if (!lost && g->rolls && g->stopped && g->ended < g->t - 1e-9 * length) {
            end = g->ended;
            status = go_back(g, s, begin);
            if (status != FO_OK) return status;
            if (end < begin + shortest) end = begin;
            continue;
        }
        g->h_wish = g->control == FOI_GROUP_FIXED ? h
                    : lost                        ? length / 4
                                                  : next_length(g, length, error);
        if (lost || (keeps && error > (g->control == FOI_GROUP_POWER ? 2 : 1))) {
            if (length < shortest)
                return fo_refuse(
                    s, "%s: the tolerance is not met even by steps of %g s at t = %.17g%s",
                    g->plan.file, length, begin,
                    g->control == FOI_GROUP_POWER && !(g->energy > 0)
                        ? "; \"energy\" of the master says which energy [J] \"rtol\" "
                          "is a part of, without it is what has passed the bond so far"
                        : "");
            status = go_back(g, s, begin);
            if (status != FO_OK) return status;
            continue;
        }
        accept(g, length);
        if (last && (!g->stopped || g->rolls)) g->t = end;
    }
    if (end < whole) g->stopped = true;
    return FO_OK;
}
