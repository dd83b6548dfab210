/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit from a program's side: its queue, decoded code, and the directory. */

#include "codec/chunks_in_memory.h"
#include "machine/machine.h"
#include "samite/system_time.h"
#include "system/program.h"

/* Addresses of the buffers that records name. */
enum { RECORD = 0, RESULT = 64, SOURCE = 0x1000, TARGET = 0x2000 };
static const char *const isas[] = {RV32, RV64};

static void write_at(struct system_program *p, uint64_t address, const void *data, size_t size)
{
    if (sam_system_write(p->system, address, data, size, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
}

static void write_record(struct system_program *p, const struct sam_weight_record *record)
{
    uint8_t bytes[sizeof *record];
    for (size_t i = 0; i < sizeof bytes; i += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)record + i, sizeof word);
        sam_put_le32(bytes + i, word);
    }
    write_at(p, DATA_BASE + RECORD, bytes, sizeof bytes);
}

/* The chunks of these bytes go to SOURCE; a record decodes them to `target`. */
static struct sam_weight_record pack_bytes(struct system_program *p, const void *data, size_t size,
                                           uint32_t target)
{
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, SAM_U8, size);
    SCOPED(packed) file = pack(&weights, data, NULL), chunks = chunks_of(&file);
    const struct sam_weight_record record = {.packed_type = SAM_U8,
                                             .output_type = SAM_U8,
                                             .source = (uint32_t)DATA_BASE + SOURCE,
                                             .source_bytes = (uint32_t)chunks.size,
                                             .destination = target,
                                             .destination_bytes = (uint32_t)size,
                                             .elements_low = (uint32_t)size,
                                             .result = (uint32_t)DATA_BASE + RESULT,
                                             .total_low = (uint32_t)size};
    write_at(p, DATA_BASE + SOURCE, chunks.data, chunks.size);
    write_record(p, &record);
    return record;
}

/* Submit the record at a0 twice, read every register, clear the status, exit. */
static const char submit_twice[] = " li t0, 0x02002000\n"
                                   " lw s0, 4(t0)\n"
                                   " sw a0, 0(t0)\n"
                                   " sw a0, 0(t0)\n"
                                   " lw s1, 4(t0)\n"
                                   " lw s2, 8(t0)\n"
                                   " lw s3, 12(t0)\n"
                                   " lw s4, 16(t0)\n"
                                   " sw zero, 12(t0)\n"
                                   " lw s5, 16(t0)\n"
                                   " li t1, 0x02000004\n"
                                   " sw zero, 0(t1)\n";

TEST(the_queue)
{
    static const char text[] = "weights from a packed file";
    for (size_t i = 0; i < SAM_COUNT(isas); i++)
        for (uint32_t damage = 0; damage < 2; damage++) {
            SCOPED(system_program) p = system_program_new(isas[i], NULL, NULL, submit_twice, NULL);
            uint8_t have[sizeof text] = {0};
            pack_bytes(&p, text, sizeof text, (uint32_t)DATA_BASE + TARGET);
            if (damage)
                write_at(&p, DATA_BASE + SOURCE + 40, "?", 1);
            sam_hart_set_x(p.hart, 10, DATA_BASE + RECORD);
            system_expect(&p, 0);
            const uint64_t wanted[] = {
                0, 2, 2, damage ? SAM_WEIGHT_IS_DAMAGED : 0, damage ? SAM_WEIGHT_IS_DAMAGED : 0, 0};
            for (unsigned s = 0; s < SAM_COUNT(wanted); s++)
                assert_int_equal(sam_hart_x(p.hart, s < 2 ? 8 + s : 16 + s), wanted[s]);
            assert_int_equal(sam_system_read(p.system, DATA_BASE + TARGET, have, sizeof have, NULL),
                             SAM_OK);
            assert_string_equal((const char *)have, damage ? "" : text);
            assert_int_equal(system_word(&p, DATA_BASE + RESULT), wanted[3]);
            assert_int_equal(system_word(&p, DATA_BASE + RESULT + 4), damage ? 0 : sizeof text);
            assert_int_equal(sam_system_stats(p.system)->weight_records, 2);
            assert_int_equal(sam_system_stats(p.system)->failed_records, 2 * damage);
        }
}

/* The counters of the unit are those of its configuration. */
TEST(counters)
{
    static const struct {
        const char *config;
        uint32_t counts[3]; /* of a, b and c */
    } rows[] = {
        {"", {5, 2, 1}},
        {"wu.wt_width=2", {3, 2, 1}},
        {"wu.depth=99", {5, 2, 0}},
        {"wu.sym_width=6", {0, 0, 0}},
    };
    static const char text[] = "aaaaabbc";
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct sam_system_config *config;
        assert_int_equal(sam_system_config_new(&config, NULL), SAM_OK);
        assert_int_equal(sam_system_config_set(config, rows[i].config, NULL), SAM_OK);
        const struct sam_system_timing timing = {.size = sizeof timing, .config = config};
        const struct sam_system_options options = {.size = sizeof options, .timing = &timing};
        SCOPED(system_program) p = system_program_new(RV32, &options, NULL, submit_twice, NULL);
        struct sam_weight_record r = pack_bytes(&p, text, 8, (uint32_t)DATA_BASE + TARGET);
        r.operation = SAM_WEIGHT_COUNT;
        r.source_bytes = 8;
        r.destination_bytes = 1024;
        write_record(&p, &r);
        write_at(&p, r.source, text, 8);
        sam_hart_set_x(p.hart, 10, DATA_BASE + RECORD);
        system_expect(&p, 0);
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(system_word(&p, r.destination + 4 * ('a' + k)), rows[i].counts[k]);
        if (strcmp(rows[i].config, "wu.sym_width=6") == 0) /* 0x61 & 0x3f */
            assert_int_equal(system_word(&p, r.destination + 4 * 0x21), 5);
        sam_system_config_free(config);
    }
}

/* A record at an unmapped address is the program's fault, at the store that submits it. */
TEST(absent_records)
{
    static const struct {
        uint64_t address;
        const char *words;
    } cases[] = {
        {DATA_BASE + 2, "weight record at 0xa0000002: expected a multiple of 4"},
        {DATA_BASE + DATA_SIZE - 60, "expected 64 bytes in one buffer"},
        {0, "expected 64 bytes in one buffer"},
        {0x02002000, "expected 64 bytes in one buffer"},
        {0x70000000, "expected 64 bytes in one buffer"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(system_program) p = system_program_new(RV32, NULL, NULL, submit_twice, NULL);
        sam_hart_set_x(p.hart, 10, cases[i].address);
        system_expect_trap(&p, SAM_CAUSE_STORE_ACCESS, SAM_SYSTEM_WEIGHT_SUBMIT, cases[i].words);
        assert_int_equal(sam_system_stats(p.system)->weight_records, 0);
    }
}

/* A function of the program, which has run before, is overwritten by decoding. */
TEST(code)
{
    static const char text[] = " call answer\n"
                               " mv s0, a2\n"
                               " li t0, 0x02002000\n"
                               " sw a0, 0(t0)\n"
                               " call answer\n"
                               " mv s1, a2\n"
                               " li t1, 0x02000004\n"
                               " sw zero, 0(t1)\n"
                               " .balign 64\n"
                               "answer: li a2, 1\n"
                               " ret\n"
                               "other: li a2, 2\n"
                               " ret\n";
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(system_program) p = system_program_new(isas[i], NULL, NULL, text, NULL);
        const uint64_t answer = sam_image_find(p.image, "answer")->value;
        uint8_t other[8];
        assert_int_equal(sam_system_read(p.system, answer + 8, other, sizeof other, NULL), SAM_OK);
        pack_bytes(&p, other, sizeof other, (uint32_t)answer);
        sam_hart_set_x(p.hart, 10, DATA_BASE + RECORD);
        system_expect(&p, 0);
        assert_int_equal(sam_hart_x(p.hart, 8), 1);
        assert_int_equal(sam_hart_x(p.hart, 9), 2);
    }
}

/* The directory is in a1 and in its register, for either order of loading; only one file can be
 * loaded. */
TEST(directory)
{
    static const char text[] = " li t0, 0x02000014\n"
                               " lw s0, 0(t0)\n"
                               " li t1, 0x02000004\n"
                               " sw a0, 0(t1)\n";
    uint8_t data[600] = {1, 2, 3};
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, SAM_U8, sizeof data);
    SCOPED(packed) file = pack(&weights, data, NULL);
    SCOPED(system_program) p = system_program_new(RV64, NULL, NULL, text, NULL);
    system_expect(&p, 0);
    assert_int_equal(sam_hart_x(p.hart, 8), 0);
    assert_int_equal(sam_system_load_weights(p.system, file.data, file.size - 1, 0, &p.error),
                     SAM_ERR_INPUT);
    succeeds(sam_system_load_weights, p.system, file.data, file.size, 0xb0000000);
    must_fail(SAM_ERR_USAGE, "a second packed file", sam_system_load_weights, p.system, file.data,
              file.size, 0);
    const uint64_t at = sam_hart_x(p.hart, 11);
    assert_true(at >= SAM_SYSTEM_BUFFERS);
    assert_int_equal(system_word(&p, at), 1);
    sam_hart_set_x(p.hart, 11, 0);
    succeeds(sam_system_load, p.system, p.image);
    assert_int_equal(sam_hart_x(p.hart, 11), at);
    system_expect(&p, 0);
    assert_int_equal((uint32_t)sam_hart_x(p.hart, 8), at); /* lw extends the sign */
}

/* A program that reads the destination before it has waited has a race; one that waits has none. */
TEST(races)
{
    static const char early[] = " li t0, 0x02002000\n"
                                " sw a0, 0(t0)\n"
                                "look: lw s0, 4(a1)\n"
                                " lw s1, 16(t0)\n"
                                " li t1, 0x02000004\n"
                                " sw zero, 0(t1)\n";
    static const char late[] = " li t0, 0x02002000\n"
                               " sw a0, 0(t0)\n"
                               " lw s1, 16(t0)\n"
                               " lw s0, 4(a1)\n"
                               " li t1, 0x02000004\n"
                               " sw zero, 0(t1)\n";
    const struct sam_system_options options = {.check_races = true};
    for (unsigned waits = 0; waits < 2; waits++) {
        SCOPED(system_program) p =
            system_program_new(RV32, &options, NULL, waits ? late : early, NULL);
        size_t count;
        pack_bytes(&p, "some text", 10, (uint32_t)DATA_BASE + TARGET);
        sam_hart_set_x(p.hart, 10, DATA_BASE + RECORD);
        sam_hart_set_x(p.hart, 11, DATA_BASE + TARGET);
        sam_system_run(p.system, &p.result, &p.error);
        const struct sam_system_race *found = sam_system_races(p.system, &count, NULL);
        assert_int_equal(count, !waits);
        if (!waits) {
            assert_int_equal(found->address, DATA_BASE + TARGET + 4);
            assert_int_equal(found->size, 4);
        }
    }
}
