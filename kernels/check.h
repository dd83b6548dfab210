/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the kernels in this folder: each runs a kernel on inputs from a fixed seed and compares
 * the results in memory with plain C. */
#ifndef SAMITE_KERNELS_CHECK_H
#define SAMITE_KERNELS_CHECK_H

#include <samite/samite.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options of a kernel's run. Zero means the kernel's default. */
struct check_config {
    uint32_t size;           /* in the unit given by the kernel's table row */
    uint32_t lanes;          /* per warp: 4, 8, 16 or 32 */
    uint32_t block;          /* work-items per workgroup; tiled kernels use the largest square up to
                                it */
    unsigned jobs;           /* worker threads */
    uint64_t max_insns;      /* per warp and launch, 0 = no limit */
    const char *dir;         /* folder of the .s files */
    bool opencl;             /* opencl/NAME.cl, the OpenCL C version, instead of NAME.s */
    struct sam_image *image; /* not NULL: run this image of the caller instead of a .s file */
    /* Replaces sam_gpu_launch, if not NULL. */
    enum sam_status (*launch)(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                              struct sam_gpu_result *result, struct sam_error *error);
    void *context;
    struct sam_profile *profile;     /* not NULL: profile the launches */
    bool stepped;                    /* run instruction by instruction */
    struct sam_sanitizer *sanitizer; /* not NULL: checks the launches */
    /* Called at the end, if not NULL and the kernel has been assembled. */
    void (*look)(void *context, const struct sam_image *image);
};

/* The outcome. */
struct check_report {
    uint32_t size;
    uint32_t grid[3]; /* of the first launch */
    uint32_t block[3];
    unsigned launches;
    uint64_t warp_insns;
    double seconds;     /* wall time of the launches */
    double max_error;   /* ulp; 0 if results must be bit-identical */
    double max_allowed; /* ulp */
    uint64_t digest;    /* of all data read back: equal runs have equal digests */
    bool pass;
    char failure[256]; /* the first wrong element, when not `pass` */
};

struct check;

struct kernel_check {
    const char *name;      /* <name>.s */
    const char *size_unit; /* what `size` counts */
    uint32_t default_size;
    uint32_t max_size;
    uint32_t default_block;
    void (*run)(struct check *check);
    bool opencl; /* there is opencl/<name>.cl as well */
};

extern const struct kernel_check kernel_checks[];
extern const size_t kernel_check_count;

const struct kernel_check *kernel_check_find(const char *name);

/* SAM_OK: the kernel ran, report->pass says whether its results are correct. Otherwise `error`
 * is the reason, including traps (SAM_ERR_TRAP). */
enum sam_status kernel_check_run(const struct kernel_check *kernel,
                                 const struct check_config *config, struct check_report *report,
                                 struct sam_error *error);

/* --- For the checks themselves. After a failure every call does nothing, so that a check needs
 * no error handling; kernel_check_run reports the failure. */
struct check {
    const struct kernel_check *kernel;
    struct check_config config; /* complete: defaults filled in */
    struct check_report *report;
    struct sam_gpu *gpu;
    struct sam_image *image;
    uint32_t pds_size; /* bytes of private memory per work-item, 4 unless set */
    uint64_t random;
    void **arrays; /* host memory, freed at the end */
    size_t array_count;
    unsigned buffers; /* declared to the sanitizer */
    enum sam_status status;
    struct sam_error *error;
};

/* Host memory, zeroed, that lives as long as the check: `count` words. Never NULL. */
void *check_words(struct check *check, size_t count);
/* The same for doubles. */
double *check_doubles(struct check *check, size_t count);

uint32_t check_random(struct check *check);
/* Uniform in [-1, 1), a multiple of 2^-23. */
float check_random_float(struct check *check);
/* `count` words of these. */
uint32_t *check_random_words(struct check *check, size_t count);
float *check_random_floats(struct check *check, size_t count);

/* A random graph of n vertices: the edges of vertex v are col[row[v]] up to, not including,
 * col[row[v + 1]]. `row` has room for n + 1 words and `col` for CHECK_EDGES(n); returns the
 * number of edges. */
#define CHECK_EDGES(n) ((size_t)(n)*6 + (size_t)(n)*40 / 64 + 48)
uint32_t check_graph(struct check *check, uint32_t n, uint32_t *row, uint32_t *col);
/* The distance of each vertex from the first, in edges; UINT32_MAX: not reachable. */
void check_search(struct check *check, const uint32_t *row, const uint32_t *col, uint32_t n,
                  uint32_t *distance);

/* A device buffer of `count` words, a copy of `words`; with NULL an output, which the kernel
 * must write before it is read. Returns its address. */
uint32_t check_buffer(struct check *check, const void *words, size_t count);
void check_write(struct check *check, uint32_t address, const void *words, size_t count);
/* Read back, updating the digest. */
void check_read(struct check *check, uint32_t address, void *words, size_t count);

/* Launch `name` with grid and block of {x, y} and an argument buffer of words. */
void check_launch(struct check *check, const char *name, const uint32_t grid[2],
                  const uint32_t block[2], const uint32_t *args, size_t arg_count);
/* One dimension: enough workgroups of config.block for `items`, at most `max_groups`. */
void check_launch_items(struct check *check, const char *name, uint32_t items, uint32_t max_groups,
                        const uint32_t *args, size_t arg_count);

/* Compare the results word by word. */
void check_equal(struct check *check, const char *what, const void *got, const void *want,
                 size_t count);
/* Compare the results with exact ones: at most `allowed` ulp apart. */
void check_close(struct check *check, const char *what, const float *got, const double *want,
                 size_t count, double allowed);

uint32_t check_ceil_div(uint32_t a, uint32_t b);
/* Side of the largest square of at most config.block work-items. */
uint32_t check_tile(const struct check *check);
uint32_t check_float_bits(float value);

/* The kernels, one function each: check_linear.c, check_matrix.c, check_fold.c, check_flow.c. */
void check_vecadd(struct check *check);
void check_saxpy(struct check *check);
void check_matadd(struct check *check);
void check_transpose(struct check *check);
void check_sgemm(struct check *check);
void check_sgemm_rows(struct check *check);
void check_vftta(struct check *check);
void check_reduce(struct check *check);
void check_scan(struct check *check);
void check_softmax(struct check *check);
void check_histogram(struct check *check);
void check_bfs(struct check *check);
void check_diverge(struct check *check);
void check_spill(struct check *check);

#endif
