#include "desk/output.h"

#include <string.h>

#include "base/memory.h"

enum { PIECE = 1 << 16 }; ///< bytes that short ones share

static void link_piece(foi_desk_output *o, foi_desk_piece *p)
{
    p->next = NULL;
    if (o->last)
        o->last->next = p;
    else
        o->first = p;
    o->last = p;
    o->waiting += p->used - p->from;
}

static void unlink_first(foi_desk_output *o)
{
    foi_desk_piece *p = o->first;
    o->first = p->next;
    if (!o->first) o->last = NULL;
    if (p == &o->lost) {
        p->bytes = NULL;
        return;
    }
    if (p->bytes != (const char *)(p + 1)) foi_free(o->allocator, (void *)(uintptr_t)p->bytes);
    foi_free(o->allocator, p);
}

bool foi_output_hand(foi_desk_output *o, char *bytes, size_t count)
{
    foi_desk_piece *p = foi_new(o->allocator, 1, sizeof *p);
    if (!p) return false;
    *p = (foi_desk_piece){.bytes = bytes, .used = count, .room = count};
    link_piece(o, p);
    return true;
}

bool foi_output_put(foi_desk_output *o, const char *bytes, size_t count)
{
    foi_desk_piece *p = o->last;
    if (!p || p->room - p->used < count) {
        size_t room = count > PIECE ? count : PIECE;
        p = foi_new(o->allocator, 1, sizeof *p + room);
        if (!p) return false;
        *p = (foi_desk_piece){.bytes = (char *)(p + 1), .room = room};
        link_piece(o, p);
    }
    if (count) memcpy((char *)(uintptr_t)p->bytes + p->used, bytes, count);
    p->used += count, o->waiting += count;
    return true;
}

void foi_output_add(foi_desk_output *o, foi_desk_output *from)
{
    while (from->first) {
        foi_desk_piece *p = from->first;
        from->first = p->next;
        link_piece(o, p);
    }
    from->last = NULL, from->waiting = 0;
}

void foi_output_lose(foi_desk_output *o, const char *line)
{
    if (o->lost.bytes) return; // it was said, and nobody has read it
    size_t count = strlen(line);
    o->lost = (foi_desk_piece){.bytes = line, .used = count, .room = count};
    link_piece(o, &o->lost);
}

size_t foi_output_take(foi_desk_output *o, char *buffer, size_t room)
{
    size_t taken = 0;
    while (o->first && taken < room) {
        foi_desk_piece *p = o->first;
        size_t count = p->used - p->from < room - taken ? p->used - p->from : room - taken;
        if (count) memcpy(buffer + taken, p->bytes + p->from, count);
        p->from += count, taken += count, o->waiting -= count;
        if (p->from < p->used) break;
        if (p == o->last && p->bytes == (const char *)(p + 1) && p->room == PIECE) {
            p->from = p->used = 0; // kept for what comes
            break;
        }
        unlink_first(o);
    }
    return taken;
}

void foi_output_end(foi_desk_output *o)
{
    while (o->first) unlink_first(o);
}
