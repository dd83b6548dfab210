/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: removal of buffers, memory returned to the host, and threads that share it. */
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "test.h"

#include "base/cpu.h"
#include "machine/machine.h"

#define BASE UINT64_C(0x90000000)
#define MIB  (UINT64_C(1) << 20)

static struct sam_memory *memory;
static struct sam_error error;

FIXTURE(setup)
{
    memory = sam_memory_new(&(struct sam_memory_rules){.bits = 32});
    return memory ? 0 : -1;
}

FIXTURE(teardown)
{
    sam_memory_free(memory);
    return 0;
}

static void map(uint64_t base, uint64_t size)
{
    assert_int_equal(sam_memory_map(memory, base, size, &error), SAM_OK);
}

static void unmap(uint64_t base)
{
    assert_int_equal(sam_memory_unmap(memory, base, &error), SAM_OK);
}

static void fill(uint64_t base, uint64_t size, int value)
{
    for (uint64_t at = base; at < base + size; at++) {
        uint8_t byte = (uint8_t)value;
        assert_true(sam_memory_write(memory, at, &byte, 1));
    }
}

static void expect(uint64_t base, uint64_t size, int value)
{
    for (uint64_t at = base; at < base + size; at++) {
        uint8_t byte = 0xee;
        sam_memory_read(memory, at, &byte, 1);
        if (byte != value)
            fail_msg("0x%llx holds %u: expected %d", (unsigned long long)at, byte, value);
    }
}

TEST(removed_buffers, .setup_func = setup, .teardown_func = teardown)
{
    map(BASE, 100);
    map(BASE + 0x2000, 0x30000);
    map(BASE + 0x40000, 8);
    fill(BASE + 0x2000, 0x30000, 7);
    unmap(BASE + 0x2000);
    assert_null(sam_memory_find(memory, BASE + 0x2000));
    assert_null(sam_memory_find(memory, BASE + 0x2000 + 0x2ffff));
    assert_non_null(sam_memory_find(memory, BASE + 99));
    assert_non_null(sam_memory_find(memory, BASE + 0x40000));
    /* the same addresses again, zeroed */
    assert_int_equal(sam_memory_gap(memory, BASE, BASE + MIB, 0x30000, 4096), BASE + 0x2000);
    map(BASE + 0x2000, 0x30000);
    expect(BASE + 0x2000, 0x30000, 0);
    /* smaller gaps are skipped */
    assert_int_equal(sam_memory_gap(memory, BASE, BASE + MIB, 100, 4096), BASE + 0x33000);
    unmap(BASE);
    assert_int_equal(sam_memory_gap(memory, BASE, BASE + MIB, 0x1000, 4096), BASE);
    assert_int_equal(sam_memory_gap(memory, BASE, BASE + MIB, 0x1001, 4096), BASE + 0x33000);
}

TEST(what_is_no_buffer, .setup_func = setup, .teardown_func = teardown)
{
    map(BASE, 0x1000);
    static const uint64_t none[] = {BASE + 1, BASE - 1, BASE + 0x1000, 0, UINT64_MAX};
    for (size_t i = 0; i < SAM_COUNT(none); i++)
        assert_int_equal(sam_memory_unmap(memory, none[i], &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "no buffer begins at 0xffffffffffffffff");
    assert_non_null(sam_memory_find(memory, BASE));
    unmap(BASE);
    assert_int_equal(sam_memory_unmap(memory, BASE, &error), SAM_ERR_USAGE);
}

/* Bytes around a buffer, in its pages and in the next ones, are kept: other buffers may hold
 * them, and with loose bounds any data may be there. */
TEST(bytes_around, .setup_func = setup, .teardown_func = teardown)
{
    const uint64_t begin = BASE + 0xfff0, end = BASE + 0x21010;
    for (int around = 0; around < 2; around++) {
        map(begin, end - begin);
        fill(begin - 16, end - begin + 32, 9);
        if (!around) {
            fill(begin - 16, 16, 0);
            fill(end, 16, 0);
        }
        unmap(begin);
        expect(begin, end - begin, 0);
        expect(begin - 16, 16, around ? 9 : 0);
        expect(end, 16, around ? 9 : 0);
    }
    /* within one page */
    map(BASE, 16);
    fill(BASE, 64, 5);
    unmap(BASE);
    expect(BASE, 16, 0);
    expect(BASE + 16, 48, 5);
}

/* Pages of [base, base + size) that are resident in the host's memory. */
static size_t resident(uint64_t base, uint64_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;
    for (uint64_t at = base; at < base + size; at += page) {
        unsigned char in = 0;
        assert_int_equal(mincore(sam_memory_host(memory, at), page, &in), 0);
        count += in & 1;
    }
    return count;
}

TEST(host_memory, .setup_func = setup, .teardown_func = teardown)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    map(BASE, 8 * MIB + 100);
    fill(BASE, MIB, 1);
    fill(BASE + 8 * MIB, 100, 1);
    assert_true(resident(BASE, MIB) == MIB / page);
    assert_true(resident(BASE + 8 * MIB, page) == 1);
    unmap(BASE);
    assert_true(resident(BASE, MIB) == 0);
    assert_true(resident(BASE + 8 * MIB, page) == 0);
}

/* Buffers do not move when others are added, and new ones are zero: above some size a buffer has
 * separate pages of the host. */
TEST(growing, .setup_func = setup, .teardown_func = teardown)
{
    const uint64_t step = 0xc000;
    for (uint64_t i = 0; i < 40; i++) {
        const uint64_t at = BASE + 2 * i * step;
        map(at, step);
        expect(at, step, 0);
        fill(at, step, (int)i + 1);
    }
    for (uint64_t i = 0; i < 40; i++)
        expect(BASE + 2 * i * step, step, (int)i + 1);
    for (uint64_t i = 0; i < 40; i += 2)
        unmap(BASE + 2 * i * step);
    for (uint64_t i = 0; i < 40; i++)
        expect(BASE + 2 * i * step, step, i % 2 ? (int)i + 1 : 0);
}

/* The number of bytes that are contiguous on the host. */
TEST(runs, .setup_func = setup, .teardown_func = teardown)
{
    enum { CHUNK = 1 << 16 };
    size_t size = 3 * CHUNK;
    uint8_t *host = sam_memory_run(memory, BASE + 100, &size);
    assert_int_equal(size, 3 * CHUNK); /* they have just been allocated, in order */
    assert_ptr_equal(host, sam_memory_host(memory, BASE + 100));
    assert_ptr_equal(host + 3 * CHUNK - 1, sam_memory_host(memory, BASE + 100 + 3 * CHUNK - 1));
    (void)sam_memory_host(memory, BASE + 17 * CHUNK); /* before the one that precedes it */
    size = 2 * CHUNK;
    host = sam_memory_run(memory, BASE + 16 * CHUNK + 5, &size);
    assert_int_equal(size, CHUNK - 5);
    assert_ptr_equal(host, sam_memory_host(memory, BASE + 16 * CHUNK + 5));
    size = 10;
    assert_non_null(sam_memory_run(memory, BASE + 16 * CHUNK + 5, &size));
    assert_int_equal(size, 10);
}

/* Reading memory that was never written allocates none. */
TEST(reading, .setup_func = setup, .teardown_func = teardown)
{
    static uint8_t data[4 * MIB];
    memset(data, 1, sizeof data);
    sam_memory_read(memory, BASE, data, sizeof data);
    for (size_t i = 0; i < sizeof data; i++)
        assert_int_equal(data[i], 0);
    assert_true(resident(BASE, sizeof data) == 0);
}

enum { SHARED_CHUNKS = 1000, SHARED_THREADS = 4 };

/* Each thread counts in its own byte of every chunk, from a different start. */
static void count_in_chunks(void *hosts, size_t thread, unsigned worker)
{
    (void)worker;
    uint8_t *(*seen)[SHARED_CHUNKS] = hosts;
    for (size_t i = 0; i < 3 * SHARED_CHUNKS; i++) {
        const size_t chunk = (i + thread * SHARED_CHUNKS / SHARED_THREADS) % SHARED_CHUNKS;
        uint8_t *host = sam_memory_host(memory, BASE + 64 * chunk * 1024);
        if (host)
            host[thread]++;
        seen[thread][chunk] = host;
    }
}

/* Threads that create and look up parts of memory at once agree on the address of each. */
TEST(threads_share_memory, .setup_func = setup, .teardown_func = teardown)
{
    static uint8_t *seen[SHARED_THREADS][SHARED_CHUNKS];
    map(BASE, 64 * MIB);
    sam_parallel(SHARED_THREADS, SHARED_THREADS, count_in_chunks, seen);
    for (size_t chunk = 0; chunk < SHARED_CHUNKS; chunk++) {
        for (size_t thread = 1; thread < SHARED_THREADS; thread++)
            assert_ptr_equal(seen[thread][chunk], seen[0][chunk]);
        for (size_t thread = 0; thread < SHARED_THREADS; thread++)
            expect(BASE + 64 * chunk * 1024 + thread, 1, 3);
    }
}

PROLOGUE
{
    /* The host may merge freed pages with their neighbours into a huge page at any time, and so
     * make them resident again. */
#ifdef __linux__
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#endif
}
