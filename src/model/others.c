// What a model depends on beside its own file.
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/text_stream.h"
#include "diagram/diagram.h"
#include "fmi/others.h"
#include "language/language.h"
#include "model/model.h"

// What a text means when all that it takes from other files is put in: its equations.
static bool hash_equations(const fo_text_model *text, const fo_allocator *a, uint64_t *hash)
{
    foi_text_stream page;
    if (!foi_text_open(&page, a)) return false;
    bool good = fo_text_model_print(text, FO_TEXT_EQUATIONS, page.out, NULL) == FO_OK;
    good &= foi_text_close(&page);
    if (good) *hash = foi_hash_of(page.text, page.size, 0);
    foi_text_free(&page);
    return good;
}

fo_status fo_model_others(const fo_model *m, char value[FO_MODEL_OTHERS], fo_message *why)
{
    uint64_t hash = m->diagram ? m->diagram->diagram.others : 0;
    if (m->text && !hash_equations(m->text, m->allocator, &hash))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the equations of '%s'", m->name);
    fo_status status = m->units ? foi_group_others(m->units, &hash, why) : FO_OK;
    if (fo_failed(status)) return status;
    snprintf(value, FO_MODEL_OTHERS, "%016" PRIx64, hash);
    return FO_OK;
}

const char *fo_model_source(const fo_model *m, size_t index)
{
    const foi_flat *flat = m->text ? foi_text_model_flat(m->text) : NULL;
    return flat && index < flat->file_count ? flat->files[index] : NULL;
}
