/// Numbers of documents as variables: what is known of them by their key.
#ifndef FOI_NUMBER_H
#define FOI_NUMBER_H

#include <foliot/system.h>

#include "base/json_numbers.h"

/// A fixed parameter with the number's name, value and type, with the unit and the range that its
/// key has in every document. A range says what is refused for itself; what depends on other
/// numbers, too, is not in it.
fo_variable foi_number_variable(const foi_listed_number *number);

#endif
