#include "base/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// -------------------------------------------------------------------------- memory and refusals

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

void foi_read_answer(foi_reader *r, const foi_json_value *value, fo_status status)
{
    if (r->status || status == FO_OK) return;
    r->status = status;
    if (status != FO_ERROR_ARGUMENT || !r->why) return;
    char words[FO_MESSAGE_SIZE];
    snprintf(words, sizeof words, "%s", r->why->text);
    r->status = foi_json_refuse(r->json, value, r->why, "%s", words);
}

// -------------------------------------------------------------------------------------- members

bool foi_read_is(foi_reader *r, const foi_json_value *value, foi_json_kind kind)
{
    if (r->status) return false;
    if (value->kind == kind) return true;
    foi_read_refuse(r, value, "expected %s, found %s", foi_json_kind_text(kind),
                    foi_json_kind_text(value->kind));
    return false;
}

bool foi_read_keys(foi_reader *r, const foi_json_value *object, const char *const *keys)
{
    if (!foi_read_is(r, object, FOI_JSON_OBJECT)) return false;
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

// They are no numbers of the model, which could be set.
static bool is_range(const foi_json_value *v)
{
    const foi_json_value *from = v->kind == FOI_JSON_LIST && v->count == 2 ? v->first : NULL;
    return from && from->kind == FOI_JSON_NUMBER && from->next->kind == FOI_JSON_NUMBER &&
           from->number < from->next->number;
}

bool foi_read_sliders(foi_reader *r, const foi_json_value *root)
{
    const foi_json_value *all = foi_json_member(root, "sliders");
    if (r->status || (all && !foi_read_is(r, all, FOI_JSON_OBJECT))) return false;
    for (const foi_json_value *v = all ? all->first : NULL; v && !r->status; v = v->next)
        if (!is_range(v))
            foi_read_refuse(r, v, "a slider goes from a number to a larger one, as in [0, 10]");
    return !r->status;
}

const foi_json_value *foi_read_needed(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    if (!value) foi_read_refuse(r, object, "the field '%s' is missing", key);
    return r->status ? NULL : value;
}

// A number in its place: `value`, or what the object has where `key` is not NULL.
static double ranged(foi_reader *r, const foi_json_value *value, const char *key, foi_range range,
                     double number)
{
    foi_listed_number about = {
        .value = number, .positive = range == FOI_POSITIVE, .negative = range == FOI_ANY};
    double set = foi_number_offer(r->numbers, value, key, about);
    if (key && set == number) return number; // the usual value is right
    if (range == FOI_ANY || set > 0 || (range == FOI_NOT_NEGATIVE && set == 0)) return set;
    foi_read_refuse(r, value, "expected a number %s zero%s%s, found %g",
                    range == FOI_POSITIVE ? "above" : "not below", key ? " for " : "",
                    key ? key : "", set);
    return 0;
}

double foi_read_value(foi_reader *r, const foi_json_value *value, foi_range range)
{
    if (!foi_read_is(r, value, FOI_JSON_NUMBER)) return 0;
    return ranged(r, value, NULL, range, value->number);
}

double foi_read_number_in(foi_reader *r, const foi_json_value *object, const char *key,
                          foi_range range, double usual)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value ? foi_read_value(r, value, range) : ranged(r, object, key, range, usual);
}

double foi_read_number(foi_reader *r, const foi_json_value *object, const char *key, double usual)
{
    return foi_read_number_in(r, object, key, FOI_ANY, usual);
}

const char *foi_read_text(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    if (!value || !foi_read_is(r, value, FOI_JSON_TEXT)) return NULL;
    if (value->length) return value->text;
    foi_read_refuse(r, value, "expected a text that is not empty");
    return NULL;
}

bool foi_read_truth(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value && foi_read_is(r, value, FOI_JSON_TRUTH) && value->truth;
}

static uint32_t whole(foi_reader *r, const foi_json_value *value, const char *key, double number)
{
    double set = foi_number_offer(r->numbers, value, key,
                                  (foi_listed_number){.value = number, .whole = true});
    if (set >= 0 && set <= UINT32_MAX && set == floor(set)) return (uint32_t)set;
    foi_read_refuse(r, value, "expected a whole number from 0 on%s%s, found %g", key ? " for " : "",
                    key ? key : "", set);
    return 0;
}

uint32_t foi_read_whole(foi_reader *r, const foi_json_value *value)
{
    return foi_read_is(r, value, FOI_JSON_NUMBER) ? whole(r, value, NULL, value->number) : 0;
}

uint32_t foi_read_count(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value ? foi_read_whole(r, value) : whole(r, object, key, 0);
}

const foi_json_value *foi_read_items(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *value = foi_json_member(object, key);
    return value && foi_read_is(r, value, FOI_JSON_LIST) ? value->first : NULL;
}

void foi_read_vector(foi_reader *r, const foi_json_value *object, const char *key, int count,
                     double *to)
{
    const foi_json_value *value = foi_json_member(object, key);
    if (!value || !foi_read_is(r, value, FOI_JSON_LIST)) return;
    if (value->count != (size_t)count)
        foi_read_refuse(r, value, "expected %d number%s, found %zu", count, count == 1 ? "" : "s",
                        value->count);
    for (const foi_json_value *v = value->first; v && !r->status; v = v->next)
        to[v->index] = foi_read_value(r, v, FOI_ANY);
}

// --------------------------------------------------------------------------------------- values

uint32_t foi_read_list(foi_reader *r, const foi_json_value *value, double *to, uint32_t most)
{
    if (!value || !foi_read_is(r, value, FOI_JSON_LIST)) return 0;
    if (value->count > most) {
        foi_read_refuse(r, value, "expected at most %u numbers, found %zu", most, value->count);
        return 0;
    }
    for (const foi_json_value *v = value->first; v; v = v->next)
        if (foi_read_is(r, v, FOI_JSON_NUMBER))
            to[v->index] = ranged(r, v, NULL, FOI_ANY, v->number);
    return (uint32_t)value->count;
}

int foi_read_word(foi_reader *r, const foi_json_value *value, const char *const *words)
{
    if (!value || !foi_read_is(r, value, FOI_JSON_TEXT)) return 0;
    foi_nearest nearest = foi_nearest_to(value->text);
    char all[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value->text) == 0) return i;
        foi_nearest_try(&nearest, words[i]);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    foi_read_refuse(r, value, "'%.40s' is none of %s%s", value->text, all,
                    foi_nearest_hint(&nearest));
    return 0;
}
