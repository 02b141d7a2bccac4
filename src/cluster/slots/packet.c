#include "cluster/slots/packet.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

enum { MAGIC = 0x464f4c49, VERSION = 3, CHECK_AT = 32 };

static void store(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        to[i] = (unsigned char)value;
        value >>= 8;
    }
}

static uint64_t fetch(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | from[i];
    return value;
}

static uint32_t checksum(const unsigned char *bytes, size_t count)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = i >= CHECK_AT && i < CHECK_AT + 4 ? 0 : bytes[i];
        hash = (hash ^ byte) * 16777619u;
    }
    return hash;
}

size_t foi_tdma_encode(const foi_tdma_packet *p, unsigned char *bytes)
{
    size_t count = FOI_PACKET_HEADER + (size_t)p->length;
    memset(bytes, 0, FOI_PACKET_HEADER);
    store(bytes, MAGIC, 4);
    store(bytes + 4, VERSION, 1);
    store(bytes + 5, (uint64_t)p->kind, 1);
    store(bytes + 6, p->sender, 2);
    store(bytes + 8, p->run, 8);
    store(bytes + 16, p->cycle, 8);
    store(bytes + 24, p->side, 2);
    store(bytes + 26, p->piece, 2);
    store(bytes + 28, p->pieces, 2);
    store(bytes + 30, p->length, 2);
    memcpy(bytes + FOI_PACKET_HEADER, p->payload, p->length);
    store(bytes + CHECK_AT, checksum(bytes, count), 4);
    return count;
}

foi_tdma_fault foi_tdma_decode(const unsigned char *bytes, size_t count, foi_tdma_packet *p)
{
    if (count >= 5 && (fetch(bytes, 4) != MAGIC || bytes[4] != VERSION)) return FOI_PACKET_FOREIGN;
    if (count < FOI_PACKET_HEADER || count > FOI_PACKET_HEADER + FOI_PACKET_ROOM)
        return FOI_PACKET_BROKEN;
    *p = (foi_tdma_packet){.kind = (foi_tdma_kind)bytes[5],
                           .sender = (uint16_t)fetch(bytes + 6, 2),
                           .run = fetch(bytes + 8, 8),
                           .cycle = fetch(bytes + 16, 8),
                           .side = (uint16_t)fetch(bytes + 24, 2),
                           .piece = (uint16_t)fetch(bytes + 26, 2),
                           .pieces = (uint16_t)fetch(bytes + 28, 2),
                           .length = (uint16_t)fetch(bytes + 30, 2)};
    bool fits = p->length == count - FOI_PACKET_HEADER && p->piece < p->pieces && p->side < 6 &&
                p->kind >= FOI_JOIN && p->kind <= FOI_CALL;
    if (!fits || checksum(bytes, count) != fetch(bytes + CHECK_AT, 4)) return FOI_PACKET_BROKEN;
    memcpy(p->payload, bytes + FOI_PACKET_HEADER, p->length);
    return FOI_PACKET_GOOD;
}

void foi_tdma_put(foi_tdma_packet *p, uint64_t value, int bytes)
{
    assert(p->length + bytes <= FOI_PACKET_ROOM);
    store(p->payload + p->length, value, bytes);
    p->length = (uint16_t)(p->length + bytes);
}

void foi_tdma_put_real(foi_tdma_packet *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    foi_tdma_put(p, bits, 8);
}

bool foi_tdma_take(foi_tdma_packet *p, uint64_t *value, int bytes)
{
    if (p->at + bytes > p->length) return false;
    *value = fetch(p->payload + p->at, bytes);
    p->at = (uint16_t)(p->at + bytes);
    return true;
}

bool foi_tdma_take_real(foi_tdma_packet *p, double *value)
{
    uint64_t bits;
    if (!foi_tdma_take(p, &bits, 8)) return false;
    memcpy(value, &bits, sizeof bits);
    return true;
}

bool foi_tdma_take_time(foi_tdma_packet *p, int64_t *time)
{
    const int64_t most = (int64_t)1 << FOI_TIME_BITS;
    uint64_t bits;
    if (!foi_tdma_take(p, &bits, 8)) return false;
    memcpy(time, &bits, sizeof bits);
    return *time <= most && *time >= -most;
}

void foi_tdma_put_text(foi_tdma_packet *p, const char *text)
{
    for (; *text && p->length < FOI_PACKET_ROOM; text++) foi_tdma_put(p, (unsigned char)*text, 1);
}

void foi_tdma_take_text(foi_tdma_packet *p, char *text, size_t size)
{
    foi_text_printable((const char *)p->payload + p->at, p->length - p->at, text, size);
    p->at = p->length;
}
