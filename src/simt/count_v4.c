/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_counts_fill_v4
#include "simt/count_tmpl.h"
