// Hops in lanes: the moment itself, after lane_search.c has found it. What the program does there
// (program/moment.c, program/relation.c), what the simulation notes of it (simulation/moments.c),
// and the look whether the guard hops on (foi_rest_hops).
#include <math.h>

#include "analysis/lane_source.h"
#include "program/source.h"
#include "solver/control.h"
#include "solver/march.h"

static bool reads_only(const foi_code *code, const foi_leaf *kinds, size_t count)
{
    for (uint32_t i = 0; i < code->used_count; i++) {
        bool one = false;
        for (size_t k = 0; k < count; k++) one |= code->used[i] == kinds[k];
        if (!one) return false;
    }
    return !code->loop_count && !code->wide && code->count <= FOI_SOURCE_INLINED;
}

// Every relation is one of what flows, and has a guard with a derivative.
static bool has_plain_guards(const foi_program *g)
{
    if (!g->guards || g->relations != g->guards || g->instants || g->samplers || g->delays)
        return false;
    for (uint32_t i = 0; i < g->guards; i++) {
        foi_op op = g->relation_op[g->relation_of[i]];
        bool compares = op == FOI_G_LESS || op == FOI_G_LESS_EQUAL || op == FOI_G_GREATER ||
                        op == FOI_G_GREATER_EQUAL;
        if (!compares || g->slope_of[i] == FOI_NOTHING) return false;
    }
    return !g->codes[FOI_TASK_FLOORS].result_count && !g->limits;
}

bool foi_lane_has_hops(const foi_program *g)
{
    static const foi_leaf given[] = {FOI_LEAF_STATE,     FOI_LEAF_DISCRETE, FOI_LEAF_INPUT,
                                     FOI_LEAF_PARAMETER, FOI_LEAF_HELD,     FOI_LEAF_RATE,
                                     FOI_LEAF_PRE,       FOI_LEAF_WAS,      FOI_LEAF_TERMINAL};
    const uint32_t *count = g->layout.count, d = (uint32_t)g->about.discretes.count;
    if (!foi_lane_has_guards(g) || !has_plain_guards(g) || !foi_lane_encloses(g)) return false;
    if (count[FOI_LEAF_DISCRETE] != d || count[FOI_LEAF_PRE] != d ||
        count[FOI_LEAF_WAS] != g->conditions || count[FOI_LEAF_HELD] != g->relations ||
        count[FOI_LEAF_RATE] != g->about.states.count)
        return false;
    if (g->choice || g->outside || g->checks || g->type.settle || g->about.follows) return false;
    for (uint32_t i = 0; i < g->actions; i++)
        if (g->action[i].action != FOI_DO_REINIT) return false;
    return reads_only(&g->codes[FOI_TASK_GUARDS], given, 5) &&
           reads_only(&g->codes[FOI_TASK_SLOPES], given, 6) &&
           reads_only(&g->codes[FOI_TASK_MOMENT], given, sizeof given / sizeof given[0]);
}

// dense_dp45 of solver/erk.c.
static const char path[] =
    "INLINED void lay_path(struct path *p, V t0, V t1, const V *x0, const V *x1, const V *f0, "
    "const V *f1,\n"
    "                      const V *k2, const V *k3, const V *k4, const V *k5)\n"
    "{\n"
    "    V h = t1 - t0;\n"
    "    p->t0 = t0, p->t1 = t1, p->h = h;\n"
    "    for (int i = 0; i < N; i++) {\n"
    "        V D = x1[i] - x0[i], a = h * f0[i] - D, q = D - h * f1[i] - a;\n"
    "        V e = DENSE_0 * f0[i] + DENSE_6 * f1[i] + DENSE_2 * k2[i] + DENSE_3 * k3[i] +\n"
    "              DENSE_4 * k4[i] + DENSE_5 * k5[i];\n"
    "        e = e * h;\n"
    "        p->x0[i] = x0[i], p->x1[i] = x1[i], p->c[0][i] = x0[i], p->c[1][i] = D + a;\n"
    "        p->c[2][i] = q + e - a, p->c[3][i] = -q - 2.0 * e, p->c[4][i] = e;\n"
    "    }\n"
    "}\n";

// At the root: settle_root of simulation/search.c, and that no other guard has a part in it.
static const char root[] =
    "struct root { V theta, t, x[N], was[N], f[N], g[GUARDS], ahead[GUARDS], slack, rest, way; };\n"
    "INLINED void at_root(V *restrict r, const struct lanes *L, const struct path *p, struct "
    "search *f,\n"
    "                     struct root *o, const M *calm)\n"
    "{\n"
    "    V theta = o->theta, last = theta + 64.0 * f->resolution, g[GUARDS], one = (V){0} + 1.0;\n"
    "    M apart = last - theta > 0x1p-10, on = f->found;\n"
    "    f->bad |= on & ~apart & ~(last < 1.0);\n"
    "    f->bad |= on & ~(theta < 1.0);\n"
    "    state_at(p, theta, o->x), o->t = time_at(p, theta);\n"
    "    guards_at(r, o->t, o->x, o->g);\n"
    "    if (GUARDS > 1) {\n"
    "        values_at(r, p, choose(last < 1.0, last, one), g);\n"
    "        f->bad |= on & ~(theta + 0x1p-6 <= 1.0);\n"
    "        for (int i = 0; i < GUARDS; i++) {\n"
    "            V to = sign_from(f->side[i], f->slack[i], g[i]);\n"
    "            f->bad |= on & ~apart & ~f->crosses[i] & (to != f->side[i]);\n"
    "            f->bad |= on & f->crosses[i] & (o->g[i] == 0.0) & ~fires(r, i, o->g[i]);\n"
    "            f->bad |= on & ~f->crosses[i] & ~calm[i];\n"
    "        }\n"
    "    }\n"
    "    V slope = of_crossing(f, f->slo), steep = of_crossing(f, f->shi), is = of_crossing(f, "
    "o->g);\n"
    "    slope = p_larger(v_fabs(slope), v_fabs(steep)) * p->h;\n"
    "    V reach = slope * (4.0 * f->resolution), size = 4.0 * v_fabs(is);\n"
    "    o->slack = choose(reach < size, reach, size);\n"
    "    f->bad |= on & ~(v_fabs(is) <= o->slack);\n"
    "    f->bad |= on & (is != 0.0) & (sign_of(is) != of_crossing(f, f->to));\n"
    "    o->way = of_crossing(f, f->to);\n"
    "    for (int i = 0; i < GUARDS; i++) {\n"
    "        M other = on & ~f->crosses[i];\n"
    "        f->bad |= other & ((sign_of(o->g[i]) != f->side[i]) | (f->side[i] == 0.0));\n"
    "        f->bad |= on & (L->hop[HOP_DEPTH][i] > 0.0) &\n"
    "                  (L->hop[HOP_CONTACT][i] * o->g[i] < -L->hop[HOP_DEPTH][i]);\n"
    "        f->bad |= on & (L->band[i] == 1.0 / 0.0);\n"
    "        f->bad |= f->crosses[i] & (L->turned[i] == o->t);\n"
    "        f->bad |= other & (o->t - L->turned[i] <= 64.0 * EPS * v_fabs(o->t)) &\n"
    "                  (v_fabs(o->g[i]) <= L->band[i]);\n"
    "        f->bad |= other & (holds(i, o->g[i]) != (r[held_at[i]] != 0.0));\n"
    "    }\n"
    "    f->bad |= on & ~((o->t < L->stop) & (o->t > p->t0));\n"
    "}\n";

// The jump: turns until nothing changes, and derivatives that turn a relation back.
static const char turns[] =
    "__attribute__((noinline)) static M differ(V *restrict r, const struct root *o)\n"
    "{\n"
    "    V g[GUARDS];\n"
    "    M y = (M)(V){0};\n"
    "    guards_at(r, o->t, o->x, g);\n"
    "    for (int i = 0; i < GUARDS; i++) y |= g[i] != o->g[i];\n"
    "    return y;\n"
    "}\n"
    "INLINED void slopes_now(V *restrict r, struct root *o, V *restrict s)\n"
    "{\n"
    "    rates_at(r, o->t, o->x, o->f);\n"
    "    for (int i = 0; i < N; i++) r[AT_RATE + i] = o->f[i];\n"
    "    slopes_at(r, o->t, o->x, s);\n"
    "}\n"
    "INLINED M turn_once(V *restrict r, struct root *o, M go, M *set, M *bad)\n"
    "{\n"
    "    V y[RESULTS];\n"
    "    M changed = (M)(V){0}, moves = changed, sets = changed;\n"
    "    for (int i = 0; i < DISCRETES; i++) r[AT_PRE + i] = r[AT_DISCRETE + i];\n"
    "    moment_at(r, o->t, o->x, y);\n"
    "    for (int i = 0; i < DISCRETES; i++) {\n"
    "        V was = r[AT_DISCRETE + i];\n"
    "        moves |= (y[i] != was) & ~((y[i] != y[i]) & (was != was));\n"
    "        r[AT_DISCRETE + i] = choose(go, y[i], was);\n"
    "    }\n"
    "    changed = moves;\n"
    "    for (int i = 0; i < CONDITIONS; i++) {\n"
    "        changed |= y[DISCRETES + i] != r[AT_WAS + i];\n"
    "        r[AT_WAS + i] = choose(go, y[DISCRETES + i], r[AT_WAS + i]);\n"
    "    }\n"
    "    M given[N] = {0};\n"
    "    *set = (M)(V){0};\n"
    "    for (int i = 0; i < ACTIONS; i++) {\n"
    "        V *to = &o->x[action_state[i]], value = y[DISCRETES + CONDITIONS + ACTIONS + i];\n"
    "        M active = y[DISCRETES + CONDITIONS + i] != 0.0;\n"
    "        if (rivals[i]) *bad |= go & active & given[action_state[i]] & (*to != value);\n"
    "        given[action_state[i]] |= active;\n"
    "        sets |= active, *set |= active & (*to != value);\n"
    "        *to = choose(go & active, value, *to);\n"
    "    }\n"
    "    *bad |= go & moves & ~sets;\n"
    "    return changed | *set;\n"
    "}\n"
    "__attribute__((noinline)) static void look_ahead(V *restrict r, const struct root *o, V by, V "
    "*restrict g)\n"
    "{\n"
    "    V x[N];\n"
    "    for (int i = 0; i < N; i++) x[i] = o->x[i] + by * o->f[i];\n"
    "    guards_at(r, o->t + by, x, g);\n"
    "}\n"
    "INLINED void let_jump(V *restrict r, struct search *f, struct root *o, V by)\n"
    "{\n"
    "    V before[SLOPES], after[SLOPES], fastest = {0};\n"
    "    M set, sets = (M)(V){0}, flipped = sets, go = f->found & ~f->bad;\n"
    "    for (int i = 0; i < TERMINALS; i++) r[AT_TERMINAL + i] = (V){0};\n"
    "    slopes_now(r, o, before);\n"
    "    look_ahead(r, o, by, o->ahead);\n"
    "    for (int i = 0; i < N; i++) o->was[i] = o->x[i];\n"
    "    for (int i = 0; i < GUARDS; i++)\n"
    "        r[held_at[i]] = choose(go & f->crosses[i], truth(holds(i, o->way)), r[held_at[i]]);\n"
    "    f->bad |= go & differ(r, o);\n"
    "    for (int n = 0; n < TURNS && any(go); n++) {\n"
    "        M changed = turn_once(r, o, go, &set, &f->bad);\n"
    "        f->bad |= go & (differ(r, o) | (set & flipped));\n"
    "        sets |= go & set;\n"
    "        M ahead = go & ~changed & ~f->bad;\n"
    "        if (any(ahead)) {\n"
    "            slopes_now(r, o, after);\n"
    "            for (int i = 0; i < GUARDS; i++) {\n"
    "                M on = ahead & f->crosses[i];\n"
    "                V s = after[slope_at[i]], was = before[slope_at[i]], *held = &r[held_at[i]];\n"
    "                f->bad |= on & ((s == 0.0) | (s != s));\n"
    "                M asks = on & ~(~flipped & (s == was));\n"
    "                fastest = choose(asks & (v_fabs(s) > fastest), v_fabs(s), fastest);\n"
    "                f->bad |= asks & sets & (v_fabs(s) <= 0x1p-46 * fastest);\n"
    "                M turns = asks & (holds(i, s) != (*held != 0.0));\n"
    "                f->bad |= turns & flipped;\n"
    "                *held = choose(turns, truth(holds(i, s)), *held);\n"
    "                flipped |= turns, changed |= turns;\n"
    "            }\n"
    "        }\n"
    "        go &= changed & ~f->bad;\n"
    "    }\n"
    "    f->bad |= go;\n"
    "    M moved = (M)(V){0};\n"
    "    for (int i = 0; i < N; i++) moved |= o->x[i] != o->was[i];\n"
    "    f->bad |= f->found & ~(sets & moved);\n"
    "    f->bad |= f->found & ~f->bad & differ(r, o);\n"
    "}\n";

// How far off zero rounding errors may put a guard that is zero exactly: box_error of
// simulation/watch.c.
static const char rests[] =
    "INLINED void enclose_box(V *restrict r, const struct root *o, double part, struct enclosed "
    "*y, V *probe)\n"
    "{\n"
    "    struct enclosed s[N];\n"
    "    V reach = part * v_fabs(o->t), none = {0}, lo = o->t - reach, hi = o->t + reach;\n"
    "    struct enclosed t = {lo, hi, none, none, lo, hi, none};\n"
    "    for (int i = 0; i < N; i++) {\n"
    "        reach = part * v_fabs(o->x[i]), lo = o->x[i] - reach, hi = o->x[i] + reach;\n"
    "        s[i] = (struct enclosed){lo, hi, none, none, lo, hi, none};\n"
    "    }\n"
    "    enclose_over(r, s, t, none, 0, y, probe);\n"
    "}\n"
    "INLINED void rest_there(V *restrict r, struct search *f, struct root *o)\n"
    "{\n"
    "    struct enclosed y[GUARDS], wider[GUARDS];\n"
    "    V probe = {0}, lo, hi, width, sigma;\n"
    "    M exactly = f->found & (o->slack == 0.0), wide = o->t != 0.0;\n"
    "    o->rest = o->slack;\n"
    "    if (!any(exactly)) return;\n"
    "    for (int i = 0; i < N; i++) wide |= o->x[i] != 0.0;\n"
    "    enclose_box(r, o, 2.0 * EPS, y, &probe);\n"
    "    enclose_box(r, o, 0x1p20 * 2.0 * EPS, wider, &probe);\n"
    "    for (int i = 0; i < GUARDS; i++) {\n"
    "        lo = y[i].lo, hi = y[i].hi, width = wider[i].hi - wider[i].lo;\n"
    "        sigma = choose((lo <= 0.0) & (hi >= 0.0), hi - lo, (V){0});\n"
    "        sigma = choose(wide & ~(width >= 0x1p10 * sigma), (V){0}, sigma);\n"
    "        o->rest = choose(exactly & f->crosses[i], o->slack + sigma, o->rest);\n"
    "    }\n"
    "    f->bad |= exactly & (probe != 0.0);\n"
    "}\n";

// Impacts that hop on: foi_rest_hops and hops_on of simulation/rest.c.
static const char looks[] =
    "struct notes { V interval, ratio, shrinking, count, trend, far, far_interval, far_after, "
    "contact; };\n"
    "INLINED M look_closely(const struct root *o, int i, struct notes *n, V speed, V size, V by, V "
    "grain)\n"
    "{\n"
    "    V is = v_fabs(o->g[i]), before = n->contact * ((o->ahead[i] - o->g[i]) / by);\n"
    "    V reach = 4.0 * o->slack + 0x1p10 * grain * v_fabs(before);\n"
    "    reach = reach + 64.0 * EPS * size;\n"
    "    V part = speed / -before, blurred = is - before * grain + EPS * size;\n"
    "    blurred = p_larger(blurred, 2.0 * o->rest);\n"
    "    V high = -before * part * part * n->interval / (0x1p12 * blurred);\n"
    "    V brief = part * n->interval / (0x1p8 * (64.0 * grain));\n"
    "    n->far = choose(brief < high, brief, high);\n"
    "    n->far_interval = n->interval, n->far_after = speed;\n"
    "    V noise = 8.0 * EPS * size / by;\n"
    "    return (is <= reach) & (before < -noise) & (speed > noise) & (part > 0x1p-10) & (n->far > "
    "1.0);\n"
    "}\n"
    "INLINED V size_of(V *restrict r, const struct lanes *L, const struct root *o, V *restrict "
    "size)\n"
    "{\n"
    "    V x[N], t = o->t + 0x1p-20 * v_fabs(o->t);\n"
    "    for (int i = 0; i < N; i++) x[i] = o->x[i] + spread[i] * o->x[i];\n"
    "    guards_at(r, choose(L->run_end < t, L->run_end, t), x, size);\n"
    "    for (int i = 0; i < GUARDS; i++) size[i] = 0x1p20 * v_fabs(size[i] - o->g[i]);\n"
    "    return t;\n"
    "}\n";

// What simulation/moments.c notes of a moment, and whether it hops on.
static const char hops[] =
    "INLINED void hop_on(V *restrict r, const struct lanes *L, struct search *f, struct root *o, V "
    "by, struct notes *notes)\n"
    "{\n"
    "    V t = o->t, eps = EPS * v_fabs(t), probe = {0}, g[GUARDS], size[GUARDS];\n"
    "    M on = f->found;\n"
    "    rates_at(r, t, o->x, o->f);\n"
    "    for (int i = 0; i < N; i++) probe += (o->x[i] - o->x[i]) + (o->f[i] - o->f[i]);\n"
    "    for (int i = 0; i < DISCRETES; i++) probe += r[AT_DISCRETE + i] - r[AT_DISCRETE + i];\n"
    "    look_ahead(r, o, by, g);\n"
    "    size_of(r, L, o, size);\n"
    "    f->bad |= on & ((probe != 0.0) | (t + by > L->run_end) | (t - L->crept_at <= 64.0 * "
    "eps));\n"
    "    V grain = EPS * p_larger(v_fabs(t), 0x1p-20 * L->scale);\n"
    "    for (int i = 0; i < GUARDS; i++) {\n"
    "        const V *h = &L->hop[0][i];\n"
    "        struct notes *n = &notes[i], closely;\n"
    "        M own = on & f->crosses[i], other = on & ~f->crosses[i];\n"
    "        V was = h[HOP_INTERVAL * GUARDS];\n"
    "        n->interval = t - h[HOP_LAST * GUARDS];\n"
    "        n->ratio = choose(was > 0.0, n->interval / was, (V){0} + 1.0 / 0.0);\n"
    "        M steady = (n->ratio < 0.9999) & (v_fabs(n->ratio - h[HOP_RATIO * GUARDS]) <= 0.1 * "
    "n->ratio);\n"
    "        n->shrinking = choose(steady, h[HOP_SHRINKING * GUARDS] + 1.0, (V){0});\n"
    "        V limit = t + n->interval * n->ratio / (1.0 - n->ratio);\n"
    "        f->bad |= own & ((n->interval <= 64.0 * eps) |\n"
    "                         ((n->shrinking >= L->steady) & (limit - t <= p_larger(L->limit, 4.0 "
    "* eps))));\n"
    "        n->far = h[HOP_FAR * GUARDS], n->far_interval = h[HOP_FAR_INTERVAL * GUARDS];\n"
    "        n->far_after = h[HOP_FAR_AFTER * GUARDS], n->contact = h[HOP_CONTACT * GUARDS];\n"
    "        V part = n->interval / n->far_interval, speed = n->contact * (g[i] - o->g[i]) / by;\n"
    "        M likely = (n->far > 0.0) & (n->far * part * part > 4.0) & (part <= 1.0) &\n"
    "                   (speed >= 0.75 * part * n->far_after) & (speed <= 1.25 * n->far_after);\n"
    "        closely = *n, closely.contact = choose(n->contact == 0.0, -o->way, n->contact);\n"
    "        M sure = look_closely(o, i, &closely, closely.contact * ((g[i] - o->g[i]) / by), "
    "size[i], by, grain);\n"
    "        f->bad |= own & ~likely & ~sure;\n"
    "        n->far = choose(likely, n->far, closely.far), n->contact = closely.contact;\n"
    "        n->far_interval = choose(likely, n->far_interval, closely.far_interval);\n"
    "        n->far_after = choose(likely, n->far_after, closely.far_after);\n"
    "        V trend = h[HOP_TREND * GUARDS], count = h[HOP_COUNT * GUARDS] + 1.0;\n"
    "        M counts = ~((o->way < 0.0) & (trend > 0.0));\n"
    "        f->bad |= own & (((o->way > 0.0) & (trend < 0.0)) |\n"
    "                         (counts & (count == 16.0 * v_floor(count * 0.0625))));\n"
    "        f->bad |= other & (h[HOP_WAY * GUARDS] != 0.0) &\n"
    "                  ((t - h[HOP_LAST * GUARDS] <= 64.0 * grain) |\n"
    "                   (v_fabs(o->g[i]) <= p_larger(64.0 * h[HOP_PULSE_SLACK * GUARDS], "
    "L->near)));\n"
    "        n->count = choose(counts, count, count - 1.0), n->trend = choose(counts, o->way, "
    "trend);\n"
    "    }\n"
    "}\n";

// What stays of it.
static const char keeps[] =
    "INLINED void keep_hop(struct lanes *restrict L, const struct search *f, const struct root *o, "
    "M on, const struct notes *notes)\n"
    "{\n"
    "    V t = o->t;\n"
    "    M near = (L->chats > 0.0) & (t - L->chats_last <= 1e-6 * L->scale);\n"
    "    V chats = choose(near, L->chats + 1.0, (V){0} + 1.0);\n"
    "    L->chats_from = choose(on & ~near, t, L->chats_from), L->chats_last = choose(on, t, "
    "L->chats_last);\n"
    "    L->chats = choose(on, chats, L->chats), L->crept_at = choose(on, t, L->crept_at);\n"
    "    for (int i = 0; i < GUARDS; i++) {\n"
    "        V *h = &L->hop[0][i];\n"
    "        M own = on & f->crosses[i], other = on & ~f->crosses[i];\n"
    "        const struct notes *n = &notes[i];\n"
    "        const V all[HOPS] = {[HOP_LAST] = t, [HOP_INTERVAL] = n->interval, [HOP_RATIO] = "
    "n->ratio,\n"
    "                             [HOP_SHRINKING] = n->shrinking, [HOP_PULSE_SLACK] = o->slack,\n"
    "                             [HOP_WAY] = o->way, [HOP_CONTACT] = n->contact,\n"
    "                             [HOP_DEPTH] = h[HOP_DEPTH * GUARDS], [HOP_FAR] = n->far,\n"
    "                             [HOP_FAR_INTERVAL] = n->far_interval, [HOP_FAR_AFTER] = "
    "n->far_after,\n"
    "                             [HOP_COUNT] = n->count, [HOP_TREND] = n->trend};\n"
    "        for (int k = HOP_LAST; k < HOPS; k++) h[k * GUARDS] = choose(own, all[k], h[k * "
    "GUARDS]);\n"
    "        L->side[i] = choose(own, (V){0}, choose(other, f->side[i], L->side[i]));\n"
    "        h[HOP_SLACK * GUARDS] = choose(own, o->rest, choose(other, (V){0}, h[HOP_SLACK * "
    "GUARDS]));\n"
    "        h[HOP_TOLD * GUARDS] = choose(own, o->way, choose(other, f->side[i], h[HOP_TOLD * "
    "GUARDS]));\n"
    "        L->turned[i] = choose(own, t, L->turned[i]), L->band[i] = choose(own, o->slack, "
    "L->band[i]);\n"
    "    }\n"
    "}\n"
    "__attribute__((noinline)) static struct hopped hop(V *restrict r, struct lanes *restrict L, "
    "const struct path *p, M on, const M *calm)\n"
    "{\n"
    "    struct search f;\n"
    "    struct root o;\n"
    "    V d[DISCRETES + 1], was[CONDITIONS + 1], held[GUARDS], by = 0x1p-24 * L->scale;\n"
    "    struct notes notes[GUARDS];\n"
    "    search_step(r, L, p, &f, on);\n"
    "    for (int i = 0; i < GUARDS; i++)\n"
    "        f.bad |= f.none & (L->hop[HOP_DEPTH][i] > 0.0) &\n"
    "                 (L->hop[HOP_CONTACT][i] * f.eg[0][i] < -L->hop[HOP_DEPTH][i]);\n"
    "    struct hopped y = {.passed = f.none & ~f.bad, .hops = (M)(V){0}};\n"
    "    for (int i = 0; i < GUARDS; i++) {\n"
    "        L->side[i] = choose(y.passed, f.side[i], L->side[i]);\n"
    "        L->hop[HOP_SLACK][i] = choose(y.passed, f.slack[i], L->hop[HOP_SLACK][i]);\n"
    "        L->hop[HOP_TOLD][i] = choose(y.passed, f.told[i], L->hop[HOP_TOLD][i]);\n"
    "    }\n"
    "    f.found &= ~f.bad;\n"
    "    if (!any(f.found)) return y;\n"
    "    o.theta = locate(r, p, &f);\n"
    "    at_root(r, L, p, &f, &o, calm);\n"
    "    for (int i = 0; i < DISCRETES; i++) d[i] = r[AT_DISCRETE + i];\n"
    "    for (int i = 0; i < CONDITIONS; i++) was[i] = r[AT_WAS + i];\n"
    "    for (int i = 0; i < GUARDS; i++) held[i] = r[held_at[i]];\n"
    "    let_jump(r, &f, &o, by);\n"
    "    rest_there(r, &f, &o);\n"
    "    hop_on(r, L, &f, &o, by, notes);\n"
    "    f.bad |= f.found & (L->chats + 1.0 >= L->many);\n"
    "    y.hops = f.found & ~f.bad;\n"
    "    keep_hop(L, &f, &o, y.hops, notes);\n"
    "    for (int i = 0; i < DISCRETES; i++) r[AT_DISCRETE + i] = choose(y.hops, r[AT_DISCRETE + "
    "i], d[i]);\n"
    "    for (int i = 0; i < CONDITIONS; i++) r[AT_WAS + i] = choose(y.hops, r[AT_WAS + i], "
    "was[i]);\n"
    "    for (int i = 0; i < GUARDS; i++) r[held_at[i]] = choose(y.hops, r[held_at[i]], held[i]);\n"
    "    y.t = o.t;\n"
    "    for (int i = 0; i < N; i++) y.x[i] = o.x[i], y.f[i] = o.f[i];\n"
    "    return y;\n"
    "}\n";

static void put_names(foi_flat_writer *out)
{
    static const char *const names[FOI_HOP_NUMBERS] = {
        "SIDE", "SLACK",   "TOLD",  "LAST", "INTERVAL",     "RATIO",     "SHRINKING", "PULSE_SLACK",
        "WAY",  "CONTACT", "DEPTH", "FAR",  "FAR_INTERVAL", "FAR_AFTER", "COUNT",     "TREND"};
    for (int k = 0; k < FOI_HOP_NUMBERS; k++)
        foi_flat_write(out, "#define HOP_%s %d\n", names[k], k);
}

// The parts by which foi_rest_size moves the states.
static void put_spread(const foi_program *g, foi_flat_writer *out)
{
    double part = 0;
    foi_flat_write(out, "static const double spread[] = {");
    for (size_t i = 0; i < g->about.states.count; i++) {
        part = fmod(part + 0.6180339887498949, 1);
        foi_source_number(out, 0x1p-20 * (1 + part));
        foi_flat_write(out, ", ");
    }
    foi_flat_write(out, "0};\n");
}

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
                {"SLOPES", g->codes[FOI_TASK_SLOPES].result_count + 1},
                {"AT_PRE", l->at[FOI_LEAF_PRE]},
                {"AT_DISCRETE", l->at[FOI_LEAF_DISCRETE]},
                {"AT_WAS", l->at[FOI_LEAF_WAS]},
                {"AT_RATE", l->at[FOI_LEAF_RATE]},
                {"AT_TERMINAL", l->at[FOI_LEAF_TERMINAL]}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        foi_flat_write(out, "#define %s %u\n", list[i].name, list[i].value);
    foi_flat_write(out, "static const int action_state[] = {");
    for (uint32_t i = 0; i < g->actions; i++) foi_flat_write(out, "%u, ", g->action_state[i]);
    foi_flat_write(out, "0}, rivals[] = {");
    for (uint32_t i = 0; i < g->actions; i++)
        foi_flat_write(out, "%d, ", g->action_rival[i] != FOI_NOTHING);
    foi_flat_write(out, "0}, held_at[] = {");
    for (uint32_t i = 0; i < g->guards; i++)
        foi_flat_write(out, "%u, ", l->at[FOI_LEAF_HELD] + g->relation_of[i]);
    foi_flat_write(out, "0}, slope_at[] = {");
    for (uint32_t i = 0; i < g->guards; i++) foi_flat_write(out, "%u, ", g->slope_of[i]);
    foi_flat_write(out, "0};\n");
    put_spread(g, out);
}

// What each relation is where its guard has this value.
static void put_relations(const foi_program *g, foi_flat_writer *out)
{
    foi_flat_write(out, "INLINED M holds(int i, V g)\n{\n");
    for (uint32_t i = 0; i < g->guards; i++) {
        foi_op op = g->relation_op[g->relation_of[i]];
        const char *text = op == FOI_G_LESS         ? "<"
                           : op == FOI_G_LESS_EQUAL ? "<="
                           : op == FOI_G_GREATER    ? ">"
                                                    : ">=";
        if (i + 1 < g->guards)
            foi_flat_write(out, "    if (i == %u) return g %s 0.0;\n", i, text);
        else
            foi_flat_write(out, "    return g %s 0.0;\n}\n", text);
    }
}

void foi_lane_hops(const foi_program *g, foi_flat_writer *out)
{
    put_names(out);
    put_places(g, out);
    put_relations(g, out);
    foi_flat_write(out, "#define FRESH ");
    foi_source_number(out, FOI_ERK_LOG_FRESH);
    foi_flat_write(out, "\n");
    foi_lane_enclose(g, out);
    foi_lane_search(out);
    foi_flat_write(out, "struct hopped { M passed, hops; V t, x[N], f[N]; };\n%s%s%s%s%s%s%s", path,
                   root, turns, rests, looks, hops, keeps);
}
