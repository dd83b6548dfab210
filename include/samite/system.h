/* SPDX-License-Identifier: Apache-2.0 */
/* A system: a tensor hart, a Ventus GPU and a weight unit on one memory, put together by control
 * registers and queues. docs/system-rulings.md has its rules, device/layout.def its memory map, the
 * control registers and the records.
 *
 *   sam_system_new(&options, &system, &error);
 *   sam_system_load_gpu(system, kernels, &error);
 *   sam_system_load(system, program, &error);
 *   sam_hart_set_x(sam_system_hart(system), 10, 0x90000000);
 *   sam_system_run(system, &result, &error);
 *   sam_system_read(system, 0x90000000, data, bytes, &error);
 *
 * Launches and weight records take effect when the program submits them. A system is used by one
 * thread at a time; two systems are independent. Since 0.2. */
#ifndef SAMITE_SYSTEM_H
#define SAMITE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu.h"
#include "hart.h"
#include "image.h"
#include "status.h"
#include "system_race.h"
#include "system_time.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_SYSTEM_CODE_BASE UINT64_C(0x40000000) /* of the hart's program */

/* The effect of a trap in a kernel. */
enum sam_system_gpu_traps {
    SAM_SYSTEM_TRAPS_END,    /* the run fails, with the report of the trap */
    SAM_SYSTEM_TRAPS_REPORT, /* the queue's STATUS reports it, and the program continues */
};

struct sam_system;

/* A launch that has ended. */
struct sam_system_launch {
    uint64_t number; /* from 0, in the order of submission */
    uint32_t record; /* its address */
    const struct sam_launch *launch;
    const char *kernel; /* symbol at the entry that the metadata names, or NULL */
    const struct sam_gpu_result *result;
};

/* A weight record that has ended. */
struct sam_system_weight {
    uint64_t number;   /* from 0, in the order of submission */
    uint32_t record;   /* its address */
    uint32_t status;   /* of its result (device/layout.def); 0: done */
    const char *fault; /* why the status is not 0, in words; otherwise "" */
};

struct sam_system_options {
    size_t size; /* sizeof of this struct (status.h) */
    /* The hart's, NULL: all zero; copied. Without an isa it is
     * rv64ima_zicsr_zfinx_xtensorload_xmatrix. l1m and l0m must be zero: TensorLoad is not strict
     * in a system. */
    const struct sam_hart_options *hart;
    /* The GPU's, NULL: all zero; copied. SAM_ERR_USAGE with sv39, loose_bounds or a sanitizer. Its
     * max_insns holds for each warp of each launch. */
    const struct sam_gpu_options *gpu;
    uint64_t l1m_size, l0m_size; /* bytes of the on-chip memories, multiples of 4 KiB: up to 128 MiB
                                    and 640 MiB; 0: 1 MiB */
    uint64_t heap_size; /* bytes that are mapped after the program, a multiple of 4 KiB; 0: 16 MiB
                         */
    unsigned sms; /* SMs of the GPU, for its identity: 1 to 64; 0: those of `timing`, else 2 */
    enum sam_system_gpu_traps gpu_traps;
    /* When not NULL: called after each launch, on the thread of sam_system_run; it must not change
     * the system. */
    void (*launched)(void *context, const struct sam_system_launch *launch);
    void *launched_context;
    void (*weight_ended)(void *context, const struct sam_system_weight *weight); /* the same */
    void *weight_ended_context;
    bool check_races; /* find races (system_race.h); slower, and the GPU runs on one thread */
    /* Not NULL: count cycles (system_time.h). It replaces `engines` and `cycles` of the hart's
     * options, and the GPU's must have no `timing`. Slower. */
    const struct sam_system_timing *timing;
};

/* Ends of a run. */
enum sam_system_end {
    SAM_SYSTEM_END_HART, /* see result->hart: the program exited, failed, was stopped, ... */
    SAM_SYSTEM_END_TRAP, /* a kernel trapped, under SAM_SYSTEM_TRAPS_END */
    SAM_SYSTEM_END_HOST, /* the host failed: no memory, or a sink refused */
};

struct sam_system_result {
    enum sam_system_end end;
    struct sam_hart_result hart; /* where the hart was */
    /* The first launch of the system that trapped, whatever the end; its trap.kind is NONE when
     * there was none. */
    struct sam_trap trap;
    uint64_t trapped_launch;
};

/* Counts since the system was created. */
struct sam_system_stats {
    uint64_t launches;                        /* submitted to the GPU */
    uint64_t failed_launches;                 /* that trapped */
    uint64_t weight_records;                  /* submitted to the weight unit */
    uint64_t failed_records;                  /* that have a status */
    uint64_t register_loads, register_stores; /* of control registers */
    uint64_t console_bytes;                   /* by the console register */
};

/* A system without programs; of memory only L1M and L0M are mapped. options may be NULL (all zero).
 * SAM_ERR_USAGE: those of sam_hart_new and sam_gpu_new, or a size that the memory map has no room
 * for. */
SAM_API enum sam_status sam_system_new(const struct sam_system_options *options,
                                       struct sam_system **system, struct sam_error *error);
SAM_API void sam_system_free(struct sam_system *system);

/* The parts, which belong to the system: registers, traces and statistics of the hart; state of the
 * GPU's memory. Only sam_system_run runs them. */
SAM_API struct sam_hart *sam_system_hart(struct sam_system *system);
SAM_API struct sam_gpu *sam_system_gpu(struct sam_system *system);

/* Memory: bytes that are mapped, in 32-bit addresses; newly mapped bytes are zero. A buffer has
 * exactly the bytes asked for, whatever is next to it. SAM_ERR_USAGE: past the address space, over
 * a part of another buffer, in the window of local memory or in the control registers; not mapped,
 * or not in one buffer. A read into NULL only checks that the bytes are there. */
SAM_API enum sam_status sam_system_map(struct sam_system *system, uint64_t base, uint64_t size,
                                       struct sam_error *error);
/* Map `size` bytes (0 counts as 1) at the first free 4 KiB boundary from 0x90000000 on that has an
 * unmapped page on either side. */
SAM_API enum sam_status sam_system_alloc(struct sam_system *system, uint64_t size,
                                         uint64_t *address, struct sam_error *error);
SAM_API enum sam_status sam_system_write(struct sam_system *system, uint64_t address,
                                         const void *data, size_t size, struct sam_error *error);
SAM_API enum sam_status sam_system_read(struct sam_system *system, uint64_t address, void *data,
                                        size_t size, struct sam_error *error);

/* Load the hart's program: its sections in whole 4 KiB pages, the heap after it, and its stack at
 * 0x6ff00000-0x6fffffff; set pc and sp. The image must outlive the runs. SAM_ERR_INPUT: a program
 * for the other XLEN, or with a section above 4 GiB. */
SAM_API enum sam_status sam_system_load(struct sam_system *system, const struct sam_image *image,
                                        struct sam_error *error);
/* Load a program of the GPU, at its addresses. Several may be loaded. The image must outlive the
 * runs: reports take symbols from it. Where the hart's program has a symbol gpu_NAME (an object of
 * at least 4 bytes in its data or read-only data), that word is set to the address of the GPU's
 * symbol NAME, whichever is loaded first: so programs find start code (_start) and kernels.
 * SAM_ERR_INPUT: not a 32-bit program; a section that overlaps memory that is mapped already, or
 * lies above 4 GiB; gpu_NAME in memory that start code clears (.bss). */
SAM_API enum sam_status sam_system_load_gpu(struct sam_system *system,
                                            const struct sam_image *image, struct sam_error *error);

/* Forget the programs, so that others can be loaded elsewhere; their images need not live on.
 * Memory stays as it is. */
SAM_API void sam_system_unload(struct sam_system *system);

/* Map a packed file (sam_pack), of `size` bytes, and write a directory of its tensors after it
 * (samite/device/layout.def), whose address is in a1 at the start of a program and in a control
 * register. `address` is a multiple of 64, or 0: in the first free buffer. SAM_ERR_INPUT: not a
 * packed file, or a damaged one; SAM_ERR_USAGE: no room there, or a second file. */
SAM_API enum sam_status sam_system_load_weights(struct sam_system *system, const void *data,
                                                size_t size, uint64_t address,
                                                struct sam_error *error);

/* Run the hart's program until it ends (enum sam_hart_end) or a kernel does. SAM_OK for exit,
 * ebreak and until. SAM_ERR_TRAP: the program or a kernel failed, or used up its budget; error
 * holds one line that says so. SAM_ERR_STOPPED after a stop. The result, which may be NULL, is
 * filled in each case. A run may be continued by another, unless a kernel ended it. */
SAM_API enum sam_status sam_system_run(struct sam_system *system, struct sam_system_result *result,
                                       struct sam_error *error);
SAM_API const struct sam_system_stats *sam_system_stats(const struct sam_system *system);
/* With options.check_races: the races found so far, in order of finding: *count races, at most
 * 1,000; *dropped, which may be NULL, counts the others. They are valid until the next run. A race
 * does not end a run. A run whose check ran out of memory fails with SAM_ERR_TRAP at its end. */
SAM_API const struct sam_system_race *sam_system_races(const struct sam_system *system,
                                                       size_t *count, uint64_t *dropped);
/* The races as text, at most `top` (0: 20), to be freed with sam_text_free; empty without races. */
SAM_API enum sam_status sam_system_print_races(const struct sam_system *system, unsigned top,
                                               char **text, struct sam_error *error);
/* The counts of all launches together, as sam_gpu_result.stats. */
SAM_API const struct sam_gpu_stats *sam_system_gpu_stats(const struct sam_system *system);

#ifdef __cplusplus
}
#endif
#endif
