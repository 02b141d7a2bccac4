/// The flat model as text.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/decimal.h"
#include "equations/flat.h"

void foi_flat_write(foi_flat_writer *writer, const char *format, ...)
{
    if (writer->failed || (writer->go_on && !writer->go_on(writer->go_on_self))) {
        writer->failed = true;
        return;
    }
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t room = writer->room - writer->length; // it mostly is enough
    int length = vsnprintf(room ? writer->text + writer->length : NULL, room, format, arguments);
    size_t end = writer->length + (length < 0 ? 0 : (size_t)length);
    writer->exceeded |= writer->most && end > writer->most;
    if (length < 0 || writer->exceeded ||
        !foi_array_room(writer->allocator, &writer->text, &writer->room, end + 1, 1)) {
        writer->failed = true;
    } else {
        if ((size_t)length >= room)
            vsnprintf(writer->text + writer->length, (size_t)length + 1, format, again);
        writer->length = end;
    }
    va_end(again);
    va_end(arguments);
}

static const char *const type_names[] = {"Real", "Integer", "Boolean", "String"};

// How tightly an operation binds; what binds less is put in brackets.
enum { LOOSEST, BINDS_OR, BINDS_AND, BINDS_NOT, BINDS_RELATION, BINDS_ADD, BINDS_MUL, BINDS_POWER };

static int binds(const foi_flat_expr *e)
{
    switch (e->op) {
    case FOI_OP_IF: return LOOSEST;
    case FOI_OP_OR: return BINDS_OR;
    case FOI_OP_AND: return BINDS_AND;
    case FOI_OP_NOT: return BINDS_NOT;
    case FOI_OP_LESS:
    case FOI_OP_LESS_EQUAL:
    case FOI_OP_GREATER:
    case FOI_OP_GREATER_EQUAL:
    case FOI_OP_EQUAL:
    case FOI_OP_NOT_EQUAL: return BINDS_RELATION;
    case FOI_OP_NEGATE:
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: return BINDS_ADD;
    case FOI_OP_MULTIPLY:
    case FOI_OP_DIVIDE: return BINDS_MUL;
    case FOI_OP_POWER: return BINDS_POWER;
    case FOI_OP_LITERAL: return e->number < 0 ? BINDS_ADD : BINDS_POWER + 1;
    default: return BINDS_POWER + 1;
    }
}

static void print_expr(const foi_flat_expr *e, int around, foi_flat_writer *w);

static void print_list(const foi_flat_expr *const *list, uint32_t count, foi_flat_writer *w)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) foi_flat_write(w, ", ");
        print_expr(list[i], LOOSEST, w);
    }
}

static void print_literal(const foi_flat_expr *e, foi_flat_writer *w)
{
    char text[32];
    if (e->type == FOI_BOOLEAN) {
        foi_flat_write(w, e->number ? "true" : "false");
        return;
    }
    foi_number_text(e->number, text);
    bool whole = e->type == FOI_REAL && !strpbrk(text, ".en");
    foi_flat_write(w, whole ? "%s.0" : "%s", text);
}

static void print_operation(const foi_flat_expr *e, foi_flat_writer *w)
{
    static const char *const signs[] = {
        [FOI_OP_ADD] = " + ",
        [FOI_OP_SUBTRACT] = " - ",
        [FOI_OP_MULTIPLY] = "*",
        [FOI_OP_DIVIDE] = "/",
        [FOI_OP_POWER] = "^",
        [FOI_OP_AND] = " and ",
        [FOI_OP_OR] = " or ",
        [FOI_OP_LESS] = " < ",
        [FOI_OP_LESS_EQUAL] = " <= ",
        [FOI_OP_EQUAL] = " == ",
        [FOI_OP_NOT_EQUAL] = " <> ",
        [FOI_OP_GREATER] = " > ",
        [FOI_OP_GREATER_EQUAL] = " >= ",
    };
    int here = binds(e);
    // left-associative: the right side needs brackets when it binds as this; powers both
    print_expr(e->arguments[0], here + (here == BINDS_POWER || here == BINDS_RELATION), w);
    foi_flat_write(w, "%s", signs[e->op]);
    print_expr(e->arguments[1], here + (e->op != FOI_OP_AND && e->op != FOI_OP_OR), w);
}

static void print_inside(const foi_flat_expr *e, foi_flat_writer *w)
{
    switch (e->op) {
    case FOI_OP_LITERAL: print_literal(e, w); break;
    case FOI_OP_STRING: foi_flat_write(w, "\"%s\"", e->text); break;
    case FOI_OP_VARIABLE: foi_flat_write(w, "%s", e->variable->name); break;
    case FOI_OP_TIME: foi_flat_write(w, "time"); break;
    case FOI_OP_ELEMENT:
        foi_flat_write(w, "%s[", e->array->name);
        print_list(e->arguments, e->count, w);
        foi_flat_write(w, "]");
        break;
    case FOI_OP_NEGATE:
        foi_flat_write(w, "-");
        print_expr(e->arguments[0], BINDS_MUL, w);
        break;
    case FOI_OP_NOT:
        foi_flat_write(w, "not ");
        print_expr(e->arguments[0], BINDS_NOT, w);
        break;
    case FOI_OP_IF:
        foi_flat_write(w, "if ");
        print_expr(e->arguments[0], BINDS_OR, w);
        foi_flat_write(w, " then ");
        print_expr(e->arguments[1], BINDS_OR, w);
        foi_flat_write(w, " else ");
        print_expr(e->arguments[2], LOOSEST, w);
        break;
    case FOI_OP_CALL:
        foi_flat_write(w, "%s(", foi_flat_builtin_name(e->builtin));
        if (e->builtin == FOI_FN_ALONG || e->builtin == FOI_FN_AMONG)
            print_expr(e->arguments[0], LOOSEST, w); // the other one is an address
        else
            print_list(e->arguments, e->count, w);
        foi_flat_write(w, ")");
        break;
    case FOI_OP_RESULT:
        foi_flat_write(w, "%s(", e->call->function->name);
        print_list(e->call->arguments, e->call->function->input_count, w);
        foi_flat_write(w, e->call->function->output_count > 1 ? ").%u" : ")", e->result + 1);
        break;
    default: print_operation(e, w); break;
    }
}

static void print_expr(const foi_flat_expr *e, int around, foi_flat_writer *w)
{
    if (w->failed) return;
    bool brackets = binds(e) < around;
    if (brackets) foi_flat_write(w, "(");
    print_inside(e, w);
    if (brackets) foi_flat_write(w, ")");
}

void foi_flat_print_expr(const foi_flat_expr *e, foi_flat_writer *writer)
{
    print_expr(e, LOOSEST, writer);
}

static void print_attribute(const char *name, const foi_flat_expr *e, const char **between,
                            foi_flat_writer *w)
{
    if (!e) return;
    foi_flat_write(w, "%s%s = ", *between, name);
    print_expr(e, LOOSEST, w);
    *between = ", ";
}

static void print_word(const char *name, const char *text, const char **between, foi_flat_writer *w)
{
    if (!text) return;
    foi_flat_write(w, "%s%s = \"%s\"", *between, name, text);
    *between = ", ";
}

static void print_variable(const foi_flat_variable *v, foi_flat_writer *w)
{
    static const char *const variabilities[] = {"constant ", "parameter ", "discrete ", ""};
    static const char *const causalities[] = {"", "input ", "output "};
    static const char *const selects[] = {NULL, "never", "avoid", "prefer", "always"};
    bool plain = v->variability == FOI_DISCRETE && v->type != FOI_REAL;
    foi_flat_write(w, "  %s%s%s %s", causalities[v->causality],
                   plain ? "" : variabilities[v->variability], type_names[v->type], v->name);
    const char *between = "(";
    print_attribute("start", v->start, &between, w);
    if (v->fixed_given) {
        foi_flat_write(w, "%sfixed = %s", between, v->fixed ? "true" : "false");
        between = ", ";
    }
    print_attribute("min", v->min, &between, w);
    print_attribute("max", v->max, &between, w);
    print_attribute("nominal", v->nominal, &between, w);
    print_word("unit", v->unit, &between, w);
    print_word("displayUnit", v->display_unit, &between, w);
    print_word("stateSelect", selects[v->select], &between, w);
    if (*between == ',') foi_flat_write(w, ")");
    if (v->binding) {
        foi_flat_write(w, " = ");
        print_expr(v->binding, LOOSEST, w);
    }
    foi_flat_write(w, ";\n");
}

static void print_block(const foi_flat_block *block, int indent, foi_flat_writer *w);

static void print_branches(const foi_flat_branch *branches, uint32_t count, const char *word,
                           int indent, foi_flat_writer *w)
{
    for (uint32_t i = 0; i < count; i++) {
        const foi_flat_branch *b = &branches[i];
        if (b->condition_count == 0) {
            foi_flat_write(w, "%*selse\n", indent, "");
        } else {
            bool several = b->condition_count > 1;
            foi_flat_write(w, "%*s%s%s %s", indent, "", i ? "else" : "", word, several ? "{" : "");
            print_list(b->conditions, b->condition_count, w);
            foi_flat_write(w, "%s then\n", several ? "}" : "");
        }
        print_block(&b->body, indent + 2, w);
    }
    foi_flat_write(w, "%*send %s;\n", indent, "", word);
}

static void print_assert(const foi_flat_expr *condition, const foi_flat_expr *message, bool warning,
                         int indent, foi_flat_writer *w)
{
    foi_flat_write(w, "%*sassert(", indent, "");
    print_expr(condition, LOOSEST, w);
    foi_flat_write(w, ", ");
    print_expr(message, LOOSEST, w);
    foi_flat_write(w, "%s);\n", warning ? ", warning" : "");
}

static void print_assign(const foi_flat_statement *s, int indent, foi_flat_writer *w)
{
    bool several = s->count > 1;
    foi_flat_write(w, several ? "%*s(" : "%*s", indent, "");
    print_list(s->targets, s->count, w);
    foi_flat_write(w, several ? ") := (" : " := ");
    print_list(s->values, s->count, w);
    foi_flat_write(w, several ? ");\n" : ";\n");
}

static void print_loop(const foi_flat_statement *s, int indent, foi_flat_writer *w)
{
    bool counted = s->action == FOI_DO_FOR;
    if (counted) {
        foi_flat_write(w, "%*sfor %s in ", indent, "", s->variable->name);
        print_expr(s->first, LOOSEST, w);
        foi_flat_write(w, ":");
        print_expr(s->step, LOOSEST, w);
        foi_flat_write(w, ":");
        print_expr(s->last, LOOSEST, w);
    } else {
        foi_flat_write(w, "%*swhile ", indent, "");
        print_expr(s->branches->conditions[0], LOOSEST, w);
    }
    foi_flat_write(w, " loop\n");
    print_block(counted ? &s->body : &s->branches->body, indent + 2, w);
    foi_flat_write(w, "%*send %s;\n", indent, "", counted ? "for" : "while");
}

static void print_statement(const foi_flat_statement *s, int indent, foi_flat_writer *w)
{
    switch (s->action) {
    case FOI_DO_ASSIGN: print_assign(s, indent, w); break;
    case FOI_DO_IF: print_branches(s->branches, s->branch_count, "if", indent, w); break;
    case FOI_DO_WHEN: print_branches(s->branches, s->branch_count, "when", indent, w); break;
    case FOI_DO_FOR:
    case FOI_DO_WHILE: print_loop(s, indent, w); break;
    case FOI_DO_BREAK: foi_flat_write(w, "%*sbreak;\n", indent, ""); break;
    case FOI_DO_RETURN: foi_flat_write(w, "%*sreturn;\n", indent, ""); break;
    case FOI_DO_REINIT:
        foi_flat_write(w, "%*sreinit(", indent, "");
        print_expr(s->targets[0], LOOSEST, w);
        foi_flat_write(w, ", ");
        print_expr(s->values[0], LOOSEST, w);
        foi_flat_write(w, ");\n");
        break;
    case FOI_DO_ASSERT: print_assert(s->condition, s->message, s->warning, indent, w); break;
    case FOI_DO_TERMINATE:
        foi_flat_write(w, "%*sterminate(", indent, "");
        print_expr(s->message, LOOSEST, w);
        foi_flat_write(w, ");\n");
        break;
    }
}

static void print_block(const foi_flat_block *block, int indent, foi_flat_writer *w)
{
    for (uint32_t i = 0; i < block->count; i++) print_statement(block->statements[i], indent, w);
}

static void print_equations(const char *title, const foi_flat_equation *list, uint32_t count,
                            foi_flat_writer *w)
{
    if (count) foi_flat_write(w, "%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        foi_flat_write(w, "  ");
        print_expr(list[i].left, BINDS_OR, w);
        foi_flat_write(w, " = ");
        print_expr(list[i].right, LOOSEST, w);
        foi_flat_write(w, ";\n");
    }
}

static void print_function(const foi_flat_function *f, foi_flat_writer *w)
{
    foi_flat_write(w, "function %s\n", f->name);
    for (uint32_t i = 0; i < f->local_count; i++) {
        const char *role = i < f->input_count                     ? "input "
                           : i < f->input_count + f->output_count ? "output "
                                                                  : "";
        foi_flat_write(w, "  %s%s %s;\n", role, type_names[f->locals[i]->type], f->locals[i]->name);
    }
    foi_flat_write(w, "algorithm\n");
    print_block(&f->body, 2, w);
    foi_flat_write(w, "end %s;\n", f->name);
}

static void print_experiment(const foi_flat_experiment *e, foi_flat_writer *w)
{
    const struct {
        const char *name;
        double value;
    } items[] = {{"start", e->start},
                 {"stop", e->stop},
                 {"tolerance", e->tolerance},
                 {"interval", e->interval}};
    const char *between = "experiment ";
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (items[i].value != items[i].value) continue;
        char text[32];
        foi_number_text(items[i].value, text);
        foi_flat_write(w, "%s%s = %s", between, items[i].name, text);
        between = ", ";
    }
    if (*between == ',') foi_flat_write(w, "\n");
}

static void print_asserts(const foi_flat *flat, bool initial, foi_flat_writer *w)
{
    bool first = initial;
    for (uint32_t i = 0; i < flat->assert_count; i++) {
        const foi_flat_assert *a = &flat->asserts[i];
        if (a->initial != initial) continue;
        if (first) foi_flat_write(w, "initial equation\n");
        first = false;
        print_assert(a->condition, a->message, a->warning, 2, w);
    }
}

void foi_flat_print(const foi_flat *flat, foi_flat_writer *w)
{
    for (uint32_t i = 0; i < flat->function_count; i++) print_function(flat->functions[i], w);
    foi_flat_write(w, "model %s\n", flat->name);
    for (uint32_t i = 0; i < flat->variable_count; i++) print_variable(flat->variables[i], w);
    print_equations("initial equation", flat->initial, flat->initial_count, w);
    for (uint32_t i = 0; i < flat->algorithm_count; i++) {
        foi_flat_write(w, "%salgorithm\n", flat->algorithms[i].initial ? "initial " : "");
        print_block(&flat->algorithms[i].body, 2, w);
    }
    bool any = flat->when_count || flat->assert_count;
    print_equations("equation", flat->equations, flat->equation_count, w);
    if (any && !flat->equation_count) foi_flat_write(w, "equation\n");
    for (uint32_t i = 0; i < flat->when_count; i++)
        print_branches(flat->whens[i].branches, flat->whens[i].branch_count, "when", 2, w);
    print_asserts(flat, false, w);
    print_asserts(flat, true, w);
    foi_flat_write(w, "end %s;\n", flat->name);
    print_experiment(&flat->experiment, w);
}
