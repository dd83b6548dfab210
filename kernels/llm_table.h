/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of cycles of a step: of the model, and of a shape with weights from a seed. */
#ifndef SAMITE_KERNELS_LLM_TABLE_H
#define SAMITE_KERNELS_LLM_TABLE_H

#include "llm.h"

/* Print characters per second at 1 GHz by type of the weights, their packing, size of the L2 and
 * bytes per cycle of DRAM, with TABLE_CACHED positions in the cache, and what DRAM allows. `json`:
 * a file for the same, or NULL. */
#define TABLE_CACHED 128
enum sam_status llm_table(const char *model, const char *json, struct sam_error *error);
/* Print the cycles of one layer of a model of 0.5 billion parameters, and what they make of a
 * token. */
enum sam_status llm_synthetic(enum sam_dtype type, const struct sam_system_config *config,
                              bool window, struct sam_error *error);

#endif
