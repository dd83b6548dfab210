/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of bench/loops compute the same as plain C versions of them. */
#include "test.h"

#include <check.h>

enum { GROUPS = 3, WORDS = 16384 };

static uint32_t rotated_mix(uint32_t turns, uint32_t id, uint32_t first)
{
    const uint32_t golden = 0x9e3779b9;
    uint32_t v3 = id + golden, v4 = id ^ golden, v5 = id, v6 = v3;
    for (; turns; turns--) {
        v3 += v4;
        v5 ^= v3;
        v5 = v5 << 13 | v5 >> 19;
        v4 -= v5;
        uint32_t both = v3 & v4;
        v6 += golden;
        v6 ^= (uint32_t)((int32_t)v6 > (int32_t)both ? v6 : both);
        v3 += 7;
        v4 += v6 << 3;
        v6 -= v3 < v4 ? v3 : v4;
        v5 |= first;
    }
    return (v3 + v4) ^ (v5 + v6);
}

static float float_mix(uint32_t turns, uint32_t id)
{
    float v3 = (float)id, v4 = v3 + 0.5f, v5 = v3 + 1.25f, v6 = v3 + 0.25f;
    for (; turns; turns--) {
        v3 = v3 * 0.5f;
        v3 = v3 + 1.25f;
        v4 = fmaf(v4, 0.5f, 1.25f);
        v5 = v5 * 0.25f;
        v5 = v5 + 0.5f;
        v6 = fmaf(v6, 0.25f, 1.25f);
        float v7 = v3 + v4;
        v7 = v7 * 0.25f;
        v3 = fmaf(v3, 0.5f, v7);
        float v11 = v5 + v6;
        v11 = v11 * 0.5f;
        v5 = fmaf(v5, 0.25f, v11);
        v4 = v4 * 0.5f;
        v6 = v6 + 0.25f;
        v4 = fmaf(v4, 0.5f, v7);
        v6 = fmaf(v6, 0.5f, v11);
    }
    float a = v3 + v4;
    float b = v5 + v6;
    return a + b;
}

static uint32_t scalar_mix(uint32_t turns, uint32_t id)
{
    const uint32_t golden = 0x9e3779b9;
    uint32_t a = id + golden, b = id;
    for (; turns; turns--) {
        a += golden;
        b ^= a;
        b = b << 13 | b >> 19;
        a -= b;
        uint32_t c = (a & b) + 7;
        b += a < b;
        a ^= (uint32_t)((int32_t)a >> 5);
        a += c << 2;
        b |= a & 255;
    }
    return a + b;
}

/* Three workgroups of config.block work-items; `want` is the expected value of each output word. */
static void run_loop(struct check *check, const uint32_t *want, size_t count)
{
    uint32_t *got = check_words(check, count);
    uint32_t args[] = {check->config.size, check_buffer(check, NULL, count)};
    uint32_t grid[2] = {GROUPS, 1};
    uint32_t block[2] = {check->config.block, 1};
    check_launch(check, check->kernel->name, grid, block, args, 2);
    check_read(check, args[1], got, count);
    check_equal(check, "out", got, want, count);
}

static uint32_t warps(const struct check *check)
{
    return GROUPS * check_ceil_div(check->config.block, check->config.lanes);
}

static void alu_int(struct check *check)
{
    uint32_t lanes = check->config.lanes;
    uint32_t count = warps(check) * lanes;
    uint32_t *want = check_words(check, count);
    for (uint32_t i = 0; i < count; i++)
        want[i] = rotated_mix(check->config.size, i, i - i % lanes);
    run_loop(check, want, count);
}

static void divergent(struct check *check)
{
    uint32_t lanes = check->config.lanes;
    uint32_t count = warps(check) * lanes;
    uint32_t *want = check_words(check, count);
    for (uint32_t i = 1; i < count; i += 2)
        want[i] = rotated_mix(check->config.size, i, i - i % lanes);
    run_loop(check, want, count);
}

static void alu_float(struct check *check)
{
    uint32_t count = warps(check) * check->config.lanes;
    uint32_t *want = check_words(check, count);
    for (uint32_t i = 0; i < count; i++)
        want[i] = check_float_bits(float_mix(check->config.size, i));
    run_loop(check, want, count);
}

static void scalar(struct check *check)
{
    uint32_t count = warps(check);
    uint32_t *want = check_words(check, count);
    for (uint32_t i = 0; i < count; i++)
        want[i] = scalar_mix(check->config.size, i);
    run_loop(check, want, count);
}

static void mem_unit(struct check *check)
{
    uint32_t *want = check_random_words(check, WORDS);
    uint32_t *got = check_words(check, WORDS);
    uint32_t args[] = {check->config.size, check_buffer(check, want, WORDS)};
    for (uint32_t turn = 0; turn < check->config.size; turn++) {
        uint32_t *part = want + turn * 256 % WORDS;
        uint32_t old[256];
        memcpy(old, part, sizeof old);
        for (uint32_t i = 0; i < 256; i++)
            if (i % 32 < check->config.lanes)
                part[(i + 32) % 256] = old[i];
    }
    uint32_t one[2] = {1, 1};
    uint32_t block[2] = {check->config.lanes, 1};
    check_launch(check, "mem_unit", one, block, args, 2);
    check_read(check, args[1], got, WORDS);
    check_equal(check, "buffer", got, want, WORDS);
}

static const struct kernel_check loops[] = {
    {"alu_int", "turns", 9, 1000, 64, alu_int, false},
    {"alu_float", "turns", 9, 1000, 64, alu_float, false},
    {"divergent", "turns", 9, 1000, 64, divergent, false},
    {"scalar", "turns", 9, 1000, 64, scalar, false},
    {"mem_unit", "turns", 131, 1000, 64, mem_unit, false}, /* twice around and three */
};

static void test_loop(void **state)
{
    const struct kernel_check *loop = *state;
    for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
        struct check_config config = {
            .lanes = lanes, .jobs = 1, .max_insns = 1000000, .dir = LOOP_DIR};
        struct check_report report;
        struct sam_error error = {0};
        enum sam_status status = kernel_check_run(loop, &config, &report, &error);
        if (status || !report.pass)
            fail_msg("%s, %u lanes: %s", loop->name, (unsigned)lanes,
                     status ? error.text : report.failure);
    }
}

PROLOGUE
{
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        test_add(test_loop, &loops[i], "%s", loops[i].name);
}
