// foliot cluster --scale: the largest grid that 1 to n local nodes carry in real time.
#include <math.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"
#include "cli/cluster/crew.h"
#include "cli/terminal.h"

/// One case of table 5-4 of Zhou (docs/sources.md), and what he reached with 1 to 8 computers.
typedef struct scale_case {
    const char *name;
    fo_field_method method;
    bool varying;
    uint32_t width; ///< nodes of a row; the grid grows by rows
    double documents[8];
} scale_case;

static const scale_case cases[] = {
    {"explicit (leapfrog)",
     FO_FIELD_LEAPFROG,
     false,
     1000,
     {2400, 3456, 5184, 6912, 8640, 10368, 12096, 13824}},
    {"sliding implicit, constant",
     FO_FIELD_SLIDING,
     false,
     32,
     {256, 364, 546, 728, 910, 1092, 1274, 1456}},
    {"implicit, varying",
     FO_FIELD_IMPLICIT_EULER,
     true,
     32,
     {48, 72, 108, 144, 180, 216, 252, 288}},
};

enum { CYCLES = 75, ALLOWED = 1, SEARCHES = 4, LEAST_ROWS = 3 }; ///< ALLOWED: of CYCLES

/// The document's wave, or heat with a reaction of second order, whose matrix varies.
static fo_field *make_field(const scale_case *c, uint32_t rows, double step, fo_message *why)
{
    fo_field_def def = fo_default_field_def();
    def.name = "scale";
    def.dimensions = 2;
    def.size[0] = c->width, def.size[1] = rows;
    def.method = c->method;
    def.c = 10, def.b1 = 0.2;
    // the spacing is chosen so that the step is within the stability limit whatever the size
    double dx = 2 * step * def.c;
    def.length[0] = dx * (c->width - 1), def.length[1] = dx * (rows - 1);
    if (c->varying) {
        def.equation = FO_FIELD_TRANSPORT;
        def.diffusivity = 1;
        def.reaction[0] = 0.1, def.reaction[2] = -0.1;
    }
    return fo_field_create(&def, why);
}

/// How many deadlines of so many rows the worst of so many nodes misses; CYCLES when the run fails.
static uint64_t misses(const cluster_options *o, const scale_case *c, uint32_t nodes, uint32_t rows,
                       bool *broken, fo_message *why)
{
    fo_tdma_def cluster = {.period = o->period.given ? o->period.value : 4.2e-3, .patience = 5};
    fo_field *field = make_field(c, rows, cluster.period, why);
    fo_tdma_master_def def = {.cluster = cluster,
                              .stop = CYCLES * cluster.period,
                              .nodes = nodes,
                              .joining = 30,
                              .no_priority = o->no_priority};
    fo_tdma_master *m = field ? fo_tdma_master_create(field, &def, why) : NULL;
    crew hands = {0};
    uint64_t worst = CYCLES;
    if (m) {
        crew_def start = {.field = field,
                          .node = {.cluster = cluster,
                                   .nodes = nodes,
                                   .master = fo_tdma_master_address(m),
                                   .joining = 30,
                                   .no_priority = o->no_priority}};
        fo_status status = FO_ERROR_INPUT;
        if (crew_start(&hands, &start, why)) status = fo_tdma_master_run(m, why);
        if (status == FO_REACHED) worst = 0;
        for (uint32_t i = 0; i < nodes && status == FO_REACHED; i++) {
            uint64_t missed = fo_tdma_master_figures(m)[i].missed;
            if (missed > worst) worst = missed;
        }
        crew_end(&hands, 3);
    }
    *broken = !m;
    fo_tdma_master_destroy(m);
    fo_field_destroy(field);
    return worst;
}

/// Whether so many rows keep real time. What fails by little is tried again: a hiccup of the
/// machine is no property of the grid.
static bool keeps_time(const cluster_options *o, const scale_case *c, uint32_t nodes, uint32_t rows,
                       bool *broken, fo_message *why)
{
    uint64_t missed = misses(o, c, nodes, rows, broken, why);
    if (missed > ALLOWED && missed < CYCLES / 5) missed = misses(o, c, nodes, rows, broken, why);
    return missed <= ALLOWED;
}

/// Doubles while it holds, then halves the interval.
static uint32_t largest_rows(const cluster_options *o, const scale_case *c, uint32_t nodes,
                             uint32_t guess, fo_message *why)
{
    uint32_t low = 0, high = 0;
    bool broken = false;
    for (uint32_t rows = guess; !broken;) {
        if (keeps_time(o, c, nodes, rows, &broken, why)) {
            low = rows;
            if (high) break;
            rows *= 2;
        } else {
            high = rows;
            rows /= 2;
            if (low || rows < LEAST_ROWS * nodes) break;
        }
    }
    for (int i = 0; i < SEARCHES && high > low + 1 && !broken; i++) {
        uint32_t middle = low + (high - low) / 2;
        *(keeps_time(o, c, nodes, middle, &broken, why) ? &low : &high) = middle;
    }
    return low;
}

static void print_case(const scale_case *c, uint32_t nodes, const double *points)
{
    printf("%s, rows of %u nodes\n", c->name, c->width);
    printf("  nodes      points       ideal  efficiency  document  its efficiency\n");
    for (uint32_t n = 1; n <= nodes; n++) {
        double ideal = points[0] * n;
        printf("  %5u  %10.0f  %10.0f  %10.2f", n, points[n - 1], ideal,
               ideal > 0 ? points[n - 1] / ideal : 0);
        if (n <= 8)
            printf("  %8.0f  %14.2f", c->documents[n - 1],
                   c->documents[n - 1] / (c->documents[0] * n));
        printf("\n");
    }
    fflush(stdout);
}

/// Nothing is kept of a measurement that is cut short: a signal ends this process as usual, and the
/// nodes with it.
int cluster_scale(const command *self, const cluster_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t nodes = o->nodes.given ? (uint32_t)o->nodes.value : (uint32_t)(cores > 0 ? cores : 1);
    double points[CREW_MOST];
    fo_message why = {0};
    if (nodes < 1 || nodes > CREW_MOST)
        return complain_usage(self, "--scale takes 1 to %d nodes", CREW_MOST);
    printf("the largest grid with one step in a period of %.4g ms, at most %d of %d deadlines "
           "missed by any node\n",
           1e3 * (o->period.given ? o->period.value : 4.2e-3), ALLOWED, CYCLES);
    if (nodes > 1)
        printf("nodes of one machine share its memory: grids beyond the caches scale less than on "
               "several\n");
    if ((long)nodes > cores)
        printf("this machine has %ld cores: more nodes than that share them\n", cores);
    fflush(stdout);
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        uint32_t guess = i ? 50 : 1600; // rows
        for (uint32_t n = 1; n <= nodes; n++) {
            uint32_t rows = largest_rows(o, &cases[i], n, guess, &why);
            points[n - 1] = (double)rows * cases[i].width;
            guess = rows ? rows : guess;
        }
        print_case(&cases[i], nodes, points);
    }
    if (points[0] > 0) return EXIT_FINE;
    complain(self, "no grid keeps real time here%s%s", why.status ? ": " : "", why.text);
    return EXIT_FAILED;
}
