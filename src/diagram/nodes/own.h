/// Node types of one's own: what a description in numbers becomes among the types of this room.
#ifndef FOI_DIAGRAM_OWN_H
#define FOI_DIAGRAM_OWN_H

#include <foliot/node.h>

#include "diagram/node.h"

/// Makes a type of the description, in an arena: both must live as long as it. NULL without memory,
/// or where the description is wrong.
const foi_node_type *foi_own_type(foi_arena *arena, const fo_node_type *given, fo_message *why);

/// The same of one parameter, whose kind is one of those there are.
foi_parameter foi_own_parameter(const fo_node_field *field);

#endif
