// The advance action: how many frames a second the three models of the document could have, beside
// its tables 9.1 to 9.3, and how well a model of 100 states keeps time at 1 kHz, beside a loop that
// does nothing but sleep.
#include <foliot/live.h>
#include <gallery.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include "bench.h"

// -------------------------------------------------------------------------------------- frames

/// A row of the tables: frames a second before and after optimisation on a SPARC station, and on a
/// Pentium 133.
typedef struct table_row {
    const char *model, *solver;
    double before, after, pentium;
} table_row;

static const table_row tables[] = {
    {"pendulum", "rk4", 19, 25.5, 67},
    {"pendulum", "midpoint", 19.5, 26.5, 67},
    {"pendulum", "euler", 19.5, 27, 67.5},
    {"pendulum", "nystrom", 19.5, 25.5, 67},
    {"ball", "rk4", 11.5, 14.5, 34.5},
    {"ball", "midpoint", 12, 15, 36},
    {"ball", "euler", 12.5, 15.5, 37},
    {"double-pendulum", "rk4", 13.5, 16, 52},
    {"double-pendulum", "midpoint", 16, 19, 58},
    {"double-pendulum", "euler", 17.5, 20, 60},
    {"double-pendulum", "nystrom", 16.5, 20, 57.5},
};

enum { FRAMES = 20000, PICTURES = 400 };
static const int64_t FRAME = 16666667; // [ns]

typedef struct film {
    const table_row *row;
    bool draws;
    uint64_t steps;
} film;

static fo_live *open_film(const film *f, fo_virtual_clock *clock)
{
    fo_live_def def = fo_default_live_def(gallery_find(f->row->model, NULL)->system);
    def.clock = fo_virtual_clock_use(clock);
    def.run.solver = f->row->solver;
    def.run.step = 0.01; // the document's
    return fo_live_create(&def, NULL);
}

// One picture of two seconds as the screen of `foliot live` shows them.
static bool draw(FILE *out, fo_table *table, size_t count)
{
    const size_t signals[] = {0, 1};
    const char *const names[] = {"one", "two"};
    fo_plot_def def = {.table = table,
                       .signals = signals,
                       .names = names,
                       .count = count < 2 ? count : 2,
                       .width = 79,
                       .height = 20,
                       .colour = true};
    rewind(out);
    return fo_plot(out, &def) == FO_OK;
}

// ns for a frame: the advance of a sixtieth of a second, and with `draws` the picture. The model
// starts anew when it has come to its end.
static double shoot(void *self)
{
    film *f = self;
    static char screen[1 << 16];
    int frames = f->draws ? PICTURES : FRAMES;
    fo_virtual_clock clock = {.now = 1};
    fo_live *live = open_film(f, &clock);
    FILE *out = fmemopen(screen, sizeof screen, "w");
    const fo_reference shown[] = {{FO_STATE, 0}, {FO_STATE, 1}};
    fo_table *table = fo_table_create(2, NULL);
    fo_observer into = fo_table_observer(table, shown, 0);
    fo_message why;
    double before = bench_seconds(), broken = 0;
    f->steps = 0;
    for (int i = 0; live && i < frames; i++) {
        clock.now += FRAME;
        fo_status status = fo_live_advance(live);
        const double *x = fo_simulation_state(fo_live_simulation(live))->x;
        fo_row row = {FO_ROW_STEP, i / 60.0, 0, x, 2};
        if (f->draws && (into.row(into.self, &row, &why) != FO_OK || !draw(out, table, 2)))
            broken = NAN;
        bool over = status != FO_REACHED;
        if (over || i == frames - 1)
            f->steps += fo_simulation_statistics(fo_live_simulation(live)).steps;
        if (fo_failed(status)) broken = NAN;
        if (!over) continue;
        fo_live_destroy(live);
        live = open_film(f, &clock);
    }
    double used = bench_seconds() - before + (live ? broken : NAN);
    fo_live_destroy(live);
    fo_table_destroy(table);
    fclose(out);
    return used / frames * 1e9;
}

static void bench_frames(bench_table *table)
{
    bench_title("Frames a second at step 0.01: advance alone, and with a picture for a terminal; "
                "peer: table 9.3");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const table_row *row = &tables[i];
        film plain = {row, false, 0}, drawn = {row, true, 0};
        bench_runner runners[] = {{shoot, &plain, 0}, {shoot, &drawn, 0}};
        if (!bench_race(runners, 2, 3)) {
            bench_break(table, "%s with %s failed", row->model, row->solver);
            continue;
        }
        char what[64], note[96];
        snprintf(what, sizeof what, "%s %s", row->model, row->solver);
        snprintf(note, sizeof note, "%.3g Msteps/s; tables 9.1, 9.2: %g, %g",
                 1e3 * (double)plain.steps / FRAMES / runners[0].best, row->before, row->after);
        bench_add(table, (bench_line){what, "Pentium 133, Java", "frames/s", 1e9 / runners[0].best,
                                      row->pentium, 0, note});
        snprintf(what, sizeof what, "%s %s, drawn", row->model, row->solver);
        bench_add(table, (bench_line){what, "Pentium 133, Java", "frames/s", 1e9 / runners[1].best,
                                      row->pentium, 0, NULL});
    }
}

// -------------------------------------------------------------------------------------- keeping
// time

enum { MASSES = 50, SLICES = 50, TICKS = 100, PERIOD = 1000000 };

// A chain of masses between walls: x'' = k (left - 2 x + right) - c x'.
static fo_status chain(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    const double *v = x + MASSES;
    for (int i = 0; i < MASSES; i++) {
        double left = i ? x[i - 1] : 0, right = i + 1 < MASSES ? x[i + 1] : 0;
        dx[i] = v[i];
        dx[MASSES + i] = 400 * (left - 2 * x[i] + right) - 0.01 * v[i];
    }
    return FO_OK;
}

static void chain_shape(const void *model, fo_shape *shape)
{
    (void)model;
    shape->states = 2 * MASSES;
    shape->pairs = MASSES;
}

static fo_status pluck(const void *model, fo_state *s)
{
    (void)model;
    for (int i = 0; i < MASSES; i++) s->x[i] = i < MASSES / 2 ? i : MASSES - i;
    return FO_OK;
}

static const fo_system_type chain_type = {
    .kind = "C", .shape = chain_shape, .start = pluck, .rates = chain};
static const fo_description chain_about = {.name = "chain of 50 masses"};

static void merge(fo_live_histogram *into, const fo_live_histogram *h)
{
    into->count += h->count;
    into->sum += h->sum;
    into->worst = fmax(into->worst, h->worst);
    for (int i = 0; i < FO_LIVE_BUCKETS; i++) into->bucket[i] += h->bucket[i];
}

// The machine's own timer: sleeps until every deadline and notes how late it is, nothing else. A
// deadline that has passed is dropped, as in a live run.
static void sleep_only(fo_live_histogram *lateness, double spin)
{
    fo_clock clock = fo_machine_clock();
    int64_t before = (int64_t)(1e9 * spin), deadline = clock.now(clock.self) + PERIOD;
    for (int i = 0; i < TICKS; i++) {
        if (deadline - before > clock.now(clock.self))
            clock.sleep_until(clock.self, deadline - before);
        if (before) clock.spin_until(clock.self, deadline);
        int64_t late = clock.now(clock.self) - deadline;
        fo_live_histogram_add(lateness, late);
        deadline += (late / PERIOD + 1) * PERIOD;
    }
}

static bool keep_time(fo_live_figures *sum, double spin)
{
    fo_live_def def = fo_default_live_def((fo_system){&chain_type, &chain_about, NULL});
    def.rate = 1e9 / PERIOD, def.run.solver = "rk4", def.run.step = 0.001, def.spin = spin;
    fo_live *live = fo_live_create(&def, NULL);
    fo_status status = live ? fo_live_start(live) : FO_ERROR_MEMORY;
    for (int i = 0; i < TICKS && !fo_failed(status); i++) {
        fo_live_wait(live);
        status = fo_live_advance(live);
    }
    static fo_live_figures f;
    if (live) {
        fo_live_measure(live, &f);
        merge(&sum->lateness, &f.lateness);
        sum->R += f.R / SLICES;
        sum->missed += f.missed;
        sum->advances += f.advances;
    }
    fo_live_destroy(live);
    return !fo_failed(status);
}

static void bench_timing(bench_table *table, double spin, const char *how)
{
    static fo_live_figures live;
    static fo_live_histogram bare;
    memset(&bare, 0, sizeof bare);
    memset(&live, 0, sizeof live);
    for (int i = 0; i < SLICES; i++) {
        sleep_only(&bare, spin);
        if (!keep_time(&live, spin)) bench_break(table, "the chain failed");
    }
    char note[64], what[64];
    snprintf(note, sizeof note, "%llu of %llu deadlines missed", (unsigned long long)live.missed,
             (unsigned long long)live.advances);
    snprintf(what, sizeof what, "100 states at 1 kHz%s, R", how);
    bench_add(table, (bench_line){what, "at most 0.05", "", live.R, 0.05, 1, note});
    const double parts[] = {0.5, 0.99, 0.999};
    const char *const names[] = {"p50", "p99", "p99.9"};
    for (int i = 0; i < 3; i++) {
        double ours = 1e6 * fo_live_histogram_quantile(&live.lateness, parts[i]);
        double theirs = 1e6 * fo_live_histogram_quantile(&bare, parts[i]);
        bool wanted = i == 1;
        snprintf(what, sizeof what, "100 states at 1 kHz%s, %s late", how, names[i]);
        bench_add(table, (bench_line){what, wanted ? "bare timer + 20 us" : "bare timer", "us",
                                      ours, theirs + (wanted ? 20 : 0), wanted ? 1 : 0, NULL});
    }
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "live", argc, argv)) return 1;
    bench_frames(&table);
    bench_title("Keeping time, 50 times 0.1 s; peer: as often in turn a loop of clock_nanosleep "
                "and nothing else");
    bench_timing(&table, 0, "");
    bench_timing(&table, 200e-6, " --spin");
    struct sched_param param = {.sched_priority = 80};
    if (sched_setscheduler(0, SCHED_FIFO, &param) == 0) {
        bench_timing(&table, 0, " FIFO");
        bench_timing(&table, 200e-6, " FIFO --spin");
    } else {
        puts("  the system refuses SCHED_FIFO: not measured with it");
    }
    return bench_close(&table);
}
