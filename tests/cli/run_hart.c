/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor` as a user calls it: programs, their input and output, exit codes
 * and messages. */
#include <signal.h>

#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TENSOR "--machine tensor "

/* in at a0, 1024 bytes, transposed as 32 x 32 with itself twice, to a1 */
static const char turn[] = "        li      t0, 0x200104\n"
                           "        csrw    tshape, t0\n"
                           "        li      t0, 32\n"
                           "        csrw    tload_width, t0\n"
                           "        csrw    tstore_width, t0\n"
                           "        tl.load tl1, 0(a0)\n"
                           "        tl.load tl2, 0(a0)\n"
                           "        li      t0, 0x01202002\n"
                           "there:  tl.xpose.12 tl1, tl2, t0\n"
                           "        tl.store tl1, 0(a1)\n"
                           "        li      a0, CODE\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

static int set_up(void **state)
{
    (void)state;
    char bytes[1025] = {0};
    make_directory();
    for (int i = 0; i < 1024; i++)
        bytes[i] = (char)('0' + i % 32);
    write_text("in.bin", bytes);
    write_text("turn.s", turn);
    write_text("loop.s", "again: j again\n");
    write_text("trap.s", "start: nop\n lw a0, 1(zero)\n");
    write_text("rv32.s", "csrr a0, misa\nsrli a0, a0, 30\nli a7, 93\necall\n");
    return 0;
}

#define TURN                                                                                       \
    "turn.s " TENSOR "--mem 0x10000:in.bin --map 0x20000:1024 --reg x10=0x10000 --reg a1=131072 "

TEST(a_program_and_its_memory)
{
    struct sam_buffer out = expect_success(TURN "-D CODE=0 --dump 0x20000:1024:out.bin");
    expect_part(&out, "turn.s: exit 0, 14 instructions in ");
    sam_buffer_free(&out);
    struct sam_buffer in = read_file("in.bin");
    out = read_file("out.bin");
    assert_int_equal(out.size, 1024);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned k = 0; k < 32; k++)
            assert_int_equal(out.data[32 * k + i], in.data[32 * i + k]);
    sam_buffer_free(&in);
    sam_buffer_free(&out);
    out = expect_success(TURN "-D CODE=0 -q");
    assert_int_equal(out.size, 0);
    sam_buffer_free(&out);
}

/* A file that is replaced keeps its permissions, as the library's other files do; a device that is
 * full says so. */
TEST(outputs)
{
    struct stat info;
    char path[128];
    snprintf(path, sizeof path, "%s/private.bin", directory);
    write_text("private.bin", "old");
    assert_int_equal(chmod(path, 0600), 0);
    struct sam_buffer out = expect_success(TURN "-D CODE=0 -q --dump 0x20000:1024:private.bin");
    sam_buffer_free(&out);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 1024);
    assert_int_equal(info.st_mode & 0777, 0600);
    if (access("/dev/full", W_OK) == 0)
        expect_failure(TURN "-D CODE=0 -q --dump 0x20000:1024:/dev/full", 2,
                       "/dev/full: cannot write: No space left");
}

TEST(exit_codes)
{
    expect_failure(TURN "-D CODE=3 -q", 3, "samite: error: turn.s: exit code 3");
    expect_failure(TURN "-D CODE=255 -q", 255, "samite: error: turn.s: exit code 255");
    expect_failure(TURN "-D CODE=256 -q", 1, "samite: error: turn.s: exit code 256");
    expect_failure("trap.s -q " TENSOR, 1,
                   "misaligned load from 0x1; pc 0x0000000080000004 <start+0x4> (0x00102503) "
                   "lw a0, 1(zero)");
    expect_failure("loop.s -q --max-insns 1000 " TENSOR, 1,
                   "still running after 1000 instructions, pc 0x80000000 <again+0x0>");
}

/* A failing program's memory, registers and trace are worth seeing. */
TEST(what_a_failure_leaves)
{
    struct outcome o = run(
        "trap.s --map 0x10000:16 --dump 0x10000:16:left.bin --trace=left.log --dump-tl 2 " TENSOR);
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "trap.s: FAILED, 1 instructions in ");
    expect_part(&o.out, "tl2\n    0  00 00");
    done(&o);
    struct sam_buffer trace = read_file("left.log");
    assert_string_equal(sam_buffer_text(&trace), "0000000080000000 00000013  nop\n");
    sam_buffer_free(&trace);
    assert_true(exists("left.bin"));
}

TEST(until_a_symbol)
{
    static const char *const untils[] = {"there", "0x80000028"};
    for (size_t i = 0; i < SAM_COUNT(untils); i++) {
        char words[256];
        snprintf(words, sizeof words, TURN "-D CODE=1 --dump-tl 1 --until %s", untils[i]);
        struct sam_buffer out = expect_success(words);
        expect_part(&out, "turn.s: until at 0x80000028, 10 instructions in ");
        expect_part(&out, "tl1\n    0  30 31 32"); /* not turned yet */
        sam_buffer_free(&out);
    }
    expect_failure(TURN "-D CODE=1 --until nowhere", 2, "no symbol 'nowhere'");
}

/* No debugger is attached: an ebreak marks a place that must not be reached. */
TEST(ebreak)
{
    write_text("break.s", "start: nop\n ebreak\n");
    expect_failure("break.s -q " TENSOR, 1,
                   "breakpoint; pc 0x0000000080000004 <start+0x4> (0x00100073) ebreak: expected an "
                   "exit (--ebreak ok accepts it)");
    expect_failure("break.s -q --ebreak fail " TENSOR, 1, "expected an exit");
    expect_failure("break.s -q --ebreak trap " TENSOR, 1, "breakpoint; pc 0x");
    expect_failure("break.s -q --ebreak no " TENSOR, 2, "--ebreak no: expected fail, ok or trap");
    struct sam_buffer out = expect_success("break.s --ebreak ok " TENSOR);
    expect_part(&out, "break.s: ebreak at 0x80000004, 1 instructions in ");
    sam_buffer_free(&out);
    write_text("handled.s", "la t0, handler\ncsrw mtvec, t0\nebreak\n.balign 4\n"
                            "handler: csrr a0, mcause\naddi a0, a0, -3\nli a7, 93\necall\n");
    expect_failure("handled.s -q " TENSOR, 1, "expected an exit");
    out = expect_success("handled.s --ebreak trap " TENSOR);
    expect_part(&out, "handled.s: exit 0, ");
    sam_buffer_free(&out);
}

TEST(isas)
{
    expect_failure("rv32.s -q " TENSOR "--isa rv32im_zicsr", 1, "exit code 1");
    expect_failure("rv32.s -q " TENSOR, 1, "exit code 8589934592");
    expect_failure("rv32.s -q " TENSOR "--isa rv32i_zicsr", 2, "needs M");
    expect_failure("loop.s -q " TENSOR "--isa ventus", 2, "has no Xventus");
    expect_failure("rv32.s -q " TENSOR "--isa rv32im_nonsense", 2, "nonsense");
    expect_failure("rv32.s -q " TENSOR "--isa rv32im", 1, "exit code 1"); /* with CSRs */
    expect_failure("rv32.s -q " TENSOR "--isa rv32gc", 2,
                   "no machine has f, d, c; floating point is in integer registers (zfinx); "
                   "compile without C");
    expect_failure("rv32.s -q " TENSOR "--isa rv32im_zicsr --dump-tl 1", 2,
                   "--dump-tl: rv32im_zicsr has no TensorLoad unit");
}

/* An ELF file determines XLEN; an explicit one must agree. */
TEST(elf_files)
{
    struct sam_asm_options options = {.base = SAM_HART_CODE_BASE};
    struct sam_error error;
    struct sam_image *image;
    struct sam_buffer text = read_file("rv32.s");
    char *messages, path[128];
    void *elf;
    size_t size;
    assert_int_equal(sam_isa_parse("rv32im_zicsr", &options.isa, &error), SAM_OK);
    assert_int_equal(sam_assemble(&options, "rv32.s", sam_buffer_text(&text), text.size, &image,
                                  &messages, &error),
                     SAM_OK);
    assert_int_equal(sam_elf_make(image, &elf, &size, &error), SAM_OK);
    snprintf(path, sizeof path, "%s/rv32.elf", directory);
    assert_int_equal(sam_file_save(path, elf, size, &error), SAM_OK);
    expect_failure("rv32.elf -q " TENSOR, 1, "rv32.elf: exit code 1");
    expect_failure(
        "rv32.elf -q --isa rv64im_zicsr " TENSOR, 2,
        "a 32-bit program, but --isa rv64im_zicsr is for 64 bits: expected --isa rv32im");
    sam_text_free(messages);
    sam_image_free(image);
    free(elf);
    sam_buffer_free(&text);
}

/* .data has its bytes at its load address, from where start code copies them, and at its own. */
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
    struct sam_asm_options options = {.base = SAM_HART_CODE_BASE};
    struct sam_error error;
    struct sam_image *image;
    char *messages, path[128];
    void *elf;
    size_t size;
    assert_int_equal(sam_isa_parse("rv32im_zicsr", &options.isa, &error), SAM_OK);
    if (sam_assemble(&options, "load.s", source, strlen(source), &image, &messages, &error) !=
        SAM_OK)
        fail_msg("%s", messages);
    struct sam_section *data = &image->sections[image->section_count - 1];
    data->load_offset = -UINT64_C(0x1000);
    data->address = 0x80002000;
    assert_int_equal(sam_elf_make(image, &elf, &size, &error), SAM_OK);
    snprintf(path, sizeof path, "%s/load.elf", directory);
    assert_int_equal(sam_file_save(path, elf, size, &error), SAM_OK);
    expect_failure("load.elf -q " TENSOR, 77, "load.elf: exit code 77");
    sam_text_free(messages);
    sam_image_free(image);
    free(elf);
}

TEST(strict_mode)
{
    struct sam_buffer out =
        expect_success(TURN "-D CODE=0 --l1m 0x10000:1024 --l0m 0x20000:1024 -q");
    sam_buffer_free(&out);
    expect_failure(TURN "-D CODE=0 --l1m 0x20000:1024 -q", 1, "load from 0x10000, which cannot");
    expect_failure(TURN "-D CODE=0 --l0m 0x20000:1000 -q", 1, "store to 0x203e8, which cannot");
}

TEST(statistics)
{
    struct sam_buffer out = expect_success(TURN "-D CODE=0 --stats");
    expect_part(&out, "  tl.load                   2   14.3 %\n");
    expect_part(&out, "  tl loaded              2048 bytes\n");
    sam_buffer_free(&out);
    out = expect_success(TURN "-D CODE=0 --stats=json");
    json_t *root = json_loadb((char *)out.data, out.size, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "program")), "turn.s");
    assert_string_equal(json_string_value(json_object_get(root, "end")), "exit");
    assert_int_equal(json_integer_value(json_object_get(root, "instructions")), 14);
    assert_int_equal(json_integer_value(json_object_get(root, "tl_bytes_stored")), 1024);
    json_t *classes = json_object_get(root, "classes");
    assert_int_equal(json_integer_value(json_object_get(classes, "tl.xpose")), 1);
    json_decref(root);
    sam_buffer_free(&out);
}

/* turn.s: load, load, transposition, store, one after the other. */
TEST(engines_in_time)
{
    struct sam_buffer out = expect_success(TURN "-D CODE=0 -q --cycles --config pipelined=0"), same;
    write_text("slow.cfg", "# one instruction after the other\npipelined=0\n");
    same = expect_success(TURN "-D CODE=0 -q --cycles --config slow.cfg");
    assert_string_equal(sam_buffer_text(&same), sam_buffer_text(&out));
    sam_buffer_free(&same);
    expect_part(&out, " cycles, IPC 0.");
    expect_part(&out, "\n  instructions              2            0            1            1\n");
    expect_part(&out, "\n  hart tensor                    4 ");
    sam_buffer_free(&out);
    out = expect_success(TURN "-D CODE=0 --stats=json --config issue=2 --perfetto turn.json");
    json_t *root = json_loadb((char *)out.data, out.size, 0, NULL);
    const json_t *engines = json_object_get(root, "engines"), *value;
    const char *key;
    json_int_t sum = 0, cycles = json_integer_value(json_object_get(engines, "cycles"));
    json_object_foreach(json_object_get(json_object_get(engines, "reshape"), "cycles"), key, value)
        sum += json_integer_value(value);
    assert_int_equal(sum, cycles);
    assert_true(cycles > 0);
    json_decref(root);
    sam_buffer_free(&out);
    struct sam_buffer file = read_file("turn.json");
    root = json_loadb((char *)file.data, file.size, 0, NULL);
    assert_true(json_array_size(json_object_get(root, "traceEvents")) > 20);
    json_decref(root);
    sam_buffer_free(&file);
    expect_failure(TURN "-D CODE=0 -q --l0m 0x9000:1 --perfetto trap.json", 1, "store to 0x20000");
    file = read_file("trap.json");
    root = json_loadb((char *)file.data, file.size, 0, NULL);
    assert_non_null(root);
    json_decref(root);
    sam_buffer_free(&file);
    out = expect_success(TENSOR "--config help");
    expect_part(&out, "\nslice_cycles           1  0..1024    cycles of each slice");
    expect_part(&out, "\nmpara                  4  1..16      rows of C per uop");
    sam_buffer_free(&out);
}

/* -q leaves out only what was not asked for: everything else is unchanged. */
TEST(quiet)
{
    static const char *const asked[] = {"--cycles", "--stats", "--dump-tl 1", "--trace",
                                        "--stats=json"};
    for (size_t i = 0; i < SAM_COUNT(asked); i++) {
        char words[512];
        snprintf(words, sizeof words, TURN "-D CODE=0 %s", asked[i]);
        struct outcome loud = run(words);
        strcat(words, " -q");
        struct outcome low = run(words);
        assert_int_equal(low.code, 0);
        assert_int_equal(low.err.size, 0);
        assert_true(low.out.size > 0);
        expect_part(&low.out, i == 0   ? "bytes/cycle"
                              : i == 1 ? "tl.load"
                              : i == 2 ? "tl1\n"
                                       : "\n");
        assert_null(strstr(sam_buffer_text(&low.out), "turn.s: exit 0"));
        if (i == 4) { /* a document is one, quiet or not; but for the time it took */
            expect_part(&low.out, "\"instructions\": 14");
        } else if (i == 3) { /* the trace has standard output for itself */
            assert_string_equal(sam_buffer_text(&low.out), sam_buffer_text(&loud.out));
            expect_part(&loud.err, "turn.s: exit 0");
        } else {
            expect_part(&loud.out, "turn.s: exit 0");
            assert_string_equal(strchr(sam_buffer_text(&loud.out), '\n') + 1,
                                sam_buffer_text(&low.out));
        }
        done(&loud);
        done(&low);
    }
    struct outcome help = run("--help");
    expect_part(&help.out, "--quiet");
    expect_part(&help.out, "still printed");
    done(&help);
}

/* Data on standard output: people read the rest on standard error. */
TEST(standard_output)
{
    struct outcome o = run(TURN "-D CODE=0 --trace");
    assert_int_equal(o.code, 0);
    expect_part(&o.out, " tl.store tl1, 0(a1)                      0000000000020000.."
                        "00000000000203ff\n");
    expect_part(&o.err, "turn.s: exit 0, ");
    done(&o);
    o = run(TURN "-D CODE=0 --dump 0x20000:1024:-");
    assert_int_equal(o.out.size, 1024);
    expect_part(&o.err, "turn.s: exit 0, ");
    done(&o);
    expect_failure(TURN "--trace --stats=json", 2, "--json needs standard output for itself");
    struct sam_buffer out = expect_success(TENSOR "- -q <turn.s -D CODE=0 --until there "
                                                  "--mem 0x10000:in.bin --reg a0=0x10000");
    sam_buffer_free(&out);
}

TEST(bad_words)
{
    write_text("bad.cfg", "queue=8\nseed=x\n");
    static const struct {
        const char *words, *part;
    } cases[] = {
        {TENSOR, "no program to run"},
        {TENSOR "a.s b.s", "unexpected second program 'b.s'"},
        {TENSOR "none.s", "none.s: cannot open"},
        {"--machine vector turn.s", "--machine vector: expected ventus, tensor, tile or system"},
        {"turn.s --reg a0=1", "--reg is for --machine tensor or system, not for ventus"},
        {"turn.s --l0m 0:1", "--l0m is for --machine tensor, not for ventus"},
        {"turn.s --kernel k " TENSOR, "--kernel is for --machine ventus, not for tensor"},
        {"turn.s -j 2 " TENSOR, "--jobs is for --machine ventus or system, not for tensor"},
        {"turn.s --reg a0 " TENSOR, "--reg a0: expected a register and a value"},
        {"turn.s --reg q7=1 " TENSOR, "--reg q7=1: expected a register and a value"},
        {"turn.s --reg a0=x " TENSOR, "--reg a0=x: expected a register and a value"},
        {"turn.s --mem 0x1000 " TENSOR, "--mem 0x1000: expected BASE:FILE"},
        {"turn.s --map 0x1000 " TENSOR, "--map 0x1000: expected BASE:SIZE"},
        {"turn.s --map 0x1000:0 " TENSOR, "--map 0x1000:0: expected BASE:SIZE"},
        {"turn.s --map 0xffffffffffffffff:2 " TENSOR, "expected BASE:SIZE"},
        {"turn.s --l1m 5 " TENSOR, "--l1m 5: expected BASE:SIZE"},
        {TURN "-D CODE=0 --dump 0x20000:8:in.bin", "in.bin: the output is the input in.bin"},
        {TURN "-D CODE=0 --dump 0x20000:8:none/x.bin", "none/x.bin: cannot create"},
        {"turn.s --dump 0:1 " TENSOR, "--dump 0:1: expected BASE:SIZE:FILE"},
        {"turn.s --dump-tl 32 " TENSOR, "--dump-tl 32: expected a number from 0 to 31"},
        {"turn.s --config bad.cfg " TENSOR, "--config bad.cfg: seed=x: expected a number"},
        {"turn.s --config queue " TENSOR,
         "queue: cannot open: No such file or directory: expected KEY=N"},
        {"turn.s --config queue=8,mem_latncy=9 " TENSOR,
         "--config: unknown parameter 'mem_latncy'; did you mean 'mem_latency'?"},
        {"turn.s --config step_n=1 " TENSOR, "unknown parameter 'step_n'; did you mean 'step_m'?"},
        {"turn.s --config mpara=3 " TENSOR, "mpara=3: expected a power of two from 1 to 16"},
        {"turn.s --config seed=x " TENSOR, "seed=x: expected a number"},
        {"turn.s --config lod_bytes=1 " TENSOR,
         "unknown parameter 'lod_bytes'; did you mean 'load_by"},
        {"turn.s --config issue=0 " TENSOR, "--config: issue=0: expected a number from 1 to 16"},
        {"turn.s --perfetto - --trace " TENSOR, "--perfetto - needs standard output for itself"},
        {"turn.s --perfetto - --stats=json " TENSOR, "--json needs standard output for itself"},
        {"turn.s -D CODE=0 --perfetto no/dir.json " TENSOR, "no/dir.json: cannot create"},
        {"turn.s --dump-tl 1", "--dump-tl is for --machine tensor or system, not for ventus"},
        {"turn.s --stats=xml " TENSOR, "--stats=xml"},
        {"turn.s -D CODE=0 --mem 0:none.bin " TENSOR, "none.bin: cannot open"},
        {"rv32.s --isa rv32im_zicsr --map 0xffffffff:2 " TENSOR, "past the 32-bit address space"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_failure(cases[i].words, 2, cases[i].part);
    /* reported before the run, which would never end */
    static const char *const unmapped[] = {"0x9000:4:never.bin", "0x20000:1:fine.bin --dump "
                                                                 "0x7fffffff:0x1000002:never.bin"};
    for (size_t i = 0; i < SAM_COUNT(unmapped); i++) {
        char words[256];
        snprintf(words, sizeof words, "loop.s --map 0x20000:1 --trace=never.log --dump %s " TENSOR,
                 unmapped[i]);
        struct outcome o = run(words);
        assert_int_equal(o.code, 2);
        assert_int_equal(o.out.size, 0);
        expect_part(&o.err, "samite: error: --dump: access of 0x");
        expect_part(&o.err, ": not in one buffer\n");
        done(&o);
        assert_false(exists("never.bin") || exists("never.log") || exists("fine.bin"));
    }
}

TEST(interrupted)
{
    struct outcome o = run_interrupted("loop.s --trace=stop.log " TENSOR, true);
    assert_int_equal(o.code, 128 + SIGINT);
    expect_part(&o.err, "samite: error: stopped after ");
    expect_part(&o.err, " instructions, pc 0x80000000 <again+0x0>\n");
    assert_false(exists("stop.log"));
    assert_false(has_temporary("stop"));
    done(&o);
}

/* The options of the given machine, however it is named; without one, how to see those of each. */
TEST(help_shows_a_machine)
{
    static const struct {
        const char *words, *there, *not_there;
    } cases[] = {
        {"--help", "`samite run --help NAME` shows the options of one:", "--kernel"},
        {"--help ventus", "\nOptions of --machine ventus:\n      --kernel NAME", "--fp-order"},
        {"--help tensor", "\nOptions of --machine tensor and system:\n  -i, --isa STRING",
         "--kernel NAME "},
        {"--machine=tensor x.s --help", "--trace[=FILE]", "--nan"},
        {"--help ventus", "\n      --grid X[,Y,Z]          workgroups\n", "--nan"},
        {"--help tile", "--nan number|propagate|first", "--grid"},
        {"--help tile", "--check OUT=FILE", "--jobs"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct sam_buffer out = expect_success(cases[i].words);
        expect_part(&out, cases[i].there);
        const char *options = strstr(sam_buffer_text(&out), "\nOptions:");
        assert_non_null(options);
        const char *hit = strstr(options, cases[i].not_there), *end = strstr(options, "\n\n");
        while (end && strncmp(end, "\n\nOptions", 9) == 0)
            end = strstr(end + 2, "\n\n");
        if (hit && hit < end)
            fail_msg("%s shows %s", cases[i].words, cases[i].not_there);
        sam_buffer_free(&out);
    }
    expect_failure("--help tensr", 2, "no help for");
}

TEST_GROUP(set_up, remove_directory)
