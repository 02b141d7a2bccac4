// A system inside a node.
//
// A system works on a state of its own. Here that is put together for every call from parts of the
// diagram's: states lie among the diagram's states; discretes and memory in the node's own memory;
// inputs, outputs, guards and scratch space in its work space, which follows from the rest.
//
//     own    inputs of the last start | states before it | discretes | memory
//     work   inputs | outputs | guards | conditions | scratch
//
// A condition of the guest is a guard that jumps from -1 to 1.
#include "diagram/run/guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/number.h"
#include "system/value.h"

enum { MAX_AGAIN = 10000 };

static uint32_t doubles_for(size_t bytes)
{
    return (uint32_t)((bytes + 7) / 8) + 2; // with room to align it
}

static void *aligned(double *at)
{
    return (void *)(((uintptr_t)at + 15) & ~(uintptr_t)15);
}

// ------------------------------------------------------------------------------------- preparing

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

/// The next of "name=value; name=value": *number is 1, or 0 at the end.
static fo_status next_parameter(foi_build *b, const foi_node *n, char **rest, fo_setting *found,
                                uint32_t *number)
{
    char *item, *end;
    *number = 0;
    do {
        item = strsep(rest, ";");
        if (!item) return FO_OK;
        item += strspn(item, " \t\n");
    } while (!*item);
    char *equals = strchr(item, '=');
    if (!equals)
        return foi_node_refuse(b, n, "expected \"name=value; name=value\", found '%.40s'", item);
    *equals = 0;
    item[strcspn(item, " \t\n")] = 0;
    *found = (fo_setting){item, strtod(equals + 1, &end), false};
    *number = 1;
    bool alone = end != equals + 1 && !end[strspn(end, " \t\n")];
    if (alone && isfinite(found->value)) return FO_OK;
    return foi_node_refuse(b, n, "parameter '%.40s' is '%.40s', expected a number", item,
                           equals + 1);
}

static bool is_taken(const foi_guest *g, const char *name)
{
    for (size_t i = 0; i < g->given_count; i++)
        if (g->given[i].taken && strcmp(g->given[i].name, name) == 0) return true;
    return false;
}

static fo_status set_parameter(foi_build *b, foi_node *n, const fo_setting *s)
{
    foi_guest *g = n->extra;
    fo_reference which;
    fo_message why = {0};
    if (fo_failed(fo_system_find(g->system, s->name, &which, &why)))
        return is_taken(g, s->name) ? FO_OK : foi_node_refuse(b, n, "%s", why.text);
    if (which.quantity != FO_PARAMETER)
        return foi_node_refuse(b, n, "'%.40s' is not a parameter of the model", s->name);
    g->p[which.index] = s->value;
    return FO_OK;
}

static fo_status set_parameters(foi_build *b, foi_node *n, const char *text)
{
    char *rest = foi_arena_text(b->arena, text, strlen(text));
    if (!rest) return no_memory(b);
    fo_setting found;
    uint32_t number;
    fo_status status;
    while ((status = next_parameter(b, n, &rest, &found, &number)) == FO_OK && number)
        if ((status = set_parameter(b, n, &found)) != FO_OK) break;
    return status;
}

// ---------------------------------------------------------------------------------------- numbers

// "car.k" of the node "car" is "k"; NULL: a number of someone else.
static const char *own_name(const foi_node *n, const char *name)
{
    size_t length = strlen(n->name);
    return strncmp(name, n->name, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

fo_setting *foi_guest_settings(foi_build *b, const foi_node *n, const char *own, size_t *count)
{
    size_t most = b->setting_count + 2;
    for (const char *c = own; *c; c++) most += *c == ';';
    char *rest = foi_arena_text(b->arena, own, strlen(own));
    fo_setting *list = foi_arena_new(b->arena, most, sizeof *list);
    uint32_t number = 1;
    *count = 0;
    if (!rest || !list) {
        no_memory(b);
        return NULL;
    }
    while (number) {
        if (next_parameter(b, n, &rest, &list[*count], &number) != FO_OK) return NULL;
        *count += number;
    }
    for (size_t i = 0; i < b->setting_count; i++) {
        const char *name = own_name(n, b->settings[i].name);
        if (name) list[(*count)++] = (fo_setting){name, b->settings[i].value, false};
    }
    return list;
}

void foi_guest_taken(foi_build *b, const foi_node *n, const char *name)
{
    for (size_t i = 0; i < b->setting_count; i++) {
        const char *own = own_name(n, b->settings[i].name);
        if (own && strcmp(own, name) == 0) b->settings[i].taken = true;
    }
}

foi_numbers *foi_guest_numbers(foi_build *b, const foi_node *n, const foi_json *json)
{
    size_t count;
    const fo_setting *list = foi_guest_settings(b, n, "", &count);
    foi_numbers *numbers = foi_arena_new(b->arena, 1, sizeof *numbers);
    foi_number_setting *set = foi_arena_new(b->arena, count + 1, sizeof *set);
    if (!list || !numbers || !set) {
        no_memory(b);
        return NULL;
    }
    *numbers = (foi_numbers){.arena = b->arena, .settings = set, .setting_count = count};
    for (size_t i = 0; i < count; i++) {
        set[i].value = list[i].value;
        if (foi_number_complete(json, list[i].name, set[i].name, sizeof set[i].name, b->why) !=
            FO_OK)
            return NULL;
    }
    return numbers;
}

static fo_status add_number(foi_build *b, foi_node *n, const fo_variable *like)
{
    foi_guest *g = n->extra;
    const char *name = foi_arena_print(b->arena, "%s.%s", n->name, like->name);
    fo_variable *v =
        name ? foi_arena_add(b->arena, &g->numbers, &g->number_count, sizeof *v) : NULL;
    if (!v) return no_memory(b);
    *v = *like;
    v->name = name;
    v->causality = FO_CAUSALITY_PARAMETER, v->variability = FO_VARIABILITY_FIXED;
    return FO_OK;
}

fo_status foi_guest_list_more(foi_build *b, foi_node *n, const fo_variable *list, uint32_t count)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < count && status == FO_OK; i++) status = add_number(b, n, &list[i]);
    return status;
}

fo_status foi_guest_list(foi_build *b, foi_node *n, const foi_numbers *numbers)
{
    const foi_guest *g = n->extra;
    fo_reference found;
    fo_status status = FO_OK;
    size_t count;
    const fo_setting *given = foi_guest_settings(b, n, "", &count);
    if (!given) return FO_ERROR_MEMORY;
    for (size_t i = 0; i < numbers->setting_count; i++)
        if (numbers->settings[i].taken) foi_guest_taken(b, n, given[i].name);
    for (uint32_t i = 0; i < numbers->count && status == FO_OK; i++) {
        fo_variable v = foi_number_variable(&numbers->list[i]);
        bool listed = fo_system_find(g->system, v.name, &found, NULL) == FO_OK;
        if (!listed) status = add_number(b, n, &v); // parameters of the system come anyway
    }
    return status;
}

const foi_guest *foi_guest_of(const foi_node *n)
{
    return n->type->end == foi_guest_end ? n->extra : NULL;
}

// Parameters of the guest's system, as they were set from outside, listed.
static fo_status take_settings(foi_build *b, foi_node *n)
{
    foi_guest *g = n->extra;
    const fo_variables *list = &g->system.about->parameters;
    fo_status status = FO_OK;
    for (size_t i = 0; i < b->setting_count && status == FO_OK; i++) {
        fo_setting *s = &b->settings[i];
        const char *name = own_name(n, s->name);
        fo_reference which;
        if (!name || fo_system_find(g->system, name, &which, NULL) != FO_OK ||
            which.quantity != FO_PARAMETER)
            continue;
        status = foi_system_allows(g->system, which, s->name, s->value, false, b->why);
        g->p[which.index] = s->value;
        s->taken = true;
    }
    for (size_t i = 0; i < list->count && status == FO_OK; i++) {
        fo_variable v = list->list[i];
        v.start = g->p[i];
        if (v.name) status = add_number(b, n, &v);
    }
    return status;
}

// ------------------------------------------------------------------------------------------ ports

static fo_status add_port(foi_build *b, foi_guest *g, fo_reference which)
{
    fo_reference *place = foi_arena_add(b->arena, &g->ports, &g->port_count, sizeof *place);
    if (!place) return no_memory(b);
    *place = which;
    return FO_OK;
}

fo_status foi_guest_show(foi_build *b, foi_guest *g, const char *name)
{
    fo_reference which;
    fo_message why = {0};
    if (fo_failed(fo_system_find(g->system, name, &which, &why))) return FO_OK;
    bool shown =
        which.quantity == FO_OUTPUT || which.quantity == FO_STATE || which.quantity == FO_DISCRETE;
    return shown ? add_port(b, g, which) : FO_OK;
}

// Names of inputs or of output ports as one list by "|".
static const char *list_names(foi_build *b, const foi_guest *g, bool inputs)
{
    uint32_t count = inputs ? g->shape.inputs : g->port_count;
    char name[200];
    size_t size = 1;
    char *text = NULL;
    for (int pass = 0; pass < 2; pass++) {
        char *at = text;
        for (uint32_t i = 0; i < count; i++) {
            fo_reference which = inputs ? (fo_reference){FO_INPUT, i} : g->ports[i];
            fo_system_name(g->system, which, name, sizeof name);
            if (pass)
                at += sprintf(at, "%s%s", i ? "|" : "", name);
            else
                size += strlen(name) + 1;
        }
        if (!pass && !(text = foi_arena_new(b->arena, size, 1))) return NULL;
    }
    return text;
}

static fo_status set_ports(foi_build *b, foi_node *n)
{
    foi_guest *g = n->extra;
    const fo_description *about = g->system.about;
    fo_status status = FO_OK;
    bool all = !g->port_count;
    if (g->shape.inputs > FOI_MAX_PORTS || g->shape.outputs > FOI_MAX_OUTPUTS)
        return foi_node_refuse(b, n, "the model has %u inputs and %u outputs, more than %d or %d",
                               g->shape.inputs, g->shape.outputs, FOI_MAX_PORTS, FOI_MAX_OUTPUTS);
    for (uint32_t i = 0; all && i < g->shape.outputs && status == FO_OK; i++)
        status = add_port(b, g, (fo_reference){FO_OUTPUT, i});
    if (status != FO_OK) return status;
    n->input_count = g->shape.inputs;
    n->output_count = g->port_count;
    n->input_names = list_names(b, g, true);
    n->output_names = list_names(b, g, false);
    if (!n->input_names || !n->output_names) return no_memory(b);
    for (uint32_t i = 0; i < g->port_count; i++) {
        fo_reference which = g->ports[i];
        if (which.quantity == FO_OUTPUT && which.index < about->outputs.count &&
            about->outputs.list[which.index].direct)
            g->through = true;
    }
    n->through = g->through ? ~(uint64_t)0 : 0;
    return FO_OK;
}

fo_status foi_guest_prepare(foi_build *b, foi_node *n, const char *parameters)
{
    foi_guest *g = n->extra;
    g->shape = fo_system_shape(g->system);
    if (g->shape.states && !g->system.type->rates)
        return foi_node_refuse(
            b, n, "the model has no explicit derivatives, so that it cannot be a node");
    if (g->system.type->mass)
        return foi_node_refuse(b, n, "the model has a mass matrix, so that it cannot be a node");
    g->p = foi_arena_new(b->arena, g->shape.parameters + 1, sizeof *g->p);
    if (!g->p) return no_memory(b);
    for (size_t i = 0; i < g->system.about->parameters.count; i++)
        g->p[i] = g->system.about->parameters.list[i].start;
    fo_status status = set_parameters(b, n, parameters);
    if (status == FO_OK) status = take_settings(b, n);
    return status == FO_OK ? set_ports(b, n) : status;
}

fo_status foi_guest_type(foi_build *b, foi_node *n)
{
    foi_guest *g = n->extra;
    const fo_shape *s = &g->shape;
    char found[80], port[64];
    for (uint32_t i = 0; i < n->input_count; i++) {
        const foi_array *u = foi_input_type(n, i);
        if (u && foi_array_size(u) != 1)
            return foi_node_refuse(b, n, "input %u (%s) is %s from '%s', expected a single number",
                                   i + 1, foi_node_port(n, true, i, port, sizeof port),
                                   foi_array_text(u, found, sizeof found),
                                   n->inputs[i]->node->name);
    }
    for (uint32_t i = 0; i < n->output_count; i++) foi_output_type(n, i, 1, 1, FOI_SIGNAL_REAL);
    if (s->memory > INT32_MAX || s->scratch > INT32_MAX)
        return foi_node_refuse(b, n, "the model is too large");
    g->kept = s->inputs && g->system.type->start ? s->states : 0;
    g->used = 0;
    g->start = s->inputs;
    g->discretes = g->start + g->kept;
    g->memory = g->discretes + s->discretes;
    n->own_count = g->memory + doubles_for(s->memory);
    g->outputs = s->inputs;
    g->guards = g->outputs + s->outputs;
    g->conditions = g->guards + s->guards;
    g->scratch = g->conditions + s->conditions;
    n->work_count = g->scratch + doubles_for(s->scratch);
    n->state_count = s->states;
    n->guard_count = s->guards + s->conditions;
    n->records = g->system.type->record != NULL;
    n->settles = n->records || g->system.type->settle != NULL;
    n->longest = g->system.about->max_step;
    double *starts = foi_arena_new(b->arena, n->state_count + 1, sizeof *starts);
    if (!starts) return no_memory(b);
    fo_variables states = g->system.about->states;
    for (uint32_t i = 0; i < n->state_count && i < states.count; i++)
        starts[i] = states.list[i].start;
    n->starts = starts;
    return FO_OK;
}

void foi_guest_end(foi_node *n)
{
    foi_guest *g = n->extra;
    g->close(g->owner);
}

// --------------------------------------------------------------------------------------- its state

static fo_status refuse_resize(fo_host *host, fo_state *s, const fo_shape *shape)
{
    (void)host;
    (void)shape;
    return fo_refuse(s, "a model inside a node cannot change its size");
}

typedef struct view {
    const foi_guest *g;
    const fo_system_type *type;
    fo_state s;
    fo_host host;
    fo_message message;
    const double *x; ///< the states at which it is evaluated
} view;

static void look(view *v, const foi_node *n, const foi_run *r)
{
    const foi_guest *g = n->extra;
    double *own = foi_own(n, r), *work = foi_work(n, r);
    v->g = g;
    v->type = g->system.type;
    v->x = n->state_count ? r->x + n->state : work;
    v->host = (fo_host){.resize = refuse_resize};
    v->message = (fo_message){0};
    v->s = (fo_state){.t = r->t,
                      .k = r->s ? r->s->k : 0,
                      .x = n->state_count && r->x_new ? r->x_new + n->state : work,
                      .d = own + g->discretes,
                      .u = work,
                      .p = g->p,
                      .memory = aligned(own + g->memory),
                      .scratch = aligned(work + g->scratch),
                      .shape = g->shape,
                      .seed = (r->s ? r->s->seed : 0) + 0x9e3779b97f4a7c15u * (n->index + 1),
                      .message = &v->message,
                      .host = &v->host,
                      .stop = r->s ? r->s->stop : INFINITY};
}

static void take_inputs(const foi_node *n, const foi_run *r)
{
    double *u = foi_work(n, r);
    for (uint32_t i = 0; i < n->input_count; i++) u[i] = foi_in(n, r, i).data[0];
}

static void take_start_inputs(const foi_node *n, const foi_run *r)
{
    const foi_guest *g = n->extra;
    double *u = foi_work(n, r);
    for (uint32_t i = 0; i < n->input_count; i++) u[i] = g->system.about->inputs.list[i].start;
}

// What the guest says becomes the node's words.
static bool went_well(const foi_node *n, foi_run *r, const view *v, fo_status status)
{
    if (fo_failed(status))
        foi_run_refuse(r, n, "%s", v->message.text[0] ? v->message.text : "the model fails");
    return !fo_failed(status);
}

// ------------------------------------------------------------------------------------ what it does

// x holds start values. Discretes and memory begin anew.
static void begin(const foi_node *n, foi_run *r)
{
    view v;
    look(&v, n, r);
    fo_variables list = v.g->system.about->discretes;
    for (uint32_t i = 0; i < v.g->shape.discretes; i++)
        v.s.d[i] = i < list.count ? list.list[i].start : 0;
    memset(v.s.memory, 0, v.g->shape.memory);
    if (v.g->kept) memcpy(v.s.x, foi_own(n, r) + v.g->start, v.g->kept * sizeof(double));
    if (n->input_count) memcpy(foi_own(n, r) + v.g->used, v.s.u, n->input_count * sizeof(double));
    if (v.type->start) went_well(n, r, &v, v.type->start(v.g->system.model, &v.s));
}

void foi_guest_start(const foi_node *n, foi_run *r)
{
    const foi_guest *g = n->extra;
    if (g->kept) memcpy(foi_own(n, r) + g->start, r->x_new + n->state, g->kept * sizeof(double));
    take_start_inputs(n, r);
    begin(n, r);
}

// Where no output depends directly on an input, inputs may not be known yet.
void foi_guest_output(const foi_node *n, foi_run *r)
{
    view v;
    look(&v, n, r);
    if (!n->output_count) return;
    double *y = foi_work(n, r) + v.g->outputs;
    if (v.g->through)
        take_inputs(n, r);
    else
        take_start_inputs(n, r);
    if (v.g->shape.outputs && v.type->observe)
        went_well(n, r, &v, v.type->observe(v.g->system.model, &v.s, r->t, v.x, y));
    for (uint32_t i = 0; i < n->output_count; i++) {
        fo_reference which = v.g->ports[i];
        const double *from = which.quantity == FO_STATE    ? v.x
                             : which.quantity == FO_OUTPUT ? y
                                                           : v.s.d;
        foi_out(n, r, i).data[0] = from[which.index];
    }
}

void foi_guest_rates(const foi_node *n, foi_run *r, double *dx)
{
    view v;
    look(&v, n, r);
    take_inputs(n, r);
    went_well(n, r, &v, v.type->rates(v.g->system.model, &v.s, r->t, v.x, dx));
}

void foi_guest_watch(const foi_node *n, foi_run *r)
{
    view v;
    look(&v, n, r);
    double *g = foi_work(n, r) + v.g->guards;
    bool *c = (bool *)(foi_work(n, r) + v.g->conditions);
    const void *model = v.g->system.model;
    take_inputs(n, r);
    if (r->settling && v.type->settle) went_well(n, r, &v, v.type->settle(model, &v.s, r->t, v.x));
    if (v.g->shape.guards && went_well(n, r, &v, v.type->guards(model, &v.s, r->t, v.x, g)))
        memcpy(r->guards + n->guard, g, v.g->shape.guards * sizeof *g);
    if (v.g->shape.conditions && went_well(n, r, &v, v.type->conditions(model, &v.s, r->t, v.x, c)))
        for (uint32_t i = 0; i < v.g->shape.conditions; i++)
            r->guards[n->guard + v.g->shape.guards + i] = c[i] ? 1 : -1;
}

/// The path of the diagram, as the guest sees it.
typedef struct guest_path {
    const foi_node *n;
    foi_run *r;
    const fo_path *path;
} guest_path;

static void guest_at(void *self, double t, double *x, double *dx)
{
    const guest_path *p = self;
    p->path->at(p->path->self, t, x, dx);
    take_inputs(p->n, p->r);
}

void foi_guest_record(const foi_node *n, foi_run *r, const fo_path *path)
{
    view v;
    look(&v, n, r);
    v.s.x = (double *)v.x;
    guest_path self = {n, r, path};
    fo_path its = *path;
    its.self = &self, its.at = guest_at;
    take_inputs(n, r);
    went_well(n, r, &v, v.type->record(v.g->system.model, &v.s, &its));
}

// Of its conditions nothing is held: they are guards that jump.
void foi_guest_signs(const foi_node *n, foi_run *r, uint8_t *signs)
{
    view v;
    look(&v, n, r);
    memset(signs, 0, n->guard_count);
    if (v.type->held) v.type->held(v.g->system.model, &v.s, signs);
}

// ----------------------------------------------------------------------------------------- moments

// True when something changed.
static bool jump(const foi_node *n, foi_run *r, view *v, fo_moment m)
{
    fo_effect e = {0};
    bool changed = false;
    m.t = r->t;
    m.k = v->s.k;
    for (int i = 0; i < MAX_AGAIN; i++) {
        e = (fo_effect){0};
        if (!went_well(n, r, v, v->type->jump(v->g->system.model, &v->s, &m, &e))) return true;
        changed = changed || !e.unchanged;
        if (e.stop) r->stop = true;
        if (!e.again) return changed;
        m = (fo_moment){.kind = FO_AGAIN, .t = r->t, .k = m.k + 1};
    }
    foi_run_refuse(r, n, "the event iteration of the model does not end");
    return true;
}

// The guest's guards among those that pass zero at the instant. More than there is room for are
// left to their own moments.
enum { MOST_CROSSINGS = 64 };

static uint32_t crossings_of(const foi_node *n, const foi_run *r, fo_crossing *mine)
{
    const foi_guest *g = n->extra;
    const fo_moment *m = r->moment;
    uint32_t count = 0;
    for (uint32_t i = 0; m && i < m->with_count && count < MOST_CROSSINGS; i++) {
        if (m->with[i].guard < n->guard || m->with[i].guard - n->guard >= g->shape.guards) continue;
        mine[count] = m->with[i];
        mine[count++].guard -= n->guard;
    }
    return count;
}

bool foi_guest_fire(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    if (index == UINT32_MAX) return false; // the start
    view v;
    look(&v, n, r);
    bool guard = index < v.g->shape.guards;
    uint32_t own = guard ? index : index - v.g->shape.guards;
    fo_guards list = guard ? v.g->system.about->guards : v.g->system.about->conditions;
    fo_direction wanted = own < list.count ? list.list[own].direction : FO_EITHER;
    if (!v.type->jump || (wanted != FO_EITHER && wanted != direction)) return false;
    take_inputs(n, r);
    fo_crossing with[MOST_CROSSINGS];
    uint32_t count = crossings_of(n, r, with);
    return jump(n, r, &v,
                (fo_moment){.kind = guard ? FO_GUARD : FO_CONDITION,
                            .index = own,
                            .direction = direction,
                            .slack = r->slack,
                            .with = with,
                            .with_count = count,
                            .name = own < list.count ? list.list[own].name : NULL});
}

double foi_guest_next(const foi_node *n, const foi_run *r, double t)
{
    view v;
    (void)t;
    look(&v, n, r);
    return v.type->next ? v.type->next(v.g->system.model, &v.s).t : INFINITY;
}

// At the start the guest begins anew when its inputs turn out to be others than it began with.
static bool start_again(const foi_node *n, foi_run *r)
{
    const foi_guest *g = n->extra;
    const double *used = foi_own(n, r) + g->used, *u = foi_work(n, r);
    take_inputs(n, r);
    if (!n->input_count || !g->system.type->start) return false;
    if (memcmp(used, u, n->input_count * sizeof *u) == 0) return false;
    begin(n, r);
    return true;
}

bool foi_guest_happen(const foi_node *n, foi_run *r)
{
    view v;
    if (r->starting && start_again(n, r)) return true;
    look(&v, n, r);
    if (!v.type->next || !v.type->jump) return false;
    fo_next next = v.type->next(v.g->system.model, &v.s);
    if (!(next.t <= r->t)) return false;
    take_inputs(n, r);
    return jump(n, r, &v, (fo_moment){.kind = FO_SCHEDULED, .index = next.index});
}

// What the guest keeps of its numbers (the account of energy, samples to come) follows the set.
void foi_guest_told(const foi_node *n, foi_run *r)
{
    view v;
    look(&v, n, r);
    if (!v.type->hears_sets || !v.type->jump) return;
    take_inputs(n, r);
    jump(n, r, &v, (fo_moment){.kind = FO_SET, .name = "set"});
}
