/// Lines of functions that stay functions, carried out: values alone, or values and derivatives.
#include <math.h>
#include <string.h>

#include "equations/flat_evaluate.h"
#include "equations/kept_code.h"

typedef struct foi_kept_code code;

/// What a call in progress shares with those that it makes.
typedef struct running {
    uint32_t *work;
    const char **said;
    bool through; ///< also of searches: what their last turns tell
} running;

static bool run_values(const code *c, double *v, const running *r);
static bool run_rates(const code *c, double *v, double *dv, const running *r);

static bool spend(const running *r, uint32_t work)
{
    if (*r->work < work) return false;
    *r->work -= work;
    return true;
}

static void begin(const code *c, double *v, uint32_t inputs)
{
    memset(v + inputs, 0, (c->local_count - inputs) * sizeof *v);
    if (c->number_count) memcpy(v + c->local_count, c->numbers, c->number_count * sizeof *v);
}

static void begin_rates(const code *c, double *dv, uint32_t inputs)
{
    memset(dv + inputs, 0, (c->local_count + c->number_count - inputs) * sizeof *dv);
}

// What both ways of carrying out share: `at` is the next line. False: there is no value.
static bool steer(const code *c, const foi_kept_line *l, double *v, uint32_t *at, const running *r)
{
    double s;
    switch (l->op) {
    case FOI_KEPT_JUMP: *at = l->to; return true;
    case FOI_KEPT_UNLESS:
        if (v[l->a] == 0) *at = l->to;
        return true;
    case FOI_KEPT_AGAIN: *at = l->to; return spend(r, l->a);
    case FOI_KEPT_OFFSET:
        s = v[l->c];
        if (!(s >= 1 && s <= l->b)) return false;
        v[l->to] = v[l->a] * l->b + (double)((uint32_t)s - 1);
        return true;
    case FOI_KEPT_LOAD: v[l->to] = v[c->list[l->c + (uint32_t)v[l->a]]]; return true;
    case FOI_KEPT_STORE: v[c->list[l->c + (uint32_t)v[l->a]]] = v[l->b]; return true;
    case FOI_KEPT_RANGE:
        if (v[l->to + 3] == 0) return false;
        v[l->to + 1] = (v[l->a] - v[l->to + 2]) / v[l->to + 3] + 1e-10;
        v[l->to] = 0;
        return true;
    case FOI_KEPT_TURN:
        if (!(v[l->to] <= v[l->to + 1])) return *at = l->c, true;
        v[l->b] = v[l->to + 2] + v[l->to] * v[l->to + 3];
        v[l->to] += 1;
        return true;
    case FOI_KEPT_ASSERT:
        if (v[l->a] != 0) return true;
        *r->said = l->text;
        return false;
    default: return false;
    }
}

static bool operation(const foi_kept_line *l, double *v)
{
    double a[3] = {v[l->a], v[l->b], 0};
    return l->op == FOI_KEPT_BUILTIN ? foi_flat_builtin_value(l->e->builtin, a, &v[l->to])
                                     : foi_flat_op_value(l->e->op, a[0], a[1], &v[l->to]);
}

static bool call_values(const code *c, const foi_kept_line *l, double *v, const running *r)
{
    const uint32_t *list = c->list + l->c;
    double *inside = v + c->places;
    for (uint32_t i = 0; i < l->a; i++) inside[i] = v[list[i]];
    begin(l->function->code, inside, l->a);
    if (!spend(r, 1) || !run_values(l->function->code, inside, r)) return false;
    for (const uint32_t *at = list + l->a, *end = at + 2 * (size_t)l->b; at < end; at += 2)
        v[at[1]] = inside[at[0]];
    return true;
}

static bool run_values(const code *c, double *v, const running *r)
{
    for (uint32_t at = 0;;) {
        const foi_kept_line *l = &c->lines[at++];
        switch (l->op) {
        case FOI_KEPT_COPY: v[l->to] = v[l->a]; continue;
        case FOI_KEPT_ADD: v[l->to] = v[l->a] + v[l->b]; break;
        case FOI_KEPT_SUBTRACT: v[l->to] = v[l->a] - v[l->b]; break;
        case FOI_KEPT_MULTIPLY: v[l->to] = v[l->a] * v[l->b]; break;
        case FOI_KEPT_DIVIDE: v[l->to] = v[l->a] / v[l->b]; break;
        case FOI_KEPT_OTHER:
        case FOI_KEPT_BUILTIN:
            if (!operation(l, v)) return false;
            continue;
        case FOI_KEPT_CALL:
            if (!call_values(c, l, v, r)) return false;
            continue;
        case FOI_KEPT_END: return true;
        default:
            if (!steer(c, l, v, &at, r)) return false;
            continue;
        }
        if (!isfinite(v[l->to])) return false;
    }
}

// ------------------------------------------------------------------------------------- derivatives

// A derivative that an annotation names: places of its own behind those of the function.
static bool named_rates(const foi_flat_function *f, const foi_flat_derivative *d, double *v,
                        double *dv, const running *r)
{
    double *own = v + f->code->places;
    if (!run_values(f->code, v, r)) return false;
    for (uint32_t i = 0; i < f->input_count; i++) own[i] = v[i];
    for (uint32_t k = 0; k < d->count; k++) own[f->input_count + k] = dv[d->of[k]];
    begin(d->function->code, own, d->function->input_count);
    if (!run_values(d->function->code, own, r)) return false;
    for (uint32_t i = 0; i < f->output_count; i++) {
        uint32_t at = d->result[i];
        bool unknown = f->locals[f->input_count + i]->type == FOI_REAL;
        dv[f->input_count + i] = at != UINT32_MAX ? own[d->function->input_count + at]
                                 : unknown        ? NAN
                                                  : 0;
    }
    return true;
}

// As in flat_call.c: that which an annotation names, or that of what it does; what it searches for
// has none that this would show.
static bool inside_rates(const foi_flat_function *f, double *v, double *dv, const running *r)
{
    const foi_flat_derivative *d = foi_flat_named_rate(f, dv);
    bool moves = false;
    begin(f->code, v, f->input_count);
    if (d) return named_rates(f, d, v, dv, r);
    if (!f->searches_itself || r->through) {
        begin_rates(f->code, dv, f->input_count);
        return run_rates(f->code, v, dv, r);
    }
    for (uint32_t i = 0; i < f->input_count; i++) moves |= dv[i] != 0;
    for (uint32_t i = 0; i < f->output_count; i++) dv[f->input_count + i] = moves ? NAN : 0;
    return run_values(f->code, v, r);
}

static bool call_rates(const code *c, const foi_kept_line *l, double *v, double *dv,
                       const running *r)
{
    const uint32_t *list = c->list + l->c;
    double *inside = v + c->places, *rates = dv + c->places;
    for (uint32_t i = 0; i < l->a; i++) inside[i] = v[list[i]], rates[i] = dv[list[i]];
    if (!spend(r, 1) || !inside_rates(l->function, inside, rates, r)) return false;
    for (const uint32_t *at = list + l->a, *end = at + 2 * (size_t)l->b; at < end; at += 2)
        v[at[1]] = inside[at[0]], dv[at[1]] = rates[at[0]];
    return true;
}

static bool operation_rate(const foi_kept_line *l, double *v, double *dv)
{
    double a[3] = {v[l->a], v[l->b], 0}, da[3] = {dv[l->a], dv[l->b], 0};
    if (!operation(l, v)) return false;
    dv[l->to] = foi_flat_rate(l->e, a, da, v[l->to]);
    return true;
}

// A derivative that is not asked for does not count, whatever the factor is.
static double times(double factor, double rate)
{
    return rate == 0 ? 0 : factor * rate;
}

static bool arithmetic_rate(const foi_kept_line *l, double *v, double *dv)
{
    double a = v[l->a], b = v[l->b], da = dv[l->a], db = dv[l->b], y;
    switch (l->op) {
    case FOI_KEPT_ADD: y = a + b, dv[l->to] = da + db; break;
    case FOI_KEPT_SUBTRACT: y = a - b, dv[l->to] = da - db; break;
    case FOI_KEPT_MULTIPLY: y = a * b, dv[l->to] = times(b, da) + times(a, db); break;
    default: y = a / b, dv[l->to] = times(1 / b, da) + times(-y / b, db); break;
    }
    v[l->to] = y;
    return isfinite(y);
}

// What lines that steer do to derivatives, once they are carried out.
static void steer_rate(const code *c, const foi_kept_line *l, const double *v, double *dv)
{
    if (l->op == FOI_KEPT_LOAD) dv[l->to] = dv[c->list[l->c + (uint32_t)v[l->a]]];
    if (l->op == FOI_KEPT_STORE) dv[c->list[l->c + (uint32_t)v[l->a]]] = dv[l->b];
    if (l->op == FOI_KEPT_OFFSET) dv[l->to] = 0;
    if (l->op == FOI_KEPT_TURN) dv[l->b] = 0;
}

static bool run_rates(const code *c, double *v, double *dv, const running *r)
{
    for (uint32_t at = 0;;) {
        const foi_kept_line *l = &c->lines[at++];
        bool good = true;
        switch (l->op) {
        case FOI_KEPT_COPY: v[l->to] = v[l->a], dv[l->to] = dv[l->a]; break;
        case FOI_KEPT_ADD:
        case FOI_KEPT_SUBTRACT:
        case FOI_KEPT_MULTIPLY:
        case FOI_KEPT_DIVIDE: good = arithmetic_rate(l, v, dv); break;
        case FOI_KEPT_OTHER:
        case FOI_KEPT_BUILTIN: good = operation_rate(l, v, dv); break;
        case FOI_KEPT_CALL: good = call_rates(c, l, v, dv, r); break;
        case FOI_KEPT_END: return true;
        default:
            good = steer(c, l, v, &at, r);
            if (good) steer_rate(c, l, v, dv);
            break;
        }
        if (!good) return false;
    }
}

bool foi_kept_run(const foi_flat_function *f, double *places, double *rates, bool through,
                  uint32_t *work, const char **said)
{
    const running r = {work, said, through};
    if (rates) return inside_rates(f, places, rates, &r);
    begin(f->code, places, f->input_count);
    return run_values(f->code, places, &r);
}
