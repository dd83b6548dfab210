/* SPDX-License-Identifier: Apache-2.0 */
/* samite run: the command line, and which machine it is for. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run_tile.h"

static const struct cli_option options[] = {
    {OPT_MACHINE, "machine", "NAME",
     "ventus (the default), tensor, or tile (PROGRAM.pto says it, too)"},
    {'D', "define", "NAME=VALUE", "define a symbol for the assembler; repeatable"},
    {'I', "include", "DIR", "search .include files there too; repeatable"},
    {OPT_DUMP, "dump", "BASE:SIZE:FILE",
     "write memory to a file: at this point of the sequence\n"
     "(ventus), at the end of the run (tensor). FILE.npy gets an\n"
     "array: of u8, or as FILE.npy:TYPE[:SHAPE] says (f32:32x32)"},
    {OPT_MAX_INSNS, "max-insns", "N", "fail when the program (ventus: a warp of it) runs more"},
    {OPT_STATS, "stats", "[json]", "statistics; =json: standard output is one JSON document"},
    {'q', "quiet", NULL,
     "no line for each launch or run; what other options ask for\n"
     "(--stats, --cycles, --check, --dump-tl, ...) is printed still"},
    {OPT_ARG, "arg", "ARG",
     "the next argument of the kernel, program or function, NAME=\n"
     "in front if you like:\n"
     "in:FILE.npy               a buffer filled from the file\n"
     "out:TYPE:COUNT[:FILE.npy] a buffer of zeros, written to the\n"
     "                          file at the end; COUNT may be 32x32\n"
     "inout:IN.npy[:OUT.npy]    both\n"
     "local:BYTES               a pointer to local memory (ventus)\n"
     "u32:VALUE                 a scalar: u8 i8 u16 i16 u32 i32 u64\n"
     "                          i64 f32 f64 bool\n"
     "tensor: addresses and scalars as a C function has them, in a0,\n"
     "a1, ... and on the stack; buffers from 0x90000000 on"},
    {OPT_CHECK, "check", "OUT=FILE",
     "compare an output with FILE.npy[:TOLERANCE], element by\n"
     "element; OUT is its name, its number from 0, or out for the\n"
     "only one. TOLERANCE is ULP, or ulp=N,rtol=X,atol=X: elements\n"
     "may be N representable numbers apart, or atol + rtol * expected.\n"
     "NaN equals NaN and nothing else"},
    /* Ventus */
    {OPT_KERNEL, "kernel", "NAME", "the kernel: a symbol of the program"},
    {OPT_GRID, "grid", "X[,Y,Z]", "workgroups"},
    {OPT_BLOCK, "block", "X[,Y,Z]", "work-items a workgroup"},
    {OPT_WARP, "warp", "LANES", "lanes a warp: 4, 8, 16 or 32 (the default)"},
    {OPT_PRINT_SIZE, "print-size", "BYTES", "give the kernel a print buffer"},
    {OPT_PDS_SIZE, "pds-size", "BYTES", "private memory a thread"},
    {OPT_ELF, "elf", "FILE", "with .metadata: load this program too, and take its symbols"},
    {OPT_POKE, "poke", "ADDR=WORD", "write a 32-bit word at this point of the sequence"},
    {OPT_LOG, "log", "FILE",
     "the commit log; %n in FILE is the number of the launch, for\n"
     "one file each (one worker)"},
    {'j', "jobs", "N", "worker threads; results do not depend on it"},
    {OPT_SCHEDULE, "schedule", "run|rr1",
     "warps of a workgroup: each as far as it gets (run), or one\n"
     "instruction each in turn, as the public simulator (rr1)"},
    {OPT_LOOSE, "loose-bounds", NULL, "memory outside every buffer reads zero and can be written"},
    {OPT_PDS, "pds", "own|shared",
     "CSR_PDS: private memory of each workgroup's own, or\n"
     "pdsBase for all (to compare logs)"},
    {OPT_PTBR, "ptbr", "PA", "translate addresses by the SV39 tables at this address"},
    {OPT_SIMT_STACK, "simt-stack", "N", "entries of a SIMT stack (65536)"},
    {OPT_PRINT_PREFIX, "print-prefix", NULL, "[workgroup.warp] before each line a kernel prints"},
    /* the tensor hart */
    {OPT_ISA, "isa", "STRING", "instruction set (rv64im_zicsr_zfinx_xtensorload)"},
    {OPT_EBREAK, "ebreak", "fail|ok|trap",
     "an ebreak fails (the default), ends the run well, or traps\n"
     "to the program's handler"},
    {OPT_REG, "reg", "REG=VALUE", "an integer register at the start, x10 or a0; repeatable"},
    {OPT_MEM, "mem", "BASE:FILE",
     "map memory and fill it from the file, with the elements of a\n"
     ".npy file; repeatable"},
    {OPT_MAP, "map", "BASE:SIZE", "map memory of zeros; repeatable"},
    {OPT_UNTIL, "until", "SYMBOL", "end the run when pc gets to the symbol, or address"},
    {OPT_DUMP_TL, "dump-tl", "N", "print TLReg N at the end, in hexadecimal; repeatable"},
    {OPT_DUMP_M, "dump-m", "N", "print matrix register N at the end, row by row; repeatable"},
    {OPT_MLEN, "mlen", "BITS", "row of a matrix register: 128, 256 or 512 (512)"},
    {OPT_FP_ORDER, "fp-order", "k|tree",
     "sums of the matrix unit: for rising k, or as a tree of\n"
     "rounded products"},
    {OPT_TRACE, "trace", "[FILE]", "a line an instruction, to the file or standard output"},
    {OPT_L1M, "l1m", "BASE:SIZE", "strict mode: loads of the TensorLoad unit read this alone"},
    {OPT_L0M, "l0m", "BASE:SIZE", "strict mode: its stores write this alone"},
    {OPT_CYCLES, "cycles", NULL,
     "engines and matrix unit in time: cycles, and what each waits for"},
    {OPT_CONFIG, "config", "KEY=N,...",
     "--cycles with other parameters: mpara=4,queue=8,...;\n"
     "--config help lists them with their defaults"},
    {OPT_KONATA, "konata", "FILE", "the uops of the matrix unit, for Konata (Kanata 0004)"},
    {OPT_VCD, "vcd", "FILE", "its bus as a waveform"},
    {OPT_TRACE_BUS, "trace-bus", "[FILE]", "its bus as text, a line a handshake"},
    {OPT_TIMELINE, "perfetto", "FILE",
     "the engines' timeline for ui.perfetto.dev; 1 us is a cycle"},
    /* tile programs, beside --arg, --check, --trace and --stats */
    {OPT_FUNC, "func", "NAME", "the function; not needed when there is one"},
    {OPT_NAN, "nan", "MODE", "min and max of NaN: number (the default), propagate, first"},
    {OPT_PAD, "pad", "MODE", "outside the valid rectangle: keep (the default), value"},
    {OPT_PROFILE, "profile", "NAME", "a2a3, a5 (the default), host (no limit of memory)"},
    {OPT_MAX_OPS, "max-ops", "N", "fail after so many operations"},
    {OPT_PLAIN, "plain", NULL, "without the vector loops of the host (same results)"},
    {0},
};

static const struct machine {
    const char *name;
    int first; /* option of its own, behind it up to the next machine's */
    int (*run)(const struct run_words *words);
} machines[] = {
    {"ventus", OPT_KERNEL, run_gpu},
    {"tensor", OPT_ISA, run_hart},
    {"tile", OPT_FUNC, NULL}, /* reads its words itself: run_tile.c */
};

enum { MACHINES = sizeof machines / sizeof machines[0] };

static const struct machine *find_machine(const char *name)
{
    for (size_t i = 0; i < MACHINES; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}

/* The machine that alone has the option, or NULL. */
static const struct machine *owner_of(int id, const char **name)
{
    const struct machine *owner = NULL;
    for (const struct cli_option *o = options; o->name; o++) {
        for (size_t i = 0; i < MACHINES; i++)
            owner = machines[i].first == o->id ? &machines[i] : owner;
        *name = o->name;
        if (o->id == id)
            return owner;
    }
    return NULL;
}

static int add_word(struct run_words *words, int option, const char *value)
{
    struct run_word *items = realloc(words->items, (words->count + 1) * sizeof *items);
    if (!items)
        return run_out_of_memory();
    words->items = items;
    items[words->count++] = (struct run_word){option, value};
    return CLI_OK;
}

/* Every word of the command line; --machine tells which machine reads them. */
static int read_words(struct cli_args *args, struct run_words *words,
                      const struct machine **machine)
{
    const char *value;
    int code = CLI_OK;
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;) {
        if (option == CLI_ERROR)
            return CLI_BAD_INPUT;
        if (option != OPT_MACHINE)
            code = add_word(words, option, value);
        else if (!(*machine = find_machine(value)))
            code = cli_usage_error(args, "--machine: expected ventus, tensor or tile, found '%s'",
                                   value);
    }
    return code;
}

static int check_words(const struct run_words *words, const struct machine *machine)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *name;
        const struct machine *owner = words->items[i].option == CLI_POSITIONAL
                                          ? NULL
                                          : owner_of(words->items[i].option, &name);
        if (owner && owner != machine)
            return cli_usage_error(words->args, "--%s is for --machine %s, not for %s", name,
                                   owner->name, machine->name);
    }
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    if (run_tile_wants(args))
        return run_tile(args);
    struct run_words words = {.args = args};
    const struct machine *machine = &machines[0];
    int code = read_words(args, &words, &machine);
    if (code == CLI_OK)
        code = check_words(&words, machine);
    if (code == CLI_OK)
        code = machine->run(&words);
    free(words.items);
    return code;
}

static const struct cli_heading headings[] = {
    {OPT_KERNEL, "Options of --machine ventus"},
    {OPT_ISA, "Options of --machine tensor"},
    {OPT_FUNC, "Options of --machine tile, beside --arg, --check, --trace and --stats"},
    {0},
};

const struct cli_verb verb_run = {
    .name = "run",
    .summary = "run Ventus GPGPU kernels, a program on the tensor hart, or a tile program",
    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
             "       samite run [options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "       samite run --machine tensor [options] PROGRAM\n"
             "       samite run [options] PROGRAM.pto --arg ...",
    .options = options,
    .headings = headings,
    .details =
        "The first form runs launches that the Ventus driver wrote down, in order and in one\n"
        "memory. A buffer that several launches name is one buffer; its data stands in the first\n"
        "pair that uses it. --poke and --dump act where they are written between the files; a "
        "poke\n"
        "wins over the data of the pair behind it. A .metadata file is text, eight hexadecimal\n"
        "digits a line, comments behind a number; files without start_addr are known too.\n\n"
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
        "Ctrl-C ends a run; no file is left half-written, and the command dies by the signal.\n"
        "Exit status: 0 done, 1 the program failed (trap, deadlock, failed check), 2 bad usage or\n"
        "input. A program of the tensor hart that exits with a code from 1 to 255 gives that\n"
        "code, and 1 for a larger one; \"exit code N\" on standard error tells it from the 1 and "
        "2\n"
        "above.\n\n"
        "Examples:\n"
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
