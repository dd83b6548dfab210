/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_counts_fill_base
#include "simt/count_tmpl.h"
