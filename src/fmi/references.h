/// Value references of exported units: what a variable is, and its number.
#ifndef FOI_FMU_REFERENCES_H
#define FOI_FMU_REFERENCES_H

#include <foliot/system.h>

typedef enum foi_export_kind {
    FOI_EXPORT_TIME,
    FOI_EXPORT_STATE,
    FOI_EXPORT_DERIVATIVE,
    FOI_EXPORT_DISCRETE,
    FOI_EXPORT_INPUT,
    FOI_EXPORT_OUTPUT,
    FOI_EXPORT_PARAMETER,
    FOI_EXPORT_INDICATOR, ///< guards, then conditions
} foi_export_kind;

enum { FOI_EXPORT_SHIFT = 24 };

static inline uint32_t foi_export_reference(foi_export_kind kind, uint32_t index)
{
    return (uint32_t)kind << FOI_EXPORT_SHIFT | index;
}

#endif
