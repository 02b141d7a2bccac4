#include "equations/flat.h"
#include "equations/outside.h"

#include <math.h>
#include <string.h>

foi_flat *foi_flat_create(const fo_allocator *allocator)
{
    foi_flat *flat = foi_new(allocator, 1, sizeof *flat);
    if (!flat) return NULL;
    foi_arena_begin(&flat->arena, allocator, 0);
    flat->name = "";
    flat->experiment = (foi_flat_experiment){NAN, NAN, NAN, NAN};
    return flat;
}

void foi_flat_destroy(foi_flat *flat)
{
    if (!flat) return;
    const fo_allocator *allocator = flat->arena.allocator;
    foi_outside_close(flat->outside);
    foi_arena_end(&flat->arena);
    foi_free(allocator, flat);
}

static foi_flat_expr *node(foi_flat *flat, foi_flat_op op, foi_flat_type type)
{
    foi_flat_expr *e = foi_arena_new(&flat->arena, 1, sizeof *e);
    if (e) e->op = op, e->type = type, e->size = 1;
    return e;
}

static foi_flat_expr *literal(foi_flat *flat, foi_flat_type type, double value)
{
    foi_flat_expr *e = node(flat, FOI_OP_LITERAL, type);
    if (e) e->number = value;
    return e;
}

foi_flat_expr *foi_flat_real(foi_flat *flat, double value)
{
    return literal(flat, FOI_REAL, value);
}

foi_flat_expr *foi_flat_integer(foi_flat *flat, double value)
{
    return literal(flat, FOI_INTEGER, value);
}

foi_flat_expr *foi_flat_boolean(foi_flat *flat, bool value)
{
    return literal(flat, FOI_BOOLEAN, value);
}

foi_flat_expr *foi_flat_text(foi_flat *flat, const char *text)
{
    foi_flat_expr *e = text ? node(flat, FOI_OP_STRING, FOI_STRING) : NULL;
    if (e) e->text = text;
    return e;
}

foi_flat_expr *foi_flat_time(foi_flat *flat)
{
    return node(flat, FOI_OP_TIME, FOI_REAL);
}

foi_flat_expr *foi_flat_of(foi_flat *flat, foi_flat_variable *variable)
{
    foi_flat_expr *e = variable ? node(flat, FOI_OP_VARIABLE, variable->type) : NULL;
    if (e) e->variable = variable;
    return e;
}

static foi_flat_expr *with(foi_flat *flat, foi_flat_op op, foi_flat_type type, uint32_t count,
                           const foi_flat_expr *const *arguments)
{
    for (uint32_t i = 0; i < count; i++)
        if (!arguments[i]) return NULL;
    foi_flat_expr *e = node(flat, op, type);
    const foi_flat_expr **list = foi_arena_new(&flat->arena, count, sizeof *list);
    if (!e || !list) return NULL;
    if (count) memcpy(list, arguments, count * sizeof *list);
    e->count = count, e->arguments = list;
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_add_overflow(e->size, list[i]->size, &e->size)) e->size = UINT32_MAX;
    return e;
}

const foi_flat_expr *foi_flat_as_real(foi_flat *flat, const foi_flat_expr *e)
{
    if (!e || e->type == FOI_REAL) return e;
    if (e->op == FOI_OP_LITERAL) return foi_flat_real(flat, e->number);
    if (e->op == FOI_OP_IF)
        return foi_flat_if(flat, e->arguments[0], foi_flat_as_real(flat, e->arguments[1]),
                           foi_flat_as_real(flat, e->arguments[2]));
    foi_flat_expr *converted = with(flat, FOI_OP_CALL, FOI_REAL, 1, &e);
    if (converted) converted->builtin = FOI_FN_REAL;
    return converted;
}

static bool is_relation(foi_flat_op op)
{
    return op >= FOI_OP_LESS && op <= FOI_OP_NOT_EQUAL;
}

static foi_flat_type result_type(foi_flat_op op, foi_flat_type type)
{
    if (is_relation(op) || op == FOI_OP_AND || op == FOI_OP_OR || op == FOI_OP_NOT)
        return FOI_BOOLEAN;
    return op == FOI_OP_DIVIDE || op == FOI_OP_POWER ? FOI_REAL : type;
}

foi_flat_expr *foi_flat_unary(foi_flat *flat, foi_flat_op op, const foi_flat_expr *a)
{
    if (!a) return NULL;
    double value;
    if (a->op == FOI_OP_LITERAL && foi_flat_op_value(op, a->number, 0, &value))
        return literal(flat, result_type(op, a->type), value);
    return with(flat, op, result_type(op, a->type), 1, &a);
}

foi_flat_expr *foi_flat_binary(foi_flat *flat, foi_flat_op op, const foi_flat_expr *a,
                               const foi_flat_expr *b)
{
    if (!a || !b) return NULL;
    if (a->type == FOI_REAL || b->type == FOI_REAL || op == FOI_OP_DIVIDE || op == FOI_OP_POWER) {
        a = foi_flat_as_real(flat, a);
        b = foi_flat_as_real(flat, b);
        if (!a || !b) return NULL;
    }
    foi_flat_type type = result_type(op, a->type);
    double value;
    if (a->op == FOI_OP_LITERAL && b->op == FOI_OP_LITERAL &&
        foi_flat_op_value(op, a->number, b->number, &value))
        return literal(flat, type, value);
    return with(flat, op, type, 2, (const foi_flat_expr *[]){a, b});
}

foi_flat_expr *foi_flat_if(foi_flat *flat, const foi_flat_expr *condition, const foi_flat_expr *a,
                           const foi_flat_expr *b)
{
    if (!condition || !a || !b) return NULL;
    if (a->type == FOI_REAL || b->type == FOI_REAL) {
        a = foi_flat_as_real(flat, a);
        b = foi_flat_as_real(flat, b);
        if (!a || !b) return NULL;
    }
    return with(flat, FOI_OP_IF, a->type, 3, (const foi_flat_expr *[]){condition, a, b});
}

static const struct {
    const char *name;
    uint32_t arity;
    enum { AS_REAL, AS_ARGUMENT, AS_INTEGER, AS_BOOLEAN, AS_STRING, AS_SECOND } gives;
} builtins[FOI_FN_COUNT] = {
    [FOI_FN_DER] = {"der", 1, AS_REAL},
    [FOI_FN_PRE] = {"pre", 1, AS_ARGUMENT},
    [FOI_FN_NO_EVENT] = {"noEvent", 1, AS_ARGUMENT},
    [FOI_FN_SMOOTH] = {"smooth", 2, AS_SECOND},
    [FOI_FN_HOMOTOPY] = {"homotopy", 2, AS_REAL},
    [FOI_FN_SAMPLE] = {"sample", 2, AS_BOOLEAN},
    [FOI_FN_INITIAL] = {"initial", 0, AS_BOOLEAN},
    [FOI_FN_TERMINAL] = {"terminal", 0, AS_BOOLEAN},
    [FOI_FN_DELAY] = {"delay", 3, AS_ARGUMENT},
    [FOI_FN_CONTENTS] = {"spatialDistribution", 5, AS_REAL},
    [FOI_FN_ABS] = {"abs", 1, AS_ARGUMENT},
    [FOI_FN_SIGN] = {"sign", 1, AS_INTEGER},
    [FOI_FN_SQRT] = {"sqrt", 1, AS_REAL},
    [FOI_FN_MIN] = {"min", 2, AS_ARGUMENT},
    [FOI_FN_MAX] = {"max", 2, AS_ARGUMENT},
    [FOI_FN_MOD] = {"mod", 2, AS_ARGUMENT},
    [FOI_FN_REM] = {"rem", 2, AS_ARGUMENT},
    [FOI_FN_DIV] = {"div", 2, AS_ARGUMENT},
    [FOI_FN_FLOOR] = {"floor", 1, AS_REAL},
    [FOI_FN_CEIL] = {"ceil", 1, AS_REAL},
    [FOI_FN_INTEGER] = {"integer", 1, AS_INTEGER},
    [FOI_FN_SIN] = {"sin", 1, AS_REAL},
    [FOI_FN_COS] = {"cos", 1, AS_REAL},
    [FOI_FN_TAN] = {"tan", 1, AS_REAL},
    [FOI_FN_ASIN] = {"asin", 1, AS_REAL},
    [FOI_FN_ACOS] = {"acos", 1, AS_REAL},
    [FOI_FN_ATAN] = {"atan", 1, AS_REAL},
    [FOI_FN_ATAN2] = {"atan2", 2, AS_REAL},
    [FOI_FN_SINH] = {"sinh", 1, AS_REAL},
    [FOI_FN_COSH] = {"cosh", 1, AS_REAL},
    [FOI_FN_TANH] = {"tanh", 1, AS_REAL},
    [FOI_FN_EXP] = {"exp", 1, AS_REAL},
    [FOI_FN_LOG] = {"log", 1, AS_REAL},
    [FOI_FN_LOG10] = {"log10", 1, AS_REAL},
    [FOI_FN_ALONG] = {"table", 2, AS_REAL},
    [FOI_FN_AMONG] = {"table", 2, AS_REAL},
    [FOI_FN_REAL] = {"Real", 1, AS_REAL},
    [FOI_FN_STRING] = {"String", 1, AS_STRING},
};

const char *foi_flat_builtin_name(foi_flat_builtin builtin)
{
    return builtins[builtin].name;
}

uint32_t foi_flat_builtin_arity(foi_flat_builtin builtin)
{
    return builtins[builtin].arity;
}

// Which arguments must be Real: all of functions that give Real, and all when one of them is.
static bool wants_real(foi_flat_builtin builtin, uint32_t count, const foi_flat_expr *const *given)
{
    if (builtin == FOI_FN_STRING || builtin == FOI_FN_REAL || builtin == FOI_FN_SMOOTH)
        return false;
    if (builtins[builtin].gives == AS_REAL || builtin == FOI_FN_SAMPLE) return true;
    for (uint32_t i = 0; i < count; i++)
        if (given[i]->type == FOI_REAL) return true;
    return false;
}

static foi_flat_type builtin_type(foi_flat_builtin builtin, const foi_flat_expr *const *arguments)
{
    switch (builtins[builtin].gives) {
    case AS_REAL: return FOI_REAL;
    case AS_ARGUMENT: return arguments[0]->type;
    case AS_SECOND: return arguments[1]->type;
    case AS_INTEGER: return FOI_INTEGER;
    case AS_BOOLEAN: return FOI_BOOLEAN;
    case AS_STRING: return FOI_STRING;
    }
    return FOI_REAL;
}

foi_flat_expr *foi_flat_call_builtin(foi_flat *flat, foi_flat_builtin builtin, uint32_t count,
                                     const foi_flat_expr *const *arguments)
{
    const foi_flat_expr *list[5] = {0};
    double numbers[5] = {0}, value;
    for (uint32_t i = 0; i < count; i++)
        if (!arguments[i]) return NULL;
    bool real = wants_real(builtin, count, arguments), known = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = real ? foi_flat_as_real(flat, arguments[i]) : arguments[i];
        if (!list[i]) return NULL;
        known &= list[i]->op == FOI_OP_LITERAL;
        if (known) numbers[i] = list[i]->number;
    }
    foi_flat_type type = builtin_type(builtin, list);
    if (known && foi_flat_builtin_value(builtin, numbers, &value))
        return literal(flat, type, value);
    foi_flat_expr *e = with(flat, FOI_OP_CALL, type, count, list);
    if (e) e->builtin = builtin;
    return e;
}
