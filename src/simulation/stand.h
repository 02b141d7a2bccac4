/// Where a simulation stands: for those who carry one together with others, step by step, or keep
/// it in a file and go on from there. Everything about how it works inside stays in this room.
#ifndef FOI_STAND_H
#define FOI_STAND_H

#include <foliot/simulation.h>

/// What the next step depends on beside the state: the grid of times base + count * step, and what
/// was counted.
typedef struct foi_stand {
    double t, base, step, last_jump;
    uint32_t k;
    uint64_t steps, count; ///< taken in all; since `base`
} foi_stand;

foi_stand foi_simulation_stand(const fo_simulation *sim);
/// A simulation that was not started yet stands there, with the states that are in its state by
/// now; its rows come after that.
void foi_simulation_stand_at(fo_simulation *sim, const foi_stand *stand);

/// One block of bytes in the simulation.
typedef struct foi_block {
    void *bytes;
    size_t size; ///< of one
    uint32_t count;
} foi_block;

/// What is known of each guard: on which side of zero it was.
foi_block foi_simulation_sides(const fo_simulation *sim);
/// (checkpoint_parts.c) Whether these, which came from a file, are sides that there are.
bool foi_simulation_sides_sound(const fo_simulation *sim);

/// True where the last step that the solver took ends, and nothing of it is left to be looked at.
bool foi_simulation_at_step(const fo_simulation *sim);
/// Where that step ends; the simulation may stand before.
double foi_simulation_step_end(const fo_simulation *sim);
/// When so many more steps are done, as the solver computes times. It may come later where moments
/// cut steps.
double foi_simulation_after(const fo_simulation *sim, uint64_t steps);
/// States between the ends of the last step, from its dense output; before and after them those of
/// the nearer end.
fo_status foi_simulation_between(fo_simulation *sim, double t, double *x);

/// Gives a simulation whose system has another number of states by now the states x. It must stand
/// at the end of a step.
fo_status foi_simulation_put(fo_simulation *sim, const double *x);

/// Before a checkpoint: all observers put on disk what they were shown.
fo_status foi_rows_keep(const fo_simulation *sim, fo_message *why);

/// The simulation's message, to be written by who carries it.
fo_message *foi_simulation_words(fo_simulation *sim);
/// It has failed, although it does not know: nothing advances it any more.
void foi_simulation_give_up(fo_simulation *sim);
double foi_simulation_stop(const fo_simulation *sim);

/// Many quantities at the current time, NAN where one does not exist; the outputs are computed
/// once.
void foi_simulation_values(fo_simulation *sim, const fo_reference *which, size_t count,
                           double *values);

#endif
