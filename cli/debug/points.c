/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints and watchpoints: the user's list, and the points that it sets in the session. */
#include <stdlib.h>

#include "debugger.h"

struct point *points_of(struct debug *d, unsigned id)
{
    for (size_t i = 0; id && i < d->point_count; i++)
        if (d->points[i]->id == id)
            return d->points[i];
    return NULL;
}

struct point *points_numbered(const struct debug *d, unsigned number)
{
    for (size_t i = 0; i < d->point_count; i++)
        if (d->points[i]->number == number)
            return d->points[i];
    return NULL;
}

/* ------------------------------------------------------------------------------- conditions */

/* Evaluate a condition in a warp. If that fails, it counts as true and the error is kept. */
static bool holds(struct point *p, uint32_t workgroup, uint32_t warp)
{
    struct debug *d = p->debug;
    const struct debug_focus focus = d->focus;
    struct sam_error error;
    struct value value;
    const char *at = p->condition;
    if (!at)
        return true;
    d->focus.workgroup = workgroup;
    d->focus.warp = warp;
    if (p->has_lane)
        d->focus.lane = p->lane;
    enum sam_status status =
        debug_value(d, &at, &value, &error) ?: value_single(&value, "the condition", &error);
    d->focus = focus;
    if (status == SAM_OK)
        return value_is_true(&value, 0);
    snprintf(p->problem, sizeof p->problem, "%.250s", error.text);
    return true;
}

/* Show the message of a logpoint, with the values of the expressions in braces. */
static void say_message(struct point *p, uint32_t workgroup, uint32_t warp)
{
    struct debug *d = p->debug;
    const struct debug_focus focus = d->focus;
    FILE *out = d->out;
    d->focus.workgroup = workgroup;
    d->focus.warp = warp;
    d->out = d->run->text;
    for (const char *at = p->message; *at;) {
        const size_t size = strcspn(at, "{");
        const char *end = strchr(at + size, '}');
        debug_say(d, "%.*s", (int)size, at);
        at += size;
        if (!*at)
            break;
        debug_say_value(d, at + 1, end ? (size_t)(end - at - 1) : strlen(at + 1));
        at = end ? end + 1 : at + strlen(at);
    }
    debug_say(d, "\n");
    fflush(d->out);
    d->out = out;
    d->focus = focus;
}

static bool stops(struct point *p, uint32_t workgroup, uint32_t warp)
{
    p->problem[0] = '\0';
    if (!holds(p, workgroup, warp))
        return false;
    if (p->debug->going_back)
        return true;
    p->hits++;
    if (p->ignore) {
        p->ignore--;
        return false;
    }
    if (p->message)
        say_message(p, workgroup, warp);
    return !p->message;
}

/* Whether the user knows that the warp is here. */
static bool is_seen(const struct debug *d, uint32_t workgroup, uint32_t warp)
{
    struct sam_session_warp state;
    return !d->going_back && workgroup == d->seen.workgroup && warp == d->seen.warp &&
           sam_session_warp(d->session, workgroup, warp, &state, NULL) == SAM_OK &&
           state.instructions == d->seen.instructions && state.pc == d->seen.pc;
}

static bool when_reached(void *context, struct sam_session *session, uint32_t workgroup,
                         uint32_t warp)
{
    struct point *p = context;
    (void)session;
    return !is_seen(p->debug, workgroup, warp) && stops(p, workgroup, warp);
}

struct point *points_stepped_on(struct debug *d)
{
    const struct sam_session_warp warp = debug_warp_now(d);
    if (warp.state == SAM_WARP_ENDED)
        return NULL;
    for (size_t i = 0; i < d->point_count; i++) {
        struct point *p = d->points[i];
        if (p->id && p->kind == POINT_BREAK && p->address == warp.pc &&
            (!p->has_workgroup || p->workgroup == d->focus.workgroup) &&
            (!p->has_warp || p->warp == d->focus.warp) &&
            (!p->has_lane || warp.mask >> p->lane & 1) &&
            stops(p, d->focus.workgroup, d->focus.warp))
            return p;
    }
    return NULL;
}

static bool when_accessed(void *context, struct sam_session *session,
                          const struct sam_session_stop *stop)
{
    (void)session;
    return stops(context, stop->workgroup, stop->warp);
}

/* --------------------------------------------------------------------------- in the session */

static enum sam_status arm(struct debug *d, struct point *p, struct sam_error *error)
{
    p->id = 0;
    if (p->disabled)
        return SAM_OK;
    if (p->kind == POINT_BREAK) {
        const struct sam_session_break point = {
            .pc = p->address,
            .has_workgroup = p->has_workgroup,
            .has_warp = p->has_warp,
            .workgroup = p->workgroup,
            .warp = p->warp,
            .lanes = p->has_lane ? UINT32_C(1) << p->lane : 0,
            .when = when_reached,
            .context = p,
        };
        return sam_session_add_break(d->session, &point, &p->id, error);
    }
    const struct sam_session_watch point = {
        .address = p->address,
        .size = p->size,
        .loads = p->kind != POINT_WATCH,
        .stores = p->kind != POINT_READ,
        .has_workgroup = p->has_workgroup,
        .has_warp = p->has_warp,
        .workgroup = p->workgroup,
        .warp = p->warp,
        .when = when_accessed,
        .context = p,
    };
    return sam_session_add_watch(d->session, &point, &p->id, error);
}

static void disarm(struct debug *d, struct point *p)
{
    if (p->id)
        sam_session_remove(d->session, p->id, NULL);
    p->id = 0;
}

enum sam_status points_attach(struct debug *d, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < d->point_count && status == SAM_OK; i++) {
        struct point *p = d->points[i];
        status = arm(d, p, error);
        if (status == SAM_ERR_USAGE) { /* of a warp, say, that this launch lacks */
            debug_say(d, "[%u is disabled: %s]\n", p->number, error->text);
            p->disabled = true;
            status = SAM_OK;
        }
    }
    return status;
}

void points_detach(struct debug *d)
{
    for (size_t i = 0; i < d->point_count; i++)
        d->points[i]->id = 0;
}

static void free_point(struct point *p)
{
    free(p->condition);
    free(p->message);
    free(p->what);
    free(p->file);
    free(p);
}

void points_delete(struct debug *d, struct point *p)
{
    size_t i = 0;
    while (d->points[i] != p)
        i++;
    disarm(d, p);
    free_point(p);
    memmove(d->points + i, d->points + i + 1, (--d->point_count - i) * sizeof(struct point *));
}

void points_free(struct debug *d)
{
    while (d->point_count)
        free_point(d->points[--d->point_count]);
    free(d->points);
    d->points = NULL;
}

/* --------------------------------------------------------------------------------- creating */

static enum sam_status set_condition(struct debug *d, struct point *p, const char *text,
                                     struct sam_error *error)
{
    char *copy = NULL;
    text += strspn(text, " \t");
    if (*text) {
        const char *at = text;
        enum sam_status status = expr_check(&d->names, &at, error) ?: debug_no_more(at, error);
        if (status != SAM_OK)
            return status;
        if (!(copy = strdup(text)))
            return cli_refuse_memory(error);
    }
    free(p->condition);
    p->condition = copy;
    return SAM_OK;
}

/* [workgroup G] [warp W] [lane L] [if CONDITION] */
static enum sam_status read_limits(struct debug *d, const char *at, struct point *p,
                                   struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    const uint64_t groups = d->run->launch ? (uint64_t)d->run->launch->grid[0] *
                                                 d->run->launch->grid[1] * d->run->launch->grid[2]
                                           : 1;
    while (status == SAM_OK && *at) {
        if (debug_take(&at, "if")) {
            if (!*at)
                return cli_refuse(error, "if: expected a condition");
            return set_condition(d, p, at, error);
        }
        if (debug_take(&at, "warp") || debug_take(&at, "thread")) {
            p->has_warp = true;
            status = debug_index(d, &at, "warp", d->shape.warps, &p->warp, error);
        } else if (debug_take(&at, "workgroup")) {
            p->has_workgroup = true;
            status = debug_index(d, &at, "workgroup", groups, &p->workgroup, error);
        } else if (p->kind == POINT_BREAK && debug_take(&at, "lane")) {
            p->has_lane = true;
            status = debug_index(d, &at, "lane", d->shape.lanes, &p->lane, error);
        } else {
            return debug_no_more(at, error);
        }
        at += strspn(at, " \t");
    }
    return status;
}

/* Add a point like this one, whose text is what `begin` has up to `at`, with the limits that
 * follow, to the list and to the session. */
static enum sam_status add(struct debug *d, const struct point *like, const char *begin,
                           const char *at, struct point **added, struct sam_error *error)
{
    size_t size = (size_t)(at - begin);
    while (size && strchr(" \t", begin[size - 1]))
        size--;
    struct point **grown = debug_grow(d->points, d->point_count, sizeof(struct point *));
    struct point *p = *added = calloc(1, sizeof *p);
    if (grown)
        d->points = grown;
    if (!p)
        return cli_refuse_memory(error);
    *p = *like;
    p->debug = d;
    p->what = strndup(begin, size);
    const enum sam_status status =
        !grown || !p->what
            ? cli_refuse_memory(error)
            : read_limits(d, at + strspn(at, " \t"), p, error) ?: arm(d, p, error);
    if (status != SAM_OK) {
        free_point(p);
        return status;
    }
    p->number = ++d->last_point;
    d->points[d->point_count++] = p;
    return SAM_OK;
}

bool debug_begins_limit(const char *at)
{
    char word[32];
    return cli_word(&at, word, sizeof word) &&
           cli_choice("if warp thread workgroup lane", word, strlen(word)) >= 0;
}

enum sam_status command_break(struct debug *d, const char *rest, struct sam_error *error)
{
    const char *begin = rest + strspn(rest, " \t"), *at = begin;
    struct point point = {.kind = POINT_BREAK, .temporary = d->how, .address = debug_pc(d)}, *p;
    enum sam_status status = SAM_OK;
    char place[512];
    if (*at && !debug_begins_limit(at))
        status = source_location(d, &at, &point.address, error);
    status = status ?: add(d, &point, begin, at, &p, error);
    if (status != SAM_OK)
        return status;
    source_describe(d, p->address, place, sizeof place);
    debug_say(d, "%s %u at 0x%llx: %s\n", p->temporary ? "Temporary breakpoint" : "Breakpoint",
              p->number, (unsigned long long)p->address, place);
    return SAM_OK;
}

/* The range denoted by a watchpoint's expression: an lvalue in memory, or an address. */
static enum sam_status watched(struct debug *d, const char **at, struct point *p,
                               struct sam_error *error)
{
    const char *begin = *at;
    struct value value;
    char name[256];
    uint64_t size = 0;
    enum sam_status status =
        debug_value(d, at, &value, error) ?: value_single(&value, "what to watch", error);
    if (status != SAM_OK)
        return status;
    if (value.place.kind == PLACE_MEMORY) {
        p->address = value.place.address;
        p->size = sam_dtype_size(value.type);
    } else if (sam_dtype_class(value.type) == SAM_CLASS_FLOAT) {
        return cli_refuse(error, "a floating-point number: expected an address");
    } else {
        p->address = debug_address(d, (uint64_t)value_number(&value, 0));
        p->size = value.pointee < SAM_DTYPES && value.pointee != SAM_OPAQUE
                      ? sam_dtype_size(value.pointee)
                      : 4;
        snprintf(name, sizeof name, "%.*s", (int)(expr_name_end(begin) - begin), begin);
        const struct sam_symbol *symbol = d->image && *name ? sam_image_find(d->image, name) : NULL;
        if (symbol && symbol->value == p->address && symbol->size && !symbol->function)
            p->size = symbol->size;
    }
    if (**at == ':') {
        ++*at;
        status = debug_number(d, at, "the size", &size, error);
        if (status == SAM_OK && (size < 1 || size > UINT32_MAX))
            return cli_refuse(error, "size %lld: expected 1 to %u bytes", (long long)size,
                              UINT32_MAX);
        p->size = size;
    }
    return status;
}

enum sam_status command_watch(struct debug *d, const char *rest, struct sam_error *error)
{
    const char *begin = rest + strspn(rest, " \t"), *at = begin;
    struct point point = {.kind = d->how ? (enum point_kind)d->how : POINT_WATCH}, *p;
    if (!*at)
        return cli_refuse(error, "nothing to watch: expected ADDRESS[:SIZE]");
    const enum sam_status status =
        watched(d, &at, &point, error) ?: add(d, &point, begin, at, &p, error);
    if (status == SAM_OK)
        debug_say(d, "Watchpoint %u: %s of %llu byte%s at 0x%llx\n", p->number,
                  p->kind == POINT_WATCH  ? "stores"
                  : p->kind == POINT_READ ? "loads"
                                          : "loads and stores",
                  (unsigned long long)p->size, p->size == 1 ? "" : "s",
                  (unsigned long long)p->address);
    return status;
}

/* --------------------------------------------------------------------------------- changing */

static enum sam_status find(struct debug *d, unsigned number, struct point **p,
                            struct sam_error *error)
{
    *p = points_numbered(d, number);
    return *p ? SAM_OK : cli_refuse(error, "no break- or watchpoint %u", number);
}

static enum sam_status change(struct debug *d, unsigned number, struct sam_error *error)
{
    struct point *p;
    const enum sam_status status = find(d, number, &p, error);
    if (status != SAM_OK)
        return status;
    if (d->how == POINTS_DELETE) {
        points_delete(d, p);
        return SAM_OK;
    }
    disarm(d, p);
    p->disabled = d->how == POINTS_DISABLE;
    return arm(d, p, error);
}

/* The named points, or all. */
enum sam_status command_delete(struct debug *d, const char *rest, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    if (rest[strspn(rest, " \t")])
        return debug_numbers(d, rest, change, error);
    for (size_t i = d->point_count; i-- && status == SAM_OK;)
        status = change(d, d->points[i]->number, error);
    return status;
}

/* The point named by the first word. */
static enum sam_status take_point(struct debug *d, const char **rest, struct point **p,
                                  struct sam_error *error)
{
    uint64_t number;
    char word[32];
    if (!cli_word(rest, word, sizeof word))
        return cli_refuse(error, "expected the number of a break- or watchpoint");
    if (!sam_parse_u64(word, &number) || number > UINT32_MAX)
        return cli_refuse(error, "'%s': expected the number of a break- or watchpoint", word);
    return find(d, (unsigned)number, p, error);
}

enum sam_status command_condition(struct debug *d, const char *rest, struct sam_error *error)
{
    struct point *p;
    return take_point(d, &rest, &p, error) ?: set_condition(d, p, rest, error);
}

enum sam_status command_ignore(struct debug *d, const char *rest, struct sam_error *error)
{
    struct point *p;
    uint64_t count = 0;
    enum sam_status status = take_point(d, &rest, &p, error)
        ?: debug_number(d, &rest, "the count", &count, error) ?: debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    if ((int64_t)count < 0)
        return cli_refuse(error, "count %lld: expected 0 or more", (long long)count);
    p->ignore = count;
    debug_say(d, "%u is passed %llu time%s\n", p->number, (unsigned long long)count,
              count == 1 ? "" : "s");
    return SAM_OK;
}
