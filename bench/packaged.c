#include "packaged.h"

#ifdef BENCH_WITH_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench.h"

enum { MOST_GUARDS = 4 };

bool packaged_here(void)
{
    return true;
}

static int rates(double t, N_Vector x, N_Vector dx, void *user)
{
    const fo_system *system = user;
    return system->type->rates(system->model, NULL, t, NV_DATA_S(x), NV_DATA_S(dx)) != FO_OK;
}

static int guards(double t, N_Vector x, double *g, void *user)
{
    const fo_system *system = user;
    return system->type->guards(system->model, NULL, t, NV_DATA_S(x), g) != FO_OK;
}

static void put_start(fo_system system, N_Vector x)
{
    for (size_t i = 0; i < system.about->states.count; i++)
        NV_Ith_S(x, i) = system.about->states.list[i].start;
}

// ----------------------------------------------------------------------------------- ARKODE

static bool evolve_erk(void *memory, fo_system *system, double tolerance, double stop, N_Vector x,
                       packaged_result *result)
{
    long steps = 0;
    if (ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5) ||
        ERKStepSetUserData(memory, system) || ERKStepSStolerances(memory, tolerance, tolerance) ||
        ERKStepSetMaxNumSteps(memory, -1) || ERKStepSetStopTime(memory, stop))
        return false;
    double before = bench_seconds();
    int flag = ERKStepEvolve(memory, stop, x, &result->t, ARK_NORMAL);
    result->seconds = bench_seconds() - before;
    if (flag < 0 || ERKStepGetNumSteps(memory, &steps)) return false;
    result->steps = (uint64_t)steps;
    return true;
}

bool packaged_erk(fo_system system, double tolerance, double stop, packaged_result *result)
{
    SUNContext context = NULL;
    bool good = false;
    *result = (packaged_result){0};
    if (SUNContext_Create(NULL, &context)) return false;
    N_Vector x = N_VNew_Serial((sunindextype)system.about->states.count, context);
    if (x) {
        put_start(system, x);
        void *memory = ERKStepCreate(rates, 0, x, context);
        good = memory && evolve_erk(memory, &system, tolerance, stop, x, result);
        ERKStepFree(&memory);
        N_VDestroy(x);
    }
    SUNContext_Free(&context);
    return good;
}

// ------------------------------------------------------------------------------------ CVODE

static bool prepare_cvode(void *memory, fo_system *system, double tolerance, double stop,
                          N_Vector x, SUNNonlinearSolver iteration)
{
    const fo_guards *watched = &system->about->guards;
    int directions[MOST_GUARDS];
    if (watched->count > MOST_GUARDS) return false;
    for (size_t i = 0; i < watched->count; i++) directions[i] = (int)watched->list[i].direction;
    return !CVodeInit(memory, rates, 0, x) && !CVodeSetUserData(memory, system) &&
           !CVodeSStolerances(memory, tolerance, tolerance) &&
           !CVodeSetNonlinearSolver(memory, iteration) && !CVodeSetMaxNumSteps(memory, -1) &&
           !CVodeSetStopTime(memory, stop) && !CVodeRootInit(memory, (int)watched->count, guards) &&
           !CVodeSetRootDirection(memory, directions) && !CVodeSetNoInactiveRootWarn(memory);
}

// One run; the method starts afresh after every jump that changed something.
static bool run_cvode(void *memory, fo_system *system, double stop, N_Vector x,
                      packaged_result *result)
{
    fo_state state = {.x = NV_DATA_S(x)};
    put_start(*system, x);
    if (CVodeReInit(memory, 0, x) || CVodeSetStopTime(memory, stop)) return false;
    for (;;) {
        int flag = CVode(memory, stop, x, &result->t, CV_NORMAL);
        if (flag == CV_SUCCESS || flag == CV_TSTOP_RETURN) return true;
        if (flag != CV_ROOT_RETURN) return false;
        fo_moment moment = {.kind = FO_GUARD, .t = result->t};
        fo_effect effect = {0};
        result->events++;
        state.t = result->t;
        if (system->type->jump(system->model, &state, &moment, &effect) != FO_OK) return false;
        if (effect.stop) return true;
        if (effect.unchanged) continue;
        if (CVodeReInit(memory, result->t, x) || CVodeSetStopTime(memory, stop)) return false;
    }
}

static bool race_cvode(fo_system *system, double tolerance, double stop, int runs, N_Vector x,
                       SUNContext context, packaged_result *result)
{
    void *memory = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(x, 0, context);
    bool good = memory && iteration && prepare_cvode(memory, system, tolerance, stop, x, iteration);
    double before = bench_seconds();
    for (int i = 0; good && i < runs; i++) good = run_cvode(memory, system, stop, x, result);
    result->seconds = bench_seconds() - before;
    CVodeFree(&memory);
    if (iteration) SUNNonlinSolFree(iteration);
    return good;
}

bool packaged_cvode(fo_system system, double tolerance, double stop, int runs,
                    packaged_result *result)
{
    SUNContext context = NULL;
    bool good = false;
    *result = (packaged_result){0};
    if (SUNContext_Create(NULL, &context)) return false;
    N_Vector x = N_VNew_Serial((sunindextype)system.about->states.count, context);
    if (x) {
        put_start(system, x);
        good = race_cvode(&system, tolerance, stop, runs, x, context, result);
        N_VDestroy(x);
    }
    SUNContext_Free(&context);
    return good;
}

#else

bool packaged_here(void)
{
    return false;
}

bool packaged_erk(fo_system system, double tolerance, double stop, packaged_result *result)
{
    (void)system, (void)tolerance, (void)stop;
    *result = (packaged_result){0};
    return false;
}

bool packaged_cvode(fo_system system, double tolerance, double stop, int runs,
                    packaged_result *result)
{
    (void)runs;
    return packaged_erk(system, tolerance, stop, result);
}

#endif
