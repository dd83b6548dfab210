/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent, one function per level of C's grammar. Operands skipped by &&, || and ?:
 * are parsed, but not evaluated. */
#include "expr.h"

#include <ctype.h>
#include <strings.h>

enum { DEPTH = 100, NAME = 256 };

struct parser {
    const struct expr_names *names;
    const char *at;
    unsigned depth;
    unsigned skipping; /* not 0: only parsing */
    struct sam_error *error;
};

static enum sam_status ternary(struct parser *p, struct value *value);
static enum sam_status unary(struct parser *p, struct value *value);

static void blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool take(struct parser *p, const char *text)
{
    const size_t size = strlen(text);
    blanks(p);
    if (strncmp(p->at, text, size) != 0)
        return false;
    p->at += size;
    return true;
}

static enum sam_status expected(struct parser *p, const char *what)
{
    blanks(p);
    if (!*p->at)
        return cli_refuse(p->error, "the expression ends: expected %s", what);
    return cli_refuse(p->error, "'%.40s': expected %s", p->at, what);
}

/* ------------------------------------------------------------------------- names and types */

static bool begins_name(const char *c)
{
    return isalpha((unsigned char)*c) || *c == '_' ||
           (*c == '.' && (isalpha((unsigned char)c[1]) || c[1] == '_'));
}

/* --- constants, in C syntax */

static enum sam_status float_constant(char *text, struct value *value, struct sam_error *error)
{
    const size_t size = strlen(text);
    enum sam_dtype type = SAM_F64;
    uint8_t bytes[8] = {0};
    if (size && (text[size - 1] == 'f' || text[size - 1] == 'F')) {
        type = SAM_F32;
        text[size - 1] = '\0';
    }
    if (!sam_dtype_parse_value(type, text, bytes))
        return cli_refuse(error, "'%s': expected a number", text);
    *value = value_integer(type, value_bits(bytes, sam_dtype_size(type)));
    return SAM_OK;
}

/* C17 6.4.4.1: the first type that can represent the value; a decimal constant is signed unless
 * it has a u. */
static enum sam_status integer_constant(char *text, struct value *value, struct sam_error *error)
{
    size_t size = strlen(text);
    bool is_unsigned = false;
    uint64_t number;
    while (size && strchr("uUlL", text[size - 1])) {
        is_unsigned |= text[size - 1] == 'u' || text[size - 1] == 'U';
        text[--size] = '\0';
    }
    if (!sam_parse_u64(text, &number)) {
        const char *digits = text + (strncasecmp(text, "0x", 2) == 0 ? 2 : 0);
        const bool large =
            digits[strspn(digits, digits == text ? "0123456789" : "0123456789abcdefABCDEF")] == 0;
        return cli_refuse(error, "'%s': expected a number%s", text,
                          large && *digits ? " of up to 64 bits" : "");
    }
    const bool decimal = size < 2 || isdigit((unsigned char)text[1]);
    enum sam_dtype type = SAM_U64;
    if (number <= INT32_MAX && !is_unsigned)
        type = SAM_I32;
    else if (number <= UINT32_MAX && (is_unsigned || !decimal))
        type = SAM_U32;
    else if (number <= INT64_MAX && !is_unsigned)
        type = SAM_I64;
    *value = value_integer(type, number);
    return SAM_OK;
}

static enum sam_status take_constant(const char **at, struct value *value, struct sam_error *error)
{
    char text[64] = "";
    size_t size = 0;
    const char *c = *at;
    const bool hex = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
    bool real = false;
    for (; isalnum((unsigned char)*c) || *c == '.' || *c == '_'; c++) {
        const bool exponent = !hex && (*c == 'e' || *c == 'E');
        real |= *c == '.' || exponent;
        if (size + 2 < sizeof text)
            text[size] = *c;
        size++;
        if (exponent && (c[1] == '-' || c[1] == '+')) {
            if (size + 2 < sizeof text)
                text[size] = c[1];
            size++;
            c++;
        }
    }
    if (size + 2 >= sizeof text)
        return cli_refuse(error, "'%.40s': expected a number", *at);
    text[size] = '\0';
    *at = c;
    real |= !hex && size > 1 && (text[size - 1] == 'f' || text[size - 1] == 'F');
    return real ? float_constant(text, value, error) : integer_constant(text, value, error);
}

static enum sam_status take_character(const char **at, struct value *value, struct sam_error *error)
{
    static const char letters[] = "ntr0\\'\"", codes[] = "\n\t\r\0\\'\"";
    unsigned char c = (unsigned char)*++*at;
    if (c == '\\') {
        const char *letter = (*at)[1] ? strchr(letters, (*at)[1]) : NULL;
        if (!letter)
            return cli_refuse(error, "a character after \\: expected one of n t r 0 \\ ' \"");
        c = (unsigned char)codes[letter - letters];
        ++*at;
    } else if (!c || c == '\'') {
        return cli_refuse(error, "'': expected a character between the quotes");
    }
    if ((*at)[1] != '\'')
        return cli_refuse(error, "'%c: expected one character between quotes", c < 0x80 ? c : '?');
    *at += 2;
    *value = value_integer(SAM_I32, c);
    return SAM_OK;
}

/* --- names and types */

const char *expr_name_end(const char *text)
{
    if (!begins_name(text))
        return text;
    while (isalnum((unsigned char)*text) || *text == '_' || *text == '.' || *text == '$')
        text++;
    return text;
}

static size_t word_at(const char *text, char *word, size_t room)
{
    const size_t size = (size_t)(expr_name_end(text) - text);
    snprintf(word, room, "%.*s", (int)(size < room ? size : room - 1), text);
    return size;
}

/* unsigned, short, long, ... in any order. */
static bool c_type(const char **at, unsigned xlen, enum sam_dtype *type)
{
    static const enum sam_dtype integers[2][4] = {{SAM_I8, SAM_I16, SAM_I32, SAM_I64},
                                                  {SAM_U8, SAM_U16, SAM_U32, SAM_U64}};
    unsigned is_unsigned = 0, size = 2, longs = 0, words = 0;
    const char *c = *at;
    char word[NAME];
    for (;; words++) {
        const char *next = c + strspn(c, " ");
        const size_t length = word_at(next, word, sizeof word);
        if (strcmp(word, "unsigned") == 0)
            is_unsigned = 1;
        else if (strcmp(word, "char") == 0)
            size = 0;
        else if (strcmp(word, "short") == 0)
            size = 1;
        else if (strcmp(word, "long") == 0)
            longs++;
        else if (strcmp(word, "int") != 0 && strcmp(word, "signed") != 0)
            break;
        c = next + length;
    }
    if (longs)
        size = longs > 1 || xlen == 64 ? 3 : 2;
    *type = integers[is_unsigned][size];
    *at = words ? c : *at;
    return words != 0;
}

/* The type with this name in C or in NumPy files: "f32", "unsigned char", "uint8_t". `at`
 * advances past it. `xlen` is the size of a long. */
static bool take_type(const char **at, unsigned xlen, enum sam_dtype *type)
{
    static const struct {
        const char *name;
        enum sam_dtype type;
    } others[] = {
        {"float", SAM_F32},   {"double", SAM_F64},   {"int8_t", SAM_I8},   {"uint8_t", SAM_U8},
        {"int16_t", SAM_I16}, {"uint16_t", SAM_U16}, {"int32_t", SAM_I32}, {"uint32_t", SAM_U32},
        {"int64_t", SAM_I64}, {"uint64_t", SAM_U64},
    };
    char word[NAME];
    enum sam_dtype found = SAM_DTYPES;
    if (c_type(at, xlen, type))
        return true;
    const size_t size = word_at(*at, word, sizeof word);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(word, others[i].name) == 0)
            found = others[i].type;
    if (found == SAM_DTYPES &&
        (!sam_dtype_parse(word, &found) || found == SAM_OPAQUE || sam_dtype_bits(found) < 8))
        return false;
    *type = found;
    *at += size;
    return true;
}

/* ---------------------------------------------------------------------------------- memory */

/* The value at an address. An address without a type is that of a word. */
static enum sam_status load(struct parser *p, struct value *value)
{
    const enum sam_dtype type =
        value->pointee == SAM_OPAQUE || value->pointee == SAM_DTYPES ? SAM_I32 : value->pointee;
    enum sam_status status = value_single(value, "an address", p->error);
    if (status != SAM_OK)
        return status;
    if (sam_dtype_class(value->type) == SAM_CLASS_FLOAT)
        return cli_refuse(p->error, "a floating-point number: expected an address");
    uint64_t address = (uint64_t)value_number(value, 0);
    if (p->names->xlen == 32)
        address &= UINT32_MAX;
    uint8_t bytes[8] = {0};
    if (!p->skipping) {
        status = p->names->read(p->names->context, address, bytes, sam_dtype_size(type), p->error);
        if (status != SAM_OK)
            return status;
    }
    *value = value_integer(type, value_bits(bytes, sam_dtype_size(type)));
    value->place = (struct place){.kind = PLACE_MEMORY, .address = address};
    return SAM_OK;
}

/* A lane of a vector, a byte of a register, an element at a pointer. */
static enum sam_status index_of(struct parser *p, struct value *value, const struct value *index)
{
    enum sam_status status = value_single(index, "the index", p->error);
    if (status != SAM_OK)
        return status;
    const int64_t number = value_number(index, 0);
    if (value->place.kind == PLACE_BYTES) {
        if (number < 0 || number > UINT32_MAX)
            return cli_refuse(p->error, "byte %lld: no register has it", (long long)number);
        value->place.index = (unsigned)number;
        if (p->skipping) {
            *value = value_integer(SAM_U8, 0);
            return SAM_OK;
        }
        const struct place place = value->place;
        return p->names->byte(p->names->context, &place, value, p->error);
    }
    if (!value->is_vector) {
        if (value->pointee == SAM_OPAQUE || !value_is_pointer(value))
            value->pointee = SAM_I32;
        status = value_binary(OP_ADD, value, index, p->error);
        return status ?: load(p, value);
    }
    if (number < 0 || number >= (int64_t)value->count) {
        if (!p->skipping)
            return cli_refuse(p->error, "lane %lld: a warp has %u", (long long)number,
                              value->count);
        *value = value_integer(value->type, 0);
        return SAM_OK;
    }
    const struct place place = value->place;
    *value = value_integer(value->type, value->bits[number]);
    if (place.kind == PLACE_V) {
        value->place = place;
        value->place.kind = PLACE_LANE;
        value->place.index = (unsigned)number;
    }
    return SAM_OK;
}

/* --------------------------------------------------------------------------------- primary */

static enum sam_status in_parentheses(struct parser *p, struct value *value)
{
    const enum sam_status status = ternary(p, value);
    if (status == SAM_OK && !take(p, ")"))
        return expected(p, "')'");
    return status;
}

/* The expression from `begin` on, whose value in one lane is at hand, in every lane. Lanes that are
 * not active may have none: 0. */
static enum sam_status in_all_lanes(struct parser *p, const char *begin, struct value *value)
{
    unsigned count, focus;
    uint32_t active;
    struct value all = *value, one;
    struct sam_error *const error = p->error;
    enum sam_status status = SAM_OK;
    if (value->is_vector || p->skipping || !p->names->lanes ||
        !p->names->lanes(p->names->context, &count, &active, &focus))
        return SAM_OK;
    all.is_vector = true;
    all.count = count;
    all.active = active;
    all.place.kind = PLACE_NONE;
    const char *end = p->at;
    for (unsigned i = 0; i < count && status == SAM_OK; i++) {
        const bool counts = active >> i & 1;
        p->at = begin;
        p->error = counts ? error : NULL;
        p->names->turn(p->names->context, i);
        const enum sam_status found = in_parentheses(p, &one);
        all.bits[i] = found == SAM_OK ? one.bits[0] : 0;
        status = counts ? found : SAM_OK;
    }
    p->names->turn(p->names->context, focus);
    p->error = error;
    p->at = end;
    *value = all;
    return status;
}

/* any(), all() over active lanes; lanes(); private(). False: unknown function. */
static bool function(struct parser *p, const char *name, struct value *value,
                     enum sam_status *status)
{
    const bool any = strcmp(name, "any") == 0, all = strcmp(name, "all") == 0,
               lanes = strcmp(name, "lanes") == 0;
    const char *before = p->at;
    if ((!any && !all && !lanes && strcmp(name, "private") != 0) || !take(p, "(")) {
        p->at = before;
        return false;
    }
    const char *begin = p->at;
    *status = in_parentheses(p, value);
    if (*status == SAM_OK && (any || all || lanes))
        *status = in_all_lanes(p, begin, value);
    if (*status != SAM_OK || lanes)
        return true;
    if (any || all) {
        bool result = all;
        for (unsigned i = 0; i < value->count; i++)
            if (!value->is_vector || value->active >> i & 1)
                result =
                    all ? result && value_is_true(value, i) : result || value_is_true(value, i);
        *value = value_integer(SAM_I32, result);
        return true;
    }
    *status = value_single(value, "the offset", p->error);
    uint64_t address = 0;
    if (*status == SAM_OK && !p->skipping)
        *status = p->names->private_(p->names->context, (uint64_t)value_number(value, 0), &address,
                                     p->error);
    *value = value_address(p->names->xlen, address);
    return true;
}

/* f32(x5): the bits as another type. */
static bool view(struct parser *p, struct value *value, enum sam_status *status)
{
    const char *before = p->at;
    enum sam_dtype type;
    if (!take_type(&p->at, p->names->xlen, &type) || !take(p, "(")) {
        p->at = before;
        return false;
    }
    *status = in_parentheses(p, value);
    if (*status == SAM_OK && value->place.kind == PLACE_BYTES)
        *status = value_single(value, "the operand", p->error);
    if (*status == SAM_OK)
        value_view(value, type);
    return true;
}

static enum sam_status name(struct parser *p, struct value *value)
{
    char word[NAME];
    enum sam_status status;
    const bool dollar = *p->at == '$';
    const char *begin = p->at + dollar;
    if (!dollar && view(p, value, &status))
        return status;
    const char *end = expr_name_end(begin);
    if (dollar && end == begin) /* $, $3, $$ */
        while (isdigit((unsigned char)*end) || *end == '$')
            end++;
    if (end - begin >= (ptrdiff_t)sizeof word)
        return cli_refuse(p->error, "'%.40s...': expected a shorter name", begin);
    snprintf(word, sizeof word, "%.*s", (int)(end - begin), begin);
    p->at = end;
    if (!dollar && function(p, word, value, &status))
        return status;
    return p->names->find(p->names->context, word, dollar, value, p->error);
}

static enum sam_status primary(struct parser *p, struct value *value)
{
    blanks(p);
    const char *c = p->at;
    if (take(p, "("))
        return in_parentheses(p, value);
    if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1])))
        return take_constant(&p->at, value, p->error);
    if (*c == '\'')
        return take_character(&p->at, value, p->error);
    if (*c == '$' || begins_name(c))
        return name(p, value);
    return expected(p, "a value");
}

static enum sam_status postfix(struct parser *p, struct value *value)
{
    enum sam_status status = primary(p, value);
    while (status == SAM_OK && take(p, "[")) {
        struct value index;
        status = ternary(p, &index);
        if (status == SAM_OK && !take(p, "]"))
            return expected(p, "']'");
        if (status == SAM_OK)
            status = index_of(p, value, &index);
    }
    return status;
}

/* ----------------------------------------------------------------------------------- unary */

static enum sam_status to_pointer(struct parser *p, struct value *value, enum sam_dtype type)
{
    const enum sam_status status = value_single(value, "a pointer", p->error);
    if (status != SAM_OK)
        return status;
    value_convert(value, p->names->xlen == 32 ? SAM_U32 : SAM_U64);
    value->pointee = type;
    return SAM_OK;
}

/* "(float *)a0", "{int}a0", "(float)x5". False: none of them. */
static bool cast(struct parser *p, struct value *value, enum sam_status *status)
{
    const char *before = p->at;
    enum sam_dtype type;
    const bool braces = take(p, "{");
    if (!braces && !take(p, "("))
        return false;
    blanks(p);
    bool good = take_type(&p->at, p->names->xlen, &type);
    const bool pointer = good && !braces && take(p, "*");
    good = good && take(p, braces ? "}" : ")");
    if (!good && !braces) {
        p->at = before;
        return false;
    }
    if (!good) {
        *status = expected(p, "a type and '}'");
        return true;
    }
    *status = unary(p, value);
    if (*status != SAM_OK)
        return true;
    if (value->place.kind == PLACE_BYTES) {
        *status = value_single(value, "the operand", p->error);
    } else if (pointer || braces) {
        *status = to_pointer(p, value, type);
        if (*status == SAM_OK && braces)
            *status = load(p, value);
    } else {
        value_convert(value, type);
    }
    return true;
}

/* &symbol, &*pointer, &pointer[i]. */
static enum sam_status address_of(struct parser *p, struct value *value)
{
    char word[NAME];
    blanks(p);
    const size_t size = word_at(p->at, word, sizeof word);
    const char *after = p->at + size;
    if (size && *(after + strspn(after, " ")) != '[') {
        p->at = after;
        return p->names->symbol(p->names->context, word, value, p->error);
    }
    const enum sam_status status = unary(p, value);
    if (status != SAM_OK)
        return status;
    if (value->place.kind != PLACE_MEMORY)
        return cli_refuse(p->error, "&: expected a symbol or something in memory");
    const enum sam_dtype type = value->type;
    *value = value_address(p->names->xlen, value->place.address);
    value->pointee = type;
    return SAM_OK;
}

static enum sam_status unary(struct parser *p, struct value *value)
{
    enum sam_status status;
    *value = value_integer(SAM_I32, 0);
    if (++p->depth > DEPTH)
        return cli_refuse(p->error, "the expression is nested more than %d deep", DEPTH);
    blanks(p);
    const char c = *p->at;
    if (c && strchr("-+!~", c) && !(c == '!' && p->at[1] == '=')) {
        p->at++;
        status = unary(p, value) ?: value_unary(c, value, p->error);
    } else if (c == '*') {
        p->at++;
        status = unary(p, value) ?: load(p, value);
    } else if (c == '&' && p->at[1] != '&') {
        p->at++;
        status = address_of(p, value);
    } else if (!cast(p, value, &status)) {
        status = postfix(p, value);
    }
    p->depth--;
    return status;
}

/* ---------------------------------------------------------------------------------- binary */

static const struct row {
    const char *text;
    unsigned char level; /* binds tighter than operators of a lower one */
    unsigned char op;
} rows[] = {
    {"||", 1, OP_OR},         {"&&", 2, OP_AND},
    {"==", 6, OP_EQUAL},      {"!=", 6, OP_UNEQUAL},
    {"<<", 8, OP_LEFT},       {">>", 8, OP_RIGHT},
    {"<=", 7, OP_LESS_EQUAL}, {">=", 7, OP_GREATER_EQUAL},
    {"<", 7, OP_LESS},        {">", 7, OP_GREATER},
    {"|", 3, OP_BIT_OR},      {"^", 4, OP_BIT_XOR},
    {"&", 5, OP_BIT_AND},     {"+", 9, OP_ADD},
    {"-", 9, OP_SUBTRACT},    {"*", 10, OP_MULTIPLY},
    {"/", 10, OP_DIVIDE},     {"%", 10, OP_REMAINDER},
};

static const struct row *operator_at(struct parser *p)
{
    blanks(p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(p->at, rows[i].text, strlen(rows[i].text)) == 0)
            return &rows[i];
    return NULL;
}

/* Whether the left side of && or || is decisive. */
static bool decides(const struct row *row, const struct value *left)
{
    if (left->is_vector || left->place.kind == PLACE_BYTES)
        return false;
    return (row->op == OP_OR && value_is_true(left, 0)) ||
           (row->op == OP_AND && !value_is_true(left, 0));
}

static enum sam_status binary(struct parser *p, unsigned level, struct value *value)
{
    enum sam_status status = unary(p, value);
    const struct row *row;
    while (status == SAM_OK && (row = operator_at(p)) && row->level >= level) {
        struct value right;
        const bool skip = decides(row, value);
        p->at += strlen(row->text);
        p->skipping += skip;
        status = binary(p, row->level + 1u, &right);
        p->skipping -= skip;
        if (status != SAM_OK)
            break;
        if (skip)
            *value = value_integer(SAM_I32, row->op == OP_OR);
        else
            status = value_binary(row->op, value, &right, p->error);
        if (status != SAM_OK && p->skipping && value->place.kind != PLACE_BYTES &&
            right.place.kind != PLACE_BYTES) {
            *value = value_integer(SAM_I32, 1); /* zeros of unread operands */
            status = SAM_OK;
        }
    }
    return status;
}

static enum sam_status ternary(struct parser *p, struct value *value)
{
    if (++p->depth > DEPTH)
        return cli_refuse(p->error, "the expression is nested more than %d deep", DEPTH);
    enum sam_status status = binary(p, 1, value);
    if (status == SAM_OK && take(p, "?")) {
        struct value yes, no;
        status = value_single(value, "the condition", p->error);
        if (status != SAM_OK)
            return status;
        const bool truth = value_is_true(value, 0);
        p->skipping += !truth;
        status = ternary(p, &yes);
        p->skipping -= !truth;
        if (status != SAM_OK)
            return status;
        if (!take(p, ":"))
            return expected(p, "':'");
        p->skipping += truth;
        status = ternary(p, &no);
        p->skipping -= truth;
        *value = truth ? yes : no;
    }
    p->depth--;
    return status;
}

static enum sam_status evaluate(const struct expr_names *names, const char **at, bool check,
                                struct value *value, struct sam_error *error)
{
    struct parser p = {.names = names, .at = *at, .skipping = check, .error = error};
    const enum sam_status status = ternary(&p, value);
    if (status == SAM_OK) {
        blanks(&p);
        *at = p.at;
    }
    return status;
}

enum sam_status expr_evaluate(const struct expr_names *names, const char **at, struct value *value,
                              struct sam_error *error)
{
    return evaluate(names, at, false, value, error);
}

enum sam_status expr_check(const struct expr_names *names, const char **at, struct sam_error *error)
{
    struct value value;
    return evaluate(names, at, true, &value, error);
}
