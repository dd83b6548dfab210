/* SPDX-License-Identifier: Apache-2.0 */
/* samite cc: OpenCL C to an ELF file, or to assembly. */
#include <stdlib.h>

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

/* ------------------------------------------------------------------------ --as-ventus-clang */

/* --as-ventus-clang: the command lines by which pocl's Ventus device calls the clang of
 * llvm-ventus, in the options of samite cc. */

/* Options of clang by their beginnings. */
enum handling {
    KEEP, /* samite cc has the same one */
    DROP, /* the target, the linker, warnings, permissions that are not needed */
    MACRO /* KEEP, but for the macros that clang defines by itself */
};

static const struct row {
    const char *begins;
    enum handling handling;
    bool value; /* in the next word, if this one ends here */
} rows[] = {
    {"-cl-std=", KEEP, false}, {"-cl-", DROP, false},
    {"-D", MACRO, true},       {"-I", KEEP, true},
    {"-o", KEEP, true},        {"-g", KEEP, false},
    {"-w", KEEP, false},       {"-S", KEEP, false},
    {"-c", DROP, false},       {"-O", DROP, false},
    {"-target", DROP, true},   {"--target=", DROP, false},
    {"-m", DROP, false},       {"-x", DROP, true},
    {"-Wl,", DROP, false},     {"-W", DROP, false},
    {"-L", DROP, true},        {"-l", DROP, true},
    {"-T", DROP, true},        {"-f", DROP, false},
    {"-nostd", DROP, false},   {"-nodefaultlibs", DROP, false},
    {"-Xclang", DROP, true},   {"-Xlinker", DROP, true},
};

static const struct row *find(const char *word)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(word, rows[i].begins, strlen(rows[i].begins)) == 0)
            return &rows[i];
    return NULL;
}

static bool is_predefined(const char *macro)
{
    return strncmp(macro, "__OPENCL_", 9) == 0 || strncmp(macro, "__opencl_c_", 11) == 0;
}

/* If the first word is --as-ventus-clang, replace the words after it, options of clang, by those of
 * samite cc. Those for the target, the linker and warnings are dropped; CLI_BAD_INPUT: an unknown
 * one. */
static int take_words_of_clang(struct cli_args *args)
{
    if (!args->count || strcmp(args->words[0], "--as-ventus-clang") != 0)
        return CLI_OK;
    char **words = cli_own(args, 2 * (size_t)args->count + 1, sizeof *words);
    int count = 0;
    if (!words)
        return cli_no_memory();
    for (int i = 1; i < args->count; i++) {
        char *word = args->words[i];
        const struct row *row = word[0] == '-' && word[1] ? find(word) : NULL;
        if (word[0] == '-' && word[1] && !row)
            return cli_usage_error(args, "--as-ventus-clang: unknown option '%s' of clang", word);
        const size_t size = row ? strlen(row->begins) : 0;
        const bool more = row && row->value && !word[size];
        if (more && i + 1 == args->count)
            return cli_usage_error(args, "--as-ventus-clang: %s needs a value", word);
        const char *value = more ? args->words[i + 1] : word + size;
        const bool drop =
            row && (row->handling == DROP || (row->handling == MACRO && is_predefined(value)));
        if (!drop) {
            words[count++] = word;
            if (more)
                words[count++] = args->words[i + 1];
        }
        i += more;
    }
    args->words = words;
    args->count = count;
    return CLI_OK;
}

/* ------------------------------------------------------------------------------------ the verb */

static int run(struct cli_args *args)
{
    struct request r = {.base = 0x80000000, .level = 2};
    int code = take_words_of_clang(args) ?: take_flags(args, &r) ?: cli_read(args, &r);
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
    CLI_STANDARD(struct request, standard),
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
