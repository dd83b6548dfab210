/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the HTML pages of reports: the style, the beginning, outside text. A page has no
 * scripts and no external references. */
#ifndef SAM_TREE_PAGE_H
#define SAM_TREE_PAGE_H

#include "base/base.h"
#include "tree/tree.h"

/* The page up to the heading "SUBJECT of TITLE", with the style sheet of all pages. Classes: `p`,
 * a cell with a bar under its number, --w percent wide; `at`, left-aligned text; `wide`, a table
 * that scrolls; `legend`, a list of keys (SAM_TREE_PAGE_KEY). The last column of a table wraps. */
void sam_tree_page(struct sam_buffer *out, const char *subject, const char *title);
void sam_tree_page_end(struct sam_buffer *out);
/* Outside text, escaped, between HTML. */
void sam_tree_page_put(struct sam_buffer *out, const char *before, const char *text,
                       const char *after);
/* Lines (tree.h) of HTML; the strings of the tree, which is released, are escaped. */
void sam_tree_put_page(json_t *tree, const char *lines, struct sam_buffer *out);

#endif
