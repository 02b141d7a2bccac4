/// An open FMU: its unit, and the system that is made of it.
///
/// Who owns the instance? A simulation's state is copied and put back by snapshots, by looks at the
/// other side of a guard, and by runs in parallel; the unit's own state is somewhere else. So the
/// memory of a state has a number, its generation, and, where the unit can give it, the unit's
/// state as bytes. Whatever changes the unit makes a new generation. A function that is called with
/// another generation than the unit has puts the unit back first, or says that this unit cannot.
/// Where there are bytes their hash is the number, so that equal states have equal memories,
/// however they came to be: a replay ends with the bits of a run that was rewound.
#ifndef FOI_FMU_H
#define FOI_FMU_H

#include <pthread.h>

#include "fmi/unit.h"
#include "simulation/experiment.h"

enum { FOI_FMU_NOTES = 4 };

/// Numbers of generations: those of bytes have this bit, those that are counted have not.
#define FOI_FMU_OF_BYTES (UINT64_C(1) << 63)

struct fo_fmu {
    const fo_allocator *allocator;
    foi_unit unit;
    fo_description about;
    fo_system_type type;
    fo_stepper stepper;
    foi_experiment experiment;
    pthread_mutex_t lock;
    bool locked;                 ///< the mutex was made
    uint64_t generation, latest; ///< what the unit has, and the last one that was counted
    uint32_t have;               ///< of FOI_UNIT_RATES...: what the block has of its t, x, u
    size_t room;                 ///< for the unit's state in the memory of a state
    bool counts; ///< co-simulation without real outputs: the state is the number of steps
    char notes[FOI_FMU_NOTES][200];
    size_t note_count;
};

/// The memory of a state:
///     foi_fmu_memory | state now | state before the step | inputs of the step | outputs
///     | outputs before the step | parameters of the step | sides
typedef struct foi_fmu_memory {
    uint64_t generation;
    size_t size; ///< of the bytes; 0: there are none
    double next; ///< time event
    bool next_defined, wanted, stop;
    double event;   ///< time of the last event
    double reached; ///< co-simulation: where the unit is
    double before;  ///< and where its last step began
    size_t size_before;
    double inner, inner_before; ///< co-simulation in event mode: the unit's next time event, or
                                ///< INFINITY; and that where the step began
    double since;               ///< Model Exchange: events without a jump in a row, from then on
    uint32_t switches;
} foi_fmu_memory;

/// fo_fmu_open for a part of a composition: all that the unit gives out is among the outputs.
fo_fmu *foi_fmu_open_part(const char *path, const fo_fmu_def *def, fo_message *why);
/// In Co-Simulation; a unit that has Model Exchange only as a part in that.
fo_fmu *foi_fmu_open_stepped(const char *path, const fo_fmu_def *def, fo_message *why);

/// For the systems: takes the lock and puts the unit to the state's generation.
fo_status foi_fmu_take(fo_fmu *f, const fo_state *s);
/// A request that changes the unit, after which its state is saved where that can be: one message
/// for both.
fo_status foi_fmu_change(fo_fmu *f, const fo_state *s, foi_unit_request what);
/// Gives the state a new generation, with the unit's state.
fo_status foi_fmu_renew(fo_fmu *f, fo_state *s);
/// Starts an instance with what the state has.
fo_status foi_fmu_start(fo_fmu *f, fo_state *s);
/// Where the bytes of the memory are.
uint8_t *foi_fmu_bytes(fo_fmu *f, const fo_state *s);
/// Model Exchange: per indicator the fo_sign that the unit holds possible since the last event.
uint8_t *foi_fmu_sides(fo_fmu *f, const fo_state *s);

/// The functions of Model Exchange and of Co-Simulation.
void foi_fmu_exchange(fo_fmu *f);
void foi_fmu_cosimulation(fo_fmu *f);
void foi_fmu_scheduled(fo_fmu *f);
/// Of what scheduled execution keeps of clocks in the memory of a state.
size_t foi_fmu_ticks_size(const fo_fmu *f);

/// The strings and binaries of the definition.
fo_status foi_fmu_take_texts(fo_fmu *f, const fo_fmu_def *def, fo_message *why);
/// Fills the description from the unit's lists.
fo_status foi_fmu_name(fo_fmu *f, fo_message *why);

#endif
