/// Which poles of a linear system inputs reach and outputs see.
#ifndef FOI_ANALYSIS_REACH_H
#define FOI_ANALYSIS_REACH_H

#include <foliot/analysis.h>

/// More states than this are not judged pole by pole, which takes n^4 operations.
enum { FOI_MOST_JUDGED = 100 };

/// Marks the poles that inputs do not reach (`observe`: that outputs do not see). FO_OK or
/// FO_ERROR_MEMORY.
fo_status foi_reach(const fo_linear *s, bool observe, bool *hidden, const fo_allocator *allocator);
/// The poles that do not show between inputs and outputs, as many as states. Of a system that the
/// library has made.
const bool *foi_linear_hidden(const fo_linear *s);

#endif
