/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes and variables of the Debug Adapter Protocol, and expressions. */
#include <limits.h>
#include <stdlib.h>

#include "dap.h"

enum { MOST_ROWS = 16384 }; /* of an answer */

/* ------------------------------------------------------------------------------------ rows */

json_int_t dap_reference(const struct dap_list *list, unsigned what)
{
    return (json_int_t)(list->frame << DAP_WHAT_BITS | what) + 1;
}

/* Whether the next row is wanted; if not, it is counted. */
static bool wants(struct dap_list *list)
{
    if (list->wanted ? !list->expression[0] : list->index >= list->start && list->index < list->end)
        return true;
    list->index++;
    return false;
}

static void add(struct dap_list *list, const char *name, const char *value, const char *expression,
                json_int_t reference, uint64_t count)
{
    list->index++;
    if (list->wanted) {
        if (strcmp(name, list->wanted) == 0)
            snprintf(list->expression, sizeof list->expression, "%s", expression);
        return;
    }
    json_t *row =
        REPORT(TEXT("name", name), TEXT("value", value), COUNT("variablesReference", reference));
    if (*expression)
        row = report_text(row, "evaluateName", expression);
    if (count)
        row = report_count(row, "indexedVariables", count);
    list->rows = report_add(list->rows, row);
}

void dap_add(struct dap_list *list, const char *name, const char *value, const char *expression,
             json_int_t reference, uint64_t count)
{
    if (wants(list))
        add(list, name, value, expression, reference, count);
}

/* `untyped`: a register or memory, whose words may be floats. */
static void shown_text(struct dap *dap, const struct value *value, bool untyped, char *text,
                       size_t size)
{
    struct debug *d = dap->debug;
    struct value word = *value;
    const bool floats = untyped && !value_is_pointer(value) && value_looks_float(value);
    if (floats)
        value_view(&word, SAM_F32);
    if (floats && value->is_vector) {
        const int begun = snprintf(text, size, "float ");
        debug_value_line(d, &word, 0, text + begun, size - (size_t)begun);
        return;
    }
    const bool is_number = !value->is_vector && sam_dtype_class(value->type) != SAM_CLASS_FLOAT &&
                           value->place.kind != PLACE_BYTES;
    debug_value_line(d, value, value_is_pointer(value) ? 'a' : 0, text, size);
    const int64_t number = is_number ? value_number(value, 0) : 0;
    const size_t used = strlen(text);
    if (is_number && !value_is_pointer(value) && (number < 0 || number > 9) && used + 3 < size) {
        char hex[64], real[64] = "";
        value_text(value, 0, 'x', NULL, hex, sizeof hex);
        if (floats)
            value_text(&word, 0, 0, NULL, real, sizeof real);
        snprintf(text + used, size - used, " (%s%s%s)", hex, floats ? ", float " : "", real);
    }
}

void dap_add_expression(struct dap_list *list, const char *name, const char *expression,
                        json_int_t reference, uint64_t count)
{
    struct value value;
    struct sam_error error;
    char text[2048];
    if (!wants(list))
        return;
    if (list->wanted || debug_evaluate(list->dap->debug, expression, &value, &error) == SAM_OK) {
        if (!list->wanted)
            shown_text(list->dap, &value, true, text, sizeof text);
        add(list, name, text, expression, reference, count);
    } else {
        snprintf(text, sizeof text, "<%.200s>", error.text);
        add(list, name, text, "", 0, 0);
    }
}

/* ------------------------------------------------------------------------------- variables */

static void list_locals(struct dap_list *list)
{
    struct sam_variable v;
    for (size_t i = 0; debug_variable_at(list->dap->debug, i, &v); i++) {
        char *text = debug_variable_text(list->dap->debug, &v);
        dap_add(list, v.name, text ? text : "<out of memory>", text ? v.name : "", 0, 0);
        free(text);
    }
}

static enum sam_status list_children(struct dap_list *list, json_int_t reference,
                                     struct sam_error *error)
{
    struct debug *d = list->dap->debug;
    if (reference < 1)
        return cli_refuse(error, "no such variablesReference");
    const unsigned what = (unsigned)((reference - 1) & ((1 << DAP_WHAT_BITS) - 1));
    list->frame = (uint64_t)(reference - 1) >> DAP_WHAT_BITS;
    const struct dap_frame *frame = dap_frame(list->dap, list->frame, error);
    if (!frame)
        return SAM_ERR_USAGE;
    d->focus = (struct debug_focus){frame->workgroup, frame->warp, frame->lane};
    if (what >= DAP_LANE && what < DAP_LANE + d->shape.lanes)
        d->focus.lane = what - DAP_LANE;
    if (what == DAP_LOCALS || (what >= DAP_LANE && what < DAP_UNIT))
        list_locals(list);
    dap_list_registers(list, what);
    return SAM_OK;
}

/* A chunk of "start" and "count"; count 0: all. No more than MOST_ROWS: local memory may have
 * millions of words. */
static enum sam_status read_window(const json_t *arguments, struct dap_list *list,
                                   struct sam_error *error)
{
    const json_int_t start = cli_json_integer(arguments, "start", 0),
                     count = cli_json_integer(arguments, "count", 0);
    if (start < 0 || count < 0)
        return cli_refuse(error, "start, count: expected numbers from 0 on");
    list->start = (uint64_t)start;
    list->end = list->start + (count && count < MOST_ROWS ? (uint64_t)count : MOST_ROWS);
    return SAM_OK;
}

enum sam_status dap_on_variables(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct dap_list list = {.dap = dap};
    json_int_t reference;
    enum sam_status status = dap_need_integer(arguments, "variablesReference", &reference, error)
                                 ?: read_window(arguments, &list, error);
    if (status != SAM_OK)
        return status;
    list.rows = json_array();
    status = list_children(&list, reference, error);
    if (status != SAM_OK) {
        json_decref(list.rows);
        return status;
    }
    if (json_array_size(list.rows) == MOST_ROWS &&
        cli_json_integer(arguments, "count", 0) != MOST_ROWS) {
        snprintf(list.expression, sizeof list.expression, "after %d: those from %llu on by start",
                 MOST_ROWS, (unsigned long long)list.end);
        list.end = UINT64_MAX;
        dap_add(&list, "...", list.expression, "", 0, 0);
    }
    return dap_respond(dap, report_set(json_object(), "variables", list.rows));
}

enum sam_status dap_name_expression(struct dap *dap, const json_t *arguments, const char *name,
                                    char *expression, size_t size, struct sam_error *error)
{
    struct dap_list list = {.dap = dap, .wanted = name};
    const json_int_t reference = cli_json_integer(arguments, "variablesReference", 0);
    if (!reference) {
        if (strlen(name) >= size)
            return cli_refuse(error, "an expression of %zu characters: expected at most %zu",
                              strlen(name), size - 1);
        snprintf(expression, size, "%s", name);
        return dap_focus_frame(dap, arguments, error);
    }
    const enum sam_status status = list_children(&list, reference, error);
    if (status != SAM_OK)
        return status;
    if (!list.expression[0])
        return cli_refuse(error, "no variable '%.40s' that could be used", name);
    snprintf(expression, size, "%s", list.expression);
    return SAM_OK;
}

/* ---------------------------------------------------------------------------------- scopes */

static json_t *add_scope(struct dap_list *list, json_t *rows, const char *name, unsigned what,
                         const char *hint, uint64_t count)
{
    json_t *row = REPORT(TEXT("name", name), COUNT("variablesReference", dap_reference(list, what)),
                         FLAG("expensive", what == DAP_CSRS || what == DAP_LOCAL_MEMORY));
    if (hint)
        row = report_text(row, "presentationHint", hint);
    if (count)
        row = report_count(row, "indexedVariables", count);
    return report_add(rows, row);
}

enum sam_status dap_on_scopes(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const struct debug *d = dap->debug;
    const uint64_t words = dap_local_words(d);
    char name[64] = "Variables";
    json_int_t id;
    const enum sam_status status = dap_need_integer(arguments, "frameId", &id, error);
    if (status != SAM_OK)
        return status;
    struct dap_list list = {.dap = dap, .frame = (uint64_t)id - 1};
    const struct dap_frame *frame = dap_frame(dap, list.frame, error);
    if (!frame)
        return SAM_ERR_USAGE;
    json_t *rows = json_array();
    if (d->shape.v_count)
        snprintf(name, sizeof name, "Variables of lane %u", frame->lane);
    if (d->variables && frame->kind != DAP_CALLER)
        rows = add_scope(&list, rows, name, DAP_LOCALS, "locals", 0);
    if (d->shape.v_count)
        rows = add_scope(&list, rows, "Lanes", DAP_LANES, NULL, 0);
    rows = add_scope(&list, rows, "Scalar registers", DAP_SCALARS, "registers", 0);
    if (d->shape.v_count)
        rows = add_scope(&list, rows, "Vector registers", DAP_VECTORS, "registers", 0);
    rows = add_scope(&list, rows, "CSRs", DAP_CSRS, "registers", 0);
    if (d->shape.v_count)
        rows = add_scope(&list, rows, "SIMT stack", DAP_STACK, NULL, 0);
    else
        rows = add_scope(&list, rows, "Tensor units", DAP_UNITS, "registers", 0);
    if (words)
        rows = add_scope(&list, rows, "Local memory", DAP_LOCAL_MEMORY, NULL, words);
    return dap_respond(dap, report_set(json_object(), "scopes", rows));
}

/* ----------------------------------------------------------------------------- expressions */

static json_t *result_of(const char *text, json_int_t reference)
{
    return REPORT(TEXT("result", text), COUNT("variablesReference", reference));
}

/* The value of an expression in the focus, for the frame of the request. */
static enum sam_status evaluate(struct dap *dap, const json_t *arguments, const char *expression,
                                json_t **body, struct sam_error *error)
{
    struct dap_list list = {.dap = dap,
                            .frame = (uint64_t)cli_json_integer(arguments, "frameId", 0) - 1};
    struct sam_variable numbers;
    struct value value;
    char text[2048], format = 0;
    json_int_t reference = 0;
    if (debug_find_numbers(dap->debug, expression, &numbers)) {
        char *shown = debug_variable_text(dap->debug, &numbers);
        *body = shown ? result_of(shown, 0) : NULL;
        free(shown);
        return shown ? SAM_OK : cli_refuse_memory(error);
    }
    if (expression[0] == '/' && expression[1] && strchr(value_formats, expression[1])) {
        format = expression[1]; /* "/x v3", as after print */
        expression += 2;
    }
    const enum sam_status status = debug_evaluate(dap->debug, expression, &value, error);
    if (status != SAM_OK)
        return status;
    if (value.place.kind == PLACE_BYTES)
        snprintf(text, sizeof text, "%s[...]", expression);
    else if (format)
        debug_value_line(dap->debug, &value, format, text, sizeof text);
    else
        shown_text(dap, &value, value_is_register(&value), text, sizeof text);
    if (list.frame < dap->frame_count && value.place.kind == PLACE_V)
        reference = dap_reference(&list, DAP_V + value.place.number);
    if (list.frame < dap->frame_count && value.place.kind == PLACE_BYTES)
        reference = dap_reference(&list, DAP_UNIT + value.place.number);
    *body = report_text(result_of(text, reference), "type", sam_dtype_name(value.type));
    if (value.place.kind == PLACE_MEMORY)
        *body = report_set(*body, "memoryReference", dap_address(value.place.address));
    else if (value_is_pointer(&value) && !value.is_vector)
        *body = report_set(*body, "memoryReference", dap_address(value.bits[0]));
    return SAM_OK;
}

/* A command in the console, which may run the program. */
static enum sam_status run_command_line(struct dap *dap, const char *line, struct sam_error *error)
{
    struct debug *d = dap->debug;
    const struct debug_focus focus = d->focus;
    const enum debug_state state = d->state;
    const uint64_t time = sam_session_time(d->session), pc = debug_pc(d);
    char *text = NULL;
    d->stop = (struct sam_session_stop){.reason = SAM_SESSION_COUNT};
    dap->host->attend(dap->host->context, DAP_ENDING);
    const enum sam_status status = dap_execute(dap, line, &text, error);
    dap->host->attend(dap->host->context, DAP_STOPPED);
    const bool moved = sam_session_time(d->session) != time || d->state != state;
    const bool turned = d->focus.workgroup != focus.workgroup || d->focus.warp != focus.warp;
    if (status == SAM_OK)
        dap_respond(dap, result_of(text ? text : "", 0));
    free(text);
    if (moved || turned || debug_pc(d) != pc)
        dap->todo = DAP_SHOW;
    else if (d->focus.lane != focus.lane)
        dap_choose_lane(dap, d->focus.lane);
    if (status == SAM_OK && dap->todo == DAP_NOTHING && dap->can_invalidate && !d->quits)
        dap_event(dap, "invalidated",
                  report_set(json_object(), "areas", report_add(json_array(), json_string("all"))));
    return status;
}

static bool is_command(const char *line)
{
    char word[64];
    debug_split(line + strspn(line, " \t"), word, sizeof word);
    return debug_find(debug_commands, "command", word, NULL) != NULL;
}

enum sam_status dap_on_evaluate(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    struct debug *d = dap->debug;
    const struct debug_focus before = d->focus;
    const bool console = strcmp(cli_json_text(arguments, "context", ""), "repl") == 0;
    const char *expression;
    json_t *body = NULL;
    enum sam_status status = dap_need_text(arguments, "expression", &expression, error)
                                 ?: dap_focus_frame(dap, arguments, error);
    if (status == SAM_OK && console && is_command(expression))
        return run_command_line(dap, expression, error);
    if (status == SAM_OK)
        status = evaluate(dap, arguments, expression, &body, error);
    d->focus = before;
    if (status == SAM_OK)
        dap_respond(dap, body);
    return status;
}

/* "set EXPRESSION = VALUE", and the value it has then. */
static enum sam_status assign(struct dap *dap, const json_t *arguments, const char *expression,
                              struct sam_error *error)
{
    struct debug *d = dap->debug;
    const char *given;
    struct value value;
    char text[2048];
    enum sam_status status = dap_need_text(arguments, "value", &given, error);
    if (status != SAM_OK)
        return status;
    if (strcmp(expression, "$lane") == 0) { /* the first row of the lanes */
        uint64_t lane = 0;
        const char *at = given;
        status = debug_number(d, &at, "the lane", &lane, error);
        if (status == SAM_OK && lane >= d->shape.lanes)
            return cli_refuse(error, "lane %lld: expected 0 to %u", (long long)lane,
                              d->shape.lanes - 1);
        if (status == SAM_OK)
            dap_choose_lane(dap, (uint32_t)lane);
        if (status == SAM_OK)
            d->focus.lane = (uint32_t)lane;
    } else {
        char *line = cli_text("%s = %s", expression, given);
        if (!line)
            return cli_refuse_memory(error);
        status = command_set(d, line, error);
        free(line);
    }
    if (status == SAM_OK)
        status = debug_evaluate(d, expression, &value, error);
    if (status != SAM_OK)
        return status;
    shown_text(dap, &value, value_is_register(&value), text, sizeof text);
    return dap_respond(dap, REPORT(TEXT("value", text), TEXT("type", sam_dtype_name(value.type))));
}

enum sam_status dap_on_set_variable(struct dap *dap, const json_t *arguments,
                                    struct sam_error *error)
{
    const char *name;
    char expression[512];
    json_int_t reference;
    return dap_need_integer(arguments, "variablesReference", &reference, error)
        ?: dap_need_text(arguments, "name", &name, error)
        ?: dap_name_expression(dap, arguments, name, expression, sizeof expression, error)
        ?: assign(dap, arguments, expression, error);
}

enum sam_status dap_on_set_expression(struct dap *dap, const json_t *arguments,
                                      struct sam_error *error)
{
    const char *expression;
    return dap_need_text(arguments, "expression", &expression, error)
        ?: dap_focus_frame(dap, arguments, error) ?: assign(dap, arguments, expression, error);
}

enum sam_status dap_on_completions(struct dap *dap, const json_t *arguments,
                                   struct sam_error *error)
{
    enum { MOST = 200 };
    const char *line, *found;
    char text[256];
    json_t *rows = json_array();
    const enum sam_status status = dap_need_text(arguments, "text", &line, error);
    if (status != SAM_OK) {
        json_decref(rows);
        return status;
    }
    for (size_t i = 0; i < MOST; i++) {
        if (!(found = debug_complete(dap->debug, line, i, text, sizeof text)))
            break;
        rows = report_add(rows, report_text(json_object(), "label", found));
    }
    return dap_respond(dap, report_set(json_object(), "targets", rows));
}
