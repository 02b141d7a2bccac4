/// What all of the language uses: messages, limits.
#include "language/session.h"

#include <string.h>

static void report(foi_session *s, foi_severity severity, foi_place place, const char *format,
                   va_list arguments)
{
    const foi_source *source = place.file < s->source_count ? &s->sources[place.file] : NULL;
    const char *path = s->def->path ? s->def->path : s->def->model ? s->def->model : "model";
    bool inside = s->within && !s->within->is_package && !s->within->frame;
    foi_messages_add(s->messages, severity, source ? source->name : path, place,
                     source ? source->text : NULL, inside ? s->within->name : NULL, format,
                     arguments);
}

bool foi_error(foi_session *s, foi_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(s, FOI_ERROR, place, format, arguments);
    va_end(arguments);
    return false;
}

void foi_warning(foi_session *s, foi_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(s, FOI_WARNING, place, format, arguments);
    va_end(arguments);
}

void foi_note(foi_session *s, foi_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(s, FOI_NOTE, place, format, arguments);
    va_end(arguments);
}

bool foi_work(foi_session *s, foi_place place, uint64_t amount)
{
    if (s->messages->full || s->arena.failed || s->flat->arena.failed || s->hopeless) return false;
    enum { ASK = 1024 }; // after so much, whoever waits is asked whether it is to go on
    bool asks = (s->work + amount) / ASK != s->work / ASK;
    s->work += amount;
    if (asks && !foi_may_go_on(s->def->allocator)) {
        s->hopeless = true;
        return false;
    }
    if (s->work <= s->def->most_work) return true;
    s->hopeless = true;
    return foi_error(s, place, "the model is too large: it needs more than %llu expansions",
                     (unsigned long long)s->def->most_work);
}

bool foi_enter(foi_session *s, foi_place place)
{
    if (!foi_work(s, place, 1)) return false;
    if (!foi_stack_limit_holds(&s->stack)) {
        s->hopeless = true;
        return foi_error(s, place,
                         "nested too deep for the stack of this process (ulimit -s): %d "
                         "levels",
                         s->depth);
    }
    if (s->depth < FOI_DEEPEST) return ++s->depth;
    return foi_error(s, place, "nested too deep: more than %d levels", FOI_DEEPEST);
}

const char *foi_name(foi_session *s, const char *text)
{
    return foi_intern(&s->names, text, strlen(text));
}
