/// Loading: files and folders, the choice of a model, limits, memory that fails.
#include "load.h"

#define LIBRARY FOLIOT_SOURCE_DIR "/tests/language/library/"

static foi_flat *load_path(const char *path, const char *model, foi_messages *messages,
                           fo_status *status)
{
    foi_language_def def = foi_default_language_def();
    foi_flat *flat;
    def.path = path, def.model = model;
    foi_messages_begin(messages, NULL);
    *status = foi_language_load(&def, &flat, messages);
    return flat;
}

static bool has_variable(const foi_flat *flat, const char *name)
{
    for (uint32_t i = 0; i < flat->variable_count; i++)
        if (strcmp(flat->variables[i]->name, name) == 0) return true;
    return false;
}

static void check_divider(const char *path, const char *model)
{
    foi_messages messages;
    fo_status status;
    foi_flat *flat = load_path(path, model, &messages, &status);
    CHECK_INT(status, FO_OK);
    REQUIRE(flat);
    CHECK_TEXT(flat->name, "Circuits.Divider");
    CHECK(has_variable(flat, "a.n.i"));
    CHECK_INT(flat->variable_count, 17 + 2);
    CHECK_INT(flat->equation_count, 17);
    CHECK_INT(flat->file_count, 4);
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
}

TEST(folders_are_packages)
{
    check_divider(LIBRARY "Circuits/Divider.mo", NULL);
    check_divider(LIBRARY "Circuits", "Circuits.Divider");
    check_divider(LIBRARY "Circuits/package.mo", "Circuits.Divider");
}

TEST(missing_files_and_classes)
{
    foi_messages messages;
    fo_status status;
    CHECK(!load_path(LIBRARY "nothing.mo", NULL, &messages, &status));
    CHECK_INT(status, FO_ERROR_INPUT);
    REQUIRE(messages.count == 1);
    CHECK_CONTAINS(messages.findings[0].text, "cannot read");
    foi_messages_end(&messages);
    CHECK(!load_path(LIBRARY "wrong.mo", NULL, &messages, &status));
    REQUIRE(messages.count == 1);
    CHECK_TEXT(messages.findings[0].text, "there is no class 'Capacitor' in 'Circuits.Parts'");
    CHECK_INT(messages.findings[0].line, 2);
    foi_messages_end(&messages);
    CHECK(!load_path(LIBRARY "Circuits", "Circuits.Divisor", &messages, &status));
    REQUIRE(messages.count == 1);
    CHECK_TEXT(messages.findings[0].text,
               "there is no 'Divisor' in 'Circuits'; did you mean 'Divider'?");
    foi_messages_end(&messages);
}

TEST(places_and_flags_are_kept)
{
    foi_messages messages;
    fo_status status;
    foi_flat *flat =
        load_text("model M\n  parameter Integer n = 2;\n  parameter Real p = 1;\n"
                  "  Real x[n](each start = p);\nequation\n  der(x) =\n    -x;\nend M;\n",
                  &messages, &status);
    REQUIRE(flat);
    CHECK(flat->variables[0]->structural);
    CHECK(!flat->variables[1]->structural);
    CHECK(flat->variables[2]->state && flat->variables[3]->state);
    CHECK_INT(flat->variables[3]->place.line, 4);
    CHECK_INT(flat->variables[3]->place.column, 8);
    CHECK_INT(flat->equations[1].place.line, 6);
    CHECK_INT(flat->equations[1].place.column, 3);
    for (uint32_t i = 0; i < flat->variable_count; i++) CHECK_INT(flat->variables[i]->index, i);
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
}

static const char *const everything =
    "package P\n"
    "  connector Pin Real v; flow Real i; end Pin;\n"
    "  record R Real a; Real b = 2; end R;\n"
    "  function f input Real x[:]; output Real y; output R r;\n"
    "  algorithm for i in 1:size(x, 1) loop y := y + x[i]; end for; r := R(y); end f;\n"
    "  model Part Pin p[2]; parameter Real k = 1; equation p.v = {k, 2}; end Part;\n"
    "  model M extends Part(k = 3); Part part[2](k = {1, 2}); Real x(start = 1); R r;\n"
    "    Real y; Integer n(start = 0); parameter String s = \"a\" + \"b\";\n"
    "  equation\n"
    "    connect(part[1].p, part[2].p); der(x) = if x > 1 then -x else -2*x;\n"
    "    (y, r) = f({x, 1, sin(time)});\n"
    "    when x < 0.5 then n = pre(n) + 1; reinit(x, 1); assert(n < 9, s + String(n)); end when;\n"
    "  algorithm\n"
    "    while false loop break; end while;\n"
    "  end M;\n"
    "end P;\n";

TEST(every_allocation_may_fail)
{
    long needed = 0;
    for (long fail_at = 1; fail_at < 2000; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        foi_messages messages;
        foi_messages_begin(&messages, &memory.allocator);
        foi_language_def def = foi_default_language_def();
        def.allocator = &memory.allocator, def.text = everything, def.model = "P.M";
        def.no_files = true;
        foi_flat *flat;
        fo_status status = foi_language_load(&def, &flat, &messages);
        CHECK((flat != NULL) == (status == FO_OK));
        if (status != FO_OK && fail_at > memory.allocations)
            test_fail(__FILE__, __LINE__, "%s",
                      messages.count ? messages.findings[0].text : "no message");
        bool done = status == FO_OK && fail_at > memory.allocations;
        if (status != FO_OK) CHECK_INT(status, FO_ERROR_MEMORY);
        foi_flat_destroy(flat);
        foi_messages_end(&messages);
        CHECK_INT(memory.live, 0);
        needed = fail_at;
        if (done) break;
    }
    CHECK(needed > 10 && needed < 2000);
}

static void check_refused(const char *text, const char *part)
{
    foi_messages messages;
    fo_status status;
    foi_language_def def = foi_default_language_def();
    foi_flat *flat;
    def.text = text, def.no_files = true, def.most_work = 2000000, def.most_memory = 64 << 20;
    foi_messages_begin(&messages, NULL);
    status = foi_language_load(&def, &flat, &messages);
    CHECK(!flat && status != FO_OK);
    REQUIRE(messages.count > 0);
    CHECK_CONTAINS(messages.findings[0].text, part);
    foi_messages_end(&messages);
}

TEST(hostile_models_are_refused)
{
    check_refused("model M Real x[1000, 1000]; equation for i in 1:1000, j in 1:1000 loop "
                  "x[i, j] = i + j; end for; end M;",
                  "the model is too large");
    check_refused("model M Real x = sum(sum(i*j for i in 1:10000) for j in 1:10000); end M;",
                  "the model is too large");
    check_refused(
        "model M Real A[2, 2] = time*[1, 2; 3, 4]; Real B[2, 2] = A*A*A*A*A*A*A*A*A*A*A*A*A"
        "*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A*A; end M;",
        "the product grows too large");
    check_refused(
        "function f input Real x[:]; output Real y; algorithm y := f(cat(1, x, x)); end f;"
        "model M Real y = f({1}); end M;",
        "too large");
    check_refused("model A B a, b; end A; model B A a, b; end B; model M A a; end M;", "100 deep");
}

TEST_MAIN(TEST_ENTRY(folders_are_packages), TEST_ENTRY(missing_files_and_classes),
          TEST_ENTRY(places_and_flags_are_kept), TEST_ENTRY(every_allocation_may_fail),
          TEST_ENTRY(hostile_models_are_refused))
