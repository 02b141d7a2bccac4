// Opening a model can be cancelled at any question, is asked about all the time, and can be
// limited; and the names of an open model can be shown whatever its document has.
#include <foliot/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

typedef struct asking {
    long asked, most; ///< questions; how many are answered with yes
    double last, longest;
} asking;

// What this process has worked: a busy machine is not our fault.
static double worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool answer(void *self)
{
    asking *a = self;
    double now = worked();
    if (now - a->last > a->longest) a->longest = now - a->last;
    a->last = now;
    return a->asked++ < a->most;
}

static fo_status open_asking(const char *name, const char *text, long most, asking *a)
{
    fo_model_def def = fo_default_model_def();
    fo_model *m;
    *a = (asking){.most = most, .last = worked()};
    def.name = name, def.text = text;
    def.go_on = answer, def.go_on_self = a;
    fo_status status = fo_model_open(&def, &m);
    if (!m) return FO_ERROR_MEMORY;
    double now = worked();
    if (now - a->last > a->longest) a->longest = now - a->last;
    if (status == FO_ERROR_CANCELLED) {
        CHECK_INT((long long)fo_model_finding_count(m), 1);
        CHECK_CONTAINS(fo_model_finding(m, 0)->text, "cancelled");
    }
    fo_model_close(m);
    return status;
}

static const char text[] = "model a\n  parameter Integer n = 3;\n  Real x[n](each start = 1), y;\n"
                           "equation\n  for i in 1:n loop der(x[i]) = -i * x[i] + y; end for;\n"
                           "  y^3 + y = sum(x);\nend a;\n";
static const char diagram[] =
    "{\"format\": \"foliot diagram\", \"version\": 1, \"name\": \"d\", \"simulation\": {\"start\": "
    "0, \"stop\": 1, \"integrator\": \"RK_04\", \"step\": 0.25}, \"nodes\": [{\"name\": \"one\", "
    "\"type\": \"Constant\"}, {\"name\": \"sum\", \"type\": \"Integrator\"}, {\"name\": \"out\", "
    "\"type\": \"Time vs Input\"}], \"lines\": [{\"from\": \"one\", \"to\": \"sum\"}, {\"from\": "
    "\"sum\", \"to\": \"out\"}]}";
static const char structure[] =
    "{\"structure\": \"swing\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": \"tip\", "
    "\"at\": [1, 0], \"mass\": 1}], \"springs\": [{\"between\": [1, 2], \"k\": 10}]}";

TEST(it_ends_at_any_question)
{
    const char *const documents[][2] = {
        {"a.mo", text}, {"d.json", diagram}, {"s.structure.json", structure}};
    for (size_t d = 0; d < FO_COUNT(documents); d++) {
        asking all;
        CHECK_INT(open_asking(documents[d][0], documents[d][1], 1L << 40, &all), FO_OK);
        CHECK(all.asked > 10);
        long step = all.asked > 400 ? all.asked / 400 : 1;
        for (long most = 0; most < all.asked; most += step) {
            asking a;
            CHECK_INT(open_asking(documents[d][0], documents[d][1], most, &a), FO_ERROR_CANCELLED);
            CHECK(a.asked == most + 1); // nobody asks again
        }
    }
}

// A large text: the questions are never far apart.
TEST(it_is_asked_about_all_the_time)
{
    enum { EQUATIONS = 4000, LINE = 80 };
    char *large = malloc((size_t)EQUATIONS * 2 * LINE + 100), *at = large;
    REQUIRE(large);
    at += sprintf(at, "model large\n");
    for (int i = 0; i < EQUATIONS; i++) at += sprintf(at, "Real x%d(start = %d);\n", i, i);
    at += sprintf(at, "equation\n");
    for (int i = 0; i < EQUATIONS; i++)
        at += sprintf(at, "x%d + sin(x%d) + der(x%d) = x%d;\n", i, (i + 1) % EQUATIONS, i,
                      (i * 79 + 1) % EQUATIONS);
    sprintf(at, "end large;\n");
    asking a;
    double begun = worked();
    CHECK_INT(open_asking("large.mo", large, 1L << 40, &a), FO_OK);
    double all = worked() - begun;
    CHECK(a.longest < 0.2 || a.longest < 0.25 * all);
    free(large);
}

TEST(what_is_too_much_work_is_refused)
{
    fo_model_def def = fo_default_model_def();
    fo_model *m;
    def.name = "many.mo";
    def.text = "model many Real x[100000]; equation for i in 1:100000 loop x[i] = i; end for; end "
               "many;";
    def.most_work = 10000;
    CHECK_INT(fo_model_open(&def, &m), FO_ERROR_FORMAT);
    REQUIRE(m && fo_model_finding_count(m));
    CHECK_CONTAINS(fo_model_finding(m, 0)->text, "more than 10000 expansions");
    fo_model_close(m);
}

static bool shown(const char *name)
{
    for (; name && *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

TEST(names_can_be_shown)
{
    const char *const documents[][2] = {
        {"s.structure.json",
         "{\"structure\": \"s\\u001b[31m\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, "
         "{\"name\": \"ti\\np\", \"at\": [1, 0], \"mass\": 1}], \"springs\": [{\"between\": [1, "
         "2], \"k\": 10}]}"},
        {"d.json",
         "{\"format\": \"foliot diagram\", \"version\": 1, \"name\": \"d\\u007f\", \"simulation\": "
         "{\"start\": 0, \"stop\": 1, \"integrator\": \"RK_04\", \"step\": 0.25}, \"nodes\": "
         "[{\"name\": \"o\\u0007ne\", \"type\": \"Constant\"}, {\"name\": \"out\", \"type\": "
         "\"Time vs Input\"}], \"lines\": [{\"from\": \"o\\u0007ne\", \"to\": \"out\"}]}"}};
    for (size_t d = 0; d < FO_COUNT(documents); d++) {
        fo_model_def def = fo_default_model_def();
        fo_model *m;
        def.name = documents[d][0], def.text = documents[d][1];
        CHECK_INT(fo_model_open(&def, &m), FO_OK);
        const fo_description *about = fo_model_system(m).about;
        CHECK(shown(about->name) && strstr(about->name, "\\u00"));
        const fo_variables lists[] = {about->states, about->outputs, about->parameters};
        bool escaped = false;
        for (size_t l = 0; l < FO_COUNT(lists); l++)
            for (size_t i = 0; i < lists[l].count; i++) {
                const char *name = lists[l].list[i].name;
                fo_reference found;
                CHECK(shown(name));
                escaped |= strchr(name, '\\') != NULL;
                CHECK_INT(fo_system_find(fo_model_system(m), name, &found, NULL), FO_OK);
            }
        CHECK(escaped);
        const char *const *plot = fo_model_plot(m);
        for (size_t i = 0; plot && plot[i]; i++) CHECK(shown(plot[i]));
        fo_model_close(m);
    }
}

TEST_MAIN(TEST_ENTRY(it_ends_at_any_question), TEST_ENTRY(it_is_asked_about_all_the_time),
          TEST_ENTRY(what_is_too_much_work_is_refused), TEST_ENTRY(names_can_be_shown))
