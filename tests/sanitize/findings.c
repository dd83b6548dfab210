/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of findings.txt: their findings, under both schedules. */

#include "test.h"

#include "simt/gpu_case.h"
#include "watched.h"

static const char *const kinds[SAM_FINDING_KINDS] = {
    [SAM_FINDING_RACE_LOCAL] = "race_local",
    [SAM_FINDING_RACE_WARPS] = "race_warps",
    [SAM_FINDING_RACE_GROUPS] = "race_groups",
    [SAM_FINDING_RACE_LANES] = "race_lanes",
    [SAM_FINDING_BARRIER_SKIPPED] = "barrier_skipped",
    [SAM_FINDING_BARRIER_MASKED] = "barrier_masked",
    [SAM_FINDING_RPC_UNUSED] = "rpc_unused",
    [SAM_FINDING_JOIN_MISSING] = "join_missing",
    [SAM_FINDING_JOIN_UNREACHED] = "join_unreached",
    [SAM_FINDING_INIT_ADDRESS] = "init_address",
    [SAM_FINDING_INIT_BRANCH] = "init_branch",
    [SAM_FINDING_INIT_TARGET] = "init_target",
    [SAM_FINDING_INIT_MASK] = "init_mask",
    [SAM_FINDING_INIT_CONTROL] = "init_control",
    [SAM_FINDING_INIT_STORE] = "init_store",
    [SAM_FINDING_INIT_CHECK] = "init_check",
    [SAM_FINDING_BOUNDS_LOCAL] = "bounds_local",
    [SAM_FINDING_BOUNDS_PRIVATE] = "bounds_private",
    [SAM_FINDING_BOUNDS_OTHER] = "bounds_other",
    [SAM_FINDING_BOUNDS_GAP] = "bounds_gap",
    [SAM_FINDING_BOUNDS_REGISTER] = "bounds_register",
};

/* Local memory that a launch may access besides its declaration, with "strict". */
static const struct sam_lds_range ranges[] = {
    {0x70001000, 0x10}, {0x70004100, 16}, {0x70004110, 8}, {0x7ffff000, 0x1000}};

static unsigned checks_of(const char *text)
{
    static const char *const names[] = {"race", "init", "bounds", "sync"};
    unsigned checks = 0;
    for (unsigned i = 0; i < SAM_COUNT(names); i++)
        checks |= strstr(text, names[i]) ? 1u << i : 0;
    return checks;
}

/* NAME BASE SIZE [output] */
static void add_buffer(struct watched *run, const char *text)
{
    char name[32] = "", word[16] = "";
    uint32_t base, size;
    const size_t length = strcspn(text, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    text = gpu_case_value(&run->p, text + length + 1, &base);
    sscanf(gpu_case_value(&run->p, text + 1, &size), " %15s", word);
    const struct sam_sanitizer_buffer buffer = {
        .base = base, .size = size, .name = name, .output = strcmp(word, "output") == 0};
    succeeds(sam_sanitizer_add_buffer, run->sanitizer, &buffer);
}

static bool is_register(struct sam_finding_register reg, const char *name)
{
    FREED char *text = formatted("%c%u", reg.file ? reg.file : '-', reg.number);
    return strcmp(reg.file ? text : "-", name) == 0;
}

/* KIND A B NAME=VALUE...: the labels of both sides, "-" if there is no second one, "?" for any. */
static void expect_finding(struct watched *run, const struct sam_finding *f, const char *line)
{
    char kind[32], a[32], b[32], name[32];
    const char *text;
    int size = 0;
    if (sscanf(line, "%31s %31s %31s%n", kind, a, b, &size) != 3)
        fail_msg("found KIND A B: %s", line);
    assert_string_equal(kinds[f->kind], kind);
    if (*b == '?' ? f->sides[0].pc != program_symbol(&run->p, a)
                  : !watched_is_at(run, f, a, *b == '-' ? NULL : b))
        fail_msg("pc 0x%x and 0x%x, expected %s and %s", f->sides[0].pc, f->sides[1].pc, a, b);
    for (line += size; case_setting(&line, name, &text);) {
        const struct {
            const char *name;
            uint64_t value;
        } fields[] = {{"address", f->address},
                      {"size", f->size},
                      {"count", f->count},
                      {"lanes", f->lanes},
                      {"lane", f->sides[0].lane},
                      {"lane2", f->sides[1].lane},
                      {"warp", f->sides[0].warp},
                      {"workgroup", f->sides[0].workgroup},
                      {"surplus", f->sides[0].surplus},
                      {"near", f->near.base},
                      {"near_size", f->near.size}};
        uint32_t number;
        size_t i = 0;
        FREED char *value = formatted("%.*s", (int)strcspn(text, " "), text);
        if (!strcmp(name, "used") || !strcmp(name, "from")) {
            if (!is_register(*name == 'u' ? f->used : f->unwritten, value))
                fail_msg("used %c%u from %c%u", f->used.file, f->used.number, f->unwritten.file,
                         f->unwritten.number);
            continue;
        }
        while (i + 1 < SAM_COUNT(fields) && strcmp(fields[i].name, name) != 0)
            i++;
        assert_string_equal(fields[i].name, name);
        gpu_case_value(&run->p, value, &number);
        if (fields[i].value != number)
            fail_msg("%s is 0x%llx, expected 0x%x", name, (unsigned long long)fields[i].value,
                     number);
    }
}

static void expect_findings(struct watched *run, const struct test_case *c)
{
    size_t expected = 0, count;
    const struct sam_finding *findings = sam_sanitizer_findings(run->sanitizer, &count);
    SCOPED_TEXT *report = NULL;
    succeeds(sam_sanitizer_print, run->sanitizer, NULL, &report);
    for (unsigned i = 0; i < c->count; i++)
        expected += strcmp(c->directives[i].word, "found") == 0;
    if (count != expected)
        fail_msg("%zu findings, expected %zu:\n%s", count, expected, report);
    for (unsigned i = 0; i < c->count; i++)
        if (strcmp(c->directives[i].word, "found") == 0)
            expect_finding(run, findings++, c->directives[i].rest);
        else if ((!strcmp(c->directives[i].word, "says") &&
                  !strstr(report, c->directives[i].rest)) ||
                 (!strcmp(c->directives[i].word, "silent") &&
                  strstr(report, c->directives[i].rest)))
            fail_msg("%s '%s': %s", c->directives[i].word, c->directives[i].rest, report);
}

static void run_case(const struct test_case *c)
{
    for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
        SCOPED(watched) run = {.p = gpu_case_open(c, case_find(c, "bare") ? "" : START, END),
                               .sanitizer = sam_sanitizer_new(checks_of(case_find(c, "checks")))};
        unsigned scalars = 0, vectors = 0;
        assert_non_null(run.sanitizer);
        run.p.options.sanitizer = run.sanitizer;
        run.p.options.schedule = (enum sam_schedule)schedule;
        run.p.options.lds_ranges = ranges;
        run.p.options.lds_range_count = SAM_COUNT(ranges);
        for (unsigned i = 0; i < c->count; i++)
            if (!strcmp(c->directives[i].word, "buffer"))
                add_buffer(&run, c->directives[i].rest);
            else if (!strcmp(c->directives[i].word, "declares") &&
                     sscanf(c->directives[i].rest, "%u %u", &scalars, &vectors) == 2)
                sam_sanitizer_declare_registers(run.sanitizer, scalars, vectors);
        gpu_case_launch(&run.p, c);
        expect_findings(&run, c);
    }
}

PROLOGUE
{
    static const char *const words[] = {GPU_CASE_WORDS, "checks", "buffer", "declares", "found",
                                        "says",         "silent", "bare",   NULL};
    cases_add("sanitize/findings.txt", words, run_case);
}
