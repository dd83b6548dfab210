/* SPDX-License-Identifier: Apache-2.0 */
/* `--cycles` of Ventus launches: the options, the timelines of each launch and its report. */
#include <stdlib.h>

#include "machine/machine.h"

static int list_parameters(void)
{
    struct sam_gputime_config presets[8];
    const struct sam_parameter *p;
    size_t count = 0;
    printf("%-20s", "parameter");
    for (; count < 8 && sam_gputime_preset(count); count++) {
        char text[64];
        sam_gputime_config_init(&presets[count]);
        snprintf(text, sizeof text, "preset=%s", sam_gputime_preset(count));
        sam_gputime_config_set(&presets[count], text, NULL);
        printf(" %8s", sam_gputime_preset(count));
    }
    printf("  %-11s  meaning\n", "range");
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++) {
        printf("%-20s", p->name);
        for (size_t preset = 0; preset < count; preset++) {
            uint32_t value = 0;
            sam_gputime_config_get(&presets[preset], p->name, &value);
            printf(" %8u", value);
        }
        printf("  %-11s  %s\n", p->range, p->meaning);
    }
    for (size_t i = 0; (p = sam_energy_parameter(i)); i++)
        printf("%-20s %8s %17s  %-11s  %s\n", p->name, p->value, "", p->range, p->meaning);
    return CLI_SHOWN;
}

static enum sam_status set(void *config, const char *settings, struct sam_error *error)
{
    return sam_gputime_config_set(config, settings, error);
}

const struct cli_settings ventus_settings = {
    .set = set, .list = list_parameters, .tables = {sam_gputime_parameter}};

static int parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *request)
{
    struct gpu_request *r = request;
    r->cycles = true;
    return cli_read_settings(args, option, text, &r->config);
}

const struct cli_option ventus_cycles_rows[] = {
    CLI_ROW(struct gpu_request, cycles, "cycles", CLI_FLAG, NULL,
            "model the GPU in time: cycles, what each SM, unit, warp and instruction waits for, "
            "caches and memory, and what to change first; one worker, whatever --jobs says"),
    CLI_PARSED("config", "KEY=N,...", parse_config,
               "--cycles with other parameters: preset=verilog, sms=4,mem_latency=200,... or a "
               "file of them; --config help lists them with the values of each preset",
               .settings = &ventus_settings, .suffixes = "", .repeats = true),
    CLI_ROW(struct gpu_request, files[RUN_PERFETTO], "perfetto", CLI_TEXT, "FILE",
            "--cycles as a timeline for ui.perfetto.dev, a track per warp slot and unit; 1 us is a "
            "cycle; %n in FILE is the number of the launch",
            .suffixes = ".json"),
    CLI_ROW(struct gpu_request, files[RUN_KONATA], "konata", CLI_TEXT, "FILE",
            "--cycles as a log of the instructions' stages, for Konata (Kanata 0004); %n as above",
            .suffixes = ""),
    {0},
};

int ventus_name_numbered(const struct run_request *r, const char *pattern, size_t launches)
{
    const bool each = strstr(pattern, "%n");
    int code = CLI_OK;
    for (size_t i = 0; i < (each ? launches : 1) && code == CLI_OK; i++) {
        char *path = ventus_numbered(pattern, (unsigned)i);
        code = path ? cli_writes(r->args, path) : cli_no_memory();
        free(path);
    }
    return code;
}

/* A timeline of a launch. */
static const struct timeline {
    enum run_output output;
    const char *option;
} timelines[] = {{RUN_PERFETTO, "perfetto"}, {RUN_KONATA, "konata"}};
enum { TIMELINES = sizeof timelines / sizeof timelines[0] };

void ventus_defaults(struct gpu_request *gpu)
{
    sam_gputime_config_init(&gpu->config);
}

int ventus_check_cycles(const struct run_request *r, struct gpu_request *gpu, size_t launches)
{
    struct sam_error error;
    for (unsigned i = 0; i < TIMELINES; i++) {
        const char *path = gpu->files[timelines[i].output];
        if (!path)
            continue;
        gpu->cycles = true;
        if (launches > 1 && !strstr(path, "%n"))
            return cli_usage_error(r->args,
                                   "--%s %s: expected %%n in the name, for a file per launch",
                                   timelines[i].option, path);
        int code = ventus_name_numbered(r, path, launches);
        if (code != CLI_OK)
            return code;
    }
    if (gpu->cycles && r->driver)
        return cli_usage_error(r->args, "--cycles measures whole launches: expected samite run");
    if (gpu->cycles && sam_gputime_config_check(&gpu->config, &error) != SAM_OK)
        return cli_refuse_settings(r->args, "", &error);
    return CLI_OK;
}

void ventus_note_large(const struct sam_launch *launch)
{
    const struct sam_parameter *p;
    for (size_t i = 0; (p = sam_gputime_parameter(i)); i++)
        if (strcmp(p->name, "warps") == 0 && launch->warps > p->high)
            cli_note("a workgroup of %u warps: no SM of the model in time has more than %llu warp "
                     "slots, so that --cycles refuses this launch",
                     launch->warps, (unsigned long long)p->high);
}

int ventus_open_timelines(struct run *run)
{
    struct ventus *v = run->ventus;
    struct sam_sink *const sinks[] = {&v->timing.perfetto, &v->timing.konata};
    int code = CLI_OK;
    for (unsigned i = 0; i < TIMELINES && code == CLI_OK; i++) {
        const char *pattern = v->asked->files[timelines[i].output];
        char *path = pattern ? ventus_numbered(pattern, v->launches) : NULL;
        if (pattern && !path)
            return cli_no_memory();
        code = run_open_output(run, timelines[i].output, path, sinks[i]);
        free(path);
        run->perfetto.path = v->asked->files[RUN_PERFETTO];
    }
    return code;
}

int ventus_close_timelines(struct run *run, bool keep)
{
    int code = CLI_OK;
    for (unsigned i = 0; i < TIMELINES; i++)
        code = cli_first(code, keep ? run_commit_output(run, timelines[i].output)
                                    : run_drop_output(run, timelines[i].output));
    run->ventus->timing.perfetto = run->ventus->timing.konata = (struct sam_sink){0};
    return keep ? code : CLI_OK;
}

static char *report_of(const struct run *run, enum sam_gputime_format format)
{
    const struct sam_gputime_report_options options = {
        .size = sizeof options, .config = &run->ventus->asked->config, .image = run->image};
    char *text = NULL;
    sam_gputime_report(&run->ventus->timing.result, format, &options, &text, NULL);
    return text;
}

static void add_reasons(uint64_t sum[SAM_GPUTIME_REASONS],
                        const uint64_t reasons[SAM_GPUTIME_REASONS])
{
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sum[reason] += reasons[reason];
}

void ventus_add_measure(struct ventus *v)
{
    const struct sam_gputime_result *r = &v->timing.result;
    struct ventus_measure *m = &v->measure;
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

json_t *ventus_report_cycles(struct run *run, json_t *row)
{
    if (!run->ventus->asked->cycles)
        return row;
    ventus_add_measure(run->ventus);
    if (!run->ventus->json_launches)
        return row;
    char *text = report_of(run, SAM_GPUTIME_JSON);
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    sam_text_free(text);
    return report_set(row, "time", report);
}

int ventus_print_cycles(const struct run *run)
{
    if (!run->ventus->asked->cycles || run->ventus->json_launches)
        return CLI_OK;
    char *text = report_of(run, SAM_GPUTIME_TEXT);
    if (!text)
        return cli_no_memory();
    fputs(text, run->text);
    sam_text_free(text);
    return CLI_OK;
}
