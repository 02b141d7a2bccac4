// Queues: doubly linked lists, as SIMULA's SIMSET has them.
#include <assert.h>

#include "process/internal.h"

void fo_link_out(fo_link *l)
{
    fo_queue *q = l->queue;
    if (!q) return;
    *(l->pred ? &l->pred->suc : &q->first) = l->suc;
    *(l->suc ? &l->suc->pred : &q->last) = l->pred;
    q->cardinal--;
    *l = (fo_link){0};
}

static void insert(fo_link *l, fo_queue *q, fo_link *pred, fo_link *suc)
{
    *l = (fo_link){pred, suc, q};
    *(pred ? &pred->suc : &q->first) = l;
    *(suc ? &suc->pred : &q->last) = l;
    q->cardinal++;
}

void fo_link_into(fo_link *l, fo_queue *q)
{
    fo_link_out(l);
    insert(l, q, q->last, NULL);
}

void fo_link_precede(fo_link *l, fo_link *other)
{
    assert(other->queue);
    if (l == other) return;
    fo_link_out(l);
    insert(l, other->queue, other->pred, other);
}

void fo_link_follow(fo_link *l, fo_link *other)
{
    assert(other->queue);
    if (l == other) return;
    fo_link_out(l);
    insert(l, other->queue, other, other->suc);
}

void fo_queue_clear(fo_queue *q)
{
    while (q->first) fo_link_out(q->first);
}

fo_link *fo_process_link(fo_process *p)
{
    return &p->link;
}

fo_process *fo_link_process(fo_link *l)
{
    return l ? (fo_process *)(void *)((char *)l - offsetof(fo_process, link)) : NULL;
}

fo_process *fo_queue_first_process(const fo_queue *q)
{
    return fo_link_process(q->first);
}
