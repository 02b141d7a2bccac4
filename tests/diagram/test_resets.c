// Resets of one instant: each takes what was there before all of them, whatever the order in which
// nodes are declared, and one that is brought about by others is a turn of its own. Random diagrams
// of integrators with constant rates, beside turns that are computed here: all numbers are whole
// multiples of powers of two, so that what is computed is exact.
#include "run.h"

enum { MOST = 4, STEPS = 16 }; // steps of the clock in a second

/// A signal: of time, of the states, and a number.
typedef struct sum {
    double t, of[MOST], number;
} sum;

/// State i is reset by signal use[i].
typedef struct resets {
    int n, use[MOST], way[MOST]; ///< 1 rising, -1 falling, 0 either
    double start[MOST], rate[MOST];
    sum guard[MOST], initial[MOST];
    bool used[MOST];
} resets;

static const double stop = 2.25;
static uint64_t seed_of;

static int whole(int lo, int hi)
{
    seed_of = seed_of * 6364136223846793005u + 1442695040888963407u;
    return lo + (int)((seed_of >> 33) % (uint64_t)(hi - lo + 1));
}

static double value_of(const sum *s, const double *x, double t)
{
    double v = s->t * t + s->number;
    for (int i = 0; i < MOST; i++) v += s->of[i] * x[i];
    return v;
}

// Of the signals half are of time alone, and cross at two instants only.
static sum make_guard(int n, const double *instants)
{
    static const double factors[] = {1, -1, 2, 4};
    sum s = {0};
    if (whole(0, 9) < 6) {
        s.t = factors[whole(0, 3)];
        s.number = -s.t * instants[whole(0, 1)];
        return s;
    }
    s.of[whole(0, n - 1)] = whole(0, 1) ? 1 : -1;
    s.number = whole(-16, 16) / 8.0 + whole(-9, 9) / 256.0;
    return s;
}

static resets make(uint64_t seed)
{
    static const double rates[] = {0, 0, 0.5, -0.5, 1, -1, 2, -2}, factors[] = {1, 1, -1, 0.5, 2};
    resets m = {.n = 2};
    seed_of = seed * 0x9e3779b97f4a7c15u + 1;
    m.n = whole(2, MOST);
    double instants[2] = {whole(2, 31) / 16.0, whole(2, 31) / 16.0};
    for (int i = 0; i < m.n; i++) {
        m.start[i] = whole(-16, 16) / 8.0 + whole(-9, 9) / 128.0;
        m.rate[i] = rates[whole(0, 7)];
        m.guard[i] = make_guard(m.n, instants);
        m.use[i] = whole(0, 9) < 4 ? whole(0, m.n - 1) : i;
        m.used[m.use[i]] = true;
        m.way[i] = whole(-1, 1);
        m.initial[i].number = whole(-1, 1) * whole(0, 8) / 8.0;
        for (int j = 0; j < m.n; j++)
            if (whole(0, 9) < 6) m.initial[i].of[j] = factors[whole(0, 4)];
    }
    return m;
}

// -------------------------------------------------------------------------------------- the truth

typedef struct truth {
    double x[MOST];
    int turns, together; ///< the most turns of an instant; states that were reset in one
} truth;

// The first instant from t on at which a signal comes to zero.
static double next_of(const resets *m, const double *x, double t, const int *side)
{
    double first = INFINITY;
    for (int g = 0; g < m->n; g++) {
        double rate = m->guard[g].t;
        for (int j = 0; j < m->n; j++) rate += m->guard[g].of[j] * m->rate[j];
        if (m->used[g] && rate * side[g] < 0)
            first = fmin(first, t - value_of(&m->guard[g], x, t) / rate);
    }
    return first;
}

static void reset_these(const resets *m, truth *w, const int *fired)
{
    double before[MOST] = {0};
    int count = 0;
    memcpy(before, w->x, sizeof before);
    for (int i = 0; i < m->n; i++) {
        int way = fired[m->use[i]];
        if (!way || (m->way[i] && m->way[i] != way)) continue;
        w->x[i] = value_of(&m->initial[i], before, 0), count++;
    }
    if (count > w->together) w->together = count;
}

// The turns of one instant. A signal that has come to zero in the first of them, and that a jump of
// the instant turns round, has no moment on its way back. False: one comes to stand at zero, or is
// turned round in a later turn, or there is no end.
static bool turn(const resets *m, truth *w, double t, int *side)
{
    int fired[MOST] = {0};
    bool rests[MOST] = {0};
    for (int g = 0; g < m->n; g++) {
        double rate = m->guard[g].t;
        for (int j = 0; j < m->n; j++) rate += m->guard[g].of[j] * m->rate[j];
        rests[g] = m->used[g] && value_of(&m->guard[g], w->x, t) == 0 && rate * side[g] < 0;
        if (rests[g]) fired[g] = -side[g];
    }
    for (int turns = 1; turns < 9; turns++) {
        bool any = false;
        for (int g = 0; g < m->n; g++)
            if (fired[g]) side[g] = fired[g], any = true;
        if (!any) return true;
        if (turns > w->turns) w->turns = turns;
        double before[MOST];
        for (int g = 0; g < m->n; g++) before[g] = value_of(&m->guard[g], w->x, t);
        reset_these(m, w, fired);
        for (int g = 0; g < m->n; g++) {
            double v = value_of(&m->guard[g], w->x, t);
            int now = (v > 0) - (v < 0), was = fired[g];
            fired[g] = 0;
            if (!m->used[g] || (v == 0 && before[g] == 0)) continue;
            if (v == 0 || (was && !rests[g] && now != side[g])) return false;
            if (now != side[g] && !rests[g]) fired[g] = now;
            side[g] = now, rests[g] = false;
        }
    }
    return false;
}

// False: what a run would do is not clear. In the first step Initial Condition gives its start.
static bool run_exactly(const resets *m, truth *w)
{
    int side[MOST] = {0};
    double t = 0;
    *w = (truth){0};
    memcpy(w->x, m->start, sizeof m->start);
    for (int g = 0; g < m->n; g++) {
        double v = value_of(&m->guard[g], w->x, 0);
        side[g] = (v > 0) - (v < 0);
        if (m->used[g] && v == 0) return false;
    }
    for (int instants = 0; instants < 40; instants++) {
        double at = next_of(m, w->x, t, side);
        if (at == stop || at <= 1.0 / STEPS || at < t) return false;
        for (int i = 0; i < m->n; i++) w->x[i] += m->rate[i] * (fmin(at, stop) - t);
        t = at;
        if (at > stop) return w->turns > 0;
        if (!turn(m, w, t, side)) return false;
    }
    return false;
}

// ------------------------------------------------------------------------------------ the diagrams

typedef struct page {
    char nodes[16384], lines[16384];
    int count;
} page;

#define ADD(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

static void add_sum(page *p, const sum *s, const char *kind, int i)
{
    char signs[8] = "+";
    int port = 1;
    for (int j = -1; j < MOST; j++) {
        double factor = j < 0 ? s->t : s->of[j];
        if (factor == 0) continue;
        ADD(p->nodes, "{'name': '%s%d.%d', 'type': 'Gain', 'parameters': {'Gain': %.17g}}, ", kind,
            i, ++port, factor);
        ADD(p->lines, "{'from': '%c%d', 'to': '%s%d.%d'}, {'from': '%s%d.%d', 'to': '%s%d:%d'}, ",
            j < 0 ? 't' : 'x', j < 0 ? 0 : j, kind, i, port, kind, i, port, kind, i, port);
        strcat(signs, "+");
    }
    ADD(p->nodes,
        "{'name': '%s%d', 'type': 'Sum', 'parameters': {'Signs': '%s'}}, "
        "{'name': '%sc%d', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, ",
        kind, i, signs, kind, i, s->number);
    ADD(p->lines, "{'from': '%sc%d', 'to': '%s%d:1'}, ", kind, i, kind, i);
}

static void add_state(page *p, const resets *m, int i)
{
    static const char *const ways[] = {"falling", "either", "rising"};
    ADD(p->nodes,
        "{'name': 'x%d', 'type': 'Integrator', 'parameters': {'External Reset': '%s', 'Initial "
        "Condition Source': 'external'}}, {'name': 'u%d', 'type': 'Constant', 'parameters': "
        "{'Constant Value': %.17g}}, {'name': 'i%d', 'type': 'Initial Condition', 'parameters': "
        "{'Initial Value': %.17g}}, ",
        i, ways[m->way[i] + 1], i, m->rate[i], i, m->start[i]);
    ADD(p->lines,
        "{'from': 'u%d', 'to': 'x%d:1'}, {'from': 'g%d', 'to': 'x%d:2'}, {'from': 'i%d', 'to': "
        "'x%d:3'}, {'from': 's%d', 'to': 'i%d'}, {'from': 'x%d', 'to': 'y:%d'}, ",
        i, i, m->use[i], i, i, i, i, i, i, i + 1);
    add_sum(p, &m->initial[i], "s", i);
    if (m->used[i]) add_sum(p, &m->guard[i], "g", i);
}

static bool open_so(diagram_run *r, const char *members, bool nodes)
{
    *r = (diagram_run){.diagram = read_diagram(members, NULL, &r->why)};
    fo_diagram_way way = nodes ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM;
    if (!r->diagram || (nodes && fo_diagram_run_as(r->diagram, way, &r->why) != FO_OK)) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return false;
    }
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
    r->sim = fo_simulation_create(fo_diagram_system(r->diagram), &def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim;
}

static void compare(const resets *m, const truth *w, uint64_t seed, bool turned, bool nodes)
{
    static const char *const methods[] = {"dp45", "RK_04", "bs23", "radau5"};
    static page p;
    static char text[40000];
    diagram_run r;
    p.nodes[0] = p.lines[0] = 0;
    for (int i = 0; i < m->n; i++) add_state(&p, m, turned ? m->n - 1 - i : i);
    snprintf(text, sizeof text,
             "'simulation': {'integrator': '%s', 'step': %.17g, 'stop': %.17g}, 'nodes': [%s"
             "{'name': 't0', 'type': 'Integrator'}, {'name': 'one', 'type': 'Constant'}, "
             "{'name': 'y', 'type': 'Mux', 'parameters': {'Inputs': %d}}, {'name': 'end', 'type': "
             "'Terminator'}, {'name': 'time', 'type': 'Terminator'}], 'lines': [%s{'from': 'one', "
             "'to': 't0'}, {'from': 't0', 'to': 'time'}, {'from': 'y', 'to': 'end'}]",
             methods[whole(0, 3)], 1.0 / STEPS, stop, p.nodes, m->n, p.lines);
    if (!open_so(&r, text, nodes)) return;
    for (int i = 0; i < m->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "y[%d]", i + 1);
        double is = value_at(&r, stop, name);
        if (!(fabs(is - w->x[i]) <= 1e-9 * fmax(1, fabs(w->x[i]))))
            test_fail(__FILE__, __LINE__, "seed %llu%s%s: x%d = %.17g, expected %.17g",
                      (unsigned long long)seed, turned ? ", declared the other way" : "",
                      nodes ? ", node by node" : "", i, is, w->x[i]);
    }
    close_run(&r);
}

TEST(resets_of_one_instant_take_what_was_before)
{
    uint64_t count = (uint64_t)test_inputs(600, 20000);
    int together = 0, later = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        resets m = make(seed);
        truth w;
        if (!run_exactly(&m, &w)) continue;
        together += w.together > 1, later += w.turns > 1;
        for (int way = 0; way < 4; way++) compare(&m, &w, seed, way & 1, way & 2);
    }
    CHECK(together * 5 > (int)count && later > 0);
}

// x and y change places at 0.55: by one signal, by one each, by a signal that one of the two has
// brought about, and in models inside of nodes.
TEST(two_change_places)
{
#define STATE(name, start)                                                                   \
    "{'name': '" name "', 'type': 'Integrator', 'parameters': {'External Reset': 'rising', " \
    "'Initial Condition Source': 'external'}}, {'name': 'i" name "', 'type': 'Initial "      \
    "Condition', 'parameters': {'Initial Value': " start "}}"
#define LINES(name, at, other)                                              \
    "{'from': 'zero', 'to': '" name ":1'}, {'from': '" at "', 'to': '" name \
    ":2'}, {'from': 'i" name "', 'to': '" name ":3'}, {'from': '" other "', 'to': 'i" name "'}, "
#define BLOCK(name, start)                                                                     \
    "{'name': '" name "', 'type': 'Modelica Block', 'parameters': {'Text': 'block " name       \
    " input Real u; input Real w; output Real y(start=" start ", fixed=true); equation der(y)" \
    " = 0; when u > 0 then reinit(y, w); end when; end " name ";'}}"
#define INPUTS(name, at, other) \
    "{'from': '" at "', 'to': '" name ":u'}, {'from': '" other "', 'to': '" name ":w'}, "
    static const char *const nodes[] = {
        STATE("x", "1") ", " STATE("y", "2"),
        BLOCK("x", "1") ", " BLOCK("y", "2"),
        STATE("x", "1") ", " BLOCK("y", "2"),
        BLOCK("x", "1") ", " STATE("y", "2"),
    };
    static const char *const nodes_turned[] = {
        STATE("y", "2") ", " STATE("x", "1"),
        BLOCK("y", "2") ", " BLOCK("x", "1"),
        BLOCK("y", "2") ", " STATE("x", "1"),
        STATE("y", "2") ", " BLOCK("x", "1"),
    };
#define BY(x, y)                                                                             \
    {                                                                                        \
        x("x", "g", "y") y("y", "g", "x"), x("x", "g", "y") y("y", "h", "x"),                \
            x("x", "h", "y") y("y", "g", "x"), x("x", "later", "y") y("y", "later too", "x") \
    }
    static const char *const lines[][4] = {BY(LINES, LINES), BY(INPUTS, INPUTS), BY(LINES, INPUTS),
                                           BY(INPUTS, LINES)};
    char text[8192];
    for (int i = 0; i < 64; i++) {
        diagram_run r;
        int kind = i / 16, by = i / 4 % 4;
        snprintf(
            text, sizeof text,
            "'simulation': {'integrator': 'dp45', 'step': 0.125, 'stop': 1}, 'nodes': [%s, "
            "{'name': 'zero', 'type': 'Constant', 'parameters': {'Constant Value': 0}}, {'name': "
            "'half', 'type': 'Constant', 'parameters': {'Constant Value': 0.55}}, {'name': 'one', "
            "'type': 'Constant'}, {'name': 't', 'type': 'Integrator'}, {'name': 'g', 'type': "
            "'Sum', 'parameters': {'Signs': '+-'}}, {'name': 'h', 'type': 'Sum', 'parameters': "
            "{'Signs': '+-'}}, {'name': 'c', 'type': 'Integrator', 'parameters': {'External "
            "Reset': 'rising', 'Initial Condition Source': 'external'}}, {'name': 'ic', 'type': "
            "'Initial Condition', 'parameters': {'Initial Value': 0}}, {'name': 'later', 'type': "
            "'Sum', 'parameters': {'Signs': '+-'}}, {'name': 'later too', 'type': 'Sum', "
            "'parameters': {'Signs': '+-'}}, {'name': 'a', 'type': 'Terminator'}, {'name': 'b', "
            "'type': 'Terminator'}, {'name': 'd', 'type': 'Terminator'}, {'name': 'e', 'type': "
            "'Terminator'}, {'name': 'f', 'type': 'Terminator'}, {'name': 'k', 'type': "
            "'Terminator'}], 'lines': [%s{'from': 'one', 'to': ['t', 'ic']}, {'from': 't', 'to': "
            "['g:1', 'h:1']}, {'from': 'half', 'to': ['g:2', 'h:2', 'later:2', 'later too:2']}, "
            "{'from': 'c', 'to': ['later:1', 'later too:1']}, {'from': 'zero', 'to': 'c:1'}, "
            "{'from': 'h', 'to': 'c:2'}, {'from': 'ic', 'to': 'c:3'}, {'from': 'x', 'to': 'a'}, "
            "{'from': 'y', 'to': 'b'}, {'from': 'g', 'to': 'd'}, {'from': 'later', 'to': 'e'}, "
            "{'from': 'later too', 'to': 'f'}, {'from': 'h', 'to': 'k'}]",
            i & 1 ? nodes_turned[kind] : nodes[kind], lines[kind][by]);
        if (!open_so(&r, text, i & 2)) return;
        double x = value_at(&r, 1, "x"), y = value_at(&r, 1, "y");
        if (x != 2 || y != 1) test_fail(__FILE__, __LINE__, "%d: x = %g, y = %g", i, x, y);
        close_run(&r);
    }
}

// x'' along y = x^2 without friction.
static double along(double x, double v)
{
    return -2 * x * (9.81 + 2 * v * v) / (1 + 4 * x * x);
}

static void slide(double *x, double *v, double h)
{
    double k1 = along(*x, *v), x2 = *x + h / 2 * *v, v2 = *v + h / 2 * k1;
    double k2 = along(x2, v2), x3 = *x + h / 2 * v2, v3 = *v + h / 2 * k2;
    double k3 = along(x3, v3), x4 = *x + h * v3, v4 = *v + h * k3;
    *x += h / 6 * (*v + 2 * v2 + 2 * v3 + v4);
    *v += h / 6 * (k1 + 2 * k2 + 2 * k3 + along(x4, v4));
}

// A ball falls on y = x^2: both velocities are reset by what its height above that is, or one of
// them by a multiple of it. It bounces until it lies on the slope, and slides.
TEST(a_ball_on_a_slope_is_one_contact)
{
#define NODE(name, type, more) "{'name': '" name "', 'type': '" type "'" more "}, "
#define WITH(name, value)      ", 'parameters': {'" name "': " value "}"
#define RESET(start)                                                                    \
    ", 'parameters': {'External Reset': 'falling', 'Initial Condition Source': "        \
    "'external'}}, {'name': '" start "', 'type': 'Initial Condition', 'parameters': {'" \
    "Initial Value': 0}"
    static const char vx[] = NODE("vx", "Integrator", RESET("ix"));
    static const char vy[] = NODE("vy", "Integrator", RESET("iy"));
    static const char others[] = NODE("x", "Integrator", WITH("Initial Condition", "0.3"))
        NODE("y", "Integrator", WITH("Initial Condition", "1"))
            NODE("zero", "Constant", WITH("Constant Value", "0"))
                NODE("g", "Constant", WITH("Constant Value", "-9.81")) NODE("one", "Constant", "")
                    NODE("xx", "Product", "") NODE("h", "Sum", WITH("Signs", "'+-'"))
                        NODE("2x", "Gain", WITH("Gain", "2")) NODE("2xvx", "Product", "")
                            NODE("n", "Sum", WITH("Signs", "'+-'")) NODE("4xx", "Product", "")
                                NODE("d", "Sum", "") NODE("vn", "Product", WITH("Signs", "'*/'"))
                                    NODE("j", "Gain", WITH("Gain", "1.3"))
                                        NODE("vy new", "Sum", WITH("Signs", "'+-'"))
                                            NODE("jx", "Product", "") NODE("vx new", "Sum", "");
    static const char *const ways[] = {"", NODE("k", "Gain", WITH("Gain", "1")),
                                       NODE("k", "Gain", WITH("Gain", "3"))};
    static const char lines[] =
        "{'from': 'zero', 'to': 'vx:1'}, {'from': 'g', 'to': 'vy:1'}, {'from': 'vx', 'to': ['x', "
        "'2xvx:2', 'vx new:1']}, {'from': 'vy', 'to': ['y', 'n:1', 'vy new:1']}, {'from': 'x', "
        "'to': ['xx:1', 'xx:2', '2x']}, {'from': 'y', 'to': 'h:1'}, {'from': 'xx', 'to': 'h:2'}, "
        "{'from': 'h', 'to': 'vx:2'}, {'from': '2x', 'to': ['2xvx:1', '4xx:1', '4xx:2', "
        "'jx:2']}, {'from': '2xvx', 'to': 'n:2'}, {'from': 'n', 'to': 'vn:1'}, {'from': '4xx', "
        "'to': 'd:1'}, {'from': 'one', 'to': 'd:2'}, {'from': 'd', 'to': 'vn:2'}, {'from': 'vn', "
        "'to': 'j'}, {'from': 'j', 'to': ['vy new:2', 'jx:1']}, {'from': 'jx', 'to': 'vx new:2'}, "
        "{'from': 'vx new', 'to': 'ix'}, {'from': 'vy new', 'to': 'iy'}, {'from': 'ix', 'to': "
        "'vx:3'}, {'from': 'iy', 'to': 'vy:3'}";
    char text[8192];
    for (int i = 0; i < 8; i++) {
        const char *way = ways[i < 4 ? 0 : i / 2 - 1];
        diagram_run r;
        snprintf(text, sizeof text,
                 "'simulation': {'integrator': 'dp45', 'step': 0.02, 'rtol': 1e-9, 'atol': 1e-11, "
                 "'stop': 3}, 'nodes': [%s%s%s%s{'name': 'end', 'type': 'Terminator'}], 'lines': "
                 "[%s, {'from': 'h', 'to': %s}, {'from': '%s', 'to': 'vy:2'}]",
                 i & 1 ? vy : vx, i & 1 ? vx : vy, way, others, lines,
                 *way ? "['end', 'k']" : "'end'", *way ? "k" : "h");
        if (!open_so(&r, text, i & 2)) return;
        double fall = -sqrt(2 * 9.81 * (1 - 0.09)), push = -1.3 * fall / 1.36;
        CHECK_NEAR(value_at(&r, 0.431, "vx"), -0.6 * push, 1e-9);
        CHECK_NEAR(value_at(&r, 0.431, "vy"), fall + push - 9.81 * (0.431 + fall / 9.81), 1e-9);
        double x = value_at(&r, 0.6, "x"), v = value_at(&r, 0.6, "vx");
        for (int k = 0; k < 24000; k++) slide(&x, &v, 1e-4);
        CHECK_NEAR(value_at(&r, 3, "x"), x, 1e-6);
        CHECK_NEAR(value_at(&r, 3, "y"), x * x, 1e-6);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(resets_of_one_instant_take_what_was_before), TEST_ENTRY(two_change_places),
          TEST_ENTRY(a_ball_on_a_slope_is_one_contact))
