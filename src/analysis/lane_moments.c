// Moments in lanes: those of samples that set states and discretes and nothing else. What happens
// there is the text of the program's scalar source, as for the rates; how it is gone through is
// that of program/moment.c (due_samples, turn) and of a new start in simulation/advance.c, with
// masks. A lane in which anything is out of the ordinary is left as it was: its simulation does it.
#include <float.h>
#include <string.h>

#include "analysis/lane_source.h"
#include "program/source.h"
#include "solver/control.h"

// Whether all that a task reads is among some kinds of leaves.
static bool reads_only(const foi_code *code, const foi_leaf *kinds, size_t count)
{
    for (uint32_t i = 0; i < code->used_count; i++) {
        bool one = false;
        for (size_t k = 0; k < count; k++) one |= code->used[i] == kinds[k];
        if (!one) return false;
    }
    return !code->loop_count && !code->wide;
}

bool foi_lane_has_moments(const foi_program *g)
{
    static const foi_leaf parameters[] = {FOI_LEAF_PARAMETER};
    static const foi_leaf given[] = {FOI_LEAF_STATE,     FOI_LEAF_DISCRETE, FOI_LEAF_INPUT,
                                     FOI_LEAF_PARAMETER, FOI_LEAF_PRE,      FOI_LEAF_WAS,
                                     FOI_LEAF_SAMPLE,    FOI_LEAF_TERMINAL};
    if (!g->samplers || g->relations || g->guards || g->instants || g->delays || g->limits)
        return false;
    const uint32_t *count = g->layout.count, d = (uint32_t)g->about.discretes.count;
    if (count[FOI_LEAF_DISCRETE] != d || count[FOI_LEAF_PRE] != d ||
        count[FOI_LEAF_WAS] != g->conditions || count[FOI_LEAF_SAMPLE] != g->samplers)
        return false;
    if (g->choice || g->outside || g->checks || g->type.settle || g->about.follows) return false;
    for (uint32_t i = 0; i < g->actions; i++)
        if (g->action[i].action != FOI_DO_REINIT) return false;
    return g->codes[FOI_TASK_MOMENT].count <= FOI_SOURCE_INLINED &&
           reads_only(&g->codes[FOI_TASK_INSTANTS], parameters, 1) &&
           reads_only(&g->codes[FOI_TASK_MOMENT], given, sizeof given / sizeof given[0]);
}

// At a tick: which samples are due, then turns until nothing changes.
static const char turns[] =
    "INLINED V slack_of(V start, V interval, V k)\n{\n"
    "    V slack = 4.0 * EPSILON * (v_fabs(start) + v_fabs(k * interval)), most = interval / 4.0;\n"
    "    return choose(slack < most, slack, most);\n}\n"
    "INLINED V tick_of(V start, V interval, V k, V end)\n{\n"
    "    V t = start + k * interval;\n"
    "    return choose(v_fabs(t - end) <= slack_of(start, interval, k), end, t);\n}\n"
    "INLINED M is_due(V start, V interval, V k, V end, V t)\n{\n"
    "    return (tick_of(start, interval, k, end) <= t) |\n"
    "           (start + k * interval <= t + slack_of(start, interval, k));\n}\n"
    "INLINED M take_turn(V *restrict r, V t, V *restrict x, M on, M *bad)\n{\n"
    "    V y[RESULTS];\n"
    "    M changed = (M)(V){0}, given[N] = {0};\n"
    "    for (int i = 0; i < DISCRETES; i++) r[AT_PRE + i] = r[AT_DISCRETE + i];\n"
    "    moment_at(r, t, x, y);\n"
    "    for (int i = 0; i < DISCRETES; i++) {\n"
    "        V was = r[AT_DISCRETE + i];\n"
    "        changed |= (y[i] != was) & ~((y[i] != y[i]) & (was != was));\n"
    "        r[AT_DISCRETE + i] = choose(on, y[i], was);\n"
    "    }\n"
    "    for (int i = 0; i < CONDITIONS; i++) {\n"
    "        changed |= y[DISCRETES + i] != r[AT_WAS + i];\n"
    "        r[AT_WAS + i] = choose(on, y[DISCRETES + i], r[AT_WAS + i]);\n"
    "    }\n"
    "    for (int i = 0; i < SAMPLERS; i++) {\n"
    "        changed |= r[AT_SAMPLE + i] != 0.0;\n"
    "        r[AT_SAMPLE + i] = choose(on, (V){0}, r[AT_SAMPLE + i]);\n"
    "    }\n"
    "    for (int i = 0; i < ACTIONS; i++) {\n"
    "        V *to = &x[action_state[i]], value = y[DISCRETES + CONDITIONS + ACTIONS + i];\n"
    "        M active = y[DISCRETES + CONDITIONS + i] != 0.0;\n"
    "        if (rivals[i]) *bad |= on & active & given[action_state[i]] & (*to != value);\n"
    "        given[action_state[i]] |= active;\n"
    "        changed |= active & (*to != value);\n"
    "        *to = choose(on & active, value, *to);\n"
    "    }\n"
    "    return changed;\n}\n";

// `now`: lanes that have landed on a tick. Which of them have done it; the others are as before.
static const char happen[] =
    "__attribute__((noinline)) static M happen(V *restrict r, struct lanes *restrict L, V t, M now,"
    "\n                                          V *restrict x, V *restrict f)\n{\n"
    "    V z[N], g[N], probe = {0}, d[DISCRETES + 1], was[CONDITIONS + 1], k[SAMPLERS];\n"
    "    M bad = (M)(V){0}, on = now;\n"
    "    for (int i = 0; i < N; i++) z[i] = x[i];\n"
    "    for (int i = 0; i < DISCRETES; i++) d[i] = r[AT_DISCRETE + i];\n"
    "    for (int i = 0; i < CONDITIONS; i++) was[i] = r[AT_WAS + i];\n"
    "    for (int i = 0; i < TERMINALS; i++) r[AT_TERMINAL + i] = (V){0};\n"
    "    for (int i = 0; i < SAMPLERS; i++) {\n"
    "        M due = now & is_due(L->start[i], L->interval[i], L->ticks[i], L->end, t);\n"
    "        k[i] = choose(due, L->ticks[i] + 1.0, L->ticks[i]);\n"
    "        bad |= due & is_due(L->start[i], L->interval[i], k[i], L->end, t);\n"
    "        r[AT_SAMPLE + i] = truth(due);\n"
    "    }\n"
    "    for (int i = 0; i < 8 && any(on); i++) on &= take_turn(r, t, z, on, &bad);\n"
    "    rates_at(r, t, z, g);\n"
    "    for (int i = 0; i < N; i++) probe += (z[i] - z[i]) + (g[i] - g[i]);\n"
    "    for (int i = 0; i < DISCRETES; i++) probe += r[AT_DISCRETE + i] - r[AT_DISCRETE + i];\n"
    "    now &= ~(bad | on | (probe != 0.0));\n"
    "    for (int i = 0; i < N; i++)\n"
    "        x[i] = choose(now, z[i], x[i]), f[i] = choose(now, g[i], f[i]);\n"
    "    for (int i = 0; i < DISCRETES; i++)\n"
    "        r[AT_DISCRETE + i] = choose(now, r[AT_DISCRETE + i], d[i]);\n"
    "    for (int i = 0; i < CONDITIONS; i++)\n"
    "        r[AT_WAS + i] = choose(now, r[AT_WAS + i], was[i]);\n"
    "    for (int i = 0; i < SAMPLERS; i++) L->ticks[i] = choose(now, k[i], L->ticks[i]);\n"
    "    return now;\n}\n"
    // the next tick, but not behind the end of the run
    "INLINED V next_of(const struct lanes *L, V t)\n{\n"
    "    V next = L->end;\n"
    "    for (int i = 0; i < SAMPLERS; i++) {\n"
    "        V at = tick_of(L->start[i], L->interval[i], L->ticks[i], L->end);\n"
    "        at = choose(at > t, at, t), next = choose(at < next, at, next);\n"
    "    }\n"
    "    return next;\n}\n";

static void put_places(const foi_program *g, foi_flat_writer *out)
{
    const foi_layout *l = &g->layout;
    const struct {
        const char *name;
        uint32_t value;
    } list[] = {{"DISCRETES", (uint32_t)g->about.discretes.count},
                {"CONDITIONS", g->conditions},
                {"ACTIONS", g->actions},
                {"TERMINALS", l->count[FOI_LEAF_TERMINAL]},
                {"RESULTS", g->codes[FOI_TASK_MOMENT].result_count + 1},
                {"AT_PRE", l->at[FOI_LEAF_PRE]},
                {"AT_DISCRETE", l->at[FOI_LEAF_DISCRETE]},
                {"AT_WAS", l->at[FOI_LEAF_WAS]},
                {"AT_SAMPLE", l->at[FOI_LEAF_SAMPLE]},
                {"AT_TERMINAL", l->at[FOI_LEAF_TERMINAL]}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        foi_flat_write(out, "#define %s %u\n", list[i].name, list[i].value);
    foi_flat_write(out, "static const int action_state[] = {");
    for (uint32_t i = 0; i < g->actions; i++) foi_flat_write(out, "%u, ", g->action_state[i]);
    foi_flat_write(out, "0}, rivals[] = {");
    for (uint32_t i = 0; i < g->actions; i++)
        foi_flat_write(out, "%d, ", g->action_rival[i] != FOI_NOTHING);
    foi_flat_write(out, "0};\n#define EPSILON ");
    foi_source_number(out, DBL_EPSILON);
    foi_flat_write(out, "\n#define FRESH ");
    foi_source_number(out, FOI_ERK_LOG_FRESH);
    foi_flat_write(out, "\n");
}

void foi_lane_moments(const foi_program *g, foi_flat_writer *out)
{
    put_places(g, out);
    foi_flat_write(out, "%s%s", turns, happen);
}
