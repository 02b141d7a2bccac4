#include <stdint.h>
#include <string.h>

#include "system/state.h"
#include "test.h"

static const fo_shape small = {
    .states = 3, .discretes = 2, .inputs = 1, .parameters = 2, .memory = 21, .scratch = 5};

static void number(fo_state *s)
{
    for (uint32_t i = 0; i < s->shape.states; i++) s->x[i] = 1 + i;
    for (uint32_t i = 0; i < s->shape.discretes; i++) s->d[i] = 101 + i;
    for (uint32_t i = 0; i < s->shape.inputs; i++) s->u[i] = 201 + i;
    for (uint32_t i = 0; i < s->shape.parameters; i++) s->p[i] = 301 + i;
    for (size_t i = 0; i < s->shape.memory; i++) ((unsigned char *)s->memory)[i] = (uint8_t)(i + 7);
}

// The first ones are those of number(), the rest is zero.
static bool numbered(const double *values, uint32_t count, uint32_t kept, double first)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != (i < kept ? first + i : 0)) return false;
    return true;
}

TEST(a_store_is_aligned_and_zero)
{
    foi_state_store store;
    fo_message why = {0};
    REQUIRE(foi_state_create(&store, &small, NULL, &why) == FO_OK);
    fo_state *s = &store.s;
    CHECK_INT((long long)((uintptr_t)s->memory % 16), 0);
    CHECK_INT((long long)((uintptr_t)s->scratch % 16), 0);
    CHECK_INT((long long)((uintptr_t)s->x % sizeof(double)), 0);
    CHECK(numbered(s->x, 3, 0, 0) && numbered(s->d, 2, 0, 0) && numbered(s->p, 2, 0, 0));
    number(s); // no two of them overlap
    memset(s->scratch, 0xff, small.scratch);
    CHECK(numbered(s->x, 3, 3, 1) && numbered(s->d, 2, 2, 101));
    CHECK(numbered(s->u, 1, 1, 201) && numbered(s->p, 2, 2, 301));
    for (size_t i = 0; i < small.memory; i++)
        CHECK_INT(((unsigned char *)s->memory)[i], (long long)i + 7);
    foi_state_destroy(&store);
    CHECK(store.block == NULL && store.s.x == NULL);
    foi_state_destroy(&store);
}

TEST(reshaping_keeps_what_both_have)
{
    foi_state_store store;
    REQUIRE(foi_state_create(&store, &small, NULL, NULL) == FO_OK);
    number(&store.s);
    store.s.t = 3.5;
    fo_shape other = small;
    other.states = 6, other.discretes = 1, other.guards = 4, other.memory = 40;
    void *scratch = store.s.scratch;
    REQUIRE(foi_state_reshape(&store, &other, NULL) == FO_OK);
    CHECK(store.s.scratch == scratch); // of the same size: the same
    CHECK(numbered(store.s.x, 6, 3, 1) && numbered(store.s.d, 1, 1, 101));
    CHECK(numbered(store.s.u, 1, 1, 201) && numbered(store.s.p, 2, 2, 301));
    CHECK_INT(((unsigned char *)store.s.memory)[20], 27);
    CHECK_INT(((unsigned char *)store.s.memory)[21], 0);
    CHECK_INT(store.s.shape.guards, 4);
    CHECK_NEAR(store.s.t, 3.5, 0);
    other.states = 2, other.scratch = 1000;
    REQUIRE(foi_state_reshape(&store, &other, NULL) == FO_OK);
    CHECK(numbered(store.s.x, 2, 2, 1) && numbered(store.s.p, 2, 2, 301));
    memset(store.s.scratch, 1, 1000);
    foi_state_destroy(&store);
}

TEST(copies_keep_their_own_pointers)
{
    foi_state_store a, b;
    fo_message mine = {0};
    fo_host host = {0};
    REQUIRE(foi_state_create(&a, &small, NULL, NULL) == FO_OK);
    REQUIRE(foi_state_create(&b, &small, NULL, NULL) == FO_OK);
    number(&a.s);
    a.s.t = 2, a.s.k = 3, a.s.seed = 77;
    b.s.message = &mine, b.s.host = &host;
    fo_state before = b.s;
    foi_state_copy(&b, &a);
    CHECK_NEAR(b.s.t, 2, 0);
    CHECK_INT(b.s.k, 3);
    CHECK_INT((long long)b.s.seed, 77);
    CHECK(b.s.x == before.x && b.s.message == &mine && b.s.host == &host);
    CHECK(b.s.memory == before.memory && b.s.scratch == before.scratch);
    CHECK(numbered(b.s.x, 3, 3, 1) && numbered(b.s.d, 2, 2, 101));
    CHECK(numbered(b.s.u, 1, 1, 201) && numbered(b.s.p, 2, 2, 301));
    CHECK(memcmp(a.s.memory, b.s.memory, small.memory) == 0);
    foi_state_destroy(&a);
    foi_state_destroy(&b);
}

TEST(sizes_that_overflow_are_refused)
{
    foi_state_store store;
    fo_message why = {0};
    fo_shape huge = {.states = 1, .memory = SIZE_MAX - 3};
    CHECK_INT(foi_state_create(&store, &huge, NULL, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "no memory can hold");
    foi_state_destroy(&store);
    huge = (fo_shape){.states = 1, .scratch = SIZE_MAX};
    CHECK_INT(foi_state_create(&store, &huge, NULL, &why), FO_ERROR_ARGUMENT);
    foi_state_destroy(&store);
    REQUIRE(foi_state_create(&store, &small, NULL, NULL) == FO_OK);
    number(&store.s);
    CHECK_INT(foi_state_reshape(&store, &huge, &why), FO_ERROR_ARGUMENT);
    CHECK(numbered(store.s.x, 3, 3, 1));
    foi_state_destroy(&store);
}

TEST(every_allocation_may_fail)
{
    fo_shape other = small;
    other.states = 9, other.scratch = 64;
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        foi_state_store store;
        fo_message why = {0};
        fo_status made = foi_state_create(&store, &small, &memory.allocator, &why);
        fo_status reshaped = FO_ERROR_MEMORY;
        if (!made) {
            number(&store.s);
            reshaped = foi_state_reshape(&store, &other, &why);
            CHECK_INT(store.s.shape.states, reshaped ? 3 : 9);
            CHECK(numbered(store.s.x, store.s.shape.states, 3, 1));
            CHECK(numbered(store.s.p, 2, 2, 301));
        }
        if (made || reshaped) CHECK_INT(why.status, FO_ERROR_MEMORY);
        foi_state_destroy(&store);
        CHECK_INT(memory.live, 0);
        if (!made && !reshaped) {
            CHECK_INT(fail_at, 5);
            break;
        }
    }
}

TEST(defaults_come_from_the_description)
{
    const fo_description about = {
        .name = "d",
        .states = FO_VARIABLES({"a", "", 1}, {"b", "", 2}),
        .discretes = FO_VARIABLES({"c", "", 3}),
        .inputs = FO_VARIABLES({"e", "", 4}),
        .parameters = FO_VARIABLES({"f", "", 5}),
    };
    foi_state_store store;
    REQUIRE(foi_state_create(&store, &small, NULL, NULL) == FO_OK);
    number(&store.s);
    foi_state_defaults((fo_system){NULL, &about, NULL}, &store.s);
    const fo_state *s = &store.s;
    CHECK(s->x[0] == 1 && s->x[1] == 2 && s->x[2] == 0);
    CHECK(s->d[0] == 3 && s->d[1] == 0 && s->u[0] == 4 && s->p[0] == 5 && s->p[1] == 0);
    foi_state_destroy(&store);
}

TEST_MAIN(TEST_ENTRY(a_store_is_aligned_and_zero), TEST_ENTRY(reshaping_keeps_what_both_have),
          TEST_ENTRY(copies_keep_their_own_pointers), TEST_ENTRY(sizes_that_overflow_are_refused),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(defaults_come_from_the_description))
