// Manual pages in roff, with the macros of man(7).
#include "cli/manual.h"

#include <ctype.h>
#include <errno.h>
#include <foliot/version.h>
#include <limits.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ text

// Characters that roff would take for its own: a dash is one that can be copied, a line must not
// begin with a control character.
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i]; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", out);
        switch (text[i]) {
        case '\\': fputs("\\e", out); break;
        case '-': fputs("\\-", out); break;
        case '\'': fputs("\\(aq", out); break;
        case '`': fputs("\\(ga", out); break;
        case '^': fputs("\\(ha", out); break;
        case '~': fputs("\\(ti", out); break;
        default: fputc(text[i], out);
        }
    }
}

static void put_line(FILE *out, const char *text)
{
    put(out, text, strlen(text));
    fputc('\n', out);
}

/// The length of the line at `text`, without its end.
static size_t line_length(const char *text)
{
    return strcspn(text, "\n");
}

static const char *next_line(const char *text)
{
    text += line_length(text);
    return *text ? text + 1 : text;
}

/// "Examples:" and "Exit status: ..." begin sections of their own; NULL: this line does not.
static const char *section_of(const char *line, size_t *heading)
{
    static const char *const words[] = {"Examples:", "Exit status:", NULL};
    static const char *const names[] = {"EXAMPLES", "EXIT STATUS"};
    for (int i = 0; words[i]; i++) {
        *heading = strlen(words[i]);
        if (strncmp(line, words[i], *heading) == 0) return names[i];
    }
    *heading = 0;
    return NULL;
}

/// The text after the options: paragraphs, of which indented lines stay lines.
static void put_more(FILE *out, const char *text)
{
    bool as_is = false, begins = true;
    size_t heading;
    if (!section_of(text, &heading)) fputs(".SH NOTES\n", out);
    for (; *text; text = next_line(text)) {
        const char *section = section_of(text, &heading), *line = text + heading;
        bool indented = *text == ' ';
        if (as_is && !indented) fputs(".fi\n.RE\n", out);
        if (!as_is && indented) fprintf(out, "%s.RS 4\n.nf\n", begins ? "" : ".PP\n");
        as_is = indented, begins = section;
        if (section) fprintf(out, ".SH %s\n", section);
        line += indented ? 2 : strspn(line, " ");
        if (line_length(line)) {
            put(out, line, line_length(line));
            fputc('\n', out);
        } else if (!section && !section_of(next_line(text), &heading)) {
            fputs(".PP\n", out);
        }
    }
    if (as_is) fputs(".fi\n.RE\n", out);
}

// --------------------------------------------------------------------------------------- commands

static void put_option(FILE *out, const option *o)
{
    fputs(".TP\n", out);
    if (o->letter) fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put(out, o->name, SIZE_MAX);
    fputs("\\fR", out);
    if (o->value) {
        fputs(o->kind == OPTION_MAYBE_TEXT ? "\\fI" : " \\fI", out);
        put(out, o->value, SIZE_MAX);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_line(out, o->about);
}

static void put_heading(FILE *out, const char *page, const char *about)
{
    fputs(".TH ", out);
    for (const char *c = page; *c; c++) fputc(toupper((unsigned char)*c), out);
    fprintf(out, " 1 \"\" \"foliot %s\" \"Foliot\"\n.SH NAME\n", fo_version());
    put(out, page, SIZE_MAX);
    fputs(" \\- ", out);
    put_line(out, about);
    fputs(".SH SYNOPSIS\n", out);
}

static void put_command(FILE *out, const command *c)
{
    char page[64];
    snprintf(page, sizeof page, "foliot-%s", c->name);
    put_heading(out, page, c->about);
    fprintf(out, "\\fBfoliot %s\\fR", c->name);
    if (*c->operands) fputs(" \\fI", out), put(out, c->operands, SIZE_MAX), fputs("\\fR", out);
    fputs(" [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n", out);
    put_line(out, c->about);
    fputs(".SH OPTIONS\n", out);
    for (const option *o = c->options; o->name; o++) put_option(out, o);
    put_option(out, &option_help);
    if (c->more) put_more(out, c->more);
    fputs(".SH SEE ALSO\n.BR foliot (1)\n", out);
}

// --------------------------------------------------------------------------------------- overview

static void put_variables(FILE *out)
{
    static const char *const list[][2] = {
        {"FOLIOT_MODELS", "folders in which models are found by name, with ':' between them"},
        {"FOLIOT_RANKS", "off: what mpirun or srun starts are programs of their own, which share "
                         "nothing"},
        {"MODELICAPATH", "folders of packages that texts use, with ':' between them"},
        {"XDG_CACHE_HOME", "where compiled programs are kept, in the folder foliot; default: "
                           "~/.cache"},
        {"NO_COLOR", "if set, plots have no colours"},
    };
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fprintf(out, ".TP\n.B %s\n", list[i][0]);
        put_line(out, list[i][1]);
    }
}

static void put_overview(FILE *out)
{
    put_heading(out, "foliot", "simulates hybrid systems: things that flow and jump");
    fputs("\\fBfoliot\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\n", out);
    put_line(out, "Simulates systems that flow and jump: differential equations with events, from "
                  "texts in a subset of Modelica, block diagrams, networks of energies, fields on "
                  "grids, processes, and C.");
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, ".TP\n.BR foliot\\-%s (1)\n", command_at(i)->name);
        put_line(out, command_at(i)->about);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprint which version this is\n",
          out);
    put_option(out, &option_help);
    put_variables(out);
    fputs(".SH EXIT STATUS\n", out);
    put_line(out, "0 fine, 1 the run failed, 2 a mistake in the command line.");
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; command_at(i); i++)
        fprintf(out, ".BR foliot\\-%s (1)%s\n", command_at(i)->name, command_at(i + 1) ? "," : "");
}

void manual_print(FILE *out, const command *c)
{
    if (c)
        put_command(out, c);
    else
        put_overview(out);
}

static bool write_page(const command *self, const char *folder, const command *c)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/foliot%s%s.1", folder, c ? "-" : "", c ? c->name : "");
    FILE *out = fopen(path, "w");
    if (out) manual_print(out, c);
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0) good = false;
    if (!good) complain(self, "cannot write %s: %s", path, strerror(errno));
    return good;
}

bool manual_write(const command *self, const char *folder)
{
    bool good = write_page(self, folder, NULL);
    for (size_t i = 0; good && command_at(i); i++) good = write_page(self, folder, command_at(i));
    return good;
}
