/* SPDX-License-Identifier: Apache-2.0 */
/* The face of gputime/: the pipeline model of the Ventus GPU. It pulls the executed instructions of
 * each warp in program order and assigns cycles to them; values never depend on it. */
#ifndef SAM_GPUTIME_GPUTIME_H
#define SAM_GPUTIME_GPUTIME_H

#include "base/base.h"
#include "base/keys.h"
#include "isa/isa.h"
#include "memtime/memtime.h"
#include "samite/gputime.h"

/* How the addresses of an op are given. */
enum sam_gputime_form {
    SAM_GPUTIME_NO_ACCESS,
    SAM_GPUTIME_SCALAR,  /* one access at `base` */
    SAM_GPUTIME_STRIDED, /* lane i of `acting` at base + stride * i */
    SAM_GPUTIME_EACH,    /* `count` of them in `addresses`, in order of lanes */
};

/* Lanes of the hardware for warps of so many, unless the configuration says `threads`; local memory
 * has as many banks, unless it says `lds_banks`. */
static inline uint32_t sam_gputime_threads(uint32_t lanes)
{
    return lanes > 16 ? 32 : lanes > 8 ? 16 : 8;
}

#define SAM_GPUTIME_LDS_LINE 128u /* bytes of an access to local memory: line_bytes of `rtl` */

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

/* Where the instructions come from. The model asks for workgroups in ascending order and holds
 * those that are resident at a time. */
struct sam_gputime_source {
    void *context;
    /* Whether the workgroup, the next one of the launch, has run at all; false: the launch ends
     * before it, for it failed or was stopped. NULL: every workgroup has. */
    bool (*starts)(void *context, uint32_t workgroup);
    /* The next executed instruction of the warp; false after its last. A warp whose instructions
     * end without endprg (a trap, a budget) counts as ended. */
    bool (*next)(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op);
    /* All warps of the workgroup have ended; NULL: of no interest. */
    void (*ended)(void *context, uint32_t workgroup);
};

struct sam_gputime_launch {
    uint32_t workgroups;
    uint32_t warps;        /* of a workgroup */
    uint32_t lanes;        /* of a warp */
    uint32_t lds_bytes;    /* of a workgroup */
    uint32_t sgprs, vgprs; /* of a warp; 0: unknown, they limit nothing */
    uint32_t start_pc;
};

/* An instruction that has left the pipeline. A stage that it did not pass has the cycle of the
 * stage before it. */
struct sam_gputime_record {
    uint64_t number; /* among the issued, from 0 */
    uint32_t sm, slot, workgroup, warp;
    uint32_t pc;
    const struct sam_insn *insn;
    uint32_t acting;
    enum sam_gputime_unit unit;
    uint64_t fetched; /* in the instruction buffer */
    uint64_t issued;
    uint64_t executed;              /* operands complete, accepted by its unit */
    uint64_t done;                  /* result complete */
    uint64_t written;               /* write-back, or the cycle in which it takes effect */
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

/* Each function may be NULL. Records come in order of completion, stalls and stays in order of
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
 * sam_gputime_config_check, SAM_ERR_MEMORY. `result` is to be freed after success only. */
enum sam_status sam_gputime_run(const struct sam_gputime_config *config,
                                const struct sam_gputime_launch *launch,
                                const struct sam_gputime_source *source,
                                const struct sam_gputime_observer *observer,
                                struct sam_gputime_result *result, struct sam_error *error);

/* --- the same as a unit of a clock: open, tick, close. `launch` and `config` are copied; the
 * source, the observer and the port are used until it is closed. */

/* Memory that the model shares with others, in place of the L2 and the memory of its configuration.
 * Lines of more than 64 bytes are several requests in one cycle; `l1_miss_latency` passes between
 * the answer and the L1, so that requests leave in the cycles in which the model makes them. When
 * the launch has ended, the lines that were written in each L1 follow, one per cycle and SM. */
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
/* Live through cycle `now`, which is the first one, in which the first warp starts, or the one that
 * the last call has returned. Returns the next; UINT64_MAX: everything has ended. Cycles of results
 * and observers are counted from the first one. */
uint64_t sam_gputime_tick(struct sam_gputime *g, uint64_t now);
/* Bytes that were asked of the port so far. */
const struct sam_memtime_traffic *sam_gputime_traffic(const struct sam_gputime *g);
/* After the last tick. `result` is to be freed after success only. Errors: SAM_ERR_INPUT: the warps
 * wait for each other; SAM_ERR_MEMORY. */
enum sam_status sam_gputime_close(struct sam_gputime *g, struct sam_gputime_result *result,
                                  struct sam_error *error);
/* Without a result, at any time; NULL is fine. */
void sam_gputime_drop(struct sam_gputime *g);

#endif
