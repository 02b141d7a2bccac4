/// A timer that ends the turn of a desk: whoever waits for an answer waits for no longer.
#ifndef CLI_QUANTUM_H
#define CLI_QUANTUM_H

#include <foliot/desk.h>

/// From now on the desk or language server that is worked for is interrupted; one of them is NULL.
void quantum_watch(fo_desk *desk, fo_lsp *lsp);
/// Begins a turn, and ends what is left of it.
void quantum_begin(void);
void quantum_end(void);

#endif
