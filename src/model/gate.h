/// An allocator that stops giving when somebody wants what is under way to end: whoever translates
/// a document asks for memory all the time, and comes out in order where there is none.
#ifndef FOI_GATE_H
#define FOI_GATE_H

#include <foliot/model.h>

typedef struct foi_gate {
    fo_allocator allocator; ///< what is handed on; its self is the gate
    const fo_allocator *from;
    bool (*go_on)(void *self); ///< NULL: it is open
    void *go_on_self;
    bool closed;
} foi_gate;

void foi_gate_begin(foi_gate *gate, const fo_model_def *def);
/// Open from now on; true where it was closed.
bool foi_gate_end(foi_gate *gate);

#endif
