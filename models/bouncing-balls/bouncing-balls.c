// Balls in a box: they bounce off the walls and exchange their velocities when they meet.
#include <math.h>
#include <stdlib.h>

#include "math/math.h"
#include "worlds/worlds.h"

static const double width = 250, height = 150;

typedef struct arena arena;

typedef struct ball {
    arena *box;
    int number;
    fo_level x, y;
    double vx, vy, radius;
    fo_continuous motion;
} ball;

struct arena {
    ball *balls;
    int ball_count;
    const ball_start *start;
    int hit[2]; ///< which two balls touch
    ball_event *events;
    size_t count, wanted;
    double bounces, meetings; ///< so far
};

static const ball_start three[] = {
    {166, 130, -2, -4, 20}, {62, 130, 2, 10, 20}, {25, 110, -5, 3, 20}};

static void move(fo_world *w, void *self)
{
    (void)w;
    ball *b = self;
    b->x.rate = b->vx;
    b->y.rate = b->vy;
}

static void note(fo_world *w, const ball *b, int other)
{
    arena *box = b->box;
    *(other < 0 ? &box->bounces : &box->meetings) += 1;
    if (box->count < box->wanted)
        box->events[box->count++] =
            (ball_event){fo_time(w), b->number, other, b->x.state, b->y.state};
    if (box->wanted && box->count == box->wanted) fo_world_stop(w);
}

static bool at_a_side(fo_world *w, void *self)
{
    (void)w;
    const ball *b = self;
    return b->x.state < b->radius || b->x.state > width - b->radius;
}

static bool at_top_or_bottom(fo_world *w, void *self)
{
    (void)w;
    const ball *b = self;
    return b->y.state < b->radius || b->y.state > height - b->radius;
}

static bool off_the_sides(fo_world *w, void *self)
{
    return !at_a_side(w, self);
}

static bool off_top_and_bottom(fo_world *w, void *self)
{
    return !at_top_or_bottom(w, self);
}

static bool at_a_wall(fo_world *w, void *self)
{
    return at_a_side(w, self) || at_top_or_bottom(w, self);
}

static void bounce(fo_world *w, void *self)
{
    ball *b = self;
    for (;;) {
        fo_wait_until(w, at_a_wall, b);
        if (at_a_side(w, b)) {
            b->vx = -b->vx;
            note(w, b, -1);
            fo_wait_until(w, off_the_sides, b);
        } else {
            b->vy = -b->vy;
            note(w, b, -2);
            fo_wait_until(w, off_top_and_bottom, b);
        }
    }
}

static bool some_meet(fo_world *w, void *self)
{
    (void)w;
    arena *box = self;
    for (int i = 0; i < box->ball_count; i++)
        for (int j = i + 1; j < box->ball_count; j++) {
            const ball *a = &box->balls[i], *b = &box->balls[j];
            double dx = a->x.state - b->x.state, dy = a->y.state - b->y.state;
            double touch = a->radius + b->radius;
            box->hit[0] = i, box->hit[1] = j;
            if (dx * dx + dy * dy < touch * touch) return true;
        }
    return false;
}

static bool none_meet(fo_world *w, void *self)
{
    return !some_meet(w, self);
}

static void collide(fo_world *w, void *self)
{
    arena *box = self;
    for (;;) {
        fo_wait_until(w, some_meet, box);
        some_meet(w, box);
        ball *a = &box->balls[box->hit[0]], *b = &box->balls[box->hit[1]];
        double vx = a->vx, vy = a->vy;
        a->vx = b->vx, a->vy = b->vy;
        b->vx = vx, b->vy = vy;
        note(w, a, b->number);
        fo_wait_until(w, none_meet, box);
    }
}

static void play(fo_world *w, void *self)
{
    arena *box = self;
    for (int i = 0; i < box->ball_count; i++) {
        const ball_start *start = &box->start[i];
        ball *b = &box->balls[i];
        *b = (ball){box, i, .vx = start->vx, .vy = start->vy, .radius = start->radius};
        fo_level_start_at(w, &b->x, start->x);
        fo_level_start_at(w, &b->y, start->y);
        fo_continuous_start(w, &b->motion, move, b);
        fo_spawn(w, "bounce", bounce, b);
    }
    fo_spawn(w, "collide", collide, box);
    fo_hold(w, 10000);
}

fo_status bouncing_balls(const fo_world_def *def, const ball_start *start, int ball_count,
                         ball_event *events, size_t count, fo_message *why)
{
    const fo_world_def usual = {.name = "bouncing-balls", .dt_max = 0.5, .max_rel_error = 1e-10};
    if (!start) start = three, ball_count = 3;
    fo_world *w = fo_world_create(def ? def : &usual, why);
    ball *balls = calloc((size_t)ball_count, sizeof *balls);
    arena box = {.balls = balls, .ball_count = ball_count, .start = start, .events = events};
    box.wanted = count;
    fo_status status = w && balls ? fo_world_simulate(w, play, &box) : FO_ERROR_MEMORY;
    if (w) status = world_end(w, status, why);
    free(balls);
    return status;
}

// ------------------------------------------------------------------ as `foliot run` shows it

/// A box, its balls and their names.
typedef struct table {
    double wanted; ///< parameter: how many balls
    arena box;
    ball_start *start;
    char (*names)[2][24]; ///< of the outputs
} table;

// The source's three, then smaller ones in rows, with velocities from the seed; none touch.
static void place(const fo_world *w, ball_start *start, int count)
{
    fo_random random = fo_world_stream(w, 0);
    int side = (int)ceil(sqrt(count));
    double apart = foi_fmin(width, height) / side;
    for (int i = 0; i < count; i++) {
        double x = width / side * (i % side + 0.5), y = height / side * ((double)(i / side) + 0.5);
        double angle = fo_random_uniform(&random, 0, 2 * foi_acos(-1));
        start[i] = (ball_start){x, y, 5 * foi_cos(angle), 5 * foi_sin(angle), 0.3 * apart};
        if (count == 3) start[i] = three[i];
    }
}

static fo_status no_room(fo_world *w)
{
    return fo_world_fail(w, FO_ERROR_MEMORY, "no memory for the balls");
}

// As many outputs as there are balls.
static fo_status prepare(fo_world *w, void *record)
{
    static const char *const colours[] = {"green", "red", "blue"};
    table *m = record;
    int count = fo_world_whole(w, "balls", m->wanted);
    if (count < 1) return FO_ERROR_MODEL;
    m->box = (arena){.balls = calloc((size_t)count, sizeof(ball)), .ball_count = count};
    m->box.start = m->start = calloc((size_t)count, sizeof *m->start);
    m->names = calloc((size_t)count, sizeof *m->names);
    if (!m->box.balls || !m->start || !m->names) return no_room(w);
    for (int i = 0; i < count; i++) {
        ball *b = &m->box.balls[i];
        const double *values[] = {&b->x.state, &b->y.state};
        for (int k = 0; k < 2; k++) {
            char *name = m->names[i][k], number[16];
            snprintf(number, sizeof number, "ball%d", i + 1);
            snprintf(name, sizeof m->names[i][k], "%s.%c", i < 3 ? colours[i] : number, "xy"[k]);
            fo_status status = fo_world_output(w, name, NULL, values[k]);
            if (status != FO_OK) return status;
        }
    }
    return FO_OK;
}

static void close_table(void *record)
{
    table *m = record;
    free(m->box.balls);
    free(m->start);
    free(m->names);
}

static void play_table(fo_world *w, void *self)
{
    table *m = self;
    if (m->wanted != m->box.ball_count) {
        fo_world_fail(w, FO_ERROR_MODEL, "the number of balls is fixed once they are shown");
        return;
    }
    place(w, m->start, m->box.ball_count);
    play(w, &m->box);
}

static const fo_world_number parameters[] = {FO_WORLD_NUMBER(
    table, wanted, "balls", NULL, 3, "3: those of the source", 1, 1000, .type = FO_INTEGER)};
static const fo_world_number outputs[] = {FO_WORLD_NUMBER(table, box.bounces, "bounces"),
                                          FO_WORLD_NUMBER(table, box.meetings, "meetings")};
static const char *const plot[] = {"green.x", NULL};
static const char *const results[] = {"bounces", "meetings", NULL};

extern const fo_world_model world_bouncing_balls;
const fo_world_model world_bouncing_balls = {
    .name = "bouncing-balls",
    .about = "balls in a box bounce off the walls and each other; any number",
    .equations = "x' = vx\ny' = vy",
    .stop = 100,
    .interval = 0.1,
    .dt_max = 0.5,
    .max_rel_error = 1e-8,
    .max_abs_error = 1e-8,
    .size = sizeof(table),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .actions = play_table,
    .prepare = prepare,
    .close = close_table};
