/// Model descriptions of exported systems.
///
/// Variables stand in the order time, states, derivatives, discretes, inputs, outputs, parameters,
/// indicators (FMI 3 only), which gives the indices that FMI 2 wants. Dependencies are not said:
/// then each unknown may depend on everything, which is never wrong.
#include <foliot/fmi.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/decimal.h"
#include "fmi/archive.h"
#include "fmi/description.h"
#include "fmi/references.h"
#include "system/state.h"

typedef struct writer {
    const fo_fmu_description_def *def;
    fo_shape shape;
    char *text;
    size_t used, room;
    bool failed;
    const fo_pattern *pattern; ///< of the rates; NULL: everything
} writer;

// Lists of dependencies grow with the square of the states; without one all is meant.
enum { MOST_LISTED = 200 };

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n < 0 || !foi_array_room(NULL, &w->text, &w->room, w->used + (size_t)n + 1, 1)) {
        w->failed = true;
        return;
    }
    va_start(list, format);
    vsnprintf(w->text + w->used, (size_t)n + 1, format, list);
    va_end(list);
    w->used += (size_t)n;
}

static void put_text(writer *w, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            put(w, "&lt;");
        else if (c == '&')
            put(w, "&amp;");
        else if (c == '"')
            put(w, "&quot;");
        else
            put(w, "%c", c < 32 ? ' ' : c);
    }
}

static void put_attribute(writer *w, const char *name, const char *value)
{
    if (!value || !*value) return;
    put(w, " %s=\"", name);
    put_text(w, value);
    put(w, "\"");
}

static void put_number(writer *w, const char *name, double value)
{
    char text[FOI_DECIMAL_SIZE];
    foi_number_text(value, text);
    if (isfinite(value)) put(w, " %s=\"%s\"", name, text);
}

// ------------------------------------------------------------------------------------------- lists

static fo_variables list_of(const writer *w, foi_export_kind kind)
{
    const fo_description *d = w->def->system.about;
    switch (kind) {
    case FOI_EXPORT_STATE:
    case FOI_EXPORT_DERIVATIVE: return d->states;
    case FOI_EXPORT_DISCRETE: return d->discretes;
    case FOI_EXPORT_INPUT: return d->inputs;
    case FOI_EXPORT_OUTPUT: return d->outputs;
    case FOI_EXPORT_PARAMETER: return d->parameters;
    default: return (fo_variables){0};
    }
}

static uint32_t count_of(const writer *w, foi_export_kind kind)
{
    switch (kind) {
    case FOI_EXPORT_TIME: return 1;
    case FOI_EXPORT_STATE:
    case FOI_EXPORT_DERIVATIVE: return w->shape.states;
    case FOI_EXPORT_DISCRETE: return w->shape.discretes;
    case FOI_EXPORT_INPUT: return w->shape.inputs;
    case FOI_EXPORT_OUTPUT: return w->shape.outputs;
    case FOI_EXPORT_PARAMETER: return w->shape.parameters;
    default: return w->def->version == 3 ? w->shape.guards + w->shape.conditions : 0;
    }
}

// From 1, as FMI 2 counts.
static uint32_t index_of(const writer *w, foi_export_kind kind, uint32_t i)
{
    uint32_t before = 1;
    for (foi_export_kind k = FOI_EXPORT_TIME; k < kind; k++) before += count_of(w, k);
    return before + i;
}

static fo_variable variable_of(const writer *w, foi_export_kind kind, uint32_t i)
{
    fo_variables list = list_of(w, kind);
    return i < list.count ? list.list[i] : (fo_variable){0};
}

static bool is_real(const fo_variable *v)
{
    return v->type == FO_REAL;
}

// What others may see: outputs, and the states and discretes that have a name.
static bool is_output(const writer *w, foi_export_kind kind, uint32_t i)
{
    fo_variable v = variable_of(w, kind, i);
    return kind == FOI_EXPORT_OUTPUT ||
           ((kind == FOI_EXPORT_STATE || kind == FOI_EXPORT_DISCRETE) && v.name);
}

// ------------------------------------------------------------------------------------------- units

static bool seen_before(const writer *w, foi_export_kind kind, uint32_t index, const char *unit)
{
    for (foi_export_kind k = FOI_EXPORT_STATE; k <= kind; k++) {
        if (k == FOI_EXPORT_DERIVATIVE) continue;
        uint32_t n = k == kind ? index : count_of(w, k);
        for (uint32_t i = 0; i < n; i++) {
            fo_variable v = variable_of(w, k, i);
            if (is_real(&v) && v.unit && strcmp(v.unit, unit) == 0) return true;
        }
    }
    return false;
}

static void put_unit(writer *w, const char *name)
{
    put(w, "    <Unit");
    put_attribute(w, "name", name);
    foi_fmu_measure m;
    if (!foi_fmu_measure_read(name, &m)) {
        put(w, "/>\n");
        return;
    }
    static const char *const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    put(w, "><BaseUnit");
    for (int i = 0; i < 8; i++)
        if (m.exponent[i]) put(w, " %s=\"%d\"", bases[i], m.exponent[i]);
    if (m.factor != 1) put_number(w, "factor", m.factor);
    if (m.offset != 0) put_number(w, "offset", m.offset);
    put(w, "/></Unit>\n");
}

static void put_units(writer *w)
{
    bool any = false;
    for (foi_export_kind k = FOI_EXPORT_STATE; k <= FOI_EXPORT_PARAMETER; k++)
        for (uint32_t i = 0; i < count_of(w, k) && k != FOI_EXPORT_DERIVATIVE; i++) {
            fo_variable v = variable_of(w, k, i);
            if (!is_real(&v) || !v.unit || !*v.unit || seen_before(w, k, i, v.unit)) continue;
            if (!any) put(w, "  <UnitDefinitions>\n");
            any = true;
            put_unit(w, v.unit);
        }
    if (any) put(w, "  </UnitDefinitions>\n");
}

// --------------------------------------------------------------------------------------- variables

/// What a variable is in the words of the standard.
typedef struct traits {
    const char *causality, *variability, *initial;
    bool start;
} traits;

static traits traits_of(const writer *w, foi_export_kind kind, uint32_t i, const fo_variable *v)
{
    bool real = is_real(v);
    fo_reference which = {FO_PARAMETER, i};
    bool fixed = kind == FOI_EXPORT_PARAMETER &&
                 fo_system_variability(w->def->system, which) != FO_VARIABILITY_TUNABLE;
    const char *shown = is_output(w, kind, i) ? "output" : "local";
    switch (kind) {
    case FOI_EXPORT_TIME: return (traits){"independent", "continuous", NULL, false};
    case FOI_EXPORT_STATE: return (traits){shown, "continuous", "approx", true};
    case FOI_EXPORT_DISCRETE: return (traits){shown, "discrete", "calculated", false};
    case FOI_EXPORT_INPUT: return (traits){"input", real ? "continuous" : "discrete", NULL, true};
    case FOI_EXPORT_OUTPUT:
        return (traits){"output", real ? "continuous" : "discrete", "calculated", false};
    case FOI_EXPORT_PARAMETER:
        return (traits){"parameter", fixed ? "fixed" : "tunable", "exact", true};
    default: return (traits){"local", "continuous", "calculated", false};
    }
}

static void put_name(writer *w, foi_export_kind kind, uint32_t i)
{
    static const fo_quantity quantities[] = {FO_TIME,  FO_STATE,  FO_STATE,    FO_DISCRETE,
                                             FO_INPUT, FO_OUTPUT, FO_PARAMETER};
    char name[512], whole[540];
    fo_reference found;
    if (kind == FOI_EXPORT_TIME) {
        bool taken = fo_system_find(w->def->system, "time", &found, NULL) == FO_OK &&
                     found.quantity != FO_TIME;
        put_attribute(w, "name", taken ? "simulation_time" : "time");
        return;
    }
    if (kind == FOI_EXPORT_INDICATOR)
        snprintf(whole, sizeof whole, "event_indicator[%u]", i + 1);
    else
        snprintf(
            whole, sizeof whole, kind == FOI_EXPORT_DERIVATIVE ? "der(%s)" : "%s",
            fo_system_name(w->def->system, (fo_reference){quantities[kind], i}, name, sizeof name));
    put_attribute(w, "name", whole);
}

static void put_start(writer *w, const fo_variable *v)
{
    if (v->type == FO_BOOLEAN)
        put(w, " start=\"%s\"", v->start != 0 ? "true" : "false");
    else if (is_real(v))
        put_number(w, "start", v->start);
    else
        put(w, " start=\"%.0f\"", v->start);
}

static void put_bounds(writer *w, const fo_variable *v)
{
    if ((v->min == 0 && v->max == 0) || v->type == FO_BOOLEAN) return;
    bool whole = !is_real(v);
    if (isfinite(v->min) && (!whole || fabs(v->min) < 0x1p31))
        put(w, whole ? " min=\"%.0f\"" : " min=\"%.17g\"", v->min);
    if (isfinite(v->max) && (!whole || fabs(v->max) < 0x1p31))
        put(w, whole ? " max=\"%.0f\"" : " max=\"%.17g\"", v->max);
}

static void put_common(writer *w, foi_export_kind kind, uint32_t i, const fo_variable *v,
                       const traits *t)
{
    put_name(w, kind, i);
    put(w, " valueReference=\"%u\"", foi_export_reference(kind, i));
    if (kind != FOI_EXPORT_DERIVATIVE) put_attribute(w, "description", v->about);
    put(w, " causality=\"%s\" variability=\"%s\"", t->causality, t->variability);
    if (t->initial) put(w, " initial=\"%s\"", t->initial);
}

static void put_value(writer *w, foi_export_kind kind, uint32_t i, const fo_variable *v,
                      const traits *t)
{
    bool state = kind == FOI_EXPORT_STATE;
    if (is_real(v) && kind != FOI_EXPORT_DERIVATIVE) put_attribute(w, "unit", v->unit);
    if (kind != FOI_EXPORT_DERIVATIVE) put_bounds(w, v);
    if (t->start) put_start(w, v);
    if (kind == FOI_EXPORT_DERIVATIVE)
        put(w, " derivative=\"%u\"",
            w->def->version == 2 ? index_of(w, FOI_EXPORT_STATE, i)
                                 : foi_export_reference(FOI_EXPORT_STATE, i));
    if (state && w->shape.guards + w->shape.conditions + w->def->system.about->moments.count)
        put(w, " reinit=\"true\"");
}

static void put_variable(writer *w, foi_export_kind kind, uint32_t i)
{
    fo_variable v = variable_of(w, kind, i);
    traits t = traits_of(w, kind, i, &v);
    if (kind == FOI_EXPORT_DERIVATIVE) v.type = FO_REAL;
    if (w->def->version == 2) {
        const char *type = is_real(&v) ? "Real" : v.type == FO_BOOLEAN ? "Boolean" : "Integer";
        put(w, "    <ScalarVariable");
        put_common(w, kind, i, &v, &t);
        put(w, "><%s", type);
        put_value(w, kind, i, &v, &t);
        put(w, "/></ScalarVariable>\n");
    } else {
        const char *type = is_real(&v) ? "Float64" : v.type == FO_BOOLEAN ? "Boolean" : "Int32";
        put(w, "    <%s", type);
        put_common(w, kind, i, &v, &t);
        put_value(w, kind, i, &v, &t);
        put(w, "/>\n");
    }
}

static void put_variables(writer *w)
{
    put(w, "  <ModelVariables>\n");
    for (foi_export_kind k = FOI_EXPORT_TIME; k <= FOI_EXPORT_INDICATOR; k++)
        for (uint32_t i = 0; i < count_of(w, k); i++) put_variable(w, k, i);
    put(w, "  </ModelVariables>\n");
}

// --------------------------------------------------------------------------------------- structure

static bool is_real_output(const writer *w, uint32_t i)
{
    fo_variable v = variable_of(w, FOI_EXPORT_OUTPUT, i);
    return is_real(&v);
}

static void put_known(writer *w, foi_export_kind kind, uint32_t i, bool *first)
{
    put(w, "%s%u", *first ? "" : " ",
        w->def->version == 2 ? index_of(w, kind, i) : foi_export_reference(kind, i));
    *first = false;
}

static bool has_entry(const fo_pattern *p, uint32_t row, uint32_t column)
{
    for (uint32_t k = p->start[column]; k < p->start[column + 1]; k++)
        if (p->row[k] == row) return true;
    return false;
}

// Between events: a state is itself, an output that does not feed through depends on states alone,
// and rates on the states of their row. A guard is held, and the rest may depend on anything.
static void put_dependencies(writer *w, foi_export_kind kind, uint32_t i)
{
    uint32_t n = w->shape.states;
    bool rate = kind == FOI_EXPORT_DERIVATIVE && w->pattern;
    bool output =
        kind == FOI_EXPORT_OUTPUT && !variable_of(w, kind, i).direct && is_real_output(w, i);
    bool first = true;
    if (kind != FOI_EXPORT_STATE && !(rate || output)) return;
    if (n > MOST_LISTED) return;
    put(w, " dependencies=\"");
    for (uint32_t k = 0; k < n; k++)
        if (kind == FOI_EXPORT_STATE ? k == i : output || has_entry(w->pattern, i, k))
            put_known(w, FOI_EXPORT_STATE, k, &first);
    for (uint32_t k = 0; k < w->shape.inputs && rate; k++)
        put_known(w, FOI_EXPORT_INPUT, k, &first);
    if (rate || output) put_known(w, FOI_EXPORT_TIME, 0, &first);
    put(w, "\"");
}

static void put_unknown(writer *w, const char *element, foi_export_kind kind, uint32_t i)
{
    if (w->def->version == 2)
        put(w, "      <Unknown index=\"%u\"", index_of(w, kind, i));
    else
        put(w, "    <%s valueReference=\"%u\"", element, foi_export_reference(kind, i));
    // at the start everything may depend on everything
    if (strcmp(element, "InitialUnknown") != 0) put_dependencies(w, kind, i);
    put(w, "/>\n");
}

static uint32_t put_outputs(writer *w, const char *element, const char *list)
{
    uint32_t count = 0;
    for (foi_export_kind k = FOI_EXPORT_STATE; k <= FOI_EXPORT_OUTPUT; k++)
        for (uint32_t i = 0; i < count_of(w, k); i++) {
            if (!is_output(w, k, i)) continue;
            if (!count++ && w->def->version == 2 && list) put(w, "    <%s>\n", list);
            put_unknown(w, element, k, i);
        }
    if (count && w->def->version == 2 && list) put(w, "    </%s>\n", list);
    return count;
}

static void put_initial(writer *w)
{
    bool two = w->def->version == 2;
    uint32_t n = w->shape.states, outputs = 0;
    for (foi_export_kind k = FOI_EXPORT_STATE; k <= FOI_EXPORT_OUTPUT; k++)
        for (uint32_t i = 0; i < count_of(w, k); i++) outputs += is_output(w, k, i);
    if (!n && !outputs) return;
    if (two) put(w, "    <InitialUnknowns>\n");
    for (foi_export_kind k = FOI_EXPORT_STATE; k <= FOI_EXPORT_OUTPUT; k++)
        for (uint32_t i = 0; i < count_of(w, k); i++)
            if (k <= FOI_EXPORT_DERIVATIVE || is_output(w, k, i))
                put_unknown(w, "InitialUnknown", k, i);
    if (two) put(w, "    </InitialUnknowns>\n");
}

static void put_structure(writer *w)
{
    bool two = w->def->version == 2;
    put(w, "  <ModelStructure>\n");
    put_outputs(w, "Output", "Outputs");
    if (w->shape.states && two) put(w, "    <Derivatives>\n");
    for (uint32_t i = 0; i < w->shape.states; i++)
        put_unknown(w, "ContinuousStateDerivative", FOI_EXPORT_DERIVATIVE, i);
    if (w->shape.states && two) put(w, "    </Derivatives>\n");
    put_initial(w);
    for (uint32_t i = 0; i < count_of(w, FOI_EXPORT_INDICATOR); i++)
        put_unknown(w, "EventIndicator", FOI_EXPORT_INDICATOR, i);
    put(w, "  </ModelStructure>\n");
}

// ----------------------------------------------------------------------------------------- the
// whole

static void put_root(writer *w)
{
    const fo_fmu_description_def *d = w->def;
    const fo_description *about = d->system.about;
    bool two = d->version == 2;
    put(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%d.0\"",
        d->version);
    put_attribute(w, "modelName", about->name && *about->name ? about->name : "model");
    put_attribute(w, two ? "guid" : "instantiationToken", d->token);
    put_attribute(w, "description", about->about);
    put(w, " generationTool=\"Foliot\" variableNamingConvention=\"flat\"");
    if (two) put(w, " numberOfEventIndicators=\"%u\"", w->shape.guards + w->shape.conditions);
    put(w, ">\n");
}

// FMI 3 has a build description beside the sources.
static void end_interface(writer *w, const char *element)
{
    const char *const *files = w->def->version == 2 ? w->def->sources : NULL;
    if (!files || !files[0]) {
        put(w, "/>\n");
        return;
    }
    put(w, ">\n    <SourceFiles>\n");
    for (; *files; files++) {
        put(w, "      <File");
        put_attribute(w, "name", *files);
        put(w, "/>\n");
    }
    put(w, "    </SourceFiles>\n  </%s>\n", element);
}

static void put_interfaces(writer *w)
{
    const fo_fmu_description_def *d = w->def;
    const char *state = d->version == 2 ? "FMUstate" : "FMUState";
    if (d->model_exchange) {
        put(w,
            "  <ModelExchange modelIdentifier=\"%s\" canGetAndSet%s=\"true\" "
            "canSerialize%s=\"true\"%s",
            d->identifier, state, state,
            d->version == 3 ? " needsCompletedIntegratorStep=\"true\"" : "");
        if (d->system.type->tangent)
            put(w, " providesDirectionalDerivative%s=\"true\"", d->version == 3 ? "s" : "");
        end_interface(w, "ModelExchange");
    }
    if (d->co_simulation) {
        const char *kept = d->system.type->no_snapshot ? "false" : "true";
        put(w,
            "  <CoSimulation modelIdentifier=\"%s\" canGetAndSet%s=\"%s\" "
            "canSerialize%s=\"%s\" canHandleVariableCommunicationStepSize=\"true\"%s",
            d->identifier, state, kept, state, kept,
            d->version == 3 ? " hasEventMode=\"true\" mightReturnEarlyFromDoStep=\"true\"" : "");
        end_interface(w, "CoSimulation");
    }
}

static void put_experiment(writer *w)
{
    const fo_run_def *e = &w->def->run;
    double interval = w->def->interval;
    double stop = e->stop > e->start ? e->stop : e->start + 1;
    put(w, "  <DefaultExperiment");
    put_number(w, "startTime", e->start);
    put_number(w, "stopTime", stop);
    if (e->rtol > 0 && e->rtol < 1) put_number(w, "tolerance", e->rtol);
    put_number(w, "stepSize", interval > 0 ? interval : (stop - e->start) / 500);
    put(w, "/>\n");
}

fo_fmu_description_def fo_default_fmu_description_def(void)
{
    return (fo_fmu_description_def){.run = fo_default_run_def(),
                                    .version = 3,
                                    .model_exchange = true,
                                    .co_simulation = true,
                                    .token = ""};
}

size_t fo_fmu_write_description(const fo_fmu_description_def *def, char *text, size_t size)
{
    writer w = {.def = def, .shape = fo_system_shape(def->system)};
    foi_state_store store = {0};
    const fo_system_type *type = def->system.type;
    if (type->pattern && foi_state_create(&store, &w.shape, NULL, NULL) == FO_OK) {
        foi_state_defaults(def->system, &store.s);
        w.pattern = type->pattern(def->system.model, &store.s);
    }
    put_root(&w);
    put_interfaces(&w);
    put_units(&w);
    put_experiment(&w);
    put_variables(&w);
    put_structure(&w);
    put(&w, "</fmiModelDescription>\n");
    if (!w.failed && size) {
        size_t n = w.used < size ? w.used : size - 1;
        memcpy(text, w.text, n);
        text[n] = 0;
    }
    foi_free(NULL, w.text);
    foi_state_destroy(&store);
    return w.failed ? 0 : w.used;
}

fo_status fo_fmu_write(const char *path, const fo_fmu_file *files, size_t count, fo_message *why)
{
    foi_archive_writer *w = foi_archive_create(path, NULL, why);
    if (!w) return why ? why->status : FO_ERROR_INPUT;
    for (size_t i = 0; i < count; i++)
        foi_archive_add(w, files[i].name, files[i].data, files[i].size, files[i].program);
    return foi_archive_finish(w, why);
}
