/// Any text as arithmetic, alone and as an element of a list: it is refused, or becomes terms that
/// leave exactly one value and never need more values at once than they may.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"

static fo_status find(void *self, const char *name, size_t *index, fo_message *why)
{
    (void)self;
    *index = (unsigned char)name[0] % 3;
    return name[0] == 'z' ? fo_fail(why, FO_ERROR_FORMAT, "there is no '%s'", name) : FO_OK;
}

static fo_status call(void *self, const char *name, const char **at, size_t *index, bool *known,
                      fo_message *why)
{
    (void)self;
    *known = name[0] == 'q', *index = 0;
    if (!*known) return FO_OK;
    const char *end = strchr(*at, ')');
    if (!end) return fo_fail(why, FO_ERROR_FORMAT, "it does not end");
    *at = end + 1;
    return FO_OK;
}

static void check_terms(const foi_arithmetic *a)
{
    static const double names[] = {1, -2, 0.5}, calls[] = {4};
    int values = 0;
    for (size_t i = 0; i < a->count; i++) {
        values += 1 - foi_term_arguments(a->terms[i].op);
        if (values < 1 || values > FOI_ARITHMETIC_STACK) abort();
    }
    if (values != 1) abort();
    volatile double value = foi_arithmetic_value(a, names, calls);
    (void)value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const foi_arithmetic_scope scopes[] = {{NULL, find, NULL, "", false},
                                           {NULL, find, call, ", \t\n", true}};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    for (int i = 0; i < 2; i++) {
        foi_arithmetic a;
        fo_message why;
        const char *at = text;
        if (foi_arithmetic_read(&a, text, &at, &scopes[i], NULL, &why) == FO_OK) check_terms(&a);
        if (at < text || at > text + strlen(text)) abort();
        foi_arithmetic_destroy(&a, NULL);
    }
    free(text);
    return 0;
}
