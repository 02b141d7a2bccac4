/// A unit as a block of a text.
#ifndef CLI_FMU_BLOCK_H
#define CLI_FMU_BLOCK_H

#include "cli/model.h"

/// Prints a block that stands for the unit in a Modelica text: its parameters, inputs and outputs,
/// and the annotation by which Foliot knows its file.
int fmu_block_print(const command *c, const fo_model *m);

#endif
