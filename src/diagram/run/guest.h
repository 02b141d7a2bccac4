/// A system inside a node: texts, structures, fields. Its inputs and outputs are the node's ports,
/// its states, guards and moments those of the diagram.
#ifndef FOI_DIAGRAM_GUEST_H
#define FOI_DIAGRAM_GUEST_H

#include "base/json_numbers.h"
#include "diagram/node.h"

typedef struct foi_guest {
    fo_system system;
    fo_shape shape;
    double *p;           ///< parameters, as the node sets them
    bool through;        ///< an output depends directly on an input
    fo_reference *ports; ///< what each output port shows: an output, a state or a discrete
    uint32_t port_count;
    fo_variable *numbers; ///< that can be set, with the node's name before theirs
    uint32_t number_count;
    const fo_setting *given; ///< what was set when it was opened
    size_t given_count;
    void *owner;
    void (*close)(void *owner);
    uint32_t kept; ///< states that are kept to start anew
    // where its parts lie in the node's own memory and in its work space, in doubles
    uint32_t used, start, discretes, memory;
    uint32_t outputs, guards, conditions, scratch;
} foi_guest;

/// Makes the variable of this name the next output port; nothing happens when there is none.
fo_status foi_guest_show(foi_build *b, foi_guest *g, const char *name);
/// Gives the node the guest's ports: those shown so far, or, where there are none, all outputs;
/// `parameters` are "name=value; name=value". To be called by prepare, when `n->extra` is the guest
/// with system, owner and close.
fo_status foi_guest_prepare(foi_build *b, foi_node *n, const char *parameters);

/// What is set in the node's guest, to be read by the guest's own room: `own` is the node's
/// "name=value; name=value", what comes from outside stands after it, without the node's name; of
/// that, what is taken is told by foi_guest_taken. NULL on failure, and b->why says it.
fo_setting *foi_guest_settings(foi_build *b, const foi_node *n, const char *own, size_t *count);
void foi_guest_taken(foi_build *b, const foi_node *n, const char *name);
/// The same for the numbers of a document that is a guest: NULL on failure, and b->why says it.
foi_numbers *foi_guest_numbers(foi_build *b, const foi_node *n, const foi_json *json);
/// Lists numbers that the guest's system does not have.
fo_status foi_guest_list_more(foi_build *b, foi_node *n, const fo_variable *list, uint32_t count);
/// Lists the numbers that were read, and tells which were taken.
fo_status foi_guest_list(foi_build *b, foi_node *n, const foi_numbers *numbers);
/// The guest of a node; NULL: it has none.
const foi_guest *foi_guest_of(const foi_node *n);

fo_status foi_guest_type(foi_build *b, foi_node *n);
void foi_guest_start(const foi_node *n, foi_run *r);
void foi_guest_output(const foi_node *n, foi_run *r);
void foi_guest_watch(const foi_node *n, foi_run *r);
void foi_guest_record(const foi_node *n, foi_run *r, const fo_path *path);
void foi_guest_rates(const foi_node *n, foi_run *r, double *dx);
void foi_guest_signs(const foi_node *n, foi_run *r, uint8_t *signs);
bool foi_guest_fire(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction);
double foi_guest_next(const foi_node *n, const foi_run *r, double t);
bool foi_guest_happen(const foi_node *n, foi_run *r);
void foi_guest_told(const foi_node *n, foi_run *r);
void foi_guest_end(foi_node *n);

#define FOI_GUEST                                                                        \
    .continuous = true, .loose = true, .type = foi_guest_type, .start = foi_guest_start, \
    .output = foi_guest_output, .watch = foi_guest_watch, .rates = foi_guest_rates,      \
    .fire = foi_guest_fire, .signs = foi_guest_signs, .next = foi_guest_next,            \
    .happen = foi_guest_happen, .told = foi_guest_told, .end = foi_guest_end,            \
    .record = foi_guest_record, .together = true

#endif
