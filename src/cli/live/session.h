/// What `foliot live` works with.
#ifndef CLI_LIVE_SESSION_H
#define CLI_LIVE_SESSION_H

#include <foliot/foliot.h>

#include "cli/command.h"
#include "cli/live/talk.h"
#include "cli/model.h"

typedef struct live_options {
    maybe_number speed, rate, max_time_step, stop, interval, window, step, max_step, rtol, atol;
    maybe_number cheap_step;
    maybe_count seed;
    const char *policy, *record, *replay, *output, *socket, *signals, *solver, *cheap_solver;
    const char *share, *program, *memory;
    settings set, start;
    bool native, overwrite;
    bool spin, budget, plain, json, ascii, quiet;
} live_options;

typedef struct live_session {
    const command *command;
    live_options options;
    fo_model *model;
    fo_live_def def;
    fo_live *live;
    fo_observer observers[6]; ///< history, notes, space, Displays, files, who looks on
    fo_setting *settings;     ///< with which the model was opened
    size_t setting_count;
    const char *opened; ///< the MODEL, as it was named
    fo_share *share;    ///< NULL: nobody looks on
    history history;
    scape scape; ///< where the model lies in space
    displays displays;
    talk talk;
} live_session;

/// Opens the model with what the options say, or with what was recorded (may be NULL). Returns
/// EXIT_FINE, or how the command ends.
int live_open(live_session *s, const char *name, const fo_recording *recording);
/// --budget: what a frame costs. Returns the exit status.
int live_budget(live_session *s);
/// --replay: a recording in batch. Returns the exit status.
int live_replay(live_session *s, const operands *rest);

#endif
