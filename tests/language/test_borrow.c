/// A text that differs from another in numbers only borrows its program: that must be the program
/// that it would have had, and the description too. Every number of many texts is changed, digit by
/// digit.
#include <ctype.h>

#include "load.h"

#define FOLDER FOLIOT_SOURCE_DIR "/tests/language/models/"

static fo_text_model *open_like(const char *text, const char *model, const fo_text_model *like)
{
    fo_text_model_def def = fo_default_text_model_def();
    fo_message why = {0};
    def.path = "t.mo", def.text = text, def.model = model;
    return foi_text_model_open_like(&def, like, &why);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_list(const fo_variables *a, const fo_variables *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const fo_variable *x = &a->list[i], *y = &b->list[i];
        same = same_text(x->name, y->name) && same_text(x->unit, y->unit) &&
               same_text(x->about, y->about) && same_number(x->start, y->start) &&
               same_number(x->min, y->min) && same_number(x->max, y->max) && x->type == y->type &&
               x->variability == y->variability && x->causality == y->causality;
    }
    return same;
}

static bool same_about(const fo_description *a, const fo_description *b)
{
    return same_text(a->name, b->name) && same_list(&a->states, &b->states) &&
           same_list(&a->discretes, &b->discretes) && same_list(&a->inputs, &b->inputs) &&
           same_list(&a->parameters, &b->parameters) && same_list(&a->outputs, &b->outputs) &&
           a->guards.count == b->guards.count && a->memory == b->memory;
}

static bool same_view(const fo_text_model *a, const fo_text_model *b, fo_text_view view)
{
    foi_flat_writer x = {0}, y = {0};
    fo_message why;
    bool same = foi_text_model_write(a, view, &x, &why) == FO_OK &&
                foi_text_model_write(b, view, &y, &why) == FO_OK && strcmp(x.text, y.text) == 0;
    foi_free(NULL, x.text), foi_free(NULL, y.text);
    return same;
}

/// How often it was so.
typedef struct tally {
    size_t tried, borrowed;
} tally;

static void compare(const char *name, const char *text, const char *model,
                    const fo_text_model *owner, tally *t)
{
    fo_text_model *m = open_like(text, model, owner);
    t->tried++;
    if (m && foi_text_model_borrows(m)) {
        fo_text_model *alone = open_like(text, model, NULL);
        bool same = alone && !foi_text_model_borrows(alone) &&
                    same_about(fo_text_model_system(m).about, fo_text_model_system(alone).about) &&
                    same_view(m, alone, FO_TEXT_C) && same_view(m, alone, FO_TEXT_EQUATIONS) &&
                    same_view(m, alone, FO_TEXT_SORTED);
        if (!same) test_fail(__FILE__, __LINE__, "%s: another program for\n%s", name, text);
        fo_text_model_close(alone);
        t->borrowed++;
    }
    fo_text_model_close(m);
}

// Each digit becomes another one, and zero.
static void change_all(const char *name, char *text, const char *model, tally *t)
{
    fo_text_model *owner = open_like(text, model, NULL);
    for (char *c = text; owner && *c; c++) {
        char was = *c;
        if (!isdigit((unsigned char)was) || (c > text && isalpha((unsigned char)c[-1]))) continue;
        *c = was == '9' ? '3' : (char)(was + 1);
        compare(name, text, model, owner, t);
        *c = '0';
        if (was != '0') compare(name, text, model, owner, t);
        *c = was;
    }
    fo_text_model_close(owner);
}

TEST(a_borrowed_program_is_the_own_one)
{
    static file_list files;
    char path[512], model[128];
    tally t = {0};
    list_folder(FOLDER, ".mo", &files);
    for (size_t i = 0; i < files.count; i++) {
        snprintf(path, sizeof path, FOLDER "%s", files.names[i]);
        char *text = read_text(path);
        if (!text) continue;
        first_line(text, "// model: ", model, sizeof model);
        change_all(files.names[i], text, model[0] ? model : NULL, &t);
        free(text);
    }
    CHECK(t.tried > 100 && t.borrowed > 0 && t.borrowed < t.tried);
}

/// A number and whether no program depends on it.
static void check(const char *format, bool borrows)
{
    char first[1000], second[1000];
    snprintf(first, sizeof first, format, "2.5"), snprintf(second, sizeof second, format, "3.5");
    fo_text_model *owner = open_like(first, NULL, NULL), *m = open_like(second, NULL, owner);
    CHECK(owner && m);
    if (owner && m && foi_text_model_borrows(m) != borrows)
        test_fail(__FILE__, __LINE__, "%s: %sborrowed", format, borrows ? "not " : "");
    fo_text_model_close(m);
    if (owner) {
        tally t = {0};
        compare("second", second, NULL, owner, &t);
        CHECK(t.borrowed == borrows);
    }
    // a borrower lends nothing, and a text of another line is another
    fo_text_model_close(owner);
}

TEST(what_depends_on_a_number_is_not_borrowed)
{
    check("model M parameter Real k = %s; Real x(start = 1, fixed = true);\nequation der(x) = "
          "-k*x; end M;",
          true);
    check("model M parameter Real C = %s; Real x(start = 1, fixed = true);\nequation C*der(x) = "
          "-x; end M;",
          true);
    check("model M parameter Real k = 1; Real x(start = %s, fixed = true);\nequation der(x) = "
          "-k*x; end M;",
          false);
    check("model M parameter Real k = %s; Real x(start = k, fixed = true);\nequation der(x) = -x; "
          "end M;",
          false);
    check("model M parameter Real k = %s; final parameter Real l = 2*k; Real x(start = l, fixed = "
          "true);\nequation der(x) = -x; end M;",
          false);
    check("model M parameter Real k = %s; Real x(start = 1, fixed = true, max = k);\nequation "
          "der(x) = -x; end M;",
          false);
    check("model M parameter Integer n = if %s > 3 then 1 else 2; Real x[n](each start = 1, each "
          "fixed = true);\nequation der(x) = -x; end M;",
          false);
    check("model M Real x(start = 1, fixed = true);\nequation der(x) = -%s*x; end M;", false);
    check("model M parameter Real T = %s; Real x(start = 1, fixed = true);\nequation der(x) = "
          "-delay(x, T); end M;",
          false);
}

TEST_MAIN(TEST_ENTRY(a_borrowed_program_is_the_own_one),
          TEST_ENTRY(what_depends_on_a_number_is_not_borrowed))
