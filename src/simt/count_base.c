/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_count_fill_base
#include "simt/count_tmpl.h"
