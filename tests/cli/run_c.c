/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in C on the tensor hart: the console, files, arguments and exit codes of picolibc.
 * Without the cross compiler and picolibc, only the assembly programs run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define TENSOR       "--machine tensor -q "
#define CALL(number) "li a0, " #number "\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n"

static const char source[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    char line[64];\n"
    "    for (int i = 1; i < argc; i++)\n"
    "        printf(\"%d: %s\\n\", i, argv[i]);\n"
    "    if (argc > 1 && strcmp(argv[1], \"input\") == 0)\n"
    "        for (int n = 0; n < 2 && fgets(line, sizeof line, stdin); n++)\n"
    "            printf(\"<%s>\", line);\n"
    "    if (argc > 1 && strcmp(argv[1], \"forever\") == 0)\n"
    "        while (getchar() != EOF)\n"
    "            ;\n"
    "    if (argc > 2 && strcmp(argv[1], \"copy\") == 0) {\n"
    "        FILE *in = fopen(argv[2], \"r\"), *out = fopen(\"copy.txt\", \"w\");\n"
    "        if (!in || !out) {\n"
    "            fprintf(stderr, \"cannot copy\\n\");\n"
    "            return 9;\n"
    "        }\n"
    "        for (int c; (c = getc(in)) != EOF;)\n"
    "            putc(c, out);\n"
    "        fseek(in, 0, SEEK_END);\n"
    "        printf(\"%ld bytes\\n\", ftell(in));\n"
    "        fclose(in);\n"
    "        fclose(out);\n"
    "    }\n"
    "    char *block = malloc(50000);\n"
    "    memset(block, 1, 50000);\n"
    "    printf(\"%.3f %lld %s\\n\", 1.0 / 3, 1234567890123LL, block ? \"heap\" : \"no heap\");\n"
    "    return argc > 3 ? atoi(argv[3]) : 0;\n"
    "}\n";

static const struct {
    const char *name, *options;
} builds[] = {{"rv32", "-march=rv32im -mabi=ilp32"},
              {"rv64", "-march=rv64im -mabi=lp64 -mcmodel=medany"}};

#define CROSS "riscv64-unknown-elf-gcc --specs=picolibc.specs --crt0=semihost --oslib=semihost -O2 "

static bool has_compiler;

static bool build(const char *options, const char *output)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && " CROSS "%s main.c -o %s >build.log 2>&1",
             directory, options, output);
    return system(command) == 0;
}

/* Run shell commands with $TARGET and $DEVICE: the options of build `i`, the device headers. */
static void run_build(size_t i, const char *commands)
{
    char text[1024];
    snprintf(text, sizeof text, "TARGET='%s' DEVICE=$SAMITE_SOURCE/include/samite/device; %s",
             builds[i].options, commands);
    run_script(text);
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_text("main.c", source);
    has_compiler = system("riscv64-unknown-elf-gcc --specs=picolibc.specs -E -x c /dev/null "
                          ">/dev/null 2>&1") == 0;
    if (!has_compiler)
        printf("# no cross compiler with picolibc: its programs are skipped\n");
    for (size_t i = 0; has_compiler && i < SAM_COUNT(builds); i++)
        if (!build(builds[i].options, builds[i].name))
            return -1;
    return 0;
}

static void expect_output(const char *words, const char *text)
{
    struct sam_buffer out = expect_success(words);
    if (out.size != strlen(text) || memcmp(out.data, text, out.size) != 0)
        fail_msg("%s printed:\n%.*s", words, (int)out.size, (char *)out.data);
    sam_buffer_free(&out);
}

/* A block transposed by the TensorLoad unit, and a product of the matrix unit, with the device
 * headers. */
static const char units[] = "#include <samite/device/matrix.h>\n"
                            "#include <samite/device/tensorload.h>\n"
                            "static uint8_t in[32][32], out[32][32];\n"
                            "static int8_t a[16][64], b[16][64];\n"
                            "static int32_t c[16][16];\n"
                            "int main(void)\n"
                            "{\n"
                            "    for (int i = 0; i < 32; i++)\n"
                            "        for (int k = 0; k < 32; k++)\n"
                            "            in[i][k] = (uint8_t)(7 * i + k);\n"
                            "    sam_csr_write(SAM_DEVICE_CSR_tshape, 0x200104);\n"
                            "    sam_csr_write(SAM_DEVICE_CSR_tload_width, 32);\n"
                            "    sam_csr_write(SAM_DEVICE_CSR_tstore_width, 32);\n"
                            "    sam_tl_load(1, 0, in);\n"
                            "    sam_tl_load(2, 0, in);\n"
                            "    sam_tl_xpose_12(1, 2, 0x01202002);\n"
                            "    sam_tl_store(1, 0, out);\n"
                            "    for (int i = 0; i < 32; i++)\n"
                            "        for (int k = 0; k < 32; k++)\n"
                            "            if (out[i][k] != in[k][i])\n"
                            "                return 1;\n"
                            "    for (int i = 0; i < 16; i++)\n"
                            "        for (int k = 0; k < 64; k++) {\n"
                            "            a[i][k] = (int8_t)(i - k);\n"
                            "            b[i][k] = (int8_t)(3 * i + k);\n"
                            "        }\n"
                            "    sam_csr_write(SAM_DEVICE_CSR_xmcsr, 1);\n"
                            "    sam_mcfgki(64);\n"
                            "    sam_mcfgmi(16);\n"
                            "    sam_mcfgni(16);\n"
                            "    sam_mldb(0, 64, a);\n"
                            "    sam_mldb(1, 64, b);\n"
                            "    sam_mmov_mx(2, 0);\n"
                            "    sam_mmaqa_b(2, 1, 0);\n"
                            "    sam_mcfgki(64);\n"
                            "    sam_mstw(2, 64, c);\n"
                            "    for (int i = 0; i < 16; i++)\n"
                            "        for (int j = 0; j < 16; j++) {\n"
                            "            int32_t sum = 0;\n"
                            "            for (int k = 0; k < 64; k++)\n"
                            "                sum += a[i][k] * b[j][k];\n"
                            "            if (c[i][j] != sum)\n"
                            "                return 2;\n"
                            "        }\n"
                            "    return sam_cycles() ? 0 : 3;\n"
                            "}\n";

TEST(device_headers)
{
    write_text("units.c", units);
    for (size_t i = 0; has_compiler && i < SAM_COUNT(builds); i++) {
        run_build(i, "riscv64-unknown-elf-gcc $TARGET -O2 -I$SAMITE_SOURCE/include -nostdlib "
                     "-ffreestanding -T $DEVICE/tensor.ld $DEVICE/start.S units.c -lgcc -o units");
        expect_runs(i ? "units " TENSOR "--isa rv64im_xtensorload_xmatrix"
                      : "units " TENSOR "--isa rv32im_xtensorload_xmatrix");
        /* our script also works with picolibc */
        run_build(i, CROSS "$TARGET -T $DEVICE/tensor.ld main.c -o script");
        expect_output("script " TENSOR "-- one", "1: one\n0.333 1234567890123 heap\n");
    }
}

/* Without a C library: the memory functions of start.S against loops, for all small sizes and
 * distances; the console, and an exit through its register. */
static const char bare[] =
    "#include <samite/device/system.h>\n"
    "#include <stddef.h>\n"
    "void *memset(void *, int, size_t);\n"
    "void *memcpy(void *, const void *, size_t);\n"
    "void *memmove(void *, const void *, size_t);\n"
    "int memcmp(const void *, const void *, size_t);\n"
    "static unsigned char a[64], b[64], was[64];\n"
    "static int same(void)\n"
    "{\n"
    "    for (int i = 0; i < 64; i++)\n"
    "        if (a[i] != b[i])\n"
    "            return 0;\n"
    "    return 1;\n"
    "}\n"
    "static void fill(void)\n"
    "{\n"
    "    for (int i = 0; i < 64; i++) {\n"
    "        a[i] = b[i] = was[i] = (unsigned char)(200 + i * 7);\n"
    "        __asm__ volatile(\"\" : : : \"memory\");\n"
    "    }\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    for (volatile size_t n = 0; n < 20; n++)\n"
    "        for (volatile size_t to = 0; to < 40; to++) {\n"
    "            fill();\n"
    "            if (memmove(a + to, a + 20, n) != a + to)\n"
    "                return 1;\n"
    "            for (volatile size_t i = 0; i < n; i++)\n"
    "                b[to + i] = was[20 + i];\n"
    "            if (!same())\n"
    "                return 2;\n"
    "            fill();\n"
    "            memcpy(a + to, was, n);\n"
    "            for (volatile size_t i = 0; i < n; i++)\n"
    "                b[to + i] = was[i];\n"
    "            if (!same() || memset(a + to, 0x1ff, n) != a + to)\n"
    "                return 3;\n"
    "            for (volatile size_t i = 0; i < n; i++)\n"
    "                b[to + i] = 0xff;\n"
    "            if (!same() || memcmp(a, b, 64) != 0)\n"
    "                return 4;\n"
    "            a[to] = 1;\n"
    "            b[to] = 0x82;\n"
    "            if (memcmp(a, b, to) != 0 || memcmp(a, b, to + 1) >= 0 ||\n"
    "                memcmp(b, a, 64) <= 0)\n"
    "                return 5;\n"
    "        }\n"
    "    sam_put_text(\"bare\");\n"
    "    sam_put_number(12345678901, 13);\n"
    "    sam_put_number(0, 0);\n"
    "    sam_put_char('\\n');\n"
    "    sam_exit(sam_system_cycles() && sam_system_mlen() == 512 ? 77 : 6);\n"
    "}\n";

#define SYSTEM "--machine system -q "

/* Programs on the system, without a C library and with picolibc, linked with system.ld. */
TEST(on_the_system)
{
    write_text("bare.c", bare);
    for (size_t i = 0; has_compiler && i < SAM_COUNT(builds); i++) {
        run_build(i,
                  "riscv64-unknown-elf-gcc $TARGET -O2 -Wall -Werror -I$SAMITE_SOURCE/include "
                  "-nostdlib -ffreestanding -L $DEVICE -T system.ld $DEVICE/start.S bare.c -lgcc "
                  "-o bare");
        struct outcome o = run("bare " SYSTEM);
        assert_int_equal(o.code, 77);
        expect_part(&o.out, "bare  123456789010\n");
        done(&o);
        run_build(i, CROSS "$TARGET -L $DEVICE -T system.ld main.c -o script");
        expect_output("script " SYSTEM "-- one", "1: one\n0.333 1234567890123 heap\n");
    }
}

TEST(picolibc)
{
    for (size_t i = 0; has_compiler && i < SAM_COUNT(builds); i++) {
        char words[256];
        const char *name = builds[i].name;
        snprintf(words, sizeof words, "%s " TENSOR, name);
        expect_output(words, "0.333 1234567890123 heap\n");
        snprintf(words, sizeof words, "%s " TENSOR "-- one --two", name);
        expect_output(words, "1: one\n2: --two\n0.333 1234567890123 heap\n");
        write_text("data.txt", "some\ntext\n");
        snprintf(words, sizeof words, "%s " TENSOR "--host-files . -- copy data.txt", name);
        expect_output(words, "1: copy\n2: data.txt\n10 bytes\n0.333 1234567890123 heap\n");
        struct sam_buffer copy = read_file("copy.txt");
        assert_int_equal(copy.size, 10);
        assert_memory_equal(copy.data, "some\ntext\n", 10);
        sam_buffer_free(&copy);
        snprintf(words, sizeof words, "%s " TENSOR "-- input <data.txt", name);
        expect_output(words, "1: input\n<some\n><text\n>0.333 1234567890123 heap\n");
        snprintf(words, sizeof words, "%s " TENSOR "-- forever <data.txt", name);
        expect_failure(words, 1, "semihosting readc: standard input has ended");
        snprintf(words, sizeof words, "%s " TENSOR "-- copy data.txt", name);
        struct outcome o = run(words); /* no --host-files */
        assert_int_equal(o.code, 9);
        expect_part(&o.out, "cannot copy\n"); /* stderr goes to the console */
        done(&o);
        snprintf(words, sizeof words, "%s " TENSOR "-- a b 77", name);
        o = run(words);
        assert_int_equal(o.code, 77);
        expect_part(&o.out, "3: 77\n");
        done(&o);
        snprintf(words, sizeof words, "%s " TENSOR "--stats=json -- a", name);
        o = run(words); /* the report has standard output to itself */
        assert_int_equal(o.code, 0);
        assert_int_equal(o.out.data[0], '{');
        expect_part(&o.err, "1: a\n");
        done(&o);
    }
}

/* The same ELF file on QEMU, whose memory begins at the same address as the tensor hart's: the
 * same console, files and exit code. */
TEST(on_qemu)
{
    static const char place[] = "-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x200000 "
                                "-Wl,--defsym=__ram=0x80200000,--defsym=__ram_size=0x200000";
    for (size_t i = 0; has_compiler && i < SAM_COUNT(builds); i++) {
        char command[1024], options[512];
        const char *name = builds[i].name;
        snprintf(command, sizeof command, "command -v qemu-system-risc%s >/dev/null", name + 1);
        if (system(command) != 0) {
            printf("# no qemu-system-misc: programs in C are not compared with it\n");
            return;
        }
        snprintf(options, sizeof options, "%s %s", builds[i].options, place);
        assert_true(build(options, "placed"));
        write_text("data.txt", "some\ntext\n");
        snprintf(command, sizeof command,
                 "cd %s && timeout 300 qemu-system-risc%s -M virt -display none -monitor none "
                 "-serial none -bios none -semihosting-config "
                 "enable=on,target=native,arg=copy,arg=data.txt,arg=7 -kernel placed "
                 ">qemu.txt 2>&1; test $? = 7 && mv copy.txt theirs.txt",
                 directory, name + 1);
        assert_int_equal(system(command), 0);
        struct outcome o = run("placed " TENSOR "--host-files . -- copy data.txt 7");
        struct sam_buffer printed = read_file("qemu.txt"), theirs = read_file("theirs.txt"),
                          ours = read_file("copy.txt");
        assert_int_equal(o.code, 7);
        assert_true(printed.size > 0 && printed.size == o.out.size);
        assert_memory_equal(printed.data, o.out.data, printed.size);
        assert_int_equal(theirs.size, ours.size);
        assert_memory_equal(theirs.data, ours.data, ours.size);
        sam_buffer_free(&printed);
        sam_buffer_free(&theirs);
        sam_buffer_free(&ours);
        done(&o);
    }
}

/* Compiled for extensions that the hart lacks. */
TEST(wrong_instruction_sets)
{
    static const struct {
        const char *options, *what;
    } rows[] = {{"-march=rv32imac -mabi=ilp32", "with C, which the tensor hart does not have"},
                {"-march=rv32imafd -mabi=ilp32d", "with D, which the tensor hart does not have"},
                {"-march=rv64imafc -mabi=lp64f -mcmodel=medany", "with C, which"}};
    for (size_t i = 0; has_compiler && i < SAM_COUNT(rows); i++) {
        if (!build(rows[i].options, "wrong"))
            fail_msg("no build with %s", rows[i].options);
        expect_failure("wrong " TENSOR, 2, rows[i].what);
    }
}

/* An alignment under ".option rvc", as in the public architecture tests, sets the flag of
 * compressed code although there is none: with --isa it runs, up to the first compressed
 * instruction. */
TEST(compressed_by_flag_only)
{
    if (!has_compiler)
        return;
    write_text("c.S", ".globl _start\n_start: nop\n"
                      ".option push\n.option rvc\n.align 5\n.option pop\n"
                      "#ifdef MEET\n.option rvc\nc.nop\nc.nop\n#endif\n"
                      "li a0, 0\nli a7, 93\necall\n");
    run_script("for xlen in 32 64; do for meet in '' -DMEET; do riscv64-unknown-elf-gcc -nostdlib "
               "-march=rv${xlen}im -mabi=$(test $xlen = 32 && echo ilp32 || echo lp64) $meet c.S "
               "-o c$xlen$meet; done; done");
    expect_failure("c32 " TENSOR, 2, "with C, which the tensor hart does not have");
    expect_failure("c64 " TENSOR, 2, "or --isa for a program that does not use it");
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        char words[80];
        snprintf(words, sizeof words, "c%u " TENSOR "--isa rv%uim", xlen, xlen);
        expect_runs(words);
        snprintf(words, sizeof words, "c%u-DMEET " TENSOR "--isa rv%uim", xlen, xlen);
        expect_failure(words, 1, "compressed instruction; compile without C");
    }
}

/* The same in assembly, which needs no compiler. */
TEST(in_assembly)
{
    write_text("hello.s", "la a1, text\n" CALL(4) "la a1, block\n" CALL(
                              0x20) ".data\ntext: .asciz \"hello\\n\"\n.balign 8\n"
                                    "block: .dword 0x20026, 3\n");
    struct outcome o = run("hello.s " TENSOR);
    assert_int_equal(o.code, 3);
    expect_part(&o.out, "hello\n");
    done(&o);
    write_text("file.s", "la a1, block\n" CALL(
                             1) "ori a0, a0, 1\nli a7, 93\necall\n"
                                ".data\nname: .asciz \"x\"\n.balign 8\nblock: .dword name, 4, 1\n");
    expect_failure("file.s " TENSOR, 1, "exit code"); /* -1: no folder */
    expect_failure("file.s " TENSOR "--host-files nowhere", 2, "nowhere: No such file");
    write_text("what.s", "nop\n" CALL(0x99));
    expect_failure("what.s " TENSOR, 1, "semihosting call 0x99 is not known");
    expect_failure("hello.s what.s " TENSOR, 2, "unexpected second program 'what.s'");
}

static int tear_down(void **state)
{
    return remove_directory(state);
}

TEST_GROUP(set_up, tear_down)
