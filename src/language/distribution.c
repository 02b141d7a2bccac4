/// spatialDistribution(in0, in1, x, positiveVelocity, initialPoints, initialValues): what comes out
/// of the two ends of a pipe. At the end where something enters that is what enters:
///
///     out0 = if positiveVelocity then in0 else what lies at the left end
///     out1 = if positiveVelocity then what lies at the right end else in1
#include <math.h>

#include "language/session.h"

static const char *const names[] = {"in0",           "in1",          "x", "positiveVelocity",
                                    "initialPoints", "initialValues"};

enum { ARGUMENTS = sizeof names / sizeof names[0], MOST_POINTS = 500 };

// Numbers that are known before the run: a vector; what is not given is 0 at both ends, or 0 and 1.
static bool vector(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t place,
                   uint32_t *count, double **numbers)
{
    const foi_ast *given = foi_call_argument(e, place, names[place]);
    foi_value v = {.count = 2};
    if (given && (!foi_expand(s, ctx, given, &v) ||
                  !foi_convert(s, given->place, &v, FOI_REAL, NULL, names[place])))
        return false;
    if (given && (v.rank != 1 || v.count < 2 || v.count > MOST_POINTS))
        return foi_error(s, given->place, "'%s' must be a vector of 2 to %d numbers, not %s",
                         names[place], MOST_POINTS, foi_type_text(s, &v));
    *count = v.count;
    if (!(*numbers = foi_arena_new(&s->flat->arena, v.count, sizeof **numbers))) return false;
    for (uint32_t i = 0; i < v.count; i++) {
        (*numbers)[i] = given ? 0 : place == 4 && i == 1;
        if (given && !foi_known(s, foi_item(&v, i), true, &(*numbers)[i]))
            return foi_error(s, given->place, "'%s' must be known before the run", names[place]);
    }
    return true;
}

static bool read_contents(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          foi_flat_contents *c)
{
    double *points, *values;
    uint32_t value_count;
    if (!vector(s, ctx, e, 4, &c->count, &points) || !vector(s, ctx, e, 5, &value_count, &values))
        return false;
    c->points = points, c->values = values;
    if (value_count != c->count)
        return foi_error(s, e->place, "'initialPoints' has %u numbers and 'initialValues' has %u",
                         c->count, value_count);
    bool right = points[0] == 0 && points[c->count - 1] == 1;
    for (uint32_t i = 1; i < c->count; i++) right &= points[i - 1] <= points[i];
    for (uint32_t i = 0; i < c->count; i++) right &= isfinite(values[i]) != 0;
    for (uint32_t i = 2; i < c->count; i++) right &= points[i - 2] < points[i];
    if (!right)
        return foi_error(s, e->place,
                         "'initialPoints' must go from 0 to 1 without falling, no three of them "
                         "the same");
    return true;
}

bool foi_distribution_call(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           const foi_value **results)
{
    foi_flat *f = s->flat;
    const foi_flat_expr *a[4];
    if (e->count > ARGUMENTS)
        return foi_error(s, e->place, "'spatialDistribution' has at most %d arguments", ARGUMENTS);
    for (uint32_t i = 0; i < 4; i++) {
        const foi_ast *given = foi_call_argument(e, i, names[i]);
        if (!given)
            return foi_error(s, e->place, "'spatialDistribution' needs an argument '%s'", names[i]);
        if (!foi_expand_scalar(s, ctx, given, i == 3 ? FOI_BOOLEAN : FOI_REAL, names[i], &a[i]))
            return false;
    }
    if (ctx->frame || ctx->in_when)
        return foi_error(s, e->place,
                         "'spatialDistribution' must stand in an equation, not in a "
                         "function, an algorithm or a when");
    foi_flat_contents c;
    if (!read_contents(s, ctx, e, &c)) return false;
    foi_flat_contents *kept =
        foi_arena_add(&f->arena, &f->contents, &f->contents_count, sizeof *kept);
    foi_value *ends = foi_arena_new(&s->arena, 2, sizeof *ends);
    if (!kept || !ends) return false;
    *kept = c;
    const foi_flat_expr *lies[2];
    for (int side = 0; side < 2; side++)
        lies[side] = foi_flat_call_builtin(
            f, FOI_FN_CONTENTS, 5,
            (const foi_flat_expr *[]){a[0], a[1], a[2], foi_flat_real(f, f->contents_count - 1),
                                      foi_flat_real(f, side)});
    ends[0] = foi_scalar(foi_flat_if(f, a[3], a[0], lies[0]));
    ends[1] = foi_scalar(foi_flat_if(f, a[3], lies[1], a[1]));
    *results = ends;
    return ends[0].one && ends[1].one;
}
