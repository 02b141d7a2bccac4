#include "cli/live/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool changes(const fo_variable *v)
{
    return v && v->variability != FO_VARIABILITY_FIXED && v->variability != FO_VARIABILITY_CONSTANT;
}

// Inputs first: they are made to be touched.
static bool list_items(keys *k, const fo_state *state)
{
    const struct {
        fo_quantity quantity;
        uint32_t count;
        const double *from;
    } all[] = {{FO_INPUT, state->shape.inputs, state->u},
               {FO_PARAMETER, state->shape.parameters, state->p}};
    size_t most = (size_t)all[0].count + all[1].count + 1;
    k->values = calloc(most, sizeof *k->values);
    k->items = calloc(most, sizeof *k->items);
    if (!k->values || !k->items) return false;
    for (size_t q = 0; q < 2; q++)
        for (uint32_t i = 0; i < all[q].count; i++) {
            const fo_reference which = {all[q].quantity, i};
            if (!changes(fo_system_variable(k->system, which))) continue;
            k->values[k->count] = all[q].from[i];
            k->items[k->count++] = which;
        }
    // whole numbers are mostly sizes, which are a large change for a first touch
    while (k->selected < k->count &&
           fo_system_variable(k->system, k->items[k->selected])->type != FO_REAL)
        k->selected++;
    if (k->selected == k->count) k->selected = 0;
    return true;
}

bool keys_begin(keys *k, fo_system system, const fo_state *state)
{
    *k = (keys){.system = system, .strength = 0.3};
    if (!list_items(k, state) || tcgetattr(STDIN_FILENO, &k->before) != 0) return false;
    return keys_wake(k);
}

bool keys_wake(keys *k)
{
    struct termios raw = k->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    k->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    return k->raw;
}

void keys_rest(keys *k)
{
    if (k->raw) tcsetattr(STDIN_FILENO, TCSANOW, &k->before);
    k->raw = false;
}

void keys_end(keys *k)
{
    keys_rest(k);
    free(k->values);
    free(k->items);
    k->values = NULL, k->items = NULL, k->count = 0;
}

static bool say(char *line, const char *word, double value)
{
    snprintf(line, KEYS_LINE, "%s %.15g", word, value);
    return true;
}

// Event number `index` with the present strength.
static bool tap(const keys *k, size_t index, char *line)
{
    fo_events events = k->system.about->events;
    return index < events.count && say(line, events.list[index].name, k->strength);
}

static void select_next(keys *k, int by)
{
    if (k->count) k->selected = (k->selected + k->count + (uint32_t)by) % k->count;
}

// A twentieth more or less of the value; of its start value near zero. Whole numbers go by one, and
// a boolean is switched on and off.
static double slid(const fo_variable *v, double value, int way)
{
    double size = fmax(fabs(value), fabs(v->start));
    double to = value + way * (size > 0 ? size / 20 : 0.05);
    if (v->type == FO_BOOLEAN) return value == 0;
    if (v->type != FO_REAL) return value + way;
    return fabs(to) < 1e-12 * size ? 0 : to;
}

// Within its bounds.
static bool slide(keys *k, int way, char *line)
{
    if (!k->count) return false;
    const fo_variable *v = fo_system_variable(k->system, k->items[k->selected]);
    double *value = &k->values[k->selected];
    double to = slid(v, *value, way);
    if (v->min != 0 || v->max != 0) to = fmin(fmax(to, v->min), v->max);
    *value = to;
    snprintf(line, KEYS_LINE, "set %.100s %.15g", v->name, *value);
    return true;
}

static bool arrow(keys *k, char which, char *line)
{
    switch (which) {
    case 'A': return slide(k, 1, line);
    case 'B': return slide(k, -1, line);
    case 'C': select_next(k, 1); break;
    case 'D': select_next(k, -1); break;
    default: break;
    }
    return false;
}

static bool single(keys *k, char key, double speed, char *line)
{
    if (key >= '1' && key <= '9') return tap(k, (size_t)(key - '1'), line);
    switch (key) {
    case 't': return tap(k, 0, line);
    case 'T': k->strength = -k->strength; return tap(k, 0, line);
    case ')': k->strength *= 1.25; break;
    case '(': k->strength /= 1.25; break;
    case ' ': strcpy(line, "space"); return true;
    case '.': strcpy(line, "step"); return true;
    case 'b': strcpy(line, "back 1"); return true;
    case '+':
    case '=': return say(line, "speed", fmin(speed * 1.25, 1e6));
    case '-': return say(line, "speed", fmax(speed / 1.25, 1e-6));
    case '0': return say(line, "speed", 1);
    case 'q': strcpy(line, "quit"); return true;
    case 'k': return slide(k, 1, line);
    case 'j': return slide(k, -1, line);
    case 'l': select_next(k, 1); break;
    case 'h': select_next(k, -1); break;
    default: break;
    }
    return false;
}

// Arrows come as ESC [ A.
bool keys_take(keys *k, char byte, double speed, char *line)
{
    if (k->pending_used == 0 && byte != '\033') return single(k, byte, speed, line);
    if (k->pending_used == 1 && byte != '[' && byte != 'O') {
        k->pending_used = 0;
        return byte != '\033' && single(k, byte, speed, line);
    }
    if (k->pending_used < 2) {
        k->pending_used++;
        return false;
    }
    bool last = byte >= '@';
    if (last) k->pending_used = 0;
    return last && arrow(k, byte, line);
}

// What has no room is left out: first the strength, then a part of the track, then all of it.
const char *keys_slider(const keys *k, int width, char *text, size_t size)
{
    enum { TRACK = 20, SHORT = 8 };
    text[0] = 0;
    if (!k->count) return text;
    const fo_variable *v = fo_system_variable(k->system, k->items[k->selected]);
    double value = k->values[k->selected], lo = v->min, hi = v->max;
    if (lo == 0 && hi == 0) lo = fmin(0, 2 * v->start), hi = fmax(0, 2 * v->start);
    if (!(hi > lo) || isinf(lo) || isinf(hi)) lo = fmin(0, 2 * value), hi = fmax(lo + 1, 2 * value);
    const char *unit = v->unit && *v->unit ? v->unit : NULL;
    int used = snprintf(text, size, "%.60s%s%s%s = %-8.4g", v->name, unit ? " [" : "",
                        unit ? unit : "", unit ? "]" : "", value);
    int track = used + TRACK + 4 <= width ? TRACK : used + SHORT + 4 <= width ? SHORT : 0;
    if (!track) return text;
    char line[TRACK + 2];
    int at = (int)lround(track * fmin(fmax((value - lo) / (hi - lo), 0), 1));
    memset(line, '-', (size_t)track + 1);
    line[at] = 'o', line[track + 1] = 0;
    used += snprintf(text + used, size - (size_t)used, " |%s|", line);
    if (k->system.about->events.count && used + 17 <= width)
        snprintf(text + used, size - (size_t)used, "  strength %.3g", k->strength);
    return text;
}
