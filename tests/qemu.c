/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static bool shell(const char *format, ...) SAM_PRINTF(1, 2);

static bool shell(const char *format, ...)
{
    char command[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return length > 0 && (size_t)length < sizeof command && system(command) == 0;
}

static bool assemble(const struct qemu_target *target, const char *folder)
{
    return shell("riscv64-unknown-elf-as -march=%s -mabi=%s -o '%s/p.o' '%s/p.s'", target->march,
                 target->mabi, folder, folder) &&
           shell("riscv64-unknown-elf-ld -m elf%ulriscv -Ttext=0x10000 -o '%s/p' '%s/p.o'",
                 target->xlen, folder, folder);
}

void *qemu_run(const struct qemu_target *target, const char *text, size_t *size)
{
    const char *temporary = getenv("TMPDIR");
    char folder[1024], path[1100];
    struct sam_buffer out = {0};
    struct sam_error error;
    bool good = false;
    snprintf(folder, sizeof folder, "%s/samite-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/p.s", folder);
    good =
        sam_file_write(path, text, strlen(text), &error) == SAM_OK && assemble(target, folder) &&
        shell("qemu-riscv%u -cpu %s '%s/p' > '%s/out'", target->xlen, target->cpu, folder, folder);
    if (good) {
        snprintf(path, sizeof path, "%s/out", folder);
        good = sam_file_read(path, UINT64_C(1) << 32, &out, &error) == SAM_OK;
    }
    if (!good)
        fprintf(stderr, "# qemu-riscv%u -cpu %s: the program did not run\n", target->xlen,
                target->cpu);
    shell("rm -rf '%s'", folder);
    if (!good) {
        sam_buffer_free(&out);
        return NULL;
    }
    *size = out.size;
    return out.data;
}

bool qemu_available(const struct qemu_target *target)
{
    static const char hello[] = ".globl _start\n"
                                "_start: li a4, 4\n" QEMU_FINISH("word") ".data\n"
                                                                         "word: .word 7\n";
    size_t size = 0;
    if (!shell("command -v riscv64-unknown-elf-as riscv64-unknown-elf-ld qemu-riscv%u >/dev/null",
               target->xlen))
        return false;
    void *out = qemu_run(target, hello, &size);
    bool works = out && size == 4;
    free(out);
    return works;
}
