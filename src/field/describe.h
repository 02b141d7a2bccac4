/// What a field is called: signals, names and the pattern of its Jacobian.
#ifndef FOI_FIELD_DESCRIBE_H
#define FOI_FIELD_DESCRIBE_H

#include "field/field.h"

/// Copies all signals: those of the six sides, of the points, then of the object.
fo_status foi_take_signals(fo_field *f, const fo_field_def *def, fo_message *why);
void foi_signals_destroy(fo_field *f);

/// Names of outputs, inputs, events and guards.
fo_status foi_describe(fo_field *f, const fo_field_def *def);

/// Where the Jacobian has entries.
fo_status foi_pattern_create(fo_field *f);

#endif
