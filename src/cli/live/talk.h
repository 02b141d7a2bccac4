/// The other side of a live run: one thread that reads keys, standard input and the socket, and
/// draws. It may be slow or blocked; the run goes on.
#ifndef CLI_LIVE_TALK_H
#define CLI_LIVE_TALK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cli/live/socket.h"
#include "cli/live/view.h"

enum { TALK_NOTES = 16 };

typedef struct talk {
    live_view view;
    socket_server socket; ///< fd -1: none
    keys keys;
    bool screen;  ///< a view with keys; otherwise lines
    bool quiet;   ///< not even lines
    double every; ///< distance of the lines [s]
    lines input;
    bool listening; ///< standard input has not ended
    atomic_bool over;
    atomic_bool lingers; ///< the run has ended, and a key is waited for
    atomic_bool left;    ///< it came
    pthread_t thread;
    bool running;

    pthread_mutex_t lock;
    char notes[TALK_NOTES][FO_MESSAGE_SIZE]; ///< under the lock: said by the run, not shown yet
    int note_count, notes_lost;
} talk;

/// Before anything is noted.
void talk_make(talk *t);
/// For fo_live_def.note: keeps the text, never waits.
void talk_note(void *self, const char *text);
/// False: a message was printed.
bool talk_begin(talk *t);
/// The run has ended by itself: on a screen its last picture and `text` stay until a key.
void talk_linger(talk *t, const char *text);
/// Ends the thread and gives the terminal back.
void talk_end(talk *t);

#endif
