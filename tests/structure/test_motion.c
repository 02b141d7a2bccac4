// Structures that move: the document's swings, energy and its balance, ports, damage.
#include "network.h"

static const double g0 = 9.81;

static fo_simulation *simulate(const fo_structure *s, const char *solver, double step, double stop)
{
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.solver = solver, run.step = step, run.stop = stop;
    run.rtol = 1e-10, run.atol = 1e-11;
    fo_simulation *sim = fo_simulation_create(fo_structure_system(s), &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static void advance(fo_simulation *sim, double t)
{
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
}

static double value(fo_simulation *sim, const char *name)
{
    fo_reference which;
    fo_message why = {0};
    if (fo_system_find(fo_simulation_system(sim), name, &which, &why) != FO_OK) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return NAN;
    }
    return fo_simulation_value(sim, which);
}

// The document's chain: 10 kg at its end, 1 % friction, 1000 N to the left from 0.1 to 0.4 s.
static fo_structure *chain(double friction)
{
    static const double times[] = {0.1, 0.4}, forces[] = {1000, 0};
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .gravity = {0, -g0}, .friction = friction};
    fo_structure *s = fo_structure_create(&def, &why);
    if (!s) return NULL;
    for (int i = 0; i <= 10; i++)
        add_node(s, i == 10 ? 10 : 0.2, 0, 22 - 2 * i, i == 0 ? FO_FIXED : 0);
    for (uint32_t i = 0; i < 10; i++) add_spring(s, i, i + 1, 200);
    fo_port_def port = {.name = "push",
                        .node = 10,
                        .direction = {-1, 0},
                        .times = times,
                        .values = forces,
                        .changes = 2};
    CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
    finish(s);
    CHECK_STATUS(fo_structure_begin_at_rest(s, NULL, &why), FO_OK, &why);
    return s;
}

TEST(a_mass_on_a_chain_swings)
{
    static const double samples[][8] = {
        {0.4, -4.275406690300286, 1.8647489267887425, -27.140017921972394, 2.4920349611986152,
         3883.3478276386722, 641.6830448900514, 4525.030872528723},
        {1, -15.402011442194585, 7.877277885619478, -9.58302483940481, 16.031943821035714,
         1812.0890284938628, 1236.678939803769, 3048.767968297632},
        {2.5, -19.109404158830177, 21.352050521896373, 0.4884034451910791, 0.5039962580914819,
         2.5986589729157474, 2487.6157568052568, 2490.2144157781727},
        {4, -17.888486643530126, 12.024973815156656, 3.5699230317341013, -10.993302180493586,
         701.3628093180304, 1584.6705703017792, 2286.0333796198097},
    };
    fo_structure *s = chain(1);
    REQUIRE(s);
    fo_simulation *sim = simulate(s, "dop853", 0, 20);
    REQUIRE(sim);
    for (size_t i = 0; i < 4; i++) {
        advance(sim, samples[i][0]);
        static const char *const names[] = {"11.x",    "11.y",      "11.vx", "11.vy",
                                            "kinetic", "potential", "energy"};
        for (int k = 0; k < 7; k++) {
            double expected = samples[i][k + 1];
            CHECK_NEAR(value(sim, names[k]), expected, 2e-5 * (1 + fabs(expected)));
        }
        CHECK_NEAR(value(sim, "balance"), 0, 1e-6 * value(sim, "energy_ports"));
    }
    CHECK(value(sim, "energy_friction") > 500);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// Swings first to third reversal: 9.692 s.
TEST(the_chains_period)
{
    fo_structure *s = chain(1);
    REQUIRE(s);
    fo_simulation *sim = simulate(s, "dop853", 0, 20);
    REQUIRE(sim);
    double angle[3] = {0}, reversal[8];
    int reversals = 0;
    for (int i = 0; i <= 1300 && reversals < 3; i++) {
        advance(sim, i * 0.01);
        angle[0] = angle[1], angle[1] = angle[2];
        angle[2] = atan2(value(sim, "11.x"), 22 - value(sim, "11.y"));
        double a = angle[0] - angle[1], b = angle[2] - angle[1];
        if (i < 100 || a * b <= 0) continue;
        reversal[reversals++] = (i - 1) * 0.01 + 0.01 * (a - b) / (2 * (a + b));
    }
    REQUIRE(reversals == 3);
    CHECK_NEAR(reversal[0], 2.5484, 2e-3);
    CHECK_NEAR(reversal[2] - reversal[0], 9.6919, 3e-3);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// The clamped beam of table 5 after 60 s with 10 % friction, as the document measured it.
TEST(the_clamped_beam_after_a_minute)
{
    static const double printed[] = {0.141, 0.514, 1.041, 1.647};
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .friction = 10};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_beam(s, 9, 0.2, 100, 100, 300);
    fix(s, 0, FO_FIXED), fix(s, 1, FO_FIXED);
    add_port(s, "load", 16, 0, -1);
    finish(s);
    fo_simulation *sim = simulate(s, "radau5", 0, 60);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_set(sim, "load", 8), FO_OK, &why);
    advance(sim, 60);
    for (uint32_t k = 0; k < 4; k++)
        CHECK_NEAR(-fo_simulation_state(sim)->x[fo_structure_state(s, 4 * k + 4, 1)], printed[k],
                   0.0007);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// -------------------------------------------------------------------------------------- energies

static double balance_after(const char *solver, double step, double friction)
{
    fo_structure *s = chain(friction);
    if (!s) return NAN;
    fo_simulation *sim = simulate(s, solver, step, 2);
    double worst = 0;
    for (int i = 1; sim && i <= 20; i++) {
        advance(sim, 0.1 * i);
        worst = fmax(worst, fabs(value(sim, "balance")));
    }
    worst = sim ? worst / value(sim, "energy_ports") : NAN;
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
    return worst;
}

// What came through the port is in the structure: exactly to the method's own error.
// Bars of steel in a row, along a line, pulled at once: a quadratic energy. The implicit midpoint
// rule keeps it to rounding, with steps that are a hundred times longer than leapfrog stands.
TEST(the_midpoint_rule_keeps_a_quadratic_energy)
{
    enum { N = 20 };
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    for (int i = 0; i <= N; i++) add_node(s, 0.04, 0.05 * i, 0, i ? 0 : FO_FIXED);
    for (uint32_t i = 0; i < N; i++) {
        fo_spring_def bar = {.a = i, .b = i + 1, .energy = FO_SPRING_LENGTHS, .k = 4.2e8};
        CHECK_STATUS(fo_structure_add_spring(s, &bar, NULL, &why), FO_OK, &why);
    }
    add_port(s, "pull", N, 1, 0);
    finish(s);
    double h = 2 / fo_structure_highest(s, s->start);
    fo_run_def run = fo_default_run_def();
    run.solver = "implicit-midpoint", run.step = 100 * h, run.stop = 1e5 * h;
    fo_simulation *sim = fo_simulation_create(fo_structure_system(s), &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_set(sim, "pull", 1e4), FO_OK, &why);
    CHECK_STATUS(fo_simulation_advance(sim, run.stop), FO_REACHED, fo_simulation_message(sim));
    CHECK(value(sim, "energy") > 0.1);
    CHECK_NEAR(value(sim, "balance") / value(sim, "energy"), 0, 1e-10);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

TEST(the_balance_of_energies_closes)
{
    CHECK(balance_after("symplectic4", 4e-5, 0) < 1e-10);
    CHECK(balance_after("dop853", 0, 0) < 1e-7);
    CHECK(balance_after("dop853", 0, 1) < 1e-7);
    CHECK(balance_after("radau5", 0, 5) < 1e-6);
    double coarse = balance_after("leapfrog", 1e-3, 0), fine = balance_after("leapfrog", 5e-4, 0);
    CHECK_NEAR(log2(coarse / fine), 2, 0.3);
    coarse = balance_after("symplectic4", 1e-3, 0), fine = balance_after("symplectic4", 5e-4, 0);
    CHECK_NEAR(log2(coarse / fine), 4, 0.5);
}

// Leapfrog with a step beyond 2 / omega, and Euler: recognised long before numbers overflow.
TEST(an_unstable_step_is_told_with_the_largest_stable_one)
{
    fo_structure *s = chain(0);
    REQUIRE(s);
    double omega = fo_structure_highest(s, s->start);
    CHECK_NEAR(omega, 255.96, 0.5);
    fo_simulation *sim = simulate(s, "leapfrog", 1.05 * 2 / omega, 20);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 20), FO_ERROR_STEP, fo_simulation_message(sim));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "leapfrog is stable below 0.0078");
    fo_simulation_destroy(sim);
    sim = simulate(s, "euler", 1e-3, 20);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 20), FO_ERROR_STEP, fo_simulation_message(sim));
    CHECK(fo_simulation_time(sim) < 10);
    fo_simulation_destroy(sim);
    sim = simulate(s, "leapfrog", 0.6 * 2 / omega, 20); // coarse but stable
    REQUIRE(sim);
    advance(sim, 20);
    fo_simulation_destroy(sim);
    sim = simulate(s, "ab2", 1e-3, 5); // the document's method, at its step
    REQUIRE(sim);
    advance(sim, 5);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// ----------------------------------------------------------------------------------------- ports

// A node driven by a flow stretches a spring: effort k u t, energy 1/2 k (u t)^2.
TEST(flow_in_and_effort_out)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_node(s, 1, 0, 0, FO_FIXED), add_node(s, 1, 1, 0, 0);
    fo_spring_def spring = {.a = 0, .b = 1, .energy = FO_SPRING_LENGTHS, .k = 50};
    CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
    fo_port_def port = {.name = "pull", .node = 1, .direction = {1}, .flow_in = true, .start = 0.2};
    CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
    finish(s);
    fo_simulation *sim = simulate(s, "dop853", 0, 1);
    REQUIRE(sim);
    advance(sim, 1);
    CHECK_NEAR(value(sim, "2.x"), 1.2, 1e-12);
    CHECK_NEAR(value(sim, "pull.effort"), 50 * 0.2, 1e-10);
    CHECK_NEAR(value(sim, "pull.energy"), 0.5 * 50 * 0.04, 1e-10);
    CHECK_NEAR(value(sim, "balance"), 0, 1e-10);
    fo_simulation_destroy(sim);
    fo_run_def run = fo_default_run_def();
    run.solver = "leapfrog";
    sim = fo_simulation_create(fo_structure_system(s), &run, &why);
    CHECK(!sim); // positions do not all follow velocities
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// Two masses in the bowl, both ways. With effort F the massless bowl moves with the masses, which
// together get F: 3 kg from rest have F t^2 / 6 after t.
TEST(the_bowl_takes_effort_or_flow)
{
    for (int flow_in = 0; flow_in < 2; flow_in++) {
        fo_message why = {0};
        fo_structure_def def = {.dimension = 2, .bowl = 400};
        fo_structure *s = fo_structure_create(&def, &why);
        REQUIRE(s);
        add_node(s, 1, 0, 0, 0), add_node(s, 2, 1, 0, 0);
        fo_port_def port = {.name = "shake",
                            .node = FO_BOWL,
                            .direction = {1},
                            .flow_in = flow_in,
                            .start = flow_in ? 0.5 : 6};
        CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
        finish(s);
        fo_simulation *sim = simulate(s, flow_in ? "dop853" : "symplectic4", 1e-3, 2);
        REQUIRE(sim);
        advance(sim, 2);
        double centre = (value(sim, "1.x") + 2 * (value(sim, "2.x") - 1)) / 3;
        if (flow_in) { // node 1 hangs on a spring whose end moves: x = u (t - sin(w t) / w)
            double w = sqrt(400.0);
            CHECK_NEAR(value(sim, "1.x"), 0.5 * (2 - sin(w * 2) / w), 1e-8);
            CHECK_NEAR(value(sim, "R.x"), 1, 1e-12);
        } else {
            CHECK_NEAR(centre, 6 * 4.0 / 6, 1e-8);
        }
        CHECK(value(sim, "shake.energy") > 0);
        CHECK_NEAR(value(sim, "balance"), 0, 1e-6);
        fo_simulation_destroy(sim);
        fo_structure_destroy(s);
    }
}

// Two structures coupled by a controller: a spring between them as a system of its own, whose
// inputs are their flows and whose outputs their efforts. What leaves one comes into the other, or
// is in the spring.
static fo_status link_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)t, (void)x;
    dx[0] = s->u[1] - s->u[0];
    return FO_OK;
}

static fo_status link_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y)
{
    (void)model, (void)t, (void)s;
    y[0] = 40 * x[0], y[1] = -40 * x[0], y[2] = 20 * x[0] * x[0];
    return FO_OK;
}

static const fo_system_type link_type = {.kind = "C", .rates = link_rates, .observe = link_observe};
static const fo_description link_about = {
    .name = "link",
    .states = FO_VARIABLES({"stretch", "m", 0.1}),
    .inputs = FO_VARIABLES({"flow_a", "m/s"}, {"flow_b", "m/s"}),
    .outputs = FO_VARIABLES({"effort_a", "N"}, {"effort_b", "N"}, {"stored", "J"}),
};

static fo_structure *hanging_mass(double mass)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1};
    fo_structure *s = fo_structure_create(&def, &why);
    if (!s) return NULL;
    add_node(s, 1, 0, 0, FO_FIXED), add_node(s, mass, 1, 0, 0);
    add_spring(s, 0, 1, 5);
    fo_port_def port = {.name = "end", .node = 1, .direction = {1}, .connected = true};
    CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
    finish(s);
    return s;
}

TEST(structures_are_coupled_through_their_ports)
{
    fo_message why = {0};
    fo_structure *a = hanging_mass(1), *b = hanging_mass(3);
    REQUIRE(a && b);
    fo_component parts[] = {{"a", fo_structure_system(a)},
                            {"b", fo_structure_system(b)},
                            {"link", {&link_type, &link_about, NULL}}};
    uint32_t flow = FOI_OUTPUTS;
    fo_connection wires[] = {{0, flow, 2, 0}, {1, flow, 2, 1}, {2, 0, 0, 0}, {2, 1, 1, 0}};
    fo_composition_def def = {.name = "coupled",
                              .parts = parts,
                              .part_count = 3,
                              .connections = wires,
                              .connection_count = 4};
    fo_composition *whole = fo_compose(&def, &why);
    if (!whole) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(whole);
    fo_run_def run = fo_default_run_def();
    run.stop = 2, run.rtol = 1e-10, run.atol = 1e-12, run.max_step = 1e-3;
    fo_simulation *sim = fo_simulation_create(fo_composition_system(whole), &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
    double through = value(sim, "a.end.energy") + value(sim, "b.end.energy");
    CHECK_NEAR(value(sim, "a.energy") + value(sim, "b.energy") + value(sim, "link.stored"),
               20 * 0.01, 1e-8);
    CHECK_NEAR(through + value(sim, "link.stored"), 20 * 0.01, 1e-6);
    CHECK_NEAR(value(sim, "a.balance"), 0, 1e-6);
    CHECK(fabs(value(sim, "a.end.energy")) > 1e-3);
    fo_simulation_destroy(sim);
    fo_composition_destroy(whole);
    fo_structure_destroy(a);
    fo_structure_destroy(b);
}

// ---------------------------------------------------------------------------------------- damage

// A mass on a spring that is torn off: from rest it swings down to twice the static stretch.
TEST(a_spring_breaks_at_its_strain)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1, .gravity = {-10}};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_node(s, 1, 0, 0, FO_FIXED), add_node(s, 1, -1, 0, 0);
    fo_spring_def spring = {.a = 0, .b = 1, .energy = FO_SPRING_LENGTHS, .k = 100, .breaks = 0.15};
    CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
    finish(s);
    fo_simulation *sim = simulate(s, "dop853", 0, 1);
    REQUIRE(sim);
    // stretch 0.1 (1 - cos 10 t) = 0.15 at cos = -0.5
    double breaks = acos(-0.5) / 10, speed = sin(10 * breaks);
    advance(sim, breaks - 1e-6);
    CHECK_NEAR(value(sim, "spring1.whole"), 1, 0);
    advance(sim, breaks + 1e-6);
    CHECK_NEAR(value(sim, "spring1.whole"), 0, 0);
    advance(sim, breaks + 0.5);
    CHECK_NEAR(value(sim, "2.x"), -1.15 - speed * 0.5 - 5 * 0.25, 1e-7);
    CHECK_NEAR(value(sim, "energy_damage"), 0.5 * 100 * 0.15 * 0.15, 1e-7);
    CHECK_NEAR(value(sim, "balance"), 0, 1e-7);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

// A mass thrown outwards stretches its spring beyond 0.1: then it decelerates evenly, stops, and
// swings around the new length.
TEST(a_spring_yields_and_keeps_its_new_length)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_node(s, 1, 0, 0, FO_FIXED);
    fo_structure_node node = {.mass = 1, .position = {1}, .velocity = {2}};
    CHECK_STATUS(fo_structure_add_node(s, &node, NULL, &why), FO_OK, &why);
    fo_spring_def spring = {.a = 0, .b = 1, .energy = FO_SPRING_LENGTHS, .k = 100, .yields = 0.1};
    CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
    finish(s);
    fo_simulation *sim = simulate(s, "dop853", 0, 3);
    REQUIRE(sim);
    advance(sim, 3);
    // 1/2 v^2 = 2 J; 0.5 J are elastic, 1.5 J go into flowing with 10 N: 0.15 m
    CHECK_NEAR(value(sim, "energy_damage"), 1.5, 1e-7);
    CHECK_NEAR(value(sim, "spring1.length"), 1.15, 1e-8);
    CHECK_NEAR(value(sim, "energy"), 0.5, 1e-7);
    CHECK_NEAR(value(sim, "balance"), 0, 1e-7);
    // it yields once and stops; every later swing reaches the same force but for rounding
    uint64_t moments = fo_simulation_statistics(sim).moments;
    CHECK(moments >= 2 && moments % 2 == 0);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

TEST(the_same_bits_again)
{
    double end[2][44];
    for (int i = 0; i < 2; i++) {
        fo_structure *s = chain(1);
        REQUIRE(s);
        fo_simulation *sim = simulate(s, "leapfrog", 1e-3, 1);
        REQUIRE(sim);
        for (int k = 1; k <= (i ? 7 : 1); k++) advance(sim, i ? k / 7.0 : 1);
        memcpy(end[i], fo_simulation_state(sim)->x, sizeof end[i]);
        fo_simulation_destroy(sim);
        fo_structure_destroy(s);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

TEST_MAIN(TEST_ENTRY(a_mass_on_a_chain_swings), TEST_ENTRY(the_chains_period),
          TEST_ENTRY(the_clamped_beam_after_a_minute), TEST_ENTRY(the_balance_of_energies_closes),
          TEST_ENTRY(the_midpoint_rule_keeps_a_quadratic_energy),
          TEST_ENTRY(an_unstable_step_is_told_with_the_largest_stable_one),
          TEST_ENTRY(flow_in_and_effort_out), TEST_ENTRY(the_bowl_takes_effort_or_flow),
          TEST_ENTRY(structures_are_coupled_through_their_ports),
          TEST_ENTRY(a_spring_breaks_at_its_strain),
          TEST_ENTRY(a_spring_yields_and_keeps_its_new_length), TEST_ENTRY(the_same_bits_again))
