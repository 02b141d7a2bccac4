/// The plan: what a program has to compute, as expressions over what it is given.
///
/// Three views of one model: the flow (between moments: discretes and relations are constant),
/// the moment (discretes get their next value from those before), and the start (states and
/// discretes get their first value). In each view every variable is worth an expression over the
/// leaves TIME, STATE, DISCRETE, PRE, INPUT, PARAMETER, HELD, WAS, SAMPLE, START, and SOLVED for
/// what comes out of an algebraic loop. The expressions share one graph, so that what they have in
/// common is computed once.
#ifndef FOI_PLAN_H
#define FOI_PLAN_H

#include "equations/order.h"

/// An iteration variable of a loop: leaf UNKNOWN(u) inside of its residuals, SOLVED(u) outside.
typedef struct foi_unknown {
    uint32_t variable; ///< which
    uint32_t loop;
    uint32_t guess; ///< place of the last solution in the state's memory; FOI_NOTHING: from zero
    bool pre;       ///< PRE(variable), in the start view
} foi_unknown;

/// residual[i](unknowns first .. first + count) = 0. The Jacobian d residual[i] / d unknown[first +
/// j] has entries where it is not zero by structure, column by column.
typedef struct foi_loop {
    uint32_t first, count;
    foi_node *residual; ///< count
    foi_place *place;   ///< count: where each residual's equation was written
    uint32_t *start;    ///< count + 1: where in `row` and `entry` each column begins
    uint32_t *row;      ///< ascending in each column
    foi_node *entry;    ///< the derivative there
    foi_node *inner;    ///< variables that follow from the unknowns by tearing, over UNKNOWN leaves
    uint32_t *variable; ///< which these are
    uint32_t inner_count;
    bool linear;       ///< the Jacobian does not depend on the unknowns
    bool first_values; ///< of the start view: the solution nearest to the start values is wanted
    bool helps;        ///< it is solved before another one, for its first solution
    uint32_t helper;   ///< the loop that does this for it, or FOI_NOTHING
    foi_node *from;    ///< per unknown: its value by the helper, over the helper's UNKNOWN leaves
    const struct foi_loop_about *about; ///< of the program; NULL: not made yet
} foi_loop;

typedef struct foi_plan {
    foi_equations *e;
    bool all_outputs; ///< states are outputs too: they are not those of the system
    uint32_t *slot;   ///< per variable: its place among the states, discretes, inputs, parameters

    uint32_t *states, *discretes, *inputs, *parameters, *outputs; ///< variables
    uint32_t state_count, discrete_count, input_count, parameter_count, output_count;

    /* flow */
    foi_node *rates;       ///< per state
    foi_node *output;      ///< per output
    foi_node *guards;      ///< per relation: its crossing of zero is a moment; or FOI_NO_NODE
    foi_node *guard_rates; ///< d guard / dt over RATE leaves; FOI_NO_NODE: not known
    foi_node *floors;      ///< per relation: what its floor is taken of; or FOI_NO_NODE
    foi_node *instants;    ///< per relation with time: when it becomes true; or FOI_NO_NODE
    bool *time_left;       ///< per relation with time: it stands on the left side
    foi_node *holds;       ///< per action: the condition of an assert that holds at all times
    foi_node *sample_start, *sample_interval;    ///< per sampler
    foi_node *delay_of, *delay_lag, *delay_most; ///< per delay
    foi_node *delay_rates; ///< per delay: d of / dt over RATE leaves; FOI_NO_NODE: not known
    foi_node *words;       ///< per value in a message
    bool *delay_stands;    ///< per delay: its lag does not change between moments
    bool *delay_steps;     ///< per delay: nor does what is delayed

    /* moment */
    foi_node *next;       ///< per discrete
    foi_node *conditions; ///< per when-condition
    foi_node *active;     ///< per action
    foi_node *value;      ///< per action
    foi_node *turned; ///< per relation: left - right in the turn; FOI_NO_NODE: the turn does not
                      ///< change that

    /* start */
    foi_node *first_state;     ///< per state
    foi_node *first_discrete;  ///< per discrete
    foi_node *first_condition; ///< per when-condition
    foi_node *first_active;    ///< per action
    foi_node *first_value;     ///< per action
    foi_node *first_solved;    ///< all solutions of the start's loops, with homotopy
    size_t first_solved_count;
    foi_node *first_relation; ///< per relation: left - right, or what a floor is taken of; NULL:
                              ///< not wanted
    bool asks_before;         ///< guards depend on discretes, which in the flow are what pre() is
    foi_node first_distance;  ///< from the start values, squared; FOI_NO_NODE: not wanted
    foi_node *first_place; ///< where nonlinear loops of the run begin: their unknowns at the start
    uint32_t *place_guess; ///< per place: its guess
    size_t place_count;
    double *state_start; ///< numbers for the description
    double *discrete_start, *parameter_start;

    /* the Jacobian of the rates by the states, by columns */
    uint32_t *column_start, *row; ///< NULL: not known
    foi_node *entries;            ///< NULL: only the pattern is known, a large loop lies in between
    size_t entry_count;

    /* the choice of states */
    foi_node *constraints;    ///< per constraint: left - right
    foi_node *rounding;       ///< per constraint: what rounding makes of that, in units of
                              ///< the machine's epsilon
    struct foi_entry *slopes; ///< d constraint / d candidate, within a group
    size_t slope_count, slope_room;

    foi_unknown *unknowns;
    size_t unknown_count, unknown_room;
    foi_loop *loops;
    size_t loop_count, loop_room;
    uint32_t *guess_of; ///< per variable: its guess, or FOI_NOTHING
    uint32_t guess_count;
    foi_node *first_guess;  ///< per guess: the start value of its variable
    foi_node *second_guess; ///< or by a formula; see guess.c
    bool has_second;        ///< the two differ
    foi_arena arena;        ///< owns the lists
} foi_plan;

/// Makes the plan: aliases, index reduction, sorting, loops, initial system, Jacobian. The
/// equations must live as long as the plan.
fo_status foi_plan_begin(foi_plan *p, foi_equations *e);
void foi_plan_end(foi_plan *p);

/// The number that an expression over parameters is with their defaults. False: it is none.
bool foi_default_number(foi_equations *e, foi_node n, double *value);
/// The size of a variable: its nominal value or that of its start, or 0.
double foi_plan_size(foi_plan *p, uint32_t variable);
/// The value that a variable's start attribute has with the default parameters; 0 without one.
double foi_plan_start_number(foi_plan *p, uint32_t variable);

/// The sorted equations of the run as text, block by block. For `foliot show --sorted`. The plan of
/// these equations must have been made.
fo_status foi_sorted_print(foi_equations *e, foi_flat_writer *writer);

/* view.c */

typedef enum foi_view_kind { FOI_VIEW_FLOW, FOI_VIEW_MOMENT, FOI_VIEW_START } foi_view_kind;

/// What everything is worth in one view.
typedef struct foi_view {
    foi_plan *p;
    foi_order *o;
    foi_view_kind kind;
    foi_node *value;     ///< per variable, over the program's leaves; FOI_NO_NODE: not known yet
    foi_node *pre_value; ///< the same for PRE(variable), in the start view
    foi_node *held;      ///< per relation, in a moment: what it is worth in the turn
    uint32_t *asked;     ///< per relation: work space
} foi_view;

/// Works through the blocks of the order: every variable gets its value, every loop is torn.
fo_status foi_view_begin(foi_view *v, foi_plan *p, foi_order *o, foi_view_kind kind);
void foi_view_end(foi_view *v);
/// Decides what the relations in these expressions are worth, before the first use. See renew.c.
fo_status foi_view_decide(foi_view *v, const foi_node *roots, size_t count);
/// The expression in this view.
foi_node foi_view_of(foi_view *v, foi_node n);
/// The same for all of a list; FOI_NO_NODE in it stays.
fo_status foi_view_of_all(foi_view *v, foi_node *list, size_t count);

/* loop.c */

/// Whether a loop of n unknowns is solved faster with one of fewer before it.
bool foi_loop_is_helped(uint32_t n, uint32_t fewer);
/// The Jacobian of the loop's residuals, and whether it is linear.
fo_status foi_loop_jacobian(foi_plan *p, foi_loop *l);

/* tear.c */

/// How a block is solved: `inner` rows one after the other, each for its variable, given the
/// tearing variables; what remains are residuals.
typedef struct foi_tearing {
    uint32_t *rows;    ///< inner rows in order, then the residuals
    uint32_t *columns; ///< of the inner rows, then the tearing variables
    foi_node *solved;  ///< right sides of the inner rows
    uint32_t inner, count;
    bool exact; ///< what follows is as precise as what it follows from
    const fo_allocator *allocator;
} foi_tearing;

fo_status foi_tearing_begin(foi_tearing *t, foi_order *o, const uint32_t *rows, uint32_t count,
                            bool exact);
void foi_tearing_end(foi_tearing *t);

/* start.c */

/// The initial system: order and view, and from them the first values.
fo_status foi_plan_start(foi_plan *p);
/// Makes assertions of fixed start values that follow from others.
fo_status foi_plan_agree(foi_plan *p);
/// The start value of a variable: what the user gave, or the model's formula.
foi_node foi_plan_start_value(foi_plan *p, uint32_t variable);

/* guess.c */

/// Other guesses for the loops of the start.
fo_status foi_plan_second_guesses(foi_plan *p, foi_view *v);

/* implicit.c */

/// One entry of a sparse matrix.
typedef struct foi_entry {
    uint32_t row, column;
    foi_node node;
} foi_entry;
typedef struct foi_entries {
    foi_entry *list;
    size_t count, room;
} foi_entries;

/// The Jacobian of the rates, row by row, where loops lie between states and rates. *known is false
/// where that would be too much: there are no entries then.
fo_status foi_plan_implicit(foi_plan *p, foi_entries *entries, bool *known);

/* constraints.c */

/// What a choice of states needs, from the view of the flow.
fo_status foi_plan_constraints(foi_plan *p, foi_view *v);

/* derivatives.c */

/// The Jacobian and the guards' derivatives.
fo_status foi_plan_derivatives(foi_plan *p);

#endif
