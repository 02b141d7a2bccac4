/// The kernel's time-slot queue. A packet that carries its time (SO_TXTIME) is held back by the
/// queueing discipline etf until then, and dropped when that was not possible. All times are in
/// nanoseconds.
#ifndef FOI_TXTIME_H
#define FOI_TXTIME_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A queue that can be used.
typedef struct foi_txtime_queue {
    int interface; ///< that was asked about; 0: the kernel did not answer
    bool found;
    bool taprio;  ///< it lies under taprio
    bool offload; ///< the network card sends at the time; else the kernel, up to `delta` before it
    int64_t delta;
    int clock;    ///< of the times
    int priority; ///< packets of this one come there; -1: all
} foi_txtime_queue;

enum { FOI_TXTIME_QUEUES = 64 };

/// What a dump of queueing disciplines said about one interface.
typedef struct foi_txtime_view {
    int interface;
    bool failed;                    ///< the kernel could not say
    bool at_root;                   ///< etf has all packets
    uint64_t queues;                ///< of `parent` that have etf, a bit each
    uint32_t parent;                ///< its handle
    int32_t delta, clock;           ///< of etf
    uint32_t flags;                 ///< of etf
    bool mixed;                     ///< there are several etf, and they differ
    bool mqprio, taprio;            ///< a discipline that sorts priorities into queues
    uint32_t handle;                ///< of that
    unsigned char map[16], classes; ///< its classes
    uint16_t count[16], offset[16]; ///< and their queues
} foi_txtime_view;

/// Takes messages of a dump (RTM_GETQDISC). True when it was the end of it.
bool foi_txtime_look(foi_txtime_view *view, const void *messages, size_t bytes);
/// The queue, if there is one that holds packets back and that a priority leads to.
foi_txtime_queue foi_txtime_conclude(const foi_txtime_view *view);
/// The interface of a route, as RTM_GETROUTE answers; 0: none.
int foi_txtime_route(const void *messages, size_t bytes);

/// Asks the kernel for the queue on the way to an address. Waits at most some tenths of a second.
foi_txtime_queue foi_txtime_find(const struct sockaddr_in *to);

/// The time for a packet that is handed over `now` and must not leave before `from`, and when it
/// will leave at the earliest.
int64_t foi_txtime_aim(const foi_txtime_queue *queue, int64_t from, int64_t now, int64_t *leaves);

/// Lets the socket's packets carry times. False: refused, and the socket is as before.
bool foi_txtime_open(int fd, const foi_txtime_queue *queue);
/// Hands a packet over that leaves at `time` of foi_clock_now.
void foi_txtime_send(int fd, const foi_txtime_queue *queue, const void *bytes, size_t count,
                     const struct sockaddr_in *to, int64_t time);
/// How many packets the queue has given back since the last call, because their time had passed.
uint64_t foi_txtime_returned(int fd);

#endif
