// Files of results, by the ending of their names.
#include <foliot/report.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "report/csv.h"
#include "report/inside.h"
#include "report/mat.h"

struct fo_result_file {
    const fo_allocator *allocator;
    fo_csv *csv; ///< one of the two
    foi_mat *mat;
};

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

// A device or a pipe has no ending; it gets CSV, as standard output does.
static bool is_strange(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

fo_status fo_result_format_of(const char *path, fo_result_format *format, fo_message *why)
{
    static const char *const endings[] = {".csv", ".json", ".mat"};
    for (int i = 0; i < 3; i++) {
        *format = (fo_result_format)i;
        if (ends_with(path, endings[i])) return FO_OK;
    }
    *format = FO_RESULT_CSV;
    if (strcmp(path, "-") == 0 || is_strange(path)) return FO_OK;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "a file of results is called *.csv, *.json or *.mat, and '%s' %s%s", path,
                   dot ? "ends with " : "has no ending", dot ? dot : "");
}

size_t fo_result_signals(const fo_result_def *def, fo_reference *list)
{
    fo_result_format format;
    if (fo_result_format_of(def->path, &format, NULL) == FO_OK && format == FO_RESULT_MAT)
        return foi_mat_signals(def, list);
    if (list && def->count) memcpy(list, def->signals, def->count * sizeof *list);
    return def->count;
}

fo_result_def fo_default_result_def(void)
{
    return (fo_result_def){.time_unit = "s"};
}

static foi_csv_def text_def(const fo_result_def *def, fo_result_format format)
{
    return (foi_csv_def){.path = def->path,
                         .system = def->system,
                         .signals = def->signals,
                         .count = def->count,
                         .time_unit = def->time_unit,
                         .units = def->units,
                         .json = format == FO_RESULT_JSON,
                         .allocator = def->allocator};
}

char *foi_result_head(const fo_result_def *def, size_t *length)
{
    fo_result_format format;
    if (fo_failed(fo_result_format_of(def->path, &format, NULL))) return NULL;
    const foi_csv_def text = text_def(def, format);
    return format == FO_RESULT_MAT ? foi_mat_head(def, length) : foi_csv_head(&text, length);
}

static fo_result_file *make(const fo_result_def *def, const char *mark, fo_message *why)
{
    fo_result_format format;
    if (fo_failed(fo_result_format_of(def->path, &format, why))) return NULL;
    fo_result_file *file = foi_new(def->allocator, 1, sizeof *file);
    if (!file) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", def->path);
        return NULL;
    }
    file->allocator = def->allocator;
    const foi_csv_def text = text_def(def, format);
    if (format == FO_RESULT_MAT && !mark)
        file->mat = foi_mat_open(def, why);
    else if (format == FO_RESULT_MAT)
        fo_fail(why, FO_ERROR_UNFIT, "%s cannot be continued: only *.csv and *.json can",
                def->path);
    else
        file->csv = mark ? foi_csv_resume(&text, mark, why) : foi_csv_create(&text, NULL, why);
    if (file->csv || file->mat) return file;
    foi_free(def->allocator, file);
    return NULL;
}

fo_result_file *fo_result_open(const fo_result_def *def, fo_message *why)
{
    return make(def, NULL, why);
}

fo_result_file *fo_result_resume(const fo_result_def *def, const char *mark, fo_message *why)
{
    return make(def, mark, why);
}

bool fo_result_mark(const fo_result_file *file, char text[FO_CSV_MARK])
{
    return file->csv && fo_csv_mark(file->csv, text);
}

fo_observer fo_result_observer(fo_result_file *file, double interval)
{
    return file->csv ? fo_csv_observer(file->csv, interval) : foi_mat_observer(file->mat, interval);
}

size_t fo_result_rows(const fo_result_file *file)
{
    return file->csv ? fo_csv_rows(file->csv) : foi_mat_rows(file->mat);
}

size_t foi_result_rows_written(fo_result_file *file)
{
    return file->csv ? foi_csv_rows_written(file->csv) : foi_mat_rows_written(file->mat);
}

const char *fo_result_changed(const fo_result_file *file, char *text, size_t size)
{
    return file->mat ? foi_mat_changed(file->mat, text, size) : NULL;
}

fo_status fo_result_close(fo_result_file *file, fo_message *why)
{
    if (!file) return FO_OK;
    fo_status status = file->csv ? fo_csv_close(file->csv, why) : foi_mat_close(file->mat, why);
    foi_free(file->allocator, file);
    return status;
}
