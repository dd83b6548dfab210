/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the assembler. */
#include "asm/asm.h"

void sam_asm_out_of_memory(struct assembler *as)
{
    if (as->status != SAM_ERR_MEMORY)
        as->status = sam_fail_memory(as->error);
    as->stop = true;
}

/* Returns false if it was already reported. */
static bool report(struct assembler *as, struct asm_at at, bool is_error, const char *format,
                   va_list list)
{
    const struct asm_place *place = at.place;
    const struct sam_spot spot = {
        .file = place->file,
        .line = place->line,
        .column = at.column,
        .text = !place->size      ? NULL
                : place->original ? place->original
                                  : place->text,
        .size = place->size,
    };
    /* An operand shared by several words of a pseudo-instruction is reported once. */
    bool room = sam_report_takes(&as->report, is_error);
    if (!sam_report_add(&as->report, place->serial, is_error, &spot, format, list))
        return false;
    unsigned notes = 0;
    for (const struct asm_place *p = place; room && p->outer && notes < 8; p = p->outer, notes++)
        sam_report_note(&as->report, p->outer->file, p->outer->line,
                        p->macro ? p->macro : "a file included here");
    if (as->report.out.failed)
        sam_asm_out_of_memory(as);
    return true;
}

char *sam_asm_finish_messages(struct assembler *as)
{
    const bool too_many = as->report.errors >= SAM_REPORT_MOST;
    return sam_report_end(&as->report, too_many ? "error: too many errors, stopped\n" : NULL,
                          as->status == SAM_ERR_INPUT ? as->error : NULL);
}

void sam_asm_error(struct assembler *as, struct asm_at at, const char *format, ...)
{
    if (as->stop)
        return;
    va_list list;
    va_start(list, format);
    bool fresh = report(as, at, true, format, list);
    va_end(list);
    if (!fresh)
        return;
    if (as->status == SAM_OK)
        as->status = SAM_ERR_INPUT;
    if (!sam_report_takes(&as->report, true))
        as->stop = true;
}

void sam_asm_fatal(struct assembler *as, struct asm_at at, const char *format, ...)
{
    if (as->stop)
        return;
    char text[512];
    va_list list;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    sam_asm_error(as, at, "%s", text);
    as->stop = true;
}

void sam_asm_warning(struct assembler *as, struct asm_at at, const char *format, ...)
{
    if (as->stop)
        return;
    va_list list;
    va_start(list, format);
    report(as, at, false, format, list);
    va_end(list);
}
