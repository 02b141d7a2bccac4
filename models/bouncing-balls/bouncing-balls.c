// Balls in a box: they bounce off the walls and exchange their velocities when they meet.
#include <math.h>
#include <stdlib.h>

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

/// A box with its balls.
typedef struct table {
    arena box;
    ball balls[3];
} table;

static void play_table(fo_world *w, void *self)
{
    play(w, &((table *)self)->box);
}

static const char about[] = "three balls in a box bounce off the walls and each other";

static fo_world *open_world(void **model, fo_message *why)
{
    fo_world *w = fo_world_create(
        &(fo_world_def){.name = "bouncing-balls", .about = about, .dt_max = 0.5}, why);
    table *m = *model = calloc(1, sizeof *m);
    fo_status status = FO_OK;
    if (!w) return NULL;
    if (!m) status = fo_world_fail(w, FO_ERROR_MEMORY, "no memory for the model");
    if (m) m->box = (arena){.balls = m->balls, .ball_count = 3, .start = three};
    if (status == FO_OK) status = fo_world_output(w, "green.x", NULL, &m->balls[0].x.state);
    if (status == FO_OK) status = fo_world_output(w, "green.y", NULL, &m->balls[0].y.state);
    if (status == FO_OK) status = fo_world_output(w, "red.x", NULL, &m->balls[1].x.state);
    if (status == FO_OK) status = fo_world_output(w, "red.y", NULL, &m->balls[1].y.state);
    if (status == FO_OK) status = fo_world_output(w, "blue.x", NULL, &m->balls[2].x.state);
    if (status == FO_OK) status = fo_world_output(w, "blue.y", NULL, &m->balls[2].y.state);
    if (status == FO_OK) status = fo_spawn(w, "bouncing-balls", play_table, m);
    if (status == FO_OK) return w;
    world_end(w, status, why);
    return NULL;
}

static const char *const plot[] = {"green.x", "red.x", "blue.x", NULL};

extern const world_model world_bouncing_balls;
const world_model world_bouncing_balls = {"bouncing-balls", about, 100, 0.1, 1e-8, 1e-8, plot,
                                          open_world};
