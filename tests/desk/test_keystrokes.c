// Keystrokes in numbers: what a desk says after each is what one says that has just opened the
// text, though it keeps the program; a run that goes on meanwhile ends as it would have, and all
// memory is given back whatever allocation fails.
#include <stdio.h>

#include "talk.h"

static const char
    before
        [] = "model M\\n  parameter Real k = ",
  behind[] =
      ";\\n  parameter Real w = 3;\\n  Real x(start = 1, fixed = true);\\n  Real y;\\nequation\\n  "
      "der(x) = -k*y + sin(w*time);\\n  y = x + sin(y)/2;\\nannotation (experiment(StopTime = "
      "5));\\n"
      "end M;\\n";

static void open_with(talk *t, char digit)
{
    char line[600];
    snprintf(line, sizeof line,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"m.mo\", \"text\": \"%s%c%s\"}", before,
             digit, behind);
    exchange(t, line);
}

static void type(talk *t, char digit)
{
    char line[200];
    snprintf(
        line, sizeof line,
        "{\"id\": 2, \"do\": \"change\", \"doc\": 1, \"edits\": [{\"from\": [1, 21], \"to\": [1, "
        "22], \"text\": \"%c\"}]}",
        digit);
    exchange(t, line);
}

// The bytes of a run's rows; `handle` is the run's.
static void take_rows(talk *t, int handle)
{
    char line[120];
    snprintf(line, sizeof line, "{\"id\": 4, \"do\": \"rows\", \"run\": %d, \"signals\": [0, 1]}",
             handle);
    exchange(t, line);
}

// The last of what was said: the values of rows, or all behind how a model is run, which stays
// machine code.
static void check_same(const talk *a, const talk *b, const char *from)
{
    enum { VALUES = 8000 };
    const char *x = from ? strstr(a->said, from) : NULL, *y = from ? strstr(b->said, from) : NULL;
    if (!from && a->length > VALUES) x = a->said + a->length - VALUES;
    if (!from && b->length > VALUES) y = b->said + b->length - VALUES;
    size_t left = x ? a->length - (size_t)(x - a->said) : 0;
    CHECK(x && y && left == b->length - (size_t)(y - b->said) && memcmp(x, y, left) == 0);
}

TEST(a_keystroke_says_what_a_new_desk_says)
{
    talk old = begin(NULL);
    open_with(&old, '1');
    int handle = 1;
    for (const char *digit = "23904"; *digit; digit++) {
        talk fresh = begin(NULL);
        open_with(&fresh, *digit);
        type(&old, *digit);
        CHECK(strstr(old.said, "\"runs\": true"));
        exchange(&old, "{\"id\": 3, \"do\": \"describe\", \"doc\": 1}");
        exchange(&fresh, "{\"id\": 3, \"do\": \"describe\", \"doc\": 1}");
        CHECK(strstr(old.said, "\"k\""));
        check_same(&old, &fresh, "\"run\": {");
        exchange(&old, "{\"id\": 3, \"do\": \"run\", \"doc\": 1}");
        exchange(&fresh, "{\"id\": 3, \"do\": \"run\", \"doc\": 1}");
        take_rows(&fresh, 2), take_rows(&old, ++handle);
        check_same(&old, &fresh, NULL);
        end(&fresh);
    }
    // what is no number of a parameter is another program
    type(&old, 'w');
    CHECK(strstr(old.said, "\"runs\": true"));
    type(&old, 'z');
    CHECK(strstr(old.said, "\"runs\": false"));
    type(&old, '5');
    CHECK(strstr(old.said, "\"runs\": true"));
    end(&old);
}

// A run of the model before the keystroke, in the middle of which it comes.
TEST(a_run_goes_on_behind_a_keystroke)
{
    talk one = begin(NULL), two = begin(NULL);
    open_with(&one, '1'), open_with(&two, '1');
    exchange(&one, "{\"id\": 3, \"do\": \"run\", \"doc\": 1, \"step\": 1e-4, \"solver\": \"rk4\"}");
    tell(&two, "{\"id\": 3, \"do\": \"run\", \"doc\": 1, \"step\": 1e-4, \"solver\": \"rk4\"}\n");
    for (int i = 0; i < 20; i++) fo_desk_work(two.desk, 0, 100);
    for (const char *digit = "2345"; *digit; digit++) {
        char line[200];
        snprintf(
            line, sizeof line,
            "{\"id\": 2, \"do\": \"change\", \"doc\": 1, \"edits\": [{\"from\": [1, 21], \"to\": "
            "[1, 22], \"text\": \"%c\"}]}\n",
            *digit);
        tell(&two, line);
        for (int i = 0; i < 20; i++) fo_desk_work(two.desk, 0, 100);
    }
    exchange(&two, "{\"id\": 9, \"do\": \"run\", \"doc\": 1}");
    take_rows(&one, 2), take_rows(&two, 2);
    check_same(&one, &two, NULL);
    end(&one), end(&two);
}

// What cannot be taken is lost.
static void give(fo_desk *desk, const char *lines)
{
    char buffer[4096];
    size_t length = strlen(lines);
    for (size_t from = 0; from < length;) {
        size_t taken = fo_desk_give(desk, lines + from, length - from);
        from += taken ? taken : 1;
    }
    for (int i = 0; i < 1000 && fo_desk_work(desk, 0, 100000) != FO_DESK_IDLE; i++)
        while (fo_desk_take(desk, buffer, sizeof buffer)) continue;
}

TEST(memory_may_be_lacking_for_a_keystroke)
{
    char text[700];
    snprintf(text, sizeof text,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"m.mo\", \"text\": \"%s1%s\"}\n", before,
             behind);
    for (long at = 1; at < 9000; at += at < 100 ? 1 : 53) {
        test_memory memory;
        test_memory_init(&memory, at);
        fo_desk_def def = fo_default_desk_def();
        def.allocator = &memory.allocator;
        fo_desk *desk = fo_desk_create(&def, NULL);
        if (desk) {
            give(desk, text);
            for (int i = 0; i < 3; i++)
                give(desk, "{\"id\": 2, \"do\": \"change\", \"doc\": 1, \"edits\": [{\"from\": [1, "
                           "21], \"to\": [1, 22], \"text\": \"2\"}]}\n");
        }
        fo_desk_destroy(desk);
        CHECK_INT((long long)memory.live, 0);
    }
}

TEST_MAIN(TEST_ENTRY(a_keystroke_says_what_a_new_desk_says),
          TEST_ENTRY(a_run_goes_on_behind_a_keystroke),
          TEST_ENTRY(memory_may_be_lacking_for_a_keystroke))
