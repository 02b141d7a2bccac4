/// Worlds of processes as models: a description from which `foliot run`, a live run or replications
/// make a world with parameters, outputs, results and pictures.
///
///     typedef struct shop { double rate, served; } shop;
///     static void serve(fo_world *w, void *record) { ... }
///     static const fo_world_number parameters[] = {FO_WORLD_NUMBER(shop, rate, "rate", "1/s", 2)};
///     const fo_world_model shop_model = {.name = "shop", .size = sizeof(shop), .actions = serve,
///                                        .parameters = parameters, .parameter_count = 1, ...};
///     FO_EXPORT_WORLD(shop_model); // foliot/model.h: `foliot run shop.c` and `./shop.so` find it
#ifndef FOLIOT_WORLD_H
#define FOLIOT_WORLD_H

#include <stdio.h>

#include "gnuplot.h"
#include "process.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A double in the record of a model, and what it is called.
typedef struct fo_world_number {
    fo_variable about;
    size_t offset; ///< in the record
} fo_world_number;
/// FO_WORLD_NUMBER(shop, rate, "rate", "1/s", 2, "customers", 0, 100): the member `rate` of the
/// record `shop`, then the members of fo_variable: name, unit, default, about, min, max. A
/// parameter so declared acts at the start only: setting it in a run is refused.
#define FO_WORLD_NUMBER(record, member, ...)    \
    {                                           \
        {__VA_ARGS__}, offsetof(record, member) \
    }
/// The same for a parameter that processes read while they run, so that it can be set then.
#define FO_WORLD_TUNABLE(record, member, ...)                                          \
    {                                                                                  \
        {__VA_ARGS__, .variability = FO_VARIABILITY_TUNABLE}, offsetof(record, member) \
    }

/// A picture that is not over time.
typedef struct fo_world_graph {
    const char *title, *x_label, *y_label;
    const double *x, *y;
    size_t count;
    fo_curve_style style;
} fo_world_graph;

/// A model. All that a run changes is in its record, so that many can run at once.
typedef struct fo_world_model {
    const char *name, *about;
    const char *equations; ///< may be NULL
    const char *time_unit; ///< "min"; NULL: "s"
    double stop, interval; ///< usual end of a run and distance of output rows
    double dt_max, max_rel_error, max_abs_error;
    size_t size; ///< of the record; all zero at first
    const fo_world_number *parameters;
    size_t parameter_count;
    const fo_world_number *outputs;
    size_t output_count;
    const char *const *plot;    ///< names of outputs, NULL-terminated
    const char *const *results; ///< outputs that a run is made for, NULL-terminated
    bool random;                ///< results depend on the seed
    fo_actions *actions;        ///< the first process; gets the record
    bool ends;                  ///< the run ends with it
    /// More outputs, and what the record owns. May be NULL.
    fo_status (*prepare)(fo_world *w, void *record);
    void (*close)(void *record); ///< frees that; may be NULL
    /// Text under the results. May be NULL.
    void (*report)(const void *record, double now, FILE *out);
    /// False: nothing to show. May be NULL.
    bool (*graph)(const void *record, fo_world_graph *graph);
} fo_world_model;

/// How a world of a model begins.
typedef struct fo_world_start {
    uint64_t seed, replication;
    bool catch_overflow;  ///< as in fo_world_def
    fo_setting *settings; ///< other defaults for parameters; names that it does not have stay
    size_t setting_count; ///< untaken
    const fo_allocator *allocator;
} fo_world_start;

/// Makes a world whose first process is ready. NULL on failure, and `why` says it. *record is freed
/// by fo_world_record_free, after the world was destroyed; the allocator is that of the start.
fo_world *fo_world_make(const fo_world_model *model, const fo_world_start *start, void **record,
                        fo_message *why);
/// Frees a record that fo_world_make has given; takes NULL.
void fo_world_record_free(const fo_world_model *model, void *record, const fo_allocator *allocator);
/// Definitions with the model's usual errors and steps.
fo_world_def fo_world_model_def(const fo_world_model *model);
/// A parameter that should be a whole number; otherwise the run ends with a message.
int fo_world_whole(fo_world *w, const char *name, double value);

#ifdef __cplusplus
}
#endif
#endif
