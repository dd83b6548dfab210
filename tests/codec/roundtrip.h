/* SPDX-License-Identifier: Apache-2.0 */
/* Pack and unpack through every interface; all results must agree. */
#ifndef TEST_ROUNDTRIP_H
#define TEST_ROUNDTRIP_H

#include <stdlib.h>

#include "samite/codec.h"

/* A packed file, malloc'ed. */
struct packed {
    uint8_t *data;
    size_t size;
};

static inline void packed_free(struct packed *p)
{
    free(p->data);
}

/* A file of one tensor without a header. */
struct sam_weights one_tensor(struct sam_weight *tensor, enum sam_dtype type, size_t size);

struct packed pack(const struct sam_weights *weights, const void *file,
                   const struct sam_codec_options *options);
/* Unpack in one call; must give `file`. */
void expect_file(const struct packed *packed, const void *file, size_t size,
                 const struct sam_codec_options *options);
/* Unpack, fed in blocks of `piece` bytes. */
void expect_file_in_pieces(const struct packed *packed, const void *file, size_t size, size_t piece,
                           const struct sam_codec_options *options);
/* The packer, fed in blocks of `piece` bytes, gives `packed`. */
void expect_same_in_pieces(const struct sam_weights *weights, const void *file,
                           const struct packed *packed, size_t piece,
                           const struct sam_codec_options *options);
/* Pack and unpack one tensor of `type`. Returns the packed size. */
size_t roundtrip(enum sam_dtype type, const void *data, size_t size,
                 const struct sam_codec_options *options);

#endif
