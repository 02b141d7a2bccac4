// What the words of a text mean: which declaration a name refers to, through classes that are
// extended, imported, redeclared and around it.
#include <stdlib.h>
#include <string.h>

#include "desk/words.h"

enum {
    DEEPEST = 32, ///< of classes that lead to classes
    NESTED = 128, ///< loops around a word: brackets are no deeper
    MOST_IMPORTS = 256,
};

static uint32_t meaning_of(foi_words *w, uint32_t reference, int depth);
static uint32_t class_of(foi_words *w, uint32_t declaration, int depth);
static uint32_t overridden(foi_words *w, uint32_t declaration, int depth);

// A name that is declared in that scope itself.
static uint32_t declared_in(const foi_words *w, uint32_t scope, const char *name)
{
    uint32_t i = w->table[foi_words_slot(w, scope, name)];
    while (i != FOI_NOWHERE &&
           (w->declared[i].scope != scope || foi_word_text(w, w->declared[i].word) != name))
        i = w->declared[i].same;
    return i;
}

// A name of the class itself or of what it extends.
static uint32_t member(foi_words *w, uint32_t of, const char *name, int depth)
{
    if (of == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    uint32_t own = declared_in(w, of, name);
    if (own != FOI_NOWHERE) return own;
    for (uint32_t b = 0; b < w->declared[of].base_count; b++) {
        uint32_t base = meaning_of(w, w->declared[of].bases[b], depth + 1);
        uint32_t found = member(w, class_of(w, base, depth + 1), name, depth + 1);
        if (found != FOI_NOWHERE) return found;
    }
    if (!w->declared[of].takes_over) return FOI_NOWHERE;
    return member(w, class_of(w, overridden(w, of, depth + 1), depth + 1), name, depth + 1);
}

// The inherited one of its name that a declaration stands in place of; FOI_NOWHERE: there is none.
static uint32_t overridden(foi_words *w, uint32_t declaration, int depth)
{
    uint32_t scope = w->declared[declaration].scope, found = FOI_NOWHERE;
    if (scope == FOI_NOWHERE || scope == FOI_IN_LOOP || depth > DEEPEST) return FOI_NOWHERE;
    const char *name = foi_word_text(w, w->declared[declaration].word);
    for (uint32_t b = 0; found == FOI_NOWHERE && b < w->declared[scope].base_count; b++) {
        uint32_t base = meaning_of(w, w->declared[scope].bases[b], depth + 1);
        found = member(w, class_of(w, base, depth + 1), name, depth + 1);
    }
    return found == declaration ? FOI_NOWHERE : found;
}

static uint32_t class_of(foi_words *w, uint32_t declaration, int depth)
{
    if (declaration == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    const foi_declared *d = &w->declared[declaration];
    if (d->is_class && (!d->is_short || d->type == FOI_NOWHERE)) return declaration;
    return class_of(w, meaning_of(w, d->type, depth + 1), depth + 1);
}

// A name that an import of a class brings: one that names it before those of all names.
static uint32_t imported(foi_words *w, uint32_t scope, const char *name, uint32_t *via, int depth)
{
    uint32_t most = MOST_IMPORTS < w->import_count ? MOST_IMPORTS : w->import_count;
    for (uint32_t i = 0; i < most; i++) {
        const foi_import *import = &w->imports[i];
        if (import->scope != scope || import->word == FOI_NOWHERE) continue;
        if (foi_word_text(w, import->word) != name) continue;
        *via = i;
        return meaning_of(w, import->reference, depth + 1);
    }
    for (uint32_t i = 0; i < most; i++) {
        const foi_import *import = &w->imports[i];
        if (import->scope != scope || import->word != FOI_NOWHERE) continue;
        uint32_t package = class_of(w, meaning_of(w, import->reference, depth + 1), depth + 1);
        uint32_t found = member(w, package, name, depth + 1);
        if (found != FOI_NOWHERE) return found;
    }
    return FOI_NOWHERE;
}

// A name that stands in a class: of it, of what is around it, of the text. *via: the import.
static uint32_t around(foi_words *w, uint32_t scope, const char *name, uint32_t *via, int depth)
{
    if (depth > DEEPEST) return FOI_NOWHERE;
    for (uint32_t c = scope; c != FOI_NOWHERE; c = w->declared[c].scope) {
        uint32_t found = member(w, c, name, depth + 1);
        if (found == FOI_NOWHERE) found = imported(w, c, name, via, depth + 1);
        if (found != FOI_NOWHERE || *via != FOI_NOWHERE) return found;
        if (w->declared[c].encapsulated) break;
    }
    return declared_in(w, FOI_NOWHERE, name);
}

// The variable of a loop around a word.
static uint32_t iterator(const foi_words *w, uint32_t word, const char *name)
{
    uint32_t low = 0, high = w->loop_count; // the last that begins at or before it
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->loops[middle].from <= word)
            low = middle + 1;
        else
            high = middle;
    }
    int most = 2 * NESTED;
    for (uint32_t i = low ? low - 1 : FOI_NOWHERE; i != FOI_NOWHERE && most--;
         i = w->loops[i].around)
        if (word < w->loops[i].to &&
            foi_word_text(w, w->declared[w->loops[i].declaration].word) == name)
            return w->loops[i].declaration;
    return FOI_NOWHERE;
}

static uint32_t meaning_of(foi_words *w, uint32_t reference, int depth)
{
    if (reference == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    foi_reference_word *r = &w->references[reference];
    if (r->looked_up) return r->meaning;
    r->looked_up = true; // one that leads to itself has no meaning
    const char *name = foi_word_text(w, r->word);
    uint32_t found, via = FOI_NOWHERE;
    if (r->owner != FOI_NOWHERE)
        found = member(w, class_of(w, r->owner, depth + 1), name, depth + 1);
    else if (r->before != FOI_NOWHERE)
        found =
            member(w, class_of(w, meaning_of(w, r->before, depth + 1), depth + 1), name, depth + 1);
    else if ((found = iterator(w, r->word, name)) == FOI_NOWHERE)
        found = around(w, r->scope, name, &via, depth + 1);
    w->references[reference].meaning = found, w->references[reference].via = via;
    return found;
}

uint32_t foi_declared_class(foi_words *w, uint32_t declaration)
{
    return class_of(w, declaration, 0);
}

// What is declared first of all that it stands in place of.
static uint32_t root(foi_words *w, uint32_t declaration)
{
    for (int depth = 0; depth < DEEPEST; depth++) {
        uint32_t before = overridden(w, declaration, 0);
        if (before == FOI_NOWHERE) break;
        declaration = before;
    }
    return declaration;
}

bool foi_declared_same(foi_words *w, uint32_t a, uint32_t b)
{
    if (a == b) return true;
    if (a == FOI_NOWHERE || b == FOI_NOWHERE) return false;
    if (foi_word_text(w, w->declared[a].word) != foi_word_text(w, w->declared[b].word))
        return false;
    a = root(w, a), b = root(w, b);
    return a == b || (w->declared[a].shared && w->declared[b].shared);
}

uint32_t foi_word_meaning(foi_words *w, uint32_t word)
{
    if (w->declared_of[word] != FOI_NOWHERE) return w->declared_of[word];
    return meaning_of(w, w->reference_of[word], 0);
}

uint32_t foi_word_alias(foi_words *w, uint32_t word)
{
    for (uint32_t i = 0; i < w->import_count; i++)
        if (w->imports[i].word == word && w->imports[i].alias) return i;
    uint32_t r = w->reference_of[word];
    if (r == FOI_NOWHERE || w->declared_of[word] != FOI_NOWHERE) return FOI_NOWHERE;
    meaning_of(w, r, 0);
    uint32_t via = w->references[r].via;
    return via != FOI_NOWHERE && w->imports[via].alias ? via : FOI_NOWHERE;
}

uint32_t foi_class_member(foi_words *w, uint32_t of, const char *name)
{
    return member(w, of, name, 0);
}

uint32_t foi_text_member(const foi_words *w, const char *name)
{
    return declared_in(w, FOI_NOWHERE, name);
}

uint32_t foi_class_named(const foi_words *w, const char *name)
{
    uint32_t found = FOI_NOWHERE, next = w->first;
    for (const char *part = name; *part; part += strcspn(part, ".") + (strchr(part, '.') != NULL)) {
        size_t length = strcspn(part, ".");
        for (found = next; found != FOI_NOWHERE; found = w->declared[found].next) {
            const char *own = foi_word_text(w, w->declared[found].word);
            if (w->declared[found].is_class && strncmp(own, part, length) == 0 && !own[length])
                break;
        }
        if (found == FOI_NOWHERE) return FOI_NOWHERE;
        next = w->declared[found].inner;
    }
    return found;
}

static bool extends(foi_words *w, uint32_t of, uint32_t base, int depth)
{
    if (of == base) return true;
    for (uint32_t b = 0; depth < DEEPEST && b < w->declared[of].base_count; b++) {
        uint32_t other = class_of(w, meaning_of(w, w->declared[of].bases[b], 0), 0);
        if (other != FOI_NOWHERE && extends(w, other, base, depth + 1)) return true;
    }
    return false;
}

bool foi_class_extends(foi_words *w, uint32_t of, uint32_t base)
{
    return of != FOI_NOWHERE && base != FOI_NOWHERE && base != FOI_IN_LOOP &&
           extends(w, of, base, 0);
}

// Puts a part in front of the path.
static bool prepend(const char *part, char *path, size_t size)
{
    size_t had = strlen(path), more = strlen(part) + (had > 0);
    if (had + more + 1 > size) return false;
    memmove(path + more, path, had + 1);
    if (had) path[more - 1] = '.';
    memcpy(path, part, strlen(part));
    return true;
}

bool foi_word_path(foi_words *w, uint32_t word, uint32_t *declaration, char *path, size_t size)
{
    path[0] = 0;
    uint32_t d = w->declared_of[word], at = d == FOI_NOWHERE ? w->reference_of[word] : FOI_NOWHERE;
    while (d == FOI_NOWHERE && at != FOI_NOWHERE) {
        const foi_reference_word *r = &w->references[at];
        if (r->owner != FOI_NOWHERE) {
            if (!prepend(foi_word_text(w, r->word), path, size)) return false;
            d = r->owner; // a(g = 5): a.g
        } else if (r->before != FOI_NOWHERE) {
            if (!prepend(foi_word_text(w, r->word), path, size)) return false;
            at = r->before;
        } else {
            d = meaning_of(w, at, 0);
            at = FOI_NOWHERE;
        }
    }
    *declaration = d;
    return d != FOI_NOWHERE && !w->declared[d].is_class &&
           prepend(foi_word_text(w, w->declared[d].word), path, size);
}

static void give_members(foi_words *w, uint32_t of, void (*take)(void *self, uint32_t declaration),
                         void *self, int depth)
{
    if (of == FOI_NOWHERE || depth > DEEPEST) return;
    for (uint32_t i = w->declared[of].inner; i != FOI_NOWHERE; i = w->declared[i].next)
        take(self, i);
    for (uint32_t b = 0; b < w->declared[of].base_count; b++) {
        uint32_t base = meaning_of(w, w->declared[of].bases[b], 0);
        give_members(w, class_of(w, base, 0), take, self, depth + 1);
    }
}

void foi_class_members(foi_words *w, uint32_t of, void (*take)(void *self, uint32_t declaration),
                       void *self)
{
    give_members(w, of, take, self, 0);
}
