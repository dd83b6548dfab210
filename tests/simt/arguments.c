/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of gpu.h. */
#include "program.h"

#include "test.h"

TEST(options)
{
    struct sam_gpu *gpu;
    const struct sam_gpu_options bad[] = {
        {.schedule = (enum sam_schedule)2},
        {.schedule = (enum sam_schedule) - 1},
        {.jobs = UINT32_MAX},
        {.sv39 = true, .ptbr = 1},
        {.size = 5},
    };
    refuses(sam_gpu_new, NULL, NULL);
    assert_int_equal(sam_gpu_new(NULL, &gpu, NULL), SAM_OK);
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        struct sam_gpu *other = (struct sam_gpu *)1;
        refuses(sam_gpu_new, &bad[i], &other);
        assert_null(other);
        refuses(sam_gpu_set_options, gpu, &bad[i]);
    }
    refuses(sam_gpu_set_options, NULL, NULL);
    assert_int_equal(sam_gpu_set_options(gpu, NULL, NULL), SAM_OK);
    sam_gpu_free(gpu);
    sam_gpu_free(NULL);
}

TEST(memory)
{
    struct sam_gpu *gpu;
    uint32_t address;
    uint8_t byte = 0;
    assert_int_equal(sam_gpu_new(NULL, &gpu, NULL), SAM_OK);
    refuses(sam_gpu_alloc, NULL, 4, &address);
    refuses(sam_gpu_alloc, gpu, 4, NULL);
    refuses(sam_gpu_alloc, gpu, UINT32_MAX, &address);
    assert_int_equal(sam_gpu_alloc(gpu, 0, &address, NULL), SAM_OK);
    uint32_t pages = 0;
    refuses(sam_gpu_alloc_pages, NULL, 1, &pages);
    refuses(sam_gpu_alloc_pages, gpu, 1, NULL);
    refuses(sam_gpu_alloc_pages, gpu, 0, &pages);
    refuses(sam_gpu_alloc_pages, gpu, UINT64_C(1) << 32, &pages);
    assert_int_equal(pages, 0);
    refuses(sam_gpu_map, NULL, 0, 4);
    refuses(sam_gpu_map, gpu, 4, UINT64_MAX);
    refuses(sam_gpu_map, gpu, UINT32_MAX, 2);
    refuses(sam_gpu_map, gpu, SAM_LDS_BASE - 1, 2);
    assert_int_equal(sam_gpu_map(gpu, UINT32_MAX, 1, NULL), SAM_OK);
    assert_int_equal(sam_gpu_map(gpu, UINT32_MAX, 0, NULL), SAM_OK);
    refuses(sam_gpu_alloc, gpu, UINT32_MAX - SAM_BUFFER_BASE, &address); /* nor past the end */
    refuses(sam_gpu_write, NULL, UINT32_MAX, &byte, 1);
    refuses(sam_gpu_write, gpu, UINT32_MAX, NULL, 1);
    refuses(sam_gpu_write, gpu, UINT32_MAX, &byte, 2);
    refuses(sam_gpu_write, gpu, UINT32_MAX, &byte, SIZE_MAX);
    refuses(sam_gpu_read, NULL, UINT32_MAX, &byte, 1);
    refuses(sam_gpu_read, gpu, UINT32_MAX, &byte, SIZE_MAX);
    refuses(sam_gpu_read, gpu, 0, NULL, 1);
    assert_int_equal(sam_gpu_read(gpu, UINT32_MAX, NULL, 1, NULL), SAM_OK);
    assert_int_equal(sam_gpu_read(gpu, 0, NULL, 0, NULL), SAM_OK);
    assert_int_equal(sam_gpu_write(gpu, 0, NULL, 0, NULL), SAM_OK);
    assert_int_equal(sam_gpu_skip_untouched(NULL, 4, 8), 4);
    assert_int_equal(sam_gpu_skip_untouched(gpu, 8, 4), 8);
    refuses(sam_gpu_load, gpu, NULL);
    struct sam_trap first;
    refuses(sam_gpu_watch_input, NULL, UINT32_MAX);
    refuses(sam_gpu_watch_input, gpu, 0);
    assert_false(sam_gpu_stored_input(NULL, UINT32_MAX, &first));
    assert_false(sam_gpu_stored_input(gpu, UINT32_MAX, &first));
    assert_int_equal(sam_gpu_watch_input(gpu, UINT32_MAX, NULL), SAM_OK);
    assert_int_equal(sam_gpu_watch_input(gpu, UINT32_MAX, NULL), SAM_OK);
    assert_false(sam_gpu_stored_input(gpu, UINT32_MAX, NULL));
    assert_false(sam_gpu_stored_input(gpu, UINT32_MAX, &first));
    refuses(sam_gpu_unmap, NULL, UINT32_MAX);
    refuses(sam_gpu_unmap, gpu, 0);
    assert_int_equal(sam_gpu_unmap(gpu, UINT32_MAX, NULL), SAM_OK);
    uint64_t root;
    refuses(sam_gpu_build_sv39, NULL, NULL, &root);
    refuses(sam_gpu_build_sv39, gpu, NULL, NULL);
    assert_int_equal(sam_gpu_build_sv39(gpu, NULL, &root, NULL), SAM_OK);
    SCOPED_IMAGE *image = sam_image_new(0);
    refuses(sam_gpu_load, NULL, image);
    assert_int_equal(sam_gpu_load(gpu, image, NULL), SAM_ERR_INPUT);
    sam_gpu_free(gpu);
}

TEST(kernels)
{
    SCOPED(program) p = program_new(".globl k\nk: endprg\n", 4);
    const struct sam_kernel good = {.name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct sam_launch launch;
    refuses(sam_gpu_prepare, NULL, p.image, &good, &launch);
    refuses(sam_gpu_prepare, p.gpu, NULL, &good, &launch);
    refuses(sam_gpu_prepare, p.gpu, p.image, NULL, &launch);
    refuses(sam_gpu_prepare, p.gpu, p.image, &good, NULL);
    for (unsigned i = 0; i < 11; i++) {
        struct sam_kernel bad = good;
        switch (i) {
        case 0: bad.name = NULL; break;
        case 1: bad.grid[0] = 0; break;
        case 2: bad.block[2] = 0; break;
        case 3: bad.grid[1] = bad.grid[2] = UINT32_MAX; break;
        case 4: bad.block[0] = UINT32_MAX; break;
        case 5: bad.lanes = 3; break;
        case 6: bad.lanes = UINT32_MAX; break;
        case 7: bad.pds_size = UINT32_MAX; break;
        case 8: bad.args_size = 4; break; /* and no args */
        case 9: bad.args_size = SIZE_MAX, bad.args = &good; break;
        default: bad.print_size = UINT32_MAX; break;
        }
        refuses(sam_gpu_prepare, p.gpu, p.image, &bad, &launch);
    }
    const uint32_t most = UINT32_MAX;
    const struct sam_prepare_options bad_options[] = {
        {.size = 5}, {.global = {1, 0, 1}}, {.global = {most, most, most}}};
    for (size_t i = 0; i < SAM_COUNT(bad_options); i++)
        refuses(sam_gpu_prepare_with, p.gpu, p.image, &good, &bad_options[i], &launch);
    struct sam_kernel unknown = good;
    unknown.name = "";
    assert_int_equal(sam_gpu_prepare(p.gpu, p.image, &unknown, &launch, NULL), SAM_ERR_INPUT);
}

TEST(launches)
{
    SCOPED(program) p = program_new("endprg\n", 4);
    struct sam_gpu_result result;
    memset(&result, 0x5a, sizeof result);
    refuses(sam_gpu_launch, NULL, &p.launch, &result);
    sam_gpu_result_free(&result);
    memset(&result, 0x5a, sizeof result);
    refuses(sam_gpu_launch, p.gpu, NULL, &result);
    sam_gpu_result_free(&result);
    for (unsigned i = 0; i < 7; i++) {
        struct sam_launch bad = p.launch;
        switch (i) {
        case 0: bad.lanes = 0; break;
        case 1: bad.lanes = 64; break;
        case 2: bad.warps = 0; break;
        case 3: bad.warps = SAM_MAX_WARPS + 1; break;
        case 4: bad.grid[1] = 0; break;
        case 5: bad.grid[0] = bad.grid[2] = UINT32_MAX; break;
        default: bad.warps = UINT32_MAX; break;
        }
        memset(&result, 0x5a, sizeof result);
        refuses(sam_gpu_check_launch, p.gpu, &bad);
        refuses(sam_gpu_launch, p.gpu, &bad, &result);
        sam_gpu_result_free(&result);
    }
    /* unmapped addresses: the program traps */
    struct sam_launch nowhere = p.launch;
    nowhere.start = nowhere.metadata = nowhere.pds_base = nowhere.args = UINT32_MAX;
    nowhere.pds_size = UINT32_MAX;
    assert_null(sam_gpu_find_kernel(p.gpu, &nowhere));
    nowhere.image = NULL;
    assert_null(sam_gpu_find_kernel(p.gpu, &nowhere));
    refuses(sam_gpu_check_launch, NULL, &nowhere);
    refuses(sam_gpu_check_launch, p.gpu, NULL);
    assert_int_equal(sam_gpu_launch(p.gpu, &nowhere, NULL, NULL), SAM_ERR_TRAP);
    assert_int_equal(sam_gpu_launch(p.gpu, &nowhere, &result, NULL), SAM_ERR_TRAP);
    sam_gpu_result_free(&result);
    sam_gpu_result_free(&result);
    sam_gpu_result_free(NULL);
}

TEST(statistics)
{
    struct sam_gpu_stats total = {0};
    refuses(sam_gpu_stats_add, NULL, &total);
    refuses(sam_gpu_stats_add, &total, NULL);
}

TEST(texts)
{
    char text[200];
    struct sam_trap trap = {.kind = (enum sam_trap_kind)99, .word = UINT32_MAX, .lane = UINT32_MAX};
    sam_trap_describe(&trap, NULL, NULL, 0);
    sam_trap_describe(&trap, NULL, text, sizeof text);
    assert_non_null(strstr(text, "unknown trap"));
    assert_non_null(strstr(sam_gpu_start_code(), "_start:"));
}
