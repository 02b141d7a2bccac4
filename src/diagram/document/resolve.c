// Types, dimensions and sample times, before the run.
//
// In sorted order every node whose inputs feed through finds them known. A node that does not feed
// through may stand in a loop: it begins with what its parameters say, and when its input turns out
// to be larger, all is done once more. Shapes only grow, so this ends; while some input was still
// unknown a conflict may come from a guess and is no error yet.
#include <stdio.h>

#include "diagram/diagram.h"

enum { MAX_PASSES = 100 };

fo_status foi_node_refuse(foi_build *b, const foi_node *n, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return foi_json_refuse(b->json, n->json, b->why, "node '%s' (%s): %s", n->name, n->type->name,
                           words);
}

double foi_build_start(const foi_build *b)
{
    return b->diagram->start;
}

double foi_build_stop(const foi_build *b)
{
    return b->diagram->stop;
}

double foi_build_step(const foi_build *b)
{
    return b->diagram->step;
}

// --------------------------------------------------------------------------------------- shapes

void foi_output_type(foi_node *n, uint32_t i, uint32_t rows, uint32_t cols, foi_signal_kind kind)
{
    n->outputs[i].shape = (foi_array){rows, cols, kind, NULL};
    n->outputs[i].known = true;
}

bool foi_expand_signal(foi_array *shape, const foi_array *other)
{
    if (other->kind == FOI_SIGNAL_COMPLEX) shape->kind = FOI_SIGNAL_COMPLEX;
    if (foi_array_size(other) == 1) return true;
    if (foi_array_size(shape) == 1) {
        shape->rows = other->rows;
        shape->cols = other->cols;
        return true;
    }
    return shape->rows == other->rows && shape->cols == other->cols;
}

fo_status foi_common_shape(foi_build *b, foi_node *n, uint32_t inputs, const uint32_t *parameters,
                           uint32_t parameter_count, foi_array *shape)
{
    char found[80], other[80], port[64];
    *shape = (foi_array){1, 1, FOI_SIGNAL_REAL, NULL};
    for (uint32_t i = 0; i < parameter_count; i++) {
        const foi_array *value = foi_value(n, parameters[i]);
        if (!foi_expand_signal(shape, value))
            return foi_node_refuse(b, n, "parameter '%s' is %s, the others are %s",
                                   n->type->parameters[parameters[i]].name,
                                   foi_array_text(value, found, sizeof found),
                                   foi_array_text(shape, other, sizeof other));
    }
    for (uint32_t i = 0; i < inputs; i++) {
        const foi_array *type = foi_input_type(n, i);
        if (type && !foi_expand_signal(shape, type))
            return foi_node_refuse(b, n, "input %u (%s) is %s from '%s', expected %s", i + 1,
                                   foi_node_port(n, true, i, port, sizeof port),
                                   foi_array_text(type, found, sizeof found),
                                   n->inputs[i]->node->name,
                                   foi_array_text(shape, other, sizeof other));
    }
    return FO_OK;
}

static uint32_t array_parameters(const foi_node *n, uint32_t *list, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; n->type->parameters && n->type->parameters[i].name; i++) {
        foi_parameter_kind kind = n->type->parameters[i].kind;
        if ((kind == FOI_PARAMETER_REAL || kind == FOI_PARAMETER_COMPLEX) && count < room)
            list[count++] = i;
    }
    return count;
}

fo_status foi_type_elementwise(foi_build *b, foi_node *n)
{
    uint32_t list[8];
    foi_array shape;
    uint32_t count = array_parameters(n, list, 8);
    fo_status status = foi_common_shape(b, n, n->input_count, list, count, &shape);
    if (status == FO_OK && n->output_count)
        foi_output_type(n, 0, shape.rows, shape.cols, shape.kind);
    return status;
}

fo_status foi_type_real(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->outputs[0].shape.kind = FOI_SIGNAL_REAL;
    return status;
}

// ------------------------------------------------------------------------------------- one pass

static fo_status check_kinds(foi_build *b, const foi_node *n)
{
    char found[80], port[64];
    unsigned accepts = n->type->accepts ? n->type->accepts : FOI_SIGNAL_REAL;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const foi_array *type = foi_input_type(n, i);
        if (!type || (accepts & type->kind)) continue;
        return foi_node_refuse(b, n, "input %u (%s) is %s from '%s', expected %s", i + 1,
                               foi_node_port(n, true, i, port, sizeof port),
                               foi_array_text(type, found, sizeof found), n->inputs[i]->node->name,
                               accepts == FOI_SIGNAL_REAL     ? "real numbers"
                               : accepts == FOI_NUMBERS       ? "real or complex numbers"
                               : accepts & FOI_SIGNAL_COMPLEX ? "numbers or boolean values"
                                                              : "real numbers or boolean values");
    }
    return FO_OK;
}

typedef struct pass {
    bool guessed; ///< some input was not known
    bool changed;
    fo_status status;
} pass;

static fo_status type_node(foi_build *b, foi_node *n)
{
    fo_status status = check_kinds(b, n);
    if (status != FO_OK) return status;
    status = n->type->type ? n->type->type(b, n) : foi_type_elementwise(b, n);
    for (uint32_t i = 0; i < n->output_count && status == FO_OK; i++) {
        const foi_array *shape = &n->outputs[i].shape;
        if ((uint64_t)shape->rows * shape->cols > FOI_MAX_ELEMENTS)
            return foi_node_refuse(b, n, "output %u has more than %d elements", i + 1,
                                   FOI_MAX_ELEMENTS);
    }
    return status;
}

static bool same_type(const foi_array *a, const foi_array *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->kind == b->kind;
}

static void visit(foi_build *b, foi_node *n, pass *p)
{
    bool ready = true;
    for (uint32_t i = 0; i < n->input_count; i++) {
        if (foi_input_type(n, i)) continue;
        p->guessed = true;
        if (n->through >> i & 1) ready = false;
    }
    if (!ready) return;
    fo_status status = type_node(b, n);
    if (status != FO_OK) {
        for (uint32_t i = 0; i < n->output_count; i++) {
            n->outputs[i].known = false;
            n->outputs[i].seen = (foi_array){0};
        }
        p->status = status;
        return;
    }
    for (uint32_t i = 0; i < n->output_count; i++) {
        foi_signal *y = &n->outputs[i];
        if (!same_type(&y->shape, &y->seen)) p->changed = true;
        y->seen = y->shape;
    }
}

static fo_status resolve_types(foi_build *b)
{
    foi_diagram *d = b->diagram;
    for (int count = 0; count < MAX_PASSES; count++) {
        // the types of signals that cut loops are a guess in the first pass
        pass p = {.guessed = count == 0 && d->loop_count};
        for (uint32_t i = 0; i < d->node_count; i++) {
            visit(b, d->order[i], &p);
            if (p.status == FO_ERROR_MEMORY) return p.status;
            if (p.status != FO_OK && !p.guessed) return p.status;
        }
        for (uint32_t i = 0; i < d->loop_count; i++)
            if (foi_loop_grow(d->loops[i])) p.changed = true;
        if (!p.changed && !p.guessed) return FO_OK;
        if (!p.changed && p.status != FO_OK) return p.status;
    }
    return fo_fail(b->why, FO_ERROR_FORMAT, "the dimensions of '%s' grow without end", d->name);
}

// --------------------------------------------------------------------------------- sample times

// Its own parameter, continuous, or that of the fastest driver; constants have none.
static void set_sample(foi_node *n)
{
    const foi_parameter *p = n->type->parameters;
    n->sample = INFINITY;
    for (uint32_t i = 0; p && p[i].name; i++)
        if (p[i].kind == FOI_PARAMETER_SAMPLE) n->sample = foi_number(n, i);
    if (n->sample < INFINITY) return;
    if (n->type->continuous) n->sample = 0;
    for (uint32_t i = 0; i < n->input_count && n->sample > 0; i++) {
        double driver = n->inputs[i]->node->sample;
        if (driver < n->sample) n->sample = driver;
    }
}

static fo_status set_period(foi_build *b, foi_node *n)
{
    double step = b->diagram->step;
    bool discrete = n->sample > 0 && n->sample < INFINITY;
    double ratio = discrete ? n->sample / step : 1;
    n->every = 1;
    if (discrete) {
        if (fabs(ratio - round(ratio)) > 1e-9 * ratio || ratio < 0.5 || ratio > 4e9)
            return foi_node_refuse(b, n,
                                   "the sample time %g is not a multiple of the step %g of the "
                                   "simulation",
                                   n->sample, step);
        n->every = (uint32_t)round(ratio);
        for (const foi_parameter *p = n->type->parameters; p && p->name; p++)
            if (p->kind == FOI_PARAMETER_SAMPLE) n->held = n->steps = true;
    }
    n->period = n->every * step;
    return FO_OK;
}

fo_status foi_diagram_resolve(foi_build *b)
{
    foi_diagram *d = b->diagram;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < d->node_count; i++) d->order[i]->sample = INFINITY;
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++) {
        set_sample(d->order[i]);
        status = set_period(b, d->order[i]);
    }
    if (status == FO_OK) status = resolve_types(b);
    for (uint32_t i = 0; i < d->loop_count && status == FO_OK; i++)
        status = foi_loop_measure(b, d->loops[i]);
    for (uint32_t i = 0; i < d->node_count; i++)
        if (d->nodes[i].steps || d->nodes[i].held) d->ticks = true;
    return status;
}
