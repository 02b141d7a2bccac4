/// The test frame: a test is a function, a program is a list of them.
///
///     TEST(ball_bounces) { CHECK_NEAR(t, 0.5672136, 1e-7); }
///     int main(int argc, char **argv) { return test_main(argc, argv, TESTS(ball_bounces)); }
///
/// With an argument a program runs only the tests whose names contain it.
#ifndef FOLIOT_TEST_H
#define FOLIOT_TEST_H

#include <foliot/foliot.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct test {
    const char *name;
    void (*run)(void);
} test;

#define TEST(name) static void name(void)
#define TEST_ENTRY(name) \
    {                    \
#name, name      \
    }
int test_main(int argc, char **argv, const test *tests, size_t count);
#define TEST_MAIN(...)                                                    \
    int main(int argc, char **argv)                                       \
    {                                                                     \
        static const test list[] = {__VA_ARGS__};                         \
        return test_main(argc, argv, list, sizeof list / sizeof list[0]); \
    }

void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define CHECK(condition)                                                             \
    do {                                                                             \
        if (!(condition)) test_fail(__FILE__, __LINE__, "not true: %s", #condition); \
    } while (0)
/// Ends the test when it fails: for what the rest depends on.
#define REQUIRE(condition)                                             \
    do {                                                               \
        if (!(condition)) {                                            \
            test_fail(__FILE__, __LINE__, "not true: %s", #condition); \
            return;                                                    \
        }                                                              \
    } while (0)
#define CHECK_INT(actual, expected) test_int(__FILE__, __LINE__, #actual, (actual), (expected))
#define CHECK_NEAR(actual, expected, within) \
    test_near(__FILE__, __LINE__, #actual, (actual), (expected), (within))
#define CHECK_TEXT(actual, expected) test_text(__FILE__, __LINE__, #actual, (actual), (expected))
/// The text contains the part.
#define CHECK_CONTAINS(text, part) test_contains(__FILE__, __LINE__, #text, (text), (part))
/// The status is the expected one; prints the message if not.
#define CHECK_STATUS(actual, expected, message) \
    test_status(__FILE__, __LINE__, #actual, (actual), (expected), (message))

bool test_int(const char *file, int line, const char *what, long long actual, long long expected);
bool test_near(const char *file, int line, const char *what, double actual, double expected,
               double within);
bool test_text(const char *file, int line, const char *what, const char *actual,
               const char *expected);
bool test_contains(const char *file, int line, const char *what, const char *text,
                   const char *part);
bool test_status(const char *file, int line, const char *what, fo_status actual, fo_status expected,
                 const fo_message *message);

/// Whether the tests were built with a sanitizer: long ones are shorter then.
static inline bool test_is_sanitized(void)
{
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

/// Whether everything takes many times longer: with a sanitizer, or for another processor under an
/// emulator. What they look for does not depend on how many seeds or models are tried: those that
/// are many are fewer then.
static inline bool test_is_slow(void)
{
#ifdef FOLIOT_EMULATED
    return true;
#else
    return test_is_sanitized();
#endif
}

/// Whether these are the long runs, `make soak`, which set FOLIOT_LONG.
static inline bool test_is_long(void)
{
    return getenv("FOLIOT_LONG") != NULL;
}

/// How many inputs a generator makes: `suite` in `make test`, as many as take a second or two; a
/// tenth of them where test_is_slow, at least one; `soak` in the long runs.
static inline int test_inputs(int suite, int soak)
{
    if (test_is_long()) return soak;
    return !test_is_slow() ? suite : suite < 10 ? 1 : suite / 10;
}

/// How many of a kind are tried, or how long a run is: `few` where test_is_slow. `make soak` has
/// `many` there, too.
static inline int test_count(int few, int many)
{
    return test_is_slow() && !test_is_long() ? few : many;
}

/// An allocator that counts and can fail. `fail_at` n > 0: the n-th allocation returns NULL.
typedef struct test_memory {
    fo_allocator allocator; ///< give &memory.allocator to a definition
    long allocations;       ///< so far
    long live;              ///< blocks not freed yet
    long fail_at;
} test_memory;
void test_memory_init(test_memory *memory, long fail_at);

#endif
