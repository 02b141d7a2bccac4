/// What FMI 3.0 asks of a unit; the instance is ours.
#ifndef UNIT_FMI3_H
#define UNIT_FMI3_H

#include "model/unit/unit.h"

const char *fmi3GetVersion(void);
int fmi3SetDebugLogging(unit *u, bool on, size_t count, const char *const *categories);
unit *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool visible, bool logging, void *environment, fmi3_log *log);
unit *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool logging, bool event_mode, bool early_return,
                                  const uint32_t *required, size_t required_count,
                                  void *environment, fmi3_log *log, void *intermediate);
unit *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                        bool visible, bool logging, void *environment,
                                        fmi3_log *log, void *update, void *lock, void *unlock);
void fmi3FreeInstance(unit *u);
int fmi3EnterInitializationMode(unit *u, bool tolerance_defined, double tolerance, double start,
                                bool stop_defined, double stop);
int fmi3ExitInitializationMode(unit *u);
int fmi3EnterEventMode(unit *u);
int fmi3Terminate(unit *u);
int fmi3Reset(unit *u);
int fmi3GetFloat64(unit *u, const uint32_t *r, size_t n, double *values, size_t count);
int fmi3SetFloat64(unit *u, const uint32_t *r, size_t n, const double *values, size_t count);
int fmi3GetInt32(unit *u, const uint32_t *r, size_t n, int *values, size_t count);
int fmi3SetInt32(unit *u, const uint32_t *r, size_t n, const int *values, size_t count);
int fmi3GetBoolean(unit *u, const uint32_t *r, size_t n, bool *values, size_t count);
int fmi3SetBoolean(unit *u, const uint32_t *r, size_t n, const bool *values, size_t count);
int fmi3GetBinary(unit *u, const uint32_t *r, size_t n, size_t *sizes, void *values, size_t count);
int fmi3SetBinary(unit *u, const uint32_t *r, size_t n, const size_t *sizes, const void *values,
                  size_t count);
int fmi3GetFMUState(unit *u, void **state);
int fmi3SetFMUState(unit *u, void *state);
int fmi3FreeFMUState(unit *u, void **state);
int fmi3SerializedFMUStateSize(unit *u, void *state, size_t *size);
int fmi3SerializeFMUState(unit *u, void *state, uint8_t *bytes, size_t size);
int fmi3DeserializeFMUState(unit *u, const uint8_t *bytes, size_t size, void **state);
int fmi3UpdateDiscreteStates(unit *u, bool *again, bool *terminate, bool *nominals, bool *values,
                             bool *next_defined, double *next);
int fmi3EnterContinuousTimeMode(unit *u);
int fmi3CompletedIntegratorStep(unit *u, bool no_set_prior, bool *event_mode, bool *terminate);
int fmi3SetTime(unit *u, double t);
int fmi3SetContinuousStates(unit *u, const double *x, size_t n);
int fmi3GetContinuousStateDerivatives(unit *u, double *dx, size_t n);
int fmi3GetEventIndicators(unit *u, double *z, size_t n);
int fmi3GetContinuousStates(unit *u, double *x, size_t n);
int fmi3GetNominalsOfContinuousStates(unit *u, double *x, size_t n);
int fmi3GetNumberOfEventIndicators(unit *u, size_t *count);
int fmi3GetNumberOfContinuousStates(unit *u, size_t *count);
int fmi3DoStep(unit *u, double t, double h, bool no_set_prior, bool *event, bool *terminate,
               bool *early, double *last);

/// For types that no variable has.
int fmi3GetFloat32(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetFloat32(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetInt8(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetInt8(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetUInt8(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetUInt8(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetInt16(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetInt16(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetUInt16(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetUInt16(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetUInt32(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetUInt32(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetInt64(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetInt64(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetUInt64(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetUInt64(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);
int fmi3GetString(unit *u, const uint32_t *r, size_t n, void *values, size_t count);
int fmi3SetString(unit *u, const uint32_t *r, size_t n, const void *values, size_t count);

/// What is not offered.
int fmi3GetClock(unit *u);
int fmi3SetClock(unit *u);
int fmi3GetNumberOfVariableDependencies(unit *u);
int fmi3GetVariableDependencies(unit *u);
int fmi3GetDirectionalDerivative(unit *u, const uint32_t *unknown, size_t unknowns,
                                 const uint32_t *known, size_t knowns, const double *seed,
                                 size_t seeds, double *result, size_t results);
int fmi3GetAdjointDerivative(unit *u);
int fmi3EnterConfigurationMode(unit *u);
int fmi3ExitConfigurationMode(unit *u);
int fmi3GetIntervalDecimal(unit *u);
int fmi3GetIntervalFraction(unit *u);
int fmi3GetShiftDecimal(unit *u);
int fmi3GetShiftFraction(unit *u);
int fmi3SetIntervalDecimal(unit *u);
int fmi3SetIntervalFraction(unit *u);
int fmi3SetShiftDecimal(unit *u);
int fmi3SetShiftFraction(unit *u);
int fmi3EvaluateDiscreteStates(unit *u);
int fmi3EnterStepMode(unit *u);
int fmi3GetOutputDerivatives(unit *u);
int fmi3ActivateModelPartition(unit *u);

#endif
