/// Small models and the flat text that they become: models/<name>.mo and models/<name>.flat.
#include "load.h"

#define FOLDER FOLIOT_SOURCE_DIR "/tests/language/models/"

static void check_model(const char *name)
{
    char path[512], flat_path[520], model[128];
    snprintf(path, sizeof path, FOLDER "%s", name);
    snprintf(flat_path, sizeof flat_path, "%.*sflat", (int)strlen(path) - 2, path);
    char *text = read_text(path), *expected = read_text(flat_path);
    if (!text || !expected) {
        test_fail(__FILE__, __LINE__, "%s: cannot be read, or has no .flat", name);
        free(text), free(expected);
        return;
    }
    first_line(text, "// model: ", model, sizeof model);
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    foi_flat *flat;
    def.path = path, def.model = model[0] ? model : NULL;
    foi_messages_begin(&messages, NULL);
    fo_status status = foi_language_load(&def, &flat, &messages);
    if (status != FO_OK) {
        test_fail(__FILE__, __LINE__, "%s: %s", name,
                  messages.count ? messages.findings[0].text : fo_status_text(status));
    } else {
        foi_flat_writer writer = {0};
        foi_flat_print(flat, &writer);
        if (!test_text(__FILE__, __LINE__, name, writer.text, expected))
            fprintf(stderr, "in %s\n", name);
        foi_free(NULL, writer.text);
    }
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
    free(text), free(expected);
}

TEST(models_become_flat)
{
    static file_list files;
    list_folder(FOLDER, ".mo", &files);
    CHECK(files.count >= 12);
    for (size_t i = 0; i < files.count; i++) check_model(files.names[i]);
}

TEST_MAIN(TEST_ENTRY(models_become_flat))
