/// What tests of the language share: loading a text, and the files of a folder.
#ifndef TEST_LOAD_H
#define TEST_LOAD_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/language.h"
#include "test.h"

enum { MOST_FILES = 400 };

/// The names in a folder of the sources that end so, sorted.
typedef struct file_list {
    char names[MOST_FILES][128];
    size_t count;
} file_list;

static inline int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static inline void list_folder(const char *folder, const char *end, file_list *list)
{
    list->count = 0;
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *e; (e = readdir(directory)) && list->count < MOST_FILES;) {
        size_t length = strlen(e->d_name), tail = strlen(end);
        if (length <= tail || length >= 128 || strcmp(e->d_name + length - tail, end) != 0)
            continue;
        memcpy(list->names[list->count++], e->d_name, length + 1);
    }
    closedir(directory);
    qsort(list->names, list->count, sizeof list->names[0], by_name);
}

/// The whole file, to be freed; NULL when there is none.
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 20);
    if (text && fread(text, 1, (1 << 20) - 1, file) == 0) text[0] = 0;
    fclose(file);
    return text;
}

/// What stands after `key` in the first line of a text: "" when it is not there.
static inline void first_line(const char *text, const char *key, char *out, size_t size)
{
    size_t length = strcspn(text, "\r\n"), skip = strlen(key);
    out[0] = 0;
    if (strncmp(text, key, skip) != 0 || length < skip) return;
    snprintf(out, size, "%.*s", (int)(length - skip), text + skip);
}

static inline foi_flat *load_text(const char *text, foi_messages *messages, fo_status *status)
{
    foi_language_def def = foi_default_language_def();
    foi_flat *flat;
    def.path = "test.mo", def.text = text, def.no_files = true;
    foi_messages_begin(messages, NULL);
    *status = foi_language_load(&def, &flat, messages);
    return flat;
}

#endif
