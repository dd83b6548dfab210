/* SPDX-License-Identifier: Apache-2.0 */
/* The part of lanes_tmpl.h that loads and stores. RISC-V V 7, Ventus 4.2.6, 4.2.7. */

/* When the lanes access consecutive elements of `size` bytes within one page: the host address of
 * lane 0's element, active or not; else NULL. Only bytes of active lanes may be touched. */
static inline uint8_t *unit_stride(const struct sam_warp *w, const int32_t *m, uint32_t bits,
                                   bool write)
{
    const uint32_t *at = __builtin_assume_aligned(&w->address[0], 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), high = 31 - (uint32_t)__builtin_clz(bits);
    const uint32_t base = at[low] - 4 * low;
    uint32_t apart = 0;
    LANES apart |= (at[i] ^ (base + 4 * (uint32_t)i)) & (uint32_t)m[i];
    const uint32_t start = at[low], span = 4 * (high - low + 1);
    const struct sam_page *page = &w->core.pages[start >> 12];
    const uint32_t offset = start & (SAM_PAGE_SIZE - 1);
    if (apart | (start & 3) || offset + span > (write ? page->write_limit : page->read_limit))
        return NULL;
    return page->host + offset - 4 * low;
}

/* Whether every active lane has the address of the lowest one. */
static inline bool one_address(const struct sam_warp *w, const int32_t *m, uint32_t bits)
{
    const uint32_t *at = __builtin_assume_aligned(&w->address[0], 64);
    const uint32_t base = at[__builtin_ctz(bits)];
    uint32_t apart = 0;
    LANES apart |= (at[i] ^ base) & (uint32_t)m[i];
    return apart == 0;
}

/* Load `size` bytes per lane from w->address, extended, into vd. On a fault nothing is written, and
 * the core holds cause, value and lane. */
static inline bool load_lanes(struct sam_warp *w, const int32_t *m, uint32_t bits, uint32_t *vd,
                              unsigned size, bool is_signed)
{
    struct sam_core *c = &w->core;
    if (SAM_UNLIKELY(!bits))
        return true;
    if (size == 4) {
        const uint8_t *host = unit_stride(w, m, bits, false);
        if (SAM_LIKELY(host != NULL)) {
            if (bits == UINT32_MAX) {
                memcpy(vd, host, 4 * SAM_LANES);
                return true;
            }
            const uint32_t *from = (const uint32_t *)(const void *)host;
            LANES if (m[i]) vd[i] = from[i];
            return true;
        }
    }
    uint32_t *data = w->data;
    uint32_t rest = one_address(w, m, bits) ? bits & -bits : bits;
    const bool spread = rest != bits;
    uint32_t word = 0;
    for (; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint8_t *host = sam_fast32(c, w->address[lane], size, false);
        if (SAM_UNLIKELY(!host) && !(host = sam_access_slow(c, w->address[lane], size, SAM_LOAD))) {
            c->fault_lane = lane;
            return false;
        }
        if (size == 4)
            word = sam_le32(host);
        else if (size == 2)
            word = is_signed ? (uint32_t)(int16_t)sam_le16(host) : sam_le16(host);
        else
            word = is_signed ? (uint32_t)(int8_t)*host : *host;
        data[lane] = word;
    }
    if (spread)
        LANES vd[i] = m[i] ? word : vd[i];
    else
        LANES vd[i] = m[i] ? data[i] : vd[i];
    return true;
}

/* Store the low `size` bytes of each lane; where addresses collide, the highest lane wins. On a
 * fault, the lanes below the faulting one have stored. */
static inline bool store_lanes(struct sam_warp *w, const int32_t *m, uint32_t bits,
                               const uint32_t *vs, unsigned size)
{
    struct sam_core *c = &w->core;
    if (SAM_UNLIKELY(!bits))
        return true;
    if (size == 4) {
        uint8_t *host = unit_stride(w, m, bits, true);
        if (SAM_LIKELY(host != NULL)) {
            if (bits == UINT32_MAX) {
                memcpy(host, vs, 4 * SAM_LANES);
                return true;
            }
            uint32_t *to = (uint32_t *)(void *)host;
            LANES if (m[i]) to[i] = vs[i];
            return true;
        }
    }
    for (; bits; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        uint8_t *host = sam_fast32(c, w->address[lane], size, true);
        if (SAM_UNLIKELY(!host) &&
            !(host = sam_access_slow(c, w->address[lane], size, SAM_STORE))) {
            c->fault_lane = lane;
            return false;
        }
        memcpy(host, &vs[lane], size); /* little-endian hosts */
    }
    return true;
}

/* Private memory: byte a of a thread lies at CSR_PDS + (a & ~3) * threads + (a & 3) + 4 * thread.
 * Ventus 4.2.7. False: an active lane is outside pdsSize. */
static inline bool private_addresses(struct sam_warp *w, const int32_t *m, uint32_t bits,
                                     unsigned size, bool write)
{
    uint32_t *at = __builtin_assume_aligned(&w->address[0], 64);
    const uint32_t threads = w->numw * w->lanes, limit = w->pds_size;
    uint32_t outside = 0;
    LANES outside |= (at[i] >= limit || limit - at[i] < size || (at[i] & (size - 1))) & m[i];
    if (SAM_UNLIKELY(outside)) {
        for (; bits; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(bits);
            const bool past = at[lane] >= limit || limit - at[lane] < size;
            if (past || (at[lane] & (size - 1))) {
                w->core.fault_lane = lane;
                w->core.tval = at[lane];
                w->core.cause = past    ? SAM_CAUSE_PRIVATE
                                : write ? SAM_CAUSE_STORE_MISALIGNED
                                        : SAM_CAUSE_LOAD_MISALIGNED;
                return false;
            }
        }
    }
    const uint32_t first = w->pds + 4 * w->tid;
    LANES at[i] = (at[i] & ~3u) * threads + (at[i] & 3) + first + 4 * (uint32_t)i;
    return true;
}

/* A1 declares the parts of the addresses, ADDRESS computes that of lane i; group g starts at lane
 * `first`. */
#define MEMORY_OP(handler, write, is_private, size, is_signed, A1, ADDRESS)                        \
    static SAM_NOINLINE const struct sam_uop *handler(SAM_HANDLER_ARGS)                            \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        for (unsigned g = 0; g < W->groups; g++) {                                                 \
            uint32_t bits;                                                                         \
            const int32_t *m = acting(W, op, g, &bits);                                            \
            const uint32_t first = g * W->lanes;                                                   \
            uint32_t *vd = V(op->write##_SLOT + g), *at = W->address;                              \
            A1;                                                                                    \
            (void)first;                                                                           \
            LANES at[i] = (ADDRESS);                                                               \
            if (is_private && SAM_UNLIKELY(!private_addresses(W, m, bits, size, write)))           \
                SAM_TRAP_SET();                                                                    \
            if (write ? !store_lanes(W, m, bits, vd, size)                                         \
                      : !load_lanes(W, m, bits, vd, size, is_signed))                              \
                SAM_TRAP_SET();                                                                    \
        }                                                                                          \
        if (SAM_UNLIKELY(c->event)) /* a watched access */                                         \
            return sam_stop_event(c, op, entry, left, c->event, sam_pc_of(c, op) + 4);             \
        SAM_NEXT();                                                                                \
    }
/* Values of `write`, which selects the slot of the data register. Standard stores have theirs in rd
 * like loads (see fill_uop), custom ones in rs2. */
enum { LOADS = 0, STORES = 1, CUSTOM_STORES = 1 };
#define LOADS_SLOT         rd
#define STORES_SLOT        rd
#define CUSTOM_STORES_SLOT rs2

#define PER_LANE                                                                                   \
    const uint32_t *va = V(op->rs1 + g);                                                           \
    const uint32_t s = (uint32_t)op->imm
#define CUSTOM(handler, write, is_private, size, is_signed)                                        \
    MEMORY_OP(handler, write, is_private, size, is_signed, PER_LANE, va[i] + s)

CUSTOM(op_vlb12_v, LOADS, 0, 1, true)
CUSTOM(op_vlh12_v, LOADS, 0, 2, true)
CUSTOM(op_vlbu12_v, LOADS, 0, 1, false)
CUSTOM(op_vlhu12_v, LOADS, 0, 2, false)
CUSTOM(op_vsb12_v, CUSTOM_STORES, 0, 1, false)
CUSTOM(op_vsh12_v, CUSTOM_STORES, 0, 2, false)
CUSTOM(op_vlb_v, LOADS, 1, 1, true)
CUSTOM(op_vlh_v, LOADS, 1, 2, true)
CUSTOM(op_vlbu_v, LOADS, 1, 1, false)
CUSTOM(op_vlhu_v, LOADS, 1, 2, false)
CUSTOM(op_vsb_v, CUSTOM_STORES, 1, 1, false)
CUSTOM(op_vsh_v, CUSTOM_STORES, 1, 2, false)

/* Words have a fast path for the most common case: 32 lanes at consecutive, 4-byte aligned
 * addresses within a page. START is the address of lane 0, LEFT the distance of lane i's address
 * from its place in that sequence. */
#define WORD_OP(name, any, write, LEFT, FITS, START)                                               \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        const uint32_t *va = V(op->rs1);                                                           \
        uint32_t *vd = V(op->write##_SLOT), apart = 0;                                             \
        LANES apart |= (LEFT);                                                                     \
        const uint32_t start = (START), offset = start & (SAM_PAGE_SIZE - 1);                      \
        const struct sam_page *page = &c->pages[start >> 12];                                      \
        if (SAM_UNLIKELY(!(W->full_32 & op->rs3) || apart | (start & 3) || !(FITS) ||              \
                         offset + 4 * SAM_LANES > (write ? page->write_limit : page->read_limit))) \
            SAM_MUSTTAIL return any(c, op, entry, left);                                           \
        if (write)                                                                                 \
            memcpy(page->host + offset, vd, 4 * SAM_LANES);                                        \
        else                                                                                       \
            memcpy(vd, page->host + offset, 4 * SAM_LANES);                                        \
        SAM_NEXT();                                                                                \
    }
#define NEIGHBOURS (va[i] ^ (va[0] + 4 * (uint32_t)i))
#define EQUAL      (va[i] ^ va[0])

CUSTOM(any_vlw12_v, LOADS, 0, 4, true)
CUSTOM(any_vsw12_v, CUSTOM_STORES, 0, 4, false)
WORD_OP(vlw12_v, any_vlw12_v, LOADS, NEIGHBOURS, 1, va[0] + (uint32_t)op->imm)
WORD_OP(vsw12_v, any_vsw12_v, CUSTOM_STORES, NEIGHBOURS, 1, va[0] + (uint32_t)op->imm)

/* Private words interleave: the same address in all lanes means consecutive words. */
CUSTOM(any_vlw_v, LOADS, 1, 4, true)
CUSTOM(any_vsw_v, CUSTOM_STORES, 1, 4, false)
#define PRIVATE_AT (va[0] + (uint32_t)op->imm)
#define PRIVATE_FITS                                                                               \
    (!(PRIVATE_AT & 3) && PRIVATE_AT < W->pds_size && W->pds_size - PRIVATE_AT >= 4)
#define PRIVATE_START (W->pds + PRIVATE_AT * (W->numw * SAM_LANES) + 4 * W->tid)
WORD_OP(vlw_v, any_vlw_v, LOADS, EQUAL, PRIVATE_FITS, PRIVATE_START)
WORD_OP(vsw_v, any_vsw_v, CUSTOM_STORES, EQUAL, PRIVATE_FITS, PRIVATE_START)

#define UNIT(size) const uint32_t s = X1 + first * (size)
#define STRIDED                                                                                    \
    const uint32_t stride = c->x32[op->rs2];                                                       \
    const uint32_t s = X1 + first * stride
#define INDEXED                                                                                    \
    const uint32_t *va = V(op->rs2 + g);                                                           \
    const uint32_t s = X1

#define STANDARD(width, size)                                                                      \
    MEMORY_OP(op_vle##width##_v, LOADS, 0, size, true, UNIT(size), s + (uint32_t)i * (size))       \
    MEMORY_OP(op_vse##width##_v, STORES, 0, size, true, UNIT(size), s + (uint32_t)i * (size))      \
    MEMORY_OP(op_vlse##width##_v, LOADS, 0, size, true, STRIDED, s + (uint32_t)i * stride)         \
    MEMORY_OP(op_vsse##width##_v, STORES, 0, size, true, STRIDED, s + (uint32_t)i * stride)
STANDARD(8, 1)
STANDARD(16, 2)
STANDARD(32, 4)

/* The data is SEW wide, whatever the index width. RISC-V V 7.6. */
#define INDEX(width, mask)                                                                         \
    MEMORY_OP(op_vluxei##width##_v, LOADS, 0, 4, true, INDEXED, s + (va[i] & (mask)))              \
    MEMORY_OP(op_vsuxei##width##_v, STORES, 0, 4, true, INDEXED, s + (va[i] & (mask)))
INDEX(8, 0xffu)
INDEX(16, 0xffffu)
INDEX(32, UINT32_MAX)
