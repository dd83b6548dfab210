/* SPDX-License-Identifier: Apache-2.0 */
/* Host-side settings of a Ventus GPGPU: writes between launches, global size and offset, bounds
 * of local memory, page tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assemble.h"
#include "command.h"

/* Bytes of the buffer and of the metadata buffer, words 3 to 12, to the addresses in the
 * arguments. */
static const char sizes[] = "        .globl sizes\n"
                            "sizes:  lw      t0, 0(a0)\n"
                            "        csrr    t1, knl\n"
                            "        li      t2, 9\n"
                            "1:      lw      t3, 12(t1)\n"
                            "        sw      t3, 0(t0)\n"
                            "        addi    t0, t0, 4\n"
                            "        addi    t1, t1, 4\n"
                            "        addi    t2, t2, -1\n"
                            "        bnez    t2, 1b\n"
                            "        ret\n";

/* One word for each lane that runs: out[workgroup * lanes + lane] = 1. */
static const char ones[] = "        .globl ones\n"
                           "ones:   lw      t0, 0(a0)\n"
                           "        csrr    t1, numw\n"
                           "        csrr    t2, numt\n"
                           "        mul     t1, t1, t2\n"
                           "        csrr    t3, wgid\n"
                           "        mul     t3, t3, t1\n"
                           "        csrr    t2, tid\n"
                           "        add     t3, t3, t2\n"
                           "        vid.v   v1\n"
                           "        vadd.vx v1, v1, t3\n"
                           "        vsll.vi v1, v1, 2\n"
                           "        vadd.vx v1, v1, t0\n"
                           "        vmv.v.i v2, 1\n"
                           "        vsw12.v v2, 0(v1)\n"
                           "        ret\n";

/* Load from the address in the second argument, add one, store to the address in the first. */
static const char touch[] = "        .globl touch\n"
                            "touch:  lw      t0, 0(a0)\n"
                            "        lw      t1, 4(a0)\n"
                            "        lw      t2, 0(t1)\n"
                            "        addi    t2, t2, 1\n"
                            "        sw      t2, 0(t1)\n"
                            "        sw      t2, 0(t0)\n"
                            "        ret\n";

#define ALONE "touch.s --kernel touch --grid 1 --block 4 --warp 4 --arg out:u32:1 "
#define TOUCH "touch.s --kernel touch --grid 1 --block 8 --warp 4 --arg out:u32:1 "

/* The same without arguments, in the driver's files: a word of local memory, and of a buffer. */
static const char recorded[] = "li t0, 0x70000000\nli t2, ADDRESS\nlw t1, 0(t2)\naddi t1, t1, 1\n"
                               "sw t1, 0(t2)\nli t0, 0x90000000\nlb t3, 0(t0)\naddi t3, t3, 3\n"
                               "sb t3, 0(t0)\nendprg\n";

static void write_pair(const char *name, const char *address)
{
    const char *defines[] = {address};
    struct sam_asm_options options = {.base = SAM_CODE_BASE, .defines = defines, .define_count = 1};
    struct sam_image *image;
    struct sam_error error;
    char *messages, path[64];
    assert_int_equal(sam_isa_parse("ventus", &options.isa, &error), SAM_OK);
    if (sam_assemble(&options, "recorded.s", recorded, strlen(recorded), &image, &messages,
                     &error) != SAM_OK)
        fail_msg("%s", messages);
    free(messages);
    /* Local memory of 0x400 bytes; a code buffer, and one of one byte. */
    const uint64_t values[] = {SAM_CODE_BASE,
                               0,
                               1,
                               1,
                               1,
                               4,
                               1,
                               0x90001000,
                               0x400,
                               0,
                               32,
                               32,
                               0,
                               3,
                               SAM_CODE_BASE,
                               0x90000000,
                               0x90001000,
                               image->sections[0].data_size,
                               0,
                               0,
                               0x1000,
                               1,
                               64};
    struct sam_buffer text = {0};
    for (size_t i = 0; i < SAM_COUNT(values); i++)
        sam_buffer_printf(&text, "%08x\n%08x\n", (unsigned)values[i], (unsigned)(values[i] >> 32));
    snprintf(path, sizeof path, "%s.metadata", name);
    write_text(path, sam_buffer_text(&text));
    text.size = 0;
    for (size_t i = 0; i < image->sections[0].data_size; i += 4)
        sam_buffer_printf(&text, "%08x\n", sam_le32(image->sections[0].data + i));
    snprintf(path, sizeof path, "%s.data", name);
    write_text(path, sam_buffer_text(&text));
    sam_buffer_free(&text);
    sam_image_free(image);
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_text("sizes.s", sizes);
    write_text("ones.s", ones);
    write_text("touch.s", touch);
    write_pair("inside", "ADDRESS=0x700003fc");
    write_pair("outside", "ADDRESS=0x70000400");
    write_pair("top", "ADDRESS=0x7ffff010");
    return 0;
}

static void succeed(const char *words)
{
    expect_runs(words);
}

static void expect_bytes(const char *name, size_t size, const char *bytes)
{
    struct sam_buffer file = read_file(name);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, bytes, size);
    sam_buffer_free(&file);
}

/* ------------------------------------------------------------------------------------ pokes */

TEST(pokes_of_every_size)
{
    succeed(ALONE "--arg u32:0x90000000 --dump 0x90000000:4:word.bin --poke 0x90000000=0x01020304 "
                  "--poke 0x90000001=0xaa:u8");
    expect_bytes("word.bin", 4, "\x05\xaa\x02\x01");
    /* Unmapped memory: eight bytes, then two of them again. */
    succeed(ALONE "--arg u32:0xa0000004 --poke 0xa0000000=0x1122334455667788:u64 "
                  "--poke 0xa0000002=0xbeef:u16 --dump 0xa0000000:8:wide.bin");
    expect_bytes("wide.bin", 8, "\x88\x77\xef\xbe\x45\x33\x22\x11");
    succeed(ALONE "--arg u32:0x1000 --poke 0x1000=9:u32 --dump 0x1000:4:low.bin");
    expect_bytes("low.bin", 4, "\x0a\0\0\0");
}

/* A host clears a one-byte flag before each launch; the word around it is accepted, too. */
TEST(pokes_between_launches)
{
    succeed("--poke 0x90000000=7:u8 inside.metadata inside.data --dump 0x90000000:1:a.bin "
            "--poke 0x90000000=0:u8 inside.metadata inside.data --dump 0x90000000:1:b.bin "
            "--poke 0x90000000=0x01010120 inside.metadata inside.data --dump 0x90000000:1:c.bin "
            "--dump 0x90000001:3:d.bin");
    expect_bytes("a.bin", 1, "\x0a");
    expect_bytes("b.bin", 1, "\x03");
    expect_bytes("c.bin", 1, "\x23");
    expect_bytes("d.bin", 3, "\x01\x01\x01");
}

TEST(bad_pokes)
{
    static const struct {
        const char *words, *part;
    } rows[] = {
        {"--poke 1", "--poke 1: expected ADDR=VALUE[:u8|u16|u32|u64]"},
        {"--poke 1=0x100000000", "expected ADDR=VALUE[:u8|u16|u32|u64]"},
        {"--poke 1=256:u8", "a value of the type"},
        {"--poke 1=65536:u16", "a value of the type"},
        {"--poke 1=1:u12", "expected ADDR=VALUE"},
        {"--poke 1=:u8", "expected ADDR=VALUE"},
        {"--poke 1=1:", "expected ADDR=VALUE"},
        {"--poke 0xfffffffd=1", "expected an address range within 4 GiB"},
        {"--poke 0x70000000=1", "lies in the local-memory window"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        char words[256];
        snprintf(words, sizeof words, TOUCH "--arg u32:0x90000000 %s", rows[i].words);
        expect_failure(words, 2, rows[i].part);
    }
}

/* ------------------------------------------------------------------- global size and offset */

TEST(the_kernel_sees_global_size_and_offset)
{
    succeed("sizes.s --kernel sizes --global 100,3 --block 32,2 --offset 5,0,9 -j 1 "
            "--arg out:u32:16 --dump 0x90000000:36:sizes.bin");
    static const uint32_t expected[9] = {100, 3, 1, 32, 2, 1, 5, 0, 9};
    struct sam_buffer file = read_file("sizes.bin");
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(sam_le32(file.data + 4 * i), expected[i]);
    sam_buffer_free(&file);
}

TEST(lanes_past_the_global_size_do_not_run)
{
    expect_parts(
        expect_success("ones.s --kernel ones --global 21 --block 8 --warp 4 --arg out:u8:256 "
                       "--dump 0x90000000:128:ones.bin"),
        "grid 3x1x1, 2 warps of 4", (const char *)NULL);
    struct sam_buffer file = read_file("ones.bin");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(sam_le32(file.data + 4 * i), i < 21);
    sam_buffer_free(&file);
}

TEST(bad_sizes)
{
#define ONES "ones.s --kernel ones --arg out:u8:256 "
    expect_failure(ONES "--block 8", 2, "--kernel requires --grid");
    expect_failure(ONES "--global 8", 2, "--kernel requires --block");
    expect_failure(ONES "--grid 1 --global 8 --block 8", 2, "--grid and --global");
    expect_failure(ONES "--global 0 --block 8", 2, "--global: expected X[,Y,Z], each from 1");
    expect_failure(ONES "--global 8 --block 8 --offset x", 2,
                   "--offset: expected X[,Y,Z], each from 0");
    expect_failure("inside.metadata inside.data --global 8", 2, "--global requires --kernel NAME");
    expect_failure("inside.metadata inside.data --offset 8", 2, "--offset requires --kernel NAME");
}

/* ----------------------------------------------------------------------------- local memory */

TEST(a_prepared_launch_is_held_to_what_it_declares)
{
    /* Two warps: stacks of 2 KiB. */
    succeed(TOUCH "--arg u32:0x7ff00000");
    succeed(TOUCH "--lds-size 64 --arg u32:0x7000083c");
    expect_failure(TOUCH "-q --lds-size 64 --arg u32:0x70000840", 1,
                   "load from 0x70000840, outside the workgroup's local memory");
    succeed(TOUCH "--strict-lds --arg u32:0x700007fc");
    expect_failure(TOUCH "-q --strict-lds --arg u32:0x70000800", 1, "load from 0x70000800");
    succeed(TOUCH "--strict-lds --lds-range 0x70000800:4 --arg u32:0x70000800");
    /* A local: argument is declared as well, to the byte. */
    succeed(TOUCH "--arg local:20");
    expect_failure(TOUCH "-q --arg u32:0x7ffff400 --arg local:1024", 1, "load from 0x7ffff400");
    succeed(TOUCH "--arg u32:0x7ffff3fc --arg local:1024 --arg local:16");
    expect_failure(TOUCH "-q --arg u32:0x7fffe010 --arg local:1024 --arg local:16", 1,
                   "load from 0x7fffe010");
}

TEST(recorded_launches_are_when_asked)
{
    succeed("outside.metadata outside.data");
    succeed("inside.metadata inside.data --strict-lds");
    expect_failure("-q outside.metadata outside.data --strict-lds", 1,
                   "load from 0x70000400, outside the workgroup's local memory");
    expect_failure("-q top.metadata top.data --strict-lds", 1, "load from 0x7ffff010");
    succeed("top.metadata top.data --strict-lds --lds-range 0x7ffff000:0x1000");
    succeed("top.metadata top.data --strict-lds --lds-range 0x70000400:4 --lds-range "
            "0x7ffff010:4");
    static const char *const ranges[] = {"0x70000000",   "0x6ffffff0:64", "0x7ffffff0:17",
                                         "0x70000000:0", "0x80000000:1",  "x:1"};
    for (size_t i = 0; i < SAM_COUNT(ranges); i++) {
        char words[128];
        snprintf(words, sizeof words, "top.metadata top.data --lds-range %s", ranges[i]);
        expect_failure(words, 2, "expected BASE:SIZE within 0x70000000..0x7fffffff");
    }
    expect_failure("top.metadata top.data --lds-size 1", 2, "--lds-size requires --kernel NAME");
}

/* ------------------------------------------------------------------------------ page tables */

TEST(the_same_results_under_sv39)
{
    succeed("ones.s --kernel ones --grid 3 --block 8 --warp 4 -j 2 --sv39 --arg out:u8:256 "
            "--dump 0x90000000:96:paged.bin");
    succeed("ones.s --kernel ones --grid 3 --block 8 --warp 4 --arg out:u8:256 "
            "--dump 0x90000000:96:plain.bin");
    struct sam_buffer plain = read_file("plain.bin");
    expect_bytes("paged.bin", 96, (char *)plain.data);
    sam_buffer_free(&plain);
    succeed("inside.metadata inside.data --sv39 --dump 0x90000000:1:flag.bin");
    expect_bytes("flag.bin", 1, "\x03");
    /* Memory created by a poke has a page as well. */
    succeed(ALONE "--sv39 --arg u32:0xa0000000 --poke 0xa0000000=9 --dump 0xa0000000:4:new.bin");
    expect_bytes("new.bin", 4, "\x0a\0\0\0");
    /* Code is readable and executable, not writable; addresses outside all buffers have no page. */
    expect_failure(TOUCH "-q --sv39 --arg u32:0x80000000", 1, "store page fault at 0x80000000");
    succeed(ALONE "--arg u32:0x80000000");
    expect_failure(TOUCH "-q --sv39 --arg u32:0xb0000000", 1, "load page fault at 0xb0000000");
    expect_failure(TOUCH "--sv39 --ptbr 0x1000 --arg u32:0", 2,
                   "--sv39 builds its own tables: expected no --ptbr");
}

/* .data has its bytes at its load address, from which start code copies them, and at its own. */
TEST(load_addresses)
{
    static const char source[] = "        lui     a1, 0x80001 # the load address\n"
                                 "        lui     a2, 0x80002\n"
                                 "        lw      a0, 0(a1)\n"
                                 "        lw      a3, 0(a2)\n"
                                 "        bne     a0, a3, 1f\n"
                                 "        li      a7, 93\n"
                                 "1:      ecall\n"
                                 "        .data\n"
                                 "        .balign 4096\n"
                                 "        .word 77\n";
    struct sam_error error;
    struct sam_image *image = test_assemble("rv32im_zicsr", SAM_HART_CODE_BASE, NULL, source);
    char path[128];
    void *elf;
    size_t size;
    struct sam_section *data = &image->sections[image->section_count - 1];
    data->load_offset = -UINT64_C(0x1000);
    data->address = 0x80002000;
    assert_int_equal(sam_elf_make(image, &elf, &size, &error), SAM_OK);
    snprintf(path, sizeof path, "%s/load.elf", directory);
    assert_int_equal(sam_file_save(path, elf, size, &error), SAM_OK);
    expect_failure("load.elf -q --machine tensor", 77, "load.elf: exit code 77");
    sam_image_free(image);
    free(elf);
}

TEST_GROUP(set_up, remove_directory)
