/// Constraints of differential-algebraic equations by singularly perturbed sliding manifolds, in
/// texts: s = (mu d/dt + 1)^(r - 1) g for a constraint g of index r with a multiplier z, and
/// eps z' = -s / (ds/dz). docs/solvers.md has the class.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char slide[] = "block Slide\n"
                            "  parameter Real mu = 0.01, eps = 1e-4;\n"
                            "  Real g, z(start = 0), J, gd, s;\n"
                            "equation\n"
                            "  gd = der(g);\n"
                            "  s = mu^2*der(gd) + 2*mu*gd + g;\n"
                            "  eps*der(z) = -s/(mu^2*J);\n"
                            "end Slide;\n";

typedef struct text_run {
    fo_model *model;
    fo_simulation *sim;
} text_run;

static bool begin_run(text_run *r, const fo_model_def *def, double stop)
{
    fo_message why = {0};
    *r = (text_run){0};
    if (fo_model_open(def, &r->model) != FO_OK) {
        test_fail(__FILE__, __LINE__, "the text cannot be opened");
        return false;
    }
    fo_run_def run = fo_model_run_def(r->model);
    run.stop = stop, run.rtol = 1e-9, run.atol = 1e-11;
    r->sim = fo_simulation_create(fo_model_system(r->model), &run, &why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return r->sim;
}

static bool open_text(text_run *r, const char *text, double stop, double eps)
{
    char all[4096];
    const fo_setting settings[] = {{"eps", eps}};
    fo_model_def def = fo_default_model_def();
    snprintf(all, sizeof all, "%s%s", slide, text);
    def.name = "x.mo", def.text = all;
    def.settings = settings, def.setting_count = 1;
    return begin_run(r, &def, stop);
}

static double value(text_run *r, double t, const char *name)
{
    fo_reference which;
    CHECK_STATUS(fo_simulation_advance(r->sim, t), FO_REACHED, fo_simulation_message(r->sim));
    if (fo_system_find(fo_model_system(r->model), name, &which, NULL) != FO_OK) return NAN;
    return fo_simulation_value(r->sim, which);
}

static void close_text(text_run *r)
{
    fo_simulation_destroy(r->sim);
    fo_model_close(r->model);
}

// Index 3, not linear: a pendulum whose rod is a constraint, against the same one by its angle
// phi, from the horizontal downwards: phi'' = G cos phi. The error follows eps.
TEST(a_pendulum_of_index_three)
{
    static const char text[] =
        "model P parameter Real eps = 1e-4; constant Real G = 9.81;\n"
        "  Real x(start = 1), y(start = 0), vx(start = 0), vy(start = 0);\n"
        "  Real phi(start = 0), w(start = 0), off; Slide c(eps = eps);\n"
        "equation\n"
        "  der(x) = vx; der(y) = vy; der(vx) = -c.z*x; der(vy) = -c.z*y - G;\n"
        "  c.g = (x^2 + y^2 - 1)/2; c.J = -(x^2 + y^2);\n"
        "  der(phi) = w; der(w) = G*cos(phi); off = sqrt((x - cos(phi))^2 + (y + sin(phi))^2);\n"
        "end P;\n";
    double worst[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        text_run r;
        REQUIRE(open_text(&r, text, 3, i ? 1e-5 : 1e-4));
        for (double t = 0.1; t <= 3; t += 0.1) worst[i] = fmax(worst[i], value(&r, t, "off"));
        close_text(&r);
    }
    CHECK(worst[0] < 2e-3 && worst[0] > 1e-7);
    CHECK(worst[1] < 0.3 * worst[0]);
}

// Equations (3.23) to (3.32) with one point of a wave that is a spring, psi = -k theta: the object
// and the point move as one mass of m + 1, y = m G/k (1 - cos(w t)), w = sqrt(k/(m + 1)). J is -(m
// + 1)/m there (A is 1 by 1).
TEST(an_object_on_one_point_of_a_wave)
{
    static const char text[] =
        "model W parameter Real eps = 1e-5; constant Real m = 3, G = 9.8, k = 40;\n"
        "  Real y(start = 0), v(start = 0), theta(start = 0), omega(start = 0);\n"
        "  Slide c(eps = eps, mu = 0.02, z(start = 7.35));\n" // at rest: m G/(m + 1)
        "equation\n"
        "  der(y) = v; der(v) = G - c.z/m; der(theta) = omega; der(omega) = -k*theta + c.z;\n"
        "  c.g = y - theta; c.J = -(m + 1)/m;\n"
        "end W;\n";
    const double m = 3, G = 9.8, k = 40, w = sqrt(k / (m + 1));
    text_run r;
    REQUIRE(open_text(&r, text, 4, 1e-5));
    for (double t = 0.25; t <= 4; t += 0.25) {
        double right = m * G / k * (1 - cos(w * t));
        CHECK_NEAR(value(&r, t, "y"), right, 1e-4);
        CHECK_NEAR(value(&r, t, "theta"), right, 1e-4);
        // the force that accelerates the point: theta'' + k theta
        CHECK_NEAR(value(&r, t, "c.z"), m * G / (m + 1) * cos(w * t) + k * right, 2e-2);
    }
    close_text(&r);
}

// Index 1, s = g: along the flow g decays as exp(-t/eps), whatever it is.
TEST(a_constraint_of_index_one)
{
    static const char text[] = "model O parameter Real eps = 0.1; Real z(start = 0), g;\n"
                               "equation g = z^3 + z - 2; eps*der(z) = -g/(3*z^2 + 1); end O;\n";
    text_run r;
    REQUIRE(open_text(&r, text, 1, 0.1));
    for (double t = 0.05; t <= 1; t += 0.05) {
        double z = value(&r, t, "z");
        CHECK_NEAR(z * z * z + z - 2, -2 * exp(-t / 0.1), 1e-7);
    }
    close_text(&r);
}

// Index 2, s = mu g' + g: the multiplier that leads x along sin t is x + cos t, and what was wrong
// at the start decays with mu.
TEST(a_constraint_of_index_two)
{
    static const char text[] =
        "model T parameter Real eps = 1e-5; constant Real mu = 0.1;\n"
        "  Real x(start = 0.5, fixed = true), z(start = 0), g, s;\n"
        "equation der(x) = z - x; g = x - sin(time); s = mu*der(g) + g; eps*der(z) = -s/mu;\n"
        "end T;\n";
    text_run r;
    REQUIRE(open_text(&r, text, 2, 1e-5));
    for (double t = 0.1; t <= 2; t += 0.1) {
        double g = 0.5 * exp(-t / 0.1), x = sin(t) + g;
        CHECK_NEAR(value(&r, t, "x"), x, 2e-4);
        CHECK_NEAR(value(&r, t, "z"), x + cos(t) - g / 0.1, 5e-3);
    }
    close_text(&r);
}

// -------------------------------------------------------------------- of a text as it is written

static const char crank[] =
    "model C parameter Real r = 0.5, l = 1.5, m = 1, M = 2, J = 0.3, G = 9.81;\n"
    "  Real phi(start = 0.7, fixed = true), w(start = 0, fixed = true);\n"
    "  Real x(start = 0.4), y(start = 0.3), xs(start = 1.9), vx, vy, vs, Fx, Fy, S;\n"
    "equation der(phi) = w; der(x) = vx; der(y) = vy; der(xs) = vs;\n"
    "  J*der(w) = -Fx*r*sin(phi) + Fy*r*cos(phi) + 2; m*der(vx) = -Fx + S*(x - xs);\n"
    "  m*der(vy) = -Fy + S*y - m*G; M*der(vs) = -S*(x - xs) - 3*vs;\n"
    "  x = r*cos(phi); y = r*sin(phi); (x - xs)^2 + y^2 = l^2; end C;\n";

static const char pendulum[] =
    "model P Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), F;\n"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81;\n"
    "  x^2 + y^2 = 1; end P;\n";

static bool open_as_written(text_run *r, const char *text, double stop, fo_manifolds manifolds)
{
    fo_model_def def = fo_default_model_def();
    def.name = "x.mo", def.text = text, def.manifolds = manifolds;
    return begin_run(r, &def, stop);
}

// How far a signal is from that of the reduced equations, and how far from a constraint.
static double distance(const char *text, const char *name, fo_manifolds manifolds, uint32_t count)
{
    text_run exact, slides;
    fo_manifolds used;
    double worst = 0;
    if (!open_as_written(&exact, text, 2, (fo_manifolds){0})) return NAN;
    if (open_as_written(&slides, text, 2, manifolds)) {
        CHECK_INT(fo_text_model_manifolds(fo_model_text(slides.model), &used), count);
        CHECK_NEAR(used.mu, manifolds.mu < 0 ? 0.001 : manifolds.mu, 1e-15);
        for (double t = 0.1; t <= 2; t += 0.1)
            worst = fmax(worst, fabs(value(&slides, t, name) - value(&exact, t, name)));
    }
    close_text(&exact);
    close_text(&slides);
    return worst;
}

// Three constraints of index 3 and a pendulum: the way back to index reduction is of first order in
// eps, and without eps it is the tolerance.
TEST(manifolds_come_to_the_reduced_equations)
{
    const struct {
        const char *text, *name;
        uint32_t count;
    } cases[] = {{crank, "xs", 3}, {pendulum, "y", 1}};
    for (int i = 0; i < 2; i++) {
        const char *text = cases[i].text, *name = cases[i].name;
        uint32_t count = cases[i].count;
        double coarse = distance(text, name, (fo_manifolds){0.01, 1e-3}, count);
        double fine = distance(text, name, (fo_manifolds){0.01, 1e-4}, count);
        double none = distance(text, name, (fo_manifolds){0.01, 0}, count);
        CHECK(coarse > 1e-8 && coarse < 2e-3);
        CHECK(fine < 0.12 * coarse && fine > 0.08 * coarse);
        CHECK(none < 1e-7);
    }
    CHECK(distance(pendulum, "y", (fo_manifolds){-1, -1}, 1) < 1e-4); // a run of 1 s: 1 ms, 10 us
}

// Index 2, as it is written: x follows sin t, and z = x' + x. With x wrong at the start, which the
// reduced equations do not allow, nothing is left of that after a hundred mu.
TEST(an_index_of_two_as_it_is_written)
{
    static const char text[] =
        "model T Real x, z; equation der(x) = z - x; x = sin(time); end T;\n";
    text_run r;
    REQUIRE(open_as_written(&r, text, 2, (fo_manifolds){0.01, 1e-5}));
    for (double t = 0.1; t <= 2; t += 0.1) {
        CHECK_NEAR(value(&r, t, "x"), sin(t), 2e-5);
        CHECK_NEAR(value(&r, t, "z"), sin(t) + cos(t), 2e-3);
    }
    close_text(&r);
}

// Too large an eps would swing, and what is no number is none.
TEST(times_that_do_not_go_together_are_refused)
{
    static const fo_manifolds wrong[] = {{0.01, 0.01}, {NAN, 0}, {0.01, INFINITY}, {INFINITY, 0}};
    for (int i = 0; i < 4; i++) {
        fo_text_model_def def = fo_default_text_model_def();
        fo_message why = {0};
        def.text = pendulum, def.path = "x.mo", def.manifolds = wrong[i];
        CHECK(!fo_text_model_open(&def, &why));
        CHECK_CONTAINS(why.text, i ? "must be finite" : "at most a quarter of mu, 0.01 s");
    }
}

// What has no hidden constraint has no manifold, and the same bits as ever.
TEST(a_text_without_constraints_stays_as_it_is)
{
    static const char text[] = "model O Real x(start = 1), y; equation der(x) = -y; y^3 + y = x;\n"
                               "end O;\n";
    text_run r, other;
    fo_manifolds used;
    REQUIRE(open_as_written(&r, text, 1, (fo_manifolds){0.01, 1e-4}));
    REQUIRE(open_as_written(&other, text, 1, (fo_manifolds){0}));
    CHECK_INT(fo_text_model_manifolds(fo_model_text(r.model), &used), 0);
    CHECK(value(&r, 1, "x") == value(&other, 1, "x"));
    close_text(&r);
    close_text(&other);
}

// Every allocation fails once: a message, and nothing is lost.
TEST(no_memory_for_manifolds)
{
    bool opened = false;
    for (long n = 1; n < 100000 && !opened; n++) {
        test_memory memory;
        test_memory_init(&memory, n);
        fo_text_model_def def = fo_default_text_model_def();
        fo_message why = {0};
        def.text = pendulum, def.path = "x.mo", def.allocator = &memory.allocator;
        def.manifolds = (fo_manifolds){0.01, 1e-4};
        fo_text_model *m = fo_text_model_open(&def, &why);
        opened = m;
        if (!m) CHECK(why.status == FO_ERROR_MEMORY);
        fo_text_model_close(m);
        CHECK_INT(memory.live, 0);
    }
    CHECK(opened);
}

TEST_MAIN(TEST_ENTRY(a_pendulum_of_index_three), TEST_ENTRY(an_object_on_one_point_of_a_wave),
          TEST_ENTRY(a_constraint_of_index_one), TEST_ENTRY(a_constraint_of_index_two),
          TEST_ENTRY(manifolds_come_to_the_reduced_equations),
          TEST_ENTRY(an_index_of_two_as_it_is_written),
          TEST_ENTRY(times_that_do_not_go_together_are_refused),
          TEST_ENTRY(a_text_without_constraints_stays_as_it_is),
          TEST_ENTRY(no_memory_for_manifolds))
