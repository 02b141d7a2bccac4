/// A running state in shared memory, and someone who looks at it from another process.
#ifndef FOLIOT_SHARE_H
#define FOLIOT_SHARE_H

#include "simulation.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A running state in POSIX shared memory, for other processes to look at. Any system's states,
/// discretes and outputs; only what is used is stored. A reader never sees half a step, and a
/// writer that dies leaves its last state.
typedef struct fo_share fo_share;
/// Makes the memory "/foliot-<name>", for this user alone. NULL on failure: FO_ERROR_ARGUMENT (a
/// name that is not valid, or that a living process uses), FO_ERROR_INPUT, FO_ERROR_FORMAT
/// (something else has this name) or FO_ERROR_MEMORY.
fo_share *fo_share_create(const char *name, fo_system system, const fo_allocator *allocator,
                          fo_message *why);
/// An observer that shows every row; `interval` as in fo_observer.
fo_observer fo_share_observer(fo_share *share, double interval);
/// Shows a state: `values` are all states, discretes and outputs, in this order.
void fo_share_show(fo_share *share, double t, const double *values);
/// How many values there are.
size_t fo_share_count(const fo_share *share);
/// Removes the name; who is watching keeps the last state. Takes NULL.
void fo_share_destroy(fo_share *share);

/// Someone who looks at a shared state. What is in the memory is not trusted: whoever cuts it
/// short, overwrites it or dies gets a message out of the reader, within a second, and nothing
/// else.
typedef struct fo_look fo_look;
/// NULL: there is none, it is another user's, or no shared state.
fo_look *fo_look_open(const char *name, const fo_allocator *allocator, fo_message *why);
/// How many values there are.
size_t fo_look_count(const fo_look *look);
/// The name of one of them, from 0.
const char *fo_look_name(const fo_look *look, size_t signal);
/// The model's name.
const char *fo_look_model(const fo_look *look);
/// Copies the last whole state; how many have been shown so far, 0: none yet, or fo_look_message
/// says what is wrong.
uint64_t fo_look_read(fo_look *look, double *t, double *values);
/// What was wrong with the last fo_look_read; its status is FO_OK when nothing was.
const fo_message *fo_look_message(const fo_look *look);
/// True while the writer lives and has not ended.
bool fo_look_alive(const fo_look *look);
/// Takes NULL.
void fo_look_close(fo_look *look);

#ifdef __cplusplus
}
#endif
#endif
