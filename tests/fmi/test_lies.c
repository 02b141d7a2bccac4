/// Two more kinds of damaged units: binaries that answer what cannot be (times, intervals, sizes,
/// pointers), and descriptions whose elements were torn apart, doubled and exchanged. A message
/// or a run to the end, never a crash or a hang, and nothing left behind.
#define FOLIOT_TEST_UNIT FOLIOT_TEST_CLOCKED
#include <foliot/foliot.h>
#include <math.h>

#include "clocked_description.h"
#include "unit_files.h"

static const char *said(const char *path, const fo_fmu_def *def)
{
    static fo_message why;
    char text[8000];
    why = (fo_message){0};
    fo_fmu *fmu = path ? fo_fmu_open(path, def, &why) : NULL;
    if (!fmu) return why.text;
    fo_run_def run = fo_fmu_run_def(fmu);
    run.max_steps = 2000;
    if (run.stop - run.start > 1e3) run.stop = run.start + 1;
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(fmu), &run, &why);
    fo_status status = sim ? fo_simulation_advance(sim, run.stop) : FO_ERROR_MODEL;
    if (sim && fo_failed(status)) why = *fo_simulation_message(sim);
    bool good = !why.text[0];
    for (size_t i = 0; good && fo_fmu_text_name(fmu, i, NULL); i++)
        good =
            fo_fmu_get_text(fmu, fo_fmu_text_name(fmu, i, NULL), text, sizeof text, &why) == FO_OK;
    fo_fmu_about(fmu, text, sizeof text);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
    return why.text;
}

static void describe(char *text, size_t size, const char *lie)
{
    const char *token = strstr(clocked_description, "instantiationToken='x'");
    snprintf(text, size, "%.*sinstantiationToken='x/%s'%s", (int)(token - clocked_description),
             clocked_description, lie, token + strlen("instantiationToken='x'"));
}

TEST(answers_that_cannot_be)
{
    static const struct {
        const char *lie;
        fo_fmu_type type;
        const char *message; ///< NULL: it runs to the end
    } list[] = {
        {"next-nan", FO_FMU_CO_SIMULATION, "next event time is not a number"},
        {"next-past", FO_FMU_CO_SIMULATION, "fmi3DoStep"}, // it refuses to be carried over 2.5
        {"need-forever", FO_FMU_CO_SIMULATION, "event iteration does not end"},
        {"early-back", FO_FMU_CO_SIMULATION, "fmi3DoStep"},
        {"early-beyond", FO_FMU_CO_SIMULATION, "beyond"},
        {"early-nan", FO_FMU_CO_SIMULATION, "fmi3DoStep"},
        {"early-forever", FO_FMU_CO_SIMULATION, "fmi3DoStep"},
        {"interval-nan", FO_FMU_SCHEDULED_EXECUTION, "interval of clock 'c3'"},
        {"interval-negative", FO_FMU_SCHEDULED_EXECUTION, "interval of clock 'c3'"},
        {"interval-zero", FO_FMU_SCHEDULED_EXECUTION, "tick more than 1000 times"},
        {"qualifier", FO_FMU_SCHEDULED_EXECUTION, NULL},
        {"scribble", FO_FMU_CO_SIMULATION, "written over memory that is not its own"},
        {"string-null", FO_FMU_CO_SIMULATION, NULL},
        {"string-wild", FO_FMU_CO_SIMULATION, "fmi3GetString"},
        {"binary-huge", FO_FMU_CO_SIMULATION, NULL}, // what is beyond 4 kB is cut
        {"binary-wild", FO_FMU_CO_SIMULATION, "fmi3GetBinary"},
        {"binary-null", FO_FMU_CO_SIMULATION, NULL},
    };
    REQUIRE(units_begin());
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[8000];
        fo_fmu_def def = fo_default_fmu_def();
        def.type = list[i].type, def.event_mode = list[i].type == FO_FMU_CO_SIMULATION;
        def.timeout = 20;
        describe(text, sizeof text, list[i].lie);
        const char *message = said(unit_write(3, "x", text), &def);
        if (!list[i].message && *message) printf("  %s: %s\n", list[i].lie, message);
        if (list[i].message)
            CHECK_CONTAINS(message, list[i].message);
        else if (strcmp(list[i].lie, "binary-huge") != 0)
            CHECK_TEXT(message, "");
    }
    CHECK_INT(unit_leftovers(), 0);
}

static uint64_t random_state = 0x5bd1e995c0ffee11u;

static size_t below(size_t n)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n ? random_state % n : 0;
}

// Element `index` of the text: from its '<' to its '>'.
static bool element(const char *text, size_t index, size_t *from, size_t *to)
{
    const char *c = text;
    for (size_t i = 0; c && (c = strchr(c, '<')); i++, c++) {
        const char *end = strchr(c, '>');
        if (!end) return false;
        if (i == index) return *from = (size_t)(c - text), *to = (size_t)(end + 1 - text), true;
    }
    return false;
}

static size_t elements(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == '<';
    return n;
}

// One change: an element left away, doubled, put elsewhere, an attribute cut or a value exchanged.
static void tear(char *text, size_t room)
{
    char copy[16000], piece[2000];
    size_t from, to, at, other;
    if (!element(text, below(elements(text)), &from, &to) || to - from >= sizeof piece) return;
    snprintf(copy, sizeof copy, "%s", text);
    snprintf(piece, sizeof piece, "%.*s", (int)(to - from), text + from);
    switch (below(5)) {
    case 0: snprintf(text, room, "%.*s%s", (int)from, copy, copy + to); break;
    case 1: snprintf(text, room, "%.*s%s%s", (int)to, copy, piece, copy + to); break;
    case 2:
        if (element(copy, below(elements(copy)), &at, &other))
            snprintf(text, room, "%.*s%s%s", (int)other, copy, piece, copy + other);
        break;
    case 3:
        at = from + below(to - from);
        snprintf(text, room, "%.*s%s", (int)at, copy, copy + to - (below(2) ? 1 : 0));
        break;
    default:
        for (at = from; at < to; at++)
            if (text[at] >= '0' && text[at] <= '9' && below(2)) text[at] = "0918-e.x"[below(8)];
    }
}

TEST(descriptions_that_were_torn)
{
    int refused = 0, trials = 240;
    for (int i = 0; i < trials; i++) {
        char text[16000];
        fo_fmu_def def = fo_default_fmu_def();
        def.type = (fo_fmu_type)(2 + below(2)), def.event_mode = below(2), def.timeout = 20;
        describe(text, 9000, "none");
        for (size_t k = below(3) + 1; k > 0; k--) tear(text, sizeof text);
        refused += *said(unit_write(3, "x", text), &def) != 0;
        CHECK_INT(unit_leftovers(), 0);
    }
    CHECK(refused > trials / 3);
    CHECK(refused < trials);
}

// Terminals are for people: what is wrong with them is noted, and the unit runs.
TEST(terminals_that_were_torn)
{
    static const char good[] =
        "<?xml version='1.0'?>\n<fmiTerminalsAndIcons fmiVersion='3.0'><Terminals>"
        "<Terminal name='a' matchingRule='plug' terminalKind='k'>"
        "<TerminalMemberVariable variableName='y' memberName='m' variableKind='signal'/>"
        "<Terminal name='b' matchingRule='bus'>"
        "<TerminalMemberVariable variableName='n1' variableKind='signal'/></Terminal>"
        "</Terminal></Terminals></fmiTerminalsAndIcons>\n";
    char path[600], place[100], text[8000], about[4000], terminals[4000];
    size_t size = 0;
    char *binary = unit_binary(&size);
    snprintf(path, sizeof path, "%s/unit.fmu", unit_folder);
    snprintf(place, sizeof place, "binaries/%s/unit.so", fo_fmu_platform(3));
    describe(text, sizeof text, "none");
    int noted = 0;
    for (int i = 0; i < 60; i++) {
        snprintf(terminals, sizeof terminals, "%s", good);
        if (i) tear(terminals, sizeof terminals);
        fo_fmu_file files[] = {
            {"modelDescription.xml", text, strlen(text), false},
            {"terminalsAndIcons/terminalsAndIcons.xml", terminals, strlen(terminals), false},
            {place, binary, size, true}};
        REQUIRE(fo_fmu_write(path, files, 3, NULL) == FO_OK);
        fo_message why = {0};
        fo_fmu *fmu = fo_fmu_open(path, NULL, &why);
        REQUIRE(fmu);
        fo_fmu_about(fmu, about, sizeof about);
        if (!i) {
            CHECK_CONTAINS(about, "terminal a (plug, k): y as m");
            CHECK_CONTAINS(about, "terminal a.b (bus): n1");
        }
        noted += fo_fmu_note(fmu, 0) != NULL;
        fo_fmu_close(fmu);
    }
    CHECK(noted > 10);
    free(binary);
    CHECK_INT(unit_leftovers(), 0);
    units_end();
}

TEST_MAIN(TEST_ENTRY(answers_that_cannot_be), TEST_ENTRY(descriptions_that_were_torn),
          TEST_ENTRY(terminals_that_were_torn))
