// Circuits without ground: the message names the potentials of the island that floats, all of them
// and nothing else, however small it is.
#include "../language/run.h"

#define PARTS                                                                                   \
    "  connector Pin Real v; flow Real i; end Pin;\n"                                           \
    "  model R parameter Real R = 1; Pin p, n; equation p.v - n.v = R*p.i; p.i + n.i = 0; end " \
    "R;\n"                                                                                      \
    "  model V parameter Real V = 1; Pin p, n; equation p.v - n.v = V; p.i + n.i = 0; end V;\n" \
    "  model C Pin p, n; Real u(start = 1, fixed = true); equation u = p.v - n.v;\n"            \
    "    der(u) = p.i; p.i + n.i = 0; end C;\n"                                                 \
    "  model D Pin p, n; equation p.i = 1e-9*(exp((p.v - n.v)/0.025) - 1);\n"                   \
    "    p.i + n.i = 0; end D;\n"                                                               \
    "  model G Pin p; equation p.v = 0; end G;\n"

// What the text is refused with, when it is opened or at its start.
static const char *refusal(const char *body)
{
    static fo_message why;
    char text[3000];
    why = (fo_message){0};
    snprintf(text, sizeof text, "model Circuit\n%s%send Circuit;\n", PARTS, body);
    fo_text_model_def def = {.path = "circuit.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    if (!model) return why.text;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), NULL, &why);
    if (sim && fo_simulation_advance(sim, 0) != FO_REACHED) why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return why.text;
}

static void check(const char *body, const char *const *nodes, int count, const char *other)
{
    const char *said = refusal(body);
    CHECK_CONTAINS(said, "singular");
    for (int i = 0; i < count; i++) CHECK_CONTAINS(said, nodes[i]);
    if (strstr(said, ".i") || (other && strstr(said, other)))
        test_fail(__FILE__, __LINE__, "blames what does not float: %s", said);
}

#define CHECK_ISLAND(body, other, ...)                                    \
    do {                                                                  \
        static const char *const nodes[] = {__VA_ARGS__};                 \
        check(body, nodes, (int)(sizeof nodes / sizeof nodes[0]), other); \
    } while (0)

TEST(the_potentials_of_a_floating_island_are_named)
{
    CHECK_ISLAND("  V s; R r;\nequation\n  connect(s.p, r.p); connect(s.n, r.n);\n", NULL, "s.p.v",
                 "s.n.v");
    CHECK_ISLAND("  V s; R a, b;\nequation\n"
                 "  connect(s.p, a.p); connect(a.n, b.p); connect(b.n, s.n);\n",
                 NULL, "s.p.v", "a.n.v", "b.n.v");
    CHECK_ISLAND("  C c; R r;\nequation\n  connect(c.p, r.p); connect(c.n, r.n);\n", NULL, "c.p.v",
                 "c.n.v");
    CHECK_ISLAND("  V s; R a; D d;\nequation\n"
                 "  connect(s.p, a.p); connect(a.n, d.p); connect(d.n, s.n);\n",
                 NULL, "s.p.v", "a.n.v", "d.n.v");
    CHECK_ISLAND("  V s; R a; C c;\nequation\n"
                 "  connect(s.p, a.p); connect(a.n, c.p); connect(c.n, s.n);\n",
                 NULL, "s.p.v", "a.n.v", "c.n.v");
}

TEST(a_grounded_part_beside_it_is_not_blamed)
{
    CHECK_ISLAND("  V s, s2; R a, b; G g;\nequation\n"
                 "  connect(s.p, a.p); connect(a.n, s.n); connect(g.p, s.n);\n"
                 "  connect(s2.p, b.p); connect(s2.n, b.n);\n",
                 "a.", "s2.p.v", "s2.n.v");
    CHECK_ISLAND("  V s; R a, b; G g;\nequation\n"
                 "  connect(s.p, a.p); connect(a.n, s.n); connect(g.p, s.n); connect(b.p, b.n);\n",
                 "s.", "b.p.v");
}

TEST_MAIN(TEST_ENTRY(the_potentials_of_a_floating_island_are_named),
          TEST_ENTRY(a_grounded_part_beside_it_is_not_blamed))
