// A bouncing ball that prints its last state bit by bit: what a small machine would run.
#include <foliot/simulation.h>
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

int main(void)
{
    static const fo_system_type type = {
        .kind = "C", .rates = rates, .guards = guards, .jump = jump};
    static const fo_variable states[] = {{"h", "m", 1.5}, {"v", "m/s", 0}};
    static const fo_guard floors[] = {{"floor", FO_FALLING}};
    static const fo_description about = {
        .name = "ball", .states = {states, 2}, .guards = {floors, 1}};
    fo_run_def def = fo_default_run_def();
    def.stop = 2;
    def.solver = "rk4";
    def.step = 0x1p-7;
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    if (!sim) {
        printf("%s\n", why.text);
        return 1;
    }
    fo_status status = fo_simulation_advance(sim, def.stop);
    const fo_state *s = fo_simulation_state(sim);
    fo_statistics counts = fo_simulation_statistics(sim);
    if (status == FO_REACHED)
        printf("t %a h %a v %a moments %d\n", s->t, s->x[HEIGHT], s->x[SPEED], (int)counts.moments);
    else
        printf("%s\n", fo_simulation_message(sim)->text);
    fo_simulation_destroy(sim);
    return status != FO_REACHED || counts.moments < 2;
}
