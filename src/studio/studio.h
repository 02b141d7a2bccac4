/// The server of the studio: the page, the models of a folder, and a desk for each page.
#ifndef STUDIO_STUDIO_H
#define STUDIO_STUDIO_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stdint.h>

#include "studio/folder.h"

enum {
    TOKEN = 32,      ///< letters of the token
    DESKS_MOST = 16, ///< pages at a time
    CHUNK = 1 << 16, ///< bytes that are passed at a time
    EXCHANGE = 512,  ///< room of a request's struct
    SESSION = 256,   ///< room of a connection's struct
};

typedef struct studio {
    const char *program; ///< foliot, which serves the desks
    folder models;
    char token[TOKEN + 1];
    int port;
    uint32_t desks;   ///< how many there are now
    uint64_t changes; ///< of the folder, counted
    struct lws_context *context;
    struct lws_vhost *vhost;
} studio;

/// The protocols: the page and the files; the socket of a desk; the pipes of its process and the
/// watch on the folder.
extern const struct lws_protocols studio_protocols[];
int studio_on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length);
int studio_on_desk(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length);
int studio_on_pipe(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length);
int studio_on_watch(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t length);

studio *studio_of(struct lws *wsi);

// ------------------------------------------------------------------------------------------ guard

/// A request that was let through.
typedef struct visit {
    bool put;       ///< PUT; else GET
    char path[256]; ///< below the token: "main.js", "files/ball.mo"
} visit;

/// 0: let through; else the HTTP status of the refusal, and why. `strict`: it must say where it
/// comes from, as every request but one for the page does.
int studio_guard(struct lws *wsi, visit *v, const char **why);

// ------------------------------------------------------------------------------------------ child

typedef struct desk_child {
    pid_t pid;
    int in, out; ///< its standard input and output, for us to write and read
} desk_child;

/// A process `foliot desk` with limits. False: errno says why.
bool desk_child_start(desk_child *c, const char *program);
/// Ends it at once.
void desk_child_end(desk_child *c);

#endif
