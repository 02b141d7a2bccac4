/// What functions and modules of WebAssembly share.
#ifndef FOI_EMIT_WASM_H
#define FOI_EMIT_WASM_H

#include "program/emit.h"

/// Types of functions: those of the three callings first.
enum { FOI_TYPE_ONE = FOI_CALL_TRY + 1, FOI_TYPE_TWO, FOI_TYPE_SOLVE, FOI_TYPE_LANES, FOI_TYPES };
enum { FOI_WASM_I32 = 0x7F, FOI_WASM_F64 = 0x7C, FOI_WASM_V128 = 0x7B };
enum { FOI_WASM_END = 0x0B, FOI_WASM_GLOBAL = 0x23 };

/// A number in as few bytes as it needs, seven bits each.
void foi_put_leb(foi_bytes *b, uint64_t value);

#endif
