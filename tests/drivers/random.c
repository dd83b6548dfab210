/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of the Ventus driver, valid and invalid, SAMITE_CASES of them. Each returns 0 or
 * -1, and buffers hold the data of the successful calls. Then the same from several threads on
 * one device, and in a process that forks. */
#include "host.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../random.h"

/* out[i] = 3 * out[i] + i, of the first 32 words */
static const char step[] = "        .globl  step\n"
                           "step:   lw      t0, 0(a0)\n"
                           "        vid.v   v1\n"
                           "        vsll.vi v2, v1, 2\n"
                           "        vadd.vx v2, v2, t0\n"
                           "        vlw12.v v3, 0(v2)\n"
                           "        li      t2, 3\n"
                           "        vmul.vx v3, v3, t2\n"
                           "        vadd.vv v3, v3, v1\n"
                           "        vsw12.v v3, 0(v2)\n"
                           "        ret\n";

enum { BUFFERS = 12, MOST = 3 * 4096, THREADS = 4, WORDS = 32 };

struct known {
    uint64_t address, task; /* address 0: none */
    uint32_t size;
    uint8_t bytes[MOST];
};

struct caller {
    uint64_t random;
    void *device;
    bool shared; /* other threads call the device: no call that affects them */
    bool tasks[3];
    uint32_t knl, args, pds; /* of launches */
    uint64_t failed;
    struct known known[BUFFERS];
};

static struct host_program program;
static uint32_t entry;

static uint64_t below(struct caller *c, uint64_t bound)
{
    return test_below(&c->random, bound);
}

/* An invalid number of any size. */
static uint64_t any(struct caller *c)
{
    static const uint64_t edges[] = {0,          1,          0x6fffffff, 0x7fffffff,
                                     0x80000000, 0x8fffffff, 0x90000000, 0xfffff000,
                                     UINT32_MAX, 1ull << 32, INT64_MAX,  UINT64_MAX};
    return below(c, 2) ? edges[below(c, SAM_COUNT(edges))] + below(c, 3) - 1
                       : test_random(&c->random) >> below(c, 64);
}

static bool told(struct caller *c, int code)
{
    assert_true(code == 0 || code == -1);
    c->failed += code != 0;
    return code == 0;
}

static uint64_t task_of(struct caller *c)
{
    return c->shared ? 0 : below(c, 8) ? below(c, 3) : any(c);
}

static bool is_task(const struct caller *c, uint64_t task)
{
    return task < SAM_COUNT(c->tasks) && c->tasks[task];
}

static void allocate(struct caller *c, struct known *k)
{
    const uint64_t size = below(c, 10) ? 1 + below(c, MOST) : any(c), task = task_of(c);
    uint64_t address = 0;
    const bool good = told(c, vt.buf_alloc(c->device, size, &address, 0, task, 0));
    if (!good || size > MOST) {
        if (good) /* a large one, which sometimes succeeds */
            assert_int_equal(vt.one_buf_free(c->device, size, &address, task, 0), 0);
        assert_true(size > MOST || size == 0 || !is_task(c, task));
        return;
    }
    assert_true(is_task(c, task) && address % 4096 == 0 && address >= 0x90000000);
    *k = (struct known){.address = address, .task = task, .size = (uint32_t)size};
}

static void copy(struct caller *c, struct known *k)
{
    uint8_t bytes[MOST + 1];
    const bool wrong = below(c, 6) == 0;
    uint64_t at = k->size ? below(c, k->size) : 0,
             size = 1 + (k->size ? below(c, k->size - at) : 0);
    uint64_t address = k->address + at;
    if (wrong && below(c, 2))
        size = k->size - at + 1 + below(c, 4096);
    else if (wrong)
        address = (UINT64_C(1) << 32) + any(c); /* unmapped unless truncated */
    const uint64_t task = wrong && below(c, 2) ? 3 + (any(c) >> 2) : k->task;
    size = size > MOST ? MOST : size;
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)test_random(&c->random);
    const bool inside = k->address && task == k->task && address >= k->address &&
                        address + size >= address && address + size <= k->address + k->size;
    if (below(c, 2)) {
        const bool good = told(c, vt.copy_to_dev(c->device, address, bytes, size, task, 0));
        assert_true(!inside || good);
        if (inside)
            memcpy(k->bytes + (address - k->address), bytes, size);
        return;
    }
    const bool good = told(c, vt.copy_from_dev(c->device, address, bytes, size, task, 0));
    assert_true(!inside || good);
    if (inside)
        assert_memory_equal(bytes, k->bytes + (address - k->address), size);
}

static void release_one(struct caller *c, struct known *k)
{
    uint64_t address = below(c, 6) ? k->address : (UINT64_C(1) << 32) + any(c);
    const bool good = told(c, vt.one_buf_free(c->device, 1, &address, k->task, 0));
    if (k->address && address == k->address) {
        assert_true(good);
        k->address = k->size = 0;
    }
}

static void forget(struct caller *c, uint64_t task)
{
    for (int i = 0; i < BUFFERS; i++)
        if (c->known[i].task == task)
            c->known[i] = (struct known){0};
}

static void change_tasks(struct caller *c)
{
    const int task = (int)(below(c, 6) ? 1 + below(c, 2) : any(c));
    const uint64_t id = (uint64_t)(int64_t)task;
    if (task == 0)
        return; /* provides the preconditions of launches */
    if (below(c, 2)) {
        const bool good = told(c, vt.root_mem_alloc(c->device, task));
        assert_int_equal(good, task >= 0);
        if (good && id < SAM_COUNT(c->tasks))
            c->tasks[id] = true;
        else if (good)
            assert_int_equal(vt.root_mem_free(c->device, task), 0);
    } else if (below(c, 2)) {
        assert_int_equal(told(c, vt.root_mem_free(c->device, task)), is_task(c, id));
        if (is_task(c, id)) {
            c->tasks[id] = false;
            forget(c, id);
        }
    } else {
        assert_int_equal(told(c, vt.buf_free(c->device, any(c), NULL, id, 0)), is_task(c, id));
        if (is_task(c, id))
            forget(c, id);
    }
}

/* A damaged program or none; then the valid one again. */
static void upload(struct caller *c)
{
    const size_t size = below(c, 2) ? program.size : 1 + (size_t)below(c, program.size);
    uint8_t *bytes = test_room(size);
    memcpy(bytes, program.bytes, size);
    for (uint64_t i = below(c, 8); i-- > 0;)
        bytes[below(c, below(c, 2)  ? size
                       : size < 256 ? size
                                    : 256)] = (uint8_t)test_random(&c->random);
    told(c, vt.upload_kernel_bytes(c->device, bytes, below(c, 9) ? size : 0, (int)task_of(c)));
    told(c, vt.upload_kernel_file(c->device, below(c, 2) ? "absent" : ".", 0));
    free(bytes);
    assert_int_equal(vt.upload_kernel_bytes(c->device, program.bytes, program.size, 0), 0);
}

static void launch(struct caller *c, struct known *k)
{
    uint64_t meta[VT_META_WORDS] = {0, 1, 1, 1, WORDS, 1, c->knl, 4096, 4096, 64, 64, c->pds};
    const bool wrong = below(c, 3) == 0;
    const uint64_t task = !wrong || c->shared || below(c, 9) ? 0 : 3 + (any(c) >> 2);
    if (wrong) { /* the kernel never begins, whatever the other words are */
        meta[below(c, VT_META_WORDS)] = any(c);
        meta[VT_META_METADATA] = below(c, 2) ? 0x40000000 : any(c) & 0x7fffffff;
        if (c->shared)
            meta[VT_META_LANES] = 33;
        else if (meta[VT_META_GRID] * meta[VT_META_WARPS] > 1 << 10)
            meta[VT_META_GRID] = 0;
    } else if (!k->address || k->task != 0 || k->size < 4 * WORDS) {
        return;
    }
    const uint32_t out = (uint32_t)k->address;
    if (!wrong)
        assert_int_equal(vt.copy_to_dev(c->device, c->args, &out, sizeof out, 0, 0), 0);
    const bool good = told(c, vt.start(c->device, below(c, 99) ? meta : NULL, task));
    const bool ran = told(c, below(c, 2) ? vt.ready_wait(c->device, any(c))
                                         : vt.finish_all_kernel(c->device, NULL));
    if (wrong || !good)
        return;
    assert_true(ran);
    for (uint32_t i = 0; i < WORDS; i++)
        sam_put_le32(k->bytes + 4 * i, 3 * sam_le32(k->bytes + 4 * i) + i);
}

static void call(struct caller *c)
{
    struct known *k = &c->known[below(c, BUFFERS)];
    uint64_t value;
    void *wrong = (void *)(uintptr_t)any(c); /* NOLINT(performance-no-int-to-ptr) */
    switch (below(c, 12)) {
    case 0: c->shared ? (void)0 : change_tasks(c); break;
    case 1: c->shared ? (void)0 : upload(c); break;
    case 2: launch(c, k); break;
    case 3: release_one(c, k); break;
    case 4:
        told(c, vt.dev_caps(below(c, 2) ? &c->device : &wrong, any(c), &value));
        if (wrong != c->device)
            told(c, vt.copy_to_dev(wrong, k->address, &value, sizeof value, 0, 0));
        break;
    case 5:
    case 6: k->address ? copy(c, k) : allocate(c, k); break;
    default: copy(c, k); break;
    }
}

/* Buffers for launches. */
static void open_caller(struct caller *c, void *device)
{
    c->device = device;
    c->tasks[0] = true;
    assert_int_equal(vt.upload_kernel_bytes(device, program.bytes, program.size, 0), 0);
    c->args = host_buffer(device, NULL, 4);
    c->pds = host_buffer(device, NULL, 4096 * WORDS);
    const uint32_t knl[16] = {entry, c->args, 1, WORDS, 1, 1, WORDS, 1, 1};
    c->knl = host_buffer(device, knl, sizeof knl);
}

static void *open_as(uint64_t way)
{
    static const char *const names[] = {"SAMITE_JOBS", "SAMITE_SV39", "SAMITE_BOUNDS"};
    static const char *const values[] = {"3", "1", "strict"};
    for (unsigned i = 0; i < SAM_COUNT(names); i++)
        if (way >> i & 1)
            setenv(names[i], values[i], 1);
    void *device = host_open();
    for (unsigned i = 0; i < SAM_COUNT(names); i++)
        unsetenv(names[i]);
    return device;
}

static uint64_t seed;

static int begin(void **state)
{
    program = host_assemble(step);
    entry = host_symbol(&program, "step");
    *state = &seed;
    return 0;
}

FIXTURE(end)
{
    host_program_free(&program);
    return 0;
}

TEST(calls, .setup_func = begin, .teardown_func = end)
{
    uint64_t random = *(uint64_t *)*state;
    const uint64_t cases = test_number("SAMITE_CASES", 3000);
    uint64_t failed = 0;
    FREED struct caller *c = test_room(sizeof *c);
    for (uint64_t done = 0; done < cases;) {
        *c = (struct caller){.random = test_random(&random)};
        open_caller(c, open_as(test_random(&random)));
        for (uint64_t last = done + 1 + test_below(&random, 1000); done < last && done < cases;
             done++)
            call(c);
        told(c, vt.dev_close(c->device));
        failed += c->failed;
    }
    printf("# %" PRIu64 " calls, %" PRIu64 " refused\n", cases, failed);
}

static void *call_often(void *context)
{
    struct caller *c = context;
    const uint64_t cases = test_number("SAMITE_CASES", 3000) / THREADS;
    for (uint64_t i = 0; i < cases; i++)
        call(c);
    return NULL;
}

/* A process of one thread whose parent has several in the driver: handles of the parent are
 * closed in the child, and a new device works. */
static void child(void *inherited)
{
    uint64_t value = 0;
    alarm(600); /* a hang; a busy machine is slow */
    if (vt.dev_caps(&inherited, 1, &value) != -1 || vt.ready_wait(inherited, 1) != -1 ||
        vt.dev_close(inherited) != -1)
        _exit(1);
    struct caller *c = calloc(1, sizeof *c);
    if (!c)
        _exit(2);
    c->random = 1;
    open_caller(c, open_as(1));
    for (int i = 0; i < 300; i++)
        call(c);
    _exit(vt.dev_close(c->device) == 0 ? 0 : 3);
}

TEST(threads_and_forks, .setup_func = begin, .teardown_func = end)
{
    uint64_t random = *(uint64_t *)*state;
    FREED struct caller *c = calloc(THREADS, sizeof *c);
    pthread_t threads[THREADS];
    assert_non_null(c);
    void *device = open_as(1);
    for (int i = 0; i < THREADS; i++) {
        c[i].random = test_random(&random);
        c[i].shared = true;
        open_caller(&c[i], device);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &c[i]), 0);
#ifdef __SANITIZE_ADDRESS__
    /* Its allocator may be locked by another thread at the fork, and stays locked in the child. */
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#endif
    for (int i = 0; i < 4; i++) {
        int status = -1;
        fflush(NULL);
        const pid_t process = fork();
        if (process == 0)
            child(device);
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_int_equal(status, 0);
    }
#ifndef __SANITIZE_ADDRESS__
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#endif
    assert_int_equal(vt.dev_close(device), 0);
}

PROLOGUE
{
    seed = test_seed();
}

TEST_GROUP(host_set_up, host_tear_down)
