#include "cli/picture.h"

#include <string.h>

#include "cli/terminal.h"

enum { NAME = 96, TOGETHER = 8 };

/// The signals of one unit.
typedef struct panel {
    size_t signals[TOGETHER];
    char names[TOGETHER][NAME];
    size_t count;
} panel;

static const char *unit_of(const picture *p, size_t signal)
{
    const fo_variable *v = fo_system_variable(p->system, p->signals.list[signal]);
    return v && v->unit ? v->unit : "";
}

// Collects the signals with the unit of the first one that is not drawn yet.
static panel next_panel(const picture *p, bool *drawn)
{
    panel result = {.count = 0};
    const char *unit = NULL;
    for (size_t i = 0; i < p->signals.count && result.count < TOGETHER; i++) {
        if (drawn[i] || (unit && strcmp(unit, unit_of(p, i)) != 0)) continue;
        unit = unit_of(p, i);
        char name[NAME / 2];
        fo_system_name(p->system, p->signals.list[i], name, sizeof name);
        snprintf(result.names[result.count], NAME, *unit ? "%s [%.32s]" : "%s", name, unit);
        result.signals[result.count++] = i;
        drawn[i] = true;
    }
    return result;
}

static size_t panel_count(const picture *p)
{
    bool drawn[64] = {false};
    size_t count = 0;
    while (next_panel(p, drawn).count) count++;
    return count;
}

static fo_status print_panel(const picture *p, const panel *one, const char *title, size_t panels,
                             FILE *out)
{
    const char *names[TOGETHER];
    for (size_t i = 0; i < one->count; i++) names[i] = one->names[i];
    int width = terminal_width(out) - (terminal_is(out) ? 1 : 0);
    fo_plot_def def = {.table = p->table,
                       .signals = one->signals,
                       .names = names,
                       .count = one->count,
                       .title = title,
                       .width = width > 110 ? 110 : width,
                       .height = panels == 1   ? 18
                                 : panels == 2 ? 13
                                               : 10,
                       .ascii = p->ascii || !terminal_has_unicode(),
                       .colour = terminal_has_colour(out)};
    return fo_plot(out, &def);
}

void picture_print(const picture *p, FILE *out)
{
    bool drawn[64] = {false};
    if (!p->table || p->signals.count > sizeof drawn) return;
    size_t panels = panel_count(p);
    for (size_t i = 0; i < panels; i++) {
        panel one = next_panel(p, drawn);
        fputc('\n', out);
        if (fo_failed(print_panel(p, &one, i ? NULL : p->system.about->name, panels, out))) return;
    }
}
