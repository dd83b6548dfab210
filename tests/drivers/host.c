/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "../must.h"
#include "samite/samite.h"

struct driver vt;

void host_load(void)
{
    static const char *const names[] = {
        "dev_open",      "dev_close",     "dev_caps",           "root_mem_alloc",
        "root_mem_free", "buf_alloc",     "buf_free",           "one_buf_free",
        "copy_to_dev",   "copy_from_dev", "upload_kernel_file", "upload_kernel_bytes",
        "start",         "ready_wait",    "finish_all_kernel",  "dump_perf"};
    const char *path = getenv("SAMITE_VENTUS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    _Static_assert(sizeof vt == sizeof names, "one name for each function");
    for (size_t i = 0; library && i < sizeof names / sizeof names[0]; i++) {
        FREED char *name = formatted("vt_%s", names[i]);
        void *symbol = dlsym(library, name);
        memcpy((char *)&vt + i * sizeof symbol, &symbol, sizeof symbol);
        if (!symbol)
            library = NULL;
    }
    if (!library) {
        fprintf(stderr, "the driver cannot be opened: SAMITE_VENTUS is its path\n");
        exit(1);
    }
}

struct host_program host_assemble(const char *text)
{
    static unsigned number;
    struct host_program program = {0};
    struct sam_error error;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = SAM_CODE_BASE,
                                      .prologue = sam_gpu_start_code(),
                                      .prologue_name = "start"};
    const char *source = getenv("SAMITE_SOURCE");
    FREED char *kernels = formatted("%s/kernels", source ? source : ".");
    options.include_paths = (const char *const[]){kernels};
    options.include_count = 1;
    SCOPED_IMAGE *image;
    SCOPED_TEXT *messages = NULL;
    succeeds(sam_isa_parse, "ventus", &options.isa);
    if (sam_assemble(&options, "test.s", text, strlen(text), &image, &messages, &error) != SAM_OK)
        fail_msg("%s", messages);
    succeeds(sam_elf_make, image, &program.bytes, &program.size);
    snprintf(program.path, sizeof program.path, "program%u.riscv", number++);
    succeeds(sam_file_save, program.path, program.bytes, program.size);
    return program;
}

void host_program_free(struct host_program *program)
{
    unlink(program->path);
    free(program->bytes);
}

uint32_t host_symbol(const struct host_program *program, const char *name)
{
    SCOPED_IMAGE *image;
    succeeds(sam_elf_parse, program->bytes, program->size, "test", &image);
    const struct sam_symbol *symbol = sam_image_find(image, name);
    assert_non_null(symbol);
    const uint32_t value = (uint32_t)symbol->value;
    return value;
}

void *host_open(void)
{
    void *device = NULL;
    assert_int_equal(vt.dev_open(&device), 0);
    assert_non_null(device);
    return device;
}

uint32_t host_buffer(void *device, const void *data, uint64_t size)
{
    uint64_t address = 0;
    assert_int_equal(vt.buf_alloc(device, size, &address, 0, 0, 0), 0);
    assert_true(address >= 0x90000000 && address % 4096 == 0 && address + size <= 1ull << 32);
    if (data)
        assert_int_equal(vt.copy_to_dev(device, address, data, size, 0, 0), 0);
    return (uint32_t)address;
}

void host_free(void *device, uint32_t address)
{
    uint64_t wide = address;
    assert_int_equal(vt.one_buf_free(device, 1, &wide, 0, 0), 0);
}

uint32_t host_word(void *device, uint32_t address)
{
    uint32_t word = 0;
    assert_int_equal(vt.copy_from_dev(device, address, &word, 4, 0, 0), 0);
    return word;
}

void host_set(void *device, uint32_t address, uint32_t value)
{
    assert_int_equal(vt.copy_to_dev(device, address, &value, 4, 0, 0), 0);
}

enum { PDS = 4096, LANES = 32 };

struct host_started host_start(void *device, const struct host_program *program,
                               const struct host_launch *launch)
{
    const uint32_t warps = (launch->local + LANES - 1) / LANES;
    struct host_started s = {0};
    if (launch->arg_count)
        s.args = host_buffer(device, launch->args, 4 * launch->arg_count);
    assert_int_equal(vt.upload_kernel_file(device, program->path, 0), 0);
    s.pds = host_buffer(device, NULL,
                        launch->pds_room ? launch->pds_room
                                         : (uint64_t)PDS * LANES * warps * launch->groups);
    const uint32_t knl[16] = {host_symbol(program, launch->kernel),
                              s.args,
                              1,
                              launch->groups * launch->local,
                              1,
                              1,
                              launch->local,
                              1,
                              1};
    s.knl = host_buffer(device, knl, sizeof knl);
    uint64_t meta[VT_META_WORDS] = {0,     launch->groups, 1,   1,  LANES, warps,
                                    s.knl, 4096,           PDS, 64, 64,    s.pds};
    assert_int_equal(vt.start(device, meta, 0), 0);
    memset(meta, 0xff, sizeof meta); /* the caller's own again */
    return s;
}

void host_finish(void *device, const struct host_started *started)
{
    host_free(device, started->knl);
    host_free(device, started->pds);
    if (started->args)
        host_free(device, started->args);
}

int host_run(void *device, const struct host_program *program, const struct host_launch *launch)
{
    const struct host_started started = host_start(device, program, launch);
    const int code = vt.ready_wait(device, 1000);
    host_finish(device, &started);
    return code;
}

/* ------------------------------------------------------------------------- standard error */

static char caught[1 << 20];
static int caught_file = -1, real_stderr = -1;
static size_t seen; /* output that a test has read */

void host_catch(void)
{
    char name[] = "/tmp/samite-driver-XXXXXX";
    caught_file = mkstemp(name);
    assert_true(caught_file >= 0);
    unlink(name);
    real_stderr = dup(STDERR_FILENO);
    assert_true(dup2(caught_file, STDERR_FILENO) >= 0);
}

static char folder[] = "/tmp/samite-test-XXXXXX";

int host_set_up(void **state)
{
    (void)state;
    host_load();
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    host_catch();
    return 0;
}

int host_tear_down(void **state)
{
    (void)state;
    dprintf(real_stderr, "%s", host_caught());
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

const char *host_caught(void)
{
    const ssize_t size = pread(caught_file, caught, sizeof caught - 1, 0);
    assert_true(size >= 0);
    caught[size] = '\0';
    return caught;
}

void host_expect(const char *part)
{
    const char *text = host_caught() + seen;
    if (!strstr(text, part))
        fail_msg("no '%s' in '%s'", part, text);
    seen += strlen(text);
}
