/* SPDX-License-Identifier: Apache-2.0 */
/* `--cycles` of Ventus launches: the options, the timelines of each launch and its report. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run/run.h"
#include "settings.h"

int run_gputime_list_parameters(void)
{
    struct sam_gputime_config presets[8];
    const struct sam_parameter *p;
    size_t count = 0;
    printf("%-20s", "parameter");
    for (; count < 8 && sam_gputime_preset(count); count++) {
        struct sam_error error;
        char text[64];
        sam_gputime_config_init(&presets[count]);
        snprintf(text, sizeof text, "preset=%s", sam_gputime_preset(count));
        sam_gputime_config_set(&presets[count], text, &error);
        printf(" %8s", sam_gputime_preset(count));
    }
    printf("  %-11s  meaning\n", "range");
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++) {
        const char *unit = sam_gputime_parameter_unit(i);
        printf("%-20s", p->name);
        for (size_t preset = 0; preset < count; preset++) {
            uint32_t value = 0;
            sam_gputime_config_get(&presets[preset], p->name, &value);
            printf(" %8u", value);
        }
        printf("  %-11s  %s%s%s\n", p->range, unit, *unit ? " " : "", p->meaning);
    }
    for (size_t i = 0; (p = sam_energy_parameter(i)); i++)
        printf("%-20s %8s %17s  %-11s  %s\n", p->name, p->value, "", p->range, p->meaning);
    return CLI_SHOWN;
}

const char *run_gputime_key(size_t index)
{
    const struct sam_parameter *p = sam_gputime_parameter(index);
    return p ? p->name : NULL;
}

enum sam_status run_set_gputime(void *config, const char *settings, struct sam_error *error)
{
    return sam_gputime_config_set(config, settings, error);
}

static int parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *request)
{
    struct gpu_request *r = request;
    if (strcmp(text, "help") == 0)
        return run_gputime_list_parameters();
    r->cycles = true;
    return cli_read_settings(args, option, text, run_set_gputime, &r->config);
}

const struct cli_option run_cycles_rows[] = {
    CLI_ROW(struct gpu_request, cycles, "cycles", CLI_FLAG, NULL,
            "model the GPU in time: cycles, what each SM, unit, warp and instruction waits for, "
            "caches and memory, and what to change first; one worker, whatever --jobs says"),
    {.name = "config",
     .grammar = CLI_PARSE,
     .parse = parse_config,
     .argument = "KEY=N,...",
     .names = run_gputime_key,
     .suffixes = "",
     .repeats = true,
     .help = "--cycles with other parameters: preset=verilog, sms=4,mem_latency=200,... or a file "
             "of them; --config help lists them with the values of each preset"},
    CLI_ROW(struct gpu_request, timelines[RUN_PERFETTO], "perfetto", CLI_TEXT, "FILE",
            "--cycles as a timeline for ui.perfetto.dev, a track per warp slot and unit; 1 us is a "
            "cycle; %n in FILE is the number of the launch",
            .suffixes = ".json"),
    CLI_ROW(struct gpu_request, timelines[RUN_KONATA], "konata", CLI_TEXT, "FILE",
            "--cycles as a log of the instructions' stages, for Konata (Kanata 0004); %n as above",
            .suffixes = ""),
    {0},
};

void run_gpu_defaults(struct gpu_request *gpu)
{
    sam_gputime_config_init(&gpu->config);
}

int run_check_cycles(const struct run_request *r, struct gpu_request *gpu, size_t launches)
{
    static const char *const names[RUN_TIMELINES] = {"perfetto", "konata"};
    struct sam_error error;
    for (unsigned i = 0; i < RUN_TIMELINES; i++) {
        const char *path = gpu->timelines[i];
        if (!path)
            continue;
        gpu->cycles = true;
        if (launches > 1 && !strstr(path, "%n"))
            return cli_usage_error(r->args,
                                   "--%s %s: expected %%n in the name, for a file per launch",
                                   names[i], path);
        if (r->stats == RUN_STATS_JSON && strcmp(path, "-") == 0)
            return cli_usage_error(r->args, "--json needs standard output for itself");
        int code = run_name_numbered(r, path, launches);
        if (code != CLI_OK)
            return code;
    }
    if (gpu->cycles && r->driver)
        return cli_usage_error(r->args, "--cycles measures whole launches: expected samite run");
    if (gpu->cycles && sam_gputime_config_check(&gpu->config, &error) != SAM_OK)
        return cli_refuse_settings(r->args, "", &error);
    return CLI_OK;
}

bool run_timelines_to_stdout(const struct gpu_request *gpu)
{
    bool found = false;
    for (unsigned i = 0; i < RUN_TIMELINES; i++)
        found |= gpu->timelines[i] && strcmp(gpu->timelines[i], "-") == 0;
    return found;
}

void run_note_large(const struct sam_launch *launch)
{
    const struct sam_parameter *p;
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++)
        if (strcmp(p->name, "warps") == 0 && launch->warps > p->high)
            cli_note("a workgroup of %u warps: no SM of the model in time has more than %llu warp "
                     "slots, so that --cycles refuses this launch",
                     launch->warps, (unsigned long long)p->high);
}

int run_open_timing(struct run *run)
{
    struct sam_gpu_timing *timing = &run->timing;
    struct sam_sink *const sinks[RUN_TIMELINES] = {&timing->perfetto, &timing->konata};
    for (unsigned i = 0; i < RUN_TIMELINES; i++) {
        const char *pattern = run->asked->timelines[i];
        if (!pattern)
            continue;
        char *path = run_log_path(pattern, run->launches);
        if (!path)
            return cli_no_memory();
        const enum sam_status status = sam_output_open(path, &run->timelines[i], &run->error);
        free(path);
        if (status != SAM_OK)
            return cli_report(&run->error);
        *sinks[i] = i == RUN_PERFETTO ? run_perfetto_sink(&run->perfetto, run->request, pattern,
                                                          run->timelines[i])
                                      : (struct sam_sink){sam_output_write, run->timelines[i]};
    }
    return CLI_OK;
}

int run_close_timing(struct run *run, bool keep)
{
    int code = CLI_OK;
    for (unsigned i = 0; i < RUN_TIMELINES; i++) {
        struct sam_output *output = run->timelines[i];
        run->timelines[i] = NULL;
        if (!keep)
            cli_drop_output(output);
        else if (output && sam_output_commit(output, &run->error) != SAM_OK)
            code = cli_report(&run->error);
    }
    run->timing.perfetto = run->timing.konata = (struct sam_sink){0};
    return code;
}

static char *report_of(const struct run *run, enum sam_gputime_format format)
{
    const struct sam_gputime_report_options options = {
        .size = sizeof options, .config = &run->asked->config, .image = run->image};
    struct sam_error error;
    char *text = NULL;
    sam_gputime_report(&run->timing.result, format, &options, &text, &error);
    return text;
}

static void add_reasons(uint64_t sum[SAM_GPUTIME_REASONS],
                        const uint64_t reasons[SAM_GPUTIME_REASONS])
{
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sum[reason] += reasons[reason];
}

void run_add_measure(struct run *run)
{
    const struct sam_gputime_result *r = &run->timing.result;
    struct run_measure *m = run->measure;
    m->cycles += r->cycles;
    m->insns += r->insns;
    for (uint32_t i = 0; i < r->sms; i++) {
        const struct sam_gputime_cache *l1 = &r->sm[i].l1d;
        add_reasons(m->sm, r->sm[i].reasons);
        for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++)
            add_reasons(m->units[u], r->sm[i].units[u]);
        m->l1_requests += l1->reads + l1->writes;
        m->l1_hits += l1->read_hits + l1->write_hits;
    }
    for (size_t i = 0; i < (size_t)r->sms * r->slots; i++)
        add_reasons(m->slots, r->warp_slots[i]);
    m->l2_requests += r->l2.reads + r->l2.writes;
    m->l2_hits += r->l2.read_hits + r->l2.write_hits;
    m->dram_bytes += r->dram_bytes_read + r->dram_bytes_written;
}

json_t *run_report_cycles(struct run *run, json_t *row)
{
    if (!run->asked->cycles)
        return row;
    run->cycles += run->timing.result.cycles;
    if (!run->json_launches)
        return row;
    char *text = report_of(run, SAM_GPUTIME_JSON);
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    sam_text_free(text);
    return report_set(row, "time", report);
}

int run_print_cycles(const struct run *run)
{
    if (!run->asked->cycles || run->json_launches)
        return CLI_OK;
    char *text = report_of(run, SAM_GPUTIME_TEXT);
    if (!text)
        return cli_no_memory();
    fputs(text, run->text);
    sam_text_free(text);
    return CLI_OK;
}
