// foliot-studio: the server behind `foliot studio`, a program of its own so that nothing else is
// linked with what it needs.
//
//   foliot-studio PROGRAM FOLDER [PORT [json [SHOWN]]]
//
// SHOWN is how the folder is called in what it prints, without what a terminal would obey.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <unistd.h>

#include "studio/studio.h"

// Browsers keep what a page has stored by its address: so it is the same each time, if it is free.
enum { USUAL_PORT = 8317, PORTS_TRIED = 20 };

const struct lws_protocols studio_protocols[] = {
    {"http", studio_on_http, EXCHANGE, 0, 0, NULL, 0},
    {"foliot-desk", studio_on_desk, SESSION, CHUNK, 0, NULL, CHUNK},
    {"foliot-pipe", studio_on_pipe, 0, CHUNK, 0, NULL, 0},
    {"foliot-watch", studio_on_watch, 0, CHUNK, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

studio *studio_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static volatile sig_atomic_t ended;
static int alarm_clock = -1; // an event that wakes the service

// A signal may come just before the service begins to wait: so it leaves something to wake up for.
static void on_signal(int which)
{
    const uint64_t one = 1;
    int error = errno;
    (void)which;
    ended = 1;
    if (write(alarm_clock, &one, sizeof one) < 0) ended = 1; // it has been woken before
    errno = error;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "foliot studio: %s: %s\n", what, why);
}

// ----------------------------------------------------------------------------------- the folder

int studio_on_watch(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t length)
{
    (void)user, (void)in, (void)length;
    if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION) return -1; // nothing for the outside
    if (reason != LWS_CALLBACK_RAW_RX_FILE) return 0;
    char events[4096];
    while (read(lws_get_socket_fd(wsi), events, sizeof events) > 0) {
    }
    studio_of(wsi)->changes++;
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), &studio_protocols[1]);
    return 0;
}

// Without it changes on disk are seen when the page asks.
static void watch(studio *s)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    lws_sock_file_fd_type which = {.filefd = fd};
    if (fd < 0) return;
    if (inotify_add_watch(fd, ".", IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE) < 0 ||
        !lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_RAW_FILE_DESC, which, "foliot-watch", NULL))
        close(fd);
}

// ------------------------------------------------------------------------------------- beginning

static bool make_token(studio *s)
{
    unsigned char random[TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    for (size_t i = 0; i < sizeof random; i++) snprintf(s->token + 2 * i, 3, "%02x", random[i]);
    return true;
}

static bool listen_on(studio *s, int port)
{
    struct lws_context_creation_info info = {
        .port = port,
        .iface = "127.0.0.1",
        .protocols = studio_protocols,
        .vhost_name = "studio",
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    s->vhost = lws_create_vhost(s->context, &info);
    if (s->vhost) s->port = lws_get_vhost_listen_port(s->vhost);
    return s->vhost && s->port > 0;
}

static bool begin(studio *s, const char *port)
{
    struct lws_context_creation_info info = {
        .user = s,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6,
        .pt_serv_buf_size = CHUNK,
    };
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    if (!s->context) return false;
    if (port) return listen_on(s, (int)strtol(port, NULL, 10));
    for (int i = 0; i < PORTS_TRIED; i++)
        if (listen_on(s, USUAL_PORT + i)) return true;
    return false;
}

static bool obey_signals(studio *s)
{
    alarm_clock = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    const struct sigaction action = {.sa_handler = on_signal};
    const lws_sock_file_fd_type which = {.filefd = alarm_clock};
    return alarm_clock >= 0 &&
           lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_RAW_FILE_DESC, which, "foliot-watch",
                                      NULL) &&
           sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0;
}

static int serve(studio *s, const char *path, bool json)
{
    if (!obey_signals(s)) {
        fail("no memory to serve", strerror(errno));
        return 1;
    }
    watch(s);
    if (json)
        printf("{\"address\": \"http://127.0.0.1:%d/%s/\", \"port\": %d}\n", s->port, s->token,
               s->port);
    else
        printf("http://127.0.0.1:%d/%s/\n"
               "The models of %s; the address is for you alone. Ctrl+C ends it.\n",
               s->port, s->token, path);
    if (fflush(stdout) != 0) {
        fail("cannot print its address", strerror(errno));
        return 1;
    }
    while (!ended && lws_service(s->context, 0) >= 0) {
    }
    if (!ended) fail("the server cannot go on", strerror(errno));
    return ended ? 0 : 1;
}

int main(int argc, char **argv)
{
    studio s = {.program = argc > 1 ? argv[1] : NULL};
    const char *port = argc > 3 && *argv[3] ? argv[3] : NULL;
    const char *shown = argc > 5 ? argv[5] : argc > 2 ? argv[2] : NULL;
    if (argc < 3 || argc > 6) {
        fprintf(stderr, "foliot-studio is started by 'foliot studio': use that\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    // documents that name files mean those of the folder
    if (!folder_open(&s.models, argv[2]) || fchdir(s.models.fd) != 0) {
        fail(shown, strerror(errno));
        return 1;
    }
    int status = 1;
    if (!make_token(&s))
        fail("cannot get random numbers from the system", strerror(errno));
    else if (!begin(&s, port))
        fail(port ? port : "all ports that it tries",
             "cannot listen on this port of 127.0.0.1; is it taken?");
    else
        status = serve(&s, shown, argc > 4 && *argv[4]);
    if (s.context) lws_context_destroy(s.context);
    folder_close(&s.models);
    return status;
}
