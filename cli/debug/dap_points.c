/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints of the Debug Adapter Protocol. A request brings the whole list of one kind, of lines
 * for one file: the previous list is deleted, and each element becomes a command of the debugger.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dap.h"

enum { MOST_POINTS = 4096 };

/* Delete the list of a kind; of DAP_LINE that of one source. */
static void clear(struct dap *dap, enum dap_point_kind kind, const char *source)
{
    size_t kept = 0;
    for (size_t i = 0; i < dap->point_count; i++) {
        struct dap_point *p = &dap->points[i];
        if (p->kind != kind || (source && strcmp(p->source, source) != 0)) {
            dap->points[kept++] = *p;
            continue;
        }
        struct point *found = points_numbered(dap->debug, p->number);
        if (found)
            points_delete(dap->debug, found);
        free(p->source);
    }
    dap->point_count = kept;
}

/* "5" and ">= 5": stop from the fifth hit on; "> 5": from the sixth. */
static enum sam_status read_hits(const char *text, uint64_t *ignore, struct sam_error *error)
{
    const char *at = text + strspn(text, " ");
    const bool after = at[0] == '>' && at[1] != '=';
    uint64_t hits;
    at += strspn(at, "> =");
    if (!sam_parse_u64(at, &hits) || (!hits && !after))
        return debug_fail(error, "hit count '%.40s': expected N, >= N or > N", text);
    *ignore = after ? hits : hits - 1;
    return SAM_OK;
}

/* Whether a condition begins with a limit, as "lane 5 if ...". */
static bool has_limit(const char *condition)
{
    return debug_begins_limit(condition + strspn(condition, " \t"));
}

/* Execute "break PLACE if CONDITION", with the members of `wish`. */
static enum sam_status make_point(struct dap *dap, enum dap_point_kind kind, const char *source,
                                  const char *command, const json_t *wish, unsigned *number,
                                  struct sam_error *error)
{
    static const char *const names[] = {"condition", "hitCondition", "logMessage"};
    const char *texts[3];
    for (size_t i = 0; i < 3; i++) {
        const json_t *given = json_object_get(wish, names[i]);
        if (given && !json_is_null(given) && !json_is_string(given))
            return debug_fail(error, "%s: expected a string", names[i]);
        texts[i] = dap_text(wish, names[i], "");
    }
    const char *condition = texts[0], *hits = texts[1], *message = texts[2];
    struct debug *d = dap->debug;
    uint64_t ignore = 0;
    char *text = NULL;
    if (*hits && read_hits(hits, &ignore, error) != SAM_OK)
        return SAM_ERR_USAGE;
    if (d->point_count >= MOST_POINTS)
        return debug_fail(error, "more than %d breakpoints", MOST_POINTS);
    struct dap_point *grown = debug_grow(dap->points, dap->point_count, sizeof *grown);
    if (grown)
        dap->points = grown;
    const size_t room = strlen(command) + strlen(condition) + 8;
    char *line = malloc(room), *copy = source ? strdup(source) : NULL,
         *shown = *message ? strdup(message) : NULL;
    if (!grown || !line || (source && !copy) || (*message && !shown)) {
        free(line);
        free(copy);
        free(shown);
        return debug_fail_memory(error);
    }
    snprintf(line, room, "%s %s%s", command, *condition && !has_limit(condition) ? "if " : "",
             condition);
    const enum sam_status status = dap_execute(dap, line, &text, error);
    free(text);
    free(line);
    if (status != SAM_OK) {
        free(copy);
        free(shown);
        return status;
    }
    struct point *point = d->points[d->point_count - 1];
    point->ignore = ignore;
    point->message = shown;
    *number = point->number;
    grown[dap->point_count++] = (struct dap_point){.kind = kind, .source = copy, .number = *number};
    return SAM_OK;
}

/* The answer to one wish. */
static json_t *made(struct dap *dap, enum sam_status status, unsigned number,
                    const struct sam_error *error)
{
    json_t *row = report_flag(json_object(), "verified", status == SAM_OK);
    json_int_t line;
    if (status != SAM_OK)
        return report_text(row, "message", error->text);
    const struct point *point = points_numbered(dap->debug, number);
    row = report_set(row, "id", json_integer((json_int_t)number));
    if (!point || point->kind != POINT_BREAK)
        return row;
    row = report_set(row, "instructionReference", dap_address(point->address));
    json_t *source = dap_source(dap, point->address, &line);
    if (source)
        row = REPORT_MORE(row, TREE("source", source), COUNT("line", line));
    return row;
}

enum { COMMAND = 300 };

/* The command of the debugger that sets the point of a wish, in `command`. */
typedef enum sam_status command_maker(const struct dap *dap, const char *file, const json_t *wish,
                                      char command[COMMAND], struct sam_error *error);

/* ----------------------------------------------------------------------------------- lines */

/* The name of a file in the program's line information: of the same file, or of the same name. */
static const char *image_file(const struct debug *d, const char *path)
{
    const struct sam_image *image = d->image;
    char *wanted = realpath(path, NULL);
    const char *found = NULL, *slash = strrchr(path, '/');
    for (size_t i = 0; wanted && image && i < image->file_count && !found; i++) {
        char *real = realpath(image->files[i], NULL);
        if (real && strcmp(real, wanted) == 0)
            found = image->files[i];
        free(real);
    }
    free(wanted);
    return found ? found : slash ? slash + 1 : path;
}

static enum sam_status line_command(const struct dap *dap, const char *file, const json_t *wish,
                                    char command[COMMAND], struct sam_error *error)
{
    json_int_t line;
    uint64_t address = 0;
    enum sam_status status = dap_need_integer(wish, "line", &line, error);
    if (status == SAM_OK && (line < 0 || line >= UINT32_MAX))
        return debug_fail(error, "line %lld: expected the number of a line", (long long)line);
    status = status
                 ?: source_line_address(dap->debug, image_file(dap->debug, file),
                                        (uint32_t)line + dap->lines_from_0, &address, error);
    snprintf(command, COMMAND, "break *0x%llx", (unsigned long long)address);
    return status;
}

/* ------------------------------------------------------------------------------ other kinds */

static enum sam_status function_command(const struct dap *dap, const char *file, const json_t *wish,
                                        char command[COMMAND], struct sam_error *error)
{
    const char *name;
    const enum sam_status status = dap_need_text(wish, "name", &name, error);
    (void)dap, (void)file;
    if (status != SAM_OK)
        return status;
    if (!*name || strlen(name) > 250)
        return debug_fail(error, "name: expected a symbol");
    snprintf(command, COMMAND, "break %s", name);
    return SAM_OK;
}

static enum sam_status instruction_command(const struct dap *dap, const char *file,
                                           const json_t *wish, char command[COMMAND],
                                           struct sam_error *error)
{
    uint64_t address = 0;
    const enum sam_status status = dap_need_address(wish, "instructionReference", &address, error);
    (void)dap, (void)file;
    snprintf(command, COMMAND, "break *0x%llx", (unsigned long long)address);
    return status;
}

/* The dataId is ADDRESS:SIZE. */
static enum sam_status watch_command(const struct dap *dap, const char *file, const json_t *wish,
                                     char command[COMMAND], struct sam_error *error)
{
    const char *id, *access = dap_text(wish, "accessType", "write");
    const char *verb = strcmp(access, "read") == 0        ? "rwatch"
                       : strcmp(access, "readWrite") == 0 ? "awatch"
                                                          : "watch";
    const enum sam_status status = dap_need_text(wish, "dataId", &id, error);
    (void)dap, (void)file;
    if (status != SAM_OK)
        return status;
    if (!*id || strlen(id) > 64)
        return debug_fail(error, "dataId: expected one of dataBreakpointInfo");
    snprintf(command, COMMAND, "%s %s", verb, id);
    return SAM_OK;
}

/* -------------------------------------------------------------------------------- requests */

/* Replace the list of a kind, of lines that of a file, by that of the request. */
static enum sam_status make_list(struct dap *dap, const json_t *arguments, enum dap_point_kind kind,
                                 const char *file, struct sam_error *error)
{
    static command_maker *const makers[] = {[DAP_LINE] = line_command,
                                            [DAP_FUNCTION] = function_command,
                                            [DAP_INSTRUCTION] = instruction_command,
                                            [DAP_DATA] = watch_command};
    const json_t *wishes = json_object_get(arguments, "breakpoints"), *wish;
    json_t *rows = json_array();
    size_t i;
    clear(dap, kind, file);
    if (!json_is_array(wishes)) {
        json_decref(rows);
        return debug_fail(error, "breakpoints: expected an array");
    }
    json_array_foreach(wishes, i, wish)
    {
        char command[COMMAND];
        struct sam_error problem = {.text = ""};
        unsigned number = 0;
        enum sam_status status = json_is_object(wish)
                                     ? makers[kind](dap, file, wish, command, &problem)
                                     : debug_fail(&problem, "expected an object");
        status = status ?: make_point(dap, kind, file, command, wish, &number, &problem);
        rows = report_add(rows, made(dap, status, number, &problem));
    }
    dap_respond(dap, report_set(json_object(), "breakpoints", rows));
    return SAM_OK;
}

enum sam_status dap_on_set_breakpoints(struct dap *dap, const json_t *arguments,
                                       struct sam_error *error)
{
    const json_t *source = json_object_get(arguments, "source");
    const char *file = dap_text(source, "path", dap_text(source, "name", NULL));
    if (dap_integer(source, "sourceReference", 0) == 1)
        file = "<start code>";
    if (!file || !*file)
        return debug_fail(error, "source: expected a path");
    return make_list(dap, arguments, DAP_LINE, file, error);
}

/* The kind is in the row of the request. */
enum sam_status dap_on_set_points(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const char *detail = dap->request->detail;
    const int kind = cli_choice("line function instruction data", detail, strlen(detail));
    return make_list(dap, arguments, (enum dap_point_kind)kind, NULL, error);
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
static void answer_info(struct dap *dap, const char *id, const char *description)
{
    json_t *body = REPORT(TREE("dataId", id ? json_string(id) : json_null()),
                          TEXT("description", description));
    if (id) {
        json_t *types = report_add(json_array(), json_string("read"));
        types = report_add(types, json_string("write"));
        body = report_set(body, "accessTypes", report_add(types, json_string("readWrite")));
    }
    dap_respond(dap, body);
}

enum sam_status dap_on_data_info(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct debug *d = dap->debug;
    const json_int_t bytes = dap_integer(arguments, "bytes", 0);
    const struct debug_focus before = d->focus;
    const char *name;
    char expression[512], id[64], text[600];
    uint64_t address = 0, size = 4;
    struct value value;
    enum sam_status status = dap_need_text(arguments, "name", &name, error);
    if (status != SAM_OK)
        return status;
    if (bytes < 0 || bytes > INT_MAX)
        return debug_fail(error, "bytes: expected a size");
    if (json_is_true(json_object_get(arguments, "asAddress"))) {
        status = dap_need_address(arguments, "name", &address, error);
    } else {
        status = dap_name_expression(dap, arguments, name, expression, sizeof expression, error)
                     ?: debug_evaluate(d, expression, &value, error);
        if (status == SAM_OK && !range_of(d, &value, &address, &size))
            status = debug_fail(error, "%s is not in memory", expression);
        d->focus = before;
        if (status != SAM_OK) {
            answer_info(dap, NULL, error->text);
            return SAM_OK;
        }
    }
    if (status != SAM_OK)
        return status;
    size = bytes ? (uint64_t)bytes : size;
    snprintf(id, sizeof id, "0x%llx:%llu", (unsigned long long)address, (unsigned long long)size);
    snprintf(text, sizeof text, "%llu byte%s at 0x%llx", (unsigned long long)size,
             size == 1 ? "" : "s", (unsigned long long)address);
    answer_info(dap, id, text);
    return SAM_OK;
}
