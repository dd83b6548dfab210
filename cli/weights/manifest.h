/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow.js models: model.json and the files it names in the same folder. */
#ifndef WEIGHTS_MANIFEST_H
#define WEIGHTS_MANIFEST_H

#include "weights.h"

struct weights_manifest {
    struct sam_tfjs tfjs;
    uint8_t *data;      /* of all tensors, at their offsets in tfjs.tensors */
    const uint8_t **at; /* of each */
};
/* False with `error` filled; weights_manifest_free in either case. */
bool weights_manifest_load(const char *path, struct weights_manifest *manifest,
                           struct sam_error *error);
void weights_manifest_free(struct weights_manifest *manifest);

#endif
