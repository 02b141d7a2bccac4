/// Whole files, see base/bytes.h.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __unix__
#include <poll.h>
#include <sys/file.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/made.h"
#include "base/memory.h"
#include "base/whole_write.h"

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

// Opens the file that is to take the place of another, for this process alone; -1 and errno, EBUSY
// where another process is at it, EEXIST where somebody else has made one of that name: what a
// killed process of this program left is signed. Between the opening and the lock it may have got
// its final name: then it is not to be touched any more.
static int open_fresh(const char *fresh)
{
    for (int tries = 0; tries < 10; tries++) {
        int fd = open(fresh, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0) return -1;
        struct stat own, there;
        bool busy = false;
#ifdef LOCK_EX
        busy = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
#endif
        bool same = !busy && fstat(fd, &own) == 0 && stat(fresh, &there) == 0 &&
                    own.st_dev == there.st_dev && own.st_ino == there.st_ino;
        bool foreign = same && own.st_size > 0 && foi_file_origin(fd) == FOI_MADE_BY_OTHERS;
        if (same && !foreign && ftruncate(fd, 0) == 0) {
            foi_file_sign(fd, false);
            return fd;
        }
        int error = errno;
        close(fd);
        errno = busy ? EBUSY : foreign ? EEXIST : error;
        if (busy || same) return -1;
    }
    errno = EBUSY;
    return -1;
}

// What is to be replaced may be the rows of a run, which holds it: then they would go on into a
// file without a name. The lock, or -1 where nothing is there to be held; EBUSY where a run has it.
static int hold_old(const char *path, int *error)
{
    int fd = -1;
#ifdef O_NOFOLLOW
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd >= 0 && !foi_lock_alone(fd)) *error = EBUSY;
#else
    (void)path, (void)error;
#endif
    return fd;
}

// Writes `fresh` and gives it its name; 0, or errno, ESTALE where somebody else has written what
// was there meanwhile: a disk may take long. The lock is held until it has it.
static int write_and_rename(const char *fresh, const char *path, const void *bytes, size_t count)
{
    foi_sight before = foi_file_look(path);
    int fd = open_fresh(fresh);
    if (fd < 0) return errno;
    int error = write_all(fd, bytes, count) && fsync(fd) == 0 ? 0 : errno;
    if (!error) foi_file_sign(fd, true);
    int old = error ? -1 : hold_old(path, &error);
    if (!error && !foi_file_unchanged(&before, path)) error = ESTALE;
    if (!error && rename(fresh, path) != 0) error = errno;
    if (error) unlink(fresh);
    if (old >= 0) close(old);
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
    int error = write_and_rename(fresh, path, bytes, count);
    if (!error) keep_folder(fresh);
    foi_free(allocator, fresh);
    if (!error) return FO_OK;
    if (error == EBUSY) return fo_fail(why, FO_ERROR_INPUT, "another run is writing '%s'", path);
    if (error == ESTALE)
        return fo_fail(why, FO_ERROR_INPUT,
                       "cannot write '%s': it was written by somebody else since this run began",
                       path);
    if (error == EEXIST)
        return fo_fail(why, FO_ERROR_INPUT,
                       "cannot write '%s': it is written as '%s.new' first, and that is there and "
                       "was made by somebody else",
                       path, path);
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

// ---------------------------------------------------------------------------- files of a document

// Whether a part of the path is "..".
static bool climbs(const char *path)
{
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') return true;
        at += length + (at[length] == '/');
    }
    return false;
}

// An absolute path in the folder, as it is written.
static bool begins_with(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    return folder[0] == '/' && strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || length == 1);
}

char *foi_file_within(const char *path, const char *folder, const fo_allocator *allocator,
                      fo_message *why)
{
    bool absolute = path[0] == '/';
    if (folder && !*folder) {
        fo_fail(why, FO_ERROR_INPUT, "the document may use no files, and names '%.100s'", path);
        return NULL;
    }
    if (folder && (climbs(path) || (absolute && !begins_with(path, folder)))) {
        fo_fail(
            why, FO_ERROR_INPUT,
            "the document may use files in '%.100s' only, and '%.100s' leads out of it (--files "
            "DIR names another folder)",
            folder, path);
        return NULL;
    }
    bool joined = folder && !absolute && strcmp(folder, ".") != 0;
    size_t size = strlen(path) + (joined ? strlen(folder) + 1 : 0) + 1;
    char *name = foi_new(allocator, size, 1);
    if (name)
        snprintf(name, size, "%s%s%s", joined ? folder : "", joined ? "/" : "", path);
    else
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the name of a file");
    return name;
}

#if defined __unix__ && defined O_NOFOLLOW && defined O_DIRECTORY

// Opens what stands in the folder `at` under the next part of a path; -1 and errno, ELOOP where
// that is a link.
static int open_part(int at, const char *part, int flags)
{
    struct stat about;
    int fd = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    int error = errno;
    if (fd < 0 && fstatat(at, part, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode))
        error = ELOOP;
    errno = error;
    return fd;
}

// Part by part, each in the folder that the one before it is: no name is looked up twice.
int foi_file_open(const char *path, const char *folder, int flags)
{
    enum { LONGEST = 255 };
    char part[LONGEST + 1];
    if (!folder) return open(path, flags, 0666);
    bool here = path[0] != '/' && strcmp(folder, ".") == 0;
    const char *next = here ? path : path + strlen(folder);
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        next += strspn(next, "/");
        size_t length = strcspn(next, "/");
        bool last = !next[length + strspn(next + length, "/")];
        int written =
            snprintf(part, sizeof part, "%.*s", length ? (int)length : 1, length ? next : ".");
        int fd = -1;
        if (written > LONGEST)
            errno = ENAMETOOLONG;
        else
            fd = open_part(at, part, last ? flags : O_RDONLY | O_DIRECTORY);
        int error = errno;
        close(at);
        errno = error;
        if (last) return fd;
        at = fd, next += length;
    }
    return -1;
}

#else

int foi_file_open(const char *path, const char *folder, int flags)
{
    (void)folder;
    return open(path, flags, 0666);
}

#endif

static const char *why_not(int error)
{
    if (error == ELOOP) return "a link in the folder is not followed (--files DIR names another)";
    return strerror(error);
}

static FILE *refuse(int fd, const char *verb, const char *path, const char *wrong, fo_message *why)
{
    if (fd >= 0) close(fd);
    fo_fail(why, FO_ERROR_INPUT, "cannot %s the file '%.200s': %s", verb, path, wrong);
    return NULL;
}

static FILE *open_plain(const char *path, const char *folder, const char **wrong)
{
    struct stat about;
    int fd = foi_file_open(path, folder, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool plain = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = plain ? fdopen(fd, "rb") : NULL;
    *wrong = fd >= 0 && !plain ? "it is no plain file" : folder ? why_not(errno) : strerror(errno);
    if (!file && fd >= 0) close(fd);
    return file;
}

FILE *foi_file_plain(const char *path, const char **wrong)
{
    return open_plain(path, NULL, wrong);
}

FILE *foi_file_read(const char *path, const char *folder, fo_message *why)
{
    const char *wrong;
    FILE *file = open_plain(path, folder, &wrong);
    return file ? file : refuse(-1, "read", path, wrong, why);
}

#ifdef __unix__
// Waits for bytes; false after `seconds` without one.
static bool wait_for_bytes(int fd, int seconds)
{
    struct pollfd writer = {.fd = fd, .events = POLLIN};
    for (;;) {
        int ready = poll(&writer, 1, seconds * 1000);
        if (ready > 0) return true;
        if (ready < 0 && errno == EINTR) continue;
        errno = ETIMEDOUT;
        return false;
    }
}

static ssize_t read_waiting(int fd, char *bytes, size_t size, int seconds)
{
    for (;;) {
        if (!wait_for_bytes(fd, seconds)) return -1;
        ssize_t n = read(fd, bytes, size);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
    }
}
#else
static ssize_t read_waiting(int fd, char *bytes, size_t size, int seconds)
{
    (void)seconds;
    return read(fd, bytes, size);
}
#endif

// Files, pipes and terminals end; other devices, such as /dev/zero, may never do.
static bool may_be_endless(int fd)
{
    struct stat about;
    return fstat(fd, &about) != 0 || S_ISBLK(about.st_mode) ||
           (S_ISCHR(about.st_mode) && !isatty(fd));
}

char *foi_file_gather(const char *path, int seconds, size_t most, size_t *count, fo_message *why)
{
    enum { PIECE = 1 << 16 };
    char *bytes = NULL;
    size_t room = 0;
    ssize_t n = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && may_be_endless(fd) && most > PIECE) most = PIECE;
    *count = 0;
    while (fd >= 0 && n > 0 && *count <= most) {
        if (!foi_array_room(NULL, &bytes, &room, *count + PIECE + 1, 1)) break;
        n = read_waiting(fd, bytes + *count, PIECE, seconds);
        if (n > 0) *count += (size_t)n;
    }
    int error = errno;
    bool good = fd >= 0 && n == 0 && *count <= most;
    if (fd >= 0) close(fd);
    if (good) return bytes;
    foi_free(NULL, bytes);
    if (fd >= 0 && n > 0 && *count <= most)
        fo_fail(why, FO_ERROR_MEMORY, "%s: no memory for it", path);
    else if (fd >= 0 && n < 0 && error == ETIMEDOUT)
        fo_fail(why, FO_ERROR_INPUT, "%s: nobody has written to it for %d s", path, seconds);
    else if (*count > most)
        fo_fail(why, FO_ERROR_INPUT, "%s: more than %zu bytes, which is too large", path, most);
    else
        fo_fail(why, FO_ERROR_INPUT, "%s: %s", path, strerror(error));
    return NULL;
}

static const char foreign[] =
    "it is there and is not what this document writes (--overwrite replaces it)";

// Whether something with content is there that the document did not make.
static bool is_foreign(FILE *file, const struct stat *about,
                       bool (*ours)(FILE *file, const void *self), const void *self)
{
    return ours && about->st_size > 0 &&
           (!ours(file, self) || foi_file_origin(fileno(file)) == FOI_MADE_BY_OTHERS);
}

// Whether a new file can stand there: its folder is there, and new files can be made in it.
static int open_folder_of(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *above = foi_new(NULL, length + 3, 1);
    if (!above) return errno = ENOMEM, -1;
    if (slash) memcpy(above, path, length ? length : 1);
    if (!slash) above[0] = '.';
    int fd = foi_file_open(above, folder, O_RDONLY | O_CLOEXEC);
#ifdef AT_EACCESS
    if (fd >= 0 && faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        int error = errno;
        close(fd);
        errno = error, fd = -1;
    }
#endif
    foi_free(NULL, above);
    return fd;
}

fo_status foi_file_makeable(const char *path, const char *folder,
                            bool (*ours)(FILE *file, const void *self), const void *self,
                            fo_message *why)
{
    struct stat about;
    const char *wrong = NULL;
    int fd = foi_file_open(path, folder, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) {
        fd = open_folder_of(path, folder);
        if (fd >= 0) close(fd);
        if (fd >= 0) return FO_OK;
    }
    FILE *file = NULL;
    if (fd < 0)
        wrong = folder ? why_not(errno) : strerror(errno);
    else if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        wrong = "it is no plain file";
    else if (!(file = fdopen(fd, "r")))
        wrong = strerror(errno);
    else if (is_foreign(file, &about, ours, self))
        wrong = foreign;
    if (wrong) refuse(file ? -1 : fd, "write", path, wrong, why);
    if (file) fclose(file);
    return wrong ? FO_ERROR_INPUT : FO_OK;
}

FILE *foi_file_make(const char *path, const char *folder,
                    bool (*ours)(FILE *file, const void *self), const void *self, fo_message *why)
{
    struct stat about;
    int fd = foi_file_open(path, folder, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return refuse(fd, "write", path, folder ? why_not(errno) : strerror(errno), why);
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return refuse(fd, "write", path, "it is no plain file", why);
    if (!foi_lock_alone(fd)) return refuse(fd, "write", path, "another run is writing it", why);
    if (fstat(fd, &about) != 0) return refuse(fd, "write", path, strerror(errno), why);
    FILE *file = fdopen(fd, "r+");
    if (!file) return refuse(fd, "write", path, strerror(errno), why);
    const char *wrong = NULL;
    if (is_foreign(file, &about, ours, self))
        wrong = foreign;
    else if (fseek(file, 0, SEEK_SET) != 0 || foi_cut(fd, 0) != 0)
        wrong = strerror(errno);
    if (!wrong) {
        foi_file_sign(fd, false);
        return file;
    }
    refuse(-1, "write", path, wrong, why);
    fclose(file);
    return NULL;
}
