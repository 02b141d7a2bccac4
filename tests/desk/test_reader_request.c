// What a desk reads in requests: words of its answers, whole numbers, lengths of time.
#include "desk/desk.h"
#include "talk.h"

TEST(every_status_has_a_word_of_its_own)
{
    static const struct {
        fo_status status;
        const char *word;
    } words[] = {
        {FO_OK, "reached"},
        {FO_REACHED, "reached"},
        {FO_STOPPED, "stopped"},
        {FO_RETRY, "running"},
        {FO_PAUSED, "running"},
        {FO_ERROR_MEMORY, "memory"},
        {FO_ERROR_ARGUMENT, "argument"},
        {FO_ERROR_MODEL, "model"},
        {FO_ERROR_NUMBER, "number"},
        {FO_ERROR_STEP, "step"},
        {FO_ERROR_CONVERGE, "converge"},
        {FO_ERROR_JUMPS, "jumps"},
        {FO_ERROR_ZENO, "zeno"},
        {FO_ERROR_UNFIT, "unfit"},
        {FO_ERROR_INPUT, "input"},
        {FO_ERROR_FORMAT, "format"},
        {FO_ERROR_CANCELLED, "cancelled"},
        {FO_ERROR, "unknown"},
    };
    enum { COUNT = sizeof words / sizeof *words };
    for (int i = 0; i < COUNT; i++) {
        const char *word = foi_desk_status(words[i].status);
        CHECK_TEXT(word, words[i].word);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(word, words[k].word) != 0 || !fo_failed(words[i].status));
    }
}

// {"id": n, "do": "run", ...} with a member, and what it answers.
static void refused(const char *member, const char *answer)
{
    talk t = begin(NULL);
    char line[512];
    REQUIRE(t.desk);
    tell(&t,
         "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model a Real x(start = 1); "
         "equation der(x) = -x; end a;\"}\n");
    CHECK(says(&t, "\"id\": 1", 100));
    snprintf(line, sizeof line, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, %s}\n", member);
    tell(&t, line);
    CHECK(says(&t, "\"id\": 2", 100));
    if (!memmem(t.said, t.length, answer, strlen(answer))) printf("%s: %s\n", member, t.said);
    CHECK(memmem(t.said, t.length, answer, strlen(answer)));
    end(&t);
}

TEST(numbers_out_of_range_are_refused)
{
    refused("\"seed\": 1.5", "must be a whole number from 0 to 9007199254740991");
    refused("\"seed\": -1", "must be a whole number from 0 to 9007199254740991");
    refused("\"seed\": 1e300", "must be a whole number from 0 to 9007199254740991");
    refused("\"stop\": 1, \"interval\": -1", "must not be negative");
    refused("\"stop\": 1, \"interval\": 1e-300", "is too short to move time");
}

TEST(handles_that_were_not_given_out_are_refused)
{
    static const char *const handles[] = {"\"1\"", "-1", "0.5", "1e300", "null", "{}"};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        talk t = begin(NULL);
        char line[128];
        REQUIRE(t.desk);
        snprintf(line, sizeof line, "{\"id\": 3, \"do\": \"run\", \"doc\": %s}\n", handles[i]);
        tell(&t, line);
        CHECK(says(&t, "\"id\": 3", 100));
        CHECK(strstr(t.said, "\"code\": \"argument\"") || strstr(t.said, "\"code\": \"format\""));
        end(&t);
    }
}

TEST_MAIN(TEST_ENTRY(every_status_has_a_word_of_its_own),
          TEST_ENTRY(numbers_out_of_range_are_refused),
          TEST_ENTRY(handles_that_were_not_given_out_are_refused))
