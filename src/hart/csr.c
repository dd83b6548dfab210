/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs of a hart with only machine mode, besides those of every core (machine/csr.c): RISC-V
 * Privileged 2.2, table of machine-level CSRs, and 3.1. CSRs of user or supervisor mode (medeleg,
 * mcounteren, menvcfg, ...) do not exist, nor does PMP. */
#include "hart/core.h"

enum {
    HIGH = SAM_CSR_mcycleh - SAM_CSR_mcycle, /* distance of a counter's upper half */
    EVENTS = SAM_CSR_mhpmevent31 - SAM_CSR_mhpmevent3 + 1,
};

#define MIE_BITS     UINT64_C(0x888) /* machine-mode software, timer and external interrupts */
#define MSTATUS_BITS ((uint64_t)(SAM_MSTATUS_MIE | SAM_MSTATUS_MPIE))

/* The counter at an address, or at that of its user-mode copy; NULL: none. Every instruction counts
 * as one cycle, so the counters differ only in what was written to them. */
static struct sam_hart_counter *counter_of(struct sam_hart *hart, unsigned address)
{
    switch (sam_hart_is_narrow(hart) ? address & ~(unsigned)HIGH : address) {
    case SAM_CSR_mcycle:
    case SAM_CSR_cycle: return &hart->counters[SAM_HART_CYCLE];
    case SAM_CSR_minstret:
    case SAM_CSR_instret: return &hart->counters[SAM_HART_INSTRET];
    default: return NULL;
    }
}

static uint64_t counted(const struct sam_hart_counter *counter, uint64_t instret)
{
    return counter->stopped ? counter->base : counter->base + instret;
}

/* Set the counter to `value`, as seen by the instruction after the first `next`. */
static void set_counter(struct sam_hart_counter *counter, uint64_t next, uint64_t value)
{
    counter->base = counter->stopped ? value : value - next;
}

static void stop_counter(struct sam_hart_counter *counter, uint64_t next, bool stopped)
{
    const uint64_t value = counted(counter, next);
    counter->stopped = stopped;
    set_counter(counter, next, value);
}

/* mhpmcounter3.. and mhpmevent3..: they count nothing and read as zero. */
static bool is_event(const struct sam_hart *hart, unsigned address)
{
    return address - SAM_CSR_mhpmevent3 < EVENTS || address - SAM_CSR_mhpmcounter3 < EVENTS ||
           (sam_hart_is_narrow(hart) && address - SAM_CSR_mhpmcounter3h < EVENTS);
}

/* CSRs that exist but read as zero: there are no interrupts and no triggers. */
static bool is_zero(const struct sam_hart *hart, unsigned address)
{
    return address == SAM_CSR_mip || (address >= SAM_CSR_tselect && address <= SAM_CSR_tdata3) ||
           (address == SAM_CSR_mstatush && sam_hart_is_narrow(hart)) || is_event(hart, address);
}

bool sam_hart_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value)
{
    struct sam_hart *hart = sam_hart_of(core);
    const struct sam_hart_counter *counter = counter_of(hart, address);
    if (counter) {
        *value = counted(counter, instret);
        if (sam_hart_is_narrow(hart))
            *value = address & HIGH ? *value >> 32 : (uint32_t)*value;
        return true;
    }
    switch (address) {
    case SAM_CSR_mstatus: *value = core->mstatus | SAM_MSTATUS_MPP; return true; /* 3.1.6.1 */
    case SAM_CSR_mie: *value = hart->mie; return true;
    case SAM_CSR_mcountinhibit:
        *value = (uint64_t)hart->counters[SAM_HART_CYCLE].stopped |
                 (uint64_t)hart->counters[SAM_HART_INSTRET].stopped << 2;
        return true;
    default: *value = 0;
    }
    return address == SAM_CSR_mconfigptr || is_zero(hart, address) ||
           (core->unit[SAM_UNIT_TENSOR] && sam_tensor_csr_read(core, address, value)) ||
           (core->unit[SAM_UNIT_MATRIX] && sam_matrix_csr_read(core, address, value));
}

static void write_counter(const struct sam_hart *hart, struct sam_hart_counter *counter,
                          unsigned address, uint64_t next, uint64_t value)
{
    /* Privileged 3.1.10: the write replaces the instruction's own increment. */
    const uint64_t old = counted(counter, next - 1);
    if (sam_hart_is_narrow(hart))
        value = address & HIGH ? (uint32_t)old | value << 32
                               : (old & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
    set_counter(counter, next, value);
}

bool sam_hart_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value)
{
    struct sam_hart *hart = sam_hart_of(core);
    struct sam_hart_counter *counter = counter_of(hart, address);
    if (counter && address < SAM_CSR_cycle) {
        write_counter(hart, counter, address, next, value);
        return true;
    }
    switch (address) {
    case SAM_CSR_mstatus: core->mstatus = value & MSTATUS_BITS; return true;
    case SAM_CSR_mie: hart->mie = value & MIE_BITS; return true;
    case SAM_CSR_mtvec: hart->has_handler = true; return false; /* the core writes it */
    case SAM_CSR_mcountinhibit:
        stop_counter(&hart->counters[SAM_HART_CYCLE], next, value & 1);
        stop_counter(&hart->counters[SAM_HART_INSTRET], next, value >> 2 & 1);
        return true;
    default: break;
    }
    return is_zero(hart, address) ||
           (core->unit[SAM_UNIT_TENSOR] && sam_tensor_csr_write(core, address, value)) ||
           (core->unit[SAM_UNIT_MATRIX] && sam_matrix_csr_write(core, address, value));
}
