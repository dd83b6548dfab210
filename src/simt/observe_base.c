/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_hooks_fill_base
#include "simt/hooks_tmpl.h"
