// Instants that lie some units in the last place beside the crossing of a guard: what turns with
// one of them turns once, and what is sampled at a tick has turned with it. Random, against what
// follows from numbers that are not rounded.
#include <stdarg.h>

#include "../diagram/run.h"

static double chance(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int below(uint64_t *s, int n)
{
    return (int)(chance(s) * n);
}

static double moved(double x, int ulps)
{
    for (; ulps > 0; ulps--) x = nextafter(x, INFINITY);
    for (; ulps < 0; ulps++) x = nextafter(x, -INFINITY);
    return x;
}

// ---------------------------------------------------------------------------------------- in texts

enum { TEXT = 4000 };

/// x rises and falls with the same rate, and passes a level on each way.
typedef struct beside {
    double unit, rate, start, level, turn, stop;
    double at[2]; ///< when it passes the level
    int relation, form;
    char text[TEXT];
    size_t length;
} beside;

static void put(beside *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    b->length += (size_t)vsnprintf(b->text + b->length, TEXT - b->length, format, list);
    va_end(list);
}

// Instants around each crossing, by `sample` or relations of time.
static void put_instants(beside *b, uint64_t *s)
{
    static const int spreads[] = {4, 20, 60, 200};
    bool samples = chance(s) < 0.5;
    put(b, "  when {time > 1e300");
    for (int side = 0; side < 2; side++)
        for (int k = 1 + below(s, 4), spread = spreads[below(s, 4)]; k > 0; k--) {
            double t = moved(b->at[side] * b->unit, below(s, 2 * spread + 1) - spread);
            if (!(b->at[side] > 0 && b->at[side] < b->stop)) continue;
            put(b, samples ? ", sample(%.17g, 1e9)" : ", time >= %.17g", t);
        }
    put(b, "} then k = pre(k) + 1; s = sin(k) + 2; end when;\n");
}

static void draw(beside *b, uint64_t *s)
{
    static const double units[] = {1, 1, 0x1p-20, 1e-6, 1e3}, rates[] = {1, 2, 0.5, -1, -0.7, 1.1};
    static const double starts[] = {0, 0.1, -0.3, 0.05}, ways[] = {0.3, 0.7, 0.45, 0.8, 0.21};
    static const double turns[] = {1, 0.9, 1.3, 2};
    static const char *const relations[] = {">", ">=", "<", "<="};
    static const char *const forms[] = {"x %s L",
                                        "x - L %s 0",
                                        "2*x - L %s L",
                                        "max(x, L - 7) %s L",
                                        "abs(x - L + 5) %s 5",
                                        "(if x > L - 100 then x else 0) %s L"};
    memset(b, 0, sizeof *b);
    b->unit = units[below(s, 5)], b->rate = rates[below(s, 6)], b->start = starts[below(s, 4)];
    b->at[0] = ways[below(s, 5)], b->level = b->start + b->rate * b->at[0];
    b->turn = turns[below(s, 4)], b->stop = 1.94 * b->turn, b->at[1] = 2 * b->turn - b->at[0];
    b->relation = below(s, 4), b->form = below(s, 6);
    put(b, "model B\n  Real x(start = %.17g, fixed = true), q(start = 0, fixed = true);\n",
        b->start);
    put(b, "  Integer n(start = 0, fixed = true), k(start = 0, fixed = true); Boolean b;\n");
    put(b, "  discrete Real s(start = 1, fixed = true); parameter Real L = %.17g;\nequation\n",
        b->level);
    put(b, "  der(x) = if time < %.17g then %.17g else %.17g;\n", b->turn * b->unit,
        b->rate / b->unit, -b->rate / b->unit);
    put(b, "  der(q) = s/%.17g;\n  b = ", b->unit);
    put(b, forms[b->form], relations[b->relation]);
    put(b, ";\n  when b then n = pre(n) + 1; end when;\n");
    put_instants(b, s);
    put(b, "end B;\n");
}

// Between the crossings it is true or not, and not or true before and behind them.
static int rises(const beside *b)
{
    bool inside = (b->rate > 0) == (b->relation < 2);
    return inside || b->at[1] < b->stop ? 1 : 0;
}

static void try_text(uint64_t seed)
{
    static const char *const solvers[] = {"dp45", "dop853", "radau5", "rodas4", "adams", "bs23"};
    beside b;
    uint64_t s = seed << 20;
    draw(&b, &s);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "B.mo", .text = b.text}, &why);
    fo_run_def def = fo_default_run_def();
    def.stop = b.stop * b.unit, def.solver = solvers[below(&s, 6)], def.rtol = 1e-8;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_reference n;
    if (!sim)
        test_fail(__FILE__, __LINE__, "%s\n%s", why.text, b.text);
    else if (fo_simulation_advance(sim, def.stop) != FO_REACHED)
        test_fail(__FILE__, __LINE__, "%s\n%s", fo_simulation_message(sim)->text, b.text);
    else if (fo_system_find(fo_simulation_system(sim), "n", &n, NULL) == FO_OK &&
             fo_simulation_value(sim, n) != rises(&b))
        test_fail(__FILE__, __LINE__, "seed %llu, %s: it rises %g times, not %d\n%s",
                  (unsigned long long)seed, def.solver, fo_simulation_value(sim, n), rises(&b),
                  b.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(what_has_turned_waits_for_its_crossing)
{
    int count = test_inputs(200, 50000);
    for (int seed = 1; seed <= count; seed++) try_text((uint64_t)seed);
}

// ------------------------------------------------------------------------------------- in diagrams

/// x goes with a constant rate and is at `level` at tick `k`, but for rounding errors.
typedef struct sampled {
    double period, step, rate, start, level;
    int k, node;
    const char *solver;
} sampled;

enum { RELATION, SWITCH, RELAY, RELAYS, RELAY_AND_SWITCH, NODES };

static bool open_sampled(diagram_run *r, const sampled *p)
{
    static const char *const nodes[] = {
        [RELATION] = "{'name': 'b', 'type': 'Relational Operator', 'parameters': {'Relational "
                     "Operator': '>='}}, {'name': 'y', 'type': 'Data Type Conversion'}",
        [SWITCH] = "{'name': 'y', 'type': 'Switch', 'parameters': {'Threshold': %.17g}}",
        [RELAY] = "{'name': 'y', 'type': 'Relay', 'parameters': {'Switch on Point': %.17g, 'Switch "
                  "off Point': -100}}",
        [RELAYS] = "{'name': 'b', 'type': 'Relay', 'parameters': {'Switch on Point': %.17g, "
                   "'Switch off Point': -100}}, {'name': 'y', 'type': 'Relay', 'parameters': "
                   "{'Switch on Point': 0.5, 'Switch off Point': 0.2}}",
        [RELAY_AND_SWITCH] = "{'name': 'b', 'type': 'Relay', 'parameters': {'Switch on Point': "
                             "%.17g, 'Switch off Point': -100}}, {'name': 'y', 'type': 'Switch', "
                             "'parameters': {'Threshold': 0.5}}"};
    static const char *const lines[] = {
        [RELATION] = "{'from': 'x', 'to': 'b:1'}, {'from': 'c', 'to': 'b:2'}, {'from': 'b', 'to': "
                     "'y'}, {'from': 'zero', 'to': 't'}",
        [SWITCH] = "{'from': 'x', 'to': 'y:3'}, {'from': 'one', 'to': 'y:1'}, {'from': 'zero', "
                   "'to': 'y:2'}, {'from': 'c', 'to': 't'}",
        [RELAY] = "{'from': 'x', 'to': 'y'}, {'from': 'c', 'to': 't'}, {'from': 'zero', 'to': 'w'}",
        [RELAYS] = "{'from': 'x', 'to': 'b'}, {'from': 'b', 'to': 'y'}, {'from': 'c', 'to': 't'}, "
                   "{'from': 'zero', 'to': 'w'}",
        [RELAY_AND_SWITCH] =
            "{'from': 'x', 'to': 'b'}, {'from': 'b', 'to': 'y:3'}, {'from': 'one', "
            "'to': 'y:1'}, {'from': 'zero', 'to': 'y:2'}, {'from': 'c', 'to': 't'}"};
    char text[4000], node[1000];
    bool alone = p->node == RELAY || p->node == RELAYS;
    bool needs = p->node == SWITCH || p->node == RELAY_AND_SWITCH;
    snprintf(node, sizeof node, nodes[p->node], p->level);
    snprintf(text, sizeof text,
             "'simulation': {'integrator': '%s', 'step': %.17g}, 'nodes': [{'name': 'v', 'type': "
             "'Constant', 'parameters': {'Constant Value': %.17g}}, {'name': 'x', 'type': "
             "'Integrator', 'parameters': {'Initial Condition': %.17g}}, {'name': 'c', 'type': "
             "'Constant', 'parameters': {'Constant Value': %.17g}}, {'name': 'zero', 'type': "
             "'Ground'}, %s {'name': 't', 'type': 'Terminator'}, %s %s, {'name': 'h', 'type': "
             "'Zero-Order Hold', 'parameters': {'Sample Time': %.17g}}, {'name': 'e', 'type': "
             "'Display'}], 'lines': [{'from': 'v', 'to': 'x'}, %s %s, {'from': 'y', 'to': 'h'}, "
             "{'from': 'h', 'to': 'e'}]",
             p->solver, p->step, p->rate, p->start, p->level,
             alone ? "{'name': 'w', 'type': 'Terminator'}," : "",
             needs ? "{'name': 'one', 'type': 'Constant', 'parameters': {'Constant Value': 1}},"
                   : "",
             node, p->period, "", lines[p->node]);
    return open_run(r, text);
}

static void try_diagram(uint64_t seed)
{
    static const char *const solvers[] = {"dp45", "dop853", "radau5", "rodas4", "rk4", "bs23"};
    static const double periods[] = {0.1, 0.05, 0.2, 0.125, 0.3}, starts[] = {0, 0.1, -0.2};
    static const double rates[] = {1, 0.5, 0.3, 2, 0.7};
    uint64_t s = seed << 20;
    sampled p = {.period = periods[below(&s, 5)], .rate = rates[below(&s, 5)]};
    p.start = starts[below(&s, 3)], p.k = 1 + below(&s, 12), p.node = below(&s, NODES);
    p.step = p.period / (1 + below(&s, 3)), p.solver = solvers[below(&s, 6)];
    p.level = p.start + p.rate * (p.k * p.period);
    diagram_run r;
    if (!open_sampled(&r, &p)) return;
    for (int k = p.k - 1; k <= p.k + 1; k++) {
        double is = value_at(&r, (k + 0.5) * p.period, "e"), want = k >= p.k;
        if (is == want) continue;
        test_fail(__FILE__, __LINE__,
                  "seed %llu: node %d with %s at tick %d of %g s is %g (rate %g, level %g at %d)",
                  (unsigned long long)seed, p.node, p.solver, k, p.period, is, p.rate, p.level,
                  p.k);
        break;
    }
    close_run(&r);
}

TEST(what_is_sampled_has_turned)
{
    int count = test_inputs(200, 20000);
    for (int seed = 1; seed <= count; seed++) try_diagram((uint64_t)seed);
}

TEST_MAIN(TEST_ENTRY(what_has_turned_waits_for_its_crossing),
          TEST_ENTRY(what_is_sampled_has_turned))
