/* SPDX-License-Identifier: Apache-2.0 */
/* A host program that knows nothing of Samite: it opens the driver it is given, as the loader of
 * Ventus back ends does, and adds two arrays with the calls of pocl's Ventus device, in its order.
 * cc ventus_host.c -ldl; ./a.out DRIVER.so PROGRAM.riscv */
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNT = 1000,
    LANES = 32,
    WARPS = 2,
    GROUPS = (COUNT + LANES * WARPS - 1) / (LANES * WARPS)
};
enum { PRIVATE = 4096 }; /* bytes per work-item */

static struct {
    int (*dev_open)(void **);
    int (*dev_close)(void *);
    int (*buf_alloc)(void *, uint64_t, uint64_t *, int, uint64_t, uint64_t);
    int (*one_buf_free)(void *, uint64_t, uint64_t *, uint64_t, uint64_t);
    int (*copy_to_dev)(void *, uint64_t, const void *, uint64_t, uint64_t, uint64_t);
    int (*copy_from_dev)(void *, uint64_t, void *, uint64_t, uint64_t, uint64_t);
    int (*upload_kernel_file)(void *, const char *, int);
    int (*start)(void *, void *, uint64_t);
    int (*ready_wait)(void *, uint64_t);
} vt;

static void need(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "ventus_host: %s failed\n", what);
        exit(1);
    }
}

static void load_driver(const char *path)
{
    static const char *const names[] = {"dev_open",           "dev_close",   "buf_alloc",
                                        "one_buf_free",       "copy_to_dev", "copy_from_dev",
                                        "upload_kernel_file", "start",       "ready_wait"};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    need(library != NULL, path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "vt_%s", names[i]);
        void *symbol = dlsym(library, name);
        need(symbol != NULL, name);
        memcpy((char *)&vt + i * sizeof symbol, &symbol, sizeof symbol);
    }
}

/* The address of a symbol of a 32-bit ELF file. */
static uint32_t find_symbol(const char *path, const char *wanted)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    need(fread(bytes, 1, sizeof bytes, file) > sizeof(Elf32_Ehdr), path);
    fclose(file);
    const Elf32_Ehdr *elf = (const void *)bytes;
    const Elf32_Shdr *sections = (const void *)(bytes + elf->e_shoff);
    for (int i = 0; i < elf->e_shnum; i++) {
        const Elf32_Sym *symbols = (const void *)(bytes + sections[i].sh_offset);
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++)
            if (strcmp(names + symbols[s].st_name, wanted) == 0)
                return symbols[s].st_value;
    }
    need(0, wanted);
    return 0;
}

static uint64_t make_buffer(void *device, const void *data, uint64_t size)
{
    uint64_t address;
    need(vt.buf_alloc(device, size, &address, 0, 0, 0) == 0, "vt_buf_alloc");
    if (data)
        need(vt.copy_to_dev(device, address, data, size, 0, 0) == 0, "vt_copy_to_dev");
    return address;
}

int main(int argc, char **argv)
{
    static float a[COUNT], b[COUNT], c[COUNT];
    void *device;
    need(argc == 3, "ventus_host DRIVER.so PROGRAM.riscv:");
    load_driver(argv[1]);
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = 0.5f;
    }
    need(vt.dev_open(&device) == 0, "vt_dev_open");
    uint64_t buffers[3] = {make_buffer(device, a, sizeof a), make_buffer(device, b, sizeof b),
                           make_buffer(device, c, sizeof c)};

    const uint32_t arguments[] = {(uint32_t)buffers[0], (uint32_t)buffers[1], (uint32_t)buffers[2],
                                  COUNT};
    uint64_t argument = make_buffer(device, arguments, sizeof arguments);
    need(vt.upload_kernel_file(device, argv[2], 0) == 0, "vt_upload_kernel_file");
    uint64_t private = make_buffer(device, NULL, (uint64_t)PRIVATE * LANES * WARPS * GROUPS);
    uint32_t knl[16] = {find_symbol(argv[2], "vecadd"),
                        (uint32_t)argument,
                        1, /* dimensions */
                        LANES * WARPS * GROUPS,
                        1,
                        1,
                        LANES * WARPS,
                        1,
                        1};
    uint64_t metadata = make_buffer(device, knl, sizeof knl);

    /* kernel id; workgroups; lanes, warps; metadata; local, private size; registers; private */
    uint64_t meta[12] = {0, GROUPS, 1, 1, LANES, WARPS, metadata, 4096, PRIVATE, 64, 64, private};
    need(vt.start(device, meta, 0) == 0, "vt_start");
    need(vt.ready_wait(device, 1000) == 0, "vt_ready_wait");
    vt.one_buf_free(device, sizeof knl, &metadata, 0, 0);
    vt.one_buf_free(device, (uint64_t)PRIVATE * LANES * WARPS * GROUPS, &private, 0, 0);
    vt.one_buf_free(device, sizeof arguments, &argument, 0, 0);

    need(vt.copy_from_dev(device, buffers[2], c, sizeof c, 0, 0) == 0, "vt_copy_from_dev");
    for (int i = 0; i < COUNT; i++)
        need(c[i] == a[i] + b[i], "a sum");
    printf("%d sums are right: %g + %g = %g\n", COUNT, a[COUNT - 1], b[COUNT - 1], c[COUNT - 1]);
    need(vt.dev_close(device) == 0, "vt_dev_close");
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return 0;
}
