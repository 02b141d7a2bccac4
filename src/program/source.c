/// The program as C. Every instruction becomes one statement, so that the order of the operations
/// and with it every bit is that of the bytecode machine, provided that the compiler keeps to them
/// (-ffp-contract=off, no -ffast-math).
///
///     static void rates_at(double *r, double t, const double *x, double *y)   a task without loops
///     static int rates(const void *code, struct run *o)                       one per task
///     static int march_dp45(double *r, struct march *m)                       source_steps.c
///     struct exports foliot_program                                           all of them
///
/// The elementary functions are those of src/math, as for the machine: whoever loads the code hands
/// them over (foi_exports.use), so that nothing depends on what a linker finds.
///
/// A short task without loops holds its temporaries in local variables, any other in the array r.
#include "program/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

enum {
    MOST_LOCALS = 2000,
    MOST_SELDOM = 1000, ///< operations and results of a task that is asked for now and then
    MOST_LOOPED = 4000, ///< operations of a task with loops, most of whose time goes into factors
};

static const char *const task_names[FOI_TASKS] = {
    [FOI_TASK_RATES] = "rates",       [FOI_TASK_GUARDS] = "guards",
    [FOI_TASK_SLOPES] = "slopes",     [FOI_TASK_OBSERVE] = "observe",
    [FOI_TASK_MOMENT] = "moment",     [FOI_TASK_START] = "start",
    [FOI_TASK_INSTANTS] = "instants", [FOI_TASK_FLOORS] = "floors",
    [FOI_TASK_HOLDS] = "holds",       [FOI_TASK_SOLVED] = "solved",
    [FOI_TASK_JACOBIAN] = "jacobian", [FOI_TASK_CONSTRAINTS] = "constraints",
    [FOI_TASK_ROUNDING] = "rounding", [FOI_TASK_LAGS] = "lags",
    [FOI_TASK_DELAYS] = "delays",     [FOI_TASK_DELAY_RATES] = "delay_rates",
    [FOI_TASK_CHECKS] = "checks",     [FOI_TASK_WORDS] = "words",
    [FOI_TASK_GUESSES] = "guesses",   [FOI_TASK_FIRST] = "first",
    [FOI_TASK_DIVISORS] = "divisors", [FOI_TASK_CARRIED] = "carried",
    [FOI_TASK_FORMULAS] = "formulas",
};

// GCC's replacement of temporary expressions moves what a step computes early to where it is used
// last, and runs out of registers.
static const char head[] =
    "#if defined __GNUC__ && !defined __clang__\n"
    "#pragma GCC optimize(\"no-tree-ter\")\n"
    "#endif\n"
    "double fabs(double), sqrt(double), floor(double), ceil(double), trunc(double);\n"
    "double fmod(double, double);\n"
    "#ifdef __GNUC__\n"
    "#define INLINED static inline __attribute__((always_inline))\n"
    "#else\n"
    "#define INLINED static inline\n"
    "#endif\n"
    "static inline double sign(double a) { return (double)((a > 0) - (a < 0)); }\n"
    "static inline double least(double a, double b) { return b < a || b != b ? b : a; }\n"
    "static inline double most(double a, double b) { return b > a || b != b ? b : a; }\n"
    // see foi_modulo and foi_remain; 2^50
    "static inline double rest_of(double rest, double u, double b)\n{\n"
    "    return u == trunc(u) && fabs(u) < 1125899906842624.0 && fabs(rest) > 0.5 * fabs(b)\n"
    "        ? 0 : rest;\n}\n"
    "static inline double modulo(double a, double b)\n{\n"
    "    double rest = fmod(a, b);\n"
    "    return rest_of(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, a / b, b);\n}\n"
    "static inline double remain(double a, double b)\n{\n"
    "    return rest_of(fmod(a, b), a / b, b);\n}\n"
    "#ifdef __GNUC__\n"
    "#define PURE __attribute__((const))\n"
    "#else\n"
    "#define PURE\n"
    "#endif\n"
    "typedef double of_one(double) PURE;\n"
    "typedef double of_two(double, double) PURE;\n"
#define SOURCE_NAME(name, kind) "static " #kind " *" #name "_;\n#define " #name " " #name "_\n"
    FOI_SOURCE_FUNCTIONS(SOURCE_NAME)
#undef SOURCE_NAME
        "struct functions {\n"
#define SOURCE_MEMBER(name, kind) "    " #kind " *" #name ";\n"
    FOI_SOURCE_FUNCTIONS(SOURCE_MEMBER)
#undef SOURCE_MEMBER
        "};\n"
        "static void use(const struct functions *f)\n{\n"
        "    if (sin == f->sin) return;\n"
#define SOURCE_USE(name, kind) "    " #name " = f->" #name ";\n"
    FOI_SOURCE_FUNCTIONS(SOURCE_USE)
#undef SOURCE_USE
        "}\n"
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

// --------------------------------------------------------------------------------------- operands

void foi_source_number(foi_flat_writer *out, double value)
{
    char text[40];
    foi_number_text(value, text);
    bool whole = !strpbrk(text, ".en");
    if (isfinite(value))
        foi_flat_write(out, signbit(value) ? "(%s%s)" : "%s%s", text, whole ? ".0" : "");
    else
        foi_flat_write(out, "%s",
                       isnan(value) ? "(0.0 / 0.0)"
                       : value > 0  ? "(1.0 / 0.0)"
                                    : "(-1.0 / 0.0)");
}

void foi_source_operand(foi_source *s, uint32_t r)
{
    const foi_code *code = s->code;
    const foi_layout *l = &s->g->layout;
    if (r - code->constant_at < code->constant_count)
        foi_source_number(s->out, code->constants[r - code->constant_at]);
    else if (s->locals && r >= l->total)
        foi_flat_write(s->out, "r%u", r);
    else if (s->pure && r == l->at[FOI_LEAF_TIME])
        foi_flat_write(s->out, "t");
    else if (s->pure && r - l->at[FOI_LEAF_STATE] < l->count[FOI_LEAF_STATE])
        foi_flat_write(s->out, "x[%u]", r - l->at[FOI_LEAF_STATE]);
    else
        foi_flat_write(s->out, "r[%u]", r);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// The operation's text with its arguments in place of the single letters a, b and c.
void foi_source_operation(foi_flat_writer *out, uint32_t op, foi_put_operand *put, void *self)
{
    const char *text = foi_instruction_text(op);
    for (const char *t = text; *t; t++) {
        bool alone = !is_letter(t[1]) && (t == text || !is_letter(t[-1])) && t[1] != '(';
        if (alone && *t >= 'a' && *t <= 'c')
            put(self, (uint32_t)(*t - 'a'));
        else
            foi_flat_write(out, "%c", *t);
    }
}

/// One instruction being written.
typedef struct statement {
    foi_source *s;
    const foi_instruction *x;
} statement;

static void put_register(void *self, uint32_t operand)
{
    const statement *t = self;
    foi_source_operand(t->s, operand == 0 ? t->x->a : operand == 1 ? t->x->b : t->x->c);
}

static void put_instruction(foi_source *s, const foi_instruction *x)
{
    statement t = {s, x};
    foi_flat_write(s->out, "    ");
    foi_source_operand(s, x->to);
    foi_flat_write(s->out, " = ");
    foi_source_operation(s->out, x->op, put_register, &t);
    foi_flat_write(s->out, ";\n");
}

// ------------------------------------------------------------------------------------------ tasks

static void put_loops(foi_source *s, const char *name)
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

static void put_locals(foi_source *s)
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

static void put_results(foi_source *s)
{
    const foi_code *code = s->code;
    for (uint32_t i = 0; i < code->result_count; i++) {
        foi_flat_write(s->out, "    y[%u] = ", i);
        foi_source_operand(s, code->results[i]);
        foi_flat_write(s->out, ";\n");
    }
}

static void put_body(foi_source *s)
{
    const foi_code *code = s->code;
    s->pure = true;
    s->locals = code->registers - s->g->layout.total < MOST_LOCALS;
    if (code->wide) {
        if (!foi_source_wide(s)) s->out->failed = true;
    } else {
        if (s->locals) put_locals(s);
        for (uint32_t i = 0; i < code->count; i++) put_instruction(s, &code->list[i]);
        put_results(s);
    }
    foi_flat_write(s->out, "    (void)r, (void)t, (void)x, (void)y;\n");
    s->locals = s->pure = false;
}

// Steps call a function of its own.
static void put_pure_task(foi_source *s, const char *name)
{
    bool inlined = s->code->count <= FOI_SOURCE_INLINED;
    uint32_t time = s->g->layout.at[FOI_LEAF_TIME];
    foi_flat_write(s->out,
                   "\n%s void %s_at(double *restrict r, double t, const double *restrict x, "
                   "double *restrict y)\n{\n",
                   inlined ? "INLINED" : "static", name);
    put_body(s);
    foi_flat_write(s->out,
                   "}\n\nstatic int %s(const void *code, struct run *o)\n{\n    (void)code;\n"
                   "    %s_at(o->r, o->r[%u], o->x, o->y);\n    return 0;\n}\n",
                   name, name, time);
}

static void put_task(foi_source *s, const char *name)
{
    const foi_code *code = s->code;
    if (!code->loop_count) {
        put_pure_task(s, name);
        return;
    }
    put_loops(s, name);
    foi_flat_write(s->out,
                   "\nstatic int %s(const void *code, struct run *o)\n{\n"
                   "    double *r = o->r, *y = o->y;\n    int status;\n",
                   name);
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
}

// Compilers take minutes for long straight lines. What is long and not asked for at every step is
// left to the machine, and so is what solves large loops.
static bool is_left(const foi_program *g, int task)
{
    const foi_code *code = &g->codes[task];
    bool often = task == FOI_TASK_RATES || task == FOI_TASK_GUARDS;
    if (code->loop_count && code->all > MOST_LOOPED) return true;
    return !often && !code->loop_count && code->count + code->result_count > MOST_SELDOM;
}

// A name may have any letters, and it comes from who wrote the model. What could end the comment,
// also by joined lines or trigraphs, does not get in: letters, digits and spaces do.
static void put_comment(foi_flat_writer *out, const char *name)
{
    foi_flat_write(out, "/* ");
    for (; *name; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9') || *name == ' ';
        foi_flat_write(out, "%c", plain ? *name : '_');
    }
    foi_flat_write(out, ", made by foliot */\n");
}

void foi_program_source(const foi_program *g, foi_flat_writer *out)
{
    foi_source s = {.g = g, .out = out};
    bool steps = foi_source_has_steps(g);
    put_comment(out, g->about.name);
    foi_flat_write(out, "%s", head);
    for (int task = 0; task < FOI_TASKS; task++) {
        s.code = &g->codes[task];
        if (!is_left(g, task)) put_task(&s, task_names[task]);
    }
    if (steps) foi_source_steps(g, out);
    foi_flat_write(out,
                   "\nstruct march;\nconst struct {\n"
                   "    int (*run[%d])(const void *, struct run *);\n"
                   "    void (*march[%d])(double *, struct march *);\n"
                   "    void (*use)(const struct functions *);\n"
                   "} foliot_program = {{",
                   FOI_TASKS, FOI_MARCHES);
    for (int task = 0; task < FOI_TASKS; task++)
        foi_flat_write(out, "%s%s", task ? ", " : "", is_left(g, task) ? "0" : task_names[task]);
    foi_flat_write(out, steps ? "}, {march_rk4, march_dp45}, use};\n" : "}, {0}, use};\n");
}
