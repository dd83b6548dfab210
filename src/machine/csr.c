/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs that every core has; the machine's own take precedence. */
#include "machine/machine.h"

/* Bits of mstatus that a Ventus warp keeps: MIE, MPIE, MPP, FS, VS. With Zfinx the standard makes
 * FS read-only zero, but start-up code of kernels sets it, so it is plain storage. A hart has its
 * own mstatus. */
#define MSTATUS_BITS UINT64_C(0x7e88)
#define MSTATUS_FS   UINT64_C(0x6000)
#define MSTATUS_VS   UINT64_C(0x0600)

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
    bool set =
        (core->mstatus & MSTATUS_FS) == MSTATUS_FS || (core->mstatus & MSTATUS_VS) == MSTATUS_VS;
    return (uint64_t)set << (narrow ? 31 : 63);
}

bool sam_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value)
{
    const struct sam_machine *machine = sam_code_machine(core->code);
    bool narrow = machine->isa.xlen == 32;
    if (machine->csr_read && machine->csr_read(core, address, instret, value))
        return true;
    switch (address) {
    case 0x001: *value = core->fflags; return has_fp(machine);
    case 0x002: *value = core->frm; return has_fp(machine);
    case 0x003: *value = (uint64_t)core->frm << 5 | core->fflags; return has_fp(machine);
    case 0x300: *value = core->mstatus | dirty(core, narrow); return true;
    case 0x301: *value = misa(&machine->isa); return true;
    case 0x305: *value = core->mtvec; return true;
    case 0x340: *value = core->mscratch; return true;
    case 0x341: *value = core->mepc; return true;
    case 0x342: *value = core->mcause; return true;
    case 0x343: *value = core->mtval; return true;
    case 0xb00:
    case 0xb02:
    case 0xc00:
    case 0xc01:
    case 0xc02: *value = narrow ? (uint32_t)instret : instret; return true;
    case 0xc80:
    case 0xc81:
    case 0xc82: *value = instret >> 32; return narrow;
    case 0xf11:
    case 0xf12:
    case 0xf13: *value = 0; return true;
    case 0xf14: *value = core->hartid; return true;
    default: return false;
    }
}

bool sam_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value)
{
    const struct sam_machine *machine = sam_code_machine(core->code);
    if (machine->csr_write && machine->csr_write(core, address, next, value))
        return true;
    switch (address) {
    case 0x001: core->fflags = value & 31; return has_fp(machine);
    case 0x002: core->frm = value & 7; break;
    case 0x003:
        core->fflags = value & 31;
        core->frm = (value >> 5) & 7;
        break;
    case 0x300: core->mstatus = value & MSTATUS_BITS; return true;
    case 0x301: return true; /* fixed */
    case 0x305: core->mtvec = value & ~UINT64_C(3); return true;
    case 0x340: core->mscratch = value; return true;
    case 0x341: core->mepc = value & ~UINT64_C(3); return true;
    case 0x342: core->mcause = value; return true;
    case 0x343: core->mtval = value; return true;
    case 0xb00:
    case 0xb02: return true; /* counters keep running */
    default: return false;
    }
    core->frm_plain = core->frm == 0;
    return has_fp(machine);
}
