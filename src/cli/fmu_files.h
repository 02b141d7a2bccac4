/// The files that an exported model reads beside its own: data and documents of a diagram, and what
/// a text has of libraries.
#ifndef CLI_FMU_FILES_H
#define CLI_FMU_FILES_H

#include <foliot/fmi.h>

#include "cli/model.h"

typedef struct fmu_files {
    fo_fmu_file *list; ///< "resources/run.dat"; names and bytes are owned
    size_t count;
} fmu_files;

/// Those that the model reads. The unit finds them below its resources: those of a diagram by the
/// same names, which are relative ones, and those of libraries in resources/libraries. False after
/// a message; `files` is to be freed in any case.
bool fmu_files_gather(const command *self, const fo_model *model, fmu_files *files);
void fmu_files_free(fmu_files *files);

#endif
