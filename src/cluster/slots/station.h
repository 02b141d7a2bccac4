/// A socket, a clock, and what goes through them: what the master and the nodes have in common.
#ifndef FOI_TDMA_STATION_H
#define FOI_TDMA_STATION_H

#include <foliot/tdma.h>
#include <netinet/in.h>

#include "cluster/slots/packet.h"
#include "cluster/slots/txtime.h"

/// How packets leave. Tests lose, double and swap them here.
typedef struct foi_tdma_wire {
    void *self;
    void (*send)(void *self, int fd, const void *bytes, size_t count, const struct sockaddr_in *to);
} foi_tdma_wire;

typedef struct foi_tdma_station {
    int fd; ///< -1: none
    uint16_t self;
    uint64_t run;  ///< packets of other runs are counted and dropped; 0: all are taken
    int64_t shift; ///< of the clock [ns]; tests
    foi_tdma_wire wire;
    int policy, priority; ///< of the thread before it was raised
    bool raised;
    bool timed; ///< packets carry the time at which they leave
    foi_txtime_queue queue;
    int64_t leave; ///< of the next packet [ns]; 0: soon
    uint64_t sent, sent_bytes, received, foreign, broken, returned;
} foi_tdma_station;

/// What came, from whom, and when [ns on the station's clock]: by the kernel's stamp, so that it
/// does not matter how long the packet lay there.
typedef struct foi_tdma_letter {
    foi_tdma_packet packet;
    struct sockaddr_in from;
    int64_t arrived;
} foi_tdma_letter;

/// "host:port" as an address. FO_OK, or FO_ERROR_ARGUMENT.
fo_status foi_tdma_address(const char *text, struct sockaddr_in *address, fo_message *why);
/// address may be NULL: any.
fo_status foi_tdma_open(foi_tdma_station *s, const struct sockaddr_in *address, fo_message *why);
void foi_tdma_close(foi_tdma_station *s);

int64_t foi_tdma_now(const foi_tdma_station *s);
/// Sleeps until just before the time, then spins.
void foi_tdma_wait(const foi_tdma_station *s, int64_t time);
enum { FOI_TDMA_SPIN = 150000 }; ///< [ns] of it

/// Sends a packet as the station's; sender and run are filled in.
void foi_tdma_send(foi_tdma_station *s, foi_tdma_packet *p, const struct sockaddr_in *to);
/// Waits for a packet of this run until the time [ns], at most. False: none came. A time that has
/// passed takes what is there; who loops over that stops after FOI_TDMA_FLOOD packets.
enum { FOI_TDMA_FLOOD = 1000 };
bool foi_tdma_receive(foi_tdma_station *s, foi_tdma_letter *letter, int64_t until);

/// The least timer slack, and SCHED_FIFO for this thread, unless the priority is 0. False when that
/// is not granted.
bool foi_tdma_raise(foi_tdma_station *s, int priority);
/// As it was before.
void foi_tdma_lower(foi_tdma_station *s);

/// A hash of all that the nodes must agree about.
uint64_t foi_tdma_hash(const fo_field *f, const fo_tdma_plan *plan);

#endif
