/* SPDX-License-Identifier: Apache-2.0 */
/* Line information of ELF files, through libdw if the library is built with it. */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

#include "config.h"
#include "format/format.h"

#if SAM_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#endif

/* Limits far beyond real programs: one byte of a line program can expand to a 60-byte row. */
#define SECTION_LIMIT (UINT64_C(16) << 20)
#define ROW_LIMIT     (UINT64_C(4) << 20)

static bool SAM_PRINTF(2, 3) problem(struct sam_image *image, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    sam_format_list(text, sizeof text, format, args);
    va_end(args);
    free(image->lines_problem);
    image->lines_problem = sam_strdup(text);
    return image->lines_problem != NULL;
}

/* Uncompressed size of a debug section. */
static uint64_t unpacked_size(Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Chdr packed;
    if (!(header->sh_flags & SHF_COMPRESSED))
        return header->sh_size;
    return gelf_getchdr(section, &packed) ? packed.ch_size : UINT64_MAX;
}

/* Returns whether the file has a line table; *fits: its debug sections are small enough to read. */
static bool has_lines(Elf *elf, bool *fits)
{
    size_t names;
    bool found = false;
    *fits = true;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = NULL;
        if (gelf_getshdr(section, &header))
            name = elf_strptr(elf, names, header.sh_name);
        /* .debug_info and others are read only where a line table points into them */
        if (!name || (strcmp(name, ".debug_line") != 0 && strcmp(name, ".zdebug_line") != 0))
            continue;
        found = true;
        *fits = *fits && unpacked_size(section, &header) <= SECTION_LIMIT;
    }
    return found;
}

#if SAM_HAVE_LIBDW

/* Image file numbers of one table's files, assigned on first use. */
struct table {
    Dwarf_Files *files;
    size_t file_count;
    uint32_t *numbers; /* UINT32_MAX: unassigned */
};

/* Compute the image file number of a row. Returns false on out-of-memory. */
static bool file_of(struct sam_lines *lines, struct table *table, Dwarf_Line *row, uint32_t *number)
{
    Dwarf_Files *files;
    size_t index;
    const char *path = NULL;
    if (dwarf_line_file(row, &files, &index) == 0 && index < table->file_count) {
        *number = table->numbers[index];
        if (*number != UINT32_MAX)
            return true;
        path = dwarf_filesrc(files, index, NULL, NULL);
    } else {
        index = SIZE_MAX;
    }
    const bool good = sam_lines_file(lines, path && *path ? path : "?", number);
    if (good && index != SIZE_MAX)
        table->numbers[index] = *number;
    return good;
}

/* A sequence that does not begin in code belongs to a function that the linker dropped. */
static bool is_code(const struct sam_image *image, uint64_t address)
{
    const struct sam_section *section = sam_image_section_at(image, address);
    return section && section->execute;
}

/* Add the rows of a table, in sequence order (libdw sorts them). Returns false on out-of-memory. */
static bool add_rows(struct sam_lines *lines, const struct sam_image *image, struct table *table,
                     Dwarf_Lines *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr address;
        int line;
        bool end;
        uint32_t file = 0;
        if (!row || dwarf_lineaddr(row, &address) != 0 || dwarf_lineno(row, &line) != 0 ||
            dwarf_lineendsequence(row, &end) != 0)
            continue;
        if (end) {
            if (!sam_lines_end(lines, address))
                return false;
        } else if (is_code(image, address)) {
            if (!file_of(lines, table, row, &file) ||
                !sam_lines_add(lines, address, file, line > 0 ? (uint32_t)line : 0))
                return false;
        }
    }
    return true;
}

static bool add_table(struct sam_lines *lines, const struct sam_image *image, Dwarf_Files *files,
                      size_t file_count, Dwarf_Lines *rows, size_t count)
{
    struct table table = {.files = files, .file_count = file_count};
    table.numbers = sam_alloc(file_count, sizeof *table.numbers);
    if (!table.numbers)
        return false;
    memset(table.numbers, 0xff, file_count * sizeof *table.numbers);
    const bool good = add_rows(lines, image, &table, rows, count);
    free(table.numbers);
    return good;
}

static bool read_tables(Dwarf *dwarf, struct sam_image *image)
{
    struct sam_lines lines = {0};
    Dwarf_Off at = 0;
    Dwarf_CU *unit = NULL;
    bool good = true;
    while (good) {
        Dwarf_Off next;
        Dwarf_Files *files = NULL;
        Dwarf_Lines *rows = NULL;
        size_t file_count = 0, count = 0;
        const int found =
            dwarf_next_lines(dwarf, at, &next, &unit, &files, &file_count, &rows, &count);
        if (found > 0)
            break;
        if (found < 0)
            good = problem(image, "damaged line information: %s", dwarf_errmsg(-1));
        else if (lines.count + count > ROW_LIMIT)
            good = problem(image, "line information of more than %llu rows",
                           (unsigned long long)ROW_LIMIT);
        if (image->lines_problem || !good)
            break;
        good = add_table(&lines, image, files, file_count, rows, count);
        at = next;
    }
    if (good && !image->lines_problem)
        good = sam_lines_finish(&lines, image);
    sam_lines_free(&lines);
    return good;
}

bool sam_dwarf_read(struct Elf *elf, struct sam_image *image)
{
    bool fits;
    if (!has_lines(elf, &fits))
        return true;
    if (!fits)
        return problem(image, "line information of more than %llu MiB",
                       (unsigned long long)(SECTION_LIMIT >> 20));
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (!dwarf)
        return problem(image, "damaged line information: %s", dwarf_errmsg(-1));
    const bool good = read_tables(dwarf, image);
    dwarf_end(dwarf);
    return good;
}

#else

bool sam_dwarf_read(struct Elf *elf, struct sam_image *image)
{
    bool fits;
    return !has_lines(elf, &fits) ||
           problem(image, "line information ignored: samite was built without libdw");
}

#endif
