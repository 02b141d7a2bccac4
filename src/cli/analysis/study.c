// foliot study: a question to a model, written down.
//
//     {"command": "sweep", "model": "ball", "vary": {"e": "0.5:0.9:5"}, "measure": ["max(y)"],
//      "set": {"g": 3}, "output": "runs.csv"}
//
// Members are the options of the command: a list repeats its option, an object gives NAME=VALUE,
// true is a flag. {"studies": [...]} are several, one after the other.
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/json.h"
#include "cli/analysis/common.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/run/ranks.h"

typedef struct study_options {
    bool print, json;
} study_options;

static const option study_table[] = {{"print", 0, NULL, OPTION_FLAG, offsetof(study_options, print),
                                      "print the command lines instead of running them"},
                                     {"json", 0, NULL, OPTION_FLAG, offsetof(study_options, json),
                                      "print each study's result as JSON, or with --print a list "
                                      "of words for each"},
                                     {0}};

static const char study_more[] =
    "The file describes analyses, with the options of the command line:\n\n  {\"command\": "
    "\"sweep\", \"model\": \"ball\", \"vary\": {\"e\": \"0.5:0.9:5\"},\n   \"measure\": "
    "[\"max(y)\", \"count(bounce)\"], \"output\": \"runs.csv\"}\n\nCommands are sweep, fit, "
    "steady, linearize, sensitivity and optimize. Members are their options: a\nlist repeats one, "
    "an object gives NAME=VALUE, true is a flag. Paths are relative to the file's\nfolder. "
    "{\"studies\": [...]} are several, one after the other. Started by mpirun, the ranks "
    "share\nthe runs of sweeps and sensitivities, and the tables are the same.\n\nExit status: "
    "that of the first command that does not end with 0; 2 for a mistake in the file.\n";

static const command *const known[] = {
    &command_sweep,    &command_fit, &command_steady, &command_linearize, &command_sensitivity,
    &command_optimize, NULL};

/// A command line that grows.
typedef struct line {
    char **list;
    int count;
    bool failed;
} line;

static void put(line *l, const char *dashes, const char *a, const char *b, const char *c)
{
    char **list = realloc(l->list, ((size_t)l->count + 2) * sizeof *list);
    size_t size = strlen(dashes) + strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = list ? malloc(size) : NULL;
    if (list) l->list = list;
    if (!text) {
        l->failed = true;
        return;
    }
    snprintf(text, size, "%s%s%s%s", dashes, a, b, c);
    l->list[l->count++] = text, l->list[l->count] = NULL;
}

static void line_free(line *l)
{
    for (int i = 0; i < l->count; i++) free(l->list[i]);
    free(l->list);
}

// ----------------------------------------------------------------------------------------- reading

static bool text_of(const foi_json_value *v, char number[FOI_DECIMAL_SIZE], const char **text)
{
    if (v->kind == FOI_JSON_TEXT) *text = v->text;
    if (v->kind == FOI_JSON_NUMBER) foi_number_text(v->number, number), *text = number;
    return v->kind == FOI_JSON_TEXT || v->kind == FOI_JSON_NUMBER;
}

// One value of an option; `name` is what an object calls it.
static bool put_value(line *l, const char *of, const char *name, const foi_json_value *v)
{
    char number[FOI_DECIMAL_SIZE];
    const char *text = NULL;
    if (!text_of(v, number, &text)) return false;
    put(l, "--", of, "", "");
    put(l, "", name ? name : "", name ? "=" : "", text);
    return true;
}

static fo_status put_option(const foi_json *j, const foi_json_value *v, line *l, fo_message *why)
{
    if (v->kind == FOI_JSON_TRUTH) {
        if (v->truth) put(l, "--", v->key, "", "");
        return FO_OK;
    }
    if (v->kind != FOI_JSON_LIST && v->kind != FOI_JSON_OBJECT)
        return put_value(l, v->key, NULL, v)
                   ? FO_OK
                   : foi_json_refuse(
                         j, v, why,
                         "expected a text, a number, true or false, a list or an object, found %s",
                         foi_json_kind_text(v->kind));
    for (const foi_json_value *e = v->first; e; e = e->next)
        if (!put_value(l, v->key, v->kind == FOI_JSON_OBJECT ? e->key : NULL, e))
            return foi_json_refuse(j, e, why, "expected a text or a number, found %s",
                                   foi_json_kind_text(e->kind));
    return FO_OK;
}

static const command *command_of(const char *name)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i]->name, name) == 0) return known[i];
    return NULL;
}

static fo_status read_study(const foi_json *j, const foi_json_value *v, const command **c, line *l,
                            const study_options *o, fo_message *why)
{
    const foi_json_value *name = foi_json_member(v, "command"),
                         *model = foi_json_member(v, "model");
    if (v->kind != FOI_JSON_OBJECT || !name || name->kind != FOI_JSON_TEXT || !model ||
        model->kind != FOI_JSON_TEXT)
        return foi_json_refuse(j, v, why,
                               "a study needs a \"command\" and a \"model\", both texts");
    *c = command_of(name->text);
    if (!*c)
        return foi_json_refuse(j, name, why,
                               "expected sweep, fit, steady, linearize, sensitivity or optimize, "
                               "found '%s'",
                               name->text);
    fo_status status = FO_OK;
    for (const foi_json_value *m = v->first; m && status == FO_OK; m = m->next)
        if (m != name && m != model && strcmp(m->key, "about") != 0)
            status = put_option(j, m, l, why);
    if (o->json && !o->print) put(l, "--", "json", "", "");
    put(l, "", "--", "", "");
    put(l, "", model->text, "", "");
    if (status == FO_OK && l->failed) status = fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    return status;
}

// ----------------------------------------------------------------------------------------- running

static void print_line(const command *c, const line *l)
{
    printf("foliot %s", c->name);
    for (int i = 0; i < l->count; i++) {
        fputs(" '", stdout);
        for (const char *at = l->list[i]; *at; at++)
            if (*at == '\'')
                fputs("'\\''", stdout);
            else
                fputc(*at, stdout);
        fputc('\'', stdout);
    }
    fputc('\n', stdout);
}

static void print_words(const command *c, const line *l)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '[');
    json_text(&j, NULL, "foliot");
    json_text(&j, NULL, c->name);
    for (int i = 0; i < l->count; i++) json_text(&j, NULL, l->list[i]);
    json_close(&j);
}

// What ranks do not share the first one does alone.
static int run_line(const command *c, line *l)
{
    bool shared = c == &command_sweep || c == &command_sensitivity || c == &command_optimize;
    if (ranks_silent() && !shared) return EXIT_FINE;
    char **copy = malloc(((size_t)l->count + 1) * sizeof *copy); // a parser puts operands first
    if (!copy) return complain(c, "out of memory"), EXIT_FAILED;
    memcpy(copy, l->list, ((size_t)l->count + 1) * sizeof *copy);
    int result = c->run(c, l->count, copy);
    free(copy);
    return result;
}

static int run_one(const command *self, const foi_json *j, const foi_json_value *v,
                   const study_options *o)
{
    line l = {0};
    const command *c = NULL;
    fo_message why = {0};
    int result = EXIT_USAGE;
    if (read_study(j, v, &c, &l, o, &why) != FO_OK)
        complain(self, "%s", why.text);
    else if (o->print)
        (o->json ? print_words : print_line)(c, &l), result = EXIT_FINE;
    else
        result = run_line(c, &l);
    line_free(&l);
    return result;
}

static int run_all(const command *self, const foi_json *j, const study_options *o)
{
    const foi_json_value *root = foi_json_root(j), *list = foi_json_member(root, "studies");
    if (!list) return run_one(self, j, root, o);
    if (list->kind != FOI_JSON_LIST || !list->count) {
        complain(self, "%s: \"studies\" must be a list of studies", foi_json_name(j));
        return EXIT_USAGE;
    }
    int result = EXIT_FINE;
    for (const foi_json_value *v = list->first; v && result == EXIT_FINE; v = v->next)
        result = run_one(self, j, v, o);
    return result;
}

// Paths of a study are seen from where it lies.
static bool go_to_folder(const command *self, const char *path)
{
    char *copy = strdup(path);
    bool good = copy && chdir(dirname(copy)) == 0;
    if (!good) complain(self, "cannot go to the folder of '%s': %s", path, strerror(errno));
    free(copy);
    return good;
}

static int run_study(const command *self, int argc, char **argv)
{
    study_options o = {0};
    operands rest;
    fo_message why = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count != 1) return complain_usage(self, "expected one FILE");
    const char *path = rest.list[0];
    foi_json *j = foi_json_read_file(path, NULL, &why);
    if (!j) {
        complain(self, "%s", why.text);
        return why.status == FO_ERROR_FORMAT ? EXIT_USAGE : EXIT_FAILED;
    }
    int result = go_to_folder(self, path) ? run_all(self, j, &o) : EXIT_FAILED;
    foi_json_destroy(j);
    return result;
}

const command command_study = {
    "study",     "FILE",     "Run the analyses that a file describes, on one process or many.",
    study_table, study_more, run_study};
