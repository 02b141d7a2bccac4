/// Which values are in registers, decided in two passes over a line.
///
/// Backwards: where each value is used next after each use; what is not used at all is not made.
/// Forwards: a result takes a free register, or that of the value whose next use is furthest
/// (Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems J. 5
/// (1966) 78). What is pushed out is stored, unless it has a home already: what was loaded, a
/// constant, or what was stored as a result. The second operand may stay in its home where the
/// processor can read it there.
///
/// Two registers are enough: an operation reads its operands before it writes its result, so that
/// the result may take the place of an operand which was stored before.
#include "program/emit.h"

#include <string.h>

enum { NO_REGISTER = 255, MOST_REGISTERS = 32 };

/// A value while the line is made.
typedef struct state {
    uint32_t next; ///< its next use
    foi_where home;
    uint8_t reg;
    bool fixed; ///< in its register for good: does not change in a loop
} state;

typedef struct assigner {
    foi_maker *m;
    const foi_processor *p;
    foi_line *line;
    state *value;
    uint32_t *free_slot; ///< of the stack
    uint32_t free_slots, slots;
    uint32_t held[MOST_REGISTERS]; ///< values; FOI_NEVER: free
    uint32_t count;                ///< registers that may be used
    uint32_t lanes;
    uint32_t *call_after; ///< per operation: the next call from there on
    uint32_t position;
} assigner;

// --------------------------------------------------------------------------------------- backwards

static bool makes_value(uint32_t op)
{
    return op != FOI_L_STORE;
}

// Uses the `next` of the states as "used next from here on".
static void look_back(assigner *s)
{
    uint32_t call = FOI_NEVER;
    for (uint32_t i = 0; i < s->line->count; i++) s->value[i].next = FOI_NEVER;
    for (uint32_t i = s->line->count; i-- > 0;) {
        foi_line_op *x = &s->line->list[i];
        uint32_t arity = foi_line_arity(x->op);
        if (s->call_after) s->call_after[i] = call;
        x->first = s->value[i].next;
        if (makes_value(x->op) && x->first == FOI_NEVER) continue;
        if (x->op == FOI_L_CALL_ONE || x->op == FOI_L_CALL_TWO) call = i;
        x->next_a = arity > 0 ? s->value[x->a].next : FOI_NEVER;
        x->next_b = arity > 1 ? s->value[x->b].next : FOI_NEVER;
        if (arity > 0) s->value[x->a].next = i;
        if (arity > 1) s->value[x->b].next = i;
    }
}

// ----------------------------------------------------------------------------------------- memory

static foi_where new_slot(assigner *s)
{
    uint32_t slot = s->free_slots ? s->free_slot[--s->free_slots] : s->slots++;
    uint32_t end = (slot + 1) * s->lanes;
    if (end > s->m->frame) s->m->frame = end;
    if (end > FOI_FRAME_MOST) s->m->cause = "too many values are needed at once";
    return (foi_where){.base = FOI_AT_STACK, .offset = slot * s->lanes};
}

static void free_home(assigner *s, state *v)
{
    if (v->home.base == FOI_AT_STACK) s->free_slot[s->free_slots++] = v->home.offset / s->lanes;
    v->home.base = FOI_AT_NOTHING;
}

static void keep(assigner *s, state *v)
{
    if (v->home.base != FOI_AT_NOTHING) return;
    v->home = new_slot(s);
    s->p->store(s->m, v->reg, v->home, s->lanes);
}

// -------------------------------------------------------------------------------------- registers

static void push_out(assigner *s, uint32_t reg)
{
    if (s->held[reg] == FOI_NEVER) return;
    state *v = &s->value[s->held[reg]];
    if (v->next != FOI_NEVER) keep(s, v);
    v->reg = NO_REGISTER;
    s->held[reg] = FOI_NEVER;
}

// A value is not used any more: its register and place are free.
static void drop(assigner *s, uint32_t value)
{
    state *v = &s->value[value];
    if (v->fixed) return;
    if (v->reg != NO_REGISTER) s->held[v->reg] = FOI_NEVER;
    v->reg = NO_REGISTER;
    free_home(s, v);
}

static uint32_t distance(const assigner *s, uint32_t reg)
{
    return s->value[s->held[reg]].next;
}

// A free register, one that calls leave alone if a call comes before `next`; else one that is not
// in `not` (a set), whose value is pushed out. NO_REGISTER: there is none.
static uint32_t take(assigner *s, uint32_t next, uint32_t not )
{
    bool crosses = s->call_after && s->call_after[s->position] < next && next != FOI_NEVER;
    uint32_t found = NO_REGISTER, furthest = NO_REGISTER;
    for (uint32_t r = 0; r < s->count; r++) {
        if (s->held[r] == FOI_NEVER) {
            if (found == NO_REGISTER || (crosses && found < s->p->kept)) found = r;
            continue;
        }
        if (not >> r & 1) continue;
        if (furthest == NO_REGISTER || distance(s, r) > distance(s, furthest)) furthest = r;
    }
    if (found != NO_REGISTER) return found;
    if (furthest != NO_REGISTER) push_out(s, furthest);
    return furthest;
}

static bool has_free(const assigner *s)
{
    for (uint32_t r = 0; r < s->count; r++)
        if (s->held[r] == FOI_NEVER) return true;
    return false;
}

static void settle(assigner *s, uint32_t value, uint32_t reg)
{
    s->value[value].reg = (uint8_t)reg;
    s->held[reg] = value;
}

// The value in a register, other than those in `not`.
static uint32_t bring(assigner *s, uint32_t value, uint32_t next, uint32_t not )
{
    state *v = &s->value[value];
    if (v->reg != NO_REGISTER) return v->reg;
    uint32_t reg = take(s, next, not );
    s->p->load(s->m, reg, v->home, s->lanes);
    settle(s, value, reg);
    return reg;
}

static uint32_t bit(uint32_t reg)
{
    return reg == NO_REGISTER ? 0 : 1u << reg;
}

// ------------------------------------------------------------------------------------- operations

static bool commutes(uint32_t op)
{
    return op == FOI_G_ADD || op == FOI_G_MULTIPLY || op == FOI_L_AND || op == FOI_L_OR ||
           op == FOI_L_SAME || op == FOI_L_OTHER;
}

static bool in_register(const assigner *s, uint32_t value)
{
    return s->value[value].reg != NO_REGISTER;
}

static bool is_dying(const assigner *s, uint32_t value, uint32_t next)
{
    return next == FOI_NEVER && !s->value[value].fixed;
}

// After an operation: where its operands are used next.
static void passed(assigner *s, uint32_t value, uint32_t next)
{
    s->value[value].next = next;
    if (next == FOI_NEVER) drop(s, value);
}

// The first operand is in a register, the second in one or in memory.
static void write_two(assigner *s, uint32_t op, uint32_t to, uint32_t ra, uint32_t rb,
                      foi_where home)
{
    const foi_processor *p = s->p;
    if (p->two_operands && to != ra) {
        p->move(s->m, to, ra, s->lanes);
        ra = to;
    }
    if (rb == NO_REGISTER)
        p->two_memory(s->m, op, to, ra, home, s->lanes, true);
    else
        p->two(s->m, op, to, ra, rb, s->lanes);
}

static void make_two(assigner *s, uint32_t i, const foi_line_op *x)
{
    uint32_t a = x->a, b = x->b, next_a = x->next_a, next_b = x->next_b;
    const foi_processor *p = s->p;
    bool swap = !in_register(s, a) && in_register(s, b);
    // the result can take the place of the operand that dies
    if (p->two_operands && in_register(s, a) && in_register(s, b))
        swap = !is_dying(s, a, next_a) && is_dying(s, b, next_b);
    if (commutes(x->op) && swap) {
        uint32_t v = a, n = next_a;
        a = b, next_a = next_b, b = v, next_b = n;
    }
    uint32_t ra = bring(s, a, next_a, bit(s->value[b].reg)), rb = s->value[b].reg;
    if (rb == NO_REGISTER) {
        foi_where home = s->value[b].home;
        bool stay = p->memory && p->two_memory(s->m, x->op, ra, ra, home, s->lanes, false);
        if (!stay || (next_b != FOI_NEVER && has_free(s))) rb = bring(s, b, next_b, bit(ra));
    }
    s->value[a].next = next_a;
    if (b != a) s->value[b].next = next_b;
    // which register the result gets: an operand's, if it dies
    uint32_t to = NO_REGISTER;
    foi_where home = s->value[b].home;
    bool b_can = rb != NO_REGISTER && (!p->two_operands || rb == ra) && rb < s->count;
    if (is_dying(s, a, next_a) && ra < s->count)
        to = ra;
    else if (b_can && is_dying(s, b, next_b))
        to = rb;
    if (to == NO_REGISTER) {
        // not the second operand's, where the first is moved there before it is read
        uint32_t not = b_can || rb == NO_REGISTER ? 0 : bit(rb);
        to = take(s, x->first, not );
    }
    write_two(s, x->op, to, ra, rb, home);
    if (next_a == FOI_NEVER) drop(s, a);
    if (next_b == FOI_NEVER && b != a) drop(s, b);
    settle(s, i, to);
}

static void make_one(assigner *s, uint32_t i, const foi_line_op *x)
{
    uint32_t ra = bring(s, x->a, x->next_a, 0);
    s->value[x->a].next = x->next_a;
    uint32_t to = is_dying(s, x->a, x->next_a) && ra < s->count ? ra : take(s, x->first, 0);
    s->p->one(s->m, x->op, to, ra, s->lanes);
    passed(s, x->a, x->next_a);
    settle(s, i, to);
}

static void make_store(assigner *s, const foi_line_op *x)
{
    uint32_t reg = bring(s, x->a, x->next_a, 0);
    state *v = &s->value[x->a];
    s->p->store(s->m, reg, x->where, s->lanes);
    if (v->home.base == FOI_AT_NOTHING) v->home = x->where;
    passed(s, x->a, x->next_a);
}

// ------------------------------------------------------------------------------------------- calls

static void put_argument(assigner *s, uint32_t value, uint32_t reg)
{
    const state *v = &s->value[value];
    if (v->reg == NO_REGISTER)
        s->p->load(s->m, reg, v->home, 1);
    else if (v->reg != reg)
        s->p->move(s->m, reg, v->reg, 1);
}

static void put_arguments(assigner *s, const foi_line_op *x)
{
    bool two = x->op == FOI_L_CALL_TWO;
    if (two && s->value[x->b].reg == 0 && x->a != x->b) {
        // the second one stands where the first belongs
        s->p->move(s->m, s->p->scratch, 0, 1);
        put_argument(s, x->a, 0);
        s->p->move(s->m, 1, s->p->scratch, 1);
        return;
    }
    put_argument(s, x->a, 0);
    if (two && x->a == x->b)
        s->p->move(s->m, 1, 0, 1);
    else if (two)
        put_argument(s, x->b, 1);
}

// What calls may change is stored before, if it is needed later.
static void make_call(assigner *s, uint32_t i, const foi_line_op *x)
{
    s->value[x->a].next = x->next_a;
    if (x->op == FOI_L_CALL_TWO) s->value[x->b].next = x->next_b;
    for (uint32_t r = 0; r < s->count && r < s->p->kept; r++) {
        if (s->held[r] == FOI_NEVER) continue;
        state *v = &s->value[s->held[r]];
        if (v->next != FOI_NEVER) keep(s, v);
    }
    put_arguments(s, x);
    s->p->call(s->m, x->function);
    for (uint32_t r = 0; r < s->count && r < s->p->kept; r++) {
        if (s->held[r] == FOI_NEVER) continue;
        s->value[s->held[r]].reg = NO_REGISTER;
        s->held[r] = FOI_NEVER;
    }
    if (x->next_a == FOI_NEVER) drop(s, x->a);
    if (x->op == FOI_L_CALL_TWO && x->next_b == FOI_NEVER && x->b != x->a) drop(s, x->b);
    settle(s, i, 0);
}

// --------------------------------------------------------------------------------------- forwards

static void make(assigner *s, uint32_t i)
{
    const foi_line_op *x = &s->line->list[i];
    s->position = i;
    if (makes_value(x->op) && x->first == FOI_NEVER) return;
    s->value[i].next = x->first;
    switch (x->op) {
    case FOI_L_LOAD: break; // it is at home
    case FOI_L_STORE: make_store(s, x); break;
    case FOI_L_CALL_ONE:
    case FOI_L_CALL_TWO: make_call(s, i, x); break;
    default:
        if (foi_line_arity(x->op) == 1)
            make_one(s, i, x);
        else
            make_two(s, i, x);
    }
}

static bool begin(assigner *s, foi_maker *m, const foi_processor *p, foi_line *line)
{
    size_t n = (size_t)line->count + 1;
    *s = (assigner){.m = m, .p = p, .line = line, .lanes = 1};
    s->value = foi_new(m->allocator, n, sizeof *s->value);
    s->free_slot = foi_new(m->allocator, n, sizeof *s->free_slot);
    if (line->calls) s->call_after = foi_new(m->allocator, n, sizeof *s->call_after);
    if (!s->value || !s->free_slot || (line->calls && !s->call_after)) {
        m->failed = true;
        return false;
    }
    s->count = m->calls ? p->registers : p->leaf;
    if (m->limit && m->limit < s->count) s->count = m->limit;
    memset(s->held, 0xFF, sizeof s->held);
    look_back(s);
    for (uint32_t i = 0; i < line->count; i++) {
        bool load = line->list[i].op == FOI_L_LOAD;
        s->value[i].reg = NO_REGISTER;
        s->value[i].home = load ? line->list[i].where : (foi_where){.base = FOI_AT_NOTHING};
    }
    return true;
}

static void end(assigner *s)
{
    foi_free(s->m->allocator, s->value);
    foi_free(s->m->allocator, s->free_slot);
    foi_free(s->m->allocator, s->call_after);
}

void foi_registers_line(foi_maker *m, const foi_processor *p, foi_line *line)
{
    assigner s = {.m = m};
    if (line->failed) m->failed = true;
    if (!m->failed && begin(&s, m, p, line))
        for (uint32_t i = 0; i < line->count && !m->cause; i++) make(&s, i);
    end(&s);
}

// What stays the same for all lanes: at most half of the registers, the last ones.
static void hoist(assigner *s)
{
    uint32_t most = s->count >= 6 ? s->count / 2 : 0;
    for (uint32_t i = 0; i < s->line->count && most; i++) {
        const foi_line_op *x = &s->line->list[i];
        if (x->op != FOI_L_LOAD || x->first == FOI_NEVER || x->where.stream) continue;
        s->count--, most--;
        s->p->load(s->m, s->count, x->where, s->lanes);
        s->value[i].reg = (uint8_t)s->count, s->value[i].fixed = true;
    }
}

void foi_registers_loop(foi_maker *m, const foi_processor *p, foi_line *line, uint32_t lanes,
                        uint32_t count, foi_loop_edge *open, foi_loop_edge *close)
{
    assigner s = {.m = m};
    size_t label = 0;
    if (line->failed) m->failed = true;
    if (!m->failed && begin(&s, m, p, line)) {
        s.lanes = lanes;
        hoist(&s);
        open(m, count, &label);
        for (uint32_t i = 0; i < line->count && !m->cause; i++) make(&s, i);
        close(m, count, &label);
    }
    end(&s);
}
