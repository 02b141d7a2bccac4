/// Small things with text: the nearest right name.
#ifndef FOI_TEXT_H
#define FOI_TEXT_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Collects candidates for a name that was not found.
typedef struct foi_nearest {
    const char *wanted;
    char best[64];
    int distance;
    char hint[96];
} foi_nearest;

foi_nearest foi_nearest_to(const char *wanted);
void foi_nearest_try(foi_nearest *n, const char *candidate);
/// "; did you mean 'dp45'?" when something is near enough, otherwise "".
const char *foi_nearest_hint(foi_nearest *n);

/// Copies a text of somebody else's for a terminal or a log: control characters, the second set of
/// them (U+0080 to U+009F) and bytes that are no UTF-8 become '?'. It ends at `length`, at a zero
/// byte or where `text` is full, and always with a zero.
void foi_text_printable(const char *from, size_t length, char *text, size_t size);

/// Copies a text with what a terminal would obey written out: U+001B as \u001b, line ends as \n, a
/// byte that is no UTF-8 as \x9b; the letters of `keep` stay. It ends where `text` is full, after
/// a whole character, and always with a zero. Returns the length that all of it needs, or one that
/// is at least `size`.
size_t foi_text_escape(const char *from, const char *keep, char *text, size_t size);
/// The character at the beginning of a text that is not empty, where a terminal would obey it; 0:
/// it is shown, or is no UTF-8. `length` is how many bytes it has.
uint32_t foi_text_command(const char *text, size_t *length);
/// Whether foi_text_escape changes nothing.
bool foi_text_is_plain(const char *text, const char *keep);
/// In place: names and texts of documents in a message cannot command a terminal, nor begin a line
/// of their own.
void foi_message_plain(char text[FO_MESSAGE_SIZE]);
enum { FOI_ESCAPE_GROWTH = 6 }; ///< a text grows at most so many times

/// Whether two names are one but for blanks before subscripts: `r[1, 2].x` and `r[1,2].x`.
bool foi_one_name(const char *a, const char *b);

/// How many single-letter changes, insertions, deletions and swaps lead from a to b; letters count
/// the same in both cases. Texts are looked at up to 63 letters.
int foi_edit_distance(const char *a, const char *b);

#endif
