/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints of the Debug Adapter Protocol. A request brings the whole list of one kind, of lines
 * for one file: the previous list is deleted, and each element becomes a command of the debugger.
 */
#include <limits.h>
#include <stdlib.h>

#include "dap.h"

enum { MOST_POINTS = 4096 };

/* Delete the list of a kind; of DAP_LINE that of one file. */
static void clear(struct debug *d, enum dap_point_kind list, const char *file)
{
    for (size_t i = d->point_count; i-- > 0;)
        if (d->points[i]->list == list && (!file || strcmp(d->points[i]->file, file) == 0))
            points_delete(d, d->points[i]);
}

/* "5" and ">= 5": stop from the fifth hit on; "> 5": from the sixth. */
static enum sam_status read_hits(const char *text, uint64_t *ignore, struct sam_error *error)
{
    const char *at = text + strspn(text, " ");
    const bool after = at[0] == '>' && at[1] != '=';
    uint64_t hits;
    at += strspn(at, "> =");
    if (!sam_parse_u64(at, &hits) || (!hits && !after))
        return cli_refuse(error, "hit count '%.40s': expected N, >= N or > N", text);
    *ignore = after ? hits : hits - 1;
    return SAM_OK;
}

/* Whether a condition begins with a limit, as "lane 5 if ...". */
static bool has_limit(const char *condition)
{
    return debug_begins_limit(condition + strspn(condition, " \t"));
}

/* Execute "break PLACE if CONDITION", with the members of `wish`. */
static enum sam_status make_point(struct dap *dap, enum dap_point_kind list, const char *file,
                                  const char *command, const json_t *wish, struct sam_error *error)
{
    static const char *const names[] = {"condition", "hitCondition", "logMessage"};
    const char *texts[3];
    for (size_t i = 0; i < 3; i++) {
        const json_t *given = json_object_get(wish, names[i]);
        if (given && !json_is_null(given) && !json_is_string(given))
            return cli_refuse(error, "%s: expected a string", names[i]);
        texts[i] = cli_json_text(wish, names[i], "");
    }
    const char *condition = texts[0], *hits = texts[1], *message = texts[2];
    struct debug *d = dap->debug;
    uint64_t ignore = 0;
    char *printed = NULL;
    if (*hits && read_hits(hits, &ignore, error) != SAM_OK)
        return SAM_ERR_USAGE;
    if (d->point_count >= MOST_POINTS)
        return cli_refuse(error, "more than %d breakpoints", MOST_POINTS);
    const char *before = *condition && !has_limit(condition) ? "if " : "";
    char *line = cli_text("%s %s%s", command, before, condition);
    if (!line)
        return cli_refuse_memory(error);
    const enum sam_status status = dap_execute(dap, line, &printed, error);
    free(printed);
    free(line);
    if (status != SAM_OK)
        return status;
    struct point *point = d->points[d->point_count - 1];
    point->ignore = ignore;
    point->list = list;
    point->file = file ? strdup(file) : NULL;
    point->message = *message ? strdup(message) : NULL;
    if ((!file || point->file) && (!*message || point->message))
        return SAM_OK;
    points_delete(d, point);
    return cli_refuse_memory(error);
}

/* The answer to one wish: to the last one of the list, unless that has failed. */
static json_t *made(struct dap *dap, enum sam_status status, const struct sam_error *error)
{
    const struct debug *d = dap->debug;
    json_t *row = report_flag(json_object(), "verified", status == SAM_OK);
    json_int_t line;
    if (status != SAM_OK)
        return report_text(row, "message", error->text);
    const struct point *point = d->points[d->point_count - 1];
    row = report_count(row, "id", point->number);
    if (point->kind != POINT_BREAK)
        return row;
    row = report_set(row, "instructionReference", dap_address(point->address));
    json_t *source = dap_source(dap, point->address, &line);
    return source ? REPORT_MORE(row, TREE("source", source), COUNT("line", line)) : row;
}

/* The name of a file in the program's line information: of the same file, or of the same name. */
static const char *image_file(const struct debug *d, const char *path)
{
    const struct sam_image *image = d->image;
    char *wanted = realpath(path, NULL);
    const char *found = NULL;
    for (size_t i = 0; wanted && image && i < image->file_count && !found; i++) {
        char *real = realpath(image->files[i], NULL);
        if (real && strcmp(real, wanted) == 0)
            found = image->files[i];
        free(real);
    }
    free(wanted);
    return found ? found : cli_base_name(path);
}

enum { COMMAND = 300 };

/* The command of the debugger that sets the point of a wish, in `command`. The dataId of a
 * watchpoint is ADDRESS:SIZE. */
static enum sam_status command_of(const struct dap *dap, enum dap_point_kind list, const char *file,
                                  const json_t *wish, char command[COMMAND],
                                  struct sam_error *error)
{
    const char *text = "", *access = cli_json_text(wish, "accessType", "write");
    enum sam_status status = SAM_OK;
    uint64_t address = 0;
    json_int_t line;
    if (!json_is_object(wish))
        return cli_refuse(error, "expected an object");
    switch (list) {
    case DAP_LINE:
        status = dap_need_integer(wish, "line", &line, error);
        if (status == SAM_OK && (line < 0 || line >= UINT32_MAX))
            return cli_refuse(error, "line %lld: expected the number of a line", (long long)line);
        status = status
                     ?: source_line_address(dap->debug, image_file(dap->debug, file),
                                            (uint32_t)line + dap->lines_from_0, &address, error);
        break;
    case DAP_INSTRUCTION:
        status = dap_need_address(wish, "instructionReference", &address, error);
        break;
    case DAP_FUNCTION:
        status = dap_need_text(wish, "name", &text, error);
        if (status == SAM_OK && (!*text || strlen(text) > 250))
            return cli_refuse(error, "name: expected a symbol");
        snprintf(command, COMMAND, "break %s", text);
        return status;
    case DAP_DATA:
        status = dap_need_text(wish, "dataId", &text, error);
        if (status == SAM_OK && (!*text || strlen(text) > 64))
            return cli_refuse(error, "dataId: expected one of dataBreakpointInfo");
        snprintf(command, COMMAND, "%s %s",
                 strcmp(access, "read") == 0        ? "rwatch"
                 : strcmp(access, "readWrite") == 0 ? "awatch"
                                                    : "watch",
                 text);
        return status;
    }
    snprintf(command, COMMAND, "break *0x%llx", (unsigned long long)address);
    return status;
}

/* -------------------------------------------------------------------------------- requests */

/* Replace the list of a kind, of lines that of a file, by that of the request. */
static enum sam_status make_list(struct dap *dap, const json_t *arguments, enum dap_point_kind list,
                                 const char *file, struct sam_error *error)
{
    const json_t *wishes = json_object_get(arguments, "breakpoints"), *wish;
    json_t *rows = json_array();
    size_t i;
    clear(dap->debug, list, file);
    if (!json_is_array(wishes)) {
        json_decref(rows);
        return cli_refuse(error, "breakpoints: expected an array");
    }
    json_array_foreach(wishes, i, wish)
    {
        char command[COMMAND];
        struct sam_error problem = {.text = ""};
        const enum sam_status status = command_of(dap, list, file, wish, command, &problem)
                                           ?: make_point(dap, list, file, command, wish, &problem);
        rows = report_add(rows, made(dap, status, &problem));
    }
    return dap_respond(dap, report_set(json_object(), "breakpoints", rows));
}

enum sam_status dap_on_set_breakpoints(struct dap *dap, const json_t *arguments,
                                       struct sam_error *error)
{
    const json_t *source = json_object_get(arguments, "source");
    const char *file = cli_json_text(source, "path", cli_json_text(source, "name", NULL));
    if (cli_json_integer(source, "sourceReference", 0) == 1)
        file = "<start code>";
    if (!file || !*file)
        return cli_refuse(error, "source: expected a path");
    return make_list(dap, arguments, DAP_LINE, file, error);
}

/* The kind is in the row of the request. */
enum sam_status dap_on_set_points(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const char *detail = dap->request->detail;
    const int list = cli_choice("none line function instruction data", detail, strlen(detail));
    return make_list(dap, arguments, (enum dap_point_kind)list, NULL, error);
}

/* Every trap stops: no filters are offered. */
enum sam_status dap_on_set_exceptions(struct dap *dap, const json_t *arguments,
                                      struct sam_error *error)
{
    (void)dap, (void)arguments, (void)error;
    return SAM_OK;
}

/* ------------------------------------------------------------------------------------ data */

/* The range of a value in memory: its place, or what a pointer points to. */
static bool range_of(const struct debug *d, const struct value *value, uint64_t *address,
                     uint64_t *size)
{
    if (value->place.kind == PLACE_MEMORY) {
        *address = value->place.address;
        *size = sam_dtype_size(value->type);
        return true;
    }
    if (!value_is_pointer(value) || value->is_vector)
        return false;
    *address = debug_address(d, (uint64_t)value_number(value, 0));
    *size = value->pointee == SAM_OPAQUE ? 4 : sam_dtype_size(value->pointee);
    return true;
}

/* The answer to dataBreakpointInfo, without a range when `id` is NULL. */
static enum sam_status answer_info(struct dap *dap, const char *id, const char *description)
{
    json_t *body = REPORT(TREE("dataId", id ? json_string(id) : json_null()),
                          TEXT("description", description));
    return dap_respond(dap, !id ? body
                                : report_set(body, "accessTypes",
                                             json_pack("[s, s, s]", "read", "write", "readWrite")));
}

enum sam_status dap_on_data_info(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct debug *d = dap->debug;
    const json_int_t bytes = cli_json_integer(arguments, "bytes", 0);
    const char *name;
    char expression[512], id[64], text[600];
    uint64_t address = 0, size = 4;
    struct value value;
    enum sam_status status = dap_need_text(arguments, "name", &name, error);
    if (status != SAM_OK)
        return status;
    if (bytes < 0 || bytes > INT_MAX)
        return cli_refuse(error, "bytes: expected a size");
    if (json_is_true(json_object_get(arguments, "asAddress"))) {
        status = dap_need_address(arguments, "name", &address, error);
    } else {
        status = dap_name_expression(dap, arguments, name, expression, sizeof expression, error)
                     ?: debug_evaluate(d, expression, &value, error);
        if (status == SAM_OK && !range_of(d, &value, &address, &size))
            status = cli_refuse(error, "%s is not in memory", expression);
        if (status != SAM_OK)
            return answer_info(dap, NULL, error->text);
    }
    if (status != SAM_OK)
        return status;
    size = bytes ? (uint64_t)bytes : size;
    snprintf(id, sizeof id, "0x%llx:%llu", (unsigned long long)address, (unsigned long long)size);
    snprintf(text, sizeof text, "%llu byte%s at 0x%llx", (unsigned long long)size,
             size == 1 ? "" : "s", (unsigned long long)address);
    return answer_info(dap, id, text);
}
