/* SPDX-License-Identifier: Apache-2.0 */
/* Code and memory of the Debug Adapter Protocol: disassemble, readMemory. */
#include <stdlib.h>

#include "dap.h"

enum { MOST_INSTRUCTIONS = 1 << 16, MOST_BYTES = 1 << 20 };

/* ----------------------------------------------------------------------------- disassemble */

/* One instruction; *last: the file of the row before, which need not be repeated. */
static json_t *instruction_row(struct dap *dap, uint64_t address, const char **last)
{
    struct debug *d = dap->debug;
    char text[160], bytes[16], name[160];
    uint32_t word, line = 0;
    const bool found =
        stop_disassemble(d, address, address == debug_pc(d), &word, text, sizeof text);
    for (char *c = text; found && *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    json_t *row = REPORT(TREE("address", dap_address(address)),
                         TEXT("instruction", found ? text : "(no memory)"));
    if (!found)
        return report_text(row, "presentationHint", "invalid");
    snprintf(bytes, sizeof bytes, "%08x", word);
    row = report_text(row, "instructionBytes", bytes);
    const struct sam_symbol *symbol = d->image ? sam_image_symbol_at(d->image, address) : NULL;
    if (symbol && symbol->value == address) {
        sam_image_describe(d->image, address, name, sizeof name);
        row = report_text(row, "symbol", name);
    }
    const char *file = source_at(d, address, &line);
    if (!file)
        return row;
    if (file != *last)
        row = report_set(row, "location", dap_source_of(file));
    *last = file;
    return report_set(row, "line", json_integer((json_int_t)line - dap->lines_from_0));
}

enum sam_status dap_on_disassemble(struct dap *dap, const json_t *arguments,
                                   struct sam_error *error)
{
    const struct debug *d = dap->debug;
    const json_int_t first = cli_json_integer(arguments, "instructionOffset", 0);
    const char *last = NULL;
    uint64_t address = 0;
    json_int_t count;
    enum sam_status status = dap_need_address(arguments, "memoryReference", &address, error)
                                 ?: dap_need_integer(arguments, "instructionCount", &count, error);
    if (status != SAM_OK)
        return status;
    if (count < 0 || count > MOST_INSTRUCTIONS)
        return cli_refuse(error, "instructionCount %lld: expected 0 to %d", (long long)count,
                          MOST_INSTRUCTIONS);
    address += 4 * (uint64_t)first;
    json_t *rows = json_array();
    for (json_int_t i = 0; i < count; i++) {
        const uint64_t at = debug_address(d, address + 4 * (uint64_t)i);
        rows = report_add(rows, instruction_row(dap, at, &last));
    }
    return dap_respond(dap, report_set(json_object(), "instructions", rows));
}

/* ------------------------------------------------------------------------------ readMemory */

/* free() it; NULL: no memory. */
static char *base64(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *at = text;
    for (size_t i = 0; text && i < size; i += 3) {
        const uint32_t bits = (uint32_t)bytes[i] << 16 |
                              (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (i + 2 < size ? bytes[i + 2] : 0);
        *at++ = digits[bits >> 18];
        *at++ = digits[bits >> 12 & 63];
        *at++ = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        *at++ = i + 2 < size ? digits[bits & 63] : '=';
    }
    if (text)
        *at = '\0';
    return text;
}

/* The number of bytes from the address on that are memory. */
static size_t readable(struct debug *d, uint64_t address, size_t size)
{
    size_t low = 0, high = size; /* `low` bytes are */
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (sam_session_read(d->session, d->focus.workgroup, address, NULL, middle, NULL) == SAM_OK)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

enum sam_status dap_on_read_memory(struct dap *dap, const json_t *arguments,
                                   struct sam_error *error)
{
    struct debug *d = dap->debug;
    uint64_t address = 0;
    json_int_t count;
    enum sam_status status = dap_need_address(arguments, "memoryReference", &address, error)
                                 ?: dap_need_integer(arguments, "count", &count, error);
    if (status != SAM_OK)
        return status;
    if (count < 0 || count > MOST_BYTES)
        return cli_refuse(error, "count %lld: expected 0 to %d", (long long)count, MOST_BYTES);
    address = debug_address(d, address);
    const size_t size = readable(d, address, (size_t)count);
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return cli_refuse_memory(error);
    status = size ? sam_session_read(d->session, d->focus.workgroup, address, bytes, size, error)
                  : SAM_OK;
    char *text = status == SAM_OK ? base64(bytes, size) : NULL;
    free(bytes);
    if (status != SAM_OK)
        return status;
    if (!text)
        return cli_refuse_memory(error);
    json_t *body = report_set(json_object(), "address", dap_address(address));
    if (size)
        body = report_text(body, "data", text);
    free(text);
    return dap_respond(dap,
                       report_set(body, "unreadableBytes", json_integer(count - (json_int_t)size)));
}
