/// AArch64: one lane in d registers, two in v registers.
///
///     x19 x20 x21 x22 x23    r, x, y, self, code in a function that calls
///     x9  x10 x11 x0 or x1   the same in one that does not; self where it was handed over
///     x24, x12               the pool less 32 kB, where the offsets of loads begin
///     x13                    lane of a loop in bytes
///     x16, x17               addresses in between
///
/// Values are d0 to d7 and d16 to d30, and where something is called d8 to d15 as well, which
/// survive that; d31 is kept free. Products and sums stay two instructions, and the smaller of two
/// is found by comparing: fmadd rounds once, and fmin takes zeros otherwise.
#include "program/emit.h"

#include <stddef.h>

enum {
    X0,
    X1,
    X2,
    X3,
    X4,
    X5,
    X9 = 9,
    X10,
    X11,
    X12,
    X13,
    X16 = 16,
    X17,
    X19 = 19,
    X20,
    X21,
    X22,
    X23,
    X24,
    X29 = 29,
    X30,
    SP = 31
};
enum { POOL_SPAN = 32768, FREE = 31, LOW = 8, LEAF = 23, ALL = 31 };

static void put(foi_maker *m, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    foi_bytes_put(&m->code, bytes, sizeof bytes);
}

// A register of the assignment as one of the processor: 0 to 7, 16 to 30, then 8 to 15.
static uint32_t v(uint32_t reg)
{
    return reg < LOW ? reg : reg < LEAF ? reg + 8 : reg < ALL ? reg - LEAF + LOW : FREE;
}

// -------------------------------------------------------------------------------------- addresses

static void set_general(foi_maker *m, uint32_t to, uint64_t value)
{
    put(m, 0xD2800000 | (uint32_t)(value & 0xFFFF) << 5 | to); // movz
    for (uint32_t part = 1; part < 4; part++) {
        uint32_t bits = (uint32_t)(value >> 16 * part) & 0xFFFF;
        if (bits) put(m, 0xF2800000 | part << 21 | bits << 5 | to); // movk
    }
}

static uint32_t base_register(const foi_maker *m, uint32_t base)
{
    static const uint8_t calling[] = {X19, X20, X21, X22, X24, SP};
    static const uint8_t leaf[] = {X9, X10, X11, X1, X12, SP};
    if (!m->calls && base == FOI_AT_R && m->calling == FOI_CALL_LOOP) return X1;
    if (!m->calls && base == FOI_AT_SELF && m->calling == FOI_CALL_TRY) return X0;
    return m->calls ? calling[base] : leaf[base];
}

static int64_t offset_of(foi_where w)
{
    if (w.base == FOI_AT_POOL) return POOL_SPAN - 8 * ((int64_t)w.offset + 1);
    return 8 * (int64_t)w.offset;
}

// x16 = base + offset of the place
static void put_address(foi_maker *m, uint32_t to, foi_where w)
{
    uint32_t base = base_register(m, w.base);
    int64_t offset = offset_of(w);
    if (offset >= 0 && offset < 4096) {
        put(m, 0x91000000 | (uint32_t)offset << 10 | base << 5 | to); // add
        return;
    }
    set_general(m, X17, (uint64_t)(offset < 0 ? -offset : offset));
    // the extended form: with it register 31 is the stack
    put(m, (offset < 0 ? 0xCB206000 : 0x8B206000) | X17 << 16 | base << 5 | to);
}

// Loads or stores a register at a place; `wide` is 0 for one lane and 1 for two.
static void access(foi_maker *m, uint32_t reg, foi_where w, bool store, uint32_t wide)
{
    static const uint32_t direct[2][2] = {{0xFD400000, 0xFD000000}, {0x3DC00000, 0x3D800000}};
    static const uint32_t indexed[2][2] = {{0xFC606800, 0xFC206800}, {0x3CE06800, 0x3CA06800}};
    int64_t offset = offset_of(w), size = wide ? 16 : 8;
    uint32_t base = base_register(m, w.base);
    if (!w.stream && offset >= 0 && offset % size == 0 && offset / size < 4096) {
        put(m, direct[wide][store] | (uint32_t)(offset / size) << 10 | base << 5 | v(reg));
        return;
    }
    put_address(m, X16, w);
    if (w.stream)
        put(m, indexed[wide][store] | X13 << 16 | X16 << 5 | v(reg));
    else
        put(m, direct[wide][store] | X16 << 5 | v(reg));
}

// ------------------------------------------------------------------------------------- operations

static void move(foi_maker *m, uint32_t to, uint32_t from, uint32_t lanes)
{
    (void)lanes;
    put(m, 0x4EA01C00 | v(from) << 16 | v(from) << 5 | v(to)); // orr
}

static void load(foi_maker *m, uint32_t to, foi_where from, uint32_t lanes)
{
    bool many = lanes > 1 && (from.stream || from.base == FOI_AT_STACK);
    access(m, to, from, false, many);
    if (lanes > 1 && !many) put(m, 0x4E080400 | v(to) << 5 | v(to)); // dup
}

static void store(foi_maker *m, uint32_t from, foi_where to, uint32_t lanes)
{
    access(m, from, to, true, lanes > 1);
}

/// An operation in one and in two lanes.
typedef struct words {
    uint32_t one, two;
} words;

static void one(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t lanes)
{
    words w;
    switch (op) {
    case FOI_G_NEGATE: w = (words){0x1E614000, 0x6EE0F800}; break;
    case FOI_G_ABS: w = (words){0x1E60C000, 0x4EE0F800}; break;
    case FOI_G_SQRT: w = (words){0x1E61C000, 0x6EE1F800}; break;
    case FOI_G_FLOOR: w = (words){0x1E654000, 0x4E619800}; break;
    case FOI_G_CEIL: w = (words){0x1E64C000, 0x4EE18800}; break;
    default: w = (words){0x1E65C000, 0x4EE19800}; break; // towards zero
    }
    put(m, (lanes > 1 ? w.two : w.one) | v(a) << 5 | v(to));
}

static const words above = {0x7EE0E400, 0x6EE0E400}, above_equal = {0x7E60E400, 0x6E60E400};
static const words same = {0x5E60E400, 0x4E60E400};

static void put_three(foi_maker *m, words w, uint32_t to, uint32_t n, uint32_t k, uint32_t lanes)
{
    put(m, (lanes > 1 ? w.two : w.one) | k << 16 | n << 5 | to);
}

static void two(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t b, uint32_t lanes)
{
    uint32_t x = v(a), y = v(b), z = v(to);
    switch (op) {
    case FOI_G_ADD: put_three(m, (words){0x1E602800, 0x4E60D400}, z, x, y, lanes); break;
    case FOI_G_SUBTRACT: put_three(m, (words){0x1E603800, 0x4EE0D400}, z, x, y, lanes); break;
    case FOI_G_MULTIPLY: put_three(m, (words){0x1E600800, 0x6E60DC00}, z, x, y, lanes); break;
    case FOI_G_DIVIDE: put_three(m, (words){0x1E601800, 0x6E60FC00}, z, x, y, lanes); break;
    case FOI_L_AND: put_three(m, (words){0x4E201C00, 0x4E201C00}, z, x, y, lanes); break;
    case FOI_L_ANDN: put_three(m, (words){0x4E601C00, 0x4E601C00}, z, y, x, lanes); break; // bic
    case FOI_L_OR: put_three(m, (words){0x4EA01C00, 0x4EA01C00}, z, x, y, lanes); break;
    case FOI_L_BELOW: put_three(m, above, z, y, x, lanes); break;
    case FOI_L_BELOW_EQUAL: put_three(m, above_equal, z, y, x, lanes); break;
    case FOI_L_SAME: put_three(m, same, z, x, y, lanes); break;
    case FOI_L_OTHER:
        put_three(m, same, z, x, y, lanes);
        put(m, 0x6E205800 | z << 5 | z); // not
        break;
    default: // the larger
        put_three(m, above, FREE, x, y, lanes);
        put(m, 0x6E601C00 | y << 16 | x << 5 | FREE); // bsl: a where the mask is set, else b
        put(m, 0x4EA01C00 | FREE << 16 | FREE << 5 | z);
    }
}

static bool two_memory(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, foi_where b,
                       uint32_t lanes, bool write)
{
    (void)m, (void)op, (void)to, (void)a, (void)b, (void)lanes, (void)write;
    return false;
}

static void call_address(foi_maker *m, uint64_t address)
{
    foi_where w = {.base = FOI_AT_POOL, .offset = foi_pool_word(&m->pool, address)};
    put_address(m, X16, w);
    put(m, 0xF9400000 | X16 << 5 | X16); // ldr x16, [x16]
    put(m, 0xD63F0000 | X16 << 5);       // blr
}

static void call(foi_maker *m, uint32_t function)
{
    call_address(m, foi_function_address(function));
}

static const foi_processor arm = {ALL,   LEAF, LEAF, false, false,      ALL, load,
                                  store, move, one,  two,   two_memory, call};

// --------------------------------------------------------------------------------------- functions

static void move_general(foi_maker *m, uint32_t to, uint32_t from)
{
    put(m, 0xAA0003E0 | from << 16 | to);
}

static void load_general(foi_maker *m, uint32_t to, uint32_t from, uint32_t offset)
{
    put(m, 0xF9400000 | offset / 8 << 10 | from << 5 | to);
}

// The address of a place in the code, which begins at a page.
static void put_place(foi_maker *m, uint32_t to, size_t place)
{
    int64_t pages = (int64_t)(place >> 12) - (int64_t)(m->code.count >> 12);
    uint32_t word = (uint32_t)pages;
    if (m->code.count > INT32_MAX) m->cause = "it is too long";
    put(m, 0x90000000 | (word & 3) << 29 | (word >> 2 & 0x7FFFF) << 5 | to); // adrp
    put(m, 0x91000000 | (uint32_t)(place & 4095) << 10 | to << 5 | to);
}

// Pairs of registers that a function which calls saves, where they lie.
static void save(foi_maker *m, bool back)
{
    uint32_t general = back ? 0xA9400000 : 0xA9000000, vector = back ? 0x6D400000 : 0x6D000000;
    for (uint32_t i = 0; i < 3; i++)
        put(m,
            general | (2 + 2 * i) << 15 | (X20 + 2 * i) << 10 | (uint32_t)SP << 5 | (X19 + 2 * i));
    for (uint32_t i = 0; i < 4; i++)
        put(m, vector | (8 + 2 * i) << 15 | (9 + 2 * i) << 10 | (uint32_t)SP << 5 | (8 + 2 * i));
}

// The stack grows by what is known at the end, in two parts.
static void put_frame(foi_maker *m, uint32_t bytes, bool back)
{
    uint32_t code = (back ? 0x91000000 : 0xD1000000) | (uint32_t)SP << 5 | SP;
    put(m, code | (bytes & 4095) << 10);
    put(m, code | 1u << 22 | (bytes >> 12) << 10);
}

static void begin(foi_maker *m, foi_calling calling, bool calls)
{
    foi_maker_begin(m, calling, calls);
    uint32_t self = calling == FOI_CALL_TRY ? X0 : X1;
    if (calls) {
        put(m, 0xA9B87BFD); // stp x29, x30, [sp, -128]!
        put(m, 0x910003FD); // mov x29, sp
        save(m, false);
    }
    m->frame_at = m->code.count;
    put_frame(m, 0, false);
    uint32_t pool = base_register(m, FOI_AT_POOL);
    put_place(m, pool, 0);
    put(m, 0xD1400000 | POOL_SPAN / 4096 << 10 | pool << 5 | pool); // sub, in pages
    if (calling == FOI_CALL_LOOP) {
        if (calls) move_general(m, X19, X1);
        return;
    }
    if (calls) {
        move_general(m, X22, self);
        move_general(m, X23, X0);
        self = X22;
    }
    for (uint32_t base = FOI_AT_R; base <= FOI_AT_Y; base++)
        load_general(m, base_register(m, base), self, 8 * base);
}

static void patch(foi_maker *m, size_t at, uint32_t bits)
{
    if (m->code.failed) return;
    for (uint32_t i = 0; i < 4; i++) m->code.list[at + i] |= (uint8_t)(bits >> 8 * i);
}

static void end(foi_maker *m)
{
    uint32_t frame = (m->frame * 8 + 15) / 16 * 16;
    set_general(m, X0, 0);
    for (uint32_t i = 0; i < m->exit_count; i++)
        patch(m, m->exits[i], (uint32_t)((m->code.count - m->exits[i]) / 4 & 0x7FFFF) << 5);
    patch(m, m->frame_at, (frame & 4095) << 10);
    patch(m, m->frame_at + 4, frame >> 12 << 10);
    put_frame(m, frame, true);
    if (m->calls) {
        save(m, true);
        put(m, 0xA8C87BFD); // ldp x29, x30, [sp], 128
    }
    put(m, 0xD65F03C0); // ret
}

static void line(foi_maker *m, foi_line *l)
{
    foi_registers_line(m, &arm, l);
}

static void open_loop(foi_maker *m, uint32_t count, size_t *label)
{
    (void)count;
    set_general(m, X13, 0);
    *label = m->code.count;
}

static void close_loop(foi_maker *m, uint32_t count, size_t *label)
{
    put(m, 0x91004000 | X13 << 5 | X13); // add 16
    set_general(m, X16, 8 * (uint64_t)count);
    put(m, 0xEB10001F | X13 << 5); // cmp x13, x16
    int64_t words_back = ((int64_t)*label - (int64_t)m->code.count) / 4;
    if (words_back < -(1 << 18)) m->cause = "a loop of it is too long";
    put(m, 0x54000003 | ((uint32_t)words_back & 0x7FFFF) << 5); // b.lo
}

static void loop(foi_maker *m, foi_line *l, uint32_t count)
{
    foi_registers_loop(m, &arm, l, 2, count, open_loop, close_loop);
}

// foi_lanes(op, a, b, to, count, lanes)
static void many(foi_maker *m, const foi_lanes_call *c)
{
    set_general(m, X0, c->op);
    put_address(m, X1, c->a);
    put_address(m, X2, c->b);
    put_address(m, X3, c->to);
    set_general(m, X4, c->count);
    set_general(m, X5, (uint64_t)c->a.stream | (uint64_t)c->b.stream << 1);
    call_address(m, (uint64_t)(uintptr_t)foi_lanes);
}

static void solve(foi_maker *m, uint32_t number, uint32_t function)
{
    move_general(m, X0, X23);
    set_general(m, X1, number);
    move_general(m, X2, X22);
    put_place(m, X3, m->function[function]);
    load_general(m, X16, X22, offsetof(foi_run, solve));
    put(m, 0xD63F0000 | X16 << 5); // blr
    put(m, 0x35000000);            // cbnz w0
    foi_maker_exit(m, m->code.count - 4);
}

const foi_target foi_target_arm = {"AArch64", true, true, 2, begin, line, loop, many, solve, end};
