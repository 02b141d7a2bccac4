/// A unit: the binary of an FMU with one instance, driven by requests that lie in one block of
/// memory. The block is private when the unit runs in this process, shared when it runs in a child;
/// what serves a request is the same code (serve.c).
#ifndef FOI_FMU_UNIT_H
#define FOI_FMU_UNIT_H

#include <foliot/fmi.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "fmi/calls.h"
#include "fmi/description.h"
#include "fmi/folder.h"

/// One variable of a list: consecutive values of the block.
typedef struct foi_unit_slot {
    const foi_fmu_variable *variable;
    foi_fmu_type type;
    fmi_reference reference;
    uint32_t first, size;
} foi_unit_slot;

/// Inputs, parameters, outputs or states. Those of type Float64 that may be set and got at any time
/// come first, so that one call takes them all, then such ones of type Float32.
typedef struct foi_unit_list {
    foi_unit_slot *slots;
    fmi_reference *references; ///< of the slots
    uint32_t count, values;
    uint32_t doubles, double_values; ///< those of type Float64 that come first
    uint32_t reals, real_values;     ///< with those of type Float32 that follow
} foi_unit_list;

typedef enum foi_unit_request {
    FOI_UNIT_LOAD,     ///< the binary, and its functions
    FOI_UNIT_START,    ///< a new instance, initialised at t with x, u, p
    FOI_UNIT_EVALUATE, ///< at t, x, u: what `mask` says
    FOI_UNIT_EVENT,    ///< event mode at t, x with u, p
    FOI_UNIT_COMPLETED,
    FOI_UNIT_SAVE,
    FOI_UNIT_RESTORE,
    FOI_UNIT_JACOBIAN,
    FOI_UNIT_STEP,  ///< co-simulation from t by h; h = 0: inputs are set and outputs looked at
    FOI_UNIT_ENTER, ///< as START, up to initialisation mode, in which steps of 0 are allowed
    FOI_UNIT_EXIT,  ///< and on from there
    FOI_UNIT_KEEP,  ///< its state, in its own memory, in place of what was kept before
    FOI_UNIT_BACK,  ///< to what is kept
    FOI_UNIT_LOOK,  ///< scheduled execution: inputs are set and outputs looked at
    FOI_UNIT_TICK,  ///< scheduled execution: clock `mask` ticks at t
    FOI_UNIT_TEXT,  ///< the value of string or binary `mask`
    FOI_UNIT_END,
    FOI_UNIT_NOTHING, ///< for measuring
} foi_unit_request;

/// For the state of a unit, in the block.
enum { FOI_UNIT_STATE_ROOM = 1 << 20 };

enum { FOI_UNIT_RATES = 1, FOI_UNIT_GUARDS = 2, FOI_UNIT_OUTPUTS = 4 };

/// How a request ended.
typedef enum foi_unit_result {
    FOI_UNIT_GOOD,
    FOI_UNIT_DISCARDED,
    FOI_UNIT_FAILED, ///< `call` returned an error; `text` says what the unit said
    FOI_UNIT_WRONG,  ///< `text` says what is wrong, in whole
} foi_unit_result;

/// The memory that both sides share. A unit may write anything anywhere in it, at any time: who is
/// not the child copies what it takes, checks the copy, and finds nothing here that it would follow
/// (a pointer, an offset) or count by without a bound of its own.
typedef struct foi_unit_block {
    _Alignas(64) _Atomic uint32_t request; ///< counts requests; the child waits for it
    _Atomic uint32_t child_sleeps;
    _Alignas(64) _Atomic uint32_t reply;
    _Atomic uint32_t parent_sleeps;
    _Atomic int signal;         ///< the child died of it
    _Alignas(64) char call[48]; ///< what is called at present; read it with foi_unit_call
    foi_unit_request what;
    foi_unit_result result;
    int fmi_status;
    uint32_t mask;
    double t, h, stop, tolerance;
    uint8_t stop_defined, tolerance_defined; // truths: nobody knows what the unit writes here
    uint8_t terminate, event_wanted, next_defined, values_changed;
    double next;
    double reached; ///< co-simulation: how far a step came
    size_t state_size, state_room;
    uint8_t starts; ///< co-simulation: the real outputs have values to start from
    uint8_t save;   ///< after the request, as FOI_UNIT_SAVE does, unless the unit has ended the run
    uint8_t saved;  ///< that was done
    uint64_t calls; ///< of the unit's functions so far
    char text[512];
    char value[4096]; ///< of a string, or of a binary as digits
} foi_unit_block;

/// A string or a binary.
typedef struct foi_unit_text {
    const foi_fmu_variable *variable;
    const char *given; ///< from the start on; NULL: as the unit has it
} foi_unit_text;

/// A way to wait that is of use at times (child.c).
typedef struct foi_unit_patience {
    int most;              ///< how often to try; 0: not at all
    uint32_t waits, probe; ///< since the last long try; when the next one is
} foi_unit_patience;

/// What does not change, and where the values are in the block.
typedef struct foi_unit {
    const fo_allocator *allocator;
    foi_fmu_description about;
    foi_arena arena;
    bool cosimulation, scheduled;
    bool stepped;    ///< Model Exchange is taken where there is no Co-Simulation
    bool part;       ///< of a composition: states that are outputs are among the outputs
    bool event_mode; ///< co-simulation: events are handled in it
    const foi_fmu_interface *can;
    foi_folder folder; ///< of the unpacked archive
    char binary[1024]; ///< path
    char resources[1600];
    foi_unit_list u, p, y, x, dx;
    foi_unit_text *texts;
    uint32_t text_count;
    const foi_fmu_variable **clocks; ///< that tick from outside: inputs
    uint32_t clock_count;
    foi_unit_block *block;
    size_t block_size;
    double *tx, *rates, *guards, *tu, *tp, *ty; ///< of the block
    double *known_u, *known_p, *known_x;        ///< what the unit has, as far as is known
    double *jacobian;
    double *intervals; ///< per clock, after a tick: what the unit wants; negative: nothing
    uint8_t *state;
    void *work; ///< for values of other types
    /* the child */
    bool in_process;
    double timeout;
    int pid; ///< of the process that keeps the unit's (keeper.c); 0: none
    bool one_cpu;
    foi_unit_patience look, way; ///< looking for the other side, and giving way to it
    uint32_t sent;
    bool dead;
    bool failed;     ///< a function has returned an error: this instance is not asked again
    char fault[600]; ///< how the process has ended, or what the function has returned
    /* where the functions are called */
    void *library;
    fmi2_functions f2;
    fmi3_functions f3;
    fmi2_callbacks callbacks;
    fmi_instance instance;
    fmi_state kept;
    bool initialised, placed;
    bool rounded;     ///< a 64-bit integer was, and that was said
    bool corrupt;     ///< a function has returned "fatal": none may be called any more
    double at;        ///< the time that was set, where `placed`
    double *placed_x; ///< and the states
} foi_unit;

/// Makes the lists and the block of a unit whose description, folder and paths are set.
fo_status foi_unit_plan(foi_unit *unit, fo_message *why);
void foi_unit_free(foi_unit *unit);
/// What is known of the unit's values is what its description says: those of a new instance.
void foi_unit_forget(foi_unit *unit);

/// Sends the request that the block has, and waits for its end. Anything but FOI_UNIT_GOOD and
/// FOI_UNIT_DISCARDED is answered with a message.
fo_status foi_unit_ask(foi_unit *unit, foi_unit_request what, fo_message *why);

/// Serves the request of the block, where the binary is.
void foi_unit_serve(foi_unit *unit);

/// Begins and ends the child. Ending it takes the instance down in order, if that is possible.
fo_status foi_unit_begin_child(foi_unit *unit, fo_message *why);
void foi_unit_end(foi_unit *unit);
/// keeper.c: waits for the end of the process `main`, or for SIGTERM, then ends all processes that
/// come from this one, and this one as `main` has ended.
__attribute__((noreturn)) void foi_unit_keep(pid_t main);
/// Waits for the reply in the child's block. FO_OK, or a message about how it died.
fo_status foi_unit_exchange(foi_unit *unit, fo_message *why);

/// The name of the call that the block tells, or "".
typedef struct foi_unit_called {
    char name[48];
} foi_unit_called;
foi_unit_called foi_unit_call(const foi_unit *unit);
/// Tells it, where the functions are called.
void foi_unit_tell(foi_unit *unit, const char *call);

/// Which folder below binaries/ is this machine's: "linux64" or "x86_64-linux".
const char *foi_unit_platform(int version);

#endif
