#include "structure/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

fo_status foi_expect(const foi_fields *f, const foi_json_value *value, foi_json_kind kind)
{
    if (value->kind == kind) return FO_OK;
    return foi_json_refuse(f->json, value, f->why, "expected %s, found %s",
                           foi_json_kind_text(kind), foi_json_kind_text(value->kind));
}

fo_status foi_at(const foi_fields *f, const foi_json_value *value, fo_status status)
{
    if (status != FO_ERROR_ARGUMENT || !f->why) return status;
    char words[FO_MESSAGE_SIZE];
    snprintf(words, sizeof words, "%s", f->why->text);
    return foi_json_refuse(f->json, value, f->why, "%s", words);
}

fo_status foi_fields_known(const foi_fields *f, const foi_json_value *object,
                           const char *const *keys)
{
    fo_status status = foi_expect(f, object, FOI_JSON_OBJECT);
    if (status != FO_OK) return status;
    for (const foi_json_value *v = object->first; v; v = v->next) {
        foi_nearest nearest = foi_nearest_to(v->key);
        size_t i = 0;
        for (; keys[i] && strcmp(keys[i], v->key) != 0; i++) foi_nearest_try(&nearest, keys[i]);
        if (!keys[i])
            return foi_json_refuse(f->json, v, f->why, "nobody knows this field%s",
                                   foi_nearest_hint(&nearest));
    }
    return FO_OK;
}

// The member; FO_STOPPED when it is not there and need not be.
static fo_status member(const foi_fields *f, const foi_json_value *object, const char *key,
                        bool required, foi_json_kind kind, const foi_json_value **v)
{
    *v = foi_json_member(object, key);
    if (*v) return foi_expect(f, *v, kind);
    if (!required) return FO_STOPPED;
    return foi_json_refuse(f->json, object, f->why, "the field '%s' is missing", key);
}

static fo_status optional(fo_status status)
{
    return status == FO_STOPPED ? FO_OK : status;
}

fo_status foi_number_in(const foi_fields *f, const foi_json_value *value, foi_range range,
                        double *out)
{
    fo_status status = foi_expect(f, value, FOI_JSON_NUMBER);
    if (status != FO_OK) return status;
    if ((range == FOI_POSITIVE && !(value->number > 0)) ||
        (range == FOI_NOT_NEGATIVE && !(value->number >= 0)))
        return foi_json_refuse(f->json, value, f->why, "expected a number %s zero, found %g",
                               range == FOI_POSITIVE ? "above" : "not below", value->number);
    *out = value->number;
    return FO_OK;
}

fo_status foi_field_number(const foi_fields *f, const foi_json_value *object, const char *key,
                           bool required, foi_range range, double *out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, required, FOI_JSON_NUMBER, &v);
    return status == FO_OK ? foi_number_in(f, v, range, out) : optional(status);
}

fo_status foi_field_count(const foi_fields *f, const foi_json_value *object, const char *key,
                          bool required, uint32_t *out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, required, FOI_JSON_NUMBER, &v);
    if (status != FO_OK) return optional(status);
    if (!(v->number >= 0 && v->number <= 1e9 && v->number == floor(v->number)))
        return foi_json_refuse(f->json, v, f->why, "expected a whole number from 0 on, found %g",
                               v->number);
    *out = (uint32_t)v->number;
    return FO_OK;
}

fo_status foi_field_truth(const foi_fields *f, const foi_json_value *object, const char *key,
                          bool *out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, false, FOI_JSON_TRUTH, &v);
    if (status == FO_OK) *out = v->truth;
    return optional(status);
}

fo_status foi_field_text(const foi_fields *f, const foi_json_value *object, const char *key,
                         bool required, const char **out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, required, FOI_JSON_TEXT, &v);
    if (status == FO_OK && !v->length)
        return foi_json_refuse(f->json, v, f->why, "expected a text that is not empty");
    if (status == FO_OK) *out = v->text;
    return optional(status);
}

fo_status foi_field_list(const foi_fields *f, const foi_json_value *object, const char *key,
                         const foi_json_value **out)
{
    fo_status status = member(f, object, key, false, FOI_JSON_LIST, out);
    if (status != FO_OK) *out = NULL;
    return optional(status);
}

fo_status foi_field_vector(const foi_fields *f, const foi_json_value *object, const char *key,
                           bool required, int count, double *out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, required, FOI_JSON_LIST, &v);
    if (status != FO_OK) return optional(status);
    if (v->count != (size_t)count)
        return foi_json_refuse(f->json, v, f->why, "expected %d number%s, found %zu", count,
                               count == 1 ? "" : "s", v->count);
    for (const foi_json_value *e = v->first; e && status == FO_OK; e = e->next)
        status = foi_number_in(f, e, FOI_ANY, &out[e->index]);
    return status;
}

fo_status foi_field_choice(const foi_fields *f, const foi_json_value *object, const char *key,
                           const char *const *words, int *out)
{
    const foi_json_value *v;
    fo_status status = member(f, object, key, false, FOI_JSON_TEXT, &v);
    if (status != FO_OK) return optional(status);
    foi_nearest nearest = foi_nearest_to(v->text);
    for (int i = 0; words[i]; i++) {
        foi_nearest_try(&nearest, words[i]);
        if (strcmp(words[i], v->text) != 0) continue;
        *out = i;
        return FO_OK;
    }
    return foi_json_refuse(f->json, v, f->why, "'%.40s' is not known here%s", v->text,
                           foi_nearest_hint(&nearest));
}
