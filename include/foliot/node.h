/// Node types of one's own, for block diagrams.
///
/// A type is a description with a few functions: what it is called, which ports and parameters it
/// has, and what it computes from numbers. Checking of parameters, dimensions, sample times,
/// crossings and help follow from it, as for the types that come with the program:
///
///     static void output(const fo_node_call *c)
///     {
///         for (uint32_t i = 0; i < c->size; i++)
///             c->outputs[0][i] = fo_node_at(&c->inputs[0], i) * fo_node_at(&c->parameters[0], i);
///     }
///     static const fo_node_field fields[] = {{"Factor", FO_NODE_NUMBERS, "1", 0, "of it"}, {0}};
///     static const fo_node_type twice = {.name = "Scale", .about = "The input times the factor.",
///                                        .inputs = "u", .outputs = "product",
///                                        .parameters = fields, .output = output};
///     FO_EXPORT_NODES(&twice);
///
/// Compiled as a shared library, or left as C: `foliot run diagram.json --nodes ./scale.c`. A
/// program gives its types to fo_diagram_def or fo_model_def itself. Such a library is code: it is
/// loaded where somebody names it, never because a document asks.
#ifndef FOLIOT_NODE_H
#define FOLIOT_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------- parameters and calls

typedef enum fo_node_field_kind {
    FO_NODE_NUMBERS, ///< real numbers: one, a vector or a matrix; they expand to the output's shape
    FO_NODE_NUMBER,  ///< one real number
    FO_NODE_SAMPLE,  ///< a sample time [s]: the node acts at its multiples; 0: at every time
    FO_NODE_CHOICE,  ///< one of `choices`
    FO_NODE_TEXT,
    FO_NODE_START_NUMBERS, ///< FO_NODE_NUMBERS that only `start` reads: refused in a run
    FO_NODE_START_NUMBER,  ///< the same of one number
} fo_node_field_kind;

/// A parameter.
typedef struct fo_node_field {
    const char *name;
    fo_node_field_kind kind;
    const char *value;   ///< the default, as a document would have it
    const char *choices; ///< "slow|fast"
    const char *about;   ///< with its unit: "of the filter [s]"
} fo_node_field;

/// Numbers row by row.
typedef struct fo_node_array {
    uint32_t rows, cols;
    const double *data; ///< NULL: not known yet
} fo_node_array;

/// Element i, from 0; a single number stands for every element.
static inline double fo_node_at(const fo_node_array *a, uint32_t i)
{
    return a->data[a->rows * a->cols == 1 ? 0 : i];
}

/// What a function of a type gets.
typedef struct fo_node_call {
    double t;      ///< [s]
    uint64_t tick; ///< number of the node's sample, from 0; in `output` and `update` at a sample
    double period; ///< from one of its samples to the next [s]
    bool sampling; ///< this is one
    uint32_t size; ///< elements of the first output, or of the inputs together; 0 in `open`
    const fo_node_array *inputs;     ///< by port
    const fo_node_array *parameters; ///< of a choice: its place, from 0; of a text: nothing
    const char *const *texts;        ///< the parameters as the document has them
    double *const *outputs;          ///< by port; `output` fills them
    const double *x;                 ///< the states
    const double *sides;             ///< of the guards: -1 below zero, 1 above, 0 at rest there
    double *kept;                    ///< own memory; only start, update and jump may change it
    void *own;                       ///< what `open` made
    void *host;                      ///< for fo_node_fail
} fo_node_call;

/// Says why the node cannot be as the document has it, or why a run cannot go on; the node's name
/// and place, or the time, are put before. What the functions have given then does not matter.
__attribute__((format(printf, 2, 3))) void fo_node_fail(const fo_node_call *c, const char *format,
                                                        ...);

// ------------------------------------------------------------------------------- as expressions

/// A number, or the expression that it becomes where the diagram runs as a program; made and
/// combined by the functions below.
typedef union fo_scalar {
    double number;
    uint32_t term;
} fo_scalar;

/// Conditions are 1 and 0; what is not 0 is true.
typedef enum fo_operation {
    FO_OP_ADD,
    FO_OP_SUBTRACT,
    FO_OP_MULTIPLY,
    FO_OP_DIVIDE,
    FO_OP_POWER,
    FO_OP_NEGATE,
    FO_OP_ABS,
    FO_OP_SIGN, ///< -1, 0 or 1
    FO_OP_SQRT,
    FO_OP_MIN,
    FO_OP_MAX,
    FO_OP_FLOOR,
    FO_OP_CEIL,
    FO_OP_SIN,
    FO_OP_COS,
    FO_OP_TAN,
    FO_OP_ASIN,
    FO_OP_ACOS,
    FO_OP_ATAN,
    FO_OP_ATAN2, ///< of a / b
    FO_OP_SINH,
    FO_OP_COSH,
    FO_OP_TANH,
    FO_OP_EXP,
    FO_OP_LOG,
    FO_OP_LOG10,
    FO_OP_LESS,
    FO_OP_LESS_EQUAL,
    FO_OP_GREATER,
    FO_OP_GREATER_EQUAL,
    FO_OP_EQUAL,
    FO_OP_NOT_EQUAL,
    FO_OP_NOT,
    FO_OP_AND,
    FO_OP_OR,
    FO_OP_IF, ///< a ? b : c
} fo_operation;

/// The node for which expressions are made.
typedef struct fo_node_math fo_node_math;

/// Elements of the first output, or of the inputs together.
uint32_t fo_math_size(const fo_node_math *m);
/// A constant.
fo_scalar fo_math_number(fo_node_math *m, double value);
/// The time [s].
fo_scalar fo_math_time(fo_node_math *m);
/// Element i of an input; a single number stands for every element.
fo_scalar fo_math_input(fo_node_math *m, uint32_t port, uint32_t i);
/// The same of a parameter.
fo_scalar fo_math_parameter(fo_node_math *m, uint32_t parameter, uint32_t i);
/// State i.
fo_scalar fo_math_state(fo_node_math *m, uint32_t i);
/// Number i of what is kept from one moment to the next.
fo_scalar fo_math_kept(fo_node_math *m, uint32_t i);
/// On which side guard i is.
fo_scalar fo_math_side(fo_node_math *m, uint32_t i);
/// Arguments beyond the operation's are ignored. Both b and c of an IF are computed.
fo_scalar fo_math_do(fo_node_math *m, fo_operation op, fo_scalar a, fo_scalar b, fo_scalar c);
/// An operation with one argument.
static inline fo_scalar fo_math_1(fo_node_math *m, fo_operation op, fo_scalar a)
{
    return fo_math_do(m, op, a, a, a);
}
/// An operation with two arguments.
static inline fo_scalar fo_math_2(fo_node_math *m, fo_operation op, fo_scalar a, fo_scalar b)
{
    return fo_math_do(m, op, a, b, a);
}
/// What comes out: element i of an output.
void fo_math_output(fo_node_math *m, uint32_t port, uint32_t i, fo_scalar value);
/// The rate of state i.
void fo_math_rate(fo_node_math *m, uint32_t i, fo_scalar value);
/// The value of guard i.
void fo_math_guard(fo_node_math *m, uint32_t i, fo_scalar value);

// -------------------------------------------------------------------------------------- the type

/// A node type. Functions may be NULL where they are not needed; all of them but start, update and
/// jump give the same for the same numbers, and may be called in any order and from any thread.
typedef struct fo_node_type {
    const char *name;
    const char *set;                 ///< under which it is listed; NULL: "Your own"
    const char *about;               ///< what it computes; the first sentence stands in lists
    const char *inputs, *outputs;    ///< names of the ports by "|"; NULL: none
    const fo_node_field *parameters; ///< ends with one without a name; NULL: none
    bool no_feedthrough; ///< outputs do not depend on inputs of the same instant: it breaks loops
    bool held;           ///< outputs change at ticks only
    uint32_t states;     ///< that flow, for each element
    uint32_t kept;       ///< doubles of own memory, for each element
    uint32_t guards;     ///< crossings that are located, for each element

    /// An example for the help: "name=value;name=value" (NULL: the defaults), a value for each
    /// input by "|", and what the first output is at a time. NULL output: none.
    struct {
        const char *parameters, *inputs;
        double time;
        const char *output;
    } example;

    /// Checks the parameters, and returns what `own` is to be; NULL is fine.
    void *(*open)(const fo_node_call *c);
    void (*close)(void *own);
    /// The shape of output `port`, where it is not that of inputs and parameters together; data of
    /// the inputs is not known.
    void (*shape)(const fo_node_call *c, uint32_t port, uint32_t *rows, uint32_t *cols);
    /// Puts the states at the start into x, and fills `kept`; both are zero before. They follow
    /// from the parameters: inputs are not known.
    void (*start)(const fo_node_call *c, double *x);
    /// The outputs.
    void (*output)(const fo_node_call *c);
    /// dx/dt of the states.
    void (*rates)(const fo_node_call *c, double *dx);
    /// The guards: where one crosses zero, the run has a moment there, and `sides` changes.
    void (*watch)(const fo_node_call *c, double *guards);
    /// Guard `index` has crossed zero: may change `kept` and the states. False: nothing changed.
    bool (*jump)(const fo_node_call *c, uint32_t index, bool rising, double *x);
    /// At a sample, after all outputs: changes `kept`.
    void (*update)(const fo_node_call *c);

    /// In place of output, rates and watch: the same as expressions, with which the diagram can run
    /// as a program. They are called to compute numbers, too.
    struct {
        void (*output)(fo_node_math *m);
        void (*rates)(fo_node_math *m);
        void (*watch)(fo_node_math *m);
    } math;
} fo_node_type;

// --------------------------------------------------------------------------------------- libraries

/// What a shared library of node types has, under the name fo_exported_nodes.
typedef struct fo_node_export {
    const char *version;              ///< FO_VERSION of the headers
    const fo_node_type *const *types; ///< NULL behind the last
} fo_node_export;

/// At the end of the file: FO_EXPORT_NODES(&first, &second);
#define FO_EXPORT_NODES(...)                                               \
    static const fo_node_type *const fo_node_list[] = {__VA_ARGS__, NULL}; \
    extern const fo_node_export fo_exported_nodes;                         \
    const fo_node_export fo_exported_nodes = {FO_VERSION, fo_node_list}

#ifdef __cplusplus
}
#endif
#endif
