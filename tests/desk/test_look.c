// What a page looks at: the states of a live field against the probes of its frames, the views of a
// text, and machine code to the same bits as bytecode.
#include <foliot/desk.h>
#include <gallery.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"
#include "test.h"

#define WAVE                                                                                 \
    "{\\\"field\\\": \\\"wave\\\", \\\"name\\\": \\\"w\\\", \\\"size\\\": [8, 6], "          \
    "\\\"length\\\": [7, 5], \\\"c\\\": 1, \\\"points\\\": [{\\\"name\\\": \\\"p\\\", "      \
    "\\\"node\\\": [1, 1], \\\"hold\\\": true, \\\"signal\\\": {\\\"sine\\\": "              \
    "{\\\"amplitude\\\": 1, \\\"omega\\\": 3}}}], \\\"probes\\\": [{\\\"node\\\": [3, "      \
    "2]}], \\\"method\\\": \\\"rk4\\\", \\\"run\\\": {\\\"stop\\\": 5, \\\"step\\\": 0.02, " \
    "\\\"interval\\\": 0.1}}"
#define DECAY                                                                               \
    "model Decay Real x(start = 1, fixed = true); Real y; equation der(x) = -y; y = x/2 + " \
    "sin(time); end Decay;"

// Double number `at` of the columns behind a frame of `columns` columns that begins at FOF1.
static double cell(const talk *t, uint32_t columns, size_t at)
{
    const char *frame = NULL;
    for (size_t i = 0; i + 4 <= t->length && !frame; i++)
        if (memcmp(t->said + i, "FOF1", 4) == 0) frame = t->said + i;
    double value;
    if (!frame) return -1e300;
    memcpy(&value, frame + 32 + 8 * (size_t)columns + 8 * at, sizeof value);
    return value;
}

TEST(states_of_a_live_field)
{
    talk desk = begin(NULL);
    exchange(&desk, "{\"id\":1,\"do\":\"open\",\"name\":\"w.field.json\",\"text\":\"" WAVE "\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"live\",\"doc\":1,\"clock\":0}");
    exchange(
        &desk,
        "{\"id\":3,\"do\":\"act\",\"live\":2,\"verb\":\"step\",\"value\":2}"); // it waits there
    exchange(&desk, "{\"id\":3,\"do\":\"frame\",\"live\":2,\"clock\":0}");
    CHECK(strstr(desk.said, "\"t\": 2,"));
    double probe = cell(&desk, 2, 1); // time, then the one probe
    CHECK(probe != 0 && probe > -10 && probe < 10);
    exchange(&desk, "{\"id\":4,\"do\":\"look\",\"live\":2}");
    CHECK(strstr(desk.said, "\"states\": 96"));
    CHECK(cell(&desk, 97, 0) == 2);
    CHECK(cell(&desk, 97, 1 + 3 + 2 * 8) == probe); // x[i + j nx]
    exchange(&desk, "{\"id\":5,\"do\":\"look\",\"live\":2,\"from\":19,\"count\":2}");
    CHECK(cell(&desk, 3, 1) == probe);
    // what is set there is seen there
    exchange(
        &desk,
        "{\"id\":7,\"do\":\"act\",\"live\":2,\"verb\":\"set\",\"name\":\"x[30]\",\"value\":0.75}");
    exchange(&desk, "{\"id\":8,\"do\":\"frame\",\"live\":2,\"clock\":0}");
    exchange(&desk, "{\"id\":9,\"do\":\"look\",\"live\":2,\"from\":30,\"count\":1}");
    CHECK(cell(&desk, 2, 1) == 0.75);
    static const char *const wrong[] = {"\"from\":97",    "\"from\":90,\"count\":7",
                                        "\"count\":-1",   "\"from\":0.5",
                                        "\"from\":1e300", "\"count\":1e300"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[128];
        snprintf(line, sizeof line, "{\"id\":10,\"do\":\"look\",\"live\":2,%s}", wrong[i]);
        exchange(&desk, line);
        CHECK(strstr(desk.said, "\"code\": \"argument\""));
    }
    exchange(&desk, "{\"id\":11,\"do\":\"look\",\"live\":77}");
    CHECK(strstr(desk.said, "\"code\": \"stale\""));
    end(&desk);
}

TEST(views_of_a_text)
{
    talk desk = begin(NULL);
    exchange(&desk, "{\"id\":1,\"do\":\"open\",\"name\":\"d.mo\",\"text\":\"" DECAY "\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"view\",\"doc\":1,\"view\":\"flat\"}");
    CHECK(strstr(desk.said, "\"text\": \"") && strstr(desk.said, "der(x)"));
    exchange(&desk, "{\"id\":3,\"do\":\"view\",\"doc\":1,\"view\":\"sorted\"}");
    CHECK(strstr(desk.said, "\"text\": \"") && strstr(desk.said, "y"));
    exchange(&desk, "{\"id\":4,\"do\":\"view\",\"doc\":1,\"view\":\"c\"}");
    CHECK(strstr(desk.said, "\"text\": \""));
    exchange(&desk, "{\"id\":5,\"do\":\"view\",\"doc\":1,\"view\":\"upside down\"}");
    CHECK(strstr(desk.said, "\"code\": \"argument\""));
    exchange(&desk, "{\"id\":6,\"do\":\"open\",\"name\":\"w.field.json\",\"text\":\"" WAVE "\"}");
    exchange(&desk, "{\"id\":7,\"do\":\"view\",\"doc\":2,\"view\":\"flat\"}");
    CHECK(strstr(desk.said, "\"code\": \"unfit\""));
    exchange(
        &desk,
        "{\"id\":8,\"do\":\"open\",\"name\":\"e.mo\",\"text\":\"model E equation x = ; end E;\"}");
    exchange(&desk, "{\"id\":9,\"do\":\"view\",\"doc\":3,\"view\":\"flat\"}");
    CHECK(strstr(desk.said, "the document has errors"));
    end(&desk);
}

// All rows of a run, after the head of the frame.
static size_t run_rows(talk *desk, unsigned run, char *into)
{
    char line[96];
    exchange(desk, "{\"id\":7,\"do\":\"run\",\"doc\":1,\"stop\":3}");
    snprintf(line, sizeof line, "{\"id\":8,\"do\":\"rows\",\"run\":%u}", run);
    exchange(desk, line);
    const char *frame = strstr(desk->said, "\"bytes\"");
    size_t from = frame ? (size_t)(strchr(frame, '\n') - desk->said) + 1 : 0;
    size_t size = desk->length - from - 32;
    memcpy(into, desk->said + from + 32, size);
    return size;
}

TEST(machine_code_to_the_same_bits)
{
    static char plain[1 << 17], fast[1 << 17];
    talk desk = begin(NULL);
    exchange(&desk, "{\"id\":1,\"do\":\"open\",\"name\":\"d.mo\",\"text\":\"" DECAY "\"}");
    exchange(&desk, "{\"id\":2,\"do\":\"describe\",\"doc\":1}");
    CHECK(strstr(desk.said, "\"how\": \"bytecode"));
    size_t size = run_rows(&desk, 2, fast);
    exchange(&desk, "{\"id\":3,\"do\":\"describe\",\"doc\":1}");
#if defined(__x86_64__) && defined(__linux__)
    CHECK(strstr(desk.said, "\"how\": \"machine code")); // since it was run
#endif
    exchange(&desk, "{\"id\":3,\"do\":\"program\",\"way\":\"bytecode\"}");
    CHECK(strstr(desk.said, "\"way\": \"bytecode\""));
    CHECK(strstr(desk.said, "\"on\": \"diagnostics\"")); // the document is opened anew
    CHECK(size > 1000 && run_rows(&desk, 3, plain) == size);
    CHECK(memcmp(plain, fast, size) == 0);
    exchange(&desk, "{\"id\":5,\"do\":\"program\",\"way\":\"rm -rf\"}");
    CHECK(strstr(desk.said, "\"code\": \"argument\""));
    end(&desk);
}

TEST_MAIN(TEST_ENTRY(states_of_a_live_field), TEST_ENTRY(views_of_a_text),
          TEST_ENTRY(machine_code_to_the_same_bits))
