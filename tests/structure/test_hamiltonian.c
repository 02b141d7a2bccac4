// Polynomial energies: the document's example, exact derivatives, text, and motion.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network.h"
#include "structure/polynomial.h"
#include "test.h"

// H = 0.5 x^4 + 2 x y + x^2 y^3 + px + 10 py, section 3.3.2.
static const double coefficients[] = {0.5, 2, 1, 1, 10};
static const uint32_t counts[] = {4, 2, 5, 1, 1};
static const uint32_t variables[] = {0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 2, 3};
static const char *const names[] = {"x", "y", "px", "py"};

static fo_hamiltonian_def example(void)
{
    return (fo_hamiltonian_def){.states = 4,
                                .names = names,
                                .coefficients = coefficients,
                                .counts = counts,
                                .variables = variables,
                                .terms = 5};
}

TEST(the_documents_example)
{
    fo_message why = {0};
    fo_hamiltonian_def def = example();
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    double x = 1.5, y = -2, state[] = {x, y, 3, 4}, g[4];
    CHECK_NEAR(fo_hamiltonian_value(h, state),
               0.5 * pow(x, 4) + 2 * x * y + x * x * pow(y, 3) + 3 + 40, 1e-13);
    fo_hamiltonian_gradient(h, state, g);
    CHECK_NEAR(g[0], 2 * pow(x, 3) + 2 * y + 2 * x * pow(y, 3), 1e-13);
    CHECK_NEAR(g[1], 2 * x + 3 * x * x * y * y, 1e-13);
    CHECK(g[2] == 1 && g[3] == 10);
    char text[200], small[8];
    size_t length = fo_hamiltonian_print(h, text, sizeof text);
    CHECK_INT(length, strlen(text));
    CHECK_TEXT(text, "0.5 * x^4 + 2 * x * y + x^2 * y^3 + px + 10 * py");
    CHECK_INT(fo_hamiltonian_print(h, small, sizeof small), strlen(text));
    CHECK_TEXT(small, "0.5 * x");
    fo_hamiltonian_destroy(h);
}

TEST(zero_is_as_good_as_any_value)
{
    fo_message why = {0};
    fo_hamiltonian_def def = example();
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    double g[4], zero[4] = {0};
    fo_hamiltonian_gradient(h, zero, g);
    CHECK(g[0] == 0 && g[1] == 0 && g[2] == 1 && g[3] == 10);
    fo_hamiltonian_destroy(h);
}

TEST(text_is_read_back)
{
    static const char *const texts[] = {
        "0.5 * x^4 + 2 * x * y + x^2 * y^3 + px + 10 * py",
        "-x + 3 - 0.25 * y^2",
        "x * y * px^7 * py",
    };
    for (size_t i = 0; i < 3; i++) {
        fo_message why = {0};
        foi_polynomial p = {.variables = 4};
        char text[200];
        CHECK_STATUS(foi_polynomial_parse(&p, names, texts[i], &why), FO_OK, &why);
        foi_polynomial_print(&p, names, text, sizeof text);
        CHECK_TEXT(text, texts[i]);
        foi_polynomial_destroy(&p);
    }
    static const char *const wrong[][2] = {
        {"x +", "column 4: expected a number, a name or '(', found the end"},
        {"x ** y", "column 4: expected a number"},
        {"2 x", "column 3: expected an operator or the end, found 'x'"},
        {"x^-1", "column 2: expected a sum of products of powers, found '^'"},
        {"2*(x + y)", "column 2: expected a sum of products of powers, found '*'"},
        {"z", "column 1: there is no state 'z'"},
        {"[4]", "column 1: expected [0] to [3], found '[4]'"},
        {"x^1000", "at most 256"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_message why = {0};
        foi_polynomial p = {.variables = 4};
        CHECK_STATUS(foi_polynomial_parse(&p, names, wrong[i][0], &why), FO_ERROR_FORMAT, &why);
        CHECK_CONTAINS(why.text, wrong[i][1]);
        foi_polynomial_destroy(&p);
    }
}

TEST(partial_derivatives_use_the_index)
{
    fo_message why = {0};
    foi_polynomial p = {.variables = 4};
    double x[] = {0.3, -1.2, 2, 0.7}, g[4];
    CHECK_STATUS(foi_polynomial_parse(&p, names, "x^2*y - 3*y^3*px + py*x + 5 + py^2*px", &why),
                 FO_OK, &why);
    REQUIRE(foi_polynomial_finish(&p, &why) == FO_OK);
    foi_polynomial_gradient(&p, x, g);
    for (uint32_t v = 0; v < 4; v++) CHECK_NEAR(foi_polynomial_partial(&p, x, v), g[v], 1e-14);
    CHECK_INT(p.with_start[4], 8);
    CHECK_INT(p.with_start[1] - p.with_start[0], 2);
    foi_polynomial_destroy(&p);
}

// H = p^2 / 2 + q^4 / 4 with q(0) = 1: the period is 4 sqrt(2) int_0^1 dq / sqrt(1 - q^4)
// = 7.416298709205487.
TEST(a_quartic_oscillator_has_its_period)
{
    static const char *const two[] = {"q", "p"};
    static const double start[] = {1, 0};
    static const char *const solvers[] = {"dop853", "radau5"};
    fo_message why = {0};
    fo_hamiltonian_def def = {
        .states = 2, .names = two, .start = start, .energy = "0.5 * p^2 + 0.25 * q^4"};
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    for (int i = 0; i < 2; i++) {
        fo_run_def run = fo_default_run_def();
        run.stop = 7.416298709205487, run.rtol = 1e-11, run.atol = 1e-12, run.solver = solvers[i];
        fo_simulation *sim = fo_simulation_create(fo_hamiltonian_system(h), &run, &why);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, run.stop), FO_REACHED, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_state(sim)->x[0], 1, 1e-8);
        CHECK_NEAR(fo_simulation_state(sim)->x[1], 0, 1e-8);
        CHECK_NEAR(fo_simulation_value(sim, (fo_reference){FO_OUTPUT, 0}), 0.25, 1e-9);
        fo_simulation_destroy(sim);
    }
    fo_hamiltonian_destroy(h);
}

// The document's order x, y, px, py per node (block 2), and friction: p = p0 exp(-c t).
TEST(blocks_and_friction)
{
    static const double start[] = {0, 0, 1, 2, 0, 0, 3, 0};
    static const double half[] = {0.5, 0.5, 0.5, 0.5};
    static const uint32_t two[] = {2, 2, 2, 2}, squares[] = {2, 2, 3, 3, 6, 6, 7, 7};
    fo_message why = {0};
    fo_hamiltonian_def def = {.states = 8,
                              .block = 2,
                              .start = start,
                              .coefficients = half,
                              .counts = two,
                              .variables = squares,
                              .terms = 4,
                              .friction = 0.5};
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    fo_run_def run = fo_default_run_def();
    run.rtol = 1e-11, run.atol = 1e-12;
    fo_simulation *sim = fo_simulation_create(fo_hamiltonian_system(h), &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    const double *x = fo_simulation_state(sim)->x;
    CHECK_NEAR(x[2], exp(-0.5), 1e-9);
    CHECK_NEAR(x[1], 2 * 2 * (1 - exp(-0.5)), 1e-9);
    CHECK_NEAR(x[4], 3 * 2 * (1 - exp(-0.5)), 1e-9);
    fo_simulation_destroy(sim);
    fo_hamiltonian_destroy(h);
}

TEST(what_makes_no_sense_is_refused)
{
    fo_message why = {0};
    fo_hamiltonian_def def = example();
    def.states = 3;
    CHECK(!fo_hamiltonian_create(&def, &why));
    CHECK_CONTAINS(why.text, "an even number of states, found 3");
    def.states = 2;
    CHECK(!fo_hamiltonian_create(&def, &why));
    CHECK_CONTAINS(why.text, "there is no variable");
    double bad[] = {0.5, NAN, 1, 1, 10};
    def = example();
    def.coefficients = bad;
    CHECK(!fo_hamiltonian_create(&def, &why));
    CHECK_CONTAINS(why.text, "term 1: the coefficient must be finite");
    def = example();
    def.block = 3;
    CHECK(!fo_hamiltonian_create(&def, &why));
}

// What is written is read back: the same terms, the same motion.
TEST(written_and_read_as_a_document)
{
    fo_message why = {0};
    fo_hamiltonian_def def = example();
    def.start = (const double[]){0.1, -0.2, 0.3, 1e-17}, def.friction = 0.25;
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    char text[2000], again[2000], energy[2][200];
    size_t length = fo_hamiltonian_write(h, text, sizeof text);
    CHECK(length > 100 && length < sizeof text);
    fo_structure_document *d = fo_structure_read("h", text, length, NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(d);
    fo_hamiltonian_write(fo_structure_document_hamiltonian(d), again, sizeof again);
    CHECK_TEXT(again, text);
    fo_hamiltonian_print(h, energy[0], 200);
    fo_hamiltonian_print(fo_structure_document_hamiltonian(d), energy[1], 200);
    CHECK_TEXT(energy[1], energy[0]);
    fo_structure_document_destroy(d);
    fo_hamiltonian_destroy(h);
}

// "Show Hamiltonian" of a network: its slopes are the network's forces.
TEST(a_network_as_a_polynomial)
{
    fo_message why = {0};
    fo_structure_def def = {.name = "net", .dimension = 2, .gravity = {0, -9.81}};
    fo_structure *s = fo_structure_create(&def, &why);
    REQUIRE(s);
    add_beam(s, 4, 0.2, 200, 100, 300);
    fix(s, 0, FO_FIXED), fix(s, 1, FO_FIXED_X);
    finish(s);
    fo_hamiltonian *h = fo_structure_hamiltonian(s, &why);
    REQUIRE(h);
    double x[32], g[32], f[16];
    for (int i = 0; i < 16; i++) {
        x[i] = s->begin[i] + (s->fixed[i] ? 0 : 0.1 * sin(3.0 * i));
        x[16 + i] = s->fixed[i] ? 0 : cos(2.0 * i);
    }
    fo_hamiltonian_gradient(h, x, g);
    double potential = foi_potential(s, &(foi_load){0}, x, f), kinetic = 0;
    for (int i = 0; i < 16; i++) {
        if (s->fixed[i]) continue;
        CHECK_NEAR(g[i], -f[i], 1e-8);
        CHECK_NEAR(g[16 + i], x[16 + i] / s->mass[i / 2], 1e-12);
        kinetic += x[16 + i] * x[16 + i] / (2 * s->mass[i / 2]);
    }
    CHECK_NEAR(fo_hamiltonian_value(h, x), potential + kinetic, 1e-7);
    fo_hamiltonian_destroy(h);
    fo_structure_destroy(s);
    s = fo_structure_create(&plane, &why);
    REQUIRE(s);
    add_node(s, 2, 0, 0, FO_FIXED), add_node(s, 1, 1, 0, FO_FIXED_Y);
    add_spring(s, 0, 1, 50);
    finish(s);
    h = fo_structure_hamiltonian(s, &why);
    REQUIRE(h);
    char text[200];
    fo_hamiltonian_print(h, text, sizeof text);
    CHECK_TEXT(text, "0.5 * 2.px^2 + 25 * 2.x^4 - 50 * 2.x^2 + 25");
    fo_hamiltonian_destroy(h);
    fo_structure_destroy(s);
    s = fo_structure_create(&plane, &why); // like terms of a spring are added up
    REQUIRE(s);
    add_node(s, 2, 0, 0, FO_FIXED), add_node(s, 1, 1, 0, 0);
    add_spring(s, 0, 1, 50);
    finish(s);
    h = fo_structure_hamiltonian(s, &why);
    REQUIRE(h);
    fo_hamiltonian_print(h, text, sizeof text);
    CHECK_TEXT(text, "0.5 * 2.px^2 + 0.5 * 2.py^2 + 25 * 2.x^4 + 50 * 2.x^2 * 2.y^2 - 50 * 2.x^2 + "
                     "25 * 2.y^4 - 50 * 2.y^2 + 25");
    fo_hamiltonian_destroy(h);
    fo_structure_destroy(s);
}

TEST(every_allocation_may_fail)
{
    for (long at = 1;; at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, at);
        fo_hamiltonian_def def = example();
        def.allocator = &memory.allocator;
        def.energy = "x^2";
        fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
        if (!h) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_hamiltonian_destroy(h);
        CHECK_INT(memory.live, 0);
        if (h) break;
        REQUIRE(at < 100);
    }
}

// ------------------------------------------------------------------------- beyond polynomials

static fo_hamiltonian *of_text(const char *const *state_names, uint32_t states, const double *start,
                               const char *energy)
{
    fo_message why = {0};
    fo_hamiltonian_def def = {
        .states = states, .names = state_names, .start = start, .energy = energy};
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    if (!h) test_fail(__FILE__, __LINE__, "%s: %s", energy, why.text);
    return h;
}

// The document's chapter 2: a free point mass in polar coordinates. It moves on the straight line
// x = 1, y = t, so r = sqrt(1 + t^2) and theta = atan(t).
TEST(a_point_mass_in_polar_coordinates_moves_straight)
{
    static const char *const polar[] = {"r", "theta", "pr", "ptheta"};
    static const double start[] = {1, 0, 0, 2};
    static const char *const solvers[] = {"dop853", "radau5", "dp45", "gauss6"};
    fo_hamiltonian *h =
        of_text(polar, 4, start, "pr^2 / (2 * 2) + ptheta^2 / (2 * 2 * r^2)"); // m = 2, v = 1
    REQUIRE(h);
    for (size_t i = 0; i < FO_COUNT(solvers); i++) {
        fo_message why = {0};
        fo_run_def def = fo_default_run_def();
        def.solver = solvers[i], def.rtol = 1e-10, def.atol = 1e-12, def.stop = 5, def.step = 0.01;
        if (!fo_solver_find(solvers[i], NULL)) continue;
        fo_simulation *sim = fo_simulation_create(fo_hamiltonian_system(h), &def, &why);
        REQUIRE(sim);
        CHECK_INT(fo_simulation_advance(sim, 5), FO_REACHED);
        const double *x = fo_simulation_state(sim)->x;
        CHECK_NEAR(x[0], sqrt(26), 1e-7);
        CHECK_NEAR(x[1], atan(5), 1e-7);
        CHECK_NEAR(x[3], 2, 1e-12);
        CHECK_NEAR(fo_hamiltonian_value(h, x), 1, 1e-7);
        fo_simulation_destroy(sim);
    }
    fo_hamiltonian_destroy(h);
}

// An ellipse: after the period 2 pi a^(3/2) the body is where it was.
TEST(a_planet_comes_back)
{
    static const char *const xy[] = {"x", "y", "px", "py"};
    double e = 0.6, start[] = {1 - e, 0, 0, sqrt((1 + e) / (1 - e))}, pi = acos(-1);
    fo_hamiltonian *h = of_text(xy, 4, start, "(px^2 + py^2)/2 - 1/sqrt(x^2 + y^2)");
    REQUIRE(h);
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    def.solver = "dop853", def.rtol = 1e-12, def.atol = 1e-14, def.stop = 2 * pi;
    fo_simulation *sim = fo_simulation_create(fo_hamiltonian_system(h), &def, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_advance(sim, 2 * pi), FO_REACHED);
    for (int i = 0; i < 4; i++) CHECK_NEAR(fo_simulation_state(sim)->x[i], start[i], 1e-9);
    CHECK_NEAR(fo_hamiltonian_value(h, fo_simulation_state(sim)->x), -0.5, 1e-11);
    fo_simulation_destroy(sim);
    fo_hamiltonian_destroy(h);
}

// Values from C's own expressions in long double, derivatives from differences of them.
static long double truth(int which, const long double *v)
{
    long double x = v[0], y = v[1], p = v[2], q = v[3];
    switch (which) {
    case 0: return sinl(x * y) * expl(-p * p) / (1 + q * q);
    case 1: return sqrtl(x * x + y * y + 1) + logl(2 + p) * tanhl(q);
    case 2: return powl(x * x + 1, y) + p / (q * q + 2) - 3 * x;
    case 3: return atanl(p * q) + tanl(x / 3) * coshl(y) - sinhl(q) / 7;
    case 4: return asinl(x / 4) * acosl(y / 4) + cosl(acosl(-1) * p) - -q;
    default: return powl(2 + x, -1.5L) * powl(y, 3) - (p - q) * (p - q) / 2;
    }
}
static const char *const texts[] = {
    "sin(x*y) * exp(-px^2) / (1 + py^2)",       "sqrt(x^2 + y^2 + 1) + log(2 + px)*tanh(py)",
    "(x^2 + 1)^y + px/(py^2 + 2) - 3*x",        "atan(px*py) + tan(x/3)*cosh(y) - sinh(py)/7",
    "asin([0]/4)*acos(y/4) + cos(pi*px) - -py", "(2 + x)^-1.5 * y^3 - (px - py)^2/2",
};

static long double difference(int which, const double *at, int i, int j)
{
    long double v[4], d = 1e-5L, sum = 0;
    for (int a = -1; a <= 1; a += 2)
        for (int b = j < 0 ? 1 : -1; b <= 1; b += 2) {
            for (int k = 0; k < 4; k++) v[k] = at[k];
            v[i] += a * d;
            if (j >= 0) v[j] += b * d;
            sum += a * (j < 0 ? 1 : b) * truth(which, v);
        }
    return j < 0 ? sum / (2 * d) : sum / (4 * d * d);
}

TEST(derivatives_are_those_of_the_energy)
{
    double state[4] = {0.7, -0.4, 0.9, 1.3}, g[4];
    for (int which = 0; which < 6; which++) {
        fo_hamiltonian *h = of_text(names, 4, state, texts[which]);
        REQUIRE(h);
        long double v[4];
        for (int k = 0; k < 4; k++) v[k] = state[k];
        CHECK_NEAR(fo_hamiltonian_value(h, state), (double)truth(which, v), 1e-14);
        fo_hamiltonian_gradient(h, state, g);
        for (int i = 0; i < 4; i++) CHECK_NEAR(g[i], (double)difference(which, state, i, -1), 1e-9);
        // df/dx of the system: rows of momenta are -d2H/dq, of positions d2H/dp
        fo_system system = fo_hamiltonian_system(h);
        const fo_pattern *pattern = system.type->pattern(system.model, NULL);
        double values[16], friction = 0;
        fo_state s = {.p = &friction};
        REQUIRE(pattern->start[4] <= 16);
        CHECK_INT(system.type->jacobian(system.model, &s, 0, state, values), FO_OK);
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t at = pattern->start[c]; at < pattern->start[c + 1]; at++) {
                uint32_t row = pattern->row[at], a = row < 2 ? row + 2 : row - 2;
                double second = (double)difference(which, state, (int)a, (int)c);
                CHECK_NEAR(values[at], row < 2 ? second : -second, 1e-5);
            }
        fo_hamiltonian_destroy(h);
    }
}

// Random energies: a text, and a value in long double that knows nothing of how the text is read.
typedef struct growth {
    uint64_t seed;
    char text[2000];
    size_t length;
} growth;

static uint32_t draw(growth *g, uint32_t count)
{
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->seed >> 33) % count;
}

static void put(growth *g, const char *text)
{
    g->length += (size_t)snprintf(g->text + g->length, sizeof g->text - g->length, "%s", text);
}

// What is under a root or a logarithm is 2 + sin(...), so that everything is smooth.
static long double grow(growth *g, int depth, const long double *v)
{
    static const char *const called[] = {"sin(",          "cos(",          "tanh(",       "atan(",
                                         "exp(-1 - 0.1*", "sqrt(2 + sin(", "log(2 + sin("};
    if (depth == 0 || draw(g, 5) == 0) {
        uint32_t which = draw(g, 5);
        char number[20];
        snprintf(number, sizeof number, "%u.5", which);
        bool known = draw(g, 4) == 0;
        put(g, known ? number : names[which % 4]);
        return known ? which + 0.5L : v[which % 4];
    }
    uint32_t kind = draw(g, 11);
    if (kind < 4) {
        static const char *const signs[] = {" + ", " - ", "*", " / (3 + sin("};
        put(g, "(");
        long double a = grow(g, depth - 1, v);
        put(g, signs[kind]);
        if (kind == 1) put(g, "("); // a - (b - c)
        long double b = grow(g, depth - 1, v);
        put(g, kind == 3 ? ")))" : kind == 1 ? "))" : ")");
        return kind == 0 ? a + b : kind == 1 ? a - b : kind == 2 ? a * b : a / (3 + sinl(b));
    }
    const char *name = called[kind - 4];
    put(g, name);
    if (kind == 8) put(g, "sin(");
    long double a = grow(g, depth - 1, v);
    put(g, kind >= 8 ? "))" : ")");
    switch (kind) {
    case 4: return sinl(a);
    case 5: return cosl(a);
    case 6: return tanhl(a);
    case 7: return atanl(a);
    case 8: return expl(-1 - 0.1L * sinl(a));
    case 9: return sqrtl(2 + sinl(a));
    default: return logl(2 + sinl(a));
    }
}

static long double grown(uint64_t seed, const long double *v, growth *g)
{
    *g = (growth){.seed = seed};
    return grow(g, 5, v);
}

TEST(derivatives_of_random_energies)
{
    double state[4] = {0.7, -0.4, 0.9, 1.3}, gradient[4];
    int tried = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        growth g;
        long double v[4], d = 1e-5L;
        for (int k = 0; k < 4; k++) v[k] = state[k];
        long double value = grown(seed, v, &g);
        if (g.length + 1 >= sizeof g.text || fabsl(value) > 1e3L) continue;
        fo_hamiltonian *h = of_text(names, 4, state, g.text);
        REQUIRE(h);
        double scale = 1 + fabs((double)value);
        CHECK_NEAR(fo_hamiltonian_value(h, state), (double)value, 1e-12 * scale);
        fo_hamiltonian_gradient(h, state, gradient);
        for (int i = 0; i < 4; i++) {
            long double at = v[i], sum = 0, half = 0;
            for (int k = -1; k <= 1; k += 2) {
                v[i] = at + k * d, sum += k * grown(seed, v, &g);
                v[i] = at + k * d / 2, half += k * grown(seed, v, &g);
            }
            v[i] = at;
            long double wide = sum / (2 * d), narrow = half / d; // extrapolated: error of d^4
            CHECK_NEAR(gradient[i], (double)((4 * narrow - wide) / 3),
                       1e-9 * (1 + fabs(gradient[i])) * scale);
        }
        fo_hamiltonian_destroy(h);
        tried++;
    }
    CHECK(tried > 300);
}

TEST(what_is_written_is_read_back)
{
    fo_message why = {0};
    fo_hamiltonian_def def = example();
    def.energy = "sin(x)/y";
    fo_hamiltonian *h = fo_hamiltonian_create(&def, &why);
    REQUIRE(h);
    char text[2000];
    REQUIRE(fo_hamiltonian_print(h, text, sizeof text) < sizeof text);
    CHECK_TEXT(text, "0.5 * x^4 + 2 * x * y + x^2 * y^3 + px + 10 * py + (sin(x)/y)");
    REQUIRE(fo_hamiltonian_write(h, text, sizeof text) < sizeof text);
    fo_structure_document *d = fo_structure_read("again", text, strlen(text), NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(d);
    double state[] = {0.3, 0.4, 0.5, 0.6};
    CHECK(fo_hamiltonian_value(fo_structure_document_hamiltonian(d), state) ==
          fo_hamiltonian_value(h, state));
    fo_structure_document_destroy(d);
    fo_hamiltonian_destroy(h);
}

TEST(wrong_energies_are_refused_with_their_column)
{
    static const char *const wrong[][2] = {
        {"sin(x", "column 6: expected an operator or ')', found the end"},
        {"sin x", "column 5: expected '(' after the name of a function, found 'x'"},
        {"x / ", "column 5: expected a number, a name or '(', found the end"},
        {"x + foo(y)", "column 5: there is no function 'foo'"},
        {"x ) y", "column 3: expected an operator or the end, found ')'"},
        {"[9]/x", "column 1: expected [0] to [3], found '[9]'"},
        {"sin(1e999)", "column 5: expected a number below 1.8e308, found '1e999'"},
        {"x + max(y, 0)", "column 5: 'max' cannot stand in an energy, which needs two derivatives"},
        {"x < y", "column 3: '<' cannot stand in an energy"},
    };
    fo_message why;
    for (size_t i = 0; i < FO_COUNT(wrong); i++) {
        fo_hamiltonian_def def = {.states = 4, .names = names, .energy = wrong[i][0]};
        CHECK(!fo_hamiltonian_create(&def, &why));
        CHECK_CONTAINS(why.text, wrong[i][1]);
    }
    char deep[3000] = "", *at = deep;
    for (int i = 0; i < 1000; i++) *at++ = '(';
    fo_hamiltonian_def def = {.states = 4, .names = names, .energy = deep};
    CHECK(!fo_hamiltonian_create(&def, &why));
    CHECK_CONTAINS(why.text, "less nesting");
    at = deep;
    for (int i = 0; i < 990; i++) *at++ = 'x', *at++ = '/';
    *at++ = 'x', *at = 0;
    CHECK(!fo_hamiltonian_create(&def, &why));
    CHECK_CONTAINS(why.text, "at most 1000 operations");
}

TEST_MAIN(TEST_ENTRY(the_documents_example), TEST_ENTRY(zero_is_as_good_as_any_value),
          TEST_ENTRY(text_is_read_back), TEST_ENTRY(partial_derivatives_use_the_index),
          TEST_ENTRY(a_quartic_oscillator_has_its_period), TEST_ENTRY(blocks_and_friction),
          TEST_ENTRY(what_makes_no_sense_is_refused), TEST_ENTRY(written_and_read_as_a_document),
          TEST_ENTRY(a_network_as_a_polynomial), TEST_ENTRY(every_allocation_may_fail),
          TEST_ENTRY(a_point_mass_in_polar_coordinates_moves_straight),
          TEST_ENTRY(a_planet_comes_back), TEST_ENTRY(derivatives_are_those_of_the_energy),
          TEST_ENTRY(derivatives_of_random_energies), TEST_ENTRY(what_is_written_is_read_back),
          TEST_ENTRY(wrong_energies_are_refused_with_their_column))
