/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a trap. */
#include <stdio.h>

#include "hart/core.h"

enum { A7 = 17 };

/* Whether the instruction at pc belongs to the TensorLoad unit, so that the unit's last fault
 * explains this trap. */
static bool is_tensor(const struct sam_hart *hart)
{
    uint32_t word;
    struct sam_fault fault;
    struct sam_insn insn;
    struct sam_work work;
    return hart->tensor && !(hart->core.pc & 3) &&
           sam_code_fetch(&hart->core, sam_hart_pc(hart), &word, &fault) &&
           sam_code_decode(hart->code, word, 0, &insn) &&
           sam_tensor_work_of(&hart->core, &insn, &work);
}

static void plain_text(const struct sam_hart *hart, unsigned cause, uint64_t tval, char *text,
                       size_t size)
{
    static const char *const formats[] = {
        [SAM_CAUSE_FETCH_MISALIGNED] = ("jump to 0x%llx, not a multiple of 4 (compressed code? "
                                        "compile without C)"),
        [SAM_CAUSE_FETCH_ACCESS] = "no code at 0x%llx",
        [SAM_CAUSE_BREAKPOINT] = "breakpoint",
        [SAM_CAUSE_LOAD_MISALIGNED] = "misaligned load from 0x%llx",
        [SAM_CAUSE_LOAD_ACCESS] = "load from 0x%llx, which cannot be read",
        [SAM_CAUSE_STORE_MISALIGNED] = "misaligned store to 0x%llx",
        [SAM_CAUSE_STORE_ACCESS] = "store to 0x%llx, which cannot be written",
    };
    const char *format = cause < SAM_COUNT(formats) ? formats[cause] : NULL;
    if (cause == SAM_CAUSE_ECALL)
        snprintf(text, size, "ecall with a7 = %llu", (unsigned long long)sam_hart_x(hart, A7));
    else if (format)
        snprintf(text, size, format, (unsigned long long)tval);
    else
        snprintf(text, size, "%s",
                 sam_word_is_compressed(tval) ? "compressed instruction; compile without C"
                                              : "illegal instruction");
}

void sam_hart_put_pc(const struct sam_hart *hart, uint64_t pc, unsigned digits,
                     struct sam_buffer *out)
{
    const struct sam_symbol *symbol = hart->image ? sam_image_symbol_at(hart->image, pc) : NULL;
    sam_buffer_printf(out, "pc 0x%0*llx", (int)digits, (unsigned long long)pc);
    if (symbol)
        sam_buffer_printf(out, " <%s+0x%llx>", symbol->name,
                          (unsigned long long)(pc - symbol->value));
}

void sam_hart_cause_text(const struct sam_hart *hart, unsigned cause, uint64_t tval, char *text,
                         size_t size)
{
    char why[SAM_HART_CAUSE_TEXT] = "";
    plain_text(hart, cause, tval, text, size);
    if (is_tensor(hart))
        sam_tensor_describe_fault(&hart->core, why, sizeof why);
    const size_t used = strlen(text);
    if (why[0])
        snprintf(text + used, size - used, ": %s", why);
}

void sam_hart_describe(const struct sam_hart *hart, struct sam_hart_result *result)
{
    struct sam_buffer out = {0};
    char what[SAM_HART_CAUSE_TEXT], insn[128];
    unsigned digits = hart->machine.isa.xlen / 4;
    sam_hart_cause_text(hart, result->cause, result->tval, what, sizeof what);
    sam_buffer_printf(&out, "%s; ", what);
    sam_hart_put_pc(hart, result->pc, digits, &out);
    if (result->word) {
        sam_disassemble(&hart->machine.isa, result->word, result->pc, 0, hart->image, insn,
                        sizeof insn);
        sam_buffer_printf(&out, " (0x%08x) %s", result->word, insn);
    }
    /* Such a program may still run: the flag may apply to only a part of it. */
    if (hart->image && hart->image->compressed &&
        (result->cause == SAM_CAUSE_ILLEGAL || result->cause == SAM_CAUSE_FETCH_MISALIGNED))
        sam_buffer_printf(&out, "; the program's ELF flags announce compressed instructions");
    snprintf(result->text, sizeof result->text, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}
