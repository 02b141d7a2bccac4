/// Reading archives. What the bytes look like (APPNOTE.TXT, without what is not allowed here):
///
///     local header | name | extra | data        once per entry
///     central header | name | extra | comment   once per entry, with the local header's place
///     end: "PK\5\6" | disks | counts | size and place of the list | comment
#include "fmi/archive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/inflate.h"

// An FMU with all platforms and sources has some hundred files and some hundred megabytes.
enum { MOST_ENTRIES = 20000, LONGEST_NAME = 1000, END = 22, CENTRAL = 46, LOCAL = 30 };
static const uint64_t MOST_FILE = UINT64_C(1) << 31, MOST_ARCHIVE = UINT64_C(1) << 31;

typedef struct entry {
    char *name;
    uint64_t packed, size, local;
    uint32_t crc;
    uint16_t method;
    bool folder;
} entry;

struct foi_archive {
    const fo_allocator *allocator;
    char *path;
    uint8_t *data;
    size_t size;
    entry *entries;
    size_t count;
    uint64_t produced; ///< bytes so far
};

static uint32_t get2(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get4(const uint8_t *p)
{
    return get2(p) | get2(p + 2) << 16;
}

static const char NO_MEMORY[] = "no memory";

static fo_status damaged(const foi_archive *z, const char *what, fo_message *why)
{
    if (what == NO_MEMORY)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the entries of %s", z->path);
    return fo_fail(why, FO_ERROR_FORMAT, "%s is not a ZIP archive that can be read: %s", z->path,
                   what);
}

// ---------------------------------------------------------------------------------------- the file

static fo_status load(foi_archive *z, fo_message *why)
{
    struct stat about;
    const char *wrong;
    FILE *file = foi_file_plain(z->path, &wrong); // nobody is waited for
    if (!file) return fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", z->path, wrong);
    fo_status status = FO_OK;
    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
        status = fo_fail(why, FO_ERROR_INPUT, "%s is not a file", z->path);
    else if ((uint64_t)about.st_size > MOST_FILE)
        status = fo_fail(why, FO_ERROR_FORMAT, "%s has more than 2 GiB", z->path);
    if (status == FO_OK) {
        z->size = (size_t)about.st_size;
        z->data = foi_new(z->allocator, z->size + 1, 1);
        if (!z->data)
            status = fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", z->path);
        else if (fread(z->data, 1, z->size, file) != z->size)
            status = fo_fail(why, FO_ERROR_INPUT, "cannot read %s: %s", z->path, strerror(errno));
    }
    fclose(file);
    return status;
}

static const uint8_t *find_end(const foi_archive *z)
{
    if (z->size < END) return NULL;
    size_t lowest = z->size > END + 65535 ? z->size - END - 65535 : 0;
    for (size_t at = z->size - END + 1; at-- > lowest;)
        if (get4(z->data + at) == 0x06054b50 && at + END + get2(z->data + at + 20) == z->size)
            return z->data + at;
    return NULL;
}

// ------------------------------------------------------------------------------------------- names

static const char *fault_of_name(const char *name, size_t length)
{
    if (length == 0) return "an entry without a name";
    if (length > LONGEST_NAME) return "an entry with a name of more than 1000 characters";
    if (memchr(name, 0, length)) return "an entry with a zero byte in its name";
    if (name[0] == '/' || (length > 1 && name[1] == ':')) return "an entry with an absolute path";
    if (strchr(name, '\\')) return "an entry with a backslash in its name";
    for (const char *part = name; *part; part += strcspn(part, "/"), part += *part == '/') {
        size_t n = strcspn(part, "/");
        if (n == 2 && part[0] == '.' && part[1] == '.') return "an entry that leads out with '..'";
        if (n == 0 || (n == 1 && part[0] == '.')) return "an entry with an empty part in its path";
    }
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            return "an entry with a control character in its name";
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const entry *)a)->name, ((const entry *)b)->name);
}

// Some tools list an entry twice; where it is the same content one of them goes.
static void drop_repeated(foi_archive *z)
{
    size_t kept = 0;
    for (size_t i = 0; i < z->count; i++) {
        entry *e = &z->entries[i], *last = kept ? &z->entries[kept - 1] : NULL;
        if (last && strcmp(last->name, e->name) == 0 && last->crc == e->crc &&
            last->size == e->size)
            foi_free(z->allocator, e->name);
        else
            z->entries[kept++] = *e;
    }
    z->count = kept;
}

// Two names that are one where case does not count, or a file that is a folder, too.
static const char *fault_of_list(foi_archive *z)
{
    if (z->count) qsort(z->entries, z->count, sizeof *z->entries, by_name);
    drop_repeated(z);
    for (size_t i = 1; i < z->count; i++) {
        const char *one = z->entries[i - 1].name, *next = z->entries[i].name;
        size_t n = strlen(one);
        if (strcasecmp(one, next) == 0) return "two entries with the same name";
        if (!z->entries[i - 1].folder && strncasecmp(one, next, n) == 0 && next[n] == '/')
            return "an entry that is a file and a folder";
    }
    return NULL;
}

// ------------------------------------------------------------------------------------ the
// directory

static const char *read_entry(foi_archive *z, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    if (end - p < CENTRAL || get4(p) != 0x02014b50) return "its central directory is damaged";
    size_t name = get2(p + 28), extra = get2(p + 30), comment = get2(p + 32);
    if ((size_t)(end - p) - CENTRAL < name + extra + comment)
        return "its central directory is cut off";
    entry *e = &z->entries[z->count];
    e->name = foi_new(z->allocator, name + 1, 1);
    if (!e->name) return NO_MEMORY;
    memcpy(e->name, p + CENTRAL, name);
    z->count++;
    e->method = (uint16_t)get2(p + 10);
    e->crc = get4(p + 16), e->packed = get4(p + 20), e->size = get4(p + 24);
    e->local = get4(p + 42);
    e->folder = name && e->name[name - 1] == '/';
    uint32_t flags = get2(p + 8), mode = get4(p + 38) >> 16;
    *at = p + CENTRAL + name + extra + comment;
    const char *fault = fault_of_name(e->name, name);
    if (fault) return fault;
    if (flags & 1) return "an entry is encrypted";
    if (e->method != 0 && e->method != 8) return "an entry is compressed by an unknown method";
    if (p[5] == 3 && (mode & S_IFMT) && !S_ISREG(mode) && !S_ISDIR(mode))
        return "an entry is neither a file nor a folder";
    if (e->size == UINT32_MAX || e->packed == UINT32_MAX) return "an entry is larger than 4 GiB";
    return NULL;
}

static fo_status read_list(foi_archive *z, fo_message *why)
{
    const uint8_t *end = find_end(z);
    if (!end) return damaged(z, "it has no central directory at its end", why);
    size_t count = get2(end + 10), size = get4(end + 12), place = get4(end + 16);
    if (get2(end + 4) || get2(end + 6) || get2(end + 8) != count)
        return damaged(z, "it is one of several parts", why);
    if (count == 0) return damaged(z, "it is empty", why);
    if (count > MOST_ENTRIES) return damaged(z, "it has more than 20000 entries", why);
    if (place > z->size || size > (size_t)(end - z->data) || place > (size_t)(end - z->data) - size)
        return damaged(z, "its central directory lies outside of the archive", why);
    z->entries = foi_new(z->allocator, count, sizeof *z->entries);
    if (!z->entries) return fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", z->path);
    const uint8_t *at = z->data + place, *last = at + size;
    for (size_t i = 0; i < count; i++) {
        const char *fault = read_entry(z, &at, last);
        if (fault) return damaged(z, fault, why);
    }
    const char *fault = fault_of_list(z);
    return fault ? damaged(z, fault, why) : FO_OK;
}

foi_archive *foi_archive_open(const char *path, const fo_allocator *a, fo_message *why)
{
    foi_archive *z = foi_new(a, 1, sizeof *z);
    if (z) z->allocator = a, z->path = foi_copy_text(a, path);
    if (!z || !z->path) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for an archive");
    } else if (load(z, why) == FO_OK && read_list(z, why) == FO_OK)
        return z;
    foi_archive_close(z);
    return NULL;
}

void foi_archive_close(foi_archive *z)
{
    if (!z) return;
    for (size_t i = 0; i < z->count; i++) foi_free(z->allocator, z->entries[i].name);
    foi_free(z->allocator, z->entries);
    foi_free(z->allocator, z->data);
    foi_free(z->allocator, z->path);
    foi_free(z->allocator, z);
}

static const entry *find(const foi_archive *z, const char *name)
{
    for (size_t i = 0; i < z->count; i++)
        if (strcmp(z->entries[i].name, name) == 0) return &z->entries[i];
    return NULL;
}

bool foi_archive_has(const foi_archive *z, const char *name)
{
    return find(z, name) != NULL;
}

size_t foi_archive_count(const foi_archive *z)
{
    return z->count;
}

const char *foi_archive_name(const foi_archive *z, size_t index)
{
    return index < z->count ? z->entries[index].name : NULL;
}

// ----------------------------------------------------------------------------------------- content

static fo_status bad_entry(const foi_archive *z, const entry *e, const char *what, fo_message *why)
{
    return fo_fail(why, FO_ERROR_FORMAT, "%s: the entry '%.200s' %s", z->path, e->name, what);
}

// A kilobyte can promise a gigabyte: deflate gives at most 1032 bytes for one.
static fo_status locate(foi_archive *z, const entry *e, const uint8_t **data, fo_message *why)
{
    if (e->local > z->size || z->size - e->local < LOCAL)
        return bad_entry(z, e, "lies outside of the archive", why);
    const uint8_t *p = z->data + e->local;
    if (get4(p) != 0x04034b50) return bad_entry(z, e, "has no local header", why);
    size_t name = get2(p + 26), skip = LOCAL + name + get2(p + 28);
    if (z->size - e->local < skip || z->size - e->local - skip < e->packed)
        return bad_entry(z, e, "is cut off", why);
    if (name != strlen(e->name) || memcmp(p + LOCAL, e->name, name) != 0 ||
        get2(p + 8) != e->method)
        return bad_entry(z, e, "has another name or method in its local header", why);
    if (e->method == 0 && e->packed != e->size)
        return bad_entry(z, e, "is stored, and its two sizes differ", why);
    if (e->size / 1032 > e->packed)
        return bad_entry(z, e, "claims a size that its compressed bytes cannot have", why);
    if (e->size > MOST_ARCHIVE - z->produced)
        return bad_entry(z, e, "makes the unpacked archive larger than 2 GiB", why);
    *data = p + skip;
    return FO_OK;
}

static char *unpack(foi_archive *z, const entry *e, fo_message *why)
{
    const uint8_t *data = NULL;
    if (locate(z, e, &data, why) != FO_OK) return NULL;
    char *text = foi_new(z->allocator, e->size + 1, 1);
    if (!text) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the entry '%.200s' of %s", e->name, z->path);
        return NULL;
    }
    z->produced += e->size;
    bool good = true;
    if (e->method == 0)
        memcpy(text, data, e->size);
    else
        good = foi_inflate(data, e->packed, (uint8_t *)text, e->size);
    if (good && foi_crc32(0, text, e->size) == e->crc) return text;
    bad_entry(z, e,
              good ? "does not have the checksum that the archive gives" : "cannot be unpacked",
              why);
    foi_free(z->allocator, text);
    return NULL;
}

char *foi_archive_read(foi_archive *z, const char *name, size_t *size, fo_message *why)
{
    const entry *e = find(z, name);
    if (!e) {
        fo_fail(why, FO_ERROR_FORMAT, "%s has no entry '%s'", z->path, name);
        return NULL;
    }
    *size = e->size;
    return unpack(z, e, why);
}

// ------------------------------------------------------------------------------------ to a folder

// Opens the folder of a path below `root`, making what is missing; -1 on failure.
static int open_folder(int root, const char *name)
{
    int at = dup(root);
    char part[LONGEST_NAME + 1];
    const char *slash;
    for (; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (mkdirat(at, part, 0700) != 0 && errno != EEXIST) {
            close(at);
            return -1;
        }
        int next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    return at;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n, size -= (size_t)n;
    }
    return true;
}

static fo_status write_entry(foi_archive *z, const entry *e, int root, fo_message *why)
{
    const char *slash = strrchr(e->name, '/');
    int folder = open_folder(root, e->name);
    bool good = folder >= 0;
    char *data = good && !e->folder ? unpack(z, e, why) : NULL;
    if (good && !e->folder && !data) {
        close(folder);
        return why->status;
    }
    if (data) {
        int fd = openat(folder, slash ? slash + 1 : e->name,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
        good = fd >= 0 && write_all(fd, data, e->size);
        if (fd >= 0 && close(fd) != 0) good = false;
    }
    int failed = errno;
    foi_free(z->allocator, data);
    if (folder >= 0) close(folder);
    if (good) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT, "cannot unpack '%.200s' of %s: %s", e->name, z->path,
                   strerror(failed));
}

// What is too large is refused before the first byte is unpacked.
static fo_status check_total(const foi_archive *z, const char *prefix, fo_message *why)
{
    uint64_t total = z->produced;
    for (size_t i = 0; i < z->count; i++)
        if (strncmp(z->entries[i].name, prefix, strlen(prefix)) == 0) total += z->entries[i].size;
    if (total <= MOST_ARCHIVE) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "%s: its entries in %s are larger than 2 GiB together",
                   z->path, prefix);
}

fo_status foi_archive_unpack(foi_archive *z, const char *prefix, const char *to, fo_message *why)
{
    fo_message own = {0};
    if (!why) why = &own;
    int root = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (root < 0) return fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", to, strerror(errno));
    fo_status status = check_total(z, prefix, why);
    for (size_t i = 0; i < z->count && status == FO_OK; i++)
        if (strncmp(z->entries[i].name, prefix, strlen(prefix)) == 0)
            status = write_entry(z, &z->entries[i], root, why);
    close(root);
    return status;
}
