/// The program as C. Every instruction becomes one statement, so that the order of the operations
/// and with it every bit is that of the bytecode machine, provided that the compiler keeps to them
/// (-ffp-contract=off, no -ffast-math).
///
///     static int rates(const void *code, struct run *o)     one function per task
///     struct exports foliot_program                         all of them
///
/// A short task without loops holds its registers in local variables, any other in the array r.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "program/program.h"

enum { MOST_LOCALS = 2000 };

static const char *const task_names[FOI_TASKS] = {
    [FOI_TASK_RATES] = "rates",       [FOI_TASK_GUARDS] = "guards",
    [FOI_TASK_SLOPES] = "slopes",     [FOI_TASK_OBSERVE] = "observe",
    [FOI_TASK_MOMENT] = "moment",     [FOI_TASK_START] = "start",
    [FOI_TASK_INSTANTS] = "instants", [FOI_TASK_FLOORS] = "floors",
    [FOI_TASK_HOLDS] = "holds",       [FOI_TASK_SOLVED] = "solved",
    [FOI_TASK_JACOBIAN] = "jacobian", [FOI_TASK_QUALITY] = "quality",
};

static const char head[] =
    "double pow(double, double), fabs(double), sqrt(double), floor(double), ceil(double);\n"
    "double trunc(double), sin(double), cos(double), tan(double), asin(double), acos(double);\n"
    "double atan(double), atan2(double, double), sinh(double), cosh(double), tanh(double);\n"
    "double exp(double), log(double), log10(double);\n"
    "static inline double sign(double a) { return (double)((a > 0) - (a < 0)); }\n"
    "static inline double least(double a, double b) { return b < a ? b : a; }\n"
    "static inline double most(double a, double b) { return b > a ? b : a; }\n"
    "static inline double modulo(double a, double b) { return a - floor(a / b) * b; }\n"
    "static inline double remain(double a, double b) { return a - trunc(a / b) * b; }\n"
    "struct run {\n"
    "    double *r;\n"
    "    const double *x;\n"
    "    double *y;\n"
    "    const double *guesses;\n"
    "    double *work;\n"
    "    const char *failed;\n"
    "    int (*solve)(const void *code, unsigned loop, struct run *o, void (*f)(void *, double "
    "*));\n"
    "};\n";

typedef struct source {
    const foi_program *g;
    const foi_code *code;
    foi_flat_writer *out;
    bool locals;
} source;

// A register as an operand: constants stand there as numbers.
static void put_operand(source *s, uint32_t r)
{
    const foi_code *code = s->code;
    char text[40];
    if (r - code->constant_at < code->constant_count) {
        double value = code->constants[r - code->constant_at];
        foi_number_text(value, text, sizeof text);
        bool whole = !strpbrk(text, ".en");
        if (isfinite(value))
            foi_flat_write(s->out, signbit(value) ? "(%s%s)" : "%s%s", text, whole ? ".0" : "");
        else
            foi_flat_write(s->out, isnan(value) ? "(0.0 / 0.0)"
                                   : value > 0  ? "(1.0 / 0.0)"
                                                : "(-1.0 / 0.0)");
    } else if (s->locals && r >= s->g->layout.total) {
        foi_flat_write(s->out, "r%u", r);
    } else if (!code->loop_count &&
               r - s->g->layout.at[FOI_LEAF_STATE] < s->g->layout.count[FOI_LEAF_STATE]) {
        foi_flat_write(s->out, "x[%u]", r - s->g->layout.at[FOI_LEAF_STATE]);
    } else {
        foi_flat_write(s->out, "r[%u]", r);
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// The operation's text with its arguments in place of the single letters a, b and c.
static void put_instruction(source *s, const foi_instruction *x)
{
    const char *text = foi_op_text(x->op);
    foi_flat_write(s->out, "    ");
    put_operand(s, x->to);
    foi_flat_write(s->out, " = ");
    for (const char *t = text; *t; t++) {
        bool alone = !is_letter(t[1]) && (t == text || !is_letter(t[-1])) && t[1] != '(';
        if (alone && *t >= 'a' && *t <= 'c')
            put_operand(s, *t == 'a' ? x->a : *t == 'b' ? x->b : x->c);
        else
            foi_flat_write(s->out, "%c", *t);
    }
    foi_flat_write(s->out, ";\n");
}

static void put_loops(source *s, const char *name)
{
    const foi_code *code = s->code;
    for (uint32_t l = 0; l < code->loop_count; l++) {
        foi_flat_write(s->out,
                       "\nstatic void %s_loop_%u(void *self, double *r)\n{\n    (void)self;\n",
                       name, l);
        for (uint32_t i = code->loops[l].begin; i < code->loops[l].end; i++)
            put_instruction(s, &code->list[i]);
        foi_flat_write(s->out, "}\n");
    }
}

static void put_locals(source *s)
{
    const foi_code *code = s->code;
    uint32_t begin = s->g->layout.total, n = 0;
    for (uint32_t r = begin; r < code->registers; r++) {
        if (r - code->constant_at < code->constant_count) continue;
        foi_flat_write(s->out, "%s r%u", n == 0 ? "    double" : n % 12 ? "," : ",\n          ", r);
        n++;
    }
    if (n) foi_flat_write(s->out, ";\n");
}

static void put_results(source *s)
{
    const foi_code *code = s->code;
    for (uint32_t i = 0; i < code->result_count; i++) {
        foi_flat_write(s->out, "    y[%u] = ", i);
        put_operand(s, code->results[i]);
        foi_flat_write(s->out, ";\n");
    }
}

static void put_task(source *s, const char *name)
{
    const foi_code *code = s->code;
    put_loops(s, name);
    s->locals = !code->loop_count && code->registers - s->g->layout.total < MOST_LOCALS;
    foi_flat_write(s->out,
                   "\nstatic int %s(const void *code, struct run *o)\n{\n"
                   "    double *r = o->r, *y = o->y;\n    const double *x = o->x;\n",
                   name);
    if (code->loop_count) foi_flat_write(s->out, "    int status;\n");
    if (s->locals) put_locals(s);
    foi_flat_write(s->out, "    (void)code, (void)r, (void)x, (void)y;\n");
    for (uint32_t i = 0; i < code->count; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op == FOI_I_SOLVE)
            foi_flat_write(s->out,
                           "    status = o->solve(code, %u, o, %s_loop_%u);\n"
                           "    if (status) return status;\n",
                           x->a, name, x->a);
        else
            put_instruction(s, x);
    }
    put_results(s);
    foi_flat_write(s->out, "    return 0;\n}\n");
    s->locals = false;
}

void foi_program_source(const foi_program *g, bool fast, foi_flat_writer *out)
{
    source s = {.g = g, .out = out};
    (void)fast;
    foi_flat_write(out, "/* %s, made by foliot */\n%s", g->about.name, head);
    for (int task = 0; task < FOI_TASKS; task++) {
        s.code = &g->codes[task];
        put_task(&s, task_names[task]);
    }
    foi_flat_write(out,
                   "\nconst struct {\n    int (*run[%d])(const void *, struct run *);\n"
                   "} foliot_program = {{",
                   FOI_TASKS);
    for (int task = 0; task < FOI_TASKS; task++)
        foi_flat_write(out, "%s%s", task ? ", " : "", task_names[task]);
    foi_flat_write(out, "}};\n");
}
