// When nothing can happen any more: who waits for what.
#include <stdio.h>
#include <string.h>

#include "process/internal.h"

bool foi_stuck(fo_world *w)
{
    return w->main && w->main->phase != FOI_ENDED && !w->stopping && !foi_events_first(w) &&
           !w->untils.count && !w->crossings.count && !w->due.count;
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static void describe(const fo_process *p, char *text, size_t size)
{
    char who[64];
    foi_process_text(p, who, sizeof who);
    const char *name = p->sentry && p->sentry->how.name ? p->sentry->how.name : "";
    switch ((foi_phase_of_life)p->phase) {
    case FOI_PASSIVE: snprintf(text, size, "%s is passive", who); break;
    case FOI_IN_QUEUE: snprintf(text, size, "%s waits in a queue", who); break;
    case FOI_IN_LINE:
        snprintf(text, size, "%s waits for %s '%s'", who, p->place.line->kind, p->place.line->name);
        break;
    case FOI_UNTIL:
        snprintf(text, size, "%s waits until a condition%s%s is true", who, *name ? ": " : "",
                 name);
        break;
    case FOI_CROSSING:
        snprintf(text, size, "%s waits for a crossing%s%s", who, *name ? ": " : "", name);
        break;
    case FOI_NEW_BORN:
    case FOI_ACTIVE:
    case FOI_HOLDING:
    case FOI_ENDED: *text = '\0'; break;
    }
}

fo_status foi_deadlock(fo_world *w)
{
    char list[FO_MESSAGE_SIZE - 112] = "", one[160], more[32];
    unsigned left = 0;
    describe(w->main, list, sizeof list);
    for (const fo_process *p = w->processes; p; p = p->suc) {
        if (p == w->main) continue;
        describe(p, one, sizeof one);
        if (!*one) continue;
        if (strlen(list) + strlen(one) + 24 >= sizeof list) {
            left++;
            continue;
        }
        append(list, sizeof list, "; ");
        append(list, sizeof list, one);
    }
    snprintf(more, sizeof more, "; and %u more", left);
    if (left) append(list, sizeof list, more);
    return foi_fail(w, FO_ERROR_MODEL, "nothing can happen any more after t = %.15g: %s", w->now,
                    list);
}
