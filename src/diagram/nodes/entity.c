// Discrete events: entities that come, wait, are served and leave.
//
// An entity is the time at which it came into being, and a number that names it. It moves from node
// to node by itself, at the instant when the next one takes it; what a line carries as a signal is
// how many have gone along it. A source keeps what nobody takes from it out of the diagram (it is
// lost); a server keeps an entity whose service is done until the next node takes it (it is
// blocked). At every instant at which something is due all nodes of this kind are asked in the
// order of the document until nothing moves any more.
//
// Own memory:
//
//     source   next arrival | next number of its stream | made | lost
//     queue    first | length | in | out | sum of waits | area under the length | since
//              | (birth, name, came) * capacity
//     server   busy | in | out | area under busy | since | next number of its stream
//              | (birth, name, end of service) * servers; an end of -infinity: free
//     sink     in | sum of times from birth
#include <foliot/random.h>
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/nodes/node_doc.h"
#include "math/math.h"

#define SET "Entities"
#define ENTITY(feedthrough_) \
    PROPERTIES(REAL_ONLY, feedthrough_, CONTINUOUS, NOT_APPLICABLE, "single number")

enum { MAX_PLACES = 1000000 };

/// What moves. The name is made * nodes + index of the source, where made counts from 1.
typedef struct entity {
    double birth, name;
} entity;

/// An entity in a node, and a time: when it came, or when its service ends.
enum { PLACE_BIRTH, PLACE_NAME, PLACE_TIME, PLACE_SIZE };

static entity entity_at(const double *place)
{
    return (entity){place[PLACE_BIRTH], place[PLACE_NAME]};
}

static void put_at(double *place, entity e, double time)
{
    place[PLACE_BIRTH] = e.birth, place[PLACE_NAME] = e.name, place[PLACE_TIME] = time;
}

static void tell(const foi_node *n, foi_run *r, entity e, const char *action, double amount)
{
    const fo_trace *trace = &r->diagram->trace;
    if (!trace->act || r->status != FO_OK) return;
    fo_message why = {0};
    uint32_t nodes = r->diagram->node_count, source = (uint32_t)fmod(e.name, nodes);
    const fo_act act = {.t = r->t,
                        .who = r->diagram->nodes[source].name,
                        .number = (uint64_t)(e.name / nodes),
                        .what = n->name,
                        .action = action,
                        .amount = amount,
                        .by = ""};
    fo_status status = trace->act(trace->self, &act, &why);
    if (fo_failed(status)) r->status = fo_fail(r->s->message, status, "%s", why.text);
}

/// Where a node's entities go; `extra` of every node here.
typedef struct way {
    const foi_node *to; ///< NULL: nowhere
} way;

static bool take(const foi_node *n, foi_run *r, entity e);
/// Whether the next node would take one.
static bool takes(const foi_node *n, foi_run *r);

static bool pass_on(const foi_node *n, foi_run *r, entity e)
{
    const way *w = n->extra;
    return w->to && take(w->to, r, e);
}

// ----------------------------------------------------------------------------------------
// preparing

static fo_status prepare_way(foi_build *b, foi_node *n)
{
    n->extra = foi_arena_new(b->arena, 1, sizeof(way));
    return n->extra ? FO_OK : fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

static bool gives_entities(const foi_node *n)
{
    return strcmp(n->type->set, SET) == 0 && strncmp(n->type->outputs, "entities", 8) == 0;
}

// Who drives a node's entities learns where they go.
static fo_status join_way(foi_build *b, foi_node *n)
{
    foi_node *from = n->inputs[0]->node;
    if (!gives_entities(from) || n->inputs[0]->port)
        return foi_node_refuse(b, n,
                               "input 1 (entities) comes from '%s' (%s), expected the first output "
                               "of an Entity Source, a Queue or a Server",
                               from->name, from->type->name);
    way *w = from->extra;
    if (w->to && w->to != n)
        return foi_node_refuse(b, n, "the entities of '%s' go to '%s' already", from->name,
                               w->to->name);
    w->to = n;
    return FO_OK;
}

static fo_status type_entity(foi_build *b, foi_node *n, uint64_t own)
{
    for (uint32_t i = 0; i < n->output_count; i++) foi_output_type(n, i, 1, 1, FOI_SIGNAL_REAL);
    n->own_count = (uint32_t)own;
    return n->input_count ? join_way(b, n) : FO_OK;
}

static fo_status whole_number(foi_build *b, foi_node *n, uint32_t parameter, double most)
{
    double value = foi_number(n, parameter);
    if (value >= 1 && value <= most && value == floor(value)) return FO_OK;
    return foi_node_refuse(b, n, "parameter '%s' is %g, expected a whole number from 1 to %g",
                           n->type->parameters[parameter].name, value, most);
}

// ------------------------------------------------------------------------------------------- times

enum { CONSTANT, EXPONENTIAL, UNIFORM, NORMAL, ERLANG };
#define DISTRIBUTION "constant|exponential|uniform|normal|Erlang"

// A time of the distribution whose parameters begin at `first`: which one, mean, deviation, seed.
// `drawn` counts the numbers that were taken from the stream.
static double draw(const foi_node *n, const foi_run *r, uint32_t first, double *drawn)
{
    double mean = foi_number(n, first + 1), deviation = foi_number(n, first + 2), time = mean;
    fo_random stream = fo_random_stream((uint64_t)foi_number(n, first + 3) + r->s->seed, n->index);
    fo_random_seek(&stream, (uint64_t)*drawn);
    switch (foi_choice(n, first)) {
    case EXPONENTIAL: time = fo_random_exponential(&stream, mean); break;
    case UNIFORM: time = fo_random_uniform(&stream, mean - deviation, mean + deviation); break;
    case NORMAL: time = fo_random_normal(&stream, mean, deviation); break;
    case ERLANG:
        // as many stages as give about this deviation: mean / sqrt(stages)
        time = fo_random_erlang(
            &stream, 1 / mean,
            (uint32_t)foi_fmin(foi_fmax(1, round(foi_pow(mean / deviation, 2))), 1000));
        break;
    default: break;
    }
    *drawn = (double)fo_random_tell(&stream);
    return foi_fmax(time, 0);
}

static fo_status check_times(foi_build *b, foi_node *n, uint32_t first)
{
    double mean = foi_number(n, first + 1), deviation = foi_number(n, first + 2);
    double seed = foi_number(n, first + 3);
    int which = foi_choice(n, first);
    if (!(mean > 0)) return foi_node_refuse(b, n, "the mean time must be positive, it is %g", mean);
    if (!(deviation >= 0) || (which == ERLANG && deviation == 0))
        return foi_node_refuse(b, n, "the deviation must be positive, it is %g", deviation);
    if (which == UNIFORM && deviation > mean)
        return foi_node_refuse(b, n, "times from %g - %g on would be negative", mean, deviation);
    if (!(seed >= 0 && seed <= 0x1p52 && seed == floor(seed)))
        return foi_node_refuse(b, n, "expected a whole number from 0 to 2^52 as seed, found %g",
                               seed);
    return FO_OK;
}

#define TIMES(what)                                                                           \
    {"Distribution", FOI_PARAMETER_CHOICE, "exponential", DISTRIBUTION, "of the time " what}, \
        {"Mean", FOI_PARAMETER_NUMBER, "1", NULL, "[s]"},                                     \
        {"Deviation", FOI_PARAMETER_NUMBER, "0", NULL,                                        \
         "uniform: half the width; normal, Erlang: the standard deviation [s]"},              \
    {                                                                                         \
        "Seed", FOI_PARAMETER_NUMBER, "0", NULL, "each node has a stream of its own"          \
    }

// ------------------------------------------------------------------------------------------ source

enum { SOURCE_NEXT, SOURCE_DRAWN, SOURCE_MADE, SOURCE_LOST, SOURCE_SIZE };

static fo_status prepare_source(foi_build *b, foi_node *n)
{
    fo_status status = check_times(b, n, 0);
    return status == FO_OK ? prepare_way(b, n) : status;
}

static fo_status type_source(foi_build *b, foi_node *n)
{
    return type_entity(b, n, SOURCE_SIZE);
}

static void start_source(const foi_node *n, foi_run *r)
{
    double *own = foi_own(n, r);
    own[SOURCE_NEXT] = r->t + draw(n, r, 0, &own[SOURCE_DRAWN]);
}

static double next_source(const foi_node *n, const foi_run *r, double t)
{
    (void)t;
    return foi_own(n, r)[SOURCE_NEXT];
}

static bool happen_source(const foi_node *n, foi_run *r)
{
    double *own = foi_own(n, r);
    if (own[SOURCE_NEXT] > r->t) return false;
    own[SOURCE_MADE] += 1;
    entity e = {r->t, own[SOURCE_MADE] * r->diagram->node_count + n->index};
    tell(n, r, e, "create", NAN);
    if (!pass_on(n, r, e)) {
        own[SOURCE_LOST] += 1;
        tell(n, r, e, "lose", NAN);
    }
    own[SOURCE_NEXT] = r->t + draw(n, r, 0, &own[SOURCE_DRAWN]);
    return true;
}

static void output_source(const foi_node *n, foi_run *r)
{
    const double *own = foi_own(n, r);
    foi_out(n, r, 0).data[0] = own[SOURCE_MADE];
    foi_out(n, r, 1).data[0] = own[SOURCE_LOST];
}

static const foi_node_type entity_source = {
    .name = "Entity Source",
    .set = SET,
    .about = "Makes entities, one after the other. What the next node does not take is lost.",
    .inputs = "",
    .outputs = "entities|lost",
    .random = true,
    .parameters = (const foi_parameter[]){TIMES("between two entities"), {0}},
    ENTITY(NOT_APPLICABLE),
    .example = {"Distribution=constant;Mean=0.5", "", 2.1, 0, "4"},
    .continuous = true,
    .loose = true,
    .prepare = prepare_source,
    .type = type_source,
    .start = start_source,
    .output = output_source,
    .next = next_source,
    .happen = happen_source,
};

// ------------------------------------------------------------------------------------------- queue

enum {
    QUEUE_FIRST,
    QUEUE_LENGTH,
    QUEUE_IN,
    QUEUE_OUT,
    QUEUE_WAITS,
    QUEUE_AREA,
    QUEUE_SINCE,
    QUEUE_SIZE
};

static fo_status prepare_queue(foi_build *b, foi_node *n)
{
    fo_status status = whole_number(b, n, 0, MAX_PLACES);
    return status == FO_OK ? prepare_way(b, n) : status;
}

static fo_status type_queue(foi_build *b, foi_node *n)
{
    return type_entity(b, n, QUEUE_SIZE + PLACE_SIZE * (uint64_t)foi_number(n, 0));
}

// The area under a length that has been the same since the last change.
static void start_since(const foi_node *n, foi_run *r, uint32_t since)
{
    foi_own(n, r)[since] = r->t;
}

static void start_queue(const foi_node *n, foi_run *r)
{
    start_since(n, r, QUEUE_SINCE);
}

static void change_length(double *own, double t, double by)
{
    own[QUEUE_AREA] += own[QUEUE_LENGTH] * (t - own[QUEUE_SINCE]);
    own[QUEUE_SINCE] = t;
    own[QUEUE_LENGTH] += by;
}

static double *place(const foi_node *n, foi_run *r, double index)
{
    double *own = foi_own(n, r);
    size_t place = (size_t)fmod(own[QUEUE_FIRST] + index, foi_number(n, 0));
    return own + QUEUE_SIZE + PLACE_SIZE * place;
}

static bool take_queue(const foi_node *n, foi_run *r, entity e)
{
    double *own = foi_own(n, r);
    if (own[QUEUE_LENGTH] >= foi_number(n, 0)) return false;
    put_at(place(n, r, own[QUEUE_LENGTH]), e, r->t);
    own[QUEUE_IN] += 1;
    change_length(own, r->t, 1);
    tell(n, r, e, "enter", NAN);
    return true;
}

static bool happen_queue(const foi_node *n, foi_run *r)
{
    double *own = foi_own(n, r);
    bool last_first = foi_choice(n, 1);
    if (!own[QUEUE_LENGTH]) return false;
    const double *chosen = place(n, r, last_first ? own[QUEUE_LENGTH] - 1 : 0);
    entity e = entity_at(chosen);
    double wait = r->t - chosen[PLACE_TIME];
    if (!takes(n, r)) return false;
    tell(n, r, e, "leave", wait); // before it enters the next node
    if (!pass_on(n, r, e)) return false;
    if (!last_first) own[QUEUE_FIRST] = fmod(own[QUEUE_FIRST] + 1, foi_number(n, 0));
    own[QUEUE_OUT] += 1;
    own[QUEUE_WAITS] += wait;
    change_length(own, r->t, -1);
    return true;
}

static double ratio(double sum, double count)
{
    return count > 0 ? sum / count : 0;
}

static void output_queue(const foi_node *n, foi_run *r)
{
    const double *own = foi_own(n, r);
    double area = own[QUEUE_AREA] + own[QUEUE_LENGTH] * (r->t - own[QUEUE_SINCE]);
    foi_out(n, r, 0).data[0] = own[QUEUE_OUT];
    foi_out(n, r, 1).data[0] = own[QUEUE_LENGTH];
    foi_out(n, r, 2).data[0] = ratio(own[QUEUE_WAITS], own[QUEUE_OUT]);
    foi_out(n, r, 3).data[0] = ratio(area, r->t - foi_clock_start(r));
}

static const foi_node_type queue = {
    .name = "Queue",
    .set = SET,
    .about = "Entities wait here until the next node takes them; a full queue takes no more. It "
             "shows how many have left it, how many wait, how long those that left have waited on "
             "the average, and the average length so far.",
    .inputs = "entities",
    .outputs = "entities|length|mean wait|mean length",
    .parameters = (const foi_parameter[]){{"Capacity", FOI_PARAMETER_NUMBER, "1000", NULL,
                                           "how many can wait"},
                                          {"Order", FOI_PARAMETER_CHOICE, "first in first out",
                                           "first in first out|last in first out", ""},
                                          {0}},
    ENTITY("no"),
    .example = {"Capacity=3", "Entity Source", 100, 0, "3", .port = 1},
    .continuous = true,
    .loose = true,
    .no_feedthrough = true,
    .prepare = prepare_queue,
    .type = type_queue,
    .start = start_queue,
    .output = output_queue,
    .happen = happen_queue,
};

// ------------------------------------------------------------------------------------------ server

enum { SERVER_BUSY, SERVER_IN, SERVER_OUT, SERVER_AREA, SERVER_SINCE, SERVER_DRAWN, SERVER_SIZE };
enum { SERVERS = 4 }; // the parameter behind those of the times

static fo_status prepare_server(foi_build *b, foi_node *n)
{
    fo_status status = check_times(b, n, 0);
    if (status == FO_OK) status = whole_number(b, n, SERVERS, MAX_PLACES);
    return status == FO_OK ? prepare_way(b, n) : status;
}

static uint32_t servers(const foi_node *n)
{
    return (uint32_t)foi_number(n, SERVERS);
}

static fo_status type_server(foi_build *b, foi_node *n)
{
    return type_entity(b, n, SERVER_SIZE + PLACE_SIZE * (uint64_t)servers(n));
}

static void start_server(const foi_node *n, foi_run *r)
{
    start_since(n, r, SERVER_SINCE);
    double *one = foi_own(n, r) + SERVER_SIZE;
    for (uint32_t i = 0; i < servers(n); i++) one[PLACE_SIZE * i + PLACE_TIME] = -INFINITY;
}

static void change_busy(double *own, double t, double by)
{
    own[SERVER_AREA] += own[SERVER_BUSY] * (t - own[SERVER_SINCE]);
    own[SERVER_SINCE] = t;
    own[SERVER_BUSY] += by;
}

static bool take_server(const foi_node *n, foi_run *r, entity e)
{
    double *own = foi_own(n, r), *one = own + SERVER_SIZE;
    if (own[SERVER_BUSY] >= servers(n)) return false;
    while (one[PLACE_TIME] > -INFINITY) one += PLACE_SIZE;
    double service = draw(n, r, 0, &own[SERVER_DRAWN]);
    put_at(one, e, r->t + service);
    own[SERVER_IN] += 1;
    change_busy(own, r->t, 1);
    tell(n, r, e, "enter", service);
    return true;
}

static double next_server(const foi_node *n, const foi_run *r, double t)
{
    const double *end = foi_own(n, r) + SERVER_SIZE + PLACE_TIME;
    double first = INFINITY;
    for (uint32_t i = 0; i < servers(n); i++, end += PLACE_SIZE)
        if (*end > t && *end < first) first = *end;
    return first;
}

// Those whose service is done leave, the one that was done first before the others.
static bool happen_server(const foi_node *n, foi_run *r)
{
    double *own = foi_own(n, r), *one = own + SERVER_SIZE, *done = NULL;
    for (uint32_t i = 0; i < servers(n); i++, one += PLACE_SIZE) {
        double end = one[PLACE_TIME];
        if (end > -INFINITY && end <= r->t && (!done || end < done[PLACE_TIME])) done = one;
    }
    if (!done) return false;
    const way *w = n->extra;
    if (w->to && !takes(n, r)) return false;
    tell(n, r, entity_at(done), "leave", NAN); // before it enters the next node
    if (w->to && !take(w->to, r, entity_at(done))) return false;
    done[PLACE_TIME] = -INFINITY;
    own[SERVER_OUT] += 1;
    change_busy(own, r->t, -1);
    return true;
}

static void output_server(const foi_node *n, foi_run *r)
{
    const double *own = foi_own(n, r);
    double area = own[SERVER_AREA] + own[SERVER_BUSY] * (r->t - own[SERVER_SINCE]);
    foi_out(n, r, 0).data[0] = own[SERVER_OUT];
    foi_out(n, r, 1).data[0] = own[SERVER_BUSY];
    foi_out(n, r, 2).data[0] = ratio(area, (r->t - foi_clock_start(r)) * servers(n));
}

static const foi_node_type server = {
    .name = "Server",
    .set = SET,
    .about = "Serves entities, as many at once as there are servers, and gives them on when the "
             "service is done; one that the next node does not take stays and blocks its server. "
             "It shows how many have left it, how many are in it, and its utilisation so far.",
    .inputs = "entities",
    .outputs = "entities|busy|utilisation",
    .random = true,
    .parameters = (const foi_parameter[]){TIMES("of a service"),
                                          {"Servers", FOI_PARAMETER_NUMBER, "1", NULL, "how many"},
                                          {0}},
    ENTITY("no"),
    .example = {"Distribution=constant;Mean=0.5;Servers=2", "Entity Source", 100.1, 0, "1",
                .port = 1},
    .continuous = true,
    .loose = true,
    .no_feedthrough = true,
    .prepare = prepare_server,
    .type = type_server,
    .start = start_server,
    .output = output_server,
    .next = next_server,
    .happen = happen_server,
};

// -------------------------------------------------------------------------------------------- sink

enum { SINK_IN, SINK_TIMES, SINK_SIZE };

static fo_status type_sink(foi_build *b, foi_node *n)
{
    return type_entity(b, n, SINK_SIZE);
}

static bool take_sink(const foi_node *n, foi_run *r, entity e)
{
    double *own = foi_own(n, r);
    own[SINK_IN] += 1;
    own[SINK_TIMES] += r->t - e.birth;
    tell(n, r, e, "end", r->t - e.birth);
    return true;
}

static void output_sink(const foi_node *n, foi_run *r)
{
    const double *own = foi_own(n, r);
    foi_out(n, r, 0).data[0] = own[SINK_IN];
    foi_out(n, r, 1).data[0] = ratio(own[SINK_TIMES], own[SINK_IN]);
}

static const foi_node_type entity_sink = {
    .name = "Entity Sink",
    .set = SET,
    .about =
        "Entities leave here. It shows how many have come, and how long they were on their way "
        "on the average.",
    .inputs = "entities",
    .outputs = "count|mean time",
    .parameters = NO_PARAMETERS,
    ENTITY("no"),
    .example = {NULL, "Entity Source", 0, 0, "0"},
    .continuous = true,
    .loose = true,
    .no_feedthrough = true,
    .type = type_sink,
    .output = output_sink,
};

static bool takes(const foi_node *n, foi_run *r)
{
    const way *w = n->extra;
    if (!w->to) return false;
    const double *own = foi_own(w->to, r);
    if (w->to->type == &queue) return own[QUEUE_LENGTH] < foi_number(w->to, 0);
    return w->to->type != &server || own[SERVER_BUSY] < servers(w->to);
}

static bool take(const foi_node *n, foi_run *r, entity e)
{
    if (n->type == &queue) return take_queue(n, r, e);
    if (n->type == &server) return take_server(n, r, e);
    return take_sink(n, r, e);
}

const foi_node_type *const foi_nodes_entity[] = {&entity_sink, &entity_source, &queue, &server,
                                                 NULL};
