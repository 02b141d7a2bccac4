/// The flat model: what a language or a diagram becomes, and what equations start from.
///
/// Everything is scalar and has its full name: `arm.joint[2].phi`. Nothing here knows how the
/// model was written; each thing only remembers the place, so that messages can point there.
///
///     variables   parameters, constants, states, algebraic and discrete variables, inputs
///     equations   left = right, at all times
///     initial     left = right, at the start only
///     whens       what happens when a condition becomes true
///     algorithms  statements in order; as a whole they compute the variables that they assign
///     asserts     conditions that must hold
///     functions   called from expressions; statements over their own variables
///
/// One arena owns it all. Expressions are trees of const nodes and may share parts. A field that
/// is NULL means "not given". Indices start at 0 in C, and at 1 in subscripts of the model.
#ifndef FOI_FLAT_H
#define FOI_FLAT_H

#include <foliot/status.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct foi_flat_variable foi_flat_variable;
typedef struct foi_flat_expr foi_flat_expr;
typedef struct foi_flat_statement foi_flat_statement;
typedef struct foi_flat_function foi_flat_function;

/// Where something was written. `line` and `column` start at 1; line 0: nowhere.
typedef struct foi_place {
    uint32_t file; ///< index into foi_flat.files
    uint32_t line, column;
} foi_place;

typedef enum foi_flat_type {
    FOI_REAL,
    FOI_INTEGER, ///< enumerations too: their literals count from 1
    FOI_BOOLEAN, ///< as a number: 0 or 1
    FOI_STRING,  ///< only in messages of assert and terminate and in functions: literals, sums,
                 ///< choices, results and FOI_FN_STRING
} foi_flat_type;

typedef enum foi_variability {
    FOI_CONSTANT,   ///< has a binding that is a literal
    FOI_PARAMETER,  ///< does not change in a run
    FOI_DISCRETE,   ///< changes at moments only
    FOI_CONTINUOUS, ///< Real only
} foi_variability;

typedef enum foi_causality {
    FOI_INTERNAL,
    FOI_INPUT,  ///< an input of the whole model: known from outside, no equation determines it
    FOI_OUTPUT, ///< an output of the whole model; otherwise as any other variable
} foi_causality;

typedef enum foi_state_select {
    FOI_SELECT_DEFAULT,
    FOI_SELECT_NEVER,
    FOI_SELECT_AVOID,
    FOI_SELECT_PREFER,
    FOI_SELECT_ALWAYS,
} foi_state_select;

/// A scalar variable of the model, or of a function or an algorithm (then `local`).
struct foi_flat_variable {
    const char *name;
    uint32_t index; ///< in foi_flat.variables, or in the locals of its function or algorithm
    foi_flat_type type;
    foi_variability variability;
    foi_causality causality;
    foi_state_select select;
    bool local;
    bool state; ///< der(this variable) occurs: a state candidate
    bool fixed; ///< the start value holds at the start; otherwise it is a guess. A parameter
                ///< with fixed = false is computed at the start
    bool fixed_given;
    bool in_algorithm; ///< it, or its array, stands on a left side in an algorithm of the model
    bool structural;   ///< a parameter whose value decided sizes or branches: it cannot be changed
    bool is_protected, is_final;
    bool event; ///< an input Boolean that is true in moments that come from outside by its name;
    foi_flat_variable *event_value; ///< their value goes into this input; NULL: they have none
    /// Of a parameter or constant: its value. Of other variables NULL: a declaration's equation
    /// is among the equations.
    const foi_flat_expr *binding;
    const foi_flat_expr *start, *min, *max, *nominal; ///< of parameters and literals only
    const char *unit, *display_unit, *description;    ///< texts, or NULL
    const char *inferred;        ///< without a unit: the one that follows from an equation, or NULL
    uint32_t inferred_by;        ///< its line
    const char *const *literals; ///< of an enumeration: its names, ended with NULL
    uint32_t stream;   ///< for the language: which stream variable this is, from 1; 0: none
    double value;      ///< what foi_flat_evaluate found, when `evaluated` is 2
    uint8_t evaluated; ///< 0: not asked, 1: being asked, 2: known, 3: unknown, 4: circular
    bool asked; ///< its value was looked at: something may follow from it that is not written
    bool alone; ///< it was not when a program was made, which fits whatever the value is
    foi_place place;
};

typedef enum foi_flat_op {
    FOI_OP_LITERAL,  ///< number; type Real, Integer or Boolean
    FOI_OP_STRING,   ///< text
    FOI_OP_VARIABLE, ///< variable
    FOI_OP_ELEMENT,  ///< an element of an array, chosen in the run: see `array`
    FOI_OP_TIME,
    FOI_OP_NEGATE,
    FOI_OP_NOT,
    FOI_OP_ADD, ///< of type FOI_STRING: joins texts
    FOI_OP_SUBTRACT,
    FOI_OP_MULTIPLY,
    FOI_OP_DIVIDE, ///< always Real
    FOI_OP_POWER,  ///< always Real
    FOI_OP_AND,    ///< may evaluate the second or not
    FOI_OP_OR,
    FOI_OP_LESS, ///< relations of Real arguments outside of noEvent make moments
    FOI_OP_LESS_EQUAL,
    FOI_OP_GREATER,
    FOI_OP_GREATER_EQUAL,
    FOI_OP_EQUAL, ///< also of Boolean and Integer arguments
    FOI_OP_NOT_EQUAL,
    FOI_OP_IF,     ///< arguments: condition, value if true, value if false
    FOI_OP_CALL,   ///< of a built-in function: see foi_flat_builtin
    FOI_OP_RESULT, ///< one scalar result of a call of a function of the model: call, result
} foi_flat_op;

/// Built-in functions. Of one argument unless a comment says otherwise.
typedef enum foi_flat_builtin {
    FOI_FN_DER, ///< of any expression; usually a variable, which then is a state
    FOI_FN_PRE, ///< of a variable or element
    FOI_FN_NO_EVENT,
    FOI_FN_SMOOTH,   ///< (order: an Integer literal, expression)
    FOI_FN_HOMOTOPY, ///< (actual, simplified)
    FOI_FN_SAMPLE,   ///< (start, interval): true at start + n interval, n >= 0
    FOI_FN_INITIAL,  ///< ()
    FOI_FN_TERMINAL, ///< ()
    FOI_FN_DELAY,    ///< (expression, delay time, largest delay time)
    FOI_FN_CONTENTS, ///< (left entry, right entry, way, index of foi_flat.contents, side 0 or 1)
    FOI_FN_ABS,
    FOI_FN_SIGN, ///< Integer
    FOI_FN_SQRT,
    FOI_FN_MIN,   ///< (a, b)
    FOI_FN_MAX,   ///< (a, b)
    FOI_FN_MOD,   ///< (x, y): x - floor(x/y) y
    FOI_FN_REM,   ///< (x, y): x - div(x, y) y
    FOI_FN_DIV,   ///< (x, y): x/y without its fraction, towards zero; type of the arguments
    FOI_FN_FLOOR, ///< Real; floor, ceil, integer, mod, rem and div of Reals make moments
    FOI_FN_CEIL,
    FOI_FN_INTEGER, ///< floor as an Integer
    FOI_FN_SIN,
    FOI_FN_COS,
    FOI_FN_TAN,
    FOI_FN_ASIN,
    FOI_FN_ACOS,
    FOI_FN_ATAN,
    FOI_FN_ATAN2, ///< (y, x)
    FOI_FN_SINH,
    FOI_FN_COSH,
    FOI_FN_TANH,
    FOI_FN_EXP,
    FOI_FN_LOG,
    FOI_FN_LOG10,
    FOI_FN_ALONG, ///< (u, number of a curve): see pieces.h
    FOI_FN_AMONG,
    FOI_FN_REAL,   ///< of an Integer or Boolean, as a Real
    FOI_FN_STRING, ///< of any value: its text
    FOI_FN_COUNT
} foi_flat_builtin;

/// The call of a function of the model. Array arguments are given element by element, row by row.
/// All results of one written call share one of these, so that it need be made only once.
typedef struct foi_flat_call {
    const foi_flat_function *function;
    const foi_flat_expr *const *arguments; ///< as many as the function has inputs
    foi_place place;
} foi_flat_call;

/// elements[offset], offset = ((s1 - 1) dims[1] + (s2 - 1)) dims[2] + ... The subscripts s are the
/// node's arguments, one per dimension; each must be in 1..dims[k], which the run checks.
typedef struct foi_flat_array {
    const char *name;
    foi_flat_variable *const *elements;
    const uint32_t *dims;
    uint32_t rank, count;
} foi_flat_array;

/// Integers are converted to Real by FOI_FN_REAL where an operation needs it: the arguments of an
/// arithmetic operation and of a relation have one type, and so have the two sides of an equation.
struct foi_flat_expr {
    foi_flat_op op;
    foi_flat_type type;
    foi_flat_builtin builtin; ///< of FOI_OP_CALL
    uint32_t count;           ///< arguments
    uint32_t size;            ///< nodes, each counted as often as it would be written
    union {
        double number;
        const char *text;
        foi_flat_variable *variable;
        const foi_flat_array *array;
        struct {
            const foi_flat_call *call;
            uint32_t result; ///< index into the function's outputs
        };
    };
    const foi_flat_expr *const *arguments;
};

/// left = right, of one type.
typedef struct foi_flat_equation {
    const foi_flat_expr *left, *right;
    foi_place place;
    bool branched;  ///< made of the branches of an if-equation
    bool connected; ///< made of a connection
} foi_flat_equation;

typedef enum foi_flat_action {
    FOI_DO_ASSIGN,    ///< targets[i] := values[i], all values taken before the first is stored
    FOI_DO_IF,        ///< the first branch whose condition holds; condition NULL: always
    FOI_DO_FOR,       ///< variable := first, first + step, ... while not beyond last: body
    FOI_DO_WHILE,     ///< while the condition of branches[0]: its body
    FOI_DO_BREAK,     ///< out of the innermost loop
    FOI_DO_RETURN,    ///< out of the function
    FOI_DO_WHEN,      ///< as foi_flat_when; in algorithms of the model only
    FOI_DO_REINIT,    ///< targets[0] (a state) becomes values[0]; in whens only
    FOI_DO_ASSERT,    ///< condition, message, warning
    FOI_DO_TERMINATE, ///< the run ends in order, with message
} foi_flat_action;

typedef struct foi_flat_block {
    foi_flat_statement *const *statements;
    uint32_t count;
} foi_flat_block;

/// A condition and what it leads to. A when may have several conditions: it fires when one of
/// them becomes true.
typedef struct foi_flat_branch {
    const foi_flat_expr *const *conditions;
    uint32_t condition_count; ///< 0: always (else)
    foi_flat_block body;
    foi_place place;
} foi_flat_branch;

struct foi_flat_statement {
    foi_flat_action action;
    foi_place place;
    uint32_t count;                      ///< targets and values
    const foi_flat_expr *const *targets; ///< FOI_OP_VARIABLE or FOI_OP_ELEMENT
    const foi_flat_expr *const *values;  ///< of the targets' types
    const foi_flat_branch *branches;
    uint32_t branch_count;
    foi_flat_variable *variable; ///< of FOR: a local Integer or Real
    const foi_flat_expr *first, *step, *last;
    foi_flat_block body; ///< of FOR
    const foi_flat_expr *condition, *message;
    bool warning; ///< an assert that only warns
};

/// when branches[0] ... elsewhen branches[1] ...: of the branches whose conditions become true at
/// a moment only the first acts. Bodies hold ASSIGN, IF, REINIT, ASSERT and TERMINATE; they come
/// from equations, so their order means nothing and each variable is assigned once.
typedef struct foi_flat_when {
    const foi_flat_branch *branches;
    uint32_t branch_count;
    foi_place place;
} foi_flat_when;

/// Statements in order. Before them each assigned continuous variable takes its start value and
/// each assigned discrete variable its pre value.
typedef struct foi_flat_algorithm {
    foi_flat_block body;
    foi_flat_variable *const *locals; ///< of its loops
    uint32_t local_count;
    bool initial; ///< at the start only
    foi_place place;
} foi_flat_algorithm;

typedef struct foi_flat_assert {
    const foi_flat_expr *condition;
    const foi_flat_expr *message; ///< of type FOI_STRING
    bool warning;
    bool initial; ///< at the start only
    foi_place place;
} foi_flat_assert;

/// A function that is the derivative of another: its inputs are all of that one, and behind them
/// derivatives of some.
typedef struct foi_flat_derivative {
    const foi_flat_function *function;
    uint32_t order;         ///< 1; n: of a call that is itself a derivative, of order n - 1
    uint32_t count;         ///< inputs behind those of the other
    const uint32_t *of;     ///< of which input each of them is the derivative
    const bool *still;      ///< per input: it is the derivative only where that does not change
    const uint32_t *result; ///< per output: its derivative's among the outputs; UINT32_MAX: none
    bool rough;             ///< it is good for the pace of Newton's method, and for no value
} foi_flat_derivative;

/// What the annotation of a function says about it. Per input, with all its elements.
typedef struct foi_flat_known {
    foi_flat_derivative *derivatives;
    uint32_t derivative_count;
    const bool *needed;            ///< its derivative is asked for
    const bool *ignored;           ///< its derivative does not count: it follows from other inputs
    bool ignores;                  ///< one of them
    const foi_flat_expr **inverse; ///< over the locals: the input, given the others and the result;
                                   ///< NULL: no input has one
} foi_flat_known;

/// A function for given sizes of its array arguments. Its locals are: first all inputs, element by
/// element, then all outputs, then the others; a call starts with these others and the outputs 0.
struct foi_flat_function {
    const char *name;
    uint32_t index;
    uint32_t input_count, output_count, local_count; ///< local_count includes both
    foi_flat_variable *const *locals;
    foi_flat_block body;
    bool ready;    ///< the body is complete
    bool outside;  ///< it has none: it is C code, foi_flat.outside
    bool may_stay; ///< it is there, too, for models that would be too large without
    enum { FOI_NOT_LOOKED_AT, FOI_LOOKED_AT, FOI_PURE, FOI_NOT_PURE } purity; ///< see kept.c
    uint32_t weight;                  ///< of a pure one: statements, with those of what it calls
    foi_flat_known *stayed;           ///< its derivative then, where its annotation names none
    const struct foi_kept_code *code; ///< of one that may stay, and of what it calls; kept_code.h
    bool code_tried;                  ///< there is some, or there cannot be
    bool no_rate; ///< of a pure one: it searches, or calls what does and has no derivative
    uint32_t outside_number; ///< there
    struct foi_outside *outside_in;
    bool recursive;        ///< calls itself, perhaps through others
    bool searches_itself;  ///< in loops in which what flows decides: its derivative is not theirs
    bool searches;         ///< in loops that its arguments steer, perhaps through others
    foi_flat_known *known; ///< NULL: nothing
    foi_place place;
};

/// What the model says about its experiment; NAN where it says nothing.
typedef struct foi_flat_experiment {
    double start, stop, tolerance, interval;
} foi_flat_experiment;

/// A component that another tool's unit computes: its outputs are inputs of the flat model, its
/// inputs are outputs.
typedef struct foi_flat_unit {
    const char *name; ///< of the component, "plant.engine"
    const char *file; ///< as the text has it
    foi_place place;
    struct foi_flat_unit_value {
        const char *name; ///< of a parameter, without the component's
        double value;
    } * values;
    uint32_t value_count;
    struct foi_flat_unit_text {
        const char *name, *value; ///< of a parameter or an input of type String
    } * texts;
    uint32_t text_count;
} foi_flat_unit;

/// What a Boolean, Integer or enumeration that drives a unit is called as a Real, behind its name:
/// what jumps is no output of a system, and only outputs are connected.
#define FOI_FLAT_AS_NUMBER ".number"

/// What is in a pipe at the start: places from 0 to 1 that do not fall, and what is there.
typedef struct foi_flat_contents {
    uint32_t count;
    const double *points, *values;
} foi_flat_contents;

/// How hidden constraints are kept: by index reduction, or by sliding manifolds (slide.c).
typedef struct foi_flat_slide {
    double mu;  ///< the time in which a constraint is come back to [s]; 0: index reduction
    double eps; ///< the time in which multipliers follow [s]; 0: at once
} foi_flat_slide;

typedef struct foi_flat {
    foi_arena arena;
    const char *name, *description; ///< of the model
    const char *const *files;
    uint32_t file_count;

    foi_flat_variable **variables;
    uint32_t variable_count;
    foi_flat_equation *equations;
    uint32_t equation_count;
    foi_flat_equation *initial;
    uint32_t initial_count;
    foi_flat_when *whens;
    uint32_t when_count;
    foi_flat_algorithm *algorithms;
    uint32_t algorithm_count;
    foi_flat_assert *asserts;
    uint32_t assert_count;
    foi_flat_function **functions;
    uint32_t function_count;

    foi_flat_unit *units;
    uint32_t unit_count;
    foi_flat_contents *contents; ///< one for each spatialDistribution()
    uint32_t contents_count;
    struct foi_outside *outside; ///< functions that are C code of others; NULL: none
    bool clocked; ///< some equations are those of ticks; what they compare is in noEvent()

    foi_flat_experiment experiment;
    foi_flat_slide slide;
} foi_flat;

/// An empty flat model, to be filled by hand (tests) or by a language. NULL without memory.
foi_flat *foi_flat_create(const fo_allocator *allocator);
/// Takes NULL.
void foi_flat_destroy(foi_flat *flat);

// Makers of expressions. They return NULL when memory is lacking or an argument is NULL, so that
// they can be nested and checked once at the end. They fold what is literal and nothing else.

foi_flat_expr *foi_flat_real(foi_flat *flat, double value);
foi_flat_expr *foi_flat_integer(foi_flat *flat, double value);
foi_flat_expr *foi_flat_boolean(foi_flat *flat, bool value);
foi_flat_expr *foi_flat_text(foi_flat *flat, const char *text);
foi_flat_expr *foi_flat_time(foi_flat *flat);
foi_flat_expr *foi_flat_of(foi_flat *flat, foi_flat_variable *variable);
/// Converts to Real where needed; folds literals.
foi_flat_expr *foi_flat_unary(foi_flat *flat, foi_flat_op op, const foi_flat_expr *a);
foi_flat_expr *foi_flat_binary(foi_flat *flat, foi_flat_op op, const foi_flat_expr *a,
                               const foi_flat_expr *b);
foi_flat_expr *foi_flat_if(foi_flat *flat, const foi_flat_expr *condition, const foi_flat_expr *a,
                           const foi_flat_expr *b);
/// The type is that of the arguments, or the builtin's own. Of at most 3 arguments.
foi_flat_expr *foi_flat_call_builtin(foi_flat *flat, foi_flat_builtin builtin, uint32_t count,
                                     const foi_flat_expr *const *arguments);
/// The expression as a Real; itself when it is one.
const foi_flat_expr *foi_flat_as_real(foi_flat *flat, const foi_flat_expr *e);

/// What String() makes of a value, by a format of C of at most FOI_LONGEST_FORMAT letters (NULL:
/// the usual one) whose last letter says what it is for: one of eEfFgG, diouxXc, or s of literals.
enum { FOI_LONGEST_FORMAT = 20, FOI_MOST_WIDTH = 999 };
void foi_flat_value_text(const char *format, foi_flat_type type, const char *const *literals,
                         double value, char *text, size_t size);
/// The name in models: "sin", "noEvent".
const char *foi_flat_builtin_name(foi_flat_builtin builtin);
/// How many arguments it takes.
uint32_t foi_flat_builtin_arity(foi_flat_builtin builtin);

/// The value of a built-in function of known arguments; false when it has none there.
bool foi_flat_builtin_value(foi_flat_builtin builtin, const double *arguments, double *value);
/// The same for an operation: unary with b = 0, not FOI_OP_IF.
bool foi_flat_op_value(foi_flat_op op, double a, double b, double *value);
/// The value of an expression of literals, and of parameters and constants through their
/// bindings; Boolean as 0 or 1. False when it depends on anything else. With `mark`, parameters
/// that were used become structural.
bool foi_flat_evaluate(const foi_flat_expr *e, bool mark, double *value);
/// The value that it has by itself: that of its binding, or else its start value.
bool foi_flat_default(foi_flat_variable *v, double *value);
/// As foi_flat_evaluate; *missing: a function without a body yet that the value needs, or NULL.
bool foi_flat_evaluate_early(const foi_flat_expr *e, bool mark, double *value,
                             const foi_flat_function **missing);

/// Growing text, for printing. `failed` when memory was lacking, it was too long, or it was to end.
typedef struct foi_flat_writer {
    const fo_allocator *allocator;
    char *text;
    size_t length, room;
    bool failed;
    size_t most;               ///< bytes; 0: no limit
    bool exceeded;             ///< there were more
    bool (*go_on)(void *self); ///< asked again and again; NULL: nobody is
    void *go_on_self;
} foi_flat_writer;

/// The model as text, to look at and to compare in tests. Free `text` with foi_free.
void foi_flat_print(const foi_flat *flat, foi_flat_writer *writer);
void foi_flat_print_expr(const foi_flat_expr *e, foi_flat_writer *writer);
__attribute__((format(printf, 2, 3))) void foi_flat_write(foi_flat_writer *writer,
                                                          const char *format, ...);

#endif
