/// homotopy(actual, simplified): the start is found from the simplified equations; and relations
/// that turn each other find the combination that stands.
#include "samples.h"

// Where Newton's method begins all derivatives are zero by underflow: no way leads from there.
static const char *hills(bool with, char *text, size_t size)
{
    snprintf(text, size,
             "model M\n"
             "  parameter Integer n = 6; Real x[n];\n"
             "equation\n"
             "  for i in 1:n loop\n"
             "    0 = %sexp(-(x[i] - 1e6 - i)^2) - 0.5 + 1e-3*tanh(x[mod(i, n) + 1] - 1e6 - i)%s;\n"
             "  end for;\n"
             "end M;\n",
             with ? "homotopy(" : "", with ? ", x[i] - 1e6 - i - 0.3)" : "");
    return text;
}

// lambda (exp(-u^2) - 0.5) + (1 - lambda) (u - 0.3) goes up with u where it is zero, for each
// lambda: so its end is on the left side of the hill, but for the thousandth of a tanh.
TEST(homotopy_leads_where_newton_does_not)
{
    world w;
    char text[600], name[16];
    REQUIRE(begin(&w, hills(true, text, sizeof text), 1));
    for (int i = 1; i <= 6; i++) {
        snprintf(name, sizeof name, "x[%d]", i);
        CHECK_NEAR(at(&w, 0.5, name), 1e6 + i - sqrt(log(2)), 0.01);
    }
    end(&w);
}

// What a start that fails says, in the run's first moment.
static void say_failure(const char *text, char *said, size_t size)
{
    world w;
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    *said = 0;
    REQUIRE(world_open(&w, "test.mo", text, NULL));
    w.sim = fo_simulation_create(fo_text_model_system(w.model), &run, &why);
    if (w.sim && fo_simulation_advance(w.sim, 0.5) != FO_REACHED)
        snprintf(said, size, "%s", fo_simulation_message(w.sim)->text);
    else if (!w.sim)
        snprintf(said, size, "%s", why.text);
    end(&w);
}

TEST(without_homotopy_newton_does_not)
{
    char text[600], said[FO_MESSAGE_SIZE];
    say_failure(hills(false, text, sizeof text), said, sizeof said);
    CHECK(strstr(said, "cannot be solved at t = 0"));
    CHECK(!strstr(said, "homotopy"));
}

// A start that has no solution at all says what was tried.
TEST(what_was_tried_is_said)
{
    char said[FO_MESSAGE_SIZE];
    say_failure("model M Real x(start = 1); Real y(start = 1, fixed = true);\n"
                "equation 0 = homotopy(exp(x) + y, x - 1); der(y) = x;\n"
                "end M;\n",
                said, sizeof said);
    CHECK(strstr(said, "cannot be solved at t = 0"));
    CHECK(strstr(said, "tried before: homotopy"));
    CHECK(strstr(said, "lambda = "));
}

// x^3 = x from 0.1: the nearest solution is 0, the one that x = 2 leads to is 1.
TEST(the_simplified_form_chooses_the_solution)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real x(start = 0.1), y(start = 0.1), z[2](each start = 0.1);\n"
                  "equation 0 = homotopy(x^3 - x, x - 2); 0 = y^3 - y;\n"
                  "  zeros(2) = homotopy(z.^3 - z, simplified = z - {2, -2});\n"
                  "end M;\n",
                  1));
    CHECK_NEAR(at(&w, 0.5, "x"), 1, 1e-12);
    CHECK_NEAR(at(&w, 0.5, "y"), 0, 1e-12);
    CHECK_NEAR(at(&w, 0.5, "z[1]"), 1, 1e-12);
    CHECK_NEAR(at(&w, 0.5, "z[2]"), -1, 1e-12);
    end(&w);
}

// In the run, in states, on the left side and in functions it is the actual form. The simplified
// one has no say in what depends on what: x = y alone would be two names of one variable.
TEST(in_the_run_it_is_the_actual_form)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  function f input Real u; output Real v; algorithm v := homotopy(2*u, 5*u);\n"
                  "  end f;\n"
                  "  Real x(start = 1, fixed = true), y, a, b, c;\n"
                  "equation\n"
                  "  der(x) = homotopy(-x, 100); y = homotopy(x, 7*x);\n"
                  "  homotopy(a, 2*a) + b = x; b = homotopy(2*a, 0); c = f(x);\n"
                  "end M;\n",
                  1));
    double x = exp(-1.0);
    CHECK_NEAR(at(&w, 1, "x"), x, 1e-8);
    CHECK_NEAR(at(&w, 1, "y"), x, 1e-8);
    CHECK_NEAR(at(&w, 1, "a"), x / 3, 1e-8);
    CHECK_NEAR(at(&w, 1, "c"), 2 * x, 1e-8);
    end(&w);
}

// With homotopy at the start: 0 = x - 1 is not what the start is solved for.
TEST(initial_equations_have_it_too)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Real x(start = 0.2);\n"
                  "initial equation 0 = homotopy(x^3 - 4*x, x + 3);\n"
                  "equation der(x) = 0;\n"
                  "end M;\n",
                  1));
    CHECK_NEAR(at(&w, 1, "x"), -2, 1e-12);
    end(&w);
}

// A trigger with an integrator: at first at the lower limit, by the homotopy. It turns where
// u = v_in/V0 leaves the limit: c reaches 2/3 of the limit, less what the amplifier needs. The
// linear range solves the equations there as well, but does not stand.
static const char *const trigger =
    "model M\n"
    "  parameter Real V0 = 15000, V = 15; Real v_in, v_out, c(start = 0, fixed = true);\n"
    "equation\n"
    "  v_in = 0.6*c + 0.4*v_out;\n"
    "  v_out = homotopy(if V0*v_in > V then V else if V0*v_in < -V then -V else V0*v_in, %s);\n"
    "  der(c) = -v_out*(2/3);\n"
    "end M;\n";

TEST(a_trigger_starts_at_a_limit_and_turns_at_the_other)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        world w;
        char text[500];
        snprintf(text, sizeof text, trigger, sign < 0 ? "-V" : "V");
        REQUIRE(begin(&w, text, 4));
        // |c| grows by 10 a second, and turns where 0.6 c = 0.4 V - V/V0
        double turn = (0.4 * 15 - 0.001) / 0.6, period = 4 * turn / 10;
        CHECK_NEAR(at(&w, 0, "v_out"), sign * 15, 0);
        CHECK_NEAR(at(&w, 0.5, "c"), -sign * 5.0, 1e-9);
        CHECK_NEAR(at(&w, period / 4 - 1e-4, "v_out"), sign * 15, 0);
        CHECK_NEAR(at(&w, period / 4 + 1e-4, "v_out"), -sign * 15, 0);
        CHECK_NEAR(at(&w, period / 2, "c"), 0, 1e-6);
        CHECK_NEAR(at(&w, period * 3 / 4 + 1e-4, "v_out"), sign * 15, 0);
        end(&w);
    }
}

TEST(its_arguments_must_fit)
{
    world w = {0};
    fo_message why = {0};
    static const char *const texts[] = {
        "model M Real x = homotopy(1); end M;\n",
        "model M Real x[2] = homotopy({1, 2}, {1, 2, 3}); end M;\n",
        "model M Real x = homotopy(1, 2, 3); end M;\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fo_text_model_def def = {.path = "test.mo", .text = texts[i]};
        w.model = fo_text_model_open(&def, &why);
        CHECK(!w.model);
        CHECK(strstr(why.text, "homotopy"));
        fo_text_model_close(w.model);
    }
}

TEST_MAIN(TEST_ENTRY(homotopy_leads_where_newton_does_not),
          TEST_ENTRY(without_homotopy_newton_does_not), TEST_ENTRY(what_was_tried_is_said),
          TEST_ENTRY(the_simplified_form_chooses_the_solution),
          TEST_ENTRY(in_the_run_it_is_the_actual_form), TEST_ENTRY(initial_equations_have_it_too),
          TEST_ENTRY(a_trigger_starts_at_a_limit_and_turns_at_the_other),
          TEST_ENTRY(its_arguments_must_fit))
