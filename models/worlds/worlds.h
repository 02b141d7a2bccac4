/// The models that are made of processes. Each is a function that runs it and gives its results,
/// for programs and tests; and a description (foliot/world.h), from which `foliot run` makes a
/// world of it with parameters, outputs, results and pictures.
#ifndef FOLIOT_WORLDS_H
#define FOLIOT_WORLDS_H

#include <foliot/foliot.h>
#include <stdio.h>

size_t world_count(void);
const fo_world_model *world_get(size_t index);
/// NULL for an unknown name.
const fo_world_model *world_find(const char *name);
/// All of them.
const fo_world_model *const *world_list(size_t *count);

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
