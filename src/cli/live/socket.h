/// The Unix socket of a live run: the lines of standard input, from anybody who connects. Each
/// client has bounded buffers; one that floods is read more slowly, one that does not read its
/// answers is not read from any more. When all places are taken and somebody comes, who has said
/// nothing for the longest time is asked to leave.
#ifndef CLI_LIVE_SOCKET_H
#define CLI_LIVE_SOCKET_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/live/lines.h"

enum { SOCKET_CLIENTS = 16, SOCKET_OUT = 16384, SOCKET_ANSWER = 4200 };

typedef struct client {
    int fd; ///< -1: free
    uint32_t source;
    double heard; ///< when it came or said something [s]
    bool spoke;   ///< it has said something
    lines in;
    char out[SOCKET_OUT];
    size_t out_used;
} client;

typedef struct socket_server {
    int fd; ///< -1: none
    const char *path;
    dev_t device; ///< what is there under that name: only this is removed
    ino_t file;
    client clients[SOCKET_CLIENTS];
    uint32_t next_source;
} socket_server;

/// Answers one line; `answer` has SOCKET_ANSWER bytes.
typedef void answer_function(void *self, const char *line, uint32_t source, char *answer);

/// Listens at `path`; a socket that nobody listens at any more is replaced. False: `why` says it.
bool socket_open(socket_server *s, const char *path, char *why, size_t size);
void socket_close(socket_server *s);

/// Adds what to wait for to `list` (room for SOCKET_CLIENTS + 1); returns how many. *soon when a
/// throttled client wants to be looked at again in 10 ms.
int socket_wait_for(socket_server *s, struct pollfd *list, double now, bool *soon);
/// Takes new clients, reads, answers, writes.
void socket_serve(socket_server *s, double now, answer_function *answer, void *self);
/// Tells one client "error ..."; nothing happens when it has gone or does not read.
void socket_tell(socket_server *s, uint32_t source, const char *text);

#endif
