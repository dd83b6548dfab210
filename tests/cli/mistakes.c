/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes of a first day: the message says what was found and what to type instead. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    static const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct sam_array array = {.dtype = SAM_F32,
                                    .rank = 1,
                                    .shape = {8},
                                    .count = 8,
                                    .size = sizeof values,
                                    .data = (void *)values};
    char path[128];
    struct sam_error error;
    (void)state;
    command_verb = "";
    make_directory();
    snprintf(path, sizeof path, "%s/f.npy", directory);
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
    write_text("exit.s", "        li a7, 93\n        li a0, 0\n        ecall\n");
    write_text("matrix.s", "        mmov.mm m0, m1\n        li a7, 93\n        ecall\n");
    write_text("atomic.s", "        amoadd.w a0, a0, (sp)\n        li a7, 93\n        ecall\n");
    write_text("ventus.s", ".globl k\nk: barrier zero, zero, 0\n        ret\n");
    write_text("matrix.o", "!<arch>\n");
    write_text("bad.metadata", "\177ELF\2");
    run_script("$SAMITE asm exit.s --isa rv32im -o exit32.elf");
    run_script("$SAMITE asm exit.s --isa rv64im -o exit64.elf");
    run_script("$SAMITE asm matrix.s --isa rv32im_xmatrix -o matrix32.elf");
    run_script("$SAMITE asm matrix.s --isa tensor -o matrix64.elf");
    run_script("$SAMITE asm atomic.s --isa rv64ima -o atomic.elf");
    run_script("$SAMITE asm ventus.s -o ventus.elf");
    return 0;
}

#define TENSOR " --machine tensor "

TEST(messages)
{
    static const struct {
        const char *words;
        int code;
        const char *part;
    } cases[] = {
        /* --check: a wrong tolerance is not part of the name of a file */
        {"run exit.s" TENSOR "--arg y=out:f32:8 --check y=f.npy:2e-6", 2,
         "--check y=f.npy:2e-6: expected a TOLERANCE of whole ulp, such as 4, or any of "
         "ulp=4,rtol=1e-5,atol=1e-8"},
        {"run exit.s" TENSOR "--arg y=out:f32:8 --check y=f.npy:close", 2, "expected a TOLERANCE"},
        {"run exit.s" TENSOR "--arg y=out:f32:8 --check y=f.npy:no.npy", 2,
         "f.npy:no.npy: cannot open"},
        /* files of another kind */
        {"run f.npy", 2,
         "f.npy: a NumPy array (an argument: --arg in:FILE.npy): expected assembly or an ELF "
         "executable"},
        {"run f.npy --kernel k --grid 1 --block 1", 2, "f.npy: a NumPy array"},
        {"run f.npy" TENSOR, 2, "f.npy: a NumPy array"},
        {"run f.npy --machine system", 2, "f.npy: a NumPy array"},
        {"run f.npy --machine tile", 2, "expected a tile program (.pto)"},
        {"run f.npy f.npy", 2, "f.npy: a NumPy array"},
        {"run bad.metadata f.npy", 2, "bad.metadata: an ELF file: expected text of a .metadata"},
        {"run matrix.o" TENSOR, 2, "matrix.o: an archive of object files"},
        {"tile check f.npy", 2, "f.npy: a NumPy array"},
        {"asm f.npy -o x.elf", 2, "f.npy: a NumPy array"},
        {"asm exit32.elf -o x.elf", 2, "exit32.elf: an ELF file: expected assembly"},
        {"run exit32.elf", 2,
         "no --kernel NAME for exit32.elf: expected --kernel, --grid and --block for a kernel of "
         "a Ventus GPGPU, --machine tensor or system for a program"},
        {"run exit64.elf", 2, "exit64.elf: a 64-bit program: a Ventus GPGPU is RV32; --machine"},
        /* instructions of an extension that --isa does not have, by what to type */
        {"run matrix32.elf" TENSOR, 1,
         ".word 0x0004802b; mmov.mm needs xmatrix: --isa "
         "rv32im_zicsr_zfinx_xtensorload_xmatrix"},
        {"run matrix64.elf" TENSOR, 1, "--isa rv64im_zicsr_zfinx_xtensorload_xmatrix"},
        {"run atomic.elf" TENSOR, 1, "; amoadd.w needs a: --isa rv64ima_zicsr_zfinx_xtensorload"},
        {"run exit32.elf" TENSOR "--isa tensor", 2,
         "exit32.elf: a 32-bit program, but --isa tensor is for 64 bits: expected --isa "
         "rv32im_zicsr_zfinx_xtensorload_xmatrix"},
        {"run exit64.elf" TENSOR "--isa rv32im", 2, "expected --isa rv64im_zicsr"},
        /* names */
        {"run exit.s" TENSOR "--config load_byte=3", 2,
         "unknown parameter 'load_byte'; did you mean 'load_bytes'?; --config help lists"},
        {"run exit.s" TENSOR "--config zzz=3", 2, "'zzz'; --config help lists the parameters"},
        {"run exit.s --machine system --config gpu.zzz=3", 2, "--config help lists"},
        {"sweep exit.s --config zzz=3", 2, "--config help lists"},
        {"op transpose --perm 0 --config zzz=3 f.npy x.npy", 2, "--config help lists"},
        {"rum", 2, "did you mean 'run'?"},
        {"run exit.s --machin tensor", 2, "did you mean '--machine'?"},
        {"isa 0x0232b457", 2, "samite dis 0x0232b457 shows the instruction of a word"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct outcome o = run(cases[i].words);
        if (o.code != cases[i].code || !strstr(sam_buffer_text(&o.err), cases[i].part))
            fail_msg("%s: %d, not '%s': %s", cases[i].words, o.code, cases[i].part,
                     sam_buffer_text(&o.err));
        done(&o);
    }
    struct sam_buffer out = expect_success("run --help");
    expect_part(&out, "TOLERANCE is ULP");
    sam_buffer_free(&out);
}

/* The hint of a trap is right: with the --isa that it gives the program runs. */
TEST(the_hint_runs)
{
    static const char *const programs[] = {"matrix32.elf", "matrix64.elf"};
    for (size_t i = 0; i < SAM_COUNT(programs); i++) {
        char words[256];
        snprintf(words, sizeof words, "run %s" TENSOR, programs[i]);
        struct outcome o = run(words);
        char *isa = strstr(sam_buffer_text(&o.err), "--isa ");
        assert_non_null(isa);
        snprintf(words, sizeof words, "run %s" TENSOR "%.*s", programs[i], (int)strcspn(isa, "\n"),
                 isa);
        done(&o);
        struct sam_buffer out = expect_success(words);
        sam_buffer_free(&out);
    }
}

/* Expansions of pseudo-instructions have the names of their operands, on every instruction set. */
TEST(names_of_operands)
{
    static const char *const sets[] = {"ventus", "tensor", "rv32ima_zicsr_zfinx"};
    for (size_t i = 0; i < SAM_COUNT(sets); i++) {
        char words[64];
        snprintf(words, sizeof words, "isa --isa %s", sets[i]);
        struct sam_buffer out = expect_success(words);
        assert_null(strchr(sam_buffer_text(&out), '$'));
        expect_part(&out, " beq rs1, zero, offset\n");
        sam_buffer_free(&out);
    }
    static const struct {
        const char *name, *part;
    } cases[] = {
        {"vmslt.vi", "  stands for  vmsle.vi vd, vs2, simm-1[, v0.t]\n"},
        {"vmsge.vx", "with v0.t: vmslt.vx vd, vs2, rs1[, v0.t]; vmxor.mm vd, vd, v0\n"},
        {"vmsgeu.vi", "where the value is 0: vmseq.vv vd, vs2, vs2[, v0.t]\n"},
        {"li", "  stands for  as few instructions as the value takes\n"},
        {"vmsgt.vv --json", "\"expansion\": \"vmslt.vv vd, vs1, vs2[, v0.t]\""},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char words[64];
        snprintf(words, sizeof words, "isa %s", cases[i].name);
        struct sam_buffer out = expect_success(words);
        expect_part(&out, cases[i].part);
        sam_buffer_free(&out);
    }
}

TEST_GROUP(set_up, remove_directory)
