/* SPDX-License-Identifier: Apache-2.0 */
/* llm: a language model that writes, on the executor of tile programs or on the system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "llm_table.h"
#include "random.h"

static const char help[] =
    "Usage: llm [options] [TEXT]\n"
    "\n"
    "Continue TEXT (\"In the beginning\") with the language model of examples/llm, character by\n"
    "character. Each is a run of a tile program, on its executor or on the system (hart, weight\n"
    "unit, TensorLoad, matrix unit, GPU), with the same bits.\n"
    "\n"
    "  --model FILE      of tools/llm-train.py (examples/llm/kjv.safetensors)\n"
    "  --tokens N        characters to write (200)\n"
    "  --temperature T   draw from the probabilities sharpened by 1 / T; 0: the likeliest (0)\n"
    "  --seed N          of the draws (1)\n"
    "  --type TYPE       of the weights: f16, bf16 or e5m2 (f16)\n"
    "  --check           compare all logits with a reference in double precision\n"
    "\n"
    "  --system          on the system\n"
    "  --raw, --window   weights as arrays; packed as windows, as samite pack --planes=window\n"
    "                    does; otherwise packed with Huffman codes\n"
    "  --start N         run the first N characters on the executor\n"
    "  --check-races     fail if the program uses results before it has waited for them\n"
    "  --cycles          count cycles of each character\n"
    "  --config KEY=N,.. the same with other parameters, as samite run --machine system\n"
    "  --cold            of its first run on a new machine, not of the second\n"
    "  --report          where the cycles of the last character go\n"
    "  --explain         the program of the last character line by line, with its cycles\n"
    "  --emit DIR        write the lowered program of a character to a folder, which must exist\n"
    "  --table FILE      only print characters per second for types, packings and memories; the\n"
    "                    same into FILE as JSON\n"
    "  --synthetic       only run a layer of a model of 0.5 billion parameters, weights from a\n"
    "                    seed, and extrapolate; with --config, --type, --window\n"
    "  --write-program   only print the tile program of a step\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: llm --temperature 0.8 --tokens 500 'And it came to pass'\n";

struct request {
    const char *model, *prompt;
    uint32_t tokens;
    double temperature;
    uint64_t seed;
    enum sam_dtype type;
    struct llm_run_options how;
    struct sam_system_config *cycles; /* or NULL */
    bool raw, window, check, report, only_program, synthetic;
    const char *table;
};

static int usage(const char *what, const char *text)
{
    return kernel_usage("llm", what, text);
}

static int fail(const struct sam_error *error, enum sam_status status)
{
    return kernel_fail("llm", error, status);
}

/* --- the next token */

static uint32_t likeliest(const float *logits, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

static uint32_t draw(const float *logits, uint32_t count, double temperature, uint64_t *state)
{
    const double most = (double)logits[likeliest(logits, count)];
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += exp(((double)logits[i] - most) / temperature);
    double left = kernel_uniform(state) * total;
    for (uint32_t i = 0; i + 1 < count; i++) {
        left -= exp(((double)logits[i] - most) / temperature);
        if (left < 0)
            return i;
    }
    return count - 1;
}

/* --- a text */

struct session {
    const struct llm *llm;
    struct llm_run *run;
    struct llm_reference *reference; /* or NULL */
    double worst;
    uint64_t cycles, counted; /* of the characters written on the system */
    double seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Compare with the reference; false if they are further apart than roundings explain. */
static bool check(struct session *s, uint32_t token, uint32_t position)
{
    double expected[1024];
    const uint32_t count = s->llm->shape.vocabulary;
    if (!s->reference)
        return true;
    llm_reference_step(s->reference, token, position, expected);
    for (uint32_t i = 0; i < count; i++) {
        const double off = fabs((double)llm_run_logits(s->run)[i] - expected[i]);
        if (!(off <= LLM_TOLERANCE)) {
            printf("\nFAIL: position %u: logit %u is %g, expected %g\n", position, i,
                   (double)llm_run_logits(s->run)[i], expected[i]);
            return false;
        }
        s->worst = fmax(s->worst, off);
    }
    return true;
}

static int step(struct session *s, uint32_t token, uint32_t position)
{
    struct sam_error error = {0};
    const double from = now();
    const enum sam_status status = llm_run_step(s->run, token, position, &error);
    if (status != SAM_OK)
        return fail(&error, status);
    s->seconds += now() - from;
    if (llm_run_figures(s->run)) {
        s->cycles += llm_run_cycles(s->run);
        s->counted++;
    }
    return check(s, token, position) ? 0 : 1;
}

static int report(const struct session *s)
{
    struct sam_error error = {0};
    char *text = NULL;
    const struct sam_system_figures *figures = llm_run_figures(s->run);
    if (!figures)
        return 0;
    const enum sam_status status = sam_system_report(figures, NULL, SAM_SYSTEM_TEXT, &text, &error);
    if (status != SAM_OK)
        return fail(&error, status);
    fputs(text, stdout);
    sam_text_free(text);
    return 0;
}

/* Read the prompt, then write `tokens` characters. */
static int write_text(const struct request *r, struct session *s)
{
    const struct llm *llm = s->llm;
    const uint32_t length = (uint32_t)strlen(r->prompt), count = llm->shape.vocabulary;
    uint64_t state = r->seed;
    uint32_t token = 0;
    int code = 0;
    for (uint32_t i = 0; code == 0 && i + 1 < length + r->tokens; i++) {
        if (i < length) {
            const int known = llm_token(llm, r->prompt[i]);
            if (known < 0)
                return usage("TEXT: the model has not all its characters", r->prompt);
            token = (uint32_t)known;
        }
        if (i >= llm->shape.positions)
            return usage("--tokens: more than the model has", "positions");
        putchar(i < length ? r->prompt[i] : llm->charset[token]);
        fflush(stdout);
        code = step(s, token, i);
        token = r->temperature > 0 ? draw(llm_run_logits(s->run), count, r->temperature, &state)
                                   : likeliest(llm_run_logits(s->run), count);
        if (token >= strlen(llm->charset))
            token = 0;
        if (i + 2 == length + r->tokens)
            putchar(llm->charset[token]);
    }
    putchar('\n');
    if (code != 0)
        return code;
    printf("%.0f characters per second here\n", (length + r->tokens - 1) / s->seconds);
    if (s->counted)
        printf("cycles: %.0f per character, %.0f characters per second at 1 GHz\n",
               (double)s->cycles / (double)s->counted,
               1e9 * (double)s->counted / (double)s->cycles);
    if (s->reference)
        printf("PASS: logits within %.4f of double precision (allowed: %g)\n", s->worst,
               LLM_TOLERANCE);
    return r->report ? report(s) : 0;
}

static int run(const struct request *r, const struct llm *llm)
{
    struct session s = {.llm = llm};
    struct sam_error error = {0};
    struct llm_run_options how = r->how;
    struct sam_system_timing timing = {.size = sizeof timing, .config = r->cycles};
    void *packed = NULL;
    size_t raw;
    enum sam_status status = SAM_OK;
    how.timing = r->cycles ? &timing : NULL;
    if (how.system && !r->raw) {
        status = llm_pack(llm, r->window, &packed, &how.packed_size, &raw, &error);
        how.packed = packed;
        if (status == SAM_OK)
            printf("weights: %zu bytes, packed %zu (%.1f %%)\n", raw, how.packed_size,
                   100.0 * (double)how.packed_size / (double)raw);
    }
    if (status == SAM_OK)
        status = llm_run_new(llm, &how, &s.run, &error);
    if (status == SAM_OK && r->check) {
        s.reference = llm_reference_new(llm);
        status = s.reference ? SAM_OK : SAM_ERR_MEMORY;
    }
    const int code = status == SAM_OK ? write_text(r, &s) : fail(&error, status);
    llm_reference_free(s.reference);
    llm_run_free(s.run);
    free(packed);
    return code;
}

/* --table and --synthetic. */
static int measure(const struct request *r)
{
    struct sam_error error = {0};
    const enum sam_status status = r->table ? llm_table(r->model, r->table, &error)
                                            : llm_synthetic(r->type, r->cycles, r->window, &error);
    return status == SAM_OK ? 0 : fail(&error, status);
}

static int execute(const struct request *r)
{
    struct llm llm;
    struct sam_error error = {0};
    int code;
    const enum sam_status status = llm_read(&llm, r->model, r->type, &error);
    if (status != SAM_OK) {
        code = fail(&error, status);
    } else if (r->only_program) {
        char *text = llm_program(&llm, &error);
        code = text ? (fputs(text, stdout), 0) : fail(&error, SAM_ERR_MEMORY);
        free(text);
    } else {
        code = run(r, &llm);
    }
    llm_free(&llm);
    return code;
}

/* --- options */

static int take_number(uint32_t *number, const char *name, const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value == 0 || value > 1 << 20) {
        fprintf(stderr, "llm: error: %s '%s': expected 1 to %d (llm --help)\n", name, text,
                1 << 20);
        return 2;
    }
    *number = (uint32_t)value;
    return 0;
}

static int ask_for_cycles(struct request *r, const char *text)
{
    struct sam_error error;
    const enum sam_status status = kernel_cycles(&r->cycles, text, &error);
    r->how.system = true;
    return status == SAM_OK ? 0 : fail(&error, status);
}

/* Take an option without a value. Returns false if it is another one. */
static bool take_switch(struct request *r, const char *name, int *code)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--raw", &r->raw},
                 {"--window", &r->window},
                 {"--check", &r->check},
                 {"--report", &r->report},
                 {"--explain", &r->how.explain},
                 {"--system", &r->how.system},
                 {"--synthetic", &r->synthetic},
                 {"--cold", &r->how.cold},
                 {"--check-races", &r->how.check_races},
                 {"--write-program", &r->only_program}};
    *code = 0;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(name, flags[i].name) == 0)
            return *flags[i].flag = true;
    if (strcmp(name, "--cycles") != 0)
        return false;
    *code = ask_for_cycles(r, NULL);
    return true;
}

static int take_real(double *number, const char *name, const char *text)
{
    char *end;
    *number = strtod(text, &end);
    if (!*end && end != text && *number >= 0 && *number <= 100)
        return 0;
    fprintf(stderr, "llm: error: %s '%s': expected 0 to 100 (llm --help)\n", name, text);
    return 2;
}

static int take_option(struct request *r, const char *name, const char *text)
{
    static const char *const names[] = {"--model", "--tokens", "--temperature", "--seed", "--type",
                                        "--start", "--config", "--emit",        "--table"};
    uint32_t seed;
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known |= strcmp(name, names[i]) == 0;
    if (!known || !text)
        return usage(known ? "a value must follow" : "unknown option", name);
    if (strcmp(name, "--tokens") == 0)
        return take_number(&r->tokens, name, text);
    if (strcmp(name, "--start") == 0)
        return take_number(&r->how.start, name, text);
    if (strcmp(name, "--temperature") == 0)
        return take_real(&r->temperature, name, text);
    if (strcmp(name, "--config") == 0)
        return ask_for_cycles(r, text);
    if (strcmp(name, "--type") == 0)
        return sam_dtype_parse(text, &r->type) ? 0 : usage("--type: no type", text);
    if (strcmp(name, "--model") == 0)
        r->model = text;
    else if (strcmp(name, "--table") == 0)
        r->table = text;
    else if (strcmp(name, "--emit") == 0)
        r->how.emit = text;
    else {
        const int code = take_number(&seed, name, text);
        r->seed = code == 0 ? seed : 0;
        return code;
    }
    return 0;
}

static int command(int argc, char **argv)
{
    struct request r = {
        .model = MODEL_DIR "/kjv.safetensors", .tokens = 200, .seed = 1, .type = SAM_F16};
    int code = 0;
    for (int i = 1; i < argc && code == 0;) {
        const char *name = argv[i++];
        if (strcmp(name, "--help") == 0)
            return fputs(help, stdout), 0;
        if (!name[0] || (name[0] != '-' && r.prompt))
            code = usage(name[0] ? "a second TEXT" : "an empty TEXT", name);
        else if (name[0] != '-')
            r.prompt = name;
        else if (!take_switch(&r, name, &code))
            code = take_option(&r, name, argv[i++]);
    }
    r.prompt = r.prompt ? r.prompt : "In the beginning";
    if (code == 0 && !r.how.system && !r.synthetic && !r.table &&
        (r.how.emit || r.how.explain || r.how.check_races || r.how.cold || r.report))
        code = usage("--emit, --explain, --report, --cold or --check-races without", "--system");
    if (code == 0 && r.synthetic && !r.cycles)
        code = ask_for_cycles(&r, NULL);
    if (code == 0)
        code = r.table || r.synthetic ? measure(&r) : execute(&r);
    sam_system_config_free(r.cycles);
    return code;
}

int main(int argc, char **argv)
{
    return kernel_finish("llm", command(argc, argv));
}
