/* SPDX-License-Identifier: Apache-2.0 */
/* packed: run a layer of packed weights on the system and check its results. */
#include "packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char help[] =
    "Usage: packed [TYPE] [options]\n"
    "\n"
    "Make a layer of weights and tokens from a fixed seed, pack it, run it on the system (hart,\n"
    "weight unit, TensorLoad, matrix unit, GPU), and compare logits and probabilities with plain\n"
    "C in double precision. TYPE of the weights: f16 (default), e4m3, e5m2, e2m1.\n"
    "\n"
    "  --tokens N        16, 32, ... 256; or 1, for gemv.c (16)\n"
    "  --depth K         features of a token, a multiple of 64, up to 2048 of layer.s (512);\n"
    "                    of a single one 1024\n"
    "  --columns N       rows of weights, of layer.s a multiple of 64 (1024)\n"
    "  --window          pack as windows, as samite pack --planes=window does\n"
    "  --load-widen      the matrix unit widens weights of 8 bits as it loads them; layer.s only\n"
    "  --program FILE    run this ELF file, gemm.c or gemv.c compiled, instead of layer.s\n"
    "  --mlen BITS       of the matrix unit (512)\n"
    "  --check-races     fail if the program uses results before it has waited for them\n"
    "  --cycles          count cycles, and compare with unpacked weights\n"
    "  --config KEY=N,.. the same with other parameters, as samite run --machine system\n"
    "  --write FILE      only write the weights, as safetensors\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: packed e4m3 --columns 2048\n";

static bool print(void *context, const void *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size;
}

static int expected(const char *what, const char *text, const char *values)
{
    fprintf(stderr, "packed: error: %s '%s': expected %s (packed --help)\n", what, text, values);
    return 2;
}

static int usage(const char *what, const char *text)
{
    return kernel_usage("packed", what, text);
}

static int fail(const struct sam_error *error, enum sam_status status)
{
    return kernel_fail("packed", error, status);
}

/* Run and check; free *result. */
static int run(const struct packed_layer *layer, const struct packed_run *how,
               struct packed_result *result)
{
    struct sam_error error = {0};
    const enum sam_status status = packed_run(layer, how, result, &error);
    if (status != SAM_OK)
        return fail(&error, status);
    if (!packed_check(layer, result)) {
        printf("FAIL: %s\n", result->failure);
        return 1;
    }
    return 0;
}

/* Report the cycles, in comparison with raw weights. */
static int report(const struct packed_layer *layer, const struct packed_run *how,
                  const struct sam_system_figures *packed)
{
    struct sam_system_timing timing = *how->timing;
    const struct packed_run again = {.folder = how->folder,
                                     .program = how->program,
                                     .mlen = how->mlen,
                                     .timing = &timing,
                                     .load_widen = how->load_widen};
    struct packed_result raw;
    struct sam_error error = {0};
    char *text = NULL;
    timing.raw_weights = true;
    int code = run(layer, &again, &raw);
    if (code == 0) {
        const enum sam_status status =
            sam_system_report(packed, raw.figures, SAM_SYSTEM_TEXT, &text, &error);
        code = status == SAM_OK ? 0 : fail(&error, status);
    }
    if (code == 0)
        fputs(text, stdout);
    sam_text_free(text);
    packed_result_free(&raw);
    return code;
}

static int run_layer(const struct packed_layer *layer, struct packed_run how,
                     const struct sam_system_config *config)
{
    const struct packed_config *c = &layer->config;
    const struct sam_system_timing timing = {.size = sizeof timing, .config = config};
    struct packed_result result;
    printf("%u token%s x %u by %u weights of %s, file %zu bytes, packed %zu (%.1f %%)\n",
           layer->rows, layer->rows == 1 ? "" : "s", c->depth, c->columns, sam_dtype_name(c->type),
           layer->file_size, layer->packed_size,
           100.0 * (double)layer->packed_size / (double)layer->file_size);
    how.timing = config ? &timing : NULL;
    int code = run(layer, &how, &result);
    if (code == 0)
        printf("PASS: largest error %.1g of the bound for logits, %.1g for probabilities\n",
               result.logit_error, result.probability_error);
    if (code == 0 && config)
        code = report(layer, &how, result.figures);
    packed_result_free(&result);
    return code;
}

/* The command line. */
struct request {
    struct packed_config layer;
    struct packed_run how;
    struct sam_system_config *cycles; /* or NULL */
    const char *file;                 /* only write the weights, or NULL */
};

static int ask_for_cycles(struct request *r, const char *text)
{
    struct sam_error error;
    const enum sam_status status = kernel_cycles(&r->cycles, text, &error);
    return status == SAM_OK ? 0 : fail(&error, status);
}

static int take_number(struct request *r, const char *name, const char *text)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*end || end == text || number == 0 || number > 1 << 20)
        return expected(name, text, "1 to 1048576");
    if (strcmp(name, "--depth") == 0)
        r->layer.depth = (uint32_t)number;
    else if (strcmp(name, "--columns") == 0)
        r->layer.columns = (uint32_t)number;
    else if (strcmp(name, "--mlen") == 0)
        r->how.mlen = (unsigned)number;
    else if (strcmp(name, "--tokens") != 0)
        return usage("unknown option", name);
    else if (number != 1 && number % 16)
        return expected(name, text, "1 or a multiple of 16");
    else
        r->layer.groups = (uint32_t)number / 16;
    return 0;
}

/* Take an option and its value; *next is the index of the next word. */
static int take_option(struct request *r, char **argv, int *next)
{
    const char *name = argv[(*next)++];
    if (strcmp(name, "--cycles") == 0)
        return ask_for_cycles(r, NULL);
    if (strcmp(name, "--window") == 0) {
        r->layer.window = true;
        return 0;
    }
    if (strcmp(name, "--load-widen") == 0) {
        r->how.load_widen = true;
        return 0;
    }
    if (strcmp(name, "--check-races") == 0) {
        r->how.check_races = true;
        return 0;
    }
    const char *text = argv[*next];
    if (!text)
        return usage("a value must follow", name);
    ++*next;
    if (strcmp(name, "--config") == 0)
        return ask_for_cycles(r, text);
    if (strcmp(name, "--program") == 0)
        r->how.program = text;
    else if (strcmp(name, "--write") == 0)
        r->file = text;
    else
        return take_number(r, name, text);
    return 0;
}

static int execute(struct request *r)
{
    struct packed_layer layer;
    struct sam_error error = {0};
    if (r->layer.depth == 0)
        r->layer.depth = r->layer.groups ? 512 : 1024;
    int code = 0;
    if (r->how.load_widen) {
        char text[40];
        snprintf(text, sizeof text, "mx.load_widen=%s", sam_dtype_name(r->layer.type));
        if (r->how.program || (r->layer.type != SAM_E4M3 && r->layer.type != SAM_E5M2))
            return usage("--load-widen: expected layer.s, and weights of", "e4m3 or e5m2");
        code = ask_for_cycles(r, text);
        if (code)
            return code;
    }
    const enum sam_status status = packed_make(&layer, &r->layer, &error);
    if (status != SAM_OK)
        code = fail(&error, status);
    else
        code = r->file ? kernel_write(r->file, layer.file, layer.file_size)
                       : run_layer(&layer, r->how, r->cycles);
    packed_free(&layer);
    return code;
}

static int command(int argc, char **argv)
{
    struct request r = {.layer = {.type = SAM_F16, .groups = 1, .columns = 1024},
                        .how = {.folder = KERNEL_DIR "/system", .console = {print, NULL}}};
    int code = 0;
    for (int i = 1; i < argc && code == 0;) {
        if (strcmp(argv[i], "--help") == 0)
            return fputs(help, stdout), 0;
        if (argv[i][0] == '-')
            code = take_option(&r, argv, &i);
        else if (!sam_dtype_parse(argv[i++], &r.layer.type))
            code = expected("type", argv[i - 1], "f16, e4m3, e5m2 or e2m1");
    }
    if (code == 0)
        code = execute(&r);
    sam_system_config_free(r.cycles);
    return code;
}

int main(int argc, char **argv)
{
    return kernel_finish("packed", command(argc, argv));
}
