/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of samite/device/, compiled: each is the instruction that the assembler makes
 * from the same operands. Needs a RISC-V compiler; skipped without one. */
#include "test.h"

#include "codec/chunk.h"
#include "folder.h"
#include "isa/isa.h"
#include "samite/device/layout.h"
#include "samite/samite.h"

#define ISA "rv64im_zicsr_xtensorload_xmatrix"

/* Values of constants, different for each operand. */
static int constant_of(const struct sam_operand *operand, unsigned place)
{
    int64_t low, high;
    sam_operand_range(operand, &low, &high);
    return (int)(operand->is_signed ? low + place : high - place);
}

static bool is_x(const struct sam_operand *operand)
{
    return operand->kind == SAM_KIND_X || operand->kind == SAM_KIND_X8;
}

/* A call of the function, and the same in assembly. Scalar sources are in a0, a1, ... */
static void put_row(const struct sam_insn_row *row, struct sam_buffer *c, struct sam_buffer *text,
                    int engine)
{
    static const char *const engines[] = {"@load", "@comp", "@store", "@reshape"};
    const char *between = "";
    unsigned place = 0, pins = 0;
    sam_buffer_puts(c, "    sam_");
    for (const char *l = row->mnemonic; *l; l++)
        sam_buffer_append(c, *l == '.' ? "_" : l, 1);
    sam_buffer_puts(c, engine < 0 ? "(" : "_on(");
    if (engine >= 0) {
        sam_buffer_printf(c, "%d", engine);
        between = ", ";
    }
    sam_buffer_printf(text, "%s%s ", row->mnemonic, engine < 0 ? "" : engines[engine]);
    for (const char *l = row->operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        if (!operand) {
            sam_buffer_append(text, l, 1);
            continue;
        }
        if (is_x(operand) && operand->slot == SAM_SLOT_RD) {
            sam_buffer_puts(text, "a0");
            continue;
        }
        if (is_x(operand)) {
            const bool address = l > row->operands && l[-1] == '(';
            sam_buffer_printf(text, "a%u", pins++);
            sam_buffer_printf(c, "%s%s", between, address ? "pointer" : "number");
        } else {
            const bool named = operand->kind == SAM_KIND_TL || operand->kind == SAM_KIND_M;
            const int value = constant_of(operand, place);
            sam_buffer_printf(text, "%s%d",
                              !named                         ? ""
                              : operand->kind == SAM_KIND_TL ? "tl"
                                                             : "m",
                              value);
            sam_buffer_printf(c, "%s%d", between, value);
        }
        place += 2;
        between = ", ";
    }
    sam_buffer_puts(c, ");\n");
    sam_buffer_puts(text, "\n");
}

static void put_rows(struct sam_buffer *c, struct sam_buffer *text)
{
    for (unsigned op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        if (!(row->on & (SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX)))
            continue;
        put_row(row, c, text, -1);
        for (int engine = 0; engine < 4; engine++)
            if (row->engines >> engine & 1)
                put_row(row, c, text, engine);
    }
}

static struct sam_image *assemble(const struct sam_buffer *text)
{
    struct sam_asm_options options = {.base = SAM_HART_CODE_BASE};
    struct sam_image *image;
    struct sam_error error;
    SCOPED_TEXT *messages;
    succeeds(sam_isa_parse, ISA, &options.isa);
    if (sam_assemble(&options, "all.s", (const char *)text->data, text->size, &image, &messages,
                     &error) != SAM_OK)
        fail_msg("%s", messages);
    return image;
}

/* The words of ".word N" lines, compared with those of the image. */
static size_t compare(const char *path, const struct sam_image *image)
{
    char line[256];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        long long word; /* negative when bit 31 is set */
        if (sscanf(line, " .word %lld", &word) != 1)
            continue;
        assert_true(4 * count + 4 <= image->sections[0].size);
        const uint32_t wanted = sam_le32(image->sections[0].data + 4 * count);
        if (wanted != (uint32_t)word)
            fail_msg("word %zu: 0x%08x, assembled 0x%08x", count, (uint32_t)word, wanted);
        count++;
    }
    fclose(file);
    return count;
}

TEST(every_function)
{
    static const char *const compilers[] = {"gcc -march=rv64im -mabi=lp64 -std=c11 -O1",
                                            "gcc -march=rv32im -mabi=ilp32 -std=c11 -O3",
                                            "g++ -march=rv64im -mabi=lp64 -std=c++17 -x c++ -O2"};
    SCOPED(sam_buffer) c = {0}, text = {0};
    sam_buffer_puts(&c, "#include <samite/device/tensorload.h>\n"
                        "#include <samite/device/matrix.h>\n"
                        "#include <samite/device/launch.h>\n"
                        "#include <samite/device/weights.h>\n"
                        "void f(uintptr_t number, void *pointer)\n{\n");
    put_rows(&c, &text);
    sam_buffer_puts(&c, "}\n");
    assert_false(c.failed || text.failed);
    FILE *file = fopen(test_path("all.c"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(c.data, 1, c.size, file), c.size);
    assert_int_equal(fclose(file), 0);
    SCOPED_IMAGE *image = assemble(&text);
    unsigned compared = 0;
    for (size_t i = 0; i < SAM_COUNT(compilers); i++) {
        FREED char *tool = formatted("%.3s", compilers[i]);
        if (!test_shell("command -v riscv64-unknown-elf-%s >/dev/null", tool)) {
            printf("# no riscv64-unknown-elf-%s: skipped\n", tool);
            continue;
        }
        if (!test_shell("riscv64-unknown-elf-%s -Wall -Wextra -Wpedantic -Werror -ffreestanding "
                        "-mcmodel=medany -I'%s/include' -S -o '%s/all.s' '%s/all.c'",
                        compilers[i], getenv("SAMITE_SOURCE"), test_folder, test_folder))
            fail_msg("%s does not compile them", compilers[i]);
        assert_int_equal(4 * compare(test_path("all.s"), image), image->sections[0].size);
        compared++;
    }
    printf("# %zu functions, %u compilers\n", (size_t)image->sections[0].size / 4, compared);
}

/* The layout of the system: records of the size that the machine reads, types with the codec's
 * numbers, the GPU's memory at the GPU's addresses, and no overlaps. */
TEST(layout)
{
    static const struct {
        const char *name;
        uint64_t first, size;
    } regions[] = {
#define SAM_DEVICE_REGION(NAME, address, size, meaning) {#NAME, address, size},
#include "samite/device/layout.def"
#undef SAM_DEVICE_REGION
    };
    static const struct {
        const char *name;
        uint32_t address;
    } registers[] = {
#define SAM_DEVICE_REGISTER(NAME, address, access, meaning) {#NAME, address},
#include "samite/device/layout.def"
#undef SAM_DEVICE_REGISTER
    };
    static const struct {
        uint32_t number;
        enum sam_dtype type;
    } types[] = {
#define SAM_DEVICE_TYPE(NAME, number, meaning) {number, SAM_##NAME},
#include "samite/device/layout.def"
#undef SAM_DEVICE_TYPE
    };
    static const struct {
        uint32_t number;
        enum sam_layout_id id;
    } layouts[] = {
#define SAM_DEVICE_LAYOUT(NAME, number, meaning) {number, SAM_LAYOUT_##NAME},
#include "samite/device/layout.def"
#undef SAM_DEVICE_LAYOUT
    };
    assert_int_equal(sizeof(struct sam_launch_record), 64);
    assert_int_equal(sizeof(struct sam_weight_record), 64);
    assert_int_equal(sizeof(struct sam_metadata_record), 64);
    assert_int_equal(sizeof(struct sam_weight_result), 20);
    assert_int_equal(sizeof(struct sam_weight_entry), 188);
    assert_int_equal(SAM_SYSTEM_LOCAL, SAM_LDS_BASE);
    assert_int_equal(SAM_SYSTEM_LOCAL_BYTES, SAM_LDS_SIZE);
    assert_int_equal(SAM_SYSTEM_GPU_CODE, SAM_CODE_BASE);
    assert_int_equal(SAM_SYSTEM_BUFFERS, SAM_BUFFER_BASE);
    assert_int_equal(SAM_WEIGHT_BLOCK, SAM_CHUNK_BLOCK_SIZE);
    assert_int_equal(SAM_WEIGHT_CHUNK, SAM_CHUNK_BLOCKS * SAM_CHUNK_BLOCK_SIZE);
    for (size_t i = 0; i < SAM_COUNT(layouts); i++)
        assert_int_equal(layouts[i].number, layouts[i].id);
    for (size_t i = 1; i < SAM_COUNT(regions); i++)
        if (regions[i - 1].first + regions[i - 1].size > regions[i].first)
            fail_msg("%s reaches into %s", regions[i - 1].name, regions[i].name);
    for (size_t i = 0; i < SAM_COUNT(registers); i++) {
        const uint32_t page = registers[i].address - SAM_SYSTEM_CONTROL;
        if (page >= SAM_SYSTEM_CONTROL_BYTES || page % 4)
            fail_msg("%s is no word of the control registers", registers[i].name);
        if (i && registers[i].address <= registers[i - 1].address)
            fail_msg("%s stands before %s", registers[i].name, registers[i - 1].name);
    }
    for (size_t i = 0; i < SAM_COUNT(types); i++)
        assert_int_equal(types[i].number, types[i].type);
}

TEST_GROUP(test_folder_make, test_folder_remove)
