/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the parser and the checker. */
#include "tile/tile.h"

/* Find the source line; `text` stays NULL if there is none. */
static void find_line(const struct sam_tile_program *p, struct sam_spot *spot)
{
    const char *at = p->text, *end = p->text + p->size;
    for (unsigned line = 1; line < spot->line && at; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    spot->text = at;
    spot->size = (size_t)(stop - at);
}

static void complain(struct sam_tile_report *report, struct sam_tile_pos pos, bool is_error,
                     const char *format, va_list list)
{
    const struct sam_tile_program *p = report->program;
    struct sam_spot spot = {.file = p ? p->name : NULL, .line = pos.line, .column = pos.column};
    if (p && p->text && pos.line && sam_report_takes(&report->report, is_error))
        find_line(p, &spot);
    sam_report_add(&report->report, (uint64_t)pos.line << 32 | pos.column, is_error, &spot, format,
                   list);
}

void sam_tile_error(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                    ...)
{
    va_list list;
    va_start(list, format);
    complain(report, pos, true, format, list);
    va_end(list);
}

void sam_tile_warning(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                      ...)
{
    va_list list;
    va_start(list, format);
    complain(report, pos, false, format, list);
    va_end(list);
}

void sam_tile_report_free(struct sam_tile_report *report)
{
    sam_report_free(&report->report);
}

enum sam_status sam_tile_report_end(struct sam_tile_report *report, char **messages,
                                    struct sam_error *error)
{
    enum sam_status status = report->report.errors ? SAM_ERR_INPUT : SAM_OK;
    *messages = sam_report_end(&report->report, NULL, error);
    return *messages ? status : sam_fail_memory(error);
}
