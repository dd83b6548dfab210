/* SPDX-License-Identifier: Apache-2.0 */
/* The same OpenCL C on this machine's processor (pocl) and on Ventus: random kernels, bit for bit,
 * and kernels/opencl/. SAMITE_SEED chooses the first random kernel (1), SAMITE_KERNELS how many
 * (200); each takes about a quarter of a second of processor time, most of it in pocl. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "tests/cc/generate.h"
#include "tests/cc/host_device.h"
#include "tests/cc/run.h"

static struct host_device *host;
static uint64_t seed, kernels;

FIXTURE(close_host)
{
    if (host)
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

static struct host_device *open_host(void)
{
    const char *reason = "";
    if (!host)
        host = host_open(&reason);
    if (!host)
        printf("# %s\n", reason);
    return host;
}

/* Run a part of the test in a process of its own: pocl keeps all that it has compiled. */
static bool apart(bool (*part)(uint64_t first, uint64_t count), uint64_t first, uint64_t count)
{
    int status = 1;
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool good = part(first, count);
        fflush(stdout);
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        printf("# SAMITE_SEED=%llu SAMITE_KERNELS=%llu: signal %d\n", (unsigned long long)first,
               (unsigned long long)count, WTERMSIG(status));
    return status == 0;
}

static bool can_open(uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    return open_host() != NULL;
}

PROLOGUE
{
    const char *given = getenv("SAMITE_SEED"), *count = getenv("SAMITE_KERNELS");
    setenv("POCL_KERNEL_CACHE", "0", 0); /* no kernel comes twice */
    cc_need_clang();
    if (!apart(can_open, 0, 0))
        test_skip_all("no OpenCL device for this machine's processor");
    seed = given ? strtoull(given, NULL, 0) : 1;
    kernels = count ? strtoull(count, NULL, 0) : 200;
    printf("# SAMITE_SEED=%llu SAMITE_KERNELS=%llu\n", (unsigned long long)seed,
           (unsigned long long)kernels);
    add_ours();
}

static uint32_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static void on_host(struct host_program *program, const char *kernel, uint32_t global_x,
                    uint32_t global_y, uint32_t local_x, uint32_t local_y,
                    const struct host_argument *arguments, unsigned count)
{
    char message[2000];
    if (!host_run(host, program, kernel, (const uint32_t[]){global_x, global_y},
                  (const uint32_t[]){local_x, local_y}, arguments, count, message))
        fail_msg("%s: %s: %s", host_name(host), kernel, message);
}

static struct host_program *host_program(const char *source, bool plain)
{
    char message[2000];
    struct host_program *program = open_host() ? host_build(host, source, plain, message) : NULL;
    if (!program)
        fail_msg("%s\n%s", message, source);
    return program;
}

enum { GROUPS = 3, MOST = GROUPS * 64 * GENERATE_WORDS + GENERATE_ATOMICS };

/* Whether a random kernel does the same on both; if not, why not is printed. If pocl agrees without
 * optimization, its optimizer is at fault: so it is with one kernel of about 2,000. */
static bool agrees(struct host_program *program, const struct sam_image *image, uint64_t s,
                   unsigned number, const char *source)
{
    static const uint32_t blocks[] = {32, 20, 64, 8}, lanes[] = {32, 16, 32, 8};
    const uint32_t block = blocks[s % 4], n = 5 + (uint32_t)(s % 7);
    const uint32_t words = GROUPS * block * GENERATE_WORDS + GENERATE_ATOMICS;
    uint32_t in[GENERATE_IN], here[MOST] = {0}, there[MOST] = {0};
    uint64_t random = s;
    FREED char *name = formatted("k%u", number);
    for (int i = 0; i < GENERATE_IN; i++)
        in[i] = next_word(&random) >> (i % 4 == 0 ? 24 : i % 4 == 1 ? 16 : 0);
    const struct host_argument arguments[] = {
        {there, words, 0}, {in, GENERATE_IN, 0}, {.scalar = n}};
    on_host(program, name, GROUPS * block, 1, block, 1, arguments, 3);
    const struct cc_launch launch = {.kernel = name,
                                     .grid = {GROUPS, 1, 1},
                                     .block = {block, 1, 1},
                                     .lanes = lanes[s % 4],
                                     .args = &n,
                                     .args_size = 4};
    cc_run(image, &launch, here, words, in, GENERATE_IN);
    uint32_t i = 0;
    while (i < words && here[i] == there[i])
        i++;
    if (i == words)
        return true;
    printf("# SAMITE_SEED=%llu, block %u, %u lanes: word %u of work-item %u: 0x%08x, "
           "expected 0x%08x\n",
           (unsigned long long)s, block, launch.lanes, i % GENERATE_WORDS, i / GENERATE_WORDS,
           here[i], there[i]);
    memset(there, 0, sizeof there);
    program = host_program(source, true);
    on_host(program, name, GROUPS * block, 1, block, 1, arguments, 3);
    host_release(program);
    if (memcmp(here, there, sizeof here) != 0)
        return false;
    printf("# that is what pocl computes without optimization\n");
    return true;
}

/* One file of kernels: clang and pocl read their headers once. */
static bool file_agrees(uint64_t first, uint64_t count)
{
    struct sam_buffer text = {0};
    struct sam_error error;
    bool good = true;
    generate_head(&text);
    for (unsigned i = 0; i < count; i++)
        generate_kernel(&text, first + i, i);
    struct sam_image *image = cc_image_or_error(sam_buffer_text(&text), &error);
    if (!image) {
        printf("# SAMITE_SEED=%llu SAMITE_KERNELS=%llu: %s\n", (unsigned long long)first,
               (unsigned long long)count, error.text);
        return false;
    }
    struct host_program *program = host_program(sam_buffer_text(&text), false);
    for (unsigned i = 0; i < count; i++)
        good &= agrees(program, image, first + i, i, sam_buffer_text(&text));
    host_release(program);
    sam_image_free(image);
    if (!good)
        printf("%s", sam_buffer_text(&text));
    sam_buffer_free(&text);
    return good;
}

static bool files_agree(uint64_t first, uint64_t count)
{
    enum { FILE_KERNELS = 8 };
    bool good = true;
    for (uint64_t i = 0; i < count; i += FILE_KERNELS)
        good &= file_agrees(first + i, count - i < FILE_KERNELS ? count - i : FILE_KERNELS);
    return good;
}

TEST(random_kernels)
{
    enum { PART = 80 };
    bool good = true;
    for (uint64_t i = 0; i < kernels; i += PART)
        good &= apart(files_agree, seed + i, kernels - i < PART ? kernels - i : PART);
    assert_true(good);
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
    SCOPED(sam_buffer) text = {0};
    FREED char *path = formatted(SAM_SOURCE_ROOT "/kernels/opencl/%s.cl", k->file);
    succeeds(sam_file_read, path, 100000, &text);
    const char *source = sam_buffer_text(&text);
    struct host_program *program = host_program(source, false);
    on_host(program, k->kernel, k->grid[0] * k->block[0], k->grid[1] * k->block[1], k->block[0],
            k->block[1], arguments, count);
    host_release(program);
    struct sam_image *image = cc_image(source);
    const struct cc_launch launch = {.kernel = k->kernel,
                                     .grid = {k->grid[0], k->grid[1], 1},
                                     .block = {k->block[0], k->block[1], 1},
                                     .lanes = 32};
    cc_run_buffers(image, &launch, buffers, count);
    sam_image_free(image);
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
