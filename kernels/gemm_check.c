/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"

#define MATRICES UINT64_C(0x10000000)

const struct gemm_kernel gemm_kernels[] = {
    {"i8", 8, 32, false},  {"i4", 4, 32, false},      {"f16", 16, 16, true},
    {"f32", 32, 32, true}, {"f16_f32", 16, 32, true},
};
const size_t gemm_kernel_count = sizeof gemm_kernels / sizeof gemm_kernels[0];

const struct gemm_kernel *gemm_find(const char *name)
{
    for (size_t i = 0; i < gemm_kernel_count; i++)
        if (strcmp(gemm_kernels[i].name, name) == 0)
            return &gemm_kernels[i];
    return NULL;
}

/* ---------------------------------------------------------------------------- elements */

static double half_value(uint16_t bits)
{
    int field = bits >> 10 & 31, fraction = bits & 1023;
    double value = field ? ldexp(fraction | 1024, field - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* To nearest, ties to even. Infinity past the largest. */
static uint16_t half_of(double value)
{
    unsigned sign = signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    frexp(value, &exponent);
    int unit = exponent < -13 ? -24 : exponent - 11;
    double scaled = nearbyint(ldexp(fabs(value), -unit));
    unsigned bits = value == 0 ? 0 : (unsigned)(unit + 24) << 10;
    bits += (unsigned)scaled; /* a carry moves into the exponent */
    return (uint16_t)(sign | (bits > 0x7c00 ? 0x7c00 : bits));
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Small numbers with many significant bits, so that sums round but do not overflow. */
static void fill(uint8_t *bytes, size_t size, unsigned bits, bool is_float, uint64_t *state)
{
    for (size_t i = 0; i < size;) {
        uint64_t random = next(state) >> 20;
        float single = (float)((double)(int32_t)random * 0x1p-31);
        uint16_t half = half_of((double)single);
        if (is_float && bits == 32) {
            memcpy(bytes + i, &single, 4);
            i += 4;
        } else if (is_float) {
            memcpy(bytes + i, &half, 2);
            i += 2;
        } else {
            bytes[i++] = (uint8_t)random;
        }
    }
}

static int integer_at(const uint8_t *row, uint32_t k, unsigned bits)
{
    int nibble = row[k / 2] >> 4 * (k % 2) & 15;
    return bits == 8 ? (int8_t)row[k] : (nibble ^ 8) - 8;
}

static double float_at(const uint8_t *row, uint32_t k, unsigned bits)
{
    float single;
    uint16_t half;
    if (bits == 32) {
        memcpy(&single, row + 4 * (size_t)k, 4);
        return (double)single;
    }
    memcpy(&half, row + 2 * (size_t)k, 2);
    return half_value(half);
}

/* One step of a sum, rounded to the accumulator. The product of two halves plus a half, computed in
 * double, rounds to half like the exact sum. */
static double step(double a, double b, double t, unsigned bits)
{
    if (bits == 16)
        return half_value(half_of(a * b + t));
    return (double)fmaf((float)a, (float)b, (float)t);
}

/* The expected C[i][j]: for each row of a register a sum from zero, then added to C. */
static void expect(const struct gemm *g, uint32_t i, uint32_t j, uint8_t *out)
{
    const struct gemm_kernel *kernel = g->kernel;
    const uint32_t k_all = g->config.k, tile = g->config.mlen / kernel->source;
    const uint8_t *a = g->a + i * (g->size[0] / g->config.m);
    const uint8_t *b = g->b + j * (g->size[1] / g->config.n);
    const unsigned bytes = kernel->target / 8;
    const uint8_t *c = g->c + ((size_t)i * g->config.n + j) * bytes;
    if (!kernel->is_float) {
        uint32_t sum;
        memcpy(&sum, c, 4);
        for (uint32_t k = 0; k < k_all; k++)
            sum += (uint32_t)(integer_at(a, k, kernel->source) * integer_at(b, k, kernel->source));
        memcpy(out, &sum, 4);
        return;
    }
    double sum = float_at(c, 0, kernel->target);
    for (uint32_t first = 0; first < k_all; first += tile) {
        double t = 0;
        for (uint32_t k = first; k < k_all && k < first + tile; k++)
            t = step(float_at(a, k, kernel->source), float_at(b, k, kernel->source), t,
                     kernel->target);
        sum = step(1, sum, t, kernel->target);
    }
    float single = (float)sum;
    uint16_t half = half_of(sum);
    memcpy(out, bytes == 4 ? (const void *)&single : (const void *)&half, bytes);
}

/* ----------------------------------------------------------------------------- the run */

static enum sam_status refuse(struct sam_error *error, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return SAM_ERR_USAGE;
}

static enum sam_status load_program(struct gemm *g, const struct sam_isa *isa,
                                    struct sam_error *error)
{
    char path[4096], *text, *messages = NULL;
    size_t size;
    const char *include = g->config.dir;
    snprintf(path, sizeof path, "%s/gemm_%s.s", g->config.dir, g->kernel->name);
    enum sam_status status = sam_file_load(path, 1 << 20, &text, &size, error);
    if (status != SAM_OK)
        return status;
    struct sam_asm_options options = {
        .isa = *isa, .base = SAM_HART_CODE_BASE, .include_paths = &include, .include_count = 1};
    status = sam_assemble(&options, path, text, size, &g->image, &messages, error);
    if (status != SAM_OK && messages)
        snprintf(error->text, sizeof error->text, "%.*s", (int)sizeof error->text - 1, messages);
    sam_text_free(messages);
    free(text);
    return status;
}

static enum sam_status place(struct gemm *g, struct sam_error *error)
{
    const uint8_t *data[] = {g->a, g->b, g->c};
    uint64_t address = MATRICES;
    for (int i = 0; i < 3; i++) {
        g->address[i] = address;
        address += (g->size[i] + 0xfff) & ~UINT64_C(0xfff);
        enum sam_status status = sam_hart_map(g->hart, g->address[i], g->size[i], error);
        if (status == SAM_OK)
            status = sam_hart_write(g->hart, g->address[i], data[i], g->size[i], error);
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

enum sam_status gemm_open(struct gemm *g, const struct gemm_kernel *kernel,
                          const struct gemm_config *config, struct sam_error *error)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    *g = (struct gemm){.kernel = kernel, .config = *config};
    struct gemm_config *c = &g->config;
    c->mlen = c->mlen ? c->mlen : 512;
    if (c->m - 1 >= GEMM_MAX || c->n - 1 >= GEMM_MAX || c->k - 1 >= GEMM_MAX)
        return refuse(error, "M, N and K are 1 to 4096");
    if ((size_t)c->k * kernel->source % 8)
        return refuse(error, "int4 needs an even K");
    g->size[0] = (size_t)c->m * c->k * kernel->source / 8;
    g->size[1] = (size_t)c->n * c->k * kernel->source / 8;
    g->size[2] = (size_t)c->m * c->n * kernel->target / 8;
    g->a = malloc(g->size[0]);
    g->b = malloc(g->size[1]);
    g->c = malloc(g->size[2]);
    if (!g->a || !g->b || !g->c)
        return refuse(error, "out of memory");
    fill(g->a, g->size[0], kernel->source, kernel->is_float, &state);
    fill(g->b, g->size[1], kernel->source, kernel->is_float, &state);
    fill(g->c, g->size[2], kernel->target, kernel->is_float, &state);
    struct sam_hart_options options = {
        .size = sizeof options, .mlen = c->mlen, .cycles = c->cycles, .acc_regs = c->acc_regs};
    enum sam_status status =
        sam_isa_parse(c->xlen == 32 ? "rv32im_zicsr_zfinx_xmatrix" : "rv64im_zicsr_zfinx_xmatrix",
                      &options.isa, error);
    if (status == SAM_OK)
        status = load_program(g, &options.isa, error);
    if (status == SAM_OK)
        status = sam_hart_new(&options, &g->hart, error);
    if (status == SAM_OK)
        status = sam_hart_load(g->hart, g->image, error);
    return status == SAM_OK ? place(g, error) : status;
}

/* a6: of m4 to m7, only m4 accumulates. */
static bool has_two_sums(const struct gemm_config *config)
{
    return config->acc_regs && (config->acc_regs & 0xf0) != 0xf0;
}

enum sam_status gemm_run(struct gemm *g, struct sam_error *error)
{
    const uint64_t arguments[] = {
        g->address[0],
        g->address[1],
        g->address[2],
        g->config.m,
        g->config.n,
        g->config.k,
        has_two_sums(&g->config),
    };
    struct sam_hart_result result;
    for (unsigned i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        sam_hart_set_x(g->hart, 10 + i, arguments[i]);
    sam_hart_set_pc(g->hart, g->image->entry);
    enum sam_status status = sam_hart_run(g->hart, &result, error);
    g->insns = result.instructions;
    return status;
}

bool gemm_check(struct gemm *g)
{
    const unsigned bytes = g->kernel->target / 8;
    uint8_t *got = malloc(g->size[2]);
    bool good = got && sam_hart_read(g->hart, g->address[2], got, g->size[2], NULL) == SAM_OK;
    for (uint32_t i = 0; good && i < g->config.m; i++) {
        for (uint32_t j = 0; good && j < g->config.n; j++) {
            uint8_t want[4];
            const uint8_t *at = got + ((size_t)i * g->config.n + j) * bytes;
            expect(g, i, j, want);
            good = memcmp(at, want, bytes) == 0;
            if (!good)
                snprintf(g->failure, sizeof g->failure,
                         "C[%u][%u] is %02x%02x%02x%02x, not %02x%02x%02x%02x (lowest byte first)",
                         i, j, at[0], at[1], bytes == 4 ? at[2] : 0, bytes == 4 ? at[3] : 0,
                         want[0], want[1], bytes == 4 ? want[2] : 0, bytes == 4 ? want[3] : 0);
        }
    }
    free(got);
    return good;
}

void gemm_free(struct gemm *g)
{
    sam_hart_free(g->hart);
    sam_image_free(g->image);
    free(g->a);
    free(g->b);
    free(g->c);
    *g = (struct gemm){0};
}

uint64_t gemm_cycles(const struct gemm_kernel *kernel, const struct gemm_config *config)
{
    struct sam_mxu_config model;
    struct gemm_config timed = *config;
    struct gemm g;
    struct sam_error error;
    sam_mxu_config_init(&model, config->mlen);
    timed.cycles = &model;
    const bool ran =
        gemm_open(&g, kernel, &timed, &error) == SAM_OK && gemm_run(&g, &error) == SAM_OK;
    const uint64_t cycles = ran ? sam_hart_cycles(g.hart)->cycles : 0;
    gemm_free(&g);
    return cycles;
}

double gemm_bound(const struct gemm_kernel *kernel, const struct gemm_config *config)
{
    const bool pairs = kernel->target == 16, two = has_two_sums(config);
    const unsigned row = (config->mlen ? config->mlen : 512) / 32;
    const double rows = row * (pairs && !two ? 4 : 2), columns = row * (two && !pairs ? 1 : 2);
    const double bytes =
        (rows + columns) * config->k * kernel->source / 8 + rows * columns * kernel->target / 8;
    return config->m / rows * config->n / columns * bytes / 16;
}
