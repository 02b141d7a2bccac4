#include "worlds.h"

fo_status world_end(fo_world *w, fo_status status, fo_message *why)
{
    if (why && fo_failed(status)) *why = *fo_world_message(w);
    fo_world_destroy(w);
    return fo_failed(status) ? status : FO_OK;
}
