/// What `foliot live` works with.
#ifndef CLI_LIVE_SESSION_H
#define CLI_LIVE_SESSION_H

#include <foliot/foliot.h>

#include "cli/command.h"
#include "cli/live_talk.h"
#include "cli/model.h"

typedef struct live_options {
    maybe_number speed, rate, max_time_step, stop, every, window, step, rtol, atol, cheap_step;
    maybe_count seed;
    const char *policy, *record, *replay, *output, *socket, *signals, *solver, *cheap_solver;
    settings set;
    bool spin, budget, plain, json, ascii, quiet;
} live_options;

typedef struct live_session {
    const command *command;
    live_options options;
    model model;
    fo_live_def def;
    fo_live *live;
    fo_observer observers[2];
    history history;
    talk talk;
} live_session;

/// --budget: what a frame costs. Returns the exit status.
int live_budget(live_session *s);
/// --replay: a recording in batch. Returns the exit status.
int live_replay(live_session *s, const operands *rest);

#endif
