/* SPDX-License-Identifier: Apache-2.0 */
/* The same OpenCL C on this machine's processor (pocl) and on Ventus: random kernels, bit for bit,
 * and kernels/opencl/. SAMITE_SEED chooses the first random kernel, SAMITE_KERNELS how many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/cc/generate.h"
#include "tests/cc/host_device.h"
#include "tests/cc/run.h"

static struct host_device *host;
static uint64_t seed, kernels;

static int close_host(void **state)
{
    (void)state;
    host_close(host);
    return 0;
}

TEST_GROUP(NULL, close_host)

PROLOGUE
{
    const char *reason, *given = getenv("SAMITE_SEED"), *count = getenv("SAMITE_KERNELS");
    setenv("POCL_KERNEL_CACHE", "0", 0); /* no kernel comes twice */
    cc_need_clang();
    host = host_open(&reason);
    if (!host)
        test_skip_all("%s", reason);
    seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 1000;
    kernels = count ? strtoull(count, NULL, 0) : 200;
    printf("# %s; SAMITE_SEED=%llu SAMITE_KERNELS=%llu\n", host_name(host),
           (unsigned long long)seed, (unsigned long long)kernels);
}

static uint32_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static void on_host(const char *source, const char *kernel, uint32_t global_x, uint32_t global_y,
                    uint32_t local_x, uint32_t local_y, const struct host_argument *arguments,
                    unsigned count)
{
    char message[2000];
    if (!host_run(host, source, kernel, (const uint32_t[]){global_x, global_y},
                  (const uint32_t[]){local_x, local_y}, arguments, count, message))
        fail_msg("%s: %s\n%s", host_name(host), message, source);
}

enum { GROUPS = 3, MOST = GROUPS * 64 * GENERATE_WORDS + GENERATE_ATOMICS };

/* Whether the random kernel of a seed does the same on both; if not, why not is printed. */
static bool agrees(uint64_t s, const char *source)
{
    static const uint32_t blocks[] = {32, 20, 64, 8}, lanes[] = {32, 16, 32, 8};
    const uint32_t block = blocks[s % 4], n = 5 + (uint32_t)(s % 7);
    const uint32_t words = GROUPS * block * GENERATE_WORDS + GENERATE_ATOMICS;
    uint32_t in[GENERATE_IN], here[MOST] = {0}, there[MOST] = {0};
    uint64_t random = s;
    for (int i = 0; i < GENERATE_IN; i++)
        in[i] = next_word(&random) >> (i % 4 == 0 ? 24 : i % 4 == 1 ? 16 : 0);
    const struct host_argument arguments[] = {
        {there, words, 0}, {in, GENERATE_IN, 0}, {.scalar = n}};
    on_host(source, "k", GROUPS * block, 1, block, 1, arguments, 3);
    struct sam_error error;
    struct sam_image *image = cc_image_or_error(source, &error);
    if (!image) {
        printf("# SAMITE_SEED=%llu: %s\n", (unsigned long long)s, error.text);
        return false;
    }
    const struct cc_launch launch = {.kernel = "k",
                                     .grid = {GROUPS, 1, 1},
                                     .block = {block, 1, 1},
                                     .lanes = lanes[s % 4],
                                     .args = &n,
                                     .args_size = 4};
    cc_run(image, &launch, here, words, in, GENERATE_IN);
    sam_image_free(image);
    for (uint32_t i = 0; i < words; i++) {
        if (here[i] == there[i])
            continue;
        printf("# SAMITE_SEED=%llu, block %u, %u lanes: word %u of work-item %u: 0x%08x, "
               "expected 0x%08x\n",
               (unsigned long long)s, block, launch.lanes, i % GENERATE_WORDS, i / GENERATE_WORDS,
               here[i], there[i]);
        return false;
    }
    return true;
}

TEST(random_kernels)
{
    uint64_t wrong = 0;
    for (uint64_t s = seed; s < seed + kernels; s++) {
        struct sam_buffer text = {0};
        generate_kernel(&text, s);
        if (!agrees(s, sam_buffer_text(&text)) && wrong++ == 0)
            printf("%s", sam_buffer_text(&text));
        fflush(stdout);
        sam_buffer_free(&text);
    }
    if (wrong)
        fail_msg("%llu of %llu kernels differ", (unsigned long long)wrong,
                 (unsigned long long)kernels);
}
