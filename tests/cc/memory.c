/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers, copies of memory, atomic types. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tests/cc/run.h"

PROLOGUE
{
    cc_need_clang();
}

static void expect_copies(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint8_t p[67] = {1, 2, 3}, q[67], counts[259] = {0};
    p[in[i] % 67] = 9;
    memcpy(q, p, sizeof q);
    q[in[i + 1] % 67] = 7;
    memmove(q + 1, q, 65);
    for (uint32_t k = 0; k < 40; k++)
        counts[in[i + k] % 259] += (uint8_t)(k + 1);
    for (uint32_t k = 0; k < 67; k++)
        out[0] = out[0] * 31 + q[k] + p[66 - k];
    for (uint32_t k = 0; k < 259; k++)
        out[1] = out[1] * 31 + counts[k];
}

TEST(copies_of_odd_sizes)
{
    cc_check("struct odd { uchar counts[259]; };" CC_KERNEL
             "uchar p[67] = {1, 2, 3}, q[67]; struct odd s = {{0}}; p[in[i] % 67] = 9;"
             "__builtin_memcpy(q, p, 67); q[in[i + 1] % 67] = 7; __builtin_memmove(q + 1, q, 65);"
             "for (uint k = 0; k < 40; k++) s.counts[in[i + k] % 259] += k + 1;"
             "struct odd t = s; uint a = 0, b = 0;"
             "for (uint k = 0; k < 67; k++) a = a * 31 + q[k] + p[66 - k];"
             "for (uint k = 0; k < 259; k++) b = b * 31 + t.counts[k];"
             "out[2 * i] = a; out[2 * i + 1] = b; }",
             2, expect_copies);
}

static void expect_generic(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    uint32_t a[8] = {0};
    for (uint32_t k = 0; k < 8; k++)
        a[in[i + k] & 7] = k + in[i];
    for (uint32_t k = 0; k < 8; k++)
        out[0] += a[k];
    out[0] += in[i / block * block] + in[i / block * block + 1] + in[0] + in[1] + in[2];
    out[0] += a[(in[i] & 1 ? 0 : 2) + (in[i + 1] & 3)];
}

TEST(generic_pointers)
{
    cc_check(
        "// CL2.0\n"
        "uint sum(const uint *p, int n) { uint s = 0; for (int k = 0; k < n; k++) s += p[k]; "
        "return s; }"
        "void put(uint *p, uint at, uint v) { p[at] = v; }" CC_KERNEL
        "__local uint l[240]; uint a[8] = {0}; for (uint k = 0; k < 8; k++) put(a, in[i + k] & "
        "7, k + in[i]);"
        "put(l, get_local_id(0), in[i]); barrier(CLK_LOCAL_MEM_FENCE);"
        "uint *q = in[i] & 1 ? a : a + 2;"
        "out[i] = sum(a, 8) + sum(l, 2) + sum(in, 3) + q[in[i + 1] & 3]; }",
        1, expect_generic);
}

static void expect_pointers(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const float x = (float)(in[i] & 0xffff) / 8.0f;
    float results[4] = {x - (float)(int)x, (float)(int)x, (float)((in[i] & 7) + 1) * 0.5f, 0};
    int exponent;
    frexpf(x, &exponent);
    results[3] = (float)exponent;
    memcpy(out, results, sizeof results);
    out[4] = in[i + 1];
    out[5] = 0x3c00 + (in[i] & 3) * 0x400;
}

/* Builtins that take pointers: to named spaces, and generic ones. */
static void check_pointers(const char *standard)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_puts(&text, standard);
    sam_buffer_puts(&text, CC_KERNEL
                    "float x = (in[i] & 0xffff) / 8.0f, whole; int exponent;"
                    "__global float *o = (__global float *)out + 6 * i; ushort halves[4];"
                    "o[0] = modf(x, &whole); o[1] = whole; frexp(x, &exponent); o[3] = exponent;"
                    "vstore_half((in[i] & 7) + 1, 1, (half *)halves);"
                    "o[2] = vload_half(1, (half *)halves) * 0.5f;"
                    "vstore2(vload2(0, in + i), 0, out + 6 * i + 3); o[3] = exponent;"
                    "vstore_half(1 << (in[i] & 3), 0, (__global half *)(out + 6 * i + 5)); }");
    cc_check(sam_buffer_text(&text), 6, expect_pointers);
}

TEST(builtins_with_pointers)
{
    check_pointers("");
    check_pointers("// CL2.0\n");
    check_pointers("// CL3.0\n");
}

static void expect_atomic_types(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    uint32_t sum = 5, most = 0;
    for (uint32_t k = i / block * block; k < (i / block + 1) * block; k++) {
        sum += in[k] & 3;
        most = in[k] > most ? in[k] : most;
    }
    out[0] = sum;
    out[1] = most;
    out[2] = block - 1;
}

/* Atomic types, and builtins with generic pointers. */
TEST(atomic_types)
{
    static const char body[] =
        "__local atomic_int l; __local atomic_uint m, c; uint whole[2], old;"
        "if (get_local_id(0) == 0) { atomic_init(&l, 5); atomic_init(&m, 0); atomic_init(&c, 0); }"
        "barrier(CLK_LOCAL_MEM_FENCE);"
        "atomic_fetch_add_explicit(&l, (int)(in[i] & 3), memory_order_relaxed, "
        "memory_scope_work_group); atomic_fetch_max(&m, in[i]);"
        "if (get_local_id(0)) { do old = atomic_load(&c); while "
        "(!atomic_compare_exchange_weak(&c, &old, old + 1)); }"
        "barrier(CLK_LOCAL_MEM_FENCE);"
        "vstore2((uint2)(atomic_load(&l), atomic_load_explicit(&m, memory_order_acquire)), 0, "
        "whole);"
        "out[3 * i] = whole[0]; out[3 * i + 1] = whole[1]; out[3 * i + 2] = atomic_load(&c); }";
    static const char *const standards[] = {"// CL2.0\n", "// CL3.0\n"};
    for (size_t k = 0; k < SAM_COUNT(standards); k++) {
        FREED char *text = formatted("%s" CC_KERNEL "%s", standards[k], body);
        cc_check(text, 3, expect_atomic_types);
    }
}

/* One warp waits for what the other stores, in plain words between fences and around atomics. */
TEST(fences_order_plain_accesses)
{
    SCOPED_IMAGE *image =
        cc_image("// CL2.0\n"
                 "__kernel void k(__global uint *x, __global atomic_uint *f) {"
                 "if (get_local_id(0) == 0) {"
                 "uint first = x[0], now; atomic_store(f, 1);"
                 "do { mem_fence(CLK_GLOBAL_MEM_FENCE); now = x[0]; } while (!now);"
                 "x[1] = first + 10 * now; first = x[2]; atomic_store(f, 2);"
                 "while (atomic_load(f) != 3) {} x[3] = first + 10 * x[2];"
                 "} else if (get_local_id(0) == 8) {"
                 "while (atomic_load(f) != 1) {} x[0] = 5;"
                 "while (atomic_load(f) != 2) {} x[2] = 6; atomic_store(f, 3); x[2] = 7; } }");
    uint32_t x[4] = {0}, flag = 0;
    const struct cc_buffer buffers[] = {{x, x, SAM_COUNT(x)}, {&flag, NULL, 1}};
    cc_run_buffers(
        image,
        &(struct cc_launch){.kernel = "k", .grid = {1, 1, 1}, .block = {16, 1, 1}, .lanes = 8},
        buffers, SAM_COUNT(buffers));
    assert_int_equal(x[1], 50);
    assert_in_range(x[3], 60, 70);
}
