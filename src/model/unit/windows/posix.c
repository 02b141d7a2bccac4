#include "model/unit/windows/posix.h"

#ifdef _WIN32
#include <io.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#undef fclose

/// A stream that is handed over when it is closed. There are few at a time.
typedef struct handed {
    FILE *file;
    void *cookie;
    cookie_io_functions_t functions;
    struct handed *next;
} handed;

static handed *first;
static SRWLOCK lock = SRWLOCK_INIT;

// Kept in memory by the system where that has room, and gone with its closing.
static FILE *temporary(void)
{
    char folder[MAX_PATH + 1], path[MAX_PATH + 1];
    if (!GetTempPathA(sizeof folder, folder) || !GetTempFileNameA(folder, "fol", 0, path))
        return NULL;
    return fopen(path, "w+bTD");
}

FILE *unit_open_cookie(void *cookie, cookie_io_functions_t functions)
{
    handed *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    *h = (handed){temporary(), cookie, functions, NULL};
    if (!h->file) {
        free(h);
        return NULL;
    }
    AcquireSRWLockExclusive(&lock);
    h->next = first, first = h;
    ReleaseSRWLockExclusive(&lock);
    return h->file;
}

static handed *find(FILE *file)
{
    AcquireSRWLockExclusive(&lock);
    handed **at = &first, *found;
    while (*at && (*at)->file != file) at = &(*at)->next;
    found = *at;
    if (found) *at = found->next;
    ReleaseSRWLockExclusive(&lock);
    return found;
}

static bool hand_over(const handed *h)
{
    char bytes[4096];
    bool good = fflush(h->file) == 0 && !ferror(h->file) && fseek(h->file, 0, SEEK_SET) == 0;
    for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, h->file)) > 0;)
        good = !h->functions.write || h->functions.write(h->cookie, bytes, n) == (ssize_t)n;
    return good && !ferror(h->file);
}

int unit_close(FILE *file)
{
    handed *h = find(file);
    if (!h) return fclose(file);
    bool good = hand_over(h);
    if (fclose(file) != 0) good = false;
    if (h->functions.close && h->functions.close(h->cookie) != 0) good = false;
    free(h);
    return good ? 0 : EOF;
}

// ------------------------------------------------------------------------------------------ others

char *strsep(char **text, const char *ends)
{
    char *begin = *text;
    if (!begin) return NULL;
    size_t n = strcspn(begin, ends);
    *text = begin[n] ? begin + n + 1 : NULL;
    begin[n] = 0;
    return begin;
}

char *stpcpy(char *to, const char *from)
{
    size_t n = strlen(from);
    memcpy(to, from, n + 1);
    return to + n;
}

char *realpath(const char *path, char *to)
{
    return _fullpath(to, path, _MAX_PATH);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at)
{
    if (_lseeki64(fd, at, SEEK_SET) < 0) return -1;
    return _read(fd, bytes, count < INT_MAX ? (unsigned)count : INT_MAX);
}

#else
typedef int unit_posix; // there is POSIX
#endif
