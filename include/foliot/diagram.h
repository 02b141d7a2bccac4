/// Block diagrams: nodes with typed signals, connected by lines, read from JSON documents.
///
/// The format is described by docs/diagram.schema.json and docs/diagrams.md; `foliot nodes` lists
/// what nodes there are.
#ifndef FOLIOT_DIAGRAM_H
#define FOLIOT_DIAGRAM_H

#include <stddef.h>

#include "memory.h"
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
} fo_diagram_def;

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

/// How the document wants to be run: times, solver, step and tolerances. The document's integrators
/// RK_DP and RK_BS become dp45 and bs23 that are kept at the document's step.
fo_run_def fo_diagram_run_def(const fo_diagram *diagram);

/// The document's step: the distance of the ticks of its clock, and of rows of results.
double fo_diagram_step(const fo_diagram *diagram);

/// Names of the signals that the sinks plot; ends with NULL; NULL when there are none.
const char *const *fo_diagram_plot(const fo_diagram *diagram);

#ifdef __cplusplus
}
#endif
#endif
