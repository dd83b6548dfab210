/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/tile_programs.h"

struct array {
    enum sam_dtype dtype;
    size_t rows, cols; /* rows 0: one dimension */
};

struct program {
    const char *name;
    struct array arrays[4]; /* of the arguments, in order; ended by dtype 0 without columns */
    int64_t scalars[2];     /* after them; 0: none */
};

static const struct program programs[] = {
    {"argmin", {{SAM_F32, 16, 64}, {SAM_I32, 0, 16}}, {0}},
    {"batch_min", {{SAM_F32, 24, 32}, {SAM_F32, 0, 32}}, {0}},
    {"colmax", {{SAM_F32, 32, 32}, {SAM_F32, 0, 32}}, {0}},
    {"colmin", {{SAM_F32, 32, 32}, {SAM_F32, 1, 32}}, {0}},
    {"colmin_large", {{SAM_F32, 1024, 2048}, {SAM_F32, 0, 2048}}, {0}},
    {"colsum", {{SAM_F32, 32, 32}, {SAM_F32, 0, 32}}, {0}},
    {"double_buffer", {{SAM_F32, 512, 64}, {SAM_F32, 0, 64}}, {0}},
    {"dynamic", {{SAM_F32, 0, 7 * 33}, {SAM_F32, 0, 64}}, {7, 33}},
    {"dynamic", {{SAM_F32, 0, 64 * 64}, {SAM_F32, 0, 64}}, {64, 64}},
    {"fillpad_min", {{SAM_F32, 15, 250}, {SAM_F32, 0, 256}}, {0}},
    {"layernorm", {{SAM_F32, 16, 64}, {SAM_F32, 0, 64}, {SAM_F32, 0, 64}, {SAM_F32, 16, 64}}, {0}},
    {"leaky_select", {{SAM_F32, 16, 64}, {SAM_F32, 16, 64}}, {0}},
    {"matmul_bias_relu",
     {{SAM_F16, 32, 64}, {SAM_F16, 64, 48}, {SAM_F32, 0, 48}, {SAM_F32, 32, 48}},
     {0}},
    {"matmul_blocked", {{SAM_BF16, 32, 256}, {SAM_BF16, 256, 32}, {SAM_F32, 32, 32}}, {0}},
    {"quantize", {{SAM_F32, 32, 64}, {SAM_I8, 32, 64}}, {0}},
    {"ramp", {{SAM_I32, 0, 64}}, {0}},
    {"rmsnorm", {{SAM_F32, 16, 64}, {SAM_F32, 0, 64}, {SAM_F32, 16, 64}}, {0}},
    {"rowsum_large", {{SAM_F32, 256, 1024}, {SAM_F32, 0, 256}}, {0}},
    {"sigmoid", {{SAM_F32, 16, 64}, {SAM_F32, 16, 64}}, {0}},
    {"softmax", {{SAM_F32, 16, 64}, {SAM_F32, 16, 64}}, {0}},
    {"swap_halves", {{SAM_F32, 16, 64}, {SAM_F32, 16, 64}}, {0}},
    {"transpose", {{SAM_F32, 32, 64}, {SAM_F32, 64, 32}}, {0}},
    {"window", {{SAM_F32, 32, 64}, {SAM_F32, 0, 32}}, {0}},
};

/* Without a function: their inputs and outputs. */
static const char *const bare[] = {"tcolmin-dps", "tcolmin-flat", "tcolmin-ssa"};

static const char *load(const char *name)
{
    char path[1024], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/kernels/tile/%s.pto", getenv("SAMITE_SOURCE"), name);
    if (sam_file_load(path, 1 << 20, &text, &size, NULL) != SAM_OK)
        fail_msg("%s", path);
    return text;
}

static void open_program(const struct program *p, struct lowered *x)
{
    x->name = p->name;
    for (size_t i = 0; i < SAM_COUNT(p->arrays) && p->arrays[i].cols; i++)
        lowered_random(x, p->arrays[i].dtype, p->arrays[i].rows, p->arrays[i].cols);
    for (size_t i = 0; i < SAM_COUNT(p->scalars) && p->scalars[i]; i++)
        lowered_scalar(x, SAM_I64, (uint64_t)p->scalars[i]);
}

static void open_bare(const char *name, struct lowered *x)
{
    x->name = name;
    lowered_random(x, SAM_F32, 16, 16);
    lowered_name(x, "src", false);
    lowered_array(x, SAM_F32, 1, 16);
    lowered_name(x, "dst", true);
}

/* A transformer block in which only some columns and rows fill whole blocks. */
static void open_block(struct lowered *x)
{
    enum { TOKENS = 35, WIDTH = 24, HEADS = 3, HIDDEN = 45, WIDE = 3 * WIDTH };
    static const struct array arrays[] = {
        {SAM_F32, TOKENS, WIDTH},                           /* x */
        {SAM_F32, 0, WIDTH},      {SAM_F32, 0, WIDTH},      /* norm */
        {SAM_F32, WIDTH, WIDE},   {SAM_F32, 0, WIDE},       /* queries, keys, values */
        {SAM_F32, WIDTH, WIDTH},  {SAM_F32, 0, WIDTH},      /* project */
        {SAM_F32, 0, WIDTH},      {SAM_F32, 0, WIDTH},      /* norm */
        {SAM_F32, WIDTH, HIDDEN}, {SAM_F32, 0, HIDDEN},     /* up */
        {SAM_F32, HIDDEN, WIDTH}, {SAM_F32, 0, WIDTH},      /* down */
        {SAM_F32, TOKENS, WIDTH}, {SAM_F32, TOKENS, WIDE},  /* scratch */
        {SAM_F32, 64, 128},       {SAM_F32, TOKENS, WIDTH}, /* scratch, y */
    };
    static const uint64_t sizes[] = {TOKENS, WIDTH, HEADS, HIDDEN};
    static const float factors[] = {1.0f / WIDTH, 1e-5f, 0.35355338f, 1.5957691f, 0.071354814f};
    x->name = "block";
    for (size_t i = 0; i < SAM_COUNT(arrays); i++) {
        const struct sam_array *a = lowered_array(x, SAM_F32, arrays[i].rows, arrays[i].cols);
        for (size_t k = 0; k < a->count; k++)
            ((float *)a->data)[k] = (float)test_below(&x->seed, 4001) / 8000 - 0.25f;
    }
    for (size_t i = 0; i < SAM_COUNT(sizes); i++)
        lowered_scalar(x, SAM_I64, sizes[i]);
    for (size_t i = 0; i < SAM_COUNT(factors); i++) {
        uint32_t bits;
        memcpy(&bits, &factors[i], sizeof bits);
        lowered_scalar(x, SAM_F32, bits);
    }
}

bool tile_program_open(size_t index, uint64_t seed, struct lowered *x)
{
    *x = (struct lowered){.seed = seed};
    if (index < SAM_COUNT(programs))
        open_program(&programs[index], x);
    else if (index - SAM_COUNT(programs) < SAM_COUNT(bare))
        open_bare(bare[index - SAM_COUNT(programs)], x);
    else if (index == SAM_COUNT(programs) + SAM_COUNT(bare))
        open_block(x);
    else
        return false;
    x->text = load(x->name);
    return true;
}

void tile_program_close(struct lowered *x)
{
    lowered_free(x);
    free((char *)x->text);
}
