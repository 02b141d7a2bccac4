/// Values that come from outside.
#ifndef FOI_VALUE_H
#define FOI_VALUE_H

#include <foliot/system.h>

/// Whether a variable can have this value: a number, of its type and within its bounds.
/// FO_ERROR_ARGUMENT, and `why` says it.
fo_status foi_variable_allows(const fo_variable *v, double value, fo_message *why);

/// Whether `which`, called `name`, can be set to this value. `running`: in a run, in which what is
/// fixed stays. FO_ERROR_ARGUMENT, and `why` says it.
fo_status foi_system_allows(fo_system system, fo_reference which, const char *name, double value,
                            bool running, fo_message *why);

#endif
