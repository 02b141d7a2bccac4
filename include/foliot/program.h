/// How the programs that texts and diagrams become are run: as machine code that the library makes
/// at once, in the bytecode machine, or as C through the system's compiler. The bits are the same.
#ifndef FOLIOT_PROGRAM_H
#define FOLIOT_PROGRAM_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fo_way {
    FO_WAY_AUTO,     ///< machine code of the library's own, at once; where there is none bytecode,
                     ///< and C through cc while the run goes on, if it is long
    FO_WAY_BYTECODE, ///< nothing else
    FO_WAY_MEMORY,   ///< machine code that the library makes in memory, or a WebAssembly module
    FO_WAY_NATIVE,   ///< C through cc, before the run
} fo_way;

/// Whoever makes functions of a WebAssembly module: the page or the program that the engine runs
/// in, where the engine is WebAssembly itself.
typedef struct fo_module_host {
    void *self;
    /// Instantiates the module; what it imports are memory, table and functions of the engine, and
    /// where in the table its `count` functions are to be put. Returns the place of the first one,
    /// or 0 where that is not to be had.
    uint32_t (*instantiate)(void *self, const uint8_t *module, size_t size, uint32_t count);
    /// They are not called any more. May be NULL.
    void (*release)(void *self, uint32_t first, uint32_t count);
} fo_module_host;

typedef struct fo_program_def {
    fo_way way;
    const fo_module_host *host; ///< where the engine is WebAssembly; NULL: there is none
    const char *folder;         ///< where compiled programs are kept; NULL: the user's cache
    double soon;                ///< auto, without machine code of the library's own: look into the
                                ///< folder after so many seconds of run
    double late;                ///< and compile through cc after so many; negative: never, and
                                ///< no thread is made that waits for it
} fo_program_def;

/// Auto.
fo_program_def fo_default_program_def(void);

/// Whether the system is a program.
bool fo_is_program(fo_system system);

/// Says how the program is to be run; once, before its simulations start. What a long run is
/// compiled for happens beside it, and goes on until the program is destroyed. FO_ERROR_UNFIT
/// where the way is not to be had (no compiler, another processor, a system that forbids it): the
/// program then runs as before.
fo_status fo_program_run_as(fo_system system, const fo_program_def *def, fo_message *why);

/// How it runs now: FO_WAY_BYTECODE, FO_WAY_MEMORY or FO_WAY_NATIVE.
fo_way fo_program_way(fo_system system);

/// What became of it, for people: "machine code", "bytecode, then machine code of cc", "bytecode
/// (the system refuses memory for machine code: ...)". Returns `text`.
const char *fo_program_story(fo_system system, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
