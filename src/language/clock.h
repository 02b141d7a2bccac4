/// Operators of clocks between the expressions that use them (clock_call.c) and the partitions that
/// they make (clock.c).
#ifndef FOI_CLOCK_H
#define FOI_CLOCK_H

#include "language/session.h"

/// Operators that clock.c removes; their numbers come after those of the flat model.
enum {
    CLOCK_SAMPLE = FOI_FN_COUNT + 1, ///< (u) or (u, clock)
    CLOCK_HOLD,
    CLOCK_PREVIOUS,
    CLOCK_SUB, ///< (u, factor); 0: inferred
    CLOCK_SUPER,
    CLOCK_SHIFT, ///< (u, counter, resolution)
    CLOCK_BACK,
    CLOCK_FREE,     ///< noClock
    CLOCK_INTERVAL, ///< () or (u)
    CLOCK_FIRST,
    CLOCK_INFERRED, ///< Clock()
    CLOCK_PERIOD,   ///< (seconds) or (seconds, counter, resolution)
    CLOCK_EVENT,    ///< (condition) or (condition, interval at the first tick)
    CLOCK_SOLVER,   ///< (clock, method)
    CLOCK_TICKS,    ///< ticksInState(), see machine.c
    CLOCK_STAY,     ///< timeInState()
    CLOCK_LAST,
    CLOCK_ACTIVE, ///< activeState(...): a variable, no operator
};

static inline bool foi_is_clock_call(const foi_flat_expr *e)
{
    return e->op == FOI_OP_CALL && (int)e->builtin >= CLOCK_SAMPLE && (int)e->builtin < CLOCK_LAST;
}

/// Arguments of any expression, those of a call of a function of the model, too.
static inline uint32_t foi_clock_arguments(const foi_flat_expr *e)
{
    return e->op == FOI_OP_RESULT ? e->call->function->input_count : e->count;
}

static inline const foi_flat_expr *foi_clock_argument(const foi_flat_expr *e, uint32_t i)
{
    return e->op == FOI_OP_RESULT ? e->call->arguments[i] : e->arguments[i];
}

// clock_call.c

/// A call of an operator of clocks.
const foi_flat_expr *foi_clock_make(foi_session *s, int operation, foi_flat_type type,
                                    uint32_t count, const foi_flat_expr *const *arguments);
/// What argument i of e becomes; NULL: wrong, and said so.
typedef const foi_flat_expr *foi_clock_change(void *data, const foi_flat_expr *e, uint32_t i);
/// The expression with other arguments.
const foi_flat_expr *foi_clock_copy(foi_session *s, const foi_flat_expr *e,
                                    foi_clock_change *change, void *data);

// clock_block.c

/// What an expression becomes; NULL: wrong, and said so.
typedef const foi_flat_expr *foi_clock_each_fn(void *data, const foi_flat_expr *e);
/// Changes all expressions of statements.
bool foi_clock_each(foi_session *s, foi_flat_block *block, foi_clock_each_fn *change, void *data);
bool foi_clock_each_branch(foi_session *s, const foi_flat_branch **list, uint32_t count,
                           foi_clock_each_fn *change, void *data);
/// The variables of the model that statements assign, each once.
bool foi_clock_targets(foi_session *s, const foi_flat_block *block, foi_flat_variable ***list,
                       uint32_t *count);
/// Another assignment before all others.
bool foi_clock_prepend(foi_session *s, foi_flat_block *block, foi_place place, uint32_t count,
                       const foi_flat_expr *const *targets, const foi_flat_expr *const *values);

/// A solver method: how a tick goes on from the one before,
/// x + h ((1 - theta) previous(x') + theta x').
typedef struct foi_clock_method {
    const char *name;
    double theta;
} foi_clock_method;

/// Names for clocks and clocked values that stand inside of expressions (clock_name.c).
bool foi_name_clocks(foi_session *s);

enum { FOI_CLOCK_METHODS = 3 };
extern const foi_clock_method foi_clock_methods[FOI_CLOCK_METHODS];

// clock_part.c

/// A partition while its clock is found; nodes are variables, the first of each stands for all.
typedef struct foi_clock_part {
    uint32_t parent;
    bool clocked;
    bool known;
    double start, period;
    const foi_flat_expr *event;              ///< of a clock of a condition
    bool turns;                              ///< whenever that changes, not only when it rises
    struct foi_clock_part *base;             ///< whose ticks these are: every ratio-th of them
    double ratio, shift;                     ///< after the first shift; NULL: its own
    const foi_flat_expr *varying;            ///< Clock(...) of an interval that changes
    const foi_flat_expr *first_interval;     ///< interval() at the first tick; NULL: 0
    const foi_flat_expr *interval;           ///< interval(), when it is first needed
    bool assumed;                            ///< nobody has said how it ticks
    foi_flat_variable *count;                ///< of its ticks, when it is first needed
    const foi_flat_expr **targets, **values; ///< what a tick assigns
    uint32_t target_count, value_count;
    const foi_flat_expr *time;
    uint32_t method; ///< 1 + that of foi_clock_methods; 0: none
} foi_clock_part;

/// Q ticks as P does, converted.
typedef struct foi_clock_relation {
    uint32_t q, p;
    int operation;
    double a, b;
    foi_place place;
} foi_clock_relation;

typedef struct foi_clock_memory {
    const foi_flat_variable *of; ///< previous(of)
    const foi_flat_expr *is;
} foi_clock_memory;

/// der(x) in a clocked partition.
typedef struct foi_clock_rate {
    const foi_flat_expr *x, *is;
    const foi_flat_expr *next; ///< x at a tick that is not the first
    foi_clock_part *p;
    bool started; ///< an initial equation says what x is at the first one
} foi_clock_rate;

typedef struct foi_clocks {
    foi_session *s;
    foi_clock_part *parts; ///< one for each variable
    uint32_t count;
    foi_clock_relation *relations;
    uint32_t relation_count;
    foi_clock_memory *memories;
    uint32_t memory_count;
    foi_clock_rate *rates;
    uint32_t rate_count;
    uint32_t made;            ///< variables
    foi_flat_equation *added; ///< for what is sampled
    uint32_t added_count;
    foi_place place;
} foi_clocks;

/// No partition yet.
static const uint32_t FOI_NO_CLOCK = UINT32_MAX;

/// The variable that stands for the partition of variable i.
uint32_t foi_clock_top(foi_clocks *k, uint32_t i);
/// The clocked partition of that name; NULL: it is none.
foi_clock_part *foi_clock_part_of(foi_clocks *k, uint32_t first);
/// Unites all that an expression has in its own partition; *first is its name.
void foi_clock_unite(foi_clocks *k, const foi_flat_expr *e, uint32_t *first);
/// Marks what the operators say: who is clocked, and how clocks depend on each other.
bool foi_clock_mark(foi_clocks *k, const foi_flat_expr *e, uint32_t here);
/// Clock(...) on one side of an equation, or as the second argument of sample.
bool foi_clock_define(foi_clocks *k, const foi_flat_expr *e, uint32_t here);
/// Ticks of p for one of q; 0: to be inferred.
double foi_clock_ratio(const foi_clock_relation *r);
/// How much later q begins, in periods of p.
double foi_clock_shift(const foi_clock_relation *r);
/// Do two clocks that are both given fit to the conversion between them?
bool foi_clock_fits(foi_clocks *k, const foi_clock_relation *r);

// clock_block.c

/// Unites all that an algorithm has.
bool foi_clock_unite_algorithms(foi_clocks *k);
/// What statements and assertions say about clocks.
bool foi_clock_mark_statements(foi_clocks *k);
bool foi_clock_rewrite_statements(foi_clocks *k);

// clock.c

/// previous(x): what x was at the tick before.
const foi_flat_expr *foi_clock_previous(foi_clocks *k, const foi_flat_expr *x, foi_clock_part *p);
/// The expression without operators of clocks, in partition p; NULL: in continuous time. Nothing
/// crosses anything between ticks: relations of a clocked partition are what they are at the tick,
/// and no events of their own.
const foi_flat_expr *foi_clock_rewrite(foi_clocks *k, const foi_flat_expr *e, foi_clock_part *p);

#endif
