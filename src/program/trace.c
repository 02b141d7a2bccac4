/// Which expression was the first that is not a number: where a loop has no solution because one is
/// passed on to it, the code before it is run once more, line by line. Each register that is not a
/// number remembers the line from which it has that. The expression is read off the lines.
#include <math.h>
#include <string.h>

#include "program/walk.h"

enum {
    DEEP = 12,     ///< operations below each other in a text, of which it may have fewer
    MANY = 60,     ///< in all of it
    HERE = 1 << 30 ///< an origin from here on is a register that was given
};

typedef struct trace {
    const foi_program *g;
    const foi_code *code;
    foi_run *run;
    uint32_t *origin; ///< per register: the line, or HERE and the register
    foi_graph graph;  ///< of the text
    const char *names[MANY];
    uint32_t name_count, made;
    uint32_t deep; ///< operations below each other that are printed
} trace;

// ----------------------------------------------------------------------------------- the text

static const char *leaf_name(void *self, const foi_graph *g, foi_node leaf)
{
    const trace *t = self;
    const fo_description *about = &t->g->about;
    uint32_t index = g->nodes[leaf].b;
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_TIME: return "time";
    case FOI_LEAF_STATE: return about->states.list[index].name;
    case FOI_LEAF_DISCRETE:
    case FOI_LEAF_PRE: return about->discretes.list[index].name;
    case FOI_LEAF_INPUT: return about->inputs.list[index].name;
    case FOI_LEAF_PARAMETER: return about->parameters.list[index].name;
    case FOI_LEAF_START: {
        uint32_t n = about->states.count;
        if (index < n) return about->states.list[index].name;
        return index - n < about->discretes.count ? about->discretes.list[index - n].name : "...";
    }
    case FOI_LEAF_SOLVED: return t->names[index];
    default: return "...";
    }
}

static foi_node given(trace *t, uint32_t r)
{
    const foi_layout *l = &t->g->layout;
    for (int kind = 0; kind < FOI_LEAF_KINDS; kind++)
        if (r - l->at[kind] < l->count[kind])
            return foi_leaf_of(&t->graph, (foi_leaf)kind, r - l->at[kind]);
    return foi_leaf_of(&t->graph, FOI_LEAF_FRAME, 0);
}

static foi_node named(trace *t, const char *name)
{
    if (!name || t->name_count == MANY) return foi_leaf_of(&t->graph, FOI_LEAF_FRAME, 0);
    t->names[t->name_count] = name;
    return foi_leaf_of(&t->graph, FOI_LEAF_SOLVED, t->name_count++);
}

// The name of what a loop has found in a register; NULL: it is none of it.
static const char *found(const foi_loop_code *loop, uint32_t r)
{
    const foi_loop_about *about = loop->about;
    for (uint32_t i = 0; i < loop->count; i++)
        if (loop->unknown[i] == r) return about->unknown[i] ? about->unknown[i] : "...";
    for (uint32_t i = 0; i < loop->inner_count; i++)
        if (loop->inner[i] == r) return about->inner[i] ? about->inner[i] : "...";
    return NULL;
}

static foi_node line_node(trace *t, uint32_t line, uint32_t depth);

// What a register is before a line.
static foi_node node_of(trace *t, uint32_t line, uint32_t r, uint32_t depth)
{
    const foi_code *code = t->code;
    if (r - code->constant_at < code->constant_count)
        return foi_constant(&t->graph, code->constants[r - code->constant_at]);
    if (r < t->g->layout.total) return given(t, r);
    for (uint32_t i = line; i-- > 0;) {
        const foi_instruction *x = &code->list[i];
        const char *name = x->op == FOI_I_SOLVE ? found(&code->loops[x->a], r) : NULL;
        if (name) return named(t, name);
        if (x->op != FOI_I_SOLVE && x->to == r) return line_node(t, i, depth);
    }
    return named(t, "...");
}

static foi_node line_node(trace *t, uint32_t line, uint32_t depth)
{
    const foi_instruction *x = &t->code->list[line];
    uint32_t arity = foi_op_arity((foi_op)x->op);
    if (depth > t->deep || ++t->made > MANY || x->op == FOI_G_OUTSIDE) return named(t, "...");
    foi_node a = node_of(t, line, x->a, depth + 1);
    foi_node b = arity > 1 ? node_of(t, line, x->b, depth + 1) : 0;
    foi_node c = arity > 2 ? node_of(t, line, x->c, depth + 1) : 0;
    return foi_make(&t->graph, (foi_op)x->op, a, b, c);
}

static bool print_deep(trace *t, uint32_t origin, char *text, size_t size)
{
    t->name_count = t->made = 0;
    if (!foi_graph_begin(&t->graph, NULL)) return false;
    foi_node n = origin >= HERE ? given(t, origin - HERE) : line_node(t, origin, 0);
    bool good = !t->graph.failed;
    if (good) foi_graph_print(&t->graph, n, leaf_name, t, text, size);
    foi_graph_end(&t->graph);
    return good;
}

// What is too long is shown from farther away, so that its end is seen.
static bool print(trace *t, uint32_t origin, char *text, size_t size)
{
    bool good = true;
    t->deep = DEEP + 1;
    do {
        t->deep--;
        good = print_deep(t, origin, text, size);
    } while (good && strlen(text) + 1 >= size && t->deep > 1);
    return good;
}

// ------------------------------------------------------------------------------------- the run

// Where an operand has it from; of a choice only the branch that is taken counts.
static uint32_t passed_on(const trace *t, const foi_instruction *x, uint32_t line)
{
    const double *r = t->run->r;
    uint32_t from[3] = {x->a, x->b, x->c}, arity = foi_op_arity((foi_op)x->op);
    if (x->op == FOI_G_IF) {
        uint32_t taken = r[x->a] != 0 ? x->b : x->c;
        return isnan(r[taken]) ? t->origin[taken] : line;
    }
    for (uint32_t k = 0; k < arity; k++)
        if (isnan(r[from[k]])) return t->origin[from[k]];
    return line;
}

static void run_line(trace *t, uint32_t line)
{
    const foi_instruction *x = &t->code->list[line];
    double *r = t->run->r;
    uint32_t origin = passed_on(t, x, line);
    r[x->to] = foi_op_any((foi_op)x->op, r[x->a], r[x->b], r[x->c]);
    t->origin[x->to] = origin;
}

// What the loop is given that is not a number; FOI_NOTHING: nothing.
static uint32_t given_to(const trace *t, const foi_loop_code *loop)
{
    for (uint32_t i = loop->begin; i < loop->end; i++) {
        const foi_instruction *x = &t->code->list[i];
        uint32_t from = foi_loses_number(x, t->run->r);
        if (from != FOI_NOTHING) return t->origin[from];
    }
    return FOI_NOTHING;
}

// The origin of what ends the run of the code; FOI_NOTHING where it is not found.
static uint32_t look(trace *t)
{
    const foi_code *code = t->code;
    for (uint32_t i = 0; i < code->count; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op != FOI_I_SOLVE) {
            run_line(t, i);
            continue;
        }
        foi_loop_lines l = {code, &code->loops[x->a]};
        if (foi_newton(code, l.loop, t->run, foi_loop_lines_run, &l) != FO_OK)
            return given_to(t, l.loop);
    }
    return FOI_NOTHING;
}

bool foi_trace_number(const foi_program *g, const foi_code *code, foi_run *run, char *text,
                      size_t size)
{
    trace t = {.g = g, .code = code, .run = run};
    t.origin = foi_new(NULL, code->registers, sizeof *t.origin);
    if (!t.origin) return false;
    for (uint32_t r = 0; r < code->registers; r++) t.origin[r] = HERE + r;
    foi_code_constants(code, run->r);
    uint32_t origin = look(&t);
    bool good = origin != FOI_NOTHING && print(&t, origin, text, size);
    foi_free(NULL, t.origin);
    return good;
}
