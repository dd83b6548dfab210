/* SPDX-License-Identifier: Apache-2.0 */
/* A Ventus GPGPU: global memory, programs, launches. The rules come from the Ventus ISA manual
 * v2.02 and docs/ventus-rulings.md.
 *
 *   struct sam_gpu *gpu;
 *   sam_gpu_new(NULL, &gpu, &error);
 *   sam_gpu_load(gpu, image, &error);
 *   sam_gpu_alloc(gpu, bytes, &address, &error);
 *   sam_gpu_write(gpu, address, data, bytes, &error);
 *   sam_gpu_prepare(gpu, image, &(struct sam_kernel){...}, &launch, &error);
 *   if (sam_gpu_launch(gpu, &launch, &result, &error) == SAM_ERR_TRAP) ... result.trap ...
 *   sam_gpu_read(gpu, address, data, bytes, &error);
 *
 * A gpu is used by one thread at a time; two gpus are independent. */
#ifndef SAMITE_GPU_H
#define SAMITE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gputime.h"
#include "image.h"
#include "isa.h"
#include "profile.h"
#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_LDS_BASE    UINT32_C(0x70000000) /* 256 MiB window, private to a workgroup */
#define SAM_LDS_SIZE    UINT32_C(0x10000000)
#define SAM_CODE_BASE   UINT32_C(0x80000000)
#define SAM_BUFFER_BASE UINT32_C(0x90000000)
#define SAM_MAX_LANES   32
#define SAM_MAX_WARPS   1024 /* per workgroup */

enum sam_schedule {
    SAM_SCHEDULE_RUN, /* a warp runs until it waits, ends, or has used its turn */
    SAM_SCHEDULE_RR1, /* one instruction per warp, round robin, as in the public ISA simulator */
};

/* Progress of a launch. */
struct sam_gpu_progress {
    uint64_t done;       /* workgroups that have ended */
    uint64_t workgroups; /* of the launch */
    uint64_t warp_insns; /* so far, rounded down by up to 65,536 per worker */
};

/* A part of the window of local memory. */
struct sam_lds_range {
    uint32_t base, size;
};

/* How launches are timed, and what came of the last one (docs/gpu-time.md). Begin with all of it
 * zero but size. */
struct sam_gpu_timing {
    size_t size;                             /* sizeof of this struct (status.h) */
    const struct sam_gputime_config *config; /* NULL: the first preset */
    /* Registers that a warp has, which limit how many run at a time; 0: those that the
     * launch's image declares for its kernel; undeclared registers limit nothing. */
    uint32_t sgprs, vgprs;
    /* Timelines of a launch when write is not NULL: the warps and units of each SM, in the JSON
     * that ui.perfetto.dev opens; the instructions, for Konata. */
    struct sam_sink perfetto, konata;
    /* The cycles of the launch that ended last: of one that failed, up to there. The next launch
     * frees it; after the last the caller does, with sam_gputime_result_free. */
    struct sam_gputime_result result;
};

struct sam_gpu_options {
    size_t size;                /* sizeof of this struct; 0: as in 0.1 (status.h) */
    unsigned jobs;              /* worker threads, 0 = 1; results do not depend on it. With
                                 * several, one starts with the gpu, all end with it. */
    enum sam_schedule schedule; /* within a workgroup */
    bool loose_bounds;          /* memory outside all buffers reads as zero and can be written */
    bool shared_pds;            /* CSR_PDS = pdsBase for every workgroup (log comparison) */
    bool collect_stats;         /* fill sam_gpu_result.stats beyond the counts; slower */
    bool print_prefix;          /* start each printed line with "[workgroup.warp] " */
    uint64_t max_insns;         /* instructions each warp may run per launch, 0 = no limit */
    unsigned simt_stack_limit;  /* entries, 0 = 65536; hardware has num_thread */
    bool sv39;                  /* translate addresses with the page tables at ptbr */
    uint64_t ptbr;              /* physical address of the root table */
    struct sam_sink log;        /* commit log when write is not NULL; forces one worker */
    struct sam_sink print;      /* the kernel's prints when write is not NULL */
    const volatile int *stop;   /* when not NULL and set to non-zero: stop soon */
    /* When not NULL: called when a workgroup ends and about every 65,536 instructions of each
     * worker, from any worker thread but never concurrently; it must not call into the gpu. */
    void (*progress)(void *context, const struct sam_gpu_progress *progress);
    void *progress_context;
    /* Since 0.2. When the buffer at pds_base holds the private memory of n workgroups only, fewer
     * than the launch has: workgroup w uses part w mod n, which is zeroed before it starts, and
     * workgroups of one part never run at the same time. SAM_ERR_USAGE when n is 0. Under sv39
     * private memory is expected at its own addresses, as in tables of sam_gpu_build_sv39. */
    bool fit_pds;
    uint64_t pds_room; /* of fit_pds: bytes from pds_base to use, 0: to the buffer's end */
    /* Since 0.2. A kernel traps on local memory outside the launch's lds_size bytes from
     * SAM_LDS_BASE and outside `lds_ranges`, an array of the caller's that outlives the launches.
     */
    bool strict_lds;
    const struct sam_lds_range *lds_ranges;
    size_t lds_range_count;
    /* Since 0.2. Not NULL: launches add what each instruction did (profile.h), and so does
     * sam_session_finish, what the session has run since it last did. It outlives them. */
    struct sam_profile *profile;
    /* Since 0.2. Not NULL: launches are checked as they run (sanitize.h), on one worker. It
     * outlives them. Sessions refuse it. */
    struct sam_sanitizer *sanitizer;
    /* Since 0.2. Not NULL: launches are also timed, with one worker; values, prints and traps are
     * those of any launch. It outlives them. SAM_ERR_USAGE: the launch cannot run on the machine
     * that timing->config describes. Sessions refuse it. */
    struct sam_gpu_timing *timing;
    /* Since 0.2. Not NULL: each launch or session leaves there the first load or store of its
     * lowest workgroup that went past the size of a buffer of sam_gpu_alloc_pages, as a fault would
     * be described; kind NONE: there was none. It outlives them. */
    struct sam_trap *past_end;
    /* Since 0.2. Call log.write from a thread of its own while the launch continues, one call at a
     * time and none after it has returned. */
    bool log_apart;
};

struct sam_gpu;

/* A machine with no memory mapped. options may be NULL (all zero). */
SAM_API enum sam_status sam_gpu_new(const struct sam_gpu_options *options, struct sam_gpu **gpu,
                                    struct sam_error *error);
SAM_API void sam_gpu_free(struct sam_gpu *gpu);
/* Replace the options between launches. */
SAM_API enum sam_status sam_gpu_set_options(struct sam_gpu *gpu,
                                            const struct sam_gpu_options *options,
                                            struct sam_error *error);

/* --- memory. Addresses are physical. Bytes never written are zero. */

/* A new buffer of `size` bytes at the lowest free 4 KiB boundary from 0x90000000 that leaves a free
 * page before the next buffer. */
SAM_API enum sam_status sam_gpu_alloc(struct sam_gpu *gpu, uint32_t size, uint32_t *address,
                                      struct sam_error *error);
/* A buffer at a given address. Kernels may access exactly its bytes. Mapping the same buffer twice
 * is fine. SAM_ERR_USAGE: it overlaps another buffer, wraps or touches the LDS window. */
SAM_API enum sam_status sam_gpu_map(struct sam_gpu *gpu, uint32_t address, uint64_t size,
                                    struct sam_error *error);
/* Since 0.2. A buffer of whole 4 KiB pages, as the public driver of Ventus makes it: at *address,
 * or, when that is 0, in the lowest free pages from 0x90000000, with no free page before the next
 * buffer. Kernels may access the bytes from `size` to the end of the last page as well;
 * options.past_end has the first such access. SAM_ERR_USAGE: no room, or an overlap. */
SAM_API enum sam_status sam_gpu_alloc_pages(struct sam_gpu *gpu, uint64_t size, uint32_t *address,
                                            struct sam_error *error);
/* Remove the buffer that begins at `address`: accesses to it fault again, its memory goes back to
 * the host, and its addresses may be handed out anew, as zeros. Since 0.2. SAM_ERR_USAGE: no buffer
 * begins there. */
SAM_API enum sam_status sam_gpu_unmap(struct sam_gpu *gpu, uint32_t address,
                                      struct sam_error *error);
/* Since 0.2. Have each launch keep its first store to the buffer that begins at `address`: that of
 * the lowest workgroup that stores to it. A launch without such a store runs as if it were not
 * asked. SAM_ERR_USAGE: no buffer begins there. */
SAM_API enum sam_status sam_gpu_watch_input(struct sam_gpu *gpu, uint32_t address,
                                            struct sam_error *error);
/* The first store of the last launch, described as a fault would be. Since 0.2. False: there was
 * none, or the buffer is not watched. */
SAM_API bool sam_gpu_stored_input(const struct sam_gpu *gpu, uint32_t address,
                                  struct sam_trap *first);
/* Host access; the bytes must lie in one buffer. A read into NULL only checks that they do. */
SAM_API enum sam_status sam_gpu_write(struct sam_gpu *gpu, uint32_t address, const void *data,
                                      size_t size, struct sam_error *error);
SAM_API enum sam_status sam_gpu_read(struct sam_gpu *gpu, uint32_t address, void *data, size_t size,
                                     struct sam_error *error);
/* The first address in address..end - 1 from which memory may hold anything but zeros, found
 * without reading: blocks of 64 KiB that neither the host nor a kernel has accessed are skipped.
 * `end`: there are only such blocks. Since 0.2. */
SAM_API uint64_t sam_gpu_skip_untouched(const struct sam_gpu *gpu, uint64_t address, uint64_t end);
/* Map (where not yet mapped) and copy every section of a program, also to its load address where
 * that differs; the rest of a section is zeroed. Loading it again sets it back to its
 * start. The image must outlive its launches: reports take symbols from it. */
SAM_API enum sam_status sam_gpu_load(struct sam_gpu *gpu, const struct sam_image *image,
                                     struct sam_error *error);

/* Build SV39 page tables for every buffer that is mapped now: each 4 KiB page at its own address.
 * Pages of the sections of `image` (it may be NULL) are readable, and executable or writable as the
 * sections that share the page are. Other pages are readable and writable, and without an image
 * those below SAM_BUFFER_BASE are executable too. The tables lie above the 32-bit addresses, at
 * *ptbr: launches with options.sv39 and this options.ptbr use them. Call it again after buffers
 * have been mapped or unmapped; the new tables replace the old ones and *ptbr stays the same.
 * docs/ventus-rulings.md 4.7. Since 0.2. */
SAM_API enum sam_status sam_gpu_build_sv39(struct sam_gpu *gpu, const struct sam_image *image,
                                           uint64_t *ptbr, struct sam_error *error);

/* --- launches */

/* A launch as the hardware sees it (Ventus manual 2.3). */
struct sam_launch {
    uint32_t start;                /* first pc of every warp */
    uint32_t metadata;             /* CSR_KNL: address of the 64-byte metadata buffer */
    uint32_t grid[3];              /* workgroups in x, y, z, each >= 1 */
    uint32_t lanes;                /* CSR_NUMT: 4, 8, 16 or 32 */
    uint32_t warps;                /* CSR_NUMW: warps per workgroup, 1..SAM_MAX_WARPS */
    uint32_t lds_size;             /* bytes per workgroup, for options.strict_lds */
    uint32_t pds_size;             /* bytes per thread */
    uint32_t pds_base;             /* address of private memory */
    uint32_t args, args_size;      /* the argument buffer, for reports only; 0, 0: none known */
    const struct sam_image *image; /* symbols for reports, may be NULL */
};

/* A kernel as the programmer sees it. */
struct sam_kernel {
    const char *name;    /* symbol of its first instruction */
    uint32_t grid[3];    /* workgroups, each >= 1 */
    uint32_t block[3];   /* work-items per workgroup, each >= 1 */
    uint32_t lanes;      /* 0 = 32 */
    uint32_t pds_size;   /* bytes per thread, 0 = what the image says, else 1024 */
    const void *args;    /* the argument buffer: pointers 4 bytes, scalars at their own */
    size_t args_size;    /* alignment, at least 4 */
    uint32_t print_size; /* bytes of print buffer to allocate, 0 = none */
};

/* Allocate and fill the metadata, argument, private and print buffers of a kernel (manual 2.2) and
 * describe its launch. `image` is loaded and has start code at its entry that follows manual 2.3.
 * With options.fit_pds, workgroups share private memory where theirs is more than 2^30 bytes in
 * all. SAM_ERR_INPUT when there is no such symbol; SAM_ERR_USAGE for sizes that cannot be launched.
 */
SAM_API enum sam_status sam_gpu_prepare(struct sam_gpu *gpu, const struct sam_image *image,
                                        const struct sam_kernel *kernel, struct sam_launch *launch,
                                        struct sam_error *error);

/* More about a kernel. Since 0.2. */
struct sam_prepare_options {
    size_t size; /* sizeof this struct; 0: as in 0.1 (status.h) */
    /* Work-items in x, y and z, when global[0] is not 0. There are as many workgroups as hold all
     * of them, and kernel->grid is not read. In a workgroup that reaches past `global` only the
     * lanes that have a work-item start (docs/ventus-rulings.md 4.9). */
    uint32_t global[3];
    uint32_t offset[3]; /* global offset, metadata bytes 36 to 44 */
    /* Local memory that the program uses beyond its scalar stacks of 1 KiB per warp, in bytes. 0:
     * as the image's resources declare for the kernel. Both make the launch's lds_size; with
     * neither it is all of the window. */
    uint32_t lds_size;
};
/* sam_gpu_prepare with options, which may be NULL. Since 0.2. */
SAM_API enum sam_status sam_gpu_prepare_with(struct sam_gpu *gpu, const struct sam_image *image,
                                             const struct sam_kernel *kernel,
                                             const struct sam_prepare_options *options,
                                             struct sam_launch *launch, struct sam_error *error);

enum sam_trap_kind {
    SAM_TRAP_NONE,
    SAM_TRAP_ILLEGAL, /* tval = the word */
    SAM_TRAP_FETCH,   /* tval = the pc */
    SAM_TRAP_FETCH_MISALIGNED,
    SAM_TRAP_LOAD_MISALIGNED, /* tval = the address, lane = the lowest lane that has it */
    SAM_TRAP_STORE_MISALIGNED,
    SAM_TRAP_LOAD_FAULT,
    SAM_TRAP_STORE_FAULT,
    SAM_TRAP_FETCH_PAGE, /* SV39 */
    SAM_TRAP_LOAD_PAGE,
    SAM_TRAP_STORE_PAGE,
    SAM_TRAP_PRIVATE_RANGE,    /* private address >= pdsSize; tval = it */
    SAM_TRAP_STACK_OVERFLOW,   /* SIMT stack */
    SAM_TRAP_ENDPRG_DIVERGED,  /* endprg under a partial mask or a non-empty SIMT stack */
    SAM_TRAP_BARRIER_DIVERGED, /* barrier reached by some lanes only */
    SAM_TRAP_DEADLOCK,         /* every warp that has not ended is waiting */
    SAM_TRAP_BUDGET,           /* max_insns */
    SAM_TRAP_PRINT_FULL,       /* the print buffer's index is past its end */
    SAM_TRAP_SPIN, /* in a system: every warp that is not at a barrier polls memory that nothing
                      changes */
};

struct sam_trap {
    enum sam_trap_kind kind;
    uint32_t workgroup; /* linear id, x fastest */
    uint32_t group[3];
    uint32_t warp;
    uint32_t lane;  /* the lane that failed, or UINT32_MAX */
    uint32_t lanes; /* mask of active lanes */
    uint32_t pc;
    uint32_t word; /* instruction at pc, 0 when it cannot be fetched */
    uint64_t tval;
};

/* One line: what, workgroup, warp, lanes, pc with symbol, disassembly. */
SAM_API void sam_trap_describe(const struct sam_trap *trap, const struct sam_image *image,
                               char *text, size_t size);

/* Counts of one launch. Those under "collected" are filled only with collect_stats. */
struct sam_branch_stats {
    uint32_t pc;
    uint32_t word;
    uint64_t executed;
    uint64_t diverged;
};

struct sam_mix_row {
    const char *mnemonic;
    uint64_t warp_insns;
};

struct sam_gpu_stats {
    uint64_t warp_insns;
    double seconds; /* wall time of the launch */
    uint64_t workgroups;
    uint64_t warps;
    /* collected */
    uint64_t scalar_insns;
    uint64_t vector_insns;
    uint64_t lane_insns;      /* scalar instructions count 1, vector ones their active lanes */
    uint64_t vector_lanes;    /* active lanes of vector instructions */
    uint64_t vector_slots;    /* lanes of vector instructions, active or not */
    uint64_t barriers;        /* warps that arrived */
    uint64_t memory_insns;    /* warp instructions that access memory */
    uint64_t memory_accesses; /* elements they accessed */
    uint64_t lines;           /* distinct 64-byte lines, summed over global-memory instructions */
    uint64_t global_insns;
    uint64_t lds_insns;
    uint64_t lds_conflicts;            /* passes of local memory beyond the first of each access */
    uint64_t simt_depth;               /* deepest SIMT stack */
    struct sam_branch_stats *branches; /* by pc */
    size_t branch_count;
    struct sam_mix_row *mix; /* in descending order of count */
    size_t mix_count;
};

/* Add the counts of a launch to those of others; simt_depth becomes the larger one. Since 0.2.
 * SAM_ERR_MEMORY: `total` is incomplete. Its arrays are freed like a result's. */
SAM_API enum sam_status sam_gpu_stats_add(struct sam_gpu_stats *total,
                                          const struct sam_gpu_stats *more,
                                          struct sam_error *error);
/* The location of a warp when its launch ended early. */
struct sam_warp_place {
    uint32_t workgroup; /* linear id, x fastest */
    uint32_t warp;
    uint32_t pc; /* of the barrier it waits at, or of its next instruction */
    bool waits;
};

struct sam_gpu_result {
    struct sam_trap trap; /* kind NONE after success */
    struct sam_gpu_stats stats;
    /* The warps that have not ended, ordered by workgroup and warp: those of the failed workgroup
     * after a deadlock, of every running workgroup after a stop; none otherwise. */
    struct sam_warp_place *places;
    size_t place_count;
};

/* Whether the launch is one that sam_gpu_launch runs. SAM_ERR_USAGE: its numbers of lanes, warps or
 * workgroups are out of range, fit_pds finds too little room, or the launch does not fit the
 * machine of options.timing. Since 0.2. */
SAM_API enum sam_status sam_gpu_check_launch(struct sam_gpu *gpu, const struct sam_launch *launch,
                                             struct sam_error *error);
/* The kernel that a launch starts: the symbol of launch->image at the entry that the metadata
 * buffer names (manual 2.2). NULL when there is none. Since 0.2. */
SAM_API const struct sam_symbol *sam_gpu_find_kernel(struct sam_gpu *gpu,
                                                     const struct sam_launch *launch);

/* Run a launch to its end. SAM_ERR_TRAP: the program failed: result->trap says how, and error holds
 * its description (when several workgroups fail, those of the lowest one). result may be NULL; free
 * it with sam_gpu_result_free. */
SAM_API enum sam_status sam_gpu_launch(struct sam_gpu *gpu, const struct sam_launch *launch,
                                       struct sam_gpu_result *result, struct sam_error *error);
SAM_API void sam_gpu_result_free(struct sam_gpu_result *result);

/* Assembly source of the start code of manual 2.3 (`_start` at the entry), to be placed before a
 * program that has none. */
SAM_API const char *sam_gpu_start_code(void);

#ifdef __cplusplus
}
#endif
#endif
