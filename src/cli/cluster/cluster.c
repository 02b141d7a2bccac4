// foliot cluster: a field on several computers in real time, over a network with time slots.
#include "cli/cluster/cluster.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cluster/crew.h"
#include "cli/cluster/display.h"
#include "cli/interrupt.h"
#include "cli/model.h"
#include "cli/replace.h"
#include "cli/run/limit.h"
#include "cli/terminal.h"

#define AT(member) offsetof(cluster_options, member)
static const option cluster_table[] = {
    {"nodes", 'n', "N", OPTION_COUNT, AT(nodes),
     "how many nodes; default: one for each host, or for each of the document's parts, or 2",
     OPTION_FROM_TO(1, CREW_MOST)},
    {"stop", 0, "T", OPTION_POSITIVE, AT(stop), "simulated time [s]; default: the document's"},
    {"step", 0, "H", OPTION_POSITIVE, AT(step),
     "step of the method [s]; default: the document's, or the one of real time"},
    {"period", 0, "S", OPTION_POSITIVE, AT(period), "period of a cycle [s]; default: 0.0042"},
    {"slot", 0, "S", OPTION_POSITIVE, AT(slot),
     "length of a slot [s]; default: the time of the packets and 0.2 ms more"},
    {"slots", 0, "N", OPTION_COUNT, AT(slots),
     "slots of all nodes in a cycle, the same number for each; default: one for each",
     OPTION_FROM_TO(1, 65536)},
    {"overlap", 0, NULL, OPTION_FLAG, AT(overlap),
     "compute during the slots, with the boundaries of the cycle before"},
    {"steps", 0, "M", OPTION_COUNT, AT(steps), "steps in a cycle; default: 1",
     OPTION_FROM_TO(1, UINT32_MAX)},
    {"parts", 0, "XxYxZ", OPTION_TEXT, AT(parts), "how the axes are cut; default: the last alone"},
    {"bridge", 0, "HOW", OPTION_TEXT, AT(bridge),
     "boundary values that did not come in time: hold or extrapolate the last ones; default: hold"},
    {"capacity", 0, "BITS", OPTION_POSITIVE, AT(capacity),
     "capacity of the network [bit/s]; default: 1e9"},
    {"patience", 0, "S", OPTION_POSITIVE, AT(patience),
     "the run ends when a node or the master is silent for so long [s]; default: 2"},
    {"joining", 0, "S", OPTION_POSITIVE, AT(joining),
     "how long nodes may take to join [s]; default: 10"},
    {"listen", 0, "HOST:PORT", OPTION_TEXT, AT(listen),
     "where the master listens; default: this machine alone, any port; with --node: where that "
     "one does"},
    {"key", 0, "FILE", OPTION_TEXT, AT(key),
     "authenticate every packet with this key, the same at the same path on all hosts"},
    {"open", 0, NULL, OPTION_FLAG, AT(open),
     "without a key let other computers take part: whoever can send there can join or end the run"},
    {"hosts", 0, "A,B,C", OPTION_TEXT, AT(hosts),
     "start the nodes there, by the command of --agent"},
    {"agent", 0, "COMMAND", OPTION_TEXT, AT(agent),
     "command that starts a program on host {}; default: 'ssh {}'"},
    {"foliot", 0, "PATH", OPTION_TEXT, AT(program), "the program on the hosts; default: as here"},
    {"by-hand", 0, NULL, OPTION_FLAG, AT(by_hand), "start no nodes, wait for them"},
    {"node", 0, "I", OPTION_COUNT, AT(node), "be node I (from 0), not the master",
     OPTION_FROM_TO(0, CREW_MOST - 1)},
    {"master", 0, "HOST:PORT", OPTION_TEXT, AT(master), "with --node: where the master listens"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output), "write the probes as CSV"},
    {"overwrite", 0, NULL, OPTION_FLAG, AT(overwrite),
     "replace a file that is there and is not what this command writes"},
    {"share", 0, "NAME", OPTION_TEXT, AT(share),
     "be the display computer: 'foliot watch NAME' draws the surface; needs \"probes\": \"all\""},
    {"compare", 0, NULL, OPTION_FLAG, AT(compare), "print the error against a run on one machine"},
    {"scale", 0, NULL, OPTION_FLAG, AT(scale),
     "measure the largest grids that 1 to N local nodes keep in real time"},
    {"strict", 0, NULL, OPTION_FLAG, AT(strict),
     "end with status 1 where boundaries were bridged or values of probes are missing"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    {"no-priority", 0, NULL, OPTION_FLAG, AT(no_priority), "do not ask for SCHED_FIFO"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print the figures at the end as JSON"},
    {"quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes"},
    {0}};

static const char cluster_more[] =
    "Without hosts the nodes are processes of this machine. A cycle has a slot for the master and\n"
    "one for every node, and then time to compute; docs/real-time-clusters.md says how to plan "
    "it.\n"
    "\n"
    "Examples:\n"
    "  foliot cluster wave.field.json --nodes 3 --compare\n"
    "  (umask 077; head -c 32 /dev/urandom >cluster.key)\n"
    "  foliot cluster wave.field.json --hosts pc1,pc2,pc3 --listen 192.168.7.1:47000 \\\n"
    "      --key cluster.key\n"
    "  foliot cluster wave.field.json --hosts red,blue --agent 'ip netns exec {}' \\\n"
    "      --listen 10.7.0.1:47000 --open\n"
    "  foliot cluster wave.field.json --nodes 2 --by-hand --listen 192.168.7.1:47000 --key K\n"
    "  foliot cluster wave.field.json --nodes 2 --node 1 --master 192.168.7.1:47000 --key K\n"
    "  foliot cluster sheet.field.json --share sheet    # and elsewhere: foliot watch sheet\n"
    "  foliot cluster --scale --nodes 2\n"
    "\n"
    "A run goes on where packets are late or lost; how many is said at its end, with --quiet, "
    "too.\n"
    "\n"
    "Exit status: 0 fine, 1 the run failed, or with --strict something was missing, 2 a mistake "
    "in\n"
    "the command line, 130 ended by Ctrl-C.\n";

// ------------------------------------------------------------------------------------ the options

static bool read_parts(const char *text, uint32_t parts[3])
{
    unsigned x = 1, y = 1, z = 1;
    char rest;
    int got = sscanf(text, "%4ux%4ux%4u%c", &x, &y, &z, &rest);
    parts[0] = x, parts[1] = y, parts[2] = z;
    return got >= 1 && got <= 3 && x && y && z;
}

static bool take_cluster(const command *self, const cluster_options *o, fo_tdma_def *c)
{
    if (o->period.given) c->period = o->period.value;
    if (o->slot.given) c->slot = o->slot.value;
    if (o->capacity.given) c->capacity = o->capacity.value;
    if (o->patience.given) c->patience = o->patience.value;
    if (o->steps.given) c->steps = (uint32_t)o->steps.value;
    if (o->slots.given) c->slots = (uint32_t)o->slots.value;
    c->overlap |= o->overlap;
    if (o->parts && !read_parts(o->parts, c->parts)) {
        complain_usage(self, "--parts needs numbers like 1x4 or 2x2x1, not '%s'", o->parts);
        return false;
    }
    if (!o->bridge) return true;
    c->bridge = strcmp(o->bridge, "hold") == 0 ? FO_TDMA_HOLD : FO_TDMA_EXTRAPOLATE;
    if (c->bridge == FO_TDMA_HOLD || strcmp(o->bridge, "extrapolate") == 0) return true;
    complain_usage(self, "--bridge must be hold or extrapolate, not '%s'", o->bridge);
    return false;
}

static uint32_t count_nodes(const cluster_options *o, const fo_tdma_def *c)
{
    uint64_t parts = (uint64_t)c->parts[0] * c->parts[1] * c->parts[2];
    if (o->nodes.given) return (uint32_t)o->nodes.value;
    if (o->hosts) return crew_hosts(o->hosts);
    return parts ? (uint32_t)parts : 2;
}

// 0: as the cycles need it.
static double step_of(const cluster_options *o, const fo_model *m)
{
    double step;
    fo_model_tdma(m, &step);
    return o->step.given ? o->step.value : step;
}

/// Reads the key where one is named; `*given` is it, or NULL.
static bool take_key(const command *self, const cluster_options *o, fo_tdma_key *key,
                     const fo_tdma_key **given)
{
    fo_message why = {0};
    *given = NULL;
    if (!o->key) return true;
    if (fo_failed(fo_tdma_key_read(o->key, key, &why))) {
        complain(self, "%s", why.text);
        return false;
    }
    *given = key;
    return true;
}

static void warn_open(const command *self, const cluster_options *o, const char *at)
{
    if (o->open)
        complain(self,
                 "warning: --open: nobody is authenticated at %s; whoever can send there can join, "
                 "change or end this run",
                 at);
}

// --------------------------------------------------------------------------------------- the nodes

static int be_node(const command *self, const cluster_options *o, const fo_model *m,
                   const fo_tdma_def *cluster)
{
    fo_tdma_node_def def = {.cluster = *cluster,
                            .step = step_of(o, m),
                            .index = (uint32_t)o->node.value,
                            .nodes = count_nodes(o, cluster),
                            .master = o->master,
                            .address = o->listen,
                            .open = o->open,
                            .joining = o->joining.value,
                            .no_priority = o->no_priority};
    fo_tdma_figures figures = {0};
    fo_tdma_key key;
    fo_message why = {0};
    if (!o->master) return complain_usage(self, "--node needs --master, where the master listens");
    if (!take_key(self, o, &key, &def.key)) return EXIT_FAILED;
    if (!o->quiet) warn_open(self, o, o->master);
    fo_status status = fo_tdma_node_run(fo_model_field(m), &def, &figures, &why);
    if (fo_failed(status)) complain(self, "%s", why.text);
    if (!fo_failed(status) && !o->quiet)
        printf("node %u: %llu cycles, %llu deadlines missed, %llu boundaries bridged%s%s\n",
               def.index, (unsigned long long)figures.cycles, (unsigned long long)figures.missed,
               (unsigned long long)figures.bridged, status == FO_STOPPED ? "; " : "",
               status == FO_STOPPED ? why.text : "");
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

// -------------------------------------------------------------------------------------- the master

typedef struct session {
    const command *self;
    const cluster_options *options;
    const char *document;
    const fo_model *model;
    fo_tdma_master *master;
    fo_tdma_node_def node;
    fo_tdma_key key;
    crew hands;
    display display;
    cluster_file file;
    double shown; ///< when [s]
    bool terminal;
    bool told; ///< that all have joined
} session;

static bool watch(void *self, const fo_tdma_master *master, fo_message *why)
{
    session *s = self;
    const cluster_options *o = s->options;
    if (!s->told && fo_tdma_master_started(master)) {
        s->told = true;
        if (!o->quiet && !o->json && !s->terminal) {
            printf("all %u nodes have joined\n", s->node.nodes);
            fflush(stdout);
        }
    }
    double now = clock_seconds();
    if (now - s->shown >= 0.1) {
        s->shown = now;
        if (s->terminal) cluster_show(master);
        display_show(&s->display, master);
        cluster_file_go_on(&s->file, master);
    }
    return !interrupt_signal() && crew_alive(&s->hands, why);
}

enum { ARGUMENTS = 40, NUMBER = 32 };

/// The command line of a node that an agent starts: what decides the schedule, in full.
typedef struct node_line {
    char *words[ARGUMENTS];
    char numbers[12][NUMBER];
    int count, used;
} node_line;

static void add_number(node_line *l, const char *name, double value)
{
    if (!(value > 0)) return;
    snprintf(l->numbers[l->used], NUMBER, "%.17g", value);
    l->words[l->count++] = (char *)name;
    l->words[l->count++] = l->numbers[l->used++];
}

static void write_line(const session *s, node_line *l)
{
    const fo_tdma_node_def *n = &s->node;
    *l = (node_line){0};
    l->words[l->count++] = "cluster";
    l->words[l->count++] = (char *)s->document;
    l->words[l->count++] = "--master";
    l->words[l->count++] = (char *)fo_tdma_master_address(s->master);
    l->words[l->count++] = "--bridge";
    l->words[l->count++] = n->cluster.bridge == FO_TDMA_HOLD ? "hold" : "extrapolate";
    if (s->options->parts) {
        l->words[l->count++] = "--parts";
        l->words[l->count++] = (char *)s->options->parts;
    }
    if (s->options->key) {
        l->words[l->count++] = "--key";
        l->words[l->count++] = (char *)s->options->key;
    }
    if (s->options->open) l->words[l->count++] = "--open";
    add_number(l, "--nodes", n->nodes);
    add_number(l, "--steps", n->cluster.steps);
    add_number(l, "--slots", n->cluster.slots);
    if (n->cluster.overlap) l->words[l->count++] = "--overlap";
    add_number(l, "--period", n->cluster.period);
    add_number(l, "--slot", n->cluster.slot);
    add_number(l, "--capacity", n->cluster.capacity);
    add_number(l, "--patience", n->cluster.patience);
    add_number(l, "--step", n->step);
    add_number(l, "--joining", n->joining);
    l->words[l->count++] = "--quiet";
    if (n->no_priority) l->words[l->count++] = "--no-priority";
}

static bool start_nodes(session *s, fo_message *why)
{
    const cluster_options *o = s->options;
    char here[PATH_MAX];
    node_line line;
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    here[length > 0 ? length : 0] = 0;
    s->node.master = fo_tdma_master_address(s->master);
    write_line(s, &line);
    crew_def def = {.hosts = o->hosts,
                    .agent = o->agent,
                    .program = o->program   ? o->program
                               : length > 0 ? here
                                            : "foliot",
                    .arguments = line.words,
                    .field = fo_model_field(s->model),
                    .node = s->node};
    return crew_start(&s->hands, &def, why);
}

/// After a failure only the file, with what came until then.
static bool print_results(session *s, fo_status status)
{
    const cluster_options *o = s->options;
    const fo_tdma_master *m = s->master;
    if (o->json && !fo_failed(status)) cluster_json(m, status == FO_REACHED);
    if (!o->quiet && !o->json && !fo_failed(status)) {
        fo_tdma_figures own = fo_tdma_master_own(m);
        if (status == FO_STOPPED)
            printf("ended at cycle %llu\n", (unsigned long long)fo_tdma_master_cycle(m));
        fo_tdma_figures_print(fo_tdma_master_plan(m), fo_tdma_master_figures(m), stdout);
        printf("master: synchronisations %.1f us after their time on average, %.1f at worst; %llu "
               "left out; %llu foreign and %llu broken packets\n",
               1e6 * own.sending / fmax(1, (double)own.cycles), 1e6 * own.sending_worst,
               (unsigned long long)own.silent, (unsigned long long)own.foreign,
               (unsigned long long)own.broken);
    }
    bool whole = status == FO_REACHED;
    bool good = fo_failed(status) || cluster_whole(s->self, m) || !o->strict;
    good &= !o->compare || !whole || cluster_compare(s->self, fo_model_field(s->model), m);
    return cluster_file_close(&s->file, s->self, m) && good;
}

static int be_master(session *s)
{
    const cluster_options *o = s->options;
    fo_message why = {0};
    interrupt_watch();
    warn_open(s->self, o, fo_tdma_master_address(s->master));
    s->terminal = terminal_is(stderr) && !o->quiet;
    if (!o->quiet && !o->json) fo_tdma_plan_print(fo_tdma_master_plan(s->master), stdout);
    if (o->by_hand && !o->quiet && !o->json)
        printf("waiting for %u nodes at %s\n", s->node.nodes, fo_tdma_master_address(s->master));
    fflush(stdout);
    bool good = o->by_hand || start_nodes(s, &why);
    fo_status status = good ? fo_tdma_master_run(s->master, &why) : FO_ERROR_INPUT;
    interrupt_obeyed();
    if (s->terminal) fprintf(stderr, "\r\033[K");
    // nodes that have joined end with the master; others would wait for it
    crew_end(&s->hands, interrupt_signal() ? 0.1 : fo_failed(status) ? 1 : 4);
    display_show(&s->display, s->master);
    if (fo_failed(status)) complain(s->self, "%s", why.text);
    if (!print_results(s, status)) return EXIT_FAILED;
    if (interrupt_signal()) {
        complain(s->self, "interrupted at cycle %llu",
                 (unsigned long long)fo_tdma_master_cycle(s->master));
        return EXIT_SIGNALLED + interrupt_signal();
    }
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

static int run_session(session *s, const fo_tdma_def *cluster)
{
    const cluster_options *o = s->options;
    double stop = o->stop.given ? o->stop.value : fo_model_run_def(s->model).stop;
    fo_message why = {0};
    s->node = (fo_tdma_node_def){.cluster = *cluster,
                                 .step = step_of(o, s->model),
                                 .nodes = count_nodes(o, cluster),
                                 .open = o->open,
                                 .joining = o->joining.value,
                                 .no_priority = o->no_priority};
    if (!take_key(s->self, o, &s->key, &s->node.key)) return EXIT_FAILED;
    if (!replace_may(s->self, "--output", o->output, replace_rows, o->overwrite))
        return EXIT_FAILED;
    fo_tdma_master_def def = {.cluster = *cluster,
                              .step = s->node.step,
                              .stop = stop,
                              .nodes = s->node.nodes,
                              .address = o->listen,
                              .key = s->node.key,
                              .open = o->open,
                              .joining = o->joining.value,
                              .no_priority = o->no_priority,
                              .watch = watch,
                              .self = s};
    s->master = fo_tdma_master_create(fo_model_field(s->model), &def, &why);
    if (!s->master) complain(s->self, "%s", why.text);
    bool shows =
        s->master && display_open(&s->display, s->self, o->share, fo_model_field(s->model));
    bool opened = shows && cluster_file_open(&s->file, s->self, o->output, fo_model_field(s->model),
                                             s->master, fo_model_interval(s->model));
    int result = opened ? be_master(s) : EXIT_FAILED;
    display_close(&s->display);
    fo_tdma_master_destroy(s->master);
    return result;
}

static int run_cluster(const command *self, int argc, char **argv)
{
    cluster_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (o.json && (o.compare || o.scale || o.node.given))
        return complain_usage(self, "--json tells the figures of a master, without --compare, "
                                    "--scale and --node");
    if (o.key && o.open) return complain_usage(self, "--key and --open contradict each other");
    if (o.scale) {
        if (rest.count)
            return complain_usage(self, "--scale makes its own grids, not '%s'", rest.list[0]);
        return cluster_scale(self, &o);
    }
    if (rest.count != 1)
        return complain_usage(self,
                              rest.count ? "expected one document, found one more: '%s'"
                                         : "expected a document *.field.json%s",
                              rest.count ? rest.list[1] : "");
    fo_model_def def = model_def(rest.list[0]);
    const char *kind = fo_model_find(&def, NULL, 0);
    if (kind && strcmp(kind, "field") != 0)
        return complain_usage(self, "expected a document *.field.json, found '%s'", rest.list[0]);
    int result;
    if (!limit_model(self, rest.list[0], o.memory)) return EXIT_USAGE;
    fo_model *m = model_open(self, rest.list[0], NULL, &result);
    if (!m) return result;
    fo_tdma_def cluster = *fo_model_tdma(m, NULL);
    session s = {.self = self, .options = &o, .document = fo_model_path(m), .model = m};
    result = EXIT_USAGE;
    if (take_cluster(self, &o, &cluster))
        result = o.node.given ? be_node(self, &o, m, &cluster) : run_session(&s, &cluster);
    fo_model_close(m);
    return result;
}

const command command_cluster = {
    "cluster",
    "MODEL.field.json",
    "Simulate a field on several computers in real time, in time slots.",
    cluster_table,
    cluster_more,
    run_cluster};
