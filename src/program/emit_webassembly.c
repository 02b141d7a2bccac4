/// WebAssembly: the functions of a program for the engine that made it, which is WebAssembly
/// itself. Values are locals, which are used again when their value is not needed any more;
/// comparing gives a truth at once, and a choice is `select`. Loops over lanes take two at a time,
/// as vectors, in which a comparison gives masks. What is called is called through the table of the
/// engine.
#include "program/emit_wasm.h"

#include <stddef.h>

/// Locals after the parameters; doubles and vectors follow.
enum { LOCAL_R, LOCAL_X, LOCAL_Y, LOCAL_CONSTANTS, LOCAL_LANE, LOCAL_STATUS, LOCALS };
enum {
    VECTORS = 112,        ///< of a function with loops over lanes
    MOST_LOCALS = 30000,  ///< engines refuse more,
    MOST_BYTES = 4000000, ///< and longer functions
};

enum {
    IF = 0x04,
    LOOP = 0x03,
    BR_IF = 0x0D,
    RETURN = 0x0F,
    CALL_INDIRECT = 0x11,
    SELECT = 0x1B,
    GET = 0x20,
    SET = 0x21,
    TEE = 0x22,
    LOAD_I32 = 0x28,
    LOAD_F64 = 0x2B,
    STORE_F64 = 0x39,
    CONST_I32 = 0x41,
    CONST_F64 = 0x44,
    EQ = 0x61,
    NE,
    LT,
    GT,
    LE,
    GE,
    I32_LT_U = 0x49,
    I32_ADD = 0x6A,
    I32_SUB,
    I32_AND = 0x71,
    I32_OR,
    CONVERT = 0xB7,
    VECTOR = 0xFD,
    NOTHING = 0x40
};

static void put(foi_bytes *b, uint32_t byte)
{
    foi_put_u8(b, (uint8_t)byte);
}

void foi_put_leb(foi_bytes *b, uint64_t value)
{
    do {
        put(b, (uint32_t)(value & 0x7F) | (value >> 7 ? 0x80 : 0));
    } while (value >>= 7);
}

static void put_signed(foi_bytes *b, int64_t value)
{
    for (bool more = true; more; value >>= 7) {
        more = !(value >= -64 && value < 64);
        put(b, (uint32_t)(value & 0x7F) | (more ? 0x80 : 0));
    }
}

// In five bytes, so that it can be written later.
enum { PADDED = 5 };
static void set_padded(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < PADDED; i++)
        to[i] = (uint8_t)((value >> 7 * i & 0x7F) | (i + 1 < PADDED ? 0x80 : 0));
}

// -------------------------------------------------------------------------------------- functions

static uint32_t parameters(const foi_maker *m)
{
    return m->calling == FOI_CALL_TRY ? 1 : 2;
}

static uint32_t self_of(const foi_maker *m)
{
    return m->calling == FOI_CALL_TRY ? 0 : 1;
}

static uint32_t vectors_of(const foi_maker *m)
{
    return m->wide && m->calling == FOI_CALL_TASK ? VECTORS : 0;
}

static void get(foi_maker *m, uint32_t local)
{
    put(&m->code, GET);
    foi_put_leb(&m->code, local);
}

static void set(foi_maker *m, uint32_t local)
{
    put(&m->code, SET);
    foi_put_leb(&m->code, local);
}

static void put_i32(foi_maker *m, int64_t value)
{
    put(&m->code, CONST_I32);
    put_signed(&m->code, value);
}

static void put_memory(foi_maker *m, uint32_t op, uint32_t align, uint64_t offset)
{
    put(&m->code, op);
    foi_put_leb(&m->code, align);
    foi_put_leb(&m->code, offset);
}

// What addresses a place: its base, and the lane.
static void get_base(foi_maker *m, foi_where w)
{
    uint32_t first = parameters(m);
    switch (w.base) {
    case FOI_AT_R: get(m, m->calling == FOI_CALL_LOOP ? 1 : first + LOCAL_R); break;
    case FOI_AT_X: get(m, first + LOCAL_X); break;
    case FOI_AT_Y: get(m, first + LOCAL_Y); break;
    case FOI_AT_POOL: get(m, first + LOCAL_CONSTANTS); break;
    default: get(m, self_of(m)); break;
    }
    if (!w.stream) return;
    get(m, first + LOCAL_LANE);
    put(&m->code, I32_ADD);
}

static uint64_t offset_of(foi_where w)
{
    return 8 * (uint64_t)w.offset;
}

static void load_pointer(foi_maker *m, uint32_t from, size_t offset, uint32_t to)
{
    get(m, from);
    put_memory(m, LOAD_I32, 2, offset);
    set(m, to);
}

static void begin(foi_maker *m, foi_calling calling, bool calls)
{
    uint8_t later[PADDED] = {0};
    foi_maker_begin(m, calling, calls);
    m->locals = 0;
    put(&m->code, 3), put(&m->code, LOCALS), put(&m->code, FOI_WASM_I32);
    put(&m->code, vectors_of(m)), put(&m->code, FOI_WASM_V128);
    m->frame_at = m->code.count;
    foi_bytes_put(&m->code, later, PADDED), put(&m->code, FOI_WASM_F64);
    if (calling == FOI_CALL_LOOP) return;
    uint32_t first = parameters(m);
    load_pointer(m, self_of(m), offsetof(foi_run, r), first + LOCAL_R);
    load_pointer(m, self_of(m), offsetof(foi_run, x), first + LOCAL_X);
    load_pointer(m, self_of(m), offsetof(foi_run, y), first + LOCAL_Y);
    if (m->wide) load_pointer(m, 0, offsetof(foi_code, constants), first + LOCAL_CONSTANTS);
}

static void end(foi_maker *m)
{
    if (m->calling == FOI_CALL_TASK) put_i32(m, 0);
    put(&m->code, FOI_WASM_END);
    if (m->code.failed || m->failed) return;
    set_padded(m->code.list + m->frame_at, m->locals);
    size_t bytes = m->code.count - m->function[m->functions - 1];
    if (bytes > MOST_BYTES || m->locals > MOST_LOCALS)
        m->cause = "a function of it would be longer than engines take";
}

// ----------------------------------------------------------------------------------------- values

/// The values of a line while it is written.
typedef struct writer {
    foi_maker *m;
    foi_line *line;
    uint32_t *local; ///< per value
    uint32_t *uses;  ///< per value: how often it is still used
    uint32_t *free;  ///< locals that are
    uint32_t free_count, used;
    bool wide; ///< vectors
} writer;

static bool is_constant(const foi_line_op *x)
{
    return x->op == FOI_L_LOAD && x->where.base == FOI_AT_POOL && !x->where.stream;
}

// What nobody needs is not counted.
static void count_uses(writer *w)
{
    for (uint32_t i = w->line->count; i-- > 0;) {
        const foi_line_op *x = &w->line->list[i];
        uint32_t arity = foi_line_arity(x->op);
        if (x->op != FOI_L_STORE && !w->uses[i]) continue;
        if (arity > 0) w->uses[x->a]++;
        if (arity > 1) w->uses[x->b]++;
        if (arity > 2) w->uses[x->c]++;
    }
}

static bool begin_line(writer *w, foi_maker *m, foi_line *line, bool wide)
{
    size_t n = (size_t)line->count + 1;
    *w = (writer){.m = m, .line = line, .wide = wide};
    w->local = foi_new(m->allocator, n, sizeof *w->local);
    w->uses = foi_new(m->allocator, n, sizeof *w->uses);
    w->free = foi_new(m->allocator, n, sizeof *w->free);
    if (line->failed || !w->local || !w->uses || !w->free) m->failed = true;
    if (!m->failed) count_uses(w);
    return !m->failed;
}

static void end_line(writer *w)
{
    foi_free(w->m->allocator, w->local);
    foi_free(w->m->allocator, w->uses);
    foi_free(w->m->allocator, w->free);
}

static uint32_t first_local(const writer *w)
{
    return parameters(w->m) + LOCALS + (w->wide ? 0 : vectors_of(w->m));
}

// The value on top of the stack gets a local.
static void keep(writer *w, uint32_t value)
{
    foi_maker *m = w->m;
    uint32_t local = w->free_count ? w->free[--w->free_count] : w->used++;
    if (w->wide && w->used > VECTORS) m->cause = "a loop of it needs too many values at once";
    if (!w->wide && w->used > m->locals) m->locals = w->used;
    w->local[value] = local;
    set(m, first_local(w) + local);
}

static void put_constant(writer *w, const foi_line_op *x)
{
    put(&w->m->code, CONST_F64);
    foi_put_u64(&w->m->code, w->m->pool.word[x->where.offset]);
}

static void put_vector(foi_maker *m, uint32_t op)
{
    put(&m->code, VECTOR);
    foi_put_leb(&m->code, op);
}

// Pushes a value once.
static void push(writer *w, uint32_t value)
{
    const foi_line_op *x = &w->line->list[value];
    if (!is_constant(x)) {
        get(w->m, first_local(w) + w->local[value]);
        return;
    }
    put_constant(w, x);
    if (w->wide) put_vector(w->m, 0x14); // splat
}

// One use of it is over.
static void release(writer *w, uint32_t value)
{
    if (--w->uses[value] == 0 && !is_constant(&w->line->list[value]))
        w->free[w->free_count++] = w->local[value];
}

static void release_operands(writer *w, const foi_line_op *x)
{
    uint32_t arity = foi_line_arity(x->op);
    if (arity > 0) release(w, x->a);
    if (arity > 1) release(w, x->b);
    if (arity > 2) release(w, x->c);
}

// ------------------------------------------------------------------------------------- operations

static void push_two(writer *w, uint32_t a, uint32_t b, uint32_t op)
{
    push(w, a), push(w, b);
    put(&w->m->code, op);
}

static void push_zero(writer *w)
{
    put(&w->m->code, CONST_F64);
    foi_put_u64(&w->m->code, 0);
}

// i32: whether it stands so to zero.
static void push_test(writer *w, uint32_t a, uint32_t op)
{
    push(w, a), push_zero(w);
    put(&w->m->code, op);
}

static void put_truth(writer *w, uint32_t a, uint32_t b, uint32_t op)
{
    push_two(w, a, b, op);
    put(&w->m->code, CONVERT);
}

static void put_tests(writer *w, const foi_line_op *x)
{
    foi_bytes *code = &w->m->code;
    bool sign = x->op == FOI_G_SIGN;
    push_test(w, x->a, sign ? GT : NE);
    push_test(w, sign ? x->a : x->b, sign ? LT : NE);
    put(code, sign ? I32_SUB : x->op == FOI_G_AND ? I32_AND : I32_OR);
    put(code, CONVERT);
}

// b better than a, or not a number: b; else a.
static void put_extreme(writer *w, const foi_line_op *x)
{
    foi_bytes *code = &w->m->code;
    push(w, x->b), push(w, x->a);
    push_two(w, x->b, x->a, x->op == FOI_G_MIN ? LT : GT);
    push_two(w, x->b, x->b, NE);
    put(code, I32_OR), put(code, SELECT);
}

static void put_call(writer *w, const foi_line_op *x)
{
    bool two = x->op == FOI_L_CALL_TWO;
    push(w, x->a);
    if (two) push(w, x->b);
    put_i32(w->m, (int64_t)foi_function_address(x->function));
    put(&w->m->code, CALL_INDIRECT);
    foi_put_leb(&w->m->code, two ? FOI_TYPE_TWO : FOI_TYPE_ONE), put(&w->m->code, 0);
}

static uint32_t code_of(uint32_t op)
{
    switch (op) {
    case FOI_G_ADD: return 0xA0;
    case FOI_G_SUBTRACT: return 0xA1;
    case FOI_G_MULTIPLY: return 0xA2;
    case FOI_G_DIVIDE: return 0xA3;
    case FOI_G_ABS: return 0x99;
    case FOI_G_NEGATE: return 0x9A;
    case FOI_G_CEIL: return 0x9B;
    case FOI_G_FLOOR: return 0x9C;
    case FOI_L_TRUNC: return 0x9D;
    default: return 0x9F; // the square root
    }
}

static void put_value(writer *w, const foi_line_op *x)
{
    foi_bytes *code = &w->m->code;
    switch (x->op) {
    case FOI_L_LOAD:
        get_base(w->m, x->where);
        put_memory(w->m, LOAD_F64, 3, offset_of(x->where));
        break;
    case FOI_L_CALL_ONE:
    case FOI_L_CALL_TWO: put_call(w, x); break;
    case FOI_G_LESS: put_truth(w, x->a, x->b, LT); break;
    case FOI_G_LESS_EQUAL: put_truth(w, x->a, x->b, LE); break;
    case FOI_G_GREATER: put_truth(w, x->a, x->b, GT); break;
    case FOI_G_GREATER_EQUAL: put_truth(w, x->a, x->b, GE); break;
    case FOI_G_EQUAL: put_truth(w, x->a, x->b, EQ); break;
    case FOI_G_NOT_EQUAL: put_truth(w, x->a, x->b, NE); break;
    case FOI_G_NOT: push_test(w, x->a, EQ), put(code, CONVERT); break;
    case FOI_G_SIGN:
    case FOI_G_AND:
    case FOI_G_OR: put_tests(w, x); break;
    case FOI_G_MIN:
    case FOI_G_MAX: put_extreme(w, x); break;
    case FOI_L_LARGER:
        push(w, x->a), push(w, x->b);
        push_two(w, x->a, x->b, GT);
        put(code, SELECT);
        break;
    case FOI_G_IF:
        push(w, x->b), push(w, x->c);
        push_test(w, x->a, NE);
        put(code, SELECT);
        break;
    default:
        push(w, x->a);
        if (foi_line_arity(x->op) > 1) push(w, x->b);
        put(code, code_of(x->op));
    }
}

static void put_store(writer *w, const foi_line_op *x)
{
    get_base(w->m, x->where);
    push(w, x->a);
    if (w->wide) put(&w->m->code, VECTOR);
    put_memory(w->m, w->wide ? 0x0B : STORE_F64, 3, offset_of(x->where));
}

// ----------------------------------------------------------------------------------------- vectors

static void put_lanes(writer *w, const foi_line_op *x)
{
    static const uint32_t codes[FOI_L_COUNT] = {
        [FOI_G_ADD] = 0xF0,    [FOI_G_SUBTRACT] = 0xF1,    [FOI_G_MULTIPLY] = 0xF2,
        [FOI_G_DIVIDE] = 0xF3, [FOI_G_ABS] = 0xEC,         [FOI_G_NEGATE] = 0xED,
        [FOI_G_SQRT] = 0xEF,   [FOI_G_CEIL] = 0x74,        [FOI_G_FLOOR] = 0x75,
        [FOI_L_TRUNC] = 0x7A,  [FOI_L_AND] = 0x4E,         [FOI_L_ANDN] = 0x4F,
        [FOI_L_OR] = 0x50,     [FOI_L_SAME] = 0x47,        [FOI_L_OTHER] = 0x48,
        [FOI_L_BELOW] = 0x49,  [FOI_L_BELOW_EQUAL] = 0x4B,
    };
    if (x->op == FOI_L_LOAD) {
        get_base(w->m, x->where);
        put(&w->m->code, VECTOR); // one double for both lanes, or two
        put_memory(w->m, x->where.stream ? 0x00 : 0x0A, 3, offset_of(x->where));
        return;
    }
    // andnot takes off what the second has
    bool swap = x->op == FOI_L_ANDN;
    push(w, swap ? x->b : x->a);
    if (foi_line_arity(x->op) > 1) push(w, swap ? x->a : x->b);
    put_vector(w->m, codes[x->op]);
}

// ------------------------------------------------------------------------------------------ lines

static void put_op(writer *w, uint32_t i)
{
    const foi_line_op *x = &w->line->list[i];
    if (x->op == FOI_L_STORE) {
        put_store(w, x);
        release_operands(w, x);
        return;
    }
    if (!w->uses[i] || is_constant(x)) return;
    if (w->wide)
        put_lanes(w, x);
    else
        put_value(w, x);
    release_operands(w, x);
    keep(w, i);
}

static void line(foi_maker *m, foi_line *l)
{
    writer w;
    if (begin_line(&w, m, l, false))
        for (uint32_t i = 0; i < l->count; i++) put_op(&w, i);
    end_line(&w);
}

// ------------------------------------------------------------------------------------------ loops

/// Lanes of a round, as engines look for interrupts in every one; and how many values that several
/// vectors of a round use are read once.
enum { ROUND = 8, MOST_SHARED = 24 };

/// A line for several vectors, made of that for one.
typedef struct unrolled {
    foi_line line;
    const foi_line *one;
    uint32_t *value;            ///< per value of `one`: that of the vector in work
    uint32_t read[MOST_SHARED]; ///< values that were read and are not written
    uint32_t reads;
} unrolled;

static bool same_place(foi_where a, foi_where b)
{
    return a.base == b.base && a.stream == b.stream && a.offset == b.offset;
}

// What a loop reads it does not write, but for values of its own lane, which it does not read. So a
// neighbour that the vector before has read already is not read again.
static uint32_t read_once(unrolled *u, foi_where where)
{
    for (uint32_t i = 0; i < u->reads; i++)
        if (same_place(u->line.list[u->read[i]].where, where)) return u->read[i];
    uint32_t value = foi_line_load(&u->line, where);
    if (u->reads < MOST_SHARED && !u->line.failed) u->read[u->reads++] = value;
    return value;
}

static void add_vector(unrolled *u, uint32_t shift)
{
    for (uint32_t i = 0; i < u->one->count && !u->line.failed; i++) {
        foi_line_op x = u->one->list[i];
        uint32_t arity = foi_line_arity(x.op);
        if (x.where.stream) x.where.offset += shift;
        if (x.op == FOI_L_LOAD)
            u->value[i] = read_once(u, x.where);
        else if (x.op == FOI_L_STORE)
            foi_line_store(&u->line, u->value[x.a], x.where);
        else
            u->value[i] =
                foi_line_put(&u->line, x.op, u->value[x.a], arity > 1 ? u->value[x.b] : 0);
    }
}

static bool is_steady(const writer *w, uint32_t i)
{
    const foi_line_op *x = &w->line->list[i];
    return x->op == FOI_L_LOAD && !x->where.stream && !is_constant(x) && w->uses[i];
}

// What is the same in all lanes and every round is read before; where that is much, its first part.
static uint32_t put_ahead(writer *w)
{
    uint32_t count = 0, i = 0;
    for (; i < w->line->count && count < MOST_SHARED; i++) {
        if (!is_steady(w, i)) continue;
        put_op(w, i);
        w->uses[i]++; // it stays
        count++;
    }
    return i;
}

static void put_rest(writer *w, uint32_t ahead)
{
    for (uint32_t i = 0; i < w->line->count; i++)
        if (i >= ahead || !is_steady(w, i)) put_op(w, i);
}

// The vectors of lanes `from`, from + 2, ..., once; or for each round of the first `whole` lanes.
static void put_vectors(foi_maker *m, const foi_line *l, uint32_t from, uint32_t to, uint32_t whole)
{
    uint32_t lane = parameters(m) + LOCAL_LANE;
    unrolled u = {.line = {.pool = l->pool}, .one = l};
    writer w = {.m = m};
    u.value = foi_new(m->allocator, (size_t)l->count + 1, sizeof *u.value);
    for (uint32_t i = from; i < to && u.value; i += 2) add_vector(&u, i);
    if (!u.value || l->failed) m->failed = true;
    if (!m->failed && begin_line(&w, m, &u.line, true)) {
        uint32_t ahead = put_ahead(&w);
        if (whole) put(&m->code, LOOP), put(&m->code, NOTHING);
        put_rest(&w, ahead);
    }
    if (whole) {
        get(m, lane), put_i32(m, 8 * ROUND);
        put(&m->code, I32_ADD), put(&m->code, TEE), foi_put_leb(&m->code, lane);
        put_i32(m, 8 * (int64_t)whole);
        put(&m->code, I32_LT_U), put(&m->code, BR_IF), put(&m->code, 0);
        put(&m->code, FOI_WASM_END);
    }
    end_line(&w);
    foi_free(m->allocator, u.value);
    foi_line_free(&u.line);
}

static void loop(foi_maker *m, foi_line *l, uint32_t count)
{
    uint32_t whole = count / ROUND * ROUND;
    put_i32(m, 0), set(m, parameters(m) + LOCAL_LANE);
    if (whole) put_vectors(m, l, 0, ROUND, whole);
    if (whole < count) put_vectors(m, l, 0, count - whole, 0);
}

static void put_address(foi_maker *m, foi_where w)
{
    w.stream = false;
    get_base(m, w);
    put_i32(m, (int64_t)offset_of(w));
    put(&m->code, I32_ADD);
}

// foi_lanes(op, a, b, to, count, lanes)
static void many(foi_maker *m, const foi_lanes_call *c)
{
    put_i32(m, c->op);
    put_address(m, c->a), put_address(m, c->b), put_address(m, c->to);
    put_i32(m, c->count);
    put_i32(m, (int64_t)c->a.stream | (int64_t)c->b.stream << 1);
    put_i32(m, (int64_t)(uintptr_t)foi_lanes);
    put(&m->code, CALL_INDIRECT), put(&m->code, FOI_TYPE_LANES), put(&m->code, 0);
}

static void solve(foi_maker *m, uint32_t number, uint32_t function)
{
    uint32_t status = parameters(m) + LOCAL_STATUS;
    get(m, 0), put_i32(m, number), get(m, 1);
    put(&m->code, FOI_WASM_GLOBAL), put(&m->code, 0);
    put_i32(m, function), put(&m->code, I32_ADD);
    get(m, 1), put_memory(m, LOAD_I32, 2, offsetof(foi_run, solve));
    put(&m->code, CALL_INDIRECT), put(&m->code, FOI_TYPE_SOLVE), put(&m->code, 0);
    put(&m->code, TEE), foi_put_leb(&m->code, status);
    put(&m->code, IF), put(&m->code, NOTHING);
    get(m, status), put(&m->code, RETURN), put(&m->code, FOI_WASM_END);
}

const foi_target foi_target_wasm = {.name = "WebAssembly",
                                    .rounds = true,
                                    .lanes = 2,
                                    .begin = begin,
                                    .line = line,
                                    .loop = loop,
                                    .many = many,
                                    .solve = solve,
                                    .end = end};
