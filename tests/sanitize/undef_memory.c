/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined memory against one bit per byte in an array: random stores, outputs, launches and
 * workgroups, with all boundaries within pages. */

#include "test.h"

#include "sanitize/undef_memory.h"

/* Buffers with outputs end at HALF, in the middle of a page; private memory is beyond. */
enum { GLOBAL = 0x90000000, LOCAL = 0x70000000, WINDOW = 0x6000, HALF = 0x3410, STEPS = 20000 };

struct model {
    struct undef_memory memory;
    uint8_t global[WINDOW], local[WINDOW]; /* undefined bits of each byte */
    uint32_t private_at, private_size;
    uint64_t random;
};

static uint32_t below(struct model *m, uint32_t bound)
{
    return (uint32_t)test_below(&m->random, bound);
}

/* Part of a range of the window, more often small than large. */
static void pick(struct model *m, uint32_t from, uint32_t to, uint32_t *at, uint32_t *size)
{
    *at = from + below(m, to - from);
    *size = 1 + below(m, below(m, 2) ? to - *at : 16);
    *size = *size < to - *at ? *size : to - *at;
}

static void begin_workgroup(struct model *m)
{
    sam_undef_memory_group(&m->memory);
    memset(m->local, 0xff, WINDOW);
    memset(m->global + m->private_at, 0xff, m->private_size);
}

static void begin_launch(struct model *m)
{
    memset(m->global + m->private_at, 0, m->private_size);
    pick(m, HALF, WINDOW, &m->private_at, &m->private_size);
    sam_undef_memory_launch(&m->memory, GLOBAL + m->private_at, m->private_size);
    memset(m->global + m->private_at, 0xff, m->private_size);
    begin_workgroup(m);
}

static void access(struct model *m)
{
    const bool local = below(m, 3) == 0;
    const unsigned size = 1u << below(m, 3);
    const uint32_t at = below(m, WINDOW) & ~(size - 1);
    uint8_t *bytes = (local ? m->local : m->global) + at;
    const uint32_t address = (local ? LOCAL : GLOBAL) + at;
    undef_origin origin = 0;
    if (below(m, 2)) {
        const uint32_t bits = below(m, 2) ? 0 : (uint32_t)test_random(&m->random);
        sam_undef_store(&m->memory, address, size, bits & UINT32_MAX >> (32 - 8 * size), 7);
        /* Pages that are defined as a whole remain so: undefined bits are stored only to local
         * and private memory. */
        const uint32_t in_private = at - m->private_at;
        if (bits == 0 || local || in_private + size <= m->private_size)
            memcpy(bytes, &bits, size);
        else
            sam_undef_memory_define(&m->memory, address, size), memset(bytes, 0, size);
    } else {
        uint32_t expected = 0;
        memcpy(&expected, bytes, size);
        assert_int_equal(sam_undef_load(&m->memory, address, size, &origin), expected);
    }
}

static void check_all(struct model *m)
{
    for (uint32_t at = 0; at < WINDOW; at += 4) {
        uint32_t global, local;
        undef_origin origin;
        memcpy(&global, m->global + at, 4);
        memcpy(&local, m->local + at, 4);
        assert_int_equal(sam_undef_load(&m->memory, GLOBAL + at, 4, &origin), global);
        assert_int_equal(sam_undef_load(&m->memory, LOCAL + at, 4, &origin), local);
    }
    uint32_t at, size, first = 0;
    pick(m, 0, WINDOW, &at, &size);
    while (first < size && !m->global[at + first])
        first++;
    assert_int_equal(sam_undef_find(&m->memory, GLOBAL + at, size), first);
}

TEST(memory_agrees_with_an_array)
{
    FREED struct model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->random = test_seed();
    assert_true(sam_undef_memory_init(&m->memory));
    begin_launch(m);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t at, size;
        pick(m, 0, HALF, &at, &size);
        switch (below(m, 200)) {
        case 0:
            assert_true(sam_undef_memory_output(&m->memory, GLOBAL + at, size));
            memset(m->global + at, 0xff, size);
            break;
        case 1:
            sam_undef_memory_define(&m->memory, GLOBAL + at, size);
            memset(m->global + at, 0, size);
            break;
        case 2: begin_launch(m); break;
        case 3:
        case 4: begin_workgroup(m); break;
        case 5: check_all(m); break;
        default: access(m);
        }
    }
    check_all(m);
    assert_false(m->memory.exhausted);
    sam_undef_memory_free(&m->memory);
}
