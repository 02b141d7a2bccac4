// The steps in which documents are read: what they give, and how they refuse.
#include "base/json_read.h"

#include <string.h>

#include "base/json_numbers.h"
#include "test.h"

typedef struct document {
    foi_json *json;
    foi_reader r;
    const foi_json_value *root;
    fo_message why;
} document;

static void begin(document *d, const char *text)
{
    foi_json_def def = {.name = "d", .text = text, .length = strlen(text)};
    *d = (document){0};
    d->json = foi_json_read(&def, &d->why);
    if (!d->json) test_fail(__FILE__, __LINE__, "%s", d->why.text);
    d->r = (foi_reader){.json = d->json, .why = &d->why};
    if (d->json) d->root = foi_json_root(d->json);
}

static void end(document *d)
{
    foi_read_free(&d->r);
    foi_json_destroy(d->json);
}

TEST(members_are_given_or_their_usual_values)
{
    static const char *const colours[] = {"red", "green", NULL};
    document d;
    begin(&d, "{\"a\": 2.5, \"n\": 7, \"t\": \"word\", \"yes\": true, \"v\": [1, 2, 3], "
              "\"c\": \"green\"}");
    REQUIRE(d.root);
    foi_reader *r = &d.r;
    double v[3] = {0}, list[4];
    CHECK(foi_read_number(r, d.root, "a", 1) == 2.5 && foi_read_number(r, d.root, "b", 1) == 1);
    CHECK(foi_read_number_in(r, d.root, "a", FOI_POSITIVE, 0) == 2.5);
    CHECK_INT(foi_read_count(r, d.root, "n"), 7);
    CHECK_INT(foi_read_count(r, d.root, "m"), 0);
    CHECK_TEXT(foi_read_text(r, d.root, "t"), "word");
    CHECK(!foi_read_text(r, d.root, "u"));
    CHECK(foi_read_truth(r, d.root, "yes") && !foi_read_truth(r, d.root, "no"));
    foi_read_vector(r, d.root, "v", 3, v);
    CHECK(v[0] == 1 && v[1] == 2 && v[2] == 3);
    CHECK_INT(foi_read_list(r, foi_json_member(d.root, "v"), list, 4), 3);
    CHECK_INT(foi_read_word(r, foi_json_member(d.root, "c"), colours), 1);
    CHECK_INT(foi_read_word(r, NULL, colours), 0);
    const foi_json_value *first = foi_read_items(r, d.root, "v");
    CHECK(first && first->number == 1 && !foi_read_items(r, d.root, "w"));
    CHECK(foi_read_needed(r, d.root, "a") && !r->status);
    end(&d);
}

// One wrong value, one reader for it, and what it says.
static void refuse(const char *text, void (*read)(foi_reader *r, const foi_json_value *root),
                   const char *message)
{
    document d;
    begin(&d, text);
    REQUIRE(d.root);
    read(&d.r, d.root);
    CHECK_INT(d.r.status, FO_ERROR_FORMAT);
    CHECK_TEXT(d.why.text, message);
    end(&d);
}

static void positive(foi_reader *r, const foi_json_value *root)
{
    CHECK(foi_read_number_in(r, root, "a", FOI_POSITIVE, 1) == 0);
    foi_read_refuse(r, root, "a second failure is not told");
}

static void not_negative(foi_reader *r, const foi_json_value *root)
{
    foi_read_number_in(r, root, "a", FOI_NOT_NEGATIVE, 1);
}

static void count(foi_reader *r, const foi_json_value *root)
{
    foi_read_count(r, root, "a");
}

static void text(foi_reader *r, const foi_json_value *root)
{
    CHECK(!foi_read_text(r, root, "a"));
}

static void vector(foi_reader *r, const foi_json_value *root)
{
    double to[2];
    foi_read_vector(r, root, "a", 2, to);
}

static void list(foi_reader *r, const foi_json_value *root)
{
    double to[1];
    foi_read_list(r, foi_json_member(root, "a"), to, 1);
}

static void word(foi_reader *r, const foi_json_value *root)
{
    static const char *const words[] = {"red", "green", NULL};
    foi_read_word(r, foi_json_member(root, "a"), words);
}

static void keys(foi_reader *r, const foi_json_value *root)
{
    static const char *const known[] = {"mass", "length", NULL};
    CHECK(!foi_read_keys(r, root, known));
}

static void needed(foi_reader *r, const foi_json_value *root)
{
    CHECK(!foi_read_needed(r, root, "mass"));
}

static void answer(foi_reader *r, const foi_json_value *root)
{
    foi_read_answer(r, root, FO_OK);
    CHECK(!r->status);
    foi_read_answer(r, root->first, fo_fail(r->why, FO_ERROR_ARGUMENT, "a builder's words"));
}

TEST(mistakes_have_a_place)
{
    refuse("{\"a\": 0}", positive, "d:1:7: $.a: expected a number above zero, found 0");
    refuse("{\"a\": -1}", not_negative, "d:1:7: $.a: expected a number not below zero, found -1");
    refuse("{\"a\": \"1\"}", positive, "d:1:7: $.a: expected a number, found a text");
    refuse("{\"a\": 1.5}", count, "d:1:7: $.a: expected a whole number from 0 on, found 1.5");
    refuse("{\"a\": 1e12}", count, "d:1:7: $.a: expected a whole number from 0 on, found 1e+12");
    refuse("{\"a\": \"\"}", text, "d:1:7: $.a: expected a text that is not empty");
    refuse("{\"a\": [1]}", vector, "d:1:7: $.a: expected 2 numbers, found 1");
    refuse("{\"a\": [1, true]}", vector, "d:1:11: $.a[1]: expected a number, found true or false");
    refuse("{\"a\": [1, 2]}", list, "d:1:7: $.a: expected at most 1 numbers, found 2");
    refuse("{\"a\": \"gren\"}", word,
           "d:1:7: $.a: 'gren' is none of red, green; did you mean 'green'?");
    refuse("{\"mas\": 1}", keys,
           "d:1:9: $.mas: nothing here is called 'mas'; did you mean 'mass'?");
    refuse("{\"a\": 1}", needed, "d:1:1: $: the field 'mass' is missing");
    refuse("{\"a\": 1}", answer, "d:1:7: $.a: a builder's words");
}

TEST(room_is_freed_with_the_reader_and_may_be_lacking)
{
    test_memory memory;
    fo_message why = {0};
    test_memory_init(&memory, 3);
    foi_reader r = {.allocator = &memory.allocator, .why = &why};
    double *a = foi_read_room(&r, 10, sizeof *a), *b = foi_read_room(&r, 0, sizeof *b);
    REQUIRE(a && b);
    CHECK(a[9] == 0);
    CHECK(!foi_read_room(&r, 10, sizeof *a));
    CHECK_INT(r.status, FO_ERROR_MEMORY);
    CHECK(!foi_read_room(&r, SIZE_MAX, 16));
    foi_read_free(&r);
    CHECK_INT(memory.live, 0);
}

// A number may be named by the end of its name where that is the end of one alone.
TEST(numbers_are_found_by_the_end_of_their_name)
{
    char full[FOI_NUMBER_NAME];
    document d;
    begin(&d,
          "{\"a\": {\"mass\": 1, \"k\": 2}, \"b\": {\"mass\": 3}, \"mass\": 4, \"c\": {\"q\": 5}}");
    REQUIRE(d.root);
    CHECK_STATUS(foi_number_complete(d.json, "q", full, sizeof full, &d.why), FO_OK, &d.why);
    CHECK_TEXT(full, "c.q");
    CHECK_STATUS(foi_number_complete(d.json, "mass", full, sizeof full, &d.why), FO_OK, &d.why);
    CHECK_TEXT(full, "mass");
    CHECK_STATUS(foi_number_complete(d.json, "none", full, sizeof full, &d.why), FO_OK, &d.why);
    CHECK_TEXT(full, "none");
    end(&d);
    begin(&d, "{\"a\": {\"mass\": 1}, \"b\": {\"mass\": 3}, \"c\": {\"mass\": 3}}");
    REQUIRE(d.root);
    CHECK_INT(foi_number_complete(d.json, "mass", full, sizeof full, &d.why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(d.why.text, "there are 3 numbers 'mass'");
    end(&d);
}

TEST_MAIN(TEST_ENTRY(members_are_given_or_their_usual_values), TEST_ENTRY(mistakes_have_a_place),
          TEST_ENTRY(room_is_freed_with_the_reader_and_may_be_lacking),
          TEST_ENTRY(numbers_are_found_by_the_end_of_their_name))
