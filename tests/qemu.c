/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu.h"

#include <unistd.h>

#include "test.h"

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

/* Assemble and link `text`, then run `command` in the folder of the program `p`; the result is
 * the file `out`. */
static void *build(const struct qemu_target *target, const char *text, const char *command,
                   size_t *size)
{
    const char *temporary = getenv("TMPDIR");
    char folder[1024], path[1100];
    struct sam_buffer out = {0};
    struct sam_error error;
    snprintf(folder, sizeof folder, "%s/samite-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/p.s", folder);
    bool good = sam_file_write(path, text, strlen(text), &error) == SAM_OK &&
                shell("cd '%s' && riscv64-unknown-elf-as -march=%s -mabi=%s -o p.o p.s", folder,
                      target->march, target->mabi) &&
                shell("cd '%s' && riscv64-unknown-elf-ld -m elf%ulriscv -Ttext=0x80000000 "
                      "-Tdata=0x90000000 -Tbss=0xa0000000 -o p p.o",
                      folder, target->xlen) &&
                shell("cd '%s' && %s", folder, command);
    snprintf(path, sizeof path, "%s/out", folder);
    good = good && sam_file_read(path, UINT64_C(1) << 32, &out, &error) == SAM_OK &&
           sam_buffer_append(&out, "", 1); /* never NULL */
    if (!good)
        fprintf(stderr, "# failed: %s\n", command);
    shell("rm -rf '%s'", folder);
    if (!good) {
        sam_buffer_free(&out);
        return NULL;
    }
    *size = out.size - 1;
    return out.data;
}

void *qemu_run(const struct qemu_target *target, const char *text, size_t *size)
{
    char command[256];
    snprintf(command, sizeof command, "qemu-riscv%u -cpu %s ./p > out", target->xlen, target->cpu);
    return build(target, text, command, size);
}

void *qemu_section(const struct qemu_target *target, const char *text, const char *section,
                   size_t *size)
{
    char command[256];
    snprintf(command, sizeof command, "riscv64-unknown-elf-objcopy -O binary -j %s p out", section);
    return build(target, text, command, size);
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

void qemu_require(const struct qemu_target *target)
{
    if (!qemu_available(target))
        test_skip_all("needs riscv64-unknown-elf-as and qemu-riscv%u -cpu %s", target->xlen,
                      target->cpu);
}
