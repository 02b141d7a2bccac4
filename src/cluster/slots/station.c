#include "cluster/slots/station.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/slots/filter.h"
#include "field/field.h"

enum { BUFFER = 1 << 20, BILLION = 1000000000, SOON = 300000 };

// ----------------------------------------------------------------------------------------- socket

fo_status foi_tdma_address(const char *text, struct sockaddr_in *address, fo_message *why)
{
    char host[256];
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    long port = colon ? strtol(colon + 1, &end, 10) : -1;
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (!colon || !length || length >= sizeof host || end == colon + 1 || *end || port < 0 ||
        port > 65535)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "expected an address like 192.168.7.1:47000, found '%s'", text);
    memcpy(host, text, length);
    host[length] = 0;
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, *found = NULL;
    int error = getaddrinfo(host, NULL, &wanted, &found);
    if (error)
        return fo_fail(why, FO_ERROR_ARGUMENT, "no address is known for '%s': %s", host,
                       gai_strerror(error));
    memcpy(address, found->ai_addr, sizeof *address);
    address->sin_port = htons((uint16_t)port);
    freeaddrinfo(found);
    return FO_OK;
}

static bool is_loopback(const struct sockaddr_in *at)
{
    return ntohl(at->sin_addr.s_addr) >> 24 == 127;
}

bool foi_tdma_same_address(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
    return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

fo_status foi_tdma_admit(const struct sockaddr_in *at, const fo_tdma_key *key, bool open,
                         fo_message *why)
{
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &at->sin_addr, text, sizeof text);
    if (key && !foi_tdma_has_keys())
        return fo_fail(why, FO_ERROR_UNFIT,
                       "this build has no keys: it was made without libsodium (libsodium-dev)");
    if (at->sin_addr.s_addr == htonl(INADDR_ANY))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s would be all interfaces: expected the address of one, such as "
                       "192.168.7.1",
                       text);
    if (key || open || is_loopback(at)) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "%s can be reached from other computers, and without a key anybody there could "
                   "join or end the run: give all of them the same --key FILE, or say --open",
                   text);
}

// The kernel chooses the interface when a socket is connected; nothing is sent.
fo_status foi_tdma_own_address(const struct sockaddr_in *other, struct sockaddr_in *own,
                               fo_message *why)
{
    socklen_t size = sizeof *own;
    *own = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (is_loopback(other)) return FO_OK;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && connect(fd, (const struct sockaddr *)other, sizeof *other) == 0 &&
                 getsockname(fd, (struct sockaddr *)own, &size) == 0;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &other->sin_addr, text, sizeof text);
    if (!found) fo_fail(why, FO_ERROR_INPUT, "there is no way to %s: %s", text, strerror(errno));
    if (fd >= 0) close(fd);
    own->sin_port = 0;
    return found ? FO_OK : FO_ERROR_INPUT;
}

fo_status foi_tdma_open(foi_tdma_station *s, const struct sockaddr_in *address, fo_message *why)
{
    int one = 1, room = BUFFER;
    if (s->wire.receive) return FO_OK;
    s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->fd < 0 || bind(s->fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        char text[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
        fo_status status = fo_fail(why, FO_ERROR_INPUT, "cannot listen at %s:%u: %s", text,
                                   ntohs(address->sin_port), strerror(errno));
        foi_tdma_close(s);
        return status;
    }
    setsockopt(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
    setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(s->fd, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one);
    return FO_OK;
}

void foi_tdma_close(foi_tdma_station *s)
{
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

// ------------------------------------------------------------------------------------------ clock

int64_t foi_tdma_now(const foi_tdma_station *s)
{
    return (s->wire.now ? s->wire.now(s->wire.self) : foi_clock_now()) + s->shift;
}

int64_t foi_tdma_nanoseconds(double seconds)
{
    return (int64_t)(1e9 * fmin(fmax(seconds, 0), 1e6));
}

uint64_t foi_tdma_chance(const foi_tdma_station *s)
{
    uint64_t number = 0;
    while (!number)
        if (getrandom(&number, sizeof number, 0) < 0)
            number = (uint64_t)foi_tdma_now(s) ^ (uint64_t)getpid() << 40;
    return number;
}

void foi_tdma_wait(const foi_tdma_station *s, int64_t time)
{
    time -= s->shift;
    if (s->wire.wait) {
        s->wire.wait(s->wire.self, time);
        return;
    }
    if (foi_clock_now() < time - FOI_TDMA_SPIN) foi_clock_sleep_until(time - FOI_TDMA_SPIN);
    while (foi_clock_now() < time) continue;
}

bool foi_tdma_raise(foi_tdma_station *s, int priority)
{
    struct sched_param before, param = {.sched_priority = priority};
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    s->policy = sched_getscheduler(0);
    if (priority <= 0 || s->policy < 0 || sched_getparam(0, &before) != 0) return false;
    s->priority = before.sched_priority;
    s->raised = sched_setscheduler(0, SCHED_FIFO, &param) == 0;
    return s->raised;
}

void foi_tdma_lower(foi_tdma_station *s)
{
    struct sched_param param = {.sched_priority = s->priority};
    if (s->raised) sched_setscheduler(0, s->policy, &param);
    s->raised = false;
}

// ---------------------------------------------------------------------------------------- packets

void foi_tdma_send(foi_tdma_station *s, foi_tdma_packet *p, uint32_t receiver,
                   const struct sockaddr_in *to)
{
    unsigned char bytes[FOI_PACKET_MOST];
    p->sender = s->self;
    p->run = s->run;
    if (!p->pieces) p->pieces = 1;
    size_t count = foi_tdma_encode(p, bytes);
    if (s->key) count = foi_tdma_seal(s->key, s->sequence++, (uint16_t)receiver, bytes, count);
    s->sent++;
    s->sent_bytes += count + FOI_PACKET_AROUND;
    if (s->wire.send)
        s->wire.send(s->wire.self, s->fd, bytes, count, to);
    else if (s->timed)
        foi_txtime_send(s->fd, &s->queue, bytes, count, to,
                        (s->leave ? s->leave : foi_tdma_now(s) + s->queue.delta + SOON) - s->shift);
    else
        sendto(s->fd, bytes, count, 0, (const struct sockaddr *)to, sizeof *to);
}

/// What the kernel says beside a packet: its stamp, in time of day (how long ago it was counts),
/// and how many it has dropped so far, a number of 32 bits that goes around.
static int64_t read_control(foi_tdma_station *s, struct msghdr *m)
{
    int64_t age = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct timespec stamp;
        uint32_t dropped;
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            age = foi_clock_of_day() - ((int64_t)stamp.tv_sec * BILLION + stamp.tv_nsec);
        } else if (c->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&dropped, CMSG_DATA(c), sizeof dropped);
            s->dropped += (uint32_t)(dropped - (uint32_t)s->dropped);
        }
    }
    return age > 0 ? age : 0;
}

/// The place of a sender in the lists; FOI_TDMA_SENDERS: there is no such sender.
static uint32_t place_of(uint32_t sender)
{
    uint32_t place = sender == FOI_MASTER ? 0 : sender + 1u;
    return place < FOI_TDMA_SENDERS ? place : FOI_TDMA_SENDERS;
}

void foi_tdma_know(foi_tdma_station *s, uint32_t sender, const struct sockaddr_in *at)
{
    uint32_t place = place_of(sender);
    if (place < FOI_TDMA_SENDERS) s->known[place] = *at;
}

void foi_tdma_hear_known(foi_tdma_station *s)
{
    struct sockaddr_in list[FOI_TDMA_SENDERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < FOI_TDMA_SENDERS; i++)
        if (s->known[i].sin_port) list[count++] = s->known[i];
    foi_tdma_filter(s->fd, list, count); // where it fails, all is looked at here as before
}

/// What is seen to be worthless before its seal is worked out, which takes longer: a packet of
/// another run, or one that has come already. Nothing that is believed follows from it.
static bool worthless(foi_tdma_station *s, const unsigned char *bytes, size_t count)
{
    uint64_t run = 0, sequence = 0;
    if (!s->run || count < FOI_PACKET_HEADER + FOI_PACKET_SEAL) return false;
    for (size_t i = 0; i < 8; i++) {
        run = run << 8 | bytes[8 + i];
        sequence = sequence << 8 | bytes[count - FOI_PACKET_SEAL + i];
    }
    if (run != s->run) {
        bool other = run || s->self != FOI_MASTER;
        s->foreign += other;
        return other;
    }
    uint32_t place = place_of((uint32_t)bytes[6] << 8 | bytes[7]);
    bool again = place < FOI_TDMA_SENDERS && foi_tdma_window_seen(&s->windows[place], sequence);
    s->replayed += again;
    return again;
}

/// Whether it comes from where its sender is known to be.
static bool from_known(const foi_tdma_station *s, const foi_tdma_packet *p,
                       const struct sockaddr_in *from)
{
    uint32_t place = place_of(p->sender);
    const struct sockaddr_in *at = place < FOI_TDMA_SENDERS ? &s->known[place] : NULL;
    return !at || !at->sin_port || foi_tdma_same_address(at, from);
}

/// Whether a JOIN comes from where the master has seen its sender. (The packet is a copy.)
static bool from_joining(foi_tdma_packet p, const struct sockaddr_in *from)
{
    uint64_t number, address, port;
    return foi_tdma_take(&p, &number, 8) && foi_tdma_take(&p, &number, 4) &&
           foi_tdma_take(&p, &number, 8) && foi_tdma_take(&p, &address, 4) &&
           foi_tdma_take(&p, &port, 2) && address == ntohl(from->sin_addr.s_addr) &&
           port == ntohs(from->sin_port);
}

bool foi_tdma_accept(foi_tdma_station *s, const unsigned char *bytes, size_t count,
                     const struct sockaddr_in *from, foi_tdma_packet *p)
{
    uint64_t sequence = 0;
    bool sealed = s->key, good = false;
    if (sealed && worthless(s, bytes, count)) return false;
    if (sealed) {
        count = foi_tdma_unseal(s->key, s->self, bytes, count, &sequence);
        s->foreign += !count;
        if (!count) return false;
    }
    switch (foi_tdma_decode(bytes, count, p)) {
    case FOI_PACKET_GOOD:
        good = !s->run || p->run == s->run ||
               (s->self == FOI_MASTER && p->kind == FOI_JOIN && !p->run);
        break;
    case FOI_PACKET_BROKEN: s->broken++; return false;
    case FOI_PACKET_FOREIGN: break;
    }
    // before its number is taken: somebody else's copy that is quicker must not use it up
    bool joins = p->kind == FOI_JOIN;
    good = good && (joins ? !p->run || from_joining(*p, from) : from_known(s, p, from));
    if (!good) s->foreign++;
    if (!good || !sealed || !s->run || p->run != s->run) return good;
    uint32_t place = place_of(p->sender);
    good = place < FOI_TDMA_SENDERS && foi_tdma_window_take(&s->windows[place], sequence);
    s->replayed += !good;
    return good;
}

/// Takes one packet from the socket. False: none is there.
static bool take(foi_tdma_station *s, foi_tdma_letter *letter, bool *good)
{
    unsigned char bytes[FOI_PACKET_MOST + 1]; // one more, so that longer ones are seen
    union {
        char room[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
        struct cmsghdr align;
    } control;
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr m = {.msg_name = &letter->from,
                       .msg_namelen = sizeof letter->from,
                       .msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    ssize_t count = recvmsg(s->fd, &m, 0);
    *good = false;
    if (count < 0) return errno != EAGAIN && errno != EINTR;
    s->received++;
    letter->arrived = foi_tdma_now(s) - read_control(s, &m);
    *good = foi_tdma_accept(s, bytes, (size_t)count, &letter->from, &letter->packet);
    return true;
}

/// The same from memory.
static bool receive_by_wire(foi_tdma_station *s, foi_tdma_letter *letter, int64_t until)
{
    unsigned char bytes[FOI_PACKET_MOST + 1];
    size_t count = 0;
    while (s->wire.receive(s->wire.self, until - s->shift, bytes, &count, &letter->from)) {
        s->received++;
        letter->arrived = foi_tdma_now(s);
        if (foi_tdma_accept(s, bytes, count, &letter->from, &letter->packet)) return true;
        s->behind = foi_tdma_now(s) >= until;
        if (s->behind) return false;
    }
    return false;
}

bool foi_tdma_receive(foi_tdma_station *s, foi_tdma_letter *letter, int64_t until)
{
    s->behind = false;
    if (s->wire.receive) return receive_by_wire(s, letter, until);
    for (;;) {
        bool good;
        while (take(s, letter, &good)) {
            if (good) return true;
            if (foi_tdma_now(s) < until) continue;
            s->behind = letter->arrived <= until;
            return false; // a flood does not stop the clock
        }
        int64_t left = until - foi_tdma_now(s);
        if (left <= 0) return false;
        struct pollfd wait = {s->fd, POLLIN, 0};
        struct timespec time = {left / BILLION, left % BILLION};
        ppoll(&wait, 1, &time, NULL);
        if (wait.revents & POLLERR) s->returned += foi_txtime_returned(s->fd);
    }
}

// ------------------------------------------------------------------------------------------- hash

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

uint64_t foi_tdma_hash(const fo_field *f, const fo_tdma_plan *plan)
{
    uint64_t hash = 14695981039346656037u;
    const double numbers[] = {f->c2.value, f->b1.value, f->b2.value, f->d.value, plan->step};
    const int64_t others[] = {plan->period,       plan->slot,     plan->steps,    plan->parts[0],
                              plan->parts[1],     plan->parts[2], f->def.method,  f->def.equation,
                              f->def.probe_count, f->held_count,  f->force_count, plan->nodes,
                              plan->slots,        plan->overlap};
    hash = mix(hash, f->n, sizeof f->n);
    hash = mix(hash, f->dx, sizeof f->dx);
    hash = mix(hash, numbers, sizeof numbers);
    hash = mix(hash, others, sizeof others);
    return mix(hash, f->start, f->nodes * sizeof *f->start);
}
