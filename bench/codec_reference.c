/* SPDX-License-Identifier: Apache-2.0 */
#include "codec_reference.h"

#include <stdlib.h>

#include "codec/planes_tmpl.h"

/* From libzstd 1.5.4 and later: the headers are not installed, but the static library has the
 * symbols. */
size_t HUF_compress4X_repeat(void *to, size_t room, const void *from, size_t size,
                             unsigned most_symbol, unsigned table_log, void *workspace,
                             size_t workspace_size, size_t *table, int *repeat, int flags);
size_t HUF_readDTableX2_wksp(uint32_t *table, const void *from, size_t size, void *workspace,
                             size_t workspace_size, int flags);
size_t HUF_decompress4X_usingDTable(void *to, size_t room, const void *from, size_t size,
                                    const uint32_t *table, int flags);
size_t HUF_decompress4X_hufOnly_wksp(uint32_t *table, void *to, size_t room, const void *from,
                                     size_t size, void *workspace, size_t workspace_size,
                                     int flags);
unsigned HUF_isError(size_t code);

enum { BLOCK = 1 << 17, BMI2 = 1, TABLE_LOG = 11, DECODE_LOG = 12, WORKSPACE = 1 << 16 };

struct reference {
    uint64_t workspace[WORKSPACE / 8];
    size_t encode_table[512];
    uint32_t decode_table[1 + (1 << DECODE_LOG)];
    uint8_t plane[BLOCK + 64];
    uint8_t rest[BLOCK + 64];
};

struct reference *reference_open(void)
{
    return calloc(1, sizeof(struct reference));
}

void reference_close(struct reference *r)
{
    free(r);
}

size_t reference_bound(size_t size)
{
    return size + size / 64 + 4096;
}

static enum sam_layout_id layout_of(enum reference_kind kind)
{
    return kind == REFERENCE_BF16       ? SAM_LAYOUT_BF16
           : kind == REFERENCE_F16_HIGH ? SAM_LAYOUT_F16_DENSE
                                        : SAM_LAYOUT_BYTES;
}

/* A block: the size of the coded plane (top bit set: stored uncompressed), the plane, the rest. The
 * codec's policy decides when to store. */
size_t reference_encode(struct reference *r, enum reference_kind kind, const uint8_t *elements,
                        size_t size, uint8_t *out)
{
    enum sam_layout_id id = layout_of(kind);
    size_t width = sam_layout_of(id)->element;
    uint8_t *start = out;
    for (size_t at = 0; at < size / width; at += BLOCK) {
        size_t n = size / width - at < BLOCK ? size / width - at : BLOCK;
        uint8_t *planes[2] = {r->plane, r->rest};
        const uint8_t *plane = kind == REFERENCE_BYTES ? elements + at : r->plane;
        int repeat = 0;
        if (kind != REFERENCE_BYTES)
            split_elements(id, elements + at * width, n, planes);
        size_t coded = HUF_compress4X_repeat(out + 4, n, plane, n, 255, TABLE_LOG, r->workspace,
                                             sizeof r->workspace, r->encode_table, &repeat, BMI2);
        if (HUF_isError(coded))
            return 0;
        bool raw = coded < 2 || coded + n * width / 128 > n;
        if (raw)
            memcpy(out + 4, plane, coded = n);
        sam_put_le32(out, (uint32_t)coded | (uint32_t)raw << 31);
        out += 4 + coded;
        if (width == 2) {
            memcpy(out, r->rest, n);
            out += n;
        }
    }
    return (size_t)(out - start);
}

static bool decode_block(struct reference *r, enum reference_kind kind, const uint8_t *in,
                         size_t coded, bool raw, uint8_t *plane, size_t n)
{
    if (raw) {
        memcpy(plane, in, n);
        return true;
    }
    r->decode_table[0] = DECODE_LOG * 0x01000001u;
    if (kind == REFERENCE_BYTES) /* one or two symbols per look-up, as huff0 decides */
        return HUF_decompress4X_hufOnly_wksp(r->decode_table, plane, n, in, coded, r->workspace,
                                             sizeof r->workspace, BMI2) == n;
    size_t header =
        HUF_readDTableX2_wksp(r->decode_table, in, coded, r->workspace, sizeof r->workspace, BMI2);
    return !HUF_isError(header) &&
           HUF_decompress4X_usingDTable(plane, n, in + header, coded - header, r->decode_table,
                                        BMI2) == n;
}

size_t reference_decode(struct reference *r, enum reference_kind kind, const uint8_t *in,
                        size_t in_size, uint8_t *elements, size_t size)
{
    enum sam_layout_id id = layout_of(kind);
    size_t width = sam_layout_of(id)->element;
    const uint8_t *start = in;
    for (size_t at = 0; at < size / width; at += BLOCK) {
        size_t n = size / width - at < BLOCK ? size / width - at : BLOCK;
        uint32_t coded = sam_le32(in);
        bool raw = coded >> 31;
        coded &= 0x7fffffff;
        uint8_t *plane = kind == REFERENCE_BYTES ? elements + at : r->plane;
        if (!decode_block(r, kind, in + 4, coded, raw, plane, n))
            return 0;
        in += 4 + coded;
        if (width == 2) {
            const uint8_t *planes[2] = {r->plane, in};
            merge_elements(id, planes, n, elements + at * width);
            in += n;
        }
    }
    return (size_t)(in - start) == in_size ? size : 0;
}

size_t reference_decode_plane(struct reference *r, enum reference_kind kind, const uint8_t *in,
                              size_t in_size, size_t size)
{
    size_t width = sam_layout_of(layout_of(kind))->element;
    const uint8_t *start = in;
    for (size_t at = 0; at < size / width; at += BLOCK) {
        size_t n = size / width - at < BLOCK ? size / width - at : BLOCK;
        uint32_t coded = sam_le32(in);
        if (!decode_block(r, kind, in + 4, coded & 0x7fffffff, coded >> 31, r->plane, n))
            return 0;
        in += 4 + (coded & 0x7fffffff) + (width == 2 ? n : 0);
    }
    return (size_t)(in - start) == in_size ? size / width : 0;
}
