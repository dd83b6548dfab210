/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a run of the tensor hart, and registers as text. */
#include "machine/tensor.h"

static const char *end_name(enum sam_hart_end end)
{
    switch (end) {
    case SAM_HART_EXIT: return "exit";
    case SAM_HART_EBREAK: return "ebreak";
    case SAM_HART_UNTIL: return "until";
    case SAM_HART_TRAP: return "trap";
    case SAM_HART_BUDGET: return "budget";
    case SAM_HART_DEADLOCK: return "deadlock";
    default: return "stopped";
    }
}

static const char *class_name(unsigned index)
{
    return sam_hart_class_name((enum sam_hart_class)index);
}

json_t *tensor_report(const struct hart_request *request, const struct sam_hart_result *result,
                      struct sam_hart *hart, double seconds)
{
    static const struct report_field counts[] = {
        REPORT_FIELD(struct sam_hart_stats, tl_bytes_loaded),
        REPORT_FIELD(struct sam_hart_stats, tl_bytes_stored),
        REPORT_FIELD(struct sam_hart_stats, m_bytes_loaded),
        REPORT_FIELD(struct sam_hart_stats, m_bytes_stored),
        REPORT_FIELD(struct sam_hart_stats, m_macs),
        REPORT_FIELD(struct sam_hart_stats, traps),
        {0},
    };
    const struct sam_hart_stats *stats = sam_hart_stats(hart);
    const struct sam_mxu_stats *cycles = sam_hart_cycles(hart);
    struct sam_engines_report engines;
    struct sam_energy energy;
    char *text = NULL;
    json_t *root =
        REPORT(TEXT("program", request->run->files.items[0]), TEXT("end", end_name(result->end)),
               COUNT("exit_code", result->exit_code), COUNT("pc", result->pc),
               COUNT("instructions", result->instructions), REAL("seconds", seconds),
               TREE("classes", report_named(stats->classes, SAM_HART_CLASSES, class_name)));
    root = report_fields(root, counts, stats);
    if (cycles)
        root = report_set(root, "matrix", tensor_cycles(&request->mxu, cycles));
    if (sam_hart_engines(hart, &engines))
        root = report_set(root, "engines", cli_engines(&engines));
    if (sam_hart_energy(hart, &energy) && !request->system &&
        sam_energy_report(&energy, true, &text, NULL) == SAM_OK)
        root = report_set(root, "energy", json_loads(text, 0, NULL));
    sam_text_free(text);
    return root;
}

#define SPEED ", {instructions} instructions in {seconds:.3m} ms, {instructions/seconds:.1M} M/s\n"

void tensor_print_end(const json_t *report, enum sam_hart_end end, FILE *text)
{
    const bool failed = end == SAM_HART_TRAP || end == SAM_HART_BUDGET || end == SAM_HART_DEADLOCK;
    report_print(text,
                 end == SAM_HART_EXIT ? "{program}: exit {exit_code}" SPEED
                 : failed             ? "{program}: FAILED" SPEED
                                      : "{program}: {end} at {pc:x}" SPEED,
                 report);
}

const char tensor_stats[] = "*classes?value   {key:-12} {value:14}  {value%instructions:5.1} %\n"
                            "  tl loaded    {tl_bytes_loaded:14} bytes\n"
                            "  tl stored    {tl_bytes_stored:14} bytes\n"
                            "?m_bytes_loaded   m loaded     {m_bytes_loaded:14} bytes\n"
                            "?m_bytes_stored   m stored     {m_bytes_stored:14} bytes\n"
                            "?m_macs   m macs       {m_macs:14}\n"
                            "  traps        {traps:14}\n";

/* Lines of `row` bytes, each with the offset of its first byte. */
static void put_rows(const uint8_t *bytes, unsigned size, unsigned row, FILE *text)
{
    for (unsigned i = 0; i < size; i += row) {
        fprintf(text, "  %3u ", i);
        for (unsigned k = 0; k < row; k++)
            fprintf(text, " %02x", bytes[i + k]);
        fputc('\n', text);
    }
}

void tensor_print_tl(const struct sam_hart *hart, unsigned number, FILE *text)
{
    fprintf(text, "tl%u\n", number);
    put_rows(sam_hart_tl(hart, number), 1024, 32, text);
}

void tensor_print_m(const struct sam_hart *hart, unsigned number, FILE *text)
{
    const unsigned size = sam_hart_m_size(hart);
    fprintf(text, "m%u\n", number);
    put_rows(sam_hart_m(hart, number), size, size == 1024 ? 64 : size == 256 ? 32 : 16, text);
}
