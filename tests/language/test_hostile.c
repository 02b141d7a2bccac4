/// A short fuzz run with a fixed seed: models of the tests, cut, mixed and damaged, must end
/// cleanly. The long runs are those of tests/fuzz/fuzz_language.c.
#include "load.h"

#define FOLDER FOLIOT_SOURCE_DIR "/tests/language/"

enum { MOST_TEXT = 20000, SEEDS = 250, ROUNDS = 3000 };

static char *seeds[SEEDS];
static size_t seed_count;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void read_seeds(const char *folder)
{
    static file_list files;
    list_folder(folder, ".mo", &files);
    for (size_t i = 0; i < files.count && seed_count < SEEDS; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", folder, files.names[i]);
        char *text = read_text(path);
        if (text && strlen(text) < MOST_TEXT / 4)
            seeds[seed_count++] = text;
        else
            free(text);
    }
}

// The start of a piece: a word, so that damage stays near to the grammar.
static size_t word_start(const char *text, size_t at)
{
    while (text[at] && text[at] != ' ' && text[at] != '\n') at++;
    return at;
}

static void damage(char *text, uint64_t *state)
{
    static const char *const pieces[] = {
        " end ", " ; ",         "(",      ")",       "[",           "]",  "{",          "}",
        " if ",  " for ",       " = ",    " 1e308 ", " -1 ",        ":",  ",",          " when ",
        " der(", " x ",         " Real ", "\"",      "'",           "/*", " 99999999 ", "^",
        ".",     " extends M;", " M m;",  " [:] ",   " function f "};
    size_t length = strlen(text), at = word_start(text, next_random(state) % (length + 1));
    const char *other = seeds[next_random(state) % seed_count];
    size_t from = word_start(other, next_random(state) % (strlen(other) + 1));
    size_t take = next_random(state) % 60, other_length = strlen(other + from);
    switch (next_random(state) % 5) {
    case 0: // cut a piece out
        if (take > length - at) take = length - at;
        memmove(text + at, text + at + take, length - at - take + 1);
        break;
    case 1: // one from another text
        if (take > other_length) take = other_length;
        memmove(text + at + take, text + at, length - at + 1);
        memcpy(text + at, other + from, take);
        break;
    case 2: { // a piece of grammar
        const char *piece = pieces[next_random(state) % (sizeof pieces / sizeof pieces[0])];
        memmove(text + at + strlen(piece), text + at, length - at + 1);
        memcpy(text + at, piece, strlen(piece));
        break;
    }
    case 3: // one letter
        if (length) text[next_random(state) % length] = (char)(next_random(state) % 127 + 1);
        break;
    default: text[next_random(state) % (length + 1)] = 0; break; // the end is lost
    }
}

TEST(damaged_models_end_cleanly)
{
    uint64_t state = 42;
    long right = 0;
    read_seeds(FOLDER "models/");
    size_t models = seed_count;
    read_seeds(FOLDER "wrong/");
    REQUIRE(seed_count > 100);
    for (int round = 0; round < ROUNDS; round++) {
        static char text[MOST_TEXT];
        size_t among = round % 2 ? seed_count : models;
        snprintf(text, MOST_TEXT / 2, "%s", seeds[next_random(&state) % among]);
        for (uint32_t n = next_random(&state) % 3 + 1; n > 0; n--) damage(text, &state);
        foi_language_def def = foi_default_language_def();
        foi_messages messages;
        foi_flat *flat;
        def.text = text, def.no_files = true, def.most_work = 20000, def.most_memory = 16 << 20;
        foi_messages_begin(&messages, NULL);
        fo_status status = foi_language_load(&def, &flat, &messages);
        CHECK((status == FO_OK) == (flat != NULL));
        CHECK(status == FO_OK || messages.errors > 0);
        right += status == FO_OK;
        foi_flat_destroy(flat);
        foi_messages_end(&messages);
    }
    CHECK(right > 20 && right < ROUNDS); // damage is neither nothing nor everything
    for (size_t i = 0; i < seed_count; i++) free(seeds[i]);
}

TEST_MAIN(TEST_ENTRY(damaged_models_end_cleanly))
