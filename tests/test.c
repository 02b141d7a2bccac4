#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures; // of the test that runs now

void test_fail(const char *file, int line, const char *format, ...)
{
    failures++;
    const char *name = strrchr(file, '/');
    fprintf(stderr, "    %s:%d: ", name ? name + 1 : file, line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

bool test_int(const char *file, int line, const char *what, long long actual, long long expected)
{
    if (actual == expected) return true;
    test_fail(file, line, "%s is %lld, expected %lld", what, actual, expected);
    return false;
}

bool test_near(const char *file, int line, const char *what, double actual, double expected,
               double within)
{
    if (fabs(actual - expected) <= within) return true;
    test_fail(file, line, "%s is %.17g, expected %.17g within %g (off by %g)", what, actual,
              expected, within, actual - expected);
    return false;
}

bool test_text(const char *file, int line, const char *what, const char *actual,
               const char *expected)
{
    if (actual && strcmp(actual, expected) == 0) return true;
    test_fail(file, line, "%s is \"%s\", expected \"%s\"", what, actual ? actual : "(null)",
              expected);
    return false;
}

bool test_contains(const char *file, int line, const char *what, const char *text, const char *part)
{
    if (text && strstr(text, part)) return true;
    test_fail(file, line, "%s is \"%s\", expected it to contain \"%s\"", what,
              text ? text : "(null)", part);
    return false;
}

bool test_status(const char *file, int line, const char *what, fo_status actual, fo_status expected,
                 const fo_message *message)
{
    if (actual == expected) return true;
    test_fail(file, line, "%s is %d (%s), expected %d (%s): %s", what, actual,
              fo_status_text(actual), expected, fo_status_text(expected),
              message ? message->text : "");
    return false;
}

int test_main(int argc, char **argv, const test *tests, size_t count)
{
    int passed = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && !strstr(tests[i].name, argv[1])) continue;
        failures = 0;
        clock_t begun = clock();
        tests[i].run();
        double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
        if (seconds >= 0.5) printf("%s: %.1f s of a processor\n", tests[i].name, seconds);
        if (failures) fprintf(stderr, "FAILED %s\n", tests[i].name);
        failures ? failed++ : passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}

static void *counting_resize(void *self, void *block, size_t old_size, size_t new_size)
{
    test_memory *memory = self;
    (void)old_size;
    if (new_size == 0) {
        if (block) memory->live--;
        free(block);
        return NULL;
    }
    if (++memory->allocations == memory->fail_at) return NULL;
    void *result = realloc(block, new_size);
    if (result && !block) memory->live++;
    return result;
}

void test_memory_init(test_memory *memory, long fail_at)
{
    *memory = (test_memory){.allocator = {counting_resize, memory}, .fail_at = fail_at};
}
