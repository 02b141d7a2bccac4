/// The initial system. All variables are unknown at the start, states and pre values too; beside
/// the model's equations there are its initial equations and the start values that are fixed. What
/// is still open takes its start value: first the states, then pre values, then anything with a
/// start value, each only if it is not determined yet; and last the states that have no name, and
/// so no start value, as der(phi) in der(der(phi)) = -phi, where w = der(phi) has one.
#include <math.h>

#include "base/array.h"
#include "equations/plan.h"

static foi_node default_parameter(void *self, foi_graph *g, foi_node leaf)
{
    const foi_equations *e = self;
    double value;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) return leaf;
    foi_flat_variable *v = e->variables[g->nodes[leaf].b].flat;
    if (e->variables[g->nodes[leaf].b].role > FOI_ROLE_COMPUTED) return leaf;
    return v && foi_flat_default(v, &value) ? foi_constant(g, value) : leaf;
}

bool foi_default_number(foi_equations *e, foi_node n, double *value)
{
    n = foi_graph_replace(&e->g, n, default_parameter, e);
    if (!foi_is_constant(&e->g, n)) return false;
    *value = foi_constant_value(&e->g, n);
    return true;
}

// Where no start value is given: zero, or the bound that is nearest to it.
static double usual_start(const foi_variable *v)
{
    double low, high;
    const foi_flat_variable *flat = v->flat;
    if (!flat || flat->type == FOI_STRING) return 0;
    if (flat->min && foi_flat_evaluate(flat->min, false, &low) && low > 0) return low;
    if (flat->max && foi_flat_evaluate(flat->max, false, &high) && high < 0) return high;
    return 0;
}

double foi_plan_start_number(foi_plan *p, uint32_t variable)
{
    const foi_variable *v = &p->e->variables[variable];
    double value;
    if (v->start == FOI_NO_NODE) return usual_start(v);
    return foi_default_number(p->e, v->start, &value) ? value : 0;
}

double foi_plan_size(foi_plan *p, uint32_t variable)
{
    const foi_flat_variable *v = p->e->variables[variable].flat;
    double size = 0;
    if (v && v->nominal && foi_flat_evaluate(v->nominal, false, &size) && size != 0)
        return fabs(size);
    return fabs(foi_plan_start_number(p, variable));
}

// What the user gave for it, or where he gave nothing other than the default: the model's formula.
foi_node foi_plan_start_value(foi_plan *p, uint32_t variable)
{
    foi_graph *g = &p->e->g;
    const foi_variable *v = &p->e->variables[variable];
    bool discrete = v->role == FOI_ROLE_DISCRETE;
    if (!v->state && !discrete)
        return v->start == FOI_NO_NODE ? foi_constant(g, usual_start(v)) : v->start;
    uint32_t k = p->slot[variable] + (discrete ? p->state_count : 0);
    foi_node given = foi_leaf_of(g, FOI_LEAF_START, k);
    if (v->start == FOI_NO_NODE || foi_is_constant(g, v->start)) return given;
    foi_node usual = foi_constant(g, foi_plan_start_number(p, variable));
    return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_EQUAL, given, usual, 0), v->start, given);
}

static bool exists(const foi_variable *v)
{
    return v->alias == FOI_NOTHING && !(v->flat && v->flat->type == FOI_STRING);
}

static fo_status add_columns(foi_order *o)
{
    foi_equations *e = o->e;
    fo_status status = FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (!exists(about) || about->role == FOI_ROLE_PARAMETER || about->role == FOI_ROLE_INPUT)
            continue;
        status = foi_order_column(o, v, false);
        if (status == FO_OK && about->role == FOI_ROLE_DISCRETE)
            status = foi_order_column(o, v, true);
    }
    return status;
}

static fo_status add_model(foi_order *o)
{
    foi_equations *e = o->e;
    fo_status status = FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (about->role != FOI_ROLE_COMPUTED || !exists(about)) continue;
        foi_node value = about->binding != FOI_NO_NODE ? about->binding : about->start;
        status = foi_order_row(o, (foi_row){foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v), value,
                                            about->flat->place, FOI_NOTHING, FOI_NOTHING});
    }
    for (uint32_t i = 0; i < e->equation_count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed) continue;
        foi_node right = q->initial != FOI_NO_NODE ? q->initial : q->right;
        status = foi_order_row(o, (foi_row){foi_undelayed(e, q->left), foi_undelayed(e, right),
                                            q->place, i, FOI_NOTHING});
    }
    for (uint32_t i = 0; i < e->initial_count && status == FO_OK; i++) {
        const foi_equation *q = &e->initial[i];
        status = foi_order_row(o, (foi_row){foi_undelayed(e, q->left), foi_undelayed(e, q->right),
                                            q->place, FOI_NOTHING, FOI_NOTHING});
    }
    return status;
}

static fo_status start_row(foi_plan *p, foi_order *o, uint32_t v, bool pre)
{
    foi_equations *e = p->e;
    const foi_flat_variable *flat = e->variables[v].flat;
    foi_node leaf = foi_leaf_of(&e->g, pre ? FOI_LEAF_PRE : FOI_LEAF_VARIABLE, v);
    foi_place place = flat ? flat->place : (foi_place){0};
    return foi_order_row(
        o, (foi_row){leaf, foi_plan_start_value(p, v), place, FOI_NOTHING, FOI_NOTHING});
}

static fo_status add_fixed(foi_plan *p, foi_order *o)
{
    foi_equations *e = p->e;
    fo_status status = FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (!exists(about) || !about->fixed || about->role < FOI_ROLE_DISCRETE) continue;
        status = start_row(p, o, v, about->role == FOI_ROLE_DISCRETE);
    }
    return status;
}

// ------------------------------------------------------------------------- too much is fixed
//
// Two states that a constraint makes equal may both be fixed, and alike: then one start value
// follows from the rest. It becomes an assertion of the start, which fails where the two are not
// alike.

enum { AGREE = 1000000 }; ///< how exactly: a millionth of the size

// An assertion of the start that the value of a variable, and what it should be, agree.
static fo_status assert_agree(foi_equations *e, const foi_flat_variable *flat, foi_node value,
                              foi_node start, foi_place place, const char *message)
{
    foi_graph *g = &e->g;
    double size = 1, number;
    if (flat->nominal && foi_flat_evaluate(flat->nominal, false, &number) && number != 0)
        size = fabs(number);
    foi_node away = foi_make(g, FOI_G_ABS, foi_subtract(g, value, start), 0, 0);
    foi_node most = foi_add(g, foi_constant(g, size), foi_make(g, FOI_G_ABS, start, 0, 0));
    most = foi_multiply(g, foi_constant(g, 1.0 / AGREE), most);
    foi_action a = {.action = FOI_DO_ASSERT,
                    .variable = FOI_NOTHING,
                    .active = foi_constant(g, 0),
                    .initial = foi_constant(g, 1),
                    .value = foi_make(g, FOI_G_LESS_EQUAL, away, most, 0),
                    .message = message,
                    .place = place};
    if (!message || !foi_array_room(e->allocator, &e->actions, &e->action_room, e->action_count + 1,
                                    sizeof *e->actions))
        return foi_equations_no_memory(e);
    e->actions[e->action_count++] = a;
    return FO_OK;
}

fo_status foi_assert_start(foi_equations *e, uint32_t v, foi_node value, foi_node start)
{
    const foi_flat_variable *flat = e->variables[v].flat;
    const char *message =
        foi_arena_print(&e->texts,
                        "the start value of `%s` is fixed, but the other start values and the "
                        "equations make it another one",
                        flat->name);
    return assert_agree(e, flat, value, start, flat->place, message);
}

static fo_status assert_start(foi_plan *p, uint32_t v)
{
    foi_equations *e = p->e;
    foi_node leaf = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v);
    e->variables[v].fixed = false;
    return foi_assert_start(e, v, leaf, foi_plan_start_value(p, v));
}

// The fixed start values of states, each as a row; `of` has the variable of each of them.
static fo_status add_fixed_states(foi_plan *p, foi_order *o, uint32_t *of, size_t *count)
{
    foi_equations *e = p->e;
    fo_status status = FO_OK;
    *count = 0;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (!exists(about) || !about->fixed || !about->flat || about->role <= FOI_ROLE_DISCRETE)
            continue;
        of[(*count)++] = v;
        status = start_row(p, o, v, false);
    }
    return status;
}

// It flows and is no state, since something ties it to states or to what is known.
static bool is_tied(const foi_variable *about)
{
    return exists(about) && about->role == FOI_ROLE_CONTINUOUS && about->flat &&
           !(about->state && !about->dependent);
}

// The variable of an initial equation x = value of something that is tied; NULL: it is none.
static const foi_variable *tied_by(const foi_equations *e, const foi_equation *q)
{
    const foi_graph *g = &e->g;
    if (!foi_is_leaf(g, q->left, FOI_LEAF_VARIABLE)) return NULL;
    const foi_variable *about = &e->variables[g->nodes[q->left].b];
    while (about->alias != FOI_NOTHING) about = &e->variables[about->alias];
    return is_tied(about) ? about : NULL;
}

// Is a start value fixed, or said by an initial equation, of what is no state, since something ties
// it to states? Otherwise no two of them can say the same.
static bool may_agree(const foi_equations *e)
{
    for (uint32_t v = 0; v < e->variable_count; v++)
        if (e->variables[v].fixed && is_tied(&e->variables[v])) return true;
    for (size_t i = 0; i < e->initial_count; i++)
        if (tied_by(e, &e->initial[i])) return true;
    return false;
}

// Those of the initial equations that are too many, from row `first` on, are asserted. What is no
// equation for something tied stays, and is found to be one too many.
static fo_status agree_initially(foi_plan *p, const foi_order *o, size_t first)
{
    foi_equations *e = p->e;
    fo_status status = FO_OK;
    size_t kept = 0;
    for (size_t i = 0; i < e->initial_count; i++) {
        const foi_equation q = e->initial[i];
        const foi_variable *about = tied_by(e, &q);
        bool open = o->matching.column_of[first + i] == FOI_UNMATCHED;
        if (open && about && status == FO_OK) {
            char text[160];
            foi_equation_text(e, &q, text, sizeof text);
            const char *message =
                foi_arena_print(&e->texts,
                                "the initial equation %s does not hold: the other "
                                "initial equations and start values make it another value",
                                text);
            status = assert_agree(e, about->flat, q.left, q.right, q.place, message);
            continue;
        }
        e->initial[kept++] = q;
    }
    e->initial_count = kept;
    return status;
}

fo_status foi_plan_agree(foi_plan *p)
{
    foi_equations *e = p->e;
    foi_order o;
    if (!may_agree(e)) return FO_OK;
    uint32_t *of = foi_new(e->allocator, e->variable_count + 1, sizeof *of);
    size_t first = 0, count = 0;
    fo_status status = foi_order_begin(&o, e);
    if (status == FO_OK && !of) status = foi_equations_no_memory(e);
    if (status == FO_OK) status = add_columns(&o);
    if (status == FO_OK) status = add_model(&o);
    first = o.row_count;
    const size_t initial = first - e->initial_count; // the last of the model's rows
    if (status == FO_OK) status = add_fixed_states(p, &o, of, &count);
    if (status == FO_OK && !foi_matching_begin(&o.matching, &o.incidence,
                                               (uint32_t)(o.row_count + o.column_count + 1)))
        status = foi_equations_no_memory(e);
    if (status == FO_OK && foi_matching_all(&o.matching))
        for (size_t i = 0; i < count && status == FO_OK; i++)
            if (o.matching.column_of[first + i] == FOI_UNMATCHED) status = assert_start(p, of[i]);
    if (status == FO_OK) status = agree_initially(p, &o, initial);
    foi_order_end(&o);
    foi_free(e->allocator, of);
    return status;
}

// Adds v = start if v, or something that leads to it, is still open.
static fo_status try_start(foi_plan *p, foi_order *o, uint32_t v, bool pre)
{
    fo_status status = start_row(p, o, v, pre);
    if (status != FO_OK) return status;
    foi_matching_fresh(&o->matching);
    o->matching.look[o->row_count - 1] = 0; // a row that was dropped may have been there
    if (!foi_matching_augment(&o->matching, (uint32_t)o->row_count - 1)) foi_order_drop(o);
    return FO_OK;
}

// What an initial algorithm computes comes last: it is found from the others, not they from it.
static fo_status try_all(foi_plan *p, foi_order *o, int pass, bool first)
{
    foi_equations *e = p->e;
    fo_status status = FO_OK;
    if (o->row_count == o->column_count) return FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (!exists(about) || about->role < FOI_ROLE_DISCRETE || about->fixed) continue;
        if (about->first != first) continue;
        bool discrete = about->role == FOI_ROLE_DISCRETE;
        bool state = about->state && !about->dependent; // of the first choice
        bool named = about->flat || about->start != FOI_NO_NODE;
        bool due = pass == 0   ? state && named
                   : pass == 1 ? discrete
                   : pass == 2 ? !state && !discrete && about->start != FOI_NO_NODE
                               : state && !named;
        if (due) status = try_start(p, o, v, discrete);
    }
    return status;
}

static fo_status order_start(foi_plan *p, foi_order *o)
{
    fo_status status = add_columns(o);
    if (status == FO_OK) status = add_model(o);
    if (status == FO_OK) status = add_fixed(p, o);
    size_t most = o->row_count + o->column_count + 1;
    if (status == FO_OK && !foi_matching_begin(&o->matching, &o->incidence, (uint32_t)most))
        status = foi_equations_no_memory(p->e);
    if (status != FO_OK) return status;
    if (foi_matching_all(&o->matching)) {
        status = foi_order_explain(o);
        fo_message_prefix(p->e->why, "at the start: ");
        return status;
    }
    for (int pass = 0; pass < 8 && status == FO_OK; pass++)
        status = try_all(p, o, pass % 4, pass >= 4);
    if (status != FO_OK) return status;
    status = foi_order_sort(o);
    if (status != FO_OK) fo_message_prefix(p->e->why, "at the start: ");
    return status;
}

static fo_status first_guesses(foi_plan *p, foi_view *v)
{
    p->first_guess = foi_arena_new(&p->arena, p->guess_count, sizeof *p->first_guess);
    if (!p->first_guess) return foi_equations_no_memory(p->e);
    for (uint32_t i = 0; i < p->e->variable_count; i++)
        if (p->guess_of[i] != FOI_NOTHING)
            p->first_guess[p->guess_of[i]] = foi_view_of(v, foi_plan_start_value(p, i));
    return FO_OK;
}

static fo_status first_values(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    for (uint32_t i = 0; i < p->state_count; i++) {
        p->first_state[i] = v->value[p->states[i]];
        p->state_start[i] = foi_plan_start_number(p, p->states[i]);
    }
    for (uint32_t i = 0; i < p->discrete_count; i++) {
        p->first_discrete[i] = v->value[p->discretes[i]];
        p->discrete_start[i] = foi_plan_start_number(p, p->discretes[i]);
    }
    for (uint32_t i = 0; i < e->condition_count; i++)
        p->first_condition[i] = foi_view_of(v, foi_undelayed(e, e->conditions[i].now));
    bool *asks = foi_asserts_asking(e, FOI_LEAF_INITIAL);
    if (!asks) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->action_count; i++) {
        const foi_action *a = &e->actions[i];
        foi_node on = a->initial != FOI_NO_NODE ? a->initial : foi_constant(&e->g, asks[i]);
        p->first_active[i] = foi_undelayed(e, on);
        p->first_value[i] = foi_undelayed(e, a->value);
    }
    foi_free(e->allocator, asks);
    fo_status status = foi_view_of_all(v, p->first_active, e->action_count);
    if (status == FO_OK) status = foi_view_of_all(v, p->first_value, e->action_count);
    if (status != FO_OK) return status;
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

// What flows begins where the way of a homotopy ends: also the loops that no state depends on.
static fo_status first_solutions(foi_plan *p, size_t first_loop, size_t first_unknown)
{
    foi_graph *g = &p->e->g;
    size_t most = p->unknown_count - first_unknown;
    p->first_solved = foi_arena_new(&p->arena, most, sizeof *p->first_solved);
    if (!p->first_solved) return foi_equations_no_memory(p->e);
    for (size_t k = first_loop; k < p->loop_count; k++) {
        const foi_loop *l = &p->loops[k];
        for (uint32_t i = 0; i < l->count && !l->helps; i++)
            p->first_solved[p->first_solved_count++] =
                foi_leaf_of(g, FOI_LEAF_SOLVED, l->first + i);
    }
    return FO_OK;
}

// On the way of a homotopy, and among several starts, relations are what they are in the initial
// system: the run's equations, which relations are looked at with otherwise, do not hold there.
static fo_status first_relations(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    p->first_relation = foi_arena_new(&p->arena, e->relation_count, sizeof *p->first_relation);
    if (!p->first_relation) return foi_equations_no_memory(e);
    for (size_t r = 0; r < e->relation_count; r++) {
        const foi_relation *q = &e->relations[r];
        foi_node left = foi_undelayed(e, q->left);
        p->first_relation[r] =
            q->op == FOI_G_FLOOR ? left : foi_subtract(&e->g, left, foi_undelayed(e, q->right));
    }
    return foi_view_of_all(v, p->first_relation, e->relation_count);
}

// ---------------------------------------------------------------- of several solutions, the
// nearest

enum { MOST_NEAR = 5000, MOST_RELATIONS = 64 }; ///< variables and relations of what is compared

static bool may_have_several(const foi_plan *p)
{
    bool any = p->e->relation_count > 0 && p->e->relation_count <= MOST_RELATIONS;
    for (size_t k = 0; k < p->loop_count; k++) any |= !p->loops[k].linear && !p->loops[k].helps;
    return any && p->e->variable_count <= MOST_NEAR;
}

// Linear loops need no guesses.
static bool is_curved(const foi_plan *p)
{
    bool any = false;
    for (size_t k = 0; k < p->loop_count; k++) any |= !p->loops[k].linear;
    return any;
}

// ((v - start) / size)^2 with the size that loops have for it (program/nearest.c).
static foi_node how_far(foi_plan *p, foi_view *v, uint32_t variable)
{
    foi_graph *g = &p->e->g;
    foi_node start = foi_view_of(v, foi_plan_start_value(p, variable));
    foi_node size = foi_make(g, FOI_G_MAX, foi_make(g, FOI_G_ABS, start, 0, 0),
                             foi_constant(g, foi_plan_size(p, variable)), 0);
    foi_node none = foi_make(g, FOI_G_LESS_EQUAL, size, foi_constant(g, 0), 0);
    size = foi_make(g, FOI_G_IF, none, foi_constant(g, 1), size);
    foi_node u = foi_divide(g, foi_subtract(g, v->value[variable], start), size);
    return foi_multiply(g, u, u);
}

// Whether constraints between what has derivatives were differentiated.
static bool is_bound(const foi_equations *e)
{
    for (size_t i = 0; i < e->equation_count; i++)
        if (e->equations[i].derivative != FOI_NOTHING) return true;
    return false;
}

// Which variables are the derivative of another one: w in der(phi) = w.
static void mark_rates(const foi_equations *e, bool *is_rate)
{
    const foi_graph *g = &e->g;
    for (size_t i = 0; i < e->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        foi_node sides[] = {q->left, q->right};
        for (int k = 0; k < 2; k++) {
            bool both = foi_is_leaf(g, sides[k], FOI_LEAF_VARIABLE) &&
                        foi_is_leaf(g, sides[1 - k], FOI_LEAF_VARIABLE);
            if (!both) break;
            uint32_t one = g->nodes[sides[k]].b, other = g->nodes[sides[1 - k]].b;
            if (e->variables[other].integral != FOI_NOTHING) is_rate[one] = true;
        }
    }
}

/// Of which variables the distances count: the first of these that there are.
typedef enum counted {
    OF_POSITIONS, ///< what has a derivative, and is none
    OF_FLOWING,   ///< what has a derivative
    OF_STARTED,   ///< what has a start value
    OF_ALL
} counted;

static bool counts(const foi_equations *e, uint32_t i, counted which, const bool *is_rate)
{
    const foi_variable *about = &e->variables[i];
    if (!exists(about) || about->role != FOI_ROLE_CONTINUOUS || about->fixed) return false;
    if (which == OF_POSITIONS && is_rate[i]) return false;
    if (which <= OF_FLOWING && about->derivative == FOI_NOTHING) return false;
    return which == OF_ALL || about->start != FOI_NO_NODE || about->state;
}

// Over all variables that have a start value, and where none has, over all. Where positions are
// bound to each other, over positions: which way a mechanism is put together is not for its
// accelerations to say, whatever the size of their start values, nor for its velocities.
static fo_status first_distance(foi_plan *p, foi_view *v)
{
    const foi_equations *e = p->e;
    foi_node sum = FOI_NO_NODE;
    bool *is_rate = foi_new(e->allocator, e->variable_count, sizeof *is_rate);
    if (!is_rate) return foi_equations_no_memory(p->e);
    mark_rates(e, is_rate);
    for (counted k = is_bound(e) ? OF_POSITIONS : OF_STARTED; k <= OF_ALL && sum == FOI_NO_NODE;
         k++)
        for (uint32_t i = 0; i < e->variable_count; i++) {
            if (!counts(e, i, k, is_rate) || v->value[i] == FOI_NO_NODE) continue;
            foi_node far = how_far(p, v, i);
            sum = sum == FOI_NO_NODE ? far : foi_add(&p->e->g, sum, far);
        }
    foi_free(e->allocator, is_rate);
    p->first_distance = sum;
    return FO_OK;
}

// A loop of the run has the solution that the start has, whichever its own start values would lead
// to: with y^2 = x and the initial equation y = 3 it is 3, also where y has the start value -3.
static fo_status first_places(foi_plan *p, const foi_view *v, size_t loops)
{
    foi_equations *e = p->e;
    bool *seen = foi_new(e->allocator, p->guess_count, sizeof *seen);
    p->first_place = foi_arena_new(&p->arena, p->guess_count, sizeof *p->first_place);
    p->place_guess = foi_arena_new(&p->arena, p->guess_count, sizeof *p->place_guess);
    bool good = seen && p->first_place && p->place_guess;
    for (size_t k = 0; k < loops && good; k++) {
        const foi_loop *l = &p->loops[k];
        for (uint32_t i = 0; i < l->count && !l->linear && !l->helps; i++) {
            const foi_unknown *u = &p->unknowns[l->first + i];
            bool flows = e->variables[u->variable].role == FOI_ROLE_CONTINUOUS && !u->pre;
            if (!flows || seen[u->guess] || v->value[u->variable] == FOI_NO_NODE) continue;
            seen[u->guess] = true;
            p->place_guess[p->place_count] = u->guess;
            p->first_place[p->place_count++] = v->value[u->variable];
        }
    }
    foi_free(e->allocator, seen);
    return good ? FO_OK : foi_equations_no_memory(e);
}

// Guards of the flow have v for pre(v); at the start the two may differ.
static fo_status look_before(foi_plan *p)
{
    foi_equations *e = p->e;
    size_t count = 0;
    foi_node *list = foi_new(e->allocator, e->relation_count, sizeof *list);
    for (size_t r = 0; list && r < e->relation_count; r++)
        if (p->guards[r] != FOI_NO_NODE) list[count++] = p->guards[r];
    bool good = list && foi_graph_reach(&e->g, list, count);
    for (size_t i = 0; good && i < e->g.list_count; i++)
        p->asks_before |= foi_is_leaf(&e->g, e->g.list[i], FOI_LEAF_DISCRETE);
    foi_free(e->allocator, list);
    return good ? FO_OK : foi_equations_no_memory(e);
}

fo_status foi_plan_start(foi_plan *p)
{
    foi_order o;
    foi_view v = {.p = p};
    size_t loops = p->loop_count, unknowns = p->unknown_count;
    bool homotopy = p->e->uses_homotopy;
    fo_status status = foi_order_begin(&o, p->e);
    o.whole = true; // the solution nearest to the start values: all of them have a say
    if (status == FO_OK) status = order_start(p, &o);
    if (status == FO_OK) status = foi_view_begin(&v, p, &o, FOI_VIEW_START);
    if (status == FO_OK) status = first_guesses(p, &v);
    if (status == FO_OK) status = first_values(p, &v);
    if (status == FO_OK && is_curved(p)) status = foi_plan_second_guesses(p, &v);
    if (status == FO_OK && homotopy) status = first_solutions(p, loops, unknowns);
    bool several = status == FO_OK && may_have_several(p);
    if (status == FO_OK && (homotopy || several)) status = first_relations(p, &v);
    p->first_distance = FOI_NO_NODE;
    if (status == FO_OK && several) status = first_distance(p, &v);
    if (status == FO_OK) status = first_places(p, &v, loops);
    if (status == FO_OK) status = look_before(p);
    foi_view_end(&v);
    foi_order_end(&o);
    return status;
}
