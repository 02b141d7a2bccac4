// What was packed by cmake/fmu_sources.cmake, and how it is compiled elsewhere:
//
//     <name> <bytes>\n<bytes of it>
#include "cli/fmu_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What gives the bits of this program's own binary: no contraction to fused operations.
static const char options[] = "-std=gnu17 -O2 -fPIC -ffp-contract=off -fno-math-errno";

typedef struct entry {
    const char *name, *data;
    size_t length, size;
} entry;

// The entry at *at, and the place of the next; false: something is wrong with it.
static bool next_entry(const char *data, size_t all, size_t *at, entry *e)
{
    const char *begin = data + *at, *end = memchr(begin, '\n', all - *at);
    const char *space = end ? memchr(begin, ' ', (size_t)(end - begin)) : NULL;
    if (!space || space == begin) return false;
    char *after;
    unsigned long long size = strtoull(space + 1, &after, 10);
    size_t from = (size_t)(end + 1 - data);
    if (after != end || size > all - from) return false;
    *e = (entry){begin, data + from, (size_t)(space - begin), (size_t)size};
    *at = from + e->size;
    return true;
}

static bool is_compiled(const entry *e)
{
    return e->length > 2 && strncmp(e->name + e->length - 2, ".c", 2) == 0;
}

static bool add_entry(fmu_sources *s, const entry *e, size_t *compiled)
{
    char *name = malloc(e->length + 9);
    if (!name) return false;
    snprintf(name, e->length + 9, "sources/%.*s", (int)e->length, e->name);
    s->files[s->count++] = (fo_fmu_file){name, e->data, e->size, false};
    if (is_compiled(e)) s->compiled[(*compiled)++] = name + 8;
    if (e->length == 7 && strncmp(e->name, "LICENSE", 7) == 0)
        s->license = e->data, s->license_size = e->size;
    return true;
}

bool fmu_sources_read(fmu_sources *s, char *data, size_t size)
{
    size_t count = 0, compiled = 0;
    entry e;
    *s = (fmu_sources){.data = data, .size = size};
    for (size_t at = 0; at < size; count++)
        if (!next_entry(data, size, &at, &e)) return false;
    s->files = calloc(count + 1, sizeof *s->files);
    s->compiled = calloc(count + 1, sizeof *s->compiled);
    bool good = s->files && s->compiled && count > 0;
    for (size_t at = 0; at < size && good;)
        good = next_entry(data, size, &at, &e) && add_entry(s, &e, &compiled);
    return good;
}

void fmu_sources_free(fmu_sources *s)
{
    for (size_t i = 0; i < s->count; i++) free((char *)s->files[i].name);
    free(s->files);
    free(s->compiled);
    free(s->data);
    *s = (fmu_sources){0};
}

static char *finish(FILE *out, char **text)
{
    if (fclose(out) == 0) return *text;
    free(*text);
    return NULL;
}

char *fmu_sources_arguments(const fmu_sources *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "%s -shared -I.\n", options);
    for (size_t i = 0; s->compiled[i]; i++) fprintf(out, "%s\n", s->compiled[i]);
    fputs("-lm\n", out);
    return finish(out, &text);
}

char *fmu_sources_description(const fmu_sources *s, const char *identifier)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
            "  <BuildConfiguration modelIdentifier=\"%s\" description=\"in sources/: cc @build.txt "
            "-o ../binaries/PLATFORM/%s.so\">\n"
            "    <SourceFileSet language=\"C17\" compiler=\"gcc\" compilerOptions=\"%s\">\n",
            identifier, identifier, options);
    for (size_t i = 0; s->compiled[i]; i++)
        fprintf(out, "      <SourceFile name=\"%s\"/>\n", s->compiled[i]);
    fputs("      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n    <Library name=\"m\" "
          "external=\"true\" description=\"the C library's mathematics\"/>\n"
          "  </BuildConfiguration>\n</fmiBuildDescription>\n",
          out);
    return finish(out, &text);
}
