/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/page.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--dim:#6a7178;--page:#fff;--rule:#e2e5e8;"
    "--heat:#ffb37a;--strip:#f6f7f8;--bad:#b02a37}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--dim:#98a0a8;--page:#17191c;"
    "--rule:#2f3439;--heat:#8a4b1a;--strip:#1f2226;--bad:#ff8f8f}}\n"
    "body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--page);color:var(--ink);"
    "font:15px/1.45 system-ui,sans-serif}@media(max-width:40rem){body{padding:.8rem}}\n"
    "h1{font-size:1.5rem;margin:0 0 .3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;"
    "margin:2rem 0 .5rem}\n"
    "p{margin:.3rem 0;color:var(--dim)}nav a{margin-right:1rem}a{color:inherit}\n"
    ".legend{font-size:.85rem;margin:.4rem 0}.legend span{margin-right:1em}"
    ".legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.3em;"
    "vertical-align:-1px}\n"
    ".failed,.error{color:var(--bad)}.result,pre{background:var(--strip);padding:.6rem .9rem;"
    "margin:.6rem 0}.result{border-left:4px solid var(--heat);color:var(--ink)}\n"
    /* tables */
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th{position:sticky;top:0;background:var(--page);text-align:right;font-weight:600;"
    "border-bottom:1px solid var(--rule)}\n"
    "th,td{padding:.12rem .5rem;text-align:right;white-space:nowrap;vertical-align:top}\n"
    "th:last-child,td:last-child,.at{text-align:left}td:last-child{width:100%;min-width:16rem;"
    "white-space:normal;overflow-wrap:anywhere}\n"
    "tr:hover td{background-color:var(--strip)}tr:target td{outline:2px solid var(--heat)}"
    "tr.best td{background-color:var(--strip);font-weight:600}\n"
    ".p{background:linear-gradient(to right,var(--heat) calc(var(--w)*1%),transparent 0)}\n"
    "th.at{font:inherit;font-weight:600}td.at,code,pre,summary{font:13px/1.5 "
    "ui-monospace,Menlo,Consolas,monospace}td.at{white-space:pre}code,pre,summary{"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}.sortable th[tabindex]{cursor:pointer}"
    "th[aria-sort=ascending]::after{content:' \\25b2'}"
    "th[aria-sort=descending]::after{content:' \\25bc'}\n"
    /* source that unfolds */
    "summary{list-style-position:outside;margin-left:1rem}.source code{padding-left:1rem}"
    ".n,.n a{color:var(--dim);text-decoration:none}.f td{padding-top:.8rem;font-weight:600}\n"
    "details table{width:auto;margin:.2rem 0 .4rem 1.2rem;color:var(--dim)}\n"
    /* charts: columns of two parts; dots and lines in a frame; bars */
    ".chart{display:flex;align-items:flex-end;height:12rem;gap:1px;border-bottom:1px solid "
    "var(--rule);margin:1rem 0 .3rem}\n"
    ".chart a{flex:1 1 0;min-width:1px;height:calc(var(--h)*1%);min-height:1px;display:flex;"
    "flex-direction:column-reverse;background:var(--rule)}\n"
    ".chart i{display:block;height:calc(var(--b)*1%);background:var(--heat)}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));"
    "gap:1.2rem}figure{margin:0;border:1px solid var(--rule);border-radius:8px;padding:.7rem "
    ".9rem .4rem}figcaption{font-weight:600}figure svg{width:100%;height:auto;display:block}\n"
    "svg text{font-size:11.5px;fill:var(--dim)}.x{text-anchor:middle}.y{text-anchor:end}"
    ".name{font-weight:600}.grid{stroke:var(--rule)}.axis{stroke:var(--dim);fill:none}\n"
    "polyline{fill:none;stroke-width:1.6;opacity:.55}circle.best{stroke:var(--ink);"
    "stroke-width:2.5}.bar{display:block;border-radius:2px}\n";

static const char *entity_of(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
}

void sam_tree_page_put(struct sam_buffer *out, const char *before, const char *text,
                       const char *after)
{
    struct sam_buffer plain = {0};
    sam_buffer_puts(out, before);
    sam_buffer_plain(&plain, text, strlen(text), ' ');
    for (const char *at = sam_buffer_text(&plain); *at; at++) {
        const char *entity = entity_of(*at);
        if (entity)
            sam_buffer_puts(out, entity);
        else
            sam_buffer_append(out, at, 1);
    }
    sam_buffer_puts(out, after);
    out->failed |= plain.failed;
    sam_buffer_free(&plain);
}

void sam_tree_page(struct sam_buffer *out, const char *subject, const char *title)
{
    sam_buffer_printf(out,
                      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s of ",
                      subject);
    sam_tree_page_put(out, "", title, "</title>\n<style>\n");
    sam_buffer_printf(out, "%s</style></head>\n<body>\n<h1>%s of ", style, subject);
    sam_tree_page_put(out, "", title, "</h1>\n");
}

void sam_tree_page_end(struct sam_buffer *out)
{
    sam_buffer_puts(out, "</body></html>\n");
}

/* ----------------------------------------------------------------------- pages of the command */

char *sam_tree_page_head(const char *subject, const char *title)
{
    struct sam_buffer out = {0};
    sam_tree_page(&out, subject, title);
    if (!out.failed)
        return (char *)out.data;
    sam_buffer_free(&out);
    return NULL;
}

void sam_tree_page_escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);
        if (entity)
            fputs(entity, out);
        else
            fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, out);
    }
}
