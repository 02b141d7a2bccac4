/// Looking into packages: which classes they have, and what a class says about itself.
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "language/language.h"
#include "language/session.h"

// ----------------------------------------------------------------------------- the classes

typedef struct visit {
    fo_text_visit *each;
    void *self;
    bool found_package, over;
} visit;

static bool list_in(foi_session *s, foi_class *c, int depth, visit *v);

static bool list_one(foi_session *s, foi_class *c, int depth, visit *v)
{
    bool model = c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_BLOCK;
    const fo_text_class about = {.name = foi_class_path(s, c),
                                 .kind = foi_class_word(c),
                                 .description = c->description ? c->description : "",
                                 .runs = model && !c->partial};
    if (v->over || !(v->over = !v->each(v->self, &about))) {
        if (c->kind == FOI_CLASS_PACKAGE && !c->is_short && depth < FOI_DEEPEST_MODEL)
            return list_in(s, c, depth + 1, v);
    }
    return !s->arena.failed;
}

// The classes of a folder, as its file package.order names them; components are named there, too.
static bool list_order(foi_session *s, foi_class *c, int depth, visit *v)
{
    size_t size = 0;
    const char *text = foi_read_beside(s, c->folder, "package.order", &size);
    for (const char *at = text; text && at < text + size && !v->over;) {
        size_t length = strcspn(at, "\r\n");
        const char *name = length ? foi_intern(&s->names, at, length) : NULL;
        foi_class *inner = name ? foi_find_in_class(s, c, name) : NULL;
        bool own = inner && inner->enclosing == c;
        for (uint32_t i = 0; text && own && i < c->class_count; i++)
            if (c->classes[i] == inner && !foi_is_beside(inner)) own = false; // in package.mo
        if (own && !list_one(s, inner, depth, v)) return false;
        at += length;
        while (at < text + size && (!*at || *at == '\r' || *at == '\n')) at++;
    }
    return !s->arena.failed;
}

static bool list_in(foi_session *s, foi_class *c, int depth, visit *v)
{
    for (uint32_t i = 0; i < c->class_count && !v->over; i++)
        if (!foi_is_beside(c->classes[i]) && !list_one(s, c->classes[i], depth, v)) return false;
    return !c->folder || list_order(s, c, depth, v);
}

static bool browse(foi_session *s, foi_class *c, void *data)
{
    visit *v = data;
    v->found_package = c->kind == FOI_CLASS_PACKAGE;
    return !v->found_package || list_in(s, c, 0, v);
}

fo_status fo_text_browse(const fo_text_model_def *def, fo_text_visit *each, void *self,
                         fo_message *why)
{
    visit v = {.each = each, .self = self};
    fo_status status = foi_language_visit(def, browse, &v, why);
    if (status != FO_OK || v.found_package) return status;
    return fo_fail(why, FO_ERROR_UNFIT, "'%s' is no package", def->model ? def->model : "?");
}

// -------------------------------------------------------------------------- documentation

/// Where we are in a text of the language: inside of strings and comments nothing counts.
typedef struct scanner {
    const char *at, *end;
} scanner;

// The next word or sign outside of strings and comments; a string as a whole. False at the end.
static bool next_token(scanner *s, const char **token, size_t *length)
{
    while (s->at < s->end) {
        const char *from = s->at;
        if (s->end - from > 1 && from[0] == '/' && from[1] == '/') {
            while (s->at < s->end && !foi_ends_line(s->at, s->end)) s->at++;
        } else if (s->end - from > 1 && from[0] == '/' && from[1] == '*') {
            s->at += 2;
            while (s->at < s->end && !(s->at[-1] == '*' && *s->at == '/' && s->at > from + 2))
                s->at++;
            if (s->at < s->end) s->at++;
        } else if (*from == '"' || *from == '\'') {
            for (s->at++; s->at < s->end && *s->at != *from; s->at++)
                if (*s->at == '\\') s->at++;
            s->at = s->at < s->end ? s->at + 1 : s->end;
            return *token = from, *length = (size_t)(s->at - from), true;
        } else if (isalnum((unsigned char)*from) || *from == '_') {
            while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_')) s->at++;
            return *token = from, *length = (size_t)(s->at - from), true;
        } else {
            s->at++;
            if (!isspace((unsigned char)*from)) return *token = from, *length = 1, true;
        }
    }
    return false;
}

static bool is_word(const char *token, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(token, word, length) == 0;
}

// Where the class begins in its file.
static scanner text_of(const foi_session *s, const foi_class *c)
{
    const foi_source *f = c->place.file < s->source_count ? &s->sources[c->place.file] : NULL;
    const char *at = f ? f->text : "", *end = f ? f->text + f->length : at;
    for (uint32_t line = 1; line < c->place.line && at < end; line++) {
        while (at < end && !foi_ends_line(at, end)) at++;
        if (at < end) at++;
    }
    return (scanner){at, end};
}

// The string that follows Documentation(info = in the class's own annotation: the last one before
// `end Name`, with no end of another class between them.
static const char *find_info(const foi_session *s, const foi_class *c, size_t *length)
{
    scanner at = text_of(s, c);
    const char *token, *info = NULL;
    size_t n, size = 0;
    bool documentation = false, is_info = false;
    while (next_token(&at, &token, &n)) {
        if (is_word(token, n, "end")) {
            if (!next_token(&at, &token, &n)) break;
            if (is_word(token, n, c->name)) break;
            bool block = is_word(token, n, "if") || is_word(token, n, "for") ||
                         is_word(token, n, "when") || is_word(token, n, "while");
            if (!block) info = NULL; // it was that of a class inside
        } else if (is_word(token, n, "Documentation")) {
            documentation = true;
        } else if (documentation && is_word(token, n, "info")) {
            is_info = true;
        } else if (is_info && *token == '"') {
            info = token + 1, size = n - 2, documentation = is_info = false;
        }
    }
    *length = size;
    return info;
}

/// Lines of at most 80 letters.
typedef struct page {
    FILE *out;
    size_t column;
    bool space, pre, any;
    int wanted; ///< ends of lines before the next word: 2 leave a line empty
} page;

static void new_line(page *p, int empty)
{
    if (p->wanted < 1 + empty) p->wanted = 1 + empty;
    p->space = false;
}

static void put_word(page *p, const char *word, size_t length)
{
    if (p->column && p->space && p->column + 1 + length > 80) new_line(p, 0);
    for (; p->wanted; p->wanted--, p->column = 0)
        if (p->any) fputc('\n', p->out);
    if (p->column && p->space) fputc(' ', p->out), p->column++;
    fwrite(word, 1, length, p->out);
    p->column += length, p->space = false, p->any = true;
}

static bool is_tag(const char *tag, const char *name)
{
    size_t n = strlen(name);
    if (*tag == '/') tag++;
    return strncmp(tag, name, n) == 0 && !isalnum((unsigned char)tag[n]);
}

static void put_tag(page *p, const char *tag)
{
    static const char *const blocks[] = {"p",  "h1", "h2", "h3",    "h4",         "h5",
                                         "ul", "ol", "dl", "table", "blockquote", "pre"};
    static const char *const lines[] = {"br", "li", "tr", "dt", "dd", "div", "html", "hr"};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (is_tag(tag, blocks[i])) new_line(p, 1);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (is_tag(tag, lines[i])) new_line(p, 0);
    if (is_tag(tag, "pre")) p->pre = *tag != '/';
    if (is_tag(tag, "td") || is_tag(tag, "th")) p->space = true;
    if (is_tag(tag, "li") && *tag != '/') put_word(p, "-", 1), p->space = true;
}

// &#8734; or &#x221E;: a letter by its number. How long it is; 0: it is none.
static size_t put_number(page *p, const char *at, size_t left)
{
    enum { LARGEST = 0x10ffff };
    uint32_t code = 0;
    if (left < 4 || at[1] != '#') return 0;
    bool hexadecimal = at[2] == 'x' || at[2] == 'X';
    size_t i = hexadecimal ? 3 : 2, begins = i;
    for (; i < left && isxdigit((unsigned char)at[i]) && code <= LARGEST; i++) {
        if (!hexadecimal && !isdigit((unsigned char)at[i])) return 0;
        int letter = at[i] | 32;
        uint32_t digit = (uint32_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
        code = code * (hexadecimal ? 16 : 10) + digit;
    }
    bool shown = code >= 0xa0 ? code < 0xd800 || code > 0xdfff : code >= ' ' && code < 0x7f;
    if (i == begins || i >= left || at[i] != ';' || !shown || code > LARGEST) return 0;
    char text[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = n; k-- > 1; code >>= 6) text[k] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(first[n] | code);
    put_word(p, text, n);
    return i + 1;
}

static size_t put_entity(page *p, const char *at, size_t left)
{
    static const struct {
        const char *name, *text;
    } list[] = {
        {"&lt;", "<"},     {"&gt;", ">"},    {"&amp;", "&"},    {"&quot;", "\""}, {"&nbsp;", " "},
        {"&omega;", "ω"},  {"&phi;", "φ"},   {"&pi;", "π"},     {"&tau;", "τ"},   {"&alpha;", "α"},
        {"&beta;", "β"},   {"&Delta;", "Δ"}, {"&lambda;", "λ"}, {"&rho;", "ρ"},   {"&eta;", "η"},
        {"&middot;", "·"}, {"&ge;", "≥"},    {"&le;", "≤"},     {"&times;", "×"}, {"&deg;", "°"},
        {"&ndash;", "–"},  {"&mdash;", "—"}, {"&rarr;", "→"},   {"&sdot;", "·"},  {"&uuml;", "ü"},
        {"&ouml;", "ö"},   {"&auml;", "ä"},  {"&eacute;", "é"}, {"&szlig;", "ß"}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        size_t n = strlen(list[i].name);
        if (n <= left && memcmp(at, list[i].name, n) == 0)
            return put_word(p, list[i].text, strlen(list[i].text)), n;
    }
    size_t number = put_number(p, at, left);
    if (number) return number;
    put_word(p, "&", 1);
    return 1;
}

// HTML as plain text: tags go, paragraphs and lists stay.
static void print_html(FILE *out, const char *text, size_t length)
{
    page p = {.out = out};
    for (const char *at = text, *end = text + length; at < end;) {
        if (*at == '<') {
            const char *close = memchr(at, '>', (size_t)(end - at));
            if (!close) break;
            put_tag(&p, at + 1);
            at = close + 1;
        } else if (*at == '&') {
            at += put_entity(&p, at, (size_t)(end - at));
        } else if (*at == '\n' && p.pre) {
            p.wanted++;
            at++;
        } else if (isspace((unsigned char)*at)) {
            if (p.pre) put_word(&p, " ", 1);
            p.space = !p.pre;
            at++;
        } else if (*at == '\\' && at + 1 < end) {
            put_word(&p, at + 1, 1);
            at += 2;
        } else {
            size_t n = 1;
            while (at + n < end && !strchr("<&\\", at[n]) && !isspace((unsigned char)at[n])) n++;
            put_word(&p, at, n);
            at += n;
        }
    }
    if (p.any) fputc('\n', out);
}

static bool document(foi_session *s, foi_class *c, void *data)
{
    FILE *out = data;
    size_t length;
    const char *info = find_info(s, foi_origin(c), &length);
    fprintf(out, "%s%s %s\n", c->partial ? "partial " : "", foi_class_word(c),
            foi_class_path(s, c));
    if (c->description && *c->description) fprintf(out, "%s\n", c->description);
    if (info && length) fputc('\n', out), print_html(out, info, length);
    return !ferror(out);
}

fo_status fo_text_document(const fo_text_model_def *def, FILE *out, fo_message *why)
{
    return foi_language_visit(def, document, out, why);
}

// ---------------------------------------------------------------------------- for completion

/// What is asked of a class: its members, or those of a component in it, `rest` of a dotted name.
typedef struct looking {
    visit v;
    const char *rest;
} looking;

static bool give(visit *v, const char *name, const char *kind, const char *description)
{
    const fo_text_class about = {.name = name, .kind = kind, .description = description};
    if (!v->over) v->over = !v->each(v->self, &about);
    return !v->over;
}

// Down the components that a dotted name goes through.
static foi_class *class_of_parts(foi_session *s, foi_class *c, const char *rest)
{
    while (c && *rest) {
        size_t length = strcspn(rest, ".");
        const char *name = foi_intern(&s->names, rest, length);
        const foi_member *m = name && foi_analyse(s, c) ? foi_find_member(c, name) : NULL;
        foi_declaration *d = m ? m->declaration : NULL;
        c = d ? foi_find_class(s, d->owner, d->type, "type") : NULL;
        rest += length;
        if (*rest == '.') rest++;
    }
    return c;
}

static bool look(foi_session *s, foi_class *c, void *data)
{
    looking *l = data;
    c = class_of_parts(s, c, l->rest);
    if (!c) return false;
    for (uint32_t i = 0; i < c->literal_count; i++) give(&l->v, c->literals[i].name, "literal", "");
    bool package = c->kind == FOI_CLASS_PACKAGE;
    if (package && !list_in(s, c, FOI_DEEPEST_MODEL, &l->v)) return false; // none of those inside
    if (package || !foi_analyse(s, c)) return package;
    for (uint32_t i = 0; i < c->member_count; i++)
        if (!c->members[i].declaration->is_protected)
            give(&l->v, c->members[i].declaration->name, "variable",
                 c->members[i].declaration->description);
    return true;
}

fo_status foi_text_members(const fo_text_model_def *def, const char *rest, fo_text_visit *each,
                           void *self, fo_message *why)
{
    looking l = {.v = {.each = each, .self = self}, .rest = rest};
    return foi_language_visit(def, look, &l, why);
}

// A library's folder may have a version behind its name: "Modelica 4.0.0".
static bool library_name(const char *folder, const char *entry, char *name, size_t size)
{
    char path[4096];
    size_t length = strcspn(entry, " ."), whole = strlen(entry);
    bool file = whole > 3 && strcmp(entry + whole - 3, ".mo") == 0;
    if (!length || length >= size || (file && entry[length] != '.')) return false;
    memcpy(name, entry, length);
    name[length] = 0;
    if (file) return strcmp(name, "package") != 0;
    snprintf(path, sizeof path, "%s/%s/package.mo", folder, entry);
    return access(path, R_OK) == 0;
}

void foi_text_libraries(const char *const *folders, fo_text_visit *each, void *self)
{
    visit v = {.each = each, .self = self};
    for (const char *const *f = folders; f && *f && !v.over; f++) {
        DIR *folder = opendir(*f);
        char name[256];
        for (const struct dirent *e; folder && !v.over && (e = readdir(folder));)
            if (library_name(*f, e->d_name, name, sizeof name)) give(&v, name, "package", "");
        if (folder) closedir(folder);
    }
}
