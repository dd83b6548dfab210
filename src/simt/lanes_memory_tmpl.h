/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: loads and stores. RISC-V V 7, Ventus 4.2.6, 4.2.7. */

#include "simt/lanes_access_tmpl.h"

/* Set the fault of the lowest lane of `wrong`: out of bounds or misaligned. */
static SAM_NOINLINE void fail_private(struct sam_warp *w, const uint32_t *address, uint32_t wrong,
                                      unsigned size, bool write)
{
    const unsigned lane = (unsigned)__builtin_ctz(wrong);
    const uint32_t at = address[lane], limit = w->pds_size;
    w->core.fault_lane = lane;
    w->core.tval = at;
    w->core.cause = at >= limit || !(at & (size - 1)) ? SAM_CAUSE_PRIVATE
                    : write                           ? SAM_CAUSE_STORE_MISALIGNED
                                                      : SAM_CAUSE_LOAD_MISALIGNED;
}

/* Private memory: byte a of a thread is at CSR_PDS + (a & ~3) * threads + (a & 3) + 4 * thread.
 * Ventus 4.2.7. Returns the lanes of `bits` to access: all of them, or those below one that
 * faults. */
static inline uint32_t private_addresses(struct sam_warp *w, uint32_t *at, uint32_t bits,
                                         unsigned size, bool write)
{
    at = __builtin_assume_aligned(at, 64);
    uint32_t outside[SAM_LANES] __attribute__((aligned(64)));
    const uint32_t threads = w->numw * w->lanes, limit = w->pds_size;
    LANES outside[i] = at[i] >= limit || limit - at[i] < size || (at[i] & (size - 1));
    const uint32_t wrong = bits_with(outside, 1) & bits;
    if (SAM_UNLIKELY(wrong)) {
        fail_private(w, at, wrong, size, write);
        bits &= (wrong & -wrong) - 1;
    }
    const uint32_t first = w->pds + 4 * w->tid;
    LANES at[i] = (at[i] & ~3u) * threads + (at[i] & 3) + first + 4 * (uint32_t)i;
    return bits;
}

/* A1 declares the address operands, ADDRESS yields the address of lane i; group g starts at lane
 * `first`. A translation has addresses and data in arrays of its own: an index that varies would
 * keep the warp's registers in memory. */
#define MEMORY_OP(handler, write, is_private, size, is_signed, A1, ADDRESS)                        \
    static SAM_NOINLINE const struct sam_uop *handler(SAM_HANDLER_ARGS)                            \
    {                                                                                              \
        uint32_t own[2][SAM_TRANSLATED ? SAM_LANES : 1] __attribute__((aligned(64)));              \
        CHECK_GROUPS();                                                                            \
        for (unsigned g = 0; g < GROUPS; g++) {                                                    \
            const uint32_t bits = acting(W, op, g);                                                \
            const uint32_t first = g * W->lanes;                                                   \
            uint32_t *vd = V(op->write##_SLOT + g), *at = SAM_TRANSLATED ? own[0] : W->address;    \
            uint32_t *data = SAM_TRANSLATED ? own[1] : vd;                                         \
            A1;                                                                                    \
            (void)first;                                                                           \
            if (SAM_TRANSLATED)                                                                    \
                memcpy(data, vd, sizeof own[1]);                                                   \
            LANES at[i] = (ADDRESS);                                                               \
            const uint32_t some = is_private ? private_addresses(W, at, bits, size, write) : bits; \
            if (is_private && !write && some != bits)                                              \
                data = W->data; /* the instruction will fault */                                   \
            if (SAM_TRANSLATED && some != bits)                                                    \
                SAM_TRAP_SET();                                                                    \
            if (write ? !store_##size(W, at, some, data)                                           \
                      : !load_##size##_##is_signed(W, at, some, data))                             \
                SAM_TRAP_SET();                                                                    \
            if (some != bits)                                                                      \
                SAM_TRAP_SET();                                                                    \
            if (SAM_TRANSLATED && !write)                                                          \
                memcpy(vd, data, sizeof own[1]);                                                   \
        }                                                                                          \
        if (!SAM_TRANSLATED && SAM_UNLIKELY(c->event)) /* a watched access */                      \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }
/* Values of `write`, which selects the field of the data register. Standard stores have it in rd
 * like loads (see sam_uop_fill), custom ones in rs2. */
enum { LOADS = 0, STORES = 1, CUSTOM_STORES = 1 };
#define LOADS_SLOT         rd
#define STORES_SLOT        rd
#define CUSTOM_STORES_SLOT rs2

#define PER_LANE                                                                                   \
    const uint32_t *va = V(op->rs1 + g);                                                           \
    const uint32_t s = (uint32_t)op->imm
#define CUSTOM(handler, write, is_private, size, is_signed)                                        \
    MEMORY_OP(handler, write, is_private, size, is_signed, PER_LANE, va[i] + s)

CUSTOM(op_vlb12_v, LOADS, 0, 1, 1)
CUSTOM(op_vlh12_v, LOADS, 0, 2, 1)
CUSTOM(op_vlbu12_v, LOADS, 0, 1, 0)
CUSTOM(op_vlhu12_v, LOADS, 0, 2, 0)
CUSTOM(op_vsb12_v, CUSTOM_STORES, 0, 1, 0)
CUSTOM(op_vsh12_v, CUSTOM_STORES, 0, 2, 0)
CUSTOM(op_vlb_v, LOADS, 1, 1, 1)
CUSTOM(op_vlh_v, LOADS, 1, 2, 1)
CUSTOM(op_vlbu_v, LOADS, 1, 1, 0)
CUSTOM(op_vlhu_v, LOADS, 1, 2, 0)
CUSTOM(op_vsb_v, CUSTOM_STORES, 1, 1, 0)
CUSTOM(op_vsh_v, CUSTOM_STORES, 1, 2, 0)

/* Words have fast paths for the common case: all lanes at consecutive aligned addresses in one
 * page. They are specialised by warp width; fill_words selects them. START is the address of lane
 * 0, IN_LINE whether the other lanes follow it; custom instructions have no vm field. `other`
 * handles all other cases. */
#define WORD_OP(name, other, write, has_vm, IN_LINE, START)                                        \
    LINE_OP(name##_4, other, write, 4, has_vm, IN_LINE, START)                                     \
    LINE_OP(name##_8, other, write, 8, has_vm, IN_LINE, START)                                     \
    LINE_OP(name##_16, other, write, 16, has_vm, IN_LINE, START)                                   \
    LINE_OP(op_##name, other, write, 32, has_vm, IN_LINE, START)
#define LINE_OP(handler, other, write, width, has_vm, IN_LINE, START)                              \
    static SAM_NOINLINE const struct sam_uop *handler(SAM_HANDLER_ARGS)                            \
    {                                                                                              \
        enum { lanes = (width) };                                                                  \
        if (SAM_UNLIKELY(!W->full || ((has_vm) && !(op->rs3 & SAM_UOP_VM))))                       \
            SAM_MUSTTAIL return other(c, op, entry, left);                                         \
        const uint32_t *va = V(op->rs1);                                                           \
        uint32_t *vd = V(op->write##_SLOT);                                                        \
        (void)va;                                                                                  \
        const uint32_t start = (START), offset = start & (SAM_PAGE_SIZE - 1);                      \
        const struct sam_tlb_entry *page = &c->entries[start >> 12];                               \
        if (SAM_UNLIKELY(!(IN_LINE) || (start & 3) ||                                              \
                         offset + 4 * lanes > (write ? page->write_limit : page->read_limit)))     \
            SAM_MUSTTAIL return other(c, op, entry, left);                                         \
        if (write)                                                                                 \
            memcpy(page->host + offset, vd, sizeof(uint32_t[lanes]));                              \
        else                                                                                       \
            memcpy(vd, page->host + offset, sizeof(uint32_t[lanes]));                              \
        SAM_NEXT();                                                                                \
    }
#define NEIGHBOURS in_line(va, 4, lanes)
#define EQUAL      (PRIVATE_FITS && in_line(va, 0, lanes))
#define ALWAYS     true

CUSTOM(any_vlw12_v, LOADS, 0, 4, 1)
CUSTOM(any_vsw12_v, CUSTOM_STORES, 0, 4, 1)
#if LANES_MASKS
/* Rows of a tile, or a broadcast: all within 128 bytes. */
static SAM_NOINLINE const struct sam_uop *block_vlw12_v(SAM_HANDLER_ARGS)
{
    const uint32_t *va = V(op->rs1), s = (uint32_t)op->imm, first = lane_0(va) + s;
    uint32_t *vd = V(op->rd), at[SAM_LANES] __attribute__((aligned(64)));
    const struct sam_tlb_entry *page = &c->entries[first >> 12];
    for (int k = 0; k < 2; k++) /* by hand: from a plain loop clang makes one by element */
        _mm512_store_si512(at + 16 * k,
                           _mm512_add_epi32(LANES_HALF(va, k), _mm512_set1_epi32((int)s)));
    if (SAM_UNLIKELY(!(W->full_32 & op->rs3) || (first & 3) ||
                     ~bits_in_block(at, first, ~(BLOCK_BYTES - 1) | 3) ||
                     page->read_limit != SAM_PAGE_SIZE))
        SAM_MUSTTAIL return any_vlw12_v(c, op, entry, left);
    load_block(page->host + (first & (SAM_PAGE_SIZE - 1) & ~(BLOCK_BYTES - 1)), at, UINT32_MAX, vd,
               4, true);
    SAM_NEXT();
}
#else
#define block_vlw12_v any_vlw12_v
#endif
WORD_OP(vlw12_v, block_vlw12_v, LOADS, false, NEIGHBOURS, lane_0(va) + (uint32_t)op->imm)
WORD_OP(vsw12_v, any_vsw12_v, CUSTOM_STORES, false, NEIGHBOURS, lane_0(va) + (uint32_t)op->imm)

/* Private words are interleaved: equal addresses in all lanes mean consecutive words. */
CUSTOM(any_vlw_v, LOADS, 1, 4, 1)
CUSTOM(any_vsw_v, CUSTOM_STORES, 1, 4, 1)
#define PRIVATE_AT (lane_0(va) + (uint32_t)op->imm)
#define PRIVATE_FITS                                                                               \
    (!(PRIVATE_AT & 3) && PRIVATE_AT < W->pds_size && W->pds_size - PRIVATE_AT >= 4)
#define PRIVATE_START (W->pds + PRIVATE_AT * (W->numw * lanes) + 4 * W->tid)
WORD_OP(vlw_v, any_vlw_v, LOADS, false, EQUAL, PRIVATE_START)
WORD_OP(vsw_v, any_vsw_v, CUSTOM_STORES, false, EQUAL, PRIVATE_START)

#define UNIT(size) const uint32_t s = X1 + first * (size)
#define STRIDED                                                                                    \
    const uint32_t stride = c->x32[op->rs2];                                                       \
    const uint32_t s = X1 + first * stride
#define INDEXED                                                                                    \
    const uint32_t *va = V(op->rs2 + g);                                                           \
    const uint32_t s = X1

#define STANDARD(width, size, unit)                                                                \
    MEMORY_OP(unit##_vle##width##_v, LOADS, 0, size, 1, UNIT(size), s + (uint32_t)i * (size))      \
    MEMORY_OP(unit##_vse##width##_v, STORES, 0, size, 1, UNIT(size), s + (uint32_t)i * (size))     \
    MEMORY_OP(op_vlse##width##_v, LOADS, 0, size, 1, STRIDED, s + (uint32_t)i * stride)            \
    MEMORY_OP(op_vsse##width##_v, STORES, 0, size, 1, STRIDED, s + (uint32_t)i * stride)
STANDARD(8, 1, op)
STANDARD(16, 2, op)
STANDARD(32, 4, any)
WORD_OP(vle32_v, any_vle32_v, LOADS, true, ALWAYS, X1)
WORD_OP(vse32_v, any_vse32_v, STORES, true, ALWAYS, X1)

/* The data is SEW bits wide for any index width. RISC-V V 7.6. */
#define INDEX(width, mask)                                                                         \
    MEMORY_OP(op_vluxei##width##_v, LOADS, 0, 4, 1, INDEXED, s + (va[i] & (mask)))                 \
    MEMORY_OP(op_vsuxei##width##_v, STORES, 0, 4, 1, INDEXED, s + (va[i] & (mask)))
INDEX(8, 0xffu)
INDEX(16, 0xffffu)
INDEX(32, UINT32_MAX)

/* Handlers of word accesses, specialised for the number of lanes. */
static void fill_words(sam_handler **h, uint32_t lanes)
{
#define OF_WIDTH(name)                                                                             \
    h[SAM_OP_##name] = lanes == 4    ? name##_4                                                    \
                       : lanes == 8  ? name##_8                                                    \
                       : lanes == 16 ? name##_16                                                   \
                                     : op_##name;
    OF_WIDTH(vlw12_v)
    OF_WIDTH(vsw12_v)
    OF_WIDTH(vlw_v)
    OF_WIDTH(vsw_v)
    OF_WIDTH(vle32_v)
    OF_WIDTH(vse32_v)
#undef OF_WIDTH
}
