// A program of somebody else: a text that is compiled in memory.
#include <foliot/model.h>
#include <foliot/program.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    fo_model *model;
    fo_model_def def = fo_default_model_def();
    def.name = "decay.mo", def.kind = "text";
    def.text = "model decay Real x(start = 1); equation der(x) = -x; end decay;";
    def.program.way = FO_WAY_MEMORY, def.program.compiler = &fo_tcc;
    if (fo_model_open(&def, &model) != FO_OK) {
        printf("%s\n", fo_model_finding(model, 0)->text);
        return 1;
    }
    fo_system system = fo_model_system(model);
    fo_run_def run = fo_model_run_def(model);
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    bool good = sim && fo_simulation_advance(sim, 1) == FO_REACHED;
    double x = good ? fo_simulation_state(sim)->x[0] : NAN;
    bool compiled = fo_program_way(system) == FO_WAY_MEMORY;
    printf("x(1) = %.9g, %s\n", x, compiled ? "compiled in memory" : "not compiled");
    fo_simulation_destroy(sim);
    fo_model_close(model);
    return !(compiled && fabs(x - exp(-1)) < 1e-5);
}
