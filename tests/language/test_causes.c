/// One cause, one message: with the instance in which it was found, and with the name that was
/// meant.
#include "load.h"

// How many errors a text has; the first of them is printed.
static size_t errors_of(const char *text, char *first, size_t size)
{
    foi_messages messages;
    fo_status status;
    foi_flat *flat = load_text(text, &messages, &status);
    size_t count = messages.errors;
    snprintf(first, size, "none");
    for (size_t i = messages.count; i-- > 0;) {
        const foi_finding *f = &messages.findings[i];
        if (f->severity == FOI_ERROR)
            snprintf(first, size, "%u:%u: %s", f->line, f->column, f->text);
    }
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
    return count;
}

static void check_one(const char *text, const char *expected)
{
    char first[600];
    CHECK_INT((long long)errors_of(text, first, sizeof first), 1);
    test_text(__FILE__, __LINE__, text, first, expected);
}

static const char *const whole =
    "model M\n  parameter Real k = 2 ; Real x ( start = 1 , fixed = true ) ; Real y [ 3 ] ;\n"
    "  function f input Real u ; output Real v ; algorithm v := if u > 0 then u else - u ; end f "
    ";\n"
    "equation\n  der ( x ) = - k * x ; if time > 1 then y [ 1 ] = 1 ; else y [ 1 ] = f ( x ) ;\n"
    "  end if ; for i in 2 : 3 loop y [ i ] = y [ i - 1 ] + 1 ; end for ;\nend M ;\n";

// Wherever it stands, what is no word of the language is said, and nothing that follows from it.
TEST(a_wrong_sign_is_one_error_wherever_it_stands)
{
    static const struct {
        const char *sign, *said;
    } signs[] = {
        {"$", "not part of the language"},
        {"&&", "'and'"},
        {"!=", "'<>'"},
        {"\xc3\xb6\xc3\x9f", "quoted names"},
        {"#?@", "not part of the language"},
        {"3abc", "letters after it"},
        {"\"text", "string that does not end"},
        {"/* text", "comment that does not end"},
    };
    char text[2000], first[600];
    CHECK_INT((long long)errors_of(whole, first, sizeof first), 0);
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        for (const char *at = whole; (at = strchr(at, ' ')); at++) {
            snprintf(text, sizeof text, "%.*s %s%s", (int)(at - whole), whole, signs[k].sign, at);
            size_t count = errors_of(text, first, sizeof first);
            if (count != 1 || !strstr(first, signs[k].said))
                test_fail(__FILE__, __LINE__, "%zu errors, the first '%s':\n%s", count, first,
                          text);
        }
}

TEST(words_that_are_missing_or_of_other_languages)
{
    check_one("model M Real x; equation\nif time > 1 x = 1; else x = 2; end if; end M;\n",
              "2:13: expected 'then' after the condition, found 'x'");
    check_one("model M Real x[3]; equation\nfor i in 1:3 do x[i] = i; end for; end M;\n",
              "2:14: expected 'loop' after the range, found 'do'");
    check_one("model M Real x[3]; equation\nfor i in 1:3 then x[i] = i; end for; end M;\n",
              "2:14: expected 'loop' after the range, found 'then'");
    check_one("model M Real x; equation\nx == 1; end M;\n",
              "2:3: an equation has '=', and '==' compares");
    check_one("model M\nparmeter Real x = 1; end M;\n",
              "2:1: 'parmeter' is not a word before a declaration; did you mean 'parameter'?");
    check_one("model M Real x\nReal y; end M;\n",
              "1:15: expected ';' after the declaration, found 'Real'");
}

TEST(the_name_that_was_meant)
{
    check_one("model M type E = enumeration(red, green);\nE e = E.gren; end M;\n",
              "2:9: enumeration 'E' has no literal 'gren'; did you mean 'green'?");
    check_one("package P constant Real gravity = 9; end P;\nmodel M Real x = P.gravty; end M;\n",
              "2:20: there is no 'gravty' in package 'P'; did you mean 'gravity'?");
    check_one("function f input Real alpha; output Real y; algorithm y := alpha; end f;\n"
              "model M Real x = f(alhpa = 2); end M;\n",
              "2:28: function 'f' has no argument 'alhpa'; did you mean 'alpha'?");
}

// The instance, once for all that have the same mistake; not where the text names it anyway.
TEST(the_instance_in_which_it_is_wrong)
{
    check_one("model A parameter Integer n = 2;\nReal x[2] = fill(1, n); end A;\n"
              "model B A a(n = 2); A b(n = 3); end B; model M B c; end M;\n",
              "2:13: the two sides of the equation differ in type or size: Real[2] = Integer[3] "
              "(in 'c.b')");
    check_one("model A parameter Integer k = 5; Real t[3] = {1, 2, 3};\nReal x = t[k]; end A;\n"
              "model M A a(k = 2); A b; A c; end M;\n",
              "2:12: subscript 5 of 't' is beyond its size 3 (in 'b')");
    check_one("model A Real x;\nequation x = foo; end A;\nmodel B A a[3]; end B;\n"
              "model M B b; B c; end M;\n",
              "2:14: 'foo' is not declared (in 'b.a[1]')");
    check_one("model A parameter Integer n = 2; end A;\nmodel M A a(n = 2.5); end M;\n",
              "2:17: the value of 'a.n' must be Integer, not Real");
    check_one("model M\nReal x = foo; end M;\n", "2:10: 'foo' is not declared");
}

TEST_MAIN(TEST_ENTRY(a_wrong_sign_is_one_error_wherever_it_stands),
          TEST_ENTRY(words_that_are_missing_or_of_other_languages),
          TEST_ENTRY(the_name_that_was_meant), TEST_ENTRY(the_instance_in_which_it_is_wrong))
