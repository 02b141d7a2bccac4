#include "cluster/slots/key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef FOI_WITH_SODIUM
#include <sodium.h>
#endif

enum { TAG = 16, LEAST = 32, MOST = 4096 };
_Static_assert(FOI_PACKET_SEAL == 8 + TAG, "a seal is a sequence and a tag");

// -------------------------------------------------------------------------------------- the hash

#ifdef FOI_WITH_SODIUM
bool foi_tdma_has_keys(void)
{
    return sodium_init() >= 0;
}

static void digest(const unsigned char *bytes, size_t count, fo_tdma_key *key)
{
    crypto_generichash(key->bytes, sizeof key->bytes, bytes, count, NULL, 0);
}

static void tag_of(const fo_tdma_key *key, uint16_t receiver, const unsigned char *bytes,
                   size_t count, unsigned char tag[TAG])
{
    const unsigned char to[2] = {(unsigned char)(receiver >> 8), (unsigned char)receiver};
    crypto_generichash_state state;
    crypto_generichash_init(&state, key->bytes, sizeof key->bytes, TAG);
    crypto_generichash_update(&state, to, sizeof to);
    crypto_generichash_update(&state, bytes, count);
    crypto_generichash_final(&state, tag, TAG);
}

static bool same(const unsigned char *a, const unsigned char *b)
{
    return sodium_memcmp(a, b, TAG) == 0; // in a time that says nothing about where they differ
}
#else
bool foi_tdma_has_keys(void)
{
    return false;
}

// Never called: nobody can have a key.
static void digest(const unsigned char *bytes, size_t count, fo_tdma_key *key)
{
    (void)bytes, (void)count, (void)key;
}

static void tag_of(const fo_tdma_key *key, uint16_t receiver, const unsigned char *bytes,
                   size_t count, unsigned char tag[TAG])
{
    (void)key, (void)receiver, (void)bytes, (void)count;
    memset(tag, 0, TAG);
}

static bool same(const unsigned char *a, const unsigned char *b)
{
    (void)a, (void)b;
    return false;
}
#endif

// --------------------------------------------------------------------------------------- the seal

size_t foi_tdma_seal(const fo_tdma_key *key, uint64_t sequence, uint16_t receiver,
                     unsigned char *bytes, size_t count)
{
    for (int i = 0; i < 8; i++)
        bytes[count + (size_t)i] = (unsigned char)(sequence >> (56 - 8 * i));
    tag_of(key, receiver, bytes, count + 8, bytes + count + 8);
    return count + FOI_PACKET_SEAL;
}

size_t foi_tdma_unseal(const fo_tdma_key *key, uint16_t receiver, const unsigned char *bytes,
                       size_t count, uint64_t *sequence)
{
    unsigned char tag[TAG];
    if (count <= FOI_PACKET_SEAL || count > FOI_PACKET_MOST) return 0;
    tag_of(key, receiver, bytes, count - TAG, tag);
    if (!same(tag, bytes + count - TAG)) return 0;
    *sequence = 0;
    for (size_t i = 0; i < 8; i++) *sequence = *sequence << 8 | bytes[count - FOI_PACKET_SEAL + i];
    return count - FOI_PACKET_SEAL;
}

bool foi_tdma_window_seen(const foi_tdma_window *w, uint64_t sequence)
{
    if (sequence >= w->next) return sequence == UINT64_MAX; // nobody sends so many
    // a word of the window may have been emptied for numbers to come
    return w->next - 1 - sequence >= FOI_WINDOW - 64 ||
           w->seen[sequence / 64 % (FOI_WINDOW / 64)] >> sequence % 64 & 1;
}

bool foi_tdma_window_take(foi_tdma_window *w, uint64_t sequence)
{
    if (foi_tdma_window_seen(w, sequence)) return false;
    uint64_t *word = &w->seen[sequence / 64 % (FOI_WINDOW / 64)],
             bit = (uint64_t)1 << sequence % 64;
    if (sequence >= w->next) {
        // words between the highest and this one have not been seen; more than all cannot be
        uint64_t from = w->next ? (w->next - 1) / 64 + 1 : 0, to = sequence / 64;
        if (to >= from && to - from >= FOI_WINDOW / 64) from = to - FOI_WINDOW / 64 + 1;
        for (uint64_t i = from; i <= to; i++) w->seen[i % (FOI_WINDOW / 64)] = 0;
        w->next = sequence + 1;
    }
    *word |= bit;
    return true;
}

// --------------------------------------------------------------------------------------- the file

/// A key is only a key when nobody else could read it.
static fo_status check_file(int file, const char *path, fo_message *why)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return fo_fail(why, FO_ERROR_FORMAT, "the key %s is not an ordinary file", path);
    if (about.st_uid != geteuid() && about.st_uid != 0)
        return fo_fail(why, FO_ERROR_FORMAT, "the key %s belongs to user %u", path,
                       (unsigned)about.st_uid);
    if (about.st_mode & 077)
        return fo_fail(why, FO_ERROR_FORMAT,
                       "the key %s is open to others (mode %03o): 'chmod 600' closes it", path,
                       (unsigned)about.st_mode & 0777);
    return FO_OK;
}

static fo_status read_file(int file, const char *path, fo_tdma_key *key, fo_message *why)
{
    unsigned char bytes[MOST + 1];
    ssize_t count = read(file, bytes, sizeof bytes);
    if (count < 0) return fo_fail(why, FO_ERROR_INPUT, "the key %s: %s", path, strerror(errno));
    if (count < LEAST || count > MOST)
        return fo_fail(why, FO_ERROR_FORMAT,
                       "the key %s has %s%lld bytes; expected are %d to %d, such as 'head -c 32 "
                       "/dev/urandom' gives",
                       path, count > MOST ? "more than " : "",
                       (long long)(count > MOST ? MOST : count), LEAST, MOST);
    digest(bytes, (size_t)count, key);
    return FO_OK;
}

fo_status fo_tdma_key_read(const char *path, fo_tdma_key *key, fo_message *why)
{
    if (!foi_tdma_has_keys())
        return fo_fail(why, FO_ERROR_UNFIT,
                       "this build has no keys: it was made without libsodium (libsodium-dev)");
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a FIFO is not waited for
    if (file < 0) return fo_fail(why, FO_ERROR_INPUT, "the key %s: %s", path, strerror(errno));
    fo_status status = check_file(file, path, why);
    if (!status) status = read_file(file, path, key, why);
    close(file);
    return status;
}
