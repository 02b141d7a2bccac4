#include "analysis/point.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/chosen.h"
#include "analysis/dense.h"
#include "base/memory.h"
#include "diagram/diagram.h"
#include "math/math.h"

enum {
    ROWS = 6,          ///< of a table of extrapolation
    MOST_STATES = 1000 ///< of dense matrices, whose eigenvalues take n^3 operations
};

// ---------------------------------------------------------------------------------------- opening

static fo_status notice(void *self, const fo_moment *m, fo_message *why)
{
    foi_point *p = self;
    (void)why;
    if (m->kind == FO_SLIDE || m->kind == FO_REST) p->held++;
    if (m->kind == FO_SLIDE_END || m->kind == FO_REST_END) p->held--;
    return FO_OK;
}

static fo_status make_room(foi_point *p, fo_message *why)
{
    const fo_state *s = fo_simulation_state(p->sim);
    p->s = *s;
    size_t most = p->n > p->outputs ? p->n : p->outputs;
    p->x = foi_new(p->allocator, p->n + 1, sizeof(double));
    p->u = foi_new(p->allocator, p->inputs + 1, sizeof(double));
    p->work = foi_new(p->allocator, (ROWS + 2) * (most + 1) + 2 * p->n, sizeof(double));
    if (!p->x || !p->u || !p->work)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the derivatives");
    if (p->n) memcpy(p->x, s->x, p->n * sizeof(double));
    if (p->inputs) memcpy(p->u, s->u, p->inputs * sizeof(double));
    p->s.u = p->u;
    return FO_OK;
}

static fo_status check(const foi_point *p, fo_message *why)
{
    const fo_system_type *type = p->system.type;
    if (p->n && !type->rates)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s has no explicit derivatives (it is a %s), so it cannot be linearized",
                       p->system.about->name, type->kind);
    if (type->record) // of what was, the derivatives know nothing
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s has delays: its eigenvalues are not those of a matrix, so it cannot be "
                       "linearized, nor can the stability of its equilibria be told",
                       p->system.about->name);
    const fo_diagram *diagram = fo_model_diagram(p->again ? p->again : p->trial->model);
    const foi_node *node = diagram ? foi_diagram_recalls(diagram) : NULL;
    if (node) // the same, of ticks
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "the node '%s' (%s) depends on what was before, and not on the states alone: "
            "%s cannot be linearized, nor can its equilibria be found",
            node->name, node->type->name, p->system.about->name);
    if (p->n > MOST_STATES)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s has %zu states; it can be linearized with at most %d",
                       p->system.about->name, p->n, (int)MOST_STATES);
    if (p->held > 0)
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "at t = %.6g the solution is held at the zero of a guard (it rests or slides "
            "there), so it cannot be linearized",
            p->t);
    return FO_OK;
}

// The states of a simulation that has not been started yet.
static fo_status place(foi_point *p, const double *x, size_t n, fo_message *why)
{
    char name[256];
    for (size_t i = 0; i < n; i++) {
        fo_system_name(p->system, (fo_reference){FO_STATE, (uint32_t)i}, name, sizeof name);
        if (fo_simulation_set(p->sim, name, x[i]) == FO_OK) continue;
        *why = *fo_simulation_message(p->sim);
        return why->status;
    }
    return FO_OK;
}

static fo_status open_point(foi_point *p, const foi_trial *e, const double *values, double at,
                            const double *x, size_t n, fo_message *why)
{
    *p = (foi_point){.trial = e, .allocator = e->allocator};
    fo_run_def run;
    const fo_observer observer = {.self = p, .moment = notice, .interval = -1};
    p->sim = foi_trial_simulation(e, values, 0, &observer, 1, &run, &p->again, why);
    if (!p->sim) return why->status;
    fo_status status = FO_OK;
    p->system = fo_simulation_system(p->sim);
    p->chooses = foi_system_chooses(p->system) && p->system.type->settle;
    if (isfinite(at) && !(at >= run.start && at <= run.stop))
        status = fo_fail(why, FO_ERROR_ARGUMENT,
                         "the time must lie in the run, from %g to %g, not at %g", run.start,
                         run.stop, at);
    if (status == FO_OK && x) status = place(p, x, n, why);
    if (status == FO_OK) {
        status = fo_simulation_start(p->sim);
        if (!fo_failed(status) && isfinite(at)) status = foi_trial_advance(e, p->sim, at);
        if (fo_failed(status)) *why = *fo_simulation_message(p->sim);
        if (status == FO_STOPPED && isfinite(at) && fo_simulation_time(p->sim) != at)
            status = fo_fail(why, FO_ERROR_ARGUMENT, "the model stops at %g, before %g",
                             fo_simulation_time(p->sim), at);
    }
    if (!fo_failed(status)) {
        const fo_shape *shape = &fo_simulation_state(p->sim)->shape;
        p->t = fo_simulation_time(p->sim);
        p->n = shape->states, p->inputs = shape->inputs, p->outputs = shape->outputs;
        status = check(p, why);
    }
    if (!fo_failed(status)) status = make_room(p, why);
    if (fo_failed(status)) {
        foi_point_close(p);
        return status;
    }
    return FO_OK;
}

fo_status foi_point_open(foi_point *p, const foi_trial *e, const double *values, double at,
                         fo_message *why)
{
    return open_point(p, e, values, at, NULL, 0, why);
}

// A start of the model's own (its initial equations) may have taken the states elsewhere.
fo_status foi_point_open_from(foi_point *p, const foi_trial *e, const double *values,
                              const double *x, size_t n, fo_message *why)
{
    fo_status status = open_point(p, e, values, NAN, x, n, why);
    if (status != FO_OK) return status;
    bool there = p->n == n;
    for (size_t i = 0; i < n && there; i++) there = p->x[i] == x[i];
    if (there) return FO_OK;
    foi_point_close(p);
    return fo_fail(why, FO_ERROR_UNFIT,
                   "the model's initialisation moves away from the states that were given");
}

bool foi_point_switches(const foi_point *p)
{
    const fo_shape *shape = &p->s.shape;
    if (shape->guards > 0 || shape->conditions > 0) return true;
    return p->system.type->next && p->system.type->next(p->system.model, &p->s).t <= p->s.stop;
}

bool foi_point_cancelled(const foi_point *p)
{
    return p->trial->cancelled && p->trial->cancelled(p->trial->self);
}

// A guard is at its zero where its value is nothing against how it changes over the states' sizes.
fo_status foi_point_on_guard(foi_point *p, const double *x, const double *scale, bool *on,
                             fo_message *why)
{
    size_t n = p->n, guards = p->s.shape.guards;
    *on = false;
    if (!guards || !p->system.type->guards) return FO_OK;
    double *g = foi_new(p->allocator, 3 * guards + n, sizeof *g);
    if (!g) return fo_fail(why, FO_ERROR_MEMORY, "no memory for guards");
    double *other = g + guards, *most = other + guards, *z = most + guards;
    bool good = p->system.type->guards(p->system.model, &p->s, p->t, x, g) == FO_OK;
    memcpy(z, x, n * sizeof *x);
    for (size_t i = 0; i < n && good; i++) {
        z[i] = x[i] + scale[i];
        if (p->system.type->guards(p->system.model, &p->s, p->t, z, other) == FO_OK)
            for (size_t k = 0; k < guards; k++) most[k] = foi_fmax(most[k], fabs(other[k] - g[k]));
        z[i] = x[i];
    }
    for (size_t k = 0; k < guards && good; k++) *on |= most[k] > 0 && fabs(g[k]) <= 1e-9 * most[k];
    foi_free(p->allocator, g);
    return FO_OK;
}

enum { LOOKED_AT = 5 }; ///< moments that the model makes by itself

// Goes through the first of them. *acts: there is no last one. False: the rates are not zero
// afterwards.
bool foi_point_stays(foi_point *p, const double *x, foi_at_rest *at_rest, void *self, bool *acts)
{
    const fo_system_type *type = p->system.type;
    *acts = false;
    for (int i = 0; type->next; i++) {
        fo_next next = type->next(p->system.model, fo_simulation_state(p->sim));
        *acts = isfinite(next.t);
        if (i == LOOKED_AT || !(next.t <= p->s.stop)) return true;
        if (fo_failed(foi_trial_advance(p->trial, p->sim, next.t))) return true;
        p->s = *fo_simulation_state(p->sim);
        p->s.u = p->u, p->t = fo_simulation_time(p->sim);
        if (p->s.shape.states != p->n || !at_rest(self, p, x)) return false;
    }
    return true;
}

void foi_point_close(foi_point *p)
{
    foi_free(p->allocator, p->x);
    foi_free(p->allocator, p->u);
    foi_free(p->allocator, p->work);
    fo_simulation_destroy(p->sim);
    fo_model_close(p->again);
    *p = (foi_point){0};
}

// ------------------------------------------------------------------------------------------ values

static fo_status raw_rates(foi_point *p, const double *x, double *f)
{
    if (!p->n) return FO_OK;
    return p->system.type->rates(p->system.model, &p->s, p->t, x, f);
}

static fo_status raw_outputs(foi_point *p, const double *x, double *y)
{
    if (!p->outputs || !p->system.type->observe) return FO_OK;
    return p->system.type->observe(p->system.model, &p->s, p->t, x, y);
}

static fo_status refused(const foi_point *p, fo_status status, fo_message *why)
{
    if (status == FO_OK) status = FO_ERROR_NUMBER;
    if (!fo_failed(status)) status = FO_ERROR_MODEL; // a shorter step would do, but there is none
    return fo_fail(why, status, "%s cannot be evaluated at the point at t = %.6g",
                   p->system.about->name, p->t);
}

// M of M x' = f, taken to the other side.
static fo_status unmass(foi_point *p, double *columns, size_t count, fo_message *why)
{
    const fo_system_type *type = p->system.type;
    size_t n = p->n, *pivot;
    if (!type->mass || !n) return FO_OK;
    double *m = foi_new(p->allocator, 2 * n * n + n, sizeof *m);
    pivot = foi_new(p->allocator, n, sizeof *pivot);
    fo_status status = m && pivot ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a matrix");
    if (status == FO_OK) status = type->mass(p->system.model, &p->s, m);
    double *rows = m + n * n, *b = rows + n * n;
    for (size_t i = 0; i < n * n && status == FO_OK; i++) rows[i % n * n + i / n] = m[i];
    if (status == FO_OK && !foi_lu_factor(n, rows, pivot))
        status = fo_fail(
            why, FO_ERROR_UNFIT,
            "the mass matrix is singular: an algebraic equation has no explicit derivative");
    for (size_t k = 0; k < count && status == FO_OK; k++) {
        for (size_t i = 0; i < n; i++) b[i] = columns[i * count + k];
        foi_lu_solve(n, rows, pivot, b);
        for (size_t i = 0; i < n; i++) columns[i * count + k] = b[i];
    }
    foi_free(p->allocator, m);
    foi_free(p->allocator, pivot);
    return status;
}

fo_status foi_point_rates(foi_point *p, const double *x, double *f, fo_message *why)
{
    fo_status status = raw_rates(p, x, f);
    for (size_t i = 0; i < p->n && status == FO_OK; i++)
        if (!isfinite(f[i])) status = FO_ERROR_NUMBER;
    if (status != FO_OK) return refused(p, status, why);
    return unmass(p, f, 1, why);
}

bool foi_point_moves(foi_point *p, const double *x)
{
    double *f = p->work, *g = f + p->n, t = p->t;
    double span = p->s.stop > t ? (p->s.stop - t) / 3 : foi_fmax(fabs(t), 1);
    bool moves = false;
    if (raw_rates(p, x, f) != FO_OK) return false;
    // two later times, so that a period does not hide it
    for (double later = 1; later < 3; later += 0.7310585786300049) {
        p->t = t + later * span;
        if (raw_rates(p, x, g) == FO_OK)
            for (size_t i = 0; i < p->n; i++)
                moves |= fabs(f[i] - g[i]) > 1e-9 * foi_fmax(fabs(f[i]), fabs(g[i]));
    }
    p->t = t;
    return moves;
}

// ------------------------------------------------------------------------------------- derivatives

/// A function of one number that gives several: what is differentiated.
typedef struct slope {
    foi_point *p;
    double *number; ///< what changes
    bool outputs;   ///< outputs, not rates
    size_t count;
    double *result, *error;
} slope;

static bool value_at(const slope *s, double at, double *y)
{
    double keep = *s->number;
    *s->number = at;
    fo_status status = s->outputs ? raw_outputs(s->p, s->p->x, y) : raw_rates(s->p, s->p->x, y);
    *s->number = keep;
    for (size_t i = 0; i < s->count && status == FO_OK; i++)
        if (!isfinite(y[i])) status = FO_ERROR_NUMBER;
    return status == FO_OK;
}

// Ridders: central differences with steps h, h/2, h/4, ..., extrapolated in h^2 (Neville); of all
// entries of the table the one that differs least from its neighbours counts.
static void extrapolate(const slope *s, double h)
{
    double *up = s->p->work, *down = up + s->count, *table = down + s->count;
    double x = *s->number;
    size_t n = s->count;
    for (int k = 0; k < ROWS; k++, h /= 2) {
        volatile double high = x + h, low = x - h; // what the machine has for them
        if (!value_at(s, high, up) || !value_at(s, low, down) || !(high > low)) return;
        for (size_t i = 0; i < n; i++) {
            double *row = table + i * ROWS, before = row[0], factor = 1;
            row[0] = (up[i] - down[i]) / (high - low);
            for (int j = 1; j <= k; j++) {
                factor *= 4;
                double next = row[j];
                row[j] = row[j - 1] + (row[j - 1] - before) / (factor - 1);
                double error = foi_fmax(fabs(row[j] - row[j - 1]), fabs(row[j] - before));
                // rounding: what a change of the last digits does
                error = foi_fmax(error, DBL_EPSILON * foi_fmax(fabs(up[i]), fabs(down[i])) / h);
                if (error < s->error[i]) s->error[i] = error, s->result[i] = row[j];
                before = next;
            }
        }
    }
}

// The scale of the number is not known: steps of several sizes are tried, none of which is a round
// part of it, so that they do not fall on a period of the function.
static fo_status differentiate(const slope *s, fo_message *why)
{
    for (size_t i = 0; i < s->count; i++) s->error[i] = INFINITY, s->result[i] = 0;
    bool zero = *s->number == 0;
    double size = zero ? 1 : fabs(*s->number), least = zero ? 1e-14 : 1e-7 * size;
    for (double h = 0.2371 * size; h > least; h /= 17) extrapolate(s, h);
    for (size_t i = 0; i < s->count; i++)
        if (isinf(s->error[i])) return refused(s->p, FO_ERROR_NUMBER, why);
    return FO_OK;
}

/// Columns of a matrix with `columns` columns, each the slope in one number of `numbers`.
static fo_status columns_of(foi_point *p, bool outputs, double *numbers, size_t columns,
                            double *matrix, double *error, fo_message *why)
{
    size_t rows = outputs ? p->outputs : p->n;
    if (!rows || !columns || !matrix) return FO_OK;
    double *room = foi_new(p->allocator, 2 * rows, sizeof *room), largest = 0, worst = 0;
    if (!room) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the derivatives");
    fo_status status = FO_OK;
    for (size_t k = 0; k < columns && status == FO_OK; k++) {
        const slope s = {p, &numbers[k], outputs, rows, room, room + rows};
        status = differentiate(&s, why);
        for (size_t i = 0; i < rows; i++) {
            matrix[i * columns + k] = room[i];
            largest = foi_fmax(largest, fabs(room[i])), worst = foi_fmax(worst, room[rows + i]);
        }
    }
    foi_free(p->allocator, room);
    if (error && largest > 0) *error = foi_fmax(*error, worst / largest);
    return status;
}

static fo_status exact(foi_point *p, const double *x, double *j)
{
    const fo_system_type *type = p->system.type;
    const fo_pattern *pattern = type->pattern ? type->pattern(p->system.model, &p->s) : NULL;
    size_t n = p->n, entries = pattern ? pattern->start[n] : n * n;
    double *values = foi_new(p->allocator, entries, sizeof *values);
    if (!values) return FO_ERROR_MEMORY;
    fo_status status = type->jacobian(p->system.model, &p->s, p->t, x, values);
    memset(j, 0, n * n * sizeof *j);
    for (size_t k = 0; k < n && status == FO_OK; k++) {
        size_t begin = pattern ? pattern->start[k] : k * n;
        size_t end = pattern ? pattern->start[k + 1] : (k + 1) * n;
        for (size_t i = begin; i < end; i++)
            j[(pattern ? pattern->row[i] : i - begin) * n + k] = values[i];
    }
    for (size_t i = 0; i < n * n && status == FO_OK; i++)
        if (!isfinite(j[i])) status = FO_ERROR_NUMBER;
    foi_free(p->allocator, values);
    return status;
}

fo_status foi_point_jacobian(foi_point *p, const double *x, double *j, double *error,
                             fo_message *why)
{
    double unused = 0;
    if (!error) error = &unused;
    *error = 0;
    if (p->x != x) memcpy(p->x, x, p->n * sizeof *x);
    fo_status status = FO_ERROR_UNFIT;
    if (p->system.type->jacobian) status = exact(p, x, j);
    if (status != FO_OK) status = columns_of(p, false, p->x, p->n, j, error, why);
    if (status != FO_OK) return fo_failed(status) ? status : refused(p, status, why);
    return unmass(p, j, p->n, why);
}

// ------------------------------------------------------------------------------------------- kinks

enum { LENGTHS = 3 };

// b(h) = (f(x + h) - 2 f(x) + f(x - h)) / h goes to zero with h where f is smooth, and is the
// difference of the slopes on the two sides at a kink. `values` has f(x), then for each length of
// step f above and below.
static double kink_of(const double *values, size_t count, size_t i, const double *h)
{
    double bend[LENGTHS], steepest = 0;
    for (int k = 0; k < LENGTHS; k++) {
        double up = values[(size_t)(1 + 2 * k) * count + i] - values[i];
        double down = values[i] - values[(size_t)(2 + 2 * k) * count + i];
        bend[k] = (up - down) / h[k];
        steepest = foi_fmax(steepest, foi_fmax(fabs(up), fabs(down)) / h[k]);
        if (fabs(bend[k]) <= 1e4 * DBL_EPSILON * fabs(values[i]) / h[k]) return 0;
    }
    for (int k = 1; k < LENGTHS; k++)
        if (!(fabs(bend[k] - bend[0]) <= 0.1 * fabs(bend[0]))) return 0;
    return fabs(bend[LENGTHS - 1]) > 1e-3 * steepest ? bend[LENGTHS - 1] : 0;
}

static fo_status look_at_kinks(foi_point *p, fo_reference number, double *at, bool outputs,
                               double *values, fo_message *why)
{
    size_t count = outputs ? p->outputs : p->n;
    const slope s = {p, at, outputs, count, NULL, NULL};
    double x = *at, size = x != 0 ? fabs(x) : 1,
           h[LENGTHS] = {1e-4 * size, 1e-5 * size, 1e-6 * size};
    if (!count || !value_at(&s, x, values)) return FO_OK;
    for (int k = 0; k < LENGTHS; k++)
        if (!value_at(&s, x + h[k], values + (size_t)(1 + 2 * k) * count) ||
            !value_at(&s, x - h[k], values + (size_t)(2 + 2 * k) * count))
            return FO_OK; // differences tell what is missing
    for (size_t i = 0; i < count; i++) {
        double jump = kink_of(values, count, i, h);
        char name[128], by[128];
        if (jump == 0) continue;
        fo_system_name(p->system, (fo_reference){outputs ? FO_OUTPUT : FO_STATE, (uint32_t)i}, name,
                       sizeof name);
        fo_system_name(p->system, number, by, sizeof by);
        return fo_fail(why, FO_ERROR_UNFIT,
                       "there is no linear system at t = %.6g: %s'%s' has a kink at %s = %.6g, "
                       "where its slopes on the two sides differ by %.4g",
                       p->t, outputs ? "" : "the rate of ", name, by, x, fabs(jump));
    }
    return FO_OK;
}

fo_status foi_point_kinks(foi_point *p, fo_message *why)
{
    size_t most = p->n > p->outputs ? p->n : p->outputs;
    double *values = foi_new(p->allocator, (2 * LENGTHS + 1) * most + 1, sizeof *values);
    fo_status status = values ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for derivatives");
    for (size_t k = 0; k < p->n + p->inputs && status == FO_OK; k++) {
        bool input = k >= p->n;
        size_t index = input ? k - p->n : k;
        fo_reference number = {input ? FO_INPUT : FO_STATE, (uint32_t)index};
        double *at = input ? &p->u[index] : &p->x[index];
        status = look_at_kinks(p, number, at, false, values, why);
        if (status == FO_OK) status = look_at_kinks(p, number, at, true, values, why);
    }
    foi_free(p->allocator, values);
    return status;
}

// ------------------------------------------------------------------------------ from the equations

// One column of B and D (by an input), or of C (by a state), from the equations.
static fo_status exact_column(foi_point *p, size_t k, bool input, double *room, double *b,
                              double *c_or_d)
{
    size_t n = p->n, m = p->inputs, q = p->outputs, columns = input ? m : n;
    double *seed = room, *rates = seed + (n > m ? n : m), *outputs = rates + n;
    memset(seed, 0, columns * sizeof *seed);
    seed[k] = 1;
    const fo_seed along = {0, input ? NULL : seed, input ? seed : NULL};
    const fo_tangent to = {b ? rates : NULL, NULL, c_or_d && q ? outputs : NULL};
    fo_status status = p->system.type->tangent(p->system.model, &p->s, p->t, p->x, &along, &to);
    for (size_t i = 0; i < n && b && status == FO_OK; i++) b[i * columns + k] = rates[i];
    for (size_t i = 0; i < q && to.outputs && status == FO_OK; i++)
        c_or_d[i * columns + k] = outputs[i];
    return status;
}

// B, C and D from the equations; FO_RETRY or another status: there is something that they do not
// give.
static fo_status exact_linear(foi_point *p, double *b, double *c, double *d, fo_message *why)
{
    size_t n = p->n, m = p->inputs, q = p->outputs;
    double *room = foi_new(p->allocator, (n > m ? n : m) + n + q + 1, sizeof *room);
    if (!room) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the derivatives");
    fo_status status = p->system.type->tangent ? FO_OK : FO_RETRY;
    for (size_t k = 0; k < m && status == FO_OK; k++)
        status = exact_column(p, k, true, room, n ? b : NULL, d);
    for (size_t k = 0; k < n && q && c && status == FO_OK; k++)
        status = exact_column(p, k, false, room, NULL, c);
    foi_free(p->allocator, room);
    return status;
}

fo_status foi_point_linear(foi_point *p, double *b, double *c, double *d, double *error,
                           fo_message *why)
{
    *error = 0;
    fo_status status = exact_linear(p, b, c, d, why);
    if (status == FO_OK) return b ? unmass(p, b, p->inputs, why) : FO_OK;
    if (status == FO_ERROR_MEMORY) return status;
    status = columns_of(p, false, p->u, p->inputs, b, error, why);
    if (status == FO_OK && b) status = unmass(p, b, p->inputs, why);
    if (status == FO_OK) status = columns_of(p, true, p->x, p->n, c, error, why);
    if (status == FO_OK) status = columns_of(p, true, p->u, p->inputs, d, error, why);
    return status;
}
