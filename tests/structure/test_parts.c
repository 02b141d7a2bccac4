// Premade parts against the theory of materials.
#include "network.h"

static const double pi = 3.14159265358979323846;
static const fo_material steel = {210e9, 0.3, 7850};

// A square section of 10 mm, 1 m long, clamped at the left.
static const double side = 0.01, length = 1;

static fo_structure *clamped_bar(uint32_t cells, double gravity, double friction_rate)
{
    fo_message why = {0};
    fo_structure_def def = {
        .dimension = 2, .gravity = {0, -gravity}, .friction_rate = friction_rate, .stiff = true};
    fo_structure *s = fo_structure_create(&def, &why);
    if (!s) return NULL;
    fo_part_def bar = {.kind = FO_PART_BAR,
                       .name = "beam",
                       .material = steel,
                       .to = {length},
                       .cells = {cells},
                       .area = side * side,
                       .inertia = pow(side, 4) / 12,
                       .clamp_from = true};
    CHECK_STATUS(fo_structure_add_part(s, &bar, NULL, &why), FO_OK, &why);
    add_port(s, "load", cells, 0, -1);
    finish(s);
    return s;
}

static double *start_of(const fo_structure *s)
{
    double *q = malloc(foi_coordinates(s) * sizeof *q);
    memcpy(q, s->start, foi_coordinates(s) * sizeof *q);
    return q;
}

TEST(a_clamped_steel_beam_bends_as_euler_and_bernoulli_say)
{
    double stiffness = steel.young * pow(side, 4) / 12, last = 0;
    for (uint32_t cells = 10; cells <= 40; cells *= 2) {
        fo_message why = {0};
        fo_structure *s = clamped_bar(cells, 0, 0);
        REQUIRE(s);
        double *q = start_of(s), force = 10;
        fo_rest rest;
        CHECK_STATUS(fo_structure_rest(s, &force, q, &rest, &why), FO_OK, &why);
        double expected = force * pow(length, 3) / (3 * stiffness);
        double error = -q[fo_structure_state(s, cells, 1)] / expected - 1;
        CHECK(fabs(error) < 0.02);
        if (cells == 20) CHECK_NEAR(log2(last / error), 2, 0.5);
        last = error;
        free(q);
        fo_structure_destroy(s);
    }
}

TEST(its_first_three_frequencies)
{
    static const double beta2[] = {3.5160152685, 22.0344915, 61.6972144};
    fo_message why = {0};
    fo_structure *s = clamped_bar(40, 0, 0);
    REQUIRE(s);
    double omega[3],
        unit = sqrt(steel.young * side * side / 12 / steel.density) / (length * length);
    double *shapes = malloc(3 * foi_coordinates(s) * sizeof *shapes);
    CHECK_STATUS(fo_structure_modes(s, s->start, 3, omega, shapes, &why), FO_OK, &why);
    for (int i = 0; i < 3; i++) CHECK_NEAR(omega[i] / (beta2[i] * unit), 1, 0.02);
    // the second mode has one node, the third has two
    for (int mode = 0; mode < 3; mode++) {
        int changes = 0;
        const double *shape = shapes + (size_t)mode * foi_coordinates(s);
        for (uint32_t i = 2; i <= 40; i++) changes += shape[2 * i + 1] * shape[2 * (i - 1) + 1] < 0;
        CHECK_INT(changes, mode);
    }
    free(shapes);
    fo_structure_destroy(s);
}

// Steel does not explode: a load put on at once swings the tip to twice the static deflection,
// half a period later.
TEST(steel_moves)
{
    static const char *const solvers[] = {"radau5", "cvode-bdf", "implicit-midpoint"};
    for (int i = 0; i < 3; i++) {
        fo_message why = {0};
        if (!fo_solver_find(solvers[i], &why)) continue;
        fo_structure *s = clamped_bar(10, 0, 0);
        REQUIRE(s);
        double omega, *q = start_of(s), force = 10;
        CHECK_STATUS(fo_structure_modes(s, s->start, 1, &omega, NULL, &why), FO_OK, &why);
        CHECK_STATUS(fo_structure_rest(s, &force, q, NULL, &why), FO_OK, &why);
        fo_run_def run = fo_default_run_def();
        run.stop = pi / omega, run.solver = solvers[i], run.rtol = 1e-5, run.atol = 1e-8;
        run.step = run.stop / 200; // 60 times what leapfrog stands
        fo_simulation *sim = fo_simulation_create(fo_structure_system(s), &run, &why);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_set(sim, "load", force), FO_OK, &why);
        CHECK_STATUS(fo_simulation_advance(sim, run.stop), FO_REACHED, fo_simulation_message(sim));
        uint32_t tip = fo_structure_state(s, 10, 1);
        // the first mode has 97 % of the deflection
        CHECK_NEAR(fo_simulation_state(sim)->x[tip] / (2 * q[tip]), 1, 0.04);
        CHECK(fo_simulation_statistics(sim).steps < 20000);
        fo_simulation_destroy(sim);
        free(q);
        fo_structure_destroy(s);
    }
}

// --------------------------------------------------------------------------------------- lattices

// Pulled evenly, a girder has the stress E strain and contracts by Poisson's ratio, exactly.
TEST(a_girder_has_its_moduli)
{
    static const double ratios[] = {0, 0.2, 0.3, 1.0 / 3, 0.45};
    for (int i = 0; i < 5; i++) {
        fo_message why = {0};
        fo_structure *s = fo_structure_create(&plane, &why);
        REQUIRE(s);
        fo_part_def girder = {.kind = FO_PART_GIRDER,
                              .name = "g",
                              .material = {2e6, ratios[i], 1000},
                              .to = {1.2, 0.4},
                              .cells = {5, 2},
                              .thickness = 0.1};
        uint32_t first;
        CHECK_STATUS(fo_structure_add_part(s, &girder, &first, &why), FO_OK, &why);
        CHECK_INT(fo_structure_nodes(s), 18);
        double mass = 0, force[3];
        for (uint32_t n = 0; n < 18; n++) mass += s->mass[n];
        CHECK_NEAR(mass, 1000 * 1.2 * 0.4 * 0.1, 1e-9);
        for (uint32_t j = 0; j < 3; j++) {
            char name[8] = {'p', (char)('0' + j), 0};
            fix(s, 6 * j, FO_FIXED_X);
            add_port(s, name, 6 * j + 5, 1, 0);
            force[j] = j == 1 ? 2 : 1;
        }
        fix(s, 0, FO_FIXED);
        finish(s);
        double *q = start_of(s), strain = 4 / (2e6 * 0.4 * 0.1);
        CHECK_STATUS(fo_structure_rest(s, force, q, NULL, &why), FO_OK, &why);
        CHECK_NEAR((q[2 * 5] - 1.2) / 1.2 / strain, 1, 1e-3);
        CHECK_NEAR((q[2 * 17 + 1] - 0.4) / 0.4 / strain, -ratios[i], 1e-3);
        free(q);
        fo_structure_destroy(s);
    }
}

// A block of rubber, pulled at its upper face.
TEST(a_block_has_its_moduli)
{
    static const double ratios[] = {0.1, 0.25, 0.4};
    for (int i = 0; i < 3; i++) {
        fo_message why = {0};
        fo_structure_def def = {.dimension = 3};
        fo_structure *s = fo_structure_create(&def, &why);
        REQUIRE(s);
        fo_part_def block = {.kind = FO_PART_BLOCK,
                             .name = "b",
                             .material = {1e6, ratios[i], 900},
                             .to = {0.2, 0.2, 0.3},
                             .cells = {2, 2, 3}};
        CHECK_STATUS(fo_structure_add_part(s, &block, NULL, &why), FO_OK, &why);
        CHECK_INT(fo_structure_nodes(s), 36);
        double mass = 0, force[9];
        for (uint32_t n = 0; n < 36; n++) mass += s->mass[n];
        CHECK_NEAR(mass, 900 * 0.012, 1e-9);
        for (uint32_t n = 0; n < 9; n++) {
            char name[8] = {'p', (char)('0' + n), 0};
            unsigned fixed = FO_FIXED_Z | (n == 0 ? FO_FIXED : 0) | (n == 1 ? FO_FIXED_Y : 0);
            fix(s, n, fixed);
            fo_port_def port = {.name = name, .node = 27 + n, .direction = {0, 0, 1}};
            CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
            force[n] = (n % 2 ? 2 : n == 4 ? 4 : 1) / 16.0;
        }
        finish(s);
        double *q = start_of(s), strain = 1 / (1e6 * 0.04);
        CHECK_STATUS(fo_structure_rest(s, force, q, NULL, &why), FO_OK, &why);
        CHECK_NEAR((q[3 * 27 + 2] - 0.3) / 0.3 / strain, 1, 1e-3);
        CHECK_NEAR((q[3 * 35] - 0.2) / 0.2 / strain, -ratios[i], 1e-3);
        free(q);
        fo_structure_destroy(s);
    }
}

// The same of a plate in space, whatever its ratio.
TEST(a_plate_has_its_moduli)
{
    static const double ratios[] = {-0.2, 0, 0.2, 0.3, 1.0 / 3, 0.45};
    for (int i = 0; i < 6; i++) {
        fo_message why = {0};
        fo_structure_def def = {.dimension = 3};
        fo_structure *s = fo_structure_create(&def, &why);
        REQUIRE(s);
        fo_part_def plate = {.kind = FO_PART_PLATE,
                             .name = "p",
                             .material = {2e6, ratios[i], 1000},
                             .to = {1.2, 0.4},
                             .cells = {5, 2},
                             .thickness = 0.1};
        CHECK_STATUS(fo_structure_add_part(s, &plate, NULL, &why), FO_OK, &why);
        double force[3];
        for (uint32_t j = 0; j < 3; j++) {
            char name[8] = {'p', (char)('0' + j), 0};
            fix(s, 6 * j, FO_FIXED_X | FO_FIXED_Z);
            fo_port_def port = {.name = name, .node = 6 * j + 5, .direction = {1}};
            CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
            force[j] = j == 1 ? 2 : 1;
        }
        fix(s, 0, FO_FIXED), fix(s, 5, FO_FIXED_Z);
        finish(s);
        double *q = start_of(s), strain = 4 / (2e6 * 0.4 * 0.1);
        CHECK_STATUS(fo_structure_rest(s, force, q, NULL, &why), FO_OK, &why);
        // bending at the edges is a little stretch's, too
        CHECK_NEAR((q[3 * 5] - 1.2) / 1.2 / strain, 1, 0.02);
        CHECK_NEAR((q[3 * 17 + 1] - 0.4) / 0.4 / strain, -ratios[i], 0.02);
        free(q);
        fo_structure_destroy(s);
    }
}

// A square plate, supported along its edges: omega = 2 pi^2 / a^2 sqrt(D / (rho t)).
TEST(a_supported_plate_rings)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 3};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    enum { N = 16 };
    double t = 0.005, bending = steel.young * t * t * t / (12 * (1 - 0.09)), omega;
    fo_part_def plate = {.kind = FO_PART_PLATE,
                         .name = "p",
                         .material = steel,
                         .to = {1, 1},
                         .cells = {N, N},
                         .thickness = t};
    CHECK_STATUS(fo_structure_add_part(s, &plate, NULL, &why), FO_OK, &why);
    for (uint32_t j = 0; j <= N; j++)
        for (uint32_t i = 0; i <= N; i++)
            if (i == 0 || j == 0 || i == N || j == N) fix(s, j * (N + 1) + i, FO_FIXED);
    finish(s);
    CHECK_STATUS(fo_structure_modes(s, s->start, 1, &omega, NULL, &why), FO_OK, &why);
    CHECK_NEAR(omega / (2 * pi * pi * sqrt(bending / (steel.density * t))), 1, 0.02);
    fo_structure_destroy(s);
}

// ------------------------------------------------------------------------------ lines and balloons

// A chain and a rope that hang: the stretch is rho g L^2 / (2 E).
TEST(a_chain_and_a_rope_hang)
{
    for (int rope = 0; rope < 2; rope++) {
        fo_message why = {0};
        fo_structure_def def = {.dimension = 3, .gravity = {0, -10}};
        fo_structure *s = fo_structure_create(&def, &why);
        REQUIRE(s);
        fo_part_def line = {.kind = rope ? FO_PART_ROPE : FO_PART_CHAIN,
                            .name = "line",
                            .material = {1e6, 0.3, 1000},
                            .from = {0, 10, 0},
                            .to = {0, 0, 0},
                            .cells = {20},
                            .area = 1e-4};
        CHECK_STATUS(fo_structure_add_part(s, &line, NULL, &why), FO_OK, &why);
        fix(s, 0, FO_FIXED);
        finish(s);
        CHECK_INT(fo_structure_find(s, "line.21"), 20);
        double *q = start_of(s);
        CHECK_STATUS(fo_structure_rest(s, NULL, q, NULL, &why), FO_OK, &why);
        CHECK_NEAR(-q[3 * 20 + 1], 1000 * 10 * 100 / (2 * 1e6), 0.01);
        free(q);
        fo_structure_destroy(s);
    }
}

// Laplace: p = sigma / r of a ring, 2 sigma / r of a sphere, where p V stays what it was.
TEST(a_balloon_finds_its_radius)
{
    for (int dim = 2; dim <= 3; dim++) {
        fo_message why = {0};
        fo_structure_def def = {.dimension = dim};
        fo_structure *s = fo_structure_create(&def, &why);
        REQUIRE(s);
        fo_part_def balloon = {.kind = FO_PART_BALLOON,
                               .name = "air",
                               .material = {.density = 1000, .poisson = 0},
                               .thickness = 1e-4,
                               .cells = {dim == 2 ? 40 : 6},
                               .centre = {1, 2, 0},
                               .radius = 0.1,
                               .tension = 5,
                               .pressure = 150};
        CHECK_STATUS(fo_structure_add_part(s, &balloon, NULL, &why), FO_OK, &why);
        CHECK_INT(fo_structure_nodes(s), dim == 2 ? 40 : 146);
        double exact = dim == 2 ? 2 * pi * 0.01 / 2 : 4.0 / 3 * pi * 0.001;
        CHECK_NEAR(s->volumes[0].begin / exact, 1, 0.05);
        fix(s, 0, FO_FIXED); // hold one node, else it may float and turn
        finish(s);
        double *q = start_of(s);
        fo_rest rest;
        CHECK_STATUS(fo_structure_rest(s, NULL, q, &rest, &why), FO_OK, &why);
        // ring: p r^2 = p0 r0^2, p = sigma / r; sphere: p r^3 = p0 r0^3, p = 2 sigma / r
        double radius = dim == 2 ? 150 * 0.01 / 5 : sqrt(150 * 0.001 / (2 * 5));
        double volume = foi_enclosed(s, &s->volumes[0], q);
        double found = dim == 2 ? sqrt(volume / pi) : cbrt(volume * 3 / (4 * pi));
        CHECK_NEAR(found / radius, 1, 0.03);
        free(q);
        fo_structure_destroy(s);
    }
}

// Two bars that meet are one: the node between them is shared and has the mass of both.
TEST(parts_are_joined_at_nodes)
{
    fo_message why = {0};
    fo_structure *s = fo_structure_create(&plane, &why);
    REQUIRE(s);
    fo_part_def bar = {.kind = FO_PART_CHAIN,
                       .name = "a",
                       .material = steel,
                       .to = {1},
                       .cells = {4},
                       .area = 1e-4,
                       .join = true};
    CHECK_STATUS(fo_structure_add_part(s, &bar, NULL, &why), FO_OK, &why);
    bar.name = "b", bar.from[0] = 1, bar.to[0] = 1, bar.to[1] = 1;
    CHECK_STATUS(fo_structure_add_part(s, &bar, NULL, &why), FO_OK, &why);
    CHECK_INT(fo_structure_nodes(s), 9);
    CHECK_NEAR(s->mass[4], s->mass[1], 1e-12);
    CHECK(fo_structure_find(s, "b.1") == UINT32_MAX && fo_structure_find(s, "b.2") == 5);
    fo_structure_destroy(s);
}

TEST(parts_that_make_no_sense_are_refused)
{
    const fo_part_def good = {.kind = FO_PART_BAR,
                              .name = "bar",
                              .material = steel,
                              .to = {1},
                              .cells = {4},
                              .area = 1e-4,
                              .inertia = 1e-9};
    fo_part_def wrong[7];
    static const char *const texts[] = {"Young's modulus must be positive, is -1",
                                        "the density must be positive, is 0",
                                        "Poisson's ratio must lie between -1 and 0.5, is 0.5",
                                        "needs cells along x",
                                        "the area must be positive, is 0",
                                        "the moment of inertia must be positive",
                                        "a block does not exist in 2 dimensions"};
    for (int i = 0; i < 7; i++) wrong[i] = good;
    wrong[0].material.young = -1;
    wrong[1].material.density = 0;
    wrong[2].material.poisson = 0.5;
    wrong[3].cells[0] = 0;
    wrong[4].area = 0;
    wrong[5].inertia = 0;
    wrong[6].kind = FO_PART_BLOCK;
    for (int i = 0; i < 7; i++) {
        fo_message why = {0};
        fo_structure *s = fo_structure_create(&plane, &why);
        REQUIRE(s);
        CHECK_STATUS(fo_structure_add_part(s, &wrong[i], NULL, &why), FO_ERROR_ARGUMENT, &why);
        CHECK_CONTAINS(why.text, "part 'bar'");
        CHECK_CONTAINS(why.text, texts[i]);
        fo_structure_destroy(s);
    }
}

TEST_MAIN(TEST_ENTRY(a_clamped_steel_beam_bends_as_euler_and_bernoulli_say),
          TEST_ENTRY(its_first_three_frequencies), TEST_ENTRY(steel_moves),
          TEST_ENTRY(a_girder_has_its_moduli), TEST_ENTRY(a_block_has_its_moduli),
          TEST_ENTRY(a_plate_has_its_moduli), TEST_ENTRY(a_supported_plate_rings),
          TEST_ENTRY(a_chain_and_a_rope_hang), TEST_ENTRY(a_balloon_finds_its_radius),
          TEST_ENTRY(parts_are_joined_at_nodes), TEST_ENTRY(parts_that_make_no_sense_are_refused))
