#include "base/cache.h"

#if defined(__unix__) && !defined(__wasm__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -------------------------------------------------------------------------------------- the folder

// What is writable for others can be exchanged by them, but for a folder with the sticky bit: there
// they can exchange only what is their own.
static const char *suspicion(const struct stat *about, bool last)
{
    if (!S_ISDIR(about->st_mode)) return "is no folder";
    if (last && about->st_uid != geteuid()) return "belongs to another user";
    if (about->st_uid != geteuid() && about->st_uid != 0) return "belongs to another user";
    bool shared = about->st_mode & (S_IWGRP | S_IWOTH), sticky = about->st_mode & S_ISVTX;
    if (shared && (last || !sticky)) return "can be written to by others";
    return NULL;
}

// Every folder on the way, from the root down; the path has no links.
static fo_status check_way(char *folder, fo_message *why)
{
    for (char *end = folder; end;) {
        struct stat about;
        end = strchr(end + 1, '/');
        if (end) *end = 0;
        const char *wrong = lstat(folder, &about) != 0 ? strerror(errno) : suspicion(&about, !end);
        if (wrong)
            return fo_fail(why, FO_ERROR_UNFIT,
                           "no compiled programs are kept or loaded in the cache: %s %s", folder,
                           wrong);
        if (end) *end = '/';
    }
    struct stat root;
    const char *wrong = lstat("/", &root) != 0 ? strerror(errno) : suspicion(&root, false);
    if (wrong) return fo_fail(why, FO_ERROR_UNFIT, "the root folder %s", wrong);
    return FO_OK;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

// A relative one would depend on where one stands, and an empty HOME would be the root.
static bool usable(const char *path)
{
    return path && path[0] == '/' && path[strspn(path, "/")] != 0;
}

static bool users_folder(char folder[FOI_CACHE_FOLDER])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    size_t size = FOI_CACHE_FOLDER;
    int n = usable(cache)  ? snprintf(folder, size, "%s", cache)
            : usable(home) ? snprintf(folder, size, "%s/.cache", home)
                           : -1;
    if (n < 0 || (size_t)n + sizeof "/foliot" > size || !make_folder(folder)) return false;
    memcpy(folder + n, "/foliot", sizeof "/foliot");
    return make_folder(folder);
}

fo_status foi_cache_folder(const char *given, char folder[FOI_CACHE_FOLDER], fo_message *why)
{
    char *real = NULL;
    if (given)
        real = realpath(given, NULL);
    else if (users_folder(folder))
        real = realpath(folder, NULL);
    bool fits = real && strlen(real) < FOI_CACHE_FOLDER;
    if (fits) memcpy(folder, real, strlen(real) + 1);
    free(real);
    if (!fits)
        return fo_fail(why, FO_ERROR_UNFIT, "no folder to keep compiled programs in%s%s",
                       given ? ": " : " (neither XDG_CACHE_HOME nor HOME names one)",
                       given ? given : "");
    return check_way(folder, why);
}

// ---------------------------------------------------------------------------------------- the seal

enum { SEAL = 1 + 13 + 3 + 32 + 1 + 16 + 1 + 16 + 1 }; ///< bytes of it

static void write_seal(char seal[SEAL + 1], foi_digest source, uint64_t sum, uint64_t length)
{
    snprintf(seal, SEAL + 1,
             "\nfoliot-sealed 1 %016" PRIx64 "%016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
             source.half[0], source.half[1], sum, length);
}

// The checksum of the first `count` bytes, from where the file stands.
static bool sum_bytes(int fd, uint64_t count, uint64_t *sum)
{
    char block[1 << 14];
    foi_hash h;
    foi_hash_begin(&h, 0);
    while (count) {
        ssize_t n = read(fd, block, count < sizeof block ? (size_t)count : sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        foi_hash_add(&h, block, (size_t)n);
        count -= (uint64_t)n;
    }
    *sum = foi_hash_end(&h);
    return true;
}

static const char *fault_of(int fd, foi_digest source)
{
    struct stat about;
    char seal[SEAL + 1], found[SEAL + 1];
    uint64_t sum;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return "it is no plain file";
    if (about.st_uid != geteuid()) return "it belongs to another user";
    if (about.st_mode & (S_IWGRP | S_IWOTH)) return "others can write to it";
    if (about.st_size <= SEAL) return "it is cut short";
    uint64_t length = (uint64_t)about.st_size - SEAL;
    if (!sum_bytes(fd, length, &sum)) return "it cannot be read";
    if (read(fd, found, SEAL) != SEAL) return "it cannot be read";
    found[SEAL] = 0;
    write_seal(seal, source, sum, length);
    if (memcmp(seal, found, 17) != 0) return "it is cut short or not ours";
    if (memcmp(seal + 17, found + 17, 32) != 0) return "it was made of another source";
    return memcmp(seal, found, SEAL) == 0 ? NULL : "its bytes are not those that were written";
}

foi_cached foi_cache_look(const char *object, foi_digest source, fo_message *why)
{
    int fd = open(object, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) return FOI_CACHE_NONE;
    const char *fault = fd < 0 ? strerror(errno) : fault_of(fd, source);
    if (fd >= 0) close(fd);
    if (!fault) return FOI_CACHE_GOOD;
    fo_fail(why, FO_ERROR_FORMAT, "the object in the cache was not used, %s", fault);
    return FOI_CACHE_BAD;
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n, count -= (size_t)n;
    }
    return true;
}

static bool seal(int fd, foi_digest source)
{
    struct stat about;
    char text[SEAL + 1];
    uint64_t sum;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    if (!sum_bytes(fd, (uint64_t)about.st_size, &sum)) return false;
    write_seal(text, source, sum, (uint64_t)about.st_size);
    return fchmod(fd, 0700) == 0 && write_all(fd, text, SEAL) && fsync(fd) == 0;
}

fo_status foi_cache_keep(const char *made, const char *object, foi_digest source, fo_message *why)
{
    int fd = open(made, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && seal(fd, source);
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && good) good = false, error = errno;
    if (good && rename(made, object) != 0) good = false, error = errno;
    if (good) return FO_OK;
    unlink(made);
    return fo_fail(why, FO_ERROR_UNFIT, "cannot make %s: %s", object, strerror(error));
}

// ------------------------------------------------------------------------------------ what is left

// The process that makes a file of this name; 0: it is not such a name.
static pid_t maker(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    unsigned long pid;
    int length = 0;
    if (strspn(name, digits) != 32 || sscanf(name + 32, "-%lx-%*x%n", &pid, &length) != 1) return 0;
    const char *ending = name + 32 + length;
    bool ours = length > 0 && (strcmp(ending, ".c") == 0 || strcmp(ending, ".so") == 0);
    return ours && pid > 0 && pid < 1ul << 30 ? (pid_t)pid : 0;
}

void foi_cache_clean(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *d; (d = readdir(dir));) {
        pid_t pid = maker(d->d_name);
        if (pid && kill(pid, 0) != 0 && errno == ESRCH) unlinkat(dirfd(dir), d->d_name, 0);
    }
    closedir(dir);
}

#else

fo_status foi_cache_folder(const char *given, char folder[FOI_CACHE_FOLDER], fo_message *why)
{
    (void)given, (void)folder;
    return fo_fail(why, FO_ERROR_UNFIT, "there is no folder for compiled programs here");
}

foi_cached foi_cache_look(const char *object, foi_digest source, fo_message *why)
{
    (void)object, (void)source, (void)why;
    return FOI_CACHE_NONE;
}

fo_status foi_cache_keep(const char *made, const char *object, foi_digest source, fo_message *why)
{
    (void)made, (void)source;
    return fo_fail(why, FO_ERROR_UNFIT, "cannot make %s", object);
}

#endif
