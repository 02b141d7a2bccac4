/// A text in memory that is written through a stream.
///
/// Not open_memstream: where memory lacks, that of glibc drops what is written, sets no error on
/// the stream and goes on with the next piece, so a text with a hole in it looks whole. Here a
/// piece that finds no memory is an error of the stream, and what comes after it is not kept
/// either.
#ifndef FOI_TEXT_STREAM_H
#define FOI_TEXT_STREAM_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct foi_text_stream {
    const fo_allocator *allocator;
    FILE *out;   ///< NULL once it is closed
    char *text;  ///< always with a zero at its end
    size_t size; ///< without that zero
    size_t room;
    bool lacked; ///< memory: the text is not whole
    char buffer[512];
} foi_text_stream;

/// Opens s->out. False without memory; then nothing is left to free. The stream keeps the address
/// of `s`, which must stay where it is.
bool foi_text_open(foi_text_stream *s, const fo_allocator *allocator);
/// Closes it, if nobody has done so: true if the text has all that was written.
bool foi_text_close(foi_text_stream *s);
/// After somebody else has closed s->out: the same.
bool foi_text_closed(foi_text_stream *s);
/// Closes it and hands the text over, which is the allocator's; NULL if it is not whole.
char *foi_text_take(foi_text_stream *s);
/// Closes it where that was not done, and frees the text. Takes one that is all zeros.
void foi_text_free(foi_text_stream *s);

#endif
