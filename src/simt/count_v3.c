/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_count_fill_v3
#include "simt/count_tmpl.h"
