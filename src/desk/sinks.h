/// Files that a run writes: those of the sinks of a diagram, where the host lets runs write into a
/// folder (fo_desk_def.write_files). The model writes them; the desk has it do so. A live model
/// writes none.
#ifndef FOI_DESK_SINKS_H
#define FOI_DESK_SINKS_H

#include <foliot/model.h>

struct fo_desk;
struct foi_desk_request;

typedef struct foi_sinks {
    struct fo_desk *desk;
    fo_model *model;      ///< that writes them now; NULL: nobody does, or no more
    fo_observer observer; ///< of the model
    char **paths;         ///< that it would make; when it is over, those that it has made
    size_t count;
} foi_sinks;

/// Begins to write those of a model that has this run alone. True: `observer` is to be one of its
/// observers; false: there are none, none may be written, or the request is refused.
bool foi_sinks_begin(struct foi_desk_request *q, foi_sinks *s, fo_model *model,
                     fo_observer *observer);
/// Writes the last line and closes them; nothing where that is done. FO_OK or FO_ERROR_INPUT.
fo_status foi_sinks_end(foi_sinks *s, fo_message *why);
/// Ends them and forgets their names.
void foi_sinks_free(foi_sinks *s);

#endif
