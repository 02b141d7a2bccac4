// Which words of a text are of one thing: where it is declared, and who uses it.
#include "desk/texts.h"

foi_text_thing foi_text_thing_at(foi_text_question *a)
{
    foi_text_thing of = {FOI_NOWHERE, FOI_NOWHERE};
    if (a->word == FOI_NOWHERE || a->words.list[a->word].kind != FOI_TOKEN_IDENT) return of;
    of.import = foi_word_alias(&a->words, a->word);
    of.declaration = foi_word_meaning(&a->words, a->word);
    return of;
}

static bool is_use(foi_words *w, foi_text_thing of, uint32_t word)
{
    if (foi_word_alias(w, word) != of.import) return false;
    return of.import != FOI_NOWHERE ||
           foi_declared_same(w, foi_word_meaning(w, word), of.declaration);
}

static const char *name_of(const foi_words *w, foi_text_thing of)
{
    return foi_word_text(w, of.import != FOI_NOWHERE ? w->imports[of.import].word
                                                     : w->declared[of.declaration].word);
}

static bool is_named_use(foi_words *w, foi_text_thing of, const char *name, uint32_t word)
{
    return w->list[word].kind == FOI_TOKEN_IDENT && foi_word_text(w, word) == name &&
           is_use(w, of, word);
}

void foi_text_uses(foi_text_question *a, foi_text_thing of, void (*take)(void *self, uint32_t word),
                   void *self)
{
    const char *name = name_of(&a->words, of);
    for (uint32_t i = 0; i < a->words.count; i++)
        if (is_named_use(&a->words, of, name, i)) take(self, i);
}

/// Writes each use as an item of a list.
typedef struct using
{
    foi_json_writer *w;
    foi_text_question *a;
    const char *text;
    bool undeclared; ///< not those words that declare it
}
using;

static bool declares(const foi_words *w, uint32_t word)
{
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].word == word) return true;
    for (uint32_t i = 0; i < w->import_count; i++)
        if (w->imports[i].word == word) return true;
    return false;
}

static void put_use(void *self, uint32_t word)
{
    const using *u = self;
    if (u->undeclared && declares(&u->a->words, word)) return;
    foi_json_open(u->w, NULL, '{', true);
    foi_text_put_word(u->w, u->a, word);
    if (u->text) foi_json_put_text(u->w, "text", u->text);
    foi_json_close(u->w, '}');
}

void foi_text_put_uses(foi_json_writer *w, foi_text_question *a, foi_text_thing of,
                       const char *text)
{
    using u = {w, a, text, false};
    const char *name = name_of(&a->words, of);
    for (uint32_t i = a->words.count; i-- > 0;)
        if (is_named_use(&a->words, of, name, i)) put_use(&u, i);
}

void foi_desk_definition(foi_desk_request *q)
{
    foi_text_question a;
    if (!foi_text_ask(q, &a, true)) return;
    bool may = foi_desk_anywhere(q->desk, true);
    uint32_t meaning = FOI_NOWHERE;
    if (a.word != FOI_NOWHERE) meaning = foi_word_meaning(&a.words, a.word);
    foi_json_open(&q->answer, "list", '[', true);
    if (meaning != FOI_NOWHERE) {
        foi_json_open(&q->answer, NULL, '{', true);
        foi_text_put_word(&q->answer, &a, a.words.declared[meaning].word);
        foi_json_close(&q->answer, '}');
    }
    foi_json_close(&q->answer, ']');
    foi_desk_anywhere(q->desk, may);
    foi_words_end(&a.words);
}

void foi_desk_references(foi_desk_request *q)
{
    foi_text_question a;
    bool declaration = !foi_json_member(q->body, "declaration") ||
                       foi_read_truth(&q->read, q->body, "declaration");
    if (foi_desk_refused(q) || !foi_text_ask(q, &a, true)) return;
    bool may = foi_desk_anywhere(q->desk, true);
    foi_text_thing of = foi_text_thing_at(&a);
    using u = {&q->answer, &a, NULL, !declaration};
    foi_json_open(&q->answer, "list", '[', true);
    if (of.declaration != FOI_NOWHERE || of.import != FOI_NOWHERE)
        foi_text_uses(&a, of, put_use, &u);
    foi_json_close(&q->answer, ']');
    foi_desk_anywhere(q->desk, may);
    foi_words_end(&a.words);
}
