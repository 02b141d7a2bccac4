// Networks that are mirrored about ground: +V on one side, -V on the other. What lies on the mirror
// has no voltage and no current, and of that rounding leaves something else in each step; the sides
// are equal but for their signs. Resistors over twelve decades, ideal switches open and closed, and
// parts whose current is zero by a parameter, as losses that are switched off.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foliot/foliot.h>

#include "test.h"

static const double nothing = 1e-14; ///< of the voltage: what rounding leaves of it elsewhere

static const char parts[] =
    "  connector Pin Real v; flow Real i; end Pin;\n"
    "  partial model Part Pin p, n; Real v, i;\n"
    "  equation v = p.v - n.v; i = p.i; p.i + n.i = 0; end Part;\n"
    "  model R extends Part; parameter Real R = 1; equation v = R*i; end R;\n"
    "  model S extends Part; parameter Boolean on = true; Real s;\n"
    "  equation v = s*(if on then 1e-5 else 1); i = s*(if on then 1 else 1e-5); end S;\n"
    "  model K extends Part; parameter Real P = 0; parameter Real C = 1;\n"
    "  equation i = if P <= 0 then 0 else C*v; end K;\n"
    "  model V parameter Real V = 1; Pin p, n; equation p.v - n.v = V; p.i + n.i = 0; end V;\n"
    "  model G Pin p; equation p.v = 0; end G;\n";

enum { NODES = 8, ELEMENTS = 64 };

typedef struct network {
    uint64_t state; ///< of the generator
    char declared[8192], connected[8192];
    size_t declares, connects;
    char pin[3][NODES][16]; ///< of each node one pin: sides a and b, the mirror m
    int elements, sides, mirror;
    struct {
        int of; ///< an element of side a, or one of the mirror itself
        bool mirrored;
    } seen[ELEMENTS];
    int seen_count;
} network;

static double uniform(network *w)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = w->state >> 11;
    return (double)(x ^ (x >> 27)) / (double)(UINT64_C(1) << 53);
}

static int below(network *w, int n)
{
    return (int)(n * uniform(w));
}

static void number(network *w, char *text, size_t size)
{
    static const double first[] = {1, 2, 4.7, 5, 9.1, 0.03};
    snprintf(text, size, "%ge%d", first[below(w, 6)], below(w, 13) - 6);
}

static void join(network *w, int side, int node, const char *pin)
{
    char *own = w->pin[side][node];
    if (own[0])
        w->connects +=
            (size_t)snprintf(w->connected + w->connects, sizeof w->connected - w->connects,
                             "  connect(%s, %s);\n", own, pin);
    else
        snprintf(own, sizeof w->pin[side][node], "%.15s", pin);
}

// What an element is, with its numbers; one of `kinds`.
static void draw(network *w, const char *kinds, char *text, size_t size)
{
    char value[40];
    char kind = kinds[below(w, (int)strlen(kinds))];
    number(w, value, sizeof value);
    if (kind == 'S')
        snprintf(text, size, "S e%%d(on = %s);\n", uniform(w) < 0.5 ? "true" : "false");
    else
        snprintf(text, size, "%c e%%d(%c = %s);\n", kind, kind == 'R' ? 'R' : 'C', value);
}

static int add(network *w, const char *what, int side, int node, int to_side, int to_node)
{
    char pin[16];
    int k = ++w->elements;
    w->declares +=
        (size_t)snprintf(w->declared + w->declares, sizeof w->declared - w->declares, "  ");
    char *at = w->declared + w->declares;
    const char *rest = strstr(what, "%d");
    w->declares += (size_t)snprintf(at, sizeof w->declared - w->declares, "%.*s%d%s",
                                    (int)(rest - what), what, k, rest + 2);
    snprintf(pin, sizeof pin, "e%d.p", k);
    join(w, side, node, pin);
    snprintf(pin, sizeof pin, "e%d.n", k);
    join(w, to_side, to_node, pin);
    return k;
}

// On both sides.
static void add_both(network *w, const char *kinds, int node, int to_side, int to_node)
{
    char what[80];
    draw(w, kinds, what, sizeof what);
    w->seen[w->seen_count].mirrored = false;
    w->seen[w->seen_count++].of = add(w, what, 0, node, to_side, to_node);
    add(w, what, 1, node, to_side == 0 ? 1 : to_side, to_node);
}

static void make(network *w, uint64_t number_of, double *V)
{
    char what[80], value[40];
    *w = (network){.state = number_of * UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (int k = 0; k < 8; k++) uniform(w);
    number(w, value, sizeof value);
    *V = strtod(value, NULL);
    w->declares = (size_t)snprintf(w->declared, sizeof w->declared,
                                   "  V vp(V = %s), vm(V = -%s); G g;\n", value, value);
    join(w, 0, 0, "vp.p"), join(w, 1, 0, "vm.p");
    join(w, 2, 0, "g.p"), join(w, 2, 0, "vp.n"), join(w, 2, 0, "vm.n");
    w->sides = 3 + below(w, 5), w->mirror = 2 + below(w, 4);
    for (int q = 1; q < w->sides; q++) add_both(w, "RRSS", q, 0, below(w, q));
    for (int q = 1; q < w->mirror; q++) add_both(w, "RRSS", below(w, w->sides), 2, q);
    for (int q = 1 + below(w, 6); q > 0; q--) {
        int i = below(w, w->sides), k = below(w, w->sides);
        if (i != k) add_both(w, "RSSK", i, 0, k);
    }
    for (int q = 1 + below(w, 5); q > 0; q--) {
        int i = below(w, w->mirror), k = below(w, w->mirror);
        if (i == k) continue;
        draw(w, "RSK", what, sizeof what);
        w->seen[w->seen_count].mirrored = true;
        w->seen[w->seen_count++].of = add(w, what, 2, i, 2, k);
    }
    for (int q = below(w, 4); q > 0; q--) {
        int i = below(w, w->sides);
        draw(w, "RSK", what, sizeof what);
        add(w, what, 0, i, 1, i);
    }
}

static double value(fo_simulation *sim, fo_system system, const char *name)
{
    fo_reference which;
    fo_message why;
    return fo_system_find(system, name, &which, &why) == FO_OK ? fo_simulation_value(sim, which)
                                                               : NAN;
}

static void check(fo_simulation *sim, fo_system system, const network *w, double V)
{
    char name[32];
    for (int q = 0; q < w->sides; q++) {
        snprintf(name, sizeof name, "%s.v", w->pin[0][q]);
        double a = value(sim, system, name);
        snprintf(name, sizeof name, "%s.v", w->pin[1][q]);
        double b = value(sim, system, name);
        CHECK(fabs(a + b) <= nothing * V);
        CHECK(fabs(a) <= V * (1 + nothing)); // nothing drives beyond the source
    }
    for (int q = 1; q < w->mirror; q++) {
        snprintf(name, sizeof name, "%s.v", w->pin[2][q]);
        CHECK(fabs(value(sim, system, name)) <= nothing * V);
    }
    for (int k = 0; k < w->seen_count; k++) {
        snprintf(name, sizeof name, "e%d.v", w->seen[k].of);
        double a = value(sim, system, name);
        snprintf(name, sizeof name, "e%d.v", w->seen[k].of + 1);
        if (w->seen[k].mirrored)
            CHECK(fabs(a) <= nothing * V);
        else
            CHECK(fabs(a + value(sim, system, name)) <= nothing * V);
    }
}

static void try_network(uint64_t number_of)
{
    static network w;
    static char text[32768];
    double V;
    fo_message why = {0};
    make(&w, number_of, &V);
    snprintf(text, sizeof text, "model Balanced\n%s%sequation\n%send Balanced;\n", parts,
             w.declared, w.connected);
    fo_text_model_def def = {.path = "balanced.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_run_def run = fo_default_run_def();
    run.stop = 1;
    fo_system system = model ? fo_text_model_system(model) : (fo_system){0};
    fo_simulation *sim = model ? fo_simulation_create(system, &run, &why) : NULL;
    if (sim && fo_simulation_advance(sim, 1) != FO_REACHED) why = *fo_simulation_message(sim);
    if (!sim || why.text[0])
        test_fail(__FILE__, __LINE__, "network %llu: %s", (unsigned long long)number_of, why.text);
    else
        check(sim, system, &w, V);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(what_lies_on_the_mirror_is_nothing)
{
    int count = test_inputs(250, 20000);
    for (int k = 0; k < count; k++) try_network((uint64_t)k);
}

TEST_MAIN(TEST_ENTRY(what_lies_on_the_mirror_is_nothing))
