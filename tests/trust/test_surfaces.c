// A state that an event has put onto a surface is exactly zero there, and has no size that a
// relative tolerance could be of. However small atol is, the run goes on as with any other: the
// ball has its closed form, the block stays where it is, and neither takes steps of 1e-37 s.
#include "../language/run.h"

static const char *const solvers[] = {NULL,     "dp45",   "dop853",    "bs23",
                                      "radau5", "rodas4", "cvode-bdf", NULL};

static bool start(world *w, const char *text, double stop, double atol, size_t k)
{
    fo_message why = {0};
    if (solvers[k] && !fo_solver_find(solvers[k], NULL)) return false; // not in this build
    if (!world_open(w, "test.mo", text, NULL)) return false;
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.atol = atol, run.solver = solvers[k];
    w->sim = fo_simulation_create(fo_text_model_system(w->model), &run, &why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return w->sim != NULL;
}

static const double atols[] = {1e-9, 1e-20, 1e-30, 1e-40, 1e-100};
enum { ATOLS = sizeof atols / sizeof *atols, SOLVERS = sizeof solvers / sizeof *solvers - 1 };

static void few_steps(const world *w, size_t k, double atol)
{
    uint64_t steps = fo_simulation_statistics(w->sim).steps;
    if (steps > 2000)
        test_fail(__FILE__, __LINE__, "%s, atol %g: %llu steps", solvers[k] ? solvers[k] : "", atol,
                  (unsigned long long)steps);
}

// Falls from 1 and keeps half of its speed: impacts at t1, 2 t1, 2.5 t1, ..., t1 = sqrt(2/g).
TEST(a_ball_at_its_impact)
{
    static const char text[] =
        "model B Real x(start=1,fixed=true), v(start=0,fixed=true); equation der(x)=v; "
        "der(v)=-9.81; when x<0 then reinit(v,-0.5*pre(v)); end when; end B;";
    double t1 = sqrt(2 / 9.81), v1 = 9.81 * t1 / 2;
    for (size_t i = 0; i < ATOLS * SOLVERS; i++) {
        world w = {0};
        size_t k = i % SOLVERS;
        if (start(&w, text, 2, atols[i / SOLVERS], k)) {
            double s = 1.6 * t1 - t1, r = 2.3 * t1 - 2 * t1;
            CHECK_NEAR(at(&w, 1.6 * t1, "x"), v1 * s - 9.81 / 2 * s * s, 1e-6);
            CHECK_NEAR(at(&w, 2.3 * t1, "x"), v1 / 2 * r - 9.81 / 2 * r * r, 1e-6);
            CHECK_NEAR(at(&w, 2, "x"), 0, 1e-9); // at rest since 3 t1
            few_steps(&w, k, atols[i / SOLVERS]);
        }
        end(&w);
    }
}

TEST(a_block_that_slides)
{
    static const char text[] =
        "model S Real s(start=0.3,fixed=true), z(start=0,fixed=true), q(start=1,fixed=true); "
        "equation der(s)=(if s>0 then -1 else 1)+0.2*sin(z); der(z)=1; der(q)=-q; end S;";
    for (size_t i = 0; i < ATOLS * SOLVERS; i++) {
        world w = {0};
        size_t k = i % SOLVERS;
        if (start(&w, text, 2, atols[i / SOLVERS], k)) {
            CHECK_NEAR(at(&w, 1, "s"), 0, 1e-9);
            CHECK_NEAR(at(&w, 2, "s"), 0, 1e-9);
            CHECK_NEAR(at(&w, 2, "z"), 2, 1e-9);
            CHECK_NEAR(at(&w, 2, "q"), exp(-2), 1e-5);
            few_steps(&w, k, atols[i / SOLVERS]);
        }
        end(&w);
    }
}

// Slides at zero, and is kicked off it to either side: behind each kick x comes back at rate c + b,
// or c - b, and its integral has grown by x |x|/2 over that. In any unit of x, with methods of
// fixed steps, too, and beside a state that is large.
TEST(a_kick_is_none_of_the_tolerance)
{
    static const char *const some[] = {"dp45", "radau5", "rk4", "heun", "implicit-midpoint"};
    static const double scales[] = {1, 0x1p-20, 0x1p-40, 0x1p-60};
    for (size_t i = 0; i < 40; i++) {
        char text[600];
        double c = scales[i / 5 % 4], first = c / 4, one = c / 32, two = c / 8;
        snprintf(text, sizeof text,
                 "model K Real x(start=%.17g,fixed=true), q(start=0,fixed=true), "
                 "w(start=%d,fixed=true); discrete Real b(start=%.17g,fixed=true); equation "
                 "der(w) = -2*sign(w); der(x) = -%.17g*sign(x) + b; der(q) = x; "
                 "when sample(1,1) then b = -%.17g; end when; "
                 "when time >= 1 then reinit(x, -%.17g); elsewhen time >= 2 then "
                 "reinit(x, %.17g); end when; end K;",
                 -first, i < 20 ? 0 : 1, c / 2, c, c / 4, one, two);
        world w = {0};
        fo_message why = {0};
        if (world_open(&w, "test.mo", text, NULL)) {
            fo_run_def run = fo_default_run_def();
            run.stop = 3, run.solver = some[i % 5];
            w.sim = fo_simulation_create(fo_text_model_system(w.model), &run, &why);
            CHECK_STATUS(why.status, FO_OK, &why);
        }
        if (w.sim) {
            double q = first * first / (3 * c) + one * one / (1.5 * c) - two * two / (2.5 * c);
            CHECK_NEAR(at(&w, 3, "q") / c, -q / c, 1e-5);
            CHECK_NEAR(at(&w, 3, "x") / c, 0, 1e-9);
        }
        end(&w);
    }
}

// All states are zero at the start, so that nothing says what unit they have but what moves them.
// Down by c/32 until 1, at zero from 1.03125 on, kicked to c/8 at 1.25, and on by c/8 a second.
TEST(what_begins_at_zero_has_the_unit_of_its_rates)
{
    static const char *const some[] = {"dp45", "radau5", "rk4"};
    static const double scales[] = {1, 0x1p-20, 0x1p-38, 0x1p-60};
    for (size_t i = 0; i < 12; i++) {
        char text[800];
        double c = scales[i / 3];
        snprintf(text, sizeof text,
                 "model Z Real x(start=0,fixed=true), q(start=0,fixed=true); Integer n(start=0); "
                 "discrete Real b(start=%.17g,fixed=true); equation "
                 "der(x) = -%.17g*(if x>0 then 1 else -1) + b; der(q) = x; "
                 "when sample(0.25,0.25) then b = if time<0.625 then %.17g else if time<0.875 then "
                 "%.17g else if time<1.125 then 0 else %.17g; end when; "
                 "when x > %.17g then n = pre(n)+1; end when; "
                 "when time >= 0.5 then reinit(x,0.0); elsewhen time >= 1.25 then "
                 "reinit(x,%.17g); end when; end Z;",
                 c * 0.625, c, c * 0.875, -c * 1.125, c * 1.125, c * 0.08, c / 8);
        world w = {0};
        fo_message why = {0};
        if (world_open(&w, "test.mo", text, NULL)) {
            fo_run_def run = fo_default_run_def();
            run.stop = 1.40625, run.solver = some[i % 3];
            w.sim = fo_simulation_create(fo_text_model_system(w.model), &run, &why);
            CHECK_STATUS(why.status, FO_OK, &why);
        }
        if (w.sim) {
            CHECK_NEAR(at(&w, 1.40625, "n"), 1, 0);
            CHECK_NEAR(at(&w, 1.40625, "x") / c, 0.14453125, 1e-6);
            CHECK_NEAR(at(&w, 1.40625, "q") / c, 0.01666259765625, 1e-6);
        }
        end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(a_ball_at_its_impact), TEST_ENTRY(a_block_that_slides),
          TEST_ENTRY(a_kick_is_none_of_the_tolerance),
          TEST_ENTRY(what_begins_at_zero_has_the_unit_of_its_rates))
