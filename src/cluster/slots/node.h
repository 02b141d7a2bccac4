/// A node of the slotted network: what joining and running share.
#ifndef FOI_TDMA_NODE_H
#define FOI_TDMA_NODE_H

#include "cluster/slots/bridge.h"
#include "cluster/slots/offset.h"
#include "cluster/slots/overlap.h"
#include "cluster/slots/share.h"
#include "cluster/slots/station.h"

/// What a test does to a node.
typedef struct foi_tdma_tamper {
    foi_tdma_wire wire;
    int64_t shift;  ///< of its clock [ns]
    uint32_t stray; ///< it takes the slot so many places after its own
} foi_tdma_tamper;

typedef struct foi_tdma_node {
    const fo_field *field;
    const fo_tdma_node_def *def;
    foi_tdma_tamper tamper;
    fo_tdma_plan plan;
    foi_tdma_station station;
    foi_tdma_letter letter;
    struct sockaddr_in master, *peers;
    foi_tdma_share share;
    foi_tdma_part *part;
    foi_tdma_bridge bridges[6];
    double *face; ///< room for the largest
    foi_tdma_overlap beside;
    foi_tdma_offset clock;
    int64_t lead;   ///< of packets before their slot, where the kernel keeps it [ns]
    uint64_t nonce; ///< by which it knows answers to its own JOIN
    uint64_t seen_address, seen_port; ///< where the master has seen it
    uint64_t cycles, cycle;           ///< in all; now
    int64_t start;                    ///< of cycle 0, on the master's clock
    bool started;
    int64_t heard; ///< when the last synchronisation came
    uint64_t syncs, sync_cycle;
    int64_t computing; ///< in the last cycle
    bool thanked, stopped;
    fo_message reason; ///< why the master stopped it
    fo_tdma_figures figures;
} foi_tdma_node;

/// Finds the master, learns who the others are, and measures the clock's offset.
fo_status foi_tdma_join(foi_tdma_node *n, fo_message *why);
/// Takes one packet and acts on it; false when none came until then.
bool foi_tdma_node_pump(foi_tdma_node *n, int64_t until);
/// Whether the letter is the master's; if not, it is counted.
bool foi_tdma_from_master(foi_tdma_node *n);
/// Takes STOP: true when it is meant for this node, and then `why` has the master's words.
bool foi_tdma_take_stop(foi_tdma_node *n, fo_message *why);

fo_status foi_tdma_node_run_with(const fo_field *field, const fo_tdma_node_def *def,
                                 const foi_tdma_tamper *tamper, fo_tdma_figures *figures,
                                 fo_message *why);

/// The figures in a packet.
void foi_tdma_put_figures(foi_tdma_packet *p, const fo_tdma_figures *f);
bool foi_tdma_take_figures(foi_tdma_packet *p, fo_tdma_figures *f);

#endif
