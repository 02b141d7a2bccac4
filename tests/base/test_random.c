// The generators: known answers, addresses, independence.
#include <foliot/random.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/random_philox.h"
#include "base/random_unit.h"
#include "shape.h"

// From the known-answer file of Random123 (kat_vectors).
TEST(philox_gives_the_known_answers)
{
    static const struct {
        uint64_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{~0ull, ~0ull, ~0ull, ~0ull},
         {~0ull, ~0ull},
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
         {0x452821e638d01377, 0xbe5466cf34e90c6c},
         {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t out[4];
        foi_philox(known[i].counter, known[i].key, out);
        CHECK(memcmp(out, known[i].answer, sizeof out) == 0);
    }
    fo_random r = fo_random_stream(0, 0);
    for (int i = 0; i < 4; i++) CHECK(fo_random_bits(&r) == known[0].answer[i]);
    r = fo_random_stream(1, 2);
    uint64_t block[4];
    foi_philox((uint64_t[]){0, 0, 0, 0}, (uint64_t[]){1, 2}, block);
    CHECK(fo_random_bits(&r) == block[0]);
}

TEST(products_of_words_are_exact)
{
    uint64_t high, low = foi_multiply(0xfedcba9876543210, 0x0123456789abcdef, &high);
    CHECK(high == 0x0121fa00ad77d742);
    CHECK(low == 0x2236d88fe5618cf0);
}

static void seek_everywhere(fo_random start, uint64_t per_draw)
{
    enum { DRAWS = 40 };
    double drawn[DRAWS];
    fo_random r = start;
    for (int i = 0; i < DRAWS; i++) {
        CHECK(fo_random_tell(&r) == (uint64_t)i * per_draw);
        drawn[i] = fo_random_unit(&r);
    }
    for (int i = DRAWS - 1; i >= 0; i--) {
        fo_random_seek(&r, (uint64_t)i * per_draw);
        CHECK(fo_random_tell(&r) == (uint64_t)i * per_draw);
        fo_random copy = r;
        for (int k = i; k < DRAWS; k++) CHECK(fo_random_unit(&r) == drawn[k]);
        CHECK(fo_random_unit(&copy) == drawn[i]); // a copy goes its own way
    }
}

TEST(any_place_can_be_sought)
{
    seek_everywhere(fo_random_stream(5, 17), 1);
    seek_everywhere(fo_random_java(54521), 2);
    fo_random far = fo_random_stream(5, 17), near = far;
    fo_random_seek(&far, 1ull << 62 | 3);
    CHECK(fo_random_tell(&far) == (1ull << 62 | 3));
    CHECK(fo_random_bits(&far) != fo_random_bits(&near));
}

// Values printed by OpenJDK 17.
TEST(java_gives_the_numbers_of_java)
{
    fo_random r = fo_random_java(54521);
    static const double first[] = {0x1.368e30ac00a24p-1, 0x1.df682f9a9acb4p-3, 0x1.66e971d003c92p-1,
                                   0x1.02e9e2760ef7ep-1, 0x1.dc02064f13f9p-2};
    for (int i = 0; i < 5; i++) CHECK(fo_random_unit(&r) == first[i]);
    CHECK_INT(fo_random_java_int(&r), 1143418589);
    CHECK_INT(fo_random_java_int_below(&r, 10), 0);
    CHECK_INT(fo_random_java_int_below(&r, 16), 13);
    CHECK_INT(fo_random_java_int_below(&r, 1431655766), 511541178);
    CHECK_INT(fo_random_java_long(&r), 604941879760881378);
    CHECK(!fo_random_java_boolean(&r));
    static const double normal[] = {-0x1.a2e9c91870831p-1, -0x1.3946a20b26098p-3,
                                    0x1.8cdf906da992bp-2, -0x1.d23452de4d996p-1};
    for (int i = 0; i < 4; i++) CHECK_NEAR(fo_random_normal(&r, 0, 1), normal[i], 4e-16);
    CHECK(fo_random_unit(&r) == 0x1.082ac3cbc1994p-3);

    r = fo_random_java(-42);
    static const int refused[] = {585437265, 878838546, 130888552, 601059636, 736493986, 392995081};
    for (int i = 0; i < 6; i++) CHECK_INT(fo_random_java_int_below(&r, 1431655766), refused[i]);
    CHECK_INT(fo_random_java_long(&r), -6501917467923074854);

    r = fo_random_java(7);
    fo_random_seek(&r, 1000);
    CHECK_INT(fo_random_java_int(&r), 697715048);
}

// A half of a normal pair that Java keeps does not survive a seek.
TEST(seeking_forgets_the_kept_normal_number)
{
    fo_random r = fo_random_java(3);
    double first = fo_random_normal(&r, 0, 1);
    fo_random_seek(&r, 0);
    CHECK(fo_random_normal(&r, 0, 1) == first);
}

TEST(words_are_even_in_every_bit)
{
    enum { WORDS = 100000 };
    fo_random r = fo_random_stream(11, 3);
    int64_t ones[64] = {0}, bytes[256] = {0};
    for (int i = 0; i < WORDS; i++) {
        uint64_t bits = fo_random_bits(&r);
        for (int b = 0; b < 64; b++) ones[b] += bits >> b & 1;
        bytes[bits & 255]++;
    }
    for (int b = 0; b < 64; b++) CHECK_NEAR((double)ones[b], WORDS / 2.0, 4 * sqrt(WORDS / 4.0));
    double even[256];
    for (int i = 0; i < 256; i++) even[i] = 1.0 / 256;
    CHECK(pearson(bytes, even, 256, WORDS) < PEARSON_LIMIT);
}

// Neighbouring streams, neighbouring seeds, and one stream a step later: no correlation.
TEST(streams_are_independent)
{
    enum { DRAWS = 50000 };
    const fo_random base = fo_random_stream(1, 1);
    fo_random others[] = {fo_random_stream(1, 2), fo_random_stream(2, 1),
                          fo_random_stream(1, 1ull << 63), fo_random_stream(1ull << 63 | 1, 1),
                          fo_random_stream(1, 1)};
    fo_random_seek(&others[4], 1);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        fo_random a = base, b = others[k];
        double product = 0;
        for (int i = 0; i < DRAWS; i++)
            product += (fo_random_unit(&a) - 0.5) * (fo_random_unit(&b) - 0.5);
        CHECK_NEAR(product * 12 / DRAWS, 0, 4 / sqrt(DRAWS));
    }
}

typedef struct drawing {
    uint64_t stream;
    double sum;
} drawing;

static void *draw_some(void *argument)
{
    drawing *d = argument;
    fo_random r = fo_random_stream(99, d->stream);
    for (int i = 0; i < 2000; i++)
        d->sum += fo_random_gamma(&r, 2.5, 1) + (double)fo_random_poisson(&r, 20);
    return NULL;
}

TEST(threads_draw_what_one_thread_draws)
{
    enum { THREADS = 4 };
    drawing alone[THREADS] = {{0}}, together[THREADS] = {{0}};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i].stream = together[i].stream = (uint64_t)i;
        REQUIRE(pthread_create(&threads[i], NULL, draw_some, &together[i]) == 0);
    }
    for (int i = THREADS - 1; i >= 0; i--) draw_some(&alone[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(alone[i].sum == together[i].sum);
    }
    CHECK(alone[0].sum != alone[1].sum);
}

TEST(bounded_integers_are_even)
{
    enum { DRAWS = 60000 };
    fo_random generators[] = {fo_random_stream(4, 4), fo_random_java(4)};
    for (int g = 0; g < 2; g++) {
        fo_random r = generators[g];
        int64_t counts[6] = {0}, thirds[3] = {0};
        double sixths[6] = {1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0};
        double third[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
        for (int i = 0; i < DRAWS; i++) {
            counts[fo_random_below(&r, 6)]++;
            // without refusals every other one would be a multiple of 3
            thirds[fo_random_below(&r, 3ull << 62) % 3]++;
        }
        CHECK(pearson(counts, sixths, 6, DRAWS) < PEARSON_LIMIT);
        CHECK(pearson(thirds, third, 3, DRAWS) < PEARSON_LIMIT);
        CHECK(fo_random_below(&r, 1) == 0);
        CHECK(fo_random_below(&r, 0) != fo_random_below(&r, 0));
    }
}

// The layers of the ziggurats computed again, in the order in which their definition stands.
static void check_ziggurat(const double *x, const double *f, double tail, double (*inverse)(double),
                           double (*density)(double))
{
    double v = x[1] * density(x[1]) + tail;
    CHECK_NEAR(x[0] * density(x[1]), v, 1e-17);
    CHECK(x[256] == 0 && f[256] == 1 && f[0] == 0);
    for (int i = 1; i < 256; i++) {
        CHECK_NEAR(f[i], density(x[i]), 2e-16);
        CHECK_NEAR(x[i] * (f[i + 1] - f[i]), v, 1e-16 * fmax(1, x[i]));
        if (i < 255) CHECK_NEAR(x[i + 1], inverse(f[i] + v / x[i]), 1e-13);
    }
}

static double normal_density(double x)
{
    return exp(-0.5 * x * x);
}

static double normal_inverse(double y)
{
    return sqrt(-2 * log(y));
}

static double exponential_density(double x)
{
    return exp(-x);
}

static double exponential_inverse(double y)
{
    return -log(y);
}

TEST(the_layers_of_the_ziggurats_have_one_area)
{
    const double pi = 3.14159265358979323846;
    check_ziggurat(foi_normal_x, foi_normal_f, sqrt(pi / 2) * erfc(foi_normal_x[1] / sqrt(2)),
                   normal_inverse, normal_density);
    check_ziggurat(foi_exponential_x, foi_exponential_f, exp(-foi_exponential_x[1]),
                   exponential_inverse, exponential_density);
}

// Where between two edges of layers a number falls is uniform in the distribution function. Under
// a staircase instead of the curve it would be uniform in x, which moves the mean by 0.001.
static void check_steps(const double *edges, double (*draw)(fo_random *r), double (*tail)(double x))
{
    enum { MANY = 3000000 };
    static double tails[257];
    for (int i = 0; i < 257; i++) tails[i] = tail(edges[i]);
    fo_random r = fo_random_stream(77, 7);
    double sum = 0;
    int count = 0;
    for (int k = 0; k < MANY; k++) {
        double x = fabs(draw(&r));
        if (x >= edges[1]) continue;
        int low = 1, high = 256; // edges fall
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (x < edges[middle])
                low = middle;
            else
                high = middle;
        }
        sum += (tail(x) - tails[low]) / (tails[high] - tails[low]);
        count++;
    }
    CHECK_NEAR(sum / count, 0.5, 4 / sqrt(12.0 * count));
}

static double draw_normal(fo_random *r)
{
    return fo_random_normal(r, 0, 1);
}

static double normal_tail(double x)
{
    return erfc(x * 0.70710678118654752440);
}

static double draw_exponential(fo_random *r)
{
    return fo_random_negexp(r, 1);
}

TEST(the_curve_is_followed_between_the_layers)
{
    check_steps(foi_normal_x, draw_normal, normal_tail);
    check_steps(foi_exponential_x, draw_exponential, exponential_density);
}

TEST_MAIN(TEST_ENTRY(philox_gives_the_known_answers), TEST_ENTRY(products_of_words_are_exact),
          TEST_ENTRY(any_place_can_be_sought), TEST_ENTRY(java_gives_the_numbers_of_java),
          TEST_ENTRY(seeking_forgets_the_kept_normal_number),
          TEST_ENTRY(words_are_even_in_every_bit), TEST_ENTRY(streams_are_independent),
          TEST_ENTRY(threads_draw_what_one_thread_draws), TEST_ENTRY(bounded_integers_are_even),
          TEST_ENTRY(the_layers_of_the_ziggurats_have_one_area),
          TEST_ENTRY(the_curve_is_followed_between_the_layers))
