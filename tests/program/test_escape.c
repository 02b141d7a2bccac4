// Texts whose states go to infinity in finite time: with fixed steps, too, which end beyond it, the
// run says so. What lies between the last of them (a power of a negative number) is not blamed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "world.h"

TEST(fixed_steps_say_that_it_escapes)
{
    static const char words[] = "escapes to infinity near t = ";
    static const char *const solvers[] = {"euler", "midpoint", "heun",     "rk4",
                                          "ab2",   "ab3",      "trapezoid"};
    static const struct {
        const char *text;
        double stop, at;
    } cases[] = {
        {"model Slow Real x(start = 1, fixed = true); equation der(x) = x^1.1; end Slow;", 20, 10},
        {"model Root Real x(start = 1, fixed = true); equation der(x) = x*sqrt(x); end Root;", 5,
         2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            fo_run_def def = fo_default_run_def();
            def.stop = cases[i].stop, def.solver = solvers[k], def.step = cases[i].stop / 1000;
            world w;
            if (world_begin(&w, cases[i].text, &def)) {
                fo_status status = fo_simulation_advance(w.sim, cases[i].stop);
                const char *text = fo_simulation_message(w.sim)->text, *found = strstr(text, words);
                double at = found ? strtod(found + strlen(words), NULL) : 0;
                if (!fo_failed(status) || !(fabs(at - cases[i].at) <= 0.06 * cases[i].at))
                    test_fail(__FILE__, __LINE__, "%s: %s", solvers[k], text);
            }
            world_end(&w);
        }
}

TEST_MAIN(TEST_ENTRY(fixed_steps_say_that_it_escapes))
