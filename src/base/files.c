/// Whole files, see base/bytes.h.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"

#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif

static bool write_all(int fd, const unsigned char *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        bytes += n, count -= (size_t)n;
    }
    return true;
}

// The new name is on the disk when the folder is.
static void keep_folder(char *fresh)
{
    char *slash = strrchr(fresh, '/');
    if (slash) slash[slash == fresh] = 0;
    int fd = open(slash ? fresh : ".", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static int write_fresh(const char *fresh, const void *bytes, size_t count)
{
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return errno;
    int error = write_all(fd, bytes, count) && fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && !error) error = errno;
    return error;
}

fo_status foi_file_save(const char *path, const void *bytes, size_t count,
                        const fo_allocator *allocator, fo_message *why)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fo_fail(why, FO_ERROR_INPUT, "cannot write '%s': it is no plain file", path);
    size_t size = strlen(path) + sizeof ".new";
    char *fresh = foi_new(allocator, size, 1);
    if (!fresh) return fo_fail(why, FO_ERROR_MEMORY, "no memory to write '%s'", path);
    snprintf(fresh, size, "%s.new", path);
    int error = write_fresh(fresh, bytes, count);
    if (!error && rename(fresh, path) != 0) error = errno;
    if (error)
        unlink(fresh);
    else
        keep_folder(fresh);
    foi_free(allocator, fresh);
    if (!error) return FO_OK;
    if (error == ENAMETOOLONG)
        return fo_fail(why, FO_ERROR_INPUT, "the name of a file is too long: '%.80s...'", path);
    return fo_fail(why, FO_ERROR_INPUT, "cannot write '%s': %s", path, strerror(error));
}

static bool read_all(int fd, unsigned char *bytes, size_t count)
{
    while (count) {
        ssize_t n = read(fd, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO; // it became shorter
        if (n <= 0) return false;
        bytes += n, count -= (size_t)n;
    }
    return true;
}

fo_status foi_file_load(const char *path, const fo_allocator *allocator, unsigned char **bytes,
                        size_t *count, fo_message *why)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return fo_fail(why, FO_ERROR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    bool plain = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    *count = plain ? (size_t)about.st_size : 0;
    *bytes = plain ? foi_new(allocator, *count + 1, 1) : NULL;
    bool good = *bytes && read_all(fd, *bytes, *count);
    int error = errno;
    close(fd);
    if (good) return FO_OK;
    bool memory = plain && !*bytes;
    foi_free(allocator, *bytes);
    *bytes = NULL;
    if (memory) return fo_fail(why, FO_ERROR_MEMORY, "no memory to read '%s'", path);
    return fo_fail(why, FO_ERROR_INPUT, "cannot read '%s': %s", path,
                   plain ? strerror(error) : "it is no plain file");
}
