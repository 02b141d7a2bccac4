/// x86-64: SSE2, which every one has, or AVX in three operands and vectors of four.
///
/// Registers of addresses, in a function that calls and in one that does not:
///
///     rbx  r12  r13  r14  r15         r, x, y, self, code
///     rdx  r8   r9   rsi or rdi       the same; self where it was handed over
///     rax  r11                        lane of a loop in bytes, end of the pool (both)
///
/// The calling convention is that of System V: xmm0 and xmm1 are arguments, xmm0 is the result, and
/// no xmm register survives a call.
#include "program/emit.h"

#include <stddef.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
enum { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };
enum { MAP_0F = 1, MAP_0F38, MAP_0F3A };
enum { RIP = 16 }; ///< as a base

/// One instruction.
typedef struct piece {
    uint8_t byte[24];
    uint32_t count;
} piece;

/// A place in memory as an operand.
typedef struct operand {
    uint32_t base; ///< a register, or RIP: `offset` is then from the code's first byte
    bool lane;     ///< plus rax
    int64_t offset;
} operand;

static void put(piece *p, uint32_t byte)
{
    p->byte[p->count++] = (uint8_t)byte;
}

static void put_word(piece *p, uint32_t word)
{
    for (int i = 0; i < 4; i++) put(p, word >> 8 * i);
}

static void write_piece(foi_maker *m, const piece *p)
{
    foi_bytes_put(&m->code, p->byte, p->count);
}

// ---------------------------------------------------------------------------------------- operands

static uint32_t base_register(const foi_maker *m, uint32_t base)
{
    static const uint8_t calling[] = {RBX, R12, R13, R14}, leaf[] = {RDX, R8, R9, RSI};
    if (base == FOI_AT_STACK) return RSP;
    if (!m->calls && base == FOI_AT_R && m->calling == FOI_CALL_LOOP) return RSI;
    if (!m->calls && base == FOI_AT_SELF && m->calling == FOI_CALL_TRY) return RDI;
    return m->calls ? calling[base] : leaf[base];
}

static operand operand_of(foi_maker *m, foi_where w)
{
    if (w.base == FOI_AT_POOL) {
        int64_t at = -8 * ((int64_t)w.offset + 1);
        return w.stream ? (operand){R11, true, at} : (operand){RIP, false, at};
    }
    if (w.offset > INT32_MAX / 16) m->cause = "it needs too many registers";
    return (operand){base_register(m, w.base), w.stream, 8 * (int64_t)w.offset};
}

// ModRM with a register. `after`: bytes of the instruction that follow.
static void put_registers(piece *p, uint32_t reg, uint32_t rm)
{
    put(p, 0xC0 | (reg & 7) << 3 | (rm & 7));
}

static void put_memory(const foi_maker *m, piece *p, uint32_t reg, operand o, uint32_t after)
{
    uint32_t r = (reg & 7) << 3, b = o.base & 7;
    if (o.base == RIP) {
        put(p, r | 5);
        int64_t end = (int64_t)(m->code.count + p->count + 4 + after);
        put_word(p, (uint32_t)(o.offset - end));
        return;
    }
    bool none = o.offset == 0 && b != RBP, small = o.offset >= -128 && o.offset < 128;
    uint32_t mode = none ? 0 : small ? 0x40 : 0x80;
    if (o.lane || b == RSP) {
        put(p, mode | r | 4);
        put(p, (o.lane ? RAX : RSP) << 3 | b);
    } else {
        put(p, mode | r | b);
    }
    if (mode == 0x40) put(p, (uint32_t)o.offset);
    if (mode == 0x80) put_word(p, (uint32_t)o.offset);
}

// ------------------------------------------------------------------------------------ instructions

/// An instruction of vectors.
typedef struct instruction {
    uint32_t prefix, map, code;
    bool plain; ///< VEX: it has no first source
    uint32_t immediate;
    bool has_immediate;
} instruction;

// The VEX prefix. rm, or the base of a memory operand, is `b`.
static void put_vex(piece *p, instruction x, uint32_t reg, uint32_t first, uint32_t b, bool four)
{
    uint32_t tail = (~(x.plain ? 0 : first) & 15) << 3 | (uint32_t)four << 2 | x.prefix;
    uint32_t r = reg < 8 ? 0x80 : 0;
    if (x.map == MAP_0F && (b < 8 || b == RIP)) {
        put(p, 0xC5), put(p, r | tail);
        return;
    }
    put(p, 0xC4);
    put(p, r | 0x40 | (b < 8 || b == RIP ? 0x20 : 0) | x.map);
    put(p, tail);
}

static void put_legacy(piece *p, instruction x, uint32_t reg, uint32_t b)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xF3, 0xF2};
    uint32_t rex = 0x40 | (reg >= 8 ? 4 : 0) | (b >= 8 && b != RIP ? 1 : 0);
    if (x.prefix) put(p, prefixes[x.prefix]);
    if (rex != 0x40) put(p, rex);
    put(p, 0x0F);
    if (x.map == MAP_0F38) put(p, 0x38);
    if (x.map == MAP_0F3A) put(p, 0x3A);
}

static bool is_avx(const foi_maker *m)
{
    return m->target == &foi_target_avx;
}

static void begin_piece(const foi_maker *m, piece *p, instruction x, uint32_t reg, uint32_t first,
                        uint32_t b, uint32_t lanes)
{
    if (is_avx(m))
        put_vex(p, x, reg, first, b, lanes == 4);
    else
        put_legacy(p, x, reg, b);
    put(p, x.code);
}

static void write_registers(foi_maker *m, instruction x, uint32_t to, uint32_t first, uint32_t rm,
                            uint32_t lanes)
{
    piece p = {.count = 0};
    begin_piece(m, &p, x, to, first, rm, lanes);
    put_registers(&p, to, rm);
    if (x.has_immediate) put(&p, x.immediate);
    write_piece(m, &p);
}

static void write_memory(foi_maker *m, instruction x, uint32_t to, uint32_t first, foi_where w,
                         uint32_t lanes)
{
    piece p = {.count = 0};
    operand o = operand_of(m, w);
    begin_piece(m, &p, x, to, first, o.base, lanes);
    put_memory(m, &p, to, o, x.has_immediate ? 1 : 0);
    if (x.has_immediate) put(&p, x.immediate);
    write_piece(m, &p);
}

// ------------------------------------------------------------------------------------- operations

static instruction arithmetic(uint32_t code, uint32_t lanes)
{
    return (instruction){lanes > 1 ? PREFIX_66 : PREFIX_F2, MAP_0F, code, false, 0, false};
}

static instruction logic(uint32_t code)
{
    return (instruction){PREFIX_66, MAP_0F, code, false, 0, false};
}

static instruction comparison(uint32_t predicate, uint32_t lanes)
{
    return (instruction){lanes > 1 ? PREFIX_66 : PREFIX_F2, MAP_0F, 0xC2, false, predicate, true};
}

static instruction rounding(uint32_t mode, uint32_t lanes)
{
    return (instruction){PREFIX_66, MAP_0F3A, lanes > 1 ? 0x09 : 0x0B,
                         lanes > 1, mode | 8, true}; // exact
}

static bool is_logic(uint32_t op)
{
    return op == FOI_L_AND || op == FOI_L_ANDN || op == FOI_L_OR;
}

static instruction instruction_of(uint32_t op, uint32_t lanes)
{
    switch (op) {
    case FOI_G_ADD: return arithmetic(0x58, lanes);
    case FOI_G_SUBTRACT: return arithmetic(0x5C, lanes);
    case FOI_G_MULTIPLY: return arithmetic(0x59, lanes);
    case FOI_G_DIVIDE: return arithmetic(0x5E, lanes);
    case FOI_L_LARGER:
        return arithmetic(0x5F, lanes); // the second where they are equal or one is
                                        // not a number
    case FOI_L_AND: return logic(0x54);
    case FOI_L_ANDN: return logic(0x55);
    case FOI_L_OR: return logic(0x56);
    case FOI_L_BELOW: return comparison(1, lanes);
    case FOI_L_BELOW_EQUAL: return comparison(2, lanes);
    case FOI_L_SAME: return comparison(0, lanes);
    case FOI_L_OTHER: return comparison(4, lanes);
    case FOI_G_FLOOR: return rounding(1, lanes);
    case FOI_G_CEIL: return rounding(2, lanes);
    default: return rounding(3, lanes);
    }
}

static void move(foi_maker *m, uint32_t to, uint32_t from, uint32_t lanes)
{
    write_registers(m, (instruction){PREFIX_66, MAP_0F, 0x28, true, 0, false}, to, 0, from, lanes);
}

static void load(foi_maker *m, uint32_t to, foi_where from, uint32_t lanes)
{
    instruction one = {PREFIX_F2, MAP_0F, 0x10, true, 0, false};
    instruction many = {PREFIX_66, MAP_0F, 0x10, true, 0, false};
    if (lanes == 1) {
        write_memory(m, one, to, 0, from, 1);
    } else if (from.stream || from.base == FOI_AT_STACK) {
        write_memory(m, many, to, 0, from, lanes);
    } else if (is_avx(m)) {
        write_memory(m, (instruction){PREFIX_66, MAP_0F38, 0x19, true, 0, false}, to, 0, from, 4);
    } else {
        write_memory(m, one, to, 0, from, 1);
        write_registers(m, logic(0x14), to, to, to, 1); // unpcklpd
    }
}

static void store(foi_maker *m, uint32_t from, foi_where to, uint32_t lanes)
{
    uint32_t prefix = lanes == 1 ? PREFIX_F2 : PREFIX_66;
    write_memory(m, (instruction){prefix, MAP_0F, 0x11, true, 0, false}, from, 0, to, lanes);
}

// The sign mask lies in the pool four times.
static void change_sign(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t lanes)
{
    foi_where mask = {.base = FOI_AT_POOL, .offset = FOI_POOL_SIGN};
    if (op == FOI_G_NEGATE) {
        if (!is_avx(m) && to != a) move(m, to, a, lanes), a = to;
        write_memory(m, logic(0x57), to, a, mask, lanes);
        return;
    }
    uint32_t scratch = 15;
    write_memory(m, (instruction){PREFIX_66, MAP_0F, 0x10, true, 0, false}, scratch, 0, mask,
                 lanes);
    if (is_avx(m)) {
        write_registers(m, logic(0x55), to, scratch, a, lanes);
        return;
    }
    write_registers(m, logic(0x55), scratch, scratch, a, lanes);
    move(m, to, scratch, lanes);
}

static void one(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t lanes)
{
    if (op == FOI_G_NEGATE || op == FOI_G_ABS) {
        change_sign(m, op, to, a, lanes);
        return;
    }
    instruction x = op == FOI_G_SQRT ? arithmetic(0x51, lanes) : instruction_of(op, lanes);
    if (op == FOI_G_SQRT && lanes > 1) x.plain = true;
    write_registers(m, x, to, a, a, lanes);
}

static void two(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t b, uint32_t lanes)
{
    write_registers(m, instruction_of(op, lanes), to, a, b, lanes);
}

// Bits are combined with 16 bytes or more; without AVX vectors must lie at a multiple of their
// size.
static bool may_read(const foi_maker *m, uint32_t op, foi_where w, uint32_t lanes)
{
    bool wide = w.base == FOI_AT_POOL && w.offset < FOI_POOL_WIDE && !w.stream;
    if (wide && (w.offset + 1) % 4 == 0) return true;
    if (lanes == 1) return !is_logic(op);
    return is_avx(m) && (w.stream || w.base == FOI_AT_STACK);
}

static bool two_memory(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, foi_where b,
                       uint32_t lanes, bool write)
{
    if (!may_read(m, op, b, lanes)) return false;
    if (write) write_memory(m, instruction_of(op, lanes), to, a, b, lanes);
    return true;
}

// ------------------------------------------------------------------------------------------- calls

static void call_address(foi_maker *m, uint64_t address)
{
    piece p = {.count = 0};
    put(&p, 0xFF);
    int64_t word = foi_pool_word(&m->pool, address);
    put_memory(m, &p, 2, (operand){RIP, false, -8 * (word + 1)}, 0);
    write_piece(m, &p);
}

static void call(foi_maker *m, uint32_t function)
{
    call_address(m, foi_function_address(function));
}

static const foi_processor sse2 = {15,    15,   16,  true, true,       15,  load,
                                   store, move, one, two,  two_memory, call};
static const foi_processor avx = {15,    15,   16,  false, true,       15,  load,
                                  store, move, one, two,   two_memory, call};

static const foi_processor *processor_of(const foi_maker *m)
{
    return is_avx(m) ? &avx : &sse2;
}

// --------------------------------------------------------------------------------------- functions

static void put_general(piece *p, uint32_t code, uint32_t reg, uint32_t rm)
{
    put(p, 0x48 | (reg >= 8 ? 4 : 0) | (rm >= 8 ? 1 : 0));
    put(p, code);
    put_registers(p, reg, rm);
}

// to = *(from + offset), or for 0x8D their sum.
static void put_general_memory(foi_maker *m, piece *p, uint32_t code, uint32_t to, operand from)
{
    put(p, 0x48 | (to >= 8 ? 4 : 0) | (from.base >= 8 && from.base != RIP ? 1 : 0));
    put(p, code);
    put_memory(m, p, to, from, 0);
}

static void load_general(foi_maker *m, uint32_t to, uint32_t from, int64_t offset)
{
    piece p = {.count = 0};
    put_general_memory(m, &p, 0x8B, to, (operand){from, false, offset});
    write_piece(m, &p);
}

static void move_general(foi_maker *m, uint32_t to, uint32_t from)
{
    piece p = {.count = 0};
    put_general(&p, 0x89, from, to);
    write_piece(m, &p);
}

static const uint8_t saved[] = {RBX, R12, R13, R14, R15};

static void push(piece *p, uint32_t reg, bool back)
{
    if (reg >= 8) put(p, 0x41);
    put(p, (back ? 0x58 : 0x50) | (reg & 7));
}

// add or sub of rsp; what is taken off is known at the end.
static void put_frame(foi_maker *m, bool back)
{
    piece p = {.count = 0};
    put(&p, 0x48), put(&p, 0x81), put(&p, back ? 0xC4 : 0xEC);
    put_word(&p, 0);
    write_piece(m, &p);
}

static void begin(foi_maker *m, foi_calling calling, bool calls)
{
    static const uint8_t stop = 0xCC;
    while (m->code.count % 32 && !m->code.failed) foi_bytes_put(&m->code, &stop, 1);
    foi_maker_begin(m, calling, calls);
    uint32_t self = calling == FOI_CALL_TRY ? RDI : RSI;
    piece p = {.count = 0};
    if (calls) {
        push(&p, RBP, false);
        put_general(&p, 0x89, RSP, RBP);
        for (uint32_t i = 0; i < sizeof saved; i++) push(&p, saved[i], false);
    }
    write_piece(m, &p);
    put_frame(m, false);
    m->frame_at = m->code.count - 4;
    if (calling == FOI_CALL_LOOP) {
        if (calls) move_general(m, RBX, RSI);
        return;
    }
    if (calls) {
        move_general(m, R14, self);
        move_general(m, R15, RDI);
        self = R14;
    }
    for (uint32_t base = FOI_AT_R; base <= FOI_AT_Y; base++)
        load_general(m, base_register(m, base), self, 8 * (int64_t)base);
}

static void patch(foi_maker *m, size_t at, uint32_t word)
{
    if (m->code.failed) return;
    for (int i = 0; i < 4; i++) m->code.list[at + (size_t)i] = (uint8_t)(word >> 8 * i);
}

static void end(foi_maker *m)
{
    piece p = {.count = 0};
    put(&p, 0x31), put(&p, 0xC0); // xor eax, eax
    write_piece(m, &p);
    // where calls are made the stack is at a multiple of 16
    uint32_t frame = m->frame * 8;
    if (m->calls) frame = (frame + 15) / 16 * 16 + 8;
    for (uint32_t i = 0; i < m->exit_count; i++)
        patch(m, m->exits[i], (uint32_t)(m->code.count - m->exits[i] - 4));
    patch(m, m->frame_at, frame);
    put_frame(m, true);
    patch(m, m->code.count - 4, frame);
    p.count = 0;
    for (uint32_t i = sizeof saved; m->calls && i-- > 0;) push(&p, saved[i], true);
    if (m->calls) push(&p, RBP, true);
    put(&p, 0xC3);
    write_piece(m, &p);
}

static void line(foi_maker *m, foi_line *l)
{
    foi_registers_line(m, processor_of(m), l);
}

static void open_loop(foi_maker *m, uint32_t count, size_t *label)
{
    piece p = {.count = 0};
    (void)count;
    put_general_memory(m, &p, 0x8D, R11, (operand){RIP, false, 0});
    put(&p, 0x31), put(&p, 0xC0);
    write_piece(m, &p);
    *label = m->code.count;
}

static void close_loop(foi_maker *m, uint32_t count, size_t *label)
{
    piece p = {.count = 0};
    put(&p, 0x48), put(&p, 0x83), put(&p, 0xC0), put(&p, 8 * m->target->lanes); // add rax, n
    put(&p, 0x48), put(&p, 0x3D), put_word(&p, 8 * count);                      // cmp rax, n
    put(&p, 0x0F), put(&p, 0x82);                                               // jb
    put_word(&p, (uint32_t)(*label - (m->code.count + p.count + 4)));
    write_piece(m, &p);
}

static void loop(foi_maker *m, foi_line *l, uint32_t count)
{
    if (count > UINT32_MAX / 64) m->cause = "its arrays are too long";
    foi_registers_loop(m, processor_of(m), l, m->target->lanes, count, open_loop, close_loop);
    if (!is_avx(m)) return;
    piece p = {.count = 0};
    put(&p, 0xC5), put(&p, 0xF8), put(&p, 0x77); // vzeroupper: what is called may be older
    write_piece(m, &p);
}

static void load_address(foi_maker *m, uint32_t to, foi_where w)
{
    piece p = {.count = 0};
    w.stream = false;
    put_general_memory(m, &p, 0x8D, to, operand_of(m, w));
    write_piece(m, &p);
}

static void set_word(foi_maker *m, uint32_t to, uint32_t word)
{
    piece p = {.count = 0};
    if (to >= 8) put(&p, 0x41);
    put(&p, 0xB8 | (to & 7));
    put_word(&p, word);
    write_piece(m, &p);
}

// foi_lanes(op, a, b, to, count, lanes)
static void many(foi_maker *m, const foi_lanes_call *c)
{
    set_word(m, RDI, c->op);
    load_address(m, RSI, c->a);
    load_address(m, RDX, c->b);
    load_address(m, RCX, c->to);
    set_word(m, R8, c->count);
    set_word(m, R9, (uint32_t)c->a.stream | (uint32_t)c->b.stream << 1);
    call_address(m, (uint64_t)(uintptr_t)foi_lanes);
}

static void solve(foi_maker *m, uint32_t number, uint32_t function)
{
    piece p = {.count = 0};
    move_general(m, RDI, R15);
    set_word(m, RSI, number);
    move_general(m, RDX, R14);
    put_general_memory(m, &p, 0x8D, RCX, (operand){RIP, false, (int64_t)m->function[function]});
    write_piece(m, &p);
    p.count = 0;
    put(&p, 0x41), put(&p, 0xFF);
    put_memory(m, &p, 2, (operand){R14, false, offsetof(foi_run, solve)}, 0);
    put(&p, 0x85), put(&p, 0xC0); // test eax, eax
    put(&p, 0x0F), put(&p, 0x85); // jnz
    put_word(&p, 0);
    write_piece(m, &p);
    foi_maker_exit(m, m->code.count - 4);
}

const foi_target foi_target_sse2 = {"SSE2", true, false, 2, begin, line, loop, many, solve, end};
const foi_target foi_target_avx = {"AVX", true, true, 4, begin, line, loop, many, solve, end};
