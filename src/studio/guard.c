// Who may come in. The server stands on the loopback, where every page of every browser on this
// machine can reach it: a request must name the host that we are (no foreign name that was made to
// point here), come from our own page (no foreign origin), and know the token.
#include <stdio.h>
#include <string.h>

#include "studio/studio.h"

static bool is_own_host(const studio *s, const char *host)
{
    char own[64];
    snprintf(own, sizeof own, "127.0.0.1:%d", s->port);
    if (strcmp(host, own) == 0) return true;
    snprintf(own, sizeof own, "localhost:%d", s->port);
    return strcmp(host, own) == 0;
}

// A header in full; false: it is missing, longer than any of ours, or there twice.
static bool header(struct lws *wsi, enum lws_token_indexes which, char *text, int room)
{
    int length = lws_hdr_total_length(wsi, which);
    return length > 0 && length < room && lws_hdr_copy(wsi, text, room, which) > 0;
}

static bool origin_is_fine(struct lws *wsi, const studio *s, bool needed)
{
    static const char scheme[] = "http://";
    char origin[128];
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN)) return !needed;
    if (!header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return false;
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           is_own_host(s, origin + sizeof scheme - 1);
}

// In a time that does not tell how much of it was right.
static bool same_token(const char *a, const char *b)
{
    unsigned difference = 0;
    for (int i = 0; i < TOKEN; i++) difference |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return difference == 0;
}

// "/token/rest" to "rest".
static int split_path(const studio *s, const char *uri, size_t length, visit *v, const char **why)
{
    if (length < TOKEN + 2 || uri[0] != '/' || uri[TOKEN + 1] != '/' ||
        !same_token(uri + 1, s->token)) {
        *why = "the address lacks the secret that 'foliot studio' has printed";
        return 403;
    }
    size_t rest = length - TOKEN - 2;
    if (rest >= sizeof v->path || memchr(uri, 0, length)) {
        *why = "there is nothing of this name";
        return 404;
    }
    memcpy(v->path, uri + TOKEN + 2, rest);
    v->path[rest] = 0;
    return 0;
}

int studio_guard(struct lws *wsi, visit *v, const char **why)
{
    const studio *s = studio_of(wsi);
    char host[128], *uri = NULL;
    int length = 0, method = lws_http_get_uri_and_method(wsi, &uri, &length);
    *v = (visit){.put = method == LWSHUMETH_PUT};
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_own_host(s, host)) {
        *why = "this server answers to the address that it has printed, not to another host name";
        return 403;
    }
    if (method != LWSHUMETH_GET && method != LWSHUMETH_PUT) {
        *why = "only GET and PUT are supported";
        return 405;
    }
    bool upgrade = lws_hdr_total_length(wsi, WSI_TOKEN_UPGRADE) > 0;
    if (!origin_is_fine(wsi, s, v->put || upgrade)) {
        *why = "the request comes from another page";
        return 403;
    }
    int refused = split_path(s, uri, (size_t)length, v, why);
    if (!refused && v->put && strncmp(v->path, "files/", 6) != 0) {
        *why = "PUT is only for files of models";
        return 405;
    }
    return refused;
}
