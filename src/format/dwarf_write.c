/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an image's line information as DWARF 4, which every debugger reads: one compilation unit,
 * whose line program has a sequence per contiguous stretch of code with known lines. */
#include <elf.h>

#include "format/format.h"

enum {
    DW_TAG_compile_unit = 0x11,
    DW_AT_name = 0x03,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_language = 0x13,
    DW_AT_producer = 0x25,
    DW_AT_ranges = 0x55,
    DW_FORM_addr = 0x01,
    DW_FORM_data2 = 0x05,
    DW_FORM_string = 0x08,
    DW_FORM_sec_offset = 0x17,
    DW_LANG_assembler = 0x8001, /* DW_LANG_Mips_Assembler, conventional for all assemblers */
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
};

/* Line program parameters: a special opcode advances the line by LINE_BASE to LINE_BASE +
 * LINE_RANGE - 1, and the address by the rest of its range. */
enum { LINE_BASE = -5, LINE_RANGE = 14, OPCODE_BASE = 13 };

static void put_u8(struct sam_buffer *out, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    sam_buffer_append(out, &byte, 1);
}

static void put_u16(struct sam_buffer *out, unsigned value)
{
    put_u8(out, value & 0xff);
    put_u8(out, value >> 8);
}

static void put_u32(struct sam_buffer *out, uint32_t value)
{
    uint8_t bytes[4];
    sam_put_le32(bytes, value);
    sam_buffer_append(out, bytes, sizeof bytes);
}

static void put_address(struct sam_buffer *out, unsigned xlen, uint64_t value)
{
    put_u32(out, (uint32_t)value);
    if (xlen == 64)
        put_u32(out, (uint32_t)(value >> 32));
}

static void put_uleb(struct sam_buffer *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        put_u8(out, (unsigned)(value & 0x7f) | 0x80);
    put_u8(out, (unsigned)value);
}

static void put_sleb(struct sam_buffer *out, int64_t value)
{
    for (; value < -64 || value > 63; value >>= 7)
        put_u8(out, (unsigned)(value & 0x7f) | 0x80);
    put_u8(out, (unsigned)(value & 0x7f));
}

static void put_text(struct sam_buffer *out, const char *text)
{
    sam_buffer_append(out, text, strlen(text) + 1);
}

/* Patch the length field before `start`. */
static void set_length(struct sam_buffer *out, size_t start)
{
    if (!out->failed)
        sam_put_le32(out->data + start - 4, (uint32_t)(out->size - start));
}

/* The registers of the line program. */
struct state {
    struct sam_buffer *out;
    unsigned xlen;
    uint64_t address;
    int64_t line;
    uint32_t file;
};

static void put_extended(struct state *s, unsigned opcode, unsigned operand_size)
{
    put_u8(s->out, 0);
    put_uleb(s->out, 1 + operand_size);
    put_u8(s->out, opcode);
}

static void begin(struct state *s, uint64_t address)
{
    put_extended(s, DW_LNE_set_address, s->xlen / 8);
    put_address(s->out, s->xlen, address);
    s->address = address;
    s->line = 1;
    s->file = 0;
}

static void end(struct state *s, uint64_t address)
{
    put_u8(s->out, DW_LNS_advance_pc);
    put_uleb(s->out, address - s->address);
    put_extended(s, DW_LNE_end_sequence, 0);
}

static void put_row(struct state *s, const struct sam_line *row)
{
    const uint64_t advance = row->address - s->address;
    const int64_t lines = (int64_t)row->line - s->line;
    if (row->file != s->file) {
        put_u8(s->out, DW_LNS_set_file);
        put_uleb(s->out, (uint64_t)row->file + 1);
    }
    const bool near = lines >= LINE_BASE && lines < LINE_BASE + LINE_RANGE;
    const uint64_t opcode = (uint64_t)(lines - LINE_BASE) + LINE_RANGE * advance + OPCODE_BASE;
    if (near && advance < 256 && opcode < 256) {
        put_u8(s->out, (unsigned)opcode);
    } else {
        if (advance) {
            put_u8(s->out, DW_LNS_advance_pc);
            put_uleb(s->out, advance);
        }
        put_u8(s->out, DW_LNS_advance_line);
        put_sleb(s->out, lines);
        put_u8(s->out, DW_LNS_copy);
    }
    s->address = row->address;
    s->line = row->line;
    s->file = row->file;
}

/* Text without a file, such as start code added by a command, has a name in angle brackets. A
 * debugger would search for it, so its lines are omitted. */
static bool has_source(const struct sam_image *image, const struct sam_line *row)
{
    return row->line != 0 && image->files[row->file][0] != '<';
}

/* Write the line program, and record the unit's code range. */
static void put_program(const struct sam_image *image, struct sam_dwarf *dwarf)
{
    struct state s = {.out = &dwarf->line, .xlen = image->xlen};
    uint64_t open = 0; /* end of the open sequence so far; 0: none */
    for (size_t i = 0; i < image->line_count; i++) {
        const struct sam_line *row = &image->lines[i];
        const struct sam_section *section = sam_image_section_at(image, row->address);
        if (!has_source(image, row) || !section)
            continue;
        uint64_t to = section->address + section->size;
        if (i + 1 < image->line_count && row[1].address < to)
            to = row[1].address;
        if (open != row->address) {
            if (open) {
                end(&s, open);
                put_address(&dwarf->ranges, s.xlen, open);
            }
            begin(&s, row->address);
            put_address(&dwarf->ranges, s.xlen, row->address);
        }
        put_row(&s, row);
        open = to;
    }
    if (open) {
        end(&s, open);
        put_address(&dwarf->ranges, s.xlen, open);
    }
    put_address(&dwarf->ranges, s.xlen, 0);
    put_address(&dwarf->ranges, s.xlen, 0);
}

static void put_lines(const struct sam_image *image, struct sam_dwarf *dwarf)
{
    static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    struct sam_buffer *out = &dwarf->line;
    put_u32(out, 0);
    const size_t unit = out->size;
    put_u16(out, 4);
    put_u32(out, 0);
    const size_t header = out->size;
    put_u8(out, 1); /* minimum instruction length: data between code may have any size */
    put_u8(out, 1); /* operations per instruction */
    put_u8(out, 1); /* default is_stmt */
    put_u8(out, (unsigned)LINE_BASE & 0xff);
    put_u8(out, LINE_RANGE);
    put_u8(out, OPCODE_BASE);
    sam_buffer_append(out, operands, sizeof operands);
    put_u8(out, 0); /* no include directories: paths are absolute */
    for (size_t i = 0; i < image->file_count; i++) {
        put_text(out, image->files[i]);
        sam_buffer_fill(out, 0, 3); /* directory, time, size: unknown */
    }
    put_u8(out, 0);
    set_length(out, header);
    put_program(image, dwarf);
    set_length(out, unit);
}

static void put_unit(const struct sam_image *image, struct sam_dwarf *dwarf)
{
    static const uint8_t abbreviation[] = {
        1,
        DW_TAG_compile_unit,
        0, /* no children */
        DW_AT_name,
        DW_FORM_string,
        DW_AT_producer,
        DW_FORM_string,
        DW_AT_language,
        DW_FORM_data2,
        DW_AT_low_pc,
        DW_FORM_addr,
        DW_AT_ranges,
        DW_FORM_sec_offset,
        DW_AT_stmt_list,
        DW_FORM_sec_offset,
        0,
        0,
        0,
    };
    struct sam_buffer *out = &dwarf->info;
    size_t named = image->line_count - 1;
    for (size_t i = image->line_count; i-- > 0;)
        if (has_source(image, &image->lines[i]))
            named = i;
    sam_buffer_append(&dwarf->abbrev, abbreviation, sizeof abbreviation);
    put_u32(out, 0);
    const size_t start = out->size;
    put_u16(out, 4);
    put_u32(out, 0); /* its abbreviations */
    put_u8(out, image->xlen / 8);
    put_u8(out, 1);
    put_text(out, image->files[image->lines[named].file]);
    put_text(out, "samite");
    put_u16(out, DW_LANG_assembler);
    put_address(out, image->xlen, 0); /* base of the ranges */
    put_u32(out, 0);
    put_u32(out, 0);
    set_length(out, start);
}

void sam_dwarf_make(const struct sam_image *image, struct sam_dwarf *dwarf)
{
    if (image->line_count == 0)
        return;
    put_lines(image, dwarf);
    put_unit(image, dwarf);
}

void sam_dwarf_free(struct sam_dwarf *dwarf)
{
    sam_buffer_free(&dwarf->line);
    sam_buffer_free(&dwarf->info);
    sam_buffer_free(&dwarf->abbrev);
    sam_buffer_free(&dwarf->ranges);
}
