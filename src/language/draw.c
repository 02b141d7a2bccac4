/// Random numbers of a generator with a state of its own: impureRandom and impureRandomInteger of
/// the library.
///
/// A run has no state that its variables do not show: the same run gives the same bits, in a sweep
/// and in threads, too. So each call that is written in a `when` is a stream of its own, with a
/// hidden discrete variable that the when sets together with what is drawn; initializeImpureRandom
/// gives the seed, of which all streams are made. The first stream is the library's sequence.
#include <string.h>

#include "language/machine.h"
#include "language/session.h"

enum { STATE = 33 };

// The class `name` in `in` is external code of this name.
static bool is_external(foi_session *s, foi_class *in, const char *name, const char *code)
{
    foi_class *c = in ? foi_find_in_class(s, in, foi_name(s, name)) : NULL;
    return c && foi_external_of(c) && strcmp(foi_external_of(c)->name, code) == 0;
}

static bool draws(const foi_class *c)
{
    const foi_external *e = foi_external_of(c);
    return e && strcmp(e->name, "ModelicaRandom_impureRandom_xorshift1024star") == 0;
}

static bool draws_whole(foi_session *s, foi_class *c)
{
    return strcmp(foi_origin(c)->name, "impureRandomInteger") == 0 &&
           is_external(s, foi_origin(c)->enclosing, "impureRandom",
                       "ModelicaRandom_impureRandom_xorshift1024star");
}

static bool gives_seed(foi_session *s, foi_class *c)
{
    return strcmp(foi_origin(c)->name, "initializeImpureRandom") == 0 &&
           is_external(s, c, "setInternalState",
                       "ModelicaRandom_setInternalState_xorshift1024star");
}

static foi_class *answer(foi_session *s, const char *name)
{
    foi_part part = {.name = foi_name(s, "__Foliot_External")};
    foi_ref ref = {.parts = &part, .count = 1};
    foi_class *all = foi_find_class(s, &s->root, &ref, "package");
    return all ? foi_find_in_class(s, all, foi_name(s, name)) : NULL;
}

// Where a number can be drawn: where it is known that it is drawn once.
static bool check_place(foi_session *s, const foi_context *ctx, foi_place place)
{
    if (s->special)
        return foi_error(s, place,
                         "a random number is drawn in a 'when' of a model, not in a "
                         "function: pass it on");
    if (ctx->in_loop)
        return foi_error(s, place,
                         "a random number cannot be drawn in a loop that is not known "
                         "before the run");
    if (ctx->in_clocked || (!ctx->in_when && !ctx->in_initial))
        return foi_error(s, place,
                         "a random number is drawn in a 'when' that is no clock's, or in "
                         "initial equations: elsewhere it would be another at each look");
    return true;
}

// The state of a stream: the variables that keep it, or at the start only what it begins with.
static bool state_of(foi_session *s, bool kept, foi_place place, const foi_flat_expr **targets,
                     const foi_flat_expr **before)
{
    for (uint32_t i = 0; i < STATE; i++) {
        const foi_flat_expr *first = foi_flat_integer(s->flat, i + 1 < STATE ? 0 : -1);
        before[i] = first;
        if (!first) return false;
        if (!kept) continue;
        char name[48];
        snprintf(name, sizeof name, "(random %u)[%u]", s->draw_count, i + 1);
        foi_flat_variable *v = foi_machine_variable(s, place, "%s", name, FOI_INTEGER, first);
        if (!v) return false;
        v->fixed = true;
        targets[i] = foi_flat_of(s->flat, v);
        before[i] = foi_flat_call_builtin(s->flat, FOI_FN_PRE, 1, &targets[i]);
        if (!targets[i] || !before[i]) return false;
    }
    return true;
}

static bool add_draw(foi_session *s, const foi_flat_expr *target, const foi_flat_expr *value)
{
    foi_draws *d = &s->draws;
    const foi_flat_expr **to = foi_arena_add(&s->arena, &d->targets, &d->target_count, sizeof *to);
    const foi_flat_expr **from =
        foi_arena_add(&s->arena, &d->values, &d->value_count, sizeof *from);
    if (to) *to = target;
    if (from) *from = value;
    return to && from;
}

static bool next_number(foi_session *s, const foi_context *ctx, foi_place place,
                        const foi_value *seed, foi_value *out)
{
    const foi_flat_expr **lists = foi_arena_new(&s->arena, 2 * STATE, sizeof *lists);
    foi_class *c = answer(s, "draw");
    const foi_value *results;
    uint32_t count;
    if (!lists || !c || !foi_analyse(s, c)) return false;
    if (!state_of(s, !ctx->in_initial, place, lists, lists + STATE)) return false;
    foi_value values[3] = {{.type = FOI_INTEGER, .rank = 1, .dims = {STATE}, .count = STATE}};
    values[0].list = lists + STATE, values[1] = *seed;
    values[2] = foi_scalar(foi_flat_integer(s->flat, s->draw_count++));
    if (!values[2].one || !foi_call_values(s, ctx, place, c, values, 3, &results, &count))
        return false;
    for (uint32_t i = 0; !ctx->in_initial && i < STATE; i++)
        if (!add_draw(s, lists[i], foi_item(&results[1], i))) return false;
    *out = results[0];
    return true;
}

bool foi_draw(foi_session *s, const foi_context *ctx, foi_place place, foi_class *c,
              const foi_value *values, uint32_t count, bool *handled, const foi_value **results,
              uint32_t *result_count)
{
    bool begins = count == 1 && gives_seed(s, c), whole = count == 3 && draws_whole(s, c);
    *handled = begins || whole || (count == 1 && draws(c));
    if (!*handled) return true;
    foi_value *out = foi_arena_new(&s->arena, 3, sizeof *out);
    if (!out) return false;
    *results = out, *result_count = 1;
    if (begins) return out[0] = values[0], true;
    if (!check_place(s, ctx, place) || !next_number(s, ctx, place, &values[0], &out[0]))
        return false;
    if (!whole) return true;
    out[1] = values[1], out[2] = values[2];
    foi_class *f = answer(s, "whole");
    return f && foi_call_values(s, ctx, place, f, out, 3, results, result_count);
}
