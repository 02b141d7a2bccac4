// A page's socket and the process of its desk: bytes are passed both ways as they are. Neither side
// can make the other's bytes pile up here: what cannot be passed on is not read.
//
// Binary messages are the desk's stream; a text from the server says that the folder has changed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "studio/studio.h"

enum { HELD_MOST = 1 << 20 }; // bytes for the desk beyond which the page has to wait

/// One connection.
typedef struct session {
    struct lws *socket, *in, *out; ///< of the page, and the two pipes
    desk_child child;
    char *held; ///< bytes that the desk has not taken yet
    size_t held_size, held_room, held_from;
    lws_sorted_usec_list_t again; ///< asks to be told when the desk takes more
    unsigned char *reply;         ///< LWS_PRE bytes of room, then what the desk has said
    size_t reply_size;
    uint64_t changes; ///< of the folder that the page knows
    bool ended;       ///< the desk has gone
} session;
_Static_assert(sizeof(session) <= SESSION, "studio.h has the room");

// --------------------------------------------------------------------------------------- beginning

static struct lws *adopt(struct lws *parent, int fd, session *s)
{
    lws_adopt_desc_t about = {.vh = lws_get_vhost(parent),
                              .type = LWS_ADOPT_RAW_FILE_DESC,
                              .fd.filefd = fd,
                              .vh_prot_name = "foliot-pipe",
                              .opaque = s};
    return lws_adopt_descriptor_vhost_via_info(&about);
}

static int begin(struct lws *wsi, session *s)
{
    studio *all = studio_of(wsi);
    *s = (session){.socket = wsi, .child.pid = -1, .changes = all->changes};
    s->reply = malloc(LWS_PRE + CHUNK);
    if (!s->reply || !desk_child_start(&s->child, all->program)) return -1;
    all->desks++;
    s->in = adopt(wsi, s->child.in, s);
    s->out = adopt(wsi, s->child.out, s);
    return s->in && s->out ? 0 : -1;
}

static void drop(struct lws **pipe)
{
    if (!*pipe) return;
    lws_set_opaque_user_data(*pipe, NULL);
    lws_set_timeout(*pipe, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    *pipe = NULL;
}

static void end(struct lws *wsi, session *s)
{
    if (!s->socket) return;
    if (s->child.pid > 0) studio_of(wsi)->desks--;
    lws_sul_schedule(lws_get_context(wsi), 0, &s->again, NULL, LWS_SET_TIMER_USEC_CANCEL);
    drop(&s->in), drop(&s->out);
    desk_child_end(&s->child);
    free(s->held);
    free(s->reply);
    *s = (session){.child.pid = -1};
}

// ------------------------------------------------------------------------------------ to the desk

static bool hold(session *s, const void *bytes, size_t count)
{
    if (s->held_from) {
        memmove(s->held, s->held + s->held_from, s->held_size - s->held_from);
        s->held_size -= s->held_from, s->held_from = 0;
    }
    if (s->held_size + count > s->held_room) {
        size_t room = 2 * (s->held_size + count);
        char *more = realloc(s->held, room);
        if (!more) return false;
        s->held = more, s->held_room = room;
    }
    memcpy(s->held + s->held_size, bytes, count);
    s->held_size += count;
    return true;
}

static void want_more(lws_sorted_usec_list_t *again)
{
    session *s = lws_container_of(again, session, again);
    if (s->in) lws_callback_on_writable(s->in);
}

static bool pass_down(session *s)
{
    while (s->in && s->held_from < s->held_size) {
        ssize_t n = write(s->child.in, s->held + s->held_from, s->held_size - s->held_from);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            // not here: the library drops a wish that is made while it serves one
            lws_sul_schedule(lws_get_context(s->in), 0, &s->again, want_more, 1);
            break;
        }
        if (n <= 0) return false;
        s->held_from += (size_t)n;
    }
    lws_rx_flow_control(s->socket, s->held_size - s->held_from < HELD_MOST);
    return true;
}

// ------------------------------------------------------------------------------------ to the page

static int read_reply(session *s)
{
    if (s->reply_size) return 0; // one at a time
    ssize_t n = read(s->child.out, s->reply + LWS_PRE, CHUNK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n > 0) {
        s->reply_size = (size_t)n;
        lws_rx_flow_control(s->out, 0);
    } else {
        s->ended = true;
    }
    lws_callback_on_writable(s->socket);
    return s->ended ? -1 : 0;
}

static int tell_changes(session *s, uint64_t changes)
{
    unsigned char text[LWS_PRE + 8];
    s->changes = changes;
    memcpy(text + LWS_PRE, "files", 5);
    return lws_write(s->socket, text + LWS_PRE, 5, LWS_WRITE_TEXT) < 0 ? -1 : 0;
}

static int pass_up(struct lws *wsi, session *s)
{
    const studio *all = studio_of(wsi);
    if (s->reply_size) {
        size_t count = s->reply_size;
        s->reply_size = 0;
        if (lws_write(wsi, s->reply + LWS_PRE, count, LWS_WRITE_BINARY) < 0) return -1;
        if (s->out) lws_rx_flow_control(s->out, 1);
        if (s->changes != all->changes || s->ended) lws_callback_on_writable(wsi);
        return 0;
    }
    if (s->changes != all->changes) return tell_changes(s, all->changes);
    if (!s->ended) return 0;
    static unsigned char why[] = "the simulation process has ended";
    lws_close_reason(wsi, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, why, sizeof why - 1);
    return -1;
}

// --------------------------------------------------------------------------------------- callbacks

static int refuse(struct lws *wsi)
{
    visit v;
    const char *why = "there is no WebSocket at this address";
    int status = studio_guard(wsi, &v, &why);
    if (!status && strcmp(v.path, "desk") != 0) status = 404;
    if (!status && studio_of(wsi)->desks >= DESKS_MOST)
        status = 503, why = "too many pages are connected";
    if (!status) return 0;
    lws_return_http_status(wsi, (unsigned)status, why);
    return -1;
}

int studio_on_desk(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    session *s = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return refuse(wsi);
    case LWS_CALLBACK_ESTABLISHED: return begin(wsi, s);
    case LWS_CALLBACK_RECEIVE:
        if (!lws_frame_is_binary(wsi) || s->ended) return -1;
        return hold(s, in, length) && pass_down(s) ? 0 : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE: return pass_up(wsi, s);
    case LWS_CALLBACK_CLOSED: end(wsi, s); return 0;
    default: return 0;
    }
}

int studio_on_pipe(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    session *s = lws_get_opaque_user_data(wsi);
    (void)user, (void)in, (void)length;
    if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION) return -1; // nothing for the outside
    if (!s) return 0;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE: return s->out == wsi ? read_reply(s) : 0;
    case LWS_CALLBACK_RAW_WRITEABLE_FILE: return s->in != wsi || pass_down(s) ? 0 : -1;
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        if (s->in == wsi) s->in = NULL;
        if (s->out == wsi) s->out = NULL;
        s->ended = true;
        lws_callback_on_writable(s->socket);
        return 0;
    default: return 0;
    }
}
