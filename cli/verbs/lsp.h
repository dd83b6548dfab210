/* SPDX-License-Identifier: Apache-2.0 */
/* The Language Server Protocol for assembly and tile programs: errors, hovers, definitions; for
 * OpenCL C: errors. */
#ifndef CLI_LSP_H
#define CLI_LSP_H

#include "frames.h"
#include "samite/isa.h"

struct lsp_document;

struct lsp {
    struct frames frames;
    void (*write)(void *context, const char *bytes, size_t size);
    bool (*more)(void *context); /* whether input arrives while a key press may follow another */
    void *context;
    struct sam_isa isa; /* of assembly */
    bool bytes;         /* positions count bytes of UTF-8, not UTF-16 */
    bool shut, over;
    bool exhausted; /* an answer could not be made: out of memory */
    struct lsp_document *documents;
};

/* Serve until the client says exit, or its messages end; false: error says what was wrong. */
bool lsp_serve(struct lsp *lsp, struct sam_error *error);

#endif
