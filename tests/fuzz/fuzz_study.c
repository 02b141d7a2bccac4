/// libFuzzer target: any bytes as a file of `foliot study`. What it would run are command lines;
/// all of them end with "--" and the model, whatever the file calls its options.
#include <stdint.h>

#include "cli/analysis/study.c"
#include "cli/json.c"
#include "complaints.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int complain_usage(const command *c, const char *format, ...)
{
    (void)c, (void)format;
    said = true;
    return EXIT_USAGE;
}

static int pretend(const command *self, int argc, char **argv)
{
    size_t letters = strlen(self->name);
    if (argc < 2 || argv[argc] || strcmp(argv[argc - 2], "--") != 0) abort();
    for (int i = 0; i < argc; i++) letters += strlen(argv[i]);
    return letters ? EXIT_FINE : EXIT_FAILED;
}

#define PRETENDED(which) const command command_##which = {.name = #which, .run = pretend}
PRETENDED(sweep);
PRETENDED(fit);
PRETENDED(steady);
PRETENDED(linearize);
PRETENDED(sensitivity);
PRETENDED(optimize);

// Not reached: the file is read here.
parse_result options_parse(const command *c, int argc, char **argv, void *values, operands *rest)
{
    (void)c, (void)argc, (void)argv, (void)values, (void)rest;
    abort();
}

bool ranks_silent(void)
{
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why = {0};
    foi_json *j = foi_json_read(
        &(foi_json_def){.name = "fuzz", .text = (const char *)data, .length = size}, &why);
    if (!j && !why.text[0]) abort(); // a refusal says why
    for (int as_json = 0; j && as_json < 2; as_json++) {
        said = false;
        int result = run_all(&command_study, j, &(study_options){.json = as_json});
        if (result != EXIT_FINE && !said) abort();
    }
    foi_json_destroy(j);
    return 0;
}
