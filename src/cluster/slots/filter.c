// A program of the kernel's classic packet filter. For every address
//
//     A = source address            behind the start of the IP header
//     if A != host skip 3
//     A = source port               at the start of the UDP header, where a socket's filter begins
//     if A != port skip 1
//     take it
//
// and at the end: drop it.
#include "cluster/slots/filter.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <sys/socket.h>

enum { EACH = 5, SOURCE = 12 }; ///< instructions; where an IP header has the sender

bool foi_tdma_filter(int fd, const struct sockaddr_in *from, uint32_t count)
{
    struct sock_filter list[EACH * FOI_FILTER_MOST + 1];
    unsigned short used = 0;
    if (fd < 0 || count > FOI_FILTER_MOST) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t host = ntohl(from[i].sin_addr.s_addr), port = ntohs(from[i].sin_port);
        list[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    (uint32_t)(SKF_NET_OFF + SOURCE));
        list[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, host, 0, 3);
        list[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0);
        list[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1);
        list[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
    }
    list[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {used, list};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}
