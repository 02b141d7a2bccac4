// Replayed packets over real sockets, as fast as a process can send them: strangers' copies, copies
// from the right address, old ones and ones sent back. What is promised: the values are those of
// one machine, or the figures say that something was bridged.
#include <arpa/inet.h>

#include "game.h"

enum { RING = 512, COPIES = 3, ENOUGH = 5000 };

typedef struct record {
    unsigned char bytes[FOI_PACKET_MOST];
    size_t count;
    struct sockaddr_in to;
} record;

/// What was heard on the wire; shared by all processes.
typedef struct ear {
    _Atomic uint32_t count; ///< ever
    _Atomic uint64_t sent;  ///< by the attacker
    uint64_t early;         ///< of these: long before the end of the run
    record ring[RING];
} ear;

static ear *heard;

static void keep(const void *bytes, size_t count, const struct sockaddr_in *to)
{
    record *r = &heard->ring[heard->count++ % RING];
    memcpy(r->bytes, bytes, count); // one that is overwritten meanwhile is one more forgery
    r->count = count;
    r->to = *to;
}

/// The packet, and copies of it from the same socket: before it, after it, and one of an older one.
static void send_again(void *self, int fd, const void *bytes, size_t count,
                       const struct sockaddr_in *to)
{
    game_node *n = self;
    keep(bytes, count, to);
    game_send(fd, bytes, count, to);
    for (int i = 0; i < COPIES; i++) game_send(fd, bytes, count, to);
    const record *old =
        &heard->ring[n->entries++ * 7 % (heard->count < RING ? heard->count : RING)];
    if (old->count <= sizeof old->bytes) game_send(fd, old->bytes, old->count, &old->to);
}

/// Sends all that was heard to everybody who was ever sent something, until it is killed.
static void attack(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (uint32_t i = 0;; i++) {
        uint32_t count = heard->count < RING ? heard->count : RING;
        const record *what = &heard->ring[count ? i % count : 0],
                     *whom = &heard->ring[count ? i * 31 % count : 0];
        if (!count || !whom->to.sin_port || what->count > sizeof what->bytes) continue;
        game_send(fd, what->bytes, what->count, i % 2 ? &whom->to : &what->to);
        heard->sent++;
    }
}

static void look(game *g, uint64_t cycle)
{
    if (cycle < g->cycles / 2) heard->early = heard->sent;
}

static void play_flooded(game *g)
{
    pid_t attacker = fork();
    if (!attacker) attack();
    game_play(g);
    kill(attacker, SIGKILL);
    waitpid(attacker, NULL, 0);
}

static void check_honest(const game *g)
{
    uint64_t dropped = 0;
    CHECK_STATUS(g->status, FO_REACHED, &g->why);
    CHECK(game_error(g) < 0.1); // whatever had to be bridged
    if (!game_bridged(g)) CHECK_NEAR(game_error(g), 0, 0);
    for (uint32_t i = 0; i < g->nodes; i++) {
        const fo_tdma_figures *f = &fo_tdma_master_figures(g->master)[i];
        CHECK_INT((long long)f->bridged, (long long)g->node[i].figures.bridged);
        CHECK(f->duplicated > 0);
        dropped += f->dropped;
    }
    if (heard->early > ENOUGH) CHECK(dropped > 0);
}

// The second run hears what is left of the first: an older session under the same key.
TEST(a_flood_of_replays_changes_nothing_in_silence)
{
    if (!foi_tdma_has_keys()) return;
    const fo_tdma_key key = {{1, 2, 3}};
    heard = mmap(NULL, sizeof *heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 40);
    g.step = 0.004;
    g.key = &key;
    g.act = look;
    for (uint32_t i = 0; i < g.nodes; i++)
        g.tamper[i].wire = (foi_tdma_wire){&g.node[i], send_again};
    for (int run = 0; run < 2; run++) {
        play_flooded(&g);
        check_honest(&g);
    }
    game_close(&g);
    munmap(heard, sizeof *heard);
}

// A copy that is quicker than the packet itself, from another address, must not use up its number.
TEST(a_strangers_copy_does_not_use_up_a_number)
{
    if (!foi_tdma_has_keys()) return;
    const fo_tdma_key key = {{1, 2, 3}};
    static foi_tdma_station to;
    unsigned char bytes[FOI_PACKET_MOST];
    const struct sockaddr_in right = {
        .sin_family = AF_INET, .sin_port = htons(4000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in wrong = right;
    wrong.sin_port = htons(4001);
    to.run = 77, to.key = &key;
    foi_tdma_know(&to, 1, &right);
    foi_tdma_packet p = {.kind = FOI_REPORT, .sender = 1, .run = 77, .pieces = 1}, got;
    size_t count = foi_tdma_seal(&key, 5, 0, bytes, foi_tdma_encode(&p, bytes));
    CHECK(!foi_tdma_accept(&to, bytes, count, &wrong, &got));
    CHECK(foi_tdma_accept(&to, bytes, count, &right, &got));
    CHECK(!foi_tdma_accept(&to, bytes, count, &right, &got));
    CHECK_INT((long long)to.foreign, 1);
    CHECK_INT((long long)to.replayed, 1);
}

// Nor may it have the place of the node whose JOIN it copies.
TEST(a_strangers_copy_of_a_join_makes_no_member)
{
    static foi_tdma_station to;
    unsigned char bytes[FOI_PACKET_MOST];
    const struct sockaddr_in right = {
        .sin_family = AF_INET, .sin_port = htons(4000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in port = right, address = right;
    port.sin_port = htons(4001);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    to.run = 77, to.self = FOI_MASTER;
    foi_tdma_packet p = {.kind = FOI_JOIN, .sender = 1, .run = 77, .pieces = 1}, got;
    foi_tdma_put(&p, 1, 8);
    foi_tdma_put(&p, 3, 4);
    foi_tdma_put(&p, 99, 8);
    size_t none = foi_tdma_encode(&p, bytes); // says no place
    CHECK(!foi_tdma_accept(&to, bytes, none, &right, &got));
    foi_tdma_put(&p, INADDR_LOOPBACK, 4);
    foi_tdma_put(&p, 4000, 2);
    size_t count = foi_tdma_encode(&p, bytes);
    CHECK(!foi_tdma_accept(&to, bytes, count, &port, &got));
    CHECK(!foi_tdma_accept(&to, bytes, count, &address, &got));
    CHECK(foi_tdma_accept(&to, bytes, count, &right, &got));
    CHECK_INT((long long)to.foreign, 3);
}

TEST_MAIN(TEST_ENTRY(a_flood_of_replays_changes_nothing_in_silence),
          TEST_ENTRY(a_strangers_copy_does_not_use_up_a_number),
          TEST_ENTRY(a_strangers_copy_of_a_join_makes_no_member))
