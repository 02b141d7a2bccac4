/// Where branches of equilibria meet.
#ifndef FOI_ANALYSIS_MEETING_H
#define FOI_ANALYSIS_MEETING_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>

/// F (n numbers) at y (k = n + 1), and its derivatives (n rows of k). False: there is none.
typedef bool foi_meeting_rates(void *self, const double *y, double *f, double *m);

/// Takes y, near a point where F(y) = 0 and the n rows of F_y are not independent, to that point.
/// False: it is not found within `far`, and y stays; so it is with many numbers, where that costs
/// much.
bool foi_meeting_find(foi_meeting_rates *rates, void *self, size_t n, double *y, double far,
                      const fo_allocator *allocator);

#endif
