/// The C compiler of the system, started as a process of its own.
#ifndef FOI_COMPILER_H
#define FOI_COMPILER_H

#include <stdbool.h>
#include <sys/types.h>

/// Starts cc, or gcc or clang where there is none. words[0] becomes its name; the rest is its
/// command line, ended with NULL. What it says goes to the file `said`, nowhere if that is NULL.
/// `group`: it gets a process group of its own, so that what it starts can be ended with it.
/// Returns 0, or what is wrong as in errno.
///
/// It ends after ten minutes of work: whoever started it may be killed before, and it would go on
/// for hours with what nobody waits for.
int foi_compiler_start(const char **words, const char *said, bool group, pid_t *pid);

#endif
