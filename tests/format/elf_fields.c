/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files with changed fields, truncated, or randomly damaged: the resulting image or error. */
#include <elf.h>

#include "test.h"

#include "format/elf_image.h"

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

static Elf32_Ehdr *ehdr(struct elf_file *f)
{
    return (Elf32_Ehdr *)(void *)f->bytes;
}

static Elf32_Phdr *phdr(struct elf_file *f, size_t i)
{
    return (Elf32_Phdr *)(void *)(f->bytes + ehdr(f)->e_phoff) + i;
}

static Elf32_Shdr *shdr(struct elf_file *f, uint32_t type)
{
    Elf32_Shdr *s = (Elf32_Shdr *)(void *)(f->bytes + ehdr(f)->e_shoff);
    for (size_t i = 0; i < ehdr(f)->e_shnum; i++)
        if (s[i].sh_type == type)
            return &s[i];
    fail_msg("no section of type %u", type);
    return NULL;
}

static Elf32_Shdr *resources(struct elf_file *f)
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
        struct elf_file f = {malloc(size), size};                                                  \
        assert_non_null(f.bytes);                                                                  \
        memcpy(f.bytes, bytes, size);                                                              \
        __VA_ARGS__;                                                                               \
        expect_error(f.bytes, f.size, part);                                                       \
        free(f.bytes);                                                                             \
    } while (0)

TEST(damaged_headers)
{
    struct sam_image *image = elf_sample(32);
    struct elf_file good = elf_file_of(image);
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

/* Tools without load addresses write zeros. */
TEST(load_addresses_of_zero)
{
    struct sam_image *image = elf_sample(32), *back;
    struct elf_file f = elf_file_of(image);
    for (size_t i = 0; i < 4; i++)
        phdr(&f, i)->p_paddr = 0;
    succeeds(sam_elf_parse, f.bytes, f.size, "a.elf", &back);
    for (size_t i = 0; i < back->section_count; i++)
        assert_int_equal(back->sections[i].load_offset, 0);
    sam_image_free(back);
    sam_image_free(image);
    free(f.bytes);
}

TEST(damaged_segments)
{
    struct sam_image *image = elf_sample(32);
    struct elf_file good = elf_file_of(image);
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

TEST(damaged_sections)
{
    struct sam_image *image = elf_sample(32);
    struct elf_file good = elf_file_of(image);
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

/* Ten thousand symbols that share one long string: an error, not gigabytes. */
TEST(long_shared_names)
{
    SCOPED_IMAGE *image = elf_sample(32);
    size_t long_name = 100000;
    FREED char *name = test_room(long_name + 1);
    memset(name, 'a', long_name);
    name[long_name] = '\0';
    elf_add_symbol(image, name, 0x80000000, "g");
    for (int i = 0; i < 10000; i++)
        elf_add_symbol(image, "b", 0x80000000, "g");
    succeeds(sam_image_finish, image);
    struct elf_file f = elf_file_of(image);
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
    free(f.bytes);
}

/* A file truncated anywhere, and a file with random bytes changed: an error or an image, no
 * crash. */
TEST(truncated_and_random)
{
    uint64_t random = test_seed();
    size_t accepted = 0;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_image *image = elf_sample(xlen), *back;
        struct sam_error error;
        struct elf_file good = elf_file_of(image);
        for (size_t size = 0; size < good.size; size += size < 256 ? 1 : 37) {
            FREED uint8_t *cut = test_room(size + 1);
            memcpy(cut, good.bytes, size);
            expect_error(cut, size, "");
        }
        for (int round = 0; round < 20000; round++) {
            FREED uint8_t *bytes = test_room(good.size);
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
        }
        sam_image_free(image);
        free(good.bytes);
    }
    assert_true(accepted > 100); /* not all damage was in the first bytes */
}
