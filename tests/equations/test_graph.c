// The expression graph: one node per expression, simplification, derivatives against differences.
#include <math.h>
#include <string.h>

#include "equations/graph.h"
#include "test.h"

static foi_node x_of(foi_graph *g, uint32_t i)
{
    return foi_leaf_of(g, FOI_LEAF_STATE, i);
}

static const char *name_of(void *self, const foi_graph *g, foi_node leaf)
{
    static const char *const names[] = {"x", "y", "z"};
    (void)self;
    return names[g->nodes[leaf].b % 3];
}

static const char *text_of(const foi_graph *g, foi_node n)
{
    static char text[200];
    return foi_graph_print(g, n, name_of, NULL, text, sizeof text);
}

// The value of an expression where state i is x[i].
static double value_of(foi_graph *g, foi_node root, const double *x)
{
    static double v[1000];
    foi_graph_reach(g, &root, 1);
    for (size_t i = 0; i < g->list_count; i++) {
        foi_graph_node n = g->nodes[g->list[i]];
        double *to = &v[g->list[i]];
        if (n.op == FOI_G_CONSTANT)
            *to = g->constants[n.a];
        else if (n.op == FOI_G_LEAF)
            *to = x[n.b];
        else
            *to = foi_op_apply(n.op, v[n.a], v[n.b], v[n.c]);
    }
    return v[root];
}

TEST(equal_expressions_are_one_node)
{
    foi_graph g;
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node x = x_of(&g, 0), y = x_of(&g, 1);
    CHECK_INT(foi_add(&g, x, y), foi_add(&g, x, y));
    CHECK_INT(foi_add(&g, x, y), foi_add(&g, y, x));
    CHECK(foi_subtract(&g, x, y) != foi_subtract(&g, y, x));
    CHECK_INT(foi_constant(&g, 2.5), foi_constant(&g, 2.5));
    CHECK(foi_constant(&g, 0.0) != foi_constant(&g, -0.0));
    for (int i = 0; i < 1000; i++) foi_constant(&g, i);
    CHECK_INT(foi_add(&g, x, y), foi_add(&g, x, y));
    foi_graph_end(&g);
}

// More nodes than fit beside their newest argument, twice, in both orders: nothing is made again.
TEST(a_node_may_have_any_number_of_users)
{
    enum { MANY = 20000 };
    static foi_node sum[MANY], product[MANY];
    foi_graph g;
    CHECK(foi_graph_begin(&g, NULL));
    for (uint32_t i = 0; i < MANY; i++) x_of(&g, i);
    foi_node last = x_of(&g, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        sum[i] = foi_add(&g, x_of(&g, i), last);
        product[i] = foi_multiply(&g, last, x_of(&g, i));
    }
    size_t count = g.count;
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(foi_add(&g, last, x_of(&g, i)) == sum[i]);
        CHECK(foi_multiply(&g, x_of(&g, i), last) == product[i]);
    }
    CHECK_INT(g.count, count);
    CHECK(sum[1] != sum[2] && sum[1] != product[1]);
    foi_graph_end(&g);
}

TEST(nodes_are_simplified)
{
    foi_graph g;
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node x = x_of(&g, 0), y = x_of(&g, 1), zero = foi_constant(&g, 0), two;
    two = foi_constant(&g, 2);
    CHECK_INT(foi_add(&g, x, zero), x);
    CHECK_INT(foi_multiply(&g, zero, x), zero);
    CHECK_INT(foi_subtract(&g, x, x), zero);
    CHECK_INT(foi_negate(&g, foi_negate(&g, x)), x);
    CHECK_INT(foi_make(&g, FOI_G_POWER, x, two, 0), foi_multiply(&g, x, x));
    CHECK_INT(foi_make(&g, FOI_G_IF, foi_constant(&g, 1), x, y), x);
    CHECK_INT(foi_add(&g, foi_constant(&g, 1), foi_constant(&g, 1)), two);
    // what has no number as its result is left for the run to complain about
    CHECK(!foi_is_constant(&g, foi_divide(&g, two, zero)));
    CHECK_TEXT(text_of(&g, foi_add(&g, x, foi_negate(&g, y))), "x - y");
    foi_graph_end(&g);
}

// Statements leave masks: `if c then a else if not c then b else d` never is d.
TEST(choices_in_choices_are_simplified)
{
    foi_graph g;
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node x = x_of(&g, 0), y = x_of(&g, 1), z = x_of(&g, 2), zero = foi_constant(&g, 0);
    foi_node c = foi_make(&g, FOI_G_LESS, x, y, 0), d = foi_make(&g, FOI_G_LESS, y, z, 0);
    foi_node not_c = foi_make(&g, FOI_G_NOT, c, 0, 0), not_d = foi_make(&g, FOI_G_NOT, d, 0, 0);
    foi_node wanted = foi_make(&g, FOI_G_IF, c, x, y);
    CHECK_INT(foi_make(&g, FOI_G_IF, c, x, foi_make(&g, FOI_G_IF, not_c, y, zero)), wanted);
    CHECK_INT(foi_make(&g, FOI_G_IF, c, foi_make(&g, FOI_G_IF, c, x, zero), y), wanted);
    // if c then (if d then x else y) else z, as an algorithm leaves it
    foi_node both = foi_make(&g, FOI_G_AND, c, d, 0), one = foi_make(&g, FOI_G_AND, c, not_d, 0);
    foi_node masked = foi_make(&g, FOI_G_IF, both, x, zero);
    masked = foi_make(&g, FOI_G_IF, one, y, masked);
    masked = foi_make(&g, FOI_G_IF, not_c, z, masked);
    REQUIRE(foi_graph_reach(&g, &masked, 1));
    for (size_t i = 0; i < g.list_count; i++) CHECK(g.list[i] != zero);
    foi_graph_end(&g);
}

/// A condition or a choice with its truth or value, made by itself.
typedef struct made {
    foi_node node;
    double value;
} made;

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static made condition(foi_graph *g, uint64_t *state, const double *x, int depth)
{
    uint32_t i = draw(state, 3), j = draw(state, 3), kind = draw(state, 5);
    if (depth == 0 || kind > 2)
        return (made){foi_make(g, FOI_G_LESS, x_of(g, i), x_of(g, j), 0), x[i] < x[j]};
    made a = condition(g, state, x, depth - 1), b = condition(g, state, x, depth - 1);
    if (kind == 0) return (made){foi_make(g, FOI_G_NOT, a.node, 0, 0), a.value == 0};
    if (kind == 1) return (made){foi_make(g, FOI_G_AND, a.node, b.node, 0), a.value && b.value};
    return (made){foi_make(g, FOI_G_OR, a.node, b.node, 0), a.value || b.value};
}

static made choice(foi_graph *g, uint64_t *state, const double *x, int depth)
{
    if (depth == 0 || draw(state, 5) == 0) {
        double value = draw(state, 50);
        return (made){foi_constant(g, value), value};
    }
    made a = condition(g, state, x, 2);
    made b = choice(g, state, x, depth - 1), c = choice(g, state, x, depth - 1);
    return (made){foi_make(g, FOI_G_IF, a.node, b.node, c.node), a.value ? b.value : c.value};
}

TEST(simplified_choices_have_the_same_value)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        foi_graph g;
        uint64_t state = seed;
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = draw(&state, 3);
        REQUIRE(foi_graph_begin(&g, NULL));
        made all = choice(&g, &state, x, 5);
        REQUIRE(g.count <= 1000);
        CHECK(value_of(&g, all.node, x) == all.value);
        foi_graph_end(&g);
    }
}

TEST(text_has_the_parentheses_it_needs)
{
    foi_graph g;
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node x = x_of(&g, 0), y = x_of(&g, 1), z = x_of(&g, 2);
    CHECK_TEXT(text_of(&g, foi_multiply(&g, x, foi_add(&g, y, z))), "x * (y + z)");
    CHECK_TEXT(text_of(&g, foi_add(&g, x, foi_multiply(&g, y, z))), "x + y * z");
    CHECK_TEXT(text_of(&g, foi_subtract(&g, x, foi_subtract(&g, y, z))), "x - (y - z)");
    CHECK_TEXT(text_of(&g, foi_make(&g, FOI_G_ATAN2, x, y, 0)), "atan2(x, y)");
    foi_node if_node = foi_make(&g, FOI_G_IF, foi_make(&g, FOI_G_LESS, x, y, 0), y, z);
    CHECK_TEXT(text_of(&g, if_node), "if x < y then y else z");
    CHECK_TEXT(text_of(&g, foi_make(&g, FOI_G_MIN, x, foi_constant(&g, -2), 0)), "min(x, -2)");
    foi_graph_end(&g);
}

// Every operation with a derivative: forward and reverse against a central difference.
TEST(derivatives_are_those_of_differences)
{
    for (int op = FOI_G_NEGATE; op < FOI_G_LESS; op++) {
        foi_graph g;
        REQUIRE(foi_graph_begin(&g, NULL));
        double x[2] = {0.6, 0.7}, h = 1e-6;
        if (op == FOI_G_TAN) x[0] = 0.3;
        foi_node a = foi_multiply(&g, x_of(&g, 0), x_of(&g, 1)), b = foi_add(&g, x_of(&g, 1), a);
        foi_node f = foi_make(&g, (foi_op)op, a, b, 0);
        for (uint32_t i = 0; i < 2; i++) {
            double at = x[i], up, down;
            x[i] = at + h, up = value_of(&g, f, x);
            x[i] = at - h, down = value_of(&g, f, x);
            x[i] = at;
            foi_node d = foi_graph_partial(&g, f, x_of(&g, i));
            CHECK_NEAR(value_of(&g, d, x), (up - down) / (2 * h), 1e-7);
            REQUIRE(foi_graph_gradient(&g, f));
            foi_node r = foi_gradient_at(&g, x_of(&g, i));
            CHECK_NEAR(value_of(&g, r, x), (up - down) / (2 * h), 1e-7);
        }
        foi_graph_end(&g);
    }
}

static foi_node swap(void *self, foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_leaf_of(g, FOI_LEAF_STATE, 1 - g->nodes[leaf].b);
}

TEST(leaves_are_replaced)
{
    foi_graph g;
    REQUIRE(foi_graph_begin(&g, NULL));
    foi_node f = foi_divide(&g, x_of(&g, 0), x_of(&g, 1));
    CHECK_TEXT(text_of(&g, foi_graph_replace(&g, f, swap, NULL)), "y / x");
    CHECK(foi_graph_contains(&g, f, x_of(&g, 0)));
    CHECK(!foi_graph_contains(&g, f, x_of(&g, 2)));
    foi_graph_end(&g);
}

TEST(every_allocation_may_fail)
{
    long fail_at = 0;
    bool done = false;
    while (!done && ++fail_at < 100) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        foi_graph g;
        if (foi_graph_begin(&g, &memory.allocator)) {
            foi_node sum = x_of(&g, 0);
            for (uint32_t i = 1; i < 300; i++) sum = foi_add(&g, sum, x_of(&g, i));
            foi_graph_partial(&g, sum, x_of(&g, 7));
            done = !g.failed;
        }
        foi_graph_end(&g);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done && fail_at > 5);
}

TEST_MAIN(TEST_ENTRY(equal_expressions_are_one_node),
          TEST_ENTRY(a_node_may_have_any_number_of_users), TEST_ENTRY(nodes_are_simplified),
          TEST_ENTRY(choices_in_choices_are_simplified),
          TEST_ENTRY(simplified_choices_have_the_same_value),
          TEST_ENTRY(text_has_the_parentheses_it_needs),
          TEST_ENTRY(derivatives_are_those_of_differences), TEST_ENTRY(leaves_are_replaced),
          TEST_ENTRY(every_allocation_may_fail))
