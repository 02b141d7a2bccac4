/// From expressions to instructions. The graph's order is an order of evaluation, so that emitting
/// is one pass; registers of temporaries are given back after their last use.
#include <string.h>

#include "base/array.h"
#include "equations/outside.h"
#include "program/code.h"

typedef struct emitter {
    foi_code *code;
    foi_plan *p;
    foi_graph *g;
    const foi_layout *layout;
    foi_arena *arena;
    foi_node *needed; ///< ascending
    size_t needed_count;
    uint32_t *place; ///< per node: its register; FOI_NOTHING: none yet
    uint32_t *loop;  ///< per node: the loop whose unknowns it depends on, or FOI_NOTHING
    uint32_t *last;  ///< per node: position in `needed` of its last user
    uint32_t *free;  ///< registers given back
    uint32_t *local; ///< per loop of the plan: its index in the code
    bool *variable;  ///< per node: a variable that follows inside of a loop
    uint32_t *cell;  ///< per node: of OUTSIDE, the register with its kind and cell; NULL: none
    size_t free_count;
    uint32_t next;        ///< register never used yet
    uint32_t inner_begin; ///< of the instructions of the next loop
    foi_instruction *list, *inner;
    size_t count, room, inner_count, inner_room;
    bool failed;
} emitter;

// ------------------------------------------------------------------------------- what is needed

// Everything below the roots, and below the residuals of the loops that these need.
static bool find_needed(emitter *m, const foi_node *roots, uint32_t count)
{
    foi_graph *g = m->g;
    foi_plan *p = m->p;
    foi_node *all = NULL;
    size_t n = 0, room = 0;
    bool good = foi_array_room(g->allocator, &all, &room, (size_t)count + 1, sizeof *all), more;
    for (; good && n < count; n++) all[n] = roots[n];
    do {
        more = false;
        good = good && foi_graph_reach(g, all, n);
        size_t found = g->list_count;
        for (size_t i = 0; good && i < found; i++) {
            if (!foi_is_leaf(g, g->list[i], FOI_LEAF_SOLVED)) continue;
            uint32_t l = p->unknowns[g->nodes[g->list[i]].b].loop;
            if (m->local[l] != FOI_NOTHING) continue;
            const foi_loop *loop = &p->loops[l];
            bool helped = loop->helper != FOI_NOTHING;
            size_t k = loop->count, entries = loop->start[k];
            size_t extra = k + entries + k + (helped ? k + 1 : 0);
            m->local[l] = m->code->loop_count++;
            good = foi_array_room(g->allocator, &all, &room, n + extra, sizeof *all);
            if (!good) break;
            memcpy(all + n, loop->residual, k * sizeof *all);
            if (entries) memcpy(all + n + k, loop->entry, entries * sizeof *all);
            for (size_t j = 0; j < k; j++)
                all[n + k + entries + j] =
                    foi_leaf_of(g, FOI_LEAF_SOLVED, loop->first + (uint32_t)j);
            if (helped) {
                memcpy(all + n + 2 * k + entries, loop->from, k * sizeof *all);
                all[n + 3 * k + entries] =
                    foi_leaf_of(g, FOI_LEAF_SOLVED, p->loops[loop->helper].first);
            }
            n += extra, more = true;
        }
    } while (good && more);
    m->needed = good ? foi_new(g->allocator, g->list_count, sizeof *m->needed) : NULL;
    m->needed_count = g->list_count;
    if (m->needed && g->list_count) memcpy(m->needed, g->list, g->list_count * sizeof *m->needed);
    foi_free(g->allocator, all);
    return m->needed != NULL && !g->failed;
}

// The unknown that a leaf stands for, or NULL.
static const foi_unknown *unknown_of(const emitter *m, foi_node n, foi_leaf kind)
{
    return foi_is_leaf(m->g, n, kind) ? &m->p->unknowns[m->g->nodes[n].b] : NULL;
}

static void find_loop(emitter *m, foi_node n)
{
    const foi_graph_node *node = &m->g->nodes[n];
    const foi_unknown *u = unknown_of(m, n, FOI_LEAF_UNKNOWN);
    const uint32_t arguments[3] = {node->a, node->b, node->c};
    m->loop[n] = u ? u->loop : FOI_NOTHING;
    for (uint32_t i = 0; i < foi_op_arity(node->op); i++)
        if (m->loop[arguments[i]] != FOI_NOTHING) m->loop[n] = m->loop[arguments[i]];
}

static void use(emitter *m, foi_node n, uint32_t position)
{
    if (m->last[n] == FOI_NOTHING || position > m->last[n]) m->last[n] = position;
}

// What is inside of a loop is used where the loop is solved, at its first SOLVED leaf.
static void find_last_uses(emitter *m, const foi_node *roots, uint32_t count)
{
    uint32_t end = (uint32_t)m->needed_count;
    uint32_t solved_at = end;
    for (size_t k = m->needed_count; k-- > 0;) {
        foi_node n = m->needed[k];
        const foi_graph_node *node = &m->g->nodes[n];
        const uint32_t arguments[3] = {node->a, node->b, node->c};
        if (foi_is_leaf(m->g, n, FOI_LEAF_SOLVED)) solved_at = (uint32_t)k;
        uint32_t position = m->loop[n] == FOI_NOTHING ? (uint32_t)k : solved_at;
        for (uint32_t i = 0; i < foi_op_arity(node->op); i++) use(m, arguments[i], position);
    }
    for (uint32_t i = 0; i < count; i++) m->last[roots[i]] = end;
    for (size_t l = 0; l < m->p->loop_count; l++) {
        const foi_loop *loop = &m->p->loops[l];
        if (m->local[l] == FOI_NOTHING) continue;
        for (uint32_t i = 0; i < loop->count; i++) m->last[loop->residual[i]] = end;
        for (uint32_t i = 0; i < loop->start[loop->count]; i++) m->last[loop->entry[i]] = end;
        for (uint32_t i = 0; loop->from && i < loop->count; i++) m->last[loop->from[i]] = end;
    }
}

// -------------------------------------------------------------------------------------- registers

static uint32_t take(emitter *m)
{
    return m->free_count ? m->free[--m->free_count] : m->next++;
}

static void give_back(emitter *m, foi_node n, uint32_t position)
{
    bool temporary = m->place[n] != FOI_NOTHING && m->g->nodes[n].op > FOI_G_LEAF;
    if (temporary && m->last[n] == position && m->loop[n] == FOI_NOTHING) {
        m->free[m->free_count++] = m->place[n];
        m->last[n] = FOI_NOTHING;
    }
}

static fo_status leaf_place(emitter *m, foi_node n)
{
    const foi_graph_node *node = &m->g->nodes[n];
    uint32_t kind = node->a;
    if (kind == FOI_LEAF_UNKNOWN || kind == FOI_LEAF_SOLVED) {
        // both are the same register
        foi_leaf other = kind == FOI_LEAF_UNKNOWN ? FOI_LEAF_SOLVED : FOI_LEAF_UNKNOWN;
        foi_node twin = foi_leaf_of(m->g, other, node->b);
        if (m->place[n] == FOI_NOTHING) m->place[n] = m->next++;
        if (twin < m->g->count) m->place[twin] = m->place[n];
        return FO_OK;
    }
    if (node->b >= m->layout->count[kind])
        return foi_equations_fail(m->p->e, (foi_place){0}, FO_ERROR_MODEL,
                                  "a value is needed that is not known there (%s)",
                                  kind == FOI_LEAF_VARIABLE ? foi_variable_name(m->p->e, node->b)
                                                            : "internal");
    m->place[n] = m->layout->at[kind] + node->b;
    m->code->uses[kind] = true;
    return FO_OK;
}

// Whether it has a cell of the frame, for itself alone (equations/outside.h).
static bool has_cell(const emitter *m, foi_node n)
{
    return m->cell && m->g->nodes[n].op == FOI_G_OUTSIDE &&
           foi_constant_value(m->g, m->g->nodes[n].c) < FOI_OUTSIDE_RESULT;
}

static uint32_t call_cells(const emitter *m, foi_node n)
{
    const foi_outside *o = m->p->e->flat->outside;
    return foi_outside_cells(o->functions[(uint32_t)foi_constant_value(m->g, m->g->nodes[n].b)]);
}

static void place_cells(emitter *m, uint32_t k)
{
    foi_code *code = m->code;
    uint32_t next = 1; // the first is the frame's own
    for (size_t i = 0; i < m->needed_count; i++) {
        foi_node n = m->needed[i];
        if (!has_cell(m, n)) continue;
        double kind = foi_constant_value(m->g, m->g->nodes[n].c);
        code->constants[k++] = kind + (double)FOI_OUTSIDE_KINDS * next;
        m->cell[n] = m->next++;
        next += kind == FOI_OUTSIDE_CALL ? call_cells(m, n) : 1;
    }
    if (next > 1) code->cells = next;
}

static void place_constants(emitter *m)
{
    foi_code *code = m->code;
    for (size_t i = 0; i < m->needed_count; i++)
        code->constant_count += foi_is_constant(m->g, m->needed[i]) + has_cell(m, m->needed[i]);
    code->constants = foi_arena_new(m->arena, code->constant_count, sizeof *code->constants);
    if (!code->constants) return;
    code->constant_at = m->next;
    uint32_t k = 0;
    for (size_t i = 0; i < m->needed_count; i++) {
        foi_node n = m->needed[i];
        if (!foi_is_constant(m->g, n)) continue;
        code->constants[k++] = foi_constant_value(m->g, n);
        m->place[n] = m->next++;
    }
    if (m->cell) place_cells(m, k);
}

// -------------------------------------------------------------------------------------- emitting

// Where the operands come from.
static uint16_t origins(const emitter *m, foi_node n)
{
    const foi_graph_node *node = &m->g->nodes[n];
    const uint32_t arguments[3] = {node->a, node->b, node->c};
    uint32_t from = m->variable[n] ? FOI_IS_VARIABLE : 0;
    for (uint32_t k = 0; k < foi_op_arity(node->op); k++)
        if (m->loop[arguments[k]] != FOI_NOTHING)
            from |=
                (uint32_t)(m->g->nodes[arguments[k]].op > FOI_G_LEAF ? FOI_INSIDE_A : FOI_UNKNOWN_A)
                << k;
    return (uint16_t)from;
}

static void emit_operation(emitter *m, foi_node n, uint32_t position)
{
    const foi_graph_node node = m->g->nodes[n];
    uint32_t arity = foi_op_arity(node.op);
    foi_instruction x = {.op = (uint16_t)node.op, .a = m->place[node.a]};
    if (arity > 1) x.b = m->place[node.b];
    if (arity > 2) x.c = has_cell(m, n) ? m->cell[n] : m->place[node.c];
    bool inside = m->loop[n] != FOI_NOTHING;
    if (!inside) {
        give_back(m, node.a, position);
        if (arity > 1) give_back(m, node.b, position);
        if (arity > 2) give_back(m, node.c, position);
    }
    x.to = m->place[n] = inside ? m->next++ : take(m);
    if (inside) x.lanes = origins(m, n);
    foi_instruction **list = inside ? &m->inner : &m->list;
    size_t *count = inside ? &m->inner_count : &m->count;
    size_t *room = inside ? &m->inner_room : &m->room;
    if (!foi_array_room(m->g->allocator, list, room, *count + 1, sizeof x)) {
        m->failed = true;
        return;
    }
    (*list)[(*count)++] = x;
}

static uint32_t *registers_of(emitter *m, const foi_node *nodes, size_t count)
{
    uint32_t *list = foi_arena_new(m->arena, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = m->place[nodes[i]];
    return list;
}

static void end_line(emitter *m, foi_instruction **list, size_t *count, size_t *room)
{
    if (!foi_array_room(m->g->allocator, list, room, *count + 1, sizeof **list))
        m->failed = true;
    else
        (*list)[(*count)++] = (foi_instruction){.op = FOI_I_END};
}

static void emit_solve(emitter *m, uint32_t plan_loop)
{
    foi_loop *loop = &m->p->loops[plan_loop];
    foi_loop_code *to = &m->code->loops[m->local[plan_loop]];
    if (to->count) return;
    *to = (foi_loop_code){.count = loop->count, .inner_count = loop->inner_count};
    to->about = foi_loop_describe(m->p, loop, m->arena);
    to->helper = loop->helper == FOI_NOTHING ? FOI_NOTHING : m->local[loop->helper];
    to->from = registers_of(m, loop->from, loop->from ? loop->count : 0);
    // all that depends on a loop's unknowns was made before its solution: one stretch
    to->begin = m->inner_begin;
    to->end = (uint32_t)m->inner_count;
    end_line(m, &m->inner, &m->inner_count, &m->inner_room);
    m->inner_begin = (uint32_t)m->inner_count;
    to->residual = registers_of(m, loop->residual, loop->count);
    to->entry = registers_of(m, loop->entry, loop->start[loop->count]);
    to->inner = registers_of(m, loop->inner, loop->inner_count);
    to->unknown = foi_arena_new(m->arena, loop->count, sizeof *to->unknown);
    to->guess = foi_arena_new(m->arena, loop->count, sizeof *to->guess);
    foi_instruction x = {.op = FOI_I_SOLVE, .a = m->local[plan_loop]};
    if (m->arena->failed || !to->about ||
        !foi_array_room(m->g->allocator, &m->list, &m->room, m->count + 1, sizeof x)) {
        m->failed = true;
        return;
    }
    m->list[m->count++] = x;
    for (uint32_t i = 0; i < loop->count; i++) {
        foi_node leaf = foi_leaf_of(m->g, FOI_LEAF_SOLVED, loop->first + i);
        leaf_place(m, leaf);
        to->unknown[i] = m->place[leaf];
        to->guess[i] = m->p->unknowns[loop->first + i].guess;
    }
}

static fo_status emit_all(emitter *m)
{
    fo_status status = FO_OK;
    for (size_t k = 0; k < m->needed_count && status == FO_OK && !m->failed; k++) {
        foi_node n = m->needed[k];
        const foi_unknown *solved = unknown_of(m, n, FOI_LEAF_SOLVED);
        if (solved) emit_solve(m, solved->loop);
        if (m->g->nodes[n].op == FOI_G_LEAF) status = leaf_place(m, n);
        if (m->g->nodes[n].op > FOI_G_LEAF) emit_operation(m, n, (uint32_t)k);
    }
    return status;
}

// The instructions of the loops follow the main line.
static bool append_loops(emitter *m)
{
    foi_code *code = m->code;
    end_line(m, &m->list, &m->count, &m->room);
    if (m->failed) return false;
    code->count = (uint32_t)m->count - 1;
    code->all = (uint32_t)(m->count + m->inner_count);
    code->list = foi_arena_new(m->arena, code->all, sizeof *code->list);
    if (!code->list) return false;
    if (m->count) memcpy(code->list, m->list, m->count * sizeof *code->list);
    if (m->inner_count)
        memcpy(code->list + m->count, m->inner, m->inner_count * sizeof *code->list);
    for (uint32_t l = 0; l < code->loop_count; l++)
        code->loops[l].begin += (uint32_t)m->count, code->loops[l].end += (uint32_t)m->count;
    return true;
}

// A residual is none, though it may be the same expression.
static void find_variables(emitter *m)
{
    for (size_t l = 0; l < m->p->loop_count; l++) {
        const foi_loop *loop = &m->p->loops[l];
        if (m->local[l] == FOI_NOTHING) continue;
        for (uint32_t i = 0; i < loop->inner_count; i++) {
            m->variable[loop->inner[i]] = true;
            m->place[loop->inner[i]] = FOI_NOTHING; // perhaps nobody needs it
        }
        for (uint32_t i = 0; i < loop->count; i++) m->variable[loop->residual[i]] = false;
    }
}

static bool prepare(emitter *m, const foi_node *roots, uint32_t count)
{
    const fo_allocator *a = m->g->allocator;
    // twins of unknowns may be made on the way: two more for each
    size_t n = m->g->count + 2 * m->p->unknown_count + 2;
    m->local = foi_new(a, m->p->loop_count, sizeof *m->local);
    if (!m->local) return false;
    memset(m->local, 0xFF, m->p->loop_count * sizeof *m->local);
    if (!find_needed(m, roots, count)) return false;
    if (!m->needed_count) n = 0;
    m->place = foi_new(a, n, sizeof *m->place);
    m->loop = foi_new(a, n, sizeof *m->loop);
    m->last = foi_new(a, n, sizeof *m->last);
    m->free = foi_new(a, m->needed_count + 1, sizeof *m->free);
    m->code->loops = foi_arena_new(m->arena, m->code->loop_count, sizeof *m->code->loops);
    m->variable = foi_new(a, n, sizeof *m->variable);
    bool outside = m->p->e->flat && m->p->e->flat->outside;
    m->cell = outside ? foi_new(a, n, sizeof *m->cell) : NULL;
    if (outside && !m->cell) return false;
    if (!m->place || !m->loop || !m->last || !m->free || !m->code->loops || !m->variable)
        return false;
    find_variables(m);
    for (size_t i = 0; i < m->needed_count; i++) {
        m->place[m->needed[i]] = m->last[m->needed[i]] = FOI_NOTHING;
        find_loop(m, m->needed[i]);
    }
    find_last_uses(m, roots, count);
    place_constants(m);
    return true;
}

fo_status foi_emit(foi_code *code, foi_plan *p, const foi_layout *layout, const foi_node *roots,
                   uint32_t count, foi_arena *arena)
{
    const fo_allocator *a = p->e->allocator;
    emitter m = {.code = code, .p = p, .g = &p->e->g, .layout = layout, .arena = arena};
    *code = (foi_code){.result_count = count};
    m.next = layout->total;
    fo_status status = prepare(&m, roots, count) ? emit_all(&m) : FO_ERROR_MEMORY;
    if (status == FO_OK && (m.failed || !append_loops(&m))) status = FO_ERROR_MEMORY;
    if (status == FO_OK) code->results = registers_of(&m, roots, count);
    code->registers = m.next;
    for (uint32_t l = 0; status == FO_OK && l < code->loop_count; l++) {
        size_t work = foi_newton_work(code, &code->loops[l]);
        if (work > code->newton) code->newton = work;
    }
    if (status == FO_OK && !foi_pack(code, layout, arena)) status = FO_ERROR_MEMORY;
    for (int kind = 0; kind < FOI_LEAF_KINDS; kind++)
        if (code->uses[kind] && kind != FOI_LEAF_TIME)
            code->used[code->used_count++] = (uint8_t)kind;
    foi_free(a, m.needed);
    foi_free(a, m.place);
    foi_free(a, m.loop);
    foi_free(a, m.last);
    foi_free(a, m.free);
    foi_free(a, m.local);
    foi_free(a, m.variable);
    foi_free(a, m.cell);
    foi_free(a, m.list);
    foi_free(a, m.inner);
    if (status == FO_OK && (arena->failed || p->e->g.failed)) status = FO_ERROR_MEMORY;
    return status == FO_ERROR_MEMORY ? foi_equations_no_memory(p->e) : status;
}
