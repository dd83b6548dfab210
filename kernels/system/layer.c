/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

SAM_GPU_KERNEL(softmax);
SAM_GPU_KERNEL(best);

static void *l1m(uint32_t offset)
{
    return (void *)(uintptr_t)(SAM_SYSTEM_L1M + offset);
}

static void *l0m(uint32_t offset)
{
    return (void *)(uintptr_t)(SAM_SYSTEM_L0M + offset);
}

static void *tile_of(uint32_t number)
{
    return l0m(LAYER_TILES + number % LAYER_BUFFERS * LAYER_TILE_BYTES);
}

static char prints[4 + 30 * LAYER_ROWS] __attribute__((aligned(4)));

void layer_expect(bool holds, const char *message)
{
    if (holds)
        return;
    sam_put_text(message);
    sam_put_char('\n');
    sam_exit(1);
}

const struct sam_weight_entry *layer_tensor(const char *name)
{
    const struct sam_weight_entry *tensor = sam_weight_find(name);
    layer_expect(tensor && tensor->chunks,
                 "no packed tensors 'weight' and 'tokens': expected --weights");
    return tensor;
}

const uint16_t *layer_bring(const struct sam_weight_entry *tokens)
{
    static struct sam_weight_record record;
    const uint64_t count = sam_weight_elements(tokens);
    layer_expect(tokens->type == SAM_TYPE_F16 && count <= LAYER_ELEMENTS,
                 "tokens: expected f16, and no more than fit");
    sam_weight_make_decode(&record, tokens, 0, count, SAM_TYPE_F16, l1m(LAYER_TOKENS),
                           2 * (uint32_t)count);
    sam_weight_submit(&record);
    layer_expect(sam_weight_wait() == SAM_WEIGHT_IS_GOOD, "tokens cannot be decoded");
    return l1m(LAYER_TOKENS);
}

void layer_turn(const uint16_t *from, uint32_t blocks, uint32_t row, uint32_t row_bytes)
{
    const char *in = (const char *)from;
    char *out = (char *)l0m(LAYER_ACTIVATIONS) + row * row_bytes;
    const uint32_t step = row_bytes / TURN_ROW; /* from one row to the next, in widths */
    sam_csr_write(SAM_DEVICE_CSR_tload_width, 1024);
    sam_csr_write(SAM_DEVICE_CSR_tload_stride0, 0);
    sam_csr_write(SAM_DEVICE_CSR_tstore_width, TURN_ROW);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride0, 0 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride1, 1 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride2, 2 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride3, 3 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride4, 4 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride5, 5 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride6, 6 * step);
    sam_csr_write(SAM_DEVICE_CSR_tstore_stride7, 7 * step);
    for (; blocks; blocks--, in += 2048, out += TURN_ROW) {
        sam_csr_write(SAM_DEVICE_CSR_tshape, 0x10101); /* 1 x 1 x 1: a slice of a KiB */
        sam_tl_load(1, 0, in);
        sam_tl_load(2, 1, in);
        sam_tl_xpose_h_01(1, 2, 0x01011040);           /* [64, 16, 1, 1] */
        sam_csr_write(SAM_DEVICE_CSR_tshape, 0x80101); /* eight slices, each of a row */
        sam_tl_store(1, 0, out);
        sam_tl_store(2, 0, out + 8 * row_bytes);
    }
}

/* A register has `size` rows of 4 * size bytes: 2 * size f16 or size f32. Activations are in m0,
 * weights in m1 to m3, sums in m4 to m7: each load of activations serves four registers of
 * weights. If only m0 and m4 accumulate, it serves two. */
enum { TWO_SUMS = 0x11, FOUR_SUMS = 0xf0 }; /* acc_regs 0:4 and 4:5:6:7 */

struct product {
    const char *a, *b;  /* activations and weights, in rows of row_bytes */
    uint32_t row_bytes; /* a multiple of 4 * size */
    float *out;
    uint32_t stride; /* from one row of out to the next, in bytes */
    uint32_t rows;   /* of activations, at most size */
    uint32_t size;
};

#define LOAD_TO(m, n) sam_mldh(m, p->row_bytes, b + (n)*p->size * p->row_bytes)
#define LOAD(n)       LOAD_TO(1 + (n) % 3, n)
#define MULTIPLY(n)   sam_fwmmacc_h(4 + (n), 1 + (n) % 3, 0)
#define STORE(n)      sam_mstw(4 + (n), p->stride, p->out + (n)*p->size)

/* 4 * size columns. */
static void multiply_four(const struct product *p)
{
    const uint32_t step = 4 * p->size;
    sam_mmov_mx(4, 0);
    sam_mmov_mx(5, 0);
    sam_mmov_mx(6, 0);
    sam_mmov_mx(7, 0);
    sam_mcfgn(p->size);
    sam_mcfgk(step);
    for (uint32_t at = 0; at < p->row_bytes; at += step) {
        const char *b = p->b + at;
        sam_mcfgm(p->size);
        LOAD(0);
        LOAD(1);
        LOAD(2);
        sam_mcfgm(p->rows);
        sam_mldh(0, p->row_bytes, p->a + at);
        MULTIPLY(0);
        MULTIPLY(1);
        MULTIPLY(2);
        sam_mcfgm(p->size);
        LOAD(3);
        sam_mcfgm(p->rows);
        MULTIPLY(3);
    }
    STORE(0);
    STORE(1);
    STORE(2);
    STORE(3);
}

/* 2 * size columns, with sums in m0 and m4, which cannot be sources. */
static void multiply_two(const struct product *p)
{
    const uint32_t step = 4 * p->size;
    sam_mmov_mx(0, 0);
    sam_mmov_mx(4, 0);
    sam_mcfgn(p->size);
    sam_mcfgk(step);
    for (uint32_t at = 0; at < p->row_bytes; at += step) {
        const char *b = p->b + at;
        sam_mcfgm(p->size);
        LOAD_TO(2, 0);
        LOAD_TO(3, 1);
        sam_mcfgm(p->rows);
        sam_mldh(1, p->row_bytes, p->a + at);
        sam_fwmmacc_h(0, 2, 1);
        sam_fwmmacc_h(4, 3, 1);
    }
    sam_mstw(0, p->stride, p->out);
    sam_mstw(4, p->stride, p->out + p->size);
}

/* Up to `size` columns. */
static void multiply_some(const struct product *p, uint32_t columns)
{
    const uint32_t step = 4 * p->size;
    sam_mmov_mx(4, 0);
    sam_mcfgn(columns);
    sam_mcfgk(step);
    for (uint32_t at = 0; at < p->row_bytes; at += step) {
        const char *b = p->b + at;
        sam_mcfgm(columns);
        LOAD_TO(2, 0);
        sam_mcfgm(p->rows);
        sam_mldh(1, p->row_bytes, p->a + at);
        sam_fwmmacc_h(4, 2, 1);
    }
    sam_mcfgk(4 * columns);
    STORE(0);
}

/* The columns of `out` from `first` on, from `columns` rows of weights. */
static void multiply_tile(const char *weights, uint32_t rows, uint32_t depth, uint32_t first,
                          uint32_t columns, uint32_t all_columns)
{
    struct product p = {
        .row_bytes = 2 * depth, .stride = 4 * all_columns, .size = sam_system_mlen() / 32};
    const bool two = sam_system_acc_regs() == TWO_SUMS;
    const uint32_t turn = (two ? 2 : 4) * p.size;
    for (uint32_t row = 0; row < rows; row += p.size) {
        uint32_t left = columns;
        p.rows = rows - row < p.size ? rows - row : p.size;
        p.a = (const char *)l0m(LAYER_ACTIVATIONS) + row * p.row_bytes;
        p.b = weights;
        p.out = (float *)l1m(LAYER_LOGITS) + row * all_columns + first;
        for (; left >= turn; left -= turn) {
            (two ? multiply_two : multiply_four)(&p);
            p.b += turn * p.row_bytes;
            p.out += turn;
        }
        while (left) {
            const uint32_t some = left < p.size ? left : p.size;
            multiply_some(&p, some);
            p.b += some * p.row_bytes;
            p.out += some;
            left -= some;
        }
    }
}

/* Rows of weights in a tile: fewer in the last one, and none after it. */
static uint32_t rows_of_tile(uint32_t number, uint32_t tile, uint32_t columns)
{
    const uint32_t left = number * tile < columns ? columns - number * tile : 0;
    return left < tile ? left : tile;
}

/* Start to decode a tile, if there is one. */
static void decode_tile(const struct sam_weight_entry *weight, uint32_t number, uint32_t tile,
                        uint32_t columns, uint32_t depth)
{
    static struct sam_weight_record records[LAYER_BUFFERS];
    struct sam_weight_record *record = &records[number % LAYER_BUFFERS];
    const uint64_t count = (uint64_t)rows_of_tile(number, tile, columns) * depth;
    if (count == 0)
        return;
    sam_weight_make_decode(record, weight, (uint64_t)number * tile * depth, count, SAM_TYPE_F16,
                           tile_of(number), LAYER_TILE_BYTES);
    sam_weight_submit(record);
}

uint32_t layer_multiply(const struct sam_weight_entry *weight, uint32_t rows, uint32_t depth)
{
    const uint32_t columns = (uint32_t)sam_weight_extent(weight, 0);
    const uint32_t tile = LAYER_TILE / depth; /* rows of weights in a tile */
    layer_expect(weight->rank == 2 && sam_weight_extent(weight, 1) == depth && tile &&
                     depth % (sam_system_mlen() / 8) == 0,
                 "weight: expected as many columns as a token has features");
    const unsigned sums = sam_system_acc_regs();
    layer_expect(sums == 0xff || sums == FOUR_SUMS || sums == TWO_SUMS,
                 "acc_regs: expected all, 4:5:6:7 or 0:4");
    layer_expect(rows <= LAYER_ROWS && rows * columns <= LAYER_RESULTS &&
                     rows * depth <= LAYER_ELEMENTS,
                 "more tokens, or more columns, than there is room for");
    sam_csr_write(SAM_DEVICE_CSR_xmcsr, 1);
    const uint32_t before = sam_weight_submitted();
    for (uint32_t number = 0; number < LAYER_BUFFERS - 1; number++)
        decode_tile(weight, number, tile, columns, depth);
    for (uint32_t number = 0; number * tile < columns; number++) {
        while ((int32_t)(sam_weight_done() - before - number) <= 0)
            ; /* until this tile has been decoded: the next one may be in flight */
        layer_expect(sam_weight_status() == SAM_WEIGHT_IS_GOOD, "weight cannot be decoded");
        decode_tile(weight, number + LAYER_BUFFERS - 1, tile, columns, depth);
        multiply_tile(tile_of(number), rows, depth, number * tile,
                      rows_of_tile(number, tile, columns), columns);
    }
    return columns;
}

void layer_finish(uint32_t rows, uint32_t columns)
{
    static struct sam_launch_record launches[2];
    static struct sam_metadata_record metadata[2];
    static uint32_t arguments[4];
    layer_expect(gpu_softmax && gpu_best,
                 "no kernels 'softmax' and 'best': expected --gpu-code gpu.s");
    arguments[0] = sam_address(l1m(LAYER_LOGITS));
    arguments[1] = sam_address(l1m(LAYER_PROBABILITIES));
    arguments[2] = columns;
    arguments[3] = sam_address(l1m(LAYER_LIKELY));
    sam_launch_make(&launches[0], &metadata[0], gpu_softmax, arguments, rows, 128, 4 * 128);
    sam_launch_make(&launches[1], &metadata[1], gpu_best, arguments, rows, 32, 4 * 32);
    metadata[1].print = sam_address(prints);
    metadata[1].print_bytes = sizeof prints;
    sam_launch_submit(&launches[0]);
    sam_launch_submit(&launches[1]);
    layer_expect(sam_launch_wait() == 0, "a launch failed");
}
