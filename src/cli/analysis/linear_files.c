#include "cli/analysis/linear_files.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/replace.h"

enum { POINTS = 401, GAINS = 401 };

bool columns_write(const command *c, const table_place *place, const number_columns *t)
{
    table_file file;
    if (!table_begin(&file, c)) return false;
    FILE *out = file.out;
    for (int k = 0; k < t->count; k++) fprintf(out, "%s%s", k ? "," : "", t->titles[k]);
    fputc('\n', out);
    for (size_t i = 0; i < t->rows; i++)
        for (int k = 0; k < t->count; k++) {
            put_csv_number(out, t->numbers[i * (size_t)t->count + (size_t)k]);
            fputc(k + 1 < t->count ? ',' : '\n', out);
        }
    return table_end(&file, c, place, t->titles[0]);
}

bool linear_fill_response(const fo_linear *s, number_columns *t)
{
    double low, high, before = NAN;
    fo_linear_range(s, &low, &high);
    for (size_t i = 0; i < t->rows; i++) {
        double *row = t->numbers + 5 * i;
        row[0] = low * pow(high / low, (double)i / (double)(t->rows - 1));
        errno = 0;
        bool good = fo_linear_response(s, 0, 0, row[0], &row[3], &row[4]);
        if (!good && errno == ENOMEM) return false; // and not a pole on the axis
        row[1] = good ? 20 * log10(hypot(row[3], row[4])) : NAN;
        row[2] = good ? atan2(row[4], row[3]) * 57.29577951308232 : NAN;
        if (!isnan(before) && good) row[2] -= 360 * round((row[2] - before) / 360);
        if (good) before = row[2];
        if (!good) row[3] = row[4] = NAN;
    }
    return true;
}

/// The response, of which `which` columns are shown.
static bool write_response(const command *c, const table_place *place, const fo_linear *s,
                           const char *const *titles, const int which[3])
{
    double *all = calloc(5 * POINTS, sizeof *all), *shown = calloc(3 * POINTS, sizeof *shown);
    bool fine = all && shown;
    number_columns full = {titles, 5, POINTS, all}, t = {titles, 3, POINTS, shown};
    fine = fine && linear_fill_response(s, &full);
    for (size_t i = 0; i < 3 * POINTS && fine; i++)
        shown[i] = all[i / 3 * 5 + (size_t)which[i % 3]];
    if (fine)
        fine = columns_write(c, place, &t);
    else
        complain(c, "out of memory");
    free(all);
    free(shown);
    return fine;
}

bool linear_write_nyquist(const command *c, const table_place *place, const fo_linear *s)
{
    static const char *const titles[] = {"omega", "re", "im"};
    return write_response(c, place, s, titles, (const int[]){0, 3, 4});
}

bool linear_write_nichols(const command *c, const table_place *place, const fo_linear *s)
{
    static const char *const titles[] = {"omega", "phase_deg", "gain_dB"};
    return write_response(c, place, s, titles, (const int[]){0, 2, 1});
}

// Gains from 0 over six powers of ten around the one that the loop has where it is largest.
static double gain_at(const fo_linear *s, size_t i)
{
    double low, high, most = 0;
    if (i == 0) return 0;
    fo_linear_range(s, &low, &high);
    for (int k = 0; k <= 20; k++) {
        double re, im, omega = low * pow(high / low, k / 20.0);
        if (fo_linear_response(s, 0, 0, omega, &re, &im)) most = fmax(most, hypot(re, im));
    }
    double middle = most > 0 ? 1 / most : 1;
    return middle * pow(10, -3 + 9.0 * (double)(i - 1) / (GAINS - 2));
}

/// Gains, then the real and imaginary part of every pole; NULL: a message was printed.
static double *find_locus(const command *c, const fo_linear *s)
{
    size_t n = s->states, width = 1 + 2 * n;
    double *numbers = calloc(GAINS * width, sizeof *numbers);
    double *poles = calloc(2 * n + 1, sizeof *poles);
    bool good = numbers && poles;
    for (size_t i = 0; i < GAINS && good; i++) {
        double *row = numbers + i * width;
        errno = 0;
        row[0] = gain_at(s, i);
        fo_status status = fo_linear_locus(s, 0, 0, row[0], poles, poles + n);
        good = status != FO_ERROR_MEMORY && errno != ENOMEM;
        for (size_t k = 0; k < n; k++) {
            row[1 + 2 * k] = status == FO_OK ? poles[k] : NAN;
            row[2 + 2 * k] = status == FO_OK ? poles[n + k] : NAN;
        }
    }
    free(poles);
    if (good) return numbers;
    complain(c, "out of memory");
    free(numbers);
    return NULL;
}

bool linear_write_locus(const command *c, const table_place *place, const fo_linear *s)
{
    size_t n = s->states, width = 1 + 2 * n;
    double *numbers = find_locus(c, s);
    table_file file;
    FILE *out = numbers && table_begin(&file, c) ? file.out : NULL;
    if (out) {
        fputs("gain", out);
        for (size_t k = 0; k < n; k++) fprintf(out, ",re_%zu,im_%zu", k + 1, k + 1);
        for (size_t i = 0; i < GAINS * width; i++) {
            fputc(i % width ? ',' : '\n', out);
            put_csv_number(out, numbers[i]);
        }
        fputc('\n', out);
    }
    free(numbers);
    return out && table_end(&file, c, place, "gain");
}

// ---------------------------------------------------------------------------------------- pictures

static bool draw(const command *c, const gnuplot_request *g, bool overwrite, const char *what,
                 fo_gnuplot_def *def)
{
    char full[4200];
    fo_message why = {0};
    bool drawn = false;
    snprintf(full, sizeof full, "%s-%s", g->path, what);
    def->path = full, def->title = what, def->format = g->format;
    if (!replace_plots(c, full, def->format, overwrite, NULL)) return false;
    if (fo_gnuplot(def, &drawn, &why) == FO_OK) return true;
    complain(c, "%s", why.text);
    return false;
}

// Where the curve comes inside of the unit circle the way past -1 is what matters: what is far
// outside, as towards the pole of an integrator, is left out. Returns how many points are kept.
static size_t come_near(const double *re, const double *im, double *x, double *y)
{
    const double FAR = 4;
    size_t count = 0;
    bool inside = false;
    for (size_t i = 0; i < POINTS; i++) inside |= hypot(re[i], im[i]) < 1;
    for (size_t i = 0; i < POINTS; i++)
        if (!inside || hypot(re[i], im[i]) <= FAR) x[count] = re[i], y[count++] = im[i];
    return count;
}

static bool draw_responses(const command *c, const gnuplot_request *g, bool overwrite,
                           const double *columns_of[5])
{
    static const fo_panel panels[] = {{NULL, "gain [dB]", false},
                                      {"log10 omega [rad/s]", "phase [degrees]", false}};
    const fo_curve bode[] = {{NULL, columns_of[0], columns_of[1], POINTS, FO_CURVE_LINES, 0},
                             {NULL, columns_of[0], columns_of[2], POINTS, FO_CURVE_LINES, 1}};
    static const double minus = -1, half = -180, zero = 0;
    double x[POINTS], y[POINTS];
    size_t near = come_near(columns_of[3], columns_of[4], x, y);
    const fo_curve nyquist[] = {{"response", x, y, near, FO_CURVE_LINES, 0},
                                {"-1", &minus, &zero, 1, FO_CURVE_POINTS, 0}};
    const fo_curve nichols[] = {
        {"response", columns_of[2], columns_of[1], POINTS, FO_CURVE_LINES, 0},
        {"-1", &half, &zero, 1, FO_CURVE_POINTS, 0}};
    fo_gnuplot_def def = fo_default_gnuplot_def();
    def.curves = bode, def.count = 2, def.panels = panels, def.panel_count = 2;
    bool fine = draw(c, g, overwrite, "bode", &def);
    def = fo_default_gnuplot_def();
    def.curves = nyquist, def.count = 2, def.x_label = "real", def.y_label = "imaginary";
    if (fine) fine = draw(c, g, overwrite, "nyquist", &def);
    def.curves = nichols, def.x_label = "phase [degrees]", def.y_label = "gain [dB]";
    return fine && draw(c, g, overwrite, "nichols", &def);
}

static bool draw_locus(const command *c, const gnuplot_request *g, bool overwrite,
                       const fo_linear *s)
{
    size_t n = s->states, width = 1 + 2 * n;
    double *numbers = find_locus(c, s), *x = calloc(2 * n * GAINS + 1, sizeof *x);
    bool fine = numbers && x;
    size_t count = 0;
    for (size_t i = 0; i < GAINS && fine; i++)
        for (size_t k = 0; k < n; k++, count++) {
            x[count] = numbers[i * width + 1 + 2 * k];
            x[n * GAINS + count] = numbers[i * width + 2 + 2 * k];
        }
    const fo_curve curve = {NULL, x, x + n * GAINS, count, FO_CURVE_POINTS, 0};
    fo_gnuplot_def def = fo_default_gnuplot_def();
    def.curves = &curve, def.count = 1, def.x_label = "real [1/s]", def.y_label = "imaginary [1/s]";
    if (fine) fine = draw(c, g, overwrite, "locus", &def);
    free(numbers);
    free(x);
    return fine;
}

bool linear_draw(const command *c, const gnuplot_request *g, bool overwrite, const fo_linear *s)
{
    double *numbers = calloc(10 * POINTS, sizeof *numbers), *by_columns = numbers + 5 * POINTS;
    if (!numbers) return complain(c, "out of memory"), false;
    number_columns t = {NULL, 5, POINTS, numbers};
    const double *list[5];
    if (!linear_fill_response(s, &t)) {
        free(numbers);
        return complain(c, "out of memory"), false;
    }
    for (size_t k = 0; k < 5; k++) {
        list[k] = by_columns + k * POINTS;
        for (size_t i = 0; i < POINTS; i++)
            by_columns[k * POINTS + i] = k ? numbers[5 * i + k] : log10(numbers[5 * i]);
    }
    bool fine = draw_responses(c, g, overwrite, list) && draw_locus(c, g, overwrite, s);
    free(numbers);
    return fine;
}

// ------------------------------------------------------------------------------------- MAT-files

// Level 4: five numbers of 32 bits (type, rows, columns, no imaginary part, length of the name),
// the name with its zero, and the entries by columns. Type 0 is doubles in little endian, 1000 in
// big.
static void put_matrix(FILE *out, const char *name, const double *a, size_t rows, size_t columns)
{
    const uint16_t probe = 1;
    bool little = *(const unsigned char *)&probe == 1;
    const int32_t header[5] = {little ? 0 : 1000, (int32_t)rows, (int32_t)columns, 0,
                               (int32_t)strlen(name) + 1};
    fwrite(header, sizeof header, 1, out);
    fwrite(name, strlen(name) + 1, 1, out);
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < rows; i++) fwrite(&a[i * columns + k], sizeof *a, 1, out);
}

bool linear_write_mat(const command *c, const table_place *place, const fo_linear *s)
{
    table_file file;
    if (!table_begin(&file, c)) return false;
    FILE *out = file.out;
    put_matrix(out, "A", s->a, s->states, s->states);
    put_matrix(out, "B", s->b, s->states, s->inputs);
    put_matrix(out, "C", s->c, s->outputs, s->states);
    put_matrix(out, "D", s->d, s->outputs, s->inputs);
    return table_end(&file, c, place, "");
}
