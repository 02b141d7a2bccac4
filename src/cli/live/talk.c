#include "cli/live/talk.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

static const double FRAME = 0.05; // between two pictures [s]
enum { KEYS = 0, INPUT = 1 };     // sources

// ------------------------------------------------------------------------------------- the notes

void talk_make(talk *t)
{
    pthread_mutex_init(&t->lock, NULL);
    t->socket.fd = -1;
    t->every = 1;
}

void talk_note(void *self, const char *text)
{
    talk *t = self;
    pthread_mutex_lock(&t->lock);
    if (t->note_count < TALK_NOTES)
        snprintf(t->notes[t->note_count++], FO_MESSAGE_SIZE, "%s", text);
    else
        t->notes_lost++;
    pthread_mutex_unlock(&t->lock);
}

static void show_note(talk *t, const char *text)
{
    char clean[FO_MESSAGE_SIZE];
    foi_text_printable(text, strlen(text), clean, sizeof clean);
    if (t->screen)
        snprintf(t->view.note, sizeof t->view.note, "%s", clean);
    else
        fprintf(stderr, "foliot live: %s\n", clean);
}

static void show_notes(talk *t)
{
    char notes[TALK_NOTES][FO_MESSAGE_SIZE];
    pthread_mutex_lock(&t->lock);
    int count = t->note_count, lost = t->notes_lost;
    memcpy(notes, t->notes, (size_t)count * sizeof notes[0]);
    t->note_count = t->notes_lost = 0;
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < count; i++) show_note(t, notes[i]);
    if (lost) fprintf(stderr, "foliot live: and %d more notes\n", lost);
}

// ------------------------------------------------------------------------------------- the lines

// "look": the signals that are shown; all else is the library's.
static void answer_look(talk *t, char *answer)
{
    double time = 0, values[HISTORY_SIGNALS] = {0};
    history_last(t->view.history, &time, values);
    size_t used = (size_t)snprintf(answer, SOCKET_ANSWER, "ok %.9g", time);
    for (size_t i = 0; i < t->view.history->count; i++) {
        char name[64], clean[64];
        fo_system_name(t->view.picture.system, t->view.history->signals[i], name, sizeof name);
        foi_text_printable(name, strlen(name), clean, sizeof clean);
        used += (size_t)snprintf(answer + used, SOCKET_ANSWER - used, " %s %.9g", clean, values[i]);
    }
}

static void answer_line(void *self, const char *line, uint32_t source, char *answer)
{
    talk *t = self;
    if (strcmp(line, "look") == 0 || strcmp(line, "look\r") == 0)
        answer_look(t, answer);
    else
        fo_live_tell(t->view.live, line, source, answer);
}

// A mistake is told on standard error, figures and values on standard output.
static void take_input(talk *t, double now, bool ready)
{
    const char *line = NULL;
    if (ready) t->listening = lines_read(&t->input, STDIN_FILENO);
    while (!lines_throttled(&t->input, now) && (line = lines_next(&t->input))) {
        char answer[SOCKET_ANSWER] = "";
        answer_line(t, line, INPUT, answer);
        if (strncmp(answer, "error ", 6) == 0) show_note(t, answer + 6);
        bool asked = strncmp(line, "stats", 5) == 0 || strncmp(line, "look", 4) == 0 ||
                     strncmp(line, "help", 4) == 0;
        if (asked && strncmp(answer, "ok ", 3) == 0) printf("%s\n", answer + 3), fflush(stdout);
    }
}

// Those who connect are told what the model could not bear; the others see the notes.
static void pass_refusals(talk *t)
{
    uint32_t source;
    fo_message why;
    while (fo_live_next_refusal(t->view.live, &source, &why))
        socket_tell(&t->socket, source, why.text);
}

static void take_keys(talk *t)
{
    char bytes[64], line[KEYS_LINE], answer[FO_LIVE_ANSWER];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got == 0) t->listening = false; // the terminal has gone
    if (atomic_load(&t->lingers)) {
        if (got != 0) atomic_store(&t->left, true);
        return;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (!keys_take(&t->keys, bytes[i], fo_live_look(t->view.live).speed, line)) continue;
        fo_live_tell(t->view.live, line, KEYS, answer);
        if (strncmp(answer, "error ", 6) == 0)
            show_note(t, answer + 6);
        else
            show_note(t, line);
    }
}

// ------------------------------------------------------------------------------------- Ctrl-Z

static volatile sig_atomic_t wants_to_stop, continued;

static void note_stop(int signal)
{
    wants_to_stop = signal;
}

static void note_going_on(int signal)
{
    continued = signal;
}

static void sleep_a_little(void)
{
    const struct timespec little = {0, 2000000};
    nanosleep(&little, NULL);
}

// SIGSTOP may reach another thread first, so that this one would still go on for a while.
static void stop_here(void)
{
    struct sigaction action = {.sa_handler = note_going_on, .sa_flags = SA_RESTART};
    sigaction(SIGCONT, &action, NULL);
    continued = 0;
    kill(getpid(), SIGSTOP);
    while (!continued) sleep_a_little();
}

// The shell gets its terminal as it was, and the run waits; afterwards both are as before.
static void suspend(talk *t)
{
    char answer[FO_LIVE_ANSWER];
    bool paused = fo_live_look(t->view.live).paused;
    wants_to_stop = 0;
    if (!paused) fo_live_tell(t->view.live, "pause", KEYS, answer);
    for (int i = 0; i < 50 && !fo_live_look(t->view.live).paused; i++) sleep_a_little();
    view_close(&t->view);
    keys_rest(&t->keys);
    stop_here();
    keys_wake(&t->keys);
    view_open(&t->view);
    if (!paused) fo_live_tell(t->view.live, "go", KEYS, answer);
}

// ------------------------------------------------------------------------------------ the thread

// Waits until something comes or a picture is due; true when standard input has something.
static bool wait_for_something(talk *t, double now, double next)
{
    struct pollfd list[SOCKET_CLIENTS + 2];
    bool soon = false;
    int count = socket_wait_for(&t->socket, list, now, &soon);
    int input = -1;
    if (t->listening && (t->screen || !lines_throttled(&t->input, now))) {
        input = count;
        list[count++] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
    } else if (t->listening) {
        soon = true;
    }
    double wait = next > now ? next - now : 0;
    if (wait > 0.05) wait = 0.05;
    if (soon && wait > 0.01) wait = 0.01;
    poll(list, (nfds_t)count, (int)(1000 * wait) + 1);
    return input >= 0 && list[input].revents;
}

static void *converse(void *argument)
{
    talk *t = argument;
    double next = clock_seconds();
    while (!atomic_load(&t->over)) {
        double now = clock_seconds();
        bool input = wait_for_something(t, now, next);
        now = clock_seconds();
        if (wants_to_stop && t->screen) suspend(t);
        if (input && t->screen) take_keys(t);
        if ((input || t->input.used) && !t->screen) take_input(t, now, input);
        pass_refusals(t);
        socket_serve(&t->socket, now, answer_line, t);
        show_notes(t);
        if (now < next) continue;
        if (t->screen) view_draw(&t->view);
        if (!t->screen && !t->quiet) view_line(&t->view, stdout);
        next = now + (t->screen ? FRAME : t->every);
    }
    return NULL;
}

// Signals are for the thread that advances.
static bool start_thread(talk *t)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->running = pthread_create(&t->thread, NULL, converse, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t->running;
}

bool talk_begin(talk *t)
{
    const fo_state *state = fo_simulation_state(fo_live_simulation(t->view.live));
    t->listening = true;
    if (t->screen && keys_begin(&t->keys, t->view.picture.system, state)) {
        t->view.keys = &t->keys;
        struct sigaction action = {.sa_handler = note_stop, .sa_flags = SA_RESTART};
        sigaction(SIGTSTP, &action, NULL);
        view_open(&t->view);
    } else {
        t->screen = false;
    }
    if (start_thread(t)) return true;
    complain(&command_live, "cannot start a thread");
    return false;
}

void talk_linger(talk *t, const char *text)
{
    if (!t->screen || !t->running) return;
    pthread_mutex_lock(&t->lock);
    t->note_count = 0;
    pthread_mutex_unlock(&t->lock);
    talk_note(t, text);
    t->view.ended = true;
    atomic_store(&t->lingers, true);
    while (!atomic_load(&t->left) && t->listening && !interrupt_signal()) sleep_a_little();
}

void talk_end(talk *t)
{
    if (t->screen) signal(SIGTSTP, SIG_DFL);
    atomic_store(&t->over, true);
    if (t->running) pthread_join(t->thread, NULL);
    t->running = false;
    view_close(&t->view);
    keys_end(&t->keys);
    t->screen = false;
    show_notes(t);
    socket_close(&t->socket);
}
