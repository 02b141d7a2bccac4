// Leapfrog on threads: the same bits for any number of them, and the right motion.
#include "network.h"

// A block of n^3 nodes with springs to all 26 neighbours, shaken a little.
static fo_structure *block(uint32_t n, uint32_t threads, fo_spring_energy energy)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 3,
                            .gravity = {0, 0, -9.81},
                            .friction = 0.1,
                            .unaccounted = true,
                            .leapfrog = threads > 0,
                            .threads = threads};
    fo_structure *s = fo_structure_create(&def, &why);
    if (!s) return NULL;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < n; i++) {
                fo_structure_node node = {.mass = 1 + 0.1 * (i % 3),
                                          .position = {i, j, k},
                                          .velocity = {sin(i + 2.0 * j), cos(k + 1.0 * i), 0.1},
                                          .fixed = 0};
                if (!k) node.fixed = FO_FIXED, memset(node.velocity, 0, sizeof node.velocity);
                fo_structure_add_node(s, &node, NULL, &why);
            }
    for (uint32_t a = 0; a < n * n * n; a++)
        for (int d = 14; d < 27; d++) {
            uint32_t i = a % n + (uint32_t)(d % 3) - 1, j = a / n % n + (uint32_t)(d / 3 % 3) - 1;
            uint32_t k = a / n / n + (uint32_t)(d / 9) - 1;
            if (i >= n || j >= n || k >= n) continue;
            fo_spring_def spring = {.a = a, .b = (k * n + j) * n + i, .energy = energy, .k = 50};
            CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
        }
    fo_port_def port = {.name = "pull", .node = n * n * n - 1, .direction = {1, 1, 0}, .start = 3};
    CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
    finish(s);
    return s;
}

static fo_simulation *carry(const fo_structure *s, const char *solver, double step)
{
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = 0.2, run.step = step, run.solver = solver;
    fo_simulation *sim = fo_simulation_create(fo_structure_system(s), &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (sim) CHECK_STATUS(fo_simulation_advance(sim, 0.2), FO_REACHED, fo_simulation_message(sim));
    return sim;
}

TEST(the_same_bits_on_any_number_of_threads)
{
    for (int energy = 0; energy < 2; energy++) {
        enum { N = 21, STATES = 2 * 3 * N * N * N }; // enough for five threads
        double *first = NULL;
        for (uint32_t threads = 1; threads <= 5; threads++) {
            fo_structure *s = block(N, threads, (fo_spring_energy)energy);
            REQUIRE(s);
            fo_simulation *sim = carry(s, NULL, 0.01);
            REQUIRE(sim);
            CHECK_TEXT(fo_simulation_solver(sim)->name, "own");
            const double *x = fo_simulation_state(sim)->x;
            if (!first) first = memcpy(malloc(STATES * sizeof *x), x, STATES * sizeof *x);
            CHECK(memcmp(first, x, STATES * sizeof *x) == 0);
            fo_simulation_destroy(sim);
            fo_structure_destroy(s);
        }
        free(first);
    }
}

// Against an eighth-order method: the error has order 2.
TEST(it_converges_with_order_2)
{
    for (int energy = 0; energy < 2; energy++) {
        fo_structure *own = block(4, 2, (fo_spring_energy)energy);
        fo_structure *plain = block(4, 0, (fo_spring_energy)energy);
        REQUIRE(own && plain);
        fo_simulation *exact = carry(plain, "dop853", 0);
        double error[2];
        for (int i = 0; i < 2; i++) {
            fo_simulation *sim = carry(own, NULL, i ? 0.001 : 0.002);
            REQUIRE(sim && exact);
            error[i] = 0;
            for (uint32_t c = 0; c < 3 * 64; c++)
                error[i] = fmax(error[i], fabs(fo_simulation_state(sim)->x[c] -
                                               fo_simulation_state(exact)->x[c]));
            fo_simulation_destroy(sim);
        }
        CHECK(error[1] < 1e-3);
        CHECK_NEAR(log2(error[0] / error[1]), 2, 0.2);
        fo_simulation_destroy(exact);
        fo_structure_destroy(own);
        fo_structure_destroy(plain);
    }
}

TEST(what_does_not_fit_is_refused)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .leapfrog = true, .threads = 2};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_node(s, 1, 0, 0, 0), add_node(s, 1, 1, 0, 0);
    fo_spring_def spring = {.a = 0, .b = 1, .k = 1, .breaks = 1};
    CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
    CHECK_STATUS(fo_structure_finish(s, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "cannot have springs that break");
    fo_structure_destroy(s);
    s = block(2, 1, FO_SPRING_SQUARES);
    REQUIRE(s);
    double q[24] = {0};
    CHECK_STATUS(fo_structure_rest(s, NULL, q, NULL, &why), FO_ERROR_UNFIT, &why);
    fo_structure_destroy(s);
}

// The largest stable step is told, and is the one of a structure with a matrix.
TEST(an_unstable_step_is_told)
{
    for (int energy = 0; energy < 2; energy++) {
        fo_message why = {0};
        fo_structure *s = block(5, 2, (fo_spring_energy)energy);
        fo_structure *plain = block(5, 0, (fo_spring_energy)energy);
        REQUIRE(s && plain);
        double omega = fo_structure_highest(s, s->start);
        CHECK_NEAR(omega / fo_structure_highest(plain, plain->start), 1, 1e-9);
        CHECK(s->sure_step < 2 / omega && s->sure_step > 0.3 * 2 / omega);
        for (int above = 0; above < 2; above++) {
            fo_run_def run = fo_default_run_def();
            run.stop = 1, run.step = (above ? 1.01 : 0.9) * 2 / omega;
            fo_simulation *sim = fo_simulation_create(fo_structure_system(s), &run, &why);
            REQUIRE(sim);
            fo_status status = fo_simulation_advance(sim, 5 * run.step);
            CHECK_INT(status, above ? FO_ERROR_STEP : FO_REACHED);
            if (above) CHECK_CONTAINS(fo_simulation_message(sim)->text, "leapfrog is stable below");
            fo_simulation_destroy(sim);
        }
        fo_structure_destroy(s), fo_structure_destroy(plain);
    }
}

// Without an account only what is known is shown, and all of it is a number.
TEST(what_is_not_accounted_for_is_not_shown)
{
    static const char *const energies[] = {"energy_ports", "energy_friction", "energy_damage",
                                           "balance", "pull.energy"};
    for (uint32_t threads = 0; threads < 3; threads++) {
        fo_structure *s = block(3, threads, FO_SPRING_SQUARES);
        REQUIRE(s);
        fo_simulation *sim = carry(s, threads ? NULL : "leapfrog", 0.001);
        REQUIRE(sim);
        fo_system system = fo_structure_system(s);
        fo_reference which;
        CHECK_INT(system.about->outputs.count, 4);
        CHECK_INT(fo_system_shape(system).outputs, 4);
        for (uint32_t i = 0; i < 4; i++)
            CHECK(isfinite(fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i})));
        CHECK_INT(fo_system_find(system, "pull.flow", &which, NULL), FO_OK);
        size_t n = fo_simulation_state(sim)->shape.states / 2;
        const double *v = fo_simulation_state(sim)->x + 2 * n - 3; // the last node has the port
        CHECK_NEAR(fo_simulation_value(sim, which), (v[0] + v[1]) / sqrt(2), 1e-12);
        for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++)
            CHECK_INT(fo_system_find(system, energies[i], &which, NULL), FO_ERROR_ARGUMENT);
        fo_simulation_destroy(sim);
        fo_structure_destroy(s);
    }
}

TEST_MAIN(TEST_ENTRY(the_same_bits_on_any_number_of_threads), TEST_ENTRY(it_converges_with_order_2),
          TEST_ENTRY(what_does_not_fit_is_refused), TEST_ENTRY(an_unstable_step_is_told),
          TEST_ENTRY(what_is_not_accounted_for_is_not_shown))
