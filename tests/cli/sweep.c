/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep` as a user calls it: the lines of its CSV, its page, parameters of both models in
 * time, runs that fail, Ctrl-C. */
#include "cli/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two loads, a multiplication of 16 x 16 x 64 bytes, a store. */
static const char tile[] = "        li      t0, 0x401010\n"
                           "        mcfg    zero, t0\n"
                           "        li      t1, 64\n"
                           "        mldb    m0, t1, (a0)\n"
                           "        mldb    m2, t1, (a0)\n"
                           "        mmaqa.b m4, m2, m0\n"
                           "        mcfgmi  zero, 1\n"
                           "        mstw    m4, t1, (a0)\n"
                           "        li      a0, CODE\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

/* Loads of 1024 bytes that stores wait for. */
static const char copy[] = "        li      t0, 0x200104\n"
                           "        csrw    tshape, t0\n"
                           "        li      t0, 32\n"
                           "        csrw    tload_width, t0\n"
                           "        csrw    tstore_width, t0\n"
                           "        .rept   8\n"
                           "        tl.load tl1, 0(a0)\n"
                           "        tl.store tl1, 0(a1)\n"
                           "        .endr\n"
                           "        li      a0, 0\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

#define TILE "tile.s -D CODE=0 --map 0x10000:4096 --reg a0=0x10000 "
#define COPY "copy.s --map 0x10000:8192 --reg a0=0x10000 --reg a1=0x11000 "

static int set_up(void **state)
{
    (void)state;
    command_verb = "sweep";
    make_directory();
    write_text("tile.s", tile);
    write_text("copy.s", copy);
    write_text("loop.s", "again: j again\n");
    write_text("break.s", "ebreak\n");
    setenv("SOURCE_DATE_EPOCH", "86400", 1);
    return 0;
}

/* Column `name` of line `line` (0: the names). Freed by the caller. */
static char *cell(const struct sam_buffer *csv, const char *name, unsigned line)
{
    const char *text = sam_buffer_text(csv);
    unsigned column = 0;
    size_t size = strlen(name);
    const char *at = text;
    while (strncmp(at, name, size) != 0 || (at[size] != ',' && at[size] != '\n')) {
        at += strcspn(at, ",\n");
        if (*at++ != ',')
            fail_msg("no column %s", name);
        column++;
    }
    for (at = text; line; line--) {
        at = strchr(at, '\n');
        assert_non_null(at);
        at++;
    }
    for (; column; column--) {
        at += strcspn(at, ",\n");
        assert_int_equal(*at, ',');
        at++;
    }
    return strndup(at, strcspn(at, ",\n"));
}

static unsigned long number(const struct sam_buffer *csv, const char *name, unsigned line)
{
    char *text = cell(csv, name, line), *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end)
        fail_msg("%s of line %u: '%s'", name, line, text);
    free(text);
    return value;
}

static unsigned count_of(const struct sam_buffer *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = sam_buffer_text(text); (at = strstr(at, part)); at++)
        count++;
    return count;
}

TEST(lines)
{
    struct sam_buffer out =
        expect_success(TILE "--isa tensor --config mpara=2,4 --config slots=1,4 -j 2 -o out.csv");
    assert_int_equal(out.size, 0);
    sam_buffer_free(&out);
    out = read_file("out.csv");
    expect_part(&out, "mpara,slots,cycles,utilisation,mma_uops,");
    expect_part(&out, "\n2,1,");
    expect_part(&out, "\n4,4,");
    assert_int_equal(count_of(&out, "\n"), 5);
    /* where the cycles of each unit went: all of them */
    static const char *const states[] = {"mma_busy",     "mma_empty", "mma_register", "mma_block",
                                         "mma_pressure", "mma_line",  "mma_slots",    "mma_memory"};
    for (unsigned line = 1; line <= 4; line++) {
        unsigned long sum = 0;
        for (size_t i = 0; i < SAM_COUNT(states); i++)
            sum += number(&out, states[i], line);
        assert_int_equal(sum, number(&out, "cycles", line));
        assert_int_equal(number(&out, "mma_busy", line), number(&out, "mma_uops", line));
    }
    assert_true(number(&out, "mma_register", 1) + number(&out, "mma_empty", 1) > 0);
    assert_int_equal(count_of(&out, "engine"), 0); /* the program uses none */
    sam_buffer_free(&out);
}

/* Heights of the dots of a chart, which must use the height there is unless they are shares. */
static void expect_fitting(const char *figure)
{
    double least = 1e9, most = 0;
    const char *end = strstr(figure, "</figure>");
    for (const char *at = figure; (at = strstr(at, " cy=\"")) && at < end; at++) {
        const double y = strtod(at + 5, NULL);
        least = y < least ? y : least;
        most = y > most ? y : most;
    }
    const bool share = strstr(figure, " in %") < strstr(figure, "</figcaption>");
    assert_true(least >= 16 && most <= 226); /* inside the axes */
    assert_true(share || most - least > 100);
}

TEST(page)
{
    struct sam_buffer out = expect_success(TILE "--config mpara=2,4 --config mem_latency=400,401 "
                                                "-D 'X=1<2' -o a.csv --html a.html");
    sam_buffer_free(&out);
    struct sam_buffer csv = read_file("a.csv");
    out = read_file("a.html");
    const char *text = sam_buffer_text(&out), *figure = text;
    unsigned figures = 0;
    expect_part(&out, "<title>Sweep of tile.s</title>");
    expect_part(&out, "1970-01-02 00:00 UTC; samite ");
    expect_part(&out, "<pre>samite sweep tile.s -D CODE=0 --map 0x10000:4096 ");
    expect_part(&out, " -D 'X=1&lt;2' -o a.csv ");
    for (; (figure = strstr(figure, "<figure>")); figure++, figures++)
        expect_fitting(figure);
    assert_int_equal(figures, 4);
    expect_part(&out, "<title>cycles by mpara</title>");
    expect_part(&out, "<title>utilisation by mem_latency</title>");
    expect_part(&out, "mem_latency: <span><i style=");             /* the colour is explained */
    assert_int_equal(count_of(&out, "class=\"best\"><title>"), 4); /* one in each chart */
    assert_int_equal(count_of(&out, "<tr class=\"best\">"), 1);
    expect_part(&out, "<b>register</b> waits for a register that an older instruction holds");
    assert_null(strstr(sam_buffer_text(&out), "<b>busy</b> </span>"));
    /* a tooltip for each dot, with the stall causes */
    assert_int_equal(count_of(&out, "</title></circle>"), 16);
    expect_part(&out, "mpara=2, mem_latency=400\ncycles: ");
    expect_part(&out, "\nmma: busy ");
    expect_part(&out, "largest stall (mma)");
    expect_part(&out, "<rect");
    expect_part(&out, "mma: register ");
    /* the best run is the one with the fewest cycles */
    unsigned best = 1;
    char words[128];
    for (unsigned line = 2; line <= 4; line++)
        if (number(&csv, "cycles", line) < number(&csv, "cycles", best))
            best = line;
    snprintf(words, sizeof words, "Best run:</strong> mpara=%lu, mem_latency=%lu: cycles %lu,",
             number(&csv, "mpara", best), number(&csv, "mem_latency", best),
             number(&csv, "cycles", best));
    expect_part(&out, words);
    assert_null(strstr(text, "http")); /* needs no network */
    assert_non_null(strstr(text, "<script>"));
    assert_true(strstr(text, "</table>") <
                strstr(text, "<script>")); /* and no script is needed to read it */
    sam_buffer_free(&csv);
    sam_buffer_free(&out);
}

TEST(engines)
{
    struct sam_buffer out = expect_success("--config help");
    expect_part(&out, "load_bytes ");
    expect_part(&out, "mpara ");
    sam_buffer_free(&out);
    out = expect_success(COPY "--config load_bytes=8,64 --config queue=1,4 --html e.html");
    expect_part(&out, "load_bytes,queue,engines_cycles,");
    assert_true(number(&out, "engines_cycles", 1) > number(&out, "engines_cycles", 3));
    /* 8 loads of 1024 bytes, with the cycle of a slice each */
    assert_int_equal(number(&out, "load_engine_busy", 1), 8 * (1024 / 8 + 1));
    assert_int_equal(number(&out, "load_engine_busy", 3), 8 * (1024 / 64 + 1));
    assert_true(number(&out, "store_engine_raw", 3) > 0);
    assert_int_equal(count_of(&out, "mma_"), 0);
    sam_buffer_free(&out);
    out = read_file("e.html");
    expect_part(&out, "<title>cycles of the engines by load_bytes</title>");
    expect_part(&out, "load engine: busy ");
    expect_part(&out, "largest stall (hart)");
    expect_part(&out, "<b>raw</b> the next instruction reads a TLReg that is not written yet");
    sam_buffer_free(&out);
    /* parameters of both, of a program that uses the matrix unit */
    out = expect_success(TILE "--config mpara=2,4 --config scalar_cpi=1,9");
    expect_part(&out, "mpara,scalar_cpi,cycles,");
    assert_true(number(&out, "engines_cycles", 2) > number(&out, "engines_cycles", 1));
    sam_buffer_free(&out);
    out = expect_success(COPY "--isa rv64im_zicsr_zfinx_xtensorload --config store_queue=2,4");
    assert_int_equal(count_of(&out, "\n"), 3);
    sam_buffer_free(&out);
}

/* Launches on the GPU. */
TEST(launches)
{
    write_text("k.s", "        .globl  count\n"
                      "count:  lw      t0, 0(a0)\n"
                      "1:      addi    t0, t0, -1\n"
                      "        bnez    t0, 1b\n"
                      "        ret\n");
#define KERNEL "k.s --kernel count --grid 8 --block 64 --arg u32:50 "
    struct sam_buffer out =
        expect_success(KERNEL "--config sms=1,4 --config mem_latency=50,200 --html g.html");
    expect_part(&out, "sms,mem_latency,cycles,insns,");
    assert_int_equal(count_of(&out, "\n"), 5);
    assert_true(number(&out, "cycles", 1) > number(&out, "cycles", 3)); /* more SMs */
    assert_true(number(&out, "cycles", 2) > number(&out, "cycles", 1)); /* slower memory */
    assert_int_equal(number(&out, "insns", 1), 8 * 2 * (11 + 1 + 100 + 1));
    assert_int_equal(number(&out, "insns", 4), number(&out, "insns", 1));
    /* warp slots and the unit for branches and barriers have columns of their own */
    assert_int_equal(number(&out, "warp_slots_busy", 1), number(&out, "insns", 1));
    assert_true(number(&out, "warps_busy", 1) < number(&out, "insns", 1));
    sam_buffer_free(&out);
    out = read_file("g.html");
    assert_null(strstr(sam_buffer_text(&out), ">0k<"));
    expect_part(&out, "<title>cycles by sms</title>");
    expect_part(&out, "largest stall (warp slots)");
    expect_part(&out, "<title>occupancy by mem_latency</title>");
    /* every reason of the bars is explained, in the model's words */
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++) {
        char part[120];
        snprintf(part, sizeof part, "warp slots: %s ", sam_gputime_reason_name(reason));
        const bool shown = strstr(sam_buffer_text(&out), part);
        snprintf(part, sizeof part, "<b>%s</b> %s", sam_gputime_reason_name(reason),
                 sam_gputime_reason_meaning(reason));
        assert_true(!shown || strstr(sam_buffer_text(&out), part));
    }
    /* a share is on an axis from 0 to 100, with its unit; the best run is not in the colour of
     * failures */
    const char *shares = strstr(sam_buffer_text(&out), "<title>occupancy by mem_latency</title>");
    const char *labels = strstr(shares, ">100<");
    assert_true(labels && labels < strstr(shares, "</svg>"));
    labels = strstr(shares, "class=\"unit\">%</text>");
    assert_true(labels && labels < strstr(shares, "</svg>"));
    assert_int_equal(count_of(&out, "#d1344b"), 0);
    expect_part(&out, "DRAM traffic");
    sam_buffer_free(&out);
    /* presets come before what changes them */
    out = expect_success(KERNEL "--config sms=1 --config preset=rtl,systemc --json");
    expect_part(&out, "\"preset\": \"systemc\"");
    sam_buffer_free(&out);
    expect_failure(KERNEL "--config mpara=2", 2, "unknown parameter 'mpara'");
    expect_failure(KERNEL "--config sms=0", 2, "sms=0: expected a number from 1 to 64");
    expect_failure(KERNEL "--config sms=2 --mlen 128", 2,
                   "--mlen is for --machine tensor or system, not");
    expect_failure("tile.s --config mpara=2 --grid 4", 2, "--grid is for --machine ventus");
    expect_failure(KERNEL "--config sms=2 --arg out:u32:4:o.npy", 2, "a sweep writes no outputs");
    /* what does not fit is a line of the result */
    struct outcome o = run(KERNEL "--config threads=16,32");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "run 1: ");
    expect_part(&o.err, "threads=16");
    assert_true(number(&o.out, "cycles", 2) > 0);
    done(&o);
    o = run(KERNEL "--config sms=1,2 --max-insns 30");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "still running after 30 instructions");
    done(&o);
}

TEST(refused)
{
    expect_failure("tile.s", 2, "no --config");
    expect_failure("tile.s --config mpara=2,5", 2, "mpara=5");
    expect_failure("tile.s --config =2", 2, "KEY=VALUE");
    expect_failure("tile.s --config mpara", 2, "mpara: cannot open: No such file");
    expect_failure("tile.s --config mpara=2 --config slots=2 --config mpara=4", 2,
                   "--config mpara=4: mpara is given before: expected all its values in one");
    expect_failure("tile.s --mlen 128 --config mlen=128,512", 2,
                   "--mlen 128 and --config mlen=512: expected one row length");
    expect_failure("tile.s --config lod_bytes=1", 2, "did you mean 'load_bytes");
    expect_failure(COPY "--isa rv64im_zicsr_zfinx_xtensorload --config mpara=2", 2,
                   "mpara: rv64im_zicsr_zfinx_xtensorload has no matrix unit");
    expect_failure(TILE "--config slots=2 -o x --html x", 2, "x: the output is the output x");
    expect_failure(TILE "--config slots=2 -o tile.s", 2, "the output is the input");
    expect_failure(TILE "--config slots=2 --html nowhere/x.html", 2, "nowhere/x.html: cannot");
    setenv("SOURCE_DATE_EPOCH", "today", 1);
    expect_failure(TILE "--config slots=2", 2, "SOURCE_DATE_EPOCH=today");
    setenv("SOURCE_DATE_EPOCH", "86400", 1);
    assert_false(exists("x"));
}

/* An impossible combination and a failing program are lines of the result. */
TEST(failures)
{
    struct outcome o = run(TILE "--config mlen=128,512 --config mpara=8 -o - --html failed.html");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "128,8,,");
    expect_part(&o.out, "a register of MLEN 128 has 4 rows");
    expect_part(&o.out, "\n512,8,");
    done(&o);
    struct sam_buffer html = read_file("failed.html");
    expect_part(&html, "1 of 2 runs failed");
    expect_part(&html, "<tr class=\"failed\"><td>1</td><td>128</td><td>8</td><td class=\"error\"");
    sam_buffer_free(&html);
    o = run(
        "tile.s -D CODE=3 --map 0x10000:4096 --reg a0=0x10000 --config slots=1,2 --html f.html");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, ",\"exit code 3\"\n");
    expect_part(&o.err, "run 1: exit code 3");
    done(&o);
    o = run("break.s --config slots=2");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "--ebreak ok");
    done(&o);
    struct sam_buffer out = expect_success("break.s --config slots=2 --ebreak ok");
    sam_buffer_free(&out);
}

TEST(interrupted)
{
    pid_t child = start("loop.s --config slots=1,2,3,4 -j 2 -o loop.csv --html loop.html");
    assert_true(comes(child, catches, SIGTERM));
    kill(child, SIGINT);
    struct outcome o = dies(child, SIGINT);
    expect_part(&o.err, "stopped");
    done(&o);
    assert_false(exists("loop.csv") || exists("loop.html"));
    assert_false(has_temporary("loop.csv") || has_temporary("loop.html"));
    /* a launch that is stopped is not reported beside the sweep */
    write_text("spin.s", ".globl spin\nspin: j spin\n");
    child = start("spin.s --kernel spin --grid 1 --block 1 --config sms=1,2");
    assert_true(comes(child, catches, SIGTERM));
    kill(child, SIGINT);
    o = dies(child, SIGINT);
    assert_string_equal(sam_buffer_text(&o.err), "samite: error: stopped\n");
    done(&o);
}

TEST_GROUP(set_up, remove_directory)
