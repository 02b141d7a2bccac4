/// A run with its derivatives: S = dx/dp of every state (and real discrete) by chosen numbers, from
/// the equations, through events.
///
/// Between moments S' = f_x S + f_p along the run's own steps; at a moment t* that g(t, x, p) = 0
/// or a time a(p) has brought about, with x+ = R(t, x-, p),
///
///     tau = dt*/dp = -(g_x S- + g_p) / (g_x f- + g_t)     or a_p; from outside 0
///     S+  = R_x S- + R_p + (R_x f- + R_t - f+) tau
///
/// (Hiskens and Pai, Trajectory sensitivity analysis of hybrid systems, 2000). Several jumps at one
/// instant have one tau: f- is that before the first, f+ that after the last, R their chain.
///
/// The run is an ordinary simulation of a copy of the program, whose start and moments are watched;
/// its bits are those of the run alone.
#ifndef FOI_ANALYSIS_VARIATION_H
#define FOI_ANALYSIS_VARIATION_H

#include <foliot/simulation.h>

/// One number by which is differentiated.
typedef enum foi_direction_kind { FOI_BY_PARAMETER, FOI_BY_INPUT, FOI_BY_START } foi_direction_kind;
typedef struct foi_direction {
    foi_direction_kind kind;
    uint32_t index; ///< FOI_BY_START: of a state, or states + that of a discrete
} foi_direction;

/// Where the run stands, with the derivatives there.
typedef struct foi_varied {
    double t;
    const double *x, *S; ///< S by states, a row of `count` each
} foi_varied;

typedef struct foi_variation foi_variation;

/// Who listens to a run. Each function may be NULL.
typedef struct foi_variation_hooks {
    void *self;
    /// Parts of steps: nodes of a rule that integrates polynomials of degree 4, with their weights.
    void (*node)(void *self, const fo_state *s, const foi_varied *at, double weight);
    /// The first jump of an instant is about to happen.
    void (*comes)(void *self, const fo_state *s, const foi_varied *at);
    /// All jumps of an instant are over, whose time changes by `tau` per direction.
    void (*passed)(void *self, const fo_state *s, const foi_varied *at, const double *tau);
} foi_variation_hooks;

/// Whether a system's derivatives come out of its equations; NULL, or why not.
const char *foi_variation_unfit(fo_system system);
/// For a program; the directions must live as long, and so must `weights`, if there are any: then
/// all directions together are one, each with its weight, and S has one column. NULL without
/// memory.
foi_variation *foi_variation_create(fo_system system, const foi_direction *directions,
                                    const double *weights, size_t count,
                                    const fo_allocator *allocator, fo_message *why);
/// Takes NULL.
void foi_variation_destroy(foi_variation *v);
/// The system whose simulation is watched.
const fo_system *foi_variation_system(const foi_variation *v);
/// Before the simulation of that system starts.
void foi_variation_begin(foi_variation *v, const fo_simulation *sim, const fo_run_def *run,
                         const foi_variation_hooks *hooks);
/// What an observer of moments hears.
void foi_variation_hear(foi_variation *v, const fo_moment *m);
/// Since when and why nothing is known; NULL: all is.
const char *foi_variation_lost(const foi_variation *v);
/// What the present moment's time does, per direction.
const double *foi_variation_tau(const foi_variation *v);
/// The derivatives where the simulation stands, which may be inside of a step; valid until it goes
/// on. False: they are not known.
bool foi_variation_look(foi_variation *v, foi_varied *at);
/// Whether a moment whose time depends on a direction is so near that no derivative is known.
bool foi_variation_is_near(foi_variation *v, const foi_varied *at);
/// The run has ended at a moment of its own: the derivatives of where it ended, with the time of
/// the end moving. False: it has not.
bool foi_variation_stopped(foi_variation *v, foi_varied *at);
/// Values and derivatives of all outputs at a point, whose time changes by `tau` (NULL: it does
/// not), rows of directions; false: they have none. Nothing else is lost by that.
bool foi_variation_outputs(foi_variation *v, const fo_state *s, const foi_varied *at,
                           const double *tau, double *values, double *rows);
/// Where the run stands, to go on from there once more, with a simulation that does the same.
typedef struct foi_variation_mark foi_variation_mark;
/// NULL without memory.
foi_variation_mark *foi_variation_save(const foi_variation *v, const fo_allocator *allocator);
void foi_variation_restore(foi_variation *v, const foi_variation_mark *mark);
/// Takes NULL.
void foi_variation_mark_destroy(foi_variation_mark *mark);
/// Those of a discrete, at the point last seen.
const double *foi_variation_discrete(const foi_variation *v, size_t index);

#endif
