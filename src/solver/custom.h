/// Methods of the user's own (fo_method in foliot/solver.h).
#ifndef FOI_CUSTOM_H
#define FOI_CUSTOM_H

#include "solver/solver.h"

/// Makes a method of it, which points to it; FO_ERROR_ARGUMENT.
fo_status foi_custom_make(foi_method *to, const fo_method *method, fo_message *why);

// What such a method has around its step; `data` of the foi_method is the fo_method.
size_t foi_custom_size(const foi_solver *o);
fo_status foi_custom_prepare(foi_solver *o);
fo_status foi_custom_begin(foi_solver *o, foi_begin how);
fo_status foi_custom_march(foi_solver *o, double attention, double goal);

#endif
