/* SPDX-License-Identifier: Apache-2.0 */
/* Images to ELF executables, through libelf. Each image section becomes a section header and a
 * loadable segment. File offsets are congruent to addresses modulo 4096, for loaders that map
 * pages, such as emulators. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/portable.h"
#include "format/format.h"
#include "samite/format.h"

#define PAGE          UINT64_C(4096)
#define SECTION_LIMIT 16000 /* two headers per section stay below the reserved indices */

struct writer {
    const struct sam_image *image;
    struct sam_error *error;
    Elf *elf;
    struct sam_buffer names;   /* .shstrtab */
    struct sam_buffer strings; /* .strtab */
    struct sam_buffer resources;
    struct sam_dwarf dwarf;
    uint8_t *symbols; /* .symtab in file layout */
    size_t *indices;  /* section header index by image section */
    uint64_t offset;  /* end of the laid-out bytes */
    size_t segments;  /* program headers filled */
};

static enum sam_status elf_failed(struct writer *w, const char *what)
{
    return sam_fail(w->error, SAM_ERR_IO, "cannot make the ELF file: %s: %s", what, elf_errmsg(-1));
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Append a name with its NUL; returns its offset. */
static uint32_t add_name(struct sam_buffer *table, const char *name)
{
    size_t at = table->size;
    sam_buffer_append(table, name, strlen(name) + 1);
    return (uint32_t)at;
}

/* Add a section header with its bytes; *index receives its index. */
static enum sam_status add_header(struct writer *w, const GElf_Shdr *header, const void *data,
                                  Elf_Type type, size_t *index)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    if (!scn)
        return elf_failed(w, "section");
    if (header->sh_type != SHT_NOBITS) {
        Elf_Data *piece = elf_newdata(scn);
        if (!piece)
            return elf_failed(w, "section data");
        piece->d_buf = (void *)data;
        piece->d_size = header->sh_size;
        piece->d_type = type;
        piece->d_version = EV_CURRENT;
        piece->d_align = header->sh_addralign;
    }
    if (!gelf_update_shdr(scn, (GElf_Shdr *)header))
        return elf_failed(w, "section header");
    if (index)
        *index = elf_ndxscn(scn);
    return SAM_OK;
}

static enum sam_status write_section(struct writer *w, size_t i)
{
    const struct sam_section *s = &w->image->sections[i];
    uint64_t at = w->offset + ((s->address - w->offset) & (PAGE - 1));
    GElf_Shdr header = {
        .sh_name = add_name(&w->names, s->name),
        .sh_type = s->data_size ? SHT_PROGBITS : SHT_NOBITS,
        .sh_flags = SHF_ALLOC | (s->execute ? SHF_EXECINSTR : 0) | (s->write ? SHF_WRITE : 0),
        .sh_addr = s->address,
        .sh_offset = at,
        .sh_size = s->data_size ? s->data_size : s->size,
        .sh_addralign = s->address & 3 ? 1 : 4,
    };
    enum sam_status status = add_header(w, &header, s->data, ELF_T_BYTE, &w->indices[i]);
    if (status == SAM_OK && s->data_size && s->data_size < s->size) {
        /* Trailing zeros: a second header with the same name. */
        header.sh_type = SHT_NOBITS;
        header.sh_addr += s->data_size;
        header.sh_offset += s->data_size;
        header.sh_size = s->size - s->data_size;
        header.sh_addralign = 1;
        status = add_header(w, &header, NULL, ELF_T_BYTE, NULL);
    }
    if (status != SAM_OK)
        return status;
    GElf_Phdr segment = {
        .p_type = PT_LOAD,
        .p_flags = PF_R | (s->execute ? PF_X : 0u) | (s->write ? PF_W : 0u),
        .p_offset = at,
        .p_vaddr = s->address,
        .p_paddr = s->address + s->load_offset,
        .p_filesz = s->data_size,
        .p_memsz = s->size,
        .p_align = PAGE,
    };
    if (!gelf_update_phdr(w->elf, (int)w->segments++, &segment))
        return elf_failed(w, "program header");
    if (s->data_size)
        w->offset = at + s->data_size;
    return SAM_OK;
}

/* The section header of a symbol: the section that contains its address or, for an end label, that
 * ends there. */
static size_t section_of(const struct writer *w, const struct sam_symbol *symbol)
{
    size_t found = SHN_ABS;
    if (!symbol->section_relative)
        return found;
    for (size_t i = 0; i < w->image->section_count; i++) {
        const struct sam_section *s = &w->image->sections[i];
        if (s->size && symbol->value >= s->address && symbol->value - s->address < s->size)
            return w->indices[i];
        if (s->size && symbol->value == s->address + s->size)
            found = w->indices[i];
    }
    return found;
}

/* Local symbols first: the table's sh_info is the index of the first global one. */
static enum sam_status write_symbols(struct writer *w)
{
    const struct sam_image *image = w->image;
    size_t entry = image->xlen == 32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    size_t count = image->symbol_count + 1, next = 1, locals = 1;
    w->symbols = sam_alloc(count, entry);
    if (!w->symbols)
        return sam_fail_memory(w->error);
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < image->symbol_count; i++) {
            const struct sam_symbol *symbol = &image->symbols[i];
            if (symbol->global != (global == 1))
                continue;
            uint8_t info = (uint8_t)GELF_ST_INFO(symbol->global ? STB_GLOBAL : STB_LOCAL,
                                                 symbol->function ? STT_FUNC : STT_NOTYPE);
            uint16_t section = (uint16_t)section_of(w, symbol);
            uint32_t name = add_name(&w->strings, symbol->name);
            if (image->xlen == 32)
                ((Elf32_Sym *)(void *)w->symbols)[next++] = (Elf32_Sym){
                    .st_name = name,
                    .st_value = (Elf32_Addr)symbol->value,
                    .st_size = (Elf32_Word)symbol->size,
                    .st_info = info,
                    .st_shndx = section,
                };
            else
                ((Elf64_Sym *)(void *)w->symbols)[next++] = (Elf64_Sym){
                    .st_name = name,
                    .st_value = symbol->value,
                    .st_size = symbol->size,
                    .st_info = info,
                    .st_shndx = section,
                };
        }
        if (global == 0)
            locals = next;
    }
    if (w->strings.failed)
        return sam_fail_memory(w->error);
    size_t strings;
    w->offset = align_up(w->offset, 8);
    GElf_Shdr header = {
        .sh_name = add_name(&w->names, ".strtab"),
        .sh_type = SHT_STRTAB,
        .sh_offset = w->offset,
        .sh_size = w->strings.size,
        .sh_addralign = 1,
    };
    enum sam_status status = add_header(w, &header, w->strings.data, ELF_T_BYTE, &strings);
    if (status != SAM_OK)
        return status;
    w->offset = align_up(w->offset + header.sh_size, 8);
    header = (GElf_Shdr){
        .sh_name = add_name(&w->names, ".symtab"),
        .sh_type = SHT_SYMTAB,
        .sh_offset = w->offset,
        .sh_size = count * entry,
        .sh_link = (GElf_Word)strings,
        .sh_info = (GElf_Word)locals,
        .sh_addralign = 8,
        .sh_entsize = entry,
    };
    w->offset += header.sh_size;
    return add_header(w, &header, w->symbols, ELF_T_SYM, NULL);
}

static enum sam_status write_resources(struct writer *w)
{
    for (size_t i = 0; i < w->image->resource_count; i++) {
        const struct sam_kernel_resource *k = &w->image->resources[i];
        uint8_t row[8];
        sam_put_le32(row, k->vgprs | (uint32_t)k->sgprs << 16);
        sam_put_le32(row + 4, k->lds_bytes | (uint32_t)k->pds_bytes << 16);
        sam_buffer_append(&w->resources, row, sizeof row);
    }
    if (w->resources.failed)
        return sam_fail_memory(w->error);
    if (w->resources.size == 0)
        return SAM_OK;
    for (size_t i = 0; i < w->image->section_count; i++)
        if (strcmp(w->image->sections[i].name, SAM_RESOURCE_SECTION) == 0)
            return SAM_OK; /* part of the program's memory: already written */
    GElf_Shdr header = {
        .sh_name = add_name(&w->names, SAM_RESOURCE_SECTION),
        .sh_type = SHT_PROGBITS,
        .sh_offset = w->offset,
        .sh_size = w->resources.size,
        .sh_addralign = 1,
    };
    w->offset += header.sh_size;
    return add_header(w, &header, w->resources.data, ELF_T_BYTE, NULL);
}

static bool has_debug(const struct sam_image *image, const char *name)
{
    size_t i = 0;
    while (i < image->debug_count && strcmp(image->debug[i].name, name) != 0)
        i++;
    return i < image->debug_count;
}

/* A section that is not loaded. */
static enum sam_status write_debug(struct writer *w, const char *name, const void *data,
                                   size_t size)
{
    const GElf_Shdr header = {
        .sh_name = add_name(&w->names, name),
        .sh_type = SHT_PROGBITS,
        .sh_offset = w->offset,
        .sh_size = size,
        .sh_addralign = 1,
    };
    w->offset += size;
    return add_header(w, &header, data, ELF_T_BYTE, NULL);
}

/* Line information, and a unit that refers to it, unless the image has its own. */
static enum sam_status write_lines(struct writer *w)
{
    struct sam_dwarf *dwarf = &w->dwarf;
    const struct {
        const char *name;
        const struct sam_buffer *bytes;
    } sections[] = {
        {".debug_line", &dwarf->line},
        {".debug_info", &dwarf->info},
        {".debug_abbrev", &dwarf->abbrev},
        {".debug_ranges", &dwarf->ranges},
    };
    const bool has_unit = has_debug(w->image, ".debug_info");
    enum sam_status status = SAM_OK;
    if (!has_debug(w->image, ".debug_line"))
        sam_dwarf_make(w->image, dwarf);
    for (size_t i = 0; i < SAM_COUNT(sections) && status == SAM_OK; i++) {
        const struct sam_buffer *bytes = sections[i].bytes;
        if (bytes->failed)
            return sam_fail_memory(w->error);
        if (bytes->size && (i == 0 || !has_unit))
            status = write_debug(w, sections[i].name, bytes->data, bytes->size);
    }
    for (size_t i = 0; i < w->image->debug_count && status == SAM_OK; i++)
        status = write_debug(w, w->image->debug[i].name, w->image->debug[i].data,
                             w->image->debug[i].data_size);
    return status;
}

static enum sam_status write_all(struct writer *w)
{
    const struct sam_image *image = w->image;
    size_t loaded = 0;
    for (size_t i = 0; i < image->section_count; i++)
        loaded += image->sections[i].size != 0;
    bool narrow = image->xlen == 32;
    if (!gelf_newehdr(w->elf, narrow ? ELFCLASS32 : ELFCLASS64))
        return elf_failed(w, "header");
    if (loaded && !gelf_newphdr(w->elf, loaded))
        return elf_failed(w, "program headers");
    elf_flagelf(w->elf, ELF_C_SET, ELF_F_LAYOUT);
    w->offset = narrow ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    GElf_Ehdr ehdr = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                    (unsigned char)(narrow ? ELFCLASS32 : ELFCLASS64), ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = image->entry,
        .e_phoff = loaded ? w->offset : 0,
        .e_ehsize = (GElf_Half)w->offset,
        .e_phentsize = narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr),
        .e_phnum = (GElf_Half)loaded,
        .e_shentsize = narrow ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr),
    };
    w->offset += loaded * ehdr.e_phentsize;
    add_name(&w->names, "");
    add_name(&w->strings, "");
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < image->section_count && status == SAM_OK; i++)
        if (image->sections[i].size)
            status = write_section(w, i);
    if (status == SAM_OK)
        status = write_resources(w);
    if (status == SAM_OK)
        status = write_lines(w);
    if (status == SAM_OK)
        status = write_symbols(w);
    if (status != SAM_OK)
        return status;
    GElf_Shdr header = {
        .sh_name = add_name(&w->names, ".shstrtab"),
        .sh_type = SHT_STRTAB,
        .sh_offset = w->offset,
        .sh_addralign = 1,
    };
    header.sh_size = w->names.size;
    if (w->names.failed)
        return sam_fail_memory(w->error);
    size_t index;
    status = add_header(w, &header, w->names.data, ELF_T_BYTE, &index);
    if (status != SAM_OK)
        return status;
    ehdr.e_shoff = align_up(w->offset + header.sh_size, 8);
    ehdr.e_shstrndx = (GElf_Half)index;
    if (!gelf_update_ehdr(w->elf, &ehdr))
        return elf_failed(w, "header");
    if (elf_update(w->elf, ELF_C_WRITE) < 0)
        return elf_failed(w, "writing");
    return SAM_OK;
}

/* Read the file that libelf wrote. */
static enum sam_status read_back(int fd, void **data, size_t *size, struct sam_error *error)
{
    off_t end = lseek(fd, 0, SEEK_END);
    if (end <= 0)
        return sam_fail(error, SAM_ERR_IO, "cannot make the ELF file: nothing was written");
    uint8_t *bytes = malloc((size_t)end);
    if (!bytes)
        return sam_fail_memory(error);
    size_t at = 0;
    while (at < (size_t)end) {
        ssize_t got = pread(fd, bytes + at, (size_t)end - at, (off_t)at);
        if (got <= 0) {
            free(bytes);
            return sam_fail(error, SAM_ERR_IO, "cannot make the ELF file: cannot read it back");
        }
        at += (size_t)got;
    }
    *data = bytes;
    *size = (size_t)end;
    return SAM_OK;
}

static enum sam_status check_image(const struct sam_image *image, struct sam_error *error)
{
    if (image->xlen != 32 && image->xlen != 64)
        return sam_fail(error, SAM_ERR_USAGE, "an image of xlen %u: expected 32 or 64",
                        image->xlen);
    if (image->section_count + image->debug_count > SECTION_LIMIT)
        return sam_fail(error, SAM_ERR_USAGE, "%zu sections: expected at most %d",
                        image->section_count + image->debug_count, SECTION_LIMIT);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (image->xlen == 32 &&
            (s->address > UINT32_MAX || s->size > (UINT64_C(1) << 32) - s->address))
            return sam_fail(error, SAM_ERR_USAGE,
                            "section %s (0x%llx bytes at 0x%llx) does not fit 32-bit addresses",
                            s->name, (unsigned long long)s->size, (unsigned long long)s->address);
        if (image->xlen == 32 && s->address + s->load_offset > UINT32_MAX)
            return sam_fail(error, SAM_ERR_USAGE,
                            "section %s: load address 0x%llx does not fit 32-bit addresses",
                            s->name, (unsigned long long)(s->address + s->load_offset));
    }
    return SAM_OK;
}

enum sam_status sam_elf_make(const struct sam_image *image, void **data, size_t *size,
                             struct sam_error *error)
{
    if (data)
        *data = NULL;
    if (SAM_LACKS(error, image, data, size))
        return SAM_ERR_USAGE;
    *size = 0;
    enum sam_status status = check_image(image, error);
    if (status != SAM_OK)
        return status;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return sam_fail(error, SAM_ERR_IO, "libelf is too old");
    /* libelf writes only to a descriptor: use a file in memory. */
    int fd = sam_file_memory();
    if (fd < 0)
        return sam_fail(error, SAM_ERR_IO, "cannot make the ELF file: no memory file");
    struct writer w = {.image = image, .error = error};
    w.indices = sam_alloc(image->section_count, sizeof *w.indices);
    w.elf = elf_begin(fd, ELF_C_WRITE, NULL);
    if (!w.indices)
        status = sam_fail_memory(error);
    else if (!w.elf)
        status = elf_failed(&w, "start");
    else
        status = write_all(&w);
    elf_end(w.elf);
    if (status == SAM_OK)
        status = read_back(fd, data, size, error);
    close(fd);
    free(w.indices);
    free(w.symbols);
    sam_buffer_free(&w.names);
    sam_buffer_free(&w.strings);
    sam_buffer_free(&w.resources);
    sam_dwarf_free(&w.dwarf);
    return status;
}
