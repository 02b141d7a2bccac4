/// Packets of the slotted network. All numbers are big-endian, reals are IEEE 754 bits.
///
///      0  u32  magic      "FOLI"
///      4  u8   version    3
///      5  u8   kind
///      6  u16  sender     node, or 0xffff: the master
///      8  u64  run        chosen by the master; 0: not known yet
///     16  u64  cycle
///     24  u16  side       HALO: of the sender's box
///     26  u16  piece      of
///     28  u16  pieces
///     30  u16  length     bytes of payload, exactly what follows the header
///     32  u32  check      FNV-1a of the whole packet with this field 0
///     36  u32  0
///     40       payload
///              seal       only where there is a key; see key.h
///
///     JOIN     u64 hash of the field, u32 nodes, u64 nonce, u32 address, u16 port
///              (0 before a CALL has told them)                          node -> master
///     CALL     u64 nonce, u32 address, u16 port of the node             master -> node
///     WELCOME  u64 cycles, then u32 address, u16 port of every node     master -> node
///     PING     i64 t1                                                   node -> master
///     PONG     i64 t1, i64 t2, i64 t3                                   master -> node
///     READY                                                             node -> master
///     SYNC     i64 start of the cycle, i64 time of sending              master -> node
///     HALO     reals                                                    node -> node
///     REPORT   i64 computing, u64 missed, u64 bridged, then (u32 probe, real)...
///     FINAL    the figures                                              node -> master
///     THANKS                                                            master -> node
///     STOP     u64 nonce, text                                          master -> node
///
/// A node chooses its nonce by chance, the master its run. The first JOIN has no run yet and is
/// answered by CALL, which tells it; only a JOIN with the run makes a member, and only a CALL or
/// STOP with the nonce is believed. So neither can be taken from an older run. The JOIN says where
/// the master has seen the node: a copy from elsewhere, however quick, makes no member.
#ifndef FOI_TDMA_PACKET_H
#define FOI_TDMA_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum foi_tdma_kind {
    FOI_JOIN = 1,
    FOI_WELCOME,
    FOI_PING,
    FOI_PONG,
    FOI_READY,
    FOI_SYNC,
    FOI_HALO_VALUES,
    FOI_REPORT,
    FOI_FINAL,
    FOI_THANKS,
    FOI_STOP,
    FOI_CALL,
} foi_tdma_kind;

enum {
    FOI_PACKET_MOST = 1472, ///< what fits into an Ethernet frame behind IP and UDP
    FOI_PACKET_HEADER = 40,
    FOI_PACKET_SEAL = 24, ///< room for it is kept in every packet, so that a key changes no plan
    FOI_PACKET_ROOM = FOI_PACKET_MOST - FOI_PACKET_HEADER - FOI_PACKET_SEAL,
    FOI_PACKET_REALS = FOI_PACKET_ROOM / 8,
    FOI_PACKET_AROUND = 66, ///< bytes around it on the wire: UDP, IP, Ethernet, gap
    FOI_MASTER = 0xffff,
};

typedef struct foi_tdma_packet {
    foi_tdma_kind kind;
    uint16_t sender, side, piece, pieces;
    uint64_t run, cycle;
    uint16_t length, at; ///< of the payload; where the next number is read
    unsigned char payload[FOI_PACKET_ROOM];
} foi_tdma_packet;

/// Why bytes are no packet.
typedef enum foi_tdma_fault {
    FOI_PACKET_GOOD,
    FOI_PACKET_FOREIGN, ///< another magic number or version
    FOI_PACKET_BROKEN,  ///< short, damaged, or with numbers that cannot be
} foi_tdma_fault;

/// Writes at most FOI_PACKET_MOST bytes and returns how many.
size_t foi_tdma_encode(const foi_tdma_packet *p, unsigned char *bytes);
foi_tdma_fault foi_tdma_decode(const unsigned char *bytes, size_t count, foi_tdma_packet *p);

/// Adds a number to the payload; what does not fit is a programmer's error.
void foi_tdma_put(foi_tdma_packet *p, uint64_t value, int bytes);
void foi_tdma_put_real(foi_tdma_packet *p, double value);
/// Takes the next number; false when there is none.
bool foi_tdma_take(foi_tdma_packet *p, uint64_t *value, int bytes);
bool foi_tdma_take_real(foi_tdma_packet *p, double *value);
/// Takes a time [ns] that can be calculated with: sums of four of them do not overflow.
enum { FOI_TIME_BITS = 60 };
bool foi_tdma_take_time(foi_tdma_packet *p, int64_t *time);
/// Adds a text as far as it fits; takes the rest as one, without its control characters.
void foi_tdma_put_text(foi_tdma_packet *p, const char *text);
void foi_tdma_take_text(foi_tdma_packet *p, char *text, size_t size);

#endif
