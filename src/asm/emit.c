/* SPDX-License-Identifier: Apache-2.0 */
/* Pass two: encode values into fields, items into bytes, sections into an image. */
#include "asm/asm.h"

#include <stdio.h>
#include <stdlib.h>

/* --- fields */

static int32_t slot_field(uint32_t prefix, enum sam_op op, enum sam_slot slot)
{
    bool immediate = op == SAM_OP_regexti || op == SAM_OP_regpairi;
    static const int shifts[2][SAM_SLOT_RS3 + 1] = {
        {[SAM_SLOT_RD] = 0, [SAM_SLOT_RS1] = 3, [SAM_SLOT_RS2] = 6, [SAM_SLOT_RS3] = 9},
        {[SAM_SLOT_RD] = 0, [SAM_SLOT_RS1] = -1, [SAM_SLOT_RS2] = 3, [SAM_SLOT_RS3] = -1},
    };
    int shift = shifts[immediate][slot];
    return shift < 0 ? 0 : (int32_t)(prefix >> (20 + shift) & 7);
}

static uint32_t slot_bits(enum sam_op op, enum sam_slot slot, int32_t number)
{
    static const int shifts[2][SAM_SLOT_RS3 + 1] = {
        {[SAM_SLOT_RD] = 0, [SAM_SLOT_RS1] = 3, [SAM_SLOT_RS2] = 6, [SAM_SLOT_RS3] = 9},
        {[SAM_SLOT_RD] = 0, [SAM_SLOT_RS2] = 3},
    };
    return (uint32_t)(number >> 5) << (20 + shifts[op == SAM_OP_regexti][slot]);
}

struct encoder {
    struct assembler *as;
    const struct asm_insn *insn;
    uint32_t word;
    uint32_t prefix;       /* the prefix word in force, written or inserted */
    enum sam_op prefix_op; /* SAM_OP_ILLEGAL: none */
};

static void put_register(struct encoder *e, const struct asm_arg *arg)
{
    char kind = arg->operand->kind == SAM_KIND_X ? 'x' : 'v';
    e->word = sam_operand_put(arg->operand, e->word, arg->number & 31);
    if (e->insn->prefix) {
        e->prefix |= slot_bits(e->insn->prefix, arg->operand->slot, arg->number);
    } else if (e->insn->explicit_prefix && arg->number > 31) {
        int32_t field = slot_field(e->prefix, e->prefix_op, arg->operand->slot);
        if (field != arg->number >> 5)
            sam_asm_error(e->as, arg->at,
                          "%c%d as %s needs bits 7:5 = %d, the %s in front gives %d", kind,
                          arg->number, arg->operand->name, arg->number >> 5,
                          sam_insn_rows[e->prefix_op].mnemonic, field);
    }
}

static void out_of_range(struct encoder *e, const struct asm_arg *arg, int64_t value, int64_t low,
                         int64_t high)
{
    sam_asm_error(e->as, arg->at, "%s: %s = %lld is outside %lld..%lld",
                  sam_insn_rows[e->insn->op].mnemonic, arg->operand->name, (long long)value,
                  (long long)low, (long long)high);
}

/* On RV32, 0xfffff800 and -2048 are the same number. */
static int64_t normal(const struct assembler *as, const struct sam_operand *operand, int64_t value)
{
    bool wraps = as->isa.xlen == 32 && operand->is_signed;
    return wraps && value > INT32_MAX && value <= UINT32_MAX ? value - (INT64_C(1) << 32) : value;
}

/* A 5-bit immediate that a prefix may widen to 11 bits. Without a prefix, or when it fits, it goes
 * into the field; otherwise its upper bits go into the prefix. Ventus 4.2.2: vector immediates are
 * sign-extended, those of csr instructions zero-extended. */
static void put_widening(struct encoder *e, const struct asm_arg *arg, int64_t value)
{
    bool wide = e->prefix_op == SAM_OP_regexti || e->prefix_op == SAM_OP_regpairi;
    bool is_csr = arg->operand->letter == 'Z';
    int64_t low, high;
    sam_operand_range(arg->operand, &low, &high);
    bool fits = value >= low && value <= high;
    if (wide && !fits) {
        low = is_csr ? 0 : -1024;
        high = is_csr ? 2047 : 1023;
    }
    if (value < low || value > high) {
        out_of_range(e, arg, value, low, high);
        return;
    }
    uint32_t upper = (uint32_t)(value >> 5) & 63;
    if (e->insn->prefix == SAM_OP_regexti)
        e->prefix |= upper << 26;
    else if (wide && !fits && e->prefix >> 26 != upper)
        sam_asm_error(e->as, arg->at, "%s = %lld needs bits 10:5 = %u, the %s in front gives %u",
                      arg->operand->name, (long long)value, upper,
                      sam_insn_rows[e->prefix_op].mnemonic, e->prefix >> 26);
    e->word = sam_operand_put(arg->operand, e->word, (int32_t)value & 31);
}

static void put_target(struct encoder *e, const struct asm_arg *arg, int64_t value)
{
    struct assembler *as = e->as;
    int64_t distance = (int64_t)((uint64_t)value - e->insn->address), low, high;
    if (as->isa.xlen == 32)
        distance = (int32_t)distance;
    if (e->insn->relaxed)
        return; /* the jump after it has the prefix */
    sam_operand_range(arg->operand, &low, &high);
    if (distance & 1) {
        sam_asm_error(as, arg->at, "the target 0x%llx is not even", (unsigned long long)value);
    } else if (distance < low || distance > high) {
        bool vector = sam_insn_rows[e->insn->op].does.act == SAM_ACT_SPLIT;
        sam_asm_error(as, arg->at, "the target is %lld bytes away, %s reaches %lld..%lld%s",
                      (long long)distance, sam_insn_rows[e->insn->op].mnemonic, (long long)low,
                      (long long)high,
                      vector ? " (a vector branch is never lengthened: branch to a j)" : "");
    } else {
        e->word = sam_operand_put(arg->operand, e->word, (int32_t)distance);
    }
}

static void put_number(struct encoder *e, const struct asm_arg *arg)
{
    struct assembler *as = e->as;
    const struct sam_operand *operand = arg->operand;
    int64_t value = arg->number, low, high;
    if (arg->expr && sam_asm_eval(as, arg->expr, e->insn, false, &value) != ASM_KNOWN)
        return;
    if (operand->kind == SAM_KIND_TARGET) {
        put_target(e, arg, value);
        return;
    }
    value = normal(as, operand, value);
    if (sam_operand_widens(operand)) {
        put_widening(e, arg, value);
        return;
    }
    sam_operand_range(operand, &low, &high);
    if (operand->letter == 'e') /* a bit field, which compilers print as signed */
        low = -2048;
    if (value < low || value > high)
        out_of_range(e, arg, value, low, high);
    else
        e->word = sam_operand_put(operand, e->word, (int32_t)value);
}

static void explicit_prefix_word(struct encoder *e)
{
    uint32_t words[3];
    struct assembler quiet = *e->as; /* its errors were reported at its own line */
    quiet.stop = true;
    sam_asm_encode(&quiet, e->insn->explicit_prefix, words);
    e->prefix = words[0];
    e->prefix_op = e->insn->explicit_prefix->op;
}

unsigned sam_asm_encode(struct assembler *as, const struct asm_insn *insn, uint32_t words[3])
{
    const struct sam_insn_row *row = &sam_insn_rows[insn->op];
    struct encoder e = {as, insn, row->match | insn->bits, 0, SAM_OP_ILLEGAL};
    unsigned errors = as->report.errors, count = 0;
    if (insn->prefix) {
        e.prefix = sam_insn_rows[insn->prefix].match;
        e.prefix_op = insn->prefix;
    } else if (insn->explicit_prefix) {
        explicit_prefix_word(&e);
    }
    for (unsigned i = 0; i < insn->args->count; i++) {
        const struct asm_arg *arg = &insn->args->arg[i];
        if (sam_kind_is_register(arg->operand->kind))
            put_register(&e, arg);
        else if (arg->operand->kind == SAM_KIND_VM || arg->operand->kind == SAM_KIND_RM)
            e.word = sam_operand_put(arg->operand, e.word, arg->number);
        else if (arg->operand->kind != SAM_KIND_V0)
            put_number(&e, arg);
    }
    if (sam_asm_becomes_lui(as, insn))
        e.word ^= sam_insn_rows[SAM_OP_auipc].match ^ sam_insn_rows[SAM_OP_lui].match;
    struct sam_insn decoded;
    if (insn->explicit_prefix && !sam_op_is_prefix(insn->op) && as->report.errors == errors &&
        !sam_decode(&as->isa, e.word, e.prefix, &decoded))
        sam_asm_error(as, insn->at, "'%s' is illegal after this %s (Ventus manual 4.2.2)",
                      row->mnemonic, sam_insn_rows[e.prefix_op].mnemonic);
    if (insn->prefix)
        words[count++] = e.prefix;
    words[count++] = e.word;
    if (insn->relaxed) {
        /* the branch, inverted, skips a jump: funct3 bit 0 inverts every condition */
        const struct sam_operand *reach = sam_operand_find('p'), *jump = sam_operand_find('a');
        const struct asm_arg *target = sam_asm_find_arg(insn->args, 'p');
        int64_t value = 0, low, high;
        sam_asm_eval(as, target->expr, insn, true, &value);
        int64_t distance = (int64_t)((uint64_t)value - insn->address - 4);
        if (as->isa.xlen == 32)
            distance = (int32_t)distance;
        sam_operand_range(jump, &low, &high);
        if (distance < low || distance > high || (distance & 1))
            sam_asm_error(as, target->at,
                          "the target is %lld bytes away, even a jump reaches %lld..%lld",
                          (long long)distance, (long long)low, (long long)high);
        words[count - 1] = sam_operand_put(reach, e.word ^ 1u << 12, 8);
        words[count++] = sam_operand_put(jump, sam_insn_rows[SAM_OP_jal].match, (int32_t)distance);
    }
    return count;
}

/* --- bytes */

static void put_value(struct assembler *as, const struct asm_item *item, struct sam_buffer *out)
{
    int64_t value;
    uint8_t bytes[8] = {0};
    int64_t limit = item->size < 8 ? INT64_C(1) << (8 * item->size) : 0;
    if (sam_asm_eval(as, item->value, NULL, false, &value) == ASM_KNOWN) {
        if (limit && (value < -limit / 2 || value >= limit))
            sam_asm_error(as, item->at, "the value %lld does not fit %d bits", (long long)value,
                          (int)item->size * 8);
        for (unsigned i = 0; i < item->size; i++)
            bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
    sam_buffer_append(out, bytes, item->size);
}

static void put_fill(const struct asm_item *item, struct sam_buffer *out)
{
    if (item->fill.width <= 1 || item->fill.pattern == 0) {
        sam_buffer_fill(out, (uint8_t)item->fill.pattern, item->size);
        return;
    }
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(item->fill.pattern >> (8 * i));
    for (uint64_t i = 0; i < item->size; i += item->fill.width)
        sam_buffer_append(out, bytes, item->fill.width);
}

static void put_align(const struct asm_section *section, const struct asm_item *item,
                      struct sam_buffer *out)
{
    if (item->align.fill >= 0 || !section->execute) {
        sam_buffer_fill(out, item->align.fill > 0 ? (uint8_t)item->align.fill : 0, item->size);
        return;
    }
    static const uint8_t nop[4] = {0x13, 0, 0, 0};
    sam_buffer_fill(out, 0, item->size % 4);
    for (uint64_t i = item->size % 4; i < item->size; i += 4)
        sam_buffer_append(out, nop, 4);
}

void sam_asm_section_bytes(struct assembler *as, const struct asm_section *section,
                           struct sam_buffer *out)
{
    for (size_t i = 0; i < section->count && !as->stop; i++) {
        const struct asm_item *item = &section->items[i];
        switch (item->kind) {
        case ITEM_INSN: {
            uint32_t words[3];
            if (section->execute && item->offset % 4)
                sam_asm_warning(as, item->at,
                                "the instruction is not 4-byte aligned and will trap (.align 2 is "
                                "missing)");
            unsigned count = sam_asm_encode(as, item->insn, words);
            for (unsigned w = 0; w < count; w++) {
                uint8_t bytes[4];
                sam_put_le32(bytes, words[w]);
                sam_buffer_append(out, bytes, 4);
            }
            break;
        }
        case ITEM_RAW: sam_buffer_append(out, section->raw.data + item->raw, item->size); break;
        case ITEM_VALUE: put_value(as, item, out); break;
        case ITEM_FILL: put_fill(item, out); break;
        case ITEM_ALIGN: put_align(section, item, out); break;
        }
    }
    if (out->failed)
        sam_asm_out_of_memory(as);
}

/* Check values in a section without data that were unknown in pass one. */
static void check_zeros(struct assembler *as, const struct asm_section *section)
{
    for (size_t i = 0; i < section->count && !as->stop; i++) {
        const struct asm_item *item = &section->items[i];
        int64_t value;
        if (item->kind == ITEM_VALUE &&
            sam_asm_eval(as, item->value, NULL, false, &value) == ASM_KNOWN && value)
            sam_asm_refuse_value(as, section, item->at);
    }
}

/* --- image */

static void add_section(struct assembler *as, struct sam_image *image,
                        const struct asm_section *section)
{
    struct sam_buffer bytes = {0};
    struct sam_section out = {.name = section->name,
                              .address = section->address,
                              .size = section->size,
                              .execute = section->execute,
                              .write = section->write};
    if (section->nobits) {
        check_zeros(as, section);
    } else {
        sam_asm_section_bytes(as, section, &bytes);
        out.data = bytes.data;
        out.data_size = bytes.size;
    }
    struct asm_place place = {.file = section->name, .line = 1};
    struct sam_error error = {0};
    if (section->is_debug) {
        if (!as->stop && as->report.errors == 0 &&
            sam_image_add_debug(image, section->name, bytes.data, bytes.size, NULL) != SAM_OK)
            sam_asm_out_of_memory(as);
    } else if (as->isa.xlen == 32 && section->address + section->size > UINT64_C(1) << 32)
        sam_asm_error(as, (struct asm_at){&place, 0}, "the section ends beyond 32 bits");
    else if (!as->stop && as->report.errors == 0 &&
             sam_image_add_section(image, &out, &error) == SAM_ERR_MEMORY)
        sam_asm_out_of_memory(as);
    else if (error.status != SAM_OK)
        sam_asm_error(as, (struct asm_at){&place, 0}, "%s", error.text);
    else if (!as->stop && as->report.errors == 0 &&
             strcmp(section->name, SAM_RESOURCE_SECTION) == 0) {
        if (bytes.size % SAM_RESOURCE_BYTES)
            sam_asm_error(as, (struct asm_at){&place, 0}, "%zu bytes: expected %d for each kernel",
                          bytes.size, SAM_RESOURCE_BYTES);
        else if (!sam_image_add_resources(image, bytes.data, bytes.size))
            sam_asm_out_of_memory(as);
    }
    sam_buffer_free(&bytes);
}

static void add_symbol(struct assembler *as, struct sam_image *image,
                       const struct asm_symbol *symbol)
{
    struct sam_symbol out = {.name = symbol->name,
                             .global = symbol->global,
                             .function = symbol->function,
                             .section_relative = symbol->state == SYMBOL_LABEL};
    int64_t value = 0, size = 0;
    if (symbol->size)
        sam_asm_eval(as, symbol->size, NULL, false, &size);
    if (symbol->state == SYMBOL_EQU)
        sam_asm_eval(as, symbol->equ->expr, NULL, true, &value);
    else
        value = (int64_t)sam_asm_position_address(&symbol->position);
    out.value = as->isa.xlen == 32 ? (uint32_t)value : (uint64_t)value;
    out.size = size > 0 ? (uint64_t)size : 0;
    if (!symbol->hidden && as->report.errors == 0 &&
        sam_image_add_symbol(image, &out, NULL) != SAM_OK)
        sam_asm_out_of_memory(as);
}

struct sam_image *sam_asm_emit(struct assembler *as)
{
    struct sam_image *image = sam_image_new(as->isa.xlen);
    if (!image) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    for (size_t i = 0; i < as->section_count; i++)
        if (as->sections[i]->size || as->sections[i]->execute)
            add_section(as, image, as->sections[i]);
    const struct asm_symbol *symbol;
    for (size_t at = 0; (symbol = sam_names_next(&as->symbols, &at));)
        if (symbol->state != SYMBOL_UNDEFINED)
            add_symbol(as, image, symbol);
    image->entry = as->sections[0]->address;
    const struct sam_symbol *start = sam_image_find(image, "_start");
    if (start)
        image->entry = start->value;
    struct asm_place place = {.file = "layout", .line = 1};
    struct sam_error error = {0};
    if (as->report.errors == 0 && sam_image_finish(image, &error) != SAM_OK)
        sam_asm_error(as, (struct asm_at){&place, 0}, "%s", error.text);
    if (as->report.errors == 0 && as->options.lines)
        sam_asm_lines(as, image);
    return image;
}
