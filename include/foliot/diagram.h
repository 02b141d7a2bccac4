/// Block diagrams: nodes with typed signals, connected by lines, read from JSON documents.
///
/// The format is described by docs/diagram.schema.json and docs/diagrams.md; `foliot nodes` lists
/// what nodes there are.
#ifndef FOLIOT_DIAGRAM_H
#define FOLIOT_DIAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "node.h"
#include "simulation.h"
#include "status.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fo_diagram fo_diagram;

typedef struct fo_diagram_def {
    const char *name; ///< of the document, for messages: the file's path
    const char *text; ///< JSON
    size_t length;
    const fo_allocator *allocator;
    fo_setting *settings;             ///< numbers of the diagram by name; see fo_diagram_numbers
    size_t setting_count;             ///< names that it does not have stay untaken
    const fo_node_type *const *types; ///< of one's own; they live as long as the diagram
    size_t type_count;
    /// Files that its nodes read and write (From Data File, To File, To Data File) are in this
    /// folder or below it; NULL: wherever their names lead, the document is trusted; "": it may
    /// use no files at all, also not as its parts (Structure, Field).
    const char *files;
    bool overwrite; ///< they may replace files that are not what such a node writes
    /// FMUs that its nodes may run: they are code. NULL: none, or all where `files` is NULL.
    const char *const *units;
    size_t unit_count;
} fo_diagram_def;
/// No text, no settings.
fo_diagram_def fo_default_diagram_def(void);

/// Reads a diagram, resolves types, dimensions and sample times, and sorts it. NULL on failure:
/// FO_ERROR_FORMAT with file, line, column, JSON path and node, or FO_ERROR_MEMORY.
fo_diagram *fo_diagram_read(const fo_diagram_def *def, fo_message *why);
/// The same from a file; also FO_ERROR_INPUT.
fo_diagram *fo_diagram_read_file(const char *path, const fo_allocator *allocator, fo_message *why);
/// Takes NULL.
void fo_diagram_destroy(fo_diagram *diagram);

/// The diagram as a system; valid while the diagram lives. Its outputs are what the sinks see,
/// named as the sinks are, and then every output of every node: "theta", "mux[2]" (elements of
/// vectors and matrices row by row, from 1), "z.re" and "z.im" of complex ones, "node:2" for the
/// second output.
fo_system fo_diagram_system(const fo_diagram *diagram);

/// The numbers of the diagram that its definition can set: its own parameters ("m"), then the
/// numbers of its nodes, element by element: "walls.Gain", "filter.Numerator[2]" (matrices row by
/// row, from 1). `start` is the value that it has.
fo_variables fo_diagram_numbers(const fo_diagram *diagram);

/// What a sink is given at one of its inputs.
typedef struct fo_diagram_seen {
    const char *node, *type; ///< "graph", "XY Graph"
    uint32_t input;          ///< which of its inputs, from 0
    uint32_t output;         ///< the first of the system's outputs; the elements follow row by row,
                             ///< complex ones as real and imaginary part
    uint32_t rows, columns;
    bool is_complex, is_boolean; ///< what the elements are; neither: real
} fo_diagram_seen;

/// The inputs of all sinks one after the other, from 0; false where there are no more.
bool fo_diagram_sink(const fo_diagram *diagram, size_t index, fo_diagram_seen *seen);

/// The type of the sink that sees an output of the system, "XY Graph" for "graph.y"; NULL: the
/// output is not a sink's.
const char *fo_diagram_sink_type(const fo_diagram *diagram, const char *output);

/// Whether some node draws random numbers. They follow from the run's seed (fo_run_def) and the
/// node's own, which is one of the numbers: "noise.Seed".
bool fo_diagram_is_random(const fo_diagram *diagram);

// ----------------------------------------------------------------------------------- how it runs

/// What evaluates a diagram between moments. The results are the same to the last bit, except for
/// solvers that use a Jacobian, which only a program has, and where guards are certified, which
/// only a program's are: crossings are located by other means then, and adaptive solvers choose
/// other steps.
typedef enum fo_diagram_way {
    FO_DIAGRAM_NODES,   ///< node by node, in sorted order
    FO_DIAGRAM_PROGRAM, ///< as a program, which fo_program_run_as can have compiled
} fo_diagram_way;

/// Lets the diagram run that way from now on; not while a simulation of it exists. A diagram that
/// was just read runs as a program if it can. FO_ERROR_UNFIT, and nothing changed, when it cannot:
/// some node that the rates depend on has no expressions.
fo_status fo_diagram_run_as(fo_diagram *diagram, fo_diagram_way way, fo_message *why);

/// How it runs, and why not as a program if it does not: "program"; "node by node, because of
/// 'delay' (Transport Delay)". Returns `text`.
const char *fo_diagram_how(const fo_diagram *diagram, char *text, size_t size);

// ------------------------------------------------------------------------------------- the scene

/// A number of the scene: offset + gain * output, or the offset alone.
typedef struct fo_scene_value {
    const char *signal; ///< name of an output of the system; NULL: constant
    uint32_t output;    ///< its index; of no meaning when it is constant
    double gain, offset;
} fo_scene_value;

typedef enum fo_scene_kind {
    FO_SCENE_BOX,      ///< size: along x, y, z
    FO_SCENE_SPHERE,   ///< size: its three diameters
    FO_SCENE_CYLINDER, ///< size: diameters along x and z, height along y
    FO_SCENE_CONE,     ///< the same, tip upward
    FO_SCENE_PLANE,    ///< size: along x and z; no height
    FO_SCENE_LINE,     ///< from `position` to `end`
    FO_SCENE_SPRING,   ///< the same, wound; size[0] is its diameter
    FO_SCENE_ARROW,    ///< the same, with a tip at `end`
    FO_SCENE_TRAIL,    ///< where `position` has been
    FO_SCENE_TEXT,     ///< `text`, facing who looks; size[1] is its height
    FO_SCENE_GLTF,     ///< the file `text`, as a page finds it; size: factors
} fo_scene_kind;

/// A shape in space: x to the right, y upward, z towards who looks [m].
typedef struct fo_scene_shape {
    const char *name;
    fo_scene_kind kind;
    fo_scene_value position[3]; ///< of its centre
    fo_scene_value end[3];      ///< where `ends`
    fo_scene_value rotation[3]; ///< about x, then y, then z [rad]
    fo_scene_value size[3];     ///< [m]; lines: size[0] is the width
    fo_scene_value color[3];    ///< red, green, blue from 0 to 1
    bool ends;                  ///< lines, springs, arrows, and cylinders that are given an end
    const char *text;           ///< of texts and files; otherwise NULL
} fo_scene_shape;

typedef struct fo_scene {
    double background[3];
    double camera[3], target[3]; ///< where the camera is, and what it looks at [m]
    const fo_scene_shape *shapes;
    size_t shape_count;
} fo_scene;

/// The 3D scene of the document; NULL when it has none.
const fo_scene *fo_diagram_scene(const fo_diagram *diagram);
/// "box", "sphere", ...
const char *fo_scene_kind_name(fo_scene_kind kind);

// -------------------------------------------------------------------------- what nodes there are

typedef struct fo_node_parameter {
    const char *name, *kind;
    const char *value;   ///< the default
    const char *choices; ///< "a|b|c"; NULL: no choice
    const char *about;
} fo_node_parameter;

/// What a node type says of itself. Lists are separated by "|".
typedef struct fo_node_help {
    const char *name, *set, *about;
    const char *inputs, *outputs; ///< names of the ports; "": none
    const char *ports;            ///< on what else the ports depend; NULL: they are as listed
    const char *types, *feedthrough, *sample, *expansion, *dimensions;
    size_t parameter_count;
    /// An example: "name=value;name=value" (NULL: the defaults), one value or source per input, and
    /// output `example_port` (from 0) at a time. NULL output: there is none. `example_around`: what
    /// else must be in the document, as JSON; NULL: nothing.
    const char *example_parameters, *example_inputs, *example_output, *example_around;
    double example_time;
    uint32_t example_port;
} fo_node_help;

/// The node types one after the other, set by set; false beyond the last.
bool fo_node_help_at(size_t index, fo_node_help *help);
/// By name, where letters and digits count and their case does not. An unknown name is answered
/// with the nearest right one: FO_ERROR_ARGUMENT.
fo_status fo_node_help_find(const char *name, fo_node_help *help, fo_message *why);
/// Parameter `index` of a node type; false when there is none.
bool fo_node_parameter_at(const char *node, size_t index, fo_node_parameter *parameter);

/// The same of a type of one's own. FO_ERROR_ARGUMENT where its description is wrong.
fo_status fo_node_type_help(const fo_node_type *type, fo_node_help *help, fo_message *why);
/// Parameter `index` of it; false when there is none.
bool fo_node_type_parameter_at(const fo_node_type *type, size_t index,
                               fo_node_parameter *parameter);

// ------------------------------------------------------------------------------ files of sinks

/// Writes the files that the sinks To File and To Data File name, one line per step.
typedef struct fo_recorder fo_recorder;

/// Opens no file yet. NULL without memory.
fo_recorder *fo_recorder_create(const fo_diagram *diagram, fo_message *why);
/// How many files it will write.
size_t fo_recorder_count(const fo_recorder *recorder);
/// The name of one of them.
const char *fo_recorder_path(const fo_recorder *recorder, size_t index);
/// Whether they could be written, as things are: FO_OK, or why a run would be refused. Changes
/// nothing.
fo_status fo_recorder_check(const fo_recorder *recorder, fo_message *why);
/// To be one of a run's observers.
fo_observer fo_recorder_observer(fo_recorder *recorder);
/// Writes the last line and closes the files. FO_OK or FO_ERROR_INPUT.
fo_status fo_recorder_finish(fo_recorder *recorder, fo_message *why);
/// Takes NULL.
void fo_recorder_destroy(fo_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif
