/// The functions of FMI 2.0 and 3.0 that are called, written from the standards. Names as there,
/// without their prefix.
#ifndef FOI_FMI_CALLS_H
#define FOI_FMI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING };

typedef void *fmi_instance;
typedef void *fmi_state;
typedef uint32_t fmi_reference;

// ------------------------------------------------------------------------------------------- 2.0

enum { FMI2_LAST_SUCCESSFUL = 2, FMI2_TERMINATED = 3 };

typedef struct fmi2_callbacks {
    void (*logger)(void *environment, const char *instance, int status, const char *category,
                   const char *message, ...);
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
    void (*step_finished)(void *environment, int status);
    void *environment;
} fmi2_callbacks;

typedef struct fmi2_event_info {
    int need_update, terminate, nominals_changed, values_changed, next_defined;
    double next;
} fmi2_event_info;

typedef struct fmi2_functions {
    const char *(*GetVersion)(void);
    fmi_instance (*Instantiate)(const char *name, int type, const char *guid, const char *resources,
                                const fmi2_callbacks *callbacks, int visible, int logging);
    void (*FreeInstance)(fmi_instance);
    int (*SetupExperiment)(fmi_instance, int tolerance_defined, double tolerance, double start,
                           int stop_defined, double stop);
    int (*EnterInitializationMode)(fmi_instance);
    int (*ExitInitializationMode)(fmi_instance);
    int (*Terminate)(fmi_instance);
    int (*GetReal)(fmi_instance, const fmi_reference *, size_t, double *);
    int (*GetInteger)(fmi_instance, const fmi_reference *, size_t, int *);
    int (*GetBoolean)(fmi_instance, const fmi_reference *, size_t, int *);
    int (*SetReal)(fmi_instance, const fmi_reference *, size_t, const double *);
    int (*SetInteger)(fmi_instance, const fmi_reference *, size_t, const int *);
    int (*SetBoolean)(fmi_instance, const fmi_reference *, size_t, const int *);
    int (*GetFMUstate)(fmi_instance, fmi_state *);
    int (*SetFMUstate)(fmi_instance, fmi_state);
    int (*FreeFMUstate)(fmi_instance, fmi_state *);
    int (*SerializedFMUstateSize)(fmi_instance, fmi_state, size_t *);
    int (*SerializeFMUstate)(fmi_instance, fmi_state, char *, size_t);
    int (*DeSerializeFMUstate)(fmi_instance, const char *, size_t, fmi_state *);
    int (*GetDirectionalDerivative)(fmi_instance, const fmi_reference *unknown, size_t,
                                    const fmi_reference *known, size_t, const double *seed,
                                    double *result);
    int (*EnterEventMode)(fmi_instance);
    int (*NewDiscreteStates)(fmi_instance, fmi2_event_info *);
    int (*EnterContinuousTimeMode)(fmi_instance);
    int (*CompletedIntegratorStep)(fmi_instance, int no_set_prior, int *event_mode, int *terminate);
    int (*SetTime)(fmi_instance, double);
    int (*SetContinuousStates)(fmi_instance, const double *, size_t);
    int (*GetDerivatives)(fmi_instance, double *, size_t);
    int (*GetEventIndicators)(fmi_instance, double *, size_t);
    int (*GetContinuousStates)(fmi_instance, double *, size_t);
    int (*DoStep)(fmi_instance, double t, double h, int no_set_prior);
    int (*GetRealStatus)(fmi_instance, int kind, double *);
    int (*GetBooleanStatus)(fmi_instance, int kind, int *);
    int (*GetString)(fmi_instance, const fmi_reference *, size_t, const char **);
    int (*SetString)(fmi_instance, const fmi_reference *, size_t, const char *const *);
} fmi2_functions;

// ------------------------------------------------------------------------------------------- 3.0

typedef void fmi3_log(void *environment, int status, const char *category, const char *message);

/// A getter or setter of numbers: the same for all types but for what `values` points to.
typedef int fmi3_get(fmi_instance, const fmi_reference *, size_t, void *values, size_t count);
typedef int fmi3_set(fmi_instance, const fmi_reference *, size_t, const void *values, size_t count);

/// Of the interval that a clock has been asked for.
enum { FMI3_INTERVAL_NOT_YET_KNOWN, FMI3_INTERVAL_UNCHANGED, FMI3_INTERVAL_CHANGED };

typedef struct fmi3_functions {
    const char *(*GetVersion)(void);
    fmi_instance (*InstantiateModelExchange)(const char *name, const char *token,
                                             const char *resources, bool visible, bool logging,
                                             void *environment, fmi3_log *);
    fmi_instance (*InstantiateCoSimulation)(const char *name, const char *token,
                                            const char *resources, bool visible, bool logging,
                                            bool event_mode, bool early_return,
                                            const fmi_reference *required, size_t required_count,
                                            void *environment, fmi3_log *, void *intermediate);
    void (*FreeInstance)(fmi_instance);
    int (*EnterInitializationMode)(fmi_instance, bool tolerance_defined, double tolerance,
                                   double start, bool stop_defined, double stop);
    int (*ExitInitializationMode)(fmi_instance);
    int (*Terminate)(fmi_instance);
    fmi3_get *Get[11]; ///< by foi_fmu_type, up to booleans
    fmi3_set *Set[11];
    int (*GetFMUState)(fmi_instance, fmi_state *);
    int (*SetFMUState)(fmi_instance, fmi_state);
    int (*FreeFMUState)(fmi_instance, fmi_state *);
    int (*SerializedFMUStateSize)(fmi_instance, fmi_state, size_t *);
    int (*SerializeFMUState)(fmi_instance, fmi_state, uint8_t *, size_t);
    int (*DeserializeFMUState)(fmi_instance, const uint8_t *, size_t, fmi_state *);
    int (*GetDirectionalDerivative)(fmi_instance, const fmi_reference *unknown, size_t,
                                    const fmi_reference *known, size_t, const double *seed, size_t,
                                    double *result, size_t);
    int (*EnterEventMode)(fmi_instance);
    int (*UpdateDiscreteStates)(fmi_instance, bool *need_update, bool *terminate,
                                bool *nominals_changed, bool *values_changed, bool *next_defined,
                                double *next);
    int (*EnterContinuousTimeMode)(fmi_instance);
    int (*CompletedIntegratorStep)(fmi_instance, bool no_set_prior, bool *event_mode,
                                   bool *terminate);
    int (*SetTime)(fmi_instance, double);
    int (*SetContinuousStates)(fmi_instance, const double *, size_t);
    int (*GetContinuousStateDerivatives)(fmi_instance, double *, size_t);
    int (*GetEventIndicators)(fmi_instance, double *, size_t);
    int (*GetContinuousStates)(fmi_instance, double *, size_t);
    int (*GetNumberOfEventIndicators)(fmi_instance, size_t *);
    int (*DoStep)(fmi_instance, double t, double h, bool no_set_prior, bool *event, bool *terminate,
                  bool *early, double *last);
    int (*EnterStepMode)(fmi_instance);
    int (*GetString)(fmi_instance, const fmi_reference *, size_t, const char **, size_t);
    int (*SetString)(fmi_instance, const fmi_reference *, size_t, const char *const *, size_t);
    int (*GetBinary)(fmi_instance, const fmi_reference *, size_t, size_t *sizes, const uint8_t **,
                     size_t);
    int (*SetBinary)(fmi_instance, const fmi_reference *, size_t, const size_t *sizes,
                     const uint8_t *const *, size_t);
    fmi_instance (*InstantiateScheduledExecution)(const char *name, const char *token,
                                                  const char *resources, bool visible, bool logging,
                                                  void *environment, fmi3_log *,
                                                  void (*update)(void *environment),
                                                  void (*lock)(void), void (*unlock)(void));
    int (*ActivateModelPartition)(fmi_instance, fmi_reference clock, double t);
    int (*GetIntervalDecimal)(fmi_instance, const fmi_reference *, size_t, double *intervals,
                              int *qualifiers);
} fmi3_functions;

#endif
