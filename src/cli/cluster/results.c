// What is seen of a cluster: the line while it runs, the probes as CSV, the error.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/writer.h"
#include "cli/cluster/cluster.h"
#include "cli/json.h"

enum { SHOWN = 8 };

void cluster_show(const fo_tdma_master *master)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    uint64_t missed = 0, bridged = 0;
    if (!fo_tdma_master_started(master)) {
        fprintf(stderr, "\r\033[Kwaiting for %u nodes at %s", plan->nodes,
                fo_tdma_master_address(master));
        return;
    }
    fprintf(stderr, "\r\033[Kcycle %llu of %llu  usage",
            (unsigned long long)fo_tdma_master_cycle(master),
            (unsigned long long)fo_tdma_master_cycles(master));
    for (uint32_t i = 0; i < plan->nodes; i++) {
        fo_tdma_view v = fo_tdma_master_look(master, i);
        if (i < SHOWN && v.silence > 0.2)
            fprintf(stderr, " silent");
        else if (i < SHOWN)
            fprintf(stderr, " %.3f", v.usage);
        missed += v.missed;
        bridged += v.bridged;
    }
    fprintf(stderr, "%s  missed %llu  bridged %llu", plan->nodes > SHOWN ? " .." : "",
            (unsigned long long)missed, (unsigned long long)bridged);
}

static const char *probe_name(const fo_field *field, uint32_t i)
{
    return fo_field_system(field).about->outputs.list[i].name;
}

static void put_header(foi_writer *out, const fo_field *field, uint32_t probes)
{
    char *at = foi_writer_row(out, NULL); // the buffer is empty: there is room
    at = (char *)memcpy(at, "time", 4) + 4;
    for (uint32_t i = 0; i < probes; i++) {
        *at++ = ',';
        at = foi_put_field(at, probe_name(field, i));
    }
    *at++ = '\n';
    foi_writer_row_end(out, at);
}

static bool put_row(foi_writer *out, double t, const double *row, uint32_t probes)
{
    char *at = foi_writer_row(out, NULL);
    if (!at) return false;
    at += foi_number_text(t, at);
    for (uint32_t i = 0; i < probes; i++) {
        *at++ = ',';
        if (!isnan(row[i])) at += foi_number_text(row[i], at);
    }
    *at++ = '\n';
    foi_writer_row_end(out, at);
    return true;
}

bool cluster_file_open(cluster_file *f, const command *self, const char *path,
                       const fo_field *field, const fo_tdma_master *master, double interval)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    uint32_t probes = fo_tdma_master_probes(master);
    double cycle = plan->step * plan->steps;
    size_t size = (probes + 1) * (size_t)FOI_DECIMAL_SIZE;
    fo_message why = {0};
    for (uint32_t i = 0; i < probes; i++) size += 1 + foi_field_size(probe_name(field, i));
    *f = (cluster_file){.field = field,
                        .every = interval > cycle ? (uint64_t)llround(interval / cycle) : 1};
    if (!path) return true;
    f->open = !fo_failed(foi_writer_open(&f->out, path, size, NULL, &why));
    f->waits = strcmp(path, "-") == 0 || !f->out.plain;
    if (!f->open) complain(self, "%s", why.text);
    if (f->open) put_header(&f->out, field, probes);
    if (f->open && !f->waits) foi_writer_flush(&f->out, NULL); // a failure is told at the end
    return f->open;
}

static bool is_complete(const double *row, uint32_t probes)
{
    for (uint32_t i = 0; i < probes; i++)
        if (isnan(row[i])) return false;
    return true;
}

static bool put_next(cluster_file *f, const fo_tdma_master *master)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    double t = (double)(f->next * plan->steps) * plan->step;
    const double *row = fo_tdma_master_row(master, f->next);
    f->next += f->every;
    return put_row(&f->out, t, row, fo_tdma_master_probes(master));
}

// The last cycle that all nodes have reported.
static uint64_t reported(const fo_tdma_master *master)
{
    uint64_t cycle = fo_tdma_master_cycle(master);
    for (uint32_t i = 0; i < fo_tdma_master_plan(master)->nodes; i++) {
        uint64_t own = fo_tdma_master_look(master, i).cycle;
        if (own < cycle) cycle = own;
    }
    return cycle;
}

// Reports come in the order of the cycles, but for what a network exchanges on the way: one that is
// missing when those of many later cycles are there was lost.
void cluster_file_go_on(cluster_file *f, const fo_tdma_master *master)
{
    enum { LATE = 32 };
    uint32_t probes = fo_tdma_master_probes(master);
    if (!f->open || f->waits || !fo_tdma_master_started(master)) return;
    uint64_t now = fo_tdma_master_cycle(master), last = reported(master);
    while (f->next < now &&
           (f->next + LATE < last || is_complete(fo_tdma_master_row(master, f->next), probes)))
        if (!put_next(f, master)) return; // it is told at the end
    foi_writer_flush(&f->out, NULL);
}

bool cluster_file_close(cluster_file *f, const command *self, const fo_tdma_master *master)
{
    fo_message why = {0};
    if (!f->open) return true;
    fflush(stdout);
    while (fo_tdma_master_started(master) && f->next <= fo_tdma_master_cycle(master))
        if (!put_next(f, master)) break;
    f->open = false;
    if (!fo_failed(foi_writer_close(&f->out, &why))) return true;
    complain(self, "%s", why.text);
    return false;
}

static void json_figures(json *j, const char *key, const fo_tdma_figures *f)
{
    double cycles = f->cycles ? (double)f->cycles : 1;
    json_open(j, key, '{');
    json_whole(j, "cycles", f->cycles);
    json_whole(j, "missed", f->missed);
    json_whole(j, "silent", f->silent);
    json_whole(j, "sync_lost", f->sync_lost);
    json_whole(j, "bridged", f->bridged);
    json_whole(j, "late", f->late);
    json_whole(j, "duplicated", f->duplicated);
    json_whole(j, "foreign", f->foreign);
    json_whole(j, "broken", f->broken);
    json_whole(j, "sent", f->sent);
    json_whole(j, "received", f->received);
    json_whole(j, "dropped", f->dropped);
    json_number(j, "computing", f->computing / cycles);
    json_number(j, "computing_worst", f->computing_worst);
    json_number(j, "sending", f->sending / cycles);
    json_number(j, "sending_worst", f->sending_worst);
    json_truth(j, "priority", f->priority);
    json_close(j);
}

/// Values of probes that no report has brought.
static uint64_t missing_values(const fo_tdma_master *master)
{
    uint32_t probes = fo_tdma_master_probes(master);
    uint64_t missing = 0;
    if (!fo_tdma_master_started(master)) return 0;
    for (uint64_t k = 0; k <= fo_tdma_master_cycle(master); k++)
        for (uint32_t i = 0; i < probes; i++) missing += isnan(fo_tdma_master_row(master, k)[i]);
    return missing;
}

/// "nodes 0, 2": those that have bridged; as far as there is room.
static void name_bridging(const fo_tdma_master *master, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < fo_tdma_master_plan(master)->nodes && used < size; i++)
        if (fo_tdma_master_figures(master)[i].bridged)
            used += (size_t)snprintf(text + used, size - used, "%s%u", used ? ", " : "", i);
}

bool cluster_whole(const command *self, const fo_tdma_master *master)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    uint64_t bridged = 0, missing = missing_values(master);
    char who[200];
    for (uint32_t i = 0; i < plan->nodes; i++) bridged += fo_tdma_master_figures(master)[i].bridged;
    name_bridging(master, who, sizeof who);
    if (bridged)
        complain(self,
                 "note: %llu boundaries did not come in time and were %s (at nodes %s): the values "
                 "are not those of one machine",
                 (unsigned long long)bridged,
                 plan->bridge == FO_TDMA_HOLD ? "held" : "extrapolated", who);
    if (missing)
        complain(self, "note: %llu values of probes were not reported and are empty in the results",
                 (unsigned long long)missing);
    return !bridged && !missing;
}

void cluster_json(const fo_tdma_master *master, bool whole)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    const fo_tdma_figures own = fo_tdma_master_own(master);
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "status", whole ? "reached" : "stopped");
    json_number(&j, "step", plan->step);
    json_whole(&j, "steps", plan->steps);
    json_whole(&j, "cycle", fo_tdma_master_cycle(master));
    json_whole(&j, "cycles", fo_tdma_master_cycles(master));
    json_figures(&j, "master", &own);
    json_open(&j, "nodes", '[');
    for (uint32_t i = 0; i < plan->nodes; i++)
        json_figures(&j, NULL, &fo_tdma_master_figures(master)[i]);
    json_close(&j);
    json_close(&j);
}

bool cluster_compare(const command *self, const fo_field *field, const fo_tdma_master *master)
{
    uint32_t probes = fo_tdma_master_probes(master);
    fo_tdma_error *errors = calloc(probes + 1, sizeof *errors);
    fo_message why = {0};
    fo_status status = errors ? fo_tdma_master_compare(master, errors, &why) : FO_ERROR_MEMORY;
    if (fo_failed(status)) complain(self, "%s", errors ? why.text : "no memory");
    if (!fo_failed(status)) {
        printf("against one machine:\nprobe                 largest value  worst error  rms error"
               "  worst / largest  rows missing\n");
        for (uint32_t i = 0; i < probes; i++)
            printf("%-20s  %13.6g  %11.3g  %9.3g  %15.3g  %12llu\n", probe_name(field, i),
                   errors[i].largest, errors[i].worst, errors[i].mean,
                   errors[i].largest > 0 ? errors[i].worst / errors[i].largest : 0,
                   (unsigned long long)errors[i].missing);
    }
    free(errors);
    return !fo_failed(status);
}
