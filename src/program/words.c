/// Messages of asserts and terminate, with the values that they name.
#include <stdio.h>
#include <string.h>

#include "program/program.h"

static void write_word(const foi_word *w, double value, char *text, size_t size)
{
    if (w->literals) {
        const char *const *literal = w->literals;
        for (double i = 1; i < value && *literal; i++) literal++;
        snprintf(text, size, "%s", *literal ? *literal : "?");
    } else if (w->type == FOI_BOOLEAN) {
        snprintf(text, size, "%s", value != 0 ? "true" : "false");
    } else {
        snprintf(text, size, w->type == FOI_INTEGER ? "%.0f" : "%.6g", value);
    }
}

const char *foi_action_text(const foi_program *g, const fo_state *s, double t, const double *x,
                            const foi_action *a, char *text, size_t size)
{
    // behind everything that a moment has in its work space
    double *values = foi_program_lags(g, s) - g->codes[FOI_TASK_WORDS].result_count;
    foi_given given = foi_given_of(g, s, t, x);
    bool known = a->word_count && foi_program_run(g, s, FOI_TASK_WORDS, &given, values) == FO_OK;
    size_t n = 0;
    uint32_t word = a->word;
    for (const char *c = a->message; *c && n + 1 < size; c++) {
        if (*c != FOI_WORD_MARK) {
            text[n++] = *c;
            continue;
        }
        if (known) write_word(&g->word[word], values[word], text + n, size - n);
        word++;
        if (known) n += strlen(text + n);
    }
    text[n] = 0;
    return text;
}
