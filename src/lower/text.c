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
    char text[512];
    va_list again;
    va_copy(again, list);
    const int length = sam_format_list(text, sizeof text, format, list);
    if (length >= 0 && (size_t)length < sizeof text) {
        sam_buffer_append(out, text, (size_t)length);
    } else if (length >= 0) {
        char *whole = malloc((size_t)length + 1);
        if (whole)
            sam_format_list(whole, (size_t)length + 1, format, again);
        out->failed |= !whole;
        if (whole)
            sam_buffer_append(out, whole, (size_t)length);
        free(whole);
    }
    va_end(again);
}

void sam_lower_hart(struct lower *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(&l->hart, format, list);
    va_end(list);
}

void sam_lower_data(struct lower *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(&l->data, format, list);
    va_end(list);
}

void sam_lower_gpu(struct lower *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(&l->gpu, format, list);
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
    sam_format(label, sizeof label, "%s_%" PRIu32 "_%" PRIu32, name, op->pos.line, op->pos.column);
    sam_lower_hart(l, "%s:\n", label);
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
        sam_lower_hart(l, "    # %s\n", sam_buffer_text(&text));
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
        sam_lower_hart(l,
                       ".Lfailure%zu:\n"
                       "    li      t6, %zu\n"
                       "    j       .Lfailed\n",
                       i + 1, i + 1);
    }
    sam_lower_hart(l, ".Lfailed:\n"
                      "    lla     t5, failure\n"
                      "    sw      t6, 0(t5)\n"
                      "    lla     t5, failure_numbers\n");
    for (unsigned i = 0; i < LOWER_NUMBERS; i++)
        sam_lower_hart(l, "    sd      a%u, %u(t5)\n", i, 8 * i);
    sam_lower_hart(l, ".Lended:\n"
                      "    lw      t0, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(s1)\n"
                      "    lla     t0, failure\n"
                      "    lw      t1, 0(t0)\n");
    l->state->failure_at = l->hart.size;
    sam_lower_hart(l, "    snez    t1, t1\n"
                      "    li      t0, SAM_SYSTEM_EXIT\n"
                      "    sw      t1, 0(t0)\n");
    sam_lower_data(l,
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
    sam_lower_hart(l, ".Lfits:\n"
                      "    li      t1, 1\n"
                      "    slli    t1, t1, 55\n"
                      "    slli    t2, t1, 1\n"
                      "    add     t0, a1, t1\n"
                      "    sltu    t0, t2, t0\n"
                      "    mul     t3, a0, a1\n"
                      "    mulh    t4, a0, a1\n"
                      "    srai    t5, t3, 63\n"
                      "    xor     t4, t4, t5\n"
                      "    add     t3, t3, t1\n"
                      "    sltu    t3, t2, t3\n"
                      "    or      t0, t0, t3\n"
                      "    or      t0, t0, t4\n"
                      "    ret\n");
}

/* t0 = 1 if two tiles share a byte: a1 lines of a3 bytes at a0, pitch a2, and a5 lines of a7 bytes
 * at a4, pitch a6. Scans the first tile from its first line that ends after a4. With equal pitches
 * that line decides. */
static void write_meet(struct lower *l)
{
    sam_lower_hart(l, ".Lmeet:\n"
                      "    sub     t0, a4, a0\n"
                      "    sub     t0, t0, a3\n"
                      "    li      t1, 0\n"
                      "    bltz    t0, 0f\n"
                      "    divu    t1, t0, a2\n"
                      "    addi    t1, t1, 1\n"
                      "0:  mul     t2, t1, a2\n"
                      "    add     t2, t2, a0\n"
                      "    li      t0, 0\n"
                      "1:  bge     t1, a1, 3f\n"
                      "    add     t3, t2, a3\n" /* the last line that begins before its end */
                      "    addi    t3, t3, -1\n"
                      "    sub     t3, t3, a4\n"
                      "    divu    t4, t3, a6\n"
                      "    blt     t4, a5, 2f\n"
                      "    addi    t4, a5, -1\n"
                      "2:  mul     t4, t4, a6\n"
                      "    add     t4, t4, a4\n"
                      "    add     t4, t4, a7\n"
                      "    slt     t0, t2, t4\n"
                      "    bnez    t0, 3f\n"
                      "    beq     a2, a6, 3f\n"
                      "    addi    t1, t1, 1\n"
                      "    add     t2, t2, a2\n"
                      "    j       1b\n"
                      "3:  ret\n");
}

/* Emit the initial contents of the slots. */
static void write_slots(struct lower *l)
{
    const struct sam_buffer *slots = &l->state->slots;
    sam_lower_data(l, "    .balign 16\nslots:\n");
    for (size_t at = 0; at + 8 <= slots->size;) {
        size_t zeros = at;
        while (zeros + 8 <= slots->size && sam_le64(slots->data + zeros) == 0)
            zeros += 8;
        if (zeros > at)
            sam_lower_data(l, "    .zero   %zu\n", zeros - at);
        else
            sam_lower_data(l, "    .dword  0x%" PRIx64 "\n", sam_le64(slots->data + at)),
                zeros += 8;
        at = zeros;
    }
}

void sam_lower_finish(struct lower *l)
{
    sam_lower_hart(l, "    j       .Lended\n");
    write_failures(l);
    sam_lower_hart(l, ".Lsetup:\n%s    ret\n", sam_buffer_text(&l->state->setup));
    if (l->state->fits)
        write_fits(l);
    if (l->state->meet)
        write_meet(l);
    sam_lower_packed_routine(l);
    write_slots(l);
    sam_lower_box_routines(l);
    sam_lower_routines(l);
}
