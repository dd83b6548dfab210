/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/llm: logits close to double precision, the same bits on the executor and on the system
 * with raw and packed weights, and files that are not models. */
#include "test.h"

#include "folder.h"
#include <llm.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MODEL        MODEL_DIR "/kjv.safetensors"

/* Heads of 32 and 64, gates and cache on both sides of what one product or piece takes. */
static const struct llm_shape shapes[] = {
    {.width = 64,
     .layers = 2,
     .heads = 2,
     .hidden = 96,
     .vocabulary = 32,
     .context = 16,
     .positions = 64},
    {.width = 128,
     .layers = 1,
     .heads = 2,
     .hidden = 448,
     .vocabulary = 80,
     .context = 32,
     .positions = 40},
    {.width = 192,
     .layers = 2,
     .heads = 6,
     .hidden = 64,
     .vocabulary = 16,
     .context = 48,
     .positions = 64},
};

static uint32_t likeliest(const double *logits, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

/* Compare the logits of a run with the expected ones. */
static void check_logits(const struct llm_run *run, const double *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const double found = (double)llm_run_logits(run)[i];
        if (!(fabs(found - expected[i]) <= LLM_TOLERANCE))
            fail_msg("logit %u is %g, expected %g", i, found, expected[i]);
    }
}

/* Greedy text from token 1 on: on the executor against the reference, and at some positions on the
 * system, with the same bits. */
static void check_text(const struct llm *llm, uint32_t length, uint32_t step)
{
    const uint32_t count = llm->shape.vocabulary;
    struct llm_run_options how[3] = {{.check_races = true, .system = true},
                                     {.check_races = true, .system = true},
                                     {.check_races = true, .system = true}};
    const struct llm_run_options host = {0};
    struct llm_run *run, *system[COUNT(how)];
    struct llm_reference *reference = llm_reference_new(llm);
    FREED double *expected = calloc(count, sizeof *expected);
    void *packed[COUNT(how)] = {0};
    size_t raw;
    assert_true(reference && expected);
    succeeds(llm_run_new, llm, &host, &run);
    for (size_t i = 0; i < COUNT(how); i++) {
        if (i > 0)
            succeeds(llm_pack, llm, i == 2, &packed[i], &how[i].packed_size, &raw);
        how[i].packed = packed[i];
        succeeds(llm_run_new, llm, &how[i], &system[i]);
    }
    uint32_t token = 1;
    for (uint32_t position = 0; position < length; position++) {
        for (size_t i = 0; position % step == 0 && i < COUNT(how); i++) {
            llm_run_continue(system[i], run);
            succeeds(llm_run_step, system[i], token, position);
        }
        succeeds(llm_run_step, run, token, position);
        llm_reference_step(reference, token, position, expected);
        check_logits(run, expected, count);
        for (size_t i = 0; position % step == 0 && i < COUNT(how); i++)
            assert_memory_equal(llm_run_logits(system[i]), llm_run_logits(run),
                                count * sizeof(float));
        token = likeliest(expected, count);
        for (uint32_t i = 0; i < count; i++)
            if ((double)llm_run_logits(run)[i] >
                (double)llm_run_logits(run)[token] + 2 * LLM_TOLERANCE)
                fail_msg("position %u: token %u, expected %u", position, i, token);
    }
    for (size_t i = 0; i < COUNT(how); i++) {
        llm_run_free(system[i]);
        free(packed[i]);
    }
    llm_run_free(run);
    llm_reference_free(reference);
}

TEST(test_shapes)
{
    static const enum sam_dtype types[] = {SAM_F16, SAM_BF16, SAM_E5M2};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        SCOPED(llm) llm;
        succeeds(llm_make, &llm, &shapes[i], types[i], i);
        check_text(&llm, shapes[i].context + 6, 9); /* the cache starts again */
    }
}

TEST(test_model)
{
    static const enum sam_dtype types[] = {SAM_F16, SAM_BF16, SAM_E5M2};
    for (size_t i = 0; i < COUNT(types); i++) {
        SCOPED(llm) llm;
        succeeds(llm_read, &llm, MODEL, types[i]);
        assert_int_equal(llm_token(&llm, llm.charset[5]), 5);
        assert_int_equal(llm_token(&llm, '\r'), -1);
        check_text(&llm, 20, 17);
    }
}

/* A reference of other weights is not matched. */
TEST(test_mutant)
{
    SCOPED(llm) llm;
    const struct llm_run_options host = {0};
    struct llm_run *run;
    double expected[32], most = 0;
    succeeds(llm_make, &llm, &shapes[0], SAM_F16, 3);
    succeeds(llm_run_new, &llm, &host, &run);
    for (uint32_t i = 0; i < shapes[0].width; i++) /* a row of queries */
        llm.weights[i] = -llm.weights[i];
    struct llm_reference *reference = llm_reference_new(&llm);
    for (uint32_t position = 0; position < 12; position++) {
        succeeds(llm_run_step, run, position, position);
        llm_reference_step(reference, position, position, expected);
        for (uint32_t i = 0; i < 32; i++)
            most = fmax(most, fabs(expected[i] - (double)llm_run_logits(run)[i]));
    }
    assert_true(most > LLM_TOLERANCE);
    llm_reference_free(reference);
    llm_run_free(run);
}

/* kernels/tile/llm_step.pto is what the command prints for the model. */
TEST(test_program)
{
    SCOPED(llm) llm;
    struct sam_error error = {0};
    FREED char *file, *text;
    size_t size;
    succeeds(llm_read, &llm, MODEL, SAM_F16);
    text = llm_program(&llm, &error);
    assert_non_null(text);
    succeeds(sam_file_load, KERNEL_DIR "/tile/llm_step.pto", 1 << 20, &file, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(file, text, size);
}

TEST(test_refused)
{
    struct llm llm;
    struct sam_error error = {0};
    struct llm_shape shape = shapes[0];
    shape.heads = 3;
    must_refuse(llm_make(&llm, &shape, SAM_F16, 1, &error), &error, "no room");
    llm_free(&llm);
    shape = shapes[0];
    shape.context = 8;
    must_refuse(llm_make(&llm, &shape, SAM_F16, 1, &error), &error, "no room");
    llm_free(&llm);
    must_refuse(llm_make(&llm, &shapes[0], SAM_I8, 1, &error), &error, "f16, bf16 or e5m2");
    llm_free(&llm);
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* Files with a word changed, and cut ones. */
TEST(test_damaged)
{
    static const char *const words[][3] = {
        {"\"charset\"", "\"charxet\"", "metadata"},
        {"\"heads\":\"4\"", "\"heads\":\"5\"", "tensors embed"},
        {"\"context\":\"", "\"cantext\":\"", "metadata"},
        {"\"layers.1.out\"", "\"layers.1.oot\"", "no tensor layers.1.out"},
        {"\"embed\"", "\"ambed\"", "tensors embed"},
        {"\"head\"", "\"haad\"", "no tensor head"},
    };
    struct llm llm;
    struct sam_error error = {0};
    const char *path = test_path("model.safetensors");
    FREED char *file = NULL;
    size_t size;
    succeeds(sam_file_load, MODEL, 4 << 20, &file, &size);
    for (size_t i = 0; i < COUNT(words); i++) {
        const size_t length = strlen(words[i][0]);
        size_t at = 0;
        while (at + length < 8192 && memcmp(file + at, words[i][0], length) != 0)
            at++;
        assert_true(at + length < 8192);
        memcpy(file + at, words[i][1], length);
        write_file(path, file, size);
        assert_int_equal(llm_read(&llm, path, SAM_F16, &error), SAM_ERR_INPUT);
        llm_free(&llm);
        if (!strstr(error.text, words[i][2]))
            fail_msg("no '%s' in: %s", words[i][2], error.text);
        memcpy(file + at, words[i][0], length);
    }
    for (size_t cut = 0; cut < size; cut += 1 + cut / 2) {
        write_file(path, file, cut);
        assert_int_not_equal(llm_read(&llm, path, SAM_F16, &error), SAM_OK);
        llm_free(&llm);
    }
}

TEST_GROUP(test_folder_make, test_folder_remove)
