/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: images written and read again, good files damaged field by field, and binutils as the
 * second opinion where it is installed. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "must.h"
#include "random.h"
#include "samite/format.h"

static void add_section(struct sam_image *image, const char *name, uint64_t address, uint64_t size,
                        const void *data, uint64_t data_size, const char *flags)
{
    struct sam_error error;
    struct sam_section section = {
        .name = (char *)name,
        .address = address,
        .size = size,
        .data = (void *)data,
        .data_size = data_size,
        .execute = strchr(flags, 'x') != NULL,
        .write = strchr(flags, 'w') != NULL,
    };
    must(sam_image_add_section(image, &section, &error), &error);
}

static void add_symbol(struct sam_image *image, const char *name, uint64_t value, const char *flags)
{
    struct sam_error error;
    struct sam_symbol symbol = {
        .name = (char *)name,
        .value = value,
        .size = strchr(flags, 'f') ? 8 : 0,
        .global = strchr(flags, 'g') != NULL,
        .function = strchr(flags, 'f') != NULL,
        .section_relative = strchr(flags, 'a') == NULL,
    };
    must(sam_image_add_symbol(image, &symbol, &error), &error);
}

/* Code, read-only data, bytes with a zero tail on the same page, zeros, two kernels' resources. */
static struct sam_image *sample(unsigned xlen)
{
    static const uint8_t code[] = {0x13, 0, 0, 0, 0x93, 0, 0x10, 0, 0x6f, 0, 0, 0};
    struct sam_image *image = sam_image_new(xlen);
    struct sam_error error;
    assert_non_null(image);
    image->entry = 0x80000004;
    add_section(image, ".text", 0x80000000, sizeof code, code, sizeof code, "x");
    add_section(image, ".rodata", 0x8000000c, 5, "hello", 5, "");
    add_section(image, ".data", 0x80000014, 32, "ABCD", 4, "w");
    add_section(image, ".bss", 0x80001000, 0x100000, NULL, 0, "w");
    add_symbol(image, "_start", 0x80000000, "gf");
    add_symbol(image, "loop", 0x80000008, "");
    add_symbol(image, "table", 0x80000014, "g");
    add_symbol(image, "code_end", 0x8000000c, "");
    add_symbol(image, "limit", 42, "a");
    add_symbol(image, "bss_end", 0x80101000, "g");
    image->resources = calloc(2, sizeof *image->resources);
    assert_non_null(image->resources);
    image->resource_count = 2;
    image->resources[0] = (struct sam_kernel_resource){4, 7, 12, 65535};
    image->resources[1] = (struct sam_kernel_resource){256, 64, 1, 2};
    must(sam_image_finish(image, &error), &error);
    return image;
}

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file make(const struct sam_image *image)
{
    struct file f;
    struct sam_error error;
    void *data;
    must(sam_elf_make(image, &data, &f.size, &error), &error);
    f.bytes = data;
    return f;
}

/* The byte of an image at an address; two images may be divided into sections differently. */
static int byte_at(const struct sam_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (address - s->address < s->size)
            return address - s->address < s->data_size ? s->data[address - s->address] : 0;
    }
    return -1;
}

static void same_memory(const struct sam_image *a, const struct sam_image *b)
{
    for (size_t i = 0; i < a->section_count; i++) {
        const struct sam_section *s = &a->sections[i];
        for (uint64_t at = 0; at < s->size; at += at < s->data_size + 64 ? 1 : 4093)
            if (byte_at(b, s->address + at) != byte_at(a, s->address + at))
                fail_msg("%s + 0x%llx differs", s->name, (unsigned long long)at);
    }
}

static void same_symbols(const struct sam_image *a, const struct sam_image *b)
{
    assert_int_equal(a->symbol_count, b->symbol_count);
    for (size_t i = 0; i < a->symbol_count; i++) {
        const struct sam_symbol *x = &a->symbols[i], *y = &b->symbols[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->value, y->value);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->global, y->global);
        assert_int_equal(x->function, y->function);
        assert_int_equal(x->section_relative, y->section_relative);
    }
}

static void round_trip(void **state)
{
    (void)state;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_image *image = sample(xlen), *back;
        struct sam_error error;
        struct file f = make(image);
        must(sam_elf_parse(f.bytes, f.size, "a.elf", &back, &error), &error);
        assert_int_equal(back->xlen, xlen);
        assert_int_equal(back->entry, image->entry);
        same_memory(image, back);
        same_memory(back, image);
        same_symbols(image, back);
        assert_int_equal(back->resource_count, 2);
        assert_memory_equal(back->resources, image->resources, 2 * sizeof *image->resources);
        /* .data is cut where its zeros begin */
        assert_int_equal(back->section_count, 5);
        static const char *const names[] = {".text", ".rodata", ".data", ".data", ".bss"};
        for (size_t i = 0; i < 5; i++) {
            assert_string_equal(back->sections[i].name, names[i]);
            assert_int_equal(back->sections[i].execute, i == 0);
            assert_int_equal(back->sections[i].write, i >= 2);
        }
        assert_int_equal(back->sections[2].size, 4);
        assert_int_equal(back->sections[3].data_size, 0);
        assert_int_equal(back->sections[4].data_size, 0);
        sam_image_free(back);
        sam_image_free(image);
        free(f.bytes);
    }
}

static void random_round_trips(void **state)
{
    (void)state;
    uint64_t random = test_seed();
    for (int round = 0; round < 300; round++) {
        struct sam_image *image = sam_image_new(test_below(&random, 2) ? 32 : 64), *back, *again;
        struct sam_error error;
        uint64_t at = 0x80000000 + test_below(&random, 5000);
        assert_non_null(image);
        size_t sections = 1 + test_below(&random, 12);
        for (size_t i = 0; i < sections; i++) {
            uint8_t data[300];
            char name[32];
            size_t size = 1 + test_below(&random, 400), filled = test_below(&random, 301);
            for (size_t b = 0; b < sizeof data; b++)
                data[b] = (uint8_t)test_random(&random);
            filled = filled < size ? filled : size;
            snprintf(name, sizeof name, ".s%zu", i);
            add_section(image, name, at, size, filled ? data : NULL, filled,
                        i % 3 == 0 ? "x" : "w");
            snprintf(name, sizeof name, "s%zu_%d", i, round);
            add_symbol(image, name, at + test_below(&random, size), i % 2 ? "g" : "f");
            at += size + (test_below(&random, 2) ? test_below(&random, 10000) : 0);
        }
        image->entry = test_random(&random) & UINT32_MAX;
        must(sam_image_finish(image, &error), &error);
        struct file f = make(image);
        must(sam_elf_parse(f.bytes, f.size, "a.elf", &back, &error), &error);
        assert_int_equal(back->entry, image->entry);
        same_memory(image, back);
        same_memory(back, image);
        same_symbols(image, back);
        /* what was read is written back unchanged */
        struct file g = make(back);
        must(sam_elf_parse(g.bytes, g.size, "a.elf", &again, &error), &error);
        assert_int_equal(again->section_count, back->section_count);
        for (size_t i = 0; i < back->section_count; i++) {
            assert_string_equal(again->sections[i].name, back->sections[i].name);
            assert_int_equal(again->sections[i].address, back->sections[i].address);
            assert_int_equal(again->sections[i].size, back->sections[i].size);
        }
        free(f.bytes);
        free(g.bytes);
        sam_image_free(image);
        sam_image_free(back);
        sam_image_free(again);
    }
}

/* --- damage */

static void expect_error(const uint8_t *bytes, size_t size, const char *part)
{
    struct sam_image *image;
    struct sam_error error = {0};
    enum sam_status status = sam_elf_parse(bytes, size, "a.elf", &image, &error);
    if (status != SAM_ERR_INPUT)
        fail_msg("accepted, expected '%s'", part);
    assert_null(image);
    if (strncmp(error.text, "a.elf: ", 7) != 0 && !strstr(error.text, "overlap"))
        fail_msg("'%s' does not name the file", error.text);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
}

static Elf32_Ehdr *ehdr(struct file *f)
{
    return (Elf32_Ehdr *)(void *)f->bytes;
}

static Elf32_Phdr *phdr(struct file *f, size_t i)
{
    return (Elf32_Phdr *)(void *)(f->bytes + ehdr(f)->e_phoff) + i;
}

static Elf32_Shdr *shdr(struct file *f, uint32_t type)
{
    Elf32_Shdr *s = (Elf32_Shdr *)(void *)(f->bytes + ehdr(f)->e_shoff);
    for (size_t i = 0; i < ehdr(f)->e_shnum; i++)
        if (s[i].sh_type == type)
            return &s[i];
    fail_msg("no section of type %u", type);
    return NULL;
}

static Elf32_Shdr *resources(struct file *f)
{
    Elf32_Shdr *s = (Elf32_Shdr *)(void *)(f->bytes + ehdr(f)->e_shoff);
    for (size_t i = 0; i < ehdr(f)->e_shnum; i++)
        if (s[i].sh_type == SHT_PROGBITS && !(s[i].sh_flags & SHF_ALLOC))
            return &s[i];
    fail_msg("no resources");
    return NULL;
}

#define DAMAGE(part, ...)                                                                          \
    do {                                                                                           \
        struct file f = {malloc(size), size};                                                      \
        assert_non_null(f.bytes);                                                                  \
        memcpy(f.bytes, bytes, size);                                                              \
        __VA_ARGS__;                                                                               \
        expect_error(f.bytes, f.size, part);                                                       \
        free(f.bytes);                                                                             \
    } while (0)

static void damaged_headers(void **state)
{
    (void)state;
    struct sam_image *image = sample(32);
    struct file good = make(image);
    const uint8_t *bytes = good.bytes;
    size_t size = good.size;
    DAMAGE("not an ELF file", f.bytes[0] = 0);
    DAMAGE("not an ELF file (empty)", f.size = 0);
    DAMAGE("not an ELF file", f.size = 15);
    DAMAGE("unknown ELF class 3", f.bytes[EI_CLASS] = 3);
    DAMAGE("not a little-endian", f.bytes[EI_DATA] = ELFDATA2MSB);
    DAMAGE("truncated: 40 bytes do not hold", f.size = 40);
    DAMAGE("not a RISC-V program (machine 62, expected 243)", ehdr(&f)->e_machine = EM_X86_64);
    DAMAGE("not an executable but a relocatable object; link it first (type 1)",
           ehdr(&f)->e_type = ET_REL);
    DAMAGE("a shared object or position-independent program", ehdr(&f)->e_type = ET_DYN);
    DAMAGE("a core dump", ehdr(&f)->e_type = ET_CORE);
    DAMAGE("of an unknown type (type 9)", ehdr(&f)->e_type = 9);
    DAMAGE("program headers", ehdr(&f)->e_phoff = (uint32_t)size - 4);
    DAMAGE("program headers", ehdr(&f)->e_phoff = UINT32_MAX);
    DAMAGE("program headers", ehdr(&f)->e_phnum = 0xfffe);
    DAMAGE("no program headers", ehdr(&f)->e_phnum = 0);
    DAMAGE("program headers of 31 bytes, expected 32", ehdr(&f)->e_phentsize = 31);
    DAMAGE("section headers at", ehdr(&f)->e_shoff = UINT32_MAX - 3);
    DAMAGE("section headers at", ehdr(&f)->e_shnum = 0xfeff);
    DAMAGE("section headers of 41 bytes, expected 40", ehdr(&f)->e_shentsize = 41);
    DAMAGE("a name lies outside its string table", ehdr(&f)->e_shstrndx = 1);
    DAMAGE("a name lies outside its string table", ehdr(&f)->e_shstrndx = 200);
    sam_image_free(image);
    free(good.bytes);
}

/* .data has its bytes after .rodata, from where start code copies them; the zeros after them have
 * no load address. */
static void load_addresses(void **state)
{
    (void)state;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_image *image = sample(xlen), *back;
        struct sam_error error;
        image->sections[2].load_offset = 0x100;
        image->sections[0].load_offset = -UINT64_C(0x70000000); /* below its address */
        must(sam_image_finish(image, &error), &error);
        struct file f = make(image);
        must(sam_elf_parse(f.bytes, f.size, "a.elf", &back, &error), &error);
        assert_int_equal(back->section_count, 5);
        assert_int_equal(back->sections[0].load_offset, -UINT64_C(0x70000000));
        assert_int_equal(back->sections[1].load_offset, 0);
        assert_int_equal(back->sections[2].load_offset, 0x100);
        sam_image_free(back);
        free(f.bytes);

        image->sections[2].load_offset = -UINT64_C(4); /* its bytes over those of .rodata */
        assert_int_equal(sam_image_finish(image, &error), SAM_ERR_INPUT);
        assert_string_equal(error.text,
                            "load address of section .rodata or .data overlaps the other at "
                            "0x80000010");
        image->sections[2].load_offset = UINT64_MAX - 0x80000014 - 2;
        assert_int_equal(sam_image_finish(image, &error), SAM_ERR_INPUT);
        assert_string_equal(error.text, "section .data: 0x4 bytes at load address "
                                        "0xfffffffffffffffd wrap around");
        sam_image_free(image);
    }
}

/* Tools without load addresses write zeros. */
static void load_addresses_of_zero(void **state)
{
    (void)state;
    struct sam_image *image = sample(32), *back;
    struct sam_error error;
    struct file f = make(image);
    for (size_t i = 0; i < 4; i++)
        phdr(&f, i)->p_paddr = 0;
    must(sam_elf_parse(f.bytes, f.size, "a.elf", &back, &error), &error);
    for (size_t i = 0; i < back->section_count; i++)
        assert_int_equal(back->sections[i].load_offset, 0);
    sam_image_free(back);
    sam_image_free(image);
    free(f.bytes);
}

static void damaged_segments(void **state)
{
    (void)state;
    struct sam_image *image = sample(32);
    struct file good = make(image);
    const uint8_t *bytes = good.bytes;
    size_t size = good.size;
    DAMAGE("segment 0 has 0xd bytes in the file but 0xc in memory", phdr(&f, 0)->p_filesz = 13);
    DAMAGE("segment 0 (0xc bytes at 0xfffffff0) reaches past the end",
           phdr(&f, 0)->p_offset = 0xfffffff0);
    DAMAGE("reaches past the end of the file", phdr(&f, 0)->p_offset = (uint32_t)size - 11);
    DAMAGE("segment 3 (0x100000 bytes at address 0xfff00001) does not fit 32-bit addresses",
           phdr(&f, 3)->p_vaddr = 0xfff00001);
    DAMAGE("segment 0 (0xc bytes at load address 0xfffffffc) does not fit 32-bit addresses",
           phdr(&f, 0)->p_paddr = 0xfffffffc);
    DAMAGE("load address of section .rodata or .text overlaps the other at 0x80000010",
           phdr(&f, 0)->p_paddr = 0x80000010);
    DAMAGE("segments of more than 1024 MiB", phdr(&f, 3)->p_memsz = 0x40000001);
    DAMAGE("segments of more than 1024 MiB", phdr(&f, 3)->p_memsz = 0x40000000);
    DAMAGE("segments 0 and 1 overlap at 0x8000000c", phdr(&f, 0)->p_memsz = 13);
    DAMAGE("segments 0 and 2 overlap at 0x80000000", phdr(&f, 2)->p_vaddr = 0x80000000);
    DAMAGE("no loadable segment", for (size_t i = 0; i < 4; i++) phdr(&f, i)->p_type = PT_NOTE);
    DAMAGE("segments share bytes of the file", {
        for (size_t i = 0; i < 2; i++) {
            phdr(&f, i)->p_vaddr = 0x10000000 + 0x1000000 * (uint32_t)i;
            phdr(&f, i)->p_offset = 0;
            phdr(&f, i)->p_filesz = phdr(&f, i)->p_memsz = (uint32_t)size;
        }
    });
    sam_image_free(image);
    free(good.bytes);
}

static void damaged_sections(void **state)
{
    (void)state;
    struct sam_image *image = sample(32);
    struct file good = make(image);
    const uint8_t *bytes = good.bytes;
    size_t size = good.size;
    DAMAGE("section 1 (0x80000000..0x80000010) overlaps another or leaves its segment",
           shdr(&f, SHT_PROGBITS)->sh_size = 16);
    DAMAGE("section 1 (0x7fffffff..0x8000000b) overlaps another or leaves",
           shdr(&f, SHT_PROGBITS)->sh_addr--);
    DAMAGE("a name lies outside its string table (section 9, offset 0xffffff)",
           shdr(&f, SHT_PROGBITS)->sh_name = 0xffffff);
    DAMAGE("the symbol table (0x1000000 bytes", shdr(&f, SHT_SYMTAB)->sh_size = 0x1000000);
    DAMAGE("reaches past the end of the file", shdr(&f, SHT_SYMTAB)->sh_offset = UINT32_MAX);
    DAMAGE("the symbol table has entries of 0 bytes, expected 16",
           shdr(&f, SHT_SYMTAB)->sh_entsize = 0);
    DAMAGE("the symbol table has entries", shdr(&f, SHT_SYMTAB)->sh_size--);
    DAMAGE("a name lies outside its string table", shdr(&f, SHT_SYMTAB)->sh_link = 0xffff);
    DAMAGE("a name lies outside its string table", {
        Elf32_Shdr *table = shdr(&f, SHT_SYMTAB);
        table->sh_link = (uint32_t)(table - (Elf32_Shdr *)(void *)(f.bytes + ehdr(&f)->e_shoff));
    });
    DAMAGE("two symbol tables", shdr(&f, SHT_NOBITS)[0] = *shdr(&f, SHT_SYMTAB));
    DAMAGE(".rodata.ventus.resource has 15 bytes, expected 8 for each", resources(&f)->sh_size--);
    DAMAGE(".rodata.ventus.resource (0x8000000 bytes", resources(&f)->sh_size = 0x8000000);
    DAMAGE(".rodata.ventus.resource (0x10 bytes at 0xfffffff9) reaches",
           resources(&f)->sh_offset = 0xfffffff9);
    DAMAGE("two sections .rodata.ventus.resource", {
        Elf32_Shdr second = *resources(&f);
        *shdr(&f, SHT_NOBITS) = second;
    });
    sam_image_free(image);
    free(good.bytes);
}

/* Ten thousand symbols that all point into one long string: an error, not gigabytes. */
static void long_shared_names(void **state)
{
    (void)state;
    struct sam_image *image = sample(32);
    struct sam_error error;
    size_t long_name = 100000;
    char *name = malloc(long_name + 1);
    assert_non_null(name);
    memset(name, 'a', long_name);
    name[long_name] = '\0';
    add_symbol(image, name, 0x80000000, "g");
    for (int i = 0; i < 10000; i++)
        add_symbol(image, "b", 0x80000000, "g");
    must(sam_image_finish(image, &error), &error);
    struct file f = make(image);
    Elf32_Shdr *table = shdr(&f, SHT_SYMTAB);
    Elf32_Sym *symbols = (Elf32_Sym *)(void *)(f.bytes + table->sh_offset);
    size_t count = table->sh_size / sizeof *symbols;
    const Elf32_Shdr *strings =
        (Elf32_Shdr *)(void *)(f.bytes + ehdr(&f)->e_shoff) + table->sh_link;
    const char *text = (char *)f.bytes + strings->sh_offset;
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (text[symbols[i].st_name] == 'a')
            at = symbols[i].st_name;
    assert_true(at > 0);
    for (size_t i = 1; i < count; i++)
        symbols[i].st_name = at;
    expect_error(f.bytes, f.size, "more than 64 MiB of names");
    free(name);
    free(f.bytes);
    sam_image_free(image);
}

/* A file cut anywhere, and a file with random bytes changed: an error or an image, no crash. */
static void truncated_and_random(void **state)
{
    (void)state;
    uint64_t random = test_seed();
    size_t accepted = 0;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_image *image = sample(xlen), *back;
        struct sam_error error;
        struct file good = make(image);
        for (size_t size = 0; size < good.size; size += size < 256 ? 1 : 37) {
            uint8_t *cut = malloc(size + 1);
            assert_non_null(cut);
            memcpy(cut, good.bytes, size);
            expect_error(cut, size, "");
            free(cut);
        }
        for (int round = 0; round < 20000; round++) {
            uint8_t *bytes = malloc(good.size);
            assert_non_null(bytes);
            memcpy(bytes, good.bytes, good.size);
            for (uint64_t n = 1 + test_below(&random, 4); n--;) {
                /* mostly the headers at both ends */
                size_t at = test_below(&random, 3) ? test_below(&random, 256)
                                                   : good.size - 1 - test_below(&random, 900);
                bytes[at] = (uint8_t)test_random(&random);
            }
            enum sam_status status = sam_elf_parse(bytes, good.size, "a.elf", &back, &error);
            assert_true(status == SAM_OK || status == SAM_ERR_INPUT);
            accepted += status == SAM_OK;
            sam_image_free(back);
            free(bytes);
        }
        sam_image_free(image);
        free(good.bytes);
    }
    assert_true(accepted > 100); /* the damage was not all in the first bytes */
}

static void images_that_cannot_be_written(void **state)
{
    (void)state;
    void *data;
    size_t size;
    struct sam_error error = {0};
    struct sam_image *image = sam_image_new(16);
    assert_non_null(image);
    assert_int_equal(sam_elf_make(image, &data, &size, &error), SAM_ERR_USAGE);
    assert_non_null(strstr(error.text, "xlen 16: expected 32 or 64"));
    image->xlen = 32;
    add_section(image, ".far", 0xfffffffe, 3, NULL, 0, "");
    assert_int_equal(sam_elf_make(image, &data, &size, &error), SAM_ERR_USAGE);
    assert_non_null(strstr(error.text, "section .far (0x3 bytes at 0xfffffffe) does not fit"));
    image->sections[0].size = 2;
    assert_int_equal(sam_elf_make(image, &data, &size, &error), SAM_OK);
    free(data);
    for (int i = 0; i < 16000; i++)
        add_section(image, ".s", (uint64_t)i, 1, NULL, 0, "");
    assert_int_equal(sam_elf_make(image, &data, &size, &error), SAM_ERR_USAGE);
    assert_non_null(strstr(error.text, "16001 sections"));
    assert_null(data);
    sam_image_free(image);
}

/* --- binutils */

static struct sam_buffer output_of(const char *command)
{
    struct sam_buffer text = {0};
    char block[4096];
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;)
        sam_buffer_append(&text, block, got);
    if (pclose(pipe) != 0)
        fail_msg("'%s' failed", command);
    return text;
}

static bool installed(const char *program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

/* The words of a command's output, blanks squeezed, hold `part`. */
static void expect_text(const struct sam_buffer *text, const char *part)
{
    if (!strstr(sam_buffer_text(text), part))
        fail_msg("no '%s' in:\n%s", part, sam_buffer_text(text));
}

static void readelf_agrees(void **state)
{
    (void)state;
    if (!installed("riscv64-unknown-elf-readelf"))
        skip();
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        char directory[] = "/tmp/samite-elf-XXXXXX", path[64], command[256];
        struct sam_error error;
        assert_non_null(mkdtemp(directory));
        snprintf(path, sizeof path, "%s/a.elf", directory);
        struct sam_image *image = sample(xlen);
        struct file f = make(image);
        must(sam_file_write(path, f.bytes, f.size, &error), &error);
        snprintf(command, sizeof command,
                 "LC_ALL=C riscv64-unknown-elf-readelf -hlSsW %s 2>&1 | tr -s ' '", path);
        struct sam_buffer text = output_of(command);
        expect_text(&text, xlen == 32 ? "Class: ELF32\n" : "Class: ELF64\n");
        expect_text(&text, "Type: EXEC (Executable file)\n Machine: RISC-V\n");
        expect_text(&text, "Entry point address: 0x80000004\n");
        static const char *const narrow[] = {"0x80000000 0x80000000 0x0000c 0x0000c R E 0x1000\n",
                                             "0x8000000c 0x8000000c 0x00005 0x00005 R 0x1000\n",
                                             "0x80000014 0x80000014 0x00004 0x00020 RW 0x1000\n",
                                             "0x80001000 0x80001000 0x00000 0x100000 RW 0x1000\n",
                                             ".text PROGBITS 80000000 ",
                                             " 80000000 8 FUNC GLOBAL DEFAULT 1 _start\n",
                                             " 80000008 0 NOTYPE LOCAL DEFAULT 1 loop\n",
                                             " 0000002a 0 NOTYPE LOCAL DEFAULT ABS limit\n",
                                             " 80101000 0 NOTYPE GLOBAL DEFAULT 5 bss_end\n"};
        static const char *const wide[] = {
            "0x0000000080000000 0x0000000080000000 0x00000c 0x00000c R E 0x1000\n",
            "0x0000000080001000 0x0000000080001000 0x000000 0x100000 RW 0x1000\n",
            ".text PROGBITS 0000000080000000 ",
            " 0000000080000000 8 FUNC GLOBAL DEFAULT 1 _start\n",
            " 000000000000002a 0 NOTYPE LOCAL DEFAULT ABS limit\n"};
        for (size_t i = 0; xlen == 32 && i < SAM_COUNT(narrow); i++)
            expect_text(&text, narrow[i]);
        for (size_t i = 0; xlen == 64 && i < SAM_COUNT(wide); i++)
            expect_text(&text, wide[i]);
        if (strstr(sam_buffer_text(&text), "arning") || strstr(sam_buffer_text(&text), "rror"))
            fail_msg("readelf complains:\n%s", sam_buffer_text(&text));
        sam_buffer_free(&text);
        snprintf(command, sizeof command,
                 "LC_ALL=C riscv64-unknown-elf-objdump -s -j .rodata -j .rodata.ventus.resource %s",
                 path);
        text = output_of(command);
        expect_text(&text, " 8000000c 68656c6c 6f ");
        expect_text(&text, " 04000700 0c00ffff 00014000 01000200 ");
        sam_buffer_free(&text);
        unlink(path);
        rmdir(directory);
        free(f.bytes);
        sam_image_free(image);
    }
}

/* A program that GNU ld made: what we read from it is what the source says. */
static void linked_program(void **state)
{
    (void)state;
    if (!installed("riscv64-unknown-elf-as") || !installed("riscv64-unknown-elf-ld"))
        skip();
    static const char source[] = ".globl _start\\n.type _start, @function\\n_start: .word 0x13\\n"
                                 ".word 0x6f\\n.size _start, 8\\n.equ forty, 40\\n.section .rodata"
                                 "\\n.byte 1,2,3\\n.data\\nvar: .word 0x12345678\\n.bss\\n"
                                 "room: .space 100\\n";
    char directory[] = "/tmp/samite-elf-XXXXXX", path[64], command[1024];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.elf", directory);
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        snprintf(command, sizeof command,
                 "cd %s && printf '%s' | riscv64-unknown-elf-as -march=rv%ui -mabi=%s -o a.o - && "
                 "riscv64-unknown-elf-ld -m elf%ulriscv -Ttext=0x80000000 --section-start=.rodata="
                 "0x80001000 -Tdata=0x80002000 -Tbss=0x80002010 a.o -o a.elf",
                 directory, source, xlen, xlen == 32 ? "ilp32" : "lp64", xlen);
        assert_int_equal(system(command), 0);
        struct sam_image *image;
        struct sam_error error;
        must(sam_elf_read(path, &image, &error), &error);
        assert_int_equal(image->xlen, xlen);
        assert_int_equal(image->entry, 0x80000000);
        assert_int_equal(image->sections[0].address, 0x80000000); /* no ELF header before it */
        assert_int_equal(byte_at(image, 0x80000000), 0x13);
        assert_int_equal(byte_at(image, 0x80000004), 0x6f);
        assert_int_equal(byte_at(image, 0x80001002), 3);
        assert_int_equal(byte_at(image, 0x80002003), 0x12);
        assert_int_equal(byte_at(image, 0x80002010 + 99), 0);
        const struct sam_symbol *start = sam_image_find(image, "_start");
        assert_non_null(start);
        assert_true(start->function && start->global && start->section_relative);
        assert_int_equal(start->size, 8);
        const struct sam_symbol *forty = sam_image_find(image, "forty");
        assert_non_null(forty);
        assert_int_equal(forty->value, 40);
        assert_false(forty->section_relative);
        assert_string_equal(sam_image_symbol_at(image, 0x80002011)->name, "room");
        bool bss = false;
        for (size_t i = 0; i < image->section_count; i++)
            bss |= strcmp(image->sections[i].name, ".bss") == 0 && image->sections[i].size >= 100 &&
                   image->sections[i].data_size == 0;
        assert_true(bss);
        sam_image_free(image);
    }
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    struct sam_image *image;
    struct sam_error error;
    assert_int_equal(sam_elf_read(path, &image, &error), SAM_ERR_IO);
    assert_null(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(load_addresses),
        cmocka_unit_test(load_addresses_of_zero),
        cmocka_unit_test(random_round_trips),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(damaged_segments),
        cmocka_unit_test(damaged_sections),
        cmocka_unit_test(long_shared_names),
        cmocka_unit_test(truncated_and_random),
        cmocka_unit_test(images_that_cannot_be_written),
        cmocka_unit_test(readelf_agrees),
        cmocka_unit_test(linked_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
