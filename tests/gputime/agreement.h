/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of recorded launches (recorded.h) in the public models and in Samite. */
#ifndef GPUTIME_AGREEMENT_H
#define GPUTIME_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/samite.h"

enum agreement_model { AGREEMENT_SYSTEMC, AGREEMENT_VERILOG, AGREEMENT_MODELS };

struct agreement_row {
    const char *name;
    const char *path;                    /* of the .metadata and .data files, without the ending */
    const char *changes;                 /* parameters that differ from the preset's; "" */
    uint64_t measured[AGREEMENT_MODELS]; /* cycles; 0: not measured */
};

extern const struct agreement_row agreement_rows[];
extern const size_t agreement_row_count;
extern const char *const agreement_presets[AGREEMENT_MODELS];
/* Largest mean and largest single error, in per cent of the measured cycles. */
extern const double agreement_mean[AGREEMENT_MODELS], agreement_worst[AGREEMENT_MODELS];

/* The cycles of a row's launch under the preset of the model. */
enum sam_status agreement_cycles(const char *folder, const struct agreement_row *row,
                                 enum agreement_model model, uint64_t *cycles,
                                 struct sam_error *error);
/* The error of `cycles`, in per cent of the measured value. */
double agreement_error(const struct agreement_row *row, enum agreement_model model,
                       uint64_t cycles);

#endif
