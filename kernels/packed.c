/* SPDX-License-Identifier: Apache-2.0 */
/* packed: run a layer of packed weights on the system and check what it computes. */
#include "packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: packed [TYPE] [options]\n"
    "\n"
    "Make a layer of weights and tokens from a fixed seed, pack it, run it on the system (hart,\n"
    "weight unit, TensorLoad, matrix unit, GPU), and compare logits and probabilities with plain\n"
    "C in double precision. TYPE of the weights: f16 (default), e4m3, e5m2, e2m1.\n"
    "\n"
    "  --tokens N        16, 32, ... 256; or 1, for gemv.c (16)\n"
    "  --depth K         features of a token, a multiple of 64; of a single one 1024 (512)\n"
    "  --columns N       rows of weights (1024)\n"
    "  --program FILE    run this ELF file, gemm.c or gemv.c compiled, instead of layer.s\n"
    "  --mlen BITS       of the matrix unit (512)\n"
    "  --check-races     fail when the program uses what it has not waited for\n"
    "  --write FILE      only write the weights, as safetensors\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: packed e4m3 --columns 2048\n";

static bool print(void *context, const void *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size;
}

static int usage(const char *what, const char *text)
{
    fprintf(stderr, "packed: error: %s '%s' (packed --help)\n", what, text);
    return 2;
}

static int fail(const struct sam_error *error, enum sam_status status)
{
    fprintf(stderr, "packed: error: %s\n", error->text);
    return status == SAM_ERR_TRAP ? 1 : 2;
}

static int write_file(const struct packed_layer *layer, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(layer->file, 1, layer->file_size, file) == layer->file_size;
    if (!file || fclose(file) != 0 || !written) {
        perror(path);
        return 2;
    }
    return 0;
}

static int run(const struct packed_layer *layer, const struct packed_run *how)
{
    const struct packed_config *c = &layer->config;
    struct packed_result result;
    struct sam_error error = {0};
    const enum sam_status status = packed_run(layer, how, &result, &error);
    int code = status == SAM_OK ? 0 : fail(&error, status);
    if (code == 0) {
        const bool good = packed_check(layer, &result);
        printf("%u token%s x %u by %u weights of %s, file %zu bytes, packed %zu (%.1f %%)\n",
               layer->rows, layer->rows == 1 ? "" : "s", c->depth, c->columns,
               sam_dtype_name(c->type), layer->file_size, layer->packed_size,
               100.0 * (double)layer->packed_size / (double)layer->file_size);
        if (good)
            printf("PASS: largest error %.3f of the bound for logits, %.3f for probabilities\n",
                   result.logit_error, result.probability_error);
        else
            printf("FAIL: %s\n", result.failure);
        code = good ? 0 : 1;
    }
    packed_result_free(&result);
    return code;
}

int main(int argc, char **argv)
{
    struct packed_config config = {.type = SAM_F16, .groups = 1, .columns = 1024};
    struct packed_run how = {.folder = KERNEL_DIR "/system", .console = {print, NULL}};
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        static const char *const numbers[] = {"--tokens", "--depth", "--columns", "--mlen"};
        const char *word = argv[i];
        char *end;
        size_t which = 0;
        if (strcmp(word, "--help") == 0)
            return fputs(help, stdout) < 0;
        if (word[0] != '-') {
            if (!sam_dtype_parse(word, &config.type))
                return usage("no type", word);
            continue;
        }
        if (strcmp(word, "--check-races") == 0) {
            how.check_races = true;
            continue;
        }
        if (++i == argc)
            return usage("a value must follow", word);
        while (which < 4 && strcmp(word, numbers[which]) != 0)
            which++;
        const unsigned long number = strtoul(argv[i], &end, 10);
        if (which < 4 && (*end || end == argv[i] || number == 0 || number > 1 << 20))
            return usage(word, argv[i]);
        if (which == 0 && number != 1 && number % 16)
            return usage("expected 1 token or a multiple of 16:", argv[i]);
        if (strcmp(word, "--program") == 0)
            how.program = argv[i];
        else if (strcmp(word, "--write") == 0)
            file = argv[i];
        else if (which == 0)
            config.groups = (uint32_t)number / 16;
        else if (which == 1)
            config.depth = (uint32_t)number;
        else if (which == 2)
            config.columns = (uint32_t)number;
        else if (which == 3)
            how.mlen = (unsigned)number;
        else
            return usage("unknown option", word);
    }
    if (config.depth == 0)
        config.depth = config.groups ? 512 : 1024;
    struct packed_layer layer;
    struct sam_error error = {0};
    const enum sam_status status = packed_make(&layer, &config, &error);
    int code;
    if (status != SAM_OK)
        code = fail(&error, status);
    else
        code = file ? write_file(&layer, file) : run(&layer, &how);
    packed_free(&layer);
    return code;
}
