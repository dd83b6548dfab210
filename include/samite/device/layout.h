/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, records and numbers of `--machine system`, from layout.def. For programs on the hart
 * and for the host alike; all words are little-endian. docs/system.md explains them. */
#ifndef SAMITE_DEVICE_LAYOUT_H
#define SAMITE_DEVICE_LAYOUT_H

#include <stdint.h>

/* The queues, in the order of their pages of control registers. */
enum {
#define SAM_QUEUE(AGENT, QUEUE, ...) SAM_SYSTEM_##QUEUE##_QUEUE,
#include "units.def"
    SAM_SYSTEM_QUEUES
};

/* SAM_SYSTEM_L1M and SAM_SYSTEM_L1M_BYTES, ...: where a memory begins, and how large it is unless
 * an option says otherwise. */
#define SAM_DEVICE_REGION(NAME, address, size, meaning)                                            \
    static const uint32_t SAM_SYSTEM_##NAME = UINT32_C(address);                                   \
    static const uint32_t SAM_SYSTEM_##NAME##_BYTES = size;
#include "layout.def"
#undef SAM_DEVICE_REGION

enum {
/* SAM_SYSTEM_GPU_SUBMIT, ...: addresses of control registers. */
#define SAM_DEVICE_REGISTER(NAME, address, access, meaning) SAM_SYSTEM_##NAME = address,
/* SAM_WEIGHT_DECODE, ...: operations of weight records. */
#define SAM_DEVICE_OPERATION(NAME, number, meaning) SAM_WEIGHT_##NAME = number,
/* SAM_WEIGHT_IS_DAMAGED, ...: status of their results, and of the queue. */
#define SAM_DEVICE_STATUS(NAME, number, meaning) SAM_WEIGHT_IS_##NAME = number,
/* SAM_TYPE_BF16, ...: element types of weight records; the numbers of enum sam_dtype. */
#define SAM_DEVICE_TYPE(NAME, number, meaning) SAM_TYPE_##NAME = number,
/* SAM_WEIGHT_LAYOUT_F16, ...: how elements are cut into planes (docs/format-codec.md). */
#define SAM_DEVICE_LAYOUT(NAME, number, meaning) SAM_WEIGHT_LAYOUT_##NAME = number,
#include "layout.def"
#undef SAM_DEVICE_REGISTER
#undef SAM_DEVICE_OPERATION
#undef SAM_DEVICE_STATUS
#undef SAM_DEVICE_TYPE
#undef SAM_DEVICE_LAYOUT
};

/* Elements of a chunk, and of a block. Blocks are decoded as a whole, so that records that end at
 * block boundaries cost least. For e2m1 these are pairs of elements. */
enum { SAM_WEIGHT_CHUNK = 1 << 20, SAM_WEIGHT_BLOCK = 1 << 17 };

/* struct sam_launch_record, for SAM_SYSTEM_GPU_SUBMIT; struct sam_weight_record, ... */
#define SAM_WORD(name, meaning) uint32_t name;
#define SAM_QUEUE(AGENT, QUEUE, record, name, figures, work, status, words)                        \
    struct sam_##record##_record {                                                                 \
        words                                                                                      \
    };
#include "units.def"
#undef SAM_WORD

/* The metadata of a kernel, which a launch names. */
struct sam_metadata_record {
#define SAM_DEVICE_METADATA(name, meaning) uint32_t name;
#include "layout.def"
#undef SAM_DEVICE_METADATA
};

/* The result of a weight record. */
struct sam_weight_result {
#define SAM_DEVICE_RESULT(name, meaning) uint32_t name;
#include "layout.def"
#undef SAM_DEVICE_RESULT
};

/* A tensor in the weights directory, which is a word with their number, then the tensors. */
struct sam_weight_entry {
#define SAM_DEVICE_DIRECTORY(name, array, meaning) uint32_t name array;
#include "layout.def"
#undef SAM_DEVICE_DIRECTORY
};

#endif
