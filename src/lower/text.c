/* SPDX-License-Identifier: Apache-2.0 */
/* Text emission: lines, labels, failure messages, notes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lower/hart.h"
#include "lower/op_map.h"
#include "lower/packed.h"

static void append(struct sam_buffer *out, const char *format, va_list list)
{
    char text[512] = "";
    va_list again;
    va_copy(again, list);
    const int length = sam_format_list(text, sizeof text, format, list);
    char *whole = length < (int)sizeof text ? NULL : sam_alloc((size_t)length + 1, 1);
    if (whole)
        sam_format_list(whole, (size_t)length + 1, format, again);
    out->failed |= length < 0 || (length >= (int)sizeof text && !whole);
    sam_buffer_puts(out, whole ? whole : text);
    free(whole);
    va_end(again);
}

/* Emit code: statements separated by ";", each a label, an instruction, a directive or a comment.
 */
static void put_code(struct sam_buffer *out, const char *code)
{
    while (*(code += strspn(code, " ;"))) {
        const size_t word = strcspn(code, " ;"), size = strcspn(code, ";");
        const bool label = code[word - 1] == ':';
        if (label)
            sam_buffer_printf(out, "%.*s\n", (int)word, code);
        else if (word < size)
            sam_buffer_printf(out, *code == '#' ? "    %.*s%.*s\n" : "    %-7.*s%.*s\n", (int)word,
                              code, (int)(size - word), code + word);
        else
            sam_buffer_printf(out, "    %.*s\n", (int)word, code);
        code += label ? word : size;
    }
}

static void put_list(struct sam_buffer *out, const char *format, va_list list)
{
    struct sam_buffer code = {0};
    append(&code, format, list);
    put_code(out, sam_buffer_text(&code));
    out->failed |= code.failed;
    sam_buffer_free(&code);
}

void sam_lower_code(struct sam_buffer *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(out, format, list);
    va_end(list);
}

void sam_lower_hart(struct lower *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(&l->hart, format, list);
    va_end(list);
}

unsigned sam_lower_label(struct lower *l)
{
    return l->labels++;
}

const char *sam_lower_op_name(const struct sam_tile_op *op)
{
    const char *name = sam_tile_code_name(op->code), *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void put_label(struct lower *l, const char *name, const struct sam_tile_op *op)
{
    char label[64];
    const uint32_t copy = sam_lower_copy(l, op);
    sam_format(label, sizeof label, "%s_%" PRIu32 "_%" PRIu32, name, op->pos.line, op->pos.column);
    if (copy)
        sam_format(label + strlen(label), sizeof label - strlen(label), "_%" PRIu32, copy + 1);
    sam_lower_hart(l, "%s:", label);
    sam_lower_mark(l, label, op);
}

void sam_lower_begin(struct lower *l, const struct sam_tile_op *op)
{
    bool *begun = &l->state->begun[op - l->p->ops];
    if (*begun)
        return;
    *begun = true;
    put_label(l, sam_lower_op_name(op), op);
}

void sam_lower_resume(struct lower *l, const struct sam_tile_op *op)
{
    put_label(l, "next", op);
}

void sam_lower_refuse(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
{
    struct sam_buffer text = {0};
    va_list list;
    va_start(list, format);
    append(&text, format, list);
    va_end(list);
    l->state->memory |= text.failed;
    sam_tile_error(l->report, op->pos, "%s", sam_buffer_text(&text));
    sam_buffer_free(&text);
}

unsigned sam_lower_failure(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
{
    struct lower_messages *m = &l->state->failures;
    struct sam_buffer text = {0};
    va_list list;
    sam_buffer_printf(&text, "%s:%" PRIu32 ":%" PRIu32 ": ", l->p->name, op->pos.line,
                      op->pos.column);
    va_start(list, format);
    append(&text, format, list);
    va_end(list);
    char **grown = sam_grow(m->items, m->count, &m->capacity, sizeof *grown);
    if (grown) {
        m->items = grown;
        m->items[m->count++] = sam_strdup(sam_buffer_text(&text));
    }
    l->state->memory |= !grown || text.failed || !m->items[m->count - 1];
    sam_buffer_free(&text);
    return (unsigned)m->count;
}

void sam_lower_note(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
{
    struct lower_state *s = l->state;
    struct sam_buffer text = {0};
    va_list list;
    va_start(list, format);
    append(&text, format, list);
    va_end(list);
    struct lower_remark *grown =
        sam_grow(s->remarks, s->remark_count, &s->remark_capacity, sizeof *grown);
    if (grown) {
        s->remarks = grown;
        s->remarks[s->remark_count++] =
            (struct lower_remark){(uint32_t)(op - l->p->ops), sam_strdup(sam_buffer_text(&text))};
        sam_lower_begin(l, op);
        sam_lower_hart(l, "# %s", sam_buffer_text(&text));
    }
    s->memory |= !grown || text.failed || !s->remarks[s->remark_count - 1].text;
    sam_buffer_free(&text);
}

/* Names in a failure message may contain any character. */
static void comment(struct sam_buffer *out, const char *text)
{
    sam_buffer_puts(out, "    # ");
    sam_buffer_plain(out, text, strlen(text), '?');
    sam_buffer_puts(out, "\n");
}

/* Emit the failure stubs and their common tail. */
static void write_failures(struct lower *l)
{
    const struct lower_messages *m = &l->state->failures;
    for (size_t i = 0; i < m->count; i++) {
        comment(&l->hart, m->items[i]);
        sam_lower_hart(l, ".Lfailure%zu: li t6, %zu; j .Lfailed", i + 1, i + 1);
    }
    sam_lower_hart(l, ".Lfailed: lla t5, failure; sw t6, 0(t5); lla t5, failure_numbers");
    for (unsigned i = 0; i < LOWER_NUMBERS; i++)
        sam_lower_hart(l, "sd a%u, %u(t5)", i, 8 * i);
    sam_lower_hart(l, ".Lended: lw t0, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(s1); "
                      "lla t0, failure; lw t1, 0(t0)");
    l->state->failure_at = l->hart.size;
    sam_lower_hart(l, "snez t1, t1; li t0, SAM_SYSTEM_EXIT; sw t1, 0(t0)");
    sam_buffer_printf(&l->data,
                      "    .balign 8\n"
                      "    .globl  failure, failure_numbers\n"
                      "failure:\n"
                      "    .word   0, 0xffffffff, 0, 0\n"
                      "failure_numbers:\n"
                      "    .zero   %u\n",
                      8 * LOWER_NUMBERS);
}

/* t0 = 0 if size a0 * stride a1 is representable (sam_tile_window_fits). */
static void write_fits(struct lower *l)
{
    sam_lower_hart(l, ".Lfits: li t1, 1; slli t1, t1, 55; slli t2, t1, 1; add t0, a1, t1; "
                      "sltu t0, t2, t0; mul t3, a0, a1; mulh t4, a0, a1; srai t5, t3, 63; "
                      "xor t4, t4, t5; add t3, t3, t1; sltu t3, t2, t3; or t0, t0, t3; "
                      "or t0, t0, t4; ret");
}

/* t0 = 1 if two tiles share a byte: a1 lines of a3 bytes at a0, pitch a2, and a5 lines of a7 bytes
 * at a4, pitch a6. Scans the first tile from its first line that ends after a4. With equal pitches
 * that line decides. */
static void write_meet(struct lower *l)
{
    sam_lower_hart(l, ".Lmeet: sub t0, a4, a0; sub t0, t0, a3; li t1, 0; bltz t0, 0f; "
                      "divu t1, t0, a2; addi t1, t1, 1; "
                      "0: mul t2, t1, a2; add t2, t2, a0; li t0, 0; "
                      "1: bge t1, a1, 3f; "
                      "add t3, t2, a3; " /* the last line that begins before its end */
                      "addi t3, t3, -1; sub t3, t3, a4; divu t4, t3, a6; blt t4, a5, 2f; "
                      "addi t4, a5, -1; "
                      "2: mul t4, t4, a6; add t4, t4, a4; add t4, t4, a7; slt t0, t2, t4; "
                      "bnez t0, 3f; beq a2, a6, 3f; addi t1, t1, 1; add t2, t2, a2; j 1b; "
                      "3: ret");
}

/* Emit the initial contents of the slots. */
static void write_slots(struct lower *l)
{
    const struct sam_buffer *slots = &l->state->slots;
    sam_buffer_printf(&l->data, "    .balign 16\nslots:\n");
    for (size_t at = 0; at + 8 <= slots->size;) {
        size_t zeros = at;
        while (zeros + 8 <= slots->size && sam_le64(slots->data + zeros) == 0)
            zeros += 8;
        if (zeros > at)
            sam_buffer_printf(&l->data, "    .zero   %zu\n", zeros - at);
        else
            sam_buffer_printf(&l->data, "    .dword  0x%" PRIx64 "\n", sam_le64(slots->data + at)),
                zeros += 8;
        at = zeros;
    }
}

void sam_lower_finish(struct lower *l)
{
    sam_lower_hart(l, "j .Lended");
    write_failures(l);
    sam_lower_hart(l, ".Lsetup:");
    sam_buffer_puts(&l->hart, sam_buffer_text(&l->state->setup));
    sam_lower_packed_setup(l);
    sam_lower_hart(l, "ret");
    if (l->state->fits)
        write_fits(l);
    if (l->state->meet)
        write_meet(l);
    sam_lower_packed_routine(l);
    sam_lower_copy_routines(l);
    write_slots(l);
    sam_lower_box_routines(l);
    sam_lower_routines(l);
}
