/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_feed_fill_v3
#include "simt/source_tmpl.h"
