/* SPDX-License-Identifier: Apache-2.0 */
/* samite run: its options and help. */
#include "machine/machine.h"

static const struct cli_option options[] = {
    CLI_ROW(struct run_command, machine, "machine", CLI_CHOICE, NULL,
            "ventus (the default), tensor, tile (implied by PROGRAM.pto), system, or host (implied "
            "by MODEL.onnx)",
            .choices = "ventus tensor tile system host"),
    {0},
};

static const struct cli_group groups[] = {
    {NULL, run_rows, 0, 0},
    RUN_PROGRAM_GROUPS,
    {"Options of --machine tile, and of tile programs on --machine system", tile_shared_rows,
     offsetof(struct run_command, tile), 1 << RUN_TILE | 1 << RUN_SYSTEM},
    {"Options of --machine tile", tile_rows, offsetof(struct run_command, tile), 1 << RUN_TILE},
    {"Options of --machine system", system_start_rows, offsetof(struct run_command, system),
     1 << RUN_SYSTEM},
    {NULL, system_rows, offsetof(struct run_command, system), 1 << RUN_SYSTEM},
    {NULL, lower_profile_rows, offsetof(struct run_command, tile), 1 << RUN_SYSTEM},
    {NULL, lower_rows, offsetof(struct run_command, tile), 1 << RUN_SYSTEM},
    {"Options of networks, on --machine host and system", network_rows,
     offsetof(struct run_command, network), 1 << RUN_HOST | 1 << RUN_SYSTEM},
    {0},
};

#define ARGUMENTS                                                                                  \
    "--arg gives the arguments in order. Each may have a name in front, NAME=:\n"                  \
    "  in:FILE.npy                a buffer with the contents of the file; a note names the\n"      \
    "                             first store of a kernel to it, or the first byte that\n"         \
    "                             another program has changed: it is lost\n"                       \
    "  out:TYPE:COUNT[:FILE.npy]  a buffer of zeros, written to the file at the end;\n"            \
    "                             COUNT may be a shape: 32x32\n"                                   \
    "  inout:IN.npy[:OUT.npy]     both\n"                                                          \
    "  packed:FILE.smw:TENSOR     a tensor of packed weights; packed:f32:FILE.smw:TENSOR\n"        \
    "                             widens it; a tile program on the system decodes it there\n"      \
    "  TYPE:VALUE                 a scalar: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool\n"
#define CHECKS                                                                                     \
    "--check names the output by its NAME, by its number from 0, or as out where it is the only\n" \
    "one. NaN equals only NaN.\n\n"

static const struct cli_form machines[] = {
    [RUN_VENTUS] =
        {
            .name = "ventus",
            .summary = "kernels on Ventus GPGPU cores",
            .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
                     "[options] PROGRAM --kernel NAME --grid X --block X --arg ...",
            .details =
                "Launches that the Ventus driver recorded run in order and in one memory. A\n"
                "buffer that several launches name is one buffer; its data is in the first\n"
                "pair that uses it. --poke and --dump act where they stand among the files; a\n"
                "poke overrides the data of the pair after it. A .metadata file is text,\n"
                "eight hexadecimal digits per line, with comments after a number; files\n"
                "without start_addr are accepted.\n\n"
                "With --kernel there is one launch. PROGRAM is assembly, to which start code\n"
                "is added unless it has a _start, or an ELF executable, to which it is added\n"
                "if its entry is a kernel. --poke acts before the launch and --dump after "
                "it.\n\n" ARGUMENTS
                "  local:BYTES                a pointer to local memory\n\n" CHECKS
                "--trace writes the commit log, with one worker; %n in FILE is the number of\n"
                "the launch, for a file per launch.\n",
            .examples =
                "  samite run vecadd.metadata vecadd.data --dump 0x90002000:4096:c.bin\n"
                "  samite run BFS_1_0.metadata BFS_1_0.data --poke 0x90006000=0 \\\n"
                "      BFS_2_0.metadata BFS_2_0.data --elf object.riscv --trace='bfs-%n.log'\n"
                "  samite run vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy \\\n"
                "      --arg in:b.npy --arg c=out:f32:1024:c.npy --arg u32:1024 --check "
                "c=sum.npy:1\n"
                "  samite run sgemm.elf --kernel sgemm --grid 8,8 --block 16,16 --warp 32 -j 4 "
                "\\\n"
                "      --arg in:a.npy --arg in:b.npy --arg out:f32:128x128:c.npy --stats\n",
        },
    [RUN_TENSOR] =
        {
            .name = "tensor",
            .summary = "a program on the tensor hart",
            .usage = "--machine tensor [options] PROGRAM [-- ARGUMENT ...]",
            .details =
                "PROGRAM, assembly or an ELF executable, runs on an RV32 or RV64 core with\n"
                "the TensorLoad unit and, where --isa says so, the matrix unit. The run ends\n"
                "at exit (ecall with a7 = 93, or a store to the symbol tohost) or at --until.\n"
                "It fails at ebreak, and at a trap that the program does not handle. Programs\n"
                "in C use semihosting for their console, files below --host-files, and the\n"
                "arguments after --.\n\n" ARGUMENTS
                "Addresses and scalars are passed as to a C function: in a0, a1, ... and on\n"
                "the stack. Buffers are placed from 0x90000000 on.\n\n" CHECKS
                "The exit code of the program, from 1 to 255, is that of the command; a\n"
                "larger one becomes 1. \"exit code N\" on standard error tells it from a failed\n"
                "run (1) and from bad usage (2).\n",
            .examples =
                "  samite run transpose.s --machine tensor --mem 0x10000:in.bin --map 0x20000:4096 "
                "\\\n"
                "      --reg a0=0x10000 --reg a1=0x20000 --dump 0x20000:4096:out.bin\n"
                "  samite run transpose.s --machine tensor --arg in:a.npy \\\n"
                "      --arg b=out:u8:32x32:b.npy --check b=turned.npy:rtol=1e-5,atol=1e-8\n"
                "  samite run transpose.s --machine tensor --cycles --config "
                "load_bytes=32,queue=8\n",
        },
    [RUN_TILE] =
        {
            .name = "tile",
            .suffix = ".pto",
            .summary = "a PTO tile program",
            .usage = "[options] PROGRAM.pto --arg ...",
            .details =
                "The program is checked, then run.\n\n" ARGUMENTS
                "A shape may also be written 1,32. The argument of a pointer is an array (of\n"
                "bf16: u16); index is i64. A free name of bare operations is a tile:\n"
                "NAME=in:FILE.npy or NAME:FILE.npy. There NAME=out:... may be any tile.\n\n" CHECKS
                "--trace writes to standard output.\n",
            .examples = "  samite run colmin.pto --arg in:x.npy --arg out:f32:1,32:y.npy --nan "
                        "propagate\n",
        },
    [RUN_SYSTEM] =
        {
            .name = "system",
            .summary = "a program on a tensor hart with a GPU, on one memory",
            .usage = "--machine system [options] PROGRAM [-- ARGUMENT ...]",
            .details =
                "PROGRAM runs on a hart with the TensorLoad unit and the matrix unit, as with\n"
                "--machine tensor, from 0x40000000 on. By control registers at 0x02000000 it\n"
                "launches kernels, of --gpu-code or of its own, on a Ventus GPGPU that shares\n"
                "its memory. docs/system-rulings.md lists the registers and the records.\n\n"
                "A word of the program named gpu_NAME (const volatile uint32_t in C) is set to\n"
                "the address of the symbol NAME in --gpu-code: of kernels, and of "
                "_start.\n\n" ARGUMENTS
                "Addresses and scalars are passed as to a C function; without --arg a0 is 0.\n"
                "Buffers are placed from 0x90000000 on.\n\n" CHECKS
                "Exit codes are those of --machine tensor. A trap of a kernel is a failed run\n"
                "(1), unless --gpu-traps report leaves it to the program.\n",
            .examples = "  samite run layer.elf --machine system --gpu-code softmax.s -- 128\n"
                        "  samite run layer.s --machine system --gpu-code softmax.s -j 4 \\\n"
                        "      --arg in:x.npy --arg y=out:f32:1024 --check y=expected.npy:4\n",
        },
    [RUN_HOST] =
        {
            .name = "host",
            .suffix = ".onnx",
            .summary = "a network, an ONNX model",
            .usage = "[--machine host|system] [options] MODEL.onnx --arg ...",
            .details =
                "The nodes of the network become tile programs, which run on the host or, with\n"
                "--machine system, on the hart, the matrix unit and the GPU; --cycles gives the\n"
                "cycles of each step, its bound and what it waits for. docs/networks.md lists\n"
                "the operators.\n\n"
                "--arg gives inputs and outputs in order, or by name:\n"
                "  [NAME=]in:FILE.npy         an input; open dimensions of the model become "
                "those\n"
                "                             of the array. Also NAME:FILE.npy\n"
                "  [NAME=]out:FILE.npy        an output\n\n" CHECKS,
            .examples =
                "  samite run model.onnx --arg in:x.npy --arg out:y.npy --check 0=expected.npy\n"
                "  samite run model.onnx --machine system --cycles --planes window --arg in:x.npy "
                "\\\n"
                "      --html page.html\n",
        },
    {0},
};

static int run(struct cli_args *args)
{
    struct run_command c;
    run_command_init(&c, args);
    int code = cli_read(args, &c) ?: run_command_check(&c) ?: run_command(&c);
    sam_system_config_free(c.system.time.config);
    return code;
}

const struct cli_verb verb_run = {
    .name = "run",
    .summary =
        "run Ventus GPGPU kernels, a program on the tensor hart, a tile program, or all of it",
    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
             "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "--machine tensor [options] PROGRAM [-- ARGUMENT ...]\n"
             "[options] PROGRAM.pto --arg ...\n"
             "[--machine host|system] [options] MODEL.onnx --arg ...\n"
             "--machine system [options] PROGRAM [-- ARGUMENT ...]",
    .options = options,
    .groups = groups,
    .operand =
        CLI_OPERAND(struct run_command, run, "file", CLI_PARSE, 0, 0,
                    ".cl .metadata .data .s .S .elf .riscv .pto .onnx", .parse = run_parse_file),
    .forms = machines,
    .form_option = "machine",
    .form_word = "machine",
    .details = "PROGRAM is assembly, an ELF executable, or a tile program (.pto). The Ventus "
               "driver records\n"
               "a launch as a pair of files, .metadata and .data.\n",
    .examples =
        "  samite run vecadd.metadata vecadd.data --dump 0x90002000:4096:c.bin\n"
        "  samite run vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy \\\n"
        "      --arg in:b.npy --arg c=out:f32:1024:c.npy --arg u32:1024 --check c=sum.npy:1\n"
        "  samite run transpose.s --machine tensor --arg in:a.npy --arg out:u8:32x32:b.npy\n"
        "  samite run colmin.pto --arg in:x.npy --arg out:f32:1,32:y.npy\n",
    .run = run,
};
