#include "cli/analysis/traces.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool empty = d;
    for (struct dirent *e = d ? readdir(d) : NULL; e && empty; e = readdir(d))
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    if (d) closedir(d);
    return empty;
}

bool traces_begin(const command *c, const char *folder, bool may_be_there)
{
    if (mkdir(folder, 0777) == 0) return true;
    if (errno != EEXIST) {
        complain(c, "cannot make the folder '%s': %s", folder, strerror(errno));
        return false;
    }
    if (may_be_there || is_empty(folder)) return true;
    complain(c, "--traces %s: the folder is not empty; --overwrite replaces files in it", folder);
    return false;
}

fo_status traces_open(const char *folder, uint64_t number, fo_system system, double interval,
                      fo_observer *observer, fo_message *why)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%06" PRIu64 ".csv", folder, number + 1);
    if (length < 0 || (size_t)length >= sizeof path)
        return fo_fail(why, FO_ERROR_ARGUMENT, "the path of --traces is too long");
    fo_csv *csv = fo_csv_open(path, system, NULL, 0, NULL, why);
    if (!csv) return why->status;
    *observer = fo_csv_observer(csv, interval);
    return FO_OK;
}

fo_status traces_close(fo_observer *observer, fo_message *why)
{
    return fo_csv_close(observer->self, why);
}
