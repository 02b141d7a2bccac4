/// A diagram in memory, and the steps in which it is made.
#ifndef FOI_DIAGRAM_H
#define FOI_DIAGRAM_H

#include <foliot/diagram.h>
#include <foliot/trace.h>

#include "diagram/node.h"
#include "simulation/experiment.h"

/// Where a name stands; a table of the nodes by name.
typedef struct foi_name_table {
    uint32_t *slots; ///< index of a node plus 1; 0: free
    uint32_t size;   ///< a power of two
} foi_name_table;

struct foi_diagram {
    const fo_allocator *allocator;
    foi_arena arena;
    const char *name, *about;
    const char *files;        ///< see fo_diagram_def; in the arena
    const char *const *units; ///< while it is read
    size_t unit_count;
    bool overwrite;
    uint64_t others; ///< the hash of what was read from other files
    double start, stop, step, rtol, atol;
    const char *integrator; ///< as the document names it; NULL: none
    const char *solver;     ///< the engine's name
    bool fixed;             ///< an adaptive method kept at the document's step
    bool events;
    bool solve_loops; ///< algebraic loops are solved, not refused

    fo_variable *named; ///< parameters of its own
    uint32_t named_count;
    fo_variable *numbers; ///< all that can be set
    uint32_t number_count;

    foi_node *nodes;
    uint32_t node_count;
    foi_name_table names;
    foi_node **order; ///< so that what feeds through comes later
    foi_node **loops; ///< stand for the nodes of algebraic loops
    uint32_t loop_count;
    foi_node **live; ///< of them, in order, those that are not constant
    uint32_t live_count;
    foi_node **needed; ///< of them, in order, those that rates and guards depend on
    uint32_t needed_count;
    bool ticks; ///< some node acts at ticks

    uint32_t width, guard_count, state_count, memory_count;
    bool turns;   ///< some node with guards keeps more than their sides
    bool pushes;  ///< some node with guards is pushed by jumps
    bool settles; ///< some node keeps something after every step
    bool records; ///< some node keeps what lies between them
    bool slopes;  ///< some node wants to know how fast its input changes
    /// With rates; with ticks; with `next`; with `watch`; with `happen`.
    foi_node **flowing, **acting, **breaking, **watching, **happening;
    uint32_t flowing_count, acting_count, breaking_count, watching_count, happening_count;
    foi_node **guard_owners; ///< of each guard
    foi_node **together; ///< whose jumps of one turn are of what was before; none: one guard only
    uint32_t together_count;

    fo_trace trace; ///< hears what entities do; act NULL: nobody wants to know

    struct foi_output {
        const foi_signal *signal;
        uint32_t at; ///< which double of it
    } * outputs;
    uint32_t output_count;
    const char **plot;
    fo_description description;
    const fo_scene *scene;   ///< NULL: none
    fo_system_type own_type; ///< without a program
    fo_system_type *type;    ///< how it runs now

    struct foi_lowered *lowered; ///< its flow as a program; NULL: there is none
    bool shown;                  ///< the program gives the outputs too
    bool program;                ///< runs as the program
    const foi_node *stuck;       ///< the first node that is not part of it
    const char *unfit;           ///< why; NULL: it has no expressions
    uint32_t *finite;            ///< outputs that must be finite numbers
    uint32_t finite_count;
};

struct fo_diagram {
    foi_diagram diagram;
};

enum { FOI_DIAGRAM_VERSION = 1 };

/// A diagram, or one inside a node of another: names in it begin with `prefix`.
typedef struct foi_scope {
    const char *prefix; ///< "" or "car.wheel."
    uint32_t outer;     ///< the scope around it; its own number for the diagram itself
    const foi_json_value *lines;
    foi_node **inputs, **outputs; ///< its ports, in the order of the document
    uint32_t input_count, output_count;
} foi_scope;

/// How the document wants to be run: times, solver, step and tolerances, and the signals that the
/// sinks plot. The step is the distance of the ticks of its clock and of rows of results. The
/// document's integrators RK_DP and RK_BS become dp45 and bs23 that are kept at it.
foi_experiment foi_diagram_experiment(const fo_diagram *diagram);

/// A diagram from its JSON; the definition's text is not looked at. NULL on failure.
fo_diagram *foi_diagram_of(const foi_json *json, const fo_diagram_def *def, fo_message *why);
/// The document becomes nodes with parameters and connections.
fo_status foi_document_read(foi_build *b);
/// The document's own parameters.
fo_status foi_document_parameters(foi_build *b, const foi_json_value *object);
/// What the settings say of a parameter of a node.
fo_status foi_node_set(foi_build *b, foi_node *n, foi_setting *s, const foi_parameter *p);
bool foi_parameter_is_number(const foi_parameter *p);
/// Lists the numbers, when all nodes are read.
fo_status foi_diagram_list_numbers(foi_build *b);
/// All nodes, those of subsystems behind the node that holds them.
fo_status foi_document_nodes(foi_build *b, const foi_json_value *body);
/// One node.
fo_status foi_document_node(foi_build *b, foi_node *n, const foi_json_value *v);
fo_status foi_document_lines(foi_build *b);
/// From takes what Goto was given; what only passes a signal on is led around.
fo_status foi_document_route(foi_build *b);
/// The member as a text that lives as long as the diagram; `usual` where it is not there.
const char *foi_document_text(foi_build *b, const foi_json_value *object, const char *key,
                              const char *usual);
/// A continuous node that depends on what was: what it does now is not what its diagram does. NULL:
/// there is none.
const foi_node *foi_diagram_recalls(const fo_diagram *diagram);
/// The node of this name; NULL when there is none.
foi_node *foi_diagram_find(const foi_diagram *d, const char *name, size_t length);
bool foi_diagram_enter(foi_diagram *d, const foi_node *n);

/// Puts the nodes in order; an algebraic loop is an error that names its nodes in order.
fo_status foi_diagram_sort(foi_build *b);
/// A node of an algebraic loop, and when the search left it.
typedef struct foi_loop_member {
    foi_node *node;
    uint32_t left;
} foi_loop_member;
/// Makes a node that stands for a loop.
fo_status foi_loop_make(foi_build *b, const foi_loop_member *members, uint32_t count);
/// Its copies of signals take the types that these have now; true when one has changed.
bool foi_loop_grow(foi_node *n);
/// When types are known: how many unknowns it has.
fo_status foi_loop_measure(foi_build *b, foi_node *n);
/// When its work space is known: where its copies lie.
void foi_loop_place(foi_node *n);
/// The last one of its loop.
bool foi_loop_ends(const foi_node *member);

/// Types, dimensions and sample times.
fo_status foi_diagram_resolve(foi_build *b);
/// Where everything lies, and what it is called.
fo_status foi_diagram_lay_out(foi_build *b);
fo_status foi_diagram_describe(foi_build *b);
/// The 3D scene, whose shapes are bound to outputs.
fo_status foi_scene_read(foi_build *b);

/// The outputs of one node: found, or those that it holds.
void foi_evaluate_node(const foi_node *n, foi_run *r);
/// What rates and guards depend on, for a slope.
void foi_evaluate_beside(foi_run *r);
/// Doubles of scratch space that slopes take.
size_t foi_slopes_size(const foi_diagram *d);
/// And those that rounding errors take.
size_t foi_rounding_size(const foi_diagram *d);
/// Where guards are kept as they are before any of them has turned.
double *foi_guards_began(const foi_run *r);
/// And the states just past that instant, in the mode in which they came.
double *foi_states_ahead(const foi_run *r);
/// Where the memory of all nodes is kept while something is tried; only with guards.
double *foi_memory_beside(const foi_run *r);
/// How wide the values of a guard are that rounding errors hide at the present moment.
fo_status foi_diagram_rounding(const foi_run *r, uint32_t guard, double *width);
/// Nodes that are reset by one signal have one guard: that of the first of them.
fo_status foi_resets_share(foi_build *b);
/// Doubles of memory for what was before the jumps of a turn.
uint32_t foi_reset_room(const foi_node *n);
/// What was before the jumps of the turn to which this one of a guard belongs is kept.
bool foi_reset_known(const foi_run *r, uint32_t guard, fo_direction direction);
/// Keeps it, after an evaluation; whether it is the first time of the instant.
bool foi_resets_keep(const foi_run *r);
/// For a jump that is only tried: which guards of resets are that one times a number. Where they
/// stood is then 0, or a number with the sign of their direction.
void foi_resets_find_same(const foi_run *r, const fo_moment *m);
/// Where the guard stood then; NULL: its node does not ask.
double *foi_reset_seen(const foi_run *r, uint32_t guard);
/// Gives the node its inputs of then.
void foi_reset_inputs(const foi_run *r, const foi_node *n);
/// Lets nodes do what is due until nothing happens any more; `evaluate` finds all outputs anew.
fo_status foi_nodes_happen(foi_run *r, fo_status (*evaluate)(foi_run *r));

/// Makes a program of what happens between moments, where all nodes that it needs have one.
fo_status foi_diagram_lower(foi_build *b);
/// Whether the run that is recorded, or was last, has made file `index`.
bool foi_recorder_made(const fo_recorder *recorder, size_t index);
/// Lets it run as a program, or node by node.
void foi_diagram_choose(foi_diagram *d, bool program);

#endif
