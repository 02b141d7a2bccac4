// A client of the socket of `foliot live`, well behaved or not.
//
//     live_client PATH say LINE...     sends the lines, prints one answer each
//     live_client PATH flood SECONDS   sends events as fast as it can, reads the answers
//     live_client PATH deaf SECONDS    the same, and never reads
//     live_client PATH noise SECONDS   sends bytes of chance
//     live_client PATH many COUNT      connects so many times, says so, stays until it is left
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int reach(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    for (int i = 0; i < 200; i++) { // the run may not have begun yet
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
        usleep(10000);
    }
    perror(path);
    exit(1);
}

static int say(int fd, int count, char **lines)
{
    FILE *in = fdopen(fd, "r");
    for (int i = 0; i < count; i++) {
        char answer[8192];
        if (dprintf(fd, "%s\n", lines[i]) < 0 || !fgets(answer, sizeof answer, in)) return 1;
        fputs(answer, stdout);
    }
    return 0;
}

// Never blocks, so that it ends in time whatever the other side does.
static int pour(int fd, double span, int reads, int noise)
{
    char lines[4096];
    size_t used = 0;
    long sent = 0;
    double end = seconds() + span;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (!noise && used + 16 < sizeof lines)
        used += (size_t)snprintf(lines + used, sizeof lines - used, "tap 0.00001\n");
    srand(1);
    while (seconds() < end) {
        char answers[65536];
        for (size_t i = 0; noise && i < sizeof lines; i++) lines[i] = (char)(rand() >> 7);
        ssize_t put = send(fd, lines, noise ? sizeof lines : used, MSG_NOSIGNAL);
        if (put > 0) sent += put;
        if (put < 0 && errno != EAGAIN) return 1; // it was thrown out
        ssize_t got = reads ? recv(fd, answers, sizeof answers, 0) : 0;
        (void)got;
    }
    printf("%ld\n", sent);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const char *path = argv[1], *what = argv[2];
    if (strcmp(what, "many") == 0) {
        int count = atoi(argv[3]), first = reach(path);
        char byte;
        for (int i = 1; i < count; i++) reach(path);
        printf("there\n");
        fflush(stdout);
        for (int i = 0; i < count; i++)
            while (read(first + i, &byte, 1) > 0) continue;
        return 0;
    }
    int fd = reach(path);
    if (strcmp(what, "say") == 0) return say(fd, argc - 3, argv + 3);
    return pour(fd, atof(argv[3]), strcmp(what, "flood") == 0, strcmp(what, "noise") == 0);
}
