/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution: TensorLoad lays out the patches of an image as rows of a matrix (im2col), the
 * matrix unit multiplies them by the weights. The first half is a routine that `samite op` writes:
 *
 *   samite op im2col --kernel 3 --pad 1 --emit im2col.s --call \
 *       --at in=0x10000000,out=0x18000000 image.npy      (f16, [1,16,16,16]; only its shape counts)
 *
 * Image and weights are small integers, so that every sum is exact in any order; each result is
 * compared with a convolution in plain C. Prints the cycles of both halves (instructions, unless
 * the run has --cycles); the exit code is 1 when anything differs. */
#include <samite/device/matrix.h>
#include <samite/device/system.h>

/* [HEIGHT][WIDTH][CHANNELS] by [FILTERS][KERNEL][KERNEL][CHANNELS] to [HEIGHT][WIDTH][FILTERS] */
enum {
    HEIGHT = 16,
    WIDTH = 16,
    CHANNELS = 16,
    KERNEL = 3,
    PAD = 1,
    FILTERS = 24,
    PIXELS = HEIGHT * WIDTH,
    PATCH = KERNEL * KERNEL * CHANNELS,
    ROW = 2 * PATCH, /* bytes of a patch, and of a filter */
    /* offsets in L1M and L0M */
    IMAGE = 0,
    RESULT = 0x10000,
    PATCHES = 0,
    WEIGHTS = 0x20000,
};

void im2col(void);

static int8_t image[HEIGHT][WIDTH][CHANNELS], weights[FILTERS][KERNEL][KERNEL][CHANNELS];

static void *l1m(uint32_t offset)
{
    return (void *)(uintptr_t)(SAM_SYSTEM_L1M + offset);
}

static void *l0m(uint32_t offset)
{
    return (void *)(uintptr_t)(SAM_SYSTEM_L0M + offset);
}

/* Integers from -4 to 4, and the same in f16. */
static void fill(int8_t *values, uint16_t *halves, uint32_t count, uint32_t random)
{
    static const uint16_t of[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    for (uint32_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        const int value = (int)((random >> 16) % 9) - 4;
        values[i] = (int8_t)value;
        halves[i] = (uint16_t)(value < 0 ? 0x8000 | of[-value] : of[value]);
    }
}

/* `columns` results of `rows` patches, each at most the rows of a register. */
static void multiply(const char *patches, const char *filters, float *out, uint32_t rows,
                     uint32_t columns)
{
    const uint32_t step = sam_system_mlen() / 8; /* bytes of a row of a register */
    sam_mmov_mx(4, 0);
    sam_mcfgn(columns);
    for (uint32_t at = 0; at < ROW; at += step) {
        sam_mcfgk(ROW - at < step ? ROW - at : step);
        sam_mcfgm(columns);
        sam_mldh(1, ROW, filters + at);
        sam_mcfgm(rows);
        sam_mldh(2, ROW, patches + at);
        sam_fwmmacc_h(4, 1, 2);
    }
    sam_mcfgk(4 * columns);
    sam_mstw(4, 4 * FILTERS, out);
}

static void multiply_all(void)
{
    const uint32_t size = sam_system_mlen() / 32;
    sam_csr_write(SAM_DEVICE_CSR_xmcsr, 1);
    for (uint32_t row = 0; row < PIXELS; row += size)
        for (uint32_t column = 0; column < FILTERS; column += size)
            multiply((const char *)l0m(PATCHES) + row * ROW,
                     (const char *)l0m(WEIGHTS) + column * ROW,
                     (float *)l1m(RESULT) + row * FILTERS + column,
                     PIXELS - row < size ? PIXELS - row : size,
                     FILTERS - column < size ? FILTERS - column : size);
}

static int32_t result_of(int32_t y, int32_t x, uint32_t filter)
{
    int32_t sum = 0;
    for (int32_t dy = 0; dy < KERNEL; dy++)
        for (int32_t dx = 0; dx < KERNEL; dx++) {
            const int32_t row = y + dy - PAD, column = x + dx - PAD;
            if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH)
                continue;
            for (uint32_t c = 0; c < CHANNELS; c++)
                sum += image[row][column][c] * weights[filter][dy][dx][c];
        }
    return sum;
}

/* The bits of an integer below 2^24 as f32: the hart has no floating point. */
static uint32_t float_of(int32_t value)
{
    uint32_t bits = (uint32_t)(value < 0 ? -value : value), exponent = 150;
    if (!bits)
        return 0;
    for (; bits < 1u << 23; bits <<= 1)
        exponent--;
    return (value < 0 ? 1u << 31 : 0) | exponent << 23 | (bits & 0x7fffff);
}

static uint32_t wrong_results(void)
{
    const uint32_t *bits = (const uint32_t *)l1m(RESULT);
    uint32_t wrong = 0;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            for (uint32_t filter = 0; filter < FILTERS; filter++)
                wrong += *bits++ != float_of(result_of(y, x, filter));
    return wrong;
}

int main(void)
{
    fill(&image[0][0][0], (uint16_t *)l1m(IMAGE), sizeof image, 1);
    fill(&weights[0][0][0][0], (uint16_t *)l0m(WEIGHTS), sizeof weights, 2);
    const uint64_t start = sam_system_cycles();
    im2col();
    const uint64_t middle = sam_system_cycles();
    multiply_all();
    const uint64_t end = sam_system_cycles();
    const uint32_t wrong = wrong_results();
    sam_put_text("im2col");
    sam_put_number(middle - start, 8);
    sam_put_text(", gemm");
    sam_put_number(end - middle, 8);
    sam_put_text(wrong ? ": FAIL, wrong:" : ": PASS, right:");
    sam_put_number(wrong ? wrong : PIXELS * FILTERS, 6);
    sam_put_char('\n');
    return wrong != 0;
}
