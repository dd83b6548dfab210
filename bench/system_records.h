/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit, for bench/system.c. */
#ifndef SYSTEM_RECORDS_H
#define SYSTEM_RECORDS_H

#include "bench.h"

void bench_records(struct bench *bench);

#endif
