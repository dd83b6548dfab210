/* SPDX-License-Identifier: Apache-2.0 */
/* block: run a block of a transformer, kernels/tile/block.pto, and check what it computes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_run.h"

static const char help[] =
    "Usage: block [options]\n"
    "\n"
    "Make the weights of a block of a transformer and tokens from a fixed seed, run\n"
    "kernels/tile/block.pto on them by the executor of tile programs, and compare the result with\n"
    "plain C in double precision.\n"
    "\n"
    "  --sequence N      tokens (128)\n"
    "  --width N         of a token, at most 512 (256)\n"
    "  --heads N         a divisor of the width, at most 64 elements a head (8)\n"
    "  --hidden N        width of the MLP (4 times the width)\n"
    "  --type TYPE       of the weights: f32, or bf16 (f32)\n"
    "  --ocr FILE        not from the seed: the two blocks of the recognition model of PP-OCRv4, "
    "one\n"
    "                    after the other, from what `samite convert` makes of it (120 wide)\n"
    "  --write FILE      only write the weights, as safetensors\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: block --sequence 64 --width 512\n";

enum { OCR_BLOCKS = 2 };

struct request {
    struct block_config config;
    const char *ocr, *write;
};

static int usage(const char *what, const char *text)
{
    fprintf(stderr, "block: error: %s '%s' (block --help)\n", what, text);
    return 2;
}

static int fail(const struct sam_error *error, enum sam_status status)
{
    fprintf(stderr, "block: error: %s\n", error->text);
    return status == SAM_ERR_TRAP ? 1 : 2;
}

static int write_file(const struct block *blocks, size_t count, const char *path)
{
    struct sam_error error = {0};
    char *data = NULL;
    size_t size;
    const enum sam_status status = block_file(blocks, count, &data, &size, &error);
    if (status != SAM_OK)
        return free(data), fail(&error, status);
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(data, 1, size, file) == size;
    free(data);
    if (file && fclose(file) == 0 && written)
        return 0;
    perror(path);
    return 2;
}

/* Run the blocks one after the other, and compare each with what the values that it was given
 * should become. */
static int run(struct block *blocks, size_t count)
{
    struct sam_error error = {0};
    for (size_t i = 0; i < count; i++) {
        struct block *b = &blocks[i];
        struct block_result result;
        enum sam_status status = block_execute(b, KERNEL_DIR "/tile/block.pto", &error);
        if (status == SAM_OK)
            status = block_verify(b, &result, &error);
        if (status != SAM_OK)
            return fail(&error, status);
        printf("block %zu: %u tokens x %u, %u heads, MLP of %u\n", i, b->config.sequence,
               b->config.width, b->config.heads, b->config.hidden);
        if (result.failure[0]) {
            printf("FAIL: %s\n", result.failure);
            return 1;
        }
        printf("PASS: largest error %.2g of what is allowed (%d deviations, at most %.2g)\n",
               result.share, BLOCK_DEVIATIONS, result.allowed);
        if (i + 1 < count)
            memcpy(blocks[i + 1].arrays[BLOCK_X], b->arrays[BLOCK_Y],
                   b->counts[BLOCK_Y] * sizeof(float));
    }
    return 0;
}

static int execute(const struct request *r)
{
    struct block blocks[OCR_BLOCKS] = {0};
    const size_t count = r->ocr ? OCR_BLOCKS : 1;
    struct sam_error error = {0};
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < count && status == SAM_OK; i++)
        status = r->ocr ? block_ocr(&blocks[i], &r->config, i, r->ocr, &error)
                        : block_make(&blocks[i], &r->config, &error);
    int code = status == SAM_OK ? 0 : fail(&error, status);
    if (code == 0)
        code = r->write ? write_file(blocks, count, r->write) : run(blocks, count);
    for (size_t i = 0; i < count; i++)
        block_free(&blocks[i]);
    return code;
}

static int take_number(uint32_t *number, const char *name, const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value == 0 || value > 1 << 16)
        return usage(name, text);
    *number = (uint32_t)value;
    return 0;
}

static int take_option(struct request *r, const char *name, const char *text)
{
    struct block_config *c = &r->config;
    if (!text)
        return usage("a value must follow", name);
    if (strcmp(name, "--sequence") == 0)
        return take_number(&c->sequence, name, text);
    if (strcmp(name, "--width") == 0)
        return take_number(&c->width, name, text);
    if (strcmp(name, "--heads") == 0)
        return take_number(&c->heads, name, text);
    if (strcmp(name, "--hidden") == 0)
        return take_number(&c->hidden, name, text);
    if (strcmp(name, "--type") == 0)
        return sam_dtype_parse(text, &c->type) ? 0 : usage("no type", text);
    if (strcmp(name, "--ocr") == 0)
        r->ocr = text;
    else if (strcmp(name, "--write") == 0)
        r->write = text;
    else
        return usage("unknown option", name);
    return 0;
}

int main(int argc, char **argv)
{
    struct request r = {.config = {.sequence = 128,
                                   .width = 256,
                                   .heads = 8,
                                   .type = SAM_F32,
                                   .slope = BLOCK_GELU_SLOPE,
                                   .cubic = BLOCK_GELU_CUBIC,
                                   .eps = 1e-5}};
    int code = 0;
    for (int i = 1; i < argc && code == 0; i += 2) {
        if (strcmp(argv[i], "--help") == 0)
            return fputs(help, stdout) < 0;
        code = take_option(&r, argv[i], argv[i + 1]);
    }
    if (r.config.hidden == 0)
        r.config.hidden = 4 * r.config.width;
    return code == 0 ? execute(&r) : code;
}
