/* SPDX-License-Identifier: Apache-2.0 */
/* Directives that select sections, define symbols or include files. */
#include "asm/asm.h"

#include <stdio.h>
#include <sys/stat.h>

bool sam_asm_expect_end(struct assembler *as, struct asm_lexer *lexer)
{
    if (lexer->token.kind == TOKEN_END)
        return true;
    char shown[64];
    sam_asm_error(as, sam_asm_lex_at(lexer), "expected the end of the line, found %s",
                  sam_asm_lex_shown(lexer, shown, sizeof shown));
    return false;
}

bool sam_asm_constant(struct assembler *as, struct asm_lexer *lexer, const char *what,
                      int64_t *number)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    struct asm_failure fail = {.at = at};
    const struct asm_node *node = sam_asm_parse_expr(as, lexer, &fail);
    *number = 0;
    if (!node) {
        if (!as->stop)
            sam_asm_error(as, fail.at, "%s", fail.text);
        return false;
    }
    enum asm_known known = sam_asm_eval_early(as, node, number);
    if (known == ASM_UNKNOWN)
        sam_asm_error(as, at, "%s must be a number that is known here", what);
    return known == ASM_KNOWN;
}

static bool take_name(struct assembler *as, struct asm_lexer *lexer, struct asm_token *name)
{
    *name = lexer->token;
    if (name->kind == TOKEN_NAME) {
        sam_asm_lex_next(lexer);
        return true;
    }
    char shown[64];
    sam_asm_error(as, sam_asm_lex_at(lexer), "expected a symbol, found %s",
                  sam_asm_lex_shown(lexer, shown, sizeof shown));
    return false;
}

static bool take_comma(struct assembler *as, struct asm_lexer *lexer)
{
    if (sam_asm_lex_take(lexer, ","))
        return true;
    char shown[64];
    sam_asm_error(as, sam_asm_lex_at(lexer), "expected ',', found %s",
                  sam_asm_lex_shown(lexer, shown, sizeof shown));
    return false;
}

static void switch_to(struct assembler *as, struct asm_section *section)
{
    if (!section)
        return;
    as->previous_section = as->section;
    as->section = section;
}

/* --- sections */

static void dir_named_section(struct assembler *as, struct asm_lexer *lexer, const char *name)
{
    if (lexer->token.kind == TOKEN_NUMBER)
        sam_asm_lex_next(lexer); /* .text 0: a subsection number, ignored */
    if (sam_asm_expect_end(as, lexer))
        switch_to(as, sam_asm_section_get(as, name, strlen(name)));
}

static void section_flags(struct assembler *as, struct asm_section *section,
                          const struct asm_token *flags, struct asm_at at)
{
    section->execute = section->write = false;
    for (size_t i = 1; i + 1 < flags->size; i++) {
        char c = flags->text[i];
        if (c == 'x')
            section->execute = true;
        else if (c == 'w')
            section->write = true;
        else if (!strchr("aoGMSTe?", c) && !(c >= '0' && c <= '9'))
            sam_asm_warning(as, at, "unknown section flag '%c'", c);
    }
    if (section->execute && section->alignment < 4)
        section->alignment = 4;
}

/* .section NAME[, "flags"[, @type[, ...]]] */
static void dir_section(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_token name = lexer->token;
    struct asm_at at = sam_asm_lex_at(lexer);
    if (name.kind == TOKEN_STRING) {
        name.text++;
        name.size -= 2;
        sam_asm_lex_next(lexer);
    } else if (!take_name(as, lexer, &name)) {
        return;
    } else {
        /* names such as .note.GNU-stack contain characters that symbols cannot */
        while (lexer->token.kind != TOKEN_END && lexer->token.text == name.text + name.size &&
               !sam_asm_lex_is(lexer, ",")) {
            name.size += lexer->token.size;
            sam_asm_lex_next(lexer);
        }
    }
    if (!name.size || name.size > 255 || memchr(name.text, '\0', name.size)) {
        sam_asm_error(as, at, "a section's name has 1 to 255 characters");
        return;
    }
    struct asm_section *section = sam_asm_section_get(as, name.text, name.size);
    if (!section)
        return;
    if (sam_asm_lex_take(lexer, ",") && lexer->token.kind == TOKEN_STRING) {
        if (section->count == 0)
            section_flags(as, section, &lexer->token, sam_asm_lex_at(lexer));
        sam_asm_lex_next(lexer);
        if (sam_asm_lex_take(lexer, ",") &&
            (sam_asm_lex_take(lexer, "@") || sam_asm_lex_take(lexer, "%"))) {
            if (sam_asm_lex_is_name(lexer, "nobits") && section->count == 0)
                section->nobits = true;
            else if (sam_asm_lex_is_name(lexer, "progbits") && section->count == 0)
                section->nobits = false;
        }
    }
    switch_to(as, section); /* entry sizes and group names that may follow are ignored */
}

static void dir_pushsection(struct assembler *as, struct asm_lexer *lexer)
{
    if (as->section_depth == SAM_COUNT(as->section_stack)) {
        sam_asm_error(as, sam_asm_statement_at(as), ".pushsection nested more than %zu deep",
                      SAM_COUNT(as->section_stack));
        return;
    }
    as->section_stack[as->section_depth++] = as->section;
    dir_section(as, lexer);
}

static void dir_popsection(struct assembler *as)
{
    if (as->section_depth)
        switch_to(as, as->section_stack[--as->section_depth]);
    else
        sam_asm_error(as, sam_asm_statement_at(as), ".popsection without .pushsection");
}

/* .address ADDR: the start of the section. `samite dis` prints it for a section that does not
 * follow the previous one. */
static void dir_address(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t address;
    if (!sam_asm_constant(as, lexer, "the address", &address) || !sam_asm_expect_end(as, lexer))
        return;
    if (as->section->count) {
        sam_asm_error(as, at, ".address must precede the first byte of section %s",
                      as->section->name);
        return;
    }
    if (as->isa.xlen == 32 && (address < INT32_MIN || address > UINT32_MAX)) {
        sam_asm_error(as, at, "address 0x%llx does not fit 32 bits", (unsigned long long)address);
        return;
    }
    as->section->fixed = true;
    as->section->address = as->isa.xlen == 32 ? (uint32_t)address : (uint64_t)address;
}

/* --- symbols */

static void dir_equ(struct assembler *as, struct asm_lexer *lexer, bool may_change)
{
    struct asm_token name;
    struct asm_at at = sam_asm_lex_at(lexer);
    struct asm_failure fail = {.at = at};
    if (!take_name(as, lexer, &name) || !take_comma(as, lexer))
        return;
    const struct asm_node *node = sam_asm_parse_expr(as, lexer, &fail);
    if (!node && !as->stop)
        sam_asm_error(as, fail.at, "%s", fail.text);
    else if (node && sam_asm_expect_end(as, lexer))
        sam_asm_define_equ(as, name.text, name.size, node, may_change, at);
}

/* .globl and .weak */
static void dir_global(struct assembler *as, struct asm_lexer *lexer, bool weak)
{
    do {
        struct asm_token name;
        if (!take_name(as, lexer, &name))
            return;
        struct asm_symbol *symbol = sam_asm_symbol_get(as, name.text, name.size);
        if (symbol) {
            symbol->global = true;
            symbol->weak |= weak;
            symbol->hidden = false;
        }
    } while (sam_asm_lex_take(lexer, ","));
    sam_asm_expect_end(as, lexer);
}

/* .type NAME, @function */
static void dir_type(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_token name;
    if (!take_name(as, lexer, &name))
        return;
    sam_asm_lex_take(lexer, ",");
    if (!sam_asm_lex_take(lexer, "@"))
        sam_asm_lex_take(lexer, "%");
    struct asm_symbol *symbol = sam_asm_symbol_get(as, name.text, name.size);
    if (symbol &&
        (sam_asm_lex_is_name(lexer, "function") || sam_asm_lex_is_name(lexer, "STT_FUNC")))
        symbol->function = true;
}

/* .size NAME, EXPRESSION */
static void dir_size(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_token name;
    struct asm_failure fail = {.at = sam_asm_lex_at(lexer)};
    if (!take_name(as, lexer, &name) || !take_comma(as, lexer))
        return;
    const struct asm_node *node = sam_asm_parse_expr(as, lexer, &fail);
    struct asm_symbol *symbol = sam_asm_symbol_get(as, name.text, name.size);
    if (!node && !as->stop)
        sam_asm_error(as, fail.at, "%s", fail.text);
    else if (node && symbol && sam_asm_expect_end(as, lexer))
        symbol->size = node;
}

/* .comm NAME, SIZE[, ALIGNMENT]: zeros in .bss. */
static void dir_common(struct assembler *as, struct asm_lexer *lexer, bool global)
{
    struct asm_token name;
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t size, alignment = 16;
    if (!take_name(as, lexer, &name) || !take_comma(as, lexer) ||
        !sam_asm_constant(as, lexer, "the size", &size))
        return;
    if (sam_asm_lex_take(lexer, ",") && !sam_asm_constant(as, lexer, "the alignment", &alignment))
        return;
    if (size < 0 || alignment < 1 || alignment > ASM_MAX_ALIGNMENT ||
        (alignment & (alignment - 1))) {
        sam_asm_error(as, at, "invalid size %lld or alignment %lld", (long long)size,
                      (long long)alignment);
        return;
    }
    struct asm_section *back = as->section, *bss = sam_asm_section_get(as, ".bss", 4);
    if (!bss || !sam_asm_expect_end(as, lexer))
        return;
    as->section = bss;
    sam_asm_add_align(as, (uint64_t)alignment, 0, UINT64_MAX, at);
    sam_asm_define_label(as, name.text, name.size, at);
    sam_asm_add_fill(as, (uint64_t)size, 1, 0, at);
    struct asm_symbol *symbol = sam_asm_symbol_find(as, name.text, name.size);
    if (symbol)
        symbol->global |= global;
    as->section = back;
}

/* --- files and messages */

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The path of `name`: next to the including file, then along the include paths. */
static bool find_include(struct assembler *as, const char *name, char *path, size_t size)
{
    const char *here = as->statement.place->file, *slash = strrchr(here, '/');
    int length = snprintf(path, size, "%.*s%s",
                          slash && name[0] != '/' ? (int)(slash + 1 - here) : 0, here, name);
    if (length > 0 && (size_t)length < size && is_regular(path))
        return true;
    for (size_t i = 0; i < as->options.include_count && name[0] != '/'; i++) {
        length = snprintf(path, size, "%s/%s", as->options.include_paths[i], name);
        if (length > 0 && (size_t)length < size && is_regular(path))
            return true;
    }
    return false;
}

static void dir_include(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    size_t size;
    const char *problem = NULL;
    if (lexer->token.kind != TOKEN_STRING) {
        sam_asm_error(as, at, "expected a file name in quotes after .include");
        return;
    }
    char *bytes = sam_asm_string(as, &lexer->token, &size, &problem), path[4096];
    char *name = bytes ? sam_asm_copy(as, bytes, size) : NULL;
    sam_asm_lex_next(lexer);
    if (!name || !sam_asm_expect_end(as, lexer)) {
        if (problem)
            sam_asm_error(as, at, "%s", problem);
        return;
    }
    if (!find_include(as, name, path, sizeof path)) {
        sam_asm_error(as, at, "cannot find '%s' next to this file or along -I", name);
        return;
    }
    char *kept = sam_asm_copy(as, path, strlen(path));
    void *grown =
        kept ? sam_grow(as->texts, as->text_count, &as->text_capacity, sizeof *as->texts) : NULL;
    if (!grown) {
        sam_asm_out_of_memory(as);
        return;
    }
    as->texts = grown;
    struct sam_buffer *text = &as->texts[as->text_count++];
    *text = (struct sam_buffer){0};
    struct sam_error error = {0};
    const enum sam_status status = sam_file_read(path, as->max_expanded, text, &error);
    if (status == SAM_ERR_MEMORY)
        sam_asm_out_of_memory(as);
    else if (status != SAM_OK)
        sam_asm_error(as, at, "%s", error.text);
    if (status != SAM_OK)
        return;
    as->expanded += text->size;
    if (as->options.reads)
        as->options.reads(as->options.reads_context, path);
    sam_asm_push_file(as, kept, sam_buffer_text(text), text->size, as->statement.place);
}

static void dir_message(struct assembler *as, struct asm_lexer *lexer, bool is_error)
{
    struct asm_at at = sam_asm_statement_at(as);
    int size = lexer->token.kind == TOKEN_STRING ? (int)lexer->token.size - 2 : 0;
    const char *text = size > 0 ? lexer->token.text + 1 : "";
    if (is_error)
        sam_asm_error(as, at, ".error %.*s", size > 200 ? 200 : size, text);
    else
        sam_asm_warning(as, at, ".warning %.*s", size > 200 ? 200 : size, text);
}

/* .file NUMBER "FOLDER" "NAME": the files of .loc. A .file without a number is ignored. */
static void dir_file(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t number;
    const char *problem = NULL;
    char *name = NULL;
    if (lexer->token.kind == TOKEN_STRING)
        return;
    if (!sam_asm_constant(as, lexer, "the number of the file", &number))
        return;
    if (number < 0 || number > 65535) {
        sam_asm_error(as, at, "file %lld: expected 0 to 65535", (long long)number);
        return;
    }
    for (size_t size; lexer->token.kind == TOKEN_STRING; sam_asm_lex_next(lexer)) {
        char *bytes = sam_asm_string(as, &lexer->token, &size, &problem);
        char *part = bytes ? sam_asm_copy(as, bytes, size) : NULL;
        if (!part) {
            if (problem)
                sam_asm_error(as, at, "%s", problem);
            return;
        }
        if (name && *part != '/') { /* the name after its folder */
            char *path = sam_asm_new(as, strlen(name) + size + 2, 1);
            if (!path)
                return;
            sprintf(path, "%s/%s", name, part);
            part = path;
        }
        name = part;
    }
    while (as->loc_file_count <= (size_t)number) {
        const char **files =
            sam_grow(as->loc_files, as->loc_file_count, &as->loc_file_capacity, sizeof *files);
        if (!files) {
            sam_asm_out_of_memory(as);
            return;
        }
        as->loc_files = files;
        as->loc_files[as->loc_file_count++] = NULL;
    }
    as->loc_files[number] = name;
}

/* .loc FILE LINE: the line of the code that follows. */
static void dir_loc(struct assembler *as, struct asm_lexer *lexer)
{
    int64_t file, line;
    if (!sam_asm_constant(as, lexer, "the number of the file", &file) ||
        !sam_asm_constant(as, lexer, "the line", &line))
        return;
    const bool known = file >= 0 && (uint64_t)file < as->loc_file_count && as->loc_files[file];
    if (!known || line < 0 || line > INT32_MAX)
        return; /* as if there were no line information */
    struct asm_place *place = sam_asm_new_place(as);
    if (!place)
        return;
    place->file = as->loc_files[file];
    place->line = (unsigned)line;
    as->loc = place;
}

/* Directives that compilers write for debuggers and linkers, ignored here. */
static bool is_ignored(const char *name, size_t size)
{
    static const char *const names[] = {
        ".option",    ".attribute", ".ident",       ".local", ".hidden",     ".internal",
        ".protected", ".addrsig",   ".addrsig_sym", ".end",   ".variant_cc",
    };
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0)
            return true;
    return size > 5 && memcmp(name, ".cfi_", 5) == 0;
}

enum {
    DIR_TEXT,
    DIR_DATA,
    DIR_RODATA,
    DIR_BSS,
    DIR_SECTION,
    DIR_PUSH,
    DIR_POP,
    DIR_PREVIOUS,
    DIR_ADDRESS,
    DIR_EQU,
    DIR_SET,
    DIR_GLOBAL,
    DIR_WEAK,
    DIR_TYPE,
    DIR_SIZE,
    DIR_COMM,
    DIR_LCOMM,
    DIR_INCLUDE,
    DIR_FILE,
    DIR_LOC,
    DIR_ERROR,
    DIR_WARNING,
};

static const struct {
    const char *name;
    int directive;
} directives[] = {
    {".text", DIR_TEXT},       {".data", DIR_DATA},         {".rodata", DIR_RODATA},
    {".bss", DIR_BSS},         {".section", DIR_SECTION},   {".pushsection", DIR_PUSH},
    {".popsection", DIR_POP},  {".previous", DIR_PREVIOUS}, {".address", DIR_ADDRESS},
    {".equ", DIR_SET},         {".set", DIR_SET},           {".equiv", DIR_EQU},
    {".globl", DIR_GLOBAL},    {".global", DIR_GLOBAL},     {".type", DIR_TYPE},
    {".size", DIR_SIZE},       {".comm", DIR_COMM},         {".lcomm", DIR_LCOMM},
    {".weak", DIR_WEAK},       {".include", DIR_INCLUDE},   {".error", DIR_ERROR},
    {".warning", DIR_WARNING}, {".file", DIR_FILE},         {".loc", DIR_LOC},
};

static void run_directive(struct assembler *as, int directive, struct asm_lexer *lexer)
{
    switch (directive) {
    case DIR_TEXT: dir_named_section(as, lexer, ".text"); break;
    case DIR_DATA: dir_named_section(as, lexer, ".data"); break;
    case DIR_RODATA: dir_named_section(as, lexer, ".rodata"); break;
    case DIR_BSS: dir_named_section(as, lexer, ".bss"); break;
    case DIR_SECTION: dir_section(as, lexer); break;
    case DIR_PUSH: dir_pushsection(as, lexer); break;
    case DIR_POP: dir_popsection(as); break;
    case DIR_PREVIOUS: switch_to(as, as->previous_section); break;
    case DIR_ADDRESS: dir_address(as, lexer); break;
    case DIR_EQU: dir_equ(as, lexer, false); break;
    case DIR_SET: dir_equ(as, lexer, true); break;
    case DIR_GLOBAL: dir_global(as, lexer, false); break;
    case DIR_WEAK: dir_global(as, lexer, true); break;
    case DIR_TYPE: dir_type(as, lexer); break;
    case DIR_SIZE: dir_size(as, lexer); break;
    case DIR_COMM: dir_common(as, lexer, true); break;
    case DIR_LCOMM: dir_common(as, lexer, false); break;
    case DIR_INCLUDE: dir_include(as, lexer); break;
    case DIR_FILE: dir_file(as, lexer); break;
    case DIR_LOC: dir_loc(as, lexer); break;
    case DIR_ERROR: dir_message(as, lexer, true); break;
    default: dir_message(as, lexer, false); break;
    }
}

void sam_asm_directive(struct assembler *as, struct asm_lexer *lexer)
{
    const char *name = lexer->token.text;
    size_t size = lexer->token.size;
    struct asm_at at = sam_asm_lex_at(lexer);
    sam_asm_lex_next(lexer);
    if (sam_asm_data_directive(as, name, size, lexer) ||
        sam_asm_macro_directive(as, name, size, lexer))
        return;
    for (size_t i = 0; i < SAM_COUNT(directives); i++) {
        if (strlen(directives[i].name) == size && memcmp(directives[i].name, name, size) == 0) {
            run_directive(as, directives[i].directive, lexer);
            return;
        }
    }
    if (!is_ignored(name, size))
        sam_asm_error(as, at, "unknown directive '%.*s'", size > 40 ? 40 : (int)size, name);
}
