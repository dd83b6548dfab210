/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels: correct bit by bit at every MLEN and XLEN with edge tiles in all dimensions,
 * and incorrect when their source is damaged. */
#include "test.h"
#include <unistd.h>

#include <gemm.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_right(const struct gemm_kernel *kernel, const struct gemm_config *config)
{
    SCOPED(gemm) g;
    struct sam_error error = {0};
    enum sam_status status = gemm_open(&g, kernel, config, &error);
    if (status == SAM_OK)
        status = gemm_run(&g, &error);
    bool good = status == SAM_OK && gemm_check(&g);
    return good;
}

static void expect_right(const struct gemm_kernel *kernel, const struct gemm_config *config)
{
    if (!is_right(kernel, config))
        fail_msg("%s %u x %u x %u, MLEN %u, RV%u, acc_regs 0x%x", kernel->name, config->m,
                 config->n, config->k, config->mlen, config->xlen, config->acc_regs);
}

/* One element; a full tile; one more and one less in each dimension. */
static void edges(void **state)
{
    const struct gemm_kernel *kernel = *state;
    static const int more[][3] = {{0, 0, 0}, {1, 1, 2},  {-1, -1, -2}, {1, 0, 0}, {0, 1, 0},
                                  {0, 0, 2}, {-1, 0, 0}, {0, -1, 0},   {0, 0, -2}};
    static const uint32_t organisations[] = {0, 0x11, 0xf0}; /* all; 0:4; 4:5:6:7 */
    for (unsigned mlen = 128; mlen <= 512; mlen *= 2) {
        const uint32_t m = mlen / 32, n = mlen / kernel->target, k = mlen / kernel->source;
        for (size_t i = 0; i < COUNT(more); i++) {
            struct gemm_config config = {.m = m + (uint32_t)more[i][0],
                                         .n = n + (uint32_t)more[i][1],
                                         .k = k + (uint32_t)more[i][2],
                                         .mlen = mlen,
                                         .xlen = i % 2 ? 32 : 64,
                                         .dir = KERNEL_DIR,
                                         .acc_regs = organisations[i % 3]};
            expect_right(kernel, &config);
            config.m = 2 * m + config.m;
            config.n = 2 * n + config.n;
            config.k = k + config.k;
            expect_right(kernel, &config);
        }
        struct gemm_config one = {1, 1, 2, mlen, 64, KERNEL_DIR, NULL, 0};
        expect_right(kernel, &one);
    }
}

static void large(void **state)
{
    const struct gemm_kernel *kernel = *state;
    const struct gemm_config configs[] = {{1024, 19, 70, 512, 64, KERNEL_DIR, NULL, 0},
                                          {17, 1024, 70, 512, 64, KERNEL_DIR, NULL, 0},
                                          {33, 21, 1024, 512, 64, KERNEL_DIR, NULL, 0}};
    for (size_t i = 0; i < COUNT(configs); i++)
        expect_right(kernel, &configs[i]);
}

/* Under the cycle model the results are the same, whatever the configuration. */
static void cycle_by_cycle(void **state)
{
    (void)state;
    static const char *const configs[] = {
        "",
        "mpara=1,npara=16,slots=1,wb_bypass=1",
        "mpara=16,npara=1,slots=16,tree_stages=1,acc_latency=1",
        "step_m=1,rows_m_block=4,acc_latency=16,ld_queue=1,st_queue=1",
        "ooo_window=32,ld_queue=32,mem_latency=100,stall=50,seed=7",
        "beat_cycles=4,stall=90,st_queue=2",
    };
    for (size_t i = 0; i < COUNT(configs); i++) {
        for (size_t k = 0; k < gemm_kernel_count; k++) {
            struct sam_mxu_config model;
            sam_mxu_config_init(&model, 512);
            succeeds(sam_mxu_config_set, &model, configs[i]);
            struct gemm_config config = {37, 41, 70, 512, 64, KERNEL_DIR, &model, 0x11};
            expect_right(&gemm_kernels[k], &config);
        }
    }
}

/* At least 0.9 of the cycles go to reads that no schedule of these blocks of C could avoid; 0.89
 * where K is two steps. */
static void busy_bus(void **state)
{
    const struct gemm_kernel *kernel = *state;
    for (uint32_t acc_regs = 0; acc_regs <= 0x11; acc_regs += 0x11) {
        const struct gemm_config config = {256, 256, 256, 512, 64, KERNEL_DIR, NULL, acc_regs};
        const double bound = gemm_bound(kernel, &config);
        const double cycles = (double)gemm_cycles(kernel, &config);
        if (cycles < bound || cycles * (kernel->source == 4 ? 0.89 : 0.9) > bound)
            fail_msg("%s, acc_regs 0x%x: %.0f cycles, bound %.0f", kernel->name, acc_regs, cycles,
                     bound);
    }
}

static char *read_text(const char *folder, const char *name)
{
    char path[4096], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    succeeds(sam_file_load, path, 1 << 20, &text, &size);
    char *copy = test_room(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    free(text);
    return copy;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    FREED char *path = formatted("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Missing bounds checks, wrong steps, a wrong accumulator. */
static void damaged(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"bgeu    \\rs2, \\rs1, 9f", "j 9f"},
        {"sub     t5, t5, \\rd", "nop"},
        {"bnez    s11, 8f", "j 8f"},
        {"li      s11, 1", "nop"},
        {"add     t1, t1, a5", "nop"},
        {"add     t5, t5, s4", "nop"},
        {"add     t1, t1, s4", "nop"},
        {"load_rows m3, sp, t4", "nop"},
        {"last_c  m7, s9, gp, t6, zero", "nop"},
        {"add     a2, a2, s5", "nop"},
        {"mul     s5, s0, s3", "mul s5, s0, s2"},
    };
    char folder[] = "/tmp/samite-gemm-XXXXXX", path[4096];
    assert_non_null(mkdtemp(folder));
    FREED char *text = read_text(KERNEL_DIR, "gemm.inc"),
               *kernel = read_text(KERNEL_DIR, "gemm_f16.s");
    write_text(folder, "gemm_f16.s", kernel);
    for (size_t i = 0; i < COUNT(changes); i++) {
        char *at = strstr(text, changes[i][0]);
        assert_non_null(at);
        FREED char *mutant = test_room(strlen(text) + 64);
        sprintf(mutant, "%.*s%s%s", (int)(at - text), text, changes[i][1],
                at + strlen(changes[i][0]));
        write_text(folder, "gemm.inc", mutant);
        struct gemm_config config = {101, 85, 70, 512, 64, folder, NULL, 0};
        if (is_right(gemm_find("f16"), &config))
            fail_msg("right with %s for %s", changes[i][1], changes[i][0]);
    }
    snprintf(path, sizeof path, "%s/gemm.inc", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/gemm_f16.s", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

PROLOGUE
{
    for (size_t i = 0; i < gemm_kernel_count; i++) {
        test_add(edges, &gemm_kernels[i], "%s, edges", gemm_kernels[i].name);
        test_add(large, &gemm_kernels[i], "%s, large", gemm_kernels[i].name);
    }
    for (size_t i = 0; i < gemm_kernel_count; i++)
        test_add(busy_bus, &gemm_kernels[i], "%s, busy bus", gemm_kernels[i].name);
    test_add(cycle_by_cycle, NULL, "cycle by cycle");
    test_add(damaged, NULL, "damaged");
}
