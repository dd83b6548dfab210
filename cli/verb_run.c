/* SPDX-License-Identifier: Apache-2.0 */
/* samite run: the command line, and which machine it is for. */
#include "run_hart.h"
#include "run_tile.h"

/* Bits of the machines, in the order of `machines`. */
enum { VENTUS = 1 << RUN_VENTUS, TENSOR = 1 << RUN_TENSOR, TILE = 1 << RUN_TILE };

struct command {
    struct run_words words;
    uint32_t machine; /* enum run_machine */
};

/* The machines read the words in their order: what stands between files happens between launches.
 */
#define WORD(word, title, value, ...)                                                              \
    {                                                                                              \
        .id = (word), .name = (title), .argument = (value), .grammar = CLI_SEQUENCE,               \
        CLI_AT(struct command, words.list), .help = __VA_ARGS__                                    \
    }

static const struct cli_option options[] = {
    {.name = "machine",
     .grammar = CLI_CHOICE,
     .choices = "ventus tensor tile",
     .help = "ventus (the default), tensor, or tile (PROGRAM.pto says it, too)",
     CLI_AT(struct command, machine)},
    WORD('D', "define", "NAME=VALUE", "define a symbol for the assembler; repeatable",
         .letter = 'D', .forms = VENTUS | TENSOR),
    WORD('I', "include", "DIR", "search .include files there too; repeatable", .letter = 'I',
         .forms = VENTUS | TENSOR, .suffixes = "/"),
    WORD(OPT_DUMP, "dump", "BASE:SIZE:FILE",
         "write memory to a file: at this point of the sequence (ventus), at the end of the run "
         "(tensor). FILE.npy gets an array: of u8, or as FILE.npy:TYPE[:SHAPE] says (f32:32x32)",
         .forms = VENTUS | TENSOR),
    WORD(OPT_MAX_INSNS, "max-insns", "N", "fail when the program (ventus: a warp of it) runs more",
         .forms = VENTUS | TENSOR),
    WORD(OPT_STATS, "stats", "[json]", "statistics as text; =json: as --json"),
    WORD(OPT_TRACE, "trace", "[FILE]",
         "one line per instruction or tile operation, to the file or standard output (tile: "
         "standard output). ventus: the commit log, with one worker; %n in FILE is the number of "
         "the launch, for one file each",
         .suffixes = ""),
    WORD(OPT_JSON, "json", NULL,
         "standard output is one JSON document with all statistics; --stats=json is the same"),
    WORD('q', "quiet", NULL,
         "no line for each launch or run; what other options ask for (--stats, --cycles, --check, "
         "--dump-tl, ...) is printed still",
         .letter = 'q'),
    WORD(OPT_ARG, "arg", "ARG",
         "the next argument of the kernel, program or function, NAME= in front if you like:\n"
         "in:FILE.npy               a buffer filled from the file\n"
         "out:TYPE:COUNT[:FILE.npy] a buffer of zeros, written to the\n"
         "                          file at the end; COUNT may be 32x32\n"
         "inout:IN.npy[:OUT.npy]    both\n"
         "local:BYTES               a pointer to local memory (ventus)\n"
         "u32:VALUE                 a scalar: u8 i8 u16 i16 u32 i32 u64\n"
         "                          i64 f32 f64 bool\n"
         "tensor: addresses and scalars as a C function has them, in a0, a1, ... and on the stack; "
         "buffers from 0x90000000 on"),
    WORD(OPT_CHECK, "check", "OUT=FILE",
         "compare an output with FILE.npy[:TOLERANCE], element by element; OUT is its name, its "
         "number from 0, or out for the only one. TOLERANCE is ULP, or ulp=N,rtol=X,atol=X: "
         "elements may be N representable numbers apart, or atol + rtol * expected. NaN equals NaN "
         "and nothing else"),
    {0},
};

static const struct cli_option ventus_options[] = {
    WORD(OPT_KERNEL, "kernel", "NAME", "the kernel: a symbol of the program"),
    WORD(OPT_GRID, "grid", "X[,Y,Z]", "workgroups"),
    WORD(OPT_BLOCK, "block", "X[,Y,Z]", "work-items a workgroup"),
    WORD(OPT_WARP, "warp", "LANES", "lanes a warp: 4, 8, 16 or 32 (the default)",
         .choices = "4 8 16 32"),
    WORD(OPT_PRINT_SIZE, "print-size", "BYTES", "give the kernel a print buffer"),
    WORD(OPT_PDS_SIZE, "pds-size", "BYTES", "private memory a thread"),
    WORD(OPT_ELF, "elf", "FILE", "with .metadata: load this program too, and take its symbols",
         .suffixes = ".elf .riscv"),
    WORD(OPT_POKE, "poke", "ADDR=WORD", "write a 32-bit word at this point of the sequence"),
    WORD(OPT_LOG, "log", "FILE", "older name of --trace=FILE", .suffixes = ""),
    WORD('j', "jobs", "N", "worker threads; results do not depend on it", .letter = 'j'),
    WORD(OPT_SCHEDULE, "schedule", NULL,
         "warps of a workgroup: each as far as it gets (run), or one instruction each in turn, as "
         "the public simulator (rr1)",
         .choices = "run rr1"),
    WORD(OPT_LOOSE, "loose-bounds", NULL,
         "memory outside every buffer reads zero and can be written"),
    WORD(OPT_PDS, "pds", NULL,
         "CSR_PDS: private memory of each workgroup's own, or pdsBase for all (to compare logs)",
         .choices = "own shared"),
    WORD(OPT_PTBR, "ptbr", "PA", "translate addresses by the SV39 tables at this address"),
    WORD(OPT_SIMT_STACK, "simt-stack", "N", "entries of a SIMT stack (65536)"),
    WORD(OPT_PRINT_PREFIX, "print-prefix", NULL,
         "[workgroup.warp] before each line a kernel prints"),
    {0},
};

static const struct cli_option tensor_options[] = {
    WORD(OPT_ISA, "isa", "STRING", "instruction set (rv64im_zicsr_zfinx_xtensorload)",
         .letter = 'i', .names = cli_isa_name),
    WORD(OPT_EBREAK, "ebreak", NULL,
         "an ebreak fails (the default), ends the run well, or traps to the program's handler",
         .choices = "fail ok trap"),
    WORD(OPT_REG, "reg", "REG=VALUE", "an integer register at the start, x10 or a0; repeatable"),
    WORD(OPT_MEM, "mem", "BASE:FILE",
         "map memory and fill it from the file, with the elements of a .npy file; repeatable"),
    WORD(OPT_MAP, "map", "BASE:SIZE", "map memory of zeros; repeatable"),
    WORD(OPT_UNTIL, "until", "SYMBOL", "end the run when pc gets to the symbol, or address"),
    WORD(OPT_DUMP_TL, "dump-tl", "N", "print TLReg N at the end, in hexadecimal; repeatable"),
    WORD(OPT_DUMP_M, "dump-m", "N", "print matrix register N at the end, row by row; repeatable"),
    WORD(OPT_MLEN, "mlen", "BITS", "row of a matrix register: 128, 256 or 512 (512)",
         .choices = "128 256 512"),
    WORD(OPT_FP_ORDER, "fp-order", NULL,
         "sums of the matrix unit: for rising k, or as a tree of rounded products",
         .choices = "k tree"),
    WORD(OPT_L1M, "l1m", "BASE:SIZE", "strict mode: loads of the TensorLoad unit read this alone"),
    WORD(OPT_L0M, "l0m", "BASE:SIZE", "strict mode: its stores write this alone"),
    WORD(OPT_CYCLES, "cycles", NULL,
         "engines and matrix unit in time: cycles, and what each waits for"),
    WORD(OPT_CONFIG, "config", "KEY=N,...",
         "--cycles with other parameters: mpara=4,queue=8,...; --config help lists them with their "
         "defaults",
         .names = run_hart_key),
    WORD(OPT_KONATA, "konata", "FILE", "the uops of the matrix unit, for Konata (Kanata 0004)",
         .suffixes = ""),
    WORD(OPT_VCD, "vcd", "FILE", "its bus as a waveform", .suffixes = ".vcd"),
    WORD(OPT_TRACE_BUS, "trace-bus", "[FILE]", "its bus as text, a line a handshake",
         .suffixes = ""),
    WORD(OPT_TIMELINE, "perfetto", "FILE",
         "the engines' timeline for ui.perfetto.dev; 1 us is a cycle", .suffixes = ".json"),
    {0},
};

static const struct cli_option tile_options[] = {
    WORD(OPT_FUNC, "func", "NAME", "the function; not needed when there is one"),
    WORD(OPT_NAN, "nan", NULL, "min and max of NaN: number (the default), propagate, first",
         .choices = "number propagate first"),
    WORD(OPT_PAD, "pad", NULL, "outside the valid rectangle: keep (the default), value",
         .choices = "keep value"),
    WORD(OPT_PROFILE, "profile", NULL, "a2a3, a5 (the default), host (no limit of memory)",
         .choices = RUN_TILE_PROFILES),
    WORD(OPT_MAX_OPS, "max-ops", "N", "fail after so many operations"),
    WORD(OPT_PLAIN, "plain", NULL, "without the vector loops of the host (same results)"),
    {0},
};

static const struct cli_group groups[] = {
    {"Options of --machine ventus", ventus_options, 0, VENTUS},
    {"Options of --machine tensor", tensor_options, 0, TENSOR},
    {"Options of --machine tile", tile_options, 0, TILE},
    {0},
};

static const struct cli_form machines[] = {
    [RUN_VENTUS] = {"ventus", "kernels on Ventus GPGPU cores"},
    [RUN_TENSOR] = {"tensor", "a program on the tensor hart"},
    [RUN_TILE] = {"tile", "a PTO tile program"},
    {0},
};

/* A tile program says by its name which machine it is for. */
static int choose_machine(struct command *c)
{
    const struct cli_args *args = c->words.args;
    for (size_t i = 0; i < c->words.list.count; i++) {
        const struct cli_word *word = &c->words.list.items[i];
        if (word->option != CLI_POSITIONAL || !cli_ends_with(word->value, ".pto"))
            continue;
        if (cli_given(args, "machine") && c->machine != RUN_TILE)
            return cli_usage_error(args, "--machine %s: a .pto is for --machine tile",
                                   machines[c->machine].name);
        c->machine = RUN_TILE;
    }
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    static int (*const run_on[])(const struct run_words *) = {
        [RUN_VENTUS] = run_gpu, [RUN_TENSOR] = run_hart, [RUN_TILE] = run_tile};
    struct command c = {.words = {.args = args}};
    int code = cli_read(args, &c);
    if (code == CLI_OK)
        code = choose_machine(&c);
    if (code == CLI_OK)
        code = cli_check_form(args, (int)c.machine);
    return code == CLI_OK ? run_on[c.machine](&c.words) : code;
}

const struct cli_verb verb_run = {
    .name = "run",
    .summary = "run Ventus GPGPU kernels, a program on the tensor hart, or a tile program",
    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
             "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "--machine tensor [options] PROGRAM\n"
             "[options] PROGRAM.pto --arg ...",
    .options = options,
    .groups = groups,
    .operand = {.name = "file",
                .grammar = CLI_SEQUENCE,
                .suffixes = ".metadata .data .s .S .elf .riscv .pto",
                CLI_AT(struct command, words.list)},
    .forms = machines,
    .form_option = "machine",
    .form_word = "machine",
    .details =
        "The first form runs launches that the Ventus driver wrote down, in order and in one\n"
        "memory. A buffer that several launches name is one buffer; its data stands in the first\n"
        "pair that uses it. --poke and --dump act where they are written between the files; a "
        "poke\n"
        "wins over the data of the pair after it. A .metadata file is text, eight hexadecimal\n"
        "digits per line, comments after a number; files without start_addr are known too.\n\n"
        "The second form describes one launch. PROGRAM is assembly (start code is added when it "
        "has\n"
        "no _start) or an ELF executable. --poke acts before the launch and --dump after it.\n\n"
        "The third form runs a program, assembly or ELF, on the tensor hart: an RV32 or RV64 core "
        "with\n"
        "the TensorLoad unit. The run ends at exit (ecall with a7 = 93, or a store to the symbol\n"
        "tohost), at --until, or fails: at ebreak, or at a trap that the program does not "
        "handle.\n\n"
        "The fourth form checks and runs a tile program. Its arguments are as in the second, with\n"
        "shapes as 1,32, too. A pointer is an array (bf16: u16), index is i64, and a free name of "
        "bare\n"
        "operations is a tile: NAME=in:FILE.npy or NAME:FILE.npy. There NAME=out:... may be any "
        "tile.\n\n"
        "A program of the tensor hart that exits with a code from 1 to 255 gives that code, and 1 "
        "for a larger one; \"exit code N\" on standard error tells it from a failed run (1) or bad "
        "usage (2).\n",
    .examples =
        "  samite run vecadd.metadata vecadd.data --dump 0x90002000:4096:c.bin\n"
        "  samite run BFS_1_0.metadata BFS_1_0.data --poke 0x90006000=0 \\\n"
        "      BFS_2_0.metadata BFS_2_0.data --elf object.riscv --log 'bfs-%n.log'\n"
        "  samite run vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy \\\n"
        "      --arg in:b.npy --arg c=out:f32:1024:c.npy --arg u32:1024 --check c=sum.npy:1\n"
        "  samite run sgemm.elf --kernel sgemm --grid 8,8 --block 16,16 --warp 32 -j 4 \\\n"
        "      --arg in:a.npy --arg in:b.npy --arg out:f32:128x128:c.npy --stats\n"
        "  samite run transpose.s --machine tensor --mem 0x10000:in.bin --map 0x20000:4096 \\\n"
        "      --reg a0=0x10000 --reg a1=0x20000 --dump 0x20000:4096:out.bin\n"
        "  samite run transpose.s --machine tensor --arg in:a.npy --arg b=out:u8:32x32:b.npy \\\n"
        "      --check b=turned.npy:rtol=1e-5,atol=1e-8\n"
        "  samite run transpose.s --machine tensor --cycles --config load_bytes=32,queue=8\n"
        "  samite run colmin.pto --arg in:x.npy --arg out:f32:1,32:y.npy --nan propagate\n",
    .run = run,
};
