/* SPDX-License-Identifier: Apache-2.0 */
/* Line information of images: built row by row, looked up by address and by line. */
#include "base/base.h"

#include <stdlib.h>

struct sam_line_row {
    struct sam_line line;
    uint32_t order; /* insertion order among rows and ends at one address */
    bool end;
};

bool sam_lines_file(struct sam_lines *lines, const char *file, uint32_t *number)
{
    if (!lines->names && !(lines->names = sam_alloc(1, sizeof *lines->names)))
        return false;
    const void *known = sam_names_find(lines->names, file, strlen(file));
    if (known) {
        *number = (uint32_t)((uintptr_t)known - 1);
        return true;
    }
    void *grown = sam_grow(lines->files, lines->file_count, &lines->file_capacity, sizeof(char *));
    if (!grown)
        return false;
    lines->files = grown;
    char *copy = sam_strdup(file);
    *number = (uint32_t)lines->file_count;
    /* value: number + 1, as values must not be NULL */
    if (!copy || !sam_names_add(lines->names, copy, strlen(copy),
                                (void *)(uintptr_t)(lines->file_count + 1))) {
        free(copy);
        return false;
    }
    lines->files[lines->file_count++] = copy;
    return true;
}

static bool add(struct sam_lines *lines, struct sam_line line, bool end)
{
    void *grown = sam_grow(lines->rows, lines->count, &lines->capacity, sizeof *lines->rows);
    if (!grown)
        return false;
    lines->rows = grown;
    const uint32_t order = (uint32_t)lines->count;
    lines->rows[lines->count++] = (struct sam_line_row){line, order, end};
    return true;
}

bool sam_lines_add(struct sam_lines *lines, uint64_t address, uint32_t file, uint32_t line)
{
    return add(lines, (struct sam_line){address, line ? file : 0, line}, false);
}

bool sam_lines_end(struct sam_lines *lines, uint64_t address)
{
    return add(lines, (struct sam_line){.address = address}, true);
}

/* By address, ends first: a row that begins at the address wins. */
static int by_address(const void *a, const void *b)
{
    const struct sam_line_row *x = a, *y = b;
    if (x->line.address != y->line.address)
        return x->line.address < y->line.address ? -1 : 1;
    if (x->end != y->end)
        return x->end ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

bool sam_lines_finish(struct sam_lines *lines, struct sam_image *image)
{
    if (lines->count == 0)
        return true;
    image->lines = sam_alloc(lines->count, sizeof *image->lines);
    if (!image->lines)
        return false;
    qsort(lines->rows, lines->count, sizeof *lines->rows, by_address);
    struct sam_line last = {0}; /* unknown before the first row */
    for (size_t i = 0; i < lines->count; i++) {
        const struct sam_line *row = &lines->rows[i].line;
        if (i + 1 < lines->count && lines->rows[i + 1].line.address == row->address)
            continue;
        if (row->line == last.line && row->file == last.file)
            continue;
        last = *row;
        image->lines[image->line_count++] = last;
    }
    image->files = lines->files;
    image->file_count = lines->file_count;
    lines->files = NULL;
    lines->file_count = 0;
    return true;
}

void sam_lines_free(struct sam_lines *lines)
{
    for (size_t i = 0; i < lines->file_count; i++)
        free(lines->files[i]);
    free(lines->files);
    free(lines->rows);
    if (lines->names)
        sam_names_free(lines->names);
    free(lines->names);
    *lines = (struct sam_lines){0};
}

const char *sam_image_line_at(const struct sam_image *image, uint64_t address, uint32_t *line)
{
    size_t low = 0;
    SAM_SEARCH(low, image ? image->line_count : 0, i, image->lines[i].address <= address);
    const struct sam_line *found = low ? &image->lines[low - 1] : NULL;
    if (!found || found->line == 0)
        return NULL;
    if (line)
        *line = found->line;
    return image->files[found->file];
}

/* Returns whether `path` equals `file` or ends with it after a '/'. */
static bool ends_with(const char *path, const char *file)
{
    const size_t size = strlen(path), tail = strlen(file);
    return tail && size >= tail && strcmp(path + (size - tail), file) == 0 &&
           (size == tail || file[0] == '/' || path[size - tail - 1] == '/');
}

bool sam_image_line_address(const struct sam_image *image, const char *file, uint32_t *line,
                            uint64_t *address)
{
    uint32_t best = 0;
    uint32_t known = UINT32_MAX; /* cached match result of the previous row's file */
    bool fits = false;
    for (size_t i = 0; image && i < image->line_count; i++) {
        const struct sam_line *row = &image->lines[i];
        if (row->line < *line || row->line == 0 || (best && row->line >= best))
            continue;
        if (row->file != known) {
            known = row->file;
            fits = ends_with(image->files[row->file], file);
        }
        if (fits) {
            best = row->line;
            *address = row->address;
        }
    }
    if (best)
        *line = best;
    return best != 0;
}

const struct sam_symbol *sam_image_function_at(const struct sam_image *image, uint64_t address)
{
    const struct sam_symbol *nearest = sam_image_symbol_at(image, address);
    if (!nearest)
        return NULL;
    const struct sam_section *section = sam_image_section_at(image, address);
    const struct sam_symbol *global = NULL;
    /* symbols are sorted: walk down from the nearest */
    for (const struct sam_symbol *s = nearest;; s--) {
        if (s->value < section->address)
            break;
        if (s->section_relative && s->function && (s->size == 0 || address - s->value < s->size))
            return s;
        if (s->section_relative && s->global && !global)
            global = s;
        if (s == image->symbols)
            break;
    }
    return global ? global : nearest;
}
