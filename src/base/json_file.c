/// Reading a whole file as JSON.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/json.h"

enum { PIECE = 1 << 16 };
static const size_t most = (size_t)256 << 20;

// Whether a file says itself that it is too large; files of the system say nothing, and others may
// grow while they are read.
static bool too_large(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 && about.st_size > (off_t)most;
}

// All of a file, of any kind; *length bytes. NULL on failure.
static char *read_whole(FILE *file, const char *path, const fo_allocator *a, size_t *length,
                        fo_message *why)
{
    char *text = NULL;
    size_t room = 0, got = PIECE;
    bool large = too_large(file), fits = !large;
    for (*length = 0; fits && got == PIECE; *length += got) {
        large = *length > most;
        fits = !large && foi_array_room(a, &text, &room, *length + PIECE + 1, 1);
        got = fits ? fread(text + *length, 1, PIECE, file) : 0;
    }
    if (fits && !ferror(file)) return text;
    if (large)
        fo_fail(why, FO_ERROR_FORMAT, "%s: more than %zu bytes, which is too large", path, most);
    else if (!fits)
        fo_fail(why, FO_ERROR_MEMORY, "%s: no memory for a document of this size", path);
    else
        fo_fail(why, FO_ERROR_INPUT, "cannot read %s: %s", path, strerror(errno));
    foi_free(a, text);
    return NULL;
}

char *foi_json_text(const char *path, const fo_allocator *allocator, size_t *length,
                    fo_message *why)
{
    const char *wrong;
    FILE *file = foi_file_plain(path, &wrong);
    if (!file) {
        fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", path, wrong);
        return NULL;
    }
    char *text = read_whole(file, path, allocator, length, why);
    fclose(file);
    return text;
}

foi_json *foi_json_read_file(const char *path, const fo_allocator *allocator, fo_message *why)
{
    size_t length;
    char *text = foi_json_text(path, allocator, &length, why);
    if (!text) return NULL;
    foi_json *json = foi_json_read(
        &(foi_json_def){.name = path, .text = text, .length = length, .allocator = allocator}, why);
    foi_free(allocator, text);
    return json;
}
