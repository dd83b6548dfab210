/* SPDX-License-Identifier: Apache-2.0 */
/* Random loops on two harts, one that interprets and one that translates every loop: registers,
 * memory, the end of the run and the instructions counted must agree. The programs trap in the
 * middle of loops, write over their own instructions, call functions, jump through tables and end
 * with a used-up budget. Skipped where the translator is not built. */
#include "hart/core.h"
#include "machine/jit.h"
#include "machine/page.h"
#include "program.h"

enum { CASES = 60, WORDS = DATA_SIZE / 4 };

struct writer {
    struct sam_buffer text;
    uint64_t random;
    unsigned labels;
    bool wide, floats;
};

static unsigned below(struct writer *w, unsigned bound)
{
    return (unsigned)test_below(&w->random, bound);
}

/* A register that programs compute with. */
static unsigned any(struct writer *w)
{
    return 8 + below(w, 8);
}

static void write_access(struct writer *w)
{
    static const char *const names[] = {"lb", "lh", "lw", "lbu", "lhu",
                                        "sb", "sh", "sw", "ld",  "sd"};
    const unsigned which = below(w, w->wide ? 10 : 8);
    /* Mostly aligned; t6 holds DATA. */
    const unsigned at = below(w, 200) == 0 ? below(w, 2048) : below(w, 200) * 8;
    sam_buffer_printf(&w->text, "\t%s x%u, %u(t6)\n", names[which], any(w), at);
    if (below(w, 6) == 0) /* at an address that is computed, rarely outside */
        sam_buffer_printf(
            &w->text, "\tslli t5, x%u, %u\n\tsrli t5, t5, %u\n\tadd t5, t5, t6\n\t%s x%u, 0(t5)\n",
            any(w), w->wide ? 50 : 18, w->wide ? 50 : 18, below(w, 2) ? "lbu" : "sb", any(w));
}

static void write_float(struct writer *w)
{
    static const char *const names[] = {"fadd.s", "fsub.s",  "fmul.s", "fdiv.s",
                                        "fmin.s", "fsgnj.s", "feq.s"};
    sam_buffer_printf(&w->text, "\t%s x%u, x%u, x%u\n", names[below(w, 7)], any(w), any(w), any(w));
    if (below(w, 3) == 0)
        sam_buffer_printf(&w->text, "\tcsrr x%u, fflags\n", any(w));
}

static void write_plain(struct writer *w)
{
    static const char *const names[] = {"add", "sub", "xor",  "or",  "and", "sll",  "srl",  "sra",
                                        "slt", "mul", "mulh", "div", "rem", "divu", "sltu", "remu"};
    static const char *const small[] = {"addi", "xori", "ori", "andi", "slti"};
    switch (below(w, 8)) {
    case 0: write_access(w); break;
    case 1: write_float(w); break;
    case 2:
        sam_buffer_printf(&w->text, "\t%s x%u, x%u, %d\n", small[below(w, 5)], any(w), any(w),
                          (int)below(w, 4096) - 2048);
        break;
    case 3: sam_buffer_printf(&w->text, "\tlui x%u, %u\n", any(w), below(w, 1 << 20)); break;
    default:
        sam_buffer_printf(&w->text, "\t%s x%u, x%u, x%u\n", names[below(w, 16)], any(w), any(w),
                          any(w));
    }
}

/* Traps when some bits of a register happen to be zero. */
static void write_trap(struct writer *w)
{
    static const char *const names[] = {"lw x9, 2(t6)", "sw x9, -4(t6)", "sh x10, 1(t6)",
                                        "lw x11, 0(zero)"};
    sam_buffer_printf(&w->text, "\tandi t5, x%u, %u\n\tbnez t5, 1f\n\t%s\n1:\n", any(w),
                      below(w, 2) ? 1023u : 127u, names[below(w, 4)]);
}

/* Replaces an instruction of the program by addi or xori, depending on a register. */
static void write_change(struct writer *w, unsigned label)
{
    sam_buffer_printf(&w->text,
                      "\tandi t5, x%u, %u\n\tbnez t5, 1f\n\tlla t5, .Lc%u\n\tli t4, %u\n"
                      "\tsw t4, 0(t5)\n1:\n",
                      any(w), below(w, 2) ? 31u : 7u, label,
                      below(w, 2) ? 0x00340413u | below(w, 4096) << 20 : 0x00744493u);
}

/* Jumps through a table of jumps, or calls a function by its address. */
static void write_indirect(struct writer *w, unsigned label)
{
    if (below(w, 2) == 0) {
        sam_buffer_printf(&w->text, "\tlla t5, .Lf%u\n\tjalr t5\n", below(w, 2));
        return;
    }
    sam_buffer_printf(&w->text, "\tandi t5, x%u, 12\n\tlla t4, .Lt%u\n\tadd t4, t4, t5\n", any(w),
                      label);
    sam_buffer_printf(&w->text, "\tjr t4\n.Lt%u:\n", label);
    for (unsigned n = 0; n < 4; n++)
        sam_buffer_printf(&w->text, "\tj .Lt%u_%u\n", label, n);
    for (unsigned n = 0; n < 4; n++) {
        sam_buffer_printf(&w->text, ".Lt%u_%u:\n", label, n);
        write_plain(w);
        if (n < 3 && below(w, 2))
            sam_buffer_printf(&w->text, "\tj .Lt%u_3\n", label);
    }
}

static void write_body(struct writer *w, unsigned depth)
{
    static const char *const branches[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
    for (unsigned n = (depth ? 3 : 10) + below(w, 6); n > 0; n--) {
        const unsigned label = w->labels++;
        switch (below(w, 12)) {
        case 0: /* over an instruction that may be replaced */
            sam_buffer_printf(&w->text, "\t%s x%u, x%u, .Ls%u\n", branches[below(w, 6)], any(w),
                              any(w), label);
            sam_buffer_printf(&w->text, ".Lc%u:\taddi x8, x8, 1\n", label);
            write_plain(w);
            sam_buffer_printf(&w->text, ".Ls%u:\n", label);
            if (below(w, 3) == 0)
                write_change(w, label);
            break;
        case 4:
            if (below(w, 4) == 0)
                write_trap(w);
            break;
        case 1: sam_buffer_printf(&w->text, "\tcall .Lf%u\n", below(w, 2)); break;
        case 5:
            if (below(w, 4) == 0)
                write_indirect(w, label);
            break;
        case 2:
        case 3:
            if (depth < 3) {
                sam_buffer_printf(&w->text, "\tli s%u, %u\n.Ll%u:\n", 2 + depth, 1 + below(w, 12),
                                  label);
                write_body(w, depth + 1);
                sam_buffer_printf(&w->text, "\taddi s%u, s%u, -1\n\tbnez s%u, .Ll%u\n", 2 + depth,
                                  2 + depth, 2 + depth, label);
                break;
            }
            /* fallthrough */
        default: write_plain(w);
        }
    }
}

static void write_program(struct writer *w)
{
    sam_buffer_printf(&w->text, "\tli t6, %u\n\tli s7, %u\n", (unsigned)DATA_BASE, 20u);
    for (unsigned x = 8; x < 16; x++)
        sam_buffer_printf(&w->text, "\tli x%u, %u\n", x, (unsigned)test_random(&w->random) >> 1);
    sam_buffer_printf(&w->text, ".Ltop:\n");
    write_body(w, 0);
    sam_buffer_printf(&w->text, "\taddi s7, s7, -1\n\tbnez s7, .Ltop\n\tebreak\n");
    for (unsigned f = 0; f < 2; f++) {
        sam_buffer_printf(&w->text, ".Lf%u:\n", f);
        write_plain(w);
        sam_buffer_printf(&w->text, "\taddi x9, x9, %u\n\tret\n", f + 1);
    }
}

static struct program start(const struct writer *w, const struct sam_hart_options *options,
                            const char *jit)
{
    assert_int_equal(setenv("SAMITE_JIT", jit, 1), 0);
    struct program p = program_new(w->wide ? RV64 : RV32, options, sam_buffer_text(&w->text));
    unsetenv("SAMITE_JIT");
    uint32_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u;
    program_write(&p, DATA_BASE, words, sizeof words);
    return p;
}

static void compare(struct program *a, struct program *b)
{
    static uint8_t left[DATA_SIZE], right[DATA_SIZE];
    assert_int_equal(a->result.end, b->result.end);
    assert_string_equal(a->result.text, b->result.text);
    assert_int_equal(a->result.pc, b->result.pc);
    assert_int_equal(a->result.instructions, b->result.instructions);
    for (unsigned x = 1; x < 32; x++)
        if (sam_hart_x(a->hart, x) != sam_hart_x(b->hart, x))
            fail_msg("x%u is 0x%llx, interpreted 0x%llx", x,
                     (unsigned long long)sam_hart_x(b->hart, x),
                     (unsigned long long)sam_hart_x(a->hart, x));
    uint64_t flags[2];
    assert_true(sam_hart_csr(a->hart, 1, &flags[0]) && sam_hart_csr(b->hart, 1, &flags[1]));
    assert_int_equal(flags[0], flags[1]);
    program_read(a, DATA_BASE, left, sizeof left);
    program_read(b, DATA_BASE, right, sizeof right);
    assert_memory_equal(left, right, sizeof left);
}

static void random_loops(void **state)
{
    (void)state;
    unsigned loops = 0;
    const uint64_t cases = test_number("SAMITE_CASES", CASES);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0); /* nothing is kept */
    uint64_t seed = test_seed();
    for (uint64_t n = 0; n < cases; n++) {
        struct writer w = {.random = (seed + n) << 20, .wide = n & 1};
        print_message("# case 0x%llx\n", (unsigned long long)seed + n);
        write_program(&w);
        struct sam_hart_options options = {.max_insns = 0};
        if (below(&w, 3) == 0)
            options.max_insns = 1 + below(&w, 40000);
        else
            options.max_insns = 3000000;
        struct program interpreted = start(&w, &options, "off");
        struct program translated = start(&w, &options, n % 4 == 3 ? "auto,1" : "wait,1");
        assert_non_null(translated.hart->jit);      /* the library has been found */
        for (unsigned runs = 0; runs < 3; runs++) { /* past a budget, too */
            const enum sam_status status = program_run(&interpreted);
            assert_int_equal(program_run(&translated), status);
            compare(&interpreted, &translated);
        }
        loops += sam_jit_count(translated.hart->jit);
        program_free(&interpreted);
        program_free(&translated);
        sam_buffer_free(&w.text);
    }
    assert_true(loops > 0);
}

/* Call a function in another page 3,000 times, with a loop of `rounds` rounds, two instructions
 * each. Returns whether its translation is entered at the end. */
static bool keeps_loop(unsigned rounds)
{
    const struct sam_hart_options options = {.max_insns = 1000000};
    struct writer w = {.wide = false};
    bool kept = false;
    sam_buffer_printf(
        &w.text,
        "\tli s0, 3000\n1:\tcall far\n\taddi s0, s0, -1\n\tbnez s0, 1b\n\tebreak\n"
        "\t.balign 4096\nfar:\tli x8, %u\n2:\taddi x8, x8, -1\n\tbnez x8, 2b\n\tret\n",
        rounds);
    struct program interpreted = start(&w, &options, "off");
    struct program translated = start(&w, &options, "wait,1");
    assert_int_equal(program_run(&translated), program_run(&interpreted));
    compare(&interpreted, &translated);
    const struct sam_code *code = translated.hart->code;
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (const struct code_page *page = code->pages[i]; page; page = page->next)
            kept |= page->pc == (translated.image->entry | 4095) + 1 && sam_hot_holds(page, 1);
    program_free(&interpreted);
    program_free(&translated);
    sam_buffer_free(&w.text);
    return kept;
}

static void short_loops_are_given_up(void **state)
{
    (void)state;
    assert_true(keeps_loop(20));
    assert_false(keeps_loop(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_loops),
                                       cmocka_unit_test(short_loops_are_given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
