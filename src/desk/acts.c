// A few names are told again and again, so that an act keeps their numbers in a table of names.
#include "desk/acts.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "desk/desk.h"

typedef struct act {
    double t, amount;
    uint64_t number, by_number;
    uint32_t who, what, action, by; // names
    int priority;
} act;

struct foi_acts {
    fo_desk *desk;
    act *list;
    size_t count, room;
    uint64_t told, most;
    bool ended;
    char **names;
    size_t name_count, name_room;
    uint32_t *slots; ///< by hash: 1 + the number of a name; 0: free
    size_t slot_count;
};

foi_acts *foi_acts_create(fo_desk *desk, uint64_t most)
{
    foi_acts *a = foi_new(desk->allocator, 1, sizeof *a);
    if (a) a->desk = desk, a->most = most;
    return a;
}

void foi_acts_destroy(foi_acts *a)
{
    if (!a) return;
    const fo_allocator *from = a->desk->allocator;
    for (size_t i = 0; i < a->name_count; i++) foi_free(from, a->names[i]);
    foi_free(from, a->names);
    foi_free(from, a->slots);
    foi_free(from, a->list);
    foi_free(from, a);
}

// --------------------------------------------------------------------------------------------
// names

static uint32_t *slot_of(const foi_acts *a, const char *name)
{
    size_t at = (size_t)foi_hash_of(name, strlen(name), 0) & (a->slot_count - 1);
    while (a->slots[at] && strcmp(a->names[a->slots[at] - 1], name) != 0)
        at = (at + 1) & (a->slot_count - 1);
    return &a->slots[at];
}

// At most half of the slots are taken.
static bool slots_room(foi_acts *a)
{
    if (2 * (a->name_count + 1) <= a->slot_count) return true;
    size_t count = a->slot_count ? 2 * a->slot_count : 64;
    uint32_t *slots = foi_new(a->desk->allocator, count, sizeof *slots);
    if (!slots) return false;
    foi_free(a->desk->allocator, a->slots);
    a->slots = slots, a->slot_count = count;
    for (size_t i = 0; i < a->name_count; i++) *slot_of(a, a->names[i]) = (uint32_t)i + 1;
    return true;
}

// False without memory.
static bool number_of(foi_acts *a, const char *name, uint32_t *number)
{
    const fo_allocator *from = a->desk->allocator;
    if (!slots_room(a)) return false;
    uint32_t *slot = slot_of(a, name);
    if (!*slot) {
        if (!foi_array_room(from, &a->names, &a->name_room, a->name_count + 1, sizeof *a->names))
            return false;
        if (!(a->names[a->name_count] = foi_copy_text(from, name))) return false;
        *slot = (uint32_t)++a->name_count;
    }
    *number = *slot - 1;
    return true;
}

// ---------------------------------------------------------------------------------------------
// acts

static fo_status keep(foi_acts *a, const fo_act *told, fo_message *why)
{
    if (a->ended) return FO_OK;
    a->told++;
    if (a->count >= a->most) return FO_OK;
    act kept = {told->t, told->amount, told->number, told->by_number, 0, 0, 0, 0, told->priority};
    bool room = number_of(a, told->who, &kept.who) && number_of(a, told->what, &kept.what) &&
                number_of(a, told->action, &kept.action) && number_of(a, told->by, &kept.by) &&
                foi_array_room(a->desk->allocator, &a->list, &a->room, a->count + 1, sizeof kept);
    if (!room) return fo_fail(why, FO_ERROR_MEMORY, "no memory for act %zu", a->count);
    a->list[a->count++] = kept;
    return FO_OK;
}

static fo_status take(void *self, const fo_act *told, fo_message *why)
{
    foi_acts *a = self;
    bool may = foi_desk_anywhere(a->desk, false);
    fo_status status = keep(a, told, why);
    foi_desk_anywhere(a->desk, may);
    return status;
}

fo_trace foi_acts_trace(foi_acts *a)
{
    return (fo_trace){.self = a, .act = take};
}

uint64_t foi_acts_told(const foi_acts *a)
{
    return a->told;
}

size_t foi_acts_kept(const foi_acts *a)
{
    return a->count;
}

void foi_acts_end(foi_acts *a)
{
    a->ended = true;
}

void foi_acts_cut(foi_acts *a)
{
    a->count = 0, a->told = 0;
}

void foi_acts_put(const foi_acts *a, foi_json_writer *w, const char *key, size_t from, size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = from; i < from + count; i++) {
        const act *one = &a->list[i];
        foi_json_open(w, NULL, '[', true);
        foi_desk_put(w, NULL, one->t);
        foi_json_put_text(w, NULL, a->names[one->who]);
        foi_json_put_number(w, NULL, (double)one->number);
        foi_json_put_text(w, NULL, a->names[one->what]);
        foi_json_put_text(w, NULL, a->names[one->action]);
        foi_desk_put(w, NULL, one->amount);
        if (a->names[one->by][0] || one->priority) {
            foi_json_put_text(w, NULL, a->names[one->by]);
            foi_json_put_number(w, NULL, (double)one->by_number);
            if (one->priority) foi_json_put_number(w, NULL, one->priority);
        }
        foi_json_close(w, ']');
    }
    foi_json_close(w, ']');
}
