/* SPDX-License-Identifier: Apache-2.0 */
/* samite isa: the instruction tables, to read. */
#include <strings.h>

#include "cli.h"
#include "report.h"
#include "samite/isa.h"

static void list_instructions(const struct sam_isa *isa)
{
    struct sam_isa_entry entry, before = {.family = ""};
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++) {
        char left[128], expansion[160];
        if (!sam_isa_entry_is_on(isa, i))
            continue;
        if (strcmp(entry.family, before.family) != 0)
            printf("%s%s\n", before.family[0] ? "\n" : "", entry.family);
        before = entry;
        snprintf(left, sizeof left, "%s %s", entry.mnemonic, entry.operands);
        sam_isa_entry_expansion(&entry, expansion, sizeof expansion);
        printf("  %-44s %s\n", left, entry.meaning ? entry.meaning : expansion);
    }
    struct sam_csr_entry csr;
    printf("\nControl and status registers\n");
    for (size_t i = 0; sam_csr_entry_get(isa, i, &csr); i++)
        printf("  0x%03x %-15s %s\n", csr.address, csr.name, csr.meaning);
}

/* Two lines: bit numbers above, names below, cells as wide as the wider of both. */
static void print_diagram(const struct sam_isa_entry *entry)
{
    char bits[512] = "", names[512] = "";
    size_t at = 0;
    for (size_t i = 0; i < entry->field_count; i++) {
        const struct sam_isa_field *f = &entry->fields[i];
        char range[16];
        if (f->high == f->low)
            snprintf(range, sizeof range, "%u", f->high);
        else
            snprintf(range, sizeof range, "%u..%u", f->high, f->low);
        int width = (int)strlen(range);
        if ((int)strlen(f->name) > width)
            width = (int)strlen(f->name);
        if (at + (size_t)width + 4 >= sizeof bits)
            return;
        snprintf(bits + at, sizeof bits - at, "  %*s ", width, range);
        snprintf(names + at, sizeof names - at, "| %*s ", width, f->name);
        at += (size_t)width + 3;
    }
    printf("  %s\n  %s|\n", bits, names);
}

static void print_entry(const struct sam_isa_entry *entry)
{
    printf("%s %s\n", entry->mnemonic, entry->operands);
    if (entry->expansion) {
        char expansion[160];
        sam_isa_entry_expansion(entry, expansion, sizeof expansion);
        printf("  stands for  %s\n", expansion);
    } else {
        printf("  %s\n\n", entry->meaning);
        print_diagram(entry);
        printf("\n  match       0x%08x, mask 0x%08x\n", entry->match, entry->mask);
    }
    printf("  extension   %s\n  source      %s\n", entry->extensions, entry->source);
}

static json_t *fields_of(const struct sam_isa_entry *entry)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < entry->field_count; i++) {
        const struct sam_isa_field *f = &entry->fields[i];
        fields = report_add(fields, REPORT(TEXT("name", f->name), COUNT("high", f->high),
                                           COUNT("low", f->low), FLAG("fixed", f->fixed)));
    }
    return fields;
}

static json_t *describe(const struct sam_isa_entry *e)
{
    json_t *row = REPORT(TEXT("mnemonic", e->mnemonic), TEXT("operands", e->operands),
                         TEXT("family", e->family), TEXT("extensions", e->extensions),
                         TEXT("meaning", e->meaning));
    char expansion[160];
    sam_isa_entry_expansion(e, expansion, sizeof expansion);
    return REPORT_MORE(row, TEXT("expansion", e->expansion ? expansion : NULL),
                       TEXT("source", e->source), COUNT("match", e->match), COUNT("mask", e->mask),
                       TREE("fields", fields_of(e)));
}

/* CSRs are found by name, also those of disabled extensions. */
static const struct sam_isa everything = {.xlen = 32, .extensions = ~0u};

static json_t *with_note(json_t *row, const char *name)
{
    const char *note = sam_csr_name_note(&everything, name);
    return note ? report_text(row, "note", note) : row;
}

static json_t *describe_csr(const struct sam_csr_entry *csr)
{
    return REPORT(TEXT("name", csr->name), TEXT("meaning", csr->meaning),
                  TEXT("extensions", csr->extensions), TEXT("aliases", csr->aliases),
                  COUNT("address", csr->address));
}

/* Entries called `name`, or all enabled ones; as JSON. */
static int print_json(const struct sam_isa *isa, const char *name)
{
    struct sam_isa_entry entry;
    struct sam_csr_entry csr;
    json_t *rows = json_array(), *csrs = json_array();
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++)
        if (name ? strcasecmp(entry.mnemonic, name) == 0 : sam_isa_entry_is_on(isa, i))
            rows = report_add(rows, describe(&entry));
    if (name && sam_csr_entry_find(&everything, name, &csr))
        csrs = report_add(csrs, with_note(describe_csr(&csr), name));
    for (size_t i = 0; !name && sam_csr_entry_get(isa, i, &csr); i++)
        csrs = report_add(csrs, describe_csr(&csr));
    return cli_json_print(REPORT(TREE("instructions", rows), TREE("csrs", csrs)));
}

static void print_csr(const struct sam_csr_entry *csr, const char *name, bool more)
{
    printf("%sCSR 0x%03x %s\n  %s\n", more ? "\n" : "", csr->address, csr->name, csr->meaning);
    if (csr->aliases[0])
        printf("  also        %s\n", csr->aliases);
    if (csr->extensions[0])
        printf("  extension   %s\n", csr->extensions);
    const char *note = sam_csr_name_note(&everything, name);
    if (note)
        printf("  note        '%s' is %s\n", name, note);
}

/* Everything called `name`, enabled or not: the entry names its extension. */
static unsigned print_all(const char *name, bool quiet)
{
    struct sam_isa_entry entry;
    struct sam_csr_entry csr;
    unsigned found = 0;
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++) {
        if (strcasecmp(entry.mnemonic, name) != 0)
            continue;
        if (!quiet && found)
            printf("\n");
        if (!quiet)
            print_entry(&entry);
        found++;
    }
    if (sam_csr_entry_find(&everything, name, &csr)) {
        if (!quiet)
            print_csr(&csr, name, found);
        found++;
    }
    return found;
}

struct request {
    const char *isa, *name;
    bool json;
};

static int unknown(const struct cli_args *args, const char *name)
{
    struct cli_near near = {.wanted = name};
    struct sam_isa_entry entry;
    struct sam_csr_entry csr;
    uint64_t word;
    if (sam_parse_u64(name, &word))
        return cli_usage_error(args,
                               "'%s' is a number: expected a name; samite dis 0x%08llx shows the "
                               "instruction of a word",
                               name, (unsigned long long)word);
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++)
        cli_near_offer(&near, entry.mnemonic);
    for (size_t i = 0; sam_csr_entry_get(&everything, i, &csr); i++)
        cli_near_offer(&near, csr.name);
    return cli_usage_error(args, "no instruction and no CSR is called '%s'%s", name,
                           cli_near_text(&near));
}

static int run(struct cli_args *args)
{
    struct request r = {.isa = "ventus"};
    struct sam_error error = {0};
    struct sam_isa isa;
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    if (sam_isa_parse(r.isa, &isa, &error) != SAM_OK)
        return cli_report(&error);
    if (r.name && !print_all(r.name, true))
        return unknown(args, r.name);
    if (r.json)
        return print_json(&isa, r.name);
    if (r.name)
        print_all(r.name, false);
    else
        list_instructions(&isa);
    return CLI_OK;
}

/* For completion: each name once, even if several instruction sets have it. */
static const char *mnemonic(size_t index)
{
    struct sam_isa_entry entry, before = {.mnemonic = ""};
    size_t seen = 0;
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++) {
        if (strcmp(entry.mnemonic, before.mnemonic) != 0 && seen++ == index)
            return entry.mnemonic;
        before = entry;
    }
    return NULL;
}

static const struct cli_option options[] = {
    CLI_ISA(struct request, isa,
            "list what this instruction set has: ventus (default), tensor, ..."),
    CLI_JSON(struct request, json, "as JSON"),
    {0},
};

const struct cli_verb verb_isa = {
    .name = "isa",
    .summary = "show the instruction tables",
    .usage = "[options] [MNEMONIC|CSR]",
    .options = options,
    .operand =
        CLI_OPERAND(struct request, name, "instruction", CLI_TEXT, 0, 1, NULL, .names = mnemonic),
    .details = "Without a name: every instruction, pseudo-instruction and CSR of the instruction\n"
               "set, with its meaning. With one: its fields, operands, meaning and source, and\n"
               "which extension brings it. samite dis 0xWORD finds the instruction of a word.\n",
    .examples = "  samite isa vblt\n"
                "  samite isa --isa rv64ima_zicsr\n",
    .run = run,
};
