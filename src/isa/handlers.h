/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a unit. Define HANDLE_<UNIT>(id), or HANDLE_TENSOR(id, handler) for the tensor unit,
 * and include this in the function that fills the handlers. A row without a function does not
 * compile. No include guard: each unit includes it once. */
#ifndef HANDLE_SCALAR
#define HANDLE_SCALAR(id)
#endif
#ifndef HANDLE_SCALAR64
#define HANDLE_SCALAR64(id)
#endif
#ifndef HANDLE_LANES
#define HANDLE_LANES(id)
#endif
#ifndef HANDLE_WARP
#define HANDLE_WARP(id)
#endif
#ifndef HANDLE_TENSOR
#define HANDLE_TENSOR(id, handler)
#endif
#define HANDLE_PREFIX(id)
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, undef, meaning, source)         \
    HANDLE_##unit(id)
#define INSN_TL(id, mnemonic, match, mask, operands, engine, engines, imm, handler, act, meaning,  \
                source)                                                                            \
    HANDLE_TENSOR(id, handler)
#define INSN_M(id, mnemonic, match, mask, operands, imm, meaning, source)
#include "isa/families.def"
#undef INSN
#undef HANDLE_SCALAR
#undef HANDLE_SCALAR64
#undef HANDLE_LANES
#undef HANDLE_WARP
#undef HANDLE_TENSOR
#undef HANDLE_PREFIX
