/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the machines: the options of all of them, programs, memory, arguments, checks, and the
 * files that a run writes (machine/machine.h). */
#ifndef RUN_H
#define RUN_H

#include "cli.h"
#include "report.h"
#include "samite/samite.h"

/* A range of memory, and the file that fills it or receives it. */
struct run_range {
    uint64_t base, size;
    const char *path;
    bool is_array; /* of a dump: the file is a .npy of this type and shape; `form` has no data */
    struct sam_array form;
};

/* Files, pokes and dumps in the order of the command line. */
enum run_step_kind { RUN_FILE, RUN_POKE, RUN_DUMP };

struct run_step {
    enum run_step_kind kind;
    const char *path; /* of a file; of a pair its .metadata, */
    const char *data; /* and its .data */
    uint64_t value;   /* of a poke */
    uint32_t address; /* of its first byte */
    unsigned bytes;
    struct run_range dump;
};

enum run_stats { RUN_STATS_NONE, RUN_STATS_TEXT, RUN_STATS_JSON };

/* Files written during a run: the trace, the timelines of --cycles, the bus and the uops of
 * the matrix unit, the trace of the kernels of a system, its weight unit. */
enum run_output {
    RUN_TRACE,
    RUN_KONATA,
    RUN_VCD,
    RUN_BUS,
    RUN_PERFETTO,
    RUN_GPU_TRACE,
    RUN_WEIGHTS_VCD,
    RUN_OUTPUTS
};

struct run;
struct run_driver;

struct run_gdb_choice {
    bool given, stdio; /* stdio: standard input and output */
    unsigned port;     /* 0: any */
};

/* The words of --arg. In all of them a name may precede the kind, NAME=in:FILE.npy. Those of tile
 * programs and of networks also have the form NAME:FILE.npy; in those of a network, an output has
 * only a file. */
enum run_words { RUN_WORDS, RUN_TILE_WORDS, RUN_NETWORK_WORDS };

/* The options of every machine. */
struct run_request {
    struct cli_args *args; /* for messages, and the owner of the lists */
    struct {
        struct run_step *items;
        size_t count;
    } steps;
    size_t programs; /* of `files`; the others came after "--" */
    struct cli_list files, arguments, checks, defines, includes;
    const char *standard; /* of OpenCL C, or NULL */
    enum run_words words; /* of `arguments` */
    uint64_t max_insns;
    const char *trace; /* a file, "-", NULL */
    enum run_stats stats;
    bool quiet;
    enum run_jit { RUN_JIT_OFF, RUN_JIT_AUTO, RUN_JIT_WAIT } jit;
    struct run_gdb_choice gdb;
    uint64_t perfetto_from, perfetto_to; /* window of cycles in a timeline */
    const struct run_driver *driver;     /* NULL: launches and programs run without a driver */
};

/* RUN_HOST: a network, whose operators run on the host's executor. */
enum run_machine { RUN_VENTUS, RUN_TENSOR, RUN_TILE, RUN_SYSTEM, RUN_HOST };

/* --- options.c: options shared by several machines, and parts of their values */
/* For CLI_PARSE: operands, dumps and pokes become steps; --stats[=json];
 * --gdb[=PORT|-] (gdb.c). */
cli_parse run_parse_file, run_parse_jit, run_parse_dump, run_parse_poke, run_parse_stats,
    run_parse_gdb;
/* An element type of NumPy files, by name. */
bool run_parse_dtype(const char *text, enum sam_dtype *dtype);
/* Parse "1024", "32x32" or "32,32", up to 8 dimensions: rank, shape, count and size of an array of
 * less than 4 GiB, whose type is set already. Modifies the text. */
bool run_parse_shape(char *text, struct sam_array *array);
/* Register the first `files` operands, which are read, and the dumps, which are written
 * (core/files.c). */
int run_name_files(const struct run_request *request, size_t files);
/* Whether a dump, an argument or the trace goes to standard output. */
bool run_writes_stdout(const struct run *run);
bool run_names_stdout(const char *const files[RUN_OUTPUTS]);
/* The next dump from step *at on; *at advances past it. NULL: none. */
const struct run_range *run_next_dump(const struct run_request *request, size_t *at);

/* --- program.c: programs and memory */

enum { RUN_MAX_PROGRAM = 1 << 30 };
#define RUN_PROGRAM_KINDS "assembly or an ELF executable"

bool run_is_elf(const void *data, size_t size);
/* Read an ELF file or assembly into *data, which is freed in either case. */
int run_read_program(const char *path, char **data, size_t *size, bool *elf);
/* Check that `path` can be opened and is not a 64-bit ELF file. Only a regular file is read. */
int run_check_program(const char *path);
/* Assemble with the macros and folders of the request, printing every message. Returns NULL after
 * an error. */
struct sam_image *run_assemble(const struct run_request *r, const struct sam_asm_options *options,
                               const char *name, const char *text, size_t size);
/* Load or assemble a program of a Ventus GPGPU, assembly at `base`; start code is added if it
 * has none. *image may be set even after a failure. */
int run_load_kernels(const struct run_request *request, const char *path, uint64_t base,
                     struct sam_image **image);
/* The memory of a machine. */
struct run_memory {
    /* Read `size` bytes at `address`; with `data` NULL, only check that they are readable. */
    bool (*read)(void *context, uint64_t address, void *data, size_t size, struct sam_error *error);
    /* The location of the last launch's first store into the buffer at `address`, and a text
     * that names the instruction. False: there was none. NULL: not known. */
    bool (*find_store)(void *context, uint64_t address, uint64_t *at, char *text, size_t size);
    void *context;
};
/* Check, before anything runs, that the output can be created. */
int run_check_output(const char *path);
/* Check, before anything runs, that all dumps can be read and written. */
int run_check_dumps(const struct run *run);
int run_dump(const struct run *run, const struct run_range *range);

/* --dump BASE:SIZE:FILE, or BASE:SIZE:FILE.npy[:TYPE[:SHAPE]]. */
int run_dump_parse(struct cli_args *args, const char *word, struct run_range *range);
/* The bytes of a file, or the elements of a NumPy file, for --mem; free() them. */
int run_memory_load(const char *path, char **data, size_t *size);

/* --- output.c: --profile. Checked before anything runs, and written after all launches. */
#define RUN_PROFILE(type, member)                                                                  \
    CLI_ROW(                                                                                       \
        type, member, "profile", CLI_TEXT, "FILE",                                                 \
        "count what each instruction does, and write a page (FILE.html), JSON (.json), stacks "    \
        "for flame graphs (.folded) or tables (.txt; - prints them)",                              \
        .suffixes = ".html .json .folded .txt")
/* A new profile, if there is a path; and its file, or text to `out`. */
int run_profile_open(struct cli_args *args, const char *option, const char *path,
                     struct sam_profile **profile);
int run_profile_write(struct sam_profile *profile, const char *path,
                      const struct sam_profile_options *options, FILE *out);

/* --- output.c: what a program prints, for struct sam_sink; `run` without text drops it. The second
 * shows it at once. */
bool run_print(void *run, const void *data, size_t size);
bool run_print_now(void *run, const void *data, size_t size);

/* --- output.c: files written during a run */
/* Open one of them, if there is a path; *sink writes to it. */
int run_open_output(struct run *run, enum run_output which, const char *path,
                    struct sam_sink *sink);
/* Commit it, if it is open; or drop it, after all writes, and report a failure. */
int run_commit_output(struct run *run, enum run_output which);
int run_drop_output(struct run *run, enum run_output which);
/* Whether one of them could not be written: dropping it names the file. */
bool run_output_failed(const struct run *run);

/* --- session.c: launches and programs opened instead of run */
struct run_session {
    struct sam_session *session;
    struct sam_gpu *gpu;                   /* of a launch, or */
    struct sam_hart *hart;                 /* of a program */
    const struct sam_launch *launch;       /* of a launch */
    const struct sam_image *image;         /* symbols and lines, may be NULL */
    const char *name;                      /* of the kernel or the program */
    const struct run_arguments *arguments; /* of --arg, or NULL */
    const struct sam_metadata *metadata;   /* of a recorded launch, or NULL */
    unsigned number, count;                /* of this launch, from 0; how many there are */
    bool has_until;                        /* --until: the end of a program */
    uint64_t until;
    uint64_t exit_code; /* of a program: set by the driver after its exit */
    FILE *text;         /* for people */
};

struct run_driver {
    /* Step, run and inspect the session, which the caller opens and closes; messages are
     * printed. Returns CLI_OK: the run continues to its end, then with the steps of `samite run`
     * after it; CLI_PROGRAM_FAILED: it has failed, which was reported; CLI_SHOWN: the user has
     * quit, and nothing remains to be done. */
    int (*drive)(void *context, struct run_session *session);
    void *context;
};

/* --- gdb.c: --gdb, the driver of a run controlled by gdb */

struct run_gdb;

/* Listen, before anything else is done. `program` is the file of the program; NULL: none. The
 * objects of the request must outlive it. CLI_OK, or *gdb is NULL. */
int run_gdb_open(const struct run_request *request, const char *program, struct run_gdb **gdb);
void run_gdb_close(struct run_gdb *gdb);
/* The drive of struct run_driver; the context is a struct run_gdb. Consecutive launches are one
 * program to gdb. */
int run_gdb_drive(void *context, struct run_session *session);

/* --- arguments.c: arguments of kernels and programs */
enum run_argument_kind { RUN_SCALAR, RUN_BUFFER, RUN_LOCAL };

struct run_argument {
    enum run_argument_kind kind;
    const char *word; /* as written */
    char *text;       /* the same, split: name and path point into it */
    const char *name; /* NULL without */
    bool output;
    const char *path;   /* path of an output, or NULL */
    const char *input;  /* file of its array, or NULL */
    const char *packed; /* the tensor of the packed file `input` for its array, or NULL */
    struct sam_array array;
    enum sam_dtype dtype; /* of a scalar */
    uint64_t bits;        /* of a scalar, low bytes first */
    size_t size;          /* of a scalar: 4 or 8; of local memory: its bytes */
    uint64_t address;
};

struct run_arguments {
    struct run_argument *items;
    size_t count;
    unsigned registers; /* the number that the tensor hart takes in registers, from a0 on */
};

/* Parse the words of --arg, read the inputs, and check that outputs can be written and overwrite no
 * other file. */
int run_arguments_parse(const struct run_request *request, struct run_arguments *arguments);
/* One more, with its word and a copy; NULL on out-of-memory. */
struct run_argument *run_arguments_add(struct run_arguments *arguments, const char *word);
/* Read the inputs into their arrays again, from memory at the program's start. */
int run_arguments_take(struct run_arguments *arguments, const struct run_memory *memory);
/* Read the outputs from the machine into their arrays; a note names each input that the program
 * has stored into or, if stores are not known, changed. Write their files, after the checks. */
int run_arguments_fetch(struct run_arguments *arguments, const struct run_memory *memory);
int run_arguments_write(const struct run_arguments *arguments);
void run_arguments_free(struct run_arguments *arguments);
/* Whether one of them is written to standard output. */
bool run_arguments_to_stdout(const struct run_arguments *arguments);

/* --- compare.c: arrays of one type, element by element, and a summary of the differences */

/* An element passes within `ulp` representable numbers, or within atol + rtol * |expected|. */
struct run_tolerance {
    uint64_t ulp;
    double rtol, atol;
    bool close; /* rtol or atol was given */
};

enum { RUN_SPREAD = 65 };

struct run_comparison {
    size_t count;
    size_t failed;              /* beyond the tolerance */
    size_t unequal;             /* within the tolerance or not */
    size_t unordered;           /* of these, with a NaN or an infinity on one side: no distance */
    uint64_t ulp;               /* the largest distance of floating-point numbers */
    double most, most_relative; /* largest |found - expected|, and that over |expected| */
    size_t most_at, relative_at;
    double sum;                /* of |found - expected| */
    size_t spread[RUN_SPREAD]; /* of floating-point elements: the number with a ulp of i bits */
};

bool run_is_real(enum sam_dtype dtype);
/* Compare element `i` and add it to `sum`; *ulp is the distance, UINT64_MAX for a number and a NaN
 * and for unequal integers. True: it passes. */
bool run_compare_element(const struct run_tolerance *tolerance, const struct sam_array *found,
                         const struct sam_array *expected, size_t i, struct run_comparison *sum,
                         uint64_t *ulp);
double run_element(const struct sam_array *array, size_t index);
/* "10.5" */
void run_element_text(const struct sam_array *array, size_t i, char *text, size_t size);
/* "3, 5" of element 29 of 8x8 */
void run_index_text(const struct sam_array *array, size_t i, char *text, size_t size);

/* --- check.c: --check OUTPUT=FILE.npy[:TOLERANCE] */
struct run_check {
    char *text;
    const char *path;
    const struct run_argument *argument;
    struct run_tolerance tolerance;
    struct sam_array expected;
};

int run_checks_parse(struct run *run);
/* Compare all; the results go to the text and the document. CLI_PROGRAM_FAILED if one differs. */
int run_checks_compare(const struct run *run);
void run_checks_free(struct run *run);
#endif
