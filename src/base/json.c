#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Memory comes in chunks that are freed together.
typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(16) char bytes[];
} chunk;

enum { CHUNK = 1 << 16, NUMBER_LENGTH = 512, ALIGNMENT = 16 };

struct foi_json {
    const fo_allocator *allocator;
    chunk *chunks;
    char *name;
    foi_json_value *root;
};

static void *take(foi_json *j, size_t size)
{
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!j->chunks || j->chunks->size - j->chunks->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        chunk *more = foi_new(j->allocator, sizeof *more + room, 1);
        if (!more) return NULL;
        more->size = room;
        more->next = j->chunks;
        j->chunks = more;
    }
    void *block = j->chunks->bytes + j->chunks->used;
    j->chunks->used += size;
    return block;
}

// ------------------------------------------------------------------------------------ messages

const char *foi_json_kind_text(foi_json_kind kind)
{
    static const char *const words[] = {"null",   "true or false", "a number",
                                        "a text", "a list",        "an object"};
    return words[kind];
}

const char *foi_json_path(const foi_json_value *value, char *text, size_t size)
{
    char step[80];
    size_t at = size - 1; // written from the end
    text[at] = 0;
    for (const foi_json_value *v = value; v; v = v->parent) {
        if (!v->parent)
            snprintf(step, sizeof step, "$");
        else if (v->key)
            snprintf(step, sizeof step, ".%.70s", v->key);
        else
            snprintf(step, sizeof step, "[%zu]", v->index);
        size_t length = strlen(step);
        if (length > at) break;
        memcpy(text + (at -= length), step, length);
    }
    return memmove(text, text + at, size - at);
}

fo_status foi_json_refuse(const foi_json *json, const foi_json_value *value, fo_message *why,
                          const char *format, ...)
{
    char words[FO_MESSAGE_SIZE], path[200];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    return fo_fail(why, FO_ERROR_FORMAT, "%s:%u:%u: %s: %s", json->name, value->line, value->column,
                   foi_json_path(value, path, sizeof path), words);
}

// ------------------------------------------------------------------------------------- reading

typedef struct reader {
    foi_json *json;
    const unsigned char *at, *end;
    uint32_t line, column, depth, max_depth;
    size_t values, max_values;
    foi_json_value *inside; // the innermost container, or the value being read
    fo_message *why;
} reader;

__attribute__((format(printf, 2, 3))) static bool wrong(reader *r, const char *format, ...)
{
    char words[200];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    foi_json_value here = {.line = r->line, .column = r->column};
    if (r->inside) {
        here = *r->inside;
        here.line = r->line, here.column = r->column;
    }
    foi_json_refuse(r->json, &here, r->why, "%s", words);
    return false;
}

static bool no_memory(reader *r)
{
    fo_fail(r->why, FO_ERROR_MEMORY, "%s:%u: no memory for a document of this size", r->json->name,
            r->line);
    return false;
}

static int peek(const reader *r)
{
    return r->at < r->end ? *r->at : -1;
}

// What stands here, for a message.
static const char *found(const reader *r, char text[16])
{
    int c = peek(r);
    if (c < 0) return "the end";
    if (c < 0x20 || c >= 0x7f)
        snprintf(text, 16, "byte 0x%02x", (unsigned)c);
    else
        snprintf(text, 16, "'%c'", c);
    return text;
}

static void skip_space(reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n')
            r->line++, r->column = 1;
        else if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->column++;
        else
            return;
    }
}

// The length of the UTF-8 character at `at`, 0 when it is none (RFC 3629: no surrogates, nothing
// longer than needed, nothing above 10FFFF).
static size_t utf8_length(const unsigned char *at, const unsigned char *end)
{
    unsigned first = *at, low = 0x80, high = 0xbf;
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4 || length > (size_t)(end - at)) return 0;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (at[i] < low || at[i] > high) return 0;
    return length;
}

static bool hex4(reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(r);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return wrong(r, "expected four hexadecimal digits after \\u");
        *code = *code * 16 + (uint32_t)digit;
        r->at++, r->column++;
    }
    return true;
}

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12), out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18), out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f)), out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

// After the backslash. A pair of surrogates is one character; a zero would end the text early.
static bool read_escape(reader *r, char **out)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int c = peek(r);
    const char *name = c > 0 ? strchr(names, c) : NULL;
    if (name) {
        *(*out)++ = meant[name - names];
        r->at++, r->column++;
        return true;
    }
    if (c != 'u') return wrong(r, "a text has an escape that JSON does not know");
    r->at++, r->column++;
    uint32_t code, second;
    if (!hex4(r, &code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return wrong(r, "a low surrogate stands alone");
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
            return wrong(r, "a high surrogate stands alone");
        r->at += 2, r->column += 2;
        if (!hex4(r, &second)) return false;
        if (second < 0xdc00 || second > 0xdfff) return wrong(r, "a high surrogate stands alone");
        code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
    }
    if (!code) return wrong(r, "a text may not contain the character zero");
    *out += put_utf8(*out, code);
    return true;
}

// Room for a text: it is never longer than what stands between its quotes.
static size_t quoted_length(const reader *r)
{
    const unsigned char *c = r->at;
    while (c < r->end && *c != '"') c += *c == '\\' && r->end - c > 1 ? 2 : 1;
    return (size_t)(c - r->at);
}

static bool read_text(reader *r, const char **text, size_t *length)
{
    r->at++, r->column++; // the quote
    char *start = take(r->json, quoted_length(r) + 1), *out = start;
    if (!start) return no_memory(r);
    while (peek(r) != '"') {
        if (r->at >= r->end) return wrong(r, "a text does not end");
        if (*r->at < 0x20)
            return wrong(r, "a control character must be written as \\u%04x", *r->at);
        if (*r->at == '\\') {
            r->at++, r->column++;
            if (!read_escape(r, &out)) return false;
            continue;
        }
        size_t bytes = utf8_length(r->at, r->end);
        if (!bytes) return wrong(r, "the byte 0x%02x is not UTF-8 here", *r->at);
        memcpy(out, r->at, bytes);
        out += bytes, r->at += bytes, r->column++;
    }
    r->at++, r->column++;
    *out = 0;
    *text = start;
    *length = (size_t)(out - start);
    return true;
}

static const unsigned char *digits(const unsigned char *c, const unsigned char *end)
{
    while (c < end && *c >= '0' && *c <= '9') c++;
    return c;
}

// number = [ "-" ] ( "0" | 1-9 digits ) [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
static const unsigned char *number_end(const unsigned char *c, const unsigned char *end)
{
    if (c < end && *c == '-') c++;
    const unsigned char *after = digits(c, end);
    if (after == c || (*c == '0' && after > c + 1)) return NULL;
    c = after;
    if (c < end && *c == '.') {
        after = digits(c + 1, end);
        if (after == c + 1) return NULL;
        c = after;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        if (c < end && (*c == '+' || *c == '-')) c++;
        after = digits(c, end);
        if (after == c) return NULL;
        c = after;
    }
    return c;
}

static bool read_number(reader *r, foi_json_value *v)
{
    char copy[NUMBER_LENGTH];
    const unsigned char *after = number_end(r->at, r->end);
    if (!after) return wrong(r, "a number is not written as JSON wants it");
    size_t length = (size_t)(after - r->at);
    if (length >= sizeof copy) return wrong(r, "a number has more than %d letters", NUMBER_LENGTH);
    memcpy(copy, r->at, length);
    copy[length] = 0;
    v->kind = FOI_JSON_NUMBER;
    v->number = strtod(copy, NULL);
    if (isinf(v->number)) return wrong(r, "the number %.40s is too large", copy);
    r->at = after, r->column += (uint32_t)length;
    return true;
}

static bool read_word(reader *r, foi_json_value *v)
{
    static const struct {
        const char *word;
        foi_json_kind kind;
        bool truth;
    } words[] = {{"null", FOI_JSON_NULL, false},
                 {"true", FOI_JSON_TRUTH, true},
                 {"false", FOI_JSON_TRUTH, false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i].word, length) != 0)
            continue;
        v->kind = words[i].kind, v->truth = words[i].truth;
        r->at += length, r->column += (uint32_t)length;
        return true;
    }
    char text[16];
    return wrong(r, "expected a value, found %s", found(r, text));
}

static int by_key(const void *a, const void *b)
{
    const foi_json_value *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

// Keys are compared in sorted order, so that an object of any size is cheap.
static bool check_keys(reader *r, const foi_json_value *object)
{
    if (object->count < 2) return true;
    foi_json_value **list = foi_new(r->json->allocator, object->count, sizeof *list);
    if (!list) return no_memory(r);
    size_t count = 0;
    for (foi_json_value *v = object->first; v; v = v->next) list[count++] = v;
    qsort(list, count, sizeof *list, by_key);
    bool fine = true;
    for (size_t i = 1; i < count && fine; i++) {
        if (strcmp(list[i - 1]->key, list[i]->key) != 0) continue;
        foi_json_refuse(r->json, list[i], r->why, "the key '%.60s' stands here twice",
                        list[i]->key);
        fine = false;
    }
    foi_free(r->json->allocator, list);
    return fine;
}

static bool read_value(reader *r, foi_json_value *parent, const char *key);

static bool read_key(reader *r, const char **key)
{
    char text[16];
    size_t length;
    if (peek(r) != '"') return wrong(r, "expected a key in quotes, found %s", found(r, text));
    if (!read_text(r, key, &length)) return false;
    skip_space(r);
    if (peek(r) != ':') return wrong(r, "expected ':' after a key, found %s", found(r, text));
    r->at++, r->column++;
    return true;
}

static bool read_children(reader *r, foi_json_value *v, char close)
{
    char text[16];
    r->at++, r->column++;
    skip_space(r);
    if (peek(r) == close) {
        r->at++, r->column++;
        return true;
    }
    for (;;) {
        const char *key = NULL;
        skip_space(r);
        if (close == '}' && !read_key(r, &key)) return false;
        if (!read_value(r, v, key)) return false;
        skip_space(r);
        int c = peek(r);
        if (c != ',' && c != close)
            return wrong(r, "expected ',' or '%c', found %s", close, found(r, text));
        r->at++, r->column++;
        if (c == close) return true;
    }
}

static bool read_container(reader *r, foi_json_value *v, bool object)
{
    v->kind = object ? FOI_JSON_OBJECT : FOI_JSON_LIST;
    if (++r->depth > r->max_depth) return wrong(r, "deeper than %u levels", r->max_depth);
    if (!read_children(r, v, object ? '}' : ']')) return false;
    r->depth--;
    return !object || check_keys(r, v);
}

static foi_json_value *new_value(reader *r, foi_json_value *parent, const char *key)
{
    if (++r->values > r->max_values) {
        wrong(r, "more than %zu values", r->max_values);
        return NULL;
    }
    foi_json_value *v = take(r->json, sizeof *v);
    if (!v) {
        no_memory(r);
        return NULL;
    }
    *v = (foi_json_value){.line = r->line, .column = r->column, .key = key, .parent = parent};
    if (!parent) {
        r->json->root = v;
        return v;
    }
    v->index = parent->count++;
    if (parent->last)
        parent->last->next = v;
    else
        parent->first = v;
    parent->last = v;
    return v;
}

static bool read_value(reader *r, foi_json_value *parent, const char *key)
{
    skip_space(r);
    foi_json_value *v = new_value(r, parent, key);
    if (!v) return false;
    r->inside = v;
    int c = peek(r);
    bool fine;
    if (c == '{' || c == '[') {
        fine = read_container(r, v, c == '{');
    } else if (c == '"') {
        v->kind = FOI_JSON_TEXT;
        fine = read_text(r, &v->text, &v->length);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        fine = read_number(r, v);
    } else {
        fine = read_word(r, v);
    }
    if (fine) r->inside = parent;
    return fine;
}

static bool read_all(reader *r, const foi_json_def *def)
{
    size_t most = def->max_length ? def->max_length : (size_t)256 << 20;
    char text[16];
    if (def->length > most)
        return wrong(r, "the document has %zu bytes, at most %zu are read", def->length, most);
    if (!read_value(r, NULL, NULL)) return false;
    skip_space(r);
    if (r->at < r->end) return wrong(r, "expected the end, found %s", found(r, text));
    return true;
}

foi_json *foi_json_read(const foi_json_def *def, fo_message *why)
{
    foi_json *json = foi_new(def->allocator, 1, sizeof *json);
    if (json) json->allocator = def->allocator;
    if (json) json->name = foi_copy_text(def->allocator, def->name ? def->name : "document");
    if (!json || !json->name) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a document");
        foi_json_destroy(json);
        return NULL;
    }
    reader r = {json,
                (const unsigned char *)def->text,
                (const unsigned char *)def->text + def->length,
                1,
                1,
                .max_depth = def->max_depth ? def->max_depth : 64,
                .max_values = def->max_values ? def->max_values : (size_t)16 << 20,
                .why = why};
    if (read_all(&r, def)) return json;
    foi_json_destroy(json);
    return NULL;
}

void foi_json_destroy(foi_json *json)
{
    if (!json) return;
    const fo_allocator *a = json->allocator;
    for (chunk *c = json->chunks; c;) {
        chunk *next = c->next;
        foi_free(a, c);
        c = next;
    }
    foi_free(a, json->name);
    foi_free(a, json);
}

const foi_json_value *foi_json_root(const foi_json *json)
{
    return json->root;
}

const char *foi_json_name(const foi_json *json)
{
    return json->name;
}

const foi_json_value *foi_json_member(const foi_json_value *object, const char *key)
{
    if (!object || object->kind != FOI_JSON_OBJECT) return NULL;
    for (const foi_json_value *v = object->first; v; v = v->next)
        if (strcmp(v->key, key) == 0) return v;
    return NULL;
}
