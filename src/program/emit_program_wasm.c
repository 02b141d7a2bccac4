// Machine code in WebAssembly, in place of emit_program.c: the module that tools/wasm builds runs
// programs as bytecode, and a page loads none of what writes code for other machines.
#include "program/emit.h"

foi_native *foi_emit_native(const foi_program *g, const foi_emit_def *def, fo_message *why)
{
    (void)g, (void)def;
    fo_fail(why, FO_ERROR_UNFIT, "this build writes no code");
    return NULL;
}
