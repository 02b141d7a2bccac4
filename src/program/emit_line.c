/// Lines: how operations become those that machines have, and the constants that code reads.
///
/// Where a machine compares it gives a mask, all bits one or none. A truth is 1.0 under that mask,
/// and who asks whether a truth is not zero gets the mask that it was made of; the truth itself is
/// then often not needed by anyone, and what nobody needs is not written.
#include <string.h>

#include "base/array.h"
#include "math/vector.h"
#include "program/emit.h"

// -------------------------------------------------------------------------------------------- pool

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool pool_room(foi_pool *p, uint32_t more)
{
    bool fits = p->count + (size_t)more <= FOI_POOL_MOST;
    if (!fits || !foi_array_room(p->allocator, &p->word, &p->room, p->count + (size_t)more, 8))
        p->failed = true;
    return !p->failed;
}

bool foi_pool_begin(foi_pool *p, const fo_allocator *allocator)
{
    *p = (foi_pool){.allocator = allocator, .table_size = 256};
    p->table = foi_new(allocator, p->table_size, sizeof *p->table);
    if (!p->table || !pool_room(p, FOI_POOL_WIDE)) {
        p->failed = true;
        return false;
    }
    for (; p->count < FOI_POOL_WIDE; p->count++)
        p->word[p->count] = p->count <= FOI_POOL_SIGN ? UINT64_C(1) << 63 : bits_of(1.0);
    return true;
}

void foi_pool_free(foi_pool *p)
{
    foi_free(p->allocator, p->word);
    foi_free(p->allocator, p->table);
    *p = (foi_pool){0};
}

static uint32_t *find_word(const foi_pool *p, uint64_t bits)
{
    uint64_t h = bits * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(h >> 40) & (p->table_size - 1);
    while (p->table[at] && p->word[p->table[at] - 1] != bits) at = (at + 1) & (p->table_size - 1);
    return &p->table[at];
}

// Words of lists are not in the table: only those before `count` that were put in one by one.
static bool grow_table(foi_pool *p)
{
    uint32_t *before = p->table, size = p->table_size;
    p->table = foi_new(p->allocator, (size_t)size * 4, sizeof *p->table);
    if (!p->table) {
        p->table = before;
        return false;
    }
    p->table_size = size * 4;
    for (uint32_t i = 0; i < size; i++)
        if (before[i]) *find_word(p, p->word[before[i] - 1]) = before[i];
    foi_free(p->allocator, before);
    return true;
}

uint32_t foi_pool_word(foi_pool *p, uint64_t bits)
{
    if (p->failed) return 0;
    uint32_t *place = find_word(p, bits);
    if (*place) return *place - 1;
    if (!pool_room(p, 1) || (p->count * 2 >= p->table_size && !grow_table(p))) {
        p->failed = true;
        return 0;
    }
    p->word[p->count] = bits;
    *find_word(p, bits) = p->count + 1;
    return p->count++;
}

uint32_t foi_pool_double(foi_pool *p, double value)
{
    return foi_pool_word(p, bits_of(value));
}

uint32_t foi_pool_list(foi_pool *p, const double *values, uint32_t count)
{
    if (!count || !pool_room(p, count)) return 0;
    for (uint32_t i = count; i-- > 0;) p->word[p->count++] = bits_of(values[i]);
    return p->count - 1;
}

// -------------------------------------------------------------------------------------- functions

static double call_floor(double a)
{
    return foi_floor(a);
}

static double call_ceil(double a)
{
    return foi_ceil(a);
}

static double call_trunc(double a)
{
    return foi_trunc(a);
}

#define ADDRESS(function) (uint64_t)(uintptr_t)(function)

uint64_t foi_function_address(uint32_t op)
{
    switch (op) {
    case FOI_G_POWER: return ADDRESS(foi_pow);
    case FOI_G_MOD: return ADDRESS(foi_modulo);
    case FOI_G_REM: return ADDRESS(foi_remain);
    case FOI_G_SIN: return ADDRESS(foi_sin);
    case FOI_G_COS: return ADDRESS(foi_cos);
    case FOI_G_TAN: return ADDRESS(foi_tan);
    case FOI_G_ASIN: return ADDRESS(foi_asin);
    case FOI_G_ACOS: return ADDRESS(foi_acos);
    case FOI_G_ATAN: return ADDRESS(foi_atan);
    case FOI_G_ATAN2: return ADDRESS(foi_atan2);
    case FOI_G_SINH: return ADDRESS(foi_sinh);
    case FOI_G_COSH: return ADDRESS(foi_cosh);
    case FOI_G_TANH: return ADDRESS(foi_tanh);
    case FOI_G_EXP: return ADDRESS(foi_exp);
    case FOI_G_LOG: return ADDRESS(foi_log);
    case FOI_G_LOG10: return ADDRESS(foi_log10);
    case FOI_G_LOST: return ADDRESS(foi_lost);
    case FOI_G_ALONG: return ADDRESS(foi_along);
    case FOI_G_AMONG: return ADDRESS(foi_among);
    case FOI_G_FLOOR: return ADDRESS(call_floor);
    case FOI_G_CEIL: return ADDRESS(call_ceil);
    default: return ADDRESS(call_trunc);
    }
}

// ------------------------------------------------------------------------------------------ lines

void foi_line_begin(foi_line *l)
{
    l->count = 0, l->calls = false;
}

void foi_line_free(foi_line *l)
{
    foi_free(l->pool->allocator, l->list);
    foi_free(l->pool->allocator, l->mask);
    l->list = NULL, l->mask = NULL;
    l->count = 0, l->room = l->mask_room = 0;
}

static uint32_t add(foi_line *l, foi_line_op x)
{
    size_t n = (size_t)l->count + 1;
    bool room = (n <= l->room && n <= l->mask_room) ||
                (foi_array_room(l->pool->allocator, &l->list, &l->room, n, sizeof *l->list) &&
                 foi_array_room(l->pool->allocator, &l->mask, &l->mask_room, n, sizeof *l->mask));
    if (l->failed || !room) {
        l->failed = true;
        return 0;
    }
    l->mask[l->count] = FOI_NEVER;
    l->list[l->count] = x;
    return l->count++;
}

static uint32_t put(foi_line *l, uint32_t op, uint32_t a, uint32_t b)
{
    return add(l, (foi_line_op){.op = (uint8_t)op, .a = a, .b = b});
}

uint32_t foi_line_put(foi_line *l, uint32_t op, uint32_t a, uint32_t b)
{
    return put(l, op, a, b);
}

uint32_t foi_line_arity(uint32_t op)
{
    if (op < FOI_G_COUNT) return foi_op_arity((foi_op)op);
    switch (op) {
    case FOI_L_LOAD: return 0;
    case FOI_L_STORE:
    case FOI_L_CALL_ONE:
    case FOI_L_TRUNC: return 1;
    default: return 2;
    }
}

uint32_t foi_line_load(foi_line *l, foi_where where)
{
    return add(l, (foi_line_op){.op = FOI_L_LOAD, .where = where});
}

uint32_t foi_line_constant(foi_line *l, double value)
{
    uint32_t word = foi_pool_double(l->pool, value);
    return foi_line_load(l, (foi_where){.base = FOI_AT_POOL, .offset = word});
}

void foi_line_store(foi_line *l, uint32_t value, foi_where where)
{
    add(l, (foi_line_op){.op = FOI_L_STORE, .where = where, .a = value});
}

static uint32_t one(foi_line *l)
{
    return foi_line_load(l, (foi_where){.base = FOI_AT_POOL, .offset = FOI_POOL_ONE});
}

static uint32_t truth(foi_line *l, uint32_t mask)
{
    uint32_t v = put(l, FOI_L_AND, mask, one(l));
    if (!l->failed) l->mask[v] = mask;
    return v;
}

static uint32_t mask_of(foi_line *l, uint32_t value)
{
    if (!l->failed && l->mask[value] != FOI_NEVER) return l->mask[value];
    return put(l, FOI_L_OTHER, value, foi_line_constant(l, 0));
}

static uint32_t choose(foi_line *l, uint32_t mask, uint32_t b, uint32_t c)
{
    uint32_t left = put(l, FOI_L_AND, mask, b);
    return put(l, FOI_L_OR, left, put(l, FOI_L_ANDN, mask, c));
}

static uint32_t negated(foi_line *l, uint32_t a)
{
    if (!l->failed && l->mask[a] != FOI_NEVER) return put(l, FOI_L_ANDN, l->mask[a], one(l));
    return truth(l, put(l, FOI_L_SAME, a, foi_line_constant(l, 0)));
}

static uint32_t sign(foi_line *l, uint32_t a)
{
    uint32_t zero = foi_line_constant(l, 0);
    uint32_t above = truth(l, put(l, FOI_L_BELOW, zero, a));
    return put(l, FOI_G_SUBTRACT, above, truth(l, put(l, FOI_L_BELOW, a, zero)));
}

// b < a || b != b ? b : a, and the other way round.
static uint32_t extreme(foi_line *l, uint32_t op, uint32_t a, uint32_t b)
{
    uint32_t better = op == FOI_G_MIN ? put(l, FOI_L_BELOW, b, a) : put(l, FOI_L_BELOW, a, b);
    return choose(l, put(l, FOI_L_OR, better, put(l, FOI_L_OTHER, b, b)), b, a);
}

static uint32_t lowered(foi_line *l, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    switch (op) {
    case FOI_G_SIGN: return sign(l, a);
    case FOI_G_MIN:
    case FOI_G_MAX: return extreme(l, op, a, b);
    case FOI_G_LESS: return truth(l, put(l, FOI_L_BELOW, a, b));
    case FOI_G_LESS_EQUAL: return truth(l, put(l, FOI_L_BELOW_EQUAL, a, b));
    case FOI_G_GREATER: return truth(l, put(l, FOI_L_BELOW, b, a));
    case FOI_G_GREATER_EQUAL: return truth(l, put(l, FOI_L_BELOW_EQUAL, b, a));
    case FOI_G_EQUAL: return truth(l, put(l, FOI_L_SAME, a, b));
    case FOI_G_NOT_EQUAL: return truth(l, put(l, FOI_L_OTHER, a, b));
    case FOI_G_NOT: return negated(l, a);
    case FOI_G_AND:
    case FOI_G_OR: {
        uint32_t left = mask_of(l, a);
        return truth(l, put(l, op == FOI_G_AND ? FOI_L_AND : FOI_L_OR, left, mask_of(l, b)));
    }
    case FOI_G_IF: return choose(l, mask_of(l, a), b, c);
    case FOI_G_CALLED: return a;
    default: return put(l, op, a, b);
    }
}

static bool is_rounding(uint32_t op)
{
    return op == FOI_G_QUOTIENT || op == FOI_G_FLOOR || op == FOI_G_CEIL;
}

static bool is_function(uint32_t op)
{
    return op == FOI_G_POWER || op == FOI_G_MOD || op == FOI_G_REM || op == FOI_G_ALONG ||
           op == FOI_G_AMONG || (op >= FOI_G_SIN && op <= FOI_G_LOST);
}

bool foi_line_is_call(const foi_line *l, uint32_t op)
{
    return is_function(op) || (is_rounding(op) && !l->rounds);
}

static uint32_t call(foi_line *l, uint32_t op, uint32_t a, uint32_t b)
{
    bool two = op == FOI_G_POWER || op == FOI_G_ATAN2 || op == FOI_G_MOD || op == FOI_G_REM ||
               op == FOI_G_LOST || op == FOI_G_ALONG || op == FOI_G_AMONG;
    l->calls = true;
    return add(l, (foi_line_op){.op = two ? FOI_L_CALL_TWO : FOI_L_CALL_ONE,
                                .function = (uint8_t)op,
                                .a = a,
                                .b = b});
}

static uint32_t rounded(foi_line *l, uint32_t op, uint32_t a)
{
    if (!l->rounds) return call(l, op, a, 0);
    return put(l, op == FOI_G_QUOTIENT ? FOI_L_TRUNC : op, a, 0);
}

static uint32_t rounding(foi_line *l, uint32_t op, uint32_t a, uint32_t b)
{
    if (op == FOI_G_FLOOR || op == FOI_G_CEIL) return rounded(l, op, a);
    return rounded(l, op, put(l, FOI_G_DIVIDE, a, b));
}

uint32_t foi_line_apply(foi_line *l, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    if (op > FOI_G_COUNT) {
        foi_op first, second;
        bool from;
        foi_pair_parts(op, &first, &second, &from);
        uint32_t d = put(l, first, a, b);
        return from ? put(l, second, c, d) : put(l, second, d, c);
    }
    if (is_function(op)) return call(l, op, a, b);
    if (is_rounding(op)) return rounding(l, op, a, b);
    if (l->lowered) return lowered(l, op, a, b, c);
    return add(l, (foi_line_op){.op = (uint8_t)op, .a = a, .b = b, .c = c});
}
