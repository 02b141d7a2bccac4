// Threads and wavefronts change no bit.
#include "rig.h"

enum { MOST = 70000 };
static double start[MOST];

static fo_field_def square(int dimensions, uint32_t n)
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = (uint32_t)dimensions;
    for (int axis = 0; axis < 3; axis++) def.size[axis] = axis < dimensions ? n : 1;
    return def;
}

// sin(pi x) sin(pi y) sin(pi z) between fixed sides
static void fill_sines(uint32_t n, int dimensions)
{
    uint32_t size[3] = {n, dimensions > 1 ? n : 1, dimensions > 2 ? n : 1}, at = 0;
    for (uint32_t k = 0; k < size[2]; k++)
        for (uint32_t j = 0; j < size[1]; j++)
            for (uint32_t i = 0; i < size[0]; i++) {
                double value = sin(M_PI * i / (n - 1));
                if (dimensions > 1) value *= sin(M_PI * j / (n - 1));
                if (dimensions > 2) value *= sin(M_PI * k / (n - 1));
                start[at++] = value;
            }
}

static uint64_t hash(const double *x, size_t n)
{
    uint64_t h = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)x;
    for (size_t i = 0; i < n * sizeof *x; i++) h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

static const fo_field_point force = {.node = {7, 9, 0},
                                     .signal = {FO_SIGNAL_SINE, .amplitude = 50, .omega = 9}};

static uint64_t sweep_hash(fo_field_def *def, uint32_t threads, uint32_t block, uint64_t steps)
{
    fo_message why = {0};
    fo_field *f = fo_field_create(def, &why);
    fo_sweep_def sd = {
        .step = 0.9 * fo_field_limit(f, FO_FIELD_LEAPFROG), .threads = threads, .block = block};
    fo_sweep *s = fo_sweep_create(f, &sd, &why);
    CHECK(s);
    fo_sweep_advance(s, steps);
    uint64_t result = s ? hash(fo_sweep_values(s), fo_field_nodes(f)) : 0;
    fo_sweep_destroy(s);
    fo_field_destroy(f);
    return result;
}

// Long rows lie apart in memory, short ones do not: a sheet and the same sheet turned by a quarter.
TEST(long_rows_give_what_short_ones_give)
{
    enum { LONG = 1100, SHORT = 61, STEPS = 200 };
    static double values[2][LONG * SHORT];
    for (int turned = 0; turned < 2; turned++) {
        fo_field_point tap = force;
        fo_field_def def = fo_default_field_def();
        fo_message why = {0};
        def.dimensions = 2;
        def.size[turned] = LONG, def.size[!turned] = SHORT;
        def.length[turned] = LONG - 1, def.length[!turned] = SHORT - 1;
        tap.node[turned] = 507, tap.node[!turned] = 30;
        def.points = &tap, def.point_count = 1;
        fo_field *f = fo_field_create(&def, &why);
        fo_sweep_def sd = {.step = 0.5, .threads = 2, .block = 8};
        fo_sweep *s = fo_sweep_create(f, &sd, &why);
        CHECK(s);
        if (!s) return;
        fo_sweep_advance(s, STEPS);
        const double *all = fo_sweep_values(s);
        for (uint32_t i = 0; i < LONG; i++)
            for (uint32_t j = 0; j < SHORT; j++)
                values[turned][i * SHORT + j] =
                    all[turned ? fo_field_index(f, j, i, 0) : fo_field_index(f, i, j, 0)];
        fo_sweep_destroy(s);
        fo_field_destroy(f);
    }
    CHECK(fabs(values[0][507 * SHORT + 30]) > 1);
    CHECK(memcmp(values[0], values[1], sizeof values[0]) == 0);
}

TEST(sweeps_have_the_same_bits_for_all_threads_and_blocks)
{
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        uint32_t n = dimensions == 2 ? 61 : 23;
        fo_field_def def = square(dimensions, n);
        fill_sines(n, dimensions);
        def.start = start, def.b1 = 0.1;
        def.points = &force, def.point_count = 1;
        def.sides[1].kind = FO_SIDE_ABSORBING;
        def.sides[2].kind = FO_SIDE_FREE;
        uint64_t expected = sweep_hash(&def, 1, 1, 50);
        for (uint32_t threads = 1; threads <= 4; threads++)
            for (uint32_t block = 1; block <= 8; block += 7)
                CHECK(sweep_hash(&def, threads, block, 50) == expected);
        def.b2 = 0.001;
        CHECK(sweep_hash(&def, 1, 1, 50) == sweep_hash(&def, 3, 8, 50));
    }
}

// Rates with several threads: the grid is large enough that they are used.
TEST(threads_change_no_bit_of_the_stepper)
{
    enum { N = 200 };
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        fo_field_def def = square(2, N);
        fill_sines(N, 2);
        def.start = start, def.b2 = 1e-4, def.threads = threads;
        rig r;
        REQUIRE(rig_start(&r, &def, 0.02, 0.002, NULL));
        CHECK_INT(rig_to(&r, 0.02), FO_REACHED);
        uint64_t h = hash(fo_simulation_state(r.sim)->x, 2 * N * N);
        if (threads == 1) first = h;
        CHECK(h == first);
        rig_end(&r);
    }
}

TEST_MAIN(TEST_ENTRY(long_rows_give_what_short_ones_give),
          TEST_ENTRY(sweeps_have_the_same_bits_for_all_threads_and_blocks),
          TEST_ENTRY(threads_change_no_bit_of_the_stepper))
