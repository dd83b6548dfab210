/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of callers of the Ventus driver: each call returns -1 with a message, and the device
 * continues. */
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRONG(call)                                                                                \
    do {                                                                                           \
        assert_int_equal((call), -1);                                                              \
        host_expect("samite: ");                                                                   \
    } while (0)

static const char nothing[] = "        .globl  nothing\n"
                              "nothing:\n"
                              "        ret\n";

/* Every function on a handle that is not an open device. */
static void refuse(void *handle)
{
    uint64_t value = 0, meta[VT_META_WORDS] = {0};
    uint8_t bytes[64] = {0};
    WRONG(vt.dev_caps(&handle, 0, &value));
    WRONG(vt.root_mem_alloc(handle, 1));
    WRONG(vt.root_mem_free(handle, 0));
    WRONG(vt.buf_alloc(handle, 4, &value, 0, 0, 0));
    WRONG(vt.buf_free(handle, 4, &value, 0, 0));
    WRONG(vt.one_buf_free(handle, 4, &value, 0, 0));
    WRONG(vt.copy_to_dev(handle, 0x90000000, bytes, 4, 0, 0));
    WRONG(vt.copy_from_dev(handle, 0x90000000, bytes, 4, 0, 0));
    WRONG(vt.copy_to_dev(handle, 0x70000000, bytes, 4, 0, 0));
    WRONG(vt.upload_kernel_file(handle, "program", 0));
    WRONG(vt.upload_kernel_bytes(handle, bytes, 64, 0));
    WRONG(vt.start(handle, meta, 0));
    WRONG(vt.ready_wait(handle, 1000));
    WRONG(vt.finish_all_kernel(handle, NULL));
    WRONG(vt.dump_perf(handle, stdout));
    WRONG(vt.dev_close(handle));
}

TEST(handles)
{
    int own = 0;
    refuse(NULL);
    refuse(&own);
    refuse((void *)UINTPTR_MAX);
    WRONG(vt.dev_open(NULL));
    WRONG(vt.dev_caps(NULL, 0, NULL));
    void *first = host_open(), *second = host_open();
    assert_ptr_not_equal(first, second);
    refuse(&first);
    refuse((char *)first + 1);
    assert_int_equal(vt.dev_close(first), 0);
    refuse(first); /* closed */
    void *third = host_open();
    assert_ptr_not_equal(third, first); /* it is never returned */
    refuse(first);
    assert_int_equal(vt.dev_close(second), 0);
    assert_int_equal(vt.dev_close(third), 0);
}

TEST(capabilities)
{
    static const uint64_t expected[] = {0, 3, 1024, 32, 64, 0x10000000, 0x90000000, 0x80000000};
    setenv("SAMITE_JOBS", "3", 1);
    void *device = host_open();
    unsetenv("SAMITE_JOBS");
    uint64_t value = 7;
    for (uint64_t id = 0; id < 8; id++) {
        assert_int_equal(vt.dev_caps(&device, id, &value), 0);
        assert_true(value == expected[id]);
    }
    WRONG(vt.dev_caps(&device, 8, &value));
    WRONG(vt.dev_caps(&device, UINT64_MAX, &value));
    WRONG(vt.dev_caps(&device, 0, NULL));
    assert_int_equal(vt.dev_close(device), 0);
    device = host_open();
    assert_int_equal(vt.dev_caps(&device, VT_CAPS_MAX_CORES, &value), 0);
    assert_true(value == 1);
    assert_int_equal(vt.dev_close(device), 0);
}

TEST(buffers)
{
    void *device = host_open(), *other = host_open();
    uint8_t bytes[0x2000] = {0};
    uint64_t address = 5, inside, foreign;
    WRONG(vt.buf_alloc(device, 0, &address, 0, 0, 0));
    WRONG(vt.buf_alloc(device, 4, NULL, 0, 0, 0));
    WRONG(vt.buf_alloc(device, UINT64_C(1) << 32, &address, 0, 0, 0));
    WRONG(vt.buf_alloc(device, UINT64_MAX, &address, 0, 0, 0));
    WRONG(vt.buf_alloc(device, 0x70000001, &address, 0, 0, 0));
    assert_true(address == 5);
    /* half of all memory, and no second time */
    assert_int_equal(vt.buf_alloc(device, 0x40000000, &address, 0, 0, 0), 0);
    WRONG(vt.buf_alloc(device, 0x40000000, &inside, 0, 0, 0));
    assert_int_equal(vt.one_buf_free(device, 1, &address, 0, 0), 0);

    const uint32_t buffer = host_buffer(device, bytes, 0x1800);
    assert_int_equal(vt.buf_alloc(other, 0x10000, &foreign, 0, 0, 0), 0);
    WRONG(vt.copy_to_dev(device, buffer, bytes, 0, 0, 0));
    WRONG(vt.copy_to_dev(device, buffer, NULL, 4, 0, 0));
    WRONG(vt.copy_from_dev(device, buffer, NULL, 4, 0, 0));
    WRONG(vt.copy_to_dev(device, buffer, bytes, 0x1801, 0, 0));
    WRONG(vt.copy_to_dev(device, buffer + 0x17ff, bytes, 2, 0, 0));
    WRONG(vt.copy_to_dev(device, buffer - 1, bytes, 2, 0, 0));
    WRONG(vt.copy_from_dev(device, buffer + 0x1800, bytes, 1, 0, 0));
    WRONG(vt.copy_from_dev(device, foreign + 0x8000, bytes, 1, 0, 0));
    WRONG(vt.copy_from_dev(device, 0, bytes, 1, 0, 0));
    WRONG(vt.copy_from_dev(device, 0x80000000, bytes, 1, 0, 0));
    WRONG(vt.copy_from_dev(device, UINT64_MAX, bytes, 2, 0, 0));
    WRONG(vt.copy_from_dev(device, (UINT64_C(1) << 32) + buffer, bytes, 4, 0, 0));
    WRONG(vt.copy_from_dev(device, buffer, bytes, UINT64_MAX, 0, 0));
    /* the window of local memory, and across its ends */
    assert_int_equal(vt.copy_to_dev(device, 0x7fffffff, bytes, 1, 0, 0), 0);
    WRONG(vt.copy_to_dev(device, 0x7fffffff, bytes, 2, 0, 0));
    WRONG(vt.copy_to_dev(device, 0x6fffffff, bytes, 2, 0, 0));
    WRONG(vt.copy_to_dev(device, 0x70000000, bytes, 0, 0, 0));
    WRONG(vt.copy_to_dev(device, 0x70000000, bytes, 0x10000001, 0, 0));

    inside = buffer + 4;
    address = buffer;
    WRONG(vt.one_buf_free(device, 4, &inside, 0, 0));
    WRONG(vt.one_buf_free(device, 0, &address, 0, 0));
    WRONG(vt.one_buf_free(device, 4, NULL, 0, 0));
    foreign += 0x100000;
    WRONG(vt.one_buf_free(device, 4, &foreign, 0, 0));
    assert_int_equal(vt.one_buf_free(device, 12345, &address, 0, 0), 0);
    WRONG(vt.one_buf_free(device, 4, &address, 0, 0)); /* twice */
    assert_int_equal(vt.buf_free(device, 0, NULL, 0, 0), 0);
    assert_int_equal(vt.dev_close(device), 0);
    assert_int_equal(vt.dev_close(other), 0);
}

/* Tasks own buffers of one address space, or (SAMITE_SV39) have one each. */
TEST(tasks)
{
    for (int sv39 = 0; sv39 < 2; sv39++) {
        (void)state;
        setenv("SAMITE_SV39", sv39 ? "1" : "0", 1);
        void *device = host_open();
        unsetenv("SAMITE_SV39");
        uint64_t first = 0, second = 0;
        uint32_t word = 6;
        assert_int_equal(vt.root_mem_alloc(device, 0), 0); /* it exists already */
        WRONG(vt.buf_alloc(device, 16, &second, 0, 1, 0));
        WRONG(vt.root_mem_alloc(device, -1));
        WRONG(vt.root_mem_free(device, 1));
        WRONG(vt.root_mem_free(device, -1));
        assert_int_equal(vt.root_mem_alloc(device, 1), 0);
        assert_int_equal(vt.buf_alloc(device, 16, &first, 0, 0, 0), 0);
        assert_int_equal(vt.buf_alloc(device, 16, &second, 0, 1, 0), 0);
        assert_int_equal(first == second, sv39);
        assert_int_equal(vt.copy_to_dev(device, second, &word, 4, 1, 0), 0);
        word = 0;
        if (!sv39) { /* another task's */
            WRONG(vt.copy_from_dev(device, second, &word, 4, 0, 0));
            WRONG(vt.one_buf_free(device, 16, &second, 0, 0));
        }
        assert_int_equal(vt.copy_from_dev(device, first, &word, 4, 0, 0), 0);
        assert_int_equal(word, 0);
        assert_int_equal(vt.buf_free(device, 0, NULL, 0, 0), 0);
        assert_int_equal(vt.copy_from_dev(device, second, &word, 4, 1, 0), 0);
        assert_int_equal(word, 6);
        assert_int_equal(vt.root_mem_free(device, 1), 0);
        WRONG(vt.copy_from_dev(device, second, &word, 4, 1, 0));
        WRONG(vt.root_mem_free(device, 1));
        assert_int_equal(vt.root_mem_alloc(device, 1), 0);
        WRONG(vt.copy_from_dev(device, second, &word, 4, 1, 0));
        assert_int_equal(vt.root_mem_free(device, 0), 0);
        WRONG(vt.buf_alloc(device, 16, &first, 0, 0, 0));
        assert_int_equal(vt.root_mem_alloc(device, 0), 0);
        assert_int_equal(vt.buf_alloc(device, 16, &first, 0, 0, 0), 0);
        assert_int_equal(vt.dev_close(device), 0);
    }
}

TEST(starts)
{
    SCOPED(host_program) program = host_assemble(nothing);
    void *device = host_open();
    const uint32_t pds = host_buffer(device, NULL, 4096 * 32), knl = host_buffer(device, NULL, 64);
    const uint64_t good[VT_META_WORDS] = {0, 1, 1, 1, 32, 1, knl, 4096, 4096, 64, 64, pds};
    uint64_t meta[VT_META_WORDS];
    memcpy(meta, good, sizeof meta);
    WRONG(vt.start(device, meta, 0)); /* no program yet */
    assert_int_equal(vt.upload_kernel_file(device, program.path, 0), 0);
    host_set(device, knl, host_symbol(&program, "nothing"));
    WRONG(vt.start(device, NULL, 0));
    WRONG(vt.start(device, meta, 9));
    static const struct {
        enum vt_meta word;
        uint64_t value;
    } wrong[] = {
        {VT_META_GRID, 0},
        {VT_META_GRID + 2, 0},
        {VT_META_GRID, UINT64_C(1) << 32},
        {VT_META_LANES, 0},
        {VT_META_LANES, 33},
        {VT_META_WARPS, 0},
        {VT_META_WARPS, 1025},
        {VT_META_METADATA, UINT64_MAX},
        {VT_META_LDS_SIZE, 0x10000001},
        {VT_META_PDS_SIZE, 4097}, /* not one workgroup fits */
        {VT_META_PDS_SIZE, UINT64_C(1) << 40},
        {VT_META_PDS_BASE, UINT64_C(1) << 33},
        {VT_META_SGPRS, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(meta, good, sizeof meta);
        meta[wrong[i].word] = wrong[i].value;
        WRONG(vt.start(device, meta, 0));
    }
    memcpy(meta, good, sizeof meta);
    assert_int_equal(vt.start(device, meta, 0), 0);
    assert_int_equal(vt.ready_wait(device, 0), 0);
    meta[VT_META_METADATA] = 0x40000000; /* read by the start code */
    assert_int_equal(vt.start(device, meta, 0), 0);
    WRONG(vt.ready_wait(device, UINT64_MAX));
    WRONG(vt.dump_perf(device, NULL));
    assert_int_equal(vt.dev_close(device), 0);
}

/* With SAMITE_ABORT, each failing call ends the process, and so does a failing launch, in
 * whichever call runs it. */
TEST(aborts)
{
    SCOPED(host_program) program = host_assemble(nothing);
    setenv("SAMITE_ABORT", "1", 1);
    for (int way = 0; way < 4; way++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            void *device = host_open();
            uint64_t address = 0, meta[VT_META_WORDS] = {0, 1, 1, 1, 32, 1, 0x40000000};
            vt.upload_kernel_file(device, program.path, 0);
            if (way == 0)
                vt.upload_kernel_file(device, "absent", 0);
            if (way == 1)
                vt.buf_alloc(device, 0, &address, 0, 0, 0);
            meta[VT_META_PDS_BASE] = host_buffer(device, NULL, 4096);
            vt.start(device, meta, 0);
            if (way == 2)
                vt.buf_alloc(device, 4, &address, 0, 0, 0);
            vt.dev_close(device);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        host_expect(way == 0   ? "samite: absent: cannot open"
                    : way == 1 ? "samite: a buffer of 0 bytes"
                               : "samite: launch 0 (kernel): load from 0x40000000");
    }
    unsetenv("SAMITE_ABORT");
}

/* Symbols that programs linked with a library look up later. */
static const char *soname_of(const char *path)
{
    struct link_map *map;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *strings = NULL;
    ElfW(Xword) name = 0;
    assert_non_null(library);
    assert_non_null(dlsym(library, "vt_dev_open"));
    assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr; /* NOLINT(performance-no-int-to-ptr) */
        if (d->d_tag == DT_SONAME)
            name = d->d_un.d_val;
    }
    assert_true(strings && name);
    return strings ? strings + name : "";
}

/* A program linked with one of the two libraries of this name runs with either. */
TEST(alias)
{
    const char *path = getenv("SAMITE_VENTUS");
    FREED char *other =
        formatted("%.*s/libspike_driver.so", (int)(strrchr(path, '/') - path), path);
    assert_string_equal(soname_of(path), "libsamite_ventus.so");
    assert_string_equal(soname_of(other), "libspike_driver.so");
}

TEST_GROUP(host_set_up, host_tear_down)
