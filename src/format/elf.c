/* SPDX-License-Identifier: Apache-2.0 */
/* ELF executables to images, through libelf. Segments determine the loaded bytes; section headers
 * only divide and name them. libelf trusts some fields, so every offset, size and count is checked
 * against the file size before libelf accesses it. */
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "format/format.h"
#include "samite/format.h"

/* Limits far beyond real programs, against damaged files. */
#define FILE_LIMIT   (UINT64_C(1) << 30)
#define MEMORY_LIMIT (UINT64_C(1) << 30)
#define NAMES_LIMIT  (UINT64_C(1) << 26)

struct segment {
    uint64_t address;
    uint64_t load_address;
    uint64_t size;
    uint64_t offset;
    uint64_t file_size;
    size_t index;
    bool execute;
    bool write;
};

struct header {
    uint64_t address;
    uint64_t size;
    size_t name; /* in the section name table */
    size_t index;
    bool execute;
    bool write;
};

struct reader {
    Elf *elf;
    const uint8_t *bytes;
    uint64_t size;
    const char *name;
    struct sam_error *error;
    GElf_Ehdr ehdr;
    unsigned xlen;
    size_t header_count;
    size_t name_table;
    uint64_t name_bytes;
    struct segment *segments;
    size_t segment_count;
    bool has_load_addresses; /* physical addresses are set; some tools write zeros */
    struct header *headers;  /* of sections that occupy memory */
    size_t used_headers;
    struct sam_image *image;
};

static enum sam_status SAM_PRINTF(2, 3) bad(struct reader *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    sam_format_list(text, sizeof text, format, args);
    va_end(args);
    return sam_fail(r->error, SAM_ERR_INPUT, "%s: %s", r->name, text);
}

static bool in_file(const struct reader *r, uint64_t offset, uint64_t size)
{
    return offset <= r->size && size <= r->size - offset;
}

/* Returns a string of a string table, or NULL with an error. The total size of names is limited:
 * many symbols may point into one long string. */
static const char *name_at(struct reader *r, size_t table, size_t offset)
{
    const char *text = elf_strptr(r->elf, table, offset);
    if (!text) {
        bad(r, "a name lies outside its string table (section %zu, offset 0x%zx)", table, offset);
        return NULL;
    }
    r->name_bytes += strlen(text);
    if (r->name_bytes > NAMES_LIMIT) {
        bad(r, "more than %llu MiB of names", (unsigned long long)(NAMES_LIMIT >> 20));
        return NULL;
    }
    return text;
}

static const char *type_name(unsigned type)
{
    switch (type) {
    case ET_REL: return "a relocatable object; link it first";
    case ET_DYN: return "a shared object or position-independent program";
    case ET_CORE: return "a core dump";
    default: return "of an unknown type";
    }
}

/* Check the fields that libelf needs to open the file, for precise messages. */
static enum sam_status read_identification(struct reader *r)
{
    if (r->size < EI_NIDENT || memcmp(r->bytes, ELFMAG, SELFMAG) != 0)
        return bad(r, "not an ELF file");
    if (r->bytes[EI_CLASS] != ELFCLASS32 && r->bytes[EI_CLASS] != ELFCLASS64)
        return bad(r, "unknown ELF class %u, expected 1 (32-bit) or 2 (64-bit)",
                   r->bytes[EI_CLASS]);
    if (r->bytes[EI_DATA] != ELFDATA2LSB)
        return bad(r, "not a little-endian ELF file");
    r->xlen = r->bytes[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    if (r->size < (r->xlen == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr)))
        return bad(r, "truncated: %llu bytes do not hold an ELF header",
                   (unsigned long long)r->size);
    return SAM_OK;
}

static enum sam_status read_header(struct reader *r)
{
    if (!r->elf)
        return bad(r, "damaged ELF header: %s", elf_errmsg(-1));
    if (!gelf_getehdr(r->elf, &r->ehdr))
        return bad(r, "damaged ELF header: %s", elf_errmsg(-1));
    if (r->ehdr.e_machine != EM_RISCV)
        return bad(r, "not a RISC-V program (machine %u, expected %u)", r->ehdr.e_machine,
                   EM_RISCV);
    if (r->ehdr.e_type != ET_EXEC)
        return bad(r, "not an executable but %s (type %u)", type_name(r->ehdr.e_type),
                   r->ehdr.e_type);
    return SAM_OK;
}

/* Check that both header tables lie within the file. */
static enum sam_status read_tables(struct reader *r)
{
    size_t wanted = r->xlen == 32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    size_t count = 0;
    if (elf_getphdrnum(r->elf, &count) != 0 ||
        !in_file(r, r->ehdr.e_phoff, (uint64_t)r->ehdr.e_phnum * wanted) ||
        !in_file(r, r->ehdr.e_phoff, (uint64_t)count * wanted))
        return bad(r, "the table of %u program headers at 0x%llx reaches past the end of the file",
                   r->ehdr.e_phnum, (unsigned long long)r->ehdr.e_phoff);
    if (count == 0)
        return bad(r, "no program headers: nothing to load");
    if (r->ehdr.e_phentsize != wanted)
        return bad(r, "program headers of %u bytes, expected %zu", r->ehdr.e_phentsize, wanted);
    r->segment_count = count;

    wanted = r->xlen == 32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    if (r->ehdr.e_shoff == 0)
        return SAM_OK; /* no section headers: loads anyway */
    if (!in_file(r, r->ehdr.e_shoff, (uint64_t)r->ehdr.e_shnum * wanted) ||
        elf_getshdrnum(r->elf, &count) != 0 ||
        !in_file(r, r->ehdr.e_shoff, (uint64_t)count * wanted))
        return bad(r, "the table of %u section headers at 0x%llx reaches past the end of the file",
                   r->ehdr.e_shnum, (unsigned long long)r->ehdr.e_shoff);
    if (count && r->ehdr.e_shentsize != wanted)
        return bad(r, "section headers of %u bytes, expected %zu", r->ehdr.e_shentsize, wanted);
    if (count && elf_getshdrstrndx(r->elf, &r->name_table) != 0)
        return bad(r, "the section of section names does not exist");
    r->header_count = count;
    return SAM_OK;
}

static int by_segment_address(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static enum sam_status read_segments(struct reader *r)
{
    size_t total = r->segment_count;
    uint64_t memory = 0, file = 0;
    uint64_t top = r->xlen == 32 ? UINT64_C(1) << 32 : UINT64_MAX;
    r->segments = sam_alloc(total, sizeof *r->segments);
    r->segment_count = 0;
    if (!r->segments)
        return sam_fail_memory(r->error);
    for (size_t i = 0; i < total; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(r->elf, (int)i, &p))
            return bad(r, "program header %zu: %s", i, elf_errmsg(-1));
        if (p.p_type != PT_LOAD || p.p_memsz == 0)
            continue;
        if (p.p_filesz > p.p_memsz)
            return bad(r, "segment %zu has 0x%llx bytes in the file but 0x%llx in memory", i,
                       (unsigned long long)p.p_filesz, (unsigned long long)p.p_memsz);
        if (p.p_filesz && !in_file(r, p.p_offset, p.p_filesz))
            return bad(r, "segment %zu (0x%llx bytes at 0x%llx) reaches past the end of the file",
                       i, (unsigned long long)p.p_filesz, (unsigned long long)p.p_offset);
        if (p.p_vaddr > top || p.p_memsz > top - p.p_vaddr)
            return bad(r,
                       "segment %zu (0x%llx bytes at address 0x%llx) does not fit %u-bit addresses",
                       i, (unsigned long long)p.p_memsz, (unsigned long long)p.p_vaddr, r->xlen);
        if (p.p_filesz && (p.p_paddr > top || p.p_filesz > top - p.p_paddr))
            return bad(r,
                       "segment %zu (0x%llx bytes at load address 0x%llx) does not fit %u-bit "
                       "addresses",
                       i, (unsigned long long)p.p_filesz, (unsigned long long)p.p_paddr, r->xlen);
        r->has_load_addresses |= p.p_paddr != 0;
        if (p.p_memsz > MEMORY_LIMIT || (memory += p.p_memsz) > MEMORY_LIMIT)
            return bad(r, "segments of more than %llu MiB",
                       (unsigned long long)(MEMORY_LIMIT >> 20));
        if ((file += p.p_filesz) > r->size)
            return bad(r, "segments share bytes of the file: 0x%llx of 0x%llx",
                       (unsigned long long)file, (unsigned long long)r->size);
        r->segments[r->segment_count++] = (struct segment){
            .address = p.p_vaddr,
            .load_address = p.p_paddr,
            .size = p.p_memsz,
            .offset = p.p_offset,
            .file_size = p.p_filesz,
            .index = i,
            .execute = (p.p_flags & PF_X) != 0,
            .write = (p.p_flags & PF_W) != 0,
        };
    }
    if (r->segment_count == 0)
        return bad(r, "no loadable segment");
    qsort(r->segments, r->segment_count, sizeof *r->segments, by_segment_address);
    for (size_t i = 1; i < r->segment_count; i++) {
        const struct segment *a = &r->segments[i - 1], *b = &r->segments[i];
        if (b->address - a->address < a->size)
            return bad(r, "segments %zu and %zu overlap at 0x%llx", a->index, b->index,
                       (unsigned long long)b->address);
    }
    return SAM_OK;
}

static int by_header_address(const void *a, const void *b)
{
    const struct header *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static enum sam_status read_resources(struct reader *r, const GElf_Shdr *s)
{
    if (r->image->resource_count)
        return bad(r, "two sections " SAM_RESOURCE_SECTION);
    if (s->sh_type == SHT_NOBITS || !in_file(r, s->sh_offset, s->sh_size))
        return bad(r,
                   SAM_RESOURCE_SECTION " (0x%llx bytes at 0x%llx) reaches past the end of the "
                                        "file",
                   (unsigned long long)s->sh_size, (unsigned long long)s->sh_offset);
    if (s->sh_size % SAM_RESOURCE_BYTES)
        return bad(r, SAM_RESOURCE_SECTION " has %llu bytes, expected %d for each kernel",
                   (unsigned long long)s->sh_size, SAM_RESOURCE_BYTES);
    return sam_image_add_resources(r->image, r->bytes + s->sh_offset, (size_t)s->sh_size)
               ? SAM_OK
               : sam_fail_memory(r->error);
}

/* $x, $d: mapping symbols for disassemblers. .L: compiler-local labels, which assemblers drop but
 * the Ventus compiler keeps; they would hide function names. */
static bool is_private_name(const char *name)
{
    return (name[0] == '$' && (name[1] == 'x' || name[1] == 'd')) ||
           (name[0] == '.' && name[1] == 'L');
}

static enum sam_status read_symbols(struct reader *r, Elf_Scn *scn, const GElf_Shdr *s)
{
    size_t wanted = r->xlen == 32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    if (!in_file(r, s->sh_offset, s->sh_size))
        return bad(r, "the symbol table (0x%llx bytes at 0x%llx) reaches past the end of the file",
                   (unsigned long long)s->sh_size, (unsigned long long)s->sh_offset);
    if (s->sh_entsize != wanted || s->sh_size % wanted || (s->sh_flags & SHF_COMPRESSED))
        return bad(r, "the symbol table has entries of %llu bytes, expected %zu",
                   (unsigned long long)s->sh_entsize, wanted);
    if (s->sh_size == 0)
        return SAM_OK;
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data)
        return bad(r, "the symbol table: %s", elf_errmsg(-1));
    size_t count = (size_t)(s->sh_size / wanted);
    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return bad(r, "symbol %zu: %s", i, elf_errmsg(-1));
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (symbol.st_name == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON ||
            type == STT_FILE || type == STT_SECTION || type == STT_TLS)
            continue;
        const char *name = name_at(r, s->sh_link, symbol.st_name);
        if (!name)
            return SAM_ERR_INPUT;
        if (!*name || is_private_name(name))
            continue;
        struct sam_symbol copy = {
            .name = (char *)name,
            .value = symbol.st_value,
            .size = symbol.st_size,
            .global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL,
            .function = type == STT_FUNC,
            .section_relative = symbol.st_shndx != SHN_ABS,
        };
        enum sam_status status = sam_image_add_symbol(r->image, &copy, r->error);
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static enum sam_status read_attributes(struct reader *r, const GElf_Shdr *s)
{
    const char *arch = in_file(r, s->sh_offset, s->sh_size)
                           ? sam_elf_arch(r->bytes + s->sh_offset, (size_t)s->sh_size)
                           : NULL;
    free(r->image->arch);
    r->image->arch = arch ? strdup(arch) : NULL;
    return arch && !r->image->arch ? sam_fail_memory(r->error) : SAM_OK;
}

/* Keep a section for debuggers. */
static enum sam_status keep_debug(struct reader *r, const char *name, const GElf_Shdr *s)
{
    if (!in_file(r, s->sh_offset, s->sh_size))
        return SAM_OK;
    return sam_image_add_debug(r->image, name, r->bytes + s->sh_offset, s->sh_size, r->error);
}

/* Read memory ranges, symbols, resources and attributes in one pass over the section headers. */
static enum sam_status read_sections(struct reader *r)
{
    bool has_symbols = false;
    r->headers = sam_alloc(r->header_count, sizeof *r->headers);
    if (!r->headers)
        return sam_fail_memory(r->error);
    for (size_t i = 1; i < r->header_count; i++) {
        GElf_Shdr s;
        Elf_Scn *scn = elf_getscn(r->elf, i);
        if (!scn || !gelf_getshdr(scn, &s))
            return bad(r, "section header %zu: %s", i, elf_errmsg(-1));
        enum sam_status status = SAM_OK;
        if (s.sh_type == SHT_SYMTAB) {
            if (has_symbols)
                return bad(r, "two symbol tables");
            has_symbols = true;
            status = read_symbols(r, scn, &s);
        } else if (s.sh_type == SHT_RISCV_ATTRIBUTES) {
            status = read_attributes(r, &s);
        } else if (s.sh_type == SHT_PROGBITS && !(s.sh_flags & SHF_COMPRESSED)) {
            const char *name = name_at(r, r->name_table, s.sh_name);
            if (!name)
                return SAM_ERR_INPUT;
            if (strcmp(name, SAM_RESOURCE_SECTION) == 0)
                status = read_resources(r, &s);
            else if (strncmp(name, ".debug_", 7) == 0 && !(s.sh_flags & SHF_ALLOC))
                status = keep_debug(r, name, &s);
        }
        if (status != SAM_OK)
            return status;
        if (!(s.sh_flags & SHF_ALLOC) || (s.sh_flags & SHF_TLS) || s.sh_size == 0)
            continue;
        if (s.sh_size > UINT64_MAX - s.sh_addr)
            return bad(r, "section %zu (0x%llx bytes) wraps around at address 0x%llx", i,
                       (unsigned long long)s.sh_size, (unsigned long long)s.sh_addr);
        r->headers[r->used_headers++] = (struct header){
            .address = s.sh_addr,
            .size = s.sh_size,
            .name = s.sh_name,
            .index = i,
            .execute = (s.sh_flags & SHF_EXECINSTR) != 0,
            .write = (s.sh_flags & SHF_WRITE) != 0,
        };
    }
    qsort(r->headers, r->used_headers, sizeof *r->headers, by_header_address);
    return SAM_OK;
}

/* Add bytes [from, to) of a segment as an image section. */
static enum sam_status add_piece(struct reader *r, const struct segment *segment, uint64_t from,
                                 uint64_t to, const struct header *header)
{
    char load[32];
    const char *name = load;
    if (header)
        name = name_at(r, r->name_table, header->name);
    else
        snprintf(load, sizeof load, "LOAD%zu", segment->index);
    if (!name)
        return SAM_ERR_INPUT;
    uint64_t skip = from - segment->address;
    uint64_t present = segment->file_size > skip ? segment->file_size - skip : 0;
    struct sam_section section = {
        .name = (char *)(*name ? name : "?"),
        .address = from,
        .size = to - from,
        .data_size = present < to - from ? present : to - from,
        .execute = segment->execute && (!header || header->execute),
        .write = segment->write && (!header || header->write),
        .load_offset = r->has_load_addresses ? segment->load_address - segment->address : 0,
    };
    if (section.data_size)
        section.data = (uint8_t *)r->bytes + segment->offset + skip;
    return sam_image_add_section(r->image, &section, r->error);
}

/* Divide the segments by the section headers, both in ascending address order. Padding without a
 * section header is still memory. The ELF header, which GNU ld places before .text if there is
 * room, is not: below 0x80000000 it would lie in Ventus local memory. */
static enum sam_status cut_segments(struct reader *r)
{
    enum sam_status status = SAM_OK;
    size_t h = 0;
    for (size_t i = 0; i < r->segment_count && status == SAM_OK; i++) {
        const struct segment *segment = &r->segments[i];
        uint64_t cursor = segment->address, end = segment->address + segment->size;
        for (; h < r->used_headers && r->headers[h].address < end && status == SAM_OK; h++) {
            const struct header *header = &r->headers[h];
            uint64_t header_end = header->address + header->size;
            if (header_end <= segment->address)
                continue; /* outside all segments: not loaded */
            if (header->address < cursor || header_end > end)
                return bad(r, "section %zu (0x%llx..0x%llx) overlaps another or leaves its segment",
                           header->index, (unsigned long long)header->address,
                           (unsigned long long)header_end);
            bool file_header = cursor == segment->address && segment->offset == 0;
            if (header->address > cursor && !file_header)
                status = add_piece(r, segment, cursor, header->address, NULL);
            if (status == SAM_OK)
                status = add_piece(r, segment, header->address, header_end, header);
            cursor = header_end;
        }
        if (status == SAM_OK && cursor < end)
            status = add_piece(r, segment, cursor, end, NULL);
    }
    return status;
}

static enum sam_status read_all(struct reader *r)
{
    enum sam_status status = read_header(r);
    if (status == SAM_OK)
        status = read_tables(r);
    if (status == SAM_OK)
        status = read_segments(r);
    if (status != SAM_OK)
        return status;
    r->image = sam_image_new(r->xlen);
    if (!r->image)
        return sam_fail_memory(r->error);
    r->image->entry = r->ehdr.e_entry;
    r->image->compressed = r->ehdr.e_flags & EF_RISCV_RVC;
    r->image->float_abi = (r->ehdr.e_flags & EF_RISCV_FLOAT_ABI) >> 1;
    status = read_sections(r);
    if (status == SAM_OK)
        status = cut_segments(r);
    if (status == SAM_OK)
        status = sam_image_finish(r->image, r->error);
    if (status == SAM_OK && r->header_count && !sam_dwarf_read(r->elf, r->image))
        status = sam_fail_memory(r->error);
    return status;
}

enum sam_status sam_elf_parse(const void *data, size_t size, const char *name,
                              struct sam_image **image, struct sam_error *error)
{
    if (image)
        *image = NULL;
    if (SAM_LACKS(error, image, name))
        return SAM_ERR_USAGE;
    if (!data && size)
        return sam_fail_null(error, "data");
    if (elf_version(EV_CURRENT) == EV_NONE)
        return sam_fail(error, SAM_ERR_IO, "libelf is too old");
    if (size > FILE_LIMIT)
        return sam_fail(error, SAM_ERR_INPUT, "%s: larger than %llu MiB", name,
                        (unsigned long long)(FILE_LIMIT >> 20));
    if (size == 0)
        return sam_fail(error, SAM_ERR_INPUT, "%s: not an ELF file (empty)", name);
    /* libelf requires a writable image and may convert in place. */
    uint8_t *copy = malloc(size);
    if (!copy)
        return sam_fail_memory(error);
    memcpy(copy, data, size);
    struct reader r = {.bytes = copy, .size = size, .name = name, .error = error};
    enum sam_status status = read_identification(&r);
    if (status == SAM_OK) {
        r.elf = elf_memory((char *)copy, size);
        status = read_all(&r);
    }
    if (status == SAM_OK)
        *image = r.image;
    else
        sam_image_free(r.image);
    elf_end(r.elf);
    free(r.segments);
    free(r.headers);
    free(copy);
    return status;
}

/* Without the magic number, stop reading. */
static enum sam_status look(void *path, const struct sam_buffer *file, uint64_t *enough,
                            struct sam_error *error)
{
    if (file->size < SELFMAG || memcmp(file->data, ELFMAG, SELFMAG) != 0)
        return sam_fail(error, SAM_ERR_INPUT, "%s: not an ELF file", (const char *)path);
    *enough = UINT64_MAX;
    return SAM_OK;
}

enum sam_status sam_elf_read(const char *path, struct sam_image **image, struct sam_error *error)
{
    if (image)
        *image = NULL;
    if (SAM_LACKS(error, image, path))
        return SAM_ERR_USAGE;
    struct sam_buffer file = {0};
    enum sam_status status = sam_file_read_seen(path, FILE_LIMIT, look, (void *)path, &file, error);
    if (status == SAM_OK)
        status = sam_elf_parse(sam_buffer_text(&file), file.size, path, image, error);
    sam_buffer_free(&file);
    return status;
}
