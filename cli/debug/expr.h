/* SPDX-License-Identifier: Apache-2.0 */
/* The debugger's expressions: C operators on registers, memory and symbols (docs/debugging.md).
 * They have no side effects and call no functions. */
#ifndef DEBUG_EXPR_H
#define DEBUG_EXPR_H

#include "cli.h"
#include "samite/samite.h"

/* ------------------------------------------------------------------------------ value.c: values */

/* Numbers with a type, and vectors with one per lane. Arithmetic is that of C: integer promotions,
 * and of two types the larger or the unsigned one. */

/* The origin of a value, for assignments. */
enum place_kind {
    PLACE_NONE,
    PLACE_X,
    PLACE_V,     /* all lanes */
    PLACE_LANE,  /* of a vector register */
    PLACE_BYTES, /* a register of the TensorLoad or the matrix unit, as a whole: no arithmetic */
    PLACE_BYTE,  /* of one */
    PLACE_CSR,
    PLACE_PC,
    PLACE_MASK,
    PLACE_MEMORY,
    PLACE_USER, /* $name */
};

struct place {
    enum place_kind kind;
    unsigned number; /* of a register or CSR; of PLACE_BYTE[S]: tl 0..31, m from 32 on */
    unsigned index;  /* lane, byte */
    uint64_t address;
    char name[32]; /* of PLACE_USER */
};

struct value {
    enum sam_dtype type;    /* of an element; an integer, a float or a boolean of 8 bits or more */
    enum sam_dtype pointee; /* of a pointer; SAM_OPAQUE: an address, of words; SAM_DTYPES: none */
    bool is_vector;
    unsigned count;  /* elements: 1, or the lanes of a vector */
    uint32_t active; /* active lanes of a vector */
    struct place place;
    uint64_t bits[SAM_MAX_LANES]; /* of each element; higher ones are 0 */
};

/* Up to 8 bytes as the machine stores them, little-endian. */
uint64_t value_bits(const uint8_t *bytes, size_t size);
/* The integers of 1, 2, 4 and 8 bytes. */
enum sam_dtype value_signed(size_t size);
enum sam_dtype value_unsigned(size_t size);
struct value value_integer(enum sam_dtype type, uint64_t bits);
/* An address in a machine of `xlen` bits. */
struct value value_address(unsigned xlen, uint64_t address);
bool value_is_pointer(const struct value *value);
/* An element as a number: integers with their sign, floats truncated. */
int64_t value_number(const struct value *value, unsigned element);
/* Whether an element is not zero; whether the bits of all are. */
bool value_is_true(const struct value *value, unsigned element);
bool value_is_zero(const struct value *value);

/* Whether `value` can be used as one number (for an index, a condition, an address). */
enum sam_status value_single(const struct value *value, const char *what, struct sam_error *error);

/* Convert every element like a cast in C or, for a view, take the low bits unchanged. */
void value_convert(struct value *value, enum sam_dtype type);
void value_view(struct value *value, enum sam_dtype type);

enum value_operator {
    OP_OR,
    OP_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_BIT_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_LEFT,
    OP_RIGHT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
};

/* a = a op other; a number is combined with every lane of a vector. */
enum sam_status value_binary(enum value_operator op, struct value *a, const struct value *other,
                             struct sam_error *error);
/* '-', '+', '!', '~' */
enum sam_status value_unary(char op, struct value *value, struct sam_error *error);

/* The text of one element in a format: x d u o t c f a z, or 0 for the default of its type. */
void value_text(const struct value *value, unsigned element, char format,
                const struct sam_image *image, char *text, size_t size);
/* Whether it is a register for integers and floats, or a lane of one. */
bool value_is_register(const struct value *value);
/* Such registers have no type: whether all elements of a vector that are not zero, or a number,
 * look like floats of 32 bits, between 2^-24 and 2^39 in magnitude. */
bool value_looks_float(const struct value *value);
/* Formats of value_text. */
extern const char value_formats[];

/* --------------------------------------------------------------------------------------- expr.c */

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
/* The end of a name at `text`; `text` itself if there is none. */
const char *expr_name_end(const char *text);

#endif
