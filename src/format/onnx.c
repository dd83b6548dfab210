/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of an ONNX model. A model is a protocol buffer message; only the path to tensors is read:
 * ModelProto.graph, GraphProto.initializer and .node, and for nodes the value of a Constant and
 * subgraphs. Source: onnx.proto and the description of the encoding. */
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "format/format.h"
#include "format/onnx.h"

enum { MAX_NESTING = 32, /* of graphs */ MAX_LOCATION = 4096 };

/* Field numbers; those of graphs are in onnx.h. */
enum {
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_SEGMENT = 3,
    TENSOR_FLOATS = 4,
    TENSOR_INT32S = 5,
    TENSOR_INT64S = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_DOUBLES = 10,
    TENSOR_UINT64S = 11,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14,
};
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

/* TensorProto.DataType names that are not supported. */
static const char *const unread[] = {
    [0] = "undefined",       [8] = "string",          [14] = "complex64", [15] = "complex128",
    [18] = "float8e4m3fnuz", [20] = "float8e5m2fnuz", [21] = "uint4",
};

/* The field with elements of a dtype if they are not raw. */
static unsigned elements_field(enum sam_dtype type)
{
    switch (type) {
    case SAM_F32: return TENSOR_FLOATS;
    case SAM_F64: return TENSOR_DOUBLES;
    case SAM_I64: return TENSOR_INT64S;
    case SAM_U32:
    case SAM_U64: return TENSOR_UINT64S;
    default: return TENSOR_INT32S;
    }
}

/* --- tensors */
struct reader {
    const char *file;
    struct sam_onnx *onnx;
    size_t capacity, where_capacity;
    struct sam_buffer names, made;
    /* Per tensor: start of its bytes in the file, or in `made` if NULL. */
    struct place {
        const uint8_t *raw;
        size_t made;
    } * places;
    struct sam_onnx_external *externals; /* one per tensor, unless `no_externals` */
    size_t external_capacity;
    bool no_externals;
    struct sam_error *error;
};

/* A tensor's fields, before validation. */
struct tensor {
    struct sam_bytes all, name, raw;
    bool has_raw, external, segmented;
    struct sam_bytes location, offset, length; /* of external data */
    unsigned typed;                            /* bit n: field n has elements */
    uint64_t type, count;
    struct sam_weight weight;
};

static bool wrong(struct reader *r, const struct tensor *t, const char *what)
{
    size_t size = sam_bytes_left(&t->name) < 200 ? sam_bytes_left(&t->name) : 200;
    sam_fail(r->error, SAM_ERR_INPUT, "%s: tensor '%.*s': %s", r->file, (int)size,
             size ? (const char *)t->name.at : "", what);
    return false;
}

static bool damaged(struct reader *r)
{
    sam_fail(r->error, SAM_ERR_INPUT, "%s: not an ONNX model, or damaged", r->file);
    return false;
}

static bool add_dimension(struct tensor *t, uint64_t value)
{
    struct sam_weight *w = &t->weight;
    if (w->rank == SAM_WEIGHT_RANK || value > INT64_MAX)
        return false;
    w->shape[w->rank++] = value;
    return true;
}

/* A single dimension, or packed ones. */
static bool add_dimensions(struct tensor *t, struct sam_proto_field *f)
{
    if (f->wire != WIRE_BYTES)
        return f->wire == WIRE_VARINT && add_dimension(t, f->value);
    bool good = true;
    while (good && f->bytes.at < f->bytes.end) {
        uint64_t value = sam_bytes_uleb(&f->bytes);
        good = !f->bytes.damaged && add_dimension(t, value);
    }
    return good;
}

/* Parse an entry of external_data, skipping unknown keys such as checksums. Returns false on
 * damage. */
static bool scan_external(struct sam_bytes m, struct tensor *t)
{
    struct sam_bytes key = {0}, value = {0};
    struct sam_proto_field f;
    while (sam_proto_next(&m, &f)) {
        if (f.wire == WIRE_BYTES && f.number == ENTRY_KEY)
            key = f.bytes;
        else if (f.wire == WIRE_BYTES && f.number == ENTRY_VALUE)
            value = f.bytes;
    }
    if (sam_proto_is(&key, "location"))
        t->location = value;
    else if (sam_proto_is(&key, "offset"))
        t->offset = value;
    else if (sam_proto_is(&key, "length"))
        t->length = value;
    t->external = true;
    return !m.damaged;
}

static bool scan_tensor(struct reader *r, struct sam_bytes all, struct tensor *t)
{
    struct sam_bytes m = all;
    struct sam_proto_field f;
    bool shape = true;
    t->all = all;
    while (sam_proto_next(&m, &f)) {
        bool bytes = f.wire == WIRE_BYTES;
        switch (f.number) {
        case TENSOR_DIMS: shape = shape && add_dimensions(t, &f); break;
        case TENSOR_TYPE: t->type = f.value; break;
        case TENSOR_SEGMENT: t->segmented = true; break;
        case TENSOR_EXTERNAL:
            if (!bytes || !scan_external(f.bytes, t))
                return damaged(r);
            break;
        case TENSOR_LOCATION: t->external |= f.value != 0; break;
        case TENSOR_FLOATS:
        case TENSOR_INT32S:
        case TENSOR_INT64S:
        case TENSOR_DOUBLES:
        case TENSOR_UINT64S:
            t->typed |= !bytes || sam_bytes_left(&f.bytes) ? 1u << f.number : 0;
            break;
        case TENSOR_NAME:
        case TENSOR_RAW:
            if (!bytes)
                return damaged(r);
            *(f.number == TENSOR_NAME ? &t->name : &t->raw) = f.bytes;
            t->has_raw |= f.number == TENSOR_RAW;
            break;
        default: break;
        }
    }
    if (m.damaged)
        return damaged(r);
    return shape || wrong(r, t, "an invalid shape, or too many dimensions");
}

/* An element as stored in its field. */
static bool add_element(struct reader *r, unsigned bits, uint64_t value)
{
    uint8_t bytes[8];
    /* Narrow values may be sign-extended. */
    if (bits < 64 && value >> bits && value < UINT64_MAX << (bits - 1))
        return false;
    sam_put_le64(bytes, value);
    return sam_buffer_append(&r->made, bytes, bits / 8);
}

/* Take the elements of the dtype's field, single or packed. */
static const char *take_elements(struct reader *r, const struct tensor *t, unsigned number)
{
    static const char range[] = "an element out of range for its type";
    static const char many[] = "more elements than its shape has";
    unsigned bits = (unsigned)sam_dtype_bits(t->weight.type);
    unsigned wide = number == TENSOR_FLOATS ? 4 : number == TENSOR_DOUBLES ? 8 : 0;
    struct sam_bytes m = t->all;
    struct sam_proto_field f;
    size_t first = r->made.size;
    bits = bits < 8 ? 8 : bits; /* two per number */
    while (sam_proto_next(&m, &f)) {
        if (f.number != number)
            continue;
        if (f.wire != WIRE_BYTES) {
            if (f.wire != (wide == 4 ? WIRE_32 : wide ? WIRE_64 : WIRE_VARINT))
                return "invalid elements";
            if (!add_element(r, bits, f.value))
                return range;
        }
        while (f.wire == WIRE_BYTES && f.bytes.at < f.bytes.end) {
            uint64_t value = wide == 8 ? sam_bytes_le64(&f.bytes)
                             : wide    ? sam_bytes_le32(&f.bytes)
                                       : sam_bytes_uleb(&f.bytes);
            if (f.bytes.damaged)
                return "invalid elements";
            if (r->made.size - first >= t->weight.size)
                return many;
            if (!add_element(r, bits, value))
                return range;
        }
        if (r->made.size - first > t->weight.size)
            return many;
    }
    return r->made.size - first == t->weight.size ? NULL : "fewer elements than its shape has";
}

/* Compute the bytes of the shape. Returns false if no such tensor can exist. */
static bool set_size(struct sam_weight *w)
{
    uint64_t bits = sam_dtype_bits(w->type);
    for (size_t d = 0; d < w->rank; d++)
        if (w->shape[d] == 0)
            bits = 0;
    for (size_t d = 0; bits && d < w->rank; d++)
        if (__builtin_mul_overflow(bits, w->shape[d], &bits))
            return false;
    w->size = bits / 8;
    return bits % 8 == 0;
}

/* Parse a decimal number; `none` is the default. */
static bool take_decimal(const struct sam_bytes *m, uint64_t none, uint64_t *value)
{
    char text[24];
    *value = none;
    if (!m->at)
        return true;
    if (sam_bytes_left(m) >= sizeof text || sam_bytes_left(m) == 0 || *m->at < '0' || *m->at > '9')
        return false;
    snprintf(text, sizeof text, "%.*s", (int)sam_bytes_left(m), (const char *)m->at);
    return strspn(text, "0123456789") == sam_bytes_left(m) && sam_parse_u64(text, value);
}

/* Returns whether a path is relative and has no ".." component. */
static bool leads_down(const struct sam_bytes *path)
{
    const uint8_t *at = path->at;
    if (sam_bytes_left(path) == 0 || sam_bytes_left(path) > MAX_LOCATION || *at == '/' ||
        memchr(at, 0, sam_bytes_left(path)) || memchr(at, '\\', sam_bytes_left(path)))
        return false;
    while (at < path->end) {
        const uint8_t *slash = memchr(at, '/', (size_t)(path->end - at));
        const uint8_t *end = slash ? slash : path->end;
        if (end - at == 2 && memcmp(at, "..", 2) == 0)
            return false;
        at = slash ? slash + 1 : end;
    }
    return true;
}

static const char *take_external(struct reader *r, const struct tensor *t,
                                 struct sam_onnx_external *external)
{
    uint64_t size;
    if (r->no_externals)
        return "its data is in another file (external data): expected a model in one file";
    if (t->has_raw || t->typed)
        return "data in the model and in another file";
    if (!leads_down(&t->location))
        return "a location of external data that is not a path within the model's folder";
    if (!take_decimal(&t->offset, 0, &external->offset) ||
        !take_decimal(&t->length, t->weight.size, &size) || external->offset > INT64_MAX)
        return "an invalid offset or length of external data";
    if (size != t->weight.size)
        return "the length of its external data does not match its shape and type";
    external->location = sam_strndup((const char *)t->location.at, sam_bytes_left(&t->location));
    r->made.failed |= !external->location; /* reported with the other allocation failures */
    return NULL;
}

static const char *take_data(struct reader *r, struct tensor *t, struct place *place,
                             struct sam_onnx_external *external)
{
    struct sam_weight *w = &t->weight;
    unsigned field = elements_field(w->type);
    *place = (struct place){.made = r->made.size};
    if (t->segmented)
        return "it is a segment of a tensor";
    if (!set_size(w))
        return "shape is too large or not a whole number of bytes";
    if (t->external)
        return take_external(r, t, external);
    if (t->has_raw + !!t->typed > 1 || t->typed & ~(1u << field))
        return "data of another type, or in two places";
    if (!t->has_raw)
        return take_elements(r, t, field);
    if (sam_bytes_left(&t->raw) != w->size)
        return "the size of its data does not match its shape and type";
    place->raw = t->raw.at;
    return NULL;
}

static bool read_tensor(struct reader *r, struct sam_bytes bytes, const struct sam_bytes *name)
{
    struct tensor t = {0};
    if (!scan_tensor(r, bytes, &t))
        return false;
    if (name)
        t.name = *name;
    if (sam_bytes_left(&t.name) == 0 || memchr(t.name.at, 0, sam_bytes_left(&t.name)))
        return wrong(r, &t, "a missing or invalid name");
    t.weight.type = sam_dtype_by_id(offsetof(struct sam_dtype_row, onnx), t.type);
    if (t.weight.type == SAM_DTYPES) {
        const char *known = t.type < SAM_COUNT(unread) ? unread[t.type] : NULL;
        char text[64];
        snprintf(text, sizeof text, "elements of type %llu (%s), which are not supported",
                 (unsigned long long)t.type, known ? known : "?");
        return wrong(r, &t, text);
    }
    struct sam_onnx *onnx = r->onnx;
    struct sam_weight *tensors =
        sam_grow(onnx->tensors, onnx->count, &r->capacity, sizeof *tensors);
    onnx->tensors = tensors ? tensors : onnx->tensors;
    struct place *places = sam_grow(r->places, onnx->count, &r->where_capacity, sizeof *places);
    r->places = places ? places : r->places;
    struct sam_onnx_external *externals =
        sam_grow(r->externals, onnx->count, &r->external_capacity, sizeof *externals);
    r->externals = externals ? externals : r->externals;
    if (!tensors || !places || !externals)
        return sam_fail_memory(r->error), false;
    externals[onnx->count] = (struct sam_onnx_external){0};
    const char *what = take_data(r, &t, &places[onnx->count], &externals[onnx->count]);
    sam_buffer_append(&r->names, t.name.at, sam_bytes_left(&t.name));
    sam_buffer_append(&r->names, "", 1);
    if (r->made.failed || r->names.failed)
        return sam_fail_memory(r->error), false;
    tensors[onnx->count++] = t.weight;
    return !what || wrong(r, &t, what);
}

/* --- graphs */
static bool read_graph(struct reader *r, struct sam_bytes graph, unsigned nesting);

/* Read the subgraphs of any node and the value of a Constant. */
static bool read_attribute(struct reader *r, struct sam_bytes m, const struct sam_bytes *constant,
                           unsigned nesting)
{
    struct sam_bytes name = {0}, tensor = {0};
    struct sam_proto_field f;
    bool good = true;
    while (good && sam_proto_next(&m, &f)) {
        if (f.wire != WIRE_BYTES)
            continue;
        if (f.number == ATTRIBUTE_NAME)
            name = f.bytes;
        else if (f.number == ATTRIBUTE_TENSOR)
            tensor = f.bytes;
        else if (f.number == ATTRIBUTE_GRAPH || f.number == ATTRIBUTE_GRAPHS)
            good = read_graph(r, f.bytes, nesting + 1);
    }
    if (m.damaged)
        return damaged(r);
    if (good && constant && tensor.at && sam_proto_is(&name, "value"))
        good = read_tensor(r, tensor, constant);
    return good;
}

static bool read_node(struct reader *r, struct sam_bytes node, unsigned nesting)
{
    struct sam_bytes m = node, output = {0}, type = {0};
    struct sam_proto_field f;
    while (sam_proto_next(&m, &f)) {
        if (f.number == NODE_OUTPUT && f.wire == WIRE_BYTES && !output.at)
            output = f.bytes;
        else if (f.number == NODE_TYPE && f.wire == WIRE_BYTES)
            type = f.bytes;
    }
    if (m.damaged)
        return damaged(r);
    bool constant = sam_proto_is(&type, "Constant"), good = true;
    m = node;
    while (good && sam_proto_next(&m, &f))
        if (f.number == NODE_ATTRIBUTE && f.wire == WIRE_BYTES)
            good = read_attribute(r, f.bytes, constant ? &output : NULL, nesting);
    return good;
}

static bool read_graph(struct reader *r, struct sam_bytes graph, unsigned nesting)
{
    struct sam_proto_field f;
    bool good = true;
    if (nesting > MAX_NESTING)
        return damaged(r);
    while (good && sam_proto_next(&graph, &f)) {
        if (f.wire != WIRE_BYTES)
            continue;
        if (f.number == GRAPH_INITIALIZER) {
            good = read_tensor(r, f.bytes, NULL);
        } else if (f.number == GRAPH_NODE) {
            good = read_node(r, f.bytes, nesting);
        } else if (f.number == GRAPH_SPARSE_INITIALIZER) {
            sam_fail(r->error, SAM_ERR_INPUT, "%s: sparse initializers, which are not supported",
                     r->file);
            good = false;
        }
    }
    return good && (!graph.damaged || damaged(r));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool names_differ(struct reader *r)
{
    const struct sam_onnx *onnx = r->onnx;
    const char **names = sam_alloc(onnx->count, sizeof *names), *twice = NULL;
    if (!names)
        return sam_fail_memory(r->error), false;
    for (size_t i = 0; i < onnx->count; i++)
        names[i] = onnx->tensors[i].name;
    if (onnx->count)
        qsort(names, onnx->count, sizeof *names, by_name);
    for (size_t i = 1; i < onnx->count && !twice; i++)
        twice = strcmp(names[i - 1], names[i]) == 0 ? names[i] : NULL;
    if (twice)
        sam_fail(r->error, SAM_ERR_INPUT, "%s: two tensors named '%.200s'", r->file, twice);
    free(names);
    return !twice;
}

/* Resolve the pointers to names and data, whose buffers no longer grow. */
static bool settle(struct reader *r)
{
    struct sam_onnx *onnx = r->onnx;
    onnx->data = sam_alloc(onnx->count, sizeof *onnx->data);
    if (!onnx->data)
        return sam_fail_memory(r->error), false;
    const char *name = onnx->names ? onnx->names : "";
    for (size_t i = 0; r->places && i < onnx->count; i++) {
        const struct place *place = &r->places[i];
        onnx->tensors[i].name = name;
        name += strlen(name) + 1;
        if (r->externals[i].location)
            onnx->data[i] = NULL;
        else if (place->raw)
            onnx->data[i] = place->raw;
        else if (r->made.size)
            onnx->data[i] = (const uint8_t *)onnx->made + place->made;
        else
            onnx->data[i] = ""; /* only empty tensors */
    }
    return names_differ(r);
}

enum sam_status sam_onnx_parse_with(const void *data, size_t size, const char *name,
                                    struct sam_onnx *onnx, struct sam_onnx_external **externals,
                                    struct sam_error *error)
{
    struct sam_error own = {0};
    struct reader r = {
        .file = name, .onnx = onnx, .no_externals = !externals, .error = error ? error : &own};
    const uint8_t *bytes = data;
    struct sam_bytes m = {bytes, size ? bytes + size : bytes, false};
    struct sam_proto_field f;
    bool good = true, graph = false;
    *onnx = (struct sam_onnx){0};
    while (good && sam_proto_next(&m, &f)) {
        if (f.number != MODEL_GRAPH || f.wire != WIRE_BYTES)
            continue;
        graph = true;
        good = read_graph(&r, f.bytes, 0);
    }
    good = good && ((!m.damaged && graph) || damaged(&r));
    onnx->names = (char *)r.names.data;
    onnx->made = r.made.data;
    good = good && settle(&r);
    free(r.places);
    if (good && externals) {
        *externals = r.externals;
        return SAM_OK;
    }
    sam_onnx_externals_free(r.externals, onnx->count);
    if (good)
        return SAM_OK;
    sam_onnx_free(onnx);
    return r.error->status;
}

enum sam_status sam_onnx_parse_tensor(struct sam_bytes tensor, const char *file, const char *name,
                                      struct sam_onnx *onnx, struct sam_error *error)
{
    struct sam_error own = {0};
    struct reader r = {.file = file, .onnx = onnx, .no_externals = true};
    const uint8_t *text = (const uint8_t *)name;
    const struct sam_bytes named = {text, text + strlen(name), false};
    r.error = error ? error : &own;
    *onnx = (struct sam_onnx){0};
    bool good = read_tensor(&r, tensor, &named);
    onnx->names = (char *)r.names.data;
    onnx->made = r.made.data;
    good = good && settle(&r);
    free(r.places);
    sam_onnx_externals_free(r.externals, onnx->count);
    if (good)
        return SAM_OK;
    sam_onnx_free(onnx);
    return r.error->status;
}

enum sam_status sam_onnx_parse(const void *data, size_t size, const char *name,
                               struct sam_onnx *onnx, struct sam_error *error)
{
    if (onnx)
        *onnx = (struct sam_onnx){0};
    if (SAM_LACKS(error, onnx, name))
        return SAM_ERR_USAGE;
    if (!data && size)
        return sam_fail_null(error, "data");
    return sam_onnx_parse_with(data, size, name, onnx, NULL, error);
}

void sam_onnx_externals_free(struct sam_onnx_external *externals, size_t count)
{
    for (size_t i = 0; externals && i < count; i++)
        free(externals[i].location);
    free(externals);
}

void sam_onnx_free(struct sam_onnx *onnx)
{
    if (!onnx)
        return;
    free(onnx->tensors);
    free(onnx->data);
    free(onnx->names);
    free(onnx->made);
    *onnx = (struct sam_onnx){0};
}
