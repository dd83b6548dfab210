/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/page.h"

static const char shared[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--dim:#6a7178;--page:#fff;--rule:#e2e5e8;"
    "--heat:#ffb37a;--strip:#f6f7f8}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--dim:#98a0a8;--page:#17191c;"
    "--rule:#2f3439;--heat:#8a4b1a;--strip:#1f2226}}\n"
    "body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--page);color:var(--ink);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "p{margin:.3rem 0;color:var(--dim)}nav a{margin-right:1rem}a{color:inherit}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th{position:sticky;top:0;background:var(--page);text-align:right;font-weight:600;"
    "border-bottom:1px solid var(--rule)}\n"
    "th,td{padding:.12rem .5rem;text-align:right;white-space:nowrap;vertical-align:top}\n"
    "th:last-child,td:last-child,.at{text-align:left}td:last-child{width:100%}\n"
    "tr:hover td{background-color:var(--strip)}\n"
    ".p{background:linear-gradient(to right,var(--heat) calc(var(--w)*1%),transparent 0)}\n"
    "th.at{font:inherit;font-weight:600}td.at,code{font:13px/1.5 "
    "ui-monospace,Menlo,Consolas,monospace;white-space:pre}\n"
    ".wide{overflow-x:auto}\n";

void sam_tree_page_text(struct sam_buffer *out, const char *text)
{
    struct sam_buffer plain = {0};
    sam_buffer_plain(&plain, text, strlen(text), ' ');
    for (const char *at = sam_buffer_text(&plain); *at; at++) {
        const char *entity = *at == '&'   ? "&amp;"
                             : *at == '<' ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (entity)
            sam_buffer_puts(out, entity);
        else
            sam_buffer_append(out, at, 1);
    }
    out->failed |= plain.failed;
    sam_buffer_free(&plain);
}

void sam_tree_page(struct sam_buffer *out, const char *subject, const char *title,
                   const char *style)
{
    sam_buffer_printf(out,
                      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s of ",
                      subject);
    sam_tree_page_text(out, title);
    sam_buffer_printf(out, "</title>\n<style>\n%s%s</style></head>\n<body>\n<h1>%s of ", shared,
                      style, subject);
    sam_tree_page_text(out, title);
    sam_buffer_puts(out, "</h1>\n");
}

void sam_tree_page_end(struct sam_buffer *out)
{
    sam_buffer_puts(out, "</body></html>\n");
}
