#include "language/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 1000, LONGEST_NUMBER = 100 };

static const char *const words[] = {
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within",
};
_Static_assert(sizeof words / sizeof words[0] == FOI_WORD_LAST - FOI_WORD_FIRST + 1,
               "one word for each kind");

static const struct {
    const char *text;
    int kind;
} signs[] = {
    {":=", FOI_TOKEN_ASSIGN},       {"<=", FOI_TOKEN_LESS_EQUAL},   {">=", FOI_TOKEN_GREATER_EQUAL},
    {"==", FOI_TOKEN_EQUAL},        {"<>", FOI_TOKEN_NOT_EQUAL},    {".+", FOI_TOKEN_DOT_ADD},
    {".-", FOI_TOKEN_DOT_SUBTRACT}, {".*", FOI_TOKEN_DOT_MULTIPLY}, {"./", FOI_TOKEN_DOT_DIVIDE},
    {".^", FOI_TOKEN_DOT_POWER},
};
enum { SIGNS = sizeof signs / sizeof signs[0] };

const char *foi_token_words(int kind)
{
    static const char letters[] = "'('\0"
                                  "')'\0"
                                  "','\0"
                                  "';'\0"
                                  "'='\0"
                                  "']'\0"
                                  "'}'\0"
                                  "':'\0"
                                  "'.'\0"
                                  "'['\0"
                                  "'{'\0"
                                  "'+'\0"
                                  "'-'\0"
                                  "'*'\0"
                                  "'/'\0"
                                  "'^'\0"
                                  "'<'\0"
                                  "'>'";
    if (kind >= FOI_WORD_FIRST) return words[kind - FOI_WORD_FIRST];
    for (size_t i = 0; i < SIGNS; i++)
        if (signs[i].kind == kind) return signs[i].text;
    for (size_t i = 0; i < sizeof letters; i += 4)
        if (letters[i + 1] == kind) return letters + i;
    return kind == FOI_TOKEN_IDENT ? "a name" : "something else";
}

// FNV-1a, 64 bits.
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static bool grow(foi_names *names)
{
    size_t size = names->size ? names->size * 2 : 256;
    foi_interned *table = foi_new(names->allocator, size, sizeof *table);
    names->arena->failed |= !table;
    if (!table) return false;
    for (size_t i = 0; i < names->size; i++) {
        if (!names->table[i].text) continue;
        size_t at = (size_t)names->table[i].hash & (size - 1);
        while (table[at].text) at = (at + 1) & (size - 1);
        table[at] = names->table[i];
    }
    foi_free(names->allocator, names->table);
    names->table = table, names->size = size;
    return true;
}

// Where a text is, or would be.
static foi_interned *place_of(const foi_names *names, const char *text, size_t length,
                              uint64_t hash)
{
    size_t at = (size_t)hash & (names->size - 1);
    for (; names->table[at].text; at = (at + 1) & (names->size - 1)) {
        const foi_interned *there = &names->table[at];
        if (there->hash == hash && strncmp(there->text, text, length) == 0 && !there->text[length])
            break;
    }
    return &names->table[at];
}

const char *foi_intern(foi_names *names, const char *text, size_t length)
{
    if (names->count * 2 >= names->size && !grow(names)) return NULL;
    uint64_t hash = hash_of(text, length);
    foi_interned *place = place_of(names, text, length, hash);
    if (place->text) return place->text;
    const char *copy = foi_arena_text(names->arena, text, length);
    if (copy) *place = (foi_interned){copy, hash}, names->count++;
    return copy;
}

bool foi_names_have(const foi_names *names, const char *text)
{
    size_t length = strlen(text);
    return names->size && place_of(names, text, length, hash_of(text, length))->text;
}

void foi_names_end(foi_names *names)
{
    foi_free(names->allocator, names->table);
    names->table = NULL;
    names->size = names->count = 0;
}

void foi_lexer_begin(foi_lexer *lexer, foi_arena *arena, foi_names *names, uint32_t file,
                     const char *text, size_t length)
{
    *lexer = (foi_lexer){.next = text, .end = text + length, .line_start = text, .file = file};
    lexer->line = 1, lexer->arena = arena, lexer->names = names;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) // the mark that some editors write
        lexer->next += 3, lexer->line_start += 3;
}

static void new_line(foi_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->next;
}

static foi_token token_here(const foi_lexer *lexer)
{
    return (foi_token){
        .start = lexer->next,
        .place = {lexer->file, lexer->line, (uint32_t)(lexer->next - lexer->line_start) + 1}};
}

static foi_token wrong(foi_lexer *lexer, foi_token token, const char *text)
{
    token.kind = FOI_TOKEN_WRONG;
    token.text = text;
    token.length = (size_t)(lexer->next - token.start);
    return token;
}

// Passes a character that may end its line.
static void step(foi_lexer *lexer)
{
    bool ends = foi_ends_line(lexer->next, lexer->end);
    lexer->next++;
    if (ends) new_line(lexer);
}

// Skips a comment that starts here with "/*". False when it does not end.
static bool skip_comment(foi_lexer *lexer)
{
    for (lexer->next += 2; lexer->next < lexer->end;) {
        if (lexer->next[0] == '*' && lexer->next[1] == '/') {
            lexer->next += 2;
            return true;
        }
        step(lexer);
    }
    return false;
}

// Skips blanks and comments. False, with the token set, at a comment that does not end.
static bool skip_blanks(foi_lexer *lexer, foi_token *token)
{
    while (lexer->next < lexer->end) {
        char c = *lexer->next;
        if (c == ' ' || c == '\t' || c == '\f') {
            lexer->next++;
        } else if (c == '\n' || c == '\r') {
            step(lexer);
        } else if (c == '/' && lexer->next[1] == '/') {
            while (lexer->next < lexer->end && !foi_ends_line(lexer->next, lexer->end))
                lexer->next++;
        } else if (c == '/' && lexer->next[1] == '*') {
            *token = token_here(lexer);
            if (!skip_comment(lexer)) return false;
        } else {
            break;
        }
    }
    return true;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static foi_token read_name(foi_lexer *lexer, foi_token token)
{
    while (lexer->next < lexer->end && in_name(*lexer->next)) lexer->next++;
    token.length = (size_t)(lexer->next - token.start);
    if (token.length > LONGEST_NAME)
        return wrong(lexer, token, "a name of more than 1000 characters");
    int low = 0, high = FOI_WORD_LAST - FOI_WORD_FIRST;
    while (low <= high) { // the words are sorted
        int middle = (low + high) / 2;
        int order = *token.start - *words[middle]; // both are plain letters
        if (order == 0) order = strncmp(token.start, words[middle], token.length);
        if (order == 0) order = -(words[middle][token.length] != 0);
        if (order == 0) {
            token.kind = FOI_WORD_FIRST + middle;
            return token;
        }
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    token.kind = FOI_TOKEN_IDENT;
    token.text = foi_intern(lexer->names, token.start, token.length);
    return token.text ? token : wrong(lexer, token, "a name for which memory is lacking");
}

// 'any letters', the quotes included: they are part of the name.
static foi_token read_quoted(foi_lexer *lexer, foi_token token)
{
    for (lexer->next++; lexer->next < lexer->end && *lexer->next != '\''; lexer->next++) {
        if (foi_ends_line(lexer->next, lexer->end)) break;
        if (*lexer->next == '\\' && lexer->next + 1 < lexer->end &&
            !foi_ends_line(lexer->next + 1, lexer->end))
            lexer->next++;
    }
    if (lexer->next >= lexer->end || *lexer->next != '\'')
        return wrong(lexer, token, "a quoted name that does not end on its line");
    lexer->next++;
    token.length = (size_t)(lexer->next - token.start);
    if (token.length > LONGEST_NAME)
        return wrong(lexer, token, "a name of more than 1000 characters");
    if (memchr(token.start, 0, token.length)) return wrong(lexer, token, "a zero byte in a name");
    for (size_t i = 0; i < token.length; i++)
        if ((unsigned char)token.start[i] < ' ' || token.start[i] == 0x7f)
            return wrong(lexer, token, "a quoted name with a control character");
    token.kind = FOI_TOKEN_IDENT;
    token.text = foi_intern(lexer->names, token.start, token.length);
    return token.text ? token : wrong(lexer, token, "a name for which memory is lacking");
}

static void skip_digits(foi_lexer *lexer)
{
    while (lexer->next < lexer->end && isdigit((unsigned char)*lexer->next)) lexer->next++;
}

static foi_token read_number(foi_lexer *lexer, foi_token token)
{
    token.kind = FOI_TOKEN_INTEGER;
    skip_digits(lexer);
    // "1..2" is nothing; "1." is a number, also in "1.^x": the longest word counts
    if (*lexer->next == '.' && lexer->next[1] != '.') {
        lexer->next++;
        token.kind = FOI_TOKEN_REAL;
        skip_digits(lexer);
    }
    if (*lexer->next == 'e' || *lexer->next == 'E') {
        const char *e = lexer->next++;
        if (*lexer->next == '+' || *lexer->next == '-') lexer->next++;
        if (isdigit((unsigned char)*lexer->next))
            skip_digits(lexer), token.kind = FOI_TOKEN_REAL;
        else
            lexer->next = e;
    }
    token.length = (size_t)(lexer->next - token.start);
    if (lexer->next < lexer->end && in_name(*lexer->next)) {
        while (in_name(*lexer->next)) lexer->next++;
        return wrong(lexer, token, "a number with letters after it");
    }
    if (token.length > LONGEST_NUMBER) return wrong(lexer, token, "a number of over 100 digits");
    token.number = strtod(token.start, NULL);
    if (token.number > 1.7976931348623157e308) return wrong(lexer, token, "a number beyond 1e308");
    if (token.kind == FOI_TOKEN_INTEGER && token.number > 2147483647) token.kind = FOI_TOKEN_REAL;
    return token;
}

static char escaped(char c)
{
    static const char from[] = "ntrabfv", to[] = "\n\t\r\a\b\f\v";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

static foi_token read_string(foi_lexer *lexer, foi_token token)
{
    for (lexer->next++; lexer->next < lexer->end && *lexer->next != '"';) {
        if (*lexer->next == '\\' && lexer->next + 1 < lexer->end) lexer->next++;
        step(lexer);
    }
    if (lexer->next >= lexer->end) return wrong(lexer, token, "a string that does not end");
    lexer->next++;
    token.length = (size_t)(lexer->next - token.start);
    char *text = foi_arena_new(lexer->arena, token.length, 1), *out = text;
    if (!text) return wrong(lexer, token, "a string for which memory is lacking");
    for (const char *c = token.start + 1; c < lexer->next - 1; c++) {
        if (*c == '\\')
            *out++ = escaped(*++c);
        else if (*c)
            *out++ = *c;
    }
    token.kind = FOI_TOKEN_STRING;
    token.text = text;
    return token;
}

// What other languages write, and how it is written here.
static foi_token read_foreign(foi_lexer *lexer, foi_token token)
{
    static const struct {
        const char *sign, *text;
    } others[] = {
        {"&&", "'&&' is not part of the language: 'and'"},
        {"||", "'||' is not part of the language: 'or'"},
        {"!=", "'!=' is not part of the language: '<>'"},
        {"!", "'!' is not part of the language: 'not'"},
        {"%", "'%' is not part of the language: mod(a, b)"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        size_t n = strlen(others[i].sign);
        if ((size_t)(lexer->end - token.start) < n) continue;
        if (memcmp(token.start, others[i].sign, n) != 0) continue;
        lexer->next = token.start + n;
        return wrong(lexer, token, others[i].text);
    }
    if ((unsigned char)*token.start < 0x80)
        return wrong(lexer, token, "a character that is not part of the language");
    while (lexer->next < lexer->end && (unsigned char)*lexer->next >= 0x80) lexer->next++;
    return wrong(lexer, token, "a letter that only quoted names, strings and comments may have");
}

foi_token foi_lexer_next(foi_lexer *lexer)
{
    foi_token token = {0};
    if (!skip_blanks(lexer, &token)) return wrong(lexer, token, "a comment that does not end");
    token = token_here(lexer);
    if (lexer->next >= lexer->end) return token;
    char c = *lexer->next;
    if (isalpha((unsigned char)c) || c == '_') return read_name(lexer, token);
    if (c == '\'') return read_quoted(lexer, token);
    if (c == '"') return read_string(lexer, token);
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)lexer->next[1])))
        return read_number(lexer, token);
    for (size_t i = 0; i < SIGNS; i++)
        if (c == signs[i].text[0] && lexer->next[1] == signs[i].text[1]) {
            lexer->next += 2;
            token.kind = signs[i].kind, token.length = 2;
            return token;
        }
    lexer->next++;
    token.length = 1;
    token.kind = c;
    return c && strchr("()[]{},;=:.+-*/^<>", c) ? token : read_foreign(lexer, token);
}

// Is one of the words that are used in this text? They are few, and most annotations are pictures.
static bool has_used(const char *text, size_t length)
{
    static const char *const used[] = {"experiment", "Evaluate",       "derivative",
                                       "Inline",     "__Foliot_event", "__Foliot_fmu",
                                       "inverse",    "smoothOrder"};
    for (const char *c = text, *end = text + length; c < end; c++) {
        if (*c != 'e' && *c != 'E' && *c != 'd' && *c != 'I' && *c != '_' && *c != 'i' && *c != 's')
            continue;
        for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
            size_t n = strlen(used[i]);
            if ((size_t)(end - c) >= n && memcmp(c, used[i], n) == 0) return true;
        }
    }
    return false;
}

bool foi_lexer_skip_annotation(foi_lexer *lexer)
{
    foi_lexer at = *lexer;
    int depth = 1;
    bool used = false;
    const char *from = at.next;
    while (at.next < at.end && depth > 0) {
        char c = *at.next;
        step(&at);
        if (c == '(') depth++;
        if (c == ')') depth--;
        bool comment = c == '/' && at.next < at.end && (*at.next == '/' || *at.next == '*');
        if (c == '\'' || comment) return false; // rare: it is read word by word
        if (c != '"') continue;
        used |= has_used(from, (size_t)(at.next - from));
        while (at.next < at.end && *at.next != '"') {
            if (*at.next == '\\' && at.next + 1 < at.end) at.next++;
            step(&at);
        }
        if (at.next >= at.end) return false;
        from = ++at.next;
    }
    if (depth || used || has_used(from, (size_t)(at.next - from))) return false;
    *lexer = at;
    return true;
}
