/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `samite run` share. verb_run.c has the options of every machine, the files of
 * each machine its own: machine/ventus.c, whose machine/ventus_metadata.c and
 * machine/ventus_kernel.c are the two forms of a launch, machine/tensor_options.c and
 * machine/tile.c. */
#ifndef RUN_H
#define RUN_H

#include <stdio.h>

#include "cli.h"
#include "json.h"
#include "progress.h"
#include "report.h"
#include "run/compare.h"
#include "samite/samite.h"

/* A range of memory and the file that it is filled from or written to. */
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

struct run_driver;

struct run_gdb_choice {
    bool given, stdio; /* stdio: standard input and output */
    unsigned port;     /* 0: any */
};

/* The options of every machine. */
struct run_request {
    struct cli_args *args; /* for messages, and the owner of the lists */
    struct {
        struct run_step *items;
        size_t count;
    } steps;
    size_t programs; /* of `files`; the rest came after "--" */
    struct cli_list files, arguments, checks, defines, includes;
    uint64_t max_insns;
    const char *trace; /* a file, "-", NULL */
    enum run_stats stats;
    bool quiet;
    struct run_gdb_choice gdb;
    uint64_t perfetto_from, perfetto_to; /* cycles that a timeline shows */
    const struct run_driver *driver;     /* NULL: launches and programs run at once */
};

enum run_machine { RUN_VENTUS, RUN_TENSOR, RUN_TILE, RUN_SYSTEM };

/* --- run/options.c: options that several machines have, and parts of their values */
/* For CLI_PARSE: operands, dumps and pokes become steps; --stats[=json]. */
int run_parse_file(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request);
int run_parse_dump(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request);
int run_parse_poke(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request);
int run_parse_stats(struct cli_args *args, const struct cli_option *option, const char *text,
                    void *stats);
/* --gdb[=PORT|-] (run/gdb.c) */
int run_parse_gdb(struct cli_args *args, const struct cli_option *option, const char *text,
                  void *choice);
/* An element type of NumPy files, by name. */
bool run_parse_dtype(const char *text, enum sam_dtype *dtype);
/* Parse "1024", "32x32" or "32,32", up to 8 dimensions: rank, shape, count and size of an array of
 * less than 4 GiB, whose type is set already. Modifies the text. */
bool run_parse_shape(char *text, struct sam_array *array);
/* Parse the number before `end` in "NUMBER:..." or "NUMBER=..."; returns the rest, or NULL. */
const char *run_leading_number(const char *text, char end, uint64_t top, uint64_t *value);
/* Register the first `files` operands, which are read, and the dumps that are written (files.h). */
int run_name_files(const struct run_request *request, size_t files);
/* Whether a dump, an output or the trace goes to standard output. */
bool run_writes_stdout(const struct run_request *request);
/* The next dump from step *at on; *at advances past it. NULL: none. */
const struct run_range *run_next_dump(const struct run_request *request, size_t *at);

/* --- run/program.c: programs and memory */

enum { RUN_MAX_PROGRAM = 1 << 30 };
#define RUN_PROGRAM_KINDS "assembly or an ELF executable"

/* Check that `path` can be opened and is not a 64-bit ELF file. Only a regular file is read. */
int run_check_program(const char *path);
/* Report that `name` is a 64-bit ELF file. */
int run_report_wide(const char *name);
/* Assemble, printing every message. NULL after an error. */
struct sam_image *run_assemble(const struct cli_args *args, const struct sam_asm_options *options,
                               const char *name, const char *text, size_t size);
/* Load or assemble a program of a Ventus GPGPU, assembly at `base`; one without start code gets
 * some. *image may be set after a failure, too. */
int run_load_kernels(const struct run_request *request, const char *path, uint64_t base,
                     struct sam_image **image);
/* Read `size` bytes at `address`; with `data` NULL, only check that they can be read. */
typedef bool run_read_memory(void *context, uint64_t address, void *data, size_t size,
                             struct sam_error *error);
/* Check that the whole range can be read; a message names the option that needs it. */
int run_check_memory(run_read_memory *read, void *context, const char *option, uint64_t address,
                     uint64_t size);
/* Check, before anything runs, that the output can be created. */
int run_check_output(const char *path);
/* Check, before anything runs, that all dumps can be read and written. */
int run_check_dumps(const struct run_request *request, run_read_memory *read, void *context);
int run_dump_memory(run_read_memory *read, void *context, const struct run_range *range);

/* --- run/range.c: memory and files */
/* --dump BASE:SIZE:FILE, or BASE:SIZE:FILE.npy[:TYPE[:SHAPE]]. */
int run_dump_parse(struct cli_args *args, const char *word, struct run_range *range);
/* The bytes of a file, or the elements of a NumPy file, for --mem; free() them. */
int run_memory_load(const char *path, char **data, size_t *size);

/* Timelines of a timed launch. */
enum run_timeline { RUN_PERFETTO, RUN_KONATA, RUN_TIMELINES };

/* --- machine/ventus.c */
/* The options of a Ventus GPGPU alone. */
struct gpu_request {
    struct sam_gpu_options options;
    const char *kernel, *elf, *profile;
    unsigned sanitize; /* SAM_SANITIZE_* */
    uint32_t grid[3], block[3], global[3], offset[3];
    uint32_t lanes, pds_size, lds_size, print_size;
    bool sv39;   /* build the tables */
    bool cycles; /* model the GPU in time, */
    struct sam_gputime_config config;
    const char *timelines[RUN_TIMELINES]; /* files, "-", NULL */
    struct {
        struct sam_lds_range *items;
        size_t count;
    } lds_ranges;
};

/* Of struct gpu_request: what describes launches, the rest; those of machine/ventus_cycles.c. */
extern const struct cli_option run_launch_rows[], run_gpu_rows[], run_cycles_rows[];
int run_gpu(struct run_request *request, struct gpu_request *gpu);
/* What a timed run came to, all its launches together. */
struct run_measure {
    uint64_t cycles, insns;
    uint64_t sm[SAM_GPUTIME_REASONS], slots[SAM_GPUTIME_REASONS]; /* of all of them */
    uint64_t units[SAM_GPUTIME_UNITS][SAM_GPUTIME_REASONS];       /* of all SMs */
    uint64_t l1_requests, l1_hits, l2_requests, l2_hits, dram_bytes;
    struct sam_error error; /* of a launch that failed */
};
/* The checks of a request, and its runs, once for each configuration: nothing is printed or
 * written. A code other than CLI_OK without measure->error has a message that was printed. */
int run_gpu_check(struct run_request *request, struct gpu_request *gpu);
int run_gpu_measure(struct run_request *request, struct gpu_request *gpu,
                    struct run_measure *measure);
/* Register a file that is written; one per launch where its name has %n. */
int run_name_numbered(const struct run_request *request, const char *pattern, size_t launches);

/* --- run/perfetto.c: a timeline, cut to the window of the request */
struct run_perfetto {
    struct sam_output *output;
    const char *path; /* for messages */
    uint64_t from, to, bytes;
};
struct sam_sink run_perfetto_sink(struct run_perfetto *p, const struct run_request *request,
                                  const char *path, struct sam_output *output);

struct run_arguments;

struct run {
    const struct run_request *request;
    struct gpu_request *asked;
    struct sam_gpu *gpu;
    struct sam_image *image; /* symbols, or NULL */
    FILE *text;              /* for people: stdout unless data goes there */
    struct sam_output *log;
    struct sam_profile *profile;     /* NULL: not asked for */
    struct sam_sanitizer *sanitizer; /* NULL: not asked for */
    bool found;                      /* it has found something */
    uint64_t ptbr;                   /* of --sv39 */
    uint64_t pds_room;               /* bytes of the buffer at pdsBaseAddr; 0: none is named */
    unsigned launches;
    struct run_measure *measure;  /* NULL: launches are reported */
    struct sam_gpu_timing timing; /* of the current launch, with --cycles */
    struct sam_output *timelines[RUN_TIMELINES];
    struct run_perfetto perfetto;
    uint64_t cycles;                       /* of all launches */
    struct cli_progress progress;          /* of the current launch */
    const struct run_arguments *arguments; /* of --kernel, for reports; or NULL */
    const struct sam_metadata *metadata;   /* of a recorded launch, for the same; or NULL */
    json_t *json_launches, *json_checks;   /* NULL without --json */
    struct sam_error error;
};

/* The two forms; each prints its messages and returns an exit code. */
int run_metadata(struct run *run);
int run_kernel(struct run *run);

/* --- run/profile.c: --profile. Checked before anything runs, and written after all launches. */
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
/* Of a GPU. */
int run_open_profile(struct run *run);
int run_close_profile(struct run *run);

/* --- machine/ventus_sanitize.c: --sanitize */
/* For CLI_PARSE: SAM_SANITIZE_* from a list of names; all without one. */
int run_parse_sanitize(struct cli_args *args, const struct cli_option *option, const char *text,
                       void *place);
int run_open_sanitizer(struct run *run);
/* What reports call a buffer; the bytes of an output are undefined at first. */
int run_name_buffer(struct run *run, uint64_t base, uint64_t size, const char *name, bool output);
/* Add the findings, which are kept, to the report on a launch. */
json_t *run_report_findings(const struct run *run, json_t *launch);
/* Print and forget them. */
int run_print_findings(struct run *run);

/* --- machine/ventus_cycles.c: --cycles */
void run_gpu_defaults(struct gpu_request *gpu);
/* Check the configuration, and register the timelines of so many launches. */
int run_check_cycles(const struct run_request *request, struct gpu_request *gpu, size_t launches);
/* Note a workgroup that no SM of the model in time could hold, however it is configured. */
void run_note_large(const struct sam_launch *launch);
bool run_timelines_to_stdout(const struct gpu_request *gpu);
/* Open the timelines of the next launch; close them and `keep` them or not. */
int run_open_timing(struct run *run);
int run_close_timing(struct run *run, bool keep);
/* Add the cycles of the current launch to run->measure. */
void run_add_measure(struct run *run);
/* Add the cycles to the report on a launch; print them as text. */
json_t *run_report_cycles(struct run *run, json_t *row);
int run_print_cycles(const struct run *run);
/* --config help: the parameters of the GPU in time. */
int run_gputime_list_parameters(void); /* CLI_SHOWN */
/* Their names, for completion; NULL after the last. */
const char *run_gputime_key(size_t index);
/* A cli_set of a struct sam_gputime_config. */
enum sam_status run_set_gputime(void *config, const char *settings, struct sam_error *error);

/* --- machine/ventus_launch.c */
/* Create the machine with the request's options. */
int run_open(struct run *run);
/* The pattern with the number of the launch for each %n; malloc'ed. */
char *run_log_path(const char *pattern, unsigned launch);
/* Launch, log and report. `source` is the file that describes the launch. */
int run_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
               const char *source);
/* Commit the log of all launches. */
int run_close_log(struct run *run);
/* Check, before anything runs, that pokes and dumps only touch mapped memory. */
int run_check_steps(struct run *run);
int run_poke(struct run *run, const struct run_step *step);
/* run_read_memory of a GPU. */
bool run_gpu_read(void *gpu, uint64_t address, void *data, size_t size, struct sam_error *error);

/* --- run/session.c: launches and programs that are opened instead of run */
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
    bool has_until;                        /* --until: where a program ends */
    uint64_t until;
    uint64_t exit_code; /* of a program: set by the driver when it has exited */
    FILE *text;         /* for people */
};

struct run_driver {
    /* Step, run and inspect the session, which the caller opens and closes; messages are printed.
     * Returns CLI_OK: what is left is to run to its end, then what `samite run` does after it;
     * CLI_PROGRAM_FAILED: it has failed, and has been told so; CLI_SHOWN: the user has left, and
     * nothing more is to be done. */
    int (*drive)(void *context, struct run_session *session);
    void *context;
};

/* Open a launch for the driver of the request, and run the rest of it. The code is the driver's;
 * *status and `result` as of sam_gpu_launch, SAM_OK unless the code is CLI_OK. */
int run_drive_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
                     struct sam_gpu_result *result, enum sam_status *status);
/* Open the hart for it. What is left is for sam_hart_run, unless *ended: `result` says how then. */
int run_drive_hart(const struct run_request *request, struct run_session *opened,
                   struct sam_hart_result *result, bool *ended);

/* --- run/arguments.c: arguments of kernels and programs */
enum run_argument_kind { RUN_SCALAR, RUN_BUFFER, RUN_LOCAL };

struct run_argument {
    enum run_argument_kind kind;
    const char *word; /* as written */
    char *text;       /* the same, split: name and path point into it */
    const char *name; /* NULL without */
    bool output;
    const char *path;   /* where an output is written, or NULL */
    const char *input;  /* what its array was read from, or NULL */
    const char *packed; /* the tensor of the packed file `input` that its array is, or NULL */
    struct sam_array array;
    enum sam_dtype dtype; /* of a scalar */
    uint64_t bits;        /* of a scalar, low bytes first */
    size_t size;          /* of a scalar: 4 or 8; of local memory: its bytes */
    uint64_t address;
};

struct run_arguments {
    struct run_argument *items;
    size_t count;
    unsigned registers; /* how many, from a0 on, run_arguments_pass has set */
};

int run_arguments_parse(const struct cli_args *args, const struct cli_list *words,
                        struct run_arguments *out);
/* Take the inputs into their arrays again, as memory has them when the program starts. */
int run_arguments_take(struct run_arguments *arguments, run_read_memory *read, void *context);
/* Read the outputs from the machine into their arrays; a note names each input that differs from
 * its array. Write their files, after the checks. */
int run_arguments_fetch(struct run_arguments *arguments, run_read_memory *read, void *context);
int run_arguments_write(const struct run_arguments *arguments);
void run_arguments_free(struct run_arguments *arguments);
/* Whether an --arg names standard output. */
bool run_arguments_to_stdout(const struct cli_list *words);

/* --- run/place.c: buffers are created and filled; then */
/* the argument buffer of a kernel is made (Ventus manual 2.2; malloc'ed), */
int run_arguments_place(struct run *run, struct run_arguments *arguments, uint8_t **buffer,
                        size_t *size);
/* or registers and stack are set as the C ABI demands; `narrow`: RV32. */
int run_arguments_pass(struct sam_hart *hart, bool narrow, const struct cli_args *args,
                       struct run_arguments *arguments);

/* --- run/check.c: --check OUTPUT=FILE.npy[:TOLERANCE] */
struct run_check {
    char *text;
    const char *path;
    const struct run_argument *argument;
    struct run_tolerance tolerance;
    struct sam_array expected;
};

int run_checks_parse(const struct cli_args *args, const struct cli_list *words,
                     const struct run_arguments *arguments, struct run_check **checks);
/* Compare all; the results go to `text` and, unless it is NULL, to `rows`. CLI_PROGRAM_FAILED when
 * one differs. */
int run_checks_compare(const struct run_check *checks, size_t count, FILE *text, json_t *rows);
void run_checks_free(struct run_check *checks, size_t count);
/* machine/ventus_sanitize.c: before outputs are compared, the findings on bytes of them that
 * nothing has written; they join those of the last launch. */
int run_check_written(struct run *run, const struct run_check *wanted, size_t count);

/* --- machine/ventus_report.c */
/* The report on a launch (NULL: no memory), and the lines of text made from it. */
json_t *run_report(const struct run *run, const struct sam_launch *launch, const char *kernel,
                   const char *source, const struct sam_gpu_result *result);
extern const char run_launch_line[], run_launch_stats[];
/* The counts of struct sam_gpu_stats. */
extern const struct report_field run_gpu_counts[];
/* machine/ventus_places.c: where warps stood when the launch ended early, grouped, one line per
 * place. */
void run_report_places(const struct run *run, const struct sam_launch *launch,
                       const struct sam_gpu_result *result, FILE *out);

#endif
