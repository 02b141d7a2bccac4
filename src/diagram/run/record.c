// What the sinks To File and To Data File write.
//
// A data file is text: "foliot data 1", then "step 0.2 rows 1 cols 3 kind real", then one line per
// step of the document: the time and the numbers, of complex ones both parts. To File writes the
// lines alone.
//
// A live run may go back. The first row after that is earlier than the last one: what the files
// have from its time on was undone, and is cut off.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/made.h"
#include "base/whole_write.h"
#include "diagram/diagram.h"

// Bytes.
enum { BUFFER = 1 << 13, HEAD = 256, NUMBER = 40 };

typedef struct record {
    const foi_node *node;
    char *path;         ///< own: where the document may write
    const char *folder; ///< in which; NULL: anywhere
    bool data;
    FILE *plain;         ///< the file
    FILE *file;          ///< what is written to it, in whole rows; closes it, too
    char *buffer;        ///< of that
    size_t waiting;      ///< bytes of whole rows in it
    off_t whole;         ///< bytes of whole rows in the file
    bool failed;         ///< nothing more can be written
    bool made;           ///< by this run, or the last
    size_t first, width; ///< of the row's values
} record;

struct fo_recorder {
    const fo_allocator *allocator;
    const foi_diagram *diagram;
    record *records;
    fo_reference *signals;
    double *pending; ///< the last row; another one at the same time replaces it
    double time;
    size_t record_count, signal_count;
    bool any;    ///< there is a last row that is not written
    bool begun;  ///< `time` is that of a row
    bool opened; ///< no two of the files are one
};

static bool is_recorded(const foi_node *n)
{
    bool sink =
        foi_same_name(n->type->name, "To File") || foi_same_name(n->type->name, "To Data File");
    return sink && !foi_same_name(n->settings[0].text, "None");
}

static void fill(fo_recorder *k)
{
    const foi_diagram *d = k->diagram;
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        uint32_t width = 0;
        for (uint32_t j = 0; !n->output_count && j < n->input_count; j++)
            width += foi_array_width(&n->inputs[j]->shape);
        if (is_recorded(n)) {
            k->records[k->record_count++] = (record){
                .node = n,
                .data = foi_same_name(n->type->name, "To Data File"),
                .first = k->signal_count,
                .width = width,
            };
            for (uint32_t j = 0; j < width; j++)
                k->signals[k->signal_count++] = (fo_reference){FO_OUTPUT, at + j};
        }
        at += width;
    }
}

static fo_status find_files(fo_recorder *k, fo_message *why)
{
    for (size_t i = 0; i < k->record_count; i++) {
        record *c = &k->records[i];
        fo_message found = {0};
        c->folder = k->diagram->files;
        c->path = foi_file_within(c->node->settings[0].text, c->folder, k->allocator, &found);
        if (!c->path)
            return fo_fail(why, found.status, "node '%s': %.400s", c->node->name, found.text);
    }
    return FO_OK;
}

fo_recorder *fo_recorder_create(const fo_diagram *diagram, fo_message *why)
{
    const foi_diagram *d = &diagram->diagram;
    const fo_allocator *a = d->allocator;
    fo_recorder *k = foi_new(a, 1, sizeof *k);
    if (k) {
        k->allocator = a;
        k->diagram = d;
        k->records = foi_new(a, d->node_count, sizeof *k->records);
        k->signals = foi_new(a, d->output_count, sizeof *k->signals);
        k->pending = foi_new(a, d->output_count, sizeof *k->pending);
        if (k->records && k->signals && k->pending) {
            fill(k);
            fo_status status = find_files(k, why);
            if (status == FO_OK) return k;
            fo_recorder_destroy(k);
            return NULL;
        }
        fo_recorder_destroy(k);
    }
    fo_fail(why, FO_ERROR_MEMORY, "no memory for the files of a diagram");
    return NULL;
}

size_t fo_recorder_count(const fo_recorder *recorder)
{
    return recorder->record_count;
}

static const char *kind_name(foi_signal_kind kind)
{
    return kind == FOI_SIGNAL_REAL ? "real" : kind == FOI_SIGNAL_COMPLEX ? "complex" : "boolean";
}

// Whether a file that is there begins as what such a node writes: what it holds was made to be
// replaced.
static bool looks_ours(FILE *file, const void *self)
{
    const record *c = self;
    char head[16] = "";
    if (c->data) return fgets(head, sizeof head, file) && strcmp(head, "foliot data 1\n") == 0;
    double number;
    int letter = ' ';
    for (size_t i = 0; i <= c->width; i++)
        if (fscanf(file, i ? " %lf" : "%lf", &number) != 1) return false;
    letter = getc(file);
    return letter == '\n' || letter == '\r' || letter == EOF;
}

// Where a file is or would be: its own place on the disk, or its folder's with its name there.
typedef struct place {
    struct stat about;
    const char *name; ///< "": the file is there
} place;

static bool find_place(const record *c, place *p)
{
    const char *slash = strrchr(c->path, '/');
    size_t length = slash ? (size_t)(slash - c->path) + 1 : 0;
    p->name = "";
    if (stat(c->path, &p->about) == 0) return true;
    char *above = foi_new(NULL, length + 2, 1);
    if (!above) return false;
    memcpy(above, length ? c->path : ".", length ? length : 1);
    p->name = c->path + length;
    bool found = stat(above, &p->about) == 0;
    foi_free(NULL, above);
    return found;
}

static bool same_file(const record *a, const record *b)
{
    place one, other;
    if (strcmp(a->path, b->path) == 0) return true;
    return find_place(a, &one) && find_place(b, &other) && strcmp(one.name, other.name) == 0 &&
           one.about.st_dev == other.about.st_dev && one.about.st_ino == other.about.st_ino;
}

// Two sinks of one file would write over each other.
static fo_status files_differ(const fo_recorder *k, fo_message *why)
{
    for (size_t i = 0; i < k->record_count; i++)
        for (size_t j = 0; j < i; j++) {
            const record *a = &k->records[j], *b = &k->records[i];
            if (same_file(a, b))
                return fo_fail(why, FO_ERROR_INPUT,
                               "node '%s': cannot write the file '%.200s': node '%s' of this "
                               "document writes it",
                               b->node->name, b->path, a->node->name);
        }
    return FO_OK;
}

fo_status fo_recorder_check(const fo_recorder *k, fo_message *why)
{
    fo_status differ = files_differ(k, why);
    if (differ) return differ;
    bool any = k->diagram->overwrite;
    for (size_t i = 0; i < k->record_count; i++) {
        const record *c = &k->records[i];
        fo_message found = {0};
        if (foi_file_makeable(c->path, c->folder, any ? NULL : looks_ours, c, &found))
            return fo_fail(why, found.status, "node '%s': %.300s", c->node->name, found.text);
    }
    return FO_OK;
}

static fo_status open_record(const fo_recorder *k, record *c, fo_message *why)
{
    const foi_array *shape = &c->node->inputs[0]->shape;
    char step[40];
    fo_message found = {0};
    c->plain =
        foi_file_make(c->path, c->folder, k->diagram->overwrite ? NULL : looks_ours, c, &found);
    if (!c->plain)
        return fo_fail(why, found.status, "node '%s': %.300s", c->node->name, found.text);
    c->made = true;
    c->file = foi_whole_stream(c->plain, false);
    if (!c->file) {
        fclose(c->plain);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the file '%s'", c->path);
    }
    foi_number_text(k->diagram->step, step);
    size_t room = BUFFER + HEAD + (c->width + 1) * NUMBER;
    c->buffer = foi_new(k->allocator, room, 1);
    if (!c->buffer || setvbuf(c->file, c->buffer, _IOFBF, room) != 0)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the file '%s'", c->path);
    c->waiting = 0, c->whole = 0;
    if (c->data)
        c->waiting += (size_t)fprintf(c->file, "foliot data 1\nstep %s rows %u cols %u kind %s\n",
                                      step, shape->rows, shape->cols, kind_name(shape->kind));
    return FO_OK;
}

static FILE *open_again(const record *c)
{
    int fd = foi_file_open(c->path, c->folder, O_RDWR | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");
    if (!file && fd >= 0) close(fd);
    return file;
}

// Cuts off what stands behind the last line that ends; before `whole` all do.
static bool cut_after_rows(const record *c)
{
    FILE *file = open_again(c);
    off_t whole = c->whole, end = whole;
    if (!file) return false;
    bool good = fseek(file, (long)whole, SEEK_SET) == 0;
    for (off_t at = whole + 1; good; at++) {
        int letter = getc(file);
        if (letter == EOF) break;
        if (letter == '\n') end = at;
    }
    good = good && !ferror(file) && ftruncate(fileno(file), end) == 0;
    return fclose(file) == 0 && good;
}

// Whole rows go to the file, and nothing else: the buffer has room for one more than is waited for.
// Of what a full disk took of them the part that is no row is cut off.
static fo_status flush(record *c, fo_message *why)
{
    if (fflush(c->file) == 0 && !ferror(c->file)) {
        c->whole += (off_t)c->waiting, c->waiting = 0;
        return FO_OK;
    }
    int error = errno;
    fclose(c->file); // it may write once more
    c->file = NULL, c->failed = true;
    bool cut = cut_after_rows(c);
    return fo_fail(why, FO_ERROR_INPUT, "writing '%s' failed%s: %s", c->path,
                   cut ? "; the rows before are valid" : "", strerror(error));
}

static fo_status write_pending(fo_recorder *k, fo_message *why)
{
    char number[40];
    double ticks = (k->time - k->diagram->start) / k->diagram->step;
    if (!k->any || fabs(ticks - round(ticks)) > 1e-6) return FO_OK;
    if (!k->opened) {
        fo_status differ = files_differ(k, why);
        if (differ) return differ;
        k->opened = true;
        for (size_t i = 0; i < k->record_count; i++) k->records[i].made = false;
    }
    for (size_t i = 0; i < k->record_count; i++) {
        record *c = &k->records[i];
        if (c->failed) continue; // that was said
        fo_status status = c->file ? FO_OK : open_record(k, c, why);
        if (status != FO_OK) return status;
        c->waiting += (size_t)foi_number_text(k->time, number) + 1;
        fputs(number, c->file);
        for (size_t j = 0; j < c->width; j++) {
            c->waiting += (size_t)foi_number_text(k->pending[c->first + j], number) + 1;
            fprintf(c->file, " %s", number);
        }
        fputc('\n', c->file);
        status = c->waiting < BUFFER ? FO_OK : flush(c, why);
        if (status != FO_OK) return status;
    }
    k->any = false;
    return FO_OK;
}

static void skip_line(FILE *file)
{
    for (int c; (c = getc(file)) != EOF && c != '\n';) continue;
}

// Where the first line begins whose time is t or later; -1 where the file cannot be read.
static long place_of(const record *c, double t)
{
    FILE *file = open_again(c);
    if (!file) return -1;
    double time;
    long at = 0;
    if (c->data) skip_line(file), skip_line(file);
    for (;;) {
        at = ftell(file);
        if (at < 0 || fscanf(file, "%lf", &time) != 1 || time >= t) break;
        skip_line(file);
    }
    fclose(file);
    return at;
}

static fo_status go_back(fo_recorder *k, double t, fo_message *why)
{
    k->any = false; // the last row was undone, too
    for (size_t i = 0; i < k->record_count; i++) {
        record *c = &k->records[i];
        if (!c->file) continue;
        long at = flush(c, why) == FO_OK ? place_of(c, t) : -1;
        if (at < 0 || ftruncate(fileno(c->plain), at) != 0 || fseek(c->file, at, SEEK_SET) != 0)
            return fo_fail(why, FO_ERROR_INPUT,
                           "node '%s': the run goes back to t = %.15g, and '%s' cannot be cut off "
                           "there: %s",
                           c->node->name, t, c->path, strerror(errno));
        c->whole = at;
    }
    return FO_OK;
}

static fo_status take_row(void *self, const fo_row *row, fo_message *why)
{
    fo_recorder *k = self;
    bool other = k->any && row->t != k->time, back = (k->any || k->begun) && row->t < k->time;
    fo_status status = back ? go_back(k, row->t, why) : other ? write_pending(k, why) : FO_OK;
    k->any = k->begun = true;
    k->time = row->t;
    if (row->count) memcpy(k->pending, row->values, row->count * sizeof *k->pending);
    return status;
}

const char *fo_recorder_path(const fo_recorder *k, size_t index)
{
    return index < k->record_count ? k->records[index].path : NULL;
}

bool foi_recorder_made(const fo_recorder *k, size_t index)
{
    return index < k->record_count && k->records[index].made;
}

fo_observer fo_recorder_observer(fo_recorder *recorder)
{
    return (fo_observer){.self = recorder,
                         .row = take_row,
                         .signals = recorder->signals,
                         .signal_count = recorder->signal_count,
                         .interval = recorder->diagram->step};
}

fo_status fo_recorder_finish(fo_recorder *recorder, fo_message *why)
{
    fo_status status = write_pending(recorder, why);
    for (size_t i = 0; i < recorder->record_count; i++) {
        record *c = &recorder->records[i];
        fo_message other = {0};
        fo_status flushed = c->file ? flush(c, status == FO_OK ? why : &other) : FO_OK;
        if (status == FO_OK) status = flushed;
        if (c->file) foi_file_sign(fileno(c->plain), true);
        if (c->file && fclose(c->file) != 0 && status == FO_OK)
            status = fo_fail(why, FO_ERROR_INPUT, "writing '%s' failed", c->path);
        foi_free(recorder->allocator, c->buffer);
        c->file = NULL, c->buffer = NULL, c->failed = false;
    }
    recorder->begun = recorder->opened = false; // another run begins anew
    return status;
}

void fo_recorder_destroy(fo_recorder *recorder)
{
    if (!recorder) return;
    for (size_t i = 0; recorder->records && i < recorder->record_count; i++) {
        if (recorder->records[i].file) fclose(recorder->records[i].file);
        foi_free(recorder->allocator, recorder->records[i].buffer);
        foi_free(recorder->allocator, recorder->records[i].path);
    }
    foi_free(recorder->allocator, recorder->records);
    foi_free(recorder->allocator, recorder->signals);
    foi_free(recorder->allocator, recorder->pending);
    foi_free(recorder->allocator, recorder);
}
