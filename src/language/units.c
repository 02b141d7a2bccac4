/// Units: what stands on the two sides of an equation must have one dimension.
///
/// A unit is a vector of exponents of m, kg, s, A, K, mol and cd; scales and offsets (mm, degC) do
/// not matter, and rad, sr and "1" have none of them. What has no unit is unknown: a number, a
/// variable without the attribute, a function's result, sin(x) (which is often meant as 1 V of
/// it), time (which x = time takes for a number), a unit that cannot be read. A product with
/// something unknown is unknown; a sum has the unit of what is known of it. Only where both sides
/// are known is there something to say, and only in what the user has written: libraries have
/// constants in the manner of unitTorque.
///
/// A variable without a unit gets the one that an equation gives it: v = F, der(x) = v, v = F + G,
/// where the rest is known and has a dimension. Nothing is inferred through a product, since
/// numbers may have units that are not said, nor for parameters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/session.h"

enum { BASES = 7, MOST_NODES = 5000, DEEPEST = 200 };

typedef struct unit {
    bool known;
    double e[BASES];
    const char *text; ///< as it was declared, if it was; otherwise NULL
} unit;

static const char *const bases[BASES] = {"m", "kg", "s", "A", "K", "mol", "cd"};

// --------------------------------------------------------------------------------------- reading

static const struct {
    const char *name;
    int8_t e[BASES];
} symbols[] = {
    {"m", {1}},
    {"g", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {0}},
    {"sr", {0}},
    {"deg", {0}},
    {"rev", {0}},
    {"Hz", {0, 0, -1}},
    {"Bq", {0, 0, -1}},
    {"N", {1, 1, -2}},
    {"Pa", {-1, 1, -2}},
    {"bar", {-1, 1, -2}},
    {"J", {2, 1, -2}},
    {"eV", {2, 1, -2}},
    {"W", {2, 1, -3}},
    {"VA", {2, 1, -3}},
    {"var", {2, 1, -3}},
    {"C", {0, 0, 1, 1}},
    {"V", {2, 1, -3, -1}},
    {"F", {-2, -1, 4, 2}},
    {"Ohm", {2, 1, -3, -2}},
    {"ohm", {2, 1, -3, -2}},
    {"S", {-2, -1, 3, 2}},
    {"Wb", {2, 1, -2, -1}},
    {"T", {0, 1, -2, -1}},
    {"H", {2, 1, -2, -2}},
    {"lm", {0, 0, 0, 0, 0, 0, 1}},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}},
    {"Gy", {2, 0, -2}},
    {"Sv", {2, 0, -2}},
    {"kat", {0, 0, -1, 0, 0, 1}},
    {"min", {0, 0, 1}},
    {"h", {0, 0, 1}},
    {"d", {0, 0, 1}},
    {"l", {3}},
    {"L", {3}},
    {"degC", {0, 0, 0, 0, 1}},
    {"degF", {0, 0, 0, 0, 1}},
};

static const int8_t *symbol(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strlen(symbols[i].name) == length && strncmp(symbols[i].name, name, length) == 0)
            return symbols[i].e;
    return NULL;
}

// The symbol itself, or behind a prefix: "min" is no milli-inch, "mm" a millimetre.
static const int8_t *operand(const char *name, size_t length)
{
    const int8_t *found = symbol(name, length);
    if (!found && length > 2 && strncmp(name, "da", 2) == 0) found = symbol(name + 2, length - 2);
    if (!found && length > 1 && strchr("YZEPTGMkhdcmunpfazy", *name))
        found = symbol(name + 1, length - 1);
    return found;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// operand [exponent]; "1" stands for nothing.
static bool read_factor(const char **at, double sign, double *e)
{
    size_t length = 0;
    if (**at == '1' && !(at[0][1] >= '0' && at[0][1] <= '9')) {
        ++*at;
        return true;
    }
    while (is_letter((*at)[length])) length++;
    const int8_t *found = length ? operand(*at, length) : NULL;
    if (!found) return false;
    *at += length;
    double power = 0;
    bool minus = **at == '-', digits = false;
    if (minus || **at == '+') ++*at;
    for (; **at >= '0' && **at <= '9' && power < 1000; ++*at, digits = true)
        power = 10 * power + (**at - '0');
    if (!digits && (minus || (*at)[-1] == '+')) return false;
    if (!digits) power = 1;
    for (int i = 0; i < BASES; i++) e[i] += sign * (minus ? -power : power) * found[i];
    return true;
}

// factor {"." factor}, or the same in parentheses.
static bool read_product(const char **at, double sign, bool one, double *e)
{
    bool inside = **at == '(';
    if (inside) ++*at;
    do
        if (!read_factor(at, sign, e)) return false;
    while ((inside || !one) && **at == '.' && ++*at);
    if (inside && **at != ')') return false;
    if (inside) ++*at;
    return true;
}

// product ["/" factor or (product)], as in chapter 19 of the specification.
static unit read_unit(const char *text)
{
    unit u = {.text = text};
    const char *at = text;
    if (!text || !*text || !read_product(&at, 1, false, u.e)) return u;
    if (*at == '/' && (++at, !read_product(&at, -1, true, u.e))) return u;
    u.known = *at == 0;
    return u;
}

// --------------------------------------------------------------------------------------- writing

static void write_side(const double *e, double sign, bool parentheses, char *text, size_t size)
{
    size_t n = strlen(text);
    bool first = true;
    for (int i = 0; i < BASES; i++) {
        double power = sign * e[i];
        if (!(power > 0) || n >= size) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", first ? parentheses ? "(" : "" : ".",
                              bases[i]);
        if (power != 1 && n < size) n += (size_t)snprintf(text + n, size - n, "%g", power);
        first = false;
    }
    if (parentheses && n < size) snprintf(text + n, size - n, ")");
}

static const char *unit_text(const unit *u, char *text, size_t size)
{
    int above = 0, below = 0;
    if (u->text) return u->text;
    for (int i = 0; i < BASES; i++) above += u->e[i] > 0, below += u->e[i] < 0;
    snprintf(text, size, "%s", above ? "" : "1");
    write_side(u->e, 1, false, text, size);
    if (below && strlen(text) + 1 < size) {
        strcat(text, "/");
        write_side(u->e, -1, below > 1, text, size);
    }
    return text;
}

// ------------------------------------------------------------------------------------- inference

/// Two units that must be one and are not; the first that were found.
typedef struct clash {
    bool found;
    unit a, b;
} clash;

static bool same(const unit *a, const unit *b)
{
    for (int i = 0; i < BASES; i++)
        if (fabs(a->e[i] - b->e[i]) > 1e-9) return false;
    return true;
}

static unit joined(unit a, unit b, clash *c)
{
    if (a.known && b.known && !same(&a, &b) && !c->found) *c = (clash){true, a, b};
    return a.known ? a : b;
}

static unit product(unit a, unit b, double power)
{
    unit u = {.known = a.known && b.known};
    for (int i = 0; i < BASES; i++) u.e[i] = a.e[i] + power * b.e[i];
    return u;
}

static unit raised(unit a, double power)
{
    for (int i = 0; i < BASES; i++) a.e[i] *= power;
    a.text = NULL;
    return a;
}

static const unit second = {.known = true, .e = {0, 0, 1}};

static bool has_unit(const foi_flat_variable *v)
{
    return v->unit && *v->unit;
}

static const char *own_unit(const foi_flat_variable *v)
{
    return has_unit(v) ? v->unit : v->inferred;
}

static unit unit_of(const foi_flat_expr *x, int depth, clash *c);

static unit of_call(const foi_flat_expr *x, int depth, clash *c)
{
    switch (x->builtin) {
    case FOI_FN_DER: return product(unit_of(x->arguments[0], depth, c), second, -1);
    case FOI_FN_PRE:
    case FOI_FN_NO_EVENT:
    case FOI_FN_DELAY:
    case FOI_FN_HOMOTOPY:
    case FOI_FN_ABS: return unit_of(x->arguments[0], depth, c);
    case FOI_FN_SMOOTH: return unit_of(x->arguments[1], depth, c);
    case FOI_FN_SQRT: return raised(unit_of(x->arguments[0], depth, c), 0.5);
    case FOI_FN_MIN:
    case FOI_FN_MAX:
        return joined(unit_of(x->arguments[0], depth, c), unit_of(x->arguments[1], depth, c), c);
    default: return (unit){0};
    }
}

static unit unit_of(const foi_flat_expr *x, int depth, clash *c)
{
    const foi_flat_expr *const *a = x->arguments;
    if (++depth > DEEPEST || x->type != FOI_REAL) return (unit){0};
    switch (x->op) {
    case FOI_OP_VARIABLE: return read_unit(own_unit(x->variable));
    case FOI_OP_NEGATE: return unit_of(a[0], depth, c);
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: return joined(unit_of(a[0], depth, c), unit_of(a[1], depth, c), c);
    case FOI_OP_MULTIPLY: return product(unit_of(a[0], depth, c), unit_of(a[1], depth, c), 1);
    case FOI_OP_DIVIDE: return product(unit_of(a[0], depth, c), unit_of(a[1], depth, c), -1);
    case FOI_OP_POWER:
        if (a[1]->op != FOI_OP_LITERAL) return (unit){0};
        return raised(unit_of(a[0], depth, c), a[1]->number);
    case FOI_OP_IF: return joined(unit_of(a[1], depth, c), unit_of(a[2], depth, c), c);
    case FOI_OP_CALL: return of_call(x, depth, c);
    default: return (unit){0};
    }
}

// ---------------------------------------------------------------------------------------- checks

static bool is_own(const foi_session *s, foi_place place)
{
    return place.line && place.file < s->source_count && !s->sources[place.file].library;
}

/// Two sides that must have one unit.
typedef struct sides {
    const foi_flat_expr *left, *right;
    foi_place place;
    const char *what;
} sides;

static bool is_looked_at(const foi_session *s, const sides *e)
{
    return is_own(s, e->place) && e->left->type == FOI_REAL &&
           e->left->size + e->right->size <= MOST_NODES;
}

// A variable whose unit follows from another equation; NULL: there is none.
static const foi_flat_variable *inferred_in(const foi_flat_expr *x, int depth)
{
    const foi_flat_variable *v = x->op == FOI_OP_VARIABLE ? x->variable : NULL;
    if (v) return v->inferred && !has_unit(v) ? v : NULL;
    for (uint32_t i = 0; ++depth <= DEEPEST && i < x->count && !v; i++)
        v = inferred_in(x->arguments[i], depth);
    return v;
}

static bool check(foi_session *s, const sides *e)
{
    char one[80], other[80], why[200] = "";
    if (!is_looked_at(s, e)) return true;
    clash c = {0};
    unit a = unit_of(e->left, 0, &c), b = unit_of(e->right, 0, &c);
    const foi_flat_variable *v = inferred_in(e->left, 0);
    if (!v) v = inferred_in(e->right, 0);
    if (v)
        snprintf(why, sizeof why, "; `%.60s` has no unit of its own: line %u gives it '%.60s'",
                 v->name, (unsigned)v->inferred_by, v->inferred);
    if (c.found)
        return foi_error(s, e->place, "units do not fit: '%s' and '%s' in one sum or choice%s",
                         unit_text(&c.a, one, sizeof one), unit_text(&c.b, other, sizeof other),
                         why);
    if (!a.known || !b.known || same(&a, &b)) return true;
    return foi_error(
        s, e->place, "units do not fit: the left side of this %s has '%s', the right '%s'%s",
        e->what, unit_text(&a, one, sizeof one), unit_text(&b, other, sizeof other), why);
}

// ---------------------------------------------------------------------- variables without a unit

static bool give(foi_session *s, const foi_flat_expr *x, unit u, foi_place place, int depth);

static bool give_both(foi_session *s, const foi_flat_expr *const *a, unit u, foi_place place,
                      int depth)
{
    bool first = give(s, a[0], u, place, depth);
    return give(s, a[1], u, place, depth) || first;
}

// Gives a unit to the variables that an expression has its unit from. Whether one got it.
static bool give(foi_session *s, const foi_flat_expr *x, unit u, foi_place place, int depth)
{
    static const unit none = {0};
    const foi_flat_expr *const *a = x->arguments;
    char text[80];
    if (++depth > DEEPEST || x->type != FOI_REAL || same(&u, &none)) return false;
    switch (x->op) {
    case FOI_OP_VARIABLE:
        if (own_unit(x->variable) || x->variable->variability < FOI_DISCRETE) return false;
        x->variable->inferred =
            foi_arena_print(&s->flat->arena, "%s", unit_text(&u, text, sizeof text));
        x->variable->inferred_by = place.line;
        return true;
    case FOI_OP_NEGATE: return give(s, a[0], u, place, depth);
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: return give_both(s, a, u, place, depth);
    case FOI_OP_IF: return give_both(s, a + 1, u, place, depth);
    case FOI_OP_CALL: break;
    default: return false;
    }
    switch (x->builtin) {
    case FOI_FN_DER: return give(s, a[0], product(u, second, 1), place, depth);
    case FOI_FN_PRE:
    case FOI_FN_NO_EVENT:
    case FOI_FN_ABS: return give(s, a[0], u, place, depth);
    default: return false;
    }
}

static bool infer(foi_session *s, const sides *e)
{
    if (!is_looked_at(s, e)) return false;
    clash c = {0};
    unit a = unit_of(e->left, 0, &c), b = unit_of(e->right, 0, &c);
    const foi_flat_expr *both[] = {e->left, e->right}; // also what else is in a sum
    if (!a.known && !b.known) return false;
    return give_both(s, both, a.known ? a : b, e->place, 0);
}

// Does something with all pairs of sides. Whether it said so of all, or of any.
static bool each(foi_session *s, bool (*act)(foi_session *s, const sides *e), bool all)
{
    const foi_flat *f = s->flat;
    const struct {
        const foi_flat_equation *equations;
        uint32_t count;
    } lists[] = {{f->equations, f->equation_count}, {f->initial, f->initial_count}};
    bool result = all;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < lists[k].count; i++) {
            const foi_flat_equation *q = &lists[k].equations[i];
            bool said = act(s, &(sides){q->left, q->right, q->place, "equation"});
            result = all ? result && said : result || said;
        }
    for (uint32_t i = 0; i < f->variable_count; i++) {
        foi_flat_variable *v = f->variables[i];
        if (!v->binding || v->type != FOI_REAL) continue;
        const foi_flat_expr itself = {
            .op = FOI_OP_VARIABLE, .type = FOI_REAL, .size = 1, .variable = v};
        bool said = act(s, &(sides){&itself, v->binding, v->place, "declaration"});
        result = all ? result && said : result || said;
    }
    return result;
}

bool foi_check_units(foi_session *s)
{
    enum { PASSES = 16 };
    const foi_flat *f = s->flat;
    bool any = false;
    for (uint32_t i = 0; i < f->variable_count && !any; i++) any = has_unit(f->variables[i]);
    if (s->def->no_units || !any) return true;
    for (int i = 0; i < PASSES && each(s, infer, false); i++) {
    } // what one gives to the next
    return each(s, check, true) && !f->arena.failed;
}
