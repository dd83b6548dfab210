/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and memory, as the Ventus GPGPU and the tensor hart handle them. */
#include <stdlib.h>
#include <sys/stat.h>

#include "machine/machine.h"

bool run_is_elf(const void *data, size_t size)
{
    return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* `name` is a 64-bit ELF file. */
static int report_wide(const char *name)
{
    return cli_error("%s: a 64-bit program: a Ventus GPGPU is RV32; --machine tensor runs it",
                     name);
}

int run_read_program(const char *path, char **data, size_t *size, bool *elf)
{
    struct sam_error error;
    *data = NULL;
    const int code = cli_load(path, RUN_MAX_PROGRAM, data, size);
    *elf = code == CLI_OK && run_is_elf(*data, *size);
    return code != CLI_OK || *elf ? code
                                  : cli_code(cli_expect_text(cli_input_name(path), *data, *size,
                                                             RUN_PROGRAM_KINDS, &error),
                                             &error);
}

int run_check_program(const char *path)
{
    struct stat status;
    char *data;
    size_t size;
    bool elf;
    if (cli_is_stdio(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
        return CLI_OK;
    int code = run_read_program(path, &data, &size, &elf);
    if (code == CLI_OK && elf && size > 4 && data[4] == 2) /* EI_CLASS */
        code = report_wide(path);
    free(data);
    return code;
}

struct sam_image *run_assemble(const struct run_request *r, const struct sam_asm_options *options,
                               const char *name, const char *text, size_t size)
{
    struct sam_error error = {0};
    struct sam_image *image = NULL;
    char *messages = NULL;
    struct cli_included included = {.args = r->args};
    struct sam_asm_options watched = *options;
    watched.size = sizeof watched;
    watched.defines = r->defines.items;
    watched.define_count = r->defines.count;
    watched.include_paths = r->includes.items;
    watched.include_count = r->includes.count;
    watched.reads = cli_reads_included;
    watched.reads_context = &included;
    watched.lines = true;
    const enum sam_status status =
        sam_assemble(&watched, name, text, size, &image, &messages, &error);
    const int code = cli_end_messages(status, &messages, &error) ?: included.code;
    if (code == CLI_OK)
        return image;
    sam_image_free(image);
    return NULL;
}

/* The same for a program of a Ventus GPGPU, with `prologue` in front; NULL: nothing. */
static struct sam_image *assemble_kernels(const struct run_request *r, uint64_t base,
                                          const char *name, const char *text, size_t size,
                                          const char *prologue)
{
    struct sam_error error = {0};
    struct sam_asm_options options = {
        .base = base, .prologue = prologue, .prologue_name = "<start code>"};
    if (sam_isa_parse("ventus", &options.isa, &error) != SAM_OK) {
        cli_report(&error);
        return NULL;
    }
    return run_assemble(r, &options, name, text, size);
}

/* The first page after the entry's that no section reaches into. Sections are in order. */
static uint64_t free_page(const struct sam_image *image, uint64_t base)
{
    enum { PAGE = 4096 };
    uint64_t at = image->entry < base ? base : image->entry;
    at = (at + PAGE) & ~UINT64_C(4095);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->address < at + PAGE && s->address + s->size > at)
            at = (s->address + s->size + PAGE - 1) & ~UINT64_C(4095);
    }
    return at;
}

/* Returns whether a launch begins with start code. An image whose entry is a function of another
 * name, or that has no entry, has none. */
static bool has_start(const struct sam_image *image)
{
    bool exists = false, named = false;
    for (size_t i = 0; i < image->section_count; i++)
        exists |= image->entry - image->sections[i].address < image->sections[i].size;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct sam_symbol *symbol = &image->symbols[i];
        if (symbol->value != image->entry || !symbol->global || !symbol->section_relative)
            continue;
        if (*symbol->name == '_' || strcmp(symbol->name, "start") == 0)
            return true;
        named = true;
    }
    return exists && !named;
}

/* Start code after an ELF program that has none. */
static int add_start(const struct run_request *r, uint64_t base, struct sam_image *image)
{
    struct sam_error error;
    struct sam_image *start =
        assemble_kernels(r, free_page(image, base), "<start code>", "", 0, sam_gpu_start_code());
    enum sam_status status = SAM_OK;
    if (!start)
        return CLI_BAD_INPUT;
    for (size_t i = 0; i < start->section_count && status == SAM_OK; i++)
        status = sam_image_add_section(image, &start->sections[i], &error);
    const struct sam_symbol *symbol = sam_image_find(start, "_start");
    if (status == SAM_OK && symbol)
        status = sam_image_add_symbol(image, symbol, &error);
    image->entry = start->entry;
    sam_image_free(start);
    if (status == SAM_OK)
        status = sam_image_finish(image, &error);
    return cli_code(status, &error);
}

/* OpenCL C by way of assembly. */
static int load_source(const struct run_request *r, const char *path, uint64_t base,
                       struct sam_image **image)
{
    struct sam_error error;
    char *text, *messages;
    size_t size;
    const struct sam_cc_options options = {.size = sizeof options,
                                           .defines = r->defines.items,
                                           .define_count = r->defines.count,
                                           .include_paths = r->includes.items,
                                           .include_count = r->includes.count,
                                           .standard = r->standard,
                                           .variables = r->driver || r->gdb.given};
    const enum sam_status status = sam_cc_compile(&options, path, &text, &size, &messages, &error);
    cli_put_messages(messages);
    sam_text_free(messages);
    if (status != SAM_OK)
        return cli_report(&error);
    struct run_request plain = *r; /* the preprocessor has had the defines */
    plain.defines.count = plain.includes.count = 0;
    *image = assemble_kernels(&plain, base, path, text, size, sam_gpu_start_code());
    sam_text_free(text);
    return *image ? CLI_OK : CLI_BAD_INPUT;
}

int run_load_kernels(const struct run_request *r, const char *path, uint64_t base,
                     struct sam_image **image)
{
    struct sam_error error;
    char *data;
    size_t size;
    bool elf;
    const char *name = cli_input_name(path);
    if (sam_cc_is_source(path))
        return load_source(r, path, base, image);
    int code = run_read_program(path, &data, &size, &elf);
    if (elf && sam_elf_parse(data, size, name, image, &error) != SAM_OK) {
        code = cli_report(&error);
    } else if (elf && (*image)->xlen != 32) {
        code = report_wide(name);
    } else if (elf && !has_start(*image)) {
        code = add_start(r, base, *image);
    } else if (!elf && code == CLI_OK) {
        *image = assemble_kernels(r, base, name, data, size, NULL);
        if (*image && !sam_image_find(*image, "_start")) {
            sam_image_free(*image);
            *image = assemble_kernels(r, base, name, data, size, sam_gpu_start_code());
        }
        code = *image ? CLI_OK : CLI_BAD_INPUT;
    }
    free(data);
    return code;
}

enum { BLOCK = 65536 };

/* Existing files stay as they are; devices and pipes are not opened early. */
int run_check_output(const char *path)
{
    struct sam_output *output;
    struct sam_error error;
    struct stat status;
    if (cli_is_stdio(path) ||
        (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return CLI_OK;
    if (sam_output_open(path, &output, &error) != SAM_OK)
        return cli_report(&error);
    sam_output_abort(output);
    return CLI_OK;
}

/* That the whole range of a dump can be read. */
static int check_range(const struct run *run, const struct run_range *dump)
{
    struct sam_error error;
    for (uint64_t at = 0; at < dump->size; at += BLOCK) {
        const size_t size = dump->size - at < BLOCK ? (size_t)(dump->size - at) : BLOCK;
        if (!run->memory.read(run->memory.context, dump->base + at, NULL, size, &error))
            return cli_error("--dump: %s", error.text);
    }
    return CLI_OK;
}

int run_check_dumps(const struct run *run)
{
    const struct run_range *dump;
    int code = CLI_OK;
    for (size_t at = 0; code == CLI_OK && (dump = run_next_dump(run->request, &at));)
        code = check_range(run, dump);
    for (size_t at = 0; code == CLI_OK && (dump = run_next_dump(run->request, &at));)
        code = run_check_output(dump->path);
    return code;
}

/* Write a range of memory to an output, block by block. */
static bool copy_out(const struct run_memory *memory, const struct run_range *range,
                     struct sam_output *output, struct sam_error *error)
{
    uint8_t block[BLOCK];
    for (uint64_t at = 0; at < range->size; at += BLOCK) {
        size_t part = range->size - at < BLOCK ? (size_t)(range->size - at) : BLOCK;
        if (!memory->read(memory->context, range->base + at, block, part, error))
            return false;
        if (!sam_output_write(output, block, part))
            return true; /* sam_output_commit says why */
    }
    return true;
}

static int dump_array(const struct run_memory *memory, const struct run_range *range)
{
    struct sam_error error;
    struct sam_array array = range->form;
    array.data = malloc(array.size + 1);
    if (!array.data)
        return cli_no_memory();
    int code = CLI_OK;
    if (!memory->read(memory->context, range->base, array.data, array.size, &error) ||
        sam_npy_write(range->path, &array, &error) != SAM_OK)
        code = cli_report(&error);
    free(array.data);
    return code;
}

int run_dump(const struct run *run, const struct run_range *range)
{
    struct sam_error error;
    struct sam_output *output;
    if (range->is_array)
        return dump_array(&run->memory, range);
    if (sam_output_open(range->path, &output, &error) != SAM_OK)
        return cli_report(&error);
    if (!copy_out(&run->memory, range, output, &error)) {
        sam_output_abort(output);
        return cli_report(&error);
    }
    return cli_code(sam_output_commit(output, &error), &error);
}

/* ------------------------------------------------- ranges of memory in files: bytes, or a .npy */

static const char npy[] = ".npy";

/* Split "x.npy:TYPE:SHAPE" after the path; returns the rest, or NULL. */
static char *cut_form(char *path)
{
    char *last = NULL;
    for (char *at = path; (at = strstr(at, npy)); at++)
        if (at[sizeof npy - 1] == ':')
            last = at + sizeof npy - 1;
    if (!last)
        return NULL;
    *last = '\0';
    return last + 1;
}

/* The type and shape of the array: bytes in one dimension, or TYPE[:SHAPE]. */
static bool read_form(struct run_range *range, char *form)
{
    struct sam_array *a = &range->form;
    char *shape = form ? strchr(form, ':') : NULL;
    if (shape)
        *shape++ = '\0';
    a->dtype = SAM_U8;
    if (form && !run_parse_dtype(form, &a->dtype))
        return false;
    if (shape)
        return run_parse_shape(shape, a) && a->size == range->size;
    size_t size = sam_dtype_size(a->dtype);
    a->rank = 1;
    a->shape[0] = a->count = (size_t)(range->size / size);
    a->size = a->count * size;
    return a->size == range->size;
}

int run_dump_parse(struct cli_args *args, const char *word, struct run_range *range)
{
    char *text = cli_own_text(args, word);
    if (!text)
        return cli_no_memory();
    const char *rest = cli_leading_number(text, ':', UINT64_MAX, &range->base);
    range->path = rest ? cli_leading_number(rest, ':', UINT64_MAX, &range->size) : NULL;
    if (!range->path || !*range->path ||
        (range->size && range->size - 1 > UINT64_MAX - range->base))
        return cli_usage_error(args, "--dump %s: expected BASE:SIZE:FILE", word);
    char *form = cut_form(text + (range->path - text));
    range->is_array = cli_ends_with(range->path, npy);
    if (range->is_array && !read_form(range, form))
        return cli_usage_error(args,
                               "--dump %s: expected FILE.npy:TYPE[:SHAPE], such as "
                               "x.npy:f32:4x8, of %llu bytes in all",
                               word, (unsigned long long)range->size);
    return CLI_OK;
}

int run_memory_load(const char *path, char **data, size_t *size)
{
    struct sam_error error;
    struct sam_array array;
    const int code = cli_load(path, RUN_MAX_PROGRAM, data, size);
    if (code != CLI_OK)
        return code;
    const bool magic = *size >= 6 && memcmp(*data, "\x93NUMPY", 6) == 0;
    if (!magic && !cli_ends_with(path, npy))
        return CLI_OK;
    enum sam_status status = sam_npy_parse(*data, *size, path, &array, &error);
    free(*data);
    *data = NULL;
    if (status != SAM_OK)
        return cli_report(&error);
    *data = array.data;
    *size = array.size;
    return CLI_OK;
}
