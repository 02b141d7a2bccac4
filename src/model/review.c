/// All that is to be said about a text: about the model that it is, and about its other classes.
#include <string.h>

#include "base/memory.h"
#include "language/language.h"
#include "model/model.h"

static void take_finding(void *self, const fo_finding *f)
{
    foi_model_add_finding(self, f, NULL);
}

static bool is_error(const fo_finding *f)
{
    return f->severity == FO_SEVERITY_ERROR;
}

static bool is_known(const fo_model *review, uint32_t count, const fo_finding *f)
{
    for (uint32_t i = 0; i < count; i++) {
        const fo_finding *g = &review->findings[i];
        bool place = g->line == f->line && g->column == f->column;
        if (place && ((is_error(f) && is_error(g) && f->line) || strcmp(f->text, g->text) == 0))
            return true;
    }
    return false;
}

// What the model lacks that would be run is said of it, and is no mistake in the text: whoever uses
// its class may give it that.
static void add_lacking(fo_model *review, const fo_model *m)
{
    uint32_t count = review->finding_count;
    bool lacks = m->status == FO_ERROR_FORMAT || m->status == FO_ERROR_MODEL;
    for (uint32_t i = 0; i < m->finding_count; i++) {
        fo_finding f = m->findings[i];
        if (is_known(review, count, &f)) continue;
        if (is_error(&f) && lacks) f.severity = FO_SEVERITY_NOTE;
        foi_model_add_finding(review, &f, NULL);
    }
}

static void add_all(fo_model *review, const fo_model *m)
{
    for (uint32_t i = 0; i < m->finding_count; i++)
        foi_model_add_finding(review, &m->findings[i], NULL);
}

// Of a text or file alone it can be said what the classes beside the model are worth, and only
// where it could be read at all.
static bool is_reviewed(const fo_model_def *def, const fo_model *m)
{
    bool read = m->status != FO_ERROR_MEMORY && m->status != FO_ERROR_CANCELLED &&
                m->status != FO_ERROR_INPUT && m->status != FO_ERROR_ARGUMENT;
    return m->kind == &foi_kind_text && m->path && read && (def->text || strstr(m->path, ".mo"));
}

static bool is_named(const fo_model_def *def)
{
    foi_model_place place;
    return foi_model_locate(def, &place, NULL) == FO_OK && place.part[0];
}

static fo_status review_text(fo_model *review, const fo_model_def *def, const fo_model *m,
                             fo_text_review *about)
{
    fo_message why;
    fo_text_model_def text = {.path = m->path,
                              .text = def->text,
                              .libraries = def->libraries,
                              .found = take_finding,
                              .found_self = review,
                              .allocator = review->allocator,
                              .no_units = def->no_units,
                              .allow_external = def->allow_external,
                              .most_work = def->most_work,
                              .manifolds = def->manifolds};
    if (m->status == FO_OK) text.model = m->system.about->name;
    if (def->text && def->length)
        text.text = foi_arena_text(&review->arena, def->text, def->length);
    return text.text || !def->text ? fo_text_check(&text, about, &why) : FO_ERROR_MEMORY;
}

fo_model *fo_model_review(const fo_model_def *def, const fo_model *m, fo_text_review *about)
{
    fo_model *review = foi_new(def->allocator, 1, sizeof *review);
    *about = (fo_text_review){0};
    if (!review) return NULL;
    foi_gate_begin(&review->gate, def);
    review->allocator = def->go_on ? &review->gate.allocator : def->allocator;
    foi_arena_begin(&review->arena, review->allocator, 0);
    review->kind = m->kind;
    bool reviewed = is_reviewed(def, m), runs = m->status == FO_OK;
    if (!reviewed || runs) add_all(review, m);
    uint32_t count = review->finding_count;
    review->status = reviewed ? review_text(review, def, m, about) : m->status;
    bool ended = foi_gate_end(&review->gate);
    if (ended || review->status == FO_ERROR_MEMORY) { // what was not reached is not said
        review->finding_count = count;
        if (!runs) add_all(review, m);
    } else if (reviewed && !runs && (about->runs || is_named(def))) {
        add_lacking(review, m);
    }
    return review;
}
