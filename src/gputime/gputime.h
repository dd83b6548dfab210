/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of gputime/: the pipeline model of the Ventus GPU. It pulls the executed instructions
 * of each warp in program order and assigns cycles to them; values never depend on it. */
#ifndef SAM_GPUTIME_GPUTIME_H
#define SAM_GPUTIME_GPUTIME_H

#include "base/base.h"
#include "base/keys.h"
#include "isa/isa.h"
#include "memtime/memtime.h"
#include "samite/gputime.h"

/* Representation of the addresses of an op. */
enum sam_gputime_form {
    SAM_GPUTIME_NO_ACCESS,
    SAM_GPUTIME_SCALAR,  /* one access at `base` */
    SAM_GPUTIME_STRIDED, /* lane i of `acting` at base + stride * i */
    SAM_GPUTIME_EACH,    /* `count` entries of `addresses`, in order of lanes */
};

/* Hardware lanes for warps of `lanes` lanes, with threads=0; also the banks of local memory with
 * lds_banks=0. */
static inline uint32_t sam_gputime_threads(uint32_t lanes)
{
    return lanes > 16 ? 32 : lanes > 8 ? 16 : 8;
}

#define SAM_GPUTIME_LDS_LINE 128u /* bytes per access to local memory: line_bytes of `rtl` */

#define SAM_GPUTIME_MOST_ADDRESSES 128u /* 32 lanes of two registers (LMUL 2) of pairs */

/* An executed instruction of a warp. A prefix is an op of its own. */
struct sam_gputime_op {
    const struct sam_insn *insn; /* register numbers after REGEXT; valid while the source is */
    uint32_t pc, next_pc;        /* next_pc: of the warp's next instruction */
    uint32_t mask;               /* SIMT mask before it */
    uint32_t acting;             /* lanes it acts on; scalar: ignored */
    uint32_t taken;              /* vector branch: lanes that jump */
    uint8_t form;                /* enum sam_gputime_form */
    uint8_t bytes;               /* of each access */
    bool local;                  /* in local memory; addresses are of the whole address space */
    uint16_t count;              /* of `addresses` */
    uint32_t base;
    int32_t stride;
    const uint32_t *addresses; /* valid until the next call of `next` for the same warp */
};

/* Source of executed instructions. The model requests workgroups in ascending order; only resident
 * ones are open at a time. */
struct sam_gputime_source {
    void *context;
    /* Whether the workgroup, the next one of the launch, has run. Returns false if the launch
     * failed or was stopped before it. NULL: all workgroups have run. */
    bool (*starts)(void *context, uint32_t workgroup);
    /* The next executed instruction of the warp; false after the last. A warp that ends without
     * endprg (a trap, a budget) counts as ended. */
    bool (*next)(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op);
    /* Callback when all warps of the workgroup have ended, or NULL. */
    void (*ended)(void *context, uint32_t workgroup);
};

struct sam_gputime_launch {
    uint32_t workgroups;
    uint32_t warps;        /* of a workgroup */
    uint32_t lanes;        /* of a warp */
    uint32_t lds_bytes;    /* of a workgroup */
    uint32_t sgprs, vgprs; /* of a warp; 0: unknown, no limit */
    uint32_t start_pc;
};

/* A completed instruction. A stage that it skipped has the cycle of the previous stage. */
struct sam_gputime_record {
    uint64_t number; /* in order of issue, from 0 */
    uint32_t sm, slot, workgroup, warp;
    uint32_t pc;
    const struct sam_insn *insn;
    uint32_t acting;
    enum sam_gputime_unit unit;
    uint64_t fetched; /* in the instruction buffer */
    uint64_t issued;
    uint64_t executed;              /* operands complete, accepted by its unit */
    uint64_t done;                  /* result complete */
    uint64_t written;               /* write-back, or the cycle of its effect */
    enum sam_gputime_reason waited; /* the last reason before issue; BUSY: none */
};

/* A span [from, to) in which a warp slot waited for one reason, with `pc` as its next instruction.
 */
struct sam_gputime_stall {
    uint32_t sm, slot, workgroup, warp, pc;
    enum sam_gputime_reason reason;
    uint64_t from, to;
};

/* A resident warp: from its start to its last instruction. */
struct sam_gputime_stay {
    uint32_t sm, slot, workgroup, warp;
    uint64_t from, to;
};

/* Callbacks, each may be NULL. Records come in order of completion, stalls and stays in order of
 * their ends. */
struct sam_gputime_observer {
    void *context;
    void (*record)(void *context, const struct sam_gputime_record *record);
    void (*stall)(void *context, const struct sam_gputime_stall *stall);
    void (*stay)(void *context, const struct sam_gputime_stay *stay);
};

/* Line sizes that default to that of the L1. */
static inline uint32_t sam_gputime_icache_line(const struct sam_gputime_config *config)
{
    return config->icache_line_bytes ? config->icache_line_bytes : config->line_bytes;
}
static inline uint32_t sam_gputime_l2_line(const struct sam_gputime_config *config)
{
    return config->l2_line_bytes ? config->l2_line_bytes : config->line_bytes;
}
/* The rows of sam_gputime_parameter, for `config`. */
struct sam_keys sam_gputime_keys(struct sam_gputime_config *config);
/* SAM_ERR_USAGE: the launch cannot run on this machine (a workgroup that fits no SM, more lanes
 * than a warp has); the error names both values. */
enum sam_status sam_gputime_check(const struct sam_gputime_config *config,
                                  const struct sam_gputime_launch *launch, struct sam_error *error);
/* The cycles of a launch. `observer` may be NULL. Errors: those of sam_gputime_check and of
 * sam_gputime_config_check, SAM_ERR_MEMORY. Free `result` after success only. */
enum sam_status sam_gputime_run(const struct sam_gputime_config *config,
                                const struct sam_gputime_launch *launch,
                                const struct sam_gputime_source *source,
                                const struct sam_gputime_observer *observer,
                                struct sam_gputime_result *result, struct sam_error *error);

/* --- as a unit of a clock: open, tick, close. `launch` and `config` are copied; the source, the
 * observer and the port must outlive the model. */

/* Memory shared with other units, instead of the L2 and the memory of the configuration. A line of
 * more than 64 bytes is several requests in one cycle. `l1_miss_latency` is added after the reply,
 * so that requests leave in the cycle in which the model makes them. At the end of the launch the
 * dirty lines of each L1 are written back, one per cycle and SM. */
struct sam_gputime_memory {
    struct sam_memtime_port port;
    unsigned unit;
};

struct sam_gputime;
/* `memory` may be NULL. Errors: those of sam_gputime_run; SAM_ERR_USAGE: with `memory`, lines of
 * more than 128 bytes. */
enum sam_status sam_gputime_open(const struct sam_gputime_config *config,
                                 const struct sam_gputime_launch *launch,
                                 const struct sam_gputime_source *source,
                                 const struct sam_gputime_observer *observer,
                                 const struct sam_gputime_memory *memory,
                                 struct sam_gputime **opened, struct sam_error *error);
/* Simulate cycle `now`: the start of the first warp, or the return value of the last call. Returns
 * the next cycle, or UINT64_MAX at the end. Results and observers count cycles from the first one.
 */
uint64_t sam_gputime_tick(struct sam_gputime *g, uint64_t now);
/* Bytes requested from the port so far. */
const struct sam_memtime_traffic *sam_gputime_traffic(const struct sam_gputime *g);
/* After the last tick. Free `result` after success only. Errors: SAM_ERR_INPUT if the warps
 * deadlock, SAM_ERR_MEMORY. */
enum sam_status sam_gputime_close(struct sam_gputime *g, struct sam_gputime_result *result,
                                  struct sam_error *error);
/* Close without a result, at any time; NULL is ignored. */
void sam_gputime_drop(struct sam_gputime *g);

#endif
