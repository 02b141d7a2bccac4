/// From instructions to packed ones, for the machine and for loops in C.
///
/// Pairs. Where the result of a sum, difference or product is used once, by another of these, both
/// become one instruction: a * b + c with two roundings. The result need not go through memory, and
/// there is one instruction less to fetch.
///
/// Lanes. An array equation gives many instructions that differ in their registers only. All
/// instructions of one level (1 + the highest level of their operands) are independent of each
/// other; those with one operation whose operands are the same or follow each other become one wide
/// instruction, and their results get registers that follow each other, so that the next level
/// finds lanes again. An operand's lanes are all of one kind: states, constants, results of one
/// instruction. Registers are then not given back. Where less than half of a code becomes wide it
/// stays in its order, which needs few registers.
#include <string.h>

#include "base/memory.h"
#include "program/code.h"

enum { LEAST_LANES = 4 };

/// One result of the code: the instruction that makes it, with values or registers as operands.
typedef struct value {
    uint32_t op, operand[3]; ///< below `given`: a register; from there on: given + value
    uint32_t uses, level;
    uint32_t place; ///< its register
    uint32_t maker; ///< the packed instruction that makes it
    bool root, gone, placed;
} value;

typedef struct packer {
    foi_code *code;
    const fo_allocator *allocator;
    const foi_layout *layout;
    uint32_t given; ///< registers of what is given and of constants
    value *list;
    uint32_t count, live; ///< live: without those that went into pairs
    uint32_t *level;      ///< values by level, in their order
    uint32_t *level_start;
    uint32_t levels;
    uint32_t *table; ///< open addressing: value + 1; 0: free
    uint32_t table_size;
    foi_instruction *out;
    uint32_t out_count, next, lanes;
} packer;

// ------------------------------------------------------------------------------------ operations

void foi_pair_parts(uint32_t op, foi_op *first, foi_op *second, bool *from)
{
    enum { FOI_G_FROM = FOI_G_COUNT + 1 };
    static const struct {
        uint8_t first, second;
    } parts[] = {
#define PART(name, one, two, text) {FOI_G_##one, FOI_G_##two},
        FOI_PAIRS(PART)
#undef PART
    };
    uint32_t i = op - FOI_I_ADD_ADD;
    *from = parts[i].second == FOI_G_FROM;
    *first = (foi_op)parts[i].first;
    *second = *from ? FOI_G_SUBTRACT : (foi_op)parts[i].second;
}

const char *foi_instruction_text(uint32_t op)
{
    static const char *const texts[] = {
#define TEXT(name, one, two, text) text,
        FOI_PAIRS(TEXT)
#undef TEXT
    };
    return op < FOI_G_COUNT ? foi_op_text((foi_op)op) : texts[op - FOI_I_ADD_ADD];
}

uint32_t foi_instruction_arity(uint32_t op)
{
    return op < FOI_G_COUNT ? foi_op_arity((foi_op)op) : 3;
}

// ----------------------------------------------------------------------------------------- values

static value *value_of(const packer *p, uint32_t operand)
{
    return operand < p->given ? NULL : &p->list[operand - p->given];
}

// Registers are written more than once; `holds` says which value each holds at the moment.
static bool find_values(packer *p)
{
    const foi_code *code = p->code;
    uint32_t *holds = foi_new(p->allocator, code->registers, sizeof *holds);
    if (!holds) return false;
    for (uint32_t r = 0; r < code->registers; r++) holds[r] = r;
    for (uint32_t i = 0; i < p->count; i++) {
        const foi_instruction *x = &code->list[i];
        value *v = &p->list[i];
        const uint32_t from[3] = {x->a, x->b, x->c};
        v->op = x->op;
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
            v->operand[k] = holds[from[k]];
            value *used = value_of(p, v->operand[k]);
            if (used) used->uses++;
        }
        holds[x->to] = p->given + i;
    }
    for (uint32_t i = 0; i < code->result_count; i++) {
        uint32_t held = holds[code->results[i]];
        code->packed_results[i] = held;
        if (value_of(p, held)) value_of(p, held)->root = true;
    }
    foi_free(p->allocator, holds);
    return true;
}

static bool is_simple(uint32_t op)
{
    return op == FOI_G_ADD || op == FOI_G_SUBTRACT || op == FOI_G_MULTIPLY;
}

// The pair for `first` in place k of `second`.
static uint32_t pair_of(uint32_t first, uint32_t second, uint32_t k)
{
    uint32_t row = first == FOI_G_ADD ? 0 : first == FOI_G_SUBTRACT ? 1 : 2;
    uint32_t column = second == FOI_G_ADD ? 0 : second == FOI_G_MULTIPLY ? 3 : k == 0 ? 1 : 2;
    return FOI_I_ADD_ADD + 4 * row + column;
}

static void find_pairs(packer *p)
{
    p->live = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        value *v = &p->list[i];
        for (uint32_t k = 0; k < 2 && is_simple(v->op); k++) {
            value *first = value_of(p, v->operand[k]);
            if (!first || first->uses != 1 || first->root || !is_simple(first->op)) continue;
            uint32_t c = v->operand[1 - k];
            *v = (value){.op = pair_of(first->op, v->op, k),
                         .operand = {first->operand[0], first->operand[1], c},
                         .uses = v->uses,
                         .root = v->root};
            first->gone = true;
            p->live--;
        }
    }
}

// ------------------------------------------------------------------------------------------ lanes

// Values by level: a counting sort, so that they keep their order.
static bool sort_levels(packer *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        value *v = &p->list[i];
        for (uint32_t k = 0; k < foi_instruction_arity(v->op); k++) {
            const value *used = value_of(p, v->operand[k]);
            if (used && used->level + 1 > v->level) v->level = used->level + 1;
        }
        if (v->level + 1 > p->levels) p->levels = v->level + 1;
    }
    p->level = foi_new(p->allocator, p->live, sizeof *p->level);
    p->level_start = foi_new(p->allocator, (size_t)p->levels + 2, sizeof *p->level_start);
    if (!p->level || !p->level_start) return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->list[i].gone) p->level_start[p->list[i].level + 2]++;
    for (uint32_t l = 0; l < p->levels; l++) p->level_start[l + 2] += p->level_start[l + 1];
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->list[i].gone) p->level[p->level_start[p->list[i].level + 1]++] = i;
    return true;
}

static uint32_t register_of(const packer *p, uint32_t operand)
{
    const value *v = value_of(p, operand);
    return v ? v->place : operand;
}

static uint32_t hash_of(uint32_t op, const uint32_t *r)
{
    uint64_t h = op;
    for (int k = 0; k < 3; k++) h = (h ^ r[k]) * UINT64_C(0x9E3779B97F4A7C15), h ^= h >> 29;
    return (uint32_t)h;
}

static void registers_of(const packer *p, const value *v, uint32_t *r)
{
    uint32_t arity = foi_instruction_arity(v->op);
    for (uint32_t k = 0; k < 3; k++) r[k] = k < arity ? register_of(p, v->operand[k]) : 0;
}

// The value of this level with that operation of those registers, or NULL.
static value *look_up(const packer *p, uint32_t op, const uint32_t *r)
{
    uint32_t have[3];
    for (uint32_t h = hash_of(op, r) & (p->table_size - 1); p->table[h];
         h = (h + 1) & (p->table_size - 1)) {
        value *v = &p->list[p->table[h] - 1];
        registers_of(p, v, have);
        if (v->op == op && !memcmp(have, r, sizeof have)) return v;
    }
    return NULL;
}

// What kind of thing an operand is.
static uint32_t kind_of(const packer *p, uint32_t operand)
{
    const value *v = value_of(p, operand);
    uint32_t kind = 0;
    if (v) return FOI_LEAF_KINDS + 1 + v->maker;
    while (kind < FOI_LEAF_KINDS && operand - p->layout->at[kind] >= p->layout->count[kind]) kind++;
    return kind; // constants are behind the last
}

static value *follower(const packer *p, const value *v, uint32_t lanes)
{
    uint32_t r[3];
    registers_of(p, v, r);
    for (uint32_t k = 0; k < 3; k++) r[k] += lanes >> k & 1;
    value *next = look_up(p, v->op, r);
    if (!next || next->placed) return NULL;
    for (uint32_t k = 0; k < 3; k++)
        if ((lanes >> k & 1) && kind_of(p, v->operand[k]) != kind_of(p, next->operand[k]))
            return NULL;
    return next;
}

static uint32_t length_of(const packer *p, const value *v, uint32_t lanes, uint32_t enough)
{
    uint32_t n = 0;
    for (; v && n < enough; n++) v = follower(p, v, lanes);
    return n;
}

static void put_out(packer *p, value *v, uint32_t lanes, uint32_t length)
{
    uint32_t r[3];
    registers_of(p, v, r);
    uint32_t op = length > 1 ? v->op + FOI_I_WIDE : v->op;
    p->out[p->out_count++] =
        (foi_instruction){(uint16_t)op, (uint16_t)lanes, length, p->next, r[0], r[1], r[2]};
    if (length > 1) p->lanes += length;
    for (uint32_t n = 0; n < length; n++) {
        value *after = n + 1 < length ? follower(p, v, lanes) : NULL;
        v->place = p->next++, v->placed = true, v->maker = p->out_count - 1;
        v = after;
    }
}

// From this value on: as many lanes as there are, in the way that gives enough of them.
static void put_lanes(packer *p, value *v)
{
    uint32_t all = (1u << foi_instruction_arity(v->op)) - 1;
    for (uint32_t lanes = all; lanes; lanes--) {
        if (length_of(p, v, lanes, LEAST_LANES) < LEAST_LANES) continue;
        put_out(p, v, lanes, length_of(p, v, lanes, UINT32_MAX));
        return;
    }
    put_out(p, v, 0, 1);
}

static void pack_level(packer *p, uint32_t begin, uint32_t end)
{
    memset(p->table, 0, p->table_size * sizeof *p->table);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t r[3];
        const value *v = &p->list[p->level[i]];
        registers_of(p, v, r);
        uint32_t h = hash_of(v->op, r) & (p->table_size - 1);
        while (p->table[h]) h = (h + 1) & (p->table_size - 1);
        p->table[h] = p->level[i] + 1;
    }
    for (uint32_t i = begin; i < end; i++)
        if (!p->list[p->level[i]].placed) put_lanes(p, &p->list[p->level[i]]);
}

// False without memory.
static bool pack_wide(packer *p)
{
    if (!sort_levels(p)) return false;
    uint32_t most = 0;
    for (uint32_t l = 0; l < p->levels; l++) {
        uint32_t n = p->level_start[l + 1] - p->level_start[l];
        if (n > most) most = n;
    }
    // many levels of few values are no arrays, and a table for each would cost
    if (most < LEAST_LANES || p->live / p->levels < LEAST_LANES) return true;
    for (p->table_size = 16; p->table_size < 2 * most;) p->table_size *= 2;
    p->table = foi_new(p->allocator, p->table_size, sizeof *p->table);
    if (!p->table) return false;
    uint32_t whole = p->table_size;
    for (uint32_t l = 0; l < p->levels; l++) {
        uint32_t n = p->level_start[l + 1] - p->level_start[l];
        for (p->table_size = 16; p->table_size < 2 * n && p->table_size < whole;)
            p->table_size *= 2;
        pack_level(p, p->level_start[l], p->level_start[l + 1]);
    }
    return true;
}

// ----------------------------------------------------------------------------------- in one lane

// In the order of the code; a register is given back after the last use of its value.
static bool pack_narrow(packer *p)
{
    uint32_t *last = foi_new(p->allocator, p->count, sizeof *last);
    uint32_t *free = foi_new(p->allocator, p->count, sizeof *free), free_count = 0;
    bool good = last && free;
    p->out_count = 0, p->next = p->given;
    for (uint32_t i = 0; i < p->count && good; i++)
        for (uint32_t k = 0; k < foi_instruction_arity(p->list[i].op) && !p->list[i].gone; k++)
            if (p->list[i].operand[k] >= p->given) last[p->list[i].operand[k] - p->given] = i;
    for (uint32_t i = 0; i < p->count && good; i++) {
        value *v = &p->list[i];
        uint32_t r[3];
        if (v->gone) continue;
        registers_of(p, v, r);
        for (uint32_t k = 0; k < foi_instruction_arity(v->op); k++) {
            uint32_t used = v->operand[k] - p->given;
            if (v->operand[k] < p->given || last[used] != i || p->list[used].root) continue;
            free[free_count++] = p->list[used].place;
            last[used] = UINT32_MAX;
        }
        v->place = free_count ? free[--free_count] : p->next++;
        p->out[p->out_count++] =
            (foi_instruction){(uint16_t)v->op, 0, 1, v->place, r[0], r[1], r[2]};
    }
    foi_free(p->allocator, last);
    foi_free(p->allocator, free);
    return good;
}

// ------------------------------------------------------------------------------------------------

static bool pack(packer *p, foi_arena *arena)
{
    foi_code *code = p->code;
    p->list = foi_new(p->allocator, p->count, sizeof *p->list);
    p->out = foi_new(p->allocator, (size_t)p->count + 1, sizeof *p->out);
    if (!p->list || !p->out || !find_values(p)) return false;
    find_pairs(p);
    p->next = p->given;
    if (!pack_wide(p)) return false;
    code->wide = p->lanes * 2 > p->live;
    if (!code->wide && !pack_narrow(p)) return false;
    for (uint32_t i = 0; i < code->result_count; i++)
        code->packed_results[i] = register_of(p, code->packed_results[i]);
    code->packed_count = p->out_count, code->packed_registers = p->next;
    p->out[p->out_count] = (foi_instruction){.op = FOI_I_END};
    code->packed = foi_arena_new(arena, (size_t)p->out_count + 1, sizeof *code->packed);
    if (!code->packed) return false;
    memcpy(code->packed, p->out, ((size_t)p->out_count + 1) * sizeof *code->packed);
    return true;
}

bool foi_pack(foi_code *code, const foi_layout *layout, foi_arena *arena)
{
    code->packed = code->list, code->packed_count = code->count;
    code->packed_results = code->results, code->packed_registers = code->registers;
    if (code->loop_count || !code->count) return true;
    packer p = {.code = code, .allocator = arena->allocator, .count = code->count};
    p.layout = layout;
    p.given = layout->total + code->constant_count;
    code->packed_results = foi_arena_new(arena, code->result_count, sizeof *code->packed_results);
    bool good = code->packed_results && pack(&p, arena);
    foi_free(p.allocator, p.list);
    foi_free(p.allocator, p.level);
    foi_free(p.allocator, p.level_start);
    foi_free(p.allocator, p.table);
    foi_free(p.allocator, p.out);
    return good;
}
