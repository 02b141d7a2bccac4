// Models that are made of processes, on the command line.
#include <stdlib.h>
#include <worlds/worlds.h>

#include "cli/model.h"

/// A world and what its processes work on.
typedef struct opened {
    fo_world *world;
    void *model;
} opened;

static void close_world(void *owner)
{
    opened *o = owner;
    fo_world_destroy(o->world);
    free(o->model);
    free(o);
}

bool world_meant(const char *argument)
{
    return world_find(argument) != NULL;
}

bool world_open(const char *argument, model *m, fo_message *why)
{
    const world_model *found = world_find(argument);
    opened *o = calloc(1, sizeof *o);
    if (!o) {
        fo_fail(why, FO_ERROR_MEMORY, "out of memory");
        return false;
    }
    o->world = found->open(&o->model, why);
    if (!o->world) {
        close_world(o);
        return false;
    }
    *m = (model){.system = fo_world_system(o->world),
                 .stop = found->stop,
                 .interval = found->interval,
                 .solver = "rkf45",
                 .rtol = found->rtol,
                 .atol = found->atol,
                 .plot = found->plot,
                 .owner = o,
                 .close = close_world};
    return true;
}
