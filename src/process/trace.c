/// The trace of a world.
///
/// Acts happen on the stacks of processes, which may be too small for whoever hears of them. So an
/// act is written to a buffer, with its texts (a process may be gone when it is read), and the root
/// reads the buffer: after every run of events, and when it is full, for which the process that
/// runs goes over to the root and back.
///
///     head | who \0 | what \0 | by \0 | padding to 8 | head | ...
#include <string.h>

#include "process/internal.h"

enum { BUFFER = 64 << 10, LONGEST = 1000 }; ///< bytes; of a name

typedef struct head {
    double t, amount;
    uint64_t number, by_number;
    const char *action; ///< a constant of this library
    int priority;
    size_t size; ///< with the texts
} head;

struct foi_trace {
    fo_trace to;
    size_t used;
    _Alignas(8) char buffer[BUFFER];
};

// --------------------------------------------------------------------------------------- reading

// The root may not fail as processes do: they go over to it to have their message written.
static void fail(fo_world *w, const fo_message *why, fo_status status)
{
    if (w->status != FO_OK) return;
    w->message = *why;
    w->message.status = w->status = status;
    w->until = -INFINITY;
}

void foi_trace_flush(fo_world *w)
{
    foi_trace *trace = w->trace;
    if (!trace) return;
    fo_status status = FO_OK;
    fo_message why = {0};
    for (size_t at = 0; at < trace->used && !fo_failed(status);) {
        const head *h = (const head *)(const void *)(trace->buffer + at);
        const char *who = (const char *)(h + 1), *what = who + strlen(who) + 1;
        const fo_act act = {.t = h->t,
                            .who = who,
                            .number = h->number,
                            .what = what,
                            .action = h->action,
                            .amount = h->amount,
                            .by = what + strlen(what) + 1,
                            .by_number = h->by_number,
                            .priority = h->priority};
        status = trace->to.act(trace->to.self, &act, &why);
        at += h->size;
    }
    trace->used = 0;
    w->trace_full = false;
    if (fo_failed(status)) fail(w, &why, status);
}

// --------------------------------------------------------------------------------------- writing

// Without functions of libc: the first call of one may need more stack than there is.
static size_t length_of(const char *text)
{
    size_t n = 0;
    while (text && text[n] && n < LONGEST) n++;
    return n;
}

static char *put(char *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) to[i] = text[i];
    to[length] = 0;
    return to + length + 1;
}

static void make_room(fo_world *w)
{
    if (!w->current) {
        foi_trace_flush(w);
        return;
    }
    w->trace_full = true;
    foi_coroutine_switch(&w->current->co, &w->root, false);
}

void foi_trace_write(fo_world *w, const fo_process *p, const char *what, const char *action,
                     double amount)
{
    foi_trace *trace = w->trace;
    const fo_process *by = w->current == p ? NULL : w->current;
    const char *who = p ? p->name : NULL, *whom = by ? by->name : NULL;
    size_t lengths[3] = {length_of(who), length_of(what), length_of(whom)};
    size_t size = sizeof(head) + lengths[0] + lengths[1] + lengths[2] + 3;
    size = (size + 7) & ~(size_t)7;
    if (trace->used + size > BUFFER) make_room(w);
    head *h = (head *)(void *)(trace->buffer + trace->used);
    int priority = !p ? 0 : p->place.line ? p->place.priority : p->priority;
    *h = (head){w->now, amount, p ? p->number : 0, by ? by->number : 0, action, priority, size};
    put(put(put((char *)(h + 1), who, lengths[0]), what, lengths[1]), whom, lengths[2]);
    trace->used += size;
}

fo_status fo_world_trace(fo_world *w, const fo_trace *trace)
{
    if (w->advancing) return foi_fail(w, FO_ERROR_MODEL, "a world is traced from before it runs");
    foi_trace_flush(w);
    if (!trace) {
        foi_free(w->allocator, w->trace);
        w->trace = NULL;
        return w->status;
    }
    if (!w->trace) w->trace = foi_new(w->allocator, 1, sizeof *w->trace);
    if (!w->trace) return foi_no_memory(w, "a trace");
    w->trace->to = *trace;
    return FO_OK;
}
