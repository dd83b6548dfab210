/* SPDX-License-Identifier: Apache-2.0 */
/* The debugger's expressions: C operators on registers, memory and symbols (docs/debugging.md).
 * They read; nothing in them runs or changes anything. */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include "value.h"

/* Look-up of names, and access to memory. */
struct expr_names {
    void *context;
    unsigned xlen;
    /* "x5", "v3", "pc", "vecadd"; after a '$' (`dollar`) no symbol. */
    enum sam_status (*find)(void *context, const char *name, bool dollar, struct value *value,
                            struct sam_error *error);
    /* The address of a symbol, for '&'. */
    enum sam_status (*symbol)(void *context, const char *name, struct value *value,
                              struct sam_error *error);
    enum sam_status (*read)(void *context, uint64_t address, void *data, size_t size,
                            struct sam_error *error);
    /* The byte of a register of the tensor units. */
    enum sam_status (*byte)(void *context, const struct place *place, struct value *value,
                            struct sam_error *error);
    /* Where a byte of the lane's private memory is. */
    enum sam_status (*private_)(void *context, uint64_t offset, uint64_t *address,
                                struct sam_error *error);
};

/* The longest expression at *at; *at advances to what follows it. SAM_ERR_USAGE says what is wrong
 * with it. */
enum sam_status expr_evaluate(const struct expr_names *names, const char **at, struct value *value,
                              struct sam_error *error);
/* The form alone: nothing is read from memory or divided, and names must be known. */
enum sam_status expr_check(const struct expr_names *names, const char **at,
                           struct sam_error *error);
/* constant.c: the number or the character at *at, which begins one; *at advances past it. */
enum sam_status expr_constant(const char **at, struct value *value, struct sam_error *error);
enum sam_status expr_character(const char **at, struct value *value, struct sam_error *error);
/* The end of a name at `text`; `text` itself when there is none. */
const char *expr_name_end(const char *text);
/* The type that C or a NumPy file calls so: "f32", "unsigned char", "uint8_t". `at` advances past
 * it. `xlen` is the size of a long. */
bool expr_type(const char **at, unsigned xlen, enum sam_dtype *type);

#endif
