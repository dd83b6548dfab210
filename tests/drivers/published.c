/* SPDX-License-Identifier: Apache-2.0 */
/* Launches recorded by the public simulator, repeated with the calls of pocl's Ventus device:
 * the files written for a launch have the same bytes, including the addresses assigned by the
 * driver, and the logs have the same records. The recordings are in the folder in SAMITE_KERNELS
 * (docs/gpu-time.md). */
#include "host.h"

#include <unistd.h>

#include "../gputime/recorded.h"
#include "../must.h"

enum { ARGS = 3 }; /* buffers before the argument buffer: a, b and c */

static const char *folder;

static char *load(const char *path, const char *ending, size_t *size)
{
    char *bytes;
    FREED char *name = formatted("%s/%s%s", folder, path, ending);
    succeeds(sam_file_load, name, 1 << 26, &bytes, size);
    return bytes;
}

static void put_words(struct sam_buffer *text, const void *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i += 4)
        sam_buffer_printf(text, "%08x\n", sam_le32((const uint8_t *)bytes + i));
}

static void same_text(const struct sam_buffer *text, const char *path, const char *ending)
{
    size_t size;
    FREED char *expected = load(path, ending, &size);
    assert_int_equal(text->size, size);
    assert_memory_equal(text->data, expected, size);
}

static void same_log(const char *path)
{
    struct sam_logdiff diff;
    size_t size, own_size;
    FREED char *expected = load(path, ".log", &size), *own;
    succeeds(sam_file_load, "object.riscv.log", 1 << 26, &own, &own_size);
    succeeds(sam_log_compare, own, own_size, "own", expected, size, path, &diff);
    if (!diff.equal)
        fail_msg("%s: warp %u: %s", path, diff.warp, diff.what);
    assert_int_equal(diff.only[0] + diff.only[1], 0);
    assert_int_equal(diff.side[0].records, diff.side[1].records);
    assert_int_equal(unlink("object.riscv.log"), 0);
}

/* The output of SAMITE_RECORD: the words of the launch, and the bytes of every published buffer. */
static void same_recording(const struct recorded *published, const char *kernel)
{
    struct recorded own;
    static unsigned devices;
    char name[128], head[16] = "";
    if (++devices > 1)
        snprintf(head, sizeof head, "d%u-", devices);
    snprintf(name, sizeof name, "%s0000-%s", head, kernel);
    succeeds(recorded_open, "recorded", name, &own);
    assert_memory_equal(&own.metadata.start, &published->metadata.start,
                        offsetof(struct sam_metadata, buffers) -
                            offsetof(struct sam_metadata, start));
    for (size_t i = 0; i < published->metadata.buffer_count; i++) {
        const struct sam_metadata_buffer *b = &published->metadata.buffers[i];
        const uint32_t *words = recorded_words(published, b->base, b->size);
        const uint32_t *ours = recorded_words(&own, b->base, 4);
        size_t at = 0;
        while (at < own.metadata.buffer_count && own.metadata.buffers[at].base != b->base)
            at++;
        assert_true(at < own.metadata.buffer_count);
        assert_true(b->base < 0x90000000 || own.metadata.buffers[at].allocated >= b->allocated);
        for (uint64_t w = 0; w < b->size / 4 && b->base >= 0x90000000; w++)
            assert_int_equal(4 * w < own.metadata.buffers[at].size ? ours[w] : 0, words[w]);
    }
    recorded_close(&own);
    assert_int_equal(system("rm -r recorded"), 0); /* NOLINT(concurrency-mt-unsafe) */
}

/* One launch of the uploaded `program`. */
static void replay(const char *path, const char *program, const char *kernel)
{
    struct recorded published;
    SCOPED(sam_buffer) metadata = {0}, data = {0};
    void *device;
    uint64_t at[8];
    succeeds(recorded_open, folder, path, &published);
    const struct sam_metadata *m = &published.metadata;
    assert_int_equal(m->buffer_count, ARGS + 4);
    const struct sam_metadata_buffer *b = m->buffers;
    const uint32_t *words[ARGS + 4];
    for (int i = 0; i < ARGS + 4; i++)
        words[i] = recorded_words(&published, b[i].base, b[i].size);

    setenv("SAMITE_LOG", "auto", 1);
    setenv("SAMITE_RECORD", "recorded", 1);
    device = host_open();
    unsetenv("SAMITE_LOG");
    unsetenv("SAMITE_RECORD");
    for (int i = 0; i < ARGS; i++) {
        at[i] = host_buffer(device, words[i], b[i].size);
        put_words(&data, words[i], b[i].size);
    }
    const uint32_t args[ARGS] = {(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]};
    assert_int_equal(b[ARGS].size, sizeof args);
    at[ARGS] = host_buffer(device, args, sizeof args);
    put_words(&data, args, sizeof args);

    size_t size;
    FREED char *file = load(program, "", &size);
    succeeds(sam_file_save, "object.riscv", file, size);
    assert_int_equal(vt.upload_kernel_file(device, "object.riscv", 0), 0);
    at[ARGS + 1] = 0x80000000;
    for (uint32_t i = 0; i < b[ARGS + 1].size / 4; i++) {
        const uint32_t word = host_word(device, 0x80000000 + 4 * i);
        put_words(&data, &word, sizeof word);
    }

    const uint64_t lanes = m->lanes, warps = m->warps;
    const uint64_t pds = m->pds_size * lanes * warps * m->grid[0] * m->grid[1] * m->grid[2];
    at[ARGS + 2] = host_buffer(device, NULL, pds);
    uint32_t knl[16];
    memcpy(knl, words[ARGS + 3], sizeof knl);
    knl[1] = (uint32_t)at[ARGS];
    at[ARGS + 3] = host_buffer(device, knl, sizeof knl);
    put_words(&data, knl, sizeof knl);

    uint64_t meta[VT_META_WORDS] = {0,           m->grid[0], m->grid[1],   m->grid[2],
                                    lanes,       warps,      at[ARGS + 3], m->lds_size,
                                    m->pds_size, m->sgprs,   m->vgprs,     at[ARGS + 2]};
    put_words(&metadata, &at[ARGS + 1], 8);
    put_words(&metadata, meta, sizeof meta);
    put_words(&metadata, (const uint64_t[]){ARGS + 4}, 8);
    put_words(&metadata, at, 8 * (ARGS + 4));
    for (int i = 0; i < ARGS + 4; i++)
        put_words(&metadata, &b[i].size, 8);
    for (int i = 0; i < ARGS + 4; i++) {
        const uint64_t room = i == ARGS + 2 ? pds : b[i].allocated;
        put_words(&metadata, &room, 8);
    }
    same_text(&metadata, path, ".metadata");
    same_text(&data, path, ".data");

    assert_int_equal(vt.start(device, meta, 0), 0);
    assert_int_equal(vt.ready_wait(device, 1000), 0);
    assert_int_equal(vt.dev_close(device), 0);
    same_log(path);
    same_recording(&published, kernel);
    recorded_close(&published);
    unlink("object.riscv");
}

TEST(vecadd)
{
    replay(RECORDED_RODINIA "vecadd/4w16t/vecadd_0", RECORDED_RODINIA "vecadd/4w16t/object.riscv",
           "vecadd");
    replay(RECORDED_RODINIA "vecadd/4w32t/vecadd_0", RECORDED_RODINIA "vecadd/4w32t/object.riscv",
           "vecadd");
    /* of the same program */
    replay(RECORDED_RODINIA "vecadd/4x8/vecadd_0", RECORDED_RODINIA "vecadd/4w16t/object.riscv",
           "vecadd");
}

TEST(matadd)
{
    replay(RECORDED_RODINIA "matadd/matadd_0", RECORDED_RODINIA "matadd/object.riscv", "matadd");
}

PROLOGUE
{
    folder = recorded_folder();
    if (!folder)
        test_skip_all("SAMITE_KERNELS is not set: no recordings to compare with");
}

TEST_GROUP(host_set_up, host_tear_down)
