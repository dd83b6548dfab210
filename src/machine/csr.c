/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs common to all cores; a machine's own CSRs take precedence. */
#include "machine/machine.h"

/* The bits of mstatus that a Ventus warp keeps. With Zfinx the standard makes FS read-only zero,
 * but the start-up code of kernels sets it, so it is plain storage here. A hart has its own
 * mstatus. */
#define MSTATUS_BITS                                                                               \
    (SAM_MSTATUS_MIE | SAM_MSTATUS_MPIE | SAM_MSTATUS_VS | SAM_MSTATUS_MPP | SAM_MSTATUS_FS)

void sam_fill_scalar32(struct sam_machine *machine);
void sam_fill_scalar64(struct sam_machine *machine);

void sam_machine_init_scalar(struct sam_machine *machine)
{
    if (machine->isa.xlen == 64)
        sam_fill_scalar64(machine);
    else
        sam_fill_scalar32(machine);
}

static uint64_t misa(const struct sam_isa *isa)
{
    static const struct {
        unsigned extension;
        char letter;
    } letters[] = {{SAM_EXT_I, 'i'}, {SAM_EXT_M, 'm'}, {SAM_EXT_A, 'a'}};
    uint64_t value = isa->xlen == 64 ? UINT64_C(2) << 62 : UINT64_C(1) << 30;
    for (size_t i = 0; i < SAM_COUNT(letters); i++)
        if (isa->extensions & letters[i].extension)
            value |= UINT64_C(1) << (letters[i].letter - 'a');
    if (isa->extensions & (SAM_EXT_XVENTUS | SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
        value |= UINT64_C(1) << ('x' - 'a');
    return value;
}

static bool has_fp(const struct sam_machine *machine)
{
    return machine->isa.extensions & (SAM_EXT_ZFINX | SAM_EXT_ZVE32F);
}

/* mstatus.SD: the top bit when FS or VS is dirty. */
static uint64_t dirty(const struct sam_core *core, bool narrow)
{
    bool set = (core->mstatus & SAM_MSTATUS_FS) == SAM_MSTATUS_FS ||
               (core->mstatus & SAM_MSTATUS_VS) == SAM_MSTATUS_VS;
    return (uint64_t)set << (narrow ? 31 : 63);
}

bool sam_core_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value)
{
    const struct sam_machine *machine = sam_code_machine(core->code);
    bool narrow = machine->isa.xlen == 32;
    if (machine->csr_read && machine->csr_read(core, address, instret, value))
        return true;
    switch (address) {
    case SAM_CSR_fflags: *value = core->fflags; return has_fp(machine);
    case SAM_CSR_frm: *value = core->frm; return has_fp(machine);
    case SAM_CSR_fcsr: *value = (uint64_t)core->frm << 5 | core->fflags; return has_fp(machine);
    case SAM_CSR_mstatus: *value = core->mstatus | dirty(core, narrow); return true;
    case SAM_CSR_misa: *value = misa(&machine->isa); return true;
    case SAM_CSR_mtvec: *value = core->mtvec; return true;
    case SAM_CSR_mscratch: *value = core->mscratch; return true;
    case SAM_CSR_mepc: *value = core->mepc; return true;
    case SAM_CSR_mcause: *value = core->mcause; return true;
    case SAM_CSR_mtval: *value = core->mtval; return true;
    case SAM_CSR_mcycle:
    case SAM_CSR_minstret:
    case SAM_CSR_cycle:
    case SAM_CSR_time:
    case SAM_CSR_instret: *value = narrow ? (uint32_t)instret : instret; return true;
    case SAM_CSR_cycleh:
    case SAM_CSR_timeh:
    case SAM_CSR_instreth: *value = instret >> 32; return narrow;
    case SAM_CSR_mvendorid:
    case SAM_CSR_marchid:
    case SAM_CSR_mimpid: *value = 0; return true;
    case SAM_CSR_mhartid: *value = core->hartid; return true;
    default: return false;
    }
}

bool sam_core_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value)
{
    const struct sam_machine *machine = sam_code_machine(core->code);
    if (machine->csr_write && machine->csr_write(core, address, next, value))
        return true;
    switch (address) {
    case SAM_CSR_fflags: core->fflags = value & 31; return has_fp(machine);
    case SAM_CSR_frm: core->frm = value & 7; break;
    case SAM_CSR_fcsr:
        core->fflags = value & 31;
        core->frm = (value >> 5) & 7;
        break;
    case SAM_CSR_mstatus: core->mstatus = value & MSTATUS_BITS; return true;
    case SAM_CSR_misa: return true; /* read-only value; writes are ignored */
    case SAM_CSR_mtvec: core->mtvec = value & ~UINT64_C(3); return true;
    case SAM_CSR_mscratch: core->mscratch = value; return true;
    case SAM_CSR_mepc: core->mepc = value & ~UINT64_C(3); return true;
    case SAM_CSR_mcause: core->mcause = value; return true;
    case SAM_CSR_mtval: core->mtval = value; return true;
    case SAM_CSR_mcycle:
    case SAM_CSR_minstret: return true; /* the counters keep running */
    default: return false;
    }
    core->frm_plain = core->frm == 0;
    return has_fp(machine);
}
