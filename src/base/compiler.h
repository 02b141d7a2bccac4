/// The C compiler of the system, started as a process of its own.
#ifndef FOI_COMPILER_H
#define FOI_COMPILER_H

#include <sys/types.h>

/// One that works. It and what it starts are a group of processes, with a guard that ends all of
/// them when this process has ended, however that was.
typedef struct foi_compiler {
    pid_t pid;   ///< to be waited for
    pid_t guard; ///< leads the group
    int life;    ///< the guard hears when it is closed
} foi_compiler;

/// Starts cc, or gcc or clang where there is none. words[0] becomes its name; the rest is its
/// command line, ended with NULL. What it says goes to the file `said`, nowhere if that is NULL.
/// Returns 0, or what is wrong as in errno: there is nothing to end then.
///
/// It ends after ten minutes of work.
int foi_compiler_start(const char **words, const char *said, foi_compiler *c);

/// Ends it and what it has started; it is still to be waited for.
void foi_compiler_stop(const foi_compiler *c);

/// After it was waited for: ends the guard, and what the compiler has left.
void foi_compiler_end(foi_compiler *c);

/// Waits for it and ends the guard. Returns its status as waitpid gives it, -1: it is lost.
int foi_compiler_wait(foi_compiler *c);

#endif
