// Differential-algebraic equations whose states are chosen in the run: what must hold whatever is
// chosen, whichever the solver, and what must not go on in silence.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/chain.h"

static fo_run_def run_of(double stop, double rtol)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.rtol = rtol;
    return def;
}

static const chain two = {2, {1, 1}, {1, 1}, {0, 0}, 0, 1};
static const chain three = {3, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, 1};

// Released from the horizontal, over 100 s of chaos: the energy stays within 1e-6.
TEST(pendulums_keep_their_energy)
{
    int stop = test_count(20, 100);
    double error = energy_error(&two, run_of(stop, 1e-8), 10 * stop);
    printf("energy error of the double pendulum %.2g, ", error);
    CHECK(error < 1e-6);
    error = energy_error(&three, run_of(stop, 1e-8), 10 * stop);
    printf("of the triple one %.2g\n", error);
    CHECK(error < 1e-6);
}

// The same of pendulums in the coordinates of their masses, looked at between steps as well.
TEST(masses_on_rods_keep_their_energy)
{
    for (int links = 1; links <= test_count(1, 4); links++) {
        char text[4000], energy[1000] = "0";
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "model P\n  Real x0 = 0, y0 = 0, E, F%d = 0,", links + 1);
        n += (size_t)snprintf(text + n, sizeof text - n, " x%d = 0, y%d = 0;\n", links + 1,
                              links + 1);
        for (int i = 1; i <= links; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  Real x%d(start = %d), y%d(start = 0), u%d(start = 0), "
                                  "v%d(start = 0), F%d;\n",
                                  i, i, i, i, i, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "equation\n");
        for (int i = 1; i <= links; i++) {
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "  (x%d - x%d)^2 + (y%d - y%d)^2 = 1; der(x%d) = u%d; der(y%d) = v%d;\n"
                "  der(u%d) = -F%d*(x%d - x%d) + F%d*(x%d - x%d);\n"
                "  der(v%d) = -F%d*(y%d - y%d) + F%d*(y%d - y%d) - 9.81;\n",
                i, i - 1, i, i - 1, i, i, i, i, i, i, i, i - 1, i + 1, i + 1, i, i, i, i, i - 1,
                i + 1, i + 1, i);
            size_t m = strlen(energy);
            snprintf(energy + m, sizeof energy - m, " + 9.81*y%d + (u%d^2 + v%d^2)/2", i, i, i);
        }
        snprintf(text + n, sizeof text - n, "  E = %s;\nend P;\n", energy);
        world w;
        int stop = test_count(20, 100);
        fo_run_def def = run_of(stop, 1e-8);
        double most = 0;
        if (world_begin(&w, text, &def))
            for (int k = 1; k <= 100 * stop; k++)
                most = fmax(most, fabs(world_at(&w, 0.01 * k, "E")));
        world_end(&w);
        printf("%d links: %.2g\n", links, most);
        CHECK(most < 1e-6);
    }
}

// What the model says of the start counts more than the zeros that it does not say.
TEST(start_values_that_are_given_count)
{
    static const char *const rod = "F;\nequation\n  x^2 + y^2 = 1; der(x) = u; der(y) = v;\n"
                                   "  der(u) = -F*x; der(v) = -F*y - 9.81;\nend M;\n";
    static const struct {
        const char *declared, *name;
        double value;
    } all[] = {{"x(start = 0.6), y(start = -0.8), u, v(start = 1.5)", "v", 1.5},
               {"x(start = 0.6), y(start = -0.8), u(start = 2), v", "u", 2},
               {"x(start = 0.6), y, u, v", "x", 0.6},
               {"x, y(start = -0.6), u, v", "y", -0.6},
               {"x(start = 1), y, u, v", "x", 1},
               {"x(start = 1.5), y, u, v", "x", 1}};
    fo_run_def def = run_of(1, 1e-8);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[600];
        world w;
        snprintf(text, sizeof text, "model M\n  Real %s, %s", all[i].declared, rod);
        if (world_begin(&w, text, &def)) {
            CHECK_STATUS(fo_simulation_start(w.sim), FO_OK, fo_simulation_message(w.sim));
            double is = world_value(&w, all[i].name);
            if (!(fabs(is - all[i].value) < 1e-12))
                test_fail(__FILE__, __LINE__, "%s: %s = %g", all[i].declared, all[i].name, is);
        }
        world_end(&w);
    }
    static const char *const shafts[] = {"a, b(start = 3)", "b(start = 3), a", "a(start = 6), b"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        world w;
        snprintf(text, sizeof text,
                 "model M\n  Real %s, T;\nequation\n  a = 2*b; der(a) = T - a; 3*der(b) = -2*T;\n"
                 "end M;\n",
                 shafts[i]);
        if (world_begin(&w, text, &def)) {
            CHECK_STATUS(fo_simulation_start(w.sim), FO_OK, fo_simulation_message(w.sim));
            CHECK_NEAR(world_value(&w, "b"), 3, 1e-12);
        }
        world_end(&w);
    }
}

// A slider crank can be put together in two ways. Which one is said by the slider's start value,
// however fast the crank turns: the velocity that follows is near zero in neither.
TEST(positions_say_how_a_crank_is_put_together)
{
    uint64_t seed = 29;
    for (int k = 0; k < test_count(40, 400); k++) {
        double r = random_of(&seed, 0.2, 0.6), l = r * random_of(&seed, 1.3, 3),
               a = random_of(&seed, -3, 3);
        double w = random_of(&seed, -20, 20), side = k % 2 ? 1 : -1;
        double s = r * cos(a) + side * sqrt(l * l - r * r * sin(a) * sin(a));
        char text[700];
        world c;
        fo_run_def def = run_of(1, 1e-8);
        snprintf(
            text, sizeof text,
            "model Crank\n  Real a(start = %.17g, fixed = true), w(start = %.17g, fixed = true);\n"
            "  Real s(start = %.17g), v%s, F, px, py;\nequation\n"
            "  px = %.17g*cos(a); py = %.17g*sin(a); (s - px)^2 + py^2 = %.17g^2;\n"
            "  der(a) = w; der(s) = v; 0.3*der(v) = -F*(s - px);\n"
            "  0.4*der(w) = 0.35 - px*F*py - py*F*(s - px);\nend Crank;\n",
            a, w, s * random_of(&seed, 0.9, 1.1), k % 3 ? "" : "(start = 0)", r, r, l);
        if (world_begin(&c, text, &def)) {
            CHECK_STATUS(fo_simulation_start(c.sim), FO_OK, fo_simulation_message(c.sim));
            double is = world_value(&c, "s");
            if (!(fabs(is - s) < 1e-9))
                test_fail(__FILE__, __LINE__, "r %g, l %g, a %g, w %g: s = %g, not %g", r, l, a, w,
                          is, s);
        }
        world_end(&c);
    }
}

// The double pendulum in angles, a program without constraints.
static const char *const angles =
    "model Angles\n"
    "  Real a(start = 0, fixed = true), b(start = 0, fixed = true);\n"
    "  Real w(start = 0, fixed = true), v(start = 0, fixed = true);\n"
    "equation\n"
    "  der(a) = w; der(b) = v;\n"
    "  2*der(w) + der(v)*cos(a - b) + v^2*sin(a - b) + 2*9.81*cos(a) = 0;\n"
    "  der(w)*cos(a - b) + der(v) - w^2*sin(a - b) + 9.81*cos(b) = 0;\n"
    "end Angles;\n";

// Within 6 s errors grow by less than 1e3.
TEST(double_pendulum_as_in_angles)
{
    fo_run_def def = run_of(6, 1e-11);
    def.atol = 1e-13;
    world w, a;
    if (world_begin(&w, chain_text(&two), &def) && world_begin(&a, angles, &def)) {
        for (double t = 0.25; t <= 6; t += 0.25) {
            double x = cos(world_at(&a, t, "a")), y = sin(world_value(&a, "a"));
            CHECK_NEAR(world_at(&w, t, "x0"), x, 1e-7);
            CHECK_NEAR(world_value(&w, "y0"), y, 1e-7);
            CHECK_NEAR(world_value(&w, "x1"), x + cos(world_value(&a, "b")), 1e-7);
            CHECK_NEAR(world_value(&w, "y1"), y + sin(world_value(&a, "b")), 1e-7);
        }
        world_end(&a);
    }
    world_end(&w);
}

// Every solver, at its own accuracy.
TEST(with_every_solver)
{
    static const struct {
        const char *name;
        double within;
    } all[] = {{"rk4", 1e-5},         {"ab3", 1e-3},      {"implicit-midpoint", 1e-2},
               {"bs23", 1e-4},        {"dp45", 1e-5},     {"rkv56", 1e-5},
               {"adams", 1e-5},       {"rodas4", 1e-4},   {"radau5", 1e-5},
               {"cvode-adams", 1e-4}, {"cvode-bdf", 1e-3}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
#ifndef FOI_WITH_SUNDIALS
        if (strncmp(all[i].name, "cvode", 5) == 0) continue;
#endif
        fo_run_def def = run_of(4, 1e-7);
        def.solver = all[i].name, def.step = 0.002;
        double error = energy_error(&two, def, 40);
        if (!(error < all[i].within)) test_fail(__FILE__, __LINE__, "%s: %g", all[i].name, error);
    }
}

// Chains of up to six links, with lengths and masses that differ by a factor of 50, in a frame that
// is turned at random.
TEST(random_chains)
{
    for (uint64_t seed = 1; seed <= (uint64_t)test_count(4, 30); seed++) {
        chain c = random_chain(seed);
        double error = energy_error(&c, run_of(4, 1e-8), 40);
        if (!(error < 1e-6))
            test_fail(__FILE__, __LINE__, "chain %u: energy %g", (unsigned)seed, error);
    }
}

static void compare(const chain *c, const chain *d, double within)
{
    world v, w;
    fo_run_def def = run_of(3, 1e-10);
    double turn = d->turn - c->turn, size = d->size / c->size;
    def.atol = 1e-12 * c->size;
    bool good = world_begin(&v, chain_text(c), &def);
    def.atol = 1e-12 * d->size;
    good = world_begin(&w, chain_text(d), &def) && good;
    for (int k = 1; k <= 12 && good; k++)
        for (int i = 0; i < c->links; i++) {
            world_at(&v, 0.25 * k, "x0"), world_at(&w, 0.25 * k, "x0");
            double x = value_of(&v, "x", i), y = value_of(&v, "y", i);
            double far = 0;
            for (int m = 0; m <= i; m++) far += c->length[m] * c->size;
            CHECK_NEAR((x * cos(turn) - y * sin(turn)) / far, value_of(&w, "x", i) / size / far,
                       within);
            CHECK_NEAR((x * sin(turn) + y * cos(turn)) / far, value_of(&w, "y", i) / size / far,
                       within);
        }
    world_end(&v);
    world_end(&w);
}

// The same motion in turned coordinates, where other variables are chosen, and in units of any
// size.
TEST(turned_and_scaled)
{
    chain c = {3, {1, 0.7, 1.3}, {1, 2, 0.5}, {0.3, -0.4, 1}, 0, 1};
    for (int k = 0; k < 4; k++) {
        chain d = c;
        d.turn = 0.8 * k, d.size = k == 1 ? 1e-9 : k == 2 ? 1e9 : 1;
        compare(&c, &d, 1e-6);
    }
}

// A run in pieces, and one that goes on from a snapshot: the same bits.
TEST(pieces_and_snapshots)
{
    world w;
    fo_run_def def = run_of(10, 1e-7);
    if (world_begin(&w, chain_text(&three), &def)) {
        double x = world_at(&w, 10, "x2"), y = world_value(&w, "v2");
        fo_simulation_destroy(w.sim);
        w.sim = fo_simulation_create(foi_program_system(w.program), &def, &w.why);
        fo_snapshot *snapshot = NULL;
        for (int k = 1; k <= 97; k++) {
            world_at(&w, 10 * k / 97.0, "x0");
            if (k == 41) snapshot = fo_simulation_snapshot(w.sim);
        }
        CHECK(world_value(&w, "x2") == x && world_value(&w, "v2") == y);
        REQUIRE(snapshot);
        CHECK_STATUS(fo_simulation_restore(w.sim, snapshot), FO_OK, NULL);
        CHECK(world_at(&w, 10, "x2") == x && world_value(&w, "v2") == y);
        fo_snapshot_destroy(snapshot);
    }
    world_end(&w);
}

// Bytecode and machine code: the same bits.
TEST(every_way_of_running)
{
    static char folder[] = "/tmp/foliot-test-XXXXXX";
    char command[64];
    world v, w;
    fo_message why;
    fo_run_def def = run_of(5, 1e-7);
    REQUIRE(mkdtemp(folder));
    bool good = world_begin(&v, chain_text(&three), &def);
    good = world_begin(&w, chain_text(&three), &def) && good;
    if (good) {
        CHECK_STATUS(foi_program_compile(w.program, folder, &why), FO_OK, &why);
        CHECK(foi_program_is_native(w.program));
        for (int k = 1; k <= 50; k++) {
            CHECK(world_at(&v, 0.1 * k, "x2") == world_at(&w, 0.1 * k, "x2"));
            CHECK(world_value(&v, "v0") == world_value(&w, "v0"));
        }
    }
    world_end(&v);
    world_end(&w);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}

// Constraints of three coordinates, one that moves with time, and one of velocities alone.
TEST(other_constraints)
{
    world w;
    fo_run_def def = run_of(10, 1e-10);
    if (world_begin(
            &w,
            "model Sphere\n"
            "  Real x(start = 0.6, fixed = true), y(start = 0, fixed = true), z(start = -0.8);\n"
            "  Real u(start = 0, fixed = true), v(start = 4, fixed = true), w, F, E, L;\n"
            "equation\n"
            "  der(x) = u; der(y) = v; der(z) = w;\n"
            "  der(u) = -F*x; der(v) = -F*y; der(w) = -F*z - 9.81;\n"
            "  x^2 + y^2 + z^2 = 1; E = (u^2 + v^2 + w^2)/2 + 9.81*z; L = x*v - y*u;\n"
            "end Sphere;\n",
            &def))
        for (double t = 0.1; t < 10; t += 0.1) {
            CHECK_NEAR(world_at(&w, t, "E"), 8 - 9.81 * 0.8, 1e-7);
            CHECK_NEAR(world_value(&w, "L"), 2.4, 1e-7);
        }
    world_end(&w);
    // no force but that of the hoop: the angular momentum stays
    if (world_begin(
            &w,
            "model Hoop\n"
            "  Real x(start = 1), y(start = 0, fixed = true), u, v(start = 1, fixed = true);\n"
            "  Real F, r, L;\n"
            "equation\n"
            "  der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y;\n"
            "  r = 1 + 0.5*sin(time); x^2 + y^2 = r^2; L = x*v - y*u;\n"
            "end Hoop;\n",
            &def))
        for (double t = 0.1; t < 10; t += 0.1) {
            double x = world_at(&w, t, "x"), y = world_value(&w, "y"), r = 1 + 0.5 * sin(t);
            CHECK_NEAR(x * x + y * y, r * r, 4e-15);
            CHECK_NEAR(x * world_value(&w, "u") + y * world_value(&w, "v"), r * 0.5 * cos(t),
                       4e-15);
            CHECK_NEAR(world_value(&w, "L"), 1, 1e-8);
        }
    world_end(&w);
    // a skate that turns, on a slope: it does not slide down but goes across in cycloids
    if (world_begin(&w,
                    "model Skate\n"
                    "  Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
                    "  Real u(start = 0, fixed = true), v, phi(start = 0, fixed = true), L;\n"
                    "equation\n"
                    "  der(x) = u; der(y) = v; der(phi) = 1;\n"
                    "  der(u) = 5 + L*sin(phi); der(v) = -L*cos(phi);\n"
                    "  u*sin(phi) - v*cos(phi) = 0;\n"
                    "end Skate;\n",
                    &def))
        for (double t = 0.1; t < 10; t += 0.1) {
            CHECK_NEAR(world_at(&w, t, "x"), 2.5 * sin(t) * sin(t), 1e-7);
            CHECK_NEAR(world_value(&w, "y"), 2.5 * (t - 0.5 * sin(2 * t)), 1e-7);
        }
    world_end(&w);
}

static const char *const wall =
    "model Wall\n"
    "  Real x(start = 0.9, fixed = true), y(start = -0.4), u(start = 0, fixed = true), v, F, E;\n"
    "  Integer n(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81; x^2 + y^2 = 1;\n"
    "  E = (u^2 + v^2)/2 + 9.81*y;\n"
    "  when x < 0.1 then\n    n = pre(n) + 1;\n    %s\n  end when;\n"
    "end Wall;\n";

// A pendulum that bounces off a wall: reinit of one velocity, of the other, of both. At each bounce
// the kinetic energy falls to 0.64 of what it was.
TEST(reinit)
{
    static const char *const ways[] = {"reinit(u, -0.8*pre(u));", "reinit(v, -0.8*pre(v));",
                                       "reinit(u, -0.8*pre(u)); reinit(v, -0.8*pre(v));",
                                       "reinit(v, -0.8*pre(v)); reinit(u, -0.8*pre(u));"};
    char text[1000];
    double low = -9.81 * sqrt(0.99), e = -9.81 * sqrt(1 - 0.81);
    fo_run_def def = run_of(3, 1e-9);
    for (int k = 0; k < 4; k++) {
        world w;
        snprintf(text, sizeof text, wall, ways[k]);
        if (world_begin(&w, text, &def)) {
            double n = world_at(&w, 3, "n");
            if (!(n >= 3)) test_fail(__FILE__, __LINE__, "%s: %g bounces", ways[k], n);
            CHECK_NEAR(world_value(&w, "E"), low + (e - low) * pow(0.64, n), 1e-6);
        }
        world_end(&w);
    }
}

static void ends_with(const char *text, double stop, const char *solver, const char *part)
{
    world w;
    fo_run_def def = run_of(stop, 1e-8);
    def.solver = solver, def.step = 0.01;
    if (world_begin(&w, text, &def)) {
        fo_status status = fo_simulation_advance(w.sim, stop);
        CHECK(status < FO_OK || (status != FO_REACHED && status != FO_STOPPED));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, part);
    }
    world_end(&w);
}

// What contradicts a constraint, and mechanisms at points where they may go on in more than one
// way: a message, and no numbers.
TEST(ends_with_a_message)
{
    char text[1000];
    snprintf(text, sizeof text, wall, "reinit(u, -0.8*pre(u)); reinit(v, 3);");
    ends_with(text, 3, NULL, "reinit(v, 3) contradicts the derivative of the constraint x * x + y");
    const char *cone = "model Cone\n"
                       "  Real x(start = 1, fixed = true), y(start = 1);\n"
                       "  Real u(start = -1, fixed = true), v, F;\n"
                       "equation\n"
                       "  der(x) = u; der(y) = v; der(u) = -2*F*x; der(v) = 2*F*y; x^2 = y^2;\n"
                       "end Cone;\n";
    ends_with(cone, 3, NULL, "x * x = y * y (line 5)");
    ends_with(cone, 3, "rk4", "step");
    // all bars in one line: a parallelogram may go on as an antiparallelogram
    const char *bars = "model Bars\n"
                       "  Real a(start = 0.5, fixed = true), b(start = 0), c(start = 0.5);\n"
                       "  Real u(start = 1, fixed = true), v, w, F, G;\n"
                       "equation\n"
                       "  der(a) = u; der(b) = v; der(c) = w;\n"
                       "  der(u) = sin(a)*F - cos(a)*G; der(v) = 2*sin(b)*F - 2*cos(b)*G;\n"
                       "  der(w) = -sin(c)*F + cos(c)*G;\n"
                       "  cos(a) + 2*cos(b) - cos(c) = 2; sin(a) + 2*sin(b) - sin(c) = 0;\n"
                       "end Bars;\n";
    ends_with(bars, 5, NULL, "there is no choice of states");
    ends_with(bars, 5, "radau5", "t = 2.6");
    ends_with(bars, 5, "rk4", "t = 2.6");
    // crank and rod of one length: at the pivot the slider may stay
    ends_with("model Crank\n"
              "  Real x(start = 0.5), y(start = 0.866), s(start = 1, fixed = true);\n"
              "  Real u, v, w(start = -1, fixed = true), F, G;\n"
              "equation\n"
              "  der(x) = u; der(y) = v; der(s) = w;\n"
              "  der(u) = -2*F*x - 2*G*(x - s); der(v) = -2*F*y - 2*G*y; der(w) = 2*G*(x - s);\n"
              "  x^2 + y^2 = 1; (x - s)^2 + y^2 = 1;\n"
              "end Crank;\n",
              3, NULL, "there is no choice of states");
    // which of x and y would follow a rod that jumps is nowhere said
    const char *jumps = "model Jumps\n"
                        "  Real x(start = 0.6, fixed = true), y(start = -0.8), l%s;\n"
                        "  Real u(start = 0, fixed = true), v, F;\n"
                        "equation\n"
                        "  der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81;\n"
                        "  x^2 + y^2 = l^2; %s\n"
                        "end Jumps;\n";
    snprintf(text, sizeof text, jumps, "", "l = if time > 0.5 then 1.2 else 1;");
    ends_with(text, 2, NULL, "at t = 0.5 the constraint x * x + y");
    ends_with(text, 2, "radau5", "what has a derivative jumps by reinit only");
    snprintf(text, sizeof text, jumps, "(start = 1, fixed = true)",
             "when x < 0 then l = 1.1; end when;");
    ends_with(text, 2, NULL, "what has a derivative jumps by reinit only");
}

// On a circle, x' = -y: at x = -1 the two solutions for y meet, and there x moves by less than its
// last bit, with whatever step.
TEST(steps_that_crawl_to_a_fold_end)
{
    static const char *const solvers[] = {NULL, "dp45", "dop853", "bs23", "adams", "radau5"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i += (size_t)test_count(6, 1))
        ends_with("model Circle\n"
                  "  Real x(start = 0.5, fixed = true), y(start = 0.8);\n"
                  "equation\n"
                  "  x^2 + y^2 = 1; der(x) = -y;\n"
                  "end Circle;\n",
                  20, solvers[i], "t = 2.09");
}

// A diode whose capacity is zero by a formula of parameters: its voltage is no state, and follows
// from i = exp(v) - 1 and u - v = 2 i at each time. With 1e-9 for the time constant it is a state
// that is nearly the same.
TEST(capacities_that_are_zero_leave_no_states)
{
    const char *diode = "model Diode\n"
                        "  parameter Real tau = %s annotation(Evaluate = true);\n"
                        "  parameter Real C = 0 annotation(Evaluate = true);\n"
                        "  Real v, i, u, c, cj, w(start = 0, fixed = true);\n"
                        "equation\n"
                        "  u = 3*sin(time); cj = C*(1 + v^2); c = tau*exp(v) + cj;\n"
                        "  i = exp(v) - 1 + c*der(v); u - v = 2*i; der(w) = i;\n"
                        "end Diode;\n";
    double w_of[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w;
        char text[600];
        fo_run_def def = run_of(5, 1e-9);
        snprintf(text, sizeof text, diode, k ? "1e-9" : "0");
        if (world_begin(&w, text, &def)) {
            CHECK_INT(fo_simulation_state(w.sim)->shape.states, 1 + k);
            for (int i = 1; i <= 50; i++) {
                double u = 3 * sin(0.1 * i), v = world_at(&w, 0.1 * i, "v");
                CHECK_NEAR(u - v, 2 * (exp(v) - 1), k ? 1e-6 : 1e-13 * exp(v) + 1e-13);
            }
            w_of[k] = world_value(&w, "w");
        }
        world_end(&w);
    }
    CHECK_NEAR(w_of[0], w_of[1], 1e-7);
}

// The same where formulas of parameters are zero that may be set, in a function and as a factor of
// a difference of rates: v is no state, and u - v = 2 (exp(v - g) - 1) at each time.
TEST(formulas_that_are_zero_leave_no_states)
{
    const char *diode = "model Diode\n"
                        "  function capacity\n"
                        "    input Real v; input Real tau; input Real cj; output Real c;\n"
                        "  algorithm\n"
                        "    if v > 0 then c := tau*exp(v); else c := tau/(1 + v^2); end if;\n"
                        "    c := c + cj/(2 + v);\n"
                        "  end capacity;\n"
                        "  parameter Real TT = %s, CJ = 0, area = 2;\n"
                        "  final parameter Real tau = area*TT, cj = CJ/area;\n"
                        "  Real v, i, u, g, c, w(start = 0, fixed = true);\n"
                        "equation\n"
                        "  u = 3*sin(time); g = 0.5*cos(2*time); c = capacity(v, tau, cj);\n"
                        "  i = exp(v - g) - 1 + c*(der(v) - der(g)); u - v = 2*i; der(w) = i;\n"
                        "end Diode;\n";
    double w_of[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w;
        char text[900];
        fo_run_def def = run_of(5, 1e-9);
        snprintf(text, sizeof text, diode, k ? "1e-9" : "0");
        if (world_begin(&w, text, &def)) {
            CHECK_INT(fo_simulation_state(w.sim)->shape.states, 1 + k);
            for (int i = 1; i <= 50; i++) {
                double t = 0.1 * i, u = 3 * sin(t), g = 0.5 * cos(2 * t), v = world_at(&w, t, "v");
                CHECK_NEAR(u - v, 2 * (exp(v - g) - 1), k ? 1e-6 : 1e-12 * (exp(v - g) + 1));
            }
            w_of[k] = world_value(&w, "w");
        }
        world_end(&w);
    }
    CHECK_NEAR(w_of[0], w_of[1], 1e-7);
}

// A parameter in a constraint that is set in the run: what is computed follows.
TEST(a_rod_made_longer)
{
    world w;
    fo_run_def def = run_of(4, 1e-9);
    if (world_begin(&w,
                    "model Rod\n"
                    "  parameter Real l = 1;\n"
                    "  Real x(start = 0.6, fixed = true), y(start = -0.8);\n"
                    "  Real u(start = 0, fixed = true), v, F;\n"
                    "equation\n"
                    "  der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81;\n"
                    "  x^2 + y^2 = l^2;\n"
                    "end Rod;\n",
                    &def)) {
        for (int k = 1; k <= 4; k++) {
            double l = k > 2 ? 3 : 1, x = world_at(&w, k, "x"), y = world_value(&w, "y");
            CHECK_NEAR(x * x + y * y, l * l, 1e-14 * l * l);
            CHECK(y < 0);
            if (k == 2) CHECK_STATUS(fo_simulation_set(w.sim, "l", 3), FO_OK, NULL);
        }
    }
    world_end(&w);
}

// Constraints through variables that follow from a linear loop.
TEST(through_a_loop)
{
    world w;
    fo_run_def def = run_of(5, 1e-9);
    if (world_begin(
            &w,
            "model Loop\n"
            "  Real x(start = 0.6, fixed = true), y(start = -0.8);\n"
            "  Real u(start = 0, fixed = true), v, F, a(start = 0.13), b(start = 0.47), E;\n"
            "equation\n"
            "  der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81;\n"
            "  a + b = x; a - 2*b = y; (a + b)^2 + (a - 2*b)^2 = 1;\n"
            "  E = (u^2 + v^2)/2 + 9.81*y;\n"
            "end Loop;\n",
            &def)) {
        double first = world_at(&w, 0.01, "E");
        for (double t = 0.1; t <= 5; t += 0.1) {
            CHECK_NEAR(world_at(&w, t, "E"), first, 1e-6);
            CHECK_NEAR(pow(world_value(&w, "x"), 2) + pow(world_value(&w, "y"), 2), 1, 1e-14);
        }
    }
    world_end(&w);
}

static void count_states(const char *text, size_t count)
{
    world w;
    if (world_load(&w, text)) CHECK_INT(foi_program_system(w.program).about->states.count, count);
    world_end(&w);
}

// Equations that depend on each other exactly are constraints; those that nearly do are none.
TEST(dependent_equations)
{
    count_states("model M\n  parameter Real a = 3, b = 5;\n"
                 "  Real x(start = 1), y(start = 1), z(start = 0);\nequation\n"
                 "  a*der(x) + b*der(y) = -x; der(x)/b + der(y)/a = z; der(z) = -y;\nend M;\n",
                 2);
    count_states("model M\n  parameter Real a = 3, b = 3;\n  Real x(start = 1), y(start = 1);\n"
                 "equation\n  a*der(x) + a*der(y) = -x; b*der(x) + a*der(y) = -y;\nend M;\n",
                 2);
    count_states("model M\n  Real x(start = 1), y(start = 1);\nequation\n"
                 "  1e9*der(x) + 1e9*der(y) = -x; 1e9*der(x) + (1e9 + 1e-6)*der(y) = -y;\nend M;\n",
                 2);
    count_states("model M\n  Real x(start = 1), y(start = 1);\nequation\n"
                 "  0.1*der(x) + 0.3*der(y) = -x; 0.2*der(x) + 0.6*der(y) = -y;\nend M;\n",
                 1);
}

// A capacity between two nodes, each with a resistor to somewhere: one state, not two.
TEST(two_nodes_and_a_capacity)
{
    world w;
    fo_run_def def = run_of(2, 1e-9);
    if (world_begin(&w,
                    "model Nodes\n  parameter Real C = 0.5, R = 2;\n  Real u(start = 3), v;\n"
                    "initial equation\n  u - v = 1;\nequation\n"
                    "  C*(der(u) - der(v)) = (2 - u)/R; C*(der(v) - der(u)) = -v/R;\nend Nodes;\n",
                    &def)) {
        CHECK_INT(foi_program_system(w.program).about->states.count, 1);
        // the sum says u + v = 2; with d = u - v: C d' = (1 - d/2)/R, d = 2 - exp(-t/2)
        for (double t = 0.25; t <= 2; t += 0.25) {
            double d = 2 - exp(-t / 2);
            CHECK_NEAR(world_at(&w, t, "u"), 1 + d / 2, 1e-8);
            CHECK_NEAR(world_value(&w, "v"), 1 - d / 2, 1e-8);
        }
    }
    world_end(&w);
}

TEST_MAIN(TEST_ENTRY(dependent_equations), TEST_ENTRY(two_nodes_and_a_capacity),
          TEST_ENTRY(masses_on_rods_keep_their_energy),
          TEST_ENTRY(start_values_that_are_given_count),
          TEST_ENTRY(positions_say_how_a_crank_is_put_together),
          TEST_ENTRY(pendulums_keep_their_energy), TEST_ENTRY(double_pendulum_as_in_angles),
          TEST_ENTRY(with_every_solver), TEST_ENTRY(random_chains), TEST_ENTRY(turned_and_scaled),
          TEST_ENTRY(pieces_and_snapshots), TEST_ENTRY(every_way_of_running),
          TEST_ENTRY(other_constraints), TEST_ENTRY(reinit), TEST_ENTRY(ends_with_a_message),
          TEST_ENTRY(steps_that_crawl_to_a_fold_end),
          TEST_ENTRY(capacities_that_are_zero_leave_no_states),
          TEST_ENTRY(formulas_that_are_zero_leave_no_states), TEST_ENTRY(a_rod_made_longer),
          TEST_ENTRY(through_a_loop))
