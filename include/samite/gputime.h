/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of the Ventus GPU: its parameters and what it measures. It runs alongside the
 * instructions of a launch, which alone compute values. Source: docs/gpu-time.md. The functions
 * keep no state: they may be called from any thread, on a config that no other thread is changing.
 * Since 0.2. */
#ifndef SAMITE_GPUTIME_H
#define SAMITE_GPUTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "energy.h"
#include "parameter.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One field per parameter (gputime.def); sam_gputime_parameter gives its meaning and range. */
struct sam_gputime_config {
#define SAM_GPUTIME(name, rtl, verilog, systemc, low, high, kind, meaning) uint32_t name;
#include "gputime.def"
#undef SAM_GPUTIME
    struct sam_energy_config energy; /* "energy.gpu_insn", ...: no part of a preset */
};

/* Parameter `index`, from 0, with the default of preset rtl; NULL after the last. */
SAM_API const struct sam_parameter *sam_gputime_parameter(size_t index);
/* Name of preset `index`; the first is the default. NULL after the last. */
SAM_API const char *sam_gputime_preset(size_t index);
/* A one-line description of a preset. */
SAM_API const char *sam_gputime_preset_meaning(size_t index);
/* The default preset. */
SAM_API void sam_gputime_config_init(struct sam_gputime_config *config);
/* "preset=verilog,mem_latency=16": a preset, which must come first, replaces every value; the last
 * value of a name wins. SAM_ERR_USAGE, with `config` unchanged: an unknown name (the error suggests
 * the nearest), or a value out of range (the error gives it). Constraints between values are left
 * to sam_gputime_config_check. */
SAM_API enum sam_status sam_gputime_config_set(struct sam_gputime_config *config, const char *text,
                                               struct sam_error *error);
/* The same from the text of a file: a line per parameter or several with commas, comments from '#'
 * to the end of a line. */
SAM_API enum sam_status sam_gputime_config_parse(struct sam_gputime_config *config,
                                                 const char *text, struct sam_error *error);
/* The same from a word of a command line: "KEY=VALUE,...", or the name of such a file if the word
 * has no '='. SAM_ERR_IO: the file cannot be read. */
SAM_API enum sam_status sam_gputime_config_read(struct sam_gputime_config *config, const char *word,
                                                struct sam_error *error);
/* The value of a parameter by name; false: unknown name. */
SAM_API bool sam_gputime_config_get(const struct sam_gputime_config *config, const char *name,
                                    uint32_t *value);
/* SAM_ERR_USAGE: a value out of range, or two values that exclude each other; the error names both.
 */
SAM_API enum sam_status sam_gputime_config_check(const struct sam_gputime_config *config,
                                                 struct sam_error *error);

/* The state of a unit, an SM or a warp slot in a cycle. Each cycle of each is exactly one of these:
 * BUSY, or the first reason that applies. */
enum sam_gputime_reason {
    SAM_GPUTIME_BUSY,      /* a unit works; a warp or an SM issues an instruction */
    SAM_GPUTIME_EMPTY,     /* a unit has nothing to do; a slot has no warp */
    SAM_GPUTIME_START,     /* a warp is being started, up to its first fetch */
    SAM_GPUTIME_FETCH,     /* the instruction buffer is empty: other warps are fetched, or the
                              instruction is on its way */
    SAM_GPUTIME_ICACHE,    /* the instruction buffer is empty: an I-cache miss */
    SAM_GPUTIME_BRANCH,    /* a branch or join is unresolved, or its target is being fetched */
    SAM_GPUTIME_BARRIER,   /* waits for other warps at a barrier */
    SAM_GPUTIME_FENCE,     /* a memory instruction waits for those before a fence */
    SAM_GPUTIME_RAW,       /* a source register has not been written */
    SAM_GPUTIME_LOAD,      /* the same, and the writer is a load */
    SAM_GPUTIME_WAW,       /* the destination register has a write outstanding */
    SAM_GPUTIME_ARBITER,   /* ready, but another warp was issued */
    SAM_GPUTIME_COLLECTOR, /* no operand collector is free */
    SAM_GPUTIME_BANK,      /* an operand waits for a register bank */
    SAM_GPUTIME_UNIT,      /* the execution unit is occupied */
    SAM_GPUTIME_WRITEBACK, /* a result waits for its write port */
    SAM_GPUTIME_CONFLICT,  /* bank conflict in local memory */
    SAM_GPUTIME_MSHR,      /* no miss register, store register or outstanding slot is free */
    SAM_GPUTIME_MEMORY,    /* waits for the L1, L2 or memory */
    SAM_GPUTIME_DRAIN,     /* the warp has ended; its workgroup or its stores have not */
    SAM_GPUTIME_REASONS
};
SAM_API const char *sam_gputime_reason_name(unsigned reason);
SAM_API const char *sam_gputime_reason_meaning(unsigned reason);

/* Units of an SM. */
enum sam_gputime_unit {
    SAM_GPUTIME_FETCHER,  /* asks the I-cache */
    SAM_GPUTIME_ISSUE_X,  /* issue of scalar instructions; of all of them if issue is single */
    SAM_GPUTIME_ISSUE_V,  /* issue of the others */
    SAM_GPUTIME_OPERANDS, /* operand collectors and register banks */
    SAM_GPUTIME_SALU,
    SAM_GPUTIME_VALU,
    SAM_GPUTIME_CSR,
    SAM_GPUTIME_MUL,
    SAM_GPUTIME_FPU,
    SAM_GPUTIME_SFU,
    SAM_GPUTIME_TENSOR,
    SAM_GPUTIME_WARPS, /* branches, joins, barriers, endprg */
    SAM_GPUTIME_LSU,
    SAM_GPUTIME_LDS,
    SAM_GPUTIME_L1D,
    SAM_GPUTIME_WRITE_X, /* write port of scalar registers */
    SAM_GPUTIME_WRITE_V, /* write port of vector registers */
    SAM_GPUTIME_UNITS
};
SAM_API const char *sam_gputime_unit_name(unsigned unit);

/* The resource that limits the workgroups resident on an SM. */
enum sam_gputime_limit {
    SAM_GPUTIME_BY_GROUPS, /* workgroup slots */
    SAM_GPUTIME_BY_WARPS,
    SAM_GPUTIME_BY_SGPRS,
    SAM_GPUTIME_BY_VGPRS,
    SAM_GPUTIME_BY_LDS,
    SAM_GPUTIME_BY_LAUNCH, /* the launch has no more of them */
    SAM_GPUTIME_LIMITS
};
SAM_API const char *sam_gputime_limit_name(unsigned limit);

struct sam_gputime_cache {
    uint64_t reads, writes; /* requests for a line */
    uint64_t read_hits, write_hits;
    uint64_t merges;           /* misses that joined one under way */
    uint64_t refusals;         /* cycles in which a request waited for a miss register */
    uint64_t evictions, dirty; /* lines replaced; of those, written back */
};

struct sam_gputime_sm {
    uint64_t reasons[SAM_GPUTIME_REASONS]; /* of the SM: BUSY if anything issues; sum: cycles */
    uint64_t units[SAM_GPUTIME_UNITS][SAM_GPUTIME_REASONS]; /* each sums to cycles */
    uint64_t uses[SAM_GPUTIME_UNITS];                       /* instructions, or requests */
    uint64_t groups, warps, insns;                          /* run here */
    struct sam_gputime_cache icache, l1d;
    uint64_t warp_cycles;    /* cycles of resident warps: occupancy is this / cycles / warps */
    uint64_t bank_conflicts; /* operand reads that waited for a register bank */
    uint64_t lds_accesses, lds_passes; /* of local memory: instructions, cycles of its banks */
};

/* An instruction of the program; ascending by pc. Reasons: cycles that warps spent with it as their
 * next instruction; over all rows and the START, DRAIN and EMPTY of slots, they sum to the cycles
 * of all slots. */
struct sam_gputime_row {
    uint64_t pc;
    uint32_t word;          /* the instruction that was there last; 0: not known */
    uint32_t prefix;        /* of the REGEXT, ... before it; 0: none */
    uint64_t issues, lanes; /* warp instructions; lanes they act on */
    uint64_t reasons[SAM_GPUTIME_REASONS];
    uint64_t latency;         /* cycles from issue to write-back, summed */
    uint64_t accesses, lines; /* memory instructions; line requests of the D-cache */
    uint64_t misses;          /* of the lines: not in the L1 */
    uint64_t passes;          /* cycles of local memory's banks */
};

struct sam_gputime_result {
    uint64_t cycles;        /* from the first warp's start to the last endprg, inclusive */
    uint64_t launch_cycles; /* from the request to the host's reply: dispatch and flush included */
    uint64_t insns;         /* warp instructions issued, prefixes included */
    uint64_t counted_insns; /* under the preset's counting convention */
    uint32_t sms, slots;    /* slots: warps per SM */
    struct sam_gputime_sm *sm;
    /* [sm * slots + slot]: each sums to cycles */
    uint64_t (*warp_slots)[SAM_GPUTIME_REASONS];
    struct sam_gputime_row *rows;
    size_t row_count;
    struct sam_gputime_cache l2;
    uint64_t l2_busy;                 /* its answers, each in a cycle of its own */
    uint64_t dram_reads, dram_writes; /* requests */
    uint64_t dram_bytes_read, dram_bytes_written;
    uint64_t dram_busy;           /* cycles of its data bus, of the launch as all cycles */
    uint32_t groups_resident;     /* that fit an SM at a time */
    enum sam_gputime_limit limit; /* why not more */
};
/* Its energy, that of its own L2 and memory included. */
SAM_API void sam_gputime_energy(const struct sam_gputime_config *config,
                                const struct sam_gputime_result *result, struct sam_energy *energy);
/* Frees what `result` owns and clears it. */
SAM_API void sam_gputime_result_free(struct sam_gputime_result *result);

#ifdef __cplusplus
}
#endif
#endif
