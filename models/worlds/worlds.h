/// The models that are made of processes. Each is a function that runs it and gives its results,
/// for programs and tests; and a description, from which `foliot run` makes a world of it with
/// parameters, outputs, results and pictures.
#ifndef FOLIOT_WORLDS_H
#define FOLIOT_WORLDS_H

#include <foliot/foliot.h>
#include <stdio.h>

// ----------------------------------------------------------------------------- as descriptions

/// A double in the record of a model, and what it is called.
typedef struct world_number {
    fo_variable about;
    size_t offset; ///< in the record
} world_number;
#define WORLD_NUMBER(record, member, ...)       \
    {                                           \
        {__VA_ARGS__}, offsetof(record, member) \
    }

/// A picture that is not over time.
typedef struct world_graph {
    const char *title, *x_label, *y_label;
    const double *x, *y;
    size_t count;
    fo_curve_style style;
} world_graph;

/// A model. All that a run changes is in its record, so that many can run at once.
typedef struct world_model {
    const char *name, *about;
    const char *equations; ///< may be NULL
    const char *time_unit; ///< "min"; NULL: "s"
    double stop, interval; ///< usual end of a run and distance of output rows
    double dt_max, max_rel_error, max_abs_error;
    size_t size; ///< of the record; all zero at first
    const world_number *parameters;
    size_t parameter_count;
    const world_number *outputs;
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
    bool (*graph)(const void *record, world_graph *graph);
} world_model;

size_t world_count(void);
const world_model *world_get(size_t index);
/// NULL for an unknown name.
const world_model *world_find(const char *name);

/// How a world of a model begins.
typedef struct world_start {
    uint64_t seed, replication;
    bool catch_overflow;
    /// Gives a parameter another default; may be NULL.
    void (*preset)(void *self, const fo_variable *about, double *value);
    void *self;
} world_start;

/// Makes a world whose first process is ready. NULL on failure, and `why` says it. *record is freed
/// by world_free, after the world was destroyed.
fo_world *world_make(const world_model *model, const world_start *start, void **record,
                     fo_message *why);
void world_free(const world_model *model, void *record);
/// Definitions with the model's usual errors and steps.
fo_world_def world_def(const world_model *model);
/// A parameter that should be a whole number; otherwise the run ends with a message.
int world_whole(fo_world *w, const char *name, double value);

// -------------------------------------------------------------------------------- as functions

/// Every function takes a definition of its world (NULL: the model's own), and says in `why` (may
/// be NULL) what went wrong; FO_OK otherwise.

/// Ends a run: hands on the message, destroys the world. FO_OK for one that reached its end.
fo_status world_end(fo_world *w, fo_status status, fo_message *why);

/* predator-prey */
typedef struct predator_prey_result {
    double first;  ///< when the prey is first at its maximum
    double period; ///< until the next one
    double prey;   ///< at the maximum
} predator_prey_result;
fo_status predator_prey(const fo_world_def *def, predator_prey_result *result, fo_message *why);

/* rocket */
typedef struct rocket_row {
    double t, mass, velocity, altitude; ///< at the end of a stage; mass before the stage is dropped
} rocket_row;
fo_status rocket(const fo_world_def *def, rocket_row rows[3], fo_message *why);

/* dominoes */
/// The velocity of the chain when the stones stand at this distance [m].
fo_status dominoes(const fo_world_def *def, int stones, double distance, double *velocity,
                   fo_message *why);
/// The distance at which it is largest, by golden section.
fo_status dominoes_fastest(const fo_world_def *def, double tolerance, double *distance,
                           double *velocity, fo_message *why);

/* fire */
/// A month of a fire station with so many engines; adds the damages in percent.
fo_status fire(const fo_world_def *def, int engines, fo_random *random, fo_histogram *damage,
               fo_message *why);

/* reactor */
typedef struct reactor_result {
    int batches[4], interrupts;
    double least_pressure, pressure;
    double interrupted, restarted; ///< when a reactor was interrupted first, and started again
} reactor_result;
/// `frozen`: the effective pressure stays where it was at the crossing, as the printed program has
/// it. `fixed`: a reactor is cleaned and charged in two hours; otherwise in a random time.
fo_status reactor(const fo_world_def *def, bool frozen, bool fixed, reactor_result *result,
                  fo_message *why);

/* pilot-ejection */
/// Where the seat is when it passes the tail, 30 ft behind; feet and seconds.
typedef struct ejection_result {
    double t, x, y, v, theta;
    bool safe;
} ejection_result;
fo_status pilot_ejection(const fo_world_def *def, double speed, double height,
                         ejection_result *result, fo_message *why);
/// The lowest height, in steps of 500 ft from 0, at which the seat is safe: for the speeds 100,
/// 150,
/// ..., 900 ft/s.
enum { EJECTION_SPEEDS = 17 };
fo_status pilot_ejection_heights(const fo_world_def *def, double heights[EJECTION_SPEEDS],
                                 fo_message *why);

/* bouncing-balls */
typedef struct ball_event {
    double t;
    int ball, other; ///< other: -1 a wall to the side, -2 a wall above or below
    double x, y;     ///< of the ball
} ball_event;
typedef struct ball_start {
    double x, y, vx, vy, radius;
} ball_start;
/// The first `count` events of any number of balls; start NULL: the three of the document.
fo_status bouncing_balls(const fo_world_def *def, const ball_start *start, int ball_count,
                         ball_event *events, size_t count, fo_message *why);

/* mm1 */
/// One server, customers with exponential times between them and of service: time in the system.
fo_status mm1(const fo_world_def *def, double arrival_rate, double service_rate, uint64_t customers,
              fo_tally *time_in_system, fo_message *why);

/* bank */
typedef struct bank_result {
    uint64_t customers, reneged;
    fo_tally wait; ///< of those who were served
} bank_result;
/// A clerk, and customers who lose patience after an exponential time.
fo_status bank(const fo_world_def *def, double arrival_rate, double service_rate,
               double patience_rate, double hours, bank_result *result, fo_message *why);

/* machine-shop */
typedef struct machine_shop_result {
    double running; ///< machines, in the mean over time
    uint64_t repairs, other_jobs;
} machine_shop_result;
/// Machines that break, and one repairman who does other jobs but is called away from them.
fo_status machine_shop(const fo_world_def *def, int machines, double break_rate, double repair_rate,
                       double duration, machine_shop_result *result, fo_message *why);

/* gas-station */
typedef struct gas_station_result {
    uint64_t cars, deliveries;
    double sold, delivered, left; ///< fuel [l]
    fo_tally wait;
} gas_station_result;
fo_status gas_station(const fo_world_def *def, double duration, gas_station_result *result,
                      fo_message *why);

#endif
