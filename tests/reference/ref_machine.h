/* SPDX-License-Identifier: Apache-2.0 */
/* State of the reference, and the functions shared by its files. */
#ifndef REF_MACHINE_H
#define REF_MACHINE_H

#include "ref_float.h"
#include "ref_insn.h"
#include "ventus_ref.h"

#define REF_NO_LANE    UINT32_MAX
#define REF_PAGE       4096u
#define REF_MAX_RANGES 64

/* Bytes by address, in pages created on the first write. */
struct ref_map {
    uint8_t **pages;
    bool *shared; /* the caller owns the page */
    size_t count;
};

struct ref_gpu {
    struct sam_gpu_options options;
    struct ref_map memory;
    struct {
        uint32_t base;
        uint64_t size;
    } ranges[REF_MAX_RANGES];
    unsigned range_count;
};

/* One workgroup while it runs. */
struct ref_group {
    struct ref_gpu *gpu;
    const struct sam_launch *launch;
    uint32_t id, x, y, z;
    uint32_t pds;
    struct ref_map lds;
    struct ref_result *result;
    uint32_t *printed; /* bytes of the print buffer already printed in this launch */
};

struct ref_stack_entry {
    uint32_t rpc, next_pc, mask;
};

struct ref_warp {
    struct ref_group *group;
    uint32_t wid;
    uint32_t lanes; /* threads a warp */
    uint32_t full;  /* lanes that started */
    uint32_t pc, mask;
    uint32_t x[64];
    uint32_t v[256][SAM_MAX_LANES];
    struct ref_stack_entry *stack;
    unsigned depth, room;
    uint32_t rpc, frm, fflags, vl, vtype;
    uint32_t mstatus, mtvec, mscratch, mepc, mcause, mtval;
    uint64_t insns;
    uint32_t prefix; /* word of a prefix just executed, or 0 */
    bool waiting, ended;
    bool reserved;
    uint32_t reservation;
    uint32_t word; /* the instruction being executed */
    struct sam_trap trap;
};

enum ref_access { REF_LOAD, REF_STORE, REF_AMO, REF_FETCH };

/* Record a trap of the instruction at pc; returns false, for `return ref_trap(...)`. */
bool ref_trap(struct ref_warp *w, enum sam_trap_kind kind, uint32_t lane, uint64_t tval);
bool ref_illegal(struct ref_warp *w);

/* ref_memory.c */
void ref_map_init(struct ref_map *map, uint64_t bytes);
void ref_map_free(struct ref_map *map);
/* Check an access of `size` bytes (alignment, translation, bounds); traps on behalf of `lane`. */
bool ref_check(struct ref_warp *w, uint32_t address, unsigned size, enum ref_access access,
               uint32_t lane, uint32_t *physical);
uint64_t ref_get(struct ref_warp *w, uint32_t physical, unsigned size);
void ref_put(struct ref_warp *w, uint32_t physical, unsigned size, uint64_t value);
bool ref_load(struct ref_warp *w, uint32_t address, unsigned size, uint32_t lane, uint64_t *value);
bool ref_store(struct ref_warp *w, uint32_t address, unsigned size, uint32_t lane, uint64_t value);

/* ref_csr.c */
bool ref_csr_exec(struct ref_warp *w, const struct ref_insn *insn);
bool ref_vset(struct ref_warp *w, const struct ref_insn *insn);
/* Vector instructions run only under a supported vtype. */
bool ref_vtype_ok(const struct ref_warp *w);
unsigned ref_lmul(const struct ref_warp *w);

/* ref_scalar.c: base, M, A, Zfinx; *next is preset to pc + 4. */
bool ref_scalar_exec(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next);
uint32_t ref_x(const struct ref_warp *w, unsigned number);
void ref_set_x(struct ref_warp *w, unsigned number, uint32_t value);
bool ref_jump(struct ref_warp *w, uint32_t target, uint32_t *next);

/* ref_vector.c, ref_vfloat.c, ref_vmem.c */
bool ref_vector_exec(struct ref_warp *w, const struct ref_insn *insn);
bool ref_is_vfloat(enum ref_op op);
bool ref_vfloat_exec(struct ref_warp *w, const struct ref_insn *insn);
bool ref_is_vmem(enum ref_op op);
bool ref_vmem_exec(struct ref_warp *w, const struct ref_insn *insn);
/* The mask register's elements before an instruction: with LMUL 2 it is v0 and v1, like any
 * other register. 2 * lanes elements. */
void ref_copy_mask(const struct ref_warp *w, uint32_t *v0);
/* Whether element i (lane i % lanes of register n + i / lanes) is active. */
bool ref_active(const struct ref_warp *w, const struct ref_insn *insn, unsigned i,
                const uint32_t *v0);

/* ref_pair.c: any instruction after REGPAIR and REGPAIRI (ruling 2.11). */
bool ref_pair_exec(struct ref_warp *w, const struct ref_insn *insn);
/* Byte address of private address `a` of a lane (ruling 2.5). */
bool ref_private(struct ref_warp *w, uint32_t a, unsigned size, bool load, uint32_t lane,
                 uint32_t *address);

/* ref_simt.c */
bool ref_is_simt(enum ref_op op);
bool ref_simt_exec(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next);

#endif
