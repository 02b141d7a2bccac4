#include "language/language.h"

#include <string.h>

#include "language/session.h"

foi_language_def foi_default_language_def(void)
{
    const uint64_t most = UINT64_C(1) << 32;
    return (foi_language_def){.path = "model.mo",
                              .most_work = 100000000,
                              .most_memory = most < SIZE_MAX / 2 ? (size_t)most : SIZE_MAX / 2};
}

static foi_class *builtin_class(foi_session *s, const char *name, foi_flat_type type)
{
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    if (!c || !(c->name = foi_name(s, name))) return NULL;
    c->kind = FOI_CLASS_BUILTIN, c->analysis = FOI_ANALYSED;
    c->builtin = c, c->type = type;
    return c;
}

static foi_class *builtin_literals(foi_session *s, const char *name, const char *const *literals,
                                   uint32_t count)
{
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    foi_literal *list = foi_arena_new(&s->arena, count, sizeof *list);
    if (!c || !list || !(c->name = foi_name(s, name))) return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!(list[i].name = foi_name(s, literals[i]))) return NULL;
    c->kind = FOI_CLASS_TYPE, c->literals = list, c->literal_count = count;
    return c;
}

static bool begin(foi_session *s, const foi_language_def *def, foi_messages *messages)
{
    static const char *const selects[] = {"never", "avoid", "default", "prefer", "always"};
    static const char *const levels[] = {"warning", "error"};
    *s = (foi_session){.def = def, .messages = messages, .stack = foi_stack_limit_begin()};
    foi_arena_begin(&s->arena, def->allocator, def->most_memory);
    s->names = (foi_names){.arena = &s->arena, .allocator = def->allocator};
    s->flat = foi_flat_create(def->allocator);
    if (!s->flat) return false;
    s->flat->arena.limit = def->most_memory;
    s->real = builtin_class(s, "Real", FOI_REAL);
    s->integer = builtin_class(s, "Integer", FOI_INTEGER);
    s->boolean = builtin_class(s, "Boolean", FOI_BOOLEAN);
    s->string = builtin_class(s, "String", FOI_STRING);
    s->state_select = builtin_literals(s, "StateSelect", selects, 5);
    s->assertion_level = builtin_literals(s, "AssertionLevel", levels, 2);
    s->external_object = builtin_class(s, "ExternalObject", FOI_INTEGER);
    s->clock = builtin_class(s, "Clock", FOI_INTEGER);
    if (s->clock) { // as an enumeration that has no literals: only clocks are equal to clocks
        static const char *const none[] = {NULL};
        s->clock->literal_count = 1, s->clock->literal_names = none;
        s->clock->literals = foi_arena_new(&s->arena, 1, sizeof *s->clock->literals);
        if (!s->clock->literals) return false;
    }
    s->name_time = foi_name(s, "time");
    s->root.kind = FOI_CLASS_PACKAGE;
    return s->real && s->integer && s->boolean && s->string && s->state_select &&
           s->assertion_level && s->external_object && s->clock && s->name_time;
}

static bool is_model(const foi_class *c)
{
    return !c->partial &&
           (c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_BLOCK || c->kind == FOI_CLASS_CLASS);
}

// The model that is asked for: "A.B.C".
static foi_class *named_model(foi_session *s, const char *name)
{
    foi_class *c = &s->root, *last = c;
    const char *part = name;
    for (const char *rest = name; c && *rest;) {
        size_t length = strcspn(rest, ".");
        part = foi_intern(&s->names, rest, length);
        last = c;
        c = part ? foi_find_in_class(s, c, part) : NULL;
        rest += length;
        if (*rest == '.') rest++;
    }
    if (c && c != &s->root) return c;
    if (!s->messages->errors && part && last != &s->root)
        foi_error(s, (foi_place){0}, "there is no '%s' in '%s'%s", part, foi_class_path(s, last),
                  foi_hint_in(s, last, part));
    else if (!s->messages->errors)
        foi_error(s, (foi_place){0}, "there is no model '%s'%s", name,
                  s->def->path || s->def->text
                      ? foi_hint(s, NULL, &s->root, name)
                      : ": nothing of this name is in the folders that MODELICAPATH names");
    return NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "model.mo";
}

static foi_class *last_model(foi_session *s, foi_class *const *classes, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (is_model(classes[i])) return classes[i];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < classes[i]->class_count; k++)
            if (is_model(classes[i]->classes[k])) {
                foi_error(s, classes[i]->place, "name the model to run, for example '%s:%s'",
                          base_name(s->def->path), foi_class_path(s, classes[i]->classes[k]));
                return NULL;
            }
    for (uint32_t i = 0; i < count; i++)
        if (classes[i]->kind == FOI_CLASS_MODEL) {
            foi_error(s, classes[i]->place, "model '%s' is partial: it cannot be run",
                      classes[i]->name);
            return NULL;
        }
    foi_error(s, (foi_place){0}, "the file holds no model that can be run");
    return NULL;
}

static bool load(foi_session *s)
{
    foi_class **classes;
    uint32_t count;
    for (size_t i = 0; i < s->def->setting_count; i++) s->def->settings[i].taken = false;
    if (!s->def->path && !s->def->model)
        return foi_error(s, (foi_place){0}, "a model needs a file or a name");
    if (!foi_load_main(s, &classes, &count)) return false;
    foi_class *c = s->def->model ? named_model(s, s->def->model) : last_model(s, classes, count);
    return c && foi_flatten(s, c);
}

static fo_status end_session(foi_session *s, const foi_language_def *def)
{
    fo_status status = s->status;
    foi_flat_destroy(s->flat);
    foi_names_end(&s->names);
    foi_arena_end(&s->arena);
    foi_free(def->allocator, s);
    return status ? status : FO_ERROR_FORMAT;
}

fo_status foi_language_visit(const fo_text_model_def *asked, foi_class_visit *act, void *data,
                             fo_message *why)
{
    foi_language_def def = foi_default_language_def();
    def.allocator = asked->allocator, def.path = asked->path, def.text = asked->text;
    def.model = asked->model, def.libraries = asked->libraries;
    if (asked->most_work) def.most_work = asked->most_work;
    foi_session *s = foi_new(def.allocator, 1, sizeof *s);
    if (!s) return fo_fail(why, FO_ERROR_MEMORY, "no memory to read a text");
    foi_messages messages;
    foi_messages_begin(&messages, def.allocator);
    foi_class **classes, *c = NULL;
    uint32_t count;
    if (begin(s, &def, &messages) && foi_load_main(s, &classes, &count))
        c = def.model ? named_model(s, def.model) : count ? classes[0] : NULL;
    bool right = c && act(s, c, data);
    fo_status status = end_session(s, &def);
    if (right) {
        status = FO_OK;
    } else {
        const foi_finding *f = messages.count ? &messages.findings[0] : NULL;
        fo_fail(why, status, "%s", f ? f->text : "the text cannot be read");
    }
    foi_messages_end(&messages);
    return status;
}

fo_status foi_language_load(const foi_language_def *def, foi_flat **flat, foi_messages *messages)
{
    foi_session *s = foi_new(def->allocator, 1, sizeof *s);
    *flat = NULL;
    if (!s) return FO_ERROR_MEMORY;
    size_t errors = messages->errors;
    bool right = begin(s, def, messages) && load(s) && messages->errors == errors;
    bool memory = s->arena.failed || !s->flat || s->flat->arena.failed || messages->arena.failed;
    fo_status status = FO_OK;
    if (s->arena.limited || (s->flat && s->flat->arena.limited))
        foi_error(s, (foi_place){0}, "the model is too large: it needs more than %zu MiB",
                  def->most_memory >> 20);
    if (!right) status = s->status ? s->status : FO_ERROR_FORMAT;
    if (!right && memory) status = FO_ERROR_MEMORY;
    if (right) {
        *flat = s->flat;
    } else {
        foi_flat_destroy(s->flat);
    }
    foi_names_end(&s->names);
    foi_arena_end(&s->arena);
    foi_free(def->allocator, s);
    return status;
}

static bool review(foi_session *s, foi_whole_visit *each, void *self, fo_text_review *about)
{
    foi_class **classes;
    uint32_t count;
    if (!foi_load_main(s, &classes, &count)) return false;
    if (!s->def->path && !s->def->text && s->def->model) { // that class of a library
        foi_class *c = named_model(s, s->def->model);
        return c && foi_review_class(s, c, about, each, self);
    }
    bool runs = false;
    for (uint32_t i = 0; i < count; i++) runs |= is_model(classes[i]);
    bool right = foi_review_classes(s, s->def->model, classes, count, about, each, self);
    about->runs = runs;
    return right;
}

fo_status foi_language_review(const foi_language_def *def, foi_whole_visit *whole, void *self,
                              fo_text_review *about, foi_messages *messages)
{
    foi_session *s = foi_new(def->allocator, 1, sizeof *s);
    *about = (fo_text_review){0};
    if (!s) return FO_ERROR_MEMORY;
    bool right = begin(s, def, messages) && review(s, whole, self, about);
    bool memory = s->arena.failed || !s->flat || s->flat->arena.failed || messages->arena.failed;
    fo_status status = end_session(s, def);
    if (memory) return FO_ERROR_MEMORY;
    return right && !messages->errors ? FO_OK : status;
}
