/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler: from text to an image. */
#include "asm/asm.h"

#include <stdio.h>
#include <stdlib.h>

/* NAME=VALUE of -D, as a line `.equ NAME, VALUE` before the text. */
static void define(struct assembler *as, const char *text)
{
    struct asm_place *place = sam_asm_new_place(as);
    char *copy = sam_asm_copy(as, text, strlen(text));
    if (!place || !copy)
        return;
    place->file = "<command line>";
    place->line = 1;
    place->text = copy;
    place->size = strlen(copy);
    struct asm_at at = {place, 1};
    size_t size = strcspn(copy, "=");
    bool named = size > 0 && sam_asm_name_start(copy[0]);
    for (size_t i = 0; i < size; i++)
        named = named && sam_asm_name_char(copy[i]);
    if (!named) {
        sam_asm_error(as, at, "expected NAME=VALUE, found '%.60s'", copy);
        return;
    }
    const struct asm_node *node = NULL;
    struct asm_failure fail = {.at = at};
    if (copy[size]) {
        struct asm_lexer lexer;
        sam_asm_lex_start(&lexer, copy + size + 1, strlen(copy + size + 1), place);
        node = sam_asm_parse_expr(as, &lexer, &fail);
        if (node && !sam_asm_expect_end(as, &lexer))
            return;
    } else {
        node = sam_asm_number_node(as, 1, at);
    }
    if (!node)
        sam_asm_error(as, fail.at, "%s", fail.text);
    else if (sam_asm_define_equ(as, copy, size, node, true, at))
        sam_asm_symbol_get(as, copy, size)->hidden = true;
}

/* Define the labels of a statement. Returns false if nothing follows or after an error. */
static bool take_labels(struct assembler *as, struct asm_lexer *lexer)
{
    for (;;) {
        struct asm_token token = lexer->token;
        struct asm_at at = sam_asm_lex_at(lexer);
        struct asm_lexer ahead = *lexer;
        sam_asm_lex_next(&ahead);
        if (!sam_asm_lex_is(&ahead, ":"))
            return token.kind != TOKEN_END;
        if (token.kind == TOKEN_NAME)
            sam_asm_define_label(as, token.text, token.size, at);
        else if (token.kind == TOKEN_NUMBER && token.text[0] != '\'')
            sam_asm_define_local(as, token.number, at);
        else
            sam_asm_error(as, at, "expected a label before ':'");
        *lexer = ahead;
        sam_asm_lex_next(lexer);
    }
}

/* NAME = EXPRESSION */
static bool take_assignment(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_token name = lexer->token;
    struct asm_at at = sam_asm_lex_at(lexer);
    struct asm_lexer ahead = *lexer;
    struct asm_failure fail = {.at = at};
    sam_asm_lex_next(&ahead);
    if (name.kind != TOKEN_NAME || !sam_asm_lex_is(&ahead, "="))
        return false;
    sam_asm_lex_next(&ahead);
    const struct asm_node *node = sam_asm_parse_expr(as, &ahead, &fail);
    if (!node && !as->stop)
        sam_asm_error(as, fail.at, "%s", fail.text);
    else if (node && sam_asm_expect_end(as, &ahead))
        sam_asm_define_equ(as, name.text, name.size, node, true, at);
    return true;
}

static void statement(struct assembler *as)
{
    const struct asm_statement *s = &as->statement;
    struct asm_lexer lexer;
    sam_asm_lex_start(&lexer, s->text, s->size, s->place);
    bool named = lexer.token.kind == TOKEN_NAME;
    struct asm_token first = lexer.token;
    if (named && first.text[0] == '.') {
        struct asm_lexer ahead = lexer;
        sam_asm_lex_next(&ahead);
        if (!sam_asm_lex_is(&ahead, ":") && /* a label */
            sam_asm_condition_directive(as, first.text, first.size, &ahead))
            return;
    }
    if (!sam_asm_is_active(as) || !take_labels(as, &lexer) || take_assignment(as, &lexer))
        return;
    struct asm_token word = lexer.token;
    if (word.kind != TOKEN_NAME) {
        char shown[64];
        sam_asm_error(as, sam_asm_lex_at(&lexer),
                      "expected an instruction, a directive or a label, found %s",
                      sam_asm_lex_shown(&lexer, shown, sizeof shown));
        return;
    }
    const struct asm_macro *macro = sam_asm_macro_find(as, word.text, word.size);
    if (macro) {
        sam_asm_lex_next(&lexer);
        sam_asm_macro_call(as, macro, &lexer);
    } else if (word.text[0] == '.') {
        sam_asm_directive(as, &lexer);
    } else {
        /* a mnemonic ends at a blank: some contain an '@' */
        size_t size = word.size;
        while (word.text + size < lexer.end && word.text[size] == '@') {
            size++;
            while (word.text + size < lexer.end && sam_asm_name_char(word.text[size]))
                size++;
        }
        lexer.at = word.text + size;
        sam_asm_lex_next(&lexer);
        sam_asm_instruction(as, word.text, size, &lexer);
    }
}

static bool push_prologue(struct assembler *as, const char *text)
{
    const char *name = as->options.prologue_name ? as->options.prologue_name : "<prologue>";
    const char *kept = sam_asm_copy(as, name, strlen(name));
    return kept && sam_asm_push_file(as, kept, text, strlen(text), NULL);
}

static void run(struct assembler *as, const char *name, const char *text, size_t size)
{
    as->section = sam_asm_section_get(as, ".text", 5);
    as->previous_section = as->section;
    char *kept = sam_asm_copy(as, name, strlen(name));
    if (!as->section || !kept || !sam_asm_index_mnemonics(as))
        return;
    /* Ventus 2.2: offsets in the metadata buffer, which its start.S names */
    static const char *const metadata[] = {
        "KNL_ENTRY=0",       "KNL_ARG_BASE=4",     "KNL_WORK_DIM=8",     "KNL_GL_SIZE_X=12",
        "KNL_GL_SIZE_Y=16",  "KNL_GL_SIZE_Z=20",   "KNL_LC_SIZE_X=24",   "KNL_LC_SIZE_Y=28",
        "KNL_LC_SIZE_Z=32",  "KNL_GL_OFFSET_X=36", "KNL_GL_OFFSET_Y=40", "KNL_GL_OFFSET_Z=44",
        "KNL_PRINT_ADDR=48", "KNL_PRINT_SIZE=52"};
    for (size_t i = 0; as->isa.extensions & SAM_EXT_XVENTUS && i < SAM_COUNT(metadata); i++)
        define(as, metadata[i]);
    for (size_t i = 0; i < as->options.define_count; i++)
        define(as, as->options.defines[i]);
    as->start.file = kept;
    const char *before = as->options.prologue;
    /* the frame pushed last is read first */
    if (!sam_asm_push_file(as, kept, text, size, NULL) || (before && !push_prologue(as, before)))
        return;
    while (sam_asm_next_statement(as)) {
        const size_t row = as->listed_count;
        if (as->options.listing && !as->stop)
            sam_asm_list_begin(as);
        statement(as);
        if (as->listed_count > row)
            sam_asm_list_end(as, row);
    }
}

static void release(struct assembler *as)
{
    for (size_t i = 0; i < as->section_count; i++) {
        free(as->sections[i]->items);
        sam_buffer_free(&as->sections[i]->raw);
    }
    for (size_t i = 0; i < as->text_count; i++)
        sam_buffer_free(&as->texts[i]);
    free(as->sections);
    free(as->texts);
    free(as->listed);
    free(as->loc_files);
    sam_names_free(&as->symbols);
    sam_names_free(&as->section_names);
    for (struct asm_macro *m = as->last_macro; m; m = m->next)
        sam_names_free(&m->names);
    sam_names_free(&as->macros);
    sam_asm_free_blocks(as);
}

/* The limit of expansions, plus an allowance for the source: a long program without macros needs
 * more memory than a short one. */
static size_t memory_limit(uint64_t max_expanded, size_t size)
{
    enum { BASE = 4 << 20, PER_CHARACTER = 256, LARGEST_SOURCE = 3 << 20 };
    const uint64_t expanded = max_expanded < SIZE_MAX / 16 ? 4 * max_expanded : SIZE_MAX / 4;
    const size_t source = size < LARGEST_SOURCE ? size : LARGEST_SOURCE;
    return (size_t)expanded + BASE + PER_CHARACTER * source;
}

static enum sam_status take_options(struct sam_asm_options *o, const struct sam_asm_options *given,
                                    struct sam_error *error)
{
    enum sam_status status =
        sam_options_take(o, sizeof *o, offsetof(struct sam_asm_options, lines), given, error);
    if (status != SAM_OK)
        return status;
    if (o->listing)
        *o->listing = NULL;
    if (o->isa.xlen != 32 && o->isa.xlen != 64)
        return sam_fail(error, SAM_ERR_USAGE, "isa.xlen is %u: expected 32 or 64", o->isa.xlen);
    if (o->define_count && !o->defines)
        return sam_fail_null(error, "defines");
    if (o->include_count && !o->include_paths)
        return sam_fail_null(error, "include_paths");
    for (size_t i = 0; i < o->define_count; i++)
        if (!o->defines[i])
            return sam_fail_null(error, "one of the defines");
    for (size_t i = 0; i < o->include_count; i++)
        if (!o->include_paths[i])
            return sam_fail_null(error, "one of the include_paths");
    return SAM_OK;
}

enum sam_status sam_assemble(const struct sam_asm_options *options, const char *name,
                             const char *text, size_t size, struct sam_image **image,
                             char **messages, struct sam_error *error)
{
    if (image)
        *image = NULL;
    if (messages && !(*messages = sam_strdup("")))
        return sam_fail_memory(error);
    if (!options || !image || !messages)
        return sam_fail_null(error, !options ? "options" : image ? "messages" : "image");
    struct assembler *as = sam_alloc(1, sizeof *as);
    if (!as)
        return sam_fail_memory(error);
    enum sam_status status = take_options(&as->options, options, error);
    if (status == SAM_OK && (!name || (size && !text)))
        status = sam_fail_null(error, name ? "text" : "name");
    if (status != SAM_OK) {
        free(as);
        return status;
    }
    as->start = (struct asm_place){.file = name, .line = 1};
    as->statement.place = &as->start;
    as->isa = as->options.isa;
    as->error = error;
    as->max_expanded = as->options.max_expanded ? as->options.max_expanded : ASM_MAX_EXPANDED;
    as->max_memory = memory_limit(as->max_expanded, size);
    run(as, name, text, size);
    struct sam_image *out = NULL;
    if (!as->stop) {
        sam_asm_layout(as);
        out = sam_asm_emit(as);
    }
    if (as->options.listing) {
        *as->options.listing = as->status == SAM_OK ? sam_asm_listing(as, out) : NULL;
        if (as->status == SAM_OK && !*as->options.listing)
            sam_asm_out_of_memory(as);
    }
    status = as->status;
    if (status != SAM_OK) {
        sam_image_free(out);
        out = NULL;
    }
    free(*messages);
    *messages = sam_asm_finish_messages(as);
    release(as);
    free(as);
    *image = out;
    if (!*messages) {
        sam_image_free(out);
        *image = NULL;
        return sam_fail_memory(error);
    }
    return status;
}

void sam_text_free(char *text)
{
    free(text);
}
