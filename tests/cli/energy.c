/* SPDX-License-Identifier: Apache-2.0 */
/* The energy of runs with --cycles: its events and units are those counted elsewhere in each
 * report, or worked out by hand. */
#include "cli/command.h"

#include <jansson.h>

/* Two loads of 16 rows of 64 bytes, a product of 16 x 16 x 64. */
static const char tile[] = "        li      t0, 0x401010\n"
                           "        mcfg    zero, t0\n"
                           "        li      t1, 64\n"
                           "        mldb    m0, t1, (a0)\n"
                           "        mldb    m2, t1, (a0)\n"
                           "        mmaqa.b m4, m2, m0\n"
                           "        li      a0, 0\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

#define TILE   "run tile.s --machine tensor --isa tensor --map 0x10000:4096 --reg a0=0x10000 "
#define KERNEL "run addn.s --kernel addn --grid 1 --block 32 --arg out:u32:32 --arg u32:3 "
#define MATMUL                                                                                     \
    "run \"$SAMITE_SOURCE/kernels/tile/matmul_bias_relu.pto\" --machine system "                   \
    "--arg in:left.npy --arg in:right.npy --arg in:bias.npy --arg out:f32:32x48 "

static void write_zeros(const char *name, enum sam_dtype dtype, uint64_t rows, uint64_t cols)
{
    static float zeros[64 * 64];
    const struct sam_array array = {.dtype = dtype,
                                    .rank = 2,
                                    .shape = {rows, cols},
                                    .count = rows * cols,
                                    .data = zeros,
                                    .size = rows * cols * sam_dtype_size(dtype)};
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_npy_write, path, &array);
}

FIXTURE(set_up)
{
    make_directory();
    command_verb = "";
    write_text("tile.s", tile);
    write_zeros("left.npy", SAM_F16, 32, 64);
    write_zeros("right.npy", SAM_F16, 64, 48);
    write_zeros("bias.npy", SAM_F32, 1, 48);
    struct sam_buffer text = {0};
    sam_buffer_printf(&text, ".include \"%s/kernels/start.inc\"\n%s", getenv("SAMITE_SOURCE"),
                      addn);
    write_text("addn.s", sam_buffer_text(&text));
    sam_buffer_free(&text);
    /* every parameter is 0 */
    for (size_t i = 0; sam_energy_parameter(i); i++)
        sam_buffer_printf(&text, "%s=0\n", sam_energy_parameter(i)->name);
    write_text("zero", sam_buffer_text(&text));
    sam_buffer_free(&text);
    return 0;
}

/* "matrix.macs": the value in a report; for arrays, the sum over their elements. */
static double value_at(const json_t *from, const char *path)
{
    double sum = 0;
    size_t i;
    json_t *element;
    if (json_is_array(from)) {
        json_array_foreach((json_t *)(uintptr_t)from, i, element) sum += value_at(element, path);
        return sum;
    }
    if (!*path)
        return json_number_value(from);
    const size_t size = strcspn(path, ".");
    FREED char *name = formatted("%.*s", (int)size, path);
    return value_at(json_object_get(from, name), path + size + (path[size] == '.'));
}

static void expect_number(const json_t *root, const char *path, double expected)
{
    const double found = value_at(root, path);
    if (fabs(found - expected) > 1e-9 * fabs(expected))
        fail_msg("%s is %.6f, expected %.6f", path, found, expected);
}

TEST(by_hand)
{
    /* 16 uops, each with 8 rows of sources, 16 sums read and written; 32 rows loaded */
    const double registers = 16 * (8 * 64 + 2 * 16 * 4) + 32 * 64, macs = 16 * 16 * 64;
    json_t *root = expect_json(TILE "--cycles --json");
    const double matrix = 0.5 * registers + 0.3 * macs, all = 9 * 70 + matrix + 12.5 * 2048;
    expect_number(root, "energy.events.mx_byte.count", registers);
    expect_number(root, "energy.units.hart", 9 * 70);
    expect_number(root, "energy.units.matrix", matrix);
    expect_number(root, "energy.units.L2", 12.5 * 2048);
    expect_number(root, "energy.pj", all);
    json_decref(root);
    FREED char *total = formatted("\nenergy: %.3f nJ, estimated\n", all / 1000);
    expect_parts(expect_success(TILE "--cycles"), total, NULL);
}

/* With all parameters but one at 0, the total is the count of that event times its value. */
TEST(event_by_event)
{
    static const struct {
        const char *words, *in, *event, *unit;
        const char *counts[2]; /* the same count elsewhere in the report; arrays are summed */
    } rows[] = {
        {TILE, "", "hart_insn", "hart", {"instructions"}},
        {TILE, "", "mac_i8", "matrix", {"matrix.macs"}},
        {TILE, "", "l2_byte", "L2", {"matrix.bytes_loaded", "matrix.bytes_stored"}},
        {KERNEL, "launches.time.", "gpu_insn", "GPU", {"insns"}},
        {KERNEL, "launches.time.", "gpu_lane", "GPU", {"instructions.lanes"}},
        {KERNEL, "launches.time.", "dram_byte", "DRAM", {"dram.bytes_read", "dram.bytes_written"}},
        {MATMUL, "system.", "hart_insn", "hart", {"instructions"}},
        {MATMUL, "system.", "mac_f16", "matrix", {"macs"}},
        {MATMUL, "system.", "gpu_insn", "GPU", {"launches.insns"}},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        char words[1024], path[128];
        double count = 0;
        snprintf(words, sizeof words, "%s--json --config zero --config energy.%s=2.125",
                 rows[i].words, rows[i].event);
        SCOPED_JSON *root = expect_json(words);
        for (unsigned k = 0; k < 2 && rows[i].counts[k]; k++) {
            snprintf(path, sizeof path, "%s%s", rows[i].in, rows[i].counts[k]);
            count += value_at(root, path);
        }
        if (!(count > 0))
            fail_msg("%s: none in %s", rows[i].event, rows[i].words);
        snprintf(path, sizeof path, "%senergy.events.%s.count", rows[i].in, rows[i].event);
        expect_number(root, path, count);
        snprintf(path, sizeof path, "%senergy.units.%s", rows[i].in, rows[i].unit);
        expect_number(root, path, 2.125 * count);
        snprintf(path, sizeof path, "%senergy.pj", rows[i].in);
        expect_number(root, path, 2.125 * count);
    }
}

/* A level of memory: its own byte count. */
TEST(memory_of_a_system)
{
    static const char *const events[][2] = {
        {"L1M", "l1m_byte"}, {"L0M", "l0m_byte"}, {"L2", "l2_byte"}, {"DRAM", "dram_byte"}};
    SCOPED_JSON *root = expect_json(MATMUL "--json --cycles");
    json_t *level;
    json_t *levels = json_at(root, "system/memory");
    size_t i, found = 0;
    json_array_foreach(levels, i, level) for (size_t k = 0; k < SAM_COUNT(events); k++)
    {
        if (strcmp(json_string_value(json_object_get(level, "level")), events[k][0]) != 0)
            continue;
        FREED char *path = formatted("system.energy.events.%s.count", events[k][1]);
        expect_number(root, path, value_at(level, "read") + value_at(level, "written"));
        found++;
    }
    assert_int_equal(found, SAM_COUNT(events));
}

TEST(parameters)
{
    static const char *const bad[] = {"-1", "1.2345", "x", "1.", ".5", "1000000.001", "", "1e3"};
    static const char *const machines[] = {TILE, KERNEL, MATMUL};
    for (size_t i = 0; i < SAM_COUNT(bad) * SAM_COUNT(machines); i++) {
        FREED char *words =
            formatted("%s--config energy.hart_insn=%s", machines[i % SAM_COUNT(machines)],
                      bad[i / SAM_COUNT(machines)]);
        expect_failure(words, 2, "a number up to 1000000 with at most three decimals");
    }
    for (size_t i = 0; i < SAM_COUNT(machines); i++) {
        char words[1024];
        snprintf(words, sizeof words, "%s--config energy.hart_insns=1", machines[i]);
        expect_failure(words, 2, "did you mean ");
        snprintf(words, sizeof words, "%s--config help", machines[i]);
        expect_parts(expect_success(words), "energy.mac_f32", "pJ per multiply-accumulate of fp32",
                     NULL);
    }
}

/* The documentation lists each default with its source. */
TEST(documented)
{
    char *text, row[512];
    size_t size;
    FREED char *path = formatted("%s/docs/energy.md", getenv("SAMITE_SOURCE"));
    succeeds(sam_file_load, path, 1 << 20, &text, &size);
    SCOPED(sam_buffer) page = {0};
    sam_buffer_append(&page, text, size);
    for (size_t i = 0; sam_energy_parameter(i); i++) {
        const struct sam_parameter *p = sam_energy_parameter(i);
        snprintf(row, sizeof row, "| `%s` | %s | %s | %s |\n", p->name, p->value,
                 p->meaning + strlen("pJ per "), sam_energy_source(i));
        expect_part(&page, row);
    }
    free(text);
}

TEST_GROUP(set_up, remove_directory)
