/// Random texts of Booleans, Integers, `when`, `elsewhen`, `pre`, `edge`, `change`, `sample` and
/// `initial`, beside an interpreter that goes from event to event with fractions for time:
/// everything of one instant belongs together, whether it is a tick, a relation of time or one of a
/// state that grows like time.
#include <stdarg.h>

#include "run.h"

enum {
    VARIABLES = 10,
    NODES = 2000,
    CLAUSES = 3,
    WAITS = 2,
    TURNS = 1000,
    DOUBTFUL = 180, // a run gives up after 200: what needs nearly as many is not compared

    GRID = 20,
    STOP = 3 * GRID
};

typedef enum op {
    CONSTANT,
    VALUE,
    PRE,
    EDGE,
    CHANGE,
    NOT,
    AND,
    OR,
    LESS,
    ABOVE,
    EQUAL,
    SINCE,
    BEFORE,
    PLUS,
    MINUS,
    TIMES,
    MOST,
    MODULO,
    CHOICE,
    SAMPLE,
    INITIAL
} op;

/// An expression; `a`, `b`, `c` are nodes, variables or numbers, times in twentieths of a second.
typedef struct node {
    op op;
    int a, b, c;
    bool of_state; ///< SINCE, BEFORE: written with x, where x' = 1
} node;

/// An equation of a variable: `value`, or where there are clauses whens with conditions.
typedef struct equation {
    int clauses, value[CLAUSES], waits[CLAUSES], wait[CLAUSES][WAITS];
    bool was[CLAUSES][WAITS];
} equation;

/// Variables are computed in their order; the first `booleans` of `kind` true are Booleans.
typedef struct model {
    int count, node_count;
    bool boolean[VARIABLES];
    int start[VARIABLES], order[VARIABLES];
    equation equations[VARIABLES];
    node nodes[NODES];
    // the interpreter's state
    int now[VARIABLES], before[VARIABLES], time;
    bool initial, first;
} model;

static model m;
static uint64_t seed;

static int draw(int below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (int)((seed >> 11) % (uint64_t)below);
}

// --------------------------------------------------------------------------------------- drawing

static int make(op o, int a, int b, int c)
{
    m.nodes[m.node_count] = (node){o, a, b, c, draw(3) == 0};
    return m.node_count++;
}

// A variable of a kind among the first `below`; -1: there is none.
static int variable(bool boolean, int below)
{
    for (int tries = 0; tries < 20 && below > 0; tries++) {
        int v = draw(below);
        if (m.boolean[v] == boolean) return v;
    }
    return -1;
}

// Tenths, and quarters: ticks and relations meet often, and not always in doubles.
static int instant(void)
{
    return draw(2) ? 2 * (1 + draw(20)) : 5 * (1 + draw(9));
}

static int truth(int depth, int below, bool in_when);

static int leaf(int below, bool in_when)
{
    int b = variable(true, below), i = variable(false, below), any = variable(true, m.count);
    switch (draw(8)) {
    case 0:
    case 1:
        if (b >= 0) return make(VALUE, b, 0, 0);
        break;
    case 2:
        if (b >= 0) return make(EDGE, b, 0, 0);
        break;
    case 3:
        if (draw(2) ? b >= 0 : (b = i) >= 0) return make(CHANGE, b, 0, 0);
        break;
    case 4:
        if (i >= 0)
            return make(LESS + draw(3), make(VALUE, i, 0, 0), make(CONSTANT, draw(8) - 1, 0, 0), 0);
        break;
    case 5:
        if (any >= 0) return make(PRE, any, 0, 0);
        break;
    default: // a relation in the body of a `when` makes no moment: there a double decides
        if (!in_when) return make(draw(3) ? SINCE : BEFORE, instant(), 0, 0);
    }
    int other = variable(false, m.count);
    if (other < 0) return make(PRE, any, 0, 0);
    return make(LESS + draw(3), make(PRE, other, 0, 0), make(CONSTANT, draw(8) - 1, 0, 0), 0);
}

static int truth(int depth, int below, bool in_when)
{
    int what = depth > 0 ? draw(10) : 9;
    if (what < 4) {
        int a = truth(depth - 1, below, in_when);
        return make(draw(2) ? AND : OR, a, truth(depth - 1, below, in_when), 0);
    }
    if (what == 4) return make(NOT, truth(depth - 1, below, in_when), 0, 0);
    return leaf(below, in_when);
}

static int number(int depth, int below, int own, bool in_when)
{
    int i = variable(false, below), other = variable(false, m.count);
    if (depth > 0 && draw(2)) {
        int a = number(depth - 1, below, own, in_when), b = number(depth - 1, below, own, in_when);
        int what = draw(5);
        if (what == 4) return make(CHOICE, truth(1, below, in_when), a, b);
        return make((op[]){PLUS, MINUS, TIMES, MOST}[what], a, b, 0);
    }
    switch (draw(4)) {
    case 0:
        if (i >= 0) return make(VALUE, i, 0, 0);
        break;
    case 1:
        if (other >= 0) return make(PRE, other, 0, 0);
        break;
    case 2:
        if (own >= 0) {
            int step = make(CONSTANT, (int[]){1, 1, 2, -1}[draw(4)], 0, 0);
            return make(PLUS, make(PRE, own, 0, 0), step, 0);
        }
    }
    return make(CONSTANT, draw(8) - 2, 0, 0);
}

static int condition(int below)
{
    int what = draw(20);
    if (what < 7) return make(SAMPLE, draw(3) ? instant() : 0, instant(), 0);
    if (what < 9) return make(INITIAL, 0, 0, 0);
    return truth(1, below, false);
}

static int right_side(int v, bool in_when)
{
    if (m.boolean[v] && in_when && draw(2)) return make(NOT, make(PRE, v, 0, 0), 0, 0);
    if (m.boolean[v]) return truth(2, v, in_when);
    int by = make(CONSTANT, (int[]){7, 13, 50}[draw(3)], 0, 0);
    return make(MODULO, number(2, v, in_when ? v : -1, in_when), by, 0);
}

static void draw_model(void)
{
    m.node_count = 0, m.count = 4 + draw(VARIABLES - 3);
    for (int v = 0; v < m.count; v++) m.boolean[v] = draw(2), m.order[v] = v;
    for (int v = 0; v < m.count; v++) {
        equation *q = &m.equations[v];
        int other = draw(m.count), at = m.order[v];
        m.order[v] = m.order[other], m.order[other] = at;
        m.start[v] = m.boolean[v] ? draw(2) : draw(7) - 2;
        *q = (equation){.clauses = draw(5) < (m.boolean[v] ? 2 : 4) ? 1 + draw(CLAUSES) : 0};
        if (q->clauses == 0 && m.boolean[v] && draw(5) == 0)
            q->value[0] = make(SAMPLE, instant(), instant(), 0);
        else if (q->clauses == 0)
            q->value[0] = right_side(v, false);
        for (int k = 0; k < q->clauses; k++) {
            q->waits[k] = 1 + (draw(3) == 0);
            for (int w = 0; w < q->waits[k]; w++) q->wait[k][w] = condition(v);
            q->value[k] = right_side(v, true);
        }
    }
}

// --------------------------------------------------------------------------------------- the text

static char text[40000];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

static void write_node(int n)
{
    static const char *const between[] = {
        [AND] = "and", [OR] = "or",   [LESS] = "<",  [ABOVE] = ">", [EQUAL] = "==",
        [PLUS] = "+",  [MINUS] = "-", [TIMES] = "*", [MOST] = ",",  [MODULO] = ","};
    const node *e = &m.nodes[n];
    switch (e->op) {
    case CONSTANT: say("(%d)", e->a); return;
    case VALUE: say("v%d", e->a); return;
    case PRE: say("pre(v%d)", e->a); return;
    case EDGE: say("edge(v%d)", e->a); return;
    case CHANGE: say("change(v%d)", e->a); return;
    case INITIAL: say("initial()"); return;
    case SAMPLE: say("sample(%g, %g)", (double)e->a / GRID, (double)e->b / GRID); return;
    case SINCE:
    case BEFORE:
        say("(%s %s %g)", e->of_state ? "x" : "time", e->op == SINCE ? ">=" : "<",
            (double)e->a / GRID);
        return;
    case NOT: say("(not "), write_node(e->a), say(")"); return;
    case CHOICE:
        say("(if "), write_node(e->a), say(" then "), write_node(e->b), say(" else "),
            write_node(e->c), say(")");
        return;
    default:
        say("%s(", e->op == MOST ? "max" : e->op == MODULO ? "mod" : "");
        write_node(e->a), say(strchr(",", *between[e->op]) ? "%s " : " %s ", between[e->op]),
            write_node(e->b), say(")");
    }
}

static bool waits_for_start(const equation *q)
{
    for (int k = 0; k < q->clauses; k++)
        for (int w = 0; w < q->waits[k]; w++)
            if (m.nodes[q->wait[k][w]].op == INITIAL) return true;
    return false;
}

static void write_equation(int v)
{
    const equation *q = &m.equations[v];
    if (q->clauses == 0) say("  v%d = ", v), write_node(q->value[0]), say(";\n");
    for (int k = 0; k < q->clauses; k++) {
        say("  %swhen {", k > 0 ? "else" : "");
        for (int w = 0; w < q->waits[k]; w++) say(w > 0 ? ", " : ""), write_node(q->wait[k][w]);
        say("} then\n    v%d = ", v), write_node(q->value[k]), say(";\n");
    }
    if (q->clauses > 0) say("  end when;\n");
}

static void write_model(void)
{
    used = 0;
    say("model M\n  Real x(start = 0, fixed = true);\n");
    for (int v = 0; v < m.count; v++) {
        const char *fixed =
            m.equations[v].clauses > 0 && !waits_for_start(&m.equations[v]) ? ", fixed = true" : "";
        if (m.boolean[v])
            say("  Boolean v%d(start = %s%s);\n", v, m.start[v] ? "true" : "false", fixed);
        if (!m.boolean[v]) say("  Integer v%d(start = %d%s);\n", v, m.start[v], fixed);
    }
    say("equation\n  der(x) = 1;\n");
    for (int i = 0; i < m.count; i++) write_equation(m.order[i]);
    say("end M;\n");
}

// -------------------------------------------------------------------------------- the interpreter

static int value_of(int n)
{
    const node *e = &m.nodes[n];
    switch (e->op) {
    case CONSTANT: return e->a;
    case VALUE: return m.now[e->a];
    case PRE: return m.before[e->a];
    case EDGE: return m.now[e->a] && !m.before[e->a];
    case CHANGE: return m.now[e->a] != m.before[e->a];
    case NOT: return !value_of(e->a);
    case SINCE: return m.time >= e->a;
    case BEFORE: return m.time < e->a;
    case CHOICE: return value_of(e->a) ? value_of(e->b) : value_of(e->c);
    case INITIAL: return m.initial;
    case SAMPLE: return !m.initial && m.first && m.time >= e->a && (m.time - e->a) % e->b == 0;
    default: break;
    }
    int a = value_of(e->a), b = value_of(e->b);
    switch (e->op) {
    case AND: return a && b;
    case OR: return a || b;
    case LESS: return a < b;
    case ABOVE: return a > b;
    case EQUAL: return a == b;
    case PLUS: return a + b;
    case MINUS: return a - b;
    case TIMES: return a * b;
    case MOST: return a > b ? a : b;
    default: return (a % b + b) % b;
    }
}

// A `when` acts where one of what it waits for has become true; of those that act, the first does.
static bool turn(void)
{
    bool changed = false;
    for (int v = 0; v < m.count; v++) {
        equation *q = &m.equations[v];
        int acts = -1;
        for (int k = 0; k < q->clauses; k++)
            for (int w = 0; w < q->waits[k]; w++) {
                bool now = value_of(q->wait[k][w]), start = m.nodes[q->wait[k][w]].op == INITIAL;
                if (acts < 0 && (m.initial ? start && now : now && !q->was[k][w])) acts = k;
                changed = changed || now != q->was[k][w];
                q->was[k][w] = now;
            }
        if (q->clauses == 0 || acts >= 0)
            m.now[v] = value_of(q->value[q->clauses == 0 ? 0 : acts]);
        else
            m.now[v] = m.before[v];
    }
    changed = changed || memcmp(m.before, m.now, sizeof m.now) != 0;
    memcpy(m.before, m.now, sizeof m.now);
    m.first = m.initial = false;
    return changed;
}

/// How many turns it takes until nothing changes.
static int settle(void)
{
    int turns = 1;
    while (turns < TURNS && turn()) turns++;
    return turns;
}

static int start(void)
{
    memcpy(m.now, m.start, sizeof m.now), memcpy(m.before, m.start, sizeof m.now);
    m.time = 0, m.initial = true, m.first = false;
    int turns = settle();
    if (turns >= DOUBTFUL) return turns;
    m.first = true;
    return settle();
}

// Whether the run of the text is what the interpreter makes of it, between all events.
static bool same(void)
{
    world w;
    bool right = begin(&w, text, (STOP + 0.5) / GRID);
    int turns = right ? start() : 0;
    for (m.time = 0; right; m.time++, m.first = true) {
        if (m.time > 0) turns = settle();
        if (turns >= DOUBTFUL && turns < TURNS) break;
        bool settles = turns < TURNS;
        double t = (m.time + 0.5) / GRID;
        fo_status status = fo_simulation_advance(w.sim, t);
        right = settles ? status == FO_REACHED : status != FO_REACHED;
        if (!right)
            test_fail(__FILE__, __LINE__, "t = %g: %s", t, fo_simulation_message(w.sim)->text);
        if (!settles || m.time == STOP) break;
        for (int v = 0; right && v < m.count; v++) {
            char name[8];
            snprintf(name, sizeof name, "v%d", v);
            right = test_near(__FILE__, __LINE__, name, at(&w, t, name), m.now[v], 0);
        }
    }
    end(&w);
    return right;
}

TEST(random_whens)
{
    int trials = test_inputs(4000, 400000);
    for (int trial = 0; trial < trials; trial++) {
        seed = 0x9e3779b97f4a7c15u * (uint64_t)(trial + 1);
        draw_model();
        write_model();
        if (same()) continue;
        printf("trial %d\n%s", trial, text);
        break;
    }
}

TEST_MAIN(TEST_ENTRY(random_whens))
