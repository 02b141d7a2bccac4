/// The sources of an exported unit: the rooms of Foliot that run a model, as they were packed when
/// this program was built, and how they are compiled.
#ifndef CLI_FMU_SOURCES_H
#define CLI_FMU_SOURCES_H

#include <foliot/fmi.h>

typedef struct fmu_sources {
    char *data;
    size_t size;
    fo_fmu_file *files; ///< "sources/base/text.c", ...; names are owned
    size_t count;
    const char **compiled; ///< the *.c of them relative to sources/, NULL-terminated
    const char *license;   ///< NULL: there is none
    size_t license_size;
} fmu_sources;

/// Takes a packed file apart; `data` is kept and freed by fmu_sources_free, whatever comes back.
/// False: it is not such a file, or no memory.
bool fmu_sources_read(fmu_sources *s, char *data, size_t size);
void fmu_sources_free(fmu_sources *s);

/// sources/build.txt: the arguments of the one command. NULL: no memory.
char *fmu_sources_arguments(const fmu_sources *s);
/// sources/buildDescription.xml of FMI 3.
char *fmu_sources_description(const fmu_sources *s, const char *identifier);

#endif
