/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of kernels/system: correct for every type of weights and many sizes, in assembly
 * and, if there is a cross compiler, in C; incorrect when their source or their result is
 * damaged. */
#include "test.h"
#include <unistd.h>

#include "folder.h"
#include "streams.h"
#include <packed.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SYSTEM_DIR   KERNEL_DIR "/system"

static const enum sam_dtype types[] = {SAM_F16, SAM_E4M3, SAM_E5M2, SAM_E2M1};

static struct sam_buffer console;
static bool check_races;                       /* in the following runs */
static const struct sam_system_timing *timing; /* of the following runs, or NULL */
static uint32_t acc_regs;
static bool load_widen;
static const uint32_t organisations[] = {0, 0x11, 0xf0}; /* all; 0:4; 4:5:6:7 */

/* Run a layer; free *result. */
static enum sam_status run(const struct packed_layer *layer, const char *folder,
                           const char *program, unsigned mlen, struct packed_result *result,
                           struct sam_error *error)
{
    const struct packed_run how = {folder,      program, mlen,     test_sink(&console),
                                   check_races, timing,  acc_regs, load_widen};
    console.size = 0;
    return packed_run(layer, &how, result, error);
}

static void expect_right(const struct packed_config *config, const char *program, unsigned mlen)
{
    struct packed_layer layer;
    SCOPED(packed_result) result;
    succeeds(packed_make, &layer, config);
    succeeds(run, &layer, SYSTEM_DIR, program, mlen, &result);
    if (!packed_check(&layer, &result))
        fail_msg("%s, %u tokens, %u by %u: %s", sam_dtype_name(config->type), layer.rows,
                 config->depth, config->columns, result.failure);
    assert_true(result.logit_error < 0.5 && result.probability_error < 0.5);
    /* a line per token, with the likely column */
    const char *line = sam_buffer_text(&console);
    for (uint32_t row = 0; row < layer.rows; row++) {
        unsigned number, column, whole, tenth;
        assert_int_equal(
            sscanf(line, "row %u: column %u, %u.%u %%", &number, &column, &whole, &tenth), 4);
        assert_int_equal(number, row);
        assert_int_equal(column, result.likely[row]);
        const float p = result.probabilities[(size_t)row * config->columns + column];
        assert_int_equal(10 * whole + tenth, (unsigned)(p * 1000));
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(*line, '\0');
    packed_free(&layer);
}

TEST(in_assembly)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct packed_config configs[] = {{types[i], 1, 512, 1024, 1, false},
                                                {types[i], 1, 64, 64, 2, false},
                                                {types[i], 1, 192, 4096, 3, false},
                                                {types[i], 1, 2048, 320, 4, false}};
        for (size_t k = 0; k < COUNT(configs); k++) {
            acc_regs = organisations[(i + k) % 3];
            expect_right(&configs[k], NULL, 512);
        }
    }
    acc_regs = 0;
}

/* Weights of 8 bits that the matrix unit widens; of both layouts. */
TEST(widened_by_loads)
{
    struct sam_system_config *config;
    struct sam_system_timing with = {.size = sizeof with};
    load_widen = check_races = true;
    for (unsigned i = 0; i < 6; i++) {
        const bool e5m2 = i % 2;
        const struct packed_config layer = {.type = e5m2 ? SAM_E5M2 : SAM_E4M3,
                                            .groups = 1,
                                            .depth = 192,
                                            .columns = 128,
                                            .seed = i,
                                            .window = i > 2};
        succeeds(sam_system_config_new, &config);
        succeeds(sam_system_config_set, config, e5m2 ? "mx.load_widen=e5m2" : "mx.load_widen=e4m3");
        with.config = config;
        timing = &with;
        acc_regs = organisations[i % 3];
        expect_right(&layer, NULL, 512);
        sam_system_config_free(config);
    }
    timing = NULL;
    acc_regs = 0;
    load_widen = check_races = false;
}

/* ------------------------------------------------------------------------------------- in C */

static const char *const widths[] = {"-march=rv32im -mabi=ilp32",
                                     "-march=rv64im -mabi=lp64 -mcmodel=medany"};

static bool has_compiler(void)
{
    const bool has = test_shell("riscv64-unknown-elf-gcc --version >/dev/null 2>&1");
    if (!has)
        printf("# no cross compiler: programs in C are skipped\n");
    return has;
}

static void compile(const char *name, const char *width)
{
    const char *top = getenv("SAMITE_SOURCE");
    if (!test_shell("riscv64-unknown-elf-gcc %s -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion "
                    "-Werror -ffreestanding -nostdlib -L '%s/include/samite/device' -T system.ld "
                    "-I '%s/include' '%s/include/samite/device/start.S' '%s/%s.c' %s -lgcc -o "
                    "'%s/%s'",
                    width, top, top, top, SYSTEM_DIR, name,
                    strcmp(name, "roundtrip") == 0 ? ""
                    : strcmp(name, "conv") == 0    ? test_path("im2col.s")
                                                   : "'" SYSTEM_DIR "/layer.c'",
                    test_folder, name))
        fail_msg("%s.c does not compile with %s", name, width);
}

/* Edges in each dimension, at every MLEN; several groups of tokens. */
TEST(in_c)
{
    static const struct packed_config configs[] = {
        {SAM_F16, 1, 512, 1024, 1, false},  {SAM_E4M3, 2, 256, 1000, 2, false},
        {SAM_E5M2, 3, 192, 1001, 3, false}, {SAM_E2M1, 1, 128, 2050, 4, false},
        {SAM_F16, 16, 64, 17, 5, false},    {SAM_E4M3, 1, 4096, 1, 6, false}};
    for (size_t w = 0; has_compiler() && w < COUNT(widths); w++) {
        compile("gemm", widths[w]);
        for (unsigned mlen = 128; mlen <= 512; mlen *= 2)
            for (size_t i = 0; i < COUNT(configs); i++) {
                acc_regs = organisations[(i + mlen / 128) % 3];
                expect_right(&configs[i], test_path("gemm"), mlen);
            }
        acc_regs = 0;
        compile("gemv", widths[w]);
        for (size_t i = 0; i < COUNT(types); i++) {
            const struct packed_config config = {types[i], 0, 1024, 300 + (uint32_t)i, 7, false};
            expect_right(&config, test_path("gemv"), 512);
        }
    }
}

/* A name, bytes before and after packing, the ratio; then cycles. */
TEST(round_trip)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } rows[] = {{"bf16", 1 << 16},
                {"fp16", 1 << 16},
                {"e4m3", 1 << 15},
                {"e5m2", 1 << 15},
                {"e2m1", 1 << 14}};
    const struct packed_config config = {SAM_F16, 1, 64, 64, 1, false};
    struct packed_layer layer;
    struct packed_result result;
    succeeds(packed_make, &layer, &config);
    for (size_t w = 0; has_compiler() && w < COUNT(widths); w++) {
        compile("roundtrip", widths[w]);
        succeeds(run, &layer, SYSTEM_DIR, test_path("roundtrip"), 512, &result);
        const char *line = strchr(sam_buffer_text(&console), '\n');
        for (size_t i = 0; i < COUNT(rows); i++) {
            char name[8];
            unsigned raw, packed, share;
            assert_int_equal(sscanf(line, "\n%7s %u %u %u %%", name, &raw, &packed, &share), 4);
            assert_string_equal(name, rows[i].name);
            assert_int_equal(raw, rows[i].bytes);
            assert_true(packed < raw && packed % 64 == 0);
            assert_int_equal(share, (packed * UINT64_C(200) + raw) / (2 * raw)); /* rounded */
            line = strchr(line + 1, '\n');
        }
        assert_string_equal(line, "\n");
        packed_result_free(&result);
    }
    packed_free(&layer);
}

/* The routine of `samite op`; name, shape and addresses are known to the program. */
static void write_im2col(const char *pad)
{
    static uint16_t zeros[16 * 16 * 16];
    const struct sam_array image = {.dtype = SAM_F16,
                                    .rank = 4,
                                    .shape = {1, 16, 16, 16},
                                    .count = sizeof zeros / 2,
                                    .size = sizeof zeros,
                                    .data = zeros};
    succeeds(sam_npy_write, test_path("image.npy"), &image);
    if (!test_shell("cd '%s' && \"$SAMITE\" op im2col --kernel 3 --pad %s --emit im2col.s --call "
                    "--at in=0x10000000,out=0x18000000 image.npy",
                    test_folder, pad))
        fail_msg("no routine");
}

/* The program compares every result with plain C; a routine with shifted patches is detected. */
TEST(convolution)
{
    for (size_t w = 0; has_compiler() && w < COUNT(widths); w++)
        for (int wrong = 0; wrong < 2; wrong++) {
            write_im2col(wrong ? "0,2,1,1" : "1");
            compile("conv", widths[w]);
            for (unsigned mlen = 128; mlen <= 512; mlen *= 2)
                if (!test_shell(
                        "cd '%s' && { \"$SAMITE\" run conv --machine system -q --isa "
                        "rv%dima_zicsr_zfinx_xtensorload_xmatrix --mlen %u >out.txt 2>err.txt; "
                        "test $? = %d; } && grep -q '%s' out.txt",
                        test_folder, w ? 64 : 32, mlen, wrong,
                        wrong ? "FAIL, wrong:" : "PASS, right:  6144$"))
                    fail_msg("conv, MLEN %u, routine %d", mlen, wrong);
        }
}

/* ---------------------------------------------------------------------------------- damaged */

/* One result slightly outside the tolerance. */
TEST(wrong_results)
{
    const struct packed_config config = {SAM_F16, 1, 256, 256, 1, false};
    struct packed_layer layer;
    SCOPED(packed_result) result;
    succeeds(packed_make, &layer, &config);
    succeeds(run, &layer, SYSTEM_DIR, NULL, 512, &result);
    assert_true(packed_check(&layer, &result));
    float *const logit = &result.logits[3 * 256 + 70], *const p = &result.probabilities[77];
    float kept = *logit;
    *logit = kept + 1e-3F;
    assert_false(packed_check(&layer, &result));
    assert_non_null(strstr(result.failure, "logits[3][70] is "));
    *logit = kept;
    kept = *p;
    *p = kept * 1.01F;
    assert_false(packed_check(&layer, &result));
    assert_non_null(strstr(result.failure, "probabilities[0][77] is "));
    *p = 0.0F / 0.0F;
    assert_false(packed_check(&layer, &result));
    *p = kept;
    result.likely[15] ^= 1;
    assert_false(packed_check(&layer, &result));
    assert_non_null(strstr(result.failure, "likely[15] is "));
    result.likely[15] ^= 1;
    assert_true(packed_check(&layer, &result));
    packed_free(&layer);
}

static void write_changed(const char *name, const char *from, const char *to)
{
    char path[4096], *text;
    size_t size;
    SCOPED(sam_buffer) out = {0};
    snprintf(path, sizeof path, SYSTEM_DIR "/%s", name);
    succeeds(sam_file_load, path, 1 << 20, &text, &size);
    sam_buffer_append(&out, text, size);
    free(text);
    const char *whole = sam_buffer_text(&out), *at = from ? strstr(whole, from) : NULL;
    if (from && !at)
        fail_msg("no '%s' in %s", from, name);
    snprintf(path, sizeof path, "%s/kernels/system/%s", test_folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (from)
        fprintf(file, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    else
        fputs(whole, file);
    assert_int_equal(fclose(file), 0);
}

/* A layer, and a copy of the sources that its programs include besides the changed ones. */
static struct packed_layer make_changeable(const struct packed_config *config)
{
    struct packed_layer layer;
    succeeds(packed_make, &layer, config);
    assert_true(test_shell("mkdir -p '%s/kernels/system' && ln -sfn '" KERNEL_DIR
                           "/../include' '%s/include' && for f in start.inc softmax.s; do ln -sfn "
                           "'" KERNEL_DIR "'/$f '%s/kernels/'; done",
                           test_folder, test_folder, test_folder));
    return layer;
}

/* Missing waits, wrong steps and wrong tiles are detected. */
TEST(wrong_programs)
{
    static const char *const changes[][3] = {
        {"layer.s", "add     \\tile, \\tile, t0", "nop"},
        {"layer.s", "add     s7, s7, a3", "nop"},
        {"layer.s", "mul     a2, s7, s2", "li a2, 0"},
        {"layer.s", "add     a3, a3, t0", "nop"},
        {"layer.s", "tl.xpose.h.01 tl1, tl2, t4", "nop"},
        {"layer.s", "tl.store tl2, 0(t5)", "nop"},
        {"layer.s", "mldh    \\register, s4, \\address", "nop"},
        {"layer.s", "mmov.mx \\sum, a5", "nop"},
        {"layer.s", "li      t0, SAM_TYPE_F16", "li t0, SAM_TYPE_E5M2"},
        {"layer.s", "sw      s0, 0(t0)", "nop"},
        {"layer.s", "sw      s1, 0(t0)", "nop"},
        {"gpu.s", "vmul.vv v6, v6, v5", "nop"},
        {"gpu.s", "fmax.s  s4, s4, t2", "nop"},
        {"gpu.s", "bgeu    t2, s5, .Llater", "nop"},
    };
    const struct packed_config config = {SAM_F16, 1, 512, 512, 1, false};
    struct packed_layer layer = make_changeable(&config);
    struct packed_result result;
    struct sam_error error;
    for (size_t i = 0; i <= COUNT(changes); i++) { /* the last: unchanged */
        write_changed("layer.s", NULL, NULL);
        write_changed("gpu.s", NULL, NULL);
        if (i < COUNT(changes))
            write_changed(changes[i][0], changes[i][1], changes[i][2]);
        const enum sam_status status =
            run(&layer, test_path("kernels/system"), NULL, 512, &result, &error);
        const bool right = status == SAM_OK && packed_check(&layer, &result);
        if (i < COUNT(changes) && right)
            fail_msg("right with '%s' instead of '%s'", changes[i][2], changes[i][1]);
        if (i == COUNT(changes) && !right)
            fail_msg("wrong without a change: %s", status == SAM_OK ? result.failure : error.text);
        packed_result_free(&result);
    }
    packed_free(&layer);
}

/* Every program waits for a result before its use. */
TEST(races)
{
    static const struct packed_config configs[] = {{SAM_F16, 1, 64, 64, 1, false},
                                                   {SAM_E4M3, 1, 192, 320, 2, false},
                                                   {SAM_E2M1, 1, 64, 640, 3, false}};
    const struct sam_system_timing with = {.size = sizeof with};
    check_races = true;
    for (size_t i = 0; i < COUNT(configs); i++)
        expect_right(&configs[i], NULL, 512);
    timing = &with; /* DONE says less */
    for (size_t i = 0; i < COUNT(configs); i++)
        expect_right(&configs[i], NULL, 512);
    timing = NULL;
    for (size_t w = 0; has_compiler() && w < COUNT(widths); w++) {
        const struct packed_config one = {SAM_E5M2, 0, 1024, 40, 7, false};
        compile("gemm", widths[w]);
        expect_right(&configs[1], test_path("gemm"), 256);
        compile("gemv", widths[w]);
        expect_right(&one, test_path("gemv"), 512);
    }
    check_races = false;
}

/* A missing wait is a race, although results without time are correct. */
TEST(missing_waits)
{
    static const struct {
        const char *from, *to, *first, *second;
    } changes[] = {
        {"wait:\n    li      t0, SAM_SYSTEM_WEIGHT_WAIT",
         "wait:\n    li t0, SAM_SYSTEM_WEIGHT_STATUS", " by the ", "store by weight record"},
        {"lwu     t1, 0(t0)\n    bltu    t1, s11, .Lpoll", "nop", "load by the matrix unit",
         "store by weight record"},
        {"lw      t1, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(t0)",
         "sw zero, 60(s0)\n li t1, 0", "store by the hart", "load by GPU launch 0"},
    };
    const struct packed_config config = {SAM_F16, 1, 64, 64, 1, false};
    struct packed_layer layer = make_changeable(&config);
    struct packed_result result;
    struct sam_error error;
    for (size_t i = 0; i < COUNT(changes); i++) {
        write_changed("layer.s", changes[i].from, changes[i].to);
        write_changed("gpu.s", NULL, NULL);
        succeeds(run, &layer, test_path("kernels/system"), NULL, 512, &result);
        assert_true(packed_check(&layer, &result));
        packed_result_free(&result);
        check_races = true;
        assert_int_equal(run(&layer, test_path("kernels/system"), NULL, 512, &result, &error),
                         SAM_ERR_TRAP);
        check_races = false;
        if (!strstr(error.text, changes[i].first) || !strstr(error.text, changes[i].second))
            fail_msg("%s", error.text);
        packed_result_free(&result);
    }
    packed_free(&layer);
}

/* Timing changes no result, whatever the parameters; raw weights take other cycles. */
TEST(in_time)
{
    static const char *const texts[] = {
        "", "mem.dram_bytes=1,wu.symbols=8",
        "mem.l2_size=4096,mx.mpara=8,mx.npara=8,gpu.sms=1,tl.queue=1"};
    const struct packed_config config = {SAM_E5M2, 1, 512, 1024, 1, false};
    struct packed_layer layer;
    struct packed_result plain, timed, raw;
    succeeds(packed_make, &layer, &config);
    succeeds(run, &layer, SYSTEM_DIR, NULL, 512, &plain);
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sam_system_timing with = {.size = sizeof with};
        struct sam_system_config *parameters;
        succeeds(sam_system_config_new, &parameters);
        succeeds(sam_system_config_set, parameters, texts[i]);
        with.config = parameters;
        timing = &with;
        succeeds(run, &layer, SYSTEM_DIR, NULL, 512, &timed);
        with.raw_weights = true;
        succeeds(run, &layer, SYSTEM_DIR, NULL, 512, &raw);
        timing = NULL;
        /* a symbol per element, in this type and for tokens; raw weights have none */
        assert_int_equal(timed.figures->energy.count[SAM_ENERGY_symbol],
                         (uint64_t)config.depth * (config.columns + layer.rows));
        assert_int_equal(raw.figures->energy.count[SAM_ENERGY_symbol], 0);
        const size_t size = sizeof(float) * layer.rows * config.columns;
        assert_memory_equal(timed.logits, plain.logits, size);
        assert_memory_equal(timed.probabilities, plain.probabilities, size);
        assert_memory_equal(raw.probabilities, plain.probabilities, size);
        assert_int_equal(timed.figures->packed, raw.figures->packed);
        assert_true(timed.figures->packed < timed.figures->raw);
        assert_true(timed.figures->cycles != raw.figures->cycles);
        packed_result_free(&timed);
        packed_result_free(&raw);
        sam_system_config_free(parameters);
    }
    packed_result_free(&plain);
    packed_free(&layer);
}

/* A tile that is multiplied one record too early: with timing, DONE shows it. */
TEST(a_poll_that_ends_too_early)
{
    const struct packed_config config = {SAM_F16, 1, 512, 512, 1, false};
    const struct sam_system_timing with = {.size = sizeof with};
    struct packed_layer layer = make_changeable(&config);
    struct packed_result result;
    struct sam_error error;
    write_changed("layer.s", "bltu    t1, s11, .Lpoll", "addi t1, t1, 1\n bltu t1, s11, .Lpoll");
    write_changed("gpu.s", NULL, NULL);
    check_races = true;
    succeeds(run, &layer, test_path("kernels/system"), NULL, 512, &result);
    packed_result_free(&result);
    timing = &with;
    assert_int_equal(run(&layer, test_path("kernels/system"), NULL, 512, &result, &error),
                     SAM_ERR_TRAP);
    timing = NULL;
    check_races = false;
    if (!strstr(error.text, "load by the matrix unit") ||
        !strstr(error.text, "store by weight record 1 at"))
        fail_msg("%s", error.text);
    packed_result_free(&result);
    packed_free(&layer);
}

static int tear_down(void **state)
{
    sam_buffer_free(&console);
    return test_folder_remove(state);
}

/* Sizes that exceed the room of layer.s are rejected before it runs. */
TEST(deep_layers)
{
    struct packed_layer layer;
    struct packed_result result;
    struct packed_config config = {.type = SAM_E5M2, .groups = 1, .depth = 2112, .columns = 64};
    succeeds(packed_make, &layer, &config);
    const struct packed_run run = {.folder = "none"};
    must_fail(SAM_ERR_USAGE, "of depth up to 2048", packed_run, &layer, &run, &result);
    packed_free(&layer);
    config.depth = 100;
    must_fail(SAM_ERR_USAGE, "a multiple of 64", packed_make, &layer, &config);
    packed_free(&layer);
}

TEST_GROUP(test_folder_make, tear_down)
