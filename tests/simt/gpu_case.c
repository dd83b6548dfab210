/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "gpu_case.h"

static const struct {
    const char *name;
    enum sam_trap_kind kind;
} kinds[] = {
    {"illegal", SAM_TRAP_ILLEGAL},
    {"private_range", SAM_TRAP_PRIVATE_RANGE},
    {"load_misaligned", SAM_TRAP_LOAD_MISALIGNED},
    {"store_misaligned", SAM_TRAP_STORE_MISALIGNED},
    {"load_fault", SAM_TRAP_LOAD_FAULT},
    {"store_fault", SAM_TRAP_STORE_FAULT},
    {"load_page", SAM_TRAP_LOAD_PAGE},
    {"store_page", SAM_TRAP_STORE_PAGE},
    {"fetch", SAM_TRAP_FETCH},
    {"fetch_page", SAM_TRAP_FETCH_PAGE},
    {"barrier_diverged", SAM_TRAP_BARRIER_DIVERGED},
    {"endprg_diverged", SAM_TRAP_ENDPRG_DIVERGED},
    {"deadlock", SAM_TRAP_DEADLOCK},
    {"stack_overflow", SAM_TRAP_STACK_OVERFLOW},
    {"budget", SAM_TRAP_BUDGET},
};

static bool look_up(void *context, const char *name, uint64_t *value)
{
    const struct program *p = context;
    const struct sam_symbol *symbol = sam_image_find(p->image, name);
    *value = strcmp(name, "data") == 0       ? DATA
             : strcmp(name, "pds") == 0      ? PDS
             : strcmp(name, "metadata") == 0 ? KERNEL
             : symbol                        ? symbol->value
                                             : 0;
    return *value != 0;
}

const char *gpu_case_value(const struct program *p, const char *text, uint32_t *value)
{
    uint64_t wide;
    text = case_value(text, &wide, look_up, (void *)(uintptr_t)p);
    *value = (uint32_t)wide;
    return text;
}

/* "before" sets the words at an address, "after" compares them: ADDRESS: WORD... */
static void at_words(struct program *p, const char *text, bool set)
{
    uint32_t address, value;
    text = gpu_case_value(p, text, &address);
    assert_int_equal(*text++, ':');
    for (text += strspn(text, " "); *text; text += strspn(text, " "), address += 4) {
        text = gpu_case_value(p, text, &value);
        if (set)
            program_set(p, address, value);
        else
            program_expect(p, address, &value, 1);
    }
}

static void settings(struct program *p, const char *line)
{
    char name[32];
    const char *text;
    while (case_setting(&line, name, &text)) {
        const struct {
            const char *name;
            uint32_t *word;
            bool *flag;
        } places[] = {{"lanes", &p->launch.lanes, NULL},
                      {"warps", &p->launch.warps, NULL},
                      {"pds", &p->launch.pds_size, NULL},
                      {"pds_base", &p->launch.pds_base, NULL},
                      {"lds", &p->launch.lds_size, NULL},
                      {"jobs", &p->options.jobs, NULL},
                      {"stack", &p->options.simt_stack_limit, NULL},
                      {"stats", NULL, &p->options.collect_stats},
                      {"loose", NULL, &p->options.loose_bounds},
                      {"shared", NULL, &p->options.shared_pds},
                      {"strict", NULL, &p->options.strict_lds},
                      {"sv39", NULL, &p->options.sv39}};
        size_t i = 0;
        while (i < SAM_COUNT(places) && strcmp(places[i].name, name) != 0)
            i++;
        if (i < SAM_COUNT(places) && places[i].word)
            *places[i].word = (uint32_t)strtoul(text, NULL, 0);
        else if (i < SAM_COUNT(places))
            *places[i].flag = true;
        else if (!strcmp(name, "rr1"))
            p->options.schedule = SAM_SCHEDULE_RR1;
        else if (!strcmp(name, "grid"))
            sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &p->launch.grid[0], &p->launch.grid[1],
                   &p->launch.grid[2]);
        else if (!strcmp(name, "room"))
            p->options.fit_pds = true, p->options.pds_room = strtoul(text, NULL, 0);
        else
            fail_msg("with %s", name);
    }
    p->options.ptbr = p->options.sv39 ? DATA + 0x1000 : 0;
}

struct program gpu_case_open(const struct test_case *c, const char *begin, const char *end)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text, "%s%s%s", begin, c->program, end);
    struct program p = program_new(sam_buffer_text(&text), 4);
    p.options.size = sizeof p.options;
    for (unsigned i = 0; i < c->count; i++)
        if (strcmp(c->directives[i].word, "with") == 0)
            settings(&p, c->directives[i].rest);
        else if (strcmp(c->directives[i].word, "before") == 0)
            at_words(&p, c->directives[i].rest, true);
    return p;
}

/* KIND NAME=VALUE... */
static void expect_trap(struct program *p, const char *line)
{
    const struct sam_trap *trap = &p->result.trap;
    char name[32];
    const char *text;
    size_t kind = 0;
    assert_true(case_setting(&line, name, &text));
    while (kind + 1 < SAM_COUNT(kinds) && strcmp(kinds[kind].name, name) != 0)
        kind++;
    assert_string_equal(kinds[kind].name, name);
    program_trap(p, kinds[kind].kind);
    while (case_setting(&line, name, &text)) {
        const struct {
            const char *name;
            uint32_t value;
        } fields[] = {{"pc", trap->pc},       {"tval", (uint32_t)trap->tval},
                      {"word", trap->word},   {"lane", trap->lane},
                      {"lanes", trap->lanes}, {"warp", trap->warp},
                      {"x", trap->group[0]},  {"y", trap->group[1]},
                      {"z", trap->group[2]},  {"workgroup", trap->workgroup}};
        size_t i = 0;
        uint32_t value;
        while (i + 1 < SAM_COUNT(fields) && strcmp(fields[i].name, name) != 0)
            i++;
        assert_string_equal(fields[i].name, name);
        gpu_case_value(p, text, &value);
        if (fields[i].value != value)
            fail_msg("%s is 0x%x, expected 0x%x", name, fields[i].value, value);
    }
}

static void expect_counts(const struct sam_gpu_result *result, const char *line)
{
    char name[32];
    const char *text;
    while (case_setting(&line, name, &text)) {
        const uint64_t value = strtoull(text, NULL, 0);
        if (!strcmp(name, "insns"))
            assert_int_equal(result->stats.warp_insns, value);
        else if (!strcmp(name, "less"))
            assert_true(result->stats.warp_insns < value);
        else if (!strcmp(name, "depth"))
            assert_int_equal(result->stats.simt_depth, value);
        else
            fail_msg("count %s", name);
    }
}

void gpu_case_launch(struct program *p, const struct test_case *c)
{
    const char *trap = case_find(c, "trap");
    if (trap)
        expect_trap(p, trap);
    else
        program_pass(p);
    for (unsigned i = 0; i < c->count; i++)
        if (strcmp(c->directives[i].word, "after") == 0)
            at_words(p, c->directives[i].rest, false);
        else if (strcmp(c->directives[i].word, "count") == 0)
            expect_counts(&p->result, c->directives[i].rest);
}
