// Who did what, asked for through a desk: kept up to a limit, refused where nobody acts.
#include <foliot/desk.h>
#include <gallery.h>
#include <stdio.h>
#include <string.h>

#include "talk.h"
#include "test.h"

static talk begin_with(uint64_t moments)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.table = fo_compiled_models();
    def.moments = moments;
    return (talk){fo_desk_create(&def, &why), calloc(1, 1), 0};
}

static long number_after(const talk *t, const char *key)
{
    const char *at = strstr(t->said, key);
    return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static long count_of(const talk *t, const char *part)
{
    long count = 0;
    for (const char *at = t->said; (at = strstr(at, part)); at++) count++;
    return count;
}

TEST(acts_of_a_run_are_told_in_pieces)
{
    talk desk = begin_with(1000000);
    exchange(&desk, "{\"id\":1,\"do\":\"open\",\"name\":\"bank\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"run\",\"doc\":1,\"stop\":200,\"acts\":true}");
    exchange(&desk, "{\"id\":3,\"do\":\"acts\",\"run\":2,\"most\":20000}");
    long told = number_after(&desk, "\"count\": ");
    CHECK(told > 500);
    CHECK_INT(number_after(&desk, "\"kept\": "), told);
    long seized = count_of(&desk, "\"seize\""), released = count_of(&desk, "\"release\"");
    CHECK(seized > 50 && (seized == released || seized == released + 1));
    long pieces = 0;
    for (long after = 0; after < told; after += 97) {
        char line[128];
        snprintf(line, sizeof line,
                 "{\"id\":4,\"do\":\"acts\",\"run\":2,\"after\":%ld,\"most\":97}", after);
        exchange(&desk, line);
        pieces += count_of(&desk, "\"seize\"");
    }
    CHECK_INT(pieces, seized);
    end(&desk);
}

TEST(acts_beyond_the_limit_are_counted)
{
    talk desk = begin_with(100);
    exchange(&desk, "{\"id\":1,\"do\":\"open\",\"name\":\"bank\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"run\",\"doc\":1,\"stop\":200,\"acts\":true}");
    exchange(&desk, "{\"id\":3,\"do\":\"acts\",\"run\":2,\"most\":1e6}");
    CHECK_INT(number_after(&desk, "\"kept\": "), 100);
    CHECK(number_after(&desk, "\"count\": ") > 500);
    // a run of its own, whose rows are the same without them
    exchange(&desk, "{\"id\":4,\"do\":\"run\",\"doc\":1,\"stop\":200}");
    exchange(&desk, "{\"id\":5,\"do\":\"acts\",\"run\":3}");
    CHECK_CONTAINS(desk.said, "the run was started without");
    exchange(&desk, "{\"id\":6,\"do\":\"compare\",\"runs\":[2,3]}");
    CHECK_CONTAINS(desk.said, "\"worst\": 0,");
    exchange(&desk, "{\"id\":7,\"do\":\"forget\",\"run\":2}");
    exchange(&desk, "{\"id\":8,\"do\":\"acts\",\"run\":2}");
    CHECK_CONTAINS(desk.said, "\"error\"");
    end(&desk);
}

TEST(where_nobody_acts_it_is_refused)
{
    talk desk = begin_with(100);
    exchange(&desk,
             "{\"id\":1,\"do\":\"open\",\"name\":\"a.mo\",\"text\":\"model A Real x(start = 1, "
             "fixed = true); equation der(x) = -x; end A;\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"run\",\"doc\":1,\"acts\":true}");
    CHECK_CONTAINS(desk.said, "neither processes nor entities");
    exchange(&desk, "{\"id\":3,\"do\":\"live\",\"doc\":1,\"clock\":0,\"acts\":true}");
    CHECK_CONTAINS(desk.said, "neither processes nor entities");
    end(&desk);
}

TEST_MAIN(TEST_ENTRY(acts_of_a_run_are_told_in_pieces),
          TEST_ENTRY(acts_beyond_the_limit_are_counted),
          TEST_ENTRY(where_nobody_acts_it_is_refused))
