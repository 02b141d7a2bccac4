/// Classes of a package one by one, and what a class says about itself.
#include <stdlib.h>

#include "run.h"

#define PACKAGE                                                                                  \
    "package P \"all of it\"\n"                                                                  \
    "  model A \"first\" Real x; equation x = 1;\n"                                              \
    "    annotation(Documentation(info=\"<html><p>Of <b>A</b> &amp; co:</p>"                     \
    "<ul><li>one &#8734; &#x3c9;&#65;&#x110000;</li><li>a &lt; b</li></ul></html>\")); end A;\n" \
    "  partial model B Real y; end B;\n"                                                         \
    "  package Q function f input Real u; output Real v; algorithm v := u; end f;\n"             \
    "    block C Real z; equation z = 2; if true then end if; // end C; \"\n"                    \
    "      annotation(Documentation(info=\"said \\\"so\\\"\", revisions=\"none\")); end C;\n"    \
    "    model D end D;\n"                                                                       \
    "  end Q;\n"                                                                                 \
    "end P;\n"

typedef struct seen {
    char text[400];
    int most;
} seen;

static bool note(void *self, const fo_text_class *about)
{
    seen *s = self;
    size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s %s%s;", about->kind, about->name,
             about->runs ? "!" : "");
    return --s->most > 0;
}

TEST(all_classes_in_their_order)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = PACKAGE, .model = "P"};
    seen all = {.most = 100}, two = {.most = 2};
    CHECK(fo_text_browse(&def, note, &all, &why) == FO_OK);
    CHECK(strcmp(all.text, "model P.A!;model P.B;package P.Q;function P.Q.f;block P.Q.C!;"
                           "model P.Q.D!;") == 0);
    CHECK(fo_text_browse(&def, note, &two, &why) == FO_OK);
    CHECK(strcmp(two.text, "model P.A!;model P.B;") == 0);
    def.model = "P.A";
    CHECK(fo_text_browse(&def, note, &all, &why) == FO_ERROR_UNFIT);
    def.model = "P.X";
    CHECK(fo_failed(fo_text_browse(&def, note, &all, &why)));
    CHECK_CONTAINS(why.text, "there is no 'X' in 'P'");
    def.text = "package P model", def.model = "P";
    CHECK(fo_failed(fo_text_browse(&def, note, &all, &why)));
}

static void check_document(const char *model, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = PACKAGE, .model = model};
    FILE *out = open_memstream(&text, &size);
    CHECK(out && fo_text_document(&def, out, &why) == FO_OK);
    if (out) fclose(out);
    if (!text || strcmp(text, expected) != 0)
        test_fail(__FILE__, __LINE__, "%s: %s", model, text ? text : "(nothing)");
    free(text);
}

TEST(documentation_as_text)
{
    check_document("P.A", "model P.A\nfirst\n\nOf A & co:\n\n- one ∞ ωA&#x110000;\n- a < b\n");
    check_document("P.Q.C", "block P.Q.C\n\nsaid \"so\"\n");
    check_document("P.B", "partial model P.B\n");
    check_document("P.Q", "package P.Q\n");
    check_document("P", "package P\nall of it\n");
}

#define LIBRARY FOLIOT_SOURCE_DIR "/tests/language/library"

// A class of a library by itself: one that is made to be used lacks connections and values, and is
// fine all the same.
TEST(one_class_of_a_library)
{
    fo_text_review about;
    fo_message why = {0};
    const char *const folders[] = {LIBRARY, NULL};
    fo_text_model_def def = {.model = "Circuits.Parts.Resistor", .libraries = folders};
    CHECK_STATUS(fo_text_check(&def, &about, &why), FO_OK, &why);
    CHECK_INT((long long)about.classes, 1);
    CHECK_INT((long long)about.models, 0);
    def.model = "Circuits.Divider";
    CHECK_STATUS(fo_text_check(&def, &about, &why), FO_OK, &why);
    CHECK_INT((long long)about.models, 1);
    def.model = "Circuits.Nothing";
    CHECK(fo_failed(fo_text_check(&def, &about, &why)));
    CHECK_CONTAINS(why.text, "there is no 'Nothing' in 'Circuits'");
    def.model = "Circuits.Dividr"; // its own file has not been read: package.order names it
    CHECK(fo_failed(fo_text_check(&def, &about, &why)));
    CHECK_CONTAINS(why.text, "there is no 'Dividr' in 'Circuits'; did you mean 'Divider'?");
    def.model = "Elsewhere.Nothing";
    CHECK(fo_failed(fo_text_check(&def, &about, &why)));
    CHECK_CONTAINS(why.text, "folders that MODELICAPATH names");
}

TEST_MAIN(TEST_ENTRY(all_classes_in_their_order), TEST_ENTRY(documentation_as_text),
          TEST_ENTRY(one_class_of_a_library))
