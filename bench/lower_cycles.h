/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated cycles of lowered tile programs. */
#ifndef BENCH_LOWER_CYCLES_H
#define BENCH_LOWER_CYCLES_H

#include "bench.h"

/* A row for each program; the reference is its bound, the cycles of its busiest unit. */
void bench_lower_cycles(struct bench *bench);

#endif
