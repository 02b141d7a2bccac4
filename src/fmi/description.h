/// The model description of an FMU, as its XML says it.
#ifndef FOI_FMU_DESCRIPTION_H
#define FOI_FMU_DESCRIPTION_H

#include <foliot/system.h>

#include "base/arena.h"

typedef enum foi_fmu_type {
    FOI_FMU_FLOAT64, ///< Real of FMI 2
    FOI_FMU_FLOAT32,
    FOI_FMU_INT8,
    FOI_FMU_UINT8,
    FOI_FMU_INT16,
    FOI_FMU_UINT16,
    FOI_FMU_INT32, ///< Integer of FMI 2
    FOI_FMU_UINT32,
    FOI_FMU_INT64, ///< Enumeration of FMI 3
    FOI_FMU_UINT64,
    FOI_FMU_BOOLEAN,
    FOI_FMU_ENUMERATION, ///< of FMI 2: as Integer
    FOI_FMU_STRING,
    FOI_FMU_BINARY,
    FOI_FMU_CLOCK,
} foi_fmu_type;

typedef enum foi_fmu_causality {
    FOI_FMU_LOCAL,
    FOI_FMU_PARAMETER,
    FOI_FMU_CALCULATED,
    FOI_FMU_INPUT,
    FOI_FMU_OUTPUT,
    FOI_FMU_INDEPENDENT,
    FOI_FMU_STRUCTURAL,
} foi_fmu_causality;

/// How a clock of FMI 3 ticks.
typedef enum foi_fmu_ticking {
    FOI_FMU_CONSTANT, ///< every `interval`, from `shift` on
    FOI_FMU_FIXED,
    FOI_FMU_TUNABLE,
    FOI_FMU_CHANGING,  ///< the unit says the next interval at each tick
    FOI_FMU_COUNTDOWN, ///< the unit says when, or not
    FOI_FMU_TRIGGERED, ///< from outside, or by the unit
} foi_fmu_ticking;

typedef struct foi_fmu_clock {
    foi_fmu_ticking ticking;
    uint32_t priority; ///< smaller first
    double interval;   ///< 0: the unit says it
    double shift;
} foi_fmu_clock;

typedef struct foi_fmu_variable {
    const char *name, *about, *unit, *display_unit, *start, *declared;
    uint32_t reference;
    foi_fmu_type type;
    foi_fmu_causality causality;
    fo_variability variability;
    bool calculated;  ///< initial = "calculated": cannot be set
    bool derivative;  ///< it is one of...
    uint32_t derived; ///< ...this variable: index (FMI 2, from 1) or reference (FMI 3)
    const char *min, *max;
    double nominal;
    uint32_t dimension_count;
    uint32_t dimensions[4];      ///< a size, or
    bool dimension_reference[4]; ///< the reference of a structural parameter
    uint32_t size;               ///< elements
    foi_fmu_clock clock;         ///< of clocks
    bool indirect; ///< an output whose dependencies are said, and no input is among them
    uint32_t line;
} foi_fmu_variable;

/// A unit of measure: value in base units = factor value + offset.
typedef struct foi_fmu_measure {
    const char *name;
    bool known;      ///< its base units are said
    int exponent[8]; ///< kg, m, s, A, K, mol, cd, rad
    double factor, offset;
} foi_fmu_measure;

/// What one type of use can.
typedef struct foi_fmu_interface {
    bool there;
    const char *identifier;
    bool get_set_state, serialize, directional, needs_completed, once, execution_tool;
    bool variable_step, event_mode, early_return;
    double internal_step; ///< 0: not said
} foi_fmu_interface;

typedef struct foi_fmu_description {
    foi_arena arena;
    const char *file;
    int version; ///< 2 or 3
    const char *name, *about, *token, *tool;
    foi_fmu_interface exchange, cosimulation, scheduled;
    uint32_t indicators;
    foi_fmu_variable *variables;
    uint32_t variable_count;
    uint32_t *derivatives; ///< indices of variables, in the order of the states
    uint32_t derivative_count;
    uint32_t *states; ///< the same of the states
    bool has_start, has_stop, has_tolerance, has_step;
    double start, stop, tolerance, step;
    const char **terminals; ///< what each is, for people
    uint32_t terminal_count;
    const char *icon; ///< its file in the archive; NULL: none
    foi_fmu_measure *measures;
    uint32_t measure_count;
} foi_fmu_description;

/// Reads a text. On failure what was read is freed, and `why` has file:line.
fo_status foi_fmu_describe(foi_fmu_description *d, const char *file, const char *text,
                           size_t length, const fo_allocator *a, fo_message *why);
void foi_fmu_forget(foi_fmu_description *d);
/// Reads terminalsAndIcons.xml of a unit whose description is there.
fo_status foi_fmu_read_terminals(foi_fmu_description *d, const char *file, const char *text,
                                 size_t length, fo_message *why);

/// The variable of a reference; NULL: none.
const foi_fmu_variable *foi_fmu_by_reference(const foi_fmu_description *d, uint32_t reference);

/// The unit of measure of a name; NULL: none.
const foi_fmu_measure *foi_fmu_measure_of(const foi_fmu_measure *list, uint32_t count,
                                          const char *name);
/// What a name of a unit means; false: it is not known. `text` is kept.
bool foi_fmu_measure_read(const char *text, foi_fmu_measure *m);
struct foi_xml_element;
/// Reads <BaseUnit ... factor offset/>; false: something of it is no number.
bool foi_fmu_read_base(foi_fmu_measure *m, const struct foi_xml_element *e);

/// Element `index` of a text of numbers or truths; false: there is none, or it is no number.
bool foi_fmu_number(const char *text, uint32_t index, double *value);

#endif
