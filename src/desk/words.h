/// The words of a text and what they mean to each other: which name is declared where, and which
/// word refers to it. Made of the words alone, so that it works while the text is being written and
/// is wrong in places; what is wrong in a text the language says itself.
#ifndef FOI_WORDS_H
#define FOI_WORDS_H

#include "base/arena.h"
#include "desk/position.h"
#include "language/lexer.h"

#define FOI_NOWHERE UINT32_MAX
/// The scope of a loop's variable: it is a member of no class.
#define FOI_IN_LOOP (UINT32_MAX - 1)

/// A class, or a component of one.
typedef struct foi_declared {
    uint32_t word;  ///< its name among the words
    uint32_t scope; ///< the class that it stands in; FOI_NOWHERE: the text
    bool is_class;
    bool is_short;     ///< type T = Real(...)
    bool shared;       ///< inner or outer: one with all others of its name
    bool takes_over;   ///< of a class: `extends` the inherited one of its name
    bool encapsulated; ///< of a class: nothing around it is seen from inside
    const char *kind;  ///< of a class "model", of a component "parameter", "" or the like
    uint32_t type;     ///< reference to its type, or to the class that a short one is; FOI_NOWHERE
    uint32_t first, end; ///< words of it all: [first, end)
    const char *comment; ///< NULL: none
    uint32_t *bases;     ///< of a class: references to what it extends
    uint32_t base_count;
    uint32_t inner, last; ///< of a class: the first and the last that is declared in it
    uint32_t next;        ///< the next of the same scope
    uint32_t same;        ///< the next of the same place in the table of names
} foi_declared;

/// `for i in 1:n loop ... end for`, or `{... for i in 1:n}`: where its variable is known.
typedef struct foi_for {
    uint32_t declaration;
    uint32_t from, to; ///< words [from, to)
    uint32_t around;   ///< the loop around it; FOI_NOWHERE: none
} foi_for;

/// `import A.b;`, `import c = A.b;` or `import A.*;`
typedef struct foi_import {
    uint32_t scope;
    uint32_t word;      ///< the name that it has here; FOI_NOWHERE: all of them
    uint32_t reference; ///< to what is imported
    bool alias;         ///< the name is its own: `c`
} foi_import;

/// A word that means something that is declared, here or elsewhere.
typedef struct foi_reference_word {
    uint32_t word;
    uint32_t scope;   ///< the class in which it stands
    uint32_t before;  ///< the part of the dotted name before it, what is modified or called
    uint32_t owner;   ///< of a modifier's name: the declaration that is modified; FOI_NOWHERE
    uint32_t meaning; ///< the declaration, once it was looked up
    uint32_t via;     ///< the import by which it was found; FOI_NOWHERE: none
    bool looked_up;
} foi_reference_word;

typedef struct foi_words {
    foi_arena arena;
    foi_names names;
    const char *text;
    size_t length;
    foi_token *list;
    uint32_t count;
    foi_declared *declared;
    uint32_t declared_count;
    foi_reference_word *references;
    uint32_t reference_count;
    foi_for *loops; ///< outer ones first
    uint32_t loop_count;
    foi_import *imports;
    uint32_t import_count;
    uint32_t first; ///< what is declared outside of all classes begins here, FOI_NOWHERE: nothing
    uint32_t *declared_of, *reference_of; ///< per word; FOI_NOWHERE: none
    uint32_t *table;                      ///< of names in their scopes, by hash
    uint32_t table_size;                  ///< a power of two
    foi_position *marks;                  ///< the place of every 256th byte
} foi_words;

/// Reads a text, which must stay and end with a zero. False without memory.
bool foi_words_begin(foi_words *w, const char *text, size_t length, const fo_allocator *allocator);
void foi_words_end(foi_words *w);

/// The text of a name: one for all that are the same.
static inline const char *foi_word_text(const foi_words *w, uint32_t word)
{
    return w->list[word].text;
}
/// Where the declarations of that name in that scope begin in the table.
static inline uint32_t foi_words_slot(const foi_words *w, uint32_t scope, const char *name)
{
    uint64_t h = ((uint64_t)(uintptr_t)name ^ (uint64_t)scope << 32) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & (w->table_size - 1);
}

/// The bytes of a word.
size_t foi_word_from(const foi_words *w, uint32_t word);
size_t foi_word_to(const foi_words *w, uint32_t word);
/// The word that a byte is in or just behind; FOI_NOWHERE: none.
uint32_t foi_word_at(const foi_words *w, size_t offset);
/// The place of a byte. As foi_position_at, in a time that does not grow with the text.
foi_position foi_words_place(const foi_words *w, size_t offset);
/// The declaration that a word declares or refers to; FOI_NOWHERE: none of this text.
uint32_t foi_word_meaning(foi_words *w, uint32_t word);
/// The import with a name of its own that a word is, or by which it means what it means;
/// FOI_NOWHERE: none.
uint32_t foi_word_alias(foi_words *w, uint32_t word);
/// Whether two declarations of one name are of one thing: a redeclaration and what it is in place
/// of, an outer and its inner.
bool foi_declared_same(foi_words *w, uint32_t a, uint32_t b);
/// The innermost class around a word.
uint32_t foi_word_scope(const foi_words *w, uint32_t word);
/// The class of a declaration: itself, or that of its type; FOI_NOWHERE: none of this text.
uint32_t foi_declared_class(foi_words *w, uint32_t declaration);
/// A class by its dotted name; FOI_NOWHERE: it is not in this text.
uint32_t foi_class_named(const foi_words *w, const char *name);
/// Whether one class is another, or has all that it has by `extends`.
bool foi_class_extends(foi_words *w, uint32_t of, uint32_t base);
/// The dotted name that a word's variable has in the class around all that is named; false: it is
/// none, or too long. *declaration is the first part's.
bool foi_word_path(foi_words *w, uint32_t word, uint32_t *declaration, char *path, size_t size);
/// What a class has by that name, which is one of w->names, itself or by `extends`; FOI_NOWHERE.
uint32_t foi_class_member(foi_words *w, uint32_t of, const char *name);
/// The same for what is declared outside of all classes.
uint32_t foi_text_member(const foi_words *w, const char *name);
/// Calls `take` for every member of a class, inherited ones too.
void foi_class_members(foi_words *w, uint32_t of, void (*take)(void *self, uint32_t declaration),
                       void *self);

#endif
