/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of ops.h. */

#include "test.h"

#include "samite/isa.h"
#include "samite/ops.h"

static const struct sam_shape good = {2, {4, 4}};
static const unsigned swapped[SAM_MAX_RANK] = {1, 0};
static const uint64_t none[SAM_MAX_RANK];
static const struct sam_im2col window = {{1, 1}, {1, 1}, {1, 1}, {0}, false};

/* Arguments that every operator must reject, setting the plan to NULL. */
#define REFUSES_PLAN(function, ...)                                                                \
    do {                                                                                           \
        plan = (struct sam_plan *)1;                                                               \
        refuses(function, __VA_ARGS__, &plan);                                                     \
        assert_null(plan);                                                                         \
    } while (0)

TEST(null_arguments)
{
    const uint8_t keep[4] = {1};
    struct sam_plan *plan;
    REFUSES_PLAN(sam_plan_reshape, NULL, 4, &good);
    REFUSES_PLAN(sam_plan_reshape, &good, 4, NULL);
    refuses(sam_plan_reshape, &good, 4, &good, NULL);
    REFUSES_PLAN(sam_plan_transpose, NULL, 4, swapped);
    REFUSES_PLAN(sam_plan_transpose, &good, 4, NULL);
    refuses(sam_plan_transpose, &good, 4, swapped, NULL);
    REFUSES_PLAN(sam_plan_concat, NULL, 1, 4, 0);
    refuses(sam_plan_concat, &good, 1, 4, 0, NULL);
    REFUSES_PLAN(sam_plan_compress, NULL, 4, 0, keep);
    REFUSES_PLAN(sam_plan_compress, &good, 4, 0, NULL);
    refuses(sam_plan_compress, &good, 4, 0, keep, NULL);
    REFUSES_PLAN(sam_plan_pad, NULL, 4, none, none, NULL);
    REFUSES_PLAN(sam_plan_pad, &good, 4, NULL, none, NULL);
    REFUSES_PLAN(sam_plan_pad, &good, 4, none, NULL, NULL);
    refuses(sam_plan_pad, &good, 4, none, none, NULL, NULL);
    REFUSES_PLAN(sam_plan_im2col, NULL, 4, &window);
    REFUSES_PLAN(sam_plan_im2col, &good, 4, NULL);
    refuses(sam_plan_im2col, &good, 4, &window, NULL);
    sam_plan_free(NULL);
}

/* Shapes and elements that every operator rejects. */
TEST(shapes)
{
    const uint8_t keep[4] = {1};
    const struct sam_shape bad[] = {
        {9, {1}},
        {UINT32_MAX, {1}},
        {2, {UINT64_MAX, 1}},
        {2, {UINT64_C(1) << 32, UINT64_C(1) << 32}},
        {2, {UINT64_C(1) << 63, 2}},
    };
    const unsigned elements[] = {0, 3, 32, UINT32_MAX};
    struct sam_plan *plan;
    for (size_t i = 0; i < SAM_COUNT(bad) + SAM_COUNT(elements); i++) {
        const bool is_shape = i < SAM_COUNT(bad);
        const struct sam_shape *shape = is_shape ? &bad[i] : &good;
        const unsigned element = is_shape ? 4 : elements[i - SAM_COUNT(bad)];
        REFUSES_PLAN(sam_plan_reshape, shape, element, &good);
        REFUSES_PLAN(sam_plan_reshape, &good, element, shape);
        REFUSES_PLAN(sam_plan_transpose, shape, element, swapped);
        REFUSES_PLAN(sam_plan_concat, shape, 1, element, 0);
        REFUSES_PLAN(sam_plan_compress, shape, element, 0, keep);
        REFUSES_PLAN(sam_plan_pad, shape, element, none, none, NULL);
        REFUSES_PLAN(sam_plan_im2col, shape, element, &window);
    }
}

TEST(parameters)
{
    const struct sam_shape image = {4, {1, 4, 4, 4}};
    const unsigned twice[SAM_MAX_RANK] = {1, 1}, outside[SAM_MAX_RANK] = {0, UINT32_MAX};
    const uint64_t huge[SAM_MAX_RANK] = {UINT64_MAX, 0};
    const uint8_t keep[4] = {1};
    struct sam_plan *plan;
    REFUSES_PLAN(sam_plan_transpose, &good, 4, twice);
    REFUSES_PLAN(sam_plan_transpose, &good, 4, outside);
    REFUSES_PLAN(sam_plan_concat, &good, 0, 4, 0);
    REFUSES_PLAN(sam_plan_concat, &good, 65, 4, 0);
    REFUSES_PLAN(sam_plan_concat, &good, SIZE_MAX, 4, 0);
    REFUSES_PLAN(sam_plan_concat, &good, 1, 4, 2);
    REFUSES_PLAN(sam_plan_concat, &good, 1, 4, UINT32_MAX);
    REFUSES_PLAN(sam_plan_compress, &good, 4, UINT32_MAX, keep);
    REFUSES_PLAN(sam_plan_pad, &good, 4, huge, none, NULL);
    REFUSES_PLAN(sam_plan_pad, &good, 4, none, huge, NULL);
    for (unsigned i = 0; i < 8; i++) {
        struct sam_im2col bad = window;
        switch (i) {
        case 0: bad.kernel[0] = 0; break;
        case 1: bad.kernel[1] = UINT64_MAX; break;
        case 2: bad.stride[0] = 0; break;
        case 3: bad.stride[1] = UINT64_MAX; break;
        case 4: bad.dilation[0] = 0; break;
        case 5: bad.dilation[1] = UINT64_MAX; break;
        case 6: bad.pad[0] = UINT64_MAX; break;
        default: bad.pad[3] = UINT64_C(1) << 63; break;
        }
        REFUSES_PLAN(sam_plan_im2col, &image, 4, &bad);
    }
    assert_non_null(
        strstr(refusal.text, " and 9223372036854775808: expected a kernel of 1 to 256"));
}

TEST(runs)
{
    struct sam_plan *plan;
    uint8_t in[64] = {0}, out[64];
    const void *const inputs[] = {in}, *const nothing[] = {NULL};
    uint64_t address[1], at;
    SCOPED_TEXT *text = (char *)1;
    assert_int_equal(sam_plan_transpose(&good, 4, swapped, &plan, NULL), SAM_OK);
    refuses(sam_plan_run, NULL, inputs, out, NULL);
    refuses(sam_plan_run, plan, NULL, out, NULL);
    refuses(sam_plan_run, plan, nothing, out, NULL);
    refuses(sam_plan_run, plan, inputs, NULL, NULL);
    refuses(sam_plan_run, plan, inputs, out, (&(struct sam_plan_options){.size = 5}));
    struct sam_engines_config engines = {0};
    refuses(sam_plan_run, plan, inputs, out, (&(struct sam_plan_options){.engines = &engines}));
    assert_int_equal(sam_plan_run(plan, inputs, out, NULL, NULL), SAM_OK);
    assert_int_equal(sam_plan_scratch(plan), 0);
    sam_plan_addresses(plan, address, &at);
    refuses(sam_plan_routine, NULL, "f", address, at, &text);
    assert_null(text);
    refuses(sam_plan_routine, plan, NULL, address, at, &text);
    refuses(sam_plan_routine, plan, "f", NULL, at, &text);
    refuses(sam_plan_routine, plan, "f", address, at, NULL);
    static const char *const names[] = {"", "9", "a b", "a.b", "\xc3\xa9"};
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        refuses(sam_plan_routine, plan, names[i], address, at, &text);
    refuses(sam_plan_describe, NULL, &text);
    assert_null(text);
    refuses(sam_plan_describe, plan, NULL);
    sam_plan_addresses(plan, address, &at);
    refuses(sam_plan_program, NULL, address, at, &text);
    refuses(sam_plan_program, plan, NULL, at, &text);
    refuses(sam_plan_program, plan, address, at, NULL);
    address[0] = UINT64_MAX;
    assert_int_equal(sam_plan_program(plan, address, UINT64_MAX, &text, NULL), SAM_OK);
    struct sam_plan_figures figures;
    sam_plan_count(plan, &figures);
    assert_int_equal(figures.bytes_loaded, 64);
    assert_int_equal(sam_plan_shape(plan)->rank, 2);
    sam_plan_free(plan);
}
