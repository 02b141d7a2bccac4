#include "cli/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

// ------------------------------------------------------------------------------------------ making

static bool add_states(surface *s, size_t count)
{
    s->signals = calloc(count + 1, sizeof *s->signals);
    s->count = s->signals ? count : 0;
    s->lacked = !s->signals;
    return s->signals;
}

// The nodes of the layer in the middle.
static bool make_field(surface *s, const fo_field *field)
{
    s->field = field;
    s->dimensions = fo_field_size(field, s->size, s->length);
    size_t layer = (size_t)s->size[0] * s->size[1];
    if (!add_states(s, layer)) return false;
    for (uint32_t j = 0; j < s->size[1]; j++)
        for (uint32_t i = 0; i < s->size[0]; i++)
            s->signals[(size_t)j * s->size[0] + i] =
                (fo_reference){FO_STATE, fo_field_index(field, i, j, s->size[2] / 2)};
    return true;
}

static bool make_structure(surface *s, const fo_structure *structure)
{
    uint32_t nodes = fo_structure_nodes(structure);
    s->structure = structure;
    s->dimensions = (uint32_t)fo_structure_dimension(structure);
    if (s->dimensions < 2 || !fo_structure_springs(structure)) return false;
    if (!add_states(s, (size_t)nodes * s->dimensions)) return false;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t axis = 0; axis < s->dimensions; axis++)
            s->signals[node * s->dimensions + axis] =
                (fo_reference){FO_STATE, fo_structure_state(structure, node, (int)axis)};
    return true;
}

bool surface_make(surface *s, const fo_model *m)
{
    const fo_structure_document *d = fo_model_structure(m);
    const fo_structure *structure = d ? fo_structure_document_structure(d) : NULL;
    *s = (surface){0};
    if (fo_model_field(m)) return make_field(s, fo_model_field(m));
    return structure && make_structure(s, structure);
}

void surface_free(surface *s)
{
    free(s->signals);
    *s = (surface){0};
}

// ----------------------------------------------------------------------------------------- drawing

static void widen(surface *s, const double *values)
{
    if (!(s->lo < s->hi)) s->lo = INFINITY, s->hi = -INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (isfinite(values[i])) s->lo = fmin(s->lo, values[i]), s->hi = fmax(s->hi, values[i]);
    if (s->lo > s->hi) s->lo = s->hi = 0;
}

static fo_status print_field(surface *s, const double *values, FILE *out, const surface_frame *f)
{
    fo_heat_def def = fo_default_heat_def();
    widen(s, values);
    def.values = values, def.columns = s->size[0], def.rows = s->size[1];
    def.shape = s->length[1] > 0 ? s->length[0] / s->length[1] : 0;
    def.lo = s->lo, def.hi = s->hi;
    def.title = f->title, def.width = f->width, def.height = f->height;
    def.ascii = f->ascii, def.colour = f->colour, def.graphics = f->graphics;
    def.true_colour = surface_true_colour();
    return fo_heat_map(out, &def);
}

// A field along a line is a curve over the place.
static fo_status print_line(surface *s, const double *values, FILE *out, const surface_frame *f)
{
    static const size_t first = 0;
    static const char *const name = "value";
    fo_table *table = fo_table_create(1, NULL);
    if (!table) return FO_ERROR_MEMORY;
    fo_observer into = fo_table_observer(table, NULL, 0);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < s->size[0] && status == FO_OK; i++) {
        double x = s->size[0] > 1 ? s->length[0] * i / (s->size[0] - 1) : 0;
        const fo_row row = {FO_ROW_SAMPLE, x, 0, &values[i], 1};
        status = into.row(into.self, &row, NULL);
    }
    fo_plot_def def = fo_default_plot_def();
    def.table = table, def.signals = &first, def.names = &name, def.count = 1;
    def.title = f->title, def.x_label = "x [m]", def.width = f->width, def.height = f->height;
    def.ascii = f->ascii, def.colour = f->colour;
    if (status == FO_OK) status = fo_plot(out, &def);
    fo_table_destroy(table);
    return status;
}

// A point on the paper: of three axes the third goes up, the second to the back.
static void project(const surface *s, const double *p, double *x, double *y)
{
    *x = p[0], *y = p[1];
    if (s->dimensions == 3) *x = p[0] + 0.4 * p[1], *y = p[2] + 0.3 * p[1];
}

static fo_status print_structure(surface *s, const double *values, FILE *out,
                                 const surface_frame *f)
{
    uint32_t springs = fo_structure_springs(s->structure);
    fo_line *lines = calloc(springs + 1, sizeof *lines);
    double *b = s->bounds;
    bool first = b[0] >= b[2] && b[1] >= b[3];
    if (!lines) return FO_ERROR_MEMORY;
    if (first) b[0] = b[1] = INFINITY, b[2] = b[3] = -INFINITY;
    for (uint32_t i = 0; i < springs; i++) {
        uint32_t ends[2];
        fo_structure_spring(s->structure, i, ends);
        for (int end = 0; end < 2; end++) {
            double x, y;
            project(s, values + ends[end] * s->dimensions, &x, &y);
            lines[i].x[end] = x, lines[i].y[end] = y;
            if (!isfinite(x) || !isfinite(y)) continue;
            b[0] = fmin(b[0], x), b[1] = fmin(b[1], y), b[2] = fmax(b[2], x), b[3] = fmax(b[3], y);
        }
    }
    fo_drawing_def def = {.lines = lines,
                          .count = springs,
                          .title = f->title,
                          .width = f->width,
                          .height = f->height,
                          .ascii = f->ascii,
                          .colour = f->colour};
    memcpy(def.bounds, b, sizeof def.bounds);
    fo_status status = fo_draw_lines(out, &def);
    free(lines);
    return status;
}

fo_status surface_print(surface *s, const double *values, FILE *out, const surface_frame *f)
{
    if (s->structure) return print_structure(s, values, out, f);
    if (s->dimensions == 1) return print_line(s, values, out, f);
    return print_field(s, values, out, f);
}

// ------------------------------------------------------------------------------------------ beside

// How many columns the first `length` bytes take on the screen.
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033') {
            while (i < length && text[i] != 'm') i++;
            continue;
        }
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return columns;
}

static size_t put_line(FILE *out, const char *text)
{
    size_t length = strcspn(text, "\n");
    fwrite(text, 1, length, out);
    return length + (text[length] == '\n');
}

void surface_beside(FILE *out, const char *left, int width, const char *right, int height)
{
    for (int line = 0; line < height && (*left || *right); line++) {
        int used = columns_of(left, strcspn(left, "\n"));
        left += put_line(out, left);
        for (int i = used; i < width && *right && *right != '\n'; i++) fputc(' ', out);
        right += put_line(out, right);
        fputc('\n', out);
    }
}

// --------------------------------------------------------------------------------------- terminals

fo_graphics surface_graphics(FILE *out)
{
    const char *wish = getenv("FOLIOT_GRAPHICS"), *term = getenv("TERM");
    if (wish && strcmp(wish, "text") == 0) return FO_GRAPHICS_TEXT;
    if (wish && strcmp(wish, "kitty") == 0) return FO_GRAPHICS_KITTY;
    if (wish && strcmp(wish, "sixel") == 0) return FO_GRAPHICS_SIXEL;
    if (!terminal_has_colour(out) || getenv("TMUX") || !term) return FO_GRAPHICS_TEXT;
    if (getenv("KITTY_WINDOW_ID") || strstr(term, "kitty") || strstr(term, "ghostty"))
        return FO_GRAPHICS_KITTY;
    bool sixel = strstr(term, "sixel") || strncmp(term, "foot", 4) == 0 ||
                 strncmp(term, "mlterm", 6) == 0 || strncmp(term, "contour", 7) == 0;
    return sixel ? FO_GRAPHICS_SIXEL : FO_GRAPHICS_TEXT;
}

bool surface_true_colour(void)
{
    const char *colours = getenv("COLORTERM");
    return colours && (strstr(colours, "truecolor") || strstr(colours, "24bit"));
}
