/* SPDX-License-Identifier: Apache-2.0 */
/* samite op as a user calls it. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A .npy of u16 numbered from 0. */
static void write_numbers(const char *name, size_t rank, const uint64_t *shape)
{
    char path[128];
    struct sam_error error;
    struct sam_array array = {.dtype = SAM_U16, .rank = rank, .count = 1};
    for (size_t i = 0; i < rank; i++)
        array.count *= (size_t)(array.shape[i] = shape[i]);
    array.size = array.count * 2;
    uint16_t *data = malloc(array.size + 1);
    assert_non_null(data);
    for (size_t i = 0; i < array.count; i++)
        data[i] = (uint16_t)i;
    array.data = data;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
    free(data);
}

static struct sam_array read_array(const char *name)
{
    char path[128];
    struct sam_array array;
    struct sam_error error;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_read(path, &array, &error), SAM_OK);
    return array;
}

/* `samite op WORDS` prints a line with `part`, and out.npy then holds these numbers. */
static void expect_numbers(const char *words, const char *part, size_t count,
                           const uint16_t *numbers)
{
    struct sam_buffer out = expect_success(words);
    expect_part(&out, part);
    sam_buffer_free(&out);
    struct sam_array array = read_array("out.npy");
    assert_int_equal(array.dtype, SAM_U16);
    assert_int_equal(array.count, count);
    assert_memory_equal(array.data, numbers, count * 2);
    sam_array_free(&array);
}

TEST(each_operator)
{
    write_numbers("in.npy", 2, (uint64_t[]){2, 3});
    expect_numbers("op transpose --perm 1,0 in.npy out.npy", "out.npy: [3,2] u16", 6,
                   (uint16_t[]){0, 3, 1, 4, 2, 5});
    expect_numbers("op reshape --shape 3,-1 in.npy out.npy", "[3,2] u16", 6,
                   (uint16_t[]){0, 1, 2, 3, 4, 5});
    expect_numbers("op concat --axis -1 in.npy in.npy out.npy", "[2,6] u16", 12,
                   (uint16_t[]){0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    expect_numbers("op pad --before 1,0 --after 0,1 --value 65535 in.npy out.npy", "[3,4] u16", 12,
                   (uint16_t[]){65535, 65535, 65535, 65535, 0, 1, 2, 65535, 3, 4, 5, 65535});
    expect_numbers("op pad --before 0,1 in.npy out.npy", "[2,5] u16", 10,
                   (uint16_t[]){0, 0, 1, 2, 0, 0, 3, 4, 5, 0});
    write_numbers("image.npy", 4, (uint64_t[]){1, 2, 2, 1});
    expect_numbers("op im2col --kernel 2 --pad 0,0,1,0 image.npy out.npy", "[2,4] u16", 8,
                   (uint16_t[]){0, 0, 0, 2, 0, 1, 2, 3});
    expect_numbers("op im2col --kernel 1,2 --pad 0,0,0,1 --layout nchw image.npy out.npy",
                   "[1,4,2] u16", 8, (uint16_t[]){0, 1, 0, 0, 2, 3, 0, 0});
}

/* The command that the program contains, with the files that it was made for. */
static void run_emitted(const char *program, const char *output)
{
    struct sam_buffer text = read_file(program), wanted = read_file(output);
    char words[1024], path[128];
    const char *line = sam_buffer_text(&text), *end = strchr(line, '\n');
    assert_non_null(end);
    assert_int_equal(strncmp(line, "# samite run ", 13), 0);
    snprintf(words, sizeof words, "%.*s -q", (int)(end - line) - 9, line + 9);
    snprintf(path, sizeof path, "%s/%s", directory, output);
    assert_int_equal(unlink(path), 0);
    struct sam_buffer out = expect_success(words), got = read_file(output);
    assert_int_equal(got.size, wanted.size);
    assert_memory_equal(got.data, wanted.data, got.size);
    sam_buffer_free(&out);
    sam_buffer_free(&got);
    sam_buffer_free(&wanted);
    sam_buffer_free(&text);
}

static void write_bytes(const char *name, size_t count, const uint8_t *bytes)
{
    char path[128];
    struct sam_error error;
    struct sam_array array = {.dtype = SAM_U8,
                              .rank = 1,
                              .shape = {count},
                              .count = count,
                              .size = count,
                              .data = (void *)(uintptr_t)bytes};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
}

/* Two elements per byte, the first in the low half; out.npy has their bytes. The emitted program,
 * run by the command that its first comment gives, writes the same. */
TEST(elements_of_four_bits)
{
    static const struct {
        const char *words, *part;
        size_t rank, count;
        uint8_t bytes[8];
    } rows[] = {
        /* 0 1 2 / 3 4 5 / 6 7 8 */
        {"transpose --perm 1,0 --dtype i4 --in-shape 3,3 odd.npy",
         "[3,3] i4",
         1,
         5,
         {0x30, 0x16, 0x74, 0x52, 0x08}},
        {"pad --before 0,1 --after 0,0 --value -1 --dtype i4 --in-shape 3,3 odd.npy",
         "[3,4] i4",
         2,
         6,
         {0x0f, 0x21, 0x3f, 0x54, 0x6f, 0x87}},
        {"pad --before 1 --value 1.5 --dtype e2m1 --in-shape 3 two.npy",
         "[5] e2m1",
         1,
         3,
         {0x03, 0x21, 0x03}},
        {"concat --dtype e1m2 --in-shape 3 --in-shape 9 two.npy odd.npy",
         "[12] e1m2",
         1,
         6,
         {0x10, 0x02, 0x21, 0x43, 0x65, 0x87}},
        {"concat --dtype e3m0 two.npy two.npy", "[8] e3m0", 1, 4, {0x10, 0x32, 0x10, 0x32}},
        {"reshape --shape 9,1 --dtype i4 --in-shape 3,3 odd.npy",
         "[9,1] i4",
         1,
         5,
         {0x10, 0x32, 0x54, 0x76, 0x08}},
        {"compress --mask keep.npy --dtype i4 --in-shape 3,3 odd.npy",
         "[2,3] i4",
         1,
         3,
         {0x10, 0x62, 0x87}},
        {"im2col --kernel 1,2 --dtype i4 --in-shape 1,3,3,1 odd.npy",
         "[6,2] i4",
         2,
         6,
         {0x10, 0x21, 0x43, 0x54, 0x76, 0x87}},
        {"transpose --perm 0 --dtype e4m3 two.npy", "[2] e4m3", 1, 2, {0x10, 0x32}},
    };
    write_bytes("odd.npy", 5,
                (const uint8_t[]){0x10, 0x32, 0x54, 0x76, 0xf8}); /* f: not an element */
    write_bytes("two.npy", 2, (const uint8_t[]){0x10, 0x32});
    write_bytes("keep.npy", 3, (const uint8_t[]){1, 0, 1});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[256];
        snprintf(words, sizeof words, "op %s out.npy --emit four.s", rows[i].words);
        struct sam_buffer out = expect_success(words);
        expect_part(&out, rows[i].part);
        sam_buffer_free(&out);
        struct sam_array array = read_array("out.npy");
        assert_int_equal(array.dtype, SAM_U8);
        assert_int_equal(array.rank, rows[i].rank);
        assert_int_equal(array.count, rows[i].count);
        assert_memory_equal(array.data, rows[i].bytes, rows[i].count);
        sam_array_free(&array);
        run_emitted("four.s", "out.npy");
    }
    expect_failure("op reshape --shape 3 --dtype i4 --in-shape 7 odd.npy out.npy", 2,
                   "--in-shape: odd.npy has 5 bytes, which are not that many i4");
    expect_failure(
        "op reshape --shape 3 --dtype f16 odd.npy out.npy", 2,
        "--dtype f16: odd.npy holds u8, elements of 1 bytes: expected the size of the type");
    expect_failure("op reshape --shape 3 --in-shape 5 --in-shape 5 odd.npy out.npy", 2,
                   "2 shapes for 1 inputs");
    expect_failure("op reshape --shape 3 --dtype i5 odd.npy out.npy", 2, "unknown type 'i5'");
}

TEST(compress_by_a_mask)
{
    char path[128];
    struct sam_error error;
    uint8_t keep[] = {1, 0, 1};
    struct sam_array mask = {
        .dtype = SAM_BOOL, .rank = 1, .shape = {3}, .count = 3, .size = 3, .data = keep};
    snprintf(path, sizeof path, "%s/mask.npy", directory);
    assert_int_equal(sam_npy_write(path, &mask, &error), SAM_OK);
    write_numbers("in.npy", 2, (uint64_t[]){2, 3});
    expect_numbers("op compress --mask mask.npy --axis 1 in.npy out.npy", "[2,2] u16", 4,
                   (uint16_t[]){0, 2, 3, 5});
    expect_failure("op compress --mask mask.npy --axis 0 in.npy out.npy", 2,
                   "mask.npy has 3 elements, axis 0 has 2 indices");
    expect_failure("op compress --mask in.npy in.npy out.npy", 2, "no array of bool or u8");
}

TEST(nothing_but_a_plan)
{
    write_numbers("in.npy", 2, (uint64_t[]){64, 64});
    struct sam_buffer out = expect_success("op transpose --perm 1,0 --plan in.npy");
    expect_part(&out, "of the lower bound");
    expect_part(&out, "XPOSE");
    sam_buffer_free(&out);
    assert_false(exists("prog.s"));
    out = expect_success("op transpose --perm 1,0 --emit prog.s in.npy");
    assert_int_equal(out.size, 0);
    sam_buffer_free(&out);
    struct sam_buffer text = read_file("prog.s");
    expect_part(&text, "tl.xpose.h.01");
    sam_buffer_free(&text);
    out = expect_success("op concat --dry-run in.npy in.npy");
    sam_buffer_free(&out);
}

/* The program that --emit writes does what the operator does. */
TEST(emitted_program_runs)
{
    char words[512];
    write_numbers("in.npy", 2, (uint64_t[]){37, 53});
    struct sam_buffer out = expect_success("op transpose --perm 1,0 --emit prog.s in.npy out.npy");
    sam_buffer_free(&out);
    struct sam_array in = read_array("in.npy"), expected = read_array("out.npy");
    snprintf(words, sizeof words, "%s/in.bin", directory);
    struct sam_error error;
    assert_int_equal(sam_file_save(words, in.data, in.size, &error), SAM_OK);
    out = expect_success("run --machine tensor prog.s --mem 0x100000000:in.bin "
                         "--map 0x100001000:3922 --dump 0x100001000:3922:out.bin");
    sam_buffer_free(&out);
    struct sam_buffer got = read_file("out.bin");
    assert_int_equal(got.size, expected.size);
    assert_memory_equal(got.data, expected.data, got.size);
    sam_buffer_free(&got);
    sam_array_free(&in);
    sam_array_free(&expected);
}

TEST(emitted_command)
{
    write_numbers("it's in.npy", 3, (uint64_t[]){5, 7, 3});
    static const char *const words[] = {
        "transpose --perm 2,0,1 --emit prog.s \"it's in.npy\" out.npy",
        "concat --axis 1 --emit prog.s \"it's in.npy\" \"it's in.npy\" out.npy",
        "pad --before 1,0,2 --value 7 --emit prog.s \"it's in.npy\" out.npy",
    };
    for (size_t i = 0; i < SAM_COUNT(words); i++) {
        char command[256];
        snprintf(command, sizeof command, "op %s", words[i]);
        struct sam_buffer out = expect_success(command);
        sam_buffer_free(&out);
        run_emitted("prog.s", "out.npy");
    }
}

/* A routine for other programs: called twice, whatever ttype and scratch memory hold, on both
 * widths. It keeps sp and the registers that the calling convention has it keep. */
TEST(routines)
{
    static const char check[] = ".macro each what\n\\what s0, 1\n\\what s1, 2\n\\what s2, 3\n"
                                "\\what s3, 4\n\\what s4, 5\n\\what s5, 6\n\\what s6, 7\n"
                                "\\what s7, 8\n\\what s8, 9\n\\what s9, 10\n\\what s10, 11\n"
                                "\\what s11, 12\n\\what gp, 13\n\\what tp, 14\n.endm\n"
                                /* both words of RV64 */
                                ".macro make r, n\nli \\r, -\\n * 99999\n.endm\n"
                                ".macro same r, n\nli t0, -\\n * 99999\nbne \\r, t0, bad\n.endm\n"
                                ".globl _start\n_start: li sp, 0x301000\neach make\n"
                                "li t0, 32\nli s5, 0x1234567\nsll s5, s5, t0\n"
                                "call turn\ncsrwi ttype, 1\ncall turn\n"
                                "li t0, 32\nli t1, 0x1234567\nsll t1, t1, t0\nbne s5, t1, bad\n"
                                "li s5, -6 * 99999\neach same\nli t0, 0x301000\nbne sp, t0, bad\n"
                                "li a0, 0\nli a7, 93\necall\nbad: li a0, 1\nli a7, 93\necall\n"
                                ".include \"turn.s\"\n";
    static const struct {
        const char *operator, * files, *memory;
        unsigned size;
    } rows[] = {
        {"transpose --perm 1,0", "in.npy", "--mem 0x100000:in.npy", 37 * 53 * 2},
        {"transpose --perm 1,0 --dtype i4 --in-shape 3,3", "odd.npy",
         "--mem 0x100000:odd.npy --mem 0x201000:ones", 5},
        {"compress --mask keep.npy --axis 1", "wide.npy", "--mem 0x100000:wide.npy", 400},
    };
    write_text("main.s", check);
    write_numbers("in.npy", 2, (uint64_t[]){37, 53});
    write_numbers("wide.npy", 2, (uint64_t[]){100, 3});
    write_bytes("odd.npy", 5, (const uint8_t[]){0x10, 0x32, 0x54, 0x76, 0xf8});
    write_bytes("keep.npy", 3, (const uint8_t[]){1, 0, 1});
    run_script("head -c 4096 /dev/zero | tr '\\0' '\\377' >ones");
    for (size_t i = 0; i < SAM_COUNT(rows); i++)
        for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
            char words[512];
            snprintf(words, sizeof words,
                     "op %s %s out.npy -q --emit turn.s --call=turn --at in=0x100000,out=0x200000",
                     rows[i].operator, rows[i].files);
            struct sam_buffer out = expect_success(words), text = read_file("turn.s");
            expect_part(&text, "# void turn(void)\n");
            assert_null(strstr(sam_buffer_text(&text), "\n    tl."));
            sam_buffer_free(&text);
            sam_buffer_free(&out);
            snprintf(words, sizeof words,
                     "run main.s -q --machine tensor --isa rv%uim_zicsr_xtensorload %s --map "
                     "0x200000:%u --map 0x300000:4096 --dump 0x200000:%u:out.bin",
                     xlen, rows[i].memory, rows[i].size, rows[i].size);
            out = expect_success(words);
            sam_buffer_free(&out);
            struct sam_array wanted = read_array("out.npy");
            out = read_file("out.bin");
            assert_int_equal(out.size, wanted.size);
            assert_memory_equal(out.data, wanted.data, wanted.size);
            sam_buffer_free(&out);
            sam_array_free(&wanted);
        }
    /* the operator's name, and a program at other addresses */
    struct sam_buffer out = expect_success("op transpose --perm 1,0 --emit turn.s --call in.npy");
    sam_buffer_free(&out);
    out = read_file("turn.s");
    expect_part(&out, "    .globl transpose\ntranspose:\n");
    sam_buffer_free(&out);
    out = expect_success(
        "op transpose --perm 1,0 -q --emit prog.s --at out=0x200000,in=0x100000 in.npy "
        "out.npy");
    sam_buffer_free(&out);
    run_emitted("prog.s", "out.npy");
    static const char *const refused[][2] = {
        {"--at in=0x1000,out=0x1100",
         "3922 bytes at 0x1000 overlap the output, 3922 bytes at 0x1100"},
        {"--at in=0x1000,in=0x9000,out=0x20000", "--at: 2 inputs: expected 1"},
        {"--at in=0x1000", "expected in=ADDRESS for each input and out=ADDRESS"},
        {"--at out=1,out=2,in=9999", "expected in=ADDRESS for each input and out=ADDRESS"},
        {"--call=9x", "routine '9x': expected an identifier of C"},
    };
    for (size_t i = 0; i < SAM_COUNT(refused); i++) {
        char words[256];
        snprintf(words, sizeof words, "op transpose --perm 1,0 --emit x.s %s in.npy",
                 refused[i][0]);
        expect_failure(words, 2, refused[i][1]);
    }
    expect_failure("op transpose --perm 1,0 --call in.npy out.npy", 2,
                   "--at and --call need --emit");
}

TEST(empty_tensors)
{
    write_numbers("none.npy", 3, (uint64_t[]){4, 0, 5});
    expect_numbers("op transpose --perm 2,1,0 none.npy out.npy", "[5,0,4] u16, 0 blocks", 0, NULL);
    expect_numbers("op concat none.npy none.npy out.npy", "[8,0,5]", 0, NULL);
    /* Their steps would not fit 64 bits. */
    write_numbers("large.npy", 3, (uint64_t[]){0, UINT64_C(1) << 40, UINT64_C(1) << 40});
    expect_failure("op concat large.npy large.npy out2.npy", 2, "a tensor of more than");
    write_numbers("large.npy", 4, (uint64_t[]){0, UINT64_C(1) << 18, UINT64_C(1) << 18, 1});
    expect_numbers("op im2col --kernel 255 --pad 254 large.npy out.npy", "[0,65025]", 0, NULL);
    write_numbers("one.npy", 0, NULL);
    expect_numbers("op reshape --shape 1,1 one.npy out.npy", "[1,1] u16", 1, (uint16_t[]){0});
}

TEST(parameters_of_the_engines)
{
    struct sam_buffer out = expect_success("op --config help");
    expect_part(&out, "load_bytes");
    sam_buffer_free(&out);
    write_numbers("in.npy", 2, (uint64_t[]){64, 64});
    write_text("op.cfg", "load_bytes=2 # per cycle\n");
    out = expect_success("op transpose --perm 1,0 --config load_bytes=2,queue=1 in.npy out.npy");
    struct sam_buffer same = expect_success("op transpose --perm 1,0 --config op.cfg --config "
                                            "queue=1 in.npy out.npy");
    assert_string_equal(sam_buffer_text(&same), sam_buffer_text(&out));
    sam_buffer_free(&same);
    sam_buffer_free(&out);
    expect_failure("op transpose --perm 1,0 --config none.cfg in.npy out.npy", 2,
                   "none.cfg: cannot open");
}

TEST(wrong_usage)
{
    write_numbers("in.npy", 2, (uint64_t[]){2, 3});
    write_numbers("other.npy", 2, (uint64_t[]){4, 4});
    write_text("bad.npy", "not numpy");
    expect_failure("op", 2, "no operator");
    expect_failure("op flip in.npy out2.npy", 2, "unknown operator 'flip'");
    expect_failure("op transpose in.npy out2.npy", 2, "needs --perm");
    expect_failure("op transpose --perm 0 in.npy out2.npy", 2, "--perm has 1 numbers");
    expect_failure("op transpose --perm 0,0 in.npy out2.npy", 2, "must name each of 0..1 once");
    expect_failure("op transpose --perm 0,9 in.npy out2.npy", 2, "must name each of 0..1 once");
    expect_failure("op transpose --perm 0,x in.npy out2.npy", 2, "separated by commas");
    expect_failure("op transpose --perm 1,0 --mask in.npy in.npy out2.npy", 2, "not for ");
    expect_failure("op transpose --perm 1,0 in.npy", 2, "one input and an output");
    expect_failure("op transpose --perm 1,0 in.npy a.npy b.npy", 2, "found 3 files");
    expect_failure("op transpose --perm 1,0 none-such.npy out2.npy", 2, "none-such.npy");
    expect_failure("op transpose --perm 1,0 bad.npy out2.npy", 2, "bad.npy");
    expect_failure("op reshape --shape 4,-1 in.npy out2.npy", 2, "do not divide");
    expect_failure("op reshape --shape 4 in.npy out2.npy", 2, "6 elements are not 4");
    expect_failure("op reshape --shape -1,-1 in.npy out2.npy", 2, "only one dim");
    expect_failure("op concat in.npy other.npy out2.npy", 2, "only axis 0 may differ");
    expect_failure("op concat --axis 2 in.npy in.npy out2.npy", 2, "has 2 dims");
    expect_failure("op pad --before 1 in.npy out2.npy", 2, "--before has 1 numbers");
    expect_failure("op pad --before 1,1 --value 65536 in.npy out2.npy", 2, "is no u16");
    expect_failure("op pad --before 9000000000000000000,1 in.npy out2.npy", 2, "more than");
    expect_failure("op im2col --kernel 3 in.npy out2.npy", 2, "[N,H,W,C]");
    expect_failure("op im2col --kernel 3 --pad 1,2,3 in.npy out2.npy", 2, "--pad takes H,W or T");
    expect_failure("op transpose --perm 1,0 --layout nchw in.npy out2.npy", 2, "not for ");
    expect_failure("op concat --axis -9223372036854775808 in.npy in.npy out2.npy", 2, "has 2 dims");
    expect_failure("op transpose --perm 1,0 --plan in.npy -", 2, "--plan cannot go there");
    expect_failure("op transpose --perm 1,0 --emit - in.npy -", 2, "--emit cannot go there");
    expect_failure("op transpose --perm 1,0 --plan --cycles in.npy", 2, "nothing is run");
    assert_false(exists("out2.npy"));
    expect_failure("op transpose --perm 1,0 in.npy no-folder/out.npy", 2, "no-folder/out.npy");
}

/* An input is refused as soon as it cannot be right, also from a pipe that never ends. */
TEST(endless_inputs)
{
    static const struct {
        const char *input, *part;
    } cases[] = {
        {"/dev/zero", "/dev/zero: not an npy file"},
        {"- </dev/zero", "-: not an npy file"},
        {"- <endless.npy", "-: 6 elements of u16 take 12 bytes, the file has more"},
        {"huge.npy", "take 8800000000000 bytes, more than the limit of"},
    };
    write_numbers("in.npy", 2, (uint64_t[]){2, 3});
    struct sam_buffer file = read_file("in.npy");
    char path[128];
    FILE *f;
    snprintf(path, sizeof path, "%s/endless.npy", directory);
    assert_non_null(f = fopen(path, "wb"));
    assert_int_equal(fwrite(file.data, 1, file.size, f), file.size);
    for (int i = 0; i < 100; i++)
        fputc(0, f);
    fclose(f);
    char *shape = strstr((char *)file.data + 10, "(2, 3), }            ");
    assert_non_null(shape);
    static const char huge[] = "(2200000000000, 2), }";
    memcpy(shape, huge, sizeof huge - 1);
    snprintf(path, sizeof path, "%s/huge.npy", directory);
    assert_non_null(f = fopen(path, "wb"));
    assert_int_equal(fwrite(file.data, 1, file.size, f), file.size);
    fclose(f);
    sam_buffer_free(&file);
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char words[128];
        snprintf(words, sizeof words, "op reshape --shape -1 --plan %s", cases[i].input);
        expect_failure(words, 2, cases[i].part);
    }
}

/* A number out of range for its type is refused, not turned into the largest one or inf. */
TEST(numbers_out_of_range)
{
    static const enum sam_dtype reals[] = {SAM_F16, SAM_F32, SAM_F64};
    static const char *const large[] = {"1e400", "-1e400", "0x1p99999", "1e-"};
    write_numbers("in.npy", 2, (uint64_t[]){2, 3});
    for (size_t i = 0; i < SAM_COUNT(reals); i++) {
        char path[128], words[128];
        struct sam_error error;
        double zeros[2] = {0};
        struct sam_array array = {.dtype = reals[i], .rank = 1, .shape = {2}, .count = 2};
        array.size = 2 * sam_dtype_size(reals[i]);
        array.data = zeros;
        snprintf(path, sizeof path, "%s/real.npy", directory);
        assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
        for (size_t k = 0; k < SAM_COUNT(large); k++) {
            snprintf(words, sizeof words, "op pad --before 1 --value %s real.npy out2.npy",
                     large[k]);
            expect_failure(words, 2, large[k]);
        }
        struct sam_buffer out = expect_success("op pad --before 1 --value 1e-400 real.npy out.npy");
        sam_buffer_free(&out);
        out = expect_success("op pad --before 1 --value -inf real.npy out.npy");
        sam_buffer_free(&out);
    }
    static const char *const words[] = {
        "op concat --axis 99999999999999999999 in.npy in.npy out2.npy",
        "op concat --axis ' 1' in.npy in.npy out2.npy",
        "op pad --before 99999999999999999999,1 in.npy out2.npy",
        "op reshape --shape 6,99999999999999999999 in.npy out2.npy",
        "op im2col --kernel 3,,3 in.npy out2.npy",
        "op im2col --kernel 3, in.npy out2.npy",
    };
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        expect_failure(words[i], 2, i < 2 ? "expected a number" : "separated by commas");
    assert_false(exists("out2.npy"));
}

PROLOGUE
{
    command_verb = "";
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
