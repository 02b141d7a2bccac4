/// The plain C interfaces that a plug-in offers: Hamiltonian structures, appendices B to E.
#ifndef FOLIOT_SIMULATOR_H
#define FOLIOT_SIMULATOR_H

#include <stdbool.h>

/// What the host tells and is told in the interface where it integrates; appendix C.
typedef struct SimulatorSFunctionStruct {
    double versionNumber;
    int nrInputs, nrOutputs, nrIndepStates, nrDepStates, nrAlgLoops;
    double simulationStartTime, simulationFinishTime, simulationCurrentTime;
    bool major, initialOutputCalculation;
} SimulatorSFunctionStruct;

/// 1: done, 0: not. Initialize reads the document; InitializeRun begins from its start.
int Initialize(void);
int InitializeRun(void);
int TerminateRun(void);
int Terminate(void);

/// One call with `major` takes one step of the document's length (1 ms if it names none) with the
/// ports' inputs; outputs are what the ports answer. 0: done, 1: not.
int foliot(double *inputs, int input_count, double *outputs, int output_count, int major);

/// The host integrates: how many states there are, where they start, their rates and the outputs.
int SFunctionInit(SimulatorSFunctionStruct *s);
int SFunctionGetInitialStates(double *x0, double *xd0, double *xa0, SimulatorSFunctionStruct *s);
int SFunctionCalculate(double *u, double *x, double *y, double *dx, SimulatorSFunctionStruct *s);

#endif
