/// The equations of a model as nodes of one graph, on their way from the flat model to a plan.
///
/// Expressions are over the leaves VARIABLE(v) and PRE(v), v an index into `variables`, TIME,
/// HELD(r), WAS(w), SAMPLE(s), DELAYED(d), INITIAL and TERMINAL. A relation that can make a moment
/// is no operation but a leaf HELD(r): between moments it is a constant, and its two sides are kept
/// apart in `relations`. A derivative is a variable of its own.
#ifndef FOI_EQUATIONS_H
#define FOI_EQUATIONS_H

#include <foliot/status.h>

#include "equations/flat.h"
#include "equations/graph.h"

#define FOI_NOTHING UINT32_MAX

typedef enum foi_role {
    FOI_ROLE_PARAMETER, ///< a number that may be set before the start
    FOI_ROLE_COMPUTED,  ///< a constant, or a parameter that follows from others: `binding`
    FOI_ROLE_INPUT,
    FOI_ROLE_DISCRETE,
    FOI_ROLE_CONTINUOUS,
} foi_role;

typedef struct foi_variable {
    foi_flat_variable *flat; ///< NULL: the derivative of `integral`
    foi_role role;
    uint32_t derivative, integral; ///< other variables, or FOI_NOTHING
    foi_node binding;              ///< of parameters: their default or value
    foi_node start;                ///< start value, over parameters; FOI_NO_NODE: not given
    uint32_t alias;                ///< the variable that this one is always equal to
    bool negative;                 ///< or to the negative of
    bool fixed;                    ///< the start value holds
    uint8_t folded; ///< of a parameter: 2: a number that cannot change, 1: none, 0: not asked
    bool wanted;    ///< the model says der(v): a state if it can be
    bool state;     ///< a state of the program
    bool dependent; ///< a state that the first choice computes from the others
    bool common;    ///< made by foi_name_common: nobody sees it
    bool first;     ///< an initial algorithm computes it
    bool limit;     ///< a discrete that follows what flows: what that was just before a moment
    uint32_t set;   ///< by a reinit: 1 + the last action that does; 0: by none
} foi_variable;

typedef struct foi_equation {
    foi_node left, right;
    foi_place place;
    uint32_t assigns; ///< the discrete variable that a when or an algorithm assigns, or NOTHING
    foi_node
        initial; ///< of assigning equations, and those with homotopy: the right side at the start
    uint32_t derivative, integral; ///< by index reduction: other equations, or NOTHING
    bool removed;                  ///< became an alias
    bool always;                   ///< an algorithm without a when computes it
    bool constraint;               ///< left to the choice of states, see foi_constraint
} foi_equation;

/// A choice of states is between candidates: variables of which as many follow from the others as
/// there are constraints, at each level of derivatives by itself (dummies.c). Level 0 is that of
/// the highest derivatives; velocities and their constraints for a mechanism, positions are at 1.
typedef struct foi_candidate {
    uint32_t variable;
    uint32_t level;
    uint32_t group; ///< see foi_constraint
    uint32_t above; ///< its derivative, among the candidates: it must be computed where this one
                    ///< is; or FOI_NOTHING
    double weight;  ///< its nominal value, and how much rather it is computed than others
    bool first;     ///< computed from the others in the first choice
} foi_candidate;

typedef struct foi_constraint {
    uint32_t equation;
    uint32_t level;
    uint32_t group; ///< those of a level that have candidates in common, directly or through others
} foi_constraint;

/// `left op right`, true or false; or with FOI_G_FLOOR the floor of `left`.
typedef struct foi_relation {
    foi_op op;
    foi_node left, right;
    foi_place place;
} foi_relation;

/// A condition of a when: what it is now, to be compared with what it was.
typedef struct foi_condition {
    foi_node now;
} foi_condition;

typedef struct foi_sampler {
    foi_node start, interval;
    foi_place place;
} foi_sampler;

/// delay(of, lag, most): leaf DELAYED is what `of` was `lag` ago; before the start it is `start`.
/// Of spatialDistribution() there are two, one after the other, for what is at the ends of the
/// pipe: `of` is what enters at this end and `lag` the way that was flown.
typedef struct foi_delay {
    foi_node of, lag, most;
    foi_node start; ///< `of` with the delays in it replaced by theirs
    foi_place place;
    const foi_flat_contents *contents; ///< of a pipe
    bool right;                        ///< the right end of it
} foi_delay;

/// A value in the message of an assert or terminate.
typedef struct foi_word {
    foi_node value;
    foi_flat_type type;
    const char *const *literals; ///< of an enumeration
    const char *format;          ///< of C; NULL: the usual one
    bool gate; ///< no text: what follows, up to its end, is there where the value is true
} foi_word;

/// A text with marks for the values in it.
typedef struct foi_text {
    const char *text;
    const foi_word *words;
    uint32_t count;
    uint32_t under; ///< of a local: 1 + the only mask under which it is set; 0: it is always
} foi_text;

/// Where in a message the next word goes, and where what a gate stands before ends.
#define FOI_WORD_MARK '\1'
#define FOI_WORD_END  '\2'

/// What a when does beside assigning: at moments where `active` is true.
typedef struct foi_action {
    foi_flat_action action; ///< FOI_DO_REINIT, FOI_DO_ASSERT or FOI_DO_TERMINATE
    foi_node active;        ///< FOI_NO_NODE: at all times (asserts)
    foi_node initial;       ///< the same at the start
    uint32_t variable;      ///< reinit: the state
    foi_node value;         ///< reinit: its new value; assert: the condition
    const char *message;
    uint32_t word, word_count; ///< the values in the message
    bool warning;
    foi_place place;
} foi_action;

/// What an input, a parameter or what flows was before the moment: a discrete that is equal to it.
typedef struct foi_shadow {
    uint32_t of, variable;
} foi_shadow;

/// A call whose function says what its derivative or its inverse is; see called.c.
typedef struct foi_called_function {
    const foi_flat_call *call;
    uint32_t result;
    uint32_t order; ///< it is the derivative of another call, of this order; 0: of none
} foi_called_function;

/// See memo.c.
typedef struct foi_memo_entry {
    uint64_t hash;
    uint32_t key_count;
    const uint32_t *key; ///< NULL: nothing is here
    const foi_node *values;
} foi_memo_entry;

typedef struct foi_memo {
    foi_memo_entry *list; ///< by hash
    size_t room, count;   ///< the room is a power of two
} foi_memo;

/// What is known of a node by what is below it; see facts.c.
typedef enum foi_fact {
    FOI_FACT_TURNS = 1, ///< a relation or a rounding is there
    FOI_FACT_FLOWS = 2, ///< something that changes between moments
    FOI_FACT_FRAME = 4, ///< external code
    FOI_FACT_INPUT = 8,
} foi_fact;

typedef struct foi_facts {
    uint8_t *of; ///< per node, of the first `count`
    size_t count, room;
} foi_facts;

typedef struct foi_equations {
    foi_graph g;
    foi_facts facts;
    const foi_flat *flat;
    foi_variable *variables;
    size_t variable_count, variable_room;
    foi_equation *equations;
    size_t equation_count, equation_room;
    foi_equation *initial;
    size_t initial_count, initial_room;
    foi_relation *relations;
    size_t relation_count, relation_room;
    foi_condition *conditions;
    size_t condition_count, condition_room;
    foi_sampler *samplers;
    size_t sampler_count, sampler_room;
    foi_delay *delays;
    size_t delay_count, delay_room;
    foi_action *actions;
    size_t action_count, action_room;
    foi_word *words;
    size_t word_count, word_room;
    foi_shadow *shadows;
    size_t shadow_count, shadow_room;
    foi_called_function *called; ///< by the number in nodes CALLED
    size_t called_count, called_room;
    bool keeps;     ///< functions that may stay functions do; see kept.c
    bool too_large; ///< written out there are too many statements
    uint32_t most_statements;
    bool *checked;  ///< per equation: it is watched whether an inverse solves it; see inverse.c
    bool inverts;   ///< the equation that is solved may be by an inverse
    bool inverted;  ///< the last one was
    uint32_t order; ///< of the derivative that is being called; 0: it is none
    bool silent;    ///< what is worked out is no part of the text: it asserts nothing
    uint32_t statements_silent; ///< worked out so
    foi_arena texts;            ///< messages and names that were made
    struct foi_scope *scope;    ///< while statements are worked out
    foi_node where;             ///< what is lowered is evaluated where this is true: its branches
    bool only_start;            ///< and at the start only
    bool uses_homotopy;         ///< homotopy() occurs
    uint32_t calls;             ///< how deep in calls
    uint32_t statements;        ///< worked out so far
    foi_memo memo;              ///< calls that were worked out, and arguments of calls
    uint32_t epoch, epochs;     ///< between two epochs no variable of a scope changes its worth

    /* index reduction */
    foi_candidate *candidates; ///< level by level, and in the plan group by group
    size_t candidate_count, candidate_room;
    foi_constraint *constraints; ///< the same
    size_t constraint_count, constraint_room;
    uint32_t manifold_count; ///< constraints that slide; see slide.c
    bool as_written;     ///< wanted: constraints that the structure shows stay as they are, with
                         ///< numbers for what is a number
    bool all_candidates; ///< wanted: nothing is chosen once and for all where there is a choice
    bool entangled;      ///< found: a constraint needs a loop's solution, or leaves no choice; one
                         ///< of these may help
    bool froze;          ///< found: a formula of parameters that is zero was divided by; they are
                         ///< structural now, and what depends on what is to be found anew
    const fo_allocator *allocator;
    fo_message *why;
    foi_place place; ///< of the first error
} foi_equations;

/// Takes the flat model apart. The flat model must live as long as the equations.
fo_status foi_equations_begin(foi_equations *e, const foi_flat *flat, const fo_allocator *allocator,
                              fo_message *why);
/// The same; `keeps`: functions that may stay functions do.
fo_status foi_equations_begin_keeping(foi_equations *e, const foi_flat *flat, bool keeps,
                                      const fo_allocator *allocator, fo_message *why);
/// Is a call of it one operation?
static inline bool foi_is_operation(const foi_equations *e, const foi_flat_function *f)
{
    return f->outside || (e->keeps && f->may_stay);
}
void foi_equations_end(foi_equations *e);

/// Ends with a message about the place. Returns `status`.
__attribute__((format(printf, 4, 5))) fo_status foi_equations_fail(foi_equations *e,
                                                                   foi_place place,
                                                                   fo_status status,
                                                                   const char *format, ...);
fo_status foi_equations_no_memory(foi_equations *e);

/// "v", or "der(v)"; in the equations' arena. Never NULL.
const char *foi_variable_name(foi_equations *e, uint32_t variable);
/// "line 12", or "line 3 of part.mo" when there are several files; "equation 4" without a place.
const char *foi_place_name(foi_equations *e, foi_place place, char *text, size_t size);
/// The equation as text. Returns `text`.
const char *foi_equation_text(foi_equations *e, const foi_equation *q, char *text, size_t size);
const char *foi_expression_text(foi_equations *e, foi_node n, char *text, size_t size);

/// The derivative of a variable, made when there is none yet; FOI_NOTHING without memory.
uint32_t foi_derivative_of(foi_equations *e, uint32_t variable);
/// Its leaf, or that of what it is an alias of.
foi_node foi_variable_leaf(foi_equations *e, uint32_t variable);
/// d/dt of an expression over variables: derivatives of variables are made where needed.
foi_node foi_total_derivative(foi_equations *e, foi_node n);

/* facts.c */

/// What is known of a node, as foi_fact. Those of a node are found once.
unsigned foi_facts_of(foi_equations *e, foi_node n);
/// Variables flow now that did not, or the other way round: what was found is to be found anew.
void foi_facts_forget(foi_equations *e);
/// floor, ceil, div, mod, rem and sign.
bool foi_rounds(foi_op op);
/// Does the leaf change between moments?
bool foi_leaf_flows(const foi_equations *e, const foi_graph_node *n);

/* lower_expression.c */

/// An expression of the flat model. With `events` its relations make moments.
fo_status foi_lower(foi_equations *e, const foi_flat_expr *expr, bool events, foi_place place,
                    foi_node *node);
/// The expression with every relation and rounding of what flows watched, as it would be outside of
/// noEvent: the conditions of whens and asserts, and of the branches that these stand in. One with
/// more relations than that stays as it is, and an assert is looked at after every step only.
/// *moves, if it is not NULL: it still changes between moments.
enum { FOI_MOST_WATCHED = 32 }; // an unrolled loop has more, and they would all be guards
fo_status foi_lower_watched(foi_equations *e, foi_place place, foi_node *node, bool *moves);

/* lower_statement.c */

/// Where statements are worked out symbolically: what each variable is worth at this point.
typedef struct foi_scope {
    foi_node *locals;  ///< of the function or algorithm
    foi_text *texts;   ///< of the function: per local, where that is a text
    foi_node *globals; ///< per variable of the model: its value so far, or FOI_NO_NODE
    bool reads;        ///< expressions see `globals` (algorithms); otherwise only assignments do
    bool events;       ///< relations make moments
    bool at_start;     ///< whens act as they do at the start
    bool in_when;      ///< only moments come here: new relations make none
    foi_node where;    ///< from where it was called
    foi_node alive;    ///< not returned yet
    foi_node running;  ///< not broken out of the loop yet
    struct foi_scope *outer;
} foi_scope;

/// Works out the statements where `mask` is true. Every assignment v := w becomes
/// v := if mask then w else v.
fo_status foi_lower_block(foi_equations *e, const foi_flat_block *block, foi_node mask);
/// The same for a when.
fo_status foi_lower_when(foi_equations *e, const foi_flat_branch *branches, uint32_t count,
                         foi_node mask, foi_place place);
/// What a local or assigned variable is worth in the present scope.
foi_node foi_scope_value(const foi_equations *e, const foi_flat_variable *v);

/* memo.c */

/// What was kept under these words; NULL: nothing.
const foi_node *foi_memo_find(const foi_memo *m, const uint32_t *key, uint32_t count);
/// Keeps it. False without memory.
bool foi_memo_keep(foi_memo *m, foi_equations *e, const uint32_t *key, uint32_t count,
                   const foi_node *values, uint32_t value_count);
void foi_memo_end(foi_memo *m, const fo_allocator *allocator);

/* lower_text.c */

/// The message of an action, with marks for the values that are known in the run only.
fo_status foi_lower_message(foi_equations *e, const foi_flat_expr *message, foi_action *a);
/// Where elements[...] with these subscripts is evaluated, each must be within its dimension, or
/// the run ends.
fo_status foi_lower_within(foi_equations *e, const foi_flat_array *array,
                           const foi_node *subscripts, foi_node where, foi_place place);
/// How far into its array an element is, which must be within it.
fo_status foi_lower_offset(foi_equations *e, const foi_flat_expr *element, foi_place place,
                           foi_node *offset);
/// What a text is at this point, in the equations' arena.
fo_status foi_lower_text(foi_equations *e, const foi_flat_expr *x, foi_place place, foi_text *text);
/// v := the text, where `mask` is true.
fo_status foi_assign_text(foi_equations *e, const foi_flat_variable *v, foi_node mask,
                          foi_text text, foi_place place);

/* lower_algorithm.c */

/// The result of a call of a function of the model, worked out symbolically; it is made where
/// `where` is true. With `text` not NULL that result is a text.
fo_status foi_lower_call(foi_equations *e, const foi_flat_call *call, const foi_node *arguments,
                         uint32_t result, foi_node where, foi_node *node, foi_text *text);
/// The same for one of many results that are numbers. The key names the written call, and when and
/// how it is made.
fo_status foi_lower_result(foi_equations *e, const foi_flat_call *call, const uint32_t *key,
                           uint32_t count, const foi_node *arguments, uint32_t result,
                           foi_node where, foi_node *node);

/* called.c */

/// The value that a call has made, with what its function says about it.
fo_status foi_mark_called(foi_equations *e, const foi_flat_call *call, const foi_node *arguments,
                          uint32_t result, foi_node where, foi_node *value);
/// d/dt of an expression with such calls.
foi_node foi_derive_called(foi_equations *e, foi_node n, foi_leaf_map *leaf);
/// From CALLED = *other with the leaf in one argument to that argument = *other, by the inverse of
/// the function. False: there is none.
bool foi_invert_called(foi_equations *e, foi_node leaf, foi_node *called, foi_node *other);
/// foi_graph.partial; `self` is the equations.
foi_node foi_partial_called(void *self, foi_node result, uint32_t input);

/// What external code gives at a node OUTSIDE, which is called now, given what the nodes before it
/// are worth; NAN: it fails.
double foi_outside_number(const foi_equations *e, foi_node at, const double *value);

/* lower_algorithm.c */

/// Variables that whens and algorithms assign are discrete, unless an algorithm computes them all
/// the time.
void foi_mark_assigned(foi_equations *e);
fo_status foi_lower_whens(foi_equations *e);
fo_status foi_lower_algorithms(foi_equations *e);
fo_status foi_lower_asserts(foi_equations *e);

/// Per action: whether it is an assert that holds at all times and asks for initial() or
/// terminal(); it is then looked at in that moment too. NULL without memory; to be freed.
bool *foi_asserts_asking(foi_equations *e, foi_leaf leaf);

/* equations.c */

/// The number of a parameter that cannot change, if it is one.
bool foi_folded_value(foi_equations *e, const foi_flat_variable *v, double *value);

/* unassigned.c */

/// Gives variables that algorithms may assign, and never do, their start values where nothing else
/// determines them. `first`: the equations from there on are those that algorithms have made.
fo_status foi_give_unassigned(foi_equations *e, size_t first);

/* shadow.c */

/// Variables that are no Reals: whether their equations determine them, and when; see discrete.c.
fo_status foi_settle_discrete(foi_equations *e);

/// PRE of a discrete that follows an input, a parameter or what flows. FOI_NO_NODE without memory.
foi_node foi_lower_before(foi_equations *e, uint32_t variable);
/// Their equations, when all else is lowered.
fo_status foi_lower_shadows(foi_equations *e);

/* homotopy.c */

/// The expression that is `simplified` where lambda is 0, and `actual` where it is 1.
foi_node foi_homotopy(foi_equations *e, foi_node actual, foi_node simplified);
/// Equations with lambda get a right side of their own for the start; the run has lambda = 1.
fo_status foi_split_homotopy(foi_equations *e);

/* start.c */

/// At the start `value` must be `start`, the fixed start value of v, up to a millionth of its size.
fo_status foi_assert_start(foi_equations *e, uint32_t v, foi_node value, foi_node start);

/* alias.c */

/// Finds equations v = w and v = -w and leaves one of the two variables.
fo_status foi_alias(foi_equations *e);
/// Where every expression of the model is but those of bindings and start values, for whoever puts
/// another one in its place; the caller frees the list. NULL without memory.
foi_node **foi_every_expression(foi_equations *e, size_t *count);

/* common.c */

/// Gives names to what many expressions have in common, where each would be as large as all that
/// was worked out before it.
fo_status foi_name_common(foi_equations *e);

/* vanish.c */

/// Makes parameters structural whose formulas are zero and leave an equation without a derivative
/// that stands in it; then e->froze is set. After the aliases.
fo_status foi_freeze_vanishing(foi_equations *e);

/* numbers.c */

/// Puts numbers in the place of variables that are numbers by an equation of their own. *more:
/// something has changed.
fo_status foi_put_numbers(foi_equations *e, bool *more);

/* semilinear.c */

/// Pairs of semiLinear that leave open what is between them at zero. After the aliases.
fo_status foi_join_semilinear(foi_equations *e);

/* delays.c */

/// The leaf of delay(of, lag, most).
fo_status foi_lower_delay(foi_equations *e, foi_node of, foi_node lag, foi_node most,
                          foi_place place, foi_node *node);
/// The leaf of what is at one end of the pipe `contents`.
fo_status foi_lower_contents(foi_equations *e, foi_node left, foi_node right, foi_node way,
                             const foi_flat_contents *contents, bool at_right, foi_place place,
                             foi_node *node);
/// The expression as it is at the start, where nothing has been delayed yet.
foi_node foi_undelayed(foi_equations *e, foi_node n);
/// Whether what an expression was some time ago occurs in it.
bool foi_has_delay(foi_equations *e, foi_node n);
/// Whether a leaf of this kind does.
bool foi_has_leaf(foi_equations *e, foi_node n, foi_leaf kind);

/* solve.c */

/// The right side of leaf = ..., from left = right: by taking the operations around the leaf off
/// one by one, or where it occurs more than once but linearly by its coefficient. FOI_NO_NODE when
/// it cannot be. `safe`: only where what is divided by cannot become zero in a run.
foi_node foi_solve(foi_equations *e, foi_node left, foi_node right, foi_node leaf, bool safe);
/// Watches in the run that inverses which annotations name solve the equations for which they are
/// taken. Once the equations of the run are sorted.
struct foi_order;
fo_status foi_watch_inverses(foi_equations *e, const struct foi_order *o);

/* reduce.c */

/// Index reduction, and the choice of the states. Afterwards each equation system of the highest
/// derivatives has a solution, structurally.
fo_status foi_reduce(foi_equations *e);

/* floats.c */

/// Looks for variables that can move together by any amount without any equation noticing; floats:
/// per variable, whether it is one of them. False: there are none, or no memory.
bool foi_floating(foi_equations *e, bool *floats);

#endif
