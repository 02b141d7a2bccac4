// What a small machine would run: a ball as C functions, the same ball as a text by the bytecode
// machine, two masses on springs, and the Lorenz attractor forced by elementary functions: the
// slightest difference in one of them is another state after a while. Prints the last states bit by
// bit.
#include <foliot/language.h>
#include <foliot/simulation.h>
#include <foliot/structure.h>
#include <stdio.h>

enum { HEIGHT, SPEED };

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[HEIGHT] = x[SPEED];
    dx[SPEED] = -9.81 - 0.01 * x[SPEED];
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)s, (void)t;
    g[0] = x[HEIGHT];
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)m, (void)e;
    s->x[HEIGHT] = 0;
    s->x[SPEED] *= -0.75;
    return FO_OK;
}

/// True when it came to the end with at least so many moments.
static bool run_with(const char *name, fo_system system, uint64_t moments, fo_run_def def)
{
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    if (!sim) {
        printf("%s: %s\n", name, why.text);
        return false;
    }
    fo_status status = fo_simulation_advance(sim, def.stop);
    const fo_state *s = fo_simulation_state(sim);
    fo_statistics counts = fo_simulation_statistics(sim);
    if (status != FO_REACHED) printf("%s\n", fo_simulation_message(sim)->text);
    printf("%s: t %a moments %d", name, s->t, (int)counts.moments);
    for (uint32_t i = 0; i < s->shape.states; i++) printf(" %a", s->x[i]);
    printf("\n");
    fo_simulation_destroy(sim);
    return status == FO_REACHED && counts.moments >= moments;
}

static bool run(const char *name, fo_system system, uint64_t moments)
{
    fo_run_def def = fo_default_run_def();
    def.stop = 2;
    def.solver = "rk4";
    def.step = 0x1p-7;
    return run_with(name, system, moments, def);
}

static bool run_functions(void)
{
    static const fo_system_type type = {
        .kind = "C", .rates = rates, .guards = guards, .jump = jump};
    static const fo_variable states[] = {{"h", "m", 1.5}, {"v", "m/s", 0}};
    static const fo_guard floors[] = {{"floor", FO_FALLING}};
    static const fo_description about = {
        .name = "ball", .states = {states, 2}, .guards = {floors, 1}};
    return run("functions", (fo_system){&type, &about, NULL}, 2);
}

static bool run_text(void)
{
    fo_text_model_def def = {
        .path = "ball.mo",
        .text = "model ball\n"
                "  Real h(start = 1.5, fixed = true), v(start = 0, fixed = true);\n"
                "equation\n"
                "  der(h) = v;\n"
                "  der(v) = -9.81 - 0.01*v;\n"
                "  when h <= 0 then\n"
                "    reinit(h, 0);\n"
                "    reinit(v, -0.75*pre(v));\n"
                "  end when;\n"
                "end ball;\n",
        .messages = stdout};
    fo_message why = {0};
    fo_text_model *model = fo_text_model_open(&def, &why);
    bool fine = model && run("text", fo_text_model_system(model), 2);
    fo_text_model_close(model);
    return fine;
}

static bool run_lorenz(const char *force)
{
    char text[600];
    snprintf(text, sizeof text,
             "model lorenz\n"
             "  Real x(start = 1, fixed = true), y(start = 1, fixed = true);\n"
             "  Real z(start = 1, fixed = true);\n"
             "equation\n"
             "  der(x) = 10*(y - x) + %s;\n"
             "  der(y) = x*(28 - z) - y;\n"
             "  der(z) = x*y - 8/3*z;\n"
             "end lorenz;\n",
             force);
    fo_text_model_def def = {.path = "lorenz.mo", .text = text, .messages = stdout};
    fo_message why = {0};
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_run_def long_run = fo_default_run_def();
    long_run.stop = 60, long_run.solver = "dp45", long_run.rtol = 1e-8;
    bool fine = model && run_with(force, fo_text_model_system(model), 0, long_run);
    fo_text_model_close(model);
    return fine;
}

static bool run_forced(void)
{
    static const char *const forces[] = {
        "sin(3*time)",
        "exp(-abs(x)/20)",
        "abs(x)^1.37/100",
        "tanh(x)",
        "log(1 + x*x)",
        "atan2(x, 1 + z*z) + acos(x/100) + sinh(y/50) + tan(x/50)",
        "cos(y) + asin(x/50) + atan(z) + cosh(x/40) + log10(1 + z*z)",
    };
    bool fine = true;
    for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++)
        fine = run_lorenz(forces[i]) && fine;
    return fine;
}

static bool run_structure(void)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 2, .gravity = {0, -9.81}};
    fo_structure *s = fo_structure_create(&def, &why);
    fo_structure_node nodes[] = {{.mass = 1, .fixed = FO_FIXED},
                                 {.mass = 1, .position = {1, 0}},
                                 {.mass = 2, .position = {1, 1}}};
    fo_spring_def springs[] = {{.a = 0, .b = 1, .k = 40},
                               {.a = 1, .b = 2, .k = 60},
                               {.a = 0, .b = 2, .energy = FO_SPRING_LENGTHS, .k = 50}};
    bool fine = s != NULL;
    for (int i = 0; i < 3 && fine; i++) fine = !fo_structure_add_node(s, &nodes[i], NULL, &why);
    for (int i = 0; i < 3 && fine; i++) fine = !fo_structure_add_spring(s, &springs[i], NULL, &why);
    fine = fine && !fo_structure_finish(s, &why) && run("structure", fo_structure_system(s), 0);
    if (why.status) printf("%s\n", why.text);
    fo_structure_destroy(s);
    return fine;
}

int main(void)
{
    bool functions = run_functions(), text = run_text(), structure = run_structure();
    bool forced = run_forced();
    return !(functions && text && structure && forced);
}
