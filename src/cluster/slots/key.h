/// Packets under a key. Where there is one, every packet is followed by its seal:
///
///      0  u64  sequence   of the sender, in all that it sends in this run
///      8       tag        16 bytes: keyed BLAKE2b (RFC 7693) of the packet, the sequence and the
///                         receiver's number as u16
///
/// The packet says who sent it, in which run and cycle, and what it is; the receiver's number makes
/// it worthless for anybody else, its sender among them; the sequence is taken once. What is not
/// hidden is what the packet says: this is authentication and no encryption.
#ifndef FOI_TDMA_KEY_H
#define FOI_TDMA_KEY_H

#include <foliot/tdma.h>

#include "cluster/slots/packet.h"

/// Whether this build has keys at all.
bool foi_tdma_has_keys(void);

/// Puts the seal behind `count` bytes of a packet; there must be room for FOI_PACKET_SEAL. Returns
/// how many bytes there are then.
size_t foi_tdma_seal(const fo_tdma_key *key, uint64_t sequence, uint16_t receiver,
                     unsigned char *bytes, size_t count);
/// How many bytes are the packet; 0: it was not sealed with this key for this receiver.
size_t foi_tdma_unseal(const fo_tdma_key *key, uint16_t receiver, const unsigned char *bytes,
                       size_t count, uint64_t *sequence);

/// What a sender's sequence has shown so far (as in RFC 4303, 3.4.3): numbers may come in any order
/// within the window, each once; who comes after the window has moved on is too late.
enum { FOI_WINDOW = 1024 };
typedef struct foi_tdma_window {
    uint64_t next; ///< one more than the highest
    uint64_t seen[FOI_WINDOW / 64];
} foi_tdma_window;

/// True: it came before, or nobody knows any more. Changes nothing.
bool foi_tdma_window_seen(const foi_tdma_window *w, uint64_t sequence);
/// False: it came before, or nobody knows any more.
bool foi_tdma_window_take(foi_tdma_window *w, uint64_t sequence);

#endif
