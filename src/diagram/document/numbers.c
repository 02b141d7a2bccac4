// The numbers of a diagram by name: its own parameters and those of its nodes, listed and set.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/document/expression.h"
#include "diagram/run/guest.h"
#include "system/value.h"

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// ------------------------------------------------------------------------- the document's own ones

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text)) return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return !*text;
}

static const char *copy(foi_build *b, const char *text)
{
    return text ? foi_arena_text(b->arena, text, strlen(text)) : NULL;
}

// 2, "m*g", or {"value": 2, "unit": "kg", "min": 0, "max": 10, "about": "..."}.
static void read_one(foi_build *b, foi_reader *r, const foi_json_value *v, fo_variable *to)
{
    static const char *const keys[] = {"value", "unit", "about", "min", "max", NULL};
    const foi_json_value *value = v;
    to->name = copy(b, v->key);
    to->causality = FO_CAUSALITY_PARAMETER;
    to->variability = FO_VARIABILITY_FIXED;
    if (!is_name(v->key))
        foi_read_refuse(r, v, "a parameter's name must be a letter, then letters, digits and '_'");
    if (v->kind == FOI_JSON_OBJECT) {
        if (!foi_read_keys(r, v, keys)) return;
        value = foi_read_needed(r, v, "value");
        to->unit = copy(b, foi_read_text(r, v, "unit"));
        to->about = copy(b, foi_read_text(r, v, "about"));
        bool bounds = foi_json_member(v, "min") || foi_json_member(v, "max");
        if (bounds) to->min = foi_read_number(r, v, "min", -INFINITY);
        if (bounds) to->max = foi_read_number(r, v, "max", INFINITY);
    }
    if (r->status || !value) return;
    if (value->kind == FOI_JSON_TEXT) {
        fo_variables known = {b->diagram->named, b->diagram->named_count};
        char wrong[96];
        foi_array a;
        bool good = foi_expression_parse(b->arena, value->text, known, &a, wrong, sizeof wrong);
        if (b->arena->failed) return; // which is said at the end
        if (!good)
            foi_read_refuse(r, value, "%s", wrong);
        else if (foi_array_size(&a) != 1)
            foi_read_refuse(r, value, "expected a single number, found several");
        else
            to->start = a.data[0];
        to->causality = FO_CAUSALITY_CALCULATED;
    } else {
        to->start = foi_read_value(r, value, FOI_ANY);
    }
}

static void set_one(foi_build *b, foi_reader *r, const foi_json_value *v, fo_variable *to)
{
    for (size_t i = 0; i < b->setting_count && !r->status; i++) {
        fo_setting *s = &b->settings[i];
        if (strcmp(s->name, to->name) != 0) continue;
        to->start = s->value;
        to->causality = FO_CAUSALITY_PARAMETER;
        s->taken = true;
    }
    fo_message why;
    if (!r->status && fo_failed(foi_variable_allows(to, to->start, &why)))
        foi_read_refuse(r, v, "%s", why.text);
}

fo_status foi_document_parameters(foi_build *b, const foi_json_value *object)
{
    foi_diagram *d = b->diagram;
    foi_reader *r = &b->reader;
    if (!object) return FO_OK;
    if (!foi_read_is(r, object, FOI_JSON_OBJECT)) return r->status;
    d->named = foi_arena_new(b->arena, object->count + 1, sizeof *d->named);
    if (!d->named) return no_memory(b);
    for (const foi_json_value *v = object->first; v && !r->status; v = v->next) {
        fo_variable *to = &d->named[d->named_count];
        read_one(b, r, v, to);
        if (!r->status) set_one(b, r, v, to);
        d->named_count++; // later ones may use it
    }
    return b->arena->failed && !r->status ? no_memory(b) : r->status;
}

// --------------------------------------------------------------------------------- those of nodes

bool foi_parameter_is_number(const foi_parameter *p)
{
    return p->kind != FOI_PARAMETER_CHOICE && p->kind != FOI_PARAMETER_TEXT;
}

// "" or "[2]" or "[1,2]", and ".im" of a complex number behind it: which double of the value;
// UINT32_MAX when it is none.
static uint32_t element_of(const foi_array *a, const char *index)
{
    unsigned row = 0, column = 0;
    uint32_t at = UINT32_MAX, parts = a->kind == FOI_SIGNAL_COMPLEX ? 2 : 1;
    int end = 0;
    if (sscanf(index, "[%9u,%9u]%n", &row, &column, &end) == 2 && end) {
        if (row >= 1 && row <= a->rows && column >= 1 && column <= a->cols)
            at = (row - 1) * a->cols + column - 1;
    } else if (sscanf(index, "[%9u]%n", &row, &end) == 1 && end) {
        if (row >= 1 && row <= foi_array_size(a)) at = row - 1;
    } else if (foi_array_size(a) == 1) {
        at = 0;
    }
    bool imaginary = strcmp(index + end, ".im") == 0;
    if (at == UINT32_MAX || (index[end] && !imaginary) || (imaginary && parts == 1))
        return UINT32_MAX;
    return parts * at + imaginary;
}

// "Seed" is also what a node calls "Initial Seed".
static bool is_called(const foi_parameter *p, const char *name)
{
    return foi_same_name(name, p->name) ||
           (foi_same_name(name, "Seed") && foi_same_name(p->name, "Initial Seed"));
}

// What follows the node's name and the parameter's in a setting; NULL: it means something else.
static const char *index_in(const char *setting, const foi_node *n, const foi_parameter *p)
{
    size_t length = strlen(n->name);
    char name[128];
    if (strncmp(setting, n->name, length) != 0 || setting[length] != '.') return NULL;
    const char *rest = setting + length + 1;
    size_t until = strcspn(rest, "["), whole = strlen(rest);
    if (until == whole && whole > 3 && strcmp(rest + whole - 3, ".im") == 0) until -= 3;
    if (until >= sizeof name) return NULL;
    memcpy(name, rest, until);
    name[until] = 0;
    return is_called(p, name) ? rest + until : NULL;
}

fo_status foi_node_set(foi_build *b, foi_node *n, foi_setting *s, const foi_parameter *p)
{
    for (size_t i = 0; i < b->setting_count && foi_parameter_is_number(p); i++) {
        fo_setting *given = &b->settings[i];
        const char *index = index_in(given->name, n, p);
        if (!index) continue;
        uint32_t at = element_of(&s->value, index);
        if (at == UINT32_MAX)
            return fo_fail(b->why, FO_ERROR_ARGUMENT,
                           "'%s' cannot be set: '%s.%s' has %u by %u numbers, set one of them: "
                           "'%s.%s[1]'",
                           given->name, n->name, p->name, s->value.rows, s->value.cols, n->name,
                           p->name);
        s->value.data[at] = given->value;
        given->taken = true;
    }
    return FO_OK;
}

// ----------------------------------------------------------------------------------------- listed

static uint32_t doubles_of(const foi_array *a)
{
    return foi_array_size(a) * (a->kind == FOI_SIGNAL_COMPLEX ? 2 : 1);
}

static uint32_t count_numbers(const foi_diagram *d)
{
    uint64_t count = d->named_count;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        for (const foi_parameter *p = n->type->parameters; p && p->name; p++)
            if (foi_parameter_is_number(p))
                count += doubles_of(&n->settings[p - n->type->parameters].value);
        if (foi_guest_of(n)) count += foi_guest_of(n)->number_count;
    }
    return count < FOI_MOST_LISTED ? (uint32_t)count : FOI_MOST_LISTED;
}

/// What parameters of nodes refuse for themselves, whatever the others are.
static const struct {
    const char *type, *parameter; ///< type NULL: of every node
    double min, max;
    fo_value_type of;
} limits[] = {
    {NULL, "Sample Time", 0, INFINITY, FO_REAL},
    {"Mux", "Inputs", 1, 64, FO_INTEGER},
    {"Queue", "Capacity", 1, 1e6, FO_INTEGER},
    {"Server", "Servers", 1, 1e6, FO_INTEGER},
    {"Server", "Mean", 0x1p-1022, INFINITY, FO_REAL},
    {"Server", "Deviation", 0, INFINITY, FO_REAL},
    {"Server", "Seed", 0, 0x1p52, FO_INTEGER},
    {"Entity Source", "Mean", 0x1p-1022, INFINITY, FO_REAL},
    {"Entity Source", "Deviation", 0, INFINITY, FO_REAL},
    {"Entity Source", "Seed", 0, 0x1p52, FO_INTEGER},
    {"Random Number", "Variance", 0, INFINITY, FO_REAL},
    {"Random Number", "Initial Seed", -0x1p52, 0x1p52, FO_INTEGER},
    {"Uniform Random Number", "Initial Seed", -0x1p52, 0x1p52, FO_INTEGER},
};

static void add_limits(fo_variable *v, const foi_node *n, const foi_parameter *p)
{
    for (size_t i = 0; i < FO_COUNT(limits); i++) {
        if (limits[i].type && strcmp(limits[i].type, n->type->name) != 0) continue;
        if (strcmp(limits[i].parameter, p->name) != 0) continue;
        v->min = limits[i].min, v->max = limits[i].max, v->type = limits[i].of;
    }
}

// "of the wave [rad/s]": help ends with the unit, where there is one.
static bool add_unit(foi_build *b, fo_variable *v, const char *about)
{
    size_t length = about ? strlen(about) : 0, words = length;
    v->about = about;
    if (!length || about[length - 1] != ']') return true;
    while (words && about[words - 1] != '[') words--;
    if (!words) return true;
    v->unit = foi_arena_text(b->arena, about + words, length - words - 1);
    for (words--; words && about[words - 1] == ' ';) words--;
    v->about = words ? foi_arena_text(b->arena, about, words) : NULL;
    return v->unit && (v->about || !words);
}

static bool add_numbers(foi_build *b, const foi_node *n, const foi_parameter *p, uint32_t room)
{
    foi_diagram *d = b->diagram;
    const foi_array *a = &n->settings[p - n->type->parameters].value;
    uint32_t size = foi_array_size(a), doubles = doubles_of(a), parts = size ? doubles / size : 1;
    for (uint32_t i = 0; i < doubles && size <= FOI_LONGEST_LISTED && d->number_count < room; i++) {
        fo_variable *v = &d->numbers[d->number_count++];
        char index[16] = "";
        if (size > 1) snprintf(index, sizeof index, "[%u]", i / parts + 1);
        *v = (fo_variable){.start = a->data[i],
                           .causality = FO_CAUSALITY_PARAMETER,
                           .variability = FO_VARIABILITY_FIXED};
        add_limits(v, n, p);
        v->name =
            foi_arena_print(b->arena, "%s.%s%s%s", n->name, p->name, index, i % parts ? ".im" : "");
        if (!v->name || !add_unit(b, v, p->about)) return false;
    }
    return true;
}

fo_status foi_diagram_list_numbers(foi_build *b)
{
    foi_diagram *d = b->diagram;
    uint32_t room = count_numbers(d);
    d->numbers = foi_arena_new(b->arena, (size_t)room + 1, sizeof *d->numbers);
    if (!d->numbers) return no_memory(b);
    for (uint32_t i = 0; i < d->named_count && d->number_count < room; i++)
        d->numbers[d->number_count++] = d->named[i];
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        for (const foi_parameter *p = n->type->parameters; p && p->name; p++)
            if (foi_parameter_is_number(p) && !add_numbers(b, n, p, room)) return no_memory(b);
        const foi_guest *g = foi_guest_of(n);
        for (uint32_t k = 0; g && k < g->number_count && d->number_count < room; k++)
            d->numbers[d->number_count++] = g->numbers[k];
    }
    return FO_OK;
}

fo_variables fo_diagram_numbers(const fo_diagram *diagram)
{
    return (fo_variables){diagram->diagram.numbers, diagram->diagram.number_count};
}
