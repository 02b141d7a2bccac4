/// Texts: messages of asserts and terminate, and what functions make of texts. A text is known
/// before the run, up to the values in it: each is a mark in the text, and a word that says what
/// goes there.
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"

static fo_status one_word(foi_equations *e, foi_word word, foi_text *text)
{
    foi_word *kept = foi_arena_new(&e->texts, 1, sizeof *kept);
    const char *mark = foi_arena_print(&e->texts, "%c", FOI_WORD_MARK);
    if (!kept || !mark) return foi_equations_no_memory(e);
    *kept = word;
    *text = (foi_text){mark, kept, 1};
    return FO_OK;
}

static fo_status join(foi_equations *e, foi_text a, foi_text b, foi_text *text)
{
    foi_word *words = foi_arena_new(&e->texts, (size_t)a.count + b.count, sizeof *words);
    const char *all = foi_arena_print(&e->texts, "%s%s", a.text, b.text);
    if (!words || !all) return foi_equations_no_memory(e);
    if (a.count) memcpy(words, a.words, a.count * sizeof *words);
    if (b.count) memcpy(words + a.count, b.words, b.count * sizeof *words);
    *text = (foi_text){all, words, a.count + b.count};
    return FO_OK;
}

enum { MOST_WORDS = 2000 };

// What a user has written holds no marks.
static const char *without_marks(foi_equations *e, const char *text)
{
    if (!strchr(text, FOI_WORD_MARK) && !strchr(text, FOI_WORD_END)) return text;
    char *copy = foi_arena_text(&e->texts, text, strlen(text));
    for (char *c = copy; c && *c; c++)
        if (*c == FOI_WORD_MARK || *c == FOI_WORD_END) *c = '?';
    return copy ? copy : "";
}

// The text where the condition is true, nothing elsewhere.
static fo_status gated(foi_equations *e, foi_node condition, foi_text of, foi_text *text)
{
    foi_text gate, end = {foi_arena_print(&e->texts, "%c", FOI_WORD_END), NULL, 0};
    foi_word word = {.value = condition, .type = FOI_BOOLEAN, .gate = true};
    if (!end.text) return foi_equations_no_memory(e);
    fo_status status = one_word(e, word, &gate);
    if (status == FO_OK) status = join(e, gate, of, &of);
    return status == FO_OK ? join(e, of, end, text) : status;
}

/// A text as one of several, counted from 1.
typedef struct options {
    const char *const *list;
    uint32_t count;
    foi_node which;
} options;

// False: there are values in it.
static bool options_of(foi_equations *e, const foi_text *text, options *o)
{
    *o = (options){&text->text, 1, foi_constant(&e->g, 1)};
    if (!text->count) return true;
    const foi_word *w = text->words;
    bool alone = text->count == 1 && strlen(text->text) == 1;
    if (!alone || !w->literals || w->format || w->gate) return false;
    *o = (options){w->literals, 0, w->value};
    while (o->list[o->count]) o->count++;
    return true;
}

// One of two texts, by a condition: if that is known in the run only, a word with literals, or
// both, each behind a gate.
static fo_status choose(foi_equations *e, foi_node condition, foi_text yes, foi_text no,
                        foi_place place, foi_text *text)
{
    foi_graph *g = &e->g;
    options a, b;
    if (foi_is_constant(g, condition)) {
        *text = foi_constant_value(g, condition) != 0 ? yes : no;
        return FO_OK;
    }
    if (!options_of(e, &yes, &a) || !options_of(e, &no, &b)) {
        if ((size_t)yes.count + no.count > MOST_WORDS) // each turn of a loop may double it
            return foi_equations_fail(e, place, FO_ERROR_UNFIT,
                                      "the text has more than %d values and choices", MOST_WORDS);
        fo_status status = gated(e, condition, yes, &yes);
        if (status == FO_OK) status = gated(e, foi_make(g, FOI_G_NOT, condition, 0, 0), no, &no);
        return status == FO_OK ? join(e, yes, no, text) : status;
    }
    const char **literals =
        foi_arena_new(&e->texts, (size_t)a.count + b.count + 1, sizeof *literals);
    if (!literals) return foi_equations_no_memory(e);
    memcpy(literals, a.list, a.count * sizeof *literals);
    memcpy(literals + a.count, b.list, b.count * sizeof *literals);
    foi_node other = foi_add(g, b.which, foi_constant(g, a.count));
    foi_node which = foi_make(g, FOI_G_IF, condition, a.which, other);
    return one_word(e, (foi_word){which, FOI_INTEGER, literals, NULL}, text);
}

static fo_status value_text(foi_equations *e, const foi_flat_expr *x, const char *format,
                            foi_place place, foi_text *text)
{
    foi_word w = {.type = x->type, .format = format};
    fo_status status = foi_lower(e, x, false, place, &w.value);
    if (x->op == FOI_OP_VARIABLE) w.literals = x->variable->literals;
    return status == FO_OK ? one_word(e, w, text) : status;
}

static fo_status result_text(foi_equations *e, const foi_flat_expr *x, foi_place place,
                             foi_text *text)
{
    uint32_t count = x->call->function->input_count;
    foi_node *arguments = foi_new(e->allocator, count, sizeof *arguments), node;
    fo_status status = arguments ? FO_OK : foi_equations_no_memory(e);
    for (uint32_t i = 0; i < count && status == FO_OK; i++)
        if (x->call->arguments[i]->type != FOI_STRING)
            status = foi_lower(e, x->call->arguments[i], false, place, &arguments[i]);
    if (status == FO_OK)
        status = foi_lower_call(e, x->call, arguments, x->result, e->where, &node, text);
    if (status == FO_OK && !text->text) text->text = "";
    foi_free(e->allocator, arguments);
    return status;
}

static fo_status either_text(foi_equations *e, const foi_flat_expr *x, foi_place place,
                             foi_text *text)
{
    foi_node condition;
    foi_text yes, no;
    fo_status status = foi_lower(e, x->arguments[0], false, place, &condition);
    if (status == FO_OK) status = foi_lower_text(e, x->arguments[1], place, &yes);
    if (status == FO_OK) status = foi_lower_text(e, x->arguments[2], place, &no);
    return status == FO_OK ? choose(e, condition, yes, no, place, text) : status;
}

static foi_text text_of_local(const foi_equations *e, const foi_flat_variable *v)
{
    foi_text text = e->scope->texts[v->index];
    if (!text.text) text.text = "";
    return text;
}

// The element that is meant, or, where the run decides, a choice of all.
static fo_status element_text(foi_equations *e, const foi_flat_expr *x, foi_place place,
                              foi_text *text)
{
    const foi_flat_array *array = x->array;
    foi_node offset;
    fo_status status = foi_lower_offset(e, x, place, &offset);
    *text = array->count ? text_of_local(e, array->elements[0]) : (foi_text){.text = ""};
    for (uint32_t i = 1; i < array->count && status == FO_OK; i++) {
        foi_node here = foi_make(&e->g, FOI_G_EQUAL, offset, foi_constant(&e->g, i), 0);
        status = choose(e, here, text_of_local(e, array->elements[i]), *text, place, text);
    }
    return status;
}

fo_status foi_lower_text(foi_equations *e, const foi_flat_expr *x, foi_place place, foi_text *text)
{
    bool texts = e->scope && e->scope->texts;
    *text = (foi_text){.text = "..."};
    if (x->op == FOI_OP_STRING) {
        text->text = without_marks(e, x->text);
    } else if (x->op == FOI_OP_ADD && x->count == 2) {
        foi_text a, b;
        fo_status status = foi_lower_text(e, x->arguments[0], place, &a);
        if (status == FO_OK) status = foi_lower_text(e, x->arguments[1], place, &b);
        return status == FO_OK ? join(e, a, b, text) : status;
    } else if (x->op == FOI_OP_VARIABLE && x->variable->local && texts) {
        *text = text_of_local(e, x->variable);
    } else if (x->op == FOI_OP_ELEMENT && x->array->count && x->array->elements[0]->local &&
               texts) {
        return element_text(e, x, place, text);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_STRING) {
        return value_text(e, x->arguments[0], x->text, place, text);
    } else if (x->op == FOI_OP_RESULT) {
        return result_text(e, x, place, text);
    } else if (x->op == FOI_OP_IF) {
        return either_text(e, x, place, text);
    }
    return FO_OK;
}

fo_status foi_assign_text(foi_equations *e, const foi_flat_variable *v, foi_node mask,
                          foi_text text, foi_place place)
{
    foi_text *to = &e->scope->texts[v->index], old = *to;
    if (!old.text || old.under == mask + 1) { // nothing is lost: elsewhere it has no value
        *to = text;
        to->under = foi_is_number(&e->g, mask, 1) ? 0 : mask + 1;
        return FO_OK;
    }
    return choose(e, mask, text, old, place, to);
}

fo_status foi_lower_message(foi_equations *e, const foi_flat_expr *m, foi_action *a)
{
    foi_text text = {.text = ""};
    fo_status status = m ? foi_lower_text(e, m, a->place, &text) : FO_OK;
    a->message = text.text, a->word = (uint32_t)e->word_count, a->word_count = text.count;
    if (status != FO_OK || !text.count) return status;
    if (!foi_array_room(e->allocator, &e->words, &e->word_room, e->word_count + text.count,
                        sizeof *e->words))
        return foi_equations_no_memory(e);
    memcpy(e->words + e->word_count, text.words, text.count * sizeof *e->words);
    e->word_count += text.count;
    return FO_OK;
}
