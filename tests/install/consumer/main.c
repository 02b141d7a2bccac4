// A program of somebody else: exponential decay, and the version that it was compiled against.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = -x[0];
    return FO_OK;
}

// Names of the gallery are everyone's: its compiled models come with the library.
static bool opens(const char *name)
{
    fo_model *model = NULL;
    fo_model_def def = fo_default_model_def();
    def.name = name;
    fo_status status = fo_model_open(&def, &model);
    const fo_finding *first = model ? fo_model_finding(model, 0) : NULL;
    if (status != FO_OK) printf("%s: %s\n", name, first ? first->text : fo_status_text(status));
    fo_model_close(model);
    return status == FO_OK;
}

int main(int argc, char **argv)
{
    static const fo_system_type type = {.kind = "C", .rates = rates};
    static const fo_variable states[] = {{"x", "", 1}};
    static const fo_description about = {.name = "decay", .states = {states, 1}};
    if (argc > 1 && (strcmp(argv[1], FO_VERSION) != 0 || strcmp(argv[1], fo_version()) != 0)) {
        printf("the header is of version %s, the library of %s, not %s\n", FO_VERSION, fo_version(),
               argv[1]);
        return 1;
    }
    for (size_t i = 0; i < fo_solver_count(); i++) printf("%s ", fo_solver_get(i)->name);
    if (!opens("ball") || !opens("mm1")) return 1;
    fo_run_def def = fo_default_run_def();
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    if (!sim || fo_simulation_advance(sim, 1) != FO_REACHED) {
        printf("\n%s\n", sim ? fo_simulation_message(sim)->text : why.text);
        return 1;
    }
    double x = fo_simulation_state(sim)->x[0];
    printf("\nx(1) = %.9g\n", x);
    fo_simulation_destroy(sim);
    return fabs(x - exp(-1)) > 1e-5;
}
