/// Methods of the user's own (fo_method in foliot/solver.h).
#ifndef FOI_CUSTOM_H
#define FOI_CUSTOM_H

#include "solver/solver.h"

/// Makes a method of it, which points to it; FO_ERROR_ARGUMENT.
fo_status foi_custom_make(foi_method *to, const fo_method *method, fo_message *why);

#endif
