/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose tensors are not simply laid out one after another in a file: ONNX models, with their
 * data inside or in external files, and PyTorch checkpoints. Nothing that such a file contains is
 * executed: the pickle of a checkpoint is parsed as data.
 *
 * Thread safety: any function may run in any thread; a model is used by one thread at a time.
 * Since 0.2. */
#ifndef SAMITE_MODEL_H
#define SAMITE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_model;

/* Open the model at `path`: ONNX if the name ends with ".onnx", otherwise a PyTorch checkpoint.
 * "-" is standard input; a pipe is read into memory, at most 4 GiB of it.
 *
 * ONNX: the tensors of sam_onnx_parse (format.h), and those with external data. The location of
 * external data is a relative path without ".." that names a regular file in the folder of the
 * model or below it, after symbolic links are followed; offset and length must lie in the file and
 * match the shape. Such files are opened when they are read.
 *
 * PyTorch: a zip archive of stored entries, as torch.save writes since 1.6, with a pickle of dicts,
 * lists and tensors. Names are the keys on the way to a tensor, joined with '.' ("data" for a
 * lone tensor). Views and tensors that share storage are separate tensors here. Objects next to the
 * tensors are passed over; no class or function is imported. SAM_ERR_INPUT names what is refused:
 * tensors inside objects, sparse and quantized ones, compressed or encrypted entries, big-endian
 * storages, the format before 1.6. The checksums of the archive are not verified. */
SAM_API enum sam_status sam_model_open(const char *path, struct sam_model **model,
                                       struct sam_error *error);
/* A PyTorch checkpoint read on demand; `name` is used in messages. The object at
 * source.context must outlive *model. SAM_ERR_IO, here and below, if `source.read` fails. */
SAM_API enum sam_status sam_model_open_torch(struct sam_source source, const char *name,
                                             struct sam_model **model, struct sam_error *error);
/* The tensors, with unique names, in the order of the model; `offset` is unused. They belong to
 * `model`. */
SAM_API const struct sam_weight *sam_model_tensors(const struct sam_model *model, size_t *count);
/* Bytes first .. first + size - 1 of a tensor, its elements in C order whatever the strides of the
 * view. SAM_ERR_USAGE: no such tensor or bytes. A view that is not contiguous takes memory for the
 * part of its storage that it spans. */
SAM_API enum sam_status sam_model_read(struct sam_model *model, size_t tensor, uint64_t first,
                                       uint64_t size, void *out, struct sam_error *error);
SAM_API void sam_model_close(struct sam_model *model); /* may be NULL */

/* The layout of the file of a PyTorch checkpoint, for sam_pack: each tensor that occupies its own
 * part of a storage (with one dimension if its elements are in another order), and whatever else is
 * in the storages, named by their entries. */
SAM_API enum sam_status sam_torch_weights(struct sam_source source, const char *name,
                                          struct sam_weights *weights, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
