/// Random state machines, some inside of states of others and some beside each other, beside an
/// interpreter that goes from state to state, as a reader of the text would.
#include <stdarg.h>

#include "run.h"

enum { TICKS = 30, MOST_STATES = 200, MOST_MACHINES = 120, MOST_WAYS = 12, DEEPEST = 2 };

/// A transition: `kind` says what its condition asks.
typedef struct way {
    int from, to, priority;
    bool immediate, reset, synchronize;
    enum { ALWAYS, LONG, TIME, ACTIVE, ABOVE, BELOW, OWN } kind;
    int limit, asked;
} way;

/// Its states give the variable `v`: one of the model, or one of a state around.
typedef struct machine {
    int above; ///< the state that it lies in; -1: none
    int v;     ///< -1: none
    int states[4], state_count;
    way ways[MOST_WAYS];
    int way_count;
    bool on;
    int at, delayed, ticks, since;
} machine;

typedef struct state {
    int machine;
    int x_start, x_step;
    bool gives, hands; ///< its machine's variable, by itself or by machines in it
    int step, most, again;
    bool on, anew, awaits;
    int x, x_before;
} state;

typedef struct value {
    int above; ///< the state that declares it; -1: the model
    int start, now, before;
} value;

static machine machines[MOST_MACHINES];
static state states[MOST_STATES];
static value values[MOST_MACHINES];
static int machine_count, state_count, value_count;
static uint64_t seed = 20;

static int draw(int below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (int)(seed % (uint64_t)below);
}

// --------------------------------------------------------------------------------------- drawing

static void draw_way(machine *m, int from, int to)
{
    way *w = &m->ways[m->way_count];
    *w = (way){from, to, 1 + draw(5), draw(2), draw(5) < 3, draw(7) == 0, draw(7), draw(9) - 1, 0};
    for (int i = 0; i < m->way_count; i++) // different ones for those that leave a state
        if (m->ways[i].from == from && m->ways[i].priority == w->priority) w->priority++, i = -1;
    if (w->kind == LONG || w->kind == TIME) w->limit = 1 + draw(5);
    if (w->kind == ACTIVE) {
        w->asked = m->states[draw(m->state_count)];
        if (w->immediate) w->kind = ALWAYS;
    }
    bool sees = m->v >= 0 && (values[m->v].above == m->above || states[m->above].hands);
    if ((w->kind == ABOVE || w->kind == BELOW) && !sees) w->kind = OWN;
    m->way_count++;
}

static int draw_machine(int above, int v, int depth)
{
    int own = machine_count++;
    machine *m = &machines[own];
    *m = (machine){.above = above, .v = v, .state_count = 1 + draw(4)};
    for (int i = 0; i < m->state_count; i++) {
        int n = m->states[i] = state_count++;
        state *s = &states[n];
        *s = (state){.machine = own, .x_start = draw(5) - 2, .x_step = 1 + draw(3)};
        s->step = 1 + draw(3), s->most = 3 + draw(12), s->again = -draw(3);
        s->gives = v >= 0 && (draw(5) < 3 || i == 0);
        if (depth >= DEEPEST || machine_count > MOST_MACHINES - 20) continue;
        s->hands = v >= 0 && !s->gives && draw(2);
        if (s->hands) draw_machine(n, v, depth + 1);
        if (draw(5)) continue;
        values[value_count] = (value){.above = n, .start = draw(5) - 2};
        draw_machine(n, value_count++, depth + 1);
    }
    for (int i = 1; i < m->state_count; i++) {
        int other = m->states[draw(i)], it = m->states[i];
        draw_way(m, draw(2) ? other : it, 0);
        way *w = &m->ways[m->way_count - 1];
        w->to = w->from == it ? other : it;
    }
    for (int i = draw(5); i > 0; i--)
        draw_way(m, m->states[draw(m->state_count)], m->states[draw(m->state_count)]);
    return own;
}

// --------------------------------------------------------------------------------------- the text

static char text[200000];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

static void write_ways(const machine *m)
{
    say("  initialState(s%d);\n", m->states[0]);
    for (int i = 0; i < m->way_count; i++) {
        const way *w = &m->ways[i];
        const char *a = w->immediate ? "previous(" : "(";
        say("  transition(s%d, s%d, ", w->from, w->to);
        switch (w->kind) {
        case ALWAYS: say("true"); break;
        case LONG: say("ticksInState() >= %d", w->limit); break;
        case TIME: say("timeInState() >= %d.75", w->limit - 1); break;
        case ACTIVE: say("activeState(s%d)", w->asked); break;
        case ABOVE: say("%sv%d) >= %d", a, m->v, w->limit); break;
        case BELOW: say("%sv%d) < %d", a, m->v, w->limit); break;
        case OWN: say("%ss%d.x) >= %d", a, w->from, w->limit); break;
        }
        say(", %s, %s, %s, %d);\n", w->immediate ? "true" : "false", w->reset ? "true" : "false",
            w->synchronize ? "true" : "false", w->priority);
    }
}

static void write_inside(int above);

static void write_state(int n)
{
    const state *s = &states[n];
    int v = machines[s->machine].v;
    say("  block B%d\n  Integer x(start = %d);\n", n, s->x_start);
    if (s->gives) say("  outer output Integer v%d;\n", v);
    if (s->hands) say("  inner outer output Integer v%d;\n", v);
    write_inside(n);
    say("  equation\n  x = previous(x) + %d;\n", s->x_step);
    if (s->gives)
        say("  v%d = if previous(v%d) > %d then %d else previous(v%d) + %d;\n", v, v, s->most,
            s->again, v, s->step);
    say("  end B%d;\n  B%d s%d;\n", n, n, n);
}

static void write_inside(int above)
{
    for (int i = 0; i < value_count; i++)
        if (values[i].above == above) say("  inner Integer v%d(start = %d);\n", i, values[i].start);
    for (int i = 0; i < machine_count; i++)
        for (int k = 0; machines[i].above == above && k < machines[i].state_count; k++)
            write_state(machines[i].states[k]);
    say("  equation\n");
    for (int i = 0; i < machine_count; i++)
        if (machines[i].above == above) write_ways(&machines[i]);
}

// -------------------------------------------------------------------------------- the interpreter

static bool is_at_end(const machine *m)
{
    for (int i = 0; i < m->way_count; i++)
        if (m->ways[i].from == m->at) return false;
    return true;
}

// May it fire at tick n? An immediate one asks how long the state has been active when none fires.
static bool may_fire(const machine *m, const way *w, int n, bool entered)
{
    int ticks = !w->immediate ? m->ticks : entered ? 1 : m->ticks + 1;
    int time = !w->immediate ? n - m->since : entered ? 0 : n - m->since;
    const value *v = m->v >= 0 ? &values[m->v] : NULL;
    int seen = v ? w->immediate ? v->before : v->now : 0;
    if (v && w->immediate && v->above >= 0 && states[v->above].anew) seen = v->start;
    for (int i = 0; w->synchronize && i < machine_count; i++)
        if (machines[i].above == w->from && !is_at_end(&machines[i])) return false;
    switch (w->kind) {
    case ALWAYS: return true;
    case LONG: return ticks >= w->limit;
    case TIME: return time >= w->limit;
    case ACTIVE: return states[w->asked].on;
    case ABOVE: return seen >= w->limit;
    case BELOW: return seen < w->limit;
    case OWN: return (w->immediate ? states[w->from].x_before : states[w->from].x) >= w->limit;
    }
    return false;
}

static void step(machine *m, int n, bool on, bool anew, bool entered)
{
    const way *fired = NULL;
    m->on = on, entered |= anew;
    for (int i = 0; on && !anew && i < m->way_count; i++) {
        const way *w = &m->ways[i];
        if (w->from != m->at || (fired && fired->priority < w->priority)) continue;
        if (w->immediate ? may_fire(m, w, n, entered) : m->delayed == i + 1) fired = w;
    }
    if (on && anew) m->at = m->states[0];
    if (on && fired) m->at = fired->to, entered = true;
    if (on) m->ticks = entered ? 1 : m->ticks + 1;
    if (on && entered) m->since = n;
    for (int i = 0; i < m->state_count; i++) {
        state *s = &states[m->states[i]];
        s->on = on && m->at == m->states[i];
        s->awaits |= on && anew;
        s->anew = s->on && (s->awaits || (fired && fired->reset));
        if (s->on) s->awaits = false;
        for (int k = 0; k < machine_count; k++)
            if (machines[k].above == m->states[i])
                step(&machines[k], n, s->on, s->anew, s->on && entered);
    }
}

static void act(void)
{
    for (int i = 0; i < value_count; i++)
        if (values[i].above >= 0 && states[values[i].above].anew) values[i].now = values[i].start;
    for (int i = 0; i < state_count; i++) {
        state *s = &states[i];
        value *v = s->gives ? &values[machines[s->machine].v] : NULL;
        if (!s->on) continue;
        s->x = (s->anew ? s->x_start : s->x_before) + s->x_step;
        if (!v) continue;
        int before = v->above >= 0 && states[v->above].anew ? v->start : v->before;
        v->now = before > s->most ? s->again : before + s->step;
    }
}

static void tick(int n)
{
    for (int i = 0; i < value_count; i++) values[i].before = values[i].now;
    for (int i = 0; i < state_count; i++) states[i].x_before = states[i].x;
    for (int i = 0; i < machine_count; i++)
        if (machines[i].above < 0) step(&machines[i], n, true, n == 0, false);
    act();
    for (int i = 0; i < machine_count; i++) {
        machine *m = &machines[i];
        if (m->on) m->delayed = 0;
        for (int k = 0; m->on && k < m->way_count; k++) {
            const way *w = &m->ways[k];
            if (w->immediate || w->from != m->at || !may_fire(m, w, n, false)) continue;
            if (!m->delayed || w->priority < m->ways[m->delayed - 1].priority) m->delayed = k + 1;
        }
    }
}

static bool same(world *w, int n)
{
    char name[140], path[100];
    bool right = true;
    for (int i = 0; i < state_count; i++) {
        int up[DEEPEST + 2], depth = 0;
        for (int k = i; k >= 0; k = machines[states[k].machine].above) up[depth++] = k;
        size_t end = 0;
        while (depth-- > 0)
            end += (size_t)snprintf(path + end, sizeof path - end, "s%d%s", up[depth],
                                    depth ? "." : "");
        snprintf(name, sizeof name, "activeState(%s)", path);
        right &= CHECK_NEAR(at(w, n + 0.5, name), states[i].on, 0);
        snprintf(name, sizeof name, "%s.x", path);
        right &= CHECK_NEAR(at(w, n + 0.5, name), states[i].x, 0);
        for (int k = 0; k < value_count; k++) {
            snprintf(name, sizeof name, "%s.v%d", path, k);
            if (values[k].above == i) right &= CHECK_NEAR(at(w, n + 0.5, name), values[k].now, 0);
        }
    }
    for (int k = 0; k < value_count; k++) {
        snprintf(name, sizeof name, "v%d", k);
        if (values[k].above < 0) right &= CHECK_NEAR(at(w, n + 0.5, name), values[k].now, 0);
    }
    return right;
}

TEST(random_machines)
{
    for (int trial = 0; trial < 400; trial++) {
        machine_count = state_count = value_count = 0, used = 0;
        for (int i = 1 + draw(2); i > 0; i--) {
            values[value_count] = (value){.above = -1, .start = draw(5) - 2};
            draw_machine(-1, value_count++, 0);
        }
        say("model M\n  Integer c;\n");
        write_inside(-1);
        say("  when Clock(1.0) then c = 0");
        for (int i = 0; i < machine_count; i++)
            if (machines[i].above < 0) say(" + s%d.x", machines[i].states[0]);
        say("; end when;\nend M;\n");
        for (int i = 0; i < value_count; i++) values[i].now = values[i].start;
        for (int i = 0; i < state_count; i++) states[i].x = states[i].x_start;
        for (int i = 0; i < machine_count; i++) machines[i].at = machines[i].states[0];
        for (int i = 0; i < state_count; i++) states[i].awaits = true;
        world w;
        bool right = begin(&w, text, TICKS);
        for (int n = 0; right && n < TICKS; n++) tick(n), right = same(&w, n);
        end(&w);
        if (!right) {
            printf("%s", text);
            break;
        }
    }
}

TEST_MAIN(TEST_ENTRY(random_machines))
