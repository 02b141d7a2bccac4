#include "cli/live/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_SOURCE = 2 };    // 0 are keys, 1 is standard input
static const double IDLE = 1; // one who has spoken may be silent so long [s]

static bool fail(socket_server *s, char *why, size_t size, const char *what)
{
    snprintf(why, size, "cannot listen at %s: %s%s%s", *s->path ? s->path : "''", what,
             *what ? ": " : "", strerror(errno));
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
    return false;
}

// Somebody listens there when one can connect, or could if fewer others wanted to: one that is
// stopped is not waited for.
static bool is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return true;
    bool alive = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
                 errno == EAGAIN || errno == EINPROGRESS;
    close(fd);
    return alive;
}

bool socket_open(socket_server *s, const char *path, char *why, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat about;
    s->path = path;
    s->fd = -1;
    s->next_source = FIRST_SOURCE;
    for (int i = 0; i < SOCKET_CLIENTS; i++) s->clients[i].fd = -1;
    // a name without letters would be a socket without a file, which every user can connect to
    if (!*path || strlen(path) >= sizeof address.sun_path) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        return fail(s, why, size, "");
    }
    strcpy(address.sun_path, path);
    if (lstat(path, &about) == 0 && S_ISSOCK(about.st_mode) && !is_alive(&address)) unlink(path);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->fd < 0) return fail(s, why, size, "");
    mode_t before = umask(077); // for this user alone
    int bound = bind(s->fd, (const struct sockaddr *)&address, sizeof address);
    umask(before);
    if (bound != 0) return fail(s, why, size, "");
    if (lstat(path, &about) == 0) s->device = about.st_dev, s->file = about.st_ino;
    if (listen(s->fd, SOCKET_CLIENTS) != 0) return fail(s, why, size, "");
    return true;
}

static void close_client(client *c)
{
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

void socket_close(socket_server *s)
{
    struct stat about;
    if (s->fd < 0) return;
    for (int i = 0; i < SOCKET_CLIENTS; i++) close_client(&s->clients[i]);
    close(s->fd);
    bool ours = lstat(s->path, &about) == 0 && about.st_dev == s->device &&
                about.st_ino == s->file && S_ISSOCK(about.st_mode);
    if (ours) unlink(s->path);
    s->fd = -1;
}

static bool has_room(const client *c)
{
    return SOCKET_OUT - c->out_used >= SOCKET_ANSWER;
}

int socket_wait_for(socket_server *s, struct pollfd *list, double now, bool *soon)
{
    int count = 0;
    if (s->fd < 0) return 0;
    list[count++] = (struct pollfd){s->fd, POLLIN, 0};
    for (int i = 0; i < SOCKET_CLIENTS; i++) {
        client *c = &s->clients[i];
        if (c->fd < 0) continue;
        bool throttled = lines_throttled(&c->in, now);
        *soon |= throttled;
        short events = c->out_used ? POLLOUT : 0;
        if (!throttled && has_room(c) && !c->in.ended) events |= POLLIN;
        // one that only waits for its answers to be read is looked at when it reads
        if (events) list[count++] = (struct pollfd){c->fd, events, 0};
    }
    return count;
}

/// Says a last word if it can be said, and closes.
static void send_away(int fd, const char *text)
{
    ssize_t ignored = send(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)ignored;
    close(fd);
}

/// Whether a has less right to its place than b: who never spoke before who did, then who has been
/// silent longer.
static bool is_idler(const client *a, const client *b)
{
    if (a->spoke != b->spoke) return !a->spoke;
    return a->heard < b->heard;
}

/// A free place; if need be that of a client who says nothing. NULL: all of them are busy.
static client *find_place(socket_server *s, double now)
{
    client *idle = &s->clients[0];
    for (int i = 0; i < SOCKET_CLIENTS; i++) {
        client *c = &s->clients[i];
        if (c->fd < 0) return c;
        if (is_idler(c, idle)) idle = c;
    }
    if (idle->spoke && now - idle->heard < IDLE) return NULL;
    send_away(idle->fd, "error you have been silent, and others want your place; come again\n");
    idle->fd = -1;
    return idle;
}

static void take_clients(socket_server *s, double now)
{
    for (int fd; (fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        client *place = find_place(s, now);
        if (!place) {
            send_away(fd, "error too many clients\n");
            continue;
        }
        *place = (client){.fd = fd, .source = s->next_source++, .heard = now};
        if (s->next_source < FIRST_SOURCE) s->next_source = FIRST_SOURCE;
    }
}

static void write_out(client *c)
{
    if (!c->out_used) return;
    ssize_t sent = send(c->fd, c->out, c->out_used, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
        c->out_used -= (size_t)sent;
        memmove(c->out, c->out + sent, c->out_used);
    } else if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        close_client(c);
    }
}

// Appends a line; there must be room for it.
static void put_line(client *c, const char *before, const char *text)
{
    size_t room = SOCKET_OUT - c->out_used;
    int length = snprintf(c->out + c->out_used, room, "%s%s\n", before, text);
    if (length > 0 && (size_t)length < room) c->out_used += (size_t)length;
}

void socket_tell(socket_server *s, uint32_t source, const char *text)
{
    for (int i = 0; s->fd >= 0 && i < SOCKET_CLIENTS; i++) {
        client *c = &s->clients[i];
        if (c->fd >= 0 && c->source == source && has_room(c)) put_line(c, "error ", text);
    }
}

static void serve_client(client *c, double now, answer_function *answer, void *self)
{
    bool open = lines_read(&c->in, c->fd);
    const char *line = NULL;
    while (has_room(c) && !lines_throttled(&c->in, now) && (line = lines_next(&c->in))) {
        char text[SOCKET_ANSWER] = "";
        c->spoke = true, c->heard = now;
        answer(self, line, c->source, text);
        if (*text) put_line(c, "", text);
    }
    write_out(c);
    if (c->fd >= 0 && !open && !line && !c->out_used) close_client(c);
}

void socket_serve(socket_server *s, double now, answer_function *answer, void *self)
{
    if (s->fd < 0) return;
    // first those who are there: one whose first words lie in the socket has spoken
    for (int i = 0; i < SOCKET_CLIENTS; i++)
        if (s->clients[i].fd >= 0) serve_client(&s->clients[i], now, answer, self);
    take_clients(s, now);
}
