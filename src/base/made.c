/// Who made a file, see base/made.h.
///
/// What a file looks like does not say who made it: rows of a measurement begin with "time," as
/// ours do. So a file that is written here gets an attribute of the file system, "user.foliot":
///
///     foliot                          while it is written, and for good where the process was
///     killed foliot SIZE SECONDS.NANOSECONDS of the last change, once it is whole
///
/// Files that do not say it themselves have the name of their model beside it, "user.foliot.model".
///
/// Who copies the file, or edits it, takes it over: a copy has no attribute, an editor that puts a
/// new file in its place neither, and what is changed in place has another size or time.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "base/made.h"

enum { SIGN = 96 };

static bool plain_and_full(const char *path, struct stat *about)
{
    return stat(path, about) == 0 && S_ISREG(about->st_mode) && about->st_size > 0;
}

foi_sight foi_file_look(const char *path)
{
    foi_sight seen = {.looked = true};
    seen.there = path && plain_and_full(path, &seen.about);
    return seen;
}

static bool changed_together(const struct stat *a, const struct stat *b)
{
#ifdef _WIN32
    return a->st_mtime == b->st_mtime; // it has no more than seconds
#else
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
#endif
}

bool foi_file_unchanged(const foi_sight *seen, const char *path)
{
    struct stat now;
    if (!seen->looked || !plain_and_full(path, &now)) return true;
    const struct stat *before = &seen->about;
    return seen->there && now.st_dev == before->st_dev && now.st_ino == before->st_ino &&
           now.st_size == before->st_size && changed_together(&now, before);
}

#ifdef __linux__
static const char attribute[] = "user.foliot", of_model[] = "user.foliot.model";

static int sign_of(const struct stat *about, char *text)
{
    return snprintf(text, SIGN, "foliot %lld %lld.%09ld", (long long)about->st_size,
                    (long long)about->st_mtim.tv_sec, about->st_mtim.tv_nsec);
}

void foi_file_sign(int fd, bool whole)
{
    struct stat about;
    char text[SIGN] = "foliot";
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
    size_t length = whole ? (size_t)sign_of(&about, text) : strlen(text);
    int error = errno;
    if (fsetxattr(fd, attribute, text, length, 0) != 0) errno = error; // a file system without
}

foi_origin foi_file_origin(int fd)
{
    struct stat about;
    char text[SIGN + 1], own[SIGN];
    ssize_t length = fgetxattr(fd, attribute, text, SIGN);
    if (length < 0)
        return errno == ENODATA || errno == ERANGE ? FOI_MADE_BY_OTHERS : FOI_MADE_BY_ANYBODY;
    text[length] = 0;
    if (strcmp(text, "foliot") == 0) return FOI_MADE_HERE;
    if (fstat(fd, &about) != 0) return FOI_MADE_BY_OTHERS;
    sign_of(&about, own);
    return strcmp(text, own) == 0 ? FOI_MADE_HERE : FOI_MADE_BY_OTHERS;
}

void foi_file_attribute(const char *path, const char *model)
{
    int error = errno;
    if (setxattr(path, of_model, model, strlen(model), 0) != 0) errno = error;
}

bool foi_file_attributed(const char *path, char *model, size_t size)
{
    char whole[1024];
    ssize_t length = getxattr(path, of_model, whole, sizeof whole - 1);
    if (length <= 0) return false;
    whole[length] = 0;
    snprintf(model, size, "%s", whole);
    return true;
}
#else
void foi_file_attribute(const char *path, const char *model)
{
    (void)path, (void)model;
}

bool foi_file_attributed(const char *path, char *model, size_t size)
{
    (void)path, (void)model, (void)size;
    return false;
}

void foi_file_sign(int fd, bool whole)
{
    (void)fd, (void)whole;
}

foi_origin foi_file_origin(int fd)
{
    (void)fd;
    return FOI_MADE_BY_ANYBODY;
}
#endif
