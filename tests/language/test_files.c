/// Files that a text sees: tables and matrices in them, their lines, and what is not seen.
#include <sys/stat.h>
#include <unistd.h>

#include "samples.h"

static const char head[] =
    "type Smooth = enumeration(LinearSegments, ContinuousDerivative);\n"
    "type Extra = enumeration(HoldLastPoint, LastTwoPoints);\n"
    "class T1 extends ExternalObject; function constructor input String tableName;\n"
    "  input String fileName; input Real table[:, :]; input Integer columns[:];\n"
    "  input Smooth smoothness; input Extra extrapolation; input String delimiter = \",\";\n"
    "  input Integer nHeaderLines = 0; output T1 t; external \"C\"\n"
    "  t = ModelicaStandardTables_CombiTable1D_init3(table); end constructor;\n"
    "  function destructor input T1 t; external \"C\" nothing(t); end destructor; end T1;\n"
    "function get1 input T1 t; input Integer icol; input Real u; output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTable1D_getValue(t, icol, u); end get1;\n"
    "function sizes input String f; input String m; output Integer d[2]; external \"C\"\n"
    "  ModelicaIO_readMatrixSizes(f, m, d); end sizes;\n"
    "function matrixOf input String f; input String m; input Integer r; input Integer c;\n"
    "  output Real a[r, c]; external \"C\" ModelicaIO_readRealMatrix(f, m, a, r, c); end "
    "matrixOf;\n"
    "function kind input String f; output Integer k; external \"C\" k = "
    "ModelicaInternal_stat(f); end kind;\n"
    "function count input String f; output Integer n; external \"C\" n = "
    "ModelicaInternal_countLines(f); end count;\n"
    "function lines input String f; output String l[count(f)]; external \"C\"\n"
    "  ModelicaInternal_readFile(f, l, size(l, 1)); end lines;\n"
    "function size1 input String f; output Integer n; protected String l[:] = lines(f);\n"
    "  algorithm n := size(l, 1); end size1;\n";

static void write_bytes(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    REQUIRE(file);
    CHECK_INT((long long)fwrite(bytes, 1, size, file), (long long)size);
    fclose(file);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    write_bytes(folder, name, text, strlen(text));
}

// A matrix `m` of version 4: 1 2 3; 4 5 6.
static void write_mat(const char *folder, const char *name)
{
    uint32_t words[5] = {0, 2, 3, 0, 2};
    double numbers[6] = {1, 4, 2, 5, 3, 6};
    char bytes[20 + 2 + 48];
    memcpy(bytes, words, 20), memcpy(bytes + 20, "m", 2), memcpy(bytes + 22, numbers, 48);
    write_bytes(folder, name, bytes, sizeof bytes);
}

static void write_model(const char *folder, const char *body, char *path, size_t size)
{
    static char text[9000];
    snprintf(text, sizeof text, "%smodel M %s end M;\n", head, body);
    snprintf(path, size, "%s/model.mo", folder);
    write_text(folder, "model.mo", text);
}

static void remove_all(const char *folder)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}

static double value_of(const char *folder, const char *body, const char *name)
{
    char path[300];
    world w;
    double y = NAN;
    write_model(folder, body, path, sizeof path);
    if (world_open(&w, path, NULL, "M") && world_run(&w, 2, 1e-6)) y = at(&w, 1, name);
    end(&w);
    return y;
}

TEST(tables_and_matrices_of_files)
{
    char folder[] = "/tmp/foliot-files-XXXXXX", data[300];
    REQUIRE(mkdtemp(folder));
    snprintf(data, sizeof data, "%s/data", folder);
    REQUIRE(mkdir(data, 0700) == 0);
    write_text(folder, "t.txt", "#1\ndouble b(1,2)\n5 6\nfloat a(3,2) # so\n0 0\n2 1,4\n9\n");
    write_text(data, "t.csv", "time;x\n0;1\n4;3\n");
    write_mat(data, "a.mat");
    CHECK_NEAR(value_of(folder,
                        "T1 t = T1(\"a\", \"t.txt\", fill(0.0, 0, 2), {2}, Smooth.LinearSegments, "
                        "Extra.HoldLastPoint); Real y = get1(t, 1, 0.5 + 0*time);",
                        "y"),
               0.25, 1e-15);
    CHECK_NEAR(value_of(folder,
                        "T1 t = T1(\"Values\", \"data/t.csv\", fill(0.0, 0, 2), {2}, "
                        "Smooth.LinearSegments, Extra.HoldLastPoint, \";\", 1); "
                        "Real y = get1(t, 1, time);",
                        "y"),
               1.5, 1e-15);
    CHECK_NEAR(value_of(folder,
                        "T1 t = T1(\"m\", \"data/a.mat\", fill(0.0, 0, 2), {3, 2}, "
                        "Smooth.LinearSegments, Extra.LastTwoPoints); "
                        "Real y = get1(t, 1, time) + 100*get1(t, 2, time + 3);",
                        "y"),
               3 + 500, 1e-12);
    CHECK_NEAR(value_of(folder,
                        "parameter Integer d[2] = sizes(\"data/a.mat\", \"m\"); parameter Real "
                        "a[d[1], d[2]] = matrixOf(\"data/a.mat\", \"m\", d[1], d[2]); "
                        "Real y = sum(a)*time + 100*a[2, 1] + 1000*size(a, 2);",
                        "y"),
               21 + 400 + 3000, 1e-12);
    CHECK_NEAR(value_of(folder,
                        "parameter Integer k[3] = {kind(\"data\"), kind(\"t.txt\"), kind(\"u\")}; "
                        "Real y = 100*k[1] + 10*k[2] + k[3] + 0*time;",
                        "y"),
               321, 0);
    CHECK_NEAR(value_of(folder, "parameter Integer n = size1(\"t.txt\"); Real y = n*time;", "y"), 7,
               0);
    remove_all(folder);
}

static void check_not_read(const char *folder, const char *file, const char *part)
{
    static char text[9000];
    char path[300], body[400];
    fo_message why = {0};
    snprintf(body, sizeof body,
             "parameter Integer d[2] = sizes(\"%s\", \"m\"); Real y = d[1]*time;", file);
    write_model(folder, body, path, sizeof path);
    fo_text_model_def def = {.path = path, .model = "M"};
    fo_text_model *m = fo_text_model_open(&def, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, part);
    fo_text_model_close(m);
    // a text without a folder sees none
    snprintf(text, sizeof text, "%smodel M %s end M;\n", head, body);
    check_refused(text, "there is no file");
}

TEST(what_is_not_seen)
{
    char folder[] = "/tmp/foliot-files-XXXXXX", outer[100], link[300], whole[400];
    REQUIRE(mkdtemp(folder));
    snprintf(outer, sizeof outer, "%s/inner", folder);
    REQUIRE(mkdir(outer, 0700) == 0);
    write_mat(folder, "a.mat");
    write_mat(outer, "b.mat");
    snprintf(link, sizeof link, "%s/link.mat", outer);
    REQUIRE(symlink("../a.mat", link) == 0);
    snprintf(link, sizeof link, "%s/away", outer);
    REQUIRE(symlink("..", link) == 0);
    snprintf(link, sizeof link, "%s/pipe.mat", outer);
    REQUIRE(mkfifo(link, 0600) == 0);
    CHECK_NEAR(value_of(outer,
                        "parameter Integer d[2] = sizes(\"b.mat\", \"m\"); Real y = d[2]*time;",
                        "y"),
               3, 0);
    snprintf(whole, sizeof whole, "%s/b.mat", outer);
    const char *const hidden[] = {"../a.mat", "inner/../b.mat", "link.mat", "away/a.mat",
                                  "pipe.mat", "c.mat",          whole,      "modelica://M/b.mat"};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (i < 7) check_not_read(outer, hidden[i], "there is no file");
        char body[600];
        snprintf(body, sizeof body, "parameter Integer k = kind(\"%s\"); Real y = k*time;",
                 hidden[i]);
        CHECK_NEAR(value_of(outer, body, "y"), i < 7 ? 1 : 2, 0);
    }
    write_text(outer, "x.mat", "no such file at all, and long enough");
    check_not_read(outer, "x.mat", "no MAT-file");
    remove_all(folder);
}

// ----------------------------------------------------------------------------- words and numbers

static const char scans[] =
    "function real input String s; input Integer at; input Boolean plain; output Integer next;\n"
    "  output Real x; external \"C\" ModelicaStrings_scanReal(s, at, plain, next, x); end real;\n"
    "function whole input String s; input Integer at; input Boolean plain; output Integer next;\n"
    "  output Integer x; external \"C\" ModelicaStrings_scanInteger(s, at, plain, next, x);\n"
    "end whole;\n"
    "function word input String s; input Integer at; output Integer next; output String w;\n"
    "  external \"C\" ModelicaStrings_scanIdentifier(s, at, next, w); end word;\n"
    "function quoted input String s; input Integer at; output Integer next; output String w;\n"
    "  external \"C\" ModelicaStrings_scanString(s, at, next, w); end quoted;\n";

TEST(words_and_numbers)
{
    static const struct {
        const char *call;
        int next;
        double value;
    } cases[] = {
        {"real(\"3.25\", 1, false)", 5, 3.25},
        {"real(\"a  -1.5e+2x\", 2, false)", 11, -150},
        {"real(\"a  -1.5e+2x\", 2, true)", 2, 0},
        {"real(\"+.5\", 1, false)", 4, 0.5},
        {"real(\"7\", 1, true)", 2, 7},
        {"real(\"1.\", 1, true)", 3, 1},
        {"real(\"1e\", 1, true)", 1, 0},
        {"real(\"1e+\", 1, true)", 1, 0},
        {"real(\".\", 1, true)", 1, 0},
        {"real(\"\", 1, true)", 1, 0},
        {"real(\"x\", 9, true)", 9, 0},
        {"real(\"1e999\", 1, true)", 1, 0},
        {"whole(\" -42;\", 1, false)", 5, -42},
        {"whole(\"4.2\", 1, false)", 1, 0},
        {"whole(\"99999999999\", 1, false)", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[3000];
        world w;
        snprintf(text, sizeof text,
                 "%smodel M parameter Integer n(fixed = false); parameter Real x(fixed = false);\n"
                 "initial algorithm (n, x) := %s; end M;\n",
                 scans, cases[i].call);
        REQUIRE(begin(&w, text, 1));
        CHECK_NEAR(at(&w, 0, "n"), cases[i].next, 0);
        CHECK_NEAR(at(&w, 0, "x"), cases[i].value, 0);
        end(&w);
    }
}

TEST(words)
{
    static const struct {
        const char *call, *word;
        int next;
    } cases[] = {
        {"word(\" ab_1 c\", 1)", "ab_1", 6},
        {"word(\"1a\", 1)", "", 1},
        {"word(\"_a\", 1)", "", 1},
        {"word(\"a\", 2)", "", 2},
        {"quoted(\"  \\\"x y\\\" z\", 1)", "x y", 8},
        {"quoted(\"\\\"x\", 1)", "", 1},
        {"quoted(\"\\\"\\\"\", 1)", "", 1},
        {"quoted(\"\\\"a\\\\\\\"b\\\"\", 1)", "a\\\\\\\"b", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[3000];
        world w;
        snprintf(text, sizeof text,
                 "%sfunction both input Integer i; input String s; output Integer n;\n"
                 "  protected String w; algorithm (n, w) := %s;\n"
                 "  n := if w == s then n else -1; end both;\n"
                 "model M parameter Integer n = both(1, \"%s\"); Real y = n*time; end M;\n",
                 scans, cases[i].call, cases[i].word);
        REQUIRE(begin(&w, text, 1));
        CHECK_NEAR(at(&w, 1, "y"), cases[i].next, 0);
        end(&w);
    }
}

// Records as variables of functions that are carried out before the run.
TEST(records_of_functions_with_texts)
{
    static const sample samples[] = {
        {"fields are assigned one by one, and copied with the record",
         "record Inner Real x = 4; Integer n[2] = {1, 2}; end Inner;\n"
         "record Token Inner i; String s; Boolean b; Real r; end Token;\n"
         "function f input String s; output Real y; protected Token t; Token u;\n"
         "algorithm t.s := s + \"!\"; t.r := 3; u := t; u.i.x := 5; u.i.n := {7, 8};\n"
         "  y := (if t.s == \"a!\" and u.s == t.s then 1000 else 0) + 100*u.i.x + 10*t.i.x + t.r "
         "+\n"
         "    u.i.n[2]*1e-1 + t.i.n[1]*1e-2 + (if t.b then 1e6 else 0); end f;\n"
         "model M parameter Real p = f(\"a\"); Real y = p*time; end M;\n",
         "y", 1, 1000 + 500 + 40 + 3 + 0.8 + 0.01, 1e-9},
    };
    CHECK_ALL(samples);
    check_refused("record Token String s; Real r; end Token;\n"
                  "function f input String s; output Real y; protected Token t;\n"
                  "algorithm t.q := 1; y := t.r; end f;\n"
                  "model M parameter Real p = f(\"a\"); end M;\n",
                  "");
}

TEST_MAIN(TEST_ENTRY(tables_and_matrices_of_files), TEST_ENTRY(what_is_not_seen),
          TEST_ENTRY(words_and_numbers), TEST_ENTRY(words),
          TEST_ENTRY(records_of_functions_with_texts))
