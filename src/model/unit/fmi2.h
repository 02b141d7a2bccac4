/// What FMI 2.0 asks of a unit; the instance is ours.
#ifndef UNIT_FMI2_H
#define UNIT_FMI2_H

#include "model/unit/unit.h"

const char *fmi2GetTypesPlatform(void);
const char *fmi2GetVersion(void);
int fmi2SetDebugLogging(unit *u, int on, size_t count, const char *const *categories);
unit *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const fmi2_callbacks *callbacks, int visible, int logging);
void fmi2FreeInstance(unit *u);
int fmi2SetupExperiment(unit *u, int tolerance_defined, double tolerance, double start,
                        int stop_defined, double stop);
int fmi2EnterInitializationMode(unit *u);
int fmi2ExitInitializationMode(unit *u);
int fmi2Terminate(unit *u);
int fmi2Reset(unit *u);
int fmi2GetReal(unit *u, const uint32_t *r, size_t n, double *values);
int fmi2GetInteger(unit *u, const uint32_t *r, size_t n, int *values);
int fmi2GetBoolean(unit *u, const uint32_t *r, size_t n, int *values);
int fmi2GetString(unit *u, const uint32_t *r, size_t n, const char **values);
int fmi2SetReal(unit *u, const uint32_t *r, size_t n, const double *values);
int fmi2SetInteger(unit *u, const uint32_t *r, size_t n, const int *values);
int fmi2SetBoolean(unit *u, const uint32_t *r, size_t n, const int *values);
int fmi2SetString(unit *u, const uint32_t *r, size_t n, const char *const *values);
int fmi2GetFMUstate(unit *u, void **state);
int fmi2SetFMUstate(unit *u, void *state);
int fmi2FreeFMUstate(unit *u, void **state);
int fmi2SerializedFMUstateSize(unit *u, void *state, size_t *size);
int fmi2SerializeFMUstate(unit *u, void *state, char *bytes, size_t size);
int fmi2DeSerializeFMUstate(unit *u, const char *bytes, size_t size, void **state);
int fmi2GetDirectionalDerivative(unit *u, const uint32_t *unknown, size_t unknowns,
                                 const uint32_t *known, size_t knowns, const double *seed,
                                 double *result);
int fmi2EnterEventMode(unit *u);
int fmi2NewDiscreteStates(unit *u, fmi2_event_info *info);
int fmi2EnterContinuousTimeMode(unit *u);
int fmi2CompletedIntegratorStep(unit *u, int no_set_prior, int *event_mode, int *terminate);
int fmi2SetTime(unit *u, double t);
int fmi2SetContinuousStates(unit *u, const double *x, size_t n);
int fmi2GetDerivatives(unit *u, double *dx, size_t n);
int fmi2GetEventIndicators(unit *u, double *z, size_t n);
int fmi2GetContinuousStates(unit *u, double *x, size_t n);
int fmi2GetNominalsOfContinuousStates(unit *u, double *x, size_t n);
int fmi2DoStep(unit *u, double t, double h, int no_set_prior);
int fmi2CancelStep(unit *u);
int fmi2GetStatus(unit *u, int kind, int *value);
int fmi2GetRealStatus(unit *u, int kind, double *value);
int fmi2GetIntegerStatus(unit *u, int kind, int *value);
int fmi2GetBooleanStatus(unit *u, int kind, int *value);
int fmi2GetStringStatus(unit *u, int kind, const char **value);
int fmi2SetRealInputDerivatives(unit *u, const uint32_t *r, size_t n, const int *order,
                                const double *values);
int fmi2GetRealOutputDerivatives(unit *u, const uint32_t *r, size_t n, const int *order,
                                 double *values);

#endif
