// What a desk costs: a message, the diagnoses after a keystroke, a frame of a live model. The
// limits are times that a person would notice, so the "peer" is the limit itself.
#include <foliot/desk.h>
#include <gallery.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static fo_desk *make(void)
{
    fo_desk_def def = fo_default_desk_def();
    def.table = fo_compiled_models();
    return fo_desk_create(&def, NULL);
}

// Gives a line, works until nothing is left and throws the answers away. False when it had none.
static bool exchange(fo_desk *desk, const char *line)
{
    char buffer[4096];
    size_t length = strlen(line), answered = 0;
    if (fo_desk_give(desk, line, length) != length) return false;
    fo_desk_state state;
    do {
        state = fo_desk_work(desk, 0, 1000000);
        for (size_t n; (n = fo_desk_take(desk, buffer, sizeof buffer)); answered += n) continue;
    } while (state != FO_DESK_IDLE);
    return answered > 0;
}

// us for a message without work.
static double message(void *self)
{
    enum { COUNT = 20000 };
    (void)self;
    fo_desk *desk = make();
    bool good = desk && exchange(desk, "{\"id\": 1, \"do\": \"hello\", \"versions\": [1]}\n");
    double begin = bench_seconds();
    for (int i = 0; i < COUNT && good; i++)
        good = exchange(desk, "{\"id\": 2, \"do\": \"ack\", \"bytes\": 10}\n");
    double used = bench_seconds() - begin;
    fo_desk_destroy(desk);
    return good ? used / COUNT * 1e6 : NAN;
}

// A text of some thousand lines: rods of masses and springs, each with its own lines.
static char *long_text(int lines)
{
    size_t room = (size_t)lines * 64 + 200;
    char *text = malloc(room), *at = text;
    if (!text) return NULL;
    at += sprintf(at,
                  "{\"id\": 1, \"do\": \"open\", \"name\": \"long.mo\", \"text\": \"model Long\\n");
    for (int i = 1; i <= lines / 2 - 2; i++)
        at += sprintf(at, "  Real x%d(start = %d, fixed = true);\\n", i, i % 7);
    at += sprintf(at, "equation\\n");
    for (int i = 1; i <= lines / 2 - 2; i++)
        at += sprintf(at, "  der(x%d) = -%d*x%d + x%d;\\n", i, i % 5 + 1, i, i > 1 ? i - 1 : 1);
    sprintf(at, "end Long;\\n\"}\n");
    return text;
}

// A ladder of resistors and capacitors, a component or a connection in each line.
static char *component_text(int lines)
{
    size_t room = (size_t)lines * 64 + 2000;
    char *text = malloc(room), *at = text;
    int n = (lines - 30) / 5;
    if (!text) return NULL;
    at += sprintf(at, "{\"id\": 1, \"do\": \"open\", \"name\": \"parts.mo\", \"text\": \"");
    at +=
        sprintf(at, "connector Pin\\n  Real v;\\n  flow Real i;\\nend Pin;\\n"
                    "partial model Two\\n  Pin p;\\n  Pin n;\\n  Real v;\\n  Real i;\\nequation\\n"
                    "  v = p.v - n.v;\\n  i = p.i;\\n  p.i + n.i = 0;\\nend Two;\\n");
    at += sprintf(
        at, "model R\\n  extends Two;\\n  parameter Real R = 1;\\nequation\\n  v = R*i;\\n"
            "end R;\\nmodel C\\n  extends Two;\\n  parameter Real C = 1;\\nequation\\n"
            "  C*der(v) = i;\\nend C;\\nmodel G\\n  Pin p;\\nequation\\n  p.v = 0;\\nend G;\\n");
    at += sprintf(at, "model Ladder\\n  G ground;\\n");
    for (int i = 1; i <= n; i++)
        at += sprintf(at, "  R r%d(R = %d);\\n  C c%d(C = %d, v(start = 1, fixed = true));\\n", i,
                      i, i, i);
    at += sprintf(at, "equation\\n  connect(r1.p, ground.p);\\n");
    for (int i = 1; i <= n; i++) {
        at += sprintf(at, "  connect(r%d.n, c%d.p);\\n  connect(c%d.n, ground.p);\\n", i, i, i);
        if (i < n) at += sprintf(at, "  connect(r%d.n, r%d.p);\\n", i, i + 1);
    }
    sprintf(at, "end Ladder;\\n\"}\n");
    return text;
}

// 990 parts that stand alone, a line each.
static char *separate_text(int lines)
{
    size_t room = (size_t)lines * 64 + 2000;
    char *text = malloc(room), *at = text;
    if (!text) return NULL;
    at += sprintf(at, "{\"id\": 1, \"do\": \"open\", \"name\": \"parts.mo\", \"text\": \"");
    at += sprintf(at, "model Part\\n  parameter Real k = 1;\\n  Real x(start = 1, fixed = true);\\n"
                      "  Real y;\\nequation\\n  der(x) = -k*y;\\n  y = x + sin(y)/2;\\nend Part;\\n"
                      "model Many\\n");
    for (int i = 1; i <= lines - 10; i++) at += sprintf(at, "  Part p%d(k = %d);\\n", i, i % 7 + 1);
    sprintf(at, "end Many;\\n\"}\n");
    return text;
}

// A package of models of six lines, each of which could be run.
static char *package_text(int lines)
{
    char *text = malloc((size_t)lines * 40 + 400);
    if (!text) return NULL;
    char *at = text;
    at += sprintf(at,
                  "{\"id\": 1, \"do\": \"open\", \"name\": \"parts.mo\", \"text\": \"package P\\n");
    for (int i = 1; i <= lines / 6; i++)
        at += sprintf(at,
                      "model M%d\\n  Real x(start = 1);\\n  parameter Real k = %d;\\nequation\\n"
                      "  der(x) = -k*x;\\nend M%d;\\n",
                      i, i, i);
    sprintf(at, "end P;\\n\"}\n");
    return text;
}

// ms from a keystroke to the diagnoses of a text; one after the other is typed over the same place.
static double type_into(char *text, int row, int column, const char *letters)
{
    enum { COUNT = 20 };
    fo_desk *desk = make();
    bool good = desk && text && exchange(desk, text);
    double begin = bench_seconds();
    for (int i = 0; i < COUNT && good; i++) {
        char line[200];
        snprintf(
            line, sizeof line,
            "{\"id\": 2, \"do\": \"change\", \"doc\": 1, \"edits\": [{\"from\": [%d, %d], \"to\": "
            "[%d, %d], \"text\": \"%c\"}]}\n",
            row, column, row, column + 1, letters[(size_t)i % strlen(letters)]);
        good = exchange(desk, line);
    }
    double used = bench_seconds() - begin;
    free(text);
    fo_desk_destroy(desk);
    return good ? used / COUNT * 1e3 : NAN;
}

static const char digits[] = "123456789";

static double keystroke(void *self)
{
    (void)self;
    return type_into(long_text(1000), 3, 15, digits);
}

static double keystroke_in_parts(void *self)
{
    (void)self;
    return type_into(component_text(1000), 33, 11, digits); // R r1(R = 1);
}

// Part p4(k = 5);
static double keystroke_in_separate_parts(void *self)
{
    (void)self;
    return type_into(separate_text(1000), 12, 14, digits);
}

// A name that is not there: what is said of names and types does not wait for the equations.
static double keystroke_in_package(void *self)
{
    (void)self;
    return type_into(package_text(1000), 3, 21, digits); // parameter Real k = 1;
}

static double wrong_name_in_separate_parts(void *self)
{
    (void)self;
    return type_into(separate_text(1000), 12, 10, "qxz");
}

static double wrong_syntax_in_separate_parts(void *self)
{
    (void)self;
    return type_into(separate_text(1000), 12, 15, "+*/");
}

// us for a frame of 16 ms of the double pendulum.
static double frame(void *self)
{
    enum { COUNT = 2000 };
    (void)self;
    fo_desk *desk = make();
    bool good = desk &&
                exchange(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"double-pendulum\"}\n") &&
                exchange(desk, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0}\n");
    double begin = bench_seconds();
    for (int i = 1; i <= COUNT && good; i++) {
        char line[120];
        snprintf(line, sizeof line,
                 "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": %lld}\n", i * 16000000LL);
        good = exchange(desk, line);
    }
    double used = bench_seconds() - begin;
    fo_desk_destroy(desk);
    return good ? used / COUNT * 1e6 : NAN;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what, *unit;
        double (*run)(void *self);
        double limit;
    } rows[] = {
        {"a message without work", "us", message, 20},
        {"a keystroke in 1,000 lines", "ms", keystroke, 10},
        {"a keystroke in 1,000 lines of parts", "ms", keystroke_in_parts, 10},
        {"a keystroke in 1,000 lines of models", "ms", keystroke_in_package, 10},
        {"a keystroke in 990 parts, each with a loop", "ms", keystroke_in_separate_parts, 10},
        {"the same, a name that is not there", "ms", wrong_name_in_separate_parts, 10},
        {"the same, a mistake of syntax", "ms", wrong_syntax_in_separate_parts, 10},
        {"a live frame of 16 ms", "us", frame, 100}};
    bench_table table;
    if (!bench_open(&table, "desk", argc, argv)) return 1;
    bench_title("the desk, beside what a person would notice");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench_runner runner = {rows[i].run, NULL, NAN};
        if (!bench_race(&runner, 1, 5)) bench_break(&table, "%s broke", rows[i].what);
        bench_add(&table, (bench_line){rows[i].what, "the limit", rows[i].unit, runner.best,
                                       rows[i].limit, 1, NULL});
    }
    return bench_close(&table);
}
