/// foliot export --fmu.
#ifndef CLI_EXPORT_FMU_H
#define CLI_EXPORT_FMU_H

#include "cli/command.h"
#include "cli/model.h"

typedef struct export_fmu {
    const char *name; ///< of the model, as it was given
    const char *output;
    int version; ///< 2 or 3
    bool exchange, cosimulation;
    bool chosen;    ///< these types were asked for
    bool overwrite; ///< what is there is replaced, whatever it is
    bool windows;   ///< a binary for 64-bit Windows goes along
    bool insisted;  ///< and was asked for
} export_fmu;

/// Writes the archive and starts it once; EXIT_FINE or a message.
int export_fmu_write(const command *self, const export_fmu *e, const fo_model *m);

#endif
