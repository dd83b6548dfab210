/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the headers of include/samite/device/ that follow from the instruction tables:
 *   device_headers FOLDER          write csr.h, tensorload.h, matrix.h and layout.inc there
 *   device_headers --check FOLDER  only compare; exit code 1 when one differs
 * A function per instruction. A constant operand is part of the word; scalar registers are pinned
 * to a0, a1, ... and named in the word, because assemblers do not know the instructions. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "samite/device/layout.h"

#define TITLE                                                                                      \
    "/* SPDX-License-Identifier: Apache-2.0 */\n"                                                  \
    "/* Generated from the instruction tables by tools/device_headers.c: change it there. */\n"    \
    "/* clang-format off */\n"

struct header {
    const char *name, *guard, *form, *about;
    uint32_t extension;
};

static const struct header headers[] = {
    {"tensorload.h", "SAMITE_DEVICE_TENSORLOAD_H", "TL",
     "/* TensorLoad for programs on the tensor hart: a function per instruction, which executes "
     "it.\n"
     " * A macro defines functions with the same operands. Register numbers (tl0..tl31) and\n"
     " * immediates must be constants. A name ending in _on has the engine as its first argument:\n"
     " * 0 load, 1 comp, 2 store, 3 reshape. docs/tensor-hart.md explains them. */\n",
     SAM_EXT_XTENSORLOAD},
    {"matrix.h", "SAMITE_DEVICE_MATRIX_H", "MX",
     "/* The matrix unit for programs on the tensor hart: a function per instruction, which\n"
     " * executes it. A macro defines functions with the same operands. Register numbers (m0..m7)\n"
     " * and immediates must be constants. docs/matrix.md explains them. */\n",
     SAM_EXT_XMATRIX},
};

enum { A0 = 10, MOST = 4, MOST_FORMS = 64 };

/* An operand as a parameter. */
struct parameter {
    const struct sam_operand *operand;
    char name[16];
    bool address;
    unsigned pin; /* the register a<pin> it is in; a result is in a0 */
};

struct function {
    const struct sam_insn_row *row;
    struct parameter parameters[MOST];
    unsigned count;
    bool result;
};

static bool is_x(const struct sam_operand *operand)
{
    return operand->kind == SAM_KIND_X || operand->kind == SAM_KIND_X8;
}

/* "rs1'" and "uimm[2:0]" as names of C. */
static void name_parameter(const struct sam_operand *operand, char name[16])
{
    size_t n = 0;
    for (const char *c = operand->name; n < 15 && (isalnum((unsigned char)*c) || *c == '_'); c++)
        name[n++] = *c;
    name[n] = '\0';
}

static struct function describe(const struct sam_insn_row *row)
{
    struct function f = {.row = row};
    unsigned pins = 0;
    for (const char *c = row->operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand)
            continue;
        if (f.count == MOST)
            abort();
        struct parameter *p = &f.parameters[f.count++];
        *p = (struct parameter){.operand = operand};
        name_parameter(operand, p->name);
        p->address = is_x(operand) && c > row->operands && c[-1] == '(';
        if (is_x(operand) && operand->slot == SAM_SLOT_RD)
            f.result = true;
        else if (is_x(operand))
            p->pin = pins++;
    }
    return f;
}

static void put_name(struct sam_buffer *out, const char *mnemonic)
{
    sam_buffer_puts(out, "sam_");
    for (const char *c = mnemonic; *c; c++)
        sam_buffer_append(out, *c == '.' ? "_" : c, 1);
}

static bool is_result(const struct function *f, const struct parameter *p)
{
    return f->result && is_x(p->operand) && p->operand->slot == SAM_SLOT_RD;
}

static void put_parameters(struct sam_buffer *out, const struct function *f, bool engine)
{
    const char *between = "";
    if (engine) {
        sam_buffer_puts(out, "const unsigned engine");
        between = ", ";
    }
    for (unsigned i = 0; i < f->count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (is_result(f, p))
            continue;
        sam_buffer_printf(out, "%s%s%s", between,
                          p->address              ? "const volatile void *"
                          : is_x(p->operand)      ? "uintptr_t "
                          : p->operand->is_signed ? "const int "
                                                  : "const unsigned ",
                          p->name);
        between = ", ";
    }
    if (!*between)
        sam_buffer_puts(out, "void");
}

/* The word of a function, with its pinned registers, and without its constant operands. */
static uint32_t word_of(const struct function *f, bool engine)
{
    uint32_t word = f->row->match;
    if (!engine)
        word |= sam_suffix_default(f->row);
    for (unsigned i = 0; i < f->count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (is_x(p->operand)) {
            const unsigned number = is_result(f, p) ? A0 : A0 + p->pin;
            word = sam_operand_put(
                p->operand, word, (int32_t)(p->operand->kind == SAM_KIND_X8 ? number - 8 : number));
        }
    }
    return word;
}

static void put_fields(struct sam_buffer *out, const struct function *f, bool engine)
{
    if (engine)
        sam_buffer_puts(out, " | SAM_DEVICE_FIELD(engine, 0, 2, 30)");
    for (unsigned i = 0; i < f->count; i++) {
        const struct parameter *p = &f->parameters[i];
        unsigned shift = 0;
        for (unsigned k = 0; !is_x(p->operand) && k < 4 && p->operand->pieces[k].width; k++) {
            const struct sam_operand_piece *piece = &p->operand->pieces[k];
            sam_buffer_printf(out, " | SAM_DEVICE_FIELD(%s, %u, %u, %u)", p->name, shift,
                              piece->width, piece->low);
            shift += piece->width;
        }
    }
}

/* Parameters and body of a function, in a macro with the parameters `name` and `word`. */
static void put_body(struct sam_buffer *out, const struct function *f, bool engine)
{
    sam_buffer_printf(out, "    SAM_DEVICE %s name(", f->result ? "uintptr_t" : "void");
    put_parameters(out, f, engine);
    sam_buffer_puts(out, ") \\\n    { \\\n");
    if (f->result)
        sam_buffer_puts(out, "        register uintptr_t result __asm__(\"a0\"); \\\n");
    for (unsigned i = 0; i < f->count; i++) {
        const struct parameter *p = &f->parameters[i];
        if (is_x(p->operand) && !is_result(f, p))
            sam_buffer_printf(out, "        register uintptr_t in%u __asm__(\"a%u\") = %s%s; \\\n",
                              p->pin, p->pin, p->address ? "(uintptr_t)" : "", p->name);
    }
    sam_buffer_printf(out, "        __asm__ volatile(\".word %%%s\" :%s : \"i\"(word",
                      f->result ? "1" : "0", f->result ? " \"=r\"(result)" : "");
    put_fields(out, f, engine);
    sam_buffer_puts(out, ")");
    for (unsigned i = 0; i < f->count; i++)
        if (is_x(f->parameters[i].operand) && !is_result(f, &f->parameters[i]))
            sam_buffer_printf(out, ", \"r\"(in%u)", f->parameters[i].pin);
    sam_buffer_printf(out, " : \"memory\"); \\\n%s    }\n\n",
                      f->result ? "        return result; \\\n" : "");
}

/* The macros of a header, which are called by their operands. */
struct forms {
    struct {
        char name[64];
        struct sam_buffer body;
    } of[MOST_FORMS];
    unsigned count;
};

static void name_form(char name[64], const struct function *f, bool engine)
{
    size_t size = (size_t)sam_format(name, 64, "%s", engine ? "_engine" : "");
    for (unsigned i = 0; i < f->count; i++)
        size += (size_t)sam_format(name + size, 64 - size, "_%s", f->parameters[i].name);
}

/* Write the macro for a function, unless there is one already, and complete its name: a digit tells
 * apart operands in different places of the word. */
static void add_form(struct forms *forms, const struct header *header, char name[64],
                     const struct function *f, bool engine, struct sam_buffer *out)
{
    struct sam_buffer body = {0};
    const size_t size = strlen(name);
    unsigned same_name = 1;
    put_body(&body, f, engine);
    for (unsigned i = 0; i < forms->count; i++) {
        if (strcmp(forms->of[i].name, name) != 0)
            continue;
        if (forms->of[i].body.size == body.size &&
            memcmp(forms->of[i].body.data, body.data, body.size) == 0) {
            sam_buffer_free(&body);
            return;
        }
        sam_format(name + size, 64 - size, "_%u", ++same_name);
    }
    if (forms->count == MOST_FORMS)
        abort();
    sam_buffer_printf(out, "#define SAM_DEVICE_%s%s(name, word) \\\n", header->form, name);
    sam_buffer_append(out, body.data, body.size);
    sam_format(forms->of[forms->count].name, 64, "%s", name);
    forms->of[forms->count++].body = body;
}

static void put_row(struct forms *forms, const struct header *header,
                    const struct sam_insn_row *row, bool engine, struct sam_buffer *macros,
                    struct sam_buffer *out)
{
    const struct function f = describe(row);
    char name[64];
    name_form(name, &f, engine);
    add_form(forms, header, name, &f, engine, macros);
    sam_buffer_printf(out, "SAM_DEVICE_%s%s(", header->form, name);
    put_name(out, row->mnemonic);
    sam_buffer_printf(out, "%s, 0x%08xu)", engine ? "_on" : "", word_of(&f, engine));
    if (!engine)
        sam_buffer_printf(out, " /* %s */", row->meaning);
    sam_buffer_puts(out, "\n");
}

static void put_header(struct sam_buffer *out, const struct header *header)
{
    struct forms forms = {0};
    struct sam_buffer rows = {0};
    sam_buffer_printf(out, TITLE "%s#ifndef %s\n#define %s\n\n#include \"device.h\"\n\n",
                      header->about, header->guard, header->guard);
    for (unsigned op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        if (!(row->on & header->extension))
            continue;
        put_row(&forms, header, row, false, out, &rows);
        if (row->engines)
            put_row(&forms, header, row, true, out, &rows);
    }
    sam_buffer_append(out, rows.data, rows.size);
    out->failed |= rows.failed;
    sam_buffer_puts(out, "\n#endif\n");
    sam_buffer_free(&rows);
    for (unsigned i = 0; i < forms.count; i++)
        sam_buffer_free(&forms.of[i].body);
}

static void put_csrs(struct sam_buffer *out)
{
    sam_buffer_puts(out,
                    TITLE "/* CSRs of the tensor hart, for sam_csr_read and sam_csr_write. */\n"
                          "#ifndef SAMITE_DEVICE_CSR_H\n#define SAMITE_DEVICE_CSR_H\n\n"
                          "enum {\n");
    for (size_t i = 0; i < sam_csr_row_count; i++) {
        const struct sam_csr_row *row = &sam_csr_rows[i];
        const uint32_t other = SAM_EXT_XVENTUS | SAM_EXT_ZVE32F;
        if (row->on & other)
            continue;
        sam_buffer_printf(out, "    SAM_DEVICE_CSR_%s = 0x%03x, /* %s */\n", row->name,
                          row->address, row->meaning);
    }
    sam_buffer_puts(out, "};\n\n#endif\n");
}

static void put_equ(struct sam_buffer *out, const char *prefix, const char *name,
                    unsigned long long value, const char *meaning)
{
    if (strncmp(name, "zero_", 5) != 0)
        sam_buffer_printf(out, "    .equ SAM_%s_%s, 0x%llx%s%s\n", prefix, name, value,
                          *meaning ? " # " : "", meaning);
}

/* The words of the records of queues. */
static void put_records(struct sam_buffer *out)
{
    static const struct {
        const char *record, *word, *meaning;
    } rows[] = {
#define SAM_WORD(name, meaning) {NULL, #name, meaning},
#define SAM_QUEUE(AGENT, QUEUE, record, name, figures, work, status, words)                        \
    {#record, NULL, NULL}, words
#include "samite/device/units.def"
#undef SAM_WORD
    };
    char prefix[32] = "";
    unsigned offset = 0;
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        if (rows[i].word) {
            put_equ(out, prefix, rows[i].word, offset, rows[i].meaning);
            offset += 4;
            continue;
        }
        offset = 0;
        for (size_t c = 0; c <= strlen(rows[i].record) && c < sizeof prefix - 1; c++)
            prefix[c] = (char)toupper((unsigned char)rows[i].record[c]);
    }
}

/* The layout of the system for assembly programs, whose assembler does not read C. */
static void put_layout(struct sam_buffer *out)
{
    static const struct {
        const char *prefix, *name;
        uint64_t value;
        const char *meaning;
    } values[] = {
#define SAM_DEVICE_REGION(NAME, address, size, meaning)                                            \
    {"SYSTEM", #NAME, address, meaning}, {"SYSTEM", #NAME "_BYTES", size, ""},
#define SAM_DEVICE_REGISTER(NAME, address, access, meaning)                                        \
    {"SYSTEM", #NAME, address, access ": " meaning},
#define SAM_DEVICE_OPERATION(NAME, number, meaning) {"WEIGHT", #NAME, number, meaning},
#define SAM_DEVICE_STATUS(NAME, number, meaning)    {"WEIGHT_IS", #NAME, number, meaning},
#define SAM_DEVICE_TYPE(NAME, number, meaning)      {"TYPE", #NAME, number, meaning},
#define SAM_DEVICE_LAYOUT(NAME, number, meaning)    {"WEIGHT_LAYOUT", #NAME, number, meaning},
#include "samite/device/layout.def"
#undef SAM_DEVICE_REGION
#undef SAM_DEVICE_REGISTER
#undef SAM_DEVICE_OPERATION
#undef SAM_DEVICE_STATUS
#undef SAM_DEVICE_TYPE
#undef SAM_DEVICE_LAYOUT
#define FIELD(PREFIX, record, name, meaning)                                                       \
    {PREFIX, #name, offsetof(struct record, name), meaning},
#define SAM_DEVICE_METADATA(name, meaning) FIELD("METADATA", sam_metadata_record, name, meaning)
#define SAM_DEVICE_RESULT(name, meaning)   FIELD("RESULT", sam_weight_result, name, meaning)
#define SAM_DEVICE_DIRECTORY(name, array, meaning)                                                 \
    FIELD("DIRECTORY", sam_weight_entry, name, meaning)
#include "samite/device/layout.def"
        {"DIRECTORY", "bytes_of_entry", sizeof(struct sam_weight_entry), ""},
    };
    sam_buffer_puts(
        out,
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Generated from layout.def and units.def by tools/device_headers.c: change it there.\n"
        "# Addresses and numbers in capitals; offsets in records in small letters.\n");
    for (size_t i = 0; i < SAM_COUNT(values); i++)
        put_equ(out, values[i].prefix, values[i].name, values[i].value, values[i].meaning);
    put_records(out);
}

static bool same(const char *path, const struct sam_buffer *text)
{
    struct sam_error error;
    char *data = NULL;
    size_t size;
    const bool equal = sam_file_load(path, 1 << 24, &data, &size, &error) == SAM_OK &&
                       size == text->size && memcmp(data, text->data, size) == 0;
    free(data);
    return equal;
}

/* Whether the file is, or now is, as it should be. */
static bool bring(const char *folder, const char *name, bool check, const struct sam_buffer *text)
{
    char path[1024];
    if (text->failed)
        return false;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (same(path, text))
        return true;
    if (check) {
        fprintf(stderr, "%s: not as the tables say: run device_headers %s\n", path, folder);
        return false;
    }
    FILE *file = fopen(path, "w");
    return file && (fwrite(text->data, 1, text->size, file) == text->size) + fclose(file) == 1;
}

int main(int argc, char **argv)
{
    const bool check = argc == 3 && strcmp(argv[1], "--check") == 0;
    bool good = true;
    if (argc != 2 + check) {
        fprintf(stderr, "usage: device_headers [--check] FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < SAM_COUNT(headers); i++) {
        struct sam_buffer out = {0};
        put_header(&out, &headers[i]);
        good &= bring(argv[argc - 1], headers[i].name, check, &out);
        sam_buffer_free(&out);
    }
    struct sam_buffer out = {0};
    put_csrs(&out);
    good &= bring(argv[argc - 1], "csr.h", check, &out);
    sam_buffer_free(&out);
    put_layout(&out);
    good &= bring(argv[argc - 1], "layout.inc", check, &out);
    sam_buffer_free(&out);
    return good ? 0 : 1;
}
