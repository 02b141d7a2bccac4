/// Jacobians: by differences with as few evaluations as the pattern allows.
#include "solver/jacobian.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

enum { N = 12 };

/// x_i' = x_{i-1} x_i - 2 x_i^2 + 3 sin x_{i+1}, a chain.
static fo_status chain_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s, (void)t;
    for (int i = 0; i < N; i++) {
        double left = i ? x[i - 1] : 1, right = i < N - 1 ? x[i + 1] : 0;
        dx[i] = left * x[i] - 2 * x[i] * x[i] + 3 * sin(right);
    }
    return FO_OK;
}

static double exact(const double *x, uint32_t r, uint32_t c)
{
    if (r == c) return (r ? x[r - 1] : 1) - 4 * x[r];
    if (c + 1 == r) return x[r];
    return c == r + 1 ? 3 * cos(x[c]) : 0;
}

static uint32_t start[N + 1], row[3 * N];
static const fo_pattern tridiagonal = {N, start, row};

static void make_pattern(void)
{
    uint32_t e = 0;
    for (uint32_t c = 0; c < N; c++) {
        for (uint32_t r = c ? c - 1 : 0; r <= c + 1 && r < N; r++) row[e++] = r;
        start[c + 1] = e;
    }
}

static const fo_pattern *chain_pattern(const void *model, const fo_state *s)
{
    (void)s;
    return model ? model : &tridiagonal;
}

/// Refuses states above 1, as a logarithm's argument might.
static fo_status edge_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    for (int i = 0; i < N; i++)
        if (x[i] > 1) return FO_RETRY;
    return chain_rates(model, s, t, x, dx);
}

typedef struct bench {
    fo_state s;
    fo_message message;
    foi_solver o;
    foi_jacobian j;
    double x[N], f[N];
} bench;

static fo_status set(bench *b, const fo_system_type *type, const void *model)
{
    static const fo_description about = {.name = "chain"};
    make_pattern();
    *b = (bench){.s.shape.states = N};
    b->o = (foi_solver){.system = {type, &about, model},
                        .s = &b->s,
                        .n = N,
                        .rtol = 1e-6,
                        .atol = 1e-9,
                        .step = 1e-3,
                        .message = &b->message};
    for (int i = 0; i < N; i++) b->x[i] = 0.3 + 0.05 * i;
    chain_rates(NULL, &b->s, 0, b->x, b->f);
    return foi_jacobian_prepare(&b->j, &b->o);
}

TEST(coloured_differences_are_those_of_the_formula)
{
    static const fo_system_type type = {.rates = chain_rates, .pattern = chain_pattern};
    bench b;
    REQUIRE(set(&b, &type, NULL) == FO_OK);
    CHECK_INT(b.j.colours, 3);
    CHECK_INT(b.j.lower, 1);
    CHECK_INT(b.j.upper, 1);
    CHECK_INT(b.j.entries, 3 * N - 2);
    CHECK_INT(foi_jacobian_entries(&b.o), 3 * N - 2);
    double values[3 * N];
    CHECK(foi_jacobian_evaluate(&b.j, &b.o, 0, b.x, b.f, values) == FO_OK);
    CHECK_INT(b.o.counts.rates, 3);
    CHECK_INT(b.o.counts.jacobians, 1);
    for (uint32_t c = 0; c < N; c++)
        for (uint32_t e = start[c]; e < start[c + 1]; e++)
            CHECK_NEAR(values[e], exact(b.x, row[e], c), 1e-6);
    foi_jacobian_destroy(&b.j);
}

TEST(dense_differences_are_those_of_the_formula)
{
    static const fo_system_type type = {.rates = chain_rates};
    bench b;
    REQUIRE(set(&b, &type, NULL) == FO_OK);
    double values[N * N];
    CHECK(foi_jacobian_evaluate(&b.j, &b.o, 0, b.x, b.f, values) == FO_OK);
    CHECK_INT(b.o.counts.rates, N);
    for (uint32_t c = 0; c < N; c++)
        for (uint32_t r = 0; r < N; r++) CHECK_NEAR(values[c * N + r], exact(b.x, r, c), 1e-6);
    foi_jacobian_destroy(&b.j);
}

TEST(differences_turn_round_at_an_edge)
{
    static const fo_system_type type = {.rates = edge_rates, .pattern = chain_pattern};
    bench b;
    REQUIRE(set(&b, &type, NULL) == FO_OK);
    for (int i = 0; i < N; i++) b.x[i] = i == 4 ? 1 : 0.2;
    REQUIRE(edge_rates(NULL, &b.s, 0, b.x, b.f) == FO_OK);
    b.f[4] = fabs(b.f[4]); // towards the edge
    double values[3 * N], real[N];
    CHECK(foi_jacobian_evaluate(&b.j, &b.o, 0, b.x, b.f, values) == FO_OK);
    chain_rates(NULL, &b.s, 0, b.x, real);
    if (real[4] == b.f[4]) CHECK_NEAR(values[start[4] + 1], exact(b.x, 4, 4), 1e-6);
    CHECK_NEAR(values[start[4]], exact(b.x, 3, 4), 1e-6);
    CHECK(b.o.counts.rates > 3);
    foi_jacobian_destroy(&b.j);
}

TEST(a_malformed_pattern_is_refused)
{
    static const fo_system_type type = {.rates = chain_rates, .pattern = chain_pattern};
    bench b;
    make_pattern();
    uint32_t falling[N + 1], backward[3 * N], outside[3 * N];
    for (int i = 0; i <= N; i++) falling[i] = start[i];
    for (int i = 0; i < 3 * N; i++) backward[i] = outside[i] = row[i];
    falling[3] = falling[2] - 1;
    backward[0] = 1, backward[1] = 0;
    outside[5] = N;
    const fo_pattern bad[] = {
        {N - 1, start, row}, {N, falling, row}, {N, start, backward}, {N, start, outside}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_STATUS(set(&b, &type, &bad[k]), FO_ERROR_ARGUMENT, &b.message);
        CHECK_CONTAINS(b.message.text, "pattern");
        CHECK_INT(foi_jacobian_entries(&b.o), 0);
        foi_jacobian_destroy(&b.j);
    }
}

TEST_MAIN(TEST_ENTRY(coloured_differences_are_those_of_the_formula),
          TEST_ENTRY(dense_differences_are_those_of_the_formula),
          TEST_ENTRY(differences_turn_round_at_an_edge), TEST_ENTRY(a_malformed_pattern_is_refused))
