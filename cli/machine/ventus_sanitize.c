/* SPDX-License-Identifier: Apache-2.0 */
/* `--sanitize[=CHECK,...]`: the findings of each launch. */
#include "machine/machine.h"

static const unsigned checks[] = {SAM_SANITIZE_RACE, SAM_SANITIZE_INIT, SAM_SANITIZE_BOUNDS,
                                  SAM_SANITIZE_SYNC};

int ventus_parse_sanitize(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *place)
{
    unsigned wanted = 0;
    char name[16];
    for (const char *at = text; cli_item(&at, name, sizeof name);) {
        unsigned check = 0;
        for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
            if (strcmp(sam_sanitizer_check_name(checks[i]), name) == 0)
                check = checks[i];
        if (!check)
            return cli_usage_error(args,
                                   "--%s=%s: expected a list of race, init, bounds and sync, or "
                                   "nothing for all of them",
                                   option->name, text);
        wanted |= check;
    }
    wanted = text ? wanted : SAM_SANITIZE_ALL;
    memcpy(place, &wanted, sizeof wanted);
    return CLI_OK;
}

int ventus_open_sanitizer(struct run *run)
{
    if (!run->ventus->asked->sanitize)
        return CLI_OK;
    if (run->request->driver)
        return cli_usage_error(run->request->args,
                               "--sanitize checks whole launches: expected samite run");
    run->ventus->sanitizer = sam_sanitizer_new(run->ventus->asked->sanitize);
    run->ventus->asked->options.sanitizer = run->ventus->sanitizer;
    if (run->ventus->asked->findings && !(run->ventus->findings = json_array()))
        return cli_no_memory();
    return run->ventus->sanitizer ? CLI_OK : cli_no_memory();
}

int ventus_name_buffer(struct run *run, uint64_t base, uint64_t size, const char *name, bool output)
{
    const struct sam_sanitizer_buffer buffer = {
        .base = (uint32_t)base, .size = size, .name = name, .output = output};
    if (run->ventus->sanitizer &&
        sam_sanitizer_add_buffer(run->ventus->sanitizer, &buffer, &run->error) != SAM_OK)
        return cli_report(&run->error);
    return CLI_OK;
}

static json_t *side_of(const struct run *run, const struct sam_finding_side *side)
{
    static const char *const accesses[] = {NULL, "load", "store", "atomic"};
    char text[160];
    struct sam_isa isa;
    uint32_t line = 0;
    json_t *row = REPORT(COUNT("workgroup", side->workgroup), COUNT("warp", side->warp));
    if (side->lane != UINT32_MAX)
        row = report_count(row, "lane", side->lane);
    if (side->surplus)
        row = report_flag(row, "surplus", true);
    row = report_count(row, "pc", side->pc);
    sam_image_describe(run->image, side->pc, text, sizeof text);
    row = report_text(row, "symbol", text);
    if (side->word && sam_isa_parse("ventus", &isa, NULL) == SAM_OK) {
        sam_disassemble(&isa, side->word, side->pc, side->prefix, run->image, text, sizeof text);
        row = report_text(row, "text", text);
    }
    const char *file = run->image ? sam_image_line_at(run->image, side->pc, &line) : NULL;
    if (file)
        row = REPORT_MORE(row, TEXT("file", file), COUNT("line", line));
    return accesses[side->access] ? report_text(row, "access", accesses[side->access]) : row;
}

static json_t *add_register(json_t *row, const char *name, const struct sam_finding_register *reg)
{
    char text[8];
    snprintf(text, sizeof text, "%c%u", reg->file, reg->number);
    return reg->file ? report_text(row, name, text) : row;
}

static json_t *near_of(const struct sam_finding_object *near)
{
    return REPORT(TEXT("name", near->name), COUNT("base", near->base), COUNT("size", near->size));
}

static json_t *finding_of(const struct run *run, const struct sam_finding *finding)
{
    char place[160];
    json_t *row =
        REPORT(TEXT("check", sam_sanitizer_check_name(finding->check)),
               TEXT("kind", sam_finding_kind_name(finding->kind)), COUNT("count", finding->count));
    if (finding->has_address) {
        sam_sanitizer_place(run->ventus->sanitizer, finding, place, sizeof place);
        row = REPORT_MORE(row, COUNT("address", finding->address), COUNT("size", finding->size),
                          TEXT("place", place));
    }
    row = add_register(row, "used", &finding->used);
    row = add_register(row, "unwritten", &finding->unwritten);
    if (finding->lanes)
        row = report_count(row, "lanes", finding->lanes);
    if (finding->near.size)
        row = report_set(row, "near", near_of(&finding->near));
    json_t *sides = json_array();
    for (unsigned i = 0; i < 2; i++)
        if (finding->sides[i].known)
            sides = report_add(sides, side_of(run, &finding->sides[i]));
    return report_set(row, "sides", sides);
}

json_t *ventus_report_findings(const struct run *run, json_t *launch)
{
    size_t count = 0;
    if (!run->ventus->sanitizer)
        return launch;
    const struct sam_finding *findings = sam_sanitizer_findings(run->ventus->sanitizer, &count);
    json_t *rows = json_object_get(launch, "findings");
    rows = rows ? json_incref(rows) : json_array();
    for (size_t i = 0; i < count; i++)
        rows = report_add(rows, finding_of(run, &findings[i]));
    return report_set(launch, "findings", rows);
}

int ventus_print_findings(struct run *run)
{
    const struct sam_sanitizer_print options = {.size = sizeof options, .image = run->image};
    const struct sam_finding *findings = NULL;
    size_t count = 0;
    char *text = NULL;
    if (run->ventus->sanitizer)
        findings = sam_sanitizer_findings(run->ventus->sanitizer, &count);
    if (count == 0)
        return CLI_OK;
    for (size_t i = 0; run->ventus->findings && i < count; i++)
        if (json_array_append_new(run->ventus->findings, finding_of(run, &findings[i])) != 0)
            return cli_no_memory();
    fflush(run->text);
    const int code =
        cli_print_text(sam_sanitizer_print(run->ventus->sanitizer, &options, &text, &run->error),
                       &text, &run->error, stderr);
    sam_sanitizer_forget(run->ventus->sanitizer);
    run->ventus->found = true;
    return code;
}

int ventus_check_written(struct run *run)
{
    const size_t launches = json_array_size(run->ventus->json_launches);
    json_t *last = launches ? json_array_get(run->ventus->json_launches, launches - 1) : NULL;
    for (size_t i = 0; i < run->request->checks.count && run->ventus->sanitizer; i++) {
        const struct run_argument *output = run->checks[i].argument;
        if (sam_sanitizer_check_memory(run->ventus->sanitizer, (uint32_t)output->address,
                                       output->array.size, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    if (last && !ventus_report_findings(run, json_incref(last)))
        return cli_no_memory();
    json_decref(last);
    return ventus_print_findings(run);
}
