/// Wrong models, each with the message that it must get in its first line:
/// `// line:column: error: text`.
#include "load.h"
#include "program/program.h"

#define FOLDER FOLIOT_SOURCE_DIR "/tests/language/wrong/"

// What reads well may still make no sense as equations.
static fo_status check_structure(const foi_flat *flat, char *actual, size_t size)
{
    fo_message why = {0};
    foi_place place = {0};
    foi_program *program = foi_program_create(flat, NULL, &why, &place);
    if (!program) snprintf(actual, size, "%u:%u: error: %s", place.line, place.column, why.text);
    foi_program_destroy(program);
    return why.status;
}

static void check_wrong(const char *name)
{
    char path[512], expected[512], actual[640] = "no error";
    snprintf(path, sizeof path, FOLDER "%s", name);
    char *text = read_text(path);
    REQUIRE(text);
    first_line(text, "// ", expected, sizeof expected);
    foi_messages messages;
    fo_status status;
    foi_flat *flat = load_text(text, &messages, &status);
    if (flat) status = check_structure(flat, actual, sizeof actual);
    for (size_t i = 0; i < messages.count; i++) {
        const foi_finding *f = &messages.findings[i];
        if (f->severity != FOI_ERROR) continue;
        snprintf(actual, sizeof actual, "%u:%u: error: %s", f->line, f->column, f->text);
        break;
    }
    test_text(__FILE__, __LINE__, name, actual, expected);
    CHECK(fo_failed(status));
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
    free(text);
}

TEST(wrong_models_get_their_message)
{
    static file_list files;
    list_folder(FOLDER, ".mo", &files);
    CHECK(files.count >= 60);
    for (size_t i = 0; i < files.count; i++) check_wrong(files.names[i]);
}

TEST(several_errors_are_reported)
{
    foi_messages messages;
    fo_status status;
    foi_flat *flat = load_text("model M\n"
                               "  Real x\n"
                               "  Real y;\n"
                               "equation\n"
                               "  x = 1 +;\n"
                               "  y := 2;\n"
                               "  if x > 1 then y = 2;\n"
                               "end M;\n",
                               &messages, &status);
    CHECK(!flat);
    REQUIRE(messages.count == 4);
    CHECK_INT(messages.findings[0].line, 2);
    CHECK_INT(messages.findings[1].line, 5);
    CHECK_INT(messages.findings[2].line, 6);
    CHECK_TEXT(messages.findings[3].text, "expected 'end if', found 'end M'");
    char text[1024];
    foi_finding_print(&messages.findings[1], text, sizeof text);
    CHECK_TEXT(text, "test.mo:5:10: error: expected an expression, found ';'\n"
                     "      x = 1 +;\n"
                     "             ^\n");
    foi_messages_end(&messages);
}

TEST(at_most_twenty_errors)
{
    static char text[8000];
    size_t used = (size_t)snprintf(text, sizeof text, "model M\nequation\n");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  a%d = b%d;\n", i, i);
    snprintf(text + used, sizeof text - used, "end M;\n");
    foi_messages messages;
    fo_status status;
    CHECK(!load_text(text, &messages, &status));
    CHECK_INT((long long)messages.errors, FOI_MOST_ERRORS);
    CHECK(messages.full);
    foi_messages_end(&messages);
}

TEST_MAIN(TEST_ENTRY(wrong_models_get_their_message), TEST_ENTRY(several_errors_are_reported),
          TEST_ENTRY(at_most_twenty_errors))
