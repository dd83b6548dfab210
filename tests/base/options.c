/* SPDX-License-Identifier: Apache-2.0 */
/* Options from callers compiled against other releases. */
#include "test.h"

#include "samite/samite.h"

/* The options of this release: the first release had no `later`. */
struct options {
    size_t size;
    uint32_t first;
    uint32_t later;
};

struct newer {
    size_t size;
    uint32_t first;
    uint32_t later;
    uint64_t unknown;
};

enum { FIRST = offsetof(struct options, later) };

TEST(no_options_are_zeros)
{
    struct options taken = {9, 9, 9};
    assert_int_equal(sam_options_take(&taken, sizeof taken, FIRST, NULL, NULL), SAM_OK);
    assert_int_equal(taken.first + taken.later, 0);
}

/* A caller that sets no size has no later fields: bytes after the options are not read. */
TEST(size_zero_is_the_first_release)
{
    const struct options given = {0, 7, 8};
    struct options taken;
    assert_int_equal(sam_options_take(&taken, sizeof taken, FIRST, &given, NULL), SAM_OK);
    assert_int_equal(taken.first, 7);
    assert_int_equal(taken.later, 0);
}

TEST(own_size)
{
    const struct options given = {sizeof given, 7, 8};
    struct options taken;
    assert_int_equal(sam_options_take(&taken, sizeof taken, FIRST, &given, NULL), SAM_OK);
    assert_int_equal(taken.first, 7);
    assert_int_equal(taken.later, 8);
}

TEST(newer_caller)
{
    struct newer given = {sizeof given, 7, 8, 0};
    struct options taken;
    struct sam_error error;
    succeeds(sam_options_take, &taken, sizeof taken, FIRST, &given);
    assert_int_equal(taken.later, 8);
    given.unknown = 1;
    assert_int_equal(sam_options_take(&taken, sizeof taken, FIRST, &given, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "options of 24 bytes, with byte 16 set: this library knows 16");
}

TEST(too_small)
{
    const struct options given = {4, 7, 8};
    struct options taken;
    assert_int_equal(sam_options_take(&taken, sizeof taken, FIRST, &given, NULL), SAM_ERR_USAGE);
}

/* Every public function with options checks their size. */
TEST(public_functions)
{
    struct sam_gpu *gpu = NULL;
    struct sam_hart *hart = NULL;
    struct sam_tile_core *core = NULL;
    struct sam_image *image;
    SCOPED_TEXT *messages;
    const size_t small = 3;
    const struct sam_codec_options codec = {.size = small};
    struct sam_weight_stat stat;
    struct sam_packed *packed;
    assert_int_equal(sam_gpu_new(&(struct sam_gpu_options){.size = small}, &gpu, NULL),
                     SAM_ERR_USAGE);
    assert_int_equal(sam_hart_new(&(struct sam_hart_options){.size = small}, &hart, NULL),
                     SAM_ERR_USAGE);
    assert_int_equal(sam_tile_core_new(&(struct sam_tile_options){.size = small}, &core, NULL),
                     SAM_ERR_USAGE);
    assert_int_equal(sam_assemble(&(struct sam_asm_options){.size = small}, "text", "", 0, &image,
                                  &messages, NULL),
                     SAM_ERR_USAGE);
    assert_int_equal(sam_packed_open("", 0, &codec, &packed, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_weight_stat((enum sam_dtype)0, "", 0, &codec, &stat, NULL), SAM_ERR_USAGE);
    assert_int_equal(
        sam_gpu_new(&(struct sam_gpu_options){.size = sizeof(struct sam_gpu_options)}, &gpu, NULL),
        SAM_OK);
    sam_gpu_free(gpu);
}
