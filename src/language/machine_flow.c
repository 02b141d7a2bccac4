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

/// Where an expression stands.
typedef struct spot {
    foi_machines *w;
    uint32_t state;       ///< FOI_NO_STATE: in none
    foi_machine *machine; ///< of ticksInState; NULL: that of the state
    bool immediate;       ///< in the condition of an immediate transition
    foi_place place;
} spot;

static const char *name_of(const foi_machines *w, uint32_t state)
{
    return w->states[state].instance->name;
}

// ------------------------------------------------------------------------------------ expressions

static expr of(foi_machines *w, foi_flat_variable *v)
{
    return v ? foi_flat_of(w->f, v) : NULL;
}

static expr number(foi_machines *w, uint32_t value)
{
    return foi_flat_integer(w->f, value);
}

static expr last(foi_machines *w, foi_flat_variable *v)
{
    expr x = of(w, v);
    return x ? foi_clock_make(w->s, CLOCK_PREVIOUS, v->type, 1, &x) : NULL;
}

static expr is(foi_machines *w, expr x, uint32_t value)
{
    return foi_flat_binary(w->f, FOI_OP_EQUAL, x, number(w, value));
}

// a and b, where a may be known to be true.
static expr both(foi_machines *w, expr a, expr b)
{
    return a && a->op == FOI_OP_LITERAL && a->number ? b : foi_flat_binary(w->f, FOI_OP_AND, a, b);
}

static expr either(foi_machines *w, expr a, expr b)
{
    return foi_flat_binary(w->f, FOI_OP_OR, a, b);
}

// if a then b else c, where a may be known to be true.
static expr choose(foi_machines *w, expr a, expr b, expr c)
{
    return a && a->op == FOI_OP_LITERAL && a->number ? b : foi_flat_if(w->f, a, b, c);
}

static expr start_of(foi_machines *w, const foi_flat_variable *v)
{
    if (v->start) return v->start;
    foi_flat_expr *zero = foi_flat_real(w->f, 0);
    if (zero) zero->type = v->type;
    return zero;
}

static bool add(foi_machines *w, foi_place place, expr left, expr right)
{
    foi_sink *sink = &w->s->main;
    foi_flat_equation *e =
        left && right ? foi_arena_add(&w->s->flat->arena, &sink->equations, &sink->count, sizeof *e)
                      : NULL;
    if (e) *e = (foi_flat_equation){left, right, place};
    return e;
}

// -------------------------------------------------------------------------- variables of a machine

static foi_flat_variable *variable(foi_machines *w, const foi_machine *m, const char *what,
                                   foi_flat_type type, expr start)
{
    return foi_machine_variable(w->s, w->states[m->first].place, what, name_of(w, m->first), type,
                                start);
}

// Is the machine active at this tick?
static expr active(foi_machines *w, const foi_machine *m)
{
    return m->above == FOI_NO_STATE ? foi_flat_boolean(w->f, true)
                                    : of(w, w->states[m->above].active);
}

static foi_flat_variable *reset_of(foi_machines *w, foi_machine_state *state);

// Does it begin anew at this tick?
static expr anew(foi_machines *w, const foi_machine *m)
{
    return m->above == FOI_NO_STATE ? foi_clock_make(w->s, CLOCK_FIRST, FOI_BOOLEAN, 0, NULL)
                                    : of(w, reset_of(w, &w->states[m->above]));
}

// The state begins anew.
static foi_flat_variable *reset_of(foi_machines *w, foi_machine_state *state)
{
    if (state->reset) return state->reset;
    const foi_machine *m = &w->list[state->machine];
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
        if (m->transitions[i]->reset && &w->states[m->transitions[i]->to] == state)
            ways[count++] = is(w, of(w, m->fired), m->transition_count - i);
    expr any = foi_join(w->s, FOI_OP_OR, ways, count);
    bool right = add(w, state->place, of(w, state->reset), both(w, of(w, state->active), any)) &&
                 add(w, state->place, of(w, state->awaiting),
                     choose(w, active(w, m), foi_flat_binary(w->f, FOI_OP_AND, elsewhere, begins),
                            last(w, state->awaiting)));
    return right ? state->reset : NULL;
}

static foi_flat_variable *entered_of(foi_machines *w, foi_machine *m);

// A state around is entered, or the machine begins anew.
static expr around(foi_machines *w, foi_machine *m)
{
    expr begins = anew(w, m);
    if (m->above == FOI_NO_STATE) return begins;
    return either(w, begins, of(w, entered_of(w, &w->list[w->states[m->above].machine])));
}

static foi_flat_variable *entered_of(foi_machines *w, foi_machine *m)
{
    if (m->entered) return m->entered;
    m->entered = variable(w, m, "(entry beside %s)", FOI_BOOLEAN, NULL);
    expr some = foi_flat_binary(w->f, FOI_OP_GREATER, of(w, m->fired), number(w, 0));
    expr way = m->entered ? either(w, around(w, m), some) : NULL;
    return add(w, w->states[m->first].place, of(w, m->entered), both(w, active(w, m), way))
               ? m->entered
               : NULL;
}

// How many ticks the active state has been it. In the condition of an immediate transition: what
// that is when none fires.
static expr ticks_of(foi_machines *w, foi_machine *m, bool immediate)
{
    bool made = m->ticks != NULL;
    if (!made) m->ticks = variable(w, m, "(ticks beside %s)", FOI_INTEGER, number(w, 0));
    if (!m->ticks) return NULL;
    expr one = number(w, 1), more = foi_flat_binary(w->f, FOI_OP_ADD, last(w, m->ticks), one);
    if (!made) {
        expr next = foi_flat_if(w->f, of(w, entered_of(w, m)), one, more);
        if (!add(w, w->states[m->first].place, of(w, m->ticks),
                 choose(w, active(w, m), next, last(w, m->ticks))))
            return NULL;
    }
    return immediate ? foi_flat_if(w->f, around(w, m), one, more) : of(w, m->ticks);
}

// For how long it has been it.
static expr stay_of(foi_machines *w, foi_machine *m, bool immediate)
{
    expr now = foi_flat_time(w->f);
    if (!m->since) {
        m->since = variable(w, m, "(entry time beside %s)", FOI_REAL, foi_flat_real(w->f, 0));
        expr next = foi_flat_if(w->f, of(w, entered_of(w, m)), now, last(w, m->since));
        if (!m->since || !add(w, w->states[m->first].place, of(w, m->since), next)) return NULL;
    }
    if (!immediate) return foi_flat_binary(w->f, FOI_OP_SUBTRACT, now, of(w, m->since));
    return foi_flat_if(w->f, around(w, m), foi_flat_real(w->f, 0),
                       foi_flat_binary(w->f, FOI_OP_SUBTRACT, now, last(w, m->since)));
}

// -------------------------------------------------------------------------------------- rewriting

static bool needs_work(const foi_machines *w, expr e)
{
    if (e->op == FOI_OP_VARIABLE) return foi_machine_meant(w, e->variable) != e->variable;
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
    foi_machines *w = at->w;
    expr x = e->arguments[0];
    if (x->op != FOI_OP_VARIABLE) return e; // said later
    foi_flat_variable *v = foi_machine_meant(w, x->variable);
    uint32_t owner = foi_machine_owner(w, v);
    expr before = last(w, v);
    if (owner == FOI_NO_STATE || !foi_machine_lies_in(w, at->state, owner)) return before;
    return foi_flat_if(w->f, of(w, reset_of(w, &w->states[owner])), start_of(w, v), before);
}

static expr rewrite(spot *at, expr e)
{
    foi_machines *w = at->w;
    if (!e || !needs_work(w, e)) return e;
    if (e->op == FOI_OP_VARIABLE) return of(w, foi_machine_meant(w, e->variable));
    int operation = foi_is_clock_call(e) ? (int)e->builtin : 0;
    if (operation == CLOCK_PREVIOUS) return previous(at, e);
    if (operation >= CLOCK_TICKS) {
        foi_machine *m = at->machine;
        if (!m && at->state != FOI_NO_STATE) m = &w->list[w->states[at->state].machine];
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

// Is the state one of the machine, or inside of one?
static bool is_of(const foi_machines *w, uint32_t state, const foi_machine *m)
{
    while (state != FOI_NO_STATE && &w->list[w->states[state].machine] != m)
        state = w->states[state].above;
    return state != FOI_NO_STATE;
}

// A variable of a condition, taken at this tick, that follows from which state of the machine is
// active; NULL: there is none.
static const foi_flat_variable *follows(const foi_machines *w, const foi_machine *m, expr e)
{
    const foi_flat_variable *found = NULL;
    if (foi_is_clock_call(e)) return NULL;
    if (e->op == FOI_OP_VARIABLE) {
        const foi_flat_variable *v = foi_machine_meant(w, e->variable);
        bool is = is_of(w, foi_machine_owner(w, v), m);
        for (uint32_t i = 0; !is && i < w->giving_count; i++)
            is = w->givings[i].v == v && is_of(w, w->givings[i].state, m);
        for (uint32_t i = 0; !is && i < w->state_count; i++)
            is = w->states[i].active == v && is_of(w, i, m);
        return is ? v : NULL;
    }
    for (uint32_t i = 0; !found && i < foi_clock_arguments(e); i++)
        found = follows(w, m, foi_clock_argument(e, i));
    return found;
}

static bool check_immediate(const foi_machines *w)
{
    for (uint32_t i = 0; i < w->transition_count; i++) {
        const foi_machine_transition *t = &w->transitions[i];
        const foi_machine *m = &w->list[w->states[t->from].machine];
        const foi_flat_variable *v = t->immediate ? follows(w, m, t->condition) : NULL;
        if (v)
            return foi_error(w->s, t->place,
                             "the condition of this transition, which is immediate, follows from "
                             "'%s', which follows from it at the same tick: take its value before, "
                             "by 'previous', or a transition with 'immediate = false'",
                             v->name);
    }
    return true;
}

// Of the transitions with this kind of condition the number of the first that may fire; 0: none.
static expr first_of(foi_machines *w, const foi_machine *m, bool fires, uint32_t from, uint32_t to)
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
    for (uint32_t i = 0; t->synchronize && i < w->count; i++) { // machines inside: at an end
        const foi_machine *in = &w->list[i];
        for (uint32_t k = 0; in->above == t->from && k < in->transition_count; k++) {
            expr state = fires ? last(w, in->at) : of(w, in->at);
            uint32_t leaves = w->states[in->transitions[k]->from].number;
            condition =
                foi_flat_binary(w->f, FOI_OP_AND,
                                foi_flat_unary(w->f, FOI_OP_NOT, is(w, state, leaves)), condition);
        }
    }
    expr here = fires ? last(w, m->at) : of(w, m->at);
    return foi_flat_if(w->f, is(w, here, w->states[t->from].number),
                       foi_flat_if(w->f, condition, it, none), none);
}

static bool make_variables(foi_machines *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        foi_machine *m = &w->list[i];
        bool delays = false;
        for (uint32_t k = 0; k < m->transition_count; k++) delays |= !m->transitions[k]->immediate;
        m->at = variable(w, m, "(state beside %s)", FOI_INTEGER, number(w, 1));
        m->fired = variable(w, m, "(transition beside %s)", FOI_INTEGER, NULL);
        if (delays)
            m->delayed =
                variable(w, m, "(delayed transition beside %s)", FOI_INTEGER, number(w, 0));
        if (!m->at || !m->fired || (delays && !m->delayed)) return false;
    }
    for (uint32_t i = 0; i < w->state_count; i++) {
        foi_machine_state *state = &w->states[i];
        state->active = foi_machine_active(w->s, state->instance, state->place);
        if (!state->active) return false;
    }
    for (uint32_t i = 0; i < w->asked_count; i++)
        if (foi_machine_state_of(w, w->asked[i].instance) == FOI_NO_STATE)
            return foi_error(w->s, w->asked[i].place,
                             "'%s' is not a state: no transition leads to it or leaves it",
                             w->asked[i].instance->name);
    return true;
}

// The equations of at, fired, delayed and the states' activity.
static bool add_machine(foi_machines *w, foi_machine *m)
{
    foi_place place = w->states[m->first].place;
    uint32_t n = m->transition_count;
    expr on = active(w, m), begins = anew(w, m), none = number(w, 0);
    expr *targets = foi_arena_new(&w->s->arena, n + 1u, sizeof *targets);
    if (!targets) return false;
    for (uint32_t i = 0; i < n; i++)
        targets[i] = foi_flat_if(w->f, is(w, of(w, m->fired), n - i),
                                 number(w, w->states[m->transitions[i]->to].number), none);
    expr fires = n ? first_of(w, m, true, 0, n) : none;
    expr old = last(w, m->at);
    expr to = n ? foi_join(w->s, FOI_OP_ADD, targets, n) : none;
    expr leads = foi_flat_binary(w->f, FOI_OP_GREATER, of(w, m->fired), none);
    bool right =
        add(w, place, of(w, m->fired),
            choose(w, on, foi_flat_if(w->f, begins, none, fires), none)) &&
        add(w, place, of(w, m->at),
            choose(w, on,
                   foi_flat_if(w->f, begins, number(w, 1), foi_flat_if(w->f, leads, to, old)),
                   old));
    if (right && m->delayed)
        right = add(w, place, of(w, m->delayed),
                    choose(w, on, first_of(w, m, false, 0, n), last(w, m->delayed)));
    for (uint32_t i = 0; right && i < w->state_count; i++) {
        const foi_machine_state *state = &w->states[i];
        if (&w->list[state->machine] == m)
            right = add(w, state->place, of(w, state->active),
                        both(w, on, is(w, of(w, m->at), state->number)));
    }
    return right;
}

// ----------------------------------------------------------------------------- equations of states

// x = e while the state is active; before and after that x stays.
static bool gate(foi_machines *w, uint32_t i)
{
    foi_flat_equation e = w->s->main.equations[i];
    uint32_t state = w->home[i];
    bool written = foi_machine_is_written(w, i);
    spot at = {w, state, NULL, false, e.place};
    expr left = rewrite(&at, e.left), right = rewrite(&at, e.right);
    if (!left || !right) return false;
    if (state != FOI_NO_STATE && written && w->solves[i]) {
        foi_flat_variable *v = w->s->variables[w->solves[i] - 1];
        expr on = of(w, w->states[state].active);
        if (right->op == FOI_OP_VARIABLE && right->variable == v) {
            expr swap = left;
            left = right, right = swap;
        }
        if (left->op == FOI_OP_VARIABLE && left->variable == v) {
            right = foi_flat_if(w->f, on, right, last(w, v));
        } else if (left->type == FOI_REAL && v->type == FOI_REAL) {
            right = foi_flat_if(w->f, on, foi_flat_binary(w->f, FOI_OP_SUBTRACT, left, right),
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

static bool gate_all(foi_machines *w)
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
    for (uint32_t i = 0; i < w->variables; i++)
        if (w->stands[i] && !add(w, w->s->variables[i]->place, of(w, w->s->variables[i]),
                                 of(w, foi_machine_meant(w, w->s->variables[i]))))
            return false;
    return true;
}

// Can the two not be active together: do they lie in two states of one machine?
static bool exclude(const foi_machines *w, uint32_t a, uint32_t b)
{
    const foi_machine_state *states = w->states;
    for (uint32_t x = a; x != FOI_NO_STATE; x = states[x].above)
        for (uint32_t y = b; y != FOI_NO_STATE; y = states[y].above)
            if (x != y && states[x].machine == states[y].machine) return true;
    return false;
}

static expr any_active(foi_machines *w, uint32_t from, uint32_t to)
{
    if (to - from == 1) return of(w, w->states[w->givings[from].state].active);
    uint32_t half = from + (to - from) / 2;
    return either(w, any_active(w, from, half), any_active(w, half, to));
}

static expr merged(foi_machines *w, uint32_t from, uint32_t to)
{
    if (to - from == 1) return w->givings[from].value;
    uint32_t half = from + (to - from) / 2;
    return foi_flat_if(w->f, any_active(w, from, half), merged(w, from, half), merged(w, half, to));
}

static bool clash(foi_machines *w, const struct foi_machine_giving *a,
                  const struct foi_machine_giving *b)
{
    if (b->equation == UINT32_MAX)
        return foi_error(w->s, b->place,
                         "outputs of '%s' and '%s' are connected to one input: they must be states "
                         "that cannot be active together",
                         name_of(w, a->state), name_of(w, b->state));
    return foi_error(w->s, b->place,
                     "'%s' is assigned in '%s' and in '%s', which can be active together",
                     b->v->name, name_of(w, a->state), name_of(w, b->state));
}

// What states give to one variable: from .. to.
static bool merge(foi_machines *w, uint32_t from, uint32_t to)
{
    struct foi_machine_giving *g = w->givings;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t k = from; k < i; k++)
            if (!exclude(w, g[i].state, g[k].state)) return clash(w, &g[k], &g[i]);
    for (uint32_t i = from; i < to; i++) {
        spot at = {w, g[i].state, NULL, false, g[i].place};
        if (!(g[i].value = rewrite(&at, g[i].value))) return false;
    }
    foi_flat_variable *v = g[from].v;
    uint32_t owner = foi_machine_owner(w, v);
    expr stays = last(w, v);
    if (owner != FOI_NO_STATE)
        stays = foi_flat_if(w->f, of(w, reset_of(w, &w->states[owner])), start_of(w, v), stays);
    expr left = of(w, v);
    expr right = foi_flat_if(w->f, any_active(w, from, to), merged(w, from, to), stays);
    if (g[from].equation == UINT32_MAX) return add(w, g[from].place, left, right);
    w->s->main.equations[g[from].equation] = (foi_flat_equation){left, right, g[from].place};
    w->gone[g[from].equation] = false; // so that it stays in its when, if it is in one
    return left && right;
}

static bool merge_all(foi_machines *w)
{
    struct foi_machine_giving *g = w->givings;
    for (uint32_t from = 0, to; from < w->giving_count; from = to) {
        to = from + 1;
        for (uint32_t i = to; i < w->giving_count; i++)
            if (g[i].v == g[from].v) {
                struct foi_machine_giving swap = g[to];
                g[to++] = g[i], g[i] = swap;
            }
        if (!merge(w, from, to)) return false;
    }
    return true;
}

// An assertion of a state counts while that is active.
static bool guard_asserts(foi_machines *w)
{
    foi_sink *all = &w->s->main;
    uint32_t *home = foi_arena_new(&w->s->arena, all->assert_count, sizeof *home);
    if (!home) return false;
    for (uint32_t i = 0; i < all->assert_count; i++) home[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->state_count; i++) {
        const foi_machine_span *span = w->states[i].span;
        if (span) foi_machine_settle(w, home, span->from.asserts, span->to.asserts, i);
    }
    for (uint32_t i = 0; i < all->assert_count; i++) {
        foi_flat_assert *a = &all->asserts[i];
        if (home[i] == FOI_NO_STATE) continue;
        spot at = {w, home[i], NULL, false, a->place};
        expr off = foi_flat_unary(w->f, FOI_OP_NOT, of(w, w->states[home[i]].active));
        a->condition = either(w, off, rewrite(&at, a->condition));
        a->message = rewrite(&at, a->message);
        if (!a->condition || !a->message) return false;
    }
    return true;
}

static expr rewrite_each(void *data, expr e)
{
    return rewrite(data, e);
}

// An algorithm of a state is carried out while that is active. Before it, what it assigns is what
// it was at the last tick, or its start value.
static bool gate_algorithm(foi_machines *w, foi_flat_algorithm *a, uint32_t state)
{
    foi_arena *arena = &w->f->arena;
    foi_flat_variable **list = NULL;
    uint32_t count = 0;
    spot at = {w, state, NULL, false, a->place};
    if (!foi_clock_targets(w->s, &a->body, &list, &count)) return false;
    expr *both_sides = foi_arena_new(arena, 2u * count + 2u, sizeof *both_sides);
    foi_flat_statement *st = foi_arena_new(arena, 1, sizeof *st);
    foi_flat_statement **only = foi_arena_new(arena, 1, sizeof *only);
    foi_flat_branch *branch = foi_arena_new(arena, 1, sizeof *branch);
    if (!both_sides || !st || !only || !branch) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (foi_machine_owner(w, foi_machine_meant(w, list[i])) != state)
            return foi_error(w->s, a->place,
                             "an algorithm in the state '%s' assigns '%s', which is declared "
                             "outside of it: write an equation",
                             name_of(w, state), list[i]->name);
        expr x = of(w, list[i]);
        both_sides[i] = x;
        both_sides[count + i] =
            x ? rewrite(&at, foi_clock_make(w->s, CLOCK_PREVIOUS, x->type, 1, &x)) : NULL;
        if (!both_sides[count + i]) return false;
    }
    expr *on = &both_sides[2u * count];
    *on = of(w, w->states[state].active);
    if (!*on || !foi_clock_each(w->s, &a->body, rewrite_each, &at)) return false;
    *branch = (foi_flat_branch){.conditions = on, .condition_count = 1, .place = a->place};
    branch->body = a->body;
    *st = (foi_flat_statement){.action = FOI_DO_IF, .place = a->place, .branches = branch};
    st->branch_count = 1;
    only[0] = st;
    a->body = (foi_flat_block){only, 1};
    return foi_clock_prepend(w->s, &a->body, a->place, count, both_sides, both_sides + count);
}

static bool gate_algorithms(foi_machines *w)
{
    uint32_t count = w->f->algorithm_count;
    uint32_t *home = foi_arena_new(&w->s->arena, count, sizeof *home);
    if (!home) return false;
    for (uint32_t i = 0; i < count; i++) home[i] = FOI_NO_STATE;
    for (uint32_t i = 0; i < w->state_count; i++) {
        const foi_machine_span *span = w->states[i].span;
        if (span) foi_machine_settle(w, home, span->from.algorithms, span->to.algorithms, i);
    }
    for (uint32_t i = 0; i < count; i++)
        if (home[i] != FOI_NO_STATE && !w->f->algorithms[i].initial &&
            !gate_algorithm(w, &w->f->algorithms[i], home[i]))
            return false;
    return true;
}

// Equations that went into others go; those of clocked whens stay together.
static bool close_gaps(foi_machines *w)
{
    foi_session *s = w->s;
    uint32_t left = 0;
    uint32_t *before = foi_arena_new(&s->arena, w->equations + 1u, sizeof *before);
    if (!before) return false;
    for (uint32_t i = 0; i < w->equations; i++) before[i + 1] = before[i] + w->gone[i];
    for (uint32_t k = 0; k < s->clocked_count; k++) {
        s->clocked_whens[k].from -= before[s->clocked_whens[k].from];
        s->clocked_whens[k].to -= before[s->clocked_whens[k].to];
    }
    for (uint32_t i = 0; i < s->main.count; i++)
        if (i >= w->equations || !w->gone[i]) s->main.equations[left++] = s->main.equations[i];
    s->main.count = left;
    return true;
}

bool foi_machine_flow(foi_machines *w)
{
    if (!foi_machine_solve(w) || !make_variables(w) || !check_immediate(w) || !gate_all(w))
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (!add_machine(w, &w->list[i])) return false;
    return merge_all(w) && guard_asserts(w) && gate_algorithms(w) && close_gaps(w);
}
