/// From letters to words.
#ifndef FOI_LEXER_H
#define FOI_LEXER_H

#include "equations/flat.h"

typedef enum foi_token_kind {
    FOI_TOKEN_END, ///< of the text
    FOI_TOKEN_IDENT,
    FOI_TOKEN_REAL,
    FOI_TOKEN_INTEGER,
    FOI_TOKEN_STRING,
    FOI_TOKEN_WRONG, ///< `text` says what is wrong
    // signs; a sign of one letter is its letter
    FOI_TOKEN_ASSIGN = 128, ///< :=
    FOI_TOKEN_LESS_EQUAL,
    FOI_TOKEN_GREATER_EQUAL,
    FOI_TOKEN_EQUAL,        ///< ==
    FOI_TOKEN_NOT_EQUAL,    ///< <>
    FOI_TOKEN_DOT_ADD,      ///< .+
    FOI_TOKEN_DOT_SUBTRACT, ///< .-
    FOI_TOKEN_DOT_MULTIPLY, ///< .*
    FOI_TOKEN_DOT_DIVIDE,   ///< ./
    FOI_TOKEN_DOT_POWER,    ///< .^
    // words of the language, in the order of the table in lexer.c
    FOI_WORD_FIRST = 256,
    FOI_WORD_ALGORITHM = FOI_WORD_FIRST,
    FOI_WORD_AND,
    FOI_WORD_ANNOTATION,
    FOI_WORD_BLOCK,
    FOI_WORD_BREAK,
    FOI_WORD_CLASS,
    FOI_WORD_CONNECT,
    FOI_WORD_CONNECTOR,
    FOI_WORD_CONSTANT,
    FOI_WORD_CONSTRAINEDBY,
    FOI_WORD_DER,
    FOI_WORD_DISCRETE,
    FOI_WORD_EACH,
    FOI_WORD_ELSE,
    FOI_WORD_ELSEIF,
    FOI_WORD_ELSEWHEN,
    FOI_WORD_ENCAPSULATED,
    FOI_WORD_END,
    FOI_WORD_ENUMERATION,
    FOI_WORD_EQUATION,
    FOI_WORD_EXPANDABLE,
    FOI_WORD_EXTENDS,
    FOI_WORD_EXTERNAL,
    FOI_WORD_FALSE,
    FOI_WORD_FINAL,
    FOI_WORD_FLOW,
    FOI_WORD_FOR,
    FOI_WORD_FUNCTION,
    FOI_WORD_IF,
    FOI_WORD_IMPORT,
    FOI_WORD_IMPURE,
    FOI_WORD_IN,
    FOI_WORD_INITIAL,
    FOI_WORD_INNER,
    FOI_WORD_INPUT,
    FOI_WORD_LOOP,
    FOI_WORD_MODEL,
    FOI_WORD_NOT,
    FOI_WORD_OPERATOR,
    FOI_WORD_OR,
    FOI_WORD_OUTER,
    FOI_WORD_OUTPUT,
    FOI_WORD_PACKAGE,
    FOI_WORD_PARAMETER,
    FOI_WORD_PARTIAL,
    FOI_WORD_PROTECTED,
    FOI_WORD_PUBLIC,
    FOI_WORD_PURE,
    FOI_WORD_RECORD,
    FOI_WORD_REDECLARE,
    FOI_WORD_REPLACEABLE,
    FOI_WORD_RETURN,
    FOI_WORD_STREAM,
    FOI_WORD_THEN,
    FOI_WORD_TRUE,
    FOI_WORD_TYPE,
    FOI_WORD_WHEN,
    FOI_WORD_WHILE,
    FOI_WORD_WITHIN,
    FOI_WORD_LAST = FOI_WORD_WITHIN,
} foi_token_kind;

typedef struct foi_token {
    int kind; ///< a foi_token_kind or a letter
    const char *start;
    size_t length;
    foi_place place;
    const char *text; ///< interned identifier, the string's contents, or what is wrong
    double number;
} foi_token;

/// A text beside what it is looked for by: others that fall on its place are told apart unseen.
typedef struct foi_interned {
    const char *text; ///< NULL: the place is free
    uint64_t hash;
} foi_interned;

/// Texts that are equal are the same pointer.
typedef struct foi_names {
    foi_arena *arena;
    const fo_allocator *allocator;
    foi_interned *table;
    size_t size, count;
} foi_names;

/// NULL when memory is lacking.
const char *foi_intern(foi_names *names, const char *text, size_t length);
/// Is there such a text?
bool foi_names_have(const foi_names *names, const char *text);
void foi_names_end(foi_names *names);

typedef struct foi_lexer {
    const char *next, *end, *line_start;
    uint32_t file, line;
    foi_arena *arena;
    foi_names *names;
} foi_lexer;

/// Whether a line ends with this character: \n, \r\n or \r, as editors count lines.
static inline bool foi_ends_line(const char *c, const char *end)
{
    return *c == '\n' || (*c == '\r' && (end - c < 2 || c[1] != '\n'));
}

/// The text must end with a zero after `length` letters.
void foi_lexer_begin(foi_lexer *lexer, foi_arena *arena, foi_names *names, uint32_t file,
                     const char *text, size_t length);
/// The next token. After the end: FOI_TOKEN_END again and again.
foi_token foi_lexer_next(foi_lexer *lexer);

/// Behind the '(' of an annotation: skips to its end, where it holds nothing that is used here. The
/// token that was read ahead is then past; false: it is to be read.
bool foi_lexer_skip_annotation(foi_lexer *lexer);

/// The word's letters, or a sign in quotes: for messages.
const char *foi_token_words(int kind);

#endif
