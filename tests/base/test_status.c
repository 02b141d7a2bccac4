#include <string.h>

#include "base/clock.h"
#include "test.h"

TEST(every_status_has_its_own_words)
{
    const fo_status all[] = {
        FO_OK,           FO_REACHED,        FO_STOPPED,      FO_RETRY,
        FO_ERROR_MEMORY, FO_ERROR_ARGUMENT, FO_ERROR_MODEL,  FO_ERROR_NUMBER,
        FO_ERROR_STEP,   FO_ERROR_CONVERGE, FO_ERROR_JUMPS,  FO_ERROR_ZENO,
        FO_ERROR_UNFIT,  FO_ERROR_INPUT,    FO_ERROR_FORMAT, FO_ERROR_CANCELLED,
    };
    const char *unknown = fo_status_text((fo_status)999);
    CHECK(unknown && *unknown);
    for (size_t i = 0; i < FO_COUNT(all); i++) {
        CHECK(strcmp(fo_status_text(all[i]), unknown) != 0);
        CHECK(fo_failed(all[i]) == (i >= 4));
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(fo_status_text(all[i]), fo_status_text(all[j])) != 0);
    }
}

TEST(failing_writes_and_passes_on)
{
    fo_message why = {0};
    CHECK_INT(fo_fail(&why, FO_ERROR_STEP, "at t = %g", 0.5), FO_ERROR_STEP);
    CHECK_TEXT(why.text, "at t = 0.5");
    CHECK_INT(why.status, FO_ERROR_STEP);
    CHECK_INT(fo_fail(NULL, FO_ERROR_MODEL, "nobody listens"), FO_ERROR_MODEL);
}

TEST(long_texts_are_cut)
{
    char text[2 * FO_MESSAGE_SIZE];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    struct {
        fo_message why;
        char guard[8];
    } m = {.guard = "guarded"};
    fo_fail(&m.why, FO_ERROR_MODEL, "%s", text);
    CHECK_INT((long long)strlen(m.why.text), FO_MESSAGE_SIZE - 1);
    fo_message_prefix(&m.why, "part '%s': ", "arm");
    CHECK_INT((long long)strlen(m.why.text), FO_MESSAGE_SIZE - 1);
    CHECK(strncmp(m.why.text, "part 'arm': aaa", 15) == 0);
    fo_message_prefix(&m.why, "%s", text);
    CHECK_INT((long long)strlen(m.why.text), FO_MESSAGE_SIZE - 1);
    CHECK_TEXT(m.guard, "guarded");
}

TEST(prefixes_stand_before)
{
    fo_message why = {0};
    fo_fail(&why, FO_ERROR_MODEL, "too fast");
    fo_message_prefix(&why, "t = %d: ", 3);
    CHECK_TEXT(why.text, "t = 3: too fast");
    CHECK_INT(why.status, FO_ERROR_MODEL);
    fo_message_prefix(NULL, "nobody");
}

TEST(the_clock_never_goes_back)
{
    int64_t start = foi_clock_now(), last = start;
    bool back = false;
    while (foi_clock_seconds(start, last) < 1e-3) {
        int64_t now = foi_clock_now();
        back = back || now < last;
        last = now;
    }
    CHECK(!back);
    CHECK_NEAR(foi_clock_seconds(5, 1500000005), 1.5, 0);
}

TEST_MAIN(TEST_ENTRY(every_status_has_its_own_words), TEST_ENTRY(failing_writes_and_passes_on),
          TEST_ENTRY(long_texts_are_cut), TEST_ENTRY(prefixes_stand_before),
          TEST_ENTRY(the_clock_never_goes_back))
