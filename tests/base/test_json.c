#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "test.h"

static foi_json *parse(const char *text, fo_message *why)
{
    return foi_json_read(&(foi_json_def){.name = "d.json", .text = text, .length = strlen(text)},
                         why);
}

TEST(values_and_their_places)
{
    fo_message why = {0};
    foi_json *j = parse("{\"a\": [1, -2.5e-3,\n  true, null],\n \"\\u00e9\\ud83d\\ude00\": {\"b\": "
                        "\"x\\n\\\"\"}}\n",
                        &why);
    REQUIRE(j);
    const foi_json_value *a = foi_json_member(foi_json_root(j), "a");
    REQUIRE(a && a->kind == FOI_JSON_LIST);
    CHECK_INT(a->count, 4);
    CHECK(a->first->number == 1 && a->first->next->number == -2.5e-3);
    const foi_json_value *truth = a->first->next->next;
    CHECK(truth->kind == FOI_JSON_TRUTH && truth->truth && truth->next->kind == FOI_JSON_NULL);
    CHECK_INT(truth->line, 2);
    CHECK_INT(truth->column, 3);
    const foi_json_value *o = foi_json_member(foi_json_root(j), "\xc3\xa9\xf0\x9f\x98\x80");
    REQUIRE(o);
    CHECK_TEXT(foi_json_member(o, "b")->text, "x\n\"");
    CHECK(!foi_json_member(o, "c") && !foi_json_member(a, "c"));
    char path[64];
    CHECK_TEXT(foi_json_path(truth, path, sizeof path), "$.a[2]");
    CHECK_TEXT(foi_json_path(foi_json_root(j), path, sizeof path), "$");
    CHECK_STATUS(foi_json_refuse(j, truth, &why, "expected a number"), FO_ERROR_FORMAT, &why);
    CHECK_TEXT(why.text, "d.json:2:3: $.a[2]: expected a number");
    foi_json_destroy(j);
}

TEST(mistakes_are_named_with_their_place)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "d.json:1:1: $: expected a value, found the end"},
        {"{\"a\": 1,}", "d.json:1:9: $: expected a key in quotes, found '}'"},
        {"[1, 2", "d.json:1:6: $: expected ',' or ']', found the end"},
        {"[1 2]", "d.json:1:4: $: expected ',' or ']', found '2'"},
        {"{\"a\" 1}", "d.json:1:6: $: expected ':' after a key, found '1'"},
        {"{\"n\": [0, 01]}", "d.json:1:11: $.n[1]: a number is not written"},
        {"[1.]", "1:2: $[0]: a number is not written"},
        {"[.5]", "1:2: $[0]: expected a value, found '.'"},
        {"[+1]", "1:2: $[0]: expected a value, found '+'"},
        {"[1e]", "a number is not written"},
        {"[NaN]", "expected a value, found 'N'"},
        {"[-Infinity]", "a number is not written"},
        {"[1e400]", "the number 1e400 is too large"},
        {"[0x10]", "expected ',' or ']', found 'x'"},
        {"\"abc", "a text does not end"},
        {"\"a\tb\"", "a control character must be written as \\u0009"},
        {"\"\\q\"", "an escape that JSON does not know"},
        {"\"\\u12g4\"", "four hexadecimal digits"},
        {"\"\\ud800\"", "a high surrogate stands alone"},
        {"\"\\udc00\"", "a low surrogate stands alone"},
        {"\"\\u0000\"", "the character zero"},
        {"\"\xff\"", "the byte 0xff is not UTF-8 here"},
        {"\"\xc0\x80\"", "not UTF-8"},
        {"\"\xed\xa0\x80\"", "not UTF-8"},
        {"\"\xf4\x90\x80\x80\"", "not UTF-8"},
        {"{\"a\":1,\"b\":2,\n\"a\":3}", "d.json:2:5: $.a: the key 'a' stands here twice"},
        {"{} x", "1:4: $: expected the end, found 'x'"},
        {"{\"a\": tru}", "1:7: $.a: expected a value, found 't'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_message why = {0};
        foi_json *j = parse(wrong[i].text, &why);
        CHECK(!j);
        CHECK_INT(why.status, FO_ERROR_FORMAT);
        CHECK_CONTAINS(why.text, wrong[i].message);
        foi_json_destroy(j);
    }
}

TEST(depth_size_and_number_of_values_are_limited)
{
    char deep[400];
    fo_message why = {0};
    memset(deep, '[', 200), memset(deep + 200, ']', 200);
    foi_json_def def = {.name = "d", .text = deep, .length = 400};
    CHECK(!foi_json_read(&def, &why));
    CHECK_CONTAINS(why.text, "deeper than 64 levels");
    def.max_depth = 200;
    foi_json *j = foi_json_read(&def, &why);
    CHECK(j);
    char path[32]; // loses its beginning
    if (j) CHECK_TEXT(foi_json_path(foi_json_root(j)->first, path, sizeof path), "$[0]");
    foi_json_destroy(j);
    def.max_length = 399;
    CHECK(!foi_json_read(&def, &why));
    CHECK_CONTAINS(why.text, "the document has 400 bytes, at most 399");
    def = (foi_json_def){.name = "d", .text = "[1,2,3]", .length = 7, .max_values = 3};
    CHECK(!foi_json_read(&def, &why));
    CHECK_CONTAINS(why.text, "more than 3 values");
}

// What the writer writes is read back to the same bits.
TEST(written_and_read_back)
{
    static const double numbers[] = {0.1, -1e-300, 5e-324, 1.7976931348623157e308, 3};
    foi_json_writer w = {0};
    foi_json_open(&w, NULL, '{', false);
    foi_json_put_text(&w, "name", "a \"b\" \\ \x01 \xc3\xa9");
    foi_json_open(&w, "numbers", '[', true);
    for (int i = 0; i < 5; i++) foi_json_put_number(&w, NULL, numbers[i]);
    foi_json_close(&w, ']');
    foi_json_open(&w, "empty", '{', false);
    foi_json_close(&w, '}');
    foi_json_put_truth(&w, "yes", true);
    foi_json_put_null(&w, "nothing");
    foi_json_close(&w, '}');
    CHECK(!w.failed);
    CHECK_CONTAINS(w.text, "\n  \"numbers\": [0.1, -1e-300, ");
    CHECK_CONTAINS(w.text, "\"empty\": {},\n");
    fo_message why = {0};
    foi_json *j = parse(w.text, &why);
    REQUIRE(j);
    const foi_json_value *v = foi_json_member(foi_json_root(j), "numbers")->first;
    for (int i = 0; i < 5; i++, v = v->next) CHECK(v->number == numbers[i]);
    CHECK_TEXT(foi_json_member(foi_json_root(j), "name")->text, "a \"b\" \\ \x01 \xc3\xa9");
    foi_json_destroy(j);
    foi_json_writer_destroy(&w);
    foi_json_put_number(&w, NULL, NAN);
    CHECK(w.failed);
    foi_json_writer_destroy(&w);
}

// Every prefix, every byte changed, and noise: an answer or a message, never a crash.
TEST(broken_documents_do_no_harm)
{
    const char text[] =
        "{\"a\": [1.5e+3, -0, true], \"b\\u00e9\\ud83d\\ude00\": {\"c\": \"\xc3\xa9\"},"
        " \"d\": [[], {}, null]}";
    char copy[sizeof text];
    unsigned noise = 12345;
    size_t read = 0, refused = 0;
    for (size_t n = 0; n < 20000; n++) {
        memcpy(copy, text, sizeof text);
        size_t length = sizeof text - 1;
        if (n < length) length = n;
        for (int k = 0; n >= sizeof text && k < 1 + (int)(n % 4); k++) {
            noise = noise * 1664525u + 1013904223u;
            copy[(noise >> 8) % length] = (char)(noise >> 24);
        }
        char *exact = malloc(length + 1); // so that reading beyond the end is seen
        memcpy(exact, copy, length);
        fo_message why = {0};
        foi_json *j =
            foi_json_read(&(foi_json_def){.name = "n", .text = exact, .length = length}, &why);
        if (j) read++;
        if (!j && why.status == FO_ERROR_FORMAT) refused++;
        foi_json_destroy(j);
        free(exact);
    }
    CHECK_INT(read + refused, 20000);
    CHECK(read > 0 && refused > 10000);
}

TEST(every_allocation_may_fail)
{
    const char *text = "{\"a\": [1, 2, {\"b\": \"text\"}], \"c\": 1}";
    for (long at = 1;; at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, at);
        foi_json *j = foi_json_read(
            &(foi_json_def){.text = text, .length = strlen(text), .allocator = &memory.allocator},
            &why);
        if (!j) CHECK_INT(why.status, FO_ERROR_MEMORY);
        foi_json_destroy(j);
        CHECK_INT(memory.live, 0);
        if (j) break;
        REQUIRE(at < 100);
    }
}

TEST(files)
{
    fo_message why = {0};
    CHECK(!foi_json_read_file("no/such/file.json", NULL, &why));
    CHECK_INT(why.status, FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "no/such/file.json");
    char path[] = "/tmp/foliot_json_XXXXXX";
    int handle = mkstemp(path);
    REQUIRE(handle >= 0);
    FILE *file = fdopen(handle, "w");
    fputs("{\"x\": 1.25}", file);
    fclose(file);
    foi_json *j = foi_json_read_file(path, NULL, &why);
    CHECK(j && foi_json_member(foi_json_root(j), "x")->number == 1.25);
    foi_json_destroy(j);
    remove(path);
}

// A file of that size takes no room where it has holes, and nothing of it is read.
TEST(a_file_that_is_too_large_is_refused_unread)
{
    fo_message why = {0};
    char path[] = "/tmp/foliot-json-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    CHECK(ftruncate(fd, ((off_t)256 << 20) + 1) == 0);
    CHECK(!foi_json_read_file(path, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_FORMAT);
    CHECK(strstr(why.text, "more than 268435456 bytes"));
    close(fd);
    unlink(path);
}

TEST_MAIN(TEST_ENTRY(values_and_their_places), TEST_ENTRY(mistakes_are_named_with_their_place),
          TEST_ENTRY(depth_size_and_number_of_values_are_limited),
          TEST_ENTRY(written_and_read_back), TEST_ENTRY(broken_documents_do_no_harm),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(files),
          TEST_ENTRY(a_file_that_is_too_large_is_refused_unread))
