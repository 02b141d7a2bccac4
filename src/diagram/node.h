/// Nodes of block diagrams: what a node type says of itself, and what one node of a diagram holds.
///
/// A diagram is a system of its own (fo_system): its nodes are evaluated in sorted order, each into
/// its part of one array of signals. Start and moments are always theirs: signals have types (real,
/// complex, boolean; number, vector, matrix), many nodes act once per step of the document's clock,
/// and sorted evaluation needs no symbolic treatment. Between moments, where nearly all the time
/// goes, a diagram runs as a program if all nodes that it takes have expressions: see lower.h.
///
/// What changes in a run lies in three places. States x flow. Signals and guards are scratch: they
/// follow from (t, x, memory). Memory changes at moments only, and holds in this order:
///
///     [0]                 number of the next tick; tick k is at start + k * step
///     [1]                 when a source breaks next
///     [2 ...]             the side of each guard: -1 below zero, 1 above, 0 while it rests there
///     [2 + guards]        when guards turned together, and when the inputs of jumps were kept
///     [node by node]      outputs that are held between ticks, then what the node keeps for
///     itself,
///                         then what was before the jumps of a turn (run/reset.c)
#ifndef FOI_DIAGRAM_NODE_H
#define FOI_DIAGRAM_NODE_H

#include <complex.h>
#include <foliot/system.h>
#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/json_read.h"

// --------------------------------------------------------------------------------------- arrays

typedef enum foi_signal_kind {
    FOI_SIGNAL_REAL = 1,
    FOI_SIGNAL_COMPLEX = 2, ///< real and imaginary part one after the other
    FOI_SIGNAL_BOOLEAN = 4, ///< 0 or 1
} foi_signal_kind;
enum {
    FOI_NUMBERS = FOI_SIGNAL_REAL | FOI_SIGNAL_COMPLEX,
    FOI_ANY_KIND = FOI_NUMBERS | FOI_SIGNAL_BOOLEAN,
    FOI_MAX_PORTS = 64,         ///< inputs of one node
    FOI_MAX_OUTPUTS = 4096,     ///< of one node
    FOI_MAX_ELEMENTS = 1 << 20, ///< of one signal or parameter
};

/// A number, vector (one row or one column) or matrix, row by row.
typedef struct foi_array {
    uint32_t rows, cols;
    foi_signal_kind kind;
    double *data;
} foi_array;

static inline uint32_t foi_array_size(const foi_array *a)
{
    return a->rows * a->cols;
}
/// How many doubles it has.
static inline uint32_t foi_array_width(const foi_array *a)
{
    return foi_array_size(a) * (a->kind == FOI_SIGNAL_COMPLEX ? 2 : 1);
}
/// The real part of element i; a single number stands for every element.
static inline double foi_real_at(const foi_array *a, uint32_t i)
{
    uint32_t at = foi_array_size(a) == 1 ? 0 : i;
    return a->data[a->kind == FOI_SIGNAL_COMPLEX ? 2 * at : at];
}
static inline double complex foi_complex(double re, double im)
{
    double complex z;
    ((double *)&z)[0] = re;
    ((double *)&z)[1] = im;
    return z;
}
static inline double complex foi_complex_at(const foi_array *a, uint32_t i)
{
    uint32_t at = foi_array_size(a) == 1 ? 0 : i;
    if (a->kind != FOI_SIGNAL_COMPLEX) return foi_complex(a->data[at], 0);
    return foi_complex(a->data[2 * at], a->data[2 * at + 1]);
}
static inline void foi_complex_put(foi_array *a, uint32_t i, double complex z)
{
    if (a->kind == FOI_SIGNAL_COMPLEX) {
        a->data[2 * i] = creal(z);
        a->data[2 * i + 1] = cimag(z);
    } else {
        a->data[i] = creal(z);
    }
}

/// "3 by 2 matrix of complex numbers", for messages. Returns `text`.
const char *foi_array_text(const foi_array *a, char *text, size_t size);
/// Reads numbers separated by spaces, rows by commas; complex ones as 2-3i. False with words in
/// `wrong` when it cannot.
bool foi_array_parse(foi_arena *arena, const char *text, foi_array *a, char *wrong, size_t size);

// ----------------------------------------------------------------------------------- node types

typedef enum foi_parameter_kind {
    FOI_PARAMETER_REAL,    ///< numbers, vectors, matrices
    FOI_PARAMETER_COMPLEX, ///< the same, or complex
    FOI_PARAMETER_NUMBER,  ///< one real number
    FOI_PARAMETER_SAMPLE,  ///< a sample time: one number, not negative
    FOI_PARAMETER_CHOICE,  ///< one of `choices`
    FOI_PARAMETER_TEXT,
} foi_parameter_kind;

typedef struct foi_parameter {
    const char *name;
    foi_parameter_kind kind;
    const char *value;   ///< the default, as it would be written
    const char *choices; ///< "a|b|c"
    const char *about;
    bool at_start; ///< of a type of one's own: acts at the start only
    bool several;  ///< of true|false: also vectors and matrices, as `value`
} foi_parameter;

/// An example with its result: the help shows it and a test runs it.
typedef struct foi_example {
    /// "name=value;name=value"; NULL: the defaults. A semicolon before a space belongs to the
    /// value.
    const char *parameters;
    const char *inputs; ///< one per input, by "|": values, or the name of a source node type
    double time;        ///< with steps of `step`
    double step;        ///< 0: the usual 0.2
    const char *output; ///< of output `port`, or a sink's first input; NULL: none
    uint32_t port;      ///< from 0
    /// More members of the document ("subsystems"), more nodes and more lines that belong to it, as
    /// JSON with ' for "; NULL: none.
    const char *members, *nodes, *lines;
} foi_example;

typedef struct foi_node foi_node;
typedef struct foi_run foi_run;
typedef struct foi_build foi_build;

typedef struct foi_node_type {
    const char *name;
    const char *set;
    const char *about;  ///< what it computes
    const char *inputs; ///< names of ports by "|"; "" for none
    const char *outputs;
    const char *ports;               ///< on what else they depend; NULL: they are as listed
    const foi_parameter *parameters; ///< ends with one without a name
    const char *types, *feedthrough, *sample, *expansion, *dimensions;
    foi_example example;

    unsigned accepts;    ///< kinds of input signals; 0: real only
    bool no_feedthrough; ///< unless prepare says otherwise
    bool continuous;     ///< its sample time; otherwise inherited, or its parameter "Sample Time"
    bool steps;          ///< acts at every tick of its sample time
    bool held;           ///< and its outputs change only there
    bool loose;          ///< its outputs may stay unconnected
    bool passes;         ///< its output is its input: those behind it are led past it
    bool expressed;      ///< its mathematics is written over scalars: see scalar.h
    bool random;         ///< draws random numbers, from the run's seed and its own
    bool relative;       ///< its rounding errors are those of its output, whatever goes in
    bool recalls;        ///< continuous, but what it gives depends on what its input was

    /// Reads parameters; may change what the node's ports and feedthrough are. May be NULL.
    fo_status (*prepare)(foi_build *b, foi_node *n);
    /// Gives the outputs types, and says how many states, guards and doubles to keep. Inputs that
    /// do not feed through may be unknown yet. NULL: foi_type_elementwise.
    fo_status (*type)(foi_build *b, foi_node *n);
    /// Fills `own` memory before the start. May be NULL.
    void (*start)(const foi_node *n, foi_run *r);
    /// Outputs from inputs, states and memory; changes nothing else.
    void (*output)(const foi_node *n, foi_run *r);
    /// Gives guards their values that depend on inputs which do not feed through.
    void (*watch)(const foi_node *n, foi_run *r);
    /// What lies between the last step that `watch` has seen and the one that it will see next; see
    /// fo_system_type.record. Of nodes that say `records`. When the path is asked for a point, the
    /// node's inputs are those there.
    void (*record)(const foi_node *n, foi_run *r, const fo_path *path);
    /// At a tick, after all outputs.
    void (*update)(const foi_node *n, foi_run *r);
    void (*rates)(const foi_node *n, foi_run *r, double *dx);
    /// Guard `index` of the node fired. False: nothing changed.
    bool (*fire)(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction);
    /// Its `fire` does nothing but choose what it computes, as a side does: it takes part in what
    /// turns together at an instant, before anything acts.
    bool turns;
    /// The same of a node whose guards are not told by a sign that it holds: whether its `fire`
    /// keeps what it found when it is computed once more at the same place. May be NULL: no.
    bool (*stays)(const foi_node *n);
    /// A jump of its input may push it from where its output is, which `update` keeps: it is called
    /// before others turn, too.
    bool pushed;
    /// Its `fire` takes its inputs as they were before all jumps of the turn.
    bool together;
    /// And it keeps nothing of where its guards are: it acts also where another of these jumps has
    /// carried the guard back.
    bool resets;
    /// Which signs of its guards agree with what it holds of them (fo_sign); for nodes whose `fire`
    /// keeps more than the side. May be NULL: the side is held, or nothing where there is `fire`.
    void (*signs)(const foi_node *n, foi_run *r, uint8_t *signs);
    /// Its guards are those of cells, positive inside, and `fire` goes on to the next one. Guard
    /// `index` stands at zero: the cell is now the next one, from there. May be NULL.
    void (*beyond)(const foi_node *n, foi_run *r, uint32_t index);
    /// The first instant after t at which the output breaks, or something happens.
    double (*next)(const foi_node *n, const foi_run *r, double t);
    /// At the start, and at every instant that some node's `next` has named, after all outputs:
    /// does what is due. True: something changed, outputs are found anew and all are asked again.
    bool (*happen)(const foi_node *n, foi_run *r);
    /// A number was set from outside while the diagram runs: for what is kept that follows from
    /// it. Only of nodes with `happen`. May be NULL.
    void (*told)(const foi_node *n, foi_run *r);
    /// Frees what `extra` owns beside the arena. May be NULL.
    void (*end)(foi_node *n);
} foi_node_type;

// ---------------------------------------------------------------------------------------- nodes

/// The signal at an output port.
typedef struct foi_signal {
    foi_array shape; ///< data is NULL
    bool known;
    foi_array seen;  ///< the shape that the last pass of the types found; while building only
    uint32_t offset; ///< in the array of signals
    double *fixed;   ///< its values, when they are the same at every time; otherwise NULL
    uint32_t uses;   ///< lines that lead away
    foi_node *node;
    uint32_t port;
} foi_signal;

/// What a parameter was set to.
typedef struct foi_setting {
    foi_array value;
    int choice;
    const char *text;
    const foi_json_value *json; ///< NULL: the default; while building only
} foi_setting;

struct foi_node {
    const foi_node_type *type;
    const char *name;
    const foi_json_value *json; ///< while building only
    uint32_t index;
    uint32_t scope;        ///< the (sub)diagram that it stands in; while building only
    uint32_t inside;       ///< of a Subsystem: its own; 0: none; while building only
    foi_setting *settings; ///< in the order of the type's parameters
    uint32_t input_count, output_count;
    const char *input_names, *output_names; ///< by "|"; those of the type unless prepare says other
    foi_signal **inputs;                    ///< NULL: not connected
    foi_signal *outputs;
    uint64_t through; ///< bit i: input i feeds through
    double sample;    ///< 0: continuous; INFINITY: constant
    double period;    ///< between its ticks [s]
    bool steps, held;
    bool settles;   ///< its `watch` is to see every accepted step
    bool records;   ///< and its `record` what lies between them
    double longest; ///< step that it bears; 0: any
    uint32_t every; ///< ticks of the document's clock from one of its own to the next
    uint32_t state_count, state;
    uint32_t guard_count, guard;
    uint32_t own_count, own; ///< own memory, after the held outputs at `hold`
    uint32_t hold;
    uint32_t before;           ///< guards and inputs before the jumps of a turn
    uint32_t work_count, work; ///< doubles of scratch beside the signals
    const double *starts;      ///< of the states; NULL: zero
    uint32_t place;            ///< in the order in which nodes are computed
    foi_node *loop;            ///< stands for the algebraic loop that it belongs to; NULL: none
    uint32_t rank;             ///< its place in that loop
    foi_node *next_reset;      ///< the next one that is reset by the same signal; NULL: none
    void *extra;               ///< what prepare or type computed
};

typedef struct foi_diagram foi_diagram;

/// While a diagram is made.
struct foi_build {
    foi_diagram *diagram;
    foi_arena *arena;
    const foi_json *json;
    fo_message *why;
    foi_reader reader;        ///< of the same document
    struct foi_scope *scopes; ///< the diagram itself, then its subsystems
    uint32_t scope_count;
    fo_setting *settings; ///< of numbers, by name
    size_t setting_count;
    const foi_node_type **own; ///< types that were given with the definition
    uint32_t own_count;
};

/// One evaluation.
struct foi_run {
    const foi_diagram *diagram;
    const fo_state *s;
    double t;
    const double *x;
    double *x_new;  ///< at moments only: may be changed
    double *memory; ///< may be changed when `refresh`
    double *signals, *guards;
    bool refresh;  ///< a moment: sides of guards and the like are found anew
    double slack;  ///< of the moment of a guard; see fo_moment
    bool starting; ///< the first one
    bool known;    ///< `guards` are those before anything was found anew
    bool settling; ///< after a step: the sides of guards are found anew
    bool tick;     ///< the clock ticks: nodes whose turn it is act
    bool stop;     ///< a node wants the run to end here
    bool beside;   ///< beside the solution, for a slope: guards do not matter
    const foi_node
        *mover; ///< just after the moment of a guard: whose. Inputs of others have jumped
    const fo_moment *moment; ///< of a guard, where it is one
    uint64_t count;
    fo_status status;
    struct foi_lower *lower; ///< terms are made instead of numbers; NULL: numbers
};

// ------------------------------------------------------------------------------ used by the types

/// "file:1:2: $.nodes[3]: node 'sum1' (Sum): " and the given words; FO_ERROR_FORMAT.
__attribute__((format(printf, 3, 4))) fo_status foi_node_refuse(foi_build *b, const foi_node *n,
                                                                const char *format, ...);
/// Ends a run: FO_ERROR_MODEL.
__attribute__((format(printf, 3, 4))) void foi_run_refuse(foi_run *r, const foi_node *n,
                                                          const char *format, ...);

/// The name of an input or output port; its number when it has none. Returns `text`.
const char *foi_node_port(const foi_node *n, bool input, uint32_t i, char *text, size_t size);
/// Gives a node `count` inputs, as prepare may; refused when there are too many or too few.
fo_status foi_node_inputs(foi_build *b, foi_node *n, double count);

static inline const foi_array *foi_value(const foi_node *n, uint32_t parameter)
{
    return &n->settings[parameter].value;
}
static inline double foi_number(const foi_node *n, uint32_t parameter)
{
    return n->settings[parameter].value.data[0];
}
static inline int foi_choice(const foi_node *n, uint32_t parameter)
{
    return n->settings[parameter].choice;
}

/// The type of an input; NULL when it is not known yet.
static inline const foi_array *foi_input_type(const foi_node *n, uint32_t i)
{
    return n->inputs[i] && n->inputs[i]->known ? &n->inputs[i]->shape : NULL;
}
/// Gives output i its type.
void foi_output_type(foi_node *n, uint32_t i, uint32_t rows, uint32_t cols, foi_signal_kind kind);
/// Grows *shape to what it and `other` have in common: equal, or one of them a single number.
bool foi_expand_signal(foi_array *shape, const foi_array *other);
/// The common shape of the known inputs [0, inputs) and the given parameters; kind: complex if one
/// of them is, otherwise real. A conflict names the port.
fo_status foi_common_shape(foi_build *b, foi_node *n, uint32_t inputs, const uint32_t *parameters,
                           uint32_t parameter_count, foi_array *shape);
/// All inputs and real or complex parameters expanded to one shape, which output 0 has.
fo_status foi_type_elementwise(foi_build *b, foi_node *n);
/// The same, but the output is real, or boolean.
fo_status foi_type_real(foi_build *b, foi_node *n);

static inline foi_array foi_signal_array(const foi_run *r, const foi_signal *signal)
{
    foi_array a = signal->shape;
    a.data = signal->fixed ? signal->fixed : r->signals + signal->offset;
    return a;
}
static inline foi_array foi_in(const foi_node *n, const foi_run *r, uint32_t i)
{
    return foi_signal_array(r, n->inputs[i]);
}
static inline foi_array foi_out(const foi_node *n, const foi_run *r, uint32_t i)
{
    return foi_signal_array(r, &n->outputs[i]);
}
static inline double *foi_own(const foi_node *n, const foi_run *r)
{
    return r->memory + n->own;
}

static inline double *foi_work(const foi_node *n, const foi_run *r)
{
    return r->signals + n->work;
}

/// The side of guard `index` of the node on which it is to compute: the sign of g when events are
/// off, otherwise what the last moment found. Every call also gives the guard its value.
int foi_side(const foi_node *n, foi_run *r, uint32_t index, double g);

/// How fast element i of the node's first input changes; for `watch`, after foi_slopes_want.
double foi_slope(const foi_node *n, foi_run *r, uint32_t i);
void foi_slopes_want(foi_build *b);

/// As many guards as `count` when events are on and the node is continuous; otherwise none.
uint32_t foi_guards_wanted(const foi_build *b, const foi_node *n, uint32_t count);

/// t is not before `at`, with some ulps to spare.
static inline bool foi_reached(double t, double at)
{
    return t >= at - 1e-12 * fabs(at);
}
/// t is after `at`, by more than some ulps.
static inline bool foi_passed(double t, double at)
{
    return t > at + 1e-12 * fabs(at);
}

double foi_clock_start(const foi_run *r);
double foi_clock_step(const foi_run *r);
bool foi_events_on(const foi_run *r);
/// The document's start, stop and step, while building.
double foi_build_start(const foi_build *b);
double foi_build_stop(const foi_build *b);
double foi_build_step(const foi_build *b);

// ------------------------------------------------------------------------------------ catalogue

extern const foi_node_type foi_subsystem, foi_input_port, foi_output_port, foi_from, foi_goto;
extern const foi_node_type foi_manual_switch, foi_multi_port_switch, foi_switch;
extern const foi_node_type foi_rounding_function;

extern const foi_node_type *const foi_nodes_continuous[],
    *const foi_nodes_discrete[],
        *const foi_nodes_tables[],
            *const foi_nodes_math[],
                *const foi_nodes_logic[],
                    *const foi_nodes_matrix[],
                        *const foi_nodes_nonlinear[],
                            *const foi_nodes_signals[],
                                *const foi_nodes_arrange[],
                                    *const foi_nodes_sinks[],
                                        *const foi_nodes_sources[],
                                            *const foi_nodes_random[],
                                                *const foi_nodes_file[],
                                                    *const foi_nodes_control[],
                                                        *const foi_nodes_route[],
                                                            *const foi_nodes_entity[],
                                                                *const foi_nodes_guest[],
                                                                    *const foi_nodes_unit[];

/// All node types, set by set; NULL behind the last.
const foi_node_type *foi_node_type_at(size_t index);
/// By name; letters and digits count, their case does not. NULL when unknown.
const foi_node_type *foi_node_type_find(const char *name);
/// The two names are the same in that sense.
bool foi_same_name(const char *a, const char *b);
uint32_t foi_port_count(const char *names);
/// Name `index` of a list by "|"; "" beyond its end. Returns `text`.
const char *foi_list_item(const char *list, uint32_t index, char *text, size_t size);

#endif
