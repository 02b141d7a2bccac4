// The desk from C: the same answers however the bytes are cut and the work is sliced, nothing lost
// when memory is lacking, a slow run that does not block a diagnosis, limits that hold.
#include <foliot/desk.h>
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define BALL                                                                                 \
    "model Ball parameter Real g = 9.81; Real h(start = 1, fixed = true); Real v; equation " \
    "der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -0.8*pre(v)); end when; end Ball;"

static const char session[] =
    "{\"id\": 1, \"do\": \"hello\", \"versions\": [1]}\n"
    "{\"id\": 2, \"do\": \"open\", \"name\": \"ball.mo\", \"text\": \"" BALL "\"}\n"
    "{\"id\": 3, \"do\": \"describe\", \"doc\": 1}\n"
    "{\"id\": 4, \"do\": \"run\", \"doc\": 1, \"stop\": 2}\n"
    "{\"id\": 5, \"do\": \"change\", \"doc\": 1, \"edits\": [{\"from\": [0, 6], \"to\": [0, 10], "
    "\"text\": \"Bull\"}]}\n"
    "{\"id\": 6, \"do\": \"complete\", \"doc\": 1, \"at\": [0, 60]}\n"
    "{\"id\": 7, \"do\": \"live\", \"doc\": 1, \"clock\": 0}\n"
    "{\"id\": 8, \"do\": \"set\", \"doc\": 1, \"name\": \"g\", \"value\": 5}\n"
    "\n{\"id\": 9, \"do\": \"nonsense\"}\nnot json\n"
    "{\"id\": 10, \"do\": \"outline\", \"doc\": 1}\n"
    "{\"id\": 11, \"do\": \"format\", \"doc\": 1}\n"
    "{\"id\": 12, \"do\": \"rename\", \"doc\": 1, \"at\": [0, 26], \"name\": \"gg\"}\n";

/// What a desk has said.
typedef struct saying {
    char *text;
    size_t length;
} saying;

static void listen(fo_desk *desk, saying *s)
{
    char buffer[4096];
    for (size_t count; (count = fo_desk_take(desk, buffer, sizeof buffer));) {
        char *grown = realloc(s->text, s->length + count + 1);
        if (!grown) abort();
        s->text = grown;
        memcpy(s->text + s->length, buffer, count);
        s->length += count;
        s->text[s->length] = 0;
    }
}

static fo_desk *make(const fo_allocator *allocator)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.table = fo_compiled_models();
    def.allocator = allocator;
    return fo_desk_create(&def, &why);
}

// A whole session: `part` bytes at a time, `units` of work after each.
static saying hold(const char *text, size_t length, size_t part, uint64_t units)
{
    fo_desk *desk = make(NULL);
    saying s = {calloc(1, 1), 0};
    for (size_t from = 0; desk && from < length;) {
        size_t count = length - from < part ? length - from : part;
        from += fo_desk_give(desk, text + from, count);
        fo_desk_work(desk, 0, units);
        listen(desk, &s);
    }
    while (desk && fo_desk_work(desk, 0, units) != FO_DESK_IDLE) listen(desk, &s);
    if (desk) listen(desk, &s);
    fo_desk_destroy(desk);
    return s;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The lines in an order of their own, without progress and repeated diagnoses: those depend on when
// there was time for them. The text is cut into its lines.
static size_t sorted_lines(char *text, char **lines, size_t most)
{
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line && count < most; line = strtok(NULL, "\n"))
        if (!strstr(line, "\"progress\"") && !strstr(line, "\"diagnostics\""))
            lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_text);
    return count;
}

TEST(answers_do_not_depend_on_how_bytes_and_work_are_cut)
{
    enum { MOST = 100 };
    char *expected[MOST], *found[MOST];
    saying whole = hold(session, sizeof session - 1, sizeof session, UINT64_MAX);
    size_t count = sorted_lines(whole.text, expected, MOST);
    CHECK_INT((long long)count, 14); // twelve requests, a line that is none, the run's end
    static const struct {
        size_t part;
        uint64_t units;
    } ways[] = {{1, 1}, {1, UINT64_MAX}, {7, 100}, {sizeof session, 1}, {50, 5000}};
    for (size_t i = 0; i < FO_COUNT(ways); i++) {
        saying other = hold(session, sizeof session - 1, ways[i].part, ways[i].units);
        size_t n = sorted_lines(other.text, found, MOST);
        CHECK_INT((long long)n, (long long)count);
        for (size_t k = 0; k < n && k < count; k++) CHECK_TEXT(found[k], expected[k]);
        free(other.text);
    }
    free(whole.text);
}

TEST(every_allocation_may_fail)
{
    for (size_t at = 1; at < 4000; at += at < 300 ? 1 : 37) {
        test_memory memory;
        test_memory_init(&memory, (long)at);
        fo_desk *desk = make(&memory.allocator);
        for (size_t from = 0; desk && from < sizeof session - 1;) {
            size_t taken = fo_desk_give(desk, session + from, sizeof session - 1 - from);
            from += taken ? taken : 1; // what cannot be taken is lost
        }
        for (int i = 0; desk && i < 1000 && fo_desk_work(desk, 0, 100000) != FO_DESK_IDLE; i++) {
            char buffer[4096];
            while (fo_desk_take(desk, buffer, sizeof buffer)) continue;
        }
        fo_desk_destroy(desk);
        CHECK_INT((long long)memory.live, 0);
    }
}

static bool says(fo_desk *desk, const char *part, uint64_t units, int most)
{
    saying s = {calloc(1, 1), 0};
    bool found = false;
    for (int i = 0; i < most && !found; i++) {
        fo_desk_work(desk, 0, units);
        listen(desk, &s);
        found = strstr(s.text, part) != NULL;
    }
    free(s.text);
    return found;
}

static void tell(fo_desk *desk, const char *line)
{
    CHECK_INT((long long)fo_desk_give(desk, line, strlen(line)), (long long)strlen(line));
}

// A run that takes for ever, and a diagnosis that is answered within a bounded amount of work.
TEST(a_slow_run_does_not_block_a_diagnosis)
{
    fo_desk *desk = make(NULL);
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"lorenz\"}\n");
    tell(desk, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, \"stop\": 1e7, \"interval\": 1e5, "
               "\"solver\": \"rk4\", \"step\": 1e-4}\n");
    CHECK(says(desk, "\"run\": 2", 1000, 10));
    for (int i = 0; i < 50; i++) fo_desk_work(desk, 0, 100000);
    tell(desk,
         "{\"id\": 3, \"do\": \"open\", \"name\": \"x.mo\", \"text\": \"model X Real x; end\"}\n");
    CHECK(says(desk, "\"diagnostics\", \"doc\": 3", 1000, 3));
    tell(desk, "{\"id\": 4, \"do\": \"cancel\", \"run\": 2}\n");
    CHECK(says(desk, "\"status\": \"cancelled\"", 1000, 3));
    fo_desk_destroy(desk);
}

TEST(limits_hold)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.documents = 2, def.runs = 1, def.lives = 1, def.text = 400, def.message = 1000,
    def.rows = 50;
    def.table = fo_compiled_models();
    fo_desk *desk = fo_desk_create(&def, &why);
    char longer[3000], line[1200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\n';
    fo_desk_give(desk, longer, 1500);
    fo_desk_work(desk, 0, 1000);
    fo_desk_give(desk, longer + 1500, 1500);
    CHECK(says(desk, "\"limit\"", 1000, 3)); // too long a message
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"ball\"}\n");
    CHECK(says(desk, "\"id\": 1, \"ok\"", 1000, 3));
    snprintf(line, sizeof line,
             "{\"id\": 2, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"%.500s\"}\n", longer);
    tell(desk, line);
    CHECK(says(desk, "\"limit\"", 1000, 3)); // too long a text
    tell(desk, "{\"id\": 3, \"do\": \"open\", \"name\": \"pendulum\"}\n");
    tell(desk, "{\"id\": 4, \"do\": \"open\", \"name\": \"pendulum\"}\n");
    CHECK(says(desk, "{\"id\": 4, \"error\": {\"code\": \"limit\"", 1000, 3));
    tell(desk, "{\"id\": 5, \"do\": \"run\", \"doc\": 1}\n");
    CHECK(says(desk, "\"status\": \"memory\"", 100000, 100)); // more than 50 rows
    tell(desk, "{\"id\": 6, \"do\": \"run\", \"doc\": 1}\n");
    CHECK(says(desk, "{\"id\": 6, \"error\": {\"code\": \"limit\"", 1000, 3));
    tell(desk, "{\"id\": 7, \"do\": \"open\", \"name\": \"/etc/passwd\"}\n");
    CHECK(says(desk, "{\"id\": 7, \"error\"", 1000, 3));
    fo_desk_destroy(desk);

    def = fo_default_desk_def();
    def.memory = 200000;
    desk = fo_desk_create(&def, &why);
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"big.mo\", \"text\": \"model Big Real "
               "x[10000](each start = 1); equation for i in 1:10000 loop der(x[i]) = -i*x[i]; end "
               "for; end Big;\"}\n");
    CHECK(says(desk, "memory", 1000000, 10));
    tell(desk, "{\"id\": 2, \"do\": \"hello\"}\n"); // it goes on
    CHECK(says(desk, "\"id\": 2, \"ok\"", 1000, 3));
    fo_desk_destroy(desk);
}

// The same bits as the model alone: the final row of a run on the desk.
TEST(a_run_has_the_bits_of_the_model_alone)
{
    fo_message why;
    fo_model_def mdef = fo_default_model_def();
    fo_model *model;
    mdef.name = "double-pendulum", mdef.table = fo_compiled_models();
    CHECK_INT(fo_model_open(&mdef, &model), FO_OK);
    fo_run_def run = fo_model_run_def(model);
    fo_simulation *sim = fo_simulation_create(fo_model_system(model), &run, &why);
    CHECK(!fo_failed(fo_simulation_advance(sim, run.stop)));
    double expected = fo_simulation_value(sim, (fo_reference){FO_STATE, 0});
    fo_simulation_destroy(sim);
    fo_model_close(model);

    fo_desk *desk = make(NULL);
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"double-pendulum\"}\n");
    tell(desk, "{\"id\": 2, \"do\": \"run\", \"doc\": 1}\n");
    CHECK(says(desk, "\"done\"", 777, 1000000));
    tell(desk, "{\"id\": 3, \"do\": \"rows\", \"run\": 2, \"signals\": [0]}\n");
    saying s = {calloc(1, 1), 0};
    fo_desk_work(desk, 0, 1000);
    listen(desk, &s);
    double last = NAN;
    if (s.length > 8) memcpy(&last, s.text + s.length - sizeof last, sizeof last);
    CHECK(memcmp(&last, &expected, sizeof last) == 0);
    free(s.text);
    fo_desk_destroy(desk);
}

TEST_MAIN(TEST_ENTRY(answers_do_not_depend_on_how_bytes_and_work_are_cut),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(a_slow_run_does_not_block_a_diagnosis),
          TEST_ENTRY(limits_hold), TEST_ENTRY(a_run_has_the_bits_of_the_model_alone))
