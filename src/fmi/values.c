/// Values of all types: here they are doubles, in the unit what its description says.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/serve.h"

// From 2^53 on there are fewer doubles than integers. That the nearest value is taken is said,
// once.
static void note_rounding(foi_unit *unit, const foi_unit_slot *s, const double *values)
{
    for (uint32_t i = 0; i < s->size && !unit->rounded; i++) {
        if (fabs(values[i]) < 0x1p53) continue;
        unit->rounded = true;
        fprintf(stderr,
                "%s: '%s' is beyond 2^53, where a double does not hold every integer: the nearest "
                "value is taken\n",
                unit->about.file, s->variable->name);
    }
}

#define FROM(TYPE)                                                      \
    do {                                                                \
        const TYPE *from = unit->work;                                  \
        for (uint32_t i = 0; i < s->size; i++) to[i] = (double)from[i]; \
    } while (0)

static bool take_work(foi_unit *unit, const foi_unit_slot *s, double *to)
{
    switch (s->type) {
    case FOI_FMU_FLOAT64: FROM(double); break;
    case FOI_FMU_FLOAT32: FROM(float); break;
    case FOI_FMU_INT8: FROM(int8_t); break;
    case FOI_FMU_UINT8: FROM(uint8_t); break;
    case FOI_FMU_INT16: FROM(int16_t); break;
    case FOI_FMU_UINT16: FROM(uint16_t); break;
    case FOI_FMU_INT32:
    case FOI_FMU_ENUMERATION: FROM(int32_t); break;
    case FOI_FMU_UINT32: FROM(uint32_t); break;
    case FOI_FMU_BOOLEAN:
        if (unit->about.version == 2)
            FROM(int);
        else
            FROM(bool);
        for (uint32_t i = 0; i < s->size; i++) to[i] = to[i] != 0;
        break;
    case FOI_FMU_INT64:
        FROM(int64_t);
        note_rounding(unit, s, to);
        break;
    case FOI_FMU_UINT64:
        FROM(uint64_t);
        note_rounding(unit, s, to);
        break;
    default: return false;
    }
    return true;
}

static bool in_range(const foi_unit_slot *s, double v)
{
    static const double lowest[] = {0, 0, -128, 0, -32768, 0, -2147483648.0, 0, -0x1p63, 0, 0},
                        highest[] = {0,          0,          127,    255,    32767, 65535,
                                     2147483647, 4294967295, 0x1p63, 0x1p64, 1};
    if (s->type == FOI_FMU_FLOAT64) return true;
    if (s->type == FOI_FMU_FLOAT32) return !isfinite(v) || fabs(v) <= FLT_MAX;
    foi_fmu_type type = s->type == FOI_FMU_ENUMERATION ? FOI_FMU_INT32 : s->type;
    return v == floor(v) && v >= lowest[type] && v <= highest[type];
}

// 2^63 and 2^64 are what the largest values of these types are as doubles.
static int64_t int64_of(double v)
{
    return v < 0x1p63 ? (int64_t)v : INT64_MAX;
}

static uint64_t uint64_of(double v)
{
    return v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

#define INTO(TYPE)                                                        \
    do {                                                                  \
        TYPE *work = unit->work;                                          \
        for (uint32_t i = 0; i < s->size; i++) work[i] = (TYPE)values[i]; \
    } while (0)

static bool fill_work(foi_unit *unit, const foi_unit_slot *s, const double *values)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (!in_range(s, values[i]))
            return foi_unit_wrong(unit,
                                  "'%s' cannot be set to %.17g: its type does not hold that value",
                                  s->variable->name, values[i]);
    switch (s->type) {
    case FOI_FMU_FLOAT64: INTO(double); break;
    case FOI_FMU_FLOAT32: INTO(float); break;
    case FOI_FMU_INT8: INTO(int8_t); break;
    case FOI_FMU_UINT8: INTO(uint8_t); break;
    case FOI_FMU_INT16: INTO(int16_t); break;
    case FOI_FMU_UINT16: INTO(uint16_t); break;
    case FOI_FMU_INT32:
    case FOI_FMU_ENUMERATION: INTO(int32_t); break;
    case FOI_FMU_UINT32: INTO(uint32_t); break;
    case FOI_FMU_INT64:
        for (uint32_t i = 0; i < s->size; i++) ((int64_t *)unit->work)[i] = int64_of(values[i]);
        note_rounding(unit, s, values);
        break;
    case FOI_FMU_UINT64:
        for (uint32_t i = 0; i < s->size; i++) ((uint64_t *)unit->work)[i] = uint64_of(values[i]);
        note_rounding(unit, s, values);
        break;
    case FOI_FMU_BOOLEAN:
        if (unit->about.version == 2)
            INTO(int);
        else
            INTO(bool);
        break;
    default: return false;
    }
    return true;
}

static const char *const access_names[2][11] = {
    {"fmi3GetFloat64", "fmi3GetFloat32", "fmi3GetInt8", "fmi3GetUInt8", "fmi3GetInt16",
     "fmi3GetUInt16", "fmi3GetInt32", "fmi3GetUInt32", "fmi3GetInt64", "fmi3GetUInt64",
     "fmi3GetBoolean"},
    {"fmi3SetFloat64", "fmi3SetFloat32", "fmi3SetInt8", "fmi3SetUInt8", "fmi3SetInt16",
     "fmi3SetUInt16", "fmi3SetInt32", "fmi3SetUInt32", "fmi3SetInt64", "fmi3SetUInt64",
     "fmi3SetBoolean"}};

static bool get_slot(foi_unit *unit, const foi_unit_slot *s, double *values)
{
    const fmi_reference *r = &s->reference;
    bool good;
    if (unit->about.version == 3) {
        foi_unit_tell(unit, access_names[0][s->type]);
        good =
            foi_unit_good(unit, unit->f3.Get[s->type](unit->instance, r, 1, unit->work, s->size));
    } else if (s->type == FOI_FMU_FLOAT64)
        good = FOI_CALL2(unit, GetReal, (unit->instance, r, 1, unit->work));
    else if (s->type == FOI_FMU_BOOLEAN)
        good = FOI_CALL2(unit, GetBoolean, (unit->instance, r, 1, unit->work));
    else
        good = FOI_CALL2(unit, GetInteger, (unit->instance, r, 1, unit->work));
    return good && take_work(unit, s, values);
}

static bool get_reals(foi_unit *unit, const foi_unit_list *list, double *values)
{
    foi_unit_tell(unit, "fmi3GetFloat64");
    return foi_unit_good(unit,
                         unit->f3.Get[FOI_FMU_FLOAT64](unit->instance, list->references,
                                                       list->doubles, values, list->double_values));
}

static bool set_reals(foi_unit *unit)
{
    const foi_unit_list *u = &unit->u;
    foi_unit_tell(unit, "fmi3SetFloat64");
    return foi_unit_good(unit,
                         unit->f3.Set[FOI_FMU_FLOAT64](unit->instance, u->references, u->doubles,
                                                       unit->tu, u->double_values));
}

bool foi_unit_get(foi_unit *unit, const foi_unit_list *list, double *values)
{
    bool good = true;
    if (list->doubles && unit->about.version == 2)
        good = FOI_CALL2(unit, GetReal, (unit->instance, list->references, list->doubles, values));
    else if (list->doubles)
        good = get_reals(unit, list, values);
    for (uint32_t i = list->doubles; i < list->count && good; i++)
        good = get_slot(unit, &list->slots[i], values + list->slots[i].first);
    return good;
}

bool foi_unit_set_slot(foi_unit *unit, const foi_unit_slot *s, const double *values)
{
    const fmi_reference *r = &s->reference;
    if (!fill_work(unit, s, values)) return false;
    if (unit->about.version == 3) {
        foi_unit_tell(unit, access_names[1][s->type]);
        return foi_unit_good(unit,
                             unit->f3.Set[s->type](unit->instance, r, 1, unit->work, s->size));
    }
    if (s->type == FOI_FMU_FLOAT64)
        return FOI_CALL2(unit, SetReal, (unit->instance, r, 1, unit->work));
    if (s->type == FOI_FMU_BOOLEAN)
        return FOI_CALL2(unit, SetBoolean, (unit->instance, r, 1, unit->work));
    return FOI_CALL2(unit, SetInteger, (unit->instance, r, 1, unit->work));
}

static bool set_slots(foi_unit *unit, const foi_unit_list *list, uint32_t first, uint32_t end,
                      const double *values, double *known)
{
    for (uint32_t i = first; i < end; i++) {
        const foi_unit_slot *s = &list->slots[i];
        size_t size = s->size * sizeof(double);
        if (!size || memcmp(values + s->first, known + s->first, size) == 0) continue;
        if (!foi_unit_set_slot(unit, s, values + s->first)) return false;
        memcpy(known + s->first, values + s->first, size);
    }
    return true;
}

bool foi_unit_set(foi_unit *unit, const foi_unit_list *list, uint32_t first, const double *values,
                  double *known)
{
    return set_slots(unit, list, first, list->count, values, known);
}

bool foi_unit_set_inputs(foi_unit *unit)
{
    const foi_unit_list *u = &unit->u;
    size_t size = u->double_values * sizeof(double);
    if (size && memcmp(unit->tu, unit->known_u, size) != 0) {
        bool good =
            unit->about.version == 2
                ? FOI_CALL2(unit, SetReal, (unit->instance, u->references, u->doubles, unit->tu))
                : set_reals(unit);
        if (!good) return false;
        memcpy(unit->known_u, unit->tu, size);
    }
    return set_slots(unit, u, u->doubles, u->reals, unit->tu, unit->known_u);
}
