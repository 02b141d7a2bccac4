/// Calls: built-in operators, functions of the model, constructors of records.
#include <string.h>

#include "language/session.h"

const foi_ast *foi_call_argument(const foi_ast *e, uint32_t place, const char *name)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const char *given = e->names ? e->names[i] : NULL;
        if (given ? name && strcmp(given, name) == 0 : i == place) return e->items[i];
    }
    return NULL;
}

foi_flat_builtin foi_scalar_function(const char *name)
{
    static const foi_flat_builtin list[] = {
        FOI_FN_ABS,   FOI_FN_SIGN, FOI_FN_SQRT,    FOI_FN_MOD,   FOI_FN_REM,  FOI_FN_DIV,
        FOI_FN_FLOOR, FOI_FN_CEIL, FOI_FN_INTEGER, FOI_FN_SIN,   FOI_FN_COS,  FOI_FN_TAN,
        FOI_FN_ASIN,  FOI_FN_ACOS, FOI_FN_ATAN,    FOI_FN_ATAN2, FOI_FN_SINH, FOI_FN_COSH,
        FOI_FN_TANH,  FOI_FN_EXP,  FOI_FN_LOG,     FOI_FN_LOG10};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(foi_flat_builtin_name(list[i]), name) == 0) return list[i];
    return FOI_FN_COUNT;
}

static bool wrong_count(foi_session *s, const foi_ast *e, const char *name, const char *wanted)
{
    return foi_error(s, e->place, "'%s' needs %s, not %u", name, wanted, e->count);
}

static bool no_names(foi_session *s, const foi_ast *e, const char *name)
{
    if (!e->names && !e->iterator_count) return true;
    return foi_error(s, e->place, "'%s' takes its arguments without names", name);
}

// sin(x), mod(x, y), ...: element by element.
static bool scalar_call(foi_session *s, const foi_context *ctx, const foi_ast *e,
                        foi_flat_builtin builtin, foi_value *out)
{
    const char *name = foi_flat_builtin_name(builtin);
    uint32_t arity = foi_flat_builtin_arity(builtin);
    foi_value v[2];
    const foi_value *shape = &v[0];
    if (!no_names(s, e, name)) return false;
    if (e->count != arity)
        return wrong_count(s, e, name, arity == 1 ? "1 argument" : "2 arguments");
    for (uint32_t i = 0; i < arity; i++) {
        if (!foi_expand(s, ctx, e->items[i], &v[i])) return false;
        if (v[i].record || v[i].literals || v[i].type > FOI_INTEGER)
            return foi_error(s, e->items[i]->place, "'%s' needs a number, not %s", name,
                             foi_type_text(s, &v[i]));
        if (v[i].rank) shape = &v[i];
    }
    if (arity == 2 && v[0].rank && v[1].rank && !foi_same_size(&v[0], &v[1]))
        return foi_error(s, e->place, "'%s' needs arrays of one size, not %s and %s", name,
                         foi_type_text(s, &v[0]), foi_type_text(s, &v[1]));
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_REAL, shape->rank, shape->dims, out, &list)) return false;
    for (uint32_t k = 0; k < out->count; k++) {
        const foi_flat_expr *a[2] = {0};
        for (uint32_t i = 0; i < arity; i++) a[i] = v[i].rank ? v[i].list[k] : v[i].one;
        double value, x[2] = {a[0]->number, arity > 1 ? a[1]->number : 0};
        bool known = a[0]->op == FOI_OP_LITERAL && (arity < 2 || a[1]->op == FOI_OP_LITERAL);
        if (known && !foi_flat_builtin_value(builtin, x, &value))
            return foi_error(s, e->place, "'%s' is not defined for %g", name, x[0]);
        list[k] = foi_flat_call_builtin(s->flat, builtin, arity, a);
        if (!list[k]) return false;
        out->type = list[k]->type;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

// Applies a built-in to each element of one value.
static bool each_call(foi_session *s, foi_place place, foi_flat_builtin builtin, foi_value *v)
{
    if (v->record) {
        foi_value *fields = foi_arena_new(&s->arena, v->record->member_count, sizeof *fields);
        if (!fields) return false;
        for (uint32_t i = 0; i < v->record->member_count; i++) {
            fields[i] = v->fields[i];
            if (!each_call(s, place, builtin, &fields[i])) return false;
        }
        v->fields = fields;
        return true;
    }
    foi_value out;
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, v, v->rank, v->dims, &out, &list)) return false;
    for (uint32_t k = 0; k < out.count; k++) {
        const foi_flat_expr *e = foi_item(v, k);
        list[k] = foi_flat_call_builtin(s->flat, builtin, 1, &e);
        if (!list[k]) return false;
    }
    if (out.rank == 0) out.one = list[0];
    *v = out;
    return true;
}

static bool der_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    (void)ctx;
    if (out->record || out->literals || out->type != FOI_REAL)
        return foi_error(s, e->items[0]->place, "'der' needs Real, not %s", foi_type_text(s, out));
    for (uint32_t k = 0; k < out->count; k++) {
        const foi_flat_expr *x = foi_item(out, k);
        if (x->op != FOI_OP_VARIABLE) continue;
        foi_flat_variable *v = x->variable;
        if (v->local) return foi_error(s, e->place, "'der' is not allowed in a function");
        if (v->variability == FOI_DISCRETE)
            return foi_error(s, e->items[0]->place, "'%s' is discrete: it has no derivative",
                             v->name);
        if (v->variability == FOI_CONTINUOUS) v->state = true;
    }
    return each_call(s, e->place, FOI_FN_DER, out);
}

static bool pre_text(foi_session *s, foi_place place, const char *name, foi_value *v)
{
    foi_value now = *v, before;
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, &now, now.rank, now.dims, &before, &list)) return false;
    for (uint32_t k = 0; k < now.count; k++)
        if (!(list[k] = foi_text_before(s, foi_item(&now, k)))) return false;
    if (before.rank == 0) before.one = list[0];
    if (*name == 'p') return *v = before, true;
    return foi_binary(s, place, FOI_OP_NOT_EQUAL, true, &now, &before, v);
}

// pre, edge and change need variables.
static bool pre_call(foi_session *s, const foi_ast *e, const char *name, foi_value *v)
{
    bool edge = *name == 'e';
    if (edge && (v->record || v->type != FOI_BOOLEAN))
        return foi_error(s, e->items[0]->place, "'edge' needs Boolean, not %s",
                         foi_type_text(s, v));
    if (!v->record && v->type == FOI_STRING) return pre_text(s, e->place, name, v);
    if (v->record) return foi_error(s, e->items[0]->place, "'%s' needs a variable", name);
    for (uint32_t k = 0; k < v->count; k++) {
        const foi_flat_expr *x = foi_item(v, k);
        if (x->op == FOI_OP_LITERAL) continue;
        if (x->op != FOI_OP_VARIABLE && x->op != FOI_OP_ELEMENT)
            return foi_error(s, e->items[0]->place, "'%s' needs a variable, not an expression",
                             name);
    }
    foi_value now = *v, before = *v;
    if (!each_call(s, e->place, FOI_FN_PRE, &before)) return false;
    if (*name == 'p') return *v = before, true;
    if (!edge) return foi_binary(s, e->place, FOI_OP_NOT_EQUAL, true, &now, &before, v);
    foi_value not_before;
    return foi_unary(s, e->place, FOI_OP_NOT, &before, &not_before) &&
           foi_binary(s, e->place, FOI_OP_AND, true, &now, &not_before, v);
}

static bool smooth_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    double order;
    if (e->count != 2) return wrong_count(s, e, "smooth", "2 arguments");
    if (!foi_expand_known(s, ctx, e->items[0], FOI_INTEGER, "the order of 'smooth'", &order) ||
        !foi_expand(s, ctx, e->items[1], out))
        return false;
    if (out->record)
        return foi_error(s, e->items[1]->place, "'smooth' needs numbers, not %s",
                         foi_type_text(s, out));
    foi_value v = *out;
    const foi_flat_expr **list, *n = foi_flat_integer(s->flat, order);
    if (!n || !foi_new_like(s, e->place, &v, v.rank, v.dims, out, &list)) return false;
    for (uint32_t k = 0; k < out->count; k++) {
        const foi_flat_expr *a[] = {n, foi_item(&v, k)};
        if (!(list[k] = foi_flat_call_builtin(s->flat, FOI_FN_SMOOTH, 2, a))) return false;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

// Of what is no number only the actual form is used.
static bool homotopy_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    const foi_ast *actual = foi_call_argument(e, 0, "actual");
    const foi_ast *simplified = foi_call_argument(e, 1, "simplified");
    foi_value v, w;
    if (!actual || !simplified || e->count != 2)
        return wrong_count(s, e, "homotopy", "2 arguments");
    if (!foi_expand(s, ctx, actual, &v) || !foi_expand(s, ctx, simplified, &w)) return false;
    *out = v;
    if (v.record || w.record || v.count == 0) return true;
    if (v.rank != w.rank || v.count != w.count)
        return foi_error(s, e->place,
                         "the arguments of 'homotopy' must have one size, not %s and %s",
                         foi_type_text(s, &v), foi_type_text(s, &w));
    if (foi_item(&v, 0)->type != FOI_REAL && foi_item(&v, 0)->type != FOI_INTEGER) return true;
    const foi_flat_expr **list;
    if (!foi_new_like(s, e->place, &v, v.rank, v.dims, out, &list)) return false;
    for (uint32_t k = 0; k < out->count; k++) {
        const foi_flat_expr *a[] = {foi_item(&v, k), foi_item(&w, k)};
        if (!(list[k] = foi_flat_call_builtin(s->flat, FOI_FN_HOMOTOPY, 2, a))) return false;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

static bool sample_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    const foi_ast *start = foi_call_argument(e, 0, "start");
    const foi_ast *interval = foi_call_argument(e, 1, "interval");
    if (!start || !interval || e->count != 2)
        return foi_error(s, e->place,
                         "'sample' needs a start and an interval, or a signal and perhaps a clock");
    const foi_flat_expr *a[2];
    double value;
    if (!foi_expand_scalar(s, ctx, start, FOI_REAL, "the start of 'sample'", &a[0]) ||
        !foi_expand_scalar(s, ctx, interval, FOI_REAL, "the interval of 'sample'", &a[1]))
        return false;
    for (int i = 0; i < 2; i++)
        if (foi_variability_of(a[i]) > FOI_PARAMETER)
            return foi_error(s, e->items[i]->place,
                             "start and interval of 'sample' must be known when a run begins");
    if (foi_known(s, a[1], false, &value) && value <= 0)
        return foi_error(s, interval->place, "the interval of 'sample' must be positive, not %g",
                         value);
    *out = foi_scalar(foi_flat_call_builtin(s->flat, FOI_FN_SAMPLE, 2, a));
    return out->one;
}

static bool delay_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    const foi_flat_expr *a[3];
    if (e->count < 2 || e->count > 3) return wrong_count(s, e, "delay", "2 or 3 arguments");
    if (!foi_expand_scalar(s, ctx, e->items[0], FOI_REAL, "what is delayed", &a[0]) ||
        !foi_expand_scalar(s, ctx, e->items[1], FOI_REAL, "the delay time", &a[1]))
        return false;
    a[2] = a[1];
    if (e->count == 3 &&
        !foi_expand_scalar(s, ctx, e->items[2], FOI_REAL, "the largest delay time", &a[2]))
        return false;
    if (foi_variability_of(a[2]) > FOI_PARAMETER)
        return foi_error(s, e->items[e->count - 1]->place,
                         e->count == 3 ? "the largest delay time must be a parameter"
                                       : "a delay time that changes needs a largest one: "
                                         "delay(x, time, largest)");
    *out = foi_scalar(foi_flat_call_builtin(s->flat, FOI_FN_DELAY, 3, a));
    return out->one;
}

// semiLinear(x, a, b) = if x >= 0 then a x else b x, continuous at 0.
static bool semi_linear(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v[3];
    const foi_value *shape = &v[0];
    if (e->count != 3) return wrong_count(s, e, "semiLinear", "3 arguments");
    for (int i = 0; i < 3; i++) {
        if (!foi_expand(s, ctx, e->items[i], &v[i]) ||
            !foi_convert(s, e->items[i]->place, &v[i], FOI_REAL, NULL, "an argument"))
            return false;
        if (v[i].rank && shape->rank && !foi_same_size(&v[i], shape))
            return foi_error(s, e->place, "'semiLinear' needs arrays of one size");
        if (v[i].rank) shape = &v[i];
    }
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_REAL, shape->rank, shape->dims, out, &list)) return false;
    for (uint32_t k = 0; k < out->count; k++) {
        foi_flat *f = s->flat;
        const foi_flat_expr *x[3];
        for (int i = 0; i < 3; i++) x[i] = v[i].rank ? v[i].list[k] : v[i].one;
        const foi_flat_expr *piece =
            foi_flat_if(f, foi_flat_binary(f, FOI_OP_GREATER_EQUAL, x[0], foi_flat_real(f, 0)),
                        foi_flat_binary(f, FOI_OP_MULTIPLY, x[1], x[0]),
                        foi_flat_binary(f, FOI_OP_MULTIPLY, x[2], x[0]));
        const foi_flat_expr *arguments[] = {foi_flat_integer(f, 0), piece};
        if (!(list[k] = foi_flat_call_builtin(f, FOI_FN_SMOOTH, 2, arguments))) return false;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

static bool integer_call(foi_session *s, const foi_ast *e, foi_value *v)
{
    if (!v->literals)
        return foi_error(s, e->place,
                         "'Integer' needs an enumeration, not %s; "
                         "'integer' rounds down",
                         foi_type_text(s, v));
    v->literals = NULL;
    return true;
}

static bool is_statement(const char *name)
{
    return strcmp(name, "assert") == 0 || strcmp(name, "terminate") == 0 ||
           strcmp(name, "reinit") == 0;
}

// Operators of one argument that work on its value.
static bool one_argument(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                         bool *handled, foi_value *out)
{
    static const char *const names[] = {"der", "pre", "edge", "change", "noEvent", "Integer"};
    *handled = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        *handled |= strcmp(names[i], name) == 0;
    if (!*handled) return true;
    if (e->count != 1) return wrong_count(s, e, name, "1 argument");
    if (!no_names(s, e, name) || !foi_expand(s, ctx, e->items[0], out)) return false;
    switch (*name) {
    case 'd': return der_call(s, ctx, e, out);
    case 'n': return each_call(s, e->place, FOI_FN_NO_EVENT, out);
    case 'I': return integer_call(s, e, out);
    default: return pre_call(s, e, name, out);
    }
}

static bool builtin_call(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                         bool *handled, foi_value *out)
{
    *handled = true;
    foi_flat_builtin builtin = foi_scalar_function(name);
    if (builtin != FOI_FN_COUNT) return scalar_call(s, ctx, e, builtin, out);
    bool right = one_argument(s, ctx, e, name, handled, out);
    if (*handled) return right;
    *handled = true;
    right = foi_clock_call(s, ctx, e, name, handled, out);
    if (*handled) return right;
    *handled = true;
    if (strcmp(name, "smooth") == 0) return smooth_call(s, ctx, e, out);
    if (strcmp(name, "sample") == 0) return sample_call(s, ctx, e, out);
    if (strcmp(name, "delay") == 0) return delay_call(s, ctx, e, out);
    if (strcmp(name, "inStream") == 0) return foi_stream_call(s, ctx, e, false, out);
    if (strcmp(name, "actualStream") == 0) return foi_stream_call(s, ctx, e, true, out);
    if (strcmp(name, "semiLinear") == 0) return semi_linear(s, ctx, e, out);
    if (strcmp(name, "spatialDistribution") == 0) {
        const foi_value *ends;
        return foi_distribution_call(s, ctx, e, &ends) && (*out = ends[0], true);
    }
    bool initial = strcmp(name, "initial") == 0;
    if (initial || strcmp(name, "terminal") == 0) {
        if (e->count) return wrong_count(s, e, name, "no arguments");
        s->uses_initial |= initial && !ctx->in_initial;
        *out = foi_scalar(
            foi_flat_call_builtin(s->flat, initial ? FOI_FN_INITIAL : FOI_FN_TERMINAL, 0, NULL));
        return out->one;
    }
    if (strcmp(name, "homotopy") == 0) return homotopy_call(s, ctx, e, out);
    if (strcmp(name, "getInstanceName") == 0 && e->count == 0) {
        const foi_instance *top = ctx->self;
        while (top && top->parent) top = top->parent->parent;
        const char *path = top ? top->c->name : ""; // "Vehicle.engine" of MyLib.Vehicle
        bool inside = ctx->self && *ctx->self->name;
        path = foi_arena_print(&s->flat->arena, inside ? "%s.%s" : "%s", path,
                               inside ? ctx->self->name : "");
        *out = foi_scalar(path ? foi_flat_text(s->flat, path) : NULL);
        return out->one;
    }
    if (strcmp(name, "String") == 0) {
        if (e->count == 0) return wrong_count(s, e, name, "an argument");
        return foi_string_call(s, ctx, e, out);
    }
    if (is_statement(name)) return foi_error(s, e->place, "'%s' is a statement, not a value", name);
    return foi_array_function(s, ctx, e, name, handled, out);
}

// Fields in the order of the arguments; what is not given has its default.
static bool construct_inside(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                             foi_value *out)
{
    foi_value *fields = foi_arena_new(&s->arena, c->member_count, sizeof *fields);
    foi_scope *scopes = foi_arena_new(&s->arena, c->member_count, sizeof *scopes);
    const foi_scope *known = NULL;
    if (!fields || !scopes) return false;
    bool handled, done = foi_overloaded_construct(s, ctx, e, c, &handled, out);
    if (handled) return done;
    if (e->count > c->member_count)
        return foi_error(s, e->place, "record '%s' has %u components, not %u", c->name,
                         c->member_count, e->count);
    for (uint32_t i = 0; e->names && i < e->count; i++)
        if (e->names[i] && !foi_find_member(c, e->names[i]))
            return foi_error(s, e->items[i]->place, "record '%s' has no '%s'", c->name,
                             e->names[i]);
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_declaration *d = c->members[i].declaration;
        const foi_ast *given = foi_call_argument(e, i, d->name);
        foi_context there = {.scope = known};
        const foi_ast *unless = foi_default_value(s, NULL, &c->members[i], &there);
        bool zero = i == 1 && foi_is_complex_class(c);
        if (!given && zero && !unless) { // a real number
            if (!(fields[i] = foi_scalar(foi_flat_real(s->flat, 0))).one) return false;
            continue;
        }
        if (!given && !unless)
            return foi_error(s, e->place, "'%s' needs a value for '%s'", c->name, d->name);
        if (!(given ? foi_expand(s, ctx, given, &fields[i])
                    : foi_expand(s, &there, unless, &fields[i])))
            return false;
        if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
        if (!d->resolved || !foi_analyse(s, d->resolved)) return false;
        foi_class *t = d->resolved->builtin;
        char what[96];
        snprintf(what, sizeof what, "'%.60s'", d->name);
        if (t && !foi_convert(s, given ? given->place : e->place, &fields[i], t->type,
                              t->literal_count ? t : NULL, what))
            return false;
        if (!t && !foi_as_record(s, e->place, d->resolved, &fields[i])) return false;
        scopes[i] = (foi_scope){d->name, fields[i], known, c};
        known = &scopes[i];
    }
    *out = (foi_value){.record = c, .count = 1, .fields = fields};
    return true;
}

static bool construct(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                      foi_value *out)
{
    if (s->constructing >= FOI_DEEPEST_MODEL) {
        s->hopeless = true;
        return foi_error(s, e->place,
                         "records are nested more than %d deep: does '%s' contain "
                         "itself?",
                         FOI_DEEPEST_MODEL, c->name);
    }
    s->constructing++;
    bool right = construct_inside(s, ctx, e, c, out);
    s->constructing--;
    return right;
}

static bool in_math(const foi_class *c)
{
    const foi_class *math = c->enclosing, *top = math ? math->enclosing : NULL;
    return top && top->name && strcmp(math->name, "Math") == 0 &&
           strcmp(top->name, "Modelica") == 0;
}

// A function of an instance: world.gravity(...). The last component's class has it; *at is where
// the names of classes begin.
static bool through_components(foi_session *s, const foi_context *ctx, const foi_ref *ref,
                               foi_instance **self, uint32_t *at)
{
    foi_instance *in = ctx->self;
    uint32_t i = 0;
    for (; i + 1 < ref->count; i++) {
        const char *name = ref->parts[i].name;
        foi_component *c = i == 0 ? foi_seen(ctx, name) : foi_component_of(in, name);
        if (!c) break;
        if (!(c = foi_named(s, c))) return false;
        if (foi_is_handed_over(c))
            return foi_error(s, ref->parts[i].place, "'%s' is a function, and has no functions",
                             name);
        if (!foi_size(s, c)) return false;
        if (c->absent || !c->elements || c->count != 1)
            return foi_error(s, ref->parts[i].place,
                             "'%s' is not a single component with functions", c->name);
        if (c->member->declaration->condition)
            return foi_error(s, ref->parts[i].place,
                             "'%s' is conditional: it can only be connected", c->name);
        in = c->elements[0];
    }
    *self = in, *at = i;
    return true;
}

// Does the instance give other values to constants of a base than the base itself has?
static bool changes_constants(const foi_class *c, const foi_class *base)
{
    for (uint32_t i = 0; i < base->member_count; i++) {
        const foi_member *was = &base->members[i];
        if (was->declaration->variability != FOI_CONSTANT) continue;
        const foi_member *is = foi_find_member(c, was->declaration->name);
        if (is && (is->declaration != was->declaration || is->through != was->through)) return true;
    }
    return false;
}

// The constant of a base that a modification of this very instance gives a value; NULL: none.
static const char *constant_modified(const foi_instance *self, const foi_class *base)
{
    for (const foi_layer *l = self->layers; l; l = l->weaker)
        for (uint32_t i = 0; i < l->modifier->count; i++) {
            const foi_argument *a = &l->modifier->arguments[i];
            const foi_member *m = foi_find_member(base, a->name);
            if (m && m->declaration->variability == FOI_CONSTANT && a->modifier) return a->name;
        }
    return NULL;
}

// A function that is written in a model, or in a base of it, has the constants of that model.
static foi_class *of_model(foi_session *s, const foi_instance *self, foi_class *f, foi_place place)
{
    if (!self || !f->enclosing || f->enclosing->kind == FOI_CLASS_PACKAGE || f->origin == f)
        return f;
    const foi_class *base = foi_as_base(self->c, f->enclosing);
    const char *name = base ? constant_modified(self, base) : NULL;
    if (name) // one function serves all instances of a model
        return foi_error(s, place,
                         "function '%s' is written in '%s', whose constant '%s' has another value "
                         "in '%s': that is not supported",
                         f->name, f->enclosing->name, name, self->name),
               NULL;
    if (!base || base == self->c || !changes_constants(self->c, base)) return f;
    return foi_specialise(s, f, self->c, f->overrides, f->override_count);
}

foi_class *foi_called_class(foi_session *s, const foi_context *ctx, const foi_ast *e,
                            foi_instance **self)
{
    const foi_ref *ref = e->ref;
    const char *name = ref->parts[0].name;
    bool variable = foi_in_scope(ctx, name) || foi_seen(ctx, name);
    *self = ctx->self && !ctx->self->frame ? ctx->self : NULL;
    if (variable && !ref->global && ref->count == 1) {
        foi_error(s, e->place, "'%s' is a variable, not a function; subscripts stand in '[ ]'",
                  name);
        return NULL;
    }
    for (uint32_t i = 0; i < ref->count; i++)
        if (ref->parts[i].count) {
            foi_error(s, ref->parts[i].place, "the name of a function has no subscripts");
            return NULL;
        }
    foi_class *lexical = ctx->lexical;
    foi_ref rest = *ref;
    if (variable && !ref->global) {
        uint32_t at = 0;
        if (!through_components(s, ctx, ref, self, &at)) return NULL;
        rest.parts += at, rest.count -= at, lexical = (*self)->c;
    }
    foi_class *c = foi_find_class(s, lexical, &rest, "function");
    if (c) c = of_model(s, *self, c, e->place);
    if (!c || !foi_analyse(s, c)) return NULL;
    bool through = variable && !ref->global && ref->count > 1;
    if (through && (c->is_operator || (c->enclosing && c->enclosing->kind == FOI_CLASS_OPERATOR))) {
        foi_error(s, e->place, "'%s' is the function of an operator: it cannot be called so",
                  c->name);
        return NULL;
    }
    bool own = c->name == ref->parts[ref->count - 1].name; // or it was redeclared as another one
    if (through && own && c->is_protected && !c->redeclare) {
        foi_error(s, e->place, "function '%s' is protected in '%s'", c->name, lexical->name);
        return NULL;
    }
    bool literals = c->builtin && c->builtin->literal_count;
    if (c->kind == FOI_CLASS_FUNCTION || c->kind == FOI_CLASS_RECORD || literals) return c;
    foi_error(s, e->place, "'%s' is a %s, not a function", c->name, foi_class_word(c));
    return NULL;
}

bool foi_expand_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value)
{
    const char *name = e->ref->parts[0].name;
    bool handled, right = foi_structure_call(s, ctx, e, &handled, value);
    if (handled) return right;
    bool handed_over = foi_functional_input(ctx, e->ref) != NULL;
    if (e->ref->count == 1 && !handed_over &&
        (e->ref->global || !foi_is_shadowed(s, ctx->lexical, name))) {
        right = builtin_call(s, ctx, e, name, &handled, value);
        if (handled) return right;
    }
    foi_instance *self;
    const foi_value *handed = foi_functional_input(ctx, e->ref), *results;
    uint32_t count;
    if (handed) {
        if (!foi_call_closure(s, ctx, e, handed->function, &results, &count)) return false;
        if (count == 0) return foi_error(s, e->place, "function '%s' has no result", name);
        return *value = results[0], true;
    }
    foi_class *c = foi_called_class(s, ctx, e, &self);
    if (!c) return false;
    if (e->iterator_count)
        return foi_error(
            s, e->place,
            "'%s' cannot be used with 'for': only sum, product, min, max and array can", c->name);
    foi_flat_builtin builtin = in_math(c) ? foi_scalar_function(c->name) : FOI_FN_COUNT;
    if (builtin != FOI_FN_COUNT) return scalar_call(s, ctx, e, builtin, value);
    if (c->is_object) return foi_make_object(s, ctx, e, c, value);
    if (c->builtin) return foi_literal_of_number(s, ctx, e, c, value);
    if (c->kind == FOI_CLASS_RECORD) return construct(s, ctx, e, c, value);
    if (!foi_call_function(s, ctx, e, c, self, &results, &count)) return false;
    if (count == 0) return foi_error(s, e->place, "function '%s' has no result", c->name);
    *value = results[0];
    return true;
}

bool foi_expand_results(foi_session *s, const foi_context *ctx, const foi_ast *e,
                        const foi_value **results, uint32_t *count)
{
    if (e->kind != FOI_AST_CALL)
        return foi_error(s, e->place, "'(a, b, ...) =' needs a function call on the right");
    foi_instance *self;
    const foi_value *handed = foi_functional_input(ctx, e->ref);
    if (handed) return foi_call_closure(s, ctx, e, handed->function, results, count);
    const char *name = e->ref->parts[0].name;
    if (e->ref->count == 1 && strcmp(name, "spatialDistribution") == 0 &&
        !foi_is_shadowed(s, ctx->lexical, name))
        return foi_distribution_call(s, ctx, e, results) && (*count = 2, true);
    foi_class *c = foi_called_class(s, ctx, e, &self);
    if (!c) return false;
    if (c->kind != FOI_CLASS_FUNCTION)
        return foi_error(s, e->place, "'%s' is a %s, not a function", c->name, foi_class_word(c));
    return foi_call_function(s, ctx, e, c, self, results, count);
}
