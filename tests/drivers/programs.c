/* SPDX-License-Identifier: Apache-2.0 */
/* Program uploads to the Ventus driver: files, bytes, repeated uploads, damaged programs. */
#include "host.h"

#include "../must.h"
#include "samite/samite.h"

/* Stores a number, and one from its data, which it then changes. */
#define STORING(number)                                                                            \
    "        .globl  k\n"                                                                          \
    "k:      lw      t0, 0(a0)\n"                                                                  \
    "        li      t1, " #number "\n"                                                            \
    "        sw      t1, 0(t0)\n"                                                                  \
    "        la      t2, word\n"                                                                   \
    "        lw      t3, 0(t2)\n"                                                                  \
    "        sw      t3, 4(t0)\n"                                                                  \
    "        sw      t1, 0(t2)\n"                                                                  \
    "        la      t4, bss\n"                                                                    \
    "        lw      t3, 0(t4)\n"                                                                  \
    "        sw      t3, 8(t0)\n"                                                                  \
    "        sw      t1, 0(t4)\n"                                                                  \
    "        ret\n"                                                                                \
    "        .data\n"                                                                              \
    "word:   .word   55\n"                                                                         \
    "        .bss\n"                                                                               \
    "bss:    .space  8192\n"

struct bench {
    void *device;
    uint32_t out, args, pds, knl;
};

static struct bench bench_new(const struct host_program *program)
{
    struct bench b = {.device = host_open()};
    b.out = host_buffer(b.device, NULL, 64);
    b.args = host_buffer(b.device, &b.out, 4);
    b.pds = host_buffer(b.device, NULL, 4096 * 32);
    const uint32_t knl[16] = {host_symbol(program, "k"), b.args, 1, 32, 1, 1, 32, 1, 1};
    b.knl = host_buffer(b.device, knl, sizeof knl);
    return b;
}

static int launch(const struct bench *b)
{
    uint64_t meta[VT_META_WORDS] = {0, 1, 1, 1, 32, 1, b->knl, 0, 4096, 64, 64, b->pds};
    assert_int_equal(vt.start(b->device, meta, 0), 0);
    return vt.ready_wait(b->device, 1000);
}

static void expect(const struct bench *b, uint32_t number, uint32_t data, uint32_t bss)
{
    assert_int_equal(launch(b), 0);
    assert_int_equal(host_word(b->device, b->out), number);
    assert_int_equal(host_word(b->device, b->out + 4), data);
    assert_int_equal(host_word(b->device, b->out + 8), bss);
}

TEST(replaced)
{
    SCOPED(host_program) one = host_assemble(STORING(1)), two = host_assemble(STORING(2));
    struct bench b = bench_new(&one);
    assert_int_equal(vt.upload_kernel_file(b.device, one.path, 0), 0);
    expect(&b, 1, 55, 0);
    expect(&b, 1, 1, 1); /* without an upload the data is kept */
    assert_int_equal(vt.upload_kernel_file(b.device, one.path, 0), 0);
    expect(&b, 1, 55, 0);
    assert_int_equal(vt.upload_kernel_file(b.device, two.path, 0), 0);
    expect(&b, 2, 55, 0);
    assert_int_equal(vt.upload_kernel_bytes(b.device, one.bytes, one.size, 0), 0);
    expect(&b, 1, 55, 0);
    assert_int_equal(vt.upload_kernel_bytes(b.device, one.bytes, one.size, 0), 0);
    expect(&b, 1, 55, 0);
    /* a program changed in device memory is restored */
    uint32_t old = 0, endprg = 0x0000400b;
    const uint32_t kernel = host_symbol(&one, "k");
    assert_int_equal(vt.copy_from_dev(b.device, kernel, &old, 4, 0, 0), 0);
    assert_int_equal(vt.copy_to_dev(b.device, kernel, &endprg, 4, 0, 0), 0);
    host_set(b.device, b.out, 99);
    assert_int_equal(launch(&b), 0);
    assert_int_equal(host_word(b.device, b.out), 99);
    assert_int_equal(vt.upload_kernel_file(b.device, one.path, 0), 0);
    expect(&b, 1, 55, 0);
    assert_int_equal(vt.dev_close(b.device), 0);
}

TEST(raw_code)
{
    SCOPED(host_program) program = host_assemble(STORING(3));
    struct bench b = bench_new(&program);
    const uint32_t endprg = 0x0000400b, illegal = 0xffffffff;
    assert_int_equal(vt.upload_kernel_bytes(b.device, &endprg, 4, 0), 0);
    assert_int_equal(launch(&b), 0);
    assert_int_equal(vt.upload_kernel_bytes(b.device, &illegal, 4, 0), 0);
    assert_int_equal(launch(&b), -1);
    host_expect("illegal instruction");
    assert_int_equal(vt.dev_close(b.device), 0);
}

/* Invalid programs are rejected, and the previous one still runs. */
TEST(damaged)
{
    SCOPED(host_program) program = host_assemble(STORING(4));
    struct bench b = bench_new(&program);
    assert_int_equal(vt.upload_kernel_file(b.device, program.path, 0), 0);
    FREED char *copy = malloc(program.size);
    memcpy(copy, program.bytes, program.size);
    for (size_t size = 4; size < 52; size += 4) /* shorter than its header */
        assert_int_equal(vt.upload_kernel_bytes(b.device, copy, size, 0), -1);
    copy[4] = 2; /* 64 bits */
    assert_int_equal(vt.upload_kernel_bytes(b.device, copy, program.size, 0), -1);
    assert_int_equal(vt.upload_kernel_bytes(b.device, copy, 0, 0), -1);
    assert_int_equal(vt.upload_kernel_bytes(b.device, NULL, 4, 0), -1);
    assert_int_equal(vt.upload_kernel_bytes(b.device, copy, UINT64_MAX, 0), -1);
    assert_int_equal(vt.upload_kernel_bytes(b.device, program.bytes, program.size, 3), -1);
    assert_int_equal(vt.upload_kernel_file(b.device, "absent.riscv", 0), -1);
    host_expect("absent.riscv");
    assert_int_equal(vt.upload_kernel_file(b.device, NULL, 0), -1);
    assert_int_equal(vt.upload_kernel_file(b.device, program.path, -1), -1);
    assert_int_equal(vt.upload_kernel_file(b.device, "/", 0), -1);
    assert_int_equal(vt.upload_kernel_file(b.device, "-", 0), -1);
    FILE *text = fopen("text", "w");
    fputs("not a program", text);
    fclose(text);
    assert_int_equal(vt.upload_kernel_file(b.device, "text", 0), -1);
    host_expect("text: ");
    remove("text");
    expect(&b, 4, 55, 0);
    assert_int_equal(vt.dev_close(b.device), 0);
}

static void add_section(struct sam_image *image, bool high, uint64_t address)
{
    uint8_t endprg[] = {0x0b, 0x40, 0, 0};
    char low_name[] = ".text", high_name[] = ".high";
    const struct sam_section section = {.name = high ? high_name : low_name,
                                        .address = address,
                                        .size = 4,
                                        .data_size = 4,
                                        .data = endprg,
                                        .execute = true};
    succeeds(sam_image_add_section, image, &section);
}

/* A section would overwrite a buffer at its address; after the buffer is freed, the address is
 * the program's. */
TEST(overlapping)
{
    SCOPED(host_program) program = host_assemble(STORING(5));
    struct bench b = bench_new(&program);
    SCOPED_IMAGE *image = sam_image_new(32);
    FREED void *elf = NULL;
    size_t size;
    add_section(image, false, 0x80000000);
    add_section(image, true, 0x90000020);
    image->entry = 0x80000000;
    succeeds(sam_image_finish, image);
    succeeds(sam_elf_make, image, &elf, &size);
    assert_int_equal(vt.upload_kernel_file(b.device, program.path, 0), 0);
    assert_int_equal(b.out, 0x90000000);
    expect(&b, 5, 55, 0);
    assert_int_equal(vt.upload_kernel_bytes(b.device, elf, size, 0), -1);
    host_expect("samite: section .high at 0x90000020 overlaps the buffer at 0x90000000");
    expect(&b, 5, 5, 5);
    host_free(b.device, b.out);
    assert_int_equal(vt.upload_kernel_bytes(b.device, elf, size, 0), 0);
    assert_int_equal(launch(&b), 0);
    assert_true(host_buffer(b.device, NULL, 64) != b.out); /* its address is taken */
    assert_int_equal(vt.upload_kernel_file(b.device, program.path, 0), 0);
    assert_int_equal(host_buffer(b.device, NULL, 64), b.out);
    assert_int_equal(vt.dev_close(b.device), 0);
}

TEST_GROUP(host_set_up, host_tear_down)
