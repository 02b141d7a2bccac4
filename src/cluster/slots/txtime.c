// The kernel's time-slot queue: finding it by rtnetlink, and giving packets their times.
//
// etf sorts packets by their times t. Without help of the network card it lets one go within
// [t - delta, t], as soon as it can, and drops it when that was missed (Linux, net/sched/sch_etf.c;
// tc-etf(8)); delta is what the administrator allows for waking up. It takes only packets with a
// time. So it lies under mqprio or taprio, which sort packets into queues by their priorities:
// queue q is class q + 1 of their handle. taprio with txtime-assist gives packets times and needs
// etf to keep them; taprio alone only opens and closes gates, for which a packet needs no time.
#include "cluster/slots/txtime.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { ANSWER = 32768, MESSAGES = 200, BILLION = 1000000000 };

// ---------------------------------------------------------------------------------------- parsing

/// Bytes of somebody else's.
typedef struct span {
    const unsigned char *at;
    size_t count;
} span;

static span rest(span s, size_t from)
{
    return from < s.count ? (span){s.at + from, s.count - from} : (span){NULL, 0};
}

static size_t aligned(size_t count)
{
    return (count + 3) & ~(size_t)3;
}

/// Copies the beginning; what is not there is 0. False: it is shorter.
static bool copy(span s, void *to, size_t bytes)
{
    memset(to, 0, bytes);
    if (s.count) memcpy(to, s.at, s.count < bytes ? s.count : bytes);
    return s.count >= bytes;
}

/// The content of an attribute; NULL when there is none of this type.
static span attribute(span list, unsigned type)
{
    struct rtattr head;
    while (copy(list, &head, sizeof head)) {
        if (head.rta_len < sizeof head || head.rta_len > list.count) break;
        if ((head.rta_type & NLA_TYPE_MASK) == type)
            return (span){list.at + sizeof head, head.rta_len - sizeof head};
        list = rest(list, aligned(head.rta_len));
    }
    return (span){NULL, 0};
}

static bool is_called(span name, const char *text)
{
    size_t length = strlen(text);
    return name.count > length && memcmp(name.at, text, length + 1) == 0;
}

/// Takes the first message off; its content goes to `body`. False: there is none.
static bool next_message(span *messages, struct nlmsghdr *head, span *body)
{
    if (!copy(*messages, head, sizeof *head)) return false;
    if (head->nlmsg_len < sizeof *head || head->nlmsg_len > messages->count) return false;
    *body = (span){messages->at + sizeof *head, head->nlmsg_len - sizeof *head};
    *messages = rest(*messages, aligned(head->nlmsg_len));
    return true;
}

static void take_etf(foi_txtime_view *v, uint32_t parent, span options)
{
    struct tc_etf_qopt etf;
    uint32_t queue = TC_H_MIN(parent) - 1;
    if (!copy(attribute(options, TCA_ETF_PARMS), &etf, sizeof etf)) return;
    bool known = v->at_root || v->queues;
    v->mixed |= known && (v->delta != etf.delta || v->clock != etf.clockid ||
                          v->flags != etf.flags || v->parent != TC_H_MAJ(parent));
    v->delta = etf.delta;
    v->clock = etf.clockid;
    v->flags = etf.flags;
    v->parent = TC_H_MAJ(parent);
    if (parent == TC_H_ROOT)
        v->at_root = true;
    else if (queue < FOI_TXTIME_QUEUES)
        v->queues |= (uint64_t)1 << queue;
}

static void take_map(foi_txtime_view *v, uint32_t handle, span options)
{
    struct tc_mqprio_qopt map;
    if (!copy(options, &map, sizeof map)) return;
    v->handle = handle;
    v->classes = map.num_tc <= 16 ? map.num_tc : 16;
    memcpy(v->map, map.prio_tc_map, sizeof v->map);
    memcpy(v->count, map.count, sizeof v->count);
    memcpy(v->offset, map.offset, sizeof v->offset);
}

static void take_discipline(foi_txtime_view *v, span body)
{
    struct tcmsg about;
    if (!copy(body, &about, sizeof about) || about.tcm_ifindex != v->interface) return;
    span list = rest(body, aligned(sizeof about)), kind = attribute(list, TCA_KIND);
    span options = attribute(list, TCA_OPTIONS);
    if (is_called(kind, "etf")) take_etf(v, about.tcm_parent, options);
    if (about.tcm_parent != TC_H_ROOT) return;
    v->mqprio = is_called(kind, "mqprio");
    v->taprio = is_called(kind, "taprio");
    if (v->taprio) options = attribute(options, TCA_TAPRIO_ATTR_PRIOMAP);
    if (v->mqprio || v->taprio) take_map(v, about.tcm_handle, options);
}

bool foi_txtime_look(foi_txtime_view *v, const void *messages, size_t bytes)
{
    span left = {messages, bytes}, body;
    struct nlmsghdr head;
    while (next_message(&left, &head, &body)) {
        v->failed |= head.nlmsg_type == NLMSG_ERROR;
        if (head.nlmsg_type == NLMSG_DONE || v->failed) return true;
        if (head.nlmsg_type == RTM_NEWQDISC) take_discipline(v, body);
    }
    return false;
}

int foi_txtime_route(const void *messages, size_t bytes)
{
    span left = {messages, bytes}, body;
    struct nlmsghdr head;
    int32_t interface = 0;
    while (next_message(&left, &head, &body))
        if (head.nlmsg_type == RTM_NEWROUTE &&
            copy(attribute(rest(body, aligned(sizeof(struct rtmsg))), RTA_OIF), &interface,
                 sizeof interface))
            return interface;
    return 0;
}

/// A priority all of whose queues have etf; -1: there is none.
static int find_priority(const foi_txtime_view *v)
{
    for (int priority = 0; priority < 16; priority++) {
        unsigned c = v->map[priority];
        if (c >= v->classes || !v->count[c]) continue;
        unsigned from = v->offset[c], to = from + v->count[c];
        bool all = to <= FOI_TXTIME_QUEUES;
        for (unsigned q = from; q < to && all; q++) all = v->queues >> q & 1;
        if (all) return priority;
    }
    return -1;
}

foi_txtime_queue foi_txtime_conclude(const foi_txtime_view *v)
{
    foi_txtime_queue none = {0}, queue = {.found = true,
                                          .taprio = v->taprio,
                                          .offload = v->flags & TC_ETF_OFFLOAD_ON,
                                          .delta = v->delta,
                                          .clock = v->clock,
                                          .priority = -1};
    // with a deadline in place of a time a packet leaves before it, and not in its slot
    none.interface = queue.interface = v->failed ? 0 : v->interface;
    bool holds = (v->at_root || v->queues) && !v->failed && !v->mixed && v->delta >= 0 &&
                 !(v->flags & TC_ETF_DEADLINE_MODE_ON);
    if (!holds) return none;
    if (v->at_root) return queue;
    if (!(v->mqprio || v->taprio) || v->parent != TC_H_MAJ(v->handle)) return none;
    queue.priority = find_priority(v);
    return queue.priority >= 0 ? queue : none;
}

// ----------------------------------------------------------------------------------------- asking

static int open_netlink(void)
{
    struct timeval limit = {0, 200000};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
}

static int ask_route(int fd, const struct sockaddr_in *to, void *answer)
{
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr attribute;
        struct in_addr address;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = RTM_GETROUTE,
                          .nlmsg_flags = NLM_F_REQUEST},
                 .route = {.rtm_family = AF_INET, .rtm_dst_len = 32},
                 .attribute = {.rta_len = sizeof(struct rtattr) + sizeof(struct in_addr),
                               .rta_type = RTA_DST},
                 .address = to->sin_addr};
    if (send(fd, &request, sizeof request, 0) != sizeof request) return 0;
    ssize_t count = recv(fd, answer, ANSWER, 0);
    return count > 0 ? foi_txtime_route(answer, (size_t)count) : 0;
}

static bool ask_queues(int fd, foi_txtime_view *view, void *answer)
{
    struct {
        struct nlmsghdr head;
        struct tcmsg about;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = RTM_GETQDISC,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
    request.about.tcm_ifindex = view->interface;
    if (send(fd, &request, sizeof request, 0) != sizeof request) return false;
    for (int i = 0; i < MESSAGES; i++) {
        ssize_t count = recv(fd, answer, ANSWER, 0);
        if (count <= 0) return false;
        if (foi_txtime_look(view, answer, (size_t)count)) return true;
    }
    return false;
}

foi_txtime_queue foi_txtime_find(const struct sockaddr_in *to)
{
    unsigned char answer[ANSWER];
    foi_txtime_queue queue = {0};
    int fd = open_netlink();
    if (fd < 0) return queue;
    foi_txtime_view view = {.interface = ask_route(fd, to, answer)};
    if (view.interface > 0 && ask_queues(fd, &view, answer)) queue = foi_txtime_conclude(&view);
    close(fd);
    return queue;
}

// ---------------------------------------------------------------------------------------- sending

// A card sends at the time itself and wants the packet delta before it. The kernel alone lets a
// packet go up to delta before its time, so that its time is as much later.
int64_t foi_txtime_aim(const foi_txtime_queue *queue, int64_t from, int64_t now, int64_t *leaves)
{
    int64_t soonest = now + (queue->offload ? queue->delta : 0);
    *leaves = soonest > from ? soonest : from;
    return *leaves + (queue->offload ? 0 : queue->delta);
}

bool foi_txtime_open(int fd, const foi_txtime_queue *queue)
{
    struct sock_txtime about = {.clockid = queue->clock, .flags = SOF_TXTIME_REPORT_ERRORS};
    int before = 0, priority = queue->priority;
    socklen_t size = sizeof before;
    getsockopt(fd, SOL_SOCKET, SO_PRIORITY, &before, &size);
    if (priority >= 0 && setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority) != 0)
        return false;
    if (setsockopt(fd, SOL_SOCKET, SO_TXTIME, &about, sizeof about) == 0) return true;
    setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &before, sizeof before);
    return false;
}

/// From foi_clock_now to another clock: of three readings the one that took the least time.
static int64_t shift_to(int clock)
{
    int64_t shift = 0, least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        struct timespec there = {0};
        int64_t before = foi_clock_now();
        clock_gettime(clock, &there);
        int64_t took = foi_clock_now() - before;
        if (took >= least) continue;
        least = took;
        shift = (int64_t)there.tv_sec * BILLION + there.tv_nsec - before - took / 2;
    }
    return shift;
}

void foi_txtime_send(int fd, const foi_txtime_queue *queue, const void *bytes, size_t count,
                     const struct sockaddr_in *to, int64_t time)
{
    uint64_t there = (uint64_t)(time + shift_to(queue->clock));
    struct sockaddr_in target = *to;
    union {
        char room[CMSG_SPACE(sizeof(uint64_t))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {(void *)(uintptr_t)bytes, count};
    struct msghdr m = {.msg_name = &target,
                       .msg_namelen = sizeof target,
                       .msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_TXTIME;
    c->cmsg_len = CMSG_LEN(sizeof there);
    memcpy(CMSG_DATA(c), &there, sizeof there);
    sendmsg(fd, &m, 0);
}

uint64_t foi_txtime_returned(int fd)
{
    uint64_t returned = 0;
    for (int i = 0; i < MESSAGES; i++) {
        char room[256], byte;
        struct iovec part = {&byte, 1};
        struct msghdr m = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        if (recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) break;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
            struct sock_extended_err error;
            if (c->cmsg_level != SOL_IP || c->cmsg_type != IP_RECVERR) continue;
            memcpy(&error, CMSG_DATA(c), sizeof error);
            returned += error.ee_origin == SO_EE_ORIGIN_TXTIME;
        }
    }
    return returned;
}
