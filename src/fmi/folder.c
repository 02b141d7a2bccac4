/// Temporary folders. A process that is killed leaves its folder behind; whoever makes the next one
/// removes it. How does it know that nobody is there? Every folder has a file that its process
/// holds locked (flock), and the system gives up the locks of a process that has died, however it
/// died. The file gets its name when it is locked, so that nobody finds it free meanwhile.
#include "fmi/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char LOCK[] = ".lock", PREFIX[] = "foliot-fmu-";

// A folder that others may have made unreadable; -1: it is none, or not ours.
static int open_inner(int place, const char *name)
{
    if (fchmodat(place, name, 0700, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return -1;
    return openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_name(const struct dirent *d)
{
    return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

// What is in root/name goes; folders in it go up, into the root, under numbers for names.
static void lift_folders(int root, const char *name, uint32_t *number)
{
    char up[16];
    int folder = open_inner(root, name);
    DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
    if (!dir && folder >= 0) close(folder);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (!is_name(d) || unlinkat(folder, d->d_name, 0) == 0) continue;
        // its ".." changes, which needs leave to write
        if (fchmodat(folder, d->d_name, 0700, AT_SYMLINK_NOFOLLOW) != 0) continue;
        do snprintf(up, sizeof up, "%u", ++*number);
        while (renameat(folder, d->d_name, root, up) != 0 &&
               (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR));
    }
    if (dir) closedir(dir);
}

// However deep folders lie in each other, as a unit may make them: one level goes at a time, so
// that neither the stack nor the open files are as many as the levels.
static void remove_at(int place, const char *name)
{
    uint32_t number = 0;
    int root = open_inner(place, name);
    DIR *dir = root >= 0 ? fdopendir(root) : NULL;
    if (!dir && root >= 0) close(root);
    for (bool more = dir; more; rewinddir(dir)) {
        more = false;
        for (struct dirent *d; (d = readdir(dir));) {
            if (!is_name(d) || unlinkat(root, d->d_name, 0) == 0) continue;
            lift_folders(root, d->d_name, &number);
            more |= unlinkat(root, d->d_name, AT_REMOVEDIR) == 0;
        }
    }
    if (dir) closedir(dir);
    unlinkat(place, name, AT_REMOVEDIR);
}

// Ours, and of a process that is no more. One without a lock may be just being made: after an hour
// it is not.
static bool is_left_behind(int place, const char *name)
{
    enum { HOUR = 3600 };
    struct stat about;
    char path[300];
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return false;
    if (fstatat(place, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode) ||
        about.st_uid != geteuid())
        return false;
    snprintf(path, sizeof path, "%s/%s", name, LOCK);
    int lock = openat(place, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0) return errno == ENOENT && time(NULL) - about.st_mtime > HOUR;
    bool free_now = flock(lock, LOCK_EX | LOCK_NB) == 0;
    close(lock);
    return free_now;
}

static void clean(const char *place)
{
    DIR *dir = opendir(place);
    if (!dir) return;
    for (struct dirent *d; (d = readdir(dir));)
        if (is_left_behind(dirfd(dir), d->d_name)) remove_at(dirfd(dir), d->d_name);
    closedir(dir);
}

static int make_lock(const char *folder)
{
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0) return -1;
    int lock = openat(at, ".new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good =
        lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && renameat(at, ".new", at, LOCK) == 0;
    int failed = errno;
    if (!good && lock >= 0) close(lock);
    close(at);
    errno = failed;
    return good ? lock : -1;
}

fo_status foi_folder_make(foi_folder *f, fo_message *why)
{
    const char *place = getenv("TMPDIR");
    if (!place || !*place) place = "/tmp";
    clean(place);
    int n = snprintf(f->path, sizeof f->path, "%s/%sXXXXXX", place, PREFIX);
    bool made = n > 0 && (size_t)n < sizeof f->path && mkdtemp(f->path);
    f->lock = made ? make_lock(f->path) : -1;
    if (f->lock >= 0) return FO_OK;
    int failed = errno;
    if (made) foi_folder_remove(f);
    f->path[0] = 0;
    return fo_fail(why, FO_ERROR_INPUT, "cannot make a temporary folder: %s", strerror(failed));
}

void foi_folder_remove(foi_folder *f)
{
    if (!f->path[0]) return;
    remove_at(AT_FDCWD, f->path);
    if (f->lock >= 0) close(f->lock);
    *f = (foi_folder){.lock = -1};
}
