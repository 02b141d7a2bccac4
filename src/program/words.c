/// Messages of asserts and terminate, with the values that they name.
#include <string.h>

#include "program/program.h"

// Behind what a closed gate hides; `word` counts on.
static const char *behind(const foi_program *g, const char *c, uint32_t *word)
{
    for (int depth = 1; depth > 0 && *c; c++) {
        if (*c == FOI_WORD_MARK) depth += g->word[(*word)++].gate;
        depth -= *c == FOI_WORD_END;
    }
    return c;
}

const char *foi_action_text(const foi_program *g, const fo_state *s, double t, const double *x,
                            const foi_action *a, char *text, size_t size)
{
    // behind everything that a moment has in its work space
    double *values = foi_program_lags(g, s) - g->codes[FOI_TASK_WORDS].result_count;
    foi_given given;
    foi_give(&given, g, s, t, x);
    bool known = a->word_count && foi_program_run(g, s, FOI_TASK_WORDS, &given, values) == FO_OK;
    size_t n = 0;
    uint32_t word = a->word;
    for (const char *c = a->message; *c && n + 1 < size; c++) {
        if (*c == FOI_WORD_END) continue;
        if (*c != FOI_WORD_MARK) {
            text[n++] = *c;
            continue;
        }
        const foi_word *w = &g->word[word];
        if (w->gate) {
            bool open = known && values[word] != 0;
            word++;
            if (!open) c = behind(g, c + 1, &word) - 1;
            continue;
        }
        if (known)
            foi_flat_value_text(w->format, w->type, w->literals, values[word], text + n, size - n);
        word++;
        if (known) n += strlen(text + n);
    }
    text[n] = 0;
    return text;
}
