/// The processes that are the nodes of a cluster: started, watched and ended here.
#ifndef CLI_CLUSTER_CREW_H
#define CLI_CLUSTER_CREW_H

#include <foliot/foliot.h>
#include <sys/types.h>

enum { CREW_MOST = 200 };

/// How to start them. Without an agent a node is a child of this process; with one it is a command,
/// `ip netns exec {} PROGRAM cluster ...`, in which {} is the node's host.
typedef struct crew_def {
    const char *hosts; ///< "a,b,c"; NULL: here
    const char *agent; ///< NULL: "ssh {}" where hosts are given
    const char *program;
    char *const *arguments; ///< of the program, but for the node's number; NULL-terminated
    const fo_field *field;
    fo_tdma_node_def node; ///< its index is filled in
} crew_def;

typedef struct crew {
    pid_t pid[CREW_MOST]; ///< 0: ended
    uint32_t count;
} crew;

/// How many hosts a list names.
uint32_t crew_hosts(const char *hosts);
/// False when one could not be started; `why` says it.
bool crew_start(crew *c, const crew_def *def, fo_message *why);
/// Whether none has failed; if one has, `why` says who ended how.
bool crew_alive(crew *c, fo_message *why);
/// Waits until all have ended; who has not within some seconds is ended.
void crew_end(crew *c, double seconds);

#endif
