/// The store of a state: x, d, u, p and the memory lie in one block, so that a snapshot is one
/// copy.
///
///     block:  memory (rounded up to 16) | x | d | u | p       aligned to 16
///     scratch_block:  scratch                                 aligned to 16, never copied
///
/// The functions that make and reshape a store set the pointers and the shape in `s`; t, k, seed,
/// message and host in it belong to the user.
#ifndef FOI_STATE_H
#define FOI_STATE_H

#include <foliot/system.h>

/// What an fo_event of a `constrained` system is about that leaves the point where it is, and makes
/// other variables its states.
#define FOI_CHOICE_ABOUT "other variables become the states"

typedef struct foi_state_store {
    fo_state s;
    void *block;         ///< as it came from the allocator
    size_t size;         ///< bytes from s.memory to the end of p
    void *scratch_block; ///< as it came from the allocator
    const fo_allocator *allocator;
} foi_state_store;

/// Makes a zeroed store. FO_ERROR_MEMORY, or FO_ERROR_ARGUMENT for a shape that no memory holds;
/// the store is then empty and may be destroyed.
fo_status foi_state_create(foi_state_store *store, const fo_shape *shape,
                           const fo_allocator *allocator, fo_message *why);

/// Frees the blocks. Takes an empty (zeroed) store; leaves one.
void foi_state_destroy(foi_state_store *store);

/// Gives the store another shape: keeps what both have of x, d, u, p and memory; what is new is
/// zero. The scratch space keeps its content only if its size stays. On failure nothing has
/// changed; `why` may be NULL.
fo_status foi_state_reshape(foi_state_store *store, const fo_shape *shape, fo_message *why);

/// Copies t, k, seed and everything in the block between stores of the same shape; message, host
/// and scratch of `to` stay.
void foi_state_copy(foi_state_store *to, const foi_state_store *from);

/// True when states of these shapes can be copied into each other.
bool foi_shape_equal(const fo_shape *a, const fo_shape *b);

/// Fills x, d, u and p with the description's start values; what it does not describe is zero.
void foi_state_defaults(fo_system system, fo_state *s);

#endif
