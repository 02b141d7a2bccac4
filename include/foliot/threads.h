/// Threads. Wherever a definition has a number `threads`, it is how many work at the same time, the
/// caller's among them; 0 means the same as 1. What is computed does not depend on it.
#ifndef FOLIOT_THREADS_H
#define FOLIOT_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

/// How many cores this process may use; at least 1.
unsigned fo_cores(void);

#ifdef __cplusplus
}
#endif
#endif
