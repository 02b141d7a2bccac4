// All classes of a text are looked at: what is found, and that no allocation may fail unseen.
#include "load.h"
#include "run.h"

static const char classes[] =
    "package P\n"
    "  connector Pin Real v; flow Real i; end Pin;\n"
    "  partial model Two Pin p, n; equation p.i + n.i = 0; end Two;\n"
    "  model R extends Two; parameter Real R; equation p.v - n.v = R*p.i; end R;\n"
    "  function f input Real x[:]; output Real y; algorithm y := sum(x); end f;\n"
    "  function g input Real x; output Real y; algorithm y := 2*x; end g;\n"
    "  model O outer Real w; Real x = w; end O;\n"
    "  model M Real x(start = 1, fixed = true); equation der(x) = -g(x); end M;\n"
    "end P;\n";

/// The heap, of which one allocation fails.
typedef struct poor {
    uint64_t left;
    bool failed;
} poor;

static void *resize(void *self, void *block, size_t old_size, size_t new_size)
{
    poor *p = self;
    const fo_allocator *heap = fo_heap();
    if (new_size && p->left-- == 0) {
        p->failed = true;
        return NULL;
    }
    return heap->resize(heap->self, block, old_size, new_size);
}

TEST(nothing_is_wrong)
{
    fo_text_model_def def = fo_default_text_model_def();
    fo_text_review about;
    fo_message why = {0};
    def.path = "p.mo", def.text = classes;
    CHECK(fo_text_check(&def, &about, &why) == FO_OK);
    CHECK(about.classes == 8 && about.models == 1 && about.wrong == 0 && !about.runs);
}

// A function that is wrong is made anew for each model that calls it, through others, too: none of
// them is a whole one, and each mistake is said once.
TEST(what_calls_a_wrong_function_is_no_model)
{
    fo_text_model_def def = fo_default_text_model_def();
    fo_text_review about;
    fo_message why = {0};
    def.path = "f.mo";
    def.text = "function f input Real x; output Real y; algorithm x := 1; y := x; end f;\n"
               "function g input Real x; output Real y; algorithm y := f(x); end g;\n"
               "function h input Real x; output Real y; algorithm y := 2*x; end h;\n"
               "model A Real y = f(time); end A;\n"
               "model B Real y = g(time); end B;\n"
               "model C Real y = h(time); end C;\n"
               "model D Real y; equation y = h(y) + y; y = time; end D;\n";
    CHECK(fo_text_check(&def, &about, &why) == FO_ERROR_FORMAT);
    CHECK(about.classes == 7 && about.models == 2);
}

// All wrong texts as an editor shows them: something is said of each, but where only a model that
// is run must have what is lacking.
TEST(wrong_texts_are_wrong_as_a_whole)
{
    static const char *const lacking[] = {"der_of_input.mo",          "missing_inner.mo",
                                          "missing_inner_partial.mo", "parameter_no_value.mo",
                                          "partial_model.mo",         "run_a_function.mo",
                                          "run_a_package.mo",         "size_of_nothing.mo"};
    static file_list files;
    list_folder(FOLIOT_SOURCE_DIR "/tests/language/wrong/", ".mo", &files);
    CHECK(files.count >= 60);
    for (size_t i = 0; i < files.count; i++) {
        char path[512];
        snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/tests/language/wrong/%s", files.names[i]);
        fo_text_model_def def = fo_default_text_model_def();
        fo_text_review about;
        fo_message why = {0};
        char *text = read_text(path);
        REQUIRE(text);
        def.path = files.names[i], def.text = text;
        bool said = fo_failed(fo_text_check(&def, &about, &why)), lacks = false;
        for (size_t k = 0; k < FO_COUNT(lacking); k++)
            lacks |= strcmp(files.names[i], lacking[k]) == 0;
        if (said == lacks) printf("%s: %s\n", files.names[i], why.text);
        CHECK(said != lacks);
        free(text);
    }
}

TEST(each_allocation_may_fail)
{
    poor p = {.failed = true};
    uint64_t count = 0;
    for (; p.failed && count < 100000; count++) {
        p = (poor){.left = count};
        const fo_allocator from = {resize, &p};
        fo_text_model_def def = fo_default_text_model_def();
        fo_text_review about;
        fo_message why = {0};
        def.path = "p.mo", def.text = classes, def.allocator = &from;
        fo_status status = fo_text_check(&def, &about, &why);
        CHECK(status == FO_OK || p.failed);
    }
    CHECK(count > 20 && !p.failed);
}

// What is taken from the heap to review a package of complete models.
typedef struct taken {
    double bytes;
} taken;

static void *take(void *self, void *block, size_t old_size, size_t new_size)
{
    const fo_allocator *heap = fo_heap();
    ((taken *)self)->bytes += new_size > old_size ? (double)(new_size - old_size) : 0;
    return heap->resize(heap->self, block, old_size, new_size);
}

static double review_of(int models)
{
    static char text[64000];
    char *at = text;
    at += sprintf(at, "package P\n");
    for (int i = 0; i < models; i++)
        at += sprintf(at,
                      "  model M%d Real x(start = 1, fixed = true); parameter Real k = %d;\n"
                      "  equation der(x) = -k*x; end M%d;\n",
                      i, i, i);
    sprintf(at, "end P;\n");
    taken t = {0};
    const fo_allocator from = {take, &t};
    fo_text_model_def def = fo_default_text_model_def();
    fo_text_review about;
    fo_message why = {0};
    def.path = "p.mo", def.text = text, def.allocator = &from;
    CHECK(fo_text_check(&def, &about, &why) == FO_OK);
    CHECK(about.models == (size_t)models);
    return t.bytes;
}

TEST(work_grows_with_the_text)
{
    double few = review_of(100), many = review_of(400);
    CHECK(many < 8 * few); // not 16 times: the text is not read again for each of them
}

// Each complete model is looked at as one that is run, and what the one before was does not count.
TEST(each_model_is_opened)
{
    fo_text_model_def def = fo_default_text_model_def();
    fo_text_review about;
    fo_message why = {0};
    def.path = "p.mo";
    def.text =
        "package P\n"
        "  model A Real x = time; annotation(experiment(StartTime = 2, StopTime = 9)); end A;\n"
        "  model B Real x, y; equation x = time; end B;\n"
        "  model C Real x = time; end C;\n"
        "end P;\n";
    CHECK(fo_text_check(&def, &about, &why) == FO_ERROR_FORMAT);
    CHECK(about.classes == 4 && about.models == 3 && about.wrong == 1);
    CHECK(strstr(why.text, "p.mo:3:") != NULL);
}

// Wrong whatever is made of the class, be it never instantiated.
TEST(names_are_looked_up_everywhere)
{
    static const struct {
        const char *text, *says; // NULL: it is right
    } cases[] = {
        {"package P type T = Real(unit = 3); end P;", "'unit' must be a String"},
        {"package P type T = Real(nope = 3); end P;", "no 'nope'"},
        {"package P type T = Real(unit = \"m\", min = 0); end P;", NULL},
        {"package P type E = enumeration(a, b); type F = E(start = E.b); end P;", NULL},
        {"package P model N import P.No; Real x = time; end N; end P;", "no 'No'"},
        {"package P model N import P.Q.*; Real x = time; end N; end P;", "no 'Q'"},
        {"package P model N import No.Q; Real x = time; end N; end P;", "'No' was not found"},
        {"package P constant Real c = 1; model N import P.c; Real x = c; end N; end P;", NULL},
        {"package P type E = enumeration(a); model N import P.E.a; Real x = 1; end N; end P;",
         NULL},
        {"package P model M Real x = time; equation for i in 1:0 loop x = q5; end for; end M; end "
         "P;",
         "'q5' is not declared"},
        {"package P model M parameter Boolean b = true; Real x = if b then time else q5; end M; "
         "end P;",
         "'q5' is not declared"},
        {"package P model O outer Real w; Real k = w.z; end O; end P;", "has no 'z'"},
        {"package P function f input Real a; output Real b; external \"C\" b = foo(a, zz); end f; "
         "end P;",
         "'zz' is not declared"},
        {"package P function f input Real a[:]; output Real b; external \"C\" b = foo(a, size(a, "
         "1)); end f; end P;",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_text_model_def def = fo_default_text_model_def();
        fo_text_review about;
        fo_message why = {0};
        def.path = "p.mo", def.text = cases[i].text;
        fo_status status = fo_text_check(&def, &about, &why);
        CHECK(status == (cases[i].says ? FO_ERROR_FORMAT : FO_OK));
        CHECK(!cases[i].says || strstr(why.text, cases[i].says));
    }
}

TEST_MAIN(TEST_ENTRY(nothing_is_wrong), TEST_ENTRY(what_calls_a_wrong_function_is_no_model),
          TEST_ENTRY(wrong_texts_are_wrong_as_a_whole), TEST_ENTRY(each_allocation_may_fail),
          TEST_ENTRY(work_grows_with_the_text), TEST_ENTRY(each_model_is_opened),
          TEST_ENTRY(names_are_looked_up_everywhere))
