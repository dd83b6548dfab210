/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of the matrix unit: its parameters and what it measures. A hart with
 * sam_hart_options.cycles runs it alongside the instructions, which alone compute values. Source:
 * docs/matrix.md, "Cycle by cycle". The functions keep no state: they may be called from any
 * thread, on a config that no other thread is changing. */
#ifndef SAMITE_MXU_H
#define SAMITE_MXU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parameter.h"
#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* fp16, or a type of 8 bits that is widened to it. */
enum sam_mxu_widen { SAM_MXU_WIDEN_NONE, SAM_MXU_WIDEN_E4M3, SAM_MXU_WIDEN_E5M2 };

struct sam_mxu_config {
    unsigned mlen;         /* bits of a row: 128, 256, 512 */
    unsigned mpara, npara; /* rows and columns of C per uop; powers of two up to MLEN/32 */
    unsigned elewidth;     /* bits per mask bit of loads and stores: 8, 16, 32, 64; a transfer that
                              starts or ends inside one takes an extra cycle in the register file */
    unsigned rows_m_block; /* rows of a block of ms1: mpara, or with step_m = 1 any power of two */
    unsigned rows_n_block; /* rows of a block of ms2: likewise npara */
    unsigned step_m;       /* rows the outer counter advances: mpara or 1 */
    unsigned slots;        /* instruction slots, 1..16 */
    unsigned tree_stages;  /* of the multiplier tree, 1..32 */
    unsigned acc_latency;  /* cycles of the accumulating adder, 1..16 */
    bool wb_bypass;        /* an accumulation may start in the cycle of the write-back */
    unsigned ld_queue, st_queue; /* outstanding requests, 1..32 */
    unsigned mem_latency;        /* cycles from request to first beat and from write data to
                                    response, 1..1000; at least beat_cycles */
    unsigned ooo_window;         /* the memory may answer any of this many oldest reads, and oldest
                                    writes, 1..32 */
    unsigned beat_cycles;        /* cycles per beat of 16 bytes, 1..64 */
    unsigned merge_cycles;       /* cycles to merge a write of part of a line, 0..64 */
    unsigned l2_kib;             /* size of the L2, a power of two up to 4096; 0: every line hits */
    unsigned miss_latency;       /* extra cycles for a line that misses the L2, 0..1000 */
    bool ports;     /* a port of a register moves one block a cycle; false: any number */
    unsigned stall; /* per cent of cycles in which a bus channel is not ready, 0..90 */
    uint64_t seed;  /* for the random choices of ooo_window and stall */
    enum sam_mxu_widen load_widen; /* memory type of mldh and msldh (docs/matrix-rulings.md, 2.13).
                                      Unlike the others it changes values */
};

/* The defaults for rows of `mlen` bits. */
SAM_API void sam_mxu_config_init(struct sam_mxu_config *config, unsigned mlen);
/* "mpara=4,npara=8": change the named values. SAM_ERR_USAGE, with
 * `config` unchanged: an unknown name (the error suggests the nearest) or a value out of range (the
 * error gives the range). Constraints between values are left to sam_mxu_config_check. */
SAM_API enum sam_status sam_mxu_config_set(struct sam_mxu_config *config, const char *text,
                                           struct sam_error *error);
/* Parameter `index`; NULL after the last. */
SAM_API const struct sam_parameter *sam_mxu_parameter(size_t index);
/* Validate the configuration; SAM_ERR_USAGE names the first fault. Fields that default to mpara or
 * npara are filled in where they are 0. */
SAM_API enum sam_status sam_mxu_config_check(struct sam_mxu_config *config,
                                             struct sam_error *error);

/* Units; each is in exactly one state per cycle. */
enum sam_mxu_unit {
    SAM_MXU_DSA,   /* the port that takes instructions */
    SAM_MXU_MMA,   /* issue of multiplications */
    SAM_MXU_LOAD,  /* issue of loads, zeroing included */
    SAM_MXU_STORE, /* issue of stores */
    SAM_MXU_PW,    /* moves and element-wise operations */
    SAM_MXU_READ,  /* read data channel of the bus */
    SAM_MXU_WRITE, /* write data channel */
    SAM_MXU_UNITS
};

/* The state of a unit in a cycle. */
enum sam_mxu_state {
    SAM_MXU_BUSY,
    SAM_MXU_EMPTY,    /* has nothing to do */
    SAM_MXU_REGISTER, /* waits for a register that an older instruction holds */
    SAM_MXU_BLOCK,    /* waits for a block of the accumulator */
    SAM_MXU_PRESSURE, /* the next stage is full */
    SAM_MXU_LINE,     /* waits for the answer to an older access to the same line */
    SAM_MXU_SLOTS,    /* no slot is free */
    SAM_MXU_MEMORY,   /* waits for the memory */
    SAM_MXU_MERGE,    /* the memory merges a write of part of a line */
    SAM_MXU_PORT,     /* waits for a port of a register */
    SAM_MXU_STATES
};
SAM_API const char *sam_mxu_unit_name(enum sam_mxu_unit unit);
SAM_API const char *sam_mxu_state_name(enum sam_mxu_state state);

/* Ports of each register, read ports first. Element-wise operations read rows as stores do and
 * write them as loads do. */
enum sam_mxu_port {
    SAM_MXU_PORT_MS1,
    SAM_MXU_PORT_MS2,
    SAM_MXU_PORT_MD,    /* blocks that products are added to */
    SAM_MXU_PORT_STORE, /* rows */
    SAM_MXU_PORT_MMA,   /* write-back of products */
    SAM_MXU_PORT_LOAD,  /* rows */
    SAM_MXU_PORTS
};
SAM_API const char *sam_mxu_port_name(enum sam_mxu_port port);

/* Multiply-accumulates by the elements of their sources. */
enum sam_mxu_mac {
    SAM_MXU_MAC_I8, /* and int4 */
    SAM_MXU_MAC_I16,
    SAM_MXU_MAC_F16,
    SAM_MXU_MAC_F32,
    SAM_MXU_MAC_F64,
    SAM_MXU_MACS
};

struct sam_mxu_stats {
    uint64_t cycles;
    uint64_t buckets[SAM_MXU_UNITS][SAM_MXU_STATES]; /* each unit's sum to `cycles` */
    uint64_t instructions, scalar;                   /* of the matrix unit, of the hart */
    uint64_t mma_uops, pw_uops, load_uops, store_uops, zero_uops;
    uint64_t mask_bits, cut_uops; /* of loads and stores: bits set in masks of rows, one per
                                     elewidth bits; uops that begin or end between two. Since 0.2 */
    uint64_t macs;
    double full_uops;   /* the multiplications, counted in uops that use every multiplier */
    uint64_t peak_macs; /* MACs per cycle for the narrowest elements that ran */
    uint64_t read_requests, write_requests, full_lines;
    uint64_t read_beats, write_beats, bytes_loaded, bytes_stored;
    uint64_t l2_hits, l2_misses;         /* in requests, when there is an L2 */
    uint64_t port_blocks[SAM_MXU_PORTS]; /* blocks and rows moved through ports, of all registers */
    uint64_t last_write_back;            /* cycle of the last write-back of a multiplication */
    uint64_t macs_of[SAM_MXU_MACS];      /* their sum is `macs`. Since 0.2 */
};

/* The roofline of a program, from the model's own limits: `peak_macs` multiplications per cycle,
 * and 16 bytes per beat_cycles cycles on each channel of the bus, read and write. An operation is a
 * multiplication or an addition. */
struct sam_mxu_roofline {
    double peak;      /* operations per cycle that the multipliers can do */
    double slope;     /* bytes per cycle that a channel can carry */
    double intensity; /* operations per byte of the busier channel; infinite without traffic */
    double done;      /* operations per cycle that the program achieved */
    double bound;     /* the most it can achieve: `done` never exceeds it */
    bool bus_bound;   /* the bus limits it, not the multipliers */
};
SAM_API void sam_mxu_roofline(const struct sam_mxu_config *config,
                              const struct sam_mxu_stats *stats, struct sam_mxu_roofline *roofline);

#ifdef __cplusplus
}
#endif
#endif
