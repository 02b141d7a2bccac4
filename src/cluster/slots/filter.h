/// Whom a station hears. Strangers' packets are dropped by the kernel before they lie in the
/// socket: a flood of them fills nothing and costs its sender alone.
#ifndef FOI_TDMA_FILTER_H
#define FOI_TDMA_FILTER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum { FOI_FILTER_MOST = 800 }; ///< addresses: the kernel takes 4096 instructions

/// From here on the socket takes packets of these addresses (host and port) only. False: the kernel
/// did not, and takes all as before.
bool foi_tdma_filter(int fd, const struct sockaddr_in *from, uint32_t count);

#endif
