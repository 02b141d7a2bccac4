/// What the files that call a unit's functions share.
#ifndef FOI_FMU_SERVE_H
#define FOI_FMU_SERVE_H

#include <string.h>

#include "fmi/unit.h"

/// Ends a request with a message; false.
__attribute__((format(printf, 2, 3))) bool foi_unit_wrong(foi_unit *unit, const char *format, ...);
/// Judges what a call returned; true: go on.
bool foi_unit_good(foi_unit *unit, int status);

/// Says which function is called, then calls it with the arguments, which stand in parentheses.
#define FOI_CALL2(unit, name, arguments)                             \
    (memcpy((unit)->block->call, "fmi2" #name, sizeof "fmi2" #name), \
     foi_unit_good(unit, (unit)->f2.name arguments))
#define FOI_CALL3(unit, name, arguments)                             \
    (memcpy((unit)->block->call, "fmi3" #name, sizeof "fmi3" #name), \
     foi_unit_good(unit, (unit)->f3.name arguments))

bool foi_unit_load(foi_unit *unit);

/// All values of a list.
bool foi_unit_get(foi_unit *unit, const foi_unit_list *list, double *values);
/// One variable.
bool foi_unit_set_slot(foi_unit *unit, const foi_unit_slot *slot, const double *values);
/// What differs from what is known, from slot `first` on; known is then that.
bool foi_unit_set(foi_unit *unit, const foi_unit_list *list, uint32_t first, const double *values,
                  double *known);
/// The real inputs that come first, in one call, where one differs.
bool foi_unit_set_inputs(foi_unit *unit);

bool foi_unit_start(foi_unit *unit);
bool foi_unit_finish(foi_unit *unit);
bool foi_unit_save(foi_unit *unit);
bool foi_unit_restore(foi_unit *unit);
/// Event mode until nothing changes, then continuous time.
bool foi_unit_iterate(foi_unit *unit);
bool foi_unit_place(foi_unit *unit);
bool foi_unit_step(foi_unit *unit);

/// Strings and binaries that are given, in a new instance.
bool foi_unit_set_texts(foi_unit *unit);
/// The value of text `mask` of the block.
bool foi_unit_get_text(foi_unit *unit);
/// Scheduled execution: inputs set, outputs looked at; a tick of clock `mask` before that.
bool foi_unit_look(foi_unit *unit);
bool foi_unit_tick(foi_unit *unit);

#endif
