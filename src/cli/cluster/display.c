// The display computer of a cluster: the master's, which hears of every node of the grid and shows
// the whole surface to whoever looks on ('foliot watch NAME').
#include "cli/cluster/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_NAME = 64, BACK = 64 }; ///< BACK: cycles that are searched for a whole one

// "value(3,2)", as the probe of a node is called where all nodes are.
static void name_of(const uint32_t *size, uint32_t dimensions, size_t node, char *text)
{
    unsigned x = (unsigned)(node % size[0]), y = (unsigned)(node / size[0] % size[1]);
    unsigned z = (unsigned)(node / size[0] / size[1]);
    if (dimensions == 1) snprintf(text, PROBE_NAME, "value(%u)", x);
    if (dimensions == 2) snprintf(text, PROBE_NAME, "value(%u,%u)", x, y);
    if (dimensions == 3) snprintf(text, PROBE_NAME, "value(%u,%u,%u)", x, y, z);
}

// Whether the first outputs are the values of all nodes, in their order.
static bool sees_all(const fo_field *field, size_t *nodes)
{
    uint32_t size[3] = {1, 1, 1};
    double length[3];
    uint32_t dimensions = fo_field_size(field, size, length);
    fo_variables outputs = fo_field_system(field).about->outputs;
    char name[PROBE_NAME];
    *nodes = (size_t)size[0] * size[1] * size[2];
    if (outputs.count < *nodes) return false;
    for (size_t i = 0; i < *nodes; i++) {
        name_of(size, dimensions, i, name);
        if (strcmp(outputs.list[i].name, name) != 0) return false;
    }
    return true;
}

bool display_open(display *d, const command *self, const char *name, const fo_field *field)
{
    fo_message why = {0};
    *d = (display){0};
    if (!name) return true;
    if (!sees_all(field, &d->nodes)) {
        complain(self, "--share: the display computer has to hear of every node of the grid: the "
                       "document needs \"probes\": \"all\"");
        return false;
    }
    d->share = fo_share_create(name, fo_field_system(field), NULL, &why);
    d->count = d->share ? fo_share_count(d->share) : 0;
    d->values = d->share ? calloc(d->count + 1, sizeof *d->values) : NULL;
    if (d->values) return true;
    complain(self, "%s", d->share ? "no memory for the display" : why.text);
    display_close(d);
    return false;
}

// Reports come during a cycle: the last row that is whole.
static const double *whole_row(const display *d, const fo_tdma_master *master, uint64_t *cycle)
{
    for (uint64_t back = 0; back < BACK && back <= *cycle; back++) {
        const double *row = fo_tdma_master_row(master, *cycle - back);
        size_t i = 0;
        while (row && i < d->nodes && !isnan(row[i])) i++;
        if (row && i == d->nodes) {
            *cycle -= back;
            return row;
        }
    }
    return NULL;
}

// Velocities are not reported; they are shown as zero.
void display_show(display *d, const fo_tdma_master *master)
{
    const fo_tdma_plan *plan = fo_tdma_master_plan(master);
    uint64_t cycle = fo_tdma_master_cycle(master);
    if (!d->share || !fo_tdma_master_started(master)) return;
    const double *row = whole_row(d, master, &cycle);
    if (!row || (d->shown && cycle == d->cycle)) return;
    size_t probes = fo_tdma_master_probes(master), outputs = d->count - probes;
    memcpy(d->values, row, d->nodes * sizeof *row);
    if (probes <= d->count) memcpy(d->values + outputs, row, probes * sizeof *row);
    fo_share_show(d->share, (double)cycle * plan->steps * plan->step, d->values);
    d->cycle = cycle, d->shown = true;
}

void display_close(display *d)
{
    fo_share_destroy(d->share);
    free(d->values);
    *d = (display){0};
}
