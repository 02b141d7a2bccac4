/// What state machines mean: clocked equations (Modelica 3.6, section 17.3).
///
/// A machine is the number of its active state. At a tick, when it is active itself (that of the
/// model always is, one in a state when that state is) and does not begin anew,
///
///     fired = the first transition from previous(at) whose condition holds, or did at the last
///             tick, where it is delayed; 0: none
///     at    = the state to which it leads, or previous(at)
///
/// An equation x = e of a state holds while that is active; otherwise x = previous(x). A variable
/// around, `outer output` in several states, gets one equation of all theirs:
///
///     v = if activeState(a) then e1 elseif activeState(b) then e2 else previous(v)
///
/// and `inner outer output` between them is another name of it. A state begins anew when a
/// transition with reset leads to it, or when it is active for the first time after its machine has
/// begun anew: then previous(x), of an x that is declared in it, is the start value of x.
#include "language/machine.h"

typedef const foi_flat_expr *expr;

/// The conversion of one model.
typedef struct flow {
    foi_session *s;
    foi_machines *m;
    foi_flat *f;
    uint32_t count;             ///< variables of the text
    uint32_t *owner;            ///< of each: the innermost state that it is declared in
    foi_flat_variable **stands; ///< of each: the one that it is another name of, or NULL
    uint32_t equations;         ///< of the text
    uint32_t *home;             ///< of each: the innermost state that it is written in
    uint32_t *solves;           ///< of each: 1 + the variable that it is for; 0: none
    uint32_t *by;               ///< of each variable: 1 + the equation that is for it
    bool *gone;                 ///< of each equation
    struct giving {
        foi_flat_variable *v;
        uint32_t state;
        expr value;
        uint32_t equation;
        foi_place place;
    } * givings; ///< what states give to variables around
    uint32_t giving_count;
} flow;

/// Where an expression stands.
typedef struct spot {
    flow *w;
    uint32_t state;          ///< FOI_NO_STATE: in none
    foi_machine *machine;    ///< of ticksInState; NULL: that of the state
    const bool immediate;    ///< in the condition of an immediate transition
    foi_place place;
} spot;

static const char *name_of(const flow *w, uint32_t state)
{
    return w->m->states[state].instance->name;
}

// Is the state `inner`, or one around it, `state`?
static bool lies_in(const flow *w, uint32_t inner, uint32_t state)
{
    while (inner != FOI_NO_STATE && inner != state) inner = w->m->states[inner].above;
    return inner == state;
}

// ------------------------------------------------------------------------------------ expressions

static expr of(flow *w, foi_flat_variable *v)
{
    return v ? foi_flat_of(w->f, v) : NULL;
}

static expr number(flow *w, uint32_t value)
{
    return foi_flat_integer(w->f, value);
}

static expr last(flow *w, foi_flat_variable *v)
{
    expr x = of(w, v);
    return x ? foi_clock_make(w->s, CLOCK_PREVIOUS, v->type, 1, &x) : NULL;
}

static expr is(flow *w, expr x, uint32_t value)
{
    return foi_flat_binary(w->f, FOI_OP_EQUAL, x, number(w, value));
}

// a and b, where a may be known to be true.
static expr both(flow *w, expr a, expr b)
{
    return a && a->op == FOI_OP_LITERAL && a->number ? b : foi_flat_binary(w->f, FOI_OP_AND, a, b);
}

static expr either(flow *w, expr a, expr b)
{
    return foi_flat_binary(w->f, FOI_OP_OR, a, b);
}

// if a then b else c, where a may be known to be true.
static expr choose(flow *w, expr a, expr b, expr c)
{
    return a && a->op == FOI_OP_LITERAL && a->number ? b : foi_flat_if(w->f, a, b, c);
}

static expr start_of(flow *w, const foi_flat_variable *v)
{
    if (v->start) return v->start;
    foi_flat_expr *zero = foi_flat_real(w->f, 0);
    if (zero) zero->type = v->type;
    return zero;
}

static bool add(flow *w, foi_place place, expr left, expr right)
{
    foi_sink *sink = &w->s->main;
    foi_flat_equation *e =
        left && right
            ? foi_arena_add(&w->s->flat->arena, &sink->equations, &sink->count, sizeof *e)
            : NULL;
    if (e) *e = (foi_flat_equation){left, right, place};
    return e;
}

// -------------------------------------------------------------------------- variables of a machine

static foi_flat_variable *variable(flow *w, const foi_machine *m, const char *what,
                                   foi_flat_type type, expr start)
{
    return foi_machine_variable(w->s, w->m->states[m->first].place, what, name_of(w, m->first),
                                type, start);
}

// Is the machine active at this tick?
static expr active(flow *w, const foi_machine *m)
{
    return m->above == FOI_NO_STATE ? foi_flat_boolean(w->f, true)
                                    : of(w, w->m->states[m->above].active);
}

static foi_flat_variable *reset_of(flow *w, foi_machine_state *state);

// Does it begin anew at this tick?
static expr anew(flow *w, const foi_machine *m)
{
    return m->above == FOI_NO_STATE
               ? foi_clock_make(w->s, CLOCK_FIRST, FOI_BOOLEAN, 0, NULL)
               : of(w, reset_of(w, &w->m->states[m->above]));
}

// The state begins anew.
static foi_flat_variable *reset_of(flow *w, foi_machine_state *state)
{
    if (state->reset) return state->reset;
    const foi_machine *m = &w->m->list[state->machine];
    const char *name = state->instance->name;
    if (!foi_enter(w->s, state->place)) return NULL;
    state->reset =
        foi_machine_variable(w->s, state->place, "(reset of %s)", name, FOI_BOOLEAN, NULL);
    state->awaiting = foi_machine_variable(w->s, state->place, "(reset of %s awaited)", name,
                                           FOI_BOOLEAN, foi_flat_boolean(w->f, true));
    expr begins = state->awaiting ? either(w, anew(w, m), last(w, state->awaiting)) : NULL;
    expr elsewhere = foi_flat_unary(w->f, FOI_OP_NOT, is(w, of(w, m->at), state->number));
    expr *ways = foi_arena_new(&w->s->arena, m->transition_count + 1u, sizeof *ways);
    w->s->depth--;
    if (!state->reset || !begins || !elsewhere || !ways) return NULL;
    uint32_t count = 0;
    ways[count++] = begins;
    for (uint32_t i = 0; i < m->transition_count; i++)
        if (m->transitions[i]->reset && &w->m->states[m->transitions[i]->to] == state)
            ways[count++] = is(w, of(w, m->fired), m->transition_count - i);
    expr any = foi_join(w->s, FOI_OP_OR, ways, count);
    bool right = add(w, state->place, of(w, state->reset), both(w, of(w, state->active), any)) &&
                 add(w, state->place, of(w, state->awaiting),
                     choose(w, active(w, m), foi_flat_binary(w->f, FOI_OP_AND, elsewhere, begins),
                            last(w, state->awaiting)));
    return right ? state->reset : NULL;
}

static foi_flat_variable *entered_of(flow *w, foi_machine *m);

// A state around is entered, or the machine begins anew.
static expr around(flow *w, foi_machine *m)
{
    expr begins = anew(w, m);
    if (m->above == FOI_NO_STATE) return begins;
    return either(w, begins,
                  of(w, entered_of(w, &w->m->list[w->m->states[m->above].machine])));
}

static foi_flat_variable *entered_of(flow *w, foi_machine *m)
{
    if (m->entered) return m->entered;
    m->entered = variable(w, m, "(entry beside %s)", FOI_BOOLEAN, NULL);
    expr some = foi_flat_binary(w->f, FOI_OP_GREATER, of(w, m->fired), number(w, 0));
    expr way = m->entered ? either(w, around(w, m), some) : NULL;
    return add(w, w->m->states[m->first].place, of(w, m->entered), both(w, active(w, m), way))
               ? m->entered
               : NULL;
}

// How many ticks the active state has been it. In the condition of an immediate transition: what
// that is when none fires.
static expr ticks_of(flow *w, foi_machine *m, bool immediate)
{
    bool made = m->ticks != NULL;
    if (!made) m->ticks = variable(w, m, "(ticks beside %s)", FOI_INTEGER, number(w, 0));
    if (!m->ticks) return NULL;
    expr one = number(w, 1), more = foi_flat_binary(w->f, FOI_OP_ADD, last(w, m->ticks), one);
    if (!made) {
        expr next = foi_flat_if(w->f, of(w, entered_of(w, m)), one, more);
        if (!add(w, w->m->states[m->first].place, of(w, m->ticks),
                 choose(w, active(w, m), next, last(w, m->ticks))))
            return NULL;
    }
    return immediate ? foi_flat_if(w->f, around(w, m), one, more) : of(w, m->ticks);
}

// For how long it has been it.
static expr stay_of(flow *w, foi_machine *m, bool immediate)
{
    expr now = foi_flat_time(w->f);
    if (!m->since) {
        m->since = variable(w, m, "(entry time beside %s)", FOI_REAL, foi_flat_real(w->f, 0));
        expr next = foi_flat_if(w->f, of(w, entered_of(w, m)), now, last(w, m->since));
        if (!m->since || !add(w, w->m->states[m->first].place, of(w, m->since), next)) return NULL;
    }
    if (!immediate) return foi_flat_binary(w->f, FOI_OP_SUBTRACT, now, of(w, m->since));
    return foi_flat_if(w->f, around(w, m), foi_flat_real(w->f, 0),
                       foi_flat_binary(w->f, FOI_OP_SUBTRACT, now, last(w, m->since)));
}

// -------------------------------------------------------------------------------------- rewriting

static foi_flat_variable *meant(const flow *w, foi_flat_variable *v)
{
    while (!v->local && v->index < w->count && w->s->variables[v->index] == v &&
           w->stands[v->index])
        v = w->stands[v->index];
    return v;
}

static uint32_t owner_of(const flow *w, const foi_flat_variable *v)
{
    bool known = !v->local && v->index < w->count && w->s->variables[v->index] == v;
    return known ? w->owner[v->index] : FOI_NO_STATE;
}

static bool needs_work(const flow *w, expr e)
{
    if (e->op == FOI_OP_VARIABLE) return meant(w, e->variable) != e->variable;
    int operation = foi_is_clock_call(e) ? (int)e->builtin : 0;
    if (operation == CLOCK_PREVIOUS || operation >= CLOCK_TICKS) return true;
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (needs_work(w, foi_clock_argument(e, i))) return true;
    return false;
}

static expr rewrite(spot *at, expr e);

static expr rewrite_argument(void *data, expr e, uint32_t i)
{
    return rewrite(data, foi_clock_argument(e, i));
}

// previous(x) inside of the state that x is declared in: when that begins anew, its start value.
static expr previous(spot *at, expr e)
{
    flow *w = at->w;
    expr x = e->arguments[0];
    if (x->op != FOI_OP_VARIABLE) return e; // said later
    foi_flat_variable *v = meant(w, x->variable);
    uint32_t owner = owner_of(w, v);
    expr before = last(w, v);
    if (owner == FOI_NO_STATE || !lies_in(w, at->state, owner)) return before;
    return foi_flat_if(w->f, of(w, reset_of(w, &w->m->states[owner])), start_of(w, v), before);
}

static expr rewrite(spot *at, expr e)
{
    flow *w = at->w;
    if (!e || !needs_work(w, e)) return e;
    if (e->op == FOI_OP_VARIABLE) return of(w, meant(w, e->variable));
    int operation = foi_is_clock_call(e) ? (int)e->builtin : 0;
    if (operation == CLOCK_PREVIOUS) return previous(at, e);
    if (operation >= CLOCK_TICKS) {
        foi_machine *m = at->machine;
        if (!m && at->state != FOI_NO_STATE) m = &w->m->list[w->m->states[at->state].machine];
        if (!m) {
            if (foi_lacks_outside(w->s)) return NULL;
            foi_error(w->s, at->place,
                      "'%s' can be used only in a state, and in the condition of a transition",
                      operation == CLOCK_TICKS ? "ticksInState" : "timeInState");
            return NULL;
        }
        return operation == CLOCK_TICKS ? ticks_of(w, m, at->immediate)
                                        : stay_of(w, m, at->immediate);
    }
    if (!foi_enter(w->s, at->place)) return NULL;
    expr out = foi_clock_copy(w->s, e, rewrite_argument, at);
    w->s->depth--;
    return out;
}

// ------------------------------------------------------------------------------------- the machine

// Of the transitions with this kind of condition the number of the first that may fire; 0: none.
static expr first_of(flow *w, const foi_machine *m, bool fires, uint32_t from, uint32_t to)
{
    if (to - from > 1) {
        uint32_t half = from + (to - from) / 2;
        expr two[] = {first_of(w, m, fires, from, half), first_of(w, m, fires, half, to)};
        if (!two[0] || !two[1]) return NULL;
        if (two[0]->op == FOI_OP_LITERAL) return two[1];
        return two[1]->op == FOI_OP_LITERAL ? two[0]
                                            : foi_flat_call_builtin(w->f, FOI_FN_MAX, 2, two);
    }
    const foi_machine_transition *t = m->transitions[from];
    uint32_t own = m->transition_count - from;
    expr none = number(w, 0), it = number(w, own);
    if (!fires && t->immediate) return none;
    if (fires && !t->immediate) return foi_flat_if(w->f, is(w, last(w, m->delayed), own), it, none);
    spot at = {w, m->above, (foi_machine *)m, t->immediate, t->place};
    expr condition = rewrite(&at, t->condition);
    for (uint32_t i = 0; t->synchronize && i < w->m->count; i++) { // machines inside: at an end
        const foi_machine *in = &w->m->list[i];
        for (uint32_t k = 0; in->above == t->from && k < in->transition_count; k++) {
            expr state = fires ? last(w, in->at) : of(w, in->at);
            uint32_t leaves = w->m->states[in->transitions[k]->from].number;
            condition = foi_flat_binary(
                w->f, FOI_OP_AND, foi_flat_unary(w->f, FOI_OP_NOT, is(w, state, leaves)),
                condition);
        }
    }
    expr here = fires ? last(w, m->at) : of(w, m->at);
    return foi_flat_if(w->f, is(w, here, w->m->states[t->from].number),
                       foi_flat_if(w->f, condition, it, none), none);
}

static bool make_variables(flow *w)
{
    for (uint32_t i = 0; i < w->m->count; i++) {
        foi_machine *m = &w->m->list[i];
        bool delays = false;
        for (uint32_t k = 0; k < m->transition_count; k++) delays |= !m->transitions[k]->immediate;
        m->at = variable(w, m, "(state beside %s)", FOI_INTEGER, number(w, 1));
        m->fired = variable(w, m, "(transition beside %s)", FOI_INTEGER, NULL);
        if (delays)
            m->delayed = variable(w, m, "(delayed transition beside %s)", FOI_INTEGER,
                                  number(w, 0));
        if (!m->at || !m->fired || (delays && !m->delayed)) return false;
    }
    for (uint32_t i = 0; i < w->m->state_count; i++) {
        foi_machine_state *state = &w->m->states[i];
        state->active = foi_machine_active(w->s, state->instance, state->place);
        if (!state->active) return false;
    }
    for (uint32_t i = 0; i < w->m->asked_count; i++)
        if (foi_machine_state_of(w->m, w->m->asked[i].instance) == FOI_NO_STATE)
            return foi_error(w->s, w->m->asked[i].place,
                             "'%s' is not a state: no transition leads to it or leaves it",
                             w->m->asked[i].instance->name);
    return true;
}

// The equations of at, fired, delayed and the states' activity.
static bool add_machine(flow *w, foi_machine *m)
{
    foi_place place = w->m->states[m->first].place;
    uint32_t n = m->transition_count;
    expr on = active(w, m), begins = anew(w, m), none = number(w, 0);
    expr *targets = foi_arena_new(&w->s->arena, n + 1u, sizeof *targets);
    if (!targets) return false;
    for (uint32_t i = 0; i < n; i++)
        targets[i] = foi_flat_if(w->f, is(w, of(w, m->fired), n - i),
                                 number(w, w->m->states[m->transitions[i]->to].number), none);
    expr fires = n ? first_of(w, m, true, 0, n) : none;
    expr old = last(w, m->at);
    expr to = n ? foi_join(w->s, FOI_OP_ADD, targets, n) : none;
    expr leads = foi_flat_binary(w->f, FOI_OP_GREATER, of(w, m->fired), none);
    bool right = add(w, place, of(w, m->fired),
                     choose(w, on, foi_flat_if(w->f, begins, none, fires), none)) &&
                 add(w, place, of(w, m->at),
                     choose(w, on,
                            foi_flat_if(w->f, begins, number(w, 1),
                                        foi_flat_if(w->f, leads, to, old)),
                            old));
    if (right && m->delayed)
        right = add(w, place, of(w, m->delayed),
                    choose(w, on, first_of(w, m, false, 0, n), last(w, m->delayed)));
    for (uint32_t i = 0; right && i < w->m->state_count; i++) {
        const foi_machine_state *state = &w->m->states[i];
        if (&w->m->list[state->machine] == m)
            right = add(w, state->place, of(w, state->active),
                        both(w, on, is(w, of(w, m->at), state->number)));
    }
    return right;
}

// ---------------------------------------------------------------------- what belongs to which state

// The variables of a state; those of states in it are noted later.
static bool own(flow *w, uint32_t number, const foi_instance *in)
{
    foi_machine_state *state = &w->m->states[number];
    if (!foi_enter(w->s, state->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        const foi_declaration *d = c->member->declaration;
        foi_component *named = d->outer ? foi_named(w->s, c) : NULL;
        if (d->outer && !named) return w->s->depth--, false;
        for (uint32_t k = 0; right && d->outer && d->causality == FOI_OUTPUT && named->variables &&
                             k < named->count;
             k++) {
            foi_flat_variable **slot = foi_arena_add(&w->s->arena, &state->outputs,
                                                     &state->output_count, sizeof *slot);
            if ((right = slot)) *slot = named->variables[k];
        }
        if (c->absent || foi_is_outer(c)) continue;
        for (uint32_t k = 0; c->variables && k < c->count; k++) {
            uint32_t v = c->variables[k]->index;
            uint32_t known = w->owner[v];
            if (known == FOI_NO_STATE || lies_in(w, number, known)) w->owner[v] = number;
            if (d->outer && d->inner && named->variables && k < named->count)
                w->stands[v] = named->variables[k];
        }
        for (uint32_t k = 0; right && c->elements && k < c->count; k++)
            right = own(w, number, c->elements[k]);
    }
    w->s->depth--;
    return right;
}

// What lies between the two belongs to the state, or to one in it.
static void settle(const flow *w, uint32_t *home, uint32_t from, uint32_t to, uint32_t state)
{
    for (uint32_t i = from; i < to; i++)
        if (home[i] == FOI_NO_STATE || lies_in(w, state, home[i])) home[i] = state;
}

// A state has clocked equations and no others.
static bool check_contents(flow *w)
{
    foi_flat *f = w->f;
    for (uint32_t i = 0; i < w->m->state_count; i++) {
        const foi_machine_span *span = w->m->states[i].span;
        if (!span) continue;
        if (span->from.whens < span->to.whens)
            return foi_error(w->s, f->whens[span->from.whens].place,
                             "a 'when' of a condition in a state of a state machine: a state has "
                             "clocked equations only");
        if (span->from.algorithms < span->to.algorithms)
            return foi_error(w->s, f->algorithms[span->from.algorithms].place,
                             "an algorithm in a state of a state machine is not supported: write "
                             "equations");
    }
    return true;
}

static bool begin(flow *w)
{
    foi_session *s = w->s;
    w->count = s->variable_count, w->equations = s->main.count;
    w->owner = foi_arena_new(&s->arena, w->count, sizeof *w->owner);
    w->stands = foi_arena_new(&s->arena, w->count, sizeof *w->stands);
    w->by = foi_arena_new(&s->arena, w->count, sizeof *w->by);
    w->home = foi_arena_new(&s->arena, w->equations, sizeof *w->home);
    w->solves = foi_arena_new(&s->arena, w->equations, sizeof *w->solves);
    w->gone = foi_arena_new(&s->arena, w->equations, sizeof *w->gone);
    if (!w->owner || !w->stands || !w->by || !w->home || !w->solves || !w->gone) return false;
    for (uint32_t i = 0; i < w->count; i++) w->owner[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->m->state_count; i++)
        if (!own(w, i, w->m->states[i].instance)) return false;
    for (uint32_t i = 0; i < w->equations; i++) w->home[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->m->state_count; i++) {
        const foi_machine_span *span = w->m->states[i].span;
        if (span) settle(w, w->home, span->from.equations, span->to.equations, i);
    }
    return check_contents(w) && make_variables(w);
}

// ------------------------------------------------------------------ which equation is for which variable

static bool is_output(const flow *w, uint32_t state, const foi_flat_variable *v)
{
    const foi_machine_state *of_it = &w->m->states[state];
    for (uint32_t i = 0; i < of_it->output_count; i++)
        if (meant(w, of_it->outputs[i]) == v) return true;
    return false;
}

// The variable that stands alone on a side of an equation; NULL: there is none.
static foi_flat_variable *alone(const flow *w, expr side)
{
    if (side->op != FOI_OP_VARIABLE) return NULL;
    foi_flat_variable *v = meant(w, side->variable);
    return v->local || v->variability <= FOI_PARAMETER ? NULL : v;
}

static bool is_inside(const flow *w, const foi_flat_variable *v, uint32_t state)
{
    uint32_t owner = v ? owner_of(w, v) : FOI_NO_STATE;
    return owner != FOI_NO_STATE && lies_in(w, owner, state);
}

static bool take(flow *w, uint32_t equation, const foi_flat_variable *v)
{
    if (!is_inside(w, v, w->home[equation]) || w->by[v->index]) return false;
    w->by[v->index] = equation + 1, w->solves[equation] = v->index + 1;
    return true;
}

static bool give(flow *w, uint32_t i, foi_flat_variable *v, expr value)
{
    spot at = {w, w->home[i], NULL, false, w->s->main.equations[i].place};
    struct giving *g = foi_arena_add(&w->s->arena, &w->givings, &w->giving_count, sizeof *g);
    if (!g) return false;
    *g = (struct giving){v, w->home[i], rewrite(&at, value), i, at.place};
    w->gone[i] = true;
    return g->value;
}

// Equations that are written for a variable: x = e.
static bool take_written(flow *w, uint32_t i)
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
                     left->name, name_of(w, state));
}

static bool augment(flow *w, uint32_t equation, uint32_t *seen, uint32_t turn);

// Tries the variables of an expression for an equation that has none.
static bool search(flow *w, uint32_t equation, expr e, uint32_t *seen, uint32_t turn)
{
    if (foi_is_clock_call(e)) return false;
    if (e->op == FOI_OP_VARIABLE) {
        const foi_flat_variable *v = alone(w, e);
        if (!is_inside(w, v, w->home[equation]) || seen[v->index] == turn) return false;
        seen[v->index] = turn;
        if (w->by[v->index] && !augment(w, w->by[v->index] - 1, seen, turn)) return false;
        w->by[v->index] = equation + 1, w->solves[equation] = v->index + 1;
        return true;
    }
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (search(w, equation, foi_clock_argument(e, i), seen, turn)) return true;
    return false;
}

static bool augment(flow *w, uint32_t equation, uint32_t *seen, uint32_t turn)
{
    const foi_flat_equation *e = &w->s->main.equations[equation];
    if (!foi_enter(w->s, e->place)) return false;
    bool found = search(w, equation, e->left, seen, turn) ||
                 search(w, equation, e->right, seen, turn);
    w->s->depth--;
    return found;
}

// The state in which a connection lies: the innermost one around all that it connects.
static uint32_t common(const flow *w, expr e, uint32_t state, bool *any)
{
    if (e->op == FOI_OP_VARIABLE) {
        uint32_t owner = owner_of(w, meant(w, e->variable));
        if (!*any) return *any = true, owner;
        while (state != FOI_NO_STATE && !lies_in(w, owner, state)) state = w->m->states[state].above;
        return state;
    }
    for (uint32_t i = 0; i < e->count; i++) state = common(w, e->arguments[i], state, any);
    return state;
}

static bool find_solved(flow *w)
{
    uint32_t *seen = foi_arena_new(&w->s->arena, w->count, sizeof *seen);
    uint32_t turn = 0, written = w->m->span_count ? w->m->spans[0].to.equations : 0;
    if (!seen) return false;
    for (uint32_t i = written; i < w->equations; i++) {
        bool any = false;
        uint32_t state = common(w, w->s->main.equations[i].left, FOI_NO_STATE, &any);
        w->home[i] = common(w, w->s->main.equations[i].right, state, &any);
    }
    for (uint32_t i = 0; i < w->equations; i++)
        if (w->home[i] != FOI_NO_STATE && i < written && !take_written(w, i)) return false;
    for (uint32_t i = 0; i < w->equations; i++)
        if (w->home[i] != FOI_NO_STATE && !w->gone[i] && !w->solves[i])
            augment(w, i, seen, ++turn);
    return !w->s->messages->full;
}

// ----------------------------------------------------------------------------- equations of states

// x = e while the state is active; before and after that x stays.
static bool gate(flow *w, uint32_t i)
{
    foi_flat_equation e = w->s->main.equations[i];
    uint32_t state = w->home[i];
    bool written = i < w->m->spans[0].to.equations;
    spot at = {w, state, NULL, false, e.place};
    expr left = rewrite(&at, e.left), right = rewrite(&at, e.right);
    if (!left || !right) return false;
    if (state != FOI_NO_STATE && written && w->solves[i]) {
        foi_flat_variable *v = w->s->variables[w->solves[i] - 1];
        expr on = of(w, w->m->states[state].active);
        if (right->op == FOI_OP_VARIABLE && right->variable == v) {
            expr swap = left;
            left = right, right = swap;
        }
        if (left->op == FOI_OP_VARIABLE && left->variable == v) {
            right = foi_flat_if(w->f, on, right, last(w, v));
        } else if (left->type == FOI_REAL && v->type == FOI_REAL) {
            right = foi_flat_if(
                w->f, on, foi_flat_binary(w->f, FOI_OP_SUBTRACT, left, right),
                foi_flat_binary(w->f, FOI_OP_SUBTRACT, of(w, v), last(w, v)));
            left = foi_flat_real(w->f, 0);
        } else {
            return foi_error(w->s, e.place,
                             "in the state '%s' this must be written for one variable: x = ...",
                             name_of(w, state));
        }
    }
    if (!left || !right) return false;
    w->s->main.equations[i].left = left, w->s->main.equations[i].right = right;
    return true;
}

static bool has_der(expr e)
{
    if (e->op == FOI_OP_CALL && e->builtin == FOI_FN_DER) return true;
    for (uint32_t i = 0; i < foi_clock_arguments(e); i++)
        if (has_der(foi_clock_argument(e, i))) return true;
    return false;
}

static bool gate_all(flow *w)
{
    for (uint32_t i = 0; i < w->equations; i++) {
        const foi_flat_equation *e = &w->s->main.equations[i];
        if (w->home[i] != FOI_NO_STATE && (has_der(e->left) || has_der(e->right)))
            return foi_error(w->s, e->place,
                             "'der' in the state '%s' of a state machine: a state has clocked "
                             "equations only",
                             name_of(w, w->home[i]));
        if (!w->gone[i] && !gate(w, i)) return false;
    }
    for (uint32_t i = 0; i < w->count; i++)
        if (w->stands[i] && !add(w, w->s->variables[i]->place, of(w, w->s->variables[i]),
                                 of(w, meant(w, w->s->variables[i]))))
            return false;
    return true;
}

// Can the two not be active together: do they lie in two states of one machine?
static bool exclude(const flow *w, uint32_t a, uint32_t b)
{
    const foi_machine_state *states = w->m->states;
    for (uint32_t x = a; x != FOI_NO_STATE; x = states[x].above)
        for (uint32_t y = b; y != FOI_NO_STATE; y = states[y].above)
            if (x != y && states[x].machine == states[y].machine) return true;
    return false;
}

static expr any_active(flow *w, uint32_t from, uint32_t to)
{
    if (to - from == 1) return of(w, w->m->states[w->givings[from].state].active);
    uint32_t half = from + (to - from) / 2;
    return either(w, any_active(w, from, half), any_active(w, half, to));
}

static expr merged(flow *w, uint32_t from, uint32_t to)
{
    if (to - from == 1) return w->givings[from].value;
    uint32_t half = from + (to - from) / 2;
    return foi_flat_if(w->f, any_active(w, from, half), merged(w, from, half), merged(w, half, to));
}

// What states give to one variable: from .. to.
static bool merge(flow *w, uint32_t from, uint32_t to)
{
    const struct giving *g = w->givings;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = from; k < i; k++)
            if (!exclude(w, g[i].state, g[k].state))
                return foi_error(w->s, g[i].place,
                                 "'%s' is assigned in '%s' and in '%s', which can be active "
                                 "together",
                                 g[i].v->name, name_of(w, g[k].state), name_of(w, g[i].state));
    foi_flat_variable *v = g[from].v;
    uint32_t owner = owner_of(w, v);
    expr stays = last(w, v);
    if (owner != FOI_NO_STATE)
        stays = foi_flat_if(w->f, of(w, reset_of(w, &w->m->states[owner])), start_of(w, v), stays);
    expr left = of(w, v);
    expr right = foi_flat_if(w->f, any_active(w, from, to), merged(w, from, to), stays);
    w->s->main.equations[g[from].equation] = (foi_flat_equation){left, right, g[from].place};
    w->gone[g[from].equation] = false; // so that it stays in its when, if it is in one
    return left && right;
}

static bool merge_all(flow *w)
{
    struct giving *g = w->givings;
    for (uint32_t from = 0, to; from < w->giving_count; from = to) {
        to = from + 1;
        for (uint32_t i = to; i < w->giving_count; i++)
            if (g[i].v == g[from].v) {
                struct giving swap = g[to];
                g[to++] = g[i], g[i] = swap;
            }
        if (!merge(w, from, to)) return false;
    }
    return true;
}

// An assertion of a state counts while that is active.
static bool guard_asserts(flow *w)
{
    foi_sink *all = &w->s->main;
    uint32_t *home = foi_arena_new(&w->s->arena, all->assert_count, sizeof *home);
    if (!home) return false;
    for (uint32_t i = 0; i < all->assert_count; i++) home[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->m->state_count; i++) {
        const foi_machine_span *span = w->m->states[i].span;
        if (span) settle(w, home, span->from.asserts, span->to.asserts, i);
    }
    for (uint32_t i = 0; i < all->assert_count; i++) {
        foi_flat_assert *a = &all->asserts[i];
        if (home[i] == FOI_NO_STATE) continue;
        spot at = {w, home[i], NULL, false, a->place};
        expr off = foi_flat_unary(w->f, FOI_OP_NOT, of(w, w->m->states[home[i]].active));
        a->condition = either(w, off, rewrite(&at, a->condition));
        a->message = rewrite(&at, a->message);
        if (!a->condition || !a->message) return false;
    }
    return true;
}

// Equations that went into others go; those of clocked whens stay together.
static void close_gaps(flow *w)
{
    foi_session *s = w->s;
    uint32_t left = 0;
    for (uint32_t k = 0; k < s->clocked_count; k++) {
        struct foi_clocked_when *when = &s->clocked_whens[k];
        uint32_t before = 0, inside = 0;
        for (uint32_t i = 0; w->giving_count && i < when->to && i < w->equations; i++)
            *(i < when->from ? &before : &inside) += w->gone[i];
        when->from -= before, when->to -= before + inside;
    }
    for (uint32_t i = 0; i < s->main.count; i++)
        if (i >= w->equations || !w->gone[i]) s->main.equations[left++] = s->main.equations[i];
    s->main.count = left;
}

bool foi_machine_flow(foi_session *s, foi_machines *m)
{
    flow w = {.s = s, .m = m, .f = s->flat};
    if (!begin(&w) || !find_solved(&w) || !gate_all(&w)) return false;
    for (uint32_t i = 0; i < m->count; i++)
        if (!add_machine(&w, &m->list[i])) return false;
    if (!merge_all(&w) || !guard_asserts(&w)) return false;
    close_gaps(&w);
    return true;
}
