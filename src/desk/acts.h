/// The acts of the processes or entities of one run or live model (foliot/trace.h), kept as they
/// are told.
#ifndef FOI_DESK_ACTS_H
#define FOI_DESK_ACTS_H

#include <foliot/trace.h>

#include "base/json.h"

typedef struct foi_acts foi_acts;
struct fo_desk;

/// Keeps at most so many; others are counted. NULL without memory.
foi_acts *foi_acts_create(struct fo_desk *desk, uint64_t most);
/// Takes NULL.
void foi_acts_destroy(foi_acts *acts);
/// Who tells them; valid as long as the acts are.
fo_trace foi_acts_trace(foi_acts *acts);
/// How many were told, and how many of them are kept.
uint64_t foi_acts_told(const foi_acts *acts);
size_t foi_acts_kept(const foi_acts *acts);
/// Takes no more of them.
void foi_acts_end(foi_acts *acts);
/// Forgets those that were told so far.
void foi_acts_cut(foi_acts *acts);
/// Writes `count` of them from `from` on as a list of lists: t, who, number, what, action, amount,
/// and where somebody else caused it, by and its number.
void foi_acts_put(const foi_acts *acts, foi_json_writer *w, const char *key, size_t from,
                  size_t count);

#endif
