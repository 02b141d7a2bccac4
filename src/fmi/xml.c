#include "fmi/xml.h"

#include <string.h>

#include "base/array.h"

enum { DEEPEST = 64, MOST_ATTRIBUTES = 128, LONGEST_NAME = 256 };

typedef struct reader {
    const foi_xml_def *def;
    const char *at, *end;
    uint32_t line;
    char *values; ///< of the attributes of this element, one after the other
    size_t used, room;
    size_t place[MOST_ATTRIBUTES][2]; ///< name and value in `values`
    foi_xml_attribute attributes[MOST_ATTRIBUTES];
    size_t count;
    char open[DEEPEST][LONGEST_NAME];
    uint32_t depth;
    bool seen; ///< the root
    fo_message *why;
} reader;

static fo_status wrong(reader *r, const char *what)
{
    return fo_fail(r->why, FO_ERROR_FORMAT, "%s:%u: %s", r->def->file, r->line, what);
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Letters of other alphabets are letters, and the names that count have none.
static bool is_name(int c, bool first)
{
    bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c > 127;
    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

static void skip_spaces(reader *r)
{
    for (; r->at < r->end && is_space((unsigned char)*r->at); r->at++) r->line += *r->at == '\n';
}

static bool begins(const reader *r, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(r->end - r->at) >= n && memcmp(r->at, word, n) == 0;
}

// Passes over everything up to and including `word`; false when it does not come.
static bool skip_past(reader *r, const char *word)
{
    for (; r->at < r->end; r->at++) {
        if (begins(r, word)) {
            r->at += strlen(word);
            return true;
        }
        r->line += *r->at == '\n';
    }
    return false;
}

static size_t take_name(reader *r, char *name)
{
    size_t n = 0;
    while (r->at < r->end && is_name((unsigned char)*r->at, n == 0) && n < LONGEST_NAME - 1)
        name[n++] = *r->at++;
    name[n] = 0;
    return n;
}

static bool put(reader *r, const char *text, size_t n)
{
    if (!foi_array_room(r->def->allocator, &r->values, &r->room, r->used + n, 1)) return false;
    memcpy(r->values + r->used, text, n);
    r->used += n;
    return true;
}

static size_t encode(uint32_t c, char *to)
{
    if (c < 0x80) return to[0] = (char)c, 1;
    if (c < 0x800) return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63));
        return to[2] = (char)(0x80 | (c & 63)), 3;
    }
    to[0] = (char)(0xf0 | c >> 18), to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63));
    return 4;
}

// &#233; and &#xE9;
static size_t number_of(const char *text, size_t n, char *to)
{
    bool hex = n > 1 && text[1] == 'x';
    uint32_t c = 0;
    if (n < (hex ? 3u : 2u)) return 0;
    for (size_t i = hex ? 2 : 1; i < n; i++) {
        int d = text[i] >= '0' && text[i] <= '9'          ? text[i] - '0'
                : hex && text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10
                : hex && text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 10
                                                          : 99;
        if (d == 99) return 0;
        c = c * (hex ? 16 : 10) + (uint32_t)d;
        if (c > 0x10ffff) return 0;
    }
    bool allowed = c >= 32 || c == 9 || c == 10 || c == 13;
    return allowed && (c < 0xd800 || c > 0xdfff) ? encode(c, to) : 0;
}

// What stands between & and ;. 0: nothing that is known.
static size_t entity(const char *text, size_t n, char *to)
{
    static const struct {
        const char *name;
        char is;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < 5; i++)
        if (strlen(known[i].name) == n && memcmp(text, known[i].name, n) == 0)
            return to[0] = known[i].is, 1;
    return n && text[0] == '#' ? number_of(text, n, to) : 0;
}

static fo_status take_entity(reader *r, char *to, size_t *length)
{
    const char *from = ++r->at;
    while (r->at < r->end && *r->at != ';' && r->at - from < 12) r->at++;
    if (r->at == r->end || *r->at != ';') return wrong(r, "'&' does not begin an entity reference");
    *length = entity(from, (size_t)(r->at - from), to);
    r->at++;
    return *length ? FO_OK : wrong(r, "an unknown entity reference");
}

static fo_status take_value(reader *r)
{
    char quote = r->at < r->end ? *r->at : 0, letters[4];
    if (quote != '"' && quote != '\'') return wrong(r, "expected a value in quotes");
    for (r->at++; r->at < r->end && *r->at != quote;) {
        char c = *r->at;
        size_t n = 1;
        if (c == '<') return wrong(r, "'<' is not allowed in an attribute's value");
        if (c == '&') {
            fo_status status = take_entity(r, letters, &n);
            if (status != FO_OK) return status;
        } else {
            r->line += c == '\n';
            letters[0] = is_space((unsigned char)c) ? ' ' : c;
            r->at++;
        }
        if (!put(r, letters, n)) return fo_fail(r->why, FO_ERROR_MEMORY, "no memory for XML");
    }
    if (r->at == r->end) return wrong(r, "an attribute's value does not end");
    r->at++;
    return put(r, "", 1) ? FO_OK : fo_fail(r->why, FO_ERROR_MEMORY, "no memory for XML");
}

static fo_status take_attribute(reader *r)
{
    char name[LONGEST_NAME];
    size_t n = take_name(r, name);
    if (!n) return wrong(r, "expected an attribute or '>'");
    if (r->count == MOST_ATTRIBUTES) return wrong(r, "more than 128 attributes");
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->values + r->place[i][0], name) == 0)
            return wrong(r, "an attribute is given twice");
    r->place[r->count][0] = r->used;
    if (!put(r, name, n + 1)) return fo_fail(r->why, FO_ERROR_MEMORY, "no memory for XML");
    skip_spaces(r);
    if (r->at == r->end || *r->at != '=')
        return wrong(r, "expected '=' after the attribute's name");
    r->at++;
    skip_spaces(r);
    r->place[r->count++][1] = r->used;
    return take_value(r);
}

static fo_status tell_end(reader *r)
{
    const foi_xml_def *d = r->def;
    r->depth--;
    return d->end ? d->end(d->self, r->open[r->depth], r->why) : FO_OK;
}

static fo_status take_element(reader *r)
{
    uint32_t line = r->line;
    if (r->depth == DEEPEST) return wrong(r, "elements are nested more than 64 deep");
    if (r->depth == 0 && r->seen) return wrong(r, "a second root element");
    char *name = r->open[r->depth];
    if (!take_name(r, name)) return wrong(r, "expected the name of an element");
    r->count = r->used = 0;
    r->seen = true;
    for (;;) {
        const char *before = r->at;
        skip_spaces(r);
        if (r->at == r->end) return wrong(r, "the tag of an element does not end");
        if (*r->at == '>' || *r->at == '/') break;
        if (r->at == before) return wrong(r, "expected a space, '>' or '/>'");
        fo_status status = take_attribute(r);
        if (status != FO_OK) return status;
    }
    bool empty = *r->at == '/';
    r->at += empty;
    if (r->at == r->end || *r->at != '>') return wrong(r, "expected '>'");
    r->at++;
    for (size_t i = 0; i < r->count; i++)
        r->attributes[i] =
            (foi_xml_attribute){r->values + r->place[i][0], r->values + r->place[i][1]};
    r->depth++;
    foi_xml_element e = {name, r->attributes, r->count, line, r->depth};
    fo_status status = r->def->begin(r->def->self, &e, r->why);
    return status == FO_OK && empty ? tell_end(r) : status;
}

static fo_status take_close(reader *r)
{
    char name[LONGEST_NAME];
    take_name(r, name);
    skip_spaces(r);
    if (r->at == r->end || *r->at != '>') return wrong(r, "expected '>'");
    r->at++;
    if (r->depth == 0 || strcmp(r->open[r->depth - 1], name) != 0)
        return wrong(r, "an end tag that does not match the open element");
    return tell_end(r);
}

static fo_status take_markup(reader *r)
{
    if (begins(r, "<!--")) {
        r->at += 4;
        return skip_past(r, "-->") ? FO_OK : wrong(r, "a comment does not end");
    }
    if (begins(r, "<![CDATA[") && r->depth)
        return skip_past(r, "]]>") ? FO_OK : wrong(r, "a CDATA section does not end");
    if (begins(r, "<!")) return wrong(r, "document types (DOCTYPE) and entities are not accepted");
    if (begins(r, "<?")) return skip_past(r, "?>") ? FO_OK : wrong(r, "'<?' does not end");
    if (begins(r, "</")) {
        r->at += 2;
        return take_close(r);
    }
    r->at++;
    return take_element(r);
}

static fo_status take_text(reader *r)
{
    char letters[4];
    size_t n;
    if (*r->at == '&') return take_entity(r, letters, &n);
    if (r->depth == 0 && !is_space((unsigned char)*r->at))
        return wrong(r, "expected '<', found text outside of all elements");
    r->line += *r->at++ == '\n';
    return FO_OK;
}

// How many bytes the letter at `at` has; 0: it is not UTF-8. Longer forms than needed, surrogates
// and what is beyond U+10FFFF are none.
static size_t letter_at(const unsigned char *at, size_t left)
{
    unsigned char c = at[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : (c & 0xf0) == 0xe0    ? 3
               : c >= 0xf0             ? 4
                                       : 0;
    if (!n || n > left || c > 0xf4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && at[1] < 0xa0) || (c == 0xed && at[1] > 0x9f)) return 0;
    if ((c == 0xf0 && at[1] < 0x90) || (c == 0xf4 && at[1] > 0x8f)) return 0;
    return n;
}

static fo_status check_utf8(reader *r)
{
    const char *at = r->at;
    for (size_t n; at < r->end; at += n) {
        n = letter_at((const unsigned char *)at, (size_t)(r->end - at));
        if (!n) return wrong(r, "expected UTF-8, found bytes that are not");
        r->line += *at == '\n';
    }
    r->line = 1;
    return FO_OK;
}

static fo_status check_letters(reader *r)
{
    if (begins(r, "\xff\xfe") || begins(r, "\xfe\xff")) return wrong(r, "expected UTF-8");
    if (memchr(r->at, 0, (size_t)(r->end - r->at))) return wrong(r, "a zero byte in the document");
    if (begins(r, "\xef\xbb\xbf")) r->at += 3;
    return check_utf8(r);
}

fo_status foi_xml_read(const foi_xml_def *def, fo_message *why)
{
    fo_message own = {0};
    reader *r = foi_new(def->allocator, 1, sizeof *r);
    if (!r) return fo_fail(why, FO_ERROR_MEMORY, "no memory for XML");
    r->def = def, r->at = def->text, r->end = def->text + def->length, r->line = 1;
    r->why = why ? why : &own;
    fo_status status = check_letters(r);
    while (status == FO_OK && r->at < r->end)
        status = *r->at == '<' ? take_markup(r) : take_text(r);
    if (status == FO_OK && r->depth)
        status = wrong(r, "the document ends inside of an open element");
    if (status == FO_OK && !r->seen) status = wrong(r, "the document has no element");
    foi_free(def->allocator, r->values);
    foi_free(def->allocator, r);
    return status;
}

const char *foi_xml_get(const foi_xml_element *e, const char *name)
{
    for (size_t i = 0; i < e->count; i++)
        if (strcmp(e->attributes[i].name, name) == 0) return e->attributes[i].value;
    return NULL;
}
