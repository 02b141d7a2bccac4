/// Work of a desk that may be long; task.c says how it is done.
#ifndef FOI_DESK_TASK_H
#define FOI_DESK_TASK_H

#include "desk/desk.h"
#include "process/coroutine.h"

/// Embedded first in what a kind of work needs.
struct foi_desk_task {
    fo_desk *desk;
    void (*work)(foi_desk_task *self);
    void (*free)(foi_desk_task *self);
    uint64_t holds; ///< the handle that others wait for; 0: none
    bool lets_go;   ///< once begun it holds nothing any more
    bool makes;     ///< it gives a handle: who names one that nobody has yet waits for it
    bool diagnoses; ///< nobody has asked for it: who changes the document ends it
    bool must;      ///< it is done even when the desk is put away
    bool apart;     ///< it does not count among those that are begun
    bool reads;     ///< a short look at a text: beside its diagnosis, and before all others
    bool request;
    double id;                               ///< of the request
    void (*answer_now)(foi_desk_task *self); ///< of a request that is cancelled: says so

    foi_desk_task *next;
    uint64_t number;
    uint32_t asked; ///< in this turn
    uint64_t turns; ///< that were ended since they took long
    bool begun, over, cancelled;
    bool unfinished;  ///< what is done in one piece has come back for others: it is called again
    uint32_t looks;   ///< at the host's clock, of work in one piece, and
    int64_t since;    ///< [ns] the first of them
    bool exhausted;   ///< a translation of it has taken longer than the host lets others wait
    bool abandoned;   ///< cancelled in the middle: it ends when it notices, and nobody waits for it
    foi_stack *stack; ///< NULL: it is done in one piece
    foi_coroutine here;
};

/// Begins it, or lets it wait for its turn. It is freed when it is over, perhaps before this
/// returns.
void foi_desk_task_add(foi_desk_task *task);
/// Cancels it and does not wait for its end: it may not touch what is not its own any more. Frees
/// it where it has not begun.
void foi_desk_task_abandon(foi_desk_task *task);
/// Frees something large when there is time for it: giving back a gigabyte takes a while.
/// `of`: the model that it is of, which is left afterwards; may be NULL.
void foi_desk_bury(fo_desk *desk, void (*free_it)(void *what), void *what, foi_desk_model *of);
/// How many turns of the work that asks were ended since they took long, some milliseconds each.
uint64_t foi_desk_turns(const fo_desk *desk);
/// The short look at a text that asks has become long work: it does not go before others any more.
void foi_desk_not_short(fo_desk *desk);
/// Whether one more may be added.
bool foi_desk_task_room(const fo_desk *desk);

#endif
