// Play between gears against brute force: what drives it may turn round, meet a side just where a
// step ends, or jump because another node switches.
#include "../diagram/run.h"

typedef struct waves {
    double a[2], w[2], p[2]; ///< a sin(w t + p), summed
    double width;
    double on, off; ///< of a relay between them that gives 1.5 or -0.5; NAN: there is none
} waves;

static bool open_waves(diagram_run *r, const waves *c)
{
    char text[2000];
    bool relay = !isnan(c->on);
    snprintf(
        text, sizeof text,
        "'simulation': {'integrator': 'dp45', 'rtol': 1e-8, 'atol': 1e-9}, 'nodes': ["
        "{'name': 'a', 'type': 'Sine Wave', 'parameters': {'Amplitude': %g, 'Frequency': %g, "
        "'Phase': %g}}, {'name': 'b', 'type': 'Sine Wave', 'parameters': {'Amplitude': %g, "
        "'Frequency': %g, 'Phase': %g}}, {'name': 's', 'type': 'Sum'}, {'name': 'r', 'type': "
        "'Relay', 'parameters': {'Switch on Point': %g, 'Switch off Point': %g, 'Output when on': "
        "1.5, 'Output when off': -0.5}}, {'name': 'g', 'type': 'Backlash', 'parameters': "
        "{'Dead-Band Width': %g}}, {'name': 'i', 'type': 'Integrator'}, {'name': 'e', 'type': "
        "'Display'}, {'name': 'z', 'type': 'Terminator'}], 'lines': [{'from': 'a', 'to': 's:1'}, "
        "{'from': 'b', 'to': 's:2'}, {'from': 's', 'to': ['r'%s]}, {'from': 'r', 'to': ['%s']}, "
        "{'from': 'g', 'to': 'i'}, {'from': 'i', 'to': 'e'}]",
        c->a[0], c->w[0], c->p[0], c->a[1], c->w[1], c->p[1], relay ? c->on : 1,
        relay ? c->off : -1, c->width, relay ? ", 'z'" : ", 'g'", relay ? "g" : "z");
    return open_run(r, text);
}

static double brute_force(const waves *c, double stop)
{
    enum { PARTS = 200000 };
    double sum = 0, y = 0, half = c->width / 2;
    bool on = false;
    for (int k = 0; k < PARTS; k++) {
        double t = (k + 0.5) * stop / PARTS, u = 0;
        for (int j = 0; j < 2; j++) u += c->a[j] * sin(c->w[j] * t + c->p[j]);
        on = u >= c->on || (on && u > c->off);
        if (!isnan(c->on)) u = on ? 1.5 : -0.5;
        y = fmin(fmax(y, u - half), u + half);
        sum += y;
    }
    return sum * stop / PARTS;
}

TEST(what_drives_it_is_followed)
{
    static const waves all[] = {{{1.45, 0.9}, {4.33, 4.51}, {-2.87, -2.64}, 0.63, NAN, NAN},
                                {{2, 0}, {1, 1}, {0, 0}, 1, NAN, NAN},
                                {{1.2, 0.7}, {0.9, 3.1}, {0.4, 2}, 0.2, NAN, NAN},
                                {{0.61, 0.43}, {5.99, 3.98}, {-0.28, 1.2}, 0.44, -0.11, -0.65},
                                {{1.54, 1.28}, {5.8, 1.06}, {-0.81, -2.78}, 0.31, 0.45, -0.57}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        diagram_run r;
        REQUIRE(open_waves(&r, &all[k]));
        for (double t = 2; t <= 10; t += 4)
            CHECK_NEAR(value_at(&r, t, "e"), brute_force(&all[k], t), 2e-3);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(what_drives_it_is_followed))
