/* SPDX-License-Identifier: Apache-2.0 */
#define FILL sam_replay_fill_v3
#include "simt/replay_tmpl.h"
