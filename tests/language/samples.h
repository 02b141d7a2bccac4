/// Small texts, each with a value that follows from its meaning.
#ifndef TEST_SAMPLES_H
#define TEST_SAMPLES_H

#include "run.h"

typedef struct sample {
    const char *about, *text, *name;
    double t, value, within;
} sample;

static inline void check_all(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const sample *p = &samples[i];
        world w;
        if (begin(&w, p->text, 2)) {
            double value = at(&w, p->t, p->name);
            if (!(fabs(value - p->value) <= p->within))
                test_fail(__FILE__, __LINE__, "%s: %s is %.17g, expected %.17g", p->about, p->name,
                          value, p->value);
        } else {
            test_fail(__FILE__, __LINE__, "%s", p->about);
        }
        end(&w);
    }
}
#define CHECK_ALL(samples) check_all(samples, sizeof samples / sizeof samples[0])

/// A text that must be refused, with a message that has this in it.
static inline void check_refused(const char *text, const char *part)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, part);
    fo_text_model_close(m);
}

#endif
