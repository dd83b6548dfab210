/* SPDX-License-Identifier: Apache-2.0 */
/* samite isa: the instruction tables, to read. */
#include <strings.h>

#include "cli.h"
#include "report.h"
#include "samite/isa.h"

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

/* Entries called `name`, enabled or not, since they name their extension; or all enabled ones. */
static json_t *entries(const struct sam_isa *isa, const char *name)
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
    return REPORT(TREE("instructions", rows), TREE("csrs", csrs));
}

/* ------------------------------------------------------------------------------------ as text */

static void list(const json_t *rows, const json_t *csrs)
{
    const char *family = "";
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        char left[128];
        const char *own = cli_json_text(row, "family", "");
        if (strcmp(family, own) != 0)
            printf("%s%s\n", *family ? "\n" : "", own);
        family = own;
        snprintf(left, sizeof left, "%s %s", cli_json_text(row, "mnemonic", ""),
                 cli_json_text(row, "operands", ""));
        printf("  %-44s %s\n", left,
               cli_json_text(row, "meaning", cli_json_text(row, "expansion", "")));
    }
    printf("\nControl and status registers\n");
    json_array_foreach(csrs, i, row)
        printf("  0x%03llx %-15s %s\n", cli_json_integer(row, "address", 0),
               cli_json_text(row, "name", ""), cli_json_text(row, "meaning", ""));
}

/* Two lines: bit numbers above, names below, cells as wide as the wider of both. */
static void print_diagram(const json_t *fields)
{
    char bits[512] = "", names[512] = "";
    const json_t *field;
    size_t i, at = 0;
    json_array_foreach(fields, i, field)
    {
        const char *name = cli_json_text(field, "name", "");
        const json_int_t high = cli_json_integer(field, "high", 0),
                         low = cli_json_integer(field, "low", 0);
        char range[48];
        snprintf(range, sizeof range, high == low ? "%lld" : "%lld..%lld", high, low);
        const int width = (int)(strlen(name) > strlen(range) ? strlen(name) : strlen(range));
        if (at + (size_t)width + 4 >= sizeof bits)
            return;
        snprintf(bits + at, sizeof bits - at, "  %*s ", width, range);
        snprintf(names + at, sizeof names - at, "| %*s ", width, name);
        at += (size_t)width + 3;
    }
    printf("  %s\n  %s|\n", bits, names);
}

static void print_entry(const json_t *row)
{
    report_print(stdout, "{mnemonic} {operands}\n?expansion   expands to  {expansion}\n", row);
    if (json_is_null(json_object_get(row, "expansion"))) {
        report_print(stdout, "  {meaning}\n\n", row);
        print_diagram(json_object_get(row, "fields"));
        printf("\n  match       0x%08llx, mask 0x%08llx\n", cli_json_integer(row, "match", 0),
               cli_json_integer(row, "mask", 0));
    }
    report_print(stdout, "  extension   {extensions}\n  source      {source}\n", row);
}

/* The entries of one name. */
static void print(const json_t *rows, const json_t *csrs, const char *name)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        fputs(i ? "\n" : "", stdout);
        print_entry(row);
    }
    json_array_foreach(csrs, i, row)
    {
        printf("%sCSR 0x%03llx ", json_array_size(rows) ? "\n" : "",
               cli_json_integer(row, "address", 0));
        report_print(stdout,
                     "{name}\n  {meaning}\n?aliases   also        {aliases}\n"
                     "?extensions   extension   {extensions}\n",
                     row);
        if (json_object_get(row, "note"))
            printf("  note        '%s' is %s\n", name, cli_json_text(row, "note", ""));
    }
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
    json_t *found = entries(&isa, r.name), *rows = json_object_get(found, "instructions"),
           *csrs = json_object_get(found, "csrs");
    const bool none = found && !json_array_size(rows) && !json_array_size(csrs);
    if (!found || (r.json && !none))
        return cli_json_print(found);
    if (none)
        code = unknown(args, r.name);
    else if (r.name)
        print(rows, csrs, r.name);
    else
        list(rows, csrs);
    json_decref(found);
    return code;
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
