/// The desk: one user's documents, runs and live models, driven by messages.
///
/// Bytes come in, bytes go out, and each call does a bounded amount of work: no thread, no file, no
/// socket and no clock of its own. So the same code answers an editor over a pipe, a page over a
/// socket and a page in a worker. docs/protocol.md has every message.
///
///     fo_desk_def def = fo_default_desk_def();
///     fo_desk *desk = fo_desk_create(&def, &why);
///     for (;;) {
///         wait(desk has work or bytes came);
///         used = fo_desk_give(desk, bytes, count);
///         while (fo_desk_work(desk, clock, 100000) == FO_DESK_MORE && nothing came) send();
///         while ((count = fo_desk_take(desk, buffer, sizeof buffer))) write(buffer, count);
///     }
#ifndef FOLIOT_DESK_H
#define FOLIOT_DESK_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fo_desk fo_desk;

/// What one desk may take. Whatever goes beyond is refused with the code "limit".
typedef struct fo_desk_def {
    fo_model_table table;         ///< models that are compiled in
    const char *const *folders;   ///< of the gallery, NULL-terminated; may be NULL
    const char *const *libraries; ///< texts: folders with packages, NULL-terminated; may be NULL
    const char *files;            ///< the folder whose files documents may use; NULL: none
    size_t message;               ///< bytes of a message and of what it carries
    size_t text;                  ///< bytes of a document
    uint32_t documents, runs, lives;
    bool write_files; ///< runs write the files of sinks into `files`; false: they are only read
    uint64_t rows;    ///< of a run
    uint64_t moments; ///< of a run that are kept
    size_t output;    ///< bytes that wait to be taken; then nothing more is taken in
    size_t memory;    ///< bytes in all; 0: no limit
    uint64_t work;    ///< of a text: expressions and elements to expand; 0: 10^8
    const fo_allocator *allocator;
    const fo_module_host *host; ///< where the desk is WebAssembly: makes functions of programs;
                                ///< NULL: there they are bytecode
    /// Where work cannot be left and gone on with later, as in WebAssembly: a translation that has
    /// taken so long [ns] by this clock is ended, and the document refused with the reason, so that
    /// others are answered; 0 or NULL: it goes on to its end. Slices of runs end by it, too.
    int64_t patience;
    int64_t (*now)(void *self);
    void *now_self;
} fo_desk_def;
/// Messages of 4 MB, texts of 1 MB, 64 documents, 64 runs of 20 million rows, 16 live models, 1 GB;
/// 10^7 expansions, which 100,000 equations need a fourth of.
fo_desk_def fo_default_desk_def(void);

/// NULL on failure, and `why` says it.
fo_desk *fo_desk_create(const fo_desk_def *def, fo_message *why);
/// Takes NULL.
void fo_desk_destroy(fo_desk *desk);

/// Hands over bytes of messages, cut anywhere. Returns how many were taken: fewer than `count` when
/// too much waits to be taken.
size_t fo_desk_give(fo_desk *desk, const void *bytes, size_t count);

/// No more bytes come: a last line without its end is read as it is, and a message whose announced
/// bytes are missing is refused.
void fo_desk_end(fo_desk *desk);

typedef enum fo_desk_state {
    FO_DESK_IDLE,    ///< nothing to do until more bytes come
    FO_DESK_MORE,    ///< there is more to do
    FO_DESK_BLOCKED, ///< nothing can be done before output is taken
} fo_desk_state;

/// Works for about `units` (evaluations of rates times states, or what takes as long): messages
/// first, then diagnoses, then runs in turn. `clock` [ns] is handed to those that ask for it.
fo_desk_state fo_desk_work(fo_desk *desk, int64_t clock, uint64_t units);

/// Lets the call of fo_desk_work that is going on come back soon. For a handler of signals on the
/// thread of that call, so that a host can promise how long an answer takes: units are counted, and
/// a single step of a run may be longer than all of them. Work is left where it asks, or, where
/// this is true for the stack pointer that the signal has come upon, by fo_desk_leave.
bool fo_desk_interrupt(fo_desk *desk, const void *stack_pointer);
/// Leaves work in the middle of a translation or a step, to be gone on with later. For a handler of
/// signals that runs on the stack of the work, and only where the signal has not come upon the C
/// library (it has locks). Never possible in WebAssembly and with sanitizers.
void fo_desk_leave(fo_desk *desk);

/// Copies output to `buffer`; returns how many bytes, 0: there is none.
size_t fo_desk_take(fo_desk *desk, void *buffer, size_t room);

// ------------------------------------------------------------------------------- language server

/// The same desk for editors that speak the Language Server Protocol (3.17): messages have a header
/// "Content-Length: N" instead of a line's end.
typedef struct fo_lsp fo_lsp;

/// NULL on failure, and `why` says it.
fo_lsp *fo_lsp_create(const fo_desk_def *def, fo_message *why);
/// Takes NULL.
void fo_lsp_destroy(fo_lsp *lsp);
/// As fo_desk_give.
size_t fo_lsp_give(fo_lsp *lsp, const void *bytes, size_t count);
/// As fo_desk_work.
fo_desk_state fo_lsp_work(fo_lsp *lsp, uint64_t units);
/// As fo_desk_interrupt.
bool fo_lsp_interrupt(fo_lsp *lsp, const void *stack_pointer);
/// As fo_desk_leave.
void fo_lsp_leave(fo_lsp *lsp);
/// As fo_desk_take.
size_t fo_lsp_take(fo_lsp *lsp, void *buffer, size_t room);
/// True when the editor has said `exit`; *orderly: after `shutdown`.
bool fo_lsp_over(const fo_lsp *lsp, bool *orderly);

#ifdef __cplusplus
}
#endif
#endif
