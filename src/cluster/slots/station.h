/// A socket, a clock, and what goes through them: what the master and the nodes have in common.
#ifndef FOI_TDMA_STATION_H
#define FOI_TDMA_STATION_H

#include <foliot/tdma.h>
#include <netinet/in.h>

#include "cluster/slots/key.h"
#include "cluster/slots/txtime.h"

/// How packets leave. Tests lose, double and swap them here.
typedef struct foi_tdma_wire {
    void *self;
    void (*send)(void *self, int fd, const void *bytes, size_t count, const struct sockaddr_in *to);
    /// Where it is given there is no socket and no clock of the machine: packets come from memory,
    /// and time passes as `now` says. Waits for a packet until then and writes it (there is room
    /// for FOI_PACKET_MOST + 1 bytes); false: it is `until`, and none came.
    bool (*receive)(void *self, int64_t until, void *bytes, size_t *count,
                    struct sockaddr_in *from);
    int64_t (*now)(void *self);
    void (*wait)(void *self, int64_t until);
} foi_tdma_wire;

enum { FOI_TDMA_SENDERS = 201 }; ///< the most nodes that there may be, and the master

typedef struct foi_tdma_station {
    int fd; ///< -1: none
    uint16_t self;
    uint64_t run;           ///< packets of other runs are counted and dropped; 0: all are taken
    const fo_tdma_key *key; ///< NULL: none
    uint64_t sequence;      ///< of the next packet
    foi_tdma_window windows[FOI_TDMA_SENDERS];  ///< of the senders of this run; 0 is the master
    struct sockaddr_in known[FOI_TDMA_SENDERS]; ///< where they are; port 0: not known yet
    int64_t shift;                              ///< of the clock [ns]; tests
    foi_tdma_wire wire;
    int policy, priority; ///< of the thread before it was raised
    bool raised;
    bool timed; ///< packets carry the time at which they leave
    foi_txtime_queue queue;
    int64_t leave; ///< of the next packet [ns]; 0: soon
    uint64_t sent, sent_bytes, received, foreign, broken, returned;
    uint64_t replayed; ///< packets that had come before, or too late to know
    uint64_t dropped;  ///< by the kernel: from strangers, or because the socket was full
    bool behind;       ///< the last wait ended before all was seen that had come in its time
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
/// Whether it is allowed to work at this address: FO_OK when it is named, and is this machine's
/// alone or has a key or is declared open.
fo_status foi_tdma_admit(const struct sockaddr_in *at, const fo_tdma_key *key, bool open,
                         fo_message *why);
/// The address of this machine's on the way to another, with any port.
fo_status foi_tdma_own_address(const struct sockaddr_in *other, struct sockaddr_in *own,
                               fo_message *why);
bool foi_tdma_same_address(const struct sockaddr_in *a, const struct sockaddr_in *b);
/// Binds the socket. Without one where the wire receives.
fo_status foi_tdma_open(foi_tdma_station *s, const struct sockaddr_in *address, fo_message *why);
void foi_tdma_close(foi_tdma_station *s);

int64_t foi_tdma_now(const foi_tdma_station *s);
/// Sleeps until just before the time, then spins.
void foi_tdma_wait(const foi_tdma_station *s, int64_t time);
enum { FOI_TDMA_SPIN = 150000 }; ///< [ns] of it

/// Seconds as nanoseconds, from 0 to 10^15 (eleven days): what is longer is cut.
int64_t foi_tdma_nanoseconds(double seconds);
/// A number by chance, not 0.
uint64_t foi_tdma_chance(const foi_tdma_station *s);

/// Sends a packet as the station's; sender and run are filled in. `receiver` is a node or
/// FOI_MASTER.
void foi_tdma_send(foi_tdma_station *s, foi_tdma_packet *p, uint32_t receiver,
                   const struct sockaddr_in *to);
/// From here on packets of this sender (a node or FOI_MASTER) count only from this address.
void foi_tdma_know(foi_tdma_station *s, uint32_t sender, const struct sockaddr_in *at);
/// Nobody is heard any more but those who are known.
void foi_tdma_hear_known(foi_tdma_station *s);
/// Whether the bytes are a packet for this station, of its run, from where its sender is, under its
/// key, and new; it goes to `p`. If not, they are counted. A master takes JOIN of those, too, who
/// do not know its run yet.
bool foi_tdma_accept(foi_tdma_station *s, const unsigned char *bytes, size_t count,
                     const struct sockaddr_in *from, foi_tdma_packet *p);
/// Waits for a packet of this run until the time [ns], at most. False: none came. A time that has
/// passed takes what is there; who loops over that stops after FOI_TDMA_FLOOD packets. Packets that
/// do not count take time, too: when that was over `behind` says that others, which came before
/// `until`, may lie behind them.
enum { FOI_TDMA_FLOOD = 4000 }; ///< more than the socket has room for
bool foi_tdma_receive(foi_tdma_station *s, foi_tdma_letter *letter, int64_t until);

/// The least timer slack, and SCHED_FIFO for this thread, unless the priority is 0. False when that
/// is not granted.
bool foi_tdma_raise(foi_tdma_station *s, int priority);
/// As it was before.
void foi_tdma_lower(foi_tdma_station *s);

/// A hash of all that the nodes must agree about.
uint64_t foi_tdma_hash(const fo_field *f, const fo_tdma_plan *plan);

#endif
