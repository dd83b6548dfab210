/* SPDX-License-Identifier: Apache-2.0 */
/* x: memory in words, characters, instructions and strings. */
#include <ctype.h>

#include "debugger.h"

enum { MOST = 1 << 16, STRING = 200 };

struct request {
    uint64_t count;
    char format; /* of value_text, 'i' or 's' */
    char size;   /* b h w g */
};

static unsigned bytes_of(char size)
{
    return size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
}

/* "/4xw"; omitted parts keep their last value. */
static enum sam_status read_request(struct debug *d, const char **at, struct request *r,
                                    struct sam_error *error)
{
    char number[24];
    const char *c = *at;
    *r = (struct request){1, d->examine_format, d->examine_size};
    if (*c != '/')
        return SAM_OK;
    const size_t digits = strspn(++c, "0123456789");
    if (digits) {
        snprintf(number, sizeof number, "%.*s", (int)(digits < 20 ? digits : 20), c);
        if (!sam_parse_u64(number, &r->count) || r->count > MOST)
            return cli_refuse(error, "count %s: expected up to %d", number, MOST);
    }
    for (c += digits; *c && !strchr(" \t", *c); c++) {
        if (strchr("bhwg", *c)) {
            r->size = *c;
        } else if (strchr("is", *c) || strchr(value_formats, *c)) {
            r->format = *c;
            if (*c == 'c')
                r->size = 'b';
            else if (*c == 'f' && r->size == 'b')
                r->size = 'w';
        } else {
            return cli_refuse(error,
                              "'%c': expected a format (x z d u o t f c a i s) or a size "
                              "(b h w g)",
                              isprint((unsigned char)*c) ? *c : '?');
        }
    }
    *at = c + strspn(c, " \t");
    return SAM_OK;
}

static void begin_line(struct debug *d, uint64_t address)
{
    const struct value value = value_address(64, address);
    char text[200];
    value_text(&value, 0, 'a', d->image, text, sizeof text);
    debug_say(d, "%s:", text);
}

static enum sam_status examine_number(struct debug *d, const struct request *r, uint64_t address,
                                      struct sam_error *error)
{
    const unsigned size = bytes_of(r->size);
    uint8_t bytes[8] = {0};
    char text[200];
    const enum sam_status status =
        sam_session_read(d->session, d->focus.workgroup, address, bytes, size, error);
    if (status != SAM_OK)
        return status;
    const struct value value = value_integer(value_unsigned(size), value_bits(bytes, size));
    value_text(&value, 0, r->format, d->image, text, sizeof text);
    debug_say(d, "\t%s", text);
    return SAM_OK;
}

static unsigned per_line(const struct request *r)
{
    if (r->format == 'a' || r->format == 't')
        return r->size == 'b' ? 4 : 2;
    return r->size == 'g' ? 2 : r->size == 'w' ? 4 : 8;
}

static enum sam_status examine_string(struct debug *d, uint64_t *address, struct sam_error *error)
{
    char text[STRING * 4 + 1];
    size_t used = 0, count = 0;
    uint8_t byte = 0;
    for (; count < STRING; count++) {
        const enum sam_status status =
            sam_session_read(d->session, d->focus.workgroup, *address + count, &byte, 1, error);
        if (status != SAM_OK && !count)
            return status;
        if (status != SAM_OK || !byte)
            break;
        if (byte >= 0x20 && byte < 0x7f)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%c",
                                     byte == '"' || byte == '\\' ? "\\" : "", byte);
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "\\%03o", byte);
    }
    text[used] = '\0';
    begin_line(d, *address);
    debug_say(d, "\t\"%s\"%s\n", text, count == STRING ? "..." : "");
    *address += count + (count < STRING);
    return SAM_OK;
}

static enum sam_status examine(struct debug *d, const struct request *r, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    const uint64_t pc = debug_pc(d);
    unsigned column = 0;
    for (uint64_t i = 0; i < r->count && status == SAM_OK && !cli_stopped(); i++) {
        uint64_t address = debug_address(d, d->examine_at);
        if (r->format == 's') {
            status = examine_string(d, &address, error);
            d->examine_at = address;
            continue;
        }
        if (r->format == 'i') {
            if (!stop_instruction(d, address, address == pc))
                return SAM_OK;
            d->examine_at = address + 4;
            continue;
        }
        if (column == 0)
            begin_line(d, address);
        status = examine_number(d, r, address, error);
        if (++column == per_line(r) || i + 1 == r->count || status != SAM_OK) {
            debug_say(d, "\n");
            column = 0;
        }
        d->examine_at += status == SAM_OK ? bytes_of(r->size) : 0;
    }
    return status;
}

enum sam_status command_examine(struct debug *d, const char *rest, struct sam_error *error)
{
    struct request r;
    struct value value;
    rest += strspn(rest, " \t");
    enum sam_status status = read_request(d, &rest, &r, error);
    if (status == SAM_OK && *rest) {
        status = debug_value(d, &rest, &value, error) ?: debug_no_more(rest, error)
            ?: value_single(&value, "the address", error);
        if (status == SAM_OK && sam_dtype_class(value.type) == SAM_CLASS_FLOAT)
            return cli_refuse(error, "a floating-point number: expected an address");
        if (status == SAM_OK)
            d->examine_at = (uint64_t)value_number(&value, 0);
    }
    if (status != SAM_OK)
        return status;
    d->examine_format = r.format;
    d->examine_size = r.size;
    return examine(d, &r, error);
}
