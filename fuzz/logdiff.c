/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing commit logs. The input is two of them, with a zero byte between; without one, a log
 * is compared with itself. A log equals itself, and the order of the logs makes no difference. */
#include "fuzz.h"

#include <string.h>

#include "samite/samite.h"

struct text {
    char *data; /* of exactly `size` bytes, so that a read past the end is detected */
    size_t size;
};

static struct text copy(const uint8_t *data, size_t size)
{
    struct text t = {malloc(size + !size), size};
    FUZZ_CHECK(t.data);
    memcpy(t.data, data, size);
    return t;
}

static void check_line(const struct text *t, const struct sam_log_line *line)
{
    FUZZ_CHECK(!line->line ||
               (line->text >= t->data && line->text + line->size <= t->data + t->size));
    FUZZ_CHECK(!line->line || !memchr(line->text, '\n', line->size));
}

static enum sam_status compare(const struct text *a, const struct text *b, bool *equal)
{
    struct sam_error error = {0};
    struct sam_logdiff diff;
    enum sam_status status =
        sam_log_compare(a->data, a->size, "a", b->data, b->size, "b", &diff, &error);
    FUZZ_CHECK(status == SAM_OK || (status == SAM_ERR_INPUT && error.text[0]));
    *equal = status == SAM_OK && diff.equal;
    if (status != SAM_OK)
        return status;
    FUZZ_CHECK(diff.equal == (!diff.differing && !diff.only[0] && !diff.only[1]));
    FUZZ_CHECK(diff.equal == !diff.what[0]);
    FUZZ_CHECK(diff.compared + diff.only[0] == diff.side[0].warps);
    FUZZ_CHECK(diff.compared + diff.only[1] == diff.side[1].warps);
    FUZZ_CHECK(diff.common_count <= SAM_LOGDIFF_COMMON);
    for (size_t i = 0; i < diff.common_count; i++)
        check_line(a, &diff.common[i]);
    check_line(a, &diff.side[0].line);
    check_line(b, &diff.side[1].line);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t first = zero ? (size_t)(zero - data) : size;
    struct text a = copy(data, first);
    struct text b = zero ? copy(zero + 1, size - first - 1) : copy(data, first);
    bool equal, turned;
    if (compare(&a, &a, &equal) == SAM_OK)
        FUZZ_CHECK(equal);
    enum sam_status one = compare(&a, &b, &equal), other = compare(&b, &a, &turned);
    FUZZ_CHECK(one == other && equal == turned);
    free(a.data);
    free(b.data);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char isa[] =
        "core   0: 0x00001000 (0x00000297) auipc   x5, 0x0\n"
        "core   0: 3 0x00001000 (0x00000297) x5  0x00001000\n"
        "core   0: 0x80000004 (0x80502373) csrr    x6, wid\n"
        "core   0: 3 0x80000004 (0x80502373) x6  0x00000000\n"
        "core   1: 0x80000004 (0x80502373) csrr    x6, wid\n"
        "core   1: 3 0x80000004 (0x80502373) x6  0x00000001\n"
        "core   0: 0x80000008 (0x808023f3) csrr    x7, gidx\n"
        "core   0: 3 0x80000008 (0x808023f3) x7  0x00000002\n"
        "core   0: 0x8000000c (0x0220a0d7) vadd.vv v1, v2, v1\n"
        "core   0: 3 0x8000000c (0x0220a0d7) c8_vstart 0x00000000 e32 m1 l4 v1  0000000f "
        "0x00000004 00000003 00000002 00000001 \n"
        "core   0: 0x80000010 (0x0002a303) lw      x6, 0(x5)\n"
        "core   0: 3 0x80000010 (0x0002a303) x6  0x00000001 mem 0x90000000\n"
        "core   0: 0x80000014 (0x0062a023) sw      x6, 0(x5)\n"
        "core   0: 3 0x80000014 (0x0062a023) mem 0x90000004 0x00000001\n"
        "core   0: 0x80000018 (0x0000205b) join    v0, v0, pc + 0\n"
        "core   0: 3 0x80000018 (0x0000205b) current mask:\t0000000f current npc:\t00000000 stack "
        "size: 0\n"
        "[r_pc] 80000018 [else_pc] 80000018 [else_mask] 0000000f \n"
        "core   0: 3 0x80000018 (0x0000205b) current mask:\t0000000f current npc:\t00000000 stack "
        "size: 0\n"
        "core   0: Executed 2 times\n"
        "core   0: 0x8000001c (0x0000400b) endprg\n"
        "core   0: 3 0x8000001c (0x0000400b)\n"
        "core   0: 0x80000020 (0x0040006f) j       pc + 4\n"
        "core   0: 3 0x80000020 (0x0040006f)\n"
        "core   0: 0x80000004 (0x80502373) csrr    x6, wid\n"
        "core   0: 3 0x80000004 (0x80502373) x6  0x00000000\n";
    static const char rtl[] =
        "Hardware: num_warp = 4, num_thread = 4\n"
        "sm   0 warp 3 0x80000004 0x80502373 x  6  00000000\n"
        "sm   0 warp 2 0x80000004 0x80502373 x  6  00000001\n"
        "sm   0 warp 3 0x80000008 0x808023f3 x  7  00000002\n"
        "sm   0 warp 3 0x8000000c 0x0220a0d7 v  1 1111 00000004 00000003 00000002 00000001 \n"
        "sm   0 warp 3 0x80000010 0x0002a303 lsu.r x   6 op 0 @ 90000000+00000000\n"
        "sm   0 warp 3 0x80000010 0x0002a303 x  6  00000001\n"
        "sm   0 warp 3 0x80000014 0x0062a023 lsu.w fin\n"
        "sm   0 warp 3 0x80000018 0x0000205b join    mask and npc:    1111 0x00000000\n"
        "sm   0 warp 3 0x8000001c 0x0000400b endprg\n"
        "sm   0 warp 3 0x80000004 0x80502373 x  6  00000000\n";
    static const char cycle[] =
        "SM0 warp 0 0x80000004             CSRRS_0x80502373 x 006 00000000 at 395 ns,1\n"
        "SM0 warp 0 0x8000000c           VADD_VV_0x0220a0d7 v 001 00000004,00000003,00000002,"
        "00000001; mask=1111 at 2665 ns,1\n"
        "SM 1 warp 0 0x80000010 x 005 80000198\n"
        "SM 1 warp 0 0x80000010 v 005 80000198 00000000; mask=01\r\n";
    static const char *const logs[] = {isa, rtl, cycle};
    char text[2 * sizeof isa];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++) {
            char name[8] = {(char)('0' + i), (char)('0' + k)};
            const size_t size = strlen(logs[i]), other = strlen(logs[k]);
            memcpy(text, logs[i], size + 1);
            memcpy(text + size + 1, logs[k], other);
            add(context, name, text, size + 1 + other);
        }
    }
}
