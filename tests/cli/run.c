/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` as a user calls it: a launch with every kind of argument, output, exit codes and
 * messages, and that no file is left half-written. The files of the driver: run_metadata.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include <jansson.h>

#include "cli/command.h"

/* Elements of c = a + b for one work-item each. */
static const char vecadd[] = "        .text\n"
                             "        .globl vecadd\n"
                             "vecadd: lw      t0, 0(a0)\n"
                             "        lw      t1, 4(a0)\n"
                             "        lw      t2, 8(a0)\n"
                             "        csrr    t3, numw\n"
                             "        csrr    t4, numt\n"
                             "        mul     t3, t3, t4\n"
                             "        csrr    t4, wgid\n"
                             "        mul     t3, t3, t4\n"
                             "        csrr    t4, tid\n"
                             "        add     t3, t3, t4\n"
                             "        vid.v   v1\n"
                             "        vadd.vx v1, v1, t3\n"
                             "        vsll.vi v1, v1, 2\n"
                             "        vadd.vx v2, v1, t0\n"
                             "        vlw12.v v3, 0(v2)\n"
                             "        vadd.vx v2, v1, t1\n"
                             "        vlw12.v v4, 0(v2)\n"
                             "        vfadd.vv v3, v3, v4\n"
                             "        vadd.vx v2, v1, t2\n"
                             "        vsw12.v v3, 0(v2)\n"
                             "        ret\n";

/* The argument buffer's first COUNT words into the buffer that its first word names. */
static const char copy[] = "        .globl copy\n"
                           "copy:   lw      t0, 0(a0)\n"
                           "        li      t1, COUNT\n"
                           "1:      lw      t2, 0(a0)\n"
                           "        sw      t2, 0(t0)\n"
                           "        addi    a0, a0, 4\n"
                           "        addi    t0, t0, 4\n"
                           "        addi    t1, t1, -1\n"
                           "        bnez    t1, 1b\n"
                           "        ret\n";

static void write_floats(const char *name, double scale, double extra)
{
    static float values[1024];
    char path[128];
    struct sam_error error;
    for (int i = 0; i < 1024; i++)
        values[i] = (float)(scale * i) + (i == 7 ? (float)extra : 0.0f);
    struct sam_array array = {SAM_F32, 1, {1024}, 1024, sizeof values, values};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (sam_npy_write(path, &array, &error) != SAM_OK)
        fail_msg("%s", error.text);
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_text("vecadd.s", vecadd);
    write_text("addn.s", addn);
    write_text("copy.s", copy);
    write_text("loop.s", ".globl k\nk: j k\n");
    write_floats("a.npy", 0.5, 0);
    write_floats("b.npy", 1, 0);
    write_floats("c.npy", 1.5, 0);
    write_floats("ulp.npy", 1.5, 1e-6);
    write_floats("far.npy", 1.5, 1);
    return 0;
}

#define VECADD "vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy --arg in:b.npy "

TEST(a_kernel_and_its_files)
{
    static const char *const shapes[] = {"--warp 4", "--warp 8 -j 3", "--warp 16", "--warp 32",
                                         "--schedule rr1 -q"};
    for (size_t i = 0; i < SAM_COUNT(shapes); i++) {
        char words[256];
        struct sam_array got;
        struct sam_error error;
        snprintf(words, sizeof words, VECADD "--arg sum=out:f32:16x64:o.npy %s", shapes[i]);
        struct sam_buffer out = expect_success(words);
        assert_int_equal(out.size == 0, strstr(shapes[i], "-q") != NULL);
        if (out.size)
            expect_part(&out, "launch 0: vecadd, grid 32x1x1, ");
        sam_buffer_free(&out);
        snprintf(words, sizeof words, "%s/o.npy", directory);
        if (sam_npy_read(words, &got, &error) != SAM_OK)
            fail_msg("%s", error.text);
        assert_int_equal(got.dtype, SAM_F32);
        assert_int_equal(got.rank, 2);
        assert_int_equal(got.shape[0], 16);
        for (size_t k = 0; k < 1024; k++) {
            float value;
            memcpy(&value, (char *)got.data + 4 * k, 4);
            assert_true(value == 1.5f * (float)k);
        }
        sam_array_free(&got);
        unlink(words);
    }
}

/* The assembler's ELF file runs as its source does. */
TEST(an_elf_program)
{
    char command[512];
    struct sam_error error;
    struct sam_image *image = assemble_kernel(vecadd);
    void *elf;
    size_t size;
    assert_int_equal(sam_elf_make(image, &elf, &size, &error), SAM_OK);
    snprintf(command, sizeof command, "%s/v.elf", directory);
    assert_int_equal(sam_file_save(command, elf, size, &error), SAM_OK);
    struct sam_buffer out = expect_success("v.elf --kernel vecadd --grid 32 --block 32 --arg "
                                           "in:a.npy --arg in:b.npy --arg out:f32:1024 --check "
                                           "out=c.npy");
    expect_part(&out, "check out: passed, 1024 elements of f32 equal\n");
    sam_buffer_free(&out);
    free(elf);
    sam_image_free(image);
    /* linked to begin at its kernel: start code is added after its code, as to assembly */
    run_script("$SAMITE asm vecadd.s -o bare.elf; printf '.text\n_start: endprg\n' >own.s; "
               "cat vecadd.s >>own.s; $SAMITE asm own.s -o own.elf");
    out = expect_success("bare.elf --kernel vecadd --grid 32 --block 32 --arg in:a.npy --arg "
                         "in:b.npy --arg out:f32:1024 --check out=c.npy --trace=bare.log");
    sam_buffer_free(&out);
    struct sam_buffer log = read_file("bare.log");
    expect_part(&log, "core   0: 0x80001000 (");
    sam_buffer_free(&log);
    /* what has its own keeps it */
    struct outcome o = run("own.elf --kernel vecadd --grid 32 --block 32 --arg in:a.npy --arg "
                           "in:b.npy --arg out:f32:1024 --check out=c.npy -q");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "check out: FAILED");
    done(&o);
}

TEST(checks)
{
    struct sam_buffer out =
        expect_success(VECADD "--arg sum=out:f32:1024 --check sum=c.npy --check 0=c.npy --check "
                              "out=ulp.npy:1");
    expect_part(&out, "check sum: passed, 1024 elements of f32 equal\n");
    expect_part(&out, "check 0: passed, 1024 elements of f32 equal\n");
    expect_part(&out, "check out: passed, 1024 elements of f32 equal within 1 ulp\n");
    sam_buffer_free(&out);

    struct outcome o = run(VECADD "--arg out:f32:4x256:o.npy --check out=ulp.npy");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "  [0, 7] is 10.5, expected 10.500001 (1 ulp)\n");
    expect_part(&o.out, "check out: FAILED, 1 of 1024 elements of f32 differ by up to 1 ulp\n");
    assert_false(exists("o.npy"));
    done(&o);
    o = run(VECADD "--arg out:f32:1024 --check out=a.npy:10");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "  [10] is 15, expected 5 (");
    expect_part(&o.out, "check out: FAILED, 1023 of 1024 elements");
    assert_null(strstr(sam_buffer_text(&o.out), "[11]")); /* the first ten only */
    done(&o);

    expect_failure(VECADD "--arg out:f32:1024 --check x=c.npy", 2, "no output 'x'");
    expect_failure(VECADD "--arg out:f32:1024 --check 1=c.npy", 2, "no output '1'");
    expect_failure(VECADD "--arg out:f32:1024 --check out", 2,
                   "expected OUTPUT=FILE.npy[:TOLERANCE]");
    expect_failure(VECADD "--arg out:f32:1023 --check out=c.npy", 2,
                   "1024 elements of f32, but output out has 1023 of f32");
    expect_failure(VECADD "--arg out:i32:1024 --check out=c.npy", 2, "has 1024 of i32");
    expect_failure(VECADD "--arg out:f32:1024 --check out=none.npy", 2, "none.npy: cannot open");
}

/* Manual 2.2: pointers of 4 bytes, scalars at their own alignment, at least 4. */
TEST(argument_buffer)
{
    struct sam_buffer out = expect_success(
        "copy.s -D COUNT=14 --kernel copy --grid 1 --block 1 --arg out:u32:14:args.npy --arg "
        "u8:200 --arg i8:-1 --arg u16:0xffff --arg u64:0x1122334455667788 --arg f32:1.5 --arg "
        "f64:-2 --arg name=i32:-7 --arg bool:1 --arg local:100 --arg local:5000");
    sam_buffer_free(&out);
    static const uint32_t wanted[] = {200,        UINT32_MAX, 0xffff,    0x55667788, 0x11223344,
                                      0x3fc00000, 0,          0,         0xc0000000, (uint32_t)-7,
                                      1,          0x7ffff000, 0x7fffd000};
    struct sam_buffer file = read_file("args.npy");
    assert_int_equal(file.size, 128 + 56);
    assert_int_equal(sam_le32(file.data + 128) >> 28, 9); /* a pointer to a buffer */
    for (size_t i = 0; i < SAM_COUNT(wanted); i++)
        if (sam_le32(file.data + 132 + 4 * i) != wanted[i])
            fail_msg("word %zu is 0x%08x, expected 0x%08x", i + 1,
                     sam_le32(file.data + 132 + 4 * i), wanted[i]);
    sam_buffer_free(&file);
}

TEST(inout_poke_and_dump)
{
    /* the floats' bits plus one: the next number up; the second poke is to the printed address */
    struct sam_buffer out =
        expect_success("addn.s --kernel addn --grid 1 --block 1024 --arg inout:c.npy:up.npy --arg "
                       "i32:1 --poke 0x90000000=0x3f800000 --dump 0x90000000:8:up.bin");
    sam_buffer_free(&out);
    struct sam_buffer bytes = read_file("up.bin"), file = read_file("up.npy");
    assert_int_equal(bytes.size, 8);
    assert_int_equal(sam_le32(bytes.data), 0x3f800001);
    assert_int_equal(sam_le32(bytes.data + 4), 0x3fc00001);
    assert_memory_equal(file.data + file.size - 4096, bytes.data, 8);
    sam_buffer_free(&bytes);
    sam_buffer_free(&file);
}

/* The note on an input that has been stored into, and none on any other. */
TEST(an_input_is_not_written_back)
{
#define ADDN  "addn.s --kernel addn --grid 1 --block 32 -q --arg "
#define STORE "store.s --machine tensor -q --arg "
    static const struct {
        const char *words, *part; /* NULL: no note */
    } cases[] = {
        {ADDN "x=in:zeros.npy --arg u32:256", "--arg x=in:zeros.npy: the program stored into this "
                                              "input, first at byte 0x1 (0x90000001): expected "
                                              "inout:"},
        {ADDN "x=in:zeros.npy --arg u32:256 -j 4 --stats", "first at byte 0x1 ("},
        {ADDN "x=in:zeros.npy --arg u32:0", NULL},
        {ADDN "x=in:zeros.npy --arg u32:0 --poke 0x90000004=3", NULL},
        {ADDN "x=in:zeros.npy --arg u32:1 --poke 0x90000000=0xffffff:u32", "first at byte 0x0 ("},
        {ADDN "x=inout:zeros.npy --arg u32:1", NULL},
        {STORE "in:zeros.npy --arg u32:0", NULL},
        {STORE "in:zeros.npy --arg u32:5", "first at byte 0x4ffc ("},
        {STORE "inout:zeros.npy --arg u32:5", NULL},
    };
    struct sam_error error;
    char path[128], bytes[0x5000] = {0};
    struct sam_array zeros = {SAM_U32,      1,    {sizeof bytes / 4}, sizeof bytes / 4,
                              sizeof bytes, bytes};
    snprintf(path, sizeof path, "%s/zeros.npy", directory);
    assert_int_equal(sam_npy_write(path, &zeros, &error), SAM_OK);
    write_text("store.s",
               "li t0, 0x4ffc\nadd a0, a0, t0\nsw a1, 0(a0)\nli a0, 0\nli a7, 93\necall\n");
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct outcome o = run(cases[i].words);
        assert_int_equal(o.code, 0);
        if (cases[i].part)
            expect_part(&o.err, cases[i].part);
        else
            assert_int_equal(o.err.size, 0);
        done(&o);
    }
#undef ADDN
#undef STORE
}

TEST(bad_words)
{
#define LAUNCH "copy.s -D COUNT=1 --kernel copy --grid 1 --block 1 "
    static const struct {
        const char *words;
        const char *part;
    } cases[] = {
        {"", "no file to run"},
        {"copy.s", "no --kernel NAME"},
        {"a.metadata --grid 1", "a.metadata: cannot open"},
        {"copy.s --grid 1", "--grid requires --kernel NAME"},
        {"a.metadata b.data c.metadata", "'c.metadata' has no second file"},
        {"copy.s a.npy --kernel copy --grid 1 --block 1", "--kernel takes one program, found 2"},
        {"copy.s --kernel copy --block 1", "--kernel requires --grid"},
        {"copy.s --kernel copy --grid 1", "--kernel requires --block"},
        {"copy.s --kernel copy --grid 1,2,3,4 --block 1", "--grid: expected X[,Y,Z]"},
        {"copy.s --kernel copy --grid 0 --block 1", "--grid: expected X[,Y,Z]"},
        {"copy.s --kernel copy --grid 1, --block 1", "--grid: expected X[,Y,Z]"},
        {LAUNCH "--warp 12", "--warp 12: expected 4, 8, 16 or 32"},
        {LAUNCH "--elf x", "--elf is for .metadata files"},
        {LAUNCH "--schedule fast", "--schedule fast: expected run or rr1"},
        {LAUNCH "--pds mine", "--pds mine: expected own or shared"},
        {LAUNCH "--stats=xml", "--stats=xml: expected --stats or --stats=json"},
        {LAUNCH "--max-insns many", "--max-insns many: expected a number"},
        {LAUNCH "--ptbr 1", "root page table at 0x1: not a multiple of 4096"},
        {LAUNCH "--jobs 1000", "--jobs 1000: expected a number from 1 to 256"},
        {LAUNCH "--dump 1:2", "--dump 1:2: expected BASE:SIZE:FILE"},
        {LAUNCH "--dump 0xffffffff:2:x", "--dump 0xffffffff:0x2: expected a range within 4 GiB"},
        {LAUNCH "--arg out:u32:1 --dump 0x90000000:5:never.bin", "not in one buffer"},
        {LAUNCH "--arg in:a.npy --arg out:f32:1024:a.npy", "a.npy: the output is the input a.npy"},
        {LAUNCH "--arg out:f32:8:none/y.npy", "none/y.npy: cannot create"},
        {LAUNCH "--arg in:a.npy --dump 0x90000000:4:a.npy", "the output is the input a.npy"},
        {LAUNCH "--dump 0x90000000:4:none/never.bin --arg out:u32:1", "cannot create"},
        {LAUNCH "--arg x", "--arg x: expected in:FILE.npy, out:TYPE:COUNT[:FILE.npy]"},
        {LAUNCH "--arg in:", "no file name"},
        {LAUNCH "--arg in:none.npy", "none.npy: cannot open"},
        {LAUNCH "--arg in:copy.s", "copy.s: not an npy file"},
        {LAUNCH "--arg out:f31:1", "expected out:TYPE:COUNT"},
        {LAUNCH "--arg out:f32", "expected a count or a shape"},
        {LAUNCH "--arg out:f32:0", "expected a count or a shape"},
        {LAUNCH "--arg out:f32:2x", "expected a count or a shape"},
        {LAUNCH "--arg out:f32:1x1x1x1x1x1x1x1x1", "expected a count or a shape"},
        {LAUNCH "--arg out:f64:0x7fffffff", "expected a count or a shape"},
        {LAUNCH "--arg out:f64:1000000000", "expected a count or a shape"},
        {LAUNCH "--arg out:f32:1:", "no file name"},
        {LAUNCH "--arg inout:a.npy:", "no file name"},
        {LAUNCH "--arg pointer:1", "unknown kind: expected in, out, inout"},
        {LAUNCH "--arg u8:256", "expected a value of u8"},
        {LAUNCH "--arg i8:-129", "expected a value of i8"},
        {LAUNCH "--arg u32:-1", "expected a value of u32"},
        {LAUNCH "--arg u32:", "expected a value of u32"},
        {LAUNCH "--arg i32:2147483648", "expected a value of i32"},
        {LAUNCH "--arg f32:1e40", "expected a value of f32"},
        {LAUNCH "--arg f32:1.5x", "expected a value of f32"},
        {LAUNCH "--arg bool:2", "expected a value of bool"},
        {LAUNCH "--arg f16:1", "f16 is for arrays"},
        {LAUNCH "--arg out:bf16:4", "expected out:TYPE:COUNT"},
        {LAUNCH "--arg local:0", "expected local:BYTES"},
        {LAUNCH "--arg local:0x10000000 --arg local:1", "local arguments exceed 256 MiB"},
        {LAUNCH "--stats=json --log -", "--json needs standard output for itself"},
        {"copy.s -D COUNT=1 --kernel cpy --grid 1 --block 1", "no symbol 'cpy'; there are copy"},
        {"none.s --kernel k --grid 1 --block 1", "none.s: cannot open"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_failure(cases[i].words, 2, cases[i].part);
    assert_false(exists("never.bin"));
    assert_false(has_temporary("never.bin"));
    /* reported before the launch, which would never end */
    /* sizes that wrap to nothing, rounded up or multiplied */
    expect_failure("loop.s --kernel k --grid 1 --block 32768 --pds-size 4294967295", 2,
                   "private memory of 4294967296 bytes per thread");
    expect_failure("loop.s --kernel k --grid 65536,65535 --block 32768 --pds-size 2147483648", 2,
                   "private memory of 2147483648 bytes per thread");
    expect_failure("loop.s --kernel k --grid 2 --block 40 --max-insns 100000000000 --dump "
                   "0x1000:4:never.bin",
                   2, "--dump: access of 0x4 bytes at 0x00001000: not in one buffer");
    write_text("bad.s", "k: nop\n  foo x1\n");
    struct outcome o = run("bad.s --kernel k --grid 1 --block 1");
    assert_int_equal(o.code, 2);
    expect_part(&o.err, "bad.s:2:");
    done(&o);
#undef LAUNCH
}

TEST(failing_programs)
{
    expect_failure("loop.s --kernel k --grid 2 --block 40 --max-insns 1000 --log part.log", 1,
                   "still running after 1000 instructions; workgroup 0 (0,0,0) warp 0");
    /* the log up to the failure is what one wants to see */
    struct sam_buffer log = read_file("part.log");
    expect_part(&log, "core   0: 0x80000000 (");
    sam_buffer_free(&log);
    expect_failure("vecadd.s --kernel vecadd --grid 33 --block 32 --arg in:a.npy --arg in:b.npy "
                   "--arg out:f32:1024:never.npy --dump 0x90000000:4:never.bin",
                   1, "outside every buffer; workgroup 32 (32,0,0) warp 0");
    assert_false(exists("never.npy"));
    assert_false(exists("never.bin"));
}

TEST(statistics)
{
    struct sam_buffer out = expect_success(VECADD "--arg out:f32:1024 --stats");
    expect_part(&out, "SIMT efficiency              100.0%");
    expect_part(&out, "warp instructions              1024  704 scalar, 320 vector");
    expect_part(&out, "    vadd.vx ");
    sam_buffer_free(&out);

    json_error_t where;
    out = expect_success(VECADD "--arg out:f32:1024 --stats=json --check out=c.npy");
    json_t *document = json_loadb((char *)out.data, out.size, 0, &where);
    if (!document)
        fail_msg("%s in %s", where.text, sam_buffer_text(&out));
    json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
    assert_string_equal(json_string_value(json_object_get(launch, "kernel")), "vecadd");
    assert_true(json_is_true(json_object_get(launch, "done")));
    json_t *counts = json_object_get(launch, "counts");
    assert_int_equal(json_integer_value(json_object_get(counts, "warp_insns")), 1024);
    /* 32 lanes each for 3 accesses of 32 warps, and 5 scalar loads per warp */
    assert_int_equal(json_integer_value(json_object_get(counts, "memory_accesses")),
                     32 * (3 * 32 + 5));
    json_t *mix = json_object_get(launch, "mix");
    json_int_t sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach(mix, key, value) sum += json_integer_value(value);
    assert_int_equal(sum, 1024);
    json_t *check = json_array_get(json_object_get(document, "checks"), 0);
    assert_true(json_is_true(json_object_get(check, "passed")));
    json_decref(document);
    sam_buffer_free(&out);

    struct outcome o = run("loop.s --kernel k --grid 1 --block 1 --max-insns 10 --stats=json");
    assert_int_equal(o.code, 1);
    document = json_loadb((char *)o.out.data, o.out.size, 0, &where);
    assert_non_null(document);
    launch = json_array_get(json_object_get(document, "launches"), 0);
    assert_true(json_is_false(json_object_get(launch, "done")));
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(launch, "trap"), "text")),
               "still running"));
    json_decref(document);
    done(&o);
}

/* Results on standard output: what is for people goes to the other stream. */
TEST(standard_output)
{
    struct outcome o = run(VECADD "--arg out:f32:1024:-");
    assert_int_equal(o.code, 0);
    assert_int_equal(o.out.size, 128 + 4096);
    assert_memory_equal(o.out.data, "\x93NUMPY", 6);
    expect_part(&o.err, "launch 0: vecadd");
    done(&o);
    /* --trace is the same on every machine; --log is its older name */
    o = run("copy.s -D COUNT=1 --kernel copy --grid 1 --block 1 --arg out:u32:1 --trace");
    struct outcome old = run("copy.s -D COUNT=1 --kernel copy --grid 1 --block 1 --arg out:u32:1 "
                             "--log -");
    assert_int_equal(o.code, 0);
    assert_true(o.out.size > 0);
    assert_string_equal(sam_buffer_text(&o.out), sam_buffer_text(&old.out));
    done(&old);
    done(&o);
    o = run("copy.s -D COUNT=1 --kernel copy --grid 1 --block 1 --arg out:u32:1 --log -");
    assert_int_equal(o.code, 0);
    assert_memory_equal(o.out.data, "core   0: 0x80000000", 20);
    done(&o);
    char command[256];
    snprintf(command, sizeof command,
             "- --kernel copy -D COUNT=1 --grid 1 --block 1 --arg out:u32:1"
             " < copy.s");
    struct sam_buffer out = expect_success(command);
    sam_buffer_free(&out);
}

/* Ctrl-C in the middle: where it was, no log, no output, nothing left behind. */
TEST(interrupted)
{
    struct outcome o = run_interrupted("loop.s --kernel k --grid 4 --block 32 "
                                       "--arg out:u8:5:stop.npy --log stop.log",
                                       true);
    assert_int_equal(o.code, 128 + SIGINT);
    expect_part(&o.err, "samite: error: stopped after 0 of 4 workgroups\n");
    done(&o);
    assert_false(exists("stop.log"));
    assert_false(exists("stop.npy"));
    assert_false(has_temporary("stop"));
}

TEST(help_has_examples)
{
    struct sam_buffer out = expect_success("--help");
    expect_part(&out, "samite run vecadd.metadata vecadd.data");
    sam_buffer_free(&out);
    out = expect_success("--help ventus");
    expect_part(&out, "--poke");
    expect_part(&out, "samite run vecadd.metadata vecadd.data");
    expect_part(&out, "samite run vecadd.s --kernel vecadd");
    sam_buffer_free(&out);
}

TEST_GROUP(set_up, remove_directory)
