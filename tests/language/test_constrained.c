/// Many constraints that have nothing, or little, to do with each other.
#include <stdlib.h>
#include <time.h>

#include "samples.h"

static const char pairs[] = "model M\n"
                            "  parameter Integer n = %d;\n"
                            "  Real p[n](each start = 1), w[n](each start = 0), q[n], u[n], f[n];\n"
                            "equation\n"
                            "  for i in 1:n loop\n"
                            "    der(p[i]) = w[i]; der(w[i]) = f[i] - p[i];\n"
                            "    der(q[i]) = u[i]; 2*der(u[i]) = -f[i]; 2*q[i] = 3*p[i];\n"
                            "  end for;\n"
                            "end M;\n";

static const char chain[] = "model M\n"
                            "  parameter Integer n = %d;\n"
                            "  Real x[n], y;\n"
                            "equation\n"
                            "  x[1] = sin(time);\n"
                            "  for i in 2:n loop x[i] = cos(x[i - 1]); end for;\n"
                            "  y = der(x[n]);\n"
                            "end M;\n";

// Seconds of the processor that it takes to translate.
static bool begin_with(world *w, const char *format, int n, double *seconds)
{
    char text[1000];
    clock_t from = clock();
    snprintf(text, sizeof text, format, n);
    bool good = begin(w, text, 2);
    *seconds = (double)(clock() - from) / CLOCKS_PER_SEC;
    return good;
}

// Two masses that are one: der(w) = f - p, 3 der(w) = -f: p = cos(t/2). As one matrix of all
// constraints 3,000 pairs took 10 s and 1.7 GB.
TEST(rigid_pairs_of_masses)
{
    double few, many;
    world w;
    CHECK(begin_with(&w, pairs, 300, &few));
    end(&w);
    CHECK(begin_with(&w, pairs, 3000, &many));
    CHECK_NEAR(at(&w, 2, "p[1]"), cos(1), 1e-5);
    CHECK_NEAR(at(&w, 2, "u[2999]"), -0.75 * sin(1), 1e-5);
    CHECK_NEAR(at(&w, 2, "f[3000]"), 0.75 * cos(1), 1e-5);
    CHECK(many < 40 * few + 1);
    end(&w);
}

// The derivative by the chain rule, from the front.
TEST(derivative_at_the_end_of_a_chain)
{
    enum { N = 10000 };
    double seconds, x = sin(0.7), slope = cos(0.7);
    world w;
    CHECK(begin_with(&w, chain, N, &seconds));
    for (int i = 2; i <= N; i++) slope *= -sin(x), x = cos(x);
    CHECK_NEAR(at(&w, 0.7, "y"), slope, 1e-12 * fabs(slope) + 1e-300);
    CHECK(seconds < 20); // a minute and more as one matrix
    end(&w);
    // not so long, so that something is left of it
    CHECK(begin_with(&w, chain, 40, &seconds));
    x = sin(0.7), slope = cos(0.7);
    for (int i = 2; i <= 40; i++) slope *= -sin(x), x = cos(x);
    CHECK_NEAR(at(&w, 0.7, "y"), slope, 1e-12 * fabs(slope));
    end(&w);
}

// Masses in a row, each bound to the next by a lever: the constraints hang together.
TEST(masses_bound_in_a_row)
{
    static const char row[] = "model M\n"
                              "  parameter Integer n = %d;\n"
                              "  Real x[n], v[n], f[n - 1];\n"
                              "equation\n"
                              "  for i in 1:n loop der(x[i]) = v[i]; end for;\n"
                              "  for i in 2:n - 1 loop der(v[i]) = 1.01*f[i] - f[i - 1]; end for;\n"
                              "  der(v[1]) = 1.01*f[1] - x[1]; der(v[n]) = -f[n - 1];\n"
                              "  for i in 1:n - 1 loop x[i + 1] = 1.01*x[i]; end for;\n"
                              "initial equation\n"
                              "  x[1] = 1; v[1] = 0;\n"
                              "end M;\n";
    enum { N = 200 };
    double seconds;
    world w;
    // one mass of sum 1.01^(2 i) on one spring
    double mass = 0, ratio = 1;
    for (int i = 0; i < N; i++) mass += ratio * ratio, ratio *= 1.01;
    CHECK(begin_with(&w, row, N, &seconds));
    CHECK_NEAR(at(&w, 2, "x[1]"), cos(2 / sqrt(mass)), 1e-6);
    CHECK_NEAR(at(&w, 2, "x[200]"), ratio / 1.01 * cos(2 / sqrt(mass)), 1e-5);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(rigid_pairs_of_masses), TEST_ENTRY(derivative_at_the_end_of_a_chain),
          TEST_ENTRY(masses_bound_in_a_row))
