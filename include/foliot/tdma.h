/// A field shared among computers in real time, over a network with time slots (TDMA).
///
/// A cycle has a fixed length. It begins with the master's synchronisation; then every node has a
/// slot, in which it alone sends: its boundary to its neighbours, its figures to the master. When
/// the slots are over, every node computes its steps. What does not come in time is bridged and
/// counted. Packets are UDP. With a key every one of them is authenticated; without one only this
/// machine takes part, unless the definition says `open`.
///
///     sync | node 0 | node 1 | ... | computing            | sync | ...
///     <------------------ period ------------------------>
///
/// docs/real-time-clusters.md says how to set it up. Linux only.
#ifndef FOLIOT_TDMA_H
#define FOLIOT_TDMA_H

#include <stdio.h>

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------- the schedule

/// A definition worked out for a field and a number of nodes.
typedef struct fo_tdma_plan {
    uint32_t nodes, parts[3];
    uint32_t steps;       ///< of the field in a cycle
    double step;          ///< [s]
    int64_t period, slot; ///< [ns]
    int64_t wire;         ///< [ns] the longest time that one node's packets take on the network
    int64_t computing;    ///< [ns] left for computing when the slots are over
    uint32_t bytes;       ///< the most that one node sends in a cycle, with all headers
    double capacity;      ///< [bit/s]
    double speed;         ///< simulated seconds in a second
    fo_tdma_bridge bridge;
    int64_t patience; ///< [ns]
    uint32_t slots;   ///< of all nodes, a multiple of their number
    int64_t sync;     ///< [ns] the master's slot
    bool overlap;     ///< computing is all of the period, beside the slots
} fo_tdma_plan;

/// `step` 0: such that simulated time is real time. FO_OK, or why it cannot be done.
fo_status fo_tdma_plan_make(const fo_field *field, const fo_tdma_def *def, uint32_t nodes,
                            double step, fo_tdma_plan *plan, fo_message *why);
/// The start of a slot after the start of its cycle [ns]; slot 0 is the master's, node i has i + 1,
/// and where there are more slots than nodes i + 1 + nodes, ...
int64_t fo_tdma_slot_start(const fo_tdma_plan *plan, uint32_t slot);
/// Prints the plan: slots, times, bytes.
void fo_tdma_plan_print(const fo_tdma_plan *plan, FILE *out);

// ------------------------------------------------------------------------------------ the figures

/// How a node kept its slots.
typedef enum fo_tdma_way {
    FO_TDMA_BY_PROGRAM, ///< it slept, spun, and sent: there is no time-slot queue
    FO_TDMA_BY_ETF,     ///< the kernel's queue etf held packets back until their time
    FO_TDMA_BY_TAPRIO,  ///< the same, under taprio
    FO_TDMA_BY_TXTIME,  ///< packets had times as demanded, but no queue is known that keeps them
    FO_TDMA_REFUSED,    ///< as BY_PROGRAM: the kernel did not let packets have times
    FO_TDMA_COARSE,     ///< as BY_PROGRAM: the queue's delta is too long for the slot
} fo_tdma_way;

/// What a node did, and what went wrong.
typedef struct fo_tdma_figures {
    uint64_t cycles;
    uint64_t missed;         ///< deadlines: computing ended after the next cycle had begun
    uint64_t silent;         ///< slots that were over before the node could send
    uint64_t sync_lost;      ///< cycles without the master's synchronisation
    uint64_t bridged;        ///< boundaries that did not come in time
    uint64_t late;           ///< of these: came afterwards
    uint64_t duplicated;     ///< packets that had come before
    uint64_t foreign;        ///< packets of another run, of somebody else, or without the key
    uint64_t broken;         ///< packets that are short or damaged
    uint64_t sent, received; ///< packets
    uint64_t sent_bytes;     ///< with all headers
    double computing, computing_worst; ///< [s] in all; in one cycle
    double sending, sending_worst;     ///< [s] after the slot's start: in all; worst
    double offset;                     ///< of the master's clock to the node's [s]
    double offset_doubt;               ///< half the shortest round trip [s]
    double drift;                      ///< how much the offset has changed since the start [s]
    uint32_t nodes;                    ///< of the grid
    bool priority;                     ///< SCHED_FIFO was granted
    fo_tdma_way way;
    uint64_t returned; ///< packets that the kernel's queue dropped, because their time had passed
    uint64_t dropped; ///< packets that the kernel kept away: from strangers, or the socket was full
} fo_tdma_figures;

/// Prints tables of all nodes: CPU usage ratio, deadlines, what was sent, packets, clocks.
void fo_tdma_figures_print(const fo_tdma_plan *plan, const fo_tdma_figures *nodes, FILE *out);

// ---------------------------------------------------------------------------------------- the key

/// What the master and its nodes share, so that they know each other.
typedef struct fo_tdma_key {
    unsigned char bytes[32];
} fo_tdma_key;

/// Reads a key: a file of 32 to 4096 bytes, that nobody but its owner may read. FO_OK,
/// FO_ERROR_INPUT, FO_ERROR_FORMAT, or FO_ERROR_UNFIT where the library was built without
/// libsodium.
fo_status fo_tdma_key_read(const char *path, fo_tdma_key *key, fo_message *why);

// ------------------------------------------------------------------------------------------ nodes

/// Who is to keep a node's slots.
typedef enum fo_tdma_pacing {
    FO_TDMA_PACE_BEST,    ///< the kernel's time-slot queue (etf) where it exists, else the program
    FO_TDMA_PACE_PROGRAM, ///< the program
    FO_TDMA_PACE_KERNEL,  ///< the kernel, though no queue is seen; then packets leave too early
} fo_tdma_pacing;

typedef struct fo_tdma_node_def {
    fo_tdma_def cluster;
    double step;            ///< 0: real time
    uint32_t index, nodes;  ///< which node of how many
    const char *master;     ///< "host:port", host an address or a name
    const char *address;    ///< of its own, "host:port"; NULL: of the interface on the way to the
                            ///< master, any port
    const fo_tdma_key *key; ///< the master's; NULL: none
    bool open;              ///< without a key also with a master on another machine
    double joining;         ///< how long to look for the master [s]; 0: 10
    bool no_priority;       ///< do not ask for SCHED_FIFO
    fo_tdma_pacing pacing;
    double lead; ///< with the kernel's queue: packets go there so long before the slot [s]; 0: the
                 ///< queue's delta and 0.3 ms
    const fo_allocator *allocator;
} fo_tdma_node_def;
/// Node 0 of 1, in real time.
fo_tdma_node_def fo_default_tdma_node_def(void);

/// Joins the master, carries the node's part of the field through the run, and returns when it is
/// over. FO_REACHED; FO_STOPPED when the master ended it before; or an error: the master is not
/// there or fell silent, the node cannot keep up. Every wait has a limit.
fo_status fo_tdma_node_run(const fo_field *field, const fo_tdma_node_def *def,
                           fo_tdma_figures *figures, fo_message *why);

// ----------------------------------------------------------------------------------------- master

/// What the master knows of a node while it runs.
typedef struct fo_tdma_view {
    uint64_t cycle; ///< of its last report
    double silence; ///< [s] since it was heard
    double usage;   ///< computing time / period, last
    double usage_mean, usage_worst;
    uint64_t missed, bridged;
} fo_tdma_view;

typedef struct fo_tdma_master fo_tdma_master;

typedef struct fo_tdma_master_def {
    fo_tdma_def cluster;
    double step; ///< 0: real time
    double stop; ///< simulated [s]
    uint32_t nodes;
    const char *address;    ///< to listen at, "host:port"; port 0: any; NULL: "127.0.0.1:0"
    const fo_tdma_key *key; ///< NULL: none
    bool open;      ///< without a key also at an address that others can reach: who can send
                    ///< there can join or end the run
    double joining; ///< how long to wait for the nodes [s]; 0: 10
    bool no_priority;
    /// Called some fifty times a second, also while nodes join. False ends the run; so does a text
    /// in `why`. May be NULL.
    bool (*watch)(void *self, const fo_tdma_master *master, fo_message *why);
    void *self;
    const fo_allocator *allocator;
} fo_tdma_master_def;
/// For one node, in real time, on a free port of this machine alone.
fo_tdma_master_def fo_default_tdma_master_def(void);

/// Opens the socket. NULL on failure.
fo_tdma_master *fo_tdma_master_create(const fo_field *field, const fo_tdma_master_def *def,
                                      fo_message *why);
/// Takes NULL.
void fo_tdma_master_destroy(fo_tdma_master *master);
/// Where nodes find it: "127.0.0.1:40123".
const char *fo_tdma_master_address(const fo_tdma_master *master);
/// Waits for the nodes, synchronises them to the end, and gathers their figures. FO_REACHED,
/// FO_STOPPED when `watch` ended it, or an error with the cause.
fo_status fo_tdma_master_run(fo_tdma_master *master, fo_message *why);

/// When it runs: the plan of the slots; the cycle, and how many there are; whether all nodes have
/// joined; what a node reported last.
const fo_tdma_plan *fo_tdma_master_plan(const fo_tdma_master *master);
uint64_t fo_tdma_master_cycle(const fo_tdma_master *master); ///< now; 0 before the start
/// How many cycles the run has.
uint64_t fo_tdma_master_cycles(const fo_tdma_master *master);
/// Whether all nodes have joined.
bool fo_tdma_master_started(const fo_tdma_master *master);
/// What a node reported last.
fo_tdma_view fo_tdma_master_look(const fo_tdma_master *master, uint32_t node);
/// Of each node, after the run.
const fo_tdma_figures *fo_tdma_master_figures(const fo_tdma_master *master);
/// How the master kept its own time: synchronisations sent, and their lateness in `sending`.
fo_tdma_figures fo_tdma_master_own(const fo_tdma_master *master);
/// How many probes the field has: the first of its outputs.
uint32_t fo_tdma_master_probes(const fo_tdma_master *master);
/// The probes at the start of cycle `cycle` (0 to the number of cycles); a NAN: not reported.
const double *fo_tdma_master_row(const fo_tdma_master *master, uint64_t cycle);

// ------------------------------------------------------------------------------------- comparison

/// One probe, against the same field on one machine.
typedef struct fo_tdma_error {
    double largest;   ///< | single |
    double worst;     ///< | distributed - single |
    double mean;      ///< root of the mean square
    uint64_t missing; ///< rows without a report
} fo_tdma_error;

/// Computes the field on one machine with the same method and step, and compares all rows:
/// `errors` gets one for every probe.
fo_status fo_tdma_master_compare(const fo_tdma_master *master, fo_tdma_error *errors,
                                 fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
