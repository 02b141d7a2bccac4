/// What a desk is made of; shared by the files of this room.
#ifndef FOI_DESK_H
#define FOI_DESK_H

#include <foliot/desk.h>
#include <foliot/live.h>
#include <stdatomic.h>

#include "base/json.h"
#include "base/json_read.h"
#include "base/text_stream.h"
#include "desk/acts.h"
#include "desk/output.h"
#include "desk/position.h"
#include "desk/sinks.h"
#include "desk/store.h"
#include "process/coroutine.h"
#include "report/rows.h"

enum { FOI_DESK_VERSION = 1, FOI_DESK_DEPTH = 64 };

// ----------------------------------------------------------------------------------- what it has

typedef struct foi_desk_task foi_desk_task;

/// An open model that a document and its runs share.
typedef struct foi_desk_model {
    fo_model *model;
    uint32_t users;
    uint32_t inside;  ///< who evaluates it now, or was left in the middle of that
    bool coded;       ///< machine code was made, or could not be
    bool coding;      ///< it is being made: nobody may evaluate it
    bool unfinished;  ///< its translation was ended, since it took too long
    fo_model *review; ///< what is to be said of the document; NULL: it was not looked at as a whole
    struct foi_desk_model *lender; ///< whose program it has; NULL: it has its own
} foi_desk_model;

/// A number of the document that was set from outside.
typedef struct foi_desk_setting {
    char *name;
    double value;
} foi_desk_setting;

typedef struct foi_desk_document {
    uint64_t handle;
    char *name;
    const char *kind; ///< NULL: as the name says
    char *text;       ///< NULL: a model of the gallery, found by its name
    size_t length, room;
    double version;
    bool dirty;   ///< it has changed since it was opened as a model
    bool unheard; ///< its diagnoses were not sent yet
    foi_desk_model *open;
    foi_desk_setting *settings;
    size_t setting_count, setting_room;
} foi_desk_document;

typedef struct foi_desk_moment {
    double t;
    uint32_t k;
    fo_moment_kind kind;
    char name[64];
} foi_desk_moment;

typedef struct foi_desk_run {
    uint64_t handle;
    struct fo_desk *desk;
    foi_desk_model *open;
    fo_simulation *sim; ///< NULL: it is over
    fo_run_def def;
    char *solver;
    fo_reference *signals;
    char **names;
    uint32_t signal_count;
    foi_store *store;
    foi_last_row last;
    foi_desk_moment *moments;
    size_t moment_count, moment_room;
    uint64_t moments_seen;
    foi_acts *acts; ///< NULL: nobody asked for them
    foi_sinks sinks;
    uint64_t told;        ///< rows when progress was last sent
    uint64_t cells;       ///< kept since others were asked for
    uint32_t users;       ///< a slice of it, and those that read its rows
    foi_desk_task *slice; ///< that is going on, or was left in the middle; NULL: none
    bool carried;
    bool over;      ///< it was said to be done
    bool forgotten; ///< who uses it last frees it
    fo_status status;
    fo_statistics statistics;
    char text[FO_MESSAGE_SIZE];
    char used[48]; ///< the solver
} foi_desk_run;

typedef struct foi_desk_live {
    uint64_t handle;
    struct fo_desk *desk;
    foi_desk_model *open;
    fo_live *live;
    fo_virtual_clock clock;
    fo_setting *settings;
    foi_store *store; ///< rows since the last frame
    foi_last_row last;
    foi_acts *acts;             ///< since the last frame; NULL: nobody asked for them
    char note[FO_MESSAGE_SIZE]; ///< the last that it has said; "": nothing
    foi_text_stream record;     ///< the recording, in memory; without text: none
} foi_desk_live;

/// A sweep over numbers of a document; analysis.c has it.
typedef struct foi_desk_sweep foi_desk_sweep;

/// An allocator that gives no more than a limit.
typedef struct foi_desk_purse {
    fo_allocator allocator;
    const fo_allocator *from;
    struct fo_desk *desk;
    size_t used, most;
} foi_desk_purse;

/// Work that is going on or waits for its turn, in the order in which it came.
typedef struct foi_desk_tasks {
    foi_desk_task *first, *current; ///< current: on its stack now
    uint32_t count, begun, abandoned;
    uint64_t numbers, turn, turns;
    atomic_bool hurry;    ///< the call is to come back; a handler of signals sets it
    atomic_bool anywhere; ///< the current one may be left wherever it is
    foi_coroutine root;
    foi_stacks stacks;
    struct foi_desk_slices *inside; ///< whose work is going on, see slices.h; NULL: nobody's
} foi_desk_tasks;

struct fo_desk {
    fo_desk_def def;
    foi_desk_purse purse;
    const fo_allocator *allocator;

    char *in; ///< bytes that came and are not read yet
    size_t in_from, in_used, in_room;
    size_t in_looked; ///< of them without the end of a line
    bool skipping;    ///< a message that is too long: until its end
    bool ended;       ///< no more bytes come
    double skip;      ///< bytes that a message has announced which was refused
    foi_desk_output out;

    fo_way way; ///< how programs are run: bytecode, or machine code in memory
    int64_t clock;
    bool greeted;
    bool ending;   ///< it is put away
    double credit; ///< bytes that may be on their way; INFINITY: nobody counts
    double unacknowledged;
    uint64_t units; ///< left in this call
    uint64_t handles;

    foi_desk_document **documents;
    size_t document_count, document_room;
    foi_desk_run **runs;
    size_t run_count, run_room, turn;
    foi_desk_live **lives;
    size_t live_count, live_room;
    foi_desk_sweep **sweeps;
    size_t sweep_count, sweep_room, sweep_turn;
    unsigned worked; ///< tasks, sweeps and runs take turns
    foi_desk_tasks tasks;
};

// ------------------------------------------------------------------------------------- requests

/// A request that is being answered.
typedef struct foi_desk_request {
    fo_desk *desk;
    const foi_json *json;
    const foi_json_value *body;
    foi_reader read; ///< its members; a failure becomes the answer
    fo_message why;
    const char *bytes; ///< what it carries
    size_t byte_count;
    const char *code; ///< of the error, where the status does not say it; NULL: it does
    bool begun;       ///< the answer
    bool unfinished;  ///< the verb has more to do, and is called again
    bool answered;    ///< already: it was cancelled
    struct foi_desk_slices *slices; ///< of a verb that is called again, see slices.h
    foi_json_writer answer;
    char *frame; ///< binary behind the answer, of the desk's allocator
    size_t frame_size;
} foi_desk_request;

/// Answers it; the object `ok` is open in q->answer.
typedef void foi_desk_verb(foi_desk_request *q);

/// Refuses it with a code of the protocol.
__attribute__((format(printf, 3, 4))) void foi_desk_refuse(foi_desk_request *q, const char *code,
                                                           const char *format, ...);
/// Refuses it as a call did.
void foi_desk_fail(foi_desk_request *q, fo_status status);
bool foi_desk_refused(const foi_desk_request *q);

/// Members of the request. All that is counted is read by one of the first three: a handle, which
/// must be there; a whole number from `least` to `most`, `usual` where it is not given; the seed of
/// random streams.
#define FOI_DESK_MOST (0x1p53 - 1)
uint64_t foi_desk_handle(foi_desk_request *q, const char *key);
double foi_desk_whole(foi_desk_request *q, const char *key, double usual, double least,
                      double most);
uint64_t foi_desk_seed(foi_desk_request *q, uint64_t usual);
/// Any number; `usual` where it is not given.
double foi_desk_number(foi_desk_request *q, const char *key, double usual);
/// Refuses a length of time that is negative, or so short that nothing moves when it is added.
void foi_desk_check_moves(foi_desk_request *q, const char *name, double length, double start,
                          double stop);
/// NULL where it is not there.
const char *foi_desk_text(foi_desk_request *q, const char *key);

/// What a request names; NULL, and refused, when there is no such thing.
foi_desk_document *foi_desk_find_document(foi_desk_request *q);
foi_desk_run *foi_desk_find_run(foi_desk_request *q, uint64_t handle);
foi_desk_live *foi_desk_find_live(foi_desk_request *q);

/// The verbs, by file.
foi_desk_verb foi_desk_open, foi_desk_change, foi_desk_close, foi_desk_set, foi_desk_text_of,
    foi_desk_gallery;
foi_desk_verb foi_desk_describe, foi_desk_help, foi_desk_layout;
foi_desk_verb foi_desk_diagnostics, foi_desk_progress, foi_desk_optimize;
foi_desk_verb foi_desk_start_run, foi_desk_cancel, foi_desk_moments, foi_desk_acts, foi_desk_files,
    foi_desk_compare, foi_desk_forget;
foi_desk_verb foi_desk_rows;
foi_desk_verb foi_desk_linearize, foi_desk_steady, foi_desk_sensitivity, foi_desk_fit,
    foi_desk_sweep_verb;
foi_desk_verb foi_desk_start_live, foi_desk_frame, foi_desk_act, foi_desk_tell, foi_desk_record,
    foi_desk_replay, foi_desk_measure;
foi_desk_verb foi_desk_look, foi_desk_view, foi_desk_program;
foi_desk_verb foi_desk_complete, foi_desk_hover, foi_desk_definition, foi_desk_outline,
    foi_desk_rename, foi_desk_format, foi_desk_references;

// ----------------------------------------------------------------------------------- between files

/// Called by long work: whether it is to go on, after others had their turn. The first as `go_on`
/// of a model that is opened, the second between the steps of a run; self: the desk.
bool foi_desk_go_on(void *self);
bool foi_desk_step_on(void *self);
/// As the first, of a translation: false also where it has taken longer than the host lets others
/// wait.
bool foi_desk_translate_on(void *self);
/// Whether a translation of the work that asks was ended by that.
bool foi_desk_exhausted(const fo_desk *desk);
/// Whether the work that asks is done in one piece though the host has a clock; its time [ns] then.
bool foi_desk_in_one_piece(const fo_desk *desk, int64_t *now);
/// Refuses a request that needs a model which could not be opened.
void foi_desk_refuse_model(foi_desk_request *q, const foi_desk_model *m);
/// Says whether a signal may leave the work that is going on wherever it is (fo_desk_leave),
/// and returns what was said before. True only around calls that touch nothing of the desk but its
/// memory; what they call back says false meanwhile.
bool foi_desk_anywhere(fo_desk *desk, bool may);
/// Others have a turn; false: it was cancelled, or cannot be left.
bool foi_desk_wait(fo_desk *desk);
/// Whether the work that asks was cancelled.
bool foi_desk_cancelled(const fo_desk *desk);
/// Whether a request has the thing in hand or waits for it; `by_diagnoses`: or a diagnosis.
bool foi_desk_held(const fo_desk *desk, uint64_t handle, bool by_diagnoses);
/// Ends the diagnosis of a document that is going on: it is begun again later.
void foi_desk_end_diagnoses(fo_desk *desk, uint64_t handle);
/// Cancels the request of that id; false when it is not going on.
bool foi_desk_task_cancel(fo_desk *desk, double id);
/// One turn of one task; false when there is none.
bool foi_desk_task_some(fo_desk *desk);
void foi_desk_tasks_end(fo_desk *desk);

/// The text of a status in the protocol: "memory", "argument", ...
const char *foi_desk_status(fo_status status);
/// A number, or null where it is none.
void foi_desk_put(foi_json_writer *w, const char *key, double value);

/// Puts output: a line of JSON, and binary behind it. Takes both where they are long (*frame: NULL
/// then); who writes is left in between, but not while it is put.
void foi_desk_say(fo_desk *desk, foi_json_writer *line, char **frame, size_t size);
/// True while events may be sent that are not answers.
bool foi_desk_may_say(const fo_desk *desk);
/// Begins an event: {"on": name, ...; to be closed and said.
foi_json_writer foi_desk_event(const fo_desk *desk, const char *name);
void foi_desk_say_event(fo_desk *desk, foi_json_writer *event);

/// How a document is opened as a model, without what was set in it.
fo_model_def foi_desk_model_def(const fo_desk *desk, const foi_desk_document *d);
/// How the programs of runs are run: as machine code, or as modules of the host, without a thread
/// or a file; else as bytecode.
fo_program_def foi_desk_program_def(const fo_desk *desk);
/// Makes machine code of the model's program, once; where there is none it stays bytecode. The bits
/// are the same, so runs that are on their way may go over.
void foi_desk_model_code(fo_desk *desk, foi_desk_model *m);
/// Opens the document as a model, if that has not been done since it changed. The model, which may
/// have no system, or NULL without memory.
foi_desk_model *foi_desk_model_of(fo_desk *desk, foi_desk_document *d);
foi_desk_model *foi_desk_model_share(foi_desk_model *m);
/// Around evaluations of a model: not while machine code is made of it. False: cancelled.
bool foi_desk_model_enter(fo_desk *desk, foi_desk_model *m);
void foi_desk_model_exit(foi_desk_model *m);
/// A model for a run of its own: shared where it can be, writes no files and the acts are not asked
/// for.
foi_desk_model *foi_desk_model_for_run(fo_desk *desk, foi_desk_document *d, bool acts);
/// The same with these settings in place of the document's.
foi_desk_model *foi_desk_model_with(fo_desk *desk, foi_desk_document *d, const fo_setting *settings,
                                    size_t count);
/// Has the acts told of a run that begins, at most so many; NULL, and refused, where there are
/// none.
foi_acts *foi_desk_acts_begin(foi_desk_request *q, fo_model *m, uint64_t most);
void foi_desk_model_leave(fo_desk *desk, foi_desk_model *m);
/// Diagnoses of one document that has changed; false when there was none.
bool foi_desk_diagnose(fo_desk *desk);
void foi_desk_document_free(fo_desk *desk, foi_desk_document *d);

/// One slice of one run; false when none is running.
bool foi_desk_run_some(fo_desk *desk);
void foi_desk_run_free(fo_desk *desk, foi_desk_run *run);
/// Uses a run that may be forgotten meanwhile, and ends that.
foi_desk_run *foi_desk_run_use(foi_desk_run *run);
void foi_desk_run_release(fo_desk *desk, foi_desk_run *run);
/// Puts a run that was made into the list, with a handle; false, and refused, without memory.
bool foi_desk_keep_run(foi_desk_request *q, foi_desk_run *run);
/// The numbers of a run that a request gives, in place of those of the model; refused where they
/// are negative and must not be.
void foi_desk_run_numbers(foi_desk_request *q, fo_run_def *run);
/// The signals that a request names, or the usual ones; false when it is refused.
bool foi_desk_run_signals(foi_desk_request *q, foi_desk_run *run, const fo_model *m);
/// Keeps a moment of a run (self) that is not over; as an observer takes it.
fo_status foi_desk_take_moment(void *self, const fo_moment *m, fo_message *why);
void foi_desk_live_free(fo_desk *desk, foi_desk_live *live);
/// One run of one sweep; false when there is none.
bool foi_desk_sweep_some(fo_desk *desk);
/// Ends a sweep; false when there is none of that handle.
bool foi_desk_sweep_cancel(fo_desk *desk, uint64_t handle);
void foi_desk_sweep_free(fo_desk *desk, foi_desk_sweep *sweep);

/// A binary frame (docs/protocol.md), `columns` columns of `counts` doubles each.
typedef enum foi_frame_kind {
    FOI_FRAME_ROWS = 1,
    FOI_FRAME_M4 = 2,
    FOI_FRAME_LIVE = 3
} foi_frame_kind;
typedef struct foi_frame {
    foi_frame_kind kind;
    uint64_t handle;
    uint32_t id;
    uint64_t first;
    uint32_t columns;
    uint32_t rows;           ///< of every column, where they have as many
    const uint32_t *signals; ///< per column; UINT32_MAX: time
    const uint32_t *counts;  ///< per column; NULL: `rows`
} foi_frame;
/// Room for the frame with its head written; *values is where the columns go. NULL without memory.
char *foi_frame_create(const fo_allocator *allocator, const foi_frame *f, double **values,
                       size_t *size);

/// Whether the document is a text (*.mo).
bool foi_desk_is_text(const foi_desk_document *d);
void foi_position_put(foi_json_writer *w, const char *key, foi_position at);
/// The member as a position; refused where it is none.
foi_position foi_position_read(foi_desk_request *q, const foi_json_value *value);

#endif
