/* SPDX-License-Identifier: Apache-2.0 */
/* The debugger's expressions: C operators on registers, memory and symbols (docs/debugging.md).
 * They have no side effects and call no functions. */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include "value.h"

/* Look-up of names, and access to memory. */
struct expr_names {
    void *context;
    unsigned xlen;
    /* "x5", "v3", "pc", "vecadd"; after a '$' (`dollar`) symbols are excluded. */
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
    /* The location of a byte of the lane's private memory. */
    enum sam_status (*private_)(void *context, uint64_t offset, uint64_t *address,
                                struct sam_error *error);
    /* The lanes of a warp, and which is meant; false, or NULL: there are none. */
    bool (*lanes)(void *context, unsigned *count, uint32_t *active, unsigned *focus);
    void (*turn)(void *context, unsigned lane);
};

/* The longest expression at *at, which advances past it. SAM_ERR_USAGE describes an error. */
enum sam_status expr_evaluate(const struct expr_names *names, const char **at, struct value *value,
                              struct sam_error *error);
/* The syntax only: nothing is read from memory or divided, but names must be known. */
enum sam_status expr_check(const struct expr_names *names, const char **at,
                           struct sam_error *error);
/* constant.c: the number or the character that begins at *at, which advances past it. */
enum sam_status expr_constant(const char **at, struct value *value, struct sam_error *error);
enum sam_status expr_character(const char **at, struct value *value, struct sam_error *error);
/* The end of a name at `text`; `text` itself if there is none. */
const char *expr_name_end(const char *text);
/* The type with this name in C or in NumPy files: "f32", "unsigned char", "uint8_t". `at`
 * advances past it. `xlen` is the size of a long. */
bool expr_type(const char **at, unsigned xlen, enum sam_dtype *type);

#endif
