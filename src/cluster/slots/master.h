/// The master of the slotted network: what gathering and synchronising share.
#ifndef FOI_TDMA_MASTER_H
#define FOI_TDMA_MASTER_H

#include "cluster/slots/node.h"

/// What the master knows of a node.
typedef struct foi_tdma_member {
    struct sockaddr_in at;
    uint64_t nonce; ///< that its JOIN had
    bool joined, ready, finished;
    int64_t heard;
    fo_tdma_view view;
    double usage_sum;
    uint64_t reports;
} foi_tdma_member;

struct fo_tdma_master {
    const fo_field *field;
    fo_tdma_master_def def;
    fo_tdma_plan plan;
    foi_tdma_station station;
    foi_tdma_letter letter;
    foi_tdma_member *members;
    fo_tdma_figures *figures, own;
    double *rows; ///< probes at the start of every cycle, and at the end
    uint64_t cycles, cycle, hash;
    int64_t start, watched;
    bool started;
    fo_message refusal; ///< the last node that could not take part
    char address[32];
};

/// With another wire than the network; NULL: that.
fo_tdma_master *foi_tdma_master_create_with(const fo_field *field, const fo_tdma_master_def *def,
                                            const foi_tdma_wire *wire, fo_message *why);
/// Ends the run of a node, or what it takes for one.
void foi_tdma_master_stop(fo_tdma_master *m, uint32_t node, uint64_t nonce,
                          const struct sockaddr_in *to, const char *text);
/// Takes one packet and acts on it; false when none came until then.
bool foi_tdma_master_pump(fo_tdma_master *m, int64_t until);
/// Waits until all nodes are there and ready.
fo_status foi_tdma_master_gather(fo_tdma_master *m, fo_message *why);
/// Calls the definition's watch when it is time. FO_OK, FO_STOPPED, or the error it gave.
fo_status foi_tdma_master_watch(fo_tdma_master *m, fo_message *why);

#endif
