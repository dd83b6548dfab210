/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of the matrix unit in time (docs/matrix.md, "Cycle by cycle"): every
 * cycle, with all instructions kept and older ones checked one by one. It has no L2 of its own,
 * channels that are always ready, and answers in order (l2_kib=0, stall=0, ooo_window=1). */
#ifndef MATRIX_TIME_REF_H
#define MATRIX_TIME_REF_H

#include "matrix/cycle/cycle.h"

enum { MREF_UOPS = 600, MREF_BLOCKS = 1024 };

struct mref_uop {
    uint64_t first; /* of a load or store: its bytes in memory, */
    unsigned size, reg, beats;
    bool clears;       /* or bytes of a register that a load clears */
    bool cut;          /* within an element of the mask */
    unsigned block[2]; /* of a product, of all registers */
    unsigned blocks;
    uint64_t answered; /* in this cycle; UINT64_MAX: not yet */
};

struct mref_insn {
    struct sam_matrix_work work;
    unsigned reads, writes; /* registers, as sets */
    bool accepted, granted, over;
    uint64_t from; /* in its slot */
    struct mref_uop uops[MREF_UOPS];
    unsigned count, issued, written;
    uint64_t released, done;
};

struct mref_request {
    unsigned insn, uop, beats;
    uint64_t ready;
};

/* A uop on its way to the bus. */
struct mref_stage {
    bool full, held;
    unsigned insn, uop;
    uint64_t from;
};

/* State shared with other units on one clock. */
struct mref_outside {
    const struct sam_memtime_port *memory; /* NULL: that of the configuration */
    unsigned port;
    /* Whether older accesses of other units to its bytes are in flight; NULL: there are none. */
    bool (*waits)(void *context, unsigned insn, const struct mref_uop *uop, uint64_t cycle);
    void *context;
};

struct mref {
    struct sam_mxu_config config;
    struct mref_outside outside;
    struct mref_insn *insns;
    unsigned count, accepted;
    uint64_t cycles;
    uint64_t block_free[MREF_BLOCKS * 8];
    struct mref_stage load, store;
    struct mref_request reads[32], writes[32];
    unsigned read_count, write_count, reads_freed, writes_freed;
    uint64_t next_read, next_write, merged;
    unsigned read_ports, write_ports, write_ports_next;
    enum sam_mxu_state states[SAM_MXU_UNITS]; /* in this cycle */
    uint64_t buckets[SAM_MXU_UNITS][SAM_MXU_STATES];
};

/* The instructions to run. `config` has been checked, `outside` may be NULL. Fails the test if
 * memory is short. */
struct mref *mref_new(const struct sam_mxu_config *config, const struct mref_outside *outside,
                      const struct sam_matrix_work *works, unsigned count);
void mref_free(struct mref *m);
/* A cycle: everything except the port; then the port, and the end. */
void mref_begin(struct mref *m);
/* Offer the next instruction. Returns false if no slot is free. */
bool mref_offer(struct mref *m);
void mref_end(struct mref *m);
/* Whether nothing is in flight. */
bool mref_is_idle(struct mref *m);

#endif
