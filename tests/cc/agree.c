/* SPDX-License-Identifier: Apache-2.0 */
/* The same OpenCL C on this machine's processor (pocl) and on Ventus: random kernels, bit for bit,
 * and kernels/opencl/. SAMITE_SEED chooses the first random kernel (1), SAMITE_KERNELS how many
 * (40). pocl and clang each compile every kernel, so 200 take minutes on a loaded machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
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

static void add_ours(void);

#ifdef __SANITIZE_ADDRESS__
/* pocl keeps what it has compiled until the process ends. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
/* NOLINTEND(bugprone-reserved-identifier) */
#endif

PROLOGUE
{
    const char *reason, *given = getenv("SAMITE_SEED"), *count = getenv("SAMITE_KERNELS");
    setenv("POCL_KERNEL_CACHE", "0", 0); /* no kernel comes twice */
    cc_need_clang();
    host = host_open(&reason);
    if (!host)
        test_skip_all("%s", reason);
    seed = given ? strtoull(given, NULL, 0) : 1;
    kernels = count ? strtoull(count, NULL, 0) : 40;
    printf("# %s; SAMITE_SEED=%llu SAMITE_KERNELS=%llu\n", host_name(host),
           (unsigned long long)seed, (unsigned long long)kernels);
    add_ours();
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

/* softmax is not here: pocl 3.1 gives it other sums from run to run. kernels/check --opencl checks
 * it. Kernels of kernels/opencl/ by name, with the size of grid and block and the arguments: o an
 * output and i an input of that many words, f an input of floats, u a number; floats of the output
 * within `ulp`. */
static const struct ours {
    const char *file, *kernel;
    uint32_t grid[2], block[2];
    const char *arguments;
    unsigned ulp;
} kernels_of_ours[] = {
    {"vecadd", "vecadd", {8, 1}, {64, 1}, "f500 f500 o500 u500", 0},
    {"saxpy", "saxpy", {3, 1}, {50, 1}, "f500 f500 u500 u1069547520", 0},
    {"sgemm", "sgemm", {5, 4}, {8, 8}, "f1023 f1221 o1147 u31 u37 u33", 0},
    {"reduce", "reduce", {4, 1}, {44, 1}, "i900 i1 u900", 0},
    {"scan", "scan_block", {10, 1}, {50, 1}, "i480 o480 o10 u480", 0},
    {"scan", "scan_add", {10, 1}, {50, 1}, "i480 i10 u480", 0},
    {"transpose", "transpose", {3, 4}, {16, 16}, "i2450 o2450 u50 u49", 0},
    {"histogram", "histogram", {4, 1}, {60, 1}, "i3000 i77 u3000 u77", 0},
    {"diverge", "diverge", {8, 1}, {64, 1}, "s500 o500 u500", 0},
};

static void fill(uint32_t *words, char kind, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = next_word(random);
        const float x = (float)(word % 4001) / 1000.f - 2;
        words[i] = kind == 'i' ? word : kind == 's' ? word % 100000 : 0;
        if (kind == 'f')
            memcpy(&words[i], &x, 4);
    }
}

/* Distance of two floats of one sign; integers that differ are far apart. */
static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void check_ours(void **state)
{
    const struct ours *k = *state;
    enum { WORDS = 1 << 13, MOST_ARGUMENTS = 8 };
    static uint32_t here[MOST_ARGUMENTS][WORDS], there[MOST_ARGUMENTS][WORDS];
    struct host_argument arguments[MOST_ARGUMENTS];
    struct cc_buffer buffers[MOST_ARGUMENTS] = {0};
    uint64_t random = seed;
    unsigned count = 0;
    for (const char *p = k->arguments; *p; count++) {
        char *end;
        const uint32_t value = (uint32_t)strtoul(p + 1, &end, 10);
        arguments[count] = (struct host_argument){.scalar = value};
        buffers[count].count = value;
        if (*p != 'u') {
            assert_true(value <= WORDS);
            fill(there[count], *p, value, &random);
            memcpy(here[count], there[count], sizeof here[count]);
            arguments[count] = (struct host_argument){there[count], value, 0};
            buffers[count].in = buffers[count].out = here[count];
        }
        p = *end ? end + 1 : end;
    }
    char path[512];
    struct sam_buffer text = {0};
    struct sam_error error;
    snprintf(path, sizeof path, SAM_SOURCE_ROOT "/kernels/opencl/%s.cl", k->file);
    assert_int_equal(sam_file_read(path, 100000, &text, &error), SAM_OK);
    const char *source = sam_buffer_text(&text);
    on_host(source, k->kernel, k->grid[0] * k->block[0], k->grid[1] * k->block[1], k->block[0],
            k->block[1], arguments, count);
    struct sam_image *image = cc_image(source);
    const struct cc_launch launch = {.kernel = k->kernel,
                                     .grid = {k->grid[0], k->grid[1], 1},
                                     .block = {k->block[0], k->block[1], 1},
                                     .lanes = 32};
    cc_run_buffers(image, &launch, buffers, count);
    sam_image_free(image);
    sam_buffer_free(&text);
    for (unsigned a = 0; a < count; a++)
        for (uint32_t i = 0; arguments[a].words && i < arguments[a].count; i++)
            if (distance(here[a][i], there[a][i]) > k->ulp)
                fail_msg("argument %u, word %u: 0x%08x, expected 0x%08x", a, i, here[a][i],
                         there[a][i]);
}

static void add_ours(void)
{
    for (size_t i = 0; i < SAM_COUNT(kernels_of_ours); i++)
        test_add(check_ours, &kernels_of_ours[i], "%s", kernels_of_ours[i].kernel);
}
