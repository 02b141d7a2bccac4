#include "cli/live/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"

// The terminal as it was, for a signal that ends the program in the middle of something.
static struct termios before;

static void restore(void)
{
    static const char screen[] = "\033[?25h\033[?1049l";
    ssize_t n = isatty(STDOUT_FILENO) ? write(STDOUT_FILENO, screen, sizeof screen - 1) : 0;
    (void)n;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

bool keys_begin(keys *k, fo_system system, const fo_state *state)
{
    uint32_t count = state->shape.parameters;
    *k = (keys){.system = system, .strength = 0.3};
    k->values = malloc((count + 1) * sizeof *k->values);
    if (!k->values) return false;
    if (count) memcpy(k->values, state->p, count * sizeof *k->values);
    if (tcgetattr(STDIN_FILENO, &k->before) != 0) return false;
    struct termios raw = k->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    k->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    if (k->raw) {
        before = k->before;
        interrupt_leave_by(restore);
    }
    return k->raw;
}

void keys_end(keys *k)
{
    interrupt_leave_by(NULL);
    if (k->raw) tcsetattr(STDIN_FILENO, TCSANOW, &k->before);
    k->raw = false;
    free(k->values);
    k->values = NULL;
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
    uint32_t count = (uint32_t)k->system.about->parameters.count;
    if (count) k->selected = (k->selected + count + (uint32_t)by) % count;
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

// Within its bounds. What is fixed stays, and the answer to the line says so.
static bool slide(keys *k, int way, char *line)
{
    fo_variables list = k->system.about->parameters;
    if (!list.count) return false;
    const fo_variable *v = &list.list[k->selected];
    double *value = &k->values[k->selected];
    double to = slid(v, *value, way);
    bool fixed =
        v->variability == FO_VARIABILITY_FIXED || v->variability == FO_VARIABILITY_CONSTANT;
    if (v->min != 0 || v->max != 0) to = fmin(fmax(to, v->min), v->max);
    if (!fixed) *value = to;
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

const char *keys_slider(const keys *k, char *text, size_t size)
{
    enum { TRACK = 20 };
    fo_variables list = k->system.about->parameters;
    text[0] = 0;
    if (!list.count || !k->values) return text;
    const fo_variable *v = &list.list[k->selected];
    double value = k->values[k->selected], lo = v->min, hi = v->max;
    if (lo == 0 && hi == 0) lo = fmin(0, 2 * v->start), hi = fmax(0, 2 * v->start);
    if (!(hi > lo)) hi = lo + 1;
    int at = (int)lround(TRACK * fmin(fmax((value - lo) / (hi - lo), 0), 1));
    char track[TRACK + 2];
    memset(track, '-', TRACK + 1);
    track[at] = 'o', track[TRACK + 1] = 0;
    const char *unit = v->unit && *v->unit ? v->unit : NULL;
    snprintf(text, size, "%s%s%s%s = %-8.4g |%s|  strength %.3g", v->name, unit ? " [" : "",
             unit ? unit : "", unit ? "]" : "", value, track, k->strength);
    return text;
}
