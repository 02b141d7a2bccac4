/// Marks of files of rows, as texts.
#ifndef FOI_REPORT_MARK_H
#define FOI_REPORT_MARK_H

#include <foliot/report.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/writer.h"
#include "report/rows.h"

/// The last row's time is written by its bits.
static inline void foi_mark_write(const foi_mark *m, const foi_last_row *last,
                                  char text[FO_CSV_MARK])
{
    snprintf(text, FO_CSV_MARK,
             "%" PRIu64 " bytes %" PRIu64 " rows %" PRIu64 " last %" PRIx64 " hash %a time %d kind",
             m->bytes, m->rows, m->last, m->hash, last->t, last->any ? (int)last->kind : -1);
}

static inline bool foi_mark_read(const char *text, foi_mark *m, foi_last_row *last)
{
    int kind, end = 0;
    int got = sscanf(text,
                     "%" SCNu64 " bytes %" SCNu64 " rows %" SCNu64 " last %" SCNx64
                     " hash %la time %d kind%n",
                     &m->bytes, &m->rows, &m->last, &m->hash, &last->t, &kind, &end);
    last->any = kind >= 0, last->kind = kind >= 0 ? (fo_row_kind)kind : FO_ROW_SAMPLE;
    return got == 6 && end && !text[end] && kind >= -1 && kind <= FO_ROW_AFTER;
}

#endif
