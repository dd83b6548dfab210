/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_lanes_fill_v3
#include "simt/lanes_tmpl.h"
