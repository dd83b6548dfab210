/* SPDX-License-Identifier: Apache-2.0 */
/* Launches through the Ventus driver. */
#include "host.h"

#include <pthread.h>
#include <unistd.h>

enum { COUNT = 1000 };

static const char vecadd[] = "        .include \"vecadd.s\"\n";

/* out[i] += step, and a word of the program's data counts launches since the upload */
static const char add_step[] = "        .globl  add_step\n"
                               "add_step:\n"
                               "        lw      t0, 0(a0)\n" /* out */
                               "        lw      t1, 4(a0)\n" /* step */
                               "        lw      t2, 8(a0)\n" /* address of the count */
                               "        csrr    t3, tid\n"
                               "        vid.v   v1\n"
                               "        vadd.vx v1, v1, t3\n"
                               "        vsll.vi v1, v1, 2\n"
                               "        vadd.vx v1, v1, t0\n"
                               "        vlw12.v v2, 0(v1)\n"
                               "        vadd.vx v2, v2, t1\n"
                               "        vsw12.v v2, 0(v1)\n"
                               "        la      t4, count\n"
                               "        lw      t5, 0(t4)\n"
                               "        addi    t5, t5, 1\n"
                               "        sw      t5, 0(t4)\n"
                               "        sw      t5, 0(t2)\n"
                               "        ret\n"
                               "        .data\n"
                               "count:  .word   100\n"
                               "        .bss\n"
                               "        .space  64\n";

/* Each work-item stores its id in local memory, and loads that of its opposite. */
static const char reverse[] = "        .globl  reverse\n"
                              "reverse:\n"
                              "        lw      t0, 0(a0)\n" /* local */
                              "        lw      t1, 4(a0)\n" /* out */
                              "        csrr    t3, tid\n"
                              "        csrr    t4, knl\n"
                              "        lw      t4, 24(t4)\n" /* work-items */
                              "        vid.v   v1\n"
                              "        vadd.vx v1, v1, t3\n"
                              "        vsll.vi v2, v1, 2\n"
                              "        vadd.vx v3, v2, t0\n"
                              "        vsw12.v v1, 0(v3)\n"
                              "        barrier x0, x0, 0\n"
                              "        slli    t4, t4, 2\n"
                              "        addi    t4, t4, -4\n"
                              "        vrsub.vx v4, v2, t4\n"
                              "        vadd.vx v4, v4, t0\n"
                              "        vlw12.v v5, 0(v4)\n"
                              "        vadd.vx v6, v2, t1\n"
                              "        vsw12.v v5, 0(v6)\n"
                              "        ret\n";

/* Each workgroup stores CSR_PDS to out[workgroup], followed by the first word of its private
 * memory, which it then sets to 1. */
static const char private_memory[] = "        .globl  private_memory\n"
                                     "private_memory:\n"
                                     "        lw      t0, 0(a0)\n"
                                     "        csrr    t1, wgid\n"
                                     "        slli    t2, t1, 3\n"
                                     "        add     t0, t0, t2\n"
                                     "        csrr    t3, pds\n"
                                     "        sw      t3, 0(t0)\n"
                                     "        vmv.v.x v1, zero\n"
                                     "        vlw.v   v2, 0(v1)\n"
                                     "        vmv.x.s t4, v2\n"
                                     "        sw      t4, 4(t0)\n"
                                     "        li      t5, 1\n"
                                     "        vmv.v.x v3, t5\n"
                                     "        vsw.v   v3, 0(v1)\n"
                                     "        ret\n";

static const char store_to[] = "        .globl  store_to\n"
                               "store_to:\n"
                               "        lw      t0, 0(a0)\n"
                               "        li      t1, 7\n"
                               "        sw      t1, 0(t0)\n"
                               "        ret\n";

static void run_vecadd(void *device, const struct host_program *program, float offset)
{
    float a[COUNT], b[COUNT], c[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = offset;
    }
    const uint32_t args[] = {host_buffer(device, a, sizeof a), host_buffer(device, b, sizeof b),
                             host_buffer(device, c, sizeof c), COUNT};
    const struct host_launch launch = {
        .kernel = "vecadd", .groups = 16, .local = 64, .args = args, .arg_count = 4};
    assert_int_equal(host_run(device, program, &launch), 0);
    assert_int_equal(vt.copy_from_dev(device, args[2], c, sizeof c, 0, 0), 0);
    for (int i = 0; i < COUNT; i++)
        if (c[i] != a[i] + b[i])
            fail_msg("c[%d] is %g: expected %g", i, (double)c[i], (double)(a[i] + b[i]));
    for (int i = 0; i < 3; i++)
        host_free(device, args[i]);
}

TEST(as_pocl_calls)
{
    SCOPED(host_program) program = host_assemble(vecadd);
    void *device = host_open();
    for (int i = 0; i < 3; i++)
        run_vecadd(device, &program, 0.25f * (float)i);
    assert_int_equal(vt.dev_close(device), 0);
}

/* Launches in a row with host writes between them; each upload resets the data. */
TEST(a_chain)
{
    SCOPED(host_program) program = host_assemble(add_step);
    void *device = host_open();
    uint32_t zeros[64] = {0}, out = host_buffer(device, zeros, sizeof zeros), expected = 0;
    const uint32_t count = host_buffer(device, NULL, 4);
    for (uint32_t i = 1; i <= 10; i++) {
        const uint32_t args[] = {out, i, count};
        const struct host_launch launch = {
            .kernel = "add_step", .groups = 1, .local = 32, .args = args, .arg_count = 3};
        assert_int_equal(host_run(device, &program, &launch), 0);
        expected += i;
        assert_int_equal(host_word(device, out + 4 * 31), expected);
        assert_int_equal(host_word(device, count), 101);
        if (i % 4 == 0) {
            expected = 1000 * i;
            host_set(device, out + 4 * 31, expected);
        }
    }
    assert_int_equal(host_word(device, out + 4 * 32), 0);
    assert_int_equal(vt.dev_close(device), 0);
}

/* Several starts before one wait: they run in order. */
TEST(queued_launches)
{
    enum { LAUNCHES = 20 };
    SCOPED(host_program) program = host_assemble(add_step);
    void *device = host_open();
    const uint32_t zeros[32] = {0}, out = host_buffer(device, zeros, sizeof zeros);
    const uint32_t count = host_buffer(device, NULL, 4);
    const uint32_t args[] = {out, 3, count};
    const struct host_launch launch = {
        .kernel = "add_step", .groups = 1, .local = 32, .args = args, .arg_count = 3};
    const struct host_started started = host_start(device, &program, &launch);
    uint64_t meta[VT_META_WORDS] = {0, 1, 1, 1, 32, 1, started.knl, 0, 4096, 64, 64, started.pds};
    for (int i = 1; i < LAUNCHES; i++)
        assert_int_equal(vt.start(device, meta, 0), 0);
    assert_int_equal(host_word(device, out), 3 * LAUNCHES); /* a copy runs them, too */
    assert_int_equal(host_word(device, count), 100 + LAUNCHES);
    assert_int_equal(vt.start(device, meta, 0), 0);
    int queue = 42;
    assert_int_equal(vt.finish_all_kernel(device, &queue), 0);
    assert_int_equal(queue, 42);
    assert_int_equal(host_word(device, out), 3 * (LAUNCHES + 1));
    assert_int_equal(vt.start(device, meta, 0), 0);
    assert_int_equal(vt.dev_close(device), 0); /* this runs it as well */
}

/* pocl copies more bytes to local memory than its source has, and expects no data there. */
TEST(local_arguments)
{
    enum { ITEMS = 96 };
    SCOPED(host_program) program = host_assemble(reverse);
    void *device = host_open();
    const uint32_t local = 0x80000000u - 4096, out = host_buffer(device, NULL, 4 * ITEMS);
    FREED char *small = malloc(1);
    assert_int_equal(vt.copy_to_dev(device, local, small, 4096, 0, 0), 0);
    assert_int_equal(vt.copy_to_dev(device, 0x70000000, NULL, 0x10000000, 0, 0), 0);
    assert_int_equal(vt.copy_from_dev(device, local, small, 4096, 0, 0), 0);
    const uint32_t args[] = {local, out};
    const struct host_launch launch = {
        .kernel = "reverse", .groups = 1, .local = ITEMS, .args = args, .arg_count = 2};
    assert_int_equal(host_run(device, &program, &launch), 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(host_word(device, out + 4 * i), ITEMS - 1 - i);
    assert_int_equal(vt.dev_close(device), 0);
}

/* The buffer for private memory is too small: workgroups share its parts. */
TEST(capped_private_memory)
{
    enum { GROUPS = 50, PARTS = 3, SIZE = 4096 * 32 };
    SCOPED(host_program) program = host_assemble(private_memory);
    void *device = host_open();
    const uint32_t out = host_buffer(device, NULL, 8 * GROUPS);
    const struct host_launch launch = {.kernel = "private_memory",
                                       .groups = GROUPS,
                                       .local = 32,
                                       .args = &out,
                                       .arg_count = 1,
                                       .pds_room = PARTS * SIZE + SIZE / 2};
    const struct host_started started = host_start(device, &program, &launch);
    assert_int_equal(vt.ready_wait(device, 1000), 0);
    for (uint32_t w = 0; w < GROUPS; w++) {
        assert_int_equal(host_word(device, out + 8 * w), started.pds + w % PARTS * SIZE);
        assert_int_equal(host_word(device, out + 8 * w + 4), 0);
    }
    host_finish(device, &started);
    assert_int_equal(vt.dev_close(device), 0);
}

/* A failed launch is reported once, by the first wait; launches queued after it do not run. */
TEST(failures)
{
    SCOPED(host_program) program = host_assemble(store_to);
    void *device = host_open();
    const uint32_t out = host_buffer(device, NULL, 4096), nowhere = 0xf0000000;
    const struct host_launch good = {
        .kernel = "store_to", .groups = 1, .local = 32, .args = &out, .arg_count = 1};
    const struct host_launch bad = {
        .kernel = "store_to", .groups = 1, .local = 32, .args = &nowhere, .arg_count = 1};
    const struct host_started first = host_start(device, &program, &bad);
    const struct host_started second = host_start(device, &program, &good); /* runs the first */
    host_expect("samite: launch 0 (store_to): store to 0xf0000000, outside every buffer");
    assert_int_equal(host_word(device, out), 0); /* a copy succeeds and reports nothing */
    assert_int_equal(vt.ready_wait(device, 1000), -1);
    host_expect("samite: 1 launch after the one that failed was dropped");
    assert_int_equal(host_word(device, out), 0);
    assert_int_equal(vt.ready_wait(device, 1000), 0); /* told */
    assert_int_equal(host_run(device, &program, &good), 0);
    assert_int_equal(host_word(device, out), 7);
    host_finish(device, &first);
    host_finish(device, &second);
    assert_int_equal(host_run(device, &program, &bad), -1);
    assert_int_equal(vt.dev_close(device), 0);
}

/* Freed memory faults, and the next buffer of its size takes its place, zeroed. */
TEST(freed_memory)
{
    SCOPED(host_program) program = host_assemble(store_to);
    void *device = host_open();
    uint64_t address = 0;
    const uint32_t first = host_buffer(device, NULL, 0x5000), out = first + 0x1000;
    const struct host_launch launch = {
        .kernel = "store_to", .groups = 1, .local = 32, .args = &out, .arg_count = 1};
    assert_int_equal(host_run(device, &program, &launch), 0);
    assert_int_equal(host_word(device, out), 7);
    host_free(device, first);
    assert_int_equal(vt.copy_from_dev(device, out, &address, 4, 0, 0), -1);
    const uint32_t keep = host_buffer(device, NULL, 0x5000);
    assert_int_equal(keep, first);
    assert_int_equal(host_word(device, out), 0);
    /* frees all of a task's buffers; the program stays */
    assert_int_equal(vt.buf_free(device, 0, NULL, 0, 0), 0);
    assert_int_equal(vt.copy_from_dev(device, out, &address, 4, 0, 0), -1);
    assert_int_equal(vt.copy_from_dev(device, 0x80000000, &address, 4, 0, 0), 0);
    assert_int_equal(host_buffer(device, NULL, 16), 0x90000000);
    assert_int_equal(vt.dev_close(device), 0);
}

/* ----------------------------------------------------------------------------- many of them */

static long resident_pages(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident;
}

TEST(memory_does_not_grow)
{
    SCOPED(host_program) program = host_assemble(vecadd);
    void *device = host_open();
    long early = 0;
    for (int i = 0; i < 1000; i++) {
        run_vecadd(device, &program, (float)i);
        if (i == 100)
            early = resident_pages();
    }
    const long grown = (resident_pages() - early) * sysconf(_SC_PAGESIZE);
#if defined(__SANITIZE_ADDRESS__) /* a sanitizer quarantines freed memory */
    const long limit = 1 << 28;
#else
    const long limit = 1 << 20;
#endif
    if (grown > limit)
        fail_msg("900 launches have taken %ld bytes", grown);
    assert_int_equal(vt.dev_close(device), 0);
}

struct thread {
    pthread_t id;
    void *device; /* NULL: its own */
    const struct host_program *program;
    float offset;
    int wrong;
};

/* cmocka's assertions work on the main thread only: count errors. */
static void *add_in_thread(void *context)
{
    struct thread *thread = context;
    void *device = thread->device;
    float data[64], sums[64];
    if (!device && vt.dev_open(&device) != 0)
        return thread->wrong = 1000, NULL;
    for (int round = 0; round < 50; round++) {
        uint64_t at[3], args, pds, knl;
        for (int i = 0; i < 64; i++)
            data[i] = thread->offset + (float)(i * round);
        for (int i = 0; i < 3; i++) {
            thread->wrong += vt.buf_alloc(device, sizeof data, &at[i], 0, 0, 0) != 0;
            thread->wrong += vt.copy_to_dev(device, at[i], data, sizeof data, 0, 0) != 0;
        }
        const uint32_t words[] = {(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2], 64};
        thread->wrong += vt.buf_alloc(device, sizeof words, &args, 0, 0, 0) != 0;
        thread->wrong += vt.copy_to_dev(device, args, words, sizeof words, 0, 0) != 0;
        thread->wrong += vt.upload_kernel_file(device, thread->program->path, 0) != 0;
        thread->wrong += vt.buf_alloc(device, 4096 * 64, &pds, 0, 0, 0) != 0;
        thread->wrong += vt.buf_alloc(device, 64, &knl, 0, 0, 0) != 0;
        const uint32_t metadata[16] = {
            host_symbol(thread->program, "vecadd"), (uint32_t)args, 1, 64, 1, 1, 64, 1, 1};
        thread->wrong += vt.copy_to_dev(device, knl, metadata, sizeof metadata, 0, 0) != 0;
        uint64_t meta[VT_META_WORDS] = {0, 1, 1, 1, 32, 2, knl, 4096, 4096, 64, 64, pds};
        thread->wrong += vt.start(device, meta, 0) != 0;
        thread->wrong += vt.ready_wait(device, 1000) != 0;
        thread->wrong += vt.copy_from_dev(device, at[2], sums, sizeof sums, 0, 0) != 0;
        for (int i = 0; i < 64; i++)
            thread->wrong += sums[i] != 2 * data[i];
        const uint64_t *const buffers[] = {&at[0], &at[1], &at[2], &args, &pds, &knl};
        for (size_t i = 0; i < 6; i++)
            thread->wrong += vt.one_buf_free(device, 1, buffers[i], 0, 0) != 0;
    }
    if (!thread->device)
        thread->wrong += vt.dev_close(device) != 0;
    return NULL;
}

static void run_threads(void *device)
{
    enum { THREADS = 4 };
    SCOPED(host_program) program = host_assemble(vecadd);
    struct thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] =
            (struct thread){.device = device, .program = &program, .offset = 1000.0f * (float)i};
        assert_int_equal(pthread_create(&threads[i].id, NULL, add_in_thread, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        assert_int_equal(threads[i].wrong, 0);
    }
}

TEST(a_device_in_each_thread)
{
    run_threads(NULL);
}

TEST(one_device_in_all_threads)
{
    void *device = host_open();
    run_threads(device);
    assert_int_equal(vt.dev_close(device), 0);
}

TEST_GROUP(host_set_up, host_tear_down)
