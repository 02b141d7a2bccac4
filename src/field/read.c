/// The small steps of reading a document.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "field/document.h"

typedef struct foi_read_block {
    struct foi_read_block *next;
    double align;
} foi_read_block;

void *foi_read_room(foi_reader *r, size_t count, size_t size)
{
    if (r->status) return NULL;
    size_t bytes = count * size;
    bool fits = !size || bytes / size == count;
    size_t units = bytes / sizeof(foi_read_block) + 2;
    foi_read_block *block = fits ? foi_new(r->allocator, units, sizeof *block) : NULL;
    if (!block) {
        r->status = fo_fail(r->why, FO_ERROR_MEMORY, "no memory to read the document");
        return NULL;
    }
    block->next = r->blocks;
    r->blocks = block;
    return block + 1;
}

void foi_read_free(foi_reader *r)
{
    while (r->blocks) {
        foi_read_block *next = r->blocks->next;
        foi_free(r->allocator, r->blocks);
        r->blocks = next;
    }
}

void foi_read_refuse(foi_reader *r, const foi_json_value *value, const char *format, ...)
{
    char text[300];
    va_list arguments;
    if (r->status) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->status = foi_json_refuse(r->json, value, r->why, "%s", text);
}

static bool is(foi_reader *r, const foi_json_value *value, foi_json_kind kind)
{
    if (r->status) return false;
    if (value->kind == kind) return true;
    foi_read_refuse(r, value, "expected %s, found %s", foi_json_kind_text(kind),
                    foi_json_kind_text(value->kind));
    return false;
}

bool foi_read_keys(foi_reader *r, const foi_json_value *object, const char *const *keys)
{
    if (!is(r, object, FOI_JSON_OBJECT)) return false;
    for (const foi_json_value *member = object->first; member; member = member->next) {
        foi_nearest nearest = foi_nearest_to(member->key);
        size_t i = 0;
        for (; keys[i] && strcmp(keys[i], member->key) != 0; i++)
            foi_nearest_try(&nearest, keys[i]);
        if (keys[i]) continue;
        foi_read_refuse(r, member, "nothing here is called '%s'%s", member->key,
                        foi_nearest_hint(&nearest));
        return false;
    }
    return true;
}

double foi_read_number(foi_reader *r, const foi_json_value *object, const char *key, double usual)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value && is(r, value, FOI_JSON_NUMBER) ? value->number : usual;
}

const char *foi_read_text(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value && is(r, value, FOI_JSON_TEXT) ? value->text : NULL;
}

bool foi_read_truth(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value && is(r, value, FOI_JSON_TRUTH) && value->truth;
}

static uint32_t whole(foi_reader *r, const foi_json_value *value)
{
    if (!is(r, value, FOI_JSON_NUMBER)) return 0;
    double number = value->number;
    if (number >= 0 && number <= UINT32_MAX && number == floor(number)) return (uint32_t)number;
    foi_read_refuse(r, value, "expected a whole number, found %g", number);
    return 0;
}

uint32_t foi_read_count(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value ? whole(r, value) : 0;
}

uint32_t foi_read_list(foi_reader *r, const foi_json_value *value, double *to, uint32_t most)
{
    if (!value || !is(r, value, FOI_JSON_LIST)) return 0;
    if (value->count > most) {
        foi_read_refuse(r, value, "expected at most %u numbers, found %zu", most, value->count);
        return 0;
    }
    for (const foi_json_value *v = value->first; v; v = v->next)
        if (is(r, v, FOI_JSON_NUMBER)) to[v->index] = v->number;
    return (uint32_t)value->count;
}

int foi_read_word(foi_reader *r, const foi_json_value *value, const char *const *words)
{
    if (!value || !is(r, value, FOI_JSON_TEXT)) return 0;
    foi_nearest nearest = foi_nearest_to(value->text);
    char all[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value->text) == 0) return i;
        foi_nearest_try(&nearest, words[i]);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    foi_read_refuse(r, value, "'%s' is none of %s%s", value->text, all, foi_nearest_hint(&nearest));
    return 0;
}

void foi_read_grid_node(foi_reader *r, const foi_json_value *value, uint32_t node[3])
{
    if (!is(r, value, FOI_JSON_LIST)) return;
    if (value->count != r->dimensions)
        foi_read_refuse(r, value, "expected %u whole numbers, found %zu", r->dimensions,
                        value->count);
    for (const foi_json_value *v = value->first; v && !r->status; v = v->next) {
        node[v->index] = whole(r, v);
        if (!r->status && r->size[v->index] && node[v->index] > r->size[v->index])
            foi_read_refuse(r, v, "the axis has %u nodes, there is no node %u", r->size[v->index],
                            node[v->index]);
    }
}
