/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy .npy files, format versions 1.0 to 3.0: magic, version, header size, header (a Python
 * dictionary literal with the keys descr, fortran_order and shape), elements. Source: NumPy's
 * documentation of numpy.lib.format. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/dtype.h"
#include "format/format.h"
#include "format/sparse.h"

#define MAGIC        "\x93NUMPY"
#define MAGIC_SIZE   6
#define MAX_RANK     8
#define MAX_HEADER   65536
#define FILE_LIMIT   ((UINT64_C(1) << 40) + MAX_HEADER)
#define HEADER_ALIGN 64

void sam_array_free(struct sam_array *array)
{
    if (!array)
        return;
    free(array->data);
    *array = (struct sam_array){0};
}

/* --- the header's text */

struct header {
    const char *at;
    const char *end;
    const char *name; /* of the file */
    struct sam_error *error;
    bool big_endian;
    bool fortran;
    bool any_type; /* also accept dtypes that NumPy knows only by width (V2: bfloat16) */
    bool unnamed;  /* ... and this is one */
};

static enum sam_status bad(const struct header *h, const char *what)
{
    return sam_fail(h->error, SAM_ERR_INPUT, "%s: damaged npy header: %s", h->name, what);
}

static void skip_space(struct header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
        h->at++;
}

static bool take(struct header *h, char c)
{
    skip_space(h);
    if (h->at == h->end || *h->at != c)
        return false;
    h->at++;
    return true;
}

static bool take_word(struct header *h, const char *word)
{
    size_t size = strlen(word);
    skip_space(h);
    if ((size_t)(h->end - h->at) < size || memcmp(h->at, word, size) != 0)
        return false;
    h->at += size;
    return true;
}

/* Take a Python string without escapes, truncated to the buffer, which no valid one fills. */
static bool take_string(struct header *h, char *text, size_t room)
{
    size_t length = 0;
    skip_space(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
        return false;
    char quote = *h->at++;
    for (; h->at < h->end && *h->at != quote; h->at++) {
        if (*h->at < ' ' || *h->at > '~' || *h->at == '\\')
            return false;
        if (length < room - 1)
            text[length++] = *h->at;
    }
    text[length] = '\0';
    if (h->at == h->end)
        return false;
    h->at++;
    return true;
}

static enum sam_status read_descr(struct header *h, struct sam_array *array)
{
    char text[24] = "";
    skip_space(h);
    if (h->at < h->end && (*h->at == '[' || *h->at == '('))
        return sam_fail(h->error, SAM_ERR_INPUT, "%s: structured elements are not supported",
                        h->name);
    if (!take_string(h, text, sizeof text))
        return bad(h, "'descr' is not a string");
    const char *type = text;
    char order = '|';
    if (*type == '<' || *type == '>' || *type == '=' || *type == '|')
        order = *type++;
    h->big_endian = order == '>';
    for (size_t i = 0; i < SAM_DTYPES; i++) {
        const struct sam_dtype_row *row = &sam_dtype_table[i];
        if (!row->npy || type[0] != row->npy || type[1] != (char)('0' + row->bits / 8) || type[2])
            continue;
        if (row->bits > 8 && order == '|')
            return sam_fail(h->error, SAM_ERR_INPUT, "%s: element type '%s' has no byte order",
                            h->name, text);
        array->dtype = (enum sam_dtype)i;
        return SAM_OK;
    }
    h->unnamed = h->any_type && type[0] == 'V' && type[1] && strchr("1248", type[1]) && !type[2];
    if (h->unnamed) {
        array->dtype = type[1] == '1'   ? SAM_U8
                       : type[1] == '2' ? SAM_U16
                       : type[1] == '4' ? SAM_U32
                                        : SAM_U64;
        return SAM_OK;
    }
    return sam_fail(h->error, SAM_ERR_INPUT,
                    "%s: element type '%s' is not supported (u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 b1)",
                    h->name, text);
}

static enum sam_status read_dimension(struct header *h, uint64_t *value)
{
    const char *first = h->at;
    uint64_t sum = 0;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
        uint64_t digit = (uint64_t)(*h->at - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return bad(h, "a dimension of 'shape' is too large");
        sum = sum * 10 + digit;
    }
    if (h->at == first)
        return bad(h, "'shape' is not a tuple of numbers");
    if (h->at < h->end && *h->at == 'L')
        h->at++; /* written by Python 2 */
    *value = sum;
    return SAM_OK;
}

/* "()", "(3,)", "(3, 4)", "(3, 4,)"; not "(3)", a number in Python. */
static enum sam_status read_shape(struct header *h, struct sam_array *array)
{
    if (!take(h, '('))
        return bad(h, "'shape' is not a tuple of numbers");
    bool comma = false;
    array->rank = 0;
    while (!take(h, ')')) {
        if (array->rank && !comma)
            return bad(h, "'shape' is not a tuple of numbers");
        if (array->rank == MAX_RANK)
            return sam_fail(h->error, SAM_ERR_INPUT, "%s: more than %d dimensions", h->name,
                            MAX_RANK);
        skip_space(h);
        enum sam_status status = read_dimension(h, &array->shape[array->rank]);
        if (status != SAM_OK)
            return status;
        array->rank++;
        comma = take(h, ',');
    }
    if (array->rank == 1 && !comma)
        return bad(h, "'shape' is a number, expected a tuple");
    return SAM_OK;
}

static enum sam_status read_header(struct header *h, struct sam_array *array)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    unsigned seen = 0;
    bool comma = true;
    if (!take(h, '{'))
        return bad(h, "expected '{' at the start");
    while (!take(h, '}')) {
        char key[24];
        enum sam_status status = SAM_OK;
        if (!comma || !take_string(h, key, sizeof key) || !take(h, ':'))
            return bad(h, "expected 'key': value, ...");
        unsigned bit = strcmp(key, "descr") == 0           ? DESCR
                       : strcmp(key, "fortran_order") == 0 ? ORDER
                       : strcmp(key, "shape") == 0         ? SHAPE
                                                           : 0;
        if (bit == 0 || (seen & bit))
            return sam_fail(h->error, SAM_ERR_INPUT, "%s: damaged npy header: key '%s' %s", h->name,
                            key, bit ? "appears twice" : "is unknown");
        seen |= bit;
        if (bit == DESCR)
            status = read_descr(h, array);
        else if (bit == SHAPE)
            status = read_shape(h, array);
        else if (take_word(h, "True"))
            h->fortran = true;
        else if (!take_word(h, "False"))
            return bad(h, "'fortran_order' is neither True nor False");
        if (status != SAM_OK)
            return status;
        comma = take(h, ',');
    }
    if (seen != ALL)
        return bad(h, "descr, fortran_order or shape is missing");
    skip_space(h);
    if (h->at != h->end)
        return bad(h, "text after the closing '}'");
    return SAM_OK;
}

/* Compute elements and bytes of a shape. Returns false on overflow. */
static bool measure(struct sam_array *array)
{
    uint64_t count = 1;
    for (size_t i = 0; i < array->rank; i++) /* an empty array must not overflow either */
        if (array->shape[i] == 0)
            count = 0;
    for (size_t i = 0; count && i < array->rank; i++)
        if (__builtin_mul_overflow(count, array->shape[i], &count))
            return false;
    array->count = (size_t)count;
    return count <= SIZE_MAX / 16 &&
           !__builtin_mul_overflow(array->count, sam_dtype_size(array->dtype), &array->size);
}

/* Copy column-major elements into C order. */
static void copy_fortran(const struct sam_array *array, const uint8_t *from, size_t item)
{
    uint64_t index[MAX_RANK] = {0}, stride[MAX_RANK];
    uint64_t step = 1, at = 0;
    for (size_t d = 0; d < array->rank; d++) {
        stride[d] = step;
        step *= array->shape[d];
    }
    uint8_t *to = array->data;
    for (size_t i = 0; i < array->count; i++, to += item) {
        memcpy(to, from + at * item, item);
        for (size_t d = array->rank; d-- > 0;) {
            at += stride[d];
            if (++index[d] < array->shape[d])
                break;
            at -= stride[d] * array->shape[d];
            index[d] = 0;
        }
    }
}

static void swap_bytes(uint8_t *data, size_t count, size_t item)
{
    for (; count--; data += item) {
        for (size_t i = 0; i < item / 2; i++) {
            uint8_t low = data[i];
            data[i] = data[item - 1 - i];
            data[item - 1 - i] = low;
        }
    }
}

static enum sam_status shape_too_large(const struct header *h)
{
    return sam_fail(h->error, SAM_ERR_INPUT, "%s: the shape is too large", h->name);
}

static enum sam_status wrong_size(const struct header *h, const struct sam_array *array,
                                  uint64_t found)
{
    return sam_fail(h->error, SAM_ERR_INPUT,
                    "%s: %zu elements of %s take %zu bytes, the file has %llu", h->name,
                    array->count, sam_dtype_name(array->dtype), array->size,
                    (unsigned long long)found);
}

/* Convert the file's elements to C order and little-endian. */
static enum sam_status take_elements(const struct header *h, struct sam_array *array,
                                     uint8_t *elements)
{
    size_t item = sam_dtype_size(array->dtype);
    array->data = elements;
    if (h->fortran && array->rank > 1) {
        array->data = sam_alloc(array->size, 1);
        if (array->data)
            copy_fortran(array, elements, item);
        free(elements);
        if (!array->data)
            return sam_fail_memory(h->error);
    }
    if (h->big_endian)
        swap_bytes(array->data, array->count, item);
    return SAM_OK;
}

static enum sam_status copy_elements(const struct header *h, struct sam_array *array,
                                     const uint8_t *from, size_t room)
{
    if (!measure(array))
        return shape_too_large(h);
    if (array->size != room)
        return wrong_size(h, array, room);
    uint8_t *elements = sam_alloc(array->size, 1);
    if (!elements)
        return sam_fail_memory(h->error);
    if (room)
        memcpy(elements, from, room);
    return take_elements(h, array, elements);
}

/* Compute the offset of the elements from the first bytes; 0 if `size` bytes are too few. */
static enum sam_status measure_header(const uint8_t *bytes, size_t size, const char *name,
                                      size_t *header, struct sam_error *error)
{
    *header = 0;
    if (size < MAGIC_SIZE + 4 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return sam_fail(error, SAM_ERR_INPUT, "%s: not an npy file", name);
    unsigned major = bytes[MAGIC_SIZE], minor = bytes[MAGIC_SIZE + 1];
    if (major < 1 || major > 3 || minor != 0)
        return sam_fail(error, SAM_ERR_INPUT, "%s: npy version %u.%u, expected 1.0 to 3.0", name,
                        major, minor);
    size_t start = MAGIC_SIZE + 2 + (major == 1 ? 2 : 4);
    if (size < start)
        return SAM_OK;
    size_t length = major == 1 ? sam_le16(bytes + start - 2) : sam_le32(bytes + start - 4);
    if (length > MAX_HEADER)
        return sam_fail(error, SAM_ERR_INPUT, "%s: an npy header of %zu bytes, at most %d expected",
                        name, length, MAX_HEADER);
    *header = start + length;
    return SAM_OK;
}

static struct header open_header(const uint8_t *bytes, size_t size, const char *name,
                                 struct sam_error *error)
{
    size_t start = MAGIC_SIZE + 2 + (bytes[MAGIC_SIZE] == 1 ? 2 : 4);
    return (struct header){
        .at = (const char *)bytes + start,
        .end = (const char *)bytes + size,
        .name = name,
        .error = error,
    };
}

enum sam_status sam_npy_parse(const void *data, size_t size, const char *name,
                              struct sam_array *array, struct sam_error *error)
{
    if (array)
        *array = (struct sam_array){0};
    if (SAM_LACKS(error, array, name))
        return SAM_ERR_USAGE;
    if (!data && size)
        return sam_fail_null(error, "data");
    const uint8_t *bytes = data;
    size_t header;
    enum sam_status status = measure_header(bytes, size, name, &header, error);
    if (status != SAM_OK)
        return status;
    if (!header || !bytes)
        return sam_fail(error, SAM_ERR_INPUT, "%s: truncated in the npy header", name);
    if (header > size) {
        struct header h = open_header(bytes, header, name, error);
        size_t length = (size_t)(h.end - h.at);
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: truncated in the npy header: %zu bytes announced, %zu found", name,
                        length, size - (header - length));
    }
    struct header h = open_header(bytes, header, name, error);
    status = read_header(&h, array);
    if (status == SAM_OK)
        status = copy_elements(&h, array, bytes + header, size - header);
    if (status != SAM_OK)
        sam_array_free(array);
    return status;
}

enum sam_status sam_npy_weights(const struct sam_prefix *in, struct sam_weights *weights,
                                struct sam_error *error)
{
    struct sam_array array = {0};
    size_t header = 0;
    *in->need = MAGIC_SIZE + 6;
    if (in->size >= *in->need || in->size >= in->file_size) {
        enum sam_status status = measure_header(in->data, in->size, in->name, &header, error);
        if (status != SAM_OK)
            return status;
        *in->need = header > in->size ? header : *in->need;
    }
    if (!header || in->size < header)
        return sam_prefix_short(in, error);
    struct header h = open_header(in->data, header, in->name, error);
    h.any_type = true;
    enum sam_status status = read_header(&h, &array);
    if (status != SAM_OK)
        return status;
    if (!measure(&array))
        return shape_too_large(&h);
    weights->tensors = sam_alloc(1, sizeof *weights->tensors);
    if (!weights->tensors)
        return sam_fail_memory(error);
    weights->kind = SAM_WEIGHTS_NPY;
    weights->header_size = header;
    weights->count = 1;
    struct sam_weight *w = &weights->tensors[0];
    *w = (struct sam_weight){
        .name = "data", .rank = array.rank, .offset = header, .size = array.size};
    memcpy(w->shape, array.shape, sizeof array.shape);
    if (h.fortran && array.rank > 1) { /* byte order does not follow the shape */
        weights->out_of_order = true;
        w->rank = 1;
        w->shape[0] = array.count;
    }
    /* The codec expects little-endian planes. */
    bool swapped = h.big_endian && sam_dtype_size(array.dtype) > 1;
    w->type = swapped ? SAM_OPAQUE : array.dtype;
    weights->out_of_order |= swapped;
    return SAM_OK;
}

/* --- files; elements are read directly to their destination */

/* Read the complete header, and possibly a few bytes more. */
static enum sam_status read_start(FILE *file, const char *path, struct sam_buffer *start,
                                  size_t *header, struct sam_error *error)
{
    size_t want = MAGIC_SIZE + 6;
    for (;;) {
        uint8_t block[4096];
        while (start->size < want && !start->failed) {
            size_t room = want - start->size < sizeof block ? want - start->size : sizeof block;
            size_t got = fread(block, 1, room, file);
            if (got == 0)
                break;
            sam_buffer_append(start, block, got);
        }
        if (start->failed)
            return sam_fail_memory(error);
        if (ferror(file))
            return sam_fail(error, SAM_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
        const uint8_t *bytes = (const uint8_t *)sam_buffer_text(start);
        enum sam_status status = measure_header(bytes, start->size, path, header, error);
        if (status != SAM_OK || (*header && *header <= start->size))
            return status;
        if (start->size < want) { /* end of file: reports where */
            struct sam_array none;
            status = sam_npy_parse(bytes, start->size, path, &none, error);
            sam_array_free(&none);
            return status != SAM_OK ? status
                                    : sam_fail(error, SAM_ERR_INPUT, "%s: truncated", path);
        }
        want = *header ? *header : want + 1;
    }
}

/* Read the elements; `more` of their bytes were read with the header. */
static enum sam_status read_elements(FILE *file, const struct header *h, struct sam_array *array,
                                     const struct sam_buffer *start, size_t header)
{
    const size_t more = start->size - header;
    struct stat status;
    if (!measure(array))
        return shape_too_large(h);
    if (array->size > FILE_LIMIT - header)
        return sam_fail(h->error, SAM_ERR_INPUT,
                        "%s: %zu elements of %s take %zu bytes, more than the limit of %llu",
                        h->name, array->count, sam_dtype_name(array->dtype), array->size,
                        (unsigned long long)FILE_LIMIT);
    /* Check the size of a regular file before allocating. */
    if (file != stdin && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size < array->size + header)
        return wrong_size(h, array, (uint64_t)status.st_size - header);
    uint8_t *elements = sam_alloc(array->size, 1);
    if (!elements)
        return sam_fail_memory(h->error);
    size_t used = more < array->size ? more : array->size;
    if (used)
        memcpy(elements, start->data + header, used);
    used += sam_sparse_read(file, elements + used, array->size - used);
    enum sam_status result = SAM_OK;
    if (ferror(file))
        result = sam_fail(h->error, SAM_ERR_IO, "%s: cannot read: %s", h->name, strerror(errno));
    else if (used < array->size)
        result = wrong_size(h, array, used);
    else if (more > array->size || fgetc(file) != EOF)
        result = sam_fail(h->error, SAM_ERR_INPUT,
                          "%s: %zu elements of %s take %zu bytes, the file has more", h->name,
                          array->count, sam_dtype_name(array->dtype), array->size);
    if (result == SAM_OK)
        return take_elements(h, array, elements);
    free(elements);
    return result;
}

enum sam_status sam_npy_read(const char *path, struct sam_array *array, struct sam_error *error)
{
    if (array)
        *array = (struct sam_array){0};
    if (SAM_LACKS(error, array, path))
        return SAM_ERR_USAGE;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file)
        return sam_fail(error, SAM_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct sam_buffer start = {0};
    size_t header = 0;
    enum sam_status status = read_start(file, path, &start, &header, error);
    if (status == SAM_OK && start.data) {
        struct header h = open_header(start.data, header, path, error);
        status = read_header(&h, array);
        if (status == SAM_OK)
            status = read_elements(file, &h, array, &start, header);
    }
    if (status != SAM_OK)
        sam_array_free(array);
    sam_buffer_free(&start);
    if (file != stdin)
        fclose(file);
    return status;
}

enum sam_status sam_npy_write(const char *path, const struct sam_array *array,
                              struct sam_error *error)
{
    if (SAM_LACKS(error, array, path))
        return SAM_ERR_USAGE;
    if (!array->data && array->size)
        return sam_fail_null(error, "data");
    struct sam_array check = *array;
    if (sam_dtype_npy(array->dtype) != array->dtype)
        return sam_fail(error, SAM_ERR_USAGE, "%s: NumPy has no element type %s", path,
                        sam_dtype_name(array->dtype));
    if (array->rank > MAX_RANK || !measure(&check) || check.count != array->count ||
        check.size != array->size)
        return sam_fail(error, SAM_ERR_USAGE, "%s: the array's shape, count and size disagree",
                        path);
    struct sam_buffer file = {0};
    size_t size = sam_dtype_size(array->dtype);
    sam_buffer_append(&file, MAGIC "\x01\x00\x00\x00", MAGIC_SIZE + 4);
    sam_buffer_printf(&file, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
                      size > 1 ? '<' : '|', sam_dtype_table[array->dtype].npy, size);
    for (size_t i = 0; i < array->rank; i++)
        sam_buffer_printf(&file, i ? ", %llu" : "%llu", (unsigned long long)array->shape[i]);
    sam_buffer_printf(&file, array->rank == 1 ? ",), }" : "), }");
    /* Pad with spaces and a newline, so that the elements begin at a multiple of 64. */
    sam_buffer_fill(&file, ' ', (size_t) - (file.size + 1) % HEADER_ALIGN);
    sam_buffer_append(&file, "\n", 1);
    if (!file.failed) {
        size_t length = file.size - MAGIC_SIZE - 4;
        file.data[MAGIC_SIZE + 2] = (uint8_t)length;
        file.data[MAGIC_SIZE + 3] = (uint8_t)(length >> 8);
    }
    enum sam_status status = file.failed ? sam_fail_memory(error) : SAM_OK;
    struct sam_output *output = NULL;
    if (status == SAM_OK)
        status = sam_output_open(path, &output, error);
    if (status == SAM_OK) {
        if (sam_output_write(output, file.data, file.size) && array->size)
            sam_output_write(output, array->data, array->size);
        status = sam_output_commit(output, error);
    }
    sam_buffer_free(&file);
    return status;
}
