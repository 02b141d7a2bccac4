// The system of a model whose inputs are columns of a file. Every function of the inner system gets
// a view of the state in which u is computed from the time and the row that the run has come to;
// that row is a discrete of this system, behind those of the inner one, so that a jump of the file
// happens at its moment and not by the comparison of a trial time. A system that takes its steps
// itself (units in Co-Simulation) has constant inputs in a step: those at its begin, and rows of
// the file are no moments.
#include "cli/run/driven.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct driven {
    fo_system inner;
    fo_shape shape; ///< of the inner system
    fo_system_type type;
    fo_description about;
    fo_columns *file;
    size_t *column;  ///< of each inner input; 0: none, it is still an input
    bool *holds;     ///< of each inner input: no line between two rows
    uint32_t driven; ///< how many are
    size_t last;     ///< row
    fo_variable *inputs, *outputs, *discretes;
    fo_event *moments;
    fo_guard *guards;
    uint32_t moment; ///< index of the file's own
    bool stepped;    ///< the inner system takes its steps itself
    fo_stepper stepper;
};

// -------------------------------------------------------------------------------------- the inputs

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static double time_of(const driven *d, size_t row)
{
    return fo_columns_values(d->file, 0)[row];
}

static double value_of(const driven *d, uint32_t input, size_t row, double t)
{
    const double *v = fo_columns_values(d->file, d->column[input]);
    if (row >= d->last || d->holds[input]) return v[row < d->last ? row : d->last];
    double from = time_of(d, row), to = time_of(d, row + 1);
    if (t <= from || !(to > from)) return v[row];
    return t >= to ? v[row + 1] : v[row] + (t - from) / (to - from) * (v[row + 1] - v[row]);
}

static size_t row_of(const driven *d, const fo_state *s)
{
    return (size_t)s->d[d->shape.discretes];
}

// The last row at or before a time: of two with one time the second.
static size_t row_at(const driven *d, size_t row, double t)
{
    while (row < d->last && time_of(d, row + 1) <= t) row++;
    return row;
}

static void fill(const driven *d, const fo_state *s, double t, double *u)
{
    uint32_t own = 0;
    size_t row = d->stepped ? row_at(d, 0, t) : row_of(d, s);
    for (uint32_t i = 0; i < d->shape.inputs; i++)
        u[i] = d->column[i] ? value_of(d, i, row, t) : s->u[own++];
}

// The state as the inner system knows it.
static fo_state view(const driven *d, const fo_state *s, double t)
{
    fo_state v = *s;
    v.u = (double *)(void *)((char *)s->scratch + rounded(d->shape.scratch));
    v.shape.inputs = d->shape.inputs, v.shape.outputs = d->shape.outputs;
    v.shape.discretes--, v.shape.scratch = d->shape.scratch;
    fill(d, s, t, v.u);
    return v;
}

// --------------------------------------------------------------------------- what is handed
// through

#define INNER   ((const driven *)model)->inner
#define VIEW(t) const fo_state v = view(model, s, t)

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    VIEW(t);
    return INNER.type->rates(INNER.model, &v, t, x, dx);
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    VIEW(t);
    return INNER.type->guards(INNER.model, &v, t, x, g);
}

static fo_status conditions(const void *model, const fo_state *s, double t, const double *x,
                            bool *on)
{
    VIEW(t);
    return INNER.type->conditions(INNER.model, &v, t, x, on);
}

static fo_status divisors(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    VIEW(t);
    return INNER.type->divisors(INNER.model, &v, t, x, values);
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    VIEW(t);
    return INNER.type->jacobian(INNER.model, &v, t, x, values);
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    VIEW(s->t);
    return INNER.type->pattern(INNER.model, &v);
}

static fo_status mass(const void *model, const fo_state *s, double *values)
{
    VIEW(s->t);
    return INNER.type->mass(INNER.model, &v, values);
}

static fo_status residual(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r)
{
    VIEW(t);
    return INNER.type->residual(INNER.model, &v, t, x, dx, r);
}

static fo_status start_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    VIEW(t);
    return INNER.type->start_rates(INNER.model, &v, t, x, dx);
}

static fo_status stiff_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    VIEW(t);
    return INNER.type->stiff_rates(INNER.model, &v, t, x, dx);
}

static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    VIEW(s->t);
    INNER.type->held(INNER.model, &v, signs);
}

// Those of the inner system, then what is driven.
static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const driven *d = model;
    VIEW(t);
    fo_status status =
        d->inner.type->observe ? INNER.type->observe(INNER.model, &v, t, x, y) : FO_OK;
    double *to = y + d->shape.outputs;
    for (uint32_t i = 0; i < d->shape.inputs; i++)
        if (d->column[i]) *to++ = v.u[i];
    return status;
}

static const char *expression(const void *model, fo_reference which, char *text, size_t size)
{
    const driven *d = model;
    bool own = which.quantity == FO_OUTPUT && which.index >= d->shape.outputs;
    return own ? NULL : INNER.type->expression(INNER.model, which, text, size);
}

static void shape(const void *model, fo_shape *s)
{
    const driven *d = model;
    *s = d->shape;
    s->inputs -= d->driven, s->outputs += d->driven, s->discretes++;
    s->scratch = rounded(d->shape.scratch) + d->shape.inputs * sizeof(double);
}

// ----------------------------------------------------------------------------------------- moments

// What changes the state must not change its size: the view would be another block than s.
static fo_status same_size(const fo_state *s, const fo_state *v, fo_status status)
{
    if (fo_failed(status) || (v->x == s->x && v->d == s->d)) return status;
    return fo_refuse(s, "--input does not go with a model that changes its size in a run");
}

static fo_status start(const void *model, fo_state *s)
{
    const driven *d = model;
    s->d[d->shape.discretes] = (double)row_at(d, 0, s->t);
    fo_state v = view(d, s, s->t);
    return INNER.type->start ? same_size(s, &v, INNER.type->start(INNER.model, &v)) : FO_OK;
}

static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    fo_state v = view(model, s, t);
    return same_size(s, &v, INNER.type->settle(INNER.model, &v, t, x));
}

typedef struct driven_path {
    const driven *d;
    const fo_state *s;
    const fo_path *path;
    double *u;
} driven_path;

static void driven_at(void *self, double t, double *x, double *dx)
{
    const driven_path *p = self;
    p->path->at(p->path->self, t, x, dx);
    fill(p->d, p->s, t, p->u);
}

static fo_status record(const void *model, fo_state *s, const fo_path *path)
{
    fo_state v = view(model, s, path->to);
    driven_path self = {model, s, path, v.u};
    fo_path its = *path;
    its.self = &self, its.at = driven_at;
    return same_size(s, &v, INNER.type->record(INNER.model, &v, &its));
}

static fo_status finish(const void *model, fo_state *s)
{
    fo_state v = view(model, s, s->t);
    return same_size(s, &v, INNER.type->finish(INNER.model, &v));
}

static fo_status side(const void *model, fo_state *s, const int8_t *sides)
{
    fo_state v = view(model, s, s->t);
    return same_size(s, &v, INNER.type->side(INNER.model, &v, sides));
}

// The row that comes next; at one time the model's own moments come after it.
static fo_next next(const void *model, const fo_state *s)
{
    const driven *d = model;
    fo_next own = {INFINITY, d->moment};
    size_t row = row_of(d, s);
    if (row < d->last && !d->stepped)
        own.t = time_of(d, row + 1) > s->t ? time_of(d, row + 1) : s->t;
    if (!INNER.type->next) return own;
    VIEW(s->t);
    fo_next its = INNER.type->next(INNER.model, &v);
    return its.t < own.t ? its : own;
}

static fo_status jump_inner(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_state v = view(model, s, s->t);
    return same_size(s, &v, INNER.type->jump(INNER.model, &v, m, e));
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const driven *d = model;
    if (m->kind != FO_SCHEDULED || m->index != d->moment)
        return INNER.type->jump ? jump_inner(model, s, m, e) : FO_OK;
    s->d[d->shape.discretes] = (double)row_at(d, row_of(d, s), s->t);
    if (!INNER.type->jump || !INNER.type->hears_sets) return FO_OK;
    fo_moment set = *m;
    set.kind = FO_SET, set.index = 0;
    return jump_inner(model, s, &set, e);
}

static fo_status step(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    fo_state v = view(model, s, t);
    return same_size(s, &v, INNER.type->stepper->step(INNER.model, &v, t, h, x, x_new));
}

static void make_type(driven *d)
{
    const fo_system_type *its = d->inner.type;
    if (d->stepped) d->stepper = *its->stepper, d->stepper.step = step;
    d->type = (fo_system_type){.kind = its->kind,
                               .shape = shape,
                               .start = start,
                               .rates = its->rates ? rates : NULL,
                               .guards = its->guards ? guards : NULL,
                               .conditions = its->conditions ? conditions : NULL,
                               .next = next,
                               .jump = jump,
                               .observe = observe,
                               .settle = its->settle ? settle : NULL,
                               .record = its->record ? record : NULL,
                               .finish = its->finish ? finish : NULL,
                               .pattern = its->pattern ? pattern : NULL,
                               .jacobian = its->jacobian ? jacobian : NULL,
                               .divisors = its->divisors ? divisors : NULL,
                               .divisor_count = its->divisor_count,
                               .mass = its->mass ? mass : NULL,
                               .residual = its->residual ? residual : NULL,
                               .start_rates = its->start_rates ? start_rates : NULL,
                               .stiff_rates = its->stiff_rates ? stiff_rates : NULL,
                               .held = its->held ? held : NULL,
                               .expression = its->expression ? expression : NULL,
                               .side = its->side ? side : NULL,
                               .stepper = d->stepped ? &d->stepper : NULL,
                               .hears_sets = its->hears_sets,
                               .no_snapshot = its->no_snapshot};
}

// ----------------------------------------------------------------------------------------- opening

static int wrong_column(const command *c, const char *path, const char *name, fo_system inner)
{
    fo_message why = {0};
    fo_reference found;
    if (!inner.about->inputs.count)
        return complain_usage(c, "'%s' has no inputs that %s could drive", inner.about->name, path);
    if (fo_system_find(inner, name, &found, &why) == FO_OK)
        return complain_usage(c, "%s: '%s' is no input of '%s'", path, name, inner.about->name);
    return complain_usage(c, "%s: %s", path, why.text);
}

static int find_columns(const command *c, const char *path, driven *d)
{
    for (size_t i = 1; i < fo_columns_count(d->file); i++) {
        const char *name = fo_columns_name(d->file, i);
        const double *v = fo_columns_values(d->file, i);
        fo_reference found;
        if (fo_system_find(d->inner, name, &found, NULL) != FO_OK || found.quantity != FO_INPUT)
            return wrong_column(c, path, name, d->inner);
        if (d->column[found.index])
            return complain_usage(c, "%s: '%s' stands there twice", path, name);
        for (size_t row = 0; row <= d->last; row++)
            if (!isfinite(v[row]))
                return complain_usage(c, "%s: '%s' is no number at t = %g", path, name,
                                      time_of(d, row));
        d->column[found.index] = i;
        d->driven++;
    }
    if (d->driven) return EXIT_FINE;
    return complain_usage(c, "%s: expected a column with an input of '%s' beside 'time'", path,
                          d->inner.about->name);
}

static bool make_room(driven *d)
{
    const fo_description *about = d->inner.about;
    size_t inputs = d->shape.inputs;
    d->column = calloc(inputs + 1, sizeof *d->column);
    d->holds = calloc(inputs + 1, sizeof *d->holds);
    d->inputs = calloc(inputs + 1, sizeof *d->inputs);
    d->outputs = calloc(d->shape.outputs + inputs + 1, sizeof *d->outputs);
    d->discretes = calloc((size_t)d->shape.discretes + 1, sizeof *d->discretes);
    d->moments = calloc(about->moments.count + 2, sizeof *d->moments);
    d->guards = calloc(about->guards.count + 1, sizeof *d->guards);
    return d->column && d->holds && d->inputs && d->outputs && d->discretes && d->moments &&
           d->guards;
}

// The same names, but for what is driven, which moves from the inputs to the outputs.
static void describe(driven *d)
{
    const fo_description *its = d->inner.about;
    uint32_t in = 0, out = d->shape.outputs;
    size_t moments = its->moments.count;
    d->about = *its;
    for (uint32_t i = 0; i < its->outputs.count && i < out; i++)
        d->outputs[i] = its->outputs.list[i];
    for (uint32_t i = 0; i < its->discretes.count && i < d->shape.discretes; i++)
        d->discretes[i] = its->discretes.list[i];
    for (uint32_t i = 0; i < its->inputs.count; i++) {
        fo_variable v = its->inputs.list[i];
        bool real = v.type == FO_REAL && v.variability != FO_VARIABILITY_DISCRETE;
        d->holds[i] = !real;
        if (!d->column[i]) d->inputs[in++] = v;
        if (!d->column[i]) continue;
        v.causality = FO_CAUSALITY_BY_LIST;
        d->outputs[out++] = v;
    }
    d->discretes[d->shape.discretes] =
        (fo_variable){.name = "row of the input", .about = "of the file of --input, from 0"};
    for (size_t i = 0; i < moments; i++) d->moments[i] = its->moments.list[i];
    if (!moments && d->inner.type->next) moments = 1, d->moments[0].name = "";
    d->moment = (uint32_t)moments;
    d->moments[moments] = (fo_event){.name = "input"};
    // bounds are those of inputs that stand still
    for (size_t i = 0; i < its->guards.count; i++) {
        d->guards[i] = its->guards.list[i];
        d->guards[i].bounded = false;
    }
    d->about.guards.list = d->guards;
    d->about.inputs = (fo_variables){d->inputs, in};
    d->about.outputs = (fo_variables){d->outputs, out};
    d->about.discretes = (fo_variables){d->discretes, (size_t)d->shape.discretes + 1};
    d->about.moments = (fo_events){d->moments, moments + 1};
}

static int begin(const command *c, const char *path, driven *d)
{
    fo_message why = {0};
    bool flows = d->inner.type->rates || d->inner.type->residual;
    d->stepped = !flows && d->inner.type->stepper;
    if (d->inner.type->run || (!flows && !d->stepped))
        return complain_usage(c, "'%s' takes its steps itself: --input cannot drive it",
                              d->inner.about->name);
    d->file = fo_columns_read(path, NULL, &why);
    if (!d->file) return complain_usage(c, "%s", why.text);
    d->last = fo_columns_rows(d->file) - 1;
    d->shape = fo_system_shape(d->inner);
    if (!make_room(d)) {
        complain(c, "out of memory");
        return EXIT_FAILED;
    }
    int result = find_columns(c, path, d);
    if (result != EXIT_FINE) return result;
    describe(d);
    make_type(d);
    return EXIT_FINE;
}

driven *driven_open(const command *c, const char *path, fo_system inner, int *exit_status)
{
    driven *d = calloc(1, sizeof *d);
    if (!d) complain(c, "out of memory");
    *exit_status = EXIT_FAILED;
    if (!d) return NULL;
    d->inner = inner;
    *exit_status = begin(c, path, d);
    if (*exit_status == EXIT_FINE) return d;
    driven_close(d);
    return NULL;
}

fo_system driven_system(const driven *d)
{
    return (fo_system){&d->type, &d->about, d};
}

void driven_close(driven *d)
{
    if (!d) return;
    fo_columns_destroy(d->file);
    free(d->column);
    free(d->holds);
    free(d->inputs);
    free(d->outputs);
    free(d->discretes);
    free(d->moments);
    free(d->guards);
    free(d);
}
