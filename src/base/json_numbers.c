#include "base/json_numbers.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------- names

static const char *own_name(const foi_json_value *v)
{
    const foi_json_value *name = foi_json_member(v, "name");
    return name && name->kind == FOI_JSON_TEXT && name->length ? name->text : NULL;
}

// Puts words before what stands in `text`. What has no room is left out: such a name fits nothing.
static void put_before(const char *words, char *text, size_t size)
{
    size_t length = strlen(words), kept = strlen(text) + 1;
    if (length + kept > size) return;
    memmove(text + length, text, kept);
    memcpy(text, words, length);
}

static void put_dot(char *text, size_t size)
{
    if (*text && *text != '[') put_before(".", text, size);
}

const char *foi_number_name(const foi_json_value *value, const char *key, char *text, size_t size)
{
    text[0] = 0;
    if (key) put_before(key, text, size);
    for (const foi_json_value *v = value; v->parent; v = v->parent) {
        const char *name = v->key ? v->key : own_name(v);
        if (name) {
            put_dot(text, size);
            put_before(name, text, size);
            if (!v->key) v = v->parent; // the name stands for the list too
            if (!v->parent) break;
            continue;
        }
        char number[24];
        snprintf(number, sizeof number, "[%zu]", v->index + 1);
        put_dot(text, size);
        put_before(number, text, size);
    }
    return text;
}

// ------------------------------------------------------------------------------ completing names

typedef struct search {
    const char *wanted;
    size_t exact, ends;
    char first[FOI_NUMBER_NAME], second[FOI_NUMBER_NAME];
} search;

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail + 1 && name[length - tail - 1] == '.' &&
           strcmp(name + length - tail, end) == 0;
}

static void look(search *s, const foi_json_value *v)
{
    if (v->kind == FOI_JSON_NUMBER) {
        char name[FOI_NUMBER_NAME];
        foi_number_name(v, NULL, name, sizeof name);
        s->exact += strcmp(name, s->wanted) == 0;
        if (!ends_with(name, s->wanted)) return;
        memcpy(s->ends++ ? s->second : s->first, name, sizeof name);
    }
    for (const foi_json_value *child = v->first; child; child = child->next) look(s, child);
}

fo_status foi_number_complete(const foi_json *json, const char *name, char *full, size_t size,
                              fo_message *why)
{
    search s = {.wanted = name};
    look(&s, foi_json_root(json));
    if (!s.exact && s.ends > 1)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "there are %zu numbers '%.60s': %s is one, %s another; name one of them",
                       s.ends, name, s.first, s.second);
    snprintf(full, size, "%s", !s.exact && s.ends ? s.first : name);
    return FO_OK;
}

// --------------------------------------------------------------------------------------- offering

// How a model is run is no number of the model.
static bool offered(const char *name)
{
    return strncmp(name, "run.", 4) != 0 && strncmp(name, "cluster.", 8) != 0;
}

static bool listed(const foi_numbers *n, const foi_json_value *value)
{
    bool element = value->parent && value->parent->kind == FOI_JSON_LIST;
    return n->count < FOI_MOST_LISTED && !(element && value->parent->count > FOI_LONGEST_LISTED);
}

double foi_number_offer(foi_numbers *n, const foi_json_value *value, const char *key,
                        foi_listed_number about)
{
    char name[FOI_NUMBER_NAME];
    if (!n || (!n->setting_count && !listed(n, value))) return about.value;
    if (!offered(foi_number_name(value, key, name, sizeof name))) return about.value;
    for (size_t i = 0; i < n->setting_count; i++) {
        if (strcmp(n->settings[i].name, name) != 0) continue;
        about.value = n->settings[i].value;
        n->settings[i].taken = true;
    }
    if (!listed(n, value)) return about.value;
    char *copy = foi_arena_text(n->arena, name, strlen(name));
    foi_listed_number *entry =
        copy ? foi_arena_add(n->arena, &n->list, &n->count, sizeof *entry) : NULL;
    if (!entry) return about.value; // the arena says that memory was lacking
    const char *dot = strrchr(copy, '.');
    about.name = copy;
    about.key = dot ? dot + 1 : copy;
    *entry = about;
    return about.value;
}
