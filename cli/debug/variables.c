/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the source, in the lane of the focus, where that lane continues. */
#include <stdlib.h>

#include "debugger.h"

enum { BYTES = 8 * SAM_VARIABLE_PIECES };

bool debug_variable_at(struct debug *d, size_t index, struct sam_variable *variable)
{
    struct sam_session_warp warp;
    uint64_t pcs[SAM_MAX_LANES];
    if (!d->variables || d->state == DEBUG_ENDED || debug_lane_pcs(d, &warp, pcs, NULL) != SAM_OK)
        return false;
    return sam_variables_at(d->variables, pcs[d->focus.lane], index, variable);
}

static bool find(struct debug *d, const char *name, struct sam_variable *variable)
{
    for (size_t i = 0; debug_variable_at(d, i, variable); i++)
        if (strcmp(variable->name, name) == 0)
            return true;
    return false;
}

/* Read the variable's bytes; *known has a bit for each of the first 64 words. */
static enum sam_status read_bytes(struct debug *d, const struct sam_variable *v,
                                  uint8_t bytes[BYTES], uint64_t *known, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    uint32_t at = 0;
    *known = 0;
    memset(bytes, 0, BYTES);
    for (unsigned i = 0; i < v->piece_count && status == SAM_OK; i++) {
        const struct sam_variable_piece *p = &v->pieces[i];
        const uint32_t room = at < BYTES ? BYTES - at : 0, size = p->size < room ? p->size : room;
        uint64_t bits = p->value + p->add;
        if (p->kind == SAM_PIECE_MEMORY)
            status = d->names.read(d->names.context, p->value, bytes + at, size, error);
        if (p->kind == SAM_PIECE_SUM) {
            uint8_t word[4] = {0};
            status = d->names.read(d->names.context, p->value, word, sizeof word, error);
            bits = p->add + value_bits(word, sizeof word);
        }
        for (uint32_t k = 0; k < size && k < 8; k++)
            if (p->kind == SAM_PIECE_VALUE || p->kind == SAM_PIECE_SUM)
                bytes[at + k] = (uint8_t)(bits >> 8 * k);
        for (uint32_t k = at; k < at + size && p->kind != SAM_PIECE_NOWHERE; k++)
            *known |= UINT64_C(1) << k / 4 % 64;
        at += p->size < BYTES ? p->size : BYTES;
    }
    return status;
}

static struct value field_value(const struct debug *d, const struct sam_variable_field *field,
                                const uint8_t *bytes)
{
    const uint64_t bits = value_bits(bytes + field->offset, sam_dtype_size(field->type));
    struct value value = value_integer(field->type, bits);
    if (field->pointer) {
        value = value_address(d->shape.isa.xlen, bits);
        value.pointee = field->pointee;
    }
    return value;
}

static bool fits(const struct sam_variable_field *field)
{
    return field->offset <= BYTES - 8;
}

/* The numbers of an array or a struct: {1, 2}, {.a = 1, .b = {...}}. */
static void put_fields(const struct debug *d, const struct sam_variable *v, const uint8_t *bytes,
                       uint64_t known, FILE *out)
{
    const char *between = "{";
    char text[200];
    for (unsigned i = 0; i < v->field_count && fits(&v->fields[i]); i++) {
        const struct sam_variable_field *field = &v->fields[i];
        const struct value value = field_value(d, field, bytes);
        value_text(&value, 0, 0, d->image, text, sizeof text);
        fprintf(out, v->array ? "%s" : "%s%s = ", between, field->path);
        fputs(known >> field->offset / 4 % 64 & 1 ? text : "<not here>", out);
        between = ", ";
    }
    fputs(v->field_count ? "}" : "<of a type that is not shown>", out);
}

static bool is_number(const struct sam_variable *v)
{
    return v->field_count == 1 && !*v->fields[0].path;
}

char *debug_variable_text(struct debug *d, const struct sam_variable *v)
{
    uint8_t bytes[BYTES];
    uint64_t known = 0;
    char number[200], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const enum sam_status status = read_bytes(d, v, bytes, &known, NULL);
    if (status != SAM_OK || !known) {
        fputs(status == SAM_OK ? "<not here>" : "<cannot be read>", out);
    } else if (is_number(v)) {
        const struct value value = field_value(d, &v->fields[0], bytes);
        value_text(&value, 0, 0, d->image, number, sizeof number);
        fputs(number, out);
    } else {
        put_fields(d, v, bytes, known, out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

enum sam_status debug_show_variable(struct debug *d, const struct sam_variable *v,
                                    struct sam_error *error)
{
    char *text = debug_variable_text(d, v);
    if (!text)
        return cli_refuse_memory(error);
    debug_say(d, "%s = %s\n", v->name, text);
    free(text);
    return SAM_OK;
}

bool debug_find_variable(struct debug *d, const char *name, struct value *value,
                         enum sam_status *status, struct sam_error *error)
{
    struct sam_variable v;
    uint8_t bytes[BYTES];
    uint64_t known;
    if (!find(d, name, &v))
        return false;
    const bool in_memory = v.piece_count == 1 && v.pieces[0].kind == SAM_PIECE_MEMORY;
    *status = SAM_OK;
    if (v.array && in_memory && v.field_count) {
        *value = value_address(d->shape.isa.xlen, v.pieces[0].value);
        value->pointee = v.fields[0].type;
    } else if (!is_number(&v)) {
        *status = cli_refuse(error, "'%s' has several values: print %s shows them", name, name);
    } else if ((*status = read_bytes(d, &v, bytes, &known, error)) == SAM_OK && !known) {
        *status = cli_refuse(error, "'%s' has no value here: it was optimized out", name);
    } else if (*status == SAM_OK) {
        *value = field_value(d, &v.fields[0], bytes);
        if (in_memory)
            value->place = (struct place){.kind = PLACE_MEMORY, .address = v.pieces[0].value};
    }
    return true;
}

bool debug_find_numbers(struct debug *d, const char *text, struct sam_variable *variable)
{
    char name[64];
    const size_t size = strcspn(text, " \t");
    if (size >= sizeof name || text[size + strspn(text + size, " \t")])
        return false;
    snprintf(name, sizeof name, "%.*s", (int)size, text);
    return find(d, name, variable) && !is_number(variable);
}

enum sam_status info_locals(struct debug *d, const char *rest, struct sam_error *error)
{
    const bool parameters = d->how;
    struct sam_variable v;
    bool any = false;
    enum sam_status status = debug_no_more(rest, error);
    for (size_t i = 0; status == SAM_OK && debug_variable_at(d, i, &v); i++) {
        if (v.parameter != parameters)
            continue;
        any = true;
        status = debug_show_variable(d, &v, error);
    }
    if (status == SAM_OK && !any)
        return cli_refuse(error, "no %s here%s", parameters ? "arguments" : "variables",
                          d->variables ? "" : ": the program does not describe its variables");
    return status;
}
