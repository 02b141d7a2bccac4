/// Which variables and equations belong to which state of a state machine, and which equation of a
/// state is for which variable.
#include "language/machine.h"

typedef const foi_flat_expr *expr;

// Is the state `inner`, or one around it, `state`?
bool foi_machine_lies_in(const foi_machines *w, uint32_t inner, uint32_t state)
{
    while (inner != FOI_NO_STATE && inner != state) inner = w->states[inner].above;
    return inner == state;
}

foi_flat_variable *foi_machine_meant(const foi_machines *w, foi_flat_variable *v)
{
    while (!v->local && v->index < w->variables && w->s->variables[v->index] == v &&
           w->stands[v->index])
        v = w->stands[v->index];
    return v;
}

uint32_t foi_machine_owner(const foi_machines *w, const foi_flat_variable *v)
{
    bool known = !v->local && v->index < w->variables && w->s->variables[v->index] == v;
    return known ? w->owner[v->index] : FOI_NO_STATE;
}

// ---------------------------------------------------------------------- what belongs to which
// state

// What is `outer output` in a state, records with all that is in them.
static bool add_outputs(foi_machines *w, foi_machine_state *state, const foi_component *c)
{
    if (!foi_enter(w->s, state->place)) return false;
    bool right = true;
    for (uint32_t k = 0; right && c->variables && k < c->count; k++) {
        foi_flat_variable **slot =
            foi_arena_add(&w->s->arena, &state->outputs, &state->output_count, sizeof *slot);
        if ((right = slot)) *slot = c->variables[k];
    }
    for (uint32_t k = 0; right && c->elements && k < c->count; k++) {
        const foi_instance *in = c->elements[k];
        for (uint32_t i = 0; right && i < in->c->member_count; i++)
            right = add_outputs(w, state, &in->components[i]);
    }
    w->s->depth--;
    return right;
}

// What is `inner outer` is another name of what is around, records part by part.
static bool stand_for(foi_machines *w, foi_place place, const foi_component *c,
                      const foi_component *named)
{
    if (!foi_enter(w->s, place)) return false;
    bool right = true;
    for (uint32_t k = 0; c->variables && named->variables && k < c->count && k < named->count; k++)
        w->stands[c->variables[k]->index] = named->variables[k];
    for (uint32_t k = 0;
         right && c->elements && named->elements && k < c->count && k < named->count; k++) {
        const foi_instance *in = c->elements[k], *of = named->elements[k];
        for (uint32_t i = 0; right && i < in->c->member_count; i++) {
            const foi_component *part =
                foi_component_of(of, in->components[i].member->declaration->name);
            if (part) right = stand_for(w, place, &in->components[i], part);
        }
    }
    w->s->depth--;
    return right;
}

// The variables of a state; those of states in it are noted later.
static bool own(foi_machines *w, uint32_t number, const foi_instance *in)
{
    foi_machine_state *state = &w->states[number];
    if (!foi_enter(w->s, state->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        const foi_declaration *d = c->member->declaration;
        foi_component *named = d->outer ? foi_named(w->s, c) : NULL;
        if (d->outer && !named) return w->s->depth--, false;
        if (d->outer && d->causality == FOI_OUTPUT) right = add_outputs(w, state, named);
        if (c->absent || foi_is_outer(c)) continue;
        for (uint32_t k = 0; c->variables && k < c->count; k++) {
            uint32_t v = c->variables[k]->index;
            uint32_t known = w->owner[v];
            if (known == FOI_NO_STATE || foi_machine_lies_in(w, number, known))
                w->owner[v] = number;
        }
        if (right && d->outer && d->inner) right = stand_for(w, state->place, c, named);
        for (uint32_t k = 0; right && c->elements && k < c->count; k++)
            right = own(w, number, c->elements[k]);
    }
    w->s->depth--;
    return right;
}

// What lies between the two belongs to the state, or to one in it.
void foi_machine_settle(const foi_machines *w, uint32_t *home, uint32_t from, uint32_t to,
                        uint32_t state)
{
    for (uint32_t i = from; i < to; i++)
        if (home[i] == FOI_NO_STATE || foi_machine_lies_in(w, state, home[i])) home[i] = state;
}

// A state has clocked equations and no others.
static bool check_contents(foi_machines *w)
{
    const foi_flat *f = w->f;
    for (uint32_t i = 0; i < w->state_count; i++) {
        const foi_machine_span *span = w->states[i].span;
        if (!span) continue;
        if (span->from.whens < span->to.whens)
            return foi_error(w->s, f->whens[span->from.whens].place,
                             "a 'when' of a condition in a state of a state machine: a state has "
                             "clocked equations only");
    }
    return true;
}

bool foi_machine_own(foi_machines *w)
{
    foi_arena *arena = &w->s->arena;
    w->variables = w->s->variable_count;
    w->owner = foi_arena_new(arena, w->variables, sizeof *w->owner);
    w->stands = foi_arena_new(arena, w->variables, sizeof(foi_flat_variable *));
    if (!w->owner || !w->stands) return false;
    for (uint32_t i = 0; i < w->variables; i++) w->owner[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->state_count; i++)
        if (!own(w, i, w->states[i].instance)) return false;
    return check_contents(w);
}

// ------------------------------------------------------------------ which equation is for which
// variable

/// Of a variable that an algorithm assigns.
static const uint32_t BY_ALGORITHM = UINT32_MAX;

static bool take_algorithms(foi_machines *w)
{
    foi_flat_variable **list = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->f->algorithm_count; i++)
        if (!foi_clock_targets(w->s, &w->f->algorithms[i].body, &list, &count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (list[i]->index < w->variables) w->by[list[i]->index] = BY_ALGORITHM;
    return true;
}

static bool is_output(const foi_machines *w, uint32_t state, const foi_flat_variable *v)
{
    const foi_machine_state *of_it = &w->states[state];
    for (uint32_t i = 0; i < of_it->output_count; i++)
        if (foi_machine_meant(w, of_it->outputs[i]) == v) return true;
    return false;
}

// The variable that stands alone on a side of an equation; NULL: there is none.
static foi_flat_variable *alone(const foi_machines *w, expr side)
{
    if (side->op != FOI_OP_VARIABLE) return NULL;
    foi_flat_variable *v = foi_machine_meant(w, side->variable);
    return v->local || v->variability <= FOI_PARAMETER ? NULL : v;
}

static bool is_inside(const foi_machines *w, const foi_flat_variable *v, uint32_t state)
{
    uint32_t owner = v ? foi_machine_owner(w, v) : FOI_NO_STATE;
    return owner != FOI_NO_STATE && foi_machine_lies_in(w, owner, state);
}

static bool take(foi_machines *w, uint32_t equation, const foi_flat_variable *v)
{
    if (!is_inside(w, v, w->home[equation]) || w->by[v->index]) return false;
    w->by[v->index] = equation + 1, w->solves[equation] = v->index + 1;
    return true;
}

static bool give(foi_machines *w, uint32_t i, foi_flat_variable *v, expr value)
{
    struct foi_machine_giving *g =
        foi_arena_add(&w->s->arena, &w->givings, &w->giving_count, sizeof *g);
    if (!g) return false;
    *g = (struct foi_machine_giving){v, w->home[i], value, i, w->s->main.equations[i].place};
    return w->gone[i] = true;
}

// Equations that are written for a variable: x = e.
static bool take_written(foi_machines *w, uint32_t i)
{
    const foi_flat_equation e = w->s->main.equations[i];
    uint32_t state = w->home[i];
    foi_flat_variable *left = alone(w, e.left), *right = alone(w, e.right);
    if (take(w, i, left)) return true;
    if (left && !is_inside(w, left, state) && is_output(w, state, left))
        return give(w, i, left, e.right);
    if (take(w, i, right)) return true;
    if (right && !is_inside(w, right, state) && is_output(w, state, right))
        return give(w, i, right, e.left);
    if (!left || is_inside(w, left, state) || is_inside(w, right, state)) return true;
    return foi_error(w->s, e.place,
                     "'%s' is declared outside of the state '%s': only what is 'outer output' "
                     "there can be assigned in it",
                     left->name, w->states[state].instance->name);
}

static bool augment(foi_machines *w, uint32_t equation, uint32_t *seen, uint32_t turn);

// Tries the variables of an expression for an equation that has none.
static bool search(foi_machines *w, uint32_t equation, expr e, uint32_t *seen, uint32_t turn)
{
    if (foi_is_clock_call(e)) return false;
    if (e->op == FOI_OP_VARIABLE) {
        const foi_flat_variable *v = alone(w, e);
        if (!is_inside(w, v, w->home[equation]) || seen[v->index] == turn) return false;
        seen[v->index] = turn;
        if (w->by[v->index] == BY_ALGORITHM) return false;
        if (w->by[v->index] && !augment(w, w->by[v->index] - 1, seen, turn)) return false;
        w->by[v->index] = equation + 1, w->solves[equation] = v->index + 1;
        return true;
    }
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (search(w, equation, foi_clock_argument(e, i), seen, turn)) return true;
    return false;
}

static bool augment(foi_machines *w, uint32_t equation, uint32_t *seen, uint32_t turn)
{
    const foi_flat_equation *e = &w->s->main.equations[equation];
    if (!foi_enter(w->s, e->place)) return false;
    bool found =
        search(w, equation, e->left, seen, turn) || search(w, equation, e->right, seen, turn);
    w->s->depth--;
    return found;
}

// The state in which a connection lies: the innermost one around all that it connects.
static uint32_t common(const foi_machines *w, expr e, uint32_t state, bool *any)
{
    if (e->op == FOI_OP_VARIABLE) {
        uint32_t owner = foi_machine_owner(w, foi_machine_meant(w, e->variable));
        if (!*any) return *any = true, owner;
        while (state != FOI_NO_STATE && !foi_machine_lies_in(w, owner, state))
            state = w->states[state].above;
        return state;
    }
    for (uint32_t i = 0; i < e->count; i++) state = common(w, e->arguments[i], state, any);
    return state;
}

bool foi_machine_solve(foi_machines *w)
{
    foi_arena *arena = &w->s->arena;
    w->equations = w->s->main.count;
    w->by = foi_arena_new(arena, w->variables, sizeof *w->by);
    w->home = foi_arena_new(arena, w->equations, sizeof *w->home);
    w->solves = foi_arena_new(arena, w->equations, sizeof *w->solves);
    w->gone = foi_arena_new(arena, w->equations, sizeof *w->gone);
    uint32_t *seen = foi_arena_new(arena, w->variables, sizeof *seen), turn = 0;
    if (!w->by || !w->home || !w->solves || !w->gone || !seen) return false;
    for (uint32_t i = 0; i < w->equations; i++) w->home[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->state_count; i++) {
        const foi_machine_span *span = w->states[i].span;
        if (span) foi_machine_settle(w, w->home, span->from.equations, span->to.equations, i);
    }
    for (uint32_t i = 0; i < w->equations; i++) {
        bool any = false;
        if (foi_machine_is_written(w, i)) continue;
        uint32_t state = common(w, w->s->main.equations[i].left, FOI_NO_STATE, &any);
        w->home[i] = common(w, w->s->main.equations[i].right, state, &any);
    }
    if (!take_algorithms(w)) return false;
    for (uint32_t i = 0; i < w->equations; i++)
        if (w->home[i] != FOI_NO_STATE && foi_machine_is_written(w, i) && !take_written(w, i))
            return false;
    for (uint32_t i = 0; i < w->equations; i++)
        if (w->home[i] != FOI_NO_STATE && !w->gone[i] && !w->solves[i]) augment(w, i, seen, ++turn);
    return !w->s->messages->full;
}

// ---------------------------------------------------------- several outputs connected to one input

/// An output of a state among the sources of a set.
typedef struct source {
    uint32_t set, node, state;
} source;

static bool add_source(foi_machines *w, uint32_t set, uint32_t node, source **list, uint32_t *count)
{
    uint32_t state = foi_machine_owner(w, w->s->variables[node / 2]);
    if (state == FOI_NO_STATE) return true; // two sources: said later, if there are two
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i].node == node) return true;
    source *slot = foi_arena_add(&w->s->arena, list, count, sizeof *slot);
    if (slot) *slot = (source){set, node, state};
    return slot;
}

// The output of the active one: v, and connections to it instead of to each of them.
static bool merge_sources(foi_machines *w, const source *list, uint32_t count, uint32_t set)
{
    foi_session *s = w->s;
    foi_flat_variable *v = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].set != set) continue;
        foi_flat_variable *y = s->variables[list[i].node / 2];
        if (!v)
            v = foi_machine_variable(s, y->place, "(of the active state: %s)", y->name, y->type,
                                     y->start);
        struct foi_machine_giving *g =
            foi_arena_add(&s->arena, &w->givings, &w->giving_count, sizeof *g);
        if (!v || !g) return false;
        *g = (struct foi_machine_giving){v, list[i].state, foi_flat_of(s->flat, y), UINT32_MAX,
                                         y->place};
        for (uint32_t k = 0; k < s->connection_count; k++) {
            foi_connection *c = &s->connections[k];
            if (c->a == list[i].node) c->a = v->index * 2;
            if (c->b == list[i].node) c->b = v->index * 2;
        }
    }
    return true;
}

bool foi_machine_connect(foi_machines *w)
{
    foi_session *s = w->s;
    uint32_t nodes = s->variable_count * 2, count = 0;
    uint32_t *parent = foi_arena_new(&s->arena, nodes, sizeof *parent);
    source *list = NULL;
    if (!parent) return false;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i;
    for (uint32_t i = 0; i < s->connection_count; i++)
        if (!s->connections[i].flow && !s->connections[i].stream)
            foi_unite(parent, s->connections[i].a, s->connections[i].b);
    for (uint32_t i = 0; i < s->connection_count; i++) {
        const foi_connection *c = &s->connections[i];
        if (c->flow || c->stream) continue;
        uint32_t set = foi_root_of(parent, c->a);
        if (c->a_source && !add_source(w, set, c->a, &list, &count)) return false;
        if (c->b_source && !add_source(w, set, c->b, &list, &count)) return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool first = true, other = false;
        for (uint32_t k = 0; k < count; k++) {
            if (list[k].set != list[i].set) continue;
            first &= k >= i;
            other |= k != i && list[k].state != list[i].state;
        }
        if (first && other && !merge_sources(w, list, count, list[i].set)) return false;
    }
    return true;
}
