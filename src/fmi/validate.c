/// The rules of FMI that schemas cannot say, of a description: references, kinds of variables, the
/// lists of its structure. And what only the unit itself shows: a dependency that is not listed.
///
/// The description is read here a second time, with all that it says of initial values and
/// dependencies; running a unit needs none of that.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fmi/archive.h"
#include "fmi/fmu.h"
#include "fmi/xml.h"

enum { MOST_SHOWN = 100, MOST_PERTURBED = 500 };

typedef enum list_kind { LIST_OUTPUTS, LIST_DERIVATIVES, LIST_INITIAL, LIST_OTHER } list_kind;

/// A variable as it stands there; what is not said is NULL.
typedef struct variable {
    const char *name, *type, *causality, *variability, *initial, *start, *min, *max, *unit,
        *declared, *derivative;
    uint32_t reference, line;
    bool array, clocked, has_start;
} variable;

/// An entry of ModelStructure.
typedef struct unknown {
    list_kind kind;
    uint32_t which, line;
    const char *dependencies, *kinds;
} unknown;

typedef struct checking {
    foi_arena arena;
    fo_message *why;
    int version;
    char path[8][40];
    variable *variables;
    unknown *unknowns;
    const char **units, **types;
    uint32_t variable_count, unknown_count, unit_count, type_count, shown;
    const char *convention;
    void *self;
    void (*tell)(void *self, uint32_t line, const char *text);
    uint32_t count;
} checking;

__attribute__((format(printf, 3, 4))) static void tell(checking *c, uint32_t line,
                                                       const char *format, ...)
{
    char text[400];
    va_list list;
    if (++c->count > MOST_SHOWN) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->tell(c->self, line, text);
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

// ---------------------------------------------------------------------------------------- reading

static const char *get(checking *c, const foi_xml_element *e, const char *name)
{
    const char *text = foi_xml_get(e, name);
    return text ? foi_arena_text(&c->arena, text, strlen(text)) : NULL;
}

static void take_typed(checking *c, variable *v, const foi_xml_element *e)
{
    v->type = foi_arena_text(&c->arena, e->name, strlen(e->name));
    v->start = get(c, e, "start"), v->min = get(c, e, "min"), v->max = get(c, e, "max");
    v->unit = get(c, e, "unit"), v->declared = get(c, e, "declaredType");
    v->derivative = get(c, e, "derivative");
    v->has_start = v->start != NULL;
}

static void take_variable(checking *c, const foi_xml_element *e)
{
    variable *v = foi_arena_add(&c->arena, &c->variables, &c->variable_count, sizeof *v);
    if (!v) return;
    v->name = get(c, e, "name"), v->line = e->line;
    v->causality = get(c, e, "causality"), v->variability = get(c, e, "variability");
    v->initial = get(c, e, "initial");
    v->clocked = foi_xml_get(e, "clocks") != NULL;
    const char *reference = foi_xml_get(e, "valueReference");
    v->reference = reference ? (uint32_t)strtoul(reference, NULL, 10) : 0;
    if (!v->causality) v->causality = "local";
    if (c->version == 3) take_typed(c, v, e);
}

static void take_inner(checking *c, const foi_xml_element *e)
{
    variable *v = c->variable_count ? &c->variables[c->variable_count - 1] : NULL;
    if (!v) return;
    if (c->version == 2 && !v->type && strcmp(e->name, "Annotations") != 0) take_typed(c, v, e);
    if (c->version == 3 && strcmp(e->name, "Start") == 0) v->has_start = true;
    if (c->version == 3 && strcmp(e->name, "Dimension") == 0) v->array = true;
}

static void take_unknown(checking *c, const foi_xml_element *e)
{
    unknown *u = foi_arena_add(&c->arena, &c->unknowns, &c->unknown_count, sizeof *u);
    const char *list = c->version == 2 ? c->path[3] : e->name;
    if (!u) return;
    const char *which = foi_xml_get(e, c->version == 2 ? "index" : "valueReference");
    u->which = which ? (uint32_t)strtoul(which, NULL, 10) : 0;
    u->line = e->line;
    u->dependencies = get(c, e, "dependencies"), u->kinds = get(c, e, "dependenciesKind");
    u->kind = strncmp(list, "Output", 6) == 0 ? LIST_OUTPUTS
              : same(list, "Derivatives") || same(list, "ContinuousStateDerivative")
                  ? LIST_DERIVATIVES
              : strncmp(list, "InitialUnknown", 14) == 0 ? LIST_INITIAL
                                                         : LIST_OTHER;
}

static void take_name(checking *c, const foi_xml_element *e, const char ***list, uint32_t *count)
{
    const char **name = foi_arena_add(&c->arena, list, count, sizeof *name);
    if (name) *name = get(c, e, "name");
}

static void check_experiment(checking *c, const foi_xml_element *e)
{
    const char *start = foi_xml_get(e, "startTime"), *stop = foi_xml_get(e, "stopTime");
    double from = start ? strtod(start, NULL) : 0;
    if (stop && !(strtod(stop, NULL) > from))
        tell(c, e->line, "the default experiment must stop after its start, not at %s", stop);
    const char *tolerance = foi_xml_get(e, "tolerance"), *step = foi_xml_get(e, "stepSize");
    if (tolerance && !(strtod(tolerance, NULL) > 0))
        tell(c, e->line, "the tolerance must be above 0");
    if (step && !(strtod(step, NULL) > 0)) tell(c, e->line, "the step size must be above 0");
}

static fo_status begin(void *self, const foi_xml_element *e, fo_message *why)
{
    checking *c = self;
    (void)why;
    if (e->depth < 8) snprintf(c->path[e->depth], sizeof c->path[0], "%s", e->name);
    if (e->depth == 1) c->convention = get(c, e, "variableNamingConvention");
    if (e->depth == 2 && strcmp(e->name, "DefaultExperiment") == 0) check_experiment(c, e);
    const char *part = e->depth > 2 ? c->path[2] : "";
    if (strcmp(part, "ModelVariables") == 0 && e->depth == 3) take_variable(c, e);
    if (strcmp(part, "ModelVariables") == 0 && e->depth == 4) take_inner(c, e);
    if (strcmp(part, "ModelStructure") == 0 && e->depth == (c->version == 2 ? 4u : 3u))
        take_unknown(c, e);
    if (strcmp(part, "UnitDefinitions") == 0 && e->depth == 3)
        take_name(c, e, &c->units, &c->unit_count);
    if (strcmp(part, "TypeDefinitions") == 0 && e->depth == 3)
        take_name(c, e, &c->types, &c->type_count);
    return FO_OK;
}

// ------------------------------------------------------------------------------------- variables

static bool is_real(const variable *v)
{
    return same(v->type, "Real") || same(v->type, "Float64") || same(v->type, "Float32");
}

static const char *variability_of(const variable *v)
{
    if (v->variability) return v->variability;
    if (same(v->causality, "parameter") || same(v->causality, "calculatedParameter") ||
        same(v->causality, "structuralParameter"))
        return "fixed";
    return is_real(v) ? "continuous" : "discrete";
}

// The default of `initial`, and NULL where there is none (inputs, time).
static const char *initial_of(const variable *v)
{
    if (v->initial) return v->initial;
    if (same(v->causality, "input") || same(v->causality, "independent")) return NULL;
    if (same(v->causality, "parameter") || same(v->causality, "structuralParameter") ||
        same(variability_of(v), "constant"))
        return "exact";
    return "calculated";
}

static void check_kind(checking *c, const variable *v)
{
    const char *how = variability_of(v), *what = v->causality;
    bool parameter = same(what, "parameter") || same(what, "calculatedParameter") ||
                     same(what, "structuralParameter");
    bool constant = same(how, "constant"), set = same(how, "fixed") || same(how, "tunable");
    bool wrong = parameter                   ? !set
                 : same(what, "input")       ? constant || set
                 : same(what, "output")      ? set
                 : same(what, "independent") ? !same(how, "continuous")
                                             : false;
    if (wrong)
        tell(c, v->line,
             "%s has causality %s and variability %s, which FMI does not allow together", v->name,
             what, how);
    if (same(how, "continuous") && !is_real(v) && v->type)
        tell(c, v->line, "%s is continuous and must be of type Real", v->name);
}

static void check_initial(checking *c, const variable *v)
{
    const char *initial = initial_of(v), *how = variability_of(v);
    bool none = same(v->causality, "input") || same(v->causality, "independent");
    if (same(v->type, "Clock")) return;
    bool allowed = c->version == 3 && same(v->causality, "input") && same(v->initial, "exact");
    if (v->initial && none && !allowed)
        tell(c, v->line, "%s has causality %s: it must not have the attribute 'initial'", v->name,
             v->causality);
    if (same(v->initial, "exact") && same(v->causality, "calculatedParameter"))
        tell(c, v->line, "%s is a calculatedParameter: its 'initial' must not be exact", v->name);
    if (v->initial && !same(v->initial, "exact") &&
        (same(v->causality, "parameter") || same(how, "constant")))
        tell(c, v->line, "%s must have initial=\"exact\", not %s", v->name, v->initial);
    bool needs = same(v->causality, "input") || same(initial, "exact") || same(initial, "approx");
    if (needs && !v->has_start) tell(c, v->line, "%s needs a start value", v->name);
    if (v->has_start && (same(initial, "calculated") || same(v->causality, "independent")))
        tell(c, v->line, "%s must not have a start value: it is %s", v->name,
             initial ? initial : "time");
}

static void check_range(checking *c, const variable *v)
{
    double start = 0, low = 0, high = 0;
    bool has_low = foi_fmu_number(v->min, 0, &low), has_high = foi_fmu_number(v->max, 0, &high);
    if (has_low && has_high && low > high)
        tell(c, v->line, "%s has a min of %s above its max of %s", v->name, v->min, v->max);
    for (uint32_t i = 0; (has_low || has_high) && foi_fmu_number(v->start, i, &start); i++)
        if ((has_low && start < low) || (has_high && start > high))
            tell(c, v->line, "%s starts at %g, outside of its min and max", v->name, start);
}

static bool listed(const char **list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (same(list[i], name)) return true;
    return false;
}

static void check_variable(checking *c, const variable *v)
{
    check_kind(c, v);
    check_initial(c, v);
    check_range(c, v);
    if (v->unit && v->unit[0] && !listed(c->units, c->unit_count, v->unit))
        tell(c, v->line, "%s has the unit %s, which is not in UnitDefinitions", v->name, v->unit);
    if (v->declared && !listed(c->types, c->type_count, v->declared))
        tell(c, v->line, "%s has the type %s, which is not in TypeDefinitions", v->name,
             v->declared);
}

static int by_reference(const void *a, const void *b)
{
    const variable *x = *(variable *const *)a, *y = *(variable *const *)b;
    if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

// FMI 3: a reference is one variable. FMI 2: several of one type are aliases, and at most one of
// them may be set.
static void check_references(checking *c)
{
    variable **list = foi_arena_new(&c->arena, c->variable_count + 1, sizeof *list);
    if (!list) return;
    for (uint32_t i = 0; i < c->variable_count; i++) list[i] = &c->variables[i];
    qsort(list, c->variable_count, sizeof *list, by_reference);
    for (uint32_t i = 1; i < c->variable_count; i++) {
        const variable *a = list[i - 1], *b = list[i];
        if (a->reference != b->reference) continue;
        if (c->version == 3)
            tell(c, b->line, "%s and %s have the same value reference", a->name, b->name);
        else if (same(a->type, b->type) && a->has_start && b->has_start)
            tell(c, b->line, "%s and %s are aliases, and both have a start value", a->name,
                 b->name);
    }
}

static void check_time(checking *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const variable *v = &c->variables[i];
        if (!same(v->causality, "independent")) continue;
        if (++count > 1) tell(c, v->line, "%s is a second independent variable", v->name);
        if (!is_real(v))
            tell(c, v->line, "%s is the independent variable and must be of type Real", v->name);
    }
    if (c->version == 3 && !count) tell(c, 1, "there is no independent variable");
}

// ------------------------------------------------------------------------------------- structure

static const variable *variable_of(const checking *c, uint32_t which)
{
    if (c->version == 2)
        return which >= 1 && which <= c->variable_count ? &c->variables[which - 1] : NULL;
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (c->variables[i].reference == which) return &c->variables[i];
    return NULL;
}

static bool in_list(const checking *c, list_kind kind, const variable *v)
{
    for (uint32_t i = 0; i < c->unknown_count; i++)
        if (c->unknowns[i].kind == kind && variable_of(c, c->unknowns[i].which) == v) return true;
    return false;
}

static uint32_t words(const char *text)
{
    uint32_t count = 0;
    while (text && *text) {
        text += strspn(text, " \t\r\n");
        if (*text) count++;
        text += strcspn(text, " \t\r\n");
    }
    return count;
}

static bool depends_on(const unknown *u, uint32_t which)
{
    for (char *at = (char *)u->dependencies; at && *at;) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (end == at) return false;
        if (value == which) return true;
        at = end;
    }
    return false;
}

static void check_unknown(checking *c, const unknown *u)
{
    const variable *v = variable_of(c, u->which);
    if (!v) {
        tell(c, u->line, "ModelStructure names variable %u, which does not exist", u->which);
        return;
    }
    if (u->kind == LIST_OUTPUTS && !same(v->causality, "output"))
        tell(c, u->line, "%s is listed as an output in ModelStructure and is not one", v->name);
    if (u->kind == LIST_DERIVATIVES && !v->derivative)
        tell(c, u->line,
             "%s is listed as a derivative in ModelStructure and does not say of which state",
             v->name);
    if (u->kinds && !u->dependencies)
        tell(c, u->line, "%s has dependenciesKind and no dependencies", v->name);
    if (u->kinds && u->dependencies && words(u->kinds) != words(u->dependencies))
        tell(c, u->line, "%s has %u dependencies and %u entries of dependenciesKind", v->name,
             words(u->dependencies), words(u->kinds));
    for (char *at = (char *)u->dependencies; at && *at;) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (end == at) break;
        if (!variable_of(c, (uint32_t)value))
            tell(c, u->line, "%s depends on variable %lu, which does not exist", v->name, value);
        at = end;
    }
}

static bool is_state(const checking *c, const variable *v)
{
    for (uint32_t i = 0; i < c->unknown_count; i++) {
        const variable *d =
            c->unknowns[i].kind == LIST_DERIVATIVES ? variable_of(c, c->unknowns[i].which) : NULL;
        if (d && d->derivative && variable_of(c, (uint32_t)strtoul(d->derivative, NULL, 10)) == v)
            return true;
    }
    return false;
}

static void check_lists(checking *c)
{
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const variable *v = &c->variables[i];
        const char *initial = initial_of(v);
        bool open = same(initial, "calculated") || same(initial, "approx");
        bool output = same(v->causality, "output");
        if (same(v->type, "Clock") || v->clocked) continue;
        if (output && !in_list(c, LIST_OUTPUTS, v))
            tell(c, v->line, "the output %s is not listed in ModelStructure", v->name);
        bool wanted = open && (output || same(v->causality, "calculatedParameter") ||
                               is_state(c, v) || in_list(c, LIST_DERIVATIVES, v));
        bool there = in_list(c, LIST_INITIAL, v);
        if (wanted && !there)
            tell(c, v->line, "%s is not listed among the initial unknowns", v->name);
        if (there && !wanted)
            tell(c, v->line, "%s is listed among the initial unknowns and is not one", v->name);
    }
    for (uint32_t i = 0; i < c->unknown_count; i++) check_unknown(c, &c->unknowns[i]);
}

// A derivative is in its state's unit per second.
static void check_derivatives(checking *c, const foi_fmu_description *d)
{
    for (uint32_t i = 0; i < d->derivative_count; i++) {
        const foi_fmu_variable *v = &d->variables[d->derivatives[i]],
                               *x = &d->variables[d->states[i]];
        const foi_fmu_measure *a = foi_fmu_measure_of(d->measures, d->measure_count, v->unit);
        const foi_fmu_measure *b = foi_fmu_measure_of(d->measures, d->measure_count, x->unit);
        if (!a || !b || !a->known || !b->known) continue;
        bool good = true;
        for (int k = 0; k < 8; k++) good &= a->exponent[k] == b->exponent[k] - (k == 2);
        if (!good)
            tell(c, v->line,
                 "%s has the unit %s, which is not that of its state per second: %s has %s",
                 v->name, v->unit, x->name, x->unit);
    }
}

// -------------------------------------------------------------------------------- by perturbation

static const unknown *entry_of(const checking *c, list_kind kind, const char *name)
{
    for (uint32_t i = 0; i < c->unknown_count; i++) {
        const variable *v =
            c->unknowns[i].kind == kind ? variable_of(c, c->unknowns[i].which) : NULL;
        if (v && same(v->name, name)) return &c->unknowns[i];
    }
    return NULL;
}

// What the description calls a variable: index (FMI 2) or reference.
static uint32_t number_of(const checking *c, const foi_unit *unit, const foi_fmu_variable *v)
{
    return c->version == 2 ? (uint32_t)(v - unit->about.variables) + 1 : v->reference;
}

static void compare(checking *c, const foi_unit *unit, const foi_unit_list *list, list_kind kind,
                    const double *before, const double *after, const foi_fmu_variable *cause)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const foi_unit_slot *s = &list->slots[i];
        const unknown *u = entry_of(c, kind, s->variable->name);
        size_t size = s->size * sizeof(double);
        if (!u || !u->dependencies || depends_on(u, number_of(c, unit, cause))) continue;
        if (memcmp(before + s->first, after + s->first, size) != 0)
            tell(c, u->line, "%s depends on %s, which is not listed in its dependencies",
                 s->variable->name, cause->name);
    }
}

// Each state and real input is moved a little at the start; what moves with it must say so.
static void perturb(checking *c, fo_fmu *f)
{
    foi_unit *u = &f->unit;
    uint32_t n = u->x.values, y = u->y.values;
    double *rates = foi_arena_new(&c->arena, n + 1, sizeof *rates);
    double *outputs = foi_arena_new(&c->arena, y + 1, sizeof *outputs);
    if (!rates || !outputs || n > MOST_PERTURBED) return;
    u->block->mask = FOI_UNIT_RATES | FOI_UNIT_OUTPUTS;
    if (foi_unit_ask(u, FOI_UNIT_EVALUATE, NULL) != FO_OK) return;
    if (n) memcpy(rates, u->rates, n * sizeof *rates);
    if (y) memcpy(outputs, u->ty, y * sizeof *outputs);
    const foi_unit_list *lists[] = {&u->x, &u->u};
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < (l ? u->u.reals : u->x.count); i++) {
            const foi_unit_slot *s = &lists[l]->slots[i];
            double *value = (l ? u->tu : u->tx) + s->first, old = *value;
            *value = old + 1e-3 * (fabs(old) > 0 ? fabs(old) : 1);
            bool good = s->size == 1 && foi_unit_ask(u, FOI_UNIT_EVALUATE, NULL) == FO_OK;
            if (good) compare(c, u, &u->dx, LIST_DERIVATIVES, rates, u->rates, s->variable);
            if (good) compare(c, u, &u->y, LIST_OUTPUTS, outputs, u->ty, s->variable);
            *value = old;
        }
}

static fo_status check_running(checking *c, const char *path, const fo_fmu_def *def,
                               fo_fmu_type type, fo_message *why)
{
    fo_fmu_def own = *def;
    own.type = type;
    fo_fmu *f = fo_fmu_open(path, &own, why);
    if (!f) return why->status;
    fo_run_def run = fo_fmu_run_def(f);
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(f), &run, why);
    fo_status status = sim ? fo_simulation_start(sim) : why->status;
    if (sim && fo_failed(status)) *why = *fo_simulation_message(sim);
    if (!fo_failed(status)) check_derivatives(c, &f->unit.about);
    if (!fo_failed(status) && type == FO_FMU_MODEL_EXCHANGE) perturb(c, f);
    fo_simulation_destroy(sim);
    fo_fmu_close(f);
    return fo_failed(status) ? status : FO_OK;
}

static fo_status check_text(checking *c, const char *path, const char *text, size_t length,
                            foi_fmu_description *d, fo_message *why)
{
    fo_status status = foi_fmu_describe(d, path, text, length, c->arena.allocator, why);
    if (status != FO_OK) return status;
    c->version = d->version;
    foi_xml_def def = {.file = path,
                       .text = text,
                       .length = length,
                       .self = c,
                       .begin = begin,
                       .allocator = c->arena.allocator};
    status = foi_xml_read(&def, why);
    if (status == FO_OK && c->arena.failed)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the checks of %s", path);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < c->variable_count; i++) check_variable(c, &c->variables[i]);
    check_references(c);
    check_time(c);
    check_lists(c);
    return FO_OK;
}

fo_status fo_fmu_validate(const char *path, const fo_fmu_def *def, void *self,
                          void (*listener)(void *self, uint32_t line, const char *text),
                          size_t *count, fo_message *why)
{
    fo_message own = {0};
    fo_fmu_def plain = fo_default_fmu_def();
    if (!why) why = &own;
    if (!def) def = &plain;
    checking c = {.why = why, .self = self, .tell = listener};
    foi_fmu_description d = {0};
    size_t length;
    foi_arena_begin(&c.arena, def->allocator, (size_t)1 << 30);
    foi_archive *z = foi_archive_open(path, def->allocator, why);
    char *text = z ? foi_archive_read(z, "modelDescription.xml", &length, why) : NULL;
    fo_status status = text ? check_text(&c, path, text, length, &d, why) : why->status;
    if (status == FO_OK && d.exchange.there)
        status = check_running(&c, path, def, FO_FMU_MODEL_EXCHANGE, why);
    if (status == FO_OK && d.cosimulation.there)
        status = check_running(&c, path, def, FO_FMU_CO_SIMULATION, why);
    foi_free(def->allocator, text);
    foi_archive_close(z);
    foi_fmu_forget(&d);
    foi_arena_end(&c.arena);
    *count = c.count;
    return status;
}
