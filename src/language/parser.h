/// From words to the syntax tree, by recursive descent.
///
/// Each function reads one construct and returns NULL after it has reported what is wrong; the
/// caller that knows where the next construct begins skips to there and goes on, so that one run
/// reports several mistakes.
#ifndef FOI_PARSER_H
#define FOI_PARSER_H

#include "language/lexer.h"
#include "language/message.h"
#include "language/syntax.h"

/// How deep things may be nested, and how many operations one expression may chain.
enum { FOI_DEEPEST_SYNTAX = 100, FOI_DEEPEST_EXPRESSION = 1000 };

typedef struct foi_parser {
    foi_lexer lexer;
    foi_token token, ahead; ///< this one and the next
    foi_place after;        ///< just after the token before this one
    foi_arena *arena;
    foi_names *names;
    foi_messages *messages;
    const char *file, *source;
    int depth;         ///< of nested constructs
    int subscripts;    ///< inside so many brackets where `end` has a meaning
    const char *wrong; ///< a token behind the last ';' that was wrong, and said so; or NULL
    bool library;      ///< a file of a library: annotations that nothing here uses are skipped
} foi_parser;

/// What a file holds: its classes, and the package that it is within, or NULL.
typedef struct foi_stored {
    foi_class **classes;
    uint32_t count;
    const foi_ref *within;
} foi_stored;

void foi_parser_begin(foi_parser *p, foi_arena *arena, foi_names *names, foi_messages *messages,
                      uint32_t file, const char *name, const char *text, size_t length);
/// Reads a whole file. What is right of it is in `stored` even when messages were made.
void foi_parse_file(foi_parser *p, foi_stored *stored);

// Between the files of the parser.

void foi_parse_error(foi_parser *p, foi_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// "expected WHAT, found TOKEN" here.
void foi_parse_expected(foi_parser *p, const char *what);
void foi_parse_advance(foi_parser *p);
/// Takes the token if it is of this kind.
bool foi_parse_take(foi_parser *p, int kind);
/// Takes it or reports "expected KIND WHERE".
bool foi_parse_need(foi_parser *p, int kind, const char *where);
/// The name here, or NULL after a report.
const char *foi_parse_ident(foi_parser *p, const char *what);
/// Enters a nested construct; false, with a report, when it is too deep. Leave with p->depth--.
bool foi_parse_enter(foi_parser *p);
/// Skips to behind the next ';', or to a word that starts or ends a section.
void foi_parse_recover(foi_parser *p);
bool foi_parse_at_section(const foi_parser *p);

foi_ast *foi_parse_expression(foi_parser *p);
/// A dotted name; with subscripts if `subscripts`.
foi_ref *foi_parse_ref(foi_parser *p, bool subscripts, const char *what);
/// `[...]` after a name, if there.
bool foi_parse_subscripts(foi_parser *p, foi_ast *const **list, uint32_t *count);
/// `name in range, ...`
bool foi_parse_iterators(foi_parser *p, const foi_iterator **list, uint32_t *count);
/// Finds the ranges of iterators that have none, from what the loop does: an expression or a body.
bool foi_parse_ranges(foi_parser *p, const foi_iterator *iterators, uint32_t count,
                      const foi_ast *expression, const foi_branch_ast *body);
/// An optional description: strings joined by '+'.
const char *foi_parse_description(foi_parser *p);
/// `(...) = value`, if there; the returned pointer is NULL when there is none.
bool foi_parse_modification(foi_parser *p, const foi_modifier **modifier);
bool foi_parse_class_modification(foi_parser *p, const foi_modifier **modifier);
/// `annotation(...)`, if there.
bool foi_parse_annotation(foi_parser *p, const foi_modifier **modifier);
/// Equations or statements, up to a word that ends them.
void foi_parse_section(foi_parser *p, foi_section *section);

#endif
