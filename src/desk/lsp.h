/// What a language server is made of; shared by the files lsp*.c.
///
/// An editor's requests become the desk's, each with an id of its own, and are answered when the
/// desk has answered: others may come in between. What changes a document is done at once.
#ifndef FOI_DESK_LSP_H
#define FOI_DESK_LSP_H

#include "desk/desk.h"

/// A document of the editor.
typedef struct foi_lsp_paper {
    char *uri;
    double doc; ///< the desk's handle
} foi_lsp_paper;

struct foi_lsp_question;
/// Says the result of a question, of which the desk has answered `ok`: the member "result".
typedef void foi_lsp_result(foi_json_writer *w, const struct foi_lsp_question *q,
                            const foi_json_value *ok);

/// A question of the editor that waits for the desk.
typedef struct foi_lsp_question {
    double asked; ///< the desk's id
    double number;
    char *text; ///< the editor's id: this, or the number where it is NULL
    char *uri;
    bool misplaced; ///< its position was none
    foi_lsp_result *result;
    struct foi_lsp_question *next;
} foi_lsp_question;

struct fo_lsp {
    fo_desk *desk;
    const fo_allocator *allocator;
    char *in, *out, *said; ///< from the editor, to the editor, from the desk
    size_t in_used, in_room, out_from, out_used, out_room, said_used, said_room;
    foi_lsp_paper *papers;
    size_t paper_count, paper_room;
    foi_lsp_question *questions;
    double ids;
    bool begun, shut, over;
};

/// A message of the editor.
typedef struct foi_lsp_message {
    fo_lsp *l;
    const foi_json_value *id, *params;
    const char *method;
} foi_lsp_message;

/// Errors of the protocol.
enum {
    FOI_LSP_PARSE = -32700,
    FOI_LSP_INVALID = -32600,
    FOI_LSP_NO_METHOD = -32601,
    FOI_LSP_PARAMS = -32602,
    FOI_LSP_NOT_BEGUN = -32002,
    FOI_LSP_CANCELLED = -32800,
    FOI_LSP_MODIFIED = -32801, ///< the document has changed before the answer
    FOI_LSP_FAILED = -32803
};

// ------------------------------------------------------------------------- lsp.c: to the editor

/// A message to the editor: begun, and said with its end.
foi_json_writer foi_lsp_begin(fo_lsp *l);
void foi_lsp_say(fo_lsp *l, foi_json_writer *w);
void foi_lsp_put_id(foi_json_writer *w, const foi_json_value *id);
void foi_lsp_say_error(fo_lsp *l, const foi_json_value *id, int code, const char *text);

/// Members, NULL and NAN where they are not there or something else.
const char *foi_lsp_text(const foi_json_value *object, const char *key);
double foi_lsp_number(const foi_json_value *object, const char *key);
/// [line, column] of the desk as {"line", "character"}; its "from" and "to" as a range.
void foi_lsp_put_position(foi_json_writer *w, const char *key, const foi_json_value *at);
void foi_lsp_put_range(foi_json_writer *w, const char *key, const foi_json_value *of);

// --------------------------------------------------------------------- lsp_desk.c: with the desk

/// A request to the desk, to be closed by one of the next two.
foi_json_writer foi_lsp_ask(const fo_lsp *l, const char *what);
/// Hands it over; its id.
double foi_lsp_give(fo_lsp *l, foi_json_writer *request);
/// The same, and waits for the answer, which is to be destroyed. NULL: there is none.
foi_json *foi_lsp_call(fo_lsp *l, foi_json_writer *request);
/// Takes what the desk has said.
void foi_lsp_hear(fo_lsp *l);

// ----------------------------------------------------------------- lsp_documents.c: documents

void foi_lsp_did_open(const foi_lsp_message *m);
void foi_lsp_did_change(const foi_lsp_message *m);
void foi_lsp_did_close(const foi_lsp_message *m);
/// The document that a message is about; NULL: it is not open.
foi_lsp_paper *foi_lsp_paper_asked(const foi_lsp_message *m);
/// Diagnoses of the desk for the editor.
void foi_lsp_publish(fo_lsp *l, const foi_json_value *event);
/// A position of the editor for the desk, which refuses what is none.
void foi_lsp_put_place(foi_json_writer *w, const char *key, const foi_json_value *at);

// ----------------------------------------------------------------- lsp_questions.c: questions

/// Answers, or asks the desk; false: there is no such question.
bool foi_lsp_question_asked(const foi_lsp_message *m);
/// The desk has answered one: says so, and forgets it.
void foi_lsp_answer(fo_lsp *l, const foi_json_value *answer);
/// Ends those of a document, or the one of an id; NULL: any.
void foi_lsp_end_questions(fo_lsp *l, const char *uri, const foi_json_value *id, int code,
                           const char *text);
/// Forgets all of them.
void foi_lsp_free_questions(fo_lsp *l);

#endif
