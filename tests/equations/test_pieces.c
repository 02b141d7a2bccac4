// Curves in many pieces against a walk along their pieces.
#include <math.h>
#include <stdlib.h>

#include "equations/graph.h"
#include "equations/pieces.h"
#include "test.h"

enum { MOST = 60 };

typedef struct some {
    double ends[MOST];
    foi_cubic list[MOST + 1];
    foi_pieces curve;
} some;

static uint64_t state = 1;

static double between(double lo, double hi)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

// Ends ascend, and some of them are equal.
static void make(some *s)
{
    uint32_t count = 1 + (uint32_t)between(0, MOST - 1), degree = (uint32_t)between(0, 4);
    double x = -3;
    for (uint32_t i = 0; i <= count; i++) {
        s->list[i] = (foi_cubic){.x = between(-3, 3)};
        for (uint32_t k = 0; k <= degree; k++)
            s->list[i].a[k] = between(0, 1) < 0.2 ? 0 : between(-2, 2);
        s->list[i].a[degree] = 1.5;
        if (i < count) s->ends[i] = x += between(0, 1) < 0.3 ? 0 : between(0, 0.4);
    }
    uint32_t first = (uint32_t)between(0, count),
             last = first + (uint32_t)between(0, count - first);
    s->curve = (foi_pieces){s->ends, s->list, first, last, degree};
}

static uint32_t walk(const foi_pieces *c, double u)
{
    uint32_t i = c->first;
    while (i < c->last && !(u < c->ends[i])) i++;
    return i;
}

// Derivative `order` of a piece, by its definition.
static long double truth(const foi_cubic *p, uint32_t order, double u)
{
    long double y = 0, h = (long double)u - p->x;
    for (uint32_t k = order; k <= FOI_DEGREE; k++) {
        long double term = p->a[k];
        for (uint32_t i = 0; i < order; i++) term *= k - i;
        for (uint32_t i = order; i < k; i++) term *= h;
        y += term;
    }
    return y;
}

TEST(the_piece_is_the_one_of_a_walk)
{
    static some s;
    for (int n = 0; n < 4000; n++) {
        make(&s);
        double u = between(-4, 12), number = foi_pieces_number(&s.curve);
        if (n % 5 == 0) u = s.ends[(uint32_t)between(0, s.curve.last)];
        if (n % 97 == 0) u = NAN;
        if (n % 101 == 0) u = n % 2 ? INFINITY : -INFINITY;
        const foi_cubic *p = foi_piece_at(u, number);
        CHECK(p == &s.list[walk(&s.curve, u)]);
        for (uint32_t order = 0; order <= FOI_DEGREE + 1 && isfinite(u); order++) {
            double slack = 1e-15 * (1 + foi_along_size(u, number + order));
            CHECK_NEAR(foi_along(u, number + order), (double)truth(p, order, u), slack * 4);
        }
        // the value is that of choices by halves: Horner's way, and no more
        double y = p->a[3], h = u - p->x;
        for (int k = 3; k-- > 0;) y = y * h + p->a[k];
        CHECK(foi_along(u, number) == y || !isfinite(u));
    }
}

// Ends of all kinds of distances, and numbers at and beside them.
TEST(a_guide_finds_what_halves_find)
{
    enum { ENDS = 2000 };
    static double ends[ENDS];
    foi_arena arena;
    foi_arena_begin(&arena, NULL, 0);
    for (int n = 0; n < 40; n++) {
        uint32_t count = 257 + (uint32_t)between(0, ENDS - 257), kind = n % 5;
        double x = kind == 4 ? -1e300 : between(-10, 10);
        for (uint32_t i = 0; i < count; i++) {
            if (kind == 0) x += 0.1;
            if (kind == 1) x += between(0, 1) < 0.5 ? 0 : pow(10, between(-12, 3));
            if (kind == 2) x = nextafter(x, INFINITY);
            if (kind == 3) x += i == 200 ? 1e9 : 1e-9;
            if (kind == 4) x += 1e297;
            ends[i] = x;
        }
        const foi_buckets *g = foi_buckets_make(&arena, ends, count);
        CHECK(g);
        for (int k = 0; g && k < 3000; k++) {
            uint32_t i = (uint32_t)between(0, count);
            double u = k % 3 == 0 ? ends[i] : between(ends[0], ends[count - 1]);
            if (k % 3 == 1) u = nextafter(ends[i], k % 2 ? INFINITY : -INFINITY);
            if (k % 50 == 0) u = k % 100 ? NAN : k % 200 ? INFINITY : -INFINITY;
            CHECK(foi_buckets_find(g, ends, u) == foi_pieces_find(ends, count, u));
        }
    }
    for (int i = 0; i < ENDS; i++) ends[i] = 3;
    CHECK(!foi_buckets_make(&arena, ends, ENDS));
    CHECK(!foi_buckets_make(&arena, ends, 10));
    foi_arena_end(&arena);
}

TEST(a_choice_gives_the_curve_in_which_it_is)
{
    static some s;
    make(&s);
    foi_pieces list[4] = {s.curve, s.curve, s.curve, s.curve};
    double ends[3] = {-1, 0, 2}, at[] = {-2, -1, -0.5, 0, 1, 2, 5, NAN};
    int which[] = {0, 1, 1, 2, 2, 3, 3, 3};
    foi_choices all = {ends, list, 3, s.curve.degree};
    for (int i = 0; i < 8; i++)
        for (int order = 0; order < 4; order++)
            CHECK(foi_among(at[i], foi_pieces_number(&all) + order) ==
                  foi_pieces_number(&list[which[i]]) + order);
    CHECK(isnan(foi_along(1, NAN)) && isnan(foi_along(1, 0)) && isnan(foi_among(1, -3)));
}

static foi_node by_x(void *self, foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_constant(g, leaf == foi_leaf_of(g, FOI_LEAF_STATE, 0));
}

// Every derivative is a look-up again, as long as there is something left of the curve.
TEST(derivatives_are_curves)
{
    foi_graph g;
    foi_cubic list[2] = {{0, {1, 2, 3, 0}}, {1, {4, 5, 0, 0}}};
    double ends[1] = {1};
    foi_pieces curve = {ends, list, 0, 1, 2};
    foi_choices all = {ends, &curve, 0, 2};
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node x = foi_leaf_of(&g, FOI_LEAF_STATE, 0), y = foi_leaf_of(&g, FOI_LEAF_STATE, 1);
    foi_node one = foi_constant(&g, foi_pieces_number(&curve));
    foi_node many = foi_make(&g, FOI_G_AMONG, y, foi_constant(&g, foi_pieces_number(&all)), 0);
    for (int i = 0; i < 2; i++) {
        foi_node value = foi_make(&g, FOI_G_ALONG, x, i ? many : one, 0);
        foi_node first = foi_graph_derive(&g, value, by_x, NULL);
        CHECK_INT(g.nodes[first].op, FOI_G_ALONG);
        foi_node second = foi_graph_derive(&g, first, by_x, NULL);
        CHECK_INT(g.nodes[second].op, FOI_G_ALONG);
        CHECK(foi_is_number(&g, foi_graph_derive(&g, second, by_x, NULL), 0));
    }
    foi_node known = foi_make(&g, FOI_G_ALONG, foi_constant(&g, 0.5), one, 0);
    CHECK(foi_is_number(&g, known, 1 + 2 * 0.5 + 3 * 0.25));
    foi_graph_end(&g);
}

TEST_MAIN(TEST_ENTRY(the_piece_is_the_one_of_a_walk), TEST_ENTRY(a_guide_finds_what_halves_find),
          TEST_ENTRY(a_choice_gives_the_curve_in_which_it_is), TEST_ENTRY(derivatives_are_curves))
