/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as a function for other programs, in assembly that both GNU as and Samite accept. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "ops/operators.h"
#include "samite/image.h"
#include "samite/isa.h"

/* Save or restore the callee-saved counters, s2 and up. XLEN is unknown: each is stored as two
 * words, the upper one shifted by t0 = 32, which RV32 takes as 0. */
static void put_frame(unsigned counters, bool save, struct sam_buffer *out)
{
    const unsigned bytes = (8 * counters + 15) / 16 * 16;
    if (!counters)
        return;
    if (save)
        sam_buffer_printf(out, "    addi sp, sp, -%u\n", bytes);
    sam_buffer_puts(out, "    li t0, 32\n");
    for (unsigned i = 0; i < counters; i++) {
        const unsigned s = 2 + i, at = 8 * i;
        sam_buffer_printf(out,
                          save ? "    sw s%u, %u(sp)\n    srl t1, s%u, t0\n    sw t1, %u(sp)\n"
                               : "    lw s%u, %u(sp)\n    sll s%u, s%u, t0\n    lw t1, %u(sp)\n",
                          s, at, s, save ? at + 4 : s, at + 4);
        if (!save)
            sam_buffer_printf(
                out, "    srl s%u, s%u, t0\n    sll t1, t1, t0\n    or s%u, s%u, t1\n", s, s, s, s);
    }
    if (!save)
        sam_buffer_printf(out, "    addi sp, sp, %u\n", bytes);
}

/* Emit TensorLoad instructions and accesses to its CSRs as words, with their text as comments. */
static enum sam_status put_words(const char *text, struct sam_buffer *out, struct sam_error *error)
{
    struct sam_asm_options assembler = {.base = 0};
    enum sam_status status = sam_isa_parse("rv64im_zicsr_xtensorload", &assembler.isa, error);
    for (const char *line = text; *line && status == SAM_OK;) {
        const size_t size = strcspn(line, "\n") + 1;
        struct sam_image *image = NULL;
        char *messages = NULL;
        if (strncmp(line, "    tl.", 7) != 0 && strncmp(line, "    csr", 7) != 0) {
            sam_buffer_append(out, line, size);
            line += size;
            continue;
        }
        status = sam_assemble(&assembler, "routine", line, size, &image, &messages, error);
        if (status == SAM_OK)
            sam_buffer_printf(out, "    .word 0x%08" PRIx32 "    # %.*s",
                              sam_le32(image->sections[0].data), (int)size - 4, line + 4);
        sam_image_free(image);
        sam_text_free(messages);
        line += size;
    }
    return status;
}

static bool is_identifier(const char *name)
{
    const size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (!sam_is_alnum(name[i]) && name[i] != '_')
            return false;
    return size && size <= 64 && !sam_is_digit(*name);
}

enum sam_status sam_plan_routine(const struct sam_plan *plan, const char *name,
                                 const uint64_t *inputs, uint64_t output, char **text,
                                 struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, plan, name, inputs, text))
        return SAM_ERR_USAGE;
    if (!is_identifier(name))
        return sam_fail(error, SAM_ERR_USAGE, "routine '%.80s': expected an identifier of C", name);
    const unsigned counters = sam_plan_counters(plan);
    struct sam_buffer body = {0}, out = {0};
    char label[72];
    snprintf(label, sizeof label, "%s_", name);
    sam_buffer_printf(&out, "# void %s(void)\n", name);
    sam_plan_emit_places(plan, inputs, output, &out);
    sam_buffer_printf(&out, "    .text\n    .balign 4\n    .globl %s\n%s:\n", name, name);
    put_frame(counters, true, &out);
    sam_plan_emit_body(plan, label, inputs, output, &body);
    enum sam_status status =
        body.failed ? sam_fail_memory(error) : put_words(sam_buffer_text(&body), &out, error);
    put_frame(counters, false, &out);
    sam_buffer_puts(&out, "    ret\n");
    sam_plan_emit_tables(plan, label, &out);
    if (status == SAM_OK && (out.failed || !(*text = sam_strdup(sam_buffer_text(&out)))))
        status = sam_fail_memory(error);
    sam_buffer_free(&body);
    sam_buffer_free(&out);
    return status;
}
