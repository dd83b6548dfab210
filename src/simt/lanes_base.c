/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_lanes_fill_base
#include "simt/lanes_tmpl.h"
