/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include "test.h"

#include "samite/gpu.h"
#include "samite/hart.h"

void oracle_free(struct oracle *oracle)
{
    sam_buffer_free(&oracle->code);
    sam_buffer_free(&oracle->data);
    free(oracle->records);
    free(oracle->parts);
    *oracle = (struct oracle){0};
}

static void append(struct sam_buffer *buffer, const char *format, va_list args)
{
    char text[1024];
    int length = vsnprintf(text, sizeof text, format, args);
    if (length < 0 || (size_t)length >= sizeof text)
        fail_msg("assembly text longer than %zu bytes", sizeof text);
    sam_buffer_append(buffer, text, (size_t)length);
}

void oracle_code(struct oracle *oracle, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(&oracle->code, format, args);
    va_end(args);
}

void oracle_table(struct oracle *oracle, const char *label, const uint32_t *values, size_t count,
                  size_t wrap)
{
    sam_buffer_printf(&oracle->data, ".balign 4\n%s:\n", label);
    for (size_t i = 0; i < count + wrap; i++)
        sam_buffer_printf(&oracle->data, ".word 0x%x\n", values[i % count]);
}

static struct oracle_record *last_record(struct oracle *oracle)
{
    return &oracle->records[oracle->record_count - 1];
}

/* Close the loops of the last record. */
static void end(struct oracle *oracle)
{
    if (!oracle->open)
        return;
    oracle->open = false;
    struct oracle_record *record = last_record(oracle);
    record->part_count = oracle->part_count - record->first_part;
    for (size_t i = record->depth; i-- > 0;)
        oracle_code(oracle, "addi s%zu, s%zu, %zu\nbeq s%zu, s%zu, 1f\nj loop_%zu_%zu\n1:\n", i, i,
                    4 * record->axes[i].step, i, i + 3, oracle->record_count, i);
    oracle->words = record->first + record->turns * record->words;
}

void oracle_begin(struct oracle *oracle, const struct oracle_axis *axes, size_t depth)
{
    end(oracle);
    oracle->open = true;
    void *grown = sam_grow(oracle->records, oracle->record_count, &oracle->record_capacity,
                           sizeof *oracle->records);
    if (!grown)
        fail_msg("out of memory");
    oracle->records = grown;
    oracle->record_count++;
    struct oracle_record *record = last_record(oracle);
    *record = (struct oracle_record){
        .depth = depth, .first = oracle->words, .turns = 1, .first_part = oracle->part_count};
    for (size_t i = 0; i < depth; i++) {
        record->axes[i] = axes[i];
        record->turns *= axes[i].count;
        oracle_code(oracle, "la s%zu, %s\nla s%zu, %s + %zu\nloop_%zu_%zu:\n", i, axes[i].table,
                    i + 3, axes[i].table, 4 * axes[i].step * axes[i].count, oracle->record_count,
                    i);
        char pointer[4];
        snprintf(pointer, sizeof pointer, "s%u", (unsigned)i % ORACLE_DEPTH);
        const char *place = strstr(axes[i].load, "%s");
        if (!place)
            fail_msg("\"%s\" has no place for the address", axes[i].load);
        oracle_code(oracle, "%.*s%s%s\n", (int)(place - axes[i].load), axes[i].load, pointer,
                    place + 2);
    }
}

static void add_part(struct oracle *oracle, size_t words, const char *format, va_list args)
{
    struct oracle_record *record = last_record(oracle);
    void *grown =
        sam_grow(oracle->parts, oracle->part_count, &oracle->part_capacity, sizeof *oracle->parts);
    if (!grown)
        fail_msg("out of memory");
    oracle->parts = grown;
    struct oracle_part *part = &oracle->parts[oracle->part_count++];
    *part = (struct oracle_part){.first = record->words, .words = words};
    vsnprintf(part->what, sizeof part->what, format, args);
    record->words += words;
}

void oracle_store(struct oracle *oracle, const char *reg, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_part(oracle, oracle->wide ? 2 : 1, format, args);
    va_end(args);
    if (oracle->wide)
        oracle_code(oracle, "sd %s, (s11)\naddi s11, s11, 8\n", reg);
    else
        oracle_code(oracle, "sw %s, (s11)\naddi s11, s11, 4\n", reg);
}

void oracle_store_vector(struct oracle *oracle, const char *reg, size_t words, const char *format,
                         ...)
{
    va_list args;
    va_start(args, format);
    add_part(oracle, words, format, args);
    va_end(args);
    oracle_code(oracle, "vse32.v %s, (s11)\naddi s11, s11, %zu\n", reg, 4 * words);
}

/* A whole program. */
static char *program(const struct oracle *oracle, const char *prelude, const char *finish)
{
    struct sam_buffer text = {0};
    sam_buffer_printf(&text, "%s\n.text\n.globl _start\n_start:\nla s11, out\n", prelude);
    sam_buffer_append(&text, oracle->code.data, oracle->code.size);
    sam_buffer_printf(&text, "%s\n.data\n", finish);
    sam_buffer_append(&text, oracle->data.data, oracle->data.size);
    sam_buffer_printf(&text, ".bss\n.balign 4096\nout: .space %zu\n", 4 * oracle->words);
    if (text.failed || oracle->code.failed || oracle->data.failed)
        fail_msg("out of memory");
    return (char *)text.data;
}

static void *section_of(const struct qemu_target *target, const char *text, const char *section,
                        size_t *size)
{
    void *bytes = qemu_section(target, text, section, size);
    if (!bytes)
        fail_msg("section %s cannot be made", section);
    return bytes;
}

static void put_section(struct sam_gpu *gpu, const struct qemu_target *target, const char *text,
                        const char *section, uint32_t address)
{
    size_t size = 0;
    void *bytes = section_of(target, text, section, &size);
    succeeds(sam_gpu_map, gpu, address, size);
    succeeds(sam_gpu_write, gpu, address, bytes, size);
    free(bytes);
}

static uint8_t *run_ventus(const struct oracle *oracle, const struct qemu_target *target,
                           const char *prelude, unsigned lanes)
{
    struct sam_gpu *gpu;
    char *text = program(oracle, prelude, ".word 0x0000400b # endprg");
    size_t size = 4 * oracle->words;
    uint8_t *results = malloc(size);
    succeeds(sam_gpu_new, NULL, &gpu);
    put_section(gpu, target, text, ".text", 0x80000000);
    put_section(gpu, target, text, ".data", 0x90000000);
    free(text);
    succeeds(sam_gpu_map, gpu, 0xa0000000, size);
    const struct sam_launch launch = {
        .start = 0x80000000,
        .metadata = 0x90000000,
        .grid = {1, 1, 1},
        .lanes = lanes,
        .warps = 1,
        .pds_base = 0x90000000,
    };
    succeeds(sam_gpu_launch, gpu, &launch, NULL);
    succeeds(sam_gpu_read, gpu, 0xa0000000, results, size);
    sam_gpu_free(gpu);
    return results;
}

static uint8_t *run_hart(const struct oracle *oracle, const struct qemu_target *target,
                         const char *isa)
{
    static const struct {
        const char *name;
        uint64_t address;
    } sections[] = {{".text", 0x80000000}, {".data", 0x90000000}};
    struct sam_hart *hart;
    struct sam_hart_options options = {0};
    struct sam_hart_result result;
    char *text = program(oracle, "", "ebreak");
    size_t size = 4 * oracle->words;
    uint8_t *results = malloc(size);
    succeeds(sam_isa_parse, isa, &options.isa);
    succeeds(sam_hart_new, &options, &hart);
    for (size_t i = 0; i < SAM_COUNT(sections); i++) {
        size_t bytes = 0;
        void *data = section_of(target, text, sections[i].name, &bytes);
        succeeds(sam_hart_map, hart, sections[i].address, bytes);
        succeeds(sam_hart_write, hart, sections[i].address, data, bytes);
        free(data);
    }
    free(text);
    succeeds(sam_hart_map, hart, 0xa0000000, size);
    sam_hart_set_pc(hart, sections[0].address);
    succeeds(sam_hart_run, hart, &result);
    succeeds(sam_hart_read, hart, 0xa0000000, results, size);
    sam_hart_free(hart);
    return results;
}

/* One line: the experiment, its operands, the difference. */
static void describe(const struct oracle *oracle, size_t word, uint32_t expected, uint32_t found)
{
    struct sam_buffer line = {0};
    const struct oracle_record *record = oracle->records;
    while (word >= record->first + record->turns * record->words)
        record++;
    size_t turn = (word - record->first) / record->words;
    size_t offset = (word - record->first) % record->words;
    const struct oracle_part *part = &oracle->parts[record->first_part];
    while (offset >= part->first + part->words)
        part++;
    size_t element = offset - part->first;
    sam_buffer_printf(&line, "%s", part->what);
    if (part->words > 1)
        sam_buffer_printf(&line, " [%zu]", element);
    sam_buffer_printf(&line, " of");
    for (size_t i = 0, rest = record->turns; i < record->depth; i++) {
        const struct oracle_axis *axis = &record->axes[i];
        rest /= axis->count;
        size_t at = turn / rest % axis->count * axis->step;
        size_t total = axis->step * axis->count; /* windows wrap */
        if (axis->window > 1)
            at = (at + element % axis->window) % total;
        sam_buffer_printf(&line, " %08x", axis->values[at]);
    }
    print_error("%s: %08x, QEMU %08x\n", sam_buffer_text(&line), found, expected);
    sam_buffer_free(&line);
}

static uint8_t *run_qemu(const struct oracle *oracle, const struct qemu_target *target,
                         const char *prelude)
{
    char *text = program(oracle, prelude, "la a4, out\nsub a4, s11, a4\n" QEMU_FINISH("out"));
    size_t size = 0;
    uint8_t *results = qemu_run(target, text, &size);
    free(text);
    if (!results || size != 4 * oracle->words)
        fail_msg("QEMU gave %zu bytes instead of %zu", size, 4 * oracle->words);
    return results;
}

/* Frees both. */
static size_t compare(const struct oracle *oracle, uint8_t *expected, uint8_t *found)
{
    size_t differences = 0;
    for (size_t i = 0; i < oracle->words; i++) {
        uint32_t a = sam_le32(expected + 4 * i), b = sam_le32(found + 4 * i);
        if (a != b && differences++ < 20)
            describe(oracle, i, a, b);
    }
    free(expected);
    free(found);
    if (differences)
        fail_msg("%zu of %zu words differ", differences, oracle->words);
    print_message("# %zu words compared\n", oracle->words);
    return oracle->words;
}

size_t oracle_check(struct oracle *oracle, const struct qemu_target *target,
                    const char *qemu_prelude, const char *ventus_prelude, unsigned lanes)
{
    end(oracle);
    uint8_t *expected = run_qemu(oracle, target, qemu_prelude);
    return compare(oracle, expected, run_ventus(oracle, target, ventus_prelude, lanes));
}

size_t oracle_check_hart(struct oracle *oracle, const struct qemu_target *target, const char *isa)
{
    end(oracle);
    uint8_t *expected = run_qemu(oracle, target, "");
    return compare(oracle, expected, run_hart(oracle, target, isa));
}
