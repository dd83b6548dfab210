/* SPDX-License-Identifier: Apache-2.0 */
/* samite cc: OpenCL C to an ELF file, or to assembly. */
#include <stdlib.h>
#include <string.h>

#include "cc_as_clang.h"
#include "cli.h"
#include "samite/cc.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/gpu.h"
#include "samite/isa.h"

struct request {
    const char *in, *out, *standard;
    uint64_t base, level, lanes;
    struct cli_list defines, paths, flags;
    bool assembly, lines, no_cache, no_warnings, as_clang;
};

static int write_elf(const struct request *r, const char *text, size_t size)
{
    struct sam_error error = {0};
    struct sam_image *image = NULL;
    char *messages = NULL;
    void *elf = NULL;
    size_t elf_size = 0;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = r->base,
                                      .lines = r->lines,
                                      .prologue = sam_gpu_start_code(),
                                      .prologue_name = "<start code>"};
    enum sam_status status =
        sam_isa_parse("ventus", &options.isa, &error)
            ?: sam_assemble(&options, r->in, text, size, &image, &messages, &error);
    cli_put_messages(messages);
    sam_text_free(messages);
    if (status == SAM_OK)
        status = sam_elf_make(image, &elf, &elf_size, &error);
    if (status == SAM_OK)
        status = sam_file_save(r->out, elf, elf_size, &error);
    free(elf);
    sam_image_free(image);
    return cli_code(status, &error);
}

static int compile(const struct request *r)
{
    struct sam_error error = {0};
    char *text, *messages;
    size_t size;
    const struct sam_cc_options options = {.size = sizeof options,
                                           .defines = r->defines.items,
                                           .define_count = r->defines.count,
                                           .include_paths = r->paths.items,
                                           .include_count = r->paths.count,
                                           .standard = r->standard,
                                           .optimize = (unsigned)r->level,
                                           .no_cache = r->no_cache,
                                           .variables = r->lines,
                                           .flags = r->flags.items,
                                           .flag_count = r->flags.count};
    const enum sam_status status = sam_cc_compile(&options, r->in, &text, &size, &messages, &error);
    cli_put_messages(messages);
    sam_text_free(messages);
    if (status != SAM_OK)
        return cli_report(&error);
    const int code = r->assembly ? cli_save(r->out, text, size) : write_elf(r, text, size);
    sam_text_free(text);
    return code;
}

static int pass_flag(struct cli_args *args, struct request *r, const char *word)
{
    const char **flag = CLI_APPEND(args, &r->flags);
    if (!flag)
        return cli_no_memory();
    *flag = word;
    return CLI_OK;
}

/* Take out what is written as for clang, with one dash. */
static int take_flags(struct cli_args *args, struct request *r)
{
    static const char std[] = "-cl-std=";
    int kept = 0;
    bool names = false; /* follow */
    for (int i = 0; i < args->count; i++) {
        char *word = args->words[i];
        names |= strcmp(word, "--") == 0;
        if (names) {
            args->words[kept++] = word;
        } else if (strncmp(word, std, sizeof std - 1) == 0) {
            r->standard = word + sizeof std - 1;
        } else if (strncmp(word, "-cl-", 4) == 0 || strcmp(word, "-Werror") == 0) {
            const int code = pass_flag(args, r, word);
            if (code)
                return code;
        } else {
            args->words[kept++] = word;
        }
    }
    args->count = kept;
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    struct request r = {.base = 0x80000000, .level = 2};
    int code = cc_as_clang(args) ?: take_flags(args, &r) ?: cli_read(args, &r);
    if (code == CLI_OK && r.as_clang)
        code = cli_usage_error(args, "--as-ventus-clang: expected it before all other options");
    if (code == CLI_OK && !r.out)
        code = cli_usage_error(args, "no output: use -o FILE");
    if (code == CLI_OK && r.no_warnings)
        code = pass_flag(args, &r, "-w");
    code = code ?: cli_reads(args, r.in) ?: cli_writes(args, r.out);
    return code ?: compile(&r);
}

static const struct cli_option options[] = {
    CLI_BASE(struct request, base, "address of .text (0x80000000)"),
    CLI_DEFINE(struct request, defines),
    CLI_INCLUDE(struct request, paths),
    CLI_OUTPUT(struct request, out, "the file to write; - is standard output"),
    CLI_ROW(struct request, assembly, "emit-assembly", CLI_FLAG, NULL,
            "write assembly instead of an ELF file", .letter = 'S'),
    CLI_ROW(struct request, lines, "debug", CLI_FLAG, NULL,
            "describe lines and variables in the ELF file (DWARF)", .letter = 'g'),
    CLI_ROW(struct request, level, "optimize", CLI_NUMBER, "LEVEL", "1 to 3 (2)", .letter = 'O',
            .low = 1, .high = 3),
    CLI_ROW(struct request, standard, "std", CLI_TEXT, "STANDARD",
            "CL1.1, CL1.2 (default), CL2.0 or CL3.0"),
    CLI_ROW(struct request, lanes, "warp", CLI_NUMBER, "LANES",
            "lanes per warp of the machine: 4, 8, 16 or 32; the code is the same for all of them",
            .choices = "4 8 16 32"),
    CLI_ROW(struct request, no_cache, "no-cache", CLI_FLAG, NULL,
            "compile even if the cache has an earlier result"),
    CLI_ROW(struct request, no_warnings, "no-warnings", CLI_FLAG, NULL, "show clang's errors only",
            .letter = 'w'),
    CLI_ROW(struct request, as_clang, "as-ventus-clang", CLI_FLAG, NULL,
            "as the first option: the others are those by which pocl calls the clang of "
            "llvm-ventus (docs/ventus-stack.md)"),
    {0},
};

const struct cli_verb verb_cc = {
    .name = "cc",
    .summary = "compile kernels in OpenCL C",
    .usage = "[options] IN.cl -o OUT",
    .options = options,
    .operand = CLI_OPERAND(struct request, in, "source file", CLI_TEXT, 1, 1, ".cl .ocl"),
    .details =
        "clang 14 to 19 and LLVM of its version do the first half and must be installed\n"
        "(`apt install clang`); SAMITE_CLANG names another clang. `samite run`, `debug` and\n"
        "`sweep` compile a .cl file on their own. Results are kept in ~/.cache/samite.\n"
        "-Werror and build options of OpenCL are taken as clang takes them: -cl-std=CL2.0,\n"
        "-cl-fast-relaxed-math, -cl-mad-enable, -cl-opt-disable and the like.\n",
    .examples = "  samite cc vecadd.cl -o vecadd.elf\n"
                "  samite cc -D BLOCK=16 -I include kernel.cl -o kernel.elf\n"
                "  samite cc -cl-fast-relaxed-math kernel.cl -o kernel.elf\n"
                "  samite cc -S kernel.cl -o -\n",
    .run = run,
};
