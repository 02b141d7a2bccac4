/// Options of a command as a table: the same table is parsed and printed as help.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command;

typedef enum option_kind {
    OPTION_FLAG,         ///< bool
    OPTION_TEXT,         ///< const char *
    OPTION_MAYBE_TEXT,   ///< maybe_text: --plot or --plot=a,b
    OPTION_POSITIVE,     ///< maybe_number, > 0
    OPTION_NOT_NEGATIVE, ///< maybe_number, >= 0
    OPTION_NUMBER,       ///< maybe_number, any
    OPTION_COUNT,        ///< maybe_count
    OPTION_SETTING,      ///< settings: name=value, may be repeated
    OPTION_TEXTS,        ///< texts: may be repeated
    OPTION_NODES,        ///< a file of node types, loaded at once; may be repeated
} option_kind;

typedef struct option {
    const char *name;  ///< without the dashes
    char letter;       ///< 0: none
    const char *value; ///< what help calls it; NULL: a flag
    option_kind kind;
    size_t offset; ///< where the value goes in the command's struct
    const char *about;
    uint64_t least, most; ///< OPTION_COUNT; most is 0: it may be as large as 64 bits
} option;

/// The range of a count, after the text about it: who takes it into fewer bits says so here.
#define OPTION_FROM_TO(least, most) (least), (most)

/// Every command has it.
extern const option option_help;
/// In the table of a command that opens diagrams.
#define OPTION_OWN_NODES                                                                     \
    {                                                                                        \
        "node-types", 0, "FILE", OPTION_NODES, 0,                                            \
            "node types of your own for diagrams, *.so or *.c, and FMUs (*.fmu) that their " \
            "nodes run: this code is loaded; may be repeated"                                \
    }

typedef struct maybe_number {
    bool given;
    double value;
} maybe_number;

typedef struct maybe_count {
    bool given;
    uint64_t value;
} maybe_count;

typedef struct maybe_text {
    bool given;
    const char *value; ///< NULL: without
} maybe_text;

/// name=value
typedef struct setting {
    char *name; ///< owned
    double value;
} setting;

typedef struct settings {
    setting *list;
    size_t count;
} settings;

/// Values of an option that may be repeated; they point into argv.
typedef struct texts {
    const char **list; ///< owned
    size_t count;
} texts;

/// What stands on the command line beside options; points into argv.
typedef struct operands {
    char **list;
    int count;
} operands;

typedef enum parse_result { PARSE_FINE, PARSE_HELP, PARSE_WRONG } parse_result;

/// Reads the arguments after the command's name into `values`. Operands and options may be mixed,
/// "--" ends the options. PARSE_HELP: --help was asked for and printed; PARSE_WRONG: a message was
/// printed.
parse_result options_parse(const struct command *c, int argc, char **argv, void *values,
                           operands *rest);
/// The option of an argument ("--output", "-o", "-qo") that takes the next one for its value; NULL:
/// it takes none.
const option *options_awaiting(const struct command *c, const char *text);
/// The first operand among such arguments, without a look at the values; NULL: there is none.
const char *options_operand(const struct command *c, int argc, char **argv);
void settings_free(settings *s);
void texts_free(texts *t);

#endif
