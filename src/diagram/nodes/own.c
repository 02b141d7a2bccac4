// Node types of one's own. Each of its functions gets a record of what it may see; the record of a
// node is made once, and copied for every call, as many threads may run the diagram.
#include "diagram/nodes/own.h"

#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/own_math.h"

/// A type and where it comes from.
typedef struct own_type {
    foi_node_type type;
    const fo_node_type *given;
} own_type;

enum { MAX_FIELDS = 64, MAX_OWN_OUTPUTS = 64, MAX_PER_ELEMENT = 1000 };

/// The `extra` of a node.
typedef struct own_node {
    const fo_node_type *given;
    void *own;
    fo_node_array *parameters;
    const char **texts;
    double *choices; ///< what parameters of a choice point to
    double *kept;    ///< what own memory begins with; NULL: zeros
    bool opened;
} own_node;

/// Who is asking.
typedef struct host {
    foi_build *build;
    foi_run *run;
    const foi_node *node;
    fo_status status;
} host;

/// One call: what it gets, with room for its lists.
typedef struct own_call {
    fo_node_call call;
    host host;
    fo_node_array inputs[FOI_MAX_PORTS];
    double *outputs[MAX_OWN_OUTPUTS];
} own_call;

static const fo_node_type *given_of(const foi_node *n)
{
    return ((const own_type *)(const void *)n->type)->given;
}

void fo_node_fail(const fo_node_call *c, const char *format, ...)
{
    host *h = c->host;
    char words[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (h->status != FO_OK) return;
    h->status = FO_ERROR_MODEL;
    if (h->build) h->status = foi_node_refuse(h->build, h->node, "%s", words);
    if (h->run) foi_run_refuse(h->run, h->node, "%s", words);
}

// ---------------------------------------------------------------------------------------- calls

static void begin_call(own_call *c, const foi_node *n)
{
    const own_node *o = n->extra;
    c->host = (host){.node = n};
    c->call = (fo_node_call){.inputs = c->inputs,
                             .parameters = o->parameters,
                             .texts = o->texts,
                             .outputs = c->outputs,
                             .own = o->own,
                             .host = &c->host};
}

// How many elements a node works on: those of its first output, or of its inputs together.
static uint32_t size_of(const foi_node *n)
{
    if (n->output_count) return foi_array_size(&n->outputs[0].shape);
    uint32_t size = 1;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const foi_array *type = foi_input_type(n, i);
        if (type && foi_array_size(type) > size) size = foi_array_size(type);
    }
    return size;
}

static void build_call(own_call *c, foi_build *b, const foi_node *n)
{
    begin_call(c, n);
    c->host.build = b;
    for (uint32_t i = 0; i < n->input_count && n->inputs; i++) {
        const foi_array *type = foi_input_type(n, i);
        c->inputs[i] = type ? (fo_node_array){type->rows, type->cols, NULL} : (fo_node_array){0};
    }
}

// The guards' sides lie in the node's work space, their values behind them.
static void run_call(own_call *c, const foi_node *n, foi_run *r)
{
    begin_call(c, n);
    c->host.run = r;
    for (uint32_t i = 0; i < n->input_count; i++) {
        foi_array a = foi_in(n, r, i);
        c->inputs[i] = (fo_node_array){a.rows, a.cols, a.data};
    }
    for (uint32_t i = 0; i < n->output_count; i++) c->outputs[i] = foi_out(n, r, i).data;
    c->call.t = r->t;
    c->call.tick = r->count / n->every;
    c->call.sampling = r->tick;
    c->call.period = n->period;
    c->call.size = size_of(n);
    c->call.x = r->x ? r->x + n->state : NULL;
    c->call.kept = r->memory ? foi_own(n, r) : NULL;
    c->call.sides = foi_work(n, r);
}

// ------------------------------------------------------------------------------------- building

static bool open_lists(foi_build *b, foi_node *n, own_node *o)
{
    uint32_t count = 0;
    while (n->type->parameters[count].name) count++;
    o->parameters = foi_arena_new(b->arena, count + 1, sizeof *o->parameters);
    o->texts = foi_arena_new(b->arena, count + 1, sizeof *o->texts);
    o->choices = foi_arena_new(b->arena, count + 1, sizeof *o->choices);
    if (!o->parameters || !o->texts || !o->choices) return false;
    for (uint32_t i = 0; i < count; i++) {
        const foi_setting *s = &n->settings[i];
        foi_parameter_kind kind = n->type->parameters[i].kind;
        o->texts[i] = s->text;
        o->choices[i] = s->choice;
        o->parameters[i] = (fo_node_array){s->value.rows, s->value.cols, s->value.data};
        if (kind == FOI_PARAMETER_CHOICE) o->parameters[i] = (fo_node_array){1, 1, &o->choices[i]};
    }
    return true;
}

static fo_status prepare_own(foi_build *b, foi_node *n)
{
    own_node *o = foi_arena_new(b->arena, 1, sizeof *o);
    if (!o || !open_lists(b, n, o))
        return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    own_call c;
    o->given = given_of(n);
    n->extra = o;
    if (!o->given->open) return FO_OK;
    build_call(&c, b, n);
    o->own = o->given->open(&c.call);
    o->opened = true;
    return c.host.status;
}

static void end_own(foi_node *n)
{
    own_node *o = n->extra;
    if (o->opened && o->given->close) o->given->close(o->own);
}

static fo_status shape_outputs(foi_build *b, foi_node *n, foi_array common)
{
    own_call c;
    build_call(&c, b, n);
    for (uint32_t i = 0; i < n->output_count; i++) {
        uint32_t rows = common.rows, cols = common.cols;
        if (given_of(n)->shape) given_of(n)->shape(&c.call, i, &rows, &cols);
        if (c.host.status != FO_OK) return c.host.status;
        if (!rows || !cols || (uint64_t)rows * cols > FOI_MAX_ELEMENTS)
            return foi_node_refuse(b, n, "output %u would be %u by %u", i + 1, rows, cols);
        foi_output_type(n, i, rows, cols, FOI_SIGNAL_REAL);
    }
    return FO_OK;
}

// They depend on nothing but the parameters, and are the description's, which a run may change.
static fo_status find_starts(foi_build *b, foi_node *n)
{
    own_node *o = n->extra;
    own_call c;
    double *x = foi_arena_new(b->arena, (size_t)n->state_count + 1, sizeof *x);
    o->kept = foi_arena_new(b->arena, (size_t)n->own_count + 1, sizeof *o->kept);
    if (!x || !o->kept) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    build_call(&c, b, n);
    c.call.t = foi_build_start(b);
    c.call.size = size_of(n);
    c.call.x = x;
    c.call.kept = o->kept;
    given_of(n)->start(&c.call, x);
    n->starts = x;
    return c.host.status;
}

static fo_status type_own(foi_build *b, foi_node *n)
{
    const fo_node_type *given = given_of(n);
    uint32_t list[MAX_FIELDS], count = 0;
    foi_array common;
    for (uint32_t i = 0; n->type->parameters[i].name; i++)
        if (n->type->parameters[i].kind == FOI_PARAMETER_REAL) list[count++] = i;
    fo_status status = FO_OK;
    common = (foi_array){1, 1, FOI_SIGNAL_REAL, NULL};
    if (!given->shape) status = foi_common_shape(b, n, n->input_count, list, count, &common);
    if (status == FO_OK) status = shape_outputs(b, n, common);
    if (status != FO_OK) return status;
    uint32_t size = size_of(n); // at most 2^20, and at most 1000 for each
    n->state_count = size * given->states;
    n->own_count = size * given->kept;
    n->work_count = 2 * size * given->guards;
    n->guard_count = foi_guards_wanted(b, n, size * given->guards);
    return given->start ? find_starts(b, n) : FO_OK;
}

// ------------------------------------------------------------------------------------------ runs

static void start_own(const foi_node *n, foi_run *r)
{
    const own_node *o = n->extra;
    if (o->kept && n->own_count) memcpy(foi_own(n, r), o->kept, n->own_count * sizeof(double));
}

static void find_sides(const foi_node *n, foi_run *r, const own_call *c)
{
    uint32_t count = c->call.size * given_of(n)->guards;
    double *sides = foi_work(n, r), *g = sides + count;
    if (!count) return;
    given_of(n)->watch(&c->call, g);
    for (uint32_t i = 0; i < count; i++) sides[i] = foi_side(n, r, i, g[i]);
}

// Where inputs come later than outputs: what the last moment found.
static void recall_sides(const foi_node *n, foi_run *r, const own_call *c)
{
    for (uint32_t i = 0; i < c->call.size * given_of(n)->guards; i++)
        foi_work(n, r)[i] = n->guard_count ? r->memory[2 + n->guard + i] : 0;
}

static void check_outputs(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->output_count && r->status == FO_OK; i++) {
        foi_array y = foi_out(n, r, i);
        for (uint32_t k = 0; k < foi_array_size(&y); k++)
            if (!isfinite(y.data[k])) {
                foi_run_refuse(r, n, "element %u of output %u is not finite", k + 1, i + 1);
                return;
            }
    }
}

static void output_own(const foi_node *n, foi_run *r)
{
    const fo_node_type *given = given_of(n);
    own_call c;
    run_call(&c, n, r);
    if (n->through)
        find_sides(n, r, &c);
    else
        recall_sides(n, r, &c);
    if (given->output) given->output(&c.call);
    check_outputs(n, r);
}

// The same over scalars.
static void output_math(const foi_node *n, foi_run *r)
{
    const fo_node_type *given = given_of(n);
    fo_node_math m = {.n = n, .r = r, .size = size_of(n)};
    if (n->through && given->math.watch) given->math.watch(&m);
    given->math.output(&m);
    if (!r->lower) check_outputs(n, r);
}

static void watch_own(const foi_node *n, foi_run *r)
{
    own_call c;
    fo_node_math m = {.n = n, .r = r, .size = size_of(n)};
    if (n->through) return;
    if (given_of(n)->math.watch) {
        given_of(n)->math.watch(&m);
        return;
    }
    run_call(&c, n, r);
    find_sides(n, r, &c);
}

static void rates_own(const foi_node *n, foi_run *r, double *dx)
{
    own_call c;
    fo_node_math m = {.n = n, .r = r, .dx = dx, .size = size_of(n)};
    if (given_of(n)->math.rates) {
        given_of(n)->math.rates(&m);
        return;
    }
    run_call(&c, n, r);
    given_of(n)->rates(&c.call, dx);
}

static void update_own(const foi_node *n, foi_run *r)
{
    own_call c;
    run_call(&c, n, r);
    given_of(n)->update(&c.call);
}

// Index UINT32_MAX asks for a start from signals, which there is not.
static bool fire_own(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    own_call c;
    if (index == UINT32_MAX) return false;
    run_call(&c, n, r);
    return given_of(n)->jump(&c.call, index, direction == FO_RISING, r->x_new + n->state);
}

// --------------------------------------------------------------------------------------- the type

foi_parameter foi_own_parameter(const fo_node_field *field)
{
    static const foi_parameter_kind kinds[] = {
        FOI_PARAMETER_REAL, FOI_PARAMETER_NUMBER, FOI_PARAMETER_SAMPLE, FOI_PARAMETER_CHOICE,
        FOI_PARAMETER_TEXT, FOI_PARAMETER_REAL,   FOI_PARAMETER_NUMBER};
    return (foi_parameter){.name = field->name,
                           .kind = kinds[field->kind],
                           .value = field->value ? field->value : "",
                           .choices = field->choices,
                           .about = field->about ? field->about : "",
                           .at_start = field->kind >= FO_NODE_START_NUMBERS};
}

static const foi_parameter *copy_fields(foi_arena *arena, const fo_node_field *fields)
{
    size_t count = 0;
    while (fields && fields[count].name) count++;
    foi_parameter *list = foi_arena_new(arena, count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = foi_own_parameter(&fields[i]);
    return list;
}

static bool samples(const fo_node_type *t)
{
    for (const fo_node_field *f = t->parameters; f && f->name; f++)
        if (f->kind == FO_NODE_SAMPLE) return true;
    return false;
}

// What is wrong with a description; NULL: nothing.
static const char *fault_of(const fo_node_type *t)
{
    uint32_t count = 0;
    if (!t->name || !*t->name) return "has no name";
    if (foi_port_count(t->inputs ? t->inputs : "") > FOI_MAX_PORTS) return "has too many inputs";
    if (foi_port_count(t->outputs ? t->outputs : "") > MAX_OWN_OUTPUTS)
        return "has too many outputs";
    for (const fo_node_field *f = t->parameters; f && f->name; f++) {
        if ((unsigned)f->kind > FO_NODE_START_NUMBER) return "has a parameter of no kind";
        if (f->kind == FO_NODE_CHOICE && !f->choices) return "has a choice without choices";
        if (f->kind != FO_NODE_TEXT && !f->value) return "has a parameter without a default";
        if (++count > MAX_FIELDS) return "has too many parameters";
    }
    if (t->states > MAX_PER_ELEMENT || t->kept > MAX_PER_ELEMENT || t->guards > MAX_PER_ELEMENT)
        return "wants more than 1000 states, doubles or guards for each element";
    bool outputs = t->outputs && *t->outputs;
    bool math = t->math.output || t->math.rates || t->math.watch;
    if (t->states && !t->rates && !math) return "has states and no function 'rates'";
    if (t->guards && !t->watch && !math) return "has guards and no function 'watch'";
    if (outputs && !t->output && !math) return "has outputs and no function 'output'";
    if (math && (!outputs || !t->math.output || (t->states && !t->math.rates) ||
                 (t->guards && !t->math.watch)))
        return "has expressions for some of its functions only";
    if (math && (t->output || t->rates || t->watch))
        return "has functions both over numbers and as expressions";
    if (t->held && (t->states || t->guards)) return "holds its outputs, and has states or guards";
    if (foi_node_type_find(t->name)) return "has the name of one that there is already";
    return NULL;
}

const foi_node_type *foi_own_type(foi_arena *arena, const fo_node_type *t, fo_message *why)
{
    const char *fault = fault_of(t);
    if (fault) {
        fo_fail(why, FO_ERROR_ARGUMENT, "the node type '%.60s' %s", t->name ? t->name : "", fault);
        return NULL;
    }
    own_type *o = foi_arena_new(arena, 1, sizeof *o);
    const foi_parameter *parameters = copy_fields(arena, t->parameters);
    if (!o || !parameters) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the node type '%.60s'", t->name);
        return NULL;
    }
    o->given = t;
    o->type = (foi_node_type){
        .name = t->name,
        .set = t->set ? t->set : "Your own",
        .about = t->about ? t->about : "",
        .inputs = t->inputs ? t->inputs : "",
        .outputs = t->outputs ? t->outputs : "",
        .parameters = parameters,
        .types = REAL_ONLY,
        .feedthrough = t->no_feedthrough ? "no" : "yes",
        .sample = samples(t)             ? DISCRETE
                  : t->update || t->held ? INHERITED
                                         : CONTINUOUS,
        .expansion = t->shape ? NOT_APPLICABLE : SUPPORTED,
        .dimensions = ANY_DIMENSION,
        .example = {.parameters = t->example.parameters,
                    .inputs = t->example.inputs ? t->example.inputs : "",
                    .time = t->example.time,
                    .output = t->example.output},
        .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
        .no_feedthrough = t->no_feedthrough,
        .continuous = t->states || (!t->update && !t->held),
        .steps = t->update || t->held,
        .held = t->held,
        .loose = t->outputs && strchr(t->outputs, '|'),
        .prepare = prepare_own,
        .type = type_own,
        .start = start_own,
        .expressed = t->math.output,
        .output = t->math.output ? output_math : output_own,
        .watch = t->guards ? watch_own : NULL,
        .update = t->update ? update_own : NULL,
        .rates = t->states ? rates_own : NULL,
        .fire = t->jump ? fire_own : NULL,
        .together = t->jump,
        .end = end_own,
    };
    return &o->type;
}
