/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of the matrix unit, a unit of the hart's clock. The hart passes each instruction
 * in the cycle of its issue. The model uses struct sam_matrix_work and no values. docs/matrix.md
 * has the rules. */
#ifndef SAM_MATRIX_CYCLE_H
#define SAM_MATRIX_CYCLE_H

#include "base/keys.h"
#include "clock/clock.h"
#include "matrix/matrix.h"
#include "memtime/memtime.h"
#include "samite/mxu.h"

enum {
    SAM_MXU_MAX_SLOTS = 16,
    SAM_MXU_MAX_MOVES = 8 * 16 * 2, /* uops of a load or store: two per row of eight registers */
    SAM_MXU_MAX_BLOCKS = 16 * 32,
    SAM_MXU_IDS = 32,
};

/* The rows of sam_mxu_parameter, for `config`. */
struct sam_keys sam_mxu_keys(struct sam_mxu_config *config);

/* A uop of a load or store: bytes [k, k + size) of a row, within one cache line. With `zero`, a
 * load clears these bytes without a request. */
struct sam_mxu_move {
    uint64_t address; /* of the request: a multiple of 16 */
    uint64_t first;   /* of the bytes */
    uint16_t row;     /* counted through all registers */
    uint8_t k, size;  /* of memory; of a register they are shifted left by `widen` */
    uint8_t length;   /* beats - 1 */
    bool zero, full_line;
    uint8_t widen;
};

/* The uops of a load or store of `work`, in order; `rows` and `row_bytes` describe a register.
 * Returns their number. */
unsigned sam_mxu_split_moves(const struct sam_matrix_work *work, unsigned rows, unsigned row_bytes,
                             struct sam_mxu_move moves[SAM_MXU_MAX_MOVES]);

/* One uop of a multiplication. */
struct sam_mxu_mma {
    unsigned m, n;           /* first row and column of C */
    unsigned block_1;        /* of ms1 */
    unsigned reg_2, block_2; /* register (ms2 or ms2 + 1) and block */
    unsigned count;          /* blocks of C: two when the columns extend into md + 1 */
    struct {
        unsigned reg, block;
    } c[2];
    unsigned macs; /* MACs of elements in use */
};
unsigned sam_mxu_mma_count(const struct sam_mxu_config *config, const struct sam_matrix_work *work);
struct sam_mxu_mma sam_mxu_split_mma(const struct sam_mxu_config *config,
                                     const struct sam_matrix_work *work, unsigned index);

/* A completed uop, as reported to an observer. */
struct sam_mxu_record {
    uint64_t instruction; /* number of its instruction */
    uint64_t pc;
    uint32_t word;
    enum sam_m_kind kind;
    unsigned uop, uops; /* of the instruction */
    uint64_t accepted;  /* cycles */
    uint64_t issued;
    uint64_t request;          /* of loads and stores on the bus; 0: none */
    uint64_t written;          /* write-back, or the response of a store */
    enum sam_mxu_state waited; /* the last stall before issue; EMPTY: none */
    struct sam_mxu_mma mma;
    struct sam_mxu_move move;
};

/* The mask bits of a uop, one per EleWidth bits of a row. */
struct sam_mxu_mask {
    uint8_t first, last;
};

/* Operands of an instruction from the scalar core, and the response. */
struct sam_mxu_dsa {
    uint32_t word;
    uint64_t rs1, rs2; /* registers 19:15 (8 + 17:15 of uop 1 and 3) and 24:20 */
    uint64_t rd;       /* written back by uop 7 */
};

/* The ports of the unit in one cycle: the bus, with the signal names of the manual, and the
 * instruction port. */
struct sam_mxu_bus {
    bool rvalid, rready;
    uint64_t raddr;
    uint8_t rlen, rid;
    bool resp_rvalid, resp_rlast;
    uint8_t resp_rid;
    bool wvalid, wready, fullline;
    uint64_t waddr;
    uint8_t wlen, wid;
    bool wdvalid, wdready, wdlast;
    uint16_t wstrb;
    uint8_t rdata[16]; /* as in memory, including bytes outside the row */
    uint8_t wdata[16]; /* zero where wstrb is zero */
    bool resp_wvalid;
    uint8_t resp_wid;
    /* not signals of the bus: the mask of each request, and busMask of the beat, one bit per
     * EleWidth bits of the bus */
    struct sam_mxu_mask rmask, wmask;
    uint16_t rbusmask, wbusmask;
    bool dsa_valid, dsa_ready, dsa_resp_valid, dsa_resp_wb;
    struct sam_mxu_dsa dsa; /* of the request */
    uint64_t dsa_resp_data;
};

struct sam_mxu_observer {
    void *context;
    void (*uop)(void *context, const struct sam_mxu_record *record); /* complete; or NULL */
    void (*cycle)(void *context, uint64_t cycle, const struct sam_mxu_bus *bus); /* or NULL */
};

/* Clock and memory shared with other units. Instructions are identified by their order in the
 * program. */
struct sam_mxu_outside {
    struct sam_clock *clock;
    /* The first cycle in which instruction `order` may load, or with `store` store, bytes low to
     * high: no older access of another unit conflicts. SAM_CLOCK_IDLE: not known yet; sam_mxu_wake
     * follows. NULL if there is no other unit. */
    uint64_t (*ready)(void *context, uint64_t order, bool store, uint64_t low, uint64_t high);
    /* An access is answered in the current cycle; dependent ones may follow in the next. May be
     * NULL. */
    void (*answered)(void *context);
    /* All uops of an instruction are complete: it issued in cycle `issued`, its first uop in cycle
     * `start`; its results are available in cycle `done`. May be NULL. */
    void (*worked)(void *context, uint64_t order, const struct sam_matrix_work *work,
                   uint64_t issued, uint64_t start, uint64_t done);
    void *context;
    /* Determines the times of requests, in place of mem_latency, merge_cycles, l2_kib and
     * miss_latency of the configuration. NULL: the configuration does. */
    const struct sam_memtime_port *memory;
    unsigned port; /* unit number */
};

struct sam_mxu;
/* `config` is checked; joins the clock. NULL: out of memory. */
struct sam_mxu *sam_mxu_new(const struct sam_mxu_config *config,
                            const struct sam_mxu_observer *observer,
                            const struct sam_mxu_outside *outside);
void sam_mxu_free(struct sam_mxu *x);
/* Data for the bus trace; the model does not use it. */
struct sam_mxu_values {
    const uint8_t *registers; /* of a store, from its first register on, as in struct sam_matrix */
    void *context;
    /* Read 16 bytes of memory for a load; unmapped bytes are left unchanged. */
    void (*memory)(void *context, uint64_t address, uint8_t bytes[16]);
};
/* Whether a slot is free in the current cycle of the clock. */
bool sam_mxu_has_room(struct sam_mxu *x);
/* The hart offers this instruction from the current cycle on. Only observers use it. */
void sam_mxu_offer(struct sam_mxu *x, const struct sam_mxu_dsa *dsa);
/* Whether the hart waits for a slot from the current cycle on. The clock is interrupted in the
 * cycle before a slot is free. */
void sam_mxu_set_waiting(struct sam_mxu *x, bool waits);
/* The hart issues an instruction in the current cycle, at most one per cycle. It needs a slot
 * unless it is a configuration. With `values` NULL the bus shows zeros. */
void sam_mxu_matrix(struct sam_mxu *x, const struct sam_matrix_work *work, uint64_t order,
                    uint64_t pc, uint32_t word, const struct sam_mxu_values *values);
/* Count `count` other instructions of the hart. */
void sam_mxu_scalars(struct sam_mxu *x, uint64_t count);
/* A dependence on another unit may be released in cycle `at`. */
void sam_mxu_wake(struct sam_mxu *x, uint64_t at);
/* Whether loads and stores are in flight, in the current cycle. */
bool sam_mxu_has_moves(const struct sam_mxu *x);
/* Whether all older accesses that conflict with an access of instruction `order` to bytes low to
 * high have been answered. */
bool sam_mxu_is_settled(const struct sam_mxu *x, uint64_t order, bool store, uint64_t low,
                        uint64_t high);
/* Whether an instruction is in flight in the current cycle. */
bool sam_mxu_is_busy(struct sam_mxu *x);
/* Stop reporting to the observer. */
void sam_mxu_unwatch(struct sam_mxu *x);
/* Of all cycles before the current one. */
const struct sam_mxu_stats *sam_mxu_stats(struct sam_mxu *x);
/* roofline.c: bytes of registers read and written by uops: rows of sources, sums of four bytes,
 * rows of loads, stores and element-wise operations. */
uint64_t sam_mxu_register_bytes(const struct sam_mxu *x);

#endif
