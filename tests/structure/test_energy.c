// Forces are the exact slopes of the energy, and second derivatives those of the forces.
#include "network.h"

static uint64_t noise = 1;

static double some(double around, double width)
{
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    return around + width * ((double)(noise >> 11) / 9007199254740992.0 - 0.5);
}

// Everything at once in `dim` dimensions, at a place where nothing is at rest.
static fo_structure *everything(int dim, fo_message *why)
{
    fo_structure_def def = {
        .dimension = dim, .gravity = {0.3, -9.81, 1}, .bowl = dim == 3 ? 0.7 : 0, .friction = 0.2};
    fo_structure *s = fo_structure_create(&def, why);
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.2, 1.1, 0}, {0.1, 0.3, 0.9}};
    for (int i = 0; s && i < dim + 1; i++) {
        fo_structure_node node = {.mass = 1 + i};
        for (int k = 0; k < dim; k++) node.position[k] = corner[i][k] + (dim == 1) * i * i;
        fo_structure_add_node(s, &node, NULL, why);
    }
    for (uint32_t i = 0; i < (uint32_t)dim; i++) {
        fo_spring_def spring = {.a = i, .b = i + 1, .energy = i % 2, .k = 3 + i};
        CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, why), FO_OK, why);
    }
    fo_bend_def bend = {(uint32_t[]){0, 1}, (double[]){2, -1.5}, 2, 4};
    CHECK_STATUS(fo_structure_add_bend(s, &bend, why), FO_OK, why);
    static const uint32_t edges[] = {0, 1, 1, 2, 2, 0};
    static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const uint32_t *facets = dim == 2 ? edges : triangles;
    uint32_t count = dim == 2 ? 3 : 4;
    for (int law = 0; law < 3 && dim > 1; law++) {
        fo_volume_def volume = {facets, count, (fo_volume_law)law, 2.5 + law};
        CHECK_STATUS(fo_structure_add_volume(s, &volume, why), FO_OK, why);
    }
    for (int i = 0; i < 2 && dim > 1; i++) {
        fo_skin_def skin = {facets, count, i ? 0 : 1.7, i ? 0.9 : 0};
        CHECK_STATUS(fo_structure_add_skin(s, &skin, why), FO_OK, why);
    }
    finish(s);
    return s;
}

TEST(forces_are_slopes)
{
    for (int dim = 1; dim <= 3; dim++) {
        fo_message why = {0};
        fo_structure *s = everything(dim, &why);
        REQUIRE(s);
        uint32_t n = foi_coordinates(s);
        double q[12], f[12], ignored[12];
        for (uint32_t c = 0; c < n; c++) q[c] = some(s->begin[c], 0.3);
        foi_load load = {0};
        foi_potential(s, &load, q, f);
        for (uint32_t c = 0; c < n; c++) {
            double h = 1e-5, at = q[c];
            q[c] = at + h;
            double up = foi_potential(s, &load, q, ignored);
            q[c] = at - h;
            double down = foi_potential(s, &load, q, NULL);
            q[c] = at;
            CHECK_NEAR(f[c], -(up - down) / (2 * h), 1e-7);
        }
        fo_structure_destroy(s);
    }
}

TEST(second_derivatives_are_slopes_of_forces)
{
    for (int dim = 1; dim <= 3; dim++) {
        fo_message why = {0};
        fo_structure *s = everything(dim, &why);
        REQUIRE(s);
        uint32_t n = foi_coordinates(s);
        double q[12], up[12], down[12], *values = calloc(foi_hessian_size(s), sizeof *values);
        for (uint32_t c = 0; c < n; c++) q[c] = some(s->begin[c], 0.3);
        foi_load load = {0};
        REQUIRE(foi_hessian(s, &load, q, values, &why) == FO_OK);
        for (uint32_t c = 0; c < n; c++) {
            double h = 1e-5, at = q[c];
            q[c] = at + h, foi_potential(s, &load, q, up);
            q[c] = at - h, foi_potential(s, &load, q, down);
            q[c] = at;
            for (uint32_t e = s->pattern_start[c]; e < s->pattern_start[c + 1]; e++) {
                uint32_t row = s->pattern_row[e] - n;
                CHECK_NEAR(values[e], -(up[row] - down[row]) / (2 * h), 1e-7);
                up[row] = down[row] = 0;
            }
            for (uint32_t r = 0; r < n; r++) CHECK(up[r] == down[r]); // nothing outside of it
        }
        free(values);
        fo_structure_destroy(s);
    }
}

// The Jacobian of the rates, with friction, a driven node and the bowl's displacement.
static void check_jacobian(bool flow_in)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .friction = 0.3, .friction_rate = 0.1, .bowl = 5};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_beam(s, 3, 0.2, 200, 100, 300);
    fix(s, 0, FO_FIXED), fix(s, 1, FO_FIXED_X);
    fo_port_def bowl = {.name = "shake", .node = FO_BOWL, .direction = {1}, .flow_in = flow_in};
    fo_port_def drive = {.name = "drive", .node = 5, .direction = {0, -1}, .flow_in = true};
    CHECK_STATUS(fo_structure_add_port(s, &bowl, NULL, &why), FO_OK, &why);
    CHECK_STATUS(fo_structure_add_port(s, &drive, NULL, &why), FO_OK, &why);
    finish(s);
    fo_system system = fo_structure_system(s);
    fo_run_def run = fo_default_run_def();
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    REQUIRE(sim);
    REQUIRE(fo_simulation_start(sim) == FO_OK);
    const fo_state *state = fo_simulation_state(sim);
    uint32_t n = s->shape.states;
    CHECK_INT(n, flow_in ? 26 : 24);
    double x[26], up[26], down[26], *values = calloc(s->pattern_start[n], sizeof *values);
    for (uint32_t c = 0; c < n; c++) x[c] = some(state->x[c], 0.1);
    REQUIRE(system.type->jacobian(s, state, 0, x, values) == FO_OK);
    for (uint32_t c = 0; c < n; c++) {
        double h = 1e-6, at = x[c];
        x[c] = at + h, system.type->rates(s, state, 0, x, up);
        x[c] = at - h, system.type->rates(s, state, 0, x, down);
        x[c] = at;
        for (uint32_t e = s->pattern_start[c]; e < s->pattern_start[c + 1]; e++) {
            uint32_t row = s->pattern_row[e];
            CHECK_NEAR(values[e], (up[row] - down[row]) / (2 * h), 2e-4);
            up[row] = down[row] = 0;
        }
        for (uint32_t r = 0; r < n; r++) CHECK(up[r] == down[r]);
    }
    free(values);
    fo_simulation_destroy(sim);
    fo_structure_destroy(s);
}

TEST(the_jacobian_is_that_of_the_rates)
{
    check_jacobian(true);
    check_jacobian(false);
}

TEST(an_effort_on_the_bowl_of_many_nodes_is_refused)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .bowl = 5};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    for (int i = 0; i < 1001; i++) add_node(s, 1, i, 0, 0);
    fo_port_def bowl = {.name = "shake", .node = FO_BOWL, .direction = {1}};
    CHECK_STATUS(fo_structure_add_port(s, &bowl, NULL, &why), FO_OK, &why);
    CHECK_STATUS(fo_structure_finish(s, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "up to 1000 nodes, found 1001");
    fo_structure_destroy(s);
}

TEST_MAIN(TEST_ENTRY(forces_are_slopes), TEST_ENTRY(second_derivatives_are_slopes_of_forces),
          TEST_ENTRY(the_jacobian_is_that_of_the_rates),
          TEST_ENTRY(an_effort_on_the_bowl_of_many_nodes_is_refused))
