/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_hooks_fill_v4
#include "simt/hooks_tmpl.h"
