/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing commit logs. The lines have the formats of the public simulators and the RTL. */

#include "test.h"

#include "samite/logdiff.h"

static struct sam_logdiff compare(const char *a, const char *b)
{
    struct sam_logdiff diff;
    succeeds(sam_log_compare, a, strlen(a), "a", b, strlen(b), "b", &diff);
    return diff;
}

static void expect_equal(const char *a, const char *b)
{
    struct sam_logdiff diff = compare(a, b);
    if (!diff.equal)
        fail_msg("%s:\n%.*s\n%.*s", diff.what, (int)diff.side[0].line.size, diff.side[0].line.text,
                 (int)diff.side[1].line.size, diff.side[1].line.text);
    assert_int_equal(diff.differing, 0);
    diff = compare(b, a);
    assert_true(diff.equal);
}

static void expect_difference(const char *a, const char *b, const char *what, size_t line_a,
                              size_t line_b)
{
    struct sam_logdiff diff = compare(a, b);
    assert_false(diff.equal);
    if (!strstr(diff.what, what))
        fail_msg("found \"%s\", expected \"%s\"", diff.what, what);
    assert_int_equal(diff.side[0].line.line, line_a);
    assert_int_equal(diff.side[1].line.line, line_b);
    assert_false(compare(b, a).equal);
}

/* Both lines of an instruction of `core`. */
#define INSN(core, pc, word, text, items)                                                          \
    "core   " core ": 0x" pc " (0x" word ") " text "\ncore   " core ": 3 0x" pc " (0x" word        \
    ")" items "\n"
#define ADDI(core, value) INSN(core, "80000000", "00500293", "li x5, 5", " x5  0x" value)
#define WID(core)         INSN(core, "80000004", "80502373", "csrr x6, wid", " x6  0x0000000" core)
#define GDX(core, value)  INSN(core, "80000008", "808023f3", "csrr x7, gidx", " x7  0x0000000" value)
#define VADD(core, mask, low)                                                                      \
    INSN(core, "8000000c", "0220a0d7", "vadd",                                                     \
         " c8_vstart 0x00000000 e32 m1 l4 v1  " mask " 0x00000004 00000003 00000002 " low " ")
#define LOAD(core, at)                                                                             \
    INSN(core, "80000010", "0002a303", "lw x6, 0(x5)", " x6  0x00000001 mem 0x" at)
#define STORE(core, at, value)                                                                     \
    INSN(core, "80000014", "0062a023", "sw x6, 0(x5)", " mem 0x" at " 0x" value)
#define JOIN(core, mask)                                                                           \
    INSN(core, "80000018", "0000205b", "join",                                                     \
         " current mask:\t" mask " current npc:\t00000000 stack size: 0")
#define END(core) INSN(core, "8000001c", "0000400b", "endprg", "")
#define ONE(core)                                                                                  \
    ADDI(core, "00000005")                                                                         \
    WID(core)                                                                                      \
    VADD(core, "0000000f", "00000001")                                                             \
    LOAD(core, "90000000") STORE(core, "90000004", "00000001") JOIN(core, "0000000f") END(core)

TEST(warps_may_be_interleaved_in_any_way)
{
    const char *turns =
        ADDI("0", "00000005") ADDI("1", "00000005") WID("1") WID("0") END("1") END("0");
    const char *runs =
        ADDI("0", "00000005") WID("0") END("0") ADDI("1", "00000005") WID("1") END("1");
    expect_equal(turns, runs);
    struct sam_logdiff diff = compare(turns, runs);
    assert_int_equal(diff.compared, 2);
    assert_int_equal(diff.side[0].records, 6);
    assert_int_equal(diff.side[0].warps, 2);
}

TEST(every_result_is_compared)
{
    static const struct {
        const char *a, *b, *what;
    } rows[] = {
        {ADDI("0", "00000005"), ADDI("0", "00000006"),
         "x5 is 0x00000005: 0x00000006 in the second log"},
        {ADDI("0", "00000005"), WID("0"), "pc is 0x80000000: 0x80000004"},
        {ADDI("0", "00000005"), INSN("0", "80000000", "00600293", "li x5, 5", " x5  0x00000005"),
         "the instruction is 0x00500293: 0x00600293"},
        {ADDI("0", "00000005"), INSN("0", "80000000", "00500293", "li x5, 5", " x6  0x00000005"),
         "x5 is written: x6"},
        {ADDI("0", "00000005"), INSN("0", "80000000", "00500293", "li x5, 5", ""),
         "a scalar register changes: nothing more"},
        {VADD("0", "0000000f", "00000001"), VADD("0", "0000000f", "00000002"),
         "lane 0 of v1 is 0x00000001: 0x00000002"},
        {VADD("0", "0000000f", "00000001"), VADD("0", "0000000e", "00000001"),
         "lanes written of v1 are 0x0000000f: 0x0000000e"},
        {LOAD("0", "90000000"), LOAD("0", "90000004"),
         "memory at 0x90000000 is accessed: at 0x90000004"},
        {STORE("0", "90000004", "00000001"), STORE("0", "90000004", "00000002"),
         "0x1 is stored at 0x90000004: 0x2"},
        {JOIN("0", "0000000f"), JOIN("0", "00000003"), "the lane mask is 0x0000000f: 0x00000003"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_difference(rows[i].a, rows[i].b, rows[i].what, 2, 2);
    /* Elements of inactive lanes count if both logs have all instructions. */
    expect_difference(VADD("0", "0000000e", "00000001"), VADD("0", "0000000e", "00000002"),
                      "lane 0 of v1", 2, 2);
}

TEST(what_simulators_show_differently_is_not_compared)
{
    /* disassembly, CSRs, the waiting pc and the depth of the stack */
    expect_equal(
        "core   0: 0x80000000 (0x0d0efed7) vsetvli x29, x29, e32, m1, ta, ma\n"
        "core   0: 3 0x80000000 (0x0d0efed7) x29 0x00000008 c3104_vl 0x00000008 c768_mstatus "
        "0x80000600\n" JOIN("0", "0000000f"),
        "core   0: 0x80000000 (0x0d0efed7) vsetvli t4, t4\n"
        "core   0: 3 0x80000000 (0x0d0efed7) x29 0x00000008 c3104_vl 0x00000008\n"
        "core   0: 0x80000018 (0x0000205b) join v0, v0, pc + 0\n"
        "core   0: 3 0x80000018 (0x0000205b) current mask:\t0000000f current npc:\t80000018 "
        "stack size: 2\n");
    /* a store of a byte, with as many digits as it needs */
    expect_equal(STORE("0", "90000004", "00000007"), STORE("0", "90000004", "7"));
    /* the boot ROM, a waiting barrier, instructions after endprg, dumps of the stack */
    const char *plain = ADDI("0", "00000005") INSN("0", "80000004", "0400c00b", "barrier", "")
    END("0");
    const char *noisy = INSN("0", "00001000", "00000297", "auipc x5, 0", " x5  0x00001000")
    ADDI("0", "00000005")
    "[r_pc] 800001b8 [else_pc] 800001b8 [else_mask] 000000ff \n" INSN("0", "80000004", "0400c00b",
                                                                      "barrier", "")
    "core   0: 3 0x80000004 (0x0400c00b)\ncore   0: 3 0x80000004 (0x0400c00b)\n"
    "core   0: Executed 3 times\n" END("0") INSN("0", "80000020", "0040006f", "j pc + 4", "")
    INSN("0", "80000024", "00100313", "li x6, 1", " x6  0x00000001");
    expect_equal(plain, noisy);
    const struct sam_logdiff diff = compare(plain, noisy);
    const size_t *ignored = diff.side[1].ignored;
    assert_int_equal(ignored[SAM_LOG_ROM], 2);
    assert_int_equal(ignored[SAM_LOG_OTHER], 1);
    assert_int_equal(diff.side[1].first_other, 5);
    assert_int_equal(ignored[SAM_LOG_REPEATED], 2);
    assert_int_equal(ignored[SAM_LOG_EXECUTED], 1);
    assert_int_equal(ignored[SAM_LOG_AFTER_END], 2);
    assert_int_equal(ignored[SAM_LOG_INCOMPLETE], 0);
    for (unsigned i = 0; i < SAM_LOG_IGNORED_KINDS; i++)
        assert_int_equal(diff.side[0].ignored[i], 0);
}

/* The public simulator prints a join that branches to itself once, and repeats its second line
 * each time; older logs of Samite print both lines each time. */
TEST(a_repeated_join_is_an_instruction_each_time)
{
    const char *pairs = JOIN("0", "0000000e") JOIN("0", "0000000f") JOIN("0", "0000000f");
    const char *lines = JOIN("0", "0000000e") "core   0: 3 0x80000018 (0x0000205b) current "
                                              "mask:\t0000000f current npc:\t80000018 "
                                              "stack size: 0\n"
                                              "core   0: 3 0x80000018 (0x0000205b) current "
                                              "mask:\t0000000f current npc:\t80000018 "
                                              "stack size: 0\n"
                                              "core   0: Executed 3 times\n";
    expect_equal(pairs, lines);
    const char *two = JOIN("0", "0000000e") JOIN("0", "0000000f");
    expect_difference(two, lines, "the first log has no more of the warp", 0, 4);
}

TEST(the_older_form_of_vectors)
{
    const char *older = "core   0: 0x8000000c (0x0220a0d7) vadd\n"
                        "core   0: 3 0x8000000c (0x0220a0d7) c8_vstart 0x00000000 e32 m1 l4 v1  "
                        "0x00000004000000030000000200000001\n";
    expect_equal(older, VADD("0", "0000000f", "00000001"));
    expect_difference(older, VADD("0", "0000000f", "00000003"), "lane 0 of v1", 2, 2);
    /* The SIMT mask has a line of its own. */
    expect_equal("core   0: 0x80000018 (0x0000205b) join\ncore   0: 3 0x80000018 (0x0000205b)\n"
                 "current mask:\t0000000f\ncurrent npc:\t00000000\nstack size: 0\n\n",
                 JOIN("0", "0000000f"));
}

TEST(context_is_what_the_warp_did_before)
{
    const char *a =
        ADDI("0", "00000005") ADDI("1", "00000005") WID("0") WID("1") LOAD("0", "90000000");
    const char *b =
        ADDI("1", "00000005") WID("1") ADDI("0", "00000005") WID("0") LOAD("0", "90000008");
    const struct sam_logdiff diff = compare(a, b);
    assert_int_equal(diff.warp, 0);
    assert_int_equal(diff.common_count, 2);
    assert_int_equal(diff.common[0].line, 2);
    assert_int_equal(diff.common[1].line, 6);
    assert_memory_equal(diff.common[1].text, "core   0: 3 0x80000004", 22);
    assert_int_equal(diff.side[0].line.line, 10);
    assert_int_equal(diff.side[1].line.line, 10);
    assert_int_equal(diff.differing, 1);
    /* The first difference in the order of the first log is reported. */
    const struct sam_logdiff both = compare(ADDI("1", "00000005") ADDI("0", "00000005"),
                                            ADDI("0", "00000006") ADDI("1", "00000006"));
    assert_int_equal(both.warp, 1);
    assert_int_equal(both.differing, 2);
}

TEST(workgroups_are_found_by_their_coordinates)
{
#define GROUP(x) ADDI("0", "0000000" x) WID("0") GDX("0", x) END("0")
    expect_equal(GROUP("0") GROUP("1") GROUP("2"), GROUP("2") GROUP("0") GROUP("1"));
    const char *two = GROUP("0") GROUP("2"), *three = GROUP("0") GROUP("1") GROUP("2");
    struct sam_logdiff diff = compare(three, two);
    assert_false(diff.equal);
    assert_int_equal(diff.compared, 2);
    assert_int_equal(diff.differing, 0);
    assert_int_equal(diff.only[0], 1);
    assert_int_equal(diff.only[1], 0);
    assert_true(diff.has_group);
    assert_int_equal(diff.group[0], 1);
    diff = compare(two, three);
    assert_int_equal(diff.only[1], 1);
    assert_int_equal(diff.side[0].line.line, 0);
    assert_int_equal(diff.side[1].line.line, 10);
    /* Without coordinates, workgroups are matched in order. */
#define PLAIN(value) ADDI("0", value) END("0")
    expect_equal(PLAIN("00000005") PLAIN("00000006"), PLAIN("00000005") PLAIN("00000006"));
    diff = compare(PLAIN("00000005") PLAIN("00000006"), PLAIN("00000005") PLAIN("00000007"));
    assert_int_equal(diff.workgroup, 1);
}

/* ------------------------------------------------------------------------------ the hardware */

#define RTL_ADDI(warp)    "sm   0 warp " warp " 0x80000000 0x00500293 x  5  00000005\n"
#define RTL_WID(warp, id) "sm   0 warp " warp " 0x80000004 0x80502373 x  6  0000000" id "\n"
#define RTL_VADD(warp)                                                                             \
    "sm   0 warp " warp " 0x8000000c 0x0220a0d7 v  1 1111 00000004 00000003 00000002 00000001 \n"
#define RTL_LOAD(warp)                                                                             \
    "sm   0 warp " warp " 0x80000010 0x0002a303 lsu.r x   6 op 0 @ 90000000+00000000\n"            \
    "sm   0 warp " warp " 0x80000010 0x0002a303 x  6  00000001\n"
#define RTL_STORE(warp)                                                                            \
    "sm   0 warp " warp " 0x80000014 0x0062a023 lsu.w x   6 op 0 00000001 @ 90000004+00000000\n"   \
    "sm   0 warp " warp " 0x80000014 0x0062a023 lsu.w fin\n"
#define RTL_END(warp) "sm   0 warp " warp " 0x8000001c 0x0000400b endprg\n"
#define RTL(warp, id)                                                                              \
    RTL_ADDI(warp) RTL_WID(warp, id) RTL_VADD(warp) RTL_LOAD(warp) RTL_STORE(warp) RTL_END(warp)

TEST(logs_of_the_hardware_in_three_spellings)
{
    expect_equal(ONE("0"), RTL("0", "0"));
    /* the cycle simulator */
    expect_equal(
        ONE("0"),
        "Info: (I703) tracing timescale unit set: 1 ns\n\n"
        "SM0 warp 0 0x80000000              ADDI_0x00500293 x 005 00000005 at 195 ns,1\n"
        "SM0 warp 0 write CSR[0x805]=0x0 by ins            CSRRS_0x80502373 at 385 ns,1\n"
        "SM0 warp 0 0x80000004             CSRRS_0x80502373 x 006 00000000 at 395 ns,1\n"
        "SM0 warp 0 0x8000000c           VADD_VV_0x0220a0d7 v 001 "
        "00000004,00000003,00000002,00000001; mask=1111 at 2665 ns,1\n"
        "SM0 warp 0 0x80000010                LW_0x0002a303 LSU addr=90000000+00000000 at 1 ns,1\n"
        "SM0 warp 0 0x80000010                LW_0x0002a303 x 006 00000001 at 1575 ns,1\n"
        "SM0 warp 0 0x80000014                SW_0x0062a023 data=00000001 addr=90000004 at 2 "
        "ns,1\n");
    /* without an instruction word, spaces between the words, and a mask of 32 digits */
    expect_equal(ONE("0"), "[12] SM 0 warp 0 0x80000000 x 005 00000005\n"
                           "[13] SM 0 warp 0 0x80000004 x 006 00000000\n"
                           "[14] SM 0 warp 0 0x8000000c v 001 00000004 00000003 00000002 00000001; "
                           "mask=00000000000000000000000000001111, s1=2\n"
                           "[15] SM 0 warp 0 0x80000010 x 006 00000001\n");
    const struct sam_logdiff diff = compare(ONE("0"), RTL("0", "0"));
    assert_int_equal(diff.side[0].form, SAM_LOG_ISA);
    assert_int_equal(diff.side[1].form, SAM_LOG_RTL);
    assert_int_equal(diff.side[1].records, 4);
    assert_int_equal(diff.side[1].ignored[SAM_LOG_NO_REGISTER], 4);
    assert_int_equal(diff.side[0].ignored[SAM_LOG_NO_REGISTER], 3);
    expect_equal(RTL("0", "0"), RTL("0", "0"));
}

TEST(differences_from_the_hardware)
{
    expect_difference(
        ONE("0"),
        RTL_ADDI("0") RTL_WID(
            "0", "0") "sm 0 warp 0 0x8000000c 0x0220a0d7 v  1 1111 00000004 00000009 00000002 "
                      "00000001\n" RTL_LOAD("0"),
        "lane 2 of v1 is 0x00000003: 0x00000009", 6, 3);
    expect_difference(
        ONE("0"),
        RTL_ADDI("0") RTL_WID(
            "0", "0") "sm 0 warp 0 0x8000000c 0x0220a0d7 v  1 0111 00000004 00000003 00000002 "
                      "00000001\n" RTL_LOAD("0"),
        "lanes written of v1", 6, 3);
    expect_difference(ONE("0"), RTL_ADDI("0") RTL_WID("0", "0") RTL_VADD("0"),
                      "the second log has no more writes of x6", 8, 0);
    expect_difference(ONE("0"), RTL("0", "0") "warp 0 0x80000020 0x00500293 x  5  00000005\n",
                      "the first log has no such warp", 0, 9);
}

/* Loads write back late: only the writes of one register are in program order. */
TEST(write_backs_may_be_out_of_order)
{
    expect_equal(ONE("0"), RTL_VADD("0") RTL_WID("0", "0") RTL_LOAD("0") RTL_ADDI("0"));
    expect_difference(ONE("0"), RTL_ADDI("0") RTL_LOAD("0") RTL_WID("0", "0") RTL_VADD("0"),
                      "pc is 0x80000004: 0x80000010", 4, 3);
}

TEST(elements_of_inactive_lanes_are_whatever_the_hardware_had)
{
    expect_equal(VADD("0", "00000001", "00000001"),
                 "warp 0 0x8000000c 0x0220a0d7 v  1 0001 99999999 99999999 99999999 00000001 \n");
}

TEST(hardware_puts_warps_into_any_slot)
{
    expect_equal(ONE("0") ONE("1"), RTL("1", "0") RTL("0", "1"));
    /* The next workgroup takes the slot after the endprg of the previous one. */
    expect_equal(ONE("0") ONE("0"), RTL("3", "0") RTL("3", "0"));
    /* The same slot of another SM is another warp. */
    const char *sms = "SM 0 warp 0 0x80000000 0x00500293 x 5 00000005\n"
                      "SM 1 warp 0 0x80000000 0x00500293 x 5 00000006\n";
    assert_int_equal(compare(sms, sms).side[0].warps, 2);
}

TEST(mstatus_and_x0_of_the_hardware_are_ignored)
{
    const char *isa = INSN("0", "80000000", "300eaef3", "csrrs", " x29 0x80000600")
    ADDI("0", "00000005");
    const char *rtl = "warp 0 0x80000000 0x300eaef3 x 29  00001800\n"
                      "warp 0 0x80000004 0x305f9073 x  0  00000000\n"
                      "warp 0 0x80000000 0x00500293 x  5  00000005\n";
    expect_equal(isa, rtl);
    const struct sam_logdiff diff = compare(isa, rtl);
    assert_int_equal(diff.side[1].ignored[SAM_LOG_MACHINE_CSR], 1);
    assert_int_equal(diff.side[1].ignored[SAM_LOG_X0], 1);
}

/* --------------------------------------------------------------------------------- bad input */

TEST(logs_that_end_in_the_middle)
{
    const char *whole = ONE("0");
    const size_t size = strlen(whole);
    struct sam_error error;
    for (size_t cut = 0; cut < size; cut++) {
        struct sam_logdiff diff;
        FREED char *part = malloc(cut + 1); /* so that a sanitizer detects a read past the end */
        assert_non_null(part);
        memcpy(part, whole, cut);
        enum sam_status status =
            sam_log_compare(part, cut, "part", whole, size, "whole", &diff, &error);
        if (status == SAM_OK) {
            /* Only the last line break, and spaces before it, may be missing. */
            assert_true(diff.equal == (cut >= size - 1));
            if (!diff.equal && diff.side[0].line.line)
                assert_non_null(strstr(diff.what, "; the first log ends here"));
        } else {
            assert_int_equal(status, SAM_ERR_INPUT);
            assert_non_null(strstr(error.text, "part: no record found"));
        }
    }
    /* An instruction without its second line has not committed. */
    const struct sam_logdiff diff =
        compare(ADDI("0", "00000005") "core   0: 0x80000004 (0x80502373) csrr x6, wid\n",
                ADDI("0", "00000005"));
    assert_true(diff.equal);
    assert_int_equal(diff.side[0].ignored[SAM_LOG_INCOMPLETE], 1);
}

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

TEST(what_holds_no_record_is_refused)
{
    static const struct {
        const char *text;
        size_t size;
    } rows[] = {
        TEXT(""),
        TEXT("\n\n"),
        TEXT("\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0"),
        TEXT("core\ncore 1\ncore  0: \ncore 0: 3\ncore 0: 0x\ncore 0: 3 0x80000000 (0x\n"),
        TEXT("core 0: 0x80000000 (0x00500293) li x5, 5\n"),
        TEXT("warp\nwarp 3\nwarp 3 0x\nwarp 3 0x80000000\nsm 1 warp 0 0x80000000 x 5\n"),
        TEXT("SM0 warp 0 0x80000000 ADDI_0x00500293 v 005 ; mask= \n"),
        TEXT("\033[2J\033]0;title\007core 0: 3 0x80000000 (0x00500293)\n"),
    };
    const char *good = ADDI("0", "00000005");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sam_logdiff diff;
        must_fail(SAM_ERR_INPUT, "bad.log: no record found: expected a commit log", sam_log_compare,
                  rows[i].text, rows[i].size, "bad.log", good, strlen(good), "good.log", &diff);
        must_fail(SAM_ERR_INPUT, "bad.log: ", sam_log_compare, good, strlen(good), "good.log",
                  rows[i].text, rows[i].size, "bad.log", &diff);
    }
}

TEST(lines_may_end_as_on_other_systems)
{
    expect_equal(ADDI("0", "00000005"), "core   0: 0x80000000 (0x00500293) li x5, 5\r\n"
                                        "core   0: 3 0x80000000 (0x00500293) x5  0x00000005\r\n");
    expect_equal(RTL_ADDI("0"), "warp 0 0x80000000 0x00500293 x 5 00000005\r\n");
}

TEST(every_reason_has_a_name)
{
    for (unsigned i = 0; i < SAM_LOG_IGNORED_KINDS; i++)
        assert_non_null(sam_log_ignored_name((enum sam_log_ignored)i));
    assert_null(sam_log_ignored_name(SAM_LOG_IGNORED_KINDS));
}
