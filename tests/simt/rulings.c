/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of rulings.txt, whose head describes the format. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "base/base.h"
#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "\nendprg x0, x0, x0\n"

static struct sam_buffer file;
static char **lines; /* NULL after the last */

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
    {"fetch", SAM_TRAP_FETCH},
    {"barrier_diverged", SAM_TRAP_BARRIER_DIVERGED},
    {"endprg_diverged", SAM_TRAP_ENDPRG_DIVERGED},
    {"deadlock", SAM_TRAP_DEADLOCK},
    {"stack_overflow", SAM_TRAP_STACK_OVERFLOW},
};

static const char *const words[] = {"with ", "before ", "after ", "trap ", "count ", "each "};

static bool is_directive(const char *line)
{
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* A number, data, pds or metadata, or a label; +N adds to it. Returns what follows. */
static const char *value_of(const struct program *p, const char *text, uint32_t *value)
{
    char name[32], *end;
    const size_t size = strcspn(text, "+ :,=");
    snprintf(name, sizeof name, "%.*s", (int)size, text);
    *value = (uint32_t)strtoll(name, &end, 0);
    if (*end || !*name)
        *value = strcmp(name, "data") == 0       ? DATA
                 : strcmp(name, "pds") == 0      ? PDS
                 : strcmp(name, "metadata") == 0 ? KERNEL
                                                 : program_symbol(p, name);
    text += size;
    if (*text == '+') {
        *value += (uint32_t)strtoul(text + 1, &end, 0);
        text = end;
    }
    return text;
}

/* "before" sets the words at an address, "after" compares them: ADDRESS: WORD... */
static void at_words(struct program *p, const char *text, bool set)
{
    uint32_t address, value;
    text = value_of(p, text, &address);
    assert_int_equal(*text++, ':');
    for (text += strspn(text, " "); *text; text += strspn(text, " "), address += 4) {
        text = value_of(p, text, &value);
        if (set)
            program_set(p, address, value);
        else
            program_expect(p, address, &value, 1);
    }
}

/* The next "name=value" of the line; false at its end. */
static bool next_setting(const char **line, char name[32], const char **value)
{
    *line += strspn(*line, " ");
    if (!**line)
        return false;
    const size_t size = strcspn(*line, "= ");
    snprintf(name, 32, "%.*s", (int)size, *line);
    *value = (*line)[size] == '=' ? *line + size + 1 : "1";
    *line += strcspn(*line, " ");
    return true;
}

static void settings(struct program *p, const char *line)
{
    char name[32];
    const char *text;
    while (next_setting(&line, name, &text)) {
        const uint32_t value = (uint32_t)strtoul(text, NULL, 0);
        if (!strcmp(name, "lanes"))
            p->launch.lanes = value;
        else if (!strcmp(name, "warps"))
            p->launch.warps = value;
        else if (!strcmp(name, "pds"))
            p->launch.pds_size = value;
        else if (!strcmp(name, "jobs"))
            p->options.jobs = value;
        else if (!strcmp(name, "stack"))
            p->options.simt_stack_limit = value;
        else if (!strcmp(name, "rr1"))
            p->options.schedule = SAM_SCHEDULE_RR1;
        else if (!strcmp(name, "stats"))
            p->options.collect_stats = true;
        else if (!strcmp(name, "loose"))
            p->options.loose_bounds = true;
        else if (!strcmp(name, "shared"))
            p->options.shared_pds = true;
        else if (!strcmp(name, "grid"))
            sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &p->launch.grid[0], &p->launch.grid[1],
                   &p->launch.grid[2]);
        else
            fail_msg("with %s", name);
    }
}

static uint32_t trap_field(const struct sam_trap *trap, const char *name)
{
    const struct {
        const char *name;
        uint32_t value;
    } fields[] = {{"pc", trap->pc},       {"tval", (uint32_t)trap->tval},
                  {"word", trap->word},   {"lane", trap->lane},
                  {"lanes", trap->lanes}, {"warp", trap->warp},
                  {"x", trap->group[0]},  {"y", trap->group[1]},
                  {"z", trap->group[2]},  {"workgroup", trap->workgroup}};
    for (size_t i = 0; i < SAM_COUNT(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].value;
    fail_msg("trap %s", name);
    return 0;
}

/* KIND NAME=VALUE... */
static void expect_trap(struct program *p, const char *line)
{
    char name[32];
    const char *text;
    size_t kind = 0;
    assert_true(next_setting(&line, name, &text));
    while (kind + 1 < SAM_COUNT(kinds) && strcmp(kinds[kind].name, name) != 0)
        kind++;
    assert_string_equal(kinds[kind].name, name);
    program_trap(p, kinds[kind].kind);
    while (next_setting(&line, name, &text)) {
        uint32_t value;
        value_of(p, text, &value);
        if (trap_field(&p->result.trap, name) != value)
            fail_msg("%s is 0x%x, expected 0x%x", name, trap_field(&p->result.trap, name), value);
    }
}

static void expect_counts(const struct sam_gpu_result *result, const char *line)
{
    char name[32];
    const char *text;
    while (next_setting(&line, name, &text)) {
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

static const char *after_word(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

/* Run the program of the case at `at`, with `each` for "$"; `own` is one more directive. */
static void run_program(char *const *at, const char *each, const char *own)
{
    struct sam_buffer text = {0};
    sam_buffer_puts(&text, BEGIN);
    for (; *at && strncmp(*at, "== ", 3) != 0 && !is_directive(*at); at++) {
        if (**at == '#')
            continue;
        for (const char *c = *at; *c; c++)
            if (*c == '$')
                sam_buffer_puts(&text, each);
            else
                sam_buffer_append(&text, c, 1);
        sam_buffer_puts(&text, "\n");
    }
    sam_buffer_puts(&text, END);
    for (char *c = (char *)text.data; (c = strchr(c, ';'));)
        *c = '\n';
    struct program p = program_new(sam_buffer_text(&text), 4);
    const char *trap = after_word(own, "trap "), *rest;
    char *const *first = at;
    for (; *at && strncmp(*at, "== ", 3) != 0; at++) {
        if ((rest = after_word(*at, "with ")))
            settings(&p, rest);
        else if ((rest = after_word(*at, "before ")))
            at_words(&p, rest, true);
        else if ((rest = after_word(*at, "trap ")))
            trap = rest;
    }
    if ((rest = after_word(own, "with ")))
        settings(&p, rest);
    if (trap)
        expect_trap(&p, trap);
    else
        program_pass(&p);
    for (at = first; *at && strncmp(*at, "== ", 3) != 0; at++)
        if ((rest = after_word(*at, "after ")))
            at_words(&p, rest, false);
        else if ((rest = after_word(*at, "count ")))
            expect_counts(&p.result, rest);
    if ((rest = after_word(own, "after ")))
        at_words(&p, rest, false);
    program_free(&p);
    sam_buffer_free(&text);
}

static void run_case(void **state)
{
    char *const *at = *state;
    bool varied = false;
    for (char *const *line = at; *line && strncmp(*line, "== ", 3) != 0; line++) {
        const char *each = after_word(*line, "each ");
        if (!each)
            continue;
        char insn[256];
        const char *own = strstr(each, " | ");
        snprintf(insn, sizeof insn, "%.*s", own ? (int)(own - each) : (int)strlen(each), each);
        run_program(at, insn, own ? own + 3 : "");
        varied = true;
    }
    if (!varied)
        run_program(at, "", "");
}

static int tear_down(void **state)
{
    (void)state;
    free(lines);
    sam_buffer_free(&file);
    return 0;
}

PROLOGUE
{
    char path[4096];
    struct sam_error error;
    const char *root = getenv("SAMITE_SOURCE");
    snprintf(path, sizeof path, "%s/tests/simt/rulings.txt", root ? root : ".");
    if (sam_file_read(path, 1 << 20, &file, &error) != SAM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    lines = calloc(file.size + 1, sizeof *lines);
    if (!lines || !sam_buffer_append(&file, "", 1))
        exit(1);
    size_t count = 0;
    for (char *line = strtok((char *)file.data, "\n"); line; line = strtok(NULL, "\n"))
        lines[count++] = line;
    for (size_t i = 0; i < count; i++)
        if (strncmp(lines[i], "== ", 3) == 0)
            test_add(run_case, lines + i + 1, "%s", lines[i] + 3);
}

TEST_GROUP(NULL, tear_down)
