/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one block of bytes of an object file: its sections one after the other and the references
 * between them resolved, relative to the place that refers. Such a block runs wherever it is
 * mapped, so it can be kept in a file. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "translator.h"

struct object {
    const uint8_t *bytes;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    size_t *offsets; /* of sections within the image; SIZE_MAX: left out */
};

static const char *name_of(const struct object *o, const Elf64_Shdr *section)
{
    return (const char *)o->bytes + o->sections[o->header->e_shstrndx].sh_offset + section->sh_name;
}

/* Whether the section goes into the image: code or constants. Translations have no variables. */
static bool is_part(const struct object *o, const Elf64_Shdr *section)
{
    return section->sh_flags & SHF_ALLOC && section->sh_size &&
           strcmp(name_of(o, section), ".eh_frame") != 0;
}

/* Give each section a place. Returns the size of all; 0: one cannot be part of an image. */
static size_t place(const struct object *o)
{
    size_t end = 0;
    for (size_t i = 0; i < o->header->e_shnum; i++) {
        const Elf64_Shdr *section = &o->sections[i];
        o->offsets[i] = SIZE_MAX;
        if (!is_part(o, section))
            continue;
        const size_t align = section->sh_addralign ? (size_t)section->sh_addralign : 1;
        if (section->sh_type != SHT_PROGBITS || align > SAM_PAGE_SIZE)
            return 0;
        end = (end + align - 1) / align * align;
        o->offsets[i] = end;
        end += (size_t)section->sh_size;
    }
    return end;
}

/* Resolve one reference: only those that do not depend on where the image lies. */
static bool resolve(const struct object *o, struct sam_jit_image *image, const Elf64_Sym *symbols,
                    const Elf64_Rela *rela, size_t section)
{
    const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(rela->r_info)];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= o->header->e_shnum ||
        o->offsets[symbol->st_shndx] == SIZE_MAX)
        return false;
    const size_t at = section + (size_t)rela->r_offset;
    const int64_t to = (int64_t)(o->offsets[symbol->st_shndx] + symbol->st_value) + rela->r_addend;
    const int64_t distance = to - (int64_t)at;
    if (at > image->size - 4 || distance != (int32_t)distance || o->header->e_machine != EM_X86_64)
        return false;
    switch (ELF64_R_TYPE(rela->r_info)) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32: sam_put_le32(image->bytes + at, (uint32_t)distance); return true;
    default: return false;
    }
}

static bool resolve_all(const struct object *o, struct sam_jit_image *image)
{
    for (size_t i = 0; i < o->header->e_shnum; i++) {
        const Elf64_Shdr *section = &o->sections[i];
        if (section->sh_type != SHT_RELA || o->offsets[section->sh_info] == SIZE_MAX)
            continue;
        const void *symbols = o->bytes + o->sections[section->sh_link].sh_offset;
        const void *relas = o->bytes + section->sh_offset;
        for (size_t k = 0; k < section->sh_size / sizeof(Elf64_Rela); k++)
            if (!resolve(o, image, symbols, (const Elf64_Rela *)relas + k,
                         o->offsets[section->sh_info]))
                return false;
    }
    return true;
}

/* The offset of the function of this name. */
static bool find_entry(const struct object *o, const char *name, size_t *entry)
{
    for (size_t i = 0; i < o->header->e_shnum; i++) {
        const Elf64_Shdr *section = &o->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        const void *symbols = o->bytes + section->sh_offset;
        const char *names = (const char *)o->bytes + o->sections[section->sh_link].sh_offset;
        for (size_t k = 0; k < section->sh_size / sizeof(Elf64_Sym); k++) {
            const Elf64_Sym *symbol = (const Elf64_Sym *)symbols + k;
            if (strcmp(names + symbol->st_name, name) != 0 || symbol->st_shndx == SHN_UNDEF ||
                symbol->st_shndx >= o->header->e_shnum || o->offsets[symbol->st_shndx] == SIZE_MAX)
                continue;
            *entry = o->offsets[symbol->st_shndx] + (size_t)symbol->st_value;
            return true;
        }
    }
    return false;
}

bool sam_translator_link(const void *bytes, const char *name, struct sam_jit_image *image)
{
    struct object o = {.bytes = bytes, .header = bytes};
    const void *sections = o.bytes + o.header->e_shoff;
    o.sections = sections;
    o.offsets = calloc(o.header->e_shnum, sizeof *o.offsets);
    *image = (struct sam_jit_image){.size = o.offsets ? place(&o) : 0};
    image->bytes = image->size ? calloc(1, image->size) : NULL;
    bool done = o.offsets && image->bytes;
    for (size_t i = 0; done && i < o.header->e_shnum; i++)
        if (o.offsets[i] != SIZE_MAX)
            memcpy(image->bytes + o.offsets[i], o.bytes + o.sections[i].sh_offset,
                   (size_t)o.sections[i].sh_size);
    done = done && resolve_all(&o, image) && find_entry(&o, name, &image->entry);
    free(o.offsets);
    if (!done) {
        free(image->bytes);
        image->bytes = NULL;
    }
    return done;
}
