/// Energy accounting: what is stored, what came through the ports, what was lost.
///
/// Between two points of the solution (t, q, v, a) the motion is the quintic through both. A port
/// with a constant effort F does the work F (q1 - q0), exactly; where something depends on the way
/// (friction, efforts that answer a flow), three Gauss points of the quintic are taken, which errs
/// less than any solver here.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "structure/structure.h"

enum { POINTS = 3 };

// The memory: foi_account | energy of each port | its last input | last states | their a
static double *port_energy(const fo_structure *s, const foi_account *a)
{
    (void)s;
    return (double *)(a + 1);
}

static double *last_input(const fo_structure *s, const foi_account *a)
{
    return port_energy(s, a) + s->port_count;
}

static double *last_point(const fo_structure *s, const foi_account *a)
{
    return last_input(s, a) + s->port_count;
}

size_t foi_account_size(const fo_structure *s)
{
    if (s->def.unaccounted) return 0;
    return sizeof(foi_account) +
           (2 * s->port_count + s->shape.states + (size_t)foi_coordinates(s)) * sizeof(double);
}

// The scratch space holds a copy of the ports' energies and five vectors.
size_t foi_scratch_size(const fo_structure *s)
{
    return (s->port_count + 5 * (size_t)foi_coordinates(s)) * sizeof(double);
}

static double kinetic(const fo_structure *s, const double *v)
{
    size_t n = foi_coordinates(s), dim = (size_t)s->dim;
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        if (s->driver[c] == FOI_NO_INDEX) sum += 0.5 * s->mass[c / dim] * v[c] * v[c];
    return sum;
}

static double weight_energy(const fo_structure *s, const fo_state *state, const double *q)
{
    size_t n = foi_coordinates(s), dim = (size_t)s->dim;
    double sum = 0, factor = state->p[FOI_GRAVITY];
    for (size_t c = 0; c < n; c++)
        sum -= s->mass[c / dim] * s->def.gravity[c % dim] * factor * q[c];
    return sum;
}

static bool depends_on_way(const fo_structure *s, const fo_state *state)
{
    if (state->p[FOI_RATE] != 0 || state->p[FOI_FRICTION] != 0) return true;
    for (size_t i = 0; i < s->port_count; i++)
        if (s->ports[i].flow_in) return true;
    return false;
}

static void remember(const fo_structure *s, fo_state *state, double t, const double *x)
{
    foi_account *a = state->memory;
    double *last = last_point(s, a);
    foi_load load = foi_load_of(s, state, x);
    a->t = t;
    a->stale = 0;
    memcpy(last, x, s->shape.states * sizeof *last);
    if (depends_on_way(s, state)) foi_accelerations(s, state, x, last + s->shape.states);
    for (size_t i = 0; i < s->port_count; i++) last_input(s, a)[i] = foi_port_input(s, &load, i);
}

// Energies that rounding errors make.
static double noise_of(const fo_structure *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *p = &s->springs[i];
        double d2 = p->d * p->d;
        sum += 1e-12 * p->k * (p->energy == FO_SPRING_SQUARES ? d2 * d2 : d2);
    }
    return sum;
}

void foi_account_start(const fo_structure *s, fo_state *state)
{
    if (s->def.unaccounted) return;
    foi_account *a = state->memory;
    memset(state->memory, 0, foi_account_size(s));
    foi_load load = foi_load_of(s, state, state->x);
    double v = foi_potential(s, &load, state->x, NULL);
    a->begin = v + kinetic(s, state->x + foi_coordinates(s));
    a->weight = weight_energy(s, state, state->x);
    a->own = fabs(a->begin - a->weight);
    a->noise = noise_of(s);
    remember(s, state, state->t, state->x);
}

// What acts has changed, and this much energy is lost.
void foi_account_damage(const fo_structure *s, fo_state *state, double energy)
{
    if (s->def.unaccounted) return;
    foi_account *a = state->memory;
    a->damage += energy;
    a->stale = 1;
}

// --------------------------------------------------------------------------- along the way

typedef struct way {
    const fo_structure *s;
    const fo_state *state;
    const double *x0, *x1; // q and v at both ends
    const double *a0, *a1;
    double h;
    const double *bowl0, *bowl1; // NULL: not a state
} way;

// The quintic with q, v, a at both ends, and its slope, at theta in [0, 1].
static void on_the_way(const way *w, double o, double *q, double *v)
{
    size_t n = foi_coordinates(w->s);
    double o2 = o * o, o3 = o2 * o, o4 = o3 * o, o5 = o4 * o, h = w->h;
    double one = 10 * o3 - 15 * o4 + 6 * o5, zero = 1 - one;
    double v0 = (o - 6 * o3 + 8 * o4 - 3 * o5) * h, v1 = (-4 * o3 + 7 * o4 - 3 * o5) * h;
    double a0 = (o2 - 3 * o3 + 3 * o4 - o5) / 2 * h * h, a1 = (o3 - 2 * o4 + o5) / 2 * h * h;
    double slope = (30 * o2 - 60 * o3 + 30 * o4) / h;
    double sv0 = 1 - 18 * o2 + 32 * o3 - 15 * o4, sv1 = -12 * o2 + 28 * o3 - 15 * o4;
    double sa0 = (2 * o - 9 * o2 + 12 * o3 - 5 * o4) / 2 * h;
    double sa1 = (3 * o2 - 8 * o3 + 5 * o4) / 2 * h;
    for (size_t c = 0; c < n; c++) {
        double q0 = w->x0[c], q1 = w->x1[c], u0 = w->x0[n + c], u1 = w->x1[n + c];
        if (w->s->driver[c] != FOI_NO_INDEX) { // moves evenly
            q[c] = q0 + o * (q1 - q0), v[c] = (q1 - q0) / h;
            continue;
        }
        q[c] = zero * q0 + one * q1 + v0 * u0 + v1 * u1 + a0 * w->a0[c] + a1 * w->a1[c];
        v[c] = slope * (q1 - q0) + sv0 * u0 + sv1 * u1 + sa0 * w->a0[c] + sa1 * w->a1[c];
    }
}

// The effort that a port with flow in answers, where forces are f: what the node needs beside them.
static double answer(const fo_structure *s, const fo_state *state, const foi_port *p,
                     const foi_load *load, const double *q, const double *f, double flow)
{
    size_t dim = (size_t)s->dim, axis = (size_t)p->axis;
    if (p->node == FO_BOWL) {
        double r[3], sum = 0;
        foi_bowl(s, load, q, r);
        for (uint32_t i = 0; i < s->nodes; i++)
            sum += q[i * dim + axis] - s->begin[i * dim + axis] - r[axis];
        return -s->def.bowl * sum * p->direction[axis];
    }
    double friction = state->p[FOI_RATE] * s->mass[p->node] + state->p[FOI_FRICTION];
    return -f[p->node * dim + axis] * p->direction[axis] + friction * flow;
}

// Friction and the efforts that answer flows, by Gauss' rule with three points.
static void account_way(const way *w, foi_account *a, double *energy, double *room)
{
    static const double at[POINTS] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double weight[POINTS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const fo_structure *s = w->s;
    size_t n = foi_coordinates(s), dim = (size_t)s->dim;
    double *q = room, *v = q + n, *f = v + n;
    double rate = w->state->p[FOI_RATE], friction = w->state->p[FOI_FRICTION];
    for (int i = 0; i < POINTS; i++) {
        double bowl[3] = {0}, part = weight[i] * w->h;
        on_the_way(w, at[i], q, v);
        foi_load load = foi_load_of(s, w->state, w->x1);
        for (size_t k = 0; w->bowl0 && k < dim; k++)
            bowl[k] = w->bowl0[k] + at[i] * (w->bowl1[k] - w->bowl0[k]);
        if (w->bowl0) load.bowl = bowl;
        if (rate != 0 || friction != 0)
            for (size_t c = 0; c < n; c++)
                a->friction += part * (rate * s->mass[c / dim] + friction) * v[c] * v[c];
        bool forces = false;
        for (size_t p = 0; p < s->port_count; p++) {
            const foi_port *port = &s->ports[p];
            if (!port->flow_in) continue;
            double flow = foi_port_input(s, &load, p);
            if (port->connected) flow += (1 - at[i]) * (last_input(s, w->state->memory)[p] - flow);
            if (!forces && port->node != FO_BOWL) foi_potential(s, &load, q, f), forces = true;
            double work = part * flow * answer(s, w->state, port, &load, q, f, flow);
            energy[p] += work, a->ports += work;
        }
    }
}

// --------------------------------------------------------------------------- from point to point

// Ports with effort in: F times the way. The bowl's place has the jump (F1 - F0) / (N k) of its
// own, through which the effort grew evenly.
static void account_efforts(const fo_structure *s, const fo_state *state, const foi_account *last,
                            const double *x, foi_account *a, double *energy)
{
    size_t dim = (size_t)s->dim;
    const double *q0 = last_point(s, last), *before = last_input(s, last);
    foi_load load = foi_load_of(s, state, x);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (p->flow_in) continue;
        double now = foi_port_input(s, &load, i), way_along = 0, work = 0;
        double effort = p->connected ? (now + before[i]) / 2 : now;
        if (p->node == FO_BOWL) {
            size_t axis = (size_t)p->axis;
            for (uint32_t k = 0; k < s->nodes; k++)
                way_along += (x[k * dim + axis] - q0[k * dim + axis]) / s->nodes;
            way_along *= p->direction[axis];
            work = (now * now - before[i] * before[i]) / (2 * s->def.bowl * s->nodes);
        } else {
            for (size_t k = 0; k < dim; k++)
                way_along += p->direction[k] * (x[p->node * dim + k] - q0[p->node * dim + k]);
        }
        work += effort * way_along;
        energy[i] += work;
        a->ports += work;
    }
}

static double stretched(const fo_structure *s, const foi_spring *p, const double *q)
{
    double l2 = 0;
    size_t dim = (size_t)s->dim;
    for (size_t k = 0; k < dim; k++) {
        double r = q[p->b * dim + k] - q[p->a * dim + k];
        l2 += r * r;
    }
    return sqrt(l2);
}

// Springs that flow keep their energy: the work k y (l1 - l0) on them is lost.
static void account_flowing(const fo_structure *s, const fo_state *state, const double *q0,
                            const double *q1, foi_account *a)
{
    for (size_t i = 0; i < s->slot_count; i++) {
        const foi_spring *p = &s->springs[s->slots[i].spring];
        foi_damage damage = foi_damage_of(s, p, state->d);
        if (damage.whole && damage.flowing != 0)
            a->damage += damage.flowing * p->k * s->slots[i].yields * p->d *
                         (stretched(s, p, q1) - stretched(s, p, q0));
    }
}

// The last point's accelerations, with what acts on it since.
static void leave(const fo_structure *s, const fo_state *state, const double *x0, double *a0)
{
    const foi_account *last = state->memory;
    foi_load load = foi_load_of(s, state, x0);
    bool same = last->stale == 0;
    for (size_t i = 0; i < s->port_count; i++)
        same &= s->ports[i].connected || foi_port_input(s, &load, i) == last_input(s, last)[i];
    if (same)
        memcpy(a0, x0 + s->shape.states, foi_coordinates(s) * sizeof *a0);
    else
        foi_accelerations(s, state, x0, a0);
}

// The account at (t, x), from the one in memory: into *a and energy[], which is in the scratch
// space like `room`.
static void account_to(const fo_structure *s, const fo_state *state, double t, const double *x,
                       foi_account *a, double *energy, double *room)
{
    const foi_account *last = state->memory;
    size_t n = foi_coordinates(s);
    double *x0 = last_point(s, last);
    *a = *last;
    memcpy(energy, port_energy(s, last), s->port_count * sizeof *energy);
    account_efforts(s, state, last, x, a, energy);
    account_flowing(s, state, x0, x, a);
    if (!(t > last->t) || !depends_on_way(s, state)) return;
    bool bowl = s->shape.states > 2 * n;
    double *a0 = room + 3 * n, *a1 = a0 + n;
    way w = {s, state, x0, x, a0, a1, t - last->t, bowl ? x0 + 2 * n : NULL, x + 2 * n};
    leave(s, state, x0, a0);
    foi_accelerations(s, state, x, a1);
    account_way(&w, a, energy, room);
}

// An explicit method with too long a step makes energy out of nothing, a constant factor more with
// every step. What may be there: what was there, came in, or fell down.
static fo_status check_growth(const fo_structure *s, const fo_state *state, const foi_account *a,
                              const double *x)
{
    double balance = a->balance, fallen = fabs(weight_energy(s, state, x) - a->weight);
    if (balance <= 10 * (a->own + fabs(a->ports) + a->sets + fallen) + a->noise) return FO_OK;
    double omega = fo_structure_highest(s, s->start);
    return fo_fail(state->message, FO_ERROR_STEP,
                   "the step is too long for this structure: at t = %.6g its energy has grown by "
                   "%.3g J more than came in; around the start leapfrog is stable below %.3g s "
                   "(2 / %.4g rad/s; less where springs stiffen), euler at no step, a stiff solver "
                   "(implicit-midpoint, radau5, cvode-bdf) at any",
                   state->t, balance, 2 / omega, omega);
}

static double stored(const fo_structure *s, const fo_state *state, const double *x)
{
    foi_load load = foi_load_of(s, state, x);
    return foi_potential(s, &load, x, NULL) + kinetic(s, x + foi_coordinates(s));
}

// What must be there: what was there and came in, less what was lost.
static double came(const foi_account *a)
{
    return a->begin + a->ports - a->friction - a->damage;
}

fo_status foi_account_settle(const fo_structure *s, fo_state *state, double t, const double *x)
{
    double *energy = state->scratch, *room = energy + s->port_count;
    foi_account now, *a = state->memory;
    account_to(s, state, t, x, &now, energy, room);
    now.balance = stored(s, state, x) - came(&now);
    *a = now;
    memcpy(port_energy(s, a), energy, s->port_count * sizeof *energy);
    fo_status status = check_growth(s, state, a, x);
    if (status == FO_OK) remember(s, state, t, x);
    return status;
}

// The step before has been settled, so the last point is this one, with the numbers of before. What
// inputs do to the bowl is the work of its port; by all else the balance stays as it was.
void foi_account_set(const fo_structure *s, fo_state *state)
{
    if (s->def.unaccounted) return;
    double *energy = state->scratch, *room = energy + s->port_count;
    foi_account now, *a = state->memory;
    account_to(s, state, a->t, last_point(s, a), &now, energy, room);
    double jump = stored(s, state, state->x) - came(&now) - a->balance;
    now.ports += jump, now.sets += fabs(jump);
    now.noise = foi_fmax(now.noise, noise_of(s));
    *a = now;
    memcpy(port_energy(s, a), energy, s->port_count * sizeof *energy);
    remember(s, state, state->t, state->x);
}

// ---------------------------------------------------------------------------------------- showing

static void show_ports(const fo_structure *s, const fo_state *state, const double *x,
                       const double *energy, double *f, double *y)
{
    size_t dim = (size_t)s->dim, n = foi_coordinates(s);
    foi_load load = foi_load_of(s, state, x);
    bool forces = false;
    for (size_t i = 0; i < s->port_count; i++, y += foi_port_outputs(s)) {
        const foi_port *p = &s->ports[i];
        y[0] = 0;
        if (p->flow_in) {
            if (!forces && p->node != FO_BOWL) foi_potential(s, &load, x, f), forces = true;
            y[0] = answer(s, state, p, &load, x, f, foi_port_input(s, &load, i));
        } else if (p->node == FO_BOWL) {
            for (uint32_t k = 0; k < s->nodes; k++)
                y[0] += x[n + k * dim + (size_t)p->axis] * p->direction[p->axis] / s->nodes;
        } else {
            for (size_t k = 0; k < dim; k++) y[0] += p->direction[k] * x[n + p->node * dim + k];
        }
        if (energy) y[1] = energy[i];
    }
}

void foi_account_show(const fo_structure *s, const fo_state *state, double t, const double *x,
                      double *y)
{
    size_t n = foi_coordinates(s);
    double *energy = state->scratch, *room = energy + s->port_count;
    foi_load load = foi_load_of(s, state, x);
    y[FOI_KINETIC] = kinetic(s, x + n);
    y[FOI_POTENTIAL] = foi_potential(s, &load, x, NULL);
    y[FOI_ENERGY] = y[FOI_KINETIC] + y[FOI_POTENTIAL];
    if (!s->def.unaccounted) {
        foi_account a;
        account_to(s, state, t, x, &a, energy, room);
        y[FOI_THROUGH_PORTS] = a.ports;
        y[FOI_LOST_FRICTION] = a.friction;
        y[FOI_LOST_DAMAGE] = a.damage;
        y[FOI_BALANCE] = y[FOI_ENERGY] - a.begin - a.ports + a.friction + a.damage;
    }
    show_ports(s, state, x, s->def.unaccounted ? NULL : energy, room, y + foi_energy_outputs(s));
}
