/* SPDX-License-Identifier: Apache-2.0 */
/* Describes traps. */
#include <stdio.h>

#include "hart/core.h"

enum { A7 = 17 };

/* If the instruction at pc belongs to a unit, the unit's last fault explains this trap. */
static void explain_unit(const struct sam_hart *hart, char *why, size_t size)
{
    uint32_t word;
    struct sam_fault fault;
    struct sam_insn insn;
    struct sam_work work;
    if (hart->core.pc & 3 || !sam_code_fetch(&hart->core, sam_hart_pc(hart), &word, &fault) ||
        !sam_code_decode(hart->code, word, 0, &insn))
        return;
    if (hart->tensor && sam_tensor_work_of(&hart->core, &insn, &work))
        sam_tensor_describe_fault(&hart->core, why, size);
    else if (hart->matrix && sam_matrix_is(&insn))
        sam_matrix_describe_fault(&hart->core, why, size);
}

/* Whether the code ends here: execution has continued past the last instruction. */
static bool is_past_the_end(const struct sam_hart *hart, unsigned cause)
{
    const struct sam_image *image = hart->image;
    const uint64_t pc = sam_hart_pc(hart);
    bool ends = false;
    if (cause != SAM_CAUSE_ILLEGAL && cause != SAM_CAUSE_FETCH_ACCESS)
        return false;
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->execute && s->address == pc)
            return false;
        ends |= s->execute && s->address + s->size == pc;
    }
    return ends;
}

void sam_hart_cause_text(const struct sam_hart *hart, unsigned cause, uint64_t tval, char *text,
                         size_t size)
{
    const struct sam_fault fault = {cause, tval};
    char why[SAM_HART_CAUSE_TEXT] = "";
    if (cause == SAM_CAUSE_ECALL)
        snprintf(text, size, "ecall with a7 = %llu", (unsigned long long)sam_hart_x(hart, A7));
    else
        sam_fault_text(&fault, 0, hart->port_end == SAM_HART_PORT_FAULT ? "" : NULL, text, size);
    explain_unit(hart, why, sizeof why);
    if (hart->port_end == SAM_HART_PORT_FAULT)
        hart->home.ports.explain(hart->home.ports.context, why, sizeof why);
    if (!why[0] && sam_hart_is_port(hart, tval) && hart->port_end != SAM_HART_PORT_FAULT)
        snprintf(why, sizeof why, "control registers take aligned words only, by lw and sw");
    if (is_past_the_end(hart, cause))
        snprintf(why, sizeof why,
                 "past the last instruction of the program, which needs an exit (li a7, 93; ecall) "
                 "or --until");
    const size_t used = strlen(text);
    if (why[0])
        snprintf(text + used, size - used, ": %s", why);
}

void sam_hart_describe(const struct sam_hart *hart, struct sam_hart_result *result)
{
    struct sam_buffer out = {0};
    char what[SAM_HART_CAUSE_TEXT];
    sam_hart_cause_text(hart, result->cause, result->tval, what, sizeof what);
    sam_buffer_printf(&out, "%s; ", what);
    sam_fault_put_pc(&out, hart->image, result->pc, hart->machine.isa.xlen / 4);
    sam_fault_put_word(&out, &hart->machine.isa, hart->image, result->pc, result->word);
    /* Such a program may still run: the flag may concern only a part of it. */
    if (hart->image && hart->image->compressed &&
        (result->cause == SAM_CAUSE_ILLEGAL || result->cause == SAM_CAUSE_FETCH_MISALIGNED))
        sam_buffer_printf(&out, "; the program's ELF flags announce compressed instructions");
    snprintf(result->text, sizeof result->text, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}
