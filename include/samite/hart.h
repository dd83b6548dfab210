/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor hart: an RV32 or RV64 scalar core with the TensorLoad unit (and others, depending on
 * its ISA) and a flat memory. Sources: the TensorLoad manual and docs/tensorload-rulings.md.
 *
 *   sam_hart_new(&options, &hart, &error);
 *   sam_hart_load(hart, image, &error);
 *   sam_hart_set_x(hart, 10, 0x1000);
 *   sam_hart_run(hart, &result, &error);
 *   sam_hart_read(hart, address, data, bytes, &error);
 *
 * A hart is used by one thread at a time; two harts are independent. */
#ifndef SAMITE_HART_H
#define SAMITE_HART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "energy.h"
#include "engines.h"
#include "hostio.h"
#include "image.h"
#include "isa.h"
#include "mxu.h"
#include "profile.h"
#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_HART_CODE_BASE   UINT64_C(0x80000000)
#define SAM_HART_STACK_TOP   UINT64_C(0x80000000) /* sp at the start of a program; grows down */
#define SAM_HART_STACK_SIZE  UINT64_C(0x100000)
#define SAM_HART_BUFFER_BASE UINT64_C(0x90000000) /* sam_hart_alloc searches from here */

/* Progress of a run. */
struct sam_hart_progress {
    uint64_t instructions; /* of this run */
    uint64_t limit;        /* max_insns; 0: none */
    uint64_t pc;
};

struct sam_hart_options {
    size_t size;             /* sizeof of this struct; 0: as in 0.1 (status.h) */
    struct sam_isa isa;      /* xlen 0: rv64im_zicsr_zfinx_xtensorload. RV32 or RV64 with M; Zicsr
                                is always present; A, Zfinx and the units are optional; no
                                vectors */
    unsigned mlen;           /* bits of a row of the matrix unit: 128, 256 or 512; 0: 512 */
    bool fp_tree;            /* the matrix unit sums as a tree instead of one by one */
    uint64_t max_insns;      /* per run, 0 = no limit */
    uint64_t l1m[2], l0m[2]; /* base and size: strict mode, loads of the TensorLoad unit read L1M
                                only and its stores write L0M only; size 0: one flat space */
    bool ebreak_traps;       /* ebreak is an exception that goes to the program's handler; otherwise
                                it ends the run (SAM_HART_EBREAK) */
    bool collect_stats;      /* fill sam_hart_stats; slower */
    struct sam_sink trace;   /* one line per instruction when write is not NULL; slower */
    const struct sam_engines_config *engines; /* not NULL: run the cycle model of the engines
                                                 (engines.h); copied; slower */
    struct sam_engines_watch watch;           /* with engines: notified of what they do */
    struct sam_sink timeline; /* with engines: the same as a Chrome JSON trace when write is not
                                 NULL, one cycle shown as 1 us; sam_hart_end_timeline ends it */
    const struct sam_mxu_config *cycles; /* not NULL: also run the cycle model of the matrix unit;
                                            slower. Its mlen replaces `mlen`; `timeline` includes
                                            it */
    /* with cycles, each when its write is not NULL; sam_hart_end_traces ends all three */
    struct sam_sink konata;   /* a Kanata 0004 log of its uops */
    struct sam_sink vcd;      /* its bus as a waveform */
    struct sam_sink bus;      /* the bus as text, one line per handshake */
    const volatile int *stop; /* when not NULL and set to non-zero: stop soon */
    /* When not NULL: called about every 65,536 instructions of sam_hart_run, on its thread; it must
     * not change the hart. Since 0.2. */
    void (*progress)(void *context, const struct sam_hart_progress *progress);
    void *progress_context;
    /* Answers the program's calls (hostio.h); must outlive the hart. NULL: a semihosting call is a
     * failure, an ecall other than exit an exception. Since 0.2. */
    struct sam_hostio *hostio;
    /* Since 0.2. Not NULL: counts per instruction are added by the end of each run (profile.h),
     * with the cycles of the matrix unit's model, or without it those of the engines'. It outlives
     * the hart; slower. */
    struct sam_profile *profile;
    /* Since 0.2. Set of matrix registers that may be md of a product; unless it holds all eight,
     * they may not be its ms1 or ms2. 0: all eight. */
    uint32_t acc_regs;
};
/* Such a set as text, "0:4" or "all". SAM_ERR_USAGE: another text. Since 0.2. */
SAM_API enum sam_status sam_hart_parse_acc_regs(const char *text, uint32_t *set,
                                                struct sam_error *error);

/* Instruction classes; their counts add up to `instructions`. */
enum sam_hart_class {
    SAM_HART_ALU,    /* integer arithmetic */
    SAM_HART_MULDIV, /* M */
    SAM_HART_BRANCH,
    SAM_HART_JUMP,
    SAM_HART_LOAD,
    SAM_HART_STORE,
    SAM_HART_ATOMIC,
    SAM_HART_FLOAT,
    SAM_HART_CSR,
    SAM_HART_SYSTEM, /* fences, mret, wfi */
    SAM_HART_TL_LOAD,
    SAM_HART_TL_STORE,
    SAM_HART_TL_ADDI,
    SAM_HART_TL_CONCAT,
    SAM_HART_TL_MERGE,
    SAM_HART_TL_XPOSE,
    SAM_HART_M_LOAD,
    SAM_HART_M_STORE,
    SAM_HART_M_MMA,
    SAM_HART_M_POINTWISE, /* including mmov */
    SAM_HART_M_CONFIG,
    SAM_HART_OTHER,
    SAM_HART_CLASSES
};

struct sam_hart_stats {
    uint64_t instructions;
    uint64_t classes[SAM_HART_CLASSES];
    uint64_t tl_bytes_loaded, tl_bytes_stored; /* by the TensorLoad unit */
    uint64_t m_bytes_loaded, m_bytes_stored;   /* by the matrix unit */
    uint64_t m_macs;                           /* its multiply-accumulates */
    uint64_t traps;                            /* taken by the program's handler */
};

struct sam_hart;

/* Reasons for the end of a run. */
enum sam_hart_end {
    SAM_HART_EXIT,   /* exit by ecall (a7 = 93, code in a0), by an odd value stored to the program's
                        symbol `tohost` (code = value >> 1), or by semihosting */
    SAM_HART_EBREAK, /* ebreak; pc is its address, `text` names it */
    SAM_HART_UNTIL,  /* pc reached sam_hart_set_until's address */
    SAM_HART_TRAP,   /* the program failed: cause, tval, and `text` for people */
    SAM_HART_BUDGET, /* max_insns used up */
    SAM_HART_STOPPED,
    SAM_HART_STEPPED,  /* by sam_hart_step only */
    SAM_HART_DEADLOCK, /* in a system: the program waits for a control register that will not
                          change; `text` names it */
};

struct sam_hart_result {
    enum sam_hart_end end;
    uint64_t exit_code;
    uint64_t instructions; /* of this run; an instruction that traps is not counted */
    uint64_t pc;
    unsigned cause; /* RISC-V cause, for SAM_HART_TRAP and SAM_HART_EBREAK */
    uint64_t tval;
    uint32_t word;  /* of the instruction that failed */
    char text[512]; /* one line: cause, pc, symbol, instruction; after a stop or a used-up budget,
                       the place */
};

/* "load_bytes=32,mpara=4": change parameters of the engines (samite/engines.h), of the matrix unit
 * (samite/mxu.h) and, in engines->energy, of the energy (samite/energy.h). Constraints between
 * parameters are not checked yet. SAM_ERR_USAGE: a bad value, or an unknown name; the error
 * suggests the nearest one. */
SAM_API enum sam_status sam_hart_configure(const char *text, struct sam_engines_config *engines,
                                           struct sam_mxu_config *mxu, struct sam_error *error);

/* A hart with nothing mapped but L1M and L0M. options may be NULL (all zero). SAM_ERR_USAGE: an ISA
 * that the tensor hart does not implement, or an unsupported mlen. */
SAM_API enum sam_status sam_hart_new(const struct sam_hart_options *options, struct sam_hart **hart,
                                     struct sam_error *error);
SAM_API void sam_hart_free(struct sam_hart *hart);

/* Memory: programs and the host can access mapped bytes only; newly mapped bytes are zero. Overlaps
 * are merged. SAM_ERR_USAGE: past the address space, or not mapped. A read into NULL only checks
 * that the bytes are mapped. */
SAM_API enum sam_status sam_hart_map(struct sam_hart *hart, uint64_t base, uint64_t size,
                                     struct sam_error *error);
/* Map `size` bytes (0 counts as 1) at a free 4 KiB boundary from SAM_HART_BUFFER_BASE on, with at
 * least one unmapped page on either side. SAM_ERR_USAGE: no room. */
SAM_API enum sam_status sam_hart_alloc(struct sam_hart *hart, uint64_t size, uint64_t *address,
                                       struct sam_error *error);
SAM_API enum sam_status sam_hart_write(struct sam_hart *hart, uint64_t address, const void *data,
                                       size_t size, struct sam_error *error);
SAM_API enum sam_status sam_hart_read(struct sam_hart *hart, uint64_t address, void *data,
                                      size_t size, struct sam_error *error);
/* Map the program's sections, in whole 4 KiB pages, and the stack below SAM_HART_STACK_TOP; copy
 * the program, also to its load addresses where they differ; set pc to its entry and sp to the top
 * of the stack. The image must outlive the runs. SAM_ERR_INPUT: a program for the other XLEN. */
SAM_API enum sam_status sam_hart_load(struct sam_hart *hart, const struct sam_image *image,
                                      struct sam_error *error);

/* Number of the integer register called "x10" or "a0"; -1 when there is none. */
SAM_API int sam_hart_register(const char *name);
/* Registers, between runs. `number` 0..31; writes to x0 and tl0 are dropped. */
SAM_API uint64_t sam_hart_x(const struct sam_hart *hart, unsigned number);
SAM_API void sam_hart_set_x(struct sam_hart *hart, unsigned number, uint64_t value);
SAM_API uint64_t sam_hart_pc(const struct sam_hart *hart);
SAM_API void sam_hart_set_pc(struct sam_hart *hart, uint64_t pc);
/* The 1024 bytes of a TLReg; NULL in a hart without xtensorload. */
SAM_API const uint8_t *sam_hart_tl(const struct sam_hart *hart, unsigned number);
SAM_API void sam_hart_set_tl(struct sam_hart *hart, unsigned number, const uint8_t bytes[1024]);
/* The rows of a matrix register: mlen / 32 rows of mlen / 8 bytes. NULL in a hart without xmatrix.
 */
SAM_API const uint8_t *sam_hart_m(const struct sam_hart *hart, unsigned number);
SAM_API void sam_hart_set_m(struct sam_hart *hart, unsigned number, const uint8_t *bytes);
/* Bytes of a matrix register; 0 without xmatrix. */
SAM_API unsigned sam_hart_m_size(const struct sam_hart *hart);
/* False: no such CSR. A write has the same effect as one by the program. */
SAM_API bool sam_hart_csr(struct sam_hart *hart, unsigned address, uint64_t *value);
SAM_API bool sam_hart_set_csr(struct sam_hart *hart, unsigned address, uint64_t value);
/* End a run when pc reaches this address; a run that starts there continues past it. */
SAM_API void sam_hart_set_until(struct sam_hart *hart, uint64_t pc);

/* Run until one of enum sam_hart_end happens. SAM_OK for the first three, SAM_ERR_TRAP for a trap,
 * a deadlock or a used-up budget, SAM_ERR_STOPPED after a stop; the result is filled in each case.
 * Once the program has written mtvec, traps go to its handler, except exit calls and, without
 * options.ebreak_traps, ebreak; before that they end the run, as does a trap on the handler's first
 * instruction. A run may be continued by another. */
SAM_API enum sam_status sam_hart_run(struct sam_hart *hart, struct sam_hart_result *result,
                                     struct sam_error *error);
/* Run one instruction. SAM_OK with SAM_HART_STEPPED when nothing else ended the step; a trap that
 * goes to the program's handler is such a step. */
SAM_API enum sam_status sam_hart_step(struct sam_hart *hart, struct sam_hart_result *result,
                                      struct sam_error *error);
/* Counts since the hart was created, with options.collect_stats. */
SAM_API const struct sam_hart_stats *sam_hart_stats(const struct sam_hart *hart);
/* The cycles so far, as if the program ended here: with options.cycles, everything in flight
 * completes first. False without options.engines. */
SAM_API bool sam_hart_engines(const struct sam_hart *hart, struct sam_engines_report *report);
/* The same of the energy of the hart, its units and, unless it is part of a system, its memory:
 * TensorLoad's loads are from L1M, its stores to L0M, and the matrix unit has an L2. Since 0.2. */
SAM_API bool sam_hart_energy(const struct sam_hart *hart, struct sam_energy *energy);
/* To be called after the last run, however it ended: pass the remaining events to options.watch and
 * finish the text of options.timeline. SAM_ERR_IO: one of them refused. */
SAM_API enum sam_status sam_hart_end_timeline(struct sam_hart *hart, struct sam_error *error);
/* Statistics of the matrix unit's cycle model, after everything in flight has completed;
 * NULL without options.cycles. With options.engines its cycles are those of sam_hart_engines. */
SAM_API const struct sam_mxu_stats *sam_hart_cycles(struct sam_hart *hart);
/* Finish the traces of the cycle model, after the last run. SAM_ERR_IO: a sink refused. */
SAM_API enum sam_status sam_hart_end_traces(struct sam_hart *hart, struct sam_error *error);
/* "alu", "tl.load", ... */
SAM_API const char *sam_hart_class_name(enum sam_hart_class class_);

#ifdef __cplusplus
}
#endif
#endif
