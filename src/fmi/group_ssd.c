/// System Structure and Parameterization 1.0: SystemStructure.ssd. Systems with components that are
/// FMUs, connectors, connections with linear transformations, units, and parameters that stand in
/// it or in *.ssv files beside it. What is there and cannot be followed (signal dictionaries, other
/// transformations, parameter mappings) is refused, never passed over.
///
/// Systems in systems are taken apart: a component of one is called "inner.component", and what
/// goes through a connector of an inner system becomes one connection from the unit that gives it
/// to the one that gets it. Units of measure are converted from end to end, which is the same as by
/// stages.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "fmi/group.h"
#include "fmi/xml.h"

enum { MOST_DEEP = 32 };

typedef struct reading {
    foi_group_plan *p;
    fo_message *why;
    const char *file;
    uint32_t systems; ///< that were there
    const char *path; ///< of the inner system that is open: "a.b"; NULL: the outermost
    const char *outer[MOST_DEEP];
    uint32_t deep;
    const char **inner; ///< paths of inner systems
    uint32_t inner_count;
    const char *component; ///< that is open; NULL: none
    uint32_t component_depth;
    const char *prefix;    ///< of the parameter binding that is open
    const char *parameter; ///< that is open
    foi_group_pin *pin;    ///< that is open
    uint32_t pin_depth;
    foi_fmu_measure *measure;
    bool connects; ///< a connection is open
    bool in_set;   ///< a parameter set is open, whose first value and unit of measure are these
    uint32_t set_value, set_measure;
    uint32_t passed; ///< open elements of an annotation of another tool, which is passed over
    uint32_t nested; ///< *.ssv within
} reading;

static fo_status wrong(reading *r, uint32_t line, const char *what, const char *found)
{
    return fo_fail(r->why, FO_ERROR_FORMAT, "%s:%u: %s%s%.80s%s", r->file, line, what,
                   found ? ", found '" : "", found ? found : "", found ? "'" : "");
}

static const char *keep(reading *r, const char *text)
{
    return text ? foi_arena_text(&r->p->arena, text, strlen(text)) : NULL;
}

static const char *get(reading *r, const foi_xml_element *e, const char *name)
{
    return keep(r, foi_xml_get(e, name));
}

static bool number(const char *text, double *value)
{
    char *end;
    if (!text || !*text) return false;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = *text == 't';
        return true;
    }
    *value = strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

// The name without its namespace.
static const char *local(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static bool is(const foi_xml_element *e, const char *name)
{
    return strcmp(local(e->name), name) == 0;
}

// -------------------------------------------------------------------------------------- components

// The name of something in the system that is open; NULL: that system itself.
static const char *inside(reading *r, const char *name)
{
    if (!name || !*name) return r->path;
    return r->path ? foi_arena_print(&r->p->arena, "%s.%s", r->path, name) : keep(r, name);
}

static fo_status take_inner(reading *r, const foi_xml_element *e)
{
    const char *name = foi_xml_get(e, "name");
    if (r->deep < 2) return wrong(r, e->line, "only one System is allowed at the top", NULL);
    if (!name || !*name) return wrong(r, e->line, "a System in a System needs a name", NULL);
    r->path = inside(r, name);
    const char **slot = foi_arena_add(&r->p->arena, &r->inner, &r->inner_count, sizeof *r->inner);
    if (slot) *slot = r->path;
    return FO_OK;
}

static fo_status take_system(reading *r, const foi_xml_element *e)
{
    if (r->deep == MOST_DEEP)
        return wrong(r, e->line, "Systems are nested more than 32 deep", NULL);
    r->outer[r->deep++] = r->path;
    if (r->systems++) return take_inner(r, e);
    r->p->name = get(r, e, "name");
    r->p->about = get(r, e, "description");
    return FO_OK;
}

static fo_status take_component(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    const char *type = foi_xml_get(e, "type"), *source = foi_xml_get(e, "source");
    const char *given = foi_xml_get(e, "name"), *name = given ? inside(r, given) : NULL;
    if (type && strcmp(type, "application/x-fmu-sharedlibrary") != 0)
        return wrong(r, e->line, "expected a Component that is an FMU", type);
    if (!name || !source) return wrong(r, e->line, "a Component needs a name and a source", NULL);
    if (strstr(source, "://") || source[0] == '/' || strstr(source, ".."))
        return wrong(r, e->line,
                     "expected a source that is a relative path below the document's folder",
                     source);
    foi_group_part *n = foi_arena_add(&p->arena, &p->parts, &p->part_count, sizeof *n);
    const char *as = foi_xml_get(e, "implementation");
    bool exchange = as && strcmp(as, "ModelExchange") == 0;
    if (n) *n = (foi_group_part){name, keep(r, source), e->line, exchange};
    r->component = name, r->component_depth = e->depth;
    return FO_OK;
}

static fo_status take_connector(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    const char *kind = foi_xml_get(e, "kind"), *name = get(r, e, "name");
    if (!kind || !name) return wrong(r, e->line, "a Connector needs a name and a kind", NULL);
    r->pin = foi_arena_add(&p->arena, &p->pins, &p->pin_count, sizeof *r->pin);
    if (r->pin)
        *r->pin = (foi_group_pin){r->component ? r->component : r->path, name, NULL,
                                  strcmp(kind, "output") == 0, e->line};
    r->pin_depth = e->depth;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- connections

static fo_status take_connection(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    const char *suppress = foi_xml_get(e, "suppressUnitConversion");
    foi_group_wire *w = foi_arena_add(&p->arena, &p->wires, &p->wire_count, sizeof *w);
    if (!w) return FO_OK;
    *w = (foi_group_wire){
        .from = {inside(r, foi_xml_get(e, "startElement")), get(r, e, "startConnector")},
        .to = {inside(r, foi_xml_get(e, "endElement")), get(r, e, "endConnector")},
        .factor = 1,
        .as_it_is = suppress && strcmp(suppress, "true") == 0,
        .line = e->line};
    r->connects = true;
    if (w->from.name && w->to.name) return FO_OK;
    return wrong(r, e->line, "a Connection needs a startConnector and an endConnector", NULL);
}

static fo_status take_transformation(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    const char *factor = foi_xml_get(e, "factor"), *offset = foi_xml_get(e, "offset");
    if (!r->connects || !p->wire_count) return FO_OK;
    foi_group_wire *w = &p->wires[p->wire_count - 1];
    if ((factor && !number(factor, &w->factor)) || (offset && !number(offset, &w->offset)))
        return wrong(r, e->line, "expected a factor and an offset", NULL);
    return FO_OK;
}

// -------------------------------------------------------------------------------------- parameters

static fo_status begin(void *self, const foi_xml_element *e, fo_message *why);
static fo_status end(void *self, const char *name, fo_message *why);

// A file of parameters beside the document.
static fo_status read_values(reading *r, const foi_xml_element *e, const char *source)
{
    char path[2048];
    size_t length;
    if (strstr(source, "://") || source[0] == '/' || strstr(source, ".."))
        return wrong(r, e->line,
                     "expected a source that is a relative path below the document's folder",
                     source);
    snprintf(path, sizeof path, "%s%s", r->p->folder, source);
    char *text = foi_json_text(path, r->p->arena.allocator, &length, r->why);
    if (!text) return r->why->status;
    r->p->others = foi_hash_of(text, length, r->p->others + 1);
    reading inside = *r;
    inside.file = path, inside.nested = 1;
    foi_xml_def def = {.file = path,
                       .text = text,
                       .length = length,
                       .self = &inside,
                       .begin = begin,
                       .end = end,
                       .allocator = r->p->arena.allocator};
    fo_status status = foi_xml_read(&def, r->why);
    foi_free(r->p->arena.allocator, text);
    return status;
}

static fo_status take_binding(reading *r, const foi_xml_element *e)
{
    const char *source = foi_xml_get(e, "source"), *type = foi_xml_get(e, "type");
    r->prefix = get(r, e, "prefix");
    if (type && strcmp(type, "application/x-ssp-parameter-set") != 0)
        return wrong(r, e->line, "expected a parameter set", type);
    if (source && r->nested) return wrong(r, e->line, "a parameter set names no other one", source);
    return source ? read_values(r, e, source) : FO_OK;
}

static fo_status take_value(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    double value;
    if (!number(foi_xml_get(e, "value"), &value))
        return wrong(r, e->line, "expected the value of a number", foi_xml_get(e, "value"));
    foi_group_value *n = foi_arena_add(&p->arena, &p->values, &p->value_count, sizeof *n);
    if (!n) return FO_OK;
    *n = (foi_group_value){
        r->component ? r->component : r->path,
        foi_arena_print(&p->arena, "%s%s", r->prefix ? r->prefix : "", r->parameter), value,
        e->line, .unit = get(r, e, "unit")};
    return FO_OK;
}

// --------------------------------------------------------------------------------------------
// units

static fo_status take_measure(reading *r, const foi_xml_element *e)
{
    foi_group_plan *p = r->p;
    if (is(e, "Unit")) {
        r->measure = r->in_set ? foi_arena_add(&p->arena, &p->set_measures, &p->set_measure_count,
                                               sizeof *r->measure)
                               : foi_arena_add(&p->arena, &p->measures, &p->measure_count,
                                               sizeof *r->measure);
        if (r->measure) *r->measure = (foi_fmu_measure){.name = get(r, e, "name"), .factor = 1};
        return r->measure && !r->measure->name ? wrong(r, e->line, "a Unit needs a name", NULL)
                                               : FO_OK;
    }
    if (!r->measure || foi_fmu_read_base(r->measure, e)) return FO_OK;
    return wrong(r, e->line, "expected exponents, a factor and an offset of a unit", NULL);
}

// <ssc:Annotation type="org.foliot"><Master method="iterated" control="power" rtol="1e-4" .../>
static fo_status take_master(reading *r, const foi_xml_element *e)
{
    static const char *const methods[] = {"chosen", "held", "sequential", "extrapolated",
                                          "iterated"};
    static const char *const controls[] = {"fixed", "error", "power"};
    const char *method = foi_xml_get(e, "method"), *control = foi_xml_get(e, "control");
    size_t m = 0, c = 0;
    while (method && m < 5 && strcmp(method, methods[m]) != 0) m++;
    if (m == 5) return wrong(r, e->line, "expected a method of the master", method);
    while (control && c < 3 && strcmp(control, controls[c]) != 0) c++;
    if (c == 3) return wrong(r, e->line, "expected fixed, error or power", control);
    r->p->method = (foi_group_method)m, r->p->control = (foi_group_control)c;
    double *const numbers[] = {&r->p->rtol, &r->p->energy, &r->p->step};
    static const char *const names[] = {"rtol", "energy", "step"};
    for (int i = 0; i < 3; i++) {
        const char *text = foi_xml_get(e, names[i]);
        if (text && (!number(text, numbers[i]) || !(*numbers[i] > 0)))
            return wrong(r, e->line, "expected a number above 0", text);
    }
    return FO_OK;
}

static fo_status take_set(reading *r)
{
    r->in_set = true;
    r->set_value = r->p->value_count, r->set_measure = r->p->set_measure_count;
    return FO_OK;
}

// Its units of measure stand behind its values.
static void end_set(reading *r)
{
    foi_group_plan *p = r->p;
    for (uint32_t i = r->set_value; i < p->value_count; i++)
        p->values[i].from = r->set_measure, p->values[i].until = p->set_measure_count;
    r->in_set = false;
}

// What other tools note for themselves, in whatever words, is theirs.
static bool passes_over(reading *r, const foi_xml_element *e)
{
    const char *type = foi_xml_get(e, "type");
    bool foreign = is(e, "Annotation") && !(type && strcmp(type, "org.foliot") == 0);
    if (r->passed || foreign) r->passed++;
    return r->passed > 0;
}

static bool is_type(const foi_xml_element *e)
{
    return is(e, "Real") || is(e, "Integer") || is(e, "Boolean") || is(e, "Enumeration") ||
           is(e, "Float64") || is(e, "Float32") || is(e, "Int32") || is(e, "Int64");
}

static fo_status refuse(reading *r, const foi_xml_element *e)
{
    static const char *const names[] = {"SignalDictionaryReference",
                                        "SignalDictionary",
                                        "ParameterMapping",
                                        "BooleanMappingTransformation",
                                        "IntegerMappingTransformation",
                                        "EnumerationMappingTransformation"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is(e, names[i])) return wrong(r, e->line, "this is not supported", names[i]);
    return FO_OK;
}

static fo_status begin(void *self, const foi_xml_element *e, fo_message *why)
{
    reading *r = self;
    foi_group_plan *p = r->p;
    (void)why;
    if (e->depth == 1 && !is(e, r->nested ? "ParameterSet" : "SystemStructureDescription"))
        return wrong(r, e->line,
                     r->nested ? "expected ParameterSet" : "expected SystemStructureDescription",
                     e->name);
    if (passes_over(r, e)) return FO_OK;
    if (is(e, "System")) return take_system(r, e);
    if (is(e, "Component")) return take_component(r, e);
    if (is(e, "Connector")) return take_connector(r, e);
    if (is(e, "Connection")) return take_connection(r, e);
    if (is(e, "LinearTransformation")) return take_transformation(r, e);
    if (is(e, "ParameterBinding")) return take_binding(r, e);
    if (is(e, "Unit") || is(e, "BaseUnit")) return take_measure(r, e);
    if (is(e, "ParameterSet")) return take_set(r);
    if (is(e, "Parameter")) {
        r->parameter = get(r, e, "name");
        return r->parameter ? FO_OK : wrong(r, e->line, "a Parameter needs a name", NULL);
    }
    if (is(e, "DefaultExperiment")) {
        p->has_start = number(foi_xml_get(e, "startTime"), &p->start);
        p->has_stop = number(foi_xml_get(e, "stopTime"), &p->stop);
        return FO_OK;
    }
    if (is(e, "Master")) return take_master(r, e);
    if (is_type(e) && r->parameter) return take_value(r, e);
    if (r->parameter && (is(e, "String") || is(e, "Binary")))
        return wrong(r, e->line, "values of strings and binaries are not supported in a group",
                     r->parameter);
    if (is_type(e) && r->pin && e->depth == r->pin_depth + 1) r->pin->unit = get(r, e, "unit");
    return refuse(r, e);
}

static fo_status end(void *self, const char *name, fo_message *why)
{
    reading *r = self;
    (void)why;
    name = local(name);
    if (r->passed) {
        r->passed--;
        return FO_OK;
    }
    if (strcmp(name, "ParameterSet") == 0) end_set(r);
    if (strcmp(name, "Component") == 0) r->component = NULL;
    if (strcmp(name, "System") == 0 && r->deep) r->path = r->outer[--r->deep];
    if (strcmp(name, "Connector") == 0) r->pin = NULL;
    if (strcmp(name, "Connection") == 0) r->connects = false;
    if (strcmp(name, "Parameter") == 0) r->parameter = NULL;
    if (strcmp(name, "ParameterBinding") == 0) r->prefix = NULL;
    if (strcmp(name, "Unit") == 0) r->measure = NULL;
    return FO_OK;
}

// ------------------------------------------------------------------------------ systems in systems

static bool is_inner(const reading *r, const foi_group_end *e)
{
    for (uint32_t i = 0; e->part && i < r->inner_count; i++)
        if (strcmp(r->inner[i], e->part) == 0) return true;
    return false;
}

static const foi_group_wire *wire_into(const foi_group_plan *p, const foi_group_end *e)
{
    for (uint32_t i = 0; i < p->wire_count; i++) {
        const foi_group_end *to = &p->wires[i].to;
        if (to->part && strcmp(to->part, e->part) == 0 && strcmp(to->name, e->name) == 0)
            return &p->wires[i];
    }
    return NULL;
}

// Where a connection from a connector of an inner system really begins; w->from.name NULL: nothing
// is connected to that one.
static fo_status trace(reading *r, foi_group_wire *w)
{
    for (uint32_t i = 0; is_inner(r, &w->from); i++) {
        const foi_group_wire *before = wire_into(r->p, &w->from);
        if (!before || i > r->p->wire_count) {
            w->from.name = NULL;
            return FO_OK;
        }
        if (before->factor != 1 || before->offset != 0)
            return wrong(r, before->line,
                         "a transformation on the way into or out of an inner System is not "
                         "supported: put it at the connection to the FMU",
                         NULL);
        w->from = before->from;
        w->as_it_is |= before->as_it_is;
    }
    return FO_OK;
}

static fo_status join_systems(reading *r)
{
    foi_group_plan *p = r->p;
    foi_group_wire *joined = foi_arena_new(&p->arena, p->wire_count + 1, sizeof *joined);
    uint32_t count = 0;
    fo_status status = FO_OK;
    if (!r->inner_count || !joined) return FO_OK; // without memory the arena says so
    for (uint32_t i = 0; i < p->wire_count && status == FO_OK; i++) {
        foi_group_wire w = p->wires[i];
        if (is_inner(r, &w.to)) continue;
        status = trace(r, &w);
        if (w.from.name) joined[count++] = w;
    }
    p->wires = joined, p->wire_count = count;
    return status;
}

fo_status foi_group_read_ssd(foi_group_plan *p, const char *text, size_t length, fo_message *why)
{
    reading r = {.p = p, .why = why, .file = p->file};
    foi_xml_def def = {.file = p->file,
                       .text = text,
                       .length = length,
                       .self = &r,
                       .begin = begin,
                       .end = end,
                       .allocator = p->arena.allocator};
    fo_status status = foi_xml_read(&def, why);
    if (status == FO_OK) status = join_systems(&r);
    if (status == FO_OK && p->arena.failed)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", p->file);
    if (status == FO_OK && !r.systems)
        status = fo_fail(why, FO_ERROR_FORMAT, "%s: expected a System, found none", p->file);
    return status;
}
