/* SPDX-License-Identifier: Apache-2.0 */
/* Models as one object: tensors, and access to their bytes. */
#include "samite/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "format/format.h"
#include "format/onnx.h"
#include "format/torch.h"
#include "format/zip.h"

enum { MAX_ONNX = INT32_MAX /* limit of a protocol buffer */ };
static const uint64_t most_piped = UINT64_C(1) << 32;

struct sam_model {
    char *path;
    bool is_onnx;
    /* ONNX */
    struct sam_onnx onnx;
    struct sam_onnx_external *externals;
    int beside; /* open file of external data, or -1 */
    const char *beside_location;
    uint64_t beside_size;
    /* PyTorch */
    struct sam_torch torch;
    struct sam_source source;
    int file;     /* backs the source; -1: memory, or the caller's source */
    char *memory; /* a model in memory */
    size_t memory_size;
    uint8_t *span; /* of the last tensor read */
    size_t span_of;
};

/* Read exactly `size` bytes at `offset`. Returns false on an error or at the end of the file. */
static bool read_all(int file, uint64_t offset, void *data, size_t size)
{
    uint8_t *out = data;
    while (size) {
        const ssize_t got = pread(file, out, size, (off_t)offset);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        const size_t more = got > 0 ? (size_t)got : 0;
        out += more;
        offset += more;
        size -= more;
    }
    return true;
}

/* struct sam_source.read */
static bool read_file(void *context, uint64_t offset, void *data, size_t size)
{
    return read_all(((const struct sam_model *)context)->file, offset, data, size);
}

static bool read_memory(void *context, uint64_t offset, void *data, size_t size)
{
    memcpy(data, ((const struct sam_model *)context)->memory + offset, size);
    return true;
}

static struct sam_model *make(const char *path)
{
    struct sam_model *m = sam_alloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->file = m->beside = -1;
    m->span_of = SIZE_MAX;
    m->path = sam_strdup(path);
    if (m->path)
        return m;
    free(m);
    return NULL;
}

/* --- ONNX */
/* Open the file with tensor `i`, unless open, and check that it contains the tensor. */
static enum sam_status open_external(struct sam_model *m, size_t i, struct sam_error *error)
{
    const struct sam_onnx_external *e = &m->externals[i];
    const struct sam_weight *w = &m->onnx.tensors[i];
    if (!m->beside_location || strcmp(m->beside_location, e->location) != 0) {
        struct sam_error why = {0};
        if (m->beside >= 0)
            close(m->beside);
        m->beside_location = NULL;
        m->beside = sam_onnx_open_external(m->path, e->location, &m->beside_size, &why);
        if (m->beside < 0)
            return sam_fail(error, why.status, "%s", why.text);
        m->beside_location = e->location;
    }
    if (e->offset <= m->beside_size && w->size <= m->beside_size - e->offset)
        return SAM_OK;
    return sam_fail(error, SAM_ERR_INPUT,
                    "%s: tensor '%.200s': external data '%.200s' has %llu bytes: expected %llu at "
                    "%llu",
                    m->path, w->name, e->location, (unsigned long long)m->beside_size,
                    (unsigned long long)w->size, (unsigned long long)e->offset);
}

/* Of the model in memory. */
static enum sam_status parse_onnx(struct sam_model *m, struct sam_error *error)
{
    m->is_onnx = true;
    enum sam_status status =
        sam_onnx_parse_with(m->memory, m->memory_size, m->path, &m->onnx, &m->externals, error);
    for (size_t i = 0; status == SAM_OK && i < m->onnx.count; i++)
        if (m->externals[i].location)
            status = open_external(m, i, error);
    return status;
}

static enum sam_status open_onnx(struct sam_model *m, struct sam_error *error)
{
    const enum sam_status status =
        sam_file_load(m->path, MAX_ONNX, &m->memory, &m->memory_size, error);
    return status == SAM_OK ? parse_onnx(m, error) : status;
}

static enum sam_status read_onnx(struct sam_model *m, size_t tensor, uint64_t first, size_t size,
                                 void *out, struct sam_error *error)
{
    const struct sam_onnx_external *e = &m->externals[tensor];
    if (!e->location) {
        memcpy(out, (const uint8_t *)m->onnx.data[tensor] + first, size);
        return SAM_OK;
    }
    const enum sam_status status = open_external(m, tensor, error);
    if (status != SAM_OK || read_all(m->beside, e->offset + first, out, size))
        return status;
    return sam_fail(error, SAM_ERR_IO, "%s: external data '%.200s': truncated while it was read",
                    m->path, e->location);
}

/* --- PyTorch */
static enum sam_status open_torch(struct sam_model *m, struct sam_error *error)
{
    struct stat status;
    const bool standard = strcmp(m->path, "-") == 0;
    m->file = standard ? -1 : open(m->path, O_RDONLY | O_CLOEXEC);
    if (!standard && (m->file < 0 || fstat(m->file, &status) != 0))
        return sam_fail(error, SAM_ERR_IO, "%s: cannot open: %s", m->path, strerror(errno));
    if (!standard && S_ISREG(status.st_mode)) {
        m->source = (struct sam_source){read_file, m, (uint64_t)status.st_size};
    } else { /* the zip directory is at the end */
        const enum sam_status loaded =
            sam_file_load(m->path, most_piped, &m->memory, &m->memory_size, error);
        if (loaded != SAM_OK)
            return loaded;
        m->source = (struct sam_source){read_memory, m, m->memory_size};
    }
    return sam_torch_parse(m->source, m->path, &m->torch, error);
}

/* Load the span of a view; kept until another tensor is read. */
static enum sam_status load_span(struct sam_model *m, size_t tensor, struct sam_error *error)
{
    const struct sam_torch_view *view = &m->torch.views[tensor];
    if (m->span_of == tensor)
        return SAM_OK;
    free(m->span);
    m->span_of = SIZE_MAX;
    m->span = sam_alloc((size_t)view->span, 1);
    if (!m->span)
        return sam_fail_memory(error);
    const enum sam_status status =
        sam_source_read(m->source, m->path, view->offset, m->span, (size_t)view->span, error);
    m->span_of = status == SAM_OK ? tensor : SIZE_MAX;
    return status;
}

static enum sam_status read_torch(struct sam_model *m, size_t tensor, uint64_t first, size_t size,
                                  uint8_t *out, struct sam_error *error)
{
    const struct sam_weight *w = &m->torch.tensors[tensor];
    const struct sam_torch_view *view = &m->torch.views[tensor];
    if (view->in_order)
        return sam_source_read(m->source, m->path, view->offset + first, out, size, error);
    const enum sam_status status = load_span(m, tensor, error);
    if (status != SAM_OK)
        return status;
    /* The range may cut an element at either end. */
    const size_t width = sam_dtype_size(w->type);
    uint8_t element[16];
    size_t done = 0;
    while (done < size) {
        const uint64_t at = (first + done) / width, within = (first + done) % width;
        const uint64_t whole = (size - done) / width;
        if (!within && whole) {
            sam_torch_gather(w, view, m->span, at, whole, out + done);
            done += (size_t)whole * width;
            continue;
        }
        const size_t rest = width - (size_t)within;
        const size_t now = rest < size - done ? rest : size - done;
        sam_torch_gather(w, view, m->span, at, 1, element);
        memcpy(out + done, element + within, now);
        done += now;
    }
    return SAM_OK;
}

/* --- both */
enum sam_status sam_model_open(const char *path, struct sam_model **model, struct sam_error *error)
{
    static const char onnx[] = ".onnx";
    if (model)
        *model = NULL;
    if (SAM_LACKS(error, model, path))
        return SAM_ERR_USAGE;
    const size_t length = strlen(path), end = sizeof onnx - 1;
    struct sam_model *m = make(path);
    if (!m)
        return sam_fail_memory(error);
    const bool is_onnx = length > end && strcmp(path + length - end, onnx) == 0;
    const enum sam_status status = is_onnx ? open_onnx(m, error) : open_torch(m, error);
    if (status == SAM_OK)
        *model = m;
    else
        sam_model_close(m);
    return status;
}

enum sam_status sam_model_open_torch(struct sam_source source, const char *name,
                                     struct sam_model **model, struct sam_error *error)
{
    if (model)
        *model = NULL;
    if (SAM_LACKS(error, model, name))
        return SAM_ERR_USAGE;
    if (!source.read)
        return sam_fail_null(error, "source.read");
    struct sam_model *m = make(name);
    if (!m)
        return sam_fail_memory(error);
    m->source = source;
    const enum sam_status status = sam_torch_parse(source, m->path, &m->torch, error);
    if (status == SAM_OK)
        *model = m;
    else
        sam_model_close(m);
    return status;
}

const struct sam_weight *sam_model_tensors(const struct sam_model *model, size_t *count)
{
    const struct sam_weight *tensors = NULL;
    if (count)
        *count = 0;
    if (!model || !count)
        return NULL;
    tensors = model->is_onnx ? model->onnx.tensors : model->torch.tensors;
    *count = model->is_onnx ? model->onnx.count : model->torch.count;
    return tensors;
}

enum sam_status sam_model_read(struct sam_model *model, size_t tensor, uint64_t first,
                               uint64_t size, void *out, struct sam_error *error)
{
    size_t count;
    if (SAM_LACKS(error, model))
        return SAM_ERR_USAGE;
    if (!out && size)
        return sam_fail_null(error, "out");
    const struct sam_weight *tensors = sam_model_tensors(model, &count);
    if (tensor >= count)
        return sam_fail(error, SAM_ERR_USAGE, "tensor %zu: the model has %zu", tensor, count);
    const struct sam_weight *w = &tensors[tensor];
    if (first > w->size || size > w->size - first || size > SIZE_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "bytes %llu to %llu of '%.200s': it has %llu bytes",
                        (unsigned long long)first, (unsigned long long)(first + size), w->name,
                        (unsigned long long)w->size);
    if (!out || !size)
        return SAM_OK;
    return model->is_onnx ? read_onnx(model, tensor, first, (size_t)size, out, error)
                          : read_torch(model, tensor, first, (size_t)size, out, error);
}

enum sam_status sam_model_open_onnx(const void *data, size_t size, const char *name,
                                    struct sam_model **model, struct sam_error *error)
{
    struct sam_model *m = make(name);
    *model = NULL;
    if (!m)
        return sam_fail_memory(error);
    m->memory = sam_alloc(size + 1, 1);
    m->memory_size = size;
    if (m->memory && size)
        memcpy(m->memory, data, size);
    const enum sam_status status = m->memory ? parse_onnx(m, error) : sam_fail_memory(error);
    if (status == SAM_OK)
        *model = m;
    else
        sam_model_close(m);
    return status;
}

enum sam_status sam_model_graph(const struct sam_model *model, struct sam_onnx_graph *graph,
                                struct sam_error *error)
{
    *graph = (struct sam_onnx_graph){0};
    if (!model->is_onnx)
        return sam_fail(error, SAM_ERR_INPUT, "%s: not an ONNX model: expected a name with .onnx",
                        model->path);
    return sam_onnx_graph_parse(model->memory, model->memory_size, model->path, graph, error);
}

void sam_model_close(struct sam_model *model)
{
    if (!model)
        return;
    sam_onnx_externals_free(model->externals, model->onnx.count);
    sam_onnx_free(&model->onnx);
    sam_torch_free(&model->torch);
    if (model->beside >= 0)
        close(model->beside);
    if (model->file >= 0)
        close(model->file);
    free(model->memory);
    free(model->span);
    free(model->path);
    free(model);
}
