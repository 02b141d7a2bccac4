/// A question about a place in a text, and the words that mean one thing.
#ifndef FOI_DESK_TEXTS_H
#define FOI_DESK_TEXTS_H

#include "desk/desk.h"
#include "desk/words.h"

typedef struct foi_text_question {
    foi_desk_document *d;
    foi_words words;
    size_t offset;
    uint32_t word; ///< FOI_NOWHERE: none
} foi_text_question;

/// False, and refused, when there is nothing to ask; otherwise foi_words_end(&a->words) later.
bool foi_text_ask(foi_desk_request *q, foi_text_question *a, bool placed);

/// "from" and "to" of bytes, of a word.
void foi_text_put_range(foi_json_writer *w, const foi_text_question *a, size_t from, size_t to);
void foi_text_put_word(foi_json_writer *w, const foi_text_question *a, uint32_t word);

/// What a name is of: a declaration with all that is one with it, or an import's own name.
typedef struct foi_text_thing {
    uint32_t declaration; ///< FOI_NOWHERE: none of this text
    uint32_t import;      ///< FOI_NOWHERE: the declaration counts
} foi_text_thing;

/// What the word that was asked about is of.
foi_text_thing foi_text_thing_at(foi_text_question *a);
/// Calls `take` for every word that is of it, in the order of the text.
void foi_text_uses(foi_text_question *a, foi_text_thing of, void (*take)(void *self, uint32_t word),
                   void *self);
/// Writes the places of all of them as items of a list, with the "text" that each is to become:
/// from the last to the first, so that each is right when those before it in the list are made.
void foi_text_put_uses(foi_json_writer *w, foi_text_question *a, foi_text_thing of,
                       const char *text);

#endif
