// The linear system around a point.
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/equilibrium.h"
#include "analysis/reach.h"
#include "analysis/zeros.h"
#include "base/memory.h"
#include "math/math.h"

/// The public part comes first; everything it points to lies in blocks of its own.
typedef struct linear {
    fo_linear is;
    double *numbers; ///< point, A, B, C, D, poles, zeros
    bool *hidden;    ///< poles that do not show between inputs and outputs
    const char **names;
    char *letters;
    const fo_allocator *allocator;
} linear;

fo_linear_def fo_default_linear_def(void)
{
    return (fo_linear_def){.experiment = fo_default_experiment_def(), .at = NAN};
}

static linear *make(size_t n, size_t m, size_t q, const fo_allocator *allocator, fo_message *why)
{
    linear *l = foi_new(allocator, 1, sizeof *l);
    size_t all = n * n + n * m + q * n + q * m + 5 * n;
    double *numbers = foi_new(allocator, all + 1, sizeof *numbers);
    bool *hidden = foi_new(allocator, 2 * n + 1, sizeof *hidden);
    if (!l || !numbers || !hidden) {
        foi_free(allocator, l);
        foi_free(allocator, numbers);
        foi_free(allocator, hidden);
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
        return NULL;
    }
    l->numbers = numbers, l->hidden = hidden, l->allocator = allocator;
    fo_linear *s = &l->is;
    s->states = n, s->inputs = m, s->outputs = q;
    s->point = numbers, s->a = numbers + n, s->b = s->a + n * n, s->c = s->b + n * m;
    s->d = s->c + q * n, s->re = s->d + q * m, s->im = s->re + n;
    s->zero_re = s->im + n, s->zero_im = s->zero_re + n;
    return l;
}

static double *own(const linear *l, const double *part)
{
    return l->numbers + (part - l->numbers);
}

void fo_linear_destroy(fo_linear *system)
{
    linear *l = (linear *)system;
    if (!l) return;
    const fo_allocator *a = l->allocator;
    foi_free(a, l->numbers);
    foi_free(a, l->hidden);
    foi_free(a, l->names);
    foi_free(a, l->letters);
    foi_free(a, l);
}

const bool *foi_linear_hidden(const fo_linear *system)
{
    return ((const linear *)system)->hidden;
}

// -------------------------------------------------------------------------------- poles and zeros

static fo_status find_poles(linear *l, fo_message *why)
{
    size_t n = l->is.states;
    fo_status status = foi_eigenvalues(n, l->is.a, own(l, l->is.re), own(l, l->is.im));
    if (status == FO_OK) return FO_OK;
    return fo_fail(why, status, "the poles could not be computed");
}

// The rank of [B, A B, A^2 B, ...] by orthogonal columns; each is judged by its own size before.
// The states are in the units in which A is balanced.
static bool spans_all(const fo_linear *s, bool observe, double *q)
{
    size_t n = s->states, m = observe ? s->outputs : s->inputs, rank = 0;
    double *v = q + n * n, *by = v + n, *a = by + n;
    memcpy(a, s->a, n * n * sizeof *a);
    foi_balance(n, a, by);
    for (size_t next = 0; next < m + rank && rank < n; next++) {
        double before = 0, after = 0;
        for (size_t i = 0; i < n; i++) {
            if (next < m)
                v[i] = observe ? s->c[next * n + i] * by[i] : s->b[i * m + next] / by[i];
            else {
                v[i] = 0;
                for (size_t j = 0; j < n; j++)
                    v[i] += (observe ? a[j * n + i] : a[i * n + j]) * q[(next - m) * n + j];
            }
            before += v[i] * v[i];
        }
        for (int again = 0; again < 2; again++)
            for (size_t k = 0; k < rank; k++) {
                double dot = 0;
                for (size_t i = 0; i < n; i++) dot += v[i] * q[k * n + i];
                for (size_t i = 0; i < n; i++) v[i] -= dot * q[k * n + i];
            }
        for (size_t i = 0; i < n; i++) after += v[i] * v[i];
        if (!(after > 1e-22 * before)) continue;
        for (size_t i = 0; i < n; i++) q[rank * n + i] = v[i] / sqrt(after);
        rank++;
    }
    return rank == n;
}

static fo_status judge_many(linear *l, fo_message *why)
{
    size_t n = l->is.states;
    double *q = foi_new(l->allocator, 2 * n * n + 2 * n + 1, sizeof *q);
    if (!q) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
    l->is.controllable = spans_all(&l->is, false, q);
    l->is.observable = spans_all(&l->is, true, q);
    foi_free(l->allocator, q);
    return FO_OK;
}

static fo_status judge(linear *l, fo_message *why)
{
    size_t n = l->is.states;
    fo_status status = find_poles(l, why);
    if (status == FO_OK && n <= FOI_MOST_JUDGED) {
        bool *unreached = l->hidden, *unseen = l->hidden + n; // for a while
        status = foi_reach(&l->is, false, unreached, l->allocator);
        if (status == FO_OK) status = foi_reach(&l->is, true, unseen, l->allocator);
        if (status != FO_OK) return fo_fail(why, status, "no memory for a linear system");
        l->is.controllable = l->is.observable = true;
        for (size_t i = 0; i < n; i++) {
            if (unreached[i]) l->is.controllable = false;
            if (unseen[i]) l->is.observable = false;
            unreached[i] |= unseen[i];
        }
    } else if (status == FO_OK) {
        status = judge_many(l, why);
    }
    if (status != FO_OK) return status;
    return foi_transfer(&l->is, own(l, l->is.zero_re), own(l, l->is.zero_im), &l->is.zeros,
                        l->hidden, l->allocator, why);
}

fo_linear *fo_linear_of(size_t n, size_t m, size_t q, const double *a, const double *b,
                        const double *c, const double *d, fo_message *why)
{
    linear *l = make(n, m, q, NULL, why);
    if (!l) return NULL;
    memcpy(own(l, l->is.a), a, n * n * sizeof *a);
    memcpy(own(l, l->is.b), b, n * m * sizeof *a);
    memcpy(own(l, l->is.c), c, q * n * sizeof *a);
    memcpy(own(l, l->is.d), d, q * m * sizeof *a);
    l->is.exact = true;
    if (judge(l, why) == FO_OK) return &l->is;
    fo_linear_destroy(&l->is);
    return NULL;
}

// ---------------------------------------------------------------------------------- of a model

/// Which inputs and outputs are wanted.
typedef struct ports {
    fo_reference *inputs, *outputs;
    size_t input_count, output_count;
} ports;

static fo_status find_ports(const foi_point *p, const char *const *names, size_t count, bool inputs,
                            fo_reference *list, fo_message *why)
{
    for (size_t i = 0; i < count; i++) {
        fo_status status = fo_system_find(p->system, names[i], &list[i], why);
        if (status != FO_OK) return status;
        fo_quantity is = list[i].quantity;
        if (inputs && is != FO_INPUT)
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is not an input of the model", names[i]);
        if (!inputs && is != FO_OUTPUT && is != FO_STATE)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "'%s' is neither an output nor a state of the model", names[i]);
    }
    return FO_OK;
}

static fo_status choose_ports(const foi_point *p, const fo_linear_def *def, ports *o,
                              fo_message *why)
{
    bool outputs = p->outputs > 0;
    size_t most = p->n > p->outputs ? p->n : p->outputs;
    o->input_count = def->inputs ? def->input_count : p->inputs;
    o->output_count = def->outputs ? def->output_count : outputs ? p->outputs : p->n;
    o->inputs = foi_new(p->allocator, o->input_count + p->inputs, sizeof *o->inputs);
    o->outputs = foi_new(p->allocator, o->output_count + most, sizeof *o->outputs);
    if (!o->inputs || !o->outputs)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
    for (uint32_t i = 0; i < o->input_count && !def->inputs; i++)
        o->inputs[i] = (fo_reference){FO_INPUT, i};
    for (uint32_t i = 0; i < o->output_count && !def->outputs; i++)
        o->outputs[i] = (fo_reference){outputs ? FO_OUTPUT : FO_STATE, i};
    fo_status status = FO_OK;
    if (def->inputs) status = find_ports(p, def->inputs, def->input_count, true, o->inputs, why);
    if (status == FO_OK && def->outputs)
        status = find_ports(p, def->outputs, def->output_count, false, o->outputs, why);
    return status;
}

// Of the whole matrices the columns and rows that are wanted.
static void pick(linear *l, const foi_point *p, const ports *o, const double *b, const double *c,
                 const double *d)
{
    size_t n = p->n, m = o->input_count;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            own(l, l->is.b)[i * m + k] = b[i * p->inputs + o->inputs[k].index];
    for (size_t i = 0; i < o->output_count; i++) {
        size_t from = o->outputs[i].index;
        bool state = o->outputs[i].quantity == FO_STATE;
        for (size_t j = 0; j < n; j++)
            own(l, l->is.c)[i * n + j] = state ? (double)(from == j) : c[from * n + j];
        for (size_t k = 0; k < m; k++)
            own(l, l->is.d)[i * m + k] = state ? 0 : d[from * p->inputs + o->inputs[k].index];
    }
}

static fo_status put_names(linear *l, const foi_point *p, const ports *o, fo_message *why)
{
    enum { LENGTH = 128 };
    size_t n = p->n, m = o->input_count, count = n + m + o->output_count;
    l->names = foi_new(l->allocator, count + 1, sizeof *l->names);
    l->letters = foi_new(l->allocator, count + 1, LENGTH);
    if (!l->names || !l->letters) return fo_fail(why, FO_ERROR_MEMORY, "no memory for names");
    for (size_t i = 0; i < count; i++) {
        fo_reference r = i < n       ? (fo_reference){FO_STATE, (uint32_t)i}
                         : i < n + m ? o->inputs[i - n]
                                     : o->outputs[i - n - m];
        l->names[i] = fo_system_name(p->system, r, l->letters + i * LENGTH, LENGTH);
    }
    l->is.state_names = l->names, l->is.input_names = l->names + n;
    l->is.output_names = l->names + n + m;
    return FO_OK;
}

static fo_status fill(linear *l, foi_point *p, const ports *o, fo_message *why)
{
    size_t n = p->n, m = p->inputs, q = p->outputs;
    double *b = foi_new(p->allocator, n * m + q * n + q * m + 1, sizeof *b);
    if (!b) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
    double *c = b + n * m, *d = c + q * n;
    l->is.t = p->t;
    memcpy(own(l, l->is.point), p->x, n * sizeof *b);
    fo_status status =
        n ? foi_point_jacobian(p, p->x, own(l, l->is.a), &l->is.a_error, why) : FO_OK;
    l->is.exact = l->is.a_error == 0 && p->system.type->jacobian;
    if (status == FO_OK) status = foi_point_linear(p, b, c, d, &l->is.b_error, why);
    if (status == FO_OK) status = foi_point_kinks(p, why);
    if (status == FO_OK) pick(l, p, o, b, c, d);
    if (status == FO_OK) status = put_names(l, p, o, why);
    if (status == FO_OK) status = judge(l, why);
    foi_free(p->allocator, b);
    return status;
}

static fo_status go_to_steady(foi_point *p, fo_message *why)
{
    foi_newton w;
    const char *doubt;
    double *scale = foi_new(p->allocator, p->n + 1, sizeof *scale), largest = 0;
    if (!scale) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
    for (size_t i = 0; i < p->n; i++) largest = foi_fmax(largest, fabs(p->x[i]));
    for (size_t i = 0; i < p->n; i++)
        scale[i] = foi_fmax(fabs(p->x[i]), largest > 0 ? 1e-3 * largest : 1);
    fo_status status = foi_newton_create(&w, p->n, p->allocator, why);
    if (status == FO_OK) {
        double *x = foi_new(p->allocator, p->n + 1, sizeof *x);
        if (x) memcpy(x, p->x, p->n * sizeof *x);
        status = x ? foi_equilibrium_settle(p, NULL, &w, x, scale, &doubt, why) : FO_ERROR_MEMORY;
        if (status == FO_OK && foi_point_moves(p, x))
            status = fo_fail(why, FO_ERROR_UNFIT,
                             "there is no equilibrium: the derivatives depend on time itself");
        if (status == FO_OK) memcpy(p->x, x, p->n * sizeof *x);
        foi_free(p->allocator, x);
        foi_newton_destroy(&w);
    }
    foi_free(p->allocator, scale);
    return status;
}

static fo_linear *linearise(foi_point *p, const fo_linear_def *def, fo_message *why)
{
    ports o = {0};
    linear *l = NULL;
    fo_status status = choose_ports(p, def, &o, why);
    if (status == FO_OK && def->steady) status = go_to_steady(p, why);
    if (status == FO_OK) l = make(p->n, o.input_count, o.output_count, p->allocator, why);
    if (l && fill(l, p, &o, why) != FO_OK) {
        fo_linear_destroy(&l->is);
        l = NULL;
    }
    foi_free(p->allocator, o.inputs);
    foi_free(p->allocator, o.outputs);
    return l ? &l->is : NULL;
}

fo_linear *fo_linear_create(const fo_linear_def *def, fo_message *why)
{
    foi_trial e;
    foi_point p;
    fo_linear *result = NULL;
    fo_message local = {0};
    if (!why) why = &local;
    if (foi_trial_open(&e, &def->experiment, NULL, 0, why) != FO_OK) return NULL;
    e.cancelled = def->cancelled, e.self = def->self, e.progress = def->progress;
    e.until = isfinite(def->at) ? def->at : 0;
    if (foi_point_open(&p, &e, NULL, def->at, why) == FO_OK) {
        result = linearise(&p, def, why);
        foi_point_close(&p);
    }
    foi_trial_close(&e);
    return result;
}
