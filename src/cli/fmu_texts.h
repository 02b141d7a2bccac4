/// Strings and binaries of a unit on the command line.
#ifndef CLI_FMU_TEXTS_H
#define CLI_FMU_TEXTS_H

#include <stdio.h>

#include "cli/model.h"

/// NAME=VALUE of --text; the list is freed by the caller. False: a message was printed.
bool fmu_texts_read(const command *c, const texts *given, fo_fmu_text **list);
/// The strings and binaries that a unit gives out, as they are now. Takes NULL.
void fmu_texts_print(const fo_fmu *fmu, FILE *out);

#endif
