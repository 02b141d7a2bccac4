/// Streams that meet in one point, by semiLinear: what flows out is the mixture of what flows in,
/// and where nothing flows it is defined all the same.
#include "samples.h"

// n volumes with enthalpies 10, 20, 30, ... around a point; what flows into volume i is x[i](time).
static const char *junction(const char *x, char *text, size_t size)
{
    snprintf(text, size,
             "model M\n"
             "  parameter Real s[4] = {10, 20, 30, 40};\n"
             "  Real x[4], H[4], h, E[4](each start = 0, each fixed = true);\n"
             "equation\n"
             "  x = %s;\n"
             "  for i in 1:4 loop\n"
             "    H[i] = semiLinear(x[i], h, s[i]);\n"
             "    der(E[i]) = H[i];\n"
             "  end for;\n"
             "  H[1] + H[2] + H[3] + H[4] = 0;\n"
             "end M;\n",
             x);
    return text;
}

static double sum_of(world *w, double t, const char *name)
{
    double sum = 0;
    char element[16];
    for (int i = 1; i <= 4; i++) {
        snprintf(element, sizeof element, "%s[%d]", name, i);
        sum += at(w, t, element);
    }
    return sum;
}

// Into the point from 1 and 2 by one and two parts, out of it into 3; nothing to and from 4.
TEST(what_flows_out_is_mixed_of_what_flows_in)
{
    world w;
    char text[700];
    REQUIRE(begin(&w, junction("{-1, -2, 3, 0}*(1 + time)", text, sizeof text), 2));
    CHECK_NEAR(at(&w, 1, "h"), (10 + 2 * 20) / 3.0, 1e-12);
    CHECK_NEAR(at(&w, 1, "H[1]"), -20, 1e-12);
    CHECK_NEAR(at(&w, 1, "H[3]"), 2 * 50, 1e-12);
    CHECK_NEAR(sum_of(&w, 2, "H"), 0, 1e-10);
    end(&w);
}

// The flow turns at t = 1, all of it: before, 3 is fed by 1 and 2, after it 1 and 2 by 3.
TEST(it_turns_with_the_flow)
{
    world w;
    char text[700];
    REQUIRE(begin(&w, junction("{-1, -2, 3, 0}*(1 - time)", text, sizeof text), 2));
    CHECK_NEAR(at(&w, 0.5, "h"), 50 / 3.0, 1e-12);
    CHECK_NEAR(at(&w, 1.5, "h"), 30, 1e-12);
    CHECK_NEAR(sum_of(&w, 2, "E"), 0, 1e-9);
    // volume 3 gets 3 (50/3) (1 - t) for a second and gives 3 30 (t - 1) for another
    CHECK_NEAR(at(&w, 2, "E[3]"), 25 - 45, 1e-8);
    end(&w);
}

// Nothing flows for a second: every h solves the equations; it is the mean, as with inStream.
TEST(where_nothing_flows_it_is_the_mean)
{
    world w;
    char text[700];
    REQUIRE(begin(&w, junction("{-1, -2, 3, 0}*max(0, time - 1)", text, sizeof text), 2));
    CHECK_NEAR(at(&w, 0, "h"), 25, 1e-12);
    CHECK_NEAR(at(&w, 0.5, "h"), 25, 1e-12);
    CHECK_NEAR(at(&w, 1.5, "h"), 50 / 3.0, 1e-12);
    CHECK_NEAR(sum_of(&w, 2, "E"), 0, 1e-9);
    end(&w);
}

// By connections, with signs of their own: two sources, a pump without volume, a sink.
TEST(connections_of_volumes_mix)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  connector P Real p; Real h; flow Real m; flow Real H; end P;\n"
                  "  model Volume P p; parameter Real s = 1; parameter Real m = 0;\n"
                  "  equation p.m = m*time; p.H = semiLinear(p.m, p.h, s); end Volume;\n"
                  "  model Sink P p; parameter Real s = 1;\n"
                  "  equation p.p = 0; p.H = semiLinear(p.m, p.h, s); end Sink;\n"
                  "  Volume a(s = 100, m = -1), b(s = 40, m = -5); Sink c(s = 7);\n"
                  "equation connect(a.p, b.p); connect(b.p, c.p);\n"
                  "end M;\n",
                  2));
    CHECK_NEAR(at(&w, 0, "c.p.h"), (100 + 40 + 7) / 3.0, 1e-12);
    CHECK_NEAR(at(&w, 1, "c.p.h"), (100 + 5 * 40) / 6.0, 1e-12);
    CHECK_NEAR(at(&w, 1, "c.p.H"), 300, 1e-10);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(what_flows_out_is_mixed_of_what_flows_in), TEST_ENTRY(it_turns_with_the_flow),
          TEST_ENTRY(where_nothing_flows_it_is_the_mean), TEST_ENTRY(connections_of_volumes_mix))
