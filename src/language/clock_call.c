/// Operators of clocks in expressions: Clock(...), sample, hold, previous and the conversions.
#include <string.h>

#include "language/clock.h"

const foi_clock_method foi_clock_methods[] = {
    {"ExplicitEuler", 0}, {"ImplicitEuler", 1}, {"ImplicitTrapezoid", 0.5}};

const foi_flat_expr *foi_clock_make(foi_session *s, int operation, foi_flat_type type,
                                    uint32_t count, const foi_flat_expr *const *arguments)
{
    foi_flat_expr *e = foi_arena_new(&s->flat->arena, 1, sizeof *e);
    const foi_flat_expr **list = foi_arena_new(&s->flat->arena, count, sizeof *list);
    if (!e || !list) return NULL;
    *e = (foi_flat_expr){.op = FOI_OP_CALL, .type = type, .count = count, .size = 1};
    e->builtin = (foi_flat_builtin)operation;
    for (uint32_t i = 0; i < count; i++) list[i] = arguments[i], e->size += arguments[i]->size;
    e->arguments = list;
    s->clocked = true;
    return e;
}

const foi_flat_expr *foi_clock_copy(foi_session *s, const foi_flat_expr *e,
                                    foi_clock_change *change, void *data)
{
    foi_arena *arena = &s->flat->arena;
    uint32_t n = foi_clock_arguments(e);
    const foi_flat_expr **list = foi_arena_new(arena, n, sizeof *list);
    foi_flat_expr *copy = foi_arena_new(arena, 1, sizeof *copy);
    if (!list || !copy) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!(list[i] = change(data, e, i))) return NULL;
    *copy = *e;
    copy->arguments = list;
    if (e->op != FOI_OP_RESULT) return copy;
    foi_flat_call *call = foi_arena_new(arena, 1, sizeof *call);
    if (!call) return NULL;
    *call = (foi_flat_call){e->call->function, list, e->call->place};
    copy->call = call, copy->arguments = e->arguments;
    return copy;
}

// The operation on each element of the first argument.
static bool each(foi_session *s, foi_place place, int operation, const foi_value *v,
                 const foi_flat_expr *second, const foi_flat_expr *third, foi_value *out)
{
    if (v->record) {
        foi_value *fields = foi_arena_new(&s->arena, v->record->member_count, sizeof *fields);
        if (!fields) return false;
        for (uint32_t i = 0; i < v->record->member_count; i++)
            if (!each(s, place, operation, &v->fields[i], second, third, &fields[i])) return false;
        *out = *v, out->fields = fields;
        return true;
    }
    const foi_flat_expr **list;
    foi_value from = *v;
    if (!foi_new_like(s, place, &from, from.rank, from.dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++) {
        const foi_flat_expr *a[] = {foi_item(&from, i), second, third};
        if (!(list[i] = foi_clock_make(s, operation, from.type, third ? 3 : second ? 2 : 1, a)))
            return false;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

static bool whole(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t at,
                  const char *name, double unless, const foi_flat_expr **out)
{
    const foi_ast *given = foi_call_argument(e, at, name);
    double value = unless;
    if (given && !foi_expand_known(s, ctx, given, FOI_INTEGER, name, &value)) return false;
    return (*out = foi_flat_integer(s->flat, value)) != NULL;
}

static bool clock_value(foi_session *s, const foi_flat_expr *e, foi_value *out)
{
    *out = foi_scalar(e);
    out->type = FOI_INTEGER, out->literals = s->clock;
    return e;
}

// Clock(clock, solverMethod = "..."); an empty one is none, one that is not known is refused where
// it is used.
static bool with_method(foi_session *s, const foi_context *ctx, const foi_ast *given,
                        const foi_value *clock, foi_value *out)
{
    foi_value method;
    if (!foi_expand(s, ctx, given, &method)) return false;
    if (method.type != FOI_STRING || method.rank || method.one->op != FOI_OP_STRING)
        return foi_error(s, given->place, "a solver method must be a String");
    uint32_t i = 0;
    while (i < FOI_CLOCK_METHODS && strcmp(foi_clock_methods[i].name, method.one->text) != 0) i++;
    if (!method.one->text[0]) return *out = *clock, true;
    const foi_flat_expr *both[] = {clock->one, foi_flat_integer(s->flat, i)};
    return both[1] && clock_value(s, foi_clock_make(s, CLOCK_SOLVER, FOI_INTEGER, 2, both), out);
}

// The first argument of Clock, by its place or by one of its names.
static const foi_ast *first_argument(const foi_ast *e)
{
    static const char *const names[] = {"intervalCounter", "interval", "condition", "c"};
    const foi_ast *first = foi_call_argument(e, 0, NULL);
    for (size_t i = 0; !first && i < sizeof names / sizeof names[0]; i++)
        first = foi_call_argument(e, UINT32_MAX, names[i]);
    return first;
}

// Clock(), Clock(i, resolution), Clock(seconds), Clock(condition, startInterval), Clock(clock,
// solverMethod)
static bool construct(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    const foi_ast *first = first_argument(e), *second = foi_call_argument(e, 1, "solverMethod");
    if (e->count == 0)
        return clock_value(s, foi_clock_make(s, CLOCK_INFERRED, FOI_INTEGER, 0, NULL), out);
    if (!first) return foi_error(s, e->place, "'Clock' has no argument of this name");
    if (!foi_expand(s, ctx, first, &v)) return false;
    if (v.record || v.rank) return foi_error(s, e->place, "a clock needs a scalar");
    if (v.literals == s->clock)
        return second ? with_method(s, ctx, second, &v, out) : (*out = v, true);
    const foi_flat_expr *list[3] = {v.one};
    uint32_t count = 1;
    if (v.type == FOI_BOOLEAN) {
        const foi_ast *begins = foi_call_argument(e, 1, "startInterval");
        if (begins && !foi_expand_scalar(s, ctx, begins, FOI_REAL, "startInterval", &list[count++]))
            return false;
        return clock_value(s, foi_clock_make(s, CLOCK_EVENT, FOI_INTEGER, count, list), out);
    }
    if (v.type == FOI_INTEGER && !v.literals) {
        if (!whole(s, ctx, e, 1, "resolution", 1, &list[2])) return false;
        if (list[2]->number < 1)
            return foi_error(s, e->place, "the resolution of a clock must be at least 1");
        list[1] = v.one, count = 3;
        list[0] = foi_flat_binary(s->flat, FOI_OP_DIVIDE, v.one, list[2]);
    }
    if (!list[0]) return false;
    return clock_value(s, foi_clock_make(s, CLOCK_PERIOD, FOI_INTEGER, count, list), out);
}

bool foi_clock_call(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                    bool *handled, foi_value *out)
{
    static const struct {
        const char *name;
        int operation;
    } list[] = {
        {"hold", CLOCK_HOLD},         {"previous", CLOCK_PREVIOUS},  {"subSample", CLOCK_SUB},
        {"superSample", CLOCK_SUPER}, {"shiftSample", CLOCK_SHIFT},  {"backSample", CLOCK_BACK},
        {"noClock", CLOCK_FREE},      {"interval", CLOCK_INTERVAL},  {"firstTick", CLOCK_FIRST},
        {"sample", CLOCK_SAMPLE},     {"activeState", CLOCK_ACTIVE}, {"ticksInState", CLOCK_TICKS},
        {"timeInState", CLOCK_STAY}};
    *handled = true;
    if (strcmp(name, "Clock") == 0) return construct(s, ctx, e, out);
    int operation = 0;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(list[i].name, name) == 0) operation = list[i].operation;
    if (!operation) return *handled = false;
    if (operation >= CLOCK_TICKS) return foi_machine_call(s, ctx, e, operation, out);
    foi_value v, clock = {0};
    const foi_flat_expr *second = NULL, *third = NULL;
    if (operation == CLOCK_INTERVAL || operation == CLOCK_FIRST) {
        foi_flat_type type = operation == CLOCK_FIRST ? FOI_BOOLEAN : FOI_REAL;
        if (e->count && !foi_expand(s, ctx, e->items[0], &v)) return false;
        while (e->count && v.record) v = v.fields[0];
        bool given = e->count && v.count;
        const foi_flat_expr *of = given ? foi_item(&v, 0) : NULL;
        *out = foi_scalar(foi_clock_make(s, operation, type, given, &of));
        return out->one;
    }
    if (operation == CLOCK_SAMPLE) {
        const foi_ast *given = foi_call_argument(e, 1, "c");
        *handled = e->count == 1;
        if (e->count == 2 && given) {
            if (!foi_expand(s, ctx, given, &clock)) return *handled = true, false;
            *handled = clock.literals == s->clock && s->clock;
        }
        if (!*handled) return false; // sample(start, interval)
        if (e->count == 2) second = clock.one;
    }
    if (e->count == 0) return foi_error(s, e->place, "'%s' needs an argument", name);
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (operation == CLOCK_SUB || operation == CLOCK_SUPER) {
        if (!whole(s, ctx, e, 1, "factor", 0, &second)) return false;
    } else if (operation == CLOCK_SHIFT || operation == CLOCK_BACK) {
        const char *counter = operation == CLOCK_SHIFT ? "shiftCounter" : "backCounter";
        if (!whole(s, ctx, e, 1, counter, 0, &second) ||
            !whole(s, ctx, e, 2, "resolution", 1, &third))
            return false;
    }
    return each(s, e->place, operation, &v, second, third, out);
}
