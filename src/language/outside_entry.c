/// The entry of an external function: C that calls it with the language's values, numbers in and
/// numbers out (equations/outside.h).
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "language/outside.h"

#if defined(__unix__) && !defined(__wasm__)

/// One entry while it is written: what stands before the call, its arguments, and what follows.
typedef struct entry {
    foi_outside_unit *u;
    foi_special *f;
    foi_flat_writer before, call, prototype, after;
    uint32_t temporaries, arguments;
} entry;

static const char *word_of(foi_flat_type type)
{
    return type == FOI_REAL ? "double" : type == FOI_STRING ? "const char *" : "int";
}

// Where a scalar of a component lies: among the inputs, or among the outputs.
static bool is_in(const entry *x, const foi_flat_variable *v)
{
    return v->index < x->f->function->input_count;
}

static void write_in(foi_flat_writer *w, const foi_flat_variable *v, const foi_class *object)
{
    if (object)
        foi_flat_write(w, "objects[(size_t)in[%u]]", v->index);
    else if (v->type == FOI_REAL)
        foi_flat_write(w, "in[%u]", v->index);
    else if (v->type == FOI_STRING)
        foi_flat_write(w, "texts[(size_t)in[%u]]", v->index);
    else
        foi_flat_write(w, "foliot_int(in[%u])", v->index);
}

static void write_out(entry *x, const foi_flat_variable *v, const char *value)
{
    uint32_t index = v->index - x->f->function->input_count;
    if (index >= x->f->function->output_count) return; // a variable of the function alone
    foi_flat_write(&x->after, "    out[%u] = %s%s;\n", index, v->type == FOI_BOOLEAN ? "0 != " : "",
                   value);
}

static void begin_argument(entry *x)
{
    if (x->arguments++) foi_flat_write(&x->call, ", "), foi_flat_write(&x->prototype, ", ");
}

// A value of a variable of the function that is neither input nor output.
static bool local_value(entry *x, foi_component *c, double *value, bool *known)
{
    foi_session *s = x->u->s;
    bool found;
    foi_value v;
    foi_place place;
    *known = false, *value = 0;
    if (c->rank || !foi_binding_value(s, c, &found, &v, &place)) return true;
    if (!found || v.rank || v.record) return true;
    *known = foi_known(s, v.one, false, value);
    if (*known) return true;
    return foi_error(s, place, "'%s' is passed to C: its value must be known before the run",
                     c->name);
}

static bool pass_array(entry *x, foi_component *c)
{
    uint32_t k = x->temporaries++, n = c->count;
    foi_flat_type type = c->variables && n ? c->variables[0]->type : c->type->type;
    const char *word = word_of(type);
    bool input = n && is_in(x, c->variables[0]);
    foi_flat_write(&x->before, "    %s a%u[%u];\n", word, k, n + 1);
    foi_flat_write(&x->before, "    memset(a%u, 0, sizeof a%u);\n", k, k);
    if (n) { // the elements of an array stand one after the other
        const char *from = type == FOI_REAL     ? ""
                           : type == FOI_STRING ? "texts[(size_t)"
                                                : "foliot_int(";
        const char *end = type == FOI_REAL ? "" : type == FOI_STRING ? "]" : ")";
        uint32_t at = c->variables[0]->index, inputs = x->f->function->input_count;
        if (input)
            foi_flat_write(&x->before,
                           "    for (size_t i = 0; i < %u; i++) a%u[i] = %sin[%u + i]%s;\n", n, k,
                           from, at, end);
        else if (at - inputs < x->f->function->output_count)
            foi_flat_write(&x->after,
                           "    for (size_t i = 0; i < %u; i++) out[%u + i] = %sa%u[i];\n", n,
                           at - inputs, type == FOI_BOOLEAN ? "0 != " : "", k);
    }
    foi_flat_write(&x->call, "a%u", k);
    foi_flat_write(&x->prototype, "%s%s *", input && type != FOI_STRING ? "const " : "", word);
    return true;
}

// The fields of a record, as a struct of C; `format` reaches the record.
static bool write_fields(entry *x, foi_instance *in, const char *path, foi_flat_writer *shape)
{
    foi_session *s = x->u->s;
    for (uint32_t i = 0; i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        if (!foi_size(s, c)) return false;
        const char *name = c->member->declaration->name;
        const char *way = foi_arena_print(&s->arena, "%s.%s", path, name);
        if (!way) return false;
        if (c->rank)
            return foi_error(s, c->member->declaration->place,
                             "a record with arrays has no form in C: '%s'", name);
        if (c->elements && !foi_is_object(c->elements[0]->c)) {
            foi_flat_write(shape, "struct { ");
            if (!write_fields(x, c->elements[0], way, shape)) return false;
            foi_flat_write(shape, "} %s; ", name);
            continue;
        }
        if (!c->variables)
            return foi_error(s, c->member->declaration->place, "'%s' has no form in C", name);
        const foi_flat_variable *v = c->variables[0];
        foi_flat_write(shape, "%s %s; ", word_of(v->type), name);
        if (is_in(x, v)) {
            foi_flat_write(&x->before, "    %s = ", way);
            write_in(&x->before, v, NULL);
            foi_flat_write(&x->before, ";\n");
        } else {
            uint32_t index = v->index - x->f->function->input_count;
            if (index < x->f->function->output_count)
                foi_flat_write(&x->after, "    out[%u] = %s;\n", index, way);
        }
    }
    return true;
}

// Declares a struct with the fields of the record; its name is a<number>.
static bool declare_record(entry *x, foi_component *c, uint32_t *number)
{
    foi_flat_writer shape = {.allocator = x->before.allocator}, rest = x->before;
    *number = x->temporaries++;
    const char *path = foi_arena_print(&x->u->s->arena, "a%u", *number);
    x->before = (foi_flat_writer){.allocator = rest.allocator};
    bool right = path && write_fields(x, c->elements[0], path, &shape);
    foi_flat_write(&rest, "    struct { %s} a%u;\n    memset(&a%u, 0, sizeof a%u);\n%s",
                   shape.text ? shape.text : "", *number, *number, *number,
                   x->before.text ? x->before.text : "");
    foi_free(shape.allocator, shape.text);
    foi_free(rest.allocator, x->before.text);
    x->before = rest;
    return right;
}

static bool pass_record(entry *x, foi_component *c)
{
    uint32_t k;
    if (c->rank)
        return foi_error(x->u->s, c->member->declaration->place,
                         "an array of records has no form in C: '%s'", c->name);
    if (!declare_record(x, c, &k)) return false;
    foi_flat_write(&x->call, "(void *)&a%u", k);
    foi_flat_write(&x->prototype, "void *");
    return true;
}

static bool pass_output(entry *x, foi_component *c)
{
    const foi_flat_variable *v = c->variables[0];
    uint32_t k = x->temporaries++;
    double value;
    bool known;
    if (v->index >= x->f->function->input_count + x->f->function->output_count) {
        if (!local_value(x, c, &value, &known)) return false;
        foi_flat_write(&x->before, "    %s a%u = %.17g;\n", word_of(v->type), k, value);
        foi_flat_write(&x->call, known ? "a%u" : "&a%u", k);
        foi_flat_write(&x->prototype, known ? "%s" : "%s *", word_of(v->type));
        return true;
    }
    foi_flat_write(&x->before, "    %s a%u = 0;\n", word_of(v->type), k);
    char name[24];
    snprintf(name, sizeof name, "a%u", k);
    write_out(x, v, name);
    foi_flat_write(&x->call, "&a%u", k);
    foi_flat_write(&x->prototype, "%s *", word_of(v->type));
    return true;
}

static bool is_for_c(foi_session *s, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    return !foi_is_handed_over(c) ||
           foi_error(s, d->place, "'%s' is a function, which C does not take", d->name);
}

static bool pass_component(entry *x, foi_component *c)
{
    foi_session *s = x->u->s;
    if (!is_for_c(s, c) || !foi_size(s, c)) return false;
    begin_argument(x);
    if (c->elements && c->count == 1 && foi_is_object(c->elements[0]->c)) {
        write_in(&x->call, c->elements[0]->components[0].variables[0], c->elements[0]->c);
        foi_flat_write(&x->prototype, "void *");
        return true;
    }
    if (c->elements || !c->type->builtin) return pass_record(x, c);
    bool output = c->member->declaration->causality == FOI_OUTPUT;
    if (c->type->type == FOI_STRING && output)
        return foi_error(s, c->member->declaration->place,
                         "external code that gives a String is not supported: '%s'", c->name);
    if (c->rank) return pass_array(x, c);
    if (!is_in(x, c->variables[0])) return pass_output(x, c);
    write_in(&x->call, c->variables[0], NULL);
    foi_flat_write(&x->prototype, "%s", word_of(c->variables[0]->type));
    return true;
}

// size(a, 1), a number, or an element of an input.
static bool pass_value(entry *x, const foi_context *ctx, const foi_ast *e)
{
    foi_session *s = x->u->s;
    foi_value v;
    double value;
    if (!foi_expand(s, ctx, e, &v)) return false;
    begin_argument(x);
    if (v.record || v.rank) return foi_error(s, e->place, "C takes this as a whole variable only");
    if (v.type == FOI_STRING && v.one->op == FOI_OP_STRING) {
        uint32_t text = foi_outside_text(s->flat->outside, v.one->text);
        foi_flat_write(&x->call, "texts[%u]", text);
        foi_flat_write(&x->prototype, "const char *");
        return text != FOI_NO_TEXT;
    }
    bool variable = v.one->op == FOI_OP_VARIABLE && v.one->variable->local;
    if (variable && is_in(x, v.one->variable)) {
        write_in(&x->call, v.one->variable, NULL);
        foi_flat_write(&x->prototype, "%s", word_of(v.type));
        return true;
    }
    if (!foi_known(s, v.one, true, &value))
        return foi_error(s, e->place,
                         "C takes variables of the function, sizes and numbers, not this");
    bool size = e->kind == FOI_AST_CALL;
    foi_flat_write(&x->call, v.type == FOI_REAL ? "%.17g" : size ? "(size_t)%.0f" : "%.0f", value);
    foi_flat_write(&x->prototype, "%s", size ? "size_t" : word_of(v.type));
    return true;
}

static foi_component *component_of(entry *x, const foi_ast *e)
{
    if (e->kind != FOI_AST_REF || e->ref->count != 1 || e->ref->parts[0].count) return NULL;
    return foi_component_of(x->f->instance, e->ref->parts[0].name);
}

// Without a call all variables in their order, each array followed by its sizes.
static bool pass_all(entry *x, const foi_component *result)
{
    foi_instance *in = x->f->instance;
    for (uint32_t i = 0; i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        foi_causality causality = c->member->declaration->causality;
        if (c == result || (causality != FOI_INPUT && causality != FOI_OUTPUT)) continue;
        if (!pass_component(x, c)) return false;
        for (uint32_t k = 0; k < c->rank; k++) {
            begin_argument(x);
            foi_flat_write(&x->call, "(size_t)%u", c->dims[k]);
            foi_flat_write(&x->prototype, "size_t");
        }
    }
    return true;
}

static bool pass_written(entry *x, const foi_ast *call)
{
    foi_context ctx = {.self = x->f->instance, .lexical = x->f->c, .frame = &x->f->frame};
    for (uint32_t i = 0; i < call->count; i++) {
        foi_component *c = component_of(x, call->items[i]);
        if (!(c ? pass_component(x, c) : pass_value(x, &ctx, call->items[i]))) return false;
    }
    return true;
}

// The variable that takes what the C function returns; NULL: it returns nothing that is taken.
static foi_component *result_of(entry *x, const foi_external *e)
{
    foi_instance *in = x->f->instance;
    foi_component *only = NULL;
    if (e->call || e->result) return e->result ? component_of(x, e->result) : NULL;
    for (uint32_t i = 0; i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        if (c->member->declaration->causality != FOI_OUTPUT) continue;
        if (only || c->rank) return NULL;
        only = c;
    }
    return only;
}

// What the returned value becomes, written before the call; its type is for the prototype.
static bool take_result(entry *x, foi_component *c, bool includes, const char **type)
{
    foi_session *s = x->u->s;
    *type = "void";
    if (!c) return true;
    if (!is_for_c(s, c) || !foi_size(s, c)) return false;
    if (c->elements && c->count == 1 && foi_is_object(c->elements[0]->c)) {
        foi_flat_write(&x->before, "    objects[(size_t)in[%u]] = ", x->f->function->input_count);
        *type = "void *";
        return true;
    }
    if (c->rank || (c->type->builtin && c->type->type == FOI_STRING))
        return foi_error(s, c->member->declaration->place,
                         "external code that returns %s is not supported: '%s'",
                         c->rank ? "an array" : "a String", c->name);
    if (c->elements) {
        uint32_t k;
        if (!includes)
            return foi_error(s, c->member->declaration->place,
                             "external code that returns a record needs a header: Include");
        if (!declare_record(x, c, &k)) return false;
        foi_flat_write(&x->after, "    _Static_assert(sizeof a%u == sizeof y, \"the record\");\n",
                       k);
        foi_flat_writer rest = x->after; // the record is filled before its fields are read
        x->after = (foi_flat_writer){.allocator = rest.allocator};
        foi_flat_write(&x->after, "    memcpy(&a%u, &y, sizeof y);\n%s", k,
                       rest.text ? rest.text : "");
        foi_free(rest.allocator, rest.text);
        foi_flat_write(&x->before, "    __auto_type y = ");
        return true;
    }
    *type = word_of(c->variables[0]->type);
    foi_flat_write(&x->before, "    %s y = ", *type);
    write_out(x, c->variables[0], "y");
    return true;
}

static bool write_entry(entry *x)
{
    foi_outside_unit *u = x->u;
    const foi_external *e = foi_external_of(x->f->c);
    const char *type;
    bool includes;
    if (!foi_outside_annotation(u, x->f->c, &includes)) return false;
    foi_component *result = result_of(x, e);
    if (e->result && !result)
        return foi_error(u->s, e->place, "the result of external code must be an output");
    if (!(e->call ? pass_written(x, e->call) : pass_all(x, result))) return false;
    if (!take_result(x, result, includes, &type)) return false;
    if (!includes)
        foi_flat_write(&u->out, "extern %s %s(%s);\n", type, e->name,
                       x->arguments ? x->prototype.text : "void");
    foi_flat_write(&u->out,
                   "int foliot_entry_%u(void **objects, const char *const *texts, const double "
                   "*in, double *out)\n{\n    if (setjmp(foliot_jump)) return 1;\n"
                   "    (void)objects, (void)texts, (void)in, (void)out;\n%s",
                   x->f->function->outside_number, x->before.text ? x->before.text : "");
    if (!result) foi_flat_write(&u->out, "    ");
    foi_flat_write(&u->out, "%s(%s);\n%s    return 0;\n}\n\n", e->name,
                   x->call.text ? x->call.text : "", x->after.text ? x->after.text : "");
    return true;
}

bool foi_outside_write_entry(foi_outside_unit *u, foi_special *f)
{
    entry x = {.u = u, .f = f};
    bool right = write_entry(&x);
    right = right && !x.before.failed && !x.call.failed && !x.prototype.failed && !x.after.failed;
    foi_free(NULL, x.before.text);
    foi_free(NULL, x.call.text);
    foi_free(NULL, x.prototype.text);
    foi_free(NULL, x.after.text);
    return right;
}

#endif
