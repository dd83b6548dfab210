/* SPDX-License-Identifier: Apache-2.0 */
/* For programs on the hart of `--machine system`: launches of the GPU. They run one after another,
 * in the order of their submission, concurrently with the hart. Records, metadata, arguments and
 * data must not change until the launch has ended. system.h has the functions of the queue:
 * sam_launch_submit, sam_launch_wait, ... A program sees a status of sam_launch_status other than
 * 0, 1 + enum sam_trap_kind (samite/gpu.h), only under --gpu-traps report; otherwise the run has
 * ended. docs/system.md explains it. */
#ifndef SAMITE_DEVICE_LAUNCH_H
#define SAMITE_DEVICE_LAUNCH_H

#include "system.h"

/* SAM_GPU_KERNEL(softmax); defines gpu_softmax, which holds the address of the kernel `softmax` of
 * a loaded program of the GPU (samite run --gpu-code), or 0. Use it in one file of the program;
 * others declare `extern volatile uint32_t gpu_softmax`. */
#define SAM_GPU_KERNEL(name) __attribute__((section(".data.gpu"))) volatile uint32_t gpu_##name = 0

/* The start code of that program. */
__attribute__((weak)) SAM_GPU_KERNEL(_start);

/* A launch of `groups` workgroups of `items` work-items each, 32 to a warp, in one dimension: fills
 * both records. `kernel` is the content of a SAM_GPU_KERNEL, `arguments` what a0 points to. Local
 * memory is `local` bytes, and a KiB per warp for scalar stacks. There is no private memory and no
 * print buffer: set those fields afterwards. */
SAM_DEVICE_FUNCTION void sam_launch_make(struct sam_launch_record *launch,
                                         struct sam_metadata_record *metadata, uint32_t kernel,
                                         const void *arguments, uint32_t groups, uint32_t items,
                                         uint32_t local)
{
    const uint32_t warps = (items + 31) / 32;
    sam_clear_words(metadata, sizeof *metadata / 4);
    metadata->kernel = kernel;
    metadata->arguments = sam_address(arguments);
    metadata->dimensions = 1;
    metadata->global_x = groups * items;
    metadata->local_x = items;
    metadata->global_y = metadata->global_z = 1;
    metadata->local_y = metadata->local_z = 1;
    sam_clear_words(launch, sizeof *launch / 4);
    launch->start = gpu__start;
    launch->metadata = sam_address(metadata);
    launch->grid_x = groups;
    launch->grid_y = launch->grid_z = 1;
    launch->lanes = 32;
    launch->warps = warps;
    launch->lds_bytes = 1024 * warps + local;
}

#endif
