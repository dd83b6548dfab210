/* SPDX-License-Identifier: Apache-2.0 */
/* The listing: address, words and text of each statement, in the order they were read. */
#include "asm/asm.h"

#include <stdlib.h>

enum { MOST_WORDS = 16 }; /* listed per statement; of more data only the size is listed */

void sam_asm_list_begin(struct assembler *as)
{
    void *grown = sam_grow(as->listed, as->listed_count, &as->listed_capacity, sizeof *as->listed);
    if (!grown) {
        sam_asm_out_of_memory(as);
        return;
    }
    as->listed = grown;
    as->listed[as->listed_count++] =
        (struct asm_listed){.statement = as->statement, .begin = sam_asm_here(as)};
}

void sam_asm_list_end(struct assembler *as, size_t row)
{
    struct asm_position here = sam_asm_here(as);
    struct asm_listed *listed = &as->listed[row];
    /* a directive that changes the section emits nothing */
    listed->end = here.section == listed->begin.section ? here : listed->begin;
}

/* The bytes of the final image at `address`; NULL where it has none (.bss). */
static const uint8_t *bytes_at(const struct sam_image *image, uint64_t address, uint64_t size)
{
    const struct sam_section *s = sam_image_section_at(image, address);
    const bool held =
        s && address - s->address < s->data_size && size <= s->data_size - (address - s->address);
    return held ? s->data + (address - s->address) : NULL;
}

/* Up to four bytes as a number, as the words of a hexadecimal file. */
static void put_word(struct sam_buffer *out, const uint8_t *bytes, uint64_t size)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < size; i++)
        word |= (uint32_t)bytes[i] << (8 * i);
    sam_buffer_hex(out, word, 2 * (unsigned)size);
    sam_buffer_fill(out, ' ', 8 - 2 * size);
}

/* The source line, or the text of an expansion with a leading '+' per level. Statements that share
 * a line are listed separately. */
static void put_source(struct sam_buffer *out, const struct asm_statement *s)
{
    for (const struct asm_place *p = s->place; p->outer; p = p->outer)
        sam_buffer_append(out, "+", 1);
    sam_buffer_append(out, " ", 1);
    const char *text = s->text;
    size_t size = s->size;
    if (s->place->original && s->text == s->place->text && s->size == s->place->size)
        text = s->place->original; /* with its comment */
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r'))
        size--;
    sam_buffer_plain(out, text, size, ' ');
}

static void put_row(struct assembler *as, const struct sam_image *image,
                    const struct asm_listed *row, struct sam_buffer *out)
{
    const unsigned digits = as->isa.xlen / 4;
    const uint64_t address = sam_asm_position_address(&row->begin);
    const uint64_t size = sam_asm_position_address(&row->end) - address;
    const uint8_t *bytes = size ? bytes_at(image, address, size) : NULL;
    uint64_t done = 0;
    if (size)
        sam_buffer_hex(out, as->isa.xlen == 32 ? (uint32_t)address : address, digits);
    else
        sam_buffer_fill(out, ' ', digits);
    sam_buffer_append(out, "  ", 2);
    if (bytes) {
        done = size < 4 ? size : 4;
        put_word(out, bytes, done);
    } else {
        sam_buffer_fill(out, ' ', 8);
    }
    sam_buffer_append(out, "  ", 2);
    put_source(out, &row->statement);
    sam_buffer_append(out, "\n", 1);
    while (bytes && done < size) {
        const uint64_t left = size - done;
        sam_buffer_hex(out, as->isa.xlen == 32 ? (uint32_t)(address + done) : address + done,
                       digits);
        sam_buffer_append(out, "  ", 2);
        if (done >= 4 * MOST_WORDS) {
            sam_buffer_printf(out, "... %llu more bytes\n", (unsigned long long)left);
            return;
        }
        put_word(out, bytes + done, left < 4 ? left : 4);
        while (out->size && out->data[out->size - 1] == ' ')
            out->size--;
        sam_buffer_append(out, "\n", 1);
        done += left < 4 ? left : 4;
    }
}

char *sam_asm_listing(struct assembler *as, const struct sam_image *image)
{
    struct sam_buffer out = {0};
    const char *file = NULL;
    for (size_t i = 0; i < as->listed_count && !out.failed; i++) {
        const struct asm_place *place = as->listed[i].statement.place;
        if (!place->macro && (!file || strcmp(file, place->file) != 0)) {
            file = place->file;
            sam_buffer_printf(&out, i ? "\n# " : "# ");
            sam_buffer_plain(&out, file, strlen(file), '?');
            sam_buffer_append(&out, "\n", 1);
        }
        put_row(as, image, &as->listed[i], &out);
    }
    char *text = out.failed ? NULL : sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    return text;
}
