#include "fmi/description.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/xml.h"

enum { MOST_VARIABLES = 1000000, MOST_ELEMENTS = 1 << 20, MOST_INDICATORS = 1 << 20 };

/// A type or unit that variables refer to.
typedef struct declared {
    const char *name, *unit, *display_unit, *min, *max;
    double nominal;
} declared;

/// An entry of ModelStructure before it is resolved.
typedef struct unknown {
    uint32_t which, line;
} unknown;

/// An output with its dependencies.
typedef struct depending {
    uint32_t which;
    const char *on;
} depending;

typedef struct reading {
    foi_fmu_description *d;
    depending *outputs;
    uint32_t output_count;
    fo_message *why;
    declared *types;
    uint32_t type_count;
    unknown *unknowns; ///< derivatives
    uint32_t unknown_count;
    char path[6][32]; ///< names of the elements that are open
    uint32_t depth;
    uint32_t indicator_count;
    bool in_variable;
    char pending[64]; ///< FMI 2: the name of a type that begins
} reading;

static fo_status wrong(reading *r, uint32_t line, const char *what, const char *found)
{
    return fo_fail(r->why, FO_ERROR_FORMAT, "%s:%u: %s%s%.80s%s", r->d->file, line, what,
                   found ? ", found '" : "", found ? found : "", found ? "'" : "");
}

static const char *keep(reading *r, const char *text)
{
    return text ? foi_arena_text(&r->d->arena, text, strlen(text)) : NULL;
}

static const char *get(reading *r, const foi_xml_element *e, const char *name)
{
    return keep(r, foi_xml_get(e, name));
}

static bool truth(const foi_xml_element *e, const char *name)
{
    const char *text = foi_xml_get(e, name);
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static bool whole(const char *text, uint32_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    *value = (uint32_t)v;
    return !errno && *end == 0 && v <= UINT32_MAX;
}

static bool real(const char *text, double *value)
{
    char *end;
    if (!text || !*text) return false;
    *value = strtod(text, &end);
    while (*end == ' ') end++;
    return *end == 0 && isfinite(*value);
}

bool foi_fmu_number(const char *text, uint32_t index, double *value)
{
    for (;; index--) {
        char *end;
        while (text && *text == ' ') text++;
        if (!text || !*text) return false;
        if (index == 0) {
            size_t n = strcspn(text, " ");
            bool yes = n == 4 && strncmp(text, "true", 4) == 0;
            if (yes || (n == 5 && strncmp(text, "false", 5) == 0)) return *value = yes, true;
            *value = strtod(text, &end);
            return end == text + n;
        }
        text += strcspn(text, " ");
    }
}

// ----------------------------------------------------------------------------------- the
// interfaces

static fo_status take_root(reading *r, const foi_xml_element *e)
{
    foi_fmu_description *d = r->d;
    const char *version = foi_xml_get(e, "fmiVersion");
    if (strcmp(e->name, "fmiModelDescription") != 0)
        return wrong(r, e->line, "expected fmiModelDescription", e->name);
    if (!version) return wrong(r, e->line, "fmiModelDescription needs an fmiVersion", NULL);
    d->version = strcmp(version, "2.0") == 0 ? 2 : strncmp(version, "3.", 2) == 0 ? 3 : 0;
    if (!d->version) return wrong(r, e->line, "expected FMI 2.0 or 3.x", version);
    d->name = get(r, e, "modelName"), d->about = get(r, e, "description");
    d->tool = get(r, e, "generationTool");
    d->token = get(r, e, d->version == 2 ? "guid" : "instantiationToken");
    if (!d->name) return wrong(r, e->line, "fmiModelDescription needs a modelName", NULL);
    if (!d->token)
        return wrong(r, e->line,
                     d->version == 2 ? "fmiModelDescription needs a guid"
                                     : "fmiModelDescription needs an instantiationToken",
                     NULL);
    const char *count = foi_xml_get(e, "numberOfEventIndicators");
    if (count && (!whole(count, &d->indicators) || d->indicators > MOST_INDICATORS))
        return wrong(r, e->line, "expected a number of event indicators", count);
    return FO_OK;
}

// The identifier is the name of a file: nothing but a C name is taken.
static bool is_identifier(const char *text)
{
    if (!text || !*text || strlen(text) > 200 || (*text >= '0' && *text <= '9')) return false;
    for (; *text; text++) {
        bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        if (!letter && !(*text >= '0' && *text <= '9') && *text != '_') return false;
    }
    return true;
}

static fo_status take_interface(reading *r, foi_fmu_interface *i, const foi_xml_element *e)
{
    bool two = r->d->version == 2;
    i->there = true;
    i->identifier = get(r, e, "modelIdentifier");
    if (!is_identifier(i->identifier))
        return wrong(r, e->line, "expected a modelIdentifier that is a C name",
                     i->identifier ? i->identifier : "");
    i->get_set_state = truth(e, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
    i->serialize = truth(e, two ? "canSerializeFMUstate" : "canSerializeFMUState");
    i->directional =
        truth(e, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives");
    i->needs_completed = two ? !truth(e, "completedIntegratorStepNotNeeded")
                             : truth(e, "needsCompletedIntegratorStep");
    i->once = truth(e, "canBeInstantiatedOnlyOncePerProcess");
    i->execution_tool = truth(e, "needsExecutionTool");
    i->variable_step = truth(e, "canHandleVariableCommunicationStepSize");
    i->event_mode = truth(e, "hasEventMode");
    i->early_return = truth(e, "mightReturnEarlyFromDoStep");
    real(foi_xml_get(e, "fixedInternalStepSize"), &i->internal_step);
    return FO_OK;
}

static fo_status take_experiment(reading *r, const foi_xml_element *e)
{
    static const char *const names[] = {"startTime", "stopTime", "tolerance", "stepSize"};
    foi_fmu_description *d = r->d;
    for (int i = 0; i < 4; i++) {
        const char *text = foi_xml_get(e, names[i]);
        double value;
        if (text && !real(text, &value))
            return wrong(r, e->line, "expected finite numbers in DefaultExperiment", text);
    }
    d->has_start = real(foi_xml_get(e, "startTime"), &d->start);
    d->has_stop = real(foi_xml_get(e, "stopTime"), &d->stop);
    d->has_tolerance = real(foi_xml_get(e, "tolerance"), &d->tolerance) && d->tolerance > 0;
    d->has_step = real(foi_xml_get(e, "stepSize"), &d->step) && d->step > 0;
    return FO_OK;
}

// --------------------------------------------------------------------------------------- variables

static const struct {
    const char *name;
    foi_fmu_type type;
} types[] = {
    {"Real", FOI_FMU_FLOAT64},  {"Integer", FOI_FMU_INT32},    {"Boolean", FOI_FMU_BOOLEAN},
    {"String", FOI_FMU_STRING}, {"Float64", FOI_FMU_FLOAT64},  {"Float32", FOI_FMU_FLOAT32},
    {"Int8", FOI_FMU_INT8},     {"UInt8", FOI_FMU_UINT8},      {"Int16", FOI_FMU_INT16},
    {"UInt16", FOI_FMU_UINT16}, {"Int32", FOI_FMU_INT32},      {"UInt32", FOI_FMU_UINT32},
    {"Int64", FOI_FMU_INT64},   {"UInt64", FOI_FMU_UINT64},    {"Binary", FOI_FMU_BINARY},
    {"Clock", FOI_FMU_CLOCK},   {"Enumeration", FOI_FMU_INT64}};

static bool type_called(const char *name, int version, foi_fmu_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            if (version == 2 && *type == FOI_FMU_INT64) *type = FOI_FMU_ENUMERATION;
            return true;
        }
    return false;
}

static fo_status take_causality(reading *r, foi_fmu_variable *v, const foi_xml_element *e)
{
    static const char *const names[] = {"local",  "parameter",   "calculatedParameter", "input",
                                        "output", "independent", "structuralParameter"};
    const char *text = foi_xml_get(e, "causality");
    size_t i = 0;
    while (text && i < 7 && strcmp(text, names[i]) != 0) i++;
    if (i == 7) return wrong(r, e->line, "expected a causality", text);
    v->causality = (foi_fmu_causality)i;
    return FO_OK;
}

static fo_status take_variability(reading *r, foi_fmu_variable *v, const foi_xml_element *e)
{
    static const char *const names[] = {"constant", "fixed", "tunable", "discrete", "continuous"};
    const char *text = foi_xml_get(e, "variability");
    size_t i = 0;
    while (text && i < 5 && strcmp(text, names[i]) != 0) i++;
    if (i == 5) return wrong(r, e->line, "expected a variability", text);
    v->variability =
        text ? (fo_variability)(FO_VARIABILITY_CONSTANT + (int)i) : FO_VARIABILITY_BY_LIST;
    return FO_OK;
}

// What FMI 2 has on ScalarVariable and FMI 3 on the type's element.
static fo_status take_common(reading *r, foi_fmu_variable *v, const foi_xml_element *e)
{
    const char *reference = foi_xml_get(e, "valueReference"), *initial = foi_xml_get(e, "initial");
    v->name = get(r, e, "name"), v->about = get(r, e, "description");
    v->line = e->line, v->size = 1;
    if (!v->name || !*v->name) return wrong(r, e->line, "a variable without a name", NULL);
    if (!whole(reference, &v->reference))
        return wrong(r, e->line, "expected a valueReference", reference ? reference : "");
    v->calculated = initial && strcmp(initial, "calculated") == 0;
    fo_status status = take_causality(r, v, e);
    return status == FO_OK ? take_variability(r, v, e) : status;
}

// A clock's interval is a decimal number, or a counter and a resolution.
static double clock_time(const foi_xml_element *e, const char *decimal, const char *counter)
{
    double value = 0, count = 0, resolution = 0;
    if (real(foi_xml_get(e, decimal), &value)) return value;
    if (real(foi_xml_get(e, counter), &count) && real(foi_xml_get(e, "resolution"), &resolution) &&
        resolution > 0)
        return count / resolution;
    return 0;
}

static fo_status take_clock(reading *r, foi_fmu_variable *v, const foi_xml_element *e)
{
    static const char *const names[] = {"constant", "fixed",     "tunable",
                                        "changing", "countdown", "triggered"};
    const char *text = foi_xml_get(e, "intervalVariability");
    size_t i = 0;
    if (text && strcmp(text, "calculated") == 0) text = "fixed";
    while (i < 6 && !(text && strcmp(text, names[i]) == 0)) i++;
    if (i == 6) return wrong(r, e->line, "expected an intervalVariability", text ? text : "");
    v->clock.ticking = (foi_fmu_ticking)i;
    v->clock.interval = clock_time(e, "intervalDecimal", "intervalCounter");
    v->clock.shift = clock_time(e, "shiftDecimal", "shiftCounter");
    whole(foi_xml_get(e, "priority"), &v->clock.priority);
    if (v->clock.interval < 0 || v->clock.shift < 0)
        return wrong(r, e->line, "a clock must not have a negative interval or shift", v->name);
    return FO_OK;
}

static fo_status take_typed(reading *r, foi_fmu_variable *v, const foi_xml_element *e)
{
    const char *derivative = foi_xml_get(e, "derivative");
    v->unit = get(r, e, "unit"), v->display_unit = get(r, e, "displayUnit");
    v->declared = get(r, e, "declaredType"), v->start = get(r, e, "start");
    v->min = get(r, e, "min"), v->max = get(r, e, "max");
    real(foi_xml_get(e, "nominal"), &v->nominal);
    if (v->variability == FO_VARIABILITY_BY_LIST)
        v->variability = v->causality == FOI_FMU_PARAMETER || v->causality == FOI_FMU_CALCULATED ||
                                 v->causality == FOI_FMU_STRUCTURAL
                             ? FO_VARIABILITY_FIXED
                         : v->type <= FOI_FMU_FLOAT32 ? FO_VARIABILITY_CONTINUOUS
                                                      : FO_VARIABILITY_DISCRETE;
    if (v->type == FOI_FMU_CLOCK) return take_clock(r, v, e);
    if (!derivative) return FO_OK;
    v->derivative = whole(derivative, &v->derived);
    return v->derivative
               ? FO_OK
               : wrong(r, e->line, "expected the index of the state in 'derivative'", derivative);
}

static foi_fmu_variable *last_variable(reading *r)
{
    return &r->d->variables[r->d->variable_count - 1];
}

static foi_fmu_variable *add_variable(reading *r)
{
    if (r->d->variable_count == MOST_VARIABLES) return NULL;
    return foi_arena_add(&r->d->arena, &r->d->variables, &r->d->variable_count,
                         sizeof *r->d->variables);
}

static fo_status no_memory(reading *r)
{
    return fo_fail(r->why, FO_ERROR_MEMORY, "no memory for a model description");
}

static fo_status take_variable(reading *r, const foi_xml_element *e)
{
    foi_fmu_type type = FOI_FMU_FLOAT64;
    bool two = r->d->version == 2;
    if (two ? strcmp(e->name, "ScalarVariable") != 0 : !type_called(e->name, 3, &type))
        return wrong(r, e->line, "expected a variable", e->name);
    foi_fmu_variable *v = add_variable(r);
    if (!v) return no_memory(r);
    v->type = type;
    fo_status status = take_common(r, v, e);
    r->in_variable = true;
    return status == FO_OK && !two ? take_typed(r, v, e) : status;
}

static fo_status take_inside_variable(reading *r, const foi_xml_element *e)
{
    foi_fmu_variable *v = last_variable(r);
    if (r->d->version == 2) {
        foi_fmu_type type;
        if (!type_called(e->name, 2, &type)) return FO_OK; // annotations
        v->type = type;
        return take_typed(r, v, e);
    }
    if (strcmp(e->name, "Start") == 0 && !v->start) v->start = get(r, e, "value");
    if (strcmp(e->name, "Dimension") != 0) return FO_OK;
    if (v->dimension_count == 4) return wrong(r, e->line, "more than 4 dimensions", NULL);
    const char *size = foi_xml_get(e, "start"), *other = foi_xml_get(e, "valueReference");
    uint32_t n = v->dimension_count++;
    v->dimension_reference[n] = other != NULL;
    if (!whole(other ? other : size, &v->dimensions[n]))
        return wrong(r, e->line, "expected a dimension", other ? other : size ? size : "");
    return FO_OK;
}

// ------------------------------------------------------------------------------------------- units

const foi_fmu_measure *foi_fmu_measure_of(const foi_fmu_measure *list, uint32_t count,
                                          const char *name)
{
    for (uint32_t i = 0; name && i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

bool foi_fmu_read_base(foi_fmu_measure *m, const foi_xml_element *e)
{
    static const char *const names[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    const char *factor = foi_xml_get(e, "factor"), *offset = foi_xml_get(e, "offset");
    m->known = true;
    for (int i = 0; i < 8; i++) {
        const char *text = foi_xml_get(e, names[i]);
        double value = 0;
        if (text && (!real(text, &value) || value != nearbyint(value) || fabs(value) > 100))
            return false;
        m->exponent[i] = (int)value;
    }
    return (!factor || real(factor, &m->factor)) && (!offset || real(offset, &m->offset));
}

static fo_status take_unit(reading *r, const foi_xml_element *e)
{
    foi_fmu_description *d = r->d;
    if (strcmp(e->name, "Unit") == 0) {
        const char *name = get(r, e, "name");
        if (!name) return wrong(r, e->line, "a unit without a name", NULL);
        foi_fmu_measure *m = foi_arena_add(&d->arena, &d->measures, &d->measure_count, sizeof *m);
        if (!m) return no_memory(r);
        m->name = name, m->factor = 1;
        return FO_OK;
    }
    if (strcmp(e->name, "BaseUnit") != 0 || !d->measure_count) return FO_OK;
    return foi_fmu_read_base(&d->measures[d->measure_count - 1], e)
               ? FO_OK
               : wrong(r, e->line, "expected exponents, a factor and an offset of a unit", NULL);
}

// ------------------------------------------------------------------------------------------- types

static fo_status take_type(reading *r, const foi_xml_element *e)
{
    const char *name = foi_xml_get(e, "name");
    bool outer = r->d->version == 2 && strcmp(e->name, "SimpleType") == 0;
    if (outer) snprintf(r->pending, sizeof r->pending, "%s", name ? name : "");
    if (outer) return FO_OK;
    if (r->d->version == 2) name = r->pending;
    if (!name) return FO_OK;
    declared *t = foi_arena_add(&r->d->arena, &r->types, &r->type_count, sizeof *t);
    if (!t) return no_memory(r);
    *t = (declared){keep(r, name),    get(r, e, "unit"), get(r, e, "displayUnit"),
                    get(r, e, "min"), get(r, e, "max"),  0};
    real(foi_xml_get(e, "nominal"), &t->nominal);
    return FO_OK;
}

static void apply_types(reading *r)
{
    for (uint32_t i = 0; i < r->d->variable_count; i++) {
        foi_fmu_variable *v = &r->d->variables[i];
        for (uint32_t k = 0; v->declared && k < r->type_count; k++) {
            const declared *t = &r->types[k];
            if (!t->name || strcmp(t->name, v->declared) != 0) continue;
            if (!v->unit) v->unit = t->unit;
            if (!v->display_unit) v->display_unit = t->display_unit;
            if (!v->min) v->min = t->min;
            if (!v->max) v->max = t->max;
            if (v->nominal == 0) v->nominal = t->nominal;
            break;
        }
    }
}

// --------------------------------------------------------------------------------------- structure

// An output that says on what it depends, for loops: without that it may depend on every input.
static fo_status take_output(reading *r, const foi_xml_element *e)
{
    const char *which = foi_xml_get(e, r->d->version == 2 ? "index" : "valueReference");
    const char *dependencies = foi_xml_get(e, "dependencies");
    uint32_t number;
    if (!dependencies || !whole(which, &number)) return FO_OK;
    depending *o = foi_arena_add(&r->d->arena, &r->outputs, &r->output_count, sizeof *o);
    if (!o) return no_memory(r);
    *o = (depending){number, keep(r, dependencies)};
    return FO_OK;
}

static fo_status take_structure(reading *r, const foi_xml_element *e)
{
    bool two = r->d->version == 2;
    bool derivative =
        two ? strcmp(r->path[3], "Derivatives") == 0 && strcmp(e->name, "Unknown") == 0
            : strcmp(e->name, "ContinuousStateDerivative") == 0;
    bool output = two ? strcmp(r->path[3], "Outputs") == 0 : strcmp(e->name, "Output") == 0;
    if (!two && strcmp(e->name, "EventIndicator") == 0) r->indicator_count++;
    if (output) return take_output(r, e);
    if (!derivative) return FO_OK;
    unknown *u = foi_arena_add(&r->d->arena, &r->unknowns, &r->unknown_count, sizeof *u);
    if (!u) return no_memory(r);
    const char *which = foi_xml_get(e, two ? "index" : "valueReference");
    u->line = e->line;
    return whole(which, &u->which) ? FO_OK
                                   : wrong(r, e->line, "expected a derivative", which ? which : "");
}

const foi_fmu_variable *foi_fmu_by_reference(const foi_fmu_description *d, uint32_t reference)
{
    for (uint32_t i = 0; i < d->variable_count; i++)
        if (d->variables[i].reference == reference) return &d->variables[i];
    return NULL;
}

static fo_status size_variables(reading *r)
{
    foi_fmu_description *d = r->d;
    for (uint32_t i = 0; i < d->variable_count; i++) {
        foi_fmu_variable *v = &d->variables[i];
        double size = 1;
        for (uint32_t k = 0; k < v->dimension_count; k++) {
            double n = v->dimensions[k];
            if (v->dimension_reference[k]) {
                const foi_fmu_variable *p = foi_fmu_by_reference(d, v->dimensions[k]);
                if (!p || p == v || !foi_fmu_number(p->start, 0, &n) || n < 0)
                    return wrong(r, v->line,
                                 "a dimension must be given by a parameter's start value", v->name);
            }
            v->dimensions[k] = n <= MOST_ELEMENTS ? (uint32_t)n : MOST_ELEMENTS;
            size *= n;
        }
        if (size > MOST_ELEMENTS) return wrong(r, v->line, "more than 1048576 elements", v->name);
        v->size = (uint32_t)size;
    }
    return FO_OK;
}

static foi_fmu_variable *numbered(foi_fmu_description *d, uint32_t number)
{
    if (d->version == 3) return (foi_fmu_variable *)foi_fmu_by_reference(d, number);
    return number >= 1 && number <= d->variable_count ? &d->variables[number - 1] : NULL;
}

static void resolve_outputs(reading *r)
{
    for (uint32_t i = 0; i < r->output_count; i++) {
        foi_fmu_variable *v = numbered(r->d, r->outputs[i].which);
        bool direct = false;
        double number;
        for (uint32_t k = 0; v && !direct && foi_fmu_number(r->outputs[i].on, k, &number); k++) {
            const foi_fmu_variable *on =
                number >= 0 && number <= UINT32_MAX ? numbered(r->d, (uint32_t)number) : NULL;
            direct = !on || on->causality == FOI_FMU_INPUT;
        }
        if (v) v->indirect = !direct;
    }
}

static const foi_fmu_variable *find_derived(const foi_fmu_description *d, const foi_fmu_variable *v)
{
    if (d->version == 3) return foi_fmu_by_reference(d, v->derived);
    return v->derived >= 1 && v->derived <= d->variable_count ? &d->variables[v->derived - 1]
                                                              : NULL;
}

static fo_status resolve(reading *r)
{
    foi_fmu_description *d = r->d;
    d->derivatives = foi_arena_new(&d->arena, r->unknown_count + 1, sizeof *d->derivatives);
    d->states = foi_arena_new(&d->arena, r->unknown_count + 1, sizeof *d->states);
    if (!d->states || !d->derivatives) return no_memory(r);
    for (uint32_t i = 0; i < r->unknown_count; i++) {
        const unknown *u = &r->unknowns[i];
        const foi_fmu_variable *v = NULL;
        if (d->version == 3)
            v = foi_fmu_by_reference(d, u->which);
        else if (u->which >= 1 && u->which <= d->variable_count)
            v = &d->variables[u->which - 1];
        if (!v)
            return wrong(r, u->line, "ModelStructure lists a derivative that is not a variable",
                         NULL);
        const foi_fmu_variable *x = v->derivative ? find_derived(d, v) : NULL;
        if (!x)
            return wrong(
                r, u->line,
                "a derivative in ModelStructure needs the attribute 'derivative', its state",
                v->name);
        if (x->size != v->size || x->type != FOI_FMU_FLOAT64 || v->type != FOI_FMU_FLOAT64)
            return wrong(
                r, u->line,
                "a state and its derivative must both be of type Real and have the same size",
                v->name);
        d->derivatives[i] = (uint32_t)(v - d->variables);
        d->states[i] = (uint32_t)(x - d->variables);
        for (uint32_t k = 0; k < i; k++)
            if (d->states[k] == d->states[i])
                return wrong(r, u->line, "one state has two derivatives", x->name);
    }
    d->derivative_count = r->unknown_count;
    if (d->version == 3) d->indicators = r->indicator_count;
    return FO_OK;
}

// A start value that is none would be taken for zero.
static fo_status check_starts(reading *r)
{
    for (uint32_t i = 0; i < r->d->variable_count; i++) {
        const foi_fmu_variable *v = &r->d->variables[i];
        if (!v->start || v->type > FOI_FMU_ENUMERATION) continue;
        for (const char *at = v->start + strspn(v->start, " "); *at; at += strspn(at, " ")) {
            double value;
            if (!foi_fmu_number(at, 0, &value))
                return wrong(r, v->line, "expected a number as start value", v->start);
            bool integer = v->type > FOI_FMU_FLOAT32;
            if (integer && value != floor(value))
                return wrong(r, v->line, "expected an integer as start value", v->start);
            at += strcspn(at, " ");
        }
    }
    return FO_OK;
}

static fo_status check_derivatives(reading *r)
{
    for (uint32_t i = 0; i < r->d->variable_count; i++) {
        const foi_fmu_variable *v = &r->d->variables[i];
        if (v->derivative && find_derived(r->d, v) == v)
            return wrong(r, v->line, "a variable is said to be the derivative of itself", v->name);
    }
    return FO_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static fo_status check_names(reading *r)
{
    foi_fmu_description *d = r->d;
    const char **names = foi_new(d->arena.allocator, d->variable_count + 1, sizeof *names);
    fo_status status = names ? FO_OK : no_memory(r);
    for (uint32_t i = 0; i < d->variable_count && names; i++) names[i] = d->variables[i].name;
    if (names) qsort(names, d->variable_count, sizeof *names, by_text);
    for (uint32_t i = 1; i < d->variable_count && status == FO_OK; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = wrong(r, 1, "two variables have the same name", names[i]);
    foi_free(d->arena.allocator, names);
    return status;
}

// ------------------------------------------------------------------------------------- the
// document

static fo_status take_top(reading *r, const foi_xml_element *e)
{
    foi_fmu_description *d = r->d;
    if (strcmp(e->name, "ModelExchange") == 0) return take_interface(r, &d->exchange, e);
    if (strcmp(e->name, "CoSimulation") == 0) return take_interface(r, &d->cosimulation, e);
    if (strcmp(e->name, "ScheduledExecution") == 0) return take_interface(r, &d->scheduled, e);
    if (strcmp(e->name, "DefaultExperiment") == 0) return take_experiment(r, e);
    return FO_OK;
}

static fo_status begin(void *self, const foi_xml_element *e, fo_message *why)
{
    reading *r = self;
    (void)why;
    if (e->depth < 6) snprintf(r->path[e->depth], sizeof r->path[0], "%s", e->name);
    if (e->depth == 1) return take_root(r, e);
    if (e->depth == 2) return take_top(r, e);
    if (strcmp(r->path[2], "ModelVariables") == 0) {
        if (e->depth == 3) return take_variable(r, e);
        return e->depth == 4 ? take_inside_variable(r, e) : FO_OK;
    }
    if (strcmp(r->path[2], "UnitDefinitions") == 0) return take_unit(r, e);
    if (strcmp(r->path[2], "TypeDefinitions") == 0) {
        bool type = e->depth == 3 || (e->depth == 4 && r->d->version == 2);
        return type ? take_type(r, e) : FO_OK;
    }
    if (strcmp(r->path[2], "ModelStructure") == 0) {
        // FMI 2 has its unknowns one deeper, in Derivatives
        return e->depth == (r->d->version == 3 ? 3 : 4) ? take_structure(r, e) : FO_OK;
    }
    return FO_OK;
}

fo_status foi_fmu_describe(foi_fmu_description *d, const char *file, const char *text,
                           size_t length, const fo_allocator *a, fo_message *why)
{
    fo_message own = {0};
    *d = (foi_fmu_description){0};
    foi_arena_begin(&d->arena, a, (size_t)1 << 30);
    d->file = foi_arena_text(&d->arena, file, strlen(file));
    reading r = {.d = d, .why = why ? why : &own};
    foi_xml_def def = {
        .file = file, .text = text, .length = length, .self = &r, .begin = begin, .allocator = a};
    fo_status status = d->file ? foi_xml_read(&def, r.why) : no_memory(&r);
    if (status == FO_OK && d->arena.failed) status = no_memory(&r);
    if (status == FO_OK) apply_types(&r);
    if (status == FO_OK) status = size_variables(&r);
    if (status == FO_OK) status = check_names(&r);
    if (status == FO_OK) status = check_starts(&r);
    if (status == FO_OK) status = check_derivatives(&r);
    if (status == FO_OK) resolve_outputs(&r);
    if (status == FO_OK) status = resolve(&r);
    if (status == FO_OK && !d->exchange.there && !d->cosimulation.there && !d->scheduled.there)
        status = wrong(&r, 1, "expected ModelExchange or CoSimulation, found neither", NULL);
    if (status != FO_OK) foi_fmu_forget(d);
    return status;
}

void foi_fmu_forget(foi_fmu_description *d)
{
    foi_arena_end(&d->arena);
    *d = (foi_fmu_description){0};
}
