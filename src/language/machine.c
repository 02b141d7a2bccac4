/// State machines (Modelica 3.6, chapter 17): what the text says about them.
///
/// An instance of a block that a `transition` or `initialState` names is a state; those that
/// transitions join are a machine. A machine may lie in a state of another one, and several may lie
/// beside each other. What they mean is in machine_flow.c.
#include <stdlib.h>
#include <string.h>

#include "language/machine.h"

// ------------------------------------------------------------------------------- what is collected

void foi_machines_begin(foi_session *s)
{
    static const char *const words[] = {"transition", "initialState", "activeState", "ticksInState",
                                        "timeInState"};
    bool named = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        named |= foi_names_have(&s->names, words[i]);
    if (named) s->machines = foi_arena_new(&s->arena, 1, sizeof *s->machines);
}

static struct foi_machine_mark here(const foi_session *s)
{
    return (struct foi_machine_mark){s->main.count, s->main.assert_count, s->flat->when_count,
                                     s->flat->algorithm_count};
}

uint32_t foi_machine_open(foi_session *s, const foi_instance *instance)
{
    foi_machines *m = s->machines;
    foi_machine_span *span = foi_arena_add(&s->arena, &m->spans, &m->span_count, sizeof *span);
    if (!span) return UINT32_MAX;
    *span = (foi_machine_span){.instance = instance, .from = here(s)};
    return m->span_count - 1;
}

void foi_machine_close(foi_session *s, uint32_t span)
{
    if (span != UINT32_MAX) s->machines->spans[span].to = here(s);
}

uint32_t foi_machine_state_of(const foi_machines *m, const foi_instance *instance)
{
    for (uint32_t i = 0; i < m->state_count; i++)
        if (m->states[i].instance == instance) return i;
    return FOI_NO_STATE;
}

uint32_t foi_machine_around(const foi_machines *m, const foi_instance *instance)
{
    uint32_t state = FOI_NO_STATE;
    for (; instance && state == FOI_NO_STATE;
         instance = instance->parent ? instance->parent->parent : NULL)
        state = foi_machine_state_of(m, instance);
    return state;
}

// The one instance that an argument names, of a class that can be a state.
static const foi_instance *instance_of(foi_session *s, const foi_context *ctx, const foi_ast *e,
                                       const char *operator)
{
    foi_port *ports = NULL;
    uint32_t count = 0;
    bool outside, absent = false;
    if (e->kind != FOI_AST_REF || !ctx->self) {
        foi_error(s, e->place, "'%s' needs a state: an instance of a block", operator);
        return NULL;
    }
    if (!foi_expand_ports(s, ctx, e->ref, &ports, &count, &outside, &absent)) return NULL;
    const foi_instance *in = count == 1 && !absent ? ports[0].instance : NULL;
    if (in && in->c->kind <= FOI_CLASS_BLOCK) return in;
    foi_error(s, e->place,
              "'%s' needs a state, which is one instance of a block: '%s' is %s%s", operator,
              e->ref->parts[e->ref->count - 1].name,
              absent      ? "not there"
              : count > 1 ? "an array"
              : in        ? "a "
                          : "a variable",
              in ? foi_class_word(in->c) : "");
    return NULL;
}

static bool add_state(foi_session *s, const foi_context *ctx, const foi_ast *e,
                      const char *operator, uint32_t * state)
{
    foi_machines *m = s->machines;
    const foi_instance *in = instance_of(s, ctx, e, operator);
    if (!in) return false;
    *state = foi_machine_state_of(m, in);
    if (*state != FOI_NO_STATE) return true;
    foi_machine_state *slot = foi_arena_add(&s->arena, &m->states, &m->state_count, sizeof *slot);
    if (!slot) return false;
    *slot = (foi_machine_state){.instance = in, .place = e->place, .above = FOI_NO_STATE};
    *state = m->state_count - 1;
    return true;
}

static bool option(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t at,
                   const char *name, bool *value)
{
    const foi_ast *given = foi_call_argument(e, at, name);
    double known = *value;
    if (given && !foi_expand_known(s, ctx, given, FOI_BOOLEAN, name, &known)) return false;
    *value = known != 0;
    return true;
}

static bool add_transition(foi_session *s, const foi_context *ctx, const foi_ast *e)
{
    static const char *const names[] = {"from",  "to",          "condition", "immediate",
                                        "reset", "synchronize", "priority"};
    foi_machines *m = s->machines;
    foi_machine_transition t = {.place = e->place, .immediate = true, .reset = true};
    const foi_ast *from = foi_call_argument(e, 0, "from"), *to = foi_call_argument(e, 1, "to");
    const foi_ast *condition = foi_call_argument(e, 2, "condition");
    const foi_ast *priority = foi_call_argument(e, 6, "priority");
    double level = 1;
    if (!from || !to || !condition || e->count > 7)
        return foi_error(s, e->place, "'transition' needs two states and a condition");
    for (uint32_t i = 0; e->names && i < e->count; i++) {
        bool known = !e->names[i];
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            known |= e->names[i] && strcmp(e->names[i], names[k]) == 0;
        if (!known)
            return foi_error(s, e->items[i]->place, "'transition' has no argument '%s'",
                             e->names[i]);
    }
    if (!add_state(s, ctx, from, "transition", &t.from) ||
        !add_state(s, ctx, to, "transition", &t.to) ||
        !foi_expand_scalar(s, ctx, condition, FOI_BOOLEAN, "the condition of a transition",
                           &t.condition) ||
        !option(s, ctx, e, 3, "immediate", &t.immediate) ||
        !option(s, ctx, e, 4, "reset", &t.reset) ||
        !option(s, ctx, e, 5, "synchronize", &t.synchronize))
        return false;
    if (priority && !foi_expand_known(s, ctx, priority, FOI_INTEGER, "priority", &level))
        return false;
    if (!(level >= 1 && level <= INT32_MAX))
        return foi_error(s, priority->place, "the priority of a transition must be at least 1");
    t.priority = (uint32_t)level;
    foi_machine_transition *slot =
        foi_arena_add(&s->arena, &m->transitions, &m->transition_count, sizeof *slot);
    if (slot) *slot = t;
    return slot;
}

bool foi_machine_equation(foi_session *s, const foi_context *ctx, const foi_ast *e, bool *handled)
{
    const char *name = e->ref->parts[0].name;
    bool initial = strcmp(name, "initialState") == 0;
    *handled = e->ref->count == 1 && (initial || strcmp(name, "transition") == 0) &&
               !foi_is_shadowed(s, ctx->lexical, name);
    if (!*handled) return false;
    if (ctx->in_initial || ctx->in_when || ctx->in_clocked)
        return foi_error(s, e->place, "'%s' is not allowed %s", name,
                         ctx->in_initial ? "among initial equations" : "inside of 'when'");
    if (s->sink != &s->main)
        return foi_error(s, e->place,
                         "'%s' in an if-equation needs a condition that is known before the run",
                         name);
    s->clocked = true;
    if (!initial) return add_transition(s, ctx, e);
    uint32_t state;
    if (e->count != 1) return foi_error(s, e->place, "'initialState' needs one state");
    if (!add_state(s, ctx, e->items[0], name, &state)) return false;
    if (s->machines->states[state].initial)
        return foi_error(s, e->place, "'%s' is said to be an initial state twice",
                         s->machines->states[state].instance->name);
    s->machines->states[state].initial = true;
    s->machines->states[state].place = e->place;
    return true;
}

foi_flat_variable *foi_machine_variable(foi_session *s, foi_place place, const char *what,
                                        const char *name, foi_flat_type type,
                                        const foi_flat_expr *start)
{
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    if (!v || !slot) return NULL;
    v->name = foi_arena_print(&s->flat->arena, what, name);
    v->type = type, v->variability = type == FOI_REAL ? FOI_CONTINUOUS : FOI_DISCRETE;
    v->index = s->variable_count - 1, v->is_protected = true, v->place = place, v->start = start;
    *slot = v;
    return v->name ? v : NULL;
}

foi_flat_variable *foi_machine_active(foi_session *s, const foi_instance *instance, foi_place place)
{
    foi_machines *m = s->machines;
    for (uint32_t i = 0; i < m->asked_count; i++)
        if (m->asked[i].instance == instance) return m->asked[i].variable;
    struct foi_machine_asked *slot =
        foi_arena_add(&s->arena, &m->asked, &m->asked_count, sizeof *slot);
    foi_flat_variable *v =
        slot ? foi_machine_variable(s, place, "activeState(%s)", instance->name, FOI_BOOLEAN, NULL)
             : NULL;
    if (v) *slot = (struct foi_machine_asked){instance, v, place};
    return v;
}

bool foi_machine_call(foi_session *s, const foi_context *ctx, const foi_ast *e, int operation,
                      foi_value *out)
{
    const char *name = e->ref->parts[0].name;
    bool active = operation == CLOCK_ACTIVE;
    if (e->count != active)
        return foi_error(s, e->place, active ? "'%s' needs one state" : "'%s' has no arguments",
                         name);
    if (!s->machines || (ctx->frame && ctx->frame->function) || (ctx->in_when && !active))
        return foi_error(s, e->place, "'%s' cannot be used here", name);
    if (!active) {
        foi_flat_type type = operation == CLOCK_TICKS ? FOI_INTEGER : FOI_REAL;
        *out = foi_scalar(foi_clock_make(s, operation, type, 0, NULL));
        return out->one;
    }
    const foi_instance *in = instance_of(s, ctx, e->items[0], name);
    foi_flat_variable *v = in ? foi_machine_active(s, in, e->items[0]->place) : NULL;
    s->clocked = true;
    if (v) *out = foi_scalar(foi_flat_of(s->flat, v));
    return v && out->one;
}

// --------------------------------------------------------------------------------------- machines

static const char *name_of(const foi_machines *m, uint32_t state)
{
    return m->states[state].instance->name;
}

// States that transitions join have one number, the smallest of theirs.
static bool join(foi_session *s, foi_machines *m, uint32_t *root)
{
    for (uint32_t i = 0; i < m->state_count; i++) root[i] = i;
    for (uint32_t i = 0; i < m->transition_count; i++) {
        const foi_machine_transition *t = &m->transitions[i];
        const foi_instance *a = m->states[t->from].instance, *b = m->states[t->to].instance;
        if (!a->parent || !b->parent || a->parent->parent != b->parent->parent)
            return foi_error(s, t->place,
                             "a transition joins states of one model: '%s' and '%s' lie in "
                             "different ones",
                             a->name, b->name);
        foi_unite(root, t->from, t->to);
    }
    return true;
}

// Each machine has one initial state.
static bool make_machines(foi_session *s, foi_machines *m, uint32_t *root)
{
    for (uint32_t i = 0; i < m->state_count; i++) {
        foi_machine_state *state = &m->states[i];
        const foi_instance *in = state->instance->parent ? state->instance->parent->parent : NULL;
        uint32_t top = foi_root_of(root, i);
        state->above = foi_machine_around(m, in);
        if (top == i) {
            foi_machine *add = foi_arena_add(&s->arena, &m->list, &m->count, sizeof *add);
            if (!add) return false;
            *add = (foi_machine){.above = state->above, .first = FOI_NO_STATE};
            state->machine = m->count - 1;
        }
        state->machine = m->states[top].machine;
        foi_machine *of = &m->list[state->machine];
        of->state_count++;
        if (!state->initial) continue;
        if (of->first != FOI_NO_STATE)
            return foi_error(s, state->place,
                             "a state machine has one initial state: transitions join '%s' and "
                             "'%s', and both are said to be it",
                             name_of(m, of->first), name_of(m, i));
        of->first = i;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t k = 0, next = 1;
        while (m->states[k].machine != i) k++;
        if (m->list[i].first == FOI_NO_STATE)
            return foi_error(s, m->states[k].place,
                             "the state machine with the state '%s' has no initial state: say "
                             "which one it is by 'initialState'",
                             name_of(m, k));
        for (; k < m->state_count; k++)
            if (m->states[k].machine == i) m->states[k].number = k == m->list[i].first ? 1 : ++next;
    }
    return true;
}

static int by_priority(const void *a, const void *b)
{
    const foi_machine_transition *x = *(foi_machine_transition *const *)a;
    const foi_machine_transition *y = *(foi_machine_transition *const *)b;
    if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
    return x < y ? -1 : x > y;
}

// The transitions of each machine, those of the smallest number first.
static bool sort_transitions(foi_session *s, foi_machines *m)
{
    for (uint32_t i = 0; i < m->transition_count; i++) {
        foi_machine_transition *t = &m->transitions[i];
        foi_machine *of = &m->list[m->states[t->from].machine];
        foi_machine_transition **slot =
            foi_arena_add(&s->arena, &of->transitions, &of->transition_count, sizeof *slot);
        if (!slot) return false;
        *slot = t;
    }
    for (uint32_t k = 0; k < m->count; k++) {
        foi_machine_transition **list = m->list[k].transitions;
        uint32_t count = m->list[k].transition_count;
        if (count) qsort(list, count, sizeof(foi_machine_transition *), by_priority);
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t j = i; j-- > 0 && list[j]->priority == list[i]->priority;)
                if (list[i]->from == list[j]->from)
                    return foi_error(s, list[i]->place,
                                     "two transitions leave '%s' with priority %u (the other is in "
                                     "line %u): they must differ",
                                     name_of(m, list[i]->from), list[i]->priority,
                                     list[j]->place.line);
    }
    return true;
}

bool foi_form_machines(foi_session *s)
{
    foi_machines *m = s->machines;
    m->s = s, m->f = s->flat;
    uint32_t *root = foi_arena_new(&s->arena, m->state_count, sizeof *root);
    if (!root || !join(s, m, root) || !make_machines(s, m, root) || !sort_transitions(s, m))
        return false;
    for (uint32_t i = 0; i < m->span_count; i++) {
        uint32_t state = foi_machine_state_of(m, m->spans[i].instance);
        if (state != FOI_NO_STATE) m->states[state].span = &m->spans[i];
    }
    return foi_machine_own(m) && foi_machine_connect(m);
}

bool foi_resolve_machines(foi_session *s)
{
    return foi_machine_flow(s->machines);
}
