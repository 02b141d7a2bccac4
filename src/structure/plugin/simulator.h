/// The plain C interfaces that a plug-in offers: Staal (docs/sources.md), appendices B to E. The
/// contract is docs/plugin.md; installed as <foliot/plugin/simulator.h>.
///
/// There is one structure per library and process, and no handle: calls come from one thread.
#ifndef FOLIOT_SIMULATOR_H
#define FOLIOT_SIMULATOR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the host tells and is told in the interface where it integrates; appendix C.
typedef struct SimulatorSFunctionStruct {
    double versionNumber;          ///< the host's; not looked at
    int nrInputs, nrOutputs;       ///< told by SFunctionInit: one of each for every port
    int nrIndepStates;             ///< told: positions, then velocities
    int nrDepStates, nrAlgLoops;   ///< told: 0
    double simulationStartTime;    ///< the host's; not looked at
    double simulationFinishTime;   ///< the same
    double simulationCurrentTime;  ///< of the states in SFunctionCalculate [s]
    bool major;                    ///< a step was accepted: springs may break or yield
    bool initialOutputCalculation; ///< the host's; not looked at
} SimulatorSFunctionStruct;

/// 1: done, 0: not, and standard error says why. Initialize reads the document; InitializeRun
/// begins from its start. Both may be called again: the first does nothing then, the second begins
/// anew.
int Initialize(void);
int InitializeRun(void);
/// Always 1.
int TerminateRun(void);
int Terminate(void);

/// One call with `major` takes one step of the document's length (1 ms if it names none) with the
/// ports' inputs; without it only outputs are told. Outputs are what the ports answer, in their
/// order. Both counts must be the number of ports. 0: done, 1: not, as in appendix B.
int foliot(double *inputs, int input_count, double *outputs, int output_count, int major);

/// The host integrates: how many states there are, where they start, their rates and the outputs.
/// 1: done, 0: not.
int SFunctionInit(SimulatorSFunctionStruct *s);
int SFunctionGetInitialStates(double *x0, double *xd0, double *xa0, SimulatorSFunctionStruct *s);
int SFunctionCalculate(double *u, double *x, double *y, double *dx, SimulatorSFunctionStruct *s);

#ifdef __cplusplus
}
#endif
#endif
