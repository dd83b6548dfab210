/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the tensor hart tells: one line, statistics, registers. */
#include "run_hart.h"

static const char *end_name(enum sam_hart_end end)
{
    switch (end) {
    case SAM_HART_EXIT: return "exit";
    case SAM_HART_EBREAK: return "ebreak";
    case SAM_HART_UNTIL: return "until";
    case SAM_HART_TRAP: return "trap";
    case SAM_HART_BUDGET: return "budget";
    default: return "stopped";
    }
}

void run_hart_report(const struct hart_request *request, const struct sam_hart_result *result,
                     double seconds, FILE *text)
{
    double insns = (double)result->instructions;
    fprintf(text, "%s: ", cli_plain(request->run->files.items[0]).text);
    if (result->end == SAM_HART_EXIT)
        fprintf(text, "exit %llu", (unsigned long long)result->exit_code);
    else if (result->end == SAM_HART_TRAP || result->end == SAM_HART_BUDGET)
        fprintf(text, "FAILED");
    else
        fprintf(text, "%s at 0x%llx", end_name(result->end), (unsigned long long)result->pc);
    fprintf(text, ", %llu instructions in %.3f ms, %.1f M/s\n",
            (unsigned long long)result->instructions, seconds * 1e3,
            seconds > 0 ? insns / seconds / 1e6 : 0);
}

void run_hart_report_stats(const struct sam_hart_stats *stats, FILE *text)
{
    double all = stats->instructions ? (double)stats->instructions : 1;
    for (int i = 0; i < SAM_HART_CLASSES; i++)
        if (stats->classes[i])
            fprintf(text, "  %-12s %14llu  %5.1f %%\n", sam_hart_class_name((enum sam_hart_class)i),
                    (unsigned long long)stats->classes[i], 100 * (double)stats->classes[i] / all);
    fprintf(text, "  %-12s %14llu bytes\n", "tl loaded",
            (unsigned long long)stats->tl_bytes_loaded);
    fprintf(text, "  %-12s %14llu bytes\n", "tl stored",
            (unsigned long long)stats->tl_bytes_stored);
    if (stats->classes[SAM_HART_M_MMA] + stats->m_bytes_loaded + stats->m_bytes_stored) {
        fprintf(text, "  %-12s %14llu bytes\n", "m loaded",
                (unsigned long long)stats->m_bytes_loaded);
        fprintf(text, "  %-12s %14llu bytes\n", "m stored",
                (unsigned long long)stats->m_bytes_stored);
        fprintf(text, "  %-12s %14llu\n", "m macs", (unsigned long long)stats->m_macs);
    }
    fprintf(text, "  %-12s %14llu\n", "traps", (unsigned long long)stats->traps);
}

/* {"program": ..., "end": "exit", ..., "classes": {"alu": 12, ...}, ..., "engines": {...}} */
int run_hart_report_json(const struct hart_request *request, const struct sam_hart_result *result,
                         struct sam_hart *hart, double seconds, json_t *checks)
{
    const struct sam_hart_stats *stats = sam_hart_stats(hart);
    struct sam_engines_report engines;
    json_t *classes = json_object();
    bool good = classes != NULL;
    for (int i = 0; good && i < SAM_HART_CLASSES; i++)
        good = cli_json_set(classes, sam_hart_class_name((enum sam_hart_class)i),
                            json_integer(cli_json_number(stats->classes[i])));
    json_t *root = json_pack(
        "{s:o?, s:s, s:I, s:I, s:I, s:f, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "program",
        cli_json_text(request->run->files.items[0]), "end", end_name(result->end), "exit_code",
        cli_json_number(result->exit_code), "pc", cli_json_number(result->pc), "instructions",
        cli_json_number(result->instructions), "seconds", seconds, "classes", classes,
        "tl_bytes_loaded", cli_json_number(stats->tl_bytes_loaded), "tl_bytes_stored",
        cli_json_number(stats->tl_bytes_stored), "m_bytes_loaded",
        cli_json_number(stats->m_bytes_loaded), "m_bytes_stored",
        cli_json_number(stats->m_bytes_stored), "m_macs", cli_json_number(stats->m_macs), "traps",
        cli_json_number(stats->traps));
    if (json_array_size(checks))
        good = good && json_object_set(root, "checks", checks) == 0;
    const struct sam_mxu_stats *cycles = sam_hart_cycles(hart);
    if (cycles)
        good = good && json_object_set_new(root, "matrix",
                                           run_hart_cycles_json(&request->mxu, cycles)) == 0;
    if (sam_hart_engines(hart, &engines))
        good = good && json_object_set_new(root, "engines", cli_engines_json(&engines)) == 0;
    if (good)
        return cli_json_print(root);
    json_decref(root);
    return cli_no_memory();
}

/* Lines of `row` bytes, each with the number of its first byte. */
static void put_rows(const uint8_t *bytes, unsigned size, unsigned row, FILE *text)
{
    for (unsigned i = 0; i < size; i += row) {
        fprintf(text, "  %3u ", i);
        for (unsigned k = 0; k < row; k++)
            fprintf(text, " %02x", bytes[i + k]);
        fputc('\n', text);
    }
}

void run_hart_report_tl(const struct sam_hart *hart, unsigned number, FILE *text)
{
    fprintf(text, "tl%u\n", number);
    put_rows(sam_hart_tl(hart, number), 1024, 32, text);
}

void run_hart_report_m(const struct sam_hart *hart, unsigned number, FILE *text)
{
    const unsigned size = sam_hart_m_size(hart);
    fprintf(text, "m%u\n", number);
    put_rows(sam_hart_m(hart, number), size, size == 1024 ? 64 : size == 256 ? 32 : 16, text);
}
