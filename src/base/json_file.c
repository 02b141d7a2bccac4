/// Reading a whole file as JSON.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/json.h"

enum { PIECE = 1 << 16 };
static const size_t most = (size_t)256 << 20;

// All of a file, of any kind; *length bytes. NULL on failure.
static char *read_whole(FILE *file, const char *path, const fo_allocator *a, size_t *length,
                        fo_message *why)
{
    char *text = NULL;
    size_t room = 0, got = 0;
    *length = 0;
    do {
        if (*length > most) {
            fo_fail(why, FO_ERROR_FORMAT, "%s: more than %zu bytes, which is too large", path,
                    most);
            break;
        }
        if (!foi_array_room(a, &text, &room, *length + PIECE + 1, 1)) {
            fo_fail(why, FO_ERROR_MEMORY, "%s: no memory for a document of this size", path);
            break;
        }
        got = fread(text + *length, 1, PIECE, file);
        *length += got;
        if (got == PIECE) continue;
        if (!ferror(file)) return text;
        fo_fail(why, FO_ERROR_INPUT, "cannot read %s: %s", path, strerror(errno));
        break;
    } while (1);
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
