/// External functions that are C of others: what the annotation of a function says, and objects
/// that its functions make; outside_entry.c writes the C that calls them.
///
/// All functions that a model calls become one text for the compiler (base/c_unit.h), with one
/// entry of the same form for each: numbers in, numbers out (equations/outside.h).
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "equations/kept.h"
#include "equations/kept_code.h"
#include "equations/outside.h"
#include "language/outside.h"

enum { MOST_SCALARS = 10000 }; ///< that one call passes

#if defined(__unix__) && !defined(__wasm__)

static foi_outside *outside_of(foi_session *s)
{
    if (!s->flat->outside) {
        s->flat->outside = foi_arena_new(&s->flat->arena, 1, sizeof *s->flat->outside);
        if (s->flat->outside) *s->flat->outside = (foi_outside){.arena = &s->flat->arena};
    }
    return s->flat->outside;
}

// ------------------------------------------------------------------------------- the annotation

static const foi_argument *argument(const foi_modifier *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->count; i++)
        if (strcmp(m->arguments[i].name, name) == 0) return &m->arguments[i];
    return NULL;
}

// The texts of an argument: one, or a vector; none where it is not given.
static bool texts_of(foi_session *s, foi_class *c, const char *name, const char ***list,
                     uint32_t *count)
{
    const foi_external *e = foi_external_of(c);
    const foi_argument *a = argument(e->annotation, name);
    foi_context ctx = {.lexical = c};
    foi_value v;
    *list = NULL, *count = 0;
    if (!a || !a->modifier || !a->modifier->value) return true;
    if (!foi_expand(s, &ctx, a->modifier->value, &v)) return false;
    for (uint32_t i = 0; i < v.count; i++) {
        const foi_flat_expr *x = v.record ? NULL : foi_item(&v, i);
        if (!x || x->op != FOI_OP_STRING)
            return foi_error(s, a->place, "'%s' of external code must be a String that is known",
                             name);
        const char **slot = foi_arena_add(&s->arena, list, count, sizeof *slot);
        if (!slot) return false;
        *slot = x->text;
    }
    return true;
}

static foi_class *top_of(foi_session *s, foi_class *c)
{
    while (c->enclosing && c->enclosing != &s->root) c = c->enclosing;
    return c;
}

static const char *folder_of_text(foi_session *s, foi_place place)
{
    const char *name = place.file < s->source_count ? s->sources[place.file].name : "";
    const char *slash = strrchr(name, '/');
    return slash ? foi_arena_text(&s->arena, name, (size_t)(slash - name)) : ".";
}

// modelica://Package/way, file://way, or a way from the folder of the text.
static const char *way_of(foi_session *s, foi_class *c, const char *uri)
{
    if (strncmp(uri, "file://", 7) == 0) return uri + 7;
    if (*uri == '/') return uri;
    if (strncmp(uri, "modelica://", 11) != 0) {
        const char *folder = folder_of_text(s, foi_external_of(c)->place);
        return folder ? foi_arena_print(&s->arena, "%s/%s", folder, uri) : NULL;
    }
    const char *name = uri + 11;
    size_t length = strcspn(name, "/.");
    const char *interned = foi_intern(&s->names, name, length);
    foi_class *package = interned ? foi_find_in_class(s, &s->root, interned) : NULL;
    const char *folder = package && package->folder ? package->folder
                         : package                  ? folder_of_text(s, package->place)
                                                    : NULL;
    const char *rest = strchr(name, '/');
    if (!folder) {
        foi_error(s, foi_external_of(c)->place, "there is no package '%.*s' for '%s'", (int)length,
                  name, uri);
        return NULL;
    }
    return foi_arena_print(&s->arena, "%s%s", folder, rest ? rest : "");
}

static bool add_once(foi_outside_unit *u, const char ***list, uint32_t *count, const char *text)
{
    for (uint32_t i = 0; text && i < *count; i++)
        if (strcmp((*list)[i], text) == 0) return true;
    const char **slot = text ? foi_arena_add(&u->s->arena, list, count, sizeof *slot) : NULL;
    if (slot) *slot = text;
    return slot;
}

// Where an annotation names folders, or where the language says they are.
static bool folders_of(foi_outside_unit *u, foi_class *c, const char *name, const char *usual,
                       const char ***list, uint32_t *count)
{
    foi_session *s = u->s;
    const char **given;
    uint32_t given_count;
    if (!texts_of(s, c, name, &given, &given_count)) return false;
    const foi_class *top = top_of(s, c);
    *list = NULL, *count = 0;
    for (uint32_t i = 0; i < given_count; i++)
        if (!add_once(u, list, count, way_of(s, c, given[i]))) return false;
    if (!given_count && top->folder)
        return add_once(u, list, count, foi_arena_print(&s->arena, "%s/%s", top->folder, usual));
    return true;
}

static bool is_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".a") == 0 || strcmp(dot, ".o") == 0 || strcmp(dot, ".so") == 0);
}

static bool take_libraries(foi_outside_unit *u, foi_class *c)
{
    foi_session *s = u->s;
    const char **names, **folders;
    uint32_t count, folder_count;
    if (!texts_of(s, c, "Library", &names, &count) ||
        !folders_of(u, c, "LibraryDirectory", "Resources/Library", &folders, &folder_count))
        return false;
    for (uint32_t i = 0; count && i < folder_count; i++)
        if (!add_once(u, &u->link, &u->link_count,
                      foi_arena_print(&s->arena, "-L%s", folders[i])) ||
            !add_once(u, &u->link, &u->link_count,
                      foi_arena_print(&s->arena, "-L%s/linux64", folders[i])) ||
            !add_once(u, &u->link, &u->link_count,
                      foi_arena_print(&s->arena, "-Wl,-rpath,%s", folders[i])))
            return false;
    for (uint32_t i = 0; i < count; i++) {
        if (*names[i] == '-' || !*names[i])
            return foi_error(s, foi_external_of(c)->place, "'%s' is not the name of a library",
                             names[i]);
        bool file = is_file(names[i]);
        const char *word = !file || !folder_count
                               ? foi_arena_print(&s->arena, "-l%s", names[i])
                               : foi_arena_print(&s->arena, "%s/%s", folders[0], names[i]);
        if (file && *names[i] == '/') word = names[i];
        if (!add_once(u, &u->link, &u->link_count, word)) return false;
    }
    return true;
}

// Headers beside the text are found, too.
bool foi_outside_annotation(foi_outside_unit *u, foi_class *c, bool *includes)
{
    const char **texts, **folders;
    uint32_t count, folder_count;
    if (!texts_of(u->s, c, "Include", &texts, &count) ||
        !folders_of(u, c, "IncludeDirectory", "Resources/Include", &folders, &folder_count))
        return false;
    *includes = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = u->include_count;
        if (!add_once(u, &u->includes, &u->include_count, texts[i])) return false;
        if (u->include_count == before) continue;
        foi_place *place = foi_arena_add(&u->s->arena, &u->places, &before, sizeof *place);
        if (!place) return false;
        *place = argument(foi_external_of(c)->annotation, "Include")->place;
    }
    for (uint32_t i = 0; i < folder_count; i++)
        if (!add_once(u, &u->folders, &u->folder_count, folders[i])) return false;
    const char *beside = folder_of_text(u->s, foi_external_of(c)->place);
    return add_once(u, &u->folders, &u->folder_count, beside) && take_libraries(u, c);
}

// ------------------------------------------------------------------------------------- compiling

static const char utilities[] =
    "#ifndef MODELICA_UTILITIES_H\n#define MODELICA_UTILITIES_H\n"
    "#include <stdarg.h>\n#include <stddef.h>\n"
    "void ModelicaMessage(const char *text);\n"
    "void ModelicaFormatMessage(const char *format, ...);\n"
    "void ModelicaVFormatMessage(const char *format, va_list arguments);\n"
    "void ModelicaWarning(const char *text);\n"
    "void ModelicaFormatWarning(const char *format, ...);\n"
    "void ModelicaVFormatWarning(const char *format, va_list arguments);\n"
    "_Noreturn void ModelicaError(const char *text);\n"
    "_Noreturn void ModelicaFormatError(const char *format, ...);\n"
    "_Noreturn void ModelicaVFormatError(const char *format, va_list arguments);\n"
    "char *ModelicaAllocateString(size_t length);\n"
    "char *ModelicaAllocateStringWithErrorReturn(size_t length);\n"
    "char *ModelicaDuplicateString(const char *text);\n"
    "char *ModelicaDuplicateStringWithErrorReturn(const char *text);\n"
    "#endif\n";

// Errors go back to the entry. Calls are made one at a time, so that one place to go back to is
// enough.
static const char prelude[] =
    "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include \"ModelicaUtilities.h\"\n"
    "static jmp_buf foliot_jump;\nchar foliot_said[300];\n"
    "void ModelicaMessage(const char *text) { fputs(text, stderr); }\n"
    "void ModelicaVFormatMessage(const char *f, va_list a) { vfprintf(stderr, f, a); }\n"
    "void ModelicaFormatMessage(const char *f, ...)\n"
    "{ va_list a; va_start(a, f); vfprintf(stderr, f, a); va_end(a); }\n"
    "void ModelicaWarning(const char *text) { fputs(text, stderr); }\n"
    "void ModelicaVFormatWarning(const char *f, va_list a) { vfprintf(stderr, f, a); }\n"
    "void ModelicaFormatWarning(const char *f, ...)\n"
    "{ va_list a; va_start(a, f); vfprintf(stderr, f, a); va_end(a); }\n"
    "_Noreturn void ModelicaVFormatError(const char *f, va_list a)\n"
    "{ vsnprintf(foliot_said, sizeof foliot_said, f, a); longjmp(foliot_jump, 1); }\n"
    "_Noreturn void ModelicaFormatError(const char *f, ...)\n"
    "{ va_list a; va_start(a, f); ModelicaVFormatError(f, a); }\n"
    "_Noreturn void ModelicaError(const char *text) { ModelicaFormatError(\"%s\", text); }\n"
    "char *ModelicaAllocateStringWithErrorReturn(size_t n) { return calloc(n + 1, 1); }\n"
    "char *ModelicaAllocateString(size_t n)\n"
    "{ char *s = calloc(n + 1, 1); if (!s) ModelicaError(\"no memory\"); return s; }\n"
    "char *ModelicaDuplicateStringWithErrorReturn(const char *text)\n"
    "{ char *s = calloc(strlen(text) + 1, 1); return s ? strcpy(s, text) : s; }\n"
    "char *ModelicaDuplicateString(const char *text)\n"
    "{ return strcpy(ModelicaAllocateString(strlen(text)), text); }\n"
    "static inline int foliot_int(double x)\n"
    "{ if (!(x >= -2147483648.0 && x <= 2147483647.0))\n"
    "      ModelicaFormatError(\"%g is no int of C\", x);\n  return (int)x; }\n";

static bool is_pending(const foi_special *f)
{
    return f->function->outside && f->made && !f->function->ready;
}

static foi_c_unit *compile(foi_outside_unit *u, fo_message *why)
{
    foi_flat_writer all = {0};
    foi_flat_write(&all, "%s", prelude);
    // so that the compiler speaks of the lines of the text
    for (uint32_t i = 0; i < u->include_count; i++) {
        const foi_source *source = &u->s->sources[u->places[i].file];
        foi_flat_write(&all, "#line %u \"", u->places[i].line);
        for (const char *c = source->name; *c; c++)
            foi_flat_write(&all, *c == '"' || *c == '\\' || *c == '\n' ? "?" : "%c", *c);
        foi_flat_write(&all, "\"\n%s\n", u->includes[i]);
    }
    foi_flat_write(&all, "#line 1 \"call of external code\"\n%s", u->out.text ? u->out.text : "");
    const char **slot = foi_arena_add(&u->s->arena, &u->folders, &u->folder_count, sizeof *slot);
    const char **last = foi_arena_add(&u->s->arena, &u->link, &u->link_count, sizeof *last);
    if (slot) *slot = NULL;
    if (last) *last = NULL;
    foi_c_unit_def def = {.source = all.text,
                          .header_name = "ModelicaUtilities.h",
                          .header = utilities,
                          .include_folders = u->folders,
                          .link = u->link};
    foi_c_unit *made = NULL;
    if (slot && last && !all.failed && !u->out.failed) made = foi_c_unit_load(&def, why);
    foi_free(NULL, all.text);
    return made;
}

static bool load(foi_outside_unit *u)
{
    foi_session *s = u->s;
    foi_outside *o = s->flat->outside;
    const foi_special *first = NULL;
    for (uint32_t i = s->special_count; i-- > 0;)
        if (is_pending(s->specials[i])) first = s->specials[i];
    foi_c_unit **slot = foi_arena_add(&s->flat->arena, &o->units, &o->unit_count, sizeof *slot);
    fo_message why = {0};
    if (!slot) return false;
    *slot = NULL;
    if (!(*slot = compile(u, &why)))
        return foi_error(s, foi_external_of(first->c)->place,
                         "external code for '%s' cannot be used: %s", foi_class_path(s, first->c),
                         why.text);
    for (uint32_t i = 0; i < s->special_count; i++) {
        foi_special *f = s->specials[i];
        if (!is_pending(f)) continue;
        foi_outside_function *to = o->functions[f->function->outside_number];
        char name[40];
        snprintf(name, sizeof name, "foliot_entry_%u", f->function->outside_number);
        to->entry = (foi_outside_entry *)(uintptr_t)foi_c_unit_symbol(*slot, name);
        to->said = foi_c_unit_symbol(*slot, "foliot_said");
        f->function->ready = to->entry && to->said;
        if (!f->function->ready)
            return foi_error(s, f->c->place, "'%s' was not found in the compiled code", f->c->name);
    }
    return true;
}

bool foi_outside_compile(foi_session *s)
{
    foi_outside_unit u = {.s = s};
    bool any = false, right = true;
    for (uint32_t i = 0; right && i < s->special_count; i++) {
        if (!is_pending(s->specials[i])) continue;
        any = true;
        right = foi_outside_write_entry(&u, s->specials[i]);
    }
    right = right && (!any || load(&u));
    foi_free(NULL, u.out.text);
    return right;
}

bool foi_outside_declare(foi_session *s, foi_special *f)
{
    const foi_external *e = foi_external_of(f->c);
    foi_flat_function *function = f->function;
    foi_outside *o = outside_of(s);
    foi_outside_function *to = foi_arena_new(&s->flat->arena, 1, sizeof *to);
    foi_outside_function **slot =
        o ? foi_arena_add(&s->flat->arena, &o->functions, &o->function_count, sizeof *slot) : NULL;
    bool *objects = foi_arena_new(&s->flat->arena, function->input_count + 1u, sizeof *objects);
    if (!to || !slot || !objects) return false;
    foi_own_function *own = foi_own_of(e->name);
    if (e->language && strcmp(e->language, "C") != 0)
        return foi_error(s, e->place, "external code in \"%s\" is not supported: only \"C\" is",
                         e->language);
    if (function->input_count + function->output_count > MOST_SCALARS)
        return foi_error(s, e->place, "more than %d numbers cannot be passed to '%s'", MOST_SCALARS,
                         f->c->name);
    for (uint32_t i = 0; i < f->c->member_count; i++) {
        foi_component *c = &f->instance->components[i];
        if (c->member->declaration->causality != FOI_INPUT || !c->elements) continue;
        for (uint32_t k = 0; k < c->count; k++)
            if (foi_is_object(c->elements[k]->c))
                objects[c->elements[k]->components[0].variables[0]->index] = true;
    }
    *to = (foi_outside_function){.name = function->name,
                                 .inputs = function->input_count,
                                 .outputs = function->output_count,
                                 .is_object = own ? NULL : objects,
                                 .own = own};
    *slot = to;
    function->ready = own;
    function->outside = true, function->outside_number = o->function_count - 1;
    function->outside_in = o;
    function->locals = f->frame.locals, function->local_count = f->frame.count;
    return true;
}

static bool add_operation(foi_session *s, foi_flat_function *function, foi_own_function *own,
                          const foi_flat_function *body)
{
    foi_outside *o = outside_of(s);
    foi_outside_function *to = foi_arena_new(&s->flat->arena, 1, sizeof *to);
    foi_outside_function **slot =
        o ? foi_arena_add(&s->flat->arena, &o->functions, &o->function_count, sizeof *slot) : NULL;
    if (!to || !slot) return false;
    *to = (foi_outside_function){.name = function->name,
                                 .inputs = function->input_count,
                                 .outputs = function->output_count,
                                 .own = own,
                                 .body = body};
    *slot = to;
    function->outside_number = o->function_count - 1, function->outside_in = o;
    return true;
}

// Beside that which is exact.
static bool add_pace(foi_session *s, foi_flat_function *f)
{
    foi_flat_known *known = f->stayed;
    foi_flat_function *pace = foi_arena_new(&s->flat->arena, 1, sizeof *pace);
    if (!pace) return false;
    *pace = *known->derivatives[0].function;
    pace->index = s->special_count + s->rate_count++;
    known->derivatives[1] = known->derivatives[0];
    known->derivatives[1].function = pace, known->derivatives[1].rough = true;
    known->derivative_count = 2;
    return add_operation(s, pace, foi_kept_pace, f);
}

// The derivative of a function that stays: a function with all inputs and the derivatives of those
// that are Real. Of one that searches there are two: one that is exact, where there is one, and
// one for Newton's method.
static bool add_rate(foi_session *s, foi_flat_function *f)
{
    foi_arena *a = &s->flat->arena;
    foi_flat_function *rate = foi_arena_new(a, 1, sizeof *rate);
    foi_flat_known *known = foi_arena_new(a, 1, sizeof *known);
    foi_flat_derivative *d = foi_arena_new(a, 2, sizeof *d);
    uint32_t all = f->local_count, *of = foi_arena_new(a, all, sizeof *of);
    uint32_t *result = foi_arena_new(a, all, sizeof *result);
    bool *needed = foi_arena_new(a, all, sizeof *needed), *none = foi_arena_new(a, all, 1);
    foi_flat_variable **locals = foi_arena_new(a, 2 * (size_t)all, sizeof *locals);
    if (!rate || !known || !d || !of || !result || !needed || !none || !locals) return false;
    *d = (foi_flat_derivative){.function = rate, .order = 1, .of = of, .still = none};
    uint32_t outputs = 0;
    for (uint32_t i = 0; i < f->input_count; i++) {
        locals[i] = f->locals[i], needed[i] = f->locals[i]->type == FOI_REAL;
        if (needed[i]) locals[f->input_count + d->count] = f->locals[i], of[d->count++] = i;
    }
    for (uint32_t i = 0; i < f->output_count; i++) {
        bool real = f->locals[f->input_count + i]->type == FOI_REAL;
        if (real) locals[f->input_count + d->count + outputs] = f->locals[f->input_count + i];
        result[i] = real ? outputs++ : UINT32_MAX;
    }
    d->result = result;
    *rate = (foi_flat_function){.name = f->name, .index = s->special_count + s->rate_count++};
    rate->input_count = f->input_count + d->count, rate->output_count = outputs;
    rate->local_count = rate->input_count + outputs, rate->locals = locals;
    rate->ready = rate->outside = true, rate->place = f->place;
    *known = (foi_flat_known){.derivatives = d, .derivative_count = 1, .needed = needed};
    known->ignored = none;
    if (!d->count || !outputs) return true;
    f->stayed = known;
    return add_operation(s, rate, foi_kept_rate, f) && (!f->no_rate || add_pace(s, f));
}

// Functions that could stay functions are known, too: whether they do is decided when the model
// is written out.
bool foi_outside_keep(foi_session *s)
{
    for (uint32_t i = 0; i < s->flat->function_count; i++) {
        foi_flat_function *f = s->flat->functions[i];
        if (f->outside || !foi_may_stay(f)) continue;
        f->may_stay = true;
        if (!foi_kept_compile(&s->flat->arena, f) || !add_operation(s, f, foi_kept_call, f) ||
            !add_rate(s, f))
            return false;
    }
    return true;
}

// --------------------------------------------------------------------------------------- objects

static bool known_arguments(foi_session *s, const foi_ast *e, const foi_class *c,
                            const foi_flat_call *call, double *in)
{
    for (uint32_t i = 0; i < call->function->input_count; i++) {
        const foi_flat_expr *a = call->arguments[i];
        bool known;
        if (a->type == FOI_STRING) {
            uint32_t text =
                a->op == FOI_OP_STRING ? foi_outside_text(s->flat->outside, a->text) : FOI_NO_TEXT;
            known = text != FOI_NO_TEXT, in[i] = text;
        } else {
            known = foi_known(s, a, true, &in[i]);
        }
        if (!known)
            return foi_error(
                s, e->place,
                "what the external object '%s' is made of must be known before the run", c->name);
    }
    return true;
}

// An object is the same where the same text makes it in the same instance with the same values.
static bool find_object(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t make,
                        const double *in, uint32_t count, uint32_t *number)
{
    for (uint32_t i = 0; i < s->object_count; i++) {
        const foi_outside_object *o = s->flat->outside->objects[i];
        if (s->objects[i].e != e || s->objects[i].self != ctx->self || o->make != make) continue;
        if (count && memcmp(o->in, in, count * sizeof *in) != 0) continue;
        return *number = i, true;
    }
    return false;
}

static bool number_value(foi_session *s, foi_class *c, uint32_t number, foi_value *value)
{
    foi_value *field = foi_arena_new(&s->arena, 1, sizeof *field);
    if (!field || !(*field = foi_scalar(foi_flat_integer(s->flat, number))).one) return false;
    *value = (foi_value){.record = c, .count = 1, .fields = field};
    return true;
}

static bool add_object(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                       uint32_t make, double *in, uint32_t count)
{
    foi_outside *o = s->flat->outside;
    foi_class *end = foi_find_in_class(s, c, foi_name(s, "destructor"));
    foi_outside_object *object = foi_arena_new(&s->flat->arena, 1, sizeof *object);
    const foi_value *results;
    uint32_t result_count;
    foi_value value;
    if (!end || end->kind != FOI_CLASS_FUNCTION)
        return foi_error(s, c->place, "the external object '%s' needs a function 'destructor'",
                         c->name);
    if (!object || !foi_analyse(s, end) || !foi_external_of(end) ||
        !number_value(s, c, o->object_count, &value) ||
        !foi_call_values(s, ctx, e->place, end, &value, 1, &results, &result_count))
        return false;
    const foi_special *last = NULL;
    for (uint32_t i = s->special_count; i-- > 0;)
        if (s->specials[i]->c == end) last = s->specials[i];
    in[count] = o->object_count;
    const char *name = ctx->self && *ctx->self->name ? ctx->self->name : c->name;
    *object =
        (foi_outside_object){.make = make, .destroy = last->function->outside_number, .in = in};
    object->name = foi_arena_text(&s->flat->arena, name, strlen(name));
    foi_outside_object **slot =
        foi_arena_add(&s->flat->arena, &o->objects, &o->object_count, sizeof *slot);
    if (slot) *slot = object;
    uint32_t handle_count = o->object_count - 1;
    void **handle =
        slot ? foi_arena_add(&s->flat->arena, &o->handles, &handle_count, sizeof *handle) : NULL;
    struct foi_made_object *made =
        handle ? foi_arena_add(&s->arena, &s->objects, &s->object_count, sizeof *made) : NULL;
    if (!made || !object->name) return false;
    *handle = NULL;
    *made = (struct foi_made_object){e, ctx->self};
    return true;
}

bool foi_make_object(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                     foi_value *value)
{
    foi_class *begin = foi_find_in_class(s, c, foi_name(s, "constructor"));
    const foi_value *results;
    uint32_t count, number;
    if (!begin || !foi_call_function(s, ctx, e, begin, NULL, &results, &count)) return false;
    if (count != 1 || results[0].record != c || results[0].rank ||
        results[0].fields[0].one->op != FOI_OP_RESULT)
        return foi_error(s, begin->place,
                         "the constructor of '%s' must be external code that gives "
                         "one '%s'",
                         c->name, c->name);
    const foi_flat_call *call = results[0].fields[0].one->call;
    uint32_t inputs = call->function->input_count, make = call->function->outside_number;
    double *in = foi_arena_new(&s->flat->arena, inputs + 1u, sizeof *in);
    if (!in || !known_arguments(s, e, c, call, in)) return false;
    if (!find_object(s, ctx, e, make, in, inputs, &number)) {
        number = s->object_count;
        if (!add_object(s, ctx, e, c, make, in, inputs)) return false;
    }
    return number_value(s, c, number, value);
}

#else

bool foi_outside_compile(foi_session *s)
{
    (void)s;
    return true;
}

bool foi_outside_keep(foi_session *s)
{
    (void)s;
    return true;
}

bool foi_outside_declare(foi_session *s, foi_special *f)
{
    return foi_error(s, f->c->place, "external code cannot be compiled here");
}

bool foi_make_object(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                     foi_value *value)
{
    (void)ctx, (void)value;
    return foi_error(s, e->place, "the external object '%s' cannot be made here", c->name);
}

#endif
