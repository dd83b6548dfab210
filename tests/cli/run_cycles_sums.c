/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --cycles` of Ventus launches: sums of the report, profiles, timelines, legends and
 * stops. The rest: run_cycles.txt. */
#include "cli/command.h"

#include <jansson.h>
#include <signal.h>
#include <unistd.h>

/* out[i] += i, through a barrier; a divergent branch. */
static const char kernel[] = "        .globl  count\n"
                             "count:  lw      a1, 0(a0)\n"
                             "        csrr    t0, wid\n"
                             "        slli    t0, t0, 7\n"
                             "        csrr    t1, wgid\n"
                             "        slli    t1, t1, 8\n"
                             "        add     t0, t0, t1\n"
                             "        vid.v   v1\n"
                             "        vsll.vi v2, v1, 2\n"
                             "        vadd.vx v2, v2, t0\n"
                             "        vadd.vx v2, v2, a1\n"
                             "        vlw12.v v3, 0(v2)\n"
                             "        vadd.vv v3, v3, v1\n"
                             "        barrier 1\n"
                             "        vmv.v.i v4, 9\n"
                             "        setrpc  t0, 1f\n"
                             "        vblt    v4, v1, 1f\n"
                             "        vadd.vi v3, v3, 1\n"
                             "1:      join\n"
                             "        vsw12.v v3, 0(v2)\n"
                             "        ret\n";

#define RUN "k.s --kernel count --grid 8 --block 64 --arg out:u32:512:out.npy "

static json_int_t sum_of(const json_t *object)
{
    json_int_t sum = 0;
    for (void *at = json_object_iter((json_t *)object); at;
         at = json_object_iter_next((json_t *)object, at))
        sum += json_integer_value(json_object_iter_value(at));
    return sum;
}

TEST(everything_sums_to_the_cycles)
{
    write_text("k.s", kernel);
    static const char *const presets[] = {"rtl", "verilog", "systemc"};
    for (size_t p = 0; p < SAM_COUNT(presets); p++) {
        FREED char *words = formatted(RUN "--json --config preset=%s", presets[p]);
        SCOPED_JSON *root = expect_json(words);
        json_t *sm, *slot;
        const json_t *launch = json_at(root, "launches/0");
        const json_t *time = json_object_get(launch, "time");
        const json_int_t cycles = number_at(time, "cycles");
        assert_true(cycles > 0);
        assert_int_equal(number_at(root, "cycles"), cycles);
        assert_int_equal(number_at(time, "insns"), number_at(launch, "counts/warp_insns"));
        size_t i, k;
        json_int_t groups = 0, spent = 0, empty = 0;
        json_array_foreach(json_object_get(time, "sms"), i, sm)
        {
            const char *name;
            json_t *unit;
            groups += number_at(sm, "workgroups");
            assert_int_equal(sum_of(json_object_get(sm, "reasons")), cycles);
            json_object_foreach(json_object_get(sm, "units"), name, unit)
                assert_int_equal(sum_of(json_object_get(unit, "reasons")), cycles);
            json_array_foreach(json_object_get(sm, "warp_slots"), k, slot)
            {
                assert_int_equal(sum_of(slot), cycles);
                empty +=
                    number_at(slot, "empty") + number_at(slot, "start") + number_at(slot, "drain");
                spent += cycles;
            }
        }
        assert_int_equal(groups, 8);
        /* instructions have the cycles of their slots and refer to the right source line */
        json_t *insn;
        json_int_t of_insns = 0, issues = 0;
        bool found = false;
        json_array_foreach(json_object_get(time, "instructions"), i, insn)
        {
            const json_t *reasons = json_object_get(insn, "reasons");
            of_insns += sum_of(reasons) - number_at(reasons, "start") -
                        number_at(reasons, "drain") - number_at(reasons, "empty");
            issues += number_at(insn, "issues");
            if (strstr(json_string_value(json_object_get(insn, "text")), "vlw12.v")) {
                assert_string_equal(json_string_value(json_object_get(insn, "file")), "k.s");
                assert_int_equal(number_at(insn, "line"), 12);
                assert_int_equal(number_at(insn, "issues"), 16);
                found = true;
            }
        }
        assert_true(found);
        assert_int_equal(issues, number_at(time, "insns"));
        assert_int_equal(of_insns, spent - empty);
    }
}

TEST(profiles_have_cycles)
{
    write_text("k.s", kernel);
    expect_runs(RUN "-q --cycles --profile p.json");
    json_t *root = read_json("p.json");
    const json_t *total = json_object_get(root, "total");
    assert_true(number_at(total, "cycles") > number_at(total, "count"));
    assert_int_equal(sum_of(json_object_get(total, "reasons")), number_at(total, "cycles"));
    assert_int_equal(number_at(total, "reasons/busy"), number_at(total, "count"));
    json_decref(root);
    static const struct {
        const char *name, *part;
    } rows[] = {
        {"p.html", "<th class=\"at\">waits for</th>"},
        {"p.txt", "       cycles        count"},
        {"p.folded", "vlw12.v v3, 0(v2) "},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        FREED char *words = formatted(RUN "-q --cycles --profile %s", rows[i].name);
        expect_runs(words);
        expect_parts(read_file(rows[i].name), rows[i].part, NULL);
    }
}

/* Check that `legend` explains every reason that the page has after the text `before`. Returns how
 * many it has, from reason `first` on. */
static unsigned explained(const char *page, const char *legend, const char *before, unsigned first)
{
    unsigned reasons = 0;
    for (unsigned reason = first; reason < SAM_GPUTIME_REASONS; reason++) {
        const char *name = sam_gputime_reason_name(reason);
        FREED char *shown = formatted("%s%s ", before, name);
        FREED char *words = formatted("<b>%s</b> %s", name, sam_gputime_reason_meaning(reason));
        if (!strstr(page, shown))
            continue;
        assert_non_null(strstr(legend, words));
        reasons++;
    }
    return reasons;
}

/* The legend of a page lists every reason of its column. */
TEST(pages_have_a_legend)
{
    write_text("k.s", kernel);
    expect_runs(RUN "-q --cycles --profile t.html");
    SCOPED(sam_buffer) file = read_file("t.html");
    const char *legend = strstr(sam_buffer_text(&file), "<h2 id=\"legend\">");
    assert_non_null(legend);
    assert_true(explained(sam_buffer_text(&file), legend, "<td class=\"at\">", 1) >= 2);
}

/* The legend of a sweep explains every reason of its bars. */
TEST(pages_of_sweeps_have_a_legend)
{
    write_text("k.s", kernel);
    command_verb = "sweep";
    expect_runs("k.s --kernel count --grid 8 --block 64 --arg out:u32:512 "
                "--config sms=1,4 --html g.html");
    command_verb = "run";
    SCOPED(sam_buffer) out = read_file("g.html");
    const char *page = sam_buffer_text(&out);
    assert_true(explained(page, page, "warp slots: ", 0) > 0);
}

TEST(timelines)
{
    write_text("k.s", kernel);
    expect_runs(RUN "-q --perfetto t.json --konata k.log");
    json_t *root = read_json("t.json"), *event;
    size_t i, issues = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        const char *category = json_string_value(json_object_get(event, "cat"));
        issues += category && strcmp(category, "issue") == 0;
        if (!category || strcmp(category, "wait") != 0)
            continue;
        const char *name = json_string_value(json_object_get(event, "name"));
        const json_t *meaning = json_at(event, "args/meaning");
        unsigned reason = 0;
        while (strcmp(sam_gputime_reason_name(reason), name) != 0)
            reason++;
        assert_string_equal(json_string_value(meaning), sam_gputime_reason_meaning(reason));
    }
    json_decref(root);
    SCOPED(sam_buffer) file = read_file("k.log");
    expect_part(&file, "Kanata\t0004\n");
    expect_part(&file, "vlw12.v v3, 0(v2)");
    size_t rows = 0;
    for (const char *at = sam_buffer_text(&file); (at = strstr(at, "\nR\t")); at++)
        rows++;
    root = expect_json(RUN "--cycles --json");
    const json_t *launch = json_at(root, "launches/0");
    assert_int_equal(rows, number_at(launch, "time/insns"));
    assert_int_equal(issues, rows);
    json_decref(root);
    /* more instructions in one unit than usual */
    expect_runs(RUN "-q --perfetto t.json --config sms=1,warps=32,groups=32,valu_latency=1000");
    root = read_json("t.json");
    expect_disjoint_slices(root);
    json_decref(root);
    if (access("/dev/full", W_OK) == 0) {
        expect_failure(RUN "-q --perfetto /dev/full", 2, "/dev/full: cannot write: No space left");
        expect_failure(RUN "-q --konata /dev/full", 2, "/dev/full: cannot write: No space left");
        expect_failure(RUN "-q --trace=/dev/full", 2, "/dev/full: cannot write: No space left");
    }
}

static json_t *events_of(const char *name)
{
    json_t *root = read_json(name), *events = json_incref(json_at(root, "traceEvents"));
    json_decref(root);
    return events;
}

/* A timeline of a window has exactly the events of the full one that overlap the window, on
 * every machine with timelines. */
TEST(a_window)
{
    static const struct {
        const char *words;
        json_int_t from, to;
    } cases[] = {{RUN, 400, 500},
                 {RUN, 0, 0},
                 {"tl.s --machine tensor --map 0x40020000:0x10000", 40, 60},
                 {"tl.s --machine system --map 0x50000000:4096", 40, 60}};
    write_text("k.s", kernel);
    write_text("tl.s",
               " li t0, 0x200104\n csrw tshape, t0\n li t0, 32\n csrw tload_width, t0\n"
               " csrw tstore_width, t0\n li a0, 0x40020000\n tl.load tl1, 0(a0)\n"
               " tl.load tl2, 0(a0)\n tl.store tl1, 0(a0)\n li a0, 0\n li a7, 93\n ecall\n");
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char words[300];
        snprintf(words, sizeof words, "%s -q --perfetto all.json", cases[i].words);
        expect_runs(words);
        snprintf(words, sizeof words,
                 "%s -q --perfetto part.json --perfetto-from %lld --perfetto-to %lld",
                 cases[i].words, (long long)cases[i].from, (long long)cases[i].to);
        expect_runs(words);
        json_t *all = events_of("all.json"), *part = events_of("part.json"), *event;
        SCOPED_JSON *expected = json_array();
        size_t k;
        json_array_foreach(all, k, event)
        {
            const json_t *ts = json_object_get(event, "ts"), *dur = json_object_get(event, "dur");
            const json_int_t start = json_integer_value(ts), end = start + json_integer_value(dur);
            if (!ts || (start <= cases[i].to && end >= cases[i].from))
                json_array_append(expected, event);
        }
        if (!json_equal(part, expected))
            fail_msg("%s: %zu events, not %zu of %zu", cases[i].words, json_array_size(part),
                     json_array_size(expected), json_array_size(all));
        assert_true(json_array_size(expected) < json_array_size(all));
        json_decref(all);
        json_decref(part);
    }
    expect_failure(RUN "--perfetto-to 5", 2, "--perfetto-to requires --perfetto");
    expect_failure(RUN "--perfetto t.json --perfetto-from 6 --perfetto-to 5", 2,
                   "--perfetto-from 6 --perfetto-to 5: expected a window");
}

TEST(a_stop_has_cycles)
{
    write_text("long.s", " .globl f\nf: li t0, 5000\n1: addi t0, t0, -1\n bnez t0, 1b\n ret\n");
    for (unsigned json = 0; json < 2; json++) {
        FREED char *words =
            formatted("long.s --kernel f --grid 4000 --block 64 --cycles %s",
                      json ? "--json --perfetto stop.json" : "--perfetto stop.json");
        const pid_t child = start(words);
        assert_true(comes(child, has_written, 0));
        kill(child, SIGINT);
        struct outcome o = dies(child, SIGINT);
        expect_part(&o.err, "samite: error: stopped after ");
        if (json) {
            json_t *root = json_loads(sam_buffer_text(&o.out), 0, NULL);
            const json_t *launch = json_at(root, "launches/0");
            assert_true(json_is_false(json_object_get(launch, "done")));
            assert_true(number_at(launch, "time/insns") > 0);
            assert_true(number_at(root, "cycles") > 0);
            json_decref(root);
        } else {
            expect_part(&o.out, "first warp to last endprg");
        }
        done(&o);
        assert_false(has_temporary("stop"));
    }
}

PROLOGUE
{
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
