// What can come next on a command line, for the completion of shells.
#include <dirent.h>
#include <foliot/language.h>
#include <string.h>
#include <unistd.h>

#include "cli/manual.h"
#include "cli/model.h"

/// Where the words go, and what they must begin with.
typedef struct offer {
    FILE *out;
    const char *begin;
    const char *before; ///< stands before each word, as in --solver=rk4
} offer;

static void put(const offer *f, const char *word, const char *about)
{
    if (strncmp(word, f->begin, strlen(f->begin)) == 0)
        fprintf(f->out, "%s%s\t%s\n", f->before, word, about ? about : "");
}

static void put_files(const offer *f)
{
    fputs(":files\n", f->out);
}

// ----------------------------------------------------------------------------------------- kinds

static void put_commands(const offer *f)
{
    for (size_t i = 0; command_at(i); i++) put(f, command_at(i)->name, command_at(i)->about);
}

// A class of the package that stands before the last dot. A package ends with a dot, so that its
// own classes can follow.
static bool put_class(void *self, const fo_text_class *about)
{
    const offer *f = self;
    char word[512], line[200];
    const char *dot = strrchr(f->begin, '.');
    size_t package = (size_t)(dot - f->begin) + 1;
    bool inner = strcmp(about->kind, "package") == 0;
    if (strncmp(about->name, f->begin, package) != 0 || strchr(about->name + package, '.'))
        return true;
    if (!inner && !about->runs) return true;
    snprintf(word, sizeof word, "%s%s", about->name, inner ? "." : "");
    snprintf(line, sizeof line, "%.*s", (int)strcspn(about->description, "\r\n\t"),
             about->description);
    put(f, word, line);
    return true;
}

// "Modelica" of Modelica/, "Modelica 4.1.0/" or Modelica.mo in a folder of libraries.
static void put_library(const offer *f, const char *folder, const char *entry)
{
    char path[4096], word[256];
    size_t length = strcspn(entry, " ."), whole = strlen(entry);
    bool file = whole > 3 && strcmp(entry + whole - 3, ".mo") == 0;
    snprintf(path, sizeof path, file ? "%s/%s" : "%s/%s/package.mo", folder, entry);
    if (!length || (file && length + 3 != whole) || access(path, R_OK) != 0) return;
    snprintf(word, sizeof word, "%.*s.", (int)length, entry);
    put(f, word, "library");
}

// Classes of the libraries, when a name is begun: there are too many for an empty word.
static void put_classes(const offer *f)
{
    fo_model_def where = model_def(NULL);
    const char *dot = strrchr(f->begin, '.');
    char package[512];
    if (!*f->begin || strpbrk(f->begin, "/:\\ ")) return;
    for (const char *const *l = where.libraries; !dot && *l; l++) {
        DIR *folder = opendir(*l);
        for (const struct dirent *e; folder && (e = readdir(folder));)
            put_library(f, *l, e->d_name);
        if (folder) closedir(folder);
    }
    if (!dot || dot == f->begin || (size_t)(dot - f->begin) >= sizeof package) return;
    snprintf(package, sizeof package, "%.*s", (int)(dot - f->begin), f->begin);
    fo_message why = {0};
    fo_text_model_def def = fo_default_text_model_def();
    offer whole = *f;
    def.model = package, def.libraries = where.libraries;
    fo_text_browse(&def, put_class, &whole, &why); // what is no package has no classes to offer
}

static void put_models(const offer *f)
{
    fo_model_def def = model_def(NULL);
    fo_gallery *gallery = fo_gallery_open(&def, NULL);
    for (size_t i = 0; gallery && i < fo_gallery_count(gallery); i++) {
        const fo_gallery_entry *e = fo_gallery_get(gallery, i);
        put(f, e->name, e->about);
    }
    fo_gallery_close(gallery);
    put_classes(f);
    put_files(f);
}

static void put_solvers(const offer *f)
{
    for (size_t i = 0; i < fo_solver_count(); i++)
        put(f, fo_solver_get(i)->name, fo_solver_get(i)->about);
}

static void put_nodes(const offer *f)
{
    fo_node_help help;
    for (size_t i = 0; fo_node_help_at(i, &help); i++) put(f, help.name, help.about);
}

// Words with spaces between.
static void put_words(const offer *f, const char *list)
{
    for (size_t length; *list; list += length + strspn(list + length, " ")) {
        char word[32];
        length = strcspn(list, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        put(f, word, NULL);
    }
}

// ---------------------------------------------------------------------------------------- options

/// What help calls a value says what it can be.
static void put_values(const offer *f, const option *o)
{
    static const char *const words[][2] = {
        {"WAY", "auto bytecode machine native nodes"},
        {"HOW", "hold extrapolate"},
        {"TYPE", "me cs"},
        {"TYPES", "me cs me,cs"},
        {"VERSION", "2 3"},
        {"POLICY", "warn stop skip degrade priority"},
    };
    size_t length = strlen(o->name);
    if (length >= 6 && strcmp(o->name + length - 6, "solver") == 0) put_solvers(f);
    if (strcmp(o->value, "FILE") == 0 || strcmp(o->value, "PATH") == 0) put_files(f);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(o->value, words[i][0]) == 0) put_words(f, words[i][1]);
}

static void put_option(const offer *f, const option *o)
{
    char word[64];
    snprintf(word, sizeof word, "--%s", o->name);
    put(f, word, o->about);
    snprintf(word, sizeof word, "-%c", o->letter);
    if (o->letter && f->begin[1] != '-') put(f, word, o->about);
}

static void put_options(const offer *f, const command *c)
{
    for (const option *o = c->options; o->name; o++) put_option(f, o);
    put_option(f, &option_help);
}

/// "--solver=rk": the value of that option.
static bool put_equal(const offer *f, const command *c)
{
    const char *equals = strchr(f->begin, '=');
    if (!equals) return false;
    char before[128];
    snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - f->begin), f->begin);
    offer inner = {f->out, equals + 1, before};
    for (const option *o = c->options; o->name; o++)
        if (o->value && strncmp(before, "--", 2) == 0 && strlen(before) == strlen(o->name) + 3 &&
            strncmp(before + 2, o->name, strlen(o->name)) == 0)
            put_values(&inner, o);
    return true;
}

static void put_operand(const offer *f, const command *c)
{
    if (strstr(c->operands, "MODEL")) put_models(f);
    if (strstr(c->operands, "COMMAND")) put_commands(f);
    if (strstr(c->operands, "NODE")) put_nodes(f);
    if (strstr(c->operands, "FILE")) put_files(f);
}

static void put_argument(const offer *f, const command *c, int count, char *const *words)
{
    const option *o = count > 1 ? options_awaiting(c, words[count - 2]) : NULL;
    bool ended = false;
    for (int i = 1; i + 1 < count; i++) ended |= strcmp(words[i], "--") == 0;
    if (o && !ended)
        put_values(f, o);
    else if (f->begin[0] == '-' && !ended) {
        if (!put_equal(f, c)) put_options(f, c);
    } else {
        put_operand(f, c);
    }
}

void complete_print(FILE *out, int count, char *const *words)
{
    offer f = {out, count ? words[count - 1] : "", ""};
    if (count < 2) {
        put_commands(&f);
        put(&f, "--version", "print which version this is");
        put(&f, "--help", option_help.about);
        return;
    }
    for (size_t i = 0; command_at(i); i++)
        if (strcmp(command_at(i)->name, words[0]) == 0)
            put_argument(&f, command_at(i), count, words);
}
