/// What the shared memory of a running state looks like.
///
///     foi_share_head | names, each with its zero | padding to 16 | values of 0 | values of 1
///
/// The writer fills the buffer that is not current, between two steps of that buffer's sequence
/// (odd: being written), and then makes it current. A reader copies the current one and takes it
/// only if its sequence was even and the same before and after. Since the current buffer is always
/// whole, a writer that dies anywhere leaves a readable state.
///
/// The writer holds a lock on the file as long as it lives, which the kernel takes away with it: a
/// process number could be anybody's by then.
#ifndef FOI_SHARE_H
#define FOI_SHARE_H

#include <foliot/share.h>
#include <stdatomic.h>

typedef struct foi_share_head {
    char magic[8]; ///< "foliotSH"
    uint32_t version;
    uint32_t signals;
    uint32_t names_size; ///< bytes; the first name is the model's
    int32_t writer;      ///< its process
    _Atomic uint32_t ended;
    _Atomic uint32_t current;
    _Atomic uint64_t shown;       ///< states so far
    _Atomic uint64_t sequence[2]; ///< of each buffer
    _Atomic uint64_t time[2];     ///< bits of a double
} foi_share_head;

enum { FOI_SHARE_VERSION = 2, FOI_SHARE_NAME = 80 };
enum { FOI_SHARE_PATIENCE = 500000000 }; ///< [ns] that a reader waits for a whole state

/// Offset of the values, and the size of it all.
static inline size_t foi_share_values(uint32_t names_size)
{
    return (sizeof(foi_share_head) + names_size + 15) & ~(size_t)15;
}

static inline size_t foi_share_size(uint32_t signals, uint32_t names_size)
{
    return foi_share_values(names_size) + 2 * (size_t)signals * sizeof(uint64_t);
}

/// Writes "/foliot-<name>"; false when the name is empty, too long or has a slash.
bool foi_share_path(const char *name, char path[FOI_SHARE_NAME]);
/// An ordinary file of this user's; if not, `why` says what it is.
bool foi_share_is_ours(int file, const char *path, fo_message *why);
/// Whether a writer holds it.
bool foi_share_is_held(int file);
/// Looks at a file that is open; it is closed by fo_look_close, and when this fails.
fo_look *foi_look_open_file(int file, const char *path, int64_t patience,
                            const fo_allocator *allocator, fo_message *why);

#endif
