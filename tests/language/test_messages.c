// Findings as people read them.
#include "language/message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "language/language.h"
#include "test.h"

__attribute__((format(printf, 5, 6))) static void add(foi_messages *m, foi_severity severity,
                                                      foi_place place, const char *source,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    foi_messages_add(m, severity, "a.mo", place, source, NULL, format, arguments);
    va_end(arguments);
}

static char *printed(const foi_messages *m)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    foi_messages_print(m, out);
    fclose(out);
    return text;
}

TEST(a_finding_has_as_much_of_a_place_as_is_known)
{
    foi_messages m;
    foi_messages_begin(&m, NULL);
    add(&m, FOI_ERROR, (foi_place){0}, NULL, "it is empty");
    add(&m, FOI_WARNING, (foi_place){.line = 2, .column = 3}, NULL, "odd");
    add(&m, FOI_NOTE, (foi_place){.line = 2, .column = 3}, "model a\n\t x\nend a;\n", "here");
    char *text = printed(&m);
    CHECK_TEXT(text, "a.mo: error: it is empty\n"
                     "a.mo:2:3: warning: odd\n"
                     "a.mo:2:3: note: here\n"
                     "    \t x\n"
                     "    \t ^\n");
    CHECK_INT((long long)m.errors, 1);
    CHECK_INT((long long)m.warnings, 1);
    free(text);
    foi_messages_end(&m);
}

TEST(errors_without_end_are_cut_off_and_that_is_said)
{
    foi_messages m;
    foi_messages_begin(&m, NULL);
    for (uint32_t i = 1; i <= FOI_MOST_ERRORS + 5; i++)
        add(&m, FOI_ERROR, (foi_place){.line = i, .column = 1}, NULL, "wrong %u", i);
    char *text = printed(&m), last[32];
    snprintf(last, sizeof last, "wrong %d\n", FOI_MOST_ERRORS);
    CHECK(m.full && strstr(text, last) && strstr(text, "more errors follow"));
    snprintf(last, sizeof last, "wrong %d\n", FOI_MOST_ERRORS + 1);
    CHECK(!strstr(text, last));
    free(text);
    foi_messages_end(&m);
}

// One mistake in the head or at the end of a block, in a text whose blocks go on behind it.
TEST(one_mistake_is_one_message)
{
    static const char *const wrong[] = {
        "if (x > 1 then y := 1; elseif x > 2 then y := 2; else y := 3; end if;",
        "if x > 1) then y := 1; elseif x > 2 then y := 2; else y := 3; end if;",
        "if x > 1 then y := 1; elseif (x > ) then y := 2; else y := 3; end if;",
        "if x > 1 y then y := 1; else y := 3; end if;",
        "for i in 1: loop if x > i then y := 1; else y := 2; end if; end for;",
        "for in 1:3 loop if x > 1 then y := 1; else y := 2; end if; end for;",
        "for i of 1:3 loop if x > i then y := 1; else y := 2; end if; end for;",
        "while (x > loop if x > 1 then y := 1; end if; y := 2; end while;",
        "when x > 1 + then y := 1; elsewhen x > 2 then y := 2; end when;",
        "if x > 1 then y := 1 + end if; for i in 1:3 loop y := 2; end for;",
        "if x > 1 then y := sin(1; end if; if x > 2 then y := 3; end if;",
        "y := 1; end if; for i in 1:3 loop y := 2; end for;",
        "y := 1; else y := 2; end if; if x > 1 then y := 2; else y := 3; end if;",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model M Real x = time, y;\nalgorithm\n  y := 0;\n  %s\n"
                 "  if x > 3 then y := 4; end if;\nend M;\n",
                 wrong[i]);
        foi_language_def def = foi_default_language_def();
        foi_messages m;
        foi_flat *flat = NULL;
        def.path = "M.mo", def.text = text;
        foi_messages_begin(&m, NULL);
        CHECK(foi_language_load(&def, &flat, &m) != FO_OK && !flat);
        char *said = printed(&m);
        if (m.errors != 1) test_fail(__FILE__, __LINE__, "%s:\n%s", wrong[i], said);
        free(said);
        foi_messages_end(&m);
    }
}

// ------------------------------------------------------------------------------------------ files

static char folder[] = "/tmp/foliot-texts-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs(text, file);
    fclose(file);
}

// A file of the folder is not loaded, and this is said.
static void refused(const char *name, const char *why)
{
    char path[256];
    foi_language_def def = foi_default_language_def();
    foi_messages m;
    foi_flat *flat = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    def.path = path;
    foi_messages_begin(&m, NULL);
    CHECK(foi_language_load(&def, &flat, &m) != FO_OK && !flat);
    char *text = printed(&m);
    CHECK_CONTAINS(text, why);
    free(text);
    foi_messages_end(&m);
}

TEST(files_that_do_not_fit_together_are_said)
{
    char path[256], command[128];
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/A", folder);
    CHECK(mkdir(path, 0700) == 0);
    put("A/x.mo", "within A; model x Real y = 1; end x;\n");
    refused("A/x.mo", "package 'A' was not found: there is no 'A/package.mo'");
    put("A/package.mo", "package A end A;\n");
    put("A/Part.mo", "within A; model Other Real y = 1; end Other;\n");
    put("A/z.mo", "within A; model z Part p; end z;\n");
    refused("A/z.mo", "expected class 'Part' in this file");
    refused("none.mo", "cannot read");
    refused(".", "package.mo");
    snprintf(path, sizeof path, "%s/broken.mo", folder);
    if (access("/proc/self/mem", R_OK) == 0 && symlink("/proc/self/mem", path) == 0)
        refused("broken.mo", "Input/output error"); // it is a plain file, and nothing is at 0
    snprintf(path, sizeof path, "%s/large.mo", folder);
    put("large.mo", "model large Real x = 1; end large; /*");
    CHECK(truncate(path, ((off_t)64 << 20) + 1) == 0);
    refused("large.mo", "is larger than 64 MiB");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST_MAIN(TEST_ENTRY(a_finding_has_as_much_of_a_place_as_is_known),
          TEST_ENTRY(errors_without_end_are_cut_off_and_that_is_said),
          TEST_ENTRY(one_mistake_is_one_message),
          TEST_ENTRY(files_that_do_not_fit_together_are_said))
