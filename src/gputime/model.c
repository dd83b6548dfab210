/* SPDX-License-Identifier: Apache-2.0 */
/* The model, compiled as one: its parts call each other several times in every cycle, and a
 * compiler that sees all of them takes small ones into their callers. */
#define PART static
#include "gputime/account.c"
#include "gputime/coalesce.c"
#include "gputime/code.c"
#include "gputime/dispatch.c"
#include "gputime/execute.c"
#include "gputime/fetch.c"
#include "gputime/issue.c"
#include "gputime/lsu.c"
#include "gputime/memory.c"
#include "gputime/operands.c"
#include "gputime/run.c"
#include "gputime/scheduler.c"
#include "gputime/write.c"
