/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and memory of the assembler. */
#include "asm/asm.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    BLOCK_SIZE = 64 << 10,
    SHOWN_LINE = 160,
};

struct asm_block {
    struct asm_block *next;
    size_t used, size;
    max_align_t data[];
};

void *sam_asm_new(struct assembler *as, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 4 / size) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    size_t bytes = (count * size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    struct asm_block *block = as->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE;
        as->memory += room;
        if (as->memory > as->max_memory) {
            sam_asm_fatal(as, sam_asm_statement_at(as),
                          "the program expands to more than %zu MiB of memory",
                          as->max_memory >> 20);
            return NULL;
        }
        block = calloc(1, sizeof *block + room);
        if (!block) {
            sam_asm_out_of_memory(as);
            return NULL;
        }
        block->size = room;
        block->next = as->blocks;
        as->blocks = block;
    }
    void *at = (char *)block->data + block->used;
    block->used += bytes;
    return at;
}

char *sam_asm_copy(struct assembler *as, const char *text, size_t size)
{
    char *copy = sam_asm_new(as, size + 1, 1);
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

struct asm_place *sam_asm_new_place(struct assembler *as)
{
    struct asm_place *place = sam_asm_new(as, 1, sizeof *place);
    if (place)
        place->serial = ++as->serial;
    return place;
}

void sam_asm_free_blocks(struct assembler *as)
{
    while (as->blocks) {
        struct asm_block *next = as->blocks->next;
        free(as->blocks);
        as->blocks = next;
    }
}

void sam_asm_out_of_memory(struct assembler *as)
{
    if (as->status != SAM_ERR_MEMORY)
        as->status = sam_fail_memory(as->error);
    as->stop = true;
}

/* The source line with the caret below the column; long lines are cut around it. */
static void show_line(struct assembler *as, struct asm_at at)
{
    const struct asm_place *place = at.place;
    const char *text = place->original ? place->original : place->text;
    if (!place->size)
        return;
    size_t from = 0, size = place->size;
    size_t column = at.column > size + 1 ? size + 1 : at.column;
    if (size > SHOWN_LINE) {
        from = column > SHOWN_LINE / 2 ? column - SHOWN_LINE / 2 : 0;
        size = size - from < SHOWN_LINE ? size - from : SHOWN_LINE;
    }
    struct sam_buffer *out = &as->messages;
    size_t before = column > from ? column - 1 - from : 0;
    before = before < size ? before : size;
    while (from + before < place->size && before && (text[from + before] & 0xc0) == 0x80)
        before--; /* do not split a character */
    sam_buffer_append(out, "    ", 4);
    size_t width = 4 + sam_buffer_plain(out, text + from, before, ' ');
    sam_buffer_plain(out, text + from + before, size - before, ' ');
    sam_buffer_append(out, "\n", 1);
    if (column) {
        sam_buffer_fill(out, ' ', width);
        sam_buffer_append(out, "^\n", 2);
    }
}

/* Whether the line at the end of the messages repeats the previous one at the same place. An
 * operand shared by several words of a pseudo-instruction is reported once. */
static bool is_repeated(const struct assembler *as, struct asm_at at, size_t start)
{
    const struct asm_message *last = as->index_count ? &as->index[as->index_count - 1] : NULL;
    const size_t size = as->messages.size - start;
    return last && !as->messages.failed && last->serial == at.place->serial &&
           last->first_line == size &&
           memcmp(as->messages.data + last->start, as->messages.data + start, size) == 0;
}

/* False: already reported. */
static bool report(struct assembler *as, struct asm_at at, const char *kind, const char *format,
                   va_list list)
{
    char text[512];
    sam_format_list(text, sizeof text, format, list);
    struct sam_buffer *out = &as->messages;
    size_t start = out->size;
    sam_buffer_plain(out, at.place->file, strlen(at.place->file), '?');
    sam_buffer_printf(out, ":%u:", at.place->line);
    if (at.column)
        sam_buffer_printf(out, "%u:", at.column);
    sam_buffer_printf(out, " %s: ", kind);
    sam_buffer_plain(out, text, strlen(text), '?');
    sam_buffer_append(out, "\n", 1);
    if (is_repeated(as, at, start)) {
        out->size = start;
        return false;
    }
    size_t first_line = out->size - start;
    show_line(as, at);
    unsigned notes = 0;
    for (const struct asm_place *p = at.place; p->outer && notes < 8; p = p->outer, notes++) {
        const char *in = p->macro ? p->macro : "a file included here";
        sam_buffer_plain(out, p->outer->file, strlen(p->outer->file), '?');
        sam_buffer_printf(out, ":%u: note: in ", p->outer->line);
        sam_buffer_plain(out, in, strlen(in), '?');
        sam_buffer_append(out, "\n", 1);
    }
    void *grown = sam_grow(as->index, as->index_count, &as->index_capacity, sizeof *as->index);
    if (out->failed || !grown) {
        sam_asm_out_of_memory(as);
        return true;
    }
    as->index = grown;
    as->index[as->index_count++] = (struct asm_message){start, out->size - start, first_line,
                                                        at.place->serial, kind[0] == 'e'};
    return true;
}

static int by_serial(const void *a, const void *b)
{
    const struct asm_message *x = a, *y = b;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

char *sam_asm_finish_messages(struct assembler *as)
{
    struct sam_buffer out = {0};
    bool first = as->status == SAM_ERR_INPUT;
    if (as->index_count)
        qsort(as->index, as->index_count, sizeof *as->index, by_serial);
    for (size_t i = 0; i < as->index_count; i++) {
        const struct asm_message *m = &as->index[i];
        const char *text = (const char *)as->messages.data + m->start;
        sam_buffer_append(&out, text, m->size);
        if (first && m->is_error)
            sam_fail(as->error, SAM_ERR_INPUT, "%.*s", (int)m->first_line - 1, text);
        first = first && !m->is_error;
    }
    if (as->error_count >= ASM_MAX_ERRORS)
        sam_buffer_printf(&out, "error: too many errors, stopped\n");
    char *text = out.failed ? NULL : sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    free(as->index);
    sam_buffer_free(&as->messages);
    return text;
}

void sam_asm_error(struct assembler *as, struct asm_at at, const char *format, ...)
{
    if (as->stop)
        return;
    va_list list;
    va_start(list, format);
    bool fresh = report(as, at, "error", format, list);
    va_end(list);
    if (!fresh)
        return;
    if (as->status == SAM_OK)
        as->status = SAM_ERR_INPUT;
    if (++as->error_count == ASM_MAX_ERRORS)
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
    if (as->stop || as->messages.size > (4u << 20))
        return;
    va_list list;
    va_start(list, format);
    report(as, at, "warning", format, list);
    va_end(list);
}
