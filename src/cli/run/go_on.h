/// Files of rows that a run on ranks goes on with: its checkpoints do not say where the files
/// stood.
#ifndef CLI_GO_ON_H
#define CLI_GO_ON_H

#include <foliot/foliot.h>

/// What is known of the run.
typedef struct go_on {
    double t;           ///< of the checkpoint: rows until then stay, the run shows those after it
    double interval;    ///< of rows; 0: not known
    const char *header; ///< the first line; NULL: not compared
} go_on;

/// The mark of the file after the last row that stays; "" where there is no file, or an empty one.
/// FO_ERROR_INPUT where its rows are not those of that run, or some are missing.
fo_status go_on_mark(const char *path, const go_on *g, char mark[FO_CSV_MARK], fo_message *why);

#endif
