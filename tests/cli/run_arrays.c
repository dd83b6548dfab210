/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` and arrays: NumPy files into memory and out of it, arguments of the tensor hart, and
 * checks with tolerances. */
#include "cli/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSOR "--machine tensor -q "

/* The file's header, then the elements as they are in the file. */
static void write_npy(const char *name, const char *header, const void *data, size_t size)
{
    struct sam_error error;
    struct sam_buffer file = {0};
    char path[128];
    sam_buffer_append(&file, "\x93NUMPY\1\0\x76\0", 10);
    sam_buffer_printf(&file, "%-117s\n", header);
    assert_int_equal(file.size, 128);
    sam_buffer_append(&file, data, size);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_file_save(path, file.data, file.size, &error), SAM_OK);
    sam_buffer_free(&file);
}

#define HEADER(type, order, shape)                                                                 \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': (" shape "), }"

static struct sam_array read_npy(const char *name)
{
    struct sam_array array;
    struct sam_error error;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (sam_npy_read(path, &array, &error) != SAM_OK)
        fail_msg("%s", error.text);
    return array;
}

static void write_floats(const char *name, const float *values, size_t count)
{
    struct sam_error error;
    char path[128];
    struct sam_array array = {SAM_F32, 1, {count}, count, 4 * count, (void *)values};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
}

/* n bytes from a0 to a1; words of the arguments: a0 and a1 first */
static const char copy[] = "        add     a2, a2, a0\n"
                           "1:      lbu     t0, 0(a0)\n"
                           "        sb      t0, 0(a1)\n"
                           "        addi    a0, a0, 1\n"
                           "        addi    a1, a1, 1\n"
                           "        bltu    a0, a2, 1b\n"
                           "        li      a0, CODE\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

/* a0..a7 and three words of the stack into the buffer at a0 */
static const char dump64[] = "        sd a0, 0(a0)\n  sd a1, 8(a0)\n  sd a2, 16(a0)\n"
                             "        sd a3, 24(a0)\n sd a4, 32(a0)\n sd a5, 40(a0)\n"
                             "        sd a6, 48(a0)\n sd a7, 56(a0)\n"
                             "        ld t0, 0(sp)\n  sd t0, 64(a0)\n"
                             "        ld t0, 8(sp)\n  sd t0, 72(a0)\n"
                             "        sd sp, 80(a0)\n li a0, 0\n li a7, 93\n ecall\n";
static const char dump32[] = "        sw a0, 0(a0)\n  sw a1, 4(a0)\n  sw a2, 8(a0)\n"
                             "        sw a3, 12(a0)\n sw a4, 16(a0)\n sw a5, 20(a0)\n"
                             "        sw a6, 24(a0)\n sw a7, 28(a0)\n"
                             "        lw t0, 0(sp)\n  sw t0, 32(a0)\n"
                             "        lw t0, 4(sp)\n  sw t0, 36(a0)\n"
                             "        lw t0, 8(sp)\n  sw t0, 40(a0)\n"
                             "        lw t0, 12(sp)\n sw t0, 44(a0)\n"
                             "        li a0, 0\n li a7, 93\n ecall\n";

static const float row[] = {1, 2, 3, 4, 5, 6, 7, 8};

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_text("copy.s", copy);
    write_text("dump64.s", dump64);
    write_text("dump32.s", dump32);
    write_text("exit.s", "li a0, 0\nli a7, 93\necall\n");
    write_floats("row.npy", row, 8);
    return 0;
}

/* --- files into memory, memory into files */

TEST(memory_of_an_array)
{
    static const uint8_t little[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
    static const uint8_t big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    static const uint8_t columns[] = {1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0};
    write_npy("little.npy", HEADER("<u2", "False", "2, 3"), little, 12);
    write_npy("big.npy", HEADER(">u2", "False", "2, 3"), big, 12);
    write_npy("columns.npy", HEADER("<u2", "True", "2, 3"), columns, 12);
    static const char *const files[] = {"little.npy", "big.npy", "columns.npy", "- <little.npy"};
    for (size_t i = 0; i < SAM_COUNT(files); i++) {
        char words[256];
        snprintf(words, sizeof words, "exit.s " TENSOR "--dump 0x10000:12:m.bin --mem 0x10000:%s",
                 files[i]);
        struct sam_buffer out = expect_success(words), file = read_file("m.bin");
        assert_int_equal(file.size, 12);
        assert_memory_equal(file.data, little, 12); /* C order, little-endian */
        sam_buffer_free(&file);
        sam_buffer_free(&out);
    }
    /* its elements and no more are mapped */
    expect_failure("exit.s " TENSOR "--mem 0x10000:little.npy --dump 0x10000:13:m.bin", 2,
                   "not in one buffer");
    write_text("text.npy", "no array");
    expect_failure("exit.s " TENSOR "--mem 0x10000:text.npy", 2, "text.npy: not an npy file");
}

TEST(dump_of_an_array)
{
    static const struct {
        const char *words;
        enum sam_dtype dtype;
        size_t rank;
        uint64_t shape[2];
    } cases[] = {
        {"32:o.npy", SAM_U8, 1, {32}},
        {"32:o.npy:f32", SAM_F32, 1, {8}},
        {"32:o.npy:f32:2x4", SAM_F32, 2, {2, 4}},
        {"24:o.npy:i16:3,4", SAM_I16, 2, {3, 4}},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char words[256];
        snprintf(words, sizeof words, "exit.s " TENSOR "--mem 0x10000:row.npy --dump 0x10000:%s",
                 cases[i].words);
        struct sam_buffer out = expect_success(words);
        sam_buffer_free(&out);
        struct sam_array got = read_npy("o.npy");
        assert_int_equal(got.dtype, cases[i].dtype);
        assert_int_equal(got.rank, cases[i].rank);
        for (size_t d = 0; d < got.rank; d++)
            assert_int_equal(got.shape[d], cases[i].shape[d]);
        assert_memory_equal(got.data, row, got.size);
        sam_array_free(&got);
    }
    static const char *const bad[] = {"32:o.npy:f31",    "30:o.npy:f32", "32:o.npy:f32:9",
                                      "32:o.npy:f32:2x", "32:o.npy:",    "32:o.npy:f32:"};
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        char words[256];
        snprintf(words, sizeof words, "exit.s " TENSOR "--mem 0x10000:row.npy --dump 0x10000:%s",
                 bad[i]);
        expect_failure(words, 2, "expected FILE.npy:TYPE[:SHAPE]");
    }
    /* a Ventus kernel's memory, too */
    write_text("nop.s", ".globl k\nk: ret\n");
    struct sam_buffer out =
        expect_success("nop.s --kernel k --grid 1 --block 1 -q --arg in:row.npy "
                       "--dump 0x90000000:32:v.npy:f32:8x1 --dump 0x90000000:4:v.bin");
    sam_buffer_free(&out);
    struct sam_array got = read_npy("v.npy");
    assert_int_equal(got.rank, 2);
    assert_memory_equal(got.data, row, 32);
    sam_array_free(&got);
}

/* --- arguments of the tensor hart */

TEST(buffers_of_the_hart)
{
    struct sam_buffer out = expect_success(
        "copy.s -D CODE=0 --machine tensor --arg in:row.npy --arg c=out:f32:2x4:o.npy --arg u32:32 "
        "--check c=row.npy --check out=row.npy --check 0=row.npy");
    expect_part(&out, "copy.s: exit 0, ");
    expect_part(&out, "check c: passed, 8 elements of f32 equal\n");
    sam_buffer_free(&out);
    struct sam_array got = read_npy("o.npy");
    assert_int_equal(got.rank, 2);
    assert_memory_equal(got.data, row, sizeof row);
    sam_array_free(&got);
    /* a short copy: the check fails, and the program's own code goes before it */
#define SHORT(code)                                                                                \
    "copy.s -D CODE=" #code " --machine tensor --arg in:row.npy --arg inout:row.npy:o.npy "        \
    "--arg i32:4 --reg s0=1 --check out=far.npy --stats=json"
    static const float far[] = {1, 2, 3, 4, 5, 6, 7, 9};
    write_floats("far.npy", far, 8);
    struct outcome o = run(SHORT(0));
    assert_int_equal(o.code, 1);
    json_t *root = json_loadb((char *)o.out.data, o.out.size, 0, NULL);
    assert_non_null(root);
    json_t *check = json_array_get(json_object_get(root, "checks"), 0);
    assert_true(json_is_false(json_object_get(check, "passed")));
    assert_int_equal(json_integer_value(json_object_get(check, "different")), 1);
    assert_true(json_real_value(json_object_get(check, "max_abs")) == 1);
    assert_true(json_real_value(json_object_get(check, "mean_abs")) == 0.125);
    json_decref(root);
    done(&o);
    o = run(SHORT(7));
    assert_int_equal(o.code, 7);
    done(&o);
    /* the buffers end where the arrays do, and nothing is written after a trap */
    o = run("copy.s -D CODE=0 " TENSOR "--arg in:row.npy --arg out:u8:32:never.npy --arg u32:33");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "load from 0x90000020, which cannot be read");
    assert_false(exists("never.npy"));
    done(&o);
    expect_failure("copy.s -D CODE=0 " TENSOR "--arg local:4", 2,
                   "--arg local:4: the tensor hart has no");
    expect_failure("copy.s -D CODE=0 " TENSOR "--arg u32:1 --arg u32:2 --reg a1=3", 2,
                   "--reg a1: the register holds an --arg");
    expect_failure("copy.s -D CODE=0 " TENSOR "--arg in:row.npy --dump 0x90000000:4:row.npy", 2,
                   "row.npy: the output is the input row.npy");
    expect_failure("copy.s " TENSOR "--arg out:u8:1 --check x=row.npy", 2, "no output 'x'");
    expect_failure("copy.s " TENSOR "--arg out:u8:1:- --stats=json", 2,
                   "--json needs standard output for itself");
}

/* The integer calling convention of the psABI. */
TEST(registers_and_stack)
{
    struct sam_buffer out = expect_success(
        "dump64.s " TENSOR
        "--arg out:u64:11:w.npy --arg u32:0xfffffffe --arg i8:-2 --arg u16:65535 "
        "--arg u64:0x123456789abcdef0 --arg f32:-1.5 --arg f64:2 --arg bool:1 --arg i64:-3 "
        "--arg u8:9");
    sam_buffer_free(&out);
    static const uint64_t wide[] = {
        0x90000000,         0xfffffffffffffffe, /* 32 bits by bit 31, of u32 too */
        (uint64_t)-2,       65535,
        0x123456789abcdef0, 0xffffffffbfc00000,
        0x4000000000000000, 1,
        (uint64_t)-3,       9,
        0x80000000 - 16};
    struct sam_array got = read_npy("w.npy");
    assert_memory_equal(got.data, wide, sizeof wide);
    sam_array_free(&got);
    /* RV32: a pair that begins in a7 ends on the stack; one on the stack is aligned */
    out = expect_success("dump32.s --isa rv32im_zicsr " TENSOR
                         "--arg out:u32:12:n.npy --arg u64:0x1122334455667788 --arg i32:-1 "
                         "--arg f32:1 --arg i64:-2 --arg u64:0xaabbccdd00112233 --arg u32:5 "
                         "--arg u64:0x99");
    sam_buffer_free(&out);
    static const uint32_t narrow[] = {0x90000000,   0x55667788, 0x11223344, UINT32_MAX, 0x3f800000,
                                      (uint32_t)-2, UINT32_MAX, 0x00112233, 0xaabbccdd, 5,
                                      0x99,         0};
    got = read_npy("n.npy");
    assert_memory_equal(got.data, narrow, sizeof narrow);
    sam_array_free(&got);
}

/* --- --check */

TEST(tolerances)
{
    static const float found[] = {1, 2, 0, -4, 100000, 0, NAN, INFINITY};
    static const float wanted[] = {1, 2.00001f, 1e-9f, -4, 100001, -0.0f, NAN, INFINITY};
    write_floats("found.npy", found, 8);
    write_floats("wanted.npy", wanted, 8);
#define CHECK "exit.s --machine tensor --arg inout:found.npy --check out=wanted.npy"
    static const struct {
        const char *words;
        int code;
        const char *part;
    } cases[] = {
        {CHECK, 1, "check out: FAILED, 3 of 8 elements of f32 differ by up to "},
        {CHECK ":rtol=1e-5,atol=1e-8", 0,
         "check out: passed, 8 elements of f32 equal within rtol 1e-05, atol 1e-08\n"},
        {CHECK ":rtol=1e-5", 1,
         "FAILED, 1 of 8 elements of f32 differ beyond rtol 1e-05, atol 0\n"},
        {CHECK ":atol=1e-4", 1, "FAILED, 1 of 8 elements"},
        {CHECK ":atol=1", 0, "passed, 8 elements"},
        {CHECK ":ulp=50,atol=1e-8", 1, "FAILED, 1 of 8 elements"},
        {CHECK ":ulp=200,atol=1e-8", 0, "passed, 8 elements"},
        {CHECK ":200", 1, "FAILED, 1 of 8 elements"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct outcome o = run(cases[i].words);
        if (o.code != cases[i].code)
            fail_msg("%s: exit %d: %s", cases[i].words, o.code, sam_buffer_text(&o.out));
        expect_part(&o.out, cases[i].part);
        if (i == 0) {
            expect_part(&o.out, "  [1] is 2, expected 2.00001001 (42 ulp)\n");
            expect_part(&o.out, "\n  3 of 8 unequal, largest difference 1 at [4], largest relative "
                                "1 at [2], mean of all 0.125\n");
            expect_part(&o.out, "  elements by ulp: 32-63: 1, 128-255: 1, ");
        }
        done(&o);
    }
    static const char *const bad[] = {":rtol=x",  ":rtol=-1",  ":rtol=inf", ":rtol=1e-5,",
                                      ":ulp=1.5", ":atol=1,2", ":rtol=nan"};
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        char words[256];
        snprintf(words, sizeof words, CHECK "%s", bad[i]);
        expect_failure(words, 2, "such as 4, or any of ulp=4,rtol=1e-5,atol=1e-8");
    }
}

TEST(what_has_no_distance)
{
    static const float found[] = {NAN, 1, INFINITY, INFINITY};
    static const float wanted[] = {1, NAN, -INFINITY, 3};
    write_floats("found.npy", found, 4);
    write_floats("wanted.npy", wanted, 4);
    struct outcome o = run(CHECK ":rtol=1e9,atol=1e30");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "check out: FAILED, 4 of 4 elements");
    expect_part(&o.out, "  4 of 4 unequal; 4 with a NaN or an infinity\n");
    done(&o);
}

/* Whole numbers: exact at any size; indices in every dimension. */
TEST(integers)
{
    static const int64_t found[] = {INT64_MIN, 5, -7, INT64_MAX, 0, 0};
    static const int64_t wanted[] = {INT64_MIN + 1, 5, 7, INT64_MAX - 2, 0, 1000};
    write_npy("found.npy", HEADER("<i8", "False", "2, 3"), found, sizeof found);
    write_npy("wanted.npy", HEADER("<i8", "False", "2, 3"), wanted, sizeof wanted);
    struct outcome o = run(CHECK);
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "  [0, 0] is -9223372036854775808, expected -9223372036854775807\n");
    expect_part(&o.out, "check out: FAILED, 4 of 6 elements of i64 differ\n");
    expect_part(&o.out,
                "  4 of 6 unequal, largest difference 1e+03 at [1, 2], largest relative 2 at "
                "[0, 2], mean of all 170\n");
    done(&o);
    o = run(CHECK ":atol=14");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "  [1, 2] is 0, expected 1000\ncheck out: FAILED, 1 of 6 elements");
    done(&o);
    struct sam_buffer out = expect_success(CHECK ":atol=1000");
    sam_buffer_free(&out);
}

/* On every machine an output is written after the checks, and not when one fails. */
TEST(outputs_of_failed_checks)
{
    static const struct {
        const char *words, *good, *bad;
    } runs[] = {
        {"addn.s --kernel addn --grid 1 --block 8 --warp 8 --arg y=inout:row.npy:y.npy", "u32:0",
         "u32:1"},
        {"copy.s --machine tensor -D CODE=0 --arg in:row.npy --arg y=out:f32:8:y.npy", "i32:32",
         "i32:28"},
        {"copy.s --machine system -D CODE=0 --arg in:row.npy --arg y=out:f32:8:y.npy", "i32:32",
         "i32:28"},
        {"add.pto --arg x:row.npy --arg y=out:f32:1,8:y.npy", "c=f32:0", "c=f32:1"},
        {"add.pto --machine system --arg x:row.npy --arg y=out:f32:1,8:y.npy", "c=f32:0",
         "c=f32:1"},
    };
    write_text("addn.s", addn);
    write_text("add.pto", "%y = tadds %x, %c : !pto.tile<vec, 1x8xf32>, f32 -> "
                          "!pto.tile<vec, 1x8xf32>\n");
    for (size_t i = 0; i < SAM_COUNT(runs); i++)
        for (int good = 0; good <= 1; good++) {
            char words[300];
            snprintf(words, sizeof words, "%s --arg %s -q --check y=row.npy", runs[i].words,
                     good ? runs[i].good : runs[i].bad);
            struct outcome o = run(words);
            expect_part(&o.out, good ? "check y: passed" : "check y: FAILED");
            if (o.code != !good || exists("y.npy") != good)
                fail_msg("%s: exit code %d, %s output", words, o.code,
                         exists("y.npy") ? "an" : "no");
            done(&o);
            run_script("rm -f y.npy");
        }
}

TEST_GROUP(set_up, remove_directory)
