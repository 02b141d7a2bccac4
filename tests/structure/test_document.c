// Documents: what they may say, and how mistakes are told.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structure/structure.h"
#include "test.h"

static fo_structure_document *parse(const char *text, fo_message *why)
{
    return fo_structure_read("d", text, strlen(text), NULL, why);
}

#define NODES "{\"structure\": \"s\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, "
#define TWO   NODES "{\"name\": \"tip\", \"at\": [1, 0], \"mass\": 1}]"
static const char *const mistakes[][2] = {
    {"[]", "d:1:1: $: expected an object, found a list"},
    {"{}", "$: the field 'structure' is missing"},
    {"{\"structure\": \"s\"}", "$: a structure needs a node"},
    {"{\"structure\": \"s\", \"nods\": []}",
     "$.nods: nothing here is called 'nods'; did you mean 'nodes'?"},
    {"{\"structure\": \"s\", \"sliders\": {\"k\": [2, 1]}}", "$.sliders.k: a slider goes from a"},
    {"{\"structure\": \"s\", \"dimension\": 4}", "$.dimension: expected 1, 2 or 3, found 4"},
    {"{\"structure\": \"s\", \"friction\": -1}", "$.friction: expected a number not below zero"},
    {NODES "{\"at\": [1, 0], \"mass\": 0}]}",
     "$.nodes[1].mass: expected a number above zero, found 0"},
    {NODES "{\"at\": [1, 0], \"mass\": -2}]}",
     "$.nodes[1].mass: expected a number above zero, found -2"},
    {NODES "{\"at\": [1, 0], \"mass\": \"1\"}]}",
     "$.nodes[1].mass: expected a number, found a text"},
    {NODES "{\"at\": [1, 0]}]}", "$.nodes[1]: the field 'mass' is missing"},
    {NODES "{\"at\": [1, 0, 0], \"mass\": 1}]}", "$.nodes[1].at: expected 2 numbers, found 3"},
    {NODES "{\"at\": [1, 0], \"mass\": 1, \"fixed\": \"q\"}]}",
     "$.nodes[1].fixed: expected true, false or"},
    {NODES "{\"name\": \"a\", \"at\": [1, 0], \"mass\": 1}, {\"name\": \"a\", \"at\": [1, 0], "
           "\"mass\": 1}]}",
     "$.nodes[2].name: the name 'a' is taken"},
    {TWO ", \"springs\": [{\"between\": [1, 3], \"k\": 1}]}",
     "$.springs[0].between[1]: there is no node 3, only 1 to 2"},
    {TWO ", \"springs\": [{\"between\": [1, \"tipp\"], \"k\": 1}]}",
     "there is no node 'tipp'; did you mean 'tip'?"},
    {TWO ", \"springs\": [{\"between\": [1, 2], \"k\": 0}]}",
     "$.springs[0].k: expected a number above zero"},
    {TWO ", \"springs\": [{\"between\": [1, 2], \"k\": 1e999}]}",
     "$.springs[0].k: the number 1e999 is too large"},
    {TWO ", \"springs\": [{\"between\": [2, 2], \"k\": 1}]}",
     "$.springs[0]: a spring needs two nodes"},
    {TWO ", \"springs\": [{\"between\": [1], \"k\": 1}]}",
     "$.springs[0].between: expected 'between' with two nodes"},
    {NODES "{\"at\": [0, 0], \"mass\": 1}], \"springs\": [{\"between\": [1, 2], \"k\": 1}]}",
     "$.springs[0]: a spring of zero length"},
    {TWO ", \"springs\": [{\"between\": [1, 2], \"k\": 1, \"energy\": \"square\"}]}",
     "did you mean 'squares'?"},
    {TWO ", \"ports\": [{\"name\": \"p\", \"node\": 2, \"direction\": \"z\"}]}",
     "$.ports[0].direction: expected a direction"},
    {TWO ", \"ports\": [{\"name\": \"p\", \"node\": \"R\", \"direction\": \"x\"}]}",
     "$.ports[0]: port 'p' acts on the bowl, and this structure has none: its 'bowl' is 0"},
    {TWO ", \"ports\": [{\"name\": \"p\", \"node\": 1, \"direction\": \"x\", \"in\": \"flow\"}]}",
     "drives a direction that is fixed"},
    {TWO ", \"ports\": [{\"name\": \"p\", \"node\": 2, \"direction\": \"x\", \"signal\": [[1, "
         "2], [1, 3]]}]}",
     "$.ports[0].signal[1][0]: times must ascend, found 1 after 1"},
    {TWO ", \"ports\": [{\"name\": \"energy\", \"node\": 2, \"direction\": \"x\"}]}",
     "has a name that was used before"},
    {TWO ", \"parts\": [{\"kind\": \"bar\", \"name\": \"b\", \"material\": \"tin\"}]}",
     "$.parts[0].material: expected steel"},
    {TWO ", \"parts\": [{\"kind\": \"bar\", \"name\": \"b\", \"material\": \"steel\", "
         "\"cells\": 1e9}]}",
     "$.parts[0]"},
    {TWO ", \"begin\": \"rest\", \"gravity\": true}", "no static solution"},
    {TWO ", \"run\": {\"solver\": \"leapfrogg\"}}", "$.run.solver: "},
    {TWO ", \"run\": {\"plot\": [\"tip.q\"]}}", "$.run.plot[0]: "},
    {"{\"structure\": \"s\", \"matrix\": {\"values\": [[1, 2], [3]], \"at\": [[0, 0], [1, "
     "0]]}}",
     "$.matrix.values[1]: expected a list of 2 numbers"},
    {"{\"structure\": \"s\", \"matrix\": {\"values\": [[0, 2], [3, 1]], \"at\": [[0, 0], [1, "
     "0]]}}",
     "$.matrix.values[0][0]: expected a number above zero"},
    {"{\"hamiltonian\": \"h\", \"states\": [\"q\", \"p\"], \"energy\": \"p^2 + r\"}",
     "energy, column 7"},
    {"{\"hamiltonian\": \"h\", \"states\": [\"q\"]}", "an even number of states, found 1"},
    {"{\"hamiltonian\": \"h\", \"states\": [\"q\", \"p\"], \"coefficients\": [1], \"counts\": "
     "[3], "
     "\"variables\": [1, 1]}",
     "$.variables: the counts ask for 3 variables, found 2"},
    {"{\"hamiltonian\": \"h\", \"states\": [\"q\", \"p\"], \"coefficients\": [1, 2], \"counts\": "
     "[1], \"variables\": [1]}",
     "$.counts: there are 2 coefficients and 1 counts"},
};

TEST(mistakes_have_a_place_and_a_path)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        fo_message why = {0};
        fo_structure_document *d = parse(mistakes[i][0], &why);
        CHECK(!d);
        CHECK_INT(why.status, FO_ERROR_FORMAT);
        CHECK_CONTAINS(why.text, mistakes[i][1]);
        CHECK_CONTAINS(why.text, "d:1:");
        fo_structure_document_destroy(d);
    }
}

// Figure 11: masses 1, 2, 3; stiffnesses 1 and 10; lengths 2 and 5.
TEST(the_matrix_of_figure_11)
{
    static const double matrix[] = {1, 2, 0, 1, 2, 5, 0, 10, 3};
    fo_message why = {0};
    fo_structure_document *d = parse(
        "{\"structure\": \"figure 11\", \"dimension\": 1,\n"
        " \"matrix\": {\"values\": [[1, 2, 0], [1, 2, 5], [0, 10, 3]], \"at\": [[0], [2], [7]]}}",
        &why);
    REQUIRE(d);
    const fo_structure *s = fo_structure_document_structure(d);
    CHECK_INT(fo_structure_nodes(s), 3);
    CHECK_INT(fo_structure_springs(s), 2);
    double back[9];
    CHECK_STATUS(fo_structure_matrix(s, back, &why), FO_OK, &why);
    CHECK(memcmp(back, matrix, sizeof matrix) == 0);
    CHECK_NEAR(s->springs[1].d, 5, 0);
    fo_structure_document_destroy(d);
    d = parse("{\"structure\": \"m\", \"nodes\": [{\"at\": [0, 0], \"mass\": 1}, {\"at\": [1, 1], "
              "\"mass\": 1}], \"springs\": [{\"between\": [1, 2], \"k\": 1}]}",
              &why);
    REQUIRE(d); // the length comes from the begin state
    double small[4];
    CHECK_STATUS(fo_structure_matrix(fo_structure_document_structure(d), small, &why), FO_OK, &why);
    CHECK_NEAR(small[1], sqrt(2), 1e-15);
    fo_structure_document_destroy(d);
}

// Half a document, or one with bytes changed: an answer or a message with a place.
TEST(broken_documents_do_no_harm)
{
    static const char text[] =
        "{\"structure\": \"s\", \"gravity\": true, \"bowl\": 3, \"lattices\": [{\"name\": \"b\", "
        "\"columns\": 3, \"rows\": 2, \"spacing\": 2, \"mass\": 1, \"along\": 9, \"across\": 9, "
        "\"diagonal\": 9}], \"change\": [{\"node\": \"b.1.1\", \"fixed\": \"xy\"}], \"parts\": "
        "[{\"kind\": \"rope\", \"name\": \"r\", \"material\": \"steel\", \"from\": [0, 0], \"to\": "
        "[0, 1], \"cells\": 3, \"area\": 1e-6}], \"ports\": [{\"name\": \"p\", \"node\": "
        "\"b.3.1\", "
        "\"direction\": \"-y\", \"signal\": [[1, 2]]}], \"run\": {\"stop\": 1, \"plot\": "
        "[\"b.3.1.y\"]}}";
    fo_message why = {0};
    fo_structure_document *whole = parse(text, &why);
    CHECK(whole);
    fo_structure_document_destroy(whole);
    uint64_t noise = 7;
    size_t good = 0, refused = 0;
    for (size_t n = 0; n < 3000; n++) {
        size_t length = n < sizeof text - 1 ? n : sizeof text - 1;
        char *copy = malloc(length + 1);
        memcpy(copy, text, length);
        for (size_t k = 0; n >= length + 1 && k < 1 + n % 3; k++) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            static const char bytes[] = "0123456789-.e[]{},:\"xyr ";
            copy[(noise >> 33) % length] = bytes[(noise >> 20) % (sizeof bytes - 1)];
        }
        fo_structure_document *d = fo_structure_read("d", copy, length, NULL, &why);
        if (d) good++;
        if (!d && why.status == FO_ERROR_FORMAT && strncmp(why.text, "d:1:", 4) == 0) refused++;
        fo_structure_document_destroy(d);
        free(copy);
    }
    CHECK_INT(good + refused, 3000);
    CHECK(good > 0 && refused > 1000);
}

// Many names are found quickly: no search through all nodes for each.
TEST(a_large_document_is_read_in_no_time)
{
    enum { N = 20000 };
    char *text = malloc(N * 128), *at = text;
    at += sprintf(at, "{\"structure\": \"chain\", \"dimension\": 1, \"nodes\": [");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "%s{\"name\": \"n%d\", \"at\": [%d], \"mass\": 1}", i ? "," : "", i, i);
    at += sprintf(at, "], \"springs\": [");
    for (int i = 1; i < N; i++)
        at += sprintf(at, "%s{\"between\": [\"n%d\", \"n%d\"], \"k\": 1}", i > 1 ? "," : "", i - 1,
                      i);
    sprintf(at, "]}");
    fo_message why = {0};
    fo_structure_document *d = parse(text, &why);
    REQUIRE(d);
    CHECK_INT(fo_structure_find(fo_structure_document_structure(d), "n19999"), 19999);
    fo_structure_document_destroy(d);
    free(text);
}

static void check_same(const fo_structure *a, const fo_structure *b)
{
    size_t n = foi_coordinates(a);
    REQUIRE(n == foi_coordinates(b) && a->dim == b->dim);
    CHECK(memcmp(a->mass, b->mass, a->nodes * sizeof(double)) == 0);
    CHECK(memcmp(a->begin, b->begin, n * sizeof(double)) == 0);
    CHECK(memcmp(a->start, b->start, n * sizeof(double)) == 0);
    CHECK(memcmp(a->velocity, b->velocity, n * sizeof(double)) == 0);
    CHECK(memcmp(a->inverse_mass, b->inverse_mass, n * sizeof(double)) == 0);
    REQUIRE(a->spring_count == b->spring_count && a->bend_count == b->bend_count);
    CHECK(!a->spring_count ||
          memcmp(a->springs, b->springs, a->spring_count * sizeof *a->springs) == 0);
    REQUIRE(a->volume_count == b->volume_count && a->skin_count == b->skin_count);
    REQUIRE(a->port_count == b->port_count && a->slot_count == b->slot_count);
    foi_load none = {0};
    double *fa = calloc(2 * n, sizeof *fa), *fb = fa + n;
    CHECK(foi_potential(a, &none, a->start, fa) == foi_potential(b, &none, b->start, fb));
    CHECK(memcmp(fa, fb, n * sizeof *fa) == 0);
    free(fa);
}

static char *written(const fo_structure_document *d)
{
    size_t length = fo_structure_document_write(d, NULL, 0);
    char *text = malloc(length + 1);
    CHECK(length > 0 && fo_structure_document_write(d, text, length + 1) == length);
    return text;
}

// Read, written and read again it is the same system, and the text is the same from then on.
static void check_round_trip(const char *text)
{
    fo_message why = {0};
    fo_structure_document *d = parse(text, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(d);
    char *first = written(d);
    fo_structure_document *again = parse(first, &why);
    if (!again) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(again);
    char *second = written(again);
    CHECK_TEXT(first, second);
    if (fo_structure_document_structure(d))
        check_same(fo_structure_document_structure(d), fo_structure_document_structure(again));
    free(first), free(second);
    fo_structure_document_destroy(d), fo_structure_document_destroy(again);
}

TEST(what_is_written_is_read_as_the_same_system)
{
    check_round_trip(
        "{\"structure\": \"all \\\"sorts\\\"\", \"dimension\": 3, \"gravity\": [0, 0, -9.81], "
        "\"friction\": 0.1, \"bowl\": 7, \"parts\": [{\"kind\": \"balloon\", \"name\": \"b\", "
        "\"material\": \"rubber\", \"cells\": 1, \"centre\": [0.1, 0, 3], \"radius\": 0.3, "
        "\"thickness\": 1e-3, \"tension\": 0.3, \"pressure\": 1e5}, {\"kind\": \"plate\", "
        "\"name\": \"p\", \"material\": \"steel\", \"from\": [0, 0, 0], \"to\": [1, 1, 0], "
        "\"cells\": [3, 3], \"thickness\": 0.01}], \"nodes\": [{\"name\": \"tip\", \"at\": [9, 9, "
        "9], \"mass\": 0.1, \"velocity\": [0.3, 0, 0], \"fixed\": \"yz\"}], \"springs\": "
        "[{\"between\": [\"tip\", \"p.1\"], \"k\": 3, \"energy\": \"lengths\", \"breaks\": 0.5, "
        "\"yields\": 0.1}], \"ports\": [{\"name\": \"pull\", \"node\": \"p.2\", \"direction\": "
        "[1, 2, 3], \"start\": 0.7, \"signal\": [[1, 2], [3, 4]]}, {\"name\": \"bowl\", \"node\": "
        "\"R\", \"direction\": \"-z\", \"in\": \"flow\", \"connected\": true}], \"run\": "
        "{\"stop\": 2, \"solver\": \"radau5\", \"plot\": [\"tip.x\", \"energy\"]}}");
    check_round_trip(
        "{\"structure\": \"rope\", \"gravity\": true, \"begin\": \"rest\", \"parts\": [{\"kind\": "
        "\"rope\", \"name\": \"r\", \"material\": \"oak\", \"from\": [0, 0], \"to\": [2, 0.1], "
        "\"cells\": 7, \"area\": 1e-4, \"clamp\": \"both\"}]}");
    check_round_trip("{\"hamiltonian\": \"h\", \"states\": [\"q\", \"p\"], \"energy\": "
                     "\"0.5 * p^2 + 0.1 * q^4\", \"start\": [1, 0.1], \"run\": {\"stop\": 3}}");
}

TEST(surfaces_and_bending_are_read)
{
    fo_message why = {0};
    static const char *const wrong[][2] = {
        {"\"bends\": [{\"nodes\": [1, 2, 9], \"coefficients\": [1, -2, 1], \"k\": 1}]",
         "$.bends[0].nodes[2]: there is no node 9"},
        {"\"bends\": [{\"nodes\": [1, 2, 3], \"coefficients\": [1, -2], \"k\": 1}]",
         "$.bends[0].coefficients: expected 3 numbers, found 2"},
        {"\"bends\": [{\"nodes\": [], \"coefficients\": [], \"k\": 1}]",
         "$.bends[0].nodes: bending needs 1 to 16 nodes, found 0"},
        {"\"volumes\": [{\"facets\": [[1, 2], [2, 3], [3]], \"law\": \"gas\", \"value\": 1}]",
         "$.volumes[0].facets[2]: expected a list of 2 nodes"},
        {"\"volumes\": [{\"facets\": [[1, 3], [3, 2], [2, 1]], \"law\": \"gas\", \"value\": 1}]",
         "$.volumes[0]: the facets must enclose a positive volume"},
        {"\"skins\": [{\"facets\": [[1, 2]], \"tension\": 0}]",
         "$.skins[0].tension: expected a number above zero"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"structure\": \"s\", \"nodes\": [{\"at\": [0, 0], \"mass\": 1}, {\"at\": "
                 "[1, 0], \"mass\": 1}, {\"at\": [0, 1], \"mass\": 1}], %s}",
                 wrong[i][0]);
        fo_structure_document *d = parse(text, &why);
        CHECK(!d);
        CHECK_CONTAINS(why.text, wrong[i][1]);
        fo_structure_document_destroy(d);
    }
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "{\"structure\": \"s\", \"gravity\": true, \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, "
        "{\"name\": \"tip\", \"at\": [1, 0], \"mass\": 1}], \"springs\": [{\"between\": [1, "
        "\"tip\"], \"k\": 100}], \"ports\": [{\"name\": \"p\", \"node\": \"tip\", \"direction\": "
        "\"x\", \"signal\": [[1, 2]]}], \"begin\": \"rest\", \"run\": {\"solver\": \"dp45\", "
        "\"plot\": [\"tip.x\"]}}";
    for (long at = 1;; at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, at);
        fo_structure_document *d =
            fo_structure_read("d", text, sizeof text - 1, &memory.allocator, &why);
        if (!d) CHECK_STATUS(why.status, FO_ERROR_MEMORY, &why);
        fo_structure_document_destroy(d);
        CHECK_INT(memory.live, 0);
        if (d) break;
        REQUIRE(at < 1000);
    }
}

TEST_MAIN(TEST_ENTRY(mistakes_have_a_place_and_a_path), TEST_ENTRY(the_matrix_of_figure_11),
          TEST_ENTRY(broken_documents_do_no_harm), TEST_ENTRY(a_large_document_is_read_in_no_time),
          TEST_ENTRY(what_is_written_is_read_as_the_same_system),
          TEST_ENTRY(surfaces_and_bending_are_read), TEST_ENTRY(every_allocation_may_fail))
