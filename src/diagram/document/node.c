// Nodes of a document: their types, names and parameters.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/text.h"
#include "diagram/diagram.h"
#include "diagram/document/expression.h"

enum { MAX_NAME = 200 }; // bytes

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// ---------------------------------------------------------------------------------------- names

static uint32_t hash_of(const char *name, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h;
}

foi_node *foi_diagram_find(const foi_diagram *d, const char *name, size_t length)
{
    uint32_t mask = d->names.size - 1;
    for (uint32_t i = hash_of(name, length) & mask; d->names.slots[i]; i = (i + 1) & mask) {
        foi_node *n = &d->nodes[d->names.slots[i] - 1];
        if (strlen(n->name) == length && memcmp(n->name, name, length) == 0) return n;
    }
    return NULL;
}

bool foi_diagram_enter(foi_diagram *d, const foi_node *n)
{
    size_t length = strlen(n->name);
    if (foi_diagram_find(d, n->name, length)) return false;
    uint32_t mask = d->names.size - 1, i = hash_of(n->name, length) & mask;
    while (d->names.slots[i]) i = (i + 1) & mask;
    d->names.slots[i] = n->index + 1;
    return true;
}

// ----------------------------------------------------------------------------------- parameters

static size_t parameter_count(const foi_node_type *type)
{
    size_t count = 0;
    while (type->parameters && type->parameters[count].name) count++;
    return count;
}

// A parameter as it would be written in the document's dialogs; lists become rows, of texts lines.
static bool write_elements(const foi_json_value *v, char between, char *text, size_t size,
                           size_t *used)
{
    if (*used + 40 > size) return false;
    if (v->kind == FOI_JSON_NUMBER) {
        *used += (size_t)foi_number_text(v->number, text + *used);
        return true;
    }
    if (v->kind == FOI_JSON_TRUTH) {
        *used += (size_t)snprintf(text + *used, size - *used, v->truth ? "true" : "false");
        return true;
    }
    if (v->kind == FOI_JSON_TEXT && *used + v->length + 1 < size) {
        memcpy(text + *used, v->text, v->length + 1);
        *used += v->length;
        return true;
    }
    if (v->kind != FOI_JSON_LIST) return false;
    for (const foi_json_value *e = v->first; e; e = e->next) {
        if (e != v->first) text[(*used)++] = e->kind == FOI_JSON_LIST ? ',' : between;
        if (!write_elements(e, between, text, size, used)) return false;
    }
    text[*used] = 0;
    return true;
}

static size_t text_bound(const foi_json_value *v)
{
    size_t bound = 48 + v->length;
    for (const foi_json_value *e = v->first; e; e = e->next) bound += text_bound(e) + 1;
    return bound;
}

static fo_status refuse(foi_build *b, const foi_node *n, const foi_setting *s,
                        const foi_parameter *p, const char *words)
{
    return foi_json_refuse(b->json, s->json ? s->json : n->json, b->why,
                           "node '%s' (%s), parameter '%s': %s", n->name, n->type->name, p->name,
                           words);
}

static bool has_letter(const char *text)
{
    while (*text && !isalnum((unsigned char)*text)) text++;
    return *text;
}

static fo_status choose(foi_build *b, const foi_node *n, foi_setting *s, const foi_parameter *p)
{
    char item[64], words[320];
    uint32_t count = foi_port_count(p->choices);
    foi_nearest nearest = foi_nearest_to(s->text);
    for (uint32_t i = 0; i < count; i++) {
        foi_list_item(p->choices, i, item, sizeof item);
        foi_nearest_try(&nearest, item);
        // symbols such as "<=" have no letters: they are compared as they are
        if (strcmp(s->text, item) == 0 || (has_letter(item) && foi_same_name(s->text, item))) {
            s->choice = (int)i;
            return FO_OK;
        }
    }
    snprintf(words, sizeof words, "expected one of %s, found '%.40s'%s", p->choices, s->text,
             foi_nearest_hint(&nearest));
    return refuse(b, n, s, p, words);
}

// "true false, false true" as numbers: a copy with 1 and 0 for the words. NULL without memory.
static const char *write_truths(foi_arena *arena, const char *text)
{
    static const struct {
        const char *word, *number;
    } words[] = {{"true", "1"}, {"false", "0"}};
    char *copy = foi_arena_new(arena, strlen(text) + 1, 1), *to = copy;
    while (copy && *text) {
        size_t length = strcspn(text, " ,\t\n"), i = 0;
        while (i < 2 &&
               (length != strlen(words[i].word) || strncasecmp(text, words[i].word, length) != 0))
            i++;
        const char *from = i < 2 ? words[i].number : text;
        size_t size = i < 2 ? 1 : length;
        memcpy(to, from, size);
        to += size, text += length;
        if (*text) *to++ = *text++;
    }
    return copy;
}

// Truth values, 1 and 0: a single one, a vector or a matrix.
static fo_status choose_truths(foi_build *b, const foi_node *n, foi_setting *s,
                               const foi_parameter *p)
{
    char wrong[96], words[200];
    const char *numbers = write_truths(b->arena, s->text);
    bool fine = numbers && foi_array_parse(b->arena, numbers, &s->value, wrong, sizeof wrong);
    if (b->arena->failed) return no_memory(b);
    fine = fine && s->value.kind == FOI_SIGNAL_REAL;
    for (uint32_t i = 0; fine && i < foi_array_size(&s->value); i++)
        fine = s->value.data[i] == 0 || s->value.data[i] == 1;
    snprintf(words, sizeof words,
             "expected true and false, also as a vector or matrix, found '%.40s'", s->text);
    if (!fine) return refuse(b, n, s, p, words);
    s->value.kind = FOI_SIGNAL_BOOLEAN;
    s->choice = s->value.data[0] == 0;
    return FO_OK;
}

static fo_status interpret(foi_build *b, foi_node *n, foi_setting *s, const foi_parameter *p)
{
    char wrong[96], second[96], words[160];
    if (p->kind == FOI_PARAMETER_TEXT) return FO_OK;
    if (p->kind == FOI_PARAMETER_CHOICE && p->several) return choose_truths(b, n, s, p);
    if (p->kind == FOI_PARAMETER_CHOICE) return choose(b, n, s, p);
    fo_variables named = {b->diagram->named, b->diagram->named_count};
    if (!foi_array_parse(b->arena, s->text, &s->value, wrong, sizeof wrong) &&
        !foi_expression_parse(b->arena, s->text, named, &s->value, second, sizeof second)) {
        if (b->arena->failed) return no_memory(b);
        bool expression = named.count || strpbrk(s->text, "*/^()");
        snprintf(words, sizeof words, "expected numbers: %s", expression ? second : wrong);
        return refuse(b, n, s, p, words);
    }
    fo_status status = foi_node_set(b, n, s, p);
    if (status != FO_OK) return status;
    if (p->kind != FOI_PARAMETER_COMPLEX && s->value.kind == FOI_SIGNAL_COMPLEX)
        return refuse(b, n, s, p, "expected real numbers, found a complex one");
    bool one = p->kind == FOI_PARAMETER_NUMBER || p->kind == FOI_PARAMETER_SAMPLE;
    if (one && foi_array_size(&s->value) != 1)
        return refuse(b, n, s, p, "expected a single number, found several");
    if (p->kind == FOI_PARAMETER_SAMPLE && s->value.data[0] < 0)
        return refuse(b, n, s, p, "a sample time must not be negative");
    return FO_OK;
}

static const foi_parameter *find_parameter(const foi_node_type *type, const char *key)
{
    for (size_t i = 0; i < parameter_count(type); i++)
        if (foi_same_name(type->parameters[i].name, key)) return &type->parameters[i];
    return NULL;
}

static fo_status take_parameters(foi_build *b, foi_node *n, const foi_json_value *object)
{
    if (!foi_read_is(&b->reader, object, FOI_JSON_OBJECT)) return b->reader.status;
    for (const foi_json_value *v = object->first; v; v = v->next) {
        const foi_parameter *p = find_parameter(n->type, v->key);
        if (!p) {
            foi_nearest nearest = foi_nearest_to(v->key);
            for (size_t i = 0; i < parameter_count(n->type); i++)
                foi_nearest_try(&nearest, n->type->parameters[i].name);
            return foi_json_refuse(b->json, v, b->why, "node '%s' (%s) has no parameter '%s'%s",
                                   n->name, n->type->name, v->key, foi_nearest_hint(&nearest));
        }
        foi_setting *s = &n->settings[p - n->type->parameters];
        if (s->json)
            return foi_json_refuse(b->json, v, b->why, "parameter '%s' is given twice", p->name);
        size_t size = text_bound(v), used = 0;
        char *text = foi_arena_new(b->arena, size, 1);
        if (!text) return no_memory(b);
        s->json = v;
        s->text = text;
        char between = p->kind == FOI_PARAMETER_TEXT ? '\n' : ' ';
        if (!write_elements(v, between, text, size, &used))
            return refuse(b, n, s, p, "expected a number, a text or a list of numbers");
    }
    return FO_OK;
}

static fo_status read_parameters(foi_build *b, foi_node *n)
{
    size_t count = parameter_count(n->type);
    n->settings = foi_arena_new(b->arena, count + 1, sizeof *n->settings);
    if (!n->settings) return no_memory(b);
    const foi_json_value *given = foi_json_member(n->json, "parameters");
    fo_status status = given ? take_parameters(b, n, given) : FO_OK;
    for (size_t i = 0; status == FO_OK && i < count; i++) {
        foi_setting *s = &n->settings[i];
        if (!s->text) s->text = n->type->parameters[i].value;
        status = interpret(b, n, s, &n->type->parameters[i]);
    }
    return status;
}

// ---------------------------------------------------------------------------------------- nodes

static const foi_node_type *find_type(const foi_build *b, const char *name)
{
    for (uint32_t i = 0; i < b->own_count; i++)
        if (foi_same_name(b->own[i]->name, name)) return b->own[i];
    return foi_node_type_find(name);
}

static fo_status unknown_type(foi_build *b, const foi_json_value *v)
{
    foi_nearest nearest = foi_nearest_to(v->text);
    const foi_node_type *type;
    for (size_t i = 0; (type = foi_node_type_at(i)); i++) foi_nearest_try(&nearest, type->name);
    for (uint32_t i = 0; i < b->own_count; i++) foi_nearest_try(&nearest, b->own[i]->name);
    return foi_json_refuse(b->json, v, b->why,
                           "unknown node type '%.60s'%s; 'foliot nodes' lists "
                           "them",
                           v->text, foi_nearest_hint(&nearest));
}

static void begin_ports(foi_node *n)
{
    const foi_node_type *type = n->type;
    n->input_names = type->inputs;
    n->output_names = type->outputs;
    n->input_count = foi_port_count(type->inputs);
    n->output_count = foi_port_count(type->outputs);
    n->through = type->no_feedthrough ? 0 : ~(uint64_t)0;
    n->steps = type->steps;
    n->held = type->held;
}

// After prepare, which may have changed how many there are.
static fo_status make_ports(foi_build *b, foi_node *n)
{
    n->inputs = foi_arena_new(b->arena, n->input_count + 1, sizeof *n->inputs);
    n->outputs = foi_arena_new(b->arena, n->output_count + 1, sizeof *n->outputs);
    if (!n->inputs || !n->outputs) return no_memory(b);
    for (uint32_t i = 0; i < n->output_count; i++)
        n->outputs[i] = (foi_signal){.node = n, .port = i};
    return FO_OK;
}

const char *foi_node_port(const foi_node *n, bool input, uint32_t i, char *text, size_t size)
{
    foi_list_item(input ? n->input_names : n->output_names, i, text, size);
    if (!*text) snprintf(text, size, "%u", i + 1);
    return text;
}

fo_status foi_node_inputs(foi_build *b, foi_node *n, double count)
{
    if (!(count >= 1 && count <= FOI_MAX_PORTS) || count != floor(count))
        return foi_node_refuse(b, n, "expected 1 to %d inputs, found %g", FOI_MAX_PORTS, count);
    n->input_count = (uint32_t)count;
    return FO_OK;
}

// Where it is drawn is the studio's matter; only its form is looked at.
static fo_status check_drawing(foi_build *b, const foi_json_value *v)
{
    double position[2];
    foi_read_vector(&b->reader, v, "position", 2, position);
    foi_read_number(&b->reader, v, "rotation", 0);
    if (foi_json_member(v, "flip")) foi_read_truth(&b->reader, v, "flip");
    return b->reader.status;
}

fo_status foi_document_node(foi_build *b, foi_node *n, const foi_json_value *v)
{
    static const char *const known[] = {"name",     "type", "parameters", "position",
                                        "rotation", "flip", "diagram",    NULL};
    if (!foi_read_keys(&b->reader, v, known)) return b->reader.status;
    const foi_json_value *name = foi_json_member(v, "name"), *type = foi_json_member(v, "type");
    if (!name || name->kind != FOI_JSON_TEXT || !name->length || strchr(name->text, ':') ||
        strlen(name->text) != name->length || name->length > MAX_NAME)
        return foi_json_refuse(b->json, name ? name : v, b->why,
                               "a node needs a name: a text without ':', not longer than %d",
                               MAX_NAME);
    if (!type || type->kind != FOI_JSON_TEXT)
        return foi_json_refuse(b->json, type ? type : v, b->why, "a node needs a type: a text");
    n->type = find_type(b, type->text);
    if (!n->type) return unknown_type(b, type);
    n->json = v;
    const foi_json_value *inside = foi_json_member(v, "diagram");
    if (inside && n->type != &foi_subsystem)
        return foi_json_refuse(b->json, inside, b->why, "only a Subsystem has a diagram in it");
    n->name = foi_arena_print(b->arena, "%s%s", b->scopes[n->scope].prefix, name->text);
    if (!n->name) return no_memory(b);
    if (!foi_diagram_enter(b->diagram, n))
        return foi_json_refuse(b->json, name, b->why, "there is a node '%s' already", n->name);
    begin_ports(n);
    fo_status status = check_drawing(b, v);
    if (status == FO_OK) status = read_parameters(b, n);
    if (status == FO_OK && n->type->prepare) status = n->type->prepare(b, n);
    return status == FO_OK ? make_ports(b, n) : status;
}
