/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on a Ventus GPGPU: ventus.c has the options and the run, ventus_metadata.c and
 * ventus_kernel.c are the two forms of a launch. */
#ifndef VENTUS_H
#define VENTUS_H

#include "run/run.h"

/* The options of a Ventus GPGPU only. */
struct gpu_request {
    struct sam_gpu_options options;
    const char *kernel, *elf, *profile, *findings;
    unsigned sanitize; /* SAM_SANITIZE_* */
    uint32_t grid[3], block[3], global[3], offset[3];
    uint32_t lanes, pds_size, lds_size, print_size;
    bool sv39;   /* build the tables */
    bool cycles; /* model the timing of the GPU, */
    struct sam_gputime_config config;
    const char *files[RUN_OUTPUTS]; /* of the timelines: files, "-", NULL */
    struct {
        struct sam_lds_range *items;
        size_t count;
    } lds_ranges;
};

/* Of struct gpu_request: the description of launches, the rest; those of ventus_cycles.c. */
extern const struct cli_option ventus_launch_rows[], ventus_rows[], ventus_cycles_rows[];

/* The figures of a timed run, summed over its launches. */
struct ventus_measure {
    uint64_t cycles, insns;
    uint64_t sm[SAM_GPUTIME_REASONS], slots[SAM_GPUTIME_REASONS]; /* of all of them */
    uint64_t units[SAM_GPUTIME_UNITS][SAM_GPUTIME_REASONS];       /* of all SMs */
    uint64_t l1_requests, l1_hits, l2_requests, l2_hits, dram_bytes;
};

/* The two files of a recorded launch. */
struct ventus_pair {
    struct sam_metadata metadata;
    uint32_t *words;
};

struct ventus {
    struct gpu_request *asked;
    struct sam_gpu *gpu;
    struct sam_sanitizer *sanitizer; /* NULL: not requested */
    json_t *findings;                /* of all launches, with --findings */
    bool found;                      /* it has findings */
    uint64_t ptbr;                   /* of --sv39 */
    uint64_t pds_room;               /* bytes of the buffer at pdsBaseAddr; 0: there is none */
    unsigned launches;
    struct sam_gpu_timing timing;        /* of the current launch, with --cycles */
    struct ventus_measure measure;       /* with --cycles, of all launches */
    const struct sam_metadata *metadata; /* of a recorded launch, for reports; or NULL */
    json_t *json_launches;               /* NULL without --json */
    struct ventus_pair *pairs;
    size_t pair_count;
};

/* Returns whether the launch is described on the command line; a source in OpenCL C is searched for
 * a kernel that is not named. */
bool ventus_launches_kernel(const struct run_request *request, const struct gpu_request *gpu);
/* The two forms: the machine before the first launch; the launches. */
int ventus_open_kernel(struct run *run);
int ventus_run_kernel(struct run *run);
int ventus_open_pairs(struct run *run);
int ventus_run_pairs(struct run *run);
void ventus_close_pairs(struct ventus *ventus);

/* --- ventus_launch.c */
/* Create the machine with the request's options. */
int ventus_create(struct run *run);
/* The pattern with the number of the launch for each %n; malloc'ed. */
char *ventus_numbered(const char *pattern, unsigned launch);
/* Launch, log and report. `source` is the file that describes the launch. */
int ventus_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
                  const char *source);
/* Check, before anything runs, that pokes and dumps access mapped memory only. */
int ventus_check_steps(struct run *run);
int ventus_poke(struct run *run, const struct run_step *step);

/* --- ventus_cycles.c: --cycles */
void ventus_defaults(struct gpu_request *gpu);
/* Register an output file; one per launch if its name has %n. */
int ventus_name_numbered(const struct run_request *request, const char *pattern, size_t launches);
/* Check the configuration, and register the timelines of `launches` launches. */
int ventus_check_cycles(const struct run_request *request, struct gpu_request *gpu,
                        size_t launches);
/* Note a workgroup that exceeds every SM of the model, in any configuration. */
void ventus_note_large(const struct sam_launch *launch);
/* Open the timelines of the next launch; close them and `keep` them or not. */
int ventus_open_timelines(struct run *run);
int ventus_close_timelines(struct run *run, bool keep);
/* Add the cycles of the current launch to the measure. */
void ventus_add_measure(struct ventus *ventus);
/* Add the cycles to the report on a launch; print them as text. */
json_t *ventus_report_cycles(struct run *run, json_t *row);
int ventus_print_cycles(const struct run *run);
/* The parameters of the GPU in time, of a struct sam_gputime_config. */
extern const struct cli_settings ventus_settings;

/* --- ventus_sanitize.c: --sanitize */
/* For CLI_PARSE: SAM_SANITIZE_* from a list of names; all without a list. */
cli_parse ventus_parse_sanitize;
int ventus_open_sanitizer(struct run *run);
/* Name a buffer for reports; the bytes of an output are initially undefined. */
int ventus_name_buffer(struct run *run, uint64_t base, uint64_t size, const char *name,
                       bool output);
/* Add the findings, which are kept, to the report on a launch. */
json_t *ventus_report_findings(const struct run *run, json_t *launch);
/* Print and clear them. */
int ventus_print_findings(struct run *run);
/* ventus_findings.c: the page of --findings. */
int ventus_write_findings(struct run *run);
/* Before outputs are compared: findings on output bytes that were never written; they join those
 * of the last launch. */
int ventus_check_written(struct run *run);

/* --- ventus_report.c */
/* The report on a launch (NULL on out-of-memory), and the lines of text made from it. */
json_t *ventus_report(const struct run *run, const struct sam_launch *launch, const char *kernel,
                      const char *source, const struct sam_gpu_result *result);
extern const char ventus_launch_line[], ventus_launch_stats[];
/* The counts of struct sam_gpu_stats. */
extern const struct report_field ventus_counts[];
/* Locations of warps when the launch ended early, grouped, one line each. */
void ventus_report_places(const struct run *run, const struct sam_launch *launch,
                          const struct sam_gpu_result *result, FILE *out);

#endif
