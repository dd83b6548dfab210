/* SPDX-License-Identifier: Apache-2.0 */
/* Pickle protocols 2 to 5: dicts, lists, sets, tuples, numbers, texts, named globals, calls and
 * persistent ids. Source: the opcode comments of Python's pickletools. */
#include "format/pickle.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_VALUES = 1 << 23, HIGHEST_PROTOCOL = 5 };

enum opcode {
    MARK = '(',
    STOP = '.',
    BINFLOAT = 'G',
    BININT = 'J',
    BININT1 = 'K',
    BININT2 = 'M',
    NONE = 'N',
    BINPERSID = 'Q',
    REDUCE = 'R',
    BINSTRING = 'T',
    SHORT_BINSTRING = 'U',
    BINUNICODE = 'X',
    BINBYTES = 'B',
    SHORT_BINBYTES = 'C',
    APPEND = 'a',
    BUILD = 'b',
    GLOBAL = 'c',
    APPENDS = 'e',
    BINGET = 'h',
    LONG_BINGET = 'j',
    BINPUT = 'q',
    LONG_BINPUT = 'r',
    SETITEM = 's',
    TUPLE = 't',
    SETITEMS = 'u',
    EMPTY_DICT = '}',
    EMPTY_LIST = ']',
    EMPTY_TUPLE = ')',
    PROTO = 0x80,
    NEWOBJ = 0x81,
    TUPLE1 = 0x85,
    TUPLE2 = 0x86,
    TUPLE3 = 0x87,
    NEWTRUE = 0x88,
    NEWFALSE = 0x89,
    LONG1 = 0x8a,
    SHORT_BINUNICODE = 0x8c,
    BINUNICODE8 = 0x8d,
    BINBYTES8 = 0x8e,
    EMPTY_SET = 0x8f,
    ADDITEMS = 0x90,
    FROZENSET = 0x91,
    STACK_GLOBAL = 0x93,
    MEMOIZE = 0x94,
    FRAME = 0x95,
    BYTEARRAY8 = 0x96,
};

/* Stack marker, distinct from value indices. */
static const uint32_t mark = UINT32_MAX;

struct machine {
    const uint8_t *start, *at, *end;
    const char *file;
    const char *const *globals;
    struct sam_pickle *p;
    uint32_t *stack, *memo;
    size_t depth, stack_room, memo_count, memo_room;
    bool failed; /* reason in `error` */
    struct sam_error *error;
};

static void fail(struct machine *m, const char *what)
{
    if (!m->failed)
        sam_fail(m->error, SAM_ERR_INPUT, "%s: damaged pickle, at byte %zu: %s", m->file,
                 (size_t)(m->at - m->start), what);
    m->failed = true;
}

static void no_memory(struct machine *m)
{
    if (!m->failed)
        sam_fail_memory(m->error);
    m->failed = true;
}

/* --- input */
static const uint8_t *take(struct machine *m, uint64_t size)
{
    if (m->failed || size > (uint64_t)(m->end - m->at)) {
        fail(m, "it is truncated");
        return NULL;
    }
    const uint8_t *at = m->at;
    m->at += size;
    return at;
}

static uint64_t take_number(struct machine *m, unsigned size)
{
    const uint8_t *bytes = take(m, size);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Take a line, up to a line feed. */
static const char *take_line(struct machine *m, size_t *size)
{
    const uint8_t *at = m->at, *end = memchr(at, '\n', (size_t)(m->end - at));
    if (!end) {
        fail(m, "a name without an end");
        return NULL;
    }
    *size = (size_t)(end - at);
    m->at = end + 1;
    return (const char *)at;
}

/* --- the stack */
static void push(struct machine *m, uint32_t value)
{
    uint32_t *grown = sam_grow(m->stack, m->depth, &m->stack_room, sizeof *grown);
    if (!grown) {
        no_memory(m);
        return;
    }
    m->stack = grown;
    m->stack[m->depth++] = value;
}

static void push_new(struct machine *m, struct sam_pickle_value value)
{
    struct sam_pickle *p = m->p;
    if (p->value_count == MAX_VALUES) {
        fail(m, "more values than the limit of 2^23");
        return;
    }
    struct sam_pickle_value *grown =
        sam_grow(p->values, p->value_count, &p->value_room, sizeof *grown);
    if (!grown) {
        no_memory(m);
        return;
    }
    p->values = grown;
    grown[p->value_count] = value;
    push(m, (uint32_t)p->value_count++);
}

static uint32_t pop(struct machine *m)
{
    if (m->failed || m->depth == 0 || m->stack[m->depth - 1] == mark) {
        fail(m, "a value is missing on the stack");
        return 0;
    }
    return m->stack[--m->depth];
}

/* Returns the top value if it is of one of two kinds, or NULL. */
static struct sam_pickle_value *top(struct machine *m, enum sam_pickle_kind kind,
                                    enum sam_pickle_kind other)
{
    if (m->failed || m->depth == 0 || m->stack[m->depth - 1] == mark) {
        fail(m, "a value is missing on the stack");
        return NULL;
    }
    struct sam_pickle_value *v = &m->p->values[m->stack[m->depth - 1]];
    if (v->kind == kind || v->kind == other)
        return v;
    fail(m, "items for something other than a list or dict");
    return NULL;
}

/* Count the values above the topmost mark. */
static size_t above_mark(struct machine *m)
{
    size_t at = m->depth;
    while (at > 0 && m->stack[at - 1] != mark)
        at--;
    if (at == 0)
        fail(m, "no mark on the stack");
    return m->failed ? 0 : m->depth - at;
}

/* Pop the topmost `count` values and append them to `to`. */
static void append(struct machine *m, struct sam_pickle_value *to, size_t count)
{
    struct sam_pickle *p = m->p;
    for (size_t i = m->depth - count; i < m->depth; i++) {
        struct sam_pickle_link *grown =
            sam_grow(p->links, p->link_count, &p->link_room, sizeof *grown);
        if (!grown || p->link_count >= UINT32_MAX - 1) {
            no_memory(m);
            return;
        }
        p->links = grown;
        grown[p->link_count++] = (struct sam_pickle_link){.value = m->stack[i]};
        if (to->last)
            grown[to->last - 1].next = (uint32_t)p->link_count;
        else
            to->first = (uint32_t)p->link_count;
        to->last = (uint32_t)p->link_count;
        to->count++;
    }
    m->depth -= count;
}

/* Replace the topmost `count` values by a tuple. */
static void make_tuple(struct machine *m, size_t count)
{
    struct sam_pickle_value tuple = {.kind = SAM_PICKLE_TUPLE};
    for (size_t i = 0; i < count && !m->failed; i++)
        if (m->depth < count || m->stack[m->depth - 1 - i] == mark)
            fail(m, "a value is missing on the stack");
    if (!m->failed)
        append(m, &tuple, count);
    push_new(m, tuple);
}

/* Append the items above a mark to the list or dict below it. */
static void extend(struct machine *m, enum sam_pickle_kind kind, enum sam_pickle_kind other)
{
    const size_t count = above_mark(m);
    if (m->failed)
        return;
    /* Move the values down over the mark, so that the container is where append expects it. */
    const size_t first = m->depth - count;
    m->depth = first - 1;
    struct sam_pickle_value *to = top(m, kind, other);
    if (!to)
        return;
    if (kind == SAM_PICKLE_DICT && count % 2) {
        fail(m, "a key without a value");
        return;
    }
    memmove(m->stack + first - 1, m->stack + first, count * sizeof *m->stack);
    m->depth = first - 1 + count;
    append(m, to, count);
}

/* --- memo */
static void put(struct machine *m, uint64_t at)
{
    if (m->failed || m->depth == 0 || m->stack[m->depth - 1] == mark) {
        fail(m, "nothing to remember");
        return;
    }
    if (at > (uint64_t)(m->end - m->start)) { /* more entries than the pickle can have values */
        fail(m, "a place in the memo that is too large");
        return;
    }
    while (m->memo_count <= at && !m->failed) {
        uint32_t *grown = sam_grow(m->memo, m->memo_count, &m->memo_room, sizeof *grown);
        if (!grown) {
            no_memory(m);
            return;
        }
        m->memo = grown;
        grown[m->memo_count++] = mark;
    }
    m->memo[at] = m->stack[m->depth - 1];
}

static void get(struct machine *m, uint64_t at)
{
    if (m->failed || at >= m->memo_count || m->memo[at] == mark) {
        fail(m, "a value that was not remembered");
        return;
    }
    push(m, m->memo[at]);
}

/* --- globals and calls */
static void push_global(struct machine *m, const char *module, size_t module_size, const char *name,
                        size_t name_size)
{
    struct sam_pickle_value v = {
        .kind = SAM_PICKLE_GLOBAL, .number = -1, .text = name, .size = name_size};
    for (size_t i = 0; m->globals[i] && v.number < 0; i++) {
        const char *known = m->globals[i];
        if (strlen(known) == module_size + 1 + name_size && known[module_size] == '.' &&
            memcmp(known, module, module_size) == 0 &&
            memcmp(known + module_size + 1, name, name_size) == 0)
            v.number = (int64_t)i;
    }
    push_new(m, v);
}

static void push_named(struct machine *m)
{
    const uint32_t name = pop(m), module = pop(m);
    if (m->failed)
        return;
    const struct sam_pickle_value *n = &m->p->values[name], *o = &m->p->values[module];
    if (n->kind != SAM_PICKLE_TEXT || o->kind != SAM_PICKLE_TEXT)
        fail(m, "a global without a name");
    else
        push_global(m, o->text, o->size, n->text, n->size);
}

static void reduce(struct machine *m)
{
    const uint32_t arguments = pop(m), callable = pop(m);
    if (m->failed)
        return;
    if (m->p->values[callable].kind != SAM_PICKLE_GLOBAL ||
        m->p->values[arguments].kind != SAM_PICKLE_TUPLE)
        fail(m, "a call of something that has no name");
    else
        push_new(m, (struct sam_pickle_value){
                        .kind = SAM_PICKLE_CALL, .callable = callable, .arguments = arguments});
}

static void push_text(struct machine *m, unsigned width)
{
    const uint64_t size = take_number(m, width);
    const uint8_t *text = take(m, size);
    push_new(m, (struct sam_pickle_value){
                    .kind = SAM_PICKLE_TEXT, .text = (const char *)text, .size = (size_t)size});
}

static void push_kind(struct machine *m, enum sam_pickle_kind kind, int64_t number)
{
    push_new(m, (struct sam_pickle_value){.kind = (uint8_t)kind, .number = number});
}

/* An integer in two's complement, of any length. One of more than 64 bits has no value here. */
static void push_long(struct machine *m)
{
    const unsigned size = (unsigned)take_number(m, 1);
    if (size > 8) {
        take(m, size);
        push_kind(m, SAM_PICKLE_FLOAT, 0);
        return;
    }
    uint64_t value = take_number(m, size);
    if (size && size < 8 && value >> (8 * size - 1))
        value |= UINT64_MAX << (8 * size);
    push_kind(m, SAM_PICKLE_INT, (int64_t)value);
}

/* Push a number, a text or an empty container. Returns false for other opcodes. */
static bool push_simple(struct machine *m, uint8_t opcode)
{
    switch (opcode) {
    case NONE: push_kind(m, SAM_PICKLE_NONE, 0); break;
    case NEWTRUE: push_kind(m, SAM_PICKLE_BOOL, 1); break;
    case NEWFALSE: push_kind(m, SAM_PICKLE_BOOL, 0); break;
    case BININT: push_kind(m, SAM_PICKLE_INT, (int32_t)take_number(m, 4)); break;
    case BININT1: push_kind(m, SAM_PICKLE_INT, (int64_t)take_number(m, 1)); break;
    case BININT2: push_kind(m, SAM_PICKLE_INT, (int64_t)take_number(m, 2)); break;
    case LONG1: push_long(m); break;
    case BINFLOAT:
        take(m, 8);
        push_kind(m, SAM_PICKLE_FLOAT, 0);
        break;
    case SHORT_BINSTRING:
    case SHORT_BINBYTES:
    case SHORT_BINUNICODE: push_text(m, 1); break;
    case BINSTRING:
    case BINBYTES:
    case BINUNICODE: push_text(m, 4); break;
    case BYTEARRAY8:
    case BINBYTES8:
    case BINUNICODE8: push_text(m, 8); break;
    case EMPTY_DICT: push_kind(m, SAM_PICKLE_DICT, 0); break;
    case EMPTY_SET:
    case EMPTY_LIST: push_kind(m, SAM_PICKLE_LIST, 0); break;
    case EMPTY_TUPLE: push_kind(m, SAM_PICKLE_TUPLE, 0); break;
    default: return false;
    }
    return true;
}

static void add_item(struct machine *m, size_t count, enum sam_pickle_kind kind,
                     enum sam_pickle_kind other)
{
    if (m->depth <= count || m->stack[m->depth - 1] == mark || m->stack[m->depth - count] == mark) {
        fail(m, "a value is missing on the stack");
        return;
    }
    m->depth -= count;
    struct sam_pickle_value *to = top(m, kind, other);
    m->depth += count;
    if (to)
        append(m, to, count);
}

/* The attributes of a dict (`_metadata` of a state dict) or an object are dropped. */
static void build(struct machine *m)
{
    pop(m);
    top(m, SAM_PICKLE_DICT, SAM_PICKLE_CALL);
}

static void refuse(struct machine *m, uint8_t opcode)
{
    char what[80];
    snprintf(what, sizeof what, "opcode 0x%02x, which is not read", opcode);
    fail(m, what);
}

static void step(struct machine *m, uint8_t opcode)
{
    size_t module_size = 0, name_size = 0;
    switch (opcode) {
    case PROTO:
        if (take_number(m, 1) > HIGHEST_PROTOCOL)
            fail(m, "a protocol above 5");
        break;
    case FRAME: take_number(m, 8); break;
    case MARK: push(m, mark); break;
    case FROZENSET:
    case TUPLE: {
        const size_t count = above_mark(m);
        if (m->failed)
            break;
        memmove(m->stack + m->depth - count - 1, m->stack + m->depth - count,
                count * sizeof *m->stack);
        m->depth--;
        make_tuple(m, count);
        break;
    }
    case TUPLE1: make_tuple(m, 1); break;
    case TUPLE2: make_tuple(m, 2); break;
    case TUPLE3: make_tuple(m, 3); break;
    case APPEND: add_item(m, 1, SAM_PICKLE_LIST, SAM_PICKLE_CALL); break;
    case SETITEM: add_item(m, 2, SAM_PICKLE_DICT, SAM_PICKLE_CALL); break;
    case ADDITEMS:
    case APPENDS: extend(m, SAM_PICKLE_LIST, SAM_PICKLE_CALL); break;
    case SETITEMS: extend(m, SAM_PICKLE_DICT, SAM_PICKLE_CALL); break;
    case BINPUT: put(m, take_number(m, 1)); break;
    case LONG_BINPUT: put(m, take_number(m, 4)); break;
    case MEMOIZE: put(m, m->memo_count); break;
    case BINGET: get(m, take_number(m, 1)); break;
    case LONG_BINGET: get(m, take_number(m, 4)); break;
    case GLOBAL: {
        const char *module = take_line(m, &module_size);
        const char *name = module ? take_line(m, &name_size) : NULL;
        if (name)
            push_global(m, module, module_size, name, name_size);
        break;
    }
    case STACK_GLOBAL: push_named(m); break;
    case REDUCE:
    case NEWOBJ: reduce(m); break;
    case BUILD: build(m); break;
    case BINPERSID: {
        const uint32_t id = pop(m);
        push_new(m, (struct sam_pickle_value){.kind = SAM_PICKLE_PERSISTENT, .arguments = id});
        break;
    }
    default:
        if (!push_simple(m, opcode))
            refuse(m, opcode);
    }
}

enum sam_status sam_pickle_parse(const uint8_t *data, size_t size, const char *file,
                                 const char *const *globals, struct sam_pickle *pickle,
                                 struct sam_error *error)
{
    struct sam_error own = {0};
    *pickle = (struct sam_pickle){0};
    struct machine m = {.start = data,
                        .at = data,
                        .end = data + size,
                        .file = file,
                        .globals = globals,
                        .p = pickle,
                        .error = error ? error : &own};
    bool stopped = false;
    while (!m.failed && !stopped) {
        const uint8_t *opcode = take(&m, 1);
        stopped = opcode && *opcode == STOP;
        if (opcode && !stopped)
            step(&m, *opcode);
    }
    if (!m.failed && (m.depth != 1 || m.stack[0] == mark))
        fail(&m, "it does not end with one value");
    if (!m.failed)
        pickle->root = m.stack[0];
    free(m.stack);
    free(m.memo);
    return m.failed ? m.error->status : SAM_OK;
}

void sam_pickle_free(struct sam_pickle *pickle)
{
    free(pickle->values);
    free(pickle->links);
    *pickle = (struct sam_pickle){0};
}

const struct sam_pickle_value *sam_pickle_next(const struct sam_pickle *pickle,
                                               const struct sam_pickle_value *value, uint32_t *at)
{
    const uint32_t link = *at ? pickle->links[*at - 1].next : value->first;
    if (!link)
        return NULL;
    *at = link;
    return &pickle->values[pickle->links[link - 1].value];
}
