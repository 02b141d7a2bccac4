/// Strings that change in the run: each text is compared with what it should be by then.
#include "run.h"

// What the message of the assertion that ends the run says, or why the model is refused.
static void message_of(const char *text, char *said, size_t size)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = text};
    world w = {0};
    w.model = fo_text_model_open(&def, &why);
    snprintf(said, size, "%s", why.text);
    if (w.model && world_run(&w, 10, 1e-9)) {
        fo_simulation_advance(w.sim, 10);
        snprintf(said, size, "%s", fo_simulation_message(w.sim)->text);
    }
    end(&w);
}

// A model whose text `shown` is looked at as soon as `moment` is over.
static void check_text(const char *body, double moment, const char *shown, const char *expected)
{
    char text[1600], said[FO_MESSAGE_SIZE], wanted[400];
    snprintf(text, sizeof text,
             "model M\n"
             "  type E = enumeration(one, two);\n"
             "  function tag input String a; input Real x; output String y;\n"
             "  algorithm y := \"<\" + a + \":\" + String(x) + \">\"; end tag;\n"
             "  model P input Real u; parameter String name = \"p\"; discrete String s;\n"
             "    Boolean hot = s == \"hot\";\n"
             "  algorithm when u > 1 then s := \"hot\";\n"
             "    elsewhen u > 2 then s := name + \" cold at \" + String(u); end when;\n"
             "  initial algorithm s := \"unknown\"; end P;\n"
             "  Integer n(start = 0, fixed = true);\n"
             "  %s\n"
             "equation\n"
             "  when time > 1.5 then n = 7; end when;\n"
             "  assert(time < %g, \"[\" + %s + \"]\");\n"
             "end M;\n",
             body, moment, shown);
    message_of(text, said, sizeof said);
    snprintf(wanted, sizeof wanted, "[%s]", expected);
    if (!strstr(said, wanted))
        test_fail(__FILE__, __LINE__, "%s at %g: %s, expected %s", body, moment, said, wanted);
}

TEST(a_string_is_what_was_assigned_last)
{
    static const char two[] = "String s(start = \"none\"); equation\n"
                              "when time > 1 then s = \"a \" + String(time);\n"
                              "elsewhen time > 2 then s = \"b\"; end when;";
    check_text(two, 0.5, "s", "none");
    check_text(two, 1.5, "s", "a 1");
    check_text(two, 2.5, "s", "b");
    check_text("String s, t; equation\n"
               "when time > 1 then s = \"n = \" + String(n);\n"
               "elsewhen time > 3 then s = \"later \" + String(n); end when;\n"
               "when time > 2 then t = s + \"!\"; end when;",
               3.5, "s + \",\" + t", "later 7,n = 0!");
    check_text("String s; initial equation s = \"first\"; equation\n"
               "when time > 1 then s = \"next\"; end when;",
               0.5, "s", "first");
    check_text("String s; equation when sample(0, 0.5) then s = String(time); end when;", 1.75, "s",
               "1.5");
    check_text(
        "discrete String s; E e = if time > 1 then E.two else E.one; equation\n"
        "when {initial(), time > 2} then s = String(e, minimumLength = 5) + \"|\"; end when;",
        2.5, "s", "two  |");
    check_text("String s; equation when time > 1 then s = if n > 3 then \"many\" else tag(\"few\", "
               "n); end when;",
               2, "s", "<few:0>");
}

TEST(algorithms_assign_strings)
{
    static const char algorithm[] = "String s(start = \"-\"); Integer k(start = 0); algorithm\n"
                                    "when time > 1 then k := 1; s := \"first\";\n"
                                    "  s := if k > 0 then \"second\" else \"third\"; end when;\n"
                                    "when time > 2 then s := \"t \" + String(time); end when;";
    check_text(algorithm, 0.5, "s", "-");
    check_text(algorithm, 1.5, "s", "second");
    check_text(algorithm, 2.5, "s", "t 2");
    static const char flows[] = "String s; algorithm if time > 1 then\n"
                                "  s := \"high \" + String(2*time, format = \".2f\");\n"
                                "else s := \"low\"; end if;";
    check_text(flows, 0.5, "s", "low");
    check_text(flows, 2.25, "s", "high 4.50");
}

TEST(strings_of_parts_and_arrays)
{
    static const char array[] = "String s[3](each start = \"-\"); equation for i in 1:3 loop\n"
                                "when time > i then s[i] = tag(\"s\" + String(i), time + i); end "
                                "when; end for;";
    check_text(array, 2.5, "s[1] + s[2] + s[3]", "<s1:2><s2:4>-");
    static const char parts[] = "P p(u = time, name = \"boiler\"); P q[2](u = {time/2, 3});\n";
    check_text(parts, 0.5, "p.s + q[1].s + q[2].s", "unknownunknownunknown");
    check_text(parts, 1.5, "p.s + String(p.hot)", "hottrue");
    check_text(parts, 2.5, "p.s + \"/\" + q[1].s", "boiler cold at 2/hot");
}

// A when may stand in loops and branches: what the text starts with counts there, too.
TEST(strings_start_wherever_the_when_stands)
{
    static const char square[] =
        "String s[2, 2](each start = \"-\"); equation for i in 1:2 loop for j in 1:2 loop\n"
        "when time > i + j - 1.5 then s[i, j] = String(10*i + j); end when; end for; end for;";
    check_text(square, 0.25, "s[1, 1] + s[2, 2]", "--");
    check_text(square, 2, "s[1, 1] + s[1, 2] + s[2, 1] + s[2, 2]", "111221-");
    static const char decided[] =
        "parameter Boolean yes = true; String s(start = \"-\"); equation\n"
        "if yes then when time > 1 then s = \"k\"; end when; else s = \"no\"; end if;";
    check_text(decided, 0.5, "s", "-");
    check_text(decided, 1.5, "s", "k");
    static const char some[] =
        "String s[3](start = {\"a\", \"b\", \"c\"}); equation for i in 1:3 loop if i > 2 then\n"
        "s[i] = \"q\"; else when time > i then s[i] = \"w\"; end when; end if; end for;";
    check_text(some, 1.5, "s[1] + s[2] + s[3]", "wbq");
}

TEST(functions_have_arrays_of_strings)
{
    static const char functions[] =
        "function turned input String a[:]; output String b[size(a, 1)]; algorithm\n"
        "for i in 1:size(a, 1) loop b[i] := a[size(a, 1) + 1 - i]; end for; end turned;\n"
        "function joined input String a[:]; output String s = \"\"; algorithm\n"
        "for i in 1:size(a, 1) loop s := s + a[i]; end for; end joined;\n"
        "function one input String a[:, 2]; input Integer k; output String s; protected\n"
        "String c[2]; algorithm c := a[k]; c[3 - k] := c[k] + String(k); s := c[1] + c[2];\n"
        "end one;\n"
        "String s[3] = turned({\"a\", \"b\", \"c\" + String(time)});\n"
        "String t = one({{\"p\", \"q\"}, {\"r\", \"s\"}}, if time > 1 then 2 else 1);";
    check_text(functions, 1.5, "s[1] + s[2] + s[3] + joined(s)", "c1.5bac1.5ba");
    check_text(functions, 0.5, "t", "pp1");
    check_text(functions, 1.5, "t", "s2s");
}

TEST(choices_have_texts_with_values)
{
    static const char either[] = "String s; Real x = time; equation if x > 1 then\n"
                                 "s = \"late \" + String(x); else s = \"early\"; end if;";
    check_text(either, 0.5, "s", "early");
    check_text(either, 2.5, "s", "late 2.5");
    check_text("", 0.5, "(if time > 3 then \"a \" + String(n) else \"b \" + String(time) + \"!\")",
               "b 0.5!");
    check_text("", 2,
               "tag(if n > 3 then \"n\" + String(n) else \"\", 2) + String(E(1 + div(n, 7)))",
               "<n7:2>two");
    check_text("E e = E.two;", 2, "String(if n > 3 then e else E.one) + String(Integer(e))",
               "two2");
}

TEST(strings_that_change_are_compared)
{
    static const char body[] =
        "String s(start = \"off\"), t(start = \"\"); Boolean on = s == \"on\";\n"
        "Integer turns(start = 0, fixed = true); equation\n"
        "when time > 1 then s = \"on\"; elsewhen time > 2 then s = \"off\";\n"
        "elsewhen time > 3 then s = \"step \" + String(time); end when;\n"
        "when change(on) then turns = pre(turns) + 1; end when;\n"
        "when s == \"on\" then t = \"was \" + pre(s); end when;";
    check_text(body, 0.5, "String(on) + String(turns)", "false0");
    check_text(body, 1.5, "String(on) + String(turns) + t", "true1was off");
    check_text(body, 3.5, "String(s <> \"off\") + String(turns)", "true2");
    check_text("String s = String(n); Boolean b = s == \"7\" or s == \"07\";", 1, "String(b)",
               "false");
    check_text("String s = String(n); Boolean b = s == \"7\" or s == \"07\";", 2, "String(b)",
               "true");
}

// Assignments at random moments, in one when, in several, in an algorithm.
TEST(the_last_of_many_counts)
{
    const int count = test_inputs(150, 3000);
    for (int k = 0; k < count; k++) {
        uint64_t seed = 88172645463325252u + 7919u * (uint64_t)k;
        char body[1200], expected[80] = "start";
        size_t n = 0;
        int kind = k % 3, whens = 1 + k % 7;
        double moments[7], last = 0;
        n += (size_t)snprintf(body + n, sizeof body - n, "String s(start = \"start\"); %s\n",
                              kind ? "equation" : "algorithm");
        for (int i = 0; i < whens; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            moments[i] = (double)(1 + seed % 64) / 16;
            for (int o = 0; o < i; o++)
                if (moments[o] == moments[i]) moments[i] += 5 + i; // not at once, nor seen
        }
        double shown = (double)(1 + seed % 61) / 16 + 0.03;
        for (int i = 0; i < whens; i++) {
            const char *start = kind != 2 ? "when" : i ? "elsewhen" : "when";
            bool value = (seed >> i) & 1;
            if (kind == 1 && i) break; // one equation for each variable
            n += (size_t)snprintf(body + n, sizeof body - n, "%s time > %g then s %s \"%c\"%s;%s\n",
                                  start, moments[i], kind ? "=" : ":=", 'a' + i,
                                  value ? " + String(3*time)" : "",
                                  kind != 2 || i + 1 == whens ? " end when;" : "");
            if (moments[i] > shown || moments[i] < last) continue;
            last = moments[i];
            snprintf(expected, sizeof expected, value ? "%c%.6g" : "%c", 'a' + i, 3 * moments[i]);
        }
        check_text(body, shown, "s", expected);
    }
}

TEST(what_cannot_be_is_refused)
{
    static const char *const lists[][2] = {
        {"String s; equation when time > 1 then s = pre(s) + \"a\"; end when;",
         "the value of 's' depends on itself"},
        {"String s; equation s = \"a\"; when time > 1 then s = \"b\"; end when;",
         "given a value twice"},
        {"String s; equation if time > 1 then s = \"a\"; end if;", "each branch must give"},
        {"String s(start = String(time)); equation when time > 1 then s = \"a\"; end when;",
         "must be known before the run"},
        {"String s = String(time); Boolean b = s == \"1\";",
         "Strings can be compared only when they are known before the run"},
        {"String s;", "nothing gives the value of the String 's'"},
    };
    char text[400], said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(text, sizeof text, "model M %s end M;", lists[i][0]);
        message_of(text, said, sizeof said);
        if (!strstr(said, lists[i][1])) test_fail(__FILE__, __LINE__, "%s: %s", lists[i][0], said);
    }
}

// Letters that mark the places of values are no marks when the user writes them.
TEST(a_text_holds_no_marks)
{
    char said[FO_MESSAGE_SIZE];
    message_of("model M equation assert(time < 1, \"[a\1\1\2b\" + String(time) + \"\1]\"); end M;",
               said, sizeof said);
    CHECK_CONTAINS(said, "[a???b1?]");
}

TEST_MAIN(TEST_ENTRY(a_string_is_what_was_assigned_last), TEST_ENTRY(algorithms_assign_strings),
          TEST_ENTRY(strings_of_parts_and_arrays),
          TEST_ENTRY(strings_start_wherever_the_when_stands),
          TEST_ENTRY(functions_have_arrays_of_strings), TEST_ENTRY(choices_have_texts_with_values),
          TEST_ENTRY(strings_that_change_are_compared), TEST_ENTRY(the_last_of_many_counts),
          TEST_ENTRY(what_cannot_be_is_refused), TEST_ENTRY(a_text_holds_no_marks))
