/* SPDX-License-Identifier: Apache-2.0 */
/* All of libsamite. */
#ifndef SAMITE_H
#define SAMITE_H

#include "codec.h"
#include "cosim.h"
#include "dtype.h"
#include "engines.h"
#include "file.h"
#include "format.h"
#include "gdb.h"
#include "gpu.h"
#include "gputime.h"
#include "gputime_report.h"
#include "hart.h"
#include "hostio.h"
#include "image.h"
#include "isa.h"
#include "logdiff.h"
#include "mxu.h"
#include "ops.h"
#include "parameter.h"
#include "profile.h"
#include "sanitize.h"
#include "session.h"
#include "sink.h"
#include "status.h"
#include "symbolstat.h"
#include "system.h"
#include "system_race.h"
#include "system_time.h"
#include "text.h"
#include "tile.h"
#include "tile_lower.h"
#include "tile_ops.h"
#include "version.h"

#endif
