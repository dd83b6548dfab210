/* SPDX-License-Identifier: Apache-2.0 */
/* Text of faults and locations, shared by all machines. */
#include <stdio.h>

#include "machine/machine.h"

void sam_fault_text(const struct sam_fault *fault, unsigned digits, const char *outside, char *text,
                    size_t size)
{
    static const struct {
        const char *before, *after; /* text around the address; `after` NULL: no address */
    } words[] = {
        [SAM_CAUSE_FETCH_MISALIGNED] =
            {"jump to", ", not a multiple of 4 (compressed code? compile without C)"},
        [SAM_CAUSE_FETCH_ACCESS] = {"no code at", ""},
        [SAM_CAUSE_BREAKPOINT] = {"breakpoint", NULL},
        [SAM_CAUSE_LOAD_MISALIGNED] = {"misaligned load from", ""},
        [SAM_CAUSE_LOAD_ACCESS] = {"load from", ", which cannot be read"},
        [SAM_CAUSE_STORE_MISALIGNED] = {"misaligned store to", ""},
        [SAM_CAUSE_STORE_ACCESS] = {"store to", ", which cannot be written"},
        [SAM_CAUSE_FETCH_PAGE] = {"fetch page fault at", ""},
        [SAM_CAUSE_LOAD_PAGE] = {"load page fault at", ""},
        [SAM_CAUSE_STORE_PAGE] = {"store page fault at", ""},
    };
    const unsigned cause = fault->cause;
    if (cause >= SAM_COUNT(words) || !words[cause].before) {
        snprintf(text, size, "%s",
                 sam_isa_is_compressed(fault->address) ? "compressed instruction; compile without C"
                                                       : "illegal instruction");
        return;
    }
    const char *after = words[cause].after;
    if (outside && (cause == SAM_CAUSE_LOAD_ACCESS || cause == SAM_CAUSE_STORE_ACCESS))
        after = outside;
    if (after)
        snprintf(text, size, "%s 0x%0*llx%s", words[cause].before, (int)digits,
                 (unsigned long long)fault->address, after);
    else
        snprintf(text, size, "%s", words[cause].before);
}

void sam_fault_put_pc(struct sam_buffer *out, const struct sam_image *image, uint64_t pc,
                      unsigned digits)
{
    const struct sam_symbol *symbol = image ? sam_image_symbol_at(image, pc) : NULL;
    sam_buffer_printf(out, "pc 0x%0*llx", (int)digits, (unsigned long long)pc);
    if (symbol)
        sam_buffer_printf(out, " <%s+0x%llx>", symbol->name,
                          (unsigned long long)(pc - symbol->value));
}

/* If the word is an instruction of an extension of the hart, name the extension and an ISA string
 * that includes it. */
static void put_missing(struct sam_buffer *out, const struct sam_isa *isa, uint32_t word)
{
    char text[128];
    const struct sam_isa all =
        sam_isa_with(isa, SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR | SAM_EXT_ZFINX |
                              SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX);
    const struct sam_insn_row *row = &sam_insn_rows[sam_op_find(&all, word)];
    if ((isa->extensions & SAM_EXT_XVENTUS) || row == &sam_insn_rows[SAM_OP_ILLEGAL])
        return;
    const struct sam_isa wider = sam_isa_with(isa, row->on);
    sam_isa_format_missing(isa, row->on, text, sizeof text);
    sam_buffer_printf(out, "; %s needs %s: ", row->mnemonic, text);
    sam_isa_format(&wider, text, sizeof text);
    sam_buffer_printf(out, "--isa %s", text);
}

void sam_fault_put_word(struct sam_buffer *out, const struct sam_isa *isa,
                        const struct sam_image *image, uint64_t pc, uint32_t word)
{
    char insn[128] = "";
    if (!word)
        return;
    const bool known = sam_disassemble(isa, word, pc, 0, image, insn, sizeof insn);
    sam_buffer_printf(out, " (0x%08x) %s", word, insn);
    if (!known)
        put_missing(out, isa, word);
}
