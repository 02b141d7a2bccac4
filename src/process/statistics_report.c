#include <foliot/statistics.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "process/statistics_report.h"

// The columns of jDisco: title 12 wide, count 7, numbers 10.

void foi_print_number(FILE *out, double x)
{
    char text[352]; // the longest double in fixed notation
    if (!isfinite(x)) {
        fprintf(out, "%10s", isnan(x) ? "-" : x > 0 ? "infinity" : "-infinity");
        return;
    }
    bool lost = x != 0 && fabs(x) < 0.0005;
    int decimals = lost ? -1 : 3;
    while (decimals >= 0 && snprintf(text, sizeof text, "%.*f", decimals, x) > 9) decimals--;
    if (decimals >= 0)
        fprintf(out, "%10s", text);
    else
        fprintf(out, "%10.2e", x);
}

fo_status foi_written(FILE *out)
{
    return ferror(out) ? FO_ERROR_INPUT : FO_OK;
}

static void print_start(FILE *out, const char *title, double start, uint64_t count)
{
    fprintf(out, "%12.12s", title ? title : "");
    foi_print_number(out, start);
    fprintf(out, "%7" PRIu64, count);
}

fo_status fo_report_heading(FILE *out)
{
    fputs("title       /  (re)set/   obs/  average/est.st.dv/  minimum/  maximum/    conf./\n",
          out);
    return foi_written(out);
}

void foi_print_tally(FILE *out, const fo_tally *tally, double deviation)
{
    print_start(out, tally->title, tally->start, tally->count);
    bool some = tally->count > 0;
    foi_print_number(out, some ? tally->mean : NAN);
    foi_print_number(out, deviation);
    foi_print_number(out, some ? tally->min : NAN);
    foi_print_number(out, some ? tally->max : NAN);
    foi_print_number(out, fo_tally_half_width(tally, 0.95));
    fputc('\n', out);
}

fo_status fo_tally_report(FILE *out, const fo_tally *tally)
{
    foi_print_tally(out, tally, fo_tally_deviation(tally));
    return foi_written(out);
}

fo_status fo_accumulate_report(FILE *out, const fo_accumulate *a, double now)
{
    print_start(out, a->title, a->start, a->count);
    foi_print_number(out, fo_accumulate_mean(a, now));
    foi_print_number(out, fo_accumulate_deviation(a, now));
    foi_print_number(out, a->min);
    foi_print_number(out, a->max);
    foi_print_number(out, NAN);
    fputc('\n', out);
    return foi_written(out);
}
