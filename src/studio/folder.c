// Files of a folder. Names are one component, opened relative to the folder and without following
// links, so that there is no path to check and no race to lose.
#include "studio/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_open(folder *f, const char *path)
{
    f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->fd >= 0;
}

void folder_close(folder *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

// ------------------------------------------------------------------------------------------ names

// The bytes of the character at `s`, 0: it is none of UTF-8 in its shortest form.
static size_t character_bytes(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t count = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (size_t i = 1; i < count; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool longer = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0, beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return longer || surrogate || beyond ? 0 : count;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool folder_is_name(const char *name)
{
    if (!name[0] || name[0] == '.' || strlen(name) > FOLDER_NAME_MOST) return false;
    for (const unsigned char *s = (const unsigned char *)name; *s;) {
        size_t bytes = character_bytes(s);
        if (!bytes || *s < ' ' || *s == 0x7f || strchr("/\\\"", *s)) return false;
        s += bytes;
    }
    return ends_with(name, ".mo") || ends_with(name, ".json");
}

// ---------------------------------------------------------------------------------------- reading

static void put_stamp(const struct stat *about, char stamp[FOLDER_STAMP])
{
    uint64_t moment =
        (uint64_t)about->st_mtim.tv_sec * 1000000000u + (uint64_t)about->st_mtim.tv_nsec;
    snprintf(stamp, FOLDER_STAMP, "%llx-%llx-%llx", (unsigned long long)moment,
             (unsigned long long)about->st_size, (unsigned long long)about->st_ino);
}

static folder_result look(const folder *f, const char *name, char stamp[FOLDER_STAMP])
{
    struct stat about;
    if (fstatat(f->fd, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? FOLDER_NONE : FOLDER_FAILED;
    if (!S_ISREG(about.st_mode)) return FOLDER_KIND;
    put_stamp(&about, stamp);
    return FOLDER_FINE;
}

static folder_result read_all(int fd, char **text, size_t *size)
{
    char *bytes = malloc(FOLDER_FILE_MOST + 1);
    size_t count = 0;
    ssize_t n = 1;
    while (bytes && n && count <= FOLDER_FILE_MOST) {
        n = read(fd, bytes + count, FOLDER_FILE_MOST + 1 - count);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) count += (size_t)n;
    }
    if (!bytes || n < 0 || count > FOLDER_FILE_MOST) {
        free(bytes);
        return !bytes || n < 0 ? FOLDER_FAILED : FOLDER_LARGE;
    }
    *text = bytes, *size = count;
    return FOLDER_FINE;
}

folder_result folder_read(const folder *f, const char *name, char **text, size_t *size,
                          char stamp[FOLDER_STAMP])
{
    struct stat about;
    if (!folder_is_name(name)) return FOLDER_NAME;
    int fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? FOLDER_NONE : errno == ELOOP ? FOLDER_KIND : FOLDER_FAILED;
    folder_result result = fstat(fd, &about) != 0    ? FOLDER_FAILED
                           : !S_ISREG(about.st_mode) ? FOLDER_KIND
                                                     : read_all(fd, text, size);
    if (result == FOLDER_FINE) put_stamp(&about, stamp);
    close(fd);
    return result;
}

// ---------------------------------------------------------------------------------------- writing

// A new file beside the others, hidden from the list.
static int create_beside(const folder *f, const char *name, char *temporary, size_t room)
{
    uint64_t random;
    struct stat about;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    snprintf(temporary, room, ".foliot-%016llx.tmp", (unsigned long long)random);
    int fd = openat(f->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    // a file that is replaced keeps its mode
    if (fd >= 0 && fstatat(f->fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(about.st_mode) && fchmod(fd, about.st_mode & 0777) != 0) {
        close(fd);
        unlinkat(f->fd, temporary, 0);
        return -1;
    }
    return fd;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text += n, size -= (size_t)n;
    }
    return fsync(fd) == 0;
}

// What is there must be what the writer has seen.
static folder_result check_version(const folder *f, const char *name, const char *was)
{
    char now[FOLDER_STAMP] = "";
    folder_result result = look(f, name, now);
    if (result != FOLDER_FINE && result != FOLDER_NONE) return result;
    return strcmp(was, "*") == 0 || strcmp(was, now) == 0 ? FOLDER_FINE : FOLDER_CHANGED;
}

folder_result folder_write(const folder *f, const char *name, const char *was, const char *text,
                           size_t size, char stamp[FOLDER_STAMP])
{
    char temporary[64];
    if (!folder_is_name(name)) return FOLDER_NAME;
    if (size > FOLDER_FILE_MOST) return FOLDER_LARGE;
    folder_result result = check_version(f, name, was);
    if (result != FOLDER_FINE) return result;
    int fd = create_beside(f, name, temporary, sizeof temporary);
    if (fd < 0) return FOLDER_FAILED;
    bool written = write_all(fd, text, size);
    written = close(fd) == 0 && written;
    result = written ? check_version(f, name, was) : FOLDER_FAILED;
    if (result == FOLDER_FINE && renameat(f->fd, temporary, f->fd, name) != 0)
        result = FOLDER_FAILED;
    if (result == FOLDER_FINE) {
        fsync(f->fd); // some file systems cannot, for folders: the file itself is safe then, too
        return look(f, name, stamp);
    }
    int error = errno;
    unlinkat(f->fd, temporary, 0);
    errno = error;
    return result;
}

// ----------------------------------------------------------------------------------------- listing

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The names of models in the folder, sorted; the caller frees them. False without memory for one.
static bool collect(const folder *f, char **names, size_t *count)
{
    int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    bool fine = dir;
    if (!dir && fd >= 0) close(fd);
    for (struct dirent *e; fine && *count < FOLDER_LIST_MOST && (e = readdir(dir));) {
        if (!folder_is_name(e->d_name)) continue;
        names[*count] = strdup(e->d_name);
        if (names[*count])
            ++*count;
        else
            fine = false;
    }
    if (dir) closedir(dir);
    qsort(names, *count, sizeof *names, compare_names);
    return fine;
}

enum { ENTRY = FOLDER_NAME_MOST + FOLDER_STAMP + 32 }; // bytes of one in the list

// Writes an entry if the file is still there; returns its length. A name has nothing that JSON
// would want escaped.
static size_t put_entry(char *at, const folder *f, const char *name, bool first)
{
    char stamp[FOLDER_STAMP];
    if (look(f, name, stamp) != FOLDER_FINE) return 0;
    return (size_t)snprintf(at, ENTRY, "%s{\"name\": \"%s\", \"stamp\": \"%s\"}", first ? "" : ", ",
                            name, stamp);
}

char *folder_list(const folder *f, size_t *size)
{
    char **names = calloc(FOLDER_LIST_MOST, sizeof *names);
    size_t count = 0, length = 0;
    bool fine = names && collect(f, names, &count);
    char *text = fine ? malloc(count * ENTRY + 3) : NULL;
    if (text) {
        text[length++] = '[';
        for (size_t i = 0; i < count; i++)
            length += put_entry(text + length, f, names[i], length == 1);
        memcpy(text + length, "]", 2);
        *size = length + 1;
    }
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return text;
}
