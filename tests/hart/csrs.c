/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs of a hart with machine mode only, by the table of RISC-V Privileged 2.2: existing ones,
 * writable bits, and counters that can be set and stopped. */
#include "hart/program.h"

enum { ILLEGAL = 2 };

/* The value of a CSR after a write of all ones; equal to the initial value where `fixed`. */
struct csr {
    const char *name;
    uint64_t kept32, kept64;
    bool fixed;
};

static const struct csr csrs[] = {
    /* MIE, MPIE, and MPP with machine mode only; no FS, VS and SD, since there is no F and no V */
    {"mstatus", 0x1888, 0x1888, false},
    {"mstatush", 0, UINT64_MAX, true},
    {"mtvec", 0xfffffffc, UINT64_MAX - 3, false},
    {"mepc", 0xfffffffc, UINT64_MAX - 3, false},
    {"mscratch", UINT32_MAX, UINT64_MAX, false},
    {"mtval", UINT32_MAX, UINT64_MAX, false},
    {"mie", 0x888, 0x888, false},
    {"mip", 0, 0, true},
    {"mcountinhibit", 5, 5, false},
    {"mhpmevent3", 0, 0, true},
    {"mhpmevent31", 0, 0, true},
    {"mhpmcounter3", 0, 0, true},
    {"mhpmcounter31", 0, 0, true},
    {"mhpmcounter3h", 0, UINT64_MAX, true},
    {"mhpmcounter31h", 0, UINT64_MAX, true},
    {"tselect", 0, 0, true},
    {"tdata1", 0, 0, true},
    {"tdata2", 0, 0, true},
    {"tdata3", 0, 0, true},
};

static const char *const isas[] = {"rv32im_zicsr_zfinx", "rv64im_zicsr_zfinx"};

/* Run `format`, with the name of a CSR inserted. */
static uint64_t with(const char *isa, const char *format, const char *name, bool *exists)
{
    SCOPED(sam_buffer) text = {0};
    uint64_t value;
    for (const char *at = format; *at; at++)
        if (*at == '@')
            sam_buffer_puts(&text, name);
        else
            sam_buffer_append(&text, at, 1);
    SCOPED(program) p = program_new(isa, NULL, sam_buffer_text(&text));
    enum sam_status status = program_run(&p);
    *exists = status == SAM_OK && p.result.end == SAM_HART_EBREAK;
    if (!*exists)
        assert_int_equal(p.result.cause, ILLEGAL);
    value = sam_hart_x(p.hart, 10);
    return value;
}

TEST(keep_what_is_implemented)
{
    for (size_t i = 0; i < SAM_COUNT(csrs); i++)
        for (unsigned wide = 0; wide < 2; wide++) {
            const struct csr *csr = &csrs[i];
            const uint64_t kept = wide ? csr->kept64 : csr->kept32;
            const bool half = wide && csr->fixed && kept == UINT64_MAX; /* not in RV64 */
            bool exists;
            uint64_t value =
                with(isas[wide], "li t0, -1\ncsrw @, t0\ncsrr a0, @\nebreak\n", csr->name, &exists);
            if (exists == half || (exists && value != kept))
                fail_msg("%s, %s: %s, 0x%llx", csr->name, isas[wide], exists ? "there" : "missing",
                         (unsigned long long)value);
            if (csr->fixed && !half)
                assert_int_equal(with(isas[wide], "csrr a0, @\nebreak\n", csr->name, &exists), 0);
        }
}

/* mstatus.MPP reads 3 initially and after an mret. */
TEST(previous_privilege)
{
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        assert_int_equal(program_a0(isas[i], "csrr a0, mstatus"), 0x1800);
        assert_int_equal(program_a0(isas[i], "csrwi mstatus, 0\ncsrr a0, mstatus"), 0x1800);
        assert_int_equal(program_a0(isas[i], "la t0, 1f\ncsrw mepc, t0\nmret\n1: csrr a0, mstatus"),
                         0x1880);
    }
}

TEST(read_only)
{
    static const char *const names[] = {"mvendorid", "marchid", "mimpid", "mhartid", "mconfigptr"};
    static const char *const shadows[] = {"cycle", "time", "instret"};
    bool exists;
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        for (size_t k = 0; k < SAM_COUNT(names); k++) {
            assert_int_equal(with(isas[i], "li a0, 5\ncsrr a0, @\nebreak\n", names[k], &exists), 0);
            assert_true(exists);
            with(isas[i], "csrwi @, 1\nebreak\n", names[k], &exists);
            assert_false(exists);
        }
        for (size_t k = 0; k < SAM_COUNT(shadows); k++) {
            assert_int_equal(with(isas[i], "nop\ncsrr a0, @\nebreak\n", shadows[k], &exists), 1);
            assert_true(exists);
            with(isas[i], "csrwi @, 1\nebreak\n", shadows[k], &exists);
            assert_false(exists);
        }
    }
}

/* CSRs of other modes and extensions are illegal instructions. */
TEST(not_there)
{
    static const char *const addresses[] = {"0x100", "0x180", "0x302", "0x303", "0x306",
                                            "0x30a", "0x321", "0x322", "0x3a0", "0x3b0",
                                            "0x744", "0xb01", "0xc03"};
    for (size_t i = 0; i < SAM_COUNT(isas); i++)
        for (size_t k = 0; k < SAM_COUNT(addresses); k++) {
            bool exists;
            with(isas[i], "csrr a0, @\nebreak\n", addresses[k], &exists);
            assert_false(exists);
        }
}

/* The instruction after a write reads the written value; the next one, one more. */
TEST(counters_are_written)
{
    static const char *const counters[][2] = {{"mcycle", "cycle"}, {"minstret", "instret"}};
    for (size_t i = 0; i < SAM_COUNT(isas); i++)
        for (size_t k = 0; k < SAM_COUNT(counters); k++) {
            char text[256];
            snprintf(text, sizeof text, "nop\nli t0, 1000\ncsrw %s, t0\ncsrr a0, %s",
                     counters[k][0], counters[k][1]);
            assert_int_equal(program_a0(isas[i], text), 1000);
            snprintf(text, sizeof text, "li t0, 1000\ncsrrw a0, %s, t0\ncsrr a1, time\ncsrr a0, %s",
                     counters[k][0], counters[k][0]);
            assert_int_equal(program_a0(isas[i], text), 1001);
        }
    /* the other one and time are unaffected */
    assert_int_equal(program_a0(RV64, "li t0, 1000\ncsrw mcycle, t0\ncsrr a0, minstret"), 2);
    assert_int_equal(program_a0(RV64, "li t0, 1000\ncsrw mcycle, t0\ncsrr a0, time"), 2);
    assert_int_equal(program_a0(RV64, "li t0, -1\ncsrw minstret, t0\nnop\ncsrr a0, instret"), 0);
}

/* Two halves under RV32: either may be written, a carry propagates to the upper one. */
TEST(halves_of_counters)
{
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"li t0, 7\ncsrw minstreth, t0\ncsrr a0, minstreth", 7},
        {"li t0, 7\ncsrw minstreth, t0\ncsrr a0, minstret", 1}, /* the write itself: not counted */
        {"li t0, -1\ncsrw minstret, t0\nnop\ncsrr a0, minstreth", 1},
        {"li t0, -1\ncsrw minstret, t0\nnop\ncsrr a0, instreth", 1},
        {"li t0, -1\ncsrw mcycle, t0\ncsrw mcycleh, t0\nnop\ncsrr a0, mcycleh", 0},
        {"li t0, -1\ncsrw mcycle, t0\ncsrw mcycleh, t0\nnop\ncsrr a0, mcycle", 0},
        {"li t0, -1\ncsrw mcycle, t0\ncsrw mcycleh, t0\ncsrr a0, cycleh", UINT32_MAX},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        assert_int_equal(program_a0("rv32im_zicsr", cases[i].text), cases[i].value);
    bool exists;
    with("rv64im_zicsr", "csrr a0, @\nebreak\n", "mcycleh", &exists);
    assert_false(exists);
}

TEST(counters_stop)
{
    static const char stopped[] = "csrwi mcountinhibit, %s\nnop\nnop\ncsrr a0, %s";
    static const struct {
        const char *bits, *counter;
        uint64_t value;
    } cases[] = {
        {"4", "minstret", 1}, {"4", "instret", 1}, {"4", "mcycle", 3},
        {"1", "mcycle", 1},   {"1", "instret", 3}, {"5", "cycle", 1},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, stopped, cases[i].bits, cases[i].counter);
        assert_int_equal(program_a0(RV64, sam_buffer_text(&text)), cases[i].value);
    }
    /* it can be set while stopped, and continues from there */
    assert_int_equal(program_a0(RV64, "csrwi mcountinhibit, 4\nli t0, 50\ncsrw minstret, t0\nnop\n"
                                      "csrwi mcountinhibit, 0\nnop\ncsrr a0, minstret"),
                     51);
}

/* The names of a hart's CSRs, not of a Ventus warp's. */
TEST(names)
{
    struct sam_isa ventus, hart;
    struct sam_csr_entry entry;
    assert_int_equal(sam_isa_parse("ventus", &ventus, NULL), SAM_OK);
    assert_int_equal(sam_isa_parse(RV64, &hart, NULL), SAM_OK);
    for (size_t i = 0; i < SAM_COUNT(csrs); i++)
        assert_true(sam_csr_entry_find(&hart, csrs[i].name, &entry));
    assert_true(sam_csr_entry_find(&hart, "mie", &entry));
    assert_string_equal(entry.extensions, "not on a Ventus warp");
    assert_false(sam_csr_entry_find(&ventus, "mie", &entry));
    assert_false(sam_csr_entry_find(&ventus, "mhpmcounter3", &entry));
    assert_true(sam_csr_entry_find(&ventus, "mstatus", &entry));
}

/* X denotes non-standard extensions; Zfinx is standard. */
TEST(extensions_in_misa)
{
    static const uint64_t plain = 1u << 8 | 1u << 12, top = UINT64_C(2) << 62;
    assert_int_equal(program_a0("rv64im_zicsr_zfinx", "csrr a0, misa"), top | plain);
    assert_int_equal(program_a0("rv64ima_zicsr", "csrr a0, misa"), top | plain | 1);
    assert_int_equal(program_a0("rv64im_zicsr_xmatrix", "csrr a0, misa"), top | plain | 1u << 23);
    assert_int_equal(program_a0("rv32im_zicsr_xtensorload", "csrwi misa, 0\ncsrr a0, misa"),
                     plain | 1u << 30 | 1u << 23);
}

/* From outside, between runs. */
TEST(by_the_host)
{
    uint64_t value;
    SCOPED(program) p = program_new(RV32, NULL, "nop\nebreak\ncsrr a0, minstret\nebreak\n");
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_csr(p.hart, 0xb02, &value));
    assert_int_equal(value, 1);
    assert_true(sam_hart_set_csr(p.hart, 0xb02, 70));
    sam_hart_set_pc(p.hart, p.result.pc + 4);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 70);
    assert_false(sam_hart_set_csr(p.hart, 0xf15, 1));
}
