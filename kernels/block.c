/* SPDX-License-Identifier: Apache-2.0 */
/* block: run a block of a transformer, kernels/tile/block.pto or block_f16.pto, and check its
 * results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_run.h"
#include "command.h"

static const char help[] =
    "Usage: block [options]\n"
    "\n"
    "Make the weights of a block of a transformer and tokens from a fixed seed, pack the weights, "
    "run\n"
    "kernels/tile/block.pto on the system (hart, weight unit, TensorLoad, matrix unit, GPU), and\n"
    "compare the result with plain C in double precision.\n"
    "\n"
    "  --sequence N      tokens (128)\n"
    "  --width N         of a token, at most 512 (256)\n"
    "  --heads N         a divisor of the width, at most 64 elements per head (8)\n"
    "  --hidden N        width of the MLP (4 times the width)\n"
    "  --type TYPE       of the weights: bf16, which is widened, f32, or f16: all operands of "
    "products\n"
    "                    are then f16, kernels/tile/block_f16.pto (bf16)\n"
    "  --ocr FILE        not from the seed: the two blocks of the recognition model of PP-OCRv4, "
    "one\n"
    "                    after the other, converted by `samite convert` (120 wide)\n"
    "  --write FILE      only write the weights, as safetensors\n"
    "  --emit DIR        write the lowered program to a folder, which must exist; with --ocr "
    "the\n"
    "                    first block\n"
    "\n"
    "  --window          pack the weights as windows, as samite pack --planes=window does\n"
    "  --raw             weights that are not packed, as arrays\n"
    "  --host            on the executor of tile programs instead of the system\n"
    "  --check-races     fail if the program uses results before it has waited for them\n"
    "  --cycles          count cycles\n"
    "  --config KEY=N,.. the same with other parameters, as samite run --machine system\n"
    "\n"
    "Exit code: 0 success, 1 wrong result or trap, 2 bad usage or input.\n"
    "Example: block --sequence 64 --width 512\n";

enum { OCR_BLOCKS = 2 };

struct request {
    struct block_config config;
    struct block_system how;
    struct sam_system_config *cycles; /* or NULL */
    const char *ocr, *write;
    bool host, raw, window;
};

static int usage(const char *what, const char *text)
{
    return kernel_usage("block", what, text);
}

static int fail(const struct sam_error *error, enum sam_status status)
{
    return kernel_fail("block", error, status);
}

static int write_file(const struct block *blocks, size_t count, const char *path)
{
    struct sam_error error = {0};
    char *data = NULL;
    size_t size;
    const enum sam_status status = block_file(blocks, count, &data, &size, &error);
    if (status != SAM_OK)
        return free(data), fail(&error, status);
    const int code = kernel_write(path, data, size);
    free(data);
    return code;
}

static void print_shape(const struct block *b, size_t number)
{
    const struct block_config *c = &b->config;
    printf("block %zu: %u tokens x %u, %u heads, MLP of %u, weights of %s\n", number, c->sequence,
           c->width, c->heads, c->hidden, sam_dtype_name(c->type));
}

/* Run one on the system, with its weights packed or not, and report its cycles if they are
 * counted. The folder of --emit is for the first one. */
static enum sam_status run_lowered(struct block *b, const struct request *r, size_t number,
                                   struct sam_error *error)
{
    struct block_system how = r->how;
    struct block_figures figures = {0};
    struct sam_system_timing timing = {.size = sizeof timing, .config = r->cycles};
    void *packed = NULL;
    char *text = NULL, *file = NULL;
    size_t size = 0;
    how.timing = r->cycles ? &timing : NULL;
    how.emit = number == 0 ? how.emit : NULL;
    enum sam_status status = SAM_OK;
    if (!r->raw) {
        status = block_file(b, 1, &file, &size, error);
        if (status == SAM_OK)
            status = block_pack(b, 1, r->window, &packed, &how.packed_size, error);
        if (status == SAM_OK)
            printf("weights: %zu bytes, packed %zu (%.1f %%)\n", size, how.packed_size,
                   100.0 * (double)how.packed_size / (double)size);
    }
    how.packed = packed;
    if (status == SAM_OK)
        status = block_lowered(b, block_source(&b->config), &how, &figures, error);
    if (status == SAM_OK && figures.figures)
        status = sam_system_report(figures.figures, NULL, SAM_SYSTEM_TEXT, &text, error);
    if (status == SAM_OK && text)
        fputs(text, stdout);
    sam_text_free(text);
    block_figures_free(&figures);
    free(packed);
    free(file);
    return status;
}

/* Run the blocks one after another, and check each for its actual inputs. */
static int run(const struct request *r, struct block *blocks, size_t count)
{
    struct sam_error error = {0};
    for (size_t i = 0; i < count; i++) {
        struct block *b = &blocks[i];
        struct block_result result;
        print_shape(b, i);
        enum sam_status status = r->host ? block_execute(b, block_source(&b->config), &error)
                                         : run_lowered(b, r, i, &error);
        if (status == SAM_OK)
            status = block_verify(b, &result, &error);
        if (status != SAM_OK)
            return fail(&error, status);
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
        code = r->write ? write_file(blocks, count, r->write) : run(r, blocks, count);
    for (size_t i = 0; i < count; i++)
        block_free(&blocks[i]);
    return code;
}

static int take_number(uint32_t *number, const char *name, const char *text)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value == 0 || value > 1 << 16) {
        fprintf(stderr, "block: error: %s '%s': expected 1 to 65536 (block --help)\n", name, text);
        return 2;
    }
    *number = (uint32_t)value;
    return 0;
}

static int ask_for_cycles(struct request *r, const char *text)
{
    struct sam_error error;
    const enum sam_status status = kernel_cycles(&r->cycles, text, &error);
    return status == SAM_OK ? 0 : fail(&error, status);
}

/* Take an option without a value. Returns false if it is another one. */
static bool take_switch(struct request *r, const char *name, int *code)
{
    *code = 0;
    if (strcmp(name, "--raw") == 0)
        r->raw = true;
    else if (strcmp(name, "--host") == 0)
        r->host = true;
    else if (strcmp(name, "--window") == 0)
        r->window = true;
    else if (strcmp(name, "--check-races") == 0)
        r->how.check_races = true;
    else if (strcmp(name, "--cycles") == 0)
        *code = ask_for_cycles(r, NULL);
    else
        return false;
    return true;
}

static int take_option(struct request *r, const char *name, const char *text)
{
    static const char *const names[] = {"--sequence", "--width", "--heads", "--hidden", "--config",
                                        "--type",     "--ocr",   "--write", "--emit"};
    struct block_config *c = &r->config;
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known |= strcmp(name, names[i]) == 0;
    if (!known || !text)
        return usage(known ? "a value must follow" : "unknown option", name);
    if (strcmp(name, "--sequence") == 0)
        return take_number(&c->sequence, name, text);
    if (strcmp(name, "--width") == 0)
        return take_number(&c->width, name, text);
    if (strcmp(name, "--heads") == 0)
        return take_number(&c->heads, name, text);
    if (strcmp(name, "--hidden") == 0)
        return take_number(&c->hidden, name, text);
    if (strcmp(name, "--config") == 0)
        return ask_for_cycles(r, text);
    if (strcmp(name, "--type") == 0)
        return sam_dtype_parse(text, &c->type) ? 0 : usage("--type: no type", text);
    if (strcmp(name, "--ocr") == 0)
        r->ocr = text;
    else if (strcmp(name, "--write") == 0)
        r->write = text;
    else
        r->how.emit = text;
    return 0;
}

static int command(int argc, char **argv)
{
    struct request r = {.config = {.sequence = 128,
                                   .width = 256,
                                   .heads = 8,
                                   .type = SAM_BF16,
                                   .slope = BLOCK_GELU_SLOPE,
                                   .cubic = BLOCK_GELU_CUBIC,
                                   .eps = 1e-5}};
    int code = 0;
    for (int i = 1; i < argc && code == 0;) {
        const char *name = argv[i++];
        if (strcmp(name, "--help") == 0)
            return fputs(help, stdout), 0;
        if (!take_switch(&r, name, &code))
            code = take_option(&r, name, argv[i++]);
    }
    if (r.config.hidden == 0)
        r.config.hidden = 4 * r.config.width;
    if (code == 0)
        code = execute(&r);
    sam_system_config_free(r.cycles);
    return code;
}

int main(int argc, char **argv)
{
    return kernel_finish("block", command(argc, argv));
}
