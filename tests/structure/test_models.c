// The documents of models/: they are read, run as they say, and give the results in their readmes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structure/read.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

static fo_structure_document *open_model(const char *name)
{
    char path[512];
    fo_message why = {0};
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/%s.structure.json", name, name);
    fo_structure_document *d = fo_structure_read_file(path, NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    return d;
}

// A simulation as the document wants it.
static fo_simulation *simulation_of(const fo_structure_document *d)
{
    const foi_experiment *want = foi_structure_document_experiment(d);
    fo_run_def run = fo_default_run_def();
    fo_message why = {0};
    run.stop = want->stop, run.solver = want->solver, run.step = want->step;
    if (want->rtol > 0) run.rtol = want->rtol;
    if (want->atol > 0) run.atol = want->atol;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &run, &why);
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
    if (fo_system_find(fo_simulation_system(sim), name, &which, &why) == FO_OK)
        return fo_simulation_value(sim, which);
    test_fail(__FILE__, __LINE__, "%s", why.text);
    return NAN;
}

// Times at which a state passes a level, by steps of `step` and a line between them.
static int crossings(fo_simulation *sim, const char *name, double level, double from, double to,
                     double step, double *times, int most)
{
    int count = 0;
    double last = NAN;
    for (int i = 0; from + i * step <= to + step / 2 && count < most; i++) {
        double t = from + i * step;
        advance(sim, t);
        double now = value(sim, name) - level;
        if (i && now * last < 0) times[count++] = t - step * now / (now - last);
        last = now;
    }
    return count;
}

TEST(every_document_runs_and_its_energies_balance)
{
    static const char *const names[] = {"mass-on-a-spring", "mass-on-a-chain", "clamped-beam",
                                        "supported-beam",   "poissons-ratio",  "wave-in-a-beam",
                                        "mass-on-a-beam",   "balloon"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fo_structure_document *d = open_model(names[i]);
        REQUIRE(d);
        CHECK_TEXT(fo_structure_document_system(d).about->name, names[i]);
        fo_simulation *sim = simulation_of(d);
        REQUIRE(sim);
        advance(sim, foi_structure_document_experiment(d)->stop);
        double size = fabs(value(sim, "energy_ports")) + value(sim, "energy_friction");
        CHECK(fabs(value(sim, "balance")) < 1e-5 * size);
        fo_simulation_destroy(sim);
        fo_structure_document_destroy(d);
    }
}

TEST(mass_on_a_spring)
{
    fo_message why = {0};
    fo_structure_document *d = open_model("mass-on-a-spring");
    REQUIRE(d);
    double q[4] = {0, 0, 0, -1};
    CHECK_STATUS(fo_structure_rest(fo_structure_document_structure(d), NULL, q, NULL, &why), FO_OK,
                 &why);
    CHECK_NEAR(-1 - q[3], 0.18856344413430826, 1e-9);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 20);
    CHECK_NEAR(value(sim, "mass.y"), -1.188563, 0.004);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

TEST(mass_on_a_chain)
{
    fo_structure_document *d = open_model("mass-on-a-chain");
    REQUIRE(d);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 0);
    CHECK_NEAR(value(sim, "mass.y"), 2 - 0.32611211949682506, 1e-9);
    advance(sim, 1);
    CHECK_NEAR(value(sim, "mass.x"), -15.402011, 1e-4);
    CHECK_NEAR(value(sim, "energy"), 3048.768, 0.05);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

TEST(clamped_beam)
{
    fo_structure_document *d = open_model("clamped-beam");
    REQUIRE(d);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 60); // table 4 at 60 s with 10 N, friction 10
    CHECK_NEAR(-value(sim, "beam.3.1.y"), 0.09190847831035058, 2e-6);
    CHECK_NEAR(-value(sim, "beam.5.1.y"), 0.33108824076463367, 2e-6);
    CHECK_NEAR(-value(sim, "beam.7.1.y"), 0.6686845565938259, 4e-6);
    CHECK_NEAR(-value(sim, "beam.9.1.y"), 1.0561928817672803, 6e-6);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

// Static end, the print's appendix J to its digits where the swing is slow, and the crossings.
TEST(mass_on_a_beam)
{
    fo_structure_document *d = open_model("mass-on-a-beam");
    REQUIRE(d);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 0);
    CHECK_NEAR(value(sim, "mass.x"), 1, 1e-9);
    CHECK_NEAR(value(sim, "mass.y"), 1.7089176718563481, 1e-9);
    static const double printed[][5] = {{0.4, -2.4, 1.8, -21.1, 1.5},  {1.0, -10.0, 5.7, -5.8, 8.0},
                                        {1.7, -12.1, 8.4, -0.8, -0.4}, {2.5, -10.6, 5.8, 4.7, -4.2},
                                        {4.2, 0.1, 1.7, 5.0, -0.2},    {7.0, 2.6, 1.8, -1.3, -0.1}};
    static const char *const names[] = {"mass.x", "mass.y", "mass.vx", "mass.vy"};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        advance(sim, printed[i][0]);
        for (int k = 0; k < 4; k++) CHECK_NEAR(value(sim, names[k]), printed[i][k + 1], 0.25);
    }
    fo_simulation_destroy(sim);
    sim = simulation_of(d);
    REQUIRE(sim);
    double times[8];
    int count = crossings(sim, "mass.x", 1, 0.5, 14, 0.01, times, 8);
    CHECK(count >= 3);
    if (count >= 3) CHECK_NEAR(times[2] - times[0], 7.6, 0.4);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

// The lowest vibration along the beam, and the strong blow's crossings.
TEST(wave_in_a_beam)
{
    static const double expected[] = {0.4141972, 0.6839811, 1.0415729, 1.3136391};
    fo_message why = {0};
    fo_structure_document *d = open_model("wave-in-a-beam");
    REQUIRE(d);
    fo_structure *s = fo_structure_document_structure(d);
    uint32_t n = fo_structure_nodes(s) * 2;
    double omega[8], *shapes = malloc(8 * n * sizeof *shapes), q[32], period = 0;
    for (uint32_t c = 0; c < n; c++)
        q[c] = fo_structure_document_system(d).about->states.list[c].start;
    CHECK_STATUS(fo_structure_modes(s, q, 8, omega, shapes, &why), FO_OK, &why);
    // the first mode in which both columns go the same way, and along the beam
    for (int m = 7; m >= 0; m--) {
        double left = shapes[(size_t)m * n + n - 3], right = shapes[(size_t)m * n + n - 1];
        if (fabs(left) > 1e-3 && fabs(left - right) < 1e-6 * fabs(left)) period = 2 * pi / omega[m];
    }
    CHECK_NEAR(period, 0.5983194934166253, 1e-6);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    double times[4];
    CHECK_INT(crossings(sim, "beam.8.1.y", 14, 0.02, 2, 0.001, times, 4), 4);
    for (int i = 0; i < 4; i++) CHECK_NEAR(times[i], expected[i], 1e-5);
    fo_simulation_destroy(sim);
    free(shapes);
    fo_structure_document_destroy(d);
}

// Table 8 with its four masses: the first period along the beam, and m c^2 is the same for all.
TEST(wave_in_a_beam_with_other_masses)
{
    static const double masses[] = {1, 2, 4, 6};
    static const double periods[] = {0.4230757711109956, 0.5983194934166253, 0.8461515422219912,
                                     1.0363197617564825};
    for (int i = 0; i < 4; i++) {
        fo_message why = {0};
        char text[1024];
        // along the beam only the lowest mode is wanted: nothing moves sideways at the ends
        snprintf(text, sizeof text,
                 "{\"structure\": \"wave\", \"lattices\": [{\"name\": \"b\", \"columns\": 8, "
                 "\"rows\": 2, \"spacing\": 2, \"mass\": %g, \"corner_mass\": %g, \"along\": 200, "
                 "\"across\": 200, \"diagonal\": 200, \"axis\": \"y\"}], \"change\": [{\"node\": "
                 "\"b.1.1\", \"fixed\": true}, {\"node\": \"b.1.2\", \"fixed\": true}, "
                 "{\"node\": \"b.8.1\", \"fixed\": \"x\"}, {\"node\": \"b.8.2\", \"fixed\": "
                 "\"x\"}]}",
                 masses[i], masses[i] / 2);
        fo_structure_document *d = fo_structure_read("wave", text, strlen(text), NULL, &why);
        if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
        REQUIRE(d);
        double omega[8], shapes[8 * 32], q[32], period = 0;
        for (uint32_t c = 0; c < 32; c++)
            q[c] = fo_structure_document_system(d).about->states.list[c].start;
        fo_structure *s = fo_structure_document_structure(d);
        CHECK_STATUS(fo_structure_modes(s, q, 8, omega, shapes, &why), FO_OK, &why);
        for (int m = 7; m >= 0; m--) {
            double left = shapes[m * 32 + 29], right = shapes[m * 32 + 31];
            if (fabs(left) > 1e-3 && fabs(left - right) < 1e-6 * fabs(left))
                period = 2 * pi / omega[m];
        }
        CHECK_NEAR(period, periods[i], 1e-6);
        CHECK_NEAR(masses[i] * pow(4 * 14 / period, 2), 17520.2276, 0.01);
        fo_structure_document_destroy(d);
    }
}

TEST(steel_beam)
{
    fo_structure_document *d = open_model("steel-beam");
    REQUIRE(d);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 0.06); // half a period of 52.5 rad/s: nearly twice the static 19.05 mm
    CHECK_NEAR(value(sim, "beam.21.y"), -2 * 0.0190476 * 0.78, 0.004);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

TEST(balloon)
{
    fo_structure_document *d = open_model("balloon");
    REQUIRE(d);
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 3);
    CHECK_NEAR(value(sim, "air.1.x"), 0.2, 0.004);
    CHECK_NEAR(value(sim, "air.11.y"), 0.2, 0.004);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

TEST(quartic)
{
    fo_structure_document *d = open_model("quartic");
    REQUIRE(d);
    CHECK(fo_structure_document_hamiltonian(d) && !fo_structure_document_structure(d));
    fo_simulation *sim = simulation_of(d);
    REQUIRE(sim);
    advance(sim, 2 * 7.416298709205487);
    CHECK_NEAR(value(sim, "q"), 1, 1e-6);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

TEST_MAIN(TEST_ENTRY(every_document_runs_and_its_energies_balance), TEST_ENTRY(mass_on_a_spring),
          TEST_ENTRY(mass_on_a_chain), TEST_ENTRY(clamped_beam), TEST_ENTRY(mass_on_a_beam),
          TEST_ENTRY(wave_in_a_beam), TEST_ENTRY(wave_in_a_beam_with_other_masses),
          TEST_ENTRY(steel_beam), TEST_ENTRY(balloon), TEST_ENTRY(quartic))
